/* SPDX-License-Identifier: Apache-2.0 */
/* file.c - cuts a file into runs and judges each. */
#include "run/file.h"

#include <stdlib.h>

#include "base/memory.h"

static void begin_run(mls_file *file)
{
    file->current.judged = file->checker != NULL;
    file->current.brief = file->reading->brief;
}

static mls_status hand_over(mls_file *file, bool part)
{
    if (!file->has_pending) {
        return MLS_OK;
    }
    file->has_pending = false;
    file->count++;
    const mls_status status = file->run(file->state, &file->pending, part);
    mls_run_release(&file->pending);
    return status;
}

/* The current run ends here.  What stands between the lines that start a run, and holds nothing, is no run; of a file
 * that is asked for there is always one. */
static mls_status finish(mls_file *file, bool last)
{
    mls_status status = MLS_OK;
    const bool only = last && file->asked_for && file->count == 0 && !file->has_pending;
    if (file->current.records + file->current.malformed > 0 || only) {
        status = hand_over(file, true);
        status = status == MLS_OK ? mls_run_finish(&file->current, file->checker, file->reading->steps) : status;
        if (status == MLS_OK && !mls_job_inherit(&file->current.job, &file->job)) {
            status = MLS_ERROR_MEMORY;
        }
        if (status == MLS_OK) {
            file->pending = file->current;
            file->has_pending = true;
            mls_run_init(&file->current);
        }
    }
    mls_run_release(&file->current);
    begin_run(file);
    if (file->checker != NULL) {
        mls_checker_reset(file->checker);
    }
    return status;
}

/* Notes on the current run are begun with its first record.  That memory ran out is reported when the run ends. */
static mls_status note_record(const mls_observer *observer, mls_run *run, const mls_record *record)
{
    if (run->notes == NULL) {
        run->notes = mls_calloc(1, observer->size);
        run->observer = observer;
        run->out_of_memory |= run->notes == NULL;
    }
    return run->notes != NULL ? observer->record(run->notes, record) : MLS_OK;
}

static mls_status pass_record(void *state, const mls_record *record)
{
    mls_file *file = state;
    const mls_observer *observer = file->reading->observer;
    mls_run_record(&file->current, record);
    const mls_status status = observer != NULL ? note_record(observer, &file->current, record) : MLS_OK;
    return status == MLS_OK && file->checker != NULL ? mls_checker_record(file->checker, record) : status;
}

static mls_status pass_malformed(void *state, const mls_malformed *malformed)
{
    mls_file *file = state;
    mls_run_malformed(&file->current, malformed);
    return file->checker != NULL ? mls_checker_malformed(file->checker, malformed) : MLS_OK;
}

static mls_status pass_late_record(void *state, const mls_record *record)
{
    const mls_file *file = state;
    return mls_run_cut_is_late(&file->cut, record) ? pass_record(state, record) : MLS_OK;
}

static mls_status pass_next_record(void *state, const mls_record *record)
{
    const mls_file *file = state;
    return mls_run_cut_is_late(&file->cut, record) ? MLS_OK : pass_record(state, record);
}

/* Nothing that is held back is of another run than the current one. */
static mls_status pass_held(mls_file *file)
{
    const mls_sink all = {.state = file, .record = pass_record, .malformed = pass_malformed};
    const mls_status status = mls_records_replay(&file->held, &all);
    mls_records_forget(&file->held);
    return status;
}

/* Ends the current run; the next one begins with what was held back, but for what came late. */
static mls_status finish_before_held(mls_file *file)
{
    const mls_sink late = {.state = file, .record = pass_late_record};
    const mls_sink next = {.state = file, .record = pass_next_record, .malformed = pass_malformed};
    mls_status status = mls_records_replay(&file->held, &late);
    status = status == MLS_OK ? finish(file, false) : status;
    status = status == MLS_OK ? mls_records_replay(&file->held, &next) : status;
    mls_records_forget(&file->held);
    return status;
}

static mls_status file_record(void *state, const mls_record *record)
{
    mls_file *file = state;
    const mls_sink both = {.state = file, .record = pass_record};
    const mls_record_owner owner = file->whole ? MLS_OWNER_SAME_RUN : mls_run_cut_record(&file->cut, record);
    mls_status status = MLS_OK;
    switch (owner) {
    case MLS_OWNER_HELD:
        return mls_records_keep(&file->held, record) ? MLS_OK : MLS_ERROR_MEMORY;
    case MLS_OWNER_SAME_RUN:
        status = file->held.count > 0 ? pass_held(file) : MLS_OK;
        break;
    case MLS_OWNER_SAME_OR_NEXT_RUN:
        if (file->early.count < MLS_EARLY_MAX) {
            status = mls_records_keep(&file->early, record) ? MLS_OK : MLS_ERROR_MEMORY;
        }
        break;
    case MLS_OWNER_NEXT_RUN:
        status = finish(file, false);
        break;
    case MLS_OWNER_NEXT_AFTER_HELD:
        status = finish_before_held(file);
        break;
    case MLS_OWNER_NEXT_AFTER_DEATH:
        status = finish(file, false);
        status = status == MLS_OK ? mls_records_replay(&file->early, &both) : status;
        break;
    }
    if (owner >= MLS_OWNER_NEXT_RUN) {
        mls_records_forget(&file->early);
    }
    return status == MLS_OK ? pass_record(file, record) : status;
}

static mls_status file_malformed(void *state, const mls_malformed *malformed)
{
    mls_file *file = state;
    if (file->cut.holding && file->held.bytes.len < MLS_RECORD_LENGTH_MAX) {
        return mls_records_keep_malformed(&file->held, malformed) ? MLS_OK : MLS_ERROR_MEMORY;
    }
    return pass_malformed(file, malformed);
}

/* A marker before a trial holds for all that follow; one within it, for it first of all. */
static mls_status file_marker(void *state, const mls_marker *marker)
{
    mls_file *file = state;
    mls_status status = MLS_OK;
    if (!file->whole && mls_run_cut_marker(&file->cut, marker->kind)) {
        mls_records_forget(&file->early);
        status = pass_held(file);
        status = status == MLS_OK ? finish(file, false) : status;
    }
    if (status == MLS_OK && (!mls_job_marker(&file->job, marker) || !mls_job_marker(&file->current.job, marker))) {
        status = MLS_ERROR_MEMORY;
    }
    return status;
}

static mls_status file_end(void *state, const mls_log_totals *totals)
{
    mls_file *file = state;
    file->asked_for &= !file->not_json || !totals->json;
    file->asked_for &= !totals->old_format || file->reading->cutting == MLS_CUT_NEVER;
    mls_status status = pass_held(file);
    status = status == MLS_OK ? finish(file, true) : status;
    return status == MLS_OK ? hand_over(file, file->count > 0) : status;
}

mls_sink mls_file_begin(mls_file *file)
{
    mls_run_init(&file->current);
    mls_run_init(&file->pending);
    mls_job_init(&file->job);
    begin_run(file);
    return (mls_sink){
        .state = file, .record = file_record, .malformed = file_malformed, .marker = file_marker, .end = file_end};
}

void mls_file_release(mls_file *file)
{
    mls_run_release(&file->current);
    mls_run_release(&file->pending);
    mls_job_release(&file->job);
    mls_records_release(&file->early);
    mls_records_release(&file->held);
}
