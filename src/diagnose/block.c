/* SPDX-License-Identifier: Apache-2.0 */
/* block.c - a block of a log: cut into lines, searched once for all that matters, walked in order. */
#include <math.h>
#include <stdlib.h>

#include "base/needles.h"
#include "diagnose/job.h"
#include "log/json_check.h"
#include "mlscore/value.h"

/* --------------------------------------------------------------- records */

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
        return true;
    default:
        return mls_str_equal(record->key, MLS_S("train_loss"));
    }
}

/* A whole number behind the name of a member; false: it is another value, or not the first of that name. */
static bool take_count(const char *at, const char *end, double *number)
{
    uint64_t value = 0;
    while (at < end && (*at == ':' || *at == ' ')) {
        at++;
    }
    const char *digits = at;
    for (; at < end && at - digits < 15 && mls_is_digit(*at); at++) {
        value = value * 10 + (uint64_t)(*at - '0');
    }
    const bool first = isnan(*number);
    *number = (double)value;
    return first && at > digits && at < end && (*at == ',' || *at == '}');
}

/*
 * Most metadata are a flat object without escapes, in which "samples_count" and "step" are found by their first two
 * bytes.  False: this one is to be walked.
 */
static bool quick_counts(mls_brief_record *brief, mls_str metadata)
{
    static const mls_str samples = MLS_STR("\"samples_count\"");
    static const mls_str step = MLS_STR("\"step\"");
    const char *end = metadata.ptr + metadata.len;
    bool ok = metadata.len > 1;
    for (const char *at = metadata.ptr + 1; at < end && ok; at += 16) { /* a block goes on behind its end */
        const mls_bytes16 x = mls_load16(at);
        const mls_bytes16 y = mls_load16(at + 1);
        ok = mls_mask16((mls_bytes16)((x == '{') | (x == '\\'))) == 0;
        for (uint64_t found = mls_mask16((mls_bytes16)((x == '"') & (y == 's'))); found != 0 && ok;
             found &= found - 1) {
            const char *name = at + __builtin_ctzll(found);
            const mls_str left = {name, name < end ? (size_t)(end - name) : 0};
            ok = mls_str_starts(left, samples) ? take_count(name + samples.len, end, &brief->samples)
                 : mls_str_starts(left, step)  ? take_count(name + step.len, end, &brief->step)
                                               : true;
        }
    }
    return ok && (!isnan(brief->samples) || !isnan(brief->step));
}

/* What a record's metadata say of progress and of success; of duplicate members the last counts. */
static void take_metadata(mls_brief_record *brief, mls_str metadata)
{
    if (brief->progress && quick_counts(brief, metadata)) {
        return;
    }
    brief->samples = brief->step = NAN;
    mls_json_walk walk = mls_json_walk_begin(metadata);
    for (mls_raw_member member; mls_json_walk_next(&walk, &member);) {
        double *number = mls_str_equal(member.name, MLS_S("samples_count")) ? &brief->samples
                         : mls_str_equal(member.name, MLS_S("step"))        ? &brief->step
                         : mls_str_equal(member.name, MLS_S("epoch_num"))   ? &brief->epoch
                                                                            : NULL;
        if (number != NULL && !mls_json_number(member.value, number)) {
            *number = NAN;
        }
        if (mls_str_equal(member.name, MLS_S("status"))) {
            brief->success = mls_str_equal(member.value, MLS_S("\"success\""));
        }
    }
}

static mls_status block_record(void *state, const mls_record *record)
{
    mls_job_log *job = state;
    mls_log_block *block = &job->block;
    const double nan = (double)NAN;
    if (!MLS_GROW_OF(block, records, record)) {
        return MLS_ERROR_MEMORY;
    }
    mls_brief_record brief = {.line = record->line,
                              .key = record->key_id,
                              .time_ms = record->time_ms,
                              .progress = is_progress(record),
                              .samples = nan,
                              .step = nan,
                              .epoch = nan};
    if (brief.progress || record->key_id == MLS_KEY_RUN_STOP) {
        take_metadata(&brief, record->metadata);
    }
    brief.success = brief.success && record->key_id == MLS_KEY_RUN_STOP;
    if (record->key_id != MLS_KEY_RUN_STOP && !mls_signatures_want_records(job->signatures)) {
        const char *marker = record->prefix.ptr + record->prefix.len;
        brief.payload = (mls_str){marker, (size_t)(record->payload.ptr - marker) + record->payload.len};
    }
    block->records[block->record_count++] = brief;
    return MLS_OK;
}

