/* SPDX-License-Identifier: Apache-2.0 */
/* difference.c - compute the difference between two groups, its significance, and the shares of the parts of a run in
 * it. */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/statistics.h"
#include "compare/comparison.h"

/* The relative variance of results stated by MLCommons: for imaging benchmarks, and for all others. */
#define VARIANCE_IMAGING 0.025
#define VARIANCE_OTHER 0.05

#define LEVEL 0.95
#define POWER 0.8

const char *mls_compare_verdict_name(mls_compare_verdict verdict)
{
    static const char *const names[] = {"faster", "slower", "none", "too few", "no score", NULL};
    return (size_t)verdict < sizeof names / sizeof *names ? names[verdict] : "";
}

const char *mls_share_name(mls_share share)
{
    static const char *const names[] = {
#define SHARE_NAME(id, name) #name,
        MLS_SHARE_LIST(SHARE_NAME)};
    return (size_t)share < MLS_SHARE_COUNT ? names[share] : "";
}

static void sum_add(mls_sum *sum, bool known, int64_t value)
{
    sum->known = sum->known && known && !__builtin_add_overflow(sum->sum, value, &sum->sum);
}

double mls_sum_mean(const mls_sum *sum, size_t count)
{
    return sum->known && count > 0 ? (double)sum->sum / (double)count : (double)NAN;
}

/* Return whether a run is kept.  If the group has no score, no run is kept. */
static bool run_is_kept(const mls_side_group *group, const mls_side_run *run)
{
    return run->mark == MLS_OLYMPIC_KEPT && isfinite(group->score_minutes);
}

bool mls_side_run_is_valid(const mls_side_run *run)
{
    return run->valid && run->mark != MLS_OLYMPIC_OUTSIDE && isfinite(run->minutes);
}

/* Store the minutes of a group's kept runs, or of all valid runs if `kept` is false, in the order of the runs.  Return
 * their number. */
static size_t take_minutes(const mls_side_group *group, bool kept, double *minutes)
{
    size_t count = 0;
    for (size_t i = 0; i < group->runs.count; i++) {
        const mls_side_run *run = &group->runs.items[i];
        if (kept ? run_is_kept(group, run) : mls_side_run_is_valid(run))
            minutes[count++] = run->minutes;
    }
    return count;
}

void mls_side_group_measure(mls_side_group *group)
{
    double *minutes = mls_calloc(group->runs.count + 1, sizeof *minutes);
    const mls_sum nothing = {.known = true};
    group->ms = group->init_ms = group->evaluations = nothing;
    for (int part = 0; part < MLS_PART_COUNT; part++)
        group->parts[part] = nothing;
    group->kept = 0;
    for (size_t i = 0; i < group->runs.count; i++) {
        const mls_side_run *run = &group->runs.items[i];
        if (!run_is_kept(group, run))
            continue;
        group->kept++;
        sum_add(&group->ms, run->has_ms, run->ms);
        sum_add(&group->init_ms, run->has_init, run->init_ms);
        for (int part = 0; part < MLS_PART_COUNT; part++)
            sum_add(&group->parts[part], run->has_parts, run->part_ms[part]);
        sum_add(&group->evaluations, run->has_parts && run->evaluation_delimited, (int64_t)run->evaluations);
    }
    group->valid = take_minutes(group, false, minutes);
    group->mean_minutes = mls_mean(minutes, group->valid);
    group->stdev_minutes = mls_stdev_sample(minutes, group->valid);
    /* Compute the mean convergence of the kept runs, if all of them have a value in the same unit. */
    bool known = group->kept > 0;
    double *values = minutes;
    size_t count = 0;
    group->unit = NULL;
    for (size_t i = 0; i < group->runs.count && known; i++) {
        const mls_side_run *run = &group->runs.items[i];
        if (!run_is_kept(group, run))
            continue;
        group->unit = group->unit != NULL ? group->unit : run->unit;
        known = run->to_converge > 0 && isfinite(run->to_converge) && run->unit != NULL &&
                strcmp(run->unit, group->unit) == 0;
        values[count++] = run->to_converge;
    }
    group->to_converge = known ? mls_mean(values, count) : (double)NAN;
    group->unit = known ? group->unit : NULL;
    free(minutes);
}

