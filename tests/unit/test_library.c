/* SPDX-License-Identifier: Apache-2.0 */
/* The public library: each kind of log and option gives the result that the headers promise. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <fcntl.h>
#include <pthread.h>
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
    const mls_str value = mls_record_value(record);
    assert_int_equal(mls_record_key(record).len, 4);
    assert_true(mls_record_time_ms(record) > 1699999999999.5 && mls_record_time_ms(record) < 1700000000000.5);
    assert_int_equal(value.len, 1);
    assert_memory_equal(value.ptr, "1", 1);
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

/* A log without content is rejected too, with a reason. */
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
    assert_string_equal(mls_version(), MLS_VERSION);
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

static void assert_near(double got, double wanted)
{
    if (!(fabs(got - wanted) < 1e-3))
        fail_msg("%g instead of %g", got, wanted);
}

/* Return the only finding of a kind. */
static const mls_finding *finding_of(const mls_findings *findings, const char *kind)
{
    const mls_finding *found = NULL;
    for (size_t i = 0; i < mls_findings_kept(findings); i++) {
        const mls_finding *at = mls_findings_at(findings, i);
        if (strcmp(mls_finding_kind(at), kind) == 0) {
            assert_null(found);
            found = at;
        }
    }
    assert_non_null(found);
    return found;
}

/* The result of `mlscore score testdata/slurm`. */
static void a_folder_of_a_job_is_a_group(void **state)
{
    static const char *const paths[] = {"testdata/slurm", "testdata/none"};
    mls_rules *rules = new_rules();
    mls_collection *found = NULL;
    (void)state;
    mls_rules_set_threads(rules, 2);
    assert_int_equal(mls_collection_new(rules, paths, 2, &found, NULL), MLS_OK);
    assert_int_equal(mls_collection_unreadable(found), 1);
    const mls_group *group = mls_collection_group(found, 0);
    assert_string_equal(mls_group_path(group), "testdata/slurm");
    assert_string_equal(mls_group_benchmark(group), "llama2_70b_lora");
    assert_string_equal(mls_group_division(group), "closed");
    assert_string_equal(mls_group_edition(group), "5.0.0");
    assert_string_equal(mls_group_config(group), "GB200_18x4x1xtp1pp1cp8");
    assert_string_equal(mls_group_accelerator(group), "GB200");
    assert_near(mls_group_accelerators(group), 72);
    assert_near(mls_group_global_batch_size(group), 9);
    assert_int_equal(mls_group_runs_needed(group), 10);
    assert_true(mls_group_is_official(group));
    assert_near(mls_group_minutes(group), 1.680);
    assert_near(mls_group_scale(group), 1);
    assert_near(mls_group_scaled_minutes(group), mls_group_minutes(group));
    assert_string_equal(mls_group_convergence(group), "pass");
    assert_string_equal(mls_group_seeds(group), "pass");
    assert_string_equal(mls_group_mark(group, 0), "fastest");
    assert_string_equal(mls_group_mark(group, 6), "dropped");
    assert_null(mls_group_run(group, 10));
    assert_null(mls_collection_run(found, 10));
    assert_int_equal(mls_findings_total(mls_group_findings(group), MLS_SEVERITY_ERROR), 0);
    assert_true(mls_group_passes(group, false)); /* one of its runs is invalid, which the rules allow */
    assert_false(mls_group_passes(group, true));

    const mls_run *first = mls_group_run(group, 0);
    assert_string_equal(mls_run_file(first), "testdata/slurm/250419104520_1.log");
    assert_int_equal(mls_run_first_line(first), 45);
    assert_true(mls_run_last_line(first) > 100);
    assert_near(mls_run_start_ms(first), 1745066917961);
    assert_near(mls_run_init_minutes(first), 2.47833);
    assert_string_equal(mls_run_division(first), "closed");
    assert_string_equal(mls_run_organisation(first), "EXAMPLE");
    assert_string_equal(mls_run_platform(first), "18xGB200");
    assert_string_equal(mls_run_config(first), "GB200_18x4x1xtp1pp1cp8");
    assert_string_equal(mls_run_edition(first), "5.0.0");
    assert_near(mls_run_global_batch_size(first), 9);

    const mls_run *aborted = mls_group_run(group, 6);
    const mls_finding *target = finding_of(mls_run_findings(aborted), "target");
    assert_ptr_equal(finding_of(mls_run_findings(aborted), "status"), mls_run_reason(aborted));
    assert_string_equal(mls_run_stop_status(aborted), "aborted");
    assert_int_equal(mls_finding_line(target), 192);
    assert_string_equal(mls_finding_key(target), "eval_accuracy");
    const mls_finding *torn = finding_of(mls_run_findings(mls_group_run(group, 3)), "torn-line");
    assert_string_equal(mls_severity_name(mls_finding_severity(torn)), "warning");
    assert_int_equal(mls_finding_line(torn), 123);
    assert_int_equal(mls_finding_column(torn), 109);
    assert_null(mls_finding_path(torn));
    mls_collection_free(found);
    mls_rules_free(rules);
}

