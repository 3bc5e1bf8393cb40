/* SPDX-License-Identifier: Apache-2.0 */
/* format_openmetrics.c - scores as metrics, in the text format 0.0.4 of Prometheus, which readers of OpenMetrics and
 * the text folder of a node exporter take: each family once, with its help and its type, no sample twice, no times.
 *
 * Nothing is a counter, as a score is a state; what is not known is left out. */
#include <math.h>

#include "base/map.h"
#include "base/utf8.h"
#include "report/metrics.h"
#include "report/reports.h"
#include "slurm/jobs.h"

enum { SAMPLES_MAX = 10000, GROUP_SAMPLES = 13, RUN_SAMPLES = 4, JOB_SAMPLES = 2 };

/* The labels of ours, which nobody adds. */
#define OWN_LABELS "benchmark division edition config batch path group run valid severity job version"

typedef struct metrics {
    mls_printer *to;
    const mls_collection *collection;
    mls_str *labels; /* of each group, as they are printed */
    size_t groups;   /* of the collection that are printed, … */
    size_t runs;     /* … and of their runs, in order */
    mls_arena arena;
} metrics;

static void metrics_item(mls_printer *to, const void *what)
{
    to->report->metrics(to, what);
}

const mls_format_writer mls_format_openmetrics = {offsetof(mls_report, metrics), NULL, metrics_item, NULL};

/* ------------------------------------------------------------------ labels */

const char *mls_metrics_label_wrong(const mls_metrics_labels *labels, size_t number)
{
    mls_str value = mls_str_from(labels->added.items[number]);
    mls_str name;
    if (!mls_str_cut(&value, '=', &name) || !mls_str_is_name(name) || mls_str_starts(name, MLS_S("__"))) {
        return "is no NAME=VALUE";
    }
    for (size_t i = 0; i < number; i++) {
        mls_str other;
        mls_str rest = mls_str_from(labels->added.items[i]);
        (void)mls_str_cut(&rest, '=', &other);
        if (mls_str_equal(other, name)) {
            return "names a label twice";
        }
    }
    return mls_str_among(name, OWN_LABELS) ? "names a label that is there already" : NULL;
}

static void append_label(mls_buffer *labels, mls_str name, mls_str value)
{
    mls_buffer_printf(labels, "%s%.*s=\"", labels->len > 0 ? "," : "", (int)name.len, name.ptr);
    for (size_t at = 0; at < value.len;) {
        const size_t from = at;
        const int32_t code = mls_utf8_next(value, &at);
        if (code == '\n') {
            mls_buffer_append_text(labels, "\\n");
        } else if (code == '\\' || code == '"') {
            mls_buffer_printf(labels, "\\%c", (int)code);
        } else if (code < 0 || mls_code_point_is_hostile(code)) {
            mls_buffer_append_text(labels, "\xef\xbf\xbd"); /* U+FFFD */
        } else {
            mls_buffer_append(labels, (mls_str){value.ptr + from, at - from});
        }
    }
    mls_buffer_append_char(labels, '"');
}

static void append_text_label(mls_buffer *labels, const char *name, const char *value)
{
    if (value != NULL) {
        append_label(labels, mls_str_from(name), mls_str_from(value));
    }
}

static void append_group_labels(mls_buffer *labels, const mls_group *group, const mls_metrics_labels *user)
{
    append_text_label(labels, "benchmark", group->benchmark);
    append_text_label(labels, "division", mls_division_name(group->division));
    append_text_label(labels, "edition", group->edition->name);
    append_text_label(labels, "config", group->config);
    append_text_label(labels, "batch",
                      isfinite(group->global_batch_size) ? mls_words_exact(group->global_batch_size).text : NULL);
    if (user == NULL || !user->no_path) {
        append_text_label(labels, "path", group->path);
    }
    for (size_t i = 0; user != NULL && i < user->added.count; i++) {
        mls_str value = mls_str_from(user->added.items[i]);
        mls_str name;
        (void)mls_str_cut(&value, '=', &name);
        append_label(labels, name, value);
    }
}

