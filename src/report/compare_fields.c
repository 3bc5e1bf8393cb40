/* SPDX-License-Identifier: Apache-2.0 */
/* compare_fields.c - a comparison for programs: JSON, NDJSON and CSV. */
#include <math.h>

#include "report/compare_report.h"

static const char *side_name(const mls_comparison *in, const mls_side_group *group)
{
    return in->sides[group->side].name;
}

static double sum_mean_of(const mls_sum *sum, size_t kept)
{
    return sum->known && kept > 0 ? (double)sum->sum / (double)kept : (double)NAN;
}

double mls_compare_part(const mls_side_group *group, mls_part part)
{
    const double mean = sum_mean_of(&group->parts[part], group->kept);
    if (group->evaluations.known && group->kept > 0) {
        return mean;
    }
    return part == MLS_PART_EVALUATION ? (double)NAN
           : part == MLS_PART_TRAINING ? mean + sum_mean_of(&group->parts[MLS_PART_EVALUATION], group->kept)
                                       : mean;
}

double mls_compare_evaluations(const mls_side_group *group)
{
    return sum_mean_of(&group->evaluations, group->kept);
}

double mls_compare_init_minutes(const mls_side_group *group)
{
    return sum_mean_of(&group->init_ms, group->kept) / 60000;
}

double mls_compare_throughput(const mls_side_group *group)
{
    const double per_ms = group->to_converge / mls_compare_part(group, MLS_PART_TRAINING);
    const bool epochs = group->unit != NULL && mls_str_equal(mls_str_from(group->unit), MLS_S("epochs"));
    return per_ms * (epochs ? 3600e3 : 1e3);
}

/* -------------------------------------------------------------- what differs */

/* Something of a block, and where the names of the sides stand. */
typedef struct block_place {
    const mls_comparison *in;
    const mls_block *block;
    const void *what;
} block_place;

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

static void emit_varying(mls_emitter *to, const block_place *place)
{
    const mls_differing *differing = place->what;
    mls_emit_open(to, '[');
    for (size_t g = 0; g < place->block->group_count; g++) {
        if (differing->values[g].count > 1) {
            mls_emit_text(to, side_name(place->in, place->block->groups[g]));
        }
    }
    mls_emit_close(to, ']');
}

static void emit_values(mls_emitter *to, const block_place *place)
{
    const mls_differing *differing = place->what;
    mls_emit_open(to, '{');
    for (size_t g = 0; g < place->block->group_count; g++) {
        mls_emit_name(to, mls_str_from(side_name(place->in, place->block->groups[g])));
        MLS_EMIT_ROWS(setting_value, differing->values[g].items, differing->values[g].count);
    }
    mls_emit_close(to, '}');
}

#define DIFFERING_FIELDS(F)                                                                                            \
    F(differing, key, TEXT, "", ((const mls_differing *)row->what)->key)                                               \
    F(differing, varies, ARRAY, "", emit_varying(to, row))                                                             \
    F(differing, values, OBJECT, "", emit_values(to, row))
MLS_FIELDS(differing, block_place, DIFFERING_FIELDS)

static void emit_differings(mls_emitter *to, const block_place *place, const mls_differings *list)
{
    mls_emit_open(to, '[');
    for (size_t k = 0; k < list->count; k++) {
        if (list->items[k].differs) {
            mls_emit_object(to, &differing_fields, &(block_place){place->in, place->block, &list->items[k]});
        }
    }
    mls_emit_close(to, ']');
}

#define OUTLIER_FIELDS(F)                                                                                              \
    F(outlier, side, TEXT, "", side_name(row->in, row->block->groups[((const mls_outlier *)row->what)->group]))        \
    F(outlier, file, TEXT, "", ((const mls_outlier *)row->what)->run->file)                                            \
    F(outlier, minutes, NUMBER, "minutes", ((const mls_outlier *)row->what)->run->minutes)                             \
    F(outlier, ratio, NUMBER, "", ((const mls_outlier *)row->what)->ratio)
MLS_FIELDS(outlier, block_place, OUTLIER_FIELDS)

/* ------------------------------------------------------------- what is compared */

typedef struct group_place {
    const mls_comparison *in;
    const mls_side_group *group;
} group_place;

