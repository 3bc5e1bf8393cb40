/* SPDX-License-Identifier: Apache-2.0 */
/* checker_end.c - the end of a log: derived records, the verdict, and advice.
 *
 * Records of one key that belong together, such as the metrics of an evaluation, are merged into one derived record at
 * the end of the log.  Then the queue of scopes is replayed.  Findings for a key count only from the last scope with a
 * rule for it.  Advice reports oddities that the rules do not cover, and never makes a log invalid. */
#include <math.h>

#include "base/utf8.h"
#include "base/words.h"
#include "rules/judging.h"

/* Smaller differences between clocks are not reported. */
#define BACKWARDS_MS 1000.0
#define LONG_RUN_MS (24 * 3600 * 1000.0)

/* ---- derived records ---- */

enum {
    GROUPS_MAX = 4096, /* derived records of one scope */
    GROUP_MEMBERS_MAX = 64,
    DERIVED_SIZE_MAX = 4 << 20 /* bytes of values kept for derived records */
};

/* The value of a derived record.  Its first member is the value it is grouped by, unless a metric has that name. */
typedef struct derived_group {
    double time_ms;
    mls_member *members;
    size_t count;
    size_t capacity;
} derived_group;

/* Set a member of a group.  Return false if there is not enough room. */
static bool put_member(mls_scope_state *state, derived_group *group, mls_str name, const mls_value *value)
{
    size_t room = DERIVED_SIZE_MAX - state->groups_size;
    size_t at = 0;
    while (at < group->count && !mls_str_equal(group->members[at].name, name))
        at++;
    if (at > GROUP_MEMBERS_MAX || name.len > room)
        return false;
    room -= name.len;
    mls_value *copy = mls_arena_alloc(&state->memory, sizeof *copy);
    const mls_str kept = mls_arena_copy(&state->memory, name);
    if (!mls_value_copy(value, &state->memory, &room, copy))
        return false;
    (void)mls_arena_grow(&state->memory, (void **)&group->members, at, &group->capacity, sizeof *group->members);
    group->members[at] = (mls_member){kept, copy};
    group->count += at == group->count;
    state->groups_size = DERIVED_SIZE_MAX - room;
    return true;
}

/* Return the group of a value; create it if necessary.  Return NULL if there is not enough room. */
static derived_group *find_group(mls_scope_state *state, mls_str group_by, const mls_value *by)
{
    /* The prefix byte never starts a text.  NaN is not equal even to itself. */
    char bytes[1 + sizeof(double)] = {'\xff'};
    double number;
    mls_str key = {bytes, 1};
    if (mls_value_number(by, &number)) {
        bytes[0] = isnan(number) ? '\xfe' : '\xff';
        number = isnan(number) ? (double)state->groups.count : number + 0.0; /* -0 equals 0 */
        memcpy(bytes + 1, &number, sizeof number);
        key.len = sizeof bytes;
    } else if (by->kind == MLS_JSON_STRING) {
        key = by->as.string;
    }
    state->groups.arena = &state->memory;
    mls_map_entry *entry = mls_map_find(&state->groups, key);
    if (entry != NULL || state->groups.count == GROUPS_MAX)
        return entry != NULL ? entry->value.pointer : NULL;
    derived_group *group = mls_arena_alloc(&state->memory, sizeof *group);
    *group = (derived_group){.time_ms = -INFINITY};
    if (!put_member(state, group, group_by, by))
        return NULL;
    mls_map_put(&state->groups, key, NULL)->value.pointer = group;
    return group;
}

static bool is_compound(const mls_value *value)
{
    return value->kind == MLS_JSON_LIST || value->kind == MLS_JSON_OBJECT;
}

