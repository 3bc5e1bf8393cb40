/* SPDX-License-Identifier: Apache-2.0 */
/* The checks of a group: when they apply, and what its runs must agree on. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "rounds.h"
#include "score/group.h"

enum { RUNS = 3 };

static char *copy(const char *text)
{
    return text != NULL ? strdup(text) : NULL;
}

/* Return the first edition of the table that is not before a name. */
static const mls_edition *edition_of(const char *name)
{
    const mls_edition *edition;
    assert_int_equal(mls_editions_find(editions, MLS_USAGE_TRAINING, mls_str_from(name), &edition, NULL), MLS_OK);
    return edition;
}

/* Score three runs that log these divisions.  Release the group after use. */
static mls_group scored(mls_run *runs, const char *edition, const char *benchmark, const char *const *divisions,
                        const mls_score_options *more)
{
    mls_group group = {.edition = edition_of(edition)};
    mls_score_options options = {0};
    if (more != NULL)
        options = *more;
    options.editions = editions;
    group.runs = (const mls_run **)calloc(RUNS, sizeof *group.runs);
    assert_non_null(group.runs);
    group.run_count = RUNS;
    for (size_t i = 0; i < RUNS; i++) {
        mls_run_init(&runs[i]);
        runs[i].file = copy("a.log");
        runs[i].benchmark = copy(benchmark);
        runs[i].division = copy(divisions[i]);
        group.runs[i] = &runs[i];
    }
    assert_int_equal(mls_group_score(&group, &options, NULL), MLS_OK);
    return group;
}

static void release(mls_group *group, mls_run *runs)
{
    mls_group_release(group);
    for (size_t i = 0; i < RUNS; i++)
        mls_run_release(&runs[i]);
}

static void assert_checks(const char *edition, const char *benchmark, const char *division, bool rcp, bool seeds)
{
    mls_run runs[RUNS];
    const char *const divisions[RUNS] = {division, division, division};
    mls_group group = scored(runs, edition, benchmark, divisions, &(mls_score_options){0});
    assert_int_equal(group.rcp.check != MLS_CHECK_NA, rcp);
    assert_int_equal(group.seeds.check != MLS_CHECK_NA, seeds);
    release(&group, runs);
}

static void checks_are_for_the_closed_division_from_1_0_on(void **state)
{
    (void)state;
    assert_checks("1.0.0", "bert", "closed", true, true);
    assert_checks("6.1.0", "dlrmv4", "closed", true, true);
    assert_checks("0.7.0", "bert", "closed", false, false);
    assert_checks("5.0.0", "bert", "open", false, false);
    assert_checks("5.0.0", "bert", NULL, false, false);
    assert_checks("2.1.0", "minigo", "closed", false, true);
    /* Not a benchmark of the edition, or of any edition. */
    assert_checks("5.1.0", "bert", "closed", false, true);
    assert_checks("5.1.0", "made_up", "closed", false, true);
}

static mls_group with_divisions(mls_run *runs, const char *a, const char *b, const char *c, mls_division decided)
{
    return scored(runs, "5.0.0", "bert", (const char *const[]){a, b, c}, &(mls_score_options){.division = decided});
}

static void divisions_that_mean_the_same_are_one(void **state)
{
    (void)state;
    mls_run runs[RUNS];
    mls_group group = with_divisions(runs, "closed", "Closed", "CLOSED", MLS_DIVISION_NONE);
    assert_int_equal(group.division, MLS_DIVISION_CLOSED);
    assert_int_equal(mls_findings_found(&group.findings, MLS_FINDING_MIXED_GROUP), 0);
    assert_int_equal(group.rcp.check, MLS_CHECK_FAIL);
    assert_int_equal(group.seeds.check, MLS_CHECK_FAIL);
    release(&group, runs);
    group = with_divisions(runs, "closed", NULL, "open", MLS_DIVISION_NONE);
    assert_int_equal(group.division, MLS_DIVISION_NONE);
    assert_int_equal(mls_findings_found(&group.findings, MLS_FINDING_MIXED_GROUP), 1);
    assert_int_equal(group.seeds.check, MLS_CHECK_NA);
    release(&group, runs);
    group = with_divisions(runs, "other", "another", NULL, MLS_DIVISION_NONE);
    assert_int_equal(mls_findings_found(&group.findings, MLS_FINDING_MIXED_GROUP), 1);
    release(&group, runs);
}

