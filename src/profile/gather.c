/* SPDX-License-Identifier: Apache-2.0 */
/* gather.c - names, streams and activities while a profile is read. */
#include "profile/gather.h"

#include <stdlib.h>
#include <strings.h>

void mls_gather_init(mls_gather *gather, const mls_kernel_classes *classes, mls_profile *profile)
{
    *gather = (mls_gather){.classes = classes, .profile = profile, .base_ns = -1};
    mls_tally *tallies[] = {&gather->kernels, &gather->api, &gather->ranges, &gather->osrt};
    for (size_t i = 0; i < sizeof tallies / sizeof *tallies; i++) {
        tallies[i]->map.arena = &gather->arena;
    }
    gather->track_map.arena = &gather->arena;
    gather->device_map.arena = &gather->arena;
    for (size_t i = 0; i < mls_class_count(classes); i++) {
        gather->unnamed[i] = (mls_tally_row){.class_number = i, .least_ns = {-1, -1, -1}, .most_ns = {-1, -1, -1}};
    }
}

void mls_tally_release(mls_tally *tally)
{
    free(tally->rows);
    *tally = (mls_tally){.map.arena = tally->map.arena};
}

void mls_gather_release(mls_gather *gather)
{
    mls_tally_release(&gather->kernels);
    mls_tally_release(&gather->api);
    mls_tally_release(&gather->ranges);
    mls_tally_release(&gather->osrt);
    free(gather->activities.items);
    free(gather->tracks.items);
    free(gather->launches.items);
    mls_arena_release(&gather->arena);
}

void mls_gather_too_much(mls_gather *gather, size_t line, const char *what)
{
    if (!gather->too_much) {
        mls_findings_add(&gather->profile->findings, MLS_FINDING_TOO_MUCH, (mls_finding_place){.line = line},
                         "more %s than can be kept: those beyond are left out", what);
        gather->too_much = true;
    }
}

/* ------------------------------------------------------------------- names */

mls_tally_row *mls_tally_put(mls_tally *tally, mls_arena *arena, mls_str name, bool *full)
{
    mls_map_entry *entry = mls_map_find(&tally->map, name);
    bool added = false;
    *full = false;
    if (entry == NULL) {
        *full = tally->count == MLS_NAMES_MAX || name.len > MLS_NAME_BYTES_MAX - tally->bytes;
        tally->map.arena = arena;
        entry = *full || !MLS_GROW(tally, rows) ? NULL : mls_map_put(&tally->map, name, &added);
    }
    if (added && entry != NULL) {
        entry->value.number = tally->count;
        tally->bytes += name.len;
        tally->rows[tally->count++] = (mls_tally_row){.least_ns = {-1, -1, -1}, .most_ns = {-1, -1, -1}};
    }
    return entry != NULL ? &tally->rows[entry->value.number] : NULL;
}

bool mls_gather_name(mls_gather *gather, mls_str name, uint32_t *id)
{
    bool full;
    size_t number;
    const size_t before = gather->kernels.count;
    mls_tally_row *row = mls_tally_put(&gather->kernels, &gather->arena, name, &full);
    if (row == NULL && full) {
        const bool ok = mls_class_find(gather->classes, name, &number);
        *id = MLS_ID_CLASS + (uint32_t)number;
        return ok;
    }
    if (row == NULL || (gather->kernels.count > before && !mls_class_find(gather->classes, name, &row->class_number))) {
        return false;
    }
    *id = (uint32_t)(row - gather->kernels.rows);
    return true;
}

mls_tally_row *mls_gather_row(mls_gather *gather, uint32_t id)
{
    return id < MLS_ID_CLASS ? &gather->kernels.rows[id] : &gather->unnamed[id - MLS_ID_CLASS];
}

size_t mls_gather_class(const mls_gather *gather, uint32_t id)
{
    return id >= MLS_ID_COPY    ? mls_class_copy(gather->classes)
           : id >= MLS_ID_CLASS ? id - MLS_ID_CLASS
                                : gather->kernels.rows[id].class_number;
}

/* ------------------------------------------------------------------ copies */

