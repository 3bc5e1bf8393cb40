/* SPDX-License-Identifier: Apache-2.0 */
/* part.c - what a part is made of, as tables for writing and reading; the writer; and the reader of one part. */
#include "score/part.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/data.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/output.h"
#include "mlscore/version.h"
#include "run/tracked.h"

/* ------------------------------------------------------------------- runs */

#define PROGRESS(name, kind, member) MLS_CARRY(mls_training_progress, name, kind, member)
static const mls_carry_member progress_members[] = {
    PROGRESS("samples", NUMBER, samples_count),
    PROGRESS("epoch", NUMBER, epoch_num),
    PROGRESS("step", NUMBER, step_num),
};
MLS_CARRY_TABLE(progress_table, mls_training_progress, progress_members);

#define EVALUATION(name, kind, member) MLS_CARRY(mls_evaluation, name, kind, member)
static const mls_carry_member evaluation_members[] = {
    EVALUATION("ms", NUMBER, time_ms),  EVALUATION("line", SIZE, line),
    EVALUATION("value", NUMBER, value), MLS_CARRY_IN(mls_evaluation, "at", at, &progress_table),
    EVALUATION("clip", BOOL, is_clip),
};
MLS_CARRY_TABLE(evaluation_table, mls_evaluation, evaluation_members);

static const mls_carry_member step_members[] = {
    MLS_CARRY(mls_step, "ms", NUMBER, time_ms),
    MLS_CARRY(mls_step, "line", SIZE, line),
};
MLS_CARRY_TABLE(step_table, mls_step, step_members);

static const mls_carry_member hyperparameter_members[] = {
    MLS_CARRY(mls_hyperparameter, "key", STR, key),
    MLS_CARRY(mls_hyperparameter, "value", JSON, value),
    MLS_CARRY(mls_hyperparameter, "line", SIZE, line),
};
MLS_CARRY_TABLE(hyperparameter_table, mls_hyperparameter, hyperparameter_members);

#define SEED(name, kind, member) MLS_CARRY(mls_seed, name, kind, member)
static const mls_carry_member seed_members[] = {
    SEED("line", SIZE, line), SEED("identity", STR, identity), SEED("value", STR, value),
    SEED("file", STR, file),  SEED("lineno", STR, lineno),     SEED("integer", BOOL, is_integer),
};
MLS_CARRY_TABLE(seed_table, mls_seed, seed_members);

#define PARTS(name, kind, member) MLS_CARRY(mls_parts, name, kind, member)
static const mls_carry_member parts_members[] = {
    MLS_CARRY_MOST(mls_parts, "by", WORD, by, MLS_PARTS_BY_EPOCH + 1, NULL),
    PARTS("training", AMOUNT, ms[MLS_PART_TRAINING]),
    PARTS("evaluation", AMOUNT, ms[MLS_PART_EVALUATION]),
    PARTS("startup", AMOUNT, ms[MLS_PART_STARTUP]),
    PARTS("between", AMOUNT, ms[MLS_PART_BETWEEN]),
    PARTS("tail", AMOUNT, ms[MLS_PART_TAIL]),
    PARTS("delimited", BOOL, evaluation_delimited),
    PARTS("evaluations", SIZE, evaluations),
    PARTS("overlapped", AMOUNT, overlapped_evaluation_ms),
};
MLS_CARRY_TABLE(parts_table, mls_parts, parts_members);

#define JOB(name, kind, member) MLS_CARRY(mls_job, name, kind, member)
static const mls_carry_member job_members[] = {
    JOB("container", TEXT, container), JOB("job", TEXT, job),
    JOB("step", TEXT, step),           JOB("other", TEXT, other),
    JOB("node_list", TEXT, node_list), JOB("nodes", NUMBER, node_count),
    JOB("cluster", TEXT, cluster),     JOB("config", TEXT, config),
    JOB("system", TEXT, system),
};
MLS_CARRY_TABLE(job_table, mls_job, job_members);

#define FACTS(name, kind, member) MLS_CARRY(mls_printed_facts, name, kind, member)
static const mls_carry_member facts_members[] = {
    MLS_CARRY_MOST(mls_printed_facts, "precision", WORD, precision, MLS_PRINTED_FP4 + 1, NULL),
    FACTS("healing", U32, healing),
    FACTS("tp", U32, degrees[0]),
    FACTS("pp", U32, degrees[1]),
    FACTS("cp", U32, degrees[2]),
    FACTS("ep", U32, degrees[3]),
};
MLS_CARRY_TABLE(facts_table, mls_printed_facts, facts_members);
_Static_assert(MLS_DEGREES == 4, "a row for each degree");

