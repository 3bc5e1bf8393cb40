/* SPDX-License-Identifier: Apache-2.0 */
/* part_check.c - whether a part is whole, and of the same tree as the others. */
#include <stdlib.h>

#include "base/file.h"
#include "mlscore/version.h"
#include "slurm/merged.h"

/* A part on its way through the first pass. */
typedef struct part_check {
    mls_merge *merge;
    mls_part_reader reader;
    mls_carry_room room;
    mls_part_head head;
    mls_shard_ranges shards; /* that it has */
    size_t runs;
    uint64_t bytes;
    mls_error *error;
} part_check;

mls_status mls_merge_same_head(const mls_merge *merge, const mls_part_head *head, mls_error *error)
{
    mls_buffer first = {0};
    mls_buffer own = {0};
    mls_status status = MLS_OK;
    for (size_t i = 0; i < mls_part_head_table.count && status == MLS_OK; i++) {
        const mls_carry_member *member = &mls_part_head_table.members[i];
        const mls_carry_table alone = {member, 1, sizeof *head};
        mls_buffer_clear(&first);
        mls_buffer_clear(&own);
        mls_carry_write(&first, &alone, &merge->head);
        mls_carry_write(&own, &alone, head);
        if (first.failed || own.failed) {
            status = mls_error_memory(error);
        } else if (!mls_str_among(member->name, "shard shards_in") &&
                   !mls_str_equal(mls_buffer_str(&first), mls_buffer_str(&own))) {
            status = mls_error_set(error, MLS_ERROR_VALUE, 0, 0, "its '%s' is not that of '%s'", member->name.ptr,
                                   merge->parts.items[0].path);
        }
    }
    mls_buffer_release(&first);
    mls_buffer_release(&own);
    return status;
}

/* The shards of a part, which must be some of all there are. */
static mls_status take_shards(part_check *check)
{
    const mls_part_head *head = &check->head;
    size_t twice;
    bool ok = (head->shard > 0) != (head->shards_in.count > 0) && head->shards <= MLS_SHARDS_MAX;
    if (ok && head->shard > 0 && !mls_shard_ranges_add(&check->shards, head->shard, head->shard)) {
        return mls_error_memory(check->error);
    }
    for (size_t i = 0; i < head->shards_in.count && ok; i++) {
        const mls_shard_range range = head->shards_in.items[i];
        ok = range.first <= range.last;
        if (!mls_shard_ranges_add(&check->shards, range.first, range.last)) {
            return mls_error_memory(check->error);
        }
    }
    for (size_t i = 0; i < check->shards.count && ok; i++) {
        ok = check->shards.items[i].first >= 1 && check->shards.items[i].last <= head->shards;
    }
    return ok && mls_shard_ranges_join(&check->shards, &twice)
               ? MLS_OK
               : mls_error_set(check->error, MLS_ERROR_VALUE, 1, 1, "its shards are none of all");
}

static mls_status check_own(const mls_part_head *head, mls_error *error)
{
    if (head->format != MLS_PART_FORMAT) {
        return mls_error_set(error, MLS_ERROR_VALUE, 0, 0, "not a part, or one of another format");
    }
    if (head->version == NULL || strcmp(head->version, MLS_VERSION) != 0) {
        return mls_error_set(error, MLS_ERROR_VALUE, 0, 0, "made by version %s, and this is %s",
                             head->version != NULL ? head->version : "?", MLS_VERSION);
    }
    mls_usage usage;
    if (head->rules == NULL || head->command == NULL || !mls_usage_from_name(mls_str_from(head->usage), &usage) ||
        !mls_str_among(mls_str_from(head->command), "score check events")) {
        return mls_error_set(error, MLS_ERROR_VALUE, 1, 1, "not the head of a part");
    }
    if (strcmp(head->rules, mls_part_rules_hash().text) != 0) {
        return mls_error_set(error, MLS_ERROR_VALUE, 0, 0, "judged by other rules than this program has");
    }
    return MLS_OK;
}

