/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/buffer.h"
#include "run/settings.h"

#define RECORD(key, time) ":::MLLOG {\"time_ms\": " time ", \"key\": \"" key "\", \"value\": null, \"metadata\": {}}\n"
#define SEVEN(before, between)                                                                                         \
    before "a" between "0\n" before "b" between "1\n" before "c" between "2\n" before "d" between "3\n" before         \
           "e" between "4\n" before "f" between "5\n" before "g" between "6\n"
#define EIGHT(before, between) SEVEN(before, between) before "h" between "7\n"

static mls_printed_reader *read_text(const char *text)
{
    mls_log_totals totals = {0};
    mls_printed_reader *reader = mls_printed_reader_new();
    assert_non_null(reader);
    const mls_sink sink = mls_printed_reader_sink(reader);
    assert_int_equal(mls_log_scan_bytes(mls_str_from(text), &sink, 1, &totals, NULL), MLS_OK);
    return reader;
}

/* Return the value of a setting; ptr is NULL if it was not printed. */
static mls_str value_of(const mls_printed *printed, mls_str name)
{
    for (size_t i = 0; i < printed->settings.count; i++)
        if (mls_str_equal(printed->settings.items[i].name, name))
            return printed->settings.items[i].value;
    return (mls_str){0};
}

/* Format the settings printed by a run: "yaml 8 | a=0 b=1". */
static char *words_of(const mls_printed *printed)
{
    mls_buffer words = {0};
    for (size_t i = 0; printed != NULL && i < printed->blocks.count; i++) {
        const mls_printed_block *block = &printed->blocks.items[i];
        mls_buffer_printf(&words, "%s%.*s %zu ", mls_printed_form_name(block->form), (int)block->name.len,
                          block->name.ptr, block->settings);
    }
    mls_buffer_append_text(&words, "|");
    for (size_t i = 0; printed != NULL && i < printed->settings.count; i++) {
        const mls_printed_setting *setting = &printed->settings.items[i];
        mls_buffer_printf(&words, " %.*s=%.*s", (int)setting->name.len, setting->name.ptr, (int)setting->value.len,
                          setting->value.ptr);
    }
    return mls_buffer_detach(&words);
}

