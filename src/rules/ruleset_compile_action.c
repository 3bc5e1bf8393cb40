/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ruleset_compile_action.c - what a rule does after its checks.
 */
#include <string.h>

#include "rules/ruleset_compile.h"

/* $x + [item] set to $x again appends in place: a list that grows with the log would be copied each time otherwise. */
static bool mls_action_is_append(const mls_action *action)
{
    const mls_expr_node *root = mls_expr_root(&action->expr);
    if (root->op != MLS_EXPR_ADD) {
        return false;
    }
    const mls_expr_node *left = &action->expr.nodes[root->first];
    const mls_expr_node *right = &action->expr.nodes[root->second];
    return left->op == MLS_EXPR_VARIABLE && left->first == action->slot && right->op == MLS_EXPR_LIST;
}

static mls_status mls_compile_set(mls_scope_compiler *compiler, const cJSON *set, const cJSON *to, mls_action *action)
{
    mls_rule_loader *loader = compiler->loader;
    if (!cJSON_IsString(set) || to == NULL) {
        return mls_loader_fail(loader, MLS_ERROR_VALUE, 0, "\"set\" names a variable, \"to\" is its new value");
    }
    mls_status status = mls_compile_variable(compiler, set->valuestring, &action->slot);
    if (status == MLS_OK) {
        mls_path_push(&loader->path, "to", 0);
        status = mls_compile_expr(compiler, to, &action->expr);
    }
    if (status == MLS_OK) {
        mls_path_pop(&loader->path);
        action->kind = mls_action_is_append(action) ? MLS_ACTION_APPEND : MLS_ACTION_SET;
    }
    return status;
}

static mls_status mls_compile_use(mls_scope_compiler *compiler, const cJSON *use, mls_action *action)
{
    mls_rule_loader *loader = compiler->loader;
    action->kind = MLS_ACTION_USE;
    if (!cJSON_IsString(use)) {
        return mls_loader_fail(loader, MLS_ERROR_VALUE, 0, "\"use\" names a scope, as in \"closed_{value}\"");
    }
    action->text = mls_loader_copy(loader, use->valuestring);
    if (action->text.ptr == NULL) {
        return mls_loader_fail_memory(loader);
    }
    const char *open = strchr(action->text.ptr, '{');
    const char *close = strrchr(action->text.ptr, '}');
    action->prefix = action->text;
    if (open == NULL && close == NULL) {
        return MLS_OK;
    }
    mls_path_push(&loader->path, "use", 0);
    if (open == NULL || close == NULL || close < open) {
        return mls_loader_fail(loader, MLS_ERROR_SYNTAX, 0, "braces do not match");
    }
    action->has_expr = true;
    action->prefix.len = (size_t)(open - action->text.ptr);
    action->suffix = mls_str_from(close + 1);
    const mls_str inner = {open + 1, (size_t)(close - open) - 1};
    const mls_status status = mls_compile_text(compiler, inner, action->prefix.len + 1, &action->expr);
    if (status == MLS_OK) {
        mls_path_pop(&loader->path);
    }
    return status;
}

static mls_status mls_compile_if(mls_scope_compiler *compiler, const cJSON *condition, const cJSON *then,
                                 unsigned depth, mls_action *action)
{
    mls_rule_loader *loader = compiler->loader;
    action->kind = MLS_ACTION_IF;
    if (depth == MLS_ACTION_DEPTH_MAX) {
        return mls_loader_fail(loader, MLS_ERROR_LIMIT, 0, "\"if\" inside \"if\" more than %d deep",
                               MLS_ACTION_DEPTH_MAX);
    }
    mls_path_push(&loader->path, "if", 0);
    mls_status status = mls_compile_expr(compiler, condition, &action->expr);
    if (status != MLS_OK) {
        return status;
    }
    mls_path_pop(&loader->path);
    mls_path_push(&loader->path, "then", 0);
    status = mls_compile_actions(compiler, then, depth + 1, &action->actions, &action->action_count);
    if (status == MLS_OK) {
        mls_path_pop(&loader->path);
    }
    return status;
}

static mls_status mls_compile_action(mls_scope_compiler *compiler, const cJSON *json, unsigned depth,
                                     mls_action *action)
{
    static const char *const set_members[] = {"set", "to", NULL};
    static const char *const use_members[] = {"use", NULL};
    static const char *const if_members[] = {"if", "then", NULL};
    const cJSON *set = cJSON_GetObjectItemCaseSensitive(json, "set");
    const cJSON *use = cJSON_GetObjectItemCaseSensitive(json, "use");
    const cJSON *condition = cJSON_GetObjectItemCaseSensitive(json, "if");
    *action = (mls_action){0};
    if (set == NULL && use == NULL && condition == NULL) {
        return mls_loader_fail(compiler->loader, MLS_ERROR_VALUE, 0,
                               "an action is {\"set\": …, \"to\": …}, {\"use\": …} or {\"if\": …, \"then\": […]}");
    }
    const mls_status status = mls_loader_check_members(compiler->loader, json,
                                                       set != NULL   ? set_members
                                                       : use != NULL ? use_members
                                                                     : if_members);
    if (status != MLS_OK) {
        return status;
    }
    if (set != NULL) {
        return mls_compile_set(compiler, set, cJSON_GetObjectItemCaseSensitive(json, "to"), action);
    }
    if (use != NULL) {
        return mls_compile_use(compiler, use, action);
    }
    return mls_compile_if(compiler, condition, cJSON_GetObjectItemCaseSensitive(json, "then"), depth, action);
}

mls_status mls_compile_actions(mls_scope_compiler *compiler, const cJSON *json, unsigned depth, mls_action **actions,
                               size_t *count)
{
    mls_rule_loader *loader = compiler->loader;
    const size_t wanted = (size_t)cJSON_GetArraySize(json);
    if (!cJSON_IsArray(json) || wanted > MLS_ACTIONS_MAX) {
        return mls_loader_fail(loader, MLS_ERROR_VALUE, 0, "actions are a list of at most %d", MLS_ACTIONS_MAX);
    }
    *actions = mls_arena_array(mls_compiler_arena(compiler), wanted, sizeof **actions);
    if (*actions == NULL) {
        return mls_loader_fail_memory(loader);
    }
    const cJSON *item = json->child;
    for (*count = 0; *count < wanted; (*count)++, item = item->next) {
        mls_path_push(&loader->path, NULL, *count);
        const mls_status status = mls_compile_action(compiler, item, depth, &(*actions)[*count]);
        if (status != MLS_OK) {
            return status;
        }
        mls_path_pop(&loader->path);
    }
    return MLS_OK;
}
