/* SPDX-License-Identifier: Apache-2.0 */
/* checker_rule.c - one rule and one record.
 *
 * Messages are built where the failure happens, since the record is gone when the verdict is made; after the first
 * hundred of a rule they are only counted. */
#include <math.h>

#include "base/buffer.h"
#include "base/utf8.h"
#include "rules/judging.h"

enum { MLS_SHOWN_VALUE_MAX = 80, MLS_SHOWN_NAMES_MAX = 6 };

/* Whether the message says "after KEY" or "of KEY" already. */
static bool is_named(const mls_buffer *message, mls_str key)
{
    static const mls_str words[] = {MLS_STR(" after "), MLS_STR(" of ")};
    bool named = false;
    for (size_t i = 0; i < message->len * 2; i++) {
        const mls_str rest = {message->ptr + i / 2, message->len - i / 2};
        const mls_str word = words[i % 2];
        named |= mls_str_starts(rest, word) && mls_str_starts(mls_str_rest(rest, word.len), key);
    }
    return named;
}

/* "; submission_division, which sets $compile_time_mins, has not been logged yet: log it before init_stop" */
static void hint_not_yet(const mls_judging *j, const mls_expr *expr, mls_buffer *message)
{
    const mls_checker *checker = j->checker;
    for (const mls_expr_node *node = expr->nodes; node != NULL; node = node->next) {
        if (node->op != MLS_EXPR_VARIABLE) {
            continue;
        }
        const mls_setter *setter = &j->scope->setters[node->slot];
        const bool copies = setter->copies;
        const size_t key = setter->key.ptr != NULL ? mls_ruleset_find_key(checker->ruleset, setter->key) : SIZE_MAX;
        if (key == SIZE_MAX || checker->keys[key].count > 0 || is_named(message, setter->key)) {
            continue;
        }
        mls_buffer_printf(message, "; %s%s%.*s%s has not been logged yet: log it before %s", setter->key.ptr,
                          copies ? "" : ", which sets ", copies ? 0 : (int)node->text.len - 1, node->text.ptr + 1,
                          copies ? "" : ",", j->rule->key.ptr);
    }
}

/* Says what the metadata holds, where a member is missing. */
static void hint_metadata(const mls_judging *j, const mls_expr *expr, mls_buffer *message)
{
    const mls_record *record = j->record;
    if (record->payload.ptr == NULL) {
        return; /* a made-up record */
    }
    const mls_value *tree = mls_value_build(record->metadata, &j->checker->scratch);
    if (!mls_checker_room(j->checker, tree)) {
        return;
    }
    if (tree->kind != MLS_JSON_OBJECT) {
        mls_buffer_append_text(message, "; its metadata is ");
        mls_utf8_append_cut(message, record->metadata, MLS_SHOWN_VALUE_MAX);
        return;
    }
    const size_t count = tree->as.object.count;
    mls_buffer_append_text(message, count > 0 ? "; it has " : "; it has none");
    for (size_t i = 0; i < count; i++) {
        mls_buffer_append_text(message, i > 0 ? ", " : "");
        if (i == MLS_SHOWN_NAMES_MAX) {
            mls_buffer_append_text(message, "…");
            break;
        }
        mls_utf8_append_cut(message, tree->as.object.members[i].name, MLS_SHOWN_VALUE_MAX);
    }
    const bool wants_samples = mls_str_contains(expr->text, MLS_S("\"samples_count\""));
    const bool wants_epoch = mls_str_contains(expr->text, MLS_S("\"epoch_num\""));
    if (wants_samples && !wants_epoch && mls_value_member(tree, MLS_S("epoch_num")) != NULL) {
        mls_buffer_append_text(message, "; was samples_count logged as epoch_num?");
    } else if (wants_epoch && !wants_samples && mls_value_member(tree, MLS_S("samples_count")) != NULL) {
        mls_buffer_append_text(message, "; was epoch_num logged as samples_count?");
    }
}

