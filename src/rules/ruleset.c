/* SPDX-License-Identifier: Apache-2.0 */
/* ruleset.c - find scopes, keys, rules and targets in a ruleset, and cache loaded rulesets for all threads. */
#include "rules/ruleset.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"

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
    while (i < ruleset->scope_count && !mls_str_equal(ruleset->scopes[i].name, name))
        i++;
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
    while (rule != NULL && rule->scope != scope)
        rule = rule->next;
    return rule;
}

bool mls_scopes_have_rule(const mls_ruleset *ruleset, const size_t *scopes, size_t from, size_t end, size_t key)
{
    bool have = false;
    for (size_t i = from; i < end && !have; i++)
        have = mls_scope_find_rule(ruleset, scopes[i], key) != NULL;
    return have;
}

/* Add a scope to a chain.  Do nothing if `scope` is SIZE_MAX, or if it is already in the chain. */
static void chain_add(mls_scope_chain *chain, size_t scope)
{
    bool skip = scope == SIZE_MAX || chain->count == sizeof chain->scopes / sizeof *chain->scopes;
    for (size_t i = 0; i < chain->count; i++)
        skip |= chain->scopes[i] == scope;
    if (!skip)
        chain->scopes[chain->count++] = scope;
}

/* Return the index of the scope DIVISION_BENCHMARK; SIZE_MAX if it does not exist. */
static size_t find_joined(const mls_ruleset *ruleset, const char *division, const char *benchmark)
{
    char name[MLS_SCOPE_NAME_MAX + 2]; /* a name that is truncated to this size is longer than the name of any scope */
    (void)snprintf(name, sizeof name, "%s_%s", division, benchmark);
    return mls_ruleset_find_scope(ruleset, mls_str_from(name));
}

bool mls_scope_chain_make(const mls_ruleset *ruleset, const char *division, const char *benchmark,
                          mls_scope_chain *chain)
{
    const size_t common = find_joined(ruleset, division, "common");
    const size_t own = find_joined(ruleset, division, benchmark);
    *chain = (mls_scope_chain){.ruleset = ruleset};
    if (own == SIZE_MAX || own == common)
        return false;
    chain_add(chain, ruleset->common);
    chain_add(chain, common);
    chain_add(chain, own);
    chain->sure = chain->count;
    /* Add the scopes that rules of this scope may queue: closed_resnet_lars, closed_resnet_sgd. */
    for (size_t r = 0; r < ruleset->scopes[own].rule_count; r++) {
        const mls_rule *rule = &ruleset->scopes[own].rules[r];
        for (size_t i = 0; rule->has_use && i < ruleset->scope_count; i++)
            if (mls_actions_may_use(rule->actions, rule->action_count, ruleset->scopes[i].name))
                chain_add(chain, i);
    }
    return true;
}

bool mls_ruleset_has_benchmark(const mls_ruleset *ruleset, const char *benchmark)
{
    mls_scope_chain chain;
    return mls_scope_chain_make(ruleset, "closed", benchmark, &chain) ||
           mls_scope_chain_make(ruleset, "open", benchmark, &chain);
}

/* ---- targets ---- */

/* Find the leftmost comparison of the record's value, or of its member `member`, with a number, and store it as the
 * target. */
static bool find_bound(const mls_expr_node *node, mls_expr_input *input, const char *member, mls_target *target)
{
    mls_value value;
    double number;
    if (node->op == MLS_EXPR_AND) {
        return find_bound(node->operands[0], input, member, target) ||
               find_bound(node->operands[1], input, member, target);
    }
    if (node->op == MLS_EXPR_CHOICE) {
        /* If the condition cannot be evaluated, the target is unknown, so stop here: later comparisons only exclude
         * implausible values. */
        return !mls_expr_evaluate(node->operands[0], input, &value) ||
               find_bound(node->operands[mls_value_truth(&value) ? 1 : 2], input, member, target);
    }
    if (node->op < MLS_EXPR_LESS || node->op > MLS_EXPR_GREATER_EQUAL)
        return false;
    const mls_expr_node *measured = node->operands[0];
    if (member != NULL) {
        if (measured->op != MLS_EXPR_MEMBER || measured->operands[1]->constant.kind != MLS_JSON_STRING ||
            !mls_str_equal(measured->operands[1]->constant.as.string, mls_str_from(member)))
            return false;
        measured = measured->operands[0];
    }
    if (measured->op != MLS_EXPR_VALUE || !mls_expr_evaluate(node->operands[1], input, &value) ||
        !mls_value_number(&value, &number) || isnan(number))
        return false;
    *target = (mls_target){number, node->op <= MLS_EXPR_LESS_EQUAL ? -1 : 1};
    return true;
}

/* Search the rules for evaluations of a benchmark in the closed division, starting with the last scope, whose rules
 * take precedence.  If `reached` is NULL, find the target and store it in *target.  Otherwise, check whether the value
 * `reached` meets the targets. */
