/* SPDX-License-Identifier: Apache-2.0 */
/* list.c - dealing out files, and finding one's own. */
#include "slurm/list.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/memory.h"
#include "slurm/part_read.h"

bool *mls_shard_sources(const mls_part_head *head, const mls_sources *sources)
{
    bool *belongs = mls_calloc(sources->count + 1, sizeof *belongs);
    for (size_t i = 0; i < sources->count && belongs != NULL; i++) {
        const mls_source *source = &sources->items[i];
        const mls_str root = mls_str_from(head->roots.items[source->argument]);
        belongs[i] = mls_shard_of(mls_path_below(mls_str_from(source->path), root), head->shards) == head->shard;
    }
    return belongs;
}

/* ------------------------------------------------------------- dealing out */

/* A shard, in a heap whose first has the fewest bytes, of several the lowest number. */
typedef struct dealt_shard {
    uint64_t bytes;
    size_t number;
} dealt_shard;

static bool is_less(const dealt_shard *a, const dealt_shard *b)
{
    return a->bytes != b->bytes ? a->bytes < b->bytes : a->number < b->number;
}

/* Puts the first, which has grown, where it belongs. */
static void sink_first(dealt_shard *heap, size_t count)
{
    for (size_t at = 0, least;; at = least) {
        least = at;
        for (size_t child = 2 * at + 1; child <= 2 * at + 2 && child < count; child++) {
            least = is_less(&heap[child], &heap[least]) ? child : least;
        }
        if (least == at) {
            return;
        }
        const dealt_shard moved = heap[at];
        heap[at] = heap[least];
        heap[least] = moved;
    }
}

static int compare_sizes_down(const void *a, const void *b)
{
    const mls_source *x = *(const mls_source *const *)a;
    const mls_source *y = *(const mls_source *const *)b;
    const int order = (x->size < y->size) - (x->size > y->size);
    return order != 0 ? order : mls_str_compare(mls_str_from(x->path), mls_str_from(y->path));
}

static bool deal_out(const mls_sources *sources, size_t count, size_t *shards)
{
    const mls_source **order = mls_calloc(sources->count + 1, sizeof *order);
    dealt_shard *heap = mls_calloc(count, sizeof *heap);
    const bool ok = order != NULL && heap != NULL;
    for (size_t i = 0; i < count && ok; i++) {
        heap[i].number = i + 1;
    }
    for (size_t i = 0; i < sources->count && ok; i++) {
        order[i] = &sources->items[i];
    }
    if (ok && sources->count > 1) {
        qsort((void *)order, sources->count, sizeof *order, compare_sizes_down);
    }
    for (size_t i = 0; i < sources->count && ok; i++) {
        shards[order[i] - sources->items] = heap->number;
        heap->bytes += order[i]->size;
        sink_first(heap, count);
    }
    free((void *)order);
    free(heap);
    return ok;
}

mls_status mls_list_write(const mls_part_head *head, const mls_sources *sources, mls_output *output, mls_error *error)
{
    size_t *shards = mls_calloc(sources->count + 1, sizeof *shards);
    mls_part_writer writer;
    mls_buffer line = {0};
    bool ok = shards != NULL && deal_out(sources, head->shards, shards);
    mls_part_writer_begin(&writer, output, head);
    for (size_t i = 0; i < sources->count && ok; i++) {
        mls_part_source made = mls_part_source_of(&sources->items[i]);
        made.shard = shards[i];
        mls_buffer_clear(&line);
        mls_carry_write(&line, &mls_part_source_table, &made);
        mls_part_writer_line(&writer, mls_buffer_str(&line), 0, 0);
        ok = !line.failed;
    }
    ok = mls_part_writer_end(&writer) && ok;
    mls_buffer_release(&line);
    free(shards);
    return ok ? MLS_OK : mls_error_memory(error);
}

/* ----------------------------------------------------------------- reading */

typedef struct list_reading {
    mls_part_reader reader;
    mls_carry_room room;
    mls_arena arena;
    mls_map texts;
    mls_part_head *head;
    mls_part_head made; /* the list's own */
    mls_sources *sources;
    bool *belongs;
    size_t capacity; /* of `belongs` */
    mls_error *error;
} list_reading;

/* Why a file is not as the list has it; NULL: it is. */
static const char *stale(const mls_part_source *source)
{
    struct stat about;
    if (source->skip != NULL) {
        return NULL;
    }
    if (stat(source->path, &about) != 0) {
        return errno == ENOENT ? "it is gone since the list was made" : "it cannot be looked at";
    }
    return S_ISREG(about.st_mode) && (uint64_t)about.st_size != source->size
               ? "its size is not the one that the list has"
               : NULL;
}