/* Compute b / n - a / m in integers, rounded to the nearest integer; halves are rounded away from zero.  On overflow,
 * set *rounded to 0 and return false. */
static bool round_difference(int64_t b, size_t n, int64_t a, size_t m, int64_t *rounded)
{
    int64_t left;
    int64_t right;
    int64_t over = 0;
    int64_t under = 1;
    const bool known = !__builtin_mul_overflow(b, m, &left) && !__builtin_mul_overflow(a, n, &right) &&
                       !__builtin_sub_overflow(left, right, &over) && !__builtin_mul_overflow(n, m, &under) &&
                       under <= INT64_MAX / 2;
    *rounded = known ? over / under : 0;
    if (known && 2 * llabs(over % under) >= under)
        *rounded += over < 0 ? -1 : 1;
    return known;
}

/* The sorted minutes of a group: of all valid runs; and of all runs after winsorizing, in which each cut run (fastest
 * and slowest) has the time of the nearest kept run. */
typedef struct group_times {
    double *valid, *trimmed;
    size_t valid_count, trimmed_count, cut;
} group_times;

static group_times times_make(const mls_side_group *group)
{
    group_times times = {.valid = mls_calloc(group->runs.count * 3 + 1, sizeof *times.valid)};
    for (size_t i = 0; i < group->runs.count && group->kept > 0; i++)
        times.cut += group->runs.items[i].mark == MLS_OLYMPIC_FASTEST;
    times.valid_count = take_minutes(group, false, times.valid);
    times.trimmed = times.valid + group->runs.count;
    double *kept = times.trimmed + times.cut;
    const size_t count = take_minutes(group, true, kept);
    mls_sort_doubles(times.valid, times.valid_count);
    mls_sort_doubles(kept, count);
    /* Replace the time of each cut run by that of the nearest kept run.  Dropped runs, which have no time, count as
     * slowest runs. */
    for (size_t i = 0; i < times.cut; i++) {
        times.trimmed[i] = kept[0];
        kept[count + i] = kept[count - 1];
    }
    times.trimmed_count = count + 2 * times.cut;
    return times;
}

/* Return the verdict of an interval.  If the times of each group are all equal, only the Mann-Whitney test can show
 * that the difference is significant. */
static mls_compare_verdict judge_interval(const mls_interval *interval, double mann_whitney_p)
{
    const bool shown = isfinite(interval->degrees) || mann_whitney_p <= 1 - LEVEL;
    return shown && interval->high < 0  ? MLS_COMPARE_FASTER
           : shown && interval->low > 0 ? MLS_COMPARE_SLOWER
                                        : MLS_COMPARE_NONE;
}

static double clamp(double value, double low, double high)
{
    return value < low ? low : value > high ? high : value;
}

/* Return the square of the standard error of a group's score before scaling, if the scale depends on the runs.  A run
 * that needs less training is shorter and also makes the scale larger: minutes * mean / to_converge.  To the first
 * order, a run therefore contributes its minutes minus score * to_converge / mean.  Both are winsorized as the score
 * and the check of convergence trim them, `cut` runs at each end; `winsorized` contains the sorted minutes.  Return NAN
 * if the training of a run is unknown. */
static double error_with_scale(const mls_side_group *group, const double *winsorized, size_t winsorized_count,
                               size_t cut)
{
    double *training = mls_calloc(group->runs.count * 2 + 1, sizeof *training);
    double *minutes = training + group->runs.count;
    size_t count = 0;
    for (size_t i = 0; i < group->runs.count; i++) {
        const mls_side_run *run = &group->runs.items[i];
        const bool valid = mls_side_run_is_valid(run);
        if (valid || (cut > 0 && run->mark != MLS_OLYMPIC_OUTSIDE)) {
            minutes[count] = valid ? run->minutes : (double)INFINITY;
            training[count++] = valid ? run->to_converge : (double)INFINITY;
        }
    }
    double *sorted = mls_calloc(count + 1, sizeof *sorted);
    double error = NAN;
    if (count > 0)
        memcpy(sorted, training, count * sizeof *sorted);
    mls_sort_doubles(sorted, count);
    if (count == winsorized_count && count >= 2 * cut + 2) { /* the marks in an export may contradict each other */
        const double kept = (double)(count - 2 * cut);
        const double mean = mls_mean_trimmed(sorted, count, cut);
        for (size_t i = 0; i < count; i++) {
            minutes[i] = clamp(minutes[i], winsorized[0], winsorized[count - 1]) -
                         group->score_minutes * clamp(training[i], sorted[cut], sorted[count - 1 - cut]) / mean;
        }
        const double deviation = mls_stdev_sample(minutes, count);
        error = deviation * deviation * (double)(count - 1) / (kept * (kept - 1));
    }
    free(sorted);
    free(training);
    return error;
}

