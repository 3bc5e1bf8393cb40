/* SPDX-License-Identifier: Apache-2.0 */
#include "report/rules_report.h"

#include <stdio.h>
#include <string.h>

#include "report/json.h"
#include "report/table.h"
#include "rules/rule_words.h"

enum { MLS_CHAIN_MAX = 16 };

static void mls_rules_table_print(const mls_table *table, mls_rules_style style, mls_output *output)
{
    if (style.markdown) {
        mls_table_print_markdown(table, output);
    } else {
        mls_table_print(table, output, style.width, style.color);
    }
}

/* ---------------------------------------------------------------- editions */

bool mls_report_editions_table(const mls_editions *editions, mls_usage usage, const mls_edition *only,
                               mls_rules_style style, mls_output *output)
{
    static const mls_column columns[] = {{.header = "edition", .keep = true},
                                         {.header = "benchmark", .keep = true},
                                         {.header = "runs", .align = MLS_ALIGN_RIGHT}};
    mls_table table;
    mls_table_init(&table, columns, 3, 0);
    for (size_t i = 0; i < mls_editions_count(editions, usage); i++) {
        const mls_edition *edition = mls_editions_get(editions, usage, i);
        for (size_t b = 0; (only == NULL || only == edition) && b < edition->benchmark_count; b++) {
            const mls_benchmark *benchmark = edition->benchmarks[b];
            if (mls_table_row(&table) != NULL) {
                mls_table_cell(&table, 0, MLS_STYLE_PLAIN, "%s", b == 0 || style.markdown ? edition->name : "");
                mls_table_cell(&table, 1, MLS_STYLE_PLAIN, "%s", benchmark->name);
                mls_table_cell(&table, 2, MLS_STYLE_PLAIN, "%u", benchmark->runs_needed);
            }
        }
    }
    const bool complete = !table.failed;
    mls_rules_table_print(&table, style, output);
    mls_table_release(&table);
    return complete;
}

bool mls_report_editions_json(const mls_editions *editions, mls_usage usage, const mls_edition *only,
                              mls_output *output)
{
    mls_json json = {0};
    cJSON *root = mls_json_object(&json);
    cJSON *list = mls_json_array(&json);
    mls_json_put_text(&json, root, "usage", mls_usage_name(usage));
    for (size_t i = 0; i < mls_editions_count(editions, usage); i++) {
        const mls_edition *edition = mls_editions_get(editions, usage, i);
        if (only != NULL && only != edition) {
            continue;
        }
        cJSON *item = mls_json_object(&json);
        cJSON *benchmarks = mls_json_object(&json);
        mls_json_put_text(&json, item, "edition", edition->name);
        for (size_t b = 0; b < edition->benchmark_count; b++) {
            mls_json_put_number(&json, benchmarks, edition->benchmarks[b]->name, edition->benchmarks[b]->runs_needed);
        }
        mls_json_put(&json, item, "runs_needed", benchmarks);
        mls_json_append(&json, list, item);
    }
    mls_json_put(&json, root, "editions", list);
    mls_json_print(&json, root, true, output);
    return !json.failed;
}

/* ---------------------------------------------------------------- checklists */

/* The scopes that judge a benchmark in a division, in their order; those behind `sure` only under a condition. */
typedef struct mls_chain {
    size_t scopes[MLS_CHAIN_MAX];
    size_t count;
    size_t sure;
} mls_chain;

static void mls_chain_add(const mls_ruleset *ruleset, mls_chain *chain, const char *first, const char *second)
{
    char name[160];
    const int length = snprintf(name, sizeof name, "%s_%s", first, second);
    const size_t scope =
        length > 0 && (size_t)length < sizeof name ? mls_ruleset_find_scope(ruleset, mls_str_from(name)) : SIZE_MAX;
    if (scope != SIZE_MAX && chain->count < MLS_CHAIN_MAX) {
        chain->scopes[chain->count++] = scope;
    }
}

