/* SPDX-License-Identifier: Apache-2.0 */
/* estimate.c - predict where a run will end, its pace, and the uncertainty; and the olympic mean of finished and
 * assumed runs. */
#include "explain/watch/live.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/statistics.h"
#include "score/score.h"

/* The assumed relative standard deviation of runs if there are only one or two runs and no reference. */
#define SPREAD_UNKNOWN 0.12
/* Shrinkage of slopes from few runs: a slope from n runs is multiplied by n / (n + SHRINK). */
#define SHRINK 6
#define NORMAL_90 1.2816 /* 90 % quantile of the normal distribution */
/* Uncertainty of the pace as factors. */
#define PACE_LOW 0.98
#define PACE_HIGH 1.02

enum { CURVES_MIN = 3 };

const char *mls_estimate_from_name(mls_estimate_from from)
{
    static const char *const names[] = {NULL, "reference", "runs", "curves"};
    return (size_t)from < sizeof names / sizeof *names ? names[from] : NULL;
}

mls_estimate mls_estimate_none(void)
{
    return (mls_estimate){MLS_ESTIMATE_NONE, (double)NAN, (double)NAN, (double)NAN, (double)NAN, false};
}

void mls_curve_add(mls_curve *curve, mls_value_point point)
{
    mls_value_point *last = curve->count > 0 ? &curve->items[curve->count - 1] : NULL;
    if (!isfinite(point.at) || !isfinite(point.minutes) || (last != NULL && point.at <= last->at))
        return;
    curve->before = last != NULL ? last->at : (double)NAN;
    curve->stride = curve->stride > 0 ? curve->stride : 1;
    const size_t place = curve->seen++;
    /* Replace the last point if it was kept only because it was the last one. */
    if (last != NULL && (place - 1) % curve->stride != 0) {
        *last = point;
        return;
    }
    if (last != NULL && curve->count == MLS_CURVE_POINTS_MAX) {
        for (size_t i = 0; i < curve->count / 2; i++)
            curve->items[i] = curve->items[2 * i];
        curve->count /= 2;
        curve->stride *= 2;
    }
    MLS_GROW(curve, items);
    curve->items[curve->count++] = point;
}

void mls_curve_release(mls_curve *curve)
{
    free(curve->items);
    *curve = (mls_curve){0};
}

/* The positions at which the run may end: `values`, multiplied by `scale`, plus `shift`. */
typedef struct outcomes {
    const double *values; /* `own` or the reference's */
    size_t count;
    double scale, shift;
    double mean, stdev; /* mean and sample standard deviation after the shift */
    double own[MLS_PAST_RUNS_MAX];
} outcomes;

static void measure_outcomes(outcomes *all, const double *values, size_t count, double scale)
{
    all->values = values;
    all->count = count;
    all->scale = scale;
    all->shift = 0;
    all->mean = mls_mean(values, count) * scale;
    all->stdev = mls_stdev_sample(values, count) * scale;
}

static const mls_value_point *last_of(const mls_curve *curve)
{
    return &curve->items[curve->count - 1];
}

static double between(double x, double x0, double y0, double x1, double y1)
{
    return x1 > x0 || x1 < x0 ? y0 + (y1 - y0) * (x - x0) / (x1 - x0) : y1;
}

/* Return the value of a run at a position, interpolated linearly between evaluations; NAN outside of these. */
static double value_at(const mls_curve *curve, double at)
{
    for (size_t i = 0; i < curve->count; i++) {
        const mls_value_point *b = &curve->items[i];
        if (b->at >= at)
            return b->at <= at ? b->value : i > 0 ? between(at, b[-1].at, b[-1].value, b->at, b->value) : (double)NAN;
    }
    return (double)NAN;
}

/* Return the position at which a run first reached a value; NAN: never. */
static double first_at(const mls_curve *curve, double value)
{
    const bool rising = last_of(curve)->value >= curve->items[0].value;
    for (size_t i = 0; i < curve->count; i++) {
        const mls_value_point *b = &curve->items[i];
        if (rising ? b->value >= value : b->value <= value)
            return i > 0 ? between(value, b[-1].value, b[-1].at, b->value, b->at) : b->at;
    }
    return (double)NAN;
}

