/* SPDX-License-Identifier: Apache-2.0 */
/* launches.c - which call launched an activity: the one with its correlation, of several the earliest. */
#include <stdlib.h>

#include "explain/profile/gather.h"

static uint64_t correlation_of(const void *item)
{
    return ((const mls_cuda_launch *)item)->correlation;
}

static uint64_t begin_of(const mls_cuda_launch *call)
{
    return (uint64_t)call->begin[0] << 32 | call->begin[1];
}

bool mls_gather_call(mls_gather *gather, int64_t correlation, int64_t begin, bool graph)
{
    if (correlation < 0 || correlation > UINT32_MAX || begin < 0 || begin > INT64_MAX / 2) {
        return true;
    }
    const uint64_t kept = 2 * (uint64_t)begin + graph;
    MLS_GROW(&gather->calls, items);
    gather->calls.items[gather->calls.count++] =
        (mls_cuda_launch){(uint32_t)correlation, {(uint32_t)(kept >> 32), (uint32_t)kept}};

    return true;
}

/* Brings the calls into the order of their correlations, each once. */
static void order_calls(mls_gather *gather)
{
    mls_cuda_launch *calls = gather->calls.items;
    size_t kept = 0;
    mls_sort_in_place(calls, gather->calls.count, sizeof *calls, correlation_of);
    for (size_t i = 0; i < gather->calls.count; i++) {
        const bool again = kept > 0 && calls[kept - 1].correlation == calls[i].correlation;
        kept += !again;
        if (!again || begin_of(&calls[i]) < begin_of(&calls[kept - 1])) {
            calls[kept - 1] = calls[i];
        }
    }
    gather->calls.count = kept;
}

/* The place of the first call with that correlation or a higher one, which is mostly `near` another. */
static size_t call_place(const mls_gather *gather, uint64_t correlation, size_t near)
{
    enum { AROUND = 64 };
    const mls_cuda_launch *calls = gather->calls.items;
    const size_t count = gather->calls.count;
    size_t low = near > AROUND ? near - AROUND : 0;
    size_t high = near + AROUND < count ? near + AROUND : count;
    low = low > 0 && calls[low - 1].correlation >= correlation ? 0 : low;
    high = high < count && calls[high].correlation < correlation ? count : high;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (calls[middle].correlation < correlation) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

void mls_gather_launches(mls_gather *gather)
{
    size_t near = 0;
    order_calls(gather);
    for (size_t i = 0; i < gather->activities.count; i++) {
        mls_activity *activity = &gather->activities.items[i];
        const uint64_t correlation = (uint64_t)activity->launch;
        near = call_place(gather, correlation, near);
        activity->launch = MLS_NO_LAUNCH;
        if (near < gather->calls.count && gather->calls.items[near].correlation == correlation) {
            const uint64_t begin = begin_of(&gather->calls.items[near]);
            activity->launch = (int64_t)(begin / 2);
            activity->row |= begin % 2 != 0 ? MLS_ROW_GRAPH : 0;
        }
    }
    free(gather->calls.items);
    gather->calls.items = NULL;
    gather->calls.count = gather->calls.capacity = 0;
}
