/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ruleset.c - loading rules, and finding scopes, keys and rules among them.
 */
#include "rules/ruleset.h"

#include <stdlib.h>
#include <string.h>

void mls_ruleset_free(mls_ruleset *ruleset)
{
    if (ruleset != NULL) {
        mls_arena_release(&ruleset->memory);
        free(ruleset);
    }
}

mls_usage mls_ruleset_usage(const mls_ruleset *ruleset)
{
    return ruleset->usage;
}

const char *mls_ruleset_edition(const mls_ruleset *ruleset)
{
    return ruleset->edition.ptr;
}

const mls_edition *mls_ruleset_base(const mls_ruleset *ruleset, const mls_editions *editions)
{
    const mls_edition *base = NULL;
    const mls_str name = ruleset->base.ptr != NULL ? ruleset->base : ruleset->edition;
    return mls_editions_find(editions, ruleset->usage, name, &base, NULL) == MLS_OK ? base : NULL;
}

size_t mls_ruleset_find_scope(const mls_ruleset *ruleset, mls_str name)
{
    for (size_t i = 0; i < ruleset->scope_count; i++) {
        if (mls_str_equal(ruleset->scopes[i].name, name)) {
            return i;
        }
    }
    return SIZE_MAX;
}

size_t mls_scope_find_variable(const mls_scope *scope, mls_str name)
{
    for (size_t i = 0; i < scope->symbols.count; i++) {
        if (mls_str_equal(scope->symbols.entries[i].key, name)) {
            return i;
        }
    }
    return SIZE_MAX;
}

size_t mls_ruleset_find_key(const mls_ruleset *ruleset, mls_str name)
{
    const mls_map_entry *entry = mls_map_find(&ruleset->key_names, name);
    return entry != NULL ? (size_t)(entry - ruleset->key_names.entries) : SIZE_MAX;
}

const mls_rule *mls_scope_find_rule(const mls_ruleset *ruleset, size_t scope, size_t key)
{
    const mls_rule_key *entry = &ruleset->keys[key];
    for (size_t i = 0; i < entry->ref_count; i++) {
        if (entry->refs[i].scope == scope) {
            return &ruleset->scopes[scope].rules[entry->refs[i].rule];
        }
    }
    return NULL;
}

/* ---------------------------------------------------------------- loading */

/* Gives every key that a rule, derivation or alternative names its index; false when memory runs out. */
static bool intern_key(mls_ruleset *ruleset, mls_str name, uint32_t *index)
{
    const mls_map_entry *entry = mls_map_put(&ruleset->key_names, name, NULL);
    *index = entry != NULL ? (uint32_t)(entry - ruleset->key_names.entries) : 0;
    return entry != NULL;
}

static bool intern_keys(mls_ruleset *ruleset)
{
    bool ok = true;
    uint32_t other;
    ruleset->key_names.arena = &ruleset->memory;
    for (size_t s = 0; s < ruleset->scope_count; s++) {
        mls_scope *scope = &ruleset->scopes[s];
        for (size_t r = 0; r < scope->rule_count && ok; r++) {
            mls_rule *rule = &scope->rules[r];
            ok = intern_key(ruleset, rule->key, &rule->key_index);
            for (size_t i = 0; i < rule->other_count; i++) {
                ok = ok && intern_key(ruleset, rule->others[i], &other);
            }
        }
        if (scope->derive.key.ptr != NULL) {
            ok = ok && intern_key(ruleset, scope->derive.from, &scope->derive_from);
        }
    }
    ruleset->key_count = ruleset->key_names.count;
    return ok;
}

