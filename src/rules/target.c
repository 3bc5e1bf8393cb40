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

/* For what looks at no record but its value. */
static const mls_record bare = {.value = MLS_STR("null"), .metadata = MLS_STR("{}"), .payload = MLS_STR("{}")};

/* Whether a number reaches all that a rule wants at least one record to reach. */
static mls_outcome number_reaches(const mls_rule *rule, double number, mls_expr_input *input)
{
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

/* A benchmark's rules for evaluations, asked one by one; `ask` returns whether it has its answer. */
typedef struct target_walk {
    const mls_ruleset *ruleset;
    const char *benchmark;
    double batch_size;
    bool (*ask)(const mls_rule *rule, mls_expr_input *input, void *state);
    void *state;
} target_walk;

/* The last scope that has a rule for the key overrules those before it. */
static mls_status ask_rules(const target_walk *walk)
{
    static const mls_key keys[] = {MLS_KEY_EVAL_ACCURACY, MLS_KEY_EVAL_ERROR};
    const mls_ruleset *ruleset = walk->ruleset;
    mls_scope_chain chain;
    mls_arena arena = {0};
    mls_expr_input input = {.arena = &arena};
    bool done = !mls_scope_chain_make(ruleset, "closed", walk->benchmark, &chain);
    for (size_t i = done ? 0 : chain.sure; i-- > 0 && !done;) {
        for (size_t k = 0; k < sizeof keys / sizeof *keys && !done; k++) {
            const mls_rule *rule = mls_scope_find_rule(ruleset, chain.scopes[i], ruleset->key_of_id[keys[k]]);
            if (rule != NULL) {
                input.variables = variables_at(&ruleset->scopes[chain.scopes[i]], walk->batch_size, &arena);
                done = walk->ask(rule, &input, walk->state);
            }
        }
    }
    mls_arena_release(&arena);
    return MLS_OK;
}

typedef struct reach_question {
    double number;
    mls_outcome outcome;
} reach_question;

static bool ask_reaches(const mls_rule *rule, mls_expr_input *input, void *state)
{
    reach_question *question = state;
    question->outcome = number_reaches(rule, question->number, input);
    return question->outcome != MLS_OUTCOME_UNKNOWN;
}

mls_status mls_ruleset_meets_target(const mls_ruleset *ruleset, const char *benchmark, double batch_size, double number,
                                    bool *known, bool *meets)
{
    reach_question question = {number, MLS_OUTCOME_UNKNOWN};
    const target_walk walk = {ruleset, benchmark, batch_size, ask_reaches, &question};
    const mls_status status = ask_rules(&walk);
    *known = question.outcome != MLS_OUTCOME_UNKNOWN;
    *meets = question.outcome == MLS_OUTCOME_TRUE;
    return status;
}

typedef struct number_question {
    const char *member;
    mls_target target;
} number_question;

/* Whether a node is the value of a record, or the member of it that is asked for. */
static bool measures(const mls_expr_node *node, const char *member)
{
    return member == NULL ? node->op == MLS_EXPR_VALUE
                          : node->op == MLS_EXPR_MEMBER && node->operands[0]->op == MLS_EXPR_VALUE &&
                                node->operands[1]->constant.kind == MLS_JSON_STRING &&
                                mls_str_equal(node->operands[1]->constant.as.string, mls_str_from(member));
}

/* Takes the first comparison of what is measured with a number, from the left. */
static bool find_bound(const mls_expr_node *node, mls_expr_input *input, number_question *question)
{
    mls_value value;
    double number;
    if (node->op == MLS_EXPR_AND) {
        return find_bound(node->operands[0], input, question) || find_bound(node->operands[1], input, question);
    }
    if (node->op == MLS_EXPR_CHOICE) {
        /* Where it is not known which, no target is: what stands behind it only says what makes sense. */
        return !mls_expr_evaluate(node->operands[0], input, &value) ||
               find_bound(node->operands[mls_value_truth(&value) ? 1 : 2], input, question);
    }
    if (node->op < MLS_EXPR_LESS || node->op > MLS_EXPR_GREATER_EQUAL ||
        !measures(node->operands[0], question->member) || !mls_expr_evaluate(node->operands[1], input, &value) ||
        !mls_value_number(&value, &number) || isnan(number)) {
        return false;
    }
    question->target = (mls_target){number, node->op <= MLS_EXPR_LESS_EQUAL ? -1 : 1};
    return true;
}

static bool ask_number(const mls_rule *rule, mls_expr_input *input, void *state)
{
    bool found = false;
    mls_expr_input_begin(input, &bare);
    for (size_t i = 0; i < rule->check_any.count && !found; i++) {
        found = find_bound(rule->check_any.items[i].root, input, state);
    }
    return found;
}

mls_status mls_ruleset_target(const mls_ruleset *ruleset, const char *benchmark, double batch_size, const char *member,
                              mls_target *target)
{
    number_question question = {.member = member};
    const target_walk walk = {ruleset, benchmark, batch_size, ask_number, &question};
    const mls_status status = ask_rules(&walk);
    *target = question.target;
    return status;
}
