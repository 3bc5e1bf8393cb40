/* SPDX-License-Identifier: Apache-2.0 */
/* From runs to groups: duplicates, grouping, and host names. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "score/score.h"

static char *copy(const char *text)
{
    return text != NULL ? strdup(text) : NULL;
}

static mls_run run_at(double first_ms)
{
    mls_run run;
    mls_run_init(&run);
    run.first_ms = first_ms;
    run.run_start = (mls_step){first_ms + 10, 1};
    run.run_stop = (mls_step){first_ms + 20, 2};
    return run;
}

/* ------------------------------------------------------------- repeats */

typedef struct file {
    const char *path;
    const char *runs; /* digits: the runs in it */
    bool excluded;
} file;

/* Check which runs are kept, and why files without runs are skipped. */
static void assert_repeats(const file *files, size_t count, const char *expected)
{
    mls_collection all = {0};
    mls_sources sources = {.items = calloc(count + 1, sizeof(mls_source)), .count = count};
    mls_source_runs found[8] = {0};
    mls_buffer text = {0};
    all.runs = calloc(100, sizeof *all.runs);
    if (all.runs == NULL || sources.items == NULL)
        abort();
    for (size_t i = 0; i < count; i++) {
        found[i].count = strlen(files[i].runs);
        sources.items[i] = (mls_source){.path = copy(files[i].path), .result = files[i].excluded};
        for (size_t k = 0; k < found[i].count; k++) {
            all.runs[all.run_count] = run_at(files[i].runs[k] * 1000);
            all.runs[all.run_count++].file = copy(files[i].path);
        }
    }
    mls_buffer_append_text(&text, "");
    mls_repeats_remove(&all, &sources, found);
    for (size_t i = 0; i < count; i++) {
        const mls_source *source = &sources.items[i];
        mls_buffer_printf(&text, "%s:", source->path);
        for (size_t k = 0; k < all.run_count; k++)
            if (strcmp(all.runs[k].file, source->path) == 0)
                mls_buffer_append_char(&text, (char)(all.runs[k].first_ms / 1000));
        mls_buffer_printf(&text, "%s%s\n", source->skip != NULL ? " " : "", source->skip != NULL ? source->skip : "");
    }
    assert_string_equal(text.ptr, expected);
    mls_buffer_release(&text);
    mls_sources_release(&sources);
    mls_collection_release(&all);
}

static void the_same_run_counts_once(void **state)
{
    (void)state;
    assert_repeats((const file[]){{"d/slurm-1.out", "12", false}, {"d/t_1.log", "1", false}, {"d/t_2.log", "2", false}},
                   3, "d/slurm-1.out: repeats the 2 runs of t_1.log and others\nd/t_1.log:1\nd/t_2.log:2\n");
    assert_repeats((const file[]){{"a.log", "12", false}, {"b.log", "1", false}}, 2, "a.log:2\nb.log:1\n");
    assert_repeats((const file[]){{"b.log", "1", false}, {"a.log", "1", false}}, 2,
                   "b.log:1\na.log: repeats the run in b.log\n");
    assert_repeats((const file[]){{"slurm-2.out", "1", false}, {"x.log", "12", false}}, 2,
                   "slurm-2.out: repeats the run in x.log\nx.log:12\n");
    assert_repeats((const file[]){{"a.log", "11", false}}, 1, "a.log:1\n");
    assert_repeats((const file[]){{"result_0.txt", "1", true}, {"result_1.txt", "1", true}, {"a.log", "1", false}}, 3,
                   "result_0.txt:1\nresult_1.txt:1\na.log:1\n");
    assert_repeats(NULL, 0, "");
}

static void what_makes_a_run_the_same(void **state)
{
    mls_run a = run_at(1000);
    mls_run b = run_at(1000);
    (void)state;
    assert_int_equal(mls_run_compare(&a, &b), 0);
    b.run_stop = (mls_step){(double)NAN, 0};
    assert_int_not_equal(mls_run_compare(&a, &b), 0);
    a.run_stop = b.run_stop;
    assert_int_equal(mls_run_compare(&a, &b), 0);
    a.first_ms = 999;
    assert_int_not_equal(mls_run_compare(&a, &b), 0);
    a.first_ms = b.first_ms;
    a.run_start.time_ms = 1011;
    assert_int_not_equal(mls_run_compare(&a, &b), 0);
}

/* ------------------------------------------------------------ grouping */

static mls_run run_of(const char *path, const char *benchmark, const char *division, const char *config, double batch)
{
    mls_run run;
    mls_run_init(&run);
    run.file = copy(path);
    run.benchmark = copy(benchmark);
    run.division = copy(division);
    run.job.config = copy(config);
    run.global_batch_size = batch;
    run.line = 1;
    return run;
}

