/* SPDX-License-Identifier: Apache-2.0 */
/* ranks.c - the collectives that the ranks of a job have in common: how long each took, and who waited in it.
 *
 * The kernels of each rank stand together by key, in their order.  So the keys of all ranks are put side by side, and
 * of those that stand equally often with every rank that has them the first is the first, and so on. */
#include "explain/profile/rank_traces.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/statistics.h"
#include "base/utf8.h"
#include "base/words.h"

/* How far apart clocks are that are reported. */
#define CLOCKS_APART_MS 1.0

enum { NAME_SHOWN = 60 };

/* A key that a rank has. */
typedef struct rank_key {
    size_t shared; /* its number among those of all ranks */
    size_t rank;   /* by its place */
    const mls_collective_key *key;
    const mls_collective *kernels;
} rank_key;

/* Whole nanoseconds, exact below 2^53. */
typedef struct rank_sums {
    double transfer, waiting, others_waited;
    double *apart; /* milliseconds by which its collectives end after those of the first rank */
    size_t apart_count;
} rank_sums;

typedef struct ranks_match {
    mls_ranks *ranks;
    mls_arena scratch;
    MLS_LIST_OF(rank_key) keys;
    rank_sums *sums; /* by the place of the rank */
    mls_waits waits;
    mls_map kinds; /* of collectives: their places in the list of the ranks */
    size_t kind_capacity;
} ranks_match;

static int compare_rank_keys(const void *a, const void *b)
{
    const rank_key *x = a;
    const rank_key *y = b;
    return x->shared != y->shared ? (x->shared < y->shared ? -1 : 1) : (x->rank > y->rank) - (x->rank < y->rank);
}

/* The keys of all ranks, equal ones side by side. */
static bool list_keys(ranks_match *match)
{
    mls_map shared = {.arena = &match->scratch};
    for (size_t r = 0; r < match->ranks->count; r++) {
        const struct mls_collectives *of = match->ranks->items[r].profile->collectives;
        for (size_t i = 0; of != NULL && i < of->keys.count; i++) {
            const mls_collective_key *key = &of->keys.items[i];
            const mls_map_entry *entry = key->count > 0 ? mls_map_put(&shared, key->whole, NULL) : NULL;
            if (key->count > 0 && (entry == NULL || !MLS_GROW(&match->keys, items))) {
                return false;
            }
            if (key->count > 0) {
                match->keys.items[match->keys.count++] =
                    (rank_key){(size_t)(entry - shared.entries), r, key, of->kernels.items + key->first};
            }
        }
    }
    if (match->keys.count > 0) {
        qsort(match->keys.items, match->keys.count, sizeof *match->keys.items, compare_rank_keys);
    }
    return true;
}

/* The sums of collectives of one kind and size; NULL: no memory. */
static mls_collective_sum *kind_of_key(ranks_match *match, const mls_collective_key *key)
{
    mls_ranks *ranks = match->ranks;
    mls_buffer name = {0};
    const double bytes = mls_collective_bytes(key);
    bool added = false;
    mls_buffer_printf(&name, "%.0f %.0f ", bytes, key->size);
    mls_buffer_append(&name, key->texts[MLS_COLLECTIVE_NAME]);
    mls_map_entry *entry = mls_map_put(&match->kinds, mls_buffer_str(&name), &added);
    mls_buffer_release(&name);
    if (added) {
        const mls_str kept = mls_arena_copy(ranks->arena, key->texts[MLS_COLLECTIVE_NAME]);
        mls_arena_grow(ranks->arena, (void **)&ranks->collectives, ranks->collective_count, &match->kind_capacity,
                       sizeof *ranks->collectives);
        entry->value.number = ranks->collective_count;
        ranks->collectives[ranks->collective_count++] =
            (mls_collective_sum){.name = kept, .bytes = bytes, .members = key->size};
    }
    return &ranks->collectives[entry->value.number];
}