static mls_status check_head(part_check *check, mls_str line)
{
    mls_status status = mls_part_line_read(&mls_part_head_table, line, 1, &check->room, &check->head, check->error);
    status = status == MLS_OK ? check_own(&check->head, check->error) : status;
    status = status == MLS_OK ? take_shards(check) : status;
    return status == MLS_OK && check->merge->parts.count > 1
               ? mls_merge_same_head(check->merge, &check->head, check->error)
               : status;
}

/* -------------------------------------------------------------- files */

/* Whether a file belongs to a shard that the part has: a list may have dealt it out in any way. */
static bool is_of_shard(const part_check *check, const mls_part_source *source)
{
    const mls_names *roots = &check->head.roots;
    if (source->argument >= roots->count || source->path == NULL) {
        return false;
    }
    const mls_str root = mls_str_from(roots->items[source->argument]);
    const size_t shard = mls_shard_of(mls_path_below(mls_str_from(source->path), root), check->head.shards);
    bool in = check->head.list != NULL;
    for (size_t i = 0; i < check->shards.count && !in; i++) {
        in = shard >= check->shards.items[i].first && shard <= check->shards.items[i].last;
    }
    return in;
}

static mls_status add_part_file(part_check *check, mls_str line, const mls_part_source *source)
{
    mls_merge *merge = check->merge;
    if (!is_of_shard(check, source)) {
        return mls_error_set(check->error, MLS_ERROR_VALUE, check->reader.line, 1, "'%s' is not of this shard",
                             source->path != NULL ? source->path : "");
    }
    mls_source made;
    if (!MLS_GROW(&merge->files, items) ||
        (source->measures && !mls_names_add(&merge->measuring, mls_str_from(source->path))) ||
        !mls_part_source_take(source, &made)) {
        return mls_error_memory(check->error);
    }
    const mls_file_line at = {.offset = check->reader.offset,
                              .hash = mls_str_hash(line, 0),
                              .len = line.len,
                              .part = (uint32_t)(merge->parts.count - 1),
                              .line = (uint32_t)check->reader.line};
    merge->files.items[merge->files.count++] = (mls_merged_file){made, at};
    return MLS_OK;
}

static mls_status check_malformed(part_check *check, const mls_part_source *source)
{
    bool ok = source->lines.count <= source->malformed;
    for (size_t i = 0; i < source->lines.count && ok; i++) {
        ok = source->lines.items[i].reason != NULL;
    }
    return ok ? MLS_OK
              : mls_error_set(check->error, MLS_ERROR_VALUE, check->reader.line, 1,
                              "not a line of a part: 'malformed_lines' is not as it must be");
}

static mls_status check_file(part_check *check, mls_str line)
{
    mls_part_source source = {0};
    size_t runs = 0;
    mls_status status =
        mls_part_line_read(&mls_part_source_table, line, check->reader.line, &check->room, &source, check->error);
    status = status == MLS_OK ? check_malformed(check, &source) : status;
    if (status == MLS_OK) {
        status = mls_part_runs_read(source.runs, check->reader.line, &check->room, NULL, NULL, &runs, check->error);
    }
    if (status == MLS_OK && runs > 0 && strcmp(check->head.command, "events") == 0) {
        status = mls_error_set(check->error, MLS_ERROR_VALUE, check->reader.line, 1, "a part of events holds no runs");
    }
    check->runs += runs;
    check->bytes += status == MLS_OK ? source.bytes : 0;
    status = status == MLS_OK ? add_part_file(check, line, &source) : status;
    mls_carry_release(&mls_part_source_table, &source);
    return status;
}

static mls_status check_tail(part_check *check, mls_str line, size_t files)
{
    mls_part_tail tail;
    const mls_status status = mls_part_tail_read(&check->reader, line, &check->room, &tail, check->error);
    return status == MLS_OK && (tail.files != files || tail.runs != check->runs || tail.bytes != check->bytes)
               ? mls_error_set(check->error, MLS_ERROR_VALUE, check->reader.line, 1,
                               "what the last line counts is not what stands before it")
               : status;
}

