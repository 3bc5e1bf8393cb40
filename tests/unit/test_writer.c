/* SPDX-License-Identifier: Apache-2.0 */
/* The log writer: layout as from Python, reading back, many processes, full disks. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/buffer.h"
#include "base/file.h"
#include "base/memory.h"
#include "log/log.h"
#include "mlscore/write.h"
#include "scratch.h"
#include "json/dump.h"
#include "json/value.h"

static int enter(void **state)
{
    (void)signal(SIGPIPE, SIG_IGN);
    (void)signal(SIGXFSZ, SIG_IGN);
    return enter_scratch(state);
}

static mls_log_writer *writer_to(const char *path)
{
    mls_log_writer *writer = NULL;
    assert_int_equal(mls_log_writer_new(&writer, NULL), MLS_OK);
    if (path != NULL)
        assert_int_equal(mls_log_writer_add_file(writer, path, NULL), MLS_OK);
    return writer;
}

/* Return the content of a file, and remove the file. */
static mls_buffer take(const char *path)
{
    mls_buffer text = {0};
    assert_int_equal(mls_file_read(path, true, (size_t)64 << 20, &text, NULL), MLS_OK);
    assert_int_equal(unlink(path), 0);
    return text;
}

static void assert_took(const char *path, const char *expected)
{
    mls_buffer text = take(path);
    assert_string_equal(text.ptr != NULL ? text.ptr : "", expected);
    mls_buffer_release(&text);
}

/* ------------------------------------------------------------------ layout */

static void a_record_is_as_the_python_logger_has_it(void **state)
{
    mls_log_writer *writer = writer_to("log");
    (void)state;
    mls_log_writer_put_time(writer, 1745066917961);
    assert_int_equal(mls_log_writer_record(writer, MLS_LOG_START, MLS_LOG_KEY_RUN_START, "a/train.py", 83, NULL),
                     MLS_OK);
    mls_log_writer_namespace(writer, "worker\"1");
    mls_log_writer_put_time(writer, 1745066917962);
    mls_log_writer_put_number(writer, NULL, 1);
    mls_log_writer_put_integer(writer, "epoch_num", 1);
    mls_log_writer_put_text(writer, "lineno", "none");
    mls_log_writer_put_bool(writer, "epoch_num", false);
    mls_log_writer_put_text(writer, "what", NULL);
    assert_int_equal(mls_log_writer_record(writer, MLS_LOG_END, "eval_accuracy", "b.py", 1, NULL), MLS_OK);
    mls_log_writer_put_time(writer, 0);
    mls_log_writer_put_word(writer, NULL, " [1,2] ");
    mls_log_writer_put_word(writer, "a", "[1,2");
    mls_log_writer_put_json(writer, "file", "{}");
    assert_int_equal(mls_log_writer_record(writer, MLS_LOG_POINT, "k", NULL, 0, NULL), MLS_OK);
    assert_int_equal(mls_log_writer_close(writer, NULL), MLS_OK);
    mls_log_writer_free(writer);
    assert_took("log",
                ":::MLLOG {\"namespace\": \"\", \"time_ms\": 1745066917961, \"event_type\": \"INTERVAL_START\", "
                "\"key\": \"run_start\", \"value\": null, \"metadata\": {\"file\": \"a/train.py\", \"lineno\": 83}}\n"
                ":::MLLOG {\"namespace\": \"worker\\\"1\", \"time_ms\": 1745066917962, \"event_type\": "
                "\"INTERVAL_END\", \"key\": \"eval_accuracy\", \"value\": 1.0, \"metadata\": {\"file\": \"b.py\", "
                "\"lineno\": \"none\", \"epoch_num\": false, \"what\": null}}\n"
                ":::MLLOG {\"namespace\": \"worker\\\"1\", \"time_ms\": 0, \"event_type\": \"POINT_IN_TIME\", \"key\": "
                "\"k\", \"value\": [1, 2], \"metadata\": {\"a\": \"[1,2\", \"file\": {}}}\n");
}

