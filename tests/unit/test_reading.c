/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "log_script.h"
#include "run/splitter.h"
#include "scratch.h"

/* The runs of a log, as passed on. */
typedef struct runs {
    mls_run items[16];
    bool part[16];
    size_t count;
    size_t only_existing; /* 1: leave out runs without init_start and run_start, as scoring does */
    mls_status status;    /* to return */
} runs;

static mls_status take_run(void *state, mls_run *run, void **notes)
{
    runs *all = state;
    (void)notes;
    assert_true(all->count < 16);
    if (all->only_existing == 0 || mls_run_exists(run)) {
        all->part[all->count] = run->part;
        all->items[all->count++] = *run;
        mls_run_init(run);
    }
    return all->status;
}

static mls_status read_runs(runs *all, mls_str log, bool whole, mls_checker *checker)
{
    const mls_reading reading = {0};
    mls_run_splitter splitter = {.reading = &reading,
                                 .whole = whole,
                                 .always_run = whole || checker != NULL,
                                 .checker = checker,
                                 .run = take_run,
                                 .state = all};
    const mls_sink sink = mls_run_splitter_begin(&splitter);
    const mls_status status = mls_log_scan_bytes(log, &sink, 1, NULL, NULL);
    mls_run_splitter_release(&splitter);
    return status;
}

static void release(runs *all)
{
    for (size_t i = 0; i < all->count; i++)
        mls_run_release(&all->items[i]);
}

static void script_read(runs *all, const char *script, bool whole)
{
    mls_buffer log = script_log(script);
    *all = (runs){.only_existing = !whole};
    assert_int_equal(read_runs(all, mls_buffer_str(&log), whole, NULL), MLS_OK);
    mls_buffer_release(&log);
}

static void number(mls_buffer *text, const char *before, double value)
{
    if (isnan(value))
        mls_buffer_printf(text, "%s-", before);
    else
        mls_buffer_printf(text, "%s%.0f", before, value);
}

/* Check each run, as "first line-last line r<run_start> s<run_stop>[!]", with ! for an invalid one. */
static void assert_runs_of(const char *script, bool whole, const char *expected)
{
    runs all;
    mls_buffer text = {0};
    script_read(&all, script, whole);
    mls_buffer_append_text(&text, "");
    for (size_t i = 0; i < all.count; i++) {
        const mls_run *run = &all.items[i];
        mls_buffer_printf(&text, "%s%zu-%zu", i > 0 ? ", " : "", run->line, run->last_line);
        number(&text, " r", run->run_start.time_ms);
        number(&text, " s", run->run_stop.time_ms);
        mls_buffer_append_text(&text, run->valid ? "" : "!");
    }
    if (strcmp(text.ptr, expected) != 0)
        fail_msg("%s\nexpected %s\ngot      %s", script, expected, text.ptr);
    mls_buffer_release(&text);
    release(&all);
}

static void assert_runs(const char *script, const char *expected)
{
    assert_runs_of(script, false, expected);
}

static void one_run_in_a_file(void **state)
{
    (void)state;
    assert_runs("c1 i2 I3 r4 e5 s6", "1-6 r4 s6");
    assert_runs("- i2 - I3 r4 - e5 s6 -", "2-8 r4 s6");
    assert_runs("", "");
    assert_runs("- -", "");
    assert_runs("c1 s9 e5 seed=1", ""); /* not a run: neither init_start nor run_start */
    assert_runs("m m", "");
    assert_runs("i2", "1-1 r- s-!");
    assert_runs("r2", "1-1 r2 s-!");
}

