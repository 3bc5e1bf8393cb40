/* SPDX-License-Identifier: Apache-2.0 */
/* checker_end.c - the verdict, when the log has ended.
 *
 * The queue is played through; of what the scopes in it found, what a later one overrules is left out: findings that
 * checks and occurrences made for a key count only from the last scope that has a rule for it. */
#include <math.h>

#include "base/buffer.h"
#include "base/utf8.h"
#include "base/words.h"
#include "rules/judging.h"

/* Plays the queue: who is judged, in which order.  False when memory ran out. */
static bool queue_play(mls_checker *checker)
{
    const mls_ruleset *ruleset = checker->ruleset;
    bool queued[MLS_SCOPES_MAX] = {false};
    checker->order_count = 0;
    checker->order[checker->order_count++] = ruleset->common;
    queued[ruleset->common] = true;
    for (size_t at = 0; at < checker->order_count; at++) {
        const size_t scope = checker->order[at];
        const mls_scope_state *state = &checker->scopes[scope];
        if (!mls_scope_prepare(checker, scope)) {
            return false;
        }
        if (ruleset->scopes[scope].derive.key.ptr != NULL) {
            mls_derive_finish(checker, scope); /* the made-up records may queue scopes too */
        }
        for (size_t i = 0; i < state->uses.count; i++) {
            const mls_use *use = &state->uses.items[i];
            if (use->scope == SIZE_MAX) {
                mls_findings_add(&checker->findings, MLS_FINDING_UNKNOWN_SCOPE,
                                 (mls_finding_place){.line = use->line, .key = MLS_S("@unknown-scope")},
                                 "%.*s asks for the rules %.*s, which %s %s does not have", (int)use->key.len,
                                 use->key.ptr, MLS_CUT(use->name, 80), mls_usage_name(ruleset->usage),
                                 ruleset->edition.ptr);
            } else if (!queued[use->scope]) {
                queued[use->scope] = true;
                checker->order[checker->order_count++] = use->scope;
            }
        }
    }
    return true;
}

/* Whether a scope judged later has a rule for the key, and so overrules the one at `at`. */
static bool is_overruled(const mls_checker *checker, size_t at, uint32_t key)
{
    return mls_scopes_have_rule(checker->ruleset, checker->order, at + 1, checker->order_count, key);
}

/* Makes a finding of a message and releases it; `placed`: with the scope and the edition after it. */
static void end_add(const mls_judging *j, mls_finding_code code, mls_finding_place place, bool placed,
                    mls_buffer *message)
{
    if (placed) {
        mls_buffer_printf(message, " (%s, %s)", j->scope->name.ptr, j->checker->ruleset->edition.ptr);
    }
    j->checker->out_of_memory |= message->failed;
    mls_findings_add(&j->checker->findings, code, place, "%s", message->ptr != NULL ? message->ptr : "");
    mls_buffer_release(message);
}

static void quote_kept(mls_buffer *buffer, const mls_kept_value *value)
{
    mls_utf8_append_cut(buffer, value->text.ptr != NULL ? value->text : MLS_S("…"), 60);
}

static void occurrence_missing(const mls_judging *j, mls_str key, size_t count)
{
    mls_buffer message = {0};
    mls_buffer_printf(&message, "%s must be logged ", j->rule->key.ptr);
    mls_rule_words_occurs(&message, j->rule);
    if (count == 0) {
        mls_buffer_append_text(&message, ", is missing");
    } else {
        mls_buffer_printf(&message, ", is logged %zu time%s", count, count == 1 ? "" : "s");
    }
    end_add(j, MLS_FINDING_OCCURRENCE, (mls_finding_place){.line = 0, .key = key}, true, &message);
}

static void occurrence_several(const mls_judging *j, const mls_key_state *key, size_t count)
{
    const bool differ = key->other_line > 0;
    mls_buffer message = {0};
    mls_buffer_printf(&message,
                      differ ? "%s must be logged exactly once, is logged %zu times with different values: "
                             : "%s is logged %zu times with the same value, first at line %zu; once is enough",
                      j->rule->key.ptr, count, key->lines[0]);
    if (differ) {
        quote_kept(&message, &key->first);
        mls_buffer_printf(&message, " at line %zu, ", key->lines[0]);
        quote_kept(&message, &key->other);
        mls_buffer_printf(&message, " at line %zu", key->other_line);
    }
    end_add(j, differ ? MLS_FINDING_OCCURRENCE : MLS_FINDING_REPEATED,
            (mls_finding_place){.line = differ ? key->other_line : key->lines[1], .key = j->rule->key}, differ,
            &message);
}

static bool either_came(const mls_checker *checker, const mls_rule *rule)
{
    for (size_t i = 0; i < rule->other_count; i++) {
        if (checker->keys[mls_ruleset_find_key(checker->ruleset, rule->others[i])].count > 0) {
            return true;
        }
    }
    return false;
}