/* When a kernel ended, in milliseconds of the clock of its rank. */
static double kernel_end_ms(const mls_rank *rank, const mls_collective *kernel)
{
    const int64_t base = rank->profile->collectives->base_ns;
    return (double)(base > 0 ? base : 0) / 1e6 + (double)(kernel->start + kernel->length) / 1e6;
}

/* Adds collective number i of those whose keys these are. */
static void add_collective(ranks_match *match, const rank_key *keys, size_t count, size_t i, mls_collective_sum *sum)
{
    const mls_rank *first = &match->ranks->items[keys[0].rank];
    size_t last_to_come = 0;
    double waited = 0;
    double longest = 0;
    for (size_t k = 1; k < count; k++) {
        last_to_come = keys[k].kernels[i].length < keys[last_to_come].kernels[i].length ? k : last_to_come;
    }
    const int64_t transfer = keys[last_to_come].kernels[i].length;
    for (size_t k = 0; k < count; k++) {
        rank_sums *sums = &match->sums[keys[k].rank];
        const double wait = (double)(keys[k].kernels[i].length - transfer);
        sums->transfer += (double)transfer;
        sums->waiting += wait;
        waited += wait;
        longest = wait > longest ? wait : longest;
        match->ranks->items[keys[k].rank].matched++;
        if (k > 0 && keys[0].rank == 0) {
            sums->apart[sums->apart_count++] = kernel_end_ms(&match->ranks->items[keys[k].rank], &keys[k].kernels[i]) -
                                               kernel_end_ms(first, &keys[0].kernels[i]);
        }
    }
    match->sums[keys[last_to_come].rank].others_waited += waited;
    match->waits.total += waited;
    if (longest > match->waits.longest) {
        match->waits.longest = longest;
        match->waits.longest_total = waited;
        match->waits.longest_awaited = keys[last_to_come].rank;
    }
    sum->count++;
    sum->transfer_ms += (double)transfer; /* nanoseconds until the end: these are exact */
    sum->waiting_ms += waited;
}

/* Point-to-point kernels are named like collectives, but the one rank's send is the other's receive. */
static bool is_point_to_point(mls_str name)
{
    return mls_str_among(name, "send recv");
}

/* Why the keys of some ranks, which are equal, are not matched; false: they are. */
static bool say_unmatched(ranks_match *match, const rank_key *keys, size_t count)
{
    const mls_rank *ranks = match->ranks->items;
    const mls_collective_key *key = keys[0].key;
    const mls_str name = key->texts[MLS_COLLECTIVE_NAME];
    const mls_str elements = key->texts[MLS_COLLECTIVE_IN];
    const mls_str type = key->texts[MLS_COLLECTIVE_TYPE];
    const mls_str group = key->texts[MLS_COLLECTIVE_GROUP];
    const bool pair = is_point_to_point(name);
    mls_buffer why = {0};
    size_t fewest = 0;
    size_t most = 0;
    for (size_t k = 1; k < count; k++) {
        fewest = keys[k].key->count < keys[fewest].key->count ? k : fewest;
        most = keys[k].key->count > keys[most].key->count ? k : most;
    }
    if (count > 1 && fewest == most && !pair) {
        return false;
    }
    if (pair) {
        mls_buffer_append_text(&why, "it is no collective, but goes from one rank to another");
    } else if (count == 1) {
        mls_buffer_printf(&why, "rank %zu alone has it, %s", ranks[keys[0].rank].rank,
                          mls_words_plural(key->count, "time", "times").text);
    } else {
        mls_buffer_printf(&why, "rank %zu has %zu of them, rank %zu %zu", ranks[keys[fewest].rank].rank,
                          keys[fewest].key->count, ranks[keys[most].rank].rank, keys[most].key->count);
    }
    match->ranks->unmatched++;
    if (key->size != 1) { /* a group of one waits for nobody */
        mls_findings_add(&match->ranks->findings, MLS_FINDING_COLLECTIVE_UNMATCHED, (mls_finding_place){.path = NULL},
                         "%.*s of %.*s %.*s in group '%.*s' is not matched: %s", MLS_CUT(name, NAME_SHOWN),
                         MLS_CUT(elements, NAME_SHOWN), MLS_CUT(type, NAME_SHOWN), MLS_CUT(group, NAME_SHOWN), why.ptr);
    }
    match->ranks->findings.out_of_memory |= why.failed;
    mls_buffer_release(&why);
    return true;
}

