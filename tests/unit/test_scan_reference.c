/* SPDX-License-Identifier: Apache-2.0 */
/* The scanner compared with a slow and simple one, and with positions determined by hand.
 * test_scan_reference_plain.c runs the same tests without SIMD. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "log/log.h"

#define REC "{\"time_ms\":1,\"key\":\"a\",\"value\":2,\"metadata\":null}"
#define USUAL                                                                                                          \
    "{\"namespace\": \"\", \"time_ms\": 1745066917961, \"event_type\": \"POINT_IN_TIME\", \"key\": \"seed\", "         \
    "\"value\": 7, \"metadata\": {\"file\": \"x.py\", \"lineno\": 3}}"

enum { BLOCK = 256 * 1024 };

/* ------------------------------------------------- what a scan has seen */

typedef struct seen {
    mls_buffer text;
    size_t stop_after; /* records; 0: never */
    size_t records;
} seen;

static mls_status see_record(void *state, const mls_record *record)
{
    seen *s = state;
    mls_buffer_printf(&s->text, "R%zu:%zu %.17g p%zu l%zu ", record->line, record->column, record->time_ms,
                      record->prefix.len, record->payload.len);
    mls_buffer_append(&s->text, record->key);
    mls_buffer_append_text(&s->text, record->torn ? " torn\n" : "\n");
    return ++s->records == s->stop_after ? MLS_STOPPED : MLS_OK;
}

static mls_status see_malformed(void *state, const mls_malformed *malformed)
{
    seen *s = state;
    mls_buffer_printf(&s->text, "M%zu%s\n", malformed->line, malformed->torn ? " torn" : "");
    return MLS_OK;
}

static mls_status see_marker(void *state, const mls_marker *marker)
{
    seen *s = state;
    mls_buffer_printf(&s->text, "K%zu %d ", marker->line, (int)marker->kind);
    mls_buffer_append(&s->text, marker->text);
    mls_buffer_append_char(&s->text, '\n');
    return MLS_OK;
}

static void see_totals(mls_buffer *text, const mls_log_totals *t)
{
    mls_buffer_printf(text, "E bytes %zu lines %zu records %zu malformed %zu torn %zu%s\n", (size_t)t->bytes, t->lines,
                      t->records, t->malformed, t->torn, t->binary ? " binary" : "");
}

static mls_status see_end(void *state, const mls_log_totals *totals)
{
    seen *s = state;
    see_totals(&s->text, totals);
    return MLS_OK;
}

static mls_sink sink_of(seen *s)
{
    return (mls_sink){
        .state = s, .record = see_record, .malformed = see_malformed, .marker = see_marker, .end = see_end};
}

/* ------------------------------------------------------ the slow scanner */

static bool blank(unsigned char c)
{
    return c == ' ' || (c >= 9 && c <= 13) || (c >= 0x1c && c <= 0x1f) || c == 0x85 || c == 0xa0;
}

static void slow_marker(mls_buffer *text, size_t number, mls_str line)
{
    static const char *const words[] = {"Beginning trial ",  "EXPERIMENT_START ", "EXPERIMENT_STOP ",
                                        "RUNANDTIME_START ", "RUNANDTIME_STOP ",  ":::DLPAL ",
                                        ":::SYSJSON ",       ":::GITCOMMITID ",   "RESULT,"};
    size_t i = 0;
    while (i < line.len && line.ptr[i] == ' ')
        i++;
    const size_t digits = i;
    while (i < line.len && line.ptr[i] >= '0' && line.ptr[i] <= '9')
        i++;
    if (i > digits && i + 1 < line.len && line.ptr[i] == ':' && line.ptr[i + 1] == ' ')
        line = (mls_str){line.ptr + i + 2, line.len - i - 2};
    for (size_t k = 0; k < sizeof words / sizeof *words; k++) {
        const mls_str word = mls_str_from(words[k]);
        if (!mls_str_starts(line, word))
            continue;
        if (k < 2 && (line.len == word.len || line.ptr[word.len] < '0' || line.ptr[word.len] > '9'))
            return;
        mls_buffer_printf(text, "K%zu %d ", number, (int)k);
        mls_buffer_append(text, line);
        mls_buffer_append_char(text, '\n');
        return;
    }
}

