/* SPDX-License-Identifier: Apache-2.0 */
/*
 * score_table.c - a collection for a person: what was run, run by run, and
 * what it scores.
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/number.h"
#include "report/reports.h"
#include "report/table.h"
#include "report/words.h"

enum { COL_RUN, COL_LOG, COL_INIT, COL_TRAIN, COL_CONVERGE, COL_EVAL, COL_STATUS, COL_VALID, COL_COUNT };

/* Without -v: lines of findings under a group; of seeds, where what is wrong is often wrong with all; skipped files. */
enum { FINDINGS_SHOWN = 6, SEED_PROBLEMS_SHOWN = 4, SKIPPED_SHOWN = 10 };

enum { EVALUATION_DECIMALS = 5 };

/* Lines below a table, and what does not fit into one. */
enum { INDENT = 2, HANG = 6 };

/* What a path is called for a person. */
static const char *path_shown(const char *path)
{
    return strcmp(path, "-") == 0 ? "standard input" : path;
}

/* What a file is called below the folder that its group is named by. */
static const char *name_below(const mls_group *group, const char *path)
{
    const size_t len = strlen(group->path);
    if (strncmp(path, group->path, len) == 0 && path[len] == '/') {
        return path + len + 1;
    }
    const char *slash = strrchr(path, '/');
    return strcmp(path, group->path) == 0 && slash != NULL ? slash + 1 : path_shown(path);
}

/* A text that all runs have the same of; NULL when they do not. */
static const char *common_job(const mls_group *group)
{
    const char *job = group->runs[0]->job.job;
    for (size_t i = 1; i < group->run_count && job != NULL; i++) {
        const char *other = group->runs[i]->job.job;
        job = other != NULL && strcmp(job, other) == 0 ? job : NULL;
    }
    return job;
}

static double common_nodes(const mls_group *group)
{
    for (size_t i = 1; i < group->run_count; i++) {
        if (group->runs[i]->job.node_count != group->runs[0]->job.node_count) {
            return (double)NAN;
        }
    }
    return group->runs[0]->job.node_count;
}

/* ": 18 nodes x 4 GPUs = 72   tp1 pp1 cp8 dp9" */
static void headline_shape(mls_buffer *line, const mls_config_name *shape)
{
    mls_buffer_printf(line, ": %" PRIu64 " %s x %" PRIu64 " GPUs = %" PRIu64, shape->nodes,
                      shape->nodes == 1 ? "node" : "nodes", shape->gpus_per_node, shape->gpus);
    if (shape->data_parallel > 0) {
        const uint64_t tensor = shape->tensor_parallel > 0 ? shape->tensor_parallel : 1;
        const uint64_t pipeline = shape->pipeline_parallel > 0 ? shape->pipeline_parallel : 1;
        const uint64_t context = shape->context_parallel > 0 ? shape->context_parallel : 1;
        mls_buffer_printf(line, "   tp%" PRIu64 " pp%" PRIu64 " cp%" PRIu64 " dp%" PRIu64, tensor, pipeline, context,
                          shape->data_parallel);
    }
}

static void show_headline(mls_view *view, const mls_group *group)
{
    mls_buffer line = {0};
    const double nodes = common_nodes(group);
    const char *job = common_job(group);
    mls_buffer_printf(&line, "  %s  %s %s%s",
                      mls_division_name(group->division) != NULL ? mls_division_name(group->division) : "no division",
                      mls_usage_name(group->usage), group->edition->name, group->edition_guessed ? " (by date)" : "");
    if (group->config != NULL) {
        mls_buffer_printf(&line, "   %s", group->config);
    }
    if (group->shape.gpus > 0) {
        headline_shape(&line, &group->shape);
    } else if (!isnan(nodes)) {
        mls_buffer_append_text(&line, "   ");
        mls_words_plural(&line, (size_t)nodes, "node", "nodes");
    }
    if (job != NULL) {
        mls_buffer_printf(&line, "   job %s", job);
    }
    if (!isnan(group->global_batch_size)) {
        mls_buffer_append_text(&line, "   batch ");
        mls_words_count(&line, group->global_batch_size);
    }
    mls_output_text(view->output, view->format == MLS_FORMAT_MARKDOWN ? "### " : "");
    mls_view_headline(view, mls_str_from(group->benchmark != NULL ? group->benchmark : "unknown benchmark"), &line,
                      INDENT);
    mls_output_text(view->output, "  ");
    mls_view_text(view, mls_str_from(path_shown(group->path)), (mls_wrap){.separator = " "}, MLS_STYLE_DIM);
    mls_output_text(view->output, view->format == MLS_FORMAT_MARKDOWN ? "\n\n" : "\n");
}

