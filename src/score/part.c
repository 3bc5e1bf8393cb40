/* SPDX-License-Identifier: Apache-2.0 */
/* part.c - tables of the members of a part, its writer, and its reader. */
#include "score/part.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/data.h"
#include "base/file.h"
#include "base/memory.h"
#include "mlscore/version.h"

/* ------------------------------------------------------------------- runs */

#define PROGRESS(name, kind, member) MLS_FIELD(mls_training_progress, name, kind, member)
static const mls_schema_member progress_members[] = {
    PROGRESS("samples", NUMBER, samples_count),
    PROGRESS("epoch", NUMBER, epoch_num),
    PROGRESS("step", NUMBER, step_num),
};
static const mls_schema progress_schema = MLS_SCHEMA_OF(mls_training_progress, progress_members);

#define EVALUATION(name, kind, member) MLS_FIELD(mls_evaluation, name, kind, member)
static const mls_schema_member evaluation_members[] = {
    EVALUATION("ms", NUMBER, time_ms),  EVALUATION("line", SIZE, line),
    EVALUATION("value", NUMBER, value), MLS_FIELD_IN(mls_evaluation, "at", at, &progress_schema),
    EVALUATION("clip", BOOL, is_clip),
};
static const mls_schema evaluation_schema = MLS_SCHEMA_OF(mls_evaluation, evaluation_members);

static const mls_schema_member step_members[] = {
    MLS_FIELD(mls_step, "ms", NUMBER, time_ms),
    MLS_FIELD(mls_step, "line", SIZE, line),
};
static const mls_schema step_schema = MLS_SCHEMA_OF(mls_step, step_members);

static const mls_schema_member hyperparameter_members[] = {
    MLS_FIELD(mls_hyperparameter, "key", STR, key),
    MLS_FIELD(mls_hyperparameter, "value", JSON, value),
    MLS_FIELD(mls_hyperparameter, "line", SIZE, line),
};
static const mls_schema hyperparameter_schema = MLS_SCHEMA_OF(mls_hyperparameter, hyperparameter_members);

#define SEED(name, kind, member) MLS_FIELD(mls_seed, name, kind, member)
static const mls_schema_member seed_members[] = {
    SEED("line", SIZE, line), SEED("identity", STR, identity), SEED("value", STR, value),
    SEED("file", STR, file),  SEED("lineno", STR, lineno),     SEED("integer", BOOL, is_integer),
};
static const mls_schema seed_schema = MLS_SCHEMA_OF(mls_seed, seed_members);

#define PARTS(name, kind, member) MLS_FIELD(mls_parts, name, kind, member)
static const mls_schema_member parts_members[] = {
    MLS_FIELD_MOST(mls_parts, "by", WORD, by, MLS_PARTS_BY_EPOCH + 1, NULL),
    PARTS("training", AMOUNT, ms[MLS_PART_TRAINING]),
    PARTS("evaluation", AMOUNT, ms[MLS_PART_EVALUATION]),
    PARTS("startup", AMOUNT, ms[MLS_PART_STARTUP]),
    PARTS("between", AMOUNT, ms[MLS_PART_BETWEEN]),
    PARTS("tail", AMOUNT, ms[MLS_PART_TAIL]),
    PARTS("delimited", BOOL, evaluation_delimited),
    PARTS("evaluations", SIZE, evaluations),
    PARTS("overlapped", AMOUNT, overlapped_evaluation_ms),
};
static const mls_schema parts_schema = MLS_SCHEMA_OF(mls_parts, parts_members);

#define JOB(name, kind, member) MLS_FIELD(mls_job, name, kind, member)
static const mls_schema_member job_members[] = {
    JOB("container", TEXT, container), JOB("job", TEXT, job),
    JOB("step", TEXT, step),           JOB("other", TEXT, other),
    JOB("node_list", TEXT, node_list), JOB("nodes", NUMBER, node_count),
    JOB("cluster", TEXT, cluster),     JOB("config", TEXT, config),
    JOB("system", TEXT, system),
};
static const mls_schema job_schema = MLS_SCHEMA_OF(mls_job, job_members);

