/* SPDX-License-Identifier: Apache-2.0 */
/* score_report.c - a collection of groups: what was run, run by run, and what it scores. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/number.h"
#include "report/reports.h"
#include "report/table.h"
#include "slurm/slurm.h"

/* -------------------------------------------------------------- for people */

/* Without -v: lines of findings under a group; of seeds, where what is wrong is often wrong with all; skipped files. */
enum { FINDINGS_SHOWN = 6, SEED_PROBLEMS_SHOWN = 4, SKIPPED_SHOWN = 10 };

/* Lines below a table, and what does not fit into one. */
enum { INDENT = 2, HANG = 6, EVALUATION_DECIMALS = 5 };

const char *mls_path_shown(const char *path)
{
    return strcmp(path, "-") == 0 ? "standard input" : path;
}

const char *mls_group_name_below(const mls_group *group, const char *path)
{
    const size_t len = strlen(group->path);
    if (strncmp(path, group->path, len) == 0 && path[len] == '/') {
        return path + len + 1;
    }
    const char *slash = strrchr(path, '/');
    return strcmp(path, group->path) == 0 && slash != NULL ? slash + 1 : mls_path_shown(path);
}

void mls_group_show_headline(mls_view *view, const mls_group *group)
{
    const bool markdown = view->format == MLS_FORMAT_MARKDOWN;
    const char *division = mls_division_name(group->division);
    const mls_config_name *shape = &group->shape;
    const char *job = group->runs[0]->job.job; /* and nodes, where all runs have the same */
    double nodes = group->runs[0]->job.node_count;
    mls_buffer line = {0};
    for (size_t i = 1; i < group->run_count; i++) {
        const mls_job *other = &group->runs[i]->job;
        job = job != NULL && other->job != NULL && strcmp(job, other->job) == 0 ? job : NULL;
        nodes = other->node_count == nodes ? nodes : (double)NAN;
    }
    mls_buffer_printf(&line, "  %s  %s %s%s", division != NULL ? division : "no division", mls_usage_name(group->usage),
                      group->edition->name, group->edition_by_date ? " (by date)" : "");
    if (group->config != NULL) {
        mls_buffer_printf(&line, "   %s", group->config);
    }
    if (shape->gpus > 0) {
        mls_buffer_printf(&line, ": %" PRIu64 " %s x %" PRIu64 " GPUs = %" PRIu64, shape->nodes,
                          shape->nodes == 1 ? "node" : "nodes", shape->gpus_per_node, shape->gpus);
    } else if (!isnan(nodes)) {
        mls_buffer_printf(&line, "   %s", mls_words_plural((size_t)nodes, "node", "nodes").text);
    }
    if (shape->gpus > 0 && shape->data_parallel > 0) {
        mls_buffer_printf(&line, "   tp%" PRIu64 " pp%" PRIu64 " cp%" PRIu64 " dp%" PRIu64,
                          shape->tensor_parallel > 0 ? shape->tensor_parallel : 1,
                          shape->pipeline_parallel > 0 ? shape->pipeline_parallel : 1,
                          shape->context_parallel > 0 ? shape->context_parallel : 1, shape->data_parallel);
    }
    if (job != NULL) {
        mls_buffer_printf(&line, "   job %s", job);
    }
    if (!isnan(group->global_batch_size)) {
        mls_buffer_printf(&line, "   batch %s", mls_words_count(group->global_batch_size).text);
    }
    mls_output_text(view->output, markdown ? "### " : "");
    mls_view_headline(view, mls_str_from(group->benchmark != NULL ? group->benchmark : "unknown benchmark"), &line,
                      INDENT);
    mls_output_text(view->output, "  ");
    mls_view_text(view, MLS_STYLE_DIM, "%s", mls_path_shown(group->path));
    mls_output_text(view->output, markdown ? "\n\n" : "\n");
}

