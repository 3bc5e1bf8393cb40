/* SPDX-License-Identifier: Apache-2.0 */
/* splitter.c - split a log into runs. */
#include "run/splitter.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "log/prefix.h"

enum {
    /* Maximum size of the payloads held back in bytes; if there are more, they are assigned to the current run. */
    HELD_BYTES_MAX = MLS_RECORD_LENGTH_MAX,
    /* Maximum number of records kept in case that they belong to the next run, such as the cache_clear of each node. */
    EARLY_MAX = 256
};

static void end_hold(mls_run_boundary *boundary)
{
    boundary->holding = boundary->overlaps = false;
    boundary->held_bytes = 0;
}

/* Reset the boundary for a new run.  `named`: the submission_benchmark of the new run was already read. */
static void begin_next(mls_run_boundary *boundary, bool named)
{
    boundary->begun = boundary->started = boundary->stopped = boundary->next_named = false;
    boundary->named = named;
    end_hold(boundary);
}

/* Check whether a key describes the submission.  Some benchmarks log these keys at the start of a run, others after
 * cache_clear. */
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

/* Return the rank that logged a record, from the prefix of its line; -1 if the line has no prefix with a rank. */
static int32_t rank_of(const mls_record *record)
{
    char prefix[64];
    const mls_str text = record->prefix;
    const size_t len = text.len < sizeof prefix ? text.len : sizeof prefix - 1;
    memcpy(prefix, len > 0 ? text.ptr : "", len);
    prefix[len] = '\0';
    return mls_log_line_first_rank(prefix);
}

/* Determine the run to which a record after a run_stop belongs.  A submission_… after the run_stop belongs to the same
 * run if the run has not logged its benchmark yet, as in published logs of round 0.7. */
static mls_record_owner owner_after_stop(mls_run_boundary *boundary, const mls_record *record)
{
    const mls_key key = record->key_id;
    const bool later = record->time_ms > boundary->stop_ms;
    /* A second run_start begins a run, unless another rank logged it. */
    if (key == MLS_KEY_RUN_START
            ? boundary->holding && (later || (boundary->started && rank_of(record) == boundary->rank))
            : later && (key == MLS_KEY_CACHE_CLEAR || key == MLS_KEY_INIT_START)) {
        boundary->late_ms = boundary->overlaps || !later ? -(double)INFINITY : boundary->stop_ms;
        return boundary->holding ? MLS_OWNER_NEXT_AFTER_HELD : MLS_OWNER_NEXT_RUN;
    }
    const bool first =
        key == MLS_KEY_CACHE_CLEAR || key == MLS_KEY_INIT_START || (names_submission(key) && boundary->named);
    boundary->holding |= first;
    boundary->overlaps |=
        first && !later && (key == MLS_KEY_INIT_START || (boundary->started && record->time_ms > boundary->start_ms));
    if (boundary->holding && record->payload.len < HELD_BYTES_MAX - boundary->held_bytes) {
        boundary->held_bytes += record->payload.len;
        return MLS_OWNER_HELD;
    }
    end_hold(boundary);
    return MLS_OWNER_SAME_RUN;
}

mls_record_owner mls_run_boundary_record(mls_run_boundary *boundary, const mls_record *record)
{
    const mls_key key = record->key_id;
    mls_record_owner owner = MLS_OWNER_SAME_RUN;
    if (!boundary->by_lines && boundary->stopped) {
        owner = owner_after_stop(boundary, record);
    } else if (!boundary->by_lines && boundary->started && record->time_ms > boundary->start_ms) {
        owner = key == MLS_KEY_INIT_START                             ? MLS_OWNER_NEXT_AFTER_DEATH
                : key == MLS_KEY_CACHE_CLEAR || names_submission(key) ? MLS_OWNER_SAME_OR_NEXT_RUN
                                                                      : MLS_OWNER_SAME_RUN;
    }
    if (owner >= MLS_OWNER_NEXT_RUN)
        begin_next(boundary, owner != MLS_OWNER_NEXT_RUN && boundary->next_named);
    boundary->begun |= key == MLS_KEY_INIT_START || key == MLS_KEY_RUN_START || key == MLS_KEY_RUN_STOP;
    if (key == MLS_KEY_SUBMISSION_BENCHMARK) {
        boundary->next_named |= owner == MLS_OWNER_HELD || owner == MLS_OWNER_SAME_OR_NEXT_RUN;
        boundary->named |= !boundary->stopped;
    } else if (key == MLS_KEY_RUN_START && !boundary->started) {
        boundary->started = true;
        boundary->start_ms = record->time_ms;
        boundary->rank = rank_of(record);
    } else if (key == MLS_KEY_RUN_STOP && !boundary->stopped) {
        boundary->stopped = true;
        boundary->stop_ms = record->time_ms;
    }
    return owner;
}

