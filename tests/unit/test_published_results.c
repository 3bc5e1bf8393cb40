/* SPDX-License-Identifier: Apache-2.0 */
/* The published results: all are read, ranked and sorted, and the nearest to a group are found. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/number.h"
#include "compare/comparison.h"

enum { HIGHEST = 8 };

/* Check that the members known of a score fit its declared precision. */
static bool is_known_as_said(const mls_published_result *result)
{
    const bool bounded = result->unscaled_low > 0 && result->unscaled_high >= result->unscaled_low;
    return result->known == MLS_PUBLISHED_BOUNDS ? bounded && isnan(result->minutes) && result->rank == 0
           : result->edition < MLS_EDITION_NUMBER(6, 0, 0)
               ? result->scale_factor >= 1 && result->runs >= result->runs_ok
               : bounded && result->minutes >= result->unscaled_low;
}

static void every_result_is_read(void **state)
{
    static const size_t counts[] = {2227, 49};
    size_t known[4] = {0};
    size_t unknown = 0;
    (void)state;
    for (unsigned usage = 0; usage < 2; usage++) {
        mls_published all;
        assert_int_equal(mls_published_load((mls_usage)usage, 0, &all, NULL), MLS_OK);
        assert_int_equal(all.count, counts[usage]);
        for (size_t i = 0; i < all.count; i++) {
            const mls_published_result *result = &all.results[i];
            unsigned number;
            assert_true(mls_edition_number(mls_str_from(result->round), &number) && number == result->edition);
            assert_true(is_known_as_said(result));
            assert_true(result->rank <= result->ranked && result->ranked <= result->published);
            known[result->known]++;
            unknown += isnan(result->system->accelerators) ? 1 : 0;
            if (i > 0 && result[-1].edition == result->edition &&
                strcmp(result[-1].benchmark, result->benchmark) == 0 &&
                result[-1].system->division == result->system->division) {
                const bool bounds = isnan(result->minutes);
                assert_true(bounds || result[-1].minutes <= result->minutes);
                assert_true(bounds || (result->rank == result[-1].rank) == (result->minutes == result[-1].minutes));
                assert_true(!bounds || result[-1].minutes > 0 || result[-1].unscaled_low <= result->unscaled_low);
                assert_int_equal(result->ranked, result[-1].ranked);
                assert_int_equal(result->published, result[-1].published);
            } else {
                assert_int_equal(result->rank, 1);
                assert_true(i == 0 || result[-1].edition >= result->edition);
            }
        }
        mls_published_release(&all);
    }
    assert_int_equal(unknown, 49);
    assert_int_equal(known[MLS_PUBLISHED_EXACT], 2049 + 90);
    assert_int_equal(known[MLS_PUBLISHED_DERIVED], 4);
    assert_int_equal(known[MLS_PUBLISHED_ANNOUNCED], 12);
    assert_int_equal(known[MLS_PUBLISHED_BOUNDS], 121);
}

/* Return the mean of the valid runs without the `left_out` fastest of them and the slowest of all. */
static double olympic_mean(const mls_published_runs *runs, size_t left_out)
{
    double minutes[64] = {0};
    double sum = 0;
    size_t valid = 0;
    for (size_t i = 0; i < runs->runs.count; i++) {
        const mls_published_run *run = &runs->runs.items[i];
        size_t at = valid;
        if (!run->valid)
            continue;
        for (; at > 0 && minutes[at - 1] > run->ms / 60000; at--)
            minutes[at] = minutes[at - 1];
        minutes[at] = run->ms / 60000;
        valid++;
    }
    const size_t end = valid < runs->runs.count - left_out ? valid : runs->runs.count - left_out;
    for (size_t i = left_out; i < end; i++)
        sum += minutes[i];
    return sum / (double)(end - left_out);
}