#define FACTS(name, kind, member) MLS_FIELD(mls_printed_facts, name, kind, member)
static const mls_schema_member facts_members[] = {
    MLS_FIELD_MOST(mls_printed_facts, "precision", WORD, precision, MLS_PRINTED_FP4 + 1, NULL),
    FACTS("healing", U32, healing),
    FACTS("tp", U32, degrees[0]),
    FACTS("pp", U32, degrees[1]),
    FACTS("cp", U32, degrees[2]),
    FACTS("ep", U32, degrees[3]),
};
static const mls_schema facts_schema = MLS_SCHEMA_OF(mls_printed_facts, facts_members);
_Static_assert(MLS_DEGREES == 4, "a row for each degree");

static const mls_schema_member setting_members[] = {
    MLS_FIELD(mls_printed_setting, "name", STR, name),
    MLS_FIELD(mls_printed_setting, "value", STR, value),
};
static const mls_schema setting_schema = MLS_SCHEMA_OF(mls_printed_setting, setting_members);

static const mls_schema_member tracked_members[] = {
    MLS_FIELD(mls_part_tracked, "name", STR, name),
    MLS_FIELD(mls_part_tracked, "sum", NUMBER, sum),
    MLS_FIELD(mls_part_tracked, "count", SIZE, count),
};
static const mls_schema tracked_schema = MLS_SCHEMA_OF(mls_part_tracked, tracked_members);

#define RUN(name, kind, member) MLS_FIELD(mls_part_run, name, kind, run.member)
#define RUN_IN(name, member, of) MLS_FIELD_IN(mls_part_run, name, run.member, of)
#define RUN_LIST(name, member, most, of) MLS_FIELD_MOST(mls_part_run, name, LIST, run.member, most, of)
#define BESIDE(name, kind, member) MLS_FIELD(mls_part_run, name, kind, extra.member)
static const mls_schema_member run_members[] = {
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
    RUN_IN("init_start", init_start, &step_schema),
    RUN_IN("init_stop", init_stop, &step_schema),
    RUN_IN("run_start", run_start, &step_schema),
    RUN_IN("run_stop", run_stop, &step_schema),
    MLS_FIELD_MOST(mls_part_run, "status", WORD, run.status, MLS_RUN_OTHER_STATUS + 1, NULL),
    RUN("benchmark", TEXT, benchmark),
    RUN("division", TEXT, division),
    RUN("organisation", TEXT, organisation),
    RUN("platform", TEXT, platform),
    RUN("submission_status", TEXT, submission_status),
    RUN("config", TEXT, config_filename),
    RUN("batch_size", NUMBER, global_batch_size),
    RUN("train_samples", NUMBER, train_samples),
    RUN("evaluations", SIZE, evaluations),
    RUN_IN("first_evaluation", first_evaluation, &evaluation_schema),
    RUN_IN("last_evaluation", last_evaluation, &evaluation_schema),
    RUN("throughput", AMOUNT, throughput),
    RUN("throughputs", SIZE, throughputs),
    /* The additional one is the last batch size. */
    RUN_LIST("hyperparameters", hyperparameters, MLS_HYPERPARAMETERS_KEPT + 1, &hyperparameter_schema),
    RUN("too_many_hyperparameters", BOOL, too_many_hyperparameters),
    RUN("long_key_line", SIZE, long_key_line),
    RUN_IN("parts", parts, &parts_schema),
    RUN("has_parts", BOOL, has_parts),
    RUN_LIST("seeds", seeds, MLS_SEEDS_MAX, &seed_schema),
    RUN("too_many_seeds", BOOL, too_many_seeds),
    RUN_IN("progress", progress, &progress_schema),
    RUN_IN("at_stop", at_stop, &progress_schema),
    RUN("converged", BOOL, converged),
    RUN_LIST("images", images, MLS_IMAGE_EVALUATIONS_MAX, &evaluation_schema),
    RUN("too_many_images", BOOL, too_many_images),
    RUN_IN("job", job, &job_schema),
    MLS_FIELD_MOST(mls_part_run, "usage", WORD, run.usage, MLS_USAGE_COUNT, NULL),
    RUN("edition", KEPT, edition),
    RUN("guessed", BOOL, edition_guessed),
    RUN("by_date", BOOL, edition_by_date),
    RUN("benchmark_line", SIZE, benchmark_line),
    RUN("findings", FINDINGS, findings),
    RUN("valid", BOOL, valid),
    MLS_FIELD_IN(mls_part_run, "heard", run.facts, &facts_schema),
    MLS_FIELD(mls_part_run, "has_printed", BOOL, has_printed),
    MLS_FIELD_MOST(mls_part_run, "printed", LIST, printed, MLS_PRINTED_SETTINGS_MAX, &setting_schema),
    MLS_FIELD(mls_part_run, "has_tracked", BOOL, has_tracked),
    MLS_FIELD_MOST(mls_part_run, "tracked", LIST, sums, MLS_TRACKED_NAMES_MAX, &tracked_schema),
    MLS_FIELD(mls_part_run, "too_many_tracked", BOOL, too_many),
    MLS_FIELD(mls_part_run, "long_tracked_line", SIZE, long_line),
    MLS_FIELD_IN(mls_part_run, "facts", extra.facts, &facts_schema),
    BESIDE("has_power", BOOL, has_power),
    BESIDE("joules", NUMBER, joules),
    BESIDE("power", FINDINGS, power),
    BESIDE("ending", FINDINGS, ending),
};
static const mls_schema run_schema = MLS_SCHEMA_OF(mls_part_run, run_members);