void mls_derive_record(mls_checker *checker, size_t scope, const mls_record *record)
{
    const mls_derive *derive = &checker->ruleset->scopes[scope].derive;
    mls_scope_state *state = &checker->scopes[scope];
    const mls_value *metadata = mls_expr_input_tree(&checker->input, MLS_EXPR_METADATA);
    const mls_value *value = mls_expr_input_tree(&checker->input, MLS_EXPR_VALUE);
    const mls_value *field = mls_value_member(metadata, derive->field);
    const mls_value *by = mls_value_member(metadata, derive->group_by);
    /* A text or a list can contain the name of the field, but not a member of that name. */
    const bool object = metadata->kind == MLS_JSON_OBJECT;
    if (object ? field == NULL : metadata->kind == MLS_JSON_STRING || metadata->kind == MLS_JSON_LIST)
        return;
    mls_finding_code code = MLS_FINDING_EVALUATION;
    const char *wrong = !object              ? "has no metadata"
                        : by == NULL         ? "is missing in its metadata"
                        : is_compound(by)    ? "is neither a number nor a string"
                        : is_compound(field) ? "has a metric without a name"
                                             : NULL;
    derived_group *group = wrong == NULL ? find_group(state, derive->group_by, by) : NULL;
    if (group != NULL)
        group->time_ms = fmax(record->time_ms, group->time_ms);
    /* Only members named by strings can be referred to. */
    if (wrong == NULL &&
        (group == NULL || (field->kind == MLS_JSON_STRING && !put_member(state, group, field->as.string, value)))) {
        code = MLS_FINDING_TOO_MUCH;
        wrong = "has too many different values";
    }
    const mls_rule *rule = checker->ruleset->scopes[scope].derived_rule;
    if (wrong != NULL && rule != NULL) {
        const mls_judging j = mls_judging_of(checker, rule, record);
        mls_buffer message = {0};
        mls_buffer_printf(&message, "%s cannot be put together: %s of %s %s", derive->key.ptr, derive->group_by.ptr,
                          derive->from.ptr, wrong);
        mls_judging_stage(&j, &j.rule_state->others, code, &message);
    }
}

/* Apply the rule for derived records to each of them. */
static void derive_finish(mls_checker *checker, size_t scope_index)
{
    const mls_scope *scope = &checker->ruleset->scopes[scope_index];
    mls_scope_state *state = &checker->scopes[scope_index];
    const mls_rule *rule = scope->derived_rule;
    for (size_t i = 0; rule != NULL && i < state->groups.count; i++) {
        const derived_group *group = state->groups.entries[i].value.pointer;
        const mls_value value = {.kind = MLS_JSON_OBJECT, .as.object = {group->members, group->count}};
        const mls_value metadata = {.kind = MLS_JSON_OBJECT};
        const mls_member members[] = {{MLS_S("key"), &metadata},
                                      {MLS_S("value"), &value},
                                      {MLS_S("metadata"), &metadata},
                                      {MLS_S("time_ms"), &metadata}};
        const mls_value whole = {.kind = MLS_JSON_OBJECT, .as.object = {members, 4}};
        mls_buffer shown = {0};
        mls_value_show(&shown, &value);
        const mls_record record = {.time_ms = group->time_ms,
                                   .key = scope->derive.key,
                                   .value = mls_buffer_str(&shown),
                                   .metadata = MLS_S("{}")};
        mls_checker_turn_to(checker, &record);
        checker->input.parts[MLS_EXPR_VALUE].tree = &value;
        checker->input.parts[MLS_EXPR_METADATA].tree = &metadata;
        checker->input.parts[MLS_EXPR_RECORD].tree = &whole;
        const mls_judging j = mls_judging_of(checker, rule, &record);
        mls_rule_apply(&j, i == 0 && checker->keys[rule->key_index].count == 0);
        mls_buffer_release(&shown);
    }
    mls_checker_turn_to(checker, NULL);
}

/* ---- advice ---- */

/* Look for clock differences only in the steps of the run itself.  Evaluations and blocks are often logged late, and
 * cache_clear may belong to the next run. */