static const mls_carry_member setting_members[] = {
    MLS_CARRY(mls_printed_setting, "name", KEPT_STR, name),
    MLS_CARRY(mls_printed_setting, "value", KEPT_STR, value),
};
MLS_CARRY_TABLE(setting_table, mls_printed_setting, setting_members);

static const mls_carry_member tracked_members[] = {
    MLS_CARRY(mls_part_tracked, "name", STR, name),
    MLS_CARRY(mls_part_tracked, "sum", NUMBER, sum),
    MLS_CARRY(mls_part_tracked, "count", SIZE, count),
};
MLS_CARRY_TABLE(tracked_table, mls_part_tracked, tracked_members);

static const mls_carry_member notes_members[] = {
    MLS_CARRY(mls_part_notes, "any", BOOL, any),
    MLS_CARRY(mls_part_notes, "too_many", BOOL, too_many),
    MLS_CARRY(mls_part_notes, "long_line", SIZE, long_line),
    MLS_CARRY_MOST(mls_part_notes, "sums", LIST, sums, MLS_TRACKED_NAMES_MAX, &tracked_table),
};
MLS_CARRY_TABLE(notes_table, mls_part_notes, notes_members);

#define RUN(name, kind, member) MLS_CARRY(mls_part_run, name, kind, run.member)
#define RUN_IN(name, member, of) MLS_CARRY_IN(mls_part_run, name, run.member, of)
#define RUN_LIST(name, member, most, of) MLS_CARRY_MOST(mls_part_run, name, LIST, run.member, most, of)
#define BESIDE(name, kind, member) MLS_CARRY(mls_part_run, name, kind, carried.member)
static const mls_carry_member run_members[] = {
    RUN("part", BOOL, part),
    RUN("unread", BOOL, unread),
    RUN("line", SIZE, line),
    RUN("last_line", SIZE, last_line),
    RUN("records", SIZE, records),
    RUN("malformed", SIZE, malformed),
    RUN("quoted", SIZE, quoted),
    RUN("why", KEPT, why),
    RUN("first_ms", NUMBER, first_ms),
    RUN("date_ms", NUMBER, date_ms),
    RUN_IN("init_start", init_start, &step_table),
    RUN_IN("init_stop", init_stop, &step_table),
    RUN_IN("run_start", run_start, &step_table),
    RUN_IN("run_stop", run_stop, &step_table),
    MLS_CARRY_MOST(mls_part_run, "status", WORD, run.status, MLS_RUN_OTHER_STATUS + 1, NULL),
    RUN("benchmark", TEXT, benchmark),
    RUN("division", TEXT, division),
    RUN("organisation", TEXT, organisation),
    RUN("platform", TEXT, platform),
    RUN("submission_status", TEXT, submission_status),
    RUN("config", TEXT, config_filename),
    RUN("batch_size", NUMBER, global_batch_size),
    RUN("train_samples", NUMBER, train_samples),
    RUN("evaluations", SIZE, evaluations),
    RUN_IN("first_evaluation", first_evaluation, &evaluation_table),
    RUN_IN("last_evaluation", last_evaluation, &evaluation_table),
    RUN("throughput", AMOUNT, throughput),
    RUN("throughputs", SIZE, throughputs),
    /* One more than is kept is the last batch size. */
    RUN_LIST("hyperparameters", hyperparameters, MLS_HYPERPARAMETERS_KEPT + 1, &hyperparameter_table),
    RUN("too_many_hyperparameters", BOOL, too_many_hyperparameters),
    RUN("long_key_line", SIZE, long_key_line),
    RUN_IN("parts", parts, &parts_table),
    RUN("has_parts", BOOL, has_parts),
    RUN_LIST("seeds", seeds, MLS_SEEDS_MAX, &seed_table),
    RUN("too_many_seeds", BOOL, too_many_seeds),
    RUN_IN("progress", progress, &progress_table),
    RUN_IN("at_stop", at_stop, &progress_table),
    RUN("converged", BOOL, converged),
    RUN_LIST("images", images, MLS_IMAGE_EVALUATIONS_MAX, &evaluation_table),
    RUN("too_many_images", BOOL, too_many_images),
    RUN_IN("job", job, &job_table),
    MLS_CARRY_MOST(mls_part_run, "usage", WORD, run.usage, MLS_USAGE_COUNT, NULL),
    RUN("edition", KEPT, edition),
    RUN("guessed", BOOL, edition_guessed),
    RUN("by_date", BOOL, edition_by_date),
    RUN("benchmark_line", SIZE, benchmark_line),
    RUN("findings", FINDINGS, findings),
    RUN("valid", BOOL, valid),
    MLS_CARRY_IN(mls_part_run, "facts", carried.facts, &facts_table),
    MLS_CARRY_IN(mls_part_run, "heard", carried.heard, &facts_table),
    BESIDE("has_printed", BOOL, has_printed),
    MLS_CARRY_MOST(mls_part_run, "printed", LIST, carried.printed.settings, MLS_PRINTED_SETTINGS_MAX, &setting_table),
    BESIDE("has_power", BOOL, has_power),
    BESIDE("joules", NUMBER, joules),
    BESIDE("power", FINDINGS, power),
    BESIDE("ending", FINDINGS, ending),
    MLS_CARRY_IN(mls_part_run, "notes", notes, &notes_table),
};
MLS_CARRY_TABLE(run_table, mls_part_run, run_members);

