/* SPDX-License-Identifier: Apache-2.0 */
/* From bytes to records: line endings, line numbers, markers, blocks, descriptors. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <unistd.h>

#include "base/buffer.h"
#include "log/log.h"

#define RECORD ":::MLLOG {\"time_ms\": 7, \"key\": \"k\", \"value\": 1, \"metadata\": {}}"

/* Describe the calls of a sink: "R3:10 " is a record in line 3 whose payload starts in column 10. */
static mls_status on_record(void *state, const mls_record *record)
{
    mls_buffer_printf(state, "R%zu:%zu%s ", record->line, record->column, record->torn ? "t" : "");
    return MLS_OK;
}

static mls_status on_malformed(void *state, const mls_malformed *malformed)
{
    mls_buffer_printf(state, "M%zu:%zu%s ", malformed->line, malformed->column, malformed->torn ? "t" : "");
    return MLS_OK;
}

static mls_status on_marker(void *state, const mls_marker *marker)
{
    mls_buffer_printf(state, "%c%zu[", 'a' + (int)marker->kind, marker->line);
    mls_buffer_append(state, marker->text);
    mls_buffer_append_text(state, "] ");
    return MLS_OK;
}

static mls_status on_end(void *state, const mls_log_totals *totals)
{
    mls_buffer_printf(state, "lines %zu", totals->lines);
    return MLS_OK;
}

static mls_sink transcript_sink(mls_buffer *transcript)
{
    mls_buffer_clear(transcript);
    return (mls_sink){
        .state = transcript, .record = on_record, .malformed = on_malformed, .marker = on_marker, .end = on_end};
}

static void expect(mls_str text, const char *expected)
{
    mls_buffer transcript = {0};
    const mls_sink sink = transcript_sink(&transcript);
    mls_log_totals totals;

    assert_int_equal(mls_log_scan_bytes(text, &sink, 1, &totals, NULL), MLS_OK);
    assert_string_equal(transcript.ptr, expected);
    assert_int_equal(totals.bytes, text.len);
    mls_buffer_release(&transcript);
}

static void line_endings(void **state)
{
    (void)state;

    expect(MLS_S(""), "lines 0");
    expect(MLS_S("\n"), "lines 1");
    expect(MLS_S("x"), "lines 1");
    expect(MLS_S(RECORD), "R1:10 lines 1");
    expect(MLS_S(RECORD "\n"), "R1:10 lines 1");
    expect(MLS_S(RECORD "\r\n" RECORD "\r\n"), "R1:10 R2:10 lines 2");
    expect(MLS_S(RECORD "\r" RECORD "\r"), "R1:10 R2:10 lines 2");
    expect(MLS_S("\r\r\n\n\r" RECORD), "R5:10 lines 5");
    expect(MLS_S("bar 10%\rbar 20%\r" RECORD "\n" RECORD), "R3:10 R4:10 lines 4");
    expect(MLS_S("a\n\n\nb\n" RECORD), "R5:10 lines 5");
    expect(MLS_S("a\0b\n" RECORD "\n\0"), "R2:10 lines 3");
    /* Form feed, vertical tab and NEL do not end a line. */
    expect(MLS_S("a\f\v\x85" RECORD "\n"), "R1:14 lines 1");
}

static void the_last_marker_counts(void **state)
{
    (void)state;

    expect(MLS_S("13: " RECORD "\n"), "R1:14 lines 1");
    expect(MLS_S(":::MLLOG {\"time_ms\": 1, \"k0: " RECORD "\n" RECORD), "R1:39t R2:10 lines 2");
    expect(MLS_S(RECORD ":::MLLOG \n"), "M1:73t lines 1");
    expect(MLS_S(RECORD " :::MLLOG{}\n"), "M1:65 lines 1");
    expect(MLS_S("::::MLLOG {}\n"), "M1:11 lines 1");
    expect(MLS_S(":::MLLOG{}\n:::MLLO {}\n::MLLOG {}\n:::mllog {}\n :::MLLOG"), "lines 5");
    expect(MLS_S(":::MLLOG \n:::MLLOG hello\n"), "M1:10 M2:10 lines 2");
    expect(MLS_S(":::MLLOG  {\"key\" 1}\n"), "M1:18 lines 1");
}

