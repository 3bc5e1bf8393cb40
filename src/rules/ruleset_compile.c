/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ruleset_compile.c - merged rule files to a ruleset.
 *
 * Every expression of every scope is compiled, so that a mistake in a rule
 * file shows when it is loaded and not when some log happens to need it.
 * Failure sticks in the file, which is asked once, at the end.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/number.h"
#include "rules/ruleset.h"

enum { OTHERS_MAX = 16, SCOPE_NAME_MAX = 64, BEGIN_DEPTH_MAX = 8 };

typedef struct rule_compiler {
    mls_rule_file *file;
    mls_ruleset *ruleset;
    mls_scope *scope;
    mls_variable initial[MLS_VARIABLES_PER_SCOPE_MAX];
    bool assigned[MLS_VARIABLES_PER_SCOPE_MAX]; /* `begin` or some `set` gives it a value */
} rule_compiler;

static void compile_fail(rule_compiler *c, mls_str json, const char *what)
{
    mls_rule_fail(c->file, MLS_ERROR_VALUE, json.ptr, 0, "%s", what);
}

/* Room for `count` items in the ruleset; NULL, and a failure, when there is no memory. */
static void *compile_room(rule_compiler *c, size_t count, size_t size)
{
    void *room = mls_arena_array(&c->ruleset->memory, count, size);
    if (room == NULL) {
        mls_rule_fail_memory(c->file);
    } else {
        memset(room, 0, count * size);
    }
    return room;
}

static mls_str compile_copy(rule_compiler *c, mls_str text)
{
    const mls_str copy = mls_arena_copy(&c->ruleset->memory, text);
    if (copy.ptr == NULL) {
        mls_rule_fail_memory(c->file);
    }
    return copy;
}

static size_t count_items(mls_str json)
{
    size_t count = 0;
    mls_raw_member item;
    for (mls_json_walk walk = mls_json_walk_begin(json); mls_json_walk_next(&walk, &item);) {
        count++;
    }
    return count;
}

/* ---------------------------------------------------------------- expressions */

/* `json` is the string that the text stands in, from its byte `offset` on. */
static void compile_text(rule_compiler *c, mls_str json, mls_str text, size_t offset, mls_expr *expr)
{
    mls_error why = {0};
    if (c->file->status != MLS_OK) {
        return;
    }
    const mls_status status = mls_expr_compile(text, &c->scope->symbols, &c->ruleset->memory, expr, &why);
    if (status == MLS_ERROR_MEMORY) {
        mls_rule_fail_memory(c->file);
    } else if (status != MLS_OK) {
        mls_rule_fail(c->file, status, json.ptr, why.column > 0 ? why.column + offset : 0, "%s", why.message);
    }
}

/* A string, or {"lines": ["…", "…"]}: a long expression, its lines joined by a blank. */
static void compile_expr(rule_compiler *c, mls_str json, mls_expr *expr)
{
    static const char *const allowed[] = {"lines", NULL};
    mls_arena *scratch = &c->file->memory;
    if (mls_json_kind_of(json) != MLS_JSON_OBJECT) {
        compile_text(c, json, mls_rule_text(c->file, json, scratch, "an expression must be a string"), 0, expr);
        return;
    }
    mls_str lines;
    mls_raw_member line;
    mls_buffer text = {0};
    mls_rule_check_members(c->file, json, allowed);
    mls_json_walk walk = {0};
    if (mls_rule_member(json, "lines", &lines)) {
        walk = mls_json_walk_begin(lines);
    }
    if (walk.object || walk.at == walk.end || *walk.at == ']') {
        compile_fail(c, json, "'lines' must be a list of strings");
    }
    while (c->file->status == MLS_OK && mls_json_walk_next(&walk, &line)) {
        mls_buffer_append_text(&text, text.len > 0 ? " " : "");
        mls_buffer_append(&text, mls_rule_text(c->file, line.value, scratch, "'lines' must be a list of strings"));
    }
    if (text.failed) {
        mls_rule_fail_memory(c->file);
    }
    compile_text(c, json, mls_buffer_str(&text), 0, expr);
    mls_buffer_release(&text);
}