/* Return whether the runs give the published score, with four decimals, and a scale factor with six. */
static bool gives_its_score(const mls_editions *editions, const mls_published_result *result,
                            const mls_published_runs *runs)
{
    const mls_benchmark *benchmark =
        mls_benchmark_in(mls_benchmark_find(editions, result->usage, mls_str_from(result->benchmark)), result->edition);
    if (runs->runs.count != benchmark->runs_needed) /* there is no official score */
        return true;
    const double score = olympic_mean(runs, benchmark->left_out);
    const double rounding = result->known == MLS_PUBLISHED_DERIVED ? 6e-4 : 0.51e-4 + score * 0.51e-6;
    return fabs(score * result->scale_factor - result->minutes) < rounding;
}

static void runs_give_the_published_scores(void **state)
{
    size_t results = 0, runs = 0, settings = 0, wrong = 0;
    mls_editions *editions;
    (void)state;
    assert_int_equal(mls_editions_load(&editions, NULL), MLS_OK);
    for (unsigned usage = 0; usage < 2; usage++) {
        mls_published all;
        assert_int_equal(mls_published_load((mls_usage)usage, 0, &all, NULL), MLS_OK);
        for (size_t i = 0; i < all.count; i++) {
            mls_published_runs opened;
            const mls_published_result *result = &all.results[i];
            assert_int_equal(mls_published_open(result, &opened, NULL), MLS_OK);
            results += opened.runs.count > 0;
            runs += opened.runs.count;
            settings += opened.settings.count;
            for (size_t k = 1; k < opened.settings.count; k++) {
                assert_int_equal(mls_published_setting_of(&opened, opened.settings.items[k].key).len,
                                 opened.settings.items[k].value.len);
            }
            if (opened.runs.count > 0 && !gives_its_score(editions, result, &opened)) {
                print_message("%s %s %s\n", result->round, result->system->system_id, result->benchmark);
                wrong++;
            }
            mls_published_runs_release(&opened);
        }
        mls_published_release(&all);
    }
    mls_editions_free(editions);
    assert_int_equal(results, 2002 + 47);
    assert_int_equal(runs, 18573 + 470);
    assert_int_equal(settings, 25161);
    assert_int_equal(wrong, 0);
}

/* Return whether the reference points give the published scale factor, from the runs or, if only their mean is known,
 * from that.  `judged` counts the results that have points and a batch size. */
static bool gives_its_scale(const mls_editions *editions, const mls_published_result *result,
                            const mls_published_runs *runs, mls_rcp_sets *sets, size_t *judged)
{
    const mls_benchmark *benchmark =
        mls_benchmark_in(mls_benchmark_find(editions, result->usage, mls_str_from(result->benchmark)), result->edition);
    const mls_str logged = mls_published_setting_of(runs, MLS_S("global_batch_size"));
    double batch = result->global_batch_size;
    double numbers[64];
    size_t count = runs->runs.count;
    mls_rcp_rules rules = {.editions = editions, .benchmark = benchmark};
    mls_rcp_set *set;
    if (isnan(batch) && logged.ptr != NULL)
        assert_true(mls_number_parse(logged, &batch));
    if (isnan(batch) || result->system->division != MLS_DIVISION_CLOSED ||
        (count == 0 ? isnan(result->to_converge) : count != benchmark->runs_needed))
        return true;
    for (size_t i = 0; i < count; i++) { /* epochs are scored with three decimals */
        const double number = runs->runs.items[i].to_converge;
        const bool epochs = runs->unit != NULL && strcmp(runs->unit, "samples") != 0;
        numbers[i] = !runs->runs.items[i].valid ? MLS_RCP_NOT_CONVERGED
                     : epochs                   ? floor(number * 1000 + 0.5) / 1000
                                                : number;
    }
    for (; count < benchmark->runs_needed; count++)
        numbers[count] = result->to_converge;
    assert_int_equal(mls_editions_find(editions, result->usage, mls_str_from(result->round), &rules.edition, NULL),
                     MLS_OK);
    assert_int_equal(mls_rcp_sets_find(sets, &rules, (mls_str){NULL, 0}, NULL, &set, NULL), MLS_OK);
    const mls_rcp_result rcp = mls_rcp_check(set, batch, numbers, count);
    if (rcp.match > MLS_RCP_SMALLER_BATCH || !rcp.pass)
        return true;
    ++*judged;
    if (fabs(rcp.score_scale - result->scale_factor) < (runs->runs.count > 0 ? 1e-6 : 1e-4))
        return true;
    print_message("%s %s %s: scale %.9g, the reference points give %.9g\n", result->round, result->system->system_id,
                  result->benchmark, result->scale_factor, rcp.score_scale);
    return false;
}

