/* SPDX-License-Identifier: Apache-2.0 */
/* clang-format off */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
/* clang-format on */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "checker_sink.h"

/* A made-up edition, small enough to show the effect of each rule. */
static const char rules[] =
    "{\"usage\": \"training\", \"edition\": \"5.1.0\", \"scopes\": {"
    " \"common\": {\"begin\": {\"started\": false, \"names\": [], \"limit\": 0}, \"keys\": {"
    "   \"submission_division\": {\"occurs\": \"optional\", \"after\": [{\"use\": \"{value}_common\"}]},"
    "   \"start\": {\"occurs\": \"optional\", \"after\": [{\"set\": \"started\", \"to\": \"true\"}]},"
    "   \"stop\": {\"check\": \"$started\"},"
    "   \"soon\": {\"check\": \"time_ms < $limit * 1000\"},"
    "   \"limit\": {\"after\": [{\"set\": \"limit\", \"to\": \"value * 2\"}]},"
    "   \"rank\": {\"occurs\": \"optional\", \"check\": \"value == 16\"},"
    "   \"seed\": \"exactly_one\","
    "   \"twice\": \"at_least(2)\","
    "   \"this\": \"at_least_one_or(that)\","
    "   \"that\": \"at_least_one_or(this)\","
    "   \"eval\": {\"check\": [\"has(metadata, \\\"samples_count\\\")\", \"metadata.samples_count > 0\"],"
    "             \"check_any\": \"value <= 0.925 && value > 0.0\"},"
    "   \"first\": {\"check_first\": \"value == 1\"},"
    "   \"tensor\": {\"after\": [{\"set\": \"names\", \"to\": \"$names + [metadata.tensor]\"}]}"
    " }, \"end\": \"len($names) < 3\"},"
    " \"closed_common\": {\"keys\": {"
    "   \"submission_benchmark\": {\"after\": [{\"use\": \"closed_{lower(value)}\"}]},"
    "   \"rank\": {\"occurs\": \"exactly_one\", \"check\": \"value in [8, 32]\"}}},"
    " \"open_common\": {\"keys\": {\"seed\": \"optional\"}},"
    " \"closed_moon\": {\"begin\": {}, \"derive\": {\"key\": \"pair\", \"from\": \"metric\", "
    "    \"group_by\": \"metadata.step\", \"field\": \"metadata.name\"},"
    "   \"keys\": {\"pair\": {\"occurs\": \"at_least(2)\", \"check\": \"has(value, \\\"A\\\") && has(value, "
    "\\\"B\\\")\","
    "      \"check_any\": \"value.A + value.B == value.step\"}}}"
    "}}";

typedef struct fixture {
    mls_ruleset *ruleset;
    mls_checker *checker;
    mls_buffer log;
} fixture;

static int setup(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    mls_error error = {0};
    if (f == NULL || mls_ruleset_load_text(mls_str_from(rules), &f->ruleset, &error) != MLS_OK) {
        print_error("%zu:%zu: %s\n", error.line, error.column, error.message);
        free(f);
        return -1;
    }
    const mls_checker_options options = {.ruleset = f->ruleset};
    f->checker = mls_checker_new(&options);
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    fixture *f = *state;
    mls_checker_free(f->checker);
    mls_ruleset_free(f->ruleset);
    mls_buffer_release(&f->log);
    free(f);
    return 0;
}

/* Add a record, preceded by the minimum log for these rules if it is the first one. */
static void add(fixture *f, const char *key, const char *value, const char *metadata)
{
    if (f->log.len == 0) {
        mls_buffer_append_text(&f->log,
                               ":::MLLOG {\"time_ms\": 1, \"key\": \"seed\", \"value\": 7, \"metadata\": {}}\n"
                               ":::MLLOG {\"time_ms\": 2, \"key\": \"twice\", \"value\": 7, \"metadata\": {}}\n"
                               ":::MLLOG {\"time_ms\": 3, \"key\": \"twice\", \"value\": 7, \"metadata\": {}}\n"
                               ":::MLLOG {\"time_ms\": 4, \"key\": \"that\", \"value\": 7, \"metadata\": {}}\n");
    }
    mls_buffer_printf(&f->log, ":::MLLOG {\"time_ms\": 5, \"key\": \"%s\", \"value\": %s, \"metadata\": %s}\n", key,
                      value, metadata);
}