static double pace_until(const mls_curve *curve)
{
    const mls_value_point *first = curve->items;
    const mls_value_point *last = last_of(curve);
    return curve->count > 1 ? (last->minutes - first->minutes) / (last->at - first->at) : first->minutes / first->at;
}

/* Find the outcomes from the curves of runs that have a value at the position of the last evaluation, `here`. Return
 * whether there are enough such runs.
 *
 * One prediction is a regression: runs that were better at this position usually converged earlier.  The other one is
 * the distance from the position at which each run had this value to its end. */
static bool outcomes_by_curves(const mls_value_point *here, const mls_estimate_basis *basis, outcomes *to)
{
    double needed[MLS_PAST_RUNS_MAX];
    double value[MLS_PAST_RUNS_MAX];
    double further[MLS_PAST_RUNS_MAX];
    size_t n = 0;
    size_t reached = 0;
    for (size_t i = 0; i < basis->run_count; i++) {
        const mls_past_run *run = &basis->runs[i];
        const double then =
            run->needed > here->at && isfinite(here->value) ? value_at(run->curve, here->at) : (double)NAN;
        if (isfinite(then)) {
            const double first = first_at(run->curve, here->value);
            needed[n] = run->needed;
            value[n++] = then;
            if (isfinite(first))
                further[reached++] = run->needed - first;
        }
    }
    if (n < CURVES_MIN)
        return false;
    const double mean_needed = mls_mean(needed, n);
    const double mean_value = mls_mean(value, n);
    const double limit = 2 * mls_stdev_population(value, n);
    double both = 0;
    double square = 0;
    for (size_t i = 0; i < n; i++) {
        both += (value[i] - mean_value) * (needed[i] - mean_needed);
        square += (value[i] - mean_value) * (value[i] - mean_value);
    }
    const double slope = square > 0 ? both / square * (double)n / (double)(n + SHRINK) : 0;
    const double ahead = fmax(-limit, fmin(limit, here->value - mean_value));
    for (size_t i = 0; i < n; i++)
        to->own[i] = needed[i] + slope * (ahead - (value[i] - mean_value));
    measure_outcomes(to, to->own, n, 1);
    if (reached >= CURVES_MIN) {
        /* Shift the outcomes to the mean of both predictions, weighted by inverse variance. */
        const double second = here->at + mls_mean(further, reached);
        const double spread = mls_stdev_sample(further, reached);
        const double one = to->stdev * to->stdev;
        const double two = spread * spread;
        const double joined = one + two > 0 ? (to->mean * two + second * one) / (one + two) : (to->mean + second) / 2;
        to->shift += joined - to->mean;
        to->mean = joined;
    }
    return true;
}

/* Round a position `at` to the position of an evaluation after `here`: up, or (`nearest`) to the nearest one. */
static double at_evaluation(double here, double distance, double at, bool nearest)
{
    if (!(distance > 0))
        return fmax(at, here);
    const double steps = (at - here) / distance;
    return here + fmax(1, nearest ? floor(steps + 0.5) : ceil(steps - 1e-9)) * distance;
}

/* Return the mean of the outcomes that are after `here`, or `none` if all are before it. */
static double mean_beyond(const outcomes *all, double here, double none)
{
    double sum = 0;
    size_t count = 0;
    for (size_t i = 0; i < all->count; i++) {
        const double outcome = all->values[i] * all->scale + all->shift;
        if (outcome > here) {
            sum += outcome;
            count++;
        }
    }
    return count > 0 ? sum / (double)count : none;
}

/* Return the half-width of the interval around the mean outcome. */
static double half_interval(const outcomes *all, mls_estimate_from from, const mls_estimate_basis *basis)
{
    const double n = (double)all->count;
    if (from == MLS_ESTIMATE_REFERENCE)
        return NORMAL_90 * (all->count > 1 ? all->stdev : SPREAD_UNKNOWN * all->mean);
    if (all->count > 2)
        return mls_student_t_quantile(0.9, n - 1) * sqrt(1 + 1 / n) * all->stdev;
    const double share = basis->reference_count > 1 ? mls_stdev_sample(basis->reference, basis->reference_count) /
                                                          mls_mean(basis->reference, basis->reference_count)
                                                    : SPREAD_UNKNOWN;
    return NORMAL_90 * sqrt(1 + 1 / n) * share * all->mean;
}

