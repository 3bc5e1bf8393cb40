/* SPDX-License-Identifier: Apache-2.0 */
/* merge.c - read parts, and call callbacks for all their runs in the order of a single process. */
#include <stdlib.h>

#include "base/file.h"
#include "base/memory.h"
#include "score/part.h"

static int compare_files(const void *a, const void *b)
{
    const mls_source *x = &((const mls_part_file *)a)->source;
    const mls_source *y = &((const mls_part_file *)b)->source;
    return x->argument != y->argument ? (x->argument > y->argument) - (x->argument < y->argument)
                                      : mls_compare_paths(mls_str_from(x->path), mls_str_from(y->path));
}

mls_status mls_merge_same_head(const mls_merge *merge, const mls_part_head *head, mls_error *error)
{
    mls_status status = MLS_OK;
    for (size_t i = 0; i < mls_part_head_schema.count && status == MLS_OK; i++) {
        const mls_row_member *member = &mls_part_head_schema.members[i];
        const mls_schema alone = {member, 1, sizeof *head};
        mls_buffer first = {0};
        mls_buffer second = {0};
        mls_schema_write(&first, &alone, &merge->head);
        mls_schema_write(&second, &alone, head);
        if (!mls_str_among(mls_str_from(member->name), "shard shards_in") &&
            !mls_str_equal(mls_buffer_str(&first), mls_buffer_str(&second)))
            status = mls_error_set(error, MLS_ERROR_VALUE, 0, 0, "its '%s' differs from that of '%s'", member->name,
                                   merge->parts.items[0].path);
        mls_buffer_release(&first);
        mls_buffer_release(&second);
    }
    return status;
}

/* Add the shards and files of a part.  Ignore an identical part, but reject different data for the same shards. */
static mls_status add_part(mls_merge *merge, mls_shard_part *part, mls_error *error)
{
    const size_t shards = merge->head.shards;
    mls_buffer words = {0};
    bool added = false;
    mls_shard_ranges_words(&part->shards, &words);
    mls_map_entry *entry = mls_map_put(&merge->known, mls_buffer_str(&words), &added);
    mls_buffer_release(&words);
    if (!added) {
        const mls_shard_part *other = &merge->parts.items[entry->value.number];
        return other->digest == part->digest ? MLS_OK
                                             : mls_error_set(error, MLS_ERROR_VALUE, 0, 0,
                                                             "shard %s/%zu is also in '%s', with different contents",
                                                             entry->key.ptr, shards, other->path);
    }
    entry->value.number = (size_t)(part - merge->parts.items);
    for (size_t i = 0; i < part->shards.count; i++) {
        const size_t repeated =
            mls_shard_ranges_add(&merge->shards, part->shards.items[i].first, part->shards.items[i].last);
        if (repeated > 0)
            return mls_error_set(error, MLS_ERROR_VALUE, 0, 0, "shard %zu/%zu is also in another part", repeated,
                                 shards);
    }
    for (size_t i = 0; i < part->files.count; i++) {
        MLS_GROW(&merge->files, items);
        merge->files.items[merge->files.count++] = part->files.items[i];
    }
    part->files.count = 0;
    return MLS_OK;
}

mls_status mls_merge_open(const char *const *paths, size_t count, mls_merge **merge_of, const char **wrong,
                          mls_error *error)
{
    mls_merge *merge = mls_calloc(1, sizeof *merge);
    mls_status status = MLS_OK;
    merge->room.texts.arena = merge->known.arena = merge->places.arena = &merge->arena;
    for (size_t i = 0; i < count && status == MLS_OK; i++) {
        MLS_GROW(&merge->parts, items);
        mls_shard_part *part = &merge->parts.items[merge->parts.count++];
        *wrong = paths[i];
        status = mls_part_read(paths[i], &merge->room, part, error);
        if (i == 0)
            merge->head = part->head;
        else if (status == MLS_OK)
            status = mls_merge_same_head(merge, &part->head, error);
        status = status == MLS_OK ? add_part(merge, part, error) : status;
    }
    if (status == MLS_OK && merge->files.count > 1)
        qsort(merge->files.items, merge->files.count, sizeof *merge->files.items, compare_files);
    for (size_t i = 0; i < merge->files.count && status == MLS_OK; i++) {
        const mls_part_file *file = &merge->files.items[i];
        const mls_place *from = &file->place;
        *wrong = file->part;
        if (i > 0 && compare_files(file - 1, file) == 0) {
            status = mls_error_set(error, MLS_ERROR_VALUE, file->line, 1, "'%s' is also in '%s'", file->source.path,
                                   file[-1].part);
        }
        if (status == MLS_OK && (from->edition != NULL || from->system != NULL)) {
            /* Store the facts about the folder of this file.  Use the first file that contains a fact; but
             * all shards must agree on the edition. */
            mls_map_entry *entry = mls_map_put(&merge->places, mls_path_folder(mls_str_from(file->source.path)), NULL);
            if (entry->value.pointer == NULL)
                entry->value.pointer = mls_arena_zeroed(&merge->arena, 1, sizeof(mls_place));
            mls_place *place = entry->value.pointer;
            if (from->edition != NULL && place->edition != NULL &&
                (from->edition != place->edition || from->by_date != place->by_date)) {
                status =
                    mls_error_set(error, MLS_ERROR_READ, 0, 0,
                                  "'%s': the shards do not agree on the round of its tree, which changed between them",
                                  file->source.path);
            } else if (from->edition != NULL) {
                place->edition = from->edition;
                place->usage = from->usage;
                place->by_date = from->by_date;
            }
            if (from->system != NULL && place->system == NULL) {
                place->system = from->system;
                place->description = from->description;
            }
        }
        if (file->measures)
            mls_names_add(&merge->measuring, mls_str_from(file->source.path));
    }
    mls_shard_ranges_missing(&merge->shards, merge->head.shards, &merge->missing);
    if (status != MLS_OK) {
        mls_merge_free(merge);
        merge = NULL;
    }
    *merge_of = merge;
    return status;
}