static void files_without_a_run_are_left_out_with_the_reason(void **state)
{
    static const char *const paths[] = {"testdata/slurm"};
    mls_rules *rules = new_rules();
    mls_collection *found = NULL;
    const char *path = NULL;
    const char *reason = NULL;
    (void)state;
    assert_int_equal(mls_collection_new(rules, paths, 1, &found, NULL), MLS_OK);
    assert_int_equal(mls_collection_unreadable(found), 0);
    assert_true(mls_collection_left_out(found, 2, &path, &reason));
    assert_string_equal(path, "testdata/slurm/core.bin");
    assert_string_equal(reason, "core dump");
    assert_true(mls_collection_left_out(found, 4, &path, &reason));
    assert_non_null(strstr(reason, "repeats the 10 runs"));
    assert_false(mls_collection_left_out(found, 5, &path, &reason));
    mls_collection_free(found);
    mls_collection_free(NULL);
    mls_rules_free(rules);
}

/* The chosen family, rule file and window apply. */
static void choices_are_obeyed(void **state)
{
    static const char *const paths[] = {"testdata/logs/plain.log"};
    mls_rules *rules = new_rules();
    mls_collection *found = NULL;
    (void)state;
    mls_rules_set_usage(rules, MLS_USAGE_HPC);
    assert_int_equal(mls_rules_set_edition(rules, "3.0", NULL), MLS_OK);
    assert_int_equal(mls_collection_new(rules, paths, 1, &found, NULL), MLS_OK);
    assert_false(mls_run_is_valid(mls_collection_run(found, 0)));
    assert_string_equal(mls_run_edition(mls_collection_run(found, 0)), "3.0.0");
    mls_collection_free(found);

    assert_int_equal(mls_rules_set_file(rules, "testdata/rules/lab.json", NULL), MLS_OK);
    assert_int_equal(mls_collection_new(rules, paths, 1, &found, NULL), MLS_OK);
    assert_true(mls_run_is_valid(mls_collection_run(found, 0)));
    assert_string_equal(mls_run_edition(mls_collection_run(found, 0)), "lab-1");
    mls_collection_free(found);
    mls_rules_free(rules);
    mls_rules_free(NULL);
}

/* Eleven runs where ten are needed: only with a window is the score official. */
static void a_window_is_chosen_where_it_is_asked_for(void **state)
{
    char folder[] = "/tmp/mlscore-test_XXXXXX";
    const char *const paths[] = {folder};
    char command[512];
    (void)state;
    assert_non_null(mkdtemp(folder));
    (void)snprintf(
        command, sizeof command,
        "cp testdata/slurm/2*.log %s && sed 's/17450\\([0-9]\\{8\\}\\)/17451\\1/; s/seed\", \"value\": /&1/' "
        "testdata/slurm/250419104520_9.log > %s/250419104520_11.log",
        folder, folder);
    assert_int_equal(system(command), 0);
    for (int window = 0; window < 2; window++) {
        mls_rules *rules = new_rules();
        mls_collection *found = NULL;
        mls_rules_set_window(rules, window == 1);
        assert_int_equal(mls_collection_new(rules, paths, 1, &found, NULL), MLS_OK);
        const mls_group *group = mls_collection_group(found, 0);
        int outside = 0;
        for (size_t i = 0; i < 11; i++)
            outside += strcmp(mls_group_mark(group, i), "outside") == 0;
        assert_null(mls_group_mark(group, 11));
        assert_int_equal(outside, window);
        assert_true(mls_group_is_official(group) == (window == 1));
        mls_collection_free(found);
        mls_rules_free(rules);
    }
    (void)snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
}

