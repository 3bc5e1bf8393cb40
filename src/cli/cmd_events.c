/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_events.c - mlscore events: the records themselves.
 *
 * Records stream from the scanner to the output; nothing is kept.  Values and
 * metadata are passed on as the JSON they were logged as, made safe.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/parallel.h"
#include "cli/command_options.h"
#include "cli/commands.h"
#include "mlscore/log.h"
#include "report/events_report.h"
#include "slurm/walk.h"

enum { OPTION_KEY = MLS_OPTION_OWN, OPTION_COUNT };

/* Malformed lines named one by one for each file; the rest is counted. */
enum { MLS_MALFORMED_NAMED = 20 };

typedef struct mls_events_settings {
    const char *keys; /* as given: "a,b"; NULL: all */
    bool count;
} mls_events_settings;

static const mls_option options[] = {
    {OPTION_KEY, 'k', "key", "KEY,…", "only records with one of these keys"},
    {OPTION_COUNT, 'c', "count", NULL, "print how many records there are, for each file when there are several"},
    MLS_ROW_FORMAT("csv|ndjson"),
    MLS_ROW_OUTPUT,
    MLS_ROW_FILES_FROM,
    MLS_ROW_NULL,
    MLS_ROW_THREADS,
    MLS_ROW_QUIET,
    MLS_ROW_HELP,
    MLS_ROW_VERSION,
    MLS_ROW_END,
};

/* One file on its way through. */
typedef struct mls_events {
    mls_cli *cli;
    const mls_events_settings *settings;
    mls_output *output;
    mls_events_writer writer;
    const char *path;
    size_t count;
    size_t malformed;
} mls_events;

static bool mls_events_option(mls_cli *cli, int id, const char *argument)
{
    mls_events_settings *settings = cli->own;
    if (id == OPTION_KEY) {
        settings->keys = argument;
    } else {
        settings->count = true;
    }
    return true;
}

/* Whether the key is in the list "a,b". */
static bool mls_key_listed(const char *list, mls_str key)
{
    while (*list != '\0') {
        const size_t len = strcspn(list, ",");
        if (mls_str_equal((mls_str){list, len}, key)) {
            return true;
        }
        list += len;
        list += *list == ',';
    }
    return false;
}

static mls_status mls_events_record(void *state, const mls_record *record)
{
    mls_events *events = state;
    if (events->settings->keys != NULL && !mls_key_listed(events->settings->keys, record->key)) {
        return MLS_OK;
    }
    events->count++;
    if (!events->settings->count) {
        mls_events_write(&events->writer, events->path, record);
        return events->output->failed_errno != 0 ? MLS_STOPPED : MLS_OK;
    }
    return MLS_OK;
}

static mls_status mls_events_malformed(void *state, const mls_malformed *malformed)
{
    mls_events *events = state;
    if (events->malformed++ < MLS_MALFORMED_NAMED) {
        mls_cli_complain(events->cli, events->path, "line %zu, column %zu: %s", malformed->line, malformed->column,
                         malformed->reason);
    }
    return MLS_OK;
}

static int mls_events_file(mls_events *events, const mls_source *source)
{
    mls_error error = {0};
    const mls_sink sink = {.state = events, .record = mls_events_record, .malformed = mls_events_malformed};
    const unsigned threads = events->cli->threads != 0 ? events->cli->threads : mls_processor_count();
    const mls_scan_options scan = {.threads = threads};
    char head[16];
    const int fd = mls_source_open(source);
    events->path = source->path;
    events->count = 0;
    events->malformed = 0;
    if (fd < 0) {
        mls_cli_complain(events->cli, source->path, "%s", strerror(errno));
        return MLS_EXIT_IO;
    }
    const ssize_t peeked = pread(fd, head, sizeof head, 0);
    const char *magic = peeked > 0 ? mls_source_magic((mls_str){head, (size_t)peeked}) : NULL;
    const mls_status status = magic != NULL ? MLS_OK : mls_log_scan_fd(fd, &scan, &sink, 1, NULL, &error);
    if (fd != STDIN_FILENO) {
        (void)close(fd);
    }
    if (events->malformed > MLS_MALFORMED_NAMED) {
        mls_cli_complain(events->cli, source->path, "and %zu more malformed lines",
                         events->malformed - MLS_MALFORMED_NAMED);
    }
    if (magic != NULL && source->named) {
        mls_cli_complain(events->cli, source->path, "%s", magic);
        return MLS_EXIT_IO;
    }
    if (status == MLS_ERROR_READ || status == MLS_ERROR_MEMORY) {
        mls_cli_complain(events->cli, source->path, "%s", error.message);
        return MLS_EXIT_IO;
    }
    return events->malformed > 0 ? MLS_EXIT_INVALID : MLS_EXIT_OK;
}

/* As grep -c prints it: the bare number for one file, path:number for several. */
static void mls_events_print_count(const mls_events *events, bool several)
{
    if (several) {
        mls_output_escaped(events->output, mls_str_from(events->path));
        mls_output_text(events->output, ":");
    }
    mls_output_printf(events->output, "%zu\n", events->count);
}

static int mls_events_all(mls_cli *cli, const mls_source_list *sources, mls_output *output)
{
    mls_events events = {.cli = cli, .settings = cli->own, .output = output};
    const bool several = cli->operand_count > 1 || sources->count > 1;
    int status = MLS_EXIT_OK;
    mls_events_start(&events.writer, output, cli->format == MLS_FORMAT_NDJSON);
    if (!events.settings->count) {
        mls_events_header(&events.writer);
    }
    for (size_t i = 0; i < sources->count && output->failed_errno == 0; i++) {
        const mls_source *source = &sources->items[i];
        if (source->failed) {
            mls_cli_complain(cli, source->path, "%s", source->skip);
            status = mls_exit_worse(status, MLS_EXIT_IO);
        } else if (source->skip == NULL) {
            status = mls_exit_worse(status, mls_events_file(&events, source));
            if (events.settings->count) {
                mls_events_print_count(&events, several);
            }
        }
    }
    if (!mls_events_stop(&events.writer)) {
        mls_cli_complain(cli, NULL, "out of memory");
        status = MLS_EXIT_IO;
    }
    return status;
}

static int mls_events_run(mls_cli *cli)
{
    mls_source_list sources = {0};
    mls_output output;
    mls_error error = {0};
    int status = MLS_EXIT_IO;
    if (cli->operand_count == 0) {
        return mls_cli_usage_error(cli, "no path given");
    }
    if (mls_walk((const char *const *)cli->operands, cli->operand_count, &sources, &error) != MLS_OK) {
        mls_cli_complain(cli, NULL, "%s", error.message);
    } else if (mls_cli_output_open(cli, &output)) {
        status = mls_events_all(cli, &sources, &output);
        status = mls_exit_worse(status, mls_cli_output_close(cli, &output));
    }
    mls_source_list_release(&sources);
    return status;
}

const mls_command mls_command_events = {
    .name = "events",
    .summary = "print the records of logs as CSV or NDJSON, or count them",
    .usage = "[OPTION]… PATH…",
    .about = "Prints every record of the logs under each PATH, one a line: file, line, time_ms,\n"
             "event_type, key, value and metadata.",
    .options = options,
    .own_size = sizeof(mls_events_settings),
    .path_arguments = true,
    .option = mls_events_option,
    .run = mls_events_run,
};
