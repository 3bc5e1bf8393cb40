/* SPDX-License-Identifier: Apache-2.0 */
/* run_cut.c - where in a file a new run begins. */
#include "run/run_cut.h"

#include <math.h>

#include "log/prefix.h"

/* Payloads that are held back; with more of them no run is waited for. */
enum { HELD_BYTES_MAX = MLS_RECORD_LENGTH_MAX };

static void end_hold(mls_run_cut *cut)
{
    cut->holding = cut->overlaps = false;
    cut->held_bytes = 0;
}

/* Begin a run; `named`: its submission_benchmark has come already. */
static void begin_next(mls_run_cut *cut, bool named)
{
    cut->begun = cut->started = cut->stopped = cut->next_named = false;
    cut->named = named;
    end_hold(cut);
}

/* What some benchmarks log before anything else of a run, others after the cache was cleared. */
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

/* The rank that logged a record, by the prefix of its line; -1: it has none. */
static int32_t rank_of(const mls_record *record)
{
    char prefix[64];
    const mls_str text = record->prefix;
    const size_t len = text.len < sizeof prefix ? text.len : sizeof prefix - 1;
    memcpy(prefix, len > 0 ? text.ptr : "", len);
    prefix[len] = '\0';
    return mls_log_line_first_rank(prefix);
}

/* Whether a record behind a run_stop begins a run.  A second run_start does, unless another rank logged it. */
static bool begins_after_stop(const mls_run_cut *cut, const mls_record *record)
{
    const bool later = record->time_ms > cut->stop_ms;
    switch (record->key_id) {
    case MLS_KEY_CACHE_CLEAR:
    case MLS_KEY_INIT_START:
        return later;
    case MLS_KEY_RUN_START:
        return cut->holding && (later || (cut->started && rank_of(record) == cut->rank));
    default:
        return false;
    }
}

/* A run that has not named its benchmark before its run_stop does so behind it, as published logs of round 0.7 do. */
static mls_record_owner owner_after_stop(mls_run_cut *cut, const mls_record *record)
{
    const mls_key key = record->key_id;
    const bool first = key == MLS_KEY_CACHE_CLEAR || key == MLS_KEY_INIT_START || (names_submission(key) && cut->named);
    if (begins_after_stop(cut, record)) {
        cut->late_ms = cut->overlaps || record->time_ms <= cut->stop_ms ? -(double)INFINITY : cut->stop_ms;
        return cut->holding ? MLS_OWNER_NEXT_AFTER_HELD : MLS_OWNER_NEXT_RUN;
    }
    cut->holding |= first;
    cut->overlaps |= first && record->time_ms <= cut->stop_ms &&
                     (key == MLS_KEY_INIT_START || (cut->started && record->time_ms > cut->start_ms));
    if (cut->holding && record->payload.len < HELD_BYTES_MAX - cut->held_bytes) {
        cut->held_bytes += record->payload.len;
        return MLS_OWNER_HELD;
    }
    end_hold(cut);
    return MLS_OWNER_SAME_RUN;
}

/* Which run a record belongs to while the last one has no run_stop. */
static mls_record_owner owner_before_stop(const mls_run_cut *cut, const mls_record *record)
{
    const bool init = record->key_id == MLS_KEY_INIT_START;
    if ((!init && record->key_id != MLS_KEY_CACHE_CLEAR && !names_submission(record->key_id)) || !cut->started ||
        !(record->time_ms > cut->start_ms)) {
        return MLS_OWNER_SAME_RUN;
    }
    return init ? MLS_OWNER_NEXT_AFTER_DEATH : MLS_OWNER_SAME_OR_NEXT_RUN;
}

mls_record_owner mls_run_cut_record(mls_run_cut *cut, const mls_record *record)
{
    const mls_record_owner owner = cut->by_lines  ? MLS_OWNER_SAME_RUN
                                   : cut->stopped ? owner_after_stop(cut, record)
                                                  : owner_before_stop(cut, record);
    if (owner >= MLS_OWNER_NEXT_RUN) {
        begin_next(cut, owner != MLS_OWNER_NEXT_RUN && cut->next_named);
    }
    cut->begun |= record->key_id == MLS_KEY_INIT_START || record->key_id == MLS_KEY_RUN_START ||
                  record->key_id == MLS_KEY_RUN_STOP;
    if (record->key_id == MLS_KEY_SUBMISSION_BENCHMARK) {
        cut->next_named |= owner == MLS_OWNER_HELD || owner == MLS_OWNER_SAME_OR_NEXT_RUN;
        cut->named |= !cut->stopped;
    } else if (record->key_id == MLS_KEY_RUN_START && !cut->started) {
        cut->started = true;
        cut->start_ms = record->time_ms;
        cut->rank = rank_of(record);
    } else if (record->key_id == MLS_KEY_RUN_STOP && !cut->stopped) {
        cut->stopped = true;
        cut->stop_ms = record->time_ms;
    }
    return owner;
}

bool mls_run_cut_is_late(const mls_run_cut *cut, const mls_record *record)
{
    return record->key_id == MLS_KEY_RUN_STOP || !(record->time_ms > cut->late_ms);
}

bool mls_run_cut_marker(mls_run_cut *cut, mls_marker_kind kind)
{
    const bool starts = kind == MLS_MARKER_TRIAL_BEGIN || kind == MLS_MARKER_EXPERIMENT_START;
    const bool cuts = starts && (cut->by_lines || cut->begun);
    cut->by_lines |= starts;
    if (cuts) {
        begin_next(cut, false);
    }
    return cuts;
}
