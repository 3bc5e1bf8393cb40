/* SPDX-License-Identifier: Apache-2.0 */
/* Byte strings, buffers, escaping, numbers, errors and findings. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/base.h"
#include "base/buffer.h"
#include "base/data.h"
#include "base/map.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/utf8.h"
#include "rules/finding_texts.h"

static int sign(int number)
{
    return (number > 0) - (number < 0);
}

static void strings(void **state)
{
    (void)state;

    assert_true(mls_str_equal(mls_str_from(NULL), MLS_S("")));
    assert_true(mls_str_equal(mls_str_from("abc"), MLS_S("abc")));
    assert_false(mls_str_equal(MLS_S("a\0b"), MLS_S("a\0c")));
    assert_true(mls_str_starts(MLS_S("abc"), MLS_S("")) && mls_str_starts(MLS_S("abc"), MLS_S("abc")));
    assert_false(mls_str_starts(MLS_S("ab"), MLS_S("abc")));
    assert_true(mls_str_ends(MLS_S("abc"), MLS_S("bc")) && !mls_str_ends(MLS_S("abc"), MLS_S("ab")));
    assert_true(mls_str_contains(MLS_S("abc"), MLS_S("")) && mls_str_contains(MLS_S("aab"), MLS_S("ab")));
    assert_false(mls_str_contains(MLS_S("ab"), MLS_S("abc")));
    assert_int_equal(sign(mls_str_compare(MLS_S("a"), MLS_S("ab"))), -1);
    assert_int_equal(sign(mls_str_compare(MLS_S("\xff"), MLS_S("a"))), 1);
    assert_true(mls_str_alike(MLS_S("Kernel"), MLS_S("kERNEL")) && mls_str_alike((mls_str){NULL, 0}, MLS_S("")));
    assert_false(mls_str_alike(MLS_S("kernel"), MLS_S("kernels")));
    assert_true(mls_str_any(MLS_S("Time (%),Name"), "Total (|Time (%)", mls_str_starts));
    assert_false(mls_str_any(MLS_S("Name,Time (%)"), "Total (|Time (%)", mls_str_starts));
    assert_true(mls_str_any(MLS_S("pthread_cond_wait"), "futex|cond_wait", mls_str_contains));
    assert_false(mls_str_any(MLS_S(""), "futex|cond_wait", mls_str_contains));
}

/* Each name sorts before the next one; all pairs are compared. */
static void natural_order(void **state)
{
    static const mls_str sorted[] = {
        MLS_STR(""),
        MLS_STR("01"),
        MLS_STR("1"),
        MLS_STR("2"),
        MLS_STR("10"),
        MLS_STR("99999999999999999999998"),
        MLS_STR("99999999999999999999999"),
        MLS_STR("result"),
        MLS_STR("result_1"),
        MLS_STR("result_2"),
        MLS_STR("result_10"),
        MLS_STR("result_10a2"),
        MLS_STR("result_10a10"),
    };
    const size_t count = sizeof sorted / sizeof *sorted;
    (void)state;

    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < count; k++) {
            const int order = sign(mls_str_compare_natural(sorted[i], sorted[k]));

            if (order != (i > k) - (i < k))
                fail_msg("'%s' against '%s': %d", sorted[i].ptr, sorted[k].ptr, order);
        }
    }
}

static void escapes(mls_str text, const char *expected)
{
    mls_buffer buffer = {0};

    mls_escape_append(&buffer, text);
    assert_string_equal(buffer.len > 0 ? buffer.ptr : "", expected);
    mls_buffer_release(&buffer);
}

