/* SPDX-License-Identifier: Apache-2.0 */
/* Harmless lines do not change a verdict: the examples of all context signatures are not failures, and before the
 * example of another signature they are not its cause. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/buffer.h"
#include "explain/diagnose/diagnose.h"

static int open_text(void *state, const char *path)
{
    (void)path;
    return dup(*(int *)state);
}

/* Return the signature of the cause in a job with these lines; NULL: no failure. */
static const char *cause_of(mls_signatures *signatures, const char *first, const char *second)
{
    int memory = memfd_create("log", MFD_CLOEXEC);
    const mls_diagnose_options options = {
        .signatures = signatures, .work.threads = 1, .open = open_text, .open_state = &memory};
    mls_diagnosis job;
    mls_buffer text = {0};
    mls_buffer_printf(&text, "%s\n%s\n", first, second);
    assert_true(memory >= 0 && write(memory, text.ptr, text.len) == (ssize_t)text.len);
    assert_int_equal(lseek(memory, 0, SEEK_SET), 0);
    assert_int_equal(mls_diagnose("log", &options, &job, NULL), MLS_OK);
    const char *id = job.failure_count > 0 ? job.failures[0].signature->id : NULL;
    mls_diagnosis_release(&job);
    mls_buffer_release(&text);
    (void)close(memory);
    return id;
}

static void noises_change_no_verdict(void **state)
{
    (void)state;
    mls_signatures *signatures;
    mls_buffer noises = {0};
    size_t count = 0;
    assert_int_equal(mls_signatures_new(&signatures, NULL), MLS_OK);
    for (size_t i = 0; i < mls_signatures_count(signatures); i++) {
        const mls_signature *one = mls_signatures_get(signatures, i);
        /* After the end of a run, some messages are those of its teardown. */
        if (one->role == MLS_ROLE_CONTEXT && strcmp(one->id, "run-ends") != 0) {
            mls_buffer_printf(&noises, "%s\n", one->example);
            count++;
        }
    }
    assert_true(count > 10 && cause_of(signatures, noises.ptr, "") == NULL);
    for (size_t i = 0; i < mls_signatures_count(signatures); i++) {
        const char *line = mls_signatures_get(signatures, i)->example;
        const char *cause = cause_of(signatures, "", line);
        const char *after = cause_of(signatures, noises.ptr, line);
        if ((cause == NULL) != (after == NULL) || (cause != NULL && strcmp(cause, after) != 0)) {
            print_error("'%s' behind noise: %s, not %s\n", line, after != NULL ? after : "nothing",
                        cause != NULL ? cause : "nothing");
            fail();
        }
    }
    mls_buffer_release(&noises);
    mls_signatures_free(signatures);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(noises_change_no_verdict)};
    return cmocka_run_group_tests_name("diagnose noise", tests, NULL, NULL);
}