static void slow_line(mls_buffer *text, size_t number, mls_str line, mls_log_totals *totals)
{
    static const mls_str mllog = MLS_STR(":::MLLOG ");
    size_t last = 0;
    size_t count = 0;
    for (size_t i = 0; i + mllog.len <= line.len; i++) {
        if (memcmp(line.ptr + i, mllog.ptr, mllog.len) == 0) {
            last = i;
            count++;
        }
    }
    if (count == 0) {
        slow_marker(text, number, line);
        return;
    }
    size_t begin = last + mllog.len;
    size_t end = line.len;
    while (begin < end && line.ptr[begin] != '\0' && strchr(" \t\r\n", line.ptr[begin]) != NULL)
        begin++;
    while (end > begin && blank((unsigned char)line.ptr[end - 1]))
        end--;
    mls_arena arena = {0};
    mls_record record;
    size_t where;
    totals->torn += count > 1;
    if (mls_record_validate((mls_str){line.ptr + begin, end - begin}, &record, &arena, &where) == NULL) {
        totals->records++;
        mls_buffer_printf(text, "R%zu:%zu %.17g p%zu l%zu ", number, begin + 1, record.time_ms, last, end - begin);
        mls_buffer_append(text, record.key);
        mls_buffer_append_text(text, count > 1 ? " torn\n" : "\n");
    } else {
        totals->malformed++;
        mls_buffer_printf(text, "M%zu%s\n", number, count > 1 ? " torn" : "");
    }
    mls_arena_release(&arena);
}

static void slow_scan(mls_str bytes, mls_buffer *text)
{
    mls_log_totals totals = {.bytes = bytes.len};
    for (size_t at = 0; at < bytes.len;) {
        size_t end = at;
        while (end < bytes.len && bytes.ptr[end] != '\n' && bytes.ptr[end] != '\r')
            end++;
        slow_line(text, ++totals.lines, (mls_str){bytes.ptr + at, end - at}, &totals);
        at = end + 1;
        at += end + 1 < bytes.len && bytes.ptr[end] == '\r' && bytes.ptr[end + 1] == '\n';
    }
    const size_t sniffed = bytes.len < 4096 ? bytes.len : 4096;
    totals.binary = sniffed > 0 && memchr(bytes.ptr, 0, sniffed) != NULL && totals.records + totals.malformed == 0;
    see_totals(text, &totals);
}

/* ------------------------------------------------------------- comparing */

static int file_of(mls_str bytes)
{
    const int fd = memfd_create("log", 0);
    assert_true(fd >= 0);
    for (size_t at = 0; at < bytes.len;) {
        const ssize_t wrote = write(fd, bytes.ptr + at, bytes.len - at);
        assert_true(wrote > 0);
        at += (size_t)wrote;
    }
    assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
    return fd;
}

static void assert_same(const mls_buffer *expected, const mls_buffer *got, const char *what)
{
    if (expected->len != got->len || memcmp(expected->ptr, got->ptr, got->len) != 0) {
        size_t at = 0;
        while (expected->ptr[at] == got->ptr[at])
            at++;
        at = at > 60 ? at - 60 : 0;
        fail_msg("%s\nexpected …%.200s\ngot      …%.200s", what, expected->ptr + at, got->ptr + at);
    }
}

static void assert_fd(const mls_buffer *expected, mls_str bytes, unsigned threads)
{
    seen s = {0};
    const mls_sink sink = sink_of(&s);
    const mls_scan_options options = {.threads = threads};
    const int fd = file_of(bytes);
    assert_int_equal(mls_log_scan_fd(fd, &options, &sink, 1, NULL, NULL), MLS_OK);
    (void)close(fd);
    assert_same(expected, &s.text, "from a file");
    mls_buffer_release(&s.text);
}

static void assert_scan_gives(mls_str bytes, const mls_buffer *expected)
{
    seen s = {0};
    const mls_sink sink = sink_of(&s);
    assert_int_equal(mls_log_scan_bytes(bytes, &sink, 1, NULL, NULL), MLS_OK);
    assert_same(expected, &s.text, "from memory");
    mls_buffer_release(&s.text);
}

static void assert_scan(mls_str bytes, const char *expected)
{
    mls_buffer text = {0};
    mls_buffer_append_text(&text, expected);
    assert_scan_gives(bytes, &text);
    assert_fd(&text, bytes, 1);
    mls_buffer_clear(&text);
    slow_scan(bytes, &text);
    assert_string_equal(text.ptr, expected);
    mls_buffer_release(&text);
}