static void nothing_commands_a_terminal(void **state)
{
    (void)state;

    escapes(MLS_S("plain é 漢 🙂"), "plain é 漢 🙂");
    escapes(MLS_S("a\nb\tc\rd"), "a\\nb\\tc\\rd");
    escapes(MLS_S("\x1b[2J\x07\0\x7f"), "\\x1b[2J\\x07\\x00\\x7f");
    /* Invalid UTF-8: a lone byte, a cut sequence, an overlong form, a surrogate, a value past the end. */
    escapes(MLS_S("\xe9"), "\\xe9");
    escapes(MLS_S("\xe2\x82"), "\\xe2\\x82");
    escapes(MLS_S("\xc0\xaf"), "\\xc0\\xaf");
    escapes(MLS_S("\xed\xa0\x80"), "\\xed\\xa0\\x80");
    escapes(MLS_S("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");
}

/* Control characters, direction overrides and line separators are escaped in any encoding. */
static void no_hidden_character_passes(void **state)
{
    static const uint32_t hidden[] = {0x00,   0x1b,   0x7f,   0x80,   0x85,   0x9b,   0x9f,   0x61c,
                                      0x200e, 0x200f, 0x2028, 0x2029, 0x202a, 0x202e, 0x2066, 0x2069};
    (void)state;

    for (size_t i = 0; i < sizeof hidden / sizeof *hidden; i++) {
        mls_buffer raw = {0};
        mls_buffer safe = {0};
        char bytes[4];

        mls_buffer_append(&raw, (mls_str){bytes, mls_utf8_encode(hidden[i], bytes)});
        mls_escape_append(&safe, mls_buffer_str(&raw));
        if (mls_str_contains(mls_buffer_str(&safe), mls_buffer_str(&raw)) || safe.ptr[0] != '\\')
            fail_msg("U+%04X comes through", (unsigned)hidden[i]);
        mls_buffer_release(&raw);
        mls_buffer_release(&safe);
    }
}

static void display_width(void **state)
{
    (void)state;

    assert_int_equal(mls_display_width(MLS_S("")), 0);
    assert_int_equal(mls_display_width(MLS_S("abc")), 3);
    assert_int_equal(mls_display_width(MLS_S("é·…")), 3);
    assert_int_equal(mls_display_width(MLS_S("e\xcc\x81")), 1);
    assert_int_equal(mls_display_width(MLS_S("漢字")), 4);
}

static void nothing_is_cut_inside_a_code_point(void **state)
{
    static const uint32_t codes[] = {'a', 0x7f, 0x80, 0x7ff, 0x800, 0xffff, 0x10000, 0x10ffff};
    const mls_str text = MLS_S("aé漢🙂");
    static const size_t ends[] = {0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10, 10};
    mls_error error;
    mls_buffer long_name = {0};
    (void)state;

    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        assert_int_equal(mls_utf8_cut(text, i).len, ends[i]);
    assert_int_equal(mls_utf8_cut(MLS_S("\x80\x80\x80\x80\x80\x80"), 5).len, 5);
    assert_int_equal(mls_utf8_cut(MLS_S(""), 0).len, 0);
    assert_int_equal(mls_utf8_fit(text, 3).len, 3);
    assert_int_equal(mls_utf8_fit(text, 4).len, 6);
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
        char bytes[4];
        size_t at = 0;
        const size_t count = mls_utf8_encode(codes[i], bytes);

        assert_int_equal(mls_utf8_next((mls_str){bytes, count}, &at), codes[i]);
        assert_int_equal(at, count);
    }
    mls_utf8_append_cut(&long_name, text, 5);
    assert_string_equal(long_name.ptr, "aé…");
    for (size_t extra = 0; extra < 4; extra++) {
        mls_buffer_clear(&long_name);
        mls_buffer_append_repeated(&long_name, 'x', extra);
        for (size_t i = 0; i < 200; i++)
            mls_buffer_append_text(&long_name, "é");
        (void)mls_error_set(&error, MLS_ERROR_VALUE, 0, 0, "%s", long_name.ptr);
        assert_true(mls_str_starts(mls_buffer_str(&long_name), mls_str_from(error.message)));
        for (size_t at = 0; error.message[at] != '\0';)
            assert_true(mls_utf8_next(mls_str_from(error.message), &at) > 0);
    }
    mls_buffer_release(&long_name);
}