static void judge_occurrence(const mls_judging *j, bool overruled)
{
    const mls_rule *rule = j->rule;
    const mls_key_state *key = &j->checker->keys[rule->key_index];
    const bool derived = j->scope->derive.key.ptr != NULL && mls_str_equal(j->scope->derive.key, rule->key);
    const size_t count = key->count + (derived ? j->state->groups.count : 0);
    if (rule->other_count > 0) {
        if (count == 0 && !either_came(j->checker, rule)) {
            occurrence_missing(j, rule->either, 0);
        }
    } else if (!overruled && count < rule->min) {
        occurrence_missing(j, rule->key, count);
    } else if (!overruled && rule->max == 1 && count > 1) {
        occurrence_several(j, key, count);
    }
}

/* "; best was 0.931 at 3,072 samples, line 88" */
static void best_append(mls_buffer *message, const mls_rule_state *state)
{
    mls_buffer_append_text(message, "; best was ");
    mls_buffer_append_text(message, mls_words_exact(state->best).text);
    if (!isnan(state->best_progress)) {
        mls_buffer_append_text(message, state->best_in_samples ? " at " : " at epoch ");
        mls_buffer_append_text(message, mls_words_trimmed(state->best_progress, 15).text);
        mls_buffer_append_text(message, state->best_in_samples ? " samples" : "");
    }
    mls_buffer_printf(message, ", line %zu", state->best_line);
}

static void judge_target(const mls_judging *j)
{
    const mls_expr_list *targets = &j->rule->check_any;
    const mls_rule_state *state = j->rule_state;
    mls_buffer message = {0};
    if (targets->count == 0 || !state->any_judged || state->any_held) {
        return;
    }
    mls_buffer_printf(&message, "%s must reach ", j->rule->key.ptr);
    for (size_t i = 0; i < targets->count; i++) {
        mls_buffer_append_text(&message, i > 0 ? " and " : "");
        mls_rule_words_expr(&message, j->scope, &targets->items[i], &j->checker->input, true);
    }
    if (state->best_line > 0) {
        best_append(&message, state);
    } else {
        mls_buffer_append_text(&message, "; no record did");
    }
    end_add(j, MLS_FINDING_TARGET, (mls_finding_place){.line = state->best_line, .key = j->rule->key}, true, &message);
}

static void judge_end(const mls_judging *j)
{
    mls_expr_input *input = &j->checker->input;
    for (size_t i = 0; i < j->scope->end.count; i++) {
        const mls_expr *expr = &j->scope->end.items[i];
        mls_checker_turn_to(j->checker, NULL);
        const mls_outcome outcome = mls_expr_test(expr, input);
        if (outcome == MLS_OUTCOME_TRUE) {
            continue;
        }
        mls_buffer message = {0};
        mls_buffer_append_text(&message, "at the end of the log ");
        if (outcome == MLS_OUTCOME_UNKNOWN) {
            mls_buffer_printf(&message, "a rule cannot be evaluated, since %s: ", input->reason);
        }
        mls_rule_words_expr(&message, j->scope, expr, input, false);
        end_add(j, MLS_FINDING_END, (mls_finding_place){.line = 0, .key = MLS_S("@end")}, true, &message);
    }
}

/* Adds the first finding of each rule, or all but the first, so that no rule's only finding is lost after the many of
 * another.  What was not kept is counted. */
static void staged_take(mls_checker *checker, const mls_staged_list *list, bool first)
{
    const mls_staged *staged = first || list->first == NULL ? list->first : list->first->next;
    for (; staged != NULL; staged = first ? NULL : staged->next) {
        mls_findings_add(&checker->findings, staged->code, staged->place, "%s", staged->message.ptr);
    }
    if (!first && list->count > MLS_STAGED_MAX && list->last != NULL) {
        const size_t uncounted = list->count - MLS_STAGED_MAX;
        mls_findings_count_more(&checker->findings, list->last->code, MLS_SEVERITY_ERROR, uncounted);
    }
}

static void take_all(mls_checker *checker, bool first)
{
    for (size_t at = 0; at < checker->order_count; at++) {
        const size_t scope_index = checker->order[at];
        const mls_scope *scope = &checker->ruleset->scopes[scope_index];
        for (size_t r = 0; r < scope->rule_count; r++) {
            const mls_rule_state *state = &checker->scopes[scope_index].rules[r];
            staged_take(checker, &state->others, first);
            if (state->checks.first != NULL && !is_overruled(checker, at, scope->rules[r].key_index)) {
                staged_take(checker, &state->checks, first);
            }
        }
    }
}

void mls_checker_judge(mls_checker *checker)
{
    if (!queue_play(checker)) {
        return;
    }
    mls_checker_turn_to(checker, NULL);
    for (size_t at = 0; at < checker->order_count; at++) {
        const mls_scope *scope = &checker->ruleset->scopes[checker->order[at]];
        mls_judging j = {.checker = checker, .scope = scope};
        checker->input.variables = checker->scopes[checker->order[at]].variables;
        for (size_t r = 0; r < scope->rule_count; r++) {
            j = mls_judging_of(checker, &scope->rules[r], NULL);
            judge_target(&j);
            judge_occurrence(&j, is_overruled(checker, at, j.rule->key_index));
        }
        judge_end(&j);
    }
    take_all(checker, true);
    take_all(checker, false);
}