/* Compare two groups, given estimates of their means before scaling.  `trimmed`: the means are those of the scores. */
static void compare_estimates(mls_difference *difference, const group_times *x, const group_times *y, bool trimmed)
{
    const mls_side_group *const groups[] = {difference->a, difference->b};
    const group_times *const times[] = {x, y};
    const bool both_scaled = groups[0]->official && groups[1]->official && groups[0]->scale > 1 && groups[1]->scale > 1;
    mls_mean_estimate measured[2];
    mls_mean_estimate scaled[2];
    for (int i = 0; i < 2; i++) {
        const size_t cut = trimmed ? times[i]->cut : 0;
        const double *minutes = trimmed ? times[i]->trimmed : times[i]->valid;
        const size_t count = trimmed ? times[i]->trimmed_count : times[i]->valid_count;
        const double scale = groups[i]->scale;
        measured[i] = mls_mean_estimate_trimmed(minutes, count, cut);
        const double joint = both_scaled ? error_with_scale(groups[i], minutes, count, cut) : (double)NAN;
        scaled[i] = (mls_mean_estimate){scale * measured[i].mean,
                                        scale * scale * (isfinite(joint) ? joint : measured[i].error_squared),
                                        measured[i].degrees};
    }
    const mls_interval interval = mls_interval_of_difference(measured[0], measured[1], LEVEL);
    difference->has_interval = isfinite(interval.low) && isfinite(interval.high);
    difference->low_minutes = interval.low;
    difference->high_minutes = interval.high;
    difference->degrees = interval.degrees;
    difference->p = interval.p;
    difference->verdict = judge_interval(&interval, difference->mann_whitney_p);
    if (isfinite(interval.degrees)) {
        difference->detectable_ratio = (mls_student_t_quantile(0.5 + LEVEL / 2, interval.degrees) +
                                        mls_student_t_quantile(POWER, interval.degrees)) *
                                       interval.error / measured[0].mean;
    }
    const mls_interval of_scaled = mls_interval_of_difference(scaled[0], scaled[1], LEVEL);
    mls_scored_difference *scored = &difference->scored;
    scored->low_minutes = of_scaled.low;
    scored->high_minutes = of_scaled.high;
    scored->degrees = of_scaled.degrees;
    scored->p = of_scaled.p;
    scored->verdict = judge_interval(&of_scaled, difference->mann_whitney_p);
}

bool mls_difference_disagrees(const mls_difference *difference)
{
    return difference->verdict <= MLS_COMPARE_NONE && difference->scored.verdict <= MLS_COMPARE_NONE &&
           difference->verdict != difference->scored.verdict;
}

/* The times with which a run is identified, in whole milliseconds, because published times are. */
typedef struct run_identity {
    double start_ms;
    int64_t ms;
} run_identity;

static int compare_identities(const void *left, const void *right)
{
    const run_identity *a = left;
    const run_identity *b = right;
    const int order = mls_compare_doubles(a->start_ms, b->start_ms);
    return order != 0 ? order : (a->ms > b->ms) - (a->ms < b->ms);
}

static bool has_identity(const mls_side_run *run)
{
    return run->start_ms > 0 && run->has_ms;
}

static run_identity *identities_make(const mls_side_group *group, size_t *count)
{
    run_identity *made = mls_calloc(group->runs.count + 1, sizeof *made);
    *count = 0;
    for (size_t i = 0; i < group->runs.count; i++) {
        const mls_side_run *run = &group->runs.items[i];
        if (has_identity(run))
            made[(*count)++] = (run_identity){round(run->start_ms), run->ms};
    }
    qsort(made, *count, sizeof *made, compare_identities);
    return made;
}

