/* SPDX-License-Identifier: Apache-2.0 */
/* message.c - what a line says: progress, checkpoints, where ranks run, and the signature that it has. */
#include <math.h>
#include <stdlib.h>

#include "diagnose/job.h"

/* A number behind `words`, which the message contains. */
static bool number_behind(mls_str message, mls_str words, double *number)
{
    const char *at = memmem(message.ptr, message.len, words.ptr, words.len);
    int32_t value;
    if (at == NULL) {
        return false;
    }
    mls_str rest = {at + words.len, (size_t)(message.ptr + message.len - at) - words.len};
    mls_skip_blanks(&rest);
    const bool found = mls_take_number(&rest, &value);
    *number = found ? value : *number;
    return found;
}

/* "iteration  412/ 5000" and "step 412" say how far training has come. */
static void take_step_line(mls_job_log *job, size_t i, const mls_log_line *line)
{
    mls_str rest = line->message;
    int32_t number;
    mls_skip_blanks(&rest);
    const bool iteration = mls_take_text(&rest, MLS_S("iteration "));
    if (!iteration && !mls_take_text(&rest, MLS_S("step "))) {
        return;
    }
    mls_skip_blanks(&rest);
    if (mls_take_number(&rest, &number) && (!iteration || (mls_skip_blanks(&rest), mls_str_starts(rest, MLS_S("/"))))) {
        mls_job_advance(job, job->block.line + i, MLS_PACE_ITERATION, number, mls_job_time_of(job, i, line));
    }
}

static void take_checkpoint(mls_job_log *job, mls_mark mark, size_t i, const mls_log_line *line)
{
    double iteration = NAN;
    mls_checkpoint *last = job->checkpoint_count > 0 ? &job->checkpoints[job->checkpoint_count - 1] : NULL;
    if (mark == MLS_MARK_LOADED) {
        double loaded = NAN;
        if (isnan(job->loaded_iteration) && number_behind(line->message, MLS_S(" at iteration "), &loaded)) {
            job->loaded_iteration = loaded;
        }
    } else if (mark == MLS_MARK_SAVED) {
        if (number_behind(line->message, MLS_S("successfully saved checkpoint from iteration "), &iteration) &&
            last != NULL && !(last->iteration < iteration) && !(last->iteration > iteration) && isnan(last->end_ms)) {
            last->end_ms = mls_job_time_of(job, i, line);
        }
    } else if (number_behind(line->message, MLS_S("saving checkpoint at iteration "), &iteration)) {
        const mls_checkpoint checkpoint = {iteration, job->last_time.time_ms, mls_job_time_of(job, i, line),
                                           (double)NAN};
        if (job->checkpoint_count < MLS_PROGRESS_MAX && MLS_GROW_OF(job, checkpoints, checkpoint)) {
            job->checkpoints[job->checkpoint_count++] = checkpoint;
        } else {
            job->failed |= job->checkpoint_count < MLS_PROGRESS_MAX;
        }
    }
}

/* The rows of torchrun's table, which name the rank that the rows below them are about. */
static void take_table_row(mls_job_log *job, mls_mark mark, const mls_log_line *line)
{
    mls_str rest = line->message;
    const char *colon = memchr(rest.ptr, ':', rest.len);
    if (colon == NULL) {
        return;
    }
    rest = (mls_str){colon + 1, (size_t)(rest.ptr + rest.len - colon) - 1};
    mls_skip_blanks(&rest);
    if (mark == MLS_MARK_HOST_ROW) {
        job->table_host = mls_job_name(job, mls_str_word(&rest));
        job->table_rank = -1;
    } else if (mls_take_number(&rest, &job->table_rank)) {
        int32_t *root = &job->root_ranks[job->root_rank_count - 1];
        *root = job->root_cause && *root < 0 ? job->table_rank : *root;
        mls_job_know_rank(job, job->table_rank, job->table_host);
    }
}

