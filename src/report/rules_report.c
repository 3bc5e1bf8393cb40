/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rules_report.c - editions, and checklists of what a benchmark must log.
 */
#include "report/reports.h"

#include <stdio.h>
#include <string.h>

#include "report/table.h"
#include "rules/rule_words.h"

enum { CHAIN_MAX = 16 };

/* ---------------------------------------------------------------- editions */

static bool is_wanted(const mls_rules_request *request, const mls_edition *edition)
{
    return request->edition == NULL || request->edition == edition;
}

static void show_editions(mls_printer *to, const void *what)
{
    const mls_rules_request *request = what;
    mls_table table = {0};
    for (size_t i = 0; i < mls_editions_count(request->editions, request->usage); i++) {
        const mls_edition *edition = mls_editions_get(request->editions, request->usage, i);
        for (size_t b = 0; is_wanted(request, edition) && b < edition->benchmark_count; b++) {
            const bool named = b == 0 || to->view->format == MLS_FORMAT_MARKDOWN;
            mls_table_row(&table);
            mls_table_cell(&table, "edition", MLS_COLUMN_KEEP, MLS_STYLE_PLAIN, "%s", named ? edition->name : "");
            mls_table_cell(&table, "benchmark", MLS_COLUMN_KEEP, MLS_STYLE_PLAIN, "%s", edition->benchmarks[b]->name);
            mls_table_cell(&table, "runs", MLS_COLUMN_RIGHT, MLS_STYLE_PLAIN, "%u",
                           edition->benchmarks[b]->runs_needed);
        }
    }
    mls_table_finish(&table, to->view);
}

static void emit_needed(mls_emitter *to, const mls_edition *edition)
{
    mls_emit_open(to, '{');
    for (size_t b = 0; b < edition->benchmark_count; b++) {
        mls_emit_name(to, mls_str_from(edition->benchmarks[b]->name));
        mls_emit_number(to, edition->benchmarks[b]->runs_needed);
    }
    mls_emit_close(to, '}');
}

#define EDITION_FIELDS(F)                                                                                              \
    F(edition, edition, TEXT, "", row->name)                                                                           \
    F(edition, runs_needed, OBJECT, "", emit_needed(to, row))
MLS_FIELDS(edition, mls_edition, "RULES JSON", EDITION_FIELDS)

static void emit_editions(mls_emitter *to, const mls_rules_request *request)
{
    mls_emit_open(to, '[');
    for (size_t i = 0; i < mls_editions_count(request->editions, request->usage); i++) {
        const mls_edition *edition = mls_editions_get(request->editions, request->usage, i);
        if (is_wanted(request, edition)) {
            mls_emit_object(to, &edition_fields, edition);
        }
    }
    mls_emit_close(to, ']');
}

#define EDITIONS_FIELDS(F)                                                                                             \
    F(editions, usage, TEXT, "", mls_usage_name(row->usage))                                                           \
    F(editions, editions, ARRAY, "", emit_editions(to, row))
MLS_FIELDS(editions, mls_rules_request, "RULES JSON", EDITIONS_FIELDS)

const mls_report mls_editions_report = {.show = show_editions,
                                        .object = &editions_fields,
                                        .tables = (const mls_fields *const[]){&editions_fields, &edition_fields, NULL}};

/* ---------------------------------------------------------------- checklists */

/* The scopes that judge a benchmark in a division, in their order; those behind `sure` only under a condition. */
typedef struct scope_chain {
    size_t scopes[CHAIN_MAX];
    size_t count;
    size_t sure;
} scope_chain;

static void chain_add(const mls_ruleset *ruleset, scope_chain *chain, const char *first, const char *second)
{
    char name[160];
    const int length = snprintf(name, sizeof name, "%s_%s", first, second);
    const size_t scope =
        length > 0 && (size_t)length < sizeof name ? mls_ruleset_find_scope(ruleset, mls_str_from(name)) : SIZE_MAX;
    if (scope != SIZE_MAX && chain->count < CHAIN_MAX) {
        chain->scopes[chain->count++] = scope;
    }
}

static bool chain_has(const scope_chain *chain, size_t scope)
{
    for (size_t i = 0; i < chain->count; i++) {
        if (chain->scopes[i] == scope) {
            return true;
        }
    }
    return false;
}

