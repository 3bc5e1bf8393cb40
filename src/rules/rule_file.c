/* SPDX-License-Identifier: Apache-2.0 */
/* rule_file.c - reads a rule file and what it extends, and lays one over the other: a scope or rule of a newer file
 * replaces that of an older one, and null drops it. */
#include "rules/rule_file.h"

#include <stdio.h>

#include "base/data.h"
#include "base/file.h"
#include "base/utf8.h"

enum { STEPS_MAX = 16, SHOWN_MAX = 60 };

/* "rule lora_rank of scope closed_x: check: ", from the names on the way to a byte of the file. */
static void describe_place(mls_str json, const char *at, mls_buffer *out)
{
    mls_str names[STEPS_MAX];
    size_t count = 0;
    mls_raw_member member;
    for (mls_json_walk walk = mls_json_walk_begin(json); count < STEPS_MAX && mls_json_walk_next(&walk, &member);) {
        /* a byte of its own name belongs to the scope or rule, of other names to what holds them */
        const bool named = (count == 1 || count == 3) && member.name.ptr != NULL && at == member.name.ptr - 1;
        if (named || (at >= member.value.ptr && at < member.value.ptr + member.value.len)) {
            names[count] = member.name;
            count += member.name.ptr != NULL;
            walk = mls_json_walk_begin(named ? (mls_str){NULL, 0} : member.value);
        }
    }
    const size_t inner = count > 2 && mls_str_equal(names[2], MLS_S("keys")) ? 3 : 2;
    if (count > inner) {
        mls_buffer_append_text(out, inner == 3 ? "rule " : "");
        mls_utf8_append_cut(out, names[inner], SHOWN_MAX);
        mls_buffer_append_text(out, " of ");
    }
    if (count > 1) {
        mls_buffer_append_text(out, "scope ");
        mls_utf8_append_cut(out, names[1], SHOWN_MAX);
        mls_buffer_append_text(out, ": ");
    }
    for (size_t i = inner + 1; i < count; i++) {
        mls_buffer_printf(out, "%.*s: ", (int)names[i].len, names[i].ptr);
    }
}

void mls_rule_fail(mls_rule_file *file, mls_status status, const char *at, const char *format, ...)
{
    mls_error *error = file->error;
    mls_buffer message = {0};
    const mls_rule_source *source = NULL;
    if (file->status != MLS_OK) {
        return;
    }
    for (size_t i = 0; i < file->source_count && source == NULL && at != NULL; i++) {
        const mls_str text = file->sources[i].text;
        source = at >= text.ptr && at <= text.ptr + text.len ? &file->sources[i] : NULL;
    }
    if (source != NULL && source != file->sources && source->name.ptr != NULL) {
        mls_buffer_printf(&message, "in %s: ", source->name.ptr);
    }
    if (source != NULL) {
        describe_place(source->json, at, &message);
    }
    va_list args;
    va_start(args, format);
    mls_buffer_vprintf(&message, format, args);
    va_end(args);
    file->status = mls_error_set(error, status, 0, 0, "%s", message.ptr != NULL ? message.ptr : mls_reason_memory);
    mls_buffer_release(&message);
    if (source != NULL) {
        mls_text_position(source->text, (size_t)(at - source->text.ptr), &error->line, &error->column);
    }
}

void mls_rule_wrong(mls_rule_file *file, mls_str json, const char *what)
{
    mls_rule_fail(file, MLS_ERROR_VALUE, json.ptr, "%s", what);
}

bool mls_rule_room(mls_rule_file *file, const void *there)
{
    if (there == NULL && file->status == MLS_OK) {
        file->status = mls_error_memory(file->error);
    }
    return file->status == MLS_OK;
}

/* Which of `names`, that end with NULL, a member has; the end for "comment", which may stand everywhere. */
static size_t find_name(mls_rule_file *file, const char *const *names, mls_str name)
{
    size_t i = 0;
    while (names[i] != NULL && !mls_str_equal(name, mls_str_from(names[i]))) {
        i++;
    }
    if (names[i] == NULL && !mls_str_equal(name, MLS_S("comment"))) {
        mls_rule_fail(file, MLS_ERROR_VALUE, name.ptr - 1, "'%.*s' means nothing here", MLS_CUT(name, SHOWN_MAX));
    }
    return i;
}