/* One expression or a list of them; absent is an empty list. */
static void compile_exprs(rule_compiler *c, mls_str json, const char *name, mls_expr_list *list)
{
    if (json.ptr == NULL) {
        return;
    }
    mls_raw_member item = {.value = json};
    mls_json_walk walk = {0};
    const bool several = mls_json_kind_of(json) == MLS_JSON_LIST;
    list->items = compile_room(c, several ? count_items(json) : 1, sizeof *list->items);
    mls_rule_enter(c->file, name);
    if (several) {
        walk = mls_json_walk_begin(json);
    }
    while (c->file->status == MLS_OK && (several ? mls_json_walk_next(&walk, &item) : list->count == 0)) {
        compile_expr(c, item.value, &list->items[list->count++]);
    }
    mls_rule_leave(c->file);
}

/* ---------------------------------------------------------------- variables */

static bool is_identifier(mls_str name)
{
    const char *const letters = "_ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    return name.len > 0 && name.len <= SCOPE_NAME_MAX && (name.ptr[0] < '0' || name.ptr[0] > '9') &&
           strspn(name.ptr, letters) == name.len;
}

/* The slot of the variable that a string names. */
static uint32_t compile_variable(rule_compiler *c, mls_str json, const char *otherwise)
{
    const mls_str name = mls_rule_text(c->file, json, &c->file->memory, otherwise);
    if (c->file->status != MLS_OK) {
        return 0;
    }
    if (!is_identifier(name)) {
        mls_rule_fail(c->file, MLS_ERROR_VALUE, json.ptr, 0, "'%.60s' cannot be the name of a variable", name.ptr);
        return 0;
    }
    const mls_map_entry *entry = mls_map_put(&c->scope->symbols, name, NULL);
    if (entry == NULL) {
        mls_rule_fail_memory(c->file);
        return 0;
    }
    const size_t slot = (size_t)(entry - c->scope->symbols.entries);
    if (slot >= MLS_VARIABLES_PER_SCOPE_MAX) {
        mls_rule_fail(c->file, MLS_ERROR_LIMIT, json.ptr, 0, "more than %d variables", MLS_VARIABLES_PER_SCOPE_MAX);
        return 0;
    }
    c->assigned[slot] = true;
    return (uint32_t)slot;
}

static void compile_constant(rule_compiler *c, mls_str json, unsigned depth, mls_value *value)
{
    static const char wanted[] = "a variable begins as a number, string, boolean, null or list of these";
    mls_raw_member item;
    *value = (mls_value){.kind = mls_json_kind_of(json)};
    switch (value->kind) {
    case MLS_JSON_NULL:
        break;
    case MLS_JSON_BOOL:
        value->as.boolean = *json.ptr == 't';
        break;
    case MLS_JSON_NUMBER:
        value->is_integer = mls_json_is_integer(json);
        if (!mls_json_number(json, &value->as.number)) {
            mls_rule_fail_memory(c->file);
        } else if (!isfinite(value->as.number)) {
            compile_fail(c, json, wanted);
        }
        break;
    case MLS_JSON_STRING:
        value->as.string = mls_rule_text(c->file, json, &c->ruleset->memory, wanted);
        break;
    case MLS_JSON_LIST:
        if (depth < BEGIN_DEPTH_MAX) {
            mls_value *items = compile_room(c, count_items(json), sizeof *items);
            value->as.list.items = items;
            for (mls_json_walk walk = mls_json_walk_begin(json);
                 c->file->status == MLS_OK && mls_json_walk_next(&walk, &item);) {
                compile_constant(c, item.value, depth + 1, &items[value->as.list.count++]);
            }
            break;
        }
        /* fall through */
    case MLS_JSON_OBJECT:
        compile_fail(c, json, wanted);
    }
}

