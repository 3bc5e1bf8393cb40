/* SPDX-License-Identifier: Apache-2.0 */
/*
 * checker_end.c - the verdict, when the log has ended.
 *
 * The queue is played through; of what the scopes in it found, what a later
 * one overrules is left out: findings that checks and occurrences made for a
 * key count only from the last scope that has a rule for it.
 */
#include <math.h>
#include <string.h>

#include "base/buffer.h"
#include "base/number.h"
#include "rules/checker.h"
#include "rules/rule_words.h"

static mls_finding_place end_place(size_t line, mls_str key)
{
    return (mls_finding_place){.line = line, .key = key};
}

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
        for (size_t i = 0; i < state->use_count; i++) {
            const mls_use *use = &state->uses[i];
            if (use->scope == SIZE_MAX) {
                mls_findings_add(&checker->findings, MLS_FINDING_UNKNOWN_SCOPE,
                                 end_place(use->line, MLS_S("@unknown-scope")),
                                 "%.*s asks for the rules %.*s, which %s %s does not have", (int)use->key.len,
                                 use->key.ptr, use->name.len > 80 ? 80 : (int)use->name.len, use->name.ptr,
                                 mls_usage_name(ruleset->usage), ruleset->edition.ptr);
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
    for (size_t later = at + 1; later < checker->order_count; later++) {
        if (mls_scope_find_rule(checker->ruleset, checker->order[later], key) != NULL) {
            return true;
        }
    }
    return false;
}

/* ---------------------------------------------------------------- occurrences */

typedef struct mls_count {
    mls_checker *checker;
    const mls_scope *scope;
    const mls_rule *rule;
    const mls_key_state *key;
    size_t count; /* derived records included */
} mls_count;

static void quote_kept(mls_buffer *buffer, const mls_kept_value *value)
{
    enum { MLS_SHOWN_MAX = 60 };
    const bool cut = value->text.ptr == NULL || value->text.len > MLS_SHOWN_MAX;
    mls_buffer_append(buffer, (mls_str){value->text.ptr, value->text.ptr == NULL ? 0
                                                         : cut                   ? MLS_SHOWN_MAX
                                                                                 : value->text.len});
    mls_buffer_append_text(buffer, cut ? "…" : "");
}

static void occurrence_missing(const mls_count *c, mls_str key, size_t line)
{
    mls_buffer message = {0};
    mls_buffer_append(&message, c->rule->key);
    mls_buffer_append_text(&message, " must be logged ");
    mls_rule_words_occurs(&message, c->rule);
    if (c->count == 0) {
        mls_buffer_append_text(&message, ", is missing");
    } else {
        mls_buffer_printf(&message, ", is logged %zu time%s", c->count, c->count == 1 ? "" : "s");
    }
    mls_buffer_printf(&message, " (%s, %s)", c->scope->name.ptr, c->checker->ruleset->edition.ptr);
    c->checker->out_of_memory |= message.failed;
    mls_findings_add(&c->checker->findings, MLS_FINDING_OCCURRENCE, end_place(line, key), "%s",
                     message.ptr != NULL ? message.ptr : "");
    mls_buffer_release(&message);
}

static void occurrence_several(const mls_count *c)
{
    const mls_key_state *key = c->key;
    mls_buffer message = {0};
    mls_buffer_append(&message, c->rule->key);
    if (key->other_line == 0) {
        mls_buffer_printf(&message, " is logged %zu times with the same value, first at line %zu; once is enough",
                          c->count, key->first_line);
        mls_findings_add(&c->checker->findings, MLS_FINDING_REPEATED, end_place(key->second_line, c->rule->key), "%s",
                         message.ptr != NULL ? message.ptr : "");
    } else {
        mls_buffer_printf(&message,
                          " must be logged exactly once, is logged %zu times with different values: ", c->count);
        quote_kept(&message, &key->first);
        mls_buffer_printf(&message, " at line %zu, ", key->first_line);
        quote_kept(&message, &key->other);
        mls_buffer_printf(&message, " at line %zu (%s, %s)", key->other_line, c->scope->name.ptr,
                          c->checker->ruleset->edition.ptr);
        mls_findings_add(&c->checker->findings, MLS_FINDING_OCCURRENCE, end_place(key->other_line, c->rule->key), "%s",
                         message.ptr != NULL ? message.ptr : "");
    }
    c->checker->out_of_memory |= message.failed;
    mls_buffer_release(&message);
}

static bool either_came(const mls_checker *checker, const mls_rule *rule)
{
    for (size_t i = 0; i < rule->other_count; i++) {
        const size_t key = mls_ruleset_find_key(checker->ruleset, rule->others[i]);
        if (key != SIZE_MAX && checker->keys[key].count > 0) {
            return true;
        }
    }
    return false;
}

static void judge_occurrence(mls_checker *checker, size_t scope_index, const mls_rule *rule, bool overruled)
{
    const mls_scope *scope = &checker->ruleset->scopes[scope_index];
    mls_count c = {checker, scope, rule, &checker->keys[rule->key_index], checker->keys[rule->key_index].count};
    if (scope->derive.key.ptr != NULL && mls_str_equal(scope->derive.key, rule->key)) {
        c.count += checker->scopes[scope_index].groups.count;
    }
    switch (rule->occurs) {
    case MLS_OCCURS_ANY:
        break;
    case MLS_OCCURS_EXACTLY_ONE:
        if (!overruled && c.count == 0) {
            occurrence_missing(&c, rule->key, 0);
        } else if (!overruled && c.count > 1) {
            occurrence_several(&c);
        }
        break;
    case MLS_OCCURS_AT_LEAST:
        if (!overruled && c.count < rule->occurs_count) {
            occurrence_missing(&c, rule->key, 0);
        }
        break;
    case MLS_OCCURS_AT_LEAST_ONE_OR:
        if (c.count == 0 && !either_came(checker, rule)) {
            occurrence_missing(&c, rule->either, 0);
        }
        break;
    }
}

/* ---------------------------------------------------------------- targets and the end */

/* A count with its thousands grouped: 3,072. */
static void grouped_append(mls_buffer *buffer, double number)
{
    if (number != floor(number) || fabs(number) >= 1e15) {
        mls_number_append(buffer, number);
        return;
    }
    const size_t start = buffer->len;
    mls_buffer_printf(buffer, "%.0f", number);
    mls_buffer grouped = {0};
    const size_t digits = buffer->len - start;
    for (size_t i = 0; i < digits; i++) {
        const char c = buffer->ptr[start + i];
        if (i > 0 && (digits - i) % 3 == 0 && buffer->ptr[start + i - 1] != '-') {
            mls_buffer_append_char(&grouped, ',');
        }
        mls_buffer_append_char(&grouped, c);
    }
    buffer->len = start;
    mls_buffer_append(buffer, mls_buffer_str(&grouped));
    buffer->failed |= grouped.failed;
    mls_buffer_release(&grouped);
}

/* "; best was 0.931 at 3,072 samples, line 88" */
static void best_append(mls_buffer *message, const mls_rule_state *state)
{
    mls_buffer_append_text(message, "; best was ");
    mls_number_append(message, state->best);
    if (!isnan(state->best_progress)) {
        mls_buffer_append_text(message, state->best_in_samples ? " at " : " at epoch ");
        grouped_append(message, state->best_progress);
        mls_buffer_append_text(message, state->best_in_samples ? " samples" : "");
    }
    mls_buffer_printf(message, ", line %zu", state->best_line);
}

static void judge_target(mls_checker *checker, size_t scope_index, size_t rule_index)
{
    const mls_scope *scope = &checker->ruleset->scopes[scope_index];
    const mls_rule *rule = &scope->rules[rule_index];
    const mls_rule_state *state = &checker->scopes[scope_index].rules[rule_index];
    if (rule->check_any.count == 0 || !state->any_judged || state->any_held) {
        return;
    }
    mls_buffer message = {0};
    checker->input.variables = checker->scopes[scope_index].variables;
    mls_expr_input_begin(&checker->input, NULL);
    mls_buffer_append(&message, rule->key);
    mls_buffer_append_text(&message, " must reach ");
    for (size_t i = 0; i < rule->check_any.count; i++) {
        mls_buffer_append_text(&message, i > 0 ? " and " : "");
        mls_rule_words_target(&message, scope, &rule->check_any.items[i], &checker->input);
    }
    if (state->has_best) {
        best_append(&message, state);
    } else {
        mls_buffer_append_text(&message, "; no record did");
    }
    mls_buffer_printf(&message, " (%s, %s)", scope->name.ptr, checker->ruleset->edition.ptr);
    checker->out_of_memory |= message.failed;
    mls_findings_add(&checker->findings, MLS_FINDING_TARGET, end_place(state->best_line, rule->key), "%s",
                     message.ptr != NULL ? message.ptr : "");
    mls_buffer_release(&message);
}

static void judge_end(mls_checker *checker, size_t scope_index)
{
    const mls_scope *scope = &checker->ruleset->scopes[scope_index];
    for (size_t i = 0; i < scope->end.count; i++) {
        checker->input.variables = checker->scopes[scope_index].variables;
        mls_arena_reset(&checker->scratch);
        mls_expr_input_begin(&checker->input, NULL);
        const mls_outcome outcome = mls_expr_test(&scope->end.items[i], &checker->input);
        if (outcome == MLS_OUTCOME_TRUE) {
            continue;
        }
        mls_buffer message = {0};
        mls_buffer_append_text(&message, "at the end of the log ");
        if (outcome == MLS_OUTCOME_UNKNOWN) {
            mls_buffer_printf(&message, "a rule cannot be evaluated, since %s: ", checker->input.reason);
        }
        mls_rule_words_requirement(&message, scope, &scope->end.items[i], &checker->input);
        mls_buffer_printf(&message, " (%s, %s)", scope->name.ptr, checker->ruleset->edition.ptr);
        checker->out_of_memory |= message.failed;
        mls_findings_add(&checker->findings, MLS_FINDING_END, end_place(0, MLS_S("@end")), "%s",
                         message.ptr != NULL ? message.ptr : "");
        mls_buffer_release(&message);
    }
}

/* ---------------------------------------------------------------- putting it together */

static void staged_add(mls_checker *checker, const mls_rule *rule, const mls_staged *staged)
{
    const mls_str key = staged->code == MLS_FINDING_EVALUATION ? MLS_S("@evaluation") : rule->key;
    mls_finding_place place = end_place(staged->line, key);
    place.column = staged->column;
    mls_findings_add(&checker->findings, staged->code, place, "%.*s", (int)staged->message.len, staged->message.ptr);
}

/*
 * Adds the first finding of each rule, or all but the first, so that no rule's
 * only finding is lost behind the many of another.  What was not kept is counted.
 */
static void staged_take(mls_checker *checker, const mls_rule *rule, const mls_staged_list *list, bool first)
{
    const mls_staged *staged = list->first;
    if (staged == NULL) {
        return;
    }
    if (first) {
        staged_add(checker, rule, staged);
        return;
    }
    for (staged = staged->next; staged != NULL; staged = staged->next) {
        staged_add(checker, rule, staged);
    }
    if (list->errors > list->kept) {
        const size_t uncounted = list->errors - list->kept;
        checker->findings.found[list->last->code] += (uint32_t)uncounted;
        checker->findings.counts.error += uncounted;
    }
}

static void take_all(mls_checker *checker, bool first)
{
    for (size_t at = 0; at < checker->order_count; at++) {
        const size_t scope_index = checker->order[at];
        const mls_scope *scope = &checker->ruleset->scopes[scope_index];
        for (size_t r = 0; r < scope->rule_count; r++) {
            const mls_rule_state *state = &checker->scopes[scope_index].rules[r];
            staged_take(checker, &scope->rules[r], &state->others, first);
            if (state->checks.first != NULL && !is_overruled(checker, at, scope->rules[r].key_index)) {
                staged_take(checker, &scope->rules[r], &state->checks, first);
            }
        }
    }
}

void mls_checker_judge(mls_checker *checker)
{
    if (!queue_play(checker)) {
        return;
    }
    for (size_t at = 0; at < checker->order_count; at++) {
        const size_t scope_index = checker->order[at];
        const mls_scope *scope = &checker->ruleset->scopes[scope_index];
        for (size_t r = 0; r < scope->rule_count; r++) {
            if (checker->only != NULL && !checker->only->wanted[scope->rules[r].key_index]) {
                continue;
            }
            judge_target(checker, scope_index, r);
            judge_occurrence(checker, scope_index, &scope->rules[r],
                             is_overruled(checker, at, scope->rules[r].key_index));
        }
        judge_end(checker, scope_index);
    }
    take_all(checker, true);
    take_all(checker, false);
}