/* `several` runs are in one file; `unit` is what took them so long to converge. */
static void add_run_row(mls_table *table, const mls_group *group, size_t index, bool several, const char *unit)
{
    enum { RIGHT = MLS_COLUMN_RIGHT, DECIMAL = MLS_COLUMN_DECIMAL, KEEP = MLS_COLUMN_KEEP };
    const mls_run *run = group->runs[index];
    const mls_finding *reason = mls_run_reason(run);
    const bool outside = group->marks[index] == MLS_OLYMPIC_OUTSIDE;
    const mls_style style = outside ? MLS_STYLE_DIM : MLS_STYLE_PLAIN;
    const char *status = mls_run_status_name(run->status);
    mls_table_row(table);
    mls_table_cell(table, "run", RIGHT | KEEP, style, "%zu", index + 1);
    mls_table_cell(table, "log", KEEP | MLS_COLUMN_CUT, style, several ? "%s:%zu" : "%s",
                   mls_group_name_below(group, run->file), run->line);
    mls_table_cell(table, "init", RIGHT, style, "%s", mls_words_clock(mls_run_init_minutes(run)).text);
    mls_table_cell(table, "train (min)", DECIMAL | KEEP, style, "%s", mls_words_minutes(mls_run_minutes(run)).text);
    mls_table_cell(table, unit, DECIMAL, style, "%s", mls_words_count(mls_run_to_converge(run).number).text);
    mls_table_cell(table, "eval", DECIMAL, style, "%s",
                   mls_words_fixed(run->last_evaluation.value, EVALUATION_DECIMALS).text);
    mls_table_cell(table, "status", 0, style, "%s", status != NULL ? status : "-");
    mls_table_cell(table, "valid", KEEP, run->valid ? style : MLS_STYLE_BAD, run->valid ? "yes" : "no");
    if (reason != NULL) {
        mls_table_note(table, MLS_STYLE_BAD, "%s", reason->message);
    } else if (outside) {
        mls_table_note(table, MLS_STYLE_DIM, "outside the window");
    }
}

static void show_runs(mls_view *view, const mls_group *group)
{
    const char *unit = "samples";
    mls_table table = {.indent = 2};
    bool several = false;
    for (size_t i = 0; i < group->run_count; i++) {
        const mls_convergence own = mls_run_to_converge(group->runs[i]);
        unit = isnan(own.number) ? unit : own.unit;
        several |= i > 0 && strcmp(group->runs[i]->file, group->runs[i - 1]->file) == 0;
    }
    for (size_t i = 0; i < group->run_count; i++) {
        add_run_row(&table, group, i, several, unit);
    }
    mls_table_finish(&table, view);
    mls_output_text(view->output, view->format == MLS_FORMAT_MARKDOWN ? "\n" : "");
}

/* "10 of 10 runs, 1 dropped · olympic mean 1.586 min" and what else there is to say about it. */
static mls_style line_score(mls_buffer *line, const mls_group *group)
{
    static const char *const no_score[] = {[MLS_OLYMPIC_TOO_MANY_DROPPED] = "more runs dropped than the rules forgive",
                                           [MLS_OLYMPIC_NOTHING_LEFT] = "nothing left to average",
                                           [MLS_OLYMPIC_NO_WINDOW] = "at least half of the windows drop too many runs"};
    const mls_olympic_result *score = &group->score;
    const unsigned needed = group->rules->runs_needed;
    size_t valid = 0;
    for (size_t i = 0; i < group->run_count; i++) {
        valid += group->runs[i]->valid;
    }
    if (needed > 0) {
        mls_buffer_printf(line, "%zu of %u runs", group->run_count, needed);
    } else {
        mls_buffer_append_text(line, mls_words_plural(group->run_count, "run", "runs").text);
    }
    if (score->dropped > 0) {
        mls_buffer_printf(line, ", %zu dropped", score->dropped);
    }
    if (score->windowed && score->window_count < group->run_count) {
        mls_buffer_printf(line, " · window: runs %zu to %zu by start time", score->window_first + 1,
                          score->window_first + score->window_count);
    }
    if (score->outcome > MLS_OLYMPIC_TOO_MANY_RUNS) {
        mls_buffer_printf(line, ": no score · %s", no_score[score->outcome]);
        return MLS_STYLE_BAD;
    }
    const bool counts = score->official && needed > 0;
    const bool too_few = score->outcome == MLS_OLYMPIC_TOO_FEW_RUNS;
    mls_buffer_append_text(line, counts ? " · " : ": not an official score · ");
    if (too_few && valid == 0) {
        mls_buffer_append_text(line, "no valid run");
        return MLS_STYLE_WARN;
    }
    if (too_few) {
        mls_buffer_printf(line, valid == 1 ? "%zu valid run" : "mean of %zu valid runs", valid);
    } else {
        mls_buffer_append_text(line, counts ? "olympic mean" : score->official ? "mean" : "olympic mean of all");
    }
    mls_buffer_printf(line, " %s min", mls_words_minutes(score->score_minutes).text);
    return score->official ? MLS_STYLE_BOLD : MLS_STYLE_WARN;
}

