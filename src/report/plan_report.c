/* SPDX-License-Identifier: Apache-2.0 */
/* plan_report.c - the report of predicted scores for other numbers of accelerators and batch sizes, and of the data on
 * which the predictions are based. */
#include <math.h>

#include "report/reports.h"
#include "term/table.h"

enum { BASES_NAMED = 8 }; /* maximum number of groups whose names are shown without -v */
enum { RIGHT = MLS_COLUMN_RIGHT, KEEP = MLS_COLUMN_KEEP, DECIMAL = MLS_COLUMN_DECIMAL };

/* Return the first base; NULL if there is no base. */
static const mls_plan_base *first_base(const mls_plan *plan)
{
    return plan->bases.count > 0 ? &plan->bases.items[0] : NULL;
}

static void show_series(mls_view *view, const mls_plan *plan, const mls_plan_series *series)
{
    const mls_plan_base *bases = plan->bases.items + series->first_base;
    const size_t count = series->bases;
    const mls_plan_target *target = &series->target;
    const mls_plan_factors *factors = bases->factors;
    mls_table table = {.indent = 2};
    const mls_side_group *group = bases[0].group;
    const size_t named = view->verbose > 0 || count <= BASES_NAMED ? count : BASES_NAMED;
    mls_buffer line = {0};
    mls_buffer_printf(&line, "  %s %s   %s   from ", mls_usage_name(group->usage), group->edition,
                      group->accelerator != NULL ? group->accelerator : "unknown accelerators");
    if (count == 1) {
        mls_buffer_printf(&line, "%s of %s", mls_words_plural(bases->runs, "run", "runs").text, group->path);
    } else {
        mls_buffer_printf(&line, "%s, each row from that of the nearest size",
                          mls_words_plural(count, "group", "groups").text);
    }
    mls_view_headline(view, mls_str_from(group->benchmark), &line, 4);
    for (size_t i = 0; i < named && count > 1; i++) {
        mls_buffer_printf(&line, "%s: %s of %s", mls_words_count(bases[i].group->accelerators).text,
                          mls_words_plural(bases[i].runs, "run", "runs").text, bases[i].group->path);
        mls_view_line(view, &line, MLS_STYLE_PLAIN, 4, 8);
    }
    if (named < count) {
        mls_view_printf(view, MLS_STYLE_DIM, 4, 4, "and %s (-v: all)",
                        mls_words_plural(count - named, "more", "more").text);
    }
    for (size_t i = series->first_row; i < series->first_row + series->rows; i++)
        if (plan->rows.items[i].shown || view->verbose > 0) {
            const mls_plan_row *row = &plan->rows.items[i];
            const double nodes = row->accelerators / row->base->per_node;
            const char *unit = row->base->group->unit;
            const bool epochs = unit != NULL && strcmp(unit, "epochs") == 0;
            mls_table_row(&table);
            table.style = row->measured ? MLS_STYLE_BOLD : MLS_STYLE_PLAIN;
            mls_table_words(&table, "accelerators", RIGHT | KEEP, mls_words_count(row->accelerators));
            mls_table_words(&table, "nodes", RIGHT | MLS_COLUMN_DETAIL,
                            nodes == floor(nodes) ? mls_words_count(nodes) : mls_words_count(NAN));
            mls_table_words(&table, "batch", RIGHT | KEEP, mls_words_count(row->global_batch_size));
            mls_table_words(&table, unit != NULL ? unit : "to converge", RIGHT,
                            row->samples < 1000 ? mls_words_trimmed(row->samples, 2)
                                                : mls_words_grouped(row->samples, 0));
            mls_table_words(&table,
                            epochs                                        ? "epochs/s"
                            : unit != NULL && strcmp(unit, "tokens") == 0 ? "tokens/s"
                                                                          : "samples/s",
                            RIGHT | MLS_COLUMN_DETAIL, mls_words_rate(row->rate));
            mls_table_number(&table, "efficiency", RIGHT, row->efficiency, 2);
            mls_table_number(&table, "scaled min", DECIMAL | KEEP, mls_plan_score(row), 3);
            if (isfinite(row->minutes) && !row->measured) {
                mls_table_cell(&table, "low - high", KEEP, table.style, "%s - %s",
                               mls_words_grouped(row->low_minutes * row->scale, 3).text,
                               mls_words_grouped(row->high_minutes * row->scale, 3).text);
            } else {
                mls_table_text(&table, "low - high", KEEP, row->measured ? "measured" : NULL);
            }
            mls_table_number(&table, "scale", RIGHT | MLS_COLUMN_DETAIL, row->scale, 4);
            mls_table_number(&table, "accel.-min", RIGHT | MLS_COLUMN_DETAIL, row->accelerator_minutes, 0);
            const mls_published_place *place = &row->place;
            mls_table_cell(&table, "on as many", RIGHT, table.style, place->ranked_alike > 1 ? "%zu of %zu" : "-",
                           place->rank_alike, place->ranked_alike);
            mls_table_cell(&table, "of all", RIGHT, table.style, place->ranked > 1 ? "%zu of %zu%s" : "-", place->rank,
                           place->ranked, place->published > place->ranked ? " known" : "");
            if (row->note != NULL)
                mls_table_note(&table, MLS_STYLE_WARN, "%s", row->note);
        }
    mls_table_finish(&table, view);
    mls_view_gap(view);
    if (!isnan(target->minutes)) {
        mls_buffer_printf(&line, "for %s min: ", mls_words_trimmed(target->minutes, 3).text);
        if (target->obstacle != NULL) {
            mls_buffer_printf(&line, "not reachable with up to %d times as many accelerators; limited by %s",
                              MLS_PLAN_TIMES_MAX,
                              strcmp(target->obstacle, "other") == 0 ? "the time outside of training and evaluation"
                              : strcmp(target->obstacle, "evaluation") == 0
                                  ? "the time of evaluations"
                                  : "convergence: more accelerators need larger batches, which take more "
                                    "training as far as the reference points tell");
        } else {
            mls_buffer_printf(
                &line, "%s enough by the prediction, %s if all goes well, %s to be sure",
                isnan(target->by_middle)
                    ? "no number of accelerators is"
                    : mls_words_plural((uint64_t)target->by_middle, "accelerator is", "accelerators are").text,
                mls_words_count(target->by_low).text,
                isnan(target->by_high) ? "none" : mls_words_count(target->by_high).text);
        }
        mls_view_line(view, &line, MLS_STYLE_BOLD, 2, 4);
    }
    if (view->quiet)
        return;
    /* Print the data on which the predictions are based, and the effects that logs do not show. */
    const bool own = strcmp(factors->benchmark, "*") != 0;
    mls_view_printf(view, MLS_STYLE_DIM, 2, 4, "low - high: interval for %s of results, from %s published pairs of %s",
                    mls_words_percent(mls_plan_levels[plan->level], 0).text,
                    mls_words_count((double)factors->pairs).text, own ? factors->benchmark : "all benchmarks");
    if (bases->points->count > 0) {
        mls_view_printf(view, MLS_STYLE_DIM, 2, 4, "convergence: %s of round %s",
                        mls_words_plural(bases->points->count, "reference point", "reference points").text,
                        bases->points->rules.edition->name);
    } else {
        mls_view_printf(view, MLS_STYLE_DIM, 2, 4,
                        "convergence: there are no reference points; other batches need --samples");
    }
    mls_view_printf(view, MLS_STYLE_DIM, 2, 4, "not considered: a different network%s",
                    bases->memory != NULL ? "" : ", and whether the job fits in the memory of fewer accelerators");
}

