/* SPDX-License-Identifier: Apache-2.0 */
/* statistics.c - sorting, means, deviations, Student's t test and the rank test, accurate enough for verdicts. */
#include "base/statistics.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* Maximum number of steps of the continued fraction, which needs about sqrt(max(a, b)) steps. */
#define BETA_STEPS_MAX 20000
/* The continued fraction ends when a step changes it by less than this relative amount. */
#define BETA_PRECISION 1e-16
/* Replaces a zero denominator in Lentz's method. */
#define LENTZ_TINY 1e-300
/* Relative precision of a quantile, before it is rounded. */
#define QUANTILE_PRECISION 1e-13
/* If the squared relative spread of values is at most this, the values differ only by rounding. */
#define NO_SPREAD 1e-24

int mls_compare_doubles(double a, double b)
{
    return isnan(a) || isnan(b) ? isnan(a) - isnan(b) : (a > b) - (a < b);
}

int mls_compare_sizes(size_t a, size_t b)
{
    return (a > b) - (a < b);
}

static int compare_values(const void *left, const void *right)
{
    return mls_compare_doubles(*(const double *)left, *(const double *)right);
}

void mls_sort_by_double(void *items, size_t count, size_t size)
{
    if (count > 1)
        qsort(items, count, size, compare_values);
}

static int compare_in_place(const void *left, const void *right)
{
    const mls_placed *a = left;
    const mls_placed *b = right;
    const int order = mls_compare_doubles(a->value, b->value);
    return order != 0 ? order : mls_compare_sizes(a->place, b->place);
}

void mls_sort_placed(void *items, size_t count, size_t size)
{
    if (count > 1)
        qsort(items, count, size, compare_in_place);
}

void mls_sort_doubles(double *values, size_t count)
{
    mls_sort_by_double(values, count, sizeof *values);
}

double mls_mean(const double *values, size_t count)
{
    if (count == 0)
        return NAN;
    double sum = 0;
    double lost = 0;
    for (size_t i = 0; i < count; i++) {
        double value = values[i];
        double next = sum + value;
        if (isfinite(next))
            lost += fabs(sum) >= fabs(value) ? (sum - next) + value : (value - next) + sum;
        sum = next;
    }
    return (sum + lost) / (double)count;
}

double mls_mean_trimmed(const double *sorted, size_t count, size_t trim)
{
    return count == 0 || trim > count / 2 ? NAN : mls_mean(sorted + trim, count - 2 * trim);
}

double mls_median(const double *sorted, size_t count)
{
    return mls_mean_trimmed(sorted, count, count > 0 ? (count - 1) / 2 : 0);
}

double mls_median_lower(const double *sorted, size_t count)
{
    return count > 0 ? sorted[(count - 1) / 2] : (double)NAN;
}

double mls_stdev_population(const double *values, size_t count)
{
    const double mean = mls_mean(values, count);
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += (values[i] - mean) * (values[i] - mean);
    return sqrt(sum / (double)count);
}

/* Return the sample variance of an array in which the values before index `low` count as values[low], and those
 * after index `high` count as values[high] (winsorizing).  The array is not changed. */
static double variance(const double *values, size_t count, size_t low, size_t high)
{
    if (count < 2)
        return NAN;
    const double below = (double)low;
    const double above = (double)(count - 1 - high);
    const size_t kept = high + 1 - low;
    const double mean =
        (mls_mean(values + low, kept) * (double)kept + below * values[low] + above * values[high]) / (double)count;
    double sum = below * (values[low] - mean) * (values[low] - mean);
    for (size_t i = low; i <= high; i++)
        sum += (values[i] - mean) * (values[i] - mean);
    sum += above * (values[high] - mean) * (values[high] - mean);
    return sum / (double)(count - 1);
}

double mls_stdev_sample(const double *values, size_t count)
{
    return sqrt(variance(values, count, 0, count - 1));
}

