/* SPDX-License-Identifier: Apache-2.0 */
/* part.c - assign paths to shards, and write and read parts.  Tables list the members of their JSON objects. */
#include "score/part.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/data.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/statistics.h"
#include "mlscore/version.h"

/* ----------------------------------------------------------------- shards */

#define FNV_START UINT64_C(0xcbf29ce484222325)

/* Return the FNV-1a hash of all bytes so far: `hash` is that of the previous bytes, or FNV_START at first. */
static uint64_t fnv1a(uint64_t hash, mls_str bytes)
{
    for (size_t i = 0; i < bytes.len; i++)
        hash = (hash ^ (unsigned char)bytes.ptr[i]) * UINT64_C(0x100000001b3);
    return hash;
}

bool mls_shard_parse(mls_str text, mls_shard *shard)
{
    mls_str number;
    return mls_str_cut(&text, '/', &number) && mls_size_parse(number, &shard->number) &&
           mls_size_parse(text, &shard->count) && shard->number >= 1 && shard->number <= shard->count &&
           shard->count <= MLS_SHARDS_MAX;
}

size_t mls_shard_of(mls_str path, mls_str root, size_t count)
{
    if (path.len > root.len && mls_str_starts(path, root)) {
        path = mls_str_rest(path, root.len);
        path = mls_str_rest(path, *path.ptr == '/');
    }
    /* Apply the finaliser of MurmurHash3, since the high bits of FNV-1a are unevenly distributed. */
    uint64_t hash = fnv1a(FNV_START, path);
    hash ^= hash >> 33;
    hash *= UINT64_C(0xff51afd7ed558ccd);
    hash ^= hash >> 33;
    hash *= UINT64_C(0xc4ceb9fe1a85ec53);
    hash ^= hash >> 33;
    /* Compute floor(hash × count / 2^64) from the halves of the hash, since count is small. */
    const uint64_t low = (hash & UINT32_MAX) * count;
    const uint64_t high = (hash >> 32) * count;
    return 1 + (size_t)((high + (low >> 32)) >> 32);
}

int mls_compare_paths(mls_str a, mls_str b)
{
    mls_str x;
    mls_str y;
    int order = 0;
    bool more = true;
    while (order == 0 && more) {
        const bool more_a = mls_str_cut(&a, '/', &x);
        const bool more_b = mls_str_cut(&b, '/', &y);
        order = mls_str_compare_natural(x, y);
        order = order != 0 ? order : more_a - more_b;
        more = more_a && more_b;
    }
    return order;
}

size_t mls_shard_ranges_add(mls_shard_ranges *ranges, size_t first, size_t last)
{
    mls_shard_range *items = ranges->items;
    size_t at = ranges->count; /* index of the first range that overlaps or touches the new one, or comes after it */
    while (at > 0 && items[at - 1].last + 1 >= first)
        at--;
    size_t end = at; /* index of the first range that comes after the new one and does not touch it */
    size_t repeated = 0;
    mls_shard_range joined = {first, last};
    for (; end < ranges->count && items[end].first <= last + 1; end++) {
        const size_t begin = items[end].first > first ? items[end].first : first;
        if (repeated == 0 && begin <= items[end].last && begin <= last)
            repeated = begin;
        joined.first = items[end].first < joined.first ? items[end].first : joined.first;
        joined.last = items[end].last > joined.last ? items[end].last : joined.last;
    }
    if (end == at)
        MLS_GROW(ranges, items);
    items = ranges->items;
    if (ranges->count > end)
        memmove(&items[at + 1], &items[end], (ranges->count - end) * sizeof *items);
    items[at] = joined;
    ranges->count = ranges->count - (end - at) + 1;
    return repeated;
}

void mls_shard_ranges_words(const mls_shard_ranges *ranges, mls_buffer *to)
{
    for (size_t i = 0; i < ranges->count; i++) {
        const mls_shard_range *range = &ranges->items[i];
        mls_buffer_printf(to, "%s%zu", i > 0 ? "," : "", range->first);
        if (range->last > range->first)
            mls_buffer_printf(to, "-%zu", range->last);
    }
}

void mls_shard_ranges_missing(const mls_shard_ranges *ranges, size_t count, mls_shard_ranges *missing)
{
    size_t next = 1;
    for (size_t i = 0; i <= ranges->count; i++) {
        const size_t first = i < ranges->count ? ranges->items[i].first : count + 1;
        if (first > next)
            (void)mls_shard_ranges_add(missing, next, first - 1);
        next = i < ranges->count ? ranges->items[i].last + 1 : next;
    }
}