/* ------------------------------------------------------------------ files */

#define TREE(name, kind, member) MLS_CARRY(mls_carried_tree, name, kind, member)
static const mls_carry_member tree_members[] = {
    TREE("edition", KEPT, edition),
    MLS_CARRY_MOST(mls_carried_tree, "usage", WORD, usage, MLS_USAGE_COUNT, NULL),
    TREE("by_date", BOOL, by_date),
};
MLS_CARRY_TABLE(tree_table, mls_carried_tree, tree_members);

static const mls_carry_member system_members[] = {
    MLS_CARRY(mls_carried_system, "id", KEPT, id),
    MLS_CARRY(mls_carried_system, "text", KEPT_STR, text),
};
MLS_CARRY_TABLE(system_table, mls_carried_system, system_members);

static const mls_carry_member malformed_members[] = {
    MLS_CARRY(mls_part_malformed, "line", SIZE, line),
    MLS_CARRY(mls_part_malformed, "column", SIZE, column),
    MLS_CARRY(mls_part_malformed, "reason", KEPT, reason),
};
MLS_CARRY_TABLE(malformed_table, mls_part_malformed, malformed_members);

#define SOURCE(name, kind, member) MLS_CARRY(mls_part_source, name, kind, member)
static const mls_carry_member source_members[] = {
    SOURCE("root", SIZE, argument),
    SOURCE("path", KEPT, path),
    SOURCE("size", SIZE, size),
    SOURCE("named", BOOL, named),
    SOURCE("result", BOOL, result),
    SOURCE("skip", KEPT, skip),
    SOURCE("failed", BOOL, failed),
    SOURCE("finding", KEPT, finding),
    SOURCE("measures", BOOL, measures),
    SOURCE("read", SIZE, bytes),
    SOURCE("records", SIZE, records),
    SOURCE("malformed", SIZE, malformed),
    SOURCE("quoted", SIZE, quoted),
    SOURCE("reason", KEPT, reason),
    SOURCE("binary", BOOL, binary),
    SOURCE("unread", KEPT, unread),
    SOURCE("error", KEPT, error),
    MLS_CARRY_IN(mls_part_source, "tree", tree, &tree_table),
    MLS_CARRY_IN(mls_part_source, "system", system, &system_table),
    MLS_CARRY_MOST(mls_part_source, "malformed_lines", LIST, lines, MLS_MALFORMED_NAMED, &malformed_table),
    SOURCE("runs", RAW, runs),
};
const mls_carry_table mls_part_source_table = {source_members, sizeof source_members / sizeof *source_members,
                                               sizeof(mls_part_source)};

/* ---------------------------------------------------------- head and tail */

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
    HEAD("shard", SIZE, shard),
    MLS_CARRY_MOST(mls_part_head, "shards_in", ROWS, shards_in, MLS_SHARDS_MAX, &range_table),
};
const mls_carry_table mls_part_head_table = {head_members, sizeof head_members / sizeof *head_members,
                                             sizeof(mls_part_head)};

