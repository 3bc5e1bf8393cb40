/* SPDX-License-Identifier: Apache-2.0 */
/* ruleset_value.c - a ruleset as the JSON value that its rule file is. */
#include "rules/ruleset.h"

typedef struct value_maker {
    mls_arena *arena;
    bool failed;
} value_maker;

static void *room(value_maker *m, size_t count, size_t size)
{
    void *made = mls_arena_array(m->arena, count, size);
    m->failed |= made == NULL;
    return made;
}

static const mls_value *keep(value_maker *m, mls_value value)
{
    mls_value *kept = room(m, 1, sizeof *kept);
    if (kept != NULL) {
        *kept = value;
    }
    return kept;
}

static const mls_value *text(value_maker *m, mls_str string)
{
    return keep(m, (mls_value){.kind = MLS_JSON_STRING, .as.string = string});
}

/* An object of those members that have a value. */
static const mls_value *object(value_maker *m, const mls_member *members, size_t count)
{
    mls_member *kept = room(m, count, sizeof *kept);
    mls_value value = {.kind = MLS_JSON_OBJECT, .as.object.members = kept};
    for (size_t i = 0; i < count && kept != NULL; i++) {
        if (members[i].value != NULL) {
            kept[value.as.object.count++] = members[i];
        }
    }
    return keep(m, value);
}

#define OBJECT(m, ...)                                                                                                 \
    object(m, (const mls_member[]){__VA_ARGS__}, sizeof((const mls_member[]){__VA_ARGS__}) / sizeof(mls_member))

/* One expression as it is, several as a list, none as NULL. */
static const mls_value *exprs(value_maker *m, const mls_expr_list *list)
{
    mls_value *items = room(m, list->count, sizeof *items);
    for (size_t i = 0; i < list->count && items != NULL; i++) {
        items[i] = (mls_value){.kind = MLS_JSON_STRING, .as.string = list->items[i].text};
    }
    return list->count < 2 ? list->count == 1 ? items : NULL
                           : keep(m, (mls_value){.kind = MLS_JSON_LIST, .as.list = {items, list->count}});
}

static const mls_value *actions(value_maker *m, const mls_scope *scope, const mls_action *all, size_t count)
{
    mls_value *items = room(m, count, sizeof *items);
    for (size_t i = 0; i < count && items != NULL; i++) {
        const mls_action *action = &all[i];
        const bool set = action->kind == MLS_ACTION_SET || action->kind == MLS_ACTION_APPEND;
        const mls_value *use = action->kind == MLS_ACTION_USE ? text(m, action->text) : NULL;
        const mls_value *expr = use == NULL ? text(m, action->expr.text) : NULL;
        const mls_value *variable = set ? text(m, scope->symbols.entries[action->slot].key) : NULL;
        const mls_value *then =
            action->kind == MLS_ACTION_IF ? actions(m, scope, action->actions, action->action_count) : NULL;
        const mls_value *made = OBJECT(m, {MLS_S("set"), variable}, {MLS_S("to"), set ? expr : NULL},
                                       {MLS_S("use"), use}, {MLS_S("if"), set ? NULL : expr}, {MLS_S("then"), then});
        items[i] = made != NULL ? *made : (mls_value){0};
    }
    return keep(m, (mls_value){.kind = MLS_JSON_LIST, .as.list = {items, count}});
}

static const mls_value *scope_value(value_maker *m, const mls_scope *scope)
{
    static const size_t path = sizeof "metadata." - 1; /* stands before the names of members, where they were read */
    const mls_derive *derive = &scope->derive;
    mls_member *begin = room(m, scope->symbols.count, sizeof *begin);
    mls_member *keys = room(m, scope->rule_count, sizeof *keys);
    for (size_t i = 0; i < scope->symbols.count && begin != NULL; i++) {
        begin[i].name = scope->symbols.entries[i].key;
        begin[i].value = scope->initial[i].set ? &scope->initial[i].value : NULL;
    }
    for (size_t r = 0; r < scope->rule_count && keys != NULL; r++) {
        const mls_rule *rule = &scope->rules[r];
        keys[r].name = rule->key;
        keys[r].value = OBJECT(
            m, {MLS_S("occurs"), rule->occurs_text.len > 0 ? text(m, rule->occurs_text) : NULL},
            {MLS_S("check"), exprs(m, &rule->check)}, {MLS_S("check_first"), exprs(m, &rule->check_first)},
            {MLS_S("check_any"), exprs(m, &rule->check_any)},
            {MLS_S("after"), rule->action_count > 0 ? actions(m, scope, rule->actions, rule->action_count) : NULL});
    }
    const mls_value *derived = NULL;
    if (derive->key.ptr != NULL) {
        const mls_str group = {derive->group_by.ptr - path, derive->group_by.len + path};
        const mls_str field = {derive->field.ptr - path, derive->field.len + path};
        derived = OBJECT(m, {MLS_S("key"), text(m, derive->key)}, {MLS_S("from"), text(m, derive->from)},
                         {MLS_S("group_by"), text(m, group)}, {MLS_S("field"), text(m, field)});
    }
    return m->failed
               ? NULL
               : OBJECT(m, {MLS_S("begin"), object(m, begin, scope->symbols.count)}, {MLS_S("derive"), derived},
                        {MLS_S("keys"), object(m, keys, scope->rule_count)}, {MLS_S("end"), exprs(m, &scope->end)});
}

const mls_value *mls_ruleset_as_value(const mls_ruleset *ruleset, mls_arena *arena)
{
    value_maker m = {.arena = arena};
    mls_member *scopes = room(&m, ruleset->scope_count, sizeof *scopes);
    for (size_t i = 0; i < ruleset->scope_count && scopes != NULL; i++) {
        scopes[i] = (mls_member){ruleset->scopes[i].name, scope_value(&m, &ruleset->scopes[i])};
    }
    const mls_value *usage = text(&m, mls_str_from(mls_usage_name(ruleset->usage)));
    const mls_value *made = m.failed
                                ? NULL
                                : OBJECT(&m, {MLS_S("usage"), usage}, {MLS_S("edition"), text(&m, ruleset->edition)},
                                         {MLS_S("scopes"), object(&m, scopes, ruleset->scope_count)});
    return m.failed ? NULL : made;
}
