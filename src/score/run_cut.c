/* SPDX-License-Identifier: Apache-2.0 */
/* run_cut.c - where in a file a new run begins. */
#include "score/run_cut.h"

static void begin_next(mls_run_cut *cut)
{
    cut->started = cut->stopped = false;
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

/* Which run an init_start (`init`), a cache_clear or a submission_* belongs to: a new one may begin with it. */
static mls_record_owner record_owner(const mls_run_cut *cut, bool init, double time_ms)
{
    if (cut->by_lines) {
        return MLS_OWNER_SAME_RUN;
    }
    if (cut->stopped) {
        return time_ms > cut->stop_ms ? MLS_OWNER_NEXT_RUN : MLS_OWNER_SAME_RUN;
    }
    if (!cut->started || !(time_ms > cut->start_ms)) {
        return MLS_OWNER_SAME_RUN;
    }
    return init ? MLS_OWNER_NEXT_AFTER_DEATH : MLS_OWNER_SAME_OR_NEXT_RUN;
}

mls_record_owner mls_run_cut_record(mls_run_cut *cut, mls_key key, double time_ms)
{
    mls_record_owner owner = MLS_OWNER_SAME_RUN;
    if (key == MLS_KEY_RUN_START && !cut->started) {
        cut->started = true;
        cut->start_ms = time_ms;
    } else if (key == MLS_KEY_RUN_STOP && !cut->stopped) {
        cut->stopped = true;
        cut->stop_ms = time_ms;
    } else if (key == MLS_KEY_INIT_START || key == MLS_KEY_CACHE_CLEAR || names_submission(key)) {
        owner = record_owner(cut, key == MLS_KEY_INIT_START, time_ms);
    }
    if (owner >= MLS_OWNER_NEXT_RUN) {
        begin_next(cut);
    }
    return owner;
}

bool mls_run_cut_marker(mls_run_cut *cut, mls_marker_kind kind)
{
    const bool starts = kind == MLS_MARKER_TRIAL_BEGIN || kind == MLS_MARKER_EXPERIMENT_START;
    if (starts) {
        cut->by_lines = true;
        begin_next(cut);
    }
    return starts;
}