static void a_marker_starts_a_run(void **state)
{
    (void)state;
    assert_runs("B c1 i2 I3 r4 e5 s6 B c11 i12 I13 r14 e15 s16", "2-7 r4 s6, 9-14 r14 s16");
    assert_runs("X i2 I3 r4 e5 s6 'EXPERIMENT_STOP 7' X i12 I13 r14 e15 s16", "2-6 r4 s6, 9-13 r14 s16");
    /* Both lines at once, as run.sub prints them, begin one run, not two. */
    assert_runs("B X i2 I3 r4 e5 s6 B X i12 I13 r14 e15 s16", "3-7 r4 s6, 10-14 r14 s16");
    /* A segment without init_start or run_start is not a run. */
    assert_runs("B c1 s5 B i12 I13 r14 e15 s16 B - m", "5-9 r14 s16");
    /* A run that died ends at the next marker, even if its times do not show it. */
    assert_runs("B i2 I3 r4 B i2 I3 r4 e5 s6", "2-4 r4 s-!, 6-10 r4 s6");
    assert_runs("' 0: Beginning trial 1 of 10' i2 I3 r4 e5 s6 '13: EXPERIMENT_START 17' i2 I3 r4 e5 s6",
                "2-6 r4 s6, 8-12 r4 s6");
    /* Records before the first marker belong to the run. */
    assert_runs("c1 B i2 I3 r4 e5 s6 B c11 i12 I13 r14 e15 s16", "1-7 r4 s6, 9-14 r14 s16");
    /* These lines are not markers. */
    assert_runs("i2 I3 '+ echo Beginning trial 1 of 10' 'Beginning trial' 'EXPERIMENT_START soon' r4 e5 s6",
                "1-8 r4 s6");
}

static void with_markers_times_do_not_cut(void **state)
{
    (void)state;
    assert_runs("B i2 I3 r4 e5 s6 c7 i12 I13 r14 e15 s16", "2-12 r4 s6");
    assert_runs("B i2 I3 r4 i12 I13 r14 e15 s16", "2-9 r4 s16");
}

static void without_markers_times_cut(void **state)
{
    (void)state;
    assert_runs("c1 i2 I3 r4 e5 s6 c11 i12 I13 r14 e15 s16", "1-6 r4 s6, 7-12 r14 s16");
    assert_runs("i2 I3 r4 e5 s6 i12 I13 r14 e15 s16", "1-5 r4 s6, 6-10 r14 s16");
    /* The same time is not later. */
    assert_runs("i2 I3 r4 e5 s6 c6 i6 I7", "1-8 r4 s6");
    /* A cache_clear logged after run_stop with an earlier time. */
    assert_runs("i2 I3 r4 e5 s6 c1 c2 c5", "1-8 r4 s6");
    assert_runs("i2 I3 r4 e5 s6 c1 c11 i12 I13 r14 e15 s16 c11", "1-6 r4 s6, 7-13 r14 s16");
    /* A run that died: init_start later than its run_start. */
    assert_runs("i2 I3 r4 e5 i12 I13 r14 e15 s16", "1-4 r4 s-!, 5-9 r14 s16");
    /* The last records of a dead run belong to the next one. */
    assert_runs("i2 I3 r4 e5 c11 i12 I13 r14 e15 s16", "1-5 r4 s-!, 5-10 r14 s16");
    assert_runs("i2 I3 r4 e5 c3 c11 s12", "1-7 r4 s12");
    assert_runs("i2 I3 r4 i4 i3 e5 s6", "1-7 r4 s6");
    /* A run that died before its run_start cannot be separated from the next one. */
    assert_runs("i2 i12 I13 r14 e15 s16", "1-6 r14 s16");
    /* Other records never begin a run. */
    assert_runs("i2 I3 r4 e5 s6 seed=1 r14 s16 I13 e15", "1-10 r4 s6");
}

static void what_names_a_submission_behind_run_stop(void **state)
{
    (void)state;
    /* It belongs to the next run or, without one, to the previous run. */
    assert_runs("b1 i2 I3 r4 e5 s6 b7 i12 I13 r14 e15 s16", "1-6 r4 s6, 7-12 r14 s16");
    assert_runs("b1 i2 I3 r4 e5 s6 b7 e12 m r14 e15 s16", "1-6 r4 s6, 7-12 r14 s16!");
    assert_runs("b1 i2 I3 r4 e5 s6 b7 seed=1", "1-8 r4 s6");
    assert_runs("b1 i2 I3 r4 e5 s6 b7 m", "1-8 r4 s6!");
    assert_runs("b1 i2 I3 r4 e5 s6 b7 b7 B i12 I13 r14 e15 s16", "1-8 r4 s6, 10-14 r14 s16");
    /* Late records of other ranks belong to the previous run. */
    assert_runs("b1 i2 I3 r4 e5 s6 b8 e5 s7 b9 i12 I13 r14 e15 s16", "1-9 r4 s6, 7-15 r14 s16");
    /* A run that did not name its benchmark may do so after its run_stop. */
    assert_runs("i2 I3 r4 e5 s6 b7 b7 i12 I13 r14 e15 s16 b17", "1-7 r4 s6, 8-13 r14 s16");
    assert_runs("b1 i2 I3 r4 b11 i12 I13 r14 s16 b21 i22 r24 s26", "1-5 r4 s-!, 5-9 r14 s16!, 10-13 r24 s26!");
}