bool mls_run_boundary_marker(mls_run_boundary *boundary, mls_marker_kind kind)
{
    const bool starts = kind == MLS_MARKER_TRIAL_BEGIN || kind == MLS_MARKER_EXPERIMENT_START;
    const bool cuts = starts && (boundary->by_lines || boundary->begun);
    boundary->by_lines |= starts;
    if (cuts)
        begin_next(boundary, false);
    return cuts;
}

static void begin_run(mls_run_splitter *splitter)
{
    splitter->current.judged = splitter->checker != NULL;
    splitter->current.brief = splitter->reading->brief;
}

void mls_notes_release(const mls_observer *observer, void **notes)
{
    if (*notes != NULL && observer->release != NULL)
        observer->release(*notes);
    free(*notes);
    *notes = NULL;
}

static mls_status hand_over(mls_run_splitter *splitter, bool part)
{
    if (!splitter->has_pending)
        return MLS_OK;
    splitter->has_pending = false;
    splitter->count++;
    splitter->pending.part = part;
    const mls_status status = splitter->run(splitter->state, &splitter->pending, &splitter->pending_notes);
    mls_run_release(&splitter->pending);
    mls_notes_release(splitter->reading->observer, &splitter->pending_notes);
    return status;
}

/* End the current run.  Discard it if it is empty, unless it is the only run of a file that must have one. */
static mls_status finish(mls_run_splitter *splitter, bool last)
{
    mls_status status = MLS_OK;
    const bool only = last && splitter->always_run && splitter->count == 0 && !splitter->has_pending;
    if (splitter->current.records + splitter->current.malformed > 0 || only) {
        status = hand_over(splitter, true);
        status =
            status == MLS_OK ? mls_run_finish(&splitter->current, splitter->checker, splitter->reading->steps) : status;
        if (status == MLS_OK) {
            mls_job_inherit(&splitter->current.job, &splitter->job);
            splitter->pending = splitter->current;
            splitter->pending_notes = splitter->current_notes;
            splitter->has_pending = true;
            splitter->current_notes = NULL;
            mls_run_init(&splitter->current);
        }
    }
    mls_run_release(&splitter->current);
    mls_notes_release(splitter->reading->observer, &splitter->current_notes);
    begin_run(splitter);
    if (splitter->checker != NULL)
        mls_checker_reset(splitter->checker);
    return status;
}

static mls_status pass_record(void *state, const mls_record *record)
{
    mls_run_splitter *splitter = state;
    const mls_observer *observer = splitter->reading->observer;
    const bool late = record->key_id == MLS_KEY_RUN_STOP || !(record->time_ms > splitter->boundary.late_ms);
    mls_status status = MLS_OK;
    if (splitter->replayed == (late ? MLS_REPLAY_NEXT : MLS_REPLAY_LATE))
        return MLS_OK;
    mls_run_record(&splitter->current, record);
    if (observer != NULL) {
        splitter->current_notes =
            splitter->current_notes != NULL ? splitter->current_notes : mls_calloc(1, observer->size);
        status = observer->record(splitter->current_notes, record);
    }
    return status == MLS_OK && splitter->checker != NULL ? mls_checker_record(splitter->checker, record) : status;
}

static mls_status pass_malformed(void *state, const mls_malformed *malformed)
{
    mls_run_splitter *splitter = state;
    if (splitter->replayed == MLS_REPLAY_LATE)
        return MLS_OK;
    mls_run_malformed(&splitter->current, malformed);
    if (splitter->checker != NULL)
        mls_checker_malformed(splitter->checker, malformed);
    return MLS_OK;
}

/* Pass records that were held back to the current run: all of them; or, after MLS_OWNER_NEXT_AFTER_HELD, either the
 * late records of the run that has ended, or all others. */
static mls_status replay(mls_run_splitter *splitter, const mls_kept_records *kept, mls_replayed replayed)
{
    const mls_sink sink = {.state = splitter, .record = pass_record, .malformed = pass_malformed};
    splitter->replayed = replayed;
    const mls_status status = mls_records_replay(kept, &sink);
    splitter->replayed = MLS_REPLAY_ALL;
    return status;
}

