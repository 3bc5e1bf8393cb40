/* SPDX-License-Identifier: Apache-2.0 */
/* file.c - split a file into runs, and judge each. */
#include "run/file.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "log/prefix.h"

enum {
    HELD_BYTES_MAX = MLS_RECORD_LENGTH_MAX, /* total payload held back; with more, stop waiting for a run */
    EARLY_MAX = 256                         /* cache_clear records (of nodes) kept until their run is known */
};

static void end_hold(mls_run_cut *cut)
{
    cut->holding = cut->overlaps = false;
    cut->held_bytes = 0;
}

/* Begin a run.  With `named`, its submission_benchmark has come already. */
static void begin_next(mls_run_cut *cut, bool named)
{
    cut->begun = cut->started = cut->stopped = cut->next_named = false;
    cut->named = named;
    end_hold(cut);
}

/* Check whether a key names the submission.  Some benchmarks log these first in a run, others after cache_clear. */
static bool names_submission(mls_key key)
{
    switch (key) {
    case MLS_KEY_SUBMISSION_BENCHMARK:
    case MLS_KEY_SUBMISSION_ORG:
    case MLS_KEY_SUBMISSION_DIVISION:
    case MLS_KEY_SUBMISSION_STATUS:
    case MLS_KEY_SUBMISSION_PLATFORM:
    case MLS_KEY_SUBMISSION_ENTRY:
    case MLS_KEY_SUBMISSION_POC_NAME:
    case MLS_KEY_SUBMISSION_POC_EMAIL:
        return true;
    default:
        return false;
    }
}

/* Return the rank that logged a record, from the prefix of its line; -1 if there is none. */
static int32_t rank_of(const mls_record *record)
{
    char prefix[64];
    const mls_str text = record->prefix;
    const size_t len = text.len < sizeof prefix ? text.len : sizeof prefix - 1;
    memcpy(prefix, len > 0 ? text.ptr : "", len);
    prefix[len] = '\0';
    return mls_log_line_first_rank(prefix);
}

/* Return the run that a record after a run_stop belongs to.  If the run has not named its benchmark yet, it may do so
 * now: published logs of round 0.7 do. */
static mls_record_owner owner_after_stop(mls_run_cut *cut, const mls_record *record)
{
    const mls_key key = record->key_id;
    const bool later = record->time_ms > cut->stop_ms;
    /* A second run_start begins a run, unless another rank logged it. */
    if (key == MLS_KEY_RUN_START ? cut->holding && (later || (cut->started && rank_of(record) == cut->rank))
                                 : later && (key == MLS_KEY_CACHE_CLEAR || key == MLS_KEY_INIT_START)) {
        cut->late_ms = cut->overlaps || !later ? -(double)INFINITY : cut->stop_ms;
        return cut->holding ? MLS_OWNER_NEXT_AFTER_HELD : MLS_OWNER_NEXT_RUN;
    }
    const bool first = key == MLS_KEY_CACHE_CLEAR || key == MLS_KEY_INIT_START || (names_submission(key) && cut->named);
    cut->holding |= first;
    cut->overlaps |=
        first && !later && (key == MLS_KEY_INIT_START || (cut->started && record->time_ms > cut->start_ms));
    if (cut->holding && record->payload.len < HELD_BYTES_MAX - cut->held_bytes) {
        cut->held_bytes += record->payload.len;
        return MLS_OWNER_HELD;
    }
    end_hold(cut);
    return MLS_OWNER_SAME_RUN;
}

