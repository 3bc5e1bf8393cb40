/* SPDX-License-Identifier: Apache-2.0 */
/* rank_names.c - which traces are of one job, and whose each is: what it says, else its name, else its place. */
#include <stdlib.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/number.h"
#include "explain/profile/rank_traces.h"

enum { RANK_LEN = 4, LISTED = 8 };

/* Whether what stands before a "rank" says that it is one of a node only. */
static bool is_local(mls_str before)
{
    const mls_str local = MLS_S("local");
    if (before.len > 0 && strchr("_-. ", before.ptr[before.len - 1]) != NULL) {
        before.len--;
    }
    return before.len >= local.len && mls_str_alike((mls_str){before.ptr + before.len - local.len, local.len}, local);
}

/* The number behind "rank" in a part of a path, "rank3", "Rank_03", "rank-3". */
static bool rank_in_part(mls_str part, size_t *rank)
{
    for (size_t i = 0; i + RANK_LEN < part.len; i++) {
        size_t at = i + RANK_LEN;
        if (!mls_str_alike((mls_str){part.ptr + i, RANK_LEN}, MLS_S("rank")) || is_local((mls_str){part.ptr, i})) {
            continue;
        }
        at += !mls_is_digit(part.ptr[at]) && strchr("_-.=: ", part.ptr[at]) != NULL;
        mls_str digits = {part.ptr + at, 0};
        while (at + digits.len < part.len && mls_is_digit(digits.ptr[digits.len])) {
            digits.len++;
        }
        if (mls_size_parse(digits, rank) && *rank < MLS_WORLD_MAX) {
            return true;
        }
    }
    return false;
}

/* That of a file's name, else of the nearest folder with one. */
static bool rank_in_path(mls_str path, size_t *rank)
{
    while (path.len > 0) {
        if (rank_in_part(mls_path_cut(&path), rank)) {
            return true;
        }
    }
    return false;
}

/* The folder that all traces are below; "" where there is none. */
static mls_str common_folder(const mls_rank_traces *traces)
{
    mls_str folder = {"", 0};
    for (size_t i = 0; i < traces->count; i++) {
        const mls_str path = mls_str_from(traces->items[i].profile->file);
        folder = i == 0 ? mls_path_folder(path) : folder;
        while (!mls_str_starts(path, folder)) {
            folder = mls_path_folder((mls_str){folder.ptr, folder.len - 1});
        }
    }
    return folder;
}

static void list_traces(mls_profile *const *profiles, size_t count, mls_rank_traces *traces)
{
    for (size_t i = 0; i < count; i++) {
        if (profiles[i]->kind == MLS_PROFILE_KINETO) {
            MLS_GROW(traces, items);
            traces->items[traces->count++] = (mls_rank_trace){.profile = profiles[i], .place = i};
        }
    }
    const size_t folder = common_folder(traces).len;
    for (size_t i = 0; i < traces->count; i++) {
        mls_rank_trace *trace = &traces->items[i];
        const mls_str path = mls_str_from(trace->profile->file);
        trace->below = mls_str_rest(path, folder);
        trace->by = trace->profile->has_rank                   ? MLS_RANK_SAID
                    : rank_in_path(trace->below, &trace->rank) ? MLS_RANK_NAMED
                                                               : MLS_RANK_ORDERED;
        trace->rank = trace->by == MLS_RANK_SAID ? trace->profile->rank : trace->rank;
    }
}

/* Keeps those of a job: found in a folder beside others, of several ranks, or named like that.  They are one where a
 * folder says so, or two named ones are of two ranks. */
static void keep_members(mls_rank_traces *traces)
{
    const bool others = traces->count > 1;
    size_t kept = 0;
    bool one = false;
    for (size_t i = 0; i < traces->count; i++) {
        const mls_rank_trace trace = traces->items[i];
        const bool several = trace.profile->world_size > 1;
        if (several || (others && (trace.profile->in_folder || trace.by == MLS_RANK_NAMED))) {
            traces->items[kept++] = trace;
            one |= trace.profile->in_folder ||
                   (kept > 1 && (trace.by == MLS_RANK_ORDERED || trace.rank != traces->items[0].rank));
        }
    }
    traces->count = one ? kept : 0;
}

static int compare_paths(const void *a, const void *b)
{
    const mls_rank_trace *x = a;
    const mls_rank_trace *y = b;
    const int order = mls_str_compare_natural(x->below, y->below);
    return order != 0 ? order : (x->place > y->place) - (x->place < y->place);
}

