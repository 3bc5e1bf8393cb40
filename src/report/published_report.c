/* SPDX-License-Identifier: Apache-2.0 */
/* published_report.c - published results, one a row, and how the fastest changed from edition to edition. */
#include <math.h>

#include "report/reports.h"
#include "report/table.h"

enum { RIGHT = MLS_COLUMN_RIGHT, DECIMAL = MLS_COLUMN_DECIMAL, KEEP = MLS_COLUMN_KEEP };

/* A short name of what it ran on, or with -v the whole. */
static const char *accelerator_shown(const mls_view *view, const mls_published_system *system)
{
    return view->verbose > 0 ? system->accelerator : system->model.text[0] != '\0' ? system->model.text : NULL;
}

static void note_division(mls_table *table, const mls_published_result *result)
{
    if (result->system->division != MLS_DIVISION_CLOSED) {
        mls_table_note(table, MLS_STYLE_DIM, "%s",
                       result->system->division == MLS_DIVISION_OPEN ? "open division" : "no division");
    }
}

/* Says how many results the limit left out. */
static void finish_list(mls_printer *to, mls_table *table, const mls_published_list *list)
{
    mls_table_finish(table, to->view);
    if (list->total > list->count && !to->view->quiet) {
        mls_view_gap(to->view);
        char hint[sizeof(mls_words)];
        (void)mls_text_printf(hint, sizeof hint, "--limit %zu shows them", list->total);
        mls_view_more(to->view, MLS_STYLE_DIM, 0, list->total - list->count, NULL, hint);
    }
}

static void show_results(mls_printer *to, const void *what)
{
    const mls_published_list *list = what;
    mls_table table = {0};
    for (size_t i = 0; i < list->count; i++) {
        const mls_published_result *result = list->hits[i].result;
        const mls_published_system *system = result->system;
        mls_table_row(&table);
        mls_table_cell(&table, "rank", RIGHT, MLS_STYLE_PLAIN, "%zu", result->rank);
        mls_table_text(&table, "edition", KEEP, result->round);
        mls_table_text(&table, "benchmark", KEEP, result->benchmark);
        mls_table_words(&table, "scaled min", DECIMAL | KEEP, mls_words_grouped(result->minutes, 3));
        mls_table_words(&table, "accelerators", RIGHT | KEEP, mls_words_count(system->accelerators));
        mls_table_text(&table, "model", KEEP | MLS_COLUMN_CUT_LAST, accelerator_shown(to->view, system));
        mls_table_words(&table, "accel.-min", RIGHT, mls_words_count(floor(result->accelerator_minutes + 0.5)));
        mls_table_text(&table, "submitter", KEEP | MLS_COLUMN_CUT_LAST, system->submitter);
        mls_table_text(&table, "system", MLS_COLUMN_CUT, system->system_id);
        mls_table_text(&table, "availability", 0, system->availability);
        note_division(&table, result);
    }
    finish_list(to, &table, list);
}

static void show_trend(mls_printer *to, const void *what)
{
    const mls_published_list *list = what;
    mls_table table = {0};
    for (size_t i = 0; i < list->count; i++) {
        const mls_published_result *result = list->hits[i].result;
        const mls_published_system *system = result->system;
        const double ratio = list->hits[i].ratio;
        mls_table_row(&table);
        mls_table_text(&table, "benchmark", KEEP, result->benchmark);
        mls_table_words(&table, "accelerators", RIGHT | KEEP, mls_words_count(system->accelerators));
        mls_table_text(&table, "edition", KEEP, result->round);
        mls_table_words(&table, "scaled min", DECIMAL | KEEP, mls_words_grouped(result->minutes, 3));
        mls_table_text(&table, "change", RIGHT | KEEP, isnan(ratio) ? "" : mls_words_change(ratio).text);
        mls_table_text(&table, "model", 0, accelerator_shown(to->view, system));
        mls_table_text(&table, "submitter", 0, system->submitter);
        mls_table_text(&table, "system", MLS_COLUMN_CUT, system->system_id);
        note_division(&table, result);
    }
    finish_list(to, &table, list);
}

