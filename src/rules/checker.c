/* SPDX-License-Identifier: Apache-2.0 */
/*
 * checker.c - judging a log, record by record, and what became of it.
 */
#include "rules/checker.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

mls_status mls_checker_new(const mls_checker_options *options, mls_checker **checker)
{
    *checker = calloc(1, sizeof **checker);
    if (*checker == NULL) {
        return MLS_ERROR_MEMORY;
    }
    (*checker)->options = *options;
    mls_checker_reset(*checker, options);
    return MLS_OK;
}

void mls_checker_free(mls_checker *checker)
{
    if (checker != NULL) {
        mls_checker_release_scopes(checker);
        mls_arena_release(&checker->memory);
        mls_arena_release(&checker->scratch);
        mls_arena_release(&checker->advice_scratch);
        mls_findings_release(&checker->findings);
        mls_guess_release(&checker->guess);
        free(checker);
    }
}

void mls_checker_reset(mls_checker *checker, const mls_checker_options *options)
{
    mls_checker_release_scopes(checker);
    mls_findings_release(&checker->findings);
    mls_arena_reset(&checker->memory);
    mls_arena_reset(&checker->scratch);
    mls_arena_reset(&checker->advice_scratch);
    const mls_arena memory = checker->memory;
    const mls_arena scratch = checker->scratch;
    const mls_arena advice_scratch = checker->advice_scratch;
    const mls_checker_options kept = options != NULL ? *options : checker->options;
    mls_guess guess = checker->guess;
    guess.early_count = 0;
    guess.early_bytes = 0;
    guess.pair = NULL;
    guess.dated = false;
    if (kept.rulesets != checker->options.rulesets) {
        guess.pair_count = 0; /* they named editions of the others */
    }
    *checker = (mls_checker){.options = kept,
                             .guess = guess,
                             .memory = memory,
                             .scratch = scratch,
                             .advice_scratch = advice_scratch,
                             .ruleset = kept.ruleset};
    checker->advice.last_time_ms = -INFINITY;
}

static mls_status take_record(mls_checker *checker, const mls_record *record);

/* Everything sized by the ruleset, which is guessed when none was given; then the records that were held back. */
static mls_status checker_begin(mls_checker *checker, double time_ms)
{
    if (checker->ruleset == NULL && checker->options.rulesets != NULL) {
        const mls_status status = mls_guess_decide(checker, time_ms);
        if (status != MLS_OK) {
            return status;
        }
    }
    if (checker->ruleset == NULL) {
        return MLS_ERROR_VALUE;
    }
    checker->input = (mls_expr_input){.arena = &checker->scratch};
    mls_status status = mls_checker_prepare(checker) ? MLS_OK : MLS_ERROR_MEMORY;
    for (size_t i = 0; i < checker->guess.early_count && status == MLS_OK; i++) {
        status = take_record(checker, &checker->guess.early[i]);
    }
    return status;
}

/* Two processes that wrote into one line leave a marker, or the start of another record, in the payload. */
static const char *malformed_hint(const mls_malformed *malformed)
{
    static const char key[] = "\"key\"";
    size_t keys = 0;
    for (size_t at = 0; at + sizeof key - 1 <= malformed->payload.len && keys < 2; at++) {
        keys += malformed->payload.ptr[at] == '"' && memcmp(malformed->payload.ptr + at, key, sizeof key - 1) == 0;
    }
    return malformed->torn || keys > 1 ? "; two processes seem to have written into this line" : "";
}

mls_status mls_checker_malformed(mls_checker *checker, const mls_malformed *malformed)
{
    checker->malformed++;
    mls_findings_add(
        &checker->findings, MLS_FINDING_MALFORMED,
        (mls_finding_place){.line = malformed->line, .column = malformed->column, .key = MLS_S("@malformed")},
        "not a record: %s%s", malformed->reason, malformed_hint(malformed));
    return MLS_OK;
}

static const char *checker_text(mls_checker *checker, mls_str span)
{
    const char *copy = NULL;
    mls_str text;
    if (mls_json_kind_of(span) == MLS_JSON_STRING) {
        copy =
            mls_json_string(span, &checker->advice_scratch, &text) ? mls_arena_copy(&checker->memory, text).ptr : NULL;
        checker->out_of_memory |= copy == NULL;
    }
    return copy;
}

/* The first division and benchmark that were logged. */
static void checker_note(mls_checker *checker, const mls_record *record)
{
    if (record->key_id == MLS_KEY_SUBMISSION_BENCHMARK) {
        checker->benchmark = checker_text(checker, record->value);
        checker->benchmark_line = record->line;
    } else if (record->key_id == MLS_KEY_SUBMISSION_DIVISION) {
        checker->division = checker_text(checker, record->value);
    }
}

/* Whether a value is the one that was kept.  Only unlike texts need a look at what they mean. */
static bool value_is_kept(mls_checker *checker, const mls_kept_value *kept, mls_str text)
{
    if (kept->text.ptr == NULL || text.len > MLS_VALUE_KEPT_MAX) {
        return kept->length == text.len && kept->hash == mls_str_hash(text, 0);
    }
    const bool same = mls_str_equal(kept->text, text);
    if (same && (mls_json_kind_of(text) == MLS_JSON_STRING || !mls_str_contains(text, MLS_S("NaN")))) {
        return true;
    }
    const mls_value *first = mls_value_build(kept->text, &checker->scratch);
    const mls_value *value = mls_value_build(text, &checker->scratch);
    checker->out_of_memory |= first == NULL || value == NULL;
    return first != NULL && value != NULL && mls_value_equal(first, value);
}