static void markers(void **state)
{
    (void)state;

    expect(MLS_S("Beginning trial 3 of 10\n"), "a1[Beginning trial 3 of 10] lines 1");
    expect(MLS_S("13: Beginning trial 3 of 10\r\n"), "a1[Beginning trial 3 of 10] lines 1");
    expect(MLS_S(" 0: EXPERIMENT_START 17\rEXPERIMENT_STOP 18\n"),
           "b1[EXPERIMENT_START 17] c2[EXPERIMENT_STOP 18] lines 2");
    expect(MLS_S("RUNANDTIME_START 1\nRUNANDTIME_STOP 2\n"), "d1[RUNANDTIME_START 1] e2[RUNANDTIME_STOP 2] lines 2");
    expect(MLS_S(":::DLPAL image 117 18 node[1-18] 'c' NAME\n"),
           "f1[:::DLPAL image 117 18 node[1-18] 'c' NAME] lines 1");
    expect(MLS_S(":::SYSJSON {}\n:::GITCOMMITID a b\n"), "g1[:::SYSJSON {}] h2[:::GITCOMMITID a b] lines 2");
    expect(MLS_S("0: RESULT,X,,9,u,t\n"), "i1[RESULT,X,,9,u,t] lines 1");
    /* These lines only quote a marker. */
    expect(MLS_S("+ echo 'Beginning trial 3 of 10'\n+ echo ':::DLPAL x 1 2'\nx EXPERIMENT_START 1\n"), "lines 3");
    /* A record next to a marker is still a record. */
    expect(MLS_S("Beginning trial 1 of 2 " RECORD "\n"), "R1:33 lines 1");
}

static void totals_add_up(void **state)
{
    const mls_str text = MLS_S("a\n" RECORD "\n:::MLLOG x\n:::MLLOG {" RECORD "\n");
    mls_log_totals totals;
    (void)state;

    assert_int_equal(mls_log_scan_bytes(text, NULL, 0, &totals, NULL), MLS_OK);
    assert_int_equal(totals.bytes, text.len);
    assert_int_equal(totals.lines, 4);
    assert_int_equal(totals.records, 2);
    assert_int_equal(totals.malformed, 1);
    assert_int_equal(totals.torn, 1);
    assert_false(totals.binary);
    assert_int_equal(mls_log_scan_bytes(MLS_S("\0\0\0ELF"), NULL, 0, &totals, NULL), MLS_OK);
    assert_true(totals.binary);
    assert_int_equal(mls_log_scan_bytes(MLS_S("\0\0\0\n" RECORD), NULL, 0, &totals, NULL), MLS_OK);
    assert_false(totals.binary);
}

static mls_status stop_at_second(void *state, const mls_record *record)
{
    size_t *count = state;

    (void)record;
    return ++*count == 2 ? MLS_STOPPED : MLS_OK;
}

static void a_sink_can_stop(void **state)
{
    size_t count = 0;
    const mls_sink sink = {.state = &count, .record = stop_at_second};
    mls_log_totals totals;
    (void)state;

    assert_int_equal(mls_log_scan_bytes(MLS_S(RECORD "\n" RECORD "\n" RECORD "\n"), &sink, 1, &totals, NULL),
                     MLS_STOPPED);
    assert_int_equal(count, 2);
}

/* Return a temporary file with these bytes, opened for reading at its start. */
static int file_with(mls_str text)
{
    char path[] = "/tmp/mlscore-unit-XXXXXX";
    const int fd = mkstemp(path);

    assert_true(fd >= 0);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(write(fd, text.ptr, text.len), (ssize_t)text.len);
    assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
    return fd;
}

static void scan_file(mls_str text, unsigned threads, mls_buffer *transcript)
{
    const mls_sink sink = transcript_sink(transcript);
    const mls_scan_options options = {.threads = threads};
    const int fd = file_with(text);
    mls_log_totals totals;

    assert_int_equal(mls_log_scan_fd(fd, &options, &sink, 1, &totals, NULL), MLS_OK);
    assert_int_equal(totals.bytes, text.len);
    close(fd);
}

/* A slow and simple reader of the same lines, to compare with. */
static void plain_scan(mls_str text, mls_buffer *transcript)
{
    size_t line = 0;
    size_t at = 0;

    mls_buffer_clear(transcript);
    while (at < text.len) {
        size_t end = at;
        size_t last = SIZE_MAX;
        size_t found = 0;

        while (end < text.len && text.ptr[end] != '\n' && text.ptr[end] != '\r')
            end++;
        line++;
        for (size_t i = at; i + 9 <= end; i++) {
            if (memcmp(text.ptr + i, ":::MLLOG ", 9) == 0) {
                last = i;
                found++;
            }
        }
        if (last != SIZE_MAX) {
            const bool good = text.len - last >= sizeof RECORD - 1 &&
                              memcmp(text.ptr + last, RECORD, sizeof RECORD - 1) == 0 &&
                              last + sizeof RECORD - 1 == end;

            mls_buffer_printf(transcript, "%c%zu:%zu%s ", good ? 'R' : 'M', line, last + 10 - at, found > 1 ? "t" : "");
        }
        if (end + 1 < text.len && text.ptr[end] == '\r' && text.ptr[end + 1] == '\n')
            end++;
        at = end + 1;
    }
    mls_buffer_printf(transcript, "lines %zu", line);
}

