/* SPDX-License-Identifier: Apache-2.0 */
/* score_report.c - groups of runs: a table of runs, the score, the findings and the Slurm jobs. */
#include <inttypes.h>
#include <math.h>

#include "base/number.h"
#include "base/words.h"
#include "report/reports.h"
#include "run/tracked.h"
#include "score/export.h"
#include "score/hosts.h"
#include "score/jobs.h"
#include "score/wide.h"
#include "term/table.h"

/* The maximum numbers of lines without -v. */
enum { FINDINGS_SHOWN = 6, SEED_PROBLEMS_SHOWN = 4, SKIPPED_SHOWN = 10, JOBS_SHOWN = 4, SACCT_ROWS_SHOWN = 10 };

/* Indentation of lines below a table, and of their continuations. */
enum { INDENT = 2, HANG = 6 };

const char *mls_path_shown(const char *path)
{
    return strcmp(path, "-") == 0 ? "standard input" : path;
}

const char *mls_group_name_below(const mls_group *group, const char *path)
{
    const size_t len = strlen(group->path);
    if (strncmp(path, group->path, len) == 0 && path[len] == '/')
        return path + len + 1;
    const char *slash = strrchr(path, '/');
    return strcmp(path, group->path) == 0 && slash != NULL ? slash + 1 : mls_path_shown(path);
}

void mls_shape_append_degrees(mls_buffer *line, const mls_config_name *shape)
{
    uint64_t degrees[MLS_DEGREES];
    mls_config_name_degrees(shape, degrees);
    for (size_t i = 0; i < MLS_DEGREES && mls_config_has_degrees(shape); i++) {
        if (degrees[i] > 1 || i < MLS_DEGREES - 1) { /* omit ep1, since few models have expert parallelism */
            mls_buffer_printf(line, "%s%s%" PRIu64, i == 0 ? "   " : " ", mls_degree_letters[i],
                              degrees[i] > 0 ? degrees[i] : 1);
        }
    }
}

void mls_group_show_headline(mls_view *view, const mls_group *group)
{
    const bool markdown = view->format == MLS_FORMAT_MARKDOWN;
    const char *division = mls_division_name(group->division);
    const mls_config_name shape = mls_group_shape(group);
    const char *job = group->runs[0]->job.job; /* job and nodes are shown only if they are the same for all runs */
    double nodes = group->runs[0]->job.node_count;
    mls_buffer line = {0};
    for (size_t i = 1; i < group->run_count; i++) {
        const mls_job *other = &group->runs[i]->job;
        job = job != NULL && other->job != NULL && strcmp(job, other->job) == 0 ? job : NULL;
        nodes = other->node_count == nodes ? nodes : (double)NAN;
    }
    mls_buffer_printf(&line, "  %s  %s %s%s", division != NULL ? division : "no division", mls_usage_name(group->usage),
                      group->edition->name, group->edition_by_date ? " (by date)" : "");
    if (group->config != NULL)
        mls_buffer_printf(&line, "   %s", group->config);
    if (shape.gpus > 0) {
        mls_buffer_printf(&line, ": %s x %" PRIu64 " GPUs = %" PRIu64,
                          mls_words_plural(shape.nodes, "node", "nodes").text, shape.gpus_per_node, shape.gpus);
    } else if (!isnan(nodes)) {
        mls_buffer_printf(&line, "   %s", mls_words_plural((size_t)nodes, "node", "nodes").text);
    }
    mls_shape_append_degrees(&line, &shape);
    uint64_t degrees[MLS_DEGREES];
    double ranks =
        shape.gpus == 0 ? group->accelerators : (double)NAN; /* number of data-parallel ranks; NAN: unknown */
    mls_config_name_degrees(&shape, degrees);
    for (size_t i = 0; i < MLS_DEGREES - 1; i++)
        ranks /= degrees[i] > 0 ? (double)degrees[i] : 1;
    ranks = shape.data_parallel > 0 ? (double)shape.data_parallel : ranks;
    if (mls_config_has_degrees(&shape) && ranks == floor(ranks))
        mls_buffer_printf(&line, " dp%.0f", ranks);
    if (job != NULL)
        mls_buffer_printf(&line, "   job %s", job);
    if (!isnan(group->global_batch_size))
        mls_buffer_printf(&line, "   batch %s", mls_words_count(group->global_batch_size).text);
    mls_output_text(view->output, markdown ? "### " : "");
    mls_view_headline(view, mls_str_from(group->benchmark != NULL ? group->benchmark : "unknown benchmark"), &line,
                      INDENT);
    mls_output_text(view->output, "  ");
    mls_view_text(view, MLS_STYLE_DIM, "%s", mls_path_shown(group->path));
    mls_output_text(view->output, markdown ? "\n\n" : "\n");
}

