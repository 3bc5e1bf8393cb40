/* SPDX-License-Identifier: Apache-2.0 */
/* format_score.c - scores in one line, for example for the comment of a Slurm job, and as metrics.
 *
 * The line has at most 200 bytes of printable ASCII, without characters that are special to Slurm, sacct or a shell.
 * Metrics are in the text format 0.0.4 of Prometheus, which readers of OpenMetrics and the textfile collector of a node
 * exporter accept.  All metrics are gauges; unknown values are omitted. */
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

void mls_score_line(mls_buffer *line, const void *what)
{
    const mls_collection *collection = what;
    for (size_t i = 0; i < collection->group_count && line->len < LINE_BYTES_MAX; i++) {
        /* Append "llama2_70b_lora 10/10 valid 1.680 min scale 1.000 rcp pass". */
        const mls_group *group = &collection->groups[i];
        const mls_group_outcome result = mls_group_result(group);
        const unsigned needed = group->rules->runs_needed;
        mls_buffer_printf(line, "%s%s %zu/%zu valid", i > 0 ? "; " : "",
                          group->benchmark != NULL ? group->benchmark : "-", mls_group_valid_runs(group),
                          needed > 0 ? (size_t)needed : group->run_count);
        if (isfinite(result.scaled_minutes)) {
            mls_buffer_printf(line, " %s min%s scale %s", mls_words_grouped(result.scaled_minutes, 3).text,
                              result.official ? "" : " not official", mls_words_grouped(result.scale, 3).text);
        } else {
            mls_buffer_append_text(line, " no score");
        }
        if (group->rcp.check != MLS_CHECK_NA)
            mls_buffer_append_text(line, group->rcp.result.pass ? " rcp pass" : " rcp fail");
    }
    for (size_t i = 0; i < collection->group_count && line->len < LINE_BYTES_MAX; i++) {
        /* Append the reason why the first run without run_stop did not end. */
        const mls_group *group = &collection->groups[i];
        const mls_finding *ending = NULL;
        for (size_t r = 0; r < group->run_count && ending == NULL; r++) {
            const mls_findings *findings = &group->runs[r]->findings;
            for (size_t k = findings->count; k-- > 0 && ending == NULL;) {
                const mls_finding_code code = findings->items[k].code;
                ending = code == MLS_FINDING_DIAGNOSIS || code == MLS_FINDING_JOB_ENDED ? &findings->items[k] : NULL;
            }
        }
        if (ending != NULL)
            mls_buffer_printf(line, "; %s", ending->message);
    }
    if (collection->group_count == 0)
        mls_buffer_append_text(line, "no runs found");
}

/* ------------------------------------------------------------------ metrics */

/* The maximum number of samples of metrics, and the number of samples per group and per job. */
enum { SAMPLES_MAX = 10000, GROUP_SAMPLES = 13, JOB_SAMPLES = 2 };

/* The names of our own labels, which users cannot add. */
#define OWN_LABELS "benchmark division edition config batch path group run valid severity job version"

typedef struct metrics {
    mls_output *output;
    mls_str *labels; /* the formatted labels of each printed group */
} metrics;

/* Write the end mark.  Without this mark, readers treat the text as truncated. */
static void metrics_end(mls_printer *to)
{
    mls_output_text(to->view->output, "# EOF\n");
}

const mls_format_writer mls_format_openmetrics = {offsetof(mls_report, metrics), NULL, NULL, metrics_end};

const char *mls_metrics_label_wrong(const mls_metrics_labels *labels, size_t number)
{
    mls_str value = mls_str_from(labels->added.items[number]);
    mls_str name;
    if (!mls_str_cut(&value, '=', &name) || !mls_str_is_name(name) || mls_str_starts(name, MLS_S("__")))
        return "expected NAME=VALUE, where NAME does not begin with a digit or '__'";
    for (size_t i = 0; i < number; i++) {
        mls_str other;
        mls_str rest = mls_str_from(labels->added.items[i]);
        (void)mls_str_cut(&rest, '=', &other);
        if (mls_str_equal(other, name))
            return "another --label has the same name";
    }
    return mls_str_among(name, OWN_LABELS) ? "mlscore sets this label itself" : NULL;
}