void mls_advice_record(mls_checker *checker, const mls_record *record)
{
    mls_advice_state *advice = &checker->advice;
    mls_str span;
    if (record->key_id != MLS_KEY_INIT_START && record->key_id != MLS_KEY_INIT_STOP &&
        record->key_id != MLS_KEY_RUN_START && record->key_id != MLS_KEY_RUN_STOP)
        return;
    if (record->time_ms >= advice->last_time_ms) {
        advice->last_time_ms = record->time_ms;
    } else if (advice->last_time_ms - record->time_ms > advice->backwards_ms) {
        advice->backwards_ms = advice->last_time_ms - record->time_ms;
        advice->backwards_line = record->line;
    }
    if (advice->run_start_line == 0 && record->key_id == MLS_KEY_RUN_START) {
        advice->run_start_line = record->line;
        advice->run_start_ms = record->time_ms;
    } else if (advice->run_stop_line == 0 && record->key_id == MLS_KEY_RUN_STOP) {
        advice->run_stop_line = record->line;
        advice->run_stop_ms = record->time_ms;
        if (mls_record_metadata_member(record, MLS_S("status"), &span))
            (void)mls_json_string(span, &checker->memory, &advice->status);
    }
}

/* Ignore further keys after MLS_UNKNOWN_KEYS_MAX. */
bool mls_advice_unknown_key(mls_checker *checker, const mls_record *record)
{
    mls_map *unknown = &checker->advice.unknown;
    bool added;
    if (record->key.len > MLS_UNKNOWN_KEY_LENGTH_MAX || unknown->count == MLS_UNKNOWN_KEYS_MAX)
        return false;
    mls_map_entry *entry = mls_map_put(unknown, record->key, &added);
    if (added)
        entry->value.number = record->line;
    return added;
}

/* Return the missing required key that is most similar to an unknown one. */
static mls_str nearest_missing(const mls_checker *checker, mls_str name)
{
    mls_suggestion nearest = mls_suggest_for(name);
    nearest.distance = name.len < 8 ? 2 : 3;
    for (size_t at = 0; at < checker->order_count; at++) {
        const mls_scope *scope = &checker->ruleset->scopes[checker->order[at]];
        for (size_t r = 0; r < scope->rule_count; r++) {
            const mls_rule *rule = &scope->rules[r];
            if (checker->keys[rule->key_index].count == 0 && rule->max > 0)
                mls_suggest_add(&nearest, rule->key);
        }
    }
    return nearest.found;
}

static void advice_misspelt(mls_checker *checker)
{
    for (size_t i = 0; i < checker->advice.unknown.count; i++) {
        const mls_map_entry *unknown = &checker->advice.unknown.entries[i];
        const mls_str meant = mls_key_meant(unknown->key);
        const mls_str nearest = nearest_missing(checker, meant);
        if (nearest.ptr != NULL && !mls_str_equal(meant, unknown->key) && mls_str_equal(meant, nearest)) {
            mls_findings_add(&checker->findings, MLS_FINDING_MISSPELT,
                             (mls_finding_place){.line = unknown->value.number, .key = unknown->key},
                             "%s is AMD's name for %s: rename it, as the reference checker takes the key for missing",
                             unknown->key.ptr, nearest.ptr);
        } else if (nearest.ptr != NULL) {
            mls_findings_add(&checker->findings, MLS_FINDING_MISSPELT,
                             (mls_finding_place){.line = unknown->value.number, .key = unknown->key},
                             "no rule knows the key %s, and %s is missing: is it misspelt?", unknown->key.ptr,
                             nearest.ptr);
        }
    }
}

