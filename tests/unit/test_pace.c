/* SPDX-License-Identifier: Apache-2.0 */
/* Positions, segments, the measures derived from them, and slow runs of a group. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "explain/throughput/notes.h"
#include "timed_log.h"

static void assert_close(double got, double wanted)
{
    if (!(fabs(got - wanted) <= 1e-9 * fabs(wanted)))
        fail_msg("%.17g is not %.17g", got, wanted);
}

/* -------------------------------------------------------------- positions */

/* Add evaluations at the positions, 100 s of training apart. */
static mls_buffer evaluated(const char *benchmark, const char *const *positions, size_t count)
{
    mls_buffer log = {0};
    timed_begin(&log, benchmark);
    timed_record(&log, 0, "epoch_start", "null", "");
    for (size_t i = 0; i < count; i++)
        timed_record(&log, 100000 * (double)(i + 1), "eval_accuracy", "0.5", positions[i]);
    timed_record(&log, 100000 * (double)count, "epoch_stop", "null", "");
    timed_end(&log, 100000 * (double)count);
    return log;
}

/* Return the final position according to evaluations: samples, epochs as a negative number, or NAN if unknown. */
static double reached(const char *benchmark, const char *const *positions, size_t count)
{
    timed_logs logs;
    const mls_throughput *run = timed_one(&logs, evaluated(benchmark, positions, count));
    const double samples = run->in_epochs ? -run->samples : run->samples;
    timed_release(&logs);
    return samples;
}

#define REACHED(benchmark, ...)                                                                                        \
    reached(benchmark, (const char *const[]){__VA_ARGS__}, sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))

static void positions_are_in_the_unit_of_the_benchmark(void **state)
{
    (void)state;
    /* Epochs times the training set: 3 * 1,281,167; dlrm starts at epoch 1: 0.5 * 4,195,197,692. */
    assert_close(REACHED("resnet", "\"epoch_num\": 3"), 3843501);
    assert_close(REACHED("dlrm", "\"epoch_num\": 1.25", "\"epoch_num\": 1.5"), 2097598846);
    assert_close(REACHED("dlrm", "\"epoch_num\": 0.25", "\"epoch_num\": 1.5"), 1.5 * 4195197692);
    /* Tokens from a million on, 2,048 per sample; samples from a thousand on; otherwise epochs of an unknown set. */
    assert_close(REACHED("gpt3", "\"epoch_num\": 2048000"), 1000);
    assert_close(REACHED("gpt3", "\"epoch_num\": 12"), -12);
    assert_close(REACHED("bert", "\"epoch_num\": 300000"), 300000);
    assert_close(REACHED("bert", "\"epoch_num\": 6"), -6);
    assert_close(REACHED("rnnt", "\"epoch_num\": 40"), -40);
    /* samples_count has priority; a value that is not a number is not a position. */
    assert_close(REACHED("resnet", "\"epoch_num\": 3, \"samples_count\": 77"), 77);
    assert_true(isnan(REACHED("resnet", "\"epoch_num\": \"3\"", "\"samples_count\": true", "\"epoch_num\": NaN")));
    /* The first position other than 0 determines the unit; positions in other units are ignored. */
    assert_close(REACHED("rnnt", "\"samples_count\": 0", "\"epoch_num\": 2", "\"samples_count\": 99"), -2);
    /* A later evaluation invalidates larger positions before it. */
    assert_close(REACHED("bert", "\"samples_count\": 5", "\"samples_count\": 90", "\"samples_count\": 9"), 9);
}

/* If evaluations have no positions, blocks have them if they start at 0 and increase; otherwise run_stop may. */
static void blocks_and_run_stop_have_positions(void **state)
{
    static const double starts[3][4] = {{0, 100, 200, 300}, {0, 100, 100, 100}, {100, 200, 300, 400}};
    (void)state;
    for (size_t k = 0; k < 3; k++) {
        mls_buffer log = {0};
        timed_logs logs;
        timed_begin(&log, "resnet");
        for (size_t i = 0; i < 4; i++) {
            timed_record(&log, 1000 * (double)i, "block_start", "null", timed_samples(starts[k][i]));
            timed_record(&log, 1000 * (double)i + 900, "block_stop", "null", timed_samples(9999));
        }
        timed_record(&log, 4000, "run_stop", "null", "\"samples_count\": 400");
        const mls_throughput *run = timed_one(&logs, log);
        assert_int_equal(run->marks_from, k == 0 ? MLS_MARKS_FROM_BLOCKS : MLS_MARKS_FROM_RUN_STOP);
        assert_close(run->samples, k == 0 ? 300 : 400);
        assert_close(run->measured_training_ms, k == 0 ? 2700 : 3600);
        timed_release(&logs);
    }
}

