/* SPDX-License-Identifier: Apache-2.0 */
/* merge.c - parts in, the runs of all in the order of one process out. */
#include "score/merge.h"

#include <stdlib.h>

#include "base/file.h"
#include "base/memory.h"

struct mls_merge {
    mls_part_head head; /* of the first part */
    mls_shard_ranges shards, missing;
    MLS_LIST_OF(mls_shard_part) parts; /* without their files, which are … */
    MLS_LIST_OF(mls_part_file) files;  /* … these, in the order of one process */
    mls_arena arena;                   /* of texts, places and maps */
    mls_map texts, known, folders;     /* known: shards as words to the number of their part; folders: their places */
    mls_names measuring;
    MLS_LIST_OF(struct mls_carried *) carried; /* beside the runs that were handed over */
    mls_carry_room room;
};

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

void mls_merge_free(mls_merge *merge)
{
    if (merge == NULL) {
        return;
    }
    for (size_t i = 0; i < merge->files.count; i++) {
        mls_part_file_release(&merge->files.items[i]);
    }
    free(merge->files.items);
    for (size_t i = 0; i < merge->parts.count; i++) {
        mls_part_release(&merge->parts.items[i]);
    }
    free(merge->parts.items);
    for (size_t i = 0; i < merge->carried.count; i++) {
        mls_carried_release(merge->carried.items[i]);
        free(merge->carried.items[i]);
    }
    free(merge->carried.items);
    free(merge->shards.items);
    free(merge->missing.items);
    mls_names_release(&merge->measuring);
    mls_arena_release(&merge->room.scratch);
    mls_arena_release(&merge->arena);
    free(merge);
}

mls_status mls_merge_same_head(const mls_merge *merge, const mls_part_head *head, mls_error *error)
{
    const char *different = mls_part_head_difference(&merge->head, head);
    return different == NULL ? MLS_OK
                             : mls_error_set(error, MLS_ERROR_VALUE, 0, 0, "its '%s' is not that of '%s'", different,
                                             merge->parts.items[0].path);
}

/* Take over the shards and files of a part that was read.  The same part once more counts once; other bytes for the
 * same shards are refused. */
static mls_status add_part(mls_merge *merge, mls_shard_part *part, mls_error *error)
{
    mls_buffer words = {0};
    bool added = false;
    size_t twice;
    mls_shard_ranges_words(&part->shards, &words);
    mls_map_entry *entry = mls_map_put(&merge->known, mls_buffer_str(&words), &added);
    mls_buffer_release(&words);
    if (!added) {
        const mls_shard_part *other = &merge->parts.items[entry->value.number];
        return other->digest == part->digest
                   ? MLS_OK
                   : mls_error_set(error, MLS_ERROR_VALUE, 0, 0, "shard %s/%zu is in '%s' too, with different bytes",
                                   entry->key.ptr, merge->head.shards, other->path);
    }
    entry->value.number = (size_t)(part - merge->parts.items);
    for (size_t i = 0; i < part->shards.count; i++) {
        mls_shard_ranges_add(&merge->shards, part->shards.items[i].first, part->shards.items[i].last);
    }
    if (!mls_shard_ranges_join(&merge->shards, &twice)) {
        return mls_error_set(error, MLS_ERROR_VALUE, 0, 0, "shard %zu/%zu is in another part too", twice,
                             merge->head.shards);
    }
    for (size_t i = 0; i < part->files.count; i++) {
        const mls_part_file *file = &part->files.items[i];
        if (file->source.measures) {
            (void)mls_names_add(&merge->measuring, mls_str_from(file->source.path));
        }
        (void)MLS_GROW(&merge->files, items);
        merge->files.items[merge->files.count++] = *file;
    }
    part->files.count = 0;
    return MLS_OK;
}

static int compare_files(const void *a, const void *b)
{
    const mls_part_source *x = &((const mls_part_file *)a)->source;
    const mls_part_source *y = &((const mls_part_file *)b)->source;
    return x->argument != y->argument ? (x->argument > y->argument) - (x->argument < y->argument)
                                      : mls_compare_paths(mls_str_from(x->path), mls_str_from(y->path));
}

mls_status mls_merge_open(const char *const *paths, size_t count, mls_merge **merge_of, mls_merge_trouble *trouble)
{
    mls_merge *merge = mls_calloc(1, sizeof *merge);
    mls_error *error = &trouble->error;
    mls_status status = MLS_OK;
    merge->texts.arena = merge->known.arena = merge->folders.arena = &merge->arena;
    merge->room.texts = &merge->texts;
    for (size_t i = 0; i < count && status == MLS_OK; i++) {
        (void)MLS_GROW(&merge->parts, items);
        mls_shard_part *part = &merge->parts.items[merge->parts.count++];
        status = mls_part_read(paths[i], &merge->room, part, error);
        if (i == 0) {
            merge->head = part->head;
        } else if (status == MLS_OK) {
            status = mls_merge_same_head(merge, &part->head, error);
        }
        status = status == MLS_OK ? add_part(merge, part, error) : status;
        if (status != MLS_OK) {
            trouble->path = mls_strdup(paths[i]);
        }
    }
    if (status == MLS_OK && merge->files.count > 1) {
        qsort(merge->files.items, merge->files.count, sizeof *merge->files.items, compare_files);
    }
    for (size_t i = 1; i < merge->files.count && status == MLS_OK; i++) {
        const mls_part_file *file = &merge->files.items[i];
        if (compare_files(file - 1, file) == 0) {
            trouble->path = mls_strdup(file->part);
            status = mls_error_set(error, MLS_ERROR_VALUE, file->line, 1, "'%s' is in '%s' too", file->source.path,
                                   file[-1].part);
        }
    }
    if (status != MLS_OK) {
        mls_merge_free(merge);
        merge = NULL;
    } else {
        mls_shard_ranges_missing(&merge->shards, merge->head.shards, &merge->missing);
    }
    *merge_of = merge;
    return status;
}

