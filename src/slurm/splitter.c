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
    *splitter = (mls_splitter){.whole = whole, .checker = checker};
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
    if (mls_run_exists(run) || splitter->whole) {
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

static bool mls_starts_run(const mls_run *run, const mls_record *record)
{
    const bool init_start = mls_str_equal(record->key, MLS_S("init_start"));
    if (run->run_stop.line > 0) {
        return (init_start || mls_str_equal(record->key, MLS_S("cache_clear"))) &&
               record->time_ms > run->run_stop.time_ms;
    }
    return init_start && run->run_start.line > 0 && record->time_ms > run->run_start.time_ms;
}

static void mls_splitter_take(mls_splitter *splitter, const mls_record *record)
{
    mls_run_record(&splitter->current, record);
    if (splitter->checker != NULL) {
        (void)mls_splitter_note(splitter, mls_checker_record(splitter->checker, record));
    }
}

/*
 * A cache_clear that comes while a run seems to be training may be the first
 * word of the next one, if this one died: only the init_start that follows it
 * tells.  Until then a copy is kept.
 */
static void mls_splitter_remember(mls_splitter *splitter, const mls_record *record)
{
    const mls_run *run = &splitter->current;
    if (splitter->early_count == MLS_SPLITTER_EARLY_MAX || run->run_start.line == 0 || run->run_stop.line > 0 ||
        record->time_ms <= run->run_start.time_ms || !mls_str_equal(record->key, MLS_S("cache_clear"))) {
        return;
    }
    const mls_str payload = mls_arena_copy(&splitter->early_text, record->payload);
    if (payload.ptr == NULL) {
        (void)mls_splitter_note(splitter, MLS_ERROR_MEMORY);
    } else {
        splitter->early[splitter->early_count++] = (mls_early_record){payload, record->line, record->column};
    }
}

/* The run before has died, and what it was thought to have logged last belongs to the one that begins. */
static void mls_splitter_recall(mls_splitter *splitter)
{
    for (size_t i = 0; i < splitter->early_count; i++) {
        mls_record record = {.line = splitter->early[i].line, .column = splitter->early[i].column};
        size_t where;
        if (mls_record_validate(splitter->early[i].payload, &record, &splitter->early_text, &where) == NULL) {
            mls_splitter_take(splitter, &record);
        } else {
            (void)mls_splitter_note(splitter, MLS_ERROR_MEMORY); /* it was valid before: nothing else can fail */
        }
    }
}

static mls_status mls_splitter_record(void *state, const mls_record *record)
{
    mls_splitter *splitter = state;
    if (!splitter->whole && !splitter->cut_seen) {
        const bool died = splitter->current.run_stop.line == 0;
        if (mls_starts_run(&splitter->current, record)) {
            mls_splitter_finish(splitter);
            if (died) {
                mls_splitter_recall(splitter);
            }
            splitter->early_count = 0;
            mls_arena_reset(&splitter->early_text);
        } else {
            mls_splitter_remember(splitter, record);
        }
    }
    mls_splitter_take(splitter, record);
    return splitter->status;
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
    mls_arena_release(&splitter->early_text);
    *splitter = (mls_splitter){0};
}