/* The tail: its fields, and how it is written. */
typedef struct part_tail {
    bool end;
    size_t files, runs;
    uint64_t bytes;
    const char *digest;
} part_tail;

#define TAIL(name, kind, member) MLS_CARRY(part_tail, name, kind, member)
static const mls_carry_member tail_members[] = {
    TAIL("end", BOOL, end),     TAIL("files", SIZE, files),   TAIL("runs", SIZE, runs),
    TAIL("bytes", SIZE, bytes), TAIL("digest", KEPT, digest),
};
MLS_CARRY_TABLE(tail_table, part_tail, tail_members);

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

void mls_part_head_release(mls_part_head *head)
{
    mls_carry_release(&mls_part_head_table, head);
}

const char *mls_part_head_difference(const mls_part_head *a, const mls_part_head *b)
{
    mls_buffer first = {0};
    mls_buffer second = {0};
    const char *different = NULL;
    for (size_t i = 0; i < mls_part_head_table.count && different == NULL; i++) {
        const mls_carry_member *member = &mls_part_head_table.members[i];
        const mls_carry_table alone = {member, 1, sizeof *a};
        mls_buffer_clear(&first);
        mls_buffer_clear(&second);
        mls_carry_write(&first, &alone, a);
        mls_carry_write(&second, &alone, b);
        if (!mls_str_among(member->name, "shard shards_in") &&
            !mls_str_equal(mls_buffer_str(&first), mls_buffer_str(&second))) {
            different = member->name.ptr;
        }
    }
    mls_buffer_release(&first);
    mls_buffer_release(&second);
    return different;
}

/* ----------------------------------------------------------------- writing */

void mls_part_run_init(mls_part_run *run)
{
    mls_carry_clear(&run_table, run);
    mls_run_init(&run->run);
}

void mls_carried_release(struct mls_carried *carried)
{
    mls_findings_release(&carried->power);
    mls_findings_release(&carried->ending);
    free(carried->printed.settings.items);
    *carried = (struct mls_carried){0};
}

void mls_part_run_release(mls_part_run *run)
{
    mls_carried_release(&run->carried);
    free(run->notes.sums.items);
    mls_notes_release(&mls_tracked_observer, &run->tracked);
    mls_run_release(&run->run);
    mls_part_run_init(run);
}

/* End the line that has been made, and write it. */
static void write_line(mls_part_writer *writer)
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
    write_line(writer);
}

void mls_part_run_write(mls_buffer *to, mls_part_run *run)
{
    const mls_tracked *tracked = run->tracked;
    if (tracked != NULL) {
        run->notes.any = true;
        run->notes.too_many = tracked->too_many;
        run->notes.long_line = tracked->long_line;
        for (size_t i = 0; i < tracked->sums.count; i++) {
            const mls_map_entry *entry = &tracked->sums.entries[i];
            const mls_tracked_sum *sum = entry->value.pointer;
            (void)MLS_GROW(&run->notes.sums, items);
            run->notes.sums.items[run->notes.sums.count++] = (mls_part_tracked){entry->key, sum->sum, sum->count};
        }
    }
    mls_carry_write(to, &run_table, run);
}

mls_status mls_part_writer_add(mls_part_writer *writer, const mls_part_source *source, mls_part_run *runs, size_t count,
                               mls_error *error)
{
    mls_buffer *line = &writer->line;
    mls_carry_write(line, &mls_part_source_table, source);
    if (count > 0) {
        mls_buffer_cut(line, line->len - 1);
        mls_buffer_append_text(line, ",\"runs\":[");
        for (size_t i = 0; i < count; i++) {
            mls_buffer_append_text(line, i > 0 ? "," : "");
            mls_part_run_write(line, &runs[i]);
        }
        mls_buffer_append_text(line, "]}");
    }
    if (line->len > MLS_PART_LINE_MAX) {
        return mls_error_set(error, MLS_ERROR_LIMIT, 0, 0, "'%s': its line in the part has more than %zu MiB",
                             source->path, MLS_PART_LINE_MAX >> 20);
    }
    writer->files++;
    writer->runs += count;
    writer->bytes += source->bytes;
    write_line(writer);
    return MLS_OK;
}

void mls_part_writer_end(mls_part_writer *writer)
{
    const mls_hash_words digest = mls_hash_text(writer->digest);
    const part_tail tail = {true, writer->files, writer->runs, writer->bytes, digest.text};
    mls_carry_write(&writer->line, &tail_table, &tail);
    write_line(writer);
    mls_buffer_release(&writer->line);
}

