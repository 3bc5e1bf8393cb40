/* SPDX-License-Identifier: Apache-2.0 */
/* score_data.c - a collection of groups for programs: groups with their runs, or a row a run. */
#include <math.h>

#include "base/number.h"
#include "report/reports.h"
#include "score/tracked.h"
#include "slurm/slurm.h"
#include "slurm/wide.h"

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

/* What the run was set up with, in the order in which it was logged. */
static void emit_hyperparameters(mls_emitter *to, const mls_run *run)
{
    mls_emit_open(to, '{');
    for (size_t i = 0; i < run->hyperparameter_count; i++) {
        mls_emit_name(to, run->hyperparameters[i].key);
        mls_emit_json(to, mls_str_from(run->hyperparameters[i].value));
    }
    mls_emit_close(to, '}');
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
    F(run, hyperparameters, OBJECT, "", emit_hyperparameters(to, row->run))                                            \
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
MLS_FIELDS_AS(, mls_skipped_fields, skipped, mls_source, SKIPPED_FIELDS)
#define COLLECTION_FIELDS(F)                                                                                           \
    F(collection, groups, ARRAY, "", MLS_EMIT_ROWS(group, row->groups, row->group_count))                              \
    F(collection, skipped, ARRAY, "",                                                                                  \
      MLS_EMIT_LIST(to, row->skipped.count, mls_emit_object(to, &mls_skipped_fields, &row->skipped.items[i])))
MLS_FIELDS(collection, mls_collection, COLLECTION_FIELDS)

static const mls_fields *const tables[] = {&collection_fields, &group_fields,    &run_fields,         &verdict_fields,
                                           &seeds_fields,      &spread_fields,   &parts_fields,       &window_fields,
                                           &energy_fields,     &mls_weak_fields, &mls_skipped_fields, NULL};

static void group_lines(mls_emitter *to, const void *what)
{
    const mls_collection *collection = what;
    MLS_EMIT_LINES(group, collection->groups, collection->group_count);
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
                                     .show = mls_score_show,
                                     .object = &collection_fields,
                                     .tables = tables,
                                     .lines = group_lines,
                                     .columns = &score_columns,
                                     .rows = run_rows};

/* ------------------------------------------------------------ for comparing */

#define WIDE_FIELDS(F)                                                                                                 \
    F(wide, parts_by, TEXT_OR_NULL, "", row->run->has_parts ? mls_parts_by_name(row->run->parts.by) : NULL)            \
    F(wide, accelerators, NUMBER_OR_NULL, "", row->group->accelerators)
MLS_FIELDS(wide, run_place, WIDE_FIELDS)

static const mls_columns wide_columns = {
    "WIDE SCORE CSV",
    "training_ms evaluation_ms evaluations startup_ms between_ms tail_ms parts_by accelerators",
    {&parts_fields, &wide_fields},
    1};

static const char *const wide_prefixes[MLS_WIDE_KINDS] = {"param.", "stat."};

static void emit_wide_names(mls_emitter *to, const mls_wide *wide, mls_wide_kind kind)
{
    mls_buffer name = {0};
    for (size_t i = 0; i < wide->counts[kind]; i++) {
        mls_buffer_clear(&name);
        mls_buffer_append_text(&name, wide_prefixes[kind]);
        mls_buffer_append(&name, wide->names[kind][i]);
        mls_emit_str(to, mls_buffer_str(&name));
    }
    if (name.failed) {
        mls_output_short(to->output);
    }
    mls_buffer_release(&name);
}

static void emit_wide_run(mls_emitter *to, const mls_wide *wide, const run_place *place)
{
    mls_emit_cells(to, &score_columns, (const void *[]){place->group, place, place->group, place});
    mls_emit_cells(to, &wide_columns,
                   (const void *[MLS_SOURCES_MAX]){place->run->has_parts ? &place->run->parts : NULL, place});
    for (size_t i = 0; i < wide->counts[MLS_WIDE_HYPERPARAMETERS]; i++) {
        const char *value = mls_run_hyperparameter(place->run, wide->names[MLS_WIDE_HYPERPARAMETERS][i]);
        mls_emit_logged(to, value != NULL ? mls_str_from(value) : (mls_str){0});
    }
    for (size_t i = 0; i < wide->counts[MLS_WIDE_TRACKED]; i++) {
        mls_emit_number(to, mls_tracked_mean(place->run, wide->names[MLS_WIDE_TRACKED][i]));
    }
    mls_emit_end(to);
}

static void wide_rows(mls_emitter *to, const void *what)
{
    const mls_wide *wide = what;
    mls_emit_cells(to, &score_columns, NULL);
    mls_emit_cells(to, &wide_columns, NULL);
    for (int kind = 0; kind < MLS_WIDE_KINDS; kind++) {
        emit_wide_names(to, wide, (mls_wide_kind)kind);
    }
    mls_emit_end(to);
    for (size_t i = 0; i < wide->collection->group_count; i++) {
        const mls_group *group = &wide->collection->groups[i];
        for (size_t k = 0; k < group->run_count; k++) {
            emit_wide_run(to, wide, &(run_place){group, group->runs[k], k});
        }
    }
}

const mls_report mls_score_wide_report = {
    .section = "WIDE SCORE CSV", .columns = &wide_columns, .rows = wide_rows, .headed = true};