/* ------------------------------------------------------------------ files */

static const mls_schema_member malformed_members[] = {
    MLS_FIELD(mls_part_malformed, "line", SIZE, line),
    MLS_FIELD(mls_part_malformed, "column", SIZE, column),
    MLS_FIELD(mls_part_malformed, "reason", KEPT, reason),
};
static const mls_schema malformed_schema = MLS_SCHEMA_OF(mls_part_malformed, malformed_members);

#define SOURCE(name, kind, member) MLS_FIELD(mls_part_source, name, kind, member)
static const mls_schema_member source_members[] = {
    SOURCE("root", SIZE, source.argument),
    SOURCE("path", KEPT, source.path),
    SOURCE("size", SIZE, source.size),
    SOURCE("named", BOOL, source.named),
    SOURCE("result", BOOL, source.result),
    SOURCE("skip", KEPT, source.skip),
    SOURCE("failed", BOOL, source.failed),
    SOURCE("finding", KEPT, source.finding),
    SOURCE("measures", BOOL, measures),
    SOURCE("read", SIZE, totals.bytes),
    SOURCE("records", SIZE, totals.records),
    SOURCE("malformed", SIZE, totals.malformed),
    SOURCE("quoted", SIZE, totals.quoted),
    SOURCE("reason", KEPT, totals.reason),
    SOURCE("binary", BOOL, totals.binary),
    SOURCE("unread", KEPT, totals.unread),
    SOURCE("error", KEPT, error),
    SOURCE("tree_edition", KEPT, place.edition),
    MLS_FIELD_MOST(mls_part_source, "tree_usage", WORD, place.usage, MLS_USAGE_COUNT, NULL),
    SOURCE("tree_by_date", BOOL, place.by_date),
    SOURCE("system", KEPT, place.system),
    SOURCE("description", STR, place.description),
    MLS_FIELD_MOST(mls_part_source, "malformed_lines", LIST, lines, MLS_MALFORMED_NAMED, &malformed_schema),
    SOURCE("runs", RAW, runs),
};
const mls_schema mls_part_source_schema = MLS_SCHEMA_OF(mls_part_source, source_members);

/* ---------------------------------------------------------- head and tail */