/* ---------------------------------------------------------------- the table */

static void number_cell(mls_table *table, size_t column, mls_style style,
                        void (*word)(mls_buffer *buffer, double number), double number)
{
    mls_buffer text = {0};
    word(&text, number);
    mls_table_text(table, column, style, &text);
}

static void words_evaluation(mls_buffer *buffer, double value)
{
    mls_words_fixed(buffer, value, EVALUATION_DECIMALS);
}

static void row_note(mls_table *table, const mls_group *group, size_t index)
{
    const mls_run *run = group->runs[index];
    const mls_finding *reason = mls_run_reason(run);
    if (reason != NULL) {
        mls_table_cell(table, MLS_TABLE_NOTE, MLS_STYLE_BAD, "%s", reason->message);
    } else if (group->marks[index] == MLS_OLYMPIC_OUTSIDE) {
        mls_table_cell(table, MLS_TABLE_NOTE, MLS_STYLE_DIM, "outside the window");
    }
}

static void run_row(mls_table *table, const mls_group *group, size_t index, bool several)
{
    const mls_run *run = group->runs[index];
    const char *unit;
    const double converge = mls_run_to_converge(run, &unit);
    const double final_eval = mls_run_final_evaluation(run);
    const mls_style style = group->marks[index] == MLS_OLYMPIC_OUTSIDE ? MLS_STYLE_DIM : MLS_STYLE_PLAIN;
    if (mls_table_row(table) == NULL) {
        return;
    }
    mls_table_cell(table, COL_RUN, style, "%zu", index + 1);
    if (several) {
        mls_table_cell(table, COL_LOG, style, "%s:%zu", name_below(group, run->file), run->line);
    } else {
        mls_table_cell(table, COL_LOG, style, "%s", name_below(group, run->file));
    }
    number_cell(table, COL_INIT, style, mls_words_clock, mls_run_init_minutes(run));
    number_cell(table, COL_TRAIN, style, mls_words_minutes, mls_run_minutes(run));
    number_cell(table, COL_CONVERGE, style, mls_words_count, converge);
    number_cell(table, COL_EVAL, style, words_evaluation, final_eval);
    const char *status = mls_run_status_name(run->status);
    mls_table_cell(table, COL_STATUS, style, "%s", status != NULL ? status : "-");
    mls_table_cell(table, COL_VALID, run->valid ? style : MLS_STYLE_BAD, "%s", run->valid ? "yes" : "no");
    row_note(table, group, index);
}

static void show_runs(mls_view *view, const mls_group *group)
{
    const char *unit = "samples";
    mls_column columns[COL_COUNT] = {
        [COL_RUN] = {"run", MLS_ALIGN_RIGHT, true, false},
        [COL_LOG] = {"log", MLS_ALIGN_LEFT, true, true},
        [COL_INIT] = {"init", MLS_ALIGN_RIGHT, false, false},
        [COL_TRAIN] = {"train (min)", MLS_ALIGN_DECIMAL, true, false},
        [COL_CONVERGE] = {"samples", MLS_ALIGN_DECIMAL, false, false},
        [COL_EVAL] = {"eval", MLS_ALIGN_DECIMAL, false, false},
        [COL_STATUS] = {"status", MLS_ALIGN_LEFT, false, false},
        [COL_VALID] = {"valid", MLS_ALIGN_LEFT, true, false},
    };
    mls_table table;
    bool several = false;
    for (size_t i = 0; i < group->run_count; i++) {
        if (!isnan(mls_run_to_converge(group->runs[i], &unit))) {
            columns[COL_CONVERGE].header = unit;
        }
        several |= i > 0 && strcmp(group->runs[i]->file, group->runs[i - 1]->file) == 0;
    }
    mls_table_init(&table, columns, COL_COUNT, 2);
    for (size_t i = 0; i < group->run_count; i++) {
        run_row(&table, group, i, several);
    }
    mls_table_finish(&table, view);
}

/* ----------------------------------------------------------- score lines */

