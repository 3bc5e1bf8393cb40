/* SPDX-License-Identifier: Apache-2.0 */
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

const char *mls_ruleset_base(const mls_ruleset *ruleset)
{
    return ruleset->base.ptr;
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
        if (mls_str_equal(scope->symbols.names[i], name)) {
            return i;
        }
    }
    return SIZE_MAX;
}

/* Up to eight bytes; which ones they are is no matter as long as all of them count. */
static uint64_t mls_short_word(const char *text, size_t len)
{
    uint32_t first = 0;
    uint32_t last = 0;
    if (len >= sizeof first) {
        memcpy(&first, text, sizeof first);
        memcpy(&last, text + len - sizeof last, sizeof last);
    } else {
        for (size_t i = 0; i < len; i++) {
            first = first << 8 | (unsigned char)text[i];
        }
    }
    return (uint64_t)first << 32 | last;
}

/*
 * Eight bytes at a time, mixed by multiplication; the last eight may overlap
 * those before, for copying a few would take longer.  Keys are short and
 * trusted only as far as a lookup goes.
 */
uint64_t mls_key_hash(mls_str name)
{
    const uint64_t factor = UINT64_C(0x9e3779b97f4a7c15);
    uint64_t hash = (uint64_t)name.len * factor;
    size_t at = 0;
    for (; at + 8 <= name.len; at += 8) {
        uint64_t word;
        memcpy(&word, name.ptr + at, 8);
        hash = (hash ^ word) * factor;
        hash ^= hash >> 29;
    }
    uint64_t rest;
    if (name.len >= sizeof rest) {
        memcpy(&rest, name.ptr + name.len - sizeof rest, sizeof rest);
    } else {
        rest = mls_short_word(name.ptr, name.len);
    }
    hash = (hash ^ rest) * factor;
    return hash ^ (hash >> 32);
}

size_t mls_ruleset_find_key(const mls_ruleset *ruleset, mls_str name)
{
    const uint64_t hash = mls_key_hash(name);
    for (size_t slot = hash & ruleset->table_mask;; slot = (slot + 1) & ruleset->table_mask) {
        const uint32_t entry = ruleset->table[slot];
        if (entry == 0) {
            return SIZE_MAX;
        }
        const mls_rule_key *key = &ruleset->keys[entry - 1];
        if (key->hash == hash && mls_str_equal(key->name, name)) {
            return entry - 1;
        }
    }
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

/* The index of a key, added when it is new.  The table has room: it is made for all names there can be. */
static size_t mls_ruleset_intern_key(mls_ruleset *ruleset, mls_str name)
{
    size_t found = mls_ruleset_find_key(ruleset, name);
    if (found == SIZE_MAX) {
        found = ruleset->key_count++;
        ruleset->keys[found] = (mls_rule_key){.name = name, .hash = mls_key_hash(name)};
        size_t slot = ruleset->keys[found].hash & ruleset->table_mask;
        while (ruleset->table[slot] != 0) {
            slot = (slot + 1) & ruleset->table_mask;
        }
        ruleset->table[slot] = (uint32_t)found + 1;
    }
    return found;
}

static size_t mls_ruleset_count_names(const mls_ruleset *ruleset)
{
    size_t count = 0;
    for (size_t s = 0; s < ruleset->scope_count; s++) {
        const mls_scope *scope = &ruleset->scopes[s];
        count += scope->rule_count + 1;
        for (size_t r = 0; r < scope->rule_count; r++) {
            count += scope->rules[r].other_count;
        }
    }
    return count;
}

static void mls_ruleset_name_keys(mls_ruleset *ruleset)
{
    for (size_t s = 0; s < ruleset->scope_count; s++) {
        mls_scope *scope = &ruleset->scopes[s];
        for (size_t r = 0; r < scope->rule_count; r++) {
            mls_rule *rule = &scope->rules[r];
            rule->key_index = (uint32_t)mls_ruleset_intern_key(ruleset, rule->key);
            ruleset->keys[rule->key_index].ref_count++;
            ruleset->keys[rule->key_index].compare_values |= rule->occurs == MLS_OCCURS_EXACTLY_ONE;
            for (size_t i = 0; i < rule->other_count; i++) {
                (void)mls_ruleset_intern_key(ruleset, rule->others[i]);
            }
        }
        if (scope->derive.key.ptr != NULL) {
            scope->derive_from = (uint32_t)mls_ruleset_intern_key(ruleset, scope->derive.from);
            ruleset->keys[scope->derive_from].derived_from = true;
        }
    }
}

bool mls_ruleset_index(mls_ruleset *ruleset)
{
    const size_t names = mls_ruleset_count_names(ruleset);
    size_t size = 16;
    while (size < names * 2) {
        size *= 2;
    }
    ruleset->keys = mls_arena_array(&ruleset->memory, names, sizeof *ruleset->keys);
    ruleset->table = mls_arena_array(&ruleset->memory, size, sizeof *ruleset->table);
    if (ruleset->keys == NULL || ruleset->table == NULL) {
        return false;
    }
    memset(ruleset->table, 0, size * sizeof *ruleset->table);
    ruleset->table_mask = size - 1;
    mls_ruleset_name_keys(ruleset);
    for (size_t k = 0; k < ruleset->key_count; k++) {
        mls_rule_key *key = &ruleset->keys[k];
        key->refs = mls_arena_array(&ruleset->memory, key->ref_count, sizeof *key->refs);
        if (key->refs == NULL) {
            return false;
        }
        key->ref_count = 0;
    }
    for (size_t s = 0; s < ruleset->scope_count; s++) {
        for (size_t r = 0; r < ruleset->scopes[s].rule_count; r++) {
            mls_rule_key *key = &ruleset->keys[ruleset->scopes[s].rules[r].key_index];
            key->refs[key->ref_count++] = (mls_rule_ref){(uint16_t)s, (uint16_t)r};
        }
    }
    return true;
}