#define COMPARED_FIELDS(F)                                                                                             \
    F(compared, side, TEXT, "", side_name(row->in, row->group))                                                        \
    F(compared, path, TEXT, "", row->group->path)                                                                      \
    F(compared, edition, TEXT, "", row->group->edition)                                                                \
    F(compared, config, TEXT_OR_NULL, "", row->group->config)                                                          \
    F(compared, global_batch_size, NUMBER_OR_NULL, "", row->group->global_batch_size)                                  \
    F(compared, accelerators, NUMBER_OR_NULL, "", row->group->accelerators)                                            \
    F(compared, accelerator, TEXT_OR_NULL, "", row->group->accelerator)                                                \
    F(compared, runs, NUMBER, "", row->group->run_count)                                                               \
    F(compared, valid, NUMBER, "", row->group->valid)                                                                  \
    F(compared, kept, NUMBER, "", row->group->kept)                                                                    \
    F(compared, dropped, NUMBER, "", row->group->dropped)                                                              \
    F(compared, official, BOOL, "", row->group->official)                                                              \
    F(compared, score_minutes, NUMBER_OR_NULL, "minutes", row->group->score_minutes)                                   \
    F(compared, scale, NUMBER_OR_NULL, "", row->group->scale)                                                          \
    F(compared, scaled_minutes, NUMBER_OR_NULL, "minutes", row->group->scaled_minutes)                                 \
    F(compared, mean_minutes, NUMBER_OR_NULL, "minutes", row->group->mean_minutes)                                     \
    F(compared, stdev_minutes, NUMBER_OR_NULL, "minutes", row->group->stdev_minutes)                                   \
    F(compared, to_converge, NUMBER_OR_NULL, "", row->group->to_converge)                                              \
    F(compared, unit, TEXT_OR_NULL, "", row->group->unit)                                                              \
    F(compared, throughput, NUMBER_OR_NULL, "samples/s or epochs/h", mls_compare_throughput(row->group))               \
    F(compared, init_minutes, NUMBER_OR_NULL, "minutes", mls_compare_init_minutes(row->group))                         \
    F(compared, training_ms, NUMBER_OR_NULL, "ms", mls_compare_part(row->group, MLS_PART_TRAINING))                    \
    F(compared, evaluation_ms, NUMBER_OR_NULL, "ms", mls_compare_part(row->group, MLS_PART_EVALUATION))                \
    F(compared, evaluations, NUMBER_OR_NULL, "", mls_compare_evaluations(row->group))                                  \
    F(compared, startup_ms, NUMBER_OR_NULL, "ms", mls_compare_part(row->group, MLS_PART_STARTUP))                      \
    F(compared, between_ms, NUMBER_OR_NULL, "ms", mls_compare_part(row->group, MLS_PART_BETWEEN))                      \
    F(compared, tail_ms, NUMBER_OR_NULL, "ms", mls_compare_part(row->group, MLS_PART_TAIL))
MLS_FIELDS(compared, group_place, COMPARED_FIELDS)

#define INTERVAL_FIELDS(F)                                                                                             \
    F(interval, of, TEXT, "", row->of_mean ? "mean" : "score")                                                         \
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

typedef struct difference_place {
    const mls_comparison *in;
    const mls_block *block;
    const mls_side_group *group;
    const mls_difference *difference;
} difference_place;

#define DIFFERENCE_FIELDS(F)                                                                                           \
    F(difference, side, TEXT, "", side_name(row->in, row->group))                                                      \
    F(difference, minutes, NUMBER_OR_NULL, "minutes", row->difference->minutes)                                        \
    F(difference, ratio, NUMBER_OR_NULL, "", row->difference->ratio)                                                   \
    F(difference, scaled_ratio, NUMBER_OR_NULL, "", row->difference->scaled_ratio)                                     \
    F(difference, interval, OBJECT_OR_NULL, "",                                                                        \
      mls_emit_object(to, &interval_fields, row->difference->has_interval ? row->difference : NULL))                   \
    F(difference, mann_whitney_p, NUMBER_OR_NULL, "", row->difference->mann_whitney_p)                                 \
    F(difference, detectable_ratio, NUMBER_OR_NULL, "", row->difference->detectable_ratio)                             \
    F(difference, verdict, TEXT, "", mls_compare_verdict_name(row->difference->verdict))                               \
    F(difference, total_ms, NUMBER_OR_NULL, "ms",                                                                      \
      whole_or_null(row->difference->split.known, row->difference->split.total_ms))                                    \
    F(difference, parts, ARRAY, "", emit_shares(to, &row->difference->split))                                          \
    F(difference, init_ms, NUMBER_OR_NULL, "ms", whole_or_null(row->difference->has_init, row->difference->init_ms))
MLS_FIELDS(difference, difference_place, DIFFERENCE_FIELDS)

