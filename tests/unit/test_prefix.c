/* SPDX-License-Identifier: Apache-2.0 */
/* The prefixes of a line: what each gives, and the text after them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "base/buffer.h"
#include "base/moment.h"
#include "log/prefix.h"

/* 2026-04-19T13:28:01 */
#define THEN 1776605281000.0

static char scratch[MLS_LINE_EXAMINED];

static void expect(const char *raw, const char *message, double time_ms, int rank, int local_rank, const char *node,
                   const char *gpu)
{
    const mls_log_line line = mls_log_line_read(mls_str_from(raw), false, scratch);
    const double time = mls_time_resolve(mls_log_line_time(&line), THEN);
    if (!mls_str_equal(line.message, mls_str_from(message)) || line.rank != rank || line.local_rank != local_rank ||
        !mls_str_equal(line.node, mls_str_from(node)) || !mls_str_equal(line.gpu, mls_str_from(gpu)) ||
        !(fabs(time - time_ms) < 0.01 || (isnan(time) && isnan(time_ms)))) {
        print_error("%s: '%.*s' at %.3f, rank %d, %d, node '%.*s', GPU '%.*s'\n", raw, (int)line.message.len,
                    line.message.ptr, time, (int)line.rank, (int)line.local_rank, (int)line.node.len, line.node.ptr,
                    (int)line.gpu.len, line.gpu.ptr);
        fail();
    }
}

static void ranks_and_nodes(void **state)
{
    (void)state;
    expect(" 13: x", "x", NAN, 13, -1, "", "");
    expect("[1,13]<stderr>:x", "x", NAN, 13, -1, "", "");
    expect("[rank13]: x", "x", NAN, 13, -1, "", "");
    expect("[default3]:x", "x", NAN, -1, 3, "", "");
    /* The ranks of torch and torchrun take precedence over those of their launcher. */
    expect("0: [rank3]: x", "x", NAN, 3, -1, "", "");
    expect("[1,0]<stderr>:[rank3]: x", "x", NAN, 3, -1, "", "");
    expect("0: 2026-04-19T13:28:01Z [rank3]: x", "x", THEN, 3, -1, "", "");
    expect("0: [default3]: x", "x", NAN, -1, 3, "", "");
    expect("0: [default3]:[rank11]: x", "x", NAN, 11, 3, "", "");
    expect("node076:984:1357 [4] NCCL WARN x", "NCCL WARN x", NAN, -1, -1, "node076", "4");
    expect("node076: x", "x", NAN, -1, -1, "node076", "");
    expect("[rank1]: node076: x", "node076: x", NAN, 1, -1, "", "");
    expect("5: node076:984:1357 [4] x", "x", NAN, 5, -1, "node076", "4");
    expect("python3: x", "python3: x", NAN, -1, -1, "", "");
    expect("nvidia-nvswitch3: SXid", "nvidia-nvswitch3: SXid", NAN, -1, -1, "", "");
    expect("mlx5_0: link down", "mlx5_0: link down", NAN, -1, -1, "", "");
    expect("ib0: link down", "ib0: link down", NAN, -1, -1, "", "");
    expect("Node7: x", "Node7: x", NAN, -1, -1, "", "");
    expect("node: x", "node: x", NAN, -1, -1, "", "");
    expect("99999999999: x", "99999999999: x", NAN, -1, -1, "", "");
    expect("", "", NAN, -1, -1, "", "");
}

/* The rank of the first prefix does not depend on the rest of the line. */
static void first_ranks(void **state)
{
    (void)state;
    static const struct {
        const char *line;
        int rank;
    } rows[] = {{" 13: x\n", 13},
                {"[1,13]<stderr>:x\n", 13},
                {"[rank13]: x\n", 13},
                {"[default3]:x\n", -1},
                {"5: 6: x\n", 5},
                {"13:x\n", -1},
                {"[1,]<stderr>:x\n", -1},
                {"99999999999: x\n", -1},
                {"\n", -1},
                {"0: [rank3]: x\n", 3},
                {"[1,0]<stdout>:[rank3]: x\n", 3},
                {"[1,0]<stddiag>: [rank3]: x\n", 3},
                {"0: [default3]: x\n", -1},
                {"1: [default3]:[rank11]: x\n", 11},
                {"[default3]:[rank11]: x\n", 11},
                {"2: [rank]: x\n", 2},
                {"2: [default]: x\n", 2},
                {"[rank3]:[default3]: x\n", 3}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const mls_str text = {rows[i].line, strlen(rows[i].line) - 1};
        assert_int_equal(mls_log_line_first_rank(rows[i].line), rows[i].rank);
        assert_int_equal(mls_log_line_read(text, true, scratch).rank, rows[i].rank);
    }
}

/* A rank without a colon is one only for a reader of messages: it may be the text of the line. */
static void expect_rank(const char *raw, int rank)
{
    const mls_log_line line = mls_log_line_read(mls_str_from(raw), false, scratch);
    assert_int_equal(mls_log_line_rank(&line), rank);
}