/* Gives each group its labels; of several with the same the second gets group="2". */
static bool make_labels(metrics *all)
{
    const mls_collection *collection = all->collection;
    mls_map seen = {.arena = &all->arena};
    mls_buffer text = {0};
    bool ok = (all->labels = mls_arena_array(&all->arena, collection->group_count, sizeof *all->labels)) != NULL ||
              collection->group_count == 0;
    for (size_t i = 0; i < collection->group_count && ok; i++) {
        mls_buffer_clear(&text);
        append_group_labels(&text, mls_collection_loaded(collection, i), all->to->view->labels);
        mls_map_entry *entry = text.failed ? NULL : mls_map_put(&seen, mls_buffer_str(&text), NULL);
        if (entry != NULL && ++entry->value.number > 1) {
            append_text_label(&text, "group", mls_words_exact((double)entry->value.number).text);
        }
        all->labels[i] = mls_arena_copy(&all->arena, mls_buffer_str(&text));
        ok = entry != NULL && !text.failed && all->labels[i].ptr != NULL;
    }
    mls_buffer_release(&text);
    return ok;
}

/* ----------------------------------------------------------------- samples */

static void print_family(const metrics *all, const char *name, const char *help)
{
    mls_output_printf(all->to->view->output, "# HELP mlscore_%s %s\n# TYPE mlscore_%s gauge\n", name, help, name);
}

/* `own` is a label more (NULL: none); a value that is not known is no sample. */
static void print_sample(const metrics *all, const char *name, size_t group, const char *own, const char *is,
                         double value)
{
    mls_buffer line = {0};
    if (!isfinite(value)) {
        return;
    }
    mls_buffer_append(&line, all->labels[group]);
    append_text_label(&line, own != NULL ? own : "", own != NULL ? is : NULL);
    mls_output_printf(all->to->view->output, "mlscore_%s{", name);
    mls_output_write(all->to->view->output, mls_buffer_str(&line));
    mls_output_printf(all->to->view->output, "} %s\n", mls_words_exact(value).text);
    mls_output_drop(all->to->view->output, &line);
}

static double score_seconds(const mls_group *group)
{
    return group->score.score_minutes * 60;
}

static double scaled_seconds(const mls_group *group)
{
    return group->scaled_minutes * 60;
}

static double runs_needed(const mls_group *group)
{
    return group->rules->runs_needed > 0 ? (double)group->rules->runs_needed : (double)NAN;
}

static double is_official(const mls_group *group)
{
    return group->score.official;
}

static double rcp_passes(const mls_group *group)
{
    return group->rcp.check == MLS_CHECK_NOT_MADE ? (double)NAN : (double)group->rcp.result.pass;
}

static double seeds_are_well(const mls_group *group)
{
    return group->seeds.check == MLS_CHECK_NOT_MADE ? (double)NAN : (double)(group->seeds.check != MLS_CHECK_FAIL);
}

static double last_stop_seconds(const mls_group *group)
{
    double last = (double)NAN;
    for (size_t i = 0; i < group->run_count; i++) {
        last = fmax(last, group->runs[i]->run_stop.time_ms);
    }
    return last / 1000;
}

static const struct {
    const char *name, *help;
    double (*value)(const mls_group *group);
} group_families[] = {
    {"score_seconds", "The score before scaling: the olympic mean of the runs' times.", score_seconds},
    {"score_scaled_seconds", "The score after scaling by the reference convergence check.", scaled_seconds},
    {"runs_needed", "How many runs a result needs.", runs_needed},
    {"score_official", "1: the group has the runs that a result needs.", is_official},
    {"rcp_pass", "1: it converges no faster than the reference allows.", rcp_passes},
    {"seeds_ok", "1: its runs were made with seeds of their own.", seeds_are_well},
    {"last_run_stop_timestamp_seconds", "When the last run of the group stopped.", last_stop_seconds},
};

static double run_seconds(const mls_run *run)
{
    return mls_run_minutes(run) * 60;
}

static double run_init_seconds(const mls_run *run)
{
    return mls_run_init_minutes(run) * 60;
}

static double run_samples(const mls_run *run)
{
    const mls_convergence converged = mls_run_to_converge(run);
    return strcmp(converged.unit, "samples") == 0 ? converged.number : (double)NAN;
}

static double run_throughput(const mls_run *run)
{
    return run->throughputs > 0 ? run->throughput / (double)run->throughputs : (double)NAN;
}

static const struct {
    const char *name, *help;
    double (*value)(const mls_run *run);
} run_families[] = {
    {"run_seconds", "Time-to-train of a run.", run_seconds},
    {"run_init_seconds", "Time from init_start to init_stop of a run.", run_init_seconds},
    {"run_samples", "Samples that a run took to converge.", run_samples},
    {"throughput_samples_per_second", "Mean throughput that a run tracked.", run_throughput},
};

