/* SPDX-License-Identifier: Apache-2.0 */
/* known.c - the settings that decide speed, by the names under which they are printed or exported. */
#include <stdlib.h>

#include "base/json_row.h"
#include "base/number.h"
#include "mlscore/settings.h"

mls_status mls_known_settings_load(mls_known_settings *known, mls_error *error)
{
    static const mls_row_member members[] = {
        MLS_MEMBER_OF(mls_known_setting, "name", TEXT, name, NULL),
        MLS_MEMBER_OF(mls_known_setting, "group", TEXT, group, NULL),
        MLS_MEMBER_OF(mls_known_setting, "kind", WORD, kind, "int bool word"),
        MLS_MEMBER_OF(mls_known_setting, "printed", TEXT, printed, NULL),
        MLS_MEMBER_OF(mls_known_setting, "exports", TEXT, exports, NULL),
        MLS_MEMBER_OF(mls_known_setting, "effect", TEXT, effect, NULL),
    };
    cJSON *json = NULL;
    void *rows = NULL;
    *known = (mls_known_settings){.arena = calloc(1, sizeof(mls_arena))};
    mls_status status = known->arena != NULL ? mls_json_data("settings.json", &json, error) : mls_error_memory(error);
    if (status == MLS_OK) {
        status = mls_json_table_read(json, "settings", members, sizeof members / sizeof *members, known->arena, &rows,
                                     &known->count, sizeof(mls_known_setting), error);
    }
    cJSON_Delete(json);
    known->items = rows;
    if (status != MLS_OK) {
        mls_known_settings_release(known);
    }
    return status;
}

void mls_known_settings_release(mls_known_settings *known)
{
    mls_arena_free(known->arena);
    *known = (mls_known_settings){0};
}

static mls_str last_part(mls_str name)
{
    for (size_t i = name.len; i > 0; i--) {
        if (name.ptr[i - 1] == '.') {
            return (mls_str){name.ptr + i, name.len - i};
        }
    }
    return name;
}

const mls_known_setting *mls_known_setting_printed(const mls_known_settings *known, mls_str name)
{
    const mls_str part = last_part(name);
    for (size_t i = 0; i < known->count; i++) {
        if (mls_str_any(part, known->items[i].printed, mls_str_equal)) {
            return &known->items[i];
        }
    }
    return NULL;
}

const mls_known_setting *mls_known_setting_exported(const mls_known_settings *known, mls_str variable)
{
    for (size_t i = 0; i < known->count; i++) {
        if (mls_str_any(variable, known->items[i].exports, mls_str_equal)) {
            return &known->items[i];
        }
    }
    return NULL;
}

static bool means_none(mls_str value)
{
    return value.len == 0 || mls_str_among(value, "null None ~");
}

mls_str mls_known_value(const mls_known_setting *known, const mls_printed *printed)
{
    mls_str found = {0};
    for (size_t i = 0; i < printed->settings.count && (found.ptr == NULL || means_none(found)); i++) {
        const mls_printed_setting *setting = &printed->settings.items[i];
        if (mls_str_any(last_part(setting->name), known->printed, mls_str_equal) &&
            (found.ptr == NULL || !means_none(setting->value))) {
            found = setting->value;
        }
    }
    return found;
}

/* 1 true, 0 false, -1 neither. */
static int truth_of(mls_str value)
{
    return mls_str_alike(value, MLS_S("true")) || mls_str_equal(value, MLS_S("1"))    ? 1
           : mls_str_alike(value, MLS_S("false")) || mls_str_equal(value, MLS_S("0")) ? 0
                                                                                      : -1;
}

bool mls_setting_values_equal(mls_str a, mls_str b)
{
    double x;
    double y;
    return mls_str_equal(a, b) || (means_none(a) && means_none(b)) ||
           (truth_of(a) >= 0 && truth_of(a) == truth_of(b)) ||
           (mls_number_parse(a, &x) && mls_number_parse(b, &y) && x == y);
}
