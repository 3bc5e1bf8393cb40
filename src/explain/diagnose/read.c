/* SPDX-License-Identifier: Apache-2.0 */
/* read.c - search each block of a log once for everything relevant, then process it line by line. */
#include <math.h>

#include "explain/diagnose/job.h"
#include "json/json_check.h"
#include "json/value.h"

/* The texts to search besides signatures: those that examine() handles, those that only cause a line to be examined,
 * and counters, which are used if nothing more reliable shows the progress. */
typedef enum mark {
    MARK_TRACEBACK,
    MARK_SAVING,
    MARK_SAVED,
    MARK_LOADED,
    MARK_HOST_ROW,
    MARK_RANK_ROW,
    MARK_ROOT_CAUSE,
    MARK_SRUN,
    MARK_COUNTERS = 16
} mark;
static const mls_str mark_texts[] = {
    [MARK_TRACEBACK] =
        MLS_STR("Traceback (most recent call last)"), /* followed by a colon, or by a frame of rich or IPython */
    [MARK_SAVING] = MLS_STR("saving checkpoint at iteration "),
    [MARK_SAVED] = MLS_STR("successfully saved checkpoint from iteration "),
    [MARK_LOADED] = MLS_STR("successfully loaded checkpoint "),
    [MARK_HOST_ROW] = MLS_STR("  host      : "),
    [MARK_RANK_ROW] = MLS_STR("  rank      : "),
    [MARK_ROOT_CAUSE] = MLS_STR("Root Cause (first observed failure)"),
    [MARK_SRUN] = MLS_STR("srun: error: "),
    MLS_STR("iteration "),
    MLS_STR(" step "),
    MLS_STR(" error"),
    MLS_STR("ERROR "),
    MLS_STR("rror: "),
    MLS_STR("failed"),
    MLS_STR("xception"),
    MLS_STR("NCCL INFO Bootstrap"),
    [MARK_COUNTERS] = MLS_STR("teration: "),
    MLS_STR("iter: "),
    MLS_STR("Iter: "),
    MLS_STR("Iter(train)"),
    MLS_STR("step: "),
    MLS_STR("step = "),
    MLS_STR(" step="),
    MLS_STR("[step="),
    MLS_STR("steps: "),
    MLS_STR(" Step "),
    MLS_STR("Step: "),
    MLS_STR(" Step="),
    MLS_STR("global_step"),
    MLS_STR("epoch:"),
    MLS_STR("'epoch': "),
    MLS_STR("| epoch 0"),
    MLS_STR("Epoch: "),
    MLS_STR("Epoch ["),
    MLS_STR("Epoch(train)"),
    MLS_STR("Train: "),
    MLS_STR(" batch "),
    MLS_STR("[batch="),
    MLS_STR("num_updates"),
    MLS_STR("logging_writer.py:"),
    MLS_STR("it/s, "),
    MLS_STR("s/it, "),
    MLS_STR(" - ETA: "),
    MLS_STR(": loss "),
    MLS_STR("ms/step")};

/* ---------------------------------------------------------------- records */

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

static void add_run_start(mls_log_block *block, size_t line)
{
    MLS_GROW_OF(block, run_starts, run_start);
    block->run_starts[block->run_start_count++] = line;
}

