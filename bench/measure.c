/* SPDX-License-Identifier: Apache-2.0 */
/* measure.c - run a command and measure its time and memory.
 *
 * usage: measure FILE COMMAND [ARGUMENT…]
 * Appends a line "wall-seconds user-seconds system-seconds peak-KiB" to FILE and exits with the command's status. */
#include <errno.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static double seconds(struct timeval time)
{
    return (double)time.tv_sec + (double)time.tv_usec / 1e6;
}

int main(int argc, char **argv)
{
    struct timespec begin, end;
    struct rusage use;
    int status;
    pid_t child;
    FILE *out;

    if (argc < 3) {
        fputs("usage: measure FILE COMMAND [ARGUMENT...]\n", stderr);
        return 2;
    }
    clock_gettime(CLOCK_MONOTONIC, &begin);
    child = fork();
    if (child == 0) {
        execvp(argv[2], argv + 2);
        perror(argv[2]);
        _exit(127);
    }
    while (child < 0 || wait4(child, &status, 0, &use) < 0) {
        if (child < 0 || errno != EINTR) {
            perror("measure");
            return 1;
        }
    }
    clock_gettime(CLOCK_MONOTONIC, &end);
    out = fopen(argv[1], "a");
    if (out == NULL) {
        perror(argv[1]);
        return 1;
    }
    fprintf(out, "%.6f %.6f %.6f %ld\n",
            (double)(end.tv_sec - begin.tv_sec) + (double)(end.tv_nsec - begin.tv_nsec) / 1e9, seconds(use.ru_utime),
            seconds(use.ru_stime), use.ru_maxrss);
    if (fclose(out) != 0)
        return 1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
