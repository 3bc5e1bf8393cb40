/* SPDX-License-Identifier: Apache-2.0 */
/* rules_report.c - the reports about the rules of a round: editions, checklists of the records that a benchmark must
 * log, rule files, and reference points. */
#include "report/reports.h"

#include <math.h>

#include "rules/ruleset.h"
#include "term/table.h"

/* Return an edition by its index; NULL if another edition was requested. */
static const mls_edition *edition_at(const mls_rules_request *request, size_t index)
{
    const mls_edition *edition = mls_editions_get(request->editions, request->usage, index);
    return request->edition == NULL || request->edition == edition ? edition : NULL;
}

static void show_editions(mls_printer *to, const void *what)
{
    const mls_rules_request *request = what;
    mls_table table = {0};
    for (size_t i = 0; i < mls_editions_count(request->editions, request->usage); i++) {
        const mls_edition *edition = edition_at(request, i);
        for (size_t b = 0; edition != NULL && b < edition->benchmark_count; b++) {
            const bool named = b == 0 || to->view->format == MLS_FORMAT_MARKDOWN;
            mls_table_row(&table);
            mls_table_text(&table, "edition", MLS_COLUMN_KEEP, named ? edition->name : "");
            mls_table_text(&table, "benchmark", MLS_COLUMN_KEEP, edition->benchmarks[b]->name);
            mls_table_cell(&table, "runs", MLS_COLUMN_RIGHT, MLS_STYLE_PLAIN, "%u",
                           edition->benchmarks[b]->runs_needed);
        }
    }
    mls_table_finish(&table, to->view);
}

#define EDITION_FIELDS(F)                                                                                              \
    F(edition, edition, TEXT, "", row->name)                                                                           \
    F(edition, runs_needed, MAP, "",                                                                                   \
      MLS_MEMBERS(row->benchmark_count, mls_str_from(row->benchmarks[i]->name),                                        \
                  mls_emit_number(to, row->benchmarks[i]->runs_needed)))
MLS_FIELDS(edition, mls_edition, EDITION_FIELDS)

#define EDITIONS_FIELDS(F)                                                                                             \
    F(editions, usage, TEXT, "", mls_usage_name(row->usage))                                                           \
    F(editions, editions, LIST(edition), "",                                                                           \
      MLS_EACH(mls_editions_count(row->editions, row->usage), mls_emit_row(to, edition_at(row, i))))
MLS_FIELDS(editions, mls_rules_request, EDITIONS_FIELDS)

const mls_report mls_editions_report = {.section = "RULES JSON", .show = show_editions, .object = &editions_fields};

typedef struct rule_place {
    const mls_scope *scope;
    const mls_rule *rule;
    bool conditional; /* the scope applies only to logs in which a record has a certain value */
} rule_place;

#define RULE_FIELDS(F)                                                                                                 \
    F(rule, key, TEXT, "", row->rule->key.ptr)                                                                         \
    F(rule, occurs, WORDS, "", mls_rule_words_occurs(words, row->rule))                                                \
    F(rule, constraint, WORDS_OR_NULL, "", mls_rule_words_rule(words, row->scope, row->rule))                          \
    F(rule, scope, TEXT, "", row->scope->name.ptr)                                                                     \
    F(rule, conditional, BOOL, "", row->conditional)
MLS_FIELDS(rule, rule_place, RULE_FIELDS)

/* Find the next rule of a scope that later scopes of the chain do not override.  Begin at the index *next, and set
 * *next to the index after the found rule.  Return false if there is no further rule. */
static bool next_rule(const mls_scope_chain *chain, size_t at, size_t *next, rule_place *place)
{
    const mls_scope *scope = &chain->ruleset->scopes[chain->scopes[at]];
    while (*next < scope->rule_count &&
           mls_scopes_have_rule(chain->ruleset, chain->scopes, at + 1, chain->sure, scope->rules[*next].key_index))
        ++*next;
    if (*next == scope->rule_count)
        return false;
    *place = (rule_place){scope, &scope->rules[(*next)++], at >= chain->sure};
    return true;
}

static bool chain_of(const mls_rules_request *request, const char *division, mls_scope_chain *chain)
{
    return mls_scope_chain_make(request->ruleset, division, request->benchmark, chain);
}

