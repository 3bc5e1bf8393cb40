/* SPDX-License-Identifier: Apache-2.0 */
/* checker_derive.c - records made up from others.
 *
 * The records of one key that belong together (the metrics of one evaluation) become one record at the end of the log,
 * whose value holds all of them. */
#include <math.h>

#include "rules/judging.h"

enum {
    GROUPS_MAX = 4096, /* derived records of one scope */
    GROUP_MEMBERS_MAX = 64,
    DERIVED_SIZE_MAX = 4 << 20 /* bytes of values kept for derived records */
};

/* The value of a record to be made; its first member is what it is grouped by, unless a metric took that name. */
typedef struct derived_group {
    double time_ms;
    mls_member *members;
    size_t count;
    size_t capacity;
} derived_group;

/* Sets a member of a group.  False when there is no room, or memory runs out. */
static bool put_member(mls_checker *checker, mls_scope_state *state, derived_group *group, mls_str name,
                       const mls_value *value)
{
    size_t room = DERIVED_SIZE_MAX - state->groups_size;
    size_t at = 0;
    while (at < group->count && !mls_str_equal(group->members[at].name, name)) {
        at++;
    }
    if (at > GROUP_MEMBERS_MAX || name.len > room) {
        return false;
    }
    room -= name.len;
    mls_value *copy = mls_arena_alloc(&state->memory, sizeof *copy);
    const mls_str kept = mls_arena_copy(&state->memory, name);
    const bool grown =
        mls_arena_grow(&state->memory, (void **)&group->members, at, &group->capacity, sizeof *group->members);
    if (!mls_checker_room(checker, copy) || !mls_checker_room(checker, grown ? kept.ptr : NULL) ||
        !mls_value_copy(checker, value, &state->memory, &room, copy)) {
        return false;
    }
    group->members[at] = (mls_member){kept, copy};
    group->count += at == group->count;
    state->groups_size = DERIVED_SIZE_MAX - room;
    return true;
}

/* The group of a value, made when it is new; NULL when there is no room, or memory runs out. */
static derived_group *find_group(mls_checker *checker, mls_scope_state *state, mls_str group_by, const mls_value *by)
{
    /* No text starts with such a byte.  NaN is not even like itself. */
    char bytes[1 + sizeof(double)] = {'\xff'};
    double number;
    mls_str key = {bytes, 1};
    if (mls_value_number(by, &number)) {
        bytes[0] = isnan(number) ? '\xfe' : '\xff';
        number = isnan(number) ? (double)state->groups.count : number + 0.0; /* -0 and 0 are one */
        memcpy(bytes + 1, &number, sizeof number);
        key.len = sizeof bytes;
    } else if (by->kind == MLS_JSON_STRING) {
        key = by->as.string;
    }
    state->groups.arena = &state->memory;
    mls_map_entry *entry = mls_map_find(&state->groups, key);
    if (entry != NULL || state->groups.count == GROUPS_MAX) {
        return entry != NULL ? entry->value.pointer : NULL;
    }
    derived_group *group = mls_arena_alloc(&state->memory, sizeof *group);
    if (!mls_checker_room(checker, group)) {
        return NULL;
    }
    *group = (derived_group){.time_ms = -INFINITY};
    if (!put_member(checker, state, group, group_by, by)) {
        return NULL;
    }
    entry = mls_map_put(&state->groups, key, NULL);
    if (!mls_checker_room(checker, entry)) {
        return NULL;
    }
    entry->value.pointer = group;
    return group;
}

static bool is_compound(const mls_value *value)
{
    return value->kind == MLS_JSON_LIST || value->kind == MLS_JSON_OBJECT;
}

void mls_derive_record(mls_checker *checker, size_t scope, const mls_record *record)
{
    const mls_derive *derive = &checker->ruleset->scopes[scope].derive;
    mls_scope_state *state = &checker->scopes[scope];
    const mls_value *metadata = mls_expr_input_tree(&checker->input, MLS_EXPR_METADATA);
    const mls_value *value = mls_expr_input_tree(&checker->input, MLS_EXPR_VALUE);
    const mls_value *field = mls_value_member(metadata, derive->field);
    const mls_value *by = mls_value_member(metadata, derive->group_by);
    if (metadata == NULL || value == NULL) {
        return; /* the input has noted that memory ran out */
    }
    /* A text or list may hold the field's name, but no member of that name. */
    const bool object = metadata->kind == MLS_JSON_OBJECT;
    if (object ? field == NULL : metadata->kind == MLS_JSON_STRING || metadata->kind == MLS_JSON_LIST) {
        return;
    }
    mls_finding_code code = MLS_FINDING_EVALUATION;
    const char *wrong = !object              ? "has no metadata"
                        : by == NULL         ? "is missing in its metadata"
                        : is_compound(by)    ? "is neither a number nor a string"
                        : is_compound(field) ? "has a metric without a name"
                                             : NULL;
    derived_group *group = wrong == NULL ? find_group(checker, state, derive->group_by, by) : NULL;
    if (group != NULL) {
        group->time_ms = fmax(record->time_ms, group->time_ms);
    }
    /* A member under another name than a string is never asked for. */
    if (wrong == NULL && (group == NULL || (field->kind == MLS_JSON_STRING &&
                                            !put_member(checker, state, group, field->as.string, value)))) {
        code = MLS_FINDING_TOO_MUCH;
        wrong = "has too many different values";
    }
    const mls_rule *rule = checker->ruleset->scopes[scope].derived_rule;
    if (wrong != NULL && rule != NULL && !checker->out_of_memory) {
        const mls_judging j = mls_judging_of(checker, rule, record);
        mls_buffer message = {0};
        mls_buffer_printf(&message, "%s cannot be put together: %s of %s %s", derive->key.ptr, derive->group_by.ptr,
                          derive->from.ptr, wrong);
        mls_judging_stage(&j, &j.rule_state->others, code, &message);
    }
}

void mls_derive_finish(mls_checker *checker, size_t scope_index)
{
    const mls_scope *scope = &checker->ruleset->scopes[scope_index];
    mls_scope_state *state = &checker->scopes[scope_index];
    const mls_rule *rule = scope->derived_rule;
    for (size_t i = 0; rule != NULL && i < state->groups.count; i++) {
        const derived_group *group = state->groups.entries[i].value.pointer;
        const mls_value value = {.kind = MLS_JSON_OBJECT, .as.object = {group->members, group->count}};
        const mls_value metadata = {.kind = MLS_JSON_OBJECT};
        const mls_member members[] = {{MLS_S("key"), &metadata},
                                      {MLS_S("value"), &value},
                                      {MLS_S("metadata"), &metadata},
                                      {MLS_S("time_ms"), &metadata}};
        const mls_value whole = {.kind = MLS_JSON_OBJECT, .as.object = {members, 4}};
        mls_buffer shown = {0};
        mls_value_show(&shown, &value);
        const mls_record record = {.time_ms = group->time_ms,
                                   .key = scope->derive.key,
                                   .value = mls_buffer_str(&shown),
                                   .metadata = MLS_S("{}")};
        mls_checker_turn_to(checker, &record);
        checker->input.parts[MLS_EXPR_VALUE].tree = &value;
        checker->input.parts[MLS_EXPR_METADATA].tree = &metadata;
        checker->input.parts[MLS_EXPR_RECORD].tree = &whole;
        const mls_judging j = mls_judging_of(checker, rule, &record);
        mls_rule_apply(&j, i == 0 && checker->keys[rule->key_index].count == 0);
        mls_buffer_release(&shown);
    }
    mls_checker_turn_to(checker, NULL);
}