/* ------------------------------------------------------------------- runs */

#define PROGRESS(name, kind, member) MLS_FIELD(mls_training_progress, name, kind, member)
static const mls_row_member progress_members[] = {
    PROGRESS("samples", NUMBER, samples_count),
    PROGRESS("epoch", NUMBER, epoch_num),
    PROGRESS("step", NUMBER, step_num),
};
static const mls_schema progress_schema = MLS_SCHEMA_OF(mls_training_progress, progress_members);

#define EVALUATION(name, kind, member) MLS_FIELD(mls_evaluation, name, kind, member)
static const mls_row_member evaluation_members[] = {
    EVALUATION("ms", NUMBER, time_ms),  EVALUATION("line", COUNT, line),
    EVALUATION("value", NUMBER, value), MLS_FIELD_IN(mls_evaluation, "at", at, &progress_schema),
    EVALUATION("clip", BOOL, is_clip),
};
static const mls_schema evaluation_schema = MLS_SCHEMA_OF(mls_evaluation, evaluation_members);

static const mls_row_member step_members[] = {
    MLS_FIELD(mls_step, "ms", NUMBER, time_ms),
    MLS_FIELD(mls_step, "line", COUNT, line),
};
static const mls_schema step_schema = MLS_SCHEMA_OF(mls_step, step_members);

static const mls_row_member hyperparameter_members[] = {
    MLS_FIELD(mls_hyperparameter, "key", STR, key),
    MLS_FIELD(mls_hyperparameter, "value", JSON, value),
    MLS_FIELD(mls_hyperparameter, "line", COUNT, line),
    MLS_FIELD(mls_hyperparameter, "other", COUNT, other),
};
static const mls_schema hyperparameter_schema = MLS_SCHEMA_OF(mls_hyperparameter, hyperparameter_members);

#define SEED(name, kind, member) MLS_FIELD(mls_seed, name, kind, member)
static const mls_row_member seed_members[] = {
    SEED("line", COUNT, line), SEED("identity", STR, identity), SEED("value", STR, value),
    SEED("file", STR, file),   SEED("lineno", STR, lineno),     SEED("integer", BOOL, is_integer),
};
static const mls_schema seed_schema = MLS_SCHEMA_OF(mls_seed, seed_members);

#define PARTS(name, kind, member) MLS_FIELD(mls_parts, name, kind, member)
static const mls_row_member parts_members[] = {
    MLS_FIELD_MOST(mls_parts, "by", WORD, by, MLS_PARTS_BY_EPOCH + 1, NULL),
    PARTS("training", AMOUNT, ms[MLS_PART_TRAINING]),
    PARTS("evaluation", AMOUNT, ms[MLS_PART_EVALUATION]),
    PARTS("startup", AMOUNT, ms[MLS_PART_STARTUP]),
    PARTS("between", AMOUNT, ms[MLS_PART_BETWEEN]),
    PARTS("tail", AMOUNT, ms[MLS_PART_TAIL]),
    PARTS("delimited", BOOL, evaluation_delimited),
    PARTS("evaluations", COUNT, evaluations),
    PARTS("overlapped", AMOUNT, overlapped_evaluation_ms),
};
static const mls_schema parts_schema = MLS_SCHEMA_OF(mls_parts, parts_members);

#define JOB(name, kind, member) MLS_FIELD(mls_job, name, kind, member)
static const mls_row_member job_members[] = {
    JOB("container", OWNED, container), JOB("job", OWNED, job),
    JOB("step", OWNED, step),           JOB("other", OWNED, other),
    JOB("node_list", OWNED, node_list), JOB("nodes", NUMBER, node_count),
    JOB("cluster", OWNED, cluster),     JOB("config", OWNED, config),
    JOB("system", OWNED, system),
};
static const mls_schema job_schema = MLS_SCHEMA_OF(mls_job, job_members);

