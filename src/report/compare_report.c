/* SPDX-License-Identifier: Apache-2.0 */
/* compare_report.c - a comparison for people: one screen a benchmark. */
#include "report/compare_report.h"

#include <math.h>
#include <string.h>

#include "base/utf8.h"
#include "report/table.h"

/* Unless all or more is asked for; and how much of a value, and how many values of a side, stand in a cell. */
enum { SETTINGS_SHOWN = 10, VALUE_WIDTH = 24, VALUES_SHOWN = 10 };

/* Sides beside the baseline that stand in one table. */
enum { SIDES_ABREAST = 4 };

enum { LABEL = MLS_COLUMN_LEFT | MLS_COLUMN_KEEP | MLS_COLUMN_CUT, NUMBER = MLS_COLUMN_RIGHT | MLS_COLUMN_KEEP };

/* Part of a block as it stands in one table: the baseline's group, and some of the others. */
typedef struct abreast {
    const mls_comparison *in;
    const mls_block *block;
    size_t groups[SIDES_ABREAST + 1]; /* of the block, the baseline's first */
    size_t count;
    const char *names[SIDES_ABREAST + 1], *differences[SIDES_ABREAST + 1]; /* over the columns */
    const char *label;                                                     /* over the first column */
    mls_table table;
    mls_view *view;
    bool all;
} abreast;

static const mls_side_group *group_at(const abreast *to, size_t i)
{
    return to->block->groups[to->groups[i]];
}

static const mls_difference *difference_abreast(const abreast *to, size_t i)
{
    return &to->block->differences[to->groups[i]];
}

static const char *name_at(const abreast *to, size_t i)
{
    return to->in->sides[group_at(to, i)->side].name;
}

/* ------------------------------------------------------------------- words */

/* Four digits that count. */
static mls_words rate_words(double rate)
{
    return mls_words_grouped(rate, rate >= 1000 ? 0 : rate >= 100 ? 1 : rate >= 10 ? 2 : rate >= 1 ? 3 : 4);
}

static mls_words chance_words(double p)
{
    if (p < 0.0001) {
        return (mls_words){"< 0.0001"};
    }
    return mls_words_trimmed(p, 4);
}

/* -------------------------------------------------------------------- rows */

/* What stands over a column may be a config's name, and so anything. */
static const char *header_of(abreast *to, const char *before, const char *text)
{
    mls_str name = mls_str_from(text);
    mls_buffer words = {0};
    mls_buffer shown = {0};
    for (size_t at = 0; mls_display_width(name) > VALUE_WIDTH; at = 0) { /* paths differ at their ends */
        (void)mls_utf8_next(name, &at);
        name = (mls_str){name.ptr + at, name.len - at};
    }
    mls_buffer_append_text(&words, before);
    mls_buffer_append_text(&words, name.ptr != text ? "…" : "");
    mls_escape_append(&words, name);
    if (to->view->format == MLS_FORMAT_MARKDOWN) {
        mls_markdown_append(&shown, mls_buffer_str(&words));
    } else {
        mls_buffer_append(&shown, mls_buffer_str(&words));
    }
    to->table.failed |= words.failed;
    mls_buffer_release(&words);
    return mls_table_take(&to->table, &shown);
}

static void begin_table(abreast *to, const char *label)
{
    to->table = (mls_table){.indent = 2};
    to->label = label;
    for (size_t i = 0; i < to->count; i++) {
        to->names[i] = header_of(to, "", name_at(to, i));
        to->differences[i] = to->block->group_count == 2 ? "difference" : header_of(to, "difference ", name_at(to, i));
    }
}

static void begin_row(abreast *to, const char *label)
{
    mls_table_row(&to->table);
    mls_table_cell(&to->table, to->label, LABEL, MLS_STYLE_PLAIN, "%s", label);
}

static void side_cell(abreast *to, size_t i, const char *text)
{
    mls_table_cell(&to->table, to->names[i], NUMBER, MLS_STYLE_PLAIN, "%s", text);
}

