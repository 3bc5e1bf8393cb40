/* SPDX-License-Identifier: Apache-2.0 */
/* estimate.c - where a run will end, how fast it gets there, and how far off that may be. */
#include "explain/watch/estimate.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/statistics.h"

/* With one or two runs, and no reference: how far apart runs lie, as a share of their mean. */
#define SPREAD_UNKNOWN 0.12
/* Few runs make steep lines: a slope by n of them counts n / (n + SHRINK). */
#define SHRINK 6
#define NORMAL_90 1.2816 /* the quantile of the normal distribution at 90 % */
/* What the pace may be off, at each end. */
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

bool mls_curve_add(mls_curve *curve, mls_value_point point)
{
    mls_value_point *last = curve->count > 0 ? &curve->items[curve->count - 1] : NULL;
    if (!isfinite(point.at) || !isfinite(point.minutes) || (last != NULL && point.at <= last->at)) {
        return true;
    }
    curve->before = last != NULL ? last->at : (double)NAN;
    curve->stride = curve->stride > 0 ? curve->stride : 1;
    const size_t place = curve->seen++;
    /* The last one stands there only for being the last. */
    if (last != NULL && (place - 1) % curve->stride != 0) {
        *last = point;
        return true;
    }
    if (last != NULL && curve->count == MLS_CURVE_POINTS_MAX) {
        for (size_t i = 0; i < curve->count / 2; i++) {
            curve->items[i] = curve->items[2 * i];
        }
        curve->count /= 2;
        curve->stride *= 2;
    }
    if (!MLS_GROW(curve, items)) {
        return false;
    }
    curve->items[curve->count++] = point;
    return true;
}

void mls_curve_release(mls_curve *curve)
{
    free(curve->items);
    *curve = (mls_curve){0};
}

/* Where the run may end: values, times a scale, moved by a shift. */
typedef struct outcomes {
    const double *values;
    size_t count;
    double scale, shift;
    double mean, stdev; /* moved; of a sample */
    double own[MLS_PAST_RUNS_MAX];
} outcomes;

static double outcome(const outcomes *all, size_t i)
{
    return all->values[i] * all->scale + all->shift;
}

/* Those that are the estimate's own, for it to fill in. */
static void outcomes_begin(outcomes *all, size_t count)
{
    all->values = all->own;
    all->count = count;
    all->scale = 1;
    all->shift = 0;
}

static void outcomes_measure(outcomes *all)
{
    all->mean = mls_mean(all->values, all->count) * all->scale + all->shift;
    all->stdev = mls_stdev_sample(all->values, all->count) * all->scale;
}

static const mls_value_point *last_of(const mls_curve *curve)
{
    return &curve->items[curve->count - 1];
}

static double between(double x, double x0, double y0, double x1, double y1)
{
    return x1 > x0 || x1 < x0 ? y0 + (y1 - y0) * (x - x0) / (x1 - x0) : y1;
}

/* The value that a run had at a position, linear between evaluations; NAN outside of them. */
static double value_at(const mls_curve *curve, double at)
{
    for (size_t i = 0; i < curve->count; i++) {
        const mls_value_point *b = &curve->items[i];
        if (b->at >= at) {
            return b->at <= at ? b->value : i > 0 ? between(at, b[-1].at, b[-1].value, b->at, b->value) : (double)NAN;
        }
    }
    return (double)NAN;
}

/* Where a run first had a value, by the way its values went; NAN: it never did. */
static double first_at(const mls_curve *curve, double value)
{
    const bool rising = last_of(curve)->value >= curve->items[0].value;
    for (size_t i = 0; i < curve->count; i++) {
        const mls_value_point *b = &curve->items[i];
        if (rising ? b->value >= value : b->value <= value) {
            return i > 0 ? between(value, b[-1].value, b[-1].at, b->value, b->at) : b->at;
        }
    }
    return (double)NAN;
}

static double pace_until(const mls_curve *curve)
{
    const mls_value_point *first = curve->items;
    const mls_value_point *last = last_of(curve);
    return curve->count > 1 ? (last->minutes - first->minutes) / (last->at - first->at) : first->minutes / first->at;
}

/* Minutes a unit, evaluations included. */
static double find_pace(const mls_curve *curve, const mls_estimate_basis *basis)
{
    double paces[MLS_PAST_RUNS_MAX];
    size_t count = 0;
    for (size_t i = 0; i < basis->run_count && curve->count == 1; i++) {
        if (basis->runs[i].curve->count > 0) {
            paces[count++] = pace_until(basis->runs[i].curve);
        }
    }
    return count > 0 ? mls_mean(paces, count) : pace_until(curve);
}