static void show_runs(mls_view *view, const mls_group *group)
{
    enum { RIGHT = MLS_COLUMN_RIGHT, DECIMAL = MLS_COLUMN_DECIMAL, KEEP = MLS_COLUMN_KEEP };
    const char *unit = "samples"; /* unit of the column of samples or epochs to converge */
    mls_table table = {.indent = 2};
    bool several = false;  /* a file contains several runs */
    bool rewarded = false; /* a run logged a reward */
    for (size_t i = 0; i < group->run_count; i++) {
        const mls_convergence own = mls_run_to_converge(group->runs[i]);
        unit = isnan(own.number) ? unit : own.unit;
        rewarded |= view->verbose > 0 && !isnan(group->runs[i]->reward);
        several |= i > 0 && strcmp(group->runs[i]->file, group->runs[i - 1]->file) == 0;
    }
    for (size_t i = 0; i < group->run_count; i++) {
        const mls_run *run = group->runs[i];
        const mls_finding *reason = mls_run_reason(run);
        const bool outside = group->marks[i] == MLS_OLYMPIC_OUTSIDE;
        mls_table_row(&table);
        table.style = outside ? MLS_STYLE_DIM : MLS_STYLE_PLAIN;
        mls_table_cell(&table, "run", RIGHT | KEEP, table.style, "%zu", i + 1);
        mls_table_cell(&table, "log", KEEP | MLS_COLUMN_CUT, table.style, several ? "%s:%zu" : "%s",
                       mls_group_name_below(group, run->file), run->line);
        mls_table_words(&table, "init", RIGHT, mls_words_clock(mls_run_init_minutes(run)));
        mls_table_words(&table, "train (min)", DECIMAL | KEEP, mls_words_minutes(mls_run_minutes(run)));
        mls_table_words(&table, unit, DECIMAL, mls_words_count(mls_run_to_converge(run).number));
        mls_table_number(&table, "eval", DECIMAL, run->last_evaluation.value, 5);
        if (rewarded)
            mls_table_number(&table, "reward", DECIMAL, run->reward, 4);
        mls_table_text(&table, "status", 0, mls_run_status_name(run->status));
        mls_table_cell(&table, "valid", KEEP, run->valid ? table.style : MLS_STYLE_BAD, run->valid ? "yes" : "no");
        if (reason != NULL)
            mls_table_note(&table, MLS_STYLE_BAD, "%s", reason->message);
        else if (outside)
            mls_table_note(&table, MLS_STYLE_DIM, "outside the window");
    }
    mls_table_finish(&table, view);
    mls_view_gap(view);
}

/* Append "10 of 10 runs, 1 dropped · olympic mean 1.586 min". */
static mls_style line_score(mls_buffer *line, const mls_group *group)
{
    static const char *const no_score[] = {[MLS_OLYMPIC_TOO_MANY_DROPPED] = "more runs dropped than allowed",
                                           [MLS_OLYMPIC_NOTHING_LEFT] = "nothing left to average",
                                           [MLS_OLYMPIC_NO_WINDOW] = "at least half of the windows drop too many runs"};
    const mls_olympic_result *score = &group->score;
    const unsigned needed = group->rules->runs_needed;
    const size_t valid = mls_group_valid_runs(group);
    if (needed > 0)
        mls_buffer_printf(line, "%zu of %u runs", group->run_count, needed);
    else
        mls_buffer_append_text(line, mls_words_plural(group->run_count, "run", "runs").text);
    if (score->dropped > 0)
        mls_buffer_printf(line, ", %zu dropped", score->dropped);
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
    if (too_few)
        mls_buffer_printf(line, valid == 1 ? "%zu valid run" : "mean of %zu valid runs", valid);
    else
        mls_buffer_append_text(line, counts ? "olympic mean" : score->official ? "mean" : "olympic mean of all runs");
    mls_buffer_printf(line, " %s min", mls_words_minutes(score->score_minutes).text);
    return score->official ? MLS_STYLE_BOLD : MLS_STYLE_WARN;
}

/* Print the score of a group, then "reference convergence: pass: mean …". */
static void show_score(mls_view *view, const mls_group *group)
{
    const bool weak = mls_is_weak(&group->weak);
    mls_buffer line = {0};
    mls_style look;
    if (weak) {
        const bool enough = group->weak.check == MLS_CHECK_PASS;
        look = enough ? MLS_STYLE_BOLD : MLS_STYLE_WARN;
        mls_buffer_printf(&line, "weak scaling: %s, at least %u needed",
                          mls_words_plural(group->weak.models, "model", "models").text, group->rules->runs_needed);
        if (group->score.dropped > 0)
            mls_buffer_printf(&line, ", %zu dropped", group->score.dropped);
        mls_buffer_append_text(&line, enough ? "" : ": not an official score");
        if (group->weak.models > 0) {
            mls_buffer_printf(&line, " · %s accelerators each · all trained in %s min",
                              mls_words_count(group->weak.instance_scale).text,
                              mls_words_minutes(group->weak.minutes).text);
        }
    } else {
        look = line_score(&line, group);
    }
    if (group->has_spread) {
        mls_buffer_printf(
            &line, " · fastest %s · slowest %s · spread %s", mls_words_minutes(group->spread.min_minutes).text,
            mls_words_minutes(group->spread.max_minutes).text, mls_words_percent(group->spread.variation, 1).text);
    }
    mls_view_line(view, &line, look, INDENT, HANG);
    if (group->rcp.check != MLS_CHECK_NA) {
        const mls_rcp_result *result = &group->rcp.result;
        const mls_style worse = result->match == MLS_RCP_TOO_FEW_RUNS ? MLS_STYLE_WARN : MLS_STYLE_BAD;
        mls_buffer_append_text(&line, "reference convergence: ");
        mls_rcp_result_describe(result, weak ? (double)NAN : group->score.score_minutes, &line);
        mls_view_line(view, &line, result->pass ? MLS_STYLE_PLAIN : worse, INDENT, HANG);
    }
    for (size_t i = 0; i < group->rcp.findings.count; i++)
        if (group->rcp.findings.items[i].code == MLS_FINDING_RULES_TEXT)
            mls_view_printf(view, MLS_STYLE_DIM, INDENT, HANG, "advice: %s", group->rcp.findings.items[i].message);
}

