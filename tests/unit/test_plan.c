/* SPDX-License-Identifier: Apache-2.0 */
/* Predictions for other numbers of accelerators and batch sizes: the formula, invalid input, and how well figures
 * from before a round predict its results. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/buffer.h"
#include "base/file.h"
#include "base/statistics.h"
#include "close.h"
#include "compare/plan/plan.h"

typedef struct fixture {
    mls_editions *editions;
    mls_plan_figures figures;
} fixture;

static int load(void **state)
{
    static fixture all;
    assert_int_equal(mls_editions_load(&all.editions, NULL), MLS_OK);
    assert_int_equal(mls_plan_figures_load((mls_str){NULL, 0}, &all.figures, NULL), MLS_OK);
    *state = &all;
    return 0;
}

static int unload(void **state)
{
    fixture *all = *state;
    mls_plan_figures_release(&all->figures);
    mls_editions_free(all->editions);
    return 0;
}

static mls_plan_request asking(const fixture *all)
{
    return (mls_plan_request){
        .editions = all->editions, .figures = &all->figures, .samples = NAN, .target_minutes = NAN, .level = 1};
}

enum { RUNS = 3 };

/* Three runs of 10 minutes: 8 of training, 1 of 4 evaluations; 24,000 samples at batch size 16 on 8 accelerators. */
static mls_side_group made_group(mls_side_run runs[RUNS])
{
    mls_side_group group = {.path = "made",
                            .benchmark = "unheard_of",
                            .accelerator = "B200",
                            .edition = "5.1.0",
                            .division = MLS_DIVISION_CLOSED,
                            .global_batch_size = 16,
                            .accelerators = 8};
    for (int i = 0; i < RUNS; i++) {
        runs[i] = (mls_side_run){.valid = true,
                                 .has_ms = true,
                                 .has_parts = true,
                                 .evaluation_delimited = true,
                                 .ms = 600000,
                                 .to_converge = 24000,
                                 .unit = "samples",
                                 .evaluations = 4};
        runs[i].part_ms[MLS_PART_TRAINING] = 480000;
        runs[i].part_ms[MLS_PART_EVALUATION] = 60000;
        runs[i].part_ms[MLS_PART_STARTUP] = 60000;
    }
    group.runs.items = runs;
    group.runs.count = group.valid = RUNS;
    return group;
}

static mls_status plan_of(mls_side_group *group, const mls_plan_request *request, mls_plan *plan, mls_error *error)
{
    mls_side_group *groups[] = {group};
    mls_comparison one = {.mode = MLS_COMPARE_NOTHING};
    one.groups.items = groups;
    one.groups.count = 1;
    return mls_plan_make(&one, request, plan, error);
}

static const mls_plan_row *row_of(const mls_plan *plan, double accelerators, double batch)
{
    for (size_t i = 0; i < plan->rows.count; i++)
        if (plan->rows.items[i].accelerators == accelerators && plan->rows.items[i].global_batch_size == batch)
            return &plan->rows.items[i];
    fail_msg("no row for %g accelerators and batch %g", accelerators, batch);
    return NULL;
}

/* With the row "*": system -0.0451, batch 0.1573, evaluation -0.8194; 0.0561 and 0.0637 at the level 0.75. */
static void formula_by_hand(void **state)
{
    mls_side_run runs[RUNS];
    mls_side_group group = made_group(runs);
    mls_plan_request request = asking(*state);
    double wanted[] = {8, 32};
    double batches[] = {16, 64};
    mls_plan plan;
    request.accelerators = (mls_plan_numbers){wanted, 2, 2};
    request.batches = (mls_plan_numbers){batches, 2, 2};
    request.samples = 30000;
    assert_int_equal(plan_of(&group, &request, &plan, NULL), MLS_OK);
    assert_int_equal(plan.rows.count, 4);
    const mls_plan_row *base = row_of(&plan, 8, 16);
    assert_true(base->measured);
    assert_close(base->minutes, 10, 1e-9);
    assert_close(base->rate, 50, 1e-9);
    assert_close(base->efficiency, 1, 1e-9);
    assert_close(base->low_minutes, 10 * exp(-0.0561), 1e-9);
    const mls_plan_row *four = row_of(&plan, 32, 64);
    const double rate = 50 * 4 * exp2(-0.0451 * 2);
    const double training = 30000 / rate / 60;
    const double evaluation = 1.0 * 30000 / 24000 * exp2(-0.8194 * 2);
    assert_close(four->rate, rate, 1e-9);
    assert_close(four->evaluation_minutes, evaluation, 1e-9);
    assert_close(four->other_minutes, 1, 1e-9);
    assert_close(four->minutes, training + evaluation + 1, 1e-9);
    assert_close(four->high_minutes, four->minutes * exp(0.0561 + 0.0637 * 2), 1e-9);
    /* A quarter of the batch on each accelerator. */
    assert_close(row_of(&plan, 32, 16)->rate, rate * exp2(0.1573 * -2), 1e-9);
    mls_plan_release(&plan);
}