/* The first evaluation is after 90 of 100 s, at a third of the samples: only the last position counts. */
static void late_evaluations_are_one_segment(void **state)
{
    mls_buffer log = {0};
    timed_logs logs;
    (void)state;
    timed_begin(&log, "resnet");
    timed_record(&log, 0, "epoch_start", "null", "");
    for (int i = 1; i <= 3; i++) {
        char position[32];
        (void)snprintf(position, sizeof position, "\"epoch_num\": %d", i * 4);
        timed_record(&log, 85000 + 5000 * i, "eval_accuracy", "0.7", position);
    }
    timed_record(&log, 100000, "epoch_stop", "null", "");
    timed_end(&log, 100000);
    const mls_throughput *run = timed_one(&logs, log);
    assert_int_equal(run->marks_from, MLS_MARKS_FROM_LATE_EVALUATIONS);
    assert_int_equal(run->segment_count, 1);
    assert_int_equal(run->curve_count, 3);
    assert_close(run->steady_ms_per_sample, 100000 / (12.0 * 1281167));
    timed_release(&logs);
}

/* FID and CLIP of one evaluation are logged 5 and 9 s after the end of training: both belong to that time, so the
 * second one adds no segment.  tracked_stats add segments at 250, 500 (like the evaluation) and 750 samples. */
static void two_metrics_are_one_mark_and_stats_are_finer(void **state)
{
    mls_buffer log = {0};
    timed_logs logs;
    (void)state;
    timed_begin(&log, "stable_diffusion");
    for (int i = 0; i < 2; i++) {
        const double from = 100000 * i;
        timed_record(&log, from, "block_start", "null", "");
        timed_record(&log, from + 40000, "tracked_stats", "{\"train_loss\": 1}", timed_samples(250 + 500 * i));
        timed_record(&log, from + 80000, "block_stop", "null", "");
        timed_record(&log, from + 80000, "tracked_stats", "{\"train_loss\": 1}", timed_samples(500 + 500 * i));
        timed_record(&log, from + 85000, "eval_error", "90", timed_samples(500 + 500 * i));
        timed_record(&log, from + 89000, "eval_accuracy", "{\"CLIP\": 0.15, \"FID\": 90}",
                     timed_samples(500 + 500 * i));
    }
    timed_end(&log, 200000);
    const mls_throughput *run = timed_one(&logs, log);
    assert_int_equal(run->curve_count, 4);
    assert_close(run->curve[1].value, 0.15);
    assert_close(run->curve[1].ms, 89000);
    assert_int_equal(run->segment_count, 4);
    for (size_t i = 0; i < 4; i++) {
        assert_close(run->segments[i].delta, 250);
        assert_close(run->segments[i].training_ms, 40000);
    }
    timed_release(&logs);
}

/* 40,000 tracked_stats, each one sample and 10 ms apart: at most 4,096 are stored, so every 16th is left. */
static void many_stats_make_coarser_segments(void **state)
{
    mls_buffer log = {0};
    timed_logs logs;
    (void)state;
    timed_begin(&log, "bert");
    timed_record(&log, 0, "block_start", "null", "");
    for (int i = 0; i < 40000; i++)
        timed_record(&log, 10 * i + 10, "tracked_stats", "{\"throughput\": 100}", timed_samples(i + 1));
    timed_record(&log, 400000, "block_stop", "null", "");
    timed_end(&log, 400000);
    const mls_throughput *run = timed_one(&logs, log);
    assert_int_equal(run->marks_from, MLS_MARKS_FROM_NOTHING);
    assert_int_equal(run->segment_count, 2500);
    assert_close(run->segments[2499].delta, 16);
    assert_close(run->steady_ms_per_sample, 10);
    assert_close(run->samples, 39985);
    timed_release(&logs);
}

/* One metric is logged without training since the mark at 10 s, and the other one of the same evaluation after 10 s of
 * training: this is not a later position. */
static void the_second_metric_has_the_time_of_the_first(void **state)
{
    mls_buffer log = {0};
    timed_logs logs;
    (void)state;
    timed_begin(&log, "stable_diffusion");
    timed_record(&log, 0, "block_start", "null", "");
    timed_record(&log, 10000, "block_stop", "null", "");
    timed_record(&log, 10000, "eval_error", "95", timed_samples(100));
    timed_record(&log, 12000, "eval_error", "90", timed_samples(200));
    timed_record(&log, 13000, "block_start", "null", "");
    timed_record(&log, 23000, "eval_accuracy", "0.15", timed_samples(200));
    timed_record(&log, 33000, "block_stop", "null", "");
    timed_end(&log, 33000);
    const mls_throughput *run = timed_one(&logs, log);
    assert_int_equal(run->segment_count, 1);
    assert_close(run->samples, 100);
    timed_release(&logs);
}

