/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_check.c - mlscore check: is each log compliant?
 *
 * Files are judged a batch at a time, on several threads, and printed in
 * their order; no more than a batch of verdicts is held at once.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/escape.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "cli/command_options.h"
#include "cli/commands.h"
#include "mlscore/rules.h"
#include "report/check_report.h"
#include "slurm/walk.h"

enum { OPTION_RULES = MLS_OPTION_OWN };

/* Files in a batch, and so verdicts held at once. */
enum { MLS_CHECK_BATCH = 32 };

typedef struct mls_check_settings {
    const char *rules_path;
} mls_check_settings;

static const mls_option options[] = {
    MLS_ROW_USAGE,
    MLS_ROW_EDITION,
    {OPTION_RULES, '\0', "rules", "FILE", "judge by the rules in FILE (see mlscore-rules(5))"},
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
    settings->rules_path = argument;
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

static void mls_check_file(void *state, size_t index)
{
    mls_check_work *work = state;
    mls_check_result *result = &work->results[index];
    const mls_source *source = &work->sources->items[work->wanted[work->first + index]];
    *result = (mls_check_result){.checker = mls_check_take(work)};
    if (result->checker == NULL) {
        result->status = mls_error_set(&result->error, MLS_ERROR_MEMORY, 0, 0, "out of memory");
        return;
    }
    char head[16];
    const int fd = mls_source_open(source);
    if (fd < 0) {
        result->system_errno = errno;
        result->status = MLS_ERROR_READ;
        return;
    }
    const ssize_t peeked = pread(fd, head, sizeof head, 0);
    result->skipped = peeked > 0 && !source->named ? mls_source_magic((mls_str){head, (size_t)peeked}) : NULL;
    if (result->skipped == NULL) {
        const mls_sink sink = mls_checker_sink(result->checker);
        result->status = mls_log_scan_fd(fd, &work->scan, &sink, 1, NULL, &result->error);
    }
    if (fd != STDIN_FILENO) {
        (void)close(fd);
    }
}

/* With --strict advice counts as an error; the findings are shown as what they count as. */
static bool mls_check_is_valid(const mls_cli *cli, const mls_verdict *verdict)
{
    return verdict->valid && !(cli->strict && verdict->findings->count_advice > 0);
}

static int mls_check_print(mls_check_work *work, mls_check_report *report, size_t index)
{
    const mls_check_result *result = &work->results[index];
    const mls_source *source = &work->sources->items[work->wanted[work->first + index]];
    if (result->skipped != NULL) {
        return MLS_EXIT_OK;
    }
    if (result->system_errno != 0) {
        mls_cli_complain(work->cli, source->path, "%s", strerror(result->system_errno));
        return MLS_EXIT_IO;
    }
    if (result->status != MLS_OK) {
        mls_cli_complain(work->cli, source->path, "%s",
                         result->error.message[0] != '\0' ? result->error.message : "out of memory");
        return MLS_EXIT_IO;
    }
    const mls_verdict verdict = mls_checker_verdict(result->checker);
    const mls_check_log log = {source->path, verdict, mls_check_is_valid(work->cli, &verdict)};
    mls_check_report_log(report, &log);
    return log.valid ? MLS_EXIT_OK : MLS_EXIT_INVALID;
}

static int mls_check_batches(mls_check_work *work, mls_check_report *report, unsigned threads)
{
    int status = MLS_EXIT_OK;
    for (work->first = 0; work->first < work->wanted_count && !mls_output_is_closed(report->output);) {
        const size_t left = work->wanted_count - work->first;
        const size_t count = left < MLS_CHECK_BATCH ? left : MLS_CHECK_BATCH;
        mls_parallel_for(threads, count, mls_check_file, work);
        for (size_t i = 0; i < count; i++) {
            status = mls_exit_worse(status, mls_check_print(work, report, i));
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
                                   .width = cli->width,
                                   .color = cli->color,
                                   .quiet = cli->quiet,
                                   .verbose = cli->verbose};
        *work = (mls_check_work){.cli = cli, .sources = sources, .wanted = wanted, .results = results, .judge = *judge};
        (void)pthread_mutex_init(&work->lock, NULL);
        status = mls_check_select(cli, sources, wanted, &work->wanted_count, &report.path_width);
        work->scan.threads = work->wanted_count == 1 ? threads : 1;
        mls_check_report_start(&report);
        status = mls_exit_worse(status, mls_check_batches(work, &report, threads));
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

/* Judges by a user's own rule file, by the edition named, or by the one each log's date tells. */
static int mls_check_rules(mls_cli *cli, mls_rulesets *rulesets, mls_checker_options *judge, mls_ruleset **own)
{
    const mls_check_settings *settings = cli->own;
    const mls_edition *edition = NULL;
    mls_error error = {0};
    *judge = (mls_checker_options){.rulesets = rulesets, .usage = cli->usage};
    if (settings->rules_path != NULL) {
        const mls_status status = mls_ruleset_load_file(settings->rules_path, own, &error);
        judge->ruleset = *own;
        if (status == MLS_ERROR_READ || status == MLS_ERROR_MEMORY) {
            mls_cli_complain(cli, NULL, "%s", error.message);
            return MLS_EXIT_IO;
        }
        if (status != MLS_OK) {
            mls_cli_complain(cli, settings->rules_path, "line %zu, column %zu: %s", error.line, error.column,
                             error.message);
            return MLS_EXIT_USAGE;
        }
        return MLS_EXIT_OK;
    }
    if (cli->edition == NULL) {
        return MLS_EXIT_OK;
    }
    if (mls_editions_find(mls_rulesets_editions(rulesets), cli->usage, mls_str_from(cli->edition), &edition, &error) !=
            MLS_OK ||
        mls_rulesets_get(rulesets, edition, &judge->ruleset, &error) != MLS_OK) {
        mls_cli_complain(cli, NULL, "%s", error.message);
        return MLS_EXIT_USAGE;
    }
    return MLS_EXIT_OK;
}

static int mls_check_run(mls_cli *cli)
{
    mls_source_list sources = {0};
    mls_rulesets *rulesets = NULL;
    mls_ruleset *own = NULL;
    mls_checker_options judge;
    mls_error error = {0};
    int status = MLS_EXIT_IO;
    if (cli->operand_count == 0) {
        return mls_cli_usage_error(cli, "no path given");
    }
    if (mls_rulesets_new(&rulesets, &error) != MLS_OK) {
        mls_cli_complain(cli, NULL, "%s", error.message);
        return MLS_EXIT_IO;
    }
    status = mls_check_rules(cli, rulesets, &judge, &own);
    if (status == MLS_EXIT_OK) {
        if (mls_walk((const char *const *)cli->operands, cli->operand_count, &sources, &error) != MLS_OK) {
            mls_cli_complain(cli, NULL, "%s", error.message);
            status = MLS_EXIT_IO;
        } else {
            status = mls_check_all(cli, &sources, &judge);
        }
    }
    mls_source_list_release(&sources);
    mls_ruleset_free(own);
    mls_rulesets_free(rulesets);
    return status;
}

const mls_command mls_command_check = {
    .name = "check",
    .summary = "say whether logs obey the rules of their edition, and what does not",
    .usage = "[OPTION]… PATH…",
    .about = "Judges every log under each PATH by the rules of its edition: the same verdict as the\n"
             "reference compliance checker, with each finding's file and line, what the rule wants\n"
             "and what was found.  A file is judged as one log.",
    .options = options,
    .own_size = sizeof(mls_check_settings),
    .path_arguments = true,
    .option = mls_check_option,
    .run = mls_check_run,
};