/* Messages may contain the rank if prefixes do not, or if only a launcher's label does. */
static void ranks_in_messages(void **state)
{
    (void)state;
    expect_rank("(Worker pid=12, ip=10.0.0.1) [rank3]: torch.OutOfMemoryError", 3);
    expect_rank("2026-04-19 13:28:01,123 ERROR [rank3]: x", 3);
    expect_rank("0: 2026-04-19 13:28:01,123 ERROR [rank3]: x", 3);
    expect_rank("[rank2]: as said by [rank3]: x", 2);
    expect_rank("ERROR [rank]: of [rank3] and [rank4]: x", 4);
    expect_rank("ERROR [rank3]: of rank 5", 3);
    expect_rank("[rank13] x", 13);
    expect_rank("of rank 5", 5);
    expect_rank("of Rank 5", 5);
    expect_rank("of local rank 5", -1);
    expect_rank("0: of rank 5", 0);
    expect_rank("0: [default3]: x", -1);
    expect_rank("0: [default3]: of rank 5", 5);
    expect_rank("ERROR [rank99999999999]: x", -1);
}

static void launchers(void **state)
{
    (void)state;
    expect("(Worker pid=12, ip=10.0.0.1) x", "x", NAN, -1, -1, "10.0.0.1", "");
    expect("(Worker(rank=3) pid=12, ip=10.0.0.1) x", "x", NAN, 3, -1, "10.0.0.1", "");
    expect("(train_fn pid=12) x", "x", NAN, -1, -1, "", "");
    expect("(Worker(rank=3) pid=12) x", "x", NAN, 3, -1, "", "");
    expect("stderr F x", "x", NAN, -1, -1, "", "");
    expect("stdout P 3: x", "x", NAN, 3, -1, "", "");
    expect("stderr is full", "stderr is full", NAN, -1, -1, "", "");
    expect("(pid=12, ip=10.0.0.1) x", "x", NAN, -1, -1, "10.0.0.1", "");
    expect("(raylet, ip=10.0.0.1) x", "x", NAN, -1, -1, "10.0.0.1", "");
    expect("(see page 12) x", "(see page 12) x", NAN, -1, -1, "", "");
    expect("i.train/0 [3]:x", "x", NAN, -1, 3, "", "");
    expect("trainer/1 [default3]:[rank11]: x", "x", NAN, 11, 3, "", "");
    expect("331/1063 [=====>....]", "331/1063 [=====>....]", NAN, -1, -1, "", "");
    expect("loss/0 is small", "loss/0 is small", NAN, -1, -1, "", "");
    expect("[pod/train-worker-3/pytorch] x", "x", NAN, -1, -1, "train-worker-3", "");
    expect("trainer-1  | x", "x", NAN, -1, -1, "trainer-1", "");
    expect("loss  | x", "loss  | x", NAN, -1, -1, "", "");
    expect("0 | model | GPT", "0 | model | GPT", NAN, -1, -1, "", "");
    expect("[1,mpirank:3,algo-1]<stderr>:x", "x", NAN, 3, -1, "algo-1", "");
    expect("[3]<stdout>:x", "x", NAN, 3, -1, "", "");
    expect("2026-04-19 13:28:01.123 | ERROR    | pkg.mod:main:42 - x", "x", THEN + 123, -1, -1, "", "");
    expect("| name | value - x", "| name | value - x", NAN, -1, -1, "", "");
    expect("[rank: 3] x", "x", NAN, 3, -1, "", "");
}

