/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ruleset_compile.c - merged rule files to a ruleset.
 *
 * Every expression of every scope is compiled, so that a mistake in a rule
 * file shows when it is loaded and not when some log happens to need it.
 */
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/number.h"
#include "rules/ruleset_compile.h"

enum { MLS_OTHERS_MAX = 16 };

/* ---------------------------------------------------------------- rules */

static int mls_str_sort(const void *left, const void *right)
{
    return mls_str_compare(*(const mls_str *)left, *(const mls_str *)right);
}

/* "at_least_one_or(b, c)": the other keys, and the name that stands for all of them. */
static mls_status mls_compile_others(mls_scope_compiler *compiler, mls_str names, mls_rule *rule)
{
    mls_str all[MLS_OTHERS_MAX];
    size_t count = 0;
    all[count++] = rule->key;
    for (size_t at = 0; at <= names.len && count < MLS_OTHERS_MAX;) {
        const char *comma = at < names.len ? memchr(names.ptr + at, ',', names.len - at) : NULL;
        size_t end = comma != NULL ? (size_t)(comma - names.ptr) : names.len;
        const size_t next = end + 1;
        while (at < end && names.ptr[at] == ' ') {
            at++;
        }
        while (end > at && names.ptr[end - 1] == ' ') {
            end--;
        }
        if (end == at) {
            return mls_loader_fail(compiler->loader, MLS_ERROR_VALUE, 0, "at_least_one_or(…) must name other keys");
        }
        all[count++] = (mls_str){names.ptr + at, end - at};
        at = next;
    }
    mls_str *others = mls_arena_array(mls_compiler_arena(compiler), count - 1, sizeof *others);
    mls_buffer either = {0};
    if (others == NULL) {
        return mls_loader_fail_memory(compiler->loader);
    }
    memcpy(others, all + 1, (count - 1) * sizeof *others);
    qsort(all, count, sizeof *all, mls_str_sort);
    for (size_t i = 0; i < count; i++) {
        mls_buffer_append_text(&either, i > 0 ? "|" : "");
        mls_buffer_append(&either, all[i]);
    }
    rule->others = others;
    rule->other_count = count - 1;
    rule->either = mls_arena_copy(mls_compiler_arena(compiler), mls_buffer_str(&either));
    mls_buffer_release(&either);
    return rule->either.ptr != NULL ? MLS_OK : mls_loader_fail_memory(compiler->loader);
}

/* The text between "name(" and ")"; false when `text` is not of that form. */
static bool mls_occurs_argument(mls_str text, mls_str name, mls_str *argument)
{
    if (!mls_str_starts(text, name) || !mls_str_ends(text, MLS_S(")"))) {
        return false;
    }
    *argument = (mls_str){text.ptr + name.len, text.len - name.len - 1};
    return true;
}

static mls_status mls_compile_occurs(mls_scope_compiler *compiler, const cJSON *json, mls_rule *rule)
{
    mls_str argument;
    if (json == NULL) {
        return MLS_OK;
    }
    const char *text = cJSON_IsString(json) ? json->valuestring : "";
    const mls_str occurs = rule->occurs_text = mls_loader_copy(compiler->loader, text);
    if (occurs.ptr == NULL) {
        return mls_loader_fail_memory(compiler->loader);
    }
    if (mls_str_equal(occurs, MLS_S("optional"))) {
        rule->occurs = MLS_OCCURS_ANY;
    } else if (mls_str_equal(occurs, MLS_S("exactly_one"))) {
        rule->occurs = MLS_OCCURS_EXACTLY_ONE;
    } else if (mls_str_equal(occurs, MLS_S("at_least_one"))) {
        rule->occurs = MLS_OCCURS_AT_LEAST;
        rule->occurs_count = 1;
    } else if (mls_occurs_argument(occurs, MLS_S("at_least_one_or("), &argument)) {
        rule->occurs = MLS_OCCURS_AT_LEAST_ONE_OR;
        return mls_compile_others(compiler, argument, rule);
    } else if (mls_occurs_argument(occurs, MLS_S("at_least("), &argument) &&
               mls_size_parse(argument, &rule->occurs_count)) {
        rule->occurs = MLS_OCCURS_AT_LEAST;
    } else {
        return mls_loader_fail(compiler->loader, MLS_ERROR_VALUE, 0,
                               "how often is \"exactly_one\", \"at_least_one\", \"at_least(n)\", "
                               "\"at_least_one_or(other_key)\" or \"optional\"");
    }
    return MLS_OK;
}

