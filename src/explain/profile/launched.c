/* SPDX-License-Identifier: Apache-2.0 */
/* launched.c - what nsys says of launches, and what its rules found. */
#include <stdlib.h>

#include "explain/profile/gather.h"

void mls_pair_split(mls_str name, mls_str *first, mls_str *second)
{
    const char *blank = name.len > 0 ? memchr(name.ptr, ' ', name.len) : NULL;
    const size_t len = blank != NULL ? (size_t)(blank - name.ptr) : name.len;
    *first = (mls_str){name.ptr, len};
    *second = blank != NULL ? (mls_str){blank + 1, name.len - len - 1} : (mls_str){"", 0};
}

static int compare_launches(const void *a, const void *b)
{
    const mls_profile_launches *x = a;
    const mls_profile_launches *y = b;
    return x->queue_ms != y->queue_ms ? (x->queue_ms < y->queue_ms ? 1 : -1)
           : x->api_ms != y->api_ms   ? (x->api_ms < y->api_ms ? 1 : -1)
                                      : mls_str_compare(x->name, y->name);
}

static int compare_found(const void *a, const void *b)
{
    const mls_profile_found *x = a;
    const mls_profile_found *y = b;
    const int rule = mls_str_compare(x->rule, y->rule);
    return rule != 0                    ? rule
           : x->total_ms != y->total_ms ? (x->total_ms < y->total_ms ? 1 : -1)
                                        : mls_str_compare(x->name, y->name);
}

static bool list_launches(mls_gather *gather)
{
    const mls_tally *tally = &gather->tallies[MLS_TALLY_LAUNCHES];
    mls_profile_launches *items = mls_arena_array(gather->arena, tally->count + 1, sizeof *items);
    gather->profile->launches = items;
    for (size_t i = 0; i < tally->count; i++) {
        const mls_sums *sums = &tally->rows[i].in[gather->locale];
        const mls_launch_sums *beside = &gather->launch_sums.items[i];
        items[i] = (mls_profile_launches){.count = (uint64_t)sums->count,
                                          .api_ms = beside->api[gather->locale] / 1e6,
                                          .queue_ms = beside->queue[gather->locale] / 1e6,
                                          .kernel_ms = sums->total / 1e6};
        mls_pair_split(tally->rows[i].name, &items[i].api, &items[i].name);
    }
    gather->profile->launch_count = tally->count;
    qsort(items, tally->count, sizeof *items, compare_launches);

    return items != NULL;
}

static bool list_found(mls_gather *gather)
{
    const mls_tally *tally = &gather->tallies[MLS_TALLY_ANALYSIS];
    mls_profile_found *items = mls_arena_array(gather->arena, tally->count + 1, sizeof *items);
    gather->profile->analysis = items;
    for (size_t i = 0; i < tally->count; i++) {
        const mls_sums *sums = &tally->rows[i].in[gather->locale];
        items[i] = (mls_profile_found){
            .count = (uint64_t)sums->count, .total_ms = sums->total / 1e6, .longest_ms = sums->max / 1e6};
        mls_pair_split(tally->rows[i].name, &items[i].rule, &items[i].name);
    }
    gather->profile->analysis_count = tally->count;
    qsort(items, tally->count, sizeof *items, compare_found);

    return items != NULL;
}

bool mls_gather_list_launched(mls_gather *gather)
{
    return (!gather->tallies[MLS_TALLY_LAUNCHES].known || list_launches(gather)) &&
           (!gather->tallies[MLS_TALLY_ANALYSIS].known || list_found(gather));
}
