/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rule_file.c - reads a rule file and what it extends, and lays one over the
 * other: a scope or rule of a newer file replaces that of an older one, and
 * null drops it.
 */
#include "rules/rule_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/data.h"
#include "base/file.h"
#include "base/utf8.h"

/* ---------------------------------------------------------------- errors */

/* "rule lora_rank of scope closed_x: check: " */
static void describe_place(const mls_rule_file *file, mls_buffer *out)
{
    size_t from = 0;
    if (file->scope.ptr == NULL) {
        return;
    }
    if (file->rule.ptr != NULL) {
        mls_buffer_append_text(out, "rule ");
        mls_utf8_append_cut(out, file->rule, 60);
        mls_buffer_append_text(out, " of ");
    } else if (file->step_count > 0) {
        mls_buffer_printf(out, "%s of ", file->steps[from++]);
    }
    mls_buffer_append_text(out, "scope ");
    mls_utf8_append_cut(out, file->scope, 60);
    mls_buffer_append_text(out, ": ");
    for (; from < file->step_count && from < MLS_RULE_STEPS_MAX; from++) {
        mls_buffer_printf(out, "%s: ", file->steps[from]);
    }
}

/* Moves from the opening quote of a string over `count` bytes of its decoded text. */
static const char *string_byte(const char *at, const char *end, size_t count)
{
    for (at++; count > 0 && at + 1 < end && *at != '"'; count--) {
        at += *at != '\\' ? 1 : at[1] == 'u' ? 6 : 2;
    }
    return at < end ? at : end;
}

void mls_rule_fail(mls_rule_file *file, mls_status status, const char *at, size_t expr_column, const char *format, ...)
{
    if (file->status != MLS_OK) {
        return;
    }
    file->status = status;
    mls_buffer message = {0};
    const mls_rule_source *source = NULL;
    for (size_t i = 0; i < file->source_count && source == NULL && at != NULL; i++) {
        const mls_str text = file->sources[i].text;
        source = at >= text.ptr && at <= text.ptr + text.len ? &file->sources[i] : NULL;
    }
    if (source != NULL && source != file->sources && source->name.ptr != NULL) {
        mls_buffer_printf(&message, "in %s: ", source->name.ptr);
    }
    describe_place(file, &message);
    va_list args;
    va_start(args, format);
    mls_buffer_vprintf(&message, format, args);
    va_end(args);
    if (expr_column > 0) {
        mls_buffer_printf(&message, " (column %zu of the expression)", expr_column);
    }
    (void)mls_error_set(file->error, status, 0, 0, "%s", message.ptr != NULL ? message.ptr : "out of memory");
    mls_buffer_release(&message);
    if (source != NULL && file->error != NULL) {
        const mls_str text = source->text;
        if (expr_column > 0 && *at == '"') {
            at = string_byte(at, text.ptr + text.len, expr_column - 1);
        }
        mls_text_position(text, (size_t)(at - text.ptr), &file->error->line, &file->error->column);
    }
}

void mls_rule_fail_memory(mls_rule_file *file)
{
    if (file->status == MLS_OK) {
        file->status = mls_error_memory(file->error);
    }
}

/* ---------------------------------------------------------------- members and texts */

/* A member's name as it stands between its quotes; for messages. */
static int shown(mls_str name)
{
    return name.len > 60 ? 60 : (int)name.len;
}

static void member_wrong(mls_rule_file *file, mls_str name, bool twice)
{
    mls_rule_fail(file, MLS_ERROR_VALUE, name.ptr - 1, 0,
                  twice ? "'%.*s' stands here twice" : "'%.*s' means nothing here", shown(name), name.ptr);
}

void mls_rule_check_members(mls_rule_file *file, mls_str json, const char *const *allowed)
{
    uint32_t seen = 0;
    mls_raw_member member;
    mls_json_walk walk = mls_json_walk_begin(json);
    while (walk.object && mls_json_walk_next(&walk, &member)) {
        uint32_t i = 0;
        while (allowed[i] != NULL && !mls_str_equal(member.name, mls_str_from(allowed[i]))) {
            i++;
        }
        const bool twice = (seen >> i & 1) != 0;
        if (twice || (allowed[i] == NULL && !mls_str_equal(member.name, MLS_S("comment")))) {
            member_wrong(file, member.name, twice);
        }
        seen |= (uint32_t)1 << i;
    }
}

