/* SPDX-License-Identifier: Apache-2.0 */
/*
 * score_data.c - the fields of groups and runs.
 */
#include <math.h>

#include "base/number.h"
#include "report/reports.h"
#include "slurm/slurm.h"

/* -------------------------------------------------------------------- a run */

/* A run and its place in its group. */
typedef struct run_row {
    const mls_group *group;
    const mls_run *run;
    size_t index;
} run_row;
typedef run_row run_csv_row;

static void emit_host(void *state, mls_str host)
{
    mls_emit_str(state, host);
}

static void emit_nodes(mls_emitter *to, const mls_run *run)
{
    if (run->job.node_list == NULL) {
        mls_emit_null(to);
        return;
    }
    mls_emit_open(to, '[');
    mls_hosts_expand(mls_str_from(run->job.node_list), emit_host, to);
    mls_emit_close(to, ']');
}

/* A seed as it was logged: a number where it is one, else its text. */
static void emit_seeds(mls_emitter *to, const mls_run *run)
{
    mls_emit_open(to, '[');
    for (size_t i = 0; i < run->seed_count; i++) {
        const mls_str text = run->seeds[i].value;
        double number;
        if (mls_number_parse(text, &number) && isfinite(number)) {
            mls_emit_number(to, number);
        } else {
            mls_emit_str(to, text);
        }
    }
    mls_emit_close(to, ']');
}

static double to_converge(const mls_run *run)
{
    const char *unit;
    return mls_run_to_converge(run, &unit);
}

static const char *unit_of(const mls_run *run)
{
    const char *unit;
    (void)mls_run_to_converge(run, &unit);
    return unit;
}

static double throughput_of(const mls_run *run)
{
    return run->throughputs > 0 ? run->throughput / (double)run->throughputs : (double)NAN;
}

static double joules_of(const run_row *row)
{
    return row->group->power.joules != NULL ? row->group->power.joules[row->index] : (double)NAN;
}

#define RUN_FIELDS(F)                                                                                                  \
    F(run, file, TEXT, 0, "", row->run->file)                                                                          \
    F(run, line, NUMBER, 0, "", row->run->line)                                                                        \
    F(run, start_ms, NUMBER_OR_NULL, 0, "ms", row->run->run_start.time_ms)                                             \
    F(run, stop_ms, NUMBER_OR_NULL, 0, "ms", row->run->run_stop.time_ms)                                               \
    F(run, minutes, NUMBER_OR_NULL, 0, "minutes", mls_run_minutes(row->run))                                           \
    F(run, status, TEXT_OR_NULL, 0, "", mls_run_status_name(row->run->status))                                         \
    F(run, valid, BOOL, 0, "", row->run->valid)                                                                        \
    F(run, counted, TEXT, 0, "", mls_olympic_mark_name(row->group->marks[row->index]))                                 \
    F(run, to_converge, NUMBER_OR_NULL, 0, "", to_converge(row->run))                                                  \
    F(run, unit, TEXT, 0, "", unit_of(row->run))                                                                       \
    F(run, final_eval, NUMBER_OR_NULL, 0, "", mls_run_final_evaluation(row->run))                                      \
    F(run, init_minutes, NUMBER_OR_NULL, 0, "minutes", mls_run_init_minutes(row->run))                                 \
    F(run, throughput, NUMBER_OR_NULL, 0, "samples/s", throughput_of(row->run))                                        \
    F(run, seed, ARRAY, 0, "", emit_seeds(to, row->run))                                                               \
    F(run, joules, NUMBER_OR_NULL, 0, "joules", joules_of(row))                                                        \
    F(run, job, TEXT_OR_NULL, 0, "", row->run->job.job)                                                                \
    F(run, nodes, ARRAY_OR_NULL, 0, "", emit_nodes(to, row->run))                                                      \
    F(run, records, NUMBER, 0, "", row->run->records)                                                                  \
    F(run, malformed, NUMBER, 0, "", row->run->malformed)
MLS_FIELDS(run, "SCORE JSON", RUN_FIELDS)

/* What only CSV has, and what it has in another way. */
#define RUN_CSV_FIELDS(F)                                                                                              \
    F(run_csv, node_count, NUMBER_OR_NULL, 0, "", row->run->job.node_count)                                            \
    F(run_csv, unit, TEXT_OR_NULL, 0, "", isnan(to_converge(row->run)) ? NULL : unit_of(row->run))
MLS_FIELDS(run_csv, "", RUN_CSV_FIELDS)

