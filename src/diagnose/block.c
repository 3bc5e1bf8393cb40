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
static bool take_count(const char *at, double *number)
{
    const bool first = isnan(*number);
    uint64_t value = 0;
    unsigned digit;
    if (at[0] != ':' || at[1] != ' ') {
        return false;
    }
    const char *digits = at += 2;
    for (; (digit = (unsigned)*at - '0') < 10; at++) { /* one comparison a digit */
        value = value * 10 + digit;
    }
    *number = (double)value;
    return first && at > digits && at - digits <= 15 && (*at == ',' || *at == '}');
}

/* Bits where a member's name begins with an s; *others gets what a flat object without escapes does not have. */
static inline uint64_t names_in_s(const char *at, mls_bytes16 *others)
{
    const mls_bytes16 x = mls_load16(at);
    const mls_bytes16 next = mls_load16(at + 1);
    *others |= (mls_bytes16)((x == '{') | (x == '\\'));
    return mls_mask16((mls_bytes16)((x == '"') & (next == 's')));
}

/*
 * Most metadata are a flat object without escapes, in which "samples_count" and "step" are found by their first two
 * bytes.  False: this one is to be walked.
 */
static bool quick_counts(double reached[MLS_PACE_ITERATION], mls_str metadata)
{
    static const char samples[] = "\"samples_count\"";
    static const char step[] = "\"step\"";
    enum { TOGETHER = 32 };
    const char *end = metadata.ptr + metadata.len;
    mls_bytes16 others = {0};
    bool ok = metadata.len > TOGETHER;
    for (const char *at = metadata.ptr + 1; ok && at < end; at += TOGETHER) {
        const size_t before = end - at < TOGETHER ? (size_t)(at + TOGETHER - end) : 0; /* that were looked at */
        uint64_t names = names_in_s(at - before, &others) | names_in_s(at - before + 16, &others) << 16;
        for (names >>= before; names != 0; names &= names - 1) {
            const char *name = at + __builtin_ctzll(names);
            if (memcmp(name, samples, sizeof samples - 1) == 0) {
                ok &= take_count(name + sizeof samples - 1, &reached[MLS_PACE_SAMPLES]);
            } else if (memcmp(name, step, sizeof step - 1) == 0) {
                ok &= take_count(name + sizeof step - 1, &reached[MLS_PACE_STEP]);
            }
        }
    }
    return ok && mls_mask16(others) == 0 && (!isnan(reached[MLS_PACE_SAMPLES]) || !isnan(reached[MLS_PACE_STEP]));
}