static void assert_groups(mls_run *runs, const bool *results, size_t count, const char *expected)
{
    mls_group *groups;
    size_t group_count;
    mls_buffer text = {0};
    for (size_t i = 0; i < count; i++)
        runs[i].result = results != NULL && results[i];
    mls_group_runs(runs, count, &groups, &group_count);
    mls_buffer_append_text(&text, "");
    for (size_t i = 0; i < group_count; i++) {
        mls_buffer_printf(&text, "%s%s[", i > 0 ? " " : "", groups[i].path);
        for (size_t k = 0; k < groups[i].run_count; k++)
            mls_buffer_printf(&text, "%s%s", k > 0 ? " " : "", groups[i].runs[k]->file);
        mls_buffer_append_text(&text, "]");
        mls_group_release(&groups[i]);
    }
    free(groups);
    assert_string_equal(text.ptr, expected);
    mls_buffer_release(&text);
    for (size_t i = 0; i < count; i++)
        mls_run_release(&runs[i]);
}

static const double none = (double)NAN;

static void runs_that_agree_are_a_group(void **state)
{
    (void)state;
    assert_groups(NULL, NULL, 0, "");
    mls_run same[] = {run_of("d/b10.log", "x", "closed", "C", 8), run_of("d/b2.log", "x", "closed", "C", 8),
                      run_of("d/e/a.log", "x", "closed", "C", 8)};
    assert_groups(same, NULL, 3, "d[d/b2.log d/b10.log d/e/a.log]");
    mls_run different[] = {run_of("1", "x", "closed", "C", 8),  run_of("2", "y", "closed", "C", 8),
                           run_of("3", "x", "open", "C", 8),    run_of("4", "x", "closed", "D", 8),
                           run_of("5", "x", "closed", NULL, 8), run_of("6", "x", "closed", "C", 9),
                           run_of("7", "x", "closed", "C", 8)};
    assert_groups(different, NULL, 7, ".[1 7] 2[2] 3[3] 4[4] 5[5] 6[6]");
    mls_run spelled[] = {run_of("1", "x", "closed", "C", 8), run_of("2", "x", "Closed", "C", 8),
                         run_of("3", "x", "other", "C", 8)};
    assert_groups(spelled, NULL, 3, ".[1 2] 3[3]");
}

static void runs_with_gaps_join_the_one_group_that_agrees(void **state)
{
    (void)state;
    mls_run one[] = {run_of("a/1", NULL, NULL, NULL, none), run_of("a/2", "x", "closed", "C", 8),
                     run_of("a/3", "x", NULL, NULL, none), run_of("a/4", "y", NULL, NULL, none)};
    assert_groups(one, NULL, 4, "a[a/1 a/2 a/3] a/4[a/4]");
    /* Two groups match: the one in the same folder counts, or neither. */
    mls_run two[] = {run_of("a/1", "x", "closed", "C", 8), run_of("b/2", "x", "closed", "D", 8),
                     run_of("b/3", "x", "closed", NULL, none), run_of("c/4", "x", NULL, NULL, none)};
    assert_groups(two, NULL, 4, "a/1[a/1] b[b/2 b/3] c/4[c/4]");
}

static void results_are_grouped_by_their_folder(void **state)
{
    (void)state;
    mls_run runs[] = {run_of("s/x/result_10.txt", "x", "closed", NULL, 8),
                      run_of("s/x/result_2.txt", "y", NULL, NULL, 9),
                      run_of("s/x2/result_0.txt", "x", "closed", NULL, 8), run_of("s/x/a.log", "x", "closed", NULL, 8),
                      run_of("s/x/result_1.txt", NULL, NULL, NULL, none)};
    const bool results[] = {true, true, true, false, true};
    assert_groups(runs, results, 5,
                  "s/x/a.log[s/x/a.log] s/x[s/x/result_1.txt s/x/result_2.txt s/x/result_10.txt] "
                  "s/x2[s/x2/result_0.txt]");
    mls_run root[] = {run_of("/result_0.txt", NULL, NULL, NULL, none), run_of("result_0.txt", NULL, NULL, NULL, none)};
    const bool both[] = {true, true};
    assert_groups(root, both, 2, "/[/result_0.txt] .[result_0.txt]");
}

static void many_groups_take_linear_time(void **state)
{
    enum { MANY = 100000 };
    mls_run *runs = calloc(MANY, sizeof *runs);
    mls_group *groups;
    size_t count;
    (void)state;
    assert_non_null(runs);
    for (size_t i = 0; i < MANY; i++) {
        mls_run_init(&runs[i]);
        runs[i].file = (char *)(uintptr_t) "f.log";
        runs[i].line = i;
        runs[i].benchmark = (char *)(uintptr_t) "x";
        runs[i].division = (char *)(uintptr_t)(i % 2 != 0 ? "closed" : "open");
        const size_t pair = i / 2;
        runs[i].global_batch_size = i % 4 == 3 ? none : (double)pair;
    }
    const clock_t start = clock();
    mls_group_runs(runs, MANY, &groups, &count);
    assert_true((double)(clock() - start) / CLOCKS_PER_SEC < 10);
    assert_int_equal(count, MANY / 4 * 3 + 1);
    for (size_t i = 0; i < count; i++)
        mls_group_release(&groups[i]);
    free(groups);
    free(runs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_run_counts_once),
        cmocka_unit_test(what_makes_a_run_the_same),
        cmocka_unit_test(runs_that_agree_are_a_group),
        cmocka_unit_test(runs_with_gaps_join_the_one_group_that_agrees),
        cmocka_unit_test(results_are_grouped_by_their_folder),
        cmocka_unit_test(many_groups_take_linear_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
