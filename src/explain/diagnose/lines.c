/* SPDX-License-Identifier: Apache-2.0 */
/* lines.c - lines of the block that is being read: the records among them, and when each was printed. */
#include <math.h>

#include "explain/diagnose/job.h"
#include "json/json_check.h"

size_t mls_job_records_before(const mls_job_log *job, size_t i)
{
    const mls_log_block *block = &job->block;
    size_t low = 0;
    size_t high = block->record_count;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (block->records[middle].line < block->marked.lines.line + i) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

const mls_brief_record *mls_job_record_of(const mls_job_log *job, size_t i)
{
    const mls_log_block *block = &job->block;
    const size_t at = mls_job_records_before(job, i);
    const bool found = at < block->record_count && block->records[at].line == block->marked.lines.line + i;
    return found ? &block->records[at] : NULL;
}

/* Whether there may be a time in a line: two colons near its beginning with minutes between, 13:28:01.  Most lines are
 * not read for more. */
static bool may_have_time(mls_str line)
{
    enum { NEAR = 160 };
    for (size_t at = 0; at < line.len && at < NEAR; at += 16) { /* the block goes on after the line */
        const mls_bytes16 first = mls_load16(line.ptr + at);
        const mls_bytes16 tens = mls_load16(line.ptr + at + 1);
        const mls_bytes16 second = mls_load16(line.ptr + at + 3);
        if (mls_mask16((mls_bytes16)((first == ':') & (second == ':') & (tens >= '0') & (tens <= '5'))) != 0) {
            return true;
        }
    }
    return false;
}

void mls_job_note_time(mls_job_log *job, double time_ms)
{
    job->full_time = isnan(job->full_time) && time_ms >= 0 ? time_ms : job->full_time;
}

/* When a line says that it was printed; NAN: it does not say. */
static double line_time(mls_job_log *job, size_t i)
{
    const mls_lines *lines = &job->block.marked.lines;
    const mls_brief_record *record = mls_job_record_of(job, i);
    double time_ms = record != NULL ? record->time_ms : (double)NAN;
    if (record == NULL && may_have_time(mls_lines_text(lines, i))) {
        const mls_log_line line = mls_log_line_of(lines, i, job->scratch + MLS_LINE_EXAMINED);
        time_ms = mls_log_line_time(&line);
    }
    mls_job_note_time(job, time_ms);
    return time_ms;
}

/* The last time before line `end` of the block, looked for from there back to where the last look began. */
void mls_job_find_time_before(mls_job_log *job, size_t end)
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
    const mls_brief_record *record = mls_job_record_of(job, i);
    const double time_ms = record != NULL ? record->time_ms : mls_log_line_time(line);
    if (isnan(time_ms)) {
        mls_job_find_time_before(job, i);
        return job->file_time;
    }
    mls_job_note_time(job, time_ms);
    return time_ms;
}

/* The first time of a file, from its beginning on. */
void mls_job_find_first_time(mls_job_log *job)
{
    double time_ms = NAN;
    for (size_t i = 0; i < job->block.marked.lines.count && isnan(time_ms); i++) {
        time_ms = line_time(job, i);
    }
    mls_job_segment(job)->first_ms = time_ms;
}