static void assert_like_slow(mls_str bytes)
{
    mls_buffer expected = {0};
    slow_scan(bytes, &expected);
    assert_scan_gives(bytes, &expected);
    mls_buffer_release(&expected);
}

/* -------------------------------------------------------------- by hand */

static void lines_end_in_three_ways(void **state)
{
    (void)state;
    assert_scan(MLS_S(""), "E bytes 0 lines 0 records 0 malformed 0 torn 0\n");
    assert_scan(MLS_S("\n"), "E bytes 1 lines 1 records 0 malformed 0 torn 0\n");
    assert_scan(MLS_S("\r"), "E bytes 1 lines 1 records 0 malformed 0 torn 0\n");
    assert_scan(MLS_S("\r\n"), "E bytes 2 lines 1 records 0 malformed 0 torn 0\n");
    assert_scan(MLS_S("\r\r\n"), "E bytes 3 lines 2 records 0 malformed 0 torn 0\n");
    assert_scan(MLS_S("\n\r"), "E bytes 2 lines 2 records 0 malformed 0 torn 0\n");
    assert_scan(MLS_S("\r\n\n\r\r"), "E bytes 5 lines 4 records 0 malformed 0 torn 0\n");
    assert_scan(MLS_S("x"), "E bytes 1 lines 1 records 0 malformed 0 torn 0\n");
    assert_scan(MLS_S("a\rb\n:::MLLOG " REC "\r\nc\r:::MLLOG " REC),
                "R3:10 1 p0 l49 a\nR5:10 1 p0 l49 a\nE bytes 124 lines 5 records 2 malformed 0 torn 0\n");
}

static void the_last_mllog_of_a_line_counts(void **state)
{
    (void)state;
    assert_scan(MLS_S("0: :::MLLOG " REC "\n"), "R1:13 1 p3 l49 a\nE bytes 62 lines 1 records 1 malformed 0 torn 0\n");
    assert_scan(MLS_S(":::MLLOG " REC " :::MLLOG " REC "\n"),
                "R1:69 1 p59 l49 a torn\nE bytes 118 lines 1 records 1 malformed 0 torn 1\n");
    assert_scan(MLS_S(":::MLLOG {\"key\": :::MLLOG x\n"), "M1 torn\nE bytes 28 lines 1 records 0 malformed 1 torn 1\n");
    assert_scan(MLS_S("::::MLLOG " REC "\n:::::::MLLOG \t " REC "\n:::MLLOG" REC "\n:::mllog " REC "\n"),
                "R1:11 1 p1 l49 a\nR2:16 1 p4 l49 a\nE bytes 242 lines 4 records 2 malformed 0 torn 0\n");
    assert_scan(MLS_S(":::MLLOG \n:::MLLOG "), "M1\nM2\nE bytes 19 lines 2 records 0 malformed 2 torn 0\n");
    assert_scan(MLS_S(":::MLLOG :::MLLOG \n"), "M1 torn\nE bytes 19 lines 1 records 0 malformed 1 torn 1\n");
}

static void white_space_around_a_record_is_pythons(void **state)
{
    (void)state;
    assert_scan(MLS_S(":::MLLOG \t " REC " \xa0\x85\x1f\x1e\x1d\x1c\f\v\t\n"),
                "R1:12 1 p0 l49 a\nE bytes 71 lines 1 records 1 malformed 0 torn 0\n");
    /* Only JSON whitespace may precede the object. */
    assert_scan(MLS_S(":::MLLOG \v" REC "\n:::MLLOG \x1c" REC "\n:::MLLOG \x85" REC "\n:::MLLOG \xa0" REC "\n"),
                "M1\nM2\nM3\nM4\nE bytes 240 lines 4 records 0 malformed 4 torn 0\n");
    assert_scan(MLS_S(":::MLLOG \x1b" REC "\n:::MLLOG " REC "\xc2\xa0\n:::MLLOG " REC "\0\n"),
                "M1\nM2\nM3\nE bytes 181 lines 3 records 0 malformed 3 torn 0\n");
}

static void nul_bytes_are_noise(void **state)
{
    (void)state;
    assert_scan(MLS_S("\0\0a\0\n:::MLLOG " REC "\n\0"),
                "R2:10 1 p0 l49 a\nE bytes 65 lines 3 records 1 malformed 0 torn 0\n");
    assert_scan(MLS_S("\0\0a\0\n"), "E bytes 5 lines 1 records 0 malformed 0 torn 0 binary\n");
    assert_scan(MLS_S("\0:::MLLOG\0 \n\0:::MLLOG x\n"), "M2\nE bytes 24 lines 2 records 0 malformed 1 torn 0\n");
}