/* Pass all records and malformed lines that were held back to the current run. */
static mls_status pass_held(mls_run_splitter *splitter)
{
    const mls_status status = replay(splitter, &splitter->held, MLS_REPLAY_ALL);
    mls_records_forget(&splitter->held);
    return status;
}

static mls_status take_record(void *state, const mls_record *record)
{
    mls_run_splitter *splitter = state;
    const mls_record_owner owner =
        splitter->whole ? MLS_OWNER_SAME_RUN : mls_run_boundary_record(&splitter->boundary, record);
    mls_status status = MLS_OK;
    switch (owner) {
    case MLS_OWNER_HELD:
        mls_records_keep(&splitter->held, record);
        return MLS_OK;
    case MLS_OWNER_SAME_RUN:
        status = splitter->held.count > 0 ? pass_held(splitter) : MLS_OK;
        break;
    case MLS_OWNER_SAME_OR_NEXT_RUN:
        if (splitter->early.count < EARLY_MAX)
            mls_records_keep(&splitter->early, record);
        break;
    case MLS_OWNER_NEXT_RUN:
        status = finish(splitter, false);
        break;
    case MLS_OWNER_NEXT_AFTER_HELD:
        status = replay(splitter, &splitter->held, MLS_REPLAY_LATE);
        status = status == MLS_OK ? finish(splitter, false) : status;
        status = status == MLS_OK ? replay(splitter, &splitter->held, MLS_REPLAY_NEXT) : status;
        mls_records_forget(&splitter->held);
        break;
    case MLS_OWNER_NEXT_AFTER_DEATH:
        status = finish(splitter, false);
        status = status == MLS_OK ? replay(splitter, &splitter->early, MLS_REPLAY_ALL) : status;
        break;
    }
    if (owner >= MLS_OWNER_NEXT_RUN)
        mls_records_forget(&splitter->early);
    return status == MLS_OK ? pass_record(splitter, record) : status;
}

static mls_status take_malformed(void *state, const mls_malformed *malformed)
{
    mls_run_splitter *splitter = state;
    if (!splitter->boundary.holding || splitter->held.bytes.len >= MLS_RECORD_LENGTH_MAX)
        return pass_malformed(splitter, malformed);
    mls_records_keep_malformed(&splitter->held, malformed);
    return MLS_OK;
}

/* Process a marker line.  The facts in it apply to the current run and to all following runs. */
static mls_status take_marker(void *state, const mls_marker *marker)
{
    mls_run_splitter *splitter = state;
    mls_status status = MLS_OK;
    if (!splitter->whole && mls_run_boundary_marker(&splitter->boundary, marker->kind)) {
        mls_records_forget(&splitter->early);
        status = pass_held(splitter);
        status = status == MLS_OK ? finish(splitter, false) : status;
    }
    mls_job_marker(&splitter->job, marker);
    mls_job_marker(&splitter->current.job, marker);
    return status;
}

static mls_status take_end(void *state, const mls_log_totals *totals)
{
    mls_run_splitter *splitter = state;
    splitter->always_run &= !splitter->not_json || !totals->json;
    splitter->always_run &= !totals->old_format || splitter->reading->cutting == MLS_CUT_NEVER;
    mls_status status = pass_held(splitter);
    status = status == MLS_OK ? finish(splitter, true) : status;
    return status == MLS_OK ? hand_over(splitter, splitter->count > 0) : status;
}

mls_sink mls_run_splitter_begin(mls_run_splitter *splitter)
{
    mls_run_init(&splitter->current);
    mls_run_init(&splitter->pending);
    mls_job_init(&splitter->job);
    begin_run(splitter);
    return (mls_sink){
        .state = splitter, .record = take_record, .malformed = take_malformed, .marker = take_marker, .end = take_end};
}

void mls_run_splitter_release(mls_run_splitter *splitter)
{
    mls_run_release(&splitter->current);
    mls_run_release(&splitter->pending);
    mls_notes_release(splitter->reading->observer, &splitter->current_notes);
    mls_notes_release(splitter->reading->observer, &splitter->pending_notes);
    mls_job_release(&splitter->job);
    mls_records_release(&splitter->early);
    mls_records_release(&splitter->held);
}
