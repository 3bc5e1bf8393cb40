/* SPDX-License-Identifier: Apache-2.0 */
/* compare_report.c - the reports of comparisons: sides with each other, groups with published results, and minutes by
 * number of accelerators. */
#include "report/reports.h"

#include <math.h>
#include <stdlib.h>

#include "base/utf8.h"
#include "term/table.h"

/* The maximum number of sides in one table, not counting the baseline. */
enum { SIDES_MOST = 4 };

/* A table of a block.  Each side has a column with its values and a column with its differences from the baseline. */
typedef struct side_by_side {
    const mls_block *block;
    size_t places[SIDES_MOST + 1]; /* indexes of the sides in the block, the baseline first */
    const mls_side_group *groups[SIDES_MOST + 1];
    const mls_difference *differences[SIDES_MOST + 1]; /* differences from the baseline; element 0 is not used */
    size_t count;
    /* The headings of the column of values, and of the column of differences. */
    const char *names[SIDES_MOST + 1], *headers[SIDES_MOST + 1];
    const char *label; /* heading of the first column */
    bool in_settings;  /* the table lists settings */
    size_t lines;      /* number of lines of earlier tables */
    mls_table table;
    mls_view *view;
    bool all;
} side_by_side;

enum {
    COMPARED_WIDTH = 24, /* maximum width of a side's name, and the minimum width available to a value */
    VALUE_MOST = 64,     /* maximum width of a value */
    VALUES_SHOWN = 10,   /* maximum number of values in a cell, without --all */
    SETTINGS_SHOWN = 10, /* maximum number of settings in a list, without --all or -v */
    SETTINGS_LEAST = 3,
    LEFT_OUT_SHOWN = 40,
    LINES_SHOWN = 6,
    SCREEN = 24,  /* number of lines of a screen */
    HEADINGS = 5, /* number of lines of a block that are headings or numbers of omitted settings */
};

/* ------------------------------------------------------------- lines and means */

static void show_heading(mls_view *view, const mls_side_group *const *groups, size_t count, bool model)
{
    const mls_side_group *first = groups[0];
    const char *division = mls_division_name(first->division);
    const char *last = NULL;
    mls_buffer line = {0};
    bool changed = false;
    mls_buffer_printf(&line, "  %s  %s", division != NULL ? division : "no division", mls_usage_name(first->usage));
    for (size_t i = 0; i < count; i++) {
        const char *edition = groups[i]->edition;
        if (edition[0] != '\0' && (last == NULL || strcmp(edition, last) != 0)) {
            mls_buffer_printf(&line, "%s %s", last != NULL ? " and" : "", edition);
            changed |= last != NULL;
            last = edition;
        }
    }
    mls_buffer_append_text(&line, changed ? ": rules or targets may have changed" : "");
    if (model && first->accelerator != NULL)
        mls_buffer_printf(&line, "   %s", first->accelerator);
    mls_output_text(view->output, view->format == MLS_FORMAT_MARKDOWN ? "### " : "");
    mls_view_headline(view, mls_str_from(first->benchmark != NULL ? first->benchmark : "unknown benchmark"), &line, 2);
    mls_view_gap(view);
}

/* Return the name of a run's file below the path of its group. */
static const char *file_below(const mls_side_group *group, const mls_side_run *run)
{
    const size_t len = strlen(group->path);
    return strncmp(run->file, group->path, len) == 0 && run->file[len] == '/' ? run->file + len + 1 : run->file;
}

static void show_rest(mls_view *view, const mls_comparison *in, bool below)
{
    const size_t most = mls_view_limit(view, LEFT_OUT_SHOWN);
    const size_t shown = in->unmatched.count < most ? in->unmatched.count : most;
    mls_output_text(view->output, below && in->unmatched.count > 0 ? "\n" : "");
    for (size_t i = 0; i < shown; i++) {
        const mls_side_group *group = in->unmatched.items[i].group;
        const char *division = mls_division_name(group->division);
        mls_view_printf(view, MLS_STYLE_PLAIN, 0, 4, "%s: %s  %s%s%s  %s: %s",
                        in->mode == MLS_COMPARE_SIDES ? "not compared" : "omitted", group->side->name,
                        group->benchmark != NULL ? group->benchmark : "unknown benchmark", division != NULL ? "  " : "",
                        division != NULL ? division : "", group->path, in->unmatched.items[i].reason);
    }
    mls_view_more(view, MLS_STYLE_PLAIN, 0, in->unmatched.count - shown, "group", mls_view_hint(view));
    size_t skipped = 0;
    for (size_t i = 0; i < in->collection_count; i++) {
        skipped += in->collections[i].skipped.count - in->collections[i].failed;
        if (view->verbose > 0)
            mls_collection_show_skipped(view, &in->collections[i]);
    }
    if (skipped > 0 && view->verbose == 0 && !view->quiet) {
        mls_output_printf(view->output, "%sskipped %s (-v lists them)\n", below || in->unmatched.count > 0 ? "\n" : "",
                          mls_words_plural(skipped, "file", "files").text);
    }
}

double mls_compare_part(const mls_side_group *group, mls_part part)
{
    const double mean = mls_sum_mean(&group->parts[part], group->kept);
    const bool delimited = group->evaluations.known && group->kept > 0;
    return delimited || part > MLS_PART_EVALUATION ? mean
           : part == MLS_PART_EVALUATION           ? (double)NAN
                                         : mean + mls_sum_mean(&group->parts[MLS_PART_EVALUATION], group->kept);
}

double mls_compare_rate(const mls_side_group *group, double ms)
{
    return group->to_converge / ms * (mls_compare_epochs(group) ? 3600e3 : 1e3);
}

mls_str mls_compare_round(const mls_side_group *group)
{
    const char *first = strchr(group->edition, '.');
    const char *second = first != NULL ? strchr(first + 1, '.') : NULL;
    return second != NULL ? (mls_str){group->edition, (size_t)(second - group->edition)} : mls_str_from(group->edition);
}

mls_words mls_compare_label(const mls_side_group *group, mls_share share)
{
    mls_words label = {""};
    const char *unit = group->unit != NULL ? group->unit : "samples";
    (void)mls_text_printf(label.text, sizeof label.text,
                          share == MLS_SHARE_CONVERGENCE ? "%s to converge" : "%s%s in training", unit,
                          mls_compare_epochs(group) ? "/h" : "/s");
    return label;
}

bool mls_compare_epochs(const mls_side_group *group)
{
    return group->unit != NULL && strcmp(group->unit, "epochs") == 0;
}

/* --------------------------------------------------- tables of sides, and their settings */

enum { LABEL = MLS_COLUMN_LEFT | MLS_COLUMN_KEEP | MLS_COLUMN_CUT, NUMBER = MLS_COLUMN_RIGHT | MLS_COLUMN_KEEP };

/* Return the heading of a column: `before`, then the end of `text`.  Escape it, since the name of a config may contain
 * any characters. */
static const char *header_of(side_by_side *to, const char *before, const char *text)
{
    const mls_str name = mls_utf8_fit_back(mls_str_from(text), COMPARED_WIDTH); /* paths differ at their ends */
    mls_buffer words = {0};
    mls_buffer_append_text(&words, before);
    mls_buffer_append_text(&words, name.ptr != text ? "…" : "");
    mls_escape_append(&words, name);
    const char *shown = mls_table_take(&to->table, &words);
    if (to->view->format == MLS_FORMAT_MARKDOWN) {
        mls_markdown_append(&words, mls_str_from(shown));
        shown = mls_table_take(&to->table, &words);
    }
    return shown;
}

static void begin_table(side_by_side *to, const char *label)
{
    to->table = (mls_table){.indent = 2};
    to->label = label;
    for (size_t i = 0; i < to->count; i++) {
        const char *name = to->groups[i]->side->name;
        to->names[i] = header_of(to, "", name);
        to->headers[i] = to->block->group_count == 2 ? "difference" : header_of(to, "difference ", name);
    }
}

static void add_line(side_by_side *to, mls_style style, const char *text)
{
    mls_table_row(&to->table);
    mls_table_lead(&to->table, style, "%s", text);
}

static bool add_names(side_by_side *to, mls_style style, mls_buffer *names)
{
    const bool some = names->len > 0;
    if (some)
        add_line(to, style, mls_table_take(&to->table, names));
    return some;
}