static mls_status note_malformed(void *state, const mls_malformed *malformed)
{
    *(mls_malformed *)state = *malformed;
    return MLS_OK;
}

static void malformed_lines_have_places(void **state)
{
    static const struct {
        const char *line;
        size_t column;
        const char *reason;
    } rows[] = {
        {":::MLLOG", 0, NULL},
        {"0: :::MLLOG ", 13, "nothing follows :::MLLOG"},
        {":::MLLOG [1]", 10, "the record is not a JSON object"},
        {":::MLLOG   tru", 12, "expected a value"},
        {":::MLLOG {\"a\":1", 16, "expected ',' or '}'"},
        {":::MLLOG {\"a\":1}}", 17, "something follows the record's JSON object"},
        {":::MLLOG {\"a\" 1}", 15, "expected ':'"},
        {":::MLLOG {\"a", 13, "the line ends inside a string"},
        {":::MLLOG {\"a\":\"\\x\"}", 16, "unknown escape in a string"},
        {":::MLLOG {\"a\":\"\t\"}", 16, "control character inside a string"},
        {":::MLLOG {\"a\":01}", 15, "a number may not start with 0"},
        {":::MLLOG {\"a\":[1 2]}", 18, "expected ',' or ']'"},
        {":::MLLOG {}", 10, "the record has no time_ms"},
        {":::MLLOG {\"time_ms\":1}", 10, "the record has no key"},
        {":::MLLOG {\"time_ms\":1,\"key\":1}", 10, "the record has no value"},
        {":::MLLOG {\"time_ms\":1,\"key\":1,\"value\":1}", 10, "the record has no metadata"},
        {":::MLLOG {\"time_ms\":\"x\",\"key\":1,\"value\":1,\"metadata\":1}", 21, "time_ms is not a number"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        mls_malformed got = {0};
        const mls_sink sink = {.state = &got, .malformed = note_malformed};
        mls_buffer text = {0};
        mls_buffer_printf(&text, "noise\n%s\n", rows[i].line);
        assert_int_equal(mls_log_scan_bytes(mls_buffer_str(&text), &sink, 1, NULL, NULL), MLS_OK);
        mls_buffer_release(&text);
        assert_int_equal(got.column, rows[i].column);
        assert_int_equal(got.line, rows[i].reason != NULL ? 2 : 0);
        if (rows[i].reason != NULL)
            assert_string_equal(got.reason, rows[i].reason);
    }
}

static void marker_lines(void **state)
{
    (void)state;
    assert_scan(
        MLS_S("Beginning trial 3 of 10\n 13: EXPERIMENT_START 1\n0:EXPERIMENT_START 1\nEXPERIMENT_START x\n"
              "Beginning trial of\n+ echo ':::DLPAL a'\n:::DLPAL a b\r\nx Beginning trial 1 of 2\n0: RESULT,A,,1,b,"
              "\nsrun: job\nB\n:::\nEXP"),
        "K1 0 Beginning trial 3 of 10\nK2 1 EXPERIMENT_START 1\nK7 5 :::DLPAL a b\nK9 8 RESULT,A,,1,b,\n"
        "E bytes 203 lines 13 records 0 malformed 0 torn 0\n");
    /* The line of a record is not a marker line, whatever it starts with. */
    assert_scan(MLS_S("Beginning trial 1 of 2 :::MLLOG " REC "\n"),
                "R1:33 1 p23 l49 a\nE bytes 82 lines 1 records 1 malformed 0 torn 0\n");
}

/* ------------------------------------------- each position in a block */

static void fill(mls_buffer *text, char c, size_t count)
{
    mls_buffer_append_repeated(text, c, count);
}

/* A record after `before` bytes of other text, in its own line or not, with each line ending. */
static void record_at(size_t before, mls_buffer *text)
{
    static const char *const endings[] = {"\n", "\r\n", "\r", "\r\r\n", ""};
    for (size_t ending = 0; ending < 5; ending++) {
        for (int own_line = 0; own_line < 2; own_line++) {
            char expected[200];
            const size_t line = own_line != 0 && before > 0 ? 2 : 1;
            const size_t prefix = line == 2 ? 0 : before;
            mls_buffer_clear(text);
            fill(text, 'n', before);
            if (line == 2)
                text->ptr[before - 1] = '\n';
            mls_buffer_append_text(text, ":::MLLOG " USUAL);
            mls_buffer_append_text(text, endings[ending]);
            mls_buffer_append_text(text, "tail");
            const size_t lines = line + (ending == 3 ? 2U : ending < 3 ? 1U : 0U);
            const size_t bytes = text->len;
            if (ending == 4) {
                (void)snprintf(expected, sizeof expected, "M%zu\nE bytes %zu lines %zu records 0 malformed 1 torn 0\n",
                               line, bytes, lines);
            } else {
                (void)snprintf(expected, sizeof expected,
                               "R%zu:%zu 1745066917961 p%zu l%zu seed\n"
                               "E bytes %zu lines %zu records 1 malformed 0 torn 0\n",
                               line, prefix + 10, prefix, sizeof USUAL - 1, bytes, lines);
            }
            mls_buffer want = {0};
            mls_buffer_append_text(&want, expected);
            assert_scan_gives(mls_buffer_str(text), &want);
            mls_buffer_release(&want);
        }
    }
}

static void records_at_every_offset(void **state)
{
    const size_t size = sizeof ":::MLLOG " USUAL;
    mls_buffer text = {0};
    (void)state;
    for (size_t before = 0; before < 140; before++)
        record_at(before, &text);
    for (size_t before = 4096 - size - 8; before < 4096 + 70; before++)
        record_at(before, &text);
    for (size_t before = BLOCK - size - 8; before < BLOCK + 6; before++)
        record_at(before, &text);
    mls_buffer_release(&text);
}

static void colons_across_words(void **state)
{
    (void)state;
    for (size_t before = 0; before < 200; before++) {
        for (size_t colons = 3; colons < 8; colons++) {
            mls_buffer text = {0};
            fill(&text, 'n', before);
            fill(&text, ':', colons);
            mls_buffer_append_text(&text, "MLLOG " REC "\n::");
            assert_like_slow(mls_buffer_str(&text));
            mls_buffer_release(&text);
        }
    }
    mls_buffer all = {0};
    fill(&all, ':', 10000);
    mls_buffer_append_text(&all, "MLLOG " REC "\n");
    assert_scan(mls_buffer_str(&all), "R1:10007 1 p9997 l49 a\nE bytes 10056 lines 1 records 1 malformed 0 torn 0\n");
    mls_buffer_release(&all);
}

static void line_endings_on_the_border_of_blocks(void **state)
{
    static const char *const endings[] = {"\r\n", "\r", "\n", "\r\r\n", "\r\r", "\n\r", "\r\n\r\n", "\r\r\r\n\n"};
    (void)state;
    for (size_t border = 1; border <= 2; border++) {
        for (size_t e = 0; e < sizeof endings / sizeof *endings; e++) {
            for (size_t shift = 0; shift < 8; shift++) {
                for (int last = 0; last < 3; last++) {
                    mls_buffer text = {0};
                    mls_buffer_append_text(&text, ":::MLLOG " REC "\n");
                    fill(&text, 'n', border * BLOCK - text.len - shift);
                    mls_buffer_append_text(&text, endings[e]);
                    mls_buffer_append_text(&text, last == 0 ? "" : last == 1 ? "x" : "0: :::MLLOG " REC "\r");
                    assert_like_slow(mls_buffer_str(&text));
                    mls_buffer_release(&text);
                }
            }
        }
    }
}

static void long_lines(void **state)
{
    (void)state;
    for (size_t length = 134990; length < 135010; length++) {
        mls_buffer text = {0};
        fill(&text, 'x', length);
        mls_buffer_append_text(&text, ":::MLLOG " REC "\r\n");
        fill(&text, ' ', length);
        mls_buffer_append_text(&text, "7: RESULT,x\n:::MLLOG {\"time_ms\":1,\"key\":\"");
        fill(&text, 'k', length);
        mls_buffer_append_text(&text, "\",\"value\":null,\"metadata\":{}}");
        fill(&text, '\t', length);
        assert_like_slow(mls_buffer_str(&text));
        mls_buffer_release(&text);
    }
}

/* A record of `size` bytes after `before` bytes and `prefix`. */
static void big_record(mls_buffer *text, const char *prefix, size_t size)
{
    static const char head[] = "{\"time_ms\":1,\"key\":\"a\",\"value\":\"";
    static const char tail[] = "\",\"metadata\":null}";
    mls_buffer_append_text(text, prefix);
    mls_buffer_append_text(text, ":::MLLOG ");
    mls_buffer_append_text(text, head);
    fill(text, 'v', size - (sizeof head - 1) - (sizeof tail - 1));
    mls_buffer_append_text(text, tail);
}

static void the_longest_record_and_one_longer(void **state)
{
    /* The position of the line in its block decides how much of the record is in the next blocks. */
    static const size_t starts[] = {0, BLOCK - 12, BLOCK - 9, BLOCK - 13, BLOCK - 1, BLOCK / 2};
    static const char *const endings[] = {"\n", "\r\n", " \t\r", ""};
    (void)state;
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
        for (size_t more = 0; more < 2; more++) {
            mls_buffer text = {0};
            mls_buffer want = {0};
            const size_t e = (i + more) % 4;
            const size_t line = starts[i] > 0 ? 2 : 1;
            fill(&text, 'n', starts[i]);
            if (starts[i] > 0)
                text.ptr[starts[i] - 1] = '\n';
            big_record(&text, "0: ", MLS_RECORD_LENGTH_MAX + more);
            mls_buffer_append_text(&text, endings[e]);
            if (more == 0)
                mls_buffer_printf(&want, "R%zu:13 1 p", line);
            else
                mls_buffer_printf(&want, "M%zu\n", line);
            seen s = {0};
            const mls_sink sink = sink_of(&s);
            assert_int_equal(mls_log_scan_bytes(mls_buffer_str(&text), &sink, 1, NULL, NULL), MLS_OK);
            assert_true(mls_str_starts(mls_buffer_str(&s.text), mls_buffer_str(&want)));
            mls_buffer_release(&s.text);
            mls_buffer_release(&want);
            mls_buffer_release(&text);
        }
    }
}

