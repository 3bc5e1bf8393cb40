/* SPDX-License-Identifier: Apache-2.0 */
#include "slurm/cutter.h"

typedef enum mls_cut_key {
    MLS_CUT_OTHER,
    MLS_CUT_CACHE_CLEAR,
    MLS_CUT_INIT_START,
    MLS_CUT_RUN_START,
    MLS_CUT_RUN_STOP
} mls_cut_key;

static mls_cut_key mls_cut_key_of(mls_str key)
{
    switch (key.len) {
    case 8:
        return mls_str_equal(key, MLS_S("run_stop")) ? MLS_CUT_RUN_STOP : MLS_CUT_OTHER;
    case 9:
        return mls_str_equal(key, MLS_S("run_start")) ? MLS_CUT_RUN_START : MLS_CUT_OTHER;
    case 10:
        return mls_str_equal(key, MLS_S("init_start")) ? MLS_CUT_INIT_START : MLS_CUT_OTHER;
    case 11:
        return mls_str_equal(key, MLS_S("cache_clear")) ? MLS_CUT_CACHE_CLEAR : MLS_CUT_OTHER;
    default:
        return MLS_CUT_OTHER;
    }
}

static void mls_cutter_begin(mls_cutter *cutter)
{
    *cutter = (mls_cutter){.whole = cutter->whole, .lines_seen = cutter->lines_seen};
}

static bool mls_starts_run(const mls_cutter *cutter, mls_cut_key key, double time_ms)
{
    if (cutter->stopped) {
        return (key == MLS_CUT_INIT_START || key == MLS_CUT_CACHE_CLEAR) && time_ms > cutter->stop_ms;
    }
    return key == MLS_CUT_INIT_START && cutter->started && time_ms > cutter->start_ms;
}

bool mls_cutter_record(mls_cutter *cutter, const mls_record *record)
{
    const mls_cut_key key = mls_cut_key_of(record->key);
    const bool cut = !cutter->whole && !cutter->lines_seen && mls_starts_run(cutter, key, record->time_ms);
    if (cut) {
        mls_cutter_begin(cutter);
    }
    if (key == MLS_CUT_RUN_START && !cutter->started) {
        cutter->started = true;
        cutter->start_ms = record->time_ms;
    } else if (key == MLS_CUT_RUN_STOP && !cutter->stopped) {
        cutter->stopped = true;
        cutter->stop_ms = record->time_ms;
    }
    return cut;
}

bool mls_cutter_marker(mls_cutter *cutter, const mls_marker *marker)
{
    if (cutter->whole || (marker->kind != MLS_MARKER_TRIAL_BEGIN && marker->kind != MLS_MARKER_EXPERIMENT_START)) {
        return false;
    }
    cutter->lines_seen = true;
    mls_cutter_begin(cutter);
    return true;
}