/* Joined logs, of runs that overlap or are in another order. */
static void logs_that_were_joined(void **state)
{
    (void)state;
    assert_runs("b1 c1 i2 I3 r10 e15 s20 b5 c5 i6 I7 r14 e20 s24", "1-7 r10 s20, 8-14 r14 s24");
    assert_runs("b5 c5 i6 I7 r14 e20 s24 b1 c1 i2 I3 r10 e15 s20", "1-7 r14 s24, 8-14 r10 s20");
    assert_runs("b15 c15 i16 I17 r24 e30 s34 b1 c1 i2 I3 r4 e5 s7", "1-7 r24 s34, 8-14 r4 s7");
    assert_runs("b1 c1 i2 I3 r10 e15 s20 b15 c18 i21 I22 r30 e35 s40", "1-7 r10 s20, 8-14 r30 s40");
    /* Ranks one after the other are one run. */
    assert_runs("'0: :::MLLOG {\"time_ms\": 2, \"key\": \"init_start\", \"value\": 1, \"metadata\": {}}' I3 "
                "'0: :::MLLOG {\"time_ms\": 4, \"key\": \"run_start\", \"value\": 1, \"metadata\": {}}' e5 s6 i2 "
                "'1: :::MLLOG {\"time_ms\": 4, \"key\": \"run_start\", \"value\": 1, \"metadata\": {}}' e5 s6",
                "1-9 r4 s6");
}

static void ranks_that_all_log_their_start(void **state)
{
    mls_buffer script = {0};
    (void)state;
    for (int run = 0; run < 3; run++) {
        for (int rank = 0; rank < 230; rank++)
            mls_buffer_printf(&script, "c%d i%d ", run * 1000 + rank, run * 1000 + 230 + rank);
        mls_buffer_printf(&script, "I%d r%d e%d s%d ", run * 1000 + 500, run * 1000 + 501, run * 1000 + 502,
                          run * 1000 + 503);
    }
    assert_runs(script.ptr, "1-464 r501 s503, 465-928 r1501 s1503, 929-1392 r2501 s2503");
    mls_buffer_release(&script);
}

static void a_whole_file_is_one_run(void **state)
{
    (void)state;
    assert_runs_of("B c1 i2 I3 r4 e5 s6 B c11 i12 I13 r14 e15 s16", true, "2-14 r4 s6");
    assert_runs_of("i2 I3 r4 e5 i12", true, "1-5 r4 s-!");
    assert_runs_of("", true, "0-0 r- s-!");
    assert_runs_of("- -", true, "0-0 r- s-!");
    assert_runs_of("m", true, "1-1 r- s-!");
}

static const char *text_or(const char *text)
{
    return text != NULL ? text : "-";
}

static void markers_tell_about_the_job(void **state)
{
    runs all;
    (void)state;
    script_read(&all,
                "':::DLPAL image:1 117 18 node[01-18] eos cluster GB200_18x4x1' B i2 I3 r4 e5 s6 "
                "'Beginning trial 4 of 9' i12 ':::DLPAL other 118 x \"n1\" b B_2' r14 "
                "'+ echo :::DLPAL x 119 1 n c D'",
                false);
    assert_int_equal(all.count, 2);
    const mls_job *first = &all.items[0].job;
    const mls_job *second = &all.items[1].job;
    assert_string_equal(text_or(first->container), "image:1");
    assert_string_equal(text_or(first->job), "117");
    assert_string_equal(text_or(first->node_list), "node[01-18]");
    assert_string_equal(text_or(first->cluster), "eos cluster");
    assert_string_equal(text_or(first->config), "GB200_18x4x1");
    assert_true(first->node_count == 18);
    assert_string_equal(text_or(second->job), "118");
    assert_string_equal(text_or(second->node_list), "n1");
    assert_string_equal(text_or(second->config), "B_2");
    assert_true(second->node_count == 18);
    assert_int_equal(all.items[0].findings.count, 0);
    release(&all);
    /* Half a marker must not crash. */
    script_read(&all, "':::DLPAL ' ':::DLPAL   ' ':::DLPAL a b' 'Beginning trial 99999999999999999999' i1", false);
    assert_int_equal(all.count, 1);
    release(&all);
}