static void overlong_lines(void **state)
{
    mls_buffer text = {0};
    (void)state;
    /* Text without a line ending, then a record in the same line. */
    mls_buffer_append_text(&text, "a\n");
    fill(&text, 'n', 3 * MLS_RECORD_LENGTH_MAX);
    mls_buffer_append_text(&text, ":::MLLOG " REC "\n:::MLLOG " REC "\n");
    seen s = {0};
    const mls_sink sink = sink_of(&s);
    assert_int_equal(mls_log_scan_bytes(mls_buffer_str(&text), &sink, 1, NULL, NULL), MLS_OK);
    assert_non_null(strstr(s.text.ptr, "R2:50331658 1 p"));
    assert_non_null(
        strstr(s.text.ptr, "l49 a\nR3:10 1 p0 l49 a\nE bytes 50331768 lines 3 records 2 malformed 0 torn 0"));

    /* A record that is too long is overwritten by a shorter one, then by one that is cut off. */
    for (int good = 0; good < 2; good++) {
        mls_buffer_clear(&text);
        mls_buffer_clear(&s.text);
        big_record(&text, "", 2 * MLS_RECORD_LENGTH_MAX);
        mls_buffer_append_text(&text, good != 0 ? ":::MLLOG " REC "\r" : ":::MLLOG {\n");
        mls_buffer_append_text(&text, "0: :::MLLOG " REC);
        assert_int_equal(mls_log_scan_bytes(mls_buffer_str(&text), &sink, 1, NULL, NULL), MLS_OK);
        if (good != 0) {
            assert_non_null(strstr(s.text.ptr, "R1:33554451 1 p"));
            assert_non_null(strstr(s.text.ptr, "l49 a torn\nR2:13 1 p3 l49 a\nE "));
            assert_non_null(strstr(s.text.ptr, "lines 2 records 2 malformed 0 torn 1\n"));
        } else {
            assert_int_equal(strncmp(s.text.ptr, "M1 torn\nR2:13 1 p3 l49 a\nE ", 27), 0);
        }
    }

    /* A short record and one that is too long in one line: the line is torn, although the first was read long
     * before. */
    mls_buffer_clear(&text);
    mls_buffer_clear(&s.text);
    mls_buffer_append_text(&text, ":::MLLOG " REC);
    big_record(&text, "", 2 * MLS_RECORD_LENGTH_MAX);
    mls_buffer_append_text(&text, "\nx");
    assert_int_equal(mls_log_scan_bytes(mls_buffer_str(&text), &sink, 1, NULL, NULL), MLS_OK);
    assert_int_equal(strncmp(s.text.ptr, "M1 torn\nE ", 10), 0);

    /* A lone \r at the border of two blocks ends the line, which only the next block shows. */
    mls_buffer_clear(&text);
    mls_buffer_clear(&s.text);
    big_record(&text, "", 2 * MLS_RECORD_LENGTH_MAX);
    text.ptr[MLS_RECORD_LENGTH_MAX + 5 * BLOCK - 1] = '\r';
    mls_buffer_append_text(&text, "\n0: :::MLLOG " REC "\n");
    assert_int_equal(mls_log_scan_bytes(mls_buffer_str(&text), &sink, 1, NULL, NULL), MLS_OK);
    assert_int_equal(strncmp(s.text.ptr, "M1\nR3:13 1 p3 l49 a\nE ", 22), 0);

    /* A lone \r inside it ends the line. */
    mls_buffer_clear(&text);
    mls_buffer_clear(&s.text);
    big_record(&text, "", 2 * MLS_RECORD_LENGTH_MAX);
    text.ptr[MLS_RECORD_LENGTH_MAX] = '\r';
    mls_buffer_append_text(&text, "\r\n:::MLLOG " REC "\n");
    assert_int_equal(mls_log_scan_bytes(mls_buffer_str(&text), &sink, 1, NULL, NULL), MLS_OK);
    assert_int_equal(strncmp(s.text.ptr, "M1\nR3:10 1 p0 l49 a\nE ", 22), 0);
    mls_buffer_release(&s.text);
    mls_buffer_release(&text);
}