#define FACTS(name, kind, member) MLS_FIELD(mls_printed_facts, name, kind, member)
static const mls_row_member facts_members[] = {
    MLS_FIELD_MOST(mls_printed_facts, "precision", WORD, precision, MLS_PRINTED_FP32 + 1, NULL),
    FACTS("words", TEXT, words),
    FACTS("healing", U32, healing),
    FACTS("tp", U32, degrees[0]),
    FACTS("pp", U32, degrees[1]),
    FACTS("cp", U32, degrees[2]),
    FACTS("ep", U32, degrees[3]),
};
static const mls_schema facts_schema = MLS_SCHEMA_OF(mls_printed_facts, facts_members);
_Static_assert(MLS_DEGREES == 4, "a row for each degree");

static const mls_row_member setting_members[] = {
    MLS_FIELD(mls_printed_setting, "name", STR, name),
    MLS_FIELD(mls_printed_setting, "value", STR, value),
};
static const mls_schema setting_schema = MLS_SCHEMA_OF(mls_printed_setting, setting_members);

static const mls_row_member tracked_members[] = {
    MLS_FIELD(mls_part_tracked, "name", STR, name),
    MLS_FIELD(mls_part_tracked, "sum", NUMBER, sum),
    MLS_FIELD(mls_part_tracked, "count", COUNT, count),
};
static const mls_schema tracked_schema = MLS_SCHEMA_OF(mls_part_tracked, tracked_members);

#define RUN(name, kind, member) MLS_FIELD(mls_part_run, name, kind, run.member)
#define RUN_IN(name, member, of) MLS_FIELD_IN(mls_part_run, name, run.member, of)
#define RUN_LIST(name, member, most, of) MLS_FIELD_MOST(mls_part_run, name, LIST, run.member, most, of)
#define BESIDE(name, kind, member) MLS_FIELD(mls_part_run, name, kind, extra.member)
static const mls_row_member run_members[] = {
    RUN("part", BOOL, part),
    RUN("unread", BOOL, unread),
    RUN("line", COUNT, line),
    RUN("last_line", COUNT, last_line),
    RUN("records", COUNT, records),
    RUN("malformed", COUNT, malformed),
    RUN("quoted", COUNT, quoted),
    RUN("why", TEXT, why),
    RUN("first_ms", NUMBER, first_ms),
    RUN("date_ms", NUMBER, date_ms),
    RUN_IN("init_start", init_start, &step_schema),
    RUN_IN("init_stop", init_stop, &step_schema),
    RUN_IN("run_start", run_start, &step_schema),
    RUN_IN("run_stop", run_stop, &step_schema),
    MLS_FIELD_MOST(mls_part_run, "status", WORD, run.status, MLS_RUN_OTHER_STATUS + 1, NULL),
    RUN("benchmark", OWNED, benchmark),
    RUN("division", OWNED, division),
    RUN("organisation", OWNED, organisation),
    RUN("platform", OWNED, platform),
    RUN("submission_status", OWNED, submission_status),
    RUN("config", OWNED, config_filename),
    RUN("batch_size", NUMBER, global_batch_size),
    RUN("train_samples", NUMBER, train_samples),
    RUN("evaluations", COUNT, evaluations),
    RUN_IN("first_evaluation", first_evaluation, &evaluation_schema),
    RUN_IN("last_evaluation", last_evaluation, &evaluation_schema),
    RUN("throughput", AMOUNT, throughput),
    RUN("throughputs", COUNT, throughputs),
    RUN("reward", NUMBER, reward),
    /* The last batch size is stored in addition to MLS_HYPERPARAMETERS_KEPT hyperparameters. */
    RUN_LIST("hyperparameters", hyperparameters, MLS_HYPERPARAMETERS_KEPT + 1, &hyperparameter_schema),
    RUN("too_many_hyperparameters", BOOL, too_many_hyperparameters),
    RUN("long_key_line", COUNT, long_key_line),
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
    RUN("edition", TEXT, edition),
    RUN("guessed", BOOL, edition_guessed),
    RUN("by_date", BOOL, edition_by_date),
    RUN("benchmark_line", COUNT, benchmark_line),
    RUN("findings", FINDINGS, findings),
    RUN("valid", BOOL, valid),
    MLS_FIELD_IN(mls_part_run, "heard", run.facts, &facts_schema),
    MLS_FIELD(mls_part_run, "has_printed", BOOL, has_printed),
    MLS_FIELD_MOST(mls_part_run, "printed", LIST, printed, MLS_PRINTED_SETTINGS_MAX, &setting_schema),
    MLS_FIELD(mls_part_run, "has_tracked", BOOL, has_tracked),
    MLS_FIELD_MOST(mls_part_run, "tracked", LIST, sums, MLS_TRACKED_NAMES_MAX, &tracked_schema),
    MLS_FIELD(mls_part_run, "too_many_tracked", BOOL, too_many),
    MLS_FIELD(mls_part_run, "long_tracked_line", COUNT, long_line),
    MLS_FIELD_IN(mls_part_run, "facts", extra.facts, &facts_schema),
    BESIDE("has_power", BOOL, has_power),
    BESIDE("joules", NUMBER, joules),
    BESIDE("power", FINDINGS, power),
    BESIDE("ending", FINDINGS, ending),
};
static const mls_schema run_schema = MLS_SCHEMA_OF(mls_part_run, run_members);