void mls_rule_members(mls_rule_file *file, mls_str json, const char *const *names, mls_str *members)
{
    mls_raw_member member;
    mls_json_walk walk = mls_json_walk_begin(json);
    for (size_t i = 0; names[i] != NULL; i++) {
        members[i] = (mls_str){NULL, 0};
    }
    while (walk.object && mls_json_walk_next(&walk, &member)) {
        const size_t i = find_name(file, names, member.name);
        if (names[i] != NULL && members[i].ptr != NULL) {
            mls_rule_fail(file, MLS_ERROR_VALUE, member.name.ptr - 1, "'%s' stands here twice", names[i]);
        } else if (names[i] != NULL) {
            members[i] = member.value;
        }
    }
}

mls_str mls_rule_text(mls_rule_file *file, mls_str json, mls_arena *arena, const char *otherwise)
{
    mls_str text = {"", 0};
    if (mls_json_kind_of(json) != MLS_JSON_STRING) {
        mls_rule_wrong(file, json, otherwise);
    } else if (!mls_json_string(json, arena, &text)) {
        (void)mls_rule_room(file, NULL);
        text = (mls_str){"", 0};
    } else if (memchr(text.ptr, '\0', text.len) != NULL) {
        mls_rule_wrong(file, json, "a text may not hold \\u0000");
    }
    return text;
}

/* Looks at the members of a source's top; the newest of the published editions is what the file builds on. */
static void source_top(mls_rule_file *file, mls_rule_source *source)
{
    static const char *const names[] = {"usage", "edition", "extends", "scopes", NULL};
    static const char *const wanted[] = {"'usage' must say \"training\" or \"hpc\"",
                                         "'edition' must name the edition, as in \"5.1.0\""};
    const bool first = source == file->sources;
    mls_str members[4];
    mls_str texts[2] = {{NULL, 0}};
    if (mls_json_kind_of(source->json) != MLS_JSON_OBJECT) {
        mls_rule_wrong(file, source->json, "a rule file is a JSON object");
    }
    mls_rule_members(file, source->json, names, members);
    source->extends = members[2];
    source->scopes = members[3];
    for (size_t i = 0; i < 2 && (first || source->embedded); i++) {
        const mls_str json = members[i].ptr != NULL ? members[i] : source->json;
        texts[i] = mls_rule_text(file, json, &file->memory, wanted[i]);
        if (i == 0 ? !mls_usage_from_name(texts[0], &file->usage) : texts[1].len == 0 || texts[1].len > 32) {
            mls_rule_wrong(file, json, wanted[i]);
        }
    }
    file->edition = first ? texts[1] : file->edition;
    file->base = file->base.ptr == NULL && source->embedded ? texts[1] : file->base;
}

/* Adds a source, once: `at` is what asks for it. */
static void source_add(mls_rule_file *file, mls_str name, bool embedded, mls_str text)
{
    mls_rule_source *source = &file->sources[file->source_count];
    size_t where;
    *source = (mls_rule_source){.name = name, .embedded = embedded};
    const char *reason = mls_json_validate(text, &file->memory, &source->json, &where);
    if (reason == NULL) {
        source->text = (mls_str){source->json.ptr - where, text.len};
        file->source_count++;
        source_top(file, source);
    } else if (mls_rule_room(file, reason != mls_reason_memory ? reason : NULL)) {
        const bool named = file->source_count > 0 && name.ptr != NULL;
        mls_rule_fail(file, MLS_ERROR_SYNTAX, NULL, "%s%sthis is not JSON: %s", named ? name.ptr : "",
                      named ? ": " : "", reason);
        mls_text_position(text, where, &file->error->line, &file->error->column);
    }
}

/* Whether a source has not come yet; `at` is what asks for it. */
static bool source_is_new(mls_rule_file *file, mls_str name, bool embedded, const char *at)
{
    for (size_t i = 0; mls_rule_room(file, name.ptr) && i < file->source_count; i++) {
        if (file->sources[i].embedded == embedded && mls_str_equal(file->sources[i].name, name)) {
            mls_rule_fail(file, MLS_ERROR_VALUE, at, "%s extends itself", file->sources[i].name.ptr);
        }
    }
    return file->status == MLS_OK;
}

