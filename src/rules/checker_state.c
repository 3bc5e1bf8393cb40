/* SPDX-License-Identifier: Apache-2.0 */
/* checker_state.c - what outlives a record: variables, findings in waiting, and which scopes are still in play. */
#include <string.h>

#include "rules/judging.h"

/* ---------------------------------------------------------------- values that outlive their record */

/* Trees come from a validator that bounds their depth. */
bool mls_value_copy(mls_checker *checker, const mls_value *value, mls_arena *arena, size_t *room, mls_value *copy)
{
    const bool object = value->kind == MLS_JSON_OBJECT;
    const mls_member *from = object ? value->as.object.members : NULL;
    const size_t count = object ? value->as.object.count : value->kind == MLS_JSON_LIST ? value->as.list.count : 0;
    const size_t size = sizeof *value + (value->kind == MLS_JSON_STRING ? value->as.string.len : 0);
    if (size > *room || count > (*room - size) / sizeof *value) {
        return false;
    }
    *room -= size;
    *copy = *value;
    if (value->kind == MLS_JSON_STRING) {
        copy->as.string = mls_arena_copy(arena, value->as.string);
        checker->out_of_memory |= copy->as.string.ptr == NULL;
    }
    if (count == 0) {
        return !checker->out_of_memory;
    }
    mls_value *items = mls_arena_array(arena, count, sizeof *items);
    mls_member *members = object ? mls_arena_array(arena, count, sizeof *members) : NULL;
    checker->out_of_memory |= items == NULL || (object && members == NULL);
    for (size_t i = 0; i < count && !checker->out_of_memory; i++) {
        if (!mls_value_copy(checker, object ? from[i].value : &value->as.list.items[i], arena, room, &items[i])) {
            return false;
        }
        if (object) {
            const size_t named = sizeof *members + from[i].name.len;
            if (named > *room) {
                return false;
            }
            *room -= named;
            members[i] = (mls_member){mls_arena_copy(arena, from[i].name), &items[i]};
            checker->out_of_memory |= members[i].name.ptr == NULL;
        }
    }
    if (object) {
        copy->as.object.members = members;
    } else {
        copy->as.list.items = items;
    }
    return !checker->out_of_memory;
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
    mls_store *store = &j->state->stores[slot];
    mls_store fresh = {0}; /* the new value may look at the old one: keep that until it is copied */
    size_t room = MLS_VARIABLE_SIZE_MAX;
    mls_value copy;
    if (!mls_value_copy(j->checker, value, &fresh.memory, &room, &copy)) {
        mls_arena_release(&fresh.memory);
        return variable_too_large(j->checker);
    }
    fresh.size = MLS_VARIABLE_SIZE_MAX - room;
    mls_arena_release(&store->memory);
    *store = fresh;
    j->state->variables[slot] = (mls_variable){copy, true};
    return true;
}

bool mls_variable_append(const mls_judging *j, size_t slot, const mls_value *items)
{
    mls_value *list = &j->state->variables[slot].value;
    mls_store *store = &j->state->stores[slot];
    size_t room = MLS_VARIABLE_SIZE_MAX - store->size;
    mls_value copy;
    if (!mls_value_copy(j->checker, items, &store->memory, &room, &copy)) {
        return variable_too_large(j->checker);
    }
    store->size = MLS_VARIABLE_SIZE_MAX - room;
    if (store->items != list->as.list.items) { /* another's list, of which growing makes a copy */
        store->items = (mls_value *)(uintptr_t)list->as.list.items;
        store->capacity = 0;
    }
    for (size_t i = 0; i < copy.as.list.count; i++) {
        if (!mls_arena_grow(&store->memory, (void **)&store->items, list->as.list.count, &store->capacity,
                            sizeof *store->items)) {
            j->checker->out_of_memory = true;
            return false;
        }
        store->items[list->as.list.count++] = copy.as.list.items[i];
    }
    list->as.list.items = store->items;
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
    state->groups = (mls_map){0};
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

bool mls_scope_prepare(mls_checker *checker, size_t scope_index)
{
    const mls_scope *scope = &checker->ruleset->scopes[scope_index];
    mls_scope_state *state = &checker->scopes[scope_index];
    if (state->rules != NULL) {
        return true;
    }
    state->variables = mls_arena_array(&checker->memory, scope->symbols.count, sizeof *state->variables);
    state->stores = mls_arena_zeroed(&checker->memory, scope->symbols.count, sizeof *state->stores);
    state->rules = mls_arena_zeroed(&checker->memory, scope->rule_count, sizeof *state->rules);
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
    checker->keys = mls_arena_zeroed(&checker->memory, ruleset->key_count, sizeof *checker->keys);
    checker->order = mls_arena_array(&checker->memory, ruleset->scope_count, sizeof *checker->order);
    mls_scope_state *scopes = mls_arena_zeroed(&checker->memory, ruleset->scope_count, sizeof *scopes);
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
        checker->order[checker->order_count++] = scope;
    }
    reached[scope] = true;
}

/*
 * Finds the scopes that are queued or may still be, and drops the others.  A rule that looks only at the first record
 * of its key queues nothing more once that record has come.
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
            const bool may = rule->has_use && !(rule->first_only && checker->keys[rule->key_index].count > 0);
            for (size_t i = 0; may && i < ruleset->scope_count; i++) {
                if (!reached[i] && mls_actions_may_use(rule->actions, rule->action_count, ruleset->scopes[i].name)) {
                    state_reach(checker, reached, i);
                }
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