/* The published scale factors are compared with those of our own check of reference convergence. */
static void reference_points_give_the_published_scales(void **state)
{
    size_t judged = 0, wrong = 0;
    mls_editions *editions;
    mls_rcp_sets sets = {0};
    (void)state;
    assert_int_equal(mls_editions_load(&editions, NULL), MLS_OK);
    for (unsigned usage = 0; usage < 2; usage++) {
        mls_published all;
        assert_int_equal(mls_published_load((mls_usage)usage, 0, &all, NULL), MLS_OK);
        for (size_t i = 0; i < all.count; i++) {
            mls_published_runs opened;
            assert_int_equal(mls_published_open(&all.results[i], &opened, NULL), MLS_OK);
            wrong += !gives_its_scale(editions, &all.results[i], &opened, &sets, &judged);
            mls_published_runs_release(&opened);
        }
        mls_published_release(&all);
    }
    mls_rcp_sets_release(&sets);
    mls_editions_free(editions);
    assert_int_equal(judged, 1862);
    assert_int_equal(wrong, 9); /* all before 6.0; the review committee may set a factor */
}

/* Checksums that detect changed order. */
typedef struct start_sum {
    size_t count;
    uint64_t sum; /* weighted by the length of two names, whatever overflows */
} start_sum;

static void add_start(start_sum *to, double start_ms, size_t system, size_t benchmark)
{
    to->count += isnan(start_ms) ? 0 : 1;
    to->sum += isnan(start_ms) ? 0 : (uint64_t)start_ms * (system + 100 * benchmark);
}

static mls_status sum_starts(void *state, mls_published_starts *starts)
{
    mls_status status = mls_published_next_start(starts);
    for (; status == MLS_OK; status = mls_published_next_start(starts))
        add_start(state, starts->start_ms, starts->system_id.len, starts->benchmark.len);
    return starts->round.len == 3 && status == MLS_STOPPED ? MLS_OK : MLS_ERROR_VALUE;
}

static mls_status stop_at_once(void *state, mls_published_starts *starts)
{
    (void)starts;
    ++*(size_t *)state;
    return MLS_STOPPED;
}

static void every_start_is_given(void **state)
{
    size_t calls = 0;
    (void)state;
    for (unsigned usage = 0; usage < 2; usage++) {
        mls_published all;
        start_sum opened_sum = {0};
        start_sum given = {0};
        assert_int_equal(mls_published_load((mls_usage)usage, 0, &all, NULL), MLS_OK);
        for (size_t i = 0; i < all.count; i++) {
            mls_published_runs opened;
            const mls_published_result *result = &all.results[i];
            assert_int_equal(mls_published_open(result, &opened, NULL), MLS_OK);
            for (size_t k = 0; k < opened.runs.count; k++) {
                add_start(&opened_sum, opened.runs.items[k].start_ms, strlen(result->system->system_id),
                          strlen(result->benchmark));
            }
            mls_published_runs_release(&opened);
        }
        mls_published_release(&all);
        assert_int_equal(mls_published_each_starts((mls_usage)usage, sum_starts, &given), MLS_OK);
        assert_true(given.count > 0 && given.count == opened_sum.count);
        assert_true(given.sum == opened_sum.sum);
    }
    assert_int_equal(mls_published_each_starts(MLS_USAGE_TRAINING, stop_at_once, &calls), MLS_STOPPED);
    assert_int_equal(calls, 1);
}

