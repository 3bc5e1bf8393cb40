/* SPDX-License-Identifier: Apache-2.0 */
/* annotations.c - steps and annotations of the host, and what was launched in each.
 *
 * The GPU's work belongs to the innermost annotation around its launch, whichever thread that was on. */
#include <math.h>
#include <stdlib.h>

#include "base/number.h"
#include "explain/profile/gather.h"

/* Deeper ones are not looked into. */
enum { NESTED_MAX = 64 };
#define NO_SPAN UINT32_MAX

bool mls_gather_annotation(mls_gather *gather, mls_str name, int64_t start, int64_t length)
{
    const mls_str prefix = MLS_S("ProfilerStep#");
    const double ns = (double)length;
    size_t number = 0;
    bool full = false;
    const bool step =
        mls_str_starts(name, prefix) && mls_size_parse(mls_str_rest(name, prefix.len), &number) && number < UINT32_MAX;
    mls_host_spans *to = step ? &gather->steps : &gather->annotations;
    mls_tally_row *row = step ? NULL : mls_tally_put(&gather->tallies[MLS_TALLY_ANNOTATIONS], name, &full);
    if (full || length > INT64_MAX - start || to->count == UINT32_MAX) {
        return true;
    }
    if ((!step && row == NULL) || !MLS_GROW(to, items)) {
        return false;
    }
    if (!step) {
        number = (size_t)(row - gather->tallies[MLS_TALLY_ANNOTATIONS].rows);
        mls_sums_add(&row->in[MLS_LOCALE_POINT], 1, ns, ns, ns);
    }
    to->items[to->count++] = (mls_host_span){.start = start, .end = start + length, .number = (uint32_t)number};
    return true;
}

/* The outer one first. */
static int compare_host_spans(const void *a, const void *b)
{
    const mls_host_span *x = a;
    const mls_host_span *y = b;
    return x->start != y->start ? (x->start < y->start ? -1 : 1) : (x->end < y->end) - (x->end > y->end);
}

/* Brings spans into order; around each is the nearest one before it that has not ended when it begins. */
static void nest_spans(mls_host_spans *spans)
{
    if (spans->count > 0) {
        qsort(spans->items, spans->count, sizeof *spans->items, compare_host_spans);
    }
    for (uint32_t i = 0; i < spans->count; i++) {
        uint32_t around = i > 0 ? i - 1 : NO_SPAN;
        while (around != NO_SPAN && spans->items[around].end <= spans->items[i].start) {
            around = spans->items[around].around;
        }
        spans->items[i].around = around;
    }
}

/* The innermost span that a time lies in, which mostly begins at or just behind `near`; NULL: it is in none. */
static mls_host_span *find_span(const mls_host_spans *spans, int64_t time, size_t *near)
{
    size_t low = 0;
    size_t high = spans->count;
    if (*near < high && spans->items[*near].start <= time) {
        low = *near + 1;
        high = low < high && spans->items[low].start > time ? low : high;
    }
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (spans->items[middle].start <= time) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    uint32_t at = low > 0 ? (uint32_t)(low - 1) : NO_SPAN;
    *near = low > 0 ? low - 1 : 0;
    for (int depth = 0; depth < NESTED_MAX && at != NO_SPAN && spans->items[at].end <= time; depth++) {
        at = spans->items[at].around;
    }
    return at != NO_SPAN && spans->items[at].end > time ? &spans->items[at] : NULL;
}

void mls_gather_attribute(mls_gather *gather)
{
    size_t near_step = 0;
    size_t near = 0;
    nest_spans(&gather->steps);
    nest_spans(&gather->annotations);
    for (size_t i = 0; i < gather->activities.count && gather->steps.count + gather->annotations.count > 0; i++) {
        const mls_activity *activity = &gather->activities.items[i];
        const double length = (double)activity->length;
        if (activity->launch == MLS_NO_LAUNCH) {
            gather->unknown_ns += length;
            continue;
        }
        gather->launches_known = true;
        mls_host_span *step = find_span(&gather->steps, activity->launch, &near_step);
        mls_host_span *annotation = find_span(&gather->annotations, activity->launch, &near);
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

static bool list_steps(mls_gather *gather)
{
    mls_profile *profile = gather->profile;
    mls_sums sums = {.min = (double)NAN, .max = (double)NAN};
    const double known = gather->launches_known ? 0 : (double)NAN;
    const double placed = gather->activities.count > 0 ? 0 : (double)NAN;
    mls_profile_step *step = mls_arena_array(gather->arena, gather->steps.count + 1, sizeof *step);
    profile->steps.each = step;
    for (size_t i = 0; step != NULL && i < gather->steps.count; i++, step++) {
        const mls_host_span *span = &gather->steps.items[i];
        const double ns = (double)(span->end - span->start);
        *step = (mls_profile_step){.number = span->number,
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
    return step != NULL;
}

static int compare_annotations(const void *a, const void *b)
{
    const mls_profile_annotation *x = a;
    const mls_profile_annotation *y = b;
    const double left = isfinite(x->gpu_ms) ? x->gpu_ms : x->host_ms;
    const double right = isfinite(y->gpu_ms) ? y->gpu_ms : y->host_ms;
    return left != right ? (left < right ? 1 : -1) : mls_str_compare(x->name, y->name);
}

bool mls_gather_list_annotations(mls_gather *gather)
{
    const mls_tally *names = &gather->tallies[MLS_TALLY_ANNOTATIONS];
    const double known = gather->launches_known ? 0 : (double)NAN;
    mls_profile *profile = gather->profile;
    mls_profile_annotation *items = mls_arena_array(gather->arena, names->count + 1, sizeof *items);
    if (!list_steps(gather)) {
        return false;
    }
    for (size_t i = 0; i < names->count; i++) {
        const mls_sums *host = &names->rows[i].in[MLS_LOCALE_POINT];
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
    return true;
}
