/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/data.h"
#include "base/file.h"
#include "base/memory.h"
#include "rules/ruleset_load.h"

/* ---------------------------------------------------------------- errors */

/* "rule lora_rank of scope closed_x: " from the path scopes / closed_x / keys / lora_rank / … */
static void mls_path_describe(const mls_path *path, mls_buffer *out)
{
    const char *scope = path->count > 1 ? path->steps[1].name : NULL;
    const char *part = path->count > 2 ? path->steps[2].name : NULL;
    const char *key = path->count > 3 ? path->steps[3].name : NULL;
    if (scope == NULL) {
        return;
    }
    if (key != NULL && part != NULL && strcmp(part, "keys") == 0) {
        mls_buffer_printf(out, "rule %.60s of ", key);
    } else if (part != NULL && strcmp(part, "keys") != 0) {
        mls_buffer_printf(out, "%s of ", part);
    }
    mls_buffer_printf(out, "scope %.60s: ", scope);
    for (size_t i = 4; i < path->count && i < MLS_PATH_STEPS_MAX; i++) {
        if (path->steps[i].name != NULL) {
            mls_buffer_printf(out, "%s: ", path->steps[i].name);
        }
    }
}

/* The newest source that has the path, or as much of it as any has. */
static const mls_rule_source *mls_loader_locate(const mls_rule_loader *loader, size_t *at, bool *exact)
{
    mls_path path = loader->path;
    if (path.count > MLS_PATH_STEPS_MAX) {
        path.count = MLS_PATH_STEPS_MAX;
    }
    for (*exact = true;; *exact = false, path.count--) {
        for (size_t i = 0; i < loader->source_count; i++) {
            if (mls_json_locate(loader->sources[i].text, &path, at)) {
                return &loader->sources[i];
            }
        }
        if (path.count == 0) {
            return NULL;
        }
    }
}

static void mls_loader_place(const mls_rule_loader *loader, const mls_rule_source *source, size_t at,
                             size_t expr_column)
{
    const mls_str text = source->text;
    if (expr_column > 0 && at < text.len && text.ptr[at] == '"') {
        at = mls_json_string_offset(text, at, expr_column - 1);
    }
    mls_text_position(text, at, &loader->error->line, &loader->error->column);
}

mls_status mls_loader_fail(mls_rule_loader *loader, mls_status status, size_t expr_column, const char *format, ...)
{
    if (loader->error == NULL) {
        return status;
    }
    mls_buffer message = {0};
    size_t at = 0;
    bool exact;
    const mls_rule_source *source = mls_loader_locate(loader, &at, &exact);
    if (source != NULL && source != &loader->sources[0] && source->name != NULL) {
        mls_buffer_printf(&message, "in %s: ", source->name);
    }
    mls_path_describe(&loader->path, &message);
    va_list args;
    va_start(args, format);
    mls_buffer_vprintf(&message, format, args);
    va_end(args);
    if (expr_column > 0) {
        mls_buffer_printf(&message, " (column %zu of the expression)", expr_column);
    }
    (void)mls_error_set(loader->error, status, 0, 0, "%s", message.ptr != NULL ? message.ptr : "out of memory");
    mls_buffer_release(&message);
    if (source != NULL) {
        mls_loader_place(loader, source, at, exact ? expr_column : 0);
    }
    return status;
}

mls_status mls_loader_fail_memory(mls_rule_loader *loader)
{
    return mls_error_memory(loader->error);
}

static bool mls_name_allowed(const char *name, const char *const *allowed)
{
    for (size_t i = 0; allowed[i] != NULL; i++) {
        if (strcmp(name, allowed[i]) == 0) {
            return true;
        }
    }
    return strcmp(name, "comment") == 0;
}

