/* SPDX-License-Identifier: Apache-2.0 */
/* part_read.c - the lines of a part. */
#include "slurm/part_read.h"

#include <errno.h>
#include <unistd.h>

#include "base/file.h"

enum { READ_BYTES = 256 * 1024 };

void mls_part_reader_release(mls_part_reader *reader)
{
    mls_buffer_release(&reader->block);
    if (reader->fd >= 0) {
        (void)close(reader->fd);
    }
    reader->fd = -1;
}

/* Reads on behind what is left of the block.  False with *error set. */
static bool read_behind(mls_part_reader *reader, mls_error *error)
{
    mls_buffer *block = &reader->block;
    if (reader->at > 0) {
        memmove(block->ptr, block->ptr + reader->at, block->len - reader->at);
        mls_buffer_cut(block, block->len - reader->at);
        reader->at = 0;
    }
    if (block->len > MLS_PART_LINE_MAX) {
        (void)mls_error_set(error, MLS_ERROR_LIMIT, reader->line + 1, 1, "a line of more than %zu MiB",
                            MLS_PART_LINE_MAX >> 20);
        return false;
    }
    if (!mls_buffer_reserve(block, block->len > READ_BYTES ? block->len : READ_BYTES)) {
        (void)mls_error_memory(error);
        return false;
    }
    ssize_t got;
    do {
        got = read(reader->fd, block->ptr + block->len, block->capacity - block->len - 1);
    } while (got < 0 && errno == EINTR);
    if (got < 0) {
        (void)mls_error_set_errno(error, MLS_ERROR_READ, errno, "");
        return false;
    }
    block->len += (size_t)got;
    block->ptr[block->len] = '\0';
    reader->ended = got == 0;
    return true;
}

int mls_part_next(mls_part_reader *reader, mls_str *text, mls_error *error)
{
    const mls_buffer *block = &reader->block;
    const char *end = NULL;
    if (reader->line == 0) {
        reader->digest = MLS_FNV_START;
    } else {
        /* The line before is no longer needed. */
        reader->digest = mls_fnv1a(reader->digest, (mls_str){block->ptr + reader->at, reader->len});
        reader->at += reader->len;
        reader->offset += reader->len;
    }
    for (size_t looked = 0; end == NULL;) {
        const size_t left = block->len - reader->at;
        end = left > looked ? memchr(block->ptr + reader->at + looked, '\n', left - looked) : NULL;
        looked = left;
        if (end == NULL && reader->ended) {
            if (left > 0) {
                (void)mls_error_set(error, MLS_ERROR_SYNTAX, reader->line + 1, 1, "the line is cut off");
            }
            return left > 0 ? -1 : 0;
        }
        if (end == NULL && !read_behind(reader, error)) {
            return -1;
        }
    }
    reader->line++;
    *text = (mls_str){block->ptr + reader->at, (size_t)(end - block->ptr) - reader->at};
    reader->len = text->len + 1;
    return 1;
}

bool mls_part_is_tail(mls_str line)
{
    return mls_str_starts(line, MLS_S("{\"end\":"));
}

bool mls_part_digest(const char *path, mls_hash_words *digest)
{
    mls_part_reader reader = {.fd = mls_file_open(path, false, NULL)};
    mls_buffer tail = {0};
    mls_str line;
    int got = 0;
    while (reader.fd >= 0 && (got = mls_part_next(&reader, &line, NULL)) > 0) {
        mls_buffer_clear(&tail);
        mls_buffer_append(&tail, line);
        *digest = mls_hash_text(reader.digest);
    }
    const bool whole = reader.fd >= 0 && got == 0 && tail.len > 0 && !tail.failed &&
                       mls_part_is_tail(mls_buffer_str(&tail)) &&
                       mls_str_contains(mls_buffer_str(&tail), mls_str_from(digest->text));
    mls_buffer_release(&tail);
    mls_part_reader_release(&reader);
    return whole;
}

/* What reading a member came to. */
static mls_status refuse_line(const mls_carry_room *room, size_t line, const char *what, mls_error *error)
{
    return room->no_memory
               ? mls_error_memory(error)
               : mls_error_set(error, MLS_ERROR_VALUE, line, 1, "%s: '%s' is not as it must be", what, room->wrong);
}

mls_status mls_part_line_read(const mls_carry_table *table, mls_str text, size_t line, mls_carry_room *room, void *row,
                              mls_error *error)
{
    mls_str json;
    size_t where = 0;
    mls_arena_reset(&room->scratch);
    room->wrong[0] = '\0';
    const char *wrong = mls_json_validate(text, &room->scratch, &json, &where);
    if (wrong != NULL) {
        return wrong == mls_reason_memory ? mls_error_memory(error)
                                          : mls_error_set(error, MLS_ERROR_SYNTAX, line, where + 1, "%s", wrong);
    }
    mls_carry_clear(table, row);
    return mls_carry_read(table, json, room, row) ? MLS_OK : refuse_line(room, line, "not a line of a part", error);
}

mls_status mls_part_tail_read(mls_part_reader *reader, mls_str line, mls_carry_room *room, mls_part_tail *tail,
                              mls_error *error)
{
    const uint64_t before = reader->digest;
    const size_t at = reader->line;
    mls_str more;
    const mls_status status = mls_part_line_read(&mls_part_tail_table, line, at, room, tail, error);
    if (status != MLS_OK) {
        return status;
    }
    if (!tail->end || tail->digest == NULL || strcmp(tail->digest, mls_hash_text(before).text) != 0) {
        return mls_error_set(error, MLS_ERROR_VALUE, at, 1, "the digest is not that of what stands before it");
    }
    const int next = mls_part_next(reader, &more, error);
    reader->digest = before;
    return next < 0   ? error->status
           : next > 0 ? mls_error_set(error, MLS_ERROR_VALUE, at + 1, 1, "something follows the end of the part")
                      : MLS_OK;
}

mls_status mls_part_runs_read(mls_str runs, size_t line, mls_carry_room *room,
                              mls_status (*take)(void *state, mls_part_run *run), void *state, size_t *count,
                              mls_error *error)
{
    mls_json_walk walk = mls_json_walk_begin(runs);
    mls_raw_member item;
    mls_status status = MLS_OK;
    *count = 0;
    if (runs.ptr != NULL && mls_json_kind_of(runs) != MLS_JSON_LIST) {
        return mls_error_set(error, MLS_ERROR_VALUE, line, 1, "runs is not a list");
    }
    while (runs.ptr != NULL && status == MLS_OK && mls_json_walk_next(&walk, &item)) {
        mls_part_run run;
        status = mls_part_run_read(item.value, room, &run) ? MLS_OK : refuse_line(room, line, "not a run", error);
        if (status == MLS_OK && take != NULL) {
            status = take(state, &run);
        }
        mls_part_run_release(&run);
        ++*count;
    }
    return status;
}
