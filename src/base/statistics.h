/* SPDX-License-Identifier: Apache-2.0 */
/* statistics.h - what verdicts need, over plain arrays ("sorted": ascending, without NaN); of too few values, NaN. */
#ifndef MLS_BASE_STATISTICS_H
#define MLS_BASE_STATISTICS_H

#include <stddef.h>

/* Ascending order (<0, 0 or >0), NaN last; and sorting by it. */
int mls_compare_sizes(size_t a, size_t b);
int mls_compare_doubles(double a, double b);
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
    double mean, stdev, count;
} mls_test_sample;

/* Student's two sample t test, variances pooled by count - 1: P(T <= t), small when a's mean is well below b's. */
double mls_t_test_lower_tail(mls_test_sample a, mls_test_sample b);

#endif
