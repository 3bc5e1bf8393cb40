/* SPDX-License-Identifier: Apache-2.0 */
#include <fcntl.h>
#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "corpus.h"
#include "score/score.h"

#define SEED_AT(value, metadata)                                                                                       \
    ":::MLLOG {\"time_ms\": 1, \"key\": \"seed\", \"value\": " value ", \"metadata\": {" metadata "}}\n"
#define SEED(value) SEED_AT(value, "\"file\": \"train.py\", \"lineno\": 83")
#define LOGS_MAX 4096

static mls_status take_record(void *state, const mls_record *record)
{
    mls_run_record(state, record);
    return MLS_OK;
}

static mls_status take_malformed(void *state, const mls_malformed *malformed)
{
    mls_run_malformed(state, malformed);
    return MLS_OK;
}

static mls_sink sink_of(mls_run *run, const char *file)
{
    mls_run_init(run);
    run->file = strdup(file);
    assert_non_null(run->file);
    return (mls_sink){.state = run, .record = take_record, .malformed = take_malformed};
}

/* Check made-up logs called a, b, c …  Release the findings of the outcome after use. */
static mls_seed_outcome check_with(const char *const *texts, size_t count, bool bypass)
{
    static const char *const names[] = {"a", "b", "c", "d", "e", "f"};
    mls_run runs[6];
    const mls_run *all[6];
    mls_seed_outcome outcome = {.check = MLS_CHECK_NA};
    assert_true(count <= 6);
    for (size_t i = 0; i < count; i++) {
        mls_sink sink = sink_of(&runs[i], names[i]);
        mls_log_totals totals;
        assert_int_equal(mls_log_scan_bytes(mls_str_from(texts[i]), &sink, 1, &totals, NULL), MLS_OK);
        all[i] = &runs[i];
    }
    mls_seeds_check(all, count, bypass, &outcome);
    for (size_t i = 0; i < count; i++)
        mls_run_release(&runs[i]);
    return outcome;
}

static mls_seed_outcome check(const char *const *texts, size_t count)
{
    return check_with(texts, count, false);
}

static void assert_alone(const char *text, const char *problem)
{
    mls_seed_outcome verdict = check(&text, 1);
    if (problem == NULL) {
        assert_int_equal(verdict.check, MLS_CHECK_PASS);
        assert_int_equal(verdict.findings.count, 0);
    } else {
        assert_int_equal(verdict.findings.count, 1);
        assert_string_equal(verdict.findings.items[0].message, problem);
        assert_int_equal((verdict.check == MLS_CHECK_PASS), verdict.findings.counts.error == 0);
    }
    mls_findings_release(&verdict.findings);
}

static void different_seeds_are_fine(void **state)
{
    (void)state;
    const char *const texts[] = {SEED("1"), SEED("2"), SEED("\"3\""),
                                 SEED_AT("1", "\"file\": \"train.py\", \"lineno\": 84"),
                                 SEED_AT("1", "\"file\": \"eval.py\", \"lineno\": 83"),
                                 /* As doubles these would be equal to the next ones. */
                                 SEED("18446744073709551614")};
    mls_seed_outcome verdict = check(texts, 6);
    assert_int_equal(verdict.check, MLS_CHECK_PASS);
    assert_int_equal(verdict.findings.count, 0);
    assert_int_equal(verdict.count, 6);
    assert_int_equal(verdict.different, 6);
    const char *const large[] = {SEED("18446744073709551614"), SEED("18446744073709551615")};
    verdict = check(large, 2);
    assert_int_equal(verdict.check, MLS_CHECK_PASS);
}

static void shared_seeds_name_the_logs(void **state)
{
    (void)state;
    const char *const texts[] = {SEED("7"), "\n" SEED("5"), SEED("5.0"), SEED("7"), SEED("5e0"), SEED("6")};
    mls_seed_outcome verdict = check(texts, 6);
    assert_int_equal(verdict.check, MLS_CHECK_FAIL);
    assert_int_equal(verdict.different, 3);
    assert_int_equal(verdict.findings.count, 2);
    assert_string_equal(verdict.findings.items[0].message, "a:1 and d:1 share seed 7 (logged by train.py:83)");
    assert_string_equal(verdict.findings.items[1].message, "b:2, c:1 and e:1 share seed 5 (logged by train.py:83)");
    assert_string_equal(verdict.findings.items[1].path, "b");
    assert_int_equal(verdict.findings.items[1].line, 2);
    assert_int_equal(verdict.findings.items[1].code, MLS_FINDING_SEED_REPEATED);
    mls_findings_release(&verdict.findings);
    const char *const same[] = {SEED("1"), SEED("1"), SEED("1"), SEED("true"), SEED("1"), SEED("1.0")};
    verdict = check(same, 6);
    assert_int_equal(verdict.check, MLS_CHECK_FAIL);
    assert_string_equal(verdict.findings.items[0].message,
                        "a:1, b:1, c:1, d:1 and 2 more share seed 1 (logged by train.py:83)");
    mls_findings_release(&verdict.findings);
}