static void without_points_only_own_batch(void **state)
{
    mls_side_run runs[RUNS];
    mls_side_group group = made_group(runs);
    mls_plan_request request = asking(*state);
    mls_plan plan;
    assert_int_equal(plan_of(&group, &request, &plan, NULL), MLS_OK);
    assert_true(row_of(&plan, 16, 16)->minutes > 0);
    const mls_plan_row *other = row_of(&plan, 16, 32);
    assert_true(isnan(other->minutes));
    assert_string_equal(other->note, "no reference point for this batch (--samples)");
    assert_true(mls_plan_answers(&plan));
    mls_plan_release(&plan);
}

static void evaluations_that_are_not_delimited_are_training(void **state)
{
    mls_side_run runs[RUNS];
    mls_side_group group = made_group(runs);
    mls_plan_request request = asking(*state);
    mls_plan plan;
    for (int i = 0; i < RUNS; i++)
        runs[i].has_parts = false;
    assert_int_equal(plan_of(&group, &request, &plan, NULL), MLS_OK);
    assert_close(plan.bases.items[0].training_ms, 600000, 1e-9);
    const mls_plan_row *row = row_of(&plan, 8, 16);
    assert_close(row->rate, 40, 1e-9);
    assert_close(row->evaluation_minutes, 0, 1e-9);
    assert_close(row->minutes, 10, 1e-9);
    mls_plan_release(&plan);
}

static void what_cannot_be_a_base_says_why(void **state)
{
    mls_plan_request request = asking(*state);
    for (int i = 0; i < 6; i++) {
        static const char *const reasons[] = {"no valid run",
                                              "weak scaling is not predicted",
                                              "unknown number of accelerators",
                                              "unknown global batch size",
                                              "unknown samples to converge",
                                              "its runs state convergence in different units"};
        mls_side_run runs[RUNS];
        mls_side_group group = made_group(runs);
        mls_plan plan;
        group.valid = i == 0 ? 0 : RUNS;
        group.weak = i == 1;
        group.accelerators = i == 2 ? (double)NAN : 8;
        group.global_batch_size = i == 3 ? (double)NAN : 16;
        for (int k = 0; k < RUNS; k++) {
            runs[k].valid = i != 0;
            runs[k].to_converge = i == 4 ? (double)NAN : 24000;
            runs[k].unit = i == 5 && k == 1 ? "epochs" : "samples";
        }
        assert_int_equal(plan_of(&group, &request, &plan, NULL), MLS_OK);
        assert_int_equal(plan.bases.count, 0);
        assert_int_equal(plan.unfit.count, 1);
        assert_string_equal(plan.unfit.items[0].reason, reasons[i]);
        assert_false(mls_plan_answers(&plan));
        mls_plan_release(&plan);
    }
}

/* A model that ran on 64 accelerators may not fit on 8; one that ran on 8 may not fit on 4, as the row reports. */
static void degrees_are_believed_where_they_can_be(void **state)
{
    for (int i = 0; i < 2; i++) {
        mls_side_run runs[RUNS];
        mls_side_group group = made_group(runs);
        mls_setting degree = {
            .key = mls_str_from("tensor_parallel"), .kind = MLS_SETTING_NUMBER, .number = i == 0 ? 64 : 8};
        mls_plan_request request = asking(*state);
        mls_plan plan;
        runs[0].printed.items = &degree;
        runs[0].printed.count = 1;
        assert_int_equal(plan_of(&group, &request, &plan, NULL), MLS_OK);
        assert_int_equal(isnan(plan.bases.items[0].model_parallel), i == 0);
        const mls_plan_row *row = row_of(&plan, 4, i == 0 ? 8 : 16);
        assert_true(i == 0 || row->shown);
        assert_int_equal(row->note != NULL && strstr(row->note, "one copy of the model") != NULL, i == 1);
        mls_plan_release(&plan);
    }
}

