/* SPDX-License-Identifier: Apache-2.0 */
/* tracked.c - sum up the metrics that a run logs in tracked_stats and throughput. */
#include "run/tracked.h"

#include <math.h>

#include "json/value.h"

void mls_tracked_add(mls_tracked *tracked, mls_str name, mls_tracked_sum more)
{
    tracked->sums.arena = &tracked->arena;
    mls_map_entry *entry = mls_map_put(&tracked->sums, name, NULL);
    if (entry->value.pointer == NULL)
        entry->value.pointer = mls_arena_zeroed(&tracked->arena, 1, sizeof more);
    mls_tracked_sum *sum = entry->value.pointer;
    sum->sum += more.sum;
    sum->count += more.count;
}

static void add_number(mls_tracked *tracked, mls_str name, mls_str value, size_t line)
{
    double number;
    if (mls_json_kind_of(value) != MLS_JSON_NUMBER || !mls_json_number(value, &number) || !isfinite(number))
        return;
    if (name.len > MLS_TRACKED_NAME_LENGTH_MAX)
        tracked->long_line = tracked->long_line == 0 ? line : tracked->long_line;
    else if (tracked->sums.count == MLS_TRACKED_NAMES_MAX && mls_map_find(&tracked->sums, name) == NULL)
        tracked->too_many = true;
    else
        mls_tracked_add(tracked, name, (mls_tracked_sum){number, 1});
}

static mls_status tracked_record(void *notes, const mls_record *record)
{
    mls_tracked *tracked = notes;
    tracked->started |= record->key_id == MLS_KEY_RUN_START;
    tracked->stopped |= record->key_id == MLS_KEY_RUN_STOP;
    if (!tracked->started || tracked->stopped ||
        (record->key_id != MLS_KEY_TRACKED_STATS && record->key_id != MLS_KEY_THROUGHPUT))
        return MLS_OK;
    if (mls_json_kind_of(record->value) != MLS_JSON_OBJECT) {
        add_number(tracked, MLS_S("throughput"), record->value, record->line);
        return MLS_OK;
    }
    mls_json_walk walk = mls_json_walk_begin(record->value);
    for (mls_raw_member member; mls_json_walk_next(&walk, &member);) {
        mls_str name = {member.name.ptr - 1, member.name.len + 2}; /* the JSON string of the name, with its quotes */
        (void)mls_json_string(name, &tracked->scratch, &name);
        add_number(tracked, name, member.value, record->line);
        mls_arena_reset(&tracked->scratch);
    }
    return MLS_OK;
}

static void tracked_release(void *notes)
{
    mls_tracked *tracked = notes;
    mls_arena_release(&tracked->arena);
    mls_arena_release(&tracked->scratch);
}

const mls_observer mls_tracked_observer = {
    .size = sizeof(mls_tracked), .record = tracked_record, .release = tracked_release};

double mls_tracked_mean(const mls_tracked *tracked, mls_str name)
{
    const mls_map_entry *entry = tracked != NULL ? mls_map_find(&tracked->sums, name) : NULL;
    const mls_tracked_sum *sum = entry != NULL ? entry->value.pointer : NULL;
    return sum != NULL ? sum->sum / (double)sum->count : (double)NAN;
}
