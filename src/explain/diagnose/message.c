/* SPDX-License-Identifier: Apache-2.0 */
/* message.c - one line: progress, checkpoints, where ranks run, and the signature that it has. */
#include <math.h>

#include "explain/diagnose/job.h"

/* The texts that are looked for beside the signatures: those of which take_mark() knows, those that only have a line
 * examined, and counters, which matter where nothing surer says how far training has come. */
#define MARK_LIST(W)                                                                                                   \
    W(TRACEBACK, "Traceback (most recent call last)") /* a colon, or a frame that rich or IPython draws */             \
    W(SAVING, "saving checkpoint at iteration ")                                                                       \
    W(SAVED, "successfully saved checkpoint from iteration ")                                                          \
    W(LOADED, "successfully loaded checkpoint ")                                                                       \
    W(HOST_ROW, "  host      : ")                                                                                      \
    W(RANK_ROW, "  rank      : ")                                                                                      \
    W(ROOT_CAUSE, "Root Cause (first observed failure)")                                                               \
    W(SRUN, "srun: error: ")                                                                                           \
    W(ITERATION, "iteration ")                                                                                         \
    W(STEP, " step ")                                                                                                  \
    W(ERROR_WORD, " error")                                                                                            \
    W(ERROR_LEVEL, "ERROR ")                                                                                           \
    W(ERROR_NAME, "rror: ")                                                                                            \
    W(FAILED, "failed")                                                                                                \
    W(EXCEPTION, "xception")                                                                                           \
    W(NCCL_INFO, "NCCL INFO Bootstrap")
#define COUNTER_LIST(W)                                                                                                \
    W(ITERATION_IS, "teration: ")                                                                                      \
    W(ITER_IS, "iter: ")                                                                                               \
    W(ITER_OF, "Iter: ")                                                                                               \
    W(ITER_TRAIN, "Iter(train)")                                                                                       \
    W(STEP_IS, "step: ")                                                                                               \
    W(STEP_SET, "step = ")                                                                                             \
    W(STEP_RANK, " step=")                                                                                             \
    W(STEP_FIRST, "[step=")                                                                                            \
    W(STEPS, "steps: ")                                                                                                \
    W(STEP_OF, " Step ")                                                                                               \
    W(STEP_OF_IS, "Step: ")                                                                                            \
    W(STEP_OF_SET, " Step=")                                                                                           \
    W(GLOBAL_STEP, "global_step")                                                                                      \
    W(EPOCH_IS, "epoch:")                                                                                              \
    W(EPOCH, "'epoch': ")                                                                                              \
    W(EPOCH_NUMBER, "| epoch 0")                                                                                       \
    W(EPOCH_OF, "Epoch: ")                                                                                             \
    W(EPOCH_PAIR, "Epoch [")                                                                                           \
    W(EPOCH_TRAIN, "Epoch(train)")                                                                                     \
    W(TRAIN, "Train: ")                                                                                                \
    W(BATCH, " batch ")                                                                                                \
    W(BATCH_SET, "[batch=")                                                                                            \
    W(UPDATES, "num_updates")                                                                                          \
    W(WRITER, "logging_writer.py:")                                                                                    \
    W(FAST_BAR, "it/s, ")                                                                                              \
    W(SLOW_BAR, "s/it, ")                                                                                              \
    W(KERAS_BAR, " - ETA: ")                                                                                           \
    W(LOSS, ": loss ")                                                                                                 \
    W(KERAS_STEP, "ms/step")

#define MARK_ID(id, text) MARK_##id,
#define MARK_TEXT(id, text) MLS_STR(text),
typedef enum mark {
    MARK_LIST(MARK_ID) MARK_COUNTERS,
    MARK_BEFORE_THEM = MARK_COUNTERS - 1,
    COUNTER_LIST(MARK_ID) MARK_COUNT
} mark;
static const mls_str mark_texts[MARK_COUNT] = {MARK_LIST(MARK_TEXT) COUNTER_LIST(MARK_TEXT)};

/* Takes the number after `words`, which the message contains. */
static bool number_after(mls_str message, mls_str words, double *number)
{
    mls_line_parts parts;
    mls_str rest;
    const bool found = mls_str_after(message, words, &rest) && mls_line_take(&rest, "%_%n", &parts);
    *number = found ? parts.number : *number;
    return found;
}

/* "saving checkpoint at iteration 40", and later "successfully saved checkpoint from iteration 40" */
static void take_checkpoint(mls_job_log *job, mark found, size_t i, const mls_log_line *line)
{
    mls_diagnosis *to = job->to;
    mls_checkpoint *last = to->checkpoint_count > 0 ? &to->checkpoints[to->checkpoint_count - 1] : NULL;
    mls_checkpoint one = {.done_ms = job->last_time.time_ms, .end_ms = (double)NAN};
    if (found == MARK_LOADED) {
        if (isnan(to->loaded_iteration)) {
            (void)number_after(line->message, MLS_S(" at iteration "), &to->loaded_iteration);
        }
    } else if (found == MARK_SAVED) {
        if (number_after(line->message, MLS_S("successfully saved checkpoint from iteration "), &one.iteration) &&
            last != NULL && !(last->iteration < one.iteration) && !(last->iteration > one.iteration) &&
            isnan(last->end_ms)) {
            last->end_ms = mls_job_time_of(job, i, line);
        }
    } else if (number_after(line->message, MLS_S("saving checkpoint at iteration "), &one.iteration) &&
               to->checkpoint_count < MLS_PROGRESS_MAX) {
        one.start_ms = mls_job_time_of(job, i, line);
        if (mls_arena_grow(to->arena, (void **)&to->checkpoints, to->checkpoint_count, &job->checkpoint_capacity,
                           sizeof one)) {
            to->checkpoints[to->checkpoint_count++] = one;
        } else {
            job->failed = true;
        }
    }
}