static bool mls_actions_have_use(const mls_action *actions, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (actions[i].kind == MLS_ACTION_USE || mls_actions_have_use(actions[i].actions, actions[i].action_count)) {
            return true;
        }
    }
    return false;
}

static mls_status mls_compile_rule(mls_scope_compiler *compiler, const cJSON *json, mls_rule *rule)
{
    static const char *const allowed[] = {"occurs", "check", "check_first", "check_any", "after", NULL};
    mls_rule_loader *loader = compiler->loader;
    *rule = (mls_rule){.key = mls_loader_copy(loader, json->string)};
    if (rule->key.ptr == NULL) {
        return mls_loader_fail_memory(loader);
    }
    rule->first_only = mls_str_contains(rule->key, MLS_S("submission_"));
    if (cJSON_IsString(json)) {
        return mls_compile_occurs(compiler, json, rule);
    }
    if (!cJSON_IsObject(json)) {
        return mls_loader_fail(loader, MLS_ERROR_VALUE, 0, "a rule is an object, or a string that says how often");
    }
    mls_status status = mls_loader_check_members(loader, json, allowed);
    if (status == MLS_OK) {
        status = mls_compile_occurs(compiler, cJSON_GetObjectItemCaseSensitive(json, "occurs"), rule);
    }
    if (status == MLS_OK) {
        status = mls_compile_exprs(compiler, json, "check", &rule->check);
    }
    if (status == MLS_OK) {
        status = mls_compile_exprs(compiler, json, "check_first", &rule->check_first);
    }
    if (status == MLS_OK) {
        status = mls_compile_exprs(compiler, json, "check_any", &rule->check_any);
    }
    const cJSON *after = cJSON_GetObjectItemCaseSensitive(json, "after");
    if (status == MLS_OK && after != NULL) {
        mls_path_push(&loader->path, "after", 0);
        status = mls_compile_actions(compiler, after, 0, &rule->actions, &rule->action_count);
        rule->has_use = mls_actions_have_use(rule->actions, rule->action_count);
        if (status == MLS_OK) {
            mls_path_pop(&loader->path);
        }
    }
    return status;
}

static mls_status mls_compile_rules(mls_scope_compiler *compiler, const cJSON *json)
{
    mls_rule_loader *loader = compiler->loader;
    const cJSON *keys = cJSON_GetObjectItemCaseSensitive(json, "keys");
    const size_t count = (size_t)cJSON_GetArraySize(keys);
    mls_scope *scope = compiler->scope;
    scope->rules = mls_arena_array(mls_compiler_arena(compiler), count, sizeof *scope->rules);
    if (scope->rules == NULL) {
        return mls_loader_fail_memory(loader);
    }
    mls_path_push(&loader->path, "keys", 0);
    const cJSON *rule;
    cJSON_ArrayForEach(rule, keys)
    {
        mls_path_push(&loader->path, rule->string, 0);
        if (cJSON_IsNull(rule)) {
            return mls_loader_fail(loader, MLS_ERROR_VALUE, 0, "there is no rule of this name to drop");
        }
        const mls_status status = mls_compile_rule(compiler, rule, &scope->rules[scope->rule_count++]);
        if (status != MLS_OK) {
            return status;
        }
        mls_path_pop(&loader->path);
    }
    mls_path_pop(&loader->path);
    return MLS_OK;
}

/* ---------------------------------------------------------------- scopes */

/* "metadata.name" → "name" */
static bool mls_metadata_name(mls_rule_loader *loader, const cJSON *json, mls_str *name)
{
    static const char prefix[] = "metadata.";
    if (!cJSON_IsString(json) || !mls_str_starts(mls_str_from(json->valuestring), MLS_S("metadata.")) ||
        !mls_is_identifier(json->valuestring + strlen(prefix))) {
        return false;
    }
    *name = mls_loader_copy(loader, json->valuestring + strlen(prefix));
    return true;
}