/* Each as json.dumps() of Python 3.11 prints it. */
static void values_are_as_python_prints_them(void **state)
{
    static const struct {
        const char *json, *expected;
    } rows[] = {
        {"1", "1"},
        {"-0", "0"},
        {"-0.0", "-0.0"},
        {"123456789012345678901234567890", "123456789012345678901234567890"},
        {"1e400", "Infinity"},
        {"[NaN,Infinity,-Infinity]", "[NaN, Infinity, -Infinity]"},
        {"1E2", "100.0"},
        {"0.0001", "0.0001"},
        {"0.00001", "1e-05"},
        {"1e-8", "1e-08"},
        {"1e15", "1000000000000000.0"},
        {"9007199254740993.0", "9007199254740992.0"},
        {"1e16", "1e+16"},
        {"1.5e300", "1.5e+300"},
        {"5e-324", "5e-324"},
        {"2.2250738585072014e-308", "2.2250738585072014e-308"},
        {"0.1", "0.1"},
        {"0.30000000000000004", "0.30000000000000004"},
        {"8.888888888888889e-05", "8.888888888888889e-05"},
        {"7.1202363472230444e-307",
         "7.120236347223045e-307"}, /* 2**-1017: the nearest 16 digits read back as another */
        {"123.456", "123.456"},
        {"[ ]", "[]"},
        {"{ }", "{}"},
        {"{\"a\":[1,{\"b\":null}],\"\":true}", "{\"a\": [1, {\"b\": null}], \"\": true}"},
        {"[[],[[]],{}]", "[[], [[]], {}]"},
        {"\"\\/\\b\\f\\n\\r\\t\\\"\\\\\"", "\"/\\b\\f\\n\\r\\t\\\"\\\\\""},
        {"\"\\u0041\\u00E9\\u0000\\u007f~\"", "\"A\\u00e9\\u0000\\u007f~\""},
        {"\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\"", "\"\\u00e9\\u20ac\\ud83d\\ude00\""},
        {"\"\\ud83d\\ude00\\ud83d\"", "\"\\ud83d\\ude00\\ud83d\""},
        {"{\"\xc3\xa9\":1}", "{\"\\u00e9\": 1}"},
        {"\"\xff\xc3\"", "\"\\udcff\\udcc3\""}, /* bytes that are not UTF-8, as Python represents them in arguments */
        {" \"a\" ", "\"a\""},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        mls_arena arena = {0};
        mls_buffer text = {0};
        mls_str json;
        size_t where;
        assert_null(mls_json_validate(mls_str_from(rows[i].json), &arena, &json, &where));
        mls_dump_json(&text, json);
        assert_string_equal(text.ptr, rows[i].expected);
        mls_buffer_release(&text);
        mls_arena_release(&arena);
    }
}

/* Compare the value of a record with a text. */
static mls_status compare_value(void *state, const mls_record *record)
{
    mls_arena arena = {0};
    mls_str text;
    assert_true(mls_json_string(record->value, &arena, &text));
    assert_string_equal(text.ptr, state);
    assert_false(record->torn);
    mls_arena_release(&arena);
    return MLS_OK;
}

static void a_text_cannot_break_a_line_or_begin_a_record(void **state)
{
    static char texts[][60] = {":::MLLOG {}", "x:::MLLOG :::MLLOG ", "a\nb\r\n:::MLLOG {\"key\": 1}", "\\:::MLLOG \"",
                               ""};
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        mls_log_writer *writer = writer_to("log");
        mls_log_totals totals = {0};
        mls_log_writer_put_text(writer, NULL, texts[i]);
        mls_log_writer_put_text(writer, texts[i], texts[i]);
        assert_int_equal(mls_log_writer_event(writer, "key :::MLLOG ", NULL), MLS_OK);
        mls_log_writer_free(writer);
        mls_buffer text = take("log");
        const mls_sink sink = {.state = texts[i], .record = compare_value};
        assert_int_equal(mls_log_scan_bytes(mls_buffer_str(&text), &sink, 1, &totals, NULL), MLS_OK);
        assert_int_equal(totals.records, 1);
        assert_int_equal(totals.lines, 1);
        assert_int_equal(totals.malformed, 0);
        mls_buffer_release(&text);
    }
}

/* -------------------------------------------------------------------- errors */

