/* SPDX-License-Identifier: Apache-2.0 */
/* part_write.c - one shard of a tree read, and written as a part.
 *
 * Each shard finds all sources and the editions of their trees, as these depend on logs of other shards, and reads its
 * own.  The line of a file is made when the file has been read, so that memory holds the runs of one file. */
#include "score/part_write.h"

#include <stdlib.h>

#include "base/file.h"
#include "base/memory.h"
#include "score/slurm.h"

typedef struct shard_reading {
    const mls_shard_job *job;
    mls_sources own; /* of this shard; their texts are those of all */
    mls_part_writer writer;
    mls_tree_editions trees;
    mls_known_settings known;
    mls_scan_room *room;
    MLS_LIST_OF(mls_part_run) runs; /* of the file that is read */
    size_t next;                    /* the first source without a line */
    mls_arena arena;
    mls_map folders; /* whose system a line has told */
    mls_error *error;
} shard_reading;

static mls_status listen_for_job(void *state, size_t index, mls_sink *sink)
{
    const mls_reading *reading = &((const shard_reading *)state)->job->reading;
    return reading->listen(reading->state, index, sink);
}

/* What was heard before a run: its facts, and of the settings those that are known. */
static mls_status take_heard(shard_reading *self, mls_part_run *run)
{
    const mls_printed *printed = run->run.printed;
    struct mls_carried *carried = &run->carried;
    carried->heard = run->run.facts;
    carried->has_printed = printed != NULL;
    const mls_status status =
        printed != NULL && self->known.items == NULL ? mls_known_settings_load(&self->known, NULL) : MLS_OK;
    for (size_t i = 0; printed != NULL && i < printed->settings.count && status == MLS_OK; i++) {
        if (mls_known_setting_printed(&self->known, printed->settings.items[i].name) != NULL) {
            (void)MLS_GROW(&carried->printed.settings, items);
            carried->printed.settings.items[carried->printed.settings.count++] = printed->settings.items[i];
        }
    }
    return status;
}

/* Asks why a run ended apart from what else was found about it. */
static mls_status ask_ending(const shard_reading *self, mls_part_run *run)
{
    const mls_findings findings = run->run.findings;
    run->run.findings = (mls_findings){0};
    const mls_status status = self->job->ending(self->job->state, &run->run, self->error);
    run->carried.ending = run->run.findings;
    run->run.findings = findings;
    return status;
}

/* Everything that whoever scores runs would look up on this disk. */
static mls_status look_up(shard_reading *self, mls_part_run *run)
{
    mls_status status = take_heard(self, run);
    run->run.facts = (mls_printed_facts){0};
    status = status == MLS_OK ? mls_run_read_facts(&self->known, &self->room, &run->run) : status;
    run->carried.facts = run->run.facts;
    status = status == MLS_OK ? mls_power_carry(&run->run, &run->carried) : status;
    return status == MLS_OK && self->job->ending != NULL ? ask_ending(self, run) : status;
}

/* The edition of its tree, and with the first file of a folder the system there. */
static void look_up_place(shard_reading *self, mls_part_source *source, mls_folder_system *system)
{
    const mls_edition *edition = NULL;
    bool added = false;
    if (source->result) {
        edition = mls_tree_editions_of(&self->trees, source->path, &source->tree.usage, &source->tree.by_date);
        source->tree.edition = edition != NULL ? edition->name : NULL;
    }
    const mls_str folder = mls_path_folder(mls_str_from(source->path));
    (void)mls_map_put(&self->folders, folder, &added);
    if (added) {
        (void)mls_folder_system_find(folder, system);
    }
    source->system.id = system->known ? system->id.ptr : NULL;
    source->system.text = system->described ? mls_buffer_str(&system->text) : (mls_str){0};
}

/* Forgets the runs of a file that has its line. */
static void forget_source(shard_reading *self)
{
    for (size_t i = 0; i < self->runs.count; i++) {
        mls_part_run_release(&self->runs.items[i]);
    }
    self->runs.count = 0;
}

/* The line of a file, read or not. */
static mls_status write_source(shard_reading *self, size_t index, mls_part_source *source)
{
    mls_folder_system system = {0};
    mls_status status = MLS_OK;
    if (source->failed || source->error != NULL) {
        self->job->say_failed(self->job->state, source->path, source->failed ? source->skip : source->error,
                              source->finding);
    }
    if (self->job->groups && self->runs.count > 0) {
        look_up_place(self, source, &system);
    }
    if (self->job->measures != NULL && self->runs.count == 0) {
        source->measures = self->job->measures(self->job->state, &self->own.items[index]);
    }
    for (size_t i = 0; i < self->runs.count && status == MLS_OK && self->job->groups; i++) {
        status = look_up(self, &self->runs.items[i]);
    }
    if (status == MLS_OK) {
        status = mls_part_writer_add(&self->writer, source, self->runs.items, self->runs.count, self->error);
    }
    forget_source(self);
    mls_folder_system_release(&system);
    return status;
}

