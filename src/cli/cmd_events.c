/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_events.c - mlscore events: the records themselves.
 *
 * Records stream from the scanner to the output; nothing is kept.  Values and
 * metadata are passed on as the JSON they were logged as, made safe.
 */
#include <string.h>

#include "cli/command.h"
#include "mlscore/reading.h"
#include "report/reports.h"

/* Malformed lines named one by one for each file; the rest is counted. */
enum { MALFORMED_NAMED = 20 };

typedef struct events_settings {
    const char *keys; /* as given: "a,b"; NULL: all */
    bool count;
} events_settings;

static const mls_option options[] = {
    MLS_ROW_OWN_TEXT('k', "key", "KEY,…", events_settings, keys, "only records with one of these keys"),
    MLS_ROW_OWN_FLAG('c', "count", events_settings, count,
                     "print how many records there are, for each file when there are several"),
    MLS_ROW_FORMAT("csv|ndjson"),
    MLS_ROW_OUTPUT,
    MLS_ROW_FILES_FROM,
    MLS_ROW_NULL,
    MLS_ROW_THREADS,
    MLS_ROW_QUIET,
    MLS_ROWS_LAST,
};

/* One file on its way through. */
typedef struct events_state {
    mls_cli *cli;
    const events_settings *settings;
    mls_output *output;
    mls_printer printer;
    const mls_sources *sources;
    const char *path;
    size_t count;
    size_t malformed;
    int status;
} events_state;

/* Whether the key is in the list "a,b". */
static bool key_listed(const char *list, mls_str key)
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

static mls_status events_record(void *state, const mls_record *record)
{
    events_state *events = state;
    if (events->settings->keys != NULL && !key_listed(events->settings->keys, record->key)) {
        return MLS_OK;
    }
    events->count++;
    if (!events->settings->count) {
        mls_print_item(&events->printer, &(mls_event){events->path, record});
        return events->output->failed_errno != 0 ? MLS_STOPPED : MLS_OK;
    }
    return MLS_OK;
}

static mls_status events_malformed(void *state, const mls_malformed *malformed)
{
    events_state *events = state;
    if (events->malformed++ < MALFORMED_NAMED) {
        mls_cli_complain(events->cli, events->path, "line %zu, column %zu: %s", malformed->line, malformed->column,
                         malformed->reason);
    }
    return MLS_OK;
}

static mls_status events_listen(void *state, size_t index, mls_sink *sink)
{
    events_state *events = state;
    events->path = events->sources->items[index].path;
    events->count = 0;
    events->malformed = 0;
    *sink = (mls_sink){.state = events, .record = events_record, .malformed = events_malformed};
    return MLS_OK;
}

/* As grep -c prints it: the bare number for one file, path:number for several. */
static void events_print_count(const events_state *events, bool several)
{
    if (several) {
        mls_output_escaped(events->output, mls_str_from(events->path));
        mls_output_text(events->output, ":");
    }
    mls_output_printf(events->output, "%zu\n", events->count);
}

static mls_status events_done(void *state, const mls_read *read)
{
    events_state *events = state;
    const char *why = read->status != MLS_OK ? read->error.message : read->source->named ? read->unread : NULL;
    if (events->malformed > MALFORMED_NAMED) {
        mls_cli_complain(events->cli, read->source->path, "and %zu more malformed lines",
                         events->malformed - MALFORMED_NAMED);
    }
    if (why != NULL) {
        mls_cli_complain(events->cli, read->source->path, "%s", why);
        events->status = mls_exit_worse(events->status, MLS_EXIT_IO);
    }
    events->status = mls_exit_worse(events->status, events->malformed > 0 ? MLS_EXIT_INVALID : MLS_EXIT_OK);
    if (events->settings->count) {
        events->path = read->source->path;
        events_print_count(events, events->cli->operand_count > 1 || events->sources->count > 1);
    }
    return events->output->failed_errno == 0 ? MLS_OK : MLS_STOPPED;
}

static int events_all(mls_cli *cli, const mls_sources *sources, mls_output *output)
{
    mls_error error = {0};
    events_state events = {
        .cli = cli, .settings = cli->own, .output = output, .sources = sources, .status = MLS_EXIT_OK};
    const mls_reading reading = {
        .events = true, .threads = cli->threads, .state = &events, .listen = events_listen, .done = events_done};
    for (size_t i = 0; i < sources->count; i++) {
        if (sources->items[i].failed) {
            mls_cli_complain(cli, sources->items[i].path, "%s", sources->items[i].skip);
            events.status = MLS_EXIT_IO;
        }
    }
    if (!events.settings->count) {
        mls_print_begin(&events.printer, &cli->view, &mls_events_report, NULL);
    }
    const mls_status status = mls_read_sources(&reading, sources->items, sources->count, &error);
    if (!events.settings->count) {
        mls_print_end(&events.printer);
    }
    if (status != MLS_OK && status != MLS_STOPPED) {
        mls_cli_complain(cli, NULL, "%s", error.message);
        return MLS_EXIT_IO;
    }
    return events.status;
}

static int events_run(mls_cli *cli)
{
    mls_sources sources = {0};
    mls_output output;
    mls_error error = {0};
    int status = MLS_EXIT_IO;
    if (cli->operand_count == 0) {
        return mls_cli_usage_error(cli, "no path given");
    }
    if (mls_sources_find((const char *const *)cli->operands, cli->operand_count, &sources, &error) != MLS_OK) {
        mls_cli_complain(cli, NULL, "%s", error.message);
    } else if (mls_cli_output_open(cli, &output)) {
        status = events_all(cli, &sources, &output);
        status = mls_exit_worse(status, mls_cli_output_close(cli, &output));
    }
    mls_sources_release(&sources);
    return status;
}

const mls_command mls_command_events = {
    .name = "events",
    .summary = "print the records of logs as CSV or NDJSON, or count them",
    .usage = "[OPTION]… PATH…",
    .about = "Prints every record of the logs under each PATH, one a line: file, line, time_ms,\n"
             "event_type, key, value and metadata.",
    .options = options,
    .own_size = sizeof(events_settings),
    .path_arguments = true,
    .run = events_run,
};