static mls_verdict judge(fixture *f)
{
    mls_checker_reset(f->checker);
    const mls_sink sink = checker_sink(f->checker);
    assert_int_equal(mls_log_scan_bytes(mls_buffer_str(&f->log), &sink, 1, NULL, NULL), MLS_OK);
    mls_buffer_clear(&f->log);
    return mls_checker_verdict(f->checker);
}

/* Check that there is exactly one finding. */
static void expect(mls_verdict verdict, mls_finding_code code, size_t line, const char *key, const char *message)
{
    for (size_t i = 1; i < verdict.findings->count; i++)
        print_error("also: %s\n", verdict.findings->items[i].message);
    assert_int_equal(verdict.findings->count, 1);
    const mls_finding *finding = &verdict.findings->items[0];
    assert_string_equal(finding->message, message);
    assert_int_equal(finding->code, code);
    assert_int_equal(finding->line, line);
    if (key == NULL)
        assert_null(finding->key);
    else
        assert_string_equal(finding->key, key);
    assert_int_equal(verdict.valid, finding->severity != MLS_SEVERITY_ERROR);
}

static void test_a_good_log_is_valid(void **state)
{
    fixture *f = *state;
    add(f, "start", "null", "{}");
    add(f, "stop", "null", "{}");
    add(f, "rank", "16", "{}");
    add(f, "eval", "0.9", "{\"samples_count\": 1}");
    const mls_verdict verdict = judge(f);
    assert_true(verdict.valid);
    assert_int_equal(verdict.findings->count, 0);
    assert_string_equal(verdict.edition, "5.1.0");
}

static void test_checks(void **state)
{
    fixture *f = *state;
    add(f, "rank", "32", "{}");
    expect(judge(f), MLS_FINDING_VALUE, 5, "rank", "rank must be 16, is 32 (common, 5.1.0)");
    add(f, "stop", "null", "{}");
    expect(judge(f), MLS_FINDING_ORDER, 5, "stop", "stop must come after start (common, 5.1.0)");
    add(f, "eval", "0.9", "{\"epoch_num\": 1}");
    expect(judge(f), MLS_FINDING_METADATA, 5, "eval",
           "eval must have samples_count in its metadata; it has epoch_num; check whether samples_count was logged as "
           "epoch_num "
           "(common, 5.1.0)");
    add(f, "eval", "0.9", "{\"samples_count\": \"many\"}");
    expect(judge(f), MLS_FINDING_UNEVALUATED, 5, "eval",
           "eval must have samples_count in its metadata that is above 0, but metadata.samples_count is a string "
           "(\"many\"), not a "
           "number "
           "(common, 5.1.0)");
    add(f, "soon", "1", "{}");
    expect(judge(f), MLS_FINDING_ORDER, 5, "soon",
           "soon must hold: its time is below limit (0) times 1000; limit, which sets limit, has not been logged yet: "
           "log it before soon (common, 5.1.0)");
    add(f, "first", "2", "{}");
    add(f, "first", "2", "{}");
    expect(judge(f), MLS_FINDING_VALUE, 5, "first", "first must be 1, is 2 (common, 5.1.0)");
}

static void test_target(void **state)
{
    fixture *f = *state;
    add(f, "eval", "0.95", "{\"samples_count\": 1024}");
    add(f, "eval", "0.931", "{\"samples_count\": 3072}");
    add(f, "eval", "0.94", "{\"samples_count\": 4096}");
    expect(judge(f), MLS_FINDING_TARGET, 6, "eval",
           "eval must reach at most 0.925 and above 0.0; best was 0.931 at 3,072 samples, line 6 (common, 5.1.0)");
    add(f, "eval", "\"good\"", "{\"samples_count\": 1}");
    add(f, "eval", "0.9", "{\"samples_count\": 1}");
    expect(judge(f), MLS_FINDING_EVALUATION, 5, "@evaluation",
           "eval must be comparable with the target (at most 0.925 and above 0.0), but value is a string (\"good\"), "
           "not "
           "a number (common, 5.1.0)");
}

