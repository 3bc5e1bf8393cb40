/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sweep.c - runs a command once for each of its allocations, which then fails.
 *
 *   sweep SHIM DENSE SPARSE COMMAND…
 *
 * Each of the first DENSE allocations fails in a run of its own, and SPARSE of
 * those behind them, evenly spread.  A run ends well when status and output are
 * those of a run without failure, or when the status is 3 and the
 * message says that memory ran out.  Anything else is printed, as the number of
 * the allocation and how the run ended, and makes the status 1: a crash, a wrong
 * answer, or an answer that was lost without a word.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SECONDS_MAX = 30, SHOWN_MAX = 12 };

/* What a run left behind; the files are its alone. */
typedef struct outcome {
    int status;
    char *out;
    char *err;
} outcome;

static _Noreturn void die(const char *what)
{
    perror(what);
    exit(2);
}

static char *file_read(const char *path)
{
    FILE *file = fopen(path, "re");
    char *text = NULL;
    size_t size = 0;

    if (file == NULL)
        die(path);
    if (getdelim(&text, &size, '\0', file) < 0) {
        free(text);
        text = calloc(1, 1);
        if (text == NULL)
            die(path);
    }
    fclose(file);
    return text;
}

static void redirect(const char *path, int to)
{
    int fd = open(path, to == 0 ? O_RDONLY : O_WRONLY | O_CREAT | O_TRUNC, 0666);

    if (fd < 0 || dup2(fd, to) < 0)
        _exit(97);
    close(fd);
}

static outcome run(const char *shim, long failing, char **command)
{
    outcome result = {0};
    char rule[64];
    pid_t child = fork();

    if (child < 0)
        die("fork");
    if (child == 0) {
        snprintf(rule, sizeof rule, "malloc:%ld:ENOMEM", failing);
        redirect("/dev/null", 0);
        redirect("sweep.out", 1);
        redirect("sweep.err", 2);
        setenv("FAULT", rule, 1);
        setenv("FAULT_REPORT", "sweep.count", 1);
        setenv("LD_PRELOAD", shim, 1);
        alarm(SECONDS_MAX);
        execvp(command[0], command);
        _exit(97);
    }
    if (waitpid(child, &result.status, 0) < 0)
        die("waitpid");
    result.out = file_read("sweep.out");
    result.err = file_read("sweep.err");
    return result;
}

static void outcome_free(outcome *result)
{
    free(result->out);
    free(result->err);
}

static bool ends_well(const outcome *result, const outcome *plain)
{
    if (WIFEXITED(result->status) && WEXITSTATUS(result->status) == 3 &&
        (strstr(result->err, "out of memory") != NULL || strstr(result->err, "Cannot allocate memory") != NULL))
        return true;
    return result->status == plain->status && strcmp(result->out, plain->out) == 0 &&
           (*result->err != '\0') == (*plain->err != '\0');
}

static void show(long failing, const outcome *result)
{
    if (WIFSIGNALED(result->status))
        printf("allocation %ld: signal %d\n", failing, WTERMSIG(result->status));
    else
        printf("allocation %ld: status %d, %zu bytes of output, %.200s\n", failing, WEXITSTATUS(result->status),
               strlen(result->out), *result->err != '\0' ? result->err : "no message\n");
}

int main(int argc, char **argv)
{
    outcome plain;
    char *count;
    long dense, sparse, total, step, bad = 0, runs = 0;

    if (argc < 5) {
        fprintf(stderr, "usage: sweep SHIM DENSE SPARSE COMMAND...\n");
        return 2;
    }
    dense = strtol(argv[2], NULL, 10);
    sparse = strtol(argv[3], NULL, 10);
    plain = run(argv[1], 0, argv + 4);
    count = file_read("sweep.count");
    total = strtol(count, NULL, 10);
    step = total > dense && sparse > 0 ? (total - dense + sparse - 1) / sparse : 1;
    for (long n = 1; n <= total && (n <= dense || sparse > 0); n += n < dense ? 1 : step) {
        outcome result = run(argv[1], n, argv + 4);

        runs++;
        if (!ends_well(&result, &plain) && bad++ < SHOWN_MAX)
            show(n, &result);
        outcome_free(&result);
    }
    printf("%ld of %ld allocations failed one by one, %ld badly\n", runs, total, bad);
    outcome_free(&plain);
    free(count);
    unlink("sweep.out");
    unlink("sweep.err");
    unlink("sweep.count");
    return bad > 0 || total == 0;
}
