/* SPDX-License-Identifier: Apache-2.0 */
/* compare_fields.c - a comparison for programs: JSON, NDJSON and CSV. */
#include <math.h>
#include <string.h>

#include "report/compare_report.h"

double mls_compare_part(const mls_side_group *group, mls_part part)
{
    const double mean = mls_sum_mean(&group->parts[part], group->kept);
    const bool delimited = group->evaluations.known && group->kept > 0;
    if (delimited || part > MLS_PART_EVALUATION) {
        return mean;
    }
    return part == MLS_PART_EVALUATION ? (double)NAN
                                       : mean + mls_sum_mean(&group->parts[MLS_PART_EVALUATION], group->kept);
}

double mls_compare_init_minutes(const mls_side_group *group)
{
    return mls_sum_mean(&group->init_ms, group->kept) / 60000;
}

double mls_compare_rate(const mls_side_group *group, double ms)
{
    return group->to_converge / ms * (mls_compare_epochs(group) ? 3600e3 : 1e3);
}

bool mls_compare_epochs(const mls_side_group *group)
{
    return group->unit != NULL && strcmp(group->unit, "epochs") == 0;
}

/* -------------------------------------------------------------- what differs */

static void emit_run_setting(mls_emitter *to, const mls_setting_value *value)
{
    if (value->lacking) {
        mls_emit_null(to);
    } else if (value->setting.kind == MLS_SETTING_NUMBER) {
        mls_emit_number(to, value->setting.number);
    } else if (value->setting.kind == MLS_SETTING_BOOL) {
        mls_emit_bool(to, value->setting.number > 0);
    } else {
        mls_emit_str(to, value->setting.text);
    }
}

#define SETTING_VALUE_FIELDS(F)                                                                                        \
    F(setting_value, value, ANY, "", emit_run_setting(to, row))                                                        \
    F(setting_value, runs, NUMBER, "", row->runs)
MLS_FIELDS(setting_value, mls_setting_value, SETTING_VALUE_FIELDS)

static void emit_varying(mls_emitter *to, const mls_differing *differing)
{
    mls_emit_open(to, '[');
    for (size_t i = 0; i < differing->value_count; i++) {
        if (differing->values[i].count > 1) {
            mls_emit_text(to, differing->values[i].group->side->name);
        }
    }
    mls_emit_close(to, ']');
}

static void emit_values(mls_emitter *to, const mls_differing *differing)
{
    mls_emit_open(to, '{');
    for (size_t k = 0; k < differing->value_count; k++) {
        mls_emit_name(to, mls_str_from(differing->values[k].group->side->name));
        MLS_EMIT_ROWS(setting_value, differing->values[k].items, differing->values[k].count);
    }
    mls_emit_close(to, '}');
}

#define DIFFERING_FIELDS(F)                                                                                            \
    F(differing, key, TEXT, "", row->key)                                                                              \
    F(differing, varies, ARRAY, "", emit_varying(to, row))                                                             \
    F(differing, values, OBJECT, "", emit_values(to, row))
MLS_FIELDS(differing, mls_differing, DIFFERING_FIELDS)

static void emit_differings(mls_emitter *to, const mls_differings *list)
{
    mls_emit_open(to, '[');
    for (size_t k = 0; k < list->count; k++) {
        if (list->items[k].differs) {
            mls_emit_object(to, &differing_fields, &list->items[k]);
        }
    }
    mls_emit_close(to, ']');
}

#define OUTLIER_FIELDS(F)                                                                                              \
    F(outlier, side, TEXT, "", row->group->side->name)                                                                 \
    F(outlier, file, TEXT, "", row->run->file)                                                                         \
    F(outlier, minutes, NUMBER, "minutes", row->run->minutes)                                                          \
    F(outlier, ratio, NUMBER, "", row->ratio)
MLS_FIELDS(outlier, mls_outlier, OUTLIER_FIELDS)

/* ------------------------------------------------------------- what is compared */