/* --------------------------------------------------------------- random */

static uint32_t random_next(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005ULL + 1442695040888963407ULL;
    return (uint32_t)(*seed >> 33);
}

static void random_log(mls_buffer *text, uint64_t *seed, size_t pieces)
{
    static const mls_str parts[] = {MLS_STR(":::MLLOG "),
                                    MLS_STR(":::MLLOG " REC),
                                    MLS_STR("12: :::MLLOG " USUAL),
                                    MLS_STR(":::"),
                                    MLS_STR(":"),
                                    MLS_STR("MLLOG "),
                                    MLS_STR("{\"time_ms\":"),
                                    MLS_STR(REC),
                                    MLS_STR("\n"),
                                    MLS_STR("\n"),
                                    MLS_STR("\r\n"),
                                    MLS_STR("\r"),
                                    MLS_STR("\r"),
                                    MLS_STR(" "),
                                    MLS_STR("\0"),
                                    MLS_STR("\x85"),
                                    MLS_STR("\xa0"),
                                    MLS_STR("Beginning trial 1"),
                                    MLS_STR("3: "),
                                    MLS_STR("\"\\"),
                                    MLS_STR("RESULT,"),
                                    MLS_STR(":::DLPAL x"),
                                    MLS_STR("}")};
    for (size_t i = 0; i < pieces; i++) {
        const uint32_t which = random_next(seed) % (sizeof parts / sizeof *parts + 2);
        if (which < sizeof parts / sizeof *parts)
            mls_buffer_append(text, parts[which]);
        else
            fill(text, which % 2 != 0 ? 'n' : ' ', random_next(seed) % 200);
    }
}