static void show_seeds(mls_view *view, const mls_group *group)
{
    const mls_seed_outcome *seeds = &group->seeds;
    const mls_findings *problems = &seeds->findings;
    const mls_style look = seeds->check != MLS_CHECK_FAIL ? MLS_STYLE_WARN : MLS_STYLE_BAD;
    const size_t most = mls_view_limit(view, SEED_PROBLEMS_SHOWN);
    mls_buffer more = {0};
    if (seeds->check == MLS_CHECK_NA)
        return;
    if (seeds->check != MLS_CHECK_FAIL) {
        mls_view_printf(view, MLS_STYLE_PLAIN, INDENT, HANG, "seeds: %s%s", mls_words_count((double)seeds->count).text,
                        seeds->count > 1 && seeds->different == seeds->count ? ", all different" : "");
    }
    for (size_t i = 0; i < problems->count && i < most; i++) {
        const mls_finding *problem = &problems->items[i];
        mls_view_printf(view, look, INDENT, HANG, "seeds: %s%s",
                        problem->severity == MLS_SEVERITY_ERROR ? "" : "warning: ", problem->message);
    }
    const size_t all = problems->counts.error + problems->counts.warning + problems->counts.advice;
    if (all > problems->count || all > most) {
        mls_buffer_append_text(&more, "seeds: ");
        mls_words_append_more(&more, all - (problems->count < most ? problems->count : most), NULL,
                              problems->count > most ? mls_view_hint(view) : NULL);
        mls_view_line(view, &more, look, INDENT, HANG);
    }
}

void mls_group_show_note(mls_view *view, const mls_group *group, const mls_telemetry_notes *notes)
{
    const char *line = mls_telemetry_note_of(notes, group).line;
    if (line != NULL)
        mls_view_printf(view, MLS_STYLE_PLAIN, INDENT, HANG, "%s", line);
}

void mls_collection_show_skipped(mls_view *view, const mls_collection *collection)
{
    const size_t count = collection->skipped.count - collection->failed;
    if (count == 0 || view->quiet)
        return;
    /* List the files with -v, and if nothing else is shown and there are few files. */
    const bool listed = view->verbose > 0 || (collection->group_count == 0 && count <= SKIPPED_SHOWN);
    const char *hint = listed ? "" : count == 1 ? " (-v shows why)" : " (-v lists them)";
    mls_output_printf(view->output, "%sskipped %s%s\n", collection->group_count > 0 ? "\n" : "",
                      mls_words_plural(count, "file", "files").text, hint);
    for (size_t i = 0; i < collection->skipped.count && listed; i++) {
        const mls_source *skipped = &collection->skipped.items[i];
        if (!skipped->failed) {
            mls_view_printf(view, MLS_STYLE_PLAIN, INDENT, HANG, "%s: %s", mls_path_shown(skipped->path),
                            skipped->skip);
        }
    }
}

/* --------------------------------------------------------------------- jobs */