static void more_than_64_times_is_refused(void **state)
{
    for (int i = 0; i < 3; i++) {
        static const double wanted[] = {512, 513, 7};
        mls_side_run runs[RUNS];
        mls_side_group group = made_group(runs);
        mls_plan_request request = asking(*state);
        double number = wanted[i];
        mls_plan plan;
        mls_error error;
        group.accelerators = i == 2 ? 512 : 8;
        request.accelerators = (mls_plan_numbers){&number, 1, 1};
        assert_int_equal(plan_of(&group, &request, &plan, &error), i == 0 ? MLS_OK : MLS_ERROR_VALUE);
        mls_plan_release(&plan);
    }
}

/* A part that does not shrink limits what any number of accelerators can achieve. */
static void target_names_what_stands_in_the_way(void **state)
{
    for (int i = 0; i < 2; i++) {
        mls_side_run runs[RUNS];
        mls_side_group group = made_group(runs);
        mls_plan_request request = asking(*state);
        mls_plan plan;
        request.samples = 24000;
        request.target_minutes = i == 0 ? 5 : 0.5;
        assert_int_equal(plan_of(&group, &request, &plan, NULL), MLS_OK);
        const mls_plan_target *target = &plan.series.items[0].target;
        if (i == 0) {
            assert_true(target->by_low <= target->by_middle && target->by_middle <= target->by_high);
            assert_true(target->by_low > 8 && target->by_high < 64);
            assert_null(target->obstacle);
        } else {
            assert_true(isnan(target->by_low) && isnan(target->by_high));
            assert_string_equal(target->obstacle, "other");
            assert_false(mls_plan_answers(&plan));
        }
        mls_plan_release(&plan);
    }
}

static void broken_figures_are_refused(void **state)
{
    static const char *const texts[] = {
        "{}",
        "[",
        "{\"benchmarks\": {\"bert\": {\"pairs\": 1, \"system\": 0, \"batch\": 0, \"evaluation\": 0}}}",
        "{\"benchmarks\": {\"*\": {\"pairs\": 1, \"system\": \"x\", \"batch\": 0, \"evaluation\": 0}}}",
        "{\"benchmarks\": {\"*\": {\"system\": 0, \"batch\": 0, \"evaluation\": 0, \"spread\": {\"0.5\": [1]}}}}",
        "{\"benchmarks\": {\"*\": {\"pairs\": 1, \"system\": 0, \"batch\": 0, \"evaluation\": 0, \"spread\": null}}}",
        ("{\"chosen\": {\"0.5\": [1]}, \"benchmarks\": {\"*\": {\"pairs\": 1, \"system\": 0, \"batch\": 0, "
         "\"evaluation\": 0, \"spread\": {\"0.5\": [0, 0], \"0.75\": [0, 0], \"0.9\": [0, 0]}}}}")};
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        mls_plan_figures figures;
        mls_error error;
        assert_int_not_equal(mls_plan_figures_load(mls_str_from(texts[i]), &figures, &error), MLS_OK);
        assert_true(error.message[0] != '\0');
        mls_plan_figures_release(&figures);
    }
}

/* ---- a round, predicted from itself with figures from before it */

static void load_before(mls_plan_figures *figures)
{
    mls_buffer text = {0};
    assert_int_equal(mls_file_read("testdata/plan/before-5.1.json", true, 1 << 20, &text, NULL), MLS_OK);
    assert_int_equal(mls_plan_figures_load(mls_buffer_str(&text), figures, NULL), MLS_OK);
    mls_buffer_release(&text);
}

typedef struct predictions {
    MLS_LIST_OF(double) errors; /* |ln(predicted / true)| */
    size_t inside;              /* of the interval */
} predictions;