void mls_merge_sources(const mls_merge *merge, mls_sources *sources)
{
    const size_t count = merge->files.count;
    sources->items = mls_calloc(count + 1, sizeof *sources->items);
    sources->capacity = count + 1;
    sources->count = count;
    for (size_t i = 0; i < count; i++) {
        const mls_part_source *from = &merge->files.items[i].source;
        mls_finding_code code;
        const bool found = from->finding != NULL && mls_finding_code_from_name(mls_str_from(from->finding), &code);
        sources->items[i] = (mls_source){.path = mls_strdup(from->path),
                                         .skip = from->skip != NULL ? mls_strdup(from->skip) : NULL,
                                         .failed = from->failed,
                                         .finding = found ? mls_finding_info_get(code)->name : NULL,
                                         .named = from->named,
                                         .result = from->result,
                                         .argument = from->argument,
                                         .size = from->size};
    }
}

/* Return what is known of the folder of a file: the first file that says it counts, and most have nothing to say.
 * NULL with *error set: two shards disagree. */
static const mls_carried_place *place_of_source(mls_merge *merge, const mls_part_source *source, mls_error *error)
{
    static const mls_carried_place nowhere;
    const mls_str folder = mls_path_folder(mls_str_from(source->path));
    if (source->tree.edition == NULL && source->system.id == NULL) {
        const mls_map_entry *said = mls_map_find(&merge->folders, folder);
        return said != NULL ? said->value.pointer : &nowhere;
    }
    mls_map_entry *entry = mls_map_put(&merge->folders, folder, NULL);
    if (entry->value.pointer == NULL) {
        entry->value.pointer = mls_arena_zeroed(&merge->arena, 1, sizeof(mls_carried_place));
    }
    mls_carried_place *place = entry->value.pointer;
    if (source->tree.edition != NULL && place->tree.edition != NULL &&
        (source->tree.edition != place->tree.edition || source->tree.by_date != place->tree.by_date)) {
        (void)mls_error_set(error, MLS_ERROR_READ, 0, 0,
                            "'%s': the shards do not agree on the edition of its tree, which changed between them",
                            source->path);
        return NULL;
    }
    place->tree = source->tree.edition != NULL ? source->tree : place->tree;
    if (source->system.id != NULL && place->system == NULL) {
        mls_carried_system *system = mls_arena_alloc(&merge->arena, sizeof *system);
        *system = source->system;
        place->system = system;
    }
    return place;
}

static mls_status hand_over_file(mls_merge *merge, const mls_reading *reading, size_t index, const mls_source *source,
                                 mls_error *error)
{
    mls_part_file *file = &merge->files.items[index];
    const mls_part_source *from = &file->source;
    const mls_carried_place *place = place_of_source(merge, from, error);
    mls_status status = place != NULL ? MLS_OK : error->status;
    for (size_t i = 0; i < file->runs.count && status == MLS_OK && reading->run != NULL; i++) {
        mls_part_run *run = &file->runs.items[i];
        struct mls_carried *carried = mls_malloc(sizeof *carried);
        *carried = run->carried;
        carried->place = place;
        run->carried = (struct mls_carried){0};
        (void)MLS_GROW(&merge->carried, items);
        merge->carried.items[merge->carried.count++] = carried;
        run->run.carried = carried;
        run->run.result = source->result;
        run->run.file = mls_strdup(source->path);
        status = reading->run(reading->state, index, &run->run, &run->tracked);
    }
    if (status == MLS_OK && reading->done != NULL) {
        mls_read read = {.index = index,
                         .source = source,
                         .runs = file->runs.count,
                         .totals = {.bytes = from->bytes,
                                    .records = from->records,
                                    .malformed = from->malformed,
                                    .quoted = from->quoted,
                                    .reason = from->reason,
                                    .binary = from->binary,
                                    .unread = from->unread}};
        if (from->error != NULL) {
            read.status = mls_error_set(&read.error, MLS_ERROR_READ, 0, 0, "%s", from->error);
        }
        read.heard = reading->heard_size > 0 ? &file->source : NULL;
        status = reading->done(reading->state, &read);
    }
    return status;
}

mls_status mls_merge_read(mls_merge *merge, const mls_reading *reading, const mls_sources *sources, mls_error *error)
{
    mls_error ignored = {0};
    mls_status status = MLS_OK;
    for (size_t i = 0; i < sources->count && status == MLS_OK; i++) {
        if (sources->items[i].skip == NULL) {
            status = hand_over_file(merge, reading, i, &sources->items[i], error != NULL ? error : &ignored);
        }
    }
    return status;
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
        mls_part_file *file = &merge->files.items[i];
        status = mls_part_writer_add(&writer, &file->source, file->runs.items, file->runs.count, error);
    }
    mls_part_writer_end(&writer);
    return status;
}

void mls_merge_note_endings(mls_collection *collection)
{
    for (size_t i = 0; i < collection->run_count; i++) {
        mls_run *run = &collection->runs[i];
        mls_findings_append_as_they_are(&run->findings, &run->carried->ending);
    }
}