/* ------------------------------------------------------------------ files */

static const mls_row_member malformed_members[] = {
    MLS_FIELD(mls_part_malformed, "line", COUNT, line),
    MLS_FIELD(mls_part_malformed, "column", COUNT, column),
    MLS_FIELD(mls_part_malformed, "reason", TEXT, reason),
};
static const mls_schema malformed_schema = MLS_SCHEMA_OF(mls_part_malformed, malformed_members);

#define SOURCE(name, kind, member) MLS_FIELD(mls_part_file, name, kind, member)
static const mls_row_member file_members[] = {
    SOURCE("root", COUNT, source.argument),
    SOURCE("path", TEXT, source.path),
    SOURCE("size", COUNT, source.size),
    SOURCE("named", BOOL, source.named),
    SOURCE("result", BOOL, source.result),
    SOURCE("skip", TEXT, source.skip),
    SOURCE("failed", BOOL, source.failed),
    SOURCE("finding", TEXT, source.finding),
    SOURCE("measures", BOOL, measures),
    SOURCE("read", COUNT, totals.bytes),
    SOURCE("records", COUNT, totals.records),
    SOURCE("malformed", COUNT, totals.malformed),
    SOURCE("quoted", COUNT, totals.quoted),
    SOURCE("reason", TEXT, totals.reason),
    SOURCE("binary", BOOL, totals.binary),
    SOURCE("unread", TEXT, totals.unread),
    SOURCE("error", TEXT, error),
    SOURCE("tree_edition", TEXT, place.edition),
    MLS_FIELD_MOST(mls_part_file, "tree_usage", WORD, place.usage, MLS_USAGE_COUNT, NULL),
    SOURCE("tree_by_date", BOOL, place.by_date),
    SOURCE("system", TEXT, place.system),
    SOURCE("description", STR, place.description),
    MLS_FIELD_MOST(mls_part_file, "malformed_lines", LIST, lines, MLS_MALFORMED_NAMED, &malformed_schema),
    MLS_FIELD_MOST(mls_part_file, "runs", LIST, runs, SIZE_MAX, &run_schema),
};
static const mls_schema file_schema = MLS_SCHEMA_OF(mls_part_file, file_members);

/* ---------------------------------------------------------- head and tail */

#define OPTION(name, kind, member) MLS_FIELD(mls_part_options, name, kind, member)
static const mls_row_member option_members[] = {
    OPTION("any_usage", BOOL, any_usage), OPTION("bert_train_samples", BOOL, bert_train_samples),
    OPTION("doubting", BOOL, doubting),   OPTION("keys", TEXT, keys),
    OPTION("own_rules", TEXT, own_rules), OPTION("rcp", TEXT, rcp),
    OPTION("rcp_path", TEXT, rcp_path),   OPTION("split", BOOL, split),
    OPTION("wide", BOOL, wide),           OPTION("window", BOOL, window),
};
static const mls_schema option_schema = MLS_SCHEMA_OF(mls_part_options, option_members);

static const mls_row_member range_members[] = {
    MLS_FIELD(mls_shard_range, "first", COUNT, first),
    MLS_FIELD(mls_shard_range, "last", COUNT, last),
};
static const mls_schema range_schema = MLS_SCHEMA_OF(mls_shard_range, range_members);