/* Add rows for at most `most` settings: settings that differ and, if `all` is set, equal settings. */
static void setting_rows(side_by_side *to, const mls_differings *settings, size_t most, bool all)
{
    size_t longest = 0; /* length of the longest key */
    for (size_t k = 0; k < settings->count; k++) {
        const mls_differing *setting = &settings->items[k];
        longest = setting->differs && setting->key.len > longest ? setting->key.len : longest;
    }
    /* Divide the width that remains after the keys and two blanks before each column by the number of sides. */
    const size_t used = to->table.indent + 2 + longest + 2 * to->count;
    const size_t room = to->view->width > used ? (to->view->width - used) / to->count : 0;
    const size_t width = to->view->width == 0 || room > VALUE_MOST ? VALUE_MOST
                         : room < COMPARED_WIDTH                   ? COMPARED_WIDTH
                                                                   : room;
    size_t shown = 0;
    for (int equal = 0; equal < (all ? 2 : 1); equal++) {
        for (size_t n = 0; n < settings->count && shown < most; n++) {
            const mls_differing *setting = &settings->items[n];
            mls_buffer text = {0};
            bool varies = false;
            if (setting->differs == (equal == 1))
                continue;
            shown++;
            mls_buffer_append_text(&text, "  ");
            mls_buffer_append(&text, setting->key);
            mls_table_row(&to->table);
            mls_table_text(&to->table, to->label, LABEL, mls_table_take(&to->table, &text));
            for (size_t i = 0; i < to->count; i++) { /* "a x 3, b" */
                const mls_setting_values *values = &setting->values[to->places[i]];
                const size_t shared = values->count > 1 ? COMPARED_WIDTH : width;
                const size_t limit = all ? SIZE_MAX : VALUES_SHOWN;
                for (size_t k = 0; k < values->count && k < limit; k++) {
                    const mls_setting_value *value = &values->items[k];
                    const mls_str whole = value->lacking ? MLS_S("-") : value->setting.text;
                    mls_buffer_append_text(&text, k > 0 ? ", " : "");
                    if (mls_utf8_fit(whole, shared).len == whole.len) {
                        mls_buffer_append(&text, whole);
                    } else { /* omit the middle: names and versions differ at their ends */
                        mls_buffer_append(&text, mls_utf8_fit(whole, shared / 2));
                        mls_buffer_append_text(&text, "…");
                        mls_buffer_append(&text, mls_utf8_fit_back(whole, shared - 1 - shared / 2));
                    }
                    if (values->count > 1 && value->runs > 1)
                        mls_buffer_printf(&text, " x %zu", value->runs);
                }
                mls_buffer_append_text(&text, values->count > limit ? ", …" : "");
                mls_table_text(&to->table, to->names[i], NUMBER, mls_table_take(&to->table, &text));
                varies |= values->count > 1;
            }
            if (varies)
                mls_table_note(&to->table, MLS_STYLE_WARN, "varies");
            else if (setting->known != NULL)
                mls_table_note(&to->table, MLS_STYLE_DIM, "%s", setting->known->effect);
        }
    }
    if (settings->differ > shown) {
        mls_buffer more = {0};
        mls_buffer_append_text(&more, "  … ");
        mls_words_append_more(&more, settings->differ - shown, NULL, "--all");
        add_line(to, MLS_STYLE_PLAIN, mls_table_take(&to->table, &more));
    }
}

/* Begin a list in a table of its own; in Markdown, a heading in the same table. */
static void begin_list(side_by_side *to, const char *heading)
{
    if (to->view->format == MLS_FORMAT_MARKDOWN) {
        add_line(to, MLS_STYLE_PLAIN, heading);
    } else {
        to->lines += to->table.count + 1;
        mls_table_finish(&to->table, to->view);
        begin_table(to, heading);
    }
}

/* Begin a list of settings.  All lists share a table, which is separate because the names of settings are wider. */
static void begin_settings(side_by_side *to, const char *heading)
{
    if (to->in_settings)
        add_line(to, MLS_STYLE_PLAIN, heading);
    else
        begin_list(to, heading);
    to->in_settings = true;
}

/* Show the settings that are known to affect speed.  With --all or -v, also show the other settings; otherwise show
 * their number. */
static void show_known(side_by_side *to, const char *heading, const mls_differings *known, const mls_differings *others)
{
    const bool all = to->all || to->view->verbose > 0;
    if (known->count + others->count > 0) {
        begin_settings(to, heading);
        setting_rows(to, known, SIZE_MAX, to->all);
    }
    if (all) {
        setting_rows(to, others, SIZE_MAX, to->all);
    } else if (others->count > 0) {
        mls_buffer more = {0};
        mls_buffer_printf(&more, "  … and %s (-v lists %s)", mls_words_plural(others->count, "other", "others").text,
                          others->count == 1 ? "it" : "them");
        add_line(to, MLS_STYLE_PLAIN, mls_table_take(&to->table, &more));
    }
}

static void show_setup(side_by_side *to)
{
    const mls_differings *settings = &to->block->hyperparameters;
    const mls_differings *environment = &to->block->environment;
    mls_buffer unknown = {0};   /* names of sides without hyperparameters, such as exports of score */
    mls_buffer unprinted = {0}; /* names of sides that did not print settings although another side did */
    size_t without = 0;
    for (size_t i = 0; i < to->count; i++) {
        const char *name = to->groups[i]->side->name;
        size_t known = 0;
        size_t printed = 0;
        for (size_t k = 0; k < settings->count; k++)
            known += settings->items[k].values[to->places[i]].count;
        for (size_t k = 0; k < to->groups[i]->runs.count; k++)
            printed += to->groups[i]->runs.items[k].printed.count;
        if (known == 0)
            mls_buffer_printf(&unknown, "%s%s", unknown.len > 0 ? ", " : "no hyperparameters known for ", name);
        if (printed == 0)
            mls_buffer_printf(&unprinted, "%s%s", without++ > 0 ? ", " : "no printed settings known for ", name);
    }
    if (without == to->count)
        mls_buffer_release(&unprinted);
    if (!add_names(to, MLS_STYLE_PLAIN, &unknown) && settings->differ == 0)
        add_line(to, MLS_STYLE_PLAIN, "no hyperparameter differs");
    (void)add_names(to, MLS_STYLE_PLAIN, &unprinted);
    /* Limit the lists so that the whole block fits on a screen.  All settings of the environment are shown: these are
     * few. */
    const size_t others = HEADINGS + to->lines + to->table.count + environment->differ;
    const size_t left = others + SETTINGS_LEAST < SCREEN ? SCREEN - others : SETTINGS_LEAST;
    const bool pair = to->block->group_count == 2; /* a block with more sides does not fit on a screen anyway */
    const size_t most = pair && environment->differ > 0 && left < SETTINGS_SHOWN ? left : SETTINGS_SHOWN;
    if (settings->differ > 0 || (to->all && settings->count > 0)) {
        begin_settings(to, settings->differ > 0 ? "differs" : "the same");
        setting_rows(to, settings, to->all ? SIZE_MAX : most, to->all);
    }
    show_known(to, "printed settings", &to->block->printed, &to->block->printed_others);
    show_known(to, "from the config", &to->block->exported, &to->block->exported_others);
    if (environment->differ > 0) {
        begin_settings(to, "environment");
        setting_rows(to, environment, SETTINGS_SHOWN, false);
    }
}

static mls_words chance_words(double p)
{
    const mls_words least = {"< 0.0001"};
    return p < 0.0001 ? least : mls_words_trimmed(p, 4);
}

/* -------------------------------------------------------------------- rows */

static mls_words signed_ms(bool known, int64_t ms, int decimals)
{
    return known ? mls_words_signed((double)ms / 1000, decimals) : (mls_words){""};
}

/* Check whether the confidence interval of a difference is shown.  Both sides must have a score. */
static bool has_interval(const mls_difference *difference)
{
    return difference->has_interval && difference->verdict != MLS_COMPARE_NO_SCORE;
}

void mls_compare_append_interval(mls_buffer *line, const mls_difference *difference)
{
    if (isfinite(difference->ratio))
        mls_buffer_printf(line, "%s", mls_words_change(difference->ratio).text);
    if (has_interval(difference)) {
        mls_buffer_printf(line, "%s95 %%%s: %s … %s", line->len > 0 ? "   " : "",
                          difference->of_mean ? " of the mean" : "", mls_words_signed(difference->low_minutes, 3).text,
                          mls_words_signed(difference->high_minutes, 3).text);
    }
}

/* Return the value of a side that corresponds to a share of the difference, or the sum for the shares up to `last`. */
static mls_words share_words(const side_by_side *to, size_t i, mls_share share, mls_share last)
{
    const mls_side_group *group = to->groups[i];
    const double evaluations = mls_sum_mean(&group->evaluations, group->kept);
    const double evaluation = mls_compare_part(group, MLS_PART_EVALUATION);
    double training = mls_compare_part(group, MLS_PART_TRAINING);
    double ms = 0;
    bool delimited = false; /* evaluations are not part of training: both sides of a difference delimit them */
    for (size_t k = 0; k < to->count; k++)
        delimited |= (i == 0) != (k == 0) && to->groups[k]->evaluations.known && group->evaluations.known;
    training += delimited || isnan(evaluation) ? 0 : evaluation;
    switch (share) {
    case MLS_SHARE_CONVERGENCE:
        return mls_words_grouped(group->to_converge, mls_compare_epochs(group) ? 3 : 0);
    case MLS_SHARE_THROUGHPUT:
        return mls_words_rate(mls_compare_rate(group, training));
    case MLS_SHARE_EVALUATIONS:
        return mls_words_grouped(evaluations, 2);
    case MLS_SHARE_TRAINING:
        ms = training;
        break;
    case MLS_SHARE_EVALUATION_TIME:
        ms = evaluation / evaluations;
        break;
    case MLS_SHARE_EVALUATION:
        ms = evaluation;
        break;
    case MLS_SHARE_RUN:
        ms = mls_sum_mean(&group->ms, group->kept);
        break;
    default:
        for (; share <= last; share++)
            ms += mls_compare_part(group, (mls_part)(MLS_PART_STARTUP + share - MLS_SHARE_STARTUP));
    }
    return mls_words_grouped(ms / 1000, 3);
}

/* A row of the table: a number of each side. */
typedef struct value_row {
    enum { RUNS, SCORE, SCALED_SCORE, RATIO, LUCK_FREE, TOTAL, SHARES, SUBTOTAL, INIT, SPREAD } kind;
    const char *label; /* NULL: mls_compare_label() of the share `first` */
    /* SHARES: the first and the last of the shares; SUBTOTAL: the two shares; RATIO: the tested part, twice */
    mls_share first, last;
} value_row;