static void line_window(mls_buffer *line, const mls_group *group)
{
    if (group->score.windowed && group->score.window_count < group->run_count) {
        mls_buffer_printf(line, " · window: runs %zu to %zu by start time", group->score.window_first + 1,
                          group->score.window_first + group->score.window_count);
    }
}

static void line_mean(mls_buffer *line, const mls_group *group, const char *kind)
{
    mls_buffer_printf(line, " · %s ", kind);
    mls_words_minutes(line, group->score.score_minutes);
    mls_buffer_append_text(line, " min");
}

static size_t group_valid_runs(const mls_group *group)
{
    size_t valid = 0;
    for (size_t i = 0; i < group->run_count; i++) {
        valid += group->runs[i]->valid;
    }
    return valid;
}

/* "10 of 10 runs, 1 dropped · olympic mean 1.586 min" and what else there is to say about it. */
static mls_style line_score(mls_buffer *line, const mls_group *group)
{
    char kind[64];
    const size_t valid = group_valid_runs(group);
    if (group->rules->runs_needed > 0) {
        mls_buffer_printf(line, "%zu of %u runs", group->run_count, group->rules->runs_needed);
    } else {
        mls_words_plural(line, group->run_count, "run", "runs");
    }
    if (group->score.dropped > 0) {
        mls_buffer_printf(line, ", %zu dropped", group->score.dropped);
    }
    line_window(line, group);
    switch (group->score.outcome) {
    case MLS_OLYMPIC_SCORED:
        if (group->rules->runs_needed == 0) {
            mls_buffer_append_text(line, ": not an official score");
        }
        line_mean(line, group, group->rules->runs_needed > 0 ? "olympic mean" : "mean");
        return group->score.official ? MLS_STYLE_BOLD : MLS_STYLE_WARN;
    case MLS_OLYMPIC_TOO_FEW_RUNS:
        mls_buffer_append_text(line, ": not an official score");
        if (valid > 0) {
            (void)snprintf(kind, sizeof kind, valid == 1 ? "%zu valid run" : "mean of %zu valid runs", valid);
            line_mean(line, group, kind);
        } else {
            mls_buffer_append_text(line, " · no valid run");
        }
        return MLS_STYLE_WARN;
    case MLS_OLYMPIC_TOO_MANY_RUNS:
        mls_buffer_append_text(line, ": not an official score");
        line_mean(line, group, "olympic mean of all");
        return MLS_STYLE_WARN;
    case MLS_OLYMPIC_TOO_MANY_DROPPED:
        mls_buffer_append_text(line, ": no score · more runs dropped than the rules forgive");
        return MLS_STYLE_BAD;
    case MLS_OLYMPIC_NOTHING_LEFT:
        mls_buffer_append_text(line, ": no score · nothing left to average");
        return MLS_STYLE_BAD;
    case MLS_OLYMPIC_NO_WINDOW:
        mls_buffer_append_text(line, ": no score · at least half of the windows drop too many runs");
        return MLS_STYLE_BAD;
    }
    return MLS_STYLE_PLAIN;
}

static void line_spread(mls_buffer *line, const mls_group *group)
{
    if (group->has_spread) {
        mls_buffer_append_text(line, " · fastest ");
        mls_words_minutes(line, group->spread.min_minutes);
        mls_buffer_append_text(line, " · slowest ");
        mls_words_minutes(line, group->spread.max_minutes);
        mls_buffer_printf(line, " · spread %.1f %%", group->spread.variation * 100);
    }
}

/* Weak scaling has no olympic mean but "59 models, at least 10 needed · 32 accelerators each · all trained in …". */
static mls_style line_weak(mls_buffer *line, const mls_group *group)
{
    const bool enough = group->weak.check == MLS_CHECK_PASS;
    mls_buffer_append_text(line, "weak scaling: ");
    mls_words_plural(line, group->weak.models, "model", "models");
    mls_buffer_printf(line, ", at least %u needed", group->rules->runs_needed);
    if (group->score.dropped > 0) {
        mls_buffer_printf(line, ", %zu dropped", group->score.dropped);
    }
    mls_buffer_append_text(line, enough ? "" : ": not an official score");
    if (group->weak.models > 0) {
        mls_buffer_append_text(line, " · ");
        mls_words_count(line, group->weak.instance_scale);
        mls_buffer_append_text(line, " accelerators each · all trained in ");
        mls_words_minutes(line, group->weak.minutes);
        mls_buffer_append_text(line, " min");
    }
    return enough ? MLS_STYLE_BOLD : MLS_STYLE_WARN;
}