/* The scopes that a benchmark's own scope may queue: closed_resnet_lars, closed_resnet_sgd. */
static void chain_add_uses(const mls_ruleset *ruleset, scope_chain *chain, const mls_action *actions, size_t count)
{
    for (size_t a = 0; a < count; a++) {
        for (size_t c = 0; c < actions[a].candidate_count; c++) {
            if (!chain_has(chain, actions[a].candidates[c]) && chain->count < CHAIN_MAX) {
                chain->scopes[chain->count++] = actions[a].candidates[c];
            }
        }
        chain_add_uses(ruleset, chain, actions[a].actions, actions[a].action_count);
    }
}

/* False when the edition has no rules of its own for the benchmark in this division. */
static bool chain_make(const mls_ruleset *ruleset, const char *division, const char *benchmark, scope_chain *chain)
{
    *chain = (scope_chain){.scopes = {ruleset->common}, .count = 1};
    chain_add(ruleset, chain, division, "common");
    const size_t shared = chain->count;
    chain_add(ruleset, chain, division, benchmark);
    chain->sure = chain->count;
    if (chain->count == shared || strcmp(benchmark, "common") == 0) {
        return false;
    }
    const mls_scope *own = &ruleset->scopes[chain->scopes[chain->count - 1]];
    for (size_t r = 0; r < own->rule_count; r++) {
        chain_add_uses(ruleset, chain, own->rules[r].actions, own->rules[r].action_count);
    }
    return true;
}

bool mls_ruleset_has_benchmark(const mls_ruleset *ruleset, const char *benchmark)
{
    scope_chain chain;
    return chain_make(ruleset, "closed", benchmark, &chain) || chain_make(ruleset, "open", benchmark, &chain);
}

/* Whether a scope further on has a rule for the key that overrules this one. */
static bool chain_overrules(const mls_ruleset *ruleset, const scope_chain *chain, size_t at, uint32_t key)
{
    for (size_t later = at + 1; later < chain->sure; later++) {
        if (mls_scope_find_rule(ruleset, chain->scopes[later], key) != NULL) {
            return true;
        }
    }
    return false;
}

static void constraint_list(mls_buffer *out, const mls_scope *scope, const mls_expr_list *list, const char *before)
{
    for (size_t i = 0; i < list->count; i++) {
        mls_buffer_append_text(out, out->len > 0 ? "; " : "");
        mls_buffer_append_text(out, before);
        mls_rule_words_requirement(out, scope, &list->items[i], NULL);
    }
}

/* What a rule wants of the records of its key, in one line. */
static void rule_constraint(mls_buffer *out, const mls_scope *scope, const mls_rule *rule)
{
    constraint_list(out, scope, &rule->check, "");
    constraint_list(out, scope, &rule->check_first, "the first ");
    for (size_t i = 0; i < rule->check_any.count; i++) {
        mls_buffer_append_text(out, out->len > 0 ? "; " : "");
        mls_buffer_append_text(out, "one must reach ");
        mls_rule_words_target(out, scope, &rule->check_any.items[i], NULL);
    }
}

/* A rule of the checklist and where it stands. */
typedef struct rule_place {
    const mls_scope *scope;
    const mls_rule *rule;
    bool conditional; /* the scope applies only for some values */
} rule_place;

static void emit_buffer(mls_emitter *to, mls_buffer *words)
{
    mls_emit_str_or_null(to, mls_buffer_str(words));
    mls_output_drop(to->output, words);
}

static void emit_occurs(mls_emitter *to, const mls_rule *rule)
{
    mls_buffer often = {0};
    mls_rule_words_occurs(&often, rule);
    emit_buffer(to, &often);
}

static void emit_constraint(mls_emitter *to, const rule_place *row)
{
    mls_buffer constraint = {0};
    rule_constraint(&constraint, row->scope, row->rule);
    emit_buffer(to, &constraint);
}

#define RULE_FIELDS(F)                                                                                                 \
    F(rule, key, TEXT, "", row->rule->key.ptr)                                                                         \
    F(rule, occurs, WRITTEN, "", emit_occurs(to, row->rule))                                                           \
    F(rule, constraint, WRITTEN_OR_NULL, "", emit_constraint(to, row))                                                 \
    F(rule, scope, TEXT, "", row->scope->name.ptr)                                                                     \
    F(rule, conditional, BOOL, "", row->conditional)