static void advice_edition(mls_checker *checker)
{
    if (checker->benchmark == NULL || checker->options.rulesets == NULL)
        return;
    const mls_editions *editions = mls_rulesets_editions(checker->options.rulesets);
    const mls_ruleset *ruleset = checker->ruleset;
    const mls_str benchmark = mls_str_from(checker->benchmark);
    const mls_edition *here;
    if (mls_editions_find(editions, ruleset->usage, ruleset->edition, &here, NULL) != MLS_OK ||
        mls_edition_has_benchmark(here, benchmark))
        return;
    const mls_finding_place place = {.line = checker->benchmark_line, .key = MLS_S("submission_benchmark")};
    const char *called = mls_benchmark_called(checker->benchmark);
    if (called != checker->benchmark) {
        mls_findings_add(&checker->findings, MLS_FINDING_OTHER_EDITION, place,
                         "%s is the name in the reference code; the checker expects %s", checker->benchmark, called);
        return;
    }
    for (int usage = 0; usage < MLS_USAGE_COUNT; usage++) {
        const mls_edition *other = mls_editions_guess(editions, (mls_usage)usage, checker->first_ms, benchmark);
        const bool known = mls_edition_has_benchmark(other, benchmark);
        if (known && other->usage == ruleset->usage) {
            mls_findings_add(&checker->findings, MLS_FINDING_OTHER_EDITION, place,
                             "edition %s has no benchmark %s, but %s has: try --edition %s", ruleset->edition.ptr,
                             checker->benchmark, other->name, other->name);
            return;
        }
        if (known) {
            mls_findings_add(&checker->findings, MLS_FINDING_OTHER_EDITION, place,
                             "%s is a benchmark of %s: try --usage %s", checker->benchmark,
                             mls_usage_name(other->usage), mls_usage_name(other->usage));
        }
    }
}

/* Advise about several values of a key that only rules of other scopes require exactly once. */
static void advice_several(mls_checker *checker)
{
    const mls_ruleset *ruleset = checker->ruleset;
    for (size_t k = 0; k < ruleset->key_names.count; k++) {
        const mls_key_state *state = &checker->keys[k];
        const mls_str key = ruleset->key_names.entries[k].key;
        if (state->other_line > 0 && !mls_scopes_have_rule(ruleset, checker->order, 0, checker->order_count, k)) {
            mls_findings_add(&checker->findings, MLS_FINDING_SEVERAL_VALUES,
                             (mls_finding_place){.line = state->other_line, .key = key},
                             "%s differs from its value at line %zu", key.ptr, state->lines[0]);
        }
    }
}

static void advice_run(mls_checker *checker)
{
    const mls_advice_state *advice = &checker->advice;
    const mls_finding_place stop = {.line = advice->run_stop_line, .key = MLS_S("run_stop")};
    const double duration = advice->run_stop_ms - advice->run_start_ms;
    if (advice->status.ptr != NULL && !mls_str_equal(advice->status, MLS_S("success"))) {
        mls_findings_add_as(&checker->findings, MLS_FINDING_STATUS, MLS_SEVERITY_ADVICE, stop,
                            "run_stop has status %.*s", MLS_CUT(advice->status, 60));
    }
    if (advice->backwards_ms > BACKWARDS_MS) {
        mls_findings_add(&checker->findings, MLS_FINDING_CLOCK, (mls_finding_place){.line = advice->backwards_line},
                         "this record's time is %.3f s before that of an earlier one", advice->backwards_ms / 1000);
    }
    if (advice->run_start_line > 0 && advice->run_stop_line > 0 && duration > LONG_RUN_MS)
        mls_findings_add(&checker->findings, MLS_FINDING_LONG_RUN, stop, "the run took %.1f hours", duration / 3600000);
}

/* ---- the verdict ---- */