/* Print "job 117   COMPLETED   18 nodes   queued 0:41   ran 27:08 of 4:00:00", and how the job spent its time. */
static void show_job(mls_view *view, const mls_slurm_job *job, const char *here)
{
    mls_buffer line = {0};
    mls_buffer_printf(&line, "job %s", job->id);
    if (here != NULL && strcmp(here, job->job) == 0)
        mls_buffer_append_text(&line, " (this one)");
    if (job->state != NULL)
        mls_buffer_printf(&line, "   %s", job->state);
    if (job->cancelled_by != NULL)
        mls_buffer_printf(&line, " by %s", job->cancelled_by);
    if (isfinite(job->node_count))
        mls_buffer_printf(&line, "   %s", mls_words_plural((size_t)job->node_count, "node", "nodes").text);
    if (mls_slurm_job_queued(job) >= 0)
        mls_buffer_printf(&line, "   queued %s", mls_words_seconds(mls_slurm_job_queued(job)).text);
    if (job->elapsed_seconds >= 0) {
        mls_buffer_printf(&line, isnan(job->end_ms) ? "   running for %s" : "   ran %s",
                          mls_words_seconds(job->elapsed_seconds).text);
    }
    if (job->limit_seconds >= 0)
        mls_buffer_printf(&line, " of %s", mls_words_seconds(job->limit_seconds).text);
    if (job->restarts > 0)
        mls_buffer_printf(&line, "   %s", mls_words_plural(job->restarts, "restart", "restarts").text);
    if (job->timezone != NULL)
        mls_buffer_printf(&line, "   times in zone %s", job->timezone);
    mls_view_line(view, &line, MLS_STYLE_PLAIN, INDENT, HANG);
    const mls_job_times *times = &job->times;
    const double all = times->before + times->init + times->training + times->between + times->after;
    if (job->has_times && all > 0) {
        mls_view_printf(view, MLS_STYLE_PLAIN, INDENT + 2, HANG,
                        "training %s (%s) · before %s · init %s · between %s · after %s",
                        mls_words_seconds(times->training).text, mls_words_percent(times->training / all, 1).text,
                        mls_words_seconds(times->before).text, mls_words_seconds(times->init).text,
                        mls_words_seconds(times->between).text, mls_words_seconds(times->after).text);
    }
}

const mls_slurm_job *mls_group_new_job(const mls_slurm_jobs *jobs, const mls_group *group, size_t run)
{
    const mls_slurm_job *job = mls_slurm_job_of(jobs, group->runs[run]);
    size_t i = run;
    while (i > 0 && mls_slurm_job_of(jobs, group->runs[i - 1]) != job)
        i--;
    return i == 0 ? job : NULL;
}

static void show_collection(mls_printer *to, const void *what)
{
    const mls_collection *collection = what;
    const mls_score_beside *beside = to->state;
    for (size_t i = 0; i < collection->group_count; i++) {
        const mls_group *group = &collection->groups[i];
        mls_output_text(to->view->output, i > 0 ? "\n" : "");
        mls_group_show_headline(to->view, group);
        const size_t most = mls_view_limit(to->view, JOBS_SHOWN);
        size_t count = 0;
        for (size_t r = 0; r < group->run_count && collection->jobs != NULL; r++) {
            const mls_slurm_job *job = mls_group_new_job(collection->jobs, group, r);
            if (job != NULL && count++ < most)
                show_job(to->view, job, collection->jobs->here);
        }
        if (count > most)
            mls_view_more(to->view, MLS_STYLE_PLAIN, INDENT, count - most, "job", mls_view_hint(to->view));
        show_runs(to->view, group);
        show_score(to->view, group);
        show_seeds(to->view, group);
        const double joules = group->power.energy_joules;
        if (group->power.joules != NULL && isnan(joules)) {
            mls_view_printf(to->view, MLS_STYLE_PLAIN, INDENT, HANG, "energy: %s",
                            isnan(group->score.score_minutes) ? "not available without a score" : "unknown");
        } else if (group->power.joules != NULL) {
            mls_view_printf(to->view, MLS_STYLE_PLAIN, INDENT, HANG, "energy: %s J (%s kJ)",
                            mls_words_count(floor(joules + 0.5)).text, mls_words_grouped(joules / 1000, 1).text);
        }
        mls_group_show_note(to->view, group, beside != NULL ? beside->telemetry : NULL);
        if (beside != NULL && beside->published != NULL && beside->published[i].result != NULL) {
            /* Print "published 5.1: 1.398 min on 72 x GB200 (Wiwynn, rank 7 of 62); yours 1.414 min, 1.2 % slower". */
            const mls_published_near *near = &beside->published[i];
            const mls_published_result *result = near->result;
            const double ratio = fabs(near->ratio);
            mls_buffer line = {0};
            mls_buffer_printf(&line, "published %s: %s min on %s x %s (%s, rank %zu of %zu", result->round,
                              mls_words_grouped(result->minutes, 3).text, mls_words_count(group->accelerators).text,
                              group->accelerator, result->system->submitter, result->rank, result->ranked);
            if (result->published > result->ranked)
                mls_buffer_printf(&line, " known, %zu published", result->published);
            mls_buffer_append_text(&line, "); ");
            if (near->self) {
                mls_buffer_append_text(&line, "this one");
            } else {
                mls_buffer_printf(&line, "yours %s min, ", mls_words_grouped(group->scaled_minutes, 3).text);
                if (ratio < 0.0005) {
                    mls_buffer_append_text(&line, "as fast");
                } else {
                    mls_buffer_printf(&line, "%s %s", mls_words_percent(ratio, 1).text,
                                      near->ratio > 0 ? "slower" : "faster");
                    mls_published_append_why(&line, ": ", near->why);
                }
            }
            mls_view_line(to->view, &line, MLS_STYLE_PLAIN, INDENT, HANG);
        }
        /* Show the findings of a group, then the findings of its runs, first the reasons why runs did not end.  Without
         * -v, omit findings that are shown in the rows of the runs. */
        const mls_finding_list_look look = {.indent = INDENT,
                                            .hang = HANG,
                                            .named = true,
                                            .together = true,
                                            .sorted = true,
                                            .limit = mls_view_limit(to->view, FINDINGS_SHOWN)};
        mls_finding_list own = {0};
        mls_finding_list endings = {0};
        mls_finding_list others = {0};
        for (size_t j = 0; j < group->findings.count; j++) {
            mls_finding finding = group->findings.items[j];
            finding.path = finding.path != NULL ? mls_group_name_below(group, finding.path) : NULL;
            if (finding.code != MLS_FINDING_RUN_COUNT)
                mls_finding_list_add_one(&own, &finding, (mls_owner){0}, NULL);
        }
        for (size_t j = 0; j < group->run_count; j++) {
            const mls_run *run = group->runs[j];
            const mls_finding *noted = to->view->verbose == 0 ? mls_run_reason(run) : NULL;
            const mls_owner owner = {.path = mls_group_name_below(group, run->file),
                                     .result = mls_str_from(group->path),
                                     .run = j + 1,
                                     .runs = group->run_count};
            for (size_t k = 0; k < run->findings.count; k++) {
                const mls_finding *finding = &run->findings.items[k];
                if (finding != noted) {
                    mls_finding_list_add_one(finding->code == MLS_FINDING_DIAGNOSIS ? &endings : &others, finding,
                                             owner, NULL);
                }
            }
            mls_finding_list_add_unkept(&others, &run->findings, NULL);
        }
        mls_finding_list_show(to->view, &own, (mls_finding_list_look){.indent = INDENT, .hang = HANG, .named = true});
        mls_finding_list_show(to->view, &endings, look);
        mls_finding_list_show(to->view, &others, look);
        /* --strict changes the exit status, but not the validity of runs or the score. */
        const mls_finding_counts counts = mls_group_found(group);
        if (to->view->strict && !mls_findings_pass(&counts, true)) {
            mls_buffer line = {0};
            mls_buffer_append_text(&line, "fails with --strict");
            mls_finding_list_append_counts(&line, ": ", &counts);
            mls_view_line(to->view, &line, MLS_STYLE_BAD, INDENT, HANG);
        }
    }
    if (collection->jobs != NULL && collection->jobs->findings->count > 0) {
        const mls_finding_list_look look = {.named = true, .limit = mls_view_limit(to->view, SACCT_ROWS_SHOWN)};
        mls_finding_list found = {0};
        mls_view_gap(to->view);
        mls_finding_list_add(&found, collection->jobs->findings, (mls_owner){0}, to->view);
        mls_finding_list_show(to->view, &found, look);
    }
    mls_collection_show_skipped(to->view, collection);
}