/* Weak scaling has no olympic mean but "59 models, at least 10 needed · 32 accelerators each · all trained in …". */
static mls_style line_weak(mls_buffer *line, const mls_group *group)
{
    const bool enough = group->weak.check == MLS_CHECK_PASS;
    mls_buffer_printf(line, "weak scaling: %s, at least %u needed",
                      mls_words_plural(group->weak.models, "model", "models").text, group->rules->runs_needed);
    if (group->score.dropped > 0) {
        mls_buffer_printf(line, ", %zu dropped", group->score.dropped);
    }
    mls_buffer_append_text(line, enough ? "" : ": not an official score");
    if (group->weak.models > 0) {
        mls_buffer_printf(line, " · %s accelerators each · all trained in %s min",
                          mls_words_count(group->weak.instance_scale).text,
                          mls_words_minutes(group->weak.minutes).text);
    }
    return enough ? MLS_STYLE_BOLD : MLS_STYLE_WARN;
}

static void show_score(mls_view *view, const mls_group *group)
{
    mls_buffer line = {0};
    const mls_style look = group->weak.check != MLS_CHECK_NOT_MADE ? line_weak(&line, group) : line_score(&line, group);
    if (group->has_spread) {
        mls_buffer_printf(&line, " · fastest %s · slowest %s · spread %.1f %%",
                          mls_words_minutes(group->spread.min_minutes).text,
                          mls_words_minutes(group->spread.max_minutes).text, group->spread.variation * 100);
    }
    mls_view_line(view, &line, look, INDENT, HANG);
}

/* "reference convergence: pass: mean …", and the score that follows from it. */
static void show_convergence(mls_view *view, const mls_group *group)
{
    const mls_rcp_result *result = &group->rcp.result;
    const mls_style worse = result->match == MLS_RCP_TOO_FEW_RUNS ? MLS_STYLE_WARN : MLS_STYLE_BAD;
    const bool weak = group->weak.check != MLS_CHECK_NOT_MADE;
    mls_buffer line = {0};
    if (group->rcp.check == MLS_CHECK_NOT_MADE) {
        return;
    }
    mls_buffer_append_text(&line, "reference convergence: ");
    mls_rcp_result_describe(result, weak ? (double)NAN : group->score.score_minutes, &line);
    mls_view_line(view, &line, result->pass ? MLS_STYLE_PLAIN : worse, INDENT, HANG);
}