/* Replay the queue: find the scopes to judge, and their order. */
static void queue_play(mls_checker *checker)
{
    const mls_ruleset *ruleset = checker->ruleset;
    bool queued[MLS_SCOPES_MAX] = {false};
    checker->order_count = 0;
    checker->order[checker->order_count++] = ruleset->common;
    queued[ruleset->common] = true;
    for (size_t at = 0; at < checker->order_count; at++) {
        const size_t scope = checker->order[at];
        const mls_scope_state *state = &checker->scopes[scope];
        mls_scope_prepare(checker, scope);
        if (ruleset->scopes[scope].derive.key.ptr != NULL)
            derive_finish(checker, scope); /* derived records may queue scopes too */
        for (size_t i = 0; i < state->uses.count; i++) {
            const mls_use *use = &state->uses.items[i];
            if (use->scope == SIZE_MAX) {
                mls_findings_add(&checker->findings, MLS_FINDING_UNKNOWN_SCOPE,
                                 (mls_finding_place){.line = use->line, .key = MLS_S("@unknown-scope")},
                                 "%.*s selects the rules %.*s, which %s %s does not have", (int)use->key.len,
                                 use->key.ptr, MLS_CUT(use->name, 80), mls_usage_name(ruleset->usage),
                                 ruleset->edition.ptr);
            } else if (!queued[use->scope]) {
                queued[use->scope] = true;
                checker->order[checker->order_count++] = use->scope;
            }
        }
    }
}

/* Check whether a scope judged later has a rule for the key, which overrules the scope at `at`. */
static bool is_overruled(const mls_checker *checker, size_t at, uint32_t key)
{
    return mls_scopes_have_rule(checker->ruleset, checker->order, at + 1, checker->order_count, key);
}

/* Add a message as a finding and release it.  With `placed`, append the scope and the edition. */
static void end_add(const mls_judging *j, mls_finding_code code, mls_finding_place place, bool placed,
                    mls_buffer *message)
{
    if (placed)
        mls_buffer_printf(message, " (%s, %s)", j->scope->name.ptr, j->checker->ruleset->edition.ptr);
    mls_findings_add(&j->checker->findings, code, place, "%s", message->ptr);
    mls_buffer_release(message);
}

static void quote_kept(mls_buffer *buffer, const mls_kept_value *value, size_t line)
{
    mls_utf8_append_cut(buffer, value->text.ptr != NULL ? value->text : MLS_S("…"), 60);
    mls_buffer_printf(buffer, " at line %zu", line);
}

/* Check the number of records with the key of a rule.  For an overruled rule, check only alternative keys. */
static void judge_occurrence(const mls_judging *j, bool overruled)
{
    const mls_rule *rule = j->rule;
    const mls_key_state *key = &j->checker->keys[rule->key_index];
    const bool derived = j->scope->derive.key.ptr != NULL && mls_str_equal(j->scope->derive.key, rule->key);
    const size_t count = key->count + (derived ? j->state->groups.count : 0);
    const bool several = rule->other_count == 0 && !overruled && rule->max == 1 && count > 1;
    bool missing = rule->other_count > 0 ? count == 0 : !overruled && count < rule->min;
    for (size_t i = 0; i < rule->other_count && missing; i++)
        missing = j->checker->keys[mls_ruleset_find_key(j->checker->ruleset, rule->others[i])].count == 0;
    mls_buffer message = {0};
    if (missing) {
        mls_buffer_printf(&message, "%s must be logged ", rule->key.ptr);
        mls_rule_words_occurs(&message, rule);
        if (count == 0)
            mls_buffer_append_text(&message, ", is missing");
        else
            mls_buffer_printf(&message, ", is logged %zu time%s", count, count == 1 ? "" : "s");
        const mls_finding_place place = {.key = rule->other_count > 0 ? rule->either : rule->key};
        end_add(j, MLS_FINDING_OCCURRENCE, place, true, &message);
    } else if (several && key->other_line > 0) {
        mls_buffer_printf(&message,
                          "%s must be logged exactly once, is logged %zu times with different values: ", rule->key.ptr,
                          count);
        quote_kept(&message, &key->first, key->lines[0]);
        mls_buffer_append_text(&message, ", ");
        quote_kept(&message, &key->other, key->other_line);
        end_add(j, MLS_FINDING_OCCURRENCE, (mls_finding_place){.line = key->other_line, .key = rule->key}, true,
                &message);
    } else if (several) {
        mls_buffer_printf(&message, "%s is logged %zu times with the same value, first at line %zu; once is enough",
                          rule->key.ptr, count, key->lines[0]);
        end_add(j, MLS_FINDING_REPEATED, (mls_finding_place){.line = key->lines[1], .key = rule->key}, false, &message);
    }
}