/* ---- fields for programs ---- */

enum { SEEDS_IN_A_CELL = 8 };

typedef struct run_place {
    const mls_group *group;
    const mls_run *run;
    size_t index;
} run_place;

static void emit_nodes(mls_emitter *to, const char *list)
{
    mls_buffer names = {0};
    (void)mls_hosts_expand(mls_str_from(list), &names, NULL, (mls_finding_place){0});
    for (size_t at = 0; at < names.len; at += strlen(names.ptr + at) + 1)
        mls_emit_str(to, mls_str_from(names.ptr + at));
    mls_buffer_release(&names);
}

/* Write a seed as a number if possible, otherwise as text. */
static void emit_seed(mls_emitter *to, mls_str seed)
{
    double number;
    if (mls_number_parse(seed, &number) && isfinite(number))
        mls_emit_number(to, number);
    else
        mls_emit_str(to, seed);
}

/* Append the first seeds of a run, for a cell of CSV.  A run may have thousands of seeds. */
static void line_seeds(mls_buffer *words, const mls_run *run)
{
    const size_t shown = run->seed_count < SEEDS_IN_A_CELL ? run->seed_count : SEEDS_IN_A_CELL;
    for (size_t i = 0; i < shown; i++) {
        mls_buffer_append_text(words, i > 0 ? " " : "");
        mls_buffer_append(words, run->seeds[i].value);
    }
    mls_words_append_more(words, run->seed_count - shown, NULL, NULL);
}

static const char *reason_of(const mls_run *run)
{
    const mls_finding *reason = mls_run_reason(run);
    return reason != NULL ? reason->message : NULL;
}