static void show_seeds(mls_view *view, const mls_group *group)
{
    const mls_seed_outcome *seeds = &group->seeds;
    const mls_findings *problems = &seeds->findings;
    const size_t all = problems->counts.error + problems->counts.warning + problems->counts.advice;
    const mls_style look = seeds->check != MLS_CHECK_FAIL ? MLS_STYLE_WARN : MLS_STYLE_BAD;
    size_t shown = 0;
    if (seeds->check == MLS_CHECK_NOT_MADE) {
        return;
    }
    if (seeds->check != MLS_CHECK_FAIL) {
        mls_view_printf(view, MLS_STYLE_PLAIN, INDENT, HANG, "seeds: %s%s", mls_words_count((double)seeds->count).text,
                        seeds->count > 1 && seeds->different == seeds->count ? ", all different" : "");
    }
    for (; shown < problems->count && (view->verbose > 0 || shown < SEED_PROBLEMS_SHOWN); shown++) {
        const mls_finding *problem = &problems->items[shown];
        mls_view_printf(view, look, INDENT, HANG, "seeds: %s%s",
                        problem->severity == MLS_SEVERITY_ERROR ? "" : "warning: ", problem->message);
    }
    if (all > shown) {
        mls_view_printf(view, look, INDENT, HANG, "seeds: and %s more%s", mls_words_count((double)(all - shown)).text,
                        view->verbose == 0 ? " (-v lists them)" : "");
    }
}

static void show_energy(mls_view *view, const mls_group *group)
{
    const double joules = group->power.energy_joules;
    if (group->power.joules == NULL) {
        return;
    }
    if (isnan(joules)) {
        mls_view_printf(view, MLS_STYLE_PLAIN, INDENT, HANG, "energy: %s",
                        isnan(group->score.score_minutes) ? "none without a score" : "cannot be told");
    } else {
        mls_view_printf(view, MLS_STYLE_PLAIN, INDENT, HANG, "energy: %s J (%s kJ)",
                        mls_words_count(floor(joules + 0.5)).text, mls_words_grouped(joules / 1000, 1).text);
    }
}

static void show_group_findings(mls_view *view, const mls_group *group)
{
    const mls_found_look look = {.indent = INDENT, .hang = HANG, .named = true};
    mls_found found = {0};
    for (size_t i = 0; i < group->findings.count; i++) {
        mls_finding finding = group->findings.items[i];
        finding.path = finding.path != NULL ? mls_group_name_below(group, finding.path) : NULL;
        if (finding.code != MLS_FINDING_RUN_COUNT) {
            mls_found_add_one(&found, &finding, (mls_owner){0}, NULL);
        }
    }
    (void)mls_found_show(view, &found, look);
}

/* Adds the findings of a run, but for the reason that stands in its row already (listed only with -v); how many. */
static size_t add_run(mls_found *found, const mls_view *view, const mls_group *group, size_t index)
{
    const mls_run *run = group->runs[index];
    const mls_finding_counts *counts = &run->findings.counts;
    const mls_finding *noted = view->verbose == 0 ? mls_run_reason(run) : NULL;
    const mls_owner owner = {.path = mls_group_name_below(group, run->file),
                             .result = mls_str_from(group->path),
                             .run = index + 1,
                             .runs = group->run_count};
    for (size_t i = 0; i < run->findings.count; i++) {
        if (&run->findings.items[i] != noted) {
            mls_found_add_one(found, &run->findings.items[i], owner, NULL);
        }
    }
    return counts->error + counts->warning + counts->advice - (noted != NULL);
}

static void show_run_findings(mls_view *view, const mls_group *group)
{
    const bool brief = view->verbose == 0;
    mls_found_look look = {.indent = INDENT, .hang = HANG, .named = true, .together = true, .sorted = true};
    mls_found found = {0};
    size_t all = 0; /* a list keeps only some of many findings and counts them all */
    for (size_t i = 0; i < group->run_count; i++) {
        all += add_run(&found, view, group, i);
    }
    look.limit = brief ? FINDINGS_SHOWN : 0;
    const size_t told = mls_found_show(view, &found, look);
    if (all > told) {
        mls_view_printf(view, MLS_STYLE_PLAIN, INDENT, HANG, "and %s%s",
                        mls_words_plural(all - told, "more finding", "more findings").text,
                        brief ? " (-v lists them)" : "");
    }
}

/* What is valid, and the score, follow the rules with --strict too; what makes the command fail is said. */
static void show_strict(mls_view *view, const mls_group *group)
{
    const mls_finding_counts counts = mls_group_found(group);
    if (view->strict && !mls_findings_pass(&counts, true)) {
        mls_buffer line = {0};
        mls_buffer_append_text(&line, "fails with --strict");
        mls_found_append_counts(&line, ": ", &counts);
        mls_view_line(view, &line, MLS_STYLE_BAD, INDENT, HANG);
    }
}