static mls_status block_record(void *state, const mls_record *record)
{
    static const mls_str counts[MLS_PACE_ITERATION] = {MLS_STR("samples_count"), MLS_STR("step"), MLS_STR("epoch_num")};
    mls_job_log *job = state;
    mls_log_block *block = &job->block;
    const bool stop = record->key_id == MLS_KEY_RUN_STOP;
    if (mls_run_cut_record(&job->cut, record) >= MLS_OWNER_NEXT_RUN)
        add_run_start(block, record->line);
    MLS_GROW_OF(block, records, record);
    mls_brief_record *brief = &block->records[block->record_count++];
    *brief = (mls_brief_record){.line = record->line,
                                .key = record->key_id,
                                .time_ms = record->time_ms,
                                .progress = is_progress(record),
                                .reached = {(double)NAN, (double)NAN, (double)NAN}};
    mls_str span;
    bool wanted = stop || brief->progress;
    for (size_t i = 0; i < MLS_PACE_ITERATION && wanted; i++) { /* the first key in the record */
        if (mls_record_metadata_member(record, counts[i], &span) && !mls_json_number(span, &brief->reached[i]))
            brief->reached[i] = NAN;
        wanted = isnan(brief->reached[i]);
    }
    brief->success =
        stop && mls_record_metadata_member(record, MLS_S("status"), &span) && mls_str_equal(span, MLS_S("\"success\""));
    if (!stop && !mls_signatures_want_records(job->signatures)) {
        const char *marker = record->prefix.ptr + record->prefix.len;
        brief->payload = (mls_str){marker, (size_t)(record->payload.ptr - marker) + record->payload.len};
    }
    return MLS_OK;
}

static mls_status block_marker(void *state, const mls_marker *marker)
{
    mls_job_log *job = state;
    if (mls_run_cut_marker(&job->cut, marker->kind))
        add_run_start(&job->block, marker->line);
    return MLS_OK;
}