/* ----------------------------------------------------------------- reading */

/* A part that is being read, line by line. */
typedef struct part_reader {
    int fd;
    mls_buffer block; /* what was read of it */
    size_t at;        /* of the block: where the line begins */
    size_t line;      /* its number, from 1 */
    size_t len;       /* its bytes, with its end */
    uint64_t digest;  /* of everything before it */
    bool ended;       /* the file is at its end */
    mls_carry_room *room;
    mls_error *error;
} part_reader;

/* Read the next line, without its end, valid until the next call.  Return 1: there is one; 0: the file ended behind a
 * whole line; -1 with *error set. */
static int next_line(part_reader *reader, mls_str *text)
{
    enum { READ_BYTES = 256 * 1024 };
    mls_buffer *block = &reader->block;
    const char *end = NULL;
    if (reader->line > 0) {
        reader->digest = mls_fnv1a(reader->digest, (mls_str){block->ptr + reader->at, reader->len});
        reader->at += reader->len;
    }
    for (size_t looked = 0; end == NULL;) {
        size_t left = block->len - reader->at;
        end = left > looked ? memchr(block->ptr + reader->at + looked, '\n', left - looked) : NULL;
        looked = left;
        if (end != NULL) {
            break;
        }
        if (reader->ended) {
            if (left > 0) {
                (void)mls_error_set(reader->error, MLS_ERROR_SYNTAX, reader->line + 1, 1, "the line is cut off");
            }
            return left > 0 ? -1 : 0;
        }
        if (reader->at > 0) {
            memmove(block->ptr, block->ptr + reader->at, left);
            mls_buffer_cut(block, left);
            reader->at = 0;
        }
        if (left > MLS_PART_LINE_MAX) {
            (void)mls_error_set(reader->error, MLS_ERROR_LIMIT, reader->line + 1, 1, "a line of more than %zu MiB",
                                MLS_PART_LINE_MAX >> 20);
            return -1;
        }
        (void)mls_buffer_reserve(block, left > READ_BYTES ? left : READ_BYTES);
        ssize_t got;
        do {
            got = read(reader->fd, block->ptr + left, block->capacity - left - 1);
        } while (got < 0 && errno == EINTR);
        if (got < 0) {
            (void)mls_error_set_errno(reader->error, MLS_ERROR_READ, errno, "");
            return -1;
        }
        block->len += (size_t)got;
        block->ptr[block->len] = '\0';
        reader->ended = got == 0;
    }
    reader->line++;
    *text = (mls_str){block->ptr + reader->at, (size_t)(end - block->ptr) - reader->at};
    reader->len = text->len + 1;
    return 1;
}

static mls_status refuse(const part_reader *reader, const char *what)
{
    return mls_error_set(reader->error, MLS_ERROR_VALUE, reader->line, 1, "%s", what);
}

static mls_status refuse_member(const part_reader *reader, const char *what, const char *member)
{
    return mls_error_set(reader->error, MLS_ERROR_VALUE, reader->line, 1, "%s: '%s' is not as it must be", what,
                         member);
}

/* Read a line as one struct by a table.  Its text is copied into room->scratch, which is reset before. */
static mls_status read_struct(part_reader *reader, mls_str text, const mls_carry_table *table, void *row)
{
    mls_str json;
    size_t where = 0;
    mls_arena_reset(&reader->room->scratch);
    reader->room->wrong[0] = '\0';
    const char *wrong = mls_json_validate(text, &reader->room->scratch, &json, &where);
    if (wrong != NULL) {
        return mls_error_set(reader->error, MLS_ERROR_SYNTAX, reader->line, where + 1, "%s", wrong);
    }
    mls_carry_clear(table, row);
    return mls_carry_read(table, json, reader->room, row)
               ? MLS_OK
               : refuse_member(reader, "not a line of a part", reader->room->wrong);
}

/* Make the notes of a run from their list. */
static void make_notes(mls_part_run *run)
{
    mls_tracked *tracked = mls_calloc(1, sizeof *tracked);
    tracked->sums.arena = &tracked->arena;
    tracked->too_many = run->notes.too_many;
    tracked->long_line = run->notes.long_line;
    for (size_t i = 0; i < run->notes.sums.count; i++) {
        const mls_part_tracked *from = &run->notes.sums.items[i];
        mls_tracked_sum *sum = mls_arena_zeroed(&tracked->arena, 1, sizeof *sum);
        *sum = (mls_tracked_sum){from->sum, from->count};
        mls_map_put(&tracked->sums, from->name, NULL)->value.pointer = sum;
    }
    run->tracked = tracked;
    free(run->notes.sums.items);
    run->notes = (mls_part_notes){0};
}