/* A step back by 500 ms is ignored, by 1,500 ms it counts.  The lower median of 10, 20, 30 and 40 is 20. */
static void other_logged_numbers_are_reported(void **state)
{
    static const char *const rates[] = {"40", "10, \"train_step_time\": 1.5", "30", "20"};
    mls_buffer log = {0};
    timed_logs logs;
    (void)state;
    timed_begin(&log, "resnet");
    for (int i = 0; i < 4; i++) {
        char value[64];
        (void)snprintf(value, sizeof value, "{\"throughput\": %s}", rates[i]);
        timed_record(&log, 1000 * i, "tracked_stats", value, "");
    }
    timed_record(&log, 2500, "seed", "1", "");
    timed_record(&log, 1000, "seed", "2", "");
    timed_end(&log, 9000);
    const mls_throughput *run = timed_one(&logs, log);
    assert_int_equal(run->backwards, 1);
    assert_close(run->logged_throughput, 20);
    assert_close(run->logged_step_ms, 1500);
    timed_release(&logs);
}

/* ------------------------------------------------------------------- pace */

/* 14 segments of 100 samples: 20 and 15 s (warm-up), six of 10 s, then 11 s.  All but the first have a weight of
 * 15 + 60 + 66 = 141 s.  Half of it, 70.5 s, is more than the 60 s of the 10 s segments, so the reference is 11 s,
 * 110 ms per sample.  Relative deviations: 0 (66 s), 1/11 = 9.1 % (60 s), 36 % (15 s).  Their median is 9.1 %, so the
 * band is 5 * 1.4826 * 0.0909 = 67.4 %.  Only the first segment is above it, and loses 9 s. */
static void a_noisy_log_gets_a_wide_band(void **state)
{
    double ms[14];
    double samples[14];
    timed_logs logs;
    (void)state;
    for (size_t i = 0; i < 14; i++) {
        ms[i] = i == 0 ? 20000 : i == 1 ? 15000 : i < 8 ? 10000 : 11000;
        samples[i] = 100;
    }
    const mls_throughput *run = timed_one(&logs, timed_run(ms, samples, 14, 0));
    assert_close(run->steady_ms_per_sample, 110);
    assert_close(run->band, 5 * 1.4826 / 11);
    assert_int_equal(run->warmup_segments, 1);
    assert_close(run->warmup_lost_ms, 9000);
    assert_int_equal(run->slow_phase_count, 0);
    timed_release(&logs);
}

/* Twelve segments of 100 samples, 20 % slower from the eighth on.  Without a cut, the lower median is 100 ms per
 * sample, and the deviations are 5 * 20 = 100.  With a cut after the seventh, they are 0.  So there is a shift at 700
 * samples by a factor of 1.2. */
static void a_pace_that_changes_for_good(void **state)
{
    double ms[12];
    double samples[12];
    timed_logs logs;
    (void)state;
    for (size_t i = 0; i < 12; i++) {
        ms[i] = i < 7 ? 10000 : 12000;
        samples[i] = 100;
    }
    const mls_throughput *run = timed_one(&logs, timed_run(ms, samples, 12, 0));
    assert_true(run->has_shift);
    assert_close(run->shift_samples, 700);
    assert_close(run->shift_factor, 1.2);
    timed_release(&logs);
    for (size_t i = 0; i < 12; i++)
        ms[i] = i < 7 ? 10000 : 10400; /* 4 % is not a shift */
    assert_false(timed_one(&logs, timed_run(ms, samples, 12, 0))->has_shift);
    timed_release(&logs);
    for (size_t i = 0; i < 12; i++)
        ms[i] = i % 2 == 0 ? 10000 : 12000; /* no cut explains half of the deviations */
    assert_false(timed_one(&logs, timed_run(ms, samples, 12, 0))->has_shift);
    timed_release(&logs);
}

/* Evaluations of 2, 2, 3, 2 and 5 s: the lower median is 2.  Only the last one, which consists of two adjacent ones, is
 * slow: more than 4 s, and at least 3 s. */