static void emit_groups(mls_emitter *to, const block_place *place)
{
    MLS_EMIT_LIST(to, place->block->group_count,
                  mls_emit_object(to, &compared_fields, &(group_place){place->in, place->block->groups[i]}));
}

static difference_place difference_at(const block_place *place, size_t index)
{
    return (difference_place){place->in, place->block, place->block->groups[index], &place->block->differences[index]};
}

static void emit_differences(mls_emitter *to, const block_place *place)
{
    mls_emit_open(to, '[');
    for (size_t k = 1; k < place->block->group_count; k++) {
        const difference_place difference = difference_at(place, k);
        mls_emit_object(to, &difference_fields, &difference);
    }
    mls_emit_close(to, ']');
}

static void emit_outliers(mls_emitter *to, const block_place *place)
{
    MLS_EMIT_LIST(
        to, place->block->outlier_count,
        mls_emit_object(to, &outlier_fields, &(block_place){place->in, place->block, &place->block->outliers[i]}));
}

#define BLOCK_FIELDS(F)                                                                                                \
    F(block, benchmark, TEXT_OR_NULL, "", row->block->groups[0]->benchmark)                                            \
    F(block, division, TEXT_OR_NULL, "", mls_division_name(row->block->groups[0]->division))                           \
    F(block, usage, TEXT, "", mls_usage_name(row->block->groups[0]->usage))                                            \
    F(block, groups, ARRAY, "", emit_groups(to, row))                                                                  \
    F(block, differences, ARRAY, "", emit_differences(to, row))                                                        \
    F(block, hyperparameters, ARRAY, "", emit_differings(to, row, &row->block->hyperparameters))                       \
    F(block, environment, ARRAY, "", emit_differings(to, row, &row->block->environment))                               \
    F(block, outliers, ARRAY, "", emit_outliers(to, row))
MLS_FIELDS(block, block_place, BLOCK_FIELDS)

/* ------------------------------------------------------------------- scaling */

typedef struct point_place {
    const mls_comparison *in;
    const mls_scaling_point *point;
} point_place;

#define POINT_FIELDS(F)                                                                                                \
    F(point, side, TEXT, "", side_name(row->in, row->point->group))                                                    \
    F(point, path, TEXT, "", row->point->group->path)                                                                  \
    F(point, accelerators, NUMBER, "", row->point->group->accelerators)                                                \
    F(point, minutes, NUMBER, "minutes", row->point->group->score_minutes)                                             \
    F(point, accelerator_minutes, NUMBER, "minutes",                                                                   \
      row->point->group->score_minutes * row->point->group->accelerators)                                              \
    F(point, global_batch_size, NUMBER_OR_NULL, "", row->point->group->global_batch_size)                              \
    F(point, to_converge, NUMBER_OR_NULL, "", row->point->group->to_converge)                                          \
    F(point, unit, TEXT_OR_NULL, "", row->point->group->unit)                                                          \
    F(point, speedup, NUMBER, "", row->point->speedup)                                                                 \
    F(point, efficiency, NUMBER, "", row->point->efficiency)                                                           \
    F(point, algorithmic, NUMBER_OR_NULL, "", row->point->algorithmic)                                                 \
    F(point, system, NUMBER_OR_NULL, "", row->point->system)
MLS_FIELDS(point, point_place, POINT_FIELDS)

typedef struct series_place {
    const mls_comparison *in;
    const mls_scaling_series *series;
} series_place;

#define SERIES_FIELDS(F)                                                                                               \
    F(series, usage, TEXT, "", mls_usage_name(row->series->points[0].group->usage))                                    \
    F(series, benchmark, TEXT_OR_NULL, "", row->series->points[0].group->benchmark)                                    \
    F(series, division, TEXT_OR_NULL, "", mls_division_name(row->series->points[0].group->division))                   \
    F(series, accelerator, TEXT_OR_NULL, "", row->series->points[0].group->accelerator)                                \
    F(series, points, ARRAY, "",                                                                                       \
      MLS_EMIT_LIST(to, row->series->count,                                                                            \
                    mls_emit_object(to, &point_fields, &(point_place){row->in, &row->series->points[i]})))
MLS_FIELDS(series, series_place, SERIES_FIELDS)

/* -------------------------------------------------------------------- the whole */

#define SIDE_FIELDS(F)                                                                                                 \
    F(side, name, TEXT, "", row->name)                                                                                 \
    F(side, paths, ARRAY, "", MLS_EMIT_LIST(to, row->path_count, mls_emit_text(to, row->paths[i])))
