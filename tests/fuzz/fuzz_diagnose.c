/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_diagnose.c - diagnose any bytes as the output of a job.  Reported lines must be within the input. */
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/moment.h"
#include "explain/diagnose/diagnose.h"
#include "log/prefix.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int open_memory(void *state, const char *path)
{
    (void)path;
    return dup(*(int *)state);
}

static void check_line(mls_str raw)
{
    static char scratch[MLS_LINE_EXAMINED];
    const mls_log_line line = mls_log_line_read(raw, false, scratch);
    const double time_ms = mls_log_line_time(&line);
    if (line.text.len > MLS_LINE_EXAMINED || line.message.len > line.text.len || line.rank < -1 ||
        line.local_rank < -1 || mls_time_resolve(time_ms, 1.7e12) < 0)
        abort();
    for (size_t i = 0; i < line.text.len; i++)
        if ((unsigned char)line.text.ptr[i] < 0x20 && line.text.ptr[i] != '\t')
            abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static mls_signatures *signatures;
    int memory = memfd_create("log", MFD_CLOEXEC);
    const mls_diagnose_options options = {.open = open_memory, .open_state = &memory, .work.threads = 1};
    mls_diagnose_options wanted = options;
    mls_diagnosis job;
    if ((signatures == NULL && mls_signatures_new(&signatures, NULL) != MLS_OK) || memory < 0 ||
        write(memory, data, size) != (ssize_t)size || lseek(memory, 0, SEEK_SET) != 0)
        abort();
    check_line((mls_str){(const char *)data, size});
    wanted.signatures = signatures;
    if (mls_diagnose("fuzzed.log", &wanted, &job, NULL) != MLS_OK)
        abort();
    /* A run has at most one failure, in the order of runs.  Launches that died before a run began have no run. */
    size_t before = 0;
    for (size_t i = 0; i < job.failure_count; i++) {
        const mls_failure *failure = &job.failures[i];
        if (failure->run > 0 && (failure->run <= before || failure->run > (job.runs > 0 ? job.runs : 1)))
            abort();
        before = failure->run > 0 ? failure->run : before;
        if (failure->at.line > size + 1 || failure->at.text == NULL || failure->signature == NULL ||
            failure->read_count > 5 || (failure->root_known && failure->signature->role != MLS_ROLE_ROOT))
            abort();
    }
    mls_diagnosis_release(&job);
    (void)close(memory);
    return 0;
}
