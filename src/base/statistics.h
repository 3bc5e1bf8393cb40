/* SPDX-License-Identifier: Apache-2.0 */
/* statistics.h - statistics of arrays of numbers.  A sorted array is in ascending order and does not contain NAN. If an
 * array has too few values, the functions return NAN. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Return a number less than, equal to or greater than 0 if a is less than, equal to or greater than b. */
int mls_compare_sizes(size_t a, size_t b);

/* Compare like mls_compare_sizes(); NAN is greater than any number. */
int mls_compare_doubles(double a, double b);

/* Sort numbers in ascending order, NAN last. */
void mls_sort_doubles(double *values, size_t count);

/* Sort structs of `size` bytes, each of which begins with a double, by this double; NAN is last. */
void mls_sort_by_double(void *items, size_t count, size_t size);

/* A number with its index before sorting. */
typedef struct mls_placed {
    double value;
    size_t place;
} mls_placed;

/* Sort structs of `size` bytes, each of which begins with an mls_placed, by value.  Structs with equal values are
 * sorted by place. */
void mls_sort_placed(void *items, size_t count, size_t size);

/* Return the arithmetic mean.  Compensated summation makes it nearly independent of the order of the values. */
double mls_mean(const double *values, size_t count);

/* Return the mean of a sorted array without its `trim` smallest and `trim` largest values ("olympic" mean). */
double mls_mean_trimmed(const double *sorted, size_t count, size_t trim);

/* Return the median of a sorted array; if `count` is even, this is the mean of the two middle values.  Values may be
 * infinite. */
double mls_median(const double *sorted, size_t count);

/* Return the median of a sorted array; if `count` is even, this is the lower of the two middle values. */
double mls_median_lower(const double *sorted, size_t count);

/* Return the median absolute deviation of the values from `centre`.  `scratch` has room for `count` values. */
double mls_median_distance(const double *values, size_t count, double centre, double *scratch);

/* The factor by which a median absolute deviation is multiplied to estimate a standard deviation (Rousseeuw and Croux
 * 1993). */
#define MLS_DISTANCE_TO_STDEV 1.4826

/* A value with its weight, for mls_median_weighted(). */
typedef struct mls_weighted {
    double value, weight;
} mls_weighted;

/* Sort the items by value, and return their weighted median: the smallest value at which the cumulative weight reaches
 * half of the total weight. */
double mls_median_weighted(mls_weighted *items, size_t count);

/* Return the standard deviation of a sample, dividing by count - 1; mlscore uses it for the spread of runs.  Return NAN
 * for fewer than two values. */
double mls_stdev_sample(const double *values, size_t count);

/* Return the standard deviation of a population, dividing by count, as the compliance checker does for reference
 * points.
 */
double mls_stdev_population(const double *values, size_t count);

/* Round to 40 bits: the remaining bits differ between C libraries, because their logarithms do. */
double mls_round_portable(double value);

/* Return P(T <= t) for Student's t distribution with `degrees` degrees of freedom (Abramowitz and Stegun 26.7.1), or
 * NAN unless `degrees` is finite and greater than 0. */
double mls_student_t_lower_tail(double t, double degrees);

/* Return the value t for which P(T <= t) = p, with a relative error of at most 1e-12.  The result is rounded to 40
 * bits, so that it is the same with every C library, and is infinite for p = 0 and p = 1. */
double mls_student_t_quantile(double p, double degrees);

/* Estimate a trimmed mean and the square of its standard error (Yuen 1974).  If g of n values are cut at each end, h =
 * n - 2g remain, and the squared error is (n - 1) s2 / (h (h - 1)) with h - 1 degrees of freedom, where s2 is the
 * winsorized variance, which may be infinite.  Without trimming, this is Welch's estimate.  If h < 2, all members of
 * the result are NAN. */
typedef struct mls_mean_estimate {
    double mean, error_squared, degrees;
} mls_mean_estimate;
mls_mean_estimate mls_mean_estimate_trimmed(const double *sorted, size_t count, size_t trim);

/* A difference of two means with its confidence interval from `low` to `high`, its standard error, its degrees of
 * freedom, and the p-value of the hypothesis that the means are equal. */
typedef struct mls_interval {
    double difference, low, high, error, degrees, p;
} mls_interval;

/* Compute b - a with its two-sided confidence interval and its p-value (Welch 1947).  `level` is the confidence level,
 * for example 0.95.  If the spread is negligible (the sum of both error_squared is at most 1e-24 times the larger
 * squared mean), low and high are equal to the difference, and degrees and p are NAN. p is rounded to 40 bits, so that
 * it is the same with every C library. */
mls_interval mls_interval_of_difference(mls_mean_estimate a, mls_mean_estimate b, double level);

/* The size, mean and standard deviation of a sample, for a two-sample test. */
typedef struct mls_test_sample {
    double mean, stdev, count;
} mls_test_sample;

/* Return P(T <= t) of Student's two-sample t test, with the variances pooled with the weights count - 1.  The result is
 * small if the mean of a is significantly less than the mean of b. */
double mls_t_test_lower_tail(mls_test_sample a, mls_test_sample b);

/* Compute the exact two-sided p-value of the Mann-Whitney rank test.  Of all ways to split the values
 * into two samples of these sizes, it is the fraction in which the rank sum of the first sample is at least as far from
 * the mean rank sum as in the given samples.  Equal values get the mean of their ranks; counting uses only integers. *p
 * is NAN if a sample is empty, or if there are more than MLS_RANKED_MAX values in total. */
#define MLS_RANKED_MAX 100
void mls_rank_test_exact(const double *a, size_t a_count, const double *b, size_t b_count, double *p);
