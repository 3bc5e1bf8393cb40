/* SPDX-License-Identifier: Apache-2.0 */
/* sides.c - whether the runs of one side train faster than those of another, or only seem to. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/statistics.h"
#include "mlscore/throughput.h"

/* Runs it takes on a side to say anything, and those up to which all ways to split them are counted. */
enum { SIDE_MIN = 4, SIDE_EXACT = 20 };
#define REGRESSION_RATIO 1.02
#define CHANCE 0.05

/* The middle of values in any order; false: no memory. */
static bool median_of(const double *values, size_t count, double *median)
{
    double *sorted = malloc((count + 1) * sizeof *sorted);
    if (sorted == NULL) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        sorted[i] = values[i];
    }
    mls_sort_doubles(sorted, count);
    *median = mls_median(sorted, count);
    free(sorted);
    return true;
}

bool mls_sides_compare(const double *a, size_t a_count, const double *b, size_t b_count, mls_sides *sides)
{
    const bool exact = a_count <= SIDE_EXACT && b_count <= SIDE_EXACT;
    double first;
    double second;
    *sides = (mls_sides){MLS_SIDES_TOO_FEW, NAN, NAN};
    if (!median_of(a, a_count, &first) || !median_of(b, b_count, &second) ||
        !(exact ? mls_rank_test_exact : mls_rank_test_normal)(a, a_count, b, b_count, &sides->p)) {
        return false;
    }
    sides->ratio = second / first;
    if (a_count >= SIDE_MIN && b_count >= SIDE_MIN) {
        const bool shown = sides->p < CHANCE;
        sides->verdict = shown && sides->ratio >= REGRESSION_RATIO       ? MLS_SIDES_REGRESSION
                         : shown && sides->ratio <= 1 / REGRESSION_RATIO ? MLS_SIDES_IMPROVEMENT
                                                                         : MLS_SIDES_ALIKE;
    }
    return true;
}