void mls_merge_free(mls_merge *merge)
{
    if (merge == NULL)
        return;
    for (size_t i = 0; i < merge->files.count; i++)
        mls_part_file_release(&merge->files.items[i]);
    free(merge->files.items);
    for (size_t i = 0; i < merge->parts.count; i++)
        mls_part_release(&merge->parts.items[i]);
    free(merge->parts.items);
    free(merge->shards.items);
    free(merge->missing.items);
    mls_names_release(&merge->measuring);
    mls_arena_release(&merge->room.scratch);
    mls_arena_release(&merge->arena);
    free(merge);
}

mls_place mls_merge_place(const mls_merge *merge, mls_str folder)
{
    const mls_map_entry *entry = mls_map_find(&merge->places, folder);
    return entry != NULL ? *(const mls_place *)entry->value.pointer : (mls_place){0};
}

void mls_merge_sources(const mls_merge *merge, mls_sources *sources)
{
    sources->items = mls_calloc(merge->files.count + 1, sizeof *sources->items);
    sources->capacity = merge->files.count + 1;
    sources->count = merge->files.count;
    for (size_t i = 0; i < sources->count; i++) {
        mls_source *to = &sources->items[i];
        mls_finding_code code;
        *to = merge->files.items[i].source;
        to->path = mls_strdup(to->path);
        to->skip = to->skip != NULL ? mls_strdup(to->skip) : NULL;
        to->finding = to->finding != NULL && mls_finding_code_from_name(mls_str_from(to->finding), &code)
                          ? mls_finding_info_get(code)->name
                          : NULL;
    }
}

mls_status mls_merge_read(mls_merge *merge, const mls_reading *reading, const mls_sources *sources)
{
    mls_status status = MLS_OK;
    for (size_t i = 0; i < sources->count && status == MLS_OK; i++) {
        const mls_source *source = &sources->items[i];
        mls_part_file *file = &merge->files.items[i];
        for (size_t k = 0; k < file->runs.count && status == MLS_OK && source->skip == NULL && reading->run != NULL;
             k++) {
            mls_part_run *run = &file->runs.items[k];
            void *notes = run->tracked;
            merge->extra = &run->extra;
            run->run.result = source->result;
            run->run.file = mls_strdup(source->path);
            status = reading->run(reading->state, i, &run->run, &notes);
            run->tracked = notes;
        }
        if (status == MLS_OK && source->skip == NULL && reading->done != NULL) {
            mls_read read = {.index = i,
                             .source = source,
                             .runs = file->runs.count,
                             .totals = file->totals,
                             .listener_data = reading->listener_size > 0 ? file : NULL};
            if (file->error != NULL)
                read.status = mls_error_set(&read.error, MLS_ERROR_READ, 0, 0, "%s", file->error);
            status = reading->done(reading->state, &read);
        }
    }
    return status;
}

void mls_merge_write(mls_merge *merge, mls_output *output)
{
    mls_part_head head = merge->head;
    mls_part_writer writer;
    head.shard = 0;
    head.shards_in = merge->shards;
    mls_part_writer_begin(&writer, output, &head);
    for (size_t i = 0; i < merge->files.count; i++)
        mls_part_writer_add(&writer, &merge->files.items[i]);
    mls_part_writer_end(&writer);
}

void mls_merge_note_endings(mls_collection *collection)
{
    for (size_t i = 0; i < collection->run_count; i++)
        mls_findings_append_in_order(&collection->runs[i].findings, &collection->extra[i]->ending);
}