static void show_plan(mls_printer *to, const void *what)
{
    const mls_plan *plan = what;
    const char *gap = "";
    for (size_t i = 0; i < plan->series.count; i++) {
        if (plan->series.items[i].rows > 0) {
            mls_output_text(to->view->output, gap);
            show_series(to->view, plan, &plan->series.items[i]);
            gap = "\n";
        }
    }
}

/* Return the number of series with a target.  Either all series have a target, or no series has one. */
static size_t count_targets(const mls_plan *plan)
{
    return plan->series.count > 0 && !isnan(plan->series.items[0].target.minutes) ? plan->series.count : 0;
}

#define BASE_FIELDS(F)                                                                                                 \
    F(base, path, TEXT, "", row->group->path)                                                                          \
    F(base, usage, TEXT, "", mls_usage_name(row->group->usage))                                                        \
    F(base, edition, TEXT, "", row->group->edition)                                                                    \
    F(base, benchmark, TEXT, "", row->group->benchmark)                                                                \
    F(base, division, TEXT_OR_NULL, "", mls_division_name(row->group->division))                                       \
    F(base, config, TEXT_OR_NULL, "", row->group->config)                                                              \
    F(base, accelerator, TEXT_OR_NULL, "", row->group->accelerator)                                                    \
    F(base, accelerators, NUMBER, "", row->group->accelerators)                                                        \
    F(base, global_batch_size, NUMBER, "", row->group->global_batch_size)                                              \
    F(base, runs, NUMBER, "", row->runs)                                                                               \
    F(base, samples, NUMBER, "", row->samples)                                                                         \
    F(base, unit, TEXT_OR_NULL, "", row->group->unit)                                                                  \
    F(base, minutes, NUMBER, "minutes", row->total_ms / 60000)                                                         \
    F(base, training_minutes, NUMBER, "minutes", row->training_ms / 60000)                                             \
    F(base, evaluation_minutes, NUMBER, "minutes", row->evaluation_ms / 60000)                                         \
    F(base, evaluations, NUMBER, "", row->evaluations)                                                                 \
    F(base, model_parallel, NUMBER_OR_NULL, "", row->model_parallel)                                                   \
    F(base, pairs, NUMBER, "", row->factors->pairs)