bool mls_difference_all_same(const mls_difference *difference)
{
    const mls_side_group *groups[] = {difference->a, difference->b};
    bool all = difference->same_runs > 0 && groups[0]->runs.count == groups[1]->runs.count;
    for (int side = 0; side < 2; side++) {
        size_t known = 0; /* number of runs with known times; the other runs failed */
        for (size_t i = 0; i < groups[side]->runs.count; i++)
            known += has_identity(&groups[side]->runs.items[i]);
        all &= known == difference->same_runs;
    }
    return all;
}

void mls_difference_make(const mls_side_group *a, const mls_side_group *b, mls_difference *difference)
{
    const double nan = (double)NAN;
    const group_times x = times_make(a);
    const group_times y = times_make(b);
    *difference = (mls_difference){.a = a,
                                   .b = b,
                                   .minutes = b->score_minutes - a->score_minutes,
                                   .ratio = b->score_minutes / a->score_minutes - 1,
                                   .scaled_ratio = b->scaled_minutes / a->scaled_minutes - 1,
                                   .low_minutes = nan,
                                   .high_minutes = nan,
                                   .degrees = nan,
                                   .p = nan,
                                   .detectable_ratio = nan,
                                   .verdict = MLS_COMPARE_TOO_FEW,
                                   .scored = {.minutes = b->scaled_minutes - a->scaled_minutes,
                                              .low_minutes = nan,
                                              .high_minutes = nan,
                                              .degrees = nan,
                                              .p = nan,
                                              .verdict = MLS_COMPARE_TOO_FEW}};
    /* Count the runs that are in both groups; each run is matched with at most one other. */
    size_t count_a;
    size_t count_b;
    run_identity *of_a = identities_make(a, &count_a);
    run_identity *of_b = identities_make(b, &count_b);
    for (size_t i = 0, k = 0; i < count_a && k < count_b;) {
        const int order = compare_identities(&of_a[i], &of_b[k]);
        difference->same_runs += order == 0;
        i += order <= 0;
        k += order >= 0;
    }
    free(of_a);
    free(of_b);
    const bool scored = isfinite(difference->minutes);
    const bool hidden = (a->published != NULL && a->runs.count == 0) || (b->published != NULL && b->runs.count == 0);
    /* Number of ways to divide all runs into two groups; the two most extreme ways have the smallest p value. */
    double ways = 1;
    for (size_t k = 1; k <= a->valid; k++)
        ways = ways * (double)(b->valid + k) / (double)k;
    difference->min_p = fmin(1, 2 / ways);
    mls_rank_test_exact(x.valid, x.valid_count, y.valid, y.valid_count, &difference->mann_whitney_p);
    const bool trimmed = scored && a->kept >= 2 && b->kept >= 2 && !a->weak;
    if (trimmed || (a->valid >= 2 && b->valid >= 2)) {
        difference->of_mean = !trimmed;
        compare_estimates(difference, &x, &y, trimmed);
    }
    if (!scored)
        difference->verdict = difference->scored.verdict = hidden ? MLS_COMPARE_NOT_PUBLIC : MLS_COMPARE_NO_SCORE;
    mls_significance_make(difference);
    const bool imaging = mls_str_among(mls_str_from(a->benchmark), "resnet ssd retinanet maskrcnn unet3d");
    difference->within_variance = difference->verdict <= MLS_COMPARE_SLOWER &&
                                  fabs(difference->ratio) <= (imaging ? VARIANCE_IMAGING : VARIANCE_OTHER);
    if (scored)
        mls_split_make(a, b, &difference->split);
    difference->has_init = scored && a->init_ms.known && b->init_ms.known && a->kept > 0 && b->kept > 0 &&
                           round_difference(b->init_ms.sum, b->kept, a->init_ms.sum, a->kept, &difference->init_ms);
    free(x.valid);
    free(y.valid);
}

/* The state of splitting a difference: the sums of a and b over the shares so far, and the rounded total of these
 * shares. */
