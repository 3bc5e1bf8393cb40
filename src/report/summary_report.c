/* SPDX-License-Identifier: Apache-2.0 */
/* summary_report.c - CSV reports of the scores of groups, like the tables of published results: with a row for each
 * result, or with a row for each system. */
#include <math.h>
#include <stdlib.h>

#include "base/map.h"
#include "base/number.h"
#include "report/reports.h"

static double per_node(const mls_group *group)
{
    const double described = mls_first_number(group->system.accelerators_per_node);
    const uint64_t named = isnan(described) ? mls_group_shape(group).gpus_per_node : 0;
    return named > 0 ? (double)named : described;
}

static const char *accelerator_of(const mls_group *group)
{
    const char *name = group->system.accelerator_model_name;
    return name != NULL && name[0] != '\0' ? name : group->accelerator;
}

/* The fields that identify a system.  Groups with equal values are results of the same system. */
#define OF_SYSTEM(F)                                                                                                   \
    F(summary, usage, TEXT, "", mls_usage_name(row->usage))                                                            \
    F(summary, round, TEXT, "", mls_edition_round(row->edition))                                                       \
    F(summary, submitter, TEXT_OR_NULL, "",                                                                            \
      row->system.submitter != NULL ? row->system.submitter : row->runs[0]->organisation)                              \
    F(summary, division, TEXT_OR_NULL, "", mls_division_name(row->division))                                           \
    F(summary, availability, TEXT_OR_NULL, "", row->system.status)                                                     \
    F(summary, system_id, TEXT_OR_NULL, "", row->system_id)                                                            \
    F(summary, system_name, TEXT_OR_NULL, "", row->system.system_name)                                                 \
    F(summary, nodes, NUMBER_OR_NULL, "", row->nodes)                                                                  \
    F(summary, accelerators_per_node, NUMBER_OR_NULL, "", per_node(row))                                               \
    F(summary, accelerators, NUMBER_OR_NULL, "", row->accelerators)                                                    \
    F(summary, accelerator, TEXT_OR_NULL, "", accelerator_of(row))                                                     \
    F(summary, host_processor, TEXT_OR_NULL, "", row->system.host_processor_model_name)                                \
    F(summary, framework, TEXT_OR_NULL, "", row->system.framework)
#define SUMMARY_FIELDS(F)                                                                                              \
    OF_SYSTEM(F)                                                                                                       \
    F(summary, benchmark, TEXT_OR_NULL, "", row->benchmark)                                                            \
    F(summary, scaling, TEXT, "", mls_is_weak(&row->weak) ? "weak" : "strong")                                         \
    F(summary, runs, NUMBER, "", row->run_count)                                                                       \
    F(summary, runs_ok, NUMBER, "", mls_group_valid_runs(row))                                                         \
    F(summary, minutes, NUMBER_OR_NULL, "minutes", mls_group_result(row).scaled_minutes)                               \
    F(summary, scale_factor, NUMBER, "", mls_group_result(row).scale)                                                  \
    F(summary, global_batch_size, NUMBER_OR_NULL, "", row->global_batch_size)                                          \
    F(summary, to_converge, NUMBER_OR_NULL, "", mls_group_to_converge(row).number)                                     \
    F(summary, unit, TEXT_OR_NULL, "", mls_group_to_converge(row).unit)                                                \
    F(summary, official, BOOL, "", mls_group_result(row).official)                                                     \
    F(summary, score_minutes, NUMBER_OR_NULL, "minutes", mls_group_result(row).minutes)                                \
    F(summary, energy_joules, IF(NUMBER, row->power.joules != NULL), "joules", row->power.energy_joules)               \
    F(summary, path, TEXT, "", row->path)                                                                              \
    F(summary, precision, TEXT_OR_NULL, "", row->precision.value)
MLS_FIELDS(summary, mls_group, SUMMARY_FIELDS)

#define COLUMN_NAME(kind, name, type, in, value) #name " "

#define SUMMARIES_FIELDS(F)                                                                                            \
    F(summaries, results, LIST(summary), "", MLS_EACH(row->group_count, mls_emit_row(to, &row->groups[i])))
MLS_FIELDS(summaries, mls_collection, SUMMARIES_FIELDS)

const mls_report mls_summary_report = {
    .columns = {.section = "SUMMARY CSV",
                .names = OF_SYSTEM(COLUMN_NAME) "benchmark scaling runs runs_ok minutes scale_factor global_batch_size "
                                                "to_converge unit official score_minutes energy_joules path precision",
                .rows = "results",
                .sources = {&summary_fields},
                .root = &summaries_fields}};

