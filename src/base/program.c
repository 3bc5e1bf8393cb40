/* SPDX-License-Identifier: Apache-2.0 */
/* program.c - run another program without a shell, without input and with a timeout. */
#include "base/program.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ERROR_BYTES_MAX = 4096, WAIT_STEP_MS = 5 };

/* Start the program in its own process group, with its output and errors going to two pipes.  Return 0 or an errno. */
static int start_program(const mls_program *asked, int pipes[2][2], pid_t *child)
{
    char *const *arguments = (char *const *)(uintptr_t)asked->arguments;
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    int failed = posix_spawn_file_actions_init(&actions);
    if (failed != 0)
        return failed;
    failed = posix_spawnattr_init(&attributes);
    if (failed == 0) {
        (void)posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
        (void)posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
        (void)posix_spawn_file_actions_adddup2(&actions, pipes[0][1], STDOUT_FILENO);
        (void)posix_spawn_file_actions_adddup2(&actions, pipes[1][1], STDERR_FILENO);
        failed = posix_spawnp(child, arguments[0], &actions, &attributes, arguments,
                              asked->environment != NULL ? asked->environment : environ);
        (void)posix_spawnattr_destroy(&attributes);
    }
    (void)posix_spawn_file_actions_destroy(&actions);
    return failed;
}

/* Return the errno of a program that exited with 127 without output, which means that it was not started.  POSIX allows
 * the child of posix_spawn() to report that by this status after the call has returned, as happens in qemu-user. */
static int why_not_started(const char *name)
{
    return strchr(name, '/') != NULL && access(name, X_OK) != 0 ? errno : ENOENT;
}

/* Read what is in a pipe.  Return false at its end. */
static bool drain(int fd, mls_buffer *into, size_t most)
{
    char bytes[65536];
    const ssize_t got = read(fd, bytes, sizeof bytes);
    const size_t room = into->len < most ? most - into->len : 0;
    if (got > 0)
        mls_buffer_append(into, (mls_str){bytes, (size_t)got < room ? (size_t)got : room});
    return got > 0 || (got < 0 && errno == EINTR);
}

/* Read both pipes until they end.  Return false if the deadline has passed or poll() failed. */
static bool read_program(const mls_program *asked, double deadline_ms, mls_buffer *answer, mls_buffer *complaint,
                         int out, int complaints)
{
    struct pollfd ends[2] = {{.fd = out, .events = POLLIN}, {.fd = complaints, .events = POLLIN}};
    while (ends[0].fd >= 0 || ends[1].fd >= 0) {
        const double left = deadline_ms - mls_clock_ms();
        if (left <= 0)
            return false;
        if (poll(ends, 2, (int)left + 1) < 0 && errno != EINTR)
            return false;
        for (int i = 0; i < 2; i++) {
            const bool ready = ends[i].fd >= 0 && ends[i].revents != 0;
            if (ready && !drain(ends[i].fd, i == 0 ? answer : complaint, i == 0 ? asked->answer_max : ERROR_BYTES_MAX))
                ends[i].fd = -1;
            ends[i].revents = 0;
        }
    }
    return true;
}

/* Wait for a program that has closed its output but may still be running.  After the deadline, kill it and return
 * false. *told is set to whether *how contains its status. */
static bool wait_program(pid_t child, double deadline_ms, int *how, bool *told)
{
    pid_t ended;
    double left;
    while ((ended = waitpid(child, how, WNOHANG)) == 0 && (left = deadline_ms - mls_clock_ms()) > 0)
        (void)poll(NULL, 0, left < WAIT_STEP_MS ? (int)left + 1 : WAIT_STEP_MS);
    const bool in_time = ended != 0;
    if (!in_time) {
        (void)kill(-child, SIGKILL);
        ended = waitpid(child, how, 0);
    }
    *told = ended == child;
    return in_time;
}

/* Set an error such as "sacct: exit status 1: its first line". */
static mls_status say_why(const mls_program *asked, const mls_buffer *complaint, const char *what, mls_error *error)
{
    mls_str rest = mls_buffer_str(complaint);
    mls_str line;
    (void)mls_str_cut(&rest, '\n', &line);
    return mls_error_set(error, MLS_ERROR_READ, 0, 0, "%s: %s%s%.*s", asked->arguments[0], what,
                         line.len > 0 ? ": " : "", (int)(line.len < 200 ? line.len : 200),
                         line.len > 0 ? line.ptr : "");
}

mls_status mls_program_ask(const mls_program *asked, mls_buffer *answer, mls_error *error)
{
    int pipes[2][2] = {{-1, -1}, {-1, -1}};
    const size_t before = answer->len;
    const double deadline_ms = mls_clock_ms() + asked->timeout_ms;
    mls_buffer complaint = {0};
    pid_t child = -1;
    int how = 0;
    mls_status status = MLS_OK;
    if (pipe2(pipes[0], O_CLOEXEC) != 0 || pipe2(pipes[1], O_CLOEXEC) != 0) {
        status = mls_error_set_errno(error, MLS_ERROR_READ, errno, asked->arguments[0]);
        goto out;
    }
    const int failed = start_program(asked, pipes, &child);
    if (failed != 0) {
        child = -1;
        status = mls_error_set_errno(error, MLS_ERROR_READ, failed, asked->arguments[0]);
        goto out;
    }
    for (int i = 0; i < 2; i++) {
        (void)close(pipes[i][1]);
        pipes[i][1] = -1;
    }
    bool told;
    const bool closed = read_program(asked, deadline_ms, answer, &complaint, pipes[0][0], pipes[1][0]);
    const bool ended = wait_program(child, closed ? deadline_ms : 0, &how, &told) && closed;
    if (!ended) {
        status = say_why(asked, &complaint, "no answer in time", error);
    } else if (told && WIFEXITED(how) && WEXITSTATUS(how) == 127 && answer->len == before && complaint.len == 0) {
        status = mls_error_set_errno(error, MLS_ERROR_READ, why_not_started(asked->arguments[0]), asked->arguments[0]);
    } else if (!told || !WIFEXITED(how) || WEXITSTATUS(how) != 0) {
        char words[40];
        const bool exited = told && WIFEXITED(how);
        (void)snprintf(words, sizeof words, exited ? "exit status %d" : "ended by signal %d",
                       exited ? WEXITSTATUS(how) : WTERMSIG(how));
        status = say_why(asked, &complaint, words, error);
    }
out:
    for (int i = 0; i < 4; i++)
        if (pipes[i / 2][i % 2] >= 0)
            (void)close(pipes[i / 2][i % 2]);
    mls_buffer_release(&complaint);
    return status;
}