bool mls_rule_member(mls_str object, const char *name, mls_str *json)
{
    *json = (mls_str){NULL, 0};
    return mls_json_member(object, mls_str_from(name), json);
}

mls_str mls_rule_text(mls_rule_file *file, mls_str json, mls_arena *arena, const char *otherwise)
{
    mls_str text = {"", 0};
    if (json.ptr == NULL || mls_json_kind_of(json) != MLS_JSON_STRING) {
        mls_rule_fail(file, MLS_ERROR_VALUE, json.ptr, 0, "%s", otherwise);
    } else if (!mls_json_string(json, arena, &text)) {
        mls_rule_fail_memory(file);
        return (mls_str){"", 0};
    } else if (memchr(text.ptr, '\0', text.len) != NULL) {
        mls_rule_fail(file, MLS_ERROR_VALUE, json.ptr, 0, "a text may not hold \\u0000");
    }
    return text;
}

/* A name decoded into the file's memory. */
static mls_str member_name(mls_rule_file *file, const mls_raw_member *member)
{
    const mls_str quoted = {member->name.ptr - 1, member->name.len + 2};
    return mls_rule_text(file, quoted, &file->memory, "");
}

/* ---------------------------------------------------------------- sources */

/* Finds the members of a source's top in one step through it, for it is long. */
static void source_members(mls_rule_file *file, mls_rule_source *source)
{
    const struct {
        mls_str name;
        mls_str *json;
    } members[] = {{MLS_S("usage"), &source->usage},
                   {MLS_S("edition"), &source->edition},
                   {MLS_S("extends"), &source->extends},
                   {MLS_S("scopes"), &source->scopes}};
    enum { COUNT = sizeof members / sizeof *members };
    mls_raw_member member;
    mls_json_walk walk = mls_json_walk_begin(source->json);
    while (walk.object && mls_json_walk_next(&walk, &member)) {
        size_t i = 0;
        while (i < COUNT && !mls_str_equal(member.name, members[i].name)) {
            i++;
        }
        if (i < COUNT && members[i].json->ptr == NULL) {
            *members[i].json = member.value;
        } else if (i < COUNT || !mls_str_equal(member.name, MLS_S("comment"))) {
            member_wrong(file, member.name, i < COUNT);
        }
    }
}

/* Adds a source, checks that it is JSON, and its top. */
static void source_add(mls_rule_file *file, mls_str name, bool embedded, mls_str text)
{
    mls_rule_source *source = &file->sources[file->source_count];
    size_t where;
    const size_t mark = mls_str_starts(text, MLS_S("\xef\xbb\xbf")) ? 3 : 0; /* of the byte order */
    text = (mls_str){text.ptr + mark, text.len - mark};
    *source = (mls_rule_source){.name = name, .embedded = embedded};
    const char *reason = mls_json_validate(text, &file->memory, &source->json, &where);
    if (reason == mls_reason_memory) {
        mls_rule_fail_memory(file);
    } else if (reason != NULL) {
        const bool named = file->source_count > 0 && name.ptr != NULL;
        mls_rule_fail(file, MLS_ERROR_SYNTAX, NULL, 0, "%s%sthis is not JSON: %s", named ? name.ptr : "",
                      named ? ": " : "", reason);
        if (file->error != NULL) {
            mls_text_position(text, where, &file->error->line, &file->error->column);
        }
    } else {
        source->text = (mls_str){source->json.ptr - where, text.len};
        file->source_count++;
        if (mls_json_kind_of(source->json) != MLS_JSON_OBJECT) {
            mls_rule_fail(file, MLS_ERROR_VALUE, source->json.ptr, 0, "a rule file is a JSON object");
        }
        source_members(file, source);
    }
}

/* Whether a source of that name has come; `at` is what asks for it again. */
static bool source_is_new(mls_rule_file *file, mls_str name, bool embedded, const char *at)
{
    for (size_t i = 0; i < file->source_count; i++) {
        if (file->sources[i].embedded == embedded && file->sources[i].name.ptr != NULL &&
            mls_str_equal(file->sources[i].name, name)) {
            mls_rule_fail(file, MLS_ERROR_VALUE, at, 0, "%s extends itself", file->sources[i].name.ptr);
        }
    }
    return file->status == MLS_OK;
}