static void compile_begin(rule_compiler *c, mls_str json)
{
    mls_raw_member item;
    if (json.ptr == NULL) {
        return;
    }
    mls_rule_enter(c->file, "begin");
    mls_json_walk walk = mls_json_walk_begin(json);
    if (!walk.object) {
        compile_fail(c, json, "'begin' must be an object of variables");
    }
    while (c->file->status == MLS_OK && mls_json_walk_next(&walk, &item)) {
        const mls_str name = {item.name.ptr - 1, item.name.len + 2};
        const uint32_t slot = compile_variable(c, name, "");
        if (c->initial[slot].set) {
            compile_fail(c, name, "this variable stands twice");
        }
        compile_constant(c, item.value, 0, &c->initial[slot].value);
        c->initial[slot].set = true;
    }
    mls_rule_leave(c->file);
}

/* ---------------------------------------------------------------- actions */

/* $x + [item] set to $x again appends in place: a list that grows with the log would be copied each time otherwise. */
static bool is_append(const mls_action *action)
{
    const mls_expr_node *root = action->expr.root;
    return root->op == MLS_EXPR_ADD && root->operands[0]->op == MLS_EXPR_VARIABLE &&
           root->operands[0]->slot == action->slot && root->operands[1]->op == MLS_EXPR_LIST;
}

static void compile_set(rule_compiler *c, mls_str set, mls_str to, mls_action *action)
{
    static const char wanted[] = "\"set\" names a variable, \"to\" is its new value";
    action->slot = compile_variable(c, set, wanted);
    if (to.ptr == NULL) {
        compile_fail(c, set, wanted);
    }
    mls_rule_enter(c->file, "to");
    compile_expr(c, to, &action->expr);
    mls_rule_leave(c->file);
    if (c->file->status == MLS_OK) {
        action->kind = is_append(action) ? MLS_ACTION_APPEND : MLS_ACTION_SET;
    }
}

/* "closed_{value}": the text between the braces is an expression. */
static void compile_use(rule_compiler *c, mls_str json, mls_action *action)
{
    const mls_str text =
        mls_rule_text(c->file, json, &c->ruleset->memory, "\"use\" names a scope, as in \"closed_{value}\"");
    const char *open = strchr(text.ptr, '{');
    const char *close = strrchr(text.ptr, '}');
    action->kind = MLS_ACTION_USE;
    action->text = text;
    action->prefix = text;
    mls_rule_enter(c->file, "use");
    if (open != NULL && close > open) {
        action->has_expr = true;
        action->prefix.len = (size_t)(open - text.ptr);
        action->suffix = mls_str_from(close + 1);
        compile_text(c, json, (mls_str){open + 1, (size_t)(close - open) - 1}, action->prefix.len + 1, &action->expr);
    } else if (open != NULL || close != NULL) {
        mls_rule_fail(c->file, MLS_ERROR_SYNTAX, json.ptr, 0, "braces do not match");
    }
    mls_rule_leave(c->file);
}

static void compile_actions(rule_compiler *c, mls_str json, unsigned depth, mls_action **actions, size_t *count);

static void compile_action(rule_compiler *c, mls_str json, unsigned depth, mls_action *action)
{
    static const char *const members[][3] = {{"set", "to", NULL}, {"use", NULL}, {"if", "then", NULL}};
    size_t kind = 0;
    mls_str first;
    mls_str second;
    while (kind < 3 && !mls_rule_member(json, members[kind][0], &first)) {
        kind++;
    }
    if (kind == 3) {
        compile_fail(c, json, "an action is {\"set\": …, \"to\": …}, {\"use\": …} or {\"if\": …, \"then\": […]}");
        return;
    }
    mls_rule_check_members(c->file, json, members[kind]);
    if (kind == 1) {
        compile_use(c, first, action);
        return;
    }
    (void)mls_rule_member(json, members[kind][1], &second);
    if (kind == 0) {
        compile_set(c, first, second, action);
        return;
    }
    action->kind = MLS_ACTION_IF;
    if (depth == MLS_ACTION_DEPTH_MAX) {
        mls_rule_fail(c->file, MLS_ERROR_LIMIT, json.ptr, 0, "\"if\" inside \"if\" more than %d deep",
                      MLS_ACTION_DEPTH_MAX);
        return;
    }
    mls_rule_enter(c->file, "if");
    compile_expr(c, first, &action->expr);
    mls_rule_leave(c->file);
    mls_rule_enter(c->file, "then");
    compile_actions(c, second.ptr != NULL ? second : json, depth + 1, &action->actions, &action->action_count);
    mls_rule_leave(c->file);
}

