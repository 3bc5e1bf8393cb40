/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "log_script.h"
#include "run/run.h"

static mls_status run_record(void *state, const mls_record *record)
{
    mls_run_record(state, record);
    return MLS_OK;
}

static mls_status run_malformed(void *state, const mls_malformed *malformed)
{
    mls_run_malformed(state, malformed);
    return MLS_OK;
}

static void run_read(mls_run *run, const char *script)
{
    mls_buffer log = script_log(script);
    const mls_sink sink = {.state = run, .record = run_record, .malformed = run_malformed};
    mls_run_init(run);
    assert_int_equal(mls_log_scan_bytes(mls_buffer_str(&log), &sink, 1, NULL, NULL), MLS_OK);
    assert_int_equal(mls_run_finish(run, NULL, true), MLS_OK);
    mls_buffer_release(&log);
}

/* Check the findings of a run, as "code key line; …". */
static void assert_findings(const char *script, const char *expected)
{
    mls_run run;
    mls_buffer text = {0};
    run_read(&run, script);
    mls_buffer_append_text(&text, "");
    for (size_t i = 0; i < run.findings.count; i++) {
        const mls_finding *f = &run.findings.items[i];
        mls_buffer_printf(&text, "%s%s %s %zu", i > 0 ? "; " : "", mls_finding_info_get(f->code)->name,
                          f->key != NULL ? f->key : "-", f->line);
    }
    if (strcmp(text.ptr, expected) != 0)
        fail_msg("%s\nexpected %s\ngot      %s", script, expected, text.ptr);
    assert_true(run.valid == (run.findings.counts.error == 0));
    mls_buffer_release(&text);
    mls_run_release(&run);
}

static void the_sequence_of_steps(void **state)
{
    (void)state;
    assert_findings("i2 I3 r4 e5 s6", "");
    assert_findings("i2 I2 r2 e2 s2", "");
    assert_findings("I3 r4 e5 s6", "missing-step init_start 0");
    assert_findings("i2 r4 e5 s6", "missing-step init_stop 0");
    assert_findings("i2 I3", "missing-step run_start 0");
    assert_findings("i2 I3 r4 e5", "missing-step run_stop 0");
    assert_findings("i2 I3 r4 s6", "missing-step eval_accuracy 0");
    assert_findings("i3 I2 r4 e5 s6", "step-order init_stop 2");
    assert_findings("i2 I5 r4 e5 s6", "step-order run_start 3");
    assert_findings("i2 I3 r6 e5 s7", "step-order the first evaluation 4");
    assert_findings("i2 I3 r4 e5 s3", "step-order run_stop 5");
    /* Order in the file is not order in time. */
    assert_findings("s6 e5 r4 I3 i2", "");
    /* Only the first of each step counts. */
    assert_findings("i2 i1 I3 I9 r4 r2 e5 s6 s1", "");
}

static void the_status_of_run_stop(void **state)
{
    (void)state;
    assert_findings("i2 I3 r4 e5/100=0.5 a6", "status run_stop 5");
    assert_findings("i2 I3 r4 e5 n6", "status run_stop 5");
    assert_findings("i2 I3 r4 e5 a6 s7", "status run_stop 5");
    assert_findings("i2 I3 r4 e5 s6 a7", "");
    mls_run run;
    run_read(&run, "target_accuracy=0.925 i2 I3 r4 e5/3072=0.93 a6");
    assert_int_equal(run.status, MLS_RUN_ABORTED);
    assert_string_equal(run.findings.items[0].message,
                        "aborted: the last evaluation gave 0.93 at 3,072 samples, target 0.925");
    mls_run_release(&run);
    run_read(&run, "i2 I3 r4 e5 "
                   "':::MLLOG {\"time_ms\":6,\"key\":\"run_stop\",\"value\":0,\"metadata\":{\"status\":\"killed\"}}'");
    assert_int_equal(run.status, MLS_RUN_OTHER_STATUS);
    assert_false(run.valid);
    mls_run_release(&run);
    assert_null(mls_run_status_name(MLS_RUN_NO_STATUS));
}

static void malformed_and_torn_lines(void **state)
{
    (void)state;
    assert_findings("i2 I3 m r4 e5 s6", "malformed @malformed 3");
    assert_findings(
        "i2 I3 ':::MLLOG {} :::MLLOG {\"time_ms\":4,\"key\":\"run_start\",\"value\":0,\"metadata\":0}' e5 s6",
        "torn-line - 3");
    assert_findings("i2 I3 r4 e5 s6 ':::MLLOG :::MLLOG '", "malformed @malformed 6");
}