bool mls_part_run_read(mls_str span, mls_carry_room *room, mls_part_run *run)
{
    mls_part_run_init(run);
    run->run.arena = mls_calloc(1, sizeof *run->run.arena);
    room->arena = run->run.arena;
    if (!mls_carry_read(&run_table, span, room, run)) {
        return false;
    }
    for (size_t i = 0; i < run->run.hyperparameter_count; i++) {
        const mls_hyperparameter *each = &run->run.hyperparameters[i];
        if (each->key.ptr == NULL || each->value == NULL) {
            memcpy(room->wrong, "hyperparameters", sizeof "hyperparameters");
            return false;
        }
    }
    if (run->notes.any) {
        make_notes(run);
    }
    return true;
}

void mls_part_file_release(mls_part_file *file)
{
    for (size_t i = 0; i < file->runs.count; i++) {
        mls_part_run_release(&file->runs.items[i]);
    }
    free(file->runs.items);
    mls_carry_release(&mls_part_source_table, &file->source);
    *file = (mls_part_file){0};
}

static mls_status read_file(part_reader *reader, mls_str text, mls_shard_part *part, mls_part_file *file)
{
    mls_part_source *source = &file->source;
    mls_status status = read_struct(reader, text, &mls_part_source_table, source);
    if (status != MLS_OK) {
        return status;
    }
    bool reasons = source->lines.count <= source->malformed;
    for (size_t i = 0; i < source->lines.count && reasons; i++) {
        reasons = source->lines.items[i].reason != NULL;
    }
    if (!reasons) {
        return refuse_member(reader, "not a line of a part", "malformed_lines");
    }
    if (source->runs.ptr != NULL && mls_json_kind_of(source->runs) != MLS_JSON_LIST) {
        return refuse(reader, "runs is not a list");
    }
    mls_json_walk walk = mls_json_walk_begin(source->runs);
    for (mls_raw_member item; status == MLS_OK && mls_json_walk_next(&walk, &item);) {
        (void)MLS_GROW(&file->runs, items);
        if (!mls_part_run_read(item.value, reader->room, &file->runs.items[file->runs.count++])) {
            status = refuse_member(reader, "not a run", reader->room->wrong);
        }
    }
    source->runs = (mls_str){NULL, 0};
    if (status == MLS_OK && file->runs.count > 0 && strcmp(part->head.command, "events") == 0) {
        return refuse(reader, "a part of events holds no runs");
    }
    /* A file is only in the part whose shard its path belongs to. */
    const mls_names *roots = &part->head.roots;
    bool own = false;
    if (source->argument < roots->count && source->path != NULL) {
        const mls_str root = mls_str_from(roots->items[source->argument]);
        const size_t shard = mls_shard_of(mls_path_below(mls_str_from(source->path), root), part->head.shards);
        for (size_t i = 0; i < part->shards.count; i++) {
            own |= shard >= part->shards.items[i].first && shard <= part->shards.items[i].last;
        }
    }
    return status != MLS_OK || own
               ? status
               : mls_error_set(reader->error, MLS_ERROR_VALUE, reader->line, 1, "'%s' is not of this shard",
                               source->path != NULL ? source->path : "");
}

