/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_events.c - mlscore events: the records themselves.
 *
 * Records stream from the scanner to the output; nothing is kept.  Values and metadata are passed on as the JSON they
 * were logged as, made safe.  Where they are only counted, files are read side by side. */
#include "cli/command.h"
#include "report/reports.h"

/* Malformed lines named one by one for each file; the rest is counted. */
enum { MALFORMED_NAMED = 20 };

typedef struct events_settings {
    const char *keys; /* "a,b"; NULL: all */
    bool count;
} events_settings;

/* A file that is read: when records are counted, others are beside it. */
typedef struct events_file {
    mls_cli *cli;
    const char *path;
    size_t records, malformed;
    struct {
        size_t line, column;
        const char *reason;
    } named[MALFORMED_NAMED];
} events_file;

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
    events_file *file = state;
    mls_cli *cli = file->cli;
    const events_settings *events = cli->settings;
    if (events->keys != NULL && !key_listed(events->keys, record->key)) {
        return MLS_OK;
    }
    file->records++;
    if (events->count) {
        return MLS_OK;
    }
    mls_print_item(&cli->printer, &(mls_event){file->path, record});
    return cli->output.failed_errno != 0 ? MLS_STOPPED : MLS_OK;
}

static mls_status events_malformed(void *state, const mls_malformed *malformed)
{
    events_file *file = state;
    if (file->malformed < MALFORMED_NAMED) {
        file->named[file->malformed].line = malformed->line;
        file->named[file->malformed].column = malformed->column;
        file->named[file->malformed].reason = malformed->reason;
    }
    file->malformed++;
    return MLS_OK;
}

static mls_status events_listen(void *state, size_t index, mls_sink *sink)
{
    mls_cli *cli = state;
    events_file *file = sink->state;
    file->cli = cli;
    file->path = cli->sources.items[index].path;
    sink->record = events_record;
    sink->malformed = events_malformed;
    return MLS_OK;
}

static void say_malformed(mls_cli *cli, const events_file *file)
{
    for (size_t i = 0; i < file->malformed && i < MALFORMED_NAMED; i++) {
        mls_cli_say(cli, MLS_EXIT_INVALID, file->path, "line %zu, column %zu: %s", file->named[i].line,
                    file->named[i].column, file->named[i].reason);
    }
    if (file->malformed > MALFORMED_NAMED) {
        mls_cli_say(cli, MLS_EXIT_INVALID, file->path, "and %zu more malformed lines",
                    file->malformed - MALFORMED_NAMED);
    }
}

static mls_status events_done(void *state, const mls_read *read)
{
    mls_cli *cli = state;
    const events_settings *events = cli->settings;
    const events_file *file = read->heard; /* NULL: it could not be opened */
    if (file != NULL) {
        say_malformed(cli, file);
    }
    (void)mls_cli_read_done(cli, read);
    if (events->count) {
        /* As grep -c prints it: the bare number for one file, path:number for several. */
        const bool several = cli->operands.count > 1 || cli->sources.count > 1;
        mls_output_escaped(&cli->output, mls_str_from(several ? read->source->path : ""));
        mls_output_printf(&cli->output, "%s%zu\n", several ? ":" : "", file != NULL ? file->records : 0);
    }
    return cli->output.failed_errno == 0 ? MLS_OK : MLS_STOPPED;
}

static void events_run(mls_cli *cli)
{
    const events_settings *events = cli->settings;
    const mls_reading reading = {.work.threads = cli->work.threads,
                                 .state = cli,
                                 .listen = events_listen,
                                 .heard_size = sizeof(events_file),
                                 .apart = events->count,
                                 .done = events_done};
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
