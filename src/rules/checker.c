/* SPDX-License-Identifier: Apache-2.0 */
/* checker.c - judging a log, record by record, and what became of it. */
#include "rules/judging.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/data.h"
#include "base/memory.h"

mls_status mls_checker_new(const mls_checker_options *options, mls_checker **checker)
{
    *checker = mls_calloc(1, sizeof **checker);
    if (*checker == NULL) {
        return MLS_ERROR_MEMORY;
    }
    (*checker)->options = *options;
    mls_checker_reset(*checker);
    return MLS_OK;
}

void mls_checker_free(mls_checker *checker)
{
    if (checker != NULL) {
        mls_checker_release_scopes(checker);
        mls_arena_release(&checker->memory);
        mls_arena_release(&checker->scratch);
        mls_records_release(&checker->kept);
        mls_findings_release(&checker->findings);
        free(checker);
    }
}

void mls_checker_reset(mls_checker *checker)
{
    mls_checker_release_scopes(checker);
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

/* Two processes that wrote into one line leave a marker, or the start of another record, in the payload. */
static const char *malformed_hint(const mls_malformed *malformed)
{
    const mls_str payload = malformed->payload;
    const char *key = payload.len > 0 ? memmem(payload.ptr, payload.len, "\"key\"", 5) : NULL;
    const bool two = key != NULL && mls_str_contains((mls_str){key + 5, payload.len - (size_t)(key + 5 - payload.ptr)},
                                                     MLS_S("\"key\""));
    return malformed->torn || two ? "; two processes seem to have written into this line" : "";
}

mls_status mls_checker_malformed(mls_checker *checker, const mls_malformed *malformed)
{
    const mls_finding_place place = {.line = malformed->line, .column = malformed->column, .key = MLS_S("@malformed")};
    mls_findings_add(&checker->findings, MLS_FINDING_MALFORMED, place, "not a record: %s%s", malformed->reason,
                     malformed_hint(malformed));
    return MLS_OK;
}

static mls_kept_value value_keep(mls_checker *checker, mls_str text)
{
    mls_kept_value kept = {.hash = mls_str_hash(text, 0), .length = text.len};
    if (text.len <= MLS_VALUE_KEPT_MAX) {
        kept.text = mls_arena_copy(&checker->memory, text);
        (void)mls_checker_room(checker, kept.text.ptr);
    }
    return kept;
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

static void count_key(mls_checker *checker, size_t key_index, const mls_record *record)
{
    mls_key_state *state = &checker->keys[key_index];
    if (state->count < 2) {
        state->lines[state->count] = record->line;
    }
    state->count++;
    if (!checker->ruleset->keys[key_index].compare_values || state->other_line != 0) {
        return;
    }
    if (state->count == 1) {
        state->first = value_keep(checker, record->value);
    } else if (!value_is_kept(checker, &state->first, record->value)) {
        state->other = value_keep(checker, record->value);
        state->other_line = record->line;
    }
}

/* Whether the rule file of an edition has the key between quotes: without it these rules need not be loaded. */
static bool is_in_file(const mls_edition *edition, mls_str key)
{
    char quoted[MLS_UNKNOWN_KEY_LENGTH_MAX + 3];
    char name[64];
    (void)snprintf(name, sizeof name, "rules/%s-%s.json", mls_usage_name(edition->usage), edition->name);
    (void)snprintf(quoted, sizeof quoted, "\"%.*s\"", (int)key.len, key.ptr);
    return mls_str_contains(mls_data_find(name), mls_str_from(quoted));
}

/* Whether `edition` is the first that has rules for the key.  The first file that names a key adds it, so only where
 * that is the edition's own file are its rules worth loading. */
static bool is_new_key(mls_checker *checker, const mls_edition *edition, mls_str key)
{
    mls_rulesets *rulesets = checker->options.rulesets;
    const mls_editions *editions = mls_rulesets_editions(rulesets);
    bool first = is_in_file(edition, key);
    const mls_edition *other;
    const mls_ruleset *ruleset;
    for (size_t i = 0; first && (other = mls_editions_get(editions, edition->usage, i)) != edition; i++) {
        first = !is_in_file(other, key);
    }
    if (first && mls_rulesets_get(rulesets, edition, &ruleset, NULL) != MLS_OK) {
        checker->out_of_memory = true;
        return false;
    }
    return first && mls_ruleset_find_key(ruleset, key) != SIZE_MAX;
}

static void follow_key(mls_checker *checker, mls_str key)
{
    if (checker->keeps && checker->next != NULL && !checker->decided && is_new_key(checker, checker->next, key)) {
        checker->better = checker->next;
        checker->decided = true;
    }
}

/* The first benchmark, and the keys that came before it, may point to another edition than the date alone. */
static void note_benchmark(mls_checker *checker, const mls_record *record)
{
    const mls_map *unknown = &checker->advice.unknown;
    mls_str text = {NULL, 0};
    checker->out_of_memory |=
        mls_json_kind_of(record->value) == MLS_JSON_STRING && !mls_json_string(record->value, &checker->memory, &text);
    checker->benchmark = text.ptr;
    checker->benchmark_line = record->line;
    if (checker->edition == NULL || checker->decided) {
        return;
    }
    const mls_editions *editions = mls_rulesets_editions(checker->options.rulesets);
    const mls_str benchmark = mls_str_from(text.ptr != NULL ? text.ptr : "");
    const mls_usage asked = checker->options.usage;
    const mls_usage usage = checker->options.any_usage ? mls_editions_usage_of(editions, asked, benchmark) : asked;
    const mls_edition *edition = mls_editions_guess(editions, usage, checker->first_ms, benchmark);
    checker->next = mls_editions_neighbour(editions, edition, benchmark, 1);
    checker->better = edition != checker->edition ? edition : NULL;
    for (size_t i = 0; i < unknown->count && checker->better == NULL; i++) {
        follow_key(checker, unknown->entries[i].key);
    }
}

/* Runs the rules of all scopes that may be queued for a record whose key some rule knows. */
static void apply_rules(mls_checker *checker, size_t key_index, const mls_record *record)
{
    const mls_ruleset *ruleset = checker->ruleset;
    const mls_rule_key *key = &ruleset->keys[key_index];
    const bool first = checker->keys[key_index].count == 0;
    bool queues = false;
    mls_checker_turn_to(checker, record);
    count_key(checker, key_index, record);
    for (const mls_rule *rule = key->rules; rule != NULL; rule = rule->next) {
        if (checker->scopes[rule->scope].live && mls_scope_prepare(checker, rule->scope)) {
            const mls_judging j = mls_judging_of(checker, rule, record);
            mls_rule_apply(&j, first);
            queues |= rule->has_use && rule->first_only && first;
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
    if (first && record->key_id == MLS_KEY_SUBMISSION_BENCHMARK) {
        note_benchmark(checker, record);
    }
}

static mls_status judge_record(void *state, const mls_record *record)
{
    mls_checker *checker = state;
    const bool other = record->key_id == MLS_KEY_OTHER && record->key.ptr != NULL;
    const size_t key = other                     ? mls_ruleset_find_key(checker->ruleset, record->key)
                       : record->key.ptr != NULL ? checker->ruleset->key_of_id[record->key_id]
                                                 : SIZE_MAX;
    mls_advice_record(checker, record);
    if (key != SIZE_MAX) {
        apply_rules(checker, key, record);
    } else if (other && mls_advice_unknown_key(checker, record)) {
        follow_key(checker, record->key);
    }
    return checker->out_of_memory || checker->input.out_of_memory ? MLS_ERROR_MEMORY : MLS_OK;
}

/* Judges all that has come, from the start, by an edition; NULL: by the rules that were given, or those of the edition
 * that the first record's date points to. */
static mls_status judge_by(mls_checker *checker, const mls_edition *edition)
{
    const mls_checker_options *options = &checker->options;
    mls_status status = options->ruleset != NULL || options->rulesets != NULL ? MLS_OK : MLS_ERROR_VALUE;
    mls_checker_release_scopes(checker);
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
    if (edition != NULL) {
        status = mls_rulesets_get(options->rulesets, edition, &checker->ruleset, NULL);
    }
    if (status == MLS_OK && !mls_checker_prepare(checker)) {
        status = MLS_ERROR_MEMORY;
    }
    const mls_sink sink = {.state = checker, .record = judge_record};
    return status == MLS_OK ? mls_records_replay(&checker->kept, &sink) : status;
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
        checker->out_of_memory |= checker->keeps && !mls_records_keep(&checker->kept, record);
    }
    if (status == MLS_OK) {
        status = judge_record(checker, record);
    }
    while (status == MLS_OK && checker->better != NULL && checker->keeps) {
        status = judge_by(checker, checker->better);
    }
    return status;
}

mls_status mls_checker_end(mls_checker *checker)
{
    const mls_status status = checker->scopes == NULL ? judge_by(checker, NULL) : MLS_OK;
    if (status != MLS_OK) {
        return status;
    }
    if (checker->records == 0) {
        mls_findings_add(&checker->findings, MLS_FINDING_EMPTY, (mls_finding_place){.key = MLS_S("@empty")},
                         "the log holds no record");
    }
    mls_checker_judge(checker);
    mls_advice_end(checker);
    mls_findings_sort(&checker->findings);
    return checker->out_of_memory || checker->input.out_of_memory || checker->findings.out_of_memory ? MLS_ERROR_MEMORY
                                                                                                     : MLS_OK;
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