MLS_FIELDS(base, mls_plan_base, BASE_FIELDS)

#define PREDICTED_FIELDS(F)                                                                                            \
    F(predicted, base_accelerators, NUMBER, "", row->base->group->accelerators)                                        \
    F(predicted, accelerators, NUMBER, "", row->accelerators)                                                          \
    F(predicted, global_batch_size, NUMBER, "", row->global_batch_size)                                                \
    F(predicted, measured, BOOL, "", row->measured)                                                                    \
    F(predicted, samples, NUMBER_OR_NULL, "", row->samples)                                                            \
    F(predicted, rate, NUMBER, "per second", row->rate)                                                                \
    F(predicted, efficiency, NUMBER, "", row->efficiency)                                                              \
    F(predicted, evaluation_minutes, NUMBER_OR_NULL, "minutes", row->evaluation_minutes)                               \
    F(predicted, other_minutes, NUMBER, "minutes", row->other_minutes)                                                 \
    F(predicted, minutes, NUMBER_OR_NULL, "minutes", row->minutes)                                                     \
    F(predicted, low_minutes, NUMBER_OR_NULL, "minutes", row->low_minutes)                                             \
    F(predicted, high_minutes, NUMBER_OR_NULL, "minutes", row->high_minutes)                                           \
    F(predicted, scale, NUMBER, "", row->scale)                                                                        \
    F(predicted, accelerator_minutes, NUMBER_OR_NULL, "minutes", row->accelerator_minutes)                             \
    F(predicted, place, OBJECT_OR_NULL(mls_place), "", row->place.ranked > 1 ? &row->place : NULL)                     \
    F(predicted, note, TEXT_OR_NULL, "", row->note)                                                                    \
    F(predicted, benchmark, TEXT, "", row->base->group->benchmark)                                                     \
    F(predicted, accelerator, TEXT_OR_NULL, "", row->base->group->accelerator)                                         \
    F(predicted, recommended, BOOL, "", row->recommended)                                                              \
    F(predicted, model_parallel_needed, NUMBER, "", row->model_parallel)
MLS_FIELDS(predicted, mls_plan_row, PREDICTED_FIELDS)

#define TARGET_FIELDS(F)                                                                                               \
    F(target, minutes, NUMBER, "minutes", row->target.minutes)                                                         \
    F(target, accelerators, NUMBER_OR_NULL, "", row->target.by_middle)                                                 \
    F(target, low_accelerators, NUMBER_OR_NULL, "", row->target.by_low)                                                \
    F(target, high_accelerators, NUMBER_OR_NULL, "", row->target.by_high)                                              \
    F(target, obstacle, TEXT_OR_NULL, "", row->target.obstacle)                                                        \
    F(target, benchmark, TEXT, "", row->group->benchmark)                                                              \
    F(target, accelerator, TEXT_OR_NULL, "", row->group->accelerator)
MLS_FIELDS(target, mls_plan_series, TARGET_FIELDS)

#define UNFIT_FIELDS(F)                                                                                                \
    F(unfit, path, TEXT, "", row->group->path)                                                                         \
    F(unfit, reason, TEXT, "", row->reason)
MLS_FIELDS(unfit, mls_unmatched, UNFIT_FIELDS)

#define PLAN_FIELDS(F)                                                                                                 \
    F(plan, base, OBJECT_OR_NULL(base), "", first_base(row))                                                           \
    F(plan, bases, LIST(base), "", MLS_ROWS(row->bases.items, row->bases.count))                                       \
    F(plan, rows, LIST(predicted), "", MLS_ROWS(row->rows.items, row->rows.count))                                     \
    F(plan, target, OBJECT_OR_NULL(target), "", count_targets(row) > 0 ? row->series.items : NULL)                     \
    F(plan, targets, LIST(target), "", MLS_ROWS(row->series.items, count_targets(row)))                                \
    F(plan, pairs, IF(NUMBER, row->bases.count > 0), "", first_base(row)->factors->pairs)                              \
    F(plan, level, NUMBER, "", mls_plan_levels[row->level])                                                            \
    F(plan, unfit, LIST(unfit), "", MLS_ROWS(row->unfit.items, row->unfit.count))
MLS_FIELDS(plan, mls_plan, PLAN_FIELDS)

const mls_report mls_plan_report = {
    .section = "PLAN JSON",
    .show = show_plan,
    .object = &plan_fields,
    .lines = "rows",
    .columns = {.section = "PLAN CSV",
                .names = "base_accelerators accelerators global_batch_size measured samples rate efficiency "
                         "evaluation_minutes other_minutes minutes low_minutes high_minutes scale accelerator_minutes "
                         "rank ranked rank_alike ranked_alike note benchmark accelerator recommended "
                         "model_parallel_needed",
                .rows = "rows place",
                .sources = {&predicted_fields, &mls_place_fields}}};
