/* SPDX-License-Identifier: Apache-2.0 */
/* checker.c - judge a log record by record: choose the edition, track which scopes may still be queued, and apply their
 * rules.
 *
 * The message of a failure is built at once, since the record is gone at the end of the log.  After the first hundred
 * failures of a rule they are only counted. */
#include "rules/judging.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/data.h"
#include "base/memory.h"
#include "base/utf8.h"

enum { SHOWN_VALUE_MAX = 80, SHOWN_NAMES_MAX = 6 };

/* ---- scopes and variables ---- */

static void scope_release(const mls_scope *scope, mls_scope_state *state)
{
    for (size_t i = 0; state->variables != NULL && i < scope->symbols.count; i++)
        mls_arena_release(&state->variables[i].memory);
    mls_arena_release(&state->memory);
    *state = (mls_scope_state){0};
}

static void release_scopes(mls_checker *checker)
{
    for (size_t i = 0; checker->scopes != NULL && i < checker->ruleset->scope_count; i++)
        scope_release(&checker->ruleset->scopes[i], &checker->scopes[i]);
    checker->scopes = NULL;
}

void mls_scope_prepare(mls_checker *checker, size_t scope_index)
{
    const mls_scope *scope = &checker->ruleset->scopes[scope_index];
    mls_scope_state *state = &checker->scopes[scope_index];
    if (state->rules == NULL) {
        state->rules = mls_arena_zeroed(&checker->memory, scope->rule_count, sizeof *state->rules);
        state->variables = mls_arena_array(&checker->memory, scope->symbols.count, sizeof *state->variables);
        memcpy(state->variables, scope->initial, scope->symbols.count * sizeof *state->variables);
    }
}

/* Mark a scope, and all scopes that it has queued or may still queue.  Each scope is visited once. */
static void reach_scope(const mls_checker *checker, size_t scope, bool *reached)
{
    const mls_ruleset *ruleset = checker->ruleset;
    const mls_scope_state *state = &checker->scopes[scope];
    const mls_scope *rules = &ruleset->scopes[scope];
    reached[scope] = true;
    for (size_t i = 0; i < state->uses.count; i++) {
        const size_t used = state->uses.items[i].scope;
        if (used != SIZE_MAX && !reached[used])
            reach_scope(checker, used, reached);
    }
    for (size_t r = 0; r < rules->rule_count; r++) {
        const mls_rule *rule = &rules->rules[r];
        const bool may = rule->has_use && !(rule->first_only && checker->keys[rule->key_index].count > 0);
        for (size_t i = 0; may && i < ruleset->scope_count; i++)
            if (!reached[i] && mls_actions_may_use(rule->actions, rule->action_count, ruleset->scopes[i].name))
                reach_scope(checker, i, reached);
    }
}

/* Find the scopes that are queued or may still be queued, and drop the others.  A rule that applies only to the first
 * record of its key cannot queue any more once that record has come. */
static void update_live(mls_checker *checker)
{
    const mls_ruleset *ruleset = checker->ruleset;
    bool reached[MLS_SCOPES_MAX] = {false};
    reach_scope(checker, ruleset->common, reached);
    for (size_t i = 0; i < ruleset->scope_count; i++) {
        mls_scope_state *state = &checker->scopes[i];
        if (state->live && !reached[i])
            scope_release(&ruleset->scopes[i], state);
        state->live = reached[i];
    }
}

static bool room_take(size_t *room, size_t size)
{
    const bool fits = size <= *room;
    *room -= fits ? size : 0;
    return fits;
}

bool mls_value_copy(const mls_value *value, mls_arena *arena, size_t *room, mls_value *copy)
{
    *copy = *value;
    if (!room_take(room, sizeof *value))
        return false;
    if (value->kind == MLS_JSON_STRING) {
        if (!room_take(room, value->as.string.len))
            return false;
        copy->as.string = mls_arena_copy(arena, value->as.string);
        return true;
    }
    if (value->kind == MLS_JSON_LIST) {
        const size_t count = value->as.list.count;
        if (count > *room / sizeof *value)
            return false;
        mls_value *items = mls_arena_array(arena, count, sizeof *items);
        copy->as.list.items = items;
        for (size_t i = 0; i < count; i++)
            if (!mls_value_copy(&value->as.list.items[i], arena, room, &items[i]))
                return false;
    } else if (value->kind == MLS_JSON_OBJECT) {
        const size_t count = value->as.object.count;
        if (count > *room / sizeof *value)
            return false;
        mls_value *values = mls_arena_array(arena, count, sizeof *values);
        mls_member *members = mls_arena_array(arena, count, sizeof *members);
        copy->as.object.members = members;
        for (size_t i = 0; i < count; i++) {
            const mls_member *from = &value->as.object.members[i];
            members[i] = (mls_member){mls_arena_copy(arena, from->name), &values[i]};
            if (!room_take(room, sizeof *from + from->name.len) ||
                !mls_value_copy(from->value, arena, room, &values[i]))
                return false;
        }
    }
    return true;
}

