/* SPDX-License-Identifier: Apache-2.0 */
/* The table of signatures: the messages that each matches, that it does so in linear time, and a user's own file. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <stdio.h>
#include <stdlib.h>

#include "../match_line.h"
#include "base/buffer.h"

static mls_signatures *load(void)
{
    mls_signatures *signatures;
    mls_error error = {0};
    if (mls_signatures_new(&signatures, &error) != MLS_OK)
        fail_msg("%s", error.message);
    return signatures;
}

static mls_signatures *load_of_memory(void)
{
    mls_signatures *signatures;
    mls_error error = {0};
    if (mls_signatures_of_memory(&signatures, &error) != MLS_OK)
        fail_msg("%s", error.message);
    return signatures;
}

static pcre2_code *compile(const mls_signature *signature, uint32_t options)
{
    int error;
    PCRE2_SIZE at;
    pcre2_code *code = pcre2_compile((PCRE2_SPTR)signature->pattern, PCRE2_ZERO_TERMINATED, PCRE2_NEVER_UTF | options,
                                     &error, &at, NULL);
    if (code == NULL)
        fail_msg("%s: error %d at %zu of its pattern", signature->id, error, at);
    return code;
}

/* Within this many steps, each a call of PCRE2's matcher, and without its compiler. */
static int match_within(const pcre2_code *code, mls_str text, uint32_t steps)
{
    pcre2_match_data *data = pcre2_match_data_create_from_pattern(code, NULL);
    pcre2_match_context *limits = pcre2_match_context_create(NULL);
    (void)pcre2_set_match_limit(limits, steps);
    const int result = pcre2_match(code, (PCRE2_SPTR)text.ptr, text.len, 0, PCRE2_NO_JIT, data, limits);
    pcre2_match_context_free(limits);
    pcre2_match_data_free(data);
    return result;
}

/* An example is a line of its signature, and no signature of another class takes it. */
static void match_examples(mls_signatures *signatures)
{
    static char scratch[MLS_LINE_EXAMINED];
    const mls_signature *found;
    for (size_t i = 0; i < mls_signatures_count(signatures); i++) {
        const mls_signature *one = mls_signatures_get(signatures, i);
        const mls_log_line line = mls_log_line_read(mls_str_from(one->example), false, scratch);
        pcre2_code *code = compile(one, 0);
        if (match_within(code, line.message, 1000000) < 0) {
            print_error("%s does not match its example\n", one->id);
            fail();
        }
        pcre2_code_free(code);
        found = match_line(signatures, mls_str_from(one->example));
        if (found == NULL || found->kind != one->kind || (one->wording != NULL && !one->generic && found != one)) {
            print_error("%s: its example is %s\n", one->id, found != NULL ? found->id : "nothing's");
            fail();
        }
    }
    mls_signatures_free(signatures);
}

static void examples(void **state)
{
    (void)state;
    match_examples(load());
    match_examples(load_of_memory());
}

/* Each wording of memory that ran out is named, and its example is a failure of that signature to diagnose too. */
static void wordings(void **state)
{
    (void)state;
    mls_signatures *all = load();
    mls_signatures *memory = load_of_memory();
    const mls_signature *found;
    assert_true(mls_signatures_count(memory) > 20);
    for (size_t i = 0; i < mls_signatures_count(memory); i++) {
        const mls_signature *one = mls_signatures_get(memory, i);
        assert_true(one->framework[0] != '\0' && one->wording[0] != '\0');
        found = match_line(all, mls_str_from(one->example));
        if (found == NULL || strcmp(found->id, one->id) != 0) {
            print_error("%s of %s is %s\n", one->wording, one->id, found != NULL ? found->id : "nothing");
            fail();
        }
    }
    mls_signatures_free(memory);
    mls_signatures_free(all);
}

/* No id twice, a source and words for each, and needs that the search can use. */
static void rows(void **state)
{
    (void)state;
    mls_signatures *signatures = load();
    for (size_t i = 0; i < mls_signatures_count(signatures); i++) {
        const mls_signature *one = mls_signatures_get(signatures, i);
        for (size_t k = 0; k < i; k++)
            assert_string_not_equal(one->id, mls_signatures_get(signatures, k)->id);
        assert_true(one->explanation[0] != '\0' && one->action[0] != '\0' && one->source[0] != '\0');
        assert_true(one->need_count > 0);
        for (size_t k = 0; k < one->need_count && strcmp(one->id, "python-exception") != 0; k++)
            assert_true(one->needs[k].len >= 6); /* shorter ones slow the whole search down */
    }
    mls_signatures_free(signatures);
}

