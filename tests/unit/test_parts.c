/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/buffer.h"
#include "run/parts.h"

/* R run_start, S run_stop; B b start and stop of a block, P p of an epoch, E e of an evaluation; A the result of an
 * evaluation, V a validation step of 2 ms, W a whole validation of 3 ms; followed by the time. */
static mls_key key_of(char letter)
{
    static const char letters[] = "RSBbPpEeAVW";
    static const mls_key keys[] = {MLS_KEY_RUN_START,     MLS_KEY_RUN_STOP,     MLS_KEY_BLOCK_START,
                                   MLS_KEY_BLOCK_STOP,    MLS_KEY_EPOCH_START,  MLS_KEY_EPOCH_STOP,
                                   MLS_KEY_EVAL_START,    MLS_KEY_EVAL_STOP,    MLS_KEY_EVAL_ACCURACY,
                                   MLS_KEY_TRACKED_STATS, MLS_KEY_TRACKED_STATS};
    return keys[strchr(letters, letter) - letters];
}

static void take_script(mls_spans *spans, const char *script)
{
    for (char *end; *script != '\0'; script = end + (*end == ' ')) {
        const mls_record record = {.key_id = key_of(*script),
                                   .time_ms = strtod(script + 1, &end),
                                   .value = *script == 'V'   ? MLS_S("{\"validation_step_time\": 0.002}")
                                            : *script == 'W' ? MLS_S("{\"loss\": 1, \"validation_time\": 0.003}")
                                                             : MLS_S("1.5")};
        mls_spans_record(spans, &record);
    }
}

static void add_stretch(void *state, const mls_stretch *stretch)
{
    mls_buffer_printf(state, "%s%c%s%g-%g", ((mls_buffer *)state)->len > 0 ? " " : "", "tesb."[stretch->part],
                      stretch -> overlapped ? "+" : "", stretch->from_ms, stretch->to_ms);
}

/* Check the parts until `end_ms`, as "by training evaluation startup between tail, evaluations", and the intervals. */
static void assert_parts(const char *script, double end_ms, const char *expected, const char *stretches)
{
    mls_spans spans = {0};
    mls_parts parts;
    char text[200];
    mls_buffer seen = {0};
    take_script(&spans, script);
    assert_true(mls_spans_parts(&spans, end_ms, &parts, add_stretch, &seen));
    const char *by = mls_parts_by_name(parts.by);
    (void)snprintf(text, sizeof text, "%s %g %g %g %g %g, %zu%s", by != NULL ? by : "-", parts.ms[0], parts.ms[1],
                   parts.ms[2], parts.ms[3], parts.ms[4], parts.evaluations, parts.evaluation_delimited ? "" : "?");
    assert_string_equal(text, expected);
    assert_string_equal(seen.len > 0 ? seen.ptr : "", stretches);
    mls_buffer_release(&seen);
    mls_spans_release(&spans);
}

static void evaluations_without_a_start_are_as_long_as_their_steps(void **state)
{
    (void)state;
    /* From the beginning of the first step to the result, even within a block. */
    assert_parts("R0 B0 V12 V14 A15 V27 A30 b30 S31", 31, "block 20 10 0 0 1, 2", "t0-10 e10-15 t15-25 e25-30 .30-31");
    /* A whole validation comes after its result, and adds nothing if its steps were logged. */
    assert_parts("R0 B0 A10 W10 A20 W21 b21 S21", 21, "block 15 6 0 0 0, 2", "t0-7 e7-10 t10-18 e18-21");
    assert_parts("R0 B0 V9 A10 W10 b12 S12", 12, "block 9 3 0 0 0, 1", "t0-7 e7-10 t10-12");
    /* Between blocks, in a log without blocks, and never if there is an eval_start. */
    assert_parts("R0 B0 b5 V8 A9 B9 b12 S12", 12, "block 8 3 0 1 0, 1", "t0-5 b5-6 e6-9 t9-12");
    assert_parts("R0 V8 A9 S12", 12, "- 9 3 0 0 0, 1", "t0-6 e6-9 t9-12");
    assert_parts("R0 B0 V8 A9 E10 A11 e11 b12 S12", 12, "block 11 1 0 0 0, 1", "t0-10 e10-11 t11-12");
    assert_parts("R0 B0 A9 b12 S12", 12, "block 12 0 0 0 0, 0?", "t0-12");
}