static void one_log_may_not_repeat_itself(void **state)
{
    (void)state;
    const char *text = SEED("1") SEED("2") SEED("1");
    mls_seed_outcome verdict = check(&text, 1);
    assert_int_equal(verdict.check, MLS_CHECK_FAIL);
    assert_int_equal(verdict.findings.count, 2);
    assert_string_equal(verdict.findings.items[0].message, "a logs 3 seeds");
    assert_int_equal(verdict.findings.items[0].severity, MLS_SEVERITY_WARNING);
    assert_string_equal(verdict.findings.items[1].message, "a:1 and a:3 share seed 1 (logged by train.py:83)");
    mls_findings_release(&verdict.findings);
}

static void what_one_log_alone_can_get_wrong(void **state)
{
    (void)state;
    assert_alone("", "a logs no seed");
    assert_alone(":::MLLOG {\"time_ms\": 1, \"key\": \"seeds\", \"value\": 1, \"metadata\": {}}\n", "a logs no seed");
    assert_alone(SEED_AT("1", "\"file\": \"x\""), "a:1: the metadata of the seed lack file or lineno");
    assert_alone(SEED_AT("1", "\"lineno\": 3"), "a:1: the metadata of the seed lack file or lineno");
    assert_alone(SEED_AT("1", "\"file\": null, \"lineno\": null"), NULL);
    assert_alone(SEED("1") SEED("2"), "a logs 2 seeds");
    assert_alone(SEED("1") ":::MLLOG {\n", "a has malformed lines (1), which may hide a seed");
    assert_alone(SEED("null"), "a:1: the seed is not an integer: null");
    assert_alone(SEED("[1]"), "a:1: the seed is not an integer: [1]");
    assert_alone(SEED("NaN"), "a:1: the seed is not an integer: NaN");
    assert_alone(SEED("\"4.5\""), "a:1: the seed is not an integer: 4.5");
    assert_alone(SEED("\"\""), "a:1: the seed is not an integer: ");
    assert_alone(SEED("\"1__0\""), "a:1: the seed is not an integer: 1__0");
    assert_alone(SEED("\"_1\""), "a:1: the seed is not an integer: _1");
    assert_alone(SEED("\"1_\""), "a:1: the seed is not an integer: 1_");
    assert_alone(SEED("\"-\""), "a:1: the seed is not an integer: -");
    assert_alone(SEED("\" \\t-1_000\\n\""), NULL);
    assert_alone(SEED("\"007\""), NULL);
    assert_alone(SEED("4.5"), NULL);
    assert_alone(SEED("true"), NULL);
    assert_alone(SEED("123456789012345678901234567890"), NULL);
}

/* Values are compared as Python's int() reads them.  One that it rejects differs from all that it accepts. */
static void seeds_are_compared_as_whole_numbers(void **state)
{
    static const char *const same[] = {"4711",          "4711.0", "4711.9",     "47.11e2",   "\"4711\"",
                                       "\" +4711\\n\"", "\"0\"",  "\"4_7_11\"", "\"004711\""};
    static const char *const others[] = {"4712", "-4711", "\"-4711\"", "47110", "4711000000000000000000000000"};
    (void)state;
    for (size_t i = 1; i < sizeof same / sizeof same[0]; i++) {
        char text[2][160];
        (void)snprintf(text[0], sizeof text[0], SEED("%s"), same[0]);
        (void)snprintf(text[1], sizeof text[1], SEED("%s"), same[i]);
        mls_seed_outcome outcome = check((const char *const[]){text[0], text[1]}, 2);
        const bool zero = strcmp(same[i], "\"0\"") == 0;
        assert_int_equal(outcome.check, zero ? MLS_CHECK_PASS : MLS_CHECK_FAIL);
        assert_int_equal(outcome.different, zero ? 2 : 1);
        mls_findings_release(&outcome.findings);
    }
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        char text[2][160];
        (void)snprintf(text[0], sizeof text[0], SEED("%s"), same[0]);
        (void)snprintf(text[1], sizeof text[1], SEED("%s"), others[i]);
        mls_seed_outcome outcome = check((const char *const[]){text[0], text[1]}, 2);
        assert_int_equal(outcome.check, MLS_CHECK_PASS);
        mls_findings_release(&outcome.findings);
    }
    /* -0, 0.9 and 0 are equal. */
    mls_seed_outcome outcome = check((const char *const[]){SEED("-0"), SEED("0.9"), SEED("\"-00\"")}, 3);
    assert_int_equal(outcome.different, 1);
    mls_findings_release(&outcome.findings);
}

