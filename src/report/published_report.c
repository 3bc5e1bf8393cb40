/* SPDX-License-Identifier: Apache-2.0 */
/* published_report.c - the reports of published results: a list of results, the fastest result of each edition, and the
 * settings and runs of results. */
#include <math.h>

#include "report/reports.h"
#include "score/export.h"
#include "term/table.h"

/* The maximum number of settings that have a column. */
enum { SETTINGS_SHOWN = 12 };

enum { RIGHT = MLS_COLUMN_RIGHT, DECIMAL = MLS_COLUMN_DECIMAL, KEEP = MLS_COLUMN_KEEP };

void mls_published_append_why(mls_buffer *words, const char *before, const mls_published_why *why)
{
    mls_why_part parts[MLS_WHY_PARTS];
    const size_t count = why != NULL ? mls_why_parts(why, MLS_WHY_LEAST, parts, MLS_WHY_PARTS) : 0;
    for (size_t i = 0; i < count; i++) {
        mls_buffer_printf(words, "%s%s %s", i > 0 ? ", " : before, parts[i].name,
                          mls_words_change(parts[i].ratio).text);
    }
}

mls_words mls_published_minutes_words(const mls_published_result *result)
{
    mls_words words = mls_words_grouped(result->minutes, 3);
    if (result->known == MLS_PUBLISHED_DERIVED || result->known == MLS_PUBLISHED_ANNOUNCED) {
        (void)mls_text_printf(words.text, sizeof words.text, "~%s", mls_words_trimmed(result->minutes, 3).text);
    } else if (result->known == MLS_PUBLISHED_BOUNDS) {
        mls_words low;
        mls_words high;
        int decimals = result->unscaled_low < 1 ? 2 : 1;
        do { /* use the smallest number of decimals with which the bounds differ */
            low = mls_words_grouped(result->unscaled_low, decimals);
            high = mls_words_grouped(result->unscaled_high, decimals);
        } while (strcmp(low.text, high.text) == 0 && decimals++ < 4);
        (void)mls_text_printf(words.text, sizeof words.text, "%s-%s", low.text, high.text);
    }
    return words;
}

/* Return the short name of an accelerator; with -v, return the full name. */
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

/* Print the table, and the number of results that --limit omits. */
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

static bool has_known(const mls_published_list *list, mls_published_known known)
{
    for (size_t i = 0; i < list->count; i++)
        if (list->hits[i].result->known == known)
            return true;
    return false;
}

/* Return the look of a column of minutes.  Bounds contain two decimal points, so a column with bounds is aligned at the
 * right. */
static unsigned minutes_look(const mls_published_list *list)
{
    return KEEP | (has_known(list, MLS_PUBLISHED_BOUNDS) ? RIGHT : DECIMAL);
}

/* Explain the notations "~a" and "a-b" of minutes that are not exact, if they occur. */
static void show_legend(mls_printer *to, const mls_published_list *list)
{
    mls_buffer legend = {0};
    const bool derived = has_known(list, MLS_PUBLISHED_DERIVED);
    if (has_known(list, MLS_PUBLISHED_ANNOUNCED))
        mls_buffer_printf(&legend, "~: as announced%s", derived ? " or derived from step times" : "");
    else if (derived)
        mls_buffer_append_text(&legend, "~: derived from step times");
    if (has_known(list, MLS_PUBLISHED_BOUNDS))
        mls_buffer_printf(&legend, "%sa-b: bounds, before scaling; not ranked", legend.len > 0 ? "; " : "");
    if (legend.len > 0 && !to->view->quiet) {
        mls_view_gap(to->view);
        mls_view_line(to->view, &legend, MLS_STYLE_DIM, 0, 2);
    }
    mls_buffer_release(&legend);
}