#define OPTION(name, kind, member) MLS_FIELD(mls_part_options, name, kind, member)
static const mls_schema_member option_members[] = {
    OPTION("any_usage", BOOL, any_usage), OPTION("bert_train_samples", BOOL, bert_train_samples),
    OPTION("doubting", BOOL, doubting),   OPTION("keys", TEXT, keys),
    OPTION("own_rules", TEXT, own_rules), OPTION("rcp", TEXT, rcp),
    OPTION("rcp_path", TEXT, rcp_path),   OPTION("split", BOOL, split),
    OPTION("wide", BOOL, wide),           OPTION("window", BOOL, window),
};
static const mls_schema option_schema = MLS_SCHEMA_OF(mls_part_options, option_members);

static const mls_schema_member range_members[] = {
    MLS_FIELD(mls_shard_range, "first", SIZE, first),
    MLS_FIELD(mls_shard_range, "last", SIZE, last),
};
static const mls_schema range_schema = MLS_SCHEMA_OF(mls_shard_range, range_members);

#define HEAD(name, kind, member) MLS_FIELD(mls_part_head, name, kind, member)
static const mls_schema_member head_members[] = {
    HEAD("mlscore_part", SIZE, format),
    HEAD("version", TEXT, version),
    HEAD("rules", TEXT, rules),
    HEAD("command", TEXT, command),
    HEAD("usage", TEXT, usage),
    HEAD("edition", TEXT, edition),
    MLS_FIELD_IN(mls_part_head, "options", options, &option_schema),
    HEAD("roots", TEXTS, roots),
    HEAD("shards", SIZE, shards),
    HEAD("shard", SIZE, shard),
    MLS_FIELD_MOST(mls_part_head, "shards_in", ROWS, shards_in, MLS_SHARDS_MAX, &range_schema),
};
const mls_schema mls_part_head_schema = MLS_SCHEMA_OF(mls_part_head, head_members);

/* The tail and its members. */
typedef struct part_tail {
    bool end;
    size_t files, runs;
    uint64_t bytes;
    const char *digest;
} part_tail;

#define TAIL(name, kind, member) MLS_FIELD(part_tail, name, kind, member)
static const mls_schema_member tail_members[] = {
    TAIL("end", BOOL, end),     TAIL("files", SIZE, files),   TAIL("runs", SIZE, runs),
    TAIL("bytes", SIZE, bytes), TAIL("digest", KEPT, digest),
};
static const mls_schema tail_schema = MLS_SCHEMA_OF(part_tail, tail_members);

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
    mls_schema_release(&mls_part_head_schema, head);
}

const char *mls_part_head_difference(const mls_part_head *a, const mls_part_head *b)
{
    const char *different = NULL;
    for (size_t i = 0; i < mls_part_head_schema.count && different == NULL; i++) {
        const mls_schema_member *member = &mls_part_head_schema.members[i];
        const mls_schema alone = {member, 1, sizeof *a};
        mls_buffer first = {0};
        mls_buffer second = {0};
        mls_schema_write(&first, &alone, a);
        mls_schema_write(&second, &alone, b);
        if (!mls_str_among(member->name, "shard shards_in") &&
            !mls_str_equal(mls_buffer_str(&first), mls_buffer_str(&second)))
            different = member->name.ptr;
        mls_buffer_release(&first);
        mls_buffer_release(&second);
    }
    return different;
}

/* ----------------------------------------------------------------- writing */

void mls_part_run_init(mls_part_run *run)
{
    *run = (mls_part_run){.extra.joules = (double)NAN};
    mls_run_init(&run->run);
}

void mls_part_run_release(mls_part_run *run)
{
    void *notes = run->tracked;
    mls_run_extra_release(&run->extra);
    mls_notes_release(&mls_tracked_observer, &notes);
    free(run->printed.items);
    free(run->sums.items);
    mls_run_release(&run->run);
    mls_part_run_init(run);
}

/* Terminate the line in the buffer, and write it. */
static void write_line(mls_part_writer *writer)
{
    mls_buffer_append_char(&writer->line, '\n');
    writer->digest = mls_fnv1a(writer->digest, mls_buffer_str(&writer->line));
    mls_output_write(writer->output, mls_buffer_str(&writer->line));
    mls_buffer_clear(&writer->line);
}