/* "srun: error: node076: tasks 0-3,7: …" says where these ranks ran. */
static void take_srun(mls_job_log *job, const mls_log_line *line)
{
    mls_str rest = line->message;
    int32_t first, last;
    if (!mls_take_text(&rest, MLS_S("srun: error: "))) {
        return;
    }
    const char *colon = memchr(rest.ptr, ':', rest.len);
    const mls_str node = {rest.ptr, colon != NULL ? (size_t)(colon - rest.ptr) : 0};
    rest = (mls_str){rest.ptr + node.len, rest.len - node.len};
    if (node.len == 0 || memchr(node.ptr, ' ', node.len) != NULL ||
        !(mls_take_text(&rest, MLS_S(": task ")) || mls_take_text(&rest, MLS_S(": tasks ")))) {
        return;
    }
    const char *name = mls_job_name(job, node);
    while (mls_take_number(&rest, &first)) {
        last = first;
        if (mls_take_text(&rest, MLS_S("-")) && !mls_take_number(&rest, &last)) {
            return;
        }
        for (int32_t rank = first; rank <= last && rank < MLS_RANKS_MAX; rank++) {
            mls_job_know_rank(job, rank, name);
        }
        if (!mls_take_text(&rest, MLS_S(","))) {
            return;
        }
    }
}

static void take_mark(mls_job_log *job, mls_mark mark, size_t i, const mls_log_line *line)
{
    switch (mark) {
    case MLS_MARK_ITERATION:
    case MLS_MARK_STEP:
        take_step_line(job, i, line);
        return;
    case MLS_MARK_SAVING:
    case MLS_MARK_SAVED:
    case MLS_MARK_LOADED:
        take_checkpoint(job, mark, i, line);
        return;
    case MLS_MARK_HOST_ROW:
    case MLS_MARK_RANK_ROW:
        take_table_row(job, mark, line);
        return;
    case MLS_MARK_ROOT_CAUSE:
        job->root_cause = true;
        return;
    case MLS_MARK_SRUN:
        take_srun(job, line);
        return;
    case MLS_MARK_TRACEBACK:
    case MLS_MARK_NCCL_INFO:
    case MLS_MARK_COUNT:
        return;
    }
}

/* Where a traceback of the line's stream is open; their count: it is not. */
static size_t find_traceback(const mls_job_log *job, const mls_log_line *line, uint64_t *stream)
{
    size_t at = 0;
    *stream = (uint64_t)(uint32_t)line->rank << 32 | (uint32_t)line->local_rank;
    while (at < job->traceback_count && job->tracebacks[at] != *stream) {
        at++;
    }
    return at;
}

enum { TRACEBACKS_MAX = 1024 };

/* Which signature a line has, if any; an exception counts only behind the traceback of its own stream. */
static mls_status match_line(mls_job_log *job, size_t i, const mls_log_line *line, const uint32_t *needles,
                             size_t count, bool begins)
{
    uint64_t stream;
    const size_t open = job->traceback_count > 0 || begins ? find_traceback(job, line, &stream) : 0;
    ptrdiff_t found;
    const bool ends = open < job->traceback_count && mls_signatures_maybe_exception(job->signatures, line->message);
    const mls_status status = mls_signatures_find(job->signatures, needles, count, line->message, ends, &found);
    if (found >= 0) {
        mls_job_take_match(job, (size_t)found, job->block.line + i, line, mls_job_time_of(job, i, line));
        if (open < job->traceback_count) {
            job->tracebacks[open] = job->tracebacks[--job->traceback_count];
        }
    } else if (begins && open == job->traceback_count && open < TRACEBACKS_MAX) {
        if (MLS_GROW_OF(job, tracebacks, traceback)) {
            job->tracebacks[job->traceback_count++] = stream;
        } else {
            job->failed = true;
        }
    }
    return status;
}

mls_status mls_job_look_at(mls_job_log *job, size_t i, const mls_log_line *line, size_t first, size_t end)
{
    enum { NEEDLES_MAX = 64 };
    uint32_t needles[NEEDLES_MAX];
    size_t count = 0;
    bool traceback = false;
    mls_job_know_rank(job, line->rank, mls_job_name(job, line->node));
    for (size_t k = first; k < end; k++) {
        const uint32_t needle = job->block.hits[k].needle;
        size_t before = 0;
        while (before < count && needles[before] != needle) {
            before++;
        }
        if (before < count || count == NEEDLES_MAX) {
            continue;
        }
        needles[count++] = needle;
        traceback |= needle == MLS_MARK_TRACEBACK;
        if (needle < MLS_MARK_COUNT) {
            take_mark(job, (mls_mark)needle, i, line);
        }
    }
    if (count == 0) {
        take_step_line(job, i, line);
    }
    return match_line(job, i, line, needles, count, traceback);
}
