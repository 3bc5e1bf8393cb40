/* SPDX-License-Identifier: Apache-2.0 */
#include "slurm/splitter.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "slurm/job.h"

/* How much of a line from Slurm is quoted in a finding. */
enum { MLS_MARKER_QUOTED = 300 };

void mls_splitter_init(mls_splitter *splitter, bool whole)
{
    *splitter = (mls_splitter){.whole = whole};
    mls_run_init(&splitter->current);
    mls_job_init(&splitter->job);
}

/* The current run ends here.  What was not even begun is dropped, unless the file counts as a run whatever it holds. */
static void mls_splitter_finish(mls_splitter *splitter)
{
    mls_run *run = &splitter->current;
    if (mls_run_exists(run) || splitter->whole) {
        if (run->records + run->malformed == 0) {
            mls_findings_add(&run->findings, MLS_FINDING_EMPTY, (mls_finding_place){.key = MLS_S("@empty")},
                             "no :::MLLOG record in the whole file");
        } else {
            mls_run_finish(run);
        }
        run->out_of_memory |= !mls_job_inherit(&run->job, &splitter->job);
        /* Before the run is handed over: what follows starts without a memory of it. */
        splitter->failed |= run->out_of_memory;
        if (MLS_GROW(splitter, runs)) {
            splitter->runs[splitter->count++] = *run;
            mls_run_init(run);
        } else {
            splitter->failed = true;
        }
    }
    splitter->failed |= run->out_of_memory;
    mls_run_release(run);
}

static bool mls_starts_run(const mls_run *run, const mls_record *record)
{
    const bool init_start = mls_str_equal(record->key, MLS_S("init_start"));
    if (run->run_stop.line > 0) {
        return (init_start || mls_str_equal(record->key, MLS_S("cache_clear"))) &&
               record->time_ms > run->run_stop.time_ms;
    }
    return init_start && run->run_start.line > 0 && record->time_ms > run->run_start.time_ms;
}

static mls_status mls_splitter_record(void *state, const mls_record *record)
{
    mls_splitter *splitter = state;
    if (!splitter->whole && !splitter->cut_seen && mls_starts_run(&splitter->current, record)) {
        mls_splitter_finish(splitter);
    }
    mls_run_record(&splitter->current, record);
    return splitter->failed ? MLS_ERROR_MEMORY : MLS_OK;
}

static mls_status mls_splitter_malformed(void *state, const mls_malformed *malformed)
{
    mls_splitter *splitter = state;
    mls_run_malformed(&splitter->current, malformed);
    return MLS_OK;
}

static void mls_splitter_cut(mls_splitter *splitter)
{
    if (!splitter->whole) {
        splitter->cut_seen = true;
        mls_splitter_finish(splitter);
    }
}

static mls_status mls_splitter_marker(void *state, const mls_marker *marker)
{
    mls_splitter *splitter = state;
    mls_run *run = &splitter->current;
    const mls_finding_place place = {.line = marker->line};
    const int length = marker->text.len < MLS_MARKER_QUOTED ? (int)marker->text.len : MLS_MARKER_QUOTED;
    switch (marker->kind) {
    case MLS_MARKER_TRIAL_BEGIN:
    case MLS_MARKER_EXPERIMENT_START:
        mls_splitter_cut(splitter);
        break;
    case MLS_MARKER_CANCELLED:
        mls_findings_add(&run->findings, MLS_FINDING_CANCELLED, place, "%.*s", length, marker->text.ptr);
        return MLS_OK;
    case MLS_MARKER_SRUN_ERROR:
        mls_findings_add(&run->findings, MLS_FINDING_TASK_FAILED, place, "%.*s", length, marker->text.ptr);
        return MLS_OK;
    default:
        break;
    }
    /* What is said before a trial holds for all that follow; what is said within it, for it first of all. */
    const bool kept = mls_job_marker(&splitter->job, marker) && mls_job_marker(&run->job, marker);
    return kept && !splitter->failed ? MLS_OK : MLS_ERROR_MEMORY;
}

static mls_status mls_splitter_end(void *state, const mls_log_totals *totals)
{
    mls_splitter *splitter = state;
    (void)totals;
    mls_splitter_finish(splitter);
    return splitter->failed ? MLS_ERROR_MEMORY : MLS_OK;
}

mls_sink mls_splitter_sink(mls_splitter *splitter)
{
    return (mls_sink){.state = splitter,
                      .record = mls_splitter_record,
                      .malformed = mls_splitter_malformed,
                      .marker = mls_splitter_marker,
                      .end = mls_splitter_end};
}

void mls_splitter_release(mls_splitter *splitter)
{
    for (size_t i = 0; i < splitter->count; i++) {
        mls_run_release(&splitter->runs[i]);
    }
    free(splitter->runs);
    mls_run_release(&splitter->current);
    mls_job_release(&splitter->job);
    *splitter = (mls_splitter){0};
}
