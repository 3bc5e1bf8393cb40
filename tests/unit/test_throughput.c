/* SPDX-License-Identifier: Apache-2.0 */
/* What runs did over time, against numbers that were computed by hand: the sums stand beside them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "report/reports.h"
#include "timed_log.h"

/* A relative difference of 1e-12 is rounding. */
static void assert_near(double got, double wanted)
{
    if (!(fabs(got - wanted) <= 1e-12 * fabs(wanted))) {
        fail_msg("%.17g is not %.17g", got, wanted);
    }
}

/* ---------------------------------------------------------------- two sides */

static mls_sides compare(const double *a, size_t a_count, const double *b, size_t b_count)
{
    mls_sides sides;
    assert_true(mls_sides_compare(a, a_count, b, b_count, &sides));
    return sides;
}

/*
 * Four against four, apart: of the 8! / (4! 4!) = 70 ways to split eight ranks two are as far apart, so p = 2 / 70.
 * Medians (101 + 102) / 2 = 101.5 and (104 + 107) / 2 = 105.5: ratio 1.0394 >= 1.02.
 */
static void two_sides_apart(void **state)
{
    const double a[] = {103, 100, 102, 101};
    const double b[] = {103.5, 104, 107, 110};
    (void)state;
    mls_sides sides = compare(a, 4, b, 4);
    assert_near(sides.p, 2.0 / 70);
    assert_near(sides.ratio, 105.5 / 101.5);
    assert_int_equal(sides.verdict, MLS_SIDES_REGRESSION);
    sides = compare(b, 4, a, 4);
    assert_near(sides.ratio, 101.5 / 105.5);
    assert_int_equal(sides.verdict, MLS_SIDES_IMPROVEMENT);
}

/*
 * Ranks of A among 100 102 103 104 105 106 107 109 are 1, 2, 4 and 6: 13, which is 5 from the mean 4 * 9 / 2 = 18. Sums
 * of four of eight ranks up to 13: 10 once (1234), 11 once (1235), 12 twice (1236 1245), 13 three times (1237 1246
 * 1345): 7, and as many from 23 on: p = 14 / 70.
 */
static void two_sides_mixed(void **state)
{
    const double a[] = {100, 102, 104, 106};
    const double b[] = {103, 105, 107, 109};
    (void)state;
    const mls_sides sides = compare(a, 4, b, 4);
    assert_near(sides.p, 14.0 / 70);
    assert_near(sides.ratio, 106.0 / 103);
    assert_int_equal(sides.verdict, MLS_SIDES_ALIKE);
}

/* Apart for sure, but by 1 %; and three runs are too few: the least p of three against three is 2 / 20. */
static void two_sides_that_say_little(void **state)
{
    const double a[] = {100, 100.1, 100.2, 100.3};
    const double b[] = {101, 101.1, 101.2, 101.3};
    (void)state;
    mls_sides sides = compare(a, 4, b, 4);
    assert_near(sides.p, 2.0 / 70);
    assert_int_equal(sides.verdict, MLS_SIDES_ALIKE);
    sides = compare(a, 3, (const double[]){200, 201, 202}, 3);
    assert_near(sides.p, 2.0 / 20);
    assert_int_equal(sides.verdict, MLS_SIDES_TOO_FEW);
    sides = compare(a, 4, b, 0);
    assert_true(isnan(sides.p) && isnan(sides.ratio));
    assert_int_equal(sides.verdict, MLS_SIDES_TOO_FEW);
}

/*
 * 21 times 1 against 21 times 1.05: more than 20 on a side, so the normal distribution.  U = 0, its mean 21 * 21 / 2 =
 * 220.5, its variance 441 / 12 * (43 - 2 * (21^3 - 21) / (42 * 41)) = 36.75 * (43 - 18480 / 1722) = 1185.86585…;
 * z = (220.5 - 0.5) / 34.4364… = 6.38858…, p = erfc(z / sqrt(2)).
 */