static bool variable_too_large(mls_checker *checker)
{
    return mls_expr_fail(&checker->input, "the variable would hold more than 1 MiB");
}

/* Set a variable.  The new value may refer to the old one, so copy it before the old one is freed. */
static bool variable_set(const mls_judging *j, size_t slot, const mls_value *value)
{
    mls_variable *variable = &j->state->variables[slot];
    mls_variable fresh = {.set = true};
    size_t room = MLS_VARIABLE_SIZE_MAX;
    const bool fits = mls_value_copy(value, &fresh.memory, &room, &fresh.value);
    fresh.used = MLS_VARIABLE_SIZE_MAX - room;
    mls_arena_release(fits ? &variable->memory : &fresh.memory);
    *variable = fits ? fresh : *variable;
    return fits || variable_too_large(j->checker);
}

static bool variable_append(const mls_judging *j, size_t slot, const mls_value *items)
{
    mls_variable *variable = &j->state->variables[slot];
    mls_value *list = &variable->value;
    mls_value *grown = (mls_value *)(uintptr_t)list->as.list.items; /* with capacity 0, growing makes a copy */
    size_t room = MLS_VARIABLE_SIZE_MAX - variable->used;
    mls_value copy;
    if (!mls_value_copy(items, &variable->memory, &room, &copy))
        return variable_too_large(j->checker);
    variable->used = MLS_VARIABLE_SIZE_MAX - room;
    for (size_t i = 0; i < copy.as.list.count; i++) {
        (void)mls_arena_grow(&variable->memory, (void **)&grown, list->as.list.count, &variable->capacity,
                             sizeof *grown);
        grown[list->as.list.count++] = copy.as.list.items[i];
        list->as.list.items = grown;
    }
    return true;
}

/* ---- one rule and one record ---- */

void mls_judging_stage(const mls_judging *j, mls_staged_list *list, mls_finding_code code, mls_buffer *message)
{
    if (list->count++ < MLS_STAGED_MAX) {
        const mls_str key = code == MLS_FINDING_EVALUATION ? MLS_S("@evaluation") : j->rule->key;
        mls_staged *staged = mls_arena_alloc(&j->state->memory, sizeof *staged);
        mls_buffer_printf(message, " (%s, %s)", j->scope->name.ptr, j->checker->ruleset->edition.ptr);
        *staged = (mls_staged){.code = code,
                               .place = {NULL, j->record->line, j->record->column, key},
                               .message = mls_arena_copy(&j->state->memory, mls_buffer_str(message))};
        *(list->last != NULL ? &list->last->next : &list->first) = staged;
        list->last = staged;
    }
    mls_buffer_release(message);
}

/* Append "; submission_division, which sets compile_time_mins, has not been logged yet: log it before init_stop",
 * unless the message names the key already. */
static void hint_not_yet(const mls_judging *j, const mls_expr *expr, mls_buffer *message)
{
    const mls_checker *checker = j->checker;
    for (const mls_expr_node *node = expr->nodes; node != NULL; node = node->next) {
        const mls_setter *setter = node->op == MLS_EXPR_VARIABLE ? &j->scope->setters[node->slot] : NULL;
        if (setter == NULL || setter->key.ptr == NULL)
            continue;
        const size_t key = mls_ruleset_find_key(checker->ruleset, setter->key);
        mls_buffer named = {0};
        mls_buffer_printf(&named, " after %s| of %s", setter->key.ptr, setter->key.ptr);
        if (key != SIZE_MAX && checker->keys[key].count == 0 &&
            !mls_str_any(mls_buffer_str(message), named.ptr, mls_str_contains)) {
            mls_buffer_printf(message, "; %s", setter->key.ptr);
            if (!setter->copies)
                mls_buffer_printf(message, ", which sets %.*s,", (int)node->text.len - 1, node->text.ptr + 1);
            mls_buffer_printf(message, " has not been logged yet: log it before %s", j->rule->key.ptr);
        }
        mls_buffer_release(&named);
    }
}