static void test_actions(void **state)
{
    fixture *f = *state;
    add(f, "limit", "\"x\"", "{}");
    expect(judge(f), MLS_FINDING_ACTION, 5, "limit",
           "rules that depend on limit cannot use it: value is a string (\"x\"), not a number (common, 5.1.0)");
    add(f, "tensor", "1", "{\"tensor\": \"a\"}");
    add(f, "tensor", "1", "{\"tensor\": \"b\"}");
    add(f, "tensor", "1", "{\"tensor\": \"\\u00e9\"}");
    expect(judge(f), MLS_FINDING_END, 0, "@end",
           "at the end of the log must hold: the length of names ([\"a\", \"b\", \"é\"]) is below 3 (common, 5.1.0)");
}

static void test_occurrences(void **state)
{
    fixture *f = *state;
    add(f, "seed", "7", "{}");
    expect(judge(f), MLS_FINDING_REPEATED, 5, "seed",
           "seed is logged 2 times with the same value, first at line 1; log it once");
    add(f, "seed", "7.0", "{}"); /* the same value, written differently */
    expect(judge(f), MLS_FINDING_REPEATED, 5, "seed",
           "seed is logged 2 times with the same value, first at line 1; log it once");
    add(f, "seed", "8", "{}");
    expect(judge(f), MLS_FINDING_OCCURRENCE, 5, "seed",
           "seed must be logged exactly once, is logged 2 times with different values: 7 at line 1, 8 at line 5 "
           "(common, 5.1.0)");
    mls_buffer_append_text(&f->log, ":::MLLOG {\"time_ms\": 1, \"key\": \"twice\", \"value\": 7, \"metadata\": {}}\n");
    const mls_verdict verdict = judge(f);
    assert_int_equal(verdict.findings->count, 4);
    assert_string_equal(verdict.findings->items[0].message,
                        "seed must be logged exactly once, is missing (common, 5.1.0)");
    assert_string_equal(verdict.findings->items[1].message,
                        "twice must be logged at least 2 times, is logged 1 time (common, 5.1.0)");
    assert_string_equal(verdict.findings->items[2].key, "that|this");
    assert_string_equal(verdict.findings->items[3].key, "that|this");
}

static void test_scopes_overrule(void **state)
{
    fixture *f = *state;
    /* rank 32 breaks a rule of common before the division is known; closed_common overrules that rule. */
    add(f, "rank", "32", "{}");
    add(f, "submission_division", "\"closed\"", "{}");
    assert_true(judge(f).valid);
    add(f, "rank", "16", "{}");
    add(f, "submission_division", "\"closed\"", "{}");
    expect(judge(f), MLS_FINDING_VALUE, 5, "rank", "rank must be 8 or 32, is 16 (closed_common, 5.1.0)");
    add(f, "submission_division", "\"closed\"", "{}");
    expect(judge(f), MLS_FINDING_OCCURRENCE, 0, "rank",
           "rank must be logged exactly once, is missing (closed_common, 5.1.0)");
    /* Only the first division counts, and open_common does not require exactly one seed. */
    add(f, "submission_division", "\"open\"", "{}");
    add(f, "submission_division", "\"closed\"", "{}");
    add(f, "seed", "8", "{}");
    const mls_verdict verdict = judge(f);
    assert_true(verdict.valid);
}