void mls_collection_show_skipped(mls_view *view, const mls_collection *collection)
{
    const size_t count = collection->skipped.count - collection->failed;
    if (count == 0 || view->quiet) {
        return;
    }
    /* Where nothing else is to be said, say why. */
    const bool listed = view->verbose > 0 || (collection->group_count == 0 && count <= SKIPPED_SHOWN);
    const char *hint = listed ? "" : count == 1 ? " (-v says why)" : " (-v lists them)";
    mls_output_printf(view->output, "%sskipped %zu %s%s\n", collection->group_count > 0 ? "\n" : "", count,
                      count == 1 ? "file" : "files", hint);
    for (size_t i = 0; i < collection->skipped.count && listed; i++) {
        const mls_source *skipped = &collection->skipped.items[i];
        if (!skipped->failed) {
            mls_view_printf(view, MLS_STYLE_PLAIN, INDENT, 0, "%s: %s", mls_path_shown(skipped->path), skipped->skip);
        }
    }
}

static void show_collection(mls_printer *to, const void *what)
{
    const mls_collection *collection = what;
    for (size_t i = 0; i < collection->group_count; i++) {
        const mls_group *group = &collection->groups[i];
        mls_output_text(to->view->output, i > 0 ? "\n" : "");
        mls_group_show_headline(to->view, group);
        show_runs(to->view, group);
        show_score(to->view, group);
        show_convergence(to->view, group);
        show_seeds(to->view, group);
        show_energy(to->view, group);
        show_group_findings(to->view, group);
        show_run_findings(to->view, group);
        show_strict(to->view, group);
    }
    mls_collection_show_skipped(to->view, collection);
}

/* ------------------------------------------------------------- for programs */

typedef struct run_place {
    const mls_group *group;
    const mls_run *run;
    size_t index;
} run_place;

static void emit_nodes(mls_emitter *to, const mls_run *run)
{
    mls_buffer names = {0};
    if (run->job.node_list == NULL) {
        mls_emit_null(to);
        return;
    }
    (void)mls_hosts_expand(mls_str_from(run->job.node_list), &names);
    mls_emit_open(to, '[');
    for (size_t at = 0; at < names.len; at += strlen(names.ptr + at) + 1) {
        mls_emit_str(to, mls_str_from(names.ptr + at));
    }
    mls_emit_close(to, ']');
    mls_output_drop(to->output, &names);
}

/* Seeds as they were logged: a number where it is one, else its text. */
static void emit_seeds(mls_emitter *to, const mls_run *run)
{
    double number;
    mls_emit_open(to, '[');
    for (size_t i = 0; i < run->seed_count; i++) {
        if (mls_number_parse(run->seeds[i].value, &number) && isfinite(number)) {
            mls_emit_number(to, number);
        } else {
            mls_emit_str(to, run->seeds[i].value);
        }
    }
    mls_emit_close(to, ']');
}

#define PARTS_FIELDS(F)                                                                                                \
    F(parts, by, TEXT, "", mls_parts_by_name(row->by))                                                                 \
    F(parts, training_ms, NUMBER, "ms", row->ms[MLS_PART_TRAINING])                                                    \
    F(parts, evaluation_ms, NUMBER_OR_NULL, "ms",                                                                      \
      row->evaluation_delimited ? row->ms[MLS_PART_EVALUATION] : (double)NAN)                                          \
    F(parts, evaluations, NUMBER_OR_NULL, "", row->evaluation_delimited ? (double)row->evaluations : (double)NAN)      \
    F(parts, startup_ms, NUMBER, "ms", row->ms[MLS_PART_STARTUP])                                                      \
    F(parts, between_ms, NUMBER, "ms", row->ms[MLS_PART_BETWEEN])                                                      \
    F(parts, tail_ms, NUMBER, "ms", row->ms[MLS_PART_TAIL])