/* Return the number of records in lines before line `i` of the block. */
static size_t records_before(const mls_job_log *job, size_t i)
{
    const mls_log_block *block = &job->block;
    size_t low = 0;
    size_t high = block->record_count;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (block->records[middle].line < block->marked.lines.line + i)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Return the record in line `i` of the block; NULL if it has none. */
static const mls_brief_record *record_of(const mls_job_log *job, size_t i)
{
    const mls_log_block *block = &job->block;
    const size_t at = records_before(job, i);
    const bool found = at < block->record_count && block->records[at].line == block->marked.lines.line + i;
    return found ? &block->records[at] : NULL;
}

/* ---------------------------------------------------------------- times */

/* Store the first time with a year, which determines the year of the job. */
static void note_time(mls_job_log *job, double time_ms)
{
    job->full_time = isnan(job->full_time) && time_ms >= 0 ? time_ms : job->full_time;
}

/* Return the time in line `i`; NAN: none.  As a fast filter, a line is parsed only if it has two colons with minutes
 * between them near its beginning, as in 13:28:01. */
static double line_time(mls_job_log *job, size_t i)
{
    enum { NEAR = 160 };
    const mls_lines *lines = &job->block.marked.lines;
    const mls_brief_record *record = record_of(job, i);
    double time_ms = record != NULL ? record->time_ms : (double)NAN;
    const mls_str text = record == NULL ? mls_lines_text(lines, i) : (mls_str){"", 0};
    for (size_t at = 0; at < text.len && at < NEAR; at += 16) { /* the block continues after the line */
        const mls_bytes16 first = mls_load16(text.ptr + at);
        const mls_bytes16 tens = mls_load16(text.ptr + at + 1);
        const mls_bytes16 second = mls_load16(text.ptr + at + 3);
        if (mls_mask16((mls_bytes16)((first == ':') & (second == ':') & (tens >= '0') & (tens <= '5'))) != 0) {
            const mls_log_line line = mls_log_line_of(lines, i, job->scratch + MLS_LINE_EXAMINED);
            time_ms = mls_log_line_time(&line);
            break;
        }
    }
    note_time(job, time_ms);
    return time_ms;
}

/* Set file_time to the last time before line `end`, searching back to where the previous search began. */
static void find_time_before(mls_job_log *job, size_t end)
{
    double time_ms = NAN;
    for (size_t i = end; i > job->block.timed_to && isnan(time_ms); i--)
        time_ms = line_time(job, i - 1);
    job->file_time = isnan(time_ms) ? job->file_time : time_ms;
    job->block.timed_to = end > job->block.timed_to ? end : job->block.timed_to;
}

double mls_job_time_of(mls_job_log *job, size_t i, const mls_log_line *line)
{
    const mls_brief_record *record = record_of(job, i);
    const double time_ms = record != NULL ? record->time_ms : mls_log_line_time(line);
    if (isnan(time_ms)) {
        find_time_before(job, i);
        return job->file_time;
    }
    note_time(job, time_ms);
    return time_ms;
}

/* ---------------------------------------------------------------- one line */

/* Read the number after `words`. */
static bool number_after(mls_str message, mls_str words, double *number)
{
    mls_line_parts parts;
    mls_str rest;
    const bool found = mls_str_after(message, words, &rest) && mls_line_take(&rest, "%_%n", &parts);
    *number = found ? parts.number : *number;
    return found;
}

/* Read "saving checkpoint at iteration 40" and later "successfully saved checkpoint from iteration 40". */
static void take_checkpoint(mls_job_log *job, mark found, size_t i, const mls_log_line *line)
{
    mls_diagnosis *to = job->to;
    mls_checkpoint *last = to->checkpoint_count > 0 ? &to->checkpoints[to->checkpoint_count - 1] : NULL;
    mls_checkpoint one = {.done_ms = job->last_time.time_ms, .end_ms = (double)NAN};
    if (found == MARK_LOADED) {
        if (isnan(to->loaded_iteration))
            (void)number_after(line->message, MLS_S(" at iteration "), &to->loaded_iteration);
    } else if (found == MARK_SAVED) {
        if (number_after(line->message, MLS_S("successfully saved checkpoint from iteration "), &one.iteration) &&
            last != NULL && !(last->iteration < one.iteration) && !(last->iteration > one.iteration) &&
            isnan(last->end_ms))
            last->end_ms = mls_job_time_of(job, i, line);
    } else if (number_after(line->message, MLS_S("saving checkpoint at iteration "), &one.iteration) &&
               to->checkpoint_count < MLS_PROGRESS_MAX) {
        one.start_ms = mls_job_time_of(job, i, line);
        mls_arena_grow(to->arena, (void **)&to->checkpoints, to->checkpoint_count, &job->checkpoint_capacity,
                       sizeof one);
        to->checkpoints[to->checkpoint_count++] = one;
    }
}

/* Read a row of torchrun's table that names the rank of the rows below it. */
static void take_table_row(mls_job_log *job, const mls_log_line *line)
{
    mls_line_parts parts;
    mls_str rest = line->message;
    if (mls_line_take(&rest, "%_host%_: ", &parts)) {
        job->table_host = mls_job_name(job, mls_str_word(&rest));
        job->table_rank = -1;
    } else if (mls_line_take(&rest, "%_rank%_: %_%n", &parts)) {
        int32_t *root = &job->files[job->file_count - 1].root_rank;
        job->table_rank = parts.number;
        *root = job->root_cause && *root < 0 ? job->table_rank : *root;
        mls_job_know_rank(job, job->table_rank, job->table_host);
    }
}

/* Read the nodes of ranks: "srun: error: node076: tasks 0-3,7: …". */
static void take_srun(mls_job_log *job, const mls_log_line *line)
{
    mls_line_parts parts;
    mls_str rest = line->message;
    if (!mls_line_take(&rest, "srun: error: %h: task ", &parts) &&
        !mls_line_take(&rest, "srun: error: %h: tasks ", &parts))
        return;
    const char *node = mls_job_name(job, parts.node);
    bool more = true;
    while (more && mls_line_take(&rest, "%n", &parts)) {
        const int32_t first = parts.number;
        const int32_t last = mls_line_take(&rest, "-%n", &parts) ? parts.number : first;
        for (int32_t rank = first; rank <= last && rank < MLS_RANKS_MAX; rank++)
            mls_job_know_rank(job, rank, node);
        more = mls_line_take(&rest, ",", &parts);
    }
}

void mls_job_prepare(mls_job_log *job)
{
    mls_signatures_prepare(job->signatures, mark_texts, MARK_COUNTERS, sizeof mark_texts / sizeof *mark_texts);
}

/* Read the marks, progress and signature of line `i`. An exception counts only after a traceback of its own stream.  A
 * traceback right after "Exception ignored in" of the same stream does not end the program. */
static void examine(mls_job_log *job, size_t i)
{
    enum { OTHERS_BETWEEN = 64 }; /* limit for lines of other ranks in between */
    const mls_log_line line = mls_log_line_of(&job->block.marked.lines, i, job->scratch);
    const size_t number = job->block.marked.lines.line + i;
    const uint32_t marks = mls_signatures_search(job->signatures, line.text);
    const int32_t writer = line.rank >= 0 ? line.rank : line.task;
    const uint64_t stream = (uint64_t)(uint32_t)writer << 32 | (uint32_t)line.local_rank;
    size_t open = 0;
    while (open < job->traceback_count && job->tracebacks[open].stream != stream)
        open++;
    const bool traced = open < job->traceback_count;
    const bool ends = traced && mls_signatures_maybe_exception(job->signatures, line.message);
    mls_job_know_rank(job, line.rank, mls_job_name(job, line.node));
    for (uint32_t left = marks & (MLS_ANY_SIGNATURE - 1); left != 0; left &= left - 1) {
        const mark found = (mark)__builtin_ctz(left);
        if (found == MARK_SAVING || found == MARK_SAVED || found == MARK_LOADED)
            take_checkpoint(job, found, i, &line);
        else if (found == MARK_HOST_ROW || found == MARK_RANK_ROW)
            take_table_row(job, &line);
        else if (found == MARK_ROOT_CAUSE)
            job->root_cause = true;
        else if (found == MARK_SRUN)
            take_srun(job, &line);
    }
    const ptrdiff_t place = mls_signatures_find(job->signatures, line.message, ends);
    mls_job_read_progress(job, i, &line, place < 0);
    const size_t found = (size_t)place;
    if (place >= 0) {
        if (!traced || !job->tracebacks[open].ignored || found != job->exception_signature)
            mls_job_take_match(job, found, number, &line, mls_job_time_of(job, i, &line));
        if (traced)
            job->tracebacks[open] = job->tracebacks[--job->traceback_count];
        if (found == job->ignored_signature) {
            job->ignored_stream = stream;
            job->ignored_line = number;
        }
    } else if ((marks >> MARK_TRACEBACK & 1) != 0 && !traced && open < MLS_TRACEBACKS_MAX) {
        const bool ignored =
            job->ignored_line > 0 && job->ignored_stream == stream && number <= job->ignored_line + OTHERS_BETWEEN;
        job->ignored_line = ignored ? 0 : job->ignored_line;
        job->tracebacks[job->traceback_count++] = (mls_traceback){.stream = stream,
                                                                  .line = number,
                                                                  .advances = mls_job_segment(job)->advances,
                                                                  .time_ms = mls_job_time_of(job, i, &line),
                                                                  .rank = mls_log_line_rank(&line),
                                                                  .node = mls_job_name(job, mls_log_line_node(&line)),
                                                                  .ignored = ignored};
    }
}

/* ---------------------------------------------------------------- the last lines of a run */

static bool looks_like_error(mls_str message)
{
    return mls_str_any(
        message,
        "rror|ERR|atal|FATAL|xception|ailed|FAILED|ailure|bort|ABORT|illed|KILLED|SIG|ignal |core dumped|"
        "egmentation|Traceback|ssert|OOM|ut of memory|imed out|imeout|refused|denied|CRITICAL|panic|"
        "xit code|erminat|not found|o such file",
        mls_str_contains);
}

/* Return whether the lines contain a text: ranks often print the same. */
static bool is_among(const mls_read_lines *lines, mls_str message)
{
    bool found = false;
    for (size_t i = 0; i < lines->count && !found; i++)
        found = mls_str_equal(mls_str_from(lines->items[i].at.text), message);
    return found;
}

static void add_line(mls_job_log *job, mls_read_lines *lines, size_t i, const mls_log_line *line)
{
    const size_t to = lines->count++;
    lines->items[to].rank = mls_log_line_rank(line);
    lines->items[to].node = mls_job_name(job, mls_log_line_node(line));
    mls_keep_line(&lines->items[to].at, job->block.marked.lines.line + i, line->message);
}

/* Append the lines stored from earlier blocks to those of this block, without duplicates if `once` is set. */
static void put_before(mls_read_lines *kept, mls_read_lines *lines, bool once)
{
    for (size_t k = 0; k < kept->count && lines->count < MLS_READ_LINES; k++)
        if (!once || !is_among(lines, mls_str_from(kept->items[k].at.text)))
            lines->items[lines->count++] = kept->items[k];
    *kept = *lines;
}

/* Store the last lines before line `end` that are not records, those that look like errors, and the text of the last
 * advance.  For speed, errors are searched only in marked lines. */
static void keep_lines(mls_job_log *job, size_t end)
{
    enum { LOOKED_AT = 200 }; /* number of lines before the end that are searched for errors */
    mls_log_block *block = &job->block;
    const mls_lines *lines = &block->marked.lines;
    mls_log_segment *segment = mls_job_segment(job);
    mls_read_lines last;
    last.count = 0;
    size_t records = records_before(job, end);
    for (size_t i = end; i > block->kept_from && last.count < MLS_READ_LINES; i--) {
        if (records > 0 && block->records[records - 1].line == lines->line + i - 1) {
            records--;
            continue;
        }
        const mls_log_line line = mls_log_line_of(lines, i - 1, job->scratch);
        if (line.message.len > 0) {
            segment->broken_off = last.count == 0 ? mls_breaks_off(line.message) : segment->broken_off;
            add_line(job, &last, i - 1, &line);
        }
    }
    put_before(&job->plain, &last, false);
    last.count = 0;
    const bool far = end - block->kept_from > LOOKED_AT;
    for (size_t i = end; i > (far ? end - LOOKED_AT : block->kept_from) && last.count < MLS_READ_LINES; i--) {
        const bool marked = (block->marked.bits[(i - 1) / 64] >> ((i - 1) % 64) & 1) != 0;
        if (marked && record_of(job, i - 1) == NULL) {
            const mls_log_line line = mls_log_line_of(lines, i - 1, job->scratch);
            if (looks_like_error(line.message) && !is_among(&last, line.message))
                add_line(job, &last, i - 1, &line);
        }
    }
    job->errors.count = far ? 0 : job->errors.count;
    if (last.count > 0)
        put_before(&job->errors, &last, true);
    if (segment->last_line >= lines->line && job->last.text[0] == '\0') {
        const mls_log_line line = mls_log_line_of(lines, segment->last_line - lines->line, job->scratch);
        mls_keep_line(&job->last, segment->last_line, line.message);
    }
    segment->end_line = end > block->kept_from ? lines->line + end - 1 : segment->end_line;
    block->kept_from = end;
}

/* ---------------------------------------------------------------- a block */

/* Mark the lines that match anything searched for or may be a step, and store ranks.  All text is searched, except most
 * records. */
static void mark_lines(mls_job_log *job)
{
    mls_log_block *block = &job->block;
    const mls_lines *lines = &block->marked.lines;
    mls_str left = lines->text;
    for (size_t r = 0; r < block->record_count; r++) {
        const mls_str skipped = block->records[r].payload;
        if (skipped.len > 0 && block->records[r].line >= lines->line) {
            const char *end = left.ptr + left.len;
            mls_marked_search(&block->marked, (mls_str){left.ptr, (size_t)(skipped.ptr - left.ptr)});
            left.ptr = skipped.ptr + skipped.len;
            left.len = (size_t)(end - left.ptr);
        }
    }
    mls_marked_search(&block->marked, left);
    for (size_t i = 0; i < lines->count; i++) {
        const char *line = lines->text.ptr + mls_lines_begin(lines, i);
        if (*line == ' ' || *line == '[' || mls_is_digit(*line)) {
            const int32_t rank = mls_log_line_first_rank(line);
            if (rank >= 0 && rank < MLS_RANKS_MAX)
                job->rank_seen[rank] |= MLS_RANK_SEEN;
            else if (mls_maybe_bar(line))
                mls_marked_add(&block->marked, i);
        } else if (mls_maybe_counted(line)) {
            mls_marked_add(&block->marked, i);
        }
        if (mls_lines_odd(lines, i)) {
            const mls_brief_record *record = record_of(job, i);
            if (record == NULL || record->payload.len == 0)
                mls_marked_search_clean(&block->marked, job->signatures, i, job->scratch);
        }
    }
}

/* Examine the marked lines, and those that may end a traceback or match a user's signature. */
static void examine_lines(mls_job_log *job, size_t from, size_t end)
{
    const mls_log_block *block = &job->block;
    const bool all = mls_signatures_want_all(job->signatures);
    for (size_t i = from; i < end; i++) {
        const size_t next = mls_marked_next(&block->marked, i, end);
        if (!all && job->traceback_count == 0)
            i = next;
        if (i < end && (i == next || all ||
                        (mls_signatures_maybe_exception(job->signatures, mls_lines_text(&block->marked.lines, i)) &&
                         record_of(job, i) == NULL)))
            examine(job, i);
    }
}

/* Examine lines and start the runs that begin in them or at line `end`; *next is the first such run.  Lines before the
 * first record of a file belong to its first run. */
static void walk_lines(mls_job_log *job, size_t from, size_t end, size_t *next)
{
    const mls_log_block *block = &job->block;
    const mls_lines *lines = &block->marked.lines;
    while (*next < block->run_start_count && block->run_starts[*next] <= lines->line + end) {
        const size_t line = block->run_starts[(*next)++];
        const size_t start = line > lines->line ? line - lines->line : 0;
        examine_lines(job, from, start);
        from = start;
        if (mls_job_segment(job)->line > 0 && job->segment_count >= MLS_RUNS_MAX) {
            job->to->uncut++;
        } else if (mls_job_segment(job)->line > 0) {
            keep_lines(job, start);
            find_time_before(job, start);
            mls_job_close_segment(job);
            mls_job_open_segment(job);
        }
    }
    examine_lines(job, from, end);
}

static mls_status block_lines(void *state, const mls_lines *lines)
{
    mls_job_log *job = state;
    mls_log_block *block = &job->block;
    mls_log_segment *segment = mls_job_segment(job);
    /* Counters are read only if nothing more reliable shows the progress. */
    const bool counters = block->record_count == 0 && segment->line == 0 && segment->reached[MLS_PACE_ITERATION] < 0;
    block->timed_to = block->kept_from = 0;
    mls_marked_begin(&block->marked, job->signatures, counters, lines);
    mark_lines(job);
    if (isnan(job->file_time)) { /* first time of the file */
        double time_ms = NAN;
        for (size_t i = 0; i < lines->count && isnan(time_ms); i++)
            time_ms = line_time(job, i);
        segment->first_ms = time_ms;
    }
    size_t done = 0;
    size_t next_run = 0;
    for (size_t r = 0; r < block->record_count; r++) {
        const mls_brief_record *record = &block->records[r];
        const size_t at = record->line > lines->line ? record->line - lines->line : 0;
        walk_lines(job, done, at, &next_run);
        note_time(job, record->time_ms);
        mls_job_take_record(job, record);
        done = at;
    }
    walk_lines(job, done, lines->count, &next_run);
    keep_lines(job, lines->count);
    find_time_before(job, lines->count);
    block->record_count = block->run_start_count = 0;
    return MLS_OK;
}

static mls_status block_end(void *state, const mls_log_totals *totals)
{
    (void)totals;
    mls_job_close_segment(state);
    return MLS_OK;
}

void mls_job_begin_file(mls_job_log *job, const char *name)
{
    MLS_GROW_OF(job, files, file);
    job->files[job->file_count++] = (mls_job_file){name, -1};
    job->block.record_count = job->block.run_start_count = 0;
    job->cut = (mls_run_cut){0};
    job->file_time = NAN;
    job->table_host = NULL;
    job->table_rank = -1;
    job->root_cause = false;
    job->traceback_count = 0;
    job->ignored_line = 0;
    mls_job_open_segment(job);
}

mls_sink mls_job_sink(mls_job_log *job)
{
    return (mls_sink){
        .state = job, .record = block_record, .marker = block_marker, .lines = block_lines, .end = block_end};
}