static void test_scopes_that_do_not_exist(void **state)
{
    fixture *f = *state;
    add(f, "submission_division", "\"sideways\"", "{}");
    expect(judge(f), MLS_FINDING_UNKNOWN_SCOPE, 5, "@unknown-scope",
           "submission_division selects the rules sideways_common, which do not exist in training 5.1.0");
    static const char *const names[] = {"\"../x\"", "\"\\u0000\"", "null", "[1]", "\"{value}\""};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        add(f, "submission_division", names[i], "{}");
        const mls_verdict verdict = judge(f);
        assert_int_equal(verdict.findings->count, 1);
        assert_int_equal(verdict.findings->items[0].code, MLS_FINDING_UNKNOWN_SCOPE);
    }
    /* A benchmark named common queues a scope that is judged already: no loop, no new findings. */
    add(f, "rank", "8", "{}");
    add(f, "submission_division", "\"closed\"", "{}");
    add(f, "submission_benchmark", "\"Common\"", "{}");
    const mls_verdict verdict = judge(f);
    assert_true(verdict.valid);
}

static void add_moon(fixture *f)
{
    add(f, "rank", "8", "{}");
    add(f, "submission_division", "\"closed\"", "{}");
    add(f, "submission_benchmark", "\"moon\"", "{}");
}

static void test_derived_records(void **state)
{
    fixture *f = *state;
    add(f, "metric", "1", "{\"name\": \"A\", \"step\": 3}");
    add(f, "metric", "2", "{\"name\": \"B\", \"step\": 3.0}");
    add_moon(f);
    add(f, "metric", "5", "{\"name\": \"B\", \"step\": 4}");
    add(f, "metric", "6", "{\"name\": \"A\", \"step\": 4}");
    add(f, "metric", "6", "{\"other\": \"A\"}");
    assert_true(judge(f).valid);

    add_moon(f);
    add(f, "metric", "-2", "{\"name\": \"B\", \"step\": 4}");
    add(f, "metric", "6", "{\"name\": \"A\", \"step\": 4}");
    add(f, "metric", "1", "{\"name\": \"A\", \"step\": 5}");
    const mls_verdict verdict = judge(f);
    assert_int_equal(verdict.findings->count, 2);
    assert_string_equal(verdict.findings->items[1].message,
                        "pair must have A in its value and must have B in its value, is {\"step\": 5, \"A\": 1} "
                        "(closed_moon, 5.1.0)");
    assert_string_equal(verdict.findings->items[0].key, "@evaluation");
    assert_false(verdict.valid);

    add_moon(f);
    add(f, "metric", "5", "{\"name\": \"B\"}");
    const mls_verdict missing = judge(f);
    assert_false(missing.valid);
    assert_string_equal(missing.findings->items[0].message,
                        "cannot derive pair: step of metric is missing in its metadata (closed_moon, 5.1.0)");
}

static void test_too_much(void **state)
{
    fixture *f = *state;
    add_moon(f);
    for (int i = 0; i < 5000; i++) {
        char metadata[64];
        (void)snprintf(metadata, sizeof metadata, "{\"name\": \"A\", \"step\": %d}", i);
        add(f, "metric", "1", metadata);
    }
    const mls_verdict verdict = judge(f);
    assert_false(verdict.valid);
    assert_true(mls_findings_found(verdict.findings, MLS_FINDING_TOO_MUCH) >= 5000 - 4096);
}

static void test_lines(void **state)
{
    fixture *f = *state;
    add(f, "rank", "16", "{}");
    mls_buffer_append_text(&f->log,
                           ":::MLLOG {\"time_ms\": 1, \"key\": \"a\", :::MLLOG {\"time_ms\": 1, \"key\": \"a\"}\n");
    const mls_verdict verdict = judge(f);
    assert_false(verdict.valid);
    assert_string_equal(verdict.findings->items[0].key, "@malformed");
    assert_non_null(strstr(verdict.findings->items[0].message, "two processes may have written to this line"));
    add(f, "rank", "16", "{}");
    f->log.len--;
    mls_buffer_append_text(&f->log, ":::MLLOG {\"time_ms\": 9, \"key\": \"x\", \"value\": 1, \"metadata\": {}}\n");
    expect(judge(f), MLS_FINDING_TORN_LINE, 5, NULL,
           "two records in this line; the compliance checker reads only the last");
    add(f, "rank", "16", "{}");
    f->log.len -= 2;
    mls_buffer_append_text(&f->log, ":::MLLOG {\"time_ms\": 9, \"key\": \"x\", \"value\": 1, \"metadata\": {}}\n");
    expect(judge(f), MLS_FINDING_TORN_LINE, 5, NULL, "an earlier record in this line was overwritten and is lost");
    mls_buffer_append_text(&f->log, "nothing\n");
    const mls_verdict empty = judge(f);
    assert_false(empty.valid);
    assert_int_equal(mls_findings_found(empty.findings, MLS_FINDING_EMPTY), 1);
}