static void judge_target(const mls_judging *j)
{
    const mls_expr_list *targets = &j->rule->check_any;
    const mls_rule_state *state = j->rule_state;
    mls_buffer message = {0};
    if (targets->count == 0 || !state->any_judged || state->any_held)
        return;
    mls_buffer_printf(&message, "%s must reach ", j->rule->key.ptr);
    for (size_t i = 0; i < targets->count; i++) {
        mls_buffer_append_text(&message, i > 0 ? " and " : "");
        mls_rule_words_expr(&message, j->scope, &targets->items[i], &j->checker->input, true);
    }
    if (state->best_line == 0) {
        mls_buffer_append_text(&message, "; no record did");
    } else { /* "; best was 0.931 at 3,072 samples, line 88" */
        mls_buffer_printf(&message, "; best was %s", mls_words_exact(state->best).text);
        if (!isnan(state->best_progress)) {
            mls_buffer_printf(&message, " at %s%s%s", state->best_in_samples ? "" : "epoch ",
                              mls_words_trimmed(state->best_progress, 15).text,
                              state->best_in_samples ? " samples" : "");
        }
        mls_buffer_printf(&message, ", line %zu", state->best_line);
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
        if (outcome == MLS_OUTCOME_TRUE)
            continue;
        mls_buffer message = {0};
        mls_buffer_append_text(&message, "at the end of the log ");
        if (outcome == MLS_OUTCOME_UNKNOWN)
            mls_buffer_printf(&message, "a rule cannot be evaluated, since %s: ", input->reason);
        mls_rule_words_expr(&message, j->scope, expr, input, false);
        end_add(j, MLS_FINDING_END, (mls_finding_place){.line = 0, .key = MLS_S("@end")}, true, &message);
    }
}

/* Add the first finding of a list, or all others.  Include those that were only counted. */
static void staged_take(mls_checker *checker, const mls_staged_list *list, bool first)
{
    const mls_staged *staged = first || list->first == NULL ? list->first : list->first->next;
    for (; staged != NULL; staged = first ? NULL : staged->next)
        mls_findings_add(&checker->findings, staged->code, staged->place, "%s", staged->message.ptr);
    if (!first && list->count > MLS_STAGED_MAX)
        mls_findings_count_more(&checker->findings, list->last->code, MLS_SEVERITY_ERROR, list->count - MLS_STAGED_MAX);
}

void mls_checker_judge(mls_checker *checker)
{
    queue_play(checker);
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
    /* Add the first finding of each rule before all others, so that the limit never hides a rule with only one finding.
     */
    for (int pass = 0; pass < 2; pass++) {
        for (size_t at = 0; at < checker->order_count; at++) {
            const size_t scope_index = checker->order[at];
            const mls_scope *scope = &checker->ruleset->scopes[scope_index];
            for (size_t i = 0; i < scope->rule_count; i++) {
                const mls_rule_state *state = &checker->scopes[scope_index].rules[i];
                staged_take(checker, &state->others, pass == 0);
                if (state->checks.first != NULL && !is_overruled(checker, at, scope->rules[i].key_index))
                    staged_take(checker, &state->checks, pass == 0);
            }
        }
    }
    advice_run(checker);
    if (checker->records > 0) {
        advice_edition(checker);
        advice_misspelt(checker);
        advice_several(checker);
    }
}