static void two_sides_of_many(void **state)
{
    double a[21];
    double b[21];
    (void)state;
    for (size_t i = 0; i < 21; i++) {
        a[i] = 1;
        b[i] = 1.05;
    }
    const mls_sides sides = compare(a, 21, b, 21);
    const double p = erfc(220 / sqrt(36.75 * (43 - 18480.0 / 1722)) / sqrt(2));
    assert_true(fabs(sides.p - p) < 1e-6 * p);
    assert_int_equal(sides.verdict, MLS_SIDES_REGRESSION);
    assert_true(compare(a, 20, b, 20).p < 1e-10); /* exact: 2 / C(40, 20) = 2 / 137846528820 = 1.45e-11 */
}

/* ------------------------------------------------------------- utilization */

static mls_utilization utilization_of(bool causal, const char *accelerator)
{
    static const double ms[] = {60000, 60000, 60000};
    static const double samples[] = {384, 384, 384};
    mls_buffer log = timed_run(ms, samples, 3, 0);
    mls_accelerators *accelerators;
    timed_logs logs;
    assert_int_equal(mls_accelerators_load(&accelerators, NULL), MLS_OK);
    timed_measure(&logs, &log, 1,
                  (mls_throughput_options){.accelerators = 8,
                                           .accelerator = mls_accelerators_find(accelerators, mls_str_from(accelerator)),
                                           .causal = causal,
                                           .has_precision = true,
                                           .precision = MLS_PRECISION_FP8});
    mls_utilization of = logs.all.runs[0]->utilization;
    of.accelerator = NULL;
    timed_release(&logs);
    mls_accelerators_free(accelerators);
    return of;
}

/*
 * Llama 2 70B with LoRA, a token: 4 * 68,713,185,280 frozen weights = 274,852,741,120; 6 * 65,536,000 of adapters =
 * 393,216,000; 12 * 80 layers * 64 heads * 128 * 8,192 tokens of attention = 64,424,509,440; in all 339,670,466,560.
 * A sample of 8,192 tokens: 2,782,580,462,059,520.  384 samples in 60 s are 6.4 a second; 8 B200 have 8 * 2250 TFLOP/s.
 * Causal: attention is 32,212,254,720, a sample (339,670,466,560 - 32,212,254,720) * 8,192 = 2,518,697,671,393,280.
 */
static void utilization_whole_and_causal(void **state)
{
    const double token = 4.0 * 68713185280 + 6.0 * 65536000 + 12.0 * 80 * 64 * 128 * 8192;
    (void)state;
    mls_utilization of = utilization_of(false, "B200");
    assert_near(of.flops_per_sample, 2782580462059520);
    assert_near(of.flops_per_sample, token * 8192);
    assert_near(of.bf16, 6.4 * 2782580462059520 / (8 * 2250e12));
    assert_near(of.precision, 6.4 * 2782580462059520 / (8 * 4500e12));
    assert_near(of.narrowest, 6.4 * 2782580462059520 / (8 * 9000e12));
    of = utilization_of(true, "B200");
    assert_near(of.flops_per_sample, 2518697671393280);
    assert_near(of.bf16, 6.4 * 2518697671393280 / (8 * 2250e12));
    of = utilization_of(false, "V100"); /* 112 in FP16, and neither BF16 nor FP8 */
    assert_near(of.bf16, 6.4 * 2782580462059520 / (8 * 112e12));
    assert_true(isnan(of.precision));
    assert_near(of.narrowest, of.bf16);
}

/* ---------------------------------------------------------------- sparkline */

static void assert_spark(const mls_throughput *run, const char *wanted)
{
    char spark[MLS_SPARK_CELLS + 1] = "";
    for (size_t i = 0; i < MLS_SPARK_CELLS; i++) {
        spark[i] = (char)(run->spark[i] == MLS_SPARK_GAP ? ' ' : '0' + run->spark[i]);
    }
    assert_string_equal(spark, wanted);
}