static void test_no_rule_hides_another(void **state)
{
    fixture *f = *state;
    for (int i = 0; i < 500; i++)
        add(f, "stop", "1", "{}");
    add(f, "soon", "1", "{}");
    const mls_verdict verdict = judge(f);
    assert_int_equal(verdict.findings->count, MLS_FINDINGS_KEPT_PER_CODE);
    assert_int_equal(verdict.findings->counts.error, 501);
    assert_string_equal(verdict.findings->items[verdict.findings->count - 1].key, "soon");
}

static void test_advice_never_changes_the_verdict(void **state)
{
    fixture *f = *state;
    add(f, "run_start", "null", "{}");
    mls_buffer_append_text(&f->log, ":::MLLOG {\"time_ms\": 90000000, \"key\": \"run_stop\", \"value\": null, "
                                    "\"metadata\": {\"status\": \"aborted\"}}\n");
    const mls_verdict stopped = judge(f);
    assert_true(stopped.valid);
    assert_int_equal(stopped.findings->count, 2);
    assert_string_equal(stopped.findings->items[0].message, "run_stop has status aborted");
    assert_int_equal(stopped.findings->items[0].severity, MLS_SEVERITY_ADVICE);
    assert_string_equal(stopped.findings->items[1].message, "the run took 25.0 hours");
    /* Late evaluations and a late cache_clear are not clock differences, but the steps of the run are. */
    mls_buffer_append_text(&f->log,
                           ":::MLLOG {\"time_ms\": 9000, \"key\": \"run_start\", \"value\": 1, \"metadata\": {}}\n");
    add(f, "rank", "16", "{}");
    mls_buffer_append_text(&f->log,
                           ":::MLLOG {\"time_ms\": 1, \"key\": \"seed\", \"value\": 7, \"metadata\": {}}\n"
                           ":::MLLOG {\"time_ms\": 1, \"key\": \"cache_clear\", \"value\": 7, \"metadata\": {}}\n"
                           ":::MLLOG {\"time_ms\": 1, \"key\": \"eval_accuracy\", \"value\": 0, \"metadata\": {}}\n"
                           ":::MLLOG {\"time_ms\": 1, \"key\": \"init_stop\", \"value\": 7, \"metadata\": {}}\n"
                           ":::MLLOG {\"time_ms\": 2, \"key\": \"twice\", \"value\": 7, \"metadata\": {}}\n"
                           ":::MLLOG {\"time_ms\": 3, \"key\": \"twice\", \"value\": 7, \"metadata\": {}}\n"
                           ":::MLLOG {\"time_ms\": 4, \"key\": \"that\", \"value\": 7, \"metadata\": {}}\n");
    expect(judge(f), MLS_FINDING_CLOCK, 6, NULL, "this record's time is 8.999 s before that of an earlier one");
    mls_buffer_append_text(&f->log, ":::MLLOG {\"time_ms\": 1, \"key\": \"sede\", \"value\": 7, \"metadata\": {}}\n"
                                    ":::MLLOG {\"time_ms\": 2, \"key\": \"twice\", \"value\": 7, \"metadata\": {}}\n"
                                    ":::MLLOG {\"time_ms\": 3, \"key\": \"twice\", \"value\": 7, \"metadata\": {}}\n"
                                    ":::MLLOG {\"time_ms\": 4, \"key\": \"that\", \"value\": 7, \"metadata\": {}}\n");
    const mls_verdict misspelt = judge(f);
    assert_int_equal(misspelt.findings->count, 2);
    assert_string_equal(misspelt.findings->items[0].message,
                        "unknown key sede, and seed is missing; check the spelling");
    add(f, "submission_division", "\"open\"", "{}");
    add(f, "only_closed", "1", "{}");
    assert_true(judge(f).valid);
}