/* Findings about the folder itself have its path, others that of the file or folder. */
static void findings_of_a_submission_have_their_paths(void **state)
{
    mls_rules *rules = new_rules();
    mls_submission *submission = NULL;
    const char *path;
    (void)state;
    assert_int_equal(mls_submission_new(rules, "testdata/slurm", &submission, NULL), MLS_OK);
    assert_false(mls_submission_is_valid(submission));
    assert_string_equal(mls_submission_edition(submission), mls_rules_edition(rules, MLS_USAGE_TRAINING, 12));
    assert_string_equal(mls_finding_kind(mls_submission_finding(submission, 0, &path)), "no-results");
    assert_string_equal(path, ".");
    assert_null(mls_submission_finding(submission, 1, &path));
    assert_null(mls_submission_result_at(submission, 0));
    mls_submission_free(submission);
    mls_submission_free(NULL);

    assert_int_equal(mls_rules_set_edition(rules, "4.1", NULL), MLS_OK);
    assert_int_equal(mls_submission_new(rules, "testdata/submission", &submission, NULL), MLS_OK);
    assert_string_equal(mls_submission_edition(submission), "4.1.0");
    const mls_finding *skipped = mls_submission_finding(submission, 1, &path);
    assert_string_equal(mls_finding_kind(skipped), "benchmark-skipped");
    assert_string_equal(path, "results/example_b200_n2/llama31_405b");
    assert_int_equal(mls_submission_total(submission, MLS_SEVERITY_ADVICE), 2);
    for (size_t i = 0; i < 2; i++) {
        const mls_submission_result *result = mls_submission_result_at(submission, i);
        const bool judged = mls_submission_result_group(result) != NULL;
        assert_true(judged == (strcmp(mls_submission_result_path(result), path) != 0));
        assert_true(mls_submission_result_is_valid(result) == judged);
    }
    mls_submission_free(submission);
    mls_rules_free(rules);
}

/* Return whether the submission is valid, and the checks of convergence and seeds of its first result in `checks`. */
static bool submission_is_valid(const mls_rules *rules, const char *folder, char *checks)
{
    mls_submission *submission = NULL;
    assert_int_equal(mls_submission_new(rules, folder, &submission, NULL), MLS_OK);
    const bool valid = mls_submission_is_valid(submission);
    const mls_submission_result *first = mls_submission_result_at(submission, 0);
    const mls_group *group = first != NULL ? mls_submission_result_group(first) : NULL;
    (void)snprintf(checks, 64, "%s %s", group != NULL ? mls_group_convergence(group) : "none",
                   group != NULL ? mls_group_seeds(group) : "none");
    mls_submission_free(submission);
    return valid;
}

#define RESULT "results/example_b200_n2/llama2_70b_lora"

static void choices_of_verify_are_taken(void **state)
{
    char folder[] = "/tmp/mlscore-test_XXXXXX";
    char command[512];
    char checks[64];
    mls_rules *rules = new_rules();
    (void)state;
    assert_non_null(mkdtemp(folder));
    (void)snprintf(command, sizeof command,
                   "cp -r testdata/submission/. %s && cd %s/" RESULT
                   " && sed -i 's/\"samples_count\": 3[0-9]*/\"samples_count\": 1536/' result_*.txt"
                   " && sed -i '/\"key\": \"seed\"/s/\"value\": [0-9]*/\"value\": 4711/' result_[45].txt",
                   folder, folder);
    assert_int_equal(system(command), 0);
    assert_false(submission_is_valid(rules, folder, checks));
    assert_string_equal(checks, "fail fail");
    mls_rules_set_rcp_bypass(rules, true);
    assert_false(submission_is_valid(rules, folder, checks));
    assert_string_equal(checks, "bypassed fail");
    mls_rules_set_seed_bypass(rules, true);
    assert_true(submission_is_valid(rules, folder, checks));
    assert_string_equal(checks, "bypassed bypassed");
    mls_rules_set_strict(rules, true);
    assert_false(submission_is_valid(rules, folder, checks));
    mls_rules_set_strict(rules, false);
    mls_rules_set_usage(rules, MLS_USAGE_HPC);
    assert_false(submission_is_valid(rules, folder, checks));
    assert_string_equal(checks, "none none");
    (void)snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
    mls_rules_free(rules);
}