static void append_label(mls_buffer *labels, mls_str name, mls_str value)
{
    mls_buffer_printf(labels, "%s%.*s=\"", labels->len > 0 ? "," : "", (int)name.len, name.ptr);
    for (size_t at = 0; at < value.len;) {
        const size_t from = at;
        const int32_t code = mls_utf8_next(value, &at);
        if (code == '\n')
            mls_buffer_append_text(labels, "\\n");
        else if (code == '\\' || code == '"')
            mls_buffer_printf(labels, "\\%c", (int)code);
        else if (code < 0 || mls_code_point_is_hostile(code))
            mls_buffer_append_text(labels, "\xef\xbf\xbd"); /* U+FFFD */
        else
            mls_buffer_append(labels, (mls_str){value.ptr + from, at - from});
    }
    mls_buffer_append_char(labels, '"');
}

static void append_text_label(mls_buffer *labels, const char *name, const char *value)
{
    if (value != NULL)
        append_label(labels, mls_str_from(name), mls_str_from(value));
}

static void print_family(const metrics *all, const char *name, const char *help)
{
    mls_output_printf(all->output, "# HELP mlscore_%s %s\n# TYPE mlscore_%s gauge\n", name, help, name);
}

/* Print a sample, unless its value is unknown.  `own` and `is` are the name and the value of an additional label; NULL:
 * do not add a label. */
static void print_sample(const metrics *all, const char *name, size_t group, const char *own, const char *is,
                         double value)
{
    mls_buffer line = {0};
    if (!isfinite(value))
        return;
    mls_buffer_append(&line, all->labels[group]);
    append_text_label(&line, own != NULL ? own : "", own != NULL ? is : NULL);
    mls_output_printf(all->output, "mlscore_%s{", name);
    mls_output_write(all->output, mls_buffer_str(&line));
    mls_output_printf(all->output, "} %s\n", mls_words_exact(value).text);
    mls_buffer_release(&line);
}

/* The metrics.  The metrics of a kind are in the order of its values. */
typedef enum family_kind { OF_GROUP, BY_VALIDITY, BY_SEVERITY, OF_RUN, OF_JOB } family_kind;
static const struct {
    family_kind kind;
    const char *name, *help;
} families[] = {{OF_GROUP, "score_seconds", "The score before scaling: the olympic mean of the runs' times."},
                {OF_GROUP, "score_scaled_seconds", "The score after scaling by the reference convergence check."},
                {OF_GROUP, "runs_needed", "Number of runs that a result requires."},
                {OF_GROUP, "score_official", "1 if the group has the runs that a result requires."},
                {OF_GROUP, "rcp_pass", "1 if the group passes the reference convergence check."},
                {OF_GROUP, "seeds_ok", "1 if the group passes the seed check."},
                {OF_GROUP, "last_run_stop_timestamp_seconds", "Time of the last run_stop of the group."},
                {BY_VALIDITY, "runs", "Runs of the group, by whether they are valid."},
                {BY_SEVERITY, "findings", "Findings about the group and its runs, by severity."},
                {OF_RUN, "run_seconds", "Time-to-train of a run."},
                {OF_RUN, "run_init_seconds", "Time from init_start to init_stop of a run."},
                {OF_RUN, "run_samples", "Samples to converge of a run."},
                {OF_RUN, "throughput_samples_per_second", "Mean throughput that a run logged."},
                {OF_JOB, "job_queued_seconds", "Time in the queue of a job of the group."},
                {OF_JOB, "job_elapsed_seconds", "Run time of a job of the group."}};
enum { RUN_FAMILIES = 4 };

/* Return the value of a metric; NAN: unknown. */
static double group_value(const mls_group *group, size_t number)
{
    const mls_group_outcome result = mls_group_result(group);
    double last = (double)NAN;
    for (size_t i = 0; i < group->run_count; i++)
        last = fmax(last, group->runs[i]->run_stop.time_ms);
    const double values[] = {result.minutes * 60,
                             result.scaled_minutes * 60,
                             group->rules->runs_needed > 0 ? (double)group->rules->runs_needed : (double)NAN,
                             result.official,
                             group->rcp.check == MLS_CHECK_NA ? (double)NAN : (double)group->rcp.result.pass,
                             group->seeds.check == MLS_CHECK_NA ? (double)NAN
                                                                : (double)(group->seeds.check != MLS_CHECK_FAIL),
                             last / 1000};
    return values[number];
}

static double run_value(const mls_run *run, size_t number)
{
    const mls_convergence converged = mls_run_to_converge(run);
    const double values[RUN_FAMILIES] = {mls_run_minutes(run) * 60, mls_run_init_minutes(run) * 60,
                                         strcmp(converged.unit, "samples") == 0 ? converged.number : (double)NAN,
                                         run->throughputs > 0 ? run->throughput / (double)run->throughputs
                                                              : (double)NAN};
    return values[number];
}