/* The class and the origins that a failure of it can have: what is said of one must not contradict the other. */
static const char *const origins_of_classes[] = {
    "gpu-hardware hardware",
    "gpu-memory user",
    "gpu-fault software",
    "host-hardware hardware",
    "host-memory user infrastructure",
    "node infrastructure",
    "network infrastructure hardware",
    "communication-timeout infrastructure software",
    "storage infrastructure hardware user",
    "scheduler infrastructure user",
    "preemption infrastructure",
    "container infrastructure user",
    "configuration user infrastructure",
    "library-mismatch user infrastructure",
    "data user infrastructure",
    "numerics software user hardware",
    "code software user",
    "convergence user",
    "unknown software infrastructure",
};

static bool origin_fits(const mls_signature *one)
{
    const mls_str kind = mls_failure_word(MLS_FAILURE_CLASSES, one->kind);
    const mls_str origin = mls_failure_word(MLS_FAILURE_ORIGINS, one->origin);
    bool fits = false;
    for (size_t i = 0; i < sizeof origins_of_classes / sizeof *origins_of_classes; i++) {
        mls_str left = mls_str_from(origins_of_classes[i]);
        const bool own = mls_str_equal(mls_str_word(&left), kind);
        while (own && !fits && left.len > 0)
            fits = mls_str_equal(mls_str_word(&left), origin);
    }
    return fits;
}

static void origins(void **state)
{
    (void)state;
    mls_signatures *signatures = load();
    for (size_t i = 0; i < mls_signatures_count(signatures); i++) {
        const mls_signature *one = mls_signatures_get(signatures, i);
        if (!origin_fits(one)) {
            print_error("%s: its origin does not go with its class\n", one->id);
            fail();
        }
    }
    mls_signatures_free(signatures);
}

/* The words of the classes that the code itself names. */
static void words(void **state)
{
    (void)state;
    assert_true(mls_str_equal(mls_failure_word(MLS_FAILURE_CLASSES, MLS_CLASS_HANG), MLS_S("hang")));
    assert_true(mls_str_equal(mls_failure_word(MLS_FAILURE_CLASSES, MLS_CLASS_UNKNOWN), MLS_S("unknown")));
    assert_true(mls_str_equal(mls_failure_word(MLS_FAILURE_CLASSES, MLS_CLASS_CODE), MLS_S("code")));
    assert_true(mls_str_equal(mls_failure_word(MLS_FAILURE_CLASSES, MLS_CLASS_COMMUNICATION_TIMEOUT),
                              MLS_S("communication-timeout")));
    assert_int_equal(mls_failure_word(MLS_FAILURE_CLASSES, 0).len, 0);
    assert_int_equal(mls_failure_word(MLS_FAILURE_CLASSES, 99).len, 0);
}

/* The steps of a match: each part of the pattern that is tried, and each byte between where two of them are. */
typedef struct match_steps {
    uint64_t count;
    size_t at;
} match_steps;

static int count_step(pcre2_callout_block *part, void *state)
{
    match_steps *steps = state;
    const size_t at = part->current_position;
    steps->count += 1 + (at > steps->at ? at - steps->at : steps->at - at);
    steps->at = at;
    return 0;
}

/* The steps that a piece takes, over and over up to a length.  PCRE2's own limit begins anew at each byte of a text. */
static uint64_t steps_on(const pcre2_code *code, mls_str piece, size_t length)
{
    match_steps steps = {0};
    mls_buffer text = {0};
    pcre2_match_data *data = pcre2_match_data_create_from_pattern(code, NULL);
    pcre2_match_context *context = pcre2_match_context_create(NULL);
    while (text.len < length && piece.len > 0)
        mls_buffer_append(&text, piece);
    (void)pcre2_set_callout(context, count_step, &steps);
    const int result = pcre2_match(code, (PCRE2_SPTR)text.ptr, text.len, 0, 0, data, context);
    assert_true(result >= 0 || result == PCRE2_ERROR_NOMATCH);
    pcre2_match_context_free(context);
    pcre2_match_data_free(data);
    mls_buffer_release(&text);
    return steps.count;
}

/* The hardest input of a pattern: what it wants to see over and over, but for the end.  From it, and from its
 * needs, it takes a number of steps that grows with the length and no faster. */
static void linear_on(const mls_signature *one, const pcre2_code *code, mls_str piece)
{
    enum { LENGTH = MLS_LINE_EXAMINED, STEPS_PER_BYTE = 512 };
    const uint64_t half = steps_on(code, piece, LENGTH / 2);
    const uint64_t whole = steps_on(code, piece, LENGTH);
    if (whole > 5 * half / 2 + LENGTH || whole > (uint64_t)LENGTH * STEPS_PER_BYTE) {
        print_error("%s: %llu steps, %llu on half as much of '%.*s' over and over\n", one->id,
                    (unsigned long long)whole, (unsigned long long)half, (int)piece.len, piece.ptr);
        fail();
    }
}