/* Judge a log and a folder, with rules that other threads use at the same time. */
static void *judge_beside(void *rules)
{
    mls_collection *found = NULL;
    const char *const paths[] = {"testdata/slurm"};
    double minutes = NAN;
    for (int i = 0; i < 3; i++) {
        const int fd = open("testdata/logs/epochs.log", O_RDONLY | O_CLOEXEC);
        mls_run *run = NULL;
        minutes = mls_run_judge_fd(rules, fd, "epochs", &run, NULL) == MLS_OK ? mls_run_minutes(run) : NAN;
        mls_run_free(run);
        (void)close(fd);
    }
    if (mls_collection_new(rules, paths, 1, &found, NULL) == MLS_OK)
        minutes += mls_group_minutes(mls_collection_group(found, 0));
    mls_collection_free(found);
    double *answer = malloc(sizeof *answer);
    *answer = minutes;
    return answer;
}

static void choices_may_be_used_by_many_threads(void **state)
{
    (void)state;
    mls_rules *rules = new_rules();
    pthread_t threads[4];
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, judge_beside, rules), 0);
    for (size_t i = 0; i < 4; i++) {
        void *answer = NULL;
        assert_int_equal(pthread_join(threads[i], &answer), 0);
        assert_true(fabs(*(double *)answer - 101.680) < 0.001);
        free(answer);
    }
    mls_rules_free(rules);
}

/* Check that a call fails with an error about the missing argument and creates nothing. */
#define assert_refused(call)                                                                                           \
    do {                                                                                                               \
        error = (mls_error){.status = MLS_OK};                                                                         \
        assert_int_equal((call), MLS_ERROR_VALUE);                                                                     \
        assert_int_equal(error.status, MLS_ERROR_VALUE);                                                               \
        assert_non_null(strstr(error.message, "NULL"));                                                                \
    } while (0)

static mls_status take_nameless(void *state, const mls_record *record)
{
    size_t *taken = state;
    double number = 7;
    ++*taken;
    assert_null(mls_record_metadata(record, NULL).ptr);
    assert_null(mls_record_metadata(record, "").ptr);
    assert_false(mls_json_number((mls_str){NULL, 0}, &number));
    return MLS_OK;
}

/* Numbers outside the enumerations, some of them negative as an int. */
static const unsigned no_numbers[] = {2, 3, 4, 100, 1U << 31, UINT32_MAX};

static void what_is_missing_is_refused(void **state)
{
    static const mls_str no_log = {NULL, 5};
    const char *const paths[] = {"testdata/logs/plain.log", NULL};
    mls_rules *rules = new_rules();
    mls_run *run = (mls_run *)(void *)rules;
    mls_collection *collection = (mls_collection *)(void *)rules;
    mls_submission *submission = (mls_submission *)(void *)rules;
    mls_log_writer *writer = NULL;
    mls_error error;
    size_t taken = 0;
    (void)state;
    assert_refused(mls_rules_set_edition(rules, NULL, &error));
    assert_refused(mls_rules_set_file(rules, NULL, &error));
    assert_refused(mls_run_judge_bytes(rules, text_of(""), NULL, &run, &error));
    assert_null(run);
    assert_refused(mls_run_judge_bytes(rules, no_log, "log", &run, &error));
    assert_refused(mls_run_judge_fd(rules, 0, NULL, &run, &error));
    assert_refused(mls_log_read_bytes(no_log, NULL, NULL, NULL, &error));
    assert_refused(mls_collection_new(rules, NULL, 1, &collection, &error));
    assert_null(collection);
    assert_refused(mls_collection_new(rules, paths, 2, &collection, &error));
    assert_refused(mls_submission_new(rules, NULL, &submission, &error));
    assert_null(submission);
    assert_int_equal(mls_collection_new(rules, NULL, 0, &collection, &error), MLS_OK);
    assert_null(mls_collection_group(collection, 0));
    mls_collection_free(collection);
    assert_int_equal(mls_log_read_bytes(text_of(RECORD("seed", "1")), take_nameless, NULL, &taken, NULL), MLS_OK);
    assert_int_equal(taken, 1);
    assert_int_equal(mls_log_read_bytes((mls_str){NULL, 0}, NULL, NULL, NULL, NULL), MLS_OK);
    assert_int_equal(mls_log_writer_new(&writer, &error), MLS_OK);
    assert_refused(mls_log_writer_add_file(writer, NULL, &error));
    mls_log_writer_free(writer);
    mls_rules_free(rules);
    mls_rules_free(NULL);
    mls_run_free(NULL);
    mls_collection_free(NULL);
    mls_submission_free(NULL);
    mls_log_writer_free(NULL);
}