/* The rules of an edition: "5.0.0", or "5.0" for short. */
static void add_embedded(mls_rule_file *file, mls_str edition, const char *at)
{
    static const char *const endings[] = {"", ".0"};
    const char *usage = mls_usage_name(file->usage);
    for (int i = 0; i < 2; i++) {
        char name[128];
        (void)snprintf(name, sizeof name, "rules/%s-%.*s%s.json", usage, MLS_CUT(edition, SHOWN_MAX), endings[i]);
        const mls_str text = mls_data_find(name);
        if (text.ptr != NULL) {
            const mls_str kept = mls_arena_copy(&file->memory, mls_str_from(name));
            if (source_is_new(file, kept, true, at)) {
                source_add(file, kept, true, text);
            }
            return;
        }
    }
    mls_rule_fail(file, MLS_ERROR_UNKNOWN, at, "there are no rules of %s %.*s to extend", usage,
                  MLS_CUT(edition, SHOWN_MAX));
}

/* A file; `at` is what names it in the one before, beside which it is looked for, and NULL for the first, which alone
 * may be a pipe. */
static void add_rule_file(mls_rule_file *file, mls_str name, const char *at)
{
    const char *from = at != NULL && name.ptr[0] != '/' ? file->sources[file->source_count - 1].name.ptr : NULL;
    mls_buffer text = {0};
    mls_error why;
    mls_buffer_append(&text, mls_path_folder(mls_str_from(from)));
    mls_buffer_append(&text, name);
    const mls_str path = mls_arena_copy(&file->memory, mls_buffer_str(&text));
    mls_status status = text.failed ? MLS_ERROR_MEMORY : MLS_OK;
    mls_buffer_clear(&text);
    if (mls_rule_room(file, status == MLS_OK ? &path : NULL) && source_is_new(file, path, false, at)) {
        status = mls_file_read(path.ptr, at == NULL, MLS_RULE_FILE_MAX, &text, &why);
        if (status == MLS_OK) {
            source_add(file, path, false, mls_buffer_str(&text));
        } else if (mls_rule_room(file, status != MLS_ERROR_MEMORY ? &why : NULL)) {
            const char *unopened = why.system_errno != 0                                      ? "cannot be opened: "
                                   : mls_str_starts(mls_str_from(why.message), MLS_S("not ")) ? "is "
                                                                                              : "";
            file->status =
                mls_error_set(file->error, status, 0, 0, "the rule file %s %s%s", path.ptr, unopened, why.message);
            if (file->error != NULL) {
                file->error->system_errno = why.system_errno;
            }
        }
    }
    mls_buffer_release(&text);
}

/* Reads what the last source extends, and what that extends, and so on. */
static void follow_extends(mls_rule_file *file)
{
    mls_str json;
    while (file->status == MLS_OK && (json = file->sources[file->source_count - 1].extends).ptr != NULL) {
        const mls_str name = mls_rule_text(file, json, &file->memory, "'extends' must name an edition or a file");
        if (file->source_count == MLS_EXTENDS_MAX) {
            mls_rule_fail(file, MLS_ERROR_LIMIT, json.ptr, "more than %d files extend each other", MLS_EXTENDS_MAX);
        } else if (file->status == MLS_OK && mls_str_ends(name, MLS_S(".json"))) {
            add_rule_file(file, name, json.ptr);
        } else if (file->status == MLS_OK) {
            add_embedded(file, name, json.ptr);
        }
    }
}

static bool is_null(mls_str json)
{
    return mls_json_kind_of(json) == MLS_JSON_NULL;
}

/* The levels at which files are laid over each other: the scopes, what stands in one, and the rules under its "keys".
 */
enum { SCOPES, MEMBERS, RULES };