MLS_FIELDS(rule, rule_place, "RULES JSON", RULE_FIELDS)

/* Calls `each` for every rule of a scope of the chain that none further on overrules. */
static void each_rule(const mls_ruleset *ruleset, const scope_chain *chain, size_t at,
                      void (*each)(void *state, const rule_place *row), void *state)
{
    const mls_scope *scope = &ruleset->scopes[chain->scopes[at]];
    for (size_t r = 0; r < scope->rule_count; r++) {
        if (at >= chain->sure || !chain_overrules(ruleset, chain, at, scope->rules[r].key_index)) {
            each(state, &(rule_place){scope, &scope->rules[r], at >= chain->sure});
        }
    }
}

static void emit_rule(void *state, const rule_place *row)
{
    mls_emit_object(state, &rule_fields, row);
}

static void emit_division(mls_emitter *to, const mls_rules_request *request, const char *division)
{
    scope_chain chain;
    if (!chain_make(request->ruleset, division, request->benchmark, &chain)) {
        mls_emit_null(to);
        return;
    }
    mls_emit_open(to, '[');
    for (size_t at = 0; at < chain.count; at++) {
        each_rule(request->ruleset, &chain, at, emit_rule, to);
    }
    mls_emit_close(to, ']');
}

#define CHECKLIST_FIELDS(F)                                                                                            \
    F(checklist, usage, TEXT, "", mls_usage_name(row->ruleset->usage))                                                 \
    F(checklist, edition, TEXT, "", row->ruleset->edition.ptr)                                                         \
    F(checklist, benchmark, TEXT, "", row->benchmark)                                                                  \
    F(checklist, closed, ARRAY_OR_NULL, "", emit_division(to, row, "closed"))                                          \
    F(checklist, open, ARRAY_OR_NULL, "", emit_division(to, row, "open"))
MLS_FIELDS(checklist, mls_rules_request, "RULES JSON", CHECKLIST_FIELDS)

static void add_rule(void *state, const rule_place *row)
{
    mls_table *table = state;
    mls_buffer text = {0};
    mls_table_row(table);
    mls_table_cell(table, "key", MLS_COLUMN_KEEP, MLS_STYLE_PLAIN, "%s", row->rule->key.ptr);
    mls_rule_words_occurs(&text, row->rule);
    mls_table_cell(table, "how often", MLS_COLUMN_LEFT, MLS_STYLE_PLAIN, "%s", mls_table_take(table, &text));
    rule_constraint(&text, row->scope, row->rule);
    mls_table_note(table, MLS_STYLE_PLAIN, "%s", mls_table_take(table, &text));
}

static void show_division(mls_view *view, const mls_rules_request *request, const char *division)
{
    const mls_ruleset *ruleset = request->ruleset;
    const bool markdown = view->format == MLS_FORMAT_MARKDOWN;
    scope_chain chain;
    if (!chain_make(ruleset, division, request->benchmark, &chain)) {
        return;
    }
    mls_output_printf(view->output, "%s%s %s %s, %s division\n%s", markdown ? "## " : "",
                      mls_usage_name(ruleset->usage), ruleset->edition.ptr, request->benchmark, division,
                      markdown ? "\n" : "");
    for (size_t at = 0; at < chain.count; at++) {
        mls_table table = {.indent = markdown ? 0 : 2};
        each_rule(ruleset, &chain, at, add_rule, &table);
        if (table.count == 0 && !table.failed) {
            mls_table_release(&table);
            continue;
        }
        mls_output_printf(view->output, "%s%s%s\n%s", markdown ? "### " : "",
                          ruleset->scopes[chain.scopes[at]].name.ptr, at >= chain.sure ? " (only for some values)" : "",
                          markdown ? "\n" : "");
        mls_table_finish(&table, view);
        mls_output_text(view->output, "\n");
    }
}

static void show_checklist(mls_printer *to, const void *what)
{
    show_division(to->view, what, "closed");
    show_division(to->view, what, "open");
}

const mls_report mls_checklist_report = {.show = show_checklist,
                                         .object = &checklist_fields,
                                         .tables = (const mls_fields *const[]){&checklist_fields, &rule_fields, NULL}};