static void show_results(mls_printer *to, const void *what)
{
    const mls_published_list *list = what;
    const unsigned minutes = minutes_look(list);
    mls_table table = {0};
    bool precise = false;
    for (size_t i = 0; i < list->count; i++)
        precise |= list->hits[i].result->precision != NULL;
    for (size_t i = 0; i < list->count; i++) {
        const mls_published_result *result = list->hits[i].result;
        const mls_published_system *system = result->system;
        const bool all_ranked = result->ranked == result->published;
        mls_table_row(&table);
        mls_table_cell(&table, "rank", RIGHT, MLS_STYLE_PLAIN,
                       result->rank == 0 ? "-"
                       : all_ranked      ? "%zu"
                                         : "%zu/%zu",
                       result->rank, result->ranked);
        mls_table_text(&table, "edition", KEEP, result->round);
        mls_table_text(&table, "benchmark", KEEP, result->benchmark);
        mls_table_words(&table, "scaled min", minutes, mls_published_minutes_words(result));
        mls_table_words(&table, "accelerators", RIGHT | KEEP, mls_words_count(system->accelerators));
        mls_table_text(&table, "model", KEEP | MLS_COLUMN_CUT_LAST, accelerator_shown(to->view, system));
        mls_table_words(&table, "accel.-min", RIGHT, mls_words_count(floor(result->accelerator_minutes + 0.5)));
        mls_table_text(&table, "submitter", KEEP | MLS_COLUMN_CUT_LAST, system->submitter);
        mls_table_text(&table, "system", MLS_COLUMN_CUT, system->system_id);
        if (precise)
            mls_table_text(&table, "precision", 0, result->precision);
        mls_table_text(&table, "availability", 0, system->availability);
        note_division(&table, result);
    }
    finish_list(to, &table, list);
    show_legend(to, list);
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
        mls_table_words(&table, "scaled min", DECIMAL | KEEP, mls_published_minutes_words(result));
        mls_table_text(&table, "change", RIGHT | KEEP, isnan(ratio) ? "" : mls_words_change(ratio).text);
        mls_table_text(&table, "model", 0, accelerator_shown(to->view, system));
        mls_table_text(&table, "submitter", 0, system->submitter);
        mls_table_text(&table, "system", MLS_COLUMN_CUT, system->system_id);
        note_division(&table, result);
    }
    finish_list(to, &table, list);
    show_legend(to, list);
}

static void show_published_settings(mls_printer *to, const void *what)
{
    const mls_published_list *list = what;
    const unsigned minutes = minutes_look(list);
    const mls_published_opened *opened = list->opened;
    mls_table table = {0};
    const size_t shown = opened->keys.count < SETTINGS_SHOWN ? opened->keys.count : SETTINGS_SHOWN;
    const char *names[SETTINGS_SHOWN];
    for (size_t k = 0; k < shown; k++) {
        mls_buffer name = {0};
        mls_buffer_append(&name, opened->keys.items[k].name);
        names[k] = mls_table_take(&table, &name);
    }
    for (size_t i = 0; i < list->count; i++) {
        const mls_published_result *result = list->hits[i].result;
        mls_table_row(&table);
        mls_table_text(&table, "edition", KEEP, result->round);
        mls_table_text(&table, "benchmark", KEEP, result->benchmark);
        mls_table_words(&table, "scaled min", minutes, mls_published_minutes_words(result));
        mls_table_cell(&table, "system", KEEP | MLS_COLUMN_CUT, MLS_STYLE_PLAIN, "%s  %s", result->system->submitter,
                       result->system->system_id);
        for (size_t k = 0; k < shown; k++) {
            mls_str value = mls_published_setting_of(list->hits[i].opened, opened->keys.items[k].name);
            mls_buffer text = {0};
            if (value.len > 1 && value.ptr[0] == '"')
                value = (mls_str){value.ptr + 1, value.len - 2};
            if (value.ptr != NULL)
                mls_buffer_append(&text, value);
            mls_table_text(&table, names[k], RIGHT, value.ptr != NULL ? mls_table_take(&table, &text) : NULL);
        }
        note_division(&table, result);
    }
    finish_list(to, &table, list);
    if (opened->keys.count > shown && !to->view->quiet) {
        mls_view_more(to->view, MLS_STYLE_DIM, 0, opened->keys.count - shown, "setting that differs",
                      "--format csv has all");
    }
    show_legend(to, list);
}

/* A run of a published result. */
typedef struct run_of_result {
    const mls_published_result *result;
    const mls_published_runs *of;
    const mls_published_run *run;
    size_t number; /* number of the run in the result, from 1 */
} run_of_result;

static run_of_result run_of_hit(const mls_published_hit *hit, size_t index)
{
    return (run_of_result){hit->result, hit->opened, &hit->opened->runs.items[index], index + 1};
}

/* Return the samples per second of training; NAN if the unit is epochs, since the samples per epoch are unknown. */
static double samples_per_second(const run_of_result *row)
{
    const bool samples = row->of->unit != NULL && strcmp(row->of->unit, "samples") == 0;
    return samples && row->run->part_ms[MLS_PART_TRAINING] > 0
               ? row->run->to_converge / row->run->part_ms[MLS_PART_TRAINING] * 1e3
               : (double)NAN;
}