static void compile_actions(rule_compiler *c, mls_str json, unsigned depth, mls_action **actions, size_t *count)
{
    mls_raw_member item;
    mls_json_walk walk = mls_json_walk_begin(json);
    const size_t wanted = count_items(json);
    if (mls_json_kind_of(json) != MLS_JSON_LIST || wanted > MLS_ACTIONS_MAX) {
        mls_rule_fail(c->file, MLS_ERROR_VALUE, json.ptr, 0, "actions are a list of at most %d", MLS_ACTIONS_MAX);
        return;
    }
    *actions = compile_room(c, wanted, sizeof **actions);
    while (c->file->status == MLS_OK && *actions != NULL && mls_json_walk_next(&walk, &item)) {
        compile_action(c, item.value, depth, &(*actions)[(*count)++]);
    }
}

static bool actions_have_use(const mls_action *actions, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (actions[i].kind == MLS_ACTION_USE || actions_have_use(actions[i].actions, actions[i].action_count)) {
            return true;
        }
    }
    return false;
}

/* ---------------------------------------------------------------- rules */

static int compare_texts(const void *left, const void *right)
{
    return mls_str_compare(*(const mls_str *)left, *(const mls_str *)right);
}

/* "at_least_one_or(b, c)": the other keys, and the name that stands for all of them. */
static void compile_others(rule_compiler *c, mls_str json, mls_str names, mls_rule *rule)
{
    mls_str all[OTHERS_MAX] = {rule->key};
    size_t count = 1;
    for (size_t at = 0; at <= names.len && count < OTHERS_MAX;) {
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
            compile_fail(c, json, "at_least_one_or(…) must name other keys");
            return;
        }
        all[count++] = (mls_str){names.ptr + at, end - at};
        at = next;
    }
    mls_str *others = compile_room(c, count - 1, sizeof *others);
    if (others == NULL) {
        return;
    }
    memcpy(others, all + 1, (count - 1) * sizeof *others);
    rule->others = others;
    rule->other_count = count - 1;
    mls_buffer either = {0};
    qsort(all, count, sizeof *all, compare_texts);
    for (size_t i = 0; i < count; i++) {
        mls_buffer_append_text(&either, i > 0 ? "|" : "");
        mls_buffer_append(&either, all[i]);
    }
    rule->either = compile_copy(c, mls_buffer_str(&either));
    if (either.failed) {
        mls_rule_fail_memory(c->file);
    }
    mls_buffer_release(&either);
}

/* The text between "name(" and ")"; false when `text` is not of that form. */
static bool between_brackets(mls_str text, mls_str name, mls_str *argument)
{
    if (!mls_str_starts(text, name) || !mls_str_ends(text, MLS_S(")"))) {
        return false;
    }
    *argument = (mls_str){text.ptr + name.len, text.len - name.len - 1};
    return true;
}