static void slow_evaluations_are_reported(void **state)
{
    static const double seconds[] = {2, 2, 3, 2, 5};
    (void)state;
    for (size_t count = 4; count <= 5; count++) {
        mls_buffer log = {0};
        timed_logs logs;
        double now = 0;
        timed_begin(&log, "resnet");
        for (size_t i = 5 - count; i < 5; i++) {
            now += 1000;
            timed_record(&log, now, "eval_start", "null", "");
            if (i == 4) {
                timed_record(&log, now + 2000, "eval_stop", "null", "");
                timed_record(&log, now + 2000, "eval_start", "null", "");
            }
            now += 1000 * seconds[i];
            timed_record(&log, now, "eval_stop", "null", "");
        }
        timed_end(&log, now);
        const mls_throughput *run = timed_one(&logs, log);
        assert_close(run->evaluation_median_ms, 2000);
        assert_int_equal(run->slow_evaluation_count, count == 5); /* at least five are needed */
        if (count == 5) {
            assert_close(run->slow_evaluations[0].from_ms, 5000 + 2000 + 2000 + 3000 + 2000);
            assert_close(run->slow_evaluations[0].ms, 5000);
        }
        timed_release(&logs);
    }
}

/* ------------------------------------------------------------------ groups */

/* Four runs of two segments with paces of 100, 101, 102 and 120 ms per sample.  The median is 101.5, the distances are
 * 1.5, 0.5, 0.5 and 18.5 with a median of 1, and the limit is 101.5 * (1 + max(3 %, 5 * 1.4826 / 101.5)) = 101.5
 * + 7.413. The last run trained 400 samples, twice as many as the others.  400 * 101.5 = 40.6 s are expected and it
 * took 48 s, 7.4 s more: above 5 s and 3 %.  Twice the samples alone do not make a run slow. */
static void runs_are_compared_by_their_samples(void **state)
{
    static const double paces[] = {100, 101, 102, 120};
    mls_buffer texts[4];
    timed_logs logs;
    (void)state;
    for (size_t i = 0; i < 4; i++) {
        const double delta = i == 3 ? 200 : 100;
        texts[i] =
            timed_run((const double[]){paces[i] * delta, paces[i] * delta}, (const double[]){delta, delta}, 2, 0);
    }
    timed_measure(&logs, texts, 4, (mls_throughput_options){.accelerators = NAN});
    const mls_throughput_group *group = &logs.all.groups[0];
    assert_int_equal(group->timed, 4);
    assert_close(group->median_ms_per_sample, 101.5);
    assert_close(group->limit_ms_per_sample, 101.5 + 5 * 1.4826);
    assert_int_equal(group->slow_run_count, 1);
    const mls_slow_run *slow = &group->slow_runs[0];
    assert_ptr_equal(slow->run, &group->runs[3]);
    assert_true(slow->pace);
    assert_close(slow->parts_extra_ms[MLS_SLOW_TRAINING], 48000 - 40600);
    assert_close(slow->extra_ms, 7400);
    assert_close(slow->expected_ms, 40600);
    assert_int_equal(slow->largest, MLS_SLOW_TRAINING);
    assert_int_equal(mls_findings_found(&group->findings, MLS_FINDING_SLOW_RUN), 1);
    timed_release(&logs);
}

/* With fewer than three ended runs with samples, runs are not compared. */
static void few_runs_are_not_compared(void **state)
{
    mls_buffer texts[3];
    timed_logs logs;
    (void)state;
    for (size_t i = 0; i < 3; i++)
        texts[i] = timed_run((const double[]){1000, 1000}, (const double[]){10, 10}, 2, 0);
    mls_buffer_cut(&texts[1], (size_t)(strstr(texts[1].ptr, "run_stop") - texts[1].ptr)); /* a torn last line */
    timed_measure(&logs, texts, 3, (mls_throughput_options){.accelerators = NAN});
    const mls_throughput_group *group = &logs.all.groups[0];
    assert_int_equal(group->runs[1].state, MLS_TIMED_UNFINISHED);
    assert_int_equal(group->runs[1].run->malformed, 1);
    assert_close(group->runs[1].samples, 20);
    assert_true(isnan(group->runs[1].run_samples_per_second));
    assert_int_equal(group->timed, 2);
    assert_true(isnan(group->median_ms_per_sample));
    timed_release(&logs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(positions_are_in_the_unit_of_the_benchmark),
        cmocka_unit_test(blocks_and_run_stop_have_positions),
        cmocka_unit_test(late_evaluations_are_one_segment),
        cmocka_unit_test(two_metrics_are_one_mark_and_stats_are_finer),
        cmocka_unit_test(many_stats_make_coarser_segments),
        cmocka_unit_test(the_second_metric_has_the_time_of_the_first),
        cmocka_unit_test(other_logged_numbers_are_reported),
        cmocka_unit_test(a_noisy_log_gets_a_wide_band),
        cmocka_unit_test(a_pace_that_changes_for_good),
        cmocka_unit_test(slow_evaluations_are_reported),
        cmocka_unit_test(runs_are_compared_by_their_samples),
        cmocka_unit_test(few_runs_are_not_compared),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