static void what_is_wrong_is_said_by_the_record_and_forgotten(void **state)
{
    mls_log_writer *writer = writer_to(NULL);
    mls_error error = {0};
    (void)state;
    assert_int_equal(mls_log_writer_event(writer, "k", &error), MLS_ERROR_VALUE);
    assert_int_equal(mls_log_writer_add_file(writer, "missing/log", &error), MLS_ERROR_WRITE);
    assert_int_equal(error.system_errno, ENOENT);
    assert_non_null(strstr(error.message, "missing/log"));
    assert_int_equal(mls_log_writer_add_file(writer, "log", NULL), MLS_OK);
    assert_int_equal(mls_log_writer_event(writer, "", &error), MLS_ERROR_VALUE);
    assert_int_equal(mls_log_writer_record(writer, (mls_log_event)3, "k", NULL, 0, &error), MLS_ERROR_VALUE);
    mls_log_writer_put_json(writer, "samples", "{\"a\":}");
    mls_log_writer_put_json(writer, "other", "[");
    assert_int_equal(mls_log_writer_event(writer, "k", &error), MLS_ERROR_SYNTAX);
    assert_string_equal(error.message, "the JSON of 'samples' is wrong: expected a value");
    mls_log_writer_put_time(writer, 5);
    assert_int_equal(mls_log_writer_record(writer, MLS_LOG_POINT, "k", NULL, 0, NULL), MLS_OK);
    mls_log_writer_free(writer);
    mls_log_writer_free(NULL);
    assert_took("log", ":::MLLOG {\"namespace\": \"\", \"time_ms\": 5, \"event_type\": \"POINT_IN_TIME\", \"key\": "
                       "\"k\", \"value\": null, \"metadata\": {}}\n");
}

/* All that is written can be read: it is not deeper or longer than the reader allows. */
static void limits_are_those_of_reading(void **state)
{
    static char deep[2 * MLS_JSON_DEPTH_MAX + 1];
    (void)state;
    for (size_t depth = MLS_JSON_DEPTH_MAX - 2; depth < MLS_JSON_DEPTH_MAX; depth++) {
        mls_log_writer *writer = writer_to("log");
        mls_log_totals totals;
        const bool good = depth == MLS_JSON_DEPTH_MAX - 2;
        memset(deep, '[', depth);
        memset(deep + depth, ']', depth);
        deep[2 * depth] = '\0';
        mls_log_writer_put_json(writer, "deep", deep);
        assert_int_equal(mls_log_writer_event(writer, "k", NULL), good ? MLS_OK : MLS_ERROR_SYNTAX);
        mls_log_writer_free(writer);
        mls_buffer text = take("log");
        assert_int_equal(mls_log_scan_bytes(mls_buffer_str(&text), NULL, 0, &totals, NULL), MLS_OK);
        assert_int_equal(totals.records, good ? 1 : 0);
        assert_int_equal(totals.malformed, 0);
        mls_buffer_release(&text);
    }
    mls_log_writer *writer = writer_to("log");
    mls_buffer large = {0};
    mls_buffer_append_repeated(&large, 'a', MLS_RECORD_LENGTH_MAX);
    mls_log_writer_put_text(writer, NULL, large.ptr);
    assert_int_equal(mls_log_writer_event(writer, "k", NULL), MLS_ERROR_LIMIT);
    mls_log_writer_free(writer);
    assert_took("log", "");
    mls_buffer_release(&large);
}

static size_t lines_of(const char *path)
{
    mls_log_totals totals;
    mls_buffer text = take(path);
    assert_int_equal(mls_log_scan_bytes(mls_buffer_str(&text), NULL, 0, &totals, NULL), MLS_OK);
    assert_int_equal(totals.records, totals.lines);
    mls_buffer_release(&text);
    return totals.lines;
}

static void never_called(void)
{
    fail_msg("the writer asked for memory that may end the program");
}

/* AddressSanitizer needs much memory, so no limit can be set. */
#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZED 1
#endif
#endif

static void limit_memory(const struct rlimit *limit)
{
#ifdef SANITIZED
    (void)limit;
#else
    assert_int_equal(setrlimit(RLIMIT_AS, limit), 0);
#endif
}