/* A check of the record was false or could not be evaluated. */
static void check_failed(const mls_judging *j, const mls_expr *expr, mls_outcome outcome)
{
    mls_expr_input *input = &j->checker->input;
    mls_staged_list *list = &j->rule_state->checks;
    const mls_finding_code code = mls_rule_words_code(expr);
    mls_buffer message = {0};
    char reason[sizeof input->reason];
    memcpy(reason, input->reason, sizeof reason); /* words may evaluate, and fail, too */
    if (list->count < MLS_STAGED_MAX) {
        mls_buffer_append(&message, j->rule->key);
        mls_buffer_append_char(&message, ' ');
        mls_rule_words_expr(&message, j->scope, expr, input, false);
        if (outcome == MLS_OUTCOME_UNKNOWN) {
            mls_buffer_printf(&message, ", but %s", reason);
        } else if (code == MLS_FINDING_VALUE && mls_expr_uses(expr, MLS_EXPR_VALUE)) {
            mls_buffer_append_text(&message, ", is ");
            mls_utf8_append_cut(&message, j->record->value, MLS_SHOWN_VALUE_MAX);
        } else if (code == MLS_FINDING_METADATA) {
            hint_metadata(j, expr, &message);
        }
        hint_not_yet(j, expr, &message);
    }
    mls_judging_stage(j, list, outcome == MLS_OUTCOME_UNKNOWN ? MLS_FINDING_UNEVALUATED : code, &message);
}

/* Judges a list of checks; of those that cannot be evaluated only the first failure of a record is reported. */
static bool checks_run(const mls_judging *j, const mls_expr_list *checks, bool reported)
{
    for (size_t i = 0; i < checks->count; i++) {
        const mls_outcome outcome = mls_expr_test(&checks->items[i], &j->checker->input);
        if (outcome == MLS_OUTCOME_FALSE || (outcome == MLS_OUTCOME_UNKNOWN && !reported)) {
            check_failed(j, &checks->items[i], outcome);
            reported = true;
        }
    }
    return reported;
}

/* Which way a check_any looks: the node measured and +1 for larger is better, -1 for smaller; 0: neither is known. */
static int target_direction(const mls_expr *expr, const mls_expr_node **measured)
{
    const mls_expr_node *node = expr->root;
    while (node->op == MLS_EXPR_AND) {
        node = node->operands[0];
    }
    const bool compares = node->op >= MLS_EXPR_LESS && node->op <= MLS_EXPR_GREATER_EQUAL;
    *measured = compares ? node->operands[0] : NULL;
    return !compares || (*measured)->op != MLS_EXPR_VALUE ? 0 : node->op <= MLS_EXPR_LESS_EQUAL ? -1 : 1;
}

/* How far the run is by a member of the record's metadata, NAN when it is not a number; false when there is none. */
static bool progress_by(const mls_judging *j, mls_str name, double *progress)
{
    mls_str span;
    const bool found = mls_record_metadata_member(j->record, name, &span);
    *progress = NAN;
    if (found) {
        (void)mls_json_number(span, progress);
    }
    return found;
}

/* Remembers the value that came closest to a target, and when, for the case that none reaches it. */
static void target_note(const mls_judging *j, const mls_expr *expr)
{
    const mls_record *record = j->record;
    mls_rule_state *state = j->rule_state;
    const mls_expr_node *measured = NULL;
    const int direction = target_direction(expr, &measured);
    mls_value value;
    double number;
    if (direction == 0 || record->payload.ptr == NULL || !mls_expr_evaluate(measured, &j->checker->input, &value) ||
        !mls_value_number(&value, &number) || isnan(number) ||
        (state->best_line > 0 && (number - state->best) * direction <= 0)) {
        return;
    }
    state->best = number;
    state->best_line = record->line;
    state->best_in_samples = progress_by(j, MLS_S("samples_count"), &state->best_progress);
    if (!state->best_in_samples) {
        (void)progress_by(j, MLS_S("epoch_num"), &state->best_progress);
    }
}

/* An evaluation cannot be compared with a target. */
static void target_failed(const mls_judging *j, const mls_expr *target)
{
    mls_staged_list *list = &j->rule_state->others;
    mls_buffer message = {0};
    if (list->count < MLS_STAGED_MAX) {
        mls_buffer_printf(&message, "%s must be comparable with the target (", j->rule->key.ptr);
        mls_rule_words_expr(&message, j->scope, target, NULL, true);
        mls_buffer_printf(&message, "), but %s", j->checker->input.reason);
        hint_not_yet(j, target, &message);
    }
    mls_judging_stage(j, list, MLS_FINDING_EVALUATION, &message);
}

static void any_run(const mls_judging *j)
{
    const mls_expr_list *targets = &j->rule->check_any;
    bool held = true;
    j->rule_state->any_judged = true;
    for (size_t i = 0; i < targets->count; i++) {
        const mls_expr *expr = &targets->items[i];
        const mls_outcome outcome = mls_expr_test(expr, &j->checker->input);
        held = held && outcome == MLS_OUTCOME_TRUE;
        if (outcome == MLS_OUTCOME_UNKNOWN) {
            target_failed(j, expr);
        }
    }
    j->rule_state->any_held |= held;
    if (!j->rule_state->any_held) {
        target_note(j, &targets->items[0]);
    }
}