static bool mls_chain_has(const mls_chain *chain, size_t scope)
{
    for (size_t i = 0; i < chain->count; i++) {
        if (chain->scopes[i] == scope) {
            return true;
        }
    }
    return false;
}

/* The scopes that a benchmark's own scope may queue: closed_resnet_lars, closed_resnet_sgd. */
static void mls_chain_add_uses(const mls_ruleset *ruleset, mls_chain *chain, const mls_action *actions, size_t count)
{
    for (size_t a = 0; a < count; a++) {
        for (size_t c = 0; c < actions[a].candidate_count; c++) {
            if (!mls_chain_has(chain, actions[a].candidates[c]) && chain->count < MLS_CHAIN_MAX) {
                chain->scopes[chain->count++] = actions[a].candidates[c];
            }
        }
        mls_chain_add_uses(ruleset, chain, actions[a].actions, actions[a].action_count);
    }
}

/* False when the edition has no rules of its own for the benchmark in this division. */
static bool mls_chain_make(const mls_ruleset *ruleset, const char *division, const char *benchmark, mls_chain *chain)
{
    *chain = (mls_chain){.scopes = {ruleset->common}, .count = 1};
    mls_chain_add(ruleset, chain, division, "common");
    const size_t shared = chain->count;
    mls_chain_add(ruleset, chain, division, benchmark);
    chain->sure = chain->count;
    if (chain->count == shared || strcmp(benchmark, "common") == 0) {
        return false;
    }
    const mls_scope *own = &ruleset->scopes[chain->scopes[chain->count - 1]];
    for (size_t r = 0; r < own->rule_count; r++) {
        mls_chain_add_uses(ruleset, chain, own->rules[r].actions, own->rules[r].action_count);
    }
    return true;
}

bool mls_report_has_benchmark(const mls_ruleset *ruleset, const char *benchmark)
{
    mls_chain chain;
    return mls_chain_make(ruleset, "closed", benchmark, &chain) || mls_chain_make(ruleset, "open", benchmark, &chain);
}

/* Whether a scope further on has a rule for the key that overrules this one. */
static bool mls_chain_overrules(const mls_ruleset *ruleset, const mls_chain *chain, size_t at, uint32_t key)
{
    for (size_t later = at + 1; later < chain->sure; later++) {
        if (mls_scope_find_rule(ruleset, chain->scopes[later], key) != NULL) {
            return true;
        }
    }
    return false;
}

static void mls_constraint_list(mls_buffer *out, const mls_scope *scope, const mls_expr_list *list, const char *before)
{
    for (size_t i = 0; i < list->count; i++) {
        mls_buffer_append_text(out, out->len > 0 ? "; " : "");
        mls_buffer_append_text(out, before);
        mls_rule_words_requirement(out, scope, &list->items[i], NULL);
    }
}

/* What a rule wants of the records of its key, in one line. */
static void mls_rule_constraint(mls_buffer *out, const mls_scope *scope, const mls_rule *rule)
{
    mls_constraint_list(out, scope, &rule->check, "");
    mls_constraint_list(out, scope, &rule->check_first, "the first ");
    for (size_t i = 0; i < rule->check_any.count; i++) {
        mls_buffer_append_text(out, out->len > 0 ? "; " : "");
        mls_buffer_append_text(out, "one must reach ");
        mls_rule_words_target(out, scope, &rule->check_any.items[i], NULL);
    }
}

static void mls_checklist_row(mls_table *table, const mls_scope *scope, const mls_rule *rule)
{
    mls_buffer often = {0};
    mls_buffer constraint = {0};
    if (mls_table_row(table) != NULL) {
        mls_rule_words_occurs(&often, rule);
        mls_rule_constraint(&constraint, scope, rule);
        mls_table_cell(table, 0, MLS_STYLE_PLAIN, "%s", rule->key.ptr);
        mls_table_cell(table, 1, MLS_STYLE_PLAIN, "%s", often.ptr != NULL ? often.ptr : "");
        mls_table_note(table, MLS_STYLE_PLAIN, "%s", constraint.ptr != NULL ? constraint.ptr : "");
    }
    table->failed |= often.failed || constraint.failed;
    mls_buffer_release(&often);
    mls_buffer_release(&constraint);
}

