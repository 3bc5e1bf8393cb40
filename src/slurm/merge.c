/* SPDX-License-Identifier: Apache-2.0 */
/* merge.c - parts in, the runs of all in the order of one process out.
 *
 * A first pass reads every part to its end, checks all that is in it and notes where the line of each file is; what is
 * handed over is read again from there, in order. */
#include "slurm/merge.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "slurm/merged.h"

void mls_merge_trouble_release(mls_merge_trouble *trouble)
{
    free(trouble->path);
    *trouble = (mls_merge_trouble){0};
}

const mls_part_head *mls_merge_head(const mls_merge *merge)
{
    return &merge->head;
}

const mls_shard_ranges *mls_merge_shards(const mls_merge *merge)
{
    return &merge->shards;
}

const mls_shard_ranges *mls_merge_missing(const mls_merge *merge)
{
    return &merge->missing;
}

const mls_names *mls_merge_measuring(const mls_merge *merge)
{
    return &merge->measuring;
}

static void free_carried(struct mls_carried *carried)
{
    mls_carried_release(carried);
    free(carried);
}

void mls_merge_forget(mls_merge *merge)
{
    for (struct mls_carried *each = merge->carried, *next; each != NULL; each = next) {
        next = each->next;
        free_carried(each);
    }
    merge->carried = NULL;
}

const char *mls_merge_failure(const mls_merge *merge)
{
    return merge != NULL && merge->failure.status != MLS_OK ? merge->failure.message : NULL;
}

void mls_merge_free(mls_merge *merge)
{
    if (merge == NULL) {
        return;
    }
    for (size_t i = 0; i < merge->files.count; i++) {
        free(merge->files.items[i].source.path);
        free(merge->files.items[i].source.skip);
    }
    free(merge->files.items);
    free(merge->lines);
    for (size_t i = 0; i < merge->parts.count; i++) {
        free(merge->parts.items[i].shards);
    }
    free(merge->parts.items);
    mls_merge_forget(merge);
    for (size_t i = 0; i < MLS_PARTS_OPEN_MAX; i++) {
        if (merge->open[i].fd > 0) {
            (void)close(merge->open[i].fd - 1);
        }
    }
    mls_carry_release(&mls_part_head_table, &merge->head);
    free(merge->shards.items);
    free(merge->missing.items);
    mls_names_release(&merge->measuring);
    mls_buffer_release(&merge->line);
    mls_arena_release(&merge->room.scratch);
    mls_arena_release(&merge->arena);
    free(merge);
}

/* -------------------------------------------------------------- together */

static int compare_files(const void *a, const void *b)
{
    const mls_source *x = &((const mls_merged_file *)a)->source;
    const mls_source *y = &((const mls_merged_file *)b)->source;
    return x->argument != y->argument ? (x->argument > y->argument) - (x->argument < y->argument)
                                      : mls_compare_paths(mls_str_from(x->path), mls_str_from(y->path));
}

/* Sorts the files; a file that two parts have is of one of them alone. */
static mls_status order_files(mls_merge *merge, mls_merge_trouble *trouble)
{
    mls_merged_file *files = merge->files.items;
    if (merge->files.count > 1) {
        qsort(files, merge->files.count, sizeof *files, compare_files);
    }
    for (size_t i = 1; i < merge->files.count; i++) {
        if (compare_files(&files[i - 1], &files[i]) == 0) {
            trouble->path = mls_strdup(merge->parts.items[files[i].at.part].path);
            return mls_error_set(&trouble->error, MLS_ERROR_VALUE, files[i].at.line, 1, "'%s' is in '%s' too",
                                 files[i].source.path, merge->parts.items[files[i - 1].at.part].path);
        }
    }
    return MLS_OK;
}

mls_status mls_merge_open(const char *const *paths, size_t count, mls_merge **merge_of, mls_merge_trouble *trouble)
{
    mls_merge *merge = mls_calloc(1, sizeof *merge);
    mls_status status = MLS_OK;
    *merge_of = NULL;
    if (merge == NULL) {
        return mls_error_memory(&trouble->error);
    }
    merge->texts.arena = merge->known.arena = merge->folders.arena = &merge->arena;
    merge->room.texts = &merge->texts;
    mls_carry_clear(&mls_part_head_table, &merge->head);
    for (size_t i = 0; i < count && status == MLS_OK; i++) {
        status = mls_part_check(merge, paths[i], &trouble->error);
        if (status != MLS_OK) {
            trouble->path = mls_strdup(paths[i]);
        }
    }
    status = status == MLS_OK ? order_files(merge, trouble) : status;
    if (status == MLS_OK && !mls_shard_ranges_missing(&merge->shards, merge->head.shards, &merge->missing)) {
        status = mls_error_memory(&trouble->error);
    }
    if (status == MLS_OK) {
        *merge_of = merge;
    } else {
        mls_merge_free(merge);
    }
    return status;
}

