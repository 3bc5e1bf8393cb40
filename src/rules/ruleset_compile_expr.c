/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ruleset_compile_expr.c - the expressions of a scope, and what its variables
 * begin as.
 */
#include <math.h>
#include <string.h>

#include "base/buffer.h"
#include "rules/ruleset_compile.h"

enum { MLS_BEGIN_DEPTH_MAX = 8 };

mls_str mls_loader_copy(mls_rule_loader *loader, const char *text)
{
    return mls_arena_copy(&loader->ruleset->memory, mls_str_from(text));
}

/* ---------------------------------------------------------------- expressions */

mls_status mls_compile_text(mls_scope_compiler *compiler, mls_str text, size_t offset, mls_expr *expr)
{
    mls_error inner = {0};
    const mls_status status =
        mls_expr_compile(text, &compiler->scope->symbols, mls_compiler_arena(compiler), expr, &inner);
    if (status == MLS_ERROR_MEMORY) {
        return mls_loader_fail_memory(compiler->loader);
    }
    if (status != MLS_OK) {
        return mls_loader_fail(compiler->loader, status, inner.column > 0 ? inner.column + offset : 0, "%s",
                               inner.message);
    }
    return MLS_OK;
}

/* {"lines": ["…", "…"]}: a long expression, its lines joined by a blank. */
static mls_status mls_compile_lines(mls_scope_compiler *compiler, const cJSON *json, mls_expr *expr)
{
    static const char *const allowed[] = {"lines", NULL};
    mls_rule_loader *loader = compiler->loader;
    const cJSON *lines = cJSON_GetObjectItemCaseSensitive(json, "lines");
    mls_status status = mls_loader_check_members(loader, json, allowed);
    if (status == MLS_OK && (!cJSON_IsArray(lines) || cJSON_GetArraySize(lines) == 0)) {
        status = mls_loader_fail(loader, MLS_ERROR_VALUE, 0, "'lines' must be a list of strings");
    }
    mls_buffer text = {0};
    const cJSON *line;
    cJSON_ArrayForEach(line, lines)
    {
        if (status == MLS_OK && !cJSON_IsString(line)) {
            status = mls_loader_fail(loader, MLS_ERROR_VALUE, 0, "'lines' must be a list of strings");
        }
        if (status == MLS_OK) {
            mls_buffer_append_text(&text, text.len > 0 ? " " : "");
            mls_buffer_append_text(&text, line->valuestring);
        }
    }
    if (status == MLS_OK) {
        status =
            text.failed ? mls_loader_fail_memory(loader) : mls_compile_text(compiler, mls_buffer_str(&text), 0, expr);
    }
    mls_buffer_release(&text);
    return status;
}

mls_status mls_compile_expr(mls_scope_compiler *compiler, const cJSON *json, mls_expr *expr)
{
    if (cJSON_IsObject(json)) {
        return mls_compile_lines(compiler, json, expr);
    }
    if (!cJSON_IsString(json)) {
        return mls_loader_fail(compiler->loader, MLS_ERROR_VALUE, 0, "an expression must be a string");
    }
    return mls_compile_text(compiler, mls_str_from(json->valuestring), 0, expr);
}

/* A member that holds one expression or a list of them; absent is an empty list. */
mls_status mls_compile_exprs(mls_scope_compiler *compiler, const cJSON *object, const char *name, mls_expr_list *list)
{
    const cJSON *json = cJSON_GetObjectItemCaseSensitive(object, name);
    if (json == NULL) {
        return MLS_OK;
    }
    mls_rule_loader *loader = compiler->loader;
    const bool several = cJSON_IsArray(json);
    const size_t count = several ? (size_t)cJSON_GetArraySize(json) : 1;
    list->items = mls_arena_array(mls_compiler_arena(compiler), count, sizeof *list->items);
    if (list->items == NULL) {
        return mls_loader_fail_memory(loader);
    }
    mls_path_push(&loader->path, name, 0);
    mls_status status = MLS_OK;
    const cJSON *item = several ? json->child : json;
    for (size_t i = 0; status == MLS_OK && i < count; i++) {
        if (several) {
            mls_path_push(&loader->path, NULL, i);
        }
        status = mls_compile_expr(compiler, item, &list->items[list->count++]);
        if (status == MLS_OK && several) {
            mls_path_pop(&loader->path);
        }
        item = item->next;
    }
    if (status == MLS_OK) {
        mls_path_pop(&loader->path);
    }
    return status;
}

/* ---------------------------------------------------------------- begin */

