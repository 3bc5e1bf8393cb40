/* SPDX-License-Identifier: Apache-2.0 */
/* Digests of system descriptions: those of published rounds are the facts', and those computed from published
 * descriptions are equal to them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/buffer.h"
#include "base/file.h"
#include "base/memory.h"
#include "compare/published/published.h"
#include "corpus.h"
#include "json/json_row.h"

#define FACTS "../shared/facts/description_digests.jsonl"

/* Return the first `bits` bits of hexadecimal digits. */
static int leading_bits(const char *hex, unsigned bits)
{
    char digits[9];
    (void)snprintf(digits, sizeof digits, "%.*s", (int)(bits / 4), hex);
    return (int)strtol(digits, NULL, 16);
}

static void check(const cJSON *row, const mls_published_description *description)
{
    const char *fields = corpus_text(row, "fields");
    assert_int_equal(description->whole, leading_bits(corpus_text(row, "sha256"), 24));
    for (size_t i = 0; i < MLS_DESCRIPTION_FIELDS; i++) {
        const char *field = fields + 8 * i;
        assert_int_equal(description->fields[i], *field == '-' ? MLS_FIELD_MISSING : leading_bits(field, 12));
    }
}

static cJSON *rules;

static void compute(const char *text, mls_published_description *description)
{
    mls_arena arena = {0};
    mls_str object;
    size_t wrong;
    assert_null(mls_json_validate(mls_str_from(text), &arena, &object, &wrong));
    mls_published_description_make(
        object, cJSON_GetObjectItem(cJSON_GetObjectItem(rules, "entries")->child, "required"), description);
    mls_arena_release(&arena);
}

/* Digests of canonical forms as Python computes them. */
static void test_canonical_form(void **state)
{
    (void)state;
    mls_published_description a;
    mls_published_description b;
    compute("{\"submitter\": \"x\", \"division\": 1.50, \"status\": {\"b\": [1, 2], \"a\": \"\\u00e9\\n\\u0001\\/\"}}",
            &a);
    compute(
        "{\"status\":{\"a\":\"\xc3\xa9\\u000A\\u0001/\",\"b\":[1,2]},\"division\":9,\"division\":1.50,\"submitter\":"
        "\"x\"}",
        &b);
    assert_int_equal(a.whole, 0x4b973f);
    assert_int_equal(a.fields[0], 0xba2);
    assert_int_equal(a.fields[1], 0x1a6);
    assert_int_equal(a.fields[2], 0xad6);
    assert_int_equal(a.fields[3], MLS_FIELD_MISSING);
    assert_memory_equal(&a, &b, sizeof a);
}

static void test_broken_cells(void **state)
{
    (void)state;
    mls_published_description description;
    static const char *const broken[] = {"", "A", "AAAAA", "AB0000", "AA0000A", "AA0000AB", "AA0000A*A", "AA0000iAA"};
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++)
        assert_int_equal(mls_published_description_read(NULL, 0, mls_str_from(broken[i]), &description),
                         MLS_ERROR_VALUE);
    assert_int_equal(mls_published_description_read(NULL, 0, MLS_S("AA0000AAB"), &description), MLS_OK);
    assert_int_equal(description.fields[0], 1);
    const mls_published_description *const earlier[] = {&description, NULL};
    mls_published_description next;
    assert_int_equal(mls_published_description_read(earlier, 2, MLS_S("AB0000"), &next), MLS_ERROR_VALUE);
    assert_int_equal(mls_published_description_read(earlier, 2, MLS_S("AC0000B--"), &next), MLS_OK);
    assert_int_equal(next.fields[0], 1);
    assert_int_equal(next.fields[1], MLS_FIELD_MISSING);
}

static void test_published_descriptions(void **state)
{
    (void)state;
    mls_buffer facts = {0};
    mls_published published;
    cJSON *row;
    mls_str line;
    size_t listed = 0;
    size_t computed = 0;
    if (mls_file_read(FACTS, true, SIZE_MAX, &facts, NULL) != MLS_OK)
        skip();
    assert_int_equal(mls_published_load(MLS_ANY_USAGE, 0, &published, NULL), MLS_OK);
    for (mls_str rest = mls_buffer_str(&facts); mls_str_cut(&rest, '\n', &line) || line.len > 0; line = (mls_str){0}) {
        char path[512];
        mls_buffer text = {0};
        mls_published_description description;
        if ((row = cJSON_ParseWithLength(line.ptr, line.len)) == NULL)
            continue;
        const char *usage = corpus_text(row, "usage");
        const char *round = corpus_text(row, "round");
        const char *folder = corpus_text(row, "folder");
        const char *system_id = corpus_text(row, "system_id");
        const mls_published_system *last = NULL;
        for (size_t i = 0; i < published.count; i++) {
            const mls_published_result *result = &published.results[i];
            const mls_published_system *system = result->system;
            if (system != last && strcmp(mls_usage_name(result->usage), usage) == 0 &&
                strcmp(result->round, round) == 0 && strcmp(system->folder, folder) == 0 &&
                strcmp(system->system_id, system_id) == 0) {
                assert_non_null(system->description);
                check(row, system->description);
                listed += last == NULL;
                last = system;
            }
        }
        (void)snprintf(path, sizeof path, ".corpus/%s_%s/%s_%s/%s/systems/%s.json", usage, round, usage, round, folder,
                       system_id);
        if (mls_file_read(path, true, SIZE_MAX, &text, NULL) == MLS_OK) {
            mls_buffer_append_char(&text, '\0');
            compute(text.ptr, &description);
            check(row, &description);
            computed++;
        }
        mls_buffer_release(&text);
        cJSON_Delete(row);
    }
    print_message("%zu descriptions are listed, %zu were computed\n", listed, computed);
    assert_true(listed > 900);
    mls_published_release(&published);
    mls_buffer_release(&facts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_canonical_form), cmocka_unit_test(test_broken_cells),
                                       cmocka_unit_test(test_published_descriptions)};
    if (mls_json_data("systems.json", &rules, NULL) != MLS_OK)
        return 1;
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    cJSON_Delete(rules);
    return failed;
}