static void difference_cell(abreast *to, size_t i, mls_style style, const char *text)
{
    mls_table_cell(&to->table, to->differences[i], MLS_COLUMN_RIGHT, style, "%s", text);
}

static void text_line(abreast *to, mls_style style, const char *text)
{
    mls_table_row(&to->table);
    mls_table_lead(&to->table, style, "%s", text);
}

static void value_row(abreast *to, const char *label, mls_words (*words)(double),
                      double (*value)(const mls_side_group *))
{
    begin_row(to, label);
    for (size_t i = 0; i < to->count; i++) {
        side_cell(to, i, words(value(group_at(to, i))).text);
    }
}

mls_words mls_compare_decimals(double number)
{
    return mls_words_grouped(number, 3);
}

static void interval_append(mls_buffer *line, const mls_difference *difference)
{
    if (isfinite(difference->ratio)) {
        mls_buffer_printf(line, "%s", mls_words_percent(difference->ratio).text);
    }
    if (difference->has_interval) {
        mls_buffer_printf(line, "%s95 %%%s: %s … %s", line->len > 0 ? "   " : "",
                          difference->of_mean ? " of the mean" : "", mls_words_signed(difference->low_minutes, 3).text,
                          mls_words_signed(difference->high_minutes, 3).text);
    }
}

/* The score of the runs and its difference; of two sides with the interval behind it. */
static double score_of(const mls_side_group *group)
{
    return group->score_minutes;
}

static double scaled_of(const mls_side_group *group)
{
    return group->scaled_minutes;
}

static void show_scores(abreast *to)
{
    value_row(to, "score (min)", mls_compare_decimals, score_of);
    for (size_t i = 1; i < to->count; i++) {
        difference_cell(to, i, MLS_STYLE_BOLD, mls_words_signed(difference_abreast(to, i)->minutes, 3).text);
    }
    if (to->block->group_count == 2) {
        mls_buffer note = {0};
        interval_append(&note, difference_abreast(to, 1));
        mls_table_note(&to->table, MLS_STYLE_PLAIN, "%s", mls_table_take(&to->table, &note));
    }
}

/* The score that counts, where it is not the measured one; and whose does not count. */
static void show_scaled(abreast *to)
{
    bool scaled = false;
    mls_buffer names = {0};
    for (size_t i = 0; i < to->count; i++) {
        scaled |= isfinite(group_at(to, i)->scaled_minutes) && group_at(to, i)->scale != 1;
    }
    if (scaled) {
        value_row(to, "scaled score (min)", mls_compare_decimals, scaled_of);
        for (size_t i = 1; i < to->count; i++) {
            difference_cell(
                to, i, MLS_STYLE_PLAIN,
                mls_words_signed(group_at(to, i)->scaled_minutes - group_at(to, 0)->scaled_minutes, 3).text);
        }
        if (to->block->group_count == 2) {
            mls_table_note(&to->table, MLS_STYLE_PLAIN, "%s",
                           mls_words_percent(difference_abreast(to, 1)->scaled_ratio).text);
        }
    }
    for (size_t i = 0; i < to->count; i++) {
        if (!group_at(to, i)->official) {
            mls_buffer_printf(&names, "%s%s", names.len > 0 ? ", " : "not an official score: ", name_at(to, i));
        }
    }
    if (names.len > 0 || names.failed) {
        text_line(to, MLS_STYLE_WARN, mls_table_take(&to->table, &names));
    }
}

/* Of a side whose runs are not all valid, how many are. */
static void show_run_counts(abreast *to)
{
    bool wanted = false;
    for (size_t i = 0; i < to->count; i++) {
        wanted |= group_at(to, i)->valid < group_at(to, i)->run_count;
    }
    if (wanted) {
        begin_row(to, "");
    }
    for (size_t i = 0; i < to->count && wanted; i++) {
        const mls_side_group *group = group_at(to, i);
        mls_words words = {""};
        if (group->valid < group->run_count) {
            (void)mls_text_printf(words.text, sizeof words.text, "%zu of %zu runs", group->valid, group->run_count);
        }
        side_cell(to, i, words.text);
    }
}

/* ----------------------------------------------------------------- verdict */

