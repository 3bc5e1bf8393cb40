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

static void mls_cutter_forget(mls_cutter *cutter)
{
    cutter->early_count = 0;
    cutter->recalled = 0;
    mls_arena_reset(&cutter->early_text);
}

static bool mls_starts_run(const mls_cutter *cutter, mls_cut_key key, double time_ms)
{
    if (cutter->stopped) {
        return (key == MLS_CUT_INIT_START || key == MLS_CUT_CACHE_CLEAR) && time_ms > cutter->stop_ms;
    }
    return key == MLS_CUT_INIT_START && cutter->started && time_ms > cutter->start_ms;
}

/*
 * A cache_clear that comes while a run seems to be training may be the first
 * word of the next one, if this one died: only the init_start that follows it
 * tells.  Until then a copy is kept.
 */
static void mls_cutter_remember(mls_cutter *cutter, const mls_record *record)
{
    if (cutter->early_count == MLS_CUTTER_EARLY_MAX || !cutter->started || cutter->stopped ||
        !(record->time_ms > cutter->start_ms)) {
        return;
    }
    const mls_str payload = mls_arena_copy(&cutter->early_text, record->payload);
    if (payload.ptr == NULL) {
        cutter->out_of_memory = true;
    } else {
        cutter->early[cutter->early_count++] = (mls_early_record){payload, record->line, record->column};
    }
}

/* A run that was cut off without its run_stop has died: what it was thought to have logged last is the next one's. */
static void mls_cutter_begin(mls_cutter *cutter)
{
    const bool died = !cutter->stopped;
    cutter->started = false;
    cutter->stopped = false;
    if (died) {
        cutter->recalled = cutter->early_count;
    } else {
        mls_cutter_forget(cutter);
    }
}

bool mls_cutter_record(mls_cutter *cutter, const mls_record *record)
{
    const mls_cut_key key = mls_cut_key_of(record->key);
    const bool cuts = !cutter->whole && !cutter->lines_seen;
    const bool cut = cuts && mls_starts_run(cutter, key, record->time_ms);
    if (cutter->recalled > 0) {
        mls_cutter_forget(cutter);
    }
    if (cut) {
        mls_cutter_begin(cutter);
    } else if (cuts && key == MLS_CUT_CACHE_CLEAR) {
        mls_cutter_remember(cutter, record);
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

bool mls_cutter_recall(mls_cutter *cutter, size_t index, mls_record *record)
{
    if (index >= cutter->recalled) {
        return false;
    }
    const mls_early_record *early = &cutter->early[index];
    size_t where;
    *record = (mls_record){.line = early->line, .column = early->column};
    /* It was valid before: nothing but memory can fail. */
    cutter->out_of_memory |= mls_record_validate(early->payload, record, &cutter->early_text, &where) != NULL;
    return !cutter->out_of_memory;
}

bool mls_cutter_marker(mls_cutter *cutter, const mls_marker *marker)
{
    if (cutter->whole || (marker->kind != MLS_MARKER_TRIAL_BEGIN && marker->kind != MLS_MARKER_EXPERIMENT_START)) {
        return false;
    }
    cutter->lines_seen = true;
    cutter->started = false;
    cutter->stopped = false;
    mls_cutter_forget(cutter);
    return true;
}

void mls_cutter_release(mls_cutter *cutter)
{
    mls_arena_release(&cutter->early_text);
}
