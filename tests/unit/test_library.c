/* SPDX-License-Identifier: Apache-2.0 */
/* What the library shows to others: each log and each choice gets the answer that its header promises. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <fcntl.h>
#include <unistd.h>

#include "mlscore/mlscore.h"

static mls_str text_of(const char *text)
{
    return (mls_str){text, strlen(text)};
}

static mls_rules *new_rules(void)
{
    mls_rules *rules = NULL;
    assert_int_equal(mls_rules_new(&rules, NULL), MLS_OK);
    return rules;
}

static mls_status take_line(void *state, const mls_record *record)
{
    size_t *lines = state;
    *lines = *lines * 10 + mls_record_line(record);
    return *lines > 100 ? MLS_STOPPED : MLS_OK;
}

static mls_status take_malformed(void *state, size_t line, size_t column, const char *reason)
{
    size_t *lines = state;
    assert_true(column > 0 && reason != NULL);
    *lines = *lines * 10 + line;
    return MLS_OK;
}

#define RECORD(key, value)                                                                                             \
    ":::MLLOG {\"namespace\": \"\", \"time_ms\": 1700000000000, \"event_type\": \"POINT_IN_TIME\", \"key\": \"" key    \
    "\", \"value\": " value ", \"metadata\": {\"lineno\": 7}}\n"

static void records_are_taken_in_order_until_enough(void **state)
{
    size_t lines = 0;
    (void)state;
    assert_int_equal(mls_log_read_bytes(text_of(RECORD("seed", "1") "text\n:::MLLOG {\n" RECORD("seed", "2")),
                                        take_line, take_malformed, &lines, NULL),
                     MLS_STOPPED);
    assert_int_equal(lines, 134);
    lines = 0;
    assert_int_equal(mls_log_read_bytes(text_of("no record\n"), take_line, NULL, &lines, NULL), MLS_OK);
    assert_int_equal(lines, 0);
}

static mls_status take_members(void *state, const mls_record *record)
{
    double *number = state;
    const mls_str event = mls_record_event(record);
    assert_int_equal(mls_record_key(record).len, 4);
    assert_memory_equal(event.ptr, "\"POINT_IN_TIME\"", event.len);
    assert_true(mls_json_number(mls_record_metadata(record, "lineno"), number));
    assert_null(mls_record_metadata(record, "file").ptr);
    return MLS_OK;
}

static void members_of_records_are_asked_for(void **state)
{
    double number = NAN;
    (void)state;
    assert_int_equal(mls_log_read_bytes(text_of(RECORD("seed", "1")), take_members, NULL, &number, NULL), MLS_OK);
    assert_true(number > 6.5 && number < 7.5);
}

/* Neither is a log that says nothing: it is none that can be read, and why is told. */
static void what_is_no_log_is_refused(void **state)
{
    static const mls_str old = {":::MLL 1558767599.999 run_start: null\n", 38};
    static const char packed[] = "\3757zXZ\0 and so on";
    mls_rules *rules = new_rules();
    mls_run *run = NULL;
    mls_error error = {.status = MLS_OK};
    size_t lines = 0;
    int ends[2];
    (void)state;
    assert_int_equal(mls_log_read_bytes(old, take_line, NULL, &lines, &error), MLS_ERROR_VALUE);
    assert_non_null(strstr(error.message, "training 0.6"));
    assert_int_equal(mls_run_judge_bytes(rules, old, "old", &run, &error), MLS_ERROR_VALUE);
    assert_non_null(strstr(error.message, "training 0.6"));
    assert_null(run);
    for (int judged = 0; judged < 2; judged++) {
        assert_int_equal(pipe(ends), 0);
        assert_int_equal(write(ends[1], packed, sizeof packed), sizeof packed);
        assert_int_equal(close(ends[1]), 0);
        error.message[0] = '\0';
        assert_int_equal(judged ? mls_run_judge_fd(rules, ends[0], "packed", &run, &error)
                                : mls_log_read_fd(ends[0], take_line, NULL, &lines, &error),
                         MLS_ERROR_VALUE);
        assert_non_null(strstr(error.message, "xz"));
        assert_int_equal(close(ends[0]), 0);
    }
    assert_null(run);
    assert_int_equal(lines, 0);
    mls_rules_free(rules);
}

