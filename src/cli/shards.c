/* SPDX-License-Identifier: Apache-2.0 */
/* shards.c - one shard of a tree, as a part. */
#include "cli/shards.h"

#include <stdlib.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/memory.h"
#include "diagnose/diagnose.h"
#include "mlscore/version.h"
#include "slurm/list.h"
#include "slurm/part_read.h"
#include "telemetry/telemetry.h"

bool mls_cli_names_part(mls_cli *cli)
{
    return (cli->output_path != NULL && strcmp(cli->output_path, "-") != 0) ||
           mls_cli_say(cli, MLS_WRONG_USAGE, NULL, "--partial writes a part: say where, with -o");
}

bool mls_cli_say_part(mls_cli *cli, const char *path, const mls_error *error)
{
    return error->line > 0 ? mls_cli_say(cli, MLS_EXIT_IO, path, "line %zu: %s", error->line, error->message)
                           : mls_cli_say(cli, MLS_EXIT_IO, path, "%s", error->message);
}

bool mls_cli_shard_is_right(mls_cli *cli, const mls_shard_settings *settings, const char *wrong)
{
    const char *other = settings->shard != NULL      ? "shard"
                        : settings->list != NULL     ? "list"
                        : settings->resume           ? "resume"
                        : settings->progress != NULL ? "progress-file"
                                                     : NULL;
    mls_shard shard;
    if (cli->operands.count == 0 && settings->list == NULL) {
        return mls_cli_say(cli, MLS_WRONG_USAGE, NULL, "no path given");
    }
    if (!settings->partial) {
        return other == NULL || mls_cli_say(cli, MLS_WRONG_USAGE, NULL, "--%s needs --partial", other);
    }
    if (wrong != NULL) {
        return mls_cli_say(cli, MLS_WRONG_USAGE, NULL,
                           "--%s is not for --partial, which prints nothing: give it to mlscore merge", wrong);
    }
    if (settings->shard == NULL || !mls_shard_parse(mls_str_from(settings->shard), &shard)) {
        return mls_cli_say(cli, MLS_WRONG_USAGE, NULL, "--partial takes --shard I/N, with I from 1 to N%s%s%s",
                           settings->shard != NULL ? ", not '" : "", settings->shard != NULL ? settings->shard : "",
                           settings->shard != NULL ? "'" : "");
    }
    if (settings->list != NULL && cli->operands.count > 0) {
        return mls_cli_say(cli, MLS_WRONG_USAGE, NULL, "--list names all that is read: no PATH beside it");
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
            return mls_cli_say(cli, MLS_EXIT_USAGE, NULL, "'%s' is neither a folder nor a file: no shard can read it",
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

static void say_not_found(void *state, const char *path, const char *why, const char *finding)
{
    mls_cli_say_unread(((shard_asking *)state)->cli, path, why, finding);
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

/* A copy of a text for the head, which owns it; NULL stays NULL.  *ok turns false when memory runs out. */
static char *head_text(const char *text, bool *ok)
{
    char *copy = text != NULL ? mls_strdup(text) : NULL;
    *ok = *ok && (copy != NULL || text == NULL);
    return copy;
}

/* The head of the part.  False after a complaint. */
static bool make_head(mls_cli *cli, const mls_shard_settings *settings, const mls_collect_options *how,
                      mls_part_options options, mls_part_head *head)
{
    mls_shard shard;
    mls_buffer own = {0};
    bool copied = true;
    bool ok = mls_shard_parse(mls_str_from(settings->shard), &shard);
    if (cli->rules_path != NULL) {
        struct stat about;
        if (stat(cli->rules_path, &about) == 0 && !S_ISREG(about.st_mode)) {
            return mls_cli_say(cli, MLS_EXIT_USAGE, NULL, "--partial needs --rules to be a file");
        }
        ok = ok && mls_cli_read_file(cli, cli->rules_path, &own);
    }
    *head = (mls_part_head){.format = MLS_PART_FORMAT,
                            .version = head_text(MLS_VERSION, &copied),
                            .rules = head_text(mls_part_rules_hash().text, &copied),
                            .command = head_text(cli->command->name, &copied),
                            .usage = head_text(mls_usage_name(how->usage), &copied),
                            .edition = head_text(how->edition != NULL ? how->edition->name : NULL, &copied),
                            .options = options,
                            .shards = shard.count,
                            .shard = shard.number};
    head->options.any_usage = how->any_usage;
    head->options.keys = head_text(options.keys, &copied);
    head->options.rcp = head_text(options.rcp, &copied);
    head->options.rcp_path = head_text(options.rcp_path, &copied);
    if (own.ptr != NULL) {
        head->options.own_rules =
            head_text(mls_hash_text(mls_fnv1a(MLS_FNV_START, mls_buffer_str(&own))).text, &copied);
    }
    ok = ok && (copied || mls_cli_say_no_memory(cli));
    for (size_t i = 0; i < cli->operands.count && ok; i++) {
        ok = mls_names_add(&head->roots, mls_str_from(cli->operands.items[i])) || mls_cli_say_no_memory(cli);
    }
    mls_buffer_release(&own);
    return ok;
}

/* How far a shard is, for --progress-file: at most once a second, and at its end. */
typedef struct shard_progress {
    mls_cli *cli;
    const char *path;
    uint64_t of_bytes;
    double next_ms;
} shard_progress;

static void write_progress(const shard_progress *self, size_t files_done, size_t files, uint64_t bytes_done)
{
    mls_output output;
    mls_error error;
    bool lost = true;
    /* That this cannot be written is no reason to stop reading. */
    if (mls_output_open(&output, self->path, &error) == MLS_OK) {
        mls_output_printf(&output, "{\"files\": %zu, \"of\": %zu, \"bytes\": %llu, \"of_bytes\": %llu}\n", files_done,
                          files, (unsigned long long)bytes_done, (unsigned long long)self->of_bytes);
        lost = mls_output_close(&output, false, &error) != MLS_OK;
    }
    (void)lost;
}

static void note_progress(void *state, size_t files_done, size_t files, uint64_t bytes_done)
{
    shard_progress *self = state;
    const double now = mls_clock_ms();
    mls_cli_progress(self->cli, files_done, files, bytes_done);
    if (self->path != NULL && (now >= self->next_ms || files_done == files)) {
        write_progress(self, files_done, files, bytes_done);
        self->next_ms = now + 1000;
    }
}

/* Finds all sources, and which are of the shard.  False after a complaint. */
static bool find_shard_sources(mls_cli *cli, const mls_shard_settings *settings, mls_part_head *head, bool **belongs)
{
    mls_error error = {0};
    mls_status status = MLS_OK;
    if (settings->list != NULL) {
        status = mls_list_read(settings->list, head, &cli->sources, belongs, &error);
        (void)(status == MLS_OK || mls_cli_say_part(cli, settings->list, &error));
    } else {
        status = mls_sources_find((const char *const *)head->roots.items, head->roots.count, &cli->sources, &error);
        *belongs = status == MLS_OK ? mls_shard_sources(head, &cli->sources) : NULL;
        (void)(status != MLS_OK   ? mls_cli_say_error(cli, NULL, &error)
               : *belongs == NULL ? mls_cli_say_no_memory(cli)
                                  : true);
    }
    return status == MLS_OK && *belongs != NULL;
}

/* Whether the part that is there is of the same files, by the note beside it, and whole. */
static bool is_up_to_date(const char *path, const char *state_path, const char *state)
{
    mls_buffer noted = {0};
    mls_buffer wanted = {0};
    mls_hash_words digest;
    const bool whole = mls_file_read(state_path, false, 256, &noted, NULL) == MLS_OK && mls_part_digest(path, &digest);
    if (whole) {
        mls_buffer_printf(&wanted, "%s %s\n", state, digest.text);
    }
    const bool same = whole && !wanted.failed && mls_str_equal(mls_buffer_str(&noted), mls_buffer_str(&wanted));
    mls_buffer_release(&noted);
    mls_buffer_release(&wanted);
    return same;
}

/* Notes what the part is of. */
static mls_status note_state(const char *state_path, const char *state, const char *digest, mls_error *error)
{
    mls_output output;
    mls_status status = mls_output_open_lasting(&output, state_path, error);
    if (status == MLS_OK) {
        mls_output_printf(&output, "%s %s\n", state, digest);
        status = mls_output_close(&output, false, error);
    }
    return status;
}

static mls_status write_shard(mls_cli *cli, mls_shard_job *job, const bool *belongs, mls_hash_words *digest,
                              mls_error *error)
{
    mls_status status = mls_output_open_lasting(&cli->output, cli->output_path, error);
    if (status == MLS_OK) {
        status = mls_shard_read(job, belongs, &cli->output, digest, error);
        status = mls_output_close_after(&cli->output, status, error);
    }
    return status;
}

/* Reads the shard and writes the part, unless it is there. */
static void make_part(mls_cli *cli, const mls_shard_settings *settings, mls_shard_job *job, const bool *belongs)
{
    shard_progress progress = {.cli = cli, .path = settings->progress};
    mls_buffer state_path = {0};
    mls_hash_words state = {""};
    mls_error error = {0};
    mls_buffer_printf(&state_path, "%s.state", cli->output_path);
    const bool ok =
        (!settings->resume || mls_shard_state(job->head, &cli->sources, belongs, &state)) && !state_path.failed;
    for (size_t i = 0; i < cli->sources.count; i++) {
        progress.of_bytes += belongs[i] ? cli->sources.items[i].size : 0;
    }
    job->reading.work.progress = note_progress;
    job->reading.work.progress_state = &progress;
    if (!ok) {
        mls_cli_say_no_memory(cli);
    } else if (!settings->resume || !is_up_to_date(cli->output_path, state_path.ptr, state.text)) {
        mls_hash_words digest;
        mls_status status = write_shard(cli, job, belongs, &digest, &error);
        if (status == MLS_OK && settings->resume && cli->status == MLS_EXIT_OK) {
            status = note_state(state_path.ptr, state.text, digest.text, &error);
        }
        if (status != MLS_OK) {
            mls_cli_say(cli, MLS_EXIT_IO, status == MLS_ERROR_WRITE ? cli->output_path : NULL, "%s", error.message);
        }
    }
    job->reading.work.progress_state = NULL;
    mls_cli_progress_end(cli);
    mls_buffer_release(&state_path);
}

void mls_cli_write_part(mls_cli *cli, const mls_shard_settings *settings, const mls_collect_options *how,
                        mls_part_options options, const mls_shard_job *job)
{
    mls_shard_job shard = *job;
    shard_asking asking = {.cli = cli, .endings.options = {.work = {.threads = cli->work.threads}, .unpack = true}};
    mls_part_head head = {0};
    bool *belongs = NULL;
    shard.head = &head;
    shard.sources = &cli->sources;
    shard.state = &asking;
    shard.say_failed = say_not_found;
    shard.ending = job->groups ? find_ending : NULL;
    shard.measures = job->groups ? holds_measurements : NULL;
    shard.reading.work = cli->work;
    if (can_be_dealt(cli) && make_head(cli, settings, how, options, &head) &&
        find_shard_sources(cli, settings, &head, &belongs)) {
        make_part(cli, settings, &shard, belongs);
    }
    free(belongs);
    mls_endings_release(&asking.endings);
    mls_carry_release(&mls_part_head_table, &head);
}
