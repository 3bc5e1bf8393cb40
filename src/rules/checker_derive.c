/* SPDX-License-Identifier: Apache-2.0 */
/*
 * checker_derive.c - records made up from others.
 *
 * The records of one key that belong together (the metrics of one evaluation)
 * become one record at the end of the log, whose value holds all of them.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "rules/checker.h"

enum { MLS_GROUP_SLOTS = 2 * MLS_GROUPS_MAX };

static void derive_fail(mls_checker *checker, size_t scope_index, const mls_record *record, mls_finding_code code,
                        const char *what)
{
    const mls_scope *scope = &checker->ruleset->scopes[scope_index];
    const size_t key = mls_ruleset_find_key(checker->ruleset, scope->derive.key);
    const mls_rule *rule = key != SIZE_MAX ? mls_scope_find_rule(checker->ruleset, scope_index, key) : NULL;
    if (rule == NULL) {
        return; /* nothing looks at the records that are made */
    }
    const mls_judging j = mls_judging_of(checker, scope_index, (size_t)(rule - scope->rules), record);
    mls_buffer message = {0};
    mls_buffer_printf(&message, "%s cannot be put together: %s of %s %s", scope->derive.key.ptr,
                      scope->derive.group_by.ptr, scope->derive.from.ptr, what);
    mls_judging_stage(&j, &j.rule_state->others, code, &message);
}

static uint64_t group_hash(const mls_value *by)
{
    double number = 0;
    if (mls_value_number(by, &number)) {
        number += 0.0; /* -0 and 0 are one */
        return mls_str_hash((mls_str){(const char *)&number, sizeof number}, 0);
    }
    return by->kind == MLS_JSON_STRING ? mls_str_hash(by->as.string, 0) : 0;
}

/* The group of a value, made when it is new; NULL when there are too many or memory runs out. */
static mls_group *group_find(mls_checker *checker, mls_scope_state *state, const mls_value *by)
{
    mls_groups *groups = &state->groups;
    if (groups->table == NULL) {
        groups->table = calloc(MLS_GROUP_SLOTS, sizeof *groups->table);
        groups->items = calloc(MLS_GROUPS_MAX, sizeof *groups->items);
        if (groups->table == NULL || groups->items == NULL) {
            checker->out_of_memory = true;
            return NULL;
        }
    }
    size_t slot = group_hash(by) % MLS_GROUP_SLOTS;
    for (; groups->table[slot] != 0; slot = (slot + 1) % MLS_GROUP_SLOTS) {
        mls_group *group = &groups->items[groups->table[slot] - 1];
        if (mls_value_equal(&group->by, by)) {
            return group;
        }
    }
    const size_t size = mls_value_size(by);
    if (groups->count == MLS_GROUPS_MAX || size > MLS_DERIVED_SIZE_MAX - groups->size) {
        groups->full = true;
        return NULL;
    }
    mls_group *group = &groups->items[groups->count];
    *group = (mls_group){.time_ms = -INFINITY};
    if (!mls_value_copy(by, &state->memory, &group->by)) {
        checker->out_of_memory = true;
        return NULL;
    }
    groups->size += size;
    groups->table[slot] = (uint16_t)++groups->count;
    return group;
}

/* Puts a value into a group; a member of that name is replaced. */
static bool group_put(mls_checker *checker, mls_scope_state *state, mls_group *group, mls_str name,
                      const mls_value *value)
{
    mls_groups *groups = &state->groups;
    const size_t size = mls_value_size(value) + name.len;
    size_t at = 0;
    while (at < group->count && !mls_str_equal(group->members[at].name, name)) {
        at++;
    }
    if (at == MLS_GROUP_MEMBERS_MAX || size > MLS_DERIVED_SIZE_MAX - groups->size) {
        groups->full = true;
        return false;
    }
    if (at == group->count) {
        if (!mls_grow((void **)&group->members, group->count, &group->capacity, sizeof *group->members)) {
            checker->out_of_memory = true;
            return false;
        }
        group->members[at].name = mls_arena_copy(&state->memory, name);
        checker->out_of_memory |= group->members[at].name.ptr == NULL;
        group->count++;
    }
    groups->size += size;
    if (!mls_value_copy(value, &state->memory, &group->members[at].value)) {
        checker->out_of_memory = true;
    }
    return !checker->out_of_memory;
}

