/* SPDX-License-Identifier: Apache-2.0 */
/* checker_advice.c - advice: oddities of a log that no rule asks about.
 *
 * None of it makes a log invalid.  It looks at a handful of keys and costs other records one comparison of their times.
 */
#include <math.h>

#include "base/utf8.h"
#include "rules/judging.h"

/* Clocks that differ by less than this are not worth a word. */
#define MLS_BACKWARDS_MS 1000.0
#define MLS_LONG_RUN_MS (24 * 3600 * 1000.0)

/* Only the steps of the run itself show clocks that differ: evaluations and blocks are often logged late, and
 * cache_clear may belong to the next run. */
void mls_advice_record(mls_checker *checker, const mls_record *record)
{
    mls_advice_state *advice = &checker->advice;
    mls_str span;
    if (record->key_id != MLS_KEY_INIT_START && record->key_id != MLS_KEY_INIT_STOP &&
        record->key_id != MLS_KEY_RUN_START && record->key_id != MLS_KEY_RUN_STOP) {
        return;
    }
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
        if (mls_record_metadata_member(record, MLS_S("status"), &span) && mls_json_kind_of(span) == MLS_JSON_STRING) {
            checker->out_of_memory |= !mls_json_string(span, &checker->memory, &advice->status);
        }
    }
}

/* Whether it is the first record of its key; past a number of keys further ones are not looked at. */
bool mls_advice_unknown_key(mls_checker *checker, const mls_record *record)
{
    mls_map *unknown = &checker->advice.unknown;
    bool added;
    if (record->key.len > MLS_UNKNOWN_KEY_LENGTH_MAX || unknown->count == MLS_UNKNOWN_KEYS_MAX) {
        return false;
    }
    mls_map_entry *entry = mls_map_put(unknown, record->key, &added);
    if (mls_checker_room(checker, entry) && added) {
        entry->value.number = record->line;
    }
    return entry != NULL && added;
}

/* The key that a rule of a judged scope asks for, that never came, and that is nearest to the one that did. */
static mls_str nearest_missing(const mls_checker *checker, mls_str name)
{
    mls_nearest nearest = mls_nearest_to(name);
    nearest.distance = name.len < 8 ? 2 : 3;
    for (size_t at = 0; at < checker->order_count; at++) {
        const mls_scope *scope = &checker->ruleset->scopes[checker->order[at]];
        for (size_t r = 0; r < scope->rule_count; r++) {
            const mls_rule *rule = &scope->rules[r];
            if (checker->keys[rule->key_index].count == 0 && rule->max > 0) {
                mls_nearest_offer(&nearest, rule->key);
            }
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
    if (checker->benchmark == NULL || checker->options.rulesets == NULL) {
        return;
    }
    const mls_editions *editions = mls_rulesets_editions(checker->options.rulesets);
    const mls_ruleset *ruleset = checker->ruleset;
    const mls_str benchmark = mls_str_from(checker->benchmark);
    const mls_edition *here;
    if (mls_editions_find(editions, ruleset->usage, ruleset->edition, &here, NULL) != MLS_OK ||
        mls_edition_has_benchmark(here, benchmark)) {
        return;
    }
    const mls_finding_place place = {.line = checker->benchmark_line, .key = MLS_S("submission_benchmark")};
    const char *called = mls_benchmark_called(checker->benchmark);
    if (called != checker->benchmark) {
        mls_findings_add(&checker->findings, MLS_FINDING_OTHER_EDITION, place,
                         "%s is what the reference code says; the checker's name is %s", checker->benchmark, called);
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

/* Keys that rules which do not apply here want once: several values are worth a word even so. */
static void advice_several(mls_checker *checker)
{
    const mls_ruleset *ruleset = checker->ruleset;
    for (size_t k = 0; k < ruleset->key_names.count; k++) {
        const mls_key_state *state = &checker->keys[k];
        const mls_str key = ruleset->key_names.entries[k].key;
        if (state->other_line > 0 && !mls_scopes_have_rule(ruleset, checker->order, 0, checker->order_count, k)) {
            mls_findings_add(&checker->findings, MLS_FINDING_SEVERAL_VALUES,
                             (mls_finding_place){.line = state->other_line, .key = key},
                             "%s has another value than at line %zu", key.ptr, state->lines[0]);
        }
    }
}

static void advice_run(mls_checker *checker)
{
    const mls_advice_state *advice = &checker->advice;
    const mls_finding_place stop = {.line = advice->run_stop_line, .key = MLS_S("run_stop")};
    const double duration = advice->run_stop_ms - advice->run_start_ms;
    if (advice->status.ptr != NULL && !mls_str_equal(advice->status, MLS_S("success"))) {
        mls_findings_add_as(&checker->findings, MLS_FINDING_STATUS, MLS_SEVERITY_ADVICE, stop, "run_stop says %.*s",
                            MLS_CUT(advice->status, 60));
    }
    if (advice->backwards_ms > MLS_BACKWARDS_MS) {
        mls_findings_add(&checker->findings, MLS_FINDING_CLOCK, (mls_finding_place){.line = advice->backwards_line},
                         "this record's time is %.3f s before that of an earlier one", advice->backwards_ms / 1000);
    }
    if (advice->run_start_line > 0 && advice->run_stop_line > 0 && duration > MLS_LONG_RUN_MS) {
        mls_findings_add(&checker->findings, MLS_FINDING_LONG_RUN, stop, "the run took %.1f hours", duration / 3600000);
    }
}

void mls_advice_end(mls_checker *checker)
{
    advice_run(checker);
    if (checker->ruleset != NULL && checker->records > 0) {
        advice_edition(checker);
        advice_misspelt(checker);
        advice_several(checker);
    }
}
