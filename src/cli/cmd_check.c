/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_check.c - mlscore check: is each log compliant?
 *
 * Files are judged a batch at a time, on several threads, and printed in
 * their order; no more than a batch of verdicts is held at once.  With --split
 * a file may hold any number of runs, so files are read one by one then and
 * each verdict is printed when its run has ended.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/parallel.h"
#include "base/utf8.h"
#include "cli/command_options.h"
#include "cli/commands.h"
#include "mlscore/rules.h"
#include "report/check_report.h"
#include "slurm/run_judge.h"
#include "slurm/walk.h"

enum { OPTION_SPLIT = MLS_OPTION_OWN };

/* Files in a batch, and so verdicts held at once. */
enum { MLS_CHECK_BATCH = 32 };

typedef struct mls_check_settings {
    bool split;
} mls_check_settings;

static const mls_option options[] = {
    MLS_ROW_USAGE,
    MLS_ROW_EDITION,
    MLS_ROW_RULES,
    {OPTION_SPLIT, '\0', "split", NULL, "cut files into runs as score does; each run is a log of its own"},
    MLS_ROW_FORMAT("table|csv|json|ndjson|markdown|github|junit"),
    MLS_ROW_OUTPUT,
    MLS_ROW_FILES_FROM,
    MLS_ROW_NULL,
    MLS_ROW_THREADS,
    MLS_ROW_COLOR,
    MLS_ROW_QUIET,
    MLS_ROW_VERBOSE,
    MLS_ROW_STRICT,
    MLS_ROW_HELP,
    MLS_ROW_VERSION,
    MLS_ROW_END,
};

/* What became of one file.  Owns its checker until it has been printed. */
typedef struct mls_check_result {
    mls_checker *checker;
    int system_errno; /* of opening it */
    mls_error error;
    mls_status status;
    const char *skipped; /* no log: why */
} mls_check_result;

typedef struct mls_check_work {
    const mls_cli *cli;
    const mls_source_list *sources;
    const size_t *wanted; /* indexes of the sources to read */
    size_t wanted_count;
    size_t first; /* of this batch, in wanted */
    mls_check_result *results;
    mls_checker_options judge;
    mls_scan_options scan;
    pthread_mutex_t lock; /* over `spare` */
    mls_checker *spare[MLS_CHECK_BATCH];
    size_t spare_count;
} mls_check_work;

static bool mls_check_option(mls_cli *cli, int id, const char *argument)
{
    mls_check_settings *settings = cli->own;
    (void)id;
    (void)argument;
    settings->split = true;
    return true;
}

/* A checker that is ready for the next log: a used one when there is one. */
static mls_checker *mls_check_take(mls_check_work *work)
{
    mls_checker *checker = NULL;
    (void)pthread_mutex_lock(&work->lock);
    if (work->spare_count > 0) {
        checker = work->spare[--work->spare_count];
    }
    (void)pthread_mutex_unlock(&work->lock);
    if (checker != NULL) {
        mls_checker_reset(checker, NULL);
    } else if (mls_checker_new(&work->judge, &checker) != MLS_OK) {
        checker = NULL;
    }
    return checker;
}

/* Feeds a source to a sink, unless it is no log. */
static void mls_check_scan(const mls_check_work *work, const mls_source *source, const mls_sink *sink,
                           mls_check_result *result)
{
    char head[16];
    const int fd = mls_source_open(source);
    if (fd < 0) {
        result->system_errno = errno;
        result->status = MLS_ERROR_READ;
        return;
    }
    const ssize_t peeked = source->named ? 0 : pread(fd, head, sizeof head, 0);
    result->skipped = peeked > 0 ? mls_source_magic((mls_str){head, (size_t)peeked}) : NULL;
    if (result->skipped == NULL) {
        result->status = mls_log_scan_fd(fd, &work->scan, sink, 1, NULL, &result->error);
    }
    if (fd != STDIN_FILENO) {
        (void)close(fd);
    }
}

static void mls_check_file(void *state, size_t index)
{
    mls_check_work *work = state;
    mls_check_result *result = &work->results[index];
    *result = (mls_check_result){.checker = mls_check_take(work)};
    if (result->checker == NULL) {
        result->status = MLS_ERROR_MEMORY;
        return;
    }
    const mls_sink sink = mls_checker_sink(result->checker);
    mls_check_scan(work, &work->sources->items[work->wanted[work->first + index]], &sink, result);
}