/* The rules of an edition: "5.0.0", or "5.0" for short. */
static void add_embedded(mls_rule_file *file, const char *usage, mls_str edition, const char *at)
{
    char name[128];
    for (int i = 0; i < 2; i++) {
        (void)snprintf(name, sizeof name, "rules/%s-%.*s%s.json", usage, shown(edition), edition.ptr,
                       i == 0 ? "" : ".0");
        const mls_str text = mls_data_find(name);
        if (text.ptr != NULL) {
            const mls_str kept = mls_arena_copy(&file->memory, mls_str_from(name));
            if (kept.ptr == NULL) {
                mls_rule_fail_memory(file);
            } else if (source_is_new(file, kept, true, at)) {
                source_add(file, kept, true, text);
            }
            return;
        }
    }
    mls_rule_fail(file, MLS_ERROR_UNKNOWN, at, 0, "there are no rules of %s %.*s to extend", usage, shown(edition),
                  edition.ptr);
}

/* A file; `at` is what names it in the one before, and NULL for the first, which alone may be a pipe. */
static void add_file(mls_rule_file *file, mls_str path, const char *at)
{
    mls_buffer text = {0};
    mls_error why;
    if (!source_is_new(file, path, false, at)) {
        return;
    }
    const mls_status status = mls_file_read(path.ptr, at == NULL, MLS_RULE_FILE_MAX, &text, &why);
    if (status == MLS_OK) {
        source_add(file, path, false, mls_buffer_str(&text));
    } else if (status == MLS_ERROR_MEMORY) {
        mls_rule_fail_memory(file);
    } else {
        file->status = why.system_errno != 0
                           ? mls_error_set_errno(file->error, status, why.system_errno,
                                                 "the rule file %s cannot be opened", path.ptr)
                           : mls_error_set(file->error, status, 0, 0, "the rule file %s %s", path.ptr, why.message);
    }
    mls_buffer_release(&text);
}

/* `extends` names a file: it is looked for beside the file that names it. */
static void add_beside(mls_rule_file *file, mls_str name, const char *at)
{
    const mls_str from = file->sources[file->source_count - 1].name;
    const char *slash = from.ptr != NULL && name.ptr[0] != '/' ? strrchr(from.ptr, '/') : NULL;
    mls_buffer path = {0};
    if (slash != NULL) {
        mls_buffer_append(&path, (mls_str){from.ptr, (size_t)(slash - from.ptr) + 1});
    }
    mls_buffer_append(&path, name);
    const mls_str kept = path.failed ? (mls_str){NULL, 0} : mls_arena_copy(&file->memory, mls_buffer_str(&path));
    mls_buffer_release(&path);
    if (kept.ptr == NULL) {
        mls_rule_fail_memory(file);
    } else {
        add_file(file, kept, at);
    }
}

/* Reads what the last source extends, and what that extends, and so on. */
static void follow_extends(mls_rule_file *file)
{
    const mls_str top = file->sources[0].json;
    mls_str json = file->sources[0].usage;
    const mls_str usage = json.ptr != NULL && json.len >= 2 ? (mls_str){json.ptr + 1, json.len - 2} : json;
    if (mls_json_kind_of(json) != MLS_JSON_STRING || !mls_usage_from_name(usage, &file->usage)) {
        mls_rule_fail(file, MLS_ERROR_VALUE, json.ptr != NULL ? json.ptr : top.ptr, 0,
                      "'usage' must say \"training\" or \"hpc\"");
    }
    while (file->status == MLS_OK && (json = file->sources[file->source_count - 1].extends).ptr != NULL) {
        const mls_str name = mls_rule_text(file, json, &file->memory, "'extends' must name an edition or a file");
        if (file->source_count == MLS_EXTENDS_MAX) {
            mls_rule_fail(file, MLS_ERROR_LIMIT, json.ptr, 0, "more than %d files extend each other", MLS_EXTENDS_MAX);
        } else if (file->status == MLS_OK && mls_str_ends(name, MLS_S(".json"))) {
            add_beside(file, name, json.ptr);
        } else if (file->status == MLS_OK) {
            add_embedded(file, mls_usage_name(file->usage), name, json.ptr);
        }
    }
}

