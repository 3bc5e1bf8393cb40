/* SPDX-License-Identifier: Apache-2.0 */
/* scontrol.c - one line of scontrol. */
#include "explain/watch/scontrol.h"

#include <stdlib.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/program.h"

enum { SCONTROL_MS = 10000, SCONTROL_BYTES_MAX = 1 << 20, JOB_BYTES_MAX = 32 };

bool mls_is_job_number(mls_str text)
{
    mls_str task = text;
    mls_str job;
    size_t number;
    const bool array = mls_str_cut(&task, '_', &job);
    return text.len <= JOB_BYTES_MAX && mls_size_parse(job, &number) && (!array || mls_size_parse(task, &number));
}

/* The value of a name in "Name=value Name=value": values may have blanks in them, names have none. */
static mls_str job_line_value(mls_str line, mls_str name)
{
    mls_str rest;
    if (!mls_str_after(line, name, &rest)) {
        return (mls_str){NULL, 0};
    }
    size_t end = rest.len;
    for (size_t i = 0; i < rest.len && end == rest.len; i++) {
        if (rest.ptr[i] == ' ') {
            const mls_str next = {rest.ptr + i + 1, rest.len - i - 1};
            const size_t length = mls_str_name_length(next);
            end = length > 0 && length < next.len && next.ptr[length] == '=' ? i : end;
        }
    }
    return (mls_str){rest.ptr, end};
}

static mls_status take_job_line(mls_str line, mls_running_job *running, mls_error *error)
{
    static const char over[] =
        "COMPLETED FAILED CANCELLED TIMEOUT NODE_FAIL PREEMPTED BOOT_FAIL DEADLINE OUT_OF_MEMORY";
    const mls_str job = job_line_value(line, MLS_S("JobId="));
    const mls_str folder = mls_path_folder(job_line_value(line, MLS_S(" StdOut=")));
    if (job.len == 0 || folder.len == 0) {
        return mls_error_set(error, MLS_ERROR_READ, 0, 0, "scontrol does not say where the job writes (StdOut)");
    }
    running->job = mls_strndup(job.ptr, job.len);
    running->folder = mls_strndup(folder.ptr, folder.len);
    running->ended = mls_str_among(job_line_value(line, MLS_S(" JobState=")), over);
    return running->job != NULL && running->folder != NULL ? MLS_OK : mls_error_memory(error);
}

mls_status mls_scontrol_ask(const char *program, const char *job, mls_running_job *running, mls_error *error)
{
    const char *const arguments[] = {program, "show", "job", "-o", job, NULL};
    const mls_program asked = {.arguments = arguments, .timeout_ms = SCONTROL_MS, .answer_max = SCONTROL_BYTES_MAX};
    mls_buffer answer = {0};
    mls_str line;
    *running = (mls_running_job){0};
    mls_status status = mls_program_ask(&asked, &answer, error);
    if (status == MLS_ERROR_READ) {
        running->ended = mls_str_contains(mls_str_from(error->message), MLS_S("Invalid job id"));
    }
    if (status == MLS_OK) {
        mls_str rest = mls_buffer_str(&answer);
        (void)mls_str_cut(&rest, '\n', &line);
        status = take_job_line(line, running, error);
    }
    mls_buffer_release(&answer);
    return status;
}

void mls_running_job_release(mls_running_job *running)
{
    free(running->job);
    free(running->folder);
    *running = (mls_running_job){0};
}
