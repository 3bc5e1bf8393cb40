/* SPDX-License-Identifier: Apache-2.0 */
/* gather.c - collect names, streams, activities, calls and annotations while a profile is read, and build the timeline:
 * how much each device did at the same time, why it was idle, and in which step and annotation activities were
 * launched.
 *
 * Let C, N and M be the times in which a device computes, communicates and copies.  One pass over the activities in the
 * order of their starts measures the lengths of C, C ∪ N and C ∪ N ∪ M.  The exposed communication |N \ C| is then
 * |C ∪ N| - |C|, and the exposed copies |M \ (C ∪ N)| are |C ∪ N ∪ M| - |C ∪ N|.
 *
 * A gap is a time in which a device was idle.  If the activities after a gap were launched after the gap had begun, the
 * host was late; otherwise they waited in a queue. */
#include "explain/profile/gather.h"

#include <math.h>
#include <stdlib.h>

#include "base/number.h"

void mls_gather_init(mls_gather *gather, const mls_kernel_classes *classes, mls_profile *profile)
{
    mls_tally *kernels = &gather->tallies[MLS_TALLY_KERNELS];
    *gather = (mls_gather){.classes = classes,
                           .profile = profile,
                           .arena = profile->arena,
                           .base_ns = -1,
                           .track_map.arena = profile->arena,
                           .device_map.arena = profile->arena};
    for (size_t i = 0; i < MLS_TALLIES; i++)
        gather->tallies[i].map.arena = gather->arena;
    for (size_t i = 0; i < MLS_ROW_NAME; i++) {
        MLS_GROW(kernels, rows);
        kernels->rows[kernels->count] = (mls_tally_row){.class_number = i < MLS_ROW_COPY ? i : classes->copy};
        mls_row_clear(&kernels->rows[kernels->count++]);
    }
}

void mls_gather_release(mls_gather *gather)
{
    for (size_t i = 0; i < MLS_TALLIES; i++)
        free(gather->tallies[i].rows);
    free(gather->activities.items);
    free(gather->calls.items);
    free(gather->steps.items);
    free(gather->annotations.items);
    free(gather->tracks.items);
}