static void assert_converge(const char *script, double expected, const char *expected_unit, double value)
{
    mls_run run;
    run_read(&run, script);
    const mls_convergence converge = mls_run_to_converge(&run);
    assert_string_equal(converge.unit, expected_unit);
    assert_true(converge.number == expected || (isnan(converge.number) && isnan(expected)));
    const double final = run.last_evaluation.value;
    assert_true(final == value || (isnan(final) && isnan(value)));
    mls_run_release(&run);
}

static void the_last_evaluation_before_run_stop(void **state)
{
    const double none = (double)NAN;
    (void)state;
    assert_converge("r4 e5/10=0.1 e6/20=0.2 s7", 20, "samples", 0.2);
    assert_converge("r4 e5#1=0.1 e6#2=0.2 s7", 2, "epochs", 0.2);
    assert_converge("r4 e5/10=0.1 e6=0.2 s7", none, "epochs", 0.2);
    assert_converge("r4 s7", none, "samples", none);
    assert_converge("r4 e5/10=\"high\" s7", 10, "samples", none);
    /* An evaluation logged after run_stop counts if its time is earlier, since the output of ranks interleaves. */
    assert_converge("r4 e5/10=0.1 s7 e6/20=0.2", 20, "samples", 0.2);
    assert_converge("r4 e5/10=0.1 s7 e7/20=0.2", 20, "samples", 0.2);
    assert_converge("r4 e5/10=0.1 s7 e8/20=0.2", 10, "samples", 0.1);
    assert_converge("r4 e5/10=true s7", 10, "samples", 1);
}

static void times_of_a_run(void **state)
{
    mls_run run;
    (void)state;
    run_read(&run, "i1745066768217 I1745066916917 r1745066917961 e1745067009000/3024=0.92474365234375 s1745067009420 "
                   "c1745066700000");
    assert_true(mls_run_minutes(&run) == 91459.0 / 60000);
    assert_true(mls_run_init_minutes(&run) == 148700.0 / 60000);
    assert_true(run.first_ms == 1745066700000);
    assert_true(run.valid);
    mls_run_release(&run);
    run_read(&run, "i1");
    assert_true(isnan(mls_run_minutes(&run)) && isnan(mls_run_init_minutes(&run)));
    mls_run_release(&run);
}

static void what_the_run_says_about_itself(void **state)
{
    mls_run run;
    (void)state;
    run_read(&run, "submission_benchmark=\"bert\" submission_benchmark=\"gpt3\" submission_division=\"closed\" "
                   "submission_org=\"A\\u00e9\" submission_platform=17 global_batch_size=8 global_batch_size=\"x\" "
                   "global_batch_size=16 opt_lr=0.5 opt_lr=0.6 'noise' i2 r4 opt_late=1");
    assert_string_equal(run.benchmark, "bert");
    assert_string_equal(run.division, "closed");
    assert_string_equal(run.organisation, "A\xc3\xa9");
    assert_null(mls_run_hyperparameter(&run, MLS_S("submission_platform")));
    assert_true(run.global_batch_size == 16);
    assert_string_equal(mls_run_hyperparameter(&run, MLS_S("opt_lr")), "0.5");
    assert_null(mls_run_hyperparameter(&run, MLS_S("opt_late")));
    assert_null(mls_run_hyperparameter(&run, MLS_S("opt_l")));
    mls_run_release(&run);
}

static mls_record record_of(mls_str key, double time_ms, mls_str value, mls_str metadata)
{
    return (mls_record){
        .line = 1, .time_ms = time_ms, .key = key, .key_id = mls_key_of(key), .value = value, .metadata = metadata};
}

static void memory_is_bounded(void **state)
{
    mls_run run;
    mls_buffer text = {0};
    mls_buffer key = {0};
    (void)state;
    mls_run_init(&run);
    for (int i = 0; i < 100000; i++) {
        mls_buffer_clear(&key);
        mls_buffer_printf(&key, "key_%d", i);
        const mls_record record = record_of(mls_buffer_str(&key), 1, MLS_S("1"), MLS_S("{}"));
        mls_run_record(&run, &record);
    }
    assert_int_equal(run.hyperparameter_count, MLS_HYPERPARAMETERS_KEPT);
    assert_string_equal(mls_run_hyperparameter(&run, MLS_S("key_0")), "1");
    mls_run_release(&run);

    mls_run_init(&run);
    mls_buffer_append_repeated(&text, 'k', 1000000);
    const mls_record long_key = record_of(mls_buffer_str(&text), 1, MLS_S("1"), MLS_S("{}"));
    mls_run_record(&run, &long_key);
    assert_int_equal(run.hyperparameter_count, 0);
    mls_buffer_clear(&text);
    mls_buffer_append_char(&text, '"');
    for (int i = 0; i < 400; i++)
        mls_buffer_append_text(&text, "\xc3\xa9");
    mls_buffer_append_char(&text, '"');
    const mls_record long_value = record_of(MLS_S("v"), 1, mls_buffer_str(&text), MLS_S("{}"));
    mls_run_record(&run, &long_value);
    const mls_record long_name = record_of(MLS_S("submission_org"), 1, mls_buffer_str(&text), MLS_S("{}"));
    mls_run_record(&run, &long_name);
    const char *kept = mls_run_hyperparameter(&run, MLS_S("v"));
    assert_int_equal(strlen(kept), 199 + 4); /* cut before the character in the way, and an ellipsis in the string */
    assert_string_equal(kept + 197, "\xc3\xa9\xe2\x80\xa6\"");
    assert_true(strlen(run.organisation) <= 1000);
    mls_run_release(&run);
    mls_buffer_release(&text);
    mls_buffer_release(&key);
}