static mls_str nearest(const char *word)
{
    static const char *const words[] = {"score", "check", "events", "verify", "config", "rules", "rcp", "completion"};
    mls_suggestion found = mls_suggest_for(mls_str_from(word));

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        mls_suggest_add(&found, mls_str_from(words[i]));
    return found.found;
}

static void a_misspelt_word_gets_the_nearest_right_one(void **state)
{
    (void)state;

    assert_string_equal(nearest("socre").ptr, "score");
    assert_string_equal(nearest("CHECK").ptr, "check");
    assert_string_equal(nearest("chek").ptr, "check");
    assert_string_equal(nearest("verfiy").ptr, "verify");
    assert_string_equal(nearest("complation").ptr, "completion");
    assert_string_equal(nearest("rpc").ptr, "rcp");
    assert_string_equal(nearest("comple").ptr, "completion");
    assert_null(nearest("").ptr);
    assert_null(nearest("x").ptr);
    assert_null(nearest("train").ptr);
    assert_null(nearest("an uncommonly long word that nobody would type for the name of a command").ptr);
    /* If two are equally near, the first one counts. */
    mls_suggestion twins = mls_suggest_for(MLS_S("beta"));
    mls_suggest_add(&twins, MLS_S("bete"));
    mls_suggest_add(&twins, MLS_S("betb"));
    assert_string_equal(twins.found.ptr, "bete");
}

static void maps(void **state)
{
    mls_arena arena = {0};
    mls_map map = {.arena = &arena};
    char key[8];
    bool added;
    (void)state;

    assert_null(mls_map_find(&map, MLS_S("nothing")));
    for (size_t i = 0; i < 5000; i++) {
        const int len = snprintf(key, sizeof key, "k%zu", i);
        mls_map_entry *entry = mls_map_put(&map, (mls_str){key, (size_t)len}, &added);

        assert_true(entry != NULL && added);
        assert_int_equal(entry - map.entries, i);
        entry->value.number = i * i;
    }
    for (size_t i = 0; i < 5000; i++) {
        const int len = snprintf(key, sizeof key, "k%zu", i);
        assert_int_equal(mls_map_find(&map, (mls_str){key, (size_t)len})->value.number, i * i);
    }
    assert_true(mls_map_put(&map, MLS_S("k7"), &added)->value.number == 49 && !added);
    assert_int_equal(map.count, 5000);
    /* The empty key is a key, and bytes after a NUL are part of a key. */
    assert_null(mls_map_find(&map, MLS_S("")));
    mls_map_put(&map, (mls_str){NULL, 0}, &added)->value.number = 1;
    mls_map_put(&map, MLS_S("k\0a"), &added)->value.number = 2;
    assert_null(mls_map_find(&map, MLS_S("k\0b")));
    assert_int_equal(mls_map_find(&map, MLS_S(""))->value.number, 1);
    mls_arena_release(&arena);
}

/* Numbers of 16 to 18 digits with a point take another path than shorter and longer ones. All must give the same
 * double as strtod(). */
static void numbers_are_rounded_once(void **state)
{
    static const char *const halves[] = {
        "4503599627370496.5",                                                 /* between two doubles: the even one */
        "4503599627370497.5",    "4503599627370496.51", "326158.70492968490", /* a trifle above the middle */
        "2979959.75151530304",   "16725728.3201632211", "1.00000000000000000",
        "0.0999999999999999999", "99999999999999999.9"};
    uint64_t bits = 88172645463325252;
    double number;
    char text[64];
    (void)state;
    for (size_t i = 0; i < sizeof halves / sizeof *halves; i++) {
        assert_true(mls_number_parse(mls_str_from(halves[i]), &number));
        assert_true(number == mls_text_double(halves[i]));
    }
    for (size_t i = 0; i < 20000; i++) {
        bits ^= bits << 13;
        bits ^= bits >> 7;
        bits ^= bits << 17;
        const int len = snprintf(text, sizeof text, "%s%.*f", i % 2 == 0 ? "" : "-", (int)(i % 20),
                                 (double)(bits >> 11) / (double)(UINT64_C(1) << (bits % 60)));
        assert_true(len < (int)sizeof text && mls_number_parse(mls_str_from(text), &number));
        if (number < mls_text_double(text) || number > mls_text_double(text))
            fail_msg("%s is read as %.17g", text, number);
    }
}

