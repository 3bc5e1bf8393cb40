/* SPDX-License-Identifier: Apache-2.0 */
/* rule_file.c - load rule files from JSON into a ruleset.
 *
 * A file is merged with the files that it extends: a scope or rule in the extending file replaces the one in the
 * extended file, and null removes it.  Then all expressions are compiled, so that errors in a rule file are found when
 * it is loaded.  All data are spans of the text of a file, so that the position of an error is known.  After the first
 * error, which is stored in the rule_file, all functions do nothing. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/buffer.h"
#include "base/data.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/moment.h"
#include "base/number.h"
#include "base/utf8.h"
#include "rules/ruleset.h"

enum {
    RULE_FILE_MAX = 4 << 20, /* maximum size of a rule file in bytes */
    EXTENDS_MAX = 32,        /* maximum number of files, each of which extends the next */
    RULES_PER_SCOPE_MAX = 1024,
    RULES_PER_FILE_MAX = 8192,
    STEPS_MAX = 16, /* maximum number of names in the path to an error */
    SHOWN_MAX = 60,
    OTHERS_MAX = 16, /* maximum number of keys in at_least_one_or() */
    BEGIN_DEPTH_MAX = 8,
    ACTION_DEPTH_MAX = 4, /* maximum nesting of "if" */
    ACTIONS_MAX = 64      /* maximum number of actions in a rule */
};

/* A rule file: the loaded one, or one that it extends. */
typedef struct rule_source {
    mls_str name; /* path of the file, or name of the embedded edition; ptr is NULL for a text in memory */
    bool embedded;
    mls_str text;
    mls_str json;
    mls_str extends, scopes; /* members of the file; ptr is NULL if a member is missing */
} rule_source;

/* A list of parts, in the order in which they were added.  A part that was removed and added again is last. */
typedef struct rule_parts {
    mls_map names; /* from the name of a part to the rule_part */
    struct rule_part *first;
    struct rule_part *last;
} rule_parts;

/* A scope, a member of a scope, or a rule, merged from all files. */
typedef struct rule_part {
    struct rule_part *next;
    mls_str name;
    mls_str json;              /* the definition in the newest file; ptr is NULL if the part was removed */
    const rule_source *source; /* the newest file */
    rule_parts parts;          /* for a scope, its members; for its member "keys", the rules */
} rule_part;

typedef struct rule_file {
    mls_arena memory;
    rule_source sources[EXTENDS_MAX]; /* sources[0] is the requested file; each source extends the next one */
    size_t source_count;
    mls_usage usage;
    mls_str edition;
    mls_str base; /* name of the newest published edition among the sources; ptr is NULL if there is none */
    rule_parts scopes;
    mls_error *error; /* where to store the first error; never NULL */
    mls_status status;
    /* The following members are used while the merged rules are compiled. */
    mls_ruleset *ruleset;
    mls_scope *scope;
    mls_rule *rule;
    mls_variable initial[MLS_VARIABLES_PER_SCOPE_MAX]; /* initial values of the variables of the current scope */
    mls_setter setters[MLS_VARIABLES_PER_SCOPE_MAX];
} rule_file;

/* Store an error at position `at` of the text; NULL: the position is unknown.  The message begins with the names of the
 * scope, rule and member at this position, such as "rule lora_rank of scope closed_x: check: ". */
MLS_PRINTF(4, 5)
static void fail(rule_file *file, mls_status status, const char *at, const char *format, ...)
{
    mls_buffer message = {0};
    const rule_source *source = NULL;
    mls_str names[STEPS_MAX];
    size_t count = 0;
    mls_raw_member member;
    if (file->status != MLS_OK)
        return;
    for (size_t i = 0; i < file->source_count && source == NULL && at != NULL; i++) {
        const mls_str text = file->sources[i].text;
        source = at >= text.ptr && at <= text.ptr + text.len ? &file->sources[i] : NULL;
    }
    if (source != NULL && source != file->sources && source->name.ptr != NULL)
        mls_buffer_printf(&message, "in %s: ", source->name.ptr);
    mls_json_walk walk = mls_json_walk_begin(source != NULL ? source->json : (mls_str){NULL, 0});
    while (count < STEPS_MAX && mls_json_walk_next(&walk, &member)) {
        /* An error in the name of a scope or rule is in the scope or rule; an error in any other name is in the object
         * around it. */
        const bool named = (count == 1 || count == 3) && member.name.ptr != NULL && at == member.name.ptr - 1;
        if (named || (at >= member.value.ptr && at < member.value.ptr + member.value.len)) {
            names[count] = member.name;
            count += member.name.ptr != NULL;
            walk = mls_json_walk_begin(named ? (mls_str){NULL, 0} : member.value);
        }
    }
    const size_t inner = count > 2 && mls_str_equal(names[2], MLS_S("keys")) ? 3 : 2;
    if (count > inner) {
        mls_buffer_append_text(&message, inner == 3 ? "rule " : "");
        mls_utf8_append_cut(&message, names[inner], SHOWN_MAX);
        mls_buffer_append_text(&message, " of ");
    }
    if (count > 1) {
        mls_buffer_append_text(&message, "scope ");
        mls_utf8_append_cut(&message, names[1], SHOWN_MAX);
        mls_buffer_append_text(&message, ": ");
    }
    for (size_t i = inner + 1; i < count; i++)
        mls_buffer_printf(&message, "%.*s: ", (int)names[i].len, names[i].ptr);
    va_list args;
    va_start(args, format);
    mls_buffer_vprintf(&message, format, args);
    va_end(args);
    file->status = mls_error_set(file->error, status, 0, 0, "%s", message.ptr);
    mls_buffer_release(&message);
    if (source != NULL)
        mls_text_position(source->text, (size_t)(at - source->text.ptr), &file->error->line, &file->error->column);
}

