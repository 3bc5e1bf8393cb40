/* SPDX-License-Identifier: Apache-2.0 */
/* shards.c - read one shard of the files and write its part (option --partial).
 *
 * Every shard lists all files.  It also determines the edition of each submission tree, which depends on logs of other
 * shards, but otherwise it reads only its own files.  The part contains one line per file, which is written when the
 * file has been read, so memory contains only the runs of one file. */
#include "cli/scoring.h"

#include <stdlib.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/memory.h"
#include "explain/diagnose/diagnose.h"
#include "explain/telemetry/telemetry.h"
#include "mlscore/version.h"
#include "score/score.h"

bool mls_cli_names_part(mls_cli *cli)
{
    return (cli->output_path != NULL && strcmp(cli->output_path, "-") != 0) ||
           mls_cli_usage_error(cli, "--partial requires -o FILE");
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
    if (wrong != NULL)
        return mls_cli_usage_error(cli, "--%s cannot be used with --partial: pass it to mlscore merge", wrong);
    if (settings->shard == NULL)
        return mls_cli_usage_error(cli, "--partial requires --shard I/N");
    if (!mls_shard_parse(mls_str_from(settings->shard), &shard))
        return mls_cli_usage_error(cli, "invalid shard '%s': expected I/N with 1 <= I <= N", settings->shard);
    return mls_cli_names_part(cli);
}

/* The state of reading a shard. */
typedef struct shard_reading {
    mls_cli *cli;
    const mls_shard_job *job;
    mls_sources own; /* files of this shard; their texts belong to the list of all sources */
    mls_part_writer writer;
    mls_tree_editions trees;
    mls_known_settings known;
    mls_scan_room *room;
    mls_endings endings;
    mls_part_file file; /* the current file, with its runs */
    size_t next;        /* index of the first file whose line was not written yet */
    mls_arena arena;
    mls_map folders; /* folders whose system description was already written in a line */
    mls_error error;
} shard_reading;

/* Add the data that scoring would read from files on this machine, because merging may run elsewhere.  Of the printed
 * settings, keep only those in the table of known settings. */
static mls_status look_up(shard_reading *self, mls_part_run *run)
{
    const mls_printed *printed = run->run.printed;
    const mls_printed_facts heard = run->run.facts;
    const mls_findings findings = run->run.findings;
    mls_status status =
        printed != NULL && self->known.items == NULL ? mls_known_settings_load(&self->known, &self->error) : MLS_OK;
    for (size_t i = 0; printed != NULL && i < printed->settings.count && status == MLS_OK; i++) {
        if (mls_known_setting_printed(&self->known, printed->settings.items[i].name) != NULL) {
            MLS_GROW(&run->printed, items);
            run->printed.items[run->printed.count++] = printed->settings.items[i];
        }
    }
    run->run.facts = (mls_printed_facts){0};
    if (status == MLS_OK)
        status = mls_run_read_facts(&self->known, &self->room, &run->run);
    run->extra.facts = run->run.facts;
    run->run.facts = heard;
    mls_run_extra_find_power(&run->run, &run->extra);
    run->run.findings = (mls_findings){0}; /* collect only the reason why the run ended */
    if (status == MLS_OK)
        status = mls_endings_find(&self->endings, &run->run, &self->error);
    run->extra.ending = run->run.findings;
    run->run.findings = findings;
    return status;
}

/* Write the line of a file, which may have been skipped, and free its runs. */
static mls_status write_file(shard_reading *self, size_t index)
{
    const mls_source *source = &self->own.items[index];
    mls_part_file *file = &self->file;
    mls_status status = MLS_OK;
    file->source = *source;
    if (source->failed || file->error != NULL)
        mls_cli_unread(self->cli, source->path, source->failed ? source->skip : file->error, source->finding);
    if (self->job->groups && file->runs.count > 0) {
        const mls_str folder = mls_path_folder(mls_str_from(source->path));
        bool added = false;
        if (source->result)
            mls_place_find_tree(&self->trees, source->path, &file->place);
        (void)mls_map_put(&self->folders, folder, &added);
        if (added)
            mls_place_find_system(folder, &self->arena, &file->place);
    } else if (self->job->groups) {
        file->measures = mls_telemetry_measures(source);
    }
    for (size_t i = 0; i < file->runs.count && status == MLS_OK && self->job->groups; i++)
        status = look_up(self, &file->runs.items[i]);
    if (status == MLS_OK)
        mls_part_writer_add(&self->writer, file);
    mls_part_file_release(file);
    return status;
}

/* Write the lines of the skipped files up to index `end`. */
static mls_status write_skipped(shard_reading *self, size_t end)
{
    mls_status status = MLS_OK;
    for (; self->next < end && status == MLS_OK; self->next++)
        status = write_file(self, self->next);
    return status;
}

