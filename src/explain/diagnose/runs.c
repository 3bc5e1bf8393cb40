/* SPDX-License-Identifier: Apache-2.0 */
/* runs.c - which parts of the files are runs of the job. */
#include <math.h>

#include "base/statistics.h"
#include "explain/diagnose/job.h"

/* The first part of a file before that has the times of this one; NULL: none has, and this one is the first of them. */
static const mls_log_segment *first_part(mls_job_log *job, mls_map *seen, const mls_log_segment *segment)
{
    const double times[] = {segment->start_ms + 0.0, isnan(segment->stop_ms) ? -1 : segment->stop_ms + 0.0};
    bool added = false;
    mls_map_entry *entry = mls_map_put(seen, (mls_str){(const char *)times, sizeof times}, &added);
    if (entry == NULL || added) {
        job->failed |= entry == NULL;
        if (entry != NULL) {
            entry->value.number = (size_t)(segment - job->segments);
        }
        return NULL;
    }
    const mls_log_segment *first = &job->segments[entry->value.number];
    return first->file != segment->file ? first : NULL;
}

void mls_job_number_runs(mls_job_log *job, bool *success)
{
    mls_arena arena = {0};
    mls_map seen = {.arena = &arena};
    for (size_t i = 0; i < job->segment_count; i++) {
        mls_log_segment *segment = &job->segments[i];
        if (segment->line > 0) {
            const mls_log_segment *same = isnan(segment->start_ms) ? NULL : first_part(job, &seen, segment);
            segment->run = same != NULL ? same->run : ++job->run_count;
            job->to->runs += same == NULL && segment->began;
            success[segment->run] |= segment->success;
        }
    }
    /* Other files may show no more than the end that it came to before. */
    for (size_t i = 0; i < job->segment_count; i++) {
        success[job->segments[i].run] &= !job->segments[i].again || job->segments[i].success;
    }
    mls_arena_release(&arena);
}

void mls_job_drop_unbegun(mls_job_log *job)
{
    bool began = false;
    for (size_t i = 0; i < job->match_count; i++) {
        const unsigned role = mls_job_signature(job, &job->matches[i])->role;
        job->segments[job->matches[i].segment].died |= role == MLS_ROLE_ROOT || role == MLS_ROLE_SYMPTOM;
    }
    for (size_t i = 0; i < job->segment_count; i++) {
        began |= (job->segments[i].began || job->segments[i].died) && job->segments[i].line > 0;
    }
    for (size_t i = 0; i < job->segment_count && began; i++) {
        mls_log_segment *segment = &job->segments[i];
        segment->line = segment->began || segment->died ? segment->line : 0;
    }
}
