/* SPDX-License-Identifier: Apache-2.0 */
/*
 * checker_state.c - what outlives a record: variables, findings in waiting, and
 * which scopes are still in play.
 */
#include <stdlib.h>
#include <string.h>

#include "rules/checker.h"

/* ---------------------------------------------------------------- values that outlive their record */

/* Roughly the bytes that a copy of the value takes.  Trees come from a validator that bounds their depth. */
size_t mls_value_size(const mls_value *value)
{
    size_t size = sizeof *value;
    if (value->kind == MLS_JSON_STRING) {
        size += value->as.string.len;
    } else if (value->kind == MLS_JSON_LIST) {
        for (size_t i = 0; i < value->as.list.count; i++) {
            size += mls_value_size(&value->as.list.items[i]);
        }
    } else if (value->kind == MLS_JSON_OBJECT) {
        for (size_t i = 0; i < value->as.object.count; i++) {
            size += sizeof(mls_member) + value->as.object.members[i].name.len;
            size += mls_value_size(value->as.object.members[i].value);
        }
    }
    return size;
}

static bool object_copy(const mls_value *value, mls_arena *arena, mls_value *copy)
{
    const size_t count = value->as.object.count;
    mls_member *members = mls_arena_array(arena, count, sizeof *members);
    mls_value *values = mls_arena_array(arena, count, sizeof *values);
    if (members == NULL || values == NULL) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        members[i] = (mls_member){mls_arena_copy(arena, value->as.object.members[i].name), &values[i]};
        if (members[i].name.ptr == NULL || !mls_value_copy(value->as.object.members[i].value, arena, &values[i])) {
            return false;
        }
    }
    copy->as.object.members = members;
    return true;
}

bool mls_value_copy(const mls_value *value, mls_arena *arena, mls_value *copy)
{
    *copy = *value;
    if (value->kind == MLS_JSON_STRING) {
        copy->as.string = mls_arena_copy(arena, value->as.string);
        return copy->as.string.ptr != NULL;
    }
    if (value->kind == MLS_JSON_OBJECT) {
        return object_copy(value, arena, copy);
    }
    if (value->kind != MLS_JSON_LIST) {
        return true;
    }
    mls_value *items = mls_arena_array(arena, value->as.list.count, sizeof *items);
    if (items == NULL) {
        return false;
    }
    for (size_t i = 0; i < value->as.list.count; i++) {
        if (!mls_value_copy(&value->as.list.items[i], arena, &items[i])) {
            return false;
        }
    }
    copy->as.list.items = items;
    return true;
}

/* ---------------------------------------------------------------- variables */

static bool variable_too_large(mls_checker *checker)
{
    static const char text[] = "the variable would hold more than 1 MiB";
    memcpy(checker->input.reason, text, sizeof text);
    return false;
}

bool mls_variable_set(const mls_judging *j, size_t slot, const mls_value *value)
{
    mls_variable *variable = &j->state->variables[slot];
    mls_store *store = &j->state->stores[slot];
    if (value->kind != MLS_JSON_STRING && value->kind != MLS_JSON_LIST && value->kind != MLS_JSON_OBJECT) {
        *variable = (mls_variable){*value, true};
        return true;
    }
    const size_t size = mls_value_size(value);
    if (size > MLS_VARIABLE_SIZE_MAX) {
        return variable_too_large(j->checker);
    }
    mls_store fresh = {.size = size}; /* the new value may look at the old one: keep that until it is copied */
    mls_value copy;
    if (!mls_value_copy(value, &fresh.memory, &copy)) {
        mls_arena_release(&fresh.memory);
        j->checker->out_of_memory = true;
        return false;
    }
    mls_arena_release(&store->memory);
    *store = fresh;
    *variable = (mls_variable){copy, true};
    return true;
}

/* Makes room for `extra` more items in a list that a variable owns. */
static bool store_reserve(mls_store *store, mls_variable *variable, size_t extra)
{
    const size_t count = variable->value.as.list.count;
    if (store->items != NULL && store->items == variable->value.as.list.items && count + extra <= store->capacity) {
        return true;
    }
    const size_t capacity = (count + extra) * 2 + 16;
    mls_value *items = mls_arena_array(&store->memory, capacity, sizeof *items);
    if (items == NULL) {
        return false;
    }
    if (count > 0) {
        memcpy(items, variable->value.as.list.items, count * sizeof *items);
    }
    store->items = items;
    store->capacity = capacity;
    variable->value.as.list.items = items;
    return true;
}

bool mls_variable_append(const mls_judging *j, size_t slot, const mls_value *items)
{
    mls_variable *variable = &j->state->variables[slot];
    mls_store *store = &j->state->stores[slot];
    const size_t size = mls_value_size(items);
    if (size > MLS_VARIABLE_SIZE_MAX || store->size > MLS_VARIABLE_SIZE_MAX - size) {
        return variable_too_large(j->checker);
    }
    mls_value copy;
    if (!mls_value_copy(items, &store->memory, &copy) || !store_reserve(store, variable, items->as.list.count)) {
        j->checker->out_of_memory = true;
        return false;
    }
    store->size += size;
    for (size_t i = 0; i < copy.as.list.count; i++) {
        store->items[variable->value.as.list.count++] = copy.as.list.items[i];
    }
    return true;
}

/* ---------------------------------------------------------------- findings in waiting */

