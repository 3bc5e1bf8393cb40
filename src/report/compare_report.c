/* SPDX-License-Identifier: Apache-2.0 */
/* compare_report.c - a comparison for programs: JSON, NDJSON and CSV. */
#include <math.h>

#include "report/compare_show.h"

/* -------------------------------------------------------------- what differs */

static void emit_run_setting(mls_emitter *to, const mls_setting_value *value)
{
    if (value->lacking)
        mls_emit_null(to);
    else if (value->setting.kind == MLS_SETTING_NUMBER)
        mls_emit_number(to, value->setting.number);
    else if (value->setting.kind == MLS_SETTING_BOOL)
        mls_emit_bool(to, value->setting.number > 0);
    else
        mls_emit_str(to, value->setting.text);
}

#define SETTING_VALUE_FIELDS(F)                                                                                        \
    F(setting_value, value, ANY, "", emit_run_setting(to, row))                                                        \
    F(setting_value, runs, NUMBER, "", row->runs)
MLS_FIELDS(setting_value, mls_setting_value, SETTING_VALUE_FIELDS)

static void emit_values(mls_emitter *to, const mls_setting_values *of)
{
    mls_emit_name(to, mls_str_from(of->group->side->name));
    MLS_EMIT_VALUES(MLS_ROWS(of->items, of->count));
}

#define DIFFERING_FIELDS(F)                                                                                            \
    F(differing, key, TEXT, "", row->key)                                                                              \
    F(differing, varies, VALUES, "",                                                                                   \
      MLS_EACH(row->value_count,                                                                                       \
               row->values[i].count > 1 ? mls_emit_text(to, row->values[i].group->side->name) : (void)0))              \
    F(differing, values, MAP_OF(setting_value), "", MLS_EACH(row->value_count, emit_values(to, &row->values[i])))
MLS_FIELDS(differing, mls_differing, DIFFERING_FIELDS)

