/* SPDX-License-Identifier: Apache-2.0 */
/* block.c - a block of a log: cut into lines, searched once for all that matters, walked in order. */
#include <math.h>

#include "explain/diagnose/job.h"
#include "json/json_check.h"
#include "json/value.h"

static bool is_progress(const mls_record *record)
{
    switch (record->key_id) {
    case MLS_KEY_BLOCK_START:
    case MLS_KEY_BLOCK_STOP:
    case MLS_KEY_EVAL_START:
    case MLS_KEY_EVAL_STOP:
    case MLS_KEY_EVAL_ACCURACY:
    case MLS_KEY_TRACKED_STATS:
    case MLS_KEY_EPOCH_START:
    case MLS_KEY_EPOCH_STOP:
    case MLS_KEY_TRAIN_LOSS:
        return true;
    default:
        return false;
    }
}

/* Takes the whole number after a member's name; false: it is written otherwise, or not the first of that name. */
static bool take_count(const char *at, const char *end, double *number)
{
    const bool first = isnan(*number);
    const char *digits = at;
    uint64_t value = 0;
    for (; at < end && mls_is_digit(*at); at++) {
        value = value * 10 + (uint64_t)(*at - '0');
    }
    *number = (double)value;
    return first && at > digits && at - digits <= 15 && (*at == ',' || *at == '}');
}

/* Bits where a member's name begins with an s; *others gets what one object without escapes has only at its beginning.
 */
static inline uint64_t names_in_s(const char *at, mls_bytes16 *others)
{
    const mls_bytes16 bytes = mls_load16(at);
    const mls_bytes16 next = mls_load16(at + 1);
    *others |= (mls_bytes16)((bytes == '{') | (bytes == '\\'));
    return mls_mask16((mls_bytes16)((bytes == '"') & (next == 's')));
}

/* Most metadata are one object without escapes: what looks like a member there is one, and the two that count are found
 * by their first two bytes.  False: this one is to be walked. */
static bool take_plain_counts(mls_brief_record *brief, mls_str metadata)
{
    static const mls_str names[] = {
        [MLS_PACE_SAMPLES] = MLS_STR("\"samples_count\": "), [MLS_PACE_STEP] = MLS_STR("\"step\": ")};
    enum { TOGETHER = 32 };
    const char *end = metadata.ptr + metadata.len;
    mls_bytes16 others = {0};
    bool plain = metadata.len > TOGETHER;
    for (const char *at = metadata.ptr + 1; plain && at < end; at += TOGETHER) {
        const char *from = end - at < TOGETHER ? end - TOGETHER : at; /* the last ones with some before them */
        uint64_t found = (names_in_s(from, &others) | names_in_s(from + 16, &others) << 16) >> (at - from);
        for (; found != 0; found &= found - 1) {
            const char *name = at + __builtin_ctzll(found);
            const size_t i = name[2] == 't' ? MLS_PACE_STEP : MLS_PACE_SAMPLES;
            if (end - name > (ptrdiff_t)names[i].len && memcmp(name, names[i].ptr, names[i].len) == 0) {
                plain &= take_count(name + names[i].len, end, &brief->reached[i]);
            }
        }
    }
    return plain && mls_mask16(others) == 0 &&
           (!isnan(brief->reached[MLS_PACE_SAMPLES]) || !isnan(brief->reached[MLS_PACE_STEP]));
}

/* Takes progress and success from a record's metadata; of duplicate members the last counts. */
static void take_metadata(mls_brief_record *brief, mls_str metadata)
{
    static const mls_str names[MLS_PACE_ITERATION] = {MLS_STR("samples_count"), MLS_STR("step"), MLS_STR("epoch_num")};
    brief->reached[MLS_PACE_SAMPLES] = brief->reached[MLS_PACE_STEP] = NAN;
    mls_json_walk walk = mls_json_walk_begin(metadata);
    for (mls_raw_member member; mls_json_walk_next(&walk, &member);) {
        size_t i = 0;
        while (i < MLS_PACE_ITERATION && !mls_str_equal(member.name, names[i])) {
            i++;
        }
        if (i < MLS_PACE_ITERATION && !mls_json_number(member.value, &brief->reached[i])) {
            brief->reached[i] = NAN;
        }
        if (mls_str_equal(member.name, MLS_S("status"))) {
            brief->success = mls_str_equal(member.value, MLS_S("\"success\""));
        }
    }
}