#define COMPARED_FIELDS(F)                                                                                             \
    F(compared, side, TEXT, "", row->side->name)                                                                       \
    F(compared, path, TEXT, "", row->path)                                                                             \
    F(compared, edition, TEXT, "", row->edition)                                                                       \
    F(compared, config, TEXT_OR_NULL, "", row->config)                                                                 \
    F(compared, global_batch_size, NUMBER_OR_NULL, "", row->global_batch_size)                                         \
    F(compared, accelerators, NUMBER_OR_NULL, "", row->accelerators)                                                   \
    F(compared, accelerator, TEXT_OR_NULL, "", row->accelerator)                                                       \
    F(compared, runs, NUMBER, "", row->run_count)                                                                      \
    F(compared, valid, NUMBER, "", row->valid)                                                                         \
    F(compared, kept, NUMBER, "", row->kept)                                                                           \
    F(compared, dropped, NUMBER, "", row->dropped)                                                                     \
    F(compared, official, BOOL, "", row->official)                                                                     \
    F(compared, score_minutes, NUMBER_OR_NULL, "minutes", row->score_minutes)                                          \
    F(compared, scale, NUMBER_OR_NULL, "", row->scale)                                                                 \
    F(compared, scaled_minutes, NUMBER_OR_NULL, "minutes", row->scaled_minutes)                                        \
    F(compared, mean_minutes, NUMBER_OR_NULL, "minutes", row->mean_minutes)                                            \
    F(compared, stdev_minutes, NUMBER_OR_NULL, "minutes", row->stdev_minutes)                                          \
    F(compared, to_converge, NUMBER_OR_NULL, "", row->to_converge)                                                     \
    F(compared, unit, TEXT_OR_NULL, "", row->unit)                                                                     \
    F(compared, throughput, NUMBER_OR_NULL, "samples/s or epochs/h",                                                   \
      mls_compare_rate(row, mls_compare_part(row, MLS_PART_TRAINING)))                                                 \
    F(compared, init_minutes, NUMBER_OR_NULL, "minutes", mls_compare_init_minutes(row))                                \
    F(compared, training_ms, NUMBER_OR_NULL, "ms", mls_compare_part(row, MLS_PART_TRAINING))                           \
    F(compared, evaluation_ms, NUMBER_OR_NULL, "ms", mls_compare_part(row, MLS_PART_EVALUATION))                       \
    F(compared, evaluations, NUMBER_OR_NULL, "", mls_sum_mean(&row->evaluations, row->kept))                           \
    F(compared, startup_ms, NUMBER_OR_NULL, "ms", mls_compare_part(row, MLS_PART_STARTUP))                             \
    F(compared, between_ms, NUMBER_OR_NULL, "ms", mls_compare_part(row, MLS_PART_BETWEEN))                             \
    F(compared, tail_ms, NUMBER_OR_NULL, "ms", mls_compare_part(row, MLS_PART_TAIL))
MLS_FIELDS(compared, mls_side_group, COMPARED_FIELDS)

static const char *interval_of(const mls_difference *difference)
{
    return difference->of_mean ? "mean" : "score";
}

#define INTERVAL_FIELDS(F)                                                                                             \
    F(interval, of, TEXT, "", interval_of(row))                                                                        \
    F(interval, low_minutes, NUMBER, "minutes", row->low_minutes)                                                      \
    F(interval, high_minutes, NUMBER, "minutes", row->high_minutes)                                                    \
    F(interval, df, NUMBER_OR_NULL, "", row->degrees)                                                                  \
    F(interval, p, NUMBER_OR_NULL, "", row->p)
MLS_FIELDS(interval, mls_difference, INTERVAL_FIELDS)

static double whole_or_null(bool known, int64_t ms)
{
    return known ? (double)ms : (double)NAN;
}

typedef struct share_place {
    const mls_split *split;
    mls_share share;
} share_place;
#define SHARE_FIELDS(F)                                                                                                \
    F(share, name, TEXT, "", mls_share_name(row->share))                                                               \
    F(share, ms, NUMBER, "ms", row->split->ms[row->share])
MLS_FIELDS(share, share_place, SHARE_FIELDS)

static void emit_shares(mls_emitter *to, const mls_split *split)
{
    mls_emit_open(to, '[');
    for (mls_share share = 0; share < MLS_SHARE_COUNT && split->known; share++) {
        if (split->has[share]) {
            mls_emit_object(to, &share_fields, &(share_place){split, share});
        }
    }
    mls_emit_close(to, ']');
}

#define DIFFERENCE_FIELDS(F)                                                                                           \
    F(difference, side, TEXT, "", row->b->side->name)                                                                  \
    F(difference, minutes, NUMBER_OR_NULL, "minutes", row->minutes)                                                    \
    F(difference, ratio, NUMBER_OR_NULL, "", row->ratio)                                                               \
    F(difference, scaled_ratio, NUMBER_OR_NULL, "", row->scaled_ratio)                                                 \
    F(difference, interval, OBJECT_OR_NULL, "", mls_emit_object(to, &interval_fields, row->has_interval ? row : NULL)) \
    F(difference, mann_whitney_p, NUMBER_OR_NULL, "", row->mann_whitney_p)                                             \
    F(difference, detectable_ratio, NUMBER_OR_NULL, "", row->detectable_ratio)                                         \
    F(difference, verdict, TEXT, "", mls_compare_verdict_name(row->verdict))                                           \
    F(difference, total_ms, NUMBER_OR_NULL, "ms", whole_or_null(row->split.known, row->split.total_ms))                \
    F(difference, parts, ARRAY, "", emit_shares(to, &row->split))                                                      \
    F(difference, init_ms, NUMBER_OR_NULL, "ms", whole_or_null(row->has_init, row->init_ms))
