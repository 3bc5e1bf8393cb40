/* SPDX-License-Identifier: Apache-2.0 */
/* ranks.c - statistics based on the order of values: medians and the rank test. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/statistics.h"

double mls_median_distance(const double *values, size_t count, double centre, double *scratch)
{
    for (size_t i = 0; i < count; i++)
        scratch[i] = fabs(values[i] - centre);
    mls_sort_doubles(scratch, count);
    return mls_median(scratch, count);
}

double mls_median_weighted(mls_weighted *items, size_t count)
{
    double total = 0;
    double running = 0;
    mls_sort_by_double(items, count, sizeof *items);
    for (size_t i = 0; i < count; i++)
        total += items[i].weight;
    for (size_t i = 0; i < count; i++) {
        running += items[i].weight;
        if (running >= total / 2)
            return items[i].value;
    }
    return NAN;
}

/* A value of one of the two samples, with twice its rank, which is an integer even for shared ranks. */
typedef struct ranked {
    double value;
    size_t twice_rank;
    bool first;
} ranked;

/* Return both samples sorted together; the caller releases the array with free().  `sum` gets the sum of twice_rank
 * over the first sample. */
static ranked *rank(const double *a, size_t a_count, const double *b, size_t b_count, size_t *sum)
{
    const size_t count = a_count + b_count;
    ranked *all = mls_calloc(count, sizeof *all);
    *sum = 0;
    for (size_t i = 0; i < count; i++)
        all[i] = (ranked){.value = i < a_count ? a[i] : b[i - a_count], .first = i < a_count};
    mls_sort_by_double(all, count, sizeof *all);
    for (size_t i = 0, end; i < count; i = end) {
        for (end = i + 1; end < count && mls_compare_doubles(all[end].value, all[i].value) == 0;)
            end++;
        for (size_t k = i; k < end; k++) {
            all[k].twice_rank = i + 1 + end; /* first rank + last rank, counted from 1 */
            *sum += all[k].first ? all[k].twice_rank : 0;
        }
    }
    return all;
}

static size_t whole_distance(size_t a, size_t b)
{
    return a > b ? a - b : b - a;
}

/* 100 values have up to C(100, 50) = 1.0e29 choices, which needs more than 64 bits and fewer than 128. */
__extension__ typedef unsigned __int128 whole_count;

static double count_double(whole_count count)
{
    return ldexp((double)(uint64_t)(count >> 64), 64) + (double)(uint64_t)count;
}

/* Return the share of choices whose rank sum is at least as far from the mean as `seen`. ways[k * sums + s] is the
 * number of choices of k values whose doubled ranks add up to s. */
static double share_as_far(const ranked *all, size_t count, size_t chosen, size_t seen, whole_count *ways, size_t sums)
{
    const size_t middle = chosen * (count + 1); /* the mean of all sums */
    whole_count far = 0;
    whole_count any = 0;
    size_t reached = 0;
    ways[0] = 1;
    for (size_t i = 0; i < count; i++) {
        reached += all[i].twice_rank;
        for (size_t k = i + 1 < chosen ? i + 1 : chosen; k > 0; k--) {
            const whole_count *fewer = ways + (k - 1) * sums;
            whole_count *more = ways + k * sums;
            for (size_t s = all[i].twice_rank; s <= reached; s++)
                more[s] += fewer[s - all[i].twice_rank];
        }
    }
    for (size_t s = 0; s < sums; s++) {
        any += ways[chosen * sums + s];
        far += whole_distance(s, middle) >= whole_distance(seen, middle) ? ways[chosen * sums + s] : 0;
    }
    return count_double(far) / count_double(any);
}

void mls_rank_test_exact(const double *a, size_t a_count, const double *b, size_t b_count, double *p)
{
    *p = NAN;
    if (a_count == 0 || b_count == 0 || a_count > MLS_RANKED_MAX || b_count > MLS_RANKED_MAX - a_count)
        return;
    const bool turned = a_count > b_count; /* choosing from the smaller sample is faster, and p is the same */
    const size_t count = a_count + b_count;
    const size_t chosen = turned ? b_count : a_count;
    const size_t sums = count * (count + 1) + 1;
    size_t seen;
    ranked *all = turned ? rank(b, b_count, a, a_count, &seen) : rank(a, a_count, b, b_count, &seen);
    whole_count *ways = mls_calloc((chosen + 1) * sums, sizeof *ways);
    *p = share_as_far(all, count, chosen, seen, ways, sums);
    free(all);
    free(ways);
}