void mls_derive_record(mls_checker *checker, size_t scope_index, const mls_record *record)
{
    const mls_derive *derive = &checker->ruleset->scopes[scope_index].derive;
    mls_scope_state *state = &checker->scopes[scope_index];
    const mls_value *metadata = mls_value_build(record->metadata, &checker->scratch);
    const mls_value *value = mls_expr_input_tree(&checker->input, MLS_EXPR_VALUE);
    if (metadata == NULL || value == NULL) {
        checker->out_of_memory = true;
        return;
    }
    if (metadata->kind == MLS_JSON_STRING || metadata->kind == MLS_JSON_LIST) {
        return; /* may hold the field's name, but no member of that name */
    }
    if (metadata->kind != MLS_JSON_OBJECT) {
        derive_fail(checker, scope_index, record, MLS_FINDING_EVALUATION, "has no metadata");
        return;
    }
    const mls_value *field = mls_value_member(metadata, derive->field);
    if (field == NULL) {
        return;
    }
    const mls_value *by = mls_value_member(metadata, derive->group_by);
    if (by == NULL || by->kind == MLS_JSON_LIST || by->kind == MLS_JSON_OBJECT) {
        derive_fail(checker, scope_index, record, MLS_FINDING_EVALUATION,
                    by == NULL ? "is missing in its metadata" : "is no number or string");
        return;
    }
    if (field->kind == MLS_JSON_LIST || field->kind == MLS_JSON_OBJECT) {
        derive_fail(checker, scope_index, record, MLS_FINDING_EVALUATION, "has a metric without a name");
        return;
    }
    mls_group *group = group_find(checker, state, by);
    const bool named =
        field->kind == MLS_JSON_STRING; /* a member under another name than a string is never asked for */
    if (group != NULL) {
        group->time_ms = record->time_ms > group->time_ms ? record->time_ms : group->time_ms;
        if (named) {
            (void)group_put(checker, state, group, field->as.string, value);
        }
    }
    if (state->groups.full) {
        derive_fail(checker, scope_index, record, MLS_FINDING_TOO_MUCH, "has too many different values");
        state->groups.full = false;
    }
}

/* The value of a group's record: the value it is grouped by first, unless a metric took its name. */
static bool group_value(mls_checker *checker, const mls_derive *derive, const mls_group *group, mls_value *value)
{
    mls_member *members = mls_arena_array(&checker->scratch, group->count + 1, sizeof *members);
    if (members == NULL) {
        return false;
    }
    members[0] = (mls_member){derive->group_by, &group->by};
    size_t count = 1;
    for (size_t i = 0; i < group->count; i++) {
        const mls_group_member *member = &group->members[i];
        const size_t at = mls_str_equal(member->name, derive->group_by) ? 0 : count++;
        members[at] = (mls_member){member->name, &member->value};
    }
    *value = (mls_value){.kind = MLS_JSON_OBJECT, .as.object = {members, count}};
    return true;
}

void mls_derive_finish(mls_checker *checker, size_t scope_index)
{
    const mls_scope *scope = &checker->ruleset->scopes[scope_index];
    mls_scope_state *state = &checker->scopes[scope_index];
    const size_t key = mls_ruleset_find_key(checker->ruleset, scope->derive.key);
    const mls_rule *rule = key != SIZE_MAX ? mls_scope_find_rule(checker->ruleset, scope_index, key) : NULL;
    for (size_t i = 0; rule != NULL && i < state->groups.count; i++) {
        mls_value value;
        mls_arena_reset(&checker->scratch);
        if (!group_value(checker, &scope->derive, &state->groups.items[i], &value)) {
            checker->out_of_memory = true;
            return;
        }
        mls_buffer shown = {0};
        mls_value_show(&shown, &value);
        const mls_value metadata = {.kind = MLS_JSON_OBJECT};
        const mls_member members[] = {{MLS_S("key"), &metadata},
                                      {MLS_S("value"), &value},
                                      {MLS_S("metadata"), &metadata},
                                      {MLS_S("time_ms"), &metadata}};
        const mls_value whole = {.kind = MLS_JSON_OBJECT, .as.object = {members, 4}};
        const mls_record record = {.time_ms = state->groups.items[i].time_ms,
                                   .key = scope->derive.key,
                                   .value = mls_buffer_str(&shown),
                                   .metadata = MLS_S("{}")};
        mls_expr_input_begin(&checker->input, &record);
        checker->input.parts[MLS_EXPR_VALUE].tree = &value;
        checker->input.parts[MLS_EXPR_METADATA].tree = &metadata;
        checker->input.parts[MLS_EXPR_RECORD].tree = &whole;
        const mls_judging j = mls_judging_of(checker, scope_index, (size_t)(rule - scope->rules), &record);
        mls_rule_apply(&j, i == 0 && checker->keys[key].count == 0);
        mls_buffer_release(&shown);
    }
    mls_expr_input_begin(&checker->input, NULL);
}
