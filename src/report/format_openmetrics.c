/* SPDX-License-Identifier: Apache-2.0 */
/* format_openmetrics.c - scores as metrics, in the text format 0.0.4 of Prometheus, which readers of OpenMetrics and
 * the text folder of a node exporter take: each family once, with its help and its type, no sample twice, no times.
 *
 * Nothing is a counter, as a score is a state; what is not known is left out. */
#include <math.h>
#include <stdlib.h>

#include "base/map.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "report/metrics.h"
#include "report/reports.h"
#include "score/jobs.h"

enum { SAMPLES_MAX = 10000, GROUP_FAMILIES = 7, GROUP_SAMPLES = 13, RUN_FAMILIES = 4, JOB_SAMPLES = 2 };

/* The labels of ours, which nobody adds. */
#define OWN_LABELS "benchmark division edition config batch path group run valid severity job version"

/* What is printed of a run, a job and a group.  A group may have to be read to be looked at, and a family has samples
 * of all: each is looked at once, and these are few, as samples are. */
typedef struct run_metrics {
    size_t group;
    size_t number; /* of its runs, from 1 */
    double values[RUN_FAMILIES];
} run_metrics;

typedef struct job_metrics {
    size_t group;
    const mls_slurm_job *job;
} job_metrics;

typedef struct group_metrics {
    mls_str labels; /* as they are printed */
    double values[GROUP_FAMILIES];
    size_t runs, valid;
    mls_finding_counts found;
} group_metrics;

typedef struct metrics {
    mls_printer *to;
    const mls_slurm_jobs *said; /* by Slurm; NULL: nothing */
    MLS_LIST_OF(group_metrics) groups;
    MLS_LIST_OF(run_metrics) runs;
    MLS_LIST_OF(job_metrics) jobs;
    mls_map seen; /* labels, and how many groups have them */
    mls_arena arena;
    size_t used;                  /* samples of groups and jobs, … */
    size_t all_runs, groups_left; /* … the runs of these groups, and groups for which there is no room */
} metrics;

static void metrics_item(mls_printer *to, const void *what)
{
    to->report->metrics(to, what);
}

/* Without it a reader takes the text for one that was cut off. */
static void metrics_end(mls_printer *to)
{
    mls_output_text(to->view->output, "# EOF\n");
}

const mls_format_writer mls_format_openmetrics = {offsetof(mls_report, metrics), NULL, metrics_item, metrics_end};

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

/* The labels of a group; of several with the same the second gets group="2".  ptr NULL: no memory. */
static mls_str make_labels(metrics *all, const mls_group *group)
{
    mls_buffer text = {0};
    mls_str labels = {NULL, 0};
    append_group_labels(&text, group, all->to->view->labels);
    mls_map_entry *entry = text.failed ? NULL : mls_map_put(&all->seen, mls_buffer_str(&text), NULL);
    if (entry != NULL && ++entry->value.number > 1) {
        append_text_label(&text, "group", mls_words_exact((double)entry->value.number).text);
    }
    if (entry != NULL && !text.failed) {
        labels = mls_arena_copy(&all->arena, mls_buffer_str(&text));
    }
    mls_buffer_release(&text);
    return labels;
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
    mls_buffer_append(&line, all->groups.items[group].labels);
    append_text_label(&line, own != NULL ? own : "", own != NULL ? is : NULL);
    mls_output_printf(all->to->view->output, "mlscore_%s{", name);
    mls_output_write(all->to->view->output, mls_buffer_str(&line));
    mls_output_printf(all->to->view->output, "} %s\n", mls_words_exact(value).text);
    mls_output_drop(all->to->view->output, &line);
}

static double score_seconds(const mls_group *group)
{
    return mls_group_result(group).minutes * 60;
}

static double scaled_seconds(const mls_group *group)
{
    return mls_group_result(group).scaled_minutes * 60;
}

static double runs_needed(const mls_group *group)
{
    return group->rules->runs_needed > 0 ? (double)group->rules->runs_needed : (double)NAN;
}

static double is_official(const mls_group *group)
{
    return mls_group_result(group).official;
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
} group_families[GROUP_FAMILIES] = {
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
} run_families[RUN_FAMILIES] = {
    {"run_seconds", "Time-to-train of a run.", run_seconds},
    {"run_init_seconds", "Time from init_start to init_stop of a run.", run_init_seconds},
    {"run_samples", "Samples that a run took to converge.", run_samples},
    {"throughput_samples_per_second", "Mean throughput that a run tracked.", run_throughput},
};

/* -------------------------------------------------------------- looking */

static size_t count_jobs(const mls_slurm_jobs *jobs, const mls_group *group)
{
    size_t count = 0;
    for (size_t i = 0; i < group->run_count; i++) {
        count += mls_group_new_job(jobs, group, i) != NULL;
    }
    return count;
}

/* Runs come after groups, as far as there is room for them when all groups are known. */
static bool look_at_runs(metrics *all, const mls_group *group)
{
    all->all_runs += group->run_count;
    for (size_t i = 0; i < group->run_count; i++) {
        const mls_slurm_job *job = mls_group_new_job(all->said, group, i);
        if (job != NULL) {
            if (!MLS_GROW(&all->jobs, items)) {
                return false;
            }
            all->jobs.items[all->jobs.count++] = (job_metrics){all->groups.count, job};
        }
        if (all->runs.count < SAMPLES_MAX / RUN_FAMILIES) {
            if (!MLS_GROW(&all->runs, items)) {
                return false;
            }
            run_metrics *run = &all->runs.items[all->runs.count++];
            *run = (run_metrics){.group = all->groups.count, .number = i + 1};
            for (size_t f = 0; f < RUN_FAMILIES; f++) {
                run->values[f] = run_families[f].value(group->runs[i]);
            }
        }
    }
    return true;
}