/* ----------------------------------------------------- judged by rules */

/* A single rule: a run must start. */
static const char rules[] = "{\"usage\": \"training\", \"edition\": \"test\", \"scopes\": {\"common\": {\"keys\": {"
                            "\"run_start\": \"exactly_one\", \"seed\": \"optional\"}}}}";

static void add(mls_buffer *log, int time_ms, const char *key)
{
    mls_buffer_printf(log, ":::MLLOG {\"time_ms\": %d, \"key\": \"%s\", \"value\": 1, \"metadata\": {}}\n", time_ms,
                      key);
}

static mls_status judge(mls_buffer *log, bool whole, runs *all)
{
    mls_ruleset *ruleset;
    assert_int_equal(mls_ruleset_load_text(mls_str_from(rules), &ruleset, NULL), MLS_OK);
    mls_checker *checker = mls_checker_new(&(mls_checker_options){.ruleset = ruleset});
    const mls_status status = read_runs(all, mls_buffer_str(log), whole, checker);
    mls_checker_free(checker);
    mls_ruleset_free(ruleset);
    mls_buffer_release(log);
    return status;
}

static void times_cut_by_rules(void **state)
{
    mls_buffer log = {0};
    runs all = {0};
    (void)state;
    add(&log, 1, "init_start");
    add(&log, 2, "run_start");
    add(&log, 3, "run_stop");
    add(&log, 2, "cache_clear"); /* logged late, happened before */
    add(&log, 4, "cache_clear");
    add(&log, 5, "init_start");
    mls_buffer_append_text(&log, "noise\n:::MLLOG broken\n");
    add(&log, 6, "run_start");
    add(&log, 7, "init_start"); /* the previous run died */
    assert_int_equal(judge(&log, false, &all), MLS_OK);
    assert_int_equal(all.count, 3);
    assert_int_equal(all.items[0].line, 1);
    assert_int_equal(all.items[0].records, 4);
    assert_true(all.items[0].valid);
    assert_int_equal(all.items[1].line, 5);
    assert_int_equal(all.items[1].records, 3);
    assert_int_equal(all.items[1].malformed, 1);
    assert_false(all.items[1].valid);
    assert_int_equal(all.items[2].line, 10);
    assert_int_equal(all.items[2].records, 1);
    assert_int_equal(all.items[2].malformed, 0);
    assert_false(all.items[2].valid);
    release(&all);
}

static void dead_run_gives_back(void **state)
{
    mls_buffer log = {0};
    runs all = {0};
    (void)state;
    add(&log, 1, "run_start");
    add(&log, 4, "cache_clear"); /* belongs to the next run, because of its init_start */
    add(&log, 4, "cache_clear");
    add(&log, 5, "init_start");
    add(&log, 6, "run_start");
    add(&log, 7, "cache_clear"); /* belongs to this run, which ends well */
    add(&log, 8, "run_stop");
    add(&log, 9, "init_start");
    assert_int_equal(judge(&log, false, &all), MLS_OK);
    assert_int_equal(all.count, 3);
    assert_int_equal(all.items[1].line, 2);
    assert_int_equal(all.items[1].records, 6);
    assert_true(all.items[1].valid);
    assert_int_equal(all.items[2].line, 8);
    assert_int_equal(all.items[2].records, 1);
    release(&all);
}

static void lines_cut_by_rules(void **state)
{
    mls_buffer log = {0};
    runs all = {0};
    (void)state;
    mls_buffer_append_text(&log, "Beginning trial 1 of 3\n");
    add(&log, 1, "run_start");
    add(&log, 3, "run_stop");
    add(&log, 4, "init_start"); /* times do not count after a marker line */
    mls_buffer_append_text(&log, "Beginning trial 2 of 3\nBeginning trial 3 of 3\n");
    add(&log, 5, "seed");
    assert_int_equal(judge(&log, false, &all), MLS_OK);
    assert_int_equal(all.count, 2);
    assert_int_equal(all.items[0].line, 2);
    assert_true(all.items[0].valid);
    assert_int_equal(all.items[1].line, 7);
    assert_false(all.items[1].valid);
    release(&all);
}

