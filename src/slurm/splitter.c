/* SPDX-License-Identifier: Apache-2.0 */
#include "slurm/splitter.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "slurm/job.h"

/* How much of a line from Slurm is quoted in a finding. */
enum { MLS_MARKER_QUOTED = 300 };

static void mls_splitter_begin(mls_splitter *splitter)
{
    mls_run_init(&splitter->current);
    splitter->current.judged = splitter->checker != NULL;
}

void mls_splitter_init(mls_splitter *splitter, bool whole, mls_checker *checker)
{
    *splitter = (mls_splitter){.cutter = {.whole = whole}, .checker = checker};
    mls_splitter_begin(splitter);
    mls_job_init(&splitter->job);
}

/* The first failure stays. */
static mls_status mls_splitter_note(mls_splitter *splitter, mls_status status)
{
    splitter->status = splitter->status != MLS_OK ? splitter->status : status;
    return splitter->status;
}

/* The checker's verdict on the current run; the checker is ready for the next one then. */
static void mls_splitter_judge(mls_splitter *splitter)
{
    if (splitter->checker == NULL) {
        mls_run_finish(&splitter->current, NULL);
    } else if (mls_splitter_note(splitter, mls_checker_end(splitter->checker)) == MLS_OK) {
        const mls_verdict verdict = mls_checker_verdict(splitter->checker);
        mls_run_finish(&splitter->current, &verdict);
    }
}

/* The current run ends here.  What was not even begun is dropped, unless the file counts as a run whatever it holds. */
static void mls_splitter_finish(mls_splitter *splitter)
{
    mls_run *run = &splitter->current;
    if (mls_run_exists(run) || splitter->cutter.whole) {
        mls_splitter_judge(splitter);
        run->out_of_memory |= !mls_job_inherit(&run->job, &splitter->job);
        if (run->out_of_memory || !MLS_GROW(splitter, runs)) {
            (void)mls_splitter_note(splitter, MLS_ERROR_MEMORY);
        } else {
            splitter->runs[splitter->count++] = *run;
            mls_run_init(run);
        }
    }
    mls_run_release(run);
    if (splitter->checker != NULL) {
        mls_checker_reset(splitter->checker, NULL);
    }
    mls_splitter_begin(splitter);
}

static void mls_splitter_take(mls_splitter *splitter, const mls_record *record)
{
    mls_run_record(&splitter->current, record);
    if (splitter->checker != NULL) {
        (void)mls_splitter_note(splitter, mls_checker_record(splitter->checker, record));
    }
}

static mls_status mls_splitter_record(void *state, const mls_record *record)
{
    mls_splitter *splitter = state;
    if (mls_cutter_record(&splitter->cutter, record)) {
        mls_record early;
        mls_splitter_finish(splitter);
        for (size_t i = 0; mls_cutter_recall(&splitter->cutter, i, &early); i++) {
            mls_splitter_take(splitter, &early);
        }
    }
    mls_splitter_take(splitter, record);
    return mls_splitter_note(splitter, splitter->cutter.out_of_memory ? MLS_ERROR_MEMORY : MLS_OK);
}

static mls_status mls_splitter_malformed(void *state, const mls_malformed *malformed)
{
    mls_splitter *splitter = state;
    mls_run_malformed(&splitter->current, malformed);
    if (splitter->checker != NULL) {
        (void)mls_splitter_note(splitter, mls_checker_malformed(splitter->checker, malformed));
    }
    return splitter->status;
}

static mls_status mls_splitter_marker(void *state, const mls_marker *marker)
{
    mls_splitter *splitter = state;
    mls_run *run = &splitter->current;
    const mls_finding_place place = {.line = marker->line};
    const int length = marker->text.len < MLS_MARKER_QUOTED ? (int)marker->text.len : MLS_MARKER_QUOTED;
    if (mls_cutter_marker(&splitter->cutter, marker)) {
        mls_splitter_finish(splitter);
    }
    switch (marker->kind) {
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
    return mls_splitter_note(splitter, kept ? MLS_OK : MLS_ERROR_MEMORY);
}

static mls_status mls_splitter_end(void *state, const mls_log_totals *totals)
{
    mls_splitter *splitter = state;
    (void)totals;
    mls_splitter_finish(splitter);
    return splitter->status;
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
    mls_cutter_release(&splitter->cutter);
    *splitter = (mls_splitter){0};
}
