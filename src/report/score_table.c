/* SPDX-License-Identifier: Apache-2.0 */
/*
 * score_table.c - a collection for a person: what was run, run by run, and
 * what it scores.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/utf8.h"
#include "report/score_report.h"
#include "report/table.h"
#include "report/words.h"

enum { COL_RUN, COL_LOG, COL_INIT, COL_TRAIN, COL_CONVERGE, COL_EVAL, COL_STATUS, COL_VALID, COL_COUNT };

/* Findings shown under a group without -v. */
enum { MLS_FINDINGS_SHOWN = 6 };

/* What is wrong with seeds is often wrong with all of them. */
enum { MLS_SEED_PROBLEMS_SHOWN = 4 };

/* Skipped files listed without -v when there is nothing but them. */
enum { MLS_SKIPPED_SHOWN = 10 };

enum { MLS_EVALUATION_DECIMALS = 5 };

/* Lines below a table, and what does not fit into one. */
enum { MLS_LINE_INDENT = 2, MLS_LINE_HANG = 6 };

/* What a path is called for a person. */
static const char *mls_path_shown(const char *path)
{
    return strcmp(path, "-") == 0 ? "standard input" : path;
}

/* What a file is called below the folder that its group is named by. */
static const char *mls_name_below(const mls_group *group, const char *path)
{
    const size_t len = strlen(group->path);
    if (strncmp(path, group->path, len) == 0 && path[len] == '/') {
        return path + len + 1;
    }
    const char *slash = strrchr(path, '/');
    return strcmp(path, group->path) == 0 && slash != NULL ? slash + 1 : mls_path_shown(path);
}

static const char *mls_log_name(const mls_group *group, const mls_run *run)
{
    return mls_name_below(group, run->file);
}

/* Prints a text that may come from a log or be a file's name, so that it reads as itself and changes nothing else. */
static bool mls_print_text(mls_output *output, mls_str text, mls_wrap wrap, mls_style look, mls_report_style style)
{
    mls_buffer escaped = {0};
    mls_escape_append(&escaped, text);
    if (style.list) {
        mls_output_markdown(output, mls_buffer_str(&escaped));
    } else {
        mls_output_wrapped(output, mls_buffer_str(&escaped), wrap, look, style.color);
    }
    const bool printed = !escaped.failed;
    mls_buffer_release(&escaped);
    return printed;
}

/* A text that all runs have the same of; NULL when they do not. */
static const char *mls_common_job(const mls_group *group)
{
    const char *job = group->runs[0]->job.job;
    for (size_t i = 1; i < group->run_count && job != NULL; i++) {
        const char *other = group->runs[i]->job.job;
        job = other != NULL && strcmp(job, other) == 0 ? job : NULL;
    }
    return job;
}

static double mls_common_nodes(const mls_group *group)
{
    for (size_t i = 1; i < group->run_count; i++) {
        if (group->runs[i]->job.node_count != group->runs[0]->job.node_count) {
            return (double)NAN;
        }
    }
    return group->runs[0]->job.node_count;
}

/* ": 18 nodes x 4 GPUs = 72   tp1 pp1 cp8 dp9" */
static void mls_headline_shape(mls_buffer *line, const mls_config_name *shape)
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