/* Return the test that a row of the kind RATIO or LUCK_FREE shows. */
static const mls_ratio_test *test_of(const mls_difference *difference, const value_row *row)
{
    return row->kind == LUCK_FREE                    ? &difference->luck_free.minutes
           : row->first == MLS_SHARE_THROUGHPUT      ? &difference->significance.samples_per_second
           : row->first == MLS_SHARE_EVALUATION_TIME ? &difference->significance.seconds_per_evaluation
                                                     : &difference->significance.to_converge;
}

/* Format a ratio of a test as a percentage, with two decimals if the ratio and its interval are below 1 %. */
static mls_words ratio_words(const mls_ratio_test *test, double ratio)
{
    const double largest = fmax(fabs(test->ratio), fmax(fabs(test->low_ratio), fabs(test->high_ratio)));
    return mls_words_signed(ratio * 100, largest < 0.01 ? 2 : 1);
}

/* Format the mean of a test and its change.  The baseline has the mean of the first known test. */
static bool make_test_cells(const side_by_side *to, size_t i, const value_row *row, mls_words *side, mls_words *change)
{
    const mls_ratio_test *test = NULL;
    for (size_t k = i > 0 ? i : 1; k < to->count && (test == NULL || (i == 0 && !test->known)); k++)
        test = test_of(to->differences[k], row);
    if (test == NULL) /* there is always a second side */
        return false;
    const double value = i == 0 ? test->baseline : test->value;
    const bool epochs = mls_compare_epochs(to->groups[0]);
    if (test->known) {
        if (i > 0)
            (void)mls_text_printf(change->text, sizeof change->text, "%s %%", ratio_words(test, test->ratio).text);
        *side = row->kind == RATIO && row->first == MLS_SHARE_THROUGHPUT ? mls_words_rate(value * (epochs ? 3600 : 1))
                : row->kind == RATIO && row->first == MLS_SHARE_CONVERGENCE ? mls_words_grouped(value, epochs ? 3 : 0)
                                                                            : mls_words_grouped(value, 3);
    }
    return test->known;
}

/* Format the value of a side (*side) and its difference from the baseline (*change).  Return whether the row must be
 * shown for this side. */
static bool make_cells(const side_by_side *to, size_t i, const value_row *row, mls_words *side, mls_words *change)
{
    const mls_side_group *group = to->groups[i];
    const mls_difference *difference = to->differences[i];
    const mls_split *split = &difference->split;
    int64_t ms = 0;
    int64_t larger = 0;
    switch (row->kind) {
    case RUNS: /* the number of valid runs, shown unless all runs are valid */
        if (group->valid < group->runs.count)
            (void)mls_text_printf(side->text, sizeof side->text, "%zu of %zu runs", group->valid, group->runs.count);
        return group->valid < group->runs.count;
    case SCORE:
        *side = mls_words_grouped(group->score_minutes, 3);
        *change = mls_words_signed(difference->minutes, 3);
        return true;
    case SCALED_SCORE: /* shown if it can differ from the measured score */
        *side = mls_words_grouped(group->scaled_minutes, 3);
        *change = mls_words_signed(group->scaled_minutes - to->groups[0]->scaled_minutes, 3);
        return isfinite(group->scaled_minutes) && (group->scale != 1 || group->published != NULL);
    case RATIO:
    case LUCK_FREE:
        return make_test_cells(to, i, row, side, change);
    case TOTAL:
        *change = signed_ms(split->known, split->total_ms, 3);
        return split->known;
    case SHARES:
        for (mls_share share = row->first; share <= row->last; share++)
            ms += split->ms[share];
        *side = share_words(to, i, row->first, row->last);
        *change = signed_ms(split->known && split->has[row->first], ms, 3);
        return split->known && split->has[row->first];
    case SUBTOTAL: /* shown if two large shares mostly cancel each other; the share `last` + 1 is their sum */
        larger = llabs(split->ms[row->first]);
        larger = llabs(split->ms[row->last]) > larger ? llabs(split->ms[row->last]) : larger;
        *side = share_words(to, i, row->last + 1, row->last + 1);
        *change = signed_ms(split->known, split->ms[row->first] + split->ms[row->last], 3);
        return split->known && split->has[row->first] && split->has[row->last] &&
               larger >= llabs(split->total_ms) / 10 &&
               llabs(split->ms[row->first] + split->ms[row->last]) < larger / 2;
    case INIT:
        *side = mls_words_grouped(mls_sum_mean(&group->init_ms, group->kept) / 60000 * 60, 1);
        *change = signed_ms(difference->has_init, difference->init_ms, 1);
        return true;
    default:
        *side = mls_words_percent(group->stdev_minutes / group->mean_minutes, 1);
        return true;
    }
}

/* Show a row if it must be shown for at least one side.  Return whether it was shown. */
static bool show_row(side_by_side *to, value_row row)
{
    mls_words sides[SIDES_MOST + 1] = {0};
    mls_words changes[SIDES_MOST + 1] = {0};
    mls_buffer label = {0};
    bool needed = false;
    for (size_t i = 0; i < to->count; i++)
        needed |= make_cells(to, i, &row, &sides[i], &changes[i]);
    if (!needed)
        return false;
    mls_buffer_append_text(&label, row.label != NULL ? row.label : "  ");
    mls_buffer_append_text(&label, row.label != NULL ? "" : mls_compare_label(to->groups[0], row.first).text);
    mls_table_row(&to->table);
    mls_table_text(&to->table, to->label, LABEL, mls_table_take(&to->table, &label));
    for (size_t i = 0; i < to->count; i++)
        mls_table_text(&to->table, to->names[i], NUMBER, sides[i].text);
    for (size_t i = 1; i < to->count; i++) {
        mls_table_cell(&to->table, to->headers[i], MLS_COLUMN_RIGHT,
                       row.kind == SCORE ? MLS_STYLE_BOLD : MLS_STYLE_PLAIN, "%s", changes[i].text);
    }
    return true;
}

/* ----------------------------------------------------------------- verdict */

/* The text of each verdict before and after the name of a side, and its style.  If `after` is NULL, the verdict does
 * not contain a name. */
static const struct {
    const char *before, *after;
    mls_style style;
} verdicts[] = {
    [MLS_COMPARE_FASTER] = {"", " is faster", MLS_STYLE_GOOD},
    [MLS_COMPARE_SLOWER] = {"", " is slower", MLS_STYLE_BAD},
    [MLS_COMPARE_NONE] = {"no difference shown", NULL, MLS_STYLE_BOLD},
    [MLS_COMPARE_TOO_FEW] = {"too few runs for a verdict: each side needs two valid ones", NULL, MLS_STYLE_WARN},
    [MLS_COMPARE_NO_SCORE] = {"no score for ", ": no valid run, or more runs dropped than allowed", MLS_STYLE_WARN},
    [MLS_COMPARE_NOT_PUBLIC] = {"the runs of ", " are not public", MLS_STYLE_WARN}};

/* Check whether the verdict is that both sides are the same runs. */
static bool is_itself(const mls_difference *difference)
{
    return mls_difference_all_same(difference) &&
           (difference->verdict == MLS_COMPARE_NONE || difference->verdict == MLS_COMPARE_TOO_FEW);
}

/* Check whether a side is the reason for a missing verdict: the side does not have a score or public runs. */
static bool lacks_for_verdict(const mls_side_group *group, mls_compare_verdict verdict)
{
    return verdict == MLS_COMPARE_NOT_PUBLIC ? group->published != NULL && group->runs.count == 0
                                             : verdict == MLS_COMPARE_NO_SCORE && !isfinite(group->score_minutes);
}

/* Append the change of a side's score, such as "1.3 % faster". */
static void append_change(mls_buffer *words, double ratio)
{
    mls_buffer_printf(words, "%s %s", mls_words_percent(fabs(ratio), 1).text, ratio < 0 ? "faster" : "slower");
}

void mls_compare_append_disagreement(mls_buffer *words, const mls_difference *difference)
{
    const char *name = difference->b->side->name;
    if (!mls_difference_disagrees(difference))
        return;
    if (difference->verdict == MLS_COMPARE_NONE) {
        mls_buffer_printf(words, "no difference shown as measured (%s), but %s scores ",
                          mls_words_change(difference->ratio).text, name);
        append_change(words, difference->scaled_ratio);
    } else {
        mls_buffer_printf(words, "%s is ", name);
        append_change(words, difference->ratio);
        mls_buffer_append_text(words, " as measured, but ");
        if (difference->scored.verdict == MLS_COMPARE_NONE) {
            mls_buffer_printf(words, "its score shows no difference (%s)",
                              mls_words_change(difference->scaled_ratio).text);
        } else {
            mls_buffer_append_text(words, "scores ");
            append_change(words, difference->scaled_ratio);
        }
    }
    const mls_side_group *a = difference->a;
    const mls_side_group *b = difference->b;
    const mls_words of_a = mls_words_grouped(a->scale, 3);
    const mls_words of_b = mls_words_grouped(b->scale, 3);
    if (a->scale > 1 && b->scale > 1)
        mls_buffer_printf(words,
                          ": both needed less training than the reference, which their scales (%s and %s) even out",
                          of_a.text, of_b.text);
    else if (a->scale > 1 || b->scale > 1)
        mls_buffer_printf(words, ": %s needed less training than the reference and is scaled by %s",
                          b->scale > 1 ? "it" : a->side->name, b->scale > 1 ? of_b.text : of_a.text);
}

