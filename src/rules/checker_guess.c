/* SPDX-License-Identifier: Apache-2.0 */
/*
 * checker_guess.c - by which edition to judge when nobody said.
 *
 * It is the first edition from the log's date on that knows its benchmark, or
 * the next of them where keys were logged that belong to that one only.  The records
 * before run_start are held back until then, since they name the benchmark
 * and the keys.  The neighbouring edition is judged beside, but only for the
 * keys whose rules differ, and told of where its verdict is another.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "rules/checker.h"

enum { EARLY_RECORDS_MAX = 1024, EARLY_BYTES_MAX = 512 * 1024, BENCHMARK_LENGTH_MAX = 64 };

/* So near to the last day of a round a log may as well belong to the other side of it. */
#define BOUNDARY_MS (31 * 24 * 3600 * 1000.0)

/* ---------------------------------------------------------------- records held back */

static mls_str moved(mls_arena *arena, mls_str span, mls_str from, const char *to)
{
    const bool inside = span.ptr >= from.ptr && span.ptr <= from.ptr + from.len;
    return span.ptr == NULL ? span
           : inside         ? (mls_str){to + (span.ptr - from.ptr), span.len}
                            : mls_arena_copy(arena, span);
}

bool mls_guess_waits(const mls_checker *checker, const mls_record *record)
{
    const mls_guess *guess = &checker->guess;
    return checker->ruleset == NULL && checker->options.rulesets != NULL && record->key_id != MLS_KEY_RUN_START &&
           record->key_id != MLS_KEY_RUN_STOP && guess->early_count < EARLY_RECORDS_MAX &&
           record->payload.len < EARLY_BYTES_MAX - guess->early_bytes;
}

mls_status mls_guess_keep(mls_checker *checker, const mls_record *record)
{
    mls_guess *guess = &checker->guess;
    const char *payload = mls_arena_copy(&checker->memory, record->payload).ptr;
    if (payload == NULL ||
        !mls_grow((void **)&guess->early, guess->early_count, &guess->early_capacity, sizeof *guess->early)) {
        return MLS_ERROR_MEMORY;
    }
    mls_record *kept = &guess->early[guess->early_count];
    *kept = *record;
    kept->prefix = (mls_str){NULL, 0};
    kept->payload.ptr = payload;
    kept->key = moved(&checker->memory, record->key, record->payload, payload);
    kept->value = moved(&checker->memory, record->value, record->payload, payload);
    kept->metadata = moved(&checker->memory, record->metadata, record->payload, payload);
    kept->event_type = moved(&checker->memory, record->event_type, record->payload, payload);
    guess->early_count++;
    guess->early_bytes += record->payload.len;
    return record->key.ptr == NULL || kept->key.ptr != NULL ? MLS_OK : MLS_ERROR_MEMORY;
}

/* The benchmark that the records held back name first, as it stands between its quotes. */
static mls_str early_benchmark(const mls_guess *guess)
{
    for (size_t i = 0; i < guess->early_count; i++) {
        const mls_record *record = &guess->early[i];
        if (record->key_id == MLS_KEY_SUBMISSION_BENCHMARK) {
            return mls_json_kind_of(record->value) == MLS_JSON_STRING
                       ? (mls_str){record->value.ptr + 1, record->value.len - 2}
                       : (mls_str){NULL, 0};
        }
    }
    return (mls_str){NULL, 0};
}

/* ---------------------------------------------------------------- two editions side by side */

/* Whether a scope may have a say for the benchmark, going by its name. */
static bool scope_matters(const mls_scope *scope, mls_str benchmark)
{
    return mls_str_equal(scope->name, MLS_S("common")) || mls_str_ends(scope->name, MLS_S("_common")) ||
           mls_str_contains(scope->name, benchmark);
}

static bool exprs_alike(const mls_expr_list *a, const mls_expr_list *b)
{
    bool alike = a->count == b->count;
    for (size_t i = 0; alike && i < a->count; i++) {
        alike = mls_str_equal(a->items[i].text, b->items[i].text);
    }
    return alike;
}