/* ----------------------------------------------------------------- lines */

static bool start_line(mls_log_block *block, size_t at)
{
    if (!MLS_GROW_OF(block, starts, start)) {
        return false;
    }
    block->starts[block->start_count++] = (uint32_t)at;
    return true;
}

static inline size_t line_begin(const mls_log_block *block, size_t i)
{
    return block->starts[i] & ~MLS_ODD_LINE;
}

/* A control character ends a line or, but for a '\r' before a '\n', makes one that is to be cleaned. */
static bool control_seen(mls_log_block *block, size_t at)
{
    const mls_str text = block->text;
    const char c = text.ptr[at];
    if (c == '\n' || (c == '\r' && !(at + 1 < text.len && text.ptr[at + 1] == '\n'))) {
        return start_line(block, at + 1);
    }
    block->starts[block->start_count - 1] |= c != '\r' && c != '\t' ? MLS_ODD_LINE : 0;
    return true;
}

/* The control characters from `at` to `end`; those of what lies in a record have been looked at. */
static bool split_piece(mls_log_block *block, size_t at, size_t end)
{
    const char *text = block->text.ptr;
    bool ok = true;
    for (; at < end && ok; at += 64) {
        uint64_t controls = 0;
        for (unsigned shift = 0; shift < 64; shift += 16) { /* a block goes on behind its end */
            const mls_bytes16 x = mls_load16(text + at + shift);
            controls |= mls_mask16((mls_bytes16)((x < 0x20) | (x == 0x7f))) << shift;
        }
        controls &= end - at < 64 ? UINT64_MAX >> (64 - (end - at)) : UINT64_MAX;
        for (; controls != 0 && ok; controls &= controls - 1) {
            ok = control_seen(block, at + (size_t)__builtin_ctzll(controls));
        }
    }
    return ok;
}

/* The next piece of the block that lies in no record, moved behind; false: there is no more. */
static bool next_piece(const mls_log_block *block, size_t *record, size_t *from, size_t *begin, size_t *end)
{
    const char *text = block->text.ptr;
    if (*from > block->text.len) {
        return false;
    }
    *begin = *from;
    *end = block->text.len;
    *from = block->text.len + 1;
    while (*record < block->record_count) {
        const mls_str payload = block->records[(*record)++].payload;
        if (payload.len > 0 && payload.ptr >= text + *begin && payload.ptr + payload.len <= text + block->text.len) {
            *end = (size_t)(payload.ptr - text);
            *from = *end + payload.len;
            break;
        }
    }
    return true;
}

/* Where the lines begin, with the end of the text behind the last of them. */
static bool split_lines(mls_log_block *block)
{
    size_t record = 0;
    size_t from = 0;
    size_t begin;
    size_t end;
    block->start_count = 0;
    bool ok = start_line(block, 0);
    while (ok && next_piece(block, &record, &from, &begin, &end)) {
        ok = split_piece(block, begin, end);
    }
    return ok && (line_begin(block, block->start_count - 1) >= block->text.len || start_line(block, block->text.len));
}

/* A line of the block, without its ending. */
static mls_str line_text(const mls_log_block *block, size_t i)
{
    const size_t begin = line_begin(block, i);
    size_t end = line_begin(block, i + 1);
    while (end > begin && (block->text.ptr[end - 1] == '\n' || block->text.ptr[end - 1] == '\r')) {
        end--;
    }
    return (mls_str){block->text.ptr + begin, end - begin};
}

static mls_log_line read_line(const mls_job_log *job, size_t i, char *scratch)
{
    return mls_log_line_read(line_text(&job->block, i), (job->block.starts[i] & MLS_ODD_LINE) == 0, scratch);
}

/* ------------------------------------------------------------------ hits */

typedef struct hit_search {
    mls_log_block *block;
    size_t from; /* where the piece that is searched begins in the block */
    size_t line; /* of the last hit */
    bool failed;
} hit_search;

static bool add_hit(hit_search *search, size_t line, size_t needle)
{
    if (!MLS_GROW_OF(search->block, hits, hit)) {
        search->failed = true;
        return false;
    }
    search->block->hits[search->block->hit_count++] = (mls_hit){(uint32_t)line, (uint32_t)needle};
    return true;
}