/* "gb300 is faster", and how it is known. */
static mls_style verdict_append(const abreast *to, size_t i, mls_buffer *words)
{
    const mls_difference *difference = difference_abreast(to, i);
    switch (difference->verdict) {
    case MLS_COMPARE_FASTER:
    case MLS_COMPARE_SLOWER:
        mls_buffer_printf(words, "%s is %s", name_at(to, i), mls_compare_verdict_name(difference->verdict));
        return difference->verdict == MLS_COMPARE_FASTER ? MLS_STYLE_GOOD : MLS_STYLE_BAD;
    case MLS_COMPARE_NONE:
        mls_buffer_append_text(words, "no difference shown");
        return MLS_STYLE_BOLD;
    case MLS_COMPARE_TOO_FEW:
        mls_buffer_append_text(words, "too few runs to say: each side needs two valid ones");
        return MLS_STYLE_WARN;
    default:
        mls_buffer_printf(words, "no score of %s: more runs dropped than the rules forgive, or none valid",
                          name_at(to, isfinite(group_at(to, 0)->score_minutes) ? i : 0));
        return MLS_STYLE_WARN;
    }
}

static void evidence_append(mls_buffer *line, const abreast *to, size_t i)
{
    const mls_difference *difference = difference_abreast(to, i);
    if (difference->has_interval) {
        if (isfinite(difference->p)) {
            mls_buffer_printf(line, "   p %s", chance_words(difference->p).text);
        } else {
            mls_buffer_append_text(line, "   no spread on either side");
        }
        if (difference->least_p > 0.05) {
            mls_buffer_printf(line, "   Mann-Whitney cannot tell with so few (least p %s)",
                              mls_words_trimmed(difference->least_p, 2).text);
        } else if (isfinite(difference->mann_whitney_p)) {
            mls_buffer_printf(line, "   Mann-Whitney %s", chance_words(difference->mann_whitney_p).text);
        }
    }
    if (isfinite(difference->detectable_ratio)) {
        mls_buffer_printf(line, "   %zu and %zu runs can show %s %% or more", group_at(to, 0)->valid,
                          group_at(to, i)->valid, mls_words_fixed(difference->detectable_ratio * 100, 1).text);
    }
    if (difference->within_variance) {
        mls_buffer_append_text(line, "   smaller than what MLCommons calls the variance of results");
    }
}

static void show_verdicts(abreast *to)
{
    for (size_t i = 1; i < to->count; i++) {
        mls_buffer lead = {0};
        mls_buffer line = {0};
        if (to->block->group_count > 2) {
            mls_buffer_append_text(&line, "   ");
            interval_append(&line, difference_abreast(to, i));
        }
        const mls_style style = verdict_append(to, i, &lead);
        const bool named = difference_abreast(to, i)->verdict <= MLS_COMPARE_SLOWER || to->block->group_count == 2;
        evidence_append(&line, to, i);
        mls_table_row(&to->table);
        mls_table_lead(&to->table, style, "%s%s%s", named ? "" : name_at(to, i), named ? "" : ": ",
                       mls_table_take(&to->table, &lead));
        mls_table_note(&to->table, MLS_STYLE_PLAIN, "%s", mls_table_take(&to->table, &line));
    }
}

/* ------------------------------------------------------------------- parts */

/* The block's unit of convergence; NULL: there is none, or two. */
static const char *unit_of(const abreast *to)
{
    const char *unit = group_at(to, 0)->unit;
    for (size_t i = 1; i < to->count; i++) {
        const char *other = group_at(to, i)->unit;
        unit = unit != NULL && other != NULL && strcmp(unit, other) == 0 ? unit : NULL;
    }
    return unit;
}

static bool is_delimited(const abreast *to)
{
    bool delimited = true;
    for (size_t i = 0; i < to->count; i++) {
        delimited &= group_at(to, i)->evaluations.known;
    }
    return delimited;
}

static double other_ms(const mls_side_group *group)
{
    return mls_compare_part(group, MLS_PART_STARTUP) + mls_compare_part(group, MLS_PART_BETWEEN) +
           mls_compare_part(group, MLS_PART_TAIL);
}

