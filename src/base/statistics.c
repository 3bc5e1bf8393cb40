/* SPDX-License-Identifier: Apache-2.0 */
/* statistics.c - means, deviations and Student's t test, accurate enough for verdicts. */
#include "base/statistics.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* The continued fraction needs about sqrt(max(a, b)) steps; more steps than this do not improve it. */
#define BETA_STEPS_MAX 20000
#define BETA_PRECISION 1e-16
/* Replaces a zero denominator in Lentz's method. */
#define LENTZ_TINY 1e-300
#define QUANTILE_PRECISION 1e-13
/* Squared relative spread below which times differ only by rounding. */
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

/* Convert a double to an integer with the same order, NAN last; and return one of its eight digits, starting with the
 * lowest. */
static uint64_t order_bits(double value)
{
    uint64_t bits;
    value += 0.0; /* -0 is 0 */
    memcpy(&bits, &value, sizeof bits);
    return isnan(value) ? UINT64_MAX : bits ^ (bits >> 63 != 0 ? UINT64_MAX : UINT64_C(1) << 63);
}

enum { DIGITS = 8, DIGIT_VALUES = 256 };

static size_t digit_of(double value, unsigned digit)
{
    return order_bits(value) >> (8 * digit) & (DIGIT_VALUES - 1);
}

static double value_of_placed(const char *item)
{
    return ((const mls_placed *)(const void *)item)->value;
}

void mls_sort_placed(void *items, size_t count, size_t size)
{
    enum { MANY = 256 };
    char *from = items;
    bool placed = count >= MANY;
    for (size_t i = 1; i < count && placed; i++) {
        placed = ((const mls_placed *)(const void *)(from + (i - 1) * size))->place <=
                 ((const mls_placed *)(const void *)(from + i * size))->place;
    }
    /* Radix sort, digit by digit: stable, so items with equal values keep the order of their indices. */
    char *const spare = placed ? mls_malloc(count * size) : NULL;
    char *to = spare;
    if (spare == NULL && count > 1)
        qsort(items, count, size, compare_in_place);
    for (unsigned digit = 0; digit < DIGITS && spare != NULL; digit++) {
        size_t ends[DIGIT_VALUES + 1] = {0};
        for (size_t i = 0; i < count; i++)
            ends[digit_of(value_of_placed(from + i * size), digit) + 1]++;
        if (ends[digit_of(value_of_placed(from), digit) + 1] == count)
            continue; /* all values share this digit */
        for (size_t i = 0; i < DIGIT_VALUES; i++)
            ends[i + 1] += ends[i];
        for (size_t i = 0; i < count; i++)
            memcpy(to + size * ends[digit_of(value_of_placed(from + i * size), digit)]++, from + i * size, size);
        char *const sorted = to;
        to = from;
        from = sorted;
    }
    if (from != items)
        memcpy(items, from, count * size);
    free(spare);
}

void mls_sort_places(uint32_t *places, size_t count, double (*value)(const void *of, size_t place), const void *of)
{
    uint32_t ends[DIGITS][DIGIT_VALUES] = {{0}};
    uint32_t *const spare = mls_malloc((count + 1) * sizeof *spare);
    uint32_t *from = places;
    uint32_t *to = spare;
    for (size_t i = 0; i < count; i++) {
        const uint64_t bits = order_bits(value(of, places[i]));
        for (unsigned digit = 0; digit < DIGITS; digit++)
            ends[digit][bits >> (8 * digit) & (DIGIT_VALUES - 1)]++;
    }
    for (unsigned digit = 0; digit < DIGITS && count > 0; digit++) {
        uint32_t begin = 0;
        if (ends[digit][digit_of(value(of, places[0]), digit)] == count)
            continue; /* all values share this digit */
        for (size_t i = 0; i < DIGIT_VALUES; i++) {
            const uint32_t here = ends[digit][i];
            ends[digit][i] = begin;
            begin += here;
        }
        for (size_t i = 0; i < count; i++)
            to[ends[digit][digit_of(value(of, from[i]), digit)]++] = from[i];
        uint32_t *const sorted = to;
        to = from;
        from = sorted;
    }
    if (from != places)
        memcpy(places, from, count * sizeof *places);
    free(spare);
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

/* Return the sample variance after replacing values outside the indices `low` to `high` by the nearest of these two
 * (winsorizing).  No copy is made. */
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

/* Evaluate the continued fraction of 26.5.8 forwards (modified Lentz).  Its partial numerators are d(2m) = m(b-m)x /
 * ((a+2m-1)(a+2m)) and d(2m+1) = -(a+m)(a+b+m)x / ((a+2m)(a+2m+1)). */
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

/* Return the regularized incomplete beta function I_x(a, b). y = 1 - x is passed separately, so that an x close to 1
 * does not lose precision. */
static double beta_regularized(double a, double b, double x, double y)
{
    if (x <= 0 || y <= 0)
        return x <= 0 ? 0 : 1;
    int sign;
    double log_beta = lgamma_r(a, &sign) + lgamma_r(b, &sign) - lgamma_r(a + b, &sign);
    double front = exp(a * log(x) + b * log(y) - log_beta);
    /* The fraction converges fast only below the mean of the distribution; above it, use the symmetry 26.5.2. */
    if (x < (a + 1) / (a + b + 2))
        return front * beta_fraction(a, b, x) / a;
    return 1 - front * beta_fraction(b, a, y) / b;
}

double mls_student_t_lower_tail(double t, double degrees)
{
    if (!(degrees > 0) || isinf(degrees) || isnan(t))
        return NAN;
    if (isinf(t))
        return t < 0 ? 0 : 1;
    double total = degrees + t * t;
    double tail = isinf(total) ? 0 : 0.5 * beta_regularized(degrees / 2, 0.5, degrees / total, t * t / total);
    return t < 0 ? tail : 1 - tail;
}

/* Round to 40 bits: the remaining bits differ between C libraries, because their logarithms do. */
static double rounded(double value)
{
    int exponent;
    if (!isfinite(value))
        return value;
    const double fraction = frexp(value, &exponent);
    return ldexp(round(ldexp(fraction, 40)), exponent - 40);
}

/* Return how far below 0 a tail of p < 1/2 begins, by bisection until both ends agree to the last digits. */
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
    return rounded(high);
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
                          .p = rounded(2 * mls_student_t_lower_tail(-fabs(difference) / error, degrees))};
}

double mls_t_test_lower_tail(mls_test_sample a, mls_test_sample b)
{
    const double degrees = a.count + b.count - 2;
    if (!(a.count > 0) || !(b.count > 0))
        return NAN;
    const double pooled = ((a.count - 1) * a.stdev * a.stdev + (b.count - 1) * b.stdev * b.stdev) / degrees;
    return mls_student_t_lower_tail((a.mean - b.mean) / sqrt(pooled * (1 / a.count + 1 / b.count)), degrees);
}