static bool match_keys(ranks_match *match)
{
    for (size_t i = 0, end; i < match->keys.count; i = end) {
        const rank_key *keys = &match->keys.items[i];
        for (end = i + 1; end < match->keys.count && match->keys.items[end].shared == keys->shared;) {
            end++;
        }
        if (say_unmatched(match, keys, end - i)) {
            continue;
        }
        mls_collective_sum *sum = kind_of_key(match, keys->key);
        if (sum == NULL) {
            return false;
        }
        for (size_t k = 0; k < keys->key->count; k++) {
            add_collective(match, keys, end - i, k, sum);
        }
        match->ranks->matched += keys->key->count;
    }
    return true;
}

static int compare_sums(const void *a, const void *b)
{
    const mls_collective_sum *x = a;
    const mls_collective_sum *y = b;
    const double left = x->transfer_ms + x->waiting_ms;
    const double right = y->transfer_ms + y->waiting_ms;
    return left != right              ? (left < right ? 1 : -1)
           : x->bytes != y->bytes     ? mls_compare_doubles(y->bytes, x->bytes)
           : x->members != y->members ? mls_compare_doubles(x->members, y->members)
                                      : mls_str_compare(x->name, y->name);
}

static void finish_sums(ranks_match *match)
{
    mls_ranks *ranks = match->ranks;
    for (size_t i = 0; i < ranks->count; i++) {
        mls_rank *rank = &ranks->items[i];
        rank->transfer_ms = match->sums[i].transfer / 1e6;
        rank->waiting_ms = match->sums[i].waiting / 1e6;
        rank->others_waited_ms = match->sums[i].others_waited / 1e6;
    }
    for (size_t i = 0; i < ranks->collective_count; i++) {
        mls_collective_sum *sum = &ranks->collectives[i];
        const double moved = (double)sum->count * sum->bytes * mls_collective_factor(sum->name, sum->members);
        sum->transfer_ms /= 1e6;
        sum->waiting_ms /= 1e6;
        sum->bus_gb_s = sum->transfer_ms > 0 ? moved / 1e9 / (sum->transfer_ms / 1e3) : (double)NAN;
    }
    if (ranks->collective_count > 0) {
        qsort(ranks->collectives, ranks->collective_count, sizeof *ranks->collectives, compare_sums);
    }
}

/* A collective ends for all ranks at once, but for microseconds: where it does not, their clocks differ. */
static void check_clocks(const ranks_match *match)
{
    mls_ranks *ranks = match->ranks;
    for (size_t i = 1; i < ranks->count; i++) {
        const mls_rank *rank = &ranks->items[i];
        const rank_sums *sums = &match->sums[i];
        mls_sort_doubles(sums->apart, sums->apart_count);
        const double apart = mls_median(sums->apart, sums->apart_count);
        if (fabs(apart) >= CLOCKS_APART_MS && isfinite(rank->profile->start_ms) &&
            isfinite(ranks->items[0].profile->start_ms)) {
            mls_findings_add(&ranks->findings, MLS_FINDING_RANK_CLOCK, (mls_finding_place){.path = rank->profile->file},
                             "the clock of rank %zu is %s ms %s that of rank %zu, by the ends of %s: times of day of "
                             "these traces cannot be compared; waiting is measured without clocks",
                             rank->rank, mls_words_trimmed(fabs(apart), 3).text, apart > 0 ? "ahead of" : "behind",
                             ranks->items[0].rank,
                             mls_words_plural(sums->apart_count, "collective", "collectives").text);
        }
    }
}

