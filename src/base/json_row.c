/* SPDX-License-Identifier: Apache-2.0 */
/* json_row.c - members of JSON objects into members of structs. */
#include "base/json_row.h"

#include <math.h>

#include "base/data.h"

/* The largest number up to which every whole one is a double. */
static const double exact_most = 9007199254740992;

/* The member of a name, or behind a dot of the object in it. */
static const cJSON *member_of(const cJSON *object, const char *name)
{
    const char *dot = strchr(name, '.');
    if (dot == NULL) {
        return cJSON_GetObjectItemCaseSensitive(object, name);
    }
    for (const cJSON *item = cJSON_IsObject(object) ? object->child : NULL; item != NULL; item = item->next) {
        if (mls_str_equal(mls_str_from(item->string), (mls_str){name, (size_t)(dot - name)})) {
            return member_of(item, dot + 1);
        }
    }
    return NULL;
}

static unsigned place_of_word(const char *word, const char *words)
{
    mls_str left = mls_str_from(words);
    unsigned place = 1;
    for (mls_str one = mls_str_word(&left); one.len > 0; one = mls_str_word(&left), place++) {
        if (mls_str_equal(one, mls_str_from(word))) {
            return place;
        }
    }
    return 0;
}

/* What the member should have been; NULL: it is that, and stands in `value`. */
static const char *read_kind(const cJSON *json, const mls_row_member *member, mls_arena *arena, void *value)
{
    const double number = cJSON_IsNumber(json) ? json->valuedouble : -1;
    switch (member->kind) {
    case MLS_MEMBER_COUNT:
        if (number < 0 || number > exact_most || floor(number) < number) {
            return "a whole number from 0 on, not beyond 2^53";
        }
        *(uint64_t *)value = (uint64_t)number;
        return NULL;
    case MLS_MEMBER_NUMBER:
        *(double *)value = json->valuedouble;
        return cJSON_IsNumber(json) && isfinite(json->valuedouble) ? NULL : "a number";
    case MLS_MEMBER_BOOL:
        *(bool *)value = cJSON_IsTrue(json);
        return cJSON_IsBool(json) ? NULL : "true or false";
    case MLS_MEMBER_SAID:
        *(unsigned *)value = cJSON_IsTrue(json) ? 2 : 1;
        return cJSON_IsBool(json) ? NULL : "true or false";
    case MLS_MEMBER_WORD:
        *(unsigned *)value = cJSON_IsString(json) ? place_of_word(json->valuestring, member->words) : 0;
        return *(unsigned *)value != 0 ? NULL : member->words;
    case MLS_MEMBER_TEXT:
        *(const char **)value =
            cJSON_IsString(json) ? mls_arena_copy(arena, mls_str_from(json->valuestring)).ptr : NULL;
        return cJSON_IsString(json) ? NULL : "a text";
    }
    return "known";
}

mls_status mls_json_row_read(const cJSON *object, const mls_row_member *members, size_t count, mls_arena *arena,
                             void *row, mls_error *error)
{
    for (size_t i = 0; i < count; i++) {
        const cJSON *json = member_of(object, members[i].name);
        void *value = (char *)row + members[i].offset;
        if (json == NULL || cJSON_IsNull(json)) {
            continue;
        }
        const char *wanted = read_kind(json, &members[i], arena, value);
        if (wanted != NULL) {
            return mls_error_set(error, MLS_ERROR_VALUE, 0, 0, "%s must be %s%s", members[i].name,
                                 members[i].kind == MLS_MEMBER_WORD ? "one of: " : "", wanted);
        }
        if (members[i].kind == MLS_MEMBER_TEXT && *(const char **)value == NULL) {
            return mls_error_memory(error);
        }
    }
    return MLS_OK;
}

cJSON *mls_json_data(const char *name)
{
    const mls_str text = mls_data_find(name);
    return cJSON_ParseWithLength(text.ptr, text.len);
}
