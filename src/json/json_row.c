/* SPDX-License-Identifier: Apache-2.0 */
/* json_row.c - parse whole JSON files, and store values in members of structs. */
#include "json/json_row.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>

#include "base/data.h"
#include "base/number.h"

/* 2^53: every integer up to this number is exact as a double. */
static const double exact_max = 9007199254740992;

mls_scalar mls_scalar_of_text(mls_member_kind kind, mls_str text)
{
    mls_scalar scalar = {.kind = text.len > 0 ? MLS_SCALAR_TEXT : MLS_SCALAR_NONE, .text = text};
    if (text.len == 0)
        return scalar;
    if (kind == MLS_MEMBER_COUNT || kind == MLS_MEMBER_NUMBER) {
        scalar.kind = mls_number_parse(text, &scalar.number) ? MLS_SCALAR_NUMBER : MLS_SCALAR_TEXT;
    } else if (kind == MLS_MEMBER_BOOL || kind == MLS_MEMBER_SAID) {
        scalar.number = mls_str_equal(text, MLS_S("true"));
        scalar.kind = scalar.number > 0 || mls_str_equal(text, MLS_S("false")) ? MLS_SCALAR_BOOL : MLS_SCALAR_TEXT;
    }
    return scalar;
}

static bool is_count(double number)
{
    return number >= 0 && number <= exact_max && floor(number) >= number;
}

const char *mls_member_set(const mls_row_member *member, const mls_scalar *scalar, mls_arena *arena, void *row)
{
    void *at = (char *)row + member->offset;
    mls_str left;
    mls_str word;
    const bool none = scalar->kind == MLS_SCALAR_NONE;
    const bool is_bool = scalar->kind == MLS_SCALAR_BOOL;
    const bool is_text = scalar->kind == MLS_SCALAR_TEXT;
    const double number = scalar->kind == MLS_SCALAR_NUMBER && isfinite(scalar->number) ? scalar->number : (double)NAN;
    switch (member->kind) {
    case MLS_MEMBER_COUNT:
        *(uint64_t *)at = is_count(number) ? (uint64_t)number : 0;
        return none || is_count(number) ? NULL : "a whole number from 0 to 2^53";
    case MLS_MEMBER_NUMBER:
        *(double *)at = number;
        return none || !isnan(number) ? NULL : "a number";
    case MLS_MEMBER_BOOL:
        *(bool *)at = is_bool && scalar->number > 0;
        return none || is_bool ? NULL : "true or false";
    case MLS_MEMBER_SAID:
        *(unsigned *)at = !is_bool ? 0 : scalar->number > 0 ? 2 : 1;
        return none || is_bool ? NULL : "true or false";
    case MLS_MEMBER_TEXT:
        *(const char **)at = is_text ? mls_arena_copy(arena, scalar->text).ptr : NULL;
        return none || is_text ? NULL : "a text";
    case MLS_MEMBER_SPAN:
        *(mls_str *)at = is_text ? scalar->text : (mls_str){"", 0};
        return none || is_text ? NULL : "a text";
    case MLS_MEMBER_WORD:
        *(unsigned *)at = 0;
        left = mls_str_from(is_text ? member->words : NULL);
        for (unsigned place = 1; (word = mls_str_word(&left)).len > 0 && *(unsigned *)at == 0; place++)
            *(unsigned *)at = mls_str_equal(word, scalar->text) ? place : 0;
        return none || *(unsigned *)at != 0 ? NULL : member->words;
    default:
        return NULL;
    }
}

mls_member_refusal mls_member_refuse(const mls_row_member *member, const char *wanted)
{
    mls_member_refusal refusal;
    (void)snprintf(refusal.text, sizeof refusal.text, "%s must be %s%s", member->name,
                   member->kind == MLS_MEMBER_WORD ? "one of: " : "", wanted);
    return refusal;
}

/* Return a member by name; "a.b" is the member b of the object a. */
static const cJSON *member_of(const cJSON *object, const char *name)
{
    const char *dot = strchr(name, '.');
    if (dot == NULL)
        return cJSON_GetObjectItemCaseSensitive(object, name);
    for (const cJSON *item = cJSON_IsObject(object) ? object->child : NULL; item != NULL; item = item->next)
        if (mls_str_equal(mls_str_from(item->string), (mls_str){name, (size_t)(dot - name)}))
            return member_of(item, dot + 1);
    return NULL;
}