static void linear_table(mls_signatures *signatures)
{
    static char scratch[MLS_LINE_EXAMINED];
    for (size_t i = 0; i < mls_signatures_count(signatures); i++) {
        const mls_signature *one = mls_signatures_get(signatures, i);
        const mls_log_line line = mls_log_line_read(mls_str_from(one->example), false, scratch);
        pcre2_code *code = compile(one, PCRE2_AUTO_CALLOUT);
        pcre2_match_data *data = pcre2_match_data_create_from_pattern(code, NULL);
        const int found = pcre2_match(code, (PCRE2_SPTR)line.message.ptr, line.message.len, 0, 0, data, NULL);
        const PCRE2_SIZE *place = pcre2_get_ovector_pointer(data);
        assert_true(found > 0);
        linear_on(one, code, (mls_str){line.message.ptr + place[0], place[1] - place[0] - 1});
        for (size_t k = 0; k < one->need_count && k < 2; k++)
            linear_on(one, code, one->needs[k]);
        pcre2_match_data_free(data);
        pcre2_code_free(code);
    }
    mls_signatures_free(signatures);
}

static void linear(void **state)
{
    (void)state;
    linear_table(load());
    linear_table(load_of_memory());
}

#define OWN(id, more)                                                                                                  \
    "{\"signatures\": [{\"id\": \"" id "\", \"class\": \"code\", \"origin\": \"user\", \"persistence\": \"unknown\", " \
    "\"explanation\": \"e\", \"action\": \"a\", \"source\": \"s\", \"example\": \"x\", " more "}]}"

static void expect_match(mls_signatures *signatures, const char *line, const char *id)
{
    const mls_signature *found = match_line(signatures, mls_str_from(line));
    assert_string_equal(found != NULL ? found->id : "", id);
}

/* A user's stand before the built-in ones, and replace those whose id they have. */
static void own(void **state)
{
    (void)state;
    mls_signatures *signatures = load();
    const size_t count = mls_signatures_count(signatures);
    static const char first[] = OWN("mine", "\"pattern\": \"CUDA error: out\", \"role\": \"root\", \"precedence\": 79");
    static const char second[] = OWN("cuda-no-device", "\"pattern\": \"^ab\", \"role\": \"root\", \"precedence\": 1");
    static const char third[] =
        OWN("mine", "\"pattern\": \"^xy$\", \"role\": \"root\", \"precedence\": 0, \"need\": [\"xy\"]");
    expect_match(signatures, "RuntimeError: CUDA error: out of memory", "cuda-error-oom");
    assert_int_equal(mls_signatures_add(signatures, mls_str_from(first), NULL), MLS_OK);
    expect_match(signatures, "RuntimeError: CUDA error: out of memory", "mine");
    assert_int_equal(mls_signatures_add(signatures, mls_str_from(second), NULL), MLS_OK);
    expect_match(signatures, "RuntimeError: No CUDA GPUs are available", "python-exception");
    expect_match(signatures, "abc", "cuda-no-device");
    assert_int_equal(mls_signatures_add(signatures, mls_str_from(third), NULL), MLS_OK);
    expect_match(signatures, "7: xy", "mine");
    expect_match(signatures, "RuntimeError: CUDA error: out of memory", "cuda-error-oom");
    assert_int_equal(mls_signatures_count(signatures), count + 1);
    assert_string_equal(mls_signatures_get(signatures, 0)->id, "mine");
    mls_signatures_free(signatures);
}

/* A pattern that runs into its limits is not tried again, and keeps no other from being found. */
static void overrun(void **state)
{
    (void)state;
    mls_signatures *signatures = load();
    static const char slow[] = OWN("slow", "\"pattern\": \"(?:a+)+b\\\\d\", \"role\": \"root\", \"precedence\": 99");
    mls_buffer line = {0};
    assert_int_equal(mls_signatures_add(signatures, mls_str_from(slow), NULL), MLS_OK);
    mls_buffer_append_repeated(&line, 'a', 60);
    mls_buffer_append_text(&line, "bb CUDA error: out of memory");
    expect_match(signatures, "aab1", "slow");
    expect_match(signatures, line.ptr, "cuda-error-oom");
    expect_match(signatures, "aab1", "");
    mls_buffer_release(&line);
    mls_signatures_free(signatures);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(examples), cmocka_unit_test(rows), cmocka_unit_test(words),   cmocka_unit_test(wordings),
        cmocka_unit_test(linear),   cmocka_unit_test(own),  cmocka_unit_test(overrun), cmocka_unit_test(origins),
    };
    return cmocka_run_group_tests_name("signatures", tests, NULL, NULL);
}
