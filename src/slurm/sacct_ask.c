/* SPDX-License-Identifier: Apache-2.0 */
/* sacct_ask.c - calls sacct for the jobs of a collection: no shell, nothing to read, and not for long. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/number.h"
#include "slurm/sacct.h"

enum { JOBS_AT_ONCE = 500, ASK_MS = 10000, ERROR_BYTES_MAX = 4096, NUMBER_BYTES_MAX = 32 };
#define ANSWER_BYTES_MAX ((size_t)64 << 20)

/* Free text comes last, and a unit separator parts what no name has in it. */
#define ASKED                                                                                                          \
    "JobIDRaw,JobID,State,ExitCode,DerivedExitCode,Submit,Eligible,Start,End,ElapsedRaw,TimelimitRaw,NNodes,NodeList," \
    "Cluster,Reason,JobName"

typedef struct asking {
    const char *program;
    char **environment; /* with times in seconds since 1970 */
    double deadline_ms;
    mls_buffer answer, complaint;
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
    ask->environment = calloc(count + 2, sizeof *ask->environment);
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

/* Starts sacct in a group of its own, whose output comes through two pipes.  0, or an errno. */
static int start_sacct(const asking *ask, const char *jobs, int pipes[2][2], pid_t *child)
{
    char *const arguments[] = {fixed(ask->program),
                               fixed("-X"),
                               fixed("-D"),
                               fixed("-n"),
                               fixed("--parsable2"),
                               fixed("--delimiter=\x1f"),
                               fixed("--format=" ASKED),
                               fixed("-j"),
                               fixed(jobs),
                               NULL};
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    int failed = posix_spawn_file_actions_init(&actions);
    if (failed != 0) {
        return failed;
    }
    failed = posix_spawnattr_init(&attributes);
    if (failed == 0) {
        (void)posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
        (void)posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
        (void)posix_spawn_file_actions_adddup2(&actions, pipes[0][1], STDOUT_FILENO);
        (void)posix_spawn_file_actions_adddup2(&actions, pipes[1][1], STDERR_FILENO);
        failed = posix_spawnp(child, ask->program, &actions, &attributes, arguments, ask->environment);
        (void)posix_spawnattr_destroy(&attributes);
    }
    (void)posix_spawn_file_actions_destroy(&actions);
    return failed;
}

/* Takes what stands in a pipe: false when it has ended. */
static bool drain(int fd, mls_buffer *into, size_t most)
{
    char bytes[65536];
    const ssize_t got = read(fd, bytes, sizeof bytes);
    const size_t room = into->len < most ? most - into->len : 0;
    if (got > 0) {
        mls_buffer_append(into, (mls_str){bytes, (size_t)got < room ? (size_t)got : room});
    }
    return got > 0 || (got < 0 && errno == EINTR);
}

/* Reads both pipes until they end.  False: the time is over. */
static bool read_answer(asking *ask, int out, int complaints)
{
    struct pollfd ends[2] = {{.fd = out, .events = POLLIN}, {.fd = complaints, .events = POLLIN}};
    while (ends[0].fd >= 0 || ends[1].fd >= 0) {
        const double left = ask->deadline_ms - mls_clock_ms();
        if (left <= 0) {
            return false;
        }
        if (poll(ends, 2, (int)left + 1) < 0 && errno != EINTR) {
            return false;
        }
        for (int i = 0; i < 2; i++) {
            const bool ready = ends[i].fd >= 0 && ends[i].revents != 0;
            if (ready && !drain(ends[i].fd, i == 0 ? &ask->answer : &ask->complaint,
                                i == 0 ? ANSWER_BYTES_MAX : ERROR_BYTES_MAX)) {
                ends[i].fd = -1;
            }
            ends[i].revents = 0;
        }
    }
    return true;
}

/* "sacct: exit status 1: its first line" */
static mls_status say_why(const asking *ask, const char *what, mls_error *error)
{
    mls_str rest = mls_buffer_str(&ask->complaint);
    mls_str line;
    (void)mls_str_cut(&rest, '\n', &line);
    return mls_error_set(error, MLS_ERROR_READ, 0, 0, "%s: %s%s%.*s", ask->program, what, line.len > 0 ? ": " : "",
                         (int)(line.len < 200 ? line.len : 200), line.len > 0 ? line.ptr : "");
}

static mls_status ask_once(asking *ask, const char *jobs, mls_error *error)
{
    int pipes[2][2] = {{-1, -1}, {-1, -1}};
    pid_t child = -1;
    int how = 0;
    mls_status status = MLS_OK;
    if (pipe2(pipes[0], O_CLOEXEC) != 0 || pipe2(pipes[1], O_CLOEXEC) != 0) {
        status = mls_error_set_errno(error, MLS_ERROR_READ, errno, ask->program);
        goto out;
    }
    const int failed = start_sacct(ask, jobs, pipes, &child);
    if (failed != 0) {
        child = -1;
        status = mls_error_set_errno(error, MLS_ERROR_READ, failed, ask->program);
        goto out;
    }
    for (int i = 0; i < 2; i++) {
        (void)close(pipes[i][1]);
        pipes[i][1] = -1;
    }
    const bool ended = read_answer(ask, pipes[0][0], pipes[1][0]);
    if (!ended) {
        (void)kill(-child, SIGKILL);
    }
    const bool told = waitpid(child, &how, 0) == child;
    if (ask->answer.failed || ask->complaint.failed) {
        status = mls_error_memory(error);
    } else if (!ended) {
        status = say_why(ask, "no answer in 10 seconds", error);
    } else if (!told || !WIFEXITED(how) || WEXITSTATUS(how) != 0) {
        char words[40];
        const bool exited = told && WIFEXITED(how);
        (void)snprintf(words, sizeof words, exited ? "exit status %d" : "ended by signal %d",
                       exited ? WEXITSTATUS(how) : WTERMSIG(how));
        status = say_why(ask, words, error);
    }
out:
    for (int i = 0; i < 4; i++) {
        if (pipes[i / 2][i % 2] >= 0) {
            (void)close(pipes[i / 2][i % 2]);
        }
    }
    return status;
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
        mls_buffer_clear(&ask.complaint);
        status = list.failed ? mls_error_memory(error) : ask_once(&ask, list.ptr, error);
        if (status == MLS_OK) {
            const mls_sacct_zone zone = {(double)NAN, "local"};
            status = mls_sacct_read(sacct, mls_buffer_str(&ask.answer), "sacct", zone, error);
        }
    }
    mls_buffer_release(&ask.answer);
    mls_buffer_release(&ask.complaint);
    mls_buffer_release(&list);
    free(ask.environment);
    mls_arena_release(&arena);
    return status;
}