MLS_FIELDS(parts, mls_parts, PARTS_FIELDS)

#define RUN_FIELDS(F)                                                                                                  \
    F(run, file, TEXT, "", row->run->file)                                                                             \
    F(run, line, NUMBER, "", row->run->line)                                                                           \
    F(run, start_ms, NUMBER_OR_NULL, "ms", row->run->run_start.time_ms)                                                \
    F(run, stop_ms, NUMBER_OR_NULL, "ms", row->run->run_stop.time_ms)                                                  \
    F(run, minutes, NUMBER_OR_NULL, "minutes", mls_run_minutes(row->run))                                              \
    F(run, status, TEXT_OR_NULL, "", mls_run_status_name(row->run->status))                                            \
    F(run, valid, BOOL, "", row->run->valid)                                                                           \
    F(run, counted, TEXT, "", mls_olympic_mark_name(row->group->marks[row->index]))                                    \
    F(run, to_converge, NUMBER_OR_NULL, "", mls_run_to_converge(row->run).number)                                      \
    F(run, unit, TEXT, "", mls_run_to_converge(row->run).unit)                                                         \
    F(run, final_eval, NUMBER_OR_NULL, "", row->run->last_evaluation.value)                                            \
    F(run, init_minutes, NUMBER_OR_NULL, "minutes", mls_run_init_minutes(row->run))                                    \
    F(run, throughput, NUMBER_OR_NULL, "samples/s",                                                                    \
      row->run->throughputs > 0 ? row->run->throughput / (double)row->run->throughputs : (double)NAN)                  \
    F(run, seed, ARRAY, "", emit_seeds(to, row->run))                                                                  \
    F(run, joules, NUMBER_OR_NULL, "joules",                                                                           \
      row->group->power.joules != NULL ? row->group->power.joules[row->index] : (double)NAN)                           \
    F(run, parts, OBJECT_OR_NULL, "",                                                                                  \
      mls_emit_object(to, &parts_fields, row->run->has_parts ? &row->run->parts : NULL))                               \
    F(run, job, TEXT_OR_NULL, "", row->run->job.job)                                                                   \
    F(run, nodes, ARRAY_OR_NULL, "", emit_nodes(to, row->run))                                                         \
    F(run, records, NUMBER, "", row->run->records)                                                                     \
    F(run, malformed, NUMBER, "", row->run->malformed)
MLS_FIELDS(run, run_place, RUN_FIELDS)

/* What only CSV has, and what it has in another way. */
#define RUN_CSV_FIELDS(F)                                                                                              \
    F(run_csv, node_count, NUMBER_OR_NULL, "", row->run->job.node_count)                                               \
    F(run_csv, unit, TEXT_OR_NULL, "",                                                                                 \
      isnan(mls_run_to_converge(row->run).number) ? NULL : mls_run_to_converge(row->run).unit)
MLS_FIELDS(run_csv, run_place, RUN_CSV_FIELDS)

#define SPREAD_FIELDS(F)                                                                                               \
    F(spread, min_minutes, NUMBER, "minutes", row->min_minutes)                                                        \
    F(spread, max_minutes, NUMBER, "minutes", row->max_minutes)                                                        \
    F(spread, mean_minutes, NUMBER, "minutes", row->mean_minutes)                                                      \
    F(spread, stdev_minutes, NUMBER, "minutes", row->stdev_minutes)                                                    \
    F(spread, variation, NUMBER, "", row->variation)
MLS_FIELDS(spread, mls_spread, SPREAD_FIELDS)

#define WINDOW_FIELDS(F)                                                                                               \
    F(window, first, NUMBER, "", row->window_first)                                                                    \
    F(window, count, NUMBER, "", row->window_count)
MLS_FIELDS(window, mls_olympic_result, WINDOW_FIELDS)

