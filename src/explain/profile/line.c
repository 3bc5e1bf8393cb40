/* SPDX-License-Identifier: Apache-2.0 */
/* line.c - the timeline: what each device did, how much of it at the same time, and why it was idle.
 *
 * C computes, N communicates, M copies.  Of each only unions are added up, in one pass over the activities in the order
 * of their starts: |N \ C| is |C ∪ N| - |C|, |M \ (C ∪ N)| is |C ∪ N ∪ M| - |C ∪ N|.
 *
 * A gap ends with the activities that start at its end.  If they were launched after it had begun, the host was late;
 * otherwise they waited in a queue. */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "explain/profile/gather.h"

/* Of one device, in nanoseconds; zero-initialised is empty. */
typedef struct mls_idle {
    int64_t host, queue, unknown; /* of the gaps that have ended */
    int64_t from, to, launch;     /* the last gap, and the first launch of what ended it */
    uint64_t kernels, launched;   /* all of them, and those whose launch is known */
    double kernel_time, graph_time;
    int64_t kernel_median, delay_median, delay_95; /* by nearest rank: of `kernels`, of `launched` */
} mls_idle;

/* In the place of a length or a delay that does not count: behind all that do. */
enum { PERCENT = 100 };
#define NOT_RANKED INT64_MAX

static void end_gap(mls_idle *idle)
{
    int64_t *cause = idle->launch == MLS_NO_LAUNCH ? &idle->unknown
                     : idle->launch > idle->from   ? &idle->host
                                                   : &idle->queue;
    *cause += idle->to - idle->from;
    idle->from = idle->to;
}

/* Adds an activity, in the order of starts; `before` covers those that came before it. */
static void idle_add(mls_idle *idle, mls_activity *activity, bool kernel, const mls_cover *before)
{
    const int64_t launch = activity->launch;
    const bool launched = launch != MLS_NO_LAUNCH;
    if (before->begun && activity->start > before->reach) {
        end_gap(idle);
        idle->from = before->reach;
        idle->to = activity->start;
        idle->launch = launch;
    } else if (activity->start == idle->to && launched && (launch < idle->launch || idle->launch == MLS_NO_LAUNCH)) {
        idle->launch = launch;
    }
    if (kernel) {
        idle->kernels++;
        idle->launched += launched;
        idle->kernel_time += (double)activity->length;
        idle->graph_time += (activity->row & MLS_ROW_GRAPH) != 0 ? (double)activity->length : 0;
    }
    /* Lengths and delays are all that is asked of it from now on. */
    activity->length = kernel ? activity->length : NOT_RANKED;
    activity->launch = kernel && launched ? activity->start - launch : NOT_RANKED;
}

static uint64_t length_of(const void *item)
{
    return (uint64_t)((const mls_activity *)item)->length;
}

/* A clock that goes wrong makes it negative. */
static uint64_t delay_of(const void *item)
{
    return (uint64_t)((const mls_activity *)item)->launch ^ (uint64_t)1 << 63;
}

/* Moves the activity at a percentile of the first `ranked` of the order to its place, by nearest rank. */
static const mls_activity *at_percentile(mls_activity *activities, size_t count, uint64_t ranked, unsigned percent,
                                         mls_number_of *number)
{
    const size_t rank = (size_t)((ranked * percent + PERCENT - 1) / PERCENT) - 1;
    mls_select_in_place(activities, count, sizeof *activities, rank, number);
    return &activities[rank];
}

/* Ends the last gap, and ranks the activities, which are all that were added, in any order. */
static void idle_end(mls_idle *idle, mls_activity *activities, size_t count)
{
    end_gap(idle);
    if (idle->kernels > 0)
        idle->kernel_median = at_percentile(activities, count, idle->kernels, 50, length_of)->length;
    if (idle->launched > 0) {
        idle->delay_median = at_percentile(activities, count, idle->launched, 50, delay_of)->launch;
        idle->delay_95 = at_percentile(activities, count, idle->launched, 95, delay_of)->launch;
    }
}

typedef struct device_line {
    uint64_t activities;
    mls_cover compute, communication, copy, kernels, all; /* kernels: C ∪ N */
    mls_idle idle;
} device_line;

static uint64_t start_of(const void *item)
{
    return (uint64_t)((const mls_activity *)item)->start;
}

/* When all have been added. */
static uint64_t device_number_of(const void *item)
{
    return ((const mls_activity *)item)->track;
}