static void checker_key_count(mls_checker *checker, size_t key_index, const mls_record *record)
{
    mls_key_state *state = &checker->keys[key_index];
    state->count++;
    if (state->count == 1) {
        state->first_line = record->line;
    } else if (state->count == 2) {
        state->second_line = record->line;
    }
    if (!checker->ruleset->keys[key_index].compare_values || state->other_line != 0) {
        return;
    }
    if (state->count == 1) {
        state->first = mls_value_keep(checker, record->value);
    } else if (!value_is_kept(checker, &state->first, record->value)) {
        state->other = mls_value_keep(checker, record->value);
        state->other_line = record->line;
    }
}

/* Runs the rules of all scopes that may be queued for a record whose key some rule knows. */
void mls_checker_apply(mls_checker *checker, size_t key_index, const mls_record *record)
{
    const mls_ruleset *ruleset = checker->ruleset;
    const mls_rule_key *key = &ruleset->keys[key_index];
    const bool first = checker->keys[key_index].count == 0;
    bool queues = false;
    mls_arena_reset(&checker->scratch);
    mls_expr_input_begin(&checker->input, record);
    checker_key_count(checker, key_index, record);
    for (size_t i = 0; i < key->ref_count; i++) {
        const mls_rule_ref ref = key->refs[i];
        if (checker->scopes[ref.scope].live && mls_scope_prepare(checker, ref.scope)) {
            const mls_judging j = mls_judging_of(checker, ref.scope, ref.rule, record);
            mls_rule_apply(&j, first);
            queues |= j.rule->has_use && j.rule->first_only && first;
        }
    }
    if (key->derived_from) {
        for (size_t s = 0; s < ruleset->scope_count; s++) {
            if (checker->scopes[s].live && ruleset->scopes[s].derive.key.ptr != NULL &&
                ruleset->scopes[s].derive_from == key_index && mls_scope_prepare(checker, s)) {
                mls_derive_record(checker, s, record);
            }
        }
    }
    if (queues) {
        mls_checker_update_live(checker);
    }
    if (first) {
        checker_note(checker, record);
    }
}

static bool ran_out(const mls_checker *checker)
{
    return checker->out_of_memory || checker->input.out_of_memory;
}

static mls_status take_record(mls_checker *checker, const mls_record *record)
{
    checker->records++;
    if (record->torn) {
        mls_findings_add(&checker->findings, MLS_FINDING_TORN_LINE,
                         (mls_finding_place){.line = record->line, .column = record->column},
                         "an earlier record in this line was overwritten and is lost");
    }
    if (record->key.ptr == NULL) {
        return MLS_OK;
    }
    const mls_pair *pair = checker->guess.pair;
    mls_advice_record(checker, record);
    const size_t key = mls_ruleset_key_of(checker->ruleset, record);
    size_t there = SIZE_MAX;
    if (key != SIZE_MAX) {
        mls_checker_apply(checker, key, record);
        there = pair != NULL ? pair->there[key] : SIZE_MAX;
    } else {
        mls_advice_unknown_key(checker, record);
        there = pair != NULL ? mls_ruleset_key_of(pair->rules[1], record) : SIZE_MAX;
    }
    if (there < MLS_KEY_UNLIKE && pair->wanted[there]) {
        mls_checker_apply(checker->guess.neighbour, there, record);
        checker->out_of_memory |= ran_out(checker->guess.neighbour);
    }
    return ran_out(checker) ? MLS_ERROR_MEMORY : MLS_OK;
}

mls_status mls_checker_record(mls_checker *checker, const mls_record *record)
{
    if (checker->scopes == NULL) {
        if (mls_guess_waits(checker, record)) {
            return mls_guess_keep(checker, record);
        }
        const mls_status status = checker_begin(checker, record->time_ms);
        if (status != MLS_OK) {
            return status;
        }
    }
    return take_record(checker, record);
}

mls_status mls_checker_end(mls_checker *checker)
{
    if (checker->ended) {
        return MLS_OK;
    }
    checker->ended = true;
    if (checker->scopes == NULL) {
        const mls_status status = checker_begin(checker, NAN);
        if (status != MLS_OK) {
            return status;
        }
    }
    if (checker->records == 0) {
        mls_findings_add(&checker->findings, MLS_FINDING_EMPTY, (mls_finding_place){.key = MLS_S("@empty")},
                         "the log holds no record");
    }
    mls_checker_judge(checker);
    mls_advice_end(checker);
    const mls_status status = mls_guess_end(checker);
    if (status != MLS_OK) {
        return status;
    }
    mls_findings_sort(&checker->findings);
    return ran_out(checker) || checker->findings.out_of_memory ? MLS_ERROR_MEMORY : MLS_OK;
}

static mls_status sink_record(void *state, const mls_record *record)
{
    return mls_checker_record(state, record);
}

static mls_status sink_malformed(void *state, const mls_malformed *malformed)
{
    return mls_checker_malformed(state, malformed);
}

static mls_status sink_end(void *state, const mls_log_totals *totals)
{
    (void)totals;
    return mls_checker_end(state);
}

mls_sink mls_checker_sink(mls_checker *checker)
{
    return (mls_sink){.state = checker, .record = sink_record, .malformed = sink_malformed, .end = sink_end};
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
                         .by_date = checker->edition != NULL && checker->guess.dated,
                         .usage = ruleset != NULL ? ruleset->usage : checker->options.usage,
                         .edition = ruleset != NULL ? ruleset->edition.ptr : NULL,
                         .benchmark = checker->benchmark,
                         .division = checker->division,
                         .records = checker->records,
                         .malformed = checker->malformed,
                         .findings = &checker->findings};
}
