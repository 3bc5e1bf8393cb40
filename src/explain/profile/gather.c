/* SPDX-License-Identifier: Apache-2.0 */
/* gather.c - names, streams and activities while a profile is read. */
#include "explain/profile/gather.h"

#include <math.h>
#include <stdlib.h>

bool mls_gather_init(mls_gather *gather, const mls_kernel_classes *classes, mls_profile *profile)
{
    mls_tally *kernels = &gather->tallies[MLS_TALLY_KERNELS];
    *gather = (mls_gather){.classes = classes,
                           .profile = profile,
                           .arena = profile->arena,
                           .base_ns = -1,
                           .track_map.arena = profile->arena,
                           .device_map.arena = profile->arena};
    for (size_t i = 0; i < MLS_TALLIES; i++) {
        gather->tallies[i].map.arena = gather->arena;
    }
    for (size_t i = 0; i < MLS_ROW_NAME; i++) {
        MLS_GROW(kernels, rows);
        kernels->rows[kernels->count] = (mls_tally_row){.class_number = i < MLS_ROW_COPY ? i : classes->copy};
        mls_row_clear(&kernels->rows[kernels->count++]);
    }
    return true;
}

void mls_gather_release(mls_gather *gather)
{
    for (size_t i = 0; i < MLS_TALLIES; i++) {
        free(gather->tallies[i].rows);
    }
    free(gather->activities.items);
    free(gather->calls.items);
    free(gather->steps.items);
    free(gather->annotations.items);
    free(gather->tracks.items);
    free(gather->launches.items);
    free(gather->advice.items);
    free(gather->launch_sums.items);
}

void mls_gather_too_much(mls_gather *gather, size_t line)
{
    if (!gather->too_much) {
        mls_findings_add(&gather->profile->findings, MLS_FINDING_TOO_MUCH, (mls_finding_place){.line = line},
                         "more streams than can be kept: those beyond are left out");
        gather->too_much = true;
    }
}

void mls_sums_add(mls_sums *sums, double count, double total, double min, double max)
{
    sums->count += count;
    sums->total += total;
    sums->min = fmin(sums->min, min);
    sums->max = fmax(sums->max, max);
}

double mls_profile_share(double part, double whole)
{
    return whole > 0 ? part / whole : (double)NAN;
}

void mls_row_clear(mls_tally_row *row)
{
    row->megabytes = (double)NAN;
    for (mls_locale i = 0; i < MLS_LOCALES; i++) {
        row->in[i] = (mls_sums){.min = (double)NAN, .max = (double)NAN};
    }
}

double mls_locale_divisor(mls_locale locale, char open, bool comma_decimal)
{
    const mls_marks marks = {.point = locale == MLS_LOCALE_POINT, .comma = locale == MLS_LOCALE_COMMA};
    return mls_marks_decimal(marks, open, comma_decimal) ? 1000 : 1;
}

mls_tally_row *mls_tally_put(mls_tally *tally, mls_str name, bool *full)
{
    mls_map_entry *entry = mls_map_find(&tally->map, name);
    *full = entry == NULL && (tally->map.count == MLS_NAMES_MAX || name.len > MLS_NAME_BYTES_MAX - tally->bytes);
    if (entry == NULL && !*full && MLS_GROW(tally, rows) && (entry = mls_map_put(&tally->map, name, NULL)) != NULL) {
        entry->value.number = tally->count;
        tally->bytes += name.len;
        tally->rows[tally->count] = (mls_tally_row){.name = entry->key};
        mls_row_clear(&tally->rows[tally->count++]);
    }
    return entry != NULL ? &tally->rows[entry->value.number] : NULL;
}

bool mls_gather_name(mls_gather *gather, mls_str name, uint32_t *number)
{
    bool full;
    mls_tally *kernels = &gather->tallies[MLS_TALLY_KERNELS];
    const size_t before = kernels->count;
    mls_tally_row *row = mls_tally_put(kernels, name, &full);
    size_t class_number = 0;
    bool fp32 = false;
    if ((row == NULL && !full) ||
        ((full || kernels->count > before) && !mls_class_find(gather->classes, name, &class_number, &fp32))) {
        return false;
    }
    if (kernels->count > before) {
        row->class_number = class_number;
        row->fp32 = fp32;
        row->nccl = mls_str_any(name, "nccl|NCCL", mls_str_contains);
    }
    *number = (uint32_t)(full ? class_number : (size_t)(row - kernels->rows));
    return true;
}

