/* SPDX-License-Identifier: Apache-2.0 */
/* tail.c - the last lines of a run: those that look like errors, else what came last. */
#include "explain/diagnose/job.h"

/* Lines before an end among which errors are looked for. */
enum { LOOKED_AT = 200 };

static bool looks_like_error(mls_str message)
{
    return mls_str_any(
        message,
        "rror|ERR|atal|FATAL|xception|ailed|FAILED|ailure|bort|ABORT|illed|KILLED|SIG|ignal |core dumped|"
        "egmentation|Traceback|ssert|OOM|ut of memory|imed out|imeout|refused|denied|CRITICAL|panic|"
        "xit code|erminat|not found|o such file",
        mls_str_contains);
}

/* Whether it is kept: ranks say it alike. */
static bool is_among(const mls_read_lines *lines, mls_str message)
{
    bool found = false;
    for (size_t i = 0; i < lines->count && !found; i++) {
        found = mls_str_equal(mls_str_from(lines->items[i].at.text), message);
    }
    return found;
}

static void add_line(mls_job_log *job, mls_read_lines *lines, size_t i, const mls_log_line *line)
{
    if (lines->count < MLS_READ_LINES) {
        mls_read_line *to = &lines->items[lines->count++];
        to->rank = mls_log_line_rank(line);
        to->node = mls_job_name(job, mls_log_line_node(line));
        mls_keep_line(&to->at, job->block.marked.lines.line + i, line->message);
    }
}

/* Puts those of this block before those that were kept of the blocks before. */
static void put_before(mls_read_lines *kept, const mls_read_lines *lines, bool once)
{
    mls_read_lines all = *lines;
    for (size_t k = 0; k < kept->count && all.count < MLS_READ_LINES; k++) {
        if (!once || !is_among(&all, mls_str_from(kept->items[k].at.text))) {
            all.items[all.count++] = kept->items[k];
        }
    }
    *kept = all;
}

/* The last lines, whatever they say. */
static void keep_last(mls_job_log *job, size_t end)
{
    const mls_log_block *block = &job->block;
    const mls_lines *lines = &block->marked.lines;
    mls_read_lines last = {.count = 0};
    size_t records = mls_job_records_before(job, end);
    for (size_t i = end; i > block->kept_from && last.count < MLS_READ_LINES; i--) {
        if (records > 0 && block->records[records - 1].line == lines->line + i - 1) {
            records--;
            continue;
        }
        const mls_log_line line = mls_log_line_of(lines, i - 1, job->scratch);
        if (line.message.len > 0) {
            mls_log_segment *segment = mls_job_segment(job);
            segment->broken_off = last.count == 0 ? mls_breaks_off(line.message) : segment->broken_off;
            add_line(job, &last, i - 1, &line);
        }
    }
    put_before(&job->lines->plain, &last, false);
}

/* Those that look like errors.  Of the lines only those are read that are marked, as there are many blocks. */
static void keep_errors(mls_job_log *job, size_t end)
{
    const mls_log_block *block = &job->block;
    mls_read_lines errors = {.count = 0};
    const bool far = end - block->kept_from > LOOKED_AT;
    const size_t from = far ? end - LOOKED_AT : block->kept_from;
    for (size_t i = end; i > from && errors.count < MLS_READ_LINES; i--) {
        const bool marked = (block->marked.bits[(i - 1) / 64] >> ((i - 1) % 64) & 1) != 0;
        if (marked && mls_job_record_of(job, i - 1) == NULL) {
            const mls_log_line line = mls_log_line_of(&block->marked.lines, i - 1, job->scratch);
            if (looks_like_error(line.message) && !is_among(&errors, line.message)) {
                add_line(job, &errors, i - 1, &line);
            }
        }
    }
    job->lines->errors.count = far ? 0 : job->lines->errors.count;
    if (errors.count > 0) {
        put_before(&job->lines->errors, &errors, true);
    }
}

void mls_job_keep_lines(mls_job_log *job, size_t end)
{
    mls_log_block *block = &job->block;
    const mls_lines *lines = &block->marked.lines;
    mls_log_segment *segment = mls_job_segment(job);
    keep_last(job, end);
    keep_errors(job, end);
    mls_kept_line *last = &job->lines->last;
    if (segment->last_line >= lines->line && last->text[0] == '\0') {
        const mls_log_line line = mls_log_line_of(lines, segment->last_line - lines->line, job->scratch);
        mls_keep_line(last, segment->last_line, line.message);
    }
    segment->end_line = end > block->kept_from ? lines->line + end - 1 : segment->end_line;
    block->kept_from = end;
}