static void wrong(rule_file *file, mls_str json, const char *what)
{
    fail(file, MLS_ERROR_VALUE, json.ptr, "%s", what);
}

/* Return the index of `name` in the NULL-terminated list `names`.  The name "comment" is allowed everywhere; its index
 * is that of the NULL. */
static size_t find_name(rule_file *file, const char *const *names, mls_str name)
{
    size_t i = 0;
    while (names[i] != NULL && !mls_str_equal(name, mls_str_from(names[i])))
        i++;
    if (names[i] == NULL && !mls_str_equal(name, MLS_S("comment")))
        fail(file, MLS_ERROR_VALUE, name.ptr - 1, "unknown member '%.*s'", MLS_CUT(name, SHOWN_MAX));
    return i;
}

/* Store the members of an object in `members`, in the order of `names`.  Fail if a member occurs twice, or if there is
 * another member than "comment". */
static void take_members(rule_file *file, mls_str json, const char *const *names, mls_str *members)
{
    mls_raw_member member;
    mls_json_walk walk = mls_json_walk_begin(json);
    for (size_t i = 0; names[i] != NULL; i++)
        members[i] = (mls_str){NULL, 0};
    while (walk.object && mls_json_walk_next(&walk, &member)) {
        const size_t i = find_name(file, names, member.name);
        if (names[i] != NULL && members[i].ptr != NULL)
            fail(file, MLS_ERROR_VALUE, member.name.ptr - 1, "duplicate member '%s'", names[i]);
        else if (names[i] != NULL)
            members[i] = member.value;
    }
}

/* Decode a JSON string, and return a NUL-terminated text in `arena`.  If `json` is not a string, fail with the message
 * `otherwise`. */
static mls_str take_text(rule_file *file, mls_str json, mls_arena *arena, const char *otherwise)
{
    mls_str text = {"", 0};
    if (mls_json_kind_of(json) != MLS_JSON_STRING)
        wrong(file, json, otherwise);
    else if (mls_json_string(json, arena, &text) && memchr(text.ptr, '\0', text.len) != NULL)
        wrong(file, json, "a text must not contain \\u0000");
    return text;
}

/* Add a rule file to the sources, and read its top-level members.  The first published edition among the sources
 * becomes file->base. */
static void source_add(rule_file *file, mls_str name, bool embedded, mls_str text)
{
    static const char *const names[] = {"usage", "edition", "extends", "scopes", NULL};
    static const char *const wanted[] = {"'usage' must be \"training\" or \"hpc\"",
                                         "'edition' must name the edition, as in \"5.1.0\""};
    rule_source *source = &file->sources[file->source_count];
    const bool first = source == file->sources;
    mls_str members[4];
    mls_str texts[2] = {{NULL, 0}};
    size_t where;
    *source = (rule_source){.name = name, .embedded = embedded};
    const char *reason = mls_json_validate(text, &file->memory, &source->json, &where);
    if (reason != NULL) {
        const bool named = !first && name.ptr != NULL;
        fail(file, MLS_ERROR_SYNTAX, NULL, "%s%sinvalid JSON: %s", named ? name.ptr : "", named ? ": " : "", reason);
        mls_text_position(text, where, &file->error->line, &file->error->column);
        return;
    }
    source->text = (mls_str){source->json.ptr - where, text.len};
    file->source_count++;
    if (mls_json_kind_of(source->json) != MLS_JSON_OBJECT)
        wrong(file, source->json, "a rule file must be a JSON object");
    take_members(file, source->json, names, members);
    source->extends = members[2];
    source->scopes = members[3];
    for (size_t i = 0; i < 2 && (first || embedded); i++) {
        const mls_str json = members[i].ptr != NULL ? members[i] : source->json;
        texts[i] = take_text(file, json, &file->memory, wanted[i]);
        if (i == 0 ? !mls_usage_from_name(texts[0], &file->usage) : texts[1].len == 0 || texts[1].len > 32)
            wrong(file, json, wanted[i]);
    }
    file->edition = first ? texts[1] : file->edition;
    file->base = file->base.ptr == NULL && embedded ? texts[1] : file->base;
}