static void numbers_are_read_whole_or_not(void **state)
{
    static const struct {
        mls_str text;
        double number;
    } good[] = {{MLS_STR("0"), 0},      {MLS_STR("-1.5e3"), -1500},
                {MLS_STR("0.1"), 0.1},  {MLS_STR("9007199254740993"), 9007199254740992.0},
                {MLS_STR("1e-400"), 0}, {MLS_STR("1745066917961"), 1745066917961.0}};
    static const mls_str bad[] = {MLS_STR(""),    MLS_STR(" 1"),  MLS_STR("1 "), MLS_STR("1x"), MLS_STR("0x10"),
                                  MLS_STR("nan"), MLS_STR("--1"), MLS_STR("1e"), MLS_STR("."),  MLS_STR("1\0")};
    double number;
    size_t size;
    (void)state;

    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        assert_true(mls_number_parse(good[i].text, &number));
        assert_true(number == good[i].number);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (mls_number_parse(bad[i], &number))
            fail_msg("'%s' is read as %g", bad[i].ptr, number);
    assert_true(mls_number_parse_lenient(MLS_S(" +1_0.5 "), &number) && number == 10.5);
    assert_true(mls_number_parse_lenient(MLS_S("Infinity"), &number) && isinf(number));
    assert_false(mls_number_parse_lenient(MLS_S("1__0"), &number));
    assert_false(mls_number_parse_lenient(MLS_S("_1"), &number));
    assert_true(mls_size_parse(MLS_S("18446744073709551615"), &size) && size == SIZE_MAX);
    assert_false(mls_size_parse(MLS_S("18446744073709551616"), &size));
    assert_false(mls_size_parse(MLS_S("-1"), &size) || mls_size_parse(MLS_S(""), &size) ||
                 mls_size_parse(MLS_S("1 "), &size));
}

static void numbers_come_back_the_same(void **state)
{
    static const double numbers[] = {0,     9,     0.925,  0.1,  1.5243166666666668, 1745066917961.0,
                                     -3.25, 1e300, 5e-324, 1e21, 123456789.125};
    (void)state;

    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        const mls_words words = mls_words_exact(numbers[i]);
        double back = NAN;

        assert_true(mls_number_parse(mls_str_from(words.text), &back));
        assert_true(back == numbers[i]);
    }
    assert_string_equal(mls_words_exact(0.925).text, "0.925");
    assert_string_equal(mls_words_exact(9).text, "9");
    assert_string_equal(mls_words_exact(1745066917961.0).text, "1745066917961");
    assert_string_equal(mls_words_exact(NAN).text, "null");
}

static void buffers(void **state)
{
    mls_buffer buffer = {0};
    char *text;
    (void)state;

    for (int i = 0; i < 1000; i++)
        mls_buffer_printf(&buffer, "%d,", i % 10);
    assert_int_equal(buffer.len, 2000);
    assert_int_equal(buffer.ptr[2000], '\0');
    mls_buffer_clear(&buffer);
    assert_int_equal(buffer.len, 0);
    mls_buffer_append(&buffer, MLS_S("a\0b"));
    mls_buffer_append_repeated(&buffer, '-', 3);
    assert_true(mls_str_equal(mls_buffer_str(&buffer), MLS_S("a\0b---")));
    text = mls_buffer_detach(&buffer);
    assert_non_null(text);
    assert_null(buffer.ptr);
    free(text);
}

static jmp_buf no_memory;

