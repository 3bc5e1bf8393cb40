/* SPDX-License-Identifier: Apache-2.0 */
/* ruleset.c - finding scopes, keys, rules, and the scopes that judge a benchmark. */
#include "rules/ruleset.h"

#include <stdio.h>
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

bool mls_actions_may_use(const mls_action *actions, size_t count, mls_str scope)
{
    bool may = false;
    for (size_t a = 0; a < count && !may; a++) {
        const mls_action *action = &actions[a];
        const size_t min = action->prefix.len + action->suffix.len;
        may = action->kind == MLS_ACTION_USE
                  ? (action->has_expr ? scope.len >= min : scope.len == min) && mls_str_starts(scope, action->prefix) &&
                        mls_str_ends(scope, action->suffix)
                  : mls_actions_may_use(action->actions, action->action_count, scope);
    }
    return may;
}

const mls_rule *mls_scope_find_rule(const mls_ruleset *ruleset, size_t scope, size_t key)
{
    const mls_rule *rule = key != SIZE_MAX ? ruleset->keys[key].rules : NULL;
    while (rule != NULL && rule->scope != scope) {
        rule = rule->next;
    }
    return rule;
}

bool mls_scopes_have_rule(const mls_ruleset *ruleset, const size_t *scopes, size_t from, size_t end, size_t key)
{
    bool have = false;
    for (size_t i = from; i < end && !have; i++) {
        have = mls_scope_find_rule(ruleset, scopes[i], key) != NULL;
    }
    return have;
}

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

/* The scope "division_benchmark"; SIZE_MAX: none. */
static size_t find_joined(const mls_ruleset *ruleset, const char *division, const char *benchmark)
{
    char name[MLS_SCOPE_NAME_MAX + 2]; /* what is cut is longer than any */
    (void)snprintf(name, sizeof name, "%s_%s", division, benchmark);
    return mls_ruleset_find_scope(ruleset, mls_str_from(name));
}

bool mls_scope_chain_make(const mls_ruleset *ruleset, const char *division, const char *benchmark,
                          mls_scope_chain *chain)
{
    const size_t common = find_joined(ruleset, division, "common");
    const size_t own = find_joined(ruleset, division, benchmark);
    *chain = (mls_scope_chain){.ruleset = ruleset};
    if (own == SIZE_MAX || own == common) {
        return false;
    }
    chain_add(chain, ruleset->common);
    chain_add(chain, common);
    chain_add(chain, own);
    chain->sure = chain->count;
    for (size_t r = 0; r < ruleset->scopes[own].rule_count; r++) { /* closed_resnet_lars, closed_resnet_sgd */
        const mls_rule *rule = &ruleset->scopes[own].rules[r];
        for (size_t i = 0; rule->has_use && i < ruleset->scope_count; i++) {
            if (mls_actions_may_use(rule->actions, rule->action_count, ruleset->scopes[i].name)) {
                chain_add(chain, i);
            }
        }
    }
    return true;
}

bool mls_ruleset_has_benchmark(const mls_ruleset *ruleset, const char *benchmark)
{
    mls_scope_chain chain;
    return mls_scope_chain_make(ruleset, "closed", benchmark, &chain) ||
           mls_scope_chain_make(ruleset, "open", benchmark, &chain);
}
