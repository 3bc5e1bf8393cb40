/* SPDX-License-Identifier: Apache-2.0 */
/* settings.c - find the settings that differ in a block, and outliers among its runs. */
#include <math.h>
#include <stdlib.h>

#include "base/map.h"
#include "base/statistics.h"
#include "compare/side.h"

/* Criteria for outliers: the minimum number of runs, deviations from the median, and relative distance from the median.
 */
enum { OUTLIERS_OF = 5 };
#define OUTLIER_DEVIATIONS 3.5
#define OUTLIER_DEVIATION_LEAST 0.01

/* Add a value that `runs` runs of a group have, or (NULL) a missing one.  Equal values are merged later. */
static void add_value(mls_arena *arena, mls_setting_values *values, const mls_setting *setting, size_t runs)
{
    const mls_setting_value value = {setting != NULL ? *setting : (mls_setting){.number = NAN},
                                     .lacking = setting == NULL, .runs = runs};
    MLS_ARENA_ADD(arena, values, value);
}

static int compare_setting_values(const void *left, const void *right)
{
    const mls_setting_value *a = left;
    const mls_setting_value *b = right;
    if (a->lacking != b->lacking || a->setting.kind != b->setting.kind)
        return a->lacking != b->lacking ? a->lacking - b->lacking : (int)a->setting.kind - (int)b->setting.kind;
    const int order = mls_compare_doubles(a->setting.number, b->setting.number);
    return order != 0 ? order : mls_str_compare(a->setting.text, b->setting.text);
}

/* Find or create the row of a key. */
static mls_differing *row_of(mls_arena *arena, mls_differings *rows, mls_map *by_key, mls_str key,
                             const mls_block *block)
{
    bool added;
    mls_map_entry *entry = mls_map_put(by_key, key, &added);
    if (added) {
        const mls_differing row = {.key = entry->key,
                                   .values = mls_arena_zeroed(arena, block->group_count, sizeof *row.values),
                                   .value_count = block->group_count};
        entry->value.number = rows->count;
        MLS_ARENA_ADD(arena, rows, row);
        for (size_t i = 0; i < block->group_count; i++)
            row.values[i].group = block->groups[i];
    }
    return &rows->items[entry->value.number];
}

static int compare_value_counts(const void *left, const void *right)
{
    const mls_setting_value *a = left;
    const mls_setting_value *b = right;
    const int order = mls_compare_sizes(b->runs, a->runs);
    return order != 0 ? order : mls_str_compare(a->setting.text, b->setting.text);
}

/* Merge equal values, the most frequent first. */
static void count_values(mls_setting_values *values)
{
    size_t kept = 0;
    if (values->count < 2)
        return;
    qsort(values->items, values->count, sizeof *values->items, compare_setting_values);
    for (size_t k = 1; k < values->count; k++) {
        mls_setting_value *last = &values->items[kept];
        const mls_setting_value *next = &values->items[k];
        if (last->lacking == next->lacking && (last->lacking || mls_setting_same(&last->setting, &next->setting)))
            last->runs += next->runs;
        else
            values->items[++kept] = *next;
    }
    values->count = kept + 1;
    qsort(values->items, values->count, sizeof *values->items, compare_value_counts);
}

static int compare_keys(const void *left, const void *right)
{
    return mls_str_compare(((const mls_differing *)left)->key, ((const mls_differing *)right)->key);
}

/* Add missing values, sort all values, and determine whether the row differs.  If `known_only` is set, ignore missing
 * values. */
static void finish_row(mls_arena *arena, mls_differing *row, bool known_only)
{
    bool untold = false; /* unknown, because a published result only has the settings that all its runs share */
    const mls_setting_value *first = NULL;
    for (size_t i = 0; i < row->value_count; i++) {
        mls_setting_values *values = &row->values[i];
        size_t having = 0;
        for (size_t k = 0; k < values->count; k++)
            having += values->items[k].runs;
        /* Some exports do not contain the settings of runs. */
        size_t settings = 0;
        for (size_t k = 0; k < values->group->runs.count; k++)
            settings += values->group->runs.items[k].settings.count;
        const bool unknown = having == 0 && (values->group->published != NULL || settings == 0);
        untold |= unknown && values->group->published != NULL;
        if (having != values->group->runs.count && !unknown)
            add_value(arena, values, NULL, values->group->runs.count - having);
        count_values(values);
        for (size_t k = 0; k < values->count; k++) {
            const mls_setting_value *value = &values->items[k];
            if (value->lacking)
                row->differs |= !known_only;
            else if (first == NULL)
                first = value;
            else
                row->differs |= !mls_setting_same(&first->setting, &value->setting);
        }
    }
    row->differs &= !untold;
}

/* The settings of runs from which rows are made. */
typedef enum setting_list { OF_HYPERPARAMETERS, OF_ENVIRONMENT, OF_PRINTED } setting_list;