/* Append the members of the metadata if a required member is missing. */
static void hint_metadata(const mls_judging *j, const mls_expr *expr, mls_buffer *message)
{
    const mls_record *record = j->record;
    if (record->payload.ptr == NULL)
        return; /* a derived record */
    const mls_value *tree = mls_value_build(record->metadata, &j->checker->scratch);
    if (tree->kind != MLS_JSON_OBJECT) {
        mls_buffer_append_text(message, "; its metadata is ");
        mls_utf8_append_cut(message, record->metadata, SHOWN_VALUE_MAX);
        return;
    }
    const size_t count = tree->as.object.count;
    mls_buffer_append_text(message, count > 0 ? "; it has " : "; it has none");
    for (size_t i = 0; i < count; i++) {
        mls_buffer_append_text(message, i > 0 ? ", " : "");
        if (i == SHOWN_NAMES_MAX) {
            mls_buffer_append_text(message, "…");
            break;
        }
        mls_utf8_append_cut(message, tree->as.object.members[i].name, SHOWN_VALUE_MAX);
    }
    const bool wants_samples = mls_str_contains(expr->text, MLS_S("\"samples_count\""));
    const bool wants_epoch = mls_str_contains(expr->text, MLS_S("\"epoch_num\""));
    if (wants_samples && !wants_epoch && mls_value_member(tree, MLS_S("epoch_num")) != NULL)
        mls_buffer_append_text(message, "; was samples_count logged as epoch_num?");
    else if (wants_epoch && !wants_samples && mls_value_member(tree, MLS_S("samples_count")) != NULL)
        mls_buffer_append_text(message, "; was epoch_num logged as samples_count?");
}

/* Add the finding that a check was false or could not be evaluated. */
static void check_failed(const mls_judging *j, const mls_expr *expr, mls_outcome outcome)
{
    mls_expr_input *input = &j->checker->input;
    mls_staged_list *list = &j->rule_state->checks;
    const mls_finding_code code = mls_rule_words_code(expr);
    mls_buffer message = {0};
    char reason[sizeof input->reason];
    memcpy(reason, input->reason, sizeof reason); /* the words below may evaluate too, and overwrite the reason */
    if (list->count < MLS_STAGED_MAX) {
        mls_buffer_append(&message, j->rule->key);
        mls_buffer_append_char(&message, ' ');
        mls_rule_words_expr(&message, j->scope, expr, input, false);
        if (outcome == MLS_OUTCOME_UNKNOWN) {
            mls_buffer_printf(&message, ", but %s", reason);
        } else if (code == MLS_FINDING_VALUE && mls_expr_uses(expr, MLS_EXPR_VALUE)) {
            mls_buffer_append_text(&message, ", is ");
            mls_utf8_append_cut(&message, j->record->value, SHOWN_VALUE_MAX);
        } else if (code == MLS_FINDING_METADATA) {
            hint_metadata(j, expr, &message);
        }
        hint_not_yet(j, expr, &message);
    }
    mls_judging_stage(j, list, outcome == MLS_OUTCOME_UNKNOWN ? MLS_FINDING_UNEVALUATED : code, &message);
}

/* Run a list of checks.  If several cannot be evaluated, report only the first failure of a record. */
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

/* Get the progress of the run from a member of the record's metadata (NAN: not a number).  Return false without it. */
static bool progress_by(const mls_judging *j, mls_str name, double *progress)
{
    mls_str span;
    const bool found = mls_record_metadata_member(j->record, name, &span);
    *progress = NAN;
    if (found)
        (void)mls_json_number(span, progress);
    return found;
}