static void jump_out(void)
{
    longjmp(no_memory, 1);
}

/* Sizes that overflow call the handler. */
static void memory_that_runs_out(void **state)
{
    mls_arena arena = {0};
    mls_buffer buffer = {0};
    static volatile unsigned called;
    const size_t much = SIZE_MAX - 2;
    (void)state;
    mls_set_no_memory_handler(jump_out);
    mls_buffer_append_text(&buffer, "kept");
    for (volatile unsigned call = 0; call < 4; call++) {
        if (setjmp(no_memory) != 0) {
            called++;
            continue;
        }
        switch (call) {
        case 0:
            mls_buffer_reserve(&buffer, much);
            break;
        case 1:
            (void)!mls_arena_array(&arena, much / 2, 16);
            break;
        case 2:
            (void)!mls_arena_alloc(&arena, much);
            break;
        default:
            (void)!mls_arena_text(&arena, much);
        }
        fail();
    }
    mls_set_no_memory_handler(NULL);
    assert_int_equal(called, 4);
    assert_string_equal(buffer.ptr, "kept");
    mls_buffer_release(&buffer);
    mls_arena_release(&arena);
}

static void arenas(void **state)
{
    mls_arena arena = {0};
    (void)state;

    for (int round = 0; round < 3; round++) {
        for (size_t size = 1; size < 5000; size += 7) {
            char *bytes = mls_arena_alloc(&arena, size);

            assert_non_null(bytes);
            assert_int_equal((uintptr_t)bytes % _Alignof(max_align_t), 0);
            memset(bytes, 0x5a, size);
        }
        assert_string_equal(mls_arena_copy(&arena, MLS_S("copy")).ptr, "copy");
        mls_arena_reset(&arena);
    }
    mls_arena_release(&arena);
}

