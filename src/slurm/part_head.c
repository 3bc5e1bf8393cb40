/* SPDX-License-Identifier: Apache-2.0 */
/* part_head.c - the head and the tail of a part, and what is between them while it is written. */
#include <stdio.h>

#include "base/data.h"
#include "base/output.h"
#include "slurm/part.h"

#define OPTION(name, kind, member) MLS_CARRY(mls_part_options, name, kind, member)
static const mls_carry_member option_members[] = {
    OPTION("any_usage", BOOL, any_usage), OPTION("bert_train_samples", BOOL, bert_train_samples),
    OPTION("doubting", BOOL, doubting),   OPTION("keys", TEXT, keys),
    OPTION("own_rules", TEXT, own_rules), OPTION("rcp", TEXT, rcp),
    OPTION("rcp_path", TEXT, rcp_path),   OPTION("split", BOOL, split),
    OPTION("wide", BOOL, wide),           OPTION("window", BOOL, window),
};
MLS_CARRY_TABLE(option_table, mls_part_options, option_members);

static const mls_carry_member range_members[] = {
    MLS_CARRY(mls_shard_range, "first", SIZE, first),
    MLS_CARRY(mls_shard_range, "last", SIZE, last),
};
MLS_CARRY_TABLE(range_table, mls_shard_range, range_members);

#define HEAD(name, kind, member) MLS_CARRY(mls_part_head, name, kind, member)
static const mls_carry_member head_members[] = {
    HEAD("mlscore_part", SIZE, format),
    HEAD("version", TEXT, version),
    HEAD("rules", TEXT, rules),
    HEAD("command", TEXT, command),
    HEAD("usage", TEXT, usage),
    HEAD("edition", TEXT, edition),
    MLS_CARRY_IN(mls_part_head, "options", options, &option_table),
    HEAD("roots", TEXTS, roots),
    HEAD("shards", SIZE, shards),
    HEAD("list", TEXT, list),
    HEAD("shard", SIZE, shard),
    MLS_CARRY_MOST(mls_part_head, "shards_in", ROWS, shards_in, MLS_SHARDS_MAX, &range_table),
};
const mls_carry_table mls_part_head_table = {head_members, sizeof head_members / sizeof *head_members,
                                             sizeof(mls_part_head)};

#define TAIL(name, kind, member) MLS_CARRY(mls_part_tail, name, kind, member)
static const mls_carry_member tail_members[] = {
    TAIL("end", BOOL, end),     TAIL("files", SIZE, files),   TAIL("runs", SIZE, runs),
    TAIL("bytes", SIZE, bytes), TAIL("digest", KEPT, digest),
};
const mls_carry_table mls_part_tail_table = {tail_members, sizeof tail_members / sizeof *tail_members,
                                             sizeof(mls_part_tail)};

mls_hash_words mls_hash_text(uint64_t hash)
{
    mls_hash_words words;
    (void)snprintf(words.text, sizeof words.text, "%016llx", (unsigned long long)hash);
    return words;
}

mls_hash_words mls_part_rules_hash(void)
{
    uint64_t hash = MLS_FNV_START;
    for (const mls_data_file *file = mls_data_files; file->name != NULL; file++) {
        hash = mls_fnv1a(hash, (mls_str){file->name, strlen(file->name) + 1});
        hash = mls_fnv1a(hash, (mls_str){file->begin, (size_t)(file->end - file->begin)});
    }
    return mls_hash_text(hash);
}

/* Ends the line that has been made, and writes it. */
static void write_part_line(mls_part_writer *writer)
{
    mls_buffer_append_char(&writer->line, '\n');
    writer->digest = mls_fnv1a(writer->digest, mls_buffer_str(&writer->line));
    mls_output_write(writer->output, mls_buffer_str(&writer->line));
    mls_buffer_clear(&writer->line);
}

void mls_part_writer_begin(mls_part_writer *writer, struct mls_output *output, const mls_part_head *head)
{
    *writer = (mls_part_writer){.output = output, .digest = MLS_FNV_START};
    mls_carry_write(&writer->line, &mls_part_head_table, head);
    write_part_line(writer);
}

void mls_part_writer_line(mls_part_writer *writer, mls_str line, size_t runs, uint64_t bytes)
{
    writer->files++;
    writer->runs += runs;
    writer->bytes += bytes;
    mls_buffer_append(&writer->line, line);
    write_part_line(writer);
}

bool mls_part_writer_end(mls_part_writer *writer)
{
    const mls_hash_words digest = mls_hash_text(writer->digest);
    const mls_part_tail tail = {true, writer->files, writer->runs, writer->bytes, digest.text};
    mls_carry_write(&writer->line, &mls_part_tail_table, &tail);
    write_part_line(writer);
    const bool ok = !writer->line.failed;
    mls_buffer_release(&writer->line);
    return ok;
}