/* What a side's runs did, that a share of the difference is made of. */
static mls_words share_words(const abreast *to, const mls_side_group *group, mls_share share)
{
    const double evaluation = mls_compare_part(group, MLS_PART_EVALUATION);
    double training = mls_compare_part(group, MLS_PART_TRAINING);
    training += is_delimited(to) || isnan(evaluation) ? 0 : evaluation;
    const bool epochs = group->unit != NULL && strcmp(group->unit, "epochs") == 0;
    switch (share) {
    case MLS_SHARE_CONVERGENCE:
        return mls_words_grouped(group->to_converge, epochs ? 3 : 0);
    case MLS_SHARE_THROUGHPUT:
        return rate_words(group->to_converge / training * (epochs ? 3600e3 : 1e3));
    case MLS_SHARE_TRAINING:
        return mls_words_grouped(training / 1000, 3);
    case MLS_SHARE_EVALUATIONS:
        return mls_words_grouped(mls_compare_evaluations(group), 2);
    case MLS_SHARE_EVALUATION_TIME:
        return mls_words_grouped(evaluation / mls_compare_evaluations(group) / 1000, 3);
    case MLS_SHARE_EVALUATION:
        return mls_words_grouped(evaluation / 1000, 3);
    case MLS_SHARE_RUN:
        return mls_words_grouped(
            group->ms.known && group->kept > 0 ? (double)group->ms.sum / (double)group->kept / 1000 : (double)NAN, 3);
    default:
        return mls_words_grouped(
            mls_compare_part(group, (mls_part)(MLS_PART_STARTUP + share - MLS_SHARE_STARTUP)) / 1000, 3);
    }
}

/* A row of one share, or of several together. */
static void share_row(abreast *to, mls_share first, mls_share last, const char *label)
{
    bool any = false;
    for (size_t i = 1; i < to->count; i++) {
        any |= difference_abreast(to, i)->split.known && difference_abreast(to, i)->split.has[first];
    }
    if (!any) {
        return;
    }
    begin_row(to, label);
    for (size_t i = 0; i < to->count; i++) {
        const mls_side_group *group = group_at(to, i);
        side_cell(to, i,
                  (first == last ? share_words(to, group, first) : mls_compare_decimals(other_ms(group) / 1000)).text);
    }
    for (size_t i = 1; i < to->count; i++) {
        const mls_split *split = &difference_abreast(to, i)->split;
        int64_t ms = 0;
        for (mls_share share = first; share <= last; share++) {
            ms += split->ms[share];
        }
        difference_cell(to, i, MLS_STYLE_PLAIN,
                        split->known && split->has[first] ? mls_words_signed((double)ms / 1000, 3).text : "");
    }
}

static void show_parts(abreast *to)
{
    const char *unit = unit_of(to);
    const bool epochs = unit != NULL && strcmp(unit, "epochs") == 0;
    bool any = false;
    for (size_t i = 1; i < to->count; i++) {
        any |= difference_abreast(to, i)->split.known;
    }
    if (!any) {
        return;
    }
    begin_row(to, "where it comes from (s)");
    for (size_t i = 0; i < to->count; i++) {
        side_cell(to, i, "");
    }
    for (size_t i = 1; i < to->count; i++) {
        const mls_split *split = &difference_abreast(to, i)->split;
        difference_cell(to, i, MLS_STYLE_PLAIN,
                        split->known ? mls_words_signed((double)split->total_ms / 1000, 3).text : "");
    }
    share_row(to, MLS_SHARE_RUN, MLS_SHARE_RUN, "  the whole run: parts not known");
    share_row(to, MLS_SHARE_CONVERGENCE, MLS_SHARE_CONVERGENCE,
              epochs ? "  epochs to converge" : "  samples to converge");
    share_row(to, MLS_SHARE_THROUGHPUT, MLS_SHARE_THROUGHPUT,
              epochs ? "  epochs/h in training" : "  samples/s in training");
    share_row(to, MLS_SHARE_TRAINING, MLS_SHARE_TRAINING, "  training");
    share_row(to, MLS_SHARE_EVALUATIONS, MLS_SHARE_EVALUATIONS, "  evaluations");
    share_row(to, MLS_SHARE_EVALUATION_TIME, MLS_SHARE_EVALUATION_TIME, "  s per evaluation");
    share_row(to, MLS_SHARE_EVALUATION, MLS_SHARE_EVALUATION, "  evaluation");
    if (to->view->verbose > 0) {
        share_row(to, MLS_SHARE_STARTUP, MLS_SHARE_STARTUP, "  before the first block");
        share_row(to, MLS_SHARE_BETWEEN, MLS_SHARE_BETWEEN, "  between blocks");
        share_row(to, MLS_SHARE_TAIL, MLS_SHARE_TAIL, "  after the last block");
    } else {
        share_row(to, MLS_SHARE_STARTUP, MLS_SHARE_TAIL, "  other");
    }
}

