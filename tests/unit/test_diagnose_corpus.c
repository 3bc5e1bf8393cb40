/* SPDX-License-Identifier: Apache-2.0 */
/* Published logs of successful runs, cut before run_stop: none of their messages is reported as a cause.  Every fifth
 * log is read.  The test is skipped if the logs are not unpacked. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <sys/mman.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/file.h"
#include "corpus.h"
#include "explain/diagnose/diagnose.h"
#include "run/reading.h"

enum { EACH = 5 };

static int open_cut(void *state, const char *path)
{
    (void)path;
    return dup(*(int *)state);
}

/* Return the text before the line of the first run_stop if its status is success; otherwise an empty text. */
static mls_str before_success(mls_str text)
{
    const char *stop = memmem(text.ptr, text.len, "\"run_stop\"", 10);
    if (stop == NULL || memmem(text.ptr, (size_t)(stop - text.ptr), ":::MLLOG", 8) == NULL)
        return (mls_str){NULL, 0};
    const char *end = memchr(stop, '\n', (size_t)(text.ptr + text.len - stop));
    end = end != NULL ? end : text.ptr + text.len;
    while (stop > text.ptr && stop[-1] != '\n')
        stop--;
    return memmem(stop, (size_t)(end - stop), "\"success\"", 9) != NULL ? (mls_str){text.ptr, (size_t)(stop - text.ptr)}
                                                                        : (mls_str){NULL, 0};
}

static size_t check_log(const char *path, mls_str text, mls_signatures *signatures)
{
    int memory = memfd_create("log", MFD_CLOEXEC);
    const mls_diagnose_options options = {
        .signatures = signatures, .work.threads = 1, .open = open_cut, .open_state = &memory};
    mls_diagnosis job;
    assert_true(memory >= 0 && write(memory, text.ptr, text.len) == (ssize_t)text.len);
    assert_int_equal(lseek(memory, 0, SEEK_SET), 0);
    assert_int_equal(mls_diagnose(path, &options, &job, NULL), MLS_OK);
    /* Files of whole jobs contain other runs before the first successful one. */
    for (size_t i = job.runs - (job.runs > 0); i < job.failure_count; i++) {
        const char *id = job.failures[i].signature->id;
        if (strcmp(id, "log-ends") != 0 && strcmp(id, "hang") != 0) {
            print_error("%s:%zu: %s: %s\n", path, job.failures[i].at.line, id, job.failures[i].at.text);
            fail();
        }
    }
    mls_diagnosis_release(&job);
    (void)close(memory);
    return 1;
}

static void no_success_is_called_a_failure(void **state)
{
    (void)state;
    const char *const cache = getenv("PARITY_CACHE") != NULL ? getenv("PARITY_CACHE") : ".corpus";
    mls_sources sources = {0};
    mls_signatures *signatures;
    size_t count = 0;
    assert_int_equal(mls_sources_find(&cache, 1, &sources, NULL), MLS_OK);
    assert_int_equal(mls_signatures_new(&signatures, NULL), MLS_OK);
    for (size_t i = 0; i < sources.count; i += EACH) {
        mls_buffer text = {0};
        if (sources.items[i].skip == NULL &&
            mls_file_read(sources.items[i].path, false, (size_t)64 << 20, &text, NULL) == MLS_OK) {
            const mls_str cut = before_success(mls_buffer_str(&text));
            count += cut.len > 0 ? check_log(sources.items[i].path, cut, signatures) : 0;
        }
        mls_buffer_release(&text);
    }
    mls_signatures_free(signatures);
    mls_sources_release(&sources);
    if (count == 0) {
        print_message("no published logs in %s\n", cache);
        skip();
    }
    assert_true(count > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(no_success_is_called_a_failure)};
    return cmocka_run_group_tests_name("diagnose corpus", tests, NULL, NULL);
}