/* Hits come almost in order: the line is near that of the one before. */
static bool raw_hit(void *state, size_t needle, size_t at)
{
    hit_search *search = state;
    const mls_log_block *block = search->block;
    size_t low = search->line;
    size_t step = 1;
    at += search->from;
    while (low > 0 && line_begin(block, low) > at) {
        low--;
    }
    while (low + step + 1 < block->start_count && line_begin(block, low + step) <= at) {
        low += step;
        step *= 2;
    }
    for (; step > 0; step /= 2) {
        if (low + step + 1 < block->start_count && line_begin(block, low + step) <= at) {
            low += step;
        }
    }
    search->line = low;
    return at - line_begin(block, low) >= MLS_LINE_LOOKED_AT || add_hit(search, low, needle);
}

static bool clean_hit(void *state, size_t needle, size_t at)
{
    hit_search *search = state;
    (void)at;
    return add_hit(search, search->line, needle);
}

static int compare_line_hits(const void *left, const void *right)
{
    const mls_hit *a = left;
    const mls_hit *b = right;
    return a->line != b->line ? (a->line > b->line) - (a->line < b->line)
                              : (a->needle > b->needle) - (a->needle < b->needle);
}

/* Finds all that is looked for, but inside of most records; and once more in lines that are another text without their
 * control characters. */
static bool search_block(const mls_job_log *job, mls_log_block *block)
{
    const mls_needles *needles = mls_signatures_needles(job->signatures);
    hit_search search = {.block = block};
    bool sorted = true;
    block->hit_count = 0;
    size_t record = 0;
    size_t from = 0;
    size_t end;
    while (!search.failed && next_piece(block, &record, &from, &search.from, &end)) {
        (void)mls_needles_find(needles, (mls_str){block->text.ptr + search.from, end - search.from}, raw_hit, &search);
    }
    for (size_t i = 0; i + 1 < block->start_count && !search.failed; i++) {
        if (block->starts[i] & MLS_ODD_LINE) {
            search.line = i;
            (void)mls_needles_find(needles, read_line(job, i, job->scratch).text, clean_hit, &search);
        }
    }
    for (size_t i = 1; i < block->hit_count; i++) {
        sorted = sorted && block->hits[i - 1].line <= block->hits[i].line;
    }
    if (!sorted) {
        qsort(block->hits, block->hit_count, sizeof *block->hits, compare_line_hits);
    }
    return !search.failed;
}

/* ----------------------------------------------------------------- times */

/* Whether a line may tell a time: two colons near its beginning with minutes between, 13:28:01.  Most lines are not
 * read for more. */
static bool may_tell_time(mls_str line)
{
    enum { NEAR = 160 };
    for (size_t at = 0; at < line.len && at < NEAR; at += 16) { /* a block goes on behind its end */
        const mls_bytes16 x = mls_load16(line.ptr + at);
        const mls_bytes16 y = mls_load16(line.ptr + at + 3);
        const mls_bytes16 z = mls_load16(line.ptr + at + 1);
        if (mls_mask16((mls_bytes16)((x == ':') & (y == ':') & (z >= '0') & (z <= '5'))) != 0) {
            return true;
        }
    }
    return false;
}

/* The time of line `i` that is no record; NAN: it has none. */
static double line_time(const mls_job_log *job, size_t i, char *scratch)
{
    if (!may_tell_time(line_text(&job->block, i))) {
        return (double)NAN;
    }
    const mls_log_line line = read_line(job, i, scratch);
    return mls_log_line_time(&line);
}

static void see_time(mls_job_log *job, double time_ms)
{
    job->file_time = time_ms;
    job->full_time = isnan(job->full_time) && time_ms >= 0 ? time_ms : job->full_time;
}

/* The last time before line `end` of the block, looked for from there back to where the last look began. */
static void look_back(mls_job_log *job, size_t end)
{
    mls_log_block *block = &job->block;
    size_t record = block->record_at;
    for (size_t i = end; i > block->timed_to; i--) {
        const size_t number = block->line + i - 1;
        while (record > 0 && block->records[record - 1].line > number) {
            record--;
        }
        if (record > 0 && block->records[record - 1].line == number) {
            see_time(job, block->records[record - 1].time_ms);
            break;
        }
        const double time_ms = line_time(job, i - 1, job->scratch + 2 * MLS_LINE_LOOKED_AT);
        if (!isnan(time_ms)) {
            see_time(job, time_ms);
            break;
        }
    }
    block->timed_to = end > block->timed_to ? end : block->timed_to;
}