static void a_run_is_read_to_the_millisecond(void **state)
{
    mls_published all;
    mls_published_runs opened = {0};
    (void)state;
    assert_int_equal(mls_published_load(MLS_USAGE_HPC, 0, &all, NULL), MLS_OK);
    for (size_t i = 0; i < all.count && opened.runs.count == 0; i++)
        if (strcmp(all.results[i].system->system_id, "thetagpu_n128_pt1.7.1") == 0 &&
            strcmp(all.results[i].benchmark, "oc20") == 0)
            assert_int_equal(mls_published_open(&all.results[i], &opened, NULL), MLS_OK);
    assert_int_equal(opened.runs.count, 5);
    const mls_published_run *run = opened.runs.items != NULL ? &opened.runs.items[4] : NULL;
    assert_true(run != NULL && run->valid && run->to_converge == 24 && run->ms == 15406213 && run->evaluations == 24);
    assert_true(run != NULL && run->start_ms == 1633244757662 && run->init_ms == 1 &&
                run->part_ms[MLS_PART_BETWEEN] == 189);
    assert_string_equal(opened.unit, "epochs");
    assert_int_equal(opened.by, MLS_PARTS_BY_EPOCH);
    assert_true(mls_str_equal(mls_published_setting_of(&opened, MLS_S("opt_base_learning_rate")), MLS_S("0.0012")));
    assert_true(mls_str_equal(mls_published_setting_of(&opened, MLS_S("global_batch_size")), MLS_S("1024")));
    assert_null(mls_published_setting_of(&opened, MLS_S("nothing")).ptr);
    mls_published_runs_release(&opened);
    mls_published_release(&all);
}

static void one_edition_can_be_read_alone(void **state)
{
    mls_published some;
    (void)state;
    assert_int_equal(mls_published_load(MLS_USAGE_TRAINING, MLS_EDITION_NUMBER(5, 1, 0), &some, NULL), MLS_OK);
    assert_int_equal(some.count, 184);
    mls_published_release(&some);
    assert_int_equal(mls_published_load(MLS_USAGE_TRAINING, MLS_EDITION_NUMBER(6, 1, 0), &some, NULL), MLS_OK);
    assert_int_equal(some.count, 0);
    mls_published_release(&some);
}

/* Format the nearest results as "system minutes", separated by ", "; * marks the group's own. */
static void expect_near(mls_published_query query, size_t count, const char *wanted)
{
    mls_published all;
    mls_published_near near[HIGHEST];
    char text[500] = "";
    assert_int_equal(mls_published_load(MLS_USAGE_TRAINING, 0, &all, NULL), MLS_OK);
    const size_t found = mls_published_nearest(&all, &query, near, count);
    assert_true(found <= count);
    for (size_t i = 0; i < found; i++) {
        (void)snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s %.4f%s", i > 0 ? ", " : "",
                       near[i].result->system->system_id, near[i].result->minutes, near[i].self ? "*" : "");
        assert_true(fabs(near[i].ratio - (query.minutes / near[i].result->minutes - 1)) < 1e-12 ||
                    isnan(query.minutes));
    }
    assert_string_equal(text, wanted);
    mls_published_release(&all);
}

static void the_nearest_are_alike_in_size_then_model(void **state)
{
    mls_published_query query = {.edition = MLS_EDITION_NUMBER(5, 1, 0),
                                 .benchmark = MLS_STR("llama31_405b"),
                                 .accelerators = 512,
                                 .model = "GB200",
                                 .minutes = 100.00004};
    (void)state;
    expect_near(query, 3,
                "tyche_ngpu512_ngc25.09_nemo 84.9401, theia_ngpu512_ngc25.09_nemo 64.6051, nebius_h200_n64 237.6060");
    query.model = NULL; /* all have the same distance by model */
    expect_near(query, 2, "theia_ngpu512_ngc25.09_nemo 64.6051, tyche_ngpu512_ngc25.09_nemo 84.9401");
    query.accelerators = NAN; /* the fastest of the model */
    query.model = "B200";
    expect_near(query, 2, "hpg.dgxb200x8.n56 147.1554, hpg.dgxb200x8.n32 256.3331");
    query.edition = MLS_EDITION_NUMBER(6, 1, 0); /* without results: the newest that has some */
    query.accelerators = 5120;
    query.minutes = 9.99455;
    query.system_id = "hsg_ngpu5120_ngc25.09_nemo";
    expect_near(query, 1, "hsg_ngpu5120_ngc25.09_nemo 9.9946*");
    query.minutes = 9.9944; /* same folder, but another run */
    expect_near(query, 1, "hsg_ngpu5120_ngc25.09_nemo 9.9946");
    /* The others with as many accelerators have only announced minutes and bounds. */
    query = (mls_published_query){.edition = MLS_EDITION_NUMBER(6, 0, 0),
                                  .benchmark = MLS_S("gpt_oss_20b"),
                                  .accelerators = 512,
                                  .model = "GB300",
                                  .minutes = 10};
    expect_near(query, 1, "D75U-1U_ngpu64 20.3095");
    query.division = MLS_DIVISION_OPEN;
    expect_near(query, HIGHEST, "");
    query.benchmark = MLS_S("nonsense");
    expect_near(query, HIGHEST, "");
    expect_near(query, 0, "");
}

