/* SPDX-License-Identifier: Apache-2.0 */
/* checker_state.c - the state between records: variables, findings in waiting, and which scopes are still in play. */

#include "rules/judging.h"

static bool room_take(size_t *room, size_t size)
{
    const bool fits = size <= *room;
    *room -= fits ? size : 0;
    return fits;
}

/* Trees come from a validator that bounds their depth. */
bool mls_value_copy(mls_checker *checker, const mls_value *value, mls_arena *arena, size_t *room, mls_value *copy)
{
    const bool object = value->kind == MLS_JSON_OBJECT;
    const mls_member *from = object ? value->as.object.members : NULL;
    const size_t count = object ? value->as.object.count : value->kind == MLS_JSON_LIST ? value->as.list.count : 0;
    const mls_str text = value->kind == MLS_JSON_STRING ? value->as.string : (mls_str){NULL, 0};
    *copy = *value;
    if (!room_take(room, sizeof *value + text.len) || count > *room / sizeof *value) {
        return false;
    }
    if (value->kind == MLS_JSON_STRING) {
        copy->as.string = mls_arena_copy(arena, text);
        return mls_checker_room(checker, copy->as.string.ptr);
    }
    if (count == 0) {
        return true;
    }
    mls_value *items = mls_arena_array(arena, count, sizeof *items);
    mls_member *members = object ? mls_arena_array(arena, count, sizeof *members) : NULL;
    if (!mls_checker_room(checker, items) || (object && !mls_checker_room(checker, members))) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        const mls_value *item = object ? from[i].value : &value->as.list.items[i];
        if ((object && !room_take(room, sizeof *from + from[i].name.len)) ||
            !mls_value_copy(checker, item, arena, room, &items[i])) {
            return false;
        }
        if (object) {
            members[i] = (mls_member){mls_arena_copy(arena, from[i].name), &items[i]};
        }
        if (object && !mls_checker_room(checker, members[i].name.ptr)) {
            return false;
        }
    }
    if (object) {
        copy->as.object.members = members;
    } else {
        copy->as.list.items = items;
    }
    return true;
}

static bool variable_too_large(mls_checker *checker)
{
    return mls_expr_fail(&checker->input, "the variable would hold more than 1 MiB");
}

/* The new value may look at the old one, which is kept until it is copied. */
bool mls_variable_set(const mls_judging *j, size_t slot, const mls_value *value)
{
    mls_variable *variable = &j->state->variables[slot];
    mls_variable fresh = {.set = true};
    size_t room = MLS_VARIABLE_SIZE_MAX;
    const bool fits = mls_value_copy(j->checker, value, &fresh.memory, &room, &fresh.value);
    fresh.used = MLS_VARIABLE_SIZE_MAX - room;
    mls_arena_release(fits ? &variable->memory : &fresh.memory);
    *variable = fits ? fresh : *variable;
    return fits || variable_too_large(j->checker);
}

bool mls_variable_append(const mls_judging *j, size_t slot, const mls_value *items)
{
    mls_variable *variable = &j->state->variables[slot];
    mls_value *list = &variable->value;
    mls_value *grown = (mls_value *)(uintptr_t)list->as.list.items; /* without a capacity growing makes a copy */
    size_t room = MLS_VARIABLE_SIZE_MAX - variable->used;
    mls_value copy;
    if (!mls_value_copy(j->checker, items, &variable->memory, &room, &copy)) {
        return variable_too_large(j->checker);
    }
    variable->used = MLS_VARIABLE_SIZE_MAX - room;
    for (size_t i = 0; i < copy.as.list.count; i++) {
        if (!mls_arena_grow(&variable->memory, (void **)&grown, list->as.list.count, &variable->capacity,
                            sizeof *grown)) {
            return mls_checker_room(j->checker, NULL);
        }
        grown[list->as.list.count++] = copy.as.list.items[i];
        list->as.list.items = grown;
    }
    return true;
}

