/* SPDX-License-Identifier: Apache-2.0 */
/* settings.c - find the settings that differ in a block, and outliers among its runs. */
#include <math.h>
#include <stdlib.h>

#include "base/map.h"
#include "base/statistics.h"
#include "compare/side.h"

/* Criteria for outliers: the minimum number of runs in a group, the minimum number of deviations from the median, and
 * the minimum relative distance from the median. */
enum { OUTLIERS_OF = 5 };
#define OUTLIER_DEVIATIONS 3.5
#define OUTLIER_DEVIATION_LEAST 0.01

static int compare_setting_values(const void *left, const void *right)
{
    const mls_setting_value *a = left;
    const mls_setting_value *b = right;
    if (a->lacking != b->lacking || a->setting.kind != b->setting.kind)
        return a->lacking != b->lacking ? a->lacking - b->lacking : (int)a->setting.kind - (int)b->setting.kind;
    const int order = mls_compare_doubles(a->setting.number, b->setting.number);
    return order != 0 ? order : mls_str_compare(a->setting.text, b->setting.text);
}

static int compare_value_counts(const void *left, const void *right)
{
    const mls_setting_value *a = left;
    const mls_setting_value *b = right;
    const int order = mls_compare_sizes(b->runs, a->runs);
    return order != 0 ? order : mls_str_compare(a->setting.text, b->setting.text);
}

static int compare_keys(const void *left, const void *right)
{
    return mls_str_compare(((const mls_differing *)left)->key, ((const mls_differing *)right)->key);
}

/* Complete a row: count the runs without a value, merge equal values, sort them by falling frequency, and determine
 * whether the values differ.  `known_only`: a missing value does not differ from others. */
static void finish_row(mls_arena *arena, mls_differing *row, bool known_only)
{
    /* A published result does not have the setting, which means that it is unknown or different among its runs. */
    bool unpublished = false;
    const mls_setting_value *first = NULL;
    for (size_t i = 0; i < row->value_count; i++) {
        mls_setting_values *values = &row->values[i];
        const mls_side_group *group = values->group;
        size_t having = 0;
        for (size_t k = 0; k < values->count; k++)
            having += values->items[k].runs;
        /* Some exports do not contain the settings of runs. */
        size_t settings = 0;
        for (size_t k = 0; k < group->runs.count; k++)
            settings += group->runs.items[k].settings.count;
        const bool unknown = having == 0 && (group->published != NULL || settings == 0);
        unpublished |= unknown && group->published != NULL;
        if (having != group->runs.count && !unknown) {
            MLS_ARENA_ADD(arena, values,
                          (mls_setting_value){{.number = NAN}, .lacking = true, .runs = group->runs.count - having});
        }
        if (values->count > 1) {
            size_t last = 0;
            qsort(values->items, values->count, sizeof *values->items, compare_setting_values);
            for (size_t k = 1; k < values->count; k++) {
                mls_setting_value *before = &values->items[last];
                const mls_setting_value *next = &values->items[k];
                if (before->lacking == next->lacking &&
                    (before->lacking || mls_setting_same(&before->setting, &next->setting)))
                    before->runs += next->runs;
                else
                    values->items[++last] = *next;
            }
            values->count = last + 1;
            qsort(values->items, values->count, sizeof *values->items, compare_value_counts);
        }
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
    row->differs &= !unpublished;
}

/* The list of settings of a run from which rows are made. */
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
                bool added;
                mls_map_entry *entry = mls_map_put(by_key, settings->items[s].key, &added);
                if (added) {
                    mls_setting_values *made = mls_arena_zeroed(arena, block->group_count, sizeof *made);
                    for (size_t g = 0; g < block->group_count; g++)
                        made[g].group = block->groups[g];
                    entry->value.number = rows->count;
                    MLS_ARENA_ADD(
                        arena, rows,
                        (mls_differing){.key = entry->key, .values = made, .value_count = block->group_count});
                }
                /* If an export contains a key twice for one run, the first value is used. */
                mls_setting_values *values = &rows->items[entry->value.number].values[i];
                if (values->upto <= k) {
                    values->upto = k + 1;
                    MLS_ARENA_ADD(arena, values, (mls_setting_value){.setting = settings->items[s], .runs = 1});
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

/* Store the rows that differ: known settings in `list`, in the order of their table; all others in `others`. */
static void list_settings(const mls_known_settings *known, mls_arena *arena, mls_differings *from, mls_differings *list,
                          mls_differings *others)
{
    mls_differing *rows[MLS_KNOWN_SETTINGS_MAX] = {0};
    for (size_t i = 0; i < from->count; i++) {
        mls_differing *row = &from->items[i];
        bool varies = false; /* the runs of a group have different values, so the setting does not describe the group */
        for (size_t k = 0; k < row->value_count; k++)
            varies |= row->values[k].count > 1;
        if (!row->differs || varies)
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
    /* Collect the printed settings, and the settings that configs export and no log printed. */
    make_rows(block, arena, &printed, &by_key, OF_PRINTED);
    mls_block_exports(block, known, arena, &exported);
    for (size_t i = 0; i < exported.count; i++)
        exported.items[i].differs = mls_map_find(&by_key, exported.items[i].key) == NULL;
    list_settings(known, arena, &printed, &block->printed, &block->printed_others);
    list_settings(known, arena, &exported, &block->exported, &block->exported_others);
}

/* Return the milliseconds per sample of a run; NAN if the run is not valid or the time is unknown. */
static double sample_ms(const mls_side_run *run)
{
    return run->valid && run->has_ms && run->ms > 0 && run->unit != NULL && run->to_converge > 0
               ? (double)run->ms / run->to_converge
               : (double)NAN;
}

void mls_block_outliers(mls_block *block, mls_arena *arena)
{
    for (size_t g = 0; g < block->group_count; g++) {
        const mls_side_group *group = block->groups[g];
        double *paces = mls_arena_array(arena, 2 * group->runs.count + 1, sizeof *paces);
        const char *unit = NULL;
        size_t count = 0;
        bool one_unit = true;
        for (size_t i = 0; i < group->runs.count; i++) {
            const mls_side_run *run = &group->runs.items[i];
            const double pace = sample_ms(run);
            if (!isfinite(pace))
                continue;
            unit = unit != NULL ? unit : run->unit;
            one_unit &= strcmp(unit, run->unit) == 0;
            paces[count++] = pace;
        }
        if (group->published != NULL || !one_unit || count < OUTLIERS_OF)
            continue;
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
}