static bool mls_is_whole(double number)
{
    return number == floor(number) && fabs(number) <= 9007199254740992.0;
}

static mls_status mls_compile_constant(mls_scope_compiler *compiler, const cJSON *json, unsigned depth,
                                       mls_value *value)
{
    mls_rule_loader *loader = compiler->loader;
    *value = (mls_value){.kind = MLS_JSON_NULL};
    if (cJSON_IsBool(json)) {
        *value = (mls_value){.kind = MLS_JSON_BOOL, .as.boolean = cJSON_IsTrue(json)};
    } else if (cJSON_IsNumber(json)) {
        *value = (mls_value){
            .kind = MLS_JSON_NUMBER, .is_integer = mls_is_whole(json->valuedouble), .as.number = json->valuedouble};
    } else if (cJSON_IsString(json)) {
        *value = (mls_value){.kind = MLS_JSON_STRING, .as.string = mls_loader_copy(loader, json->valuestring)};
        return value->as.string.ptr != NULL ? MLS_OK : mls_loader_fail_memory(loader);
    } else if (cJSON_IsArray(json) && depth < MLS_BEGIN_DEPTH_MAX) {
        const size_t count = (size_t)cJSON_GetArraySize(json);
        mls_value *items = mls_arena_array(mls_compiler_arena(compiler), count, sizeof *items);
        if (items == NULL) {
            return mls_loader_fail_memory(loader);
        }
        const cJSON *item = json->child;
        for (size_t i = 0; i < count; i++, item = item->next) {
            const mls_status status = mls_compile_constant(compiler, item, depth + 1, &items[i]);
            if (status != MLS_OK) {
                return status;
            }
        }
        *value = (mls_value){.kind = MLS_JSON_LIST, .as.list = {items, count}};
    } else if (!cJSON_IsNull(json)) {
        return mls_loader_fail(loader, MLS_ERROR_VALUE, 0,
                               "a variable begins as a number, string, boolean, null or list of these");
    }
    return MLS_OK;
}

bool mls_is_identifier(const char *name)
{
    const size_t length = strlen(name);
    const char *const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_";
    return length > 0 && length <= MLS_SCOPE_NAME_MAX && strchr(letters, name[0]) != NULL &&
           strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789") == length;
}

/* Makes sure that `name` can be a variable and gives its slot. */
mls_status mls_compile_variable(mls_scope_compiler *compiler, const char *name, uint32_t *slot)
{
    if (!mls_is_identifier(name)) {
        return mls_loader_fail(compiler->loader, MLS_ERROR_VALUE, 0, "'%.60s' cannot be the name of a variable", name);
    }
    const size_t found =
        mls_symbols_intern(&compiler->scope->symbols, mls_str_from(name), mls_compiler_arena(compiler));
    if (found == MLS_VARIABLES_PER_SCOPE_MAX) {
        return mls_loader_fail(compiler->loader, MLS_ERROR_LIMIT, 0, "more than %d variables",
                               MLS_VARIABLES_PER_SCOPE_MAX);
    }
    compiler->assigned[found] = true;
    *slot = (uint32_t)found;
    return MLS_OK;
}

/* `initial` has room for every variable there may be; it is cut to size at the end. */
mls_status mls_compile_begin(mls_scope_compiler *compiler, const cJSON *json, mls_variable *initial)
{
    mls_rule_loader *loader = compiler->loader;
    const cJSON *begin = cJSON_GetObjectItemCaseSensitive(json, "begin");
    if (begin == NULL) {
        return MLS_OK;
    }
    mls_path_push(&loader->path, "begin", 0);
    if (!cJSON_IsObject(begin)) {
        return mls_loader_fail(loader, MLS_ERROR_VALUE, 0, "'begin' must be an object of variables");
    }
    const cJSON *item;
    cJSON_ArrayForEach(item, begin)
    {
        uint32_t slot = 0;
        mls_path_push(&loader->path, item->string, 0);
        mls_status status = mls_compile_variable(compiler, item->string, &slot);
        if (status == MLS_OK && initial[slot].set) {
            status = mls_loader_fail(loader, MLS_ERROR_VALUE, 0, "this variable stands twice");
        }
        if (status == MLS_OK) {
            status = mls_compile_constant(compiler, item, 0, &initial[slot].value);
            initial[slot].set = true;
        }
        if (status != MLS_OK) {
            return status;
        }
        mls_path_pop(&loader->path);
    }
    mls_path_pop(&loader->path);
    return MLS_OK;
}