/* Store a run until the line of its file is written. */
static mls_status keep_run(void *state, size_t index, mls_run *run, void **notes)
{
    shard_reading *self = state;
    const mls_status status = write_skipped(self, index);
    if (status == MLS_OK) {
        MLS_GROW(&self->file.runs, items);
        mls_part_run *kept = &self->file.runs.items[self->file.runs.count++];
        mls_part_run_init(kept);
        kept->run = *run;
        kept->tracked = *notes;
        *notes = NULL;
        mls_run_init(run);
    }
    return status;
}

static mls_status end_source(void *state, const mls_read *read)
{
    shard_reading *self = state;
    mls_status status = write_skipped(self, read->index);
    self->next = read->index + 1;
    self->file.totals = read->totals;
    self->file.error = read->status != MLS_OK ? read->error.message : NULL;
    if (self->job->count != NULL)
        self->job->count(read, &self->file);
    return status == MLS_OK ? write_file(self, read->index) : status;
}

static mls_status listen_for_job(void *state, size_t index, mls_sink *sink)
{
    const mls_reading *reading = &((const shard_reading *)state)->job->reading;
    return reading->listen(reading->state, index, sink);
}

void mls_cli_write_part(mls_cli *cli, const mls_shard_job *job)
{
    const mls_collect_options *how = job->how;
    const char *const *roots = (const char *const *)cli->operands.items;
    mls_sources *all = &cli->sources;
    mls_shard shard;
    struct stat about;
    mls_hash_words own_rules;
    const mls_hash_words rules = mls_part_rules_hash();
    mls_part_head head = {.format = MLS_PART_FORMAT,
                          .version = MLS_VERSION,
                          .rules = rules.text,
                          .command = cli->command->name,
                          .usage = mls_usage_name(how->usage),
                          .edition = how->edition != NULL ? how->edition->name : NULL,
                          .options = job->options,
                          .roots = cli->operands};
    for (size_t i = 0; i < cli->operands.count; i++) {
        if (strcmp(roots[i], "-") == 0 ||
            (stat(roots[i], &about) == 0 && !S_ISREG(about.st_mode) && !S_ISDIR(about.st_mode))) {
            mls_cli_error(cli, MLS_EXIT_USAGE, NULL, "'%s' is not a regular file or folder, as --partial requires",
                          roots[i]);
            return;
        }
    }
    /* Cannot fail: mls_cli_shard_is_right() has checked the text. */
    (void)mls_shard_parse(mls_str_from(job->settings->shard), &shard);
    head.shards = shard.count;
    head.shard = shard.number;
    head.options.any_usage = how->any_usage;
    if (cli->rules_path != NULL) {
        mls_buffer own = {0};
        if (stat(cli->rules_path, &about) == 0 && !S_ISREG(about.st_mode)) {
            mls_cli_error(cli, MLS_EXIT_USAGE, NULL, "--partial needs --rules to be a file");
            return;
        }
        if (!mls_cli_read_file(cli, cli->rules_path, &own))
            return;
        own_rules = mls_hash_of(mls_buffer_str(&own));
        head.options.own_rules = own_rules.text;
        mls_buffer_release(&own);
    }
    shard_reading self = {
        .cli = cli, .job = job, .endings.options = {.work = {.threads = cli->work.threads}, .unpack = true}};
    mls_status status = mls_sources_find(roots, cli->operands.count, all, &self.error);
    if (status == MLS_OK)
        status = mls_output_open_lasting(&cli->output, cli->output_path, &self.error);
    if (status == MLS_OK) {
        mls_reading reading = job->reading;
        self.folders.arena = &self.arena;
        if (job->groups)
            mls_tree_editions_find(roots, cli->operands.count, how, all, &self.trees);
        for (size_t i = 0; i < all->count; i++) {
            const mls_source *source = &all->items[i];
            if (mls_shard_of(mls_str_from(source->path), mls_str_from(roots[source->argument]), shard.count) ==
                shard.number) {
                MLS_GROW(&self.own, items);
                self.own.items[self.own.count++] = *source;
            }
        }
        reading.work = cli->work;
        reading.state = &self;
        reading.printed = head.options.wide ? MLS_PRINTED_OF_ALL : MLS_PRINTED_OF_NONE;
        reading.run = job->count == NULL ? keep_run : NULL;
        reading.done = end_source;
        reading.listen = job->count != NULL ? listen_for_job : NULL;
        mls_part_writer_begin(&self.writer, &cli->output, &head);
        status = mls_read_sources(&reading, self.own.items, self.own.count, &self.error);
        status = status == MLS_OK ? write_skipped(&self, self.own.count) : status;
        mls_part_writer_end(&self.writer);
        status = mls_output_close_after(&cli->output, status, &self.error);
    }
    if (status != MLS_OK)
        mls_cli_error(cli, MLS_EXIT_IO, status == MLS_ERROR_WRITE ? cli->output_path : NULL, "%s", self.error.message);
    mls_cli_progress_end(cli);
    mls_cli_print_foreign(cli);
    mls_part_file_release(&self.file);
    free(self.own.items);
    mls_tree_editions_release(&self.trees);
    mls_known_settings_release(&self.known);
    mls_scan_room_free(self.room);
    mls_endings_release(&self.endings);
    mls_arena_release(&self.arena);
}
