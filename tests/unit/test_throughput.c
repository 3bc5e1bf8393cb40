/* SPDX-License-Identifier: Apache-2.0 */
/* Measures of runs, compared with numbers computed by hand as shown. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "report/reports.h"
#include "timed_log.h"

/* Relative differences up to 1e-12 are rounding errors. */
static void assert_near(double got, double wanted)
{
    if (!(fabs(got - wanted) <= 1e-12 * fabs(wanted)))
        fail_msg("%.17g is not %.17g", got, wanted);
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
    timed_measure(
        &logs, &log, 1,
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

/* FLOPs of a token of Llama 2 70B with LoRA: 4 * 68,713,185,280 for frozen weights = 274,852,741,120; 6 * 65,536,000
 * for adapters = 393,216,000; 12 * 80 layers * 64 heads * 128 * 8,192 tokens for attention = 64,424,509,440; the sum is
 * 339,670,466,560.  A sample of 8,192 tokens: 2,782,580,462,059,520.  384 samples in 60 s are 6.4 per second; 8 B200
 * have 8 * 2250 TFLOP/s.  With causal attention, half of it is saved, 32,212,254,720 per token; a sample is
 * (339,670,466,560 - 32,212,254,720) * 8,192 = 2,518,697,671,393,280. */
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
    of = utilization_of(false, "V100"); /* 112 TFLOP/s in FP16; no BF16, no FP8 */
    assert_near(of.bf16, 6.4 * 2782580462059520 / (8 * 112e12));
    assert_true(isnan(of.precision));
    assert_near(of.narrowest, of.bf16);
}

/* ---------------------------------------------------------------- sparkline */

static void assert_spark(const mls_throughput *run, const char *wanted)
{
    char spark[MLS_SPARK_CELLS + 1] = "";
    for (size_t i = 0; i < MLS_SPARK_CELLS; i++)
        spark[i] = (char)(run->spark[i] == MLS_SPARK_GAP ? ' ' : '0' + run->spark[i]);
    assert_string_equal(spark, wanted);
}

/* 24 segments of 60 s.  16 segments of 1,000 samples have a pace of 60 ms, which is the reference.  The median
 * deviation is 0, so the band is 5 %, and a third of it is 1.667 %.  The others are 2, 4, 6, 8, 9, 11, 12 and 100 %
 * slower, which is 1.2, 2.4, 3.6, 4.8, 5.4, 6.6, 7.2 and 60 thirds; one is twice as fast. */
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

/* Twelve segments of 60 s and 12 more minutes of training: a cell is 24 min / 24 = 60 s, and the last twelve are gaps.
 * Then 12 segments of 20 s in ten cells of 24 s.  The second cell has 16 s of the second segment with a pace of 60 and
 * 8 s of the third one with 75: (16 * 60 + 8 * 75) / 24 = 65 is 8.33 % above, five thirds.  The third cell has 12 s of
 * the third segment and 12 s of the fourth one: 67.5 is 12.5 % above, the top. */
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

/* Return the cell of a column in the second line of a CSV file. */
static const char *cell_of(const char *csv, const char *column)
{
    static char cell[64];
    char quoted[64];
    size_t index = 0;
    (void)snprintf(quoted, sizeof quoted, "\"%s\"", column);
    const char *at = strstr(csv, quoted);
    const char *row = strchr(csv, '\n');
    if (at == NULL || row == NULL || at > row)
        return "no such column";
    for (const char *c = csv; c < at; c++)
        index += *c == ',';
    for (row++; index > 0; index--)
        row += strcspn(row, ",") + 1;
    (void)snprintf(cell, sizeof cell, "%.*s", (int)strcspn(row, ",\r"), row);
    return cell;
}

/* Six segments of 384 samples, of which the third takes 90 s and the others 60 s; 2 s of start-up, evaluations of 4 s,
 * 1 s in between, 3 s of tail: 2 + (5 * 60 + 90) + 6 * 4 + 5 * 1 + 3 = 424 s.  2,304 samples in 390 s are 5.9077 per
 * second, in 424 s 5.4340.  The reference is 60,000 / 384 = 156.25 ms per sample, 8 * 156.25 = 1,250 ms per step,
 * 6.4 * 8,192 = 52,428.8 tokens per second. */
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
        {"time_to_target_ms", "\"356000\""}, /* fifth evaluation: 2 + 4 * 60 + 90 + 5 * 4 + 4 * 1 */
        {"logged_throughput", "\"6.1\""},
        {"logged_step_ms", "\"1250\""},
        {"mfu_bf16", "\"\""},
    };
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        assert_string_equal(cell_of(output.buffer.ptr, wanted[i][0]), wanted[i][1]);
    /* The slow phase: from the second mark at 2 + 2 * 65 - 5 = 127 s to the third one at 2 + 150 + 60 + 10. */
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
        cmocka_unit_test(utilization_whole_and_causal),
        cmocka_unit_test(a_spark_has_a_step_a_third_of_the_band),
        cmocka_unit_test(a_spark_weighs_and_leaves_gaps),
        cmocka_unit_test(a_row_of_csv),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