/* Lines of all lengths and endings, so that block boundaries fall everywhere. */
static mls_str made_up(size_t size, uint64_t seed)
{
    static const mls_str parts[] = {MLS_STR("\n"),   MLS_STR("\r\n"),      MLS_STR("\r"),        MLS_STR(RECORD),
                                    MLS_STR("::::"), MLS_STR(":::MLLOG "), MLS_STR(":::MLLO"),   MLS_STR("x"),
                                    MLS_STR("\0"),   MLS_STR("word "),     MLS_STR("\n" RECORD), MLS_STR(RECORD "\n"),
                                    MLS_STR("\xff")};
    char *text = malloc(size + 200);
    size_t len = 0;

    assert_non_null(text);
    while (len < size) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        const mls_str part = parts[(seed >> 33) % (sizeof parts / sizeof *parts)];

        memcpy(text + len, part.ptr, part.len);
        len += part.len;
        if ((seed >> 50) % 97 == 0) {
            const size_t fill = (seed >> 20) % (size / 4 + 1);
            const size_t room = size > len ? size - len : 0;

            memset(text + len, '-', fill < room ? fill : room);
            len += fill < room ? fill : room;
        }
    }
    return (mls_str){text, len};
}

static void same_as_a_plain_reader(void **state)
{
    mls_buffer want = {0};
    mls_buffer got = {0};
    (void)state;

    for (uint64_t seed = 1; seed <= 3000; seed++) {
        const mls_str text = made_up((size_t)(seed * 7 % 5000), seed);
        const mls_sink sink = {.state = &got, .record = on_record, .malformed = on_malformed, .end = on_end};
        mls_log_totals totals;

        plain_scan(text, &want);
        mls_buffer_clear(&got);
        assert_int_equal(mls_log_scan_bytes(text, &sink, 1, &totals, NULL), MLS_OK);
        /* The column of a malformed record is that of the error, not of its start. */
        const char *w = want.ptr;
        const char *g = got.ptr;
        for (; *w != '\0' && *g != '\0'; w++, g++) {
            if (*w == 'M') {
                while (*w != ':')
                    assert_int_equal(*w++, *g++);
                w += strspn(w, ":0123456789");
                g += strspn(g, ":0123456789");
            }
            assert_int_equal(*w, *g);
        }
        assert_int_equal(*w, *g);
        free((void *)(uintptr_t)text.ptr);
    }
    mls_buffer_release(&want);
    mls_buffer_release(&got);
}

static void blocks_and_threads_change_nothing(void **state)
{
    mls_buffer memory = {0};
    mls_buffer file = {0};
    (void)state;

    for (uint64_t seed = 1; seed <= 4; seed++) {
        const mls_str text = made_up(5000000, seed);
        const mls_sink sink = transcript_sink(&memory);
        mls_log_totals totals;

        assert_int_equal(mls_log_scan_bytes(text, &sink, 1, &totals, NULL), MLS_OK);
        for (unsigned threads = 0; threads <= 8; threads += 4) {
            scan_file(text, threads, &file);
            assert_true(mls_str_equal(mls_buffer_str(&memory), mls_buffer_str(&file)));
        }
        free((void *)(uintptr_t)text.ptr);
    }
    mls_buffer_release(&memory);
    mls_buffer_release(&file);
}

static void longer_than_any_block(void **state)
{
    mls_buffer text = {0};
    mls_buffer transcript = {0};
    (void)state;

    mls_buffer_append_repeated(&text, 'x', 9000000);
    mls_buffer_append_text(&text, RECORD "\nBeginning trial 1 of 2\n");
    mls_buffer_append_text(&text, ":::MLLOG {\"time_ms\": 7, \"key\": \"k\", \"metadata\": {}, \"value\": \"");
    mls_buffer_append_repeated(&text, 'y', 9000000);
    mls_buffer_append_text(&text, "\"}\n" RECORD "\n");
    scan_file(mls_buffer_str(&text), 1, &transcript);
    assert_string_equal(transcript.ptr, "R1:9000010 a2[Beginning trial 1 of 2] R3:10 R4:10 lines 4");
    scan_file(mls_buffer_str(&text), 4, &transcript);
    assert_string_equal(transcript.ptr, "R1:9000010 a2[Beginning trial 1 of 2] R3:10 R4:10 lines 4");
    mls_buffer_release(&text);
    mls_buffer_release(&transcript);
}

