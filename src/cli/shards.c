/* SPDX-License-Identifier: Apache-2.0 */
/* shards.c - one shard of a tree, as a part. */
#include "cli/scoring.h"

#include <stdlib.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/memory.h"
#include "explain/diagnose/diagnose.h"
#include "explain/telemetry/telemetry.h"
#include "mlscore/version.h"

bool mls_cli_names_part(mls_cli *cli)
{
    return (cli->output_path != NULL && strcmp(cli->output_path, "-") != 0) ||
           mls_cli_usage_error(cli, "--partial writes a part: say where, with -o");
}

bool mls_cli_part_error(mls_cli *cli, const char *path, const mls_error *error)
{
    return error->line > 0 ? mls_cli_error(cli, MLS_EXIT_IO, path, "line %zu: %s", error->line, error->message)
                           : mls_cli_error(cli, MLS_EXIT_IO, path, "%s", error->message);
}

bool mls_cli_shard_is_right(mls_cli *cli, const mls_shard_settings *settings, const char *wrong)
{
    mls_shard shard;
    if (cli->operands.count == 0)
        return mls_cli_usage_error(cli, "no path given");
    if (!settings->partial)
        return true;
    if (wrong != NULL) {
        return mls_cli_usage_error(cli, "--%s is not for --partial, which prints nothing: give it to mlscore merge",
                                   wrong);
    }
    if (settings->shard == NULL || !mls_shard_parse(mls_str_from(settings->shard), &shard)) {
        return mls_cli_usage_error(cli, "--partial takes --shard I/N, with I from 1 to N%s%s%s",
                                   settings->shard != NULL ? ", not '" : "",
                                   settings->shard != NULL ? settings->shard : "", settings->shard != NULL ? "'" : "");
    }
    return mls_cli_names_part(cli);
}

/* What can be read once only is nobody's share.  False after a complaint. */
static bool can_be_dealt(mls_cli *cli)
{
    struct stat about;
    for (size_t i = 0; i < cli->operands.count; i++) {
        const char *path = cli->operands.items[i];
        if (strcmp(path, "-") == 0 || (stat(path, &about) == 0 && !S_ISREG(about.st_mode) && !S_ISDIR(about.st_mode))) {
            return mls_cli_error(cli, MLS_EXIT_USAGE, NULL, "'%s' is neither a folder nor a file: no shard can read it",
                                 path);
        }
    }
    return true;
}

/* Whom a shard asks. */
typedef struct shard_asking {
    mls_cli *cli;
    mls_endings endings;
} shard_asking;

static void say_not_read(void *state, const char *path, const char *why, const char *finding)
{
    mls_cli_unread(((shard_asking *)state)->cli, path, why, finding);
}

static mls_status find_ending(void *state, mls_run *run, mls_error *error)
{
    return mls_endings_find(&((shard_asking *)state)->endings, run, error);
}

static bool holds_measurements(void *state, const mls_source *source)
{
    (void)state;
    return mls_telemetry_measures(source);
}

static char *copy_of(const char *text)
{
    return text != NULL ? mls_strdup(text) : NULL;
}

/* The head of the part.  False after a complaint. */
static bool make_head(mls_cli *cli, const mls_shard_settings *settings, const mls_collect_options *how,
                      mls_part_options options, mls_part_head *head)
{
    mls_shard shard;
    mls_buffer own = {0};
    (void)mls_shard_parse(mls_str_from(settings->shard), &shard); /* mls_cli_shard_is_right() has looked at it */
    if (cli->rules_path != NULL) {
        struct stat about;
        if (stat(cli->rules_path, &about) == 0 && !S_ISREG(about.st_mode))
            return mls_cli_error(cli, MLS_EXIT_USAGE, NULL, "--partial needs --rules to be a file");
        if (!mls_cli_read_file(cli, cli->rules_path, &own))
            return false;
    }
    *head = (mls_part_head){.format = MLS_PART_FORMAT,
                            .version = copy_of(MLS_VERSION),
                            .rules = copy_of(mls_part_rules_hash().text),
                            .command = copy_of(cli->command->name),
                            .usage = copy_of(mls_usage_name(how->usage)),
                            .edition = copy_of(how->edition != NULL ? how->edition->name : NULL),
                            .options = options,
                            .shards = shard.count,
                            .shard = shard.number};
    head->options.any_usage = how->any_usage;
    head->options.keys = copy_of(options.keys);
    head->options.rcp = copy_of(options.rcp);
    head->options.rcp_path = copy_of(options.rcp_path);
    if (own.ptr != NULL)
        head->options.own_rules = copy_of(mls_hash_text(mls_fnv1a(MLS_FNV_START, mls_buffer_str(&own))).text);
    for (size_t i = 0; i < cli->operands.count; i++)
        (void)mls_names_add(&head->roots, mls_str_from(cli->operands.items[i]));
    mls_buffer_release(&own);
    return true;
}

void mls_cli_write_part(mls_cli *cli, const mls_shard_settings *settings, const mls_collect_options *how,
                        mls_part_options options, const mls_shard_job *job)
{
    mls_shard_job shard = *job;
    shard_asking asking = {.cli = cli, .endings.options = {.work = {.threads = cli->work.threads}, .unpack = true}};
    mls_part_head head = {0};
    mls_error error = {0};
    shard.head = &head;
    shard.sources = &cli->sources;
    shard.state = &asking;
    shard.say_failed = say_not_read;
    shard.ending = job->groups ? find_ending : NULL;
    shard.measures = job->groups ? holds_measurements : NULL;
    shard.reading.work = cli->work;
    if (can_be_dealt(cli) && make_head(cli, settings, how, options, &head)) {
        mls_status status =
            mls_sources_find((const char *const *)head.roots.items, head.roots.count, &cli->sources, &error);
        if (status == MLS_OK)
            status = mls_output_open_lasting(&cli->output, cli->output_path, &error);
        if (status == MLS_OK) {
            status = mls_shard_read(&shard, &cli->output, &error);
            status = mls_output_close_after(&cli->output, status, &error);
        }
        if (status != MLS_OK)
            mls_cli_error(cli, MLS_EXIT_IO, status == MLS_ERROR_WRITE ? cli->output_path : NULL, "%s", error.message);
        mls_cli_progress_end(cli);
        mls_cli_print_foreign(cli);
    }
    mls_endings_release(&asking.endings);
    mls_part_head_release(&head);
}