static mls_status add_listed(list_reading *self, const mls_part_source *from)
{
    const mls_names *roots = &self->head->roots;
    if (from->path == NULL || from->argument >= roots->count || from->shard < 1 || from->shard > self->head->shards) {
        return mls_error_set(self->error, MLS_ERROR_VALUE, self->reader.line, 1, "not a file of a list");
    }
    const bool own = from->shard == self->head->shard;
    const char *wrong = own ? stale(from) : NULL;
    const char *root = roots->items[from->argument];
    const mls_str path = mls_str_from(from->path);
    mls_part_source listed = *from;
    mls_source made;
    if (wrong != NULL) {
        listed.skip = wrong;
        listed.failed = true;
        listed.finding = mls_finding_info_get(MLS_FINDING_LIST_STALE)->name;
    }
    if (!MLS_GROW(self->sources, items) ||
        !mls_grow((void **)&self->belongs, self->sources->count, &self->capacity, sizeof *self->belongs) ||
        !mls_part_source_take(&listed, &made)) {
        return mls_error_memory(self->error);
    }
    /* As the walk would have it: see mls_source.root. */
    if (!from->named && mls_folder_is_foreign(root)) {
        made.root = path.len - mls_path_below(path, mls_str_from(root)).len;
    }
    self->belongs[self->sources->count] = own;
    self->sources->items[self->sources->count++] = made;
    return MLS_OK;
}

static mls_status take_list_head(list_reading *self, mls_str line)
{
    mls_part_head *made = &self->made;
    const mls_status status = mls_part_line_read(&mls_part_head_table, line, 1, &self->room, made, self->error);
    if (status != MLS_OK) {
        return status;
    }
    if (made->format != MLS_PART_FORMAT || made->command == NULL || strcmp(made->command, "list") != 0) {
        return mls_error_set(self->error, MLS_ERROR_VALUE, 0, 0, "not a list that mlscore merge --list has written");
    }
    if (made->shards != self->head->shards) {
        return mls_error_set(self->error, MLS_ERROR_VALUE, 0, 0, "it deals out to %zu shards, not %zu", made->shards,
                             self->head->shards);
    }
    self->head->roots = made->roots;
    made->roots = (mls_names){0};
    return MLS_OK;
}

static mls_status read_listed(list_reading *self)
{
    mls_part_source source = {0};
    mls_str line;
    mls_status status = MLS_OK;
    for (size_t number = 1; status == MLS_OK; number++) {
        const int got = mls_part_next(&self->reader, &line, self->error);
        if (got <= 0) {
            return got < 0 ? self->error->status
                           : mls_error_set(self->error, MLS_ERROR_SYNTAX, number, 1, "the list is cut off");
        }
        if (number == 1) {
            status = take_list_head(self, line);
        } else if (mls_part_is_tail(line)) {
            mls_part_tail tail;
            status = mls_part_tail_read(&self->reader, line, &self->room, &tail, self->error);
            self->head->list = status == MLS_OK ? mls_strdup(tail.digest) : NULL;
            return status == MLS_OK && self->head->list == NULL ? mls_error_memory(self->error) : status;
        } else {
            status = mls_part_line_read(&mls_part_source_table, line, number, &self->room, &source, self->error);
            status = status == MLS_OK ? add_listed(self, &source) : status;
            mls_carry_release(&mls_part_source_table, &source);
        }
    }
    return status;
}

mls_status mls_list_read(const char *path, mls_part_head *head, mls_sources *sources, bool **belongs, mls_error *error)
{
    list_reading self = {.head = head, .sources = sources, .error = error};
    self.texts.arena = &self.arena;
    self.room.texts = &self.texts;
    self.reader.fd = mls_file_open(path, false, error);
    mls_carry_clear(&mls_part_head_table, &self.made);
    mls_status status = self.reader.fd >= 0 ? read_listed(&self) : error->status;
    /* A list may be empty, and so is what a shard reads of it then. */
    if (status == MLS_OK && !mls_grow((void **)&self.belongs, sources->count, &self.capacity, sizeof *self.belongs)) {
        status = mls_error_memory(error);
    }
    *belongs = self.belongs;
    mls_carry_release(&mls_part_head_table, &self.made);
    mls_part_reader_release(&self.reader);
    mls_arena_release(&self.room.scratch);
    mls_arena_release(&self.arena);
    return status;
}

bool mls_shard_state(const mls_part_head *head, const mls_sources *sources, const bool *belongs, mls_hash_words *words)
{
    mls_buffer text = {0};
    uint64_t hash = MLS_FNV_START;
    mls_carry_write(&text, &mls_part_head_table, head);
    for (size_t i = 0; i < sources->count && !text.failed; i++) {
        struct stat about = {0};
        if (!belongs[i]) {
            continue;
        }
        const bool there = stat(sources->items[i].path, &about) == 0;
        mls_buffer_printf(&text, "%s\n%d %lld %lld %ld\n", sources->items[i].path, there, (long long)about.st_size,
                          (long long)about.st_mtim.tv_sec, about.st_mtim.tv_nsec);
        hash = mls_fnv1a(hash, mls_buffer_str(&text));
        mls_buffer_clear(&text);
    }
    *words = mls_hash_text(mls_fnv1a(hash, mls_buffer_str(&text)));
    const bool ok = !text.failed;
    mls_buffer_release(&text);
    return ok;
}
