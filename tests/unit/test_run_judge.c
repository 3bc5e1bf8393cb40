/* SPDX-License-Identifier: Apache-2.0 */
/* clang-format off */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
/* clang-format on */
#include <string.h>

#include "base/buffer.h"
#include "slurm/run_judge.h"

/* One rule: a run must start. */
static const char rules[] = "{\"usage\": \"training\", \"edition\": \"test\", \"scopes\": {\"common\": {\"keys\": {"
                            "\"run_start\": \"exactly_one\", \"seed\": \"optional\"}}}}";

typedef struct judged {
    size_t lines[8];
    bool valid[8];
    size_t records[8];
    size_t malformed[8];
    size_t count;
    mls_status status; /* to return */
} judged;

static mls_status note(void *state, size_t line, const mls_verdict *verdict)
{
    judged *all = state;
    assert_true(all->count < 8);
    all->lines[all->count] = line;
    all->valid[all->count] = verdict->valid;
    all->records[all->count] = verdict->records;
    all->malformed[all->count] = verdict->malformed;
    all->count++;
    return all->status;
}

static void add(mls_buffer *log, int time_ms, const char *key)
{
    mls_buffer_printf(log, ":::MLLOG {\"time_ms\": %d, \"key\": \"%s\", \"value\": 1, \"metadata\": {}}\n", time_ms,
                      key);
}

static mls_status judge(mls_buffer *log, bool whole, judged *all)
{
    mls_ruleset *ruleset;
    mls_checker *checker;
    assert_int_equal(mls_ruleset_load_text(mls_str_from(rules), &ruleset, NULL), MLS_OK);
    assert_int_equal(mls_checker_new(&(mls_checker_options){.ruleset = ruleset}, &checker), MLS_OK);
    mls_run_judge judging = {.checker = checker, .judged = note, .state = all, .cutter = {.whole = whole}};
    const mls_sink sink = mls_run_judge_sink(&judging);
    const mls_status status = mls_log_scan_bytes(mls_buffer_str(log), &sink, 1, NULL, NULL);
    mls_run_judge_release(&judging);
    mls_checker_free(checker);
    mls_ruleset_free(ruleset);
    mls_buffer_release(log);
    return status;
}

static void test_times_cut(void **state)
{
    mls_buffer log = {0};
    judged all = {0};
    (void)state;
    add(&log, 1, "init_start");
    add(&log, 2, "run_start");
    add(&log, 3, "run_stop");
    add(&log, 2, "cache_clear"); /* logged late, happened before */
    add(&log, 4, "cache_clear");
    add(&log, 5, "init_start");
    mls_buffer_append_text(&log, "noise\n:::MLLOG broken\n");
    add(&log, 6, "run_start");
    add(&log, 7, "init_start"); /* that one died */
    assert_int_equal(judge(&log, false, &all), MLS_OK);
    assert_int_equal(all.count, 3);
    assert_int_equal(all.lines[0], 1);
    assert_int_equal(all.records[0], 4);
    assert_true(all.valid[0]);
    assert_int_equal(all.lines[1], 5);
    assert_int_equal(all.records[1], 3);
    assert_int_equal(all.malformed[1], 1);
    assert_false(all.valid[1]);
    assert_int_equal(all.lines[2], 10);
    assert_int_equal(all.records[2], 1);
    assert_int_equal(all.malformed[2], 0);
    assert_false(all.valid[2]);
}

static void test_dead_run_gives_back(void **state)
{
    mls_buffer log = {0};
    judged all = {0};
    (void)state;
    add(&log, 1, "run_start");
    add(&log, 4, "cache_clear"); /* the next run's, as shows with its init_start */
    add(&log, 4, "cache_clear");
    add(&log, 5, "init_start");
    add(&log, 6, "run_start");
    add(&log, 7, "cache_clear"); /* this run's own: it ends well */
    add(&log, 8, "run_stop");
    add(&log, 9, "init_start");
    assert_int_equal(judge(&log, false, &all), MLS_OK);
    assert_int_equal(all.count, 3);
    assert_int_equal(all.lines[1], 2);
    assert_int_equal(all.records[1], 6);
    assert_true(all.valid[1]);
    assert_int_equal(all.lines[2], 8);
    assert_int_equal(all.records[2], 1);
}

static void test_lines_cut(void **state)
{
    mls_buffer log = {0};
    judged all = {0};
    (void)state;
    mls_buffer_append_text(&log, "Beginning trial 1 of 3\n");
    add(&log, 1, "run_start");
    add(&log, 3, "run_stop");
    add(&log, 4, "init_start"); /* times do not cut where lines do */
    mls_buffer_append_text(&log, "Beginning trial 2 of 3\nBeginning trial 3 of 3\n");
    add(&log, 5, "seed");
    assert_int_equal(judge(&log, false, &all), MLS_OK);
    assert_int_equal(all.count, 2);
    assert_int_equal(all.lines[0], 2);
    assert_true(all.valid[0]);
    assert_int_equal(all.lines[1], 7);
    assert_false(all.valid[1]);
}

static void test_whole_is_never_cut(void **state)
{
    mls_buffer log = {0};
    judged all = {0};
    (void)state;
    add(&log, 1, "run_start");
    mls_buffer_append_text(&log, "Beginning trial 2 of 3\n");
    add(&log, 2, "run_stop");
    add(&log, 3, "init_start");
    assert_int_equal(judge(&log, true, &all), MLS_OK);
    assert_int_equal(all.count, 1);
    assert_int_equal(all.records[0], 3);
}

static void test_nothing_is_one_log(void **state)
{
    mls_buffer log = {0};
    judged all = {0};
    (void)state;
    mls_buffer_append_text(&log, "Beginning trial 1 of 1\nnothing\n");
    assert_int_equal(judge(&log, false, &all), MLS_OK);
    assert_int_equal(all.count, 1);
    assert_int_equal(all.lines[0], 1);
    assert_false(all.valid[0]);
}

static void test_failure_ends_the_scan(void **state)
{
    mls_buffer log = {0};
    judged all = {.status = MLS_STOPPED};
    (void)state;
    for (int i = 0; i < 3; i++) {
        mls_buffer_append_text(&log, "Beginning trial 1 of 1\n");
        add(&log, i, "run_start");
    }
    assert_int_equal(judge(&log, false, &all), MLS_STOPPED);
    assert_int_equal(all.count, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_times_cut),          cmocka_unit_test(test_dead_run_gives_back),
        cmocka_unit_test(test_lines_cut),          cmocka_unit_test(test_whole_is_never_cut),
        cmocka_unit_test(test_nothing_is_one_log), cmocka_unit_test(test_failure_ends_the_scan),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