double mls_job_time_of(mls_job_log *job, size_t i, const mls_log_line *line)
{
    const double time_ms = mls_log_line_time(line);
    if (isnan(time_ms)) {
        look_back(job, i);
        return job->file_time;
    }
    job->full_time = isnan(job->full_time) && time_ms >= 0 ? time_ms : job->full_time;
    return time_ms;
}

/* The first time of a file, from its beginning on. */
static void look_ahead(mls_job_log *job)
{
    const mls_log_block *block = &job->block;
    size_t record = 0;
    for (size_t i = 0; i + 1 < block->start_count && !job->file_timed; i++) {
        double time_ms = line_time(job, i, job->scratch);
        while (record < block->record_count && block->records[record].line < block->line + i) {
            record++;
        }
        if (record < block->record_count && block->records[record].line == block->line + i) {
            time_ms = block->records[record].time_ms;
        }
        if (!isnan(time_ms)) {
            job->file_timed = true;
            job->full_time = isnan(job->full_time) && time_ms >= 0 ? time_ms : job->full_time;
            mls_job_segment(job)->first_ms = time_ms;
        }
    }
}

/* ------------------------------------------------------------------ walk */

/* The last lines before line `end` of the block that are no records, and text of the last advance, while it is there.
 */
static void keep_lines(mls_job_log *job, size_t end)
{
    mls_log_block *block = &job->block;
    mls_segment *segment = mls_job_segment(job);
    mls_failure_line read[MLS_READ_LINES];
    size_t count = 0;
    size_t record = block->record_at;
    for (size_t i = end; i > block->kept_from && count < MLS_READ_LINES; i--) {
        const size_t number = block->line + i - 1;
        while (record > 0 && block->records[record - 1].line > number) {
            record--;
        }
        const bool is_record = record > 0 && block->records[record - 1].line == number;
        const mls_log_line line = read_line(job, i - 1, job->scratch);
        if (!is_record && line.message.len > 0) {
            read[count++] =
                (mls_failure_line){job->files[segment->file], number, mls_job_keep_text(job, line.message), NULL};
        }
    }
    for (size_t k = 0; k < segment->read_count; k++) {
        if (count < MLS_READ_LINES) {
            read[count++] = segment->read[k];
        } else {
            free((void *)(uintptr_t)segment->read[k].text);
        }
    }
    memcpy(segment->read, read, count * sizeof *read);
    segment->read_count = count;
    if (segment->last_text == NULL && segment->last_line >= block->line) {
        const mls_log_line line = read_line(job, segment->last_line - block->line, job->scratch);
        segment->last_text = mls_job_keep_text(job, line.message);
    }
    segment->end_line = end > block->kept_from ? block->line + end - 1 : segment->end_line;
    block->kept_from = end;
}

/* Tells the record of a line; a new run may begin with it. */
static void tell_record(mls_job_log *job, size_t i)
{
    const mls_brief_record *record = &job->block.records[job->block.record_at];
    if (mls_job_starts_run(job, record)) {
        keep_lines(job, i);
        look_back(job, i);
        mls_job_segment(job)->last_ms = job->file_time;
        mls_job_close_segment(job);
        if (!mls_job_open_segment(job, job->file_count - 1)) {
            return;
        }
    }
    job->full_time = isnan(job->full_time) ? record->time_ms : job->full_time;
    mls_job_take_record(job, record);
}

/* The rank that a line begins with, found without reading more of it, and noted; -1: none. */
static inline int32_t note_rank(const mls_job_log *job, const char *at, const char *end)
{
    uint32_t rank = 0;
    while (at < end && *at == ' ') {
        at++;
    }
    if (at == end || !(mls_is_digit(*at) || *at == '[')) {
        return -1;
    }
    const bool torch = *at == '[' && end - at > 6 && memcmp(at, "[rank", 5) == 0;
    at += torch ? 5 : 0;
    const char *digits = at;
    for (; at < end && mls_is_digit(*at) && rank < MLS_RANKS_MAX; at++) {
        rank = rank * 10 + (uint32_t)(*at - '0');
    }
    if (at == digits || rank >= MLS_RANKS_MAX || end - at < 2 ||
        !(torch ? at[0] == ']' && at[1] == ':' : at[0] == ':' && at[1] == ' ')) {
        return -1;
    }
    job->rank_seen[rank] |= MLS_RANK_SEEN;
    return (int32_t)rank;
}

