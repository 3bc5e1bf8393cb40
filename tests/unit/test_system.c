/* SPDX-License-Identifier: Apache-2.0 */
/* System descriptions: which are rejected, and where the error is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "rounds.h"
#include "submission/judge.h"
#include "json/json_row.h"

static const char *const fields[] = {"submitter",
                                     "division",
                                     "status",
                                     "system_name",
                                     "number_of_nodes",
                                     "host_processors_per_node",
                                     "host_processor_model_name",
                                     "host_processor_core_count",
                                     "host_processor_vcpu_count",
                                     "host_processor_frequency",
                                     "host_processor_caches",
                                     "host_processor_interconnect",
                                     "host_memory_capacity",
                                     "host_storage_type",
                                     "host_storage_capacity",
                                     "host_networking",
                                     "host_networking_topology",
                                     "host_memory_configuration",
                                     "accelerators_per_node",
                                     "accelerator_model_name",
                                     "accelerator_host_interconnect",
                                     "accelerator_frequency",
                                     "accelerator_on-chip_memories",
                                     "accelerator_memory_configuration",
                                     "accelerator_memory_capacity",
                                     "accelerator_interconnect",
                                     "accelerator_interconnect_topology",
                                     "cooling",
                                     "hw_notes",
                                     "framework",
                                     "other_software_stack",
                                     "operating_system",
                                     "sw_notes"};

/* Return a description with every member except `without`, and `more` at its end. */
static char *description(const char *without, const char *status, const char *more)
{
    char *text = malloc(8192);
    size_t len = 0;
    assert_non_null(text);
    text[len++] = '{';
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        if (without == NULL || strcmp(fields[i], without) != 0) {
            const bool counts = strstr(fields[i], "per_node") != NULL || strcmp(fields[i], "number_of_nodes") == 0;
            const char *value = strcmp(fields[i], "status") == 0 ? status : counts ? "8" : "\"closed\"";
            len += (size_t)snprintf(text + len, 8192 - len, "%s\n  \"%s\": %s", len > 1 ? "," : "", fields[i], value);
        }
    }
    (void)snprintf(text + len, 8192 - len, "%s}\n", more);
    return text;
}

typedef struct judged {
    mls_system system;
    mls_findings findings;
    mls_arena arena;
} judged;

static judged judge(const char *text, size_t len, const char *edition)
{
    judged result = {.system = {.description.path = "systems/x.json"}};
    cJSON *rules;
    assert_int_equal(mls_json_data("systems.json", &rules, NULL), MLS_OK);
    mls_submission submission = {.edition = edition_named(edition), .arena = &result.arena};
    mls_submitter submitter = {.result_count = 0};
    mls_system_judge(&submission, &submitter, &result.system, rules, (mls_str){text, len}, &result.findings);
    mls_questions_release(&submission.questions);
    mls_findings_release(&result.system.findings); /* questions are not tested here */
    cJSON_Delete(rules);
    assert_int_equal(result.system.valid, result.findings.counts.error == 0);
    return result;
}

static void forget(judged *result)
{
    mls_arena_release(&result->arena);
    mls_findings_release(&result->findings);
}

static void every_field_is_required(void **state)
{
    (void)state;
    char *whole = description(NULL, "\"Preview\"", "");
    judged result = judge(whole, strlen(whole), "5.1.0");
    assert_true(result.system.valid);
    assert_string_equal(result.system.says.division, "closed");
    assert_string_equal(result.system.says.status, "Preview");
    forget(&result);
    free(whole);
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        char *text = description(fields[i], "\"Preview\"", "");
        result = judge(text, strlen(text), "5.1.0");
        assert_int_equal(result.findings.count, 1);
        assert_int_equal(result.findings.items[0].code, MLS_FINDING_SYSTEM_FIELD);
        assert_string_equal(result.findings.items[0].key, fields[i]);
        forget(&result);
        free(text);
    }
}