static void compile_occurs(rule_compiler *c, mls_str whole, mls_str json, mls_rule *rule)
{
    static const char wanted[] = "how often is \"exactly_one\", \"at_least_one\", \"at_least(n)\", "
                                 "\"at_least_one_or(other_key)\" or \"optional\"";
    mls_str argument;
    if (json.ptr == NULL) {
        return;
    }
    const mls_str occurs = rule->occurs_text = mls_rule_text(c->file, json, &c->ruleset->memory, wanted);
    if (mls_str_equal(occurs, MLS_S("exactly_one"))) {
        rule->occurs = MLS_OCCURS_EXACTLY_ONE;
    } else if (mls_str_equal(occurs, MLS_S("at_least_one"))) {
        rule->occurs = MLS_OCCURS_AT_LEAST;
        rule->occurs_count = 1;
    } else if (between_brackets(occurs, MLS_S("at_least_one_or("), &argument)) {
        rule->occurs = MLS_OCCURS_AT_LEAST_ONE_OR;
        compile_others(c, whole, argument, rule);
    } else if (between_brackets(occurs, MLS_S("at_least("), &argument) &&
               mls_size_parse(argument, &rule->occurs_count)) {
        rule->occurs = MLS_OCCURS_AT_LEAST;
    } else if (!mls_str_equal(occurs, MLS_S("optional"))) {
        compile_fail(c, whole, wanted);
    }
}

static void compile_rule(rule_compiler *c, const mls_rule_part *part, mls_rule *rule)
{
    static const char *const allowed[] = {"occurs", "check", "check_first", "check_any", "after", NULL};
    const mls_str key = part->name;
    const mls_str json = part->json;
    mls_str member;
    c->file->rule = key;
    *rule = (mls_rule){.key = compile_copy(c, key), .first_only = mls_str_contains(key, MLS_S("submission_"))};
    if (mls_json_kind_of(json) == MLS_JSON_STRING) {
        compile_occurs(c, json, json, rule);
    } else if (mls_json_kind_of(json) != MLS_JSON_OBJECT) {
        compile_fail(c, json, "a rule is an object, or a string that says how often");
    } else {
        mls_rule_check_members(c->file, json, allowed);
        (void)mls_rule_member(json, "occurs", &member);
        compile_occurs(c, json, member, rule);
        (void)mls_rule_member(json, "check", &member);
        compile_exprs(c, member, "check", &rule->check);
        (void)mls_rule_member(json, "check_first", &member);
        compile_exprs(c, member, "check_first", &rule->check_first);
        (void)mls_rule_member(json, "check_any", &member);
        compile_exprs(c, member, "check_any", &rule->check_any);
        if (mls_rule_member(json, "after", &member)) {
            mls_rule_enter(c->file, "after");
            compile_actions(c, member, 0, &rule->actions, &rule->action_count);
            mls_rule_leave(c->file);
        }
        rule->has_use = c->file->status == MLS_OK && actions_have_use(rule->actions, rule->action_count);
    }
    c->file->rule = (mls_str){NULL, 0};
}

/* ---------------------------------------------------------------- scopes */

/* "metadata.name" → "name" */
static mls_str compile_metadata_name(rule_compiler *c, mls_str object, const char *member, const char *wanted)
{
    mls_str json;
    (void)mls_rule_member(object, member, &json);
    mls_str text = mls_rule_text(c->file, json.ptr != NULL ? json : object, &c->ruleset->memory, wanted);
    if (mls_str_starts(text, MLS_S("metadata."))) {
        text = (mls_str){text.ptr + 9, text.len - 9};
    } else {
        text.len = 0;
    }
    if (!is_identifier(text)) {
        compile_fail(c, object, wanted);
    }
    return text;
}

static void compile_derive(rule_compiler *c, mls_str json)
{
    static const char *const allowed[] = {"key", "from", "group_by", "field", NULL};
    static const char wanted[] =
        "\"derive\" needs \"key\" and \"from\" (keys), \"group_by\" and \"field\" (\"metadata.…\")";
    mls_derive *derive = &c->scope->derive;
    mls_str member;
    if (json.ptr == NULL) {
        return;
    }
    mls_rule_enter(c->file, "derive");
    mls_rule_check_members(c->file, json, allowed);
    (void)mls_rule_member(json, "key", &member);
    derive->key = mls_rule_text(c->file, member.ptr != NULL ? member : json, &c->ruleset->memory, wanted);
    (void)mls_rule_member(json, "from", &member);
    derive->from = mls_rule_text(c->file, member.ptr != NULL ? member : json, &c->ruleset->memory, wanted);
    derive->group_by = compile_metadata_name(c, json, "group_by", wanted);
    derive->field = compile_metadata_name(c, json, "field", wanted);
    mls_rule_leave(c->file);
}