/* The division in a system description overrides the logs, and its spelling counts. */
static void described_divisions_decide(void **state)
{
    (void)state;
    mls_run runs[RUNS];
    mls_group group = with_divisions(runs, "open", "open", "open", MLS_DIVISION_CLOSED);
    assert_int_equal(group.seeds.check, MLS_CHECK_FAIL);
    release(&group, runs);
    group = with_divisions(runs, "closed", "closed", "closed", mls_division_described("Closed"));
    assert_int_equal(group.division, MLS_DIVISION_CLOSED);
    assert_int_equal(group.seeds.check, MLS_CHECK_NA);
    release(&group, runs);
    assert_int_equal(mls_division_described("closed"), MLS_DIVISION_CLOSED);
    assert_int_equal(mls_division_described("open"), MLS_DIVISION_OPEN);
    assert_int_equal(mls_division_described(" open"), MLS_DIVISION_OTHER);
    assert_int_equal(mls_division_described(NULL), MLS_DIVISION_OTHER);
    assert_int_equal(mls_division_logged("oPEN"), MLS_DIVISION_OPEN);
    assert_int_equal(mls_division_logged("opened"), MLS_DIVISION_OTHER);
    assert_int_equal(mls_division_logged(NULL), MLS_DIVISION_NONE);
}

static void bypassed_checks_do_not_fail(void **state)
{
    (void)state;
    mls_run runs[RUNS];
    const char *const closed[RUNS] = {"closed", "closed", "closed"};
    mls_group group =
        scored(runs, "5.0.0", "bert", closed, &(mls_score_options){.rcp_bypass = true, .seed_bypass = true});
    assert_int_equal(group.rcp.check, MLS_CHECK_BYPASSED);
    assert_int_equal(group.rcp.findings.counts.error, 0);
    assert_int_equal(group.rcp.findings.counts.warning, 1);
    assert_non_null(strstr(group.rcp.findings.items[0].message, "(bypassed)"));
    assert_int_equal(group.seeds.check, MLS_CHECK_BYPASSED);
    assert_int_equal(group.seeds.findings.counts.error, 0);
    release(&group, runs);
    group = scored(runs, "5.0.0", "bert", closed, &(mls_score_options){0});
    assert_int_equal(group.rcp.findings.counts.error, 1);
    release(&group, runs);
}

static void energy_goes_over_the_runs_that_time_keeps(void **state)
{
    static const double joules[] = {1, 10, NAN, 30};
    static const mls_olympic_mark marks[] = {MLS_OLYMPIC_FASTEST, MLS_OLYMPIC_KEPT, MLS_OLYMPIC_DROPPED,
                                             MLS_OLYMPIC_KEPT};
    static const mls_olympic_mark all[] = {MLS_OLYMPIC_KEPT, MLS_OLYMPIC_KEPT, MLS_OLYMPIC_KEPT, MLS_OLYMPIC_KEPT};
    mls_group group = {.run_count = 4, .scale = 1.5, .score.score_minutes = 2};
    (void)state;
    mls_group_energy(&group);
    assert_int_equal(group.power.check, MLS_CHECK_NA);
    group.power.joules = malloc(sizeof joules);
    group.marks = malloc(sizeof marks);
    if (group.power.joules == NULL || group.marks == NULL)
        abort(); /* unlike an assertion, the analyser can follow this */
    memcpy(group.power.joules, joules, sizeof joules);
    memcpy(group.marks, marks, sizeof marks);
    mls_group_energy(&group);
    assert_true(group.power.energy_joules == 30);
    assert_int_equal(group.power.check, MLS_CHECK_PASS);
    group.power.wrong = 1;
    group.score.score_minutes = NAN;
    mls_group_energy(&group);
    assert_true(isnan(group.power.energy_joules));
    assert_int_equal(group.power.check, MLS_CHECK_FAIL);
    group.score.score_minutes = 2;
    memcpy(group.marks, all, sizeof all);
    mls_group_energy(&group);
    assert_true(isnan(group.power.energy_joules));
    mls_group_release(&group);
}

/* ------------------------------------------------------------ weak scaling */

typedef struct model {
    bool valid;
    double start_ms, stop_ms;
    const char *nodes, *accelerators; /* as logged; NULL: not logged */
} model;

