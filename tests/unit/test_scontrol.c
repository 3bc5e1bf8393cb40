/* SPDX-License-Identifier: Apache-2.0 */
/* The output file and the state of a job as reported by Slurm, and the defaults if Slurm does not answer. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "explain/watch/watch.h"
#include "scratch.h"

/* Run a shell script instead of scontrol. */
static mls_status ask(const char *commands, mls_running_job *running, mls_error *error)
{
    FILE *script = fopen("scontrol", "w");
    assert_non_null(script);
    assert_true(fprintf(script, "#!/bin/sh\n%s\n", commands) > 0);
    assert_int_equal(fclose(script), 0);
    assert_int_equal(chmod("scontrol", 0755), 0);
    *error = (mls_error){0};
    return mls_scontrol_ask("./scontrol", "117", running, error);
}

static void a_line_says_where_it_writes(void **state)
{
    static const char line[] = "echo 'JobId=117 JobName=a b JobState=RUNNING Reason=None Command=/x y.sub "
                               "StdOut=/logs of it/slurm-117.out Power='";
    mls_running_job running;
    mls_error error;
    (void)state;
    assert_int_equal(ask(line, &running, &error), MLS_OK);
    assert_string_equal(running.job, "117");
    assert_string_equal(running.folder, "/logs of it/");
    assert_false(running.ended);
    mls_running_job_release(&running);
}

static void a_job_that_is_over_has_ended(void **state)
{
    static const char *const states[] = {"COMPLETED", "TIMEOUT", "NODE_FAIL", "OUT_OF_MEMORY"};
    (void)state;
    for (size_t i = 0; i < sizeof states / sizeof *states; i++) {
        char line[128];
        mls_running_job running;
        mls_error error;
        (void)snprintf(line, sizeof line, "echo 'JobId=117 JobState=%s StdOut=/logs/a.out'", states[i]);
        assert_int_equal(ask(line, &running, &error), MLS_OK);
        assert_true(running.ended);
        mls_running_job_release(&running);
    }
}

/* If the controller does not answer, the state of a job is unknown. A job that Slurm no longer knows is not running. */
static void only_an_unknown_job_has_ended(void **state)
{
    static const struct {
        const char *said;
        bool ended;
    } cases[] = {{"slurm_load_jobs error: Invalid job id specified", true},
                 {"slurm_load_jobs error: Unable to contact slurm controller (connect failure)", false}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char line[128];
        mls_running_job running;
        mls_error error;
        (void)snprintf(line, sizeof line, "echo '%s' >&2; exit 1", cases[i].said);
        assert_int_equal(ask(line, &running, &error), MLS_ERROR_READ);
        assert_non_null(strstr(error.message, cases[i].said));
        assert_int_equal(running.ended, cases[i].ended);
        mls_running_job_release(&running);
    }
}

static void a_line_without_an_output_is_no_answer(void **state)
{
    mls_running_job running;
    mls_error error;
    (void)state;
    assert_int_equal(ask("echo 'JobId=117 JobState=RUNNING'", &running, &error), MLS_ERROR_READ);
    assert_false(running.ended);
    mls_running_job_release(&running);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_says_where_it_writes), cmocka_unit_test(a_job_that_is_over_has_ended),
        cmocka_unit_test(only_an_unknown_job_has_ended), cmocka_unit_test(a_line_without_an_output_is_no_answer)};
    return cmocka_run_group_tests_name("scontrol", tests, enter_scratch, leave_scratch);
}