static bool mls_check_is_valid(const mls_cli *cli, const mls_verdict *verdict)
{
    return verdict->valid && mls_findings_pass(&verdict->findings->counts, cli->strict);
}

/* Prints one verdict; an exit status. */
static int mls_check_print(const mls_cli *cli, mls_check_report *report, const char *path, size_t line,
                           const mls_verdict *verdict)
{
    const mls_check_log log = {path, line, *verdict, mls_check_is_valid(cli, verdict)};
    mls_check_report_log(report, &log);
    return log.valid ? MLS_EXIT_OK : MLS_EXIT_INVALID;
}

/* Says why a source could not be judged; an exit status. */
static int mls_check_complain(const mls_check_work *work, const mls_source *source, const mls_check_result *result)
{
    if (result->system_errno != 0) {
        mls_cli_complain(work->cli, source->path, "%s", strerror(result->system_errno));
        return MLS_EXIT_IO;
    }
    if (result->status != MLS_OK) {
        mls_cli_complain(work->cli, source->path, "%s",
                         result->error.message[0] != '\0' ? result->error.message : "out of memory");
        return MLS_EXIT_IO;
    }
    return MLS_EXIT_OK;
}

static int mls_check_finish(const mls_check_work *work, mls_check_report *report, size_t index)
{
    const mls_check_result *result = &work->results[index];
    const mls_source *source = &work->sources->items[work->wanted[work->first + index]];
    const int status = mls_check_complain(work, source, result);
    if (status != MLS_EXIT_OK || result->skipped != NULL) {
        return status;
    }
    const mls_verdict verdict = mls_checker_verdict(result->checker);
    return mls_check_print(work->cli, report, source->path, 1, &verdict);
}

/* Whose runs are being printed. */
typedef struct mls_check_splitting {
    const mls_cli *cli;
    mls_check_report *report;
    const char *path;
    int status;
} mls_check_splitting;

static mls_status mls_check_judged(void *state, size_t line, const mls_verdict *verdict)
{
    mls_check_splitting *splitting = state;
    const int status = mls_check_print(splitting->cli, splitting->report, splitting->path, line, verdict);
    splitting->status = mls_exit_worse(splitting->status, status);
    return MLS_OK;
}

/* Every file, run by run. */
static int mls_check_split(mls_check_work *work, mls_check_report *report)
{
    mls_check_splitting splitting = {.cli = work->cli, .report = report, .status = MLS_EXIT_OK};
    mls_checker *checker = mls_check_take(work);
    if (checker == NULL) {
        mls_cli_complain(work->cli, NULL, "out of memory");
        return MLS_EXIT_IO;
    }
    for (size_t i = 0; i < work->wanted_count && !mls_output_is_closed(report->output); i++) {
        const mls_source *source = &work->sources->items[work->wanted[i]];
        mls_check_result result = {0};
        mls_run_judge judge = {.checker = checker, .judged = mls_check_judged, .state = &splitting};
        const mls_sink sink = mls_run_judge_sink(&judge);
        splitting.path = source->path;
        mls_check_scan(work, source, &sink, &result);
        splitting.status = mls_exit_worse(splitting.status, mls_check_complain(work, source, &result));
        mls_run_judge_release(&judge);
        mls_checker_reset(checker, NULL);
    }
    mls_checker_free(checker);
    return splitting.status;
}

static int mls_check_batches(mls_check_work *work, mls_check_report *report, unsigned threads)
{
    int status = MLS_EXIT_OK;
    for (work->first = 0; work->first < work->wanted_count && !mls_output_is_closed(report->output);) {
        const size_t left = work->wanted_count - work->first;
        const size_t count = left < MLS_CHECK_BATCH ? left : MLS_CHECK_BATCH;
        mls_parallel_for(threads, count, mls_check_file, work);
        for (size_t i = 0; i < count; i++) {
            status = mls_exit_worse(status, mls_check_finish(work, report, i));
            if (work->results[i].checker != NULL) {
                work->spare[work->spare_count++] = work->results[i].checker;
            }
        }
        work->first += count;
    }
    for (size_t i = 0; i < work->spare_count; i++) {
        mls_checker_free(work->spare[i]);
    }
    return status;
}