static void log_number(mls_run *run, const char *key, const char *value)
{
    if (value != NULL)
        run->hyperparameters[run->hyperparameter_count++] = (mls_hyperparameter){mls_str_from(key), value, 1, 0};
}

static mls_group weak(const model *models, size_t count)
{
    static mls_run runs[8];
    static mls_edition edition = {.usage = MLS_USAGE_HPC, .name = "3.0.0", .number = MLS_EDITION_NUMBER(3, 0, 0)};
    const mls_score_options options = {.editions = editions};
    mls_group group = {.usage = MLS_USAGE_HPC, .edition = &edition, .result_folder = true, .run_count = count};
    group.path = copy("results/x/weak/deepcam");
    group.runs = (const mls_run **)calloc(count, sizeof *group.runs);
    assert_non_null(group.runs);
    for (size_t i = 0; i < count; i++) {
        mls_run_init(&runs[i]);
        runs[i].valid = models[i].valid;
        runs[i].run_start = (mls_step){models[i].start_ms, 1};
        runs[i].run_stop = (mls_step){models[i].stop_ms, 2};
        runs[i].hyperparameters = calloc(2, sizeof *runs[i].hyperparameters);
        assert_non_null(runs[i].hyperparameters);
        runs[i].hyperparameter_capacity = 2;
        log_number(&runs[i], "number_of_nodes", models[i].nodes);
        log_number(&runs[i], "accelerators_per_node", models[i].accelerators);
        group.runs[i] = &runs[i];
    }
    assert_int_equal(mls_group_score(&group, &options, NULL), MLS_OK);
    for (size_t i = 0; i < count; i++)
        mls_run_release(&runs[i]);
    return group;
}

static void valid_models_are_counted_from_first_start_to_last_stop(void **state)
{
    (void)state;
    mls_group group = weak((const model[]){{true, 120000, 600000, "4", "8"},
                                           {false, 0, 9900000, "4", "8"},
                                           {true, 60000, 540000, "4", "8"},
                                           {true, 180000, 660000, "4", "8"},
                                           {true, NAN, 660000, "4", "8"},
                                           {true, 180000, 650000, "4", "8"},
                                           {true, 180000, 640000, "4", "8"}},
                           7);
    assert_int_equal(group.weak.models, 5);
    assert_int_equal(group.weak.check, MLS_CHECK_PASS);
    assert_true(group.weak.minutes == 10);
    assert_true(group.weak.instance_scale == 32);
    assert_int_equal(group.findings.count, 0);
    mls_group_release(&group);
}

static void nodes_without_accelerators_count_themselves(void **state)
{
    (void)state;
    mls_group group = weak((const model[]){{true, 0, 1, "128", "0"}, {true, 0, 1, "128", NULL}}, 2);
    assert_true(group.weak.instance_scale == 128);
    assert_int_equal(mls_findings_found(&group.findings, MLS_FINDING_MIXED_GROUP), 0);
    assert_int_equal(group.weak.check, MLS_CHECK_FAIL);
    mls_group_release(&group);
    group = weak((const model[]){{true, 0, 1, "128", "0"}, {true, 0, 1, "64", "0"}}, 2);
    assert_int_equal(mls_findings_found(&group.findings, MLS_FINDING_MIXED_GROUP), 1);
    mls_group_release(&group);
}

static void nothing_valid_gives_nothing(void **state)
{
    (void)state;
    mls_group group = weak((const model[]){{false, 0, 1, "1", "1"}}, 1);
    assert_int_equal(group.weak.models, 0);
    assert_true(isnan(group.weak.minutes) && isnan(group.weak.instance_scale));
    assert_int_equal(group.weak.check, MLS_CHECK_FAIL);
    mls_group_release(&group);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(checks_are_for_the_closed_division_from_1_0_on),
        cmocka_unit_test(divisions_that_mean_the_same_are_one),
        cmocka_unit_test(described_divisions_decide),
        cmocka_unit_test(bypassed_checks_do_not_fail),
        cmocka_unit_test(energy_goes_over_the_runs_that_time_keeps),
        cmocka_unit_test(valid_models_are_counted_from_first_start_to_last_stop),
        cmocka_unit_test(nodes_without_accelerators_count_themselves),
        cmocka_unit_test(nothing_valid_gives_nothing),
    };
    return cmocka_run_group_tests(tests, load_editions, free_editions);
}