void mls_gather_too_much(mls_gather *gather, size_t line)
{
    if (!gather->too_much) {
        mls_findings_add(&gather->profile->findings, MLS_FINDING_TOO_MUCH, (mls_finding_place){.line = line},
                         "too many streams: further streams are skipped");
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
    row->sums = (mls_sums){.min = (double)NAN, .max = (double)NAN};
}

double mls_gather_divisor(mls_gather *gather, char open, bool comma_decimal)
{
    static const mls_marks locales[] = {{false, false}, {true, false}, {false, true}};
    const mls_marks known = gather->whole != NULL ? *gather->whole : gather->marks;
    const bool decimal = mls_marks_decimal(known, open, comma_decimal);
    for (unsigned i = 0; i < sizeof locales / sizeof *locales; i++)
        gather->wrong |= (unsigned)(mls_marks_decimal(locales[i], open, comma_decimal) != decimal) << i;
    return decimal ? 1000 : 1;
}

mls_tally_row *mls_tally_put(mls_tally *tally, mls_str name)
{
    mls_map_entry *entry = mls_map_find(&tally->map, name);
    if (entry == NULL && tally->map.count < MLS_NAMES_MAX && name.len <= MLS_NAME_BYTES_MAX - tally->bytes) {
        MLS_GROW(tally, rows);
        entry = mls_map_put(&tally->map, name, NULL);
        entry->value.number = tally->count;
        tally->bytes += name.len;
        tally->rows[tally->count] = (mls_tally_row){.name = entry->key};
        mls_row_clear(&tally->rows[tally->count++]);
    }
    return entry != NULL ? &tally->rows[entry->value.number] : NULL;
}

uint32_t mls_gather_name(mls_gather *gather, mls_str name)
{
    mls_tally *kernels = &gather->tallies[MLS_TALLY_KERNELS];
    const size_t before = kernels->count;
    bool fp32;
    size_t number;
    mls_tally_row *row = mls_tally_put(kernels, name);
    if (row == NULL) {
        mls_class_find(gather->classes, name, &number, &fp32);
        return (uint32_t)number;
    }
    if (kernels->count > before) {
        mls_class_find(gather->classes, name, &row->class_number, &row->fp32);
        row->nccl = mls_str_any(name, "nccl|NCCL", mls_str_contains);
    }
    return (uint32_t)(row - kernels->rows);
}

/* The names of copy operations in reports (`name`) and in traces (`also`).  The first row that matches is used, because
 * the name of a Memset may contain other rows' texts. */
static const struct {
    const char *name, *also;
} operations[MLS_COPY_COUNT] = {
    [MLS_COPY_SET] = {"Memset", "memset"},
    [MLS_COPY_HOST_TO_DEVICE] = {"Host-to-Device", "HtoD"},
    [MLS_COPY_DEVICE_TO_HOST] = {"Device-to-Host", "DtoH"},
    [MLS_COPY_DEVICE_TO_DEVICE] = {"Device-to-Device", "DtoD"},
    [MLS_COPY_HOST_TO_HOST] = {"Host-to-Host", "HtoH"},
    [MLS_COPY_PEER_TO_PEER] = {"Peer-to-Peer", "PtoP"},
    [MLS_COPY_OTHER] = {"Other", ""}, /* matches every name */
};

const char *mls_copy_operation_name(mls_copy_operation operation)
{
    return operations[operation].name;
}

mls_copy_operation mls_copy_operation_of(mls_str name)
{
    mls_copy_operation operation = 0;
    while (!mls_str_contains(name, mls_str_from(operations[operation].name)) &&
           !mls_str_contains(name, mls_str_from(operations[operation].also)))
        operation++;
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

bool mls_gather_activity(mls_gather *gather, mls_str device, mls_str stream, mls_activity activity)
{
    enum { KEPT = 80 };
    char key[2 * KEPT]; /* the name of the device, a NUL, and that of the stream */
    device.len = device.len < KEPT ? device.len : KEPT - 1;
    stream.len = stream.len < KEPT ? stream.len : KEPT;
    memcpy(key, device.ptr, device.len);
    key[device.len] = '\0';
    memcpy(key + device.len + 1, stream.ptr, stream.len);
    const mls_str whole = {key, device.len + 1 + stream.len};
    mls_map_entry *entry = mls_map_find(&gather->track_map, whole);
    if (entry == NULL) {
        if (gather->tracks.count == MLS_TRACKS_MAX)
            return false;
        entry = mls_map_put(&gather->track_map, whole, NULL);
        const mls_map_entry *on = mls_map_put(&gather->device_map, device, NULL);
        MLS_GROW(&gather->tracks, items);
        gather->tracks.items[gather->tracks.count++] =
            (mls_track){.device = on->key,
                        .stream = {entry->key.ptr + device.len + 1, stream.len},
                        .device_number = (size_t)(on - gather->device_map.entries)};
    }
    activity.track = (uint32_t)(entry - gather->track_map.entries);
    MLS_GROW(&gather->activities, items);
    gather->activities.items[gather->activities.count++] = activity;
    return true;
}

void mls_gather_call(mls_gather *gather, int64_t correlation, int64_t begin, bool graph)
{
    if (correlation < 0 || correlation > UINT32_MAX || begin < 0)
        return;
    MLS_GROW(&gather->calls, items);
    gather->calls.items[gather->calls.count++] = (mls_cuda_launch){begin, (uint32_t)correlation, graph};
}

void mls_gather_annotation(mls_gather *gather, mls_str name, int64_t start, int64_t length)
{
    const mls_str prefix = MLS_S("ProfilerStep#");
    const double ns = (double)length;
    size_t number = 0;
    const bool step =
        mls_str_starts(name, prefix) && mls_size_parse(mls_str_rest(name, prefix.len), &number) && number < UINT32_MAX;
    mls_host_spans *to = step ? &gather->steps : &gather->annotations;
    mls_tally_row *row = step ? NULL : mls_tally_put(&gather->tallies[MLS_TALLY_ANNOTATIONS], name);
    if ((!step && row == NULL) || length > INT64_MAX - start || to->count == UINT32_MAX)
        return;
    MLS_GROW(to, items);
    if (!step) {
        number = (size_t)(row - gather->tallies[MLS_TALLY_ANNOTATIONS].rows);
        mls_sums_add(&row->sums, 1, ns, ns, ns);
    }
    to->items[to->count++] = (mls_host_span){.start = start, .end = start + length, .number = (uint32_t)number};
}

/* ---------------------------------------------------------------- launches */

static uint64_t correlation_of(const void *item)
{
    return ((const mls_cuda_launch *)item)->correlation;
}

static uint64_t launch_of(const void *item)
{
    return (uint64_t)((const mls_activity *)item)->launch;
}

/* Order the outer span first. */
static int compare_host_spans(const void *a, const void *b)
{
    const mls_host_span *x = a;
    const mls_host_span *y = b;
    return x->start != y->start ? (x->start < y->start ? -1 : 1) : (x->end < y->end) - (x->end > y->end);
}

#define NO_SPAN UINT32_MAX

/* Sort spans and set the member `around` of each: the nearest span before it in this order that has not ended when it
 * begins. */
static void nest_spans(mls_host_spans *spans)
{
    if (spans->count > 0)
        qsort(spans->items, spans->count, sizeof *spans->items, compare_host_spans);
    for (uint32_t i = 0; i < spans->count; i++) {
        uint32_t around = i > 0 ? i - 1 : NO_SPAN;
        while (around != NO_SPAN && spans->items[around].end <= spans->items[i].start)
            around = spans->items[around].around;
        spans->items[i].around = around;
    }
}

/* Return the innermost span that contains a time, or NULL if no span does.  *next (0 before the first call) is set to
 * the index of the first span that begins later.  Times must ascend from call to call. */
static mls_host_span *find_span(const mls_host_spans *spans, int64_t time, uint32_t *next)
{
    enum { NESTED_MAX = 64 };
    while (*next < spans->count && spans->items[*next].start <= time)
        ++*next;
    uint32_t at = *next > 0 ? *next - 1 : NO_SPAN;
    for (int depth = 0; depth < NESTED_MAX && at != NO_SPAN && spans->items[at].end <= time; depth++)
        at = spans->items[at].around;
    return at != NO_SPAN && spans->items[at].end > time ? &spans->items[at] : NULL;
}

/* Find the call that launched each activity, and the step and the annotation during which the call began. */
static void find_launches(mls_gather *gather)
{
    mls_cuda_launch *calls = gather->calls.items;
    mls_activity *activities = gather->activities.items;
    const size_t count = gather->activities.count;
    size_t kept = 0;
    /* Sort the calls by correlation and keep the earliest of each. */
    mls_sort_in_place(calls, gather->calls.count, sizeof *calls, correlation_of);
    for (size_t i = 0; i < gather->calls.count; i++) {
        const bool again = kept > 0 && calls[kept - 1].correlation == calls[i].correlation;
        kept += !again;
        if (!again || calls[i].begin < calls[kept - 1].begin)
            calls[kept - 1] = calls[i];
    }
    /* Find the call of each activity; both are sorted. */
    mls_sort_in_place(activities, count, sizeof *activities, launch_of);
    for (size_t i = 0, call = 0; i < count; i++) {
        const uint64_t correlation = (uint64_t)activities[i].launch;
        while (call < kept && calls[call].correlation < correlation)
            call++;
        activities[i].launch = MLS_NO_LAUNCH;
        if (call < kept && calls[call].correlation == correlation) {
            activities[i].launch = calls[call].begin;
            activities[i].row |= calls[call].graph ? MLS_ROW_GRAPH : 0;
        }
    }
    free(calls);
    gather->calls.items = NULL;
    if (gather->steps.count + gather->annotations.count == 0)
        return;

    uint32_t next_step = 0;
    uint32_t next_annotation = 0;
    nest_spans(&gather->steps);
    nest_spans(&gather->annotations);
    mls_sort_in_place(activities, count, sizeof *activities, launch_of);
    for (size_t i = 0; i < count; i++) {
        const mls_activity *activity = &activities[i];
        const double length = (double)activity->length;
        if (activity->launch == MLS_NO_LAUNCH) {
            gather->unknown_ns += length;
            continue;
        }
        gather->launches_known = true;
        mls_host_span *step = find_span(&gather->steps, activity->launch, &next_step);
        mls_host_span *annotation = find_span(&gather->annotations, activity->launch, &next_annotation);
        *(step != NULL ? &step->gpu_ns : &gather->outside_steps_ns) += length;
        if (annotation != NULL) {
            annotation->gpu_ns += length;
            annotation->activities++;
        } else {
            gather->outside_ns += length;
            gather->outside_activities++;
        }
    }
}

/* ---------------------------------------------------------------- timeline */

/* What a device did, in nanoseconds. */
typedef struct device_line {
    uint64_t activities;
    size_t first;                                         /* index of its first activity after sorting by device */
    mls_cover compute, communication, copy, kernels, all; /* kernels: C ∪ N */
    int64_t host, queue, unknown;    /* idle times because of a late host, of a queue, of an unknown cause */
    int64_t from, to, launch;        /* start and end of the last gap; first launch of the activities that ended it */
    uint64_t kernel_count, launched; /* number of kernels; number of those whose launch is known */
    double kernel_time, graph_time;
} device_line;

static void end_gap(device_line *line)
{
    int64_t *cause = line->launch == MLS_NO_LAUNCH ? &line->unknown
                     : line->launch > line->from   ? &line->host
                                                   : &line->queue;
    *cause += line->to - line->from;
    line->from = line->to;
}

/* The length and the launch delay of an activity that is not a kernel, and an unknown delay.  Sorts last. */
#define NOT_RANKED INT64_MAX

static uint64_t start_of(const void *item)
{
    return (uint64_t)((const mls_activity *)item)->start;
}

/* Return the device of an activity.  Valid after mls_gather_line() has replaced the track by the device. */
static uint64_t device_number_of(const void *item)
{
    return ((const mls_activity *)item)->track;
}

static uint64_t length_of(const void *item)
{
    return (uint64_t)((const mls_activity *)item)->length;
}

/* Return the launch delay of an activity, mapped to an unsigned number with the same order.  A delay may be negative if
 * the clocks of host and device differ. */
static uint64_t delay_of(const void *item)
{
    return (uint64_t)((const mls_activity *)item)->launch ^ (uint64_t)1 << 63;
}

/* Return the activity at a percentile (nearest rank) of the first `ranked` activities in the order of number(). */
static const mls_activity *at_percentile(mls_activity *activities, size_t count, uint64_t ranked, unsigned percent,
                                         mls_number_of *number)
{
    const size_t rank = (size_t)((ranked * percent + 99) / 100) - 1;
    mls_select_in_place(activities, count, sizeof *activities, rank, number);
    return &activities[rank];
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

/* List the devices and their streams.  `activities` must be sorted by device. */
static void list_devices(mls_gather *gather, const device_line *lines, mls_activity *activities)
{
    const double none = (double)NAN;
    mls_profile *profile = gather->profile;
    mls_profile_stream *stream = mls_arena_array(gather->arena, gather->tracks.count, sizeof *stream);
    mls_profile_device *device = NULL;
    profile->devices = mls_arena_array(gather->arena, gather->device_map.count, sizeof *device);
    qsort(gather->tracks.items, gather->tracks.count, sizeof *gather->tracks.items, compare_tracks);
    for (size_t i = 0; i < gather->tracks.count; i++, stream++) {
        const mls_track *track = &gather->tracks.items[i];
        if (i == 0 || track->device_number != track[-1].device_number) {
            const device_line *line = &lines[track->device_number];
            const int64_t window = line->all.reach - line->all.first;
            const int64_t exposed = line->kernels.length - line->compute.length;
            const bool known = line->launched > 0;
            mls_activity *own = activities + line->first;
            device = &profile->devices[profile->device_count++];
            *device = (mls_profile_device){
                .device = track->device,
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
                    line->communication.length > 0 ? 1 - (double)exposed / (double)line->communication.length : none,
                .idle_host_ms = milliseconds(line->host),
                .idle_queue_ms = milliseconds(line->queue),
                .idle_unknown_ms = milliseconds(line->unknown),
                .graph_share = known ? mls_profile_share(line->graph_time, line->kernel_time) : none,
                .launch_delay_median_us = none,
                .launch_delay_95_us = none,
                .kernel_median_us = none,
                .without_launch = line->kernel_count - line->launched,
                .streams = stream,
            };
            const size_t count = line->activities;
            if (line->kernel_count > 0) {
                device->kernel_median_us =
                    (double)at_percentile(own, count, line->kernel_count, 50, length_of)->length / 1e3;
            }
            if (known) {
                device->launch_delay_median_us =
                    (double)at_percentile(own, count, line->launched, 50, delay_of)->launch / 1e3;
                device->launch_delay_95_us =
                    (double)at_percentile(own, count, line->launched, 95, delay_of)->launch / 1e3;
            }
        }
        *stream = (mls_profile_stream){track->stream, track->activities, milliseconds(track->busy.length)};
        device->stream_count++;
    }
}

void mls_gather_line(mls_gather *gather)
{
    mls_activity *activities = gather->activities.items;
    const size_t count = gather->activities.count;
    mls_cover all = {0};
    gather->profile->has_devices = true;
    if (count == 0)
        return;
    device_line *lines = mls_calloc(gather->device_map.count, sizeof *lines);
    find_launches(gather);
    mls_sort_in_place(activities, count, sizeof *activities, start_of);
    for (size_t i = 0; i < count; i++) {
        /* After this pass, activity->launch is the launch delay and activity->track the device; `start` is not used. */
        mls_activity *activity = &activities[i];
        mls_track *track = &gather->tracks.items[activity->track];
        const size_t number = activity->row & MLS_ROW_MASK;
        mls_tally_row *row = &gather->tallies[MLS_TALLY_KERNELS].rows[number];
        device_line *line = &lines[track->device_number];
        const bool kernel = mls_row_is_kernel(number);
        const int64_t start = activity->start;
        const int64_t end = start + activity->length;
        const double length = (double)activity->length;
        const int64_t launch = activity->launch;
        const bool launched = launch != MLS_NO_LAUNCH;
        const unsigned roles = gather->classes->roles[row->class_number];
        if (line->all.begun && start > line->all.reach) {
            end_gap(line);
            line->from = line->all.reach;
            line->to = start;
            line->launch = launch;
        } else if (start == line->to && launched && (launch < line->launch || line->launch == MLS_NO_LAUNCH)) {
            line->launch = launch;
        }
        if (kernel) {
            line->kernel_count++;
            line->launched += launched;
            line->kernel_time += length;
            line->graph_time += (activity->row & MLS_ROW_GRAPH) != 0 ? length : 0;
        }
        activity->length = kernel ? activity->length : NOT_RANKED;
        activity->launch = kernel && launched ? start - launch : NOT_RANKED;
        activity->track = (uint32_t)track->device_number;
        track->activities++;
        line->activities++;
        mls_cover_add(&track->busy, start, end);
        mls_cover_add(&line->all, start, end);
        mls_cover_add(&all, start, end);
        if (roles & MLS_CLASS_COPY) {
            mls_cover_add(&line->copy, start, end);
        } else {
            mls_cover_add(roles & MLS_CLASS_COMMUNICATION ? &line->communication : &line->compute, start, end);
            mls_cover_add(&line->kernels, start, end);
        }
        mls_sums_add(&row->sums, 1, length, length, length);
    }
    for (size_t i = 0, first = 0; i < gather->device_map.count; i++) {
        end_gap(&lines[i]);
        lines[i].first = first;
        first += lines[i].activities;
    }
    gather->profile->length_ms = milliseconds(all.reach - all.first);
    gather->first_ns = all.first;
    mls_sort_in_place(activities, count, sizeof *activities, device_number_of);
    list_devices(gather, lines, activities);
    free(lines);
}

/* --------------------------------------------------- steps and annotations */

static int compare_annotations(const void *a, const void *b)
{
    const mls_profile_annotation *x = a;
    const mls_profile_annotation *y = b;
    const double left = isfinite(x->gpu_ms) ? x->gpu_ms : x->host_ms;
    const double right = isfinite(y->gpu_ms) ? y->gpu_ms : y->host_ms;
    return left != right ? (left < right ? 1 : -1) : mls_str_compare(x->name, y->name);
}

void mls_gather_list_annotations(mls_gather *gather)
{
    const mls_tally *names = &gather->tallies[MLS_TALLY_ANNOTATIONS];
    mls_profile *profile = gather->profile;
    mls_sums sums = {.min = (double)NAN, .max = (double)NAN};
    const double known = gather->launches_known ? 0 : (double)NAN;
    const double placed = gather->activities.count > 0 ? 0 : (double)NAN;
    profile->steps.each = mls_arena_array(gather->arena, gather->steps.count + 1, sizeof *profile->steps.each);
    for (size_t i = 0; i < gather->steps.count; i++) {
        const mls_host_span *span = &gather->steps.items[i];
        const double ns = (double)(span->end - span->start);
        profile->steps.each[i] = (mls_profile_step){.number = span->number,
                                                    .start_ms = (double)(span->start - gather->first_ns) / 1e6 + placed,
                                                    .length_ms = ns / 1e6,
                                                    .gpu_ms = span->gpu_ns / 1e6 + known};
        mls_sums_add(&sums, 1, ns, ns, ns);
    }
    profile->steps.count = (uint64_t)sums.count;
    profile->steps.mean_ms = sums.total / 1e6 / sums.count;
    profile->steps.min_ms = sums.min / 1e6;
    profile->steps.max_ms = sums.max / 1e6;
    profile->steps.outside_ms = gather->outside_steps_ns / 1e6 + known;
    profile->steps.unknown_ms = gather->unknown_ns / 1e6;

    mls_profile_annotation *items = mls_arena_array(gather->arena, names->count + 1, sizeof *items);
    for (size_t i = 0; i < names->count; i++) {
        const mls_sums *host = &names->rows[i].sums;
        items[i] = (mls_profile_annotation){
            .name = names->rows[i].name, .count = (uint64_t)host->count, .host_ms = host->total / 1e6};
    }
    for (size_t i = 0; i < gather->annotations.count; i++) {
        const mls_host_span *span = &gather->annotations.items[i];
        items[span->number].gpu_ms += span->gpu_ns;
        items[span->number].activities += span->activities;
    }
    items[names->count] = (mls_profile_annotation){
        .name = {"", 0}, .activities = gather->outside_activities, .gpu_ms = gather->outside_ns};
    profile->annotations = items;
    profile->annotation_count = names->count > 0 ? names->count + gather->launches_known : 0;
    for (size_t i = 0; i < profile->annotation_count; i++) {
        items[i].gpu_ms = items[i].gpu_ms / 1e6 + known;
        items[i].share = mls_profile_share(items[i].gpu_ms, profile->activity_ms);
    }
    qsort(items, profile->annotation_count, sizeof *items, compare_annotations);
}