/* Fail if a file is already among the sources.  `at` is the position of its name in the file that extends it. */
static bool source_is_new(rule_file *file, mls_str name, bool embedded, const char *at)
{
    for (size_t i = 0; i < file->source_count; i++)
        if (file->sources[i].embedded == embedded && mls_str_equal(file->sources[i].name, name))
            fail(file, MLS_ERROR_VALUE, at, "%s extends itself", file->sources[i].name.ptr);
    return file->status == MLS_OK;
}

/* Add the embedded rules of an edition, whose name is "5.0.0" or "5.0". */
static void add_embedded(rule_file *file, mls_str edition, const char *at)
{
    static const char *const endings[] = {"", ".0"};
    const char *usage = mls_usage_name(file->usage);
    for (int i = 0; i < 2; i++) {
        char name[128];
        (void)snprintf(name, sizeof name, "rules/%s-%.*s%s.json", usage, MLS_CUT(edition, SHOWN_MAX), endings[i]);
        const mls_str text = mls_data_find(name);
        if (text.ptr != NULL) {
            const mls_str kept = mls_arena_copy(&file->memory, mls_str_from(name));
            if (source_is_new(file, kept, true, at))
                source_add(file, kept, true, text);
            return;
        }
    }
    fail(file, MLS_ERROR_UNKNOWN, at, "unknown round to extend: '%s %.*s'", usage, MLS_CUT(edition, SHOWN_MAX));
}

/* Add the rule file with the path `name`.  `at` is the position of the path in the file that extends it, and the path
 * is relative to that file.  For the requested file, `at` is NULL; only this file may be a pipe. */
static void add_rule_file(rule_file *file, mls_str name, const char *at)
{
    const char *from = at != NULL && name.ptr[0] != '/' ? file->sources[file->source_count - 1].name.ptr : NULL;
    mls_buffer text = {0};
    mls_error why;
    mls_buffer_append(&text, mls_path_folder(mls_str_from(from)));
    mls_buffer_append(&text, name);
    const mls_str path = mls_arena_copy(&file->memory, mls_buffer_str(&text));
    mls_buffer_clear(&text);
    if (source_is_new(file, path, false, at)) {
        const mls_status status = mls_file_read(path.ptr, at == NULL, RULE_FILE_MAX, &text, &why);
        if (status == MLS_OK) {
            source_add(file, path, false, mls_buffer_str(&text));
        } else {
            const char *unopened = why.system_errno != 0                                      ? "cannot be opened: "
                                   : mls_str_starts(mls_str_from(why.message), MLS_S("not ")) ? "is "
                                                                                              : "";
            file->status =
                mls_error_set(file->error, status, 0, 0, "the rule file %s %s%s", path.ptr, unopened, why.message);
            file->error->system_errno = why.system_errno;
        }
    }
    mls_buffer_release(&text);
}

/* The levels of a rule file: scopes, members of a scope, and rules in the member "keys". */
enum { SCOPES, MEMBERS, RULES };

/* Merge a JSON object of `source` into the parts of older files: each member replaces the part with its name.  Add the
 * number of rules to *rules. */
static void overlay(rule_file *file, rule_parts *parts, mls_str json, const rule_source *source, int level,
                    size_t *rules)
{
    static const char *const names[] = {"begin", "derive", "end", "keys", NULL};
    static const char *const wanted[] = {"'scopes' must be an object of scopes",
                                         "a scope must be an object, or null to drop it",
                                         "'keys' must be an object of rules"};
    static const char *const duplicate[] = {"duplicate scope in the file", "duplicate member in the scope",
                                            "duplicate rule in the scope"};
    mls_raw_member given;
    mls_json_walk walk = mls_json_walk_begin(json);
    if (!walk.object)
        wrong(file, json.ptr != NULL ? json : source->json, wanted[level]);
    for (size_t count = 1; file->status == MLS_OK && mls_json_walk_next(&walk, &given); count++) {
        const mls_str quoted = {given.name.ptr - 1, given.name.len + 2};
        const bool null = mls_json_kind_of(given.value) == MLS_JSON_NULL;
        if (level == SCOPES && count > MLS_SCOPES_MAX)
            fail(file, MLS_ERROR_LIMIT, quoted.ptr, "more than %d scopes", MLS_SCOPES_MAX);
        if (level == RULES && (count > RULES_PER_SCOPE_MAX || ++*rules > RULES_PER_FILE_MAX)) {
            fail(file, MLS_ERROR_LIMIT, quoted.ptr, "more than %d rules in a scope, or %d in a file",
                 RULES_PER_SCOPE_MAX, RULES_PER_FILE_MAX);
        }
        if (level == MEMBERS && names[find_name(file, names, given.name)] == NULL)
            continue; /* a comment */
        const mls_str name = take_text(file, quoted, &file->memory, "");
        if (file->status != MLS_OK)
            return;
        mls_map_entry *entry = mls_map_put(&parts->names, name, NULL);
        rule_part *part = entry->value.pointer;
        const bool defined = part != NULL && part->json.ptr != NULL;
        if (part != NULL && part->source == source)
            wrong(file, quoted, duplicate[level]);
        if (null && !defined) {
            fail(file, MLS_ERROR_VALUE, level == MEMBERS ? given.value.ptr : quoted.ptr,
                 "null removes a %s that the extended rules do not have", level == SCOPES ? "scope" : "member or rule");
        }
        if (!defined) {
            entry->value.pointer = part = mls_arena_alloc(&file->memory, sizeof *part);
            *part = (rule_part){.name = entry->key, .parts.names.arena = &file->memory};
            *(parts->first == NULL ? &parts->first : &parts->last->next) = part;
            parts->last = part;
        }
        part->json = null ? (mls_str){NULL, 0} : given.value;
        part->source = source;
        if (level == SCOPES ? !null : level == MEMBERS && mls_str_equal(given.name, MLS_S("keys")))
            overlay(file, &part->parts, given.value, source, level + 1, rules);
    }
}