void mls_part_writer_begin(mls_part_writer *writer, mls_output *output, const mls_part_head *head)
{
    *writer = (mls_part_writer){.output = output, .digest = MLS_FNV_START};
    mls_schema_write(&writer->line, &mls_part_head_schema, head);
    write_line(writer);
}

void mls_part_run_write(mls_buffer *to, mls_part_run *run)
{
    const mls_tracked *tracked = run->tracked;
    run->has_printed = run->run.printed != NULL;
    run->has_tracked = tracked != NULL;
    if (tracked != NULL) {
        run->too_many = tracked->too_many;
        run->long_line = tracked->long_line;
        for (size_t i = 0; i < tracked->sums.count; i++) {
            const mls_map_entry *entry = &tracked->sums.entries[i];
            const mls_tracked_sum *sum = entry->value.pointer;
            MLS_GROW(&run->sums, items);
            run->sums.items[run->sums.count++] = (mls_part_tracked){entry->key, sum->sum, sum->count};
        }
    }
    mls_schema_write(to, &run_schema, run);
}

void mls_part_writer_add(mls_part_writer *writer, const mls_part_source *source, mls_part_run *runs, size_t count)
{
    mls_buffer *line = &writer->line;
    mls_schema_write(line, &mls_part_source_schema, source);
    if (count > 0) {
        mls_buffer_cut(line, line->len - 1);
        for (size_t i = 0; i < count; i++) {
            mls_buffer_append_text(line, i > 0 ? "," : ",\"runs\":[");
            mls_part_run_write(line, &runs[i]);
        }
        mls_buffer_append_text(line, "]}");
    }
    writer->files++;
    writer->runs += count;
    writer->bytes += source->totals.bytes;
    write_line(writer);
}

void mls_part_writer_end(mls_part_writer *writer)
{
    const mls_hash_words digest = mls_hash_text(writer->digest);
    const part_tail tail = {true, writer->files, writer->runs, writer->bytes, digest.text};
    mls_schema_write(&writer->line, &tail_schema, &tail);
    write_line(writer);
    mls_buffer_release(&writer->line);
}

/* ----------------------------------------------------------------- reading */

bool mls_part_run_read(mls_str span, mls_schema_room *room, mls_part_run *run)
{
    mls_part_run_init(run);
    if (!mls_schema_read(&run_schema, span, room, run))
        return false;
    for (size_t i = 0; i < run->run.hyperparameter_count; i++) {
        const mls_hyperparameter *each = &run->run.hyperparameters[i];
        if (each->key.ptr == NULL || each->value == NULL) {
            memcpy(room->wrong, "hyperparameters", sizeof "hyperparameters");
            return false;
        }
    }
    run->run.printed = run->has_printed ? mls_printed_new() : NULL;
    for (size_t i = 0; i < run->printed.count && run->has_printed; i++)
        mls_printed_add(run->run.printed, run->printed.items[i].name, run->printed.items[i].value);
    if (run->has_tracked) {
        run->tracked = mls_calloc(1, sizeof *run->tracked);
        run->tracked->too_many = run->too_many;
        run->tracked->long_line = run->long_line;
        for (size_t i = 0; i < run->sums.count; i++) {
            const mls_part_tracked *from = &run->sums.items[i];
            mls_tracked_add(run->tracked, from->name, (mls_tracked_sum){from->sum, from->count});
        }
    }
    run->sums.count = 0;
    return true;
}

void mls_part_file_release(mls_part_file *file)
{
    for (size_t i = 0; i < file->runs.count; i++)
        mls_part_run_release(&file->runs.items[i]);
    free(file->runs.items);
    mls_schema_release(&mls_part_source_schema, &file->source);
    *file = (mls_part_file){0};
}

/* A part while it is read, line by line. */
typedef struct part_reader {
    mls_shard_part *part;
    mls_schema_room *room;
    size_t line; /* from 1 */
    mls_error *error;
} part_reader;

static mls_status refuse(const part_reader *reader, const char *what)
{
    return mls_error_set(reader->error, MLS_ERROR_VALUE, reader->line, 1, "%s", what);
}

static mls_status refuse_member(const part_reader *reader, const char *what, const char *member)
{
    return mls_error_set(reader->error, MLS_ERROR_VALUE, reader->line, 1, "%s: invalid '%s'", what, member);
}