#define PARTS_FIELDS(F)                                                                                                \
    F(parts, by, TEXT, "", mls_parts_by_name(row->by))                                                                 \
    F(parts, training_ms, NUMBER, "ms", row->ms[MLS_PART_TRAINING])                                                    \
    F(parts, evaluation_ms, IF(NUMBER, row->evaluation_delimited), "ms", row->ms[MLS_PART_EVALUATION])                 \
    F(parts, evaluations, IF(NUMBER, row->evaluation_delimited), "", (double)row->evaluations)                         \
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
    F(run, reward, ELSE_OUT(NUMBER, !isnan(row->run->reward)), "", row->run->reward)                                   \
    F(run, init_minutes, NUMBER_OR_NULL, "minutes", mls_run_init_minutes(row->run))                                    \
    F(run, throughput, IF(NUMBER, row->run->throughputs > 0), "samples/s",                                             \
      row->run->throughput / (double)row->run->throughputs)                                                            \
    F(run, seed, VALUES, "", MLS_EACH(row->run->seed_count, emit_seed(to, row->run->seeds[i].value)))                  \
    F(run, joules, IF(NUMBER, row->group->power.joules != NULL), "joules", row->group->power.joules[row->index])       \
    F(run, parts, OBJECT_OR_NULL(parts), "", row->run->has_parts ? &row->run->parts : NULL)                            \
    F(run, hyperparameters, MAP, "",                                                                                   \
      MLS_MEMBERS(row->run->hyperparameter_count, row->run->hyperparameters[i].key,                                    \
                  mls_emit_json(to, mls_str_from(row->run->hyperparameters[i].value))))                                \
    F(run, job, TEXT_OR_NULL, "", row->run->job.job)                                                                   \
    F(run, nodes, IF(VALUES, row->run->job.node_list != NULL), "", emit_nodes(to, row->run->job.node_list))            \
    F(run, records, NUMBER, "", row->run->records)                                                                     \
    F(run, malformed, NUMBER, "", row->run->malformed)                                                                 \
    F(run, node_count, NUMBER_OR_NULL, "", row->run->job.node_count)                                                   \
    F(run, run_config, TEXT_OR_NULL, "", mls_run_config(row->run))                                                     \
    F(run, container, TEXT_OR_NULL, "", row->run->job.container)                                                       \
    F(run, node_list, TEXT_OR_NULL, "", row->run->job.node_list)                                                       \
    F(run, submission_org, TEXT_OR_NULL, "", row->run->organisation)                                                   \
    F(run, submission_platform, TEXT_OR_NULL, "", row->run->platform)                                                  \
    F(run, reason, TEXT_OR_NULL, "", reason_of(row->run))
MLS_FIELDS(run, run_place, RUN_FIELDS)

/* Fields that have another form in CSV than in JSON. */
#define RUN_CSV_FIELDS(F)                                                                                              \
    F(run_csv, seed, WORDS_OR_NULL, "", line_seeds(words, row->run))                                                   \
    F(run_csv, unit, TEXT_OR_NULL, "",                                                                                 \
      isnan(mls_run_to_converge(row->run).number) ? NULL : mls_run_to_converge(row->run).unit)
MLS_FIELDS_BESIDE(run_csv, run, RUN_CSV_FIELDS)

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
MLS_FIELDS_AS(, mls_weak_fields, weak, mls_weak_outcome, NULL, WEAK_FIELDS)
#define VERDICT_FIELDS(F) F(verdict, pass, BOOL, "", row->result.pass) MLS_VERDICT_FIELDS(F)
MLS_FIELDS(verdict, mls_rcp_outcome, VERDICT_FIELDS)

#define SEEDS_FIELDS(F)                                                                                                \
    F(seeds, ok, BOOL, "", row->check != MLS_CHECK_FAIL)                                                               \
    F(seeds, problems, VALUES, "", MLS_EACH(row->findings.count, mls_emit_text(to, row->findings.items[i].message)))
MLS_FIELDS(seeds, mls_seed_outcome, SEEDS_FIELDS)

static void add_group_findings(mls_finding_list *found, const mls_group *group)
{
    mls_finding_list_add(found, &group->findings, (mls_owner){.path = group->path}, NULL);
    for (size_t i = 0; i < group->run_count; i++)
        mls_finding_list_add(found, &group->runs[i]->findings, (mls_owner){.path = group->runs[i]->file}, NULL);
}

#define PRECISION_FIELDS(F)                                                                                            \
    F(precision, value, TEXT, "", row->value)                                                                          \
    F(precision, source, TEXT, "", row->source)                                                                        \
    F(precision, evidence, TEXT, "", row->evidence)
MLS_FIELDS(precision, mls_group_precision, PRECISION_FIELDS)

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
    F(group, nodes, NUMBER_OR_NULL, "", row->nodes)                                                                    \
    F(group, system_id, TEXT_OR_NULL, "", row->system_id)                                                              \
    F(group, runs, LIST(run), "", MLS_EACH(row->run_count, mls_emit_row(to, &(run_place){row, row->runs[i], i})))      \
    F(group, runs_needed, COUNT_OR_NULL, "", row->rules->runs_needed)                                                  \
    F(group, dropped, NUMBER, "", row->score.dropped)                                                                  \
    F(group, official, BOOL, "", row->score.official)                                                                  \
    F(group, score_minutes, NUMBER_OR_NULL, "minutes", row->score.score_minutes)                                       \
    F(group, scale, NUMBER, "", row->scale)                                                                            \
    F(group, scaled_minutes, NUMBER_OR_NULL, "minutes", row->scaled_minutes)                                           \
    F(group, rcp, OBJECT_OR_NULL(verdict), "", MLS_IF_MADE(&row->rcp, row->rcp.check))                                 \
    F(group, seeds, OBJECT_OF(seeds), "", &row->seeds)                                                                 \
    F(group, spread, OBJECT_OR_NULL(spread), "", row->has_spread ? &row->spread : NULL)                                \
    F(group, window, OBJECT_OR_NULL(window), "", row->score.windowed ? &row->score : NULL)                             \
    F(group, energy, OBJECT_OR_NULL(energy), "", row->power.joules != NULL ? &row->power : NULL)                       \
    F(group, weak_scaling, OBJECT_OR_NULL(mls_weak), "", MLS_IF_MADE(&row->weak, row->weak.check))                     \
    F(group, precision, OBJECT_OR_NULL(precision), "", row->precision.value != NULL ? &row->precision : NULL)          \
    F(group, findings, FINDINGS, "", add_group_findings(&found, row))