static int compare_ranks(const void *a, const void *b)
{
    const mls_rank_trace *x = a;
    const mls_rank_trace *y = b;
    return x->rank != y->rank ? (x->rank < y->rank ? -1 : 1)
           : x->by != y->by   ? (x->by < y->by ? -1 : 1)
                              : compare_paths(a, b);
}

/* Who says nothing of a rank has the place of its name. */
static void order_traces(mls_rank_traces *traces, mls_findings *findings)
{
    qsort(traces->items, traces->count, sizeof *traces->items, compare_paths);
    for (size_t i = 0; i < traces->count; i++) {
        mls_rank_trace *trace = &traces->items[i];
        if (trace->by == MLS_RANK_ORDERED) {
            trace->rank = i;
            mls_findings_add(findings, MLS_FINDING_RANK_GUESSED, (mls_finding_place){.path = trace->profile->file},
                             "neither the trace nor its name says its rank: it is taken for rank %zu, by the order of "
                             "names",
                             i);
        }
    }
    qsort(traces->items, traces->count, sizeof *traces->items, compare_ranks);
}

/* Of a rank that is there twice the first counts. */
static void drop_repeated_ranks(mls_rank_traces *traces, mls_findings *findings)
{
    size_t kept = 0;
    for (size_t i = 0; i < traces->count; i++) {
        const mls_rank_trace *trace = &traces->items[i];
        const mls_rank_trace *before = kept > 0 ? &traces->items[kept - 1] : NULL;
        if (before != NULL && before->rank == trace->rank) {
            mls_findings_add(findings, MLS_FINDING_RANK_REPEATED, (mls_finding_place){.path = trace->profile->file},
                             "is of rank %zu, as %s is: it is left out; are they of different jobs?", trace->rank,
                             before->profile->file);
        } else {
            traces->items[kept++] = *trace;
        }
    }
    traces->count = kept;
}

static void check_world(const mls_rank_traces *traces, mls_findings *findings)
{
    size_t world = 0;
    for (size_t i = 0; i < traces->count; i++) {
        const mls_rank_trace *trace = &traces->items[i];
        const size_t said = trace->profile->world_size;
        const mls_finding_place place = {.path = trace->profile->file};
        world = world > 0 ? world : said;
        if (said != world && said > 0) {
            mls_findings_add(findings, MLS_FINDING_WORLD_SIZE, place,
                             "is of a job of %zu ranks, others of one of %zu: they are matched all the same", said,
                             world);
        } else if (said > 0 && trace->rank >= said) {
            mls_findings_add(findings, MLS_FINDING_WORLD_SIZE, place, "says to be of rank %zu in a job of %zu ranks",
                             trace->rank, said);
        }
    }
}

/* Says which ranks up to the last one have no trace. */
static void find_missing(const mls_rank_traces *traces, mls_findings *findings)
{
    mls_buffer list = {0};
    size_t world = 0;
    size_t missing = 0;
    for (size_t i = 0; i < traces->count; i++) {
        const mls_rank_trace *trace = &traces->items[i];
        world = world > trace->rank ? world : trace->rank + 1;
        world = world > trace->profile->world_size ? world : trace->profile->world_size;
    }
    for (size_t rank = 0, i = 0; rank < world; rank++) {
        const bool there = i < traces->count && traces->items[i].rank == rank;
        i += there;
        missing += !there;
        if (!there && missing <= LISTED) {
            mls_buffer_printf(&list, "%s%zu", missing > 1 ? ", " : "", rank);
        }
    }
    if (missing > LISTED) {
        mls_buffer_append_text(&list, ", …");
    }
    findings->out_of_memory |= list.failed;
    if (missing > 0) {
        mls_findings_add(findings, MLS_FINDING_RANK_MISSING, (mls_finding_place){.path = NULL},
                         "of %zu ranks these have no trace here: %s; who waited for them is not seen", world, list.ptr);
    }
    mls_buffer_release(&list);
}

bool mls_rank_traces_find(mls_profile *const *profiles, size_t count, mls_rank_traces *traces, mls_findings *findings)
{
    list_traces(profiles, count, traces);
    keep_members(traces);
    if (traces->count > 0) {
        order_traces(traces, findings);
        drop_repeated_ranks(traces, findings);
        check_world(traces, findings);
        find_missing(traces, findings);
    }
    return !findings->out_of_memory;
}