static mls_words seconds_words(double minutes)
{
    return mls_words_grouped(minutes * 60, 1);
}

static mls_words plain_percent(double ratio)
{
    mls_words words = mls_words_fixed(ratio * 100, 1);
    const size_t len = strlen(words.text);
    (void)mls_text_printf(words.text + len, sizeof words.text - len, isfinite(ratio) ? " %%" : "");
    return words;
}

static double spread_of(const mls_side_group *group)
{
    return group->stdev_minutes / group->mean_minutes;
}

static void show_beside(abreast *to)
{
    value_row(to, "not in the score: init (s)", seconds_words, mls_compare_init_minutes);
    for (size_t i = 1; i < to->count; i++) {
        const mls_difference *difference = difference_abreast(to, i);
        difference_cell(to, i, MLS_STYLE_PLAIN,
                        difference->has_init ? mls_words_signed((double)difference->init_ms / 1000, 1).text : "");
    }
    value_row(to, "spread of the runs", plain_percent, spread_of);
}

/* ------------------------------------------------------------------ settings */

static void append_values(mls_buffer *cell, const mls_setting_values *values, size_t most)
{
    for (size_t k = 0; k < values->count && k < most; k++) {
        const mls_setting_value *value = &values->items[k];
        const mls_str text = value->lacking ? MLS_S("-") : value->setting.text;
        const mls_str fitted = mls_utf8_fit(text, VALUE_WIDTH);
        mls_buffer_append_text(cell, k > 0 ? ", " : "");
        mls_buffer_append(cell, fitted);
        mls_buffer_append_text(cell, fitted.len < text.len ? "…" : "");
        if (values->count > 1 && value->runs > 1) {
            mls_buffer_printf(cell, " x %zu", value->runs);
        }
    }
    mls_buffer_append_text(cell, values->count > most ? ", …" : "");
}

static void setting_row(abreast *to, const mls_differing *setting)
{
    mls_buffer label = {0};
    bool varies = false;
    mls_buffer_append_text(&label, "  ");
    mls_buffer_append(&label, setting->key);
    begin_row(to, mls_table_take(&to->table, &label));
    for (size_t i = 0; i < to->count; i++) {
        const mls_setting_values *values = &setting->values[to->groups[i]];
        mls_buffer cell = {0};
        append_values(&cell, values, to->all ? SIZE_MAX : VALUES_SHOWN);
        side_cell(to, i, mls_table_take(&to->table, &cell));
        varies |= values->count > 1;
    }
    if (varies) {
        mls_table_note(&to->table, MLS_STYLE_WARN, "varies");
    }
}

/* Rows of the settings that differ, and of the others too where all are asked for. */
static void setting_rows(abreast *to, const mls_differings *settings)
{
    size_t shown = 0;
    for (int equal = 0; equal < 2; equal++) {
        for (size_t k = 0; k < settings->count && (to->all || (equal == 0 && shown < SETTINGS_SHOWN)); k++) {
            if (settings->items[k].differs != (equal == 1)) {
                setting_row(to, &settings->items[k]);
                shown++;
            }
        }
    }
    if (!to->all && settings->differ > shown) {
        mls_words more;
        (void)mls_text_printf(more.text, sizeof more.text, "  … and %zu more (--all)", settings->differ - shown);
        text_line(to, MLS_STYLE_PLAIN, more.text);
    }
}

