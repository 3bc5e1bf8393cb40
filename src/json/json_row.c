/* SPDX-License-Identifier: Apache-2.0 */
/* json_row.c - read members of JSON objects into structs. */
#include "json/json_row.h"

#include <errno.h>

#include "base/data.h"

/* Return a member by name; after a dot, the name is looked up in that object. */
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

static mls_scalar cell_of(const cJSON *json)
{
    if (cJSON_IsString(json))
        return (mls_scalar){.kind = MLS_SCALAR_TEXT, .text = mls_str_from(json->valuestring)};
    return cJSON_IsNumber(json) ? (mls_scalar){.kind = MLS_SCALAR_NUMBER, .number = json->valuedouble}
           : cJSON_IsBool(json) ? (mls_scalar){.kind = MLS_SCALAR_BOOL, .number = cJSON_IsTrue(json)}
                                : (mls_scalar){.kind = MLS_SCALAR_OTHER};
}

mls_status mls_json_row_read(const cJSON *object, const mls_row_member *members, size_t count, mls_arena *arena,
                             void *row, mls_error *error)
{
    for (size_t i = 0; i < count; i++) {
        const bool own = members[i].name[0] == '\0';
        const cJSON *json = own ? object : member_of(object, members[i].name);
        if (json == NULL || cJSON_IsNull(json) || (own && object->string == NULL))
            continue;
        const mls_scalar value =
            own ? (mls_scalar){.kind = MLS_SCALAR_TEXT, .text = mls_str_from(object->string)} : cell_of(json);
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
        mls_members_clear(members, count, row, size);
        const mls_status status = mls_json_row_read(item, members, count, arena, row, &why);
        if (status != MLS_OK)
            return mls_error_set(error, status, 0, 0, "invalid table of %s: %s", name, why.message);
        row += size;
        ++*row_count;
    }
    return MLS_OK;
}

/* Parse the value at *at of a data file and advance *at past it. */
static mls_status parse_data(const char *name, mls_str text, const char **at, cJSON **json, mls_error *error)
{
    size_t line;
    size_t column;
    errno = 0; /* cJSON does not report that memory ran out, but malloc() sets errno */
    *json = cJSON_ParseWithLengthOpts(*at, (size_t)(text.ptr + text.len - *at), at, false);
    if (*json != NULL)
        return MLS_OK;
    if (errno == ENOMEM)
        mls_no_memory();
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