void mls_compare_append_verdict(mls_buffer *words, const mls_difference *difference)
{
    if (is_itself(difference)) {
        mls_buffer_append_text(words, "the same runs on both sides");
        return;
    }
    const bool of_a = lacks_for_verdict(difference->a, difference->verdict);
    const bool both = of_a && lacks_for_verdict(difference->b, difference->verdict);
    const char *name = (of_a ? difference->a : difference->b)->side->name;
    const char *after = verdicts[difference->verdict].after;
    mls_buffer_append_text(words, verdicts[difference->verdict].before);
    if (after != NULL)
        mls_buffer_printf(words, "%s%s%s%s", name, both ? " and " : "", both ? difference->b->side->name : "", after);
}

/* Append the data on which a verdict is based, such as the p-value. */
static void append_evidence(mls_buffer *line, const mls_difference *difference)
{
    const mls_side_group *const sides[] = {difference->a, difference->b};
    for (size_t i = 0; i < 2; i++) { /* the source of each published score that is not exact */
        const mls_published_result *result = sides[i]->published;
        if (result != NULL && result->known != MLS_PUBLISHED_EXACT) {
            static const char *const how[] = {[MLS_PUBLISHED_DERIVED] = "derived from step times",
                                              [MLS_PUBLISHED_ANNOUNCED] = "as announced",
                                              [MLS_PUBLISHED_BOUNDS] = "before scaling"};
            mls_buffer_printf(line, "   score of %s: %s min %s", sides[i]->side->name,
                              mls_published_minutes_words(result).text, how[result->known]);
        }
    }
    if (is_itself(difference)) {
        mls_buffer_printf(line, "   %s with the same run_start and run_stop",
                          mls_words_plural(difference->same_runs, "run", "runs").text);
        return;
    }
    if (difference->same_runs > 0) {
        mls_buffer_printf(line, "   %s on both sides",
                          mls_words_plural(difference->same_runs, "run is", "runs are").text);
    }
    if (has_interval(difference)) {
        if (isfinite(difference->p))
            mls_buffer_printf(line, "   p %s", chance_words(difference->p).text);
        else
            mls_buffer_append_text(line, "   no variation on either side");
        if (difference->min_p > 0.05) {
            mls_buffer_printf(line, "   too few runs for Mann-Whitney (minimum p %s)",
                              mls_words_trimmed(difference->min_p, 2).text);
        } else if (isfinite(difference->mann_whitney_p)) {
            mls_buffer_printf(line, "   Mann-Whitney %s", chance_words(difference->mann_whitney_p).text);
        }
    }
    if (isfinite(difference->detectable_ratio) && difference->verdict == MLS_COMPARE_NONE) {
        mls_buffer_printf(line, "   %zu and %zu runs would miss a difference of %s in 20 %% of cases",
                          difference->a->valid, difference->b->valid,
                          mls_words_percent(difference->detectable_ratio, 1).text);
    }
    if (difference->within_variance)
        mls_buffer_append_text(line, "   within the variance of results according to MLCommons");
}

static void show_verdicts(side_by_side *to)
{
    const bool pair = to->block->group_count == 2;
    for (size_t i = 1; i < to->count; i++) {
        const mls_difference *difference = to->differences[i];
        mls_buffer lead = {0};
        mls_buffer line = {0};
        mls_compare_append_disagreement(&lead, difference);
        if (lead.len > 0) {
            const char *sentence = mls_table_take(&to->table, &lead);
            const char *reason = strstr(sentence, ": ");
            const int length = reason != NULL ? (int)(reason + 1 - sentence) : (int)strlen(sentence);
            mls_table_row(&to->table);
            mls_table_lead(&to->table, MLS_STYLE_WARN, "%.*s", length, sentence);
            if (reason != NULL) /* two blanks: on a line of its own if it does not fit */
                mls_table_note(&to->table, MLS_STYLE_PLAIN, "  %s", reason + 2);
            mls_buffer_append_text(&lead, "as measured:");
        } else {
            if (!pair && difference->verdict > MLS_COMPARE_SLOWER)
                mls_buffer_printf(&lead, "%s: ", difference->b->side->name);
            mls_compare_append_verdict(&lead, difference);
        }
        if (!pair) {
            mls_buffer_append_text(&line, "   ");
            mls_compare_append_interval(&line, difference);
        }
        append_evidence(&line, difference);
        mls_table_row(&to->table);
        mls_table_lead(&to->table, verdicts[difference->verdict].style, "%s", mls_table_take(&to->table, &lead));
        mls_table_note(&to->table, MLS_STYLE_PLAIN, "%s", mls_table_take(&to->table, &line));
    }
}

/* ------------------------------------------------------------------- parts */

/* Return the text after a test: "(-10.5 … -9.5)  p < 0.0001  b200 is slower".  If `verb` is NULL, return only the
 * interval. */
static const char *test_note(side_by_side *to, const mls_ratio_test *test, const char *verb)
{
    mls_buffer note = {0};
    if (isfinite(test->p)) {
        mls_buffer_printf(&note, "(%s … %s)", ratio_words(test, test->low_ratio).text,
                          ratio_words(test, test->high_ratio).text);
    } else {
        mls_buffer_append_text(&note, "no variation on either side");
    }
    if (verb != NULL && isfinite(test->p))
        mls_buffer_printf(&note, "  p %s", chance_words(test->p).text);
    if (verb != NULL && strcmp(test->verdict, "none") != 0)
        mls_buffer_printf(&note, "  %s %s %s", to->differences[1]->b->side->name, verb, test->verdict);
    return mls_table_take(&to->table, &note);
}

/* Show the tests of the parts, and the minutes without luck.  If there are two sides, also show intervals and p-values.
 * Their table is separate, so that their long notes do not move the notes of other rows to lines of their own. */
static void show_tests(side_by_side *to)
{
    static const struct {
        value_row row;
        const char *verb;
    } rows[] = {{{RATIO, NULL, MLS_SHARE_THROUGHPUT, MLS_SHARE_THROUGHPUT}, "is"},
                {{RATIO, "  s per evaluation", MLS_SHARE_EVALUATION_TIME, MLS_SHARE_EVALUATION_TIME}, "is"},
                {{RATIO, NULL, MLS_SHARE_CONVERGENCE, MLS_SHARE_CONVERGENCE}, "needs"},
                {{.kind = LUCK_FREE, .label = "  without luck (min)"}, NULL}};
    const mls_difference *difference = to->differences[1];
    const mls_luck_free *common = &difference->luck_free;
    const bool pair = to->block->group_count == 2;
    bool any = false;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (size_t k = 1; k < to->count; k++)
            any |= test_of(to->differences[k], &rows[i].row)->known;
    if (!any || (pair && is_itself(difference)))
        return;
    begin_list(to, "all valid runs");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (show_row(to, rows[i].row) && pair)
            mls_table_note(&to->table, MLS_STYLE_PLAIN, "%s",
                           test_note(to, test_of(difference, &rows[i].row), rows[i].verb));
    if (pair && common->minutes.known) { /* a line about the last row */
        const int decimals = mls_compare_epochs(difference->a) ? 3 : 0;
        mls_buffer line = {0};
        mls_buffer_printf(&line, "    at %s %s", mls_words_grouped(common->to_converge, decimals).text, common->unit);
        if (isfinite(common->evaluations))
            mls_buffer_printf(&line, ", %s evaluations", mls_words_trimmed(common->evaluations, 1).text);
        if (difference->significance.to_converge.p < 0.05)
            mls_buffer_printf(&line, "; the %s to converge differ, too: that may be no luck", common->unit);
        add_line(to, MLS_STYLE_PLAIN, mls_table_take(&to->table, &line));
    }
}