/* After it is opened, a writer needs no more memory; records beyond its buffer are errors. */
static void nothing_is_allocated_after_it_was_opened(void **state)
{
    enum { MEMBERS_MAX = 4096 };
    struct rlimit before;
    char name[16];
    (void)state;
    mls_buffer text = {0};
    mls_buffer_append_repeated(&text, '\x7f', MLS_RECORD_LENGTH_MAX / 6 - 4096);
    mls_log_writer *writer = writer_to("log");
    mls_set_no_memory_handler(never_called);
    assert_int_equal(getrlimit(RLIMIT_AS, &before), 0);
    limit_memory(&(struct rlimit){0, before.rlim_max});
    mls_log_writer_put_text(writer, NULL, text.ptr); /* each byte becomes six */
    mls_log_writer_put_json(writer, "list", "[1e15, {\"a\": 1e-9}]");
    const mls_status largest = mls_log_writer_event(writer, "k", NULL);
    mls_log_writer_put_text(writer, "a", text.ptr);
    mls_log_writer_put_text(writer, "b", text.ptr);
    mls_log_writer_put_text(writer, "c", text.ptr);
    const mls_status larger = mls_log_writer_event(writer, "k", NULL);
    for (int i = 0; i <= MEMBERS_MAX; i++) {
        (void)snprintf(name, sizeof name, "m%d", i);
        mls_log_writer_put_integer(writer, name, i);
    }
    const mls_status more = mls_log_writer_event(writer, "k", NULL);
    mls_log_writer_namespace(writer, text.ptr);
    const mls_status space = mls_log_writer_event(writer, "k", NULL);
    mls_log_writer_namespace(writer, "n");
    const mls_status last = mls_log_writer_event(writer, "k", NULL);
    limit_memory(&before);
    assert_int_equal(largest, MLS_OK);
    assert_int_equal(larger, MLS_ERROR_LIMIT);
    assert_int_equal(more, MLS_ERROR_LIMIT);
    assert_int_equal(space, MLS_ERROR_LIMIT);
    assert_int_equal(last, MLS_OK);
    mls_log_writer_free(writer);
    assert_int_equal(lines_of("log"), 2);
#ifndef SANITIZED /* which ends the program itself */
    /* Opening a writer without memory returns an error. */
    assert_int_equal(setrlimit(RLIMIT_AS, &(struct rlimit){0, before.rlim_max}), 0);
    const mls_status without = mls_log_writer_new(&writer, NULL);
    assert_int_equal(setrlimit(RLIMIT_AS, &before), 0);
    assert_int_equal(without, MLS_ERROR_MEMORY);
    assert_null(writer);
#endif
    mls_set_no_memory_handler(NULL);
    mls_buffer_release(&text);
}

/* -------------------------------------------------------------------- ranks */

static void only_one_rank_writes(void **state)
{
    static const struct {
        const char *rank, *pmix, *slurm;
        long own, wanted;
        mls_status status;
        bool writes;
    } rows[] = {
        {NULL, NULL, NULL, -1, 0, MLS_OK, true},
        {NULL, NULL, NULL, -1, 1, MLS_OK, false},
        {NULL, NULL, NULL, 3, 3, MLS_OK, true},
        {NULL, NULL, "2", -1, 2, MLS_OK, true},
        {NULL, NULL, "2", -1, 0, MLS_OK, false},
        {NULL, "5", "0", -1, 5, MLS_OK, true}, /* mpirun in one task */
        {"7", "5", "0", -1, 7, MLS_OK, true},
        {"7", NULL, "0", 0, 0, MLS_OK, true}, /* a rank that is given takes precedence */
        {"", NULL, "0", -1, 0, MLS_ERROR_VALUE, true},
        {NULL, NULL, "1 ", -1, 0, MLS_ERROR_VALUE, true},
        {NULL, NULL, NULL, -1, -1, MLS_ERROR_VALUE, true},
    };
    static const char *const names[] = {"RANK", "PMIX_RANK", "SLURM_PROCID"};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *const values[] = {rows[i].rank, rows[i].pmix, rows[i].slurm};
        for (size_t k = 0; k < 3; k++)
            assert_int_equal(values[k] != NULL ? setenv(names[k], values[k], 1) : unsetenv(names[k]), 0);
        mls_log_writer *writer = writer_to(NULL);
        assert_int_equal(mls_log_writer_only_rank(writer, rows[i].wanted, rows[i].own, NULL), rows[i].status);
        assert_int_equal(mls_log_writer_add_file(writer, "log", NULL), MLS_OK);
        assert_int_equal(mls_log_writer_event(writer, "k", NULL), MLS_OK);
        mls_log_writer_free(writer);
        assert_int_equal(access("log", F_OK) == 0, rows[i].writes);
        assert_true(!rows[i].writes || lines_of("log") == 1);
    }
}