#define ENERGY_FIELDS(F) F(energy, joules, NUMBER_OR_NULL, "joules", row->energy_joules)
MLS_FIELDS(energy, mls_power_outcome, ENERGY_FIELDS)
#define WEAK_FIELDS(F)                                                                                                 \
    F(weak, models, NUMBER, "", row->models)                                                                           \
    F(weak, instance_scale, NUMBER_OR_NULL, "", row->instance_scale)                                                   \
    F(weak, time_to_train_all_minutes, NUMBER_OR_NULL, "minutes", row->minutes)
MLS_FIELDS_AS(, mls_weak_fields, weak, mls_weak_outcome, WEAK_FIELDS)
#define VERDICT_FIELDS(F) F(verdict, pass, BOOL, "", row->result.pass) MLS_VERDICT_FIELDS(F)
MLS_FIELDS(verdict, mls_rcp_outcome, VERDICT_FIELDS)

#define SEEDS_FIELDS(F)                                                                                                \
    F(seeds, ok, BOOL, "", row->check != MLS_CHECK_FAIL)                                                               \
    F(seeds, problems, ARRAY, "",                                                                                      \
      MLS_EMIT_LIST(to, row->findings.count, mls_emit_text(to, row->findings.items[i].message)))
MLS_FIELDS(seeds, mls_seed_outcome, SEEDS_FIELDS)

static void emit_group_findings(mls_emitter *to, const mls_group *group)
{
    mls_found found = {0};
    mls_found_add(&found, &group->findings, (mls_owner){.path = group->path}, NULL);
    for (size_t i = 0; i < group->run_count; i++) {
        mls_found_add(&found, &group->runs[i]->findings, (mls_owner){.path = group->runs[i]->file}, NULL);
    }
    mls_emit_found(to, found);
}

#define GROUP_FIELDS(F)                                                                                                \
    F(group, path, TEXT, "", row->path)                                                                                \
    F(group, benchmark, TEXT_OR_NULL, "", row->benchmark)                                                              \
    F(group, division, TEXT_OR_NULL, "", mls_division_name(row->division))                                             \
    F(group, usage, TEXT, "", mls_usage_name(row->usage))                                                              \
    F(group, edition, TEXT, "", row->edition->name)                                                                    \
    F(group, edition_guessed, BOOL, "", row->edition_guessed)                                                          \
    F(group, config, TEXT_OR_NULL, "", row->config)                                                                    \
    F(group, global_batch_size, NUMBER_OR_NULL, "", row->global_batch_size)                                            \
    F(group, accelerators, NUMBER_OR_NULL, "", row->accelerators)                                                      \
    F(group, accelerator, TEXT_OR_NULL, "", row->accelerator)                                                          \
    F(group, runs, ARRAY, "",                                                                                          \
      MLS_EMIT_LIST(to, row->run_count, mls_emit_object(to, &run_fields, &(run_place){row, row->runs[i], i})))         \
    F(group, runs_needed, COUNT_OR_NULL, "", row->rules->runs_needed)                                                  \
    F(group, dropped, NUMBER, "", row->score.dropped)                                                                  \
    F(group, official, BOOL, "", row->score.official)                                                                  \
    F(group, score_minutes, NUMBER_OR_NULL, "minutes", row->score.score_minutes)                                       \
    F(group, scale, NUMBER, "", row->scale)                                                                            \
    F(group, scaled_minutes, NUMBER_OR_NULL, "minutes", row->scaled_minutes)                                           \
    F(group, rcp, OBJECT_OR_NULL, "", MLS_EMIT_MADE(to, &verdict_fields, &row->rcp, row->rcp.check))                   \
    F(group, seeds, OBJECT, "", mls_emit_object(to, &seeds_fields, &row->seeds))                                       \
    F(group, spread, OBJECT_OR_NULL, "", mls_emit_object(to, &spread_fields, row->has_spread ? &row->spread : NULL))   \
    F(group, window, OBJECT_OR_NULL, "",                                                                               \
      mls_emit_object(to, &window_fields, row->score.windowed ? &row->score : NULL))                                   \
    F(group, energy, OBJECT_OR_NULL, "",                                                                               \
      mls_emit_object(to, &energy_fields, row->power.joules != NULL ? &row->power : NULL))                             \
    F(group, weak_scaling, OBJECT_OR_NULL, "", MLS_EMIT_MADE(to, &mls_weak_fields, &row->weak, row->weak.check))       \
    F(group, findings, ARRAY, "", emit_group_findings(to, row))