static void show_table(side_by_side *to)
{
    const bool pair = to->block->group_count == 2;
    mls_buffer names = {0};
    begin_table(to, "");
    show_row(to, (value_row){.kind = RUNS, .label = ""});
    show_row(to, (value_row){.kind = SCORE, .label = "score (min)"});
    if (pair) {
        mls_buffer note = {0};
        mls_compare_append_interval(&note, to->differences[1]);
        mls_table_note(&to->table, MLS_STYLE_PLAIN, "%s", mls_table_take(&to->table, &note));
        show_verdicts(to);
    }
    if (show_row(to, (value_row){.kind = SCALED_SCORE, .label = "scaled score (min)"}) && pair) {
        const mls_scored_difference *scored = &to->differences[1]->scored;
        mls_buffer note = {0};
        mls_buffer_append_text(&note, mls_words_change(to->differences[1]->scaled_ratio).text);
        if (isfinite(to->differences[1]->scaled_ratio) && isfinite(scored->low_minutes)) {
            mls_buffer_printf(&note, "   95 %%: %s … %s", mls_words_signed(scored->low_minutes, 3).text,
                              mls_words_signed(scored->high_minutes, 3).text);
        }
        mls_table_note(&to->table, MLS_STYLE_PLAIN, "%s", mls_table_take(&to->table, &note));
    }
    for (size_t i = 0; i < to->count; i++) {
        if (!to->groups[i]->official && isfinite(to->groups[i]->score_minutes)) {
            mls_buffer_printf(&names, "%s%s",
                              names.len > 0 ? ", " : "not an official score: ", to->groups[i]->side->name);
        }
    }
    (void)add_names(to, MLS_STYLE_WARN, &names);
    static const value_row rows[] = {
        {SHARES, "  the whole run (parts unknown)", MLS_SHARE_RUN, MLS_SHARE_RUN},
        {SHARES, NULL, MLS_SHARE_CONVERGENCE, MLS_SHARE_CONVERGENCE},
        {SHARES, NULL, MLS_SHARE_THROUGHPUT, MLS_SHARE_THROUGHPUT},
        {SUBTOTAL, "  = training", MLS_SHARE_CONVERGENCE, MLS_SHARE_THROUGHPUT},
        {SHARES, "  training", MLS_SHARE_TRAINING, MLS_SHARE_TRAINING},
        {SHARES, "  evaluations", MLS_SHARE_EVALUATIONS, MLS_SHARE_EVALUATIONS},
        {SHARES, "  s per evaluation", MLS_SHARE_EVALUATION_TIME, MLS_SHARE_EVALUATION_TIME},
        {SUBTOTAL, "  = evaluation", MLS_SHARE_EVALUATIONS, MLS_SHARE_EVALUATION_TIME},
        {SHARES, "  evaluation", MLS_SHARE_EVALUATION, MLS_SHARE_EVALUATION},
        {SHARES, "  other", MLS_SHARE_STARTUP, MLS_SHARE_TAIL},
        {SHARES, "  before the first block", MLS_SHARE_STARTUP, MLS_SHARE_STARTUP},
        {SHARES, "  between blocks", MLS_SHARE_BETWEEN, MLS_SHARE_BETWEEN},
        {SHARES, "  after the last block", MLS_SHARE_TAIL, MLS_SHARE_TAIL}};
    show_row(to, (value_row){.kind = TOTAL, .label = "where it comes from (s)"});
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const bool one = rows[i].first == rows[i].last;
        if (rows[i].first < MLS_SHARE_STARTUP || rows[i].last > MLS_SHARE_TAIL || one == (to->view->verbose > 0)) {
            const bool shown = show_row(to, rows[i]);
            const mls_split *split = &to->differences[to->count - 1]->split;
            const char *direction =
                mls_share_direction(rows[i].first, to->groups[0]->unit, split->ms[rows[i].first] > 0);
            if (shown && to->block->group_count == 2 && rows[i].kind == SHARES && direction != NULL && split->known &&
                split->has[rows[i].first] && split->ms[rows[i].first] != 0)
                mls_table_note(&to->table, MLS_STYLE_PLAIN, "%s", direction);
        }
    }
    show_row(to, (value_row){.kind = INIT, .label = "not in the score: init (s)"});
    show_row(to, (value_row){.kind = SPREAD, .label = "spread of the runs (n - 1)"});
    if (!pair) {
        add_line(to, MLS_STYLE_PLAIN, "against the baseline");
        show_verdicts(to);
    }
    show_tests(to);
    show_setup(to);
    mls_table_finish(&to->table, to->view);
}

static void show_block(mls_view *view, const mls_block *block, bool all)
{
    show_heading(view, (const mls_side_group *const *)block->groups, block->group_count, false);
    for (size_t next = 1; next < block->group_count;) {
        side_by_side to = {.block = block, .view = view, .all = all};
        while (to.count == 0 || (next < block->group_count && to.count <= SIDES_MOST)) {
            const size_t place = to.count == 0 ? 0 : next++; /* every table begins with the baseline */
            to.places[to.count] = place;
            to.groups[to.count] = block->groups[place];
            to.differences[to.count++] = &block->differences[place];
        }
        show_table(&to);
        mls_output_text(view->output, next < block->group_count ? "\n" : "");
    }
    mls_view_gap(view);
    const size_t most = mls_view_limit(view, LINES_SHOWN);
    size_t odd = 0; /* number of runs that are outliers or dropped */
    for (size_t i = 0; i < block->outliers.count; i++) {
        const mls_outlier *outlier = &block->outliers.items[i];
        if (odd++ < most) {
            mls_view_printf(view, MLS_STYLE_PLAIN, 2, 6, "outlier of %s: %s took %s %s for %s than the median run",
                            outlier->group->side->name, file_below(outlier->group, outlier->run),
                            mls_words_percent(fabs(outlier->ratio), 1).text, outlier->ratio > 0 ? "longer" : "less",
                            strcmp(outlier->run->unit, "epochs") == 0   ? "an epoch"
                            : strcmp(outlier->run->unit, "tokens") == 0 ? "a token"
                                                                        : "a sample");
        }
    }
    for (size_t i = 0; i < block->group_count; i++) {
        const mls_side_group *group = block->groups[i];
        for (size_t k = 0; k < group->runs.count; k++) {
            const mls_side_run *run = &group->runs.items[k];
            if (!run->valid && odd++ < most) {
                mls_view_printf(view, MLS_STYLE_PLAIN, 2, 6, "dropped from %s: %s%s%s", group->side->name,
                                file_below(group, run), run->reason != NULL ? ": " : "",
                                run->reason != NULL ? run->reason : "");
            }
        }
    }
    mls_view_more(view, MLS_STYLE_PLAIN, 2, odd > most ? odd - most : 0, "such run", mls_view_hint(view));
}

static void show_comparison(mls_printer *to, const void *what)
{
    const mls_comparison *in = what;
    const mls_compare_beside *beside = to->state;
    for (size_t i = 0; i < in->blocks.count; i++) {
        mls_output_text(to->view->output, i > 0 ? "\n" : "");
        show_block(to->view, &in->blocks.items[i], beside->all);
    }
    show_rest(to->view, in, in->blocks.count > 0);
}

/* -------------------------------------------------------- published results, sizes */

static void show_nearest(mls_printer *to, const void *what)
{
    enum { RIGHT = MLS_COLUMN_RIGHT, DETAIL = MLS_COLUMN_DETAIL };
    const mls_comparison *in = what;
    for (size_t i = 0; i < in->beside.count; i++) {
        const mls_published_match *match = &in->beside.items[i];
        const mls_side_group *group = match->group;
        const mls_published_place *place = &match->place;
        const bool around = match->around_count > 0;
        const mls_published_near *rows = around ? match->around : match->near;
        const char *round = rows->result->round;
        mls_table table = {.indent = 2};
        mls_buffer line = {0};
        mls_output_text(to->view->output, i > 0 ? "\n" : "");
        show_heading(to->view, &match->group, 1, false);
        mls_view_printf(to->view, MLS_STYLE_DIM, 2, 0, "%s", group->path);
        /* The edition of the group does not have published results, so the group is compared with another edition. */
        if (!mls_str_equal(mls_compare_round(group), mls_str_from(round))) {
            mls_view_printf(to->view, MLS_STYLE_WARN, 2, 6,
                            "no exact published scores for this round; showing those of %s", round);
        }
        mls_buffer_printf(&line, "yours: %s min", mls_words_minutes(group->scaled_minutes).text);
        if (isfinite(group->accelerators)) {
            mls_buffer_printf(&line, " on %s x %s", mls_words_count(group->accelerators).text,
                              group->accelerator != NULL ? group->accelerator : "an unknown model");
        } else {
            mls_buffer_append_text(&line, "; unknown number of accelerators (see --accelerators)");
        }
        mls_buffer_append_text(&line, place->itself ? ", rank " : ", would be ");
        if (place->ranked_alike > 0)
            mls_buffer_printf(&line, "%zu of %zu on as many, ", place->rank_alike, place->ranked_alike);
        mls_buffer_printf(&line, "%zu of %zu of all", place->rank, place->ranked);
        if (place->published > place->ranked)
            mls_buffer_printf(&line, " with exact minutes (%zu are published)", place->published);
        mls_view_line(to->view, &line, MLS_STYLE_BOLD, 2, 6);
        if (!around && isfinite(group->accelerators)) {
            mls_view_printf(to->view, MLS_STYLE_PLAIN, 2, 6,
                            "no exact published scores for as many of the same accelerator; the nearest:");
        }
        mls_view_gap(to->view);
        for (size_t k = 0; k < (around ? match->around_count : match->count); k++) {
            const mls_published_near *near = &rows[k];
            const bool alike =
                near->ranked_alike > 0; /* the rank is among results on the same number of the same accelerators */
            const mls_published_result *result = near->result;
            const mls_published_system *system = result->system;
            mls_table_row(&table);
            mls_table_number(&table, "published", NUMBER, result->minutes, 3);
            mls_table_cell(&table, "yours is", NUMBER, MLS_STYLE_PLAIN, "%s%s",
                           near->self ? "this one" : mls_words_percent(fabs(near->ratio), 1).text,
                           near->self        ? ""
                           : near->ratio < 0 ? " faster"
                                             : " slower");
            if (alike) {
                mls_table_cell(&table, "on as many", NUMBER, MLS_STYLE_PLAIN, "%zu of %zu", near->rank_alike,
                               near->ranked_alike);
            } else {
                const char *model = system->model.text[0] != '\0' ? system->model.text : NULL;
                mls_table_words(&table, "accelerators", RIGHT, mls_words_count(system->accelerators));
                mls_table_text(&table, "model", MLS_COLUMN_LEFT, model);
            }
            mls_table_number(&table, "accelerator-min", RIGHT | DETAIL, result->accelerator_minutes, 0);
            mls_table_cell(&table, alike ? "of all" : "rank", RIGHT | (alike ? DETAIL : 0), MLS_STYLE_PLAIN,
                           "%zu of %zu", result->rank, result->ranked);
            mls_table_text(&table, "submitter", MLS_COLUMN_KEEP | MLS_COLUMN_CUT_LAST, system->submitter);
            mls_table_text(&table, "system", MLS_COLUMN_CUT, system->system_id);
            mls_published_append_why(&line, "", near->self ? NULL : near->why);
            mls_table_note(&table, MLS_STYLE_DIM, "%s", mls_table_take(&table, &line));
        }
        mls_table_finish(&table, to->view);
    }
    show_rest(to->view, in, in->beside.count > 0);
}