/* As reports and traces write them; a set is one whatever else its name holds. */
static const struct {
    const char *name, *also;
} operations[MLS_COPY_COUNT] = {
    [MLS_COPY_SET] = {"Memset", "memset"},
    [MLS_COPY_HOST_TO_DEVICE] = {"Host-to-Device", "HtoD"},
    [MLS_COPY_DEVICE_TO_HOST] = {"Device-to-Host", "DtoH"},
    [MLS_COPY_DEVICE_TO_DEVICE] = {"Device-to-Device", "DtoD"},
    [MLS_COPY_HOST_TO_HOST] = {"Host-to-Host", "HtoH"},
    [MLS_COPY_PEER_TO_PEER] = {"Peer-to-Peer", "PtoP"},
    [MLS_COPY_OTHER] = {"Other", ""}, /* which every name holds */
};

const char *mls_copy_operation_name(mls_copy_operation operation)
{
    return operations[operation].name;
}

mls_copy_operation mls_copy_operation_of(mls_str name)
{
    mls_copy_operation operation = 0;
    while (!mls_str_contains(name, mls_str_from(operations[operation].name)) &&
           !mls_str_contains(name, mls_str_from(operations[operation].also))) {
        operation++;
    }
    return operation;
}

mls_str mls_cuda_call(mls_str name)
{
    const size_t prefix = mls_str_starts(name, MLS_S("cuda"))  ? 4
                          : mls_str_starts(name, MLS_S("hip")) ? 3
                          : mls_str_starts(name, MLS_S("cu"))  ? 2
                                                               : name.len;
    return mls_str_rest(name, prefix);
}

void mls_gather_size(mls_gather *gather, mls_copy_operation operation, double megabytes, char open)
{
    for (mls_locale i = 0; i < MLS_LOCALES; i++) {
        mls_sums_add(&gather->sizes[operation].in[i], 1, megabytes / mls_locale_divisor(i, open, true), (double)NAN,
                     (double)NAN);
    }
}

/* The number of a stream, whose name is that of its device, a NUL, and its own. */
static mls_status find_track(mls_gather *gather, mls_str device, mls_str stream, uint32_t *track)
{
    enum { KEPT = 80 };
    char key[2 * KEPT];
    device.len = device.len < KEPT ? device.len : KEPT - 1;
    stream.len = stream.len < KEPT ? stream.len : KEPT;
    memcpy(key, device.ptr, device.len);
    key[device.len] = '\0';
    memcpy(key + device.len + 1, stream.ptr, stream.len);
    const mls_str whole = {key, device.len + 1 + stream.len};
    mls_map_entry *entry = mls_map_find(&gather->track_map, whole);
    if (entry == NULL) {
        if (gather->tracks.count == MLS_TRACKS_MAX) {
            return MLS_ERROR_LIMIT;
        }
        entry = MLS_GROW(&gather->tracks, items) ? mls_map_put(&gather->track_map, whole, NULL) : NULL;
        const mls_map_entry *on = entry != NULL ? mls_map_put(&gather->device_map, device, NULL) : NULL;
        if (on == NULL) {
            return MLS_ERROR_MEMORY;
        }
        gather->tracks.items[gather->tracks.count++] =
            (mls_track){.device = on->key,
                        .stream = {entry->key.ptr + device.len + 1, stream.len},
                        .device_number = (size_t)(on - gather->device_map.entries)};
    }
    *track = (uint32_t)(entry - gather->track_map.entries);
    return MLS_OK;
}

mls_status mls_gather_activity(mls_gather *gather, mls_str device, mls_str stream, mls_activity activity)
{
    const mls_status status = find_track(gather, device, stream, &activity.track);
    if (status == MLS_OK && !MLS_GROW(&gather->activities, items)) {
        return MLS_ERROR_MEMORY;
    }
    if (status == MLS_OK) {
        gather->activities.items[gather->activities.count++] = activity;
    }
    return status;
}