static void blocks_of_each_form(void **state)
{
    (void)state;
    static const struct {
        const char *text, *words;
    } rows[] = {
        {EIGHT("", ": "), "yaml 8 | a=0 b=1 c=2 d=3 e=4 f=5 g=6 h=7"},
        {SEVEN("", ": "), "|"},
        {SEVEN("", ": ") "a: 9\n", "|"}, /* eight lines, seven settings */
        {"x:\n  y:\n    z: 'q'\n" EIGHT("  ", ": "),
         "yaml 9 | x.y.z=q x.a=0 x.b=1 x.c=2 x.d=3 x.e=4 x.f=5 x.g=6 x.h=7"},
        {"l:\n- k: 1\n  m: 2\n- text\n" EIGHT("", ": "), "yaml 10 | l.k=1 l.m=2 a=0 b=1 c=2 d=3 e=4 f=5 g=6 h=7"},
        {SEVEN("", ": ") "see http://host\nh: 7\n", "|"},
        {SEVEN("", ": ") "http://host\n" EIGHT("", ": "), "yaml 8 | a=0 b=1 c=2 d=3 e=4 f=5 g=6 h=7"},
        {EIGHT("  ", " ..... "),
         "argsargs 8 | args.a=0 args.b=1 args.c=2 args.d=3 args.e=4 args.f=5 args.g=6 args.h=7"},
        {EIGHT("", " ..... "), "|"}, /* nothing precedes the key */
        {"C(a=0,\n  b=[1,\n     2],\n  c=f(3),\n  ),\n  d=4,\n  e=5,\n  f=6,\n  g=7,\n  h=<f at 0x1>,\n  i=\"8\")\nj: "
         "9\n",
         "pythonC 8 | C.a=0 C.b=[1 C.c=f(3) C.d=4 C.e=5 C.f=6 C.g=7 C.i=8"},
        {EIGHT("12: ", ": ") "13: a: 1\n", "yaml 8 | a=0 b=1 c=2 d=3 e=4 f=5 g=6 h=7"},
        {"1: a: 0\n2: a: 0\n1: b: 1\n2: stop\n1: c: 2\n1: d: 3\n1: e: 4\n1: f: 5\n1: g: 6\n1: h: 7\n",
         "yaml 8 | a=0 b=1 c=2 d=3 e=4 f=5 g=6 h=7"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        mls_printed_reader *reader = read_text(rows[i].text);
        char *words = words_of(mls_printed_of_run(reader, 0));
        assert_non_null(words);
        assert_string_equal(words, rows[i].words);
        free(words);
        mls_printed_reader_free(reader);
    }
}

static void runs_have_what_stands_before_them(void **state)
{
    (void)state;
    mls_printed_reader *reader =
        read_text(EIGHT("", ": ") RECORD("init_start", "1") RECORD("run_start", "2") EIGHT("late_", ": ")
                      RECORD("run_stop", "3") RECORD("init_start", "4") RECORD("run_start", "5") RECORD("run_stop", "6")
                          EIGHT("n", ": ") RECORD("init_start", "7") RECORD("run_start", "8"));
    const mls_printed *first = mls_printed_of_run(reader, 10);
    assert_non_null(first);
    assert_ptr_equal(mls_printed_of_run(reader, 21), first); /* the job printed them once */
    const mls_printed *third = mls_printed_of_run(reader, 32);
    assert_ptr_not_equal(third, first);
    assert_true(mls_str_equal(value_of(third, MLS_S("nh")), MLS_S("7")));
    assert_null(value_of(third, MLS_S("a")).ptr);
    assert_null(value_of(first, MLS_S("late_a")).ptr);
    assert_null(mls_printed_of_run(reader, 0));
    mls_printed_reader_free(reader);
}

static void what_is_kept_is_bounded(void **state)
{
    (void)state;
    mls_buffer text = {0};
    for (unsigned i = 0; i < 5000; i++)
        mls_buffer_printf(&text, "key_%u: %u\n", i, i);
    mls_printed_reader *reader = read_text(text.ptr);
    const mls_printed *printed = mls_printed_of_run(reader, 0);
    assert_int_equal(printed->settings.count, MLS_PRINTED_SETTINGS_MAX);
    assert_int_equal(printed->blocks.items[0].settings, 5000);
    assert_int_equal(printed->lost, 5000 - MLS_PRINTED_SETTINGS_MAX);
    mls_printed_reader_free(reader);
    mls_buffer_release(&text);
}

static void every_known_setting_is_found_by_its_names(void **state)
{
    (void)state;
    mls_known_settings known;
    assert_int_equal(mls_known_settings_load(&known, NULL), MLS_OK);
    assert_in_range(known.count, 50, 100);
    for (size_t i = 0; i < known.count; i++) {
        const mls_known_setting *row = &known.items[i];
        assert_true(row->kind >= MLS_KNOWN_INT && row->kind <= MLS_KNOWN_WORD);
        assert_true(row->group != NULL && row->effect != NULL && strlen(row->effect) > 8);
        const char *names = row->printed;
        for (mls_str name; mls_list_next(&names, '|', &name);)
            assert_ptr_equal(mls_known_setting_printed(&known, name), row);
        names = row->exports;
        for (mls_str name; mls_list_next(&names, '|', &name);)
            assert_true(name.len == 0 || mls_known_setting_exported(&known, name) == row);
    }
    assert_string_equal(mls_known_setting_printed(&known, MLS_S("model.optim.lr"))->name, "learning_rate");
    assert_null(mls_known_setting_printed(&known, MLS_S("model.optim.lrs")));
    mls_known_settings_release(&known);
}

static void values_that_mean_the_same(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int truth;
        bool none;
    } rows[] = {{"true", 1, false}, {"True", 1, false}, {"1", 1, false},    {"False", 0, false}, {"0", 0, false},
                {"2", -1, false},   {"null", -1, true}, {"None", -1, true}, {"", -1, true},      {"bf16", -1, false}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_int_equal(mls_setting_truth(mls_str_from(rows[i].text)), rows[i].truth);
        assert_int_equal(mls_setting_is_none(mls_str_from(rows[i].text)), rows[i].none);
    }
}

static void what_is_never_compared(void **state)
{
    (void)state;
    mls_known_settings known;
    assert_int_equal(mls_known_settings_load(&known, NULL), MLS_OK);
    static const struct {
        const char *name, *value;
        bool comparable;
    } rows[] = {{"model.depth", "80", true},      {"model.data_path", "x", false}, {"trainer.SEED", "17", false},
                {"exp.depth", "/data/x", false},  {"model.seedling", "1", true},   {"node.hostname", "n1", false},
                {"trainer.log_every", "8", false}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const mls_printed_setting setting = {mls_str_from(rows[i].name), mls_str_from(rows[i].value)};
        assert_int_equal(mls_setting_is_comparable(&known, &setting), rows[i].comparable);
    }
    mls_known_settings_release(&known);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_of_each_form),       cmocka_unit_test(runs_have_what_stands_before_them),
        cmocka_unit_test(what_is_kept_is_bounded),   cmocka_unit_test(every_known_setting_is_found_by_its_names),
        cmocka_unit_test(values_that_mean_the_same), cmocka_unit_test(what_is_never_compared),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