mls_status mls_merge_sources(mls_merge *merge, mls_sources *sources)
{
    const size_t count = merge->files.count;
    sources->items = mls_calloc(count + 1, sizeof *sources->items);
    merge->lines = mls_calloc(count + 1, sizeof *merge->lines);
    if (sources->items == NULL || merge->lines == NULL) {
        return MLS_ERROR_MEMORY;
    }
    sources->capacity = count + 1;
    sources->count = count;
    for (size_t i = 0; i < count; i++) {
        sources->items[i] = merge->files.items[i].source;
        merge->lines[i] = merge->files.items[i].at;
    }
    free(merge->files.items);
    merge->files.items = NULL;
    merge->files.count = merge->files.capacity = 0;
    return MLS_OK;
}

/* -------------------------------------------------------------- reading again */

static int part_descriptor(mls_merge *merge, uint32_t part, mls_error *error)
{
    const size_t slot = part % MLS_PARTS_OPEN_MAX;
    if (merge->open[slot].fd == 0 || merge->open[slot].part != part) {
        if (merge->open[slot].fd > 0) {
            (void)close(merge->open[slot].fd - 1);
        }
        merge->open[slot].part = part;
        merge->open[slot].fd = mls_file_open(merge->parts.items[part].path, false, error) + 1;
    }
    return merge->open[slot].fd - 1;
}

static mls_status say_changed(const mls_merge *merge, const mls_file_line *at, mls_error *error)
{
    return mls_error_set(error, MLS_ERROR_READ, at->line, 1, "'%s' has changed while it was read",
                         merge->parts.items[at->part].path);
}

/* The line of a file, as it was, in merge->line. */
static mls_status read_line(mls_merge *merge, const mls_file_line *at, mls_error *error)
{
    mls_buffer *line = &merge->line;
    const int fd = part_descriptor(merge, at->part, error);
    size_t done = 0;
    mls_buffer_clear(line);
    if (fd < 0) {
        return error->status;
    }
    if (!mls_buffer_reserve(line, at->len)) {
        return mls_error_memory(error);
    }
    while (done < at->len) {
        const ssize_t got = pread(fd, line->ptr + done, at->len - done, (off_t)(at->offset + done));
        if (got == 0 || (got < 0 && errno != EINTR)) {
            break;
        }
        done += got > 0 ? (size_t)got : 0;
    }
    line->len = done;
    line->ptr[done] = '\0';
    return done == at->len && mls_str_hash(mls_buffer_str(line), 0) == at->hash ? MLS_OK
                                                                                : say_changed(merge, at, error);
}

/* A source whose runs are being handed over. */
typedef struct handing {
    mls_merge *merge;
    const mls_reading *reading;
    const mls_source *source;
    const mls_carried_place *place;
    size_t index;
} handing;

/* What is carried beside a run stays as long as the run may. */
static mls_status hand_run(void *state, mls_part_run *run)
{
    const handing *self = state;
    struct mls_carried *carried = mls_malloc(sizeof *carried);
    if (carried == NULL) {
        return MLS_ERROR_MEMORY;
    }
    *carried = run->carried;
    carried->place = self->place;
    run->carried = (struct mls_carried){0};
    run->run.carried = carried;
    run->run.result = self->source->result;
    run->run.file = mls_strdup(self->source->path);
    const mls_status status = run->run.file != NULL
                                  ? self->reading->run(self->reading->state, self->index, &run->run, run->run.part)
                                  : MLS_ERROR_MEMORY;
    if (run->run.file != NULL) {
        free_carried(carried); /* nobody took the run */
    } else {
        carried->next = self->merge->carried;
        self->merge->carried = carried;
    }
    return status;
}

/* What is known of the folder of a file: the first that says it counts, and most have nothing to say. */
static mls_status place_of_source(mls_merge *merge, const mls_part_source *source, const mls_carried_place **known,
                                  mls_error *error)
{
    static const mls_carried_place nowhere;
    const mls_str folder = mls_path_folder(mls_str_from(source->path));
    if (source->tree.edition == NULL && source->system.id == NULL) {
        const mls_map_entry *said = mls_map_find(&merge->folders, folder);
        *known = said != NULL ? said->value.pointer : &nowhere;
        return MLS_OK;
    }
    mls_map_entry *entry = mls_map_put(&merge->folders, folder, NULL);
    if (entry != NULL && entry->value.pointer == NULL) {
        entry->value.pointer = mls_arena_zeroed(&merge->arena, 1, sizeof(mls_carried_place));
    }
    mls_carried_place *place = entry != NULL ? entry->value.pointer : NULL;
    *known = place;
    if (place == NULL) {
        return mls_error_memory(error);
    }
    if (source->tree.edition != NULL && place->tree.edition != NULL &&
        (source->tree.edition != place->tree.edition || source->tree.by_date != place->tree.by_date)) {
        return mls_error_set(error, MLS_ERROR_READ, 0, 0,
                             "'%s': the shards do not agree on the edition of its tree, which changed between them",
                             source->path);
    }
    place->tree = source->tree.edition != NULL ? source->tree : place->tree;
    if (source->system.id != NULL && place->system == NULL) {
        mls_carried_system *system = mls_arena_alloc(&merge->arena, sizeof *system);
        if (system == NULL) {
            return mls_error_memory(error);
        }
        *system = source->system;
        place->system = system;
    }
    return MLS_OK;
}