/* The rows of torchrun's table, which name the rank that the rows below them are about. */
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

/* "srun: error: node076: tasks 0-3,7: …" says where these ranks ran. */
static void take_srun(mls_job_log *job, const mls_log_line *line)
{
    mls_line_parts parts;
    mls_str rest = line->message;
    if (!mls_line_take(&rest, "srun: error: %h: task ", &parts) &&
        !mls_line_take(&rest, "srun: error: %h: tasks ", &parts)) {
        return;
    }
    const char *node = mls_job_name(job, parts.node);
    bool more = true;
    while (more && mls_line_take(&rest, "%n", &parts)) {
        const int32_t first = parts.number;
        const int32_t last = mls_line_take(&rest, "-%n", &parts) ? parts.number : first;
        for (int32_t rank = first; rank <= last && rank < MLS_RANKS_MAX; rank++) {
            mls_job_know_rank(job, rank, node);
        }
        more = mls_line_take(&rest, ",", &parts);
    }
}

static void take_mark(mls_job_log *job, mark found, size_t i, const mls_log_line *line)
{
    switch (found) {
    case MARK_SAVING:
    case MARK_SAVED:
    case MARK_LOADED:
        take_checkpoint(job, found, i, line);
        return;
    case MARK_HOST_ROW:
    case MARK_RANK_ROW:
        take_table_row(job, line);
        return;
    case MARK_ROOT_CAUSE:
        job->root_cause = true;
        return;
    case MARK_SRUN:
        take_srun(job, line);
        return;
    default: /* those only have the line examined */
        return;
    }
}

/* Where a traceback of the line's stream is open; their count: it is not. */
static size_t find_traceback(const mls_job_log *job, uint64_t stream)
{
    size_t at = 0;
    while (at < job->traceback_count && job->tracebacks[at].stream != stream) {
        at++;
    }
    return at;
}

mls_status mls_job_prepare(mls_job_log *job)
{
    return mls_signatures_prepare(job->signatures, mark_texts, MARK_COUNTERS, MARK_COUNT);
}

bool mls_job_wants_counters(const mls_job_log *job)
{
    const mls_log_segment *segment = mls_job_segment(job);
    return job->block.record_count == 0 && segment->line == 0 && segment->reached[MLS_PACE_ITERATION] < 0;
}

/* A traceback begins.  One right after "Exception ignored in", of the same stream, is of no exception that ends. */
static void open_traceback(mls_job_log *job, size_t i, const mls_log_line *line, uint64_t stream)
{
    enum { OTHERS_BETWEEN = 64 }; /* lines of other ranks */
    const size_t number = job->block.marked.lines.line + i;
    const bool ignored =
        job->ignored_line > 0 && job->ignored_stream == stream && number <= job->ignored_line + OTHERS_BETWEEN;
    job->ignored_line = ignored ? 0 : job->ignored_line;
    job->tracebacks[job->traceback_count++] = (mls_traceback){.stream = stream,
                                                              .line = number,
                                                              .advances = mls_job_segment(job)->advances,
                                                              .time_ms = mls_job_time_of(job, i, line),
                                                              .rank = mls_log_line_rank(line),
                                                              .node = mls_job_name(job, mls_log_line_node(line)),
                                                              .ignored = ignored};
}

/* Takes what a line was found to be, and closes the traceback that it ends. */
static void take_found(mls_job_log *job, size_t found, size_t i, const mls_log_line *line, uint64_t stream)
{
    const size_t open = find_traceback(job, stream);
    const size_t number = job->block.marked.lines.line + i;
    const bool traced = open < job->traceback_count;
    if (!traced || !job->tracebacks[open].ignored || found != job->exception_signature) {
        mls_job_take_match(job, found, number, line, mls_job_time_of(job, i, line));
    }
    if (traced) {
        job->tracebacks[open] = job->tracebacks[--job->traceback_count];
    }
    if (found == job->ignored_signature) {
        job->ignored_stream = stream;
        job->ignored_line = number;
    }
}

/* An exception counts only after the traceback of its own stream. */
mls_status mls_job_examine(mls_job_log *job, size_t i)
{
    const mls_log_line line = mls_log_line_of(&job->block.marked.lines, i, job->scratch);
    const uint32_t marks = mls_signatures_search(job->signatures, line.text);
    const int32_t writer = line.rank >= 0 ? line.rank : line.task;
    const uint64_t stream = (uint64_t)(uint32_t)writer << 32 | (uint32_t)line.local_rank;
    const size_t open = find_traceback(job, stream);
    const bool ends = open < job->traceback_count && mls_signatures_maybe_exception(job->signatures, line.message);
    ptrdiff_t found;
    mls_job_know_rank(job, line.rank, mls_job_name(job, line.node));
    for (uint32_t left = marks & (MLS_ANY_SIGNATURE - 1); left != 0; left &= left - 1) {
        take_mark(job, (mark)__builtin_ctz(left), i, &line);
    }
    const mls_status status = mls_signatures_find(job->signatures, line.message, ends, &found);
    mls_job_read_progress(job, i, &line, found < 0);
    if (found >= 0) {
        take_found(job, (size_t)found, i, &line, stream);
    } else if ((marks >> MARK_TRACEBACK & 1) != 0 && open == job->traceback_count && open < MLS_TRACEBACKS_MAX) {
        open_traceback(job, i, &line, stream);
    }
    return status;
}