static bool actions_alike(const mls_action *a, size_t a_count, const mls_action *b, size_t b_count)
{
    bool alike = a_count == b_count;
    for (size_t i = 0; alike && i < a_count; i++) {
        alike = a[i].kind == b[i].kind && a[i].slot == b[i].slot && mls_str_equal(a[i].text, b[i].text) &&
                mls_str_equal(a[i].expr.text, b[i].expr.text) &&
                actions_alike(a[i].actions, a[i].action_count, b[i].actions, b[i].action_count);
    }
    return alike;
}

static bool rules_alike(const mls_rule *a, const mls_rule *b)
{
    if (a == NULL || b == NULL) {
        return a == b;
    }
    return a->occurs == b->occurs && a->occurs_count == b->occurs_count && mls_str_equal(a->either, b->either) &&
           exprs_alike(&a->check, &b->check) && exprs_alike(&a->check_first, &b->check_first) &&
           exprs_alike(&a->check_any, &b->check_any) &&
           actions_alike(a->actions, a->action_count, b->actions, b->action_count);
}

static bool list_reads(const mls_expr_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        if (mls_expr_uses(&list->items[i], MLS_EXPR_VARIABLE)) {
            return true;
        }
    }
    return false;
}

static bool actions_read(const mls_action *actions, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (mls_expr_uses(&actions[i].expr, MLS_EXPR_VARIABLE) ||
            actions_read(actions[i].actions, actions[i].action_count)) {
            return true;
        }
    }
    return false;
}

static bool rule_reads(const mls_rule *rule)
{
    return list_reads(&rule->check) || list_reads(&rule->check_first) || list_reads(&rule->check_any) ||
           actions_read(rule->actions, rule->action_count);
}

static bool actions_set(const mls_action *actions, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (actions[i].kind == MLS_ACTION_SET || actions[i].kind == MLS_ACTION_APPEND ||
            actions_set(actions[i].actions, actions[i].action_count)) {
            return true;
        }
    }
    return false;
}

/* The rule for the same key in a scope of another ruleset; NULL when there is none. */
static const mls_rule *twin_rule(const mls_ruleset *ruleset, size_t scope, const mls_rule *rule)
{
    const size_t key = scope != SIZE_MAX ? mls_ruleset_find_key(ruleset, rule->key) : SIZE_MAX;
    return key != SIZE_MAX ? mls_scope_find_rule(ruleset, scope, key) : NULL;
}

/* Whether the variables of two scopes begin otherwise. */
static bool begins_differ(const mls_scope *one, const mls_scope *two)
{
    bool differ = one->symbols.count != two->symbols.count;
    for (size_t i = 0; !differ && i < one->symbols.count; i++) {
        differ = one->initial[i].set != two->initial[i].set ||
                 !mls_str_equal(one->symbols.entries[i].key, two->symbols.entries[i].key) ||
                 (one->initial[i].set && !mls_value_equal(&one->initial[i].value, &two->initial[i].value));
    }
    return differ;
}

static void want(mls_pair *pair, mls_str name)
{
    const size_t key = mls_ruleset_find_key(pair->rules[1], name);
    if (key != SIZE_MAX && !pair->wanted[key]) {
        pair->wanted[key] = true;
        pair->wanted_count++;
    }
}

/* Wants the keys of which `one` has a rule that `two` has not, or by which another scope is queued. */
static void want_unlike(mls_pair *pair, const mls_ruleset *one, const mls_ruleset *two)
{
    for (size_t s = 0; s < one->scope_count; s++) {
        const mls_scope *scope = &one->scopes[s];
        const size_t twin = mls_ruleset_find_scope(two, scope->name);
        const size_t there = one == pair->rules[1] ? s : twin;
        bool follow = twin == SIZE_MAX || begins_differ(scope, &two->scopes[twin]);
        for (size_t r = 0; r < scope->rule_count && scope_matters(scope, pair->benchmark); r++) {
            const mls_rule *rule = &scope->rules[r];
            const bool alike = rules_alike(rule, twin_rule(two, twin, rule));
            follow |= !alike && actions_set(rule->actions, rule->action_count);
            if (rule->has_use || !alike) {
                want(pair, rule->key);
            }
        }
        if (there != SIZE_MAX) {
            pair->followed[there] |= follow;
        }
    }
}