void mls_score_metrics(mls_printer *to, const void *what)
{
    const mls_collection *collection = what;
    const mls_metrics_labels *user = to->view->labels;
    mls_arena arena = {0};
    mls_map seen = {.arena = &arena}; /* formatted labels -> number of groups with these labels */
    const metrics all = {to->view->output, mls_arena_array(&arena, collection->group_count + 1, sizeof *all.labels)};
    size_t count = 0; /* number of printed groups */
    size_t used = 1;
    size_t runs = 0;
    /* Format the labels of groups, as long as SAMPLES_MAX allows their samples. */
    for (; count < collection->group_count; count++) {
        const mls_group *group = &collection->groups[count];
        mls_buffer text = {0};
        size_t more = GROUP_SAMPLES;
        for (size_t i = 0; i < group->run_count; i++)
            more += mls_group_new_job(collection->jobs, group, i) != NULL ? JOB_SAMPLES : 0;
        if (used + more > SAMPLES_MAX)
            break;
        used += more;
        runs += group->run_count;
        append_text_label(&text, "benchmark", group->benchmark);
        append_text_label(&text, "division", mls_division_name(group->division));
        append_text_label(&text, "edition", group->edition->name);
        append_text_label(&text, "config", group->config);
        append_text_label(&text, "batch",
                          isfinite(group->global_batch_size) ? mls_words_exact(group->global_batch_size).text : NULL);
        if (user == NULL || !user->no_path)
            append_text_label(&text, "path", group->path);
        for (size_t i = 0; user != NULL && i < user->added.count; i++) {
            mls_str value = mls_str_from(user->added.items[i]);
            mls_str name;
            (void)mls_str_cut(&value, '=', &name);
            append_label(&text, name, value);
        }
        mls_map_entry *entry = mls_map_put(&seen, mls_buffer_str(&text), NULL);
        if (++entry->value.number > 1) /* if several groups have the same labels, the second gets group="2" */
            append_text_label(&text, "group", mls_words_exact((double)entry->value.number).text);
        all.labels[count] = mls_arena_copy(&arena, mls_buffer_str(&text));
        mls_buffer_release(&text);
    }
    const size_t room = (SAMPLES_MAX - used) / RUN_FAMILIES;
    if (runs > room)
        mls_output_printf(all.output, "# %s omitted\n", mls_words_plural(runs - room, "run", "runs").text);
    if (collection->group_count > count) {
        mls_output_printf(all.output, "# %s omitted\n",
                          mls_words_plural(collection->group_count - count, "group", "groups").text);
    }
    for (size_t f = 0, number = 0; f < sizeof families / sizeof *families; f++) {
        const family_kind kind = families[f].kind;
        const char *name = families[f].name;
        size_t left = room; /* number of runs whose samples may still be printed */
        number = f > 0 && families[f - 1].kind == kind ? number + 1 : 0;
        if (kind == OF_JOB && collection->jobs == NULL)
            break;
        print_family(&all, name, families[f].help);
        for (size_t g = 0; g < count; g++) {
            const mls_group *group = &collection->groups[g];
            const size_t valid = mls_group_valid_runs(group);
            const mls_finding_counts found = mls_group_found(group);
            if (kind == OF_GROUP)
                print_sample(&all, name, g, NULL, NULL, group_value(group, number));
            for (int i = 0; i < 2 && kind == BY_VALIDITY; i++) {
                print_sample(&all, name, g, "valid", i == 0 ? "true" : "false",
                             (double)(i == 0 ? valid : group->run_count - valid));
            }
            for (mls_severity s = MLS_SEVERITY_ERROR; s <= MLS_SEVERITY_ADVICE && kind == BY_SEVERITY; s++)
                print_sample(&all, name, g, "severity", mls_severity_name(s), (double)mls_finding_counts_of(&found, s));
            for (size_t i = 0; i < group->run_count && left > 0 && kind == OF_RUN; i++, left--) {
                print_sample(&all, name, g, "run", mls_words_exact((double)(i + 1)).text,
                             run_value(group->runs[i], number));
            }
            for (size_t i = 0; i < group->run_count && kind == OF_JOB; i++) {
                const mls_slurm_job *job = mls_group_new_job(collection->jobs, group, i);
                if (job != NULL) {
                    print_sample(&all, name, g, "job", job->job,
                                 number == 0 ? mls_slurm_job_queued(job) : job->elapsed_seconds);
                }
            }
        }
    }
    print_family(&all, "build_info", "The version of mlscore.");
    mls_output_text(all.output, "mlscore_build_info{version=\"" MLS_VERSION "\"} 1\n");
    mls_arena_release(&arena);
}