mls_status mls_json_row_read(const cJSON *object, const mls_row_member *members, size_t count, mls_arena *arena,
                             void *row, mls_error *error)
{
    for (size_t i = 0; i < count; i++) {
        const bool own = members[i].name[0] == '\0';
        const cJSON *json = own ? object : member_of(object, members[i].name);
        if (json == NULL || cJSON_IsNull(json) || (own && object->string == NULL))
            continue;
        mls_scalar value = {.kind = MLS_SCALAR_OTHER};
        if (own || cJSON_IsString(json))
            value = (mls_scalar){.kind = MLS_SCALAR_TEXT, .text = mls_str_from(own ? json->string : json->valuestring)};
        else if (cJSON_IsNumber(json))
            value = (mls_scalar){.kind = MLS_SCALAR_NUMBER, .number = json->valuedouble};
        else if (cJSON_IsBool(json))
            value = (mls_scalar){.kind = MLS_SCALAR_BOOL, .number = cJSON_IsTrue(json)};
        const char *wanted = mls_member_set(&members[i], &value, arena, row);
        if (wanted != NULL)
            return mls_error_set(error, MLS_ERROR_VALUE, 0, 0, "%s", mls_member_refuse(&members[i], wanted).text);
    }
    return MLS_OK;
}

mls_status mls_json_table_read(const cJSON *json, const char *name, const mls_row_member *members, size_t count,
                               mls_arena *arena, void **rows, size_t *row_count, size_t size, mls_error *error)
{
    const cJSON *list = cJSON_GetObjectItemCaseSensitive(json, name);
    char *row = mls_arena_array(arena, (size_t)cJSON_GetArraySize(list), size);
    *rows = row;
    *row_count = 0;
    for (const cJSON *item = list != NULL ? list->child : NULL; item != NULL; item = item->next) {
        mls_error why = {0};
        mls_schema_clear(&(mls_schema){members, count, size}, row);
        const mls_status status = mls_json_row_read(item, members, count, arena, row, &why);
        if (status != MLS_OK)
            return mls_error_set(error, status, 0, 0, "invalid table of %s: %s", name, why.message);
        row += size;
        ++*row_count;
    }
    return MLS_OK;
}

/* Parse the value at *at and advance *at past the value.  On an error, return NULL and set *at to the error. */
static cJSON *parse_value(mls_str text, const char **at)
{
    errno = 0; /* cJSON does not report that memory ran out, but malloc() sets errno */
    cJSON *json = cJSON_ParseWithLengthOpts(*at, (size_t)(text.ptr + text.len - *at), at, false);
    if (json == NULL && errno == ENOMEM)
        mls_no_memory();
    return json;
}

mls_status mls_json_document(mls_str text, mls_arena *arena, mls_str *json, mls_error *error)
{
    size_t where;
    size_t line;
    size_t column;
    const char *reason = mls_json_validate(text, arena, json, &where);
    if (reason == NULL)
        return MLS_OK;
    mls_text_position(text, where, &line, &column);
    return mls_error_set(error, MLS_ERROR_SYNTAX, line, column, "%s", reason);
}

mls_status mls_json_tree(mls_str text, cJSON **tree, mls_error *error)
{
    mls_arena arena = {0};
    mls_str json;
    const char *end = text.ptr;
    size_t line;
    size_t column;
    /* Validate first, because cJSON does not report what is wrong. */
    const mls_status status = mls_json_document(text, &arena, &json, error);
    mls_arena_release(&arena);
    *tree = status == MLS_OK ? parse_value(text, &end) : NULL;
    if (status != MLS_OK || *tree != NULL)
        return status;
    mls_text_position(text, (size_t)(end - text.ptr), &line, &column);
    return mls_error_set(
        error, MLS_ERROR_VALUE, line, column,
        "NaN, Infinity, half of a surrogate pair, very long numbers and very deep nesting are not supported");
}

/* Parse the value at *at in the text of the data file `name`, and advance *at past the value. */
static mls_status parse_data(const char *name, mls_str text, const char **at, cJSON **json, mls_error *error)
{
    size_t line;
    size_t column;
    *json = parse_value(text, at);
    if (*json != NULL)
        return MLS_OK;
    mls_text_position(text, (size_t)(*at - text.ptr), &line, &column);
    return mls_error_set(error, MLS_ERROR_VALUE, 0, 0, "src/data/%s:%zu:%zu: not JSON", name, line, column);
}

mls_status mls_json_data(const char *name, cJSON **json, mls_error *error)
{
    const mls_str text = mls_data_find(name);
    const char *at = text.ptr;
    return parse_data(name, text, &at, json, error);
}

mls_status mls_json_data_each(const char *name, mls_json_taker take, void *state, mls_error *error)
{
    static const char blanks[] = " \t\r\n";
    const mls_str text = mls_data_find(name);
    mls_status status = MLS_OK;
    if (text.ptr == NULL)
        return mls_error_set(error, MLS_ERROR_VALUE, 0, 0, "src/data/%s: missing", name);
    const char *at = memchr(text.ptr, '[', text.len);
    at = at != NULL ? at + 1 + strspn(at + 1, blanks) : text.ptr + text.len;
    while (status == MLS_OK && *at != ']') {
        cJSON *item;
        status = parse_data(name, text, &at, &item, error);
        status = status == MLS_OK ? take(state, item, error) : status;
        cJSON_Delete(item);
        at += strspn(at, blanks);
        at += *at == ',';
    }
    return status;
}
