/* SPDX-License-Identifier: Apache-2.0 */
/* known.c - the settings that decide speed, by the names under which they are printed or exported. */
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "base/map.h"
#include "base/memory.h"
#include "base/number.h"
#include "run/settings.h"
#include "json/json_row.h"

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
    *known = (mls_known_settings){.arena = mls_calloc(1, sizeof(mls_arena))};
    mls_status status = mls_json_data("settings.json", &json, error);
    if (status == MLS_OK) {
        status = mls_json_table_read(json, "settings", members, sizeof members / sizeof *members, known->arena, &rows,
                                     &known->count, sizeof(mls_known_setting), error);
    }
    known->items = rows;
    if (status == MLS_OK && known->count > MLS_KNOWN_SETTINGS_MAX) {
        status = mls_error_set(error, MLS_ERROR_VALUE, 0, 0, "too many settings");
    }
    if (status == MLS_OK) {
        const char *never = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(json, "never"));
        known->never = mls_arena_copy(known->arena, mls_str_from(never)).ptr;
        known->printed = mls_arena_zeroed(known->arena, 1, sizeof *known->printed);
        known->printed->arena = known->arena;
        for (size_t i = 0; i < known->count; i++) {
            const char *names = known->items[i].printed;
            for (mls_str name; mls_list_next(&names, '|', &name);) {
                mls_map_put(known->printed, name, NULL)->value.number = i;
            }
        }
    }
    cJSON_Delete(json);
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
            return mls_str_rest(name, i);
        }
    }
    return name;
}

const mls_known_setting *mls_known_setting_printed(const mls_known_settings *known, mls_str name)
{
    const mls_map_entry *entry = mls_map_find(known->printed, last_part(name));
    return entry != NULL ? &known->items[entry->value.number] : NULL;
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

const mls_known_setting *mls_known_setting_named(const mls_known_settings *known, mls_str name)
{
    unsigned place;
    return MLS_NAME_FIND(known->items, known->count, name, &place) ? &known->items[place] : NULL;
}

bool mls_setting_is_none(mls_str value)
{
    return value.len == 0 || mls_str_among(value, "null None ~");
}

size_t mls_known_values(const mls_known_settings *known, const mls_printed *printed, mls_str *values)
{
    size_t count = 0;
    memset(values, 0, known->count * sizeof *values);
    for (size_t i = 0; i < printed->settings.count; i++) {
        const mls_printed_setting *setting = &printed->settings.items[i];
        const mls_known_setting *row = mls_known_setting_printed(known, setting->name);
        mls_str *value = row != NULL ? &values[row - known->items] : NULL;
        count += row != NULL;
        if (value != NULL &&
            (value->ptr == NULL || (mls_setting_is_none(*value) && !mls_setting_is_none(setting->value)))) {
            *value = setting->value;
        }
    }
    return count;
}

mls_str mls_known_value(const mls_known_settings *known, const mls_str *values, mls_str name)
{
    const mls_known_setting *row = mls_known_setting_named(known, name);
    return row != NULL ? values[row - known->items] : (mls_str){0};
}

bool mls_known_is_on(const mls_known_settings *known, const mls_str *values, mls_str name)
{
    const mls_str value = mls_known_value(known, values, name);
    return !mls_setting_is_none(value) && mls_setting_truth(value) != 0;
}

uint32_t mls_known_number(const mls_known_settings *known, const mls_str *values, mls_str name)
{
    size_t number;
    return mls_size_parse(mls_known_value(known, values, name), &number) && number <= UINT32_MAX ? (uint32_t)number : 0;
}

mls_printed_facts mls_known_facts(const mls_known_settings *known, const mls_printed *printed)
{
    static const mls_str degrees[MLS_DEGREES] = {MLS_STR("tensor_parallel"), MLS_STR("pipeline_parallel"),
                                                 MLS_STR("context_parallel"), MLS_STR("expert_parallel")};
    mls_str values[MLS_KNOWN_SETTINGS_MAX];
    (void)mls_known_values(known, printed, values);
    mls_printed_facts facts = {.precision = mls_known_is_on(known, values, MLS_S("fp4"))   ? MLS_PRINTED_FP4
                                            : mls_known_is_on(known, values, MLS_S("fp8")) ? MLS_PRINTED_FP8
                                                                                           : MLS_PRINTED_NO_PRECISION,
                               .healing = mls_known_number(known, values, MLS_S("healing"))};
    for (size_t i = 0; i < MLS_DEGREES; i++) {
        facts.degrees[i] = mls_known_number(known, values, degrees[i]);
    }
    return facts;
}

mls_status mls_run_read_facts(mls_known_settings *known, mls_scan_room **room, mls_run *run)
{
    const size_t line = run->run_start.line;
    const bool may = line == 0 || run->unlogged_lines >= MLS_PRINTED_BLOCK_MIN;
    const int fd = may ? mls_file_open_again(run->file, run->root, NULL) : -1;
    mls_printed_reader *reader = NULL;
    mls_status status = MLS_OK;
    if (fd >= 0 && mls_printed_may_split(fd, line)) {
        status = mls_printed_read_before(fd, line, room, &reader, NULL);
        status = status == MLS_ERROR_READ ? MLS_OK : status;
    }
    if (fd >= 0) {
        (void)close(fd);
    }
    const mls_printed *printed = reader != NULL ? mls_printed_of_run(reader, line) : NULL;
    if (printed != NULL && status == MLS_OK) {
        status = known->items == NULL ? mls_known_settings_load(known, NULL) : MLS_OK;
    }
    if (printed != NULL && status == MLS_OK) {
        run->facts = mls_known_facts(known, printed);
    }
    mls_printed_reader_free(reader);
    return status;
}

bool mls_setting_is_comparable(const mls_known_settings *known, const mls_printed_setting *setting)
{
    mls_str rest = last_part(setting->name);
    bool comparable = !mls_str_contains(setting->value, MLS_S("/")) && setting->value.len > 0;
    for (mls_str word; comparable && rest.len > 0;) {
        (void)mls_str_cut(&rest, '_', &word);
        comparable = !mls_str_any(word, known->never, mls_str_alike);
    }
    return comparable;
}

int mls_setting_truth(mls_str value)
{
    return mls_str_alike(value, MLS_S("true")) || mls_str_equal(value, MLS_S("1"))    ? 1
           : mls_str_alike(value, MLS_S("false")) || mls_str_equal(value, MLS_S("0")) ? 0
                                                                                      : -1;
}

int mls_known_truth(const mls_known_setting *known, mls_str value)
{
    const bool none = known != NULL && known->kind == MLS_KNOWN_WORD && mls_setting_is_none(value);
    return none ? 0 : mls_setting_truth(value);
}