/* ---- compiling the merged files to a ruleset ---- */

static void *room_for(rule_file *file, size_t count, size_t size)
{
    return mls_arena_zeroed(&file->ruleset->memory, count, size);
}

static size_t count_items(mls_str json)
{
    size_t count = 0;
    mls_raw_member item;
    for (mls_json_walk walk = mls_json_walk_begin(json); mls_json_walk_next(&walk, &item);)
        count++;
    return count;
}

/* Return the index of a name in a map of the ruleset, to which it is added if necessary.  Set *kept to the map's copy
 * of the name. */
static uint32_t name_index(mls_map *map, mls_str name, mls_str *kept)
{
    const mls_map_entry *entry = mls_map_put(map, name, NULL);
    *kept = entry->key;
    return (uint32_t)(entry - map->entries);
}

/* Compile an expression.  `text` begins at byte `offset` of the JSON string `json`, which is needed for the position of
 * errors. */
static void compile_text(rule_file *file, mls_str json, mls_str text, size_t offset, mls_expr *expr)
{
    mls_error why = {0};
    if (file->status != MLS_OK)
        return;
    const mls_status status = mls_expr_compile(text, &file->scope->symbols, &file->ruleset->memory, expr, &why);
    if (status != MLS_OK && why.column == 0)
        fail(file, status, json.ptr, "%s", why.message);
    if (status != MLS_OK) {
        /* Find the position of the error in the JSON string.  If `json` is not a string, use its start. */
        const bool string = *json.ptr == '"';
        const char *at = json.ptr + string;
        for (size_t column = why.column + offset; string && column > 1 && *at != '"'; column--)
            at += *at != '\\' ? 1 : at[1] == 'u' ? 6 : 2;
        fail(file, status, at, "%s (column %zu of the expression)", why.message, why.column + offset);
    }
}

/* Compile an expression, which is given as a string or as an object {"lines": ["…", "…"]} whose lines are joined by
 * blanks. */
static void compile_expr(rule_file *file, mls_str json, mls_expr *expr)
{
    static const char *const names[] = {"lines", NULL};
    mls_arena *scratch = &file->memory;
    mls_str lines;
    mls_raw_member line;
    mls_buffer text = {0};
    if (mls_json_kind_of(json) != MLS_JSON_OBJECT) {
        compile_text(file, json, take_text(file, json, scratch, "an expression must be a string"), 0, expr);
        return;
    }
    take_members(file, json, names, &lines);
    mls_json_walk walk = mls_json_walk_begin(lines);
    if (walk.object || walk.at == walk.end || *walk.at == ']')
        wrong(file, json, "'lines' must be a list of strings");
    while (file->status == MLS_OK && mls_json_walk_next(&walk, &line)) {
        mls_buffer_append_text(&text, text.len > 0 ? " " : "");
        mls_buffer_append(&text, take_text(file, line.value, scratch, "'lines' must be a list of strings"));
    }
    compile_text(file, json, mls_buffer_str(&text), 0, expr);
    mls_buffer_release(&text);
}

/* Compile an expression or a list of them.  If `json` is missing, leave the list empty. */
static void compile_exprs(rule_file *file, mls_str json, mls_expr_list *list)
{
    if (json.ptr == NULL)
        return;
    mls_raw_member item = {.value = json};
    const bool several = mls_json_kind_of(json) == MLS_JSON_LIST;
    mls_json_walk walk = mls_json_walk_begin(json);
    list->count = several ? count_items(json) : 1;
    list->items = room_for(file, list->count, sizeof *list->items);
    for (size_t i = 0; file->status == MLS_OK && i < list->count; i++) {
        (void)(several && mls_json_walk_next(&walk, &item));
        compile_expr(file, item.value, &list->items[i]);
    }
}

