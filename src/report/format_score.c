/* SPDX-License-Identifier: Apache-2.0 */
/* format_score.c - scores in one line for the comment of a job: at most 200 bytes of printable ASCII, without what
 * Slurm, sacct or a shell takes for its own; and as metrics, in the text format 0.0.4 of Prometheus, which readers of
 * OpenMetrics and the text folder of a node exporter take: each family once, with its help and its type, no sample
 * twice, no times.  Nothing is a counter, as a score is a state; what is not known is left out. */
#include <math.h>

#include "base/map.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "report/reports.h"
#include "score/jobs.h"

enum { LINE_BYTES_MAX = 200 };

static void oneline_item(mls_printer *to, const void *what)
{
    mls_buffer line = {0};
    to->report->line(&line, what);
    for (size_t i = 0; i < line.len; i++) {
        char *c = &line.ptr[i];
        *c = *c < 0x20 || *c > 0x7e ? '?' : strchr("|\"'`", *c) != NULL ? ' ' : *c;
    }
    mls_buffer_cut(&line, LINE_BYTES_MAX);
    mls_buffer_append_char(&line, '\n');
    mls_output_write(to->view->output, mls_buffer_str(&line));
    mls_buffer_release(&line);
}

const mls_format_writer mls_format_oneline = {offsetof(mls_report, line), NULL, oneline_item, NULL};

/* "llama2_70b_lora 10/10 valid 1.680 min scale 1.000 rcp pass" */
static void line_group(mls_buffer *line, const mls_group *group)
{
    size_t valid = 0;
    for (size_t i = 0; i < group->run_count; i++) {
        valid += group->runs[i]->valid;
    }
    const unsigned needed = group->rules->runs_needed;
    mls_buffer_printf(line, "%s %zu/%zu valid", group->benchmark != NULL ? group->benchmark : "-", valid,
                      needed > 0 ? (size_t)needed : group->run_count);
    const mls_group_outcome result = mls_group_result(group);
    if (isfinite(result.scaled_minutes)) {
        mls_buffer_printf(line, " %s min%s scale %s", mls_words_grouped(result.scaled_minutes, 3).text,
                          result.official ? "" : " not official", mls_words_grouped(result.scale, 3).text);
    } else {
        mls_buffer_append_text(line, " no score");
    }
    if (group->rcp.check != MLS_CHECK_NOT_MADE) {
        mls_buffer_append_text(line, group->rcp.result.pass ? " rcp pass" : " rcp fail");
    }
}

/* Why the first of the runs did not end that have no run_stop. */
static const mls_finding *first_ending(const mls_group *group)
{
    for (size_t i = 0; i < group->run_count; i++) {
        const mls_findings *findings = &group->runs[i]->findings;
        for (size_t k = findings->count; k-- > 0;) {
            const mls_finding_code code = findings->items[k].code;
            if (code == MLS_FINDING_DIAGNOSIS || code == MLS_FINDING_JOB_ENDED) {
                return &findings->items[k];
            }
        }
    }
    return NULL;
}

void mls_score_line(mls_buffer *line, const void *what)
{
    const mls_collection *collection = what;
    for (size_t i = 0; i < collection->group_count && line->len < LINE_BYTES_MAX; i++) {
        mls_buffer_append_text(line, i > 0 ? "; " : "");
        line_group(line, &collection->groups[i]);
    }
    for (size_t i = 0; i < collection->group_count && line->len < LINE_BYTES_MAX; i++) {
        const mls_finding *ending = first_ending(&collection->groups[i]);
        if (ending != NULL) {
            mls_buffer_printf(line, "; %s", ending->message);
        }
    }
    if (collection->group_count == 0) {
        mls_buffer_append_text(line, "no run found");
    }
}

/* ------------------------------------------------------------------ metrics */

enum { SAMPLES_MAX = 10000, GROUP_FAMILIES = 7, GROUP_SAMPLES = 13, RUN_FAMILIES = 4, JOB_SAMPLES = 2 };

/* The names of our own labels, which users cannot add. */
#define OWN_LABELS "benchmark division edition config batch path group run valid severity job version"