static void show_scaling(mls_printer *to, const void *what)
{
    enum { RIGHT = MLS_COLUMN_RIGHT };
    const mls_comparison *in = what;
    for (size_t s = 0; s < in->series.count; s++) {
        const mls_scaling_series *series = &in->series.items[s];
        mls_table table = {.indent = 2};
        const mls_side_group **groups = mls_arena_array(&table.text, series->count, sizeof *groups);
        for (size_t i = 0; i < series->count; i++)
            groups[i] = series->points[i].group;
        mls_output_text(to->view->output, s > 0 ? "\n" : "");
        show_heading(to->view, groups, series->count, true);
        for (size_t i = 0; i < series->count; i++) {
            const mls_scaling_point *point = &series->points[i];
            const mls_side_group *group = point->group;
            mls_table_row(&table);
            mls_table_words(&table, "accelerators", NUMBER, mls_words_count(group->accelerators));
            mls_table_number(&table, "measured min", NUMBER, group->score_minutes, 3);
            mls_table_number(&table, "speedup", RIGHT, point->speedup, 2);
            mls_table_cell(&table, "efficiency =", RIGHT, MLS_STYLE_BOLD, "%s",
                           mls_words_grouped(point->efficiency, 3).text);
            mls_table_number(&table, "algorithmic x", RIGHT, point->algorithmic, 3);
            mls_table_number(&table, "system", RIGHT, point->system, 3);
            mls_table_number(&table, "accelerator-min", RIGHT, group->score_minutes * group->accelerators, 0);
            mls_table_words(&table, "batch", RIGHT, mls_words_count(group->global_batch_size));
            mls_table_text(&table, "side", MLS_COLUMN_LEFT, group->side->name);
            mls_table_cell(&table, "path", MLS_COLUMN_CUT, MLS_STYLE_DIM, "%s", group->path);
        }
        mls_table_finish(&table, to->view);
    }
    show_rest(to->view, in, in->series.count > 0);
}

/* -------------------------------------------------------------- what differs */

static void emit_run_setting(mls_emitter *to, const mls_setting_value *value)
{
    if (value->lacking)
        mls_emit_null(to);
    else if (value->setting.kind == MLS_SETTING_NUMBER)
        mls_emit_number(to, value->setting.number);
    else if (value->setting.kind == MLS_SETTING_BOOL)
        mls_emit_bool(to, value->setting.number > 0);
    else
        mls_emit_str(to, value->setting.text);
}

#define SETTING_VALUE_FIELDS(F)                                                                                        \
    F(setting_value, value, ANY, "", emit_run_setting(to, row))                                                        \
    F(setting_value, runs, NUMBER, "", row->runs)
MLS_FIELDS(setting_value, mls_setting_value, SETTING_VALUE_FIELDS)

static void emit_values(mls_emitter *to, const mls_setting_values *of)
{
    mls_emit_name(to, mls_str_from(of->group->side->name));
    MLS_EMIT_VALUES(MLS_ROWS(of->items, of->count));
}

#define DIFFERING_FIELDS(F)                                                                                            \
    F(differing, key, TEXT, "", row->key)                                                                              \
    F(differing, varies, VALUES, "",                                                                                   \
      MLS_EACH(row->value_count,                                                                                       \
               row->values[i].count > 1 ? mls_emit_text(to, row->values[i].group->side->name) : (void)0))              \
    F(differing, values, MAP_OF(setting_value), "", MLS_EACH(row->value_count, emit_values(to, &row->values[i])))
MLS_FIELDS(differing, mls_differing, DIFFERING_FIELDS)

/* Write the settings that differ. */
static void emit_differing(mls_emitter *to, const mls_differings *list)
{
    MLS_EACH(list->count, mls_emit_row(to, list->items[i].differs ? &list->items[i] : NULL));
}

#define OUTLIER_FIELDS(F)                                                                                              \
    F(outlier, side, TEXT, "", row->group->side->name)                                                                 \
    F(outlier, file, TEXT, "", row->run->file)                                                                         \
    F(outlier, minutes, NUMBER, "minutes", row->run->minutes)                                                          \
    F(outlier, ratio, NUMBER, "", row->ratio)
MLS_FIELDS(outlier, mls_outlier, OUTLIER_FIELDS)

/* ------------------------------------------------------------- what is compared */

#define COMPARED_FIELDS(F)                                                                                             \
    F(compared, side, TEXT, "", row->side->name)                                                                       \
    F(compared, path, TEXT, "", row->path)                                                                             \
    F(compared, edition, TEXT, "", row->edition)                                                                       \
    F(compared, config, TEXT_OR_NULL, "", row->config)                                                                 \
    F(compared, global_batch_size, NUMBER_OR_NULL, "", row->global_batch_size)                                         \
    F(compared, accelerators, NUMBER_OR_NULL, "", row->accelerators)                                                   \
    F(compared, accelerator, TEXT_OR_NULL, "", row->accelerator)                                                       \
    F(compared, runs, NUMBER, "", row->runs.count)                                                                     \
    F(compared, valid, NUMBER, "", row->valid)                                                                         \
    F(compared, kept, NUMBER, "", row->kept)                                                                           \
    F(compared, dropped, NUMBER, "", row->dropped)                                                                     \
    F(compared, official, BOOL, "", row->official)                                                                     \
    F(compared, score_minutes, NUMBER_OR_NULL, "minutes", row->score_minutes)                                          \
    F(compared, scale, NUMBER_OR_NULL, "", row->scale)                                                                 \
    F(compared, scaled_minutes, NUMBER_OR_NULL, "minutes", row->scaled_minutes)                                        \
    F(compared, mean_minutes, NUMBER_OR_NULL, "minutes", row->mean_minutes)                                            \
    F(compared, stdev_minutes, NUMBER_OR_NULL, "minutes", row->stdev_minutes)                                          \
    F(compared, to_converge, NUMBER_OR_NULL, "", row->to_converge)                                                     \
    F(compared, unit, TEXT_OR_NULL, "", row->unit)                                                                     \
    F(compared, throughput, NUMBER_OR_NULL, "samples/s or epochs/h",                                                   \
      mls_compare_rate(row, mls_compare_part(row, MLS_PART_TRAINING)))                                                 \
    F(compared, init_minutes, NUMBER_OR_NULL, "minutes", mls_sum_mean(&row->init_ms, row->kept) / 60000)               \
    F(compared, training_ms, NUMBER_OR_NULL, "ms", mls_compare_part(row, MLS_PART_TRAINING))                           \
    F(compared, evaluation_ms, NUMBER_OR_NULL, "ms", mls_compare_part(row, MLS_PART_EVALUATION))                       \
    F(compared, evaluations, NUMBER_OR_NULL, "", mls_sum_mean(&row->evaluations, row->kept))                           \
    F(compared, startup_ms, NUMBER_OR_NULL, "ms", mls_compare_part(row, MLS_PART_STARTUP))                             \
    F(compared, between_ms, NUMBER_OR_NULL, "ms", mls_compare_part(row, MLS_PART_BETWEEN))                             \
    F(compared, tail_ms, NUMBER_OR_NULL, "ms", mls_compare_part(row, MLS_PART_TAIL))                                   \
    F(compared, known, TEXT_OR_NULL, "",                                                                               \
      row->published != NULL ? mls_published_known_name(row->published->known) : NULL)
MLS_FIELDS(compared, mls_side_group, COMPARED_FIELDS)

static const char *interval_of(const mls_difference *difference)
{
    return difference->of_mean ? "mean" : "score";
}

#define INTERVAL_FIELDS(F)                                                                                             \
    F(interval, of, TEXT, "", interval_of(row))                                                                        \
    F(interval, low_minutes, NUMBER, "minutes", row->low_minutes)                                                      \
    F(interval, high_minutes, NUMBER, "minutes", row->high_minutes)                                                    \
    F(interval, df, NUMBER_OR_NULL, "", row->degrees)                                                                  \
    F(interval, p, NUMBER_OR_NULL, "", row->p)
MLS_FIELDS(interval, mls_difference, INTERVAL_FIELDS)

typedef struct share_place {
    const mls_split *split;
    mls_share share;
} share_place;
#define SHARE_FIELDS(F)                                                                                                \
    F(share, name, TEXT, "", mls_share_name(row->share))                                                               \
    F(share, ms, NUMBER, "ms", row->split->ms[row->share])
MLS_FIELDS(share, share_place, SHARE_FIELDS)

#define RATIO_TEST_FIELDS(F, kind, test)                                                                               \
    F(kind, ratio, NUMBER, "", (test).ratio)                                                                           \
    F(kind, low_ratio, NUMBER_OR_NULL, "", (test).low_ratio)                                                           \
    F(kind, high_ratio, NUMBER_OR_NULL, "", (test).high_ratio)                                                         \
    F(kind, df, NUMBER_OR_NULL, "", (test).degrees)                                                                    \
    F(kind, p, NUMBER_OR_NULL, "", (test).p)                                                                           \
    F(kind, verdict, TEXT, "", (test).verdict)
#define RATIO_FIELDS(F)                                                                                                \
    F(ratio_test, baseline, NUMBER, "", row->baseline)                                                                 \
    F(ratio_test, value, NUMBER, "", row->value)                                                                       \
    RATIO_TEST_FIELDS(F, ratio_test, *row)
MLS_FIELDS(ratio_test, mls_ratio_test, RATIO_FIELDS)

#define KNOWN(test) ((test).known ? &(test) : NULL)
#define SIGNIFICANCE_FIELDS(F)                                                                                         \
    F(significance, samples_per_second, OBJECT_OR_NULL(ratio_test), "", KNOWN(row->samples_per_second))                \
    F(significance, seconds_per_evaluation, OBJECT_OR_NULL(ratio_test), "", KNOWN(row->seconds_per_evaluation))        \
    F(significance, to_converge, OBJECT_OR_NULL(ratio_test), "", KNOWN(row->to_converge))