/* A run begins with a line of the block. */
static bool add_run_start(mls_log_block *block, size_t line)
{
    if (!MLS_GROW_OF(block, run_starts, run_start)) {
        return false;
    }
    block->run_starts[block->run_start_count++] = line;
    return true;
}

static mls_status block_record(void *state, const mls_record *record)
{
    mls_job_log *job = state;
    mls_log_block *block = &job->block;
    const bool stop = record->key_id == MLS_KEY_RUN_STOP;
    const bool begins = mls_run_cut_record(&job->cut, record) >= MLS_OWNER_NEXT_RUN;
    if (!MLS_GROW_OF(block, records, record) || (begins && !add_run_start(block, record->line))) {
        return MLS_ERROR_MEMORY;
    }
    mls_brief_record *brief = &block->records[block->record_count++];
    *brief = (mls_brief_record){.line = record->line,
                                .key = record->key_id,
                                .time_ms = record->time_ms,
                                .progress = is_progress(record),
                                .reached = {(double)NAN, (double)NAN, (double)NAN}};
    if (stop || (brief->progress && !take_plain_counts(brief, record->metadata))) {
        take_metadata(brief, record->metadata);
    }
    brief->success = brief->success && stop;
    if (!stop && !mls_signatures_want_records(job->signatures)) {
        const char *marker = record->prefix.ptr + record->prefix.len;
        brief->payload = (mls_str){marker, (size_t)(record->payload.ptr - marker) + record->payload.len};
    }
    return MLS_OK;
}

static mls_status block_marker(void *state, const mls_marker *marker)
{
    mls_job_log *job = state;
    const bool begins = mls_run_cut_marker(&job->cut, marker->kind);
    return !begins || add_run_start(&job->block, marker->line) ? MLS_OK : MLS_ERROR_MEMORY;
}

/* Searches all text but most records. */
static void mark_hits(mls_log_block *block)
{
    mls_str left = block->marked.lines.text;
    for (size_t r = 0; r < block->record_count; r++) {
        const mls_str skipped = block->records[r].payload;
        if (skipped.len > 0 && block->records[r].line >= block->marked.lines.line) {
            const char *end = left.ptr + left.len;
            mls_marked_search(&block->marked, (mls_str){left.ptr, (size_t)(skipped.ptr - left.ptr)});
            left.ptr = skipped.ptr + skipped.len;
            left.len = (size_t)(end - left.ptr);
        }
    }
    mls_marked_search(&block->marked, left);
}

/* Marks the lines with something that is looked for, and those that may be a step; and notes the ranks. */
static void mark_lines(mls_job_log *job)
{
    mls_log_block *block = &job->block;
    const mls_lines *lines = &block->marked.lines;
    mark_hits(block);
    for (size_t i = 0; i < lines->count; i++) {
        const char *line = lines->text.ptr + mls_lines_begin(lines, i);
        if (*line == ' ' || *line == '[' || mls_is_digit(*line)) {
            const int32_t rank = mls_log_line_first_rank(line);
            if (rank >= 0 && rank < MLS_RANKS_MAX) {
                job->rank_seen[rank] |= MLS_RANK_SEEN;
            } else if (mls_maybe_bar(line)) {
                mls_marked_add(&block->marked, i);
            }
        } else if (mls_maybe_counted(line)) {
            mls_marked_add(&block->marked, i);
        }
        const mls_brief_record *record = mls_lines_odd(lines, i) ? mls_job_record_of(job, i) : NULL;
        if (mls_lines_odd(lines, i) && (record == NULL || record->payload.len == 0)) {
            mls_marked_search_clean(&block->marked, job->signatures, i, job->scratch);
        }
    }
}