/* ------------------------------------------------------------ many writers */

enum { PROCESSES = 8, RECORDS = 400 };

/* Records whose content follows from their length: some longer than a page or a pipe's atomic write. */
static _Noreturn void write_many(mls_log_writer *writer, int process, size_t longest)
{
    static char text[30000];
    bool ok = true;
    for (int i = 0; i < RECORDS && ok; i++) {
        const size_t length = (size_t)(i * 7919 + process * 104729) % longest;
        memset(text, 'a' + process, length);
        text[length] = '\0';
        mls_log_writer_put_text(writer, NULL, text);
        mls_log_writer_put_integer(writer, "process", process);
        mls_log_writer_put_integer(writer, "number", i);
        mls_log_writer_put_integer(writer, "length", (int64_t)length);
        ok = mls_log_writer_event(writer, "k", NULL) == MLS_OK;
    }
    _exit(ok && mls_log_writer_close(writer, NULL) == MLS_OK ? 0 : 1);
}

typedef struct many_seen {
    int next[PROCESSES];
    size_t records;
} many_seen;

/* All records of each process are complete and in order. */
static mls_status count_record(void *state, const mls_record *record)
{
    many_seen *seen = state;
    double members[3];
    static const char *const names[] = {"process", "number", "length"};
    for (size_t k = 0; k < 3; k++) {
        mls_str span;
        assert_true(mls_json_member(record->metadata, mls_str_from(names[k]), &span));
        assert_true(mls_json_number(span, &members[k]));
    }
    const int process = (int)members[0];
    assert_in_range(process, 0, PROCESSES - 1);
    assert_int_equal(seen->next[process]++, (int)members[1]);
    assert_int_equal(record->value.len, (size_t)members[2] + 2);
    assert_int_equal(record->prefix.len, 0);
    for (size_t i = 1; i + 1 < record->value.len; i++)
        assert_int_equal(record->value.ptr[i], 'a' + process);
    seen->records++;
    return MLS_OK;
}

static void wait_for_all(const pid_t *processes)
{
    for (int i = 0; i < PROCESSES; i++) {
        int status = -1;
        assert_int_equal(waitpid(processes[i], &status, 0), processes[i]);
        assert_int_equal(status, 0);
    }
}

static void processes_do_not_tear_each_others_lines(void **state)
{
    pid_t processes[PROCESSES];
    many_seen seen = {0};
    mls_log_totals totals;
    (void)state;
    for (int i = 0; i < PROCESSES; i++) {
        processes[i] = fork();
        assert_true(processes[i] >= 0);
        if (processes[i] == 0) {
            mls_log_writer *writer = NULL;
            if (mls_log_writer_new(&writer, NULL) != MLS_OK || mls_log_writer_add_file(writer, "log", NULL) != MLS_OK)
                _exit(2);
            write_many(writer, i, 30000);
        }
    }
    wait_for_all(processes);
    mls_buffer text = take("log");
    const mls_sink sink = {.state = &seen, .record = count_record};
    assert_int_equal(mls_log_scan_bytes(mls_buffer_str(&text), &sink, 1, &totals, NULL), MLS_OK);
    mls_buffer_release(&text);
    assert_int_equal(seen.records, PROCESSES * RECORDS);
    assert_int_equal(totals.lines, PROCESSES * RECORDS);
    assert_int_equal(totals.malformed, 0);
}

