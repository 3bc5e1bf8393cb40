/* SPDX-License-Identifier: Apache-2.0 */
/* ruleset_compile.c - loads rules: merged rule files to a ruleset.
 *
 * Every expression of every scope is compiled, so that a mistake in a rule file shows when it is loaded and not when
 * some log happens to need it. Failure sticks in the file, which is asked once, at the end. */
#include <math.h>
#include <stdlib.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "base/moment.h"
#include "base/number.h"
#include "rules/rule_file.h"

enum {
    OTHERS_MAX = 16,
    BEGIN_DEPTH_MAX = 8,
    ACTION_DEPTH_MAX = 4, /* `if` in `if` */
    ACTIONS_MAX = 64      /* in one rule */
};

typedef struct rule_compiler {
    mls_rule_file *file;
    mls_ruleset *ruleset;
    mls_scope *scope;
    mls_rule *rule;
    mls_variable initial[MLS_VARIABLES_PER_SCOPE_MAX];
    mls_setter setters[MLS_VARIABLES_PER_SCOPE_MAX];
} rule_compiler;

static bool all_well(const rule_compiler *c)
{
    return c->file->status == MLS_OK;
}

/* Room for `count` items in the ruleset; NULL, and a failure, when there is no memory. */
static void *room_for(rule_compiler *c, size_t count, size_t size)
{
    void *room = mls_arena_zeroed(&c->ruleset->memory, count, size);
    (void)mls_rule_room(c->file, room);
    return room;
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

/* The number of a name in a map of the ruleset; *kept becomes its copy there. */
static uint32_t name_number(rule_compiler *c, mls_map *map, mls_str name, mls_str *kept)
{
    const mls_map_entry *entry = mls_map_put(map, name, NULL);
    if (!mls_rule_room(c->file, entry) || entry == NULL) {
        return 0;
    }
    *kept = entry->key;
    return (uint32_t)(entry - map->entries);
}

/* Where a JSON string has its decoded byte of this column; what is not a string has it all at its start. */
static const char *string_byte(mls_str json, size_t column)
{
    const bool string = *json.ptr == '"';
    const char *at = json.ptr + string;
    for (; string && column > 1 && *at != '"'; column--) {
        at += *at != '\\' ? 1 : at[1] == 'u' ? 6 : 2;
    }
    return at;
}

/* `json` is the string that the text stands in, from its byte `offset` on. */
static void compile_text(rule_compiler *c, mls_str json, mls_str text, size_t offset, mls_expr *expr)
{
    mls_error why = {0};
    if (!all_well(c)) {
        return;
    }
    const mls_status status = mls_expr_compile(text, &c->scope->symbols, &c->ruleset->memory, expr, &why);
    if (status != MLS_OK && mls_rule_room(c->file, status != MLS_ERROR_MEMORY ? &why : NULL)) {
        const size_t column = why.column + offset;
        if (why.column == 0) {
            mls_rule_fail(c->file, status, json.ptr, "%s", why.message);
        }
        mls_rule_fail(c->file, status, string_byte(json, column), "%s (column %zu of the expression)", why.message,
                      column);
    }
}

/* A string, or {"lines": ["…", "…"]}: a long expression, its lines joined by a blank. */
static void compile_expr(rule_compiler *c, mls_str json, mls_expr *expr)
{
    static const char *const names[] = {"lines", NULL};
    mls_arena *scratch = &c->file->memory;
    mls_str lines;
    mls_raw_member line;
    mls_buffer text = {0};
    if (mls_json_kind_of(json) != MLS_JSON_OBJECT) {
        compile_text(c, json, mls_rule_text(c->file, json, scratch, "an expression must be a string"), 0, expr);
        return;
    }
    mls_rule_members(c->file, json, names, &lines);
    mls_json_walk walk = mls_json_walk_begin(lines);
    if (walk.object || walk.at == walk.end || *walk.at == ']') {
        mls_rule_wrong(c->file, json, "'lines' must be a list of strings");
    }
    while (all_well(c) && mls_json_walk_next(&walk, &line)) {
        mls_buffer_append_text(&text, text.len > 0 ? " " : "");
        mls_buffer_append(&text, mls_rule_text(c->file, line.value, scratch, "'lines' must be a list of strings"));
    }
    (void)mls_rule_room(c->file, text.failed ? NULL : &text);
    compile_text(c, json, mls_buffer_str(&text), 0, expr);
    mls_buffer_release(&text);
}

/* One expression or a list of them; absent is an empty list. */
static void compile_exprs(rule_compiler *c, mls_str json, mls_expr_list *list)
{
    if (json.ptr == NULL) {
        return;
    }
    mls_raw_member item = {.value = json};
    const bool several = mls_json_kind_of(json) == MLS_JSON_LIST;
    mls_json_walk walk = mls_json_walk_begin(json);
    list->count = several ? count_items(json) : 1;
    list->items = room_for(c, list->count, sizeof *list->items);
    for (size_t i = 0; all_well(c) && i < list->count; i++) {
        (void)(several && mls_json_walk_next(&walk, &item));
        compile_expr(c, item.value, &list->items[i]);
    }
}

static bool is_identifier(mls_str name)
{
    return name.len <= MLS_SCOPE_NAME_MAX && mls_str_is_name(name);
}

/* The slot of the variable that a string names. */
static uint32_t compile_variable(rule_compiler *c, mls_str json)
{
    mls_str name = mls_rule_text(c->file, json, &c->file->memory, "\"set\" names a variable, \"to\" is its new value");
    if (!is_identifier(name)) {
        mls_rule_fail(c->file, MLS_ERROR_VALUE, json.ptr, "'%.60s' cannot be the name of a variable", name.ptr);
    }
    const uint32_t slot = all_well(c) ? name_number(c, &c->scope->symbols, name, &name) : 0;
    if (slot >= MLS_VARIABLES_PER_SCOPE_MAX) {
        mls_rule_fail(c->file, MLS_ERROR_LIMIT, json.ptr, "more than %d variables", MLS_VARIABLES_PER_SCOPE_MAX);
        return 0;
    }
    return slot;
}

static void compile_constant(rule_compiler *c, mls_str json, unsigned depth, mls_value *value)
{
    static const char wanted[] = "a variable begins as a number, string, boolean, null or list of these";
    *value = (mls_value){.kind = mls_json_kind_of(json)};
    if (value->kind == MLS_JSON_BOOL) {
        value->as.boolean = *json.ptr == 't';
    } else if (value->kind == MLS_JSON_NUMBER) {
        value->is_integer = mls_json_is_integer(json);
        if (mls_rule_room(c->file, mls_json_number(json, &value->as.number) ? value : NULL) &&
            !isfinite(value->as.number)) {
            mls_rule_wrong(c->file, json, wanted);
        }
    } else if (value->kind == MLS_JSON_STRING) {
        value->as.string = mls_rule_text(c->file, json, &c->ruleset->memory, wanted);
    } else if (value->kind == MLS_JSON_LIST && depth < BEGIN_DEPTH_MAX) {
        mls_raw_member item;
        mls_json_walk walk = mls_json_walk_begin(json);
        mls_value *items = room_for(c, count_items(json), sizeof *items);
        value->as.list.items = items;
        while (all_well(c) && mls_json_walk_next(&walk, &item)) {
            compile_constant(c, item.value, depth + 1, &items[value->as.list.count++]);
        }
    } else if (value->kind != MLS_JSON_NULL) {
        mls_rule_wrong(c->file, json, wanted);
    }
}

static void compile_begin(rule_compiler *c, mls_str json)
{
    mls_raw_member item;
    mls_json_walk walk = mls_json_walk_begin(json);
    if (json.ptr != NULL && !walk.object) {
        mls_rule_wrong(c->file, json, "'begin' must be an object of variables");
    }
    while (all_well(c) && mls_json_walk_next(&walk, &item)) {
        const mls_str name = {item.name.ptr - 1, item.name.len + 2};
        const uint32_t slot = compile_variable(c, name);
        if (c->initial[slot].set) {
            mls_rule_wrong(c->file, name, "this variable stands twice");
        }
        compile_constant(c, item.value, 0, &c->initial[slot].value);
        c->initial[slot].set = true;
    }
}

/* $x + [item] set to $x again appends in place: a list that grows with the log would be copied each time otherwise. */
static void compile_set(rule_compiler *c, mls_action *action)
{
    const mls_expr_node *root = action->expr.root;
    mls_setter *setter = &c->setters[action->slot];
    if (!all_well(c)) {
        return;
    }
    const bool append = root->op == MLS_EXPR_ADD && root->operands[0]->op == MLS_EXPR_VARIABLE &&
                        root->operands[0]->slot == action->slot && root->operands[1]->op == MLS_EXPR_LIST;
    action->kind = append ? MLS_ACTION_APPEND : MLS_ACTION_SET;
    if (setter->key.ptr == NULL) {
        *setter = (mls_setter){c->rule->key, root->op == MLS_EXPR_VALUE};
    }
}

/* "closed_{value}": the text between the braces is an expression. */
static void compile_use(rule_compiler *c, mls_str json, mls_action *action)
{
    const mls_str text =
        mls_rule_text(c->file, json, &c->ruleset->memory, "\"use\" names a scope, as in \"closed_{value}\"");
    const char *open = strchr(text.ptr, '{');
    const char *close = strrchr(text.ptr, '}');
    *action = (mls_action){.kind = MLS_ACTION_USE, .text = text, .prefix = text};
    c->rule->has_use = true;
    if (open != NULL && close > open) {
        action->has_expr = true;
        action->prefix.len = (size_t)(open - text.ptr);
        action->suffix = mls_str_from(close + 1);
        compile_text(c, json, (mls_str){open + 1, (size_t)(close - open) - 1}, action->prefix.len + 1, &action->expr);
    } else if (open != NULL || close != NULL) {
        mls_rule_fail(c->file, MLS_ERROR_SYNTAX, json.ptr, "braces do not match");
    }
}

static void compile_actions(rule_compiler *c, mls_str json, unsigned depth, mls_action **actions, size_t *count);

static void compile_action(rule_compiler *c, mls_str json, unsigned depth, mls_action *action)
{
    enum { SET, TO, USE, IF, THEN, MEMBERS };
    static const char *const names[] = {"set", "to", "use", "if", "then", NULL};
    mls_str members[MEMBERS];
    mls_rule_members(c->file, json, names, members);
    const bool set = members[SET].ptr != NULL;
    const bool use = members[USE].ptr != NULL;
    const bool condition = members[IF].ptr != NULL;
    if (set + use + condition != 1 || set != (members[TO].ptr != NULL) || condition != (members[THEN].ptr != NULL)) {
        mls_rule_wrong(c->file, json,
                       "an action is {\"set\": …, \"to\": …}, {\"use\": …} or {\"if\": …, \"then\": […]}");
    } else if (use) {
        compile_use(c, members[USE], action);
    } else if (set) {
        action->slot = compile_variable(c, members[SET]);
        compile_expr(c, members[TO], &action->expr);
        compile_set(c, action);
    } else if (depth == ACTION_DEPTH_MAX) {
        mls_rule_fail(c->file, MLS_ERROR_LIMIT, json.ptr, "\"if\" inside \"if\" more than %d deep", ACTION_DEPTH_MAX);
    } else {
        action->kind = MLS_ACTION_IF;
        compile_expr(c, members[IF], &action->expr);
        compile_actions(c, members[THEN], depth + 1, &action->actions, &action->action_count);
    }
}

static void compile_actions(rule_compiler *c, mls_str json, unsigned depth, mls_action **actions, size_t *count)
{
    mls_raw_member item;
    mls_json_walk walk = mls_json_walk_begin(json);
    const size_t wanted = count_items(json);
    if (mls_json_kind_of(json) != MLS_JSON_LIST || wanted > ACTIONS_MAX) {
        mls_rule_fail(c->file, MLS_ERROR_VALUE, json.ptr, "actions are a list of at most %d", ACTIONS_MAX);
        return;
    }
    *actions = room_for(c, wanted, sizeof **actions);
    while (all_well(c) && *actions != NULL && mls_json_walk_next(&walk, &item)) {
        compile_action(c, item.value, depth, &(*actions)[(*count)++]);
    }
}

static int compare_texts(const void *left, const void *right)
{
    return mls_str_compare(*(const mls_str *)left, *(const mls_str *)right);
}

/* "at_least_one_or(b, c)": the other keys, and the name that stands for all of them. */
static void compile_others(rule_compiler *c, mls_str json, mls_str names, mls_rule *rule)
{
    mls_str all[OTHERS_MAX] = {rule->key};
    size_t count = 1;
    for (bool more = true; more && count < OTHERS_MAX; count++) {
        mls_str *name = &all[count];
        more = mls_str_cut(&names, ',', name);
        while (name->len > 0 && name->ptr[name->len - 1] == ' ') {
            name->len--;
        }
        while (mls_take_char(name, " ")) {
        }
        if (name->len == 0) {
            mls_rule_wrong(c->file, json, "at_least_one_or(…) must name other keys");
            return;
        }
    }
    mls_str *others = room_for(c, count - 1, sizeof *others);
    rule->others = others;
    rule->other_count = count - 1;
    for (size_t i = 0; all_well(c) && i + 1 < count; i++) {
        (void)name_number(c, &c->ruleset->key_names, all[i + 1], &others[i]);
    }
    mls_buffer either = {0};
    qsort(all, count, sizeof *all, compare_texts);
    for (size_t i = 0; i < count; i++) {
        mls_buffer_append_text(&either, i > 0 ? "|" : "");
        mls_buffer_append(&either, all[i]);
    }
    rule->either = either.failed ? (mls_str){NULL, 0} : mls_arena_copy(&c->ruleset->memory, mls_buffer_str(&either));
    (void)mls_rule_room(c->file, rule->either.ptr);
    mls_buffer_release(&either);
}

/* The text between "name(" and ")"; false when `text` is not of that form. */
static bool between_brackets(mls_str text, mls_str name, mls_str *argument)
{
    const bool is_form = mls_str_starts(text, name) && mls_str_ends(text, MLS_S(")"));
    *argument = is_form ? (mls_str){text.ptr + name.len, text.len - name.len - 1} : text;
    return is_form;
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
    const bool once = mls_str_equal(occurs, MLS_S("exactly_one"));
    rule->min = 1;
    rule->max = once ? 1 : SIZE_MAX;
    if (between_brackets(occurs, MLS_S("at_least_one_or("), &argument)) {
        compile_others(c, whole, argument, rule);
    } else if (mls_str_equal(occurs, MLS_S("optional"))) {
        rule->min = rule->max = 0;
    } else if (!once && !mls_str_equal(occurs, MLS_S("at_least_one")) &&
               !(between_brackets(occurs, MLS_S("at_least("), &argument) && mls_size_parse(argument, &rule->min))) {
        mls_rule_wrong(c->file, whole, wanted);
    }
}

static void compile_rule(rule_compiler *c, const mls_rule_part *part, mls_rule *rule)
{
    enum { OCCURS, CHECK, CHECK_FIRST, CHECK_ANY, AFTER, MEMBERS };
    static const char *const names[] = {"occurs", "check", "check_first", "check_any", "after", NULL};
    const mls_str json = part->json;
    mls_str members[MEMBERS] = {json};
    *rule = (mls_rule){.scope = (uint32_t)(c->scope - c->ruleset->scopes),
                       .first_only = mls_str_contains(part->name, MLS_S("submission_"))};
    c->rule = rule;
    rule->key_index = name_number(c, &c->ruleset->key_names, part->name, &rule->key);
    if (mls_json_kind_of(json) == MLS_JSON_OBJECT) {
        mls_rule_members(c->file, json, names, members);
    } else if (mls_json_kind_of(json) != MLS_JSON_STRING) {
        mls_rule_wrong(c->file, json, "a rule is an object, or a string that says how often");
    }
    compile_occurs(c, json, members[OCCURS], rule);
    compile_exprs(c, members[CHECK], &rule->check);
    compile_exprs(c, members[CHECK_FIRST], &rule->check_first);
    compile_exprs(c, members[CHECK_ANY], &rule->check_any);
    if (members[AFTER].ptr != NULL) {
        compile_actions(c, members[AFTER], 0, &rule->actions, &rule->action_count);
    }
}

static void compile_derive(rule_compiler *c, mls_str json)
{
    static const char *const names[] = {"key", "from", "group_by", "field", NULL};
    static const char wanted[] =
        "\"derive\" needs \"key\" and \"from\" (keys), \"group_by\" and \"field\" (\"metadata.…\")";
    mls_derive *derive = &c->scope->derive;
    mls_str *const texts[] = {&derive->key, &derive->from, &derive->group_by, &derive->field};
    mls_str members[4];
    if (json.ptr == NULL) {
        return;
    }
    mls_rule_members(c->file, json, names, members);
    for (size_t i = 0; i < 4; i++) {
        mls_str text = mls_rule_text(c->file, members[i].ptr != NULL ? members[i] : json, &c->ruleset->memory, wanted);
        if (i >= 2 && mls_str_starts(text, MLS_S("metadata."))) {
            text = (mls_str){text.ptr + 9, text.len - 9};
        } else if (i >= 2) {
            text.len = 0;
        }
        if (i >= 2 && !is_identifier(text)) {
            mls_rule_wrong(c->file, json, wanted);
        }
        *texts[i] = text;
    }
    c->scope->derive_from = name_number(c, &c->ruleset->key_names, derive->from, &derive->from);
}

/* The member of a scope as all files together have it; an empty part when none does. */
static const mls_rule_part *part_of(const mls_rule_part *scope, mls_str name)
{
    static const mls_rule_part nothing;
    const mls_map_entry *entry = mls_map_find(&scope->parts.names, name);
    return entry != NULL ? entry->value.pointer : &nothing;
}

/* Checks of a scope what only all of its expressions together show. */
static void check_scope(rule_compiler *c, const mls_rule_part *from)
{
    mls_scope *scope = c->scope;
    for (size_t i = 0; all_well(c) && i < scope->end.count; i++) {
        if ((scope->end.items[i].uses & MLS_EXPR_OF_RECORD) != 0) {
            mls_rule_wrong(c->file, part_of(from, MLS_S("end"))->json,
                           "no record is left at the end: only $variables can be looked at");
        }
    }
    for (size_t i = 0; all_well(c) && i < scope->symbols.count; i++) {
        if (!c->initial[i].set && c->setters[i].key.ptr == NULL) {
            mls_rule_fail(c->file, MLS_ERROR_VALUE, from->json.ptr,
                          "nothing gives $%.60s a value: neither \"begin\" nor a \"set\"",
                          scope->symbols.entries[i].key.ptr);
        }
    }
    scope->initial = room_for(c, scope->symbols.count, sizeof *scope->initial);
    scope->setters = room_for(c, scope->symbols.count, sizeof *scope->setters);
    if (all_well(c)) {
        memcpy(scope->initial, c->initial, scope->symbols.count * sizeof *scope->initial);
        memcpy(scope->setters, c->setters, scope->symbols.count * sizeof *scope->setters);
        /* The next scope has variables of its own.  What failed may have named more than there is room for. */
        memset(c->initial, 0, scope->symbols.count * sizeof *c->initial);
        memset(c->setters, 0, scope->symbols.count * sizeof *c->setters);
    }
}

static void compile_scope(rule_compiler *c, const mls_rule_part *from)
{
    const mls_rule_parts *keys = &part_of(from, MLS_S("keys"))->parts;
    mls_scope *scope = c->scope;
    *scope =
        (mls_scope){.name = mls_arena_copy(&c->ruleset->memory, from->name), .symbols = {.arena = &c->ruleset->memory}};
    (void)mls_rule_room(c->file, scope->name.ptr);
    if (from->name.len == 0 || from->name.len > MLS_SCOPE_NAME_MAX) {
        mls_rule_fail(c->file, MLS_ERROR_VALUE, from->json.ptr, "a scope's name has 1 to %d bytes", MLS_SCOPE_NAME_MAX);
    }
    compile_begin(c, part_of(from, MLS_S("begin"))->json);
    scope->rules = room_for(c, keys->names.count, sizeof *scope->rules);
    for (const mls_rule_part *rule = keys->first; all_well(c) && rule != NULL; rule = rule->next) {
        if (rule->json.ptr != NULL) {
            compile_rule(c, rule, &scope->rules[scope->rule_count++]);
        }
    }
    compile_derive(c, part_of(from, MLS_S("derive"))->json);
    compile_exprs(c, part_of(from, MLS_S("end"))->json, &scope->end);
    check_scope(c, from);
}

/* Lists at each key what the scopes want of its records. */
static void link_keys(mls_rule_file *file, mls_ruleset *ruleset)
{
    ruleset->keys = mls_arena_zeroed(&ruleset->memory, ruleset->key_names.count, sizeof *ruleset->keys);
    for (size_t s = mls_rule_room(file, ruleset->keys) ? ruleset->scope_count : 0; s-- > 0;) {
        mls_scope *scope = &ruleset->scopes[s];
        for (size_t r = 0; r < scope->rule_count; r++) {
            mls_rule_key *key = &ruleset->keys[scope->rules[r].key_index];
            scope->rules[r].next = key->rules;
            key->rules = &scope->rules[r];
            key->compare_values |= scope->rules[r].max == 1;
        }
        if (scope->derive.key.ptr != NULL) {
            ruleset->keys[scope->derive_from].derived_from = true;
            scope->derived_rule = mls_scope_find_rule(ruleset, s, mls_ruleset_find_key(ruleset, scope->derive.key));
        }
    }
}

static void compile_scopes(mls_rule_file *file, mls_ruleset *ruleset)
{
    rule_compiler c = {.file = file, .ruleset = ruleset};
    ruleset->key_names.arena = &ruleset->memory;
    ruleset->scopes = mls_arena_zeroed(&ruleset->memory, file->scopes.names.count, sizeof *ruleset->scopes);
    const mls_phrase *phrases = mls_rule_phrases(&ruleset->memory);
    (void)(mls_rule_room(file, ruleset->scopes) && mls_rule_room(file, phrases));
    for (const mls_rule_part *scope = file->scopes.first; file->status == MLS_OK && scope != NULL;
         scope = scope->next) {
        if (scope->json.ptr != NULL && ruleset->scope_count == MLS_SCOPES_MAX) {
            mls_rule_fail(file, MLS_ERROR_LIMIT, scope->json.ptr, "more than %d scopes", MLS_SCOPES_MAX);
        } else if (scope->json.ptr != NULL) {
            c.scope = &ruleset->scopes[ruleset->scope_count++];
            compile_scope(&c, scope);
            c.scope->phrases = phrases;
        }
    }
    link_keys(file, ruleset);
    for (mls_key key = 0; key < MLS_KEY_COUNT; key++) {
        ruleset->key_of_id[key] = mls_ruleset_find_key(ruleset, mls_key_text(key));
    }
    ruleset->common = mls_ruleset_find_scope(ruleset, MLS_S("common"));
    if (ruleset->common == SIZE_MAX) {
        mls_rule_wrong(file, file->sources[0].scopes, "there must be a scope named \"common\"");
    }
}

/* Exactly one of `edition`, `path` and `text` is given. */
static mls_status load_rules(const mls_edition *edition, const char *path, mls_str text, mls_ruleset **ruleset,
                             mls_error *error)
{
    mls_error ignored = {0};
    mls_rule_file file = {.error = error != NULL ? error : &ignored};
    mls_ruleset *made = mls_calloc(1, sizeof *made);
    *ruleset = NULL;
    if (made == NULL) {
        return mls_error_memory(error);
    }
    mls_rule_file_read(&file, edition, path, text);
    if (file.status == MLS_OK) {
        made->usage = file.usage;
        made->edition = mls_arena_copy(&made->memory, file.edition);
        made->base = mls_arena_copy(&made->memory, file.base.ptr != NULL ? file.base : file.edition);
        if (mls_rule_room(&file, made->edition.ptr) && mls_rule_room(&file, made->base.ptr)) {
            compile_scopes(&file, made);
        }
    }
    mls_arena_release(&file.memory);
    if (file.status == MLS_OK) {
        *ruleset = made;
    } else {
        mls_ruleset_free(made);
    }
    return file.status;
}

mls_status mls_ruleset_load(const mls_edition *edition, mls_ruleset **ruleset, mls_error *error)
{
    return load_rules(edition, NULL, (mls_str){NULL, 0}, ruleset, error);
}

mls_status mls_ruleset_load_file(const char *path, mls_ruleset **ruleset, mls_error *error)
{
    return load_rules(NULL, path, (mls_str){NULL, 0}, ruleset, error);
}

mls_status mls_ruleset_load_text(mls_str text, mls_ruleset **ruleset, mls_error *error)
{
    return load_rules(NULL, NULL, text, ruleset, error);
}