static void show_published_runs(mls_printer *to, const void *what)
{
    const mls_published_list *list = what;
    mls_table table = {0};
    for (size_t i = 0; i < list->count; i++) {
        const mls_published_hit *hit = &list->hits[i];
        for (size_t k = 0; k < hit->opened->runs.count; k++) {
            const run_of_result row = run_of_hit(hit, k);
            const mls_published_run *run = row.run;
            const bool epochs = row.of->unit != NULL && strcmp(row.of->unit, "epochs") == 0;
            mls_table_row(&table);
            mls_table_text(&table, "edition", KEEP, row.result->round);
            mls_table_text(&table, "benchmark", KEEP, row.result->benchmark);
            mls_table_text(&table, "submitter", KEEP | MLS_COLUMN_CUT_LAST, row.result->system->submitter);
            mls_table_text(&table, "system", MLS_COLUMN_CUT, row.result->system->system_id);
            mls_table_cell(&table, "run", RIGHT | KEEP, MLS_STYLE_PLAIN, "%zu", row.number);
            mls_table_number(&table, "min", DECIMAL | KEEP, run->ms / 60000, 3);
            mls_table_number(&table, "to converge", RIGHT, run->to_converge, epochs ? 3 : 0);
            mls_table_text(&table, "unit", 0, row.of->unit);
            mls_table_words(&table, "samples/s", RIGHT, mls_words_rate(samples_per_second(&row)));
            mls_table_words(&table, "evals", RIGHT, mls_words_count(run->evaluations));
            mls_table_number(&table, "training", DECIMAL, run->part_ms[MLS_PART_TRAINING] / 60000, 3);
            mls_table_number(&table, "evaluation", DECIMAL, run->part_ms[MLS_PART_EVALUATION] / 60000, 3);
            mls_table_number(&table, "init", DECIMAL, run->init_ms / 60000, 3);
            if (!run->valid)
                mls_table_note(&table, MLS_STYLE_WARN, "not valid");
        }
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
    F(hit, runs_ok, NUMBER_OR_NULL, "", row->result->runs_ok)                                                          \
    F(hit, minutes, NUMBER_OR_NULL, "minutes", row->result->minutes)                                                   \
    F(hit, scale_factor, NUMBER_OR_NULL, "", row->result->scale_factor)                                                \
    F(hit, global_batch_size, NUMBER_OR_NULL, "", row->result->global_batch_size)                                      \
    F(hit, to_converge, NUMBER_OR_NULL, "", row->result->to_converge)                                                  \
    F(hit, accelerator_minutes, NUMBER_OR_NULL, "minutes", row->result->accelerator_minutes)                           \
    F(hit, rank, COUNT_OR_NULL, "", row->result->rank)                                                                 \
    F(hit, ranked, NUMBER, "", row->result->ranked)                                                                    \
    F(hit, published, NUMBER, "", row->result->published)                                                              \
    F(hit, known, TEXT, "", mls_published_known_name(row->result->known))                                              \
    F(hit, unscaled_low, NUMBER_OR_NULL, "minutes", row->result->unscaled_low)                                         \
    F(hit, unscaled_high, NUMBER_OR_NULL, "minutes", row->result->unscaled_high)                                       \
    F(hit, precision, TEXT_OR_NULL, "", row->result->precision)                                                        \
    F(hit, precision_source, TEXT_OR_NULL, "", row->result->precision_source)                                          \
    F(hit, ratio, NUMBER_OR_NULL, "", row->ratio)                                                                      \
    F(hit, settings, ELSE_OUT(MAP, row->opened != NULL), "",                                                           \
      MLS_EACH(                                                                                                        \
          row->opened->settings.count, if (row->opened->settings.items[i].differs) {                                   \
              mls_emit_name(to, row->opened->settings.items[i].key);                                                   \
              mls_emit_json(to, row->opened->settings.items[i].value);                                                 \
          }))
MLS_FIELDS(hit, mls_published_hit, RESULT_FIELDS)

/* Fields that have other names in CSV than in JSON. */
#define RESULT_CSV_FIELDS(F)                                                                                           \
    F(hit_csv, edition, TEXT, "", row->result->round)                                                                  \
    F(hit_csv, system, TEXT, "", row->result->system->system_id)
MLS_FIELDS_BESIDE(hit_csv, hit, RESULT_CSV_FIELDS)

#define LISTED_COLUMNS                                                                                                 \
    "rank edition benchmark minutes accelerators accelerator accelerator_minutes submitter system availability "       \
    "known unscaled_low unscaled_high precision"

#define LIST_FIELDS(F) F(list, results, LIST(hit), "", MLS_ROWS(row->hits, row->count))
MLS_FIELDS(list, mls_published_list, LIST_FIELDS)

#define PUBLISHED_REPORT(function, ...)                                                                                \
    {                                                                                                                  \
        .section = "PUBLISHED JSON", .show = function, .object = &list_fields, .lines = "results", .columns = {        \
            .rows = "results",                                                                                         \
            .sources = {&hit_csv_fields, &hit_fields},                                                                 \
            __VA_ARGS__                                                                                                \
        }                                                                                                              \
    }

const mls_report mls_published_report =
    PUBLISHED_REPORT(show_results, .section = "PUBLISHED CSV", .names = LISTED_COLUMNS);

const mls_report mls_published_trend_report = PUBLISHED_REPORT(
    show_trend, .section = "PUBLISHED TREND CSV",
    .names = "benchmark division accelerators edition minutes ratio accelerator submitter system known");

/* Write a column for each setting. */
static void emit_columns(mls_emitter *to, const void *what, bool names)
{
    const mls_published_list *list = what;
    const mls_published_hit *hit = mls_emitter_row(to, &hit_fields);
    for (size_t i = 0; i < list->opened->keys.count; i++) {
        const mls_str name = list->opened->keys.items[i].name;
        if (names)
            MLS_EMIT_WORDS(mls_buffer_append_text(words, MLS_PARAM_PREFIX); mls_buffer_append(words, name));
        else
            mls_emit_logged(to, mls_published_setting_of(hit->opened, name));
    }
}

const mls_report mls_published_settings_report = PUBLISHED_REPORT(
    show_published_settings, .section = "PUBLISHED SETTINGS CSV", .names = LISTED_COLUMNS, .more = emit_columns);

#define RUN_MINUTES(part) (row->run->part_ms[MLS_PART_##part] / 60000)
#define PUBLISHED_RUN_FIELDS(F)                                                                                        \
    F(published_run, usage, TEXT, "", mls_usage_name(row->result->usage))                                              \
    F(published_run, round, TEXT, "", row->result->round)                                                              \
    F(published_run, benchmark, TEXT, "", row->result->benchmark)                                                      \
    F(published_run, submitter, TEXT, "", row->result->system->submitter)                                              \
    F(published_run, system_id, TEXT, "", row->result->system->system_id)                                              \
    F(published_run, run, NUMBER, "", row->number)                                                                     \
    F(published_run, minutes, NUMBER_OR_NULL, "minutes", row->run->ms / 60000)                                         \
    F(published_run, valid, BOOL, "", row->run->valid)                                                                 \
    F(published_run, to_converge, NUMBER_OR_NULL, "", row->run->to_converge)                                           \
    F(published_run, unit, TEXT_OR_NULL, "", row->of->unit)                                                            \
    F(published_run, samples_per_second, NUMBER_OR_NULL, "samples/s", samples_per_second(row))                         \
    F(published_run, evaluations, NUMBER_OR_NULL, "", row->run->evaluations)                                           \
    F(published_run, training_minutes, NUMBER_OR_NULL, "minutes", RUN_MINUTES(TRAINING))                               \
    F(published_run, evaluation_minutes, NUMBER_OR_NULL, "minutes", RUN_MINUTES(EVALUATION))                           \
    F(published_run, init_minutes, NUMBER_OR_NULL, "minutes", row->run->init_ms / 60000)
MLS_FIELDS(published_run, run_of_result, PUBLISHED_RUN_FIELDS)

static void emit_runs(mls_emitter *to, const mls_published_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        for (size_t k = 0; k < list->hits[i].opened->runs.count; k++) {
            const run_of_result row = run_of_hit(&list->hits[i], k);
            mls_emit_row(to, &row);
        }
    }
}

#define RUN_LIST_FIELDS(F) F(run_list, runs, LIST(published_run), "", emit_runs(to, row))
MLS_FIELDS(run_list, mls_published_list, RUN_LIST_FIELDS)

const mls_report mls_published_runs_report = {
    .section = "PUBLISHED RUNS JSON",
    .show = show_published_runs,
    .object = &run_list_fields,
    .lines = "runs",
    .columns = {.section = "PUBLISHED RUNS CSV",
                .names = "usage round benchmark submitter system_id run minutes valid to_converge unit "
                         "samples_per_second evaluations training_minutes evaluation_minutes init_minutes",
                .rows = "runs",
                .sources = {&published_run_fields}}};