/* Write the settings that differ. */
static void emit_differing(mls_emitter *to, const mls_differings *list)
{
    MLS_EACH(list->count, mls_emit_row(to, list->items[i].differs ? &list->items[i] : NULL));
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
    F(compared, runs, NUMBER, "", row->runs.count)                                                                     \
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
    F(compared, init_minutes, NUMBER_OR_NULL, "minutes", mls_sum_mean(&row->init_ms, row->kept) / 60000)               \
    F(compared, training_ms, NUMBER_OR_NULL, "ms", mls_compare_part(row, MLS_PART_TRAINING))                           \
    F(compared, evaluation_ms, NUMBER_OR_NULL, "ms", mls_compare_part(row, MLS_PART_EVALUATION))                       \
    F(compared, evaluations, NUMBER_OR_NULL, "", mls_sum_mean(&row->evaluations, row->kept))                           \
    F(compared, startup_ms, NUMBER_OR_NULL, "ms", mls_compare_part(row, MLS_PART_STARTUP))                             \
    F(compared, between_ms, NUMBER_OR_NULL, "ms", mls_compare_part(row, MLS_PART_BETWEEN))                             \
    F(compared, tail_ms, NUMBER_OR_NULL, "ms", mls_compare_part(row, MLS_PART_TAIL))                                   \
    F(compared, known, TEXT_OR_NULL, "",                                                                               \
      row->published != NULL ? mls_published_known_name(row->published->known) : NULL)
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

typedef struct share_place {
    const mls_split *split;
    mls_share share;
} share_place;
#define SHARE_FIELDS(F)                                                                                                \
    F(share, name, TEXT, "", mls_share_name(row->share))                                                               \
    F(share, ms, NUMBER, "ms", row->split->ms[row->share])
MLS_FIELDS(share, share_place, SHARE_FIELDS)

#define DIFFERENCE_FIELDS(F)                                                                                           \
    F(difference, side, TEXT, "", row->b->side->name)                                                                  \
    F(difference, minutes, NUMBER_OR_NULL, "minutes", row->minutes)                                                    \
    F(difference, ratio, NUMBER_OR_NULL, "", row->ratio)                                                               \
    F(difference, scaled_ratio, NUMBER_OR_NULL, "", row->scaled_ratio)                                                 \
    F(difference, interval, OBJECT_OR_NULL(interval), "", row->has_interval ? row : NULL)                              \
    F(difference, mann_whitney_p, NUMBER_OR_NULL, "", row->mann_whitney_p)                                             \
    F(difference, detectable_ratio, NUMBER_OR_NULL, "", row->detectable_ratio)                                         \
    F(difference, verdict, TEXT_OR_NULL, "", mls_compare_verdict_name(row->verdict))                                   \
    F(difference, total_ms, IF(NUMBER, row->split.known), "ms", row->split.total_ms)                                   \
    F(difference, parts, LIST(share), "",                                                                              \
      MLS_EACH(row->split.known ? MLS_SHARE_COUNT : 0,                                                                 \
               mls_emit_row(to, row->split.has[i] ? &(share_place){&row->split, (mls_share)i} : NULL)))                \
    F(difference, init_ms, IF(NUMBER, row->has_init), "ms", row->init_ms)                                              \
    F(difference, same_runs, NUMBER, "", row->same_runs)
MLS_FIELDS(difference, mls_difference, DIFFERENCE_FIELDS)

/* All runs of a side have the same, or nothing that is known. */
static void emit_printed_value(mls_emitter *to, const mls_setting_values *of)
{
    const bool known = of->count > 0 && !of->items[0].lacking;
    mls_emit_name(to, mls_str_from(of->group->side->name));
    mls_emit_str_or_null(to, known ? of->items[0].setting.text : (mls_str){0});
}

#define PRINTED_FIELDS(F)                                                                                              \
    F(printed, name, TEXT, "", row->key)                                                                               \
    F(printed, group, TEXT_OR_NULL, "", row->known != NULL ? row->known->group : NULL)                                 \
    F(printed, effect, TEXT_OR_NULL, "", row->known != NULL ? row->known->effect : NULL)                               \
    F(printed, source, TEXT, "", row->exported ? "config" : "log")                                                     \
    F(printed, values, MAP, "", MLS_EACH(row->value_count, emit_printed_value(to, &row->values[i])))
MLS_FIELDS(printed, mls_differing, PRINTED_FIELDS)

static void emit_setup(mls_emitter *to, const mls_differings *printed, const mls_differings *exported)
{
    MLS_ROWS(printed->items, printed->count);
    MLS_ROWS(exported->items, exported->count);
}

#define BLOCK_FIELDS(F)                                                                                                \
    F(block, benchmark, TEXT_OR_NULL, "", row->groups[0]->benchmark)                                                   \
    F(block, division, TEXT_OR_NULL, "", mls_division_name(row->groups[0]->division))                                  \
    F(block, usage, TEXT, "", mls_usage_name(row->groups[0]->usage))                                                   \
    F(block, groups, LIST(compared), "", MLS_ROWS_AT(row->groups, row->group_count))                                   \
    F(block, differences, LIST(difference), "", MLS_ROWS(row->differences + 1, row->group_count - 1))                  \
    F(block, hyperparameters, LIST(differing), "", emit_differing(to, &row->hyperparameters))                          \
    F(block, environment, LIST(differing), "", emit_differing(to, &row->environment))                                  \
    F(block, printed, LIST(printed), "", emit_setup(to, &row->printed, &row->exported))                                \
    F(block, printed_others, LIST(printed), "", emit_setup(to, &row->printed_others, &row->exported_others))           \
    F(block, outliers, LIST(outlier), "", MLS_ROWS(row->outliers.items, row->outliers.count))
MLS_FIELDS_AS(, mls_block_fields, block, mls_block, NULL, BLOCK_FIELDS)

/* ------------------------------------------------------ published and scaling */

#define NEAR_FIELDS_OF(F, kind)                                                                                        \
    F(kind, edition, TEXT, "", row->result->round)                                                                     \
    F(kind, submitter, TEXT, "", row->result->system->submitter)                                                       \
    F(kind, system_id, TEXT, "", row->result->system->system_id)                                                       \
    F(kind, accelerator, TEXT_OR_NULL, "", row->result->system->accelerator)                                           \
    F(kind, accelerators, NUMBER_OR_NULL, "", row->result->system->accelerators)                                       \
    F(kind, minutes, NUMBER, "minutes", row->result->minutes)                                                          \
    F(kind, accelerator_minutes, NUMBER_OR_NULL, "minutes", row->result->accelerator_minutes)                          \
    F(kind, rank, NUMBER, "", row->result->rank)                                                                       \
    F(kind, ratio, NUMBER, "", row->ratio)                                                                             \
    F(kind, self, BOOL, "", row->self)
static void emit_why_parts(mls_emitter *to, const mls_published_why *why)
{
    MLS_EACH(why->split.known ? MLS_SHARE_COUNT : 0,
             mls_emit_row(to, why->split.has[i] ? &(share_place){&why->split, (mls_share)i} : NULL));
}

#define WHY_SETTING_FIELDS(F)                                                                                          \
    F(why_setting, key, TEXT, "", row->key)                                                                            \
    F(why_setting, yours, ANY, "", emit_run_setting(to, &row->yours))                                                  \
    F(why_setting, theirs, ANY, "", emit_run_setting(to, &row->theirs))
MLS_FIELDS(why_setting, mls_why_setting, WHY_SETTING_FIELDS)

#define NEAR_FIELDS(F)                                                                                                 \
    NEAR_FIELDS_OF(F, near)                                                                                            \
    F(near, parts, LIST_IF(share, row->why != NULL), "", emit_why_parts(to, row->why))                                 \
    F(near, settings, LIST_IF(why_setting, row->why != NULL), "",                                                      \
      MLS_ROWS(row->why->settings.items, row->why->settings.count))
MLS_FIELDS(near, mls_published_near, NEAR_FIELDS)

/* A neighbour in rank; where the group itself stands. */
#define AROUND_FIELDS(F)                                                                                               \
    NEAR_FIELDS_OF(F, around)                                                                                          \
    F(around, ranked, NUMBER, "", row->result->ranked)                                                                 \
    F(around, published, NUMBER, "", row->result->published)                                                           \
    F(around, rank_alike, NUMBER, "", row->rank_alike)                                                                 \
    F(around, ranked_alike, NUMBER, "", row->ranked_alike)
MLS_FIELDS(around, mls_published_near, AROUND_FIELDS)
#define PLACE_FIELDS(F)                                                                                                \
    F(mls_place, rank, NUMBER, "", row->rank)                                                                          \
    F(mls_place, ranked, NUMBER, "", row->ranked)                                                                      \
    F(mls_place, published, NUMBER, "", row->published)                                                                \
    F(mls_place, rank_alike, COUNT_OR_NULL, "", row->rank_alike)                                                       \
    F(mls_place, ranked_alike, COUNT_OR_NULL, "", row->ranked_alike)
MLS_FIELDS_AS(, mls_place_fields, mls_place, mls_published_place, NULL, PLACE_FIELDS)

#define BESIDE_FIELDS(F)                                                                                               \
    F(beside, side, TEXT, "", row->group->side->name)                                                                  \
    F(beside, path, TEXT, "", row->group->path)                                                                        \
    F(beside, usage, TEXT, "", mls_usage_name(row->group->usage))                                                      \
    F(beside, edition, TEXT, "", mls_compare_round(row->group))                                                        \
    F(beside, benchmark, TEXT, "", row->group->benchmark)                                                              \
    F(beside, division, TEXT_OR_NULL, "", mls_division_name(row->group->division))                                     \
    F(beside, accelerators, NUMBER_OR_NULL, "", row->group->accelerators)                                              \
    F(beside, accelerator, TEXT_OR_NULL, "", row->group->accelerator)                                                  \
    F(beside, scaled_minutes, NUMBER, "minutes", row->group->scaled_minutes)                                           \
    F(beside, nearest, LIST(near), "", MLS_ROWS(row->near, row->count))                                                \
    F(beside, place, OBJECT_OF(mls_place), "", &row->place)                                                            \
    F(beside, around, LIST(around), "", MLS_ROWS(row->around, row->around_count))
MLS_FIELDS_AS(, mls_published_match_fields, beside, mls_published_match, NULL, BESIDE_FIELDS)

/* Fields of the result whose names the group has too. */
#define NEAR_CSV_FIELDS(F)                                                                                             \
    F(near_csv, published_edition, TEXT, "", row->result->round)                                                       \
    F(near_csv, published_accelerators, NUMBER_OR_NULL, "", row->result->system->accelerators)                         \
    F(near_csv, published_accelerator, TEXT_OR_NULL, "", row->result->system->accelerator)
MLS_FIELDS_BESIDE(near_csv, near, NEAR_CSV_FIELDS)

#define POINT_FIELDS(F)                                                                                                \
    F(point, side, TEXT, "", row->group->side->name)                                                                   \
    F(point, path, TEXT, "", row->group->path)                                                                         \
    F(point, accelerators, NUMBER, "", row->group->accelerators)                                                       \
    F(point, minutes, NUMBER, "minutes", row->group->score_minutes)                                                    \
    F(point, accelerator_minutes, NUMBER, "minutes", row->group->score_minutes * row->group->accelerators)             \
    F(point, global_batch_size, NUMBER_OR_NULL, "", row->group->global_batch_size)                                     \
    F(point, to_converge, NUMBER_OR_NULL, "", row->group->to_converge)                                                 \
    F(point, unit, TEXT_OR_NULL, "", row->group->unit)                                                                 \
    F(point, speedup, NUMBER, "", row->speedup)                                                                        \
    F(point, efficiency, NUMBER, "", row->efficiency)                                                                  \
    F(point, algorithmic, NUMBER_OR_NULL, "", row->algorithmic)                                                        \
    F(point, system, NUMBER_OR_NULL, "", row->system)
MLS_FIELDS(point, mls_scaling_point, POINT_FIELDS)

#define SERIES_FIELDS(F)                                                                                               \
    F(series, usage, TEXT, "", mls_usage_name(row->points[0].group->usage))                                            \
    F(series, benchmark, TEXT_OR_NULL, "", row->points[0].group->benchmark)                                            \
    F(series, division, TEXT_OR_NULL, "", mls_division_name(row->points[0].group->division))                           \
    F(series, accelerator, TEXT_OR_NULL, "", row->points[0].group->accelerator)                                        \
    F(series, points, LIST(point), "", MLS_ROWS(row->points, row->count))
MLS_FIELDS(series, mls_scaling_series, SERIES_FIELDS)

/* -------------------------------------------------------------------- the whole */

#define SIDE_FIELDS(F)                                                                                                 \
    F(side, name, TEXT, "", row->name)                                                                                 \
    F(side, paths, VALUES, "", MLS_EACH(row->paths.count, mls_emit_text(to, row->paths.items[i])))
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
    for (size_t c = 0; c < in->collection_count; c++) {
        for (size_t i = 0; i < in->collections[c].skipped.count; i++) {
            const mls_source *source = &in->collections[c].skipped.items[i];
            mls_emit_row(to, &(not_compared){source->path, source->skip, source->failed});
        }
    }
    for (size_t i = 0; i < in->problems.count; i++) {
        const mls_side_problem *problem = &in->problems.items[i];
        mls_emit_row(to, &(not_compared){problem->path, problem->error.message, true});
    }
}