static bool mls_group_headline(const mls_group *group, mls_report_style style, mls_output *output)
{
    mls_buffer line = {0};
    const double nodes = mls_common_nodes(group);
    const char *job = mls_common_job(group);
    const mls_wrap whole = {.separator = " "};
    const mls_str benchmark = mls_str_from(group->benchmark != NULL ? group->benchmark : "unknown benchmark");
    mls_escape_append(&line, benchmark);
    const mls_wrap wrap = {.width = style.width,
                           .used = mls_display_width(mls_buffer_str(&line)),
                           .indent = MLS_LINE_INDENT,
                           .separator = "  "};
    bool ok = mls_print_text(output, benchmark, whole, MLS_STYLE_BOLD, style);
    mls_buffer_clear(&line);
    mls_buffer_printf(&line, "  %s  %s %s%s", group->division != NULL ? group->division : "no division",
                      mls_usage_name(group->usage), group->edition->name, group->edition_guessed ? " (by date)" : "");
    if (group->config != NULL) {
        mls_buffer_printf(&line, "   %s", group->config);
    }
    if (group->shape.gpus > 0) {
        mls_headline_shape(&line, &group->shape);
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
    ok = mls_print_text(output, mls_buffer_str(&line), wrap, MLS_STYLE_PLAIN, style) && ok && !line.failed;
    mls_output_text(output, "\n  ");
    ok = mls_print_text(output, mls_str_from(mls_path_shown(group->path)), whole, MLS_STYLE_DIM, style) && ok;
    mls_output_text(output, "\n");
    mls_buffer_release(&line);
    return ok;
}

static void mls_cell_words(mls_table *table, size_t column, mls_style style,
                           void (*word)(mls_buffer *buffer, double number), double number)
{
    mls_buffer text = {0};
    word(&text, number);
    mls_table_cell(table, column, style, "%s", text.ptr != NULL ? text.ptr : "");
    table->failed |= text.failed;
    mls_buffer_release(&text);
}

static void mls_words_evaluation(mls_buffer *buffer, double value)
{
    mls_words_fixed(buffer, value, MLS_EVALUATION_DECIMALS);
}

static void mls_row_note(mls_table *table, const mls_group *group, size_t index)
{
    const mls_run *run = group->runs[index];
    const mls_finding *reason = mls_run_reason(run);
    if (reason != NULL) {
        mls_table_note(table, MLS_STYLE_BAD, "%s", reason->message);
    } else if (group->marks[index] == MLS_OLYMPIC_OUTSIDE) {
        mls_table_note(table, MLS_STYLE_DIM, "outside the window");
    }
}

static void mls_run_row(mls_table *table, const mls_group *group, size_t index, bool several)
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
        mls_table_cell(table, COL_LOG, style, "%s:%zu", mls_log_name(group, run), run->line);
    } else {
        mls_table_cell(table, COL_LOG, style, "%s", mls_log_name(group, run));
    }
    mls_cell_words(table, COL_INIT, style, mls_words_clock, mls_run_init_minutes(run));
    mls_cell_words(table, COL_TRAIN, style, mls_words_minutes, mls_run_minutes(run));
    mls_cell_words(table, COL_CONVERGE, style, mls_words_count, converge);
    mls_cell_words(table, COL_EVAL, style, mls_words_evaluation, final_eval);
    const char *status = mls_run_status_name(run->status);
    mls_table_cell(table, COL_STATUS, style, "%s", status != NULL ? status : "-");
    mls_table_cell(table, COL_VALID, run->valid ? style : MLS_STYLE_BAD, "%s", run->valid ? "yes" : "no");
    mls_row_note(table, group, index);
}

static bool mls_group_table(const mls_group *group, mls_table *table, mls_column *columns)
{
    const char *unit = "samples";
    static const mls_column layout[COL_COUNT] = {
        [COL_RUN] = {"run", MLS_ALIGN_RIGHT, true, false},
        [COL_LOG] = {"log", MLS_ALIGN_LEFT, true, true},
        [COL_INIT] = {"init", MLS_ALIGN_RIGHT, false, false},
        [COL_TRAIN] = {"train (min)", MLS_ALIGN_DECIMAL, true, false},
        [COL_CONVERGE] = {"samples", MLS_ALIGN_DECIMAL, false, false},
        [COL_EVAL] = {"eval", MLS_ALIGN_DECIMAL, false, false},
        [COL_STATUS] = {"status", MLS_ALIGN_LEFT, false, false},
        [COL_VALID] = {"valid", MLS_ALIGN_LEFT, true, false},
    };
    bool several = false;
    memcpy(columns, layout, sizeof layout);
    for (size_t i = 0; i < group->run_count; i++) {
        if (!isnan(mls_run_to_converge(group->runs[i], &unit))) {
            columns[COL_CONVERGE].header = unit;
        }
        several |= i > 0 && strcmp(group->runs[i]->file, group->runs[i - 1]->file) == 0;
    }
    mls_table_init(table, columns, COL_COUNT, 2);
    for (size_t i = 0; i < group->run_count; i++) {
        mls_run_row(table, group, i, several);
    }
    return !table->failed;
}

