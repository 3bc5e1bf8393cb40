/* SPDX-License-Identifier: Apache-2.0 */
/* score_data.c - a collection of groups for programs: groups with their runs, or a row a run. */
#include <math.h>

#include "base/number.h"
#include "report/reports.h"
#include "run/tracked.h"
#include "score/export.h"
#include "score/hosts.h"
#include "score/jobs.h"
#include "score/wide.h"

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

/* A seed as it was logged: a number where it is one, else its text. */
static void emit_seed(mls_emitter *to, mls_str seed)
{
    double number;
    if (mls_number_parse(seed, &number) && isfinite(number))
        mls_emit_number(to, number);
    else
        mls_emit_str(to, seed);
}

/* Append the seeds of a run for a cell; there may be thousands. */
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

/* Columns that only CSV has, or has in another way. */
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
    F(group, findings, FINDINGS, "", add_group_findings(&found, row))
MLS_FIELDS_AS(, mls_group_fields, group, mls_group, NULL, GROUP_FIELDS)

/* A check that was not made leaves its columns empty. */
#define GROUP_CSV_FIELDS(F)                                                                                            \
    F(group_csv, rcp_pass, IF(BOOL, row->rcp.check != MLS_CHECK_NA), "", row->rcp.result.pass)                         \
    F(group_csv, rcp_message, IF(TEXT, row->rcp.check != MLS_CHECK_NA), "", row->rcp.result.message)                   \
    F(group_csv, seeds_ok, IF(BOOL, row->seeds.check != MLS_CHECK_NA), "", row->seeds.check != MLS_CHECK_FAIL)         \
    F(group_csv, energy_joules, IF(NUMBER, row->power.joules != NULL), "joules", row->power.energy_joules)
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

/* The problems in the output of sacct. */
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
    .show = mls_score_show,
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

/* A column for each hyperparameter, for each number that was tracked, and for each known setting that was printed. */
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
