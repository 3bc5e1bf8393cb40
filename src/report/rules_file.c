/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rules_file.c - an edition written out as a rule file.
 */
#include <stdio.h>

#include "report/json.h"
#include "report/rules_report.h"
#include "rules/ruleset.h"

static cJSON *mls_actions_json(mls_json *json, const mls_scope *scope, const mls_action *actions, size_t count)
{
    cJSON *list = mls_json_array(json);
    for (size_t i = 0; i < count; i++) {
        const mls_action *action = &actions[i];
        cJSON *item = mls_json_object(json);
        switch (action->kind) {
        case MLS_ACTION_SET:
        case MLS_ACTION_APPEND:
            mls_json_put_text(json, item, "set", scope->symbols.names[action->slot].ptr);
            mls_json_put_text(json, item, "to", action->expr.text.ptr);
            break;
        case MLS_ACTION_USE:
            mls_json_put_text(json, item, "use", action->text.ptr);
            break;
        case MLS_ACTION_IF:
            mls_json_put_text(json, item, "if", action->expr.text.ptr);
            mls_json_put(json, item, "then", mls_actions_json(json, scope, action->actions, action->action_count));
            break;
        }
        mls_json_append(json, list, item);
    }
    return list;
}

static void mls_exprs_json(mls_json *json, cJSON *object, const char *name, const mls_expr_list *list)
{
    if (list->count == 1) {
        mls_json_put_text(json, object, name, list->items[0].text.ptr);
    } else if (list->count > 1) {
        cJSON *array = mls_json_array(json);
        for (size_t i = 0; i < list->count; i++) {
            mls_json_append_text(json, array, list->items[i].text);
        }
        mls_json_put(json, object, name, array);
    }
}

static cJSON *mls_rule_json(mls_json *json, const mls_scope *scope, const mls_rule *rule)
{
    cJSON *object = mls_json_object(json);
    if (rule->occurs_text.len > 0) {
        mls_json_put_text(json, object, "occurs", rule->occurs_text.ptr);
    }
    mls_exprs_json(json, object, "check", &rule->check);
    mls_exprs_json(json, object, "check_first", &rule->check_first);
    mls_exprs_json(json, object, "check_any", &rule->check_any);
    if (rule->action_count > 0) {
        mls_json_put(json, object, "after", mls_actions_json(json, scope, rule->actions, rule->action_count));
    }
    return object;
}

/* Lists in `begin` are bounded in depth when they are loaded. */
static cJSON *mls_begin_json(mls_json *json, const mls_value *value)
{
    cJSON *made;
    switch (value->kind) {
    case MLS_JSON_BOOL:
        return cJSON_CreateBool(value->as.boolean);
    case MLS_JSON_NUMBER:
        return cJSON_CreateNumber(value->as.number);
    case MLS_JSON_STRING:
        return cJSON_CreateString(value->as.string.ptr);
    case MLS_JSON_LIST:
        made = mls_json_array(json);
        for (size_t i = 0; i < value->as.list.count; i++) {
            mls_json_append(json, made, mls_begin_json(json, &value->as.list.items[i]));
        }
        return made;
    default:
        return cJSON_CreateNull();
    }
}

static void mls_derive_json(mls_json *json, cJSON *object, const mls_derive *derive)
{
    cJSON *made = mls_json_object(json);
    char name[96];
    mls_json_put_text(json, made, "key", derive->key.ptr);
    mls_json_put_text(json, made, "from", derive->from.ptr);
    (void)snprintf(name, sizeof name, "metadata.%s", derive->group_by.ptr);
    mls_json_put_text(json, made, "group_by", name);
    (void)snprintf(name, sizeof name, "metadata.%s", derive->field.ptr);
    mls_json_put_text(json, made, "field", name);
    mls_json_put(json, object, "derive", made);
}

static cJSON *mls_scope_json(mls_json *json, const mls_scope *scope)
{
    cJSON *object = mls_json_object(json);
    cJSON *begin = mls_json_object(json);
    cJSON *keys = mls_json_object(json);
    for (size_t i = 0; i < scope->symbols.count; i++) {
        if (scope->initial[i].set) {
            mls_json_put(json, begin, scope->symbols.names[i].ptr, mls_begin_json(json, &scope->initial[i].value));
        }
    }
    mls_json_put(json, object, "begin", begin);
    if (scope->derive.key.ptr != NULL) {
        mls_derive_json(json, object, &scope->derive);
    }
    for (size_t r = 0; r < scope->rule_count; r++) {
        mls_json_put(json, keys, scope->rules[r].key.ptr, mls_rule_json(json, scope, &scope->rules[r]));
    }
    mls_json_put(json, object, "keys", keys);
    mls_exprs_json(json, object, "end", &scope->end);
    return object;
}

bool mls_report_rules_file(const mls_ruleset *ruleset, mls_output *output)
{
    mls_json json = {0};
    cJSON *root = mls_json_object(&json);
    cJSON *scopes = mls_json_object(&json);
    mls_json_put_text(&json, root, "usage", mls_usage_name(ruleset->usage));
    mls_json_put_text(&json, root, "edition", ruleset->edition.ptr);
    for (size_t i = 0; i < ruleset->scope_count; i++) {
        mls_json_put(&json, scopes, ruleset->scopes[i].name.ptr, mls_scope_json(&json, &ruleset->scopes[i]));
    }
    mls_json_put(&json, root, "scopes", scopes);
    mls_json_print(&json, root, true, output);
    return !json.failed;
}