static bool is_identifier(mls_str name)
{
    return name.len <= MLS_SCOPE_NAME_MAX && mls_str_is_name(name);
}

/* Return the index of the variable whose name is the JSON string `json`. */
static uint32_t compile_variable(rule_file *file, mls_str json)
{
    mls_str name = take_text(file, json, &file->memory, "\"set\" must name a variable, and \"to\" its new value");
    if (!is_identifier(name))
        fail(file, MLS_ERROR_VALUE, json.ptr, "'%.60s' cannot be the name of a variable", name.ptr);
    const uint32_t slot = file->status == MLS_OK ? name_index(&file->scope->symbols, name, &name) : 0;
    if (slot >= MLS_VARIABLES_PER_SCOPE_MAX) {
        fail(file, MLS_ERROR_LIMIT, json.ptr, "more than %d variables", MLS_VARIABLES_PER_SCOPE_MAX);
        return 0;
    }
    return slot;
}

static void compile_constant(rule_file *file, mls_str json, unsigned depth, mls_value *value)
{
    static const char wanted[] =
        "the initial value of a variable must be a number, string, boolean, null or a list of these";
    *value = (mls_value){.kind = mls_json_kind_of(json)};
    if (value->kind == MLS_JSON_BOOL) {
        value->as.boolean = *json.ptr == 't';
    } else if (value->kind == MLS_JSON_NUMBER) {
        value->is_integer = mls_json_is_integer(json);
        if (!mls_json_number(json, &value->as.number) || !isfinite(value->as.number))
            wrong(file, json, wanted);
    } else if (value->kind == MLS_JSON_STRING) {
        value->as.string = take_text(file, json, &file->ruleset->memory, wanted);
    } else if (value->kind == MLS_JSON_LIST && depth < BEGIN_DEPTH_MAX) {
        mls_raw_member item;
        mls_json_walk walk = mls_json_walk_begin(json);
        mls_value *items = room_for(file, count_items(json), sizeof *items);
        value->as.list.items = items;
        while (file->status == MLS_OK && mls_json_walk_next(&walk, &item))
            compile_constant(file, item.value, depth + 1, &items[value->as.list.count++]);
    } else if (value->kind != MLS_JSON_NULL) {
        wrong(file, json, wanted);
    }
}

/* Compile a list of actions, which is nested in `depth` levels of "if". */
static void compile_actions(rule_file *file, mls_str json, unsigned depth, mls_action **actions, size_t *count)
{
    enum { SET, TO, USE, IF, THEN, MEMBERS_COUNT };
    static const char *const names[] = {"set", "to", "use", "if", "then", NULL};
    mls_raw_member item;
    mls_json_walk walk = mls_json_walk_begin(json);
    const size_t wanted = count_items(json);
    if (mls_json_kind_of(json) != MLS_JSON_LIST || wanted > ACTIONS_MAX) {
        fail(file, MLS_ERROR_VALUE, json.ptr, "actions must be a list of at most %d", ACTIONS_MAX);
        return;
    }
    *actions = room_for(file, wanted, sizeof **actions);
    while (file->status == MLS_OK && mls_json_walk_next(&walk, &item)) {
        mls_str members[MEMBERS_COUNT];
        mls_action *action = &(*actions)[(*count)++];
        take_members(file, item.value, names, members);
        const bool set = members[SET].ptr != NULL;
        const bool use = members[USE].ptr != NULL;
        const bool condition = members[IF].ptr != NULL;
        if (set + use + condition != 1 || set != (members[TO].ptr != NULL) ||
            condition != (members[THEN].ptr != NULL)) {
            wrong(file, item.value,
                  "an action must be {\"set\": …, \"to\": …}, {\"use\": …} or {\"if\": …, \"then\": […]}");
        } else if (use) { /* the name of a scope, which may contain an expression in braces: "closed_{value}" */
            const mls_str text = take_text(file, members[USE], &file->ruleset->memory,
                                           "\"use\" names a scope, as in \"closed_{value}\"");
            const char *open = strchr(text.ptr, '{');
            const char *close = strrchr(text.ptr, '}');
            *action = (mls_action){.kind = MLS_ACTION_USE, .text = text, .prefix = text};
            file->rule->has_use = true;
            if (open != NULL && close > open) {
                action->has_expr = true;
                action->prefix.len = (size_t)(open - text.ptr);
                action->suffix = mls_str_from(close + 1);
                compile_text(file, members[USE], (mls_str){open + 1, (size_t)(close - open) - 1},
                             action->prefix.len + 1, &action->expr);
            } else if (open != NULL || close != NULL) {
                fail(file, MLS_ERROR_SYNTAX, members[USE].ptr, "braces do not match");
            }
        } else if (set) {
            action->slot = compile_variable(file, members[SET]);
            compile_expr(file, members[TO], &action->expr);
            if (file->status != MLS_OK)
                return;
            /* An action that sets $x to $x + [item] appends the item to the list in place, because copying a long list
             * for each record would be slow. */
            const mls_expr_node *root = action->expr.root;
            const bool append = root->op == MLS_EXPR_ADD && root->operands[0]->op == MLS_EXPR_VARIABLE &&
                                root->operands[0]->slot == action->slot && root->operands[1]->op == MLS_EXPR_LIST;
            action->kind = append ? MLS_ACTION_APPEND : MLS_ACTION_SET;
            if (file->setters[action->slot].key.ptr == NULL)
                file->setters[action->slot] = (mls_setter){file->rule->key, root->op == MLS_EXPR_VALUE};
        } else if (depth == ACTION_DEPTH_MAX) {
            fail(file, MLS_ERROR_LIMIT, item.value.ptr, "\"if\" nested more than %d deep", ACTION_DEPTH_MAX);
        } else {
            action->kind = MLS_ACTION_IF;
            compile_expr(file, members[IF], &action->expr);
            compile_actions(file, members[THEN], depth + 1, &action->actions, &action->action_count);
        }
    }
}