/* Keep the value closest to a target, and its place, in case no value reaches the target. */
static void target_note(const mls_judging *j, const mls_expr *expr)
{
    const mls_record *record = j->record;
    mls_rule_state *state = j->rule_state;
    const mls_expr_node *node = expr->root;
    mls_value value;
    double number;
    while (node->op == MLS_EXPR_AND)
        node = node->operands[0];
    if (node->op < MLS_EXPR_LESS || node->op > MLS_EXPR_GREATER_EQUAL || node->operands[0]->op != MLS_EXPR_VALUE ||
        record->payload.ptr == NULL || !mls_expr_evaluate(node->operands[0], &j->checker->input, &value) ||
        !mls_value_number(&value, &number) || isnan(number))
        return;
    const int direction = node->op <= MLS_EXPR_LESS_EQUAL ? -1 : 1;
    if (state->best_line == 0 || (number - state->best) * direction > 0) {
        state->best = number;
        state->best_line = record->line;
        state->best_in_samples = progress_by(j, MLS_S("samples_count"), &state->best_progress);
        if (!state->best_in_samples)
            (void)progress_by(j, MLS_S("epoch_num"), &state->best_progress);
    }
}

/* Check the targets of a rule.  One record must reach all of them. */
static void targets_run(const mls_judging *j)
{
    const mls_expr_list *targets = &j->rule->check_any;
    mls_staged_list *list = &j->rule_state->others;
    bool held = true;
    j->rule_state->any_judged = true;
    for (size_t i = 0; i < targets->count; i++) {
        const mls_expr *target = &targets->items[i];
        const mls_outcome outcome = mls_expr_test(target, &j->checker->input);
        held = held && outcome == MLS_OUTCOME_TRUE;
        if (outcome == MLS_OUTCOME_UNKNOWN) {
            mls_buffer message = {0};
            if (list->count < MLS_STAGED_MAX) {
                mls_buffer_printf(&message, "%s must be comparable with the target (", j->rule->key.ptr);
                mls_rule_words_expr(&message, j->scope, target, NULL, true);
                mls_buffer_printf(&message, "), but %s", j->checker->input.reason);
                hint_not_yet(j, target, &message);
            }
            mls_judging_stage(j, list, MLS_FINDING_EVALUATION, &message);
        }
    }
    j->rule_state->any_held |= held;
    if (!j->rule_state->any_held)
        target_note(j, &targets->items[0]);
}

/* Add the scope that the rule queues, unless it is known already.  Return false if the expression cannot be evaluated.
 */
static bool use_run(const mls_judging *j, const mls_action *action)
{
    mls_checker *checker = j->checker;
    mls_scope_state *state = j->state;
    const mls_str written = j->record->value;
    mls_value value = {.kind = MLS_JSON_STRING};
    mls_buffer name = {0};
    if (action->has_expr && !mls_expr_evaluate(action->expr.root, &checker->input, &value))
        return false;
    mls_buffer_append(&name, action->prefix);
    if (value.kind == MLS_JSON_STRING)
        mls_buffer_append(&name, value.as.string);
    else
        mls_value_show(&name, &value);
    mls_buffer_append(&name, action->suffix);
    const size_t target = mls_ruleset_find_scope(checker->ruleset, mls_buffer_str(&name));
    if (target == SIZE_MAX && mls_expr_uses(&action->expr, MLS_EXPR_VALUE) && written.len > 1 &&
        written.ptr[0] == '"') {
        mls_buffer_clear(&name); /* rules compare bytes as Latin-1, but messages show the bytes of the file */
        mls_buffer_append(&name, action->prefix);
        mls_buffer_append(&name, (mls_str){written.ptr + 1, written.len - 2});
        mls_buffer_append(&name, action->suffix);
    }
    bool noted = target == SIZE_MAX && state->unknown_uses == MLS_UNKNOWN_USES_MAX;
    for (size_t i = 0; i < state->uses.count && !noted; i++) {
        const mls_use *use = &state->uses.items[i];
        noted = use->scope == target && (target != SIZE_MAX || mls_str_equal(use->name, mls_buffer_str(&name)));
    }
    if (!noted) {
        const mls_str kept = mls_arena_copy(&checker->memory, mls_utf8_cut(mls_buffer_str(&name), MLS_VALUE_KEPT_MAX));
        state->unknown_uses += target == SIZE_MAX;
        (void)MLS_ARENA_ADD(&checker->memory, &state->uses, (mls_use){target, kept, j->rule->key, j->record->line});
    }
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
                       variable_append(j, action->slot, &value);
                break;
            }
            /* fall through */
        case MLS_ACTION_SET:
            done = mls_expr_evaluate(expr->root, input, &value) && variable_set(j, action->slot, &value);
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
    if (rule->first_only && !first)
        return;
    j->checker->input.variables = j->state->variables;
    const bool reported = checks_run(j, &rule->check, false);
    if (first && rule->check_first.count > 0)
        (void)checks_run(j, &rule->check_first, reported);
    if (rule->check_any.count > 0)
        targets_run(j);
    if (rule->action_count > 0 && !actions_run(j, rule->actions, rule->action_count)) {
        mls_buffer message = {0};
        mls_buffer_printf(&message, "%s cannot be used by the rules that depend on it: %s", rule->key.ptr,
                          j->checker->input.reason);
        mls_judging_stage(j, &j->rule_state->others, MLS_FINDING_ACTION, &message);
    }
}