#define HEAD(name, kind, member) MLS_FIELD(mls_part_head, name, kind, member)
static const mls_row_member head_members[] = {
    HEAD("mlscore_part", COUNT, format),
    HEAD("version", TEXT, version),
    HEAD("rules", TEXT, rules),
    HEAD("command", TEXT, command),
    HEAD("usage", TEXT, usage),
    HEAD("edition", TEXT, edition),
    MLS_FIELD_IN(mls_part_head, "options", options, &option_schema),
    HEAD("roots", NAMES, roots),
    HEAD("shards", COUNT, shards),
    HEAD("shard", COUNT, shard),
    MLS_FIELD_MOST(mls_part_head, "shards_in", ROWS, shards_in, MLS_SHARDS_MAX, &range_schema),
};
const mls_schema mls_part_head_schema = MLS_SCHEMA_OF(mls_part_head, head_members);

/* The tail of a part. */
typedef struct part_tail {
    bool end;
    size_t files, runs;
    uint64_t bytes;
    const char *digest;
} part_tail;

#define TAIL(name, kind, member) MLS_FIELD(part_tail, name, kind, member)
static const mls_row_member tail_members[] = {
    TAIL("end", BOOL, end),      TAIL("files", COUNT, files),  TAIL("runs", COUNT, runs),
    TAIL("bytes", COUNT, bytes), TAIL("digest", TEXT, digest),
};
static const mls_schema tail_schema = MLS_SCHEMA_OF(part_tail, tail_members);

static mls_hash_words hash_words(uint64_t hash)
{
    mls_hash_words words;
    (void)snprintf(words.text, sizeof words.text, "%016llx", (unsigned long long)hash);
    return words;
}

mls_hash_words mls_hash_of(mls_str text)
{
    return hash_words(fnv1a(FNV_START, text));
}