/* The part of that name with what `source` says of it; NULL after a failure. */
static mls_rule_part *part_overlay(mls_rule_file *file, mls_rule_parts *parts, const mls_raw_member *given,
                                   const mls_rule_source *source, int level)
{
    const mls_str quoted = {given->name.ptr - 1, given->name.len + 2};
    const mls_str name = mls_rule_text(file, quoted, &file->memory, "");
    mls_map_entry *entry = file->status == MLS_OK ? mls_map_put(&parts->names, name, NULL) : NULL;
    if (!mls_rule_room(file, entry) || entry == NULL) {
        return NULL;
    }
    mls_rule_part *part = entry->value.pointer;
    const bool is_there = part != NULL && part->json.ptr != NULL;
    if (part != NULL && part->source == source) {
        mls_rule_wrong(file, quoted,
                       level == SCOPES    ? "this scope stands twice in the file"
                       : level == MEMBERS ? "this stands twice in the scope"
                                          : "this rule stands twice in the scope");
    }
    if (is_null(given->value) && !is_there) {
        mls_rule_fail(file, MLS_ERROR_VALUE, level == MEMBERS ? given->value.ptr : quoted.ptr,
                      "what is extended has %s to drop", level == SCOPES ? "no such scope" : "nothing of this name");
    }
    if (!is_there) {
        entry->value.pointer = part = mls_arena_alloc(&file->memory, sizeof *part);
        if (!mls_rule_room(file, part) || part == NULL) {
            return NULL;
        }
        *part = (mls_rule_part){.name = entry->key, .parts.names.arena = &file->memory};
        *(parts->first == NULL ? &parts->first : &parts->last->next) = part;
        parts->last = part;
    }
    part->json = is_null(given->value) ? (mls_str){NULL, 0} : given->value;
    part->source = source;
    return part;
}

/* Lays an object of `source` over what the older files said; *rules counts those of the source. */
static void overlay(mls_rule_file *file, mls_rule_parts *parts, mls_str json, const mls_rule_source *source, int level,
                    size_t *rules)
{
    static const char *const names[] = {"begin", "derive", "end", "keys", NULL};
    static const char *const wanted[] = {"'scopes' must be an object of scopes",
                                         "a scope must be an object, or null to drop it",
                                         "'keys' must be an object of rules"};
    mls_raw_member given;
    mls_json_walk walk = mls_json_walk_begin(json);
    if (!walk.object) {
        mls_rule_wrong(file, json.ptr != NULL ? json : source->json, wanted[level]);
    }
    for (size_t count = 1; file->status == MLS_OK && mls_json_walk_next(&walk, &given); count++) {
        if (level == SCOPES && count > MLS_SCOPES_MAX) {
            mls_rule_fail(file, MLS_ERROR_LIMIT, given.name.ptr - 1, "more than %d scopes", MLS_SCOPES_MAX);
        }
        if (level == RULES && (count > MLS_RULES_PER_SCOPE_MAX || ++*rules > MLS_RULES_PER_FILE_MAX)) {
            mls_rule_fail(file, MLS_ERROR_LIMIT, given.name.ptr - 1, "more than %d rules in a scope, or %d in a file",
                          MLS_RULES_PER_SCOPE_MAX, MLS_RULES_PER_FILE_MAX);
        }
        const bool comment = level == MEMBERS && names[find_name(file, names, given.name)] == NULL;
        const bool keys = level == MEMBERS && mls_str_equal(given.name, MLS_S("keys"));
        mls_rule_part *part = comment ? NULL : part_overlay(file, parts, &given, source, level);
        if (part != NULL && (keys || (level == SCOPES && !is_null(given.value)))) {
            overlay(file, &part->parts, given.value, source, level + 1, rules);
        }
    }
}

void mls_rule_file_read(mls_rule_file *file, const mls_edition *edition, const char *path, mls_str text)
{
    file->scopes.names.arena = &file->memory;
    if (edition != NULL) {
        file->usage = edition->usage;
        add_embedded(file, mls_str_from(edition->name), NULL);
    } else if (path != NULL) {
        add_rule_file(file, mls_str_from(path), NULL);
    } else {
        source_add(file, (mls_str){NULL, 0}, false, text);
    }
    follow_extends(file);
    for (size_t i = file->source_count; i > 0 && file->status == MLS_OK; i--) {
        size_t rules = 0;
        overlay(file, &file->scopes, file->sources[i - 1].scopes, &file->sources[i - 1], SCOPES, &rules);
    }
}