typedef struct metrics {
    mls_output *output;
    const mls_collection *of;
    mls_str *labels; /* of the groups that are printed, as they are printed */
    size_t count;    /* of these groups; for the others there is no room */
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

/* ----------------------------------------------------------------- samples */

static void print_family(const metrics *all, const char *name, const char *help)
{
    mls_output_printf(all->output, "# HELP mlscore_%s %s\n# TYPE mlscore_%s gauge\n", name, help, name);
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
    mls_output_printf(all->output, "mlscore_%s{", name);
    mls_output_write(all->output, mls_buffer_str(&line));
    mls_output_printf(all->output, "} %s\n", mls_words_exact(value).text);
    mls_buffer_release(&line);
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

/* -------------------------------------------------------------- printing */

/* Make the labels of groups as long as there is room for their samples; of several with the same labels the second gets
 * group="2".  Return how many samples that leaves for runs. */
static size_t choose_groups(metrics *all, const mls_metrics_labels *user, mls_arena *arena)
{
    mls_map seen = {.arena = arena}; /* labels, and how many groups have them */
    size_t used = 1;
    for (size_t g = 0; g < all->of->group_count; g++) {
        const mls_group *group = &all->of->groups[g];
        mls_buffer text = {0};
        size_t more = GROUP_SAMPLES;
        for (size_t i = 0; i < group->run_count; i++) {
            more += mls_group_new_job(all->of->jobs, group, i) != NULL ? JOB_SAMPLES : 0;
        }
        if (used + more > SAMPLES_MAX) {
            break;
        }
        used += more;
        append_group_labels(&text, group, user);
        mls_map_entry *entry = mls_map_put(&seen, mls_buffer_str(&text), NULL);
        if (++entry->value.number > 1) {
            append_text_label(&text, "group", mls_words_exact((double)entry->value.number).text);
        }
        all->labels[all->count++] = mls_arena_copy(arena, mls_buffer_str(&text));
        mls_buffer_release(&text);
    }
    return SAMPLES_MAX - used;
}

static void print_left_out(const metrics *all, size_t count, const char *one, const char *many)
{
    if (count > 0) {
        mls_output_printf(all->output, "# %s left out\n", mls_words_plural(count, one, many).text);
    }
}

static void print_groups(const metrics *all)
{
    for (size_t f = 0; f < GROUP_FAMILIES; f++) {
        print_family(all, group_families[f].name, group_families[f].help);
        for (size_t g = 0; g < all->count; g++) {
            print_sample(all, group_families[f].name, g, NULL, NULL, group_families[f].value(&all->of->groups[g]));
        }
    }
    print_family(all, "runs", "Runs of the group, by whether they are valid.");
    for (size_t g = 0; g < all->count; g++) {
        const mls_group *group = &all->of->groups[g];
        size_t valid = 0;
        for (size_t i = 0; i < group->run_count; i++) {
            valid += group->runs[i]->valid;
        }
        print_sample(all, "runs", g, "valid", "true", (double)valid);
        print_sample(all, "runs", g, "valid", "false", (double)(group->run_count - valid));
    }
    print_family(all, "findings", "Findings about the group and its runs, by severity.");
    for (size_t g = 0; g < all->count; g++) {
        const mls_finding_counts found = mls_group_found(&all->of->groups[g]);
        for (mls_severity severity = MLS_SEVERITY_ERROR; severity <= MLS_SEVERITY_ADVICE; severity++) {
            print_sample(all, "findings", g, "severity", mls_severity_name(severity),
                         (double)mls_finding_counts_of(&found, severity));
        }
    }
}

static void print_runs(const metrics *all, size_t room)
{
    for (size_t f = 0; f < RUN_FAMILIES; f++) {
        size_t left = room;
        print_family(all, run_families[f].name, run_families[f].help);
        for (size_t g = 0; g < all->count; g++) {
            const mls_group *group = &all->of->groups[g];
            for (size_t i = 0; i < group->run_count && left > 0; i++, left--) {
                print_sample(all, run_families[f].name, g, "run", mls_words_exact((double)(i + 1)).text,
                             run_families[f].value(group->runs[i]));
            }
        }
    }
}

static void print_jobs(const metrics *all, const char *name, const char *help, bool queued)
{
    print_family(all, name, help);
    for (size_t g = 0; g < all->count; g++) {
        const mls_group *group = &all->of->groups[g];
        for (size_t i = 0; i < group->run_count; i++) {
            const mls_slurm_job *job = mls_group_new_job(all->of->jobs, group, i);
            if (job != NULL) {
                print_sample(all, name, g, "job", job->job, queued ? mls_slurm_job_queued(job) : job->elapsed_seconds);
            }
        }
    }
}

void mls_score_metrics(mls_printer *to, const void *what)
{
    const mls_collection *collection = what;
    mls_arena arena = {0};
    metrics all = {.output = to->view->output,
                   .of = collection,
                   .labels = mls_arena_array(&arena, collection->group_count + 1, sizeof *all.labels)};
    const size_t room = choose_groups(&all, to->view->labels, &arena) / RUN_FAMILIES;
    size_t runs = 0;
    for (size_t g = 0; g < all.count; g++) {
        runs += collection->groups[g].run_count;
    }
    print_left_out(&all, runs > room ? runs - room : 0, "run", "runs");
    print_left_out(&all, collection->group_count - all.count, "group", "groups");
    print_groups(&all);
    print_runs(&all, room);
    if (collection->jobs != NULL) {
        print_jobs(&all, "job_queued_seconds", "Time that a job of the group waited in the queue.", true);
        print_jobs(&all, "job_elapsed_seconds", "Time that a job of the group ran.", false);
    }
    print_family(&all, "build_info", "The version of mlscore.");
    mls_output_text(all.output, "mlscore_build_info{version=\"" MLS_VERSION "\"} 1\n");
    mls_arena_release(&arena);
}
