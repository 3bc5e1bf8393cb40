/* SPDX-License-Identifier: Apache-2.0 */
/* sweep.c - runs a command once for each of its allocations, which then fails.
 *
 *   sweep SHIM FIRST SPARSE LAST COMMAND…
 *
 * Each of the first FIRST and of the last LAST allocations fails in a run of its
 * own, and SPARSE of those between them, evenly spread; as many runs as there are
 * processors go on side by side, with files of their own.  A run ends well when
 * status and output are those of a run without failure, or when the status is 3
 * and the message says that memory ran out.  Anything else is printed, as the number of
 * the allocation and how the run ended, and makes the status 1: a crash, a wrong
 * answer, or an answer that was lost without a word. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SECONDS_MAX = 30, SHOWN_MAX = 12, SIDE_BY_SIDE_MAX = 16, NAME_SIZE = 32 };

/* A run, and what it left behind; the files of a slot are its alone. */
typedef struct run {
    pid_t child; /* 0: none */
    long failing;
    int status;
    char *out;
    char *err;
    char out_name[NAME_SIZE];
    char err_name[NAME_SIZE];
} run;

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

/* Starts the command with an allocation that fails; 0: none does, and they are counted in sweep.count. */
static void run_start(run *to, const char *shim, long failing, char **command)
{
    char rule[64];

    to->failing = failing;
    to->child = fork();
    if (to->child < 0)
        die("fork");
    if (to->child == 0) {
        snprintf(rule, sizeof rule, "malloc:%ld:ENOMEM", failing);
        redirect("/dev/null", 0);
        redirect(to->out_name, 1);
        redirect(to->err_name, 2);
        setenv("FAULT", rule, 1);
        if (failing == 0)
            setenv("FAULT_REPORT", "sweep.count", 1);
        setenv("LD_PRELOAD", shim, 1);
        alarm(SECONDS_MAX);
        execvp(command[0], command);
        _exit(97);
    }
}

/* Waits for the run that ends first, and reads what it left behind. */
static run *run_wait(run *slots, size_t count)
{
    int status;
    pid_t child = wait(&status);

    for (size_t i = 0; i < count; i++)
        if (slots[i].child == child && child > 0) {
            slots[i].child = 0;
            slots[i].status = status;
            slots[i].out = file_read(slots[i].out_name);
            slots[i].err = file_read(slots[i].err_name);
            return &slots[i];
        }
    die("wait");
}

static bool ends_well(const run *result, const run *plain)
{
    if (WIFEXITED(result->status) && WEXITSTATUS(result->status) == 3 &&
        (strstr(result->err, "out of memory") != NULL || strstr(result->err, "Cannot allocate memory") != NULL))
        return true;
    return result->status == plain->status && strcmp(result->out, plain->out) == 0 &&
           (*result->err != '\0') == (*plain->err != '\0');
}

static void show(const run *result)
{
    if (WIFSIGNALED(result->status))
        printf("allocation %ld: signal %d\n", result->failing, WTERMSIG(result->status));
    else
        printf("allocation %ld: status %d, %zu bytes of output, %.200s\n", result->failing, WEXITSTATUS(result->status),
               strlen(result->out), *result->err != '\0' ? result->err : "no message\n");
}

/* Whether a run that has ended did so well. */
static bool run_judge(run *result, const run *plain, bool shown)
{
    bool well = ends_well(result, plain);

    if (!well && shown)
        show(result);
    free(result->out);
    free(result->err);
    return well;
}

/* The allocation that fails behind number n: steps are made between `first` and `end`, and none over `end`. */
static long next_failing(long n, long first, long step, long end)
{
    return n < first || n >= end ? n + 1 : n + step < end ? n + step : end + 1;
}

int main(int argc, char **argv)
{
    run slots[SIDE_BY_SIDE_MAX] = {{0}}, plain;
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    size_t width = processors < 1 ? 1 : processors > SIDE_BY_SIDE_MAX ? SIDE_BY_SIDE_MAX : (size_t)processors;
    char *count;
    size_t runs = 0;
    long first, sparse, last, total, step, bad = 0;

    if (argc < 6) {
        fprintf(stderr, "usage: sweep SHIM FIRST SPARSE LAST COMMAND...\n");
        return 2;
    }
    for (size_t i = 0; i < width; i++) {
        snprintf(slots[i].out_name, NAME_SIZE, "sweep.%zu.out", i);
        snprintf(slots[i].err_name, NAME_SIZE, "sweep.%zu.err", i);
    }
    first = strtol(argv[2], NULL, 10);
    sparse = strtol(argv[3], NULL, 10);
    last = strtol(argv[4], NULL, 10);
    run_start(slots, argv[1], 0, argv + 5);
    plain = *run_wait(slots, width);
    count = file_read("sweep.count");
    total = strtol(count, NULL, 10);
    step = sparse > 0 && total > first + last ? (total - first - last + sparse - 1) / sparse : total;
    for (long n = 1; n <= total; n = next_failing(n, first, step, total - last)) {
        run *slot = runs < width ? &slots[runs] : run_wait(slots, width);

        if (runs >= width)
            bad += !run_judge(slot, &plain, bad < SHOWN_MAX);
        run_start(slot, argv[1], n, argv + 5);
        runs++;
    }
    for (size_t left = runs < width ? runs : width; left > 0; left--)
        bad += !run_judge(run_wait(slots, width), &plain, bad < SHOWN_MAX);
    printf("%zu of %ld allocations failed one by one, %ld badly\n", runs, total, bad);
    free(plain.out);
    free(plain.err);
    free(count);
    for (size_t i = 0; i < width; i++) {
        unlink(slots[i].out_name);
        unlink(slots[i].err_name);
    }
    unlink("sweep.count");
    return bad > 0 || total == 0;
}