static void emit_division(mls_emitter *to, const mls_rules_request *request, const char *division)
{
    mls_scope_chain chain;
    if (!chain_of(request, division, &chain))
        return;
    for (size_t at = 0; at < chain.count; at++) {
        rule_place row = {0};
        for (size_t next = 0; next_rule(&chain, at, &next, &row);)
            mls_emit_row(to, &row);
    }
}

#define CHECKLIST_FIELDS(F)                                                                                            \
    F(checklist, usage, TEXT, "", mls_usage_name(row->ruleset->usage))                                                 \
    F(checklist, edition, TEXT, "", row->ruleset->edition.ptr)                                                         \
    F(checklist, benchmark, TEXT, "", row->benchmark)                                                                  \
    F(checklist, closed, LIST_IF(rule, chain_of(row, "closed", &(mls_scope_chain){0})), "",                            \
      emit_division(to, row, "closed"))                                                                                \
    F(checklist, open, LIST_IF(rule, chain_of(row, "open", &(mls_scope_chain){0})), "", emit_division(to, row, "open"))
MLS_FIELDS(checklist, mls_rules_request, CHECKLIST_FIELDS)

static void show_division(mls_view *view, const mls_rules_request *request, const char *division)
{
    const mls_ruleset *ruleset = request->ruleset;
    const bool markdown = view->format == MLS_FORMAT_MARKDOWN;
    mls_scope_chain chain;
    if (!chain_of(request, division, &chain))
        return;
    mls_output_printf(view->output, "%s%s %s %s, %s division\n%s", markdown ? "## " : "",
                      mls_usage_name(ruleset->usage), ruleset->edition.ptr, request->benchmark, division,
                      markdown ? "\n" : "");
    for (size_t at = 0; at < chain.count; at++) {
        mls_table table = {.indent = markdown ? 0 : 2};
        rule_place row = {0};
        for (size_t next = 0; next_rule(&chain, at, &next, &row);) {
            mls_buffer text = {0};
            mls_table_row(&table);
            mls_table_text(&table, "key", MLS_COLUMN_KEEP, row.rule->key.ptr);
            mls_rule_words_occurs(&text, row.rule);
            mls_table_text(&table, "how often", MLS_COLUMN_LEFT, mls_table_take(&table, &text));
            mls_rule_words_rule(&text, row.scope, row.rule);
            mls_table_note(&table, MLS_STYLE_PLAIN, "%s", mls_table_take(&table, &text));
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

const mls_report mls_checklist_report = {.section = "RULES JSON", .show = show_checklist, .object = &checklist_fields};

/* Write the initial value of a variable, which cannot be an object.  The recursion is limited, since rule files with
 * deeply nested lists or actions are not loaded. */
static void emit_value(mls_emitter *to, const mls_value *value)
{
    switch (value->kind) {
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
        MLS_EMIT_VALUES(MLS_EACH(value->as.list.count, emit_value(to, &value->as.list.items[i])))
        break;
    default:
        mls_emit_null(to);
    }
}

/* Write one expression as a string, and several expressions as a list.  Write nothing if there are no expressions. */
static void emit_exprs(mls_emitter *to, const mls_expr_list *list)
{
    if (list->count == 1)
        mls_emit_str(to, list->items[0].text);
    else if (list->count > 1)
        MLS_EMIT_VALUES(MLS_EACH(list->count, mls_emit_str(to, list->items[i].text)))
}

typedef struct action_place {
    const mls_scope *scope;
    const mls_action *action;
} action_place;

static bool assigns(const mls_action *action)
{
    return action->kind == MLS_ACTION_SET || action->kind == MLS_ACTION_APPEND;
}

static void emit_actions(mls_emitter *to, const mls_scope *scope, const mls_action *actions, size_t count);

#define ACTION_FIELDS(F)                                                                                               \
    F(action, use, ELSE_OUT(TEXT, row->action->kind == MLS_ACTION_USE), "", row->action->text)                         \
    F(action, if, ELSE_OUT(TEXT, row->action->kind == MLS_ACTION_IF), "", row->action->expr.text)                      \
    F(action, then, ELSE_OUT(VALUES, row->action->kind == MLS_ACTION_IF), "",                                          \
      emit_actions(to, row->scope, row->action->actions, row->action->action_count))                                   \
    F(action, set, ELSE_OUT(TEXT, assigns(row->action)), "", row->scope->symbols.entries[row->action->slot].key)       \
    F(action, to, ELSE_OUT(TEXT, assigns(row->action)), "", row->action->expr.text)
MLS_FIELDS(action, action_place, ACTION_FIELDS)

static void emit_actions(mls_emitter *to, const mls_scope *scope, const mls_action *actions, size_t count)
{
    for (size_t i = 0; i < count; i++)
        mls_emit_object(to, &action_fields, &(action_place){scope, &actions[i]});
}

#define ADVICE_FIELDS(F)                                                                                               \
    F(advice, check, ANY, "", emit_exprs(to, &row->advice))                                                            \
    F(advice, source, TEXT, "", row->advice_source)
MLS_FIELDS(advice, mls_rule, ADVICE_FIELDS)

#define FILE_RULE_FIELDS(F)                                                                                            \
    F(file_rule, occurs, ELSE_OUT(TEXT, row->rule->occurs_text.len > 0), "", row->rule->occurs_text)                   \
    F(file_rule, check, ANY, "", emit_exprs(to, &row->rule->check))                                                    \
    F(file_rule, check_first, ANY, "", emit_exprs(to, &row->rule->check_first))                                        \
    F(file_rule, check_any, ANY, "", emit_exprs(to, &row->rule->check_any))                                            \
    F(file_rule, advice, OBJECT_OF(advice), "", row->rule->advice.count > 0 ? row->rule : NULL)                        \
    F(file_rule, after, ELSE_OUT(VALUES, row->rule->action_count > 0), "",                                             \
      emit_actions(to, row->scope, row->rule->actions, row->rule->action_count))
MLS_FIELDS(file_rule, rule_place, FILE_RULE_FIELDS)

/* Return the path "metadata.NAME" of a member.  The bytes before `name` in its buffer must be "metadata.". */
static mls_str metadata_path(mls_str name)
{
    static const size_t path = sizeof "metadata." - 1;
    return (mls_str){name.ptr - path, name.len + path};
}

#define DERIVE_FIELDS(F)                                                                                               \
    F(derive, key, TEXT, "", row->key)                                                                                 \
    F(derive, from, TEXT, "", row->from)                                                                               \
    F(derive, group_by, TEXT, "", metadata_path(row->group_by))                                                        \
    F(derive, field, TEXT, "", metadata_path(row->field))
MLS_FIELDS(derive, mls_derive, DERIVE_FIELDS)

#define SCOPE_FIELDS(F)                                                                                                \
    F(scope, begin, MAP, "",                                                                                           \
      MLS_EACH(                                                                                                        \
          row->symbols.count, if (row->initial[i].set) {                                                               \
              mls_emit_name(to, row->symbols.entries[i].key);                                                          \
              emit_value(to, &row->initial[i].value);                                                                  \
          }))                                                                                                          \
    F(scope, derive, OBJECT_OF(derive), "", row->derive.key.ptr != NULL ? &row->derive : NULL)                         \
    F(scope, keys, MAP, "",                                                                                            \
      MLS_MEMBERS(row->rule_count, row->rules[i].key,                                                                  \
                  mls_emit_object(to, &file_rule_fields, &(rule_place){.scope = row, .rule = &row->rules[i]})))        \
    F(scope, end, ANY, "", emit_exprs(to, &row->end))
MLS_FIELDS(scope, mls_scope, SCOPE_FIELDS)

/* The members of a rule file, which mlscore-rules(5) documents instead of mlscore-formats(5). */
#define RULE_FILE_FIELDS(F)                                                                                            \
    F(rule_file, usage, TEXT, "", mls_usage_name(row->usage))                                                          \
    F(rule_file, edition, TEXT, "", row->edition)                                                                      \
    F(rule_file, scopes, MAP, "",                                                                                      \
      MLS_MEMBERS(row->scope_count, row->scopes[i].name, mls_emit_object(to, &scope_fields, &row->scopes[i])))
MLS_FIELDS(rule_file, mls_ruleset, RULE_FILE_FIELDS)

const mls_report mls_rule_file_report = {.object = &rule_file_fields};

static void show_listings(mls_printer *to, const void *what)
{
    enum { RIGHT = MLS_COLUMN_RIGHT, DECIMAL = MLS_COLUMN_DECIMAL, KEEP = MLS_COLUMN_KEEP };
    const mls_rcp_listings *listings = what;
    mls_view *view = to->view;
    for (size_t i = 0; i < listings->count; i++) {
        const mls_rcp_listing *listing = &listings->items[i];
        const mls_benchmark *benchmark = listing->benchmark;
        const mls_rcp_point *points = listing->set->items;
        const size_t count = listing->set->count;
        const char *unit = count > 0 ? points[0].unit : "";
        mls_output_text(view->output, i > 0 ? "\n" : "");
        mls_view_text(view, MLS_STYLE_BOLD, "%s", benchmark->name);
        mls_view_text(view, MLS_STYLE_PLAIN, "  %s %s   %u runs, %u left out at each end%s%s",
                      mls_usage_name(listing->edition->usage), listing->edition->name, benchmark->runs_needed,
                      benchmark->left_out, unit[0] != '\0' ? "   " : "", unit);
        mls_output_text(view->output, count == 0 ? "\n  no reference points\n" : "\n");
        double largest = 0;
        for (size_t k = 0; k < count; k++)
            largest = fmax(largest, points[k].bar.mean);
        const int decimals = largest >= 10000 ? 0 : largest >= 100 ? 1 : largest >= 10 ? 2 : 4;
        mls_table table = {.indent = 2};
        for (size_t p = 0; p < count; p++) {
            const mls_rcp_point *point = &points[p];
            const struct {
                const char *header;
                unsigned look;
                double number;
                int decimals;
            } cells[] = {{"batch", RIGHT | KEEP, point->global_batch_size, 0},
                         {"runs", RIGHT, (double)point->count, 0},
                         {"mean", DECIMAL | KEEP, point->bar.mean, decimals},
                         {"stdev", DECIMAL, point->bar.stdev, decimals},
                         {"limit", DECIMAL | KEEP, point->bar.limit, decimals},
                         {"max speedup", DECIMAL, point->bar.max_speedup, 4}};
            const char *const parts[] = {point->source, point->creator, point->platform, point->precision, point->when};
            mls_buffer from = {0};
            mls_table_row(&table);
            table.style = point->pruned ? MLS_STYLE_DIM : MLS_STYLE_PLAIN;
            for (size_t k = 0; k < sizeof cells / sizeof *cells; k++)
                mls_table_number(&table, cells[k].header, cells[k].look, cells[k].number, cells[k].decimals);
            mls_table_text(&table, "used", KEEP, point->pruned ? "pruned" : "yes");
            for (size_t k = 0; k < sizeof parts / sizeof *parts; k++)
                mls_buffer_printf(&from, "%s%s", from.len > 0 && parts[k][0] != '\0' ? ", " : "", parts[k]);
            mls_table_text(&table, "from", MLS_COLUMN_CUT, mls_table_take(&table, &from));
        }
        mls_table_finish(&table, view);
        if (!isnan(listing->batch_size)) {
            const mls_rcp_limit limit = mls_rcp_set_limit(listing->set, listing->batch_size);
            mls_buffer words = {0};
            mls_rcp_limit_describe(&limit, &words);
            mls_view_line(view, &words, MLS_STYLE_PLAIN, 2, 0);
        }
    }
}

#define BAR_FIELDS(F, kind)                                                                                            \
    F(kind, mean, NUMBER_OR_NULL, "", row->bar.mean)                                                                   \
    F(kind, stdev, NUMBER_OR_NULL, "", row->bar.stdev)                                                                 \
    F(kind, least_mean, NUMBER_OR_NULL, "", row->bar.min_mean)                                                         \
    F(kind, max_speedup, NUMBER_OR_NULL, "", row->bar.max_speedup)                                                     \
    F(kind, limit, NUMBER_OR_NULL, "", row->bar.limit)

#define POINT_FIELDS(F)                                                                                                \
    F(point, name, TEXT_OR_NULL, "", row->name)                                                                        \
    F(point, global_batch_size, NUMBER, "", row->global_batch_size)                                                    \
    F(point, unit, TEXT_OR_NULL, "", row->unit)                                                                        \
    F(point, to_converge, VALUES, "", MLS_EACH(row->count, mls_emit_number(to, row->to_converge[i])))                  \
    BAR_FIELDS(F, point)                                                                                               \
    F(point, pruned, BOOL, "", row->pruned)                                                                            \
    F(point, precision, FILLED_OR_NULL, "", row->precision)                                                            \
    F(point, platform, FILLED_OR_NULL, "", row->platform)                                                              \
    F(point, creator, FILLED_OR_NULL, "", row->creator)                                                                \
    F(point, when, FILLED_OR_NULL, "", row->when)                                                                      \
    F(point, source, FILLED_OR_NULL, "", row->source)                                                                  \
    F(point, hyperparameters, FILLED_OR_NULL, "", row->hyperparameters)
MLS_FIELDS(point, mls_rcp_point, POINT_FIELDS)
#define POINT_CSV_FIELDS(F) F(point_csv, runs, NUMBER, "", row->count)
MLS_FIELDS_BESIDE(point_csv, point, POINT_CSV_FIELDS)

#define LIMIT_FIELDS(F)                                                                                                \
    F(limit, global_batch_size, NUMBER, "", row->global_batch_size)                                                    \
    F(limit, match, TEXT, "", mls_rcp_match_name(row->match))                                                          \
    F(limit, lower_batch_size, NUMBER_OR_NULL, "", row->lower_batch_size)                                              \
    F(limit, upper_batch_size, NUMBER_OR_NULL, "", row->upper_batch_size)                                              \
    BAR_FIELDS(F, limit)
MLS_FIELDS(limit, mls_rcp_limit, LIMIT_FIELDS)
#define LIMIT_CSV_FIELDS(F) F(limit_csv, unit, TEXT_OR_NULL, "", row->unit)
MLS_FIELDS_BESIDE(limit_csv, limit, LIMIT_CSV_FIELDS)

#define LIMIT_OF(listing) ((const mls_rcp_limit[]){mls_rcp_set_limit((listing)->set, (listing)->batch_size)})
#define BENCHMARK_FIELDS(F)                                                                                            \
    F(benchmark, benchmark, TEXT, "", row->benchmark->name)                                                            \
    F(benchmark, usage, TEXT, "", mls_usage_name(row->edition->usage))                                                 \
    F(benchmark, edition, TEXT, "", row->edition->name)                                                                \
    F(benchmark, runs_needed, NUMBER, "", row->benchmark->runs_needed)                                                 \
    F(benchmark, left_out, NUMBER, "", row->benchmark->left_out)                                                       \
    F(benchmark, points, LIST(point), "", MLS_ROWS(row->set->items, row->set->count))                                  \
    F(benchmark, limit, OBJECT_OR_NULL(limit), "", isnan(row->batch_size) ? NULL : LIMIT_OF(row))
MLS_FIELDS(benchmark, mls_rcp_listing, BENCHMARK_FIELDS)
#define LISTINGS_FIELDS(F) F(listings, benchmarks, LIST(benchmark), "", MLS_ROWS(row->items, row->count))
MLS_FIELDS(listings, mls_rcp_listings, LISTINGS_FIELDS)
/* If a batch size is given, CSV has a row per benchmark with its limit. */
#define BENCHMARK_CSV_FIELDS(F) F(benchmark_csv, limit, OBJECT_OF(limit), "", LIMIT_OF(row))
MLS_FIELDS_BESIDE(benchmark_csv, benchmark, BENCHMARK_CSV_FIELDS)

const mls_report mls_rcp_report = {
    .section = "RCP JSON",
    .show = show_listings,
    .object = &listings_fields,
    .columns = {
        .section = "RCP CSV",
        .names =
            "usage edition benchmark global_batch_size unit runs mean stdev least_mean max_speedup limit pruned name "
            "precision platform creator when source hyperparameters",
        .rows = "benchmarks points",
        .sources = {&point_csv_fields, &point_fields, &benchmark_fields}}};
const mls_report mls_rcp_limit_report = {
    .section = "RCP JSON",
    .show = show_listings,
    .object = &listings_fields,
    .columns = {.section = "RCP BATCH CSV",
                .names =
                    "usage edition benchmark global_batch_size unit match lower_batch_size upper_batch_size mean stdev "
                    "least_mean max_speedup limit",
                .rows = "benchmarks limit",
                .sources = {&limit_csv_fields, &limit_fields, &benchmark_csv_fields, &benchmark_fields}}};