/* From one evaluation to the next; 0: not known. */
static double find_distance(const mls_curve *curve, const mls_estimate_basis *basis)
{
    if (curve->count > 1) {
        return last_of(curve)->at - curve->before;
    }
    size_t count = 0;
    for (size_t i = 0; i < basis->run_count; i++) {
        count += basis->runs[i].curve->count;
    }
    double *distances = count > 0 ? mls_malloc(count * sizeof *distances) : NULL;
    count = 0;
    for (size_t i = 0; i < basis->run_count && distances != NULL; i++) {
        const mls_curve *past = basis->runs[i].curve;
        for (size_t k = 1; k < past->count; k++) {
            distances[count++] = past->items[k].at - past->items[k - 1].at;
        }
    }
    if (count > 0) {
        mls_sort_doubles(distances, count);
    }
    const double median = count > 0 ? mls_median(distances, count) : 0;
    free(distances);
    return median;
}

/* The runs whose curve says something at the run's last evaluation. */
typedef struct curve_view {
    double needed[MLS_PAST_RUNS_MAX], value[MLS_PAST_RUNS_MAX], further[MLS_PAST_RUNS_MAX];
    size_t count, reached;
} curve_view;

static void view_curves(const mls_value_point *here, const mls_estimate_basis *basis, curve_view *view)
{
    view->count = view->reached = 0;
    for (size_t i = 0; i < basis->run_count; i++) {
        const mls_past_run *run = &basis->runs[i];
        const double value =
            run->needed > here->at && isfinite(here->value) ? value_at(run->curve, here->at) : (double)NAN;
        if (isfinite(value)) {
            const double first = first_at(run->curve, here->value);
            view->needed[view->count] = run->needed;
            view->value[view->count++] = value;
            if (isfinite(first)) {
                view->further[view->reached++] = run->needed - first;
            }
        }
    }
}

/* Runs that were further at this position needed less (or the other way round, as the line through them says); and, as
 * a second view, how much further each had to go from where it stood as this run does. */
static void outcomes_by_curves(const mls_value_point *here, const curve_view *view, outcomes *to)
{
    const size_t n = view->count;
    const double needed = mls_mean(view->needed, n);
    const double value = mls_mean(view->value, n);
    const double limit = 2 * mls_stdev_population(view->value, n);
    double both = 0;
    double square = 0;
    for (size_t i = 0; i < n; i++) {
        both += (view->value[i] - value) * (view->needed[i] - needed);
        square += (view->value[i] - value) * (view->value[i] - value);
    }
    const double slope = square > 0 ? both / square * (double)n / (double)(n + SHRINK) : 0;
    const double ahead = fmax(-limit, fmin(limit, here->value - value));
    for (size_t i = 0; i < n; i++) {
        to->own[i] = view->needed[i] + slope * (ahead - (view->value[i] - value));
    }
    outcomes_begin(to, n);
}

/* Moves outcomes to the mean of both views, each weighted by the inverse of its variance. */
static void outcomes_join(const mls_value_point *here, const curve_view *view, outcomes *to)
{
    if (view->reached < CURVES_MIN) {
        return;
    }
    const double second = here->at + mls_mean(view->further, view->reached);
    const double spread = mls_stdev_sample(view->further, view->reached);
    const double one = to->stdev * to->stdev;
    const double two = spread * spread;
    const double joined = one + two > 0 ? (to->mean * two + second * one) / (one + two) : (to->mean + second) / 2;
    to->shift += joined - to->mean;
    to->mean = joined;
}

/* Rounded to an evaluation after the last one, up or to the nearest. */
static double at_evaluation(double here, double distance, double at, bool nearest)
{
    if (!(distance > 0)) {
        return fmax(at, here);
    }
    const double steps = (at - here) / distance;
    return here + fmax(1, nearest ? floor(steps + 0.5) : ceil(steps - 1e-9)) * distance;
}

/* The mean of the outcomes that still lie ahead; `none`: there are none. */
static double mean_beyond(const outcomes *all, double here, double none)
{
    double sum = 0;
    size_t count = 0;
    for (size_t i = 0; i < all->count; i++) {
        if (outcome(all, i) > here) {
            sum += outcome(all, i);
            count++;
        }
    }
    return count > 0 ? sum / (double)count : none;
}

/* Half of the interval around the mean of the outcomes. */
static double half_interval(const outcomes *all, mls_estimate_from from, const mls_estimate_basis *basis)
{
    const double n = (double)all->count;
    if (from == MLS_ESTIMATE_REFERENCE) {
        return NORMAL_90 * (all->count > 1 ? all->stdev : SPREAD_UNKNOWN * all->mean);
    }
    if (all->count > 2) {
        return mls_student_t_quantile(0.9, n - 1) * sqrt(1 + 1 / n) * all->stdev;
    }
    const double share = basis->reference_count > 1 ? mls_stdev_sample(basis->reference, basis->reference_count) /
                                                          mls_mean(basis->reference, basis->reference_count)
                                                    : SPREAD_UNKNOWN;
    return NORMAL_90 * sqrt(1 + 1 / n) * share * all->mean;
}

