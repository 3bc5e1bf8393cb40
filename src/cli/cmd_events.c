/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_events.c - mlscore events: print the records of logs, or count them.
 *
 * Records are streamed to the output, with values and metadata as the JSON they were logged as.  When they are only
 * counted, files are read in parallel. */
#include "base/memory.h"
#include "cli/scoring.h"
#include "report/reports.h"

typedef struct events_settings {
    const char *keys; /* keys of the records to print, such as "a,b"; NULL: all records */
    bool count;
    mls_shard_settings shards;
} events_settings;

/* A file being read. */
typedef struct events_file {
    mls_cli *cli;
    const char *path;
    size_t records, malformed;
    mls_part_malformed named[MLS_MALFORMED_NAMED]; /* the first malformed lines; later ones are only counted */
} events_file;

static const mls_option options[] = {
    MLS_ROW_TEXT('k', "key", "KEY,…", offsetof(events_settings, keys), "print only records with one of these keys"),
    MLS_ROW_FLAG('c', "count", offsetof(events_settings, count),
                 "print the number of records; one line per file if there are several files"),
    MLS_ROW_FORMAT_AS("csv|ndjson", "output format (default: csv)"),
    MLS_ROWS_SHARD(offsetof(events_settings, shards)),
    MLS_ROWS_FILES,
    MLS_ROW_THREADS,
    MLS_ROW_QUIET_AS("omit remarks on standard error"),
    MLS_ROWS_LAST,
};

static mls_status events_record(void *state, const mls_record *record)
{
    events_file *file = state;
    mls_cli *cli = file->cli;
    const events_settings *events = cli->settings;
    const char *keys = events->keys;
    bool wanted = keys == NULL;
    for (mls_str key; !wanted && mls_list_next(&keys, ',', &key);)
        wanted = mls_str_equal(key, record->key);
    file->records += wanted;
    if (!wanted || events->count)
        return MLS_OK;
    mls_print_item(&cli->printer, &(mls_event){file->path, record});
    return cli->output.failed_errno != 0 ? MLS_STOPPED : MLS_OK;
}

static mls_status events_malformed(void *state, const mls_malformed *malformed)
{
    events_file *file = state;
    if (file->malformed < MLS_MALFORMED_NAMED)
        file->named[file->malformed] = (mls_part_malformed){malformed->line, malformed->column, malformed->reason};
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
    sink->earlier = events_record;
    sink->malformed = events_malformed;
    return MLS_OK;
}

static size_t named_of(size_t malformed)
{
    return malformed < MLS_MALFORMED_NAMED ? malformed : MLS_MALFORMED_NAMED;
}

/* Report the malformed lines of a file.  With --count, also print the number of its records like grep -c: only the
 * number for a single file, PATH:NUMBER for several files. */
static mls_status print_file(mls_cli *cli, const mls_read *read, bool count, size_t paths, size_t records,
                             size_t malformed, const mls_part_malformed *named, size_t named_count)
{
    const char *path = read->source->path;
    for (size_t i = 0; i < named_count; i++) {
        mls_cli_error(cli, MLS_EXIT_INVALID, path, "line %zu, column %zu: %s", named[i].line, named[i].column,
                      named[i].reason);
    }
    if (malformed > named_count)
        mls_cli_error(cli, MLS_EXIT_INVALID, path, "and %zu more malformed lines", malformed - named_count);
    (void)mls_cli_read_done(cli, read);
    if (count) {
        const bool several = paths > 1 || cli->sources.count > 1;
        mls_output_escaped(&cli->output, mls_str_from(several ? path : ""));
        mls_output_printf(&cli->output, "%s%zu\n", several ? ":" : "", records);
    }
    return cli->output.failed_errno == 0 ? MLS_OK : MLS_STOPPED;
}

static mls_status events_done(void *state, const mls_read *read)
{
    static const events_file unopened;
    mls_cli *cli = state;
    const events_settings *events = cli->settings;
    const events_file *file = read->listener_data != NULL ? read->listener_data : &unopened;
    return print_file(cli, read, events->count, cli->operands.count, file->records, file->malformed, file->named,
                      named_of(file->malformed));
}

/* -------------------------------------------------------------- shards and parts. */

/* Store the counts of a file in the file's line of the part. */
static void note_count(const mls_read *read, mls_part_file *line)
{
    const events_file *file = read->listener_data;
    line->totals.records = file != NULL ? file->records : 0;
    line->totals.malformed = file != NULL ? file->malformed : 0;
    for (size_t i = 0; i < named_of(line->totals.malformed); i++) {
        MLS_GROW(&line->lines, items);
        line->lines.items[line->lines.count++] = file->named[i];
    }
}

static mls_status print_merged(void *state, const mls_read *read)
{
    mls_cli *cli = state;
    const mls_part_file *file = read->listener_data;
    return print_file(cli, read, true, cli->merge->head.roots.count, file->totals.records, file->totals.malformed,
                      file->lines.items, file->lines.count);
}

void mls_cli_count(mls_cli *cli)
{
    const mls_reading reading = {.state = cli, .listener_size = sizeof(mls_part_file), .done = print_merged};
    if (cli->format_given)
        mls_cli_usage_error(cli, "events --count does not support --format");
    else if (mls_cli_open(cli))
        mls_cli_read(cli, NULL, &reading, NULL, NULL);
}

static void events_run(mls_cli *cli)
{
    const events_settings *events = cli->settings;
    const mls_reading reading = {.work.threads = cli->work.threads,
                                 .state = cli,
                                 .listen = events_listen,
                                 .listener_size = sizeof(events_file),
                                 .parallel = events->count,
                                 .done = events_done};
    if (events->shards.partial && !events->count) {
        mls_cli_usage_error(cli, "--partial needs --count");
    } else if (!mls_cli_shard_is_right(cli, &events->shards, NULL)) {
        return;
    } else if (events->shards.partial) {
        mls_cli_write_part(cli, &(mls_shard_job){.settings = &events->shards,
                                                 .how = &(mls_collect_options){0},
                                                 .options.keys = events->keys,
                                                 .reading = reading,
                                                 .count = note_count});
    } else if (!events->count || mls_cli_open(cli)) {
        mls_cli_read(cli, NULL, &reading, events->count ? NULL : &mls_events_report, NULL);
    }
}

const mls_command mls_command_events = {
    .name = "events",
    .summary = "print log records as CSV or NDJSON, or count them",
    .usage = "[OPTION]… PATH…",
    .about = "Prints every record of the logs below each PATH, one per line: file, line,\n"
             "time_ms, event_type, key, value and metadata. PATH is a log, a folder, or - for\n"
             "standard input.",
    .options = options,
    .settings_size = sizeof(events_settings),
    .paths = "", /* --list names paths, too */
    .run = events_run,
};