MLS_FIELDS(side, mls_side, SIDE_FIELDS)

typedef struct unmatched_place {
    const mls_comparison *in;
    const mls_unmatched *unmatched;
} unmatched_place;
#define UNMATCHED_FIELDS(F)                                                                                            \
    F(unmatched, side, TEXT, "", side_name(row->in, row->unmatched->group))                                            \
    F(unmatched, path, TEXT, "", row->unmatched->group->path)                                                          \
    F(unmatched, benchmark, TEXT_OR_NULL, "", row->unmatched->group->benchmark)                                        \
    F(unmatched, division, TEXT_OR_NULL, "", mls_division_name(row->unmatched->group->division))                       \
    F(unmatched, reason, TEXT, "", row->unmatched->reason)
MLS_FIELDS(unmatched, unmatched_place, UNMATCHED_FIELDS)

typedef struct compare_skipped {
    const char *file, *reason;
    bool failed;
} compare_skipped;
#define COMPARE_SKIPPED_FIELDS(F)                                                                                      \
    F(compare_skipped, file, TEXT, "", row->file)                                                                      \
    F(compare_skipped, reason, TEXT, "", row->reason)                                                                  \
    F(compare_skipped, failed, BOOL, "", row->failed)
MLS_FIELDS(compare_skipped, compare_skipped, COMPARE_SKIPPED_FIELDS)

static void emit_skipped(mls_emitter *to, const mls_comparison *in)
{
    mls_emit_open(to, '[');
    for (size_t c = 0; c < in->collection_count; c++) {
        for (size_t i = 0; i < in->collections[c].skipped.count; i++) {
            const mls_source *source = &in->collections[c].skipped.items[i];
            mls_emit_object(to, &compare_skipped_fields,
                            &(compare_skipped){source->path, source->skip, source->failed});
        }
    }
    for (size_t i = 0; i < in->problem_count; i++) {
        mls_emit_object(to, &compare_skipped_fields,
                        &(compare_skipped){in->problems[i].path, in->problems[i].error.message, true});
    }
    mls_emit_close(to, ']');
}

#define COMPARISON_FIELDS(F)                                                                                           \
    F(comparison, baseline, TEXT_OR_NULL, "",                                                                          \
      row->comparison->side_count > 0 ? row->comparison->sides[row->comparison->baseline].name : NULL)                 \
    F(comparison, sides, ARRAY, "", MLS_EMIT_ROWS(side, row->comparison->sides, row->comparison->side_count))          \
    F(comparison, comparisons, ARRAY, "",                                                                              \
      MLS_EMIT_LIST(                                                                                                   \
          to, row->comparison->block_count,                                                                            \
          mls_emit_object(to, &block_fields, &(block_place){row->comparison, &row->comparison->blocks[i], NULL})))     \
    F(comparison, unmatched, ARRAY, "",                                                                                \
      MLS_EMIT_LIST(to, row->comparison->unmatched_count,                                                              \
                    mls_emit_object(to, &unmatched_fields,                                                             \
                                    &(unmatched_place){row->comparison, &row->comparison->unmatched[i]})))             \
    F(comparison, published, ARRAY, "", mls_emit_beside(to, row->comparison))                                          \
    F(comparison, scaling, ARRAY, "",                                                                                  \
      MLS_EMIT_LIST(                                                                                                   \
          to, row->comparison->series_count,                                                                           \
          mls_emit_object(to, &series_fields, &(series_place){row->comparison, &row->comparison->series[i]})))         \
    F(comparison, skipped, ARRAY, "", emit_skipped(to, row->comparison))
MLS_FIELDS_AS(, mls_comparison_fields, comparison, mls_comparing, COMPARISON_FIELDS)

const mls_fields *const mls_comparison_tables[] = {&mls_comparison_fields,
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
                                                   &series_fields,
                                                   &point_fields,
                                                   &compare_skipped_fields,
                                                   NULL};

void mls_comparison_lines(mls_emitter *to, const void *what)
{
    const mls_comparison *in = ((const mls_comparing *)what)->comparison;
    for (size_t i = 0; i < in->block_count; i++) {
        mls_emit_object(to, &block_fields, &(block_place){in, &in->blocks[i], NULL});
        mls_emit_end(to);
    }
}

void mls_scaling_lines(mls_emitter *to, const void *what)
{
    const mls_comparison *in = ((const mls_comparing *)what)->comparison;
    for (size_t i = 0; i < in->series_count; i++) {
        mls_emit_object(to, &series_fields, &(series_place){in, &in->series[i]});
        mls_emit_end(to);
    }
}

