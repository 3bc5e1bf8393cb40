/* SPDX-License-Identifier: Apache-2.0 */
/* sweep.c - runs a command once for each of its allocations, which then fails.
 *
 *   sweep SHIM FIRST SPARSE LAST COMMAND…
 *
 * Each of the first FIRST and of the last LAST allocations fails in a run of its
 * own, and SPARSE of those between them, evenly spread.  A run is a fork that
 * shim.c makes where the allocation is, so that what is before it is done once;
 * from where the program starts threads on it is a program from its beginning.
 * As many runs as there are processors go on side by side, with files of their
 * own.  A run ends well when status and output are those of a run without
 * failure, or when the status is 3 and the message says that memory ran out.
 * Anything else is printed, as the number of the allocation and how the run
 * ended, and makes the status 1: a crash, a wrong answer, or an answer that was
 * lost without a word. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fork_end.h"

enum { SHOWN_MAX = 12 };

/* A run, and what it left behind. */
typedef struct run {
    pid_t child; /* 0: none, or a fork of one */
    long failing;
    int status;
    char *out;
    char *err;
} run;

/* Which allocations are to fail: up to `first`, each step-th behind them, all behind `end`. */
typedef struct plan {
    long first, step, end, total;
    char **command;
    char *shim;
    int width; /* side by side */
} plan;

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

/* Starts the command with a variable set that shim.c reads, and the files of number `failing`. */
static void run_start(run *to, const plan *all, long failing, const char *variable, const char *value)
{
    char name[FORK_NAME_SIZE];

    to->failing = failing;
    to->child = fork();
    if (to->child < 0)
        die("fork");
    if (to->child == 0) {
        redirect("/dev/null", 0);
        snprintf(name, sizeof name, FORK_NAME, fork_folder(), failing, "out");
        redirect(name, 1);
        snprintf(name, sizeof name, FORK_NAME, fork_folder(), failing, "err");
        redirect(name, 2);
        setenv(variable, value, 1);
        if (failing > 0)
            unsetenv("FAULT_REPORT");
        setenv("LD_PRELOAD", all->shim, 1);
        setenv("LD_BIND_NOW", "1", 1); /* once, and not in each fork */
        alarm(failing > 0 ? FORK_SECONDS_MAX : 20 * FORK_SECONDS_MAX);
        execvp(all->command[0], all->command);
        _exit(97);
    }
}

/* The command with an allocation that fails; 0: none does, and they are counted in sweep.count. */
static void run_start_failing(run *to, const plan *all, long failing)
{
    char rule[64];

    snprintf(rule, sizeof rule, "malloc:%ld:ENOMEM", failing);
    run_start(to, all, failing, "FAULT", rule);
}

/* Reads what a run of that number left behind, and takes the files away. */
static void run_read(run *to)
{
    char name[FORK_NAME_SIZE];

    snprintf(name, sizeof name, FORK_NAME, fork_folder(), to->failing, "out");
    to->out = file_read(name);
    unlink(name);
    snprintf(name, sizeof name, FORK_NAME, fork_folder(), to->failing, "err");
    to->err = file_read(name);
    unlink(name);
}