/* Find another result of the submitter on the same accelerators, one with the same number of them first. */
static bool may_predict(const mls_side_group *a, const mls_side_group *b)
{
    const double times = b->accelerators / a->accelerators;
    return a != b && a->published->usage == b->published->usage && strcmp(a->benchmark, b->benchmark) == 0 &&
           strcmp(a->published->system->submitter, b->published->system->submitter) == 0 && a->accelerator != NULL &&
           b->accelerator != NULL && strcmp(a->accelerator, b->accelerator) == 0 && a->division == b->division &&
           times <= MLS_PLAN_TIMES_MAX && times >= 1.0 / MLS_PLAN_TIMES_MAX;
}

static void predict_one(const mls_plan_request *asked, mls_side_group *from, const mls_side_group *to, predictions *all)
{
    mls_plan_request request = *asked;
    double accelerators = to->accelerators;
    double batch = to->global_batch_size;
    mls_plan plan;
    request.accelerators = (mls_plan_numbers){&accelerators, 1, 1};
    request.batches = (mls_plan_numbers){&batch, 1, 1};
    assert_int_equal(plan_of(from, &request, &plan, NULL), MLS_OK);
    if (plan.rows.count == 1 && isfinite(plan.rows.items[0].minutes)) {
        const mls_plan_row *row = &plan.rows.items[0];
        const double truth = to->runs.count > 0 ? to->mean_minutes : to->scaled_minutes / to->scale;
        MLS_GROW(&all->errors, items);
        all->errors.items[all->errors.count++] = fabs(log(row->minutes / truth));
        all->inside += row->low_minutes <= truth && truth <= row->high_minutes;
    }
    mls_plan_release(&plan);
}

/* Predict each result of a round from each other one of the same submitter and accelerator.  Return the median error
 * and in *held the share of results inside of the interval of 90 %, over at least `least` predictions. */
static double predict_round(const fixture *loaded, const char *side, const mls_plan_figures *figures, size_t least,
                            double *held)
{
    mls_plan_request request = asking(loaded);
    mls_arena arena = {0};
    mls_compare_request sides = {.mode = MLS_COMPARE_NOTHING, .collect = {.score.editions = loaded->editions}};
    mls_comparison round;
    predictions all = {.inside = 0};
    request.figures = figures;
    request.level = 2;
    assert_non_null(mls_side_add(&sides.sides, &arena, MLS_S("A"), side));
    assert_int_equal(mls_compare(&sides, &round, NULL), MLS_OK);
    for (size_t i = 0; i < round.groups.count; i++) {
        for (size_t k = 0; k < round.groups.count; k++)
            if (may_predict(round.groups.items[i], round.groups.items[k]))
                predict_one(&request, round.groups.items[i], round.groups.items[k], &all);
    }
    mls_sort_doubles(all.errors.items, all.errors.count);
    const double median = mls_median(all.errors.items, all.errors.count);
    *held = (double)all.inside / (double)all.errors.count;
    print_message("%s: %zu predictions, median error %.3f, inside %.3f\n", side, all.errors.count, median, *held);
    assert_true(all.errors.count >= least);
    free(all.errors.items);
    mls_comparison_release(&round);
    mls_arena_release(&arena);
    return median;
}

static void round_5_1_is_predicted(void **state)
{
    mls_plan_figures before;
    double held;
    load_before(&before);
    assert_true(predict_round(*state, "published:5.1", &before, 100, &held) < 0.11);
    assert_true(held >= 0.78);
    mls_plan_figures_release(&before);
}

/* The embedded figures were fitted to rounds before 6.0. */
static void round_6_0_is_predicted(void **state)
{
    const fixture *loaded = *state;
    double held;
    assert_true(predict_round(loaded, "published:6.0", &loaded->figures, 30, &held) < 0.11);
    assert_true(held >= 0.78);
}

/* ---- the fastest of several predictions, compared with the fastest result of the submitter on as many
 * accelerators, in a round that the figures were fitted to */

static bool is_fastest(const mls_comparison *round, const mls_side_group *group)
{
    bool fastest = true;
    for (size_t i = 0; i < round->groups.count; i++) {
        const mls_side_group *other = round->groups.items[i];
        fastest &= !may_predict(group, other) || other->accelerators != group->accelerators ||
                   !(other->scaled_minutes < group->scaled_minutes);
    }
    return fastest;
}