mls_status mls_loader_check_members(mls_rule_loader *loader, const cJSON *object, const char *const *allowed)
{
    const cJSON *member;
    cJSON_ArrayForEach(member, object)
    {
        if (!mls_name_allowed(member->string, allowed)) {
            return mls_loader_fail(loader, MLS_ERROR_VALUE, 0, "'%.60s' means nothing here", member->string);
        }
        if (cJSON_GetObjectItemCaseSensitive(object, member->string) != member) {
            return mls_loader_fail(loader, MLS_ERROR_VALUE, 0, "'%.60s' stands here twice", member->string);
        }
    }
    return MLS_OK;
}

/* ---------------------------------------------------------------- files */

/* What a rule file extends may be anything, so only the file that was given may be a pipe. */
static mls_status read_file(const char *path, bool given, mls_buffer *text, mls_error *error)
{
    mls_error why;
    const mls_status status = mls_file_read(path, given, MLS_RULE_FILE_MAX, text, &why);
    if (status == MLS_OK) {
        return MLS_OK;
    }
    mls_buffer_release(text);
    if (status == MLS_ERROR_MEMORY) {
        return mls_error_memory(error);
    }
    if (why.system_errno != 0) {
        return mls_error_set_errno(error, status, why.system_errno, "the rule file %s cannot be opened", path);
    }
    return mls_error_set(error, status, 0, 0, "the rule file %s %s", path, why.message);
}

/* Parses the newest added source and checks its top. */
static mls_status mls_source_parse(mls_rule_loader *loader, mls_rule_source *source)
{
    static const char *const allowed[] = {"usage", "edition", "extends", "scopes", NULL};
    const char *end = NULL;
    source->json =
        cJSON_ParseWithLengthOpts(source->text.ptr != NULL ? source->text.ptr : "", source->text.len, &end, false);
    size_t at = end != NULL && source->text.ptr != NULL ? (size_t)(end - source->text.ptr) : 0;
    if (source->json != NULL && source->text.ptr != NULL) {
        while (at < source->text.len && (unsigned char)source->text.ptr[at] <= ' ') {
            at++;
        }
    }
    if (source->json == NULL || at < source->text.len) {
        (void)mls_error_set(loader->error, MLS_ERROR_SYNTAX, 0, 0, "%s%sthis is not JSON",
                            source != &loader->sources[0] && source->name != NULL ? source->name : "",
                            source != &loader->sources[0] && source->name != NULL ? ": " : "");
        if (loader->error != NULL) {
            mls_text_position(source->text, at, &loader->error->line, &loader->error->column);
        }
        return MLS_ERROR_SYNTAX;
    }
    if (!cJSON_IsObject(source->json)) {
        return mls_loader_fail(loader, MLS_ERROR_VALUE, 0, "a rule file is a JSON object");
    }
    return mls_loader_check_members(loader, source->json, allowed);
}

static mls_status mls_loader_add(mls_rule_loader *loader, mls_rule_source source)
{
    loader->sources[loader->source_count] = source;
    return mls_source_parse(loader, &loader->sources[loader->source_count++]);
}

static mls_status mls_loader_add_embedded(mls_rule_loader *loader, const char *name)
{
    for (size_t i = 0; i < loader->source_count; i++) {
        if (loader->sources[i].embedded && strcmp(loader->sources[i].name, name) == 0) {
            return mls_loader_fail(loader, MLS_ERROR_VALUE, 0, "%s extends itself", name);
        }
    }
    const mls_str text = mls_data_find(name);
    char *copy = mls_copy_text(name, strlen(name));
    if (copy == NULL) {
        return mls_loader_fail_memory(loader);
    }
    return mls_loader_add(loader, (mls_rule_source){.name = copy, .text = text, .embedded = true});
}

static mls_status mls_loader_add_file(mls_rule_loader *loader, const char *path)
{
    for (size_t i = 0; i < loader->source_count; i++) {
        if (!loader->sources[i].embedded && loader->sources[i].name != NULL &&
            strcmp(loader->sources[i].name, path) == 0) {
            return mls_loader_fail(loader, MLS_ERROR_VALUE, 0, "%s extends itself", path);
        }
    }
    mls_rule_source source = {.name = mls_copy_text(path, strlen(path))};
    if (source.name == NULL) {
        return mls_loader_fail_memory(loader);
    }
    mls_buffer text = {0};
    const mls_status status = read_file(path, loader->source_count == 0, &text, loader->error);
    if (status != MLS_OK) {
        free(source.name);
        return status;
    }
    source.text.len = text.len;
    source.owned = mls_buffer_detach(&text);
    source.text.ptr = source.owned;
    return mls_loader_add(loader, source);
}