static double away_from_zero(double value)
{
    return fabs(value) < LENTZ_TINY ? LENTZ_TINY : value;
}

/* Evaluate the continued fraction of formula 26.5.8 in Abramowitz and Stegun forwards (modified Lentz).  Its partial
 * numerators are d(2m) = m(b-m)x / ((a+2m-1)(a+2m)) and d(2m+1) = -(a+m)(a+b+m)x / ((a+2m)(a+2m+1)). */
static double beta_fraction(double a, double b, double x)
{
    double c = 1;
    double d = 1 / away_from_zero(1 - (a + b) * x / (a + 1));
    double fraction = d;
    for (int step = 1; step <= BETA_STEPS_MAX; step++) {
        double m = step;
        double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        d = 1 / away_from_zero(1 + even * d);
        c = away_from_zero(1 + even / c);
        fraction *= d * c;
        double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
        d = 1 / away_from_zero(1 + odd * d);
        c = away_from_zero(1 + odd / c);
        fraction *= d * c;
        if (fabs(d * c - 1) < BETA_PRECISION)
            break;
    }
    return fraction;
}

double mls_student_t_lower_tail(double t, double degrees)
{
    if (!(degrees > 0) || isinf(degrees) || isnan(t))
        return NAN;
    if (isinf(t))
        return t < 0 ? 0 : 1;
    double total = degrees + t * t;
    double tail = isinf(total) ? 0 : 0.5;
    if (!isinf(total) && t * t > 0) {
        /* Half of the regularized incomplete beta function I_x(a, b). y = 1 - x is computed separately, so that an x
         * close to 1 does not lose precision. */
        const double a = degrees / 2;
        const double b = 0.5;
        const double x = degrees / total;
        const double y = t * t / total;
        int sign;
        const double log_beta = lgamma_r(a, &sign) + lgamma_r(b, &sign) - lgamma_r(a + b, &sign);
        const double front = exp(a * log(x) + b * log(y) - log_beta);
        /* The fraction converges fast only for x < (a + 1) / (a + b + 2).  For larger x, use
         * I_x(a, b) = 1 - I_y(b, a), formula 26.5.2. */
        tail = 0.5 * (x < (a + 1) / (a + b + 2) ? front * beta_fraction(a, b, x) / a
                                                : 1 - front * beta_fraction(b, a, y) / b);
    }
    return t < 0 ? tail : 1 - tail;
}

double mls_round_portable(double value)
{
    int exponent;
    if (!isfinite(value))
        return value;
    const double fraction = frexp(value, &exponent);
    return ldexp(round(ldexp(fraction, 40)), exponent - 40);
}

/* Return the value t > 0 for which P(T <= -t) = p, where p < 1/2, by bisection to QUANTILE_PRECISION. */
static double tail_begins(double p, double degrees)
{
    double low = 0;
    double high = 1;
    while (mls_student_t_lower_tail(-high, degrees) > p && isfinite(high)) {
        low = high;
        high *= 2;
    }
    while (high - low > QUANTILE_PRECISION * high && isfinite(high)) {
        const double middle = low + (high - low) / 2;
        *(mls_student_t_lower_tail(-middle, degrees) > p ? &low : &high) = middle;
    }
    return mls_round_portable(high);
}

double mls_student_t_quantile(double p, double degrees)
{
    if (!(degrees > 0) || isinf(degrees) || !(p >= 0) || p > 1)
        return NAN;
    if (p == 0 || p == 1)
        return p == 0 ? -INFINITY : INFINITY;
    return p == 0.5 ? 0 : p < 0.5 ? -tail_begins(p, degrees) : tail_begins(1 - p, degrees);
}