/* What the file calls itself, and the newest of the published editions among the sources. */
static void read_names(mls_rule_file *file)
{
    static const char otherwise[] = "'edition' must name the edition, as in \"5.1.0\"";
    mls_str json;
    for (size_t i = file->source_count; i > 0 && file->status == MLS_OK; i--) {
        const mls_rule_source *source = &file->sources[i - 1];
        if (i > 1 && !source->embedded) {
            continue;
        }
        json = source->edition.ptr != NULL ? source->edition : source->json;
        file->edition = mls_rule_text(file, json, &file->memory, otherwise);
        if (file->edition.len == 0 || file->edition.len > 32) {
            mls_rule_fail(file, MLS_ERROR_VALUE, json.ptr, 0, otherwise);
        }
        file->base = source->embedded ? file->edition : file->base;
    }
}

/* ---------------------------------------------------------------- merging */

/* Lays one part over what the older files said of it; `what` names it in messages. */
static void part_overlay(mls_rule_file *file, mls_rule_part *part, const mls_raw_member *member,
                         const mls_rule_source *source, const char *twice, const char *what)
{
    const char *at = member->name.ptr - 1;
    const bool drop = mls_json_kind_of(member->value) == MLS_JSON_NULL;
    if (part->source == source) {
        mls_rule_fail(file, MLS_ERROR_VALUE, at, 0, "%s", twice);
    } else if (drop && part->json.ptr == NULL) {
        mls_rule_fail(file, MLS_ERROR_VALUE, at, 0, "what is extended has %s to drop", what);
    }
    if (part->json.ptr == NULL) {
        part->order = ++file->order;
    }
    part->source = source;
    part->json = drop ? (mls_str){NULL, 0} : member->value;
}

/* The part of that name in a map, made of `size` zero bytes when it is new; NULL when memory runs out. */
static mls_rule_part *part_of(mls_rule_file *file, mls_map *map, const mls_raw_member *member, size_t size)
{
    const mls_str name = member_name(file, member);
    mls_map_entry *entry = file->status == MLS_OK ? mls_map_put(map, name, NULL) : NULL;
    if (entry != NULL && entry->value.pointer == NULL) {
        mls_rule_part *part = mls_arena_alloc(&file->memory, size);
        if (part != NULL) {
            memset(part, 0, size);
            part->name = name;
        }
        entry->value.pointer = part;
    }
    if (entry == NULL || entry->value.pointer == NULL) {
        mls_rule_fail_memory(file);
        return NULL;
    }
    return entry->value.pointer;
}

static void keys_overlay(mls_rule_file *file, mls_rule_scope *scope, mls_str keys, const mls_rule_source *source,
                         size_t *rules)
{
    mls_raw_member member;
    mls_json_walk walk = mls_json_walk_begin(keys);
    if (!walk.object) {
        mls_rule_fail(file, MLS_ERROR_VALUE, keys.ptr, 0, "'keys' must be an object of rules");
    }
    for (size_t count = 1; file->status == MLS_OK && mls_json_walk_next(&walk, &member); count++) {
        if (count > MLS_RULES_PER_SCOPE_MAX || ++*rules > MLS_RULES_PER_FILE_MAX) {
            mls_rule_fail(file, MLS_ERROR_LIMIT, member.name.ptr - 1, 0,
                          "more than %d rules in a scope, or %d in a file", MLS_RULES_PER_SCOPE_MAX,
                          MLS_RULES_PER_FILE_MAX);
        }
        mls_rule_part *part = part_of(file, &scope->keys, &member, sizeof *part);
        if (part != NULL) {
            file->rule = part->name;
            part_overlay(file, part, &member, source, "this rule stands twice in the scope", "nothing of this name");
        }
    }
    file->rule = (mls_str){NULL, 0};
}

