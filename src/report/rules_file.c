/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rules_file.c - an edition written out as a rule file.
 */
#include "report/reports.h"
#include "rules/ruleset.h"

static void emit_member(mls_emitter *to, const char *name, const char *text)
{
    mls_emit_name(to, mls_str_from(name));
    mls_emit_text(to, text);
}

static void emit_actions(mls_emitter *to, const mls_scope *scope, const mls_action *actions, size_t count)
{
    mls_emit_open(to, '[');
    for (size_t i = 0; i < count; i++) {
        const mls_action *action = &actions[i];
        mls_emit_open(to, '{');
        switch (action->kind) {
        case MLS_ACTION_SET:
        case MLS_ACTION_APPEND:
            emit_member(to, "set", scope->symbols.entries[action->slot].key.ptr);
            emit_member(to, "to", action->expr.text.ptr);
            break;
        case MLS_ACTION_USE:
            emit_member(to, "use", action->text.ptr);
            break;
        case MLS_ACTION_IF:
            emit_member(to, "if", action->expr.text.ptr);
            mls_emit_name(to, MLS_S("then"));
            emit_actions(to, scope, action->actions, action->action_count);
            break;
        }
        mls_emit_close(to, '}');
    }
    mls_emit_close(to, ']');
}

static void emit_exprs(mls_emitter *to, const char *name, const mls_expr_list *list)
{
    if (list->count == 0) {
        return;
    }
    mls_emit_name(to, mls_str_from(name));
    if (list->count == 1) {
        mls_emit_text(to, list->items[0].text.ptr);
    } else {
        MLS_EMIT_LIST(to, list->count, mls_emit_str(to, list->items[i].text));
    }
}

static void emit_rule(mls_emitter *to, const mls_scope *scope, const mls_rule *rule)
{
    mls_emit_name(to, rule->key);
    mls_emit_open(to, '{');
    if (rule->occurs_text.len > 0) {
        emit_member(to, "occurs", rule->occurs_text.ptr);
    }
    emit_exprs(to, "check", &rule->check);
    emit_exprs(to, "check_first", &rule->check_first);
    emit_exprs(to, "check_any", &rule->check_any);
    if (rule->action_count > 0) {
        mls_emit_name(to, MLS_S("after"));
        emit_actions(to, scope, rule->actions, rule->action_count);
    }
    mls_emit_close(to, '}');
}

/* Lists in `begin` are bounded in depth when they are loaded. */
static void emit_begin(mls_emitter *to, const mls_value *value)
{
    switch (value->kind) {
    case MLS_JSON_BOOL:
        mls_emit_bool(to, value->as.boolean);
        break;
    case MLS_JSON_NUMBER:
        mls_emit_number(to, value->as.number);
        break;
    case MLS_JSON_STRING:
        mls_emit_text(to, value->as.string.ptr);
        break;
    case MLS_JSON_LIST:
        MLS_EMIT_LIST(to, value->as.list.count, emit_begin(to, &value->as.list.items[i]));
        break;
    default:
        mls_emit_null(to);
    }
}

/* "metadata.NAME" */
static void emit_metadata(mls_emitter *to, const char *name, mls_str field)
{
    mls_buffer path = {0};
    mls_buffer_append_text(&path, "metadata.");
    mls_buffer_append(&path, field);
    emit_member(to, name, path.ptr);
    mls_output_drop(to->output, &path);
}

static void emit_derive(mls_emitter *to, const mls_derive *derive)
{
    mls_emit_name(to, MLS_S("derive"));
    mls_emit_open(to, '{');
    emit_member(to, "key", derive->key.ptr);
    emit_member(to, "from", derive->from.ptr);
    emit_metadata(to, "group_by", derive->group_by);
    emit_metadata(to, "field", derive->field);
    mls_emit_close(to, '}');
}

static void emit_scope(mls_emitter *to, const mls_scope *scope)
{
    mls_emit_name(to, scope->name);
    mls_emit_open(to, '{');
    mls_emit_name(to, MLS_S("begin"));
    mls_emit_open(to, '{');
    for (size_t i = 0; i < scope->symbols.count; i++) {
        if (scope->initial[i].set) {
            mls_emit_name(to, scope->symbols.entries[i].key);
            emit_begin(to, &scope->initial[i].value);
        }
    }
    mls_emit_close(to, '}');
    if (scope->derive.key.ptr != NULL) {
        emit_derive(to, &scope->derive);
    }
    mls_emit_name(to, MLS_S("keys"));
    mls_emit_open(to, '{');
    for (size_t r = 0; r < scope->rule_count; r++) {
        emit_rule(to, scope, &scope->rules[r]);
    }
    mls_emit_close(to, '}');
    emit_exprs(to, "end", &scope->end);
    mls_emit_close(to, '}');
}

void mls_ruleset_write(const mls_ruleset *ruleset, mls_output *output)
{
    mls_emitter to = {.output = output, .indented = true};
    mls_emit_open(&to, '{');
    emit_member(&to, "usage", mls_usage_name(ruleset->usage));
    emit_member(&to, "edition", ruleset->edition.ptr);
    mls_emit_name(&to, MLS_S("scopes"));
    mls_emit_open(&to, '{');
    for (size_t i = 0; i < ruleset->scope_count; i++) {
        emit_scope(&to, &ruleset->scopes[i]);
    }
    mls_emit_close(&to, '}');
    mls_emit_close(&to, '}');
    mls_emit_end(&to);
    mls_emitter_release(&to);
}