static void show_line(mls_view *view, mls_buffer *line, mls_style look)
{
    mls_view_line(view, line, look, INDENT, HANG);
}

static void show_score(mls_view *view, const mls_group *group)
{
    mls_buffer line = {0};
    const mls_style look = group->weak.check != MLS_CHECK_NOT_MADE ? line_weak(&line, group) : line_score(&line, group);
    line_spread(&line, group);
    show_line(view, &line, look);
}

/* "reference convergence: pass: mean …", and the score that follows from it. */
static void show_convergence(mls_view *view, const mls_group *group)
{
    mls_buffer line = {0};
    if (group->rcp.check == MLS_CHECK_NOT_MADE) {
        return;
    }
    mls_buffer_append_text(&line, "reference convergence: ");
    mls_rcp_result_describe(&group->rcp.result,
                            group->weak.check != MLS_CHECK_NOT_MADE ? (double)NAN : group->score.score_minutes, &line);
    show_line(view, &line,
              group->rcp.result.pass                            ? MLS_STYLE_PLAIN
              : group->rcp.result.match == MLS_RCP_TOO_FEW_RUNS ? MLS_STYLE_WARN
                                                                : MLS_STYLE_BAD);
}

static void show_seeds(mls_view *view, const mls_group *group)
{
    mls_buffer line = {0};
    if (group->seeds.check == MLS_CHECK_NOT_MADE) {
        return;
    }
    const mls_findings *problems = &group->seeds.findings;
    const size_t all = problems->counts.error + problems->counts.warning + problems->counts.advice;
    const mls_style look = group->seeds.check != MLS_CHECK_FAIL ? MLS_STYLE_WARN : MLS_STYLE_BAD;
    size_t shown = 0;
    if (group->seeds.check != MLS_CHECK_FAIL) {
        mls_buffer_append_text(&line, "seeds: ");
        mls_words_count(&line, (double)group->seeds.count);
        mls_buffer_append_text(
            &line, group->seeds.count > 1 && group->seeds.different == group->seeds.count ? ", all different" : "");
        show_line(view, &line, MLS_STYLE_PLAIN);
    }
    while (shown < problems->count && (view->verbose > 0 || shown < SEED_PROBLEMS_SHOWN)) {
        const mls_finding *problem = &problems->items[shown++];
        mls_buffer_printf(&line, "seeds: %s%s",
                          problem->severity == MLS_SEVERITY_ERROR ? "" : "warning: ", problem->message);
        show_line(view, &line, look);
    }
    if (all > shown) {
        mls_buffer_append_text(&line, "seeds: and ");
        mls_words_count(&line, (double)(all - shown));
        mls_buffer_append_text(&line, view->verbose == 0 ? " more (-v lists them)" : " more");
        show_line(view, &line, look);
    }
}

static void show_energy(mls_view *view, const mls_group *group)
{
    mls_buffer line = {0};
    if (group->power.joules == NULL) {
        return;
    }
    if (isnan(group->power.energy_joules)) {
        mls_buffer_append_text(&line, isnan(group->score.score_minutes) ? "energy: none without a score"
                                                                        : "energy: cannot be told");
    } else {
        mls_buffer_append_text(&line, "energy: ");
        mls_words_count(&line, floor(group->power.energy_joules + 0.5));
        mls_buffer_append_text(&line, " J (");
        mls_number_append_grouped(&line, group->power.energy_joules / 1000, 1);
        mls_buffer_append_text(&line, " kJ)");
    }
    show_line(view, &line, MLS_STYLE_PLAIN);
}

/* -------------------------------------------------------------- findings */

/* The findings of a run, but for the reason that stands in its row already (listed only with -v). */
static void add_run(mls_found *found, const mls_view *view, const mls_group *group, size_t index)
{
    const mls_run *run = group->runs[index];
    const mls_finding *noted = view->verbose == 0 ? mls_run_reason(run) : NULL;
    const mls_owner owner = {.path = name_below(group, run->file),
                             .result = mls_str_from(group->path),
                             .run = index + 1,
                             .runs = group->run_count};
    for (size_t i = 0; i < run->findings.count; i++) {
        if (&run->findings.items[i] != noted) {
            mls_found_add_one(found, &run->findings.items[i], owner, NULL);
        }
    }
}