/* Makes the keys from the scopes' rules; false when memory runs out. */
static bool index_keys(mls_ruleset *ruleset)
{
    if (!intern_keys(ruleset)) {
        return false;
    }
    mls_rule_key *keys = mls_arena_array(&ruleset->memory, ruleset->key_count, sizeof *keys);
    ruleset->keys = keys;
    for (size_t k = 0; keys != NULL && k < ruleset->key_count; k++) {
        keys[k] = (mls_rule_key){.name = ruleset->key_names.entries[k].key};
    }
    for (int pass = 0; keys != NULL && pass < 2; pass++) { /* counts what refers to each key, then notes it */
        for (size_t s = 0; s < ruleset->scope_count; s++) {
            mls_scope *scope = &ruleset->scopes[s];
            for (size_t r = 0; r < scope->rule_count; r++) {
                mls_rule_key *key = &keys[scope->rules[r].key_index];
                key->compare_values |= scope->rules[r].occurs == MLS_OCCURS_EXACTLY_ONE;
                if (pass == 1) {
                    key->refs[key->ref_count] = (mls_rule_ref){(uint16_t)s, (uint16_t)r};
                }
                key->ref_count++;
            }
            if (scope->derive.key.ptr != NULL) { /* else the index is none, and there may be no key at all */
                keys[scope->derive_from].derived_from = true;
            }
        }
        for (size_t k = 0; pass == 0 && k < ruleset->key_count; k++) {
            keys[k].refs = mls_arena_array(&ruleset->memory, keys[k].ref_count, sizeof *keys[k].refs);
            keys[k].ref_count = 0;
            if (keys[k].refs == NULL) {
                return false;
            }
        }
    }
    for (mls_key key = 0; key < MLS_KEY_COUNT; key++) {
        ruleset->key_of_id[key] = mls_ruleset_find_key(ruleset, mls_key_text(key));
    }
    return keys != NULL;
}

/* Notes which scopes each `use` could name, so that a checker knows early which are out of reach. */
static bool find_candidates(mls_ruleset *ruleset, mls_action *actions, size_t count)
{
    for (size_t a = 0; a < count; a++) {
        mls_action *action = &actions[a];
        uint32_t *found = mls_arena_array(&ruleset->memory, ruleset->scope_count, sizeof *found);
        if (found == NULL || !find_candidates(ruleset, action->actions, action->action_count)) {
            return false;
        }
        action->candidates = found;
        for (size_t i = 0; action->kind == MLS_ACTION_USE && i < ruleset->scope_count; i++) {
            const mls_str name = ruleset->scopes[i].name;
            if (action->has_expr ? name.len >= action->prefix.len + action->suffix.len &&
                                       mls_str_starts(name, action->prefix) && mls_str_ends(name, action->suffix)
                                 : mls_str_equal(name, action->prefix)) {
                found[action->candidate_count++] = (uint32_t)i;
            }
        }
    }
    return true;
}

/* What can be known of the rules only when all of them are there. */
static void link_rules(mls_rule_file *file, mls_ruleset *ruleset)
{
    bool ok = true;
    for (size_t s = 0; s < ruleset->scope_count; s++) {
        const mls_scope *scope = &ruleset->scopes[s];
        for (size_t r = 0; r < scope->rule_count; r++) {
            ok = ok && find_candidates(ruleset, scope->rules[r].actions, scope->rules[r].action_count);
        }
    }
    ruleset->common = mls_ruleset_find_scope(ruleset, MLS_S("common"));
    if (ruleset->common == SIZE_MAX) {
        mls_rule_fail(file, MLS_ERROR_VALUE, file->sources[0].scopes.ptr, 0, "there must be a scope named \"common\"");
    }
    if (!ok || !index_keys(ruleset)) {
        mls_rule_fail_memory(file);
    }
}

/* Exactly one of `edition`, `path` and `text` is given. */
static mls_status load_rules(const mls_edition *edition, const char *path, mls_str text, mls_ruleset **ruleset,
                             mls_error *error)
{
    mls_rule_file file = {.error = error};
    mls_ruleset *made = calloc(1, sizeof *made);
    *ruleset = NULL;
    if (made == NULL) {
        return mls_error_memory(error);
    }
    mls_rule_file_read(&file, edition, path, text);
    if (file.status == MLS_OK) {
        mls_ruleset_compile(&file, made);
    }
    if (file.status == MLS_OK) {
        link_rules(&file, made);
    }
    if (file.status == MLS_OK) {
        *ruleset = made;
    } else {
        mls_ruleset_free(made);
    }
    mls_rule_file_release(&file);
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