/*
 * Wants what wanted rules look at: the other keys of an alternative, and where
 * variables matter every key that sets or reads those of the scope.  True when
 * that was more than before.
 */
static bool want_needed(mls_pair *pair)
{
    const mls_ruleset *other = pair->rules[1];
    const size_t before = pair->wanted_count;
    for (size_t s = 0; s < other->scope_count; s++) {
        const mls_scope *scope = &other->scopes[s];
        if (!scope_matters(scope, pair->benchmark)) {
            continue;
        }
        if (scope->derive.key.ptr != NULL) {
            want(pair, scope->derive.key);
            want(pair, scope->derive.from);
        }
        pair->followed[s] |= scope->end.count > 0;
        for (size_t r = 0; r < scope->rule_count; r++) {
            const mls_rule *rule = &scope->rules[r];
            const bool wanted = pair->wanted[rule->key_index];
            pair->followed[s] |= wanted && rule_reads(rule);
            for (size_t i = 0; wanted && i < rule->other_count; i++) {
                want(pair, rule->others[i]);
            }
        }
        for (size_t r = 0; pair->followed[s] && r < scope->rule_count; r++) {
            const mls_rule *rule = &scope->rules[r];
            if (rule_reads(rule) || actions_set(rule->actions, rule->action_count)) {
                want(pair, rule->key);
            }
        }
    }
    return pair->wanted_count > before;
}

/* Whether some rule that matters asks for the key. */
static bool key_matters(const mls_ruleset *ruleset, size_t key, mls_str benchmark)
{
    for (size_t i = 0; i < ruleset->keys[key].ref_count; i++) {
        if (scope_matters(&ruleset->scopes[ruleset->keys[key].refs[i].scope], benchmark)) {
            return true;
        }
    }
    return false;
}

static bool pair_fill(mls_checker *checker, mls_pair *pair)
{
    const mls_ruleset *own = pair->rules[0];
    const mls_ruleset *other = pair->rules[1];
    mls_arena *arena = &checker->guess.memory;
    pair->wanted = mls_arena_array(arena, other->key_count, sizeof *pair->wanted);
    pair->there = mls_arena_array(arena, own->key_count, sizeof *pair->there);
    pair->only_here = mls_arena_array(arena, own->key_count, sizeof *pair->only_here);
    pair->followed = mls_arena_array(arena, other->scope_count, sizeof *pair->followed);
    if (pair->wanted == NULL || pair->followed == NULL || pair->there == NULL || pair->only_here == NULL) {
        return false;
    }
    memset(pair->wanted, 0, other->key_count * sizeof *pair->wanted);
    memset(pair->followed, 0, other->scope_count * sizeof *pair->followed);
    want_unlike(pair, own, other);
    want_unlike(pair, other, own);
    while (want_needed(pair)) {
        continue;
    }
    for (mls_key id = 1; id < MLS_KEY_COUNT; id++) {
        const size_t key = other->key_of_id[id];
        pair->bulky |= key != SIZE_MAX && pair->wanted[key] && id != MLS_KEY_SUBMISSION_BENCHMARK &&
                       id != MLS_KEY_SUBMISSION_DIVISION && id != MLS_KEY_SUBMISSION_ORG &&
                       id != MLS_KEY_SUBMISSION_PLATFORM && id != MLS_KEY_CONFIG_FILENAME;
    }
    for (size_t k = 0; k < own->key_count; k++) {
        const size_t twin = mls_ruleset_find_key(other, own->keys[k].name);
        const bool matters_there = twin != SIZE_MAX && key_matters(other, twin, pair->benchmark);
        const bool matters_here = key_matters(own, k, pair->benchmark);
        pair->only_here[k] = matters_here && !matters_there;
        /* A key with rules here and none there is unlike too. */
        pair->there[k] = pair->only_here[k] ? MLS_KEY_UNLIKE : matters_there && pair->wanted[twin] ? twin : SIZE_MAX;
    }
    return true;
}

