/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "close.h"
#include "score/score.h"

/* The start of a run, its time in minutes, and whether it is valid. */
typedef struct olympic_run {
    double start_ms, minutes;
    bool valid;
} olympic_run;

typedef struct olympic_rules {
    unsigned runs_needed, left_out;
    bool select_window;
} olympic_rules;

#define RUN(start, minutes_)                                                                                           \
    {                                                                                                                  \
        (start), (minutes_), true                                                                                      \
    }
#define FAILED(start)                                                                                                  \
    {                                                                                                                  \
        (start), NAN, false                                                                                            \
    }

static mls_olympic_result score(const olympic_run *runs, size_t count, olympic_rules rules, mls_olympic_mark *marks)
{
    mls_run logged[64];
    const mls_run *all[64];
    const mls_benchmark benchmark = {.runs_needed = rules.runs_needed, .left_out = rules.left_out};
    mls_group group = {.rules = &benchmark, .runs = all, .run_count = count};
    for (size_t i = 0; i < count; i++) {
        mls_run_init(&logged[i]);
        logged[i].run_start.time_ms = runs[i].start_ms;
        logged[i].run_stop.time_ms = runs[i].start_ms + runs[i].minutes * 60000;
        logged[i].valid = runs[i].valid;
        all[i] = &logged[i];
    }
    mls_group_olympic(&group, rules.select_window);
    if (marks != NULL)
        memcpy(marks, group.marks, count * sizeof *marks);
    free(group.marks);
    return group.score;
}

static void fastest_and_slowest_are_left_out(void **state)
{
    (void)state;
    const olympic_run runs[] = {RUN(1, 9), RUN(2, 4), RUN(3, 6), RUN(4, 5), RUN(5, 100)};
    mls_olympic_mark marks[5];
    mls_olympic_result result = score(runs, 5, (olympic_rules){5, 1, false}, marks);
    assert_close(result.score_minutes, 20.0 / 3, 1e-12);
    assert_true(result.official);
    assert_int_equal(result.kept, 3);
    assert_int_equal(result.dropped, 0);
    assert_int_equal(marks[0], MLS_OLYMPIC_KEPT);
    assert_int_equal(marks[1], MLS_OLYMPIC_FASTEST);
    assert_int_equal(marks[4], MLS_OLYMPIC_SLOWEST);
    assert_false(result.windowed);
}

static void dropped_run_counts_as_slowest(void **state)
{
    (void)state;
    const olympic_run runs[] = {RUN(1, 9), RUN(2, 4), FAILED(3), RUN(4, 5), RUN(5, 100)};
    mls_olympic_mark marks[5];
    mls_olympic_result result = score(runs, 5, (olympic_rules){5, 1, true}, marks);
    assert_close(result.score_minutes, 114.0 / 3, 1e-12);
    assert_true(result.official);
    assert_int_equal(result.dropped, 1);
    assert_int_equal(marks[2], MLS_OLYMPIC_DROPPED);
    assert_int_equal(marks[4], MLS_OLYMPIC_KEPT);
}

static void too_many_dropped_give_no_score(void **state)
{
    (void)state;
    const olympic_run runs[] = {RUN(1, 9), FAILED(2), {3, INFINITY, true}, RUN(4, 5), RUN(5, 7)};
    mls_olympic_result result = score(runs, 5, (olympic_rules){5, 1, false}, NULL);
    assert_true(isnan(result.score_minutes));
    assert_false(result.official);
    assert_int_equal(result.dropped, 2);
    assert_int_equal(result.outcome, MLS_OLYMPIC_TOO_MANY_DROPPED);
}

static void four_of_forty_may_be_dropped(void **state)
{
    (void)state;
    olympic_run runs[40];
    for (size_t i = 0; i < 40; i++)
        runs[i] = (olympic_run){(double)i, (double)(i + 1), i >= 3};
    /* Runs 4 … 40 are valid; without the four fastest and the slowest, 8 … 39 remain. */
    mls_olympic_result result = score(runs, 40, (olympic_rules){40, 4, false}, NULL);
    assert_close(result.score_minutes, 23.5, 1e-12);
    assert_int_equal(result.kept, 32);
}

static void too_few_runs_give_an_unofficial_plain_mean(void **state)
{
    (void)state;
    const olympic_run runs[] = {RUN(1, 9), FAILED(2), RUN(3, 4)};
    mls_olympic_mark marks[3];
    mls_olympic_result result = score(runs, 3, (olympic_rules){10, 1, true}, marks);
    assert_close(result.score_minutes, 6.5, 0);
    assert_false(result.official);
    assert_int_equal(result.outcome, MLS_OLYMPIC_TOO_FEW_RUNS);
    assert_int_equal(marks[0], MLS_OLYMPIC_KEPT);
    assert_int_equal(marks[1], MLS_OLYMPIC_DROPPED);
    result = score(NULL, 0, (olympic_rules){0, 1, false}, NULL);
    assert_true(isnan(result.score_minutes));
    assert_false(result.official);
}