/* A list of its own, with names wider than those of the parts; in Markdown all is one table. */
static void show_differing(abreast *to, const mls_differings *settings, const char *heading)
{
    if (settings->differ > 0 || (to->all && settings->count > 0)) {
        const bool own = to->view->format != MLS_FORMAT_MARKDOWN && strcmp(to->label, "") == 0;
        if (own) {
            mls_table_finish(&to->table, to->view);
            begin_table(to, heading);
        } else {
            text_line(to, MLS_STYLE_PLAIN, heading);
        }
        setting_rows(to, settings);
    }
}

/* The sides of which no hyperparameter is known, as an export may have none. */
static bool tell_unknown(abreast *to)
{
    mls_buffer names = {0};
    for (size_t i = 0; i < to->count; i++) {
        size_t known = 0;
        for (size_t k = 0; k < to->block->hyperparameters.count; k++) {
            known += to->block->hyperparameters.items[k].values[to->groups[i]].count;
        }
        if (known == 0) {
            mls_buffer_printf(&names, "%s%s", names.len > 0 ? ", " : "no hyperparameter is known of ", name_at(to, i));
        }
    }
    const bool unknown = names.len > 0 || names.failed;
    if (unknown) {
        text_line(to, MLS_STYLE_PLAIN, mls_table_take(&to->table, &names));
    }
    return unknown;
}

static void show_setup(abreast *to)
{
    const mls_differings *settings = &to->block->hyperparameters;
    if (!tell_unknown(to) && settings->differ == 0) {
        text_line(to, MLS_STYLE_PLAIN, "no hyperparameter differs");
    }
    show_differing(to, settings, settings->differ > 0 ? "differs" : "the same");
    if (to->block->environment.differ > 0) {
        const bool all = to->all;
        to->all = false;
        show_differing(to, &to->block->environment, "environment");
        to->all = all;
    }
}

/* ------------------------------------------------------------------- blocks */

static void show_abreast(abreast *to)
{
    begin_table(to, "");
    show_run_counts(to);
    show_scores(to);
    if (to->block->group_count == 2) {
        show_verdicts(to);
    }
    show_scaled(to);
    show_parts(to);
    show_beside(to);
    if (to->block->group_count > 2) {
        text_line(to, MLS_STYLE_PLAIN, "against the baseline");
        show_verdicts(to);
    }
    show_setup(to);
    mls_table_finish(&to->table, to->view);
}

static void show_block(mls_view *view, const mls_comparing *what, const mls_block *block)
{
    mls_compare_show_heading(view, (const mls_side_group *const *)block->groups, block->group_count, false);
    for (size_t next = 1; next < block->group_count;) {
        abreast to = {.in = what->comparison, .block = block, .view = view, .all = what->all, .count = 1};
        for (; next < block->group_count && to.count <= SIDES_ABREAST; next++) {
            to.groups[to.count++] = next;
        }
        show_abreast(&to);
        mls_output_text(view->output, next < block->group_count ? "\n" : "");
    }
    mls_output_text(view->output, view->format == MLS_FORMAT_MARKDOWN ? "\n" : "");
    mls_compare_show_odd_runs(view, what->comparison, block);
}

static void show_comparison(mls_printer *to, const void *what)
{
    const mls_comparing *comparing = what;
    const mls_comparison *in = comparing->comparison;
    for (size_t i = 0; i < in->block_count; i++) {
        mls_output_text(to->view->output, i > 0 ? "\n" : "");
        show_block(to->view, comparing, &in->blocks[i]);
    }
    mls_compare_show_rest(to->view, in, in->block_count > 0);
}

const mls_report mls_compare_report = {.section = "COMPARE JSON",
                                       .show = show_comparison,
                                       .object = &mls_comparison_fields,
                                       .tables = mls_comparison_tables,
                                       .lines = mls_comparison_lines,
                                       .columns = &mls_difference_columns,
                                       .rows = mls_difference_rows};