static int compare_texts(const void *left, const void *right)
{
    return mls_str_compare(*(const mls_str *)left, *(const mls_str *)right);
}

/* Compile the member "occurs" of a rule.  "at_least_one_or(b, c)" sets `others` and `either` of the rule. */
static void compile_occurs(rule_file *file, mls_str whole, mls_str json, mls_rule *rule)
{
    static const char wanted[] = "'occurs' must be \"exactly_one\", \"at_least_one\", \"at_least(n)\", "
                                 "\"at_least_one_or(other_key)\" or \"optional\"";
    const mls_str at_least = MLS_S("at_least(");
    const mls_str either = MLS_S("at_least_one_or(");
    const mls_str occurs = rule->occurs_text = take_text(file, json, &file->ruleset->memory, wanted);
    const bool once = mls_str_equal(occurs, MLS_S("exactly_one"));
    const bool closed = mls_str_ends(occurs, MLS_S(")"));
    mls_str keys[OTHERS_MAX] = {rule->key};
    rule->min = 1;
    rule->max = once ? 1 : SIZE_MAX;
    if (!closed || !mls_str_starts(occurs, either)) {
        if (mls_str_equal(occurs, MLS_S("optional"))) {
            rule->min = rule->max = 0;
        } else if (closed && mls_str_starts(occurs, at_least)) {
            if (!mls_size_parse((mls_str){occurs.ptr + at_least.len, occurs.len - at_least.len - 1}, &rule->min))
                wrong(file, whole, wanted);
        } else if (!once && !mls_str_equal(occurs, MLS_S("at_least_one"))) {
            wrong(file, whole, wanted);
        }
        return;
    }
    mls_str names = {occurs.ptr + either.len, occurs.len - either.len - 1};
    size_t count = 1;
    for (bool more = true; more && count < OTHERS_MAX; count++) {
        more = mls_str_cut(&names, ',', &keys[count]);
        keys[count] = mls_str_trim(keys[count], mls_is_blank);
        if (keys[count].len == 0) {
            wrong(file, whole, "at_least_one_or(…) must name other keys");
            return;
        }
    }
    mls_str *others = room_for(file, count - 1, sizeof *others);
    rule->others = others;
    rule->other_count = count - 1;
    for (size_t i = 1; i < count; i++)
        (void)name_index(&file->ruleset->key_names, keys[i], &others[i - 1]);
    mls_buffer all = {0};
    qsort(keys, count, sizeof *keys, compare_texts);
    for (size_t i = 0; i < count; i++) {
        mls_buffer_append_text(&all, i > 0 ? "|" : "");
        mls_buffer_append(&all, keys[i]);
    }
    rule->either = mls_arena_copy(&file->ruleset->memory, mls_buffer_str(&all));
    mls_buffer_release(&all);
}