static void show_group_findings(mls_view *view, const mls_group *group)
{
    const mls_found_look look = {.indent = INDENT, .hang = HANG, .named = true};
    mls_found found = {0};
    size_t lines = 0;
    for (size_t i = 0; i < group->findings.count; i++) {
        mls_finding finding = group->findings.items[i];
        finding.path = finding.path != NULL ? name_below(group, finding.path) : NULL;
        if (finding.code != MLS_FINDING_RUN_COUNT) {
            mls_found_add_one(&found, &finding, (mls_owner){0}, NULL);
        }
    }
    (void)mls_found_show(view, &found, MLS_SEVERITY_ALL, look, &lines);
    mls_found_finish(&found, view->output);
}

/* What is worst comes first, so that the limit never hides it. */
static void show_run_findings(mls_view *view, const mls_group *group)
{
    const mls_found_look look = {.indent = INDENT,
                                 .hang = HANG,
                                 .named = true,
                                 .together = true,
                                 .limit = view->verbose > 0 ? 0 : FINDINGS_SHOWN};
    mls_found found = {0};
    size_t lines = 0;
    size_t told = 0;
    size_t all = 0;
    for (size_t i = 0; i < group->run_count; i++) {
        const mls_finding_counts *counts = &group->runs[i]->findings.counts;
        add_run(&found, view, group, i);
        /* A list keeps only some of many findings and counts them all. */
        all += counts->error + counts->warning + counts->advice;
        all -= view->verbose == 0 && mls_run_reason(group->runs[i]) != NULL;
    }
    for (mls_severity severity = MLS_SEVERITY_ERROR; severity <= MLS_SEVERITY_ADVICE; severity++) {
        told += mls_found_show(view, &found, severity, look, &lines);
    }
    if (all > told) {
        mls_buffer line = {0};
        mls_buffer_append_text(&line, "and ");
        mls_words_plural(&line, all - told, "more finding", "more findings");
        mls_buffer_append_text(&line, view->verbose == 0 ? " (-v lists them)" : "");
        show_line(view, &line, MLS_STYLE_PLAIN);
    }
    mls_found_finish(&found, view->output);
}

/* Files that could not be read are errors, which the program tells elsewhere. */
static void show_skipped(mls_view *view, const mls_collection *collection)
{
    size_t count = 0;
    for (size_t i = 0; i < collection->skipped.count; i++) {
        count += !collection->skipped.items[i].failed;
    }
    if (count == 0 || view->quiet) {
        return;
    }
    /* Where nothing else is to be said, say why. */
    const bool listed = view->verbose > 0 || (collection->group_count == 0 && count <= SKIPPED_SHOWN);
    mls_output_text(view->output, collection->group_count > 0 ? "\n" : "");
    mls_output_printf(view->output, "skipped %zu %s%s\n", count, count == 1 ? "file" : "files",
                      listed       ? ""
                      : count == 1 ? " (-v says why)"
                                   : " (-v lists them)");
    /* Not broken at the width, so that a path can be copied. */
    mls_view whole = *view;
    whole.width = 0;
    for (size_t i = 0; i < collection->skipped.count && listed; i++) {
        if (!collection->skipped.items[i].failed) {
            mls_buffer line = {0};
            mls_buffer_printf(&line, "%s: %s", path_shown(collection->skipped.items[i].path),
                              collection->skipped.items[i].skip);
            show_line(&whole, &line, MLS_STYLE_PLAIN);
        }
    }
}

void mls_score_show(mls_printer *to, const void *what)
{
    const mls_collection *collection = what;
    mls_view *view = to->view;
    for (size_t i = 0; i < collection->group_count; i++) {
        const mls_group *group = &collection->groups[i];
        mls_output_text(view->output, i > 0 ? "\n" : "");
        show_headline(view, group);
        show_runs(view, group);
        mls_output_text(view->output, view->format == MLS_FORMAT_MARKDOWN ? "\n" : "");
        show_score(view, group);
        show_convergence(view, group);
        show_seeds(view, group);
        show_energy(view, group);
        show_group_findings(view, group);
        show_run_findings(view, group);
    }
    show_skipped(view, collection);
}