MLS_FIELDS(difference, mls_difference, DIFFERENCE_FIELDS)

#define BLOCK_FIELDS(F)                                                                                                \
    F(block, benchmark, TEXT_OR_NULL, "", row->groups[0]->benchmark)                                                   \
    F(block, division, TEXT_OR_NULL, "", mls_division_name(row->groups[0]->division))                                  \
    F(block, usage, TEXT, "", mls_usage_name(row->groups[0]->usage))                                                   \
    F(block, groups, ARRAY, "",                                                                                        \
      MLS_EMIT_LIST(to, row->group_count, mls_emit_object(to, &compared_fields, row->groups[i])))                      \
    F(block, differences, ARRAY, "", MLS_EMIT_ROWS(difference, row->differences + 1, row->group_count - 1))            \
    F(block, hyperparameters, ARRAY, "", emit_differings(to, &row->hyperparameters))                                   \
    F(block, environment, ARRAY, "", emit_differings(to, &row->environment))                                           \
    F(block, outliers, ARRAY, "", MLS_EMIT_ROWS(outlier, row->outliers.items, row->outliers.count))
MLS_FIELDS(block, mls_block, BLOCK_FIELDS)

/* -------------------------------------------------------------------- the whole */

#define SIDE_FIELDS(F)                                                                                                 \
    F(side, name, TEXT, "", row->name)                                                                                 \
    F(side, paths, ARRAY, "", MLS_EMIT_LIST(to, row->paths.count, mls_emit_text(to, row->paths.items[i])))
MLS_FIELDS(side, mls_side, SIDE_FIELDS)

#define UNMATCHED_FIELDS(F)                                                                                            \
    F(unmatched, side, TEXT, "", row->group->side->name)                                                               \
    F(unmatched, path, TEXT, "", row->group->path)                                                                     \
    F(unmatched, benchmark, TEXT_OR_NULL, "", row->group->benchmark)                                                   \
    F(unmatched, division, TEXT_OR_NULL, "", mls_division_name(row->group->division))                                  \
    F(unmatched, reason, TEXT, "", row->reason)
MLS_FIELDS(unmatched, mls_unmatched, UNMATCHED_FIELDS)

/* Files of logs, and exports. */
typedef struct not_compared {
    const char *file, *reason;
    bool failed;
} not_compared;
#define NOT_COMPARED_FIELDS(F)                                                                                         \
    F(not_compared, file, TEXT, "", row->file)                                                                         \
    F(not_compared, reason, TEXT, "", row->reason)                                                                     \
    F(not_compared, failed, BOOL, "", row->failed)
MLS_FIELDS(not_compared, not_compared, NOT_COMPARED_FIELDS)

static void emit_skipped(mls_emitter *to, const mls_comparison *in)
{
    mls_emit_open(to, '[');
    for (size_t c = 0; c < in->collection_count; c++) {
        for (size_t i = 0; i < in->collections[c].skipped.count; i++) {
            const mls_source *source = &in->collections[c].skipped.items[i];
            mls_emit_object(to, &not_compared_fields, &(not_compared){source->path, source->skip, source->failed});
        }
    }
    for (size_t i = 0; i < in->problems.count; i++) {
        const mls_side_problem *problem = &in->problems.items[i];
        mls_emit_object(to, &not_compared_fields, &(not_compared){problem->path, problem->error.message, true});
    }
    mls_emit_close(to, ']');
}

#define COMPARISON_FIELDS(F)                                                                                           \
    F(comparison, baseline, TEXT_OR_NULL, "", row->baseline->name)                                                     \
    F(comparison, sides, ARRAY, "",                                                                                    \
      MLS_EMIT_LIST(to, row->sides.count, mls_emit_object(to, &side_fields, row->sides.items[i])))                     \
    F(comparison, comparisons, ARRAY, "", MLS_EMIT_ROWS(block, row->blocks.items, row->blocks.count))                  \
    F(comparison, unmatched, ARRAY, "", MLS_EMIT_ROWS(unmatched, row->unmatched.items, row->unmatched.count))          \
    F(comparison, published, ARRAY, "", MLS_EMIT_ROWS(mls_beside, row->beside.items, row->beside.count))               \
    F(comparison, scaling, ARRAY, "", MLS_EMIT_ROWS(mls_series, row->series.items, row->series.count))                 \
    F(comparison, skipped, ARRAY, "", emit_skipped(to, row))