/* ---- a log ---- */

mls_status mls_checker_new(const mls_checker_options *options, mls_checker **checker)
{
    *checker = mls_calloc(1, sizeof **checker);
    (*checker)->options = *options;
    mls_checker_reset(*checker);
    return MLS_OK;
}

void mls_checker_free(mls_checker *checker)
{
    if (checker != NULL) {
        release_scopes(checker);
        mls_arena_release(&checker->memory);
        mls_arena_release(&checker->scratch);
        mls_records_release(&checker->kept);
        mls_findings_release(&checker->findings);
        free(checker);
    }
}

void mls_checker_reset(mls_checker *checker)
{
    release_scopes(checker);
    mls_findings_release(&checker->findings);
    mls_records_forget(&checker->kept);
    mls_arena_reset(&checker->memory);
    mls_arena_reset(&checker->scratch);
    *checker = (mls_checker){.options = checker->options,
                             .memory = checker->memory,
                             .scratch = checker->scratch,
                             .kept = checker->kept,
                             .keeps = checker->options.ruleset == NULL,
                             .ruleset = checker->options.ruleset,
                             .first_ms = NAN};
}

void mls_checker_turn(mls_checker *checker, const mls_ruleset *ruleset)
{
    checker->options.ruleset = ruleset;
    mls_checker_reset(checker);
}

mls_status mls_checker_malformed(mls_checker *checker, const mls_malformed *malformed)
{
    const mls_finding_place place = {.line = malformed->line, .column = malformed->column, .key = MLS_S("@malformed")};
    /* If two processes wrote to one line, the payload contains a marker, or the start of another record. */
    const mls_str payload = malformed->payload;
    const char *key = payload.len > 0 ? memmem(payload.ptr, payload.len, "\"key\"", 5) : NULL;
    const bool two = key != NULL && mls_str_contains((mls_str){key + 5, payload.len - (size_t)(key + 5 - payload.ptr)},
                                                     MLS_S("\"key\""));
    mls_findings_add(&checker->findings, MLS_FINDING_MALFORMED, place, "not a record: %s%s", malformed->reason,
                     malformed->torn || two ? "; two processes seem to have written into this line" : "");
    return MLS_OK;
}

static mls_kept_value value_keep(mls_checker *checker, mls_str text)
{
    mls_kept_value kept = {.hash = mls_str_hash(text, 0), .length = text.len};
    if (text.len <= MLS_VALUE_KEPT_MAX)
        kept.text = mls_arena_copy(&checker->memory, text);
    return kept;
}

/* Check whether a value equals the kept one.  Compare contents only if the texts differ. */
static bool value_is_kept(mls_checker *checker, const mls_kept_value *kept, mls_str text)
{
    if (kept->text.ptr == NULL || text.len > MLS_VALUE_KEPT_MAX)
        return kept->length == text.len && kept->hash == mls_str_hash(text, 0);
    const bool same = mls_str_equal(kept->text, text);
    if (same && (mls_json_kind_of(text) == MLS_JSON_STRING || !mls_str_contains(text, MLS_S("NaN"))))
        return true;
    const mls_value *first = mls_value_build(kept->text, &checker->scratch);
    const mls_value *value = mls_value_build(text, &checker->scratch);
    return mls_value_equal(first, value);
}

static void count_key(mls_checker *checker, size_t key_index, const mls_record *record)
{
    mls_key_state *state = &checker->keys[key_index];
    if (state->count < 2)
        state->lines[state->count] = record->line;
    state->count++;
    if (!checker->ruleset->keys[key_index].compare_values || state->other_line != 0)
        return;
    if (state->count == 1) {
        state->first = value_keep(checker, record->value);
    } else if (!value_is_kept(checker, &state->first, record->value)) {
        state->other = value_keep(checker, record->value);
        state->other_line = record->line;
    }
}