static void time_goes_where_the_last_open_span_says(void **state)
{
    (void)state;
    assert_parts("R0 B2 b10 E11 e14 B14 b20 S23", 23, "block 14 3 2 1 3, 1", "s0-2 t2-10 b10-11 e11-14 t14-20 .20-23");
    /* An evaluation within a block is evaluation; epochs are ignored if there are blocks. */
    assert_parts("R0 P0 B1 E4 e6 b9 p9 S9", 9, "block 6 2 1 0 0, 1", "s0-1 t1-4 e4-6 t6-9");
    assert_parts("R0 P0 p4 E4 e5 S5", 5, "epoch 4 1 0 0 0, 1", "t0-4 e4-5");
    /* Training that starts during an evaluation is training; its stop closes the older one. */
    assert_parts("R0 B0 b4 E4 B6 e8 b9 S9", 9, "block 7 2 0 0 0, 1", "t0-4 e4-6 t+6-8 t8-9");
    /* Blocks opened before the run continue in it. */
    assert_parts("B0 R5 b8 S9", 9, "block 3 0 0 0 1, 0?", "t5-8 .8-9");
}

static void what_is_missing_or_double_is_borne(void **state)
{
    (void)state;
    /* A stop without a start: training since the end of the last span, or since run_start; for an evaluation, ignored.
     */
    assert_parts("R0 b4 E4 e6 b9 S10", 10, "block 7 2 0 0 1, 1", "t0-4 e4-6 t6-9 .9-10");
    assert_parts("R0 e2 B3 b4 S5", 5, "block 1 0 0 3 1, 0?", "b0-3 t3-4 .4-5");
    assert_parts("R0 B0 b2 E2 E3 e5 e6 S6", 6, "block 2 3 0 0 1, 1", "t0-2 e2-3 e3-5 .5-6");
    /* The clock never goes back or past the end; records after run_stop do not belong to the run. */
    assert_parts("R10 B8 b20 E15 e18 B18 b40 S30 B31 b35", 30, "block 20 0 0 0 0, 1", "t10-20 t20-30");
    /* Without blocks and epochs, everything except evaluations is training. */
    assert_parts("R0 E3 e5 S6", 6, "- 4 2 0 0 0, 1", "t0-3 e3-5 t5-6");
    assert_parts("R0 S6", 6, "- 6 0 0 0 0, 0?", "t0-6");
    assert_parts("R0 B1", 7, "block 6 0 1 0 0, 0?", "s0-1 t1-7");
    assert_parts("R0 R4 B5 b6 S7", 7, "block 1 0 5 0 1, 0?", "s0-5 t5-6 .6-7");
}

static void some_runs_have_no_parts(void **state)
{
    mls_spans spans = {0};
    mls_parts parts;
    (void)state;
    take_script(&spans, "B0 b4 S5");
    assert_false(mls_spans_parts(&spans, 5, &parts, NULL, NULL));
    mls_spans_release(&spans);
    take_script(&spans, "R7 B8");
    assert_false(mls_spans_parts(&spans, 5, &parts, NULL, NULL));
    for (int i = 1; i < MLS_SPANS_MAX; i++)
        take_script(&spans, "b9");
    assert_true(mls_spans_parts(&spans, 10, &parts, NULL, NULL));
    take_script(&spans, "B9");
    assert_false(mls_spans_parts(&spans, 10, &parts, NULL, NULL));
    mls_spans_release(&spans);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(evaluations_without_a_start_are_as_long_as_their_steps),
        cmocka_unit_test(time_goes_where_the_last_open_span_says),
        cmocka_unit_test(what_is_missing_or_double_is_borne),
        cmocka_unit_test(some_runs_have_no_parts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