/* Waits for the run that ends first; its slot is free then. */
static run run_wait(run *slots, int count)
{
    int status;
    pid_t child = wait(&status);

    for (int i = 0; i < count; i++)
        if (slots[i].child == child && child > 0) {
            run ended = slots[i];
            slots[i].child = 0;
            ended.status = status;
            run_read(&ended);
            return ended;
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

/* Whether a run that has ended did so badly. */
static bool run_judge(run *result, const run *plain, bool shown)
{
    bool well = ends_well(result, plain);

    if (!well && shown)
        show(result);
    free(result->out);
    free(result->err);
    return !well;
}

/* The allocation that fails behind number n: steps are made between `first` and `end`, and none over `end`. */
static long next_failing(const plan *all, long n)
{
    return n < all->first || n >= all->end ? n + 1 : n + all->step < all->end ? n + all->step : all->end + 1;
}

/* The program with its forks.  Returns how many ended badly; `made`: how many there were, `from`: the allocation
 * from which on there are none. */
static long sweep_by_forks(const plan *all, const run *plain, long *made, long *from)
{
    enum { REPORT_FD = 200 };
    char value[128];
    int ends[2];
    run program;
    fork_end end;
    long bad = 0;

    *from = all->total;
    if (pipe(ends) < 0 || dup2(ends[1], REPORT_FD) < 0)
        die("pipe");
    close(ends[1]);
    snprintf(value, sizeof value, "%ld %ld %ld %d %d", all->first, all->step, all->end, REPORT_FD, all->width);
    run_start(&program, all, 0, "FAULT_FORKS", value);
    close(REPORT_FD);
    while (read(ends[0], &end, sizeof end) == (ssize_t)sizeof end) {
        if (end.threads) {
            *from = end.number;
            continue;
        }
        run one = {.failing = end.number, .status = end.status};
        run_read(&one);
        bad += run_judge(&one, plain, bad < SHOWN_MAX);
        ++*made;
    }
    close(ends[0]);
    program = run_wait(&program, 1);
    bad += run_judge(&program, plain, true);
    return bad;
}

/* Programs from their beginning, for the allocations behind `from`. */
static long sweep_by_programs(const plan *all, const run *plain, long *made, long from)
{
    run slots[FORKS_SIDE_BY_SIDE_MAX] = {{0}}, ended;
    long bad = 0;
    int live = 0;

    for (long n = 1; n <= all->total; n = next_failing(all, n)) {
        int slot = 0;
        if (n <= from)
            continue;
        if (live == all->width) {
            ended = run_wait(slots, all->width);
            bad += run_judge(&ended, plain, bad < SHOWN_MAX);
            live--;
        }
        while (slots[slot].child != 0)
            slot++;
        run_start_failing(&slots[slot], all, n);
        live++;
        ++*made;
    }
    for (; live > 0; live--) {
        ended = run_wait(slots, all->width);
        bad += run_judge(&ended, plain, bad < SHOWN_MAX);
    }
    return bad;
}

int main(int argc, char **argv)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    char folder[] = "/tmp/mlscore-sweep.XXXXXX"; /* not where a command may look for its files */
    char count_name[FORK_NAME_SIZE];
    plan all = {0};
    run plain = {0};
    char *count;
    long sparse, last, from, planned = 0, made = 0, bad;

    if (argc < 6) {
        fprintf(stderr, "usage: sweep SHIM FIRST SPARSE LAST COMMAND...\n");
        return 2;
    }
    if (mkdtemp(folder) == NULL || setenv("FAULT_FOLDER", folder, 1) != 0)
        die(folder);
    snprintf(count_name, sizeof count_name, "%s/count", folder);
    setenv("FAULT_REPORT", count_name, 1);
    all.width = processors < 1 ? 1 : processors > FORKS_SIDE_BY_SIDE_MAX ? FORKS_SIDE_BY_SIDE_MAX : (int)processors;
    all.shim = argv[1];
    all.command = argv + 5;
    all.first = strtol(argv[2], NULL, 10);
    all.first = all.first > 0 ? all.first : 1;
    sparse = strtol(argv[3], NULL, 10);
    last = strtol(argv[4], NULL, 10);
    run_start_failing(&plain, &all, 0);
    plain = run_wait(&plain, 1);
    count = file_read(count_name);
    all.total = strtol(count, NULL, 10);
    all.end = all.total - last;
    all.step = sparse > 0 && all.end > all.first ? (all.end - all.first + sparse - 1) / sparse : all.total;
    for (long n = 1; n <= all.total; n = next_failing(&all, n))
        planned++;
    bad = all.total > 0 ? sweep_by_forks(&all, &plain, &made, &from) : 0;
    bad += all.total > 0 ? sweep_by_programs(&all, &plain, &made, from) : 0;
    printf("%ld of %ld allocations failed one by one, %ld badly\n", made, all.total, bad);
    if (made != planned)
        printf("%ld were to fail\n", planned);
    free(plain.out);
    free(plain.err);
    free(count);
    unlink(count_name);
    rmdir(folder);
    return bad > 0 || made != planned || all.total == 0;
}