static void test_other_editions(void **state)
{
    (void)state;
    mls_rulesets *rulesets;
    mls_checker *checker;
    assert_int_equal(mls_rulesets_new(&rulesets, NULL), MLS_OK);
    const mls_checker_options options = {.rulesets = rulesets, .usage = MLS_USAGE_TRAINING};
    checker = mls_checker_new(&options);
    const mls_sink sink = checker_sink(checker);
    /* 19 April 2025 is in edition 5.0, which does not have gpt3, so the newest edition with it counts */
    static const char log[] =
        ":::MLLOG {\"time_ms\": 1745066917961, \"key\": \"submission_benchmark\", \"value\": \"gpt3\", \"metadata\": "
        "{}}\n"
        ":::MLLOG {\"time_ms\": 1745066917961, \"key\": \"submission_division\", \"value\": \"open\", \"metadata\": "
        "{}}\n"
        ":::MLLOG {\"time_ms\": 1745066917961, \"key\": \"lora_rank\", \"value\": 8, \"metadata\": {}}\n"
        ":::MLLOG {\"time_ms\": 1745066917961, \"key\": \"lora_rank\", \"value\": 16, \"metadata\": {}}\n";
    assert_int_equal(mls_log_scan_bytes(mls_str_from(log), &sink, 1, NULL, NULL), MLS_OK);
    const mls_verdict verdict = mls_checker_verdict(checker);
    assert_true(verdict.guessed);
    assert_true(verdict.by_date);
    assert_string_equal(verdict.edition, "4.1.0");
    bool several = false;
    for (size_t i = 0; i < verdict.findings->count; i++) {
        const mls_finding *finding = &verdict.findings->items[i];
        several |= finding->code == MLS_FINDING_SEVERAL_VALUES && finding->line == 4 &&
                   strcmp(finding->message, "lora_rank differs from its value at line 3") == 0;
    }
    assert_true(several);

    /* If an edition is given, the log is judged by it. */
    const mls_edition *older;
    mls_checker_options named = options;
    assert_int_equal(mls_editions_find(mls_rulesets_editions(rulesets), MLS_USAGE_TRAINING, MLS_S("5.0"), &older, NULL),
                     MLS_OK);
    assert_int_equal(mls_rulesets_get(rulesets, older, &named.ruleset, NULL), MLS_OK);
    mls_checker_free(checker);
    checker = mls_checker_new(&named);
    const mls_sink judging = checker_sink(checker);
    assert_int_equal(mls_log_scan_bytes(mls_str_from(log), &judging, 1, NULL, NULL), MLS_OK);
    const mls_verdict judged = mls_checker_verdict(checker);
    bool advised = false;
    for (size_t i = 0; i < judged.findings->count; i++) {
        advised |= strcmp(judged.findings->items[i].message,
                          "round 5.0.0 does not have benchmark gpt3, but 4.1.0 does; try --edition 4.1.0") == 0;
    }
    assert_true(advised);
    mls_checker_free(checker);
    mls_rulesets_free(rulesets);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_good_log_is_valid),
        cmocka_unit_test(test_checks),
        cmocka_unit_test(test_target),
        cmocka_unit_test(test_actions),
        cmocka_unit_test(test_occurrences),
        cmocka_unit_test(test_scopes_overrule),
        cmocka_unit_test(test_scopes_that_do_not_exist),
        cmocka_unit_test(test_derived_records),
        cmocka_unit_test(test_too_much),
        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_no_rule_hides_another),
        cmocka_unit_test(test_advice_never_changes_the_verdict),
        cmocka_unit_test(test_other_editions),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