static void random_bytes_as_the_slow_scanner_reads_them(void **state)
{
    uint64_t seed = 20250419;
    (void)state;
    for (int i = 0; i < 4000; i++) {
        mls_buffer text = {0};
        mls_buffer_append_text(&text, "");
        random_log(&text, &seed, random_next(&seed) % 60);
        assert_like_slow(mls_buffer_str(&text));
        mls_buffer_release(&text);
    }
    for (int i = 0; i < 4; i++) {
        mls_buffer text = {0};
        random_log(&text, &seed, 40000);
        assert_like_slow(mls_buffer_str(&text));
        mls_buffer_release(&text);
    }
}

static void threads_see_what_one_sees(void **state)
{
    static const unsigned counts[] = {1, 2, 3, 8};
    uint64_t seed = 7;
    (void)state;
    for (int round = 0; round < 3; round++) {
        mls_buffer text = {0};
        mls_buffer expected = {0};
        while (text.len < (size_t)5 << 20) {
            random_log(&text, &seed, 20000);
            if (round == 1)
                fill(&text, 'n', 3 * BLOCK); /* blocks without a line ending */
            else if (round == 2)
                fill(&text, '\r', BLOCK - text.len % BLOCK - 1 + random_next(&seed) % 3);
        }
        slow_scan(mls_buffer_str(&text), &expected);
        for (size_t i = 0; i < 4; i++)
            assert_fd(&expected, mls_buffer_str(&text), counts[i]);
        mls_buffer_release(&text);
        mls_buffer_release(&expected);
    }
}

