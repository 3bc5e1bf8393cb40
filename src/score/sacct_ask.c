/* SPDX-License-Identifier: Apache-2.0 */
/* sacct_ask.c - calls sacct for the jobs of a collection: no shell, nothing to read, and not for long. */
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/program.h"
#include "score/sacct.h"

enum { JOBS_AT_ONCE = 500, ASK_MS = 10000, NUMBER_BYTES_MAX = 32 };
#define ANSWER_BYTES_MAX ((size_t)64 << 20)

/* Free text comes last, and a unit separator parts what no name has in it. */
#define ASKED                                                                                                          \
    "JobIDRaw,JobID,State,ExitCode,DerivedExitCode,Submit,Eligible,Start,End,ElapsedRaw,TimelimitRaw,NNodes,NodeList," \
    "Cluster,Reason,JobName"

typedef struct asking {
    const char *program;
    char **environment; /* with times in seconds since 1970 */
    double deadline_ms;
    mls_buffer answer;
} asking;

/* The words of our own, which sacct is given, must be ones that nothing writes to. */
static char *fixed(const char *text)
{
    return (char *)(uintptr_t)text;
}

static bool make_environment(asking *ask)
{
    size_t count = 0;
    while (environ[count] != NULL) {
        count++;
    }
    size_t used = 0;
    ask->environment = mls_calloc(count + 2, sizeof *ask->environment);
    for (size_t i = 0; i < count && ask->environment != NULL; i++) {
        if (!mls_str_starts(mls_str_from(environ[i]), MLS_S("SLURM_TIME_FORMAT="))) {
            ask->environment[used++] = environ[i];
        }
    }
    if (ask->environment != NULL) {
        ask->environment[used] = fixed("SLURM_TIME_FORMAT=%s");
    }
    return ask->environment != NULL;
}

/* Asks for jobs, "117,118". */
static mls_status ask_once(asking *ask, const char *jobs, mls_error *error)
{
    static const char format[] = "--format=" ASKED;
    const char *const arguments[] = {ask->program,       "-X",   "-D", "-n", "--parsable2",
                                     "--delimiter=\x1f", format, "-j", jobs, NULL};
    const mls_program asked = {arguments, ask->environment, ask->deadline_ms - mls_clock_ms(), ANSWER_BYTES_MAX};
    return mls_program_ask(&asked, &ask->answer, error);
}

/* 117, 117_3 or 117+1: nothing else is asked for, as sacct fails for all then. */
static bool is_number(mls_str job)
{
    mls_str first = job;
    size_t number;
    for (size_t i = 0; i < job.len; i++) {
        if (job.ptr[i] == '_' || job.ptr[i] == '+') {
            first.len = i;
            break;
        }
    }
    const bool more = first.len < job.len;
    return job.len <= NUMBER_BYTES_MAX && mls_size_parse(first, &number) &&
           (!more || mls_size_parse((mls_str){job.ptr + first.len + 1, job.len - first.len - 1}, &number));
}

/* Each number once. */
static bool list_jobs(const mls_collection *collection, mls_map *jobs)
{
    bool ok = true;
    for (size_t i = 0; i < collection->run_count && ok; i++) {
        const mls_str job = mls_str_from(collection->runs[i].job.job);
        ok = !is_number(job) || mls_map_put(jobs, job, NULL) != NULL;
    }
    return ok;
}

/* A heading before what sacct says without one. */
static void begin_answer(mls_buffer *answer)
{
    mls_buffer_clear(answer);
    for (const char *at = ASKED; *at != '\0'; at++) {
        mls_buffer_append_char(answer, *at == ',' ? '\x1f' : *at);
    }
    mls_buffer_append_char(answer, '\n');
}

mls_status mls_sacct_ask(mls_sacct *sacct, const mls_collection *collection, const char *program, mls_error *error)
{
    mls_arena arena = {0};
    mls_map jobs = {.arena = &arena};
    mls_buffer list = {0};
    asking ask = {.program = program, .deadline_ms = mls_clock_ms() + ASK_MS};
    mls_status status = list_jobs(collection, &jobs) && make_environment(&ask) ? MLS_OK : mls_error_memory(error);
    for (size_t i = 0; i < jobs.count && status == MLS_OK;) {
        mls_buffer_clear(&list);
        for (const size_t end = i + JOBS_AT_ONCE; i < jobs.count && i < end; i++) {
            mls_buffer_append_text(&list, list.len > 0 ? "," : "");
            mls_buffer_append(&list, jobs.entries[i].key);
        }
        begin_answer(&ask.answer);
        status = list.failed ? mls_error_memory(error) : ask_once(&ask, list.ptr, error);
        if (status == MLS_OK) {
            const mls_sacct_zone zone = {(double)NAN, "local"};
            status = mls_sacct_take(sacct, mls_buffer_str(&ask.answer), "sacct", zone, error);
        }
    }
    mls_buffer_release(&ask.answer);
    mls_buffer_release(&list);
    free(ask.environment);
    mls_arena_release(&arena);
    return status;
}