/* Parse a line into a struct according to a table.  The text is copied to room->scratch, which is reset first. */
static mls_status read_struct(part_reader *reader, mls_str text, const mls_schema *schema, void *row)
{
    mls_str json;
    size_t where = 0;
    mls_arena_reset(&reader->room->scratch);
    reader->room->wrong[0] = '\0';
    const char *wrong = mls_json_validate(text, &reader->room->scratch, &json, &where);
    if (wrong != NULL)
        return mls_error_set(reader->error, MLS_ERROR_SYNTAX, reader->line, where + 1, "%s", wrong);
    mls_schema_clear(schema, row);
    return mls_schema_read(schema, json, reader->room, row)
               ? MLS_OK
               : refuse_member(reader, "not a line of a part", reader->room->wrong);
}

static mls_status read_file(part_reader *reader, mls_str text)
{
    mls_shard_part *part = reader->part;
    MLS_GROW(&part->files, items);
    mls_part_file *file = &part->files.items[part->files.count++];
    *file = (mls_part_file){.part = part->path, .line = reader->line};
    mls_part_source *source = &file->source;
    mls_status status = read_struct(reader, text, &mls_part_source_schema, source);
    if (status != MLS_OK)
        return status;
    bool reasons = source->lines.count <= source->totals.malformed;
    for (size_t i = 0; i < source->lines.count && reasons; i++)
        reasons = source->lines.items[i].reason != NULL;
    if (!reasons)
        return refuse_member(reader, "not a line of a part", "malformed_lines");
    if (source->runs.ptr != NULL && mls_json_kind_of(source->runs) != MLS_JSON_LIST)
        return refuse(reader, "runs is not a list");
    mls_json_walk walk = mls_json_walk_begin(source->runs);
    for (mls_raw_member item; status == MLS_OK && mls_json_walk_next(&walk, &item);) {
        MLS_GROW(&file->runs, items);
        if (!mls_part_run_read(item.value, reader->room, &file->runs.items[file->runs.count++]))
            status = refuse_member(reader, "not a run", reader->room->wrong);
    }
    source->runs = (mls_str){NULL, 0};
    if (status == MLS_OK && file->runs.count > 0 && strcmp(part->head.command, "events") == 0)
        return refuse(reader, "a part of events holds no runs");
    /* Check that each file belongs to the shard of the part. */
    const mls_names *roots = &part->head.roots;
    bool own = false;
    if (source->source.argument < roots->count && source->source.path != NULL) {
        const mls_str root = mls_str_from(roots->items[source->source.argument]);
        const size_t shard = mls_shard_of(mls_path_below(mls_str_from(source->source.path), root), part->head.shards);
        for (size_t i = 0; i < part->shards.count; i++)
            own |= shard >= part->shards.items[i].first && shard <= part->shards.items[i].last;
    }
    return status != MLS_OK || own
               ? status
               : mls_error_set(reader->error, MLS_ERROR_VALUE, reader->line, 1, "'%s' is not of this shard",
                               source->source.path != NULL ? source->source.path : "");
}

