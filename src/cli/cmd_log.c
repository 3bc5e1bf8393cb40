/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_log.c - mlscore log: write one record from a shell script, such as cache_clear. */
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/number.h"
#include "cli/command.h"
#include "mlscore/write.h"

typedef struct log_settings {
    unsigned event; /* 0: --event is not given; else the index of its value in the list of values, plus 1 */
    mls_names metadata, outputs;
    const char *space, *rank;
} log_settings;

#define AT(member) offsetof(log_settings, member)
static const mls_option options[] = {
    MLS_ROW_OF(MLS_SETS_VALUE, "event", "start|end|point", AT(event),
               "event type (default: start for a KEY that ends in _start, end for _stop, otherwise point)"),
    MLS_ROW('m', "metadata", "NAME=VALUE", "add a member to the metadata (may be repeated)", MLS_ADDS_TEXT, false,
            AT(metadata), NULL),
    MLS_ROW_OF(MLS_SETS_TEXT, "namespace", "TEXT", AT(space), "namespace of the record (default: empty)"),
    MLS_ROW_OF(MLS_SETS_TEXT, "rank", "N", AT(rank), "log only in the process of rank N (default: every process logs)"),
    MLS_ROW('o', "output", "FILE", "append to FILE, created if missing (default: -, standard output; may be repeated)",
            MLS_ADDS_TEXT, false, AT(outputs), NULL),
    MLS_ROWS_LAST,
};

/* Add an output.  Standard output is opened like that of other commands, so that errors of closing it are reported. */
static mls_status add_output(mls_cli *cli, mls_log_writer *writer, const char *path, mls_error *error)
{
    if (strcmp(path, "-") != 0)
        return mls_log_writer_add_file(writer, path, error);
    (void)mls_cli_open(cli);
    return mls_log_writer_add_fd(writer, STDOUT_FILENO, error);
}

static void write_record(mls_cli *cli, mls_log_writer *writer)
{
    const log_settings *settings = cli->settings;
    const char *key = cli->operands.items[0];
    mls_error error = {0};
    size_t rank = 0;
    if (settings->rank != NULL) {
        if (!mls_size_parse(mls_str_from(settings->rank), &rank) || rank > LONG_MAX) {
            mls_cli_usage_error(cli, "invalid --rank '%s': expected a whole number from 0", settings->rank);
            return;
        }
        if (mls_log_writer_only_rank(writer, (long)rank, -1, &error) != MLS_OK) {
            mls_cli_error(cli, MLS_EXIT_USAGE, NULL, "%s", error.message);
            return;
        }
    }
    if (cli->operands.count > 1)
        mls_log_writer_put_word(writer, NULL, cli->operands.items[1]);
    for (size_t i = 0; i < settings->metadata.count; i++) {
        mls_str value = mls_str_from(settings->metadata.items[i]);
        mls_str name;
        if (!mls_str_cut(&value, '=', &name) || name.len == 0 || value.ptr == NULL) {
            mls_cli_usage_error(cli, "invalid --metadata '%s': expected NAME=VALUE", settings->metadata.items[i]);
            return;
        }
        char *copy = mls_strndup(name.ptr, name.len);
        mls_log_writer_put_word(writer, copy, value.ptr);
        free(copy);
    }
    mls_status status = settings->outputs.count == 0 ? add_output(cli, writer, "-", &error) : MLS_OK;
    for (size_t i = 0; i < settings->outputs.count && status == MLS_OK; i++)
        status = add_output(cli, writer, settings->outputs.items[i], &error);
    if (status != MLS_OK) {
        mls_cli_print_error(cli, NULL, &error);
        return;
    }
    mls_log_writer_namespace(writer, settings->space != NULL ? settings->space : "");
    const mls_log_event event = settings->event > 0 ? (mls_log_event)(settings->event - 1)
                                : mls_str_ends(mls_str_from(key), MLS_S("_start")) ? MLS_LOG_START
                                : mls_str_ends(mls_str_from(key), MLS_S("_stop"))  ? MLS_LOG_END
                                                                                   : MLS_LOG_POINT;
    if (mls_log_writer_record(writer, event, key, "<shell>", 0, &error) != MLS_OK)
        mls_cli_print_error(cli, NULL, &error);
    if (mls_log_writer_close(writer, &error) != MLS_OK)
        mls_cli_print_error(cli, NULL, &error);
}

static void log_run(mls_cli *cli)
{
    mls_log_writer *writer = NULL;
    mls_error error = {0};
    if (cli->operands.count == 0 || *cli->operands.items[0] == '\0')
        mls_cli_usage_error(cli, "no key given");
    else if (cli->operands.count > 2)
        mls_cli_usage_error(cli, "unexpected argument '%s': expected KEY and one VALUE", cli->operands.items[2]);
    else if (mls_log_writer_new(&writer, &error) != MLS_OK)
        mls_cli_print_error(cli, NULL, &error);
    else
        write_record(cli, writer);
    mls_log_writer_free(writer);
}

const mls_command mls_command_log = {
    .name = "log",
    .summary = "append an MLLOG record from a shell script",
    .usage = "[OPTION]… KEY [VALUE]",
    .about = "Writes one record exactly as the Python logger of the benchmarks does. VALUE is\n"
             "JSON if it is valid JSON (true, 4, \"text\"), otherwise text; without VALUE, the\n"
             "value is null.",
    .options = options,
    .settings_size = sizeof(log_settings),
    .run = log_run,
};