static void whole_is_never_cut(void **state)
{
    mls_buffer log = {0};
    runs all = {0};
    (void)state;
    add(&log, 1, "run_start");
    mls_buffer_append_text(&log, "Beginning trial 2 of 3\n");
    add(&log, 2, "run_stop");
    add(&log, 3, "init_start");
    assert_int_equal(judge(&log, true, &all), MLS_OK);
    assert_int_equal(all.count, 1);
    assert_int_equal(all.items[0].records, 3);
    release(&all);
}

static void nothing_is_one_log(void **state)
{
    mls_buffer log = {0};
    runs all = {0};
    (void)state;
    mls_buffer_append_text(&log, "Beginning trial 1 of 1\nnothing\n");
    assert_int_equal(judge(&log, false, &all), MLS_OK);
    assert_int_equal(all.count, 1);
    assert_int_equal(all.items[0].line, 0);
    assert_false(all.items[0].valid);
    release(&all);
}

static void failure_ends_the_scan(void **state)
{
    mls_buffer log = {0};
    runs all = {.status = MLS_STOPPED};
    (void)state;
    for (int i = 0; i < 3; i++) {
        mls_buffer_append_text(&log, "Beginning trial 1 of 1\n");
        add(&log, i, "run_start");
    }
    assert_int_equal(judge(&log, false, &all), MLS_STOPPED);
    assert_int_equal(all.count, 1);
    release(&all);
}

/* ------------------------------------------------------- several sources */

/* The callbacks of a reading, in one line: "0:1-3 0:4-5p done0 done1! …". */
typedef struct reported_runs {
    mls_buffer text;
    size_t heard; /* records that the listener got */
    size_t stop_at;
} reported_runs;

static mls_status tell_run(void *state, size_t index, mls_run *run, void **notes)
{
    reported_runs *reported = state;
    (void)notes;
    mls_buffer_printf(&reported->text, "%zu:%zu-%zu%s%s ", index, run->line, run->last_line, run->part ? "p" : "",
                      run->valid ? "" : "!");
    return MLS_OK;
}

static mls_status tell_source(void *state, const mls_read *read)
{
    reported_runs *reported = state;
    mls_buffer_printf(&reported->text, "done%zu%s%s ", read->index, read->status != MLS_OK ? "!" : "",
                      read->totals.unread != NULL ? "?" : "");
    return reported->stop_at != 0 && read->index + 1 == reported->stop_at ? MLS_STOPPED : MLS_OK;
}

static mls_status hear(void *state, const mls_record *record)
{
    (void)record;
    ((reported_runs *)state)->heard++;
    return MLS_OK;
}

static mls_status listen(void *state, size_t index, mls_sink *sink)
{
    (void)index;
    *sink = (mls_sink){.state = state, .record = hear};
    return MLS_OK;
}

static void write_script(const char *path, const char *script, size_t times)
{
    mls_buffer log = script_log(script);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    for (size_t i = 0; i < times; i++)
        assert_int_equal(fwrite(log.ptr, 1, log.len, file), log.len);
    assert_int_equal(fclose(file), 0);
    mls_buffer_release(&log);
}

static void assert_reported(mls_reading reading, const char *const *paths, size_t count, size_t stop_at,
                            mls_status status, const char *expected)
{
    mls_sources sources = {0};
    reported_runs reported = {.stop_at = stop_at};
    reading.state = &reported;
    reading.run = tell_run;
    reading.done = tell_source;
    assert_int_equal(mls_sources_find(paths, count, &sources, NULL), MLS_OK);
    mls_buffer_append_text(&reported.text, "");
    assert_int_equal(mls_read_sources(&reading, sources.items, sources.count, NULL), status);
    assert_string_equal(reported.text.ptr, expected);
    mls_buffer_release(&reported.text);
    mls_sources_release(&sources);
}