/*
 * 24 segments of 60 s.  16 of 1,000 samples have the pace 60 ms, which is the reference and makes the median deviation
 * 0, so the band is 5 % and a third of it 1.667 %.  The others are 2, 4, 6, 8, 9, 11, 12 and 100 % slower: 1.2, 2.4,
 * 3.6, 4.8, 5.4, 6.6, 7.2 and 60 thirds; one is twice as fast.
 */
static void a_spark_has_a_step_a_third_of_the_band(void **state)
{
    static const double factors[24] = {1, 1, 1, 1.02, 1.04, 1.06, 1.08, 1.09, 1.11, 1.12, 2, 0.5,
                                       1, 1, 1, 1,    1,    1,    1,    1,    1,    1,    1, 1};
    double ms[24];
    double samples[24];
    timed_logs logs;
    (void)state;
    for (size_t i = 0; i < 24; i++) {
        ms[i] = 60000;
        samples[i] = 1000 / factors[i];
    }
    const mls_throughput *run = timed_one(&logs, timed_run(ms, samples, 24, 0));
    assert_near(run->steady_ms_per_sample, 60);
    assert_near(run->band, 0.05);
    assert_spark(run, "000123456770000000000000");
    timed_release(&logs);
}

/*
 * Twelve segments of 60 s and 12 min more of training: a cell is 24 min / 24 = 60 s, the last twelve are gaps.  And 12
 * segments of 20 s over ten cells of 24 s: the second cell has 16 s of the second segment, of pace 60, and 8 s of the
 * third, of pace 75, so (16 * 60 + 8 * 75) / 24 = 65, 8.33 % above: five thirds; the third has 12 s of it and 12 s of
 * the fourth: 67.5, 12.5 %, at the top.
 */
static void a_spark_weighs_and_leaves_gaps(void **state)
{
    double ms[12];
    double samples[12];
    timed_logs logs;
    (void)state;
    for (size_t i = 0; i < 12; i++) {
        ms[i] = 60000;
        samples[i] = 1000;
    }
    assert_spark(timed_one(&logs, timed_run(ms, samples, 12, 12 * 60000.0)), "000000000000            ");
    timed_release(&logs);
    for (size_t i = 0; i < 12; i++) {
        ms[i] = 20000;
        samples[i] = 20000 / 60.0;
    }
    samples[2] = 20000 / 75.0;
    assert_spark(timed_one(&logs, timed_run(ms, samples, 12, 24 * 24000 - 12 * 20000.0)), "0570000000              ");
    timed_release(&logs);
}

/* --------------------------------------------------------------------- CSV */

/* The cell of a column in the second line of a CSV. */
static const char *cell_of(const char *csv, const char *column)
{
    static char cell[64];
    char quoted[64];
    size_t index = 0;
    (void)snprintf(quoted, sizeof quoted, "\"%s\"", column);
    const char *at = strstr(csv, quoted);
    const char *row = strchr(csv, '\n');
    if (at == NULL || row == NULL || at > row) {
        return "no such column";
    }
    for (const char *c = csv; c < at; c++) {
        index += *c == ',';
    }
    for (row++; index > 0; index--) {
        row += strcspn(row, ",") + 1;
    }
    (void)snprintf(cell, sizeof cell, "%.*s", (int)strcspn(row, ",\r"), row);
    return cell;
}

/*
 * Six segments, the third of which takes 90 s instead of 60, each 384 samples; 2 s of start-up, evaluations of 4 s, 1 s
 * between, 3 s of tail: 2 + (5 * 60 + 90) + 6 * 4 + 5 * 1 + 3 = 424 s.  2,304 samples in 390 s are 5.9077 a second, in
 * 424 s 5.4340.  The reference is 60,000 / 384 = 156.25 ms a sample, 8 * 156.25 = 1,250 ms a step, 6.4 * 8,192 =
 * 52,428.8 tokens a second.
 */
