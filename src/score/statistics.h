/* SPDX-License-Identifier: Apache-2.0 */
/*
 * statistics.h - the few statistics that scoring needs, over plain arrays.
 *
 * "sorted" means ascending, without NaN.  A statistic of too few values is
 * NaN; nothing here fails or allocates.
 */
#ifndef MLS_SCORE_STATISTICS_H
#define MLS_SCORE_STATISTICS_H

#include <stddef.h>

/* Ascending order: <0, 0 or >0; NaN comes last. */
int mls_compare_doubles(double a, double b);

/* Sorts ascending; NaN goes to the end. */
void mls_sort_doubles(double *values, size_t count);

/* The arithmetic mean, summed with compensation so that the order of the values hardly matters. */
double mls_mean(const double *values, size_t count);

/* The mean without the `trim` smallest and the `trim` largest of a sorted array ("olympic" mean); NaN when none is
 * left. */
double mls_mean_trimmed(const double *sorted, size_t count, size_t trim);

/* The middle of a sorted array, or the mean of the two middle ones; infinite values are allowed. */
double mls_median(const double *sorted, size_t count);

/* Population standard deviation: the root of the mean squared distance from the mean (divided by count, not count - 1).
 */
double mls_stdev_population(const double *values, size_t count);

/*
 * The regularized incomplete beta function I_x(a, b), a and b > 0, 0 <= x <= 1,
 * from the continued fraction of Abramowitz and Stegun, Handbook of
 * Mathematical Functions, 26.5.8, with the symmetry 26.5.2.  NaN out of range.
 */
double mls_beta_regularized(double a, double b, double x);

/* P(T <= t) for Student's t with `degrees` > 0 degrees of freedom (Abramowitz and Stegun 26.7.1). */
double mls_student_t_lower_tail(double t, double degrees);

/* What a two sample test needs to know of a sample. */
typedef struct mls_test_sample {
    double mean;
    double stdev; /* standard deviation, >= 0 */
    double count; /* values in the sample; count_a + count_b must exceed 2 */
} mls_test_sample;

typedef struct mls_t_test {
    double t;
    double degrees; /* of freedom */
    double p_lower; /* P(T <= t): small when a's mean is significantly below b's */
} mls_t_test;

/*
 * Student's two sample t test with equal variances: the variances are pooled,
 * weighted by count - 1.  Every member is NaN when the test is not defined.
 */
mls_t_test mls_t_test_two_samples(mls_test_sample a, mls_test_sample b);

#endif