static void errors_carry_a_place_and_no_commands(void **state)
{
    mls_error error;
    char name[600];
    (void)state;

    assert_int_equal(mls_error_set(&error, MLS_ERROR_SYNTAX, 3, 7, "bad '%s'", "a\x1b\nb"), MLS_ERROR_SYNTAX);
    assert_int_equal(error.line, 3);
    assert_int_equal(error.column, 7);
    assert_null(strchr(error.message, '\x1b'));
    assert_null(strchr(error.message, '\n'));
    assert_int_equal(mls_error_set(NULL, MLS_ERROR_LIMIT, 0, 0, "nobody listens"), MLS_ERROR_LIMIT);
    assert_int_equal(mls_error_set_errno(&error, MLS_ERROR_READ, ENOENT, "'x'"), MLS_ERROR_READ);
    assert_int_equal(error.system_errno, ENOENT);
    assert_string_equal(error.message, "'x': No such file or directory");
    memset(name, 'x', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    assert_int_equal(mls_error_set(&error, MLS_ERROR_VALUE, 0, 0, "%s", name), MLS_ERROR_VALUE);
    assert_true(strlen(error.message) < sizeof error.message);
}

static void findings_pass_by_one_rule(void **state)
{
    static const mls_finding_counts none = {0}, error = {.error = 1}, warning = {.warning = 1}, advice = {.advice = 1};
    mls_findings mixed = {0};
    (void)state;

    assert_true(mls_findings_pass(&none, false) && mls_findings_pass(&none, true));
    assert_false(mls_findings_pass(&error, false) || mls_findings_pass(&error, true));
    assert_true(mls_findings_pass(&warning, false) && mls_findings_pass(&advice, false));
    assert_false(mls_findings_pass(&warning, true) || mls_findings_pass(&advice, true));
    /* A finding that is not kept, but is more severe than the kept ones, counts. */
    for (size_t i = 0; i < MLS_FINDINGS_KEPT_PER_CODE; i++)
        mls_findings_add_as(&mixed, MLS_FINDING_STATUS, MLS_SEVERITY_ADVICE, (mls_finding_place){0}, "advice");
    mls_findings_add(&mixed, MLS_FINDING_STATUS, (mls_finding_place){0}, "error");
    mls_findings copy = {0};
    mls_findings_append(&copy, &mixed);
    assert_int_equal(copy.counts.error, 1);
    assert_false(mls_findings_pass(&copy.counts, false));
    mls_findings_release(&mixed);
    mls_findings_release(&copy);
}

static void findings_are_kept_up_to_a_cap_and_counted(void **state)
{
    mls_findings list = {0};
    mls_findings copy = {0};
    (void)state;

    for (size_t i = 0; i < MLS_FINDINGS_KEPT_PER_CODE + 50; i++) {
        mls_findings_add(&list, MLS_FINDING_MALFORMED,
                         (mls_finding_place){.line = 1000 - i, .key = MLS_S("@malformed")}, "%zu\x1b", i);
    }
    mls_findings_add(&list, MLS_FINDING_TORN_LINE, (mls_finding_place){.path = "p"}, "torn");
    mls_findings_add_as(&list, MLS_FINDING_TORN_LINE, MLS_SEVERITY_ADVICE, (mls_finding_place){.line = 1}, "torn");
    assert_int_equal(list.count, MLS_FINDINGS_KEPT_PER_CODE + 2);
    assert_int_equal(mls_findings_found(&list, MLS_FINDING_MALFORMED), MLS_FINDINGS_KEPT_PER_CODE + 50);
    assert_int_equal(list.counts.error, MLS_FINDINGS_KEPT_PER_CODE + 50);
    assert_int_equal(list.counts.warning, 1);
    assert_int_equal(list.counts.advice, 1);
    assert_string_equal(list.items[0].key, "@malformed");
    assert_string_equal(list.items[0].message, "0\\x1b");
    mls_findings_append(&copy, &list);
    mls_findings_append(&copy, &list);
    assert_int_equal(mls_findings_found(&copy, MLS_FINDING_MALFORMED), 2 * (MLS_FINDINGS_KEPT_PER_CODE + 50));
    assert_int_equal(copy.count, MLS_FINDINGS_KEPT_PER_CODE + 4);
    assert_int_equal(copy.counts.error, 2 * (MLS_FINDINGS_KEPT_PER_CODE + 50));
    assert_int_equal(mls_finding_counts_of(&copy.counts, MLS_SEVERITY_WARNING), 2);
    mls_findings_append_except(&copy, &list, MLS_FINDING_TORN_LINE);
    assert_int_equal(copy.counts.error, 3 * (MLS_FINDINGS_KEPT_PER_CODE + 50));
    assert_int_equal(copy.counts.warning + copy.counts.advice, 4);
    assert_int_equal(mls_findings_found(&copy, MLS_FINDING_TORN_LINE), 4);
    mls_findings_sort(&list);
    assert_int_equal(list.items[0].line, 1);
    for (size_t i = 2; i + 1 < list.count; i++)
        assert_true(list.items[i - 1].line < list.items[i].line);
    assert_int_equal(list.items[list.count - 1].line, 0);
    mls_findings_release(&list);
    assert_int_equal(list.count, 0);
    mls_findings_release(&copy);
}

static void every_code_has_a_name_and_texts_of_its_own(void **state)
{
    (void)state;
    mls_arena arena = {0};
    mls_finding_texts texts[MLS_FINDING_COUNT];

    assert_int_equal(mls_finding_texts_read(&arena, texts, NULL), MLS_OK);
    for (int code = 0; code < MLS_FINDING_COUNT; code++) {
        const mls_finding_info *info = mls_finding_info_get((mls_finding_code)code);
        mls_finding_code back;

        assert_non_null(info);
        assert_true(mls_finding_code_from_name(mls_str_from(info->name), &back));
        assert_int_equal(back, code);
        assert_true(strlen(texts[code].summary) > 5 && strlen(texts[code].explanation) > 5);
        assert_true(strlen(texts[code].remedy) > 5);
        assert_non_null(mls_severity_name(info->severity));
    }
    mls_arena_release(&arena);
    assert_null(mls_finding_info_get(MLS_FINDING_COUNT));
    assert_false(mls_finding_code_from_name(MLS_S("no-such-code"), &(mls_finding_code){0}));
}

static void embedded_files_are_found(void **state)
{
    (void)state;

    assert_true(mls_str_contains(mls_data_find("editions.json"), MLS_S("training")));
    assert_null(mls_data_find("no-such-file.json").ptr);
    for (const mls_data_file *file = mls_data_files; file->name != NULL; file++) {
        assert_int_equal(*file->end, '\0');
        assert_true(file[1].name == NULL || strcmp(file->name, file[1].name) < 0);
        assert_int_equal(mls_data_find(file->name).ptr == file->begin, true);
    }
}

/* An empty text may be NULL, for example the output of a program that printed nothing. */
static void test_after_nothing(void **state)
{
    (void)state;
    mls_str rest = {NULL, 0};
    size_t number;
    assert_false(mls_str_after((mls_str){NULL, 0}, MLS_S("JobId="), &rest));
    assert_false(mls_str_contains((mls_str){NULL, 0}, MLS_S("JobId=")));
    assert_false(mls_size_parse((mls_str){NULL, 0}, &number));
}

/* Tables that were packed when the program was built are unpacked once; a damaged one has no contents. */
static void packed_data_are_unpacked(void **state)
{
    (void)state;
    static const char plain[] = "plain text";
    char packed[] = "\x1f\x8b\x08\0\0\0\0\0\x02\x03\x2b\x48\x4c\xce\x4e\x4d\x51\x28\x49\xad\x28\x01\0\x0c\xf4\x0a"
                    "\xd2\x0b\0\0\0";
    char damaged[sizeof packed];
    const mls_data_file files[] = {{"plain", plain, plain + sizeof plain - 1, ""},
                                   {"packed", packed, packed + sizeof packed - 1, ""},
                                   {"damaged", damaged, damaged + sizeof damaged - 1, ""}};
    memcpy(damaged, packed, sizeof packed);
    damaged[14] ^= 1;
    assert_ptr_equal(mls_data_text(&files[0]).ptr, plain);
#ifdef MLS_HAVE_ZLIB
    const mls_str text = mls_data_text(&files[1]);
    assert_true(mls_str_equal(text, MLS_S("packed text")) && text.ptr[text.len] == '\0');
    assert_ptr_equal(mls_data_text(&files[1]).ptr, text.ptr);
    assert_int_equal(mls_data_text(&files[2]).len, 0);
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_after_nothing),
        cmocka_unit_test(strings),
        cmocka_unit_test(packed_data_are_unpacked),
        cmocka_unit_test(natural_order),
        cmocka_unit_test(nothing_commands_a_terminal),
        cmocka_unit_test(no_hidden_character_passes),
        cmocka_unit_test(display_width),
        cmocka_unit_test(nothing_is_cut_inside_a_code_point),
        cmocka_unit_test(a_misspelt_word_gets_the_nearest_right_one),
        cmocka_unit_test(maps),
        cmocka_unit_test(numbers_are_rounded_once),
        cmocka_unit_test(numbers_are_read_whole_or_not),
        cmocka_unit_test(numbers_come_back_the_same),
        cmocka_unit_test(buffers),
        cmocka_unit_test(memory_that_runs_out),
        cmocka_unit_test(arenas),
        cmocka_unit_test(errors_carry_a_place_and_no_commands),
        cmocka_unit_test(findings_pass_by_one_rule),
        cmocka_unit_test(findings_are_kept_up_to_a_cap_and_counted),
        cmocka_unit_test(every_code_has_a_name_and_texts_of_its_own),
        cmocka_unit_test(embedded_files_are_found),
    };
    return cmocka_run_group_tests_name("base", tests, NULL, NULL);
}