mls_record_owner mls_run_cut_record(mls_run_cut *cut, const mls_record *record)
{
    const mls_key key = record->key_id;
    mls_record_owner owner = MLS_OWNER_SAME_RUN;
    if (!cut->by_lines && cut->stopped) {
        owner = owner_after_stop(cut, record);
    } else if (!cut->by_lines && cut->started && record->time_ms > cut->start_ms) {
        owner = key == MLS_KEY_INIT_START                             ? MLS_OWNER_NEXT_AFTER_DEATH
                : key == MLS_KEY_CACHE_CLEAR || names_submission(key) ? MLS_OWNER_SAME_OR_NEXT_RUN
                                                                      : MLS_OWNER_SAME_RUN;
    }
    if (owner >= MLS_OWNER_NEXT_RUN)
        begin_next(cut, owner != MLS_OWNER_NEXT_RUN && cut->next_named);
    cut->begun |= key == MLS_KEY_INIT_START || key == MLS_KEY_RUN_START || key == MLS_KEY_RUN_STOP;
    if (key == MLS_KEY_SUBMISSION_BENCHMARK) {
        cut->next_named |= owner == MLS_OWNER_HELD || owner == MLS_OWNER_SAME_OR_NEXT_RUN;
        cut->named |= !cut->stopped;
    } else if (key == MLS_KEY_RUN_START && !cut->started) {
        cut->started = true;
        cut->start_ms = record->time_ms;
        cut->rank = rank_of(record);
    } else if (key == MLS_KEY_RUN_STOP && !cut->stopped) {
        cut->stopped = true;
        cut->stop_ms = record->time_ms;
    }
    return owner;
}

bool mls_run_cut_marker(mls_run_cut *cut, mls_marker_kind kind)
{
    const bool starts = kind == MLS_MARKER_TRIAL_BEGIN || kind == MLS_MARKER_EXPERIMENT_START;
    const bool cuts = starts && (cut->by_lines || cut->begun);
    cut->by_lines |= starts;
    if (cuts)
        begin_next(cut, false);
    return cuts;
}

static void begin_run(mls_file *file)
{
    file->current.judged = file->checker != NULL;
    file->current.brief = file->reading->brief;
}

void mls_notes_release(const mls_observer *observer, void **notes)
{
    if (*notes != NULL && observer->release != NULL)
        observer->release(*notes);
    free(*notes);
    *notes = NULL;
}

static mls_status hand_over(mls_file *file, bool part)
{
    if (!file->has_pending)
        return MLS_OK;
    file->has_pending = false;
    file->count++;
    file->pending.part = part;
    const mls_status status = file->run(file->state, &file->pending, &file->pending_notes);
    mls_run_release(&file->pending);
    mls_notes_release(file->reading->observer, &file->pending_notes);
    return status;
}

/* End the current run.  Discard it if it is empty, unless the file has no other runs and must have one. */
static mls_status finish(mls_file *file, bool last)
{
    mls_status status = MLS_OK;
    const bool only = last && file->always_run && file->count == 0 && !file->has_pending;
    if (file->current.records + file->current.malformed > 0 || only) {
        status = hand_over(file, true);
        status = status == MLS_OK ? mls_run_finish(&file->current, file->checker, file->reading->steps) : status;
        if (status == MLS_OK) {
            mls_job_inherit(&file->current.job, &file->job);
            file->pending = file->current;
            file->pending_notes = file->current_notes;
            file->has_pending = true;
            file->current_notes = NULL;
            mls_run_init(&file->current);
        }
    }
    mls_run_release(&file->current);
    mls_notes_release(file->reading->observer, &file->current_notes);
    begin_run(file);
    if (file->checker != NULL)
        mls_checker_reset(file->checker);
    return status;
}

static mls_status pass_record(void *state, const mls_record *record)
{
    mls_file *file = state;
    const mls_observer *observer = file->reading->observer;
    const bool late = record->key_id == MLS_KEY_RUN_STOP || !(record->time_ms > file->cut.late_ms);
    mls_status status = MLS_OK;
    if (file->replayed == (late ? MLS_REPLAY_NEXT : MLS_REPLAY_LATE))
        return MLS_OK;
    mls_run_record(&file->current, record);
    if (observer != NULL) {
        file->current_notes = file->current_notes != NULL ? file->current_notes : mls_calloc(1, observer->size);
        status = observer->record(file->current_notes, record);
    }
    return status == MLS_OK && file->checker != NULL ? mls_checker_record(file->checker, record) : status;
}