/* Around each result are the fastest comparable one and its neighbours, with their ranks. */
static void around_each_are_its_neighbours(void **state)
{
    mls_published all;
    mls_published_near around[9];
    mls_published_place place;
    size_t selves = 0;
    (void)state;
    assert_int_equal(mls_published_load(MLS_USAGE_TRAINING, 0, &all, NULL), MLS_OK);
    for (size_t i = 0; i < all.count; i++) {
        const mls_published_result *one = &all.results[i];
        const mls_published_query query = {.edition = one->edition,
                                           .benchmark = mls_str_from(one->benchmark),
                                           .division = one->system->division,
                                           .accelerators = one->system->accelerators,
                                           .model = one->system->model.text,
                                           .minutes = one->minutes,
                                           .system_id = one->system->system_id};
        if (one->system->division == MLS_DIVISION_NONE || isnan(query.accelerators) ||
            !mls_published_is_precise(one->known))
            continue;
        size_t alike = 0, announced = 0, faster_announced = 0, faster = 0, slower = 0;
        double fastest = INFINITY;
        for (size_t k = 0; k < all.count; k++) {
            const mls_published_result *other = &all.results[k];
            if (other->edition == one->edition && strcmp(other->benchmark, one->benchmark) == 0 &&
                other->system->division == one->system->division && other->system->accelerators == query.accelerators &&
                strcmp(other->system->model.text, query.model) == 0 && other->known != MLS_PUBLISHED_BOUNDS) {
                alike++;
                if (other->known == MLS_PUBLISHED_ANNOUNCED) {
                    announced++;
                    faster_announced += other->minutes < one->minutes;
                    continue;
                }
                faster += other->minutes < one->minutes;
                slower += other->minutes > one->minutes;
                fastest = fmin(fastest, other->minutes);
            }
        }
        for (size_t limit = 1; limit <= 3; limit++) {
            const size_t count = mls_published_around(&all, &query, limit, around, &place);
            size_t before = 0;
            size_t behind = 0;
            assert_true(count >= 1 && count <= 2 * limit + 2);
            assert_true(around[0].result->minutes == fastest && around[0].rank_alike <= 1 + announced);
            for (size_t k = 0; k < count; k++) {
                assert_true(k == 0 || around[k].result->minutes >= around[k - 1].result->minutes);
                assert_int_equal(around[k].ranked_alike, alike);
                assert_true(mls_published_is_precise(around[k].result->known));
                before += around[k].result->minutes < one->minutes;
                behind += around[k].result->minutes > one->minutes;
                selves += around[k].self;
            }
            assert_int_equal(before, faster < limit + 1 ? faster : limit + 1);
            assert_true(behind == (slower < limit ? slower : limit) || alike - announced > faster + slower + 1);
            assert_int_equal(place.rank, one->rank);
            assert_int_equal(place.ranked, one->ranked);
            assert_int_equal(place.published, one->published);
            assert_int_equal(place.rank_alike, faster + faster_announced + 1);
            assert_int_equal(place.ranked_alike, alike);
        }
        selves -= 3;
    }
    assert_int_equal(selves, 0);
    mls_published_release(&all);
}