void mls_judging_stage(const mls_judging *j, mls_staged_list *list, mls_finding_code code, mls_buffer *message)
{
    list->errors++;
    if (list->kept < MLS_STAGED_PER_RULE_MAX) {
        mls_buffer_printf(message, " (%s, %s)", j->scope->name.ptr, j->checker->ruleset->edition.ptr);
        mls_staged *staged = mls_arena_alloc(&j->state->memory, sizeof *staged);
        const mls_str copy = mls_arena_copy(&j->state->memory, mls_buffer_str(message));
        if (staged == NULL || copy.ptr == NULL || message->failed) {
            j->checker->out_of_memory = true;
        } else {
            *staged = (mls_staged){.code = code, .message = copy, .line = j->record->line, .column = j->record->column};
            *(list->last != NULL ? &list->last->next : &list->first) = staged;
            list->last = staged;
            list->kept++;
        }
    }
    mls_buffer_release(message);
}

/* ---------------------------------------------------------------- scopes */

void mls_scope_state_release(const mls_scope *scope, mls_scope_state *state)
{
    state->live = false;
    for (size_t i = 0; state->stores != NULL && i < scope->symbols.count; i++) {
        mls_arena_release(&state->stores[i].memory);
    }
    state->stores = NULL;
    for (size_t i = 0; i < state->groups.count; i++) {
        free(state->groups.items[i].members);
    }
    free(state->groups.items);
    free(state->groups.table);
    state->groups = (mls_groups){0};
    mls_arena_release(&state->memory);
}

void mls_checker_release_scopes(mls_checker *checker)
{
    if (checker->scopes != NULL) {
        for (size_t i = 0; i < checker->ruleset->scope_count; i++) {
            mls_scope_state_release(&checker->ruleset->scopes[i], &checker->scopes[i]);
        }
        checker->scopes = NULL;
    }
}

static void *state_zeroed(mls_arena *arena, size_t count, size_t size)
{
    void *memory = mls_arena_array(arena, count, size);
    if (memory != NULL) {
        memset(memory, 0, count * size);
    }
    return memory;
}

bool mls_scope_prepare(mls_checker *checker, size_t scope_index)
{
    const mls_scope *scope = &checker->ruleset->scopes[scope_index];
    mls_scope_state *state = &checker->scopes[scope_index];
    if (state->rules != NULL) {
        return true;
    }
    state->variables = mls_arena_array(&checker->memory, scope->symbols.count, sizeof *state->variables);
    state->stores = state_zeroed(&checker->memory, scope->symbols.count, sizeof *state->stores);
    state->rules = state_zeroed(&checker->memory, scope->rule_count, sizeof *state->rules);
    if (state->variables == NULL || state->stores == NULL || state->rules == NULL) {
        checker->out_of_memory = true;
        state->rules = NULL;
        return false;
    }
    if (scope->symbols.count > 0) {
        memcpy(state->variables, scope->initial, scope->symbols.count * sizeof *state->variables);
    }
    return true;
}

bool mls_checker_prepare(mls_checker *checker)
{
    const mls_ruleset *ruleset = checker->ruleset;
    checker->keys = state_zeroed(&checker->memory, ruleset->key_count, sizeof *checker->keys);
    checker->order = mls_arena_array(&checker->memory, ruleset->scope_count, sizeof *checker->order);
    mls_scope_state *scopes = state_zeroed(&checker->memory, ruleset->scope_count, sizeof *scopes);
    if (checker->keys == NULL || checker->order == NULL || scopes == NULL) {
        return false;
    }
    checker->scopes = scopes;
    mls_checker_update_live(checker); /* nothing has fired: whatever could ever be queued */
    return true;
}

/* Puts a scope on the list of those to look at, once. */
static void state_reach(mls_checker *checker, bool *reached, size_t scope)
{
    if (!reached[scope]) {
        reached[scope] = true;
        checker->order[checker->order_count++] = scope;
    }
}

static void reach_actions(mls_checker *checker, bool *reached, const mls_action *actions, size_t count)
{
    for (size_t a = 0; a < count; a++) {
        for (size_t c = 0; c < actions[a].candidate_count; c++) {
            state_reach(checker, reached, actions[a].candidates[c]);
        }
        reach_actions(checker, reached, actions[a].actions, actions[a].action_count);
    }
}

/*
 * Finds the scopes that are queued or may still be, and drops the others.  A
 * rule that looks only at the first record of its key queues nothing more once
 * that record has come.
 */
void mls_checker_update_live(mls_checker *checker)
{
    const mls_ruleset *ruleset = checker->ruleset;
    bool reached[MLS_SCOPES_MAX] = {false};
    checker->order_count = 0;
    state_reach(checker, reached, ruleset->common);
    for (size_t at = 0; at < checker->order_count; at++) {
        const mls_scope *scope = &ruleset->scopes[checker->order[at]];
        const mls_scope_state *state = &checker->scopes[checker->order[at]];
        for (size_t i = 0; i < state->use_count; i++) {
            if (state->uses[i].scope != SIZE_MAX) {
                state_reach(checker, reached, state->uses[i].scope);
            }
        }
        for (size_t r = 0; r < scope->rule_count; r++) {
            const mls_rule *rule = &scope->rules[r];
            if (rule->has_use && !(rule->first_only && checker->keys[rule->key_index].count > 0)) {
                reach_actions(checker, reached, rule->actions, rule->action_count);
            }
        }
    }
    checker->order_count = 0;
    for (size_t i = 0; i < ruleset->scope_count; i++) {
        mls_scope_state *state = &checker->scopes[i];
        if (reached[i]) {
            state->live = true;
        } else if (state->live) {
            mls_scope_state_release(&ruleset->scopes[i], state);
        }
    }
}
