/* SPDX-License-Identifier: Apache-2.0 */
/* significance.c - test the parts of the difference between two groups: pace, evaluations and samples to converge; and
 * compare the times that the runs would have taken with the same samples and evaluations.
 *
 * All valid runs count, not only those of the score, because chance decides which runs the score keeps.  The tests use
 * logarithms, because effects multiply: a and b can then be swapped, which inverts the ratio. */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/statistics.h"
#include "compare/comparison.h"

#define LEVEL 0.95

/* The variance of a difference of logarithms up to which the numbers of both sides count as equal, and the largest
 * difference that then counts as none. */
#define NO_VARIANCE 1e-24
#define NO_DIFFERENCE 1e-9

/* One of so many runs is trimmed at each end, so that one stalled run of ten does not hide a difference. */
enum { RUNS_PER_TRIMMED = 10 };

typedef struct testing {
    const mls_side_group *groups[2];
    bool same_unit; /* all valid runs have the same unit of convergence */
    bool delimited; /* all valid runs delimit evaluations; otherwise, evaluation time counts as training time */
    double to_converge, evaluations; /* the common numbers of luck_free */
} testing;

static double training_ms(const testing *test, const mls_side_run *run)
{
    const int64_t *ms = run->part_ms;
    return (double)(ms[MLS_PART_TRAINING] + (test->delimited ? 0 : ms[MLS_PART_EVALUATION]));
}

/* Functions that return a number of a run; the result is not finite or not above 0 if it is unknown. */
typedef double number_of(const testing *test, const mls_side_run *run);

static double to_converge(const testing *test, const mls_side_run *run)
{
    return test->same_unit ? run->to_converge : (double)NAN;
}

static double samples_per_second(const testing *test, const mls_side_run *run)
{
    return run->has_parts ? to_converge(test, run) / training_ms(test, run) * 1000 : (double)NAN;
}

static double seconds_per_evaluation(const testing *test, const mls_side_run *run)
{
    const bool known = run->has_parts && test->delimited;
    return known ? (double)run->part_ms[MLS_PART_EVALUATION] / (double)run->evaluations / 1000 : (double)NAN;
}

static double luck_free_minutes(const testing *test, const mls_side_run *run)
{
    const int64_t *ms = run->part_ms;
    const double other = (double)(ms[MLS_PART_STARTUP] + ms[MLS_PART_BETWEEN] + ms[MLS_PART_TAIL]);
    const double evaluation = test->delimited ? test->evaluations * seconds_per_evaluation(test, run) * 1000 : 0;
    return (other + test->to_converge / samples_per_second(test, run) * 1000 + evaluation) / 60000;
}

/* Test the numbers of both groups.  `lower` and `higher` are the verdicts if the number of b is significantly lower or
 * higher. */
static mls_ratio_test make_ratio(const testing *test, number_of *number, bool trim, const char *lower,
                                 const char *higher)
{
    mls_ratio_test ratio = {.known = true};
    mls_mean_estimate estimates[2];
    for (int side = 0; side < 2; side++) {
        const mls_side_group *group = test->groups[side];
        double *logarithms = mls_calloc(group->runs.count + 1, sizeof *logarithms);
        size_t count = 0;
        for (size_t i = 0; i < group->runs.count; i++) {
            const mls_side_run *run = &group->runs.items[i];
            if (mls_side_run_is_valid(run)) {
                logarithms[count] = log(number(test, run));
                ratio.known &= isfinite(logarithms[count++]) != 0;
            }
        }
        mls_sort_doubles(logarithms, count);
        estimates[side] = mls_mean_estimate_trimmed(logarithms, count, trim ? count / RUNS_PER_TRIMMED : 0);
        ratio.known &= isfinite(estimates[side].mean) != 0; /* at least two runs */
        free(logarithms);
    }
    if (!ratio.known)
        return ratio;
    ratio.baseline = mls_round_portable(exp(estimates[0].mean));
    ratio.value = mls_round_portable(exp(estimates[1].mean));
    estimates[1].mean -= estimates[0].mean;
    estimates[0].mean = 0;
    const mls_interval interval = mls_interval_of_difference(estimates[0], estimates[1], LEVEL);
    const bool varies =
        estimates[0].error_squared + estimates[1].error_squared > NO_VARIANCE && isfinite(interval.degrees);
    ratio.ratio = mls_round_portable(expm1(interval.difference));
    ratio.low_ratio = varies ? mls_round_portable(expm1(interval.low)) : (double)NAN;
    ratio.high_ratio = varies ? mls_round_portable(expm1(interval.high)) : (double)NAN;
    ratio.degrees = varies ? mls_round_portable(interval.degrees) : (double)NAN;
    ratio.p = varies ? interval.p : (double)NAN;
    ratio.verdict = (varies ? interval.high < 0 : interval.difference < -NO_DIFFERENCE) ? lower
                    : (varies ? interval.low > 0 : interval.difference > NO_DIFFERENCE) ? higher
                                                                                        : "none";
    return ratio;
}

void mls_significance_make(mls_difference *difference)
{
    testing test = {.groups = {difference->a, difference->b}, .same_unit = true, .delimited = true};
    mls_significance *to = &difference->significance;
    const char *unit = NULL;
    double means[2][2] = {{0}}; /* mean convergence and evaluations of each side */
    for (int side = 0; side < 2; side++) {
        const mls_side_group *group = test.groups[side];
        size_t count = 0;
        for (size_t i = 0; i < group->runs.count; i++) {
            const mls_side_run *run = &group->runs.items[i];
            if (!mls_side_run_is_valid(run))
                continue;
            unit = unit != NULL ? unit : run->unit;
            test.same_unit &= run->unit != NULL && strcmp(run->unit, unit) == 0;
            test.delimited &= run->evaluation_delimited;
            means[side][0] += run->to_converge;
            means[side][1] += (double)run->evaluations;
            count++;
        }
        means[side][0] /= (double)count;
        means[side][1] /= (double)count;
    }
    test.to_converge = (means[0][0] + means[1][0]) / 2;
    test.evaluations = test.delimited ? (means[0][1] + means[1][1]) / 2 : (double)NAN;
    to->samples_per_second = make_ratio(&test, samples_per_second, true, "slower", "faster");
    to->seconds_per_evaluation = make_ratio(&test, seconds_per_evaluation, true, "faster", "slower");
    to->to_converge = make_ratio(&test, to_converge, false, "fewer", "more");
    const double batch_a = difference->a->global_batch_size;
    const double batch_b = difference->b->global_batch_size;
    if (isnan(batch_a) ? isnan(batch_b) : fabs(batch_a - batch_b) <= 0) {
        difference->luck_free = (mls_luck_free){make_ratio(&test, luck_free_minutes, true, "faster", "slower"),
                                                test.to_converge, test.evaluations, unit};
    }
}