static void bypassed_errors_are_warnings(void **state)
{
    (void)state;
    const char *texts[] = {SEED("1"), SEED("1")};
    mls_seed_outcome outcome = check_with(texts, 2, true);
    assert_int_equal(outcome.check, MLS_CHECK_BYPASSED);
    assert_int_equal(outcome.findings.counts.error, 0);
    assert_string_equal(outcome.findings.items[0].message,
                        "a:1 and b:1 share seed 1 (logged by train.py:83) (bypassed)");
    mls_findings_release(&outcome.findings);
}

static void hostile_text_is_escaped(void **state)
{
    (void)state;
    assert_alone(SEED("\"\\u001b[2J\""), "a:1: the seed is not an integer: \\x1b[2J");
}

static void number_of_seeds_is_limited(void **state)
{
    (void)state;
    mls_buffer text = {0};
    for (size_t i = 0; i <= MLS_SEEDS_MAX; i++) {
        mls_buffer_printf(&text,
                          ":::MLLOG {\"time_ms\": 1, \"key\": \"seed\", \"value\": %zu, \"metadata\": {\"file\": 1, "
                          "\"lineno\": 2}}\n",
                          i);
    }
    const char *log = text.ptr;
    mls_seed_outcome verdict = check(&log, 1);
    assert_int_equal(verdict.check, MLS_CHECK_FAIL);
    assert_string_equal(verdict.findings.items[0].message, "a logs more than 65536 seeds");
    mls_findings_release(&verdict.findings);
    mls_buffer_release(&text);
}

/* ---- against the package checker's verdicts on published logs */

static void compare_folder(const char *table, const cJSON *row, void *state)
{
    const cJSON *expected = cJSON_GetObjectItemCaseSensitive(row, "seeds_ok");
    char root[512];
    char pattern[1024];
    if (!cJSON_IsBool(expected) || !corpus_logs(table, root, sizeof root))
        return;
    (void)snprintf(pattern, sizeof pattern, "%s/%s/result_*.txt", root, corpus_text(row, "dir"));
    glob_t found;
    assert_int_equal(glob(pattern, 0, NULL, &found), 0);
    assert_true(found.gl_pathc < LOGS_MAX);
    static mls_run runs[LOGS_MAX];
    static const mls_run *all[LOGS_MAX];
    for (size_t i = 0; i < found.gl_pathc; i++) {
        mls_sink sink = sink_of(&runs[i], found.gl_pathv[i]);
        mls_log_totals totals;
        int file = open(found.gl_pathv[i], O_RDONLY | O_CLOEXEC);
        assert_true(file >= 0);
        assert_int_equal(mls_log_scan_fd(file, NULL, &sink, 1, &totals, NULL), MLS_OK);
        close(file);
        all[i] = &runs[i];
    }
    mls_seed_outcome verdict = {.check = MLS_CHECK_NA};
    mls_seeds_check(all, found.gl_pathc, false, &verdict);
    if ((verdict.check == MLS_CHECK_PASS) != (bool)cJSON_IsTrue(expected)) {
        fail_msg("%s %s: seeds %s: %s", corpus_text(row, "edition"), corpus_text(row, "dir"),
                 (verdict.check == MLS_CHECK_PASS) ? "ok" : "not ok",
                 verdict.findings.count > 0 ? verdict.findings.items[0].message : "");
    }
    for (size_t i = 0; i < found.gl_pathc; i++)
        mls_run_release(&runs[i]);
    mls_findings_release(&verdict.findings);
    globfree(&found);
    ++*(size_t *)state;
}

static void verdicts_agree_with_the_reference(void **state)
{
    (void)state;
    size_t folders = 0;
    if (!corpus_each_folder(compare_folder, &folders) || folders == 0)
        skip();
    assert_true(folders > 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(different_seeds_are_fine),          cmocka_unit_test(shared_seeds_name_the_logs),
        cmocka_unit_test(one_log_may_not_repeat_itself),     cmocka_unit_test(what_one_log_alone_can_get_wrong),
        cmocka_unit_test(hostile_text_is_escaped),           cmocka_unit_test(number_of_seeds_is_limited),
        cmocka_unit_test(verdicts_agree_with_the_reference), cmocka_unit_test(seeds_are_compared_as_whole_numbers),
        cmocka_unit_test(bypassed_errors_are_warnings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
