/* SPDX-License-Identifier: Apache-2.0 */
/* resubmitted.c - results whose runs are published already, as those of an earlier round or of another system: a run is
 * known again by the millisecond of its run_start. */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/statistics.h"
#include "compare/published/published.h"
#include "submission/judge.h"

/* A run by its start, which comes first for sorting. */
typedef struct own_start {
    double start_ms;
    const mls_submission_result *result;
    const char *as; /* the system of the published result that was last found to have the run; NULL: none */
} own_start;

/* How many runs of a result are those of a published one. */
typedef struct known_again {
    const mls_submission_result *result;
    mls_published_starts as;
    size_t count, place; /* place: when it was found */
} known_again;

typedef struct search {
    const mls_judged_results *judged;
    own_start *starts; /* ascending */
    size_t count;
    mls_str round; /* of the submission itself */
    MLS_LIST_OF(known_again) found;
} search;

static bool is_same_result(const mls_published_starts *a, const mls_published_starts *b)
{
    return a->round.ptr == b->round.ptr && mls_str_equal(a->system_id, b->system_id) &&
           mls_str_equal(a->benchmark, b->benchmark);
}

static mls_status note_known(search *in, own_start *own, const mls_published_starts *as)
{
    const mls_submission_result *result = own->result;
    const bool same_system = mls_str_equal(as->system_id, mls_str_from(result->system));
    if (own->as == as->system_id.ptr || !mls_str_equal(as->benchmark, mls_str_from(result->benchmark)) ||
        (same_system && mls_str_compare_natural(as->round, in->round) == 0)) {
        return MLS_OK;
    }
    own->as = as->system_id.ptr;
    for (size_t i = in->found.count; i-- > 0 && is_same_result(&in->found.items[i].as, as);) {
        if (in->found.items[i].result == result) {
            in->found.items[i].count++;
            return MLS_OK;
        }
    }
    if (!MLS_GROW(&in->found, items)) {
        return MLS_ERROR_MEMORY;
    }
    in->found.items[in->found.count] = (known_again){result, *as, 1, in->found.count};
    in->found.count++;
    return MLS_OK;
}

static mls_status take_start(search *in, const mls_published_starts *as)
{
    size_t low = 0;
    mls_status status = MLS_OK;
    for (size_t high = in->count; low < high;) {
        const size_t middle = low + (high - low) / 2;
        if (in->starts[middle].start_ms < as->start_ms) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    for (; low < in->count && in->starts[low].start_ms == as->start_ms && status == MLS_OK; low++) {
        status = note_known(in, &in->starts[low], as);
    }
    return status;
}

static bool has_benchmark(const mls_judged_results *judged, mls_str benchmark)
{
    bool has = false;
    for (size_t i = 0; i < judged->count && !has; i++) {
        has = mls_str_equal(benchmark, mls_str_from(judged->items[i].result->benchmark));
    }
    return has;
}

/* Looks for the runs of a published result that may be those of others: of no later round, on the same benchmark. */
static mls_status take_starts(void *state, mls_published_starts *starts)
{
    search *in = state;
    if (mls_str_compare_natural(starts->round, in->round) > 0 || !has_benchmark(in->judged, starts->benchmark)) {
        return MLS_OK;
    }
    mls_status status = mls_published_next_start(starts);
    while (status == MLS_OK) {
        status = take_start(in, starts);
        status = status == MLS_OK ? mls_published_next_start(starts) : status;
    }
    return status == MLS_STOPPED ? MLS_OK : status;
}

/* The most runs first; of as many the oldest round. */
static int compare_again(const void *left, const void *right)
{
    const known_again *a = left;
    const known_again *b = right;
    const int order = mls_compare_sizes(b->count, a->count);
    return order != 0 ? order : mls_compare_sizes(a->place, b->place);
}

/* Of each result the published one that has most of its runs. */
static void tell_again(mls_submission *submission, search *in)
{
    if (in->found.count > 1) {
        qsort(in->found.items, in->found.count, sizeof *in->found.items, compare_again);
    }
    for (size_t i = 0; i < in->found.count; i++) {
        const known_again *again = &in->found.items[i];
        bool reported = false;
        for (size_t k = 0; k < i && !reported; k++) {
            reported = in->found.items[k].result == again->result;
        }
        if (!reported) {
            mls_findings_add(&submission->findings, MLS_FINDING_RESUBMITTED,
                             (mls_finding_place){.path = again->result->path},
                             "%zu of its %zu runs are published as those of %.*s in %s %.*s", again->count,
                             again->result->run_count, (int)again->as.system_id.len, again->as.system_id.ptr,
                             mls_usage_name(submission->options.usage), (int)again->as.round.len, again->as.round.ptr);
        }
    }
}

/* The starts of all runs that were judged, ascending. */
static bool list_starts(search *in)
{
    in->starts = mls_calloc(in->judged->runs + 1, sizeof *in->starts);
    for (size_t r = 0; r < in->judged->count && in->starts != NULL; r++) {
        const mls_submission_result *result = in->judged->items[r].result;
        for (size_t i = 0; i < result->run_count; i++) {
            const double start_ms = result->runs[i].run.run_start.time_ms;
            if (!isnan(start_ms)) {
                in->starts[in->count++] = (own_start){round(start_ms), result, NULL};
            }
        }
    }
    mls_sort_by_double(in->starts, in->count, sizeof *in->starts);
    return in->starts != NULL;
}

mls_status mls_resubmitted_judge(mls_submission *submission, const mls_judged_results *judged)
{
    search in = {.judged = judged, .round = mls_str_from(submission->edition->name)};
    mls_status status = list_starts(&in) ? MLS_OK : MLS_ERROR_MEMORY;
    in.round.len -= mls_str_ends(in.round, MLS_S(".0")) ? strlen(".0") : 0; /* "5.1" of "5.1.0" */
    if (status == MLS_OK && in.count > 0) {
        status = mls_published_each_starts(submission->options.usage, take_starts, &in);
    }
    if (status == MLS_OK) {
        tell_again(submission, &in);
    }
    free(in.starts);
    free(in.found.items);
    return status;
}