/* What a record's metadata say of progress and of success; of duplicate members the last counts. */
static void take_metadata(mls_brief_record *brief, mls_str metadata)
{
    static const mls_str names[MLS_PACE_ITERATION] = {MLS_STR("samples_count"), MLS_STR("step"), MLS_STR("epoch_num")};
    if (brief->progress && quick_counts(brief->reached, metadata)) {
        return;
    }
    brief->reached[MLS_PACE_SAMPLES] = brief->reached[MLS_PACE_STEP] = NAN;
    mls_json_walk walk = mls_json_walk_begin(metadata);
    for (mls_raw_member member; mls_json_walk_next(&walk, &member);) {
        for (size_t i = 0; i < MLS_PACE_ITERATION; i++) {
            if (mls_str_equal(member.name, names[i]) && !mls_json_number(member.value, &brief->reached[i])) {
                brief->reached[i] = NAN;
            }
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
    const bool begins = mls_run_cut_record(&job->cut, record->key_id, record->time_ms) >= MLS_OWNER_NEXT_RUN;
    if (!MLS_GROW_OF(block, records, record) || (begins && !add_run_start(block, record->line))) {
        return MLS_ERROR_MEMORY;
    }
    mls_brief_record *brief = &block->records[block->record_count++];
    *brief = (mls_brief_record){.line = record->line,
                                .key = record->key_id,
                                .time_ms = record->time_ms,
                                .progress = is_progress(record),
                                .reached = {(double)NAN, (double)NAN, (double)NAN}};
    if (brief->progress || stop) {
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

/* ----------------------------------------------------------------- lines */

static size_t begin_of(const mls_log_block *block, size_t i)
{
    return block->lines.starts[i] & ~MLS_LINE_ODD;
}

static bool is_odd(const mls_log_block *block, size_t i)
{
    return (block->lines.starts[i] & MLS_LINE_ODD) != 0;
}

/* A line of the block, without its ending. */
static mls_str line_text(const mls_log_block *block, size_t i)
{
    const char *begin = block->lines.text.ptr + begin_of(block, i);
    const char *end = block->lines.text.ptr + begin_of(block, i + 1);
    while (end > begin && (end[-1] == '\n' || end[-1] == '\r')) {
        end--;
    }
    return (mls_str){begin, (size_t)(end - begin)};
}

mls_log_line mls_job_line(const mls_job_log *job, size_t i, char *scratch)
{
    return mls_log_line_read(line_text(&job->block, i), !is_odd(&job->block, i), scratch);
}

/* The record that a line is; NULL: it is none. */
static const mls_brief_record *record_of(const mls_log_block *block, size_t i)
{
    const size_t number = block->lines.line + i;
    size_t low = 0;
    size_t high = block->record_count;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (block->records[middle].line == number) {
            return &block->records[middle];
        }
        if (block->records[middle].line < number) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return NULL;
}

/* ------------------------------------------------- which are to be looked at */

static void mark_line(mls_log_block *block, size_t i)
{
    block->marked[i / 64] |= UINT64_C(1) << (i % 64);
}

typedef struct hit_search {
    mls_log_block *block;
    size_t from; /* where the piece that is searched begins in the block */
    size_t line; /* of the last hit */
} hit_search;

/* Hits come almost in order: the line is near that of the one before. */
static bool mark_hit(void *state, size_t needle, size_t at)
{
    hit_search *search = state;
    mls_log_block *block = search->block;
    size_t i = search->line;
    (void)needle;
    at += search->from;
    while (begin_of(block, i) > at) {
        i--;
    }
    while (begin_of(block, i + 1) <= at) {
        i++;
    }
    search->line = i;
    if (at - begin_of(block, i) < MLS_LINE_EXAMINED) {
        mark_line(block, i);
    }
    return true;
}

/* Searches all text but most records. */
static void mark_hits(const mls_job_log *job, mls_log_block *block)
{
    const mls_needles *needles = mls_signatures_needles(job->signatures);
    const mls_str text = block->lines.text;
    hit_search search = {.block = block};
    for (size_t r = 0; r <= block->record_count; r++) {
        const mls_str skipped = r < block->record_count ? block->records[r].payload : (mls_str){text.ptr + text.len, 0};
        if (r == block->record_count || (skipped.len > 0 && block->records[r].line >= block->lines.line)) {
            const mls_str piece = {text.ptr + search.from, (size_t)(skipped.ptr - text.ptr) - search.from};
            (void)mls_needles_find(needles, piece, mark_hit, &search);
            search.from += piece.len + skipped.len;
        }
    }
}

/* The rank that a line begins with ("13: ", "[rank13]:", "[1,13]<"), found without reading more, is one that was seen.
 */
static void note_rank(const mls_job_log *job, const char *at)
{
    const char *ends = ": ";
    uint32_t rank = 0;
    while (*at == ' ') {
        at++;
    }
    if (*at == '[' && strncmp(at, "[rank", 5) == 0) {
        ends = "]:";
        at += 5;
    } else if (*at == '[') {
        ends = "]<";
        at += 1 + strspn(at + 1, "0123456789");
        at += *at == ',';
    }
    const char *digits = at;
    for (; mls_is_digit(*at) && rank < MLS_RANKS_MAX; at++) {
        rank = rank * 10 + (uint32_t)(*at - '0');
    }
    if (at > digits && rank < MLS_RANKS_MAX && at[0] == ends[0] && at[1] == ends[1]) {
        job->rank_seen[rank] |= MLS_RANK_SEEN;
    }
}

/*
 * Marks the lines with something that is looked for, and those that may be a step; and notes the ranks.  A line that is
 * another text without its control characters is searched once more.
 */
static bool mark_lines(mls_job_log *job)
{
    mls_log_block *block = &job->block;
    const char *text = block->lines.text.ptr;
    const size_t words = block->lines.count / 64 + 1;
    if (words > block->marked_capacity) {
        free(block->marked);
        block->marked = calloc(2 * words, sizeof *block->marked);
        block->marked_capacity = block->marked != NULL ? 2 * words : 0;
    } else {
        memset(block->marked, 0, words * sizeof *block->marked);
    }
    if (block->marked == NULL) {
        return false;
    }
    mark_hits(job, block);
    for (size_t i = 0; i < block->lines.count; i++) {
        const char *line = text + begin_of(block, i);
        if (*line == ' ' || *line == '[' || mls_is_digit(*line)) {
            note_rank(job, line);
        } else if (*line == 's' && strncmp(line, "step ", 5) == 0) {
            mark_line(block, i);
        }
        const mls_brief_record *record = is_odd(block, i) ? record_of(block, i) : NULL;
        if (is_odd(block, i) && (record == NULL || record->payload.len == 0) &&
            mls_signatures_search(job->signatures, mls_log_line_clean(line_text(block, i), job->scratch)) != 0) {
            mark_line(block, i);
        }
    }
    return true;
}

/* The first marked line from `i` on; `end`: there is none before it. */
static size_t next_marked(const mls_log_block *block, size_t i, size_t end)
{
    uint64_t left = i < end ? block->marked[i / 64] >> (i % 64) : 0;
    while (left == 0 && i < end) {
        i = (i / 64 + 1) * 64;
        left = i < end ? block->marked[i / 64] : 0;
    }
    i += left != 0 ? (size_t)__builtin_ctzll(left) : 0;
    return i < end ? i : end;
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

static void see_time(mls_job_log *job, double time_ms)
{
    job->full_time = isnan(job->full_time) && time_ms >= 0 ? time_ms : job->full_time;
}

/* When a line says that it was printed; NAN: it does not. */
static double line_time(mls_job_log *job, size_t i)
{
    const mls_brief_record *record = record_of(&job->block, i);
    double time_ms = record != NULL ? record->time_ms : (double)NAN;
    if (record == NULL && may_tell_time(line_text(&job->block, i))) {
        const mls_log_line line = mls_job_line(job, i, job->scratch + MLS_LINE_EXAMINED);
        time_ms = mls_log_line_time(&line);
    }
    see_time(job, time_ms);
    return time_ms;
}

/* The last time before line `end` of the block, looked for from there back to where the last look began. */
static void look_back(mls_job_log *job, size_t end)
{
    double time_ms = NAN;
    for (size_t i = end; i > job->block.timed_to && isnan(time_ms); i--) {
        time_ms = line_time(job, i - 1);
    }
    job->file_time = isnan(time_ms) ? job->file_time : time_ms;
    job->block.timed_to = end > job->block.timed_to ? end : job->block.timed_to;
}

double mls_job_time_of(mls_job_log *job, size_t i, const mls_log_line *line)
{
    const mls_brief_record *record = record_of(&job->block, i);
    const double time_ms = record != NULL ? record->time_ms : mls_log_line_time(line);
    if (isnan(time_ms)) {
        look_back(job, i);
        return job->file_time;
    }
    see_time(job, time_ms);
    return time_ms;
}

/* The first time of a file, from its beginning on. */
static void look_ahead(mls_job_log *job)
{
    double time_ms = NAN;
    for (size_t i = 0; i < job->block.lines.count && isnan(time_ms); i++) {
        time_ms = line_time(job, i);
    }
    mls_job_segment(job)->first_ms = time_ms;
}

/* ------------------------------------------------------------------ walk */

/* The last lines before line `end` of the block that are no records, and text of the last advance, while it is there.
 */
static void keep_lines(mls_job_log *job, size_t end)
{
    mls_log_block *block = &job->block;
    mls_segment *segment = mls_job_segment(job);
    mls_kept_line read[MLS_READ_LINES];
    size_t count = 0;
    for (size_t i = end; i > block->kept_from && count < MLS_READ_LINES; i--) {
        const bool is_record = record_of(block, i - 1) != NULL;
        const mls_str message = is_record ? (mls_str){NULL, 0} : mls_job_line(job, i - 1, job->scratch).message;
        if (message.len > 0) {
            mls_keep_line(&read[count++], block->lines.line + i - 1, message);
        }
    }
    for (size_t k = 0; k < segment->read_count && count < MLS_READ_LINES; k++) {
        read[count++] = segment->read[k];
    }
    memcpy(segment->read, read, count * sizeof *read);
    segment->read_count = count;
    if (segment->last.line >= block->lines.line && segment->last.text[0] == '\0') {
        const mls_log_line line = mls_job_line(job, segment->last.line - block->lines.line, job->scratch);
        mls_keep_line(&segment->last, segment->last.line, line.message);
    }
    segment->end_line = end > block->kept_from ? block->lines.line + end - 1 : segment->end_line;
    block->kept_from = end;
}

/* A run begins with line `i` of the block; what stands before the first record of a file is of its first run. */
static void begin_run_at(mls_job_log *job, size_t i)
{
    if (mls_job_segment(job)->line > 0 && job->segment_count < MLS_RUNS_MAX) {
        keep_lines(job, i);
        look_back(job, i);
        mls_job_close_segment(job);
        (void)mls_job_open_segment(job);
    }
}

/* Looks at the marked lines; and at those that may end a traceback, or be anything that a user wants to know. */
static mls_status look_at_lines(mls_job_log *job, size_t from, size_t end)
{
    const mls_log_block *block = &job->block;
    const bool all = mls_signatures_want_all(job->signatures);
    mls_status status = MLS_OK;
    for (size_t i = from; i < end && status == MLS_OK; i++) {
        const size_t next = next_marked(block, i, end);
        if (!all && job->traceback_count == 0) {
            i = next;
        }
        if (i < end &&
            (i == next || all ||
             (mls_signatures_maybe_exception(job->signatures, line_text(block, i)) && record_of(block, i) == NULL))) {
            status = mls_job_look_at(job, i);
        }
    }
    return status;
}

/* Looks at lines and begins the runs that begin in them, or with line `end`, of which *next is the first. */
static mls_status walk_lines(mls_job_log *job, size_t from, size_t end, size_t *next)
{
    const mls_log_block *block = &job->block;
    mls_status status = MLS_OK;
    while (status == MLS_OK && *next < block->run_start_count && block->run_starts[*next] <= block->lines.line + end) {
        const size_t line = block->run_starts[(*next)++];
        const size_t start = line > block->lines.line ? line - block->lines.line : 0;
        status = look_at_lines(job, from, start);
        begin_run_at(job, start);
        from = start;
    }
    return status == MLS_OK ? look_at_lines(job, from, end) : status;
}

static mls_status block_lines(void *state, const mls_lines *lines)
{
    mls_job_log *job = state;
    mls_log_block *block = &job->block;
    mls_status status = MLS_OK;
    block->lines = *lines;
    block->timed_to = block->kept_from = 0;
    if (!mark_lines(job)) {
        return MLS_ERROR_MEMORY;
    }
    if (isnan(job->file_time)) {
        look_ahead(job);
    }
    size_t done = 0;
    size_t next_run = 0;
    for (size_t r = 0; r < block->record_count && status == MLS_OK; r++) {
        const mls_brief_record *record = &block->records[r];
        const size_t at = record->line > lines->line ? record->line - lines->line : 0;
        status = walk_lines(job, done, at, &next_run);
        see_time(job, record->time_ms);
        mls_job_take_record(job, record);
        done = at;
    }
    status = status == MLS_OK ? walk_lines(job, done, lines->count, &next_run) : status;
    keep_lines(job, lines->count);
    look_back(job, lines->count);
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
    return mls_job_open_segment(job) ? MLS_OK : MLS_ERROR_MEMORY;
}

mls_sink mls_job_sink(mls_job_log *job)
{
    return (mls_sink){
        .state = job, .record = block_record, .marker = block_marker, .lines = block_lines, .end = block_end};
}
