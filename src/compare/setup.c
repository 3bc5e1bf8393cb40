/* SPDX-License-Identifier: Apache-2.0 */
/* setup.c - how a run was set up: values as logged, printed, exported or shown become ones to be compared. */
#include <math.h>

#include "base/buffer.h"
#include "base/number.h"
#include "base/utf8.h"
#include "compare/side.h"
#include "mlscore/value.h"

bool mls_setting_add_number(mls_arena *arena, mls_settings *settings, mls_str key, double number)
{
    const mls_words words = mls_words_exact(number);
    const mls_setting setting = {key, MLS_SETTING_NUMBER, number, mls_arena_copy(arena, mls_str_from(words.text))};
    return !isfinite(number) || (setting.text.ptr != NULL && MLS_ARENA_ADD(arena, settings, setting));
}

bool mls_setting_add_shown(mls_arena *arena, mls_settings *settings, mls_str key, mls_str text)
{
    double number;
    if (text.len == 0) {
        return true;
    }
    if (mls_number_parse(text, &number) && isfinite(number)) {
        return mls_setting_add_number(arena, settings, key, number);
    }
    const bool yes = mls_str_equal(text, MLS_S("true"));
    const bool truth = yes || mls_str_equal(text, MLS_S("false"));
    const mls_setting setting = {key, truth ? MLS_SETTING_BOOL : MLS_SETTING_TEXT, yes, mls_arena_copy(arena, text)};
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

/* What means true or false is 1 or 0, whatever way it was written. */
bool mls_setting_add_printed(mls_arena *arena, mls_settings *settings, const mls_known_settings *known, mls_str key,
                             mls_str value)
{
    const int truth = mls_known_truth(mls_known_setting_named(known, key), value);
    const size_t before = settings->count;
    const bool ok = add_plain(arena, settings, key, mls_setting_is_none(value) ? MLS_S("none") : value);
    if (ok && truth >= 0 && settings->count > before) {
        settings->items[before].kind = MLS_SETTING_NUMBER;
        settings->items[before].number = truth;
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
