/* SPDX-License-Identifier: Apache-2.0 */
/* statistics.h - statistics over plain arrays. "Sorted" means ascending and without NAN. With too few values, functions
 * return NAN. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Compare in ascending order (<0, 0 or >0), NAN last; and sort numbers, or structs that begin with a number, in that
 * order. */
int mls_compare_sizes(size_t a, size_t b);
int mls_compare_doubles(double a, double b);
void mls_sort_doubles(double *values, size_t count);
void mls_sort_by_double(void *items, size_t count, size_t size);

/* A number with its original index; and a stable sort of structs that begin with one.  The structs must be in the order
 * of their indices. */
typedef struct mls_placed {
    double value;
    size_t place;
} mls_placed;
void mls_sort_placed(void *items, size_t count, size_t size);

/* Return the arithmetic mean.  Compensated summation makes it nearly independent of the order of the values. */
double mls_mean(const double *values, size_t count);

/* The mean without the `trim` smallest and the `trim` largest of a sorted array ("olympic" mean). */
double mls_mean_trimmed(const double *sorted, size_t count, size_t trim);

/* Return the median of a sorted array: the middle value, or for an even count the mean of the two middle ones or the
 * lower one.  Infinite values are allowed. */
double mls_median(const double *sorted, size_t count);
double mls_median_lower(const double *sorted, size_t count);

/* Return the median absolute deviation from `centre`; the factor scales it to estimate a standard deviation (Rousseeuw
 * and Croux 1993).  `scratch` has room for `count` values. */
double mls_median_distance(const double *values, size_t count, double centre, double *scratch);
#define MLS_DISTANCE_TO_STDEV 1.4826

/* Return the weighted median: the smallest value at which the cumulative weight reaches half of the total.  Sorts the
 * items. */
typedef struct mls_weighted {
    double value, weight;
} mls_weighted;
double mls_median_weighted(mls_weighted *items, size_t count);

/* Return a standard deviation: of a sample, dividing by count - 1, for the spread of runs (NAN for fewer than two
 * values); or of a population, dividing by count, as the compliance checker does for reference points. */
double mls_stdev_sample(const double *values, size_t count);
double mls_stdev_population(const double *values, size_t count);

/* Return P(T <= t) for Student's t with `degrees` > 0 degrees of freedom (Abramowitz and Stegun 26.7.1), otherwise NAN.
 */
double mls_student_t_lower_tail(double t, double degrees);

/* Return the t with P(T <= t) = p, within 1e-12.  Rounded to 40 bits, so that it is the same with every C library.
 * Infinite for p = 0 and p = 1. */
double mls_student_t_quantile(double p, double degrees);

/* Estimate a trimmed mean and the square of its standard error (Yuen 1974).  If g of n values are cut at each end, h =
 * n - 2g remain, and the squared error is (n - 1) s2 / (h (h - 1)) with h - 1 degrees of freedom, where s2 is the
 * winsorized variance, which may be infinite.  Without trimming this is Welch's estimate.  NAN if h < 2. */
typedef struct mls_mean_estimate {
    double mean, error_squared, degrees;
} mls_mean_estimate;
mls_mean_estimate mls_mean_estimate_trimmed(const double *sorted, size_t count, size_t trim);

/* Compute b - a with its two-sided confidence interval of the given `level`, and the p-value (Welch 1947).  If both
 * spreads are negligible (error_squared within 1e-24 of the larger squared mean), the interval is the difference
 * itself, and degrees and p are NAN. p is rounded to 40 bits, so that it is the same with every C library. */
typedef struct mls_interval {
    double difference, low, high, error, degrees, p;
} mls_interval;
mls_interval mls_interval_of_difference(mls_mean_estimate a, mls_mean_estimate b, double level);

/* The size, mean and standard deviation of a sample, for a two-sample test. */
typedef struct mls_test_sample {
    double mean, stdev, count;
} mls_test_sample;

/* Return P(T <= t) of Student's two-sample t test with variances pooled by count - 1.  It is small if the mean of a is
 * well below that of b. */
double mls_t_test_lower_tail(mls_test_sample a, mls_test_sample b);

/* Compute the exact two-sided p-value of the Mann-Whitney rank test: the share of all splits into two such samples
 * whose rank sum is at least as far from its mean as the observed one.  Ties get their mean rank; counting uses
 * integers only. p is NAN for more than MLS_RANKED_MAX values in total, or an empty sample. */
#define MLS_RANKED_MAX 100
void mls_rank_test_exact(const double *a, size_t a_count, const double *b, size_t b_count, double *p);