#define RESULT_FIELDS(F)                                                                                               \
    F(hit, usage, TEXT, "", mls_usage_name(row->result->usage))                                                        \
    F(hit, round, TEXT, "", row->result->round)                                                                        \
    F(hit, submitter, TEXT, "", row->result->system->submitter)                                                        \
    F(hit, division, TEXT_OR_NULL, "", mls_division_name(row->result->system->division))                               \
    F(hit, availability, TEXT_OR_NULL, "", row->result->system->availability)                                          \
    F(hit, system_id, TEXT, "", row->result->system->system_id)                                                        \
    F(hit, system_name, TEXT_OR_NULL, "", row->result->system->system_name)                                            \
    F(hit, nodes, NUMBER_OR_NULL, "", row->result->system->nodes)                                                      \
    F(hit, accelerators_per_node, NUMBER_OR_NULL, "", row->result->system->accelerators_per_node)                      \
    F(hit, accelerators, NUMBER_OR_NULL, "", row->result->system->accelerators)                                        \
    F(hit, accelerator, TEXT_OR_NULL, "", row->result->system->accelerator)                                            \
    F(hit, host_processor, TEXT_OR_NULL, "", row->result->system->host_processor)                                      \
    F(hit, framework, TEXT_OR_NULL, "", row->result->system->framework)                                                \
    F(hit, benchmark, TEXT, "", row->result->benchmark)                                                                \
    F(hit, scaling, TEXT, "", ((void)row, "strong"))                                                                   \
    F(hit, runs, NUMBER, "", row->result->runs)                                                                        \
    F(hit, runs_ok, NUMBER, "", row->result->runs_ok)                                                                  \
    F(hit, minutes, NUMBER, "minutes", row->result->minutes)                                                           \
    F(hit, scale_factor, NUMBER, "", row->result->scale_factor)                                                        \
    F(hit, global_batch_size, NUMBER_OR_NULL, "", row->result->global_batch_size)                                      \
    F(hit, to_converge, NUMBER_OR_NULL, "", row->result->to_converge)                                                  \
    F(hit, accelerator_minutes, NUMBER_OR_NULL, "minutes", row->result->accelerator_minutes)                           \
    F(hit, rank, NUMBER, "", row->result->rank)                                                                        \
    F(hit, ranked, NUMBER, "", row->result->ranked)                                                                    \
    F(hit, ratio, NUMBER_OR_NULL, "", row->ratio)
MLS_FIELDS(hit, mls_published_hit, RESULT_FIELDS)

/* Names that columns have and members do not. */
#define RESULT_CSV_FIELDS(F)                                                                                           \
    F(hit_csv, edition, TEXT, "", row->result->round)                                                                  \
    F(hit_csv, system, TEXT, "", row->result->system->system_id)
MLS_FIELDS_BESIDE(hit_csv, hit, RESULT_CSV_FIELDS)

#define LIST_FIELDS(F) F(list, results, LIST(hit), "", MLS_ROWS(row->hits, row->count))
MLS_FIELDS(list, mls_published_list, LIST_FIELDS)

const mls_report mls_published_report = {
    .section = "PUBLISHED JSON",
    .show = show_results,
    .object = &list_fields,
    .lines = "results",
    .columns = {
        .section = "PUBLISHED CSV",
        .names =
            "rank edition benchmark minutes accelerators accelerator accelerator_minutes submitter system availability",
        .rows = "results",
        .sources = {&hit_csv_fields, &hit_fields}}};

const mls_report mls_published_trend_report = {
    .section = "PUBLISHED JSON",
    .show = show_trend,
    .object = &list_fields,
    .lines = "results",
    .columns = {.section = "PUBLISHED TREND CSV",
                .names = "benchmark division accelerators edition minutes ratio accelerator submitter system",
                .rows = "results",
                .sources = {&hit_csv_fields, &hit_fields}}};