/* ------------------------------------------------------------------------ CSV */

#define DIFFERENCE_CSV_FIELDS(F)                                                                                       \
    F(difference_csv, benchmark, TEXT_OR_NULL, "", row->group->benchmark)                                              \
    F(difference_csv, division, TEXT_OR_NULL, "", mls_division_name(row->group->division))                             \
    F(difference_csv, baseline, TEXT, "", side_name(row->in, row->block->groups[0]))                                   \
    F(difference_csv, interval_of, TEXT_OR_NULL, "",                                                                   \
      !row->difference->has_interval ? NULL                                                                            \
      : row->difference->of_mean     ? "mean"                                                                          \
                                     : "score")                                                                            \
    F(difference_csv, low_minutes, NUMBER_OR_NULL, "minutes", row->difference->low_minutes)                            \
    F(difference_csv, high_minutes, NUMBER_OR_NULL, "minutes", row->difference->high_minutes)                          \
    F(difference_csv, df, NUMBER_OR_NULL, "", row->difference->degrees)                                                \
    F(difference_csv, p, NUMBER_OR_NULL, "", row->difference->p)
MLS_FIELDS(difference_csv, difference_place, DIFFERENCE_CSV_FIELDS)

/* Names with a point are none of C, so that these fields are written out. */
static void emit_part(mls_emitter *to, const void *of, mls_share share)
{
    const mls_split *split = &((const difference_place *)of)->difference->split;
    mls_emit_number(to, whole_or_null(split->known && split->has[share], split->ms[share]));
}
#define PART_LIST(P)                                                                                                   \
    P(CONVERGENCE, convergence)                                                                                        \
    P(THROUGHPUT, throughput)                                                                                          \
    P(TRAINING, training)                                                                                              \
    P(EVALUATIONS, evaluations)                                                                                        \
    P(EVALUATION_TIME, evaluation_time)                                                                                \
    P(EVALUATION, evaluation)                                                                                          \
    P(STARTUP, startup)                                                                                                \
    P(BETWEEN, between)                                                                                                \
    P(TAIL, tail)                                                                                                      \
    P(RUN, run)
#define PART_FUNCTION(id, name)                                                                                        \
    static void emit_part_##name(mls_emitter *to, const void *of)                                                      \
    {                                                                                                                  \
        emit_part(to, of, MLS_SHARE_##id);                                                                             \
    }
#define PART_FIELD(id, name) {"part." #name, MLS_FIELD_NUMBER_OR_NULL, "ms", emit_part_##name},
#define PART_COLUMN(id, name) " part." #name
PART_LIST(PART_FUNCTION)
static const mls_field part_items[] = {PART_LIST(PART_FIELD)};
static const mls_fields part_fields = {part_items, sizeof part_items / sizeof *part_items};

const mls_columns mls_difference_columns = {
    "COMPARE CSV",
    "benchmark division baseline side minutes ratio scaled_ratio interval_of low_minutes high_minutes df p "
    "mann_whitney_p detectable_ratio verdict total_ms init_ms" PART_LIST(PART_COLUMN),
    {&difference_csv_fields, &difference_fields, &part_fields},
    0};

void mls_difference_rows(mls_emitter *to, const void *what)
{
    const mls_comparison *in = ((const mls_comparing *)what)->comparison;
    for (size_t i = 0; i < in->block_count; i++) {
        const block_place place = {in, &in->blocks[i], NULL};
        for (size_t k = 1; k < place.block->group_count; k++) {
            const difference_place row = difference_at(&place, k);
            mls_emit_row(to, &mls_difference_columns, (const void *[MLS_SOURCES_MAX]){&row, &row, &row});
        }
    }
}

const mls_columns mls_scaling_columns = {"SCALING CSV",
                                         "usage benchmark division accelerator side path accelerators minutes "
                                         "accelerator_minutes global_batch_size to_converge unit speedup efficiency "
                                         "algorithmic system",
                                         {&series_fields, &point_fields},
                                         0};

void mls_scaling_rows(mls_emitter *to, const void *what)
{
    const mls_comparison *in = ((const mls_comparing *)what)->comparison;
    for (size_t i = 0; i < in->series_count; i++) {
        const series_place series = {in, &in->series[i]};
        for (size_t k = 0; k < series.series->count; k++) {
            const point_place point = {in, &series.series->points[k]};
            mls_emit_row(to, &mls_scaling_columns, (const void *[MLS_SOURCES_MAX]){&series, &point});
        }
    }
}
