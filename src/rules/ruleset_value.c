/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ruleset_value.c - a ruleset as the JSON value that its rule file is.
 */
#include "rules/ruleset.h"

enum { MEMBERS_MAX = 5 }; /* of an action, rule, scope or file */

typedef struct value_maker {
    mls_arena *arena;
    bool failed;
} value_maker;

/* An object in the making. */
typedef struct object {
    mls_member *members;
    size_t count;
} object;

static object begin_object(value_maker *m, size_t most)
{
    mls_member *members = mls_arena_array(m->arena, most, sizeof *members);
    m->failed |= members == NULL;
    return (object){members, 0};
}

static void add(value_maker *m, object *to, mls_str name, mls_value value)
{
    mls_value *kept = mls_arena_alloc(m->arena, sizeof *kept);
    m->failed |= kept == NULL;
    if (!m->failed && kept != NULL) {
        *kept = value;
        to->members[to->count++] = (mls_member){name, kept};
    }
}

static mls_value of_object(object made)
{
    return (mls_value){.kind = MLS_JSON_OBJECT, .as.object = {made.members, made.count}};
}

static mls_value text(mls_str text)
{
    return (mls_value){.kind = MLS_JSON_STRING, .as.string = text};
}

/* A list of so many values, still to be filled; NULL when there is no memory. */
static mls_value *list(value_maker *m, size_t count, mls_value *value)
{
    mls_value *items = mls_arena_array(m->arena, count, sizeof *items);
    m->failed |= items == NULL;
    *value = (mls_value){.kind = MLS_JSON_LIST, .as.list = {items, items != NULL ? count : 0}};
    return items;
}

static void add_exprs(value_maker *m, object *to, mls_str name, const mls_expr_list *exprs)
{
    mls_value value;
    mls_value *items = list(m, exprs->count, &value);
    for (size_t i = 0; i < exprs->count && items != NULL; i++) {
        items[i] = text(exprs->items[i].text);
    }
    if (exprs->count > 0) {
        add(m, to, name, exprs->count == 1 && items != NULL ? items[0] : value);
    }
}

static mls_value actions_value(value_maker *m, const mls_scope *scope, const mls_action *actions, size_t count)
{
    mls_value value;
    mls_value *items = list(m, count, &value);
    for (size_t i = 0; i < count && items != NULL; i++) {
        const mls_action *action = &actions[i];
        object made = begin_object(m, MEMBERS_MAX);
        if (action->kind == MLS_ACTION_USE) {
            add(m, &made, MLS_S("use"), text(action->text));
        } else if (action->kind == MLS_ACTION_IF) {
            add(m, &made, MLS_S("if"), text(action->expr.text));
            add(m, &made, MLS_S("then"), actions_value(m, scope, action->actions, action->action_count));
        } else {
            add(m, &made, MLS_S("set"), text(scope->symbols.entries[action->slot].key));
            add(m, &made, MLS_S("to"), text(action->expr.text));
        }
        items[i] = of_object(made);
    }
    return value;
}

static mls_value rule_value(value_maker *m, const mls_scope *scope, const mls_rule *rule)
{
    object value = begin_object(m, MEMBERS_MAX);
    if (rule->occurs_text.len > 0) {
        add(m, &value, MLS_S("occurs"), text(rule->occurs_text));
    }
    add_exprs(m, &value, MLS_S("check"), &rule->check);
    add_exprs(m, &value, MLS_S("check_first"), &rule->check_first);
    add_exprs(m, &value, MLS_S("check_any"), &rule->check_any);
    if (rule->action_count > 0) {
        add(m, &value, MLS_S("after"), actions_value(m, scope, rule->actions, rule->action_count));
    }
    return of_object(value);
}

static mls_value derive_value(value_maker *m, const mls_derive *derive)
{
    static const size_t path = sizeof "metadata." - 1; /* stands before the names of members, where they were read */
    object value = begin_object(m, MEMBERS_MAX);
    add(m, &value, MLS_S("key"), text(derive->key));
    add(m, &value, MLS_S("from"), text(derive->from));
    add(m, &value, MLS_S("group_by"), text((mls_str){derive->group_by.ptr - path, derive->group_by.len + path}));
    add(m, &value, MLS_S("field"), text((mls_str){derive->field.ptr - path, derive->field.len + path}));
    return of_object(value);
}

static mls_value scope_value(value_maker *m, const mls_scope *scope)
{
    object value = begin_object(m, MEMBERS_MAX);
    object begin = begin_object(m, scope->symbols.count);
    object keys = begin_object(m, scope->rule_count);
    for (size_t i = 0; i < scope->symbols.count; i++) {
        if (scope->initial[i].set) {
            add(m, &begin, scope->symbols.entries[i].key, scope->initial[i].value);
        }
    }
    add(m, &value, MLS_S("begin"), of_object(begin));
    if (scope->derive.key.ptr != NULL) {
        add(m, &value, MLS_S("derive"), derive_value(m, &scope->derive));
    }
    for (size_t r = 0; r < scope->rule_count; r++) {
        add(m, &keys, scope->rules[r].key, rule_value(m, scope, &scope->rules[r]));
    }
    add(m, &value, MLS_S("keys"), of_object(keys));
    add_exprs(m, &value, MLS_S("end"), &scope->end);
    return of_object(value);
}

bool mls_ruleset_as_value(const mls_ruleset *ruleset, mls_arena *arena, mls_value *made)
{
    value_maker m = {.arena = arena};
    object value = begin_object(&m, MEMBERS_MAX);
    object scopes = begin_object(&m, ruleset->scope_count);
    for (size_t i = 0; i < ruleset->scope_count; i++) {
        add(&m, &scopes, ruleset->scopes[i].name, scope_value(&m, &ruleset->scopes[i]));
    }
    add(&m, &value, MLS_S("usage"), text(mls_str_from(mls_usage_name(ruleset->usage))));
    add(&m, &value, MLS_S("edition"), text(ruleset->edition));
    add(&m, &value, MLS_S("scopes"), of_object(scopes));
    *made = of_object(value);
    return !m.failed;
}