static mls_status pass_malformed(void *state, const mls_malformed *malformed)
{
    mls_file *file = state;
    if (file->replayed == MLS_REPLAY_LATE)
        return MLS_OK;
    mls_run_malformed(&file->current, malformed);
    if (file->checker != NULL)
        mls_checker_malformed(file->checker, malformed);
    return MLS_OK;
}

/* Pass records held back to the current run: all, or after MLS_OWNER_NEXT_AFTER_HELD those of the run that has ended,
 * or the others. */
static mls_status replay(mls_file *file, const mls_kept_records *kept, mls_replayed replayed)
{
    const mls_sink sink = {.state = file, .record = pass_record, .malformed = pass_malformed};
    file->replayed = replayed;
    const mls_status status = mls_records_replay(kept, &sink);
    file->replayed = MLS_REPLAY_ALL;
    return status;
}

/* Pass everything held back to the current run. */
static mls_status pass_held(mls_file *file)
{
    const mls_status status = replay(file, &file->held, MLS_REPLAY_ALL);
    mls_records_forget(&file->held);
    return status;
}

static mls_status file_record(void *state, const mls_record *record)
{
    mls_file *file = state;
    const mls_record_owner owner = file->whole ? MLS_OWNER_SAME_RUN : mls_run_cut_record(&file->cut, record);
    mls_status status = MLS_OK;
    switch (owner) {
    case MLS_OWNER_HELD:
        mls_records_keep(&file->held, record);
        return MLS_OK;
    case MLS_OWNER_SAME_RUN:
        status = file->held.count > 0 ? pass_held(file) : MLS_OK;
        break;
    case MLS_OWNER_SAME_OR_NEXT_RUN:
        if (file->early.count < EARLY_MAX)
            mls_records_keep(&file->early, record);
        break;
    case MLS_OWNER_NEXT_RUN:
        status = finish(file, false);
        break;
    case MLS_OWNER_NEXT_AFTER_HELD:
        status = replay(file, &file->held, MLS_REPLAY_LATE);
        status = status == MLS_OK ? finish(file, false) : status;
        status = status == MLS_OK ? replay(file, &file->held, MLS_REPLAY_NEXT) : status;
        mls_records_forget(&file->held);
        break;
    case MLS_OWNER_NEXT_AFTER_DEATH:
        status = finish(file, false);
        status = status == MLS_OK ? replay(file, &file->early, MLS_REPLAY_ALL) : status;
        break;
    }
    if (owner >= MLS_OWNER_NEXT_RUN)
        mls_records_forget(&file->early);
    return status == MLS_OK ? pass_record(file, record) : status;
}

static mls_status file_malformed(void *state, const mls_malformed *malformed)
{
    mls_file *file = state;
    if (!file->cut.holding || file->held.bytes.len >= MLS_RECORD_LENGTH_MAX)
        return pass_malformed(file, malformed);
    mls_records_keep_malformed(&file->held, malformed);
    return MLS_OK;
}

/* Process a marker line.  Before a trial it applies to all following runs; within a trial, first of all to that one. */
static mls_status file_marker(void *state, const mls_marker *marker)
{
    mls_file *file = state;
    mls_status status = MLS_OK;
    if (!file->whole && mls_run_cut_marker(&file->cut, marker->kind)) {
        mls_records_forget(&file->early);
        status = pass_held(file);
        status = status == MLS_OK ? finish(file, false) : status;
    }
    mls_job_marker(&file->job, marker);
    mls_job_marker(&file->current.job, marker);
    return status;
}

static mls_status file_end(void *state, const mls_log_totals *totals)
{
    mls_file *file = state;
    file->always_run &= !file->not_json || !totals->json;
    file->always_run &= !totals->old_format || file->reading->cutting == MLS_CUT_NEVER;
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
    mls_notes_release(file->reading->observer, &file->current_notes);
    mls_notes_release(file->reading->observer, &file->pending_notes);
    mls_job_release(&file->job);
    mls_records_release(&file->early);
    mls_records_release(&file->held);
}