static const mls_plan_row *recommended_row(const mls_plan *plan)
{
    for (size_t i = 0; i < plan->rows.count; i++)
        if (plan->rows.items[i].recommended)
            return &plan->rows.items[i];
    return NULL;
}

static void recommended_rows_hold(void **state)
{
    const fixture *loaded = *state;
    const mls_plan_request asked = asking(loaded);
    mls_arena arena = {0};
    mls_compare_request sides = {.mode = MLS_COMPARE_NOTHING, .collect = {.score.editions = loaded->editions}};
    mls_comparison round;
    predictions all = {.inside = 0};
    assert_non_null(mls_side_add(&sides.sides, &arena, MLS_S("A"), "published:5.0"));
    assert_int_equal(mls_compare(&sides, &round, NULL), MLS_OK);
    for (size_t i = 0; i < round.groups.count; i++) {
        for (size_t k = 0; k < round.groups.count; k++) {
            mls_side_group *from = round.groups.items[i];
            const mls_side_group *to = round.groups.items[k];
            double accelerators = to->accelerators;
            mls_plan_request request = asked;
            mls_plan plan;
            if (!may_predict(from, to) || from->accelerators == accelerators || !is_fastest(&round, to))
                continue;
            request.accelerators = (mls_plan_numbers){&accelerators, 1, 1};
            assert_int_equal(plan_of(from, &request, &plan, NULL), MLS_OK);
            const mls_plan_row *row = recommended_row(&plan);
            if (row != NULL) {
                const double truth = to->scaled_minutes;
                MLS_GROW(&all.errors, items);
                all.errors.items[all.errors.count++] = fabs(row->minutes / truth - 1);
                all.inside += row->low_minutes <= truth && truth <= row->high_minutes;
            }
            mls_plan_release(&plan);
        }
    }
    mls_sort_doubles(all.errors.items, all.errors.count);
    assert_true(all.errors.count >= 200);
    assert_true(mls_median(all.errors.items, all.errors.count) < 0.11);
    assert_true((double)all.inside / (double)all.errors.count >= 0.72);
    free(all.errors.items);
    mls_comparison_release(&round);
    mls_arena_release(&arena);
}

/* The fastest of two predictions has the interval of a selected one. With requested batch sizes it has not, and the
 * minutes of the base are those of the formula. */
static void only_what_is_suggested_is_recommended(void **state)
{
    for (int i = 0; i < 2; i++) {
        mls_side_run runs[RUNS];
        mls_side_group group = made_group(runs);
        mls_plan_request request = asking(*state);
        double batches[] = {16, 32};
        double wanted[] = {8, 16};
        mls_plan plan;
        group.score_minutes = 9.5;
        request.samples = 30000;
        request.accelerators = (mls_plan_numbers){wanted, 2, 2};
        request.batches = (mls_plan_numbers){batches, i == 0 ? 0 : 2, 2};
        assert_int_equal(plan_of(&group, &request, &plan, NULL), MLS_OK);
        assert_close(row_of(&plan, 8, 16)->minutes, i == 0 ? 9.5 : 10, 1e-9);
        const mls_plan_row *row = row_of(&plan, 16, 16);
        const double half = 0.0561 + 0.0637;
        const double *chosen = request.figures->chosen[1];
        assert_int_equal(row->recommended, i == 0);
        assert_close(log(row->minutes / row->low_minutes), i == 0 ? half * chosen[0] : half, 1e-9);
        assert_close(log(row->high_minutes / row->minutes), i == 0 ? half * chosen[1] : half, 1e-9);
        mls_plan_release(&plan);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(formula_by_hand),
        cmocka_unit_test(without_points_only_own_batch),
        cmocka_unit_test(evaluations_that_are_not_delimited_are_training),
        cmocka_unit_test(what_cannot_be_a_base_says_why),
        cmocka_unit_test(degrees_are_believed_where_they_can_be),
        cmocka_unit_test(more_than_64_times_is_refused),
        cmocka_unit_test(target_names_what_stands_in_the_way),
        cmocka_unit_test(broken_figures_are_refused),
        cmocka_unit_test(round_5_1_is_predicted),
        cmocka_unit_test(round_6_0_is_predicted),
        cmocka_unit_test(recommended_rows_hold),
        cmocka_unit_test(only_what_is_suggested_is_recommended),
    };
    return cmocka_run_group_tests(tests, load, unload);
}
