/* SPDX-License-Identifier: Apache-2.0 */
/* A group's checks: when they are made, and what its runs must agree on. */
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
#include "mlscore/group.h"
#include "rounds.h"

enum { RUNS = 3 };

static char *copy(const char *text)
{
    return text != NULL ? mls_copy_text(text, strlen(text)) : NULL;
}

/* The first edition of the table at or behind a name. */
static const mls_edition *edition_of(const char *name)
{
    const mls_edition *edition;
    assert_int_equal(mls_editions_find(editions, MLS_USAGE_TRAINING, mls_str_from(name), &edition, NULL), MLS_OK);
    return edition;
}

/* Scores three runs that log these divisions; to be released. */
static mls_group scored(mls_run *runs, const char *edition, const char *benchmark, const char *const *divisions,
                        const mls_score_options *more)
{
    mls_group group = {.edition = edition_of(edition)};
    mls_score_options options = *more;
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
    for (size_t i = 0; i < RUNS; i++) {
        mls_run_release(&runs[i]);
    }
}

static void assert_checks(const char *edition, const char *benchmark, const char *division, bool rcp, bool seeds)
{
    mls_run runs[RUNS];
    const char *const divisions[RUNS] = {division, division, division};
    mls_group group = scored(runs, edition, benchmark, divisions, &(mls_score_options){0});
    assert_int_equal(group.rcp_set != NULL, rcp);
    assert_int_equal(group.seeds_checked, seeds);
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
    /* Not a benchmark of the edition, and of none. */
    assert_checks("5.1.0", "bert", "closed", false, true);
    assert_checks("5.1.0", "made_up", "closed", false, true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(checks_are_for_the_closed_division_from_1_0_on),
    };
    return cmocka_run_group_tests(tests, load_editions, free_editions);
}