void mls_judging_stage(const mls_judging *j, mls_staged_list *list, mls_finding_code code, mls_buffer *message)
{
    if (list->count++ < MLS_STAGED_MAX) {
        mls_buffer_printf(message, " (%s, %s)", j->scope->name.ptr, j->checker->ruleset->edition.ptr);
        mls_staged *staged = mls_arena_alloc(&j->state->memory, sizeof *staged);
        const mls_str copy = mls_arena_copy(&j->state->memory, mls_buffer_str(message));
        if (staged == NULL || copy.ptr == NULL || message->failed) {
            j->checker->out_of_memory = true;
        } else {
            const mls_str key = code == MLS_FINDING_EVALUATION ? MLS_S("@evaluation") : j->rule->key;
            *staged = (mls_staged){NULL, code, {NULL, j->record->line, j->record->column, key}, copy};
            *(list->last != NULL ? &list->last->next : &list->first) = staged;
            list->last = staged;
        }
    }
    mls_buffer_release(message);
}

static void scope_release(const mls_scope *scope, mls_scope_state *state)
{
    for (size_t i = 0; state->variables != NULL && i < scope->symbols.count; i++) {
        mls_arena_release(&state->variables[i].memory);
    }
    mls_arena_release(&state->memory);
    *state = (mls_scope_state){0};
}

void mls_checker_release_scopes(mls_checker *checker)
{
    for (size_t i = 0; checker->scopes != NULL && i < checker->ruleset->scope_count; i++) {
        scope_release(&checker->ruleset->scopes[i], &checker->scopes[i]);
    }
    checker->scopes = NULL;
}

bool mls_scope_prepare(mls_checker *checker, size_t scope_index)
{
    const mls_scope *scope = &checker->ruleset->scopes[scope_index];
    mls_scope_state *state = &checker->scopes[scope_index];
    if (state->rules != NULL) {
        return true;
    }
    const size_t symbols = scope->symbols.count;
    mls_rule_state *rules = mls_arena_zeroed(&checker->memory, scope->rule_count, sizeof *rules);
    mls_variable *variables = mls_arena_array(&checker->memory, symbols, sizeof *variables);
    if (!mls_checker_room(checker, rules) || !mls_checker_room(checker, variables)) {
        return false;
    }
    memcpy(variables, scope->initial, symbols * sizeof *variables);
    state->variables = variables;
    state->rules = rules;
    return true;
}

bool mls_checker_prepare(mls_checker *checker)
{
    const mls_ruleset *ruleset = checker->ruleset;
    checker->keys = mls_arena_zeroed(&checker->memory, ruleset->key_names.count, sizeof *checker->keys);
    mls_scope_state *scopes = mls_arena_zeroed(&checker->memory, ruleset->scope_count, sizeof *scopes);
    if (checker->keys == NULL || scopes == NULL) {
        return false;
    }
    checker->scopes = scopes;
    mls_checker_update_live(checker); /* nothing has fired: whatever could ever be queued */
    return true;
}

/* Marks a scope and all that it has queued or still may; each is gone through once. */
static void reach_scope(const mls_checker *checker, size_t scope, bool *reached)
{
    const mls_ruleset *ruleset = checker->ruleset;
    const mls_scope_state *state = &checker->scopes[scope];
    const mls_scope *rules = &ruleset->scopes[scope];
    reached[scope] = true;
    for (size_t i = 0; i < state->uses.count; i++) {
        const size_t used = state->uses.items[i].scope;
        if (used != SIZE_MAX && !reached[used]) {
            reach_scope(checker, used, reached);
        }
    }
    for (size_t r = 0; r < rules->rule_count; r++) {
        const mls_rule *rule = &rules->rules[r];
        const bool may = rule->has_use && !(rule->first_only && checker->keys[rule->key_index].count > 0);
        for (size_t i = 0; may && i < ruleset->scope_count; i++) {
            if (!reached[i] && mls_actions_may_use(rule->actions, rule->action_count, ruleset->scopes[i].name)) {
                reach_scope(checker, i, reached);
            }
        }
    }
}

/* Finds the scopes that are queued or may still be, and drops the others.  A rule that looks only at the first record
 * of its key queues nothing more once that record has come. */
void mls_checker_update_live(mls_checker *checker)
{
    const mls_ruleset *ruleset = checker->ruleset;
    bool reached[MLS_SCOPES_MAX] = {false};
    reach_scope(checker, ruleset->common, reached);
    for (size_t i = 0; i < ruleset->scope_count; i++) {
        mls_scope_state *state = &checker->scopes[i];
        if (state->live && !reached[i]) {
            scope_release(&ruleset->scopes[i], state);
        }
        state->live = reached[i];
    }
}