typedef struct splitting {
    const mls_side_group *a, *b;
    mls_split *split;
    int64_t a_sum, b_sum;
    int64_t rounded;
} splitting;

static void take_share(splitting *to, mls_share share, int64_t rounded)
{
    to->split->has[share] = true;
    to->split->ms[share] = rounded - to->rounded;
    to->rounded = rounded;
}

static void take_sums(splitting *to, mls_share share, int64_t a, int64_t b)
{
    int64_t rounded;
    to->split->known = to->split->known && !__builtin_add_overflow(to->a_sum, a, &to->a_sum) &&
                       !__builtin_add_overflow(to->b_sum, b, &to->b_sum) &&
                       round_difference(to->b_sum, to->b->kept, to->a_sum, to->a->kept, &rounded);
    if (to->split->known)
        take_share(to, share, rounded);
}

/* Add two shares for a part of the runs: the share of the number of items, such as evaluations, and the share of the
 * time per item.  a_count and b_count are the mean numbers, a and b the sums of times.  The boundary between the two
 * shares is computed in doubles, their total in integers. */
static void take_pair(splitting *to, mls_share often, double a_count, double b_count, int64_t a, int64_t b)
{
    const double before = (double)to->b_sum / (double)to->b->kept - (double)to->a_sum / (double)to->a->kept;
    const double a_each = (double)a / (double)to->a->kept / a_count;
    const double b_each = (double)b / (double)to->b->kept / b_count;
    const double end = before + (b_count - a_count) * ((a_each + b_each) / 2);
    to->split->known = to->split->known && fabs(end) < (double)(INT64_MAX / 4);
    if (to->split->known) {
        take_share(to, often, llround(end));
        take_sums(to, (mls_share)(often + 1), a, b);
    }
}

void mls_split_make(const mls_side_group *a, const mls_side_group *b, mls_split *split)
{
    /* A result of weak scaling is not split, because its time is not the sum of the parts of its models. */
    *split = (mls_split){.known = a->kept > 0 && b->kept > 0 && a->ms.known && b->ms.known && !a->weak && !b->weak};
    splitting to = {.a = a, .b = b, .split = split};
    const bool delimited = a->evaluations.known && b->evaluations.known;
    const bool same_unit = isfinite(a->to_converge) && isfinite(b->to_converge) && strcmp(a->unit, b->unit) == 0;
    const mls_sum *p = a->parts;
    const mls_sum *q = b->parts;
    const int64_t a_evaluation = p[MLS_PART_EVALUATION].sum;
    const int64_t b_evaluation = q[MLS_PART_EVALUATION].sum;
    if (!split->known)
        return;
    /* These sums cannot overflow, because the parts of a group are not longer than its runs, whose sum did not
     * overflow. */
    const int64_t a_training = p[MLS_PART_TRAINING].sum + (delimited ? 0 : a_evaluation);
    const int64_t b_training = q[MLS_PART_TRAINING].sum + (delimited ? 0 : b_evaluation);
    if (!p[MLS_PART_TRAINING].known || !q[MLS_PART_TRAINING].known) {
        take_sums(&to, MLS_SHARE_RUN, a->ms.sum, b->ms.sum);
    } else {
        if (same_unit)
            take_pair(&to, MLS_SHARE_CONVERGENCE, a->to_converge, b->to_converge, a_training, b_training);
        else
            take_sums(&to, MLS_SHARE_TRAINING, a_training, b_training);
        if (delimited && a->evaluations.sum > 0 && b->evaluations.sum > 0) {
            take_pair(&to, MLS_SHARE_EVALUATIONS, mls_sum_mean(&a->evaluations, a->kept),
                      mls_sum_mean(&b->evaluations, b->kept), a_evaluation, b_evaluation);
        } else if (delimited) {
            take_sums(&to, MLS_SHARE_EVALUATION, a_evaluation, b_evaluation);
        }
        for (int part = MLS_PART_STARTUP; part <= MLS_PART_TAIL; part++)
            take_sums(&to, (mls_share)(MLS_SHARE_STARTUP + part - MLS_PART_STARTUP), p[part].sum, q[part].sum);
    }
    split->total_ms = to.rounded;
}