static void over_the_limit(void **state)
{
    mls_buffer text = {0};
    mls_buffer transcript = {0};
    (void)state;

    mls_buffer_append_text(&text, ":::MLLOG {\"time_ms\": 7, \"key\": \"k\", \"metadata\": {}, \"value\": \"");
    mls_buffer_append_repeated(&text, 'y', MLS_RECORD_LENGTH_MAX);
    mls_buffer_append_text(&text, "\"}\n" RECORD "\n");
    scan_file(mls_buffer_str(&text), 1, &transcript);
    assert_string_equal(transcript.ptr, "M1:10 R2:10 lines 2");
    mls_buffer_release(&text);
    mls_buffer_release(&transcript);
}

static void a_pipe_is_read_too(void **state)
{
    mls_buffer transcript = {0};
    const mls_sink sink = transcript_sink(&transcript);
    const mls_str text = MLS_S("x\r\n" RECORD "\n" RECORD);
    mls_log_totals totals;
    int ends[2];
    (void)state;

    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], text.ptr, text.len), (ssize_t)text.len);
    close(ends[1]);
    assert_int_equal(mls_log_scan_fd(ends[0], NULL, &sink, 1, &totals, NULL), MLS_OK);
    assert_string_equal(transcript.ptr, "R2:10 R3:10 lines 3");
    close(ends[0]);
    mls_buffer_release(&transcript);
}

/* After as many bytes as its size, a file is not read again. A file that became longer or shorter is read to its
 * end. */
static void what_a_file_holds_is_read(void **state)
{
    static const size_t wrong[] = {0, 1, 100000, 300000, 600000, 900000};
    mls_buffer text = {0};
    mls_log_totals totals;
    int ends[2];
    const mls_scan_options all = {.size = sizeof RECORD - 1};
    (void)state;

    assert_int_equal(pipe2(ends, O_NONBLOCK), 0); /* another read would be an error */
    assert_int_equal(write(ends[1], RECORD, all.size), (ssize_t)all.size);
    assert_int_equal(mls_log_scan_fd(ends[0], &all, NULL, 0, &totals, NULL), MLS_OK);
    assert_int_equal(totals.bytes, all.size);
    close(ends[0]);
    close(ends[1]);
    mls_buffer_append_repeated(&text, 'x', 600000);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        const mls_scan_options options = {.size = wrong[i]};
        const int fd = file_with(mls_buffer_str(&text));
        assert_int_equal(mls_log_scan_fd(fd, &options, NULL, 0, &totals, NULL), MLS_OK);
        assert_int_equal(totals.bytes, text.len);
        close(fd);
    }
    mls_buffer_release(&text);
}

/* Change the size of a file at its first record. */
typedef struct changing_file {
    int fd;
    off_t size; /* the new size */
    size_t records;
} changing_file;

static mls_status change_file(void *state, const mls_record *record)
{
    changing_file *file = state;
    (void)record;
    return file->records++ > 0 || ftruncate(file->fd, file->size) == 0 ? MLS_OK : MLS_ERROR_WRITE;
}

/* The blocks of a large file are read in parallel, from the position of the descriptor to the end of the file at
 * that time, where the descriptor is afterwards. */
static void a_large_file_may_change(void **state)
{
    enum { LINES = 300000, GROWN = 1000000, SHRUNK = 10000000, LENGTH = sizeof RECORD };
    const mls_scan_options options = {.threads = 4};
    mls_log_totals totals;
    mls_buffer text = {0};
    (void)state;

    for (size_t i = 0; i < LINES; i++)
        mls_buffer_append_text(&text, RECORD "\n");
    const off_t size = (off_t)text.len;
    for (off_t begin = 0; begin < 3 * LENGTH; begin += LENGTH) {
        changing_file file = {.fd = file_with(mls_buffer_str(&text)), .size = size + GROWN};
        const mls_sink sink = {.state = &file, .record = change_file};
        assert_int_equal(lseek(file.fd, begin, SEEK_SET), begin);
        assert_int_equal(mls_log_scan_fd(file.fd, &options, &sink, 1, &totals, NULL), MLS_OK);
        assert_int_equal(totals.bytes, size + GROWN - begin);
        assert_int_equal(totals.records, LINES - begin / LENGTH);
        assert_int_equal(lseek(file.fd, 0, SEEK_CUR), size + GROWN);
        file.records = 0;
        file.size = SHRUNK;
        assert_int_equal(lseek(file.fd, begin, SEEK_SET), begin);
        assert_int_equal(mls_log_scan_fd(file.fd, &options, &sink, 1, &totals, NULL), MLS_OK);
        assert_in_range(totals.bytes, SHRUNK - begin, size + GROWN - begin);
        assert_in_range(totals.records, (SHRUNK - begin) / LENGTH, LINES);
        close(file.fd);
    }
    mls_buffer_release(&text);
}

