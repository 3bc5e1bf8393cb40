/* SPDX-License-Identifier: Apache-2.0 */
/* test_jobs.c - rows of sacct, the rows of a job, and how its time was spent. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "score/jobs.h"

static mls_sacct *read_rows(const char *text)
{
    mls_sacct *sacct;
    mls_error error = {0};
    sacct = mls_sacct_new();
    assert_int_equal(mls_sacct_read(sacct, mls_str_from(text), "rows", (mls_sacct_zone){0, "UTC"}, &error), MLS_OK);
    return sacct;
}

/* Join runs of one job, with steps in seconds since 1970; 0: missing. */
static void join(mls_sacct *sacct, mls_run *runs, size_t count, const double (*steps)[3], const char *job)
{
    const mls_run *places[8];
    mls_group group = {.runs = places, .run_count = count};
    mls_collection collection = {.runs = runs, .run_count = count, .groups = &group, .group_count = 1};
    for (size_t i = 0; i < count; i++) {
        mls_step *at[] = {&runs[i].init_start, &runs[i].run_start, &runs[i].run_stop};
        mls_run_init(&runs[i]);
        for (size_t k = 0; k < 3; k++)
            *at[k] = (mls_step){steps[i][k] > 0 ? steps[i][k] * 1000 : (double)NAN, steps[i][k] > 0 ? k + 1 : 0};
        runs[i].job.job = strdup(job);
        runs[i].valid = steps[i][2] > 0;
        places[i] = &runs[i];
    }
    mls_jobs_join(sacct, NULL, &collection);
}

static void release(mls_sacct *sacct, mls_run *runs, size_t count)
{
    for (size_t i = 0; i < count; i++)
        mls_run_release(&runs[i]);
    mls_sacct_free(sacct);
}

/* For a job from 1000 to 2000 whose runs overlap, are outside, or never end, the parts add up to its time. */
static void times_add_up(void **state)
{
    static const struct {
        double steps[3][3];
        size_t count;
        double parts[5];
    } rows[] = {
        {{{1100, 1150, 1300}, {1400, 1450, 1600}}, 2, {100, 100, 300, 100, 400}},
        {{{1100, 1150, 1300}, {1120, 1200, 1400}}, 2, {100, 50, 250, 0, 600}}, /* in parallel */
        {{{900, 1150, 1300}, {1900, 1950, 2050}}, 2, {0, 200, 200, 600, 0}},   /* beyond its ends */
        {{{1100, 1150, 0}, {0, 1200, 1300}}, 2, {100, 50, 100, 50, 700}},      /* died; no init_start */
        {{{0, 1200, 0}}, 1, {0, 0, 0, 0, 0}},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        mls_run runs[3];
        mls_sacct *sacct = read_rows("JobID|State|Start|End|ElapsedRaw\n7|FAILED|1000|2000|1000\n");
        join(sacct, runs, rows[i].count, rows[i].steps, "7");
        const mls_slurm_job *job = sacct->jobs.items[0];
        const double got[] = {job->times.before, job->times.init, job->times.training, job->times.between,
                              job->times.after};
        double sum = 0;
        for (size_t k = 0; k < 5; k++) {
            assert_true(fabs(got[k] - rows[i].parts[k]) < 1e-9);
            sum += got[k];
        }
        assert_true(!job->has_times || fabs(sum - 1000) < 1e-9);
        release(sacct, runs, rows[i].count);
    }
}

/* Rows of one job in any order, with a duplicate: a run belongs to the row during which it started. */
static void rows_of_a_requeued_job(void **state)
{
    static const double steps[2][3] = {{1010, 1020, 0}, {2010, 2020, 2090}};
    mls_run runs[2];
    mls_sacct *sacct = read_rows("JobIDRaw|JobID|State|Submit|Start|End|ElapsedRaw\n"
                                 "9|7_2|COMPLETED|1950|2000|2100|100\n"
                                 "9.batch|7_2.batch|FAILED|1950|2000|2100|100\n"
                                 "9|7_2|RUNNING|900|1000|Unknown|10\n"
                                 "9|7_2|NODE_FAIL|900|1000|1100|100\n");
    (void)state;
    join(sacct, runs, 2, steps, "7_2");
    assert_int_equal(sacct->jobs.count, 1);
    assert_int_equal(sacct->jobs.items[0]->restarts, 1);
    assert_string_equal(sacct->jobs.items[0]->state, "COMPLETED");
    assert_string_equal(sacct->jobs.items[0]->array_job, "7");
    assert_string_equal(runs[0].job.job, "9");
    assert_int_equal(runs[0].findings.count, 1);
    assert_string_equal(runs[0].findings.items[0].message, "job 9 lost a node (NODE_FAIL)");
    assert_int_equal(runs[1].findings.count, 0);
    release(sacct, runs, 2);
}

/* The time limit ended the run 30 s before the median time. */
static void a_limit_and_the_median(void **state)
{
    static const double steps[4][3] = {{10, 20, 120}, {130, 140, 240}, {250, 260, 370}, {380, 390, 0}};
    mls_run runs[4];
    mls_sacct *sacct = read_rows("JobID|State|Start|End|Elapsed|Timelimit\n7|TIMEOUT|5|460|00:07:35|00:07:00\n");
    (void)state;
    join(sacct, runs, 4, steps, "7");
    assert_int_equal(runs[3].findings.count, 1);
    assert_string_equal(runs[3].findings.items[0].message,
                        "job 7 ran into its time limit of 7:00, 1:10 after run_start: 0:30 short of the median run "
                        "(TIMEOUT)");
    release(sacct, runs, 4);
}

/* A number that is the JobIDRaw of one job and the JobID of another means the first. */
static void a_number_of_two_jobs(void **state)
{
    static const double steps[1][3] = {{0}};
    mls_run runs[1];
    mls_sacct *sacct = read_rows("JobIDRaw|JobID|State\n8|5|FAILED\n5|5_2|COMPLETED\n");
    (void)state;
    join(sacct, runs, 1, steps, "5");
    assert_string_equal(sacct->jobs.items[0]->id, "5_2");
    release(sacct, runs, 1);
}

/* A number with a NUL is invalid. */
static void a_nul_in_a_number(void **state)
{
    static const char text[] = "JobIDRaw|JobID|State\n\0008|5|FAILED\n9|6\0|FAILED\n";
    mls_sacct *sacct;
    mls_error error = {0};
    (void)state;
    sacct = mls_sacct_new();
    const mls_str bytes = {text, sizeof text - 1};
    assert_int_equal(mls_sacct_read(sacct, bytes, "rows", (mls_sacct_zone){0, "UTC"}, &error), MLS_OK);
    assert_int_equal(sacct->by_raw.count, 0);
    assert_int_equal(sacct->findings.count, 2);
    assert_string_equal(sacct->findings.items[0].message, "a NUL in its JobID: the row is not used");
    mls_sacct_free(sacct);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times_add_up),           cmocka_unit_test(rows_of_a_requeued_job),
        cmocka_unit_test(a_limit_and_the_median), cmocka_unit_test(a_number_of_two_jobs),
        cmocka_unit_test(a_nul_in_a_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