static mls_part_source describe_source(const mls_source *source)
{
    return (mls_part_source){.argument = source->argument,
                             .path = source->path,
                             .size = source->size,
                             .named = source->named,
                             .result = source->result,
                             .skip = source->skip,
                             .failed = source->failed,
                             .finding = source->finding};
}

/* The lines of the sources before one, which are not read. */
static mls_status write_skipped(shard_reading *self, size_t end)
{
    mls_status status = MLS_OK;
    for (; self->next < end && status == MLS_OK; self->next++) {
        mls_part_source source = describe_source(&self->own.items[self->next]);
        status = write_source(self, self->next, &source);
    }
    return status;
}

/* Runs wait until their file has ended. */
static mls_status keep_run(void *state, size_t index, mls_run *run, void **notes)
{
    shard_reading *self = state;
    const mls_status status = self->runs.count == 0 ? write_skipped(self, index) : MLS_OK;
    if (status != MLS_OK) {
        return status;
    }
    (void)MLS_GROW(&self->runs, items);
    mls_part_run *kept = &self->runs.items[self->runs.count++];
    mls_part_run_init(kept);
    kept->run = *run;
    kept->tracked = *notes;
    *notes = NULL;
    mls_run_init(run);
    return MLS_OK;
}

static mls_status end_source(void *state, const mls_read *read)
{
    shard_reading *self = state;
    mls_part_source source = describe_source(read->source);
    mls_status status = self->runs.count == 0 ? write_skipped(self, read->index) : MLS_OK;
    source.bytes = read->totals.bytes;
    source.records = read->totals.records;
    source.malformed = read->totals.malformed;
    source.quoted = read->totals.quoted;
    source.reason = read->totals.reason;
    source.binary = read->totals.binary;
    source.unread = read->totals.unread;
    source.error = read->status != MLS_OK ? read->error.message : NULL;
    self->next = read->index + 1;
    if (status == MLS_OK && self->job->heard != NULL) {
        status = self->job->heard(self->job->reading.state, read, &source);
    }
    status = status == MLS_OK ? write_source(self, read->index, &source) : status;
    free(source.lines.items);
    return status;
}

static void release_reading(shard_reading *self)
{
    forget_source(self);
    free(self->runs.items);
    free(self->own.items);
    mls_tree_editions_release(&self->trees);
    mls_known_settings_release(&self->known);
    mls_scan_room_free(self->room);
    mls_arena_release(&self->arena);
}

mls_status mls_shard_read(const mls_shard_job *job, mls_output *output, mls_error *error)
{
    shard_reading self = {.job = job, .error = error};
    const mls_part_head *head = job->head;
    const mls_names *roots = &head->roots;
    mls_reading reading = job->reading;
    self.folders.arena = &self.arena;
    mls_status status = MLS_OK;
    if (job->options != NULL) {
        status = mls_tree_editions_find((const char *const *)roots->items, roots->count, job->options, job->sources,
                                        &self.trees);
    }
    for (size_t i = 0; i < job->sources->count; i++) {
        const mls_source *source = &job->sources->items[i];
        const mls_str below = mls_path_below(mls_str_from(source->path), mls_str_from(roots->items[source->argument]));
        if (mls_shard_of(below, head->shards) == head->shard) {
            (void)MLS_GROW(&self.own, items);
            self.own.items[self.own.count++] = *source;
        }
    }
    reading.printed = head->options.wide ? MLS_PRINTED_OF_ALL : MLS_PRINTED_OF_NONE;
    reading.state = &self;
    reading.run = job->heard == NULL ? keep_run : NULL;
    reading.done = end_source;
    reading.listen = job->heard != NULL ? listen_for_job : NULL;
    mls_part_writer_begin(&self.writer, output, head);
    status = status == MLS_OK ? mls_read_sources(&reading, self.own.items, self.own.count, error) : status;
    status = status == MLS_OK ? write_skipped(&self, self.own.count) : status;
    mls_part_writer_end(&self.writer);
    release_reading(&self);
    return status;
}