static void scope_overlay(mls_rule_file *file, const mls_raw_member *given, const mls_rule_source *source,
                          size_t *rules)
{
    const mls_json_kind kind = mls_json_kind_of(given->value);
    mls_raw_member member;
    mls_rule_scope *scope = (mls_rule_scope *)part_of(file, &file->scopes, given, sizeof *scope);
    if (scope == NULL) {
        return;
    }
    file->scope = scope->self.name;
    if (kind != MLS_JSON_NULL && kind != MLS_JSON_OBJECT) {
        mls_rule_fail(file, MLS_ERROR_VALUE, given->value.ptr, 0, "a scope must be an object, or null to drop it");
    }
    part_overlay(file, &scope->self, given, source, "this scope stands twice in the file", "no such scope");
    if (kind == MLS_JSON_NULL) {
        *scope = (mls_rule_scope){.self = scope->self};
    }
    scope->keys.arena = &file->memory;
    bool keys = false;
    for (mls_json_walk walk = mls_json_walk_begin(given->value);
         file->status == MLS_OK && mls_json_walk_next(&walk, &member);) {
        mls_rule_part *part = mls_str_equal(member.name, MLS_S("begin"))    ? &scope->begin
                              : mls_str_equal(member.name, MLS_S("derive")) ? &scope->derive
                              : mls_str_equal(member.name, MLS_S("end"))    ? &scope->end
                                                                            : NULL;
        if (part != NULL) {
            part_overlay(file, part, &member, source, "this stands twice in the scope", "nothing of this name");
        } else if (!keys && mls_str_equal(member.name, MLS_S("keys"))) {
            keys_overlay(file, scope, member.value, source, rules);
            keys = true;
        } else if (!mls_str_equal(member.name, MLS_S("comment"))) {
            member_wrong(file, member.name, mls_str_equal(member.name, MLS_S("keys")));
        }
    }
}

static int compare_orders(const void *left, const void *right)
{
    const mls_rule_part *const *a = left;
    const mls_rule_part *const *b = right;
    return ((*a)->order > (*b)->order) - ((*a)->order < (*b)->order);
}

const mls_rule_part **mls_rule_parts(mls_rule_file *file, const mls_map *map, size_t *count)
{
    const mls_rule_part **parts = mls_arena_array(&file->memory, map->count, sizeof *parts);
    *count = 0;
    if (parts == NULL) {
        mls_rule_fail_memory(file);
        return NULL;
    }
    for (size_t i = 0; i < map->count; i++) {
        const mls_rule_part *part = map->entries[i].value.pointer;
        if (part->json.ptr != NULL) {
            parts[(*count)++] = part;
        }
    }
    qsort((void *)parts, *count, sizeof *parts, compare_orders);
    return parts;
}

static void sources_merge(mls_rule_file *file)
{
    for (size_t i = file->source_count; i > 0 && file->status == MLS_OK; i--) {
        const mls_rule_source *source = &file->sources[i - 1];
        const mls_str scopes = source->scopes;
        mls_raw_member scope;
        size_t rules = 0;
        size_t count = 0;
        mls_json_walk walk = {0};
        if (scopes.ptr != NULL) {
            walk = mls_json_walk_begin(scopes);
        }
        if (!walk.object) {
            mls_rule_fail(file, MLS_ERROR_VALUE, scopes.ptr != NULL ? scopes.ptr : source->json.ptr, 0,
                          "'scopes' must be an object of at most %d scopes", MLS_SCOPES_MAX);
        }
        while (file->status == MLS_OK && mls_json_walk_next(&walk, &scope)) {
            if (++count > MLS_SCOPES_MAX) {
                mls_rule_fail(file, MLS_ERROR_LIMIT, scope.name.ptr - 1, 0, "more than %d scopes", MLS_SCOPES_MAX);
            }
            scope_overlay(file, &scope, source, &rules);
            file->scope = (mls_str){NULL, 0};
        }
    }
}

void mls_rule_file_read(mls_rule_file *file, const mls_edition *edition, const char *path, mls_str text)
{
    file->scopes.arena = &file->memory;
    if (edition != NULL) {
        add_embedded(file, mls_usage_name(edition->usage), mls_str_from(edition->name), NULL);
    } else if (path != NULL) {
        const mls_str name = mls_arena_copy(&file->memory, mls_str_from(path));
        if (name.ptr == NULL) {
            mls_rule_fail_memory(file);
        } else {
            add_file(file, name, NULL);
        }
    } else {
        source_add(file, (mls_str){NULL, 0}, false, text);
    }
    if (file->status == MLS_OK) {
        follow_extends(file);
    }
    read_names(file);
    sources_merge(file);
}

void mls_rule_file_release(mls_rule_file *file)
{
    mls_arena_release(&file->memory);
}