MLS_FIELDS(significance, mls_significance, SIGNIFICANCE_FIELDS)

#define LUCK_FREE_FIELDS(F)                                                                                            \
    F(luck_free, to_converge, NUMBER, "", row->to_converge)                                                            \
    F(luck_free, evaluations, NUMBER_OR_NULL, "", row->evaluations)                                                    \
    F(luck_free, baseline_minutes, NUMBER, "minutes", row->minutes.baseline)                                           \
    F(luck_free, minutes, NUMBER, "minutes", row->minutes.value)                                                       \
    RATIO_TEST_FIELDS(F, luck_free, row->minutes)
MLS_FIELDS(luck_free, mls_luck_free, LUCK_FREE_FIELDS)

#define SCORED_FIELDS(F)                                                                                               \
    F(scored, minutes, NUMBER_OR_NULL, "minutes", row->scored.minutes)                                                 \
    F(scored, ratio, NUMBER_OR_NULL, "", row->scaled_ratio)                                                            \
    F(scored, low_minutes, NUMBER_OR_NULL, "minutes", row->scored.low_minutes)                                         \
    F(scored, high_minutes, NUMBER_OR_NULL, "minutes", row->scored.high_minutes)                                       \
    F(scored, df, NUMBER_OR_NULL, "", row->scored.degrees)                                                             \
    F(scored, p, NUMBER_OR_NULL, "", row->scored.p)                                                                    \
    F(scored, verdict, TEXT_OR_NULL, "", mls_compare_verdict_name(row->scored.verdict))
MLS_FIELDS(scored, mls_difference, SCORED_FIELDS)

#define DIFFERENCE_FIELDS(F)                                                                                           \
    F(difference, side, TEXT, "", row->b->side->name)                                                                  \
    F(difference, minutes, NUMBER_OR_NULL, "minutes", row->minutes)                                                    \
    F(difference, ratio, NUMBER_OR_NULL, "", row->ratio)                                                               \
    F(difference, scaled_ratio, NUMBER_OR_NULL, "", row->scaled_ratio)                                                 \
    F(difference, interval, OBJECT_OR_NULL(interval), "", row->has_interval ? row : NULL)                              \
    F(difference, mann_whitney_p, NUMBER_OR_NULL, "", row->mann_whitney_p)                                             \
    F(difference, detectable_ratio, NUMBER_OR_NULL, "", row->detectable_ratio)                                         \
    F(difference, verdict, TEXT_OR_NULL, "", mls_compare_verdict_name(row->verdict))                                   \
    F(difference, total_ms, IF(NUMBER, row->split.known), "ms", row->split.total_ms)                                   \
    F(difference, parts, LIST(share), "",                                                                              \
      MLS_EACH(row->split.known ? MLS_SHARE_COUNT : 0,                                                                 \
               mls_emit_row(to, row->split.has[i] ? &(share_place){&row->split, (mls_share)i} : NULL)))                \
    F(difference, init_ms, IF(NUMBER, row->has_init), "ms", row->init_ms)                                              \
    F(difference, same_runs, NUMBER, "", row->same_runs)                                                               \
    F(difference, scored, OBJECT_OF(scored), "", row)                                                                  \
    F(difference, disagreement, WORDS_OR_NULL, "", mls_compare_append_disagreement(words, row))                        \
    F(difference, significance, OBJECT_OF(significance), "", &row->significance)                                       \
    F(difference, luck_free, OBJECT_OR_NULL(luck_free), "", row->luck_free.minutes.known ? &row->luck_free : NULL)
MLS_FIELDS(difference, mls_difference, DIFFERENCE_FIELDS)

/* Write the value of a setting if all runs of a side have the same value; otherwise write null. */
static void emit_printed_value(mls_emitter *to, const mls_setting_values *of)
{
    const bool known = of->count > 0 && !of->items[0].lacking;
    mls_emit_name(to, mls_str_from(of->group->side->name));
    mls_emit_str_or_null(to, known ? of->items[0].setting.text : (mls_str){0});
}

#define PRINTED_FIELDS(F)                                                                                              \
    F(printed, name, TEXT, "", row->key)                                                                               \
    F(printed, group, TEXT_OR_NULL, "", row->known != NULL ? row->known->group : NULL)                                 \
    F(printed, effect, TEXT_OR_NULL, "", row->known != NULL ? row->known->effect : NULL)                               \
    F(printed, source, TEXT, "", row->exported ? "config" : "log")                                                     \
    F(printed, values, MAP, "", MLS_EACH(row->value_count, emit_printed_value(to, &row->values[i])))
MLS_FIELDS(printed, mls_differing, PRINTED_FIELDS)

static void emit_setup(mls_emitter *to, const mls_differings *printed, const mls_differings *exported)
{
    MLS_ROWS(printed->items, printed->count);
    MLS_ROWS(exported->items, exported->count);
}

#define BLOCK_FIELDS(F)                                                                                                \
    F(block, benchmark, TEXT_OR_NULL, "", row->groups[0]->benchmark)                                                   \
    F(block, division, TEXT_OR_NULL, "", mls_division_name(row->groups[0]->division))                                  \
    F(block, usage, TEXT, "", mls_usage_name(row->groups[0]->usage))                                                   \
    F(block, groups, LIST(compared), "", MLS_ROWS_AT(row->groups, row->group_count))                                   \
    F(block, differences, LIST(difference), "", MLS_ROWS(row->differences + 1, row->group_count - 1))                  \
    F(block, hyperparameters, LIST(differing), "", emit_differing(to, &row->hyperparameters))                          \
    F(block, environment, LIST(differing), "", emit_differing(to, &row->environment))                                  \
    F(block, printed, LIST(printed), "", emit_setup(to, &row->printed, &row->exported))                                \
    F(block, printed_others, LIST(printed), "", emit_setup(to, &row->printed_others, &row->exported_others))           \
    F(block, outliers, LIST(outlier), "", MLS_ROWS(row->outliers.items, row->outliers.count))
MLS_FIELDS_AS(, mls_block_fields, block, mls_block, NULL, BLOCK_FIELDS)

/* ------------------------------------------------------ published and scaling */

#define NEAR_FIELDS_OF(F, kind)                                                                                        \
    F(kind, edition, TEXT, "", row->result->round)                                                                     \
    F(kind, submitter, TEXT, "", row->result->system->submitter)                                                       \
    F(kind, system_id, TEXT, "", row->result->system->system_id)                                                       \
    F(kind, accelerator, TEXT_OR_NULL, "", row->result->system->accelerator)                                           \
    F(kind, accelerators, NUMBER_OR_NULL, "", row->result->system->accelerators)                                       \
    F(kind, minutes, NUMBER, "minutes", row->result->minutes)                                                          \
    F(kind, accelerator_minutes, NUMBER_OR_NULL, "minutes", row->result->accelerator_minutes)                          \
    F(kind, rank, NUMBER, "", row->result->rank)                                                                       \
    F(kind, ratio, NUMBER, "", row->ratio)                                                                             \
    F(kind, self, BOOL, "", row->self)
static void emit_why_parts(mls_emitter *to, const mls_published_why *why)
{
    MLS_EACH(why->split.known ? MLS_SHARE_COUNT : 0,
             mls_emit_row(to, why->split.has[i] ? &(share_place){&why->split, (mls_share)i} : NULL));
}

#define WHY_SETTING_FIELDS(F)                                                                                          \
    F(why_setting, key, TEXT, "", row->key)                                                                            \
    F(why_setting, yours, ANY, "", emit_run_setting(to, &row->yours))                                                  \
    F(why_setting, theirs, ANY, "", emit_run_setting(to, &row->theirs))
MLS_FIELDS(why_setting, mls_why_setting, WHY_SETTING_FIELDS)

#define NEAR_FIELDS(F)                                                                                                 \
    NEAR_FIELDS_OF(F, near)                                                                                            \
    F(near, parts, LIST_IF(share, row->why != NULL), "", emit_why_parts(to, row->why))                                 \
    F(near, settings, LIST_IF(why_setting, row->why != NULL), "",                                                      \
      MLS_ROWS(row->why->settings.items, row->why->settings.count))
MLS_FIELDS(near, mls_published_near, NEAR_FIELDS)

#define AROUND_FIELDS(F)                                                                                               \
    NEAR_FIELDS_OF(F, around)                                                                                          \
    F(around, ranked, NUMBER, "", row->result->ranked)                                                                 \
    F(around, published, NUMBER, "", row->result->published)                                                           \
    F(around, rank_alike, NUMBER, "", row->rank_alike)                                                                 \
    F(around, ranked_alike, NUMBER, "", row->ranked_alike)
MLS_FIELDS(around, mls_published_near, AROUND_FIELDS)
#define PLACE_FIELDS(F)                                                                                                \
    F(mls_place, rank, NUMBER, "", row->rank)                                                                          \
    F(mls_place, ranked, NUMBER, "", row->ranked)                                                                      \
    F(mls_place, published, NUMBER, "", row->published)                                                                \
    F(mls_place, rank_alike, COUNT_OR_NULL, "", row->rank_alike)                                                       \
    F(mls_place, ranked_alike, COUNT_OR_NULL, "", row->ranked_alike)
MLS_FIELDS_AS(, mls_place_fields, mls_place, mls_published_place, NULL, PLACE_FIELDS)