/* A writer reports what is wrong with a record; texts and names may be NULL. */
static void a_writer_takes_what_is_missing(void **state)
{
    mls_log_writer *writer = NULL;
    mls_error error;
    char line[1024];
    int ends[2];
    (void)state;
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(mls_log_writer_new(&writer, NULL), MLS_OK);
    assert_int_equal(mls_log_writer_add_fd(writer, ends[1], NULL), MLS_OK);
    assert_int_equal(mls_log_writer_record(writer, MLS_LOG_POINT, NULL, NULL, 1, &error), MLS_ERROR_VALUE);
    for (size_t i = 1; i < sizeof no_numbers / sizeof *no_numbers; i++) {
        assert_int_equal(mls_log_writer_record(writer, (mls_log_event)no_numbers[i], "seed", NULL, 1, &error),
                         MLS_ERROR_VALUE);
    }
    mls_log_writer_put_json(writer, "a", NULL);
    assert_int_equal(mls_log_writer_record(writer, MLS_LOG_POINT, "seed", NULL, 1, &error), MLS_ERROR_SYNTAX);
    mls_log_writer_namespace(writer, NULL);
    mls_log_writer_put_text(writer, NULL, NULL);
    mls_log_writer_put_word(writer, "word", NULL);
    mls_log_writer_put_text(writer, "text", NULL);
    assert_int_equal(mls_log_writer_record(writer, MLS_LOG_POINT, "seed", NULL, 1, &error), MLS_OK);
    const ssize_t len = read(ends[0], line, sizeof line - 1);
    assert_true(len > 0);
    line[len] = '\0';
    assert_non_null(strstr(line, "\"namespace\": \"\""));
    assert_non_null(strstr(line, "\"value\": null, \"metadata\": {\"word\": null, \"text\": null}}"));
    assert_int_equal(mls_log_writer_add_fd(writer, -1, NULL), MLS_OK);
    assert_int_equal(mls_log_writer_record(writer, MLS_LOG_POINT, "seed", NULL, 1, &error), MLS_ERROR_WRITE);
    mls_log_writer_free(writer);
    assert_int_equal(close(ends[0]), 0);
    assert_int_equal(close(ends[1]), 0);
}