bool mls_report_checklist_table(const mls_ruleset *ruleset, const char *division, const char *benchmark,
                                mls_rules_style style, mls_output *output)
{
    static const mls_column columns[] = {{.header = "key", .keep = true}, {.header = "how often"}};
    mls_chain chain;
    bool complete = true;
    if (!mls_chain_make(ruleset, division, benchmark, &chain)) {
        return true;
    }
    mls_output_printf(output, "%s%s %s %s, %s division\n", style.markdown ? "## " : "", mls_usage_name(ruleset->usage),
                      ruleset->edition.ptr, benchmark, division);
    mls_output_text(output, style.markdown ? "\n" : "");
    for (size_t at = 0; at < chain.count; at++) {
        const mls_scope *scope = &ruleset->scopes[chain.scopes[at]];
        mls_table table;
        mls_table_init(&table, columns, 2, style.markdown ? 0 : 2);
        for (size_t r = 0; r < scope->rule_count; r++) {
            if (at >= chain.sure || !mls_chain_overrules(ruleset, &chain, at, scope->rules[r].key_index)) {
                mls_checklist_row(&table, scope, &scope->rules[r]);
            }
        }
        if (table.count > 0) {
            mls_output_printf(output, "%s%s%s\n", style.markdown ? "### " : "", scope->name.ptr,
                              at >= chain.sure ? " (only for some values)" : "");
            mls_output_text(output, style.markdown ? "\n" : "");
            mls_rules_table_print(&table, style, output);
            mls_output_text(output, "\n");
        }
        complete &= !table.failed;
        mls_table_release(&table);
    }
    return complete;
}

static cJSON *mls_checklist_division(mls_json *json, const mls_ruleset *ruleset, const char *division,
                                     const char *benchmark)
{
    mls_chain chain;
    if (!mls_chain_make(ruleset, division, benchmark, &chain)) {
        return cJSON_CreateNull();
    }
    cJSON *list = mls_json_array(json);
    for (size_t at = 0; at < chain.count; at++) {
        const mls_scope *scope = &ruleset->scopes[chain.scopes[at]];
        for (size_t r = 0; r < scope->rule_count; r++) {
            const mls_rule *rule = &scope->rules[r];
            if (at < chain.sure && mls_chain_overrules(ruleset, &chain, at, rule->key_index)) {
                continue;
            }
            mls_buffer often = {0};
            mls_buffer constraint = {0};
            mls_rule_words_occurs(&often, rule);
            mls_rule_constraint(&constraint, scope, rule);
            cJSON *item = mls_json_object(json);
            mls_json_put_text(json, item, "key", rule->key.ptr);
            mls_json_put_text(json, item, "occurs", often.ptr);
            mls_json_put_text(json, item, "constraint", constraint.ptr);
            mls_json_put_text(json, item, "scope", scope->name.ptr);
            mls_json_put_bool(json, item, "conditional", at >= chain.sure);
            mls_json_append(json, list, item);
            json->failed |= often.failed || constraint.failed;
            mls_buffer_release(&often);
            mls_buffer_release(&constraint);
        }
    }
    return list;
}

bool mls_report_checklist_json(const mls_ruleset *ruleset, const char *benchmark, mls_output *output)
{
    mls_json json = {0};
    cJSON *root = mls_json_object(&json);
    mls_json_put_text(&json, root, "usage", mls_usage_name(ruleset->usage));
    mls_json_put_text(&json, root, "edition", ruleset->edition.ptr);
    mls_json_put_text(&json, root, "benchmark", benchmark);
    mls_json_put(&json, root, "closed", mls_checklist_division(&json, ruleset, "closed", benchmark));
    mls_json_put(&json, root, "open", mls_checklist_division(&json, ruleset, "open", benchmark));
    mls_json_print(&json, root, true, output);
    return !json.failed;
}
