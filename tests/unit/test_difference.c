/* SPDX-License-Identifier: Apache-2.0 */
/* Differences of two groups: the parts add up for any times, verdicts are supported by the data, and groups with the
 * same distribution are rarely called different. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "close.h"
#include "compare/comparison.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

enum { RUNS_MOST = 40 };

/* Reproducible random numbers (splitmix64). */
static uint64_t random_bits(uint64_t *seed)
{
    uint64_t z = (*seed += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static double random_share(uint64_t *seed)
{
    return ((double)(random_bits(seed) >> 11) + 0.5) / 9007199254740992.0;
}

static double random_normal(uint64_t *seed)
{
    const double radius = sqrt(-2 * log(random_share(seed)));
    return radius * cos(6.283185307179586 * random_share(seed));
}

static int64_t random_below(uint64_t *seed, int64_t limit)
{
    return (int64_t)(random_bits(seed) % (uint64_t)limit);
}

/* ------------------------------------------------------------------- split */

/* Sums of kept runs. Which parts are unknown, and the times, are random. */
static void random_sums(uint64_t *seed, mls_side_group *group)
{
    const int64_t most = random_below(seed, 4) == 0 ? 5 : random_below(seed, 3) == 0 ? 100000000000 : 3000000;
    *group = (mls_side_group){.kept = (size_t)random_below(seed, RUNS_MOST) + 1,
                              .score_minutes = 1,
                              .to_converge = random_below(seed, 8) == 0 ? (double)NAN : 1 + random_share(seed) * 1e6,
                              .unit = random_below(seed, 16) == 0 ? "epochs" : "samples",
                              .ms = {.known = true},
                              .evaluations = {.known = random_below(seed, 8) != 0}};
    const bool known = random_below(seed, 16) != 0;
    for (int part = 0; part < MLS_PART_COUNT; part++) {
        const bool none = part == MLS_PART_EVALUATION && !group->evaluations.known;
        group->parts[part] = (mls_sum){known, none ? 0 : random_below(seed, most * (int64_t)group->kept)};
        group->ms.sum += group->parts[part].sum;
    }
    group->evaluations.sum = random_below(seed, 30 * (int64_t)group->kept);
    group->evaluations.known &= known;
}

/* The difference of the means in whole milliseconds, halves rounded away from zero, computed in another way than the
 * split. */
static int64_t rounded_difference(const mls_side_group *a, const mls_side_group *b)
{
    const int64_t n = (int64_t)a->kept;
    const int64_t m = (int64_t)b->kept;
    const int64_t over = b->ms.sum * n - a->ms.sum * m;
    const int64_t sign = over < 0 ? -1 : 1;
    return sign * ((2 * over * sign + n * m) / (2 * n * m));
}

static int64_t shares_sum(const mls_split *split)
{
    int64_t sum = 0;
    for (int share = 0; share < MLS_SHARE_COUNT; share++) {
        assert_true(split->has[share] || split->ms[share] == 0);
        sum += split->ms[share];
    }
    return sum;
}

static void a_million_splits_add_up(void **state)
{
    uint64_t seed = 10;
    size_t seen[MLS_SHARE_COUNT] = {0};
    (void)state;
    for (int i = 0; i < 1000000; i++) {
        mls_side_group a;
        mls_side_group b;
        mls_split there;
        mls_split back;
        random_sums(&seed, &a);
        random_sums(&seed, &b);
        mls_split_make(&a, &b, &there);
        mls_split_make(&b, &a, &back);
        assert_true(there.known && back.known);
        assert_true(there.total_ms == rounded_difference(&a, &b));
        assert_true(shares_sum(&there) == there.total_ms && back.total_ms == -there.total_ms);
        for (int share = 0; share < MLS_SHARE_COUNT; share++) {
            seen[share] += there.has[share];
            assert_true(there.has[share] == back.has[share]);
            assert_true(llabs((long long)(there.ms[share] + back.ms[share])) <= 1);
        }
    }
    for (int share = 0; share < MLS_SHARE_COUNT; share++)
        assert_true(seen[share] > 1000);
}

static mls_side_group group_of(size_t kept, double to_converge, int64_t evaluations,
                               const int64_t parts[MLS_PART_COUNT])
{
    mls_side_group group = {.kept = kept,
                            .score_minutes = 1,
                            .to_converge = to_converge,
                            .unit = "samples",
                            .ms = {.known = true},
                            .evaluations = {true, evaluations}};
    for (int part = 0; part < MLS_PART_COUNT; part++) {
        group.parts[part] = (mls_sum){true, parts[part]};
        group.ms.known = group.ms.known && !__builtin_add_overflow(group.ms.sum, parts[part], &group.ms.sum);
    }
    return group;
}

static void shares_are_what_they_are_called(void **state)
{
    /* Twice the samples at the same speed; as many evaluations in half the time; one more second at the start. */
    const mls_side_group a = group_of(1, 100, 10, (const int64_t[]){10000, 4000, 500, 20, 30});
    const mls_side_group b = group_of(1, 200, 10, (const int64_t[]){20000, 2000, 1500, 20, 0});
    mls_split split;
    (void)state;
    mls_split_make(&a, &b, &split);
    static const struct {
        mls_share share;
        int64_t ms;
    } expected[] = {{MLS_SHARE_CONVERGENCE, 10000}, {MLS_SHARE_THROUGHPUT, 0},
                    {MLS_SHARE_EVALUATIONS, 0},     {MLS_SHARE_EVALUATION_TIME, -2000},
                    {MLS_SHARE_STARTUP, 1000},      {MLS_SHARE_BETWEEN, 0},
                    {MLS_SHARE_TAIL, -30}};
    assert_true(split.known && split.total_ms == 8970);
    for (size_t i = 0; i < COUNT(expected); i++)
        assert_true(split.has[expected[i].share] && split.ms[expected[i].share] == expected[i].ms);
    assert_false(split.has[MLS_SHARE_TRAINING] || split.has[MLS_SHARE_EVALUATION] || split.has[MLS_SHARE_RUN]);
    /* Halves are rounded away from zero: for two runs, 3 ms more is 1.5, which doubles might round either way. */
    const mls_side_group even = group_of(2, NAN, 0, (const int64_t[]){0, 0, 0, 0, 0});
    const mls_side_group odd = group_of(2, NAN, 0, (const int64_t[]){3, 0, 0, 0, 0});
    mls_split_make(&even, &odd, &split);
    assert_true(split.total_ms == 2 && split.has[MLS_SHARE_TRAINING] && split.ms[MLS_SHARE_TRAINING] == 2);
    mls_split_make(&odd, &even, &split);
    assert_true(split.total_ms == -2);
    /* If sums are too large for the product, the part is unknown, not wrong. */
    const int64_t huge = INT64_MAX / 2;
    const mls_side_group large = group_of(40, NAN, 0, (const int64_t[]){huge, 0, 0, 0, 0});
    mls_split_make(&large, &large, &split);
    assert_false(split.known);
    /* They are not added to others either if the times do not fit. */
    mls_side_group unknown = group_of(40, NAN, 0, (const int64_t[]){INT64_MAX, INT64_MAX, 0, 0, 0});
    unknown.evaluations.known = false;
    assert_false(unknown.ms.known);
    mls_split_make(&unknown, &unknown, &split);
    assert_false(split.known);
}

/* ------------------------------------------------------------------ verdicts */

typedef struct made_group {
    mls_side_group group;
    mls_side_run runs[RUNS_MOST];
} made_group;

static int order_minutes(const void *left, const void *right)
{
    const double a = ((const mls_side_run *)left)->minutes;
    const double b = ((const mls_side_run *)right)->minutes;
    return (a > b) - (a < b);
}

/* A group of runs with a score. `cut` runs are left out at each end; dropped runs (not finite) count as the slowest. */
static void make_group(made_group *made, const double *minutes, size_t count, size_t cut)
{
    size_t dropped = 0;
    size_t kept = 0;
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        const bool valid = isfinite(minutes[i]);
        made->runs[i] = (mls_side_run){.file = "", .valid = valid, .minutes = minutes[i], .to_converge = NAN};
        dropped += !valid;
    }
    qsort(made->runs, count, sizeof *made->runs, order_minutes);
    for (size_t i = 0; i < count; i++) {
        made->runs[i].mark = !made->runs[i].valid ? MLS_OLYMPIC_DROPPED
                             : i < cut            ? MLS_OLYMPIC_FASTEST
                             : i >= count - cut   ? MLS_OLYMPIC_SLOWEST
                                                  : MLS_OLYMPIC_KEPT;
        if (made->runs[i].mark == MLS_OLYMPIC_KEPT) {
            sum += made->runs[i].minutes;
            kept++;
        }
    }
    made->group = (mls_side_group){.runs = {made->runs, count, count},
                                   .score_minutes = dropped <= cut && kept > 0 ? sum / (double)kept : (double)NAN,
                                   .scale = 1};
    mls_side_group_measure(&made->group);
}

static mls_difference compare(const double *a, size_t a_count, size_t a_cut, const double *b, size_t b_count,
                              size_t b_cut)
{
    made_group x;
    made_group y;
    mls_difference difference;
    make_group(&x, a, a_count, a_cut);
    make_group(&y, b, b_count, b_cut);
    mls_difference_make(&x.group, &y.group, &difference);
    return difference;
}

static const double ten_a[] = {1.512, 1.524, 1.559, 1.571, 1.587, 1.598, 1.601, 1.603, 1.62, 1.655};
static const double ten_b[] = {1.388, 1.39, 1.401, 1.404, 1.41, 1.43, 1.455, 1.47, 1.52, 1.6};

/* Computed with scipy: see test_intervals.c. */
static void verdicts_say_what_they_may(void **state)
{
    (void)state;
    mls_difference d = compare(ten_a, 10, 1, ten_b, 10, 1);
    assert_int_equal(d.verdict, MLS_COMPARE_FASTER);
    assert_false(d.of_mean);
    assert_close(d.low_minutes, -0.20133416295362033, 1e-9);
    assert_close(d.degrees, 12.589956604968911, 1e-9);
    assert_close(d.mann_whitney_p, 45.0 / 92378, 1e-15);
    assert_false(d.within_variance);
    assert_int_equal(compare(ten_b, 10, 1, ten_a, 10, 1).verdict, MLS_COMPARE_SLOWER);
    assert_int_equal(compare(ten_a, 10, 1, ten_a, 10, 1).verdict, MLS_COMPARE_NONE);
    /* A dropped run is one of the slowest, so the interval is that of the same runs with it. */
    double dropped[10];
    for (size_t i = 0; i < 10; i++)
        dropped[i] = i < 9 ? ten_b[i] : (double)INFINITY;
    assert_close(compare(ten_a, 10, 1, dropped, 10, 1).low_minutes, d.low_minutes, 1e-12);
    /* The median of three runs has no interval, so that of the means is reported. */
    d = compare(ten_a, 3, 1, ten_b, 3, 1);
    assert_true(d.of_mean && d.has_interval && d.verdict == MLS_COMPARE_FASTER);
    assert_close(d.minutes, 1.39 - 1.524, 1e-15);
    assert_close(d.mann_whitney_p, 0.1, 1e-15);
    assert_close(d.min_p, 0.1, 1e-15);
    d = compare(ten_a, 1, 0, ten_b, 10, 1);
    assert_true(d.verdict == MLS_COMPARE_TOO_FEW && !d.has_interval && isnan(d.detectable_ratio));
    dropped[8] = (double)INFINITY;
    d = compare(ten_a, 10, 1, dropped, 10, 1);
    assert_true(d.verdict == MLS_COMPARE_NO_SCORE && isnan(d.minutes) && !d.split.known && d.has_interval && d.of_mean);
}

static void without_spread_ranks_decide(void **state)
{
    static const double ones[] = {1, 1, 1, 1, 1, 1}, twos[] = {2, 2, 2, 2, 2, 2};
    (void)state;
    mls_difference d = compare(ones, 6, 0, twos, 6, 0);
    assert_true(d.verdict == MLS_COMPARE_SLOWER && isnan(d.p) && isnan(d.degrees) && d.low_minutes == 1);
    assert_int_equal(compare(ones, 3, 0, twos, 3, 0).verdict, MLS_COMPARE_NONE);
    assert_int_equal(compare(ones, 6, 0, ones, 6, 0).verdict, MLS_COMPARE_NONE);
}

static void small_differences_are_reported(void **state)
{
    made_group x;
    made_group y;
    mls_difference d;
    double near[10];
    (void)state;
    for (size_t i = 0; i < 10; i++)
        near[i] = 1.04 * (1 + (double)i * 1e-4);
    make_group(&x, (const double[]){1, 1.0001, 1.0002, 1.0003, 1.0004}, 5, 1);
    make_group(&y, near, 10, 1);
    x.group.benchmark = y.group.benchmark = "bert";
    mls_difference_make(&x.group, &y.group, &d);
    assert_true(d.verdict == MLS_COMPARE_SLOWER && d.within_variance);
    x.group.benchmark = y.group.benchmark = "resnet";
    mls_difference_make(&x.group, &y.group, &d);
    assert_true(d.verdict == MLS_COMPARE_SLOWER && !d.within_variance);
}

/* ------------------------------------------------------------ part by part */

/* Runs that need `to_converge` samples, at 10 ms for a sample, and 2 s for each of 4 evaluations; a slower pace or
 * evaluation is a factor.  Runs differ a little. */
static void make_timed(made_group *made, size_t count, double pace, double evaluation, double to_converge)
{
    double minutes[RUNS_MOST] = {0};
    for (size_t i = 0; i < count; i++)
        minutes[i] = 1 + (double)i;
    make_group(made, minutes, count, 0);
    made->group.global_batch_size = 8;
    for (size_t i = 0; i < count; i++) {
        mls_side_run *run = &made->runs[i];
        run->to_converge = to_converge * (1 + 0.1 * (double)(i % 3));
        run->unit = "samples";
        run->has_parts = run->evaluation_delimited = true;
        run->evaluations = 4;
        run->part_ms[MLS_PART_TRAINING] = llround(run->to_converge * 10 * pace * (1 + 0.001 * (double)(i % 4)));
        run->part_ms[MLS_PART_EVALUATION] = llround(8000 * evaluation);
    }
}

static void parts_are_tested_one_by_one(void **state)
{
    made_group x;
    made_group y;
    mls_difference d;
    mls_difference back;
    (void)state;
    make_timed(&x, 10, 1, 1, 3000);
    make_timed(&y, 10, 1.02, 0.5, 2400);
    y.runs[0].part_ms[MLS_PART_TRAINING] *= 20; /* a stalled run of ten does not hide a difference */
    mls_difference_make(&x.group, &y.group, &d);
    mls_difference_make(&y.group, &x.group, &back);
    const mls_significance *parts = &d.significance;
    assert_string_equal(parts->samples_per_second.verdict, "slower");
    assert_close(parts->samples_per_second.ratio, 1 / 1.02 - 1, 1e-3);
    assert_true(parts->samples_per_second.p < 1e-6 && parts->samples_per_second.high_ratio < 0);
    assert_string_equal(parts->to_converge.verdict, "fewer");
    assert_close(parts->to_converge.ratio, -0.2, 1e-12);
    assert_close(parts->to_converge.degrees, 18, 1e-9);
    /* The evaluations of each side do not vary. */
    assert_string_equal(parts->seconds_per_evaluation.verdict, "faster");
    assert_true(isnan(parts->seconds_per_evaluation.p) && isnan(parts->seconds_per_evaluation.low_ratio));
    assert_close(parts->seconds_per_evaluation.baseline, 2, 1e-12);
    assert_close(parts->seconds_per_evaluation.value, 1, 1e-12);
    /* With the same samples, on average 1.09 times 2,700, the slower pace costs less than the evaluations save. */
    assert_string_equal(d.luck_free.minutes.verdict, "faster");
    assert_close(d.luck_free.to_converge, 2700 * 1.09, 1e-12);
    assert_true(d.luck_free.evaluations == 4);
    assert_close(d.luck_free.minutes.baseline, (d.luck_free.to_converge * 10 * 1.0013 + 8000) / 60000, 1e-3);
    /* If the sides are swapped, ratios are inverted. */
    assert_close((1 + parts->to_converge.low_ratio) * (1 + back.significance.to_converge.high_ratio), 1, 1e-12);
    assert_close((1 + d.luck_free.minutes.ratio) * (1 + back.luck_free.minutes.ratio), 1, 1e-12);
    /* More samples are a matter of chance only for the same batch size. */
    y.group.global_batch_size = 16;
    mls_difference_make(&x.group, &y.group, &d);
    assert_true(!d.luck_free.minutes.known && d.significance.to_converge.known);
    y.group.global_batch_size = NAN;
    mls_difference_make(&x.group, &y.group, &d);
    assert_false(d.luck_free.minutes.known);
    x.group.global_batch_size = NAN;
    mls_difference_make(&x.group, &y.group, &d);
    assert_true(d.luck_free.minutes.known);
    /* If evaluations of one run are not delimited, those of all runs count as training. */
    y.runs[3].evaluation_delimited = false;
    mls_difference_make(&x.group, &y.group, &d);
    assert_true(!d.significance.seconds_per_evaluation.known && isnan(d.luck_free.evaluations));
    assert_close(d.significance.samples_per_second.baseline, 1000 / 12.5, 0.5);
    y.runs[3].unit = "epochs";
    mls_difference_make(&x.group, &y.group, &d);
    assert_true(!d.significance.samples_per_second.known && !d.significance.to_converge.known);
    /* Two valid runs on a side are enough; a run without a number is too many. */
    make_timed(&y, 2, 1, 1, 2400);
    mls_difference_make(&x.group, &y.group, &d);
    assert_true(d.significance.to_converge.known);
    y.runs[1].to_converge = 0;
    mls_difference_make(&x.group, &y.group, &d);
    assert_true(!d.significance.to_converge.known && d.significance.seconds_per_evaluation.known);
    y.runs[1].valid = false;
    mls_difference_make(&x.group, &y.group, &d);
    assert_false(d.significance.seconds_per_evaluation.known);
}

/* Fewer samples make a run shorter and the scale larger.  If both sides are scaled, this luck cancels. */
static void scaled_scores_have_their_own_verdict(void **state)
{
    made_group x;
    made_group y;
    mls_difference d;
    double slower[10];
    (void)state;
    make_group(&x, ten_a, 10, 1);
    for (size_t i = 0; i < 10; i++)
        slower[i] = 1.01 * ten_a[i];
    make_group(&y, slower, 10, 1);
    mls_side_group *const groups[] = {&x.group, &y.group};
    for (int i = 0; i < 2; i++) {
        groups[i]->official = true;
        groups[i]->scaled_minutes = groups[i]->score_minutes;
        for (size_t k = 0; k < 10; k++) {
            groups[i]->runs.items[k].to_converge = groups[i]->runs.items[k].minutes * 100 + (k % 2 == 0 ? 0.1 : -0.1);
            groups[i]->runs.items[k].unit = "samples";
        }
    }
    mls_difference_make(&x.group, &y.group, &d);
    assert_true(d.verdict == MLS_COMPARE_NONE && d.scored.verdict == MLS_COMPARE_NONE);
    assert_false(mls_difference_disagrees(&d));
    assert_close(d.scored.p, d.p, 1e-9);
    x.group.scale = y.group.scale = 1.02;
    x.group.scaled_minutes = 1.02 * x.group.score_minutes;
    y.group.scaled_minutes = 1.02 * y.group.score_minutes;
    mls_difference_make(&x.group, &y.group, &d);
    assert_true(d.verdict == MLS_COMPARE_NONE && d.scored.verdict == MLS_COMPARE_SLOWER);
    assert_true(mls_difference_disagrees(&d));
    assert_close(d.scored.minutes, 1.02 * 0.01 * x.group.score_minutes, 1e-9);
    /* A scale of one side is a fixed factor. */
    x.group.scale = 1;
    x.group.scaled_minutes = x.group.score_minutes;
    y.group.scale = 1.002;
    y.group.scaled_minutes = 1.002 * y.group.score_minutes;
    mls_difference_make(&x.group, &y.group, &d);
    assert_true(d.scored.verdict == MLS_COMPARE_NONE);
    assert_close(d.scored.low_minutes + d.scored.high_minutes, 2 * d.scored.minutes, 1e-9);
}

/* ------------------------------------------------------------ false alarms */

/* Times with the distributions of real runs: normal, on a grid because evaluations are, or with a few far longer
 * ones. */
static double random_minutes(uint64_t *seed, int shape)
{
    const double normal = random_normal(seed);
    return shape == 0 ? 100 + 5 * normal : shape == 1 ? 2 * floor((100 + 5 * normal) / 2) : 100 * exp(0.3 * normal);
}

static void groups_of_one_distribution_are_seldom_apart(void **state)
{
    static const struct {
        size_t runs, cut, pairs;
    } kinds[] = {{3, 1, 2000}, {5, 1, 2000}, {10, 1, 1000}, {40, 4, 100}};
    (void)state;
    for (size_t kind = 0; kind < COUNT(kinds); kind++) {
        for (int shape = 0; shape < 3; shape++) {
            uint64_t seed = 10 * kind + (uint64_t)shape;
            size_t alarms = 0;
            for (size_t i = 0; i < kinds[kind].pairs; i++) {
                double a[RUNS_MOST];
                double b[RUNS_MOST];
                for (size_t k = 0; k < kinds[kind].runs; k++) {
                    a[k] = random_minutes(&seed, shape);
                    b[k] = random_minutes(&seed, shape);
                }
                alarms += compare(a, kinds[kind].runs, kinds[kind].cut, b, kinds[kind].runs, kinds[kind].cut).verdict <=
                          MLS_COMPARE_SLOWER;
            }
            if (getenv("MLS_TEST_SHOW") != NULL)
                print_message("%zu runs, shape %d: %zu of %zu\n", kinds[kind].runs, shape, alarms, kinds[kind].pairs);
            assert_true(alarms * 100 <= 6 * kinds[kind].pairs);
        }
    }
}

/* If groups differ as much as the difference called detectable, four of five pairs are found significant. */
static void detectable_differences_are_shown(void **state)
{
    uint64_t seed = 5;
    size_t shown = 0;
    double ratio = 0;
    (void)state;
    for (int round = 0; round < 2; round++) {
        shown = 0;
        double sum = 0;
        for (int i = 0; i < 1000; i++) {
            double a[10];
            double b[10];
            for (size_t k = 0; k < 10; k++) {
                a[k] = random_minutes(&seed, 0);
                b[k] = random_minutes(&seed, 0) + 100 * ratio;
            }
            const mls_difference d = compare(a, 10, 1, b, 10, 1);
            shown += d.verdict == MLS_COMPARE_SLOWER;
            sum += d.detectable_ratio;
        }
        ratio = sum / 1000;
    }
    assert_true(shown > 750 && shown < 900);
}

/* Each run of one side matches one run of the other with the same start and duration; runs with unknown start match
 * none. */
static void runs_on_both_sides_are_counted(void **state)
{
    static const struct {
        double a[3][2], b[3][2]; /* start and duration; 0: no more runs, or unknown */
        size_t runs_a, runs_b, same;
        bool all;
    } rows[] = {
        {{{1e12, 5}, {2e12, 6}, {3e12, 7}}, {{3e12, 7}, {1e12, 5}, {2e12, 6}}, 3, 3, 3, true},
        {{{1e12, 5}, {2e12, 6}, {3e12, 7}}, {{3e12, 7}, {2e12, 5}, {1e12, 6}}, 3, 3, 1, false},
        {{{1e12, 5}, {2e12, 6}, {3e12, 7}}, {{3e12, 7}, {2e12, 6}}, 3, 2, 2, false},
        {{{1e12, 5}, {1e12, 5}}, {{1e12, 5}, {2e12, 5}}, 2, 2, 1, false},
        {{{1e12, 5}, {1e12, 6}}, {{1e12, 6}, {1e12, 5}}, 2, 2, 2, true},
        {{{0, 5}, {0, 6}}, {{0, 5}, {0, 6}}, 2, 2, 0, false},
        /* One run of each pair died: they may still be the same. */
        {{{NAN, 5}, {1e12, 6}}, {{NAN, 5}, {1e12, 6}}, 2, 2, 1, true},
        {{{NAN, 5}, {1e12, 6}}, {{2e12, 5}, {1e12, 6}}, 2, 2, 1, false},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        mls_side_run runs[2][3] = {0};
        mls_side_group a = {.score_minutes = NAN, .runs = {.items = runs[0], .count = rows[i].runs_a}};
        mls_side_group b = {.score_minutes = NAN, .runs = {.items = runs[1], .count = rows[i].runs_b}};
        mls_difference difference;
        for (size_t k = 0; k < 3; k++) {
            runs[0][k] = (mls_side_run){.start_ms = rows[i].a[k][0], .has_ms = true, .ms = (int64_t)rows[i].a[k][1]};
            runs[1][k] = (mls_side_run){.start_ms = rows[i].b[k][0], .has_ms = true, .ms = (int64_t)rows[i].b[k][1]};
        }
        mls_side_group_measure(&a);
        mls_side_group_measure(&b);
        mls_difference_make(&a, &b, &difference);
        assert_int_equal(difference.same_runs, rows[i].same);
        assert_int_equal(mls_difference_all_same(&difference), rows[i].all);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_million_splits_add_up),
        cmocka_unit_test(shares_are_what_they_are_called),
        cmocka_unit_test(verdicts_say_what_they_may),
        cmocka_unit_test(without_spread_ranks_decide),
        cmocka_unit_test(small_differences_are_reported),
        cmocka_unit_test(parts_are_tested_one_by_one),
        cmocka_unit_test(scaled_scores_have_their_own_verdict),
        cmocka_unit_test(groups_of_one_distribution_are_seldom_apart),
        cmocka_unit_test(detectable_differences_are_shown),
        cmocka_unit_test(runs_on_both_sides_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