static void nothing_left_gives_no_score(void **state)
{
    (void)state;
    const olympic_run runs[] = {RUN(1, 9), RUN(2, 4)};
    mls_olympic_result result = score(runs, 2, (olympic_rules){2, 1, false}, NULL);
    assert_true(isnan(result.score_minutes));
    assert_int_equal(result.outcome, MLS_OLYMPIC_NOTHING_LEFT);
    assert_false(result.official);
    const olympic_run three[] = {RUN(1, 9), RUN(2, 4), RUN(3, 5)};
    result = score(three, 3, (olympic_rules){3, 4, false}, NULL);
    assert_true(isnan(result.score_minutes));
}

static void more_runs_without_window_are_not_official(void **state)
{
    (void)state;
    const olympic_run runs[] = {RUN(4, 1), RUN(3, 2), RUN(2, 4), RUN(1, 8)};
    mls_olympic_result result = score(runs, 4, (olympic_rules){3, 1, false}, NULL);
    assert_close(result.score_minutes, 3, 0);
    assert_false(result.official);
    assert_int_equal(result.outcome, MLS_OLYMPIC_TOO_MANY_RUNS);
}

static void window_closest_to_the_median_is_scored(void **state)
{
    (void)state;
    /* By start: 5 3 1 9 7; windows of three have the olympic means 3, 3, 7. */
    const olympic_run runs[] = {RUN(50, 7), RUN(10, 5), RUN(40, 9), RUN(20, 3), RUN(30, 1)};
    mls_olympic_mark marks[5];
    mls_olympic_result result = score(runs, 5, (olympic_rules){3, 1, true}, marks);
    assert_true(result.official);
    assert_true(result.windowed);
    assert_close(result.score_minutes, 3, 0);
    assert_int_equal(result.window_first, 0);
    assert_int_equal(result.window_count, 3);
    assert_int_equal(marks[0], MLS_OLYMPIC_OUTSIDE);
    assert_int_equal(marks[1], MLS_OLYMPIC_SLOWEST);
    assert_int_equal(marks[2], MLS_OLYMPIC_OUTSIDE);
    assert_int_equal(marks[3], MLS_OLYMPIC_KEPT);
    assert_int_equal(marks[4], MLS_OLYMPIC_FASTEST);
}

static void of_two_equally_close_windows_the_slower_counts(void **state)
{
    (void)state;
    /* Means 1.1 and 2.3: both 0.6 from the median, but for the last bit. */
    const olympic_run runs[] = {RUN(1, 1), RUN(2, 2.3), RUN(3, 1.1), RUN(4, 5)};
    mls_olympic_result result = score(runs, 4, (olympic_rules){3, 1, true}, NULL);
    assert_close(result.score_minutes, 2.3, 1e-12);
    assert_int_equal(result.window_first, 1);
}

static void windows_with_too_many_failures_are_infinite(void **state)
{
    (void)state;
    /* Windows: (1 F F) infinite, (F F 2) infinite, (F 2 3) 3, (2 3 4) 3, (3 4 5) 4: median 4. */
    const olympic_run runs[] = {RUN(1, 1), FAILED(2), FAILED(3), RUN(4, 2), RUN(5, 3), RUN(6, 4), RUN(7, 5)};
    mls_olympic_result result = score(runs, 7, (olympic_rules){3, 1, true}, NULL);
    assert_close(result.score_minutes, 4, 0);
    assert_int_equal(result.window_first, 4);
    assert_int_equal(result.dropped, 0);
    /* Without the last run two of four windows are infinite, and so is the median. */
    mls_olympic_mark marks[6];
    result = score(runs, 6, (olympic_rules){3, 1, true}, marks);
    assert_true(isnan(result.score_minutes));
    assert_false(result.official);
    assert_false(result.windowed);
    assert_int_equal(result.outcome, MLS_OLYMPIC_NO_WINDOW);
    assert_int_equal(result.dropped, 2);
    assert_int_equal(marks[1], MLS_OLYMPIC_DROPPED);
}

static void runs_without_a_start_come_last_and_ties_keep_their_order(void **state)
{
    (void)state;
    const olympic_run runs[] = {{NAN, 8, true}, RUN(1, 2), RUN(1, 2), RUN(1, 3)};
    mls_olympic_mark marks[4];
    mls_olympic_result result = score(runs, 4, (olympic_rules){3, 1, true}, marks);
    assert_close(result.score_minutes, 3, 0);
    assert_int_equal(result.window_first, 1);
    assert_int_equal(marks[0], MLS_OLYMPIC_DROPPED);
    assert_int_equal(marks[1], MLS_OLYMPIC_OUTSIDE);
    assert_int_equal(marks[2], MLS_OLYMPIC_FASTEST);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fastest_and_slowest_are_left_out),
        cmocka_unit_test(dropped_run_counts_as_slowest),
        cmocka_unit_test(too_many_dropped_give_no_score),
        cmocka_unit_test(four_of_forty_may_be_dropped),
        cmocka_unit_test(too_few_runs_give_an_unofficial_plain_mean),
        cmocka_unit_test(nothing_left_gives_no_score),
        cmocka_unit_test(more_runs_without_window_are_not_official),
        cmocka_unit_test(window_closest_to_the_median_is_scored),
        cmocka_unit_test(of_two_equally_close_windows_the_slower_counts),
        cmocka_unit_test(windows_with_too_many_failures_are_infinite),
        cmocka_unit_test(runs_without_a_start_come_last_and_ties_keep_their_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
