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

#include "base/utf8.h"

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

/* Read both pipes until they end.  Return 0, ETIME if the deadline has passed, or the errno of poll(). */
static int read_program(const mls_program *asked, double deadline_ms, mls_buffer *answer, mls_buffer *errors,
                        int pipes[2][2])
{
    struct pollfd ends[2] = {{.fd = pipes[0][0], .events = POLLIN}, {.fd = pipes[1][0], .events = POLLIN}};
    mls_buffer *const texts[2] = {answer, errors};
    const size_t limits[2] = {asked->answer_max, ERROR_BYTES_MAX};
    while (ends[0].fd >= 0 || ends[1].fd >= 0) {
        const double left = deadline_ms - mls_clock_ms();
        if (left <= 0)
            return ETIME;
        if (poll(ends, 2, (int)left + 1) < 0 && errno != EINTR)
            return errno;
        for (int i = 0; i < 2; i++) {
            char bytes[65536];
            if (ends[i].fd < 0 || ends[i].revents == 0)
                continue;
            const ssize_t got = read(ends[i].fd, bytes, sizeof bytes);
            const size_t room = texts[i]->len < limits[i] ? limits[i] - texts[i]->len : 0;
            if (got > 0)
                mls_buffer_append(texts[i], (mls_str){bytes, (size_t)got < room ? (size_t)got : room});
            else if (got == 0 || errno != EINTR)
                ends[i].fd = -1;
            ends[i].revents = 0;
        }
    }
    return 0;
}

mls_status mls_program_ask(const mls_program *asked, mls_buffer *answer, mls_error *error)
{
    const char *name = asked->arguments[0];
    int pipes[2][2] = {{-1, -1}, {-1, -1}};
    const size_t before = answer->len;
    const double deadline_ms = mls_clock_ms() + asked->timeout_ms;
    mls_buffer errors = {0};
    pid_t child = -1;
    char what[60] = "";
    mls_status status = MLS_OK;
    int system_errno = 0;
    if (pipe2(pipes[0], O_CLOEXEC) != 0 || pipe2(pipes[1], O_CLOEXEC) != 0)
        system_errno = errno;
    else
        system_errno = start_program(asked, pipes, &child);
    if (system_errno == 0) {
        for (int i = 0; i < 2; i++) {
            (void)close(pipes[i][1]);
            pipes[i][1] = -1;
        }
        system_errno = read_program(asked, deadline_ms, answer, &errors, pipes);
        /* The program may have closed its output but still be running: wait until the deadline, then kill it. */
        int how = 0;
        pid_t ended;
        double left = system_errno == 0 ? deadline_ms - mls_clock_ms() : 0;
        for (; (ended = waitpid(child, &how, WNOHANG)) == 0 && left > 0; left = deadline_ms - mls_clock_ms())
            (void)poll(NULL, 0, left < WAIT_STEP_MS ? (int)left + 1 : WAIT_STEP_MS);
        if (ended == 0) {
            system_errno = system_errno == 0 ? ETIME : system_errno;
            (void)kill(-child, SIGKILL);
            ended = waitpid(child, &how, 0);
        }
        const bool exited = ended == child && WIFEXITED(how);
        if (system_errno == ETIME) {
            (void)snprintf(what, sizeof what, "no answer within the timeout");
        } else if (exited && WEXITSTATUS(how) == 127 && answer->len == before && errors.len == 0) {
            /* The program was not started: POSIX allows the child of posix_spawn() to report that by this status after
             * the call has returned, as happens in qemu-user. */
            system_errno = strchr(name, '/') != NULL && access(name, X_OK) != 0 ? errno : ENOENT;
        } else if (system_errno == 0 && (!exited || WEXITSTATUS(how) != 0)) {
            (void)snprintf(what, sizeof what, exited ? "exit status %d" : "ended by signal %d",
                           exited ? WEXITSTATUS(how) : WTERMSIG(how));
        }
    }
    if (what[0] != '\0') { /* "sacct: exit status 1: <first line of its standard error>" */
        mls_str rest = mls_buffer_str(&errors);
        mls_str line;
        (void)mls_str_cut(&rest, '\n', &line);
        status = mls_error_set(error, MLS_ERROR_READ, 0, 0, "%s: %s%s%.*s", name, what, line.len > 0 ? ": " : "",
                               MLS_CUT(line, 200));
    } else if (system_errno != 0) {
        status = mls_error_set_errno(error, MLS_ERROR_READ, system_errno, name);
    }
    for (int i = 0; i < 4; i++)
        if (pipes[i / 2][i % 2] >= 0)
            (void)close(pipes[i / 2][i % 2]);
    mls_buffer_release(&errors);
    return status;
}