MLS_FIELDS_AS(, mls_comparison_fields, comparison, mls_comparison, COMPARISON_FIELDS)

static const mls_fields *const tables_of_comparison[] = {&mls_comparison_fields,
                                                         &side_fields,
                                                         &block_fields,
                                                         &compared_fields,
                                                         &difference_fields,
                                                         &interval_fields,
                                                         &share_fields,
                                                         &differing_fields,
                                                         &setting_value_fields,
                                                         &outlier_fields,
                                                         &unmatched_fields,
                                                         &mls_beside_fields,
                                                         &mls_near_fields,
                                                         &mls_series_fields,
                                                         &mls_point_fields,
                                                         &not_compared_fields,
                                                         NULL};

static void comparison_lines(mls_emitter *to, const void *what)
{
    const mls_comparison *in = what;
    MLS_EMIT_LINES(block, in->blocks.items, in->blocks.count);
}

/* ------------------------------------------------------------------------ CSV */

#define DIFFERENCE_CSV_FIELDS(F)                                                                                       \
    F(difference_csv, benchmark, TEXT_OR_NULL, "", row->b->benchmark)                                                  \
    F(difference_csv, division, TEXT_OR_NULL, "", mls_division_name(row->b->division))                                 \
    F(difference_csv, baseline, TEXT, "", row->a->side->name)                                                          \
    F(difference_csv, interval_of, TEXT_OR_NULL, "", row->has_interval ? interval_of(row) : NULL)                      \
    F(difference_csv, low_minutes, NUMBER_OR_NULL, "minutes", row->low_minutes)                                        \
    F(difference_csv, high_minutes, NUMBER_OR_NULL, "minutes", row->high_minutes)                                      \
    F(difference_csv, df, NUMBER_OR_NULL, "", row->degrees)                                                            \
    F(difference_csv, p, NUMBER_OR_NULL, "", row->p)
MLS_FIELDS(difference_csv, mls_difference, DIFFERENCE_CSV_FIELDS)

/* Names with a point are none of C, so that these fields are written out. */
static void emit_part(mls_emitter *to, const void *of, mls_share share)
{
    const mls_split *split = &((const mls_difference *)of)->split;
    mls_emit_number(to, whole_or_null(split->known && split->has[share], split->ms[share]));
}
#define PART_FUNCTION(id, name)                                                                                        \
    static void emit_part_##name(mls_emitter *to, const void *of)                                                      \
    {                                                                                                                  \
        emit_part(to, of, MLS_SHARE_##id);                                                                             \
    }
#define PART_FIELD(id, name) {"part." #name, MLS_FIELD_NUMBER_OR_NULL, "ms", emit_part_##name},
#define PART_COLUMN(id, name) " part." #name
MLS_SHARE_LIST(PART_FUNCTION)
static const mls_field part_items[] = {MLS_SHARE_LIST(PART_FIELD)};
static const mls_fields part_fields = {part_items, sizeof part_items / sizeof *part_items};

static const mls_columns difference_columns = {
    "COMPARE CSV",
    "benchmark division baseline side minutes ratio scaled_ratio interval_of low_minutes high_minutes df p "
    "mann_whitney_p detectable_ratio verdict total_ms init_ms" MLS_SHARE_LIST(PART_COLUMN),
    {&difference_csv_fields, &difference_fields, &part_fields},
    0};

static void difference_rows(mls_emitter *to, const void *what)
{
    const mls_comparison *in = what;
    for (size_t i = 0; i < in->blocks.count; i++) {
        for (size_t k = 1; k < in->blocks.items[i].group_count; k++) {
            const mls_difference *row = &in->blocks.items[i].differences[k];
            mls_emit_row(to, &difference_columns, (const void *[MLS_SOURCES_MAX]){row, row, row});
        }
    }
}

const mls_report mls_compare_report = {.section = "COMPARE JSON",
                                       .show = mls_comparison_show,
                                       .object = &mls_comparison_fields,
                                       .tables = tables_of_comparison,
                                       .lines = comparison_lines,
                                       .columns = &difference_columns,
                                       .rows = difference_rows};
