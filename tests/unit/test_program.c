/* SPDX-License-Identifier: Apache-2.0 */
/* Helper programs: their output is read, and their failures are reported. */
#include <errno.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/program.h"

static bool poll_fails;

/* Replaces the function of the C library in this test. */
int poll(struct pollfd *ends, nfds_t count, int timeout_ms)
{
    const struct timespec timeout = {timeout_ms / 1000, timeout_ms % 1000 * 1000000L};
    errno = ENOMEM;
    return poll_fails ? -1 : ppoll(ends, count, timeout_ms < 0 ? NULL : &timeout, NULL);
}

/* Run a shell script, or a program by name. */
static mls_status ask(const char *name, const char *script, mls_buffer *answer, mls_error *error)
{
    const char *const shell[] = {"sh", "-c", script, NULL};
    const char *const alone[] = {name, NULL};
    const mls_program asked = {
        .arguments = script != NULL ? shell : alone, .timeout_ms = 60000.0, .answer_max = 1 << 16};
    *error = (mls_error){0};
    return mls_program_ask(&asked, answer, error);
}

static void test_answers(void **state)
{
    (void)state;
    mls_buffer answer = {0};
    mls_error error;
    assert_int_equal(ask(NULL, "echo one; echo no word of it >&2", &answer, &error), MLS_OK);
    assert_int_equal(ask(NULL, "echo two", &answer, &error), MLS_OK);
    assert_string_equal(answer.ptr, "one\ntwo\n");
    mls_buffer_release(&answer);
}

static void test_failures(void **state)
{
    (void)state;
    static const struct {
        const char *script, *message;
        int system_errno;
    } rows[] = {
        {"exit 3", "sh: exit status 3", 0},
        {"echo what >&2; echo else >&2; exit 1", "sh: exit status 1: what", 0},
        {"kill -9 $$", "sh: ended by signal 9", 0},
        /* Status 127 without a message means that the program was not started. */
        {"exit 127", "sh: No such file or directory", ENOENT},
        {"echo all of it; exit 127", "sh: exit status 127", 0},
        {"echo sacct is not found >&2; exit 127", "sh: exit status 127: sacct is not found", 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        mls_buffer answer = {0};
        mls_error error;
        mls_buffer_append_text(&answer, "what was asked before");
        assert_int_equal(ask(NULL, rows[i].script, &answer, &error), MLS_ERROR_READ);
        assert_string_equal(error.message, rows[i].message);
        assert_int_equal(error.system_errno, rows[i].system_errno);
        mls_buffer_release(&answer);
    }
}

/* All ways in which the system reports that a program cannot be started. */
static void test_not_started(void **state)
{
    (void)state;
    mls_buffer answer = {0};
    mls_error error;
    assert_int_equal(ask("no-such-program", NULL, &answer, &error), MLS_ERROR_READ);
    assert_string_equal(error.message, "no-such-program: No such file or directory");
    assert_int_equal(ask("./no-such-program", NULL, &answer, &error), MLS_ERROR_READ);
    assert_string_equal(error.message, "./no-such-program: No such file or directory");
    assert_int_equal(ask("./Makefile", NULL, &answer, &error), MLS_ERROR_READ);
    assert_string_equal(error.message, "./Makefile: Permission denied");
    assert_int_equal(error.system_errno, EACCES);
    mls_buffer_release(&answer);
}

/* A program that closes its output but does not end is killed at the deadline, and so is one that keeps it open. */
static void test_deadline(void **state)
{
    (void)state;
    static const char *const scripts[] = {"exec >&- 2>&-; exec sleep 60", "echo part; exec >&- 2>&-; sleep 60 & wait",
                                          "exec sleep 60"};
    for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++) {
        const char *const shell[] = {"sh", "-c", scripts[i], NULL};
        const mls_program asked = {.arguments = shell, .timeout_ms = 200.0, .answer_max = 1 << 16};
        mls_buffer answer = {0};
        mls_error error = {0};
        const double began = mls_clock_ms();
        assert_int_equal(mls_program_ask(&asked, &answer, &error), MLS_ERROR_READ);
        assert_true(mls_clock_ms() - began < 20000);
        assert_string_equal(error.message, "sh: no answer within the timeout");
        mls_buffer_release(&answer);
    }
}

/* An error of the system is not reported as a timeout. */
static void test_poll_fails(void **state)
{
    (void)state;
    mls_buffer answer = {0};
    mls_error error;
    poll_fails = true;
    assert_int_equal(ask(NULL, "sleep 60", &answer, &error), MLS_ERROR_READ);
    poll_fails = false;
    assert_string_equal(error.message, "sh: Cannot allocate memory");
    assert_int_equal(error.system_errno, ENOMEM);
    mls_buffer_release(&answer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_answers),  cmocka_unit_test(test_failures),   cmocka_unit_test(test_not_started),
        cmocka_unit_test(test_deadline), cmocka_unit_test(test_poll_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
