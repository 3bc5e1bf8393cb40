/* SPDX-License-Identifier: Apache-2.0 */
/*
 * line.c - the time line: what each device did, how much of it at the same time.
 *
 * C computes, N communicates, M copies.  Of each only unions are added up, in one pass over the activities in the order
 * of their starts: |N \ C| is |C ∪ N| - |C|, |M \ (C ∪ N)| is |C ∪ N ∪ M| - |C ∪ N|.
 */
#include <math.h>
#include <stdlib.h>

#include "profile/gather.h"

typedef struct device_line {
    mls_str device;
    uint64_t activities;
    mls_cover compute, communication, copy, kernels, all; /* kernels: C ∪ N */
    size_t streams;
} device_line;

static int compare_starts(const void *a, const void *b)
{
    const int64_t x = ((const mls_activity *)a)->start;
    const int64_t y = ((const mls_activity *)b)->start;
    return (x > y) - (x < y);
}

static int64_t settle_time(int64_t time, bool comma, bool point, mls_marks marks)
{
    const mls_sum sum = {0, comma ? time : 0, point ? time : 0};
    return comma || point ? mls_sum_settle(&sum, marks, false) : time;
}

/* Decides open numbers, now that all have been seen. */
static void settle_activities(mls_gather *gather)
{
    for (size_t i = 0; i < gather->activities.count; i++) {
        mls_activity *activity = &gather->activities.items[i];
        const uint32_t id = activity->id;
        if (id > MLS_ID_MASK) {
            activity->start = settle_time(activity->start, id & MLS_START_COMMA, id & MLS_START_POINT, gather->marks);
            activity->length =
                settle_time(activity->length, id & MLS_LENGTH_COMMA, id & MLS_LENGTH_POINT, gather->marks);
            activity->id = id & MLS_ID_MASK;
        }
    }
}

static void extend(mls_sum *least, mls_sum *most, int64_t length)
{
    least->sure = least->sure < 0 || length < least->sure ? length : least->sure;
    most->sure = length > most->sure ? length : most->sure;
}

static void add_activity(mls_gather *gather, device_line *lines, const mls_activity *activity)
{
    mls_track *track = &gather->tracks.items[activity->track];
    device_line *line = &lines[track->device_number];
    const int64_t start = activity->start;
    const int64_t end = start + activity->length;
    const unsigned roles = mls_class_roles(gather->classes, mls_gather_class(gather, activity->id));
    track->activities++;
    line->activities++;
    mls_cover_add(&track->busy, start, end);
    mls_cover_add(&line->all, start, end);
    if (roles & MLS_CLASS_COPY) {
        mls_cover_add(&line->copy, start, end);
    } else {
        mls_cover_add(roles & MLS_CLASS_COMMUNICATION ? &line->communication : &line->compute, start, end);
        mls_cover_add(&line->kernels, start, end);
    }
    if (activity->id >= MLS_ID_COPY) {
        mls_copy_sum *copy = &gather->copies[(activity->id - MLS_ID_COPY) / 2];
        copy->count.sure++;
        copy->total_ns.sure = mls_add_ns(copy->total_ns.sure, activity->length);
        if ((activity->id - MLS_ID_COPY) % 2 != 0) {
            gather->pageable_ns = mls_add_ns(gather->pageable_ns, activity->length);
        }
    } else {
        mls_tally_row *row = mls_gather_row(gather, activity->id);
        row->count.sure++;
        row->total_ns.sure = mls_add_ns(row->total_ns.sure, activity->length);
        extend(&row->least_ns, &row->most_ns, activity->length);
    }
}

static int compare_lines(const void *a, const void *b)
{
    return mls_str_compare_natural(((const mls_profile_device *)a)->device, ((const mls_profile_device *)b)->device);
}

static int compare_streams(const void *a, const void *b)
{
    return mls_str_compare_natural(((const mls_profile_stream *)a)->stream, ((const mls_profile_stream *)b)->stream);
}

static double milliseconds(int64_t nanoseconds)
{
    return (double)nanoseconds / 1e6;
}

static mls_profile_device device_of(const device_line *line)
{
    const int64_t window = line->all.reach - line->all.first;
    const int64_t exposed = line->kernels.length - line->compute.length;
    return (mls_profile_device){
        .device = line->device,
        .activities = line->activities,
        .window_ms = milliseconds(window),
        .busy_ms = milliseconds(line->all.length),
        .idle_ms = milliseconds(window - line->all.length),
        .compute_ms = milliseconds(line->compute.length),
        .communication_ms = milliseconds(line->communication.length),
        .exposed_communication_ms = milliseconds(exposed),
        .copy_ms = milliseconds(line->copy.length),
        .exposed_copy_ms = milliseconds(line->all.length - line->kernels.length),
        .overlap =
            line->communication.length > 0 ? 1 - (double)exposed / (double)line->communication.length : (double)NAN,
    };
}

/* The devices and their streams, whose lists lie one behind the other in one array. */
static bool list_devices(mls_gather *gather, const device_line *lines)
{
    mls_profile *profile = gather->profile;
    const size_t count = gather->device_map.count;
    mls_profile_stream *streams = mls_arena_array(&gather->arena, gather->tracks.count, sizeof *streams);
    profile->devices = mls_arena_zeroed(&gather->arena, count, sizeof *profile->devices);
    if (streams == NULL || profile->devices == NULL) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        profile->devices[i] = device_of(&lines[i]);
        profile->devices[i].streams = streams;
        streams += lines[i].streams;
    }
    for (size_t i = 0; i < gather->tracks.count; i++) {
        const mls_track *track = &gather->tracks.items[i];
        mls_profile_device *device = &profile->devices[track->device_number];
        device->streams[device->stream_count++] =
            (mls_profile_stream){track->stream, track->activities, milliseconds(track->busy.length)};
    }
    for (size_t i = 0; i < count; i++) {
        qsort(profile->devices[i].streams, profile->devices[i].stream_count, sizeof *streams, compare_streams);
    }
    qsort(profile->devices, count, sizeof *profile->devices, compare_lines);
    profile->device_count = count;
    return true;
}

bool mls_gather_line(mls_gather *gather)
{
    mls_profile *profile = gather->profile;
    const size_t count = gather->activities.count;
    mls_cover all = {0};
    profile->has_devices = true;
    if (count == 0) {
        return true;
    }
    device_line *lines = calloc(gather->device_map.count, sizeof *lines);
    if (lines == NULL) {
        return false;
    }
    for (size_t i = 0; i < gather->tracks.count; i++) {
        const mls_track *track = &gather->tracks.items[i];
        lines[track->device_number].device = track->device;
        lines[track->device_number].streams++;
    }
    settle_activities(gather);
    mls_sort_in_place(gather->activities.items, count, sizeof *gather->activities.items, compare_starts);
    for (size_t i = 0; i < count; i++) {
        const mls_activity *activity = &gather->activities.items[i];
        add_activity(gather, lines, activity);
        mls_cover_add(&all, activity->start, activity->start + activity->length);
    }
    profile->length_ms = milliseconds(all.reach - all.first);
    gather->first_ns = all.first;
    const bool ok = list_devices(gather, lines);
    free(lines);
    return ok;
}