static void add_activity(mls_gather *gather, device_line *lines, mls_activity *activity)
{
    mls_track *track = &gather->tracks.items[activity->track];
    const size_t number = activity->row & MLS_ROW_MASK;
    mls_tally_row *row = &gather->tallies[MLS_TALLY_KERNELS].rows[number];
    device_line *line = &lines[track->device_number];
    const int64_t start = activity->start;
    const int64_t end = start + activity->length;
    const double length = (double)activity->length;
    const unsigned roles = gather->classes->roles[row->class_number];
    idle_add(&line->idle, activity, mls_row_is_kernel(number), &line->all);
    activity->track = (uint32_t)track->device_number;
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
    mls_sums_add(&row->sums, 1, length, length, length);
}

static int compare_tracks(const void *a, const void *b)
{
    const mls_track *x = a;
    const mls_track *y = b;
    const int order = mls_str_compare_natural(x->device, y->device);
    return order != 0 ? order : mls_str_compare_natural(x->stream, y->stream);
}

static double milliseconds(int64_t nanoseconds)
{
    return (double)nanoseconds / 1e6;
}

/* Nobody knows of a graph where no call is. */
static mls_profile_device device_of(mls_str name, const device_line *line)
{
    const mls_idle *idle = &line->idle;
    const int64_t window = line->all.reach - line->all.first;
    const int64_t exposed = line->kernels.length - line->compute.length;
    return (mls_profile_device){
        .device = name,
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
        .idle_host_ms = milliseconds(idle->host),
        .idle_queue_ms = milliseconds(idle->queue),
        .idle_unknown_ms = milliseconds(idle->unknown),
        .graph_share = idle->launched > 0 ? mls_profile_share(idle->graph_time, idle->kernel_time) : (double)NAN,
        .launch_delay_median_us = idle->launched > 0 ? (double)idle->delay_median / 1e3 : (double)NAN,
        .launch_delay_95_us = idle->launched > 0 ? (double)idle->delay_95 / 1e3 : (double)NAN,
        .kernel_median_us = idle->kernels > 0 ? (double)idle->kernel_median / 1e3 : (double)NAN,
        .without_launch = idle->kernels - idle->launched,
    };
}

/* The devices and their streams, whose lists lie one after the other in one array. */
static void list_devices(mls_gather *gather, const device_line *lines)
{
    mls_profile *profile = gather->profile;
    mls_profile_stream *stream = mls_arena_array(gather->arena, gather->tracks.count, sizeof *stream);
    mls_profile_device *device = mls_arena_array(gather->arena, gather->device_map.count, sizeof *device);
    profile->devices = device;
    qsort(gather->tracks.items, gather->tracks.count, sizeof *gather->tracks.items, compare_tracks);
    for (size_t i = 0; i < gather->tracks.count; i++, stream++) {
        const mls_track *track = &gather->tracks.items[i];
        if (i == 0 || track->device_number != track[-1].device_number) {
            device = &profile->devices[profile->device_count++];
            *device = device_of(track->device, &lines[track->device_number]);
            device->streams = stream;
        }
        *stream = (mls_profile_stream){track->stream, track->activities, milliseconds(track->busy.length)};
        device->stream_count++;
    }
}

void mls_gather_line(mls_gather *gather)
{
    const size_t count = gather->activities.count;
    mls_cover all = {0};
    gather->profile->has_devices = true;
    if (count == 0)
        return;
    device_line *lines = mls_calloc(gather->device_map.count, sizeof *lines);
    mls_gather_launches(gather);
    mls_gather_attribute(gather);
    mls_sort_in_place(gather->activities.items, count, sizeof *gather->activities.items, start_of);
    for (size_t i = 0; i < count; i++) {
        mls_activity *activity = &gather->activities.items[i];
        mls_cover_add(&all, activity->start, activity->start + activity->length);
        add_activity(gather, lines, activity);
    }
    /* One device after the other. */
    mls_activity *activities = gather->activities.items;
    mls_sort_in_place(activities, count, sizeof *activities, device_number_of);
    for (size_t i = 0; i < gather->device_map.count; i++) {
        idle_end(&lines[i].idle, activities, lines[i].activities);
        activities += lines[i].activities;
    }
    gather->profile->length_ms = milliseconds(all.reach - all.first);
    gather->first_ns = all.first;
    list_devices(gather, lines);
    free(lines);
}