static mls_outcome search_targets(const mls_ruleset *ruleset, const char *benchmark, double batch_size,
                                  const mls_value *reached, const char *member, mls_target *target)
{
    static const mls_key keys[] = {MLS_KEY_EVAL_ERROR, MLS_KEY_EVAL_ACCURACY};
    /* A record without data, which is enough for rules that read only the value. */
    static const mls_record bare = {.value = MLS_STR("null"), .metadata = MLS_STR("{}"), .payload = MLS_STR("{}")};
    mls_outcome outcome = MLS_OUTCOME_UNKNOWN;
    mls_arena arena = {0};
    mls_scope_chain chain;
    const bool exists = mls_scope_chain_make(ruleset, "closed", benchmark, &chain);
    for (size_t left = exists ? chain.sure * 2 : 0; left-- > 0 && outcome == MLS_OUTCOME_UNKNOWN;) {
        const mls_rule *rule = mls_scope_find_rule(ruleset, chain.scopes[left / 2], ruleset->key_of_id[keys[left % 2]]);
        if (rule == NULL || rule->check_any.count == 0)
            continue;
        const mls_scope *scope = &ruleset->scopes[rule->scope];
        const mls_map_entry *symbol = mls_map_find(&scope->symbols, MLS_S("global_batch_size"));
        mls_variable *variables = mls_arena_array(&arena, scope->symbols.count + 1, sizeof *variables);
        memcpy(variables, scope->initial, scope->symbols.count * sizeof *variables);
        if (symbol != NULL && !isnan(batch_size)) {
            variables[symbol - scope->symbols.entries] =
                (mls_variable){.value = mls_value_of_number(batch_size, batch_size == floor(batch_size)), .set = true};
        }
        mls_expr_input input = {.variables = variables, .arena = &arena};
        mls_expr_input_begin(&input, &bare);
        if (reached != NULL) {
            input.parts[MLS_EXPR_VALUE].tree = reached;
            outcome = MLS_OUTCOME_TRUE;
            for (size_t i = 0; i < rule->check_any.count && outcome == MLS_OUTCOME_TRUE; i++)
                outcome = mls_expr_test(&rule->check_any.items[i], &input);
        } else {
            for (size_t i = 0; i < rule->check_any.count && outcome == MLS_OUTCOME_UNKNOWN; i++)
                if (find_bound(rule->check_any.items[i].root, &input, member, target))
                    outcome = MLS_OUTCOME_TRUE;
        }
    }
    mls_arena_release(&arena);
    return outcome;
}

bool mls_ruleset_meets_target(const mls_ruleset *ruleset, const char *benchmark, double batch_size, double number,
                              bool *meets)
{
    const mls_value value = mls_value_of_number(number, false);
    const mls_outcome outcome = search_targets(ruleset, benchmark, batch_size, &value, NULL, NULL);
    *meets = outcome == MLS_OUTCOME_TRUE;
    return outcome != MLS_OUTCOME_UNKNOWN;
}

mls_target mls_ruleset_target(const mls_ruleset *ruleset, const char *benchmark, double batch_size, const char *member)
{
    mls_target target = {0};
    (void)search_targets(ruleset, benchmark, batch_size, NULL, member, &target);
    return target;
}

/* ---- the rulesets of all editions ---- */

struct mls_rulesets {
    mls_editions *editions;
    pthread_mutex_t lock; /* protects `loaded` */
    mls_ruleset *loaded;  /* a list of the loaded rulesets, the last loaded first */
};

mls_status mls_rulesets_new(mls_rulesets **rulesets, mls_error *error)
{
    mls_rulesets *made = mls_calloc(1, sizeof *made);
    const mls_status status = mls_editions_load(&made->editions, error);
    if (status == MLS_OK)
        (void)pthread_mutex_init(&made->lock, NULL);
    else
        free(made);
    *rulesets = status == MLS_OK ? made : NULL;
    return status;
}

void mls_rulesets_free(mls_rulesets *rulesets)
{
    if (rulesets == NULL)
        return;
    for (mls_ruleset *next, *ruleset = rulesets->loaded; ruleset != NULL; ruleset = next) {
        next = ruleset->next;
        mls_ruleset_free(ruleset);
    }
    (void)pthread_mutex_destroy(&rulesets->lock);
    mls_editions_free(rulesets->editions);
    free(rulesets);
}

const mls_editions *mls_rulesets_editions(const mls_rulesets *rulesets)
{
    return rulesets->editions;
}

mls_status mls_rulesets_get(mls_rulesets *rulesets, const mls_edition *edition, const mls_ruleset **ruleset,
                            mls_error *error)
{
    mls_status status = MLS_OK;
    (void)pthread_mutex_lock(&rulesets->lock);
    mls_ruleset *found = rulesets->loaded;
    while (found != NULL && found->loaded_for != edition)
        found = found->next;
    if (found == NULL)
        status = mls_ruleset_load(edition, &found, error);
    if (found != NULL && found->loaded_for == NULL) {
        found->loaded_for = edition;
        found->next = rulesets->loaded;
        rulesets->loaded = found;
    }
    *ruleset = found;
    (void)pthread_mutex_unlock(&rulesets->lock);
    return status;
}