static void a_row_of_csv(void **state)
{
    mls_buffer log = {0};
    double now = 2000;
    timed_logs logs;
    mls_output output;
    mls_view view = {.output = &output, .format = MLS_FORMAT_CSV};
    mls_printer to = {0};
    (void)state;
    timed_begin(&log, "llama2_70b_lora");
    for (int i = 0; i < 6; i++) {
        timed_record(&log, now, "block_start", "null", "");
        now += i == 2 ? 90000 : 60000;
        timed_record(&log, now, "block_stop", "null", "");
        timed_record(&log, now, "eval_start", "null", "");
        now += 4000;
        timed_record(&log, now, "eval_accuracy", i < 4 ? "0.93" : "0.92", timed_samples(384 * (i + 1)));
        timed_record(&log, now, "eval_stop", "null", "");
        now += 1000;
    }
    timed_record(&log, now + 1000, "tracked_stats", "{\"throughput\": 6.1, \"train_step_time\": 1.25}", "");
    timed_end(&log, now + 2000);
    (void)timed_one(&logs, log);
    assert_int_equal(mls_output_open(&output, NULL, NULL), MLS_OK);
    mls_print_begin(&to, &view, &mls_throughput_report, NULL);
    mls_print_item(&to, &logs.all);
    mls_print_end(&to);
    static const char *const wanted[][2] = {
        {"state", "\"ended\""},
        {"status", "\"success\""},
        {"run_ms", "\"424000\""},
        {"startup_ms", "\"2000\""},
        {"training_ms", "\"390000\""},
        {"evaluation_ms", "\"24000\""},
        {"between_ms", "\"5000\""},
        {"tail_ms", "\"3000\""},
        {"samples", "\"2304\""},
        {"segments", "\"6\""},
        {"evaluations", "\"6\""},
        {"measured_training_ms", "\"390000\""},
        {"training_samples_per_second", "\"5.907692307692308\""}, /* 2304000 / 390000 */
        {"run_samples_per_second", "\"5.433962264150943\""},      /* 2304000 / 424000 */
        {"steady_ms_per_sample", "\"156.25\""},
        {"steady_samples_per_second", "\"6.4\""},
        {"steady_step_ms", "\"1250\""},
        {"steady_tokens_per_second", "\"52428.8\""},
        {"band", "\"0.05\""},
        {"warmup_segments", "\"0\""},
        {"slow_phases", "\"1\""},
        {"shift_samples", "\"\""},
        {"evaluation_median_ms", "\"4000\""},
        {"slow_evaluations", "\"0\""},
        {"time_to_target_ms", "\"356000\""}, /* of the fifth: 2 + 4 * 60 + 90 + 5 * 4 + 4 * 1 */
        {"logged_throughput", "\"6.1\""},
        {"logged_step_ms", "\"1250\""},
        {"mfu_bf16", "\"\""},
    };
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        assert_string_equal(cell_of(output.buffer.ptr, wanted[i][0]), wanted[i][1]);
    }
    /* The slow phase: from 2 + 2 * 65 - 5 = 127 s, where the second mark lies, to the third at 2 + 150 + 60 + 10. */
    const mls_slow_phase *phase = &logs.all.runs[0]->slow_phases[0];
    assert_near(phase->from_ms, 2000 + 60000 + 5000 + 60000);
    assert_near(phase->to_ms, 2000 + 60000 + 5000 + 60000 + 5000 + 90000);
    assert_near(phase->lost_ms, 30000);
    assert_near(phase->factor, 1.5);
    assert_int_equal(mls_output_close(&output, true, NULL), MLS_ERROR_WRITE);
    timed_release(&logs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_sides_apart),
        cmocka_unit_test(two_sides_mixed),
        cmocka_unit_test(two_sides_that_say_little),
        cmocka_unit_test(two_sides_of_many),
        cmocka_unit_test(utilization_whole_and_causal),
        cmocka_unit_test(a_spark_has_a_step_a_third_of_the_band),
        cmocka_unit_test(a_spark_weighs_and_leaves_gaps),
        cmocka_unit_test(a_row_of_csv),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