/* `extends` names a file: it is looked for beside the file that names it. */
static mls_status mls_loader_extend_file(mls_rule_loader *loader, const char *name)
{
    const char *from = loader->sources[loader->source_count - 1].name;
    const char *slash = from != NULL && name[0] != '/' ? strrchr(from, '/') : NULL;
    mls_buffer path = {0};
    if (slash != NULL) {
        mls_buffer_append(&path, (mls_str){from, (size_t)(slash - from) + 1});
    }
    mls_buffer_append_text(&path, name);
    char *text = mls_buffer_detach(&path);
    const mls_status status = text != NULL ? mls_loader_add_file(loader, text) : mls_loader_fail_memory(loader);
    free(text);
    return status;
}

/* `extends` names an edition: "5.0.0", or "5.0" for short. */
static mls_status mls_loader_extend_edition(mls_rule_loader *loader, const char *usage, const char *edition)
{
    char name[MLS_RULE_NAME_MAX];
    static const char *const endings[] = {"", ".0"};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        (void)snprintf(name, sizeof name, "rules/%.20s-%.20s%s.json", usage, edition, endings[i]);
        if (mls_data_find(name).ptr != NULL) {
            return mls_loader_add_embedded(loader, name);
        }
    }
    return mls_loader_fail(loader, MLS_ERROR_UNKNOWN, 0, "there are no rules of %s %.40s to extend", usage, edition);
}

/* Reads what the last source extends, and what that extends, and so on. */
static mls_status mls_loader_follow(mls_rule_loader *loader)
{
    mls_status status = MLS_OK;
    const cJSON *usage = cJSON_GetObjectItemCaseSensitive(loader->sources[0].json, "usage");
    if (!cJSON_IsString(usage) || !mls_usage_from_name(mls_str_from(usage->valuestring), &loader->ruleset->usage)) {
        return mls_loader_fail(loader, MLS_ERROR_VALUE, 0, "'usage' must say \"training\" or \"hpc\"");
    }
    while (status == MLS_OK) {
        const cJSON *json = loader->sources[loader->source_count - 1].json;
        const cJSON *extends = cJSON_GetObjectItemCaseSensitive(json, "extends");
        if (extends == NULL) {
            return MLS_OK;
        }
        loader->path = (mls_path){.steps = {{.name = "extends"}}, .count = 1};
        if (!cJSON_IsString(extends)) {
            return mls_loader_fail(loader, MLS_ERROR_VALUE, 0, "'extends' must name an edition or a file");
        }
        if (loader->source_count == MLS_EXTENDS_MAX) {
            return mls_loader_fail(loader, MLS_ERROR_LIMIT, 0, "more than %d files extend each other", MLS_EXTENDS_MAX);
        }
        const mls_str name = mls_str_from(extends->valuestring);
        status = mls_str_ends(name, MLS_S(".json"))
                     ? mls_loader_extend_file(loader, extends->valuestring)
                     : mls_loader_extend_edition(loader, usage->valuestring, extends->valuestring);
    }
    return status;
}

/* ---------------------------------------------------------------- merging */