static void the_status_is_one_of_four_from_4_0_on(void **state)
{
    static const struct {
        const char *status;
        const char *edition;
        bool valid;
    } rows[] = {
        {"\"Available on-premise\"", "4.0.0", true},
        {"\"Available cloud\"", "6.1.0", true},
        {"\"Research, Development, or Internal (RDI)\"", "5.0.0", true},
        {"\"Preview\"", "4.1.0", true},
        {"\"preview\"", "4.0.0", false},
        {"\"onprem\"", "4.0.0", false},
        {"\"onprem\"", "3.1.0", true},
        {"\"Available cloud \"", "5.1.0", false},
        {"\"\\u0050review\"", "5.1.0", true},
        {"4", "5.1.0", false},
        {"null", "5.1.0", false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char *text = description(NULL, rows[i].status, "");
        judged result = judge(text, strlen(text), rows[i].edition);
        if (result.system.valid != rows[i].valid)
            fail_msg("%s in %s", rows[i].status, rows[i].edition);
        assert_int_equal(mls_findings_found(&result.findings, MLS_FINDING_SYSTEM_STATUS), rows[i].valid ? 0 : 1);
        forget(&result);
        free(text);
    }
}

static void what_is_not_json_is_refused_with_its_place(void **state)
{
    static const struct {
        const char *text;
        size_t len, line, column;
    } rows[] = {
        {"", 0, 1, 1},
        {"\n\n  ", 4, 3, 3},
        {"[]", 2, 1, 1},
        {"\"text\"", 6, 1, 1},
        {"{\"a\": 1,}", 9, 1, 9},
        {"{\n \"a\": 1,\n}", 12, 3, 1},
        {"{\n \"a\": 1\n \"b\": 2}", 19, 3, 2},
        {"{\"a\": \"two\nlines\"}", 18, 1, 11},
        {"{} x", 4, 1, 4},
        {"{\"a\": \"\xff\"}", 10, 1, 8},
        {"\xef\xbb\xbf{\"a\": 1,}", 12, 1, 9},
        {"{\"a\": 01}", 9, 1, 7},
        {"{\"a\": \"\0\"}", 10, 1, 8},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        judged result = judge(rows[i].text, rows[i].len, "5.1.0");
        const size_t marks = rows[i].text[0] == '\xef';
        assert_int_equal(result.findings.count, 1 + marks);
        const mls_finding *finding = &result.findings.items[marks];
        assert_int_equal(finding->code, MLS_FINDING_SYSTEM_JSON);
        if (finding->line != rows[i].line || finding->column != rows[i].column) {
            fail_msg("%s: %zu:%zu, expected %zu:%zu", rows[i].text, finding->line, finding->column, rows[i].line,
                     rows[i].column);
        }
        forget(&result);
    }
}

static void a_reader_like_the_reference_takes_these(void **state)
{
    (void)state;
    /* Python's parser accepts NaN, duplicate members (the last counts), any blanks, \r\n. */
    char *text = description(NULL, "\"Preview\"", ",\r\n\t\"x\": NaN, \"y\": [-Infinity], \"division\": \"open\"");
    judged result = judge(text, strlen(text), "5.1.0");
    assert_true(result.system.valid);
    assert_string_equal(result.system.says.division, "open");
    forget(&result);
    free(text);
}

static void a_byte_order_mark_is_the_only_mistake(void **state)
{
    (void)state;
    char *text = description(NULL, "\"Preview\"", "");
    char marked[8200];
    const int len = snprintf(marked, sizeof marked, "\xef\xbb\xbf%s", text);
    judged result = judge(marked, (size_t)len, "5.1.0");
    assert_int_equal(result.findings.count, 1);
    assert_int_equal(result.findings.items[0].code, MLS_FINDING_SYSTEM_JSON);
    assert_int_equal(result.findings.items[0].column, 1);
    assert_string_equal(result.system.says.status, "Preview");
    forget(&result);
    free(text);
}

static void a_division_is_spelled_closed_or_open(void **state)
{
    static const char *const spellings[] = {"\"Closed\"", "\"OPEN\"", "\"\"", "\"closed \"", "null"};
    (void)state;
    for (size_t i = 0; i < sizeof spellings / sizeof *spellings; i++) {
        char more[64];
        (void)snprintf(more, sizeof more, ", \"division\": %s", spellings[i]);
        char *text = description(NULL, "\"Preview\"", more);
        judged result = judge(text, strlen(text), "5.1.0");
        assert_true(result.system.valid);
        assert_int_equal(mls_findings_found(&result.findings, MLS_FINDING_DIVISION_SPELLING), 1);
        forget(&result);
        free(text);
    }
}

static void names_are_matched_by_one_pattern(void **state)
{
    static const struct {
        const char *name, *pattern;
        bool matches;
    } rows[] = {
        {"result_0.txt", "result_#.txt", true},
        {"result_10.txt", "result_#.txt", true},
        {"result_7", "result_#", true},
        {"result_.txt", "result_#.txt", false},
        {"result_01.txt", "result_#.txt", false},
        {"result_-1.txt", "result_#.txt", false},
        {"result_1.txt.txt", "result_#.txt", false},
        {"result_99999999999999999999999.txt", "result_#.txt", false},
        {"result_1.txt.txt", "result_*.txt", true},
        {"result_.txt", "result_*.txt", true},
        {"result.txt", "result_*.txt", false},
        {"x.json", "*.json", true},
        {"json", "*.json", false},
        {"power", "power", true},
        {"powers", "power", false},
        {"anything", "*", true},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (mls_name_matches(rows[i].name, rows[i].pattern) != rows[i].matches)
            fail_msg("%s as %s", rows[i].name, rows[i].pattern);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_field_is_required),
        cmocka_unit_test(the_status_is_one_of_four_from_4_0_on),
        cmocka_unit_test(what_is_not_json_is_refused_with_its_place),
        cmocka_unit_test(a_reader_like_the_reference_takes_these),
        cmocka_unit_test(a_byte_order_mark_is_the_only_mistake),
        cmocka_unit_test(a_division_is_spelled_closed_or_open),
        cmocka_unit_test(names_are_matched_by_one_pattern),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