/* Two editions and a benchmark, compared once for all logs that the checker judges. */
static mls_pair *pair_of(mls_checker *checker, const mls_edition *own, const mls_edition *other, mls_str benchmark)
{
    mls_guess *guess = &checker->guess;
    for (size_t i = 0; i < guess->pair_count; i++) {
        mls_pair *pair = &guess->pairs[i];
        if (pair->editions[0] == own && pair->editions[1] == other && mls_str_equal(pair->benchmark, benchmark)) {
            return pair;
        }
    }
    if (guess->pair_count == MLS_PAIRS_KEPT) {
        mls_arena_reset(&guess->memory);
        guess->pair_count = 0;
    }
    mls_pair *pair = &guess->pairs[guess->pair_count];
    *pair = (mls_pair){.editions = {own, other}, .benchmark = mls_arena_copy(&guess->memory, benchmark)};
    bool ok = pair->benchmark.ptr != NULL;
    for (int i = 0; i < 2 && ok; i++) {
        ok = mls_rulesets_get(checker->options.rulesets, pair->editions[i], &pair->rules[i], NULL) == MLS_OK;
    }
    if (!ok || !pair_fill(checker, pair)) {
        return NULL;
    }
    guess->pair_count++;
    return pair;
}

/* Whether no edition but the two of the pair has a rule for the key; false where that cannot be told. */
static bool key_is_nowhere_else(mls_checker *checker, const mls_pair *pair, const mls_record *record)
{
    mls_rulesets *rulesets = checker->options.rulesets;
    const mls_editions *editions = mls_rulesets_editions(rulesets);
    const mls_edition *edition;
    for (size_t i = 0; (edition = mls_editions_get(editions, pair->editions[0]->usage, i)) != NULL; i++) {
        const mls_ruleset *ruleset;
        if (edition == pair->editions[0] || edition == pair->editions[1]) {
            continue;
        }
        if (mls_rulesets_get(rulesets, edition, &ruleset, NULL) != MLS_OK) {
            checker->out_of_memory = true;
            return false;
        }
        const size_t key = mls_ruleset_key_of(ruleset, record);
        if (key != SIZE_MAX && key_matters(ruleset, key, pair->benchmark)) {
            return false;
        }
    }
    return true;
}

/* How many of the keys held back only the other edition of the pair knows, less those that only the first does. */
static int keys_in_favour(mls_checker *checker, const mls_pair *pair)
{
    int more = 0;
    for (size_t i = 0; i < checker->guess.early_count; i++) {
        const mls_record *record = &checker->guess.early[i];
        const size_t here = mls_ruleset_key_of(pair->rules[0], record);
        const bool known = here != SIZE_MAX && key_matters(pair->rules[0], here, pair->benchmark);
        const size_t there = known ? SIZE_MAX : mls_ruleset_key_of(pair->rules[1], record);
        const int vote = known ? -(int)pair->only_here[here]
                               : there != SIZE_MAX && key_matters(pair->rules[1], there, pair->benchmark);
        more += vote != 0 && key_is_nowhere_else(checker, pair, record) ? vote : 0;
    }
    return more;
}

/* ---------------------------------------------------------------- the decision */

/* Sets checker->edition and, where there is a neighbour to compare with, guess->pair. */
static mls_status decide(mls_checker *checker, double time_ms, mls_str benchmark)
{
    mls_guess *guess = &checker->guess;
    const mls_editions *editions = mls_rulesets_editions(checker->options.rulesets);
    const mls_usage usage = checker->options.usage;
    const mls_edition *own = mls_editions_guess(editions, usage, time_ms, benchmark);
    checker->edition = own;
    guess->dated = !isnan(time_ms);
    if (!guess->dated || !mls_edition_has_benchmark(own, benchmark)) {
        return MLS_OK;
    }
    const mls_edition *next = mls_editions_neighbour(editions, own, benchmark, 1);
    const mls_edition *other = next != NULL ? next : mls_editions_neighbour(editions, own, benchmark, -1);
    if (other == NULL) {
        return MLS_OK;
    }
    guess->pair = pair_of(checker, own, other, benchmark);
    if (guess->pair == NULL) {
        return MLS_ERROR_MEMORY;
    }
    if (next != NULL && keys_in_favour(checker, guess->pair) > 0) {
        checker->edition = next;
        guess->pair = pair_of(checker, next, own, benchmark);
    }
    guess->near = fabs(time_ms - (next != NULL ? own : other)->last_run_ms) < BOUNDARY_MS;
    if (guess->pair == NULL) {
        return MLS_ERROR_MEMORY;
    }
    /* Judging every evaluation twice is too dear where there is hardly a doubt. */
    guess->pair = guess->pair->bulky && !guess->near ? NULL : guess->pair;
    return MLS_OK;
}