static mls_status hand_source(handing *self, mls_error *error)
{
    mls_merge *merge = self->merge;
    mls_carry_room *room = &merge->room;
    const mls_file_line *at = &merge->lines[self->index];
    mls_part_source source = {0};
    const mls_carried_place *place = NULL;
    mls_read read = {.index = self->index, .source = self->source};
    mls_status status = read_line(merge, at, error);
    if (status == MLS_OK) {
        status =
            mls_part_line_read(&mls_part_source_table, mls_buffer_str(&merge->line), at->line, room, &source, error);
    }
    status = status == MLS_OK ? place_of_source(self->merge, &source, &place, error) : status;
    if (status == MLS_OK) {
        self->place = place;
        status = mls_part_runs_read(source.runs, at->line, room, self->reading->run != NULL ? hand_run : NULL, self,
                                    &read.runs, error);
    }
    if (status == MLS_OK && self->reading->done != NULL) {
        read.totals = (mls_log_totals){.bytes = source.bytes,
                                       .records = source.records,
                                       .malformed = source.malformed,
                                       .quoted = source.quoted,
                                       .reason = source.reason,
                                       .binary = source.binary,
                                       .unread = source.unread};
        if (source.error != NULL) {
            read.status = mls_error_set(&read.error, MLS_ERROR_READ, 0, 0, "%s", source.error);
        }
        read.heard = self->reading->heard_size > 0 ? &source : NULL;
        status = self->reading->done(self->reading->state, &read);
    }
    mls_carry_release(&mls_part_source_table, &source);
    return status;
}

mls_status mls_merge_read(mls_merge *merge, const mls_reading *reading, const mls_sources *sources, mls_error *error)
{
    mls_error ignored = {0};
    mls_status status = MLS_OK;
    error = error != NULL ? error : &ignored;
    for (size_t i = 0; i < sources->count && status == MLS_OK; i++) {
        handing self = {.merge = merge, .reading = reading, .source = &sources->items[i], .index = i};
        if (self.source->skip == NULL) {
            status = hand_source(&self, error);
        }
    }
    return status == MLS_ERROR_MEMORY ? mls_error_memory(error) : status;
}

mls_status mls_merge_read_again(mls_merge *merge, const mls_reading *reading, const mls_source *source, size_t index)
{
    handing self = {.merge = merge, .reading = reading, .source = source, .index = index};
    if (merge->failure.status == MLS_OK && hand_source(&self, &merge->failure) == MLS_ERROR_MEMORY) {
        mls_merge_lacks_memory(merge);
    }
    return merge->failure.status;
}

mls_status mls_merge_lacks(mls_merge *merge, size_t index)
{
    return say_changed(merge, &merge->lines[index], &merge->failure);
}

void mls_merge_lacks_memory(mls_merge *merge)
{
    if (merge->failure.status == MLS_OK) {
        (void)mls_error_memory(&merge->failure);
    }
}

mls_status mls_merge_write(mls_merge *merge, mls_output *output, mls_error *error)
{
    mls_part_head head = merge->head;
    mls_part_writer writer;
    mls_status status = MLS_OK;
    head.shard = 0;
    head.shards_in = merge->shards;
    mls_part_writer_begin(&writer, output, &head);
    for (size_t i = 0; i < merge->files.count && status == MLS_OK; i++) {
        const mls_file_line *at = &merge->files.items[i].at;
        mls_part_source source = {0};
        size_t runs = 0;
        status = read_line(merge, at, error);
        if (status == MLS_OK) {
            status = mls_part_line_read(&mls_part_source_table, mls_buffer_str(&merge->line), at->line, &merge->room,
                                        &source, error);
        }
        if (status == MLS_OK) {
            status = mls_part_runs_read(source.runs, at->line, &merge->room, NULL, NULL, &runs, error);
            mls_part_writer_line(&writer, mls_buffer_str(&merge->line), runs, source.bytes);
        }
        mls_carry_release(&mls_part_source_table, &source);
    }
    if (!mls_part_writer_end(&writer) && status == MLS_OK) {
        status = mls_error_memory(error);
    }
    return status;
}

mls_status mls_merge_note_endings(mls_collection *collection)
{
    bool ok = true;
    for (size_t i = 0; i < collection->run_count && ok; i++) {
        mls_run *run = &collection->runs[i];
        mls_findings_append_as_they_are(&run->findings, &run->carried->ending);
        ok = !run->findings.out_of_memory;
    }
    return ok ? MLS_OK : MLS_ERROR_MEMORY;
}