/* The same part once more counts once; other bytes for the same shards do not. */
static mls_status settle_part(part_check *check, size_t first_file)
{
    mls_merge *merge = check->merge;
    mls_merged_part *part = &merge->parts.items[merge->parts.count - 1];
    mls_buffer words = {0};
    bool added = false;
    size_t ignored;
    mls_shard_ranges_words(&check->shards, &words);
    part->digest = check->reader.digest;
    part->shards = mls_buffer_detach(&words);
    mls_map_entry *entry = part->shards != NULL ? mls_map_put(&merge->known, mls_str_from(part->shards), &added) : NULL;
    if (entry == NULL) {
        return mls_error_memory(check->error);
    }
    if (added) {
        entry->value.number = merge->parts.count - 1;
        bool ok = true;
        for (size_t i = 0; i < check->shards.count && ok; i++) {
            ok = mls_shard_ranges_add(&merge->shards, check->shards.items[i].first, check->shards.items[i].last);
        }
        if (!ok) {
            return mls_error_memory(check->error);
        }
        if (!mls_shard_ranges_join(&merge->shards, &ignored)) {
            return mls_error_set(check->error, MLS_ERROR_VALUE, 0, 0, "shard %zu/%zu is in another part too", ignored,
                                 check->head.shards);
        }
        return MLS_OK;
    }
    const mls_merged_part *other = &merge->parts.items[entry->value.number];
    if (other->digest != part->digest) {
        return mls_error_set(check->error, MLS_ERROR_VALUE, 0, 0, "shard %s/%zu is in '%s' too, with different bytes",
                             part->shards, check->head.shards, other->path);
    }
    while (merge->files.count > first_file) {
        mls_merged_file *file = &merge->files.items[--merge->files.count];
        free(file->source.path);
        free(file->source.skip);
    }
    return MLS_OK;
}

static mls_status check_lines(part_check *check)
{
    mls_str line = {NULL, 0};
    size_t files = 0;
    const size_t first_file = check->merge->files.count;
    int got = mls_part_next(&check->reader, &line, check->error);
    if (got == 0) {
        return mls_error_set(check->error, MLS_ERROR_SYNTAX, 0, 0, "the file is empty: not a part");
    }
    mls_status status = got < 0 ? check->error->status : check_head(check, line);
    while (status == MLS_OK) {
        got = mls_part_next(&check->reader, &line, check->error);
        if (got == 0) {
            return mls_error_set(check->error, MLS_ERROR_SYNTAX, check->reader.line, 1,
                                 "the part is cut off: its last line is missing");
        }
        if (got < 0) {
            return check->error->status;
        }
        if (mls_part_is_tail(line)) {
            status = check_tail(check, line, files);
            return status == MLS_OK ? settle_part(check, first_file) : status;
        }
        files++;
        status = check_file(check, line);
    }
    return status;
}

mls_status mls_part_check(mls_merge *merge, const char *path, mls_error *error)
{
    part_check check = {.merge = merge, .error = error, .room = {.texts = &merge->texts}};
    check.reader.fd = mls_file_open(path, false, error);
    if (check.reader.fd < 0) {
        return error->status;
    }
    mls_status status = MLS_ERROR_MEMORY;
    mls_carry_clear(&mls_part_head_table, &check.head);
    if (MLS_GROW(&merge->parts, items)) {
        merge->parts.items[merge->parts.count++] = (mls_merged_part){.path = path};
        status = check_lines(&check);
    } else {
        (void)mls_error_memory(error);
    }
    if (status == MLS_OK && merge->parts.count == 1) {
        merge->head = check.head;
    } else {
        mls_carry_release(&mls_part_head_table, &check.head);
    }
    free(check.shards.items);
    mls_arena_release(&check.room.scratch);
    mls_part_reader_release(&check.reader);
    return status;
}