/* Check whether the rule file of an edition contains the quoted key. */
static bool is_in_file(const mls_edition *edition, mls_str key)
{
    char quoted[MLS_UNKNOWN_KEY_LENGTH_MAX + 3];
    char name[64];
    (void)snprintf(name, sizeof name, "rules/%s-%s.json", mls_usage_name(edition->usage), edition->name);
    (void)snprintf(quoted, sizeof quoted, "\"%.*s\"", (int)key.len, key.ptr);
    return mls_str_contains(mls_data_find(name), mls_str_from(quoted));
}

/* Judge the log by `next` if it is the first edition with rules for the key.  The first rule file that contains a key
 * introduces it, so the rules need not be loaded for other editions. */
static void follow_key(mls_checker *checker, mls_str key)
{
    mls_rulesets *rulesets = checker->options.rulesets;
    const mls_edition *next = checker->next;
    const mls_edition *edition;
    const mls_ruleset *ruleset;
    if (!checker->keeps || next == NULL || checker->decided)
        return;
    bool first = is_in_file(next, key);
    for (size_t i = 0; first && (edition = mls_editions_get(mls_rulesets_editions(rulesets), next->usage, i)) != next;
         i++)
        first = !is_in_file(edition, key);
    if (first && mls_rulesets_get(rulesets, next, &ruleset, NULL) == MLS_OK &&
        mls_ruleset_find_key(ruleset, key) != SIZE_MAX) {
        checker->better = next;
        checker->decided = true;
    }
}

/* Check whether the first benchmark, and the keys before it, point to another edition than the date alone. */
static void note_benchmark(mls_checker *checker, const mls_record *record)
{
    const mls_map *unknown = &checker->advice.unknown;
    mls_str text = {NULL, 0};
    (void)mls_json_string(record->value, &checker->memory, &text);
    checker->benchmark = text.ptr;
    checker->benchmark_line = record->line;
    if (checker->edition == NULL || checker->decided)
        return;
    const mls_editions *editions = mls_rulesets_editions(checker->options.rulesets);
    const mls_str benchmark = mls_str_from(text.ptr != NULL ? text.ptr : "");
    const mls_usage asked = checker->options.usage;
    const mls_usage usage = checker->options.any_usage ? mls_editions_usage_of(editions, asked, benchmark) : asked;
    const mls_edition *edition = mls_editions_guess(editions, usage, checker->first_ms, benchmark);
    checker->next = mls_editions_neighbour(editions, edition, benchmark, 1);
    checker->better = edition != checker->edition ? edition : NULL;
    for (size_t i = 0; i < unknown->count && checker->better == NULL; i++)
        follow_key(checker, unknown->entries[i].key);
}

/* Apply the rules for a known key, of all scopes that may be queued, to a record. */
static void apply_rules(mls_checker *checker, size_t key_index, const mls_record *record)
{
    const mls_ruleset *ruleset = checker->ruleset;
    const mls_rule_key *key = &ruleset->keys[key_index];
    const bool first = checker->keys[key_index].count == 0;
    bool queues = false;
    mls_checker_turn_to(checker, record);
    count_key(checker, key_index, record);
    for (const mls_rule *rule = key->rules; rule != NULL; rule = rule->next) {
        if (checker->scopes[rule->scope].live) {
            mls_scope_prepare(checker, rule->scope);
            const mls_judging j = mls_judging_of(checker, rule, record);
            mls_rule_apply(&j, first);
            queues |= rule->has_use && rule->first_only && first;
        }
    }
    if (key->derived_from) {
        for (size_t s = 0; s < ruleset->scope_count; s++) {
            if (checker->scopes[s].live && ruleset->scopes[s].derive.key.ptr != NULL &&
                ruleset->scopes[s].derive_from == key_index) {
                mls_scope_prepare(checker, s);
                mls_derive_record(checker, s, record);
            }
        }
    }
    if (queues)
        update_live(checker);
    if (first && record->key_id == MLS_KEY_SUBMISSION_BENCHMARK)
        note_benchmark(checker, record);
}

