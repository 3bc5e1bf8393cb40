/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_sacct.c - read any bytes as the output of sacct, as text or JSON, and join it with runs of the first job in it.
 */
#include <math.h>
#include <stdlib.h>

#include "score/jobs.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_times(const mls_slurm_job *job)
{
    const mls_job_times *times = &job->times;
    const double sum = times->before + times->init + times->training + times->between + times->after;
    const double end = isnan(job->end_ms) ? job->start_ms + job->elapsed_seconds * 1000 : job->end_ms;
    if (job->has_times && !(fabs(sum - (end - job->start_ms) / 1000) <= 1e-6 * fmax(1, sum)))
        __builtin_trap();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const mls_sacct_zone zone = {60, "+01:00"};
    mls_sacct *sacct = mls_sacct_new();
    const mls_status status = mls_sacct_read(sacct, (mls_str){(const char *)data, size}, "fuzz", zone, NULL);
    if (status == MLS_OK && sacct->by_raw.count > 0) {
        mls_run runs[2];
        const mls_run *places[] = {&runs[0], &runs[1]};
        mls_group group = {.runs = places, .run_count = 2};
        mls_collection collection = {.runs = runs, .run_count = 2, .groups = &group, .group_count = 1};
        const mls_str job = sacct->by_raw.entries[0].key;
        for (size_t i = 0; i < 2; i++) {
            mls_run_init(&runs[i]);
            runs[i].init_start = (mls_step){1745066800000 + (double)i * 50000, 1};
            runs[i].run_start = (mls_step){1745066900000 + (double)i * 50000, 2};
            runs[i].run_stop = (mls_step){i > 0 ? (double)NAN : 1745067000000, i > 0 ? 0 : 3};
            runs[i].job.job = strndup(job.ptr, job.len);
        }
        mls_jobs_join(sacct, NULL, &collection);
        if (sacct->jobs.count != 1)
            __builtin_trap();
        for (size_t i = 0; i < sacct->jobs.count; i++)
            check_times(sacct->jobs.items[i]);
        mls_run_release(&runs[0]);
        mls_run_release(&runs[1]);
    }
    mls_sacct_free(sacct);
    return 0;
}