/* Notes what the rule queues, once. */
static void use_note(const mls_judging *j, size_t target, mls_str name)
{
    mls_checker *checker = j->checker;
    mls_scope_state *state = j->state;
    if (target == SIZE_MAX && state->unknown_uses == MLS_UNKNOWN_USES_MAX) {
        return;
    }
    for (size_t i = 0; i < state->uses.count; i++) {
        const mls_use *use = &state->uses.items[i];
        if (use->scope == target && (target != SIZE_MAX || mls_str_equal(use->name, name))) {
            return;
        }
    }
    state->unknown_uses += target == SIZE_MAX;
    const mls_str kept = mls_arena_copy(&checker->memory, mls_utf8_cut(name, MLS_VALUE_KEPT_MAX));
    checker->out_of_memory |=
        kept.ptr == NULL ||
        !MLS_ARENA_ADD(&checker->memory, &state->uses, (mls_use){target, kept, j->rule->key, j->record->line});
}

/* False when its expression cannot be evaluated. */
static bool use_run(const mls_judging *j, const mls_action *action)
{
    mls_value value = {.kind = MLS_JSON_STRING};
    mls_buffer name = {0};
    if (action->has_expr && !mls_expr_evaluate(action->expr.root, &j->checker->input, &value)) {
        return false;
    }
    mls_buffer_append(&name, action->prefix);
    if (value.kind == MLS_JSON_STRING) {
        mls_buffer_append(&name, value.as.string);
    } else {
        mls_value_show(&name, &value);
    }
    mls_buffer_append(&name, action->suffix);
    const size_t target = mls_ruleset_find_scope(j->checker->ruleset, mls_buffer_str(&name));
    const mls_str text = j->record->value;
    if (target == SIZE_MAX && mls_expr_uses(&action->expr, MLS_EXPR_VALUE) && text.len > 1 && text.ptr[0] == '"') {
        mls_buffer_clear(&name); /* what rules compare has bytes as Latin-1: a person is shown those of the file */
        mls_buffer_append(&name, action->prefix);
        mls_buffer_append(&name, (mls_str){text.ptr + 1, text.len - 2});
        mls_buffer_append(&name, action->suffix);
    }
    use_note(j, target, mls_buffer_str(&name));
    j->checker->out_of_memory |= name.failed;
    mls_buffer_release(&name);
    return true;
}

static bool actions_run(const mls_judging *j, const mls_action *actions, size_t count)
{
    mls_expr_input *input = &j->checker->input;
    bool done = true;
    for (size_t i = 0; done && i < count; i++) {
        const mls_action *action = &actions[i];
        const mls_expr *expr = &action->expr;
        const mls_variable *variable = &j->state->variables[action->slot];
        mls_value value;
        mls_outcome outcome;
        switch (action->kind) {
        case MLS_ACTION_APPEND:
            if (variable->set && variable->value.kind == MLS_JSON_LIST) {
                done = mls_expr_evaluate(expr->root->operands[1], input, &value) &&
                       mls_variable_append(j, action->slot, &value);
                break;
            }
            /* fall through */
        case MLS_ACTION_SET:
            done = mls_expr_evaluate(expr->root, input, &value) && mls_variable_set(j, action->slot, &value);
            break;
        case MLS_ACTION_USE:
            done = use_run(j, action);
            break;
        case MLS_ACTION_IF:
            outcome = mls_expr_test(expr, input);
            done = outcome == MLS_OUTCOME_FALSE ||
                   (outcome == MLS_OUTCOME_TRUE && actions_run(j, action->actions, action->action_count));
            break;
        }
    }
    return done;
}

void mls_rule_apply(const mls_judging *j, bool first)
{
    const mls_rule *rule = j->rule;
    if (rule->first_only && !first) {
        return;
    }
    j->checker->input.variables = j->state->variables;
    const bool reported = checks_run(j, &rule->check, false);
    if (first && rule->check_first.count > 0) {
        (void)checks_run(j, &rule->check_first, reported);
    }
    if (rule->check_any.count > 0) {
        any_run(j);
    }
    if (rule->action_count > 0 && !actions_run(j, rule->actions, rule->action_count)) {
        mls_buffer message = {0};
        mls_buffer_printf(&message, "%s cannot be used for the rules that build on it: %s", rule->key.ptr,
                          j->checker->input.reason);
        mls_judging_stage(j, &j->rule_state->others, MLS_FINDING_ACTION, &message);
    }
}