static void runs_come_in_order_whatever_the_threads(void **state)
{
    static const char *const here[] = {"."};
    (void)state;
    write_script("a.log", "i1 I2 r3 e4 s5", 1);
    write_script("b.log", "i1 I2 r3 e4 s5 i11 I12 r13 e14 s15", 1);
    write_script("c.log", "- -", 1);
    write_script("result_0.txt", "i1 I2 r3 e4 s5 i11 I12 r13 e14 s15", 1);
    write_script("result_1.txt", "", 1);
    assert_int_equal(chmod("result_1.txt", 0), 0);
    for (unsigned threads = 1; threads < 4; threads++) {
        const mls_reading reading = {.work.threads = threads, .steps = true};
        assert_reported(reading, here, 1, 0, MLS_OK,
                        geteuid() == 0 ? "0:1-5 done0 1:1-5p 1:6-10p done1 done2 3:1-10 done3 4:0-0! done4 "
                                       : "0:1-5 done0 1:1-5p 1:6-10p done1 done2 3:1-10 done3 done4! ");
    }
    assert_reported((mls_reading){.cutting = MLS_CUT_ALWAYS}, here, 1, 4, MLS_STOPPED,
                    "0:1-5 done0 1:1-5p 1:6-10p done1 done2 3:1-5p 3:6-10p done3 ");
    assert_reported((mls_reading){.cutting = MLS_CUT_NEVER}, here, 1, 2, MLS_STOPPED, "0:1-5 done0 1:1-10 done1 ");
}

static void what_cannot_be_read_is_reported_and_the_rest_done(void **state)
{
    static const char *const paths[] = {"a.log", "gone.log", "zipped", "a.log"};
    (void)state;
    write_script("a.log", "i1 I2 r3 e4 s5", 1);
    FILE *file = fopen("zipped", "w");
    assert_non_null(file);
    assert_int_equal(fwrite("\xfd"
                            "7zXZ\0 and so on",
                            1, 16, file),
                     16);
    assert_int_equal(fclose(file), 0);
    mls_sources sources = {0};
    assert_int_equal(mls_sources_find(paths, 4, &sources, NULL), MLS_OK);
    assert_true(sources.items[1].failed && sources.items[1].skip != NULL);
    mls_sources_release(&sources);
    assert_reported((mls_reading){0}, paths, 4, 0, MLS_OK, "0:1-5 done0 done2? 3:1-5 done3 ");
}

/* A listener gets a file in order, with one thread or many.  40 MB are enough for all threads to share the file. */
static void a_listener_hears_every_record(void **state)
{
    static const char *const large[] = {"large.log"};
    mls_sources sources = {0};
    (void)state;
    write_script("large.log", "i1 I2 r3 e4/5=0.25 s5 '0: a line of noise that makes the file grow without records'",
                 60000);
    assert_int_equal(mls_sources_find(large, 1, &sources, NULL), MLS_OK);
    for (unsigned threads = 1; threads < 3; threads++) {
        reported_runs reported = {0};
        const mls_reading reading = {.work.threads = threads, .state = &reported, .listen = listen};
        assert_int_equal(mls_read_sources(&reading, sources.items, sources.count, NULL), MLS_OK);
        assert_int_equal(reported.heard, 300000);
    }
    mls_sources_release(&sources);
}

/* Two readers that wait until both have opened a file. */
typedef struct met_readers {
    const mls_sources *sources;
    pthread_mutex_t lock;
    pthread_cond_t came;
    size_t count; /* how many have opened one */
    bool alone;   /* one waited in vain */
    mls_buffer text;
} met_readers;

static int open_and_meet(void *state, size_t index)
{
    met_readers *met = state;
    struct timespec until;
    int waited = 0;
    (void)clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 60;
    (void)pthread_mutex_lock(&met->lock);
    met->count++;
    (void)pthread_cond_broadcast(&met->came);
    while (met->count < 2 && waited == 0)
        waited = pthread_cond_timedwait(&met->came, &met->lock, &until);
    met->alone |= waited != 0;
    (void)pthread_mutex_unlock(&met->lock);
    return mls_source_open(&met->sources->items[index], true);
}

static mls_status hear_apart(void *state, const mls_record *record)
{
    (void)record;
    ++*(size_t *)state;
    return MLS_OK;
}

static mls_status listen_apart(void *state, size_t index, mls_sink *sink)
{
    (void)state;
    (void)index;
    assert_int_equal(*(size_t *)sink->state, 0);
    sink->record = hear_apart;
    return MLS_OK;
}

static mls_status tell_heard(void *state, const mls_read *read)
{
    met_readers *met = state;
    mls_buffer_printf(&met->text, "%zu:%zu ", read->index, *(size_t *)read->listener_data);
    return MLS_OK;
}