mls_estimate mls_estimate_left(const mls_curve *curve, double now, const mls_estimate_basis *given)
{
    mls_estimate_basis basis = *given;
    mls_estimate estimate = mls_estimate_none();
    outcomes all;
    basis.run_count = basis.run_count < MLS_PAST_RUNS_MAX ? basis.run_count : MLS_PAST_RUNS_MAX;
    if (curve->count == 0 && basis.run_count > 0) {
        /* Before the first evaluation, only the times of other runs are known. */
        double longest = 0;
        for (size_t i = 0; i < basis.run_count; i++) {
            all.own[i] = basis.runs[i].minutes;
            longest = fmax(longest, all.own[i]);
        }
        measure_outcomes(&all, all.own, basis.run_count, 1);
        const double end = mean_beyond(&all, now, longest);
        const double half = half_interval(&all, MLS_ESTIMATE_RUNS, &basis);
        estimate.from = MLS_ESTIMATE_RUNS;
        estimate.left = fmax(0, end - now);
        estimate.low = fmax(0, fmin(all.mean - half, end) - now) * PACE_LOW;
        estimate.high = fmax(0, fmax(all.mean + half, end) - now) * PACE_HIGH;
        return estimate;
    }
    if (curve->count == 0 || (basis.run_count == 0 && basis.reference_count == 0))
        return estimate;
    /* The mean time from the last evaluation to run_stop, the longest run, and the pace in minutes per unit, including
     * evaluations.  One evaluation does not show the pace, so other runs are used then. */
    double paces[MLS_PAST_RUNS_MAX];
    double tail = 0;
    double furthest = basis.run_count > 0 ? -INFINITY : INFINITY;
    size_t evaluated = 0;
    for (size_t i = 0; i < basis.run_count; i++) {
        const mls_curve *past = basis.runs[i].curve;
        furthest = fmax(furthest, basis.runs[i].needed);
        if (past->count > 0) {
            paces[evaluated++] = pace_until(past);
            tail += basis.runs[i].minutes - last_of(past)->minutes;
        }
    }
    tail = evaluated > 0 ? tail / (double)evaluated : 0;
    const double pace = curve->count == 1 && evaluated > 0 ? mls_mean(paces, evaluated) : pace_until(curve);
    if (!(pace > 0 && isfinite(pace))) /* times do not increase */
        return estimate;
    const mls_value_point *here = last_of(curve);
    /* The distance between evaluations; 0: unknown. */
    double distance = 0;
    if (curve->count > 1) {
        distance = here->at - curve->before;
    } else {
        size_t count = 0;
        for (size_t i = 0; i < basis.run_count; i++)
            count += basis.runs[i].curve->count;
        double *distances = mls_malloc((count + 1) * sizeof *distances);
        count = 0;
        for (size_t i = 0; i < basis.run_count; i++) {
            const mls_curve *past = basis.runs[i].curve;
            for (size_t k = 1; k < past->count; k++)
                distances[count++] = past->items[k].at - past->items[k - 1].at;
        }
        mls_sort_doubles(distances, count);
        distance = count > 0 ? mls_median(distances, count) : 0;
        free(distances);
    }
    if (outcomes_by_curves(here, &basis, &all)) {
        estimate.from = MLS_ESTIMATE_CURVES;
    } else if (basis.run_count > 0) {
        estimate.from = MLS_ESTIMATE_RUNS;
        for (size_t i = 0; i < basis.run_count; i++)
            all.own[i] = basis.runs[i].needed;
        measure_outcomes(&all, all.own, basis.run_count, 1);
    } else {
        estimate.from = MLS_ESTIMATE_REFERENCE;
        measure_outcomes(&all, basis.reference, basis.reference_count, basis.scale);
    }
    const double middle = mean_beyond(&all, here->at, (double)NAN);
    const bool nearest = isnan(middle) || estimate.from == MLS_ESTIMATE_CURVES;
    const double half = half_interval(&all, estimate.from, &basis);
    const double later = here->minutes - now + tail;
    /* The run did not end at this evaluation, so it ends at the next one or later.  If the distance between evaluations
     * is unknown, assume the position of the first one. */
    const double next = distance > 0 ? distance : here->at;
    estimate.end = isnan(middle) ? here->at + next : at_evaluation(here->at, distance, middle, nearest);
    const double low = fmin(at_evaluation(here->at, distance, all.mean - half, false), estimate.end);
    const double high = fmax(at_evaluation(here->at, distance, all.mean + half, false), estimate.end);
    estimate.left = fmax(0, later + (estimate.end - here->at) * pace);
    estimate.low = fmax(0, later + (low - here->at) * pace) * PACE_LOW;
    estimate.high = fmax(0, later + (high - here->at) * pace) * PACE_HIGH;
    estimate.beyond = here->at > furthest + distance || (basis.limit > 0 && here->at + distance > basis.limit);
    return estimate;
}