/* Checks one source's scopes before they are merged: shapes, duplicates and limits. */
static mls_status mls_source_check(mls_rule_loader *loader, const cJSON *scopes)
{
    static const char *const allowed[] = {"begin", "keys", "end", "derive", NULL};
    size_t rules = 0;
    mls_status status = MLS_OK;
    if (!cJSON_IsObject(scopes) || cJSON_GetArraySize(scopes) > MLS_SCOPES_MAX) {
        return mls_loader_fail(loader, MLS_ERROR_VALUE, 0, "'scopes' must be an object of at most %d scopes",
                               MLS_SCOPES_MAX);
    }
    const cJSON *scope;
    cJSON_ArrayForEach(scope, scopes)
    {
        mls_path_push(&loader->path, scope->string, 0);
        if (cJSON_GetObjectItemCaseSensitive(scopes, scope->string) != scope) {
            return mls_loader_fail(loader, MLS_ERROR_VALUE, 0, "this scope stands twice in the file");
        }
        if (!cJSON_IsObject(scope) && !cJSON_IsNull(scope)) {
            return mls_loader_fail(loader, MLS_ERROR_VALUE, 0, "a scope must be an object, or null to drop it");
        }
        status = mls_loader_check_members(loader, scope, allowed);
        const cJSON *keys = cJSON_GetObjectItemCaseSensitive(scope, "keys");
        const int count = cJSON_GetArraySize(keys);
        rules += (size_t)count;
        if (status == MLS_OK && ((keys != NULL && !cJSON_IsObject(keys)) || count > MLS_RULES_PER_SCOPE_MAX ||
                                 rules > MLS_RULES_PER_FILE_MAX)) {
            status = mls_loader_fail(loader, MLS_ERROR_LIMIT, 0,
                                     "'keys' must be an object, of at most %d rules (%d in a file)",
                                     MLS_RULES_PER_SCOPE_MAX, MLS_RULES_PER_FILE_MAX);
        }
        const cJSON *key;
        cJSON_ArrayForEach(key, keys)
        {
            if (status == MLS_OK && cJSON_GetObjectItemCaseSensitive(keys, key->string) != key) {
                mls_path_push(&loader->path, "keys", 0);
                mls_path_push(&loader->path, key->string, 0);
                status = mls_loader_fail(loader, MLS_ERROR_VALUE, 0, "this rule stands twice in the scope");
            }
        }
        if (status != MLS_OK) {
            return status;
        }
        mls_path_pop(&loader->path);
    }
    return MLS_OK;
}

/* Lays the members of `above` over `below`: null drops one, everything else replaces it or is added. */
static mls_status mls_members_overlay(mls_rule_loader *loader, cJSON *below, cJSON *above)
{
    for (cJSON *member = above->child; member != NULL;) {
        cJSON *next = member->next;
        cJSON *old = cJSON_GetObjectItemCaseSensitive(below, member->string);
        if (cJSON_IsNull(member)) {
            if (old == NULL) {
                mls_path_push(&loader->path, member->string, 0);
                return mls_loader_fail(loader, MLS_ERROR_VALUE, 0, "what is extended has nothing of this name to drop");
            }
            cJSON_Delete(cJSON_DetachItemViaPointer(below, old));
        } else {
            (void)cJSON_DetachItemViaPointer(above, member);
            if (old != NULL) {
                (void)cJSON_ReplaceItemViaPointer(below, old, member);
            } else {
                (void)cJSON_AddItemToArray(below, member); /* keeps the name it has */
            }
        }
        member = next;
    }
    return MLS_OK;
}

static mls_status mls_scope_overlay(mls_rule_loader *loader, cJSON *below, cJSON *above)
{
    cJSON *keys_above = cJSON_DetachItemFromObjectCaseSensitive(above, "keys");
    cJSON *keys_below = cJSON_GetObjectItemCaseSensitive(below, "keys");
    mls_status status = mls_members_overlay(loader, below, above);
    if (status == MLS_OK && keys_above != NULL) {
        if (keys_below == NULL) {
            keys_below = cJSON_AddObjectToObject(below, "keys");
        }
        mls_path_push(&loader->path, "keys", 0);
        status =
            keys_below != NULL ? mls_members_overlay(loader, keys_below, keys_above) : mls_loader_fail_memory(loader);
        mls_path_pop(&loader->path);
    }
    cJSON_Delete(keys_above);
    return status;
}