/* Data of listeners are kept per file, so two files are read in parallel but reported in order. */
static void files_are_heard_side_by_side(void **state)
{
    static const char *const paths[] = {"five.log", "two.log", "three.log"};
    mls_sources sources = {0};
    met_readers met = {.sources = &sources};
    const mls_reading reading = {.work.threads = 2,
                                 .state = &met,
                                 .open = open_and_meet,
                                 .listen = listen_apart,
                                 .listener_size = sizeof(size_t),
                                 .parallel = true,
                                 .done = tell_heard};
    (void)state;
    write_script("five.log", "i1 I2 r3 e4 s5", 1);
    write_script("two.log", "i1 - I2", 1);
    write_script("three.log", "i1 I2 r3", 1);
    assert_int_equal(pthread_mutex_init(&met.lock, NULL), 0);
    assert_int_equal(pthread_cond_init(&met.came, NULL), 0);
    assert_int_equal(mls_sources_find(paths, 3, &sources, NULL), MLS_OK);
    assert_int_equal(mls_read_sources(&reading, sources.items, sources.count, NULL), MLS_OK);
    assert_false(met.alone);
    assert_string_equal(met.text.ptr, "0:5 1:2 2:3 ");
    mls_buffer_release(&met.text);
    mls_sources_release(&sources);
    (void)pthread_cond_destroy(&met.came);
    (void)pthread_mutex_destroy(&met.lock);
}

/* Notes on a run: the number of its records, and a byte that must be freed. */
typedef struct noted {
    size_t records;
    char *owned;
} noted;

static mls_status note_record(void *notes, const mls_record *record)
{
    noted *all = notes;
    (void)record;
    all->owned = all->owned != NULL ? all->owned : malloc(1);
    all->records++;
    return all->owned != NULL ? MLS_OK : MLS_ERROR_MEMORY;
}

static void note_release(void *notes)
{
    free(((noted *)notes)->owned);
}

static mls_status tell_notes(void *state, size_t index, mls_run *run, void **notes)
{
    (void)index;
    (void)run;
    mls_buffer_printf(&((reported_runs *)state)->text, "%zu ", ((const noted *)*notes)->records);
    return MLS_OK;
}

/* Each run has its own notes: about five, three and seven records. */
static void each_run_is_noted_by_itself(void **state)
{
    static const mls_observer observer = {.size = sizeof(noted), .record = note_record, .release = note_release};
    static const char *const path[] = {"three.log"};
    mls_sources sources = {0};
    reported_runs reported = {0};
    const mls_reading reading = {.observer = &observer, .state = &reported, .run = tell_notes};
    (void)state;
    write_script("three.log",
                 "i1 I2 r3 e4 s5 i11 I12 r13 i21 I22 r23 e24 e25 'RESULT,A,,1,b' "
                 "':::MLLOG {\"torn' e26 s27",
                 1);
    assert_int_equal(mls_sources_find(path, 1, &sources, NULL), MLS_OK);
    assert_int_equal(mls_read_sources(&reading, sources.items, sources.count, NULL), MLS_OK);
    assert_string_equal(reported.text.ptr, "5 3 7 ");
    mls_buffer_release(&reported.text);
    mls_sources_release(&sources);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_run_in_a_file),
        cmocka_unit_test(a_marker_starts_a_run),
        cmocka_unit_test(with_markers_times_do_not_cut),
        cmocka_unit_test(without_markers_times_cut),
        cmocka_unit_test(what_names_a_submission_behind_run_stop),
        cmocka_unit_test(logs_that_were_joined),
        cmocka_unit_test(ranks_that_all_log_their_start),
        cmocka_unit_test(a_whole_file_is_one_run),
        cmocka_unit_test(markers_tell_about_the_job),
        cmocka_unit_test(times_cut_by_rules),
        cmocka_unit_test(dead_run_gives_back),
        cmocka_unit_test(lines_cut_by_rules),
        cmocka_unit_test(whole_is_never_cut),
        cmocka_unit_test(nothing_is_one_log),
        cmocka_unit_test(failure_ends_the_scan),
        cmocka_unit_test_setup_teardown(runs_come_in_order_whatever_the_threads, enter_scratch, leave_scratch),
        cmocka_unit_test_setup_teardown(what_cannot_be_read_is_reported_and_the_rest_done, enter_scratch,
                                        leave_scratch),
        cmocka_unit_test_setup_teardown(a_listener_hears_every_record, enter_scratch, leave_scratch),
        cmocka_unit_test_setup_teardown(files_are_heard_side_by_side, enter_scratch, leave_scratch),
        cmocka_unit_test_setup_teardown(each_run_is_noted_by_itself, enter_scratch, leave_scratch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