static mls_status judge_record(void *state, const mls_record *record)
{
    mls_checker *checker = state;
    const bool other = record->key_id == MLS_KEY_OTHER && record->key.ptr != NULL;
    const size_t key = other                     ? mls_ruleset_find_key(checker->ruleset, record->key)
                       : record->key.ptr != NULL ? checker->ruleset->key_of_id[record->key_id]
                                                 : SIZE_MAX;
    mls_advice_record(checker, record);
    if (key != SIZE_MAX)
        apply_rules(checker, key, record);
    else if (other && mls_advice_unknown_key(checker, record))
        follow_key(checker, record->key);
    return MLS_OK;
}

/* Judge all records again, from the first, by an edition.  NULL means the given rules or, without them, the edition for
 * the date of the first record. */
static mls_status judge_by(mls_checker *checker, const mls_edition *edition)
{
    const mls_checker_options *options = &checker->options;
    mls_status status = options->ruleset != NULL || options->rulesets != NULL ? MLS_OK : MLS_ERROR_VALUE;
    release_scopes(checker);
    mls_arena_reset(&checker->memory);
    checker->better = NULL;
    checker->benchmark = NULL;
    checker->advice = (mls_advice_state){.last_time_ms = -INFINITY, .unknown.arena = &checker->memory};
    checker->input = (mls_expr_input){.arena = &checker->scratch};
    if (edition == NULL && options->ruleset == NULL && status == MLS_OK) {
        edition =
            mls_editions_guess(mls_rulesets_editions(options->rulesets), options->usage, checker->first_ms, MLS_S(""));
    }
    checker->edition = edition;
    if (edition != NULL)
        status = mls_rulesets_get(options->rulesets, edition, &checker->ruleset, NULL);
    if (status != MLS_OK)
        return status;
    const mls_ruleset *ruleset = checker->ruleset;
    checker->keys = mls_arena_zeroed(&checker->memory, ruleset->key_names.count, sizeof *checker->keys);
    checker->scopes = mls_arena_zeroed(&checker->memory, ruleset->scope_count, sizeof *checker->scopes);
    update_live(checker); /* at first, any scope that could ever be queued */
    const mls_sink sink = {.state = checker, .record = judge_record};
    return mls_records_replay(&checker->kept, &sink);
}

mls_status mls_checker_record(mls_checker *checker, const mls_record *record)
{
    mls_status status = MLS_OK;
    if (checker->records++ == 0) {
        checker->first_ms = record->time_ms;
        status = judge_by(checker, NULL);
    }
    if (record->torn) {
        mls_findings_add(&checker->findings, MLS_FINDING_TORN_LINE,
                         (mls_finding_place){.line = record->line, .column = record->column}, "%s",
                         mls_record_torn_words(record).text);
    }
    if (checker->keeps) {
        checker->keeps = record->key_id != MLS_KEY_RUN_START && record->key_id != MLS_KEY_RUN_STOP &&
                         record->payload.len < MLS_KEPT_BYTES_MAX - checker->kept.bytes.len;
        if (checker->keeps)
            (void)mls_records_keep(&checker->kept, record);
    }
    if (status == MLS_OK)
        status = judge_record(checker, record);
    while (status == MLS_OK && checker->better != NULL && checker->keeps)
        status = judge_by(checker, checker->better);
    return status;
}

mls_status mls_checker_end(mls_checker *checker)
{
    const mls_status status = checker->scopes == NULL ? judge_by(checker, NULL) : MLS_OK;
    if (status != MLS_OK)
        return status;
    if (checker->records == 0) {
        mls_findings_add(&checker->findings, MLS_FINDING_EMPTY, (mls_finding_place){.key = MLS_S("@empty")},
                         "the log contains no record");
    }
    mls_checker_judge(checker);
    mls_findings_sort(&checker->findings);
    return MLS_OK;
}

void mls_checker_take_findings(mls_checker *checker, mls_findings *findings)
{
    *findings = checker->findings;
    checker->findings = (mls_findings){0};
}

mls_verdict mls_checker_verdict(const mls_checker *checker)
{
    const mls_ruleset *ruleset = checker->ruleset;
    return (mls_verdict){.valid = checker->findings.counts.error == 0,
                         .guessed = checker->edition != NULL,
                         .by_date = checker->edition != NULL && mls_time_is_date(checker->first_ms),
                         .usage = ruleset != NULL ? ruleset->usage : checker->options.usage,
                         .edition = ruleset != NULL ? ruleset->edition.ptr : NULL,
                         .benchmark_line = checker->benchmark_line,
                         .findings = &checker->findings};
}