/* ------------------------------------------------------------------------ the score */

/* Accuracy in minutes of the mean that mls_outlook_beat() finds. */
#define BEAT_WIDTH 0.001
/* A length in minutes that no run reaches (two thousand years). */
#define BEAT_MOST 1e9

static size_t runs_to_come(const mls_so_far *so_far)
{
    const size_t finished = so_far->valid + so_far->not_valid;
    return so_far->rules->runs_needed > finished ? so_far->rules->runs_needed - finished : 0;
}

/* Return the score for the case that `more` runs of `minutes` each follow. */
static mls_olympic_result suppose(const mls_so_far *so_far, size_t more, double minutes)
{
    const size_t count = so_far->valid + so_far->not_valid + more;
    mls_run *runs = mls_calloc(count + 1, sizeof *runs);
    const mls_run **pointers = (const mls_run **)mls_calloc(count + 1, sizeof *pointers);
    mls_group group = {.rules = so_far->rules, .runs = pointers, .run_count = count};
    for (size_t i = 0; i < count; i++) {
        mls_run_init(&runs[i]);
        runs[i].valid = i < so_far->valid || i >= count - more;
        runs[i].run_start.time_ms = 0;
        runs[i].run_stop.time_ms = (i < so_far->valid ? so_far->minutes[i] : minutes) * 60000;
        pointers[i] = &runs[i];
    }
    mls_group_olympic(&group, false);
    free(group.marks);
    free((void *)pointers);
    free(runs);
    return group.score;
}

mls_outlook mls_outlook_make(const mls_so_far *so_far)
{
    const size_t needed = so_far->rules->runs_needed;
    const size_t to_come = runs_to_come(so_far);
    double fastest = NAN;
    double slowest = NAN;
    for (size_t i = 0; i < so_far->valid; i++) {
        fastest = fmin(fastest, so_far->minutes[i]);
        slowest = fmax(slowest, so_far->minutes[i]);
    }
    const mls_olympic_result score = suppose(so_far, 0, 0);
    const bool some = so_far->valid > 0;
    return (mls_outlook){.needed = needed,
                         .finished = so_far->valid + so_far->not_valid,
                         .to_come = to_come,
                         .impossible = needed > 0 && so_far->not_valid > so_far->rules->left_out,
                         .official = score.official,
                         .now = score.score_minutes,
                         .best = some ? suppose(so_far, to_come, fastest).score_minutes : (double)NAN,
                         .worst = some ? suppose(so_far, to_come, slowest).score_minutes : (double)NAN};
}

mls_beat mls_outlook_beat(const mls_so_far *so_far, double minutes, double *mean)
{
    const size_t to_come = runs_to_come(so_far);
    double low = 0;
    double high = BEAT_MOST;
    *mean = (double)NAN;
    if (suppose(so_far, to_come, high).score_minutes * so_far->scale < minutes)
        return MLS_BEAT_CERTAIN;
    if (to_come == 0 || !(suppose(so_far, to_come, low).score_minutes * so_far->scale < minutes))
        return MLS_BEAT_CANNOT;
    while (high - low > BEAT_WIDTH) {
        const double middle = (low + high) / 2;
        if (suppose(so_far, to_come, middle).score_minutes * so_far->scale < minutes)
            low = middle;
        else
            high = middle;
    }
    *mean = low;
    return MLS_BEAT_IF;
}
