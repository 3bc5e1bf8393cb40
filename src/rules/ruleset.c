/* SPDX-License-Identifier: Apache-2.0 */
/* ruleset.c - finding scopes, keys and rules, and the scopes that judge a benchmark. */
#include "rules/ruleset.h"

#include <stdlib.h>

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
    return mls_editions_find(editions, ruleset->usage, ruleset->base, &base, NULL) == MLS_OK ? base : NULL;
}

size_t mls_ruleset_find_scope(const mls_ruleset *ruleset, mls_str name)
{
    size_t i = 0;
    while (i < ruleset->scope_count && !mls_str_equal(ruleset->scopes[i].name, name)) {
        i++;
    }
    return i < ruleset->scope_count ? i : SIZE_MAX;
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

/* ---------------------------------------------------------------- chains */

/* Adds a scope that is there and does not stand in the chain yet. */
static void chain_add(mls_scope_chain *chain, size_t scope)
{
    bool there = scope == SIZE_MAX || chain->count == sizeof chain->scopes / sizeof *chain->scopes;
    for (size_t i = 0; i < chain->count; i++) {
        there |= chain->scopes[i] == scope;
    }
    if (!there) {
        chain->scopes[chain->count++] = scope;
    }
}

/* Adds what a benchmark's own scope may queue: closed_resnet_lars, closed_resnet_sgd. */
static void chain_add_uses(mls_scope_chain *chain, const mls_action *actions, size_t count)
{
    for (size_t a = 0; a < count; a++) {
        for (size_t c = 0; c < actions[a].candidate_count; c++) {
            chain_add(chain, actions[a].candidates[c]);
        }
        chain_add_uses(chain, actions[a].actions, actions[a].action_count);
    }
}

/* The scope "division_benchmark"; SIZE_MAX: none. */
static size_t find_joined(const mls_ruleset *ruleset, const char *division, mls_str benchmark)
{
    const mls_str first = mls_str_from(division);
    for (size_t i = 0; i < ruleset->scope_count; i++) {
        const mls_str name = ruleset->scopes[i].name;
        if (name.len == first.len + 1 + benchmark.len && mls_str_starts(name, first) && name.ptr[first.len] == '_' &&
            mls_str_ends(name, benchmark)) {
            return i;
        }
    }
    return SIZE_MAX;
}

bool mls_scope_chain_make(const mls_ruleset *ruleset, const char *division, const char *benchmark,
                          mls_scope_chain *chain)
{
    const size_t common = find_joined(ruleset, division, MLS_S("common"));
    const size_t own = find_joined(ruleset, division, mls_str_from(benchmark));
    *chain = (mls_scope_chain){.ruleset = ruleset};
    if (own == SIZE_MAX || own == common) {
        return false;
    }
    chain_add(chain, ruleset->common);
    chain_add(chain, common);
    chain_add(chain, own);
    chain->sure = chain->count;
    for (size_t r = 0; r < ruleset->scopes[own].rule_count; r++) {
        chain_add_uses(chain, ruleset->scopes[own].rules[r].actions, ruleset->scopes[own].rules[r].action_count);
    }
    return true;
}

bool mls_ruleset_has_benchmark(const mls_ruleset *ruleset, const char *benchmark)
{
    mls_scope_chain chain;
    return mls_scope_chain_make(ruleset, "closed", benchmark, &chain) ||
           mls_scope_chain_make(ruleset, "open", benchmark, &chain);
}

bool mls_scope_chain_overrules(const mls_scope_chain *chain, size_t at, uint32_t key)
{
    for (size_t later = at + 1; later < chain->sure; later++) {
        if (mls_scope_find_rule(chain->ruleset, chain->scopes[later], key) != NULL) {
            return true;
        }
    }
    return false;
}