static void a_log_is_judged_as_a_run(void **state)
{
    mls_rules *rules = new_rules();
    mls_run *run = NULL;
    mls_str key;
    const char *value;
    const char *unit = NULL;
    (void)state;
    const int fd = open("testdata/logs/plain.log", O_RDONLY | O_CLOEXEC);
    assert_true(fd >= 0);
    assert_int_equal(mls_run_judge_fd(rules, fd, "plain.log", &run, NULL), MLS_OK);
    assert_int_equal(close(fd), 0);
    assert_true(mls_run_is_valid(run));
    assert_null(mls_run_reason(run));
    assert_string_equal(mls_run_file(run), "plain.log");
    assert_string_equal(mls_run_benchmark(run), "llama2_70b_lora");
    assert_string_equal(mls_run_stop_status(run), "success");
    assert_true(mls_run_minutes(run) > 1.49 && mls_run_minutes(run) < 1.51);
    assert_true(mls_run_converged_at(run, &unit) > 0);
    assert_string_equal(unit, "samples");
    assert_true(mls_run_hyperparameter_at(run, 0, &key, &value));
    assert_string_equal(value, mls_run_hyperparameter(run, key));
    assert_false(mls_run_hyperparameter_at(run, 10000, &key, &value));
    mls_run_free(run);

    assert_int_equal(mls_run_judge_bytes(rules, text_of(RECORD("seed", "1")), "short", &run, NULL), MLS_OK);
    assert_false(mls_run_is_valid(run));
    const mls_finding *reason = mls_run_reason(run);
    assert_int_equal(mls_finding_severity(reason), MLS_SEVERITY_ERROR);
    assert_true(strlen(mls_finding_kind(reason)) > 0 && strlen(mls_finding_message(reason)) > 0);
    const mls_findings *findings = mls_run_findings(run);
    assert_true(mls_findings_total(findings, MLS_SEVERITY_ERROR) > 0 && mls_findings_kept(findings) > 0);
    assert_null(mls_findings_at(findings, mls_findings_kept(findings)));
    mls_run_free(run);
    mls_rules_free(rules);
}

static void choices_that_are_wrong_change_nothing(void **state)
{
    static const char *const paths[] = {"testdata/logs/plain.log"};
    mls_rules *rules = new_rules();
    mls_collection *found = NULL;
    mls_error error;
    (void)state;
    assert_string_equal(mls_rules_edition(rules, MLS_USAGE_HPC, 0), "1.0.0");
    assert_null(mls_rules_edition(rules, MLS_USAGE_HPC, 100));
    assert_non_null(mls_rules_benchmark(rules, MLS_USAGE_TRAINING, 0, 0));
    assert_null(mls_rules_benchmark(rules, MLS_USAGE_TRAINING, 0, 100));
    assert_int_equal(mls_rules_set_edition(rules, "5.1", NULL), MLS_OK);
    assert_int_equal(mls_rules_set_edition(rules, "99.9", &error), MLS_ERROR_UNKNOWN);
    assert_int_equal(mls_rules_set_file(rules, "testdata/none.json", &error), MLS_ERROR_READ);
    assert_int_equal(mls_collection_new(rules, paths, 1, &found, NULL), MLS_OK);
    const mls_group *group = mls_collection_group(found, 0);
    assert_string_equal(mls_group_edition(group), "5.1.0");
    assert_false(mls_group_is_official(group));
    assert_string_equal(mls_group_mark(group, 0), "kept");
    assert_null(mls_group_mark(group, 1));
    assert_ptr_equal(mls_group_run(group, 0), mls_collection_run(found, 0));
    assert_null(mls_collection_group(found, 1));
    mls_collection_free(found);
    mls_rules_free(rules);
}

static void a_submission_is_asked_for_its_results(void **state)
{
    mls_rules *rules = new_rules();
    mls_submission *submission = NULL;
    const char *path;
    size_t count = 0;
    (void)state;
    assert_int_equal(mls_submission_new(rules, "testdata/none", &submission, NULL), MLS_ERROR_READ);
    assert_null(submission);
    assert_int_equal(mls_submission_new(rules, "testdata/submission", &submission, NULL), MLS_OK);
    assert_true(mls_submission_is_valid(submission) == (mls_submission_total(submission, MLS_SEVERITY_ERROR) == 0));
    for (const mls_submission_result *at; (at = mls_submission_result_at(submission, count)) != NULL; count++) {
        assert_non_null(strstr(mls_submission_result_path(at), mls_submission_result_system(at)));
        assert_string_equal(mls_group_benchmark(mls_submission_result_group(at)), mls_submission_result_benchmark(at));
    }
    assert_true(count > 0);
    count = 0;
    while (mls_submission_finding(submission, count, &path) != NULL) {
        assert_non_null(path);
        count++;
    }
    assert_null(path);
    mls_submission_free(submission);
    mls_rules_free(rules);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(records_are_taken_in_order_until_enough),
        cmocka_unit_test(members_of_records_are_asked_for),
        cmocka_unit_test(what_is_no_log_is_refused),
        cmocka_unit_test(a_log_is_judged_as_a_run),
        cmocka_unit_test(choices_that_are_wrong_change_nothing),
        cmocka_unit_test(a_submission_is_asked_for_its_results),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