MLS_FIELDS_AS(, mls_group_fields, group, mls_group, NULL, GROUP_FIELDS)

/* The columns of a check are empty if the check was not made. */
#define GROUP_CSV_FIELDS(F)                                                                                            \
    F(group_csv, rcp_pass, IF(BOOL, row->rcp.check != MLS_CHECK_NA), "", row->rcp.result.pass)                         \
    F(group_csv, rcp_message, IF(TEXT, row->rcp.check != MLS_CHECK_NA), "", row->rcp.result.message)                   \
    F(group_csv, seeds_ok, IF(BOOL, row->seeds.check != MLS_CHECK_NA), "", row->seeds.check != MLS_CHECK_FAIL)         \
    F(group_csv, energy_joules, IF(NUMBER, row->power.joules != NULL), "joules", row->power.energy_joules)             \
    F(group_csv, precision, TEXT_OR_NULL, "", row->precision.value)
MLS_FIELDS_AS(static, group_csv_fields, group_csv, mls_group, &mls_group_fields, GROUP_CSV_FIELDS)

#define SKIPPED_FIELDS(F)                                                                                              \
    F(skipped, file, TEXT, "", row->path)                                                                              \
    F(skipped, reason, TEXT, "", row->skip)                                                                            \
    F(skipped, failed, BOOL, "", row->failed)                                                                          \
    F(skipped, finding, ELSE_OUT(TEXT, row->finding != NULL), "", row->finding)
MLS_FIELDS_AS(, mls_skipped_fields, skipped, mls_source, NULL, SKIPPED_FIELDS)
#define JOB_FIELDS(F)                                                                                                  \
    F(job, job, TEXT, "", row->job)                                                                                    \
    F(job, array_job, TEXT_OR_NULL, "", row->array_job)                                                                \
    F(job, array_task, NUMBER_OR_NULL, "", row->array_task)                                                            \
    F(job, state, TEXT_OR_NULL, "", row->state)                                                                        \
    F(job, cancelled_by, TEXT_OR_NULL, "", row->cancelled_by)                                                          \
    F(job, exit_code, NUMBER_OR_NULL, "", row->exit_code)                                                              \
    F(job, signal, NUMBER_OR_NULL, "", row->signal)                                                                    \
    F(job, derived_exit_code, NUMBER_OR_NULL, "", row->derived_exit_code)                                              \
    F(job, derived_signal, NUMBER_OR_NULL, "", row->derived_signal)                                                    \
    F(job, submit_ms, NUMBER_OR_NULL, "ms", row->submit_ms)                                                            \
    F(job, eligible_ms, NUMBER_OR_NULL, "ms", row->eligible_ms)                                                        \
    F(job, start_ms, NUMBER_OR_NULL, "ms", row->start_ms)                                                              \
    F(job, end_ms, NUMBER_OR_NULL, "ms", row->end_ms)                                                                  \
    F(job, queued_seconds, NUMBER_OR_NULL, "s", mls_slurm_job_queued(row))                                             \
    F(job, elapsed_seconds, NUMBER_OR_NULL, "s", row->elapsed_seconds)                                                 \
    F(job, limit_seconds, NUMBER_OR_NULL, "s", row->limit_seconds)                                                     \
    F(job, nodes, IF(VALUES, row->node_list != NULL), "", emit_nodes(to, row->node_list))                              \
    F(job, node_count, NUMBER_OR_NULL, "", row->node_count)                                                            \
    F(job, restarts, NUMBER, "", row->restarts)                                                                        \
    F(job, source, TEXT, "", row->source)                                                                              \
    F(job, timezone, TEXT_OR_NULL, "", row->timezone)                                                                  \
    F(job, spent, OBJECT_OR_NULL(spent), "", row->has_times ? &row->times : NULL)
#define SPENT_FIELDS(F)                                                                                                \
    F(spent, before_seconds, NUMBER, "s", row->before)                                                                 \
    F(spent, init_seconds, NUMBER, "s", row->init)                                                                     \
    F(spent, training_seconds, NUMBER, "s", row->training)                                                             \
    F(spent, between_seconds, NUMBER, "s", row->between)                                                               \
    F(spent, after_seconds, NUMBER, "s", row->after)
