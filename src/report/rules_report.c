/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rules_report.c - editions, and checklists of what a benchmark must log.
 */
#include "report/reports.h"

#include "report/table.h"
#include "rules/rule_words.h"

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
MLS_FIELDS(edition, mls_edition, EDITION_FIELDS)

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
MLS_FIELDS(editions, mls_rules_request, EDITIONS_FIELDS)

const mls_report mls_editions_report = {.section = "RULES JSON",
                                        .show = show_editions,
                                        .object = &editions_fields,
                                        .tables = (const mls_fields *const[]){&editions_fields, &edition_fields, NULL}};

/* A rule of the checklist and where it stands. */
typedef struct rule_place {
    const mls_scope *scope;
    const mls_rule *rule;
    bool conditional; /* the scope applies only for some values */
} rule_place;

/* How often its key comes, or what else the rule asks for. */
static void emit_words(mls_emitter *to, const rule_place *row, bool occurs)
{
    mls_buffer words = {0};
    if (occurs) {
        mls_rule_words_occurs(&words, row->rule);
    } else {
        mls_rule_words_rule(&words, row->scope, row->rule);
    }
    mls_emit_str_or_null(to, mls_buffer_str(&words));
    mls_output_drop(to->output, &words);
}

#define RULE_FIELDS(F)                                                                                                 \
    F(rule, key, TEXT, "", row->rule->key.ptr)                                                                         \
    F(rule, occurs, WRITTEN, "", emit_words(to, row, true))                                                            \
    F(rule, constraint, WRITTEN_OR_NULL, "", emit_words(to, row, false))                                               \
    F(rule, scope, TEXT, "", row->scope->name.ptr)                                                                     \
    F(rule, conditional, BOOL, "", row->conditional)
MLS_FIELDS(rule, rule_place, RULE_FIELDS)

/* The next rule of a scope of the chain that none further on overrules, from rule *next on. */
static bool next_rule(const mls_scope_chain *chain, size_t at, size_t *next, rule_place *place)
{
    const mls_scope *scope = &chain->ruleset->scopes[chain->scopes[at]];
    while (*next < scope->rule_count && mls_scope_chain_overrules(chain, at, scope->rules[*next].key_index)) {
        ++*next;
    }
    if (*next == scope->rule_count) {
        return false;
    }
    *place = (rule_place){scope, &scope->rules[(*next)++], at >= chain->sure};
    return true;
}

static void emit_division(mls_emitter *to, const mls_rules_request *request, const char *division)
{
    mls_scope_chain chain;
    if (!mls_scope_chain_make(request->ruleset, division, request->benchmark, &chain)) {
        mls_emit_null(to);
        return;
    }
    mls_emit_open(to, '[');
    for (size_t at = 0; at < chain.count; at++) {
        rule_place row = {0};
        for (size_t next = 0; next_rule(&chain, at, &next, &row);) {
            mls_emit_object(to, &rule_fields, &row);
        }
    }
    mls_emit_close(to, ']');
}

#define CHECKLIST_FIELDS(F)                                                                                            \
    F(checklist, usage, TEXT, "", mls_usage_name(row->ruleset->usage))                                                 \
    F(checklist, edition, TEXT, "", row->ruleset->edition.ptr)                                                         \
    F(checklist, benchmark, TEXT, "", row->benchmark)                                                                  \
    F(checklist, closed, ARRAY_OR_NULL, "", emit_division(to, row, "closed"))                                          \
    F(checklist, open, ARRAY_OR_NULL, "", emit_division(to, row, "open"))
MLS_FIELDS(checklist, mls_rules_request, CHECKLIST_FIELDS)

static void add_rule(mls_table *table, const rule_place *row)
{
    mls_buffer text = {0};
    mls_table_row(table);
    mls_table_cell(table, "key", MLS_COLUMN_KEEP, MLS_STYLE_PLAIN, "%s", row->rule->key.ptr);
    mls_rule_words_occurs(&text, row->rule);
    mls_table_cell(table, "how often", MLS_COLUMN_LEFT, MLS_STYLE_PLAIN, "%s", mls_table_take(table, &text));
    mls_rule_words_rule(&text, row->scope, row->rule);
    mls_table_note(table, MLS_STYLE_PLAIN, "%s", mls_table_take(table, &text));
}

static void show_division(mls_view *view, const mls_rules_request *request, const char *division)
{
    const mls_ruleset *ruleset = request->ruleset;
    const bool markdown = view->format == MLS_FORMAT_MARKDOWN;
    mls_scope_chain chain;
    if (!mls_scope_chain_make(ruleset, division, request->benchmark, &chain)) {
        return;
    }
    mls_output_printf(view->output, "%s%s %s %s, %s division\n%s", markdown ? "## " : "",
                      mls_usage_name(ruleset->usage), ruleset->edition.ptr, request->benchmark, division,
                      markdown ? "\n" : "");
    for (size_t at = 0; at < chain.count; at++) {
        mls_table table = {.indent = markdown ? 0 : 2};
        rule_place row = {0};
        for (size_t next = 0; next_rule(&chain, at, &next, &row);) {
            add_rule(&table, &row);
        }
        const bool some = table.count > 0;
        if (some) {
            mls_output_printf(view->output, "%s%s%s\n%s", markdown ? "### " : "", row.scope->name.ptr,
                              row.conditional ? " (only for some values)" : "", markdown ? "\n" : "");
        }
        mls_table_finish(&table, view);
        mls_output_text(view->output, some ? "\n" : "");
    }
}

static void show_checklist(mls_printer *to, const void *what)
{
    show_division(to->view, what, "closed");
    show_division(to->view, what, "open");
}

const mls_report mls_checklist_report = {.section = "RULES JSON",
                                         .show = show_checklist,
                                         .object = &checklist_fields,
                                         .tables = (const mls_fields *const[]){&checklist_fields, &rule_fields, NULL}};

/* Lists in `begin` are bounded in depth when they are loaded, as are actions. */
static void emit_value(mls_emitter *to, const mls_value *value)
{
    switch (value->kind) {
    case MLS_JSON_NULL:
        mls_emit_null(to);
        break;
    case MLS_JSON_BOOL:
        mls_emit_bool(to, value->as.boolean);
        break;
    case MLS_JSON_NUMBER:
        mls_emit_number(to, value->as.number);
        break;
    case MLS_JSON_STRING:
        mls_emit_str(to, value->as.string);
        break;
    case MLS_JSON_LIST:
        MLS_EMIT_LIST(to, value->as.list.count, emit_value(to, &value->as.list.items[i]));
        break;
    case MLS_JSON_OBJECT:
        mls_emit_open(to, '{');
        for (size_t i = 0; i < value->as.object.count; i++) {
            mls_emit_name(to, value->as.object.members[i].name);
            emit_value(to, value->as.object.members[i].value);
        }
        mls_emit_close(to, '}');
        break;
    }
}

void mls_ruleset_write(const mls_ruleset *ruleset, mls_output *output)
{
    mls_emitter to = {.output = output, .indented = true};
    mls_arena memory = {0};
    const mls_value *value = mls_ruleset_as_value(ruleset, &memory);
    if (value != NULL) {
        emit_value(&to, value);
        mls_emit_end(&to);
    } else {
        mls_output_short(output);
    }
    mls_emitter_release(&to);
    mls_arena_release(&memory);
}