static void compile_rule(rule_file *file, const rule_part *part, mls_rule *rule)
{
    enum { OCCURS, CHECK, CHECK_FIRST, CHECK_ANY, ADVICE, AFTER, PARTS };
    static const char *const names[] = {"occurs", "check", "check_first", "check_any", "advice", "after", NULL};
    static const char *const advice_names[] = {"check", "source", NULL};
    const mls_str json = part->json;
    mls_str members[PARTS] = {json};
    *rule = (mls_rule){.scope = (uint32_t)(file->scope - file->ruleset->scopes),
                       .first_only = mls_str_contains(part->name, MLS_S("submission_"))};
    file->rule = rule;
    rule->key_index = name_index(&file->ruleset->key_names, part->name, &rule->key);
    if (mls_json_kind_of(json) == MLS_JSON_OBJECT)
        take_members(file, json, names, members);
    else if (mls_json_kind_of(json) != MLS_JSON_STRING)
        wrong(file, json, "a rule must be an object, or a string for 'occurs'");
    if (members[OCCURS].ptr != NULL)
        compile_occurs(file, json, members[OCCURS], rule);
    compile_exprs(file, members[CHECK], &rule->check);
    compile_exprs(file, members[CHECK_FIRST], &rule->check_first);
    compile_exprs(file, members[CHECK_ANY], &rule->check_any);
    if (members[ADVICE].ptr != NULL) {
        mls_str advice[2];
        take_members(file, members[ADVICE], advice_names, advice);
        if (advice[0].ptr == NULL || advice[1].ptr == NULL)
            wrong(file, members[ADVICE], "\"advice\" needs \"check\" and \"source\"");
        compile_exprs(file, advice[0], &rule->advice);
        if (file->status == MLS_OK)
            rule->advice_source = take_text(file, advice[1], &file->ruleset->memory, "'source' must be a text");
    }
    if (members[AFTER].ptr != NULL)
        compile_actions(file, members[AFTER], 0, &rule->actions, &rule->action_count);
}

/* Return the JSON text of a member of a scope; ptr is NULL if the member does not exist. */
static mls_str member_of(const rule_part *scope, const char *name)
{
    const mls_map_entry *entry = mls_map_find(&scope->parts.names, mls_str_from(name));
    return entry != NULL ? ((const rule_part *)entry->value.pointer)->json : (mls_str){NULL, 0};
}

static void compile_scope(rule_file *file, const rule_part *from)
{
    static const char *const derive_names[] = {"key", "from", "group_by", "field", NULL};
    static const char derive_wanted[] =
        "\"derive\" needs \"key\" and \"from\" (keys), \"group_by\" and \"field\" (\"metadata.…\")";
    const mls_map_entry *keys = mls_map_find(&from->parts.names, MLS_S("keys"));
    const rule_parts *rules = keys != NULL ? &((const rule_part *)keys->value.pointer)->parts : &(rule_parts){0};
    const mls_str begin = member_of(from, "begin");
    const mls_str derived = member_of(from, "derive");
    const mls_str end = member_of(from, "end");
    mls_arena *memory = &file->ruleset->memory;
    mls_scope *scope = file->scope;
    mls_raw_member item;
    *scope = (mls_scope){.name = mls_arena_copy(memory, from->name), .symbols = {.arena = memory}};
    if (from->name.len == 0 || from->name.len > MLS_SCOPE_NAME_MAX)
        fail(file, MLS_ERROR_VALUE, from->json.ptr, "the name of a scope must have 1 to %d bytes", MLS_SCOPE_NAME_MAX);
    mls_json_walk walk = mls_json_walk_begin(begin);
    if (begin.ptr != NULL && !walk.object)
        wrong(file, begin, "'begin' must be an object of variables");
    while (file->status == MLS_OK && mls_json_walk_next(&walk, &item)) {
        const mls_str name = {item.name.ptr - 1, item.name.len + 2};
        const uint32_t slot = compile_variable(file, name);
        if (file->initial[slot].set)
            wrong(file, name, "duplicate variable");
        compile_constant(file, item.value, 0, &file->initial[slot].value);
        file->initial[slot].set = true;
    }
    scope->rules = room_for(file, rules->names.count, sizeof *scope->rules);
    for (const rule_part *rule = rules->first; file->status == MLS_OK && rule != NULL; rule = rule->next)
        if (rule->json.ptr != NULL)
            compile_rule(file, rule, &scope->rules[scope->rule_count++]);
    if (derived.ptr != NULL) {
        mls_derive *derive = &scope->derive;
        mls_str *const texts[] = {&derive->key, &derive->from, &derive->group_by, &derive->field};
        mls_str members[4];
        take_members(file, derived, derive_names, members);
        for (size_t i = 0; i < 4; i++) {
            const mls_str prefix = i < 2 ? (mls_str){"", 0} : MLS_S("metadata.");
            const mls_str json = members[i].ptr != NULL ? members[i] : derived;
            const mls_str text = take_text(file, json, memory, derive_wanted);
            *texts[i] = mls_str_rest(text, mls_str_starts(text, prefix) ? prefix.len : text.len);
            if (i >= 2 && !is_identifier(*texts[i]))
                wrong(file, derived, derive_wanted);
        }
        scope->derive_from = name_index(&file->ruleset->key_names, derive->from, &derive->from);
    }
    compile_exprs(file, end, &scope->end);
    for (size_t i = 0; file->status == MLS_OK && i < scope->end.count; i++)
        if ((scope->end.items[i].uses & MLS_EXPR_OF_RECORD) != 0)
            wrong(file, end, "'end' has no record: only $variables are available");
    for (size_t i = 0; file->status == MLS_OK && i < scope->symbols.count; i++) {
        if (!file->initial[i].set && file->setters[i].key.ptr == NULL) {
            fail(file, MLS_ERROR_VALUE, from->json.ptr,
                 "$%.60s has no value: neither \"begin\" nor a \"set\" defines it", scope->symbols.entries[i].key.ptr);
        }
    }
    if (file->status == MLS_OK) { /* after an error, there may be more variables than fit in the arrays */
        scope->initial = room_for(file, scope->symbols.count, sizeof *scope->initial);
        scope->setters = room_for(file, scope->symbols.count, sizeof *scope->setters);
        memcpy(scope->initial, file->initial, scope->symbols.count * sizeof *scope->initial);
        memcpy(scope->setters, file->setters, scope->symbols.count * sizeof *scope->setters);
        /* Clear the arrays for the next scope. */
        memset(file->initial, 0, scope->symbols.count * sizeof *scope->initial);
        memset(file->setters, 0, scope->symbols.count * sizeof *scope->setters);
    }
}