mls_status mls_guess_decide(mls_checker *checker, double time_ms)
{
    mls_guess *guess = &checker->guess;
    const mls_str benchmark = early_benchmark(guess);
    mls_status status = decide(checker, guess->early_count > 0 ? guess->early[0].time_ms : time_ms,
                               benchmark.len <= BENCHMARK_LENGTH_MAX ? benchmark : (mls_str){NULL, 0});
    if (status == MLS_OK) {
        status = mls_rulesets_get(checker->options.rulesets, checker->edition, &checker->ruleset, NULL);
    }
    if (status == MLS_OK && guess->pair != NULL) {
        const mls_checker_options options = {.ruleset = guess->pair->rules[1]};
        if (guess->neighbour == NULL) {
            status = mls_checker_new(&options, &guess->neighbour);
        } else {
            mls_checker_reset(guess->neighbour, &options);
        }
        if (status == MLS_OK && !mls_checker_prepare(guess->neighbour)) {
            status = MLS_ERROR_MEMORY;
        }
        if (status == MLS_OK) {
            guess->neighbour->only = guess->pair;
            guess->neighbour->input = (mls_expr_input){.arena = &guess->neighbour->scratch};
        }
    }
    return status;
}

/* ---------------------------------------------------------------- the neighbour's verdict */

/* Whether an error of the edition that judges holds for the neighbour too. */
static bool error_is_shared(const mls_checker *checker, const mls_pair *pair, const mls_finding *finding)
{
    if (finding->severity != MLS_SEVERITY_ERROR || finding->key == NULL) {
        return false;
    }
    if (finding->key[0] == '@') {
        return finding->code == MLS_FINDING_MALFORMED;
    }
    const mls_str key = {finding->key, strcspn(finding->key, "|")};
    const size_t index = mls_ruleset_find_key(checker->ruleset, key);
    return index != SIZE_MAX && pair->there[index] == SIZE_MAX;
}

mls_status mls_guess_end(mls_checker *checker)
{
    const mls_pair *pair = checker->guess.pair;
    mls_checker *neighbour = checker->guess.neighbour;
    if (pair == NULL || checker->records == 0) {
        return MLS_OK;
    }
    mls_checker_judge(neighbour);
    bool valid = neighbour->findings.counts.error == 0;
    for (size_t i = 0; i < checker->findings.count && valid; i++) {
        valid = !error_is_shared(checker, pair, &checker->findings.items[i]);
    }
    const bool here = checker->findings.counts.error == 0;
    /* An error is worth a word always, that others might find one only when the date leaves a doubt. */
    if (valid != here && (valid || checker->guess.near)) {
        mls_findings_add(&checker->findings, MLS_FINDING_OTHER_EDITION,
                         (mls_finding_place){.line = checker->benchmark_line, .key = MLS_S("submission_benchmark")},
                         "by the rules of %s this log is %s: if they are meant, say --edition %s",
                         pair->editions[1]->name, valid ? "valid" : "not valid", pair->editions[1]->name);
    }
    return neighbour->out_of_memory || neighbour->input.out_of_memory || neighbour->findings.out_of_memory
               ? MLS_ERROR_MEMORY
               : MLS_OK;
}

void mls_guess_release(mls_guess *guess)
{
    mls_checker_free(guess->neighbour);
    mls_arena_release(&guess->memory);
    free(guess->early);
}