static void times(void **state)
{
    (void)state;
    expect("2026-04-19T13:28:01.123Z x", "x", THEN + 123, -1, -1, "", "");
    expect(" [2026-04-19 13:28:01] x", "x", THEN, -1, -1, "", "");
    expect("2026-04-19_13:28:01 x", "x", THEN, -1, -1, "", "");
    expect("2026-04-19 13:28:01,123 x", "x", THEN + 123, -1, -1, "", "");
    expect("2026-04-19T15:28:01+02:00 x", "x", THEN, -1, -1, "", "");
    expect("2026-04-19T15:28:01+02 x", "x", THEN, -1, -1, "", "");
    /* Not a valid day, month or zone, but a prefix. */
    expect("2026-02-30T15:28:01 x", "x", NAN, -1, -1, "", "");
    expect("[2026-02-29 13:28:01] x", "x", NAN, -1, -1, "", "");
    expect("2026-13-19T13:28:01 x", "x", NAN, -1, -1, "", "");
    expect("0000-00-00T00:00:00 x", "x", NAN, -1, -1, "", "");
    expect("2026-04-19T13:28:01+15:00 5: x", "x", NAN, 5, -1, "", "");
    expect("2026-04-19T13:28:01+2360 x", "x", NAN, -1, -1, "", "");
    expect("[2026-02-29 13:28:01] 2026-04-19T13:28:01 x", "x", THEN, -1, -1, "", "");
    expect("slurmstepd: error: *** STEP 1.0 ON n1 CANCELLED AT 2026-02-29T13:28:01 ***",
           "slurmstepd: error: *** STEP 1.0 ON n1 CANCELLED AT 2026-02-29T13:28:01 ***", NAN, -1, -1, "", "");
    expect("[Sun Apr 19 13:28:01 2026] x", "x", THEN, -1, -1, "", "");
    expect("Apr 19 13:28:01 node076 kernel: [ 8123.456789] x", "x", THEN, -1, -1, "node076", "");
    expect("E0419 13:28:01.123456 x", "x", THEN + 123.456, -1, -1, "", "");
    expect("[rank3]:[E0419 13:28:01.123456 a.cc:1] x", "a.cc:1] x", THEN + 123.456, 3, -1, "", "");
    expect("[rank3]:[E419 13:28:01.123456 a.cc:1] x", "a.cc:1] x", THEN + 123.456, 3, -1, "", "");
    expect("[E41 13:28:01.1 x", "[E41 13:28:01.1 x", NAN, -1, -1, "", "");
    expect("[ 8123.456789] x", "x", NAN, -1, -1, "", "");
    expect("slurmstepd: error: *** STEP 1.0 ON n1 CANCELLED AT 2026-04-19T13:28:01 ***",
           "slurmstepd: error: *** STEP 1.0 ON n1 CANCELLED AT 2026-04-19T13:28:01 ***", THEN, -1, -1, "", "");
    expect("  time      : 2026-04-19_13:28:01", "  time      : 2026-04-19_13:28:01", THEN, -1, -1, "", "");
    expect("2026-04-19T25:28:01 x", "2026-04-19T25:28:01 x", NAN, -1, -1, "", "");
    expect("2026-04-19T13:28:01x", "2026-04-19T13:28:01x", NAN, -1, -1, "", "");
    expect("E0019 13:28:01.1 x", "E0019 13:28:01.1 x", NAN, -1, -1, "", "");
    /* At most six prefixes. */
    expect("1: 2: 3: 4: 5: 6: 7: x", "7: x", NAN, 1, -1, "", "");
}

/* A time without a year is in the year nearest to a time that has one. */
static void years(void **state)
{
    (void)state;
    const mls_log_line line = mls_log_line_read(MLS_S("Dec 31 23:59:59 n1 kernel: x"), true, scratch);
    assert_true(mls_log_line_time(&line) < 0);
    assert_true(fabs(mls_time_resolve(line.time_ms, 1767225600000.0) - 1767225599000.0) < 1); /* 2026-01-01 */
    assert_true(isnan(mls_time_resolve(line.time_ms, NAN)));
    assert_true(isnan(mls_time_resolve(line.time_ms, 1e17)) && isnan(mls_time_resolve(line.time_ms, 1e50)));
    assert_true(fabs(mls_time_resolve(THEN, NAN) - THEN) < 1);
    const mls_log_line leap = mls_log_line_read(MLS_S("Mar  1 00:00:00 n1 kernel: x"), true, scratch);
    assert_true(fabs(mls_time_resolve(leap.time_ms, 1709251200000.0) - 1709251200000.0) < 1); /* 2024-03-01 */
    assert_true(fabs(mls_time_resolve(leap.time_ms, 1740787200000.0) - 1740787200000.0) < 1); /* 2025-03-01 */
}

/* Times with a date follow the calendar. */
static void strict(void **state)
{
    (void)state;
    static const char *const wrong[] = {"2026-02-29 13:28:01",       "20260229T13:28:01",   "2026-04-19T13:28:01+15:00",
                                        "2026-04-19T13:28:01 +2360", "1969-12-31T13:28:01", "2026-12-32T13:28:01"};
    double number;
    bool zoned;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_false(mls_moment_read(mls_str_from(wrong[i]), &number, &zoned));
        assert_false(mls_moment_parse(mls_str_from(wrong[i]), 0, &number));
    }
    assert_false(mls_date_read(MLS_S("2026/02/29"), &number) || mls_date_read(MLS_S("20260431"), &number));
    assert_true(mls_date_read(MLS_S("2024/02/29"), &number) && mls_date_read(MLS_S("20261231"), &number));
    assert_false(mls_timezone_parse(MLS_S("+15:00"), &number) || mls_timezone_parse(MLS_S("-0960"), &number));
    assert_true(mls_timezone_parse(MLS_S("+14:00"), &number));
}

static void escapes(void **state)
{
    (void)state;
    expect("\x1b[31mred\x1b[0m\x1b]0;title\x07 and\x1b]0;t\x1b\\ on\x1b(B\b\x7f\t.", "red and on\t.", NAN, -1, -1, "",
           "");
    expect("\x1b[1m7\x1b[0m: x", "x", NAN, 7, -1, "", "");
    expect("\x1b[", "", NAN, -1, -1, "", "");
    expect("\x1b]never ends", "", NAN, -1, -1, "", "");
    expect("a\x1b", "a", NAN, -1, -1, "", "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranks_and_nodes),
        cmocka_unit_test(first_ranks),
        cmocka_unit_test(launchers),
        cmocka_unit_test(times),
        cmocka_unit_test(years),
        cmocka_unit_test(escapes),
        cmocka_unit_test(ranks_in_messages),
        cmocka_unit_test(strict),
    };
    return cmocka_run_group_tests_name("diagnose line", tests, NULL, NULL);
}