/* Whether a line without a hit is to be looked at: it may be a step, or end a traceback, or anything. */
static bool is_to_be_read(const mls_job_log *job, mls_str line)
{
    return (line.len > 0 && line.ptr[0] == 's' && mls_str_starts(line, MLS_S("step "))) ||
           mls_signatures_want_all(job->signatures) ||
           (job->traceback_count > 0 && mls_signatures_maybe_exception(job->signatures, line));
}

/* Lines of NCCL are only looked at to learn the node of a rank. */
static bool is_nothing_new(const mls_job_log *job, size_t first, size_t end, int32_t rank)
{
    bool only = true;
    for (size_t k = first; k < end; k++) {
        only = only && job->block.hits[k].needle == MLS_MARK_NCCL_INFO;
    }
    return only && end > first && (rank < 0 || job->rank_nodes[rank] != 0);
}

static mls_status block_lines(void *state, const mls_lines *lines)
{
    mls_job_log *job = state;
    mls_log_block *block = &job->block;
    mls_status status = MLS_OK;
    const mls_str head = {lines->text.ptr, lines->text.len < MLS_LINE_LOOKED_AT ? lines->text.len : MLS_LINE_LOOKED_AT};
    block->text = lines->cut ? head : lines->text;
    block->line = lines->line;
    block->cut = lines->cut;
    block->record_at = block->timed_to = block->kept_from = 0;
    if (!split_lines(block) || !search_block(job, block)) {
        return MLS_ERROR_MEMORY;
    }
    look_ahead(job);
    size_t hit = 0;
    for (size_t i = 0; i + 1 < block->start_count && status == MLS_OK; i++) {
        const size_t first = hit;
        const bool record =
            block->record_at < block->record_count && block->records[block->record_at].line == block->line + i;
        if (record) {
            tell_record(job, i);
            block->record_at++;
        }
        while (hit < block->hit_count && block->hits[hit].line == i) {
            hit++;
        }
        const mls_str line = {block->text.ptr + line_begin(block, i), line_begin(block, i + 1) - line_begin(block, i)};
        const int32_t rank = note_rank(job, line.ptr, line.ptr + line.len);
        if (hit > first ? !is_nothing_new(job, first, hit, rank) : !record && is_to_be_read(job, line)) {
            const mls_log_line read = read_line(job, i, job->scratch);
            status = mls_job_look_at(job, i, &read, first, hit);
        }
    }
    keep_lines(job, block->start_count - 1);
    look_back(job, block->start_count - 1);
    block->record_count = 0;
    return status == MLS_OK && job->failed ? MLS_ERROR_MEMORY : status;
}

static mls_status block_end(void *state, const mls_log_totals *totals)
{
    mls_job_log *job = state;
    (void)totals;
    mls_job_segment(job)->last_ms = job->file_time;
    mls_job_close_segment(job);
    return job->failed ? MLS_ERROR_MEMORY : MLS_OK;
}

mls_status mls_job_begin_file(mls_job_log *job, const char *name)
{
    job->block.record_count = 0;
    job->file_time = NAN;
    job->file_timed = false;
    job->table_host = NULL;
    job->table_rank = -1;
    job->root_cause = false;
    job->traceback_count = 0;
    if (!MLS_GROW_OF(job, root_ranks, root_rank)) {
        return MLS_ERROR_MEMORY;
    }
    job->root_ranks[job->root_rank_count++] = -1;
    if (job->file_count == job->file_capacity && !MLS_GROW_OF(job, files, file)) {
        return MLS_ERROR_MEMORY;
    }
    job->files[job->file_count++] = name;
    return mls_job_open_segment(job, job->file_count - 1) ? MLS_OK : MLS_ERROR_MEMORY;
}

mls_sink mls_job_sink(mls_job_log *job)
{
    return (mls_sink){.state = job, .record = block_record, .lines = block_lines, .end = block_end};
}