static mls_status read_head(part_reader *reader, mls_str text)
{
    mls_shard_part *part = reader->part;
    mls_part_head *head = &part->head;
    mls_error *error = reader->error;
    mls_usage usage;
    size_t twice;
    mls_status status = read_struct(reader, text, &mls_part_head_schema, head);
    if (status != MLS_OK)
        return status;
    if (head->format != MLS_PART_FORMAT)
        return mls_error_set(error, MLS_ERROR_VALUE, 0, 0, "not a part, or one of another format");
    if (head->version == NULL || strcmp(head->version, MLS_VERSION) != 0) {
        return mls_error_set(error, MLS_ERROR_VALUE, 0, 0, "made by version %s, and this is %s",
                             head->version != NULL ? head->version : "?", MLS_VERSION);
    }
    if (head->rules == NULL || head->command == NULL || !mls_usage_from_name(mls_str_from(head->usage), &usage) ||
        !mls_str_among(mls_str_from(head->command), "score check events"))
        return refuse(reader, "not the head of a part");
    if (strcmp(head->rules, mls_part_rules_hash().text) != 0)
        return mls_error_set(error, MLS_ERROR_VALUE, 0, 0, "judged by other rules than this program has");
    bool ok = (head->shard > 0) != (head->shards_in.count > 0) && head->shards <= MLS_SHARDS_MAX;
    if (head->shard > 0)
        mls_shard_ranges_add(&part->shards, head->shard, head->shard);
    for (size_t i = 0; i < head->shards_in.count && ok; i++)
        mls_shard_ranges_add(&part->shards, head->shards_in.items[i].first, head->shards_in.items[i].last);
    for (size_t i = 0; i < part->shards.count && ok; i++) {
        const mls_shard_range range = part->shards.items[i];
        ok = range.first >= 1 && range.first <= range.last && range.last <= head->shards;
    }
    return ok && mls_shard_ranges_unite(&part->shards, &twice)
               ? MLS_OK
               : refuse(reader, "its shards are not distinct ones from 1 to the number of all shards");
}

/* Check the tail: the checksum of all lines before it, and the counts; nothing may follow it. */
static mls_status read_tail(part_reader *reader, mls_str text, mls_str rest)
{
    const mls_shard_part *part = reader->part;
    part_tail tail = {0};
    part_tail counted = {.files = part->files.count};
    mls_status status = read_struct(reader, text, &tail_schema, &tail);
    if (status != MLS_OK)
        return status;
    if (!tail.end || tail.digest == NULL || strcmp(tail.digest, mls_hash_text(part->digest).text) != 0)
        return refuse(reader, "the checksum does not match the contents");
    for (size_t i = 0; i < part->files.count; i++) {
        counted.runs += part->files.items[i].runs.count;
        counted.bytes += part->files.items[i].source.totals.bytes;
    }
    if (tail.files != counted.files || tail.runs != counted.runs || tail.bytes != counted.bytes)
        return refuse(reader, "the counts of the last line do not match the contents");
    return rest.len == 0 ? MLS_OK : refuse(reader, "something follows the end of the part");
}

mls_status mls_part_read(const char *path, mls_schema_room *room, mls_shard_part *part, mls_error *error)
{
    part_reader reader = {part, room, 0, error};
    mls_buffer text = {0};
    *part = (mls_shard_part){.path = path, .digest = MLS_FNV_START};
    mls_schema_clear(&mls_part_head_schema, &part->head);
    mls_status status = mls_file_read_bytes(path, MLS_PART_BYTES_MAX, &text, error);
    mls_str rest = mls_buffer_str(&text);
    if (status == MLS_OK && rest.len == 0)
        status = mls_error_set(error, MLS_ERROR_SYNTAX, 0, 0, "the file is empty: not a part");
    for (bool ended = false; status == MLS_OK && !ended;) {
        mls_str line;
        const mls_str before = rest;
        if (rest.len == 0) {
            status =
                mls_error_set(error, MLS_ERROR_SYNTAX, reader.line, 1, "the part is cut off: its last line is missing");
        } else if (reader.line++, !mls_str_cut(&rest, '\n', &line)) {
            status = mls_error_set(error, MLS_ERROR_SYNTAX, reader.line, 1, "the line is cut off");
        } else if (reader.line == 1) {
            status = read_head(&reader, line);
        } else if (mls_str_starts(line, MLS_S("{\"end\":"))) {
            status = read_tail(&reader, line, rest);
            ended = true;
        } else {
            status = read_file(&reader, line);
        }
        part->digest = ended ? part->digest : mls_fnv1a(part->digest, (mls_str){before.ptr, before.len - rest.len});
    }
    mls_buffer_release(&text);
    return status;
}

void mls_part_release(mls_shard_part *part)
{
    for (size_t i = 0; i < part->files.count; i++)
        mls_part_file_release(&part->files.items[i]);
    free(part->files.items);
    free(part->shards.items);
    mls_part_head_release(&part->head);
    *part = (mls_shard_part){0};
}