/* The sources worth reading, and the width of the longest path; what cannot be read is complained about. */
static int mls_check_select(const mls_cli *cli, const mls_source_list *sources, size_t *wanted, size_t *count,
                            size_t *width)
{
    int status = MLS_EXIT_OK;
    for (size_t i = 0; i < sources->count; i++) {
        const mls_source *source = &sources->items[i];
        if (source->failed) {
            mls_cli_complain(cli, source->path, "%s", source->skip);
            status = MLS_EXIT_IO;
        } else if (source->skip == NULL) {
            const size_t length = mls_display_width(mls_str_from(source->path));
            *width = length > *width ? length : *width;
            wanted[(*count)++] = i;
        }
    }
    return status;
}

static int mls_check_all(mls_cli *cli, const mls_source_list *sources, const mls_checker_options *judge)
{
    const mls_check_settings *settings = cli->own;
    const unsigned threads = cli->threads > 0 ? cli->threads : mls_processor_count();
    mls_output output;
    size_t *wanted = calloc(sources->count + 1, sizeof *wanted);
    mls_check_work *work = calloc(1, sizeof *work);
    mls_check_result *results = calloc(MLS_CHECK_BATCH, sizeof *results);
    int status = MLS_EXIT_IO;
    if (wanted == NULL || work == NULL || results == NULL) {
        mls_cli_complain(cli, NULL, "out of memory");
    } else if (mls_cli_output_open(cli, &output)) {
        mls_check_report report = {.output = &output,
                                   .format = (mls_check_format)cli->format,
                                   .split = settings->split,
                                   .width = cli->width,
                                   .color = cli->color,
                                   .quiet = cli->quiet,
                                   .verbose = cli->verbose};
        *work = (mls_check_work){.cli = cli, .sources = sources, .wanted = wanted, .results = results, .judge = *judge};
        (void)pthread_mutex_init(&work->lock, NULL);
        status = mls_check_select(cli, sources, wanted, &work->wanted_count, &report.path_width);
        work->scan.threads = work->wanted_count == 1 || settings->split ? threads : 1;
        mls_check_report_start(&report);
        status = mls_exit_worse(status, settings->split ? mls_check_split(work, &report)
                                                        : mls_check_batches(work, &report, threads));
        (void)pthread_mutex_destroy(&work->lock);
        if (mls_check_report_end(&report)) {
            status = mls_exit_worse(status, mls_cli_output_close(cli, &output));
        } else {
            mls_output_abandon(&output);
            mls_cli_complain(cli, NULL, "out of memory");
            status = MLS_EXIT_IO;
        }
    }
    free(results);
    free(work);
    free(wanted);
    return status;
}

static int mls_check_run(mls_cli *cli)
{
    mls_source_list sources = {0};
    mls_checker_options judge;
    mls_error error = {0};
    if (cli->operand_count == 0) {
        return mls_cli_usage_error(cli, "no path given");
    }
    int status = mls_cli_judge(cli, &judge, NULL);
    if (status != MLS_EXIT_OK) {
        return status;
    }
    if (mls_walk((const char *const *)cli->operands, cli->operand_count, &sources, &error) != MLS_OK) {
        mls_cli_complain(cli, NULL, "%s", error.message);
        status = MLS_EXIT_IO;
    } else {
        status = mls_check_all(cli, &sources, &judge);
    }
    mls_source_list_release(&sources);
    return status;
}

const mls_command mls_command_check = {
    .name = "check",
    .summary = "say whether logs obey the rules of their edition, and what does not",
    .usage = "[OPTION]… PATH…",
    .about = "Judges every log under each PATH by the rules of its edition: the same verdict as the\n"
             "reference compliance checker, with each finding's file and line, what the rule wants\n"
             "and what was found.  A file is judged as one log, unless --split cuts it into runs.",
    .options = options,
    .own_size = sizeof(mls_check_settings),
    .path_arguments = true,
    .option = mls_check_option,
    .run = mls_check_run,
};