static mls_status mls_compile_derive(mls_scope_compiler *compiler, const cJSON *json)
{
    static const char *const allowed[] = {"key", "from", "group_by", "field", NULL};
    mls_rule_loader *loader = compiler->loader;
    mls_derive *derive = &compiler->scope->derive;
    const cJSON *object = cJSON_GetObjectItemCaseSensitive(json, "derive");
    if (object == NULL) {
        return MLS_OK;
    }
    mls_path_push(&loader->path, "derive", 0);
    const mls_status status = mls_loader_check_members(loader, object, allowed);
    if (status != MLS_OK) {
        return status;
    }
    const cJSON *key = cJSON_GetObjectItemCaseSensitive(object, "key");
    const cJSON *from = cJSON_GetObjectItemCaseSensitive(object, "from");
    if (!cJSON_IsString(key) || !cJSON_IsString(from) ||
        !mls_metadata_name(loader, cJSON_GetObjectItemCaseSensitive(object, "group_by"), &derive->group_by) ||
        !mls_metadata_name(loader, cJSON_GetObjectItemCaseSensitive(object, "field"), &derive->field)) {
        return mls_loader_fail(
            loader, MLS_ERROR_VALUE, 0,
            "\"derive\" needs \"key\" and \"from\" (keys), \"group_by\" and \"field\" (\"metadata.…\")");
    }
    derive->key = mls_loader_copy(loader, key->valuestring);
    derive->from = mls_loader_copy(loader, from->valuestring);
    mls_path_pop(&loader->path);
    if (derive->key.ptr == NULL || derive->from.ptr == NULL || derive->group_by.ptr == NULL ||
        derive->field.ptr == NULL) {
        return mls_loader_fail_memory(loader);
    }
    return MLS_OK;
}

static mls_status mls_compile_end(mls_scope_compiler *compiler, const cJSON *json)
{
    const mls_status status = mls_compile_exprs(compiler, json, "end", &compiler->scope->end);
    for (size_t i = 0; status == MLS_OK && i < compiler->scope->end.count; i++) {
        if (compiler->scope->end.items[i].uses_record) {
            mls_path_push(&compiler->loader->path, "end", 0);
            return mls_loader_fail(compiler->loader, MLS_ERROR_VALUE, 0,
                                   "no record is left at the end: only $variables can be looked at");
        }
    }
    return status;
}

static mls_status mls_compile_scope(mls_scope_compiler *compiler, const cJSON *json, mls_variable *initial)
{
    mls_scope *scope = compiler->scope;
    scope->name = mls_loader_copy(compiler->loader, json->string);
    if (scope->name.ptr == NULL) {
        return mls_loader_fail_memory(compiler->loader);
    }
    if (scope->name.len == 0 || scope->name.len > MLS_SCOPE_NAME_MAX) {
        return mls_loader_fail(compiler->loader, MLS_ERROR_VALUE, 0, "a scope's name has 1 to %d bytes",
                               MLS_SCOPE_NAME_MAX);
    }
    mls_status status = mls_compile_begin(compiler, json, initial);
    if (status == MLS_OK) {
        status = mls_compile_derive(compiler, json);
    }
    if (status == MLS_OK) {
        status = mls_compile_rules(compiler, json);
    }
    if (status == MLS_OK) {
        status = mls_compile_end(compiler, json);
    }
    for (size_t i = 0; status == MLS_OK && i < scope->symbols.count; i++) {
        if (!compiler->assigned[i]) {
            status = mls_loader_fail(compiler->loader, MLS_ERROR_VALUE, 0,
                                     "nothing gives $%.60s a value: neither \"begin\" nor a \"set\"",
                                     scope->symbols.names[i].ptr);
        }
    }
    if (status == MLS_OK) {
        scope->initial = mls_arena_array(mls_compiler_arena(compiler), scope->symbols.count, sizeof *initial);
        if (scope->initial == NULL) {
            return mls_loader_fail_memory(compiler->loader);
        }
        memcpy(scope->initial, initial, scope->symbols.count * sizeof *initial);
    }
    return status;
}

/* Notes which scopes each `use` could name, so that a checker knows early which are out of reach. */
static bool mls_find_candidates(mls_ruleset *ruleset, mls_action *actions, size_t count)
{
    for (size_t a = 0; a < count; a++) {
        mls_action *action = &actions[a];
        if (action->kind == MLS_ACTION_IF) {
            if (!mls_find_candidates(ruleset, action->actions, action->action_count)) {
                return false;
            }
        } else if (action->kind == MLS_ACTION_USE) {
            uint32_t *found = mls_arena_array(&ruleset->memory, ruleset->scope_count, sizeof *found);
            if (found == NULL) {
                return false;
            }
            action->candidates = found;
            for (size_t i = 0; i < ruleset->scope_count; i++) {
                const mls_str name = ruleset->scopes[i].name;
                if (action->has_expr ? name.len >= action->prefix.len + action->suffix.len &&
                                           mls_str_starts(name, action->prefix) && mls_str_ends(name, action->suffix)
                                     : mls_str_equal(name, action->prefix)) {
                    found[action->candidate_count++] = (uint32_t)i;
                }
            }
        }
    }
    return true;
}