/* ----------------------------------------------------------- score lines */

static void mls_line_window(mls_buffer *line, const mls_group *group)
{
    if (group->score.windowed && group->score.window_count < group->run_count) {
        mls_buffer_printf(line, " · window: runs %zu to %zu by start time", group->score.window_first + 1,
                          group->score.window_first + group->score.window_count);
    }
}

static void mls_line_mean(mls_buffer *line, const mls_group *group, const char *kind)
{
    mls_buffer_printf(line, " · %s ", kind);
    mls_words_minutes(line, group->score.score_minutes);
    mls_buffer_append_text(line, " min");
}

static size_t mls_group_valid_runs(const mls_group *group)
{
    size_t valid = 0;
    for (size_t i = 0; i < group->run_count; i++) {
        valid += group->runs[i]->valid;
    }
    return valid;
}

/* "10 of 10 runs, 1 dropped · olympic mean 1.586 min" and what else there is to say about it. */
static mls_style mls_line_score(mls_buffer *line, const mls_group *group)
{
    char kind[64];
    const size_t valid = mls_group_valid_runs(group);
    if (group->runs_needed > 0) {
        mls_buffer_printf(line, "%zu of %zu runs", group->run_count, group->runs_needed);
    } else {
        mls_words_plural(line, group->run_count, "run", "runs");
    }
    if (group->score.dropped > 0) {
        mls_buffer_printf(line, ", %zu dropped", group->score.dropped);
    }
    mls_line_window(line, group);
    switch (group->score.outcome) {
    case MLS_OLYMPIC_SCORED:
        if (group->runs_needed == 0) {
            mls_buffer_append_text(line, ": not an official score");
        }
        mls_line_mean(line, group, group->runs_needed > 0 ? "olympic mean" : "mean");
        return group->score.official ? MLS_STYLE_BOLD : MLS_STYLE_WARN;
    case MLS_OLYMPIC_TOO_FEW_RUNS:
        mls_buffer_append_text(line, ": not an official score");
        if (valid > 0) {
            (void)snprintf(kind, sizeof kind, valid == 1 ? "%zu valid run" : "mean of %zu valid runs", valid);
            mls_line_mean(line, group, kind);
        } else {
            mls_buffer_append_text(line, " · no valid run");
        }
        return MLS_STYLE_WARN;
    case MLS_OLYMPIC_TOO_MANY_RUNS:
        mls_buffer_append_text(line, ": not an official score");
        mls_line_mean(line, group, "olympic mean of all");
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

static void mls_line_spread(mls_buffer *line, const mls_group *group)
{
    if (group->has_spread) {
        mls_buffer_append_text(line, " · fastest ");
        mls_words_minutes(line, group->spread.min_minutes);
        mls_buffer_append_text(line, " · slowest ");
        mls_words_minutes(line, group->spread.max_minutes);
        mls_buffer_printf(line, " · spread %.1f %%", group->spread.variation * 100);
    }
}

/* One line, or where the terminal is too narrow for it several, indented and broken at blanks. */
static bool mls_print_line(mls_output *output, mls_buffer *line, mls_style look, mls_report_style style)
{
    /* The score line is a list, and broken as one. */
    const char *separator = mls_str_contains(mls_buffer_str(line), MLS_S(" · ")) ? " · " : " ";
    const mls_wrap wrap = {style.width, MLS_LINE_INDENT, MLS_LINE_HANG, separator};
    mls_output_printf(output, "%-*s", MLS_LINE_INDENT, style.list ? "-" : "");
    const bool printed = !line->failed && mls_print_text(output, mls_buffer_str(line), wrap, look, style);
    mls_output_text(output, "\n");
    mls_buffer_release(line);
    return printed;
}

/* Weak scaling has no olympic mean but "59 models, at least 10 needed · 32 accelerators each · all trained in …". */
static mls_style mls_line_weak(mls_buffer *line, const mls_group *group)
{
    const bool enough = group->weak_models > 0 && group->weak_models >= group->runs_needed;
    mls_buffer_append_text(line, "weak scaling: ");
    mls_words_plural(line, group->weak_models, "model", "models");
    mls_buffer_printf(line, ", at least %zu needed", group->runs_needed);
    if (group->score.dropped > 0) {
        mls_buffer_printf(line, ", %zu dropped", group->score.dropped);
    }
    mls_buffer_append_text(line, enough ? "" : ": not an official score");
    if (group->weak_models > 0) {
        mls_buffer_append_text(line, " · ");
        mls_words_count(line, group->weak_instance_scale);
        mls_buffer_append_text(line, " accelerators each · all trained in ");
        mls_words_minutes(line, group->weak_minutes);
        mls_buffer_append_text(line, " min");
    }
    return enough ? MLS_STYLE_BOLD : MLS_STYLE_WARN;
}

static bool mls_group_score_line(const mls_group *group, mls_report_style style, mls_output *output)
{
    mls_buffer line = {0};
    const mls_style look = group->weak ? mls_line_weak(&line, group) : mls_line_score(&line, group);
    mls_line_spread(&line, group);
    return mls_print_line(output, &line, look, style);
}

/* "reference convergence: pass: mean …", and the score that follows from it. */
static bool mls_group_rcp_line(const mls_group *group, mls_report_style style, mls_output *output)
{
    mls_buffer line = {0};
    if (group->rcp_set == NULL) {
        return true;
    }
    mls_buffer_append_text(&line, "reference convergence: ");
    mls_rcp_result_describe(&group->rcp, group->weak ? (double)NAN : group->score.score_minutes, &line);
    const mls_style look = group->rcp.pass                            ? MLS_STYLE_PLAIN
                           : group->rcp.match == MLS_RCP_TOO_FEW_RUNS ? MLS_STYLE_WARN
                                                                      : MLS_STYLE_BAD;
    return mls_print_line(output, &line, look, style);
}

static bool mls_group_seeds_line(const mls_group *group, mls_report_style style, mls_output *output)
{
    mls_buffer line = {0};
    if (!group->seeds_checked) {
        return true;
    }
    const mls_findings *problems = &group->seed_findings;
    const size_t all = problems->counts.error + problems->counts.warning + problems->counts.advice;
    const mls_style look = group->seeds_ok ? MLS_STYLE_WARN : MLS_STYLE_BAD;
    size_t shown = 0;
    bool ok = true;
    if (group->seeds_ok) {
        mls_buffer_append_text(&line, "seeds: ");
        mls_words_count(&line, (double)group->seeds);
        mls_buffer_append_text(&line,
                               group->seeds > 1 && group->seeds_different == group->seeds ? ", all different" : "");
        ok = mls_print_line(output, &line, MLS_STYLE_PLAIN, style);
    }
    while (shown < problems->count && (style.verbose > 0 || shown < MLS_SEED_PROBLEMS_SHOWN) && ok) {
        const mls_finding *problem = &problems->items[shown++];
        mls_buffer_printf(&line, "seeds: %s%s",
                          problem->severity == MLS_SEVERITY_ERROR ? "" : "warning: ", problem->message);
        ok = mls_print_line(output, &line, look, style);
    }
    if (ok && all > shown) {
        mls_buffer_append_text(&line, "seeds: and ");
        mls_words_count(&line, (double)(all - shown));
        mls_buffer_append_text(&line, style.verbose == 0 ? " more (-v lists them)" : " more");
        ok = mls_print_line(output, &line, look, style);
    }
    return ok;
}

static bool mls_group_energy_line(const mls_group *group, mls_report_style style, mls_output *output)
{
    mls_buffer line = {0};
    if (group->joules == NULL) {
        return true;
    }
    if (isnan(group->energy_joules)) {
        mls_buffer_append_text(&line, isnan(group->score.score_minutes) ? "energy: none without a score"
                                                                        : "energy: cannot be told");
    } else {
        mls_buffer_append_text(&line, "energy: ");
        mls_words_count(&line, floor(group->energy_joules + 0.5));
        mls_buffer_append_text(&line, " J (");
        mls_number_append_grouped(&line, group->energy_joules / 1000, 1);
        mls_buffer_append_text(&line, " kJ)");
    }
    return mls_print_line(output, &line, MLS_STYLE_PLAIN, style);
}

/* The lines below the table: the score and what was checked about it. */
static bool mls_group_lines(const mls_group *group, mls_report_style style, mls_output *output)
{
    return mls_group_score_line(group, style, output) && mls_group_rcp_line(group, style, output) &&
           mls_group_seeds_line(group, style, output) && mls_group_energy_line(group, style, output);
}

/* -------------------------------------------------------------- findings */

static bool mls_finding_line(const mls_finding *finding, const char *path, mls_report_style style, mls_output *output)
{
    mls_buffer line = {0};
    const mls_style look = finding->severity == MLS_SEVERITY_ERROR     ? MLS_STYLE_BAD
                           : finding->severity == MLS_SEVERITY_WARNING ? MLS_STYLE_WARN
                                                                       : MLS_STYLE_DIM;
    if (path != NULL) {
        mls_buffer_append_text(&line, path);
        if (finding->line > 0) {
            mls_buffer_printf(&line, ":%zu", finding->line);
        }
        if (finding->line > 0 && finding->column > 0) {
            mls_buffer_printf(&line, ":%zu", finding->column);
        }
        mls_buffer_append_text(&line, ": ");
    }
    if (finding->severity != MLS_SEVERITY_ERROR) {
        mls_buffer_printf(&line, "%s: ", mls_severity_name(finding->severity));
    }
    mls_buffer_printf(&line, "%s  [%s]", finding->message, mls_finding_info_get(finding->code)->name);
    return mls_print_line(output, &line, look, style);
}

/* One severity's findings of all runs, but for the reasons that stand in the rows already (listed only with -v). */
static bool mls_run_findings(const mls_group *group, mls_severity severity, mls_report_style style, mls_output *output,
                             size_t *shown)
{
    bool ok = true;
    for (size_t i = 0; i < group->run_count && ok; i++) {
        const mls_run *run = group->runs[i];
        const mls_finding *noted = style.verbose == 0 ? mls_run_reason(run) : NULL;
        for (size_t k = 0; k < run->findings.count && ok; k++) {
            const mls_finding *finding = &run->findings.items[k];
            if (finding->severity == severity && finding != noted &&
                (style.verbose > 0 || *shown < MLS_FINDINGS_SHOWN)) {
                ok = mls_finding_line(finding, mls_log_name(group, run), style, output);
                *shown += 1;
            }
        }
    }
    return ok;
}

/* What is worst comes first, so that the limit never hides it. */
static bool mls_group_findings(const mls_group *group, mls_report_style style, mls_output *output)
{
    size_t shown = 0;
    size_t all = 0;
    bool ok = true;
    for (size_t i = 0; i < group->findings.count && ok; i++) {
        const mls_finding *finding = &group->findings.items[i];
        if (finding->code != MLS_FINDING_RUN_COUNT) {
            const char *file = finding->path != NULL ? mls_name_below(group, finding->path) : NULL;
            ok = mls_finding_line(finding, file, style, output);
        }
    }
    ok = ok && mls_run_findings(group, MLS_SEVERITY_ERROR, style, output, &shown) &&
         mls_run_findings(group, MLS_SEVERITY_WARNING, style, output, &shown) &&
         mls_run_findings(group, MLS_SEVERITY_ADVICE, style, output, &shown);
    /* A list keeps only some of many findings and counts them all. */
    for (size_t i = 0; i < group->run_count; i++) {
        const mls_findings *findings = &group->runs[i]->findings;
        const bool noted = style.verbose == 0 && mls_run_reason(group->runs[i]) != NULL;
        all += findings->counts.error + findings->counts.warning + findings->counts.advice - noted;
    }
    if (all > shown) {
        mls_buffer line = {0};
        mls_buffer_append_text(&line, "and ");
        mls_words_plural(&line, all - shown, "more finding", "more findings");
        mls_buffer_append_text(&line, style.verbose == 0 ? " (-v lists them)" : "");
        ok = ok && mls_print_line(output, &line, MLS_STYLE_PLAIN, style);
    }
    return ok;
}

/* Files that could not be read are errors, which the program tells elsewhere. */
static bool mls_skipped_lines(const mls_collection *collection, mls_report_style style, mls_output *output)
{
    size_t count = 0;
    for (size_t i = 0; i < collection->skipped_count; i++) {
        count += !collection->skipped[i].failed;
    }
    bool ok = true;
    if (count == 0 || style.quiet) {
        return true;
    }
    /* Where nothing else is to be said, say why. */
    const bool listed = style.verbose > 0 || (collection->group_count == 0 && count <= MLS_SKIPPED_SHOWN);
    mls_output_text(output, collection->group_count > 0 ? "\n" : "");
    mls_output_printf(output, "skipped %zu %s%s\n", count, count == 1 ? "file" : "files",
                      listed       ? ""
                      : count == 1 ? " (-v says why)"
                                   : " (-v lists them)");
    /* Not broken at the width, so that a path can be copied. */
    style.width = 0;
    for (size_t i = 0; i < collection->skipped_count && listed && ok; i++) {
        if (!collection->skipped[i].failed) {
            mls_buffer line = {0};
            mls_buffer_printf(&line, "%s: %s", mls_path_shown(collection->skipped[i].path),
                              collection->skipped[i].reason);
            ok = mls_print_line(output, &line, MLS_STYLE_PLAIN, style);
        }
    }
    return ok;
}

bool mls_report_score_table(const mls_collection *collection, mls_report_style style, mls_output *output)
{
    bool ok = true;
    for (size_t i = 0; i < collection->group_count && ok; i++) {
        const mls_group *group = &collection->groups[i];
        mls_table table;
        mls_column columns[COL_COUNT];
        if (i > 0) {
            mls_output_text(output, "\n");
        }
        ok = mls_group_headline(group, style, output);
        ok = mls_group_table(group, &table, columns) && ok;
        if (ok) {
            mls_table_print(&table, output, style.width, style.color);
        }
        mls_table_release(&table);
        ok = ok && mls_group_lines(group, style, output) && mls_group_findings(group, style, output);
    }
    return ok && mls_skipped_lines(collection, style, output);
}

bool mls_report_score_markdown(const mls_collection *collection, mls_report_style style, mls_output *output)
{
    bool ok = true;
    /* Neither a terminal's width nor its colours matter here. */
    style.width = 0;
    style.color = false;
    style.list = true;
    for (size_t i = 0; i < collection->group_count && ok; i++) {
        const mls_group *group = &collection->groups[i];
        mls_table table;
        mls_column columns[COL_COUNT];
        mls_output_text(output, i > 0 ? "\n### " : "### ");
        ok = mls_group_headline(group, style, output);
        mls_output_text(output, "\n");
        ok = mls_group_table(group, &table, columns) && ok;
        if (ok) {
            mls_table_print_markdown(&table, output);
        }
        mls_table_release(&table);
        mls_output_text(output, "\n");
        ok = ok && mls_group_lines(group, style, output) && mls_group_findings(group, style, output);
    }
    return ok && mls_skipped_lines(collection, style, output);
}