#define COMPARISON_FIELDS(F)                                                                                           \
    F(comparison, baseline, TEXT_OR_NULL, "", row->baseline->name)                                                     \
    F(comparison, sides, LIST(side), "", MLS_ROWS_AT(row->sides.items, row->sides.count))                              \
    F(comparison, comparisons, LIST(mls_block), "", MLS_ROWS(row->blocks.items, row->blocks.count))                    \
    F(comparison, unmatched, LIST(unmatched), "", MLS_ROWS(row->unmatched.items, row->unmatched.count))                \
    F(comparison, published, LIST(mls_published_match), "", MLS_ROWS(row->beside.items, row->beside.count))            \
    F(comparison, scaling, LIST(series), "", MLS_ROWS(row->series.items, row->series.count))                           \
    F(comparison, skipped, LIST(not_compared), "", emit_skipped(to, row))
MLS_FIELDS(comparison, mls_comparison, COMPARISON_FIELDS)

/* ------------------------------------------------------------------------ CSV */

#define DIFFERENCE_CSV_FIELDS(F)                                                                                       \
    F(difference_csv, division, TEXT_OR_NULL, "", mls_division_name(row->b->division))                                 \
    F(difference_csv, baseline, TEXT, "", row->a->side->name)                                                          \
    F(difference_csv, interval_of, IF(TEXT, row->has_interval), "", interval_of(row))