static mls_status read_head(part_reader *reader, mls_str text, mls_shard_part *part)
{
    mls_part_head *head = &part->head;
    mls_error *error = reader->error;
    mls_usage usage;
    size_t twice;
    mls_status status = read_struct(reader, text, &mls_part_head_table, head);
    if (status != MLS_OK) {
        return status;
    }
    if (head->format != MLS_PART_FORMAT) {
        return mls_error_set(error, MLS_ERROR_VALUE, 0, 0, "not a part, or one of another format");
    }
    if (head->version == NULL || strcmp(head->version, MLS_VERSION) != 0) {
        return mls_error_set(error, MLS_ERROR_VALUE, 0, 0, "made by version %s, and this is %s",
                             head->version != NULL ? head->version : "?", MLS_VERSION);
    }
    if (head->rules == NULL || head->command == NULL || !mls_usage_from_name(mls_str_from(head->usage), &usage) ||
        !mls_str_among(mls_str_from(head->command), "score check events")) {
        return refuse(reader, "not the head of a part");
    }
    if (strcmp(head->rules, mls_part_rules_hash().text) != 0) {
        return mls_error_set(error, MLS_ERROR_VALUE, 0, 0, "judged by other rules than this program has");
    }
    bool ok = (head->shard > 0) != (head->shards_in.count > 0) && head->shards <= MLS_SHARDS_MAX;
    if (head->shard > 0) {
        mls_shard_ranges_add(&part->shards, head->shard, head->shard);
    }
    for (size_t i = 0; i < head->shards_in.count && ok; i++) {
        mls_shard_ranges_add(&part->shards, head->shards_in.items[i].first, head->shards_in.items[i].last);
    }
    for (size_t i = 0; i < part->shards.count && ok; i++) {
        const mls_shard_range range = part->shards.items[i];
        ok = range.first >= 1 && range.first <= range.last && range.last <= head->shards;
    }
    return ok && mls_shard_ranges_join(&part->shards, &twice)
               ? MLS_OK
               : refuse(reader, "its shards are not distinct ones from 1 to the number of all shards");
}

/* Check the tail: its digest is that of all lines before it, its counts are those of what was read, and nothing
 * follows. */
static mls_status read_tail(part_reader *reader, mls_str text, const mls_shard_part *part)
{
    part_tail tail = {0};
    part_tail counted = {.files = part->files.count};
    const uint64_t before = reader->digest;
    mls_str more;
    mls_status status = read_struct(reader, text, &tail_table, &tail);
    if (status != MLS_OK) {
        return status;
    }
    if (!tail.end || tail.digest == NULL || strcmp(tail.digest, mls_hash_text(before).text) != 0) {
        return refuse(reader, "the digest is not that of what stands before it");
    }
    for (size_t i = 0; i < part->files.count; i++) {
        counted.runs += part->files.items[i].runs.count;
        counted.bytes += part->files.items[i].source.bytes;
    }
    if (tail.files != counted.files || tail.runs != counted.runs || tail.bytes != counted.bytes) {
        return refuse(reader, "what the last line counts is not what stands before it");
    }
    const int next = next_line(reader, &more);
    return next < 0   ? reader->error->status
           : next > 0 ? refuse(reader, "something follows the end of the part")
                      : MLS_OK;
}

mls_status mls_part_read(const char *path, mls_carry_room *room, mls_shard_part *part, mls_error *error)
{
    part_reader reader = {.room = room, .error = error, .digest = MLS_FNV_START};
    mls_status status = MLS_OK;
    mls_str line = {NULL, 0};
    *part = (mls_shard_part){.path = path};
    mls_carry_clear(&mls_part_head_table, &part->head);
    reader.fd = mls_file_open(path, false, error);
    if (reader.fd < 0) {
        return error->status;
    }
    for (bool ended = false; status == MLS_OK && !ended;) {
        const int got = next_line(&reader, &line);
        part->digest = reader.digest;
        if (got < 0) {
            status = error->status;
        } else if (got == 0 && reader.line == 0) {
            status = mls_error_set(error, MLS_ERROR_SYNTAX, 0, 0, "the file is empty: not a part");
        } else if (got == 0) {
            status =
                mls_error_set(error, MLS_ERROR_SYNTAX, reader.line, 1, "the part is cut off: its last line is missing");
        } else if (reader.line == 1) {
            status = read_head(&reader, line, part);
        } else if (mls_str_starts(line, MLS_S("{\"end\":"))) {
            status = read_tail(&reader, line, part);
            ended = true;
        } else {
            (void)MLS_GROW(&part->files, items);
            mls_part_file *file = &part->files.items[part->files.count++];
            *file = (mls_part_file){.part = path, .line = reader.line};
            status = read_file(&reader, line, part, file);
        }
    }
    mls_buffer_release(&reader.block);
    (void)close(reader.fd);
    return status;
}

void mls_part_release(mls_shard_part *part)
{
    for (size_t i = 0; i < part->files.count; i++) {
        mls_part_file_release(&part->files.items[i]);
    }
    free(part->files.items);
    free(part->shards.items);
    mls_part_head_release(&part->head);
    *part = (mls_shard_part){0};
}
