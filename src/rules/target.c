/* SPDX-License-Identifier: Apache-2.0 */
/* target.c - whether a number reaches the target of a benchmark, asked apart from judging a log. */
#include <math.h>

#include "base/memory.h"
#include "rules/ruleset.h"

/* The variables of a scope as they stand when it has seen the batch size; NULL: no memory. */
static const mls_variable *variables_at(const mls_scope *scope, double batch_size, mls_arena *arena)
{
    const size_t count = scope->symbols.count;
    const mls_map_entry *symbol = mls_map_find(&scope->symbols, MLS_S("global_batch_size"));
    mls_variable *variables = mls_arena_array(arena, count + 1, sizeof *variables);
    if (variables != NULL) {
        memcpy(variables, scope->initial, count * sizeof *variables);
    }
    if (symbol != NULL && variables != NULL && !isnan(batch_size)) {
        variables[symbol - scope->symbols.entries] =
            (mls_variable){.value = mls_value_of_number(batch_size, batch_size == floor(batch_size)), .set = true};
    }
    return variables;
}

/* Whether a number reaches all that a rule wants at least one record to reach. */
static mls_outcome number_reaches(const mls_rule *rule, double number, mls_expr_input *input)
{
    static const mls_record bare = {.value = MLS_STR("null"), .metadata = MLS_STR("{}"), .payload = MLS_STR("{}")};
    const mls_value value = mls_value_of_number(number, false);
    mls_outcome outcome = rule->check_any.count > 0 ? MLS_OUTCOME_TRUE : MLS_OUTCOME_UNKNOWN;
    mls_expr_input_begin(input, &bare);
    input->parts[MLS_EXPR_VALUE].tree = &value;
    for (size_t i = 0; i < rule->check_any.count && outcome == MLS_OUTCOME_TRUE; i++) {
        outcome = mls_expr_test(&rule->check_any.items[i], input);
    }
    input->parts[MLS_EXPR_VALUE].tree = NULL;
    return outcome;
}

mls_status mls_ruleset_meets_target(const mls_ruleset *ruleset, const char *benchmark, double batch_size, double number,
                                    bool *known, bool *meets)
{
    static const mls_key keys[] = {MLS_KEY_EVAL_ACCURACY, MLS_KEY_EVAL_ERROR};
    mls_scope_chain chain;
    mls_arena arena = {0};
    mls_expr_input input = {.arena = &arena};
    mls_outcome outcome = MLS_OUTCOME_UNKNOWN;
    if (!mls_scope_chain_make(ruleset, "closed", benchmark, &chain)) {
        chain.sure = 0;
    }
    /* The last scope that has a rule for the key overrules those before it. */
    for (size_t i = chain.sure; i-- > 0 && outcome == MLS_OUTCOME_UNKNOWN;) {
        for (size_t k = 0; k < sizeof keys / sizeof *keys && outcome == MLS_OUTCOME_UNKNOWN; k++) {
            const mls_rule *rule = mls_scope_find_rule(ruleset, chain.scopes[i], ruleset->key_of_id[keys[k]]);
            if (rule != NULL) {
                input.variables = variables_at(&ruleset->scopes[chain.scopes[i]], batch_size, &arena);
                input.out_of_memory |= input.variables == NULL;
                outcome = input.out_of_memory ? MLS_OUTCOME_UNKNOWN : number_reaches(rule, number, &input);
            }
        }
    }
    mls_arena_release(&arena);
    *known = outcome != MLS_OUTCOME_UNKNOWN;
    *meets = outcome == MLS_OUTCOME_TRUE;
    return input.out_of_memory ? MLS_ERROR_MEMORY : MLS_OK;
}
