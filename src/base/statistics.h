/* SPDX-License-Identifier: Apache-2.0 */
/* statistics.h - what verdicts need, over plain arrays ("sorted": ascending, without NaN); of too few values, NaN. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Ascending order (<0, 0 or >0), NaN last; and sorting by it: numbers, or structs that begin with one. */
int mls_compare_sizes(size_t a, size_t b);
int mls_compare_doubles(double a, double b);
void mls_sort_doubles(double *values, size_t count);
void mls_sort_by_double(void *items, size_t count, size_t size);

/* A number and its place among others; and sorting structs that begin with one.  They stand in the order of their
 * places, which equal ones keep. */
typedef struct mls_placed {
    double value;
    size_t place;
} mls_placed;
void mls_sort_placed(void *items, size_t count, size_t size);

/* Sorts places by the values there, NAN last; equal ones keep their order.  It takes as much memory again, and no more.
 */
bool mls_sort_places(uint32_t *places, size_t count, double (*value)(const void *of, size_t place), const void *of);

/* The arithmetic mean, summed with compensation so that the order of the values hardly matters. */
double mls_mean(const double *values, size_t count);

/* The mean without the `trim` smallest and the `trim` largest of a sorted array ("olympic" mean). */
double mls_mean_trimmed(const double *sorted, size_t count, size_t trim);

/* The middle of a sorted array, or the mean of the two middle ones, or the lower one; infinite values are allowed. */
double mls_median(const double *sorted, size_t count);
double mls_median_lower(const double *sorted, size_t count);

/* The middle distance of the values from `centre`; times the factor it estimates a standard deviation (Rousseeuw and
 * Croux 1993).  `scratch` has room for `count` values. */
double mls_median_distance(const double *values, size_t count, double centre, double *scratch);
#define MLS_DISTANCE_TO_STDEV 1.4826

/* The smallest value at which the running weight of the values below and at it reaches half of all; sorts the items. */
typedef struct mls_weighted {
    double value, weight;
} mls_weighted;
double mls_median_weighted(mls_weighted *items, size_t count);

/* Standard deviations: of a sample, the squared distances divided by count - 1, as is the spread of runs (NaN of
 * fewer than two); of a whole population, divided by count, as the reference checker has that of its points. */
double mls_stdev_sample(const double *values, size_t count);
double mls_stdev_population(const double *values, size_t count);

/* P(T <= t) for Student's t with `degrees` > 0 degrees of freedom (Abramowitz and Stegun 26.7.1); else NaN. */
double mls_student_t_lower_tail(double t, double degrees);

/* The t with P(T <= t) = p, within 1e-12 of it, of 40 bits, the same with every C library; infinite for p = 0 and 1. */
double mls_student_t_quantile(double p, double degrees);

/* A trimmed mean with the square of its standard error: of n values of which g are cut at each end, h = n - 2g are
 * kept, it is (n - 1) s2 / (h (h - 1)), s2 the variance with the cut values
 * replaced by their nearest neighbours that stay (winsorized), which may be infinite, with h - 1 degrees of freedom
 * (Yuen 1974); without trimming Welch's.  NaN when h < 2. */
typedef struct mls_mean_estimate {
    double mean, error_squared, degrees;
} mls_mean_estimate;
mls_mean_estimate mls_mean_estimate_trimmed(const double *sorted, size_t count, size_t trim);

/* b - a with its two-sided interval of confidence `level`, and the probability of a difference as large where there is
 * none (Welch 1947).  Where both spreads are next to nothing (error_squared within 1e-24 of the larger mean squared)
 * the interval is the difference, and degrees and p are NaN.  p has 40 bits, the same with every C library. */
typedef struct mls_interval {
    double difference, low, high, error, degrees, p;
} mls_interval;
mls_interval mls_interval_of_difference(mls_mean_estimate a, mls_mean_estimate b, double level);

/* A sample, as far as a two sample test needs it. */
typedef struct mls_test_sample {
    double mean, stdev, count;
} mls_test_sample;

/* Student's two sample t test, variances pooled by count - 1: P(T <= t), small when a's mean is well below b's. */
double mls_t_test_lower_tail(mls_test_sample a, mls_test_sample b);

/* Mann and Whitney's rank test, two-sided: the share of all ways to split the values into two such samples whose rank
 * sum lies at least as far from its mean as the one seen.  Ties get their middle rank, and all is counted in whole
 * numbers.  p is NaN above MLS_RANKED_MAX values in all, or of an empty sample. */
#define MLS_RANKED_MAX 100
bool mls_rank_test_exact(const double *a, size_t a_count, const double *b, size_t b_count, double *p);