/* ------------------------------------------------------------------ a group */

typedef mls_spread spread_row;
#define SPREAD_FIELDS(F)                                                                                               \
    F(spread, min_minutes, NUMBER, 0, "minutes", row->min_minutes)                                                     \
    F(spread, max_minutes, NUMBER, 0, "minutes", row->max_minutes)                                                     \
    F(spread, mean_minutes, NUMBER, 0, "minutes", row->mean_minutes)                                                   \
    F(spread, stdev_minutes, NUMBER, 0, "minutes", row->stdev_minutes)                                                 \
    F(spread, variation, NUMBER, 0, "", row->variation)
MLS_FIELDS(spread, "SCORE JSON", SPREAD_FIELDS)

typedef mls_olympic_result window_row;
#define WINDOW_FIELDS(F)                                                                                               \
    F(window, first, NUMBER, 0, "", row->window_first)                                                                 \
    F(window, count, NUMBER, 0, "", row->window_count)
MLS_FIELDS(window, "SCORE JSON", WINDOW_FIELDS)

typedef mls_group group_row, group_csv_row;
typedef mls_rcp_outcome verdict_row;
typedef mls_seed_outcome seeds_row;
typedef mls_power_outcome energy_row;
typedef mls_weak_outcome weak_row;
#define ENERGY_FIELDS(F) F(energy, joules, NUMBER_OR_NULL, 0, "joules", row->energy_joules)
MLS_FIELDS(energy, "SCORE JSON", ENERGY_FIELDS)
MLS_FIELDS(weak, "SCORE JSON", MLS_WEAK_FIELDS)
#define VERDICT_FIELDS(F) F(verdict, pass, BOOL, 0, "", row->result.pass) MLS_VERDICT_FIELDS(F)
MLS_FIELDS(verdict, "SCORE JSON", VERDICT_FIELDS)

#define SEEDS_FIELDS(F)                                                                                                \
    F(seeds, ok, BOOL, 0, "", row->check != MLS_CHECK_FAIL)                                                            \
    F(seeds, problems, ARRAY, 0, "",                                                                                   \
      MLS_EMIT_LIST(to, row->findings.count, mls_emit_text(to, row->findings.items[i].message)))
MLS_FIELDS(seeds, "SCORE JSON", SEEDS_FIELDS)

static void emit_findings(mls_emitter *to, const mls_group *group)
{
    mls_found found = {0};
    mls_found_add(&found, &group->findings, (mls_owner){.path = group->path}, NULL);
    for (size_t i = 0; i < group->run_count; i++) {
        mls_found_add(&found, &group->runs[i]->findings, (mls_owner){.path = group->runs[i]->file}, NULL);
    }
    mls_emit_found(to, &found, true);
}

#define GROUP_FIELDS(F)                                                                                                \
    F(group, path, TEXT, 0, "", row->path)                                                                             \
    F(group, benchmark, TEXT_OR_NULL, 0, "", row->benchmark)                                                           \
    F(group, division, TEXT_OR_NULL, 0, "", mls_division_name(row->division))                                          \
    F(group, usage, TEXT, 0, "", mls_usage_name(row->usage))                                                           \
    F(group, edition, TEXT, 0, "", row->edition->name)                                                                 \
    F(group, edition_guessed, BOOL, 0, "", row->edition_guessed)                                                       \
    F(group, config, TEXT_OR_NULL, 0, "", row->config)                                                                 \
    F(group, global_batch_size, NUMBER_OR_NULL, 0, "", row->global_batch_size)                                         \
    F(group, runs, ARRAY, 0, "",                                                                                       \
      MLS_EMIT_LIST(to, row->run_count, mls_emit_object(to, &run_fields, &(run_row){row, row->runs[i], i})))           \
    F(group, runs_needed, NUMBER_OR_NULL, 0, "", mls_field_unless_zero((double)row->rules->runs_needed))               \
    F(group, dropped, NUMBER, 0, "", row->score.dropped)                                                               \
    F(group, official, BOOL, 0, "", row->score.official)                                                               \
    F(group, score_minutes, NUMBER_OR_NULL, 0, "minutes", row->score.score_minutes)                                    \
    F(group, scale, NUMBER, 0, "", row->scale)                                                                         \
    F(group, scaled_minutes, NUMBER_OR_NULL, 0, "minutes", row->scaled_minutes)                                        \
    F(group, rcp, OBJECT_OR_NULL, 0, "",                                                                               \
      mls_emit_object(to, &verdict_fields, row->rcp.check != MLS_CHECK_NOT_MADE ? &row->rcp : NULL))                   \
    F(group, seeds, OBJECT, 0, "", mls_emit_object(to, &seeds_fields, &row->seeds))                                    \
    F(group, spread, OBJECT_OR_NULL, 0, "",                                                                            \
      mls_emit_object(to, &spread_fields, row->has_spread ? &row->spread : NULL))                                      \
    F(group, window, OBJECT_OR_NULL, 0, "",                                                                            \
      mls_emit_object(to, &window_fields, row->score.windowed ? &row->score : NULL))                                   \
    F(group, energy, OBJECT_OR_NULL, 0, "",                                                                            \
      mls_emit_object(to, &energy_fields, row->power.joules != NULL ? &row->power : NULL))                             \
    F(group, weak_scaling, OBJECT_OR_NULL, 0, "",                                                                      \
      mls_emit_object(to, &weak_fields, row->weak.check != MLS_CHECK_NOT_MADE ? &row->weak : NULL))                    \
    F(group, findings, ARRAY, 0, "", emit_findings(to, row))