MLS_FIELDS(spent, mls_job_times, SPENT_FIELDS)
MLS_FIELDS(job, mls_slurm_job, JOB_FIELDS)

/* The findings about the output of sacct. */
#define SACCT_FIELDS(F)                                                                                                \
    F(sacct, findings, FINDINGS, "", mls_finding_list_add(&found, row->findings, (mls_owner){0}, NULL))
MLS_FIELDS(sacct, mls_slurm_jobs, SACCT_FIELDS)

#define COLLECTION_FIELDS(F)                                                                                           \
    F(collection, groups, LIST(mls_group), "", MLS_EACH(row->group_count, mls_emit_row(to, &row->groups[i])))          \
    F(collection, skipped, LIST(mls_skipped), "", MLS_ROWS(row->skipped.items, row->skipped.count))                    \
    F(collection, jobs, LIST_ELSE_OUT(job, row->jobs != NULL), "", MLS_ROWS_AT(row->jobs->items, row->jobs->count))    \
    F(collection, sacct, OBJECT_OF(sacct), "", row->jobs)
MLS_FIELDS(collection, mls_collection, COLLECTION_FIELDS)

const mls_report mls_score_report = {
    .section = "SCORE JSON",
    .show = show_collection,
    .metrics = mls_score_metrics,
    .line = mls_score_line,
    .object = &collection_fields,
    .lines = "groups",
    .columns = {.section = "SCORE CSV",
                .names = MLS_SCORE_COLUMNS "accelerators " MLS_PLACE_COLUMNS,
                .rows = "groups runs",
                .sources = {&group_csv_fields, &run_csv_fields, &mls_group_fields, &run_fields}}};

#define WIDE_FIELDS(F)                                                                                                 \
    F(wide, groups, LIST(mls_group), "",                                                                               \
      MLS_EACH(row->collection->group_count, mls_emit_row(to, &row->collection->groups[i])))
MLS_FIELDS(wide, mls_wide, WIDE_FIELDS)

#define WIDE_RUN_FIELDS(F)                                                                                             \
    F(wide_run, parts_by, IF(TEXT, row->run->has_parts), "", mls_parts_by_name(row->run->parts.by))                    \
    F(wide_run, accelerators, NUMBER_OR_NULL, "", row->group->accelerators)
MLS_FIELDS_BESIDE(wide_run, run, WIDE_RUN_FIELDS)

static void emit_wide_name(mls_emitter *to, const char *prefix, mls_str name)
{
    MLS_EMIT_WORDS(mls_buffer_append_text(words, prefix); mls_buffer_append(words, name));
}

static void emit_printed_values(mls_emitter *to, const mls_wide *wide, const mls_run *run)
{
    const mls_wide_names *names = &wide->names[MLS_WIDE_PRINTED];
    mls_str values[MLS_KNOWN_SETTINGS_MAX] = {0};
    if (run->printed != NULL)
        (void)mls_known_values(&wide->known, run->printed, values);
    for (size_t i = 0; i < names->count; i++) {
        unsigned place = 0;
        (void)MLS_NAME_FIND(wide->known.items, wide->known.count, names->items[i], &place);
        mls_emit_str_or_null(to, values[place]);
    }
}

/* Write a column for each hyperparameter, each tracked number, and each known setting that was printed. */
static void emit_wide(mls_emitter *to, const void *what, bool names)
{
    const mls_wide *wide = what;
    const mls_wide_names *settings = &wide->names[MLS_WIDE_HYPERPARAMETERS];
    const mls_wide_names *tracked = &wide->names[MLS_WIDE_TRACKED];
    const run_place *place = mls_emitter_row(to, &run_fields);
    for (size_t i = 0; i < settings->count; i++)
        if (names)
            emit_wide_name(to, MLS_PARAM_PREFIX, settings->items[i]);
        else
            mls_emit_logged(to, mls_str_from(mls_run_hyperparameter(place->run, settings->items[i])));
    for (size_t i = 0; i < tracked->count; i++) {
        if (names) {
            emit_wide_name(to, "stat.", tracked->items[i]);
        } else {
            mls_emit_number(to,
                            mls_tracked_mean(mls_collection_notes(wide->collection, place->run), tracked->items[i]));
        }
    }
    for (size_t i = 0; names && i < wide->names[MLS_WIDE_PRINTED].count; i++)
        emit_wide_name(to, "set.", wide->names[MLS_WIDE_PRINTED].items[i]);
    if (!names)
        emit_printed_values(to, wide, place->run);
}

const mls_report mls_score_wide_report = {.columns = {.section = "WIDE SCORE CSV",
                                                      .before = MLS_SCORE_COLUMNS,
                                                      .names = MLS_WIDE_COLUMNS,
                                                      .after = MLS_PLACE_COLUMNS,
                                                      .rows = "groups runs parts",
                                                      .sources = {&group_csv_fields, &run_csv_fields, &wide_run_fields,
                                                                  &mls_group_fields, &run_fields, &parts_fields},
                                                      .root = &wide_fields,
                                                      .more = emit_wide}};