/* The table with a row for each system and a column for each benchmark, made from a collection. */
typedef struct system_table {
    const mls_collection *collection;
    mls_arena arena;
    mls_map rows;       /* system and number of the row of this system -> index of the first group in the row */
    mls_map taken;      /* system and benchmark -> number of groups with both so far */
    mls_map benchmarks; /* names of the columns */
    struct {
        size_t row, benchmark; /* indexes of the row and the column; benchmark SIZE_MAX: unknown benchmark */
        double minutes;
    } * cells; /* the cell of each group */
} system_table;

static void key_str(mls_buffer *key, mls_str text)
{
    mls_buffer_append(key, text);
    mls_buffer_append_char(key, '\0');
}

static void key_text(mls_buffer *key, const char *text)
{
    key_str(key, mls_str_from(text));
}

static void key_number(mls_buffer *key, double number)
{
    key_text(key, mls_words_exact(number).text);
}

/* Append a field of a system to `key`. */
#define KEY_CELL(kind, name, type, in, value)                                                                          \
    _Generic((value), mls_str : key_str, double : key_number, default : key_text)(&key, value);

static size_t add_benchmark(system_table *table, const char *name)
{
    return (size_t)(mls_map_put(&table->benchmarks, mls_str_from(name), NULL) - table->benchmarks.entries);
}

typedef struct system_place {
    const system_table *table;
    size_t row;
} system_place;

/* The first group of a row describes its system. */
#define SYSTEM_FIELDS(F)                                                                                               \
    F(system, first, OBJECT_OF(summary), "",                                                                           \
      &row->table->collection->groups[row->table->rows.entries[row->row].value.number])
MLS_FIELDS(system, system_place, SYSTEM_FIELDS)

static void emit_systems(mls_emitter *to, const mls_collection *collection)
{
    system_table table = {.collection = collection};
    mls_buffer key = {0};
    table.rows.arena = table.taken.arena = table.benchmarks.arena = &table.arena;
    table.cells = mls_arena_zeroed(&table.arena, collection->group_count + 1, sizeof *table.cells);
    for (size_t i = 0; i < collection->group_count; i++) {
        const mls_group *row = &collection->groups[i];
        bool added = false;
        for (size_t b = 0; b < row->edition->benchmark_count; b++)
            (void)add_benchmark(&table, row->edition->benchmarks[b]->name);
        table.cells[i].benchmark = row->benchmark != NULL ? add_benchmark(&table, row->benchmark) : SIZE_MAX;
        table.cells[i].minutes = mls_group_result(row).scaled_minutes;
        /* If a system has several results on the same benchmark, each of them is in a separate row. */
        mls_buffer_clear(&key);
        OF_SYSTEM(KEY_CELL)
        const size_t system = key.len;
        key_text(&key, row->benchmark);
        const uint64_t before = mls_map_put(&table.taken, mls_buffer_str(&key), NULL)->value.number++;
        mls_buffer_cut(&key, system);
        mls_buffer_printf(&key, "%zu", (size_t)before);
        mls_map_entry *place = mls_map_put(&table.rows, mls_buffer_str(&key), &added);
        place->value.number = added ? i : place->value.number;
        table.cells[i].row = (size_t)(place - table.rows.entries);
    }
    for (size_t row = 0; row < table.rows.count; row++)
        mls_emit_row(to, &(system_place){&table, row});
    mls_buffer_release(&key);
    mls_arena_release(&table.arena);
}

#define SYSTEMS_FIELDS(F) F(systems, systems, LIST(system), "", emit_systems(to, row))
MLS_FIELDS(systems, mls_collection, SYSTEMS_FIELDS)

/* Write a column for each benchmark, with the minutes of the system's result. */
static void emit_benchmarks(mls_emitter *to, const void *what, bool names)
{
    const mls_collection *collection = what;
    const system_place *place = mls_emitter_row(to, &system_fields);
    const system_table *table = place != NULL ? place->table : NULL;
    for (size_t b = 0; table != NULL && b < table->benchmarks.count; b++) {
        const mls_str name = table->benchmarks.entries[b].key;
        double minutes = (double)NAN;
        for (size_t i = 0; i < collection->group_count; i++)
            if (table->cells[i].row == place->row && table->cells[i].benchmark == b)
                minutes = table->cells[i].minutes;
        if (names)
            mls_emit_str(to, name);
        else
            mls_emit_number(to, minutes);
    }
}

const mls_report mls_summary_wide_report = {.columns = {.section = "SUMMARY CSV",
                                                        .names = OF_SYSTEM(COLUMN_NAME),
                                                        .rows = "systems first",
                                                        .sources = {&summary_fields},
                                                        .root = &systems_fields,
                                                        .more = emit_benchmarks}};