mls_mean_estimate mls_mean_estimate_trimmed(const double *sorted, size_t count, size_t trim)
{
    if (trim >= count || count - trim < trim + 2)
        return (mls_mean_estimate){NAN, NAN, NAN};
    const double kept = (double)(count - 2 * trim);
    const double winsorized = variance(sorted, count, trim, count - 1 - trim);
    return (mls_mean_estimate){mls_mean_trimmed(sorted, count, trim),
                               (double)(count - 1) * winsorized / (kept * (kept - 1)), kept - 1};
}

mls_interval mls_interval_of_difference(mls_mean_estimate a, mls_mean_estimate b, double level)
{
    const double difference = b.mean - a.mean;
    const double variance = a.error_squared + b.error_squared;
    if (variance <= NO_SPREAD * fmax(a.mean * a.mean, b.mean * b.mean))
        return (mls_interval){difference, difference, difference, 0, NAN, NAN};
    const double degrees =
        variance * variance /
        (a.error_squared * a.error_squared / a.degrees + b.error_squared * b.error_squared / b.degrees);
    const double error = sqrt(variance);
    const double reach = mls_student_t_quantile(0.5 + level / 2, degrees) * error;
    return (mls_interval){.difference = difference,
                          .low = difference - reach,
                          .high = difference + reach,
                          .error = error,
                          .degrees = degrees,
                          .p = mls_round_portable(2 * mls_student_t_lower_tail(-fabs(difference) / error, degrees))};
}

double mls_t_test_lower_tail(mls_test_sample a, mls_test_sample b)
{
    const double degrees = a.count + b.count - 2;
    if (!(a.count > 0) || !(b.count > 0))
        return NAN;
    const double pooled = ((a.count - 1) * a.stdev * a.stdev + (b.count - 1) * b.stdev * b.stdev) / degrees;
    return mls_student_t_lower_tail((a.mean - b.mean) / sqrt(pooled * (1 / a.count + 1 / b.count)), degrees);
}

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

/* A value of one of the two samples.  Twice the rank is stored, because it is an integer even if equal values share the
 * mean of their ranks. */
typedef struct ranked {
    double value;
    size_t twice_rank;
    bool first; /* whether the value belongs to the first sample */
} ranked;

/* Return the values of both samples in one sorted array, which the caller releases with free(). *sum is set to the sum
 * of twice_rank over the first sample. */
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

/* There are up to C(100, 50) = 1.0e29 ways to choose a sample from 100 values, a number of more than 64 bits and fewer
 * than 128 bits. */
__extension__ typedef unsigned __int128 whole_count;

static double count_double(whole_count count)
{
    return ldexp((double)(uint64_t)(count >> 64), 64) + (double)(uint64_t)count;
}

void mls_rank_test_exact(const double *a, size_t a_count, const double *b, size_t b_count, double *p)
{
    *p = NAN;
    if (a_count == 0 || b_count == 0 || a_count > MLS_RANKED_MAX || b_count > MLS_RANKED_MAX - a_count)
        return;
    const bool turned = a_count > b_count; /* counting the choices for the smaller sample is faster */
    const size_t count = a_count + b_count;
    const size_t chosen = turned ? b_count : a_count;
    const size_t sums = count * (count + 1) + 1;
    size_t seen;
    ranked *all = turned ? rank(b, b_count, a, a_count, &seen) : rank(a, a_count, b, b_count, &seen);
    /* ways[k * sums + s] is the number of ways to choose k values for which the sum of twice_rank is s. */
    whole_count *ways = mls_calloc((chosen + 1) * sums, sizeof *ways);
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
    /* Count all choices, and those whose sum is at least as far from the mean as the sum of the given sample. */
    const size_t middle = chosen * (count + 1);
    const size_t distance = seen > middle ? seen - middle : middle - seen;
    whole_count far = 0;
    whole_count any = 0;
    for (size_t s = 0; s < sums; s++) {
        any += ways[chosen * sums + s];
        far += (s > middle ? s - middle : middle - s) >= distance ? ways[chosen * sums + s] : 0;
    }
    *p = count_double(far) / count_double(any);
    free(all);
    free(ways);
}