static void what_cannot_be_read(void **state)
{
    mls_error error = {0};
    mls_log_totals totals;
    const int folder = open("/", O_RDONLY);
    (void)state;

    assert_int_equal(mls_log_scan_fd(-1, NULL, NULL, 0, &totals, &error), MLS_ERROR_READ);
    assert_int_not_equal(error.system_errno, 0);
    assert_true(folder >= 0);
    assert_int_equal(mls_log_scan_fd(folder, NULL, NULL, 0, &totals, &error), MLS_ERROR_READ);
    close(folder);
}

typedef struct reported_lines {
    mls_buffer text;
    size_t next; /* line number */
    size_t cuts;
} reported_lines;

static mls_status on_lines(void *state, const mls_lines *lines)
{
    reported_lines *reported = state;
    assert_int_equal(lines->line, reported->next);
    reported->cuts += lines->cut;
    for (size_t i = 0; i < lines->text.len && !lines->cut; i++) {
        const char c = lines->text.ptr[i];
        const bool last = i + 1 == lines->text.len;
        reported->next += c == '\n' || (c == '\r' && (last || lines->text.ptr[i + 1] != '\n')) || (last && c != '\n');
    }
    mls_buffer_append(&reported->text, lines->cut ? MLS_S("") : lines->text);
    return MLS_OK;
}

/* The reported lines equal the file for any block size. */
static void test_lines(void **state)
{
    (void)state;
    static const char *const ends[] = {"\n", "\r\n", "\r", "\n\n", "\r\r\n"};
    mls_buffer log = {0};
    reported_lines reported = {.next = 1};
    mls_log_totals totals;
    const mls_sink sink = {.state = &reported, .lines = on_lines};
    for (size_t i = 0; log.len < 900000; i++) {
        mls_buffer_append_text(&log, i % 50 == 0 ? RECORD : "");
        mls_buffer_append_repeated(&log, 'x', i * i % 7919 + (i % 100 == 99 ? 300000 : 0));
        mls_buffer_append_text(&log, ends[i % 5]);
    }
    mls_buffer_append_text(&log, "no end");
    assert_int_equal(mls_log_scan_bytes(mls_buffer_str(&log), &sink, 1, &totals, NULL), MLS_OK);
    assert_true(mls_str_equal(mls_buffer_str(&reported.text), mls_buffer_str(&log)));
    assert_int_equal(reported.next, totals.lines + 1);
    assert_int_equal(reported.cuts, 0);
    mls_buffer_release(&log);
    mls_buffer_release(&reported.text);
}

/* If a line is too long to be kept, its beginning is reported once, and later lines have correct numbers. */
static void test_lines_cut(void **state)
{
    (void)state;
    mls_buffer log = {0};
    reported_lines reported = {.next = 1};
    mls_log_totals totals;
    const mls_sink sink = {.state = &reported, .lines = on_lines};
    mls_buffer_append_text(&log, "one\n");
    mls_buffer_append_repeated(&log, 'x', 3 * MLS_RECORD_LENGTH_MAX);
    assert_int_equal(mls_log_scan_bytes(mls_buffer_str(&log), &sink, 1, &totals, NULL), MLS_OK);
    assert_int_equal(reported.cuts, 1);
    assert_string_equal(reported.text.ptr, "one\n");
    mls_buffer_release(&log);
    mls_buffer_release(&reported.text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(line_endings),
        cmocka_unit_test(the_last_marker_counts),
        cmocka_unit_test(markers),
        cmocka_unit_test(totals_add_up),
        cmocka_unit_test(a_sink_can_stop),
        cmocka_unit_test(same_as_a_plain_reader),
        cmocka_unit_test(blocks_and_threads_change_nothing),
        cmocka_unit_test(longer_than_any_block),
        cmocka_unit_test(over_the_limit),
        cmocka_unit_test(a_pipe_is_read_too),
        cmocka_unit_test(what_a_file_holds_is_read),
        cmocka_unit_test(a_large_file_may_change),
        cmocka_unit_test(what_cannot_be_read),
        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_lines_cut),
    };
    return cmocka_run_group_tests_name("scan", tests, NULL, NULL);
}