/* A pipe takes up to a page atomically. If it is full and non-blocking, the writer waits. */
static void pipes_keep_short_lines_whole(void **state)
{
    int ends[2];
    pid_t processes[PROCESSES];
    many_seen seen = {0};
    mls_log_totals totals;
    (void)state;
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(fcntl(ends[1], F_SETFL, O_NONBLOCK), 0);
    for (int i = 0; i < PROCESSES; i++) {
        processes[i] = fork();
        assert_true(processes[i] >= 0);
        if (processes[i] == 0) {
            mls_log_writer *writer = NULL;
            (void)close(ends[0]);
            if (mls_log_writer_new(&writer, NULL) != MLS_OK || mls_log_writer_add_fd(writer, ends[1], NULL) != MLS_OK)
                _exit(2);
            write_many(writer, i, 3500);
        }
    }
    (void)close(ends[1]);
    const mls_sink sink = {.state = &seen, .record = count_record};
    assert_int_equal(mls_log_scan_fd(ends[0], NULL, &sink, 1, &totals, NULL), MLS_OK);
    (void)close(ends[0]);
    wait_for_all(processes);
    assert_int_equal(seen.records, PROCESSES * RECORDS);
    assert_int_equal(totals.lines, PROCESSES * RECORDS);
}

/* ------------------------------------------------------------------- full disks */

static void a_place_that_fails_is_named_and_the_others_get_the_line(void **state)
{
    mls_log_writer *writer = writer_to("one");
    mls_error error = {0};
    int ends[2];
    (void)state;
    assert_int_equal(pipe(ends), 0);
    (void)close(ends[0]);
    assert_int_equal(mls_log_writer_add_file(writer, "/dev/full", NULL), MLS_OK);
    assert_int_equal(mls_log_writer_add_fd(writer, ends[1], NULL), MLS_OK);
    assert_int_equal(mls_log_writer_add_file(writer, "two", NULL), MLS_OK);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(mls_log_writer_event(writer, "k", &error), MLS_ERROR_WRITE);
        assert_int_equal(error.system_errno, ENOSPC);
        assert_string_equal(error.message, "cannot write '/dev/full': No space left on device");
    }
    mls_log_writer_free(writer);
    /* The descriptor stays open, as it belongs to the caller. */
    assert_int_equal(close(ends[1]), 0);
    assert_int_equal(lines_of("one"), 3);
    assert_int_equal(lines_of("two"), 3);
}

static void a_line_that_was_cut_is_ended_before_the_next(void **state)
{
    static const char line[] = ":::MLLOG {\"namespace\": \"\", \"time_ms\": 5, \"event_type\": \"POINT_IN_TIME\", "
                               "\"key\": \"k\", \"value\": null, \"metadata\": {}}\n";
    struct rlimit before;
    mls_log_writer *writer = writer_to("log");
    mls_buffer expected = {0};
    (void)state;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    const rlim_t cut = sizeof line - 1 + 40;
    const struct rlimit small = {cut, before.rlim_max};
    for (int i = 0; i < 4; i++) {
        mls_error error = {0};
        const bool full = i == 1 || i == 2;
        assert_int_equal(setrlimit(RLIMIT_FSIZE, i == 1 ? &small : &before), 0);
        assert_int_equal(setrlimit(RLIMIT_FSIZE, full ? &small : &before), 0);
        mls_log_writer_put_time(writer, 5);
        assert_int_equal(mls_log_writer_record(writer, MLS_LOG_POINT, "k", NULL, 0, &error),
                         full ? MLS_ERROR_WRITE : MLS_OK);
        assert_int_equal(error.system_errno, full ? EFBIG : 0);
    }
    assert_int_equal(mls_log_writer_close(writer, NULL), MLS_OK);
    mls_log_writer_free(writer);
    mls_buffer_printf(&expected, "%s%.40s\n%s", line, line, line);
    assert_took("log", expected.ptr);
    mls_buffer_release(&expected);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_record_is_as_the_python_logger_has_it),
        cmocka_unit_test(values_are_as_python_prints_them),
        cmocka_unit_test(a_text_cannot_break_a_line_or_begin_a_record),
        cmocka_unit_test(what_is_wrong_is_said_by_the_record_and_forgotten),
        cmocka_unit_test(limits_are_those_of_reading),
        cmocka_unit_test(nothing_is_allocated_after_it_was_opened),
        cmocka_unit_test(only_one_rank_writes),
        cmocka_unit_test(processes_do_not_tear_each_others_lines),
        cmocka_unit_test(pipes_keep_short_lines_whole),
        cmocka_unit_test(a_place_that_fails_is_named_and_the_others_get_the_line),
        cmocka_unit_test(a_line_that_was_cut_is_ended_before_the_next),
    };
    return cmocka_run_group_tests(tests, enter, leave_scratch);
}
