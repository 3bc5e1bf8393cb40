/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include <cmocka.h>

#include "close.h"
#include "score/score.h"

#define RECORD(time, key, value)                                                                                       \
    ":::MLLOG {\"time_ms\": " time ", \"key\": \"" key "\", \"value\": " value ", \"metadata\": {}}\n"
#define EFFICIENCY(value) RECORD("1", "conversion_eff", value)
#define START(time) RECORD(time, "power_measurement_start", "null")
#define STOP(time) RECORD(time, "power_measurement_stop", "null")
#define READING(time, watts) RECORD(time, "power_reading", watts)

static mls_findings findings;

/* Return the joules that a power file adds. */
static double joules_of(const char *text, bool is_node, double time_to_train_ms, const char *name)
{
    double joules = 0;
    FILE *file = tmpfile();
    mls_findings_release(&findings);
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    rewind(file);
    assert_int_equal(mls_energy_read(dup(fileno(file)), is_node, time_to_train_ms, name, &findings, &joules, NULL),
                     MLS_OK);
    assert_int_equal(fclose(file), 0);
    return joules;
}

static double node(const char *text, double time_to_train_ms)
{
    return joules_of(text, true, time_to_train_ms, "node_0.txt");
}

static double network(const char *text, double time_to_train_ms)
{
    return joules_of(text, false, time_to_train_ms, "sw_0.txt");
}

/* 100 W for 1 s, 300 W for 2 s, nothing for 1 s: 700 J in 4 s, 175 W; at 0.9 for 10 s of training 1575 J. */
static void node_by_hand(void **state)
{
    (void)state;
    double joules = node(EFFICIENCY("0.9") READING("500", "9999") START("1000") READING("2000", "100")
                             READING("4000", "300") STOP("5000") READING("6000", "9999"),
                         10000);
    assert_close(joules, 1575, 1e-9);
    assert_int_equal(findings.count, 0);
}

static void readings_are_sorted_by_time(void **state)
{
    (void)state;
    double joules = node(READING("6000", "9999") READING("4000", "300") STOP("5000") READING("500", "9999")
                             READING("2000", "100") START("1000") EFFICIENCY("0.9"),
                         10000);
    assert_close(joules, 1575, 1e-9);
    assert_int_equal(findings.count, 0);
}

/* Up to the last reading: 700 J in 3 s. */
static void missing_stop_ends_with_the_last_reading(void **state)
{
    (void)state;
    double joules = node(EFFICIENCY("1") START("1000") READING("4000", "300") READING("2000", "100"), 9000);
    assert_close(joules, 2100, 1e-9);
    assert_int_equal(findings.count, 1);
    assert_int_equal(findings.items[0].code, MLS_FINDING_POWER_STOP);
    assert_int_equal(findings.counts.error, 0);
}

static void events_of_the_same_time_keep_their_order(void **state)
{
    (void)state;
    const char *text =
        EFFICIENCY("1") START("0") READING("1000", "100") READING("1000", "900") STOP("1000") READING("1000", "900");
    assert_close(node(text, 1000), 100, 1e-9);
}

static void files_that_do_not_tell(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "",
        EFFICIENCY("1") READING("1000", "5") STOP("2000"),
        EFFICIENCY("1") START("1000"),
        EFFICIENCY("1") START("1000") READING("1000", "5"),
        START("1000") READING("2000", "100") STOP("3000"),
        EFFICIENCY("\"x\"") START("1000") READING("2000", "100") STOP("3000"),
        EFFICIENCY("1") START("1000") READING("2000", "NaN") READING("2500", "4") STOP("3000"),
        EFFICIENCY("1") START("1000") READING("2000", "100") ":::MLLOG {\n" STOP("3000"),
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        assert_true(isnan(node(texts[i], 1000)));
        assert_int_equal(findings.counts.error, 0);
        assert_int_equal(findings.items[0].code, MLS_FINDING_POWER_LOG);
        assert_string_equal(findings.items[0].path, "node_0.txt");
    }
    assert_true(isnan(node(EFFICIENCY("1") START("1000") READING("2000", "100") STOP("3000"), NAN)));
}

/* 800 W at 1.25 for 3 s of training: 3000 J. */
static void switch_by_hand(void **state)
{
    (void)state;
    assert_close(network(EFFICIENCY("1.25") RECORD("2", "interconnect_power_est", "800"), 3000), 3000, 1e-9);
    assert_int_equal(findings.count, 0);
    assert_true(isnan(network(EFFICIENCY("1.25"), 3000)));
    assert_int_equal(findings.counts.warning, 1);
    /* Readings alone add nothing. */
    assert_close(network(EFFICIENCY("1.25") START("1000") READING("2000", "100") STOP("3000"), 3000), 0, 0);
    assert_int_equal(findings.counts.warning, 1);
    assert_true(isnan(network(RECORD("2", "interconnect_power_est", "800"), 3000)));
}

static int release(void **state)
{
    (void)state;
    mls_findings_release(&findings);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(node_by_hand),
        cmocka_unit_test(readings_are_sorted_by_time),
        cmocka_unit_test(missing_stop_ends_with_the_last_reading),
        cmocka_unit_test(events_of_the_same_time_keep_their_order),
        cmocka_unit_test(files_that_do_not_tell),
        cmocka_unit_test(switch_by_hand),
    };
    return cmocka_run_group_tests(tests, NULL, release);
}
