/* SPDX-License-Identifier: Apache-2.0 */
/*
 * statistics.h - the few statistics that verdicts need, over plain arrays.
 *
 * "sorted" means ascending, without NaN.  A statistic of too few values is NaN; nothing here fails or allocates.
 */
#ifndef MLS_BASE_STATISTICS_H
#define MLS_BASE_STATISTICS_H

#include <stddef.h>

/* Ascending order: <0, 0 or >0; NaN comes last. */
int mls_compare_doubles(double a, double b);

/* Sorts ascending; NaN goes to the end. */
void mls_sort_doubles(double *values, size_t count);

/* The arithmetic mean, summed with compensation so that the order of the values hardly matters. */
double mls_mean(const double *values, size_t count);

/* The mean without the `trim` smallest and the `trim` largest of a sorted array ("olympic" mean). */
double mls_mean_trimmed(const double *sorted, size_t count, size_t trim);

/* The middle of a sorted array, or the mean of the two middle ones; infinite values are allowed. */
double mls_median(const double *sorted, size_t count);

/* Population standard deviation: the squared distances are divided by count, not count - 1. */
double mls_stdev_population(const double *values, size_t count);

/* P(T <= t) for Student's t with `degrees` > 0 degrees of freedom (Abramowitz and Stegun 26.7.1); else NaN. */
double mls_student_t_lower_tail(double t, double degrees);

/* What a two sample test needs to know of a sample. */
typedef struct mls_test_sample {
    double mean;
    double stdev;
    double count;
} mls_test_sample;

/*
 * Student's two sample t test with equal variances, which are pooled, weighted by count - 1: P(T <= t), small when a's
 * mean is significantly below b's.
 */
double mls_t_test_lower_tail(mls_test_sample a, mls_test_sample b);

#endif