/* A result is recognized by most of its runs, wherever its logs are and even if its score differs a little. */
static void a_result_is_known_again_by_its_runs(void **state)
{
    (void)state;
    mls_published all;
    mls_published_place place;
    mls_published_near around[5];
    assert_int_equal(mls_published_load(MLS_USAGE_TRAINING, MLS_EDITION_NUMBER(5, 1, 0), &all, NULL), MLS_OK);
    for (size_t i = 0; i < all.count; i++) {
        const mls_published_result *one = &all.results[i];
        mls_run runs[10] = {{.file = NULL}};
        const mls_run *listed[10];
        size_t count = 0;
        mls_published_starts starts = mls_published_starts_of(one);
        if (one->known != MLS_PUBLISHED_EXACT)
            continue;
        while (count < 10 && mls_published_next_start(&starts) == MLS_OK) {
            runs[count].run_start.time_ms = starts.start_ms;
            listed[count] = &runs[count];
            count++;
        }
        mls_group group = {.runs = listed, .run_count = count};
        const mls_published_query query = {.edition = one->edition,
                                           .benchmark = mls_str_from(one->benchmark),
                                           .division = one->system->division,
                                           .accelerators = one->system->accelerators,
                                           .model = one->system->model.text,
                                           .minutes = one->minutes * 1.01,
                                           .logged = &group};
        (void)mls_published_around(&all, &query, 1, around, &place);
        assert_int_equal(place.itself, count > 0);
        assert_int_equal(place.ranked, one->ranked + (count == 0));
        group.run_count = count * 4 / 10; /* too few of its runs */
        (void)mls_published_around(&all, &query, 1, around, &place);
        assert_false(place.itself);
    }
    mls_published_release(&all);
}

/* Thousands of groups without comparable results read the results of each edition once. */
static void an_edition_is_read_once_for_all_groups(void **state)
{
    (void)state;
    enum { GROUPS = 3000 };
    static mls_group groups[GROUPS];
    const mls_edition editions[] = {
        {.usage = MLS_USAGE_TRAINING, .name = "5.1.0", .number = MLS_EDITION_NUMBER(5, 1, 0)},
        {.usage = MLS_USAGE_TRAINING, .name = "6.1.0", .number = MLS_EDITION_NUMBER(6, 1, 0)}, /* has no results */
        {.usage = MLS_USAGE_TRAINING, .name = "5.0.0", .number = MLS_EDITION_NUMBER(5, 0, 0)}};
    mls_published_beside beside = {0};
    for (size_t i = 0; i < GROUPS; i++) {
        const bool known = i % 3 != 0;
        groups[i] = (mls_group){.edition = &editions[i % 7 % 3],
                                .benchmark = "llama31_405b",
                                .division = MLS_DIVISION_CLOSED,
                                .accelerators = known ? 512 : (double)NAN,
                                .accelerator = known ? "GB200" : NULL,
                                .scaled_minutes = 100};
    }
    assert_int_equal(mls_published_beside_find(&beside, groups, GROUPS, NULL), MLS_OK);
    for (size_t i = 0; i < GROUPS; i++) {
        const bool wanted = groups[i].edition == &editions[0] && groups[i].accelerator != NULL;
        const mls_published_result *result = beside.near[i].result;
        if (groups[i].edition != &editions[2])
            assert_int_equal(result != NULL, wanted);
        assert_true(!wanted || fabs(result->minutes - 84.9401) < 1e-9);
    }
    assert_int_equal(beside.editions.count, 3);
    mls_published_beside_release(&beside);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_result_is_read),
        cmocka_unit_test(runs_give_the_published_scores),
        cmocka_unit_test(reference_points_give_the_published_scales),
        cmocka_unit_test(every_start_is_given),
        cmocka_unit_test(a_run_is_read_to_the_millisecond),
        cmocka_unit_test(one_edition_can_be_read_alone),
        cmocka_unit_test(the_nearest_are_alike_in_size_then_model),
        cmocka_unit_test(around_each_are_its_neighbours),
        cmocka_unit_test(a_result_is_known_again_by_its_runs),
        cmocka_unit_test(an_edition_is_read_once_for_all_groups),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