static void print_runs(const metrics *all)
{
    for (size_t f = 0; f < sizeof run_families / sizeof *run_families; f++) {
        size_t left = all->runs;
        print_family(all, run_families[f].name, run_families[f].help);
        for (size_t g = 0; g < all->groups; g++) {
            const mls_group *group = mls_collection_loaded(all->collection, g);
            for (size_t i = 0; i < group->run_count && left > 0; i++, left--) {
                print_sample(all, run_families[f].name, g, "run", mls_words_exact((double)(i + 1)).text,
                             run_families[f].value(group->runs[i]));
            }
        }
    }
}

static void print_counts(const metrics *all)
{
    print_family(all, "runs", "Runs of the group, by whether they are valid.");
    for (size_t g = 0; g < all->groups; g++) {
        const mls_group *group = mls_collection_loaded(all->collection, g);
        size_t valid = 0;
        for (size_t i = 0; i < group->run_count; i++) {
            valid += group->runs[i]->valid;
        }
        print_sample(all, "runs", g, "valid", "true", (double)valid);
        print_sample(all, "runs", g, "valid", "false", (double)(group->run_count - valid));
    }
    print_family(all, "findings", "Findings about the group and its runs, by severity.");
    for (size_t g = 0; g < all->groups; g++) {
        const mls_finding_counts counts = mls_group_found(mls_collection_loaded(all->collection, g));
        for (mls_severity severity = MLS_SEVERITY_ERROR; severity <= MLS_SEVERITY_ADVICE; severity++) {
            print_sample(all, "findings", g, "severity", mls_severity_name(severity),
                         (double)mls_finding_counts_of(&counts, severity));
        }
    }
}

static void print_jobs(const metrics *all, const char *name, const char *help, bool queued)
{
    print_family(all, name, help);
    for (size_t g = 0; g < all->groups; g++) {
        const mls_group *group = mls_collection_loaded(all->collection, g);
        for (size_t i = 0; i < group->run_count; i++) {
            const mls_slurm_job *job = mls_group_new_job(group, i);
            if (job != NULL) {
                print_sample(all, name, g, "job", job->job, queued ? mls_slurm_job_queued(job) : job->elapsed_seconds);
            }
        }
    }
}

/* How many groups, and then runs, there is room for. */
static void choose_samples(metrics *all)
{
    const mls_collection *collection = all->collection;
    size_t used = 1;
    size_t runs = 0;
    for (all->groups = 0; all->groups < collection->group_count; all->groups++) {
        const mls_group *group = mls_collection_loaded(collection, all->groups);
        size_t more = GROUP_SAMPLES;
        for (size_t i = 0; i < group->run_count; i++) {
            more += mls_group_new_job(group, i) != NULL ? JOB_SAMPLES : 0;
        }
        if (used + more > SAMPLES_MAX) {
            break;
        }
        used += more;
        runs += group->run_count;
    }
    const size_t room = (SAMPLES_MAX - used) / RUN_SAMPLES;
    all->runs = runs < room ? runs : room;
    const size_t groups_left = collection->group_count - all->groups;
    if (all->runs < runs) {
        mls_output_printf(all->to->view->output, "# %s left out\n",
                          mls_words_plural(runs - all->runs, "run", "runs").text);
    }
    if (groups_left > 0) {
        mls_output_printf(all->to->view->output, "# %s left out\n",
                          mls_words_plural(groups_left, "group", "groups").text);
    }
}

void mls_score_metrics(mls_printer *to, const void *what)
{
    metrics all = {.to = to, .collection = what};
    const bool ok = make_labels(&all);
    mls_output_short(to->view->output, !ok);
    if (ok) {
        choose_samples(&all);
        for (size_t f = 0; f < sizeof group_families / sizeof *group_families; f++) {
            print_family(&all, group_families[f].name, group_families[f].help);
            for (size_t g = 0; g < all.groups; g++) {
                print_sample(&all, group_families[f].name, g, NULL, NULL,
                             group_families[f].value(mls_collection_loaded(all.collection, g)));
            }
        }
        print_counts(&all);
        print_runs(&all);
        if (all.collection->jobs != NULL) {
            print_jobs(&all, "job_queued_seconds", "Time that a job of the group waited in the queue.", true);
            print_jobs(&all, "job_elapsed_seconds", "Time that a job of the group ran.", false);
        }
        print_family(&all, "build_info", "The version of mlscore.");
        mls_output_text(to->view->output, "mlscore_build_info{version=\"" MLS_VERSION "\"} 1\n");
    }
    mls_arena_release(&all.arena);
}
