/* SPDX-License-Identifier: Apache-2.0 */
/* setup.c - how a run was set up: values as logged, printed, exported or shown become ones to be compared. */
#include <math.h>

#include "base/buffer.h"
#include "base/number.h"
#include "base/utf8.h"
#include "compare/side.h"
#include "json/value.h"

/* Numbers that differ by less were written with fewer digits. */
#define SAME_NUMBER 1e-9

bool mls_setting_add_number(mls_arena *arena, mls_settings *settings, mls_str key, double number)
{
    const mls_words words = mls_words_exact(number);
    const mls_setting setting = {key, MLS_SETTING_NUMBER, number, mls_arena_copy(arena, mls_str_from(words.text))};
    return !isfinite(number) || (setting.text.ptr != NULL && MLS_ARENA_ADD(arena, settings, setting));
}

/* Has no key, and the text itself. */
static mls_setting read_shown(mls_str text)
{
    double number;
    if (mls_number_parse(text, &number) && isfinite(number)) {
        return (mls_setting){.kind = MLS_SETTING_NUMBER, .number = number, .text = text};
    }
    const bool yes = mls_str_equal(text, MLS_S("true"));
    const bool truth = yes || mls_str_equal(text, MLS_S("false"));
    return (mls_setting){.kind = truth ? MLS_SETTING_BOOL : MLS_SETTING_TEXT, .number = yes, .text = text};
}

bool mls_setting_add_shown(mls_arena *arena, mls_settings *settings, mls_str key, mls_str text)
{
    mls_setting setting = read_shown(text);
    if (text.len == 0) {
        return true;
    }
    if (setting.kind == MLS_SETTING_NUMBER) {
        return mls_setting_add_number(arena, settings, key, setting.number);
    }
    setting.key = key;
    setting.text = mls_arena_copy(arena, text);
    return setting.text.ptr != NULL && MLS_ARENA_ADD(arena, settings, setting);
}

/* A text that reads true counts as the boolean: in a CSV they look the same. */
static bool add_plain(mls_arena *arena, mls_settings *settings, mls_str key, mls_str text)
{
    mls_buffer shown = {0};
    mls_escape_append(&shown, text);
    const bool ok = !shown.failed && mls_setting_add_shown(arena, settings, key, mls_buffer_str(&shown));
    mls_buffer_release(&shown);
    return ok;
}

bool mls_setting_add_text(mls_arena *arena, mls_settings *settings, const char *key, const char *text)
{
    return text == NULL || add_plain(arena, settings, mls_str_from(key), mls_str_from(text));
}

bool mls_setting_add_json(mls_arena *arena, mls_settings *settings, mls_str key, mls_str json)
{
    mls_str text = json;
    if (json.ptr == NULL) {
        return false;
    }
    const mls_json_kind kind = mls_json_kind_of(json);
    if (kind == MLS_JSON_STRING) {
        return mls_json_string(json, arena, &text) && add_plain(arena, settings, key, text);
    }
    return (kind != MLS_JSON_NUMBER && kind != MLS_JSON_BOOL) || mls_setting_add_shown(arena, settings, key, text);
}

mls_setting mls_setting_of_printed(const mls_known_setting *known, mls_str value)
{
    const int truth = mls_known_truth(known, value);
    mls_setting setting = read_shown(mls_setting_is_none(value) ? MLS_S("none") : value);
    if (truth >= 0) {
        setting.kind = MLS_SETTING_NUMBER;
        setting.number = truth;
    }
    return setting;
}

bool mls_setting_same(const mls_setting *a, const mls_setting *b)
{
    if (a->kind != b->kind) {
        return false;
    }
    return a->kind == MLS_SETTING_TEXT
               ? mls_str_equal(a->text, b->text)
               : a->number == b->number ||
                     fabs(a->number - b->number) <= SAME_NUMBER * fmax(fabs(a->number), fabs(b->number));
}

bool mls_setting_add_printed(mls_arena *arena, mls_settings *settings, const mls_known_settings *known, mls_str key,
                             mls_str value)
{
    const mls_setting setting = mls_setting_of_printed(mls_known_setting_named(known, key), value);
    const size_t before = settings->count;
    const bool ok = add_plain(arena, settings, key, setting.text);
    if (ok && settings->count > before) {
        settings->items[before].kind = setting.kind;
        settings->items[before].number = setting.number;
    }
    return ok;
}

bool mls_side_run_printed(mls_arena *arena, mls_side_run *run, const mls_known_settings *known,
                          const mls_printed *printed)
{
    mls_str values[MLS_KNOWN_SETTINGS_MAX];
    bool ok = true;
    (void)mls_known_values(known, printed, values);
    for (size_t i = 0; i < known->count && ok; i++) {
        ok = values[i].ptr == NULL ||
             mls_setting_add_printed(arena, &run->printed, known, mls_str_from(known->items[i].name), values[i]);
    }
    for (size_t i = 0; i < printed->settings.count && ok; i++) {
        const mls_printed_setting *setting = &printed->settings.items[i];
        if (mls_known_setting_printed(known, setting->name) == NULL && mls_setting_is_comparable(known, setting)) {
            ok = mls_setting_add_printed(arena, &run->printed, known, setting->name, setting->value);
        }
    }
    return ok;
}