/* Load rules from an embedded edition, a file or a text.  Exactly one of `edition`, `path` and `text` is given. */
static mls_status load_rules(const mls_edition *edition, const char *path, mls_str text, mls_ruleset **loaded,
                             mls_error *error)
{
    mls_error ignored = {0};
    mls_ruleset *ruleset = mls_calloc(1, sizeof *ruleset);
    rule_file *file = mls_calloc(1, sizeof *file);
    mls_str json;
    file->error = error != NULL ? error : &ignored;
    file->ruleset = ruleset;
    file->scopes.names.arena = &file->memory;
    if (edition != NULL) {
        file->usage = edition->usage;
        add_embedded(file, mls_str_from(edition->name), NULL);
    } else if (path != NULL) {
        add_rule_file(file, mls_str_from(path), NULL);
    } else {
        source_add(file, (mls_str){NULL, 0}, false, text);
    }
    while (file->status == MLS_OK && (json = file->sources[file->source_count - 1].extends).ptr != NULL) {
        const mls_str name = take_text(file, json, &file->memory, "'extends' must name a round or a file");
        if (file->source_count == EXTENDS_MAX)
            fail(file, MLS_ERROR_LIMIT, json.ptr, "the chain of 'extends' has more than %d files", EXTENDS_MAX);
        else if (file->status == MLS_OK && mls_str_ends(name, MLS_S(".json")))
            add_rule_file(file, name, json.ptr);
        else if (file->status == MLS_OK)
            add_embedded(file, name, json.ptr);
    }
    for (size_t i = file->source_count; i > 0 && file->status == MLS_OK; i--) {
        size_t rules = 0;
        overlay(file, &file->scopes, file->sources[i - 1].scopes, &file->sources[i - 1], SCOPES, &rules);
    }
    const mls_phrase *phrases = mls_rule_phrases(&ruleset->memory);
    ruleset->usage = file->usage;
    ruleset->edition = mls_arena_copy(&ruleset->memory, file->edition);
    ruleset->base = mls_arena_copy(&ruleset->memory, file->base.ptr != NULL ? file->base : file->edition);
    ruleset->key_names.arena = &ruleset->memory;
    ruleset->scopes = room_for(file, file->scopes.names.count, sizeof *ruleset->scopes);
    for (const rule_part *scope = file->scopes.first; file->status == MLS_OK && scope != NULL; scope = scope->next) {
        if (scope->json.ptr != NULL && ruleset->scope_count == MLS_SCOPES_MAX) {
            fail(file, MLS_ERROR_LIMIT, scope->json.ptr, "more than %d scopes", MLS_SCOPES_MAX);
        } else if (scope->json.ptr != NULL) {
            file->scope = &ruleset->scopes[ruleset->scope_count++];
            compile_scope(file, scope);
            file->scope->phrases = phrases;
        }
    }
    /* For each key, list the rules of all scopes. */
    ruleset->keys = room_for(file, ruleset->key_names.count, sizeof *ruleset->keys);
    for (size_t s = ruleset->scope_count; s-- > 0;) {
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
    for (mls_key key = 0; key < MLS_KEY_COUNT; key++)
        ruleset->key_of_id[key] = mls_ruleset_find_key(ruleset, mls_key_text(key));
    ruleset->common = mls_ruleset_find_scope(ruleset, MLS_S("common"));
    if (ruleset->common == SIZE_MAX)
        wrong(file, file->sources[0].scopes, "there must be a scope named \"common\"");
    const mls_status status = file->status;
    mls_arena_release(&file->memory);
    free(file);
    if (status != MLS_OK) {
        mls_ruleset_free(ruleset);
        ruleset = NULL;
    }
    *loaded = ruleset;
    return status;
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