static const struct {
    const char *name, *also; /* as reports and traces write it */
} operations[MLS_COPY_COUNT] = {
    [MLS_COPY_HOST_TO_DEVICE] = {"Host-to-Device", "HtoD"},
    [MLS_COPY_DEVICE_TO_HOST] = {"Device-to-Host", "DtoH"},
    [MLS_COPY_DEVICE_TO_DEVICE] = {"Device-to-Device", "DtoD"},
    [MLS_COPY_HOST_TO_HOST] = {"Host-to-Host", "HtoH"},
    [MLS_COPY_PEER_TO_PEER] = {"Peer-to-Peer", "PtoP"},
    [MLS_COPY_SET] = {"Memset", "memset"},
    [MLS_COPY_OTHER] = {"Other", "Other"},
};

const char *mls_copy_operation_name(mls_copy_operation operation)
{
    return operations[operation].name;
}

mls_copy_operation mls_copy_operation_of(mls_str name)
{
    if (mls_str_contains(name, MLS_S("memset")) || mls_str_contains(name, MLS_S("Memset"))) {
        return MLS_COPY_SET;
    }
    for (mls_copy_operation i = 0; i < MLS_COPY_SET; i++) {
        if (mls_str_contains(name, mls_str_from(operations[i].name)) ||
            mls_str_contains(name, mls_str_from(operations[i].also))) {
            return i;
        }
    }
    return MLS_COPY_OTHER;
}

/* ----------------------------------------------------------------- streams */

bool mls_gather_track(mls_gather *gather, mls_str device, mls_str stream, uint32_t *track)
{
    enum { KEY_MAX = 160 };
    char key[KEY_MAX];
    bool added;
    device.len = device.len < KEY_MAX / 2 - 1 ? device.len : KEY_MAX / 2 - 1;
    stream.len = stream.len < KEY_MAX / 2 ? stream.len : KEY_MAX / 2;
    memcpy(key, device.ptr, device.len);
    key[device.len] = '\0';
    memcpy(key + device.len + 1, stream.ptr, stream.len);
    const mls_str whole = {key, device.len + 1 + stream.len};
    const mls_map_entry *known = mls_map_find(&gather->track_map, whole);
    if (known != NULL) {
        *track = (uint32_t)known->value.number;
        return true;
    }
    if (gather->tracks.count == MLS_TRACKS_MAX) {
        return false;
    }
    mls_map_entry *entry = MLS_GROW(&gather->tracks, items) ? mls_map_put(&gather->track_map, whole, NULL) : NULL;
    mls_map_entry *on = entry != NULL ? mls_map_put(&gather->device_map, device, &added) : NULL;
    if (on == NULL) {
        return false;
    }
    const mls_str kept = entry->key;
    *track = (uint32_t)gather->tracks.count;
    entry->value.number = gather->tracks.count;
    gather->tracks.items[gather->tracks.count++] =
        (mls_track){.device = {kept.ptr, device.len},
                    .stream = {kept.ptr + device.len + 1, stream.len},
                    .device_number = (size_t)(on - gather->device_map.entries)};
    return true;
}

bool mls_gather_activity(mls_gather *gather, mls_activity activity)
{
    if (!MLS_GROW(&gather->activities, items)) {
        return false;
    }
    gather->activities.items[gather->activities.count++] = activity;
    return true;
}

/* -------------------------------------------------------------------- sums */

int64_t mls_add_ns(int64_t a, int64_t b)
{
    int64_t sum;
    return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

bool mls_sum_add(mls_sum *sum, const mls_decimal *number, int power)
{
    int64_t value;
    int64_t *part = number->open == ',' ? &sum->comma : number->open == '.' ? &sum->point : &sum->sure;
    if (!mls_decimal_scale(number, power, &value)) {
        return false;
    }
    *part = mls_add_ns(*part, value);
    return true;
}

static int64_t settle_part(int64_t part, bool decimal)
{
    return decimal && part > 0 ? part / 1000 + (part % 1000 >= 500) : part;
}

int64_t mls_sum_settle(const mls_sum *sum, mls_marks marks, bool comma_decimal)
{
    const int64_t comma = settle_part(sum->comma, mls_marks_decimal(marks, ',', comma_decimal));
    const int64_t point = settle_part(sum->point, mls_marks_decimal(marks, '.', comma_decimal));
    return mls_add_ns(sum->sure, mls_add_ns(comma, point));
}