/* Lays one source over what the older ones came to. */
static mls_status mls_source_overlay(mls_rule_loader *loader, cJSON *below, cJSON *above)
{
    for (cJSON *scope = above->child; scope != NULL;) {
        cJSON *next = scope->next;
        cJSON *old = cJSON_GetObjectItemCaseSensitive(below, scope->string);
        mls_path_push(&loader->path, scope->string, 0);
        if (cJSON_IsNull(scope)) {
            if (old == NULL) {
                return mls_loader_fail(loader, MLS_ERROR_VALUE, 0, "what is extended has no such scope to drop");
            }
            cJSON_Delete(cJSON_DetachItemViaPointer(below, old));
        } else if (old == NULL) {
            (void)cJSON_DetachItemViaPointer(above, scope);
            (void)cJSON_AddItemToArray(below, scope);
        } else {
            const mls_status status = mls_scope_overlay(loader, old, scope);
            if (status != MLS_OK) {
                return status;
            }
        }
        mls_path_pop(&loader->path);
        scope = next;
    }
    return MLS_OK;
}

static mls_status mls_loader_merge(mls_rule_loader *loader)
{
    mls_status status = MLS_OK;
    cJSON *merged = NULL;
    for (size_t i = loader->source_count; status == MLS_OK && i > 0; i--) {
        cJSON *scopes = cJSON_GetObjectItemCaseSensitive(loader->sources[i - 1].json, "scopes");
        loader->path = (mls_path){.steps = {{.name = "scopes"}}, .count = 1};
        status = mls_source_check(loader, scopes);
        if (status != MLS_OK) {
            return status;
        }
        if (merged == NULL) {
            merged = scopes;
        } else {
            status = mls_source_overlay(loader, merged, scopes);
        }
    }
    if (status == MLS_OK) {
        loader->path = (mls_path){.steps = {{.name = "scopes"}}, .count = 1};
        status = mls_loader_compile(loader, merged);
    }
    return status;
}

/* ---------------------------------------------------------------- entry points */

static mls_status mls_loader_begin(mls_rule_loader *loader, mls_ruleset **ruleset, mls_error *error)
{
    *ruleset = NULL;
    loader->error = error;
    loader->ruleset = calloc(1, sizeof *loader->ruleset);
    return loader->ruleset != NULL ? MLS_OK : mls_loader_fail_memory(loader);
}

/* The first source has been added with `status`; does the rest. */
static mls_status mls_loader_finish(mls_rule_loader *loader, mls_status status, mls_ruleset **ruleset)
{
    if (status == MLS_OK) {
        status = mls_loader_follow(loader);
    }
    if (status == MLS_OK) {
        status = mls_loader_merge(loader);
    }
    for (size_t i = 0; i < loader->source_count; i++) {
        cJSON_Delete(loader->sources[i].json);
        free(loader->sources[i].owned);
        free(loader->sources[i].name);
    }
    if (status == MLS_OK) {
        *ruleset = loader->ruleset;
    } else {
        mls_ruleset_free(loader->ruleset);
    }
    return status;
}

mls_status mls_ruleset_load(const mls_edition *edition, mls_ruleset **ruleset, mls_error *error)
{
    mls_rule_loader loader = {0};
    mls_status status = mls_loader_begin(&loader, ruleset, error);
    if (status == MLS_OK) {
        status = mls_loader_extend_edition(&loader, mls_usage_name(edition->usage), edition->name);
        return mls_loader_finish(&loader, status, ruleset);
    }
    return status;
}

mls_status mls_ruleset_load_file(const char *path, mls_ruleset **ruleset, mls_error *error)
{
    mls_rule_loader loader = {0};
    const mls_status status = mls_loader_begin(&loader, ruleset, error);
    return status == MLS_OK ? mls_loader_finish(&loader, mls_loader_add_file(&loader, path), ruleset) : status;
}

mls_status mls_ruleset_load_text(mls_str text, mls_ruleset **ruleset, mls_error *error)
{
    mls_rule_loader loader = {0};
    const mls_status status = mls_loader_begin(&loader, ruleset, error);
    return status == MLS_OK
               ? mls_loader_finish(&loader, mls_loader_add(&loader, (mls_rule_source){.text = text}), ruleset)
               : status;
}