mls_hash_words mls_part_rules_hash(void)
{
    uint64_t hash = FNV_START;
    for (const mls_data_file *file = mls_data_files; file->name != NULL; file++) {
        hash = fnv1a(hash, (mls_str){file->name, strlen(file->name) + 1});
        hash = fnv1a(hash, (mls_str){file->begin, (size_t)(file->end - file->begin)});
    }
    return hash_words(hash);
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

void mls_part_file_release(mls_part_file *file)
{
    for (size_t i = 0; i < file->runs.count; i++)
        mls_part_run_release(&file->runs.items[i]);
    mls_schema_release(&file_schema, file);
}

void mls_part_file_write(mls_buffer *to, mls_part_file *file)
{
    for (size_t i = 0; i < file->runs.count; i++) {
        mls_part_run *run = &file->runs.items[i];
        const mls_tracked *tracked = run->tracked;
        run->has_printed = run->run.printed != NULL;
        run->has_tracked = tracked != NULL;
        if (tracked == NULL)
            continue;
        run->too_many = tracked->too_many;
        run->long_line = tracked->long_line;
        for (size_t k = 0; k < tracked->sums.count; k++) {
            const mls_map_entry *entry = &tracked->sums.entries[k];
            const mls_tracked_sum *sum = entry->value.pointer;
            MLS_GROW(&run->sums, items);
            run->sums.items[run->sums.count++] = (mls_part_tracked){entry->key, sum->sum, sum->count};
        }
    }
    mls_schema_write(to, &file_schema, file);
}

/* End the line in writer->line, add it to the checksum, and write it. */
static void write_line(mls_part_writer *writer)
{
    mls_buffer_append_char(&writer->line, '\n');
    writer->digest = fnv1a(writer->digest, mls_buffer_str(&writer->line));
    mls_output_write(writer->output, mls_buffer_str(&writer->line));
    mls_buffer_clear(&writer->line);
}

void mls_part_writer_begin(mls_part_writer *writer, mls_output *output, const mls_part_head *head)
{
    *writer = (mls_part_writer){.output = output, .digest = FNV_START};
    mls_schema_write(&writer->line, &mls_part_head_schema, head);
    write_line(writer);
}

void mls_part_writer_add(mls_part_writer *writer, mls_part_file *file)
{
    mls_part_file_write(&writer->line, file);
    writer->files++;
    writer->runs += file->runs.count;
    writer->bytes += file->totals.bytes;
    write_line(writer);
}

void mls_part_writer_end(mls_part_writer *writer)
{
    const mls_hash_words digest = hash_words(writer->digest);
    const part_tail tail = {true, writer->files, writer->runs, writer->bytes, digest.text};
    mls_schema_write(&writer->line, &tail_schema, &tail);
    write_line(writer);
    mls_buffer_release(&writer->line);
}

/* ----------------------------------------------------------------- reading */

bool mls_part_file_read(mls_str span, mls_schema_room *room, mls_part_file *file)
{
    const char *wrong = NULL;
    mls_schema_clear(&file_schema, file);
    if (!mls_schema_read(&file_schema, span, room, file))
        return false;
    if (file->lines.count > file->totals.malformed)
        wrong = "malformed_lines";
    for (size_t i = 0; i < file->lines.count; i++)
        if (file->lines.items[i].reason == NULL)
            wrong = "malformed_lines";
    for (size_t i = 0; i < file->runs.count; i++) {
        mls_part_run *run = &file->runs.items[i];
        for (size_t k = 0; k < run->run.hyperparameter_count; k++)
            if (run->run.hyperparameters[k].key.ptr == NULL || run->run.hyperparameters[k].value == NULL)
                wrong = "hyperparameters";
        run->run.printed = run->has_printed ? mls_printed_new() : NULL;
        for (size_t k = 0; k < run->printed.count && run->has_printed; k++)
            mls_printed_add(run->run.printed, run->printed.items[k].name, run->printed.items[k].value);
        run->tracked = run->has_tracked ? mls_calloc(1, sizeof *run->tracked) : NULL;
        if (run->has_tracked) {
            run->tracked->too_many = run->too_many;
            run->tracked->long_line = run->long_line;
        }
        for (size_t k = 0; k < run->sums.count && run->has_tracked; k++) {
            const mls_part_tracked *from = &run->sums.items[k];
            mls_tracked_add(run->tracked, from->name, (mls_tracked_sum){from->sum, from->count});
        }
        run->sums.count = 0;
    }
    if (wrong != NULL)
        (void)snprintf(room->wrong, sizeof room->wrong, "%s", wrong);
    return wrong == NULL;
}

/* State of reading a part line by line. */
typedef struct part_reader {
    mls_shard_part *part;
    mls_schema_room *room;
    size_t line; /* number of the current line, from 1 */
    mls_error *error;
} part_reader;

static mls_status refuse(const part_reader *reader, const char *what)
{
    return mls_error_set(reader->error, MLS_ERROR_VALUE, reader->line, 1, "%s", what);
}

/* Read a line into `row` according to `schema`; if `schema` is NULL, read the line of a file.  Reset room->scratch, and
 * copy the text of the line to it. */
static mls_status read_line(part_reader *reader, mls_str text, const mls_schema *schema, void *row)
{
    mls_schema_room *room = reader->room;
    mls_str json;
    size_t where = 0;
    mls_arena_reset(&room->scratch);
    room->wrong[0] = '\0';
    const char *wrong = mls_json_validate(text, &room->scratch, &json, &where);
    if (wrong != NULL)
        return mls_error_set(reader->error, MLS_ERROR_SYNTAX, reader->line, where + 1, "%s", wrong);
    if (schema != NULL)
        mls_schema_clear(schema, row);
    return (schema != NULL ? mls_schema_read(schema, json, room, row) : mls_part_file_read(json, room, row))
               ? MLS_OK
               : mls_error_set(reader->error, MLS_ERROR_VALUE, reader->line, 1, "not a line of a part: invalid '%s'",
                               room->wrong);
}

static mls_status read_file(part_reader *reader, mls_str text)
{
    mls_shard_part *part = reader->part;
    const mls_names *roots = &part->head.roots;
    MLS_GROW(&part->files, items);
    mls_part_file *file = &part->files.items[part->files.count++];
    const mls_source *source = &file->source;
    mls_status status = read_line(reader, text, NULL, file);
    file->part = part->path;
    file->line = reader->line;
    if (status != MLS_OK)
        return status;
    if (file->runs.count > 0 && strcmp(part->head.command, "events") == 0)
        return refuse(reader, "an events part must not contain runs");
    bool own = false;
    if (source->argument < roots->count && source->path != NULL) {
        const size_t shard =
            mls_shard_of(mls_str_from(source->path), mls_str_from(roots->items[source->argument]), part->head.shards);
        for (size_t i = 0; i < part->shards.count; i++)
            own |= shard >= part->shards.items[i].first && shard <= part->shards.items[i].last;
    }
    return own ? MLS_OK
               : mls_error_set(reader->error, MLS_ERROR_VALUE, reader->line, 1, "'%s' does not belong to this shard",
                               source->path != NULL ? source->path : "");
}

static mls_status read_head(part_reader *reader, mls_str text)
{
    mls_shard_part *part = reader->part;
    mls_part_head *head = &part->head;
    mls_error *error = reader->error;
    mls_usage usage;
    mls_status status = read_line(reader, text, &mls_part_head_schema, head);
    if (status != MLS_OK)
        return status;
    if (head->format != MLS_PART_FORMAT)
        return mls_error_set(error, MLS_ERROR_VALUE, 0, 0, "not a part, or in another format");
    if (head->version == NULL || strcmp(head->version, MLS_VERSION) != 0) {
        return mls_error_set(error, MLS_ERROR_VALUE, 0, 0, "written by version %s, but this is version %s",
                             head->version != NULL ? head->version : "?", MLS_VERSION);
    }
    if (head->rules == NULL || head->command == NULL || !mls_usage_from_name(mls_str_from(head->usage), &usage) ||
        !mls_str_among(mls_str_from(head->command), "score check events"))
        return refuse(reader, "not the head of a part");
    if (strcmp(head->rules, mls_part_rules_hash().text) != 0)
        return mls_error_set(error, MLS_ERROR_VALUE, 0, 0, "judged by other rules than those of this program");
    const mls_shard_range alone = {head->shard, head->shard};
    const mls_shard_range *ranges = head->shard > 0 ? &alone : head->shards_in.items;
    const size_t count = head->shard > 0 ? 1 : head->shards_in.count;
    bool ok = (head->shard > 0) != (head->shards_in.count > 0) && head->shards <= MLS_SHARDS_MAX;
    for (size_t i = 0; i < count && ok; i++) {
        ok = ranges[i].first >= 1 && ranges[i].first <= ranges[i].last && ranges[i].last <= head->shards &&
             (i == 0 || ranges[i].first > ranges[i - 1].last);
        if (ok)
            (void)mls_shard_ranges_add(&part->shards, ranges[i].first, ranges[i].last);
    }
    return ok ? MLS_OK : refuse(reader, "invalid shards: expected distinct numbers from 1 to the number of shards");
}

mls_status mls_part_read(const char *path, mls_schema_room *room, mls_shard_part *part, mls_error *error)
{
    part_reader reader = {part, room, 0, error};
    mls_buffer text = {0};
    *part = (mls_shard_part){.path = path, .digest = FNV_START};
    mls_schema_clear(&mls_part_head_schema, &part->head);
    mls_status status = mls_file_read_bytes(path, MLS_PART_BYTES_MAX, &text, error);
    mls_str rest = mls_buffer_str(&text);
    if (status == MLS_OK && rest.len == 0)
        status = mls_error_set(error, MLS_ERROR_SYNTAX, 0, 0, "the file is empty: not a part");
    for (bool ended = false; status == MLS_OK && !ended;) {
        mls_str line;
        const mls_str before = rest;
        if (rest.len == 0) {
            status = mls_error_set(error, MLS_ERROR_SYNTAX, reader.line, 1,
                                   "the part is truncated: its last line is missing");
        } else if (reader.line++, !mls_str_cut(&rest, '\n', &line)) {
            status = mls_error_set(error, MLS_ERROR_SYNTAX, reader.line, 1, "truncated line");
        } else if (reader.line == 1) {
            status = read_head(&reader, line);
        } else if (mls_str_starts(line, MLS_S("{\"end\":"))) {
            part_tail tail = {0};
            part_tail counted = {.files = part->files.count};
            for (size_t i = 0; i < part->files.count; i++) {
                counted.runs += part->files.items[i].runs.count;
                counted.bytes += part->files.items[i].totals.bytes;
            }
            status = read_line(&reader, line, &tail_schema, &tail);
            if (status != MLS_OK)
                break;
            if (!tail.end || tail.digest == NULL || strcmp(tail.digest, hash_words(part->digest).text) != 0)
                status = refuse(&reader, "the checksum does not match the contents");
            else if (tail.files != counted.files || tail.runs != counted.runs || tail.bytes != counted.bytes)
                status = refuse(&reader, "the counts of the last line do not match the contents");
            else if (rest.len > 0)
                status = refuse(&reader, "something follows the end of the part");
            ended = true;
        } else {
            status = read_file(&reader, line);
        }
        part->digest = ended ? part->digest : fnv1a(part->digest, (mls_str){before.ptr, before.len - rest.len});
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
    mls_schema_release(&mls_part_head_schema, &part->head);
    *part = (mls_shard_part){0};
}