MLS_FIELDS_BESIDE(difference_csv, difference, DIFFERENCE_CSV_FIELDS)

/* Names with a point are not C identifiers, so these fields are written out. */
typedef mls_difference part_row;
#define HAS(id) row->split.known && row->split.has[MLS_SHARE_##id]
#define PART_FUNCTION(id, name) MLS_FIELD_FUNCTION(part, name, IF(NUMBER, HAS(id)), "ms", row->split.ms[MLS_SHARE_##id])
#define PART_FIELD(id, name_)                                                                                          \
    {.name = MLS_STR("part." #name_), .type = MLS_FIELD_NUMBER_OR_NULL, .unit = "ms", .emit = get_part_##name_},
#define PART_COLUMN(id, name) " part." #name
MLS_SHARE_LIST(PART_FUNCTION)
static const mls_field part_items[] = {MLS_SHARE_LIST(PART_FIELD)};
static const mls_fields part_fields = {part_items, sizeof part_items / sizeof *part_items, &difference_fields};

const mls_report mls_compare_report = {
    .section = "COMPARE JSON",
    .show = mls_comparison_show,
    .page = mls_html_compare,
    .object = &comparison_fields,
    .lines = "comparisons",
    .columns = {
        .section = "COMPARE CSV",
        .names =
            "benchmark division baseline side minutes ratio scaled_ratio interval_of low_minutes high_minutes df p "
            "mann_whitney_p detectable_ratio verdict total_ms init_ms" MLS_SHARE_LIST(PART_COLUMN) " same_runs",
        .rows = "comparisons differences interval",
        .sources = {&difference_csv_fields, &difference_fields, &interval_fields, &part_fields, &mls_block_fields}}};

const mls_report mls_nearest_report = {
    .section = "COMPARE JSON",
    .show = mls_nearest_show,
    .object = &comparison_fields,
    .lines = "published",
    .columns = {
        .section = "NEAREST CSV",
        .names =
            "side path usage edition benchmark division accelerators accelerator scaled_minutes published_edition "
            "submitter system_id published_accelerator published_accelerators minutes accelerator_minutes rank ratio "
            "self",
        .rows = "published nearest",
        .sources = {&mls_published_match_fields, &near_csv_fields, &near_fields}}};

const mls_report mls_scaling_report = {
    .section = "COMPARE JSON",
    .show = mls_scaling_show,
    .object = &comparison_fields,
    .lines = "scaling",
    .columns = {.section = "SCALING CSV",
                .names = "usage benchmark division accelerator side path accelerators minutes accelerator_minutes "
                         "global_batch_size to_converge unit speedup efficiency algorithmic system",
                .rows = "scaling points",
                .sources = {&series_fields, &point_fields}}};