/* A run begins with line `i` of the block; lines before the first record of a file are of its first run. */
static void begin_run_at(mls_job_log *job, size_t i)
{
    if (mls_job_segment(job)->line > 0 && job->segment_count >= MLS_RUNS_MAX) {
        job->to->uncut++;
    } else if (mls_job_segment(job)->line > 0) {
        mls_job_keep_lines(job, i);
        mls_job_find_time_before(job, i);
        mls_job_close_segment(job);
        (void)mls_job_open_segment(job);
    }
}

/* Examines the marked lines; and those that may end a traceback, or be anything that a user wants to know. */
static mls_status examine_lines(mls_job_log *job, size_t from, size_t end)
{
    const mls_log_block *block = &job->block;
    const bool all = mls_signatures_want_all(job->signatures);
    mls_status status = MLS_OK;
    for (size_t i = from; i < end && status == MLS_OK; i++) {
        const size_t next = mls_marked_next(&block->marked, i, end);
        if (!all && job->traceback_count == 0) {
            i = next;
        }
        if (i < end && (i == next || all ||
                        (mls_signatures_maybe_exception(job->signatures, mls_lines_text(&block->marked.lines, i)) &&
                         mls_job_record_of(job, i) == NULL))) {
            status = mls_job_examine(job, i);
        }
    }
    return status;
}

/* Examines lines and begins the runs that begin in them, or with line `end`, of which *next is the first. */
static mls_status walk_lines(mls_job_log *job, size_t from, size_t end, size_t *next)
{
    const mls_log_block *block = &job->block;
    const mls_lines *lines = &block->marked.lines;
    mls_status status = MLS_OK;
    while (status == MLS_OK && *next < block->run_start_count && block->run_starts[*next] <= lines->line + end) {
        const size_t line = block->run_starts[(*next)++];
        const size_t start = line > lines->line ? line - lines->line : 0;
        status = examine_lines(job, from, start);
        begin_run_at(job, start);
        from = start;
    }
    return status == MLS_OK ? examine_lines(job, from, end) : status;
}

static mls_status block_lines(void *state, const mls_lines *lines)
{
    mls_job_log *job = state;
    mls_log_block *block = &job->block;
    mls_status status = MLS_OK;
    block->timed_to = block->kept_from = 0;
    if (!mls_marked_begin(&block->marked, job->signatures, mls_job_wants_counters(job), lines)) {
        return MLS_ERROR_MEMORY;
    }
    mark_lines(job);
    if (isnan(job->file_time)) {
        mls_job_find_first_time(job);
    }
    size_t done = 0;
    size_t next_run = 0;
    for (size_t r = 0; r < block->record_count && status == MLS_OK; r++) {
        const mls_brief_record *record = &block->records[r];
        const size_t at = record->line > lines->line ? record->line - lines->line : 0;
        status = walk_lines(job, done, at, &next_run);
        mls_job_note_time(job, record->time_ms);
        mls_job_take_record(job, record);
        done = at;
    }
    status = status == MLS_OK ? walk_lines(job, done, lines->count, &next_run) : status;
    mls_job_keep_lines(job, lines->count);
    mls_job_find_time_before(job, lines->count);
    block->record_count = block->run_start_count = 0;
    return status == MLS_OK && job->failed ? MLS_ERROR_MEMORY : status;
}

static mls_status block_end(void *state, const mls_log_totals *totals)
{
    mls_job_log *job = state;
    (void)totals;
    mls_job_close_segment(job);
    return job->failed ? MLS_ERROR_MEMORY : MLS_OK;
}

mls_status mls_job_begin_file(mls_job_log *job, const char *name)
{
    if (!MLS_GROW_OF(job, files, file)) {
        return MLS_ERROR_MEMORY;
    }
    job->files[job->file_count++] = (mls_job_file){name, -1};
    job->block.record_count = job->block.run_start_count = 0;
    job->cut = (mls_run_cut){0};
    job->file_time = NAN;
    job->table_host = NULL;
    job->table_rank = -1;
    job->root_cause = false;
    job->traceback_count = 0;
    job->ignored_line = 0;
    return mls_job_open_segment(job) ? MLS_OK : MLS_ERROR_MEMORY;
}

mls_sink mls_job_sink(mls_job_log *job)
{
    return (mls_sink){
        .state = job, .record = block_record, .marker = block_marker, .lines = block_lines, .end = block_end};
}