static void scanning_starts_where_the_file_stands(void **state)
{
    (void)state;
    mls_buffer text = {0};
    while (text.len < (size_t)6 << 20)
        mls_buffer_append_text(&text, ":::MLLOG " REC "\nsome noise\r\n");
    for (unsigned threads = 1; threads < 4; threads += 2) {
        seen s = {0};
        mls_log_totals totals;
        const mls_sink sink = sink_of(&s);
        const mls_scan_options options = {.threads = threads};
        const int fd = file_of(mls_buffer_str(&text));
        assert_int_equal(lseek(fd, 71 * 3, SEEK_SET), 71 * 3);
        assert_int_equal(mls_log_scan_fd(fd, &options, &sink, 1, &totals, NULL), MLS_OK);
        assert_int_equal(totals.bytes, text.len - 71 * 3);
        assert_int_equal(totals.records, text.len / 71 - 3);
        assert_int_equal(lseek(fd, 0, SEEK_CUR), text.len);
        (void)close(fd);
        mls_buffer_release(&s.text);
    }
    mls_buffer_release(&text);
}

static void a_callback_ends_the_scan(void **state)
{
    (void)state;
    mls_buffer text = {0};
    while (text.len < (size_t)6 << 20)
        mls_buffer_append_text(&text, ":::MLLOG " REC "\n");
    for (unsigned threads = 1; threads < 9; threads += 7) {
        seen s = {.stop_after = 20000};
        seen behind = {0};
        mls_log_totals totals;
        const mls_sink sinks[] = {sink_of(&s), sink_of(&behind)};
        const mls_scan_options options = {.threads = threads};
        const int fd = file_of(mls_buffer_str(&text));
        assert_int_equal(mls_log_scan_fd(fd, &options, sinks, 2, &totals, NULL), MLS_STOPPED);
        (void)close(fd);
        assert_int_equal(s.records, 20000);
        assert_int_equal(behind.records, 19999);
        assert_null(strstr(s.text.ptr, "E bytes"));
        mls_buffer_release(&s.text);
        mls_buffer_release(&behind.text);
    }
    mls_buffer_release(&text);
}

static void what_cannot_be_read_is_an_error(void **state)
{
    (void)state;
    int ends[2];
    seen s = {0};
    mls_error error = {0};
    const mls_sink sink = sink_of(&s);
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(mls_log_scan_fd(ends[1], NULL, &sink, 1, NULL, &error), MLS_ERROR_READ);
    assert_string_equal(error.message, "cannot read: Bad file descriptor");
    assert_non_null(strstr(s.text.ptr, "E bytes 0"));
    mls_buffer_clear(&s.text);
    assert_int_equal(write(ends[1], "\r\n:::MLLOG " REC, 60), 60);
    (void)close(ends[1]);
    assert_int_equal(mls_log_scan_fd(ends[0], NULL, &sink, 1, NULL, &error), MLS_OK);
    assert_string_equal(s.text.ptr, "R2:10 1 p0 l49 a\nE bytes 60 lines 2 records 1 malformed 0 torn 0\n");
    (void)close(ends[0]);
    mls_buffer_release(&s.text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_end_in_three_ways),
        cmocka_unit_test(the_last_mllog_of_a_line_counts),
        cmocka_unit_test(white_space_around_a_record_is_pythons),
        cmocka_unit_test(nul_bytes_are_noise),
        cmocka_unit_test(malformed_lines_have_places),
        cmocka_unit_test(marker_lines),
        cmocka_unit_test(records_at_every_offset),
        cmocka_unit_test(colons_across_words),
        cmocka_unit_test(line_endings_on_the_border_of_blocks),
        cmocka_unit_test(long_lines),
        cmocka_unit_test(the_longest_record_and_one_longer),
        cmocka_unit_test(overlong_lines),
        cmocka_unit_test(random_bytes_as_the_slow_scanner_reads_them),
        cmocka_unit_test(threads_see_what_one_sees),
        cmocka_unit_test(scanning_starts_where_the_file_stands),
        cmocka_unit_test(a_callback_ends_the_scan),
        cmocka_unit_test(what_cannot_be_read_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