#define BESIDE_FIELDS(F)                                                                                               \
    F(beside, side, TEXT, "", row->group->side->name)                                                                  \
    F(beside, path, TEXT, "", row->group->path)                                                                        \
    F(beside, usage, TEXT, "", mls_usage_name(row->group->usage))                                                      \
    F(beside, edition, TEXT, "", mls_compare_round(row->group))                                                        \
    F(beside, benchmark, TEXT, "", row->group->benchmark)                                                              \
    F(beside, division, TEXT_OR_NULL, "", mls_division_name(row->group->division))                                     \
    F(beside, accelerators, NUMBER_OR_NULL, "", row->group->accelerators)                                              \
    F(beside, accelerator, TEXT_OR_NULL, "", row->group->accelerator)                                                  \
    F(beside, scaled_minutes, NUMBER, "minutes", row->group->scaled_minutes)                                           \
    F(beside, nearest, LIST(near), "", MLS_ROWS(row->near, row->count))                                                \
    F(beside, place, OBJECT_OF(mls_place), "", &row->place)                                                            \
    F(beside, around, LIST(around), "", MLS_ROWS(row->around, row->around_count))
MLS_FIELDS_AS(, mls_published_match_fields, beside, mls_published_match, NULL, BESIDE_FIELDS)

/* Fields of the published result that have other names in CSV, since fields of the group have the same names. */
#define NEAR_CSV_FIELDS(F)                                                                                             \
    F(near_csv, published_edition, TEXT, "", row->result->round)                                                       \
    F(near_csv, published_accelerators, NUMBER_OR_NULL, "", row->result->system->accelerators)                         \
    F(near_csv, published_accelerator, TEXT_OR_NULL, "", row->result->system->accelerator)
MLS_FIELDS_BESIDE(near_csv, near, NEAR_CSV_FIELDS)

#define POINT_FIELDS(F)                                                                                                \
    F(point, side, TEXT, "", row->group->side->name)                                                                   \
    F(point, path, TEXT, "", row->group->path)                                                                         \
    F(point, accelerators, NUMBER, "", row->group->accelerators)                                                       \
    F(point, minutes, NUMBER, "minutes", row->group->score_minutes)                                                    \
    F(point, accelerator_minutes, NUMBER, "minutes", row->group->score_minutes * row->group->accelerators)             \
    F(point, global_batch_size, NUMBER_OR_NULL, "", row->group->global_batch_size)                                     \
    F(point, to_converge, NUMBER_OR_NULL, "", row->group->to_converge)                                                 \
    F(point, unit, TEXT_OR_NULL, "", row->group->unit)                                                                 \
    F(point, speedup, NUMBER, "", row->speedup)                                                                        \
    F(point, efficiency, NUMBER, "", row->efficiency)                                                                  \
    F(point, algorithmic, NUMBER_OR_NULL, "", row->algorithmic)                                                        \
    F(point, system, NUMBER_OR_NULL, "", row->system)
MLS_FIELDS(point, mls_scaling_point, POINT_FIELDS)

#define SERIES_FIELDS(F)                                                                                               \
    F(series, usage, TEXT, "", mls_usage_name(row->points[0].group->usage))                                            \
    F(series, benchmark, TEXT_OR_NULL, "", row->points[0].group->benchmark)                                            \
    F(series, division, TEXT_OR_NULL, "", mls_division_name(row->points[0].group->division))                           \
    F(series, accelerator, TEXT_OR_NULL, "", row->points[0].group->accelerator)                                        \
    F(series, points, LIST(point), "", MLS_ROWS(row->points, row->count))
MLS_FIELDS(series, mls_scaling_series, SERIES_FIELDS)

/* -------------------------------------------------------------------- the whole */

#define SIDE_FIELDS(F)                                                                                                 \
    F(side, name, TEXT, "", row->name)                                                                                 \
    F(side, paths, VALUES, "", MLS_EACH(row->paths.count, mls_emit_text(to, row->paths.items[i])))
MLS_FIELDS(side, mls_side, SIDE_FIELDS)

#define UNMATCHED_FIELDS(F)                                                                                            \
    F(unmatched, side, TEXT, "", row->group->side->name)                                                               \
    F(unmatched, path, TEXT, "", row->group->path)                                                                     \
    F(unmatched, benchmark, TEXT_OR_NULL, "", row->group->benchmark)                                                   \
    F(unmatched, division, TEXT_OR_NULL, "", mls_division_name(row->group->division))                                  \
    F(unmatched, reason, TEXT, "", row->reason)
MLS_FIELDS(unmatched, mls_unmatched, UNMATCHED_FIELDS)

/* A file that is not compared, and the reason. */
typedef struct not_compared {
    const char *file, *reason;
    bool failed;
} not_compared;
#define NOT_COMPARED_FIELDS(F)                                                                                         \
    F(not_compared, file, TEXT, "", row->file)                                                                         \
    F(not_compared, reason, TEXT, "", row->reason)                                                                     \
    F(not_compared, failed, BOOL, "", row->failed)
MLS_FIELDS(not_compared, not_compared, NOT_COMPARED_FIELDS)

static void emit_skipped(mls_emitter *to, const mls_comparison *in)
{
    for (size_t c = 0; c < in->collection_count; c++) {
        for (size_t i = 0; i < in->collections[c].skipped.count; i++) {
            const mls_source *source = &in->collections[c].skipped.items[i];
            mls_emit_row(to, &(not_compared){source->path, source->skip, source->failed});
        }
    }
    for (size_t i = 0; i < in->problems.count; i++) {
        const mls_side_problem *problem = &in->problems.items[i];
        mls_emit_row(to, &(not_compared){problem->path, problem->error.message, true});
    }
}

#define COMPARISON_FIELDS(F)                                                                                           \
    F(comparison, baseline, TEXT_OR_NULL, "", row->baseline->name)                                                     \
    F(comparison, sides, LIST(side), "", MLS_ROWS_AT(row->sides.items, row->sides.count))                              \
    F(comparison, comparisons, LIST(mls_block), "", MLS_ROWS(row->blocks.items, row->blocks.count))                    \
    F(comparison, unmatched, LIST(unmatched), "", MLS_ROWS(row->unmatched.items, row->unmatched.count))                \
    F(comparison, published, LIST(mls_published_match), "", MLS_ROWS(row->beside.items, row->beside.count))            \
    F(comparison, scaling, LIST(series), "", MLS_ROWS(row->series.items, row->series.count))                           \
    F(comparison, skipped, LIST(not_compared), "", emit_skipped(to, row))
MLS_FIELDS(comparison, mls_comparison, COMPARISON_FIELDS)

/* ------------------------------------------------------------------------ CSV */

#define DIFFERENCE_CSV_FIELDS(F)                                                                                       \
    F(difference_csv, division, TEXT_OR_NULL, "", mls_division_name(row->b->division))                                 \
    F(difference_csv, baseline, TEXT, "", row->a->side->name)                                                          \
    F(difference_csv, interval_of, IF(TEXT, row->has_interval), "", interval_of(row))
MLS_FIELDS_BESIDE(difference_csv, difference, DIFFERENCE_CSV_FIELDS)

/* These names contain a point.  They are not C identifiers, so MLS_FIELDS() cannot define the table. */
typedef mls_difference part_row;
#define HAS(id) row->split.known && row->split.has[MLS_SHARE_##id]
#define PART_FUNCTION(id, name) MLS_FIELD_FUNCTION(part, name, IF(NUMBER, HAS(id)), "ms", row->split.ms[MLS_SHARE_##id])
#define PART_FIELD(id, name_)                                                                                          \
    {.name = MLS_STR("part." #name_), .type = MLS_FIELD_NUMBER_OR_NULL, .unit = "ms", .emit = get_part_##name_},
#define PART_COLUMN(id, name) " part." #name
MLS_SHARE_LIST(PART_FUNCTION)
static const mls_field part_items[] = {MLS_SHARE_LIST(PART_FIELD)};
static const mls_fields part_fields = {part_items, sizeof part_items / sizeof *part_items, &difference_fields};

const mls_report mls_compare_report = {
    .section = "COMPARE JSON",
    .show = show_comparison,
    .page = mls_html_compare,
    .object = &comparison_fields,
    .lines = "comparisons",
    .columns = {
        .section = "COMPARE CSV",
        .names =
            "benchmark division baseline side minutes ratio scaled_ratio interval_of low_minutes high_minutes df p "
            "mann_whitney_p detectable_ratio verdict total_ms init_ms" MLS_SHARE_LIST(PART_COLUMN) " same_runs",
        .rows = "comparisons differences interval",
        .sources = {&difference_csv_fields, &difference_fields, &interval_fields, &part_fields, &mls_block_fields}}};

const mls_report mls_nearest_report = {
    .section = "COMPARE JSON",
    .show = show_nearest,
    .object = &comparison_fields,
    .lines = "published",
    .columns = {
        .section = "NEAREST CSV",
        .names =
            "side path usage edition benchmark division accelerators accelerator scaled_minutes published_edition "
            "submitter system_id published_accelerator published_accelerators minutes accelerator_minutes rank ratio "
            "self",
        .rows = "published nearest",
        .sources = {&mls_published_match_fields, &near_csv_fields, &near_fields}}};

const mls_report mls_scaling_report = {
    .section = "COMPARE JSON",
    .show = show_scaling,
    .object = &comparison_fields,
    .lines = "scaling",
    .columns = {.section = "SCALING CSV",
                .names = "usage benchmark division accelerator side path accelerators minutes accelerator_minutes "
                         "global_batch_size to_converge unit speedup efficiency algorithmic system",
                .rows = "scaling points",
                .sources = {&series_fields, &point_fields}}};