MLS_FIELDS(group, "SCORE JSON", GROUP_FIELDS)

/* A check that was not made leaves its columns empty. */
#define GROUP_CSV_FIELDS(F)                                                                                            \
    F(group_csv, rcp_pass, BOOL_OR_NULL, 0, "",                                                                        \
      mls_emit_maybe(to, row->rcp.check != MLS_CHECK_NOT_MADE, row->rcp.result.pass))                                  \
    F(group_csv, rcp_message, TEXT_OR_NULL, 0, "",                                                                     \
      row->rcp.check != MLS_CHECK_NOT_MADE ? row->rcp.result.message : NULL)                                           \
    F(group_csv, seeds_ok, BOOL_OR_NULL, 0, "",                                                                        \
      mls_emit_maybe(to, row->seeds.check != MLS_CHECK_NOT_MADE, row->seeds.check != MLS_CHECK_FAIL))                  \
    F(group_csv, energy_joules, NUMBER_OR_NULL, 0, "joules",                                                           \
      row->power.joules != NULL ? row->power.energy_joules : (double)NAN)
MLS_FIELDS(group_csv, "", GROUP_CSV_FIELDS)

const mls_columns mls_score_columns = {
    "SCORE CSV",
    "path benchmark division usage edition config global_batch_size score_minutes official dropped file line start_ms "
    "stop_ms minutes status valid counted to_converge unit final_eval init_minutes throughput job node_count scale "
    "scaled_minutes rcp_pass rcp_message seeds_ok joules energy_joules",
    {&group_csv_fields, &run_csv_fields, &group_fields, &run_fields},
    0};

/* ------------------------------------------------------------- a collection */

typedef mls_source skipped_row;
#define SKIPPED_FIELDS(F)                                                                                              \
    F(skipped, file, TEXT, 0, "", row->path)                                                                           \
    F(skipped, reason, TEXT, 0, "", row->skip)                                                                         \
    F(skipped, failed, BOOL, 0, "", row->failed)
MLS_FIELDS(skipped, "SCORE JSON", SKIPPED_FIELDS)

typedef mls_collection collection_row;
#define COLLECTION_FIELDS(F)                                                                                           \
    F(collection, groups, ARRAY, 0, "",                                                                                \
      MLS_EMIT_LIST(to, row->group_count, mls_emit_object(to, &group_fields, &row->groups[i])))                        \
    F(collection, skipped, ARRAY, 0, "",                                                                               \
      MLS_EMIT_LIST(to, row->skipped.count, mls_emit_object(to, &skipped_fields, &row->skipped.items[i])))
MLS_FIELDS(collection, "SCORE JSON", COLLECTION_FIELDS)

const mls_fields *const mls_score_tables[] = {
    &collection_fields, &group_fields,  &run_fields,  &verdict_fields, &seeds_fields, &spread_fields,
    &window_fields,     &energy_fields, &weak_fields, &skipped_fields, NULL};

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
            const run_row run = {group, group->runs[k], k};
            mls_emit_row(to, &mls_score_columns, (const void *[]){group, &run, group, &run});
        }
    }
}

const mls_report mls_score_report = {.command = "score",
                                     .show = mls_score_show,
                                     .object = &collection_fields,
                                     .lines = group_lines,
                                     .columns = &mls_score_columns,
                                     .rows = run_rows};