static mls_status mls_loader_link(mls_rule_loader *loader)
{
    mls_ruleset *ruleset = loader->ruleset;
    for (size_t s = 0; s < ruleset->scope_count; s++) {
        mls_scope *scope = &ruleset->scopes[s];
        for (size_t r = 0; r < scope->rule_count; r++) {
            if (!mls_find_candidates(ruleset, scope->rules[r].actions, scope->rules[r].action_count)) {
                return mls_loader_fail_memory(loader);
            }
        }
    }
    ruleset->common = mls_ruleset_find_scope(ruleset, MLS_S("common"));
    if (ruleset->common == SIZE_MAX) {
        return mls_loader_fail(loader, MLS_ERROR_VALUE, 0, "there must be a scope named \"common\"");
    }
    return mls_ruleset_index(ruleset) ? MLS_OK : mls_loader_fail_memory(loader);
}

/* The newest of the published editions among the sources. */
static mls_status mls_loader_base(mls_rule_loader *loader)
{
    for (size_t i = 0; i < loader->source_count; i++) {
        const cJSON *edition = cJSON_GetObjectItemCaseSensitive(loader->sources[i].json, "edition");
        if (loader->sources[i].embedded && cJSON_IsString(edition)) {
            loader->ruleset->base = mls_loader_copy(loader, edition->valuestring);
            return loader->ruleset->base.ptr != NULL ? MLS_OK : mls_loader_fail_memory(loader);
        }
    }
    return MLS_OK;
}

static mls_status mls_loader_edition(mls_rule_loader *loader)
{
    const cJSON *edition = cJSON_GetObjectItemCaseSensitive(loader->sources[0].json, "edition");
    if (!cJSON_IsString(edition) || strlen(edition->valuestring) == 0 || strlen(edition->valuestring) > 32) {
        const mls_path none = {0};
        loader->path = none;
        return mls_loader_fail(loader, MLS_ERROR_VALUE, 0, "'edition' must name the edition, as in \"5.1.0\"");
    }
    loader->ruleset->edition = mls_loader_copy(loader, edition->valuestring);
    return loader->ruleset->edition.ptr != NULL ? mls_loader_base(loader) : mls_loader_fail_memory(loader);
}

mls_status mls_loader_compile(mls_rule_loader *loader, const cJSON *merged)
{
    mls_ruleset *ruleset = loader->ruleset;
    const size_t count = (size_t)cJSON_GetArraySize(merged);
    mls_status status = mls_loader_edition(loader);
    if (status != MLS_OK) {
        return status;
    }
    if (count > MLS_SCOPES_MAX) {
        return mls_loader_fail(loader, MLS_ERROR_LIMIT, 0, "more than %d scopes", MLS_SCOPES_MAX);
    }
    ruleset->scopes = mls_arena_array(&ruleset->memory, count, sizeof *ruleset->scopes);
    mls_variable *initial = calloc(MLS_VARIABLES_PER_SCOPE_MAX, sizeof *initial);
    bool *assigned = calloc(MLS_VARIABLES_PER_SCOPE_MAX, sizeof *assigned);
    if (ruleset->scopes == NULL || initial == NULL || assigned == NULL) {
        free(initial);
        free(assigned);
        return mls_loader_fail_memory(loader);
    }
    const cJSON *item = merged->child;
    for (size_t i = 0; status == MLS_OK && i < count; i++, item = item->next) {
        memset(initial, 0, MLS_VARIABLES_PER_SCOPE_MAX * sizeof *initial);
        memset(assigned, 0, MLS_VARIABLES_PER_SCOPE_MAX * sizeof *assigned);
        mls_scope *scope = &ruleset->scopes[ruleset->scope_count++];
        *scope = (mls_scope){0};
        mls_scope_compiler compiler = {.loader = loader, .scope = scope, .assigned = assigned};
        mls_path_push(&loader->path, item->string, 0);
        status = cJSON_IsObject(item) ? mls_compile_scope(&compiler, item, initial)
                                      : mls_loader_fail(loader, MLS_ERROR_VALUE, 0, "there is no such scope to drop");
        if (status == MLS_OK) {
            mls_path_pop(&loader->path);
        }
    }
    free(initial);
    free(assigned);
    return status == MLS_OK ? mls_loader_link(loader) : status;
}