static void compile_scope(rule_compiler *c, const mls_rule_scope *from)
{
    mls_scope *scope = c->scope;
    const mls_str name = from->self.name;
    size_t rules;
    const mls_rule_part **parts = mls_rule_parts(c->file, &from->keys, &rules);
    c->file->scope = name;
    scope->name = compile_copy(c, name);
    if (name.len == 0 || name.len > SCOPE_NAME_MAX) {
        mls_rule_fail(c->file, MLS_ERROR_VALUE, from->self.json.ptr, 0, "a scope's name has 1 to %d bytes",
                      SCOPE_NAME_MAX);
    }
    compile_begin(c, from->begin.json);
    compile_derive(c, from->derive.json);
    scope->rules = compile_room(c, rules, sizeof *scope->rules);
    for (size_t i = 0; c->file->status == MLS_OK && i < rules; i++) {
        compile_rule(c, parts[i], &scope->rules[scope->rule_count++]);
    }
    compile_exprs(c, from->end.json, "end", &scope->end);
    for (size_t i = 0; c->file->status == MLS_OK && i < scope->end.count; i++) {
        if ((scope->end.items[i].uses & MLS_EXPR_OF_RECORD) != 0) {
            mls_rule_enter(c->file, "end");
            compile_fail(c, from->end.json, "no record is left at the end: only $variables can be looked at");
            mls_rule_leave(c->file);
        }
    }
    for (size_t i = 0; c->file->status == MLS_OK && i < scope->symbols.count; i++) {
        if (!c->assigned[i]) {
            mls_rule_fail(c->file, MLS_ERROR_VALUE, from->self.json.ptr, 0,
                          "nothing gives $%.60s a value: neither \"begin\" nor a \"set\"",
                          scope->symbols.entries[i].key.ptr);
        }
    }
    scope->initial = compile_room(c, scope->symbols.count, sizeof *scope->initial);
    if (scope->initial != NULL && scope->symbols.count > 0) {
        memcpy(scope->initial, c->initial, scope->symbols.count * sizeof *scope->initial);
    }
    c->file->scope = (mls_str){NULL, 0};
}

void mls_ruleset_compile(mls_rule_file *file, mls_ruleset *ruleset)
{
    rule_compiler *c = malloc(sizeof *c);
    if (c == NULL) {
        mls_rule_fail_memory(file);
        return;
    }
    c->file = file;
    c->ruleset = ruleset;
    ruleset->usage = file->usage;
    ruleset->edition = compile_copy(c, file->edition);
    if (file->base.ptr != NULL) {
        ruleset->base = compile_copy(c, file->base);
    }
    size_t count;
    const mls_rule_part **scopes = mls_rule_parts(file, &file->scopes, &count);
    ruleset->scopes = compile_room(c, count, sizeof *ruleset->scopes);
    if (count > MLS_SCOPES_MAX) {
        mls_rule_fail(file, MLS_ERROR_LIMIT, scopes[MLS_SCOPES_MAX]->json.ptr, 0, "more than %d scopes",
                      MLS_SCOPES_MAX);
    }
    for (size_t i = 0; file->status == MLS_OK && i < count; i++) {
        memset(c->initial, 0, sizeof c->initial);
        memset(c->assigned, 0, sizeof c->assigned);
        c->scope = &ruleset->scopes[ruleset->scope_count++];
        c->scope->symbols = (mls_map){.arena = &ruleset->memory};
        compile_scope(c, (const mls_rule_scope *)scopes[i]);
    }
    free(c);
}