/* From the last evaluation to run_stop. */
static double mean_tail(const mls_estimate_basis *basis)
{
    double sum = 0;
    size_t count = 0;
    for (size_t i = 0; i < basis->run_count; i++) {
        if (basis->runs[i].curve->count > 0) {
            sum += basis->runs[i].minutes - last_of(basis->runs[i].curve)->minutes;
            count++;
        }
    }
    return count > 0 ? sum / (double)count : 0;
}

/* Before the first evaluation: by the times of the runs alone. */
static mls_estimate estimate_by_minutes(double now, const mls_estimate_basis *basis, outcomes *all)
{
    mls_estimate estimate = mls_estimate_none();
    double longest = 0;
    outcomes_begin(all, basis->run_count);
    for (size_t i = 0; i < basis->run_count; i++) {
        all->own[i] = basis->runs[i].minutes;
        longest = fmax(longest, all->own[i]);
    }
    outcomes_measure(all);
    const double end = mean_beyond(all, now, longest);
    const double half = half_interval(all, MLS_ESTIMATE_RUNS, basis);
    estimate.from = MLS_ESTIMATE_RUNS;
    estimate.left = fmax(0, end - now);
    estimate.low = fmax(0, fmin(all->mean - half, end) - now) * PACE_LOW;
    estimate.high = fmax(0, fmax(all->mean + half, end) - now) * PACE_HIGH;
    return estimate;
}

/* Fills in what the run may need, the best of what is known, and says by what. */
static mls_estimate_from find_outcomes(const mls_value_point *here, const mls_estimate_basis *basis, outcomes *all)
{
    curve_view view;
    view_curves(here, basis, &view);
    if (view.count >= CURVES_MIN) {
        outcomes_by_curves(here, &view, all);
        outcomes_measure(all);
        outcomes_join(here, &view, all);
        return MLS_ESTIMATE_CURVES;
    }
    outcomes_begin(all, basis->run_count);
    for (size_t i = 0; i < basis->run_count; i++) {
        all->own[i] = basis->runs[i].needed;
    }
    if (basis->run_count == 0) {
        all->values = basis->reference;
        all->count = basis->reference_count;
        all->scale = basis->scale;
    }
    outcomes_measure(all);
    return basis->run_count > 0 ? MLS_ESTIMATE_RUNS : MLS_ESTIMATE_REFERENCE;
}

mls_estimate mls_estimate_left(const mls_curve *curve, double now, const mls_estimate_basis *given)
{
    mls_estimate_basis basis = *given;
    outcomes all;
    basis.run_count = basis.run_count < MLS_PAST_RUNS_MAX ? basis.run_count : MLS_PAST_RUNS_MAX;
    if (curve->count == 0) {
        return basis.run_count > 0 ? estimate_by_minutes(now, &basis, &all) : mls_estimate_none();
    }
    if (basis.run_count == 0 && basis.reference_count == 0) {
        return mls_estimate_none();
    }
    const mls_value_point *here = last_of(curve);
    const double distance = find_distance(curve, &basis);
    const double pace = find_pace(curve, &basis);
    if (!(pace > 0 && isfinite(pace))) { /* its times do not grow with its positions, or it has none yet */
        return mls_estimate_none();
    }
    const double later = here->minutes - now + mean_tail(&basis);
    mls_estimate estimate = mls_estimate_none();
    estimate.from = find_outcomes(here, &basis, &all);
    const double middle = mean_beyond(&all, here->at, (double)NAN);
    const bool nearest = isnan(middle) || estimate.from == MLS_ESTIMATE_CURVES;
    const double half = half_interval(&all, estimate.from, &basis);
    /* It did not end here: the next evaluation is due, after the distance of the first one if no other is known. */
    const double next = distance > 0 ? distance : here->at;
    estimate.end = isnan(middle) ? here->at + next : at_evaluation(here->at, distance, middle, nearest);
    const double low = fmin(at_evaluation(here->at, distance, all.mean - half, false), estimate.end);
    const double high = fmax(at_evaluation(here->at, distance, all.mean + half, false), estimate.end);
    estimate.left = fmax(0, later + (estimate.end - here->at) * pace);
    estimate.low = fmax(0, later + (low - here->at) * pace) * PACE_LOW;
    estimate.high = fmax(0, later + (high - here->at) * pace) * PACE_HIGH;
    double furthest = basis.run_count > 0 ? -INFINITY : INFINITY;
    for (size_t i = 0; i < basis.run_count; i++) {
        furthest = fmax(furthest, basis.runs[i].needed);
    }
    estimate.beyond = here->at > furthest + distance || (basis.limit > 0 && here->at + distance > basis.limit);
    return estimate;
}