static bool look_at_group(metrics *all, const mls_group *group)
{
    group_metrics looked = {
        .labels = make_labels(all, group), .runs = group->run_count, .found = mls_group_found(group)};
    for (size_t f = 0; f < GROUP_FAMILIES; f++) {
        looked.values[f] = group_families[f].value(group);
    }
    for (size_t i = 0; i < group->run_count; i++) {
        looked.valid += group->runs[i]->valid;
    }
    if (looked.labels.ptr == NULL || !MLS_GROW(&all->groups, items) || !look_at_runs(all, group)) {
        return false;
    }
    all->groups.items[all->groups.count++] = looked;
    return true;
}

/* Looks at groups as long as there is room for their samples. */
static bool look_at_groups(metrics *all, const mls_collection *collection)
{
    bool ok = true;
    all->used = 1;
    for (size_t g = 0; g < collection->group_count && ok; g++) {
        const mls_group *group = &collection->groups[g];
        const size_t more = GROUP_SAMPLES + JOB_SAMPLES * count_jobs(all->said, group);
        if (all->used + more > SAMPLES_MAX) {
            all->groups_left = collection->group_count - g;
            break;
        }
        all->used += more;
        ok = look_at_group(all, group);
    }
    const size_t room = (SAMPLES_MAX - all->used) / RUN_FAMILIES;
    all->runs.count = all->runs.count < room ? all->runs.count : room;
    return ok;
}

/* -------------------------------------------------------------- printing */

static void print_left_out(const metrics *all)
{
    if (all->runs.count < all->all_runs) {
        mls_output_printf(all->to->view->output, "# %s left out\n",
                          mls_words_plural(all->all_runs - all->runs.count, "run", "runs").text);
    }
    if (all->groups_left > 0) {
        mls_output_printf(all->to->view->output, "# %s left out\n",
                          mls_words_plural(all->groups_left, "group", "groups").text);
    }
}

static void print_groups(const metrics *all)
{
    for (size_t f = 0; f < GROUP_FAMILIES; f++) {
        print_family(all, group_families[f].name, group_families[f].help);
        for (size_t g = 0; g < all->groups.count; g++) {
            print_sample(all, group_families[f].name, g, NULL, NULL, all->groups.items[g].values[f]);
        }
    }
}

static void print_runs(const metrics *all)
{
    for (size_t f = 0; f < RUN_FAMILIES; f++) {
        print_family(all, run_families[f].name, run_families[f].help);
        for (size_t i = 0; i < all->runs.count; i++) {
            const run_metrics *run = &all->runs.items[i];
            print_sample(all, run_families[f].name, run->group, "run", mls_words_exact((double)run->number).text,
                         run->values[f]);
        }
    }
}

static void print_counts(const metrics *all)
{
    print_family(all, "runs", "Runs of the group, by whether they are valid.");
    for (size_t g = 0; g < all->groups.count; g++) {
        const group_metrics *group = &all->groups.items[g];
        print_sample(all, "runs", g, "valid", "true", (double)group->valid);
        print_sample(all, "runs", g, "valid", "false", (double)(group->runs - group->valid));
    }
    print_family(all, "findings", "Findings about the group and its runs, by severity.");
    for (size_t g = 0; g < all->groups.count; g++) {
        for (mls_severity severity = MLS_SEVERITY_ERROR; severity <= MLS_SEVERITY_ADVICE; severity++) {
            print_sample(all, "findings", g, "severity", mls_severity_name(severity),
                         (double)mls_finding_counts_of(&all->groups.items[g].found, severity));
        }
    }
}

static void print_jobs(const metrics *all, const char *name, const char *help, bool queued)
{
    print_family(all, name, help);
    for (size_t i = 0; i < all->jobs.count; i++) {
        const mls_slurm_job *job = all->jobs.items[i].job;
        print_sample(all, name, all->jobs.items[i].group, "job", job->job,
                     queued ? mls_slurm_job_queued(job) : job->elapsed_seconds);
    }
}

void mls_score_metrics(mls_printer *to, const void *what)
{
    const mls_collection *collection = what;
    metrics all = {.to = to, .said = collection->jobs};
    all.seen.arena = &all.arena;
    const bool ok = look_at_groups(&all, collection);
    mls_output_short(to->view->output, !ok);
    if (ok) {
        print_left_out(&all);
        print_groups(&all);
        print_counts(&all);
        print_runs(&all);
        if (collection->jobs != NULL) {
            print_jobs(&all, "job_queued_seconds", "Time that a job of the group waited in the queue.", true);
            print_jobs(&all, "job_elapsed_seconds", "Time that a job of the group ran.", false);
        }
        print_family(&all, "build_info", "The version of mlscore.");
        mls_output_text(to->view->output, "mlscore_build_info{version=\"" MLS_VERSION "\"} 1\n");
    }
    free(all.groups.items);
    free(all.runs.items);
    free(all.jobs.items);
    mls_arena_release(&all.arena);
}
