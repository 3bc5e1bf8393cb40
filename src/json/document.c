/* SPDX-License-Identifier: Apache-2.0 */
/* document.c - validate or parse a whole JSON file, with positions for errors. */
#include <cjson/cJSON.h>
#include <errno.h>

#include "base/memory.h"
#include "json/value.h"

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
    *tree = NULL;
    /* Validate first, because cJSON does not report what is wrong. */
    const mls_status status = mls_json_document(text, &arena, &json, error);
    mls_arena_release(&arena);
    if (status != MLS_OK)
        return status;
    errno = 0; /* cJSON does not report that memory ran out, but malloc() sets errno */
    *tree = cJSON_ParseWithLengthOpts(text.ptr, text.len, &end, false);
    if (*tree != NULL)
        return MLS_OK;
    if (errno == ENOMEM)
        mls_no_memory();
    mls_text_position(text, (size_t)(end - text.ptr), &line, &column);
    return mls_error_set(
        error, MLS_ERROR_VALUE, line, column,
        "NaN, Infinity, half of a surrogate pair, very long numbers and very deep nesting are not supported");
}