MLS_FIELDS(group, mls_group, GROUP_FIELDS)

/* A check that was not made leaves its columns empty. */
#define GROUP_CSV_FIELDS(F)                                                                                            \
    F(group_csv, rcp_pass, BOOL_OR_NULL, "",                                                                           \
      (row->rcp.check != MLS_CHECK_NOT_MADE ? mls_emit_bool(to, row->rcp.result.pass) : mls_emit_null(to)))            \
    F(group_csv, rcp_message, TEXT_OR_NULL, "", row->rcp.check != MLS_CHECK_NOT_MADE ? row->rcp.result.message : NULL) \
    F(group_csv, seeds_ok, BOOL_OR_NULL, "",                                                                           \
      (row->seeds.check != MLS_CHECK_NOT_MADE ? mls_emit_bool(to, row->seeds.check != MLS_CHECK_FAIL)                  \
                                              : mls_emit_null(to)))                                                    \
    F(group_csv, energy_joules, NUMBER_OR_NULL, "joules",                                                              \
      row->power.joules != NULL ? row->power.energy_joules : (double)NAN)
MLS_FIELDS(group_csv, mls_group, GROUP_CSV_FIELDS)

static const mls_columns score_columns = {
    "SCORE CSV",
    "path benchmark division usage edition config global_batch_size score_minutes official dropped file line start_ms "
    "stop_ms minutes status valid counted to_converge unit final_eval init_minutes throughput job node_count scale "
    "scaled_minutes rcp_pass rcp_message seeds_ok joules energy_joules",
    {&group_csv_fields, &run_csv_fields, &group_fields, &run_fields},
    0};

#define SKIPPED_FIELDS(F)                                                                                              \
    F(skipped, file, TEXT, "", row->path)                                                                              \
    F(skipped, reason, TEXT, "", row->skip)                                                                            \
    F(skipped, failed, BOOL, "", row->failed)
MLS_FIELDS(skipped, mls_source, SKIPPED_FIELDS)
#define COLLECTION_FIELDS(F)                                                                                           \
    F(collection, groups, ARRAY, "", MLS_EMIT_ROWS(group, row->groups, row->group_count))                              \
    F(collection, skipped, ARRAY, "", MLS_EMIT_ROWS(skipped, row->skipped.items, row->skipped.count))
MLS_FIELDS(collection, mls_collection, COLLECTION_FIELDS)

static const mls_fields *const tables[] = {&collection_fields, &group_fields,    &run_fields,     &verdict_fields,
                                           &seeds_fields,      &spread_fields,   &parts_fields,   &window_fields,
                                           &energy_fields,     &mls_weak_fields, &skipped_fields, NULL};

static void group_lines(mls_emitter *to, const void *what)
{
    const mls_collection *collection = what;
    for (size_t i = 0; i < collection->group_count; i++) {
        mls_emit_object(to, &group_fields, &collection->groups[i]);
        mls_emit_end(to);
    }
}

static void run_rows(mls_emitter *to, const void *what)
{
    const mls_collection *collection = what;
    for (size_t i = 0; i < collection->group_count; i++) {
        const mls_group *group = &collection->groups[i];
        for (size_t k = 0; k < group->run_count; k++) {
            const run_place run = {group, group->runs[k], k};
            mls_emit_row(to, &score_columns, (const void *[]){group, &run, group, &run});
        }
    }
}

const mls_report mls_score_report = {.section = "SCORE JSON",
                                     .show = show_collection,
                                     .object = &collection_fields,
                                     .tables = tables,
                                     .lines = group_lines,
                                     .columns = &score_columns,
                                     .rows = run_rows};