static void numbers_of_no_enumeration_are_answered(void **state)
{
    mls_rules *rules = new_rules();
    mls_submission *submission = NULL;
    const char *const paths[] = {"testdata/logs/died.log", "testdata/README.md"};
    mls_collection *collection = NULL;
    (void)state;
    assert_int_equal(mls_submission_new(rules, "testdata/submission", &submission, NULL), MLS_OK);
    assert_int_equal(mls_collection_new(rules, paths, 2, &collection, NULL), MLS_OK);
    const mls_run *run = mls_collection_run(collection, 0);
    assert_non_null(run);
    const char *edition = mls_run_edition(run);
    for (size_t i = 0; i < sizeof no_numbers / sizeof *no_numbers; i++) {
        const unsigned number = no_numbers[i];
        assert_null(mls_rules_edition(rules, (mls_usage)number, 0));
        assert_null(mls_rules_benchmark(rules, (mls_usage)number, 0, 0));
        mls_rules_set_usage(rules, (mls_usage)number);
        if (i > 0) {
            assert_null(mls_severity_name((mls_severity)number));
            assert_int_equal(mls_findings_total(mls_run_findings(run), (mls_severity)number), 0);
            assert_int_equal(mls_submission_total(submission, (mls_severity)number), 0);
        }
    }
    assert_null(mls_rules_edition(rules, MLS_USAGE_HPC, SIZE_MAX));
    assert_null(mls_rules_benchmark(rules, MLS_USAGE_HPC, 0, SIZE_MAX));
    /* Past the end of each list, and with NULL for optional results. */
    assert_null(mls_findings_at(mls_run_findings(run), SIZE_MAX));
    assert_null(mls_submission_finding(submission, SIZE_MAX, NULL));
    assert_null(mls_submission_result_at(submission, SIZE_MAX));
    assert_null(mls_collection_run(collection, SIZE_MAX));
    assert_null(mls_collection_group(collection, SIZE_MAX));
    assert_false(mls_collection_left_out(collection, SIZE_MAX, NULL, NULL));
    assert_true(mls_collection_left_out(collection, 0, NULL, NULL));
    assert_null(mls_group_run(mls_collection_group(collection, 0), SIZE_MAX));
    assert_null(mls_group_mark(mls_collection_group(collection, 0), SIZE_MAX));
    assert_false(mls_run_hyperparameter_at(run, SIZE_MAX, NULL, NULL));
    assert_true(mls_run_hyperparameter_at(run, 0, NULL, NULL));
    assert_null(mls_run_hyperparameter(run, (mls_str){NULL, 0}));
    (void)mls_run_converged_at(run, NULL);
    /* The invalid family has not changed anything. */
    mls_run *again = NULL;
    const int fd = open("testdata/logs/died.log", O_RDONLY);
    assert_int_equal(mls_run_judge_fd(rules, fd, "died.log", &again, NULL), MLS_OK);
    assert_string_equal(mls_run_edition(again), edition);
    assert_int_equal(close(fd), 0);
    mls_run_free(again);
    mls_collection_free(collection);
    mls_submission_free(submission);
    mls_rules_free(rules);
}

/* An endless device is not a log, whoever opened it. */
static void devices_are_refused(void **state)
{
    mls_rules *rules = new_rules();
    mls_error error = {.status = MLS_OK};
    const char *const path = "/dev/zero";
    mls_collection *collection = NULL;
    mls_submission *submission = NULL;
    mls_run *run = NULL;
    const char *reason = NULL;
    const int fd = open(path, O_RDONLY);
    (void)state;
    assert_true(fd >= 0);
    assert_int_equal(mls_log_read_fd(fd, NULL, NULL, NULL, &error), MLS_ERROR_READ);
    assert_string_equal(error.message, "not a regular file, pipe or terminal");
    assert_int_equal(mls_run_judge_fd(rules, fd, "zero", &run, &error), MLS_ERROR_READ);
    assert_null(run);
    assert_int_equal(mls_rules_set_file(rules, path, &error), MLS_ERROR_READ);
    assert_int_equal(mls_submission_new(rules, path, &submission, &error), MLS_ERROR_READ);
    assert_int_equal(mls_collection_new(rules, &path, 1, &collection, &error), MLS_OK);
    assert_int_equal(mls_collection_unreadable(collection), 1);
    assert_true(mls_collection_left_out(collection, 0, NULL, &reason));
    assert_string_equal(reason, "not a regular file, pipe or terminal");
    mls_collection_free(collection);
    assert_int_equal(mls_log_read_fd(-1, NULL, NULL, NULL, &error), MLS_ERROR_READ);
    assert_int_equal(close(fd), 0);
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
        cmocka_unit_test(a_folder_of_a_job_is_a_group),
        cmocka_unit_test(files_without_a_run_are_left_out_with_the_reason),
        cmocka_unit_test(choices_are_obeyed),
        cmocka_unit_test(a_window_is_chosen_where_it_is_asked_for),
        cmocka_unit_test(findings_of_a_submission_have_their_paths),
        cmocka_unit_test(choices_of_verify_are_taken),
        cmocka_unit_test(choices_may_be_used_by_many_threads),
        cmocka_unit_test(what_is_missing_is_refused),
        cmocka_unit_test(a_writer_takes_what_is_missing),
        cmocka_unit_test(numbers_of_no_enumeration_are_answered),
        cmocka_unit_test(devices_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