static void hyperparameters_are_how_a_run_was_set_up(void **state)
{
    mls_run run;
    mls_buffer text = {0};
    (void)state;
    run_read(&run,
             "submission_status=\"onprem\" submission_org=\"A\" seed=1 data_file=\"x\" epoch_count=40 opt_list=[1,2] "
             "opt_list=3 opt_none=null opt_flag=true opt_name=\"lars\" opt_name=\"sgd\" global_batch_size=8 "
             "train_loss=1 i2 r4 late=1 global_batch_size=16");
    static const char *const kept[] = {"epoch_count", "40",       "opt_list",          "3", "opt_flag", "true",
                                       "opt_name",    "\"lars\"", "global_batch_size", "16"};
    assert_int_equal(run.hyperparameter_count, 5);
    for (size_t i = 0; i < 5; i++) {
        assert_true(mls_str_equal(run.hyperparameters[i].key, mls_str_from(kept[2 * i])));
        assert_string_equal(run.hyperparameters[i].value, kept[2 * i + 1]);
    }
    mls_run_release(&run);

    /* A long value stays valid JSON: no escape is split, and digits beyond those of a double are dropped. */
    mls_run_init(&run);
    mls_buffer_append_char(&text, '"');
    mls_buffer_append_repeated(&text, 'x', 197);
    mls_buffer_append_text(&text, "\\u00e9\\n\"");
    const mls_record escaped = record_of(MLS_S("a"), 1, mls_buffer_str(&text), MLS_S("{}"));
    mls_run_record(&run, &escaped);
    assert_string_equal(mls_run_hyperparameter(&run, MLS_S("a")) + 196, "xx\xe2\x80\xa6\"");
    mls_buffer_clear(&text);
    mls_buffer_append_text(&text, "0.");
    mls_buffer_append_repeated(&text, '3', 400);
    const mls_record digits = record_of(MLS_S("b"), 1, mls_buffer_str(&text), MLS_S("{}"));
    mls_run_record(&run, &digits);
    assert_string_equal(mls_run_hyperparameter(&run, MLS_S("b")), "0.3333333333333333");
    mls_run_release(&run);
    mls_buffer_release(&text);
}

static void throughput_in_its_shapes(void **state)
{
    mls_run run;
    (void)state;
    run_read(&run, "tracked_stats={\"throughput\":10} throughput=20 throughput={\"throughput\":30,\"x\":1} "
                   "tracked_stats={\"loss\":1} throughput=\"fast\" throughput=NaN tracked_stats=null");
    assert_true(run.throughputs == 3 && run.throughput == 60);
    mls_run_release(&run);
}

static void keys_of_the_same_length_are_no_others(void **state)
{
    mls_run run;
    (void)state;
    run_read(&run, "run_starx=1 init_starx=1 init_stox=1 run_stox=1 eval_accuracx=1 eval_errox=1 seex=1 "
                   "':::MLLOG {\"time_ms\":1,\"key\":null,\"value\":1,\"metadata\":1}' "
                   "':::MLLOG {\"time_ms\":1,\"key\":\"\",\"value\":1,\"metadata\":1}'");
    assert_false(mls_run_exists(&run));
    assert_int_equal(run.evaluations, 0);
    assert_int_equal(run.records, 9);
    mls_run_release(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_sequence_of_steps),    cmocka_unit_test(the_status_of_run_stop),
        cmocka_unit_test(malformed_and_torn_lines), cmocka_unit_test(the_last_evaluation_before_run_stop),
        cmocka_unit_test(times_of_a_run),           cmocka_unit_test(what_the_run_says_about_itself),
        cmocka_unit_test(memory_is_bounded),        cmocka_unit_test(hyperparameters_are_how_a_run_was_set_up),
        cmocka_unit_test(throughput_in_its_shapes), cmocka_unit_test(keys_of_the_same_length_are_no_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