/* Reports kernels not matched for lack of arguments, or of room. */
static void check_arguments(mls_ranks *ranks)
{
    for (size_t i = 0; i < ranks->count; i++) {
        const mls_profile *profile = ranks->items[i].profile;
        const mls_finding_place place = {.path = profile->file};
        if (profile->nccl_without_arguments > 0) {
            mls_findings_add(&ranks->findings, MLS_FINDING_COLLECTIVE_ARGUMENTS, place,
                             "not matched, as nothing says of which collective they are: %s of NCCL",
                             mls_words_plural(profile->nccl_without_arguments, "kernel", "kernels").text);
        }
        if (profile->collectives != NULL && profile->collectives->dropped > 0) {
            mls_findings_add(&ranks->findings, MLS_FINDING_TOO_MUCH, place,
                             "not matched, as there are more kinds of collectives than can be kept: %s",
                             mls_words_plural(profile->collectives->dropped, "kernel", "kernels").text);
        }
    }
}

/* Room for the ends of the collectives of each rank. */
static bool make_sums(ranks_match *match)
{
    const size_t count = match->ranks->count;
    match->sums = mls_arena_zeroed(&match->scratch, count, sizeof *match->sums);
    for (size_t i = 0; i < count; i++) {
        const struct mls_collectives *of = match->ranks->items[i].profile->collectives;
        const size_t kernels = of != NULL ? of->kernels.count : 0;
        match->sums[i].apart = mls_arena_array(&match->scratch, kernels + 1, sizeof(double));
    }
    return match->sums != NULL;
}

static bool match_ranks(mls_ranks *ranks)
{
    ranks_match match = {.ranks = ranks};
    match.kinds.arena = &match.scratch;
    const bool ok = make_sums(&match) && list_keys(&match) && match_keys(&match);
    if (ok) {
        finish_sums(&match);
        check_clocks(&match);
        check_arguments(ranks);
    }
    free(match.keys.items);
    mls_arena_release(&match.scratch);
    return ok && mls_ranks_judge(ranks, &match.waits);
}

static bool take_traces(mls_ranks *ranks, const mls_rank_traces *traces)
{
    ranks->items = mls_arena_zeroed(ranks->arena, traces->count + 1, sizeof *ranks->items);
    for (size_t i = 0; i < traces->count; i++) {
        mls_profile *profile = traces->items[i].profile;
        mls_rank *rank = &ranks->items[ranks->count++];
        const mls_str below = traces->items[i].below;
        rank->rank = traces->items[i].rank;
        rank->below = below.ptr;
        ranks->folder = (mls_str){profile->file, (size_t)(below.ptr - profile->file)};
        rank->profile = profile;
        ranks->world_size = profile->world_size > ranks->world_size ? profile->world_size : ranks->world_size;
        for (size_t d = 0; d < profile->device_count; d++) {
            const mls_profile_device *device = &profile->devices[d];
            rank->compute_ms += device->compute_ms;
            rank->idle_ms += device->idle_ms;
            rank->idle_host_ms += device->idle_host_ms;
            rank->idle_queue_ms += device->idle_queue_ms;
            rank->idle_unknown_ms += device->idle_unknown_ms;
        }
    }
    return ranks->items != NULL;
}

mls_status mls_ranks_join(mls_profile *const *profiles, size_t count, mls_ranks **ranks)
{
    mls_rank_traces traces = {0};
    mls_ranks *made = mls_calloc(1, sizeof *made);
    bool ok = made != NULL && (made->arena = mls_calloc(1, sizeof *made->arena)) != NULL &&
              mls_rank_traces_find(profiles, count, &traces, &made->findings);
    const bool none = ok && traces.count == 0;
    ok = ok && (none || (take_traces(made, &traces) && match_ranks(made)));
    free(traces.items);
    if (!ok || none) {
        mls_ranks_free(made);
        made = NULL;
    }
    *ranks = made;
    return ok ? MLS_OK : MLS_ERROR_MEMORY;
}

void mls_ranks_free(mls_ranks *ranks)
{
    if (ranks != NULL) {
        mls_arena_free(ranks->arena);
        mls_findings_release(&ranks->findings);
        free(ranks);
    }
}