static void make_rows(const mls_block *block, mls_arena *arena, mls_differings *rows, mls_map *by_key,
                      setting_list list)
{
    for (size_t i = 0; i < block->group_count; i++) {
        const mls_side_group *group = block->groups[i];
        for (size_t k = 0; k < group->runs.count; k++) {
            const mls_side_run *run = &group->runs.items[k];
            const mls_settings *settings = list == OF_HYPERPARAMETERS ? &run->settings
                                           : list == OF_ENVIRONMENT   ? &run->environment
                                                                      : &run->printed;
            for (size_t s = 0; s < settings->count; s++) {
                mls_differing *row = row_of(arena, rows, by_key, settings->items[s].key, block);
                /* If an export contains a key twice in one run, the first counts. */
                if (row->values[i].upto <= k) {
                    row->values[i].upto = k + 1;
                    add_value(arena, &row->values[i], &settings->items[s], 1);
                }
            }
        }
    }
    for (size_t i = 0; i < rows->count; i++) {
        finish_row(arena, &rows->items[i], list != OF_HYPERPARAMETERS);
        rows->differ += rows->items[i].differs;
    }
    if (rows->count > 1 && list == OF_HYPERPARAMETERS)
        qsort(rows->items, rows->count, sizeof *rows->items, compare_keys);
}

/* Return whether runs of one side have different values, so that the value is not a property of the side. */
static bool varies_within(const mls_differing *row)
{
    bool varies = false;
    for (size_t i = 0; i < row->value_count; i++)
        varies |= row->values[i].count > 1;
    return varies;
}

/* List the rows that differ: known settings in the order of their table, then others. */
static void list_settings(const mls_known_settings *known, mls_arena *arena, mls_differings *from, mls_differings *list,
                          mls_differings *others)
{
    mls_differing *rows[MLS_KNOWN_SETTINGS_MAX] = {0};
    for (size_t i = 0; i < from->count; i++) {
        mls_differing *row = &from->items[i];
        if (!row->differs || varies_within(row))
            continue;
        row->known = mls_known_setting_named(known, row->key);
        if (row->known != NULL)
            rows[row->known - known->items] = row;
        else
            MLS_ARENA_ADD(arena, others, *row);
    }
    for (size_t i = 0; i < known->count; i++)
        if (rows[i] != NULL)
            MLS_ARENA_ADD(arena, list, *rows[i]);
    list->differ = list->count;
    others->differ = others->count;
}

void mls_block_hyperparameters(mls_block *block, mls_arena *arena)
{
    mls_map by_key = {.arena = arena};
    make_rows(block, arena, &block->hyperparameters, &by_key, OF_HYPERPARAMETERS);
}

void mls_block_settings(mls_block *block, const mls_known_settings *known, mls_arena *arena)
{
    mls_map places = {.arena = arena};
    mls_map by_key = {.arena = arena};
    mls_differings printed = {0};
    mls_differings exported = {0};
    mls_block_hyperparameters(block, arena);
    make_rows(block, arena, &block->environment, &places, OF_ENVIRONMENT);
    /* Collect printed settings, and exports of the configs that no log printed. */
    make_rows(block, arena, &printed, &by_key, OF_PRINTED);
    mls_block_exports(block, known, arena, &exported);
    for (size_t i = 0; i < exported.count; i++)
        exported.items[i].differs = mls_map_find(&by_key, exported.items[i].key) == NULL;
    list_settings(known, arena, &printed, &block->printed, &block->printed_others);
    list_settings(known, arena, &exported, &block->exported, &block->exported_others);
}

/* Return the milliseconds per sample of a run, or NAN if it is invalid or incomplete. */
static double sample_ms(const mls_side_run *run)
{
    return run->valid && run->has_ms && run->ms > 0 && run->unit != NULL && run->to_converge > 0
               ? (double)run->ms / run->to_converge
               : (double)NAN;
}

static void find_outliers(mls_block *block, mls_arena *arena, const mls_side_group *group)
{
    double *paces = mls_arena_array(arena, 2 * group->runs.count + 1, sizeof *paces);
    const char *unit = NULL;
    size_t count = 0;
    for (size_t i = 0; i < group->runs.count; i++) {
        const mls_side_run *run = &group->runs.items[i];
        const double pace = sample_ms(run);
        if (isfinite(pace)) {
            if (unit != NULL && strcmp(unit, run->unit) != 0)
                return;
            unit = run->unit;
            paces[count++] = pace;
        }
    }
    if (count < OUTLIERS_OF)
        return;
    mls_sort_doubles(paces, count);
    const double middle = mls_median(paces, count);
    const double deviation = fmax(MLS_DISTANCE_TO_STDEV * mls_median_distance(paces, count, middle, paces + count),
                                  OUTLIER_DEVIATION_LEAST * middle);
    for (size_t i = 0; i < group->runs.count; i++) {
        const mls_side_run *run = &group->runs.items[i];
        const double pace = sample_ms(run);
        if (fabs(pace - middle) > OUTLIER_DEVIATIONS * deviation)
            MLS_ARENA_ADD(arena, &block->outliers, (mls_outlier){group, run, pace / middle - 1});
    }
}

void mls_block_outliers(mls_block *block, mls_arena *arena)
{
    for (size_t i = 0; i < block->group_count; i++)
        if (block->groups[i]->published == NULL)
            find_outliers(block, arena, block->groups[i]);
}
