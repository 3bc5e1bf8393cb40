/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_events.c - mlscore events: the records themselves.
 *
 * Records stream from the scanner to the output; nothing is kept.  Values and metadata are passed on as the JSON they
 * were logged as, made safe. */
#include "cli/command.h"
#include "report/reports.h"

/* Malformed lines named one by one for each file; the rest is counted. */
enum { MALFORMED_NAMED = 20 };

typedef struct events_settings {
    const char *keys; /* "a,b"; NULL: all */
    bool count;
    /* Of the file that is read: */
    const char *path;
    size_t records, malformed;
} events_settings;

static const mls_option options[] = {
    MLS_ROW_TEXT('k', "key", "KEY,…", offsetof(events_settings, keys), "only records with one of these keys"),
    MLS_ROW_FLAG('c', "count", offsetof(events_settings, count),
                 "print how many records there are, for each file when there are several"),
    MLS_ROW_FORMAT("csv|ndjson"),
    MLS_ROWS_FILES,
    MLS_ROW_THREADS,
    MLS_ROW_QUIET,
    MLS_ROWS_LAST,
};

/* Whether the key is in the list "a,b". */
static bool key_listed(const char *list, mls_str key)
{
    bool listed = false;
    for (mls_str word; !listed && mls_list_next(&list, ',', &word);) {
        listed = mls_str_equal(word, key);
    }
    return listed;
}

static mls_status events_record(void *state, const mls_record *record)
{
    mls_cli *cli = state;
    events_settings *events = cli->settings;
    if (events->keys != NULL && !key_listed(events->keys, record->key)) {
        return MLS_OK;
    }
    events->records++;
    if (!events->count) {
        mls_print_item(&cli->printer, &(mls_event){events->path, record});
    }
    return cli->output.failed_errno != 0 ? MLS_STOPPED : MLS_OK;
}

static mls_status events_malformed(void *state, const mls_malformed *malformed)
{
    mls_cli *cli = state;
    events_settings *events = cli->settings;
    if (events->malformed++ < MALFORMED_NAMED) {
        mls_cli_say(cli, MLS_EXIT_INVALID, events->path, "line %zu, column %zu: %s", malformed->line, malformed->column,
                    malformed->reason);
    }
    return MLS_OK;
}

static mls_status events_listen(void *state, size_t index, mls_sink *sink)
{
    const mls_cli *cli = state;
    events_settings *events = cli->settings;
    events->path = cli->sources.items[index].path;
    events->records = 0;
    events->malformed = 0;
    *sink = (mls_sink){.state = state, .record = events_record, .malformed = events_malformed};
    return MLS_OK;
}

static mls_status events_done(void *state, const mls_read *read)
{
    mls_cli *cli = state;
    const events_settings *events = cli->settings;
    if (events->malformed > MALFORMED_NAMED) {
        mls_cli_say(cli, MLS_EXIT_INVALID, read->source->path, "and %zu more malformed lines",
                    events->malformed - MALFORMED_NAMED);
    }
    (void)mls_cli_read_done(cli, read);
    if (events->count) {
        /* As grep -c prints it: the bare number for one file, path:number for several. */
        const bool several = cli->operands.count > 1 || cli->sources.count > 1;
        mls_output_escaped(&cli->output, mls_str_from(several ? read->source->path : ""));
        mls_output_printf(&cli->output, "%s%zu\n", several ? ":" : "", events->records);
    }
    return cli->output.failed_errno == 0 ? MLS_OK : MLS_STOPPED;
}

static void events_run(mls_cli *cli)
{
    const events_settings *events = cli->settings;
    const mls_reading reading = {
        .work.threads = cli->work.threads, .state = cli, .listen = events_listen, .done = events_done};
    if (!events->count || mls_cli_open(cli)) {
        mls_cli_read(cli, NULL, &reading, events->count ? NULL : &mls_events_report, NULL);
    }
}

const mls_command mls_command_events = {
    .name = "events",
    .summary = "print the records of logs as CSV or NDJSON, or count them",
    .usage = "[OPTION]… PATH…",
    .about = "Prints every record of the logs under each PATH, one a line: file, line,\n"
             "time_ms, event_type, key, value and metadata.",
    .options = options,
    .settings_size = sizeof(events_settings),
    .paths = "no path given",
    .run = events_run,
};
