/* SPDX-License-Identifier: Apache-2.0 */
/* compare_show.c - a comparison for people: one screen a benchmark. */
#include "report/compare_show.h"

#include <math.h>
#include <stdlib.h>

/* ------------------------------------------------------------------- words */

static mls_words chance_words(double p)
{
    const mls_words least = {"< 0.0001"};
    return p < 0.0001 ? least : mls_words_trimmed(p, 4);
}

/* -------------------------------------------------------------------- rows */

/* The cells of a row below a side, and below its difference from the baseline. */
typedef struct cell_pair {
    mls_words side, difference;
} cell_pair;

static mls_words signed_ms(bool known, int64_t ms, int decimals)
{
    return known ? mls_words_signed((double)ms / 1000, decimals) : (mls_words){""};
}

/* Whether anything is said of a difference: not where a side has no score. */
static bool has_interval(const mls_difference *difference)
{
    return difference->has_interval && difference->verdict != MLS_COMPARE_NO_SCORE;
}

void mls_compare_append_interval(mls_buffer *line, const mls_difference *difference)
{
    if (isfinite(difference->ratio)) {
        mls_buffer_printf(line, "%s", mls_words_change(difference->ratio).text);
    }
    if (has_interval(difference)) {
        mls_buffer_printf(line, "%s95 %%%s: %s … %s", line->len > 0 ? "   " : "",
                          difference->of_mean ? " of the mean" : "", mls_words_signed(difference->low_minutes, 3).text,
                          mls_words_signed(difference->high_minutes, 3).text);
    }
}

/* Whether a side's training is counted without its evaluations, as it counts in its difference; of the baseline, in
 * any. */
static bool is_delimited(const mls_abreast *to, size_t i)
{
    bool other = false;
    for (size_t k = 0; k < to->count; k++) {
        other |= (i == 0) != (k == 0) && to->groups[k]->evaluations.known;
    }
    return other && to->groups[i]->evaluations.known;
}

/* Returns what a side's runs did, that a share of the difference is made of; or several together. */
static mls_words share_words(const mls_abreast *to, size_t i, mls_share share, mls_share last)
{
    const mls_side_group *group = to->groups[i];
    const double evaluations = mls_sum_mean(&group->evaluations, group->kept);
    const double evaluation = mls_compare_part(group, MLS_PART_EVALUATION);
    double training = mls_compare_part(group, MLS_PART_TRAINING);
    training += is_delimited(to, i) || isnan(evaluation) ? 0 : evaluation;
    double ms = 0;
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
        for (; share <= last; share++) {
            ms += mls_compare_part(group, (mls_part)(MLS_PART_STARTUP + share - MLS_SHARE_STARTUP));
        }
    }
    return mls_words_grouped(ms / 1000, 3);
}

/* A row whose cells are numbers of the sides; it is shown where cells_make() finds that a side needs it. */
typedef struct value_row {
    enum { RUNS, SCORE, SCALED_SCORE, TOTAL, SHARES, SUBTOTAL, INIT, SPREAD } kind;
    const char *label;     /* NULL: by what sides converge in */
    mls_share first, last; /* of the difference: one share, or several; of a subtotal two */
} value_row;

/* Whether two shares are large, and most of what they say goes away when they are added up. */
static bool cancel(const mls_split *split, mls_share first, mls_share last)
{
    const int64_t a = llabs(split->ms[first]);
    const int64_t b = llabs(split->ms[last]);
    const int64_t larger = a > b ? a : b;
    return split->known && split->has[first] && split->has[last] && larger >= llabs(split->total_ms) / 10 &&
           llabs(split->ms[first] + split->ms[last]) < larger / 2;
}

/* Makes the cells of a side; whether it needs the row. */
static bool cells_make(const mls_abreast *to, size_t i, const value_row *row, cell_pair *cells)
{
    const mls_side_group *group = to->groups[i];
    const mls_difference *difference = to->differences[i];
    const mls_split *split = &difference->split;
    int64_t ms = 0;
    switch (row->kind) {
    case RUNS: /* how many are valid, where not all are */
        if (group->valid < group->runs.count) {
            (void)mls_text_printf(cells->side.text, sizeof cells->side.text, "%zu of %zu runs", group->valid,
                                  group->runs.count);
        }
        return group->valid < group->runs.count;
    case SCORE:
        cells->side = mls_words_grouped(group->score_minutes, 3);
        cells->difference = mls_words_signed(difference->minutes, 3);
        return true;
    case SCALED_SCORE: /* the one that counts, where it is not the measured one */
        cells->side = mls_words_grouped(group->scaled_minutes, 3);
        cells->difference = mls_words_signed(group->scaled_minutes - to->groups[0]->scaled_minutes, 3);
        return isfinite(group->scaled_minutes) && (group->scale != 1 || group->published != NULL);
    case TOTAL:
        cells->difference = signed_ms(split->known, split->total_ms, 3);
        return split->known;
    case SHARES:
        for (mls_share share = row->first; share <= row->last; share++) {
            ms += split->ms[share];
        }
        cells->side = share_words(to, i, row->first, row->last);
        cells->difference = signed_ms(split->known && split->has[row->first], ms, 3);
        return split->known && split->has[row->first];
    case SUBTOTAL: /* what they are together comes behind them */
        cells->side = share_words(to, i, row->last + 1, row->last + 1);
        cells->difference = signed_ms(split->known, split->ms[row->first] + split->ms[row->last], 3);
        return cancel(split, row->first, row->last);
    case INIT:
        cells->side = mls_words_grouped(mls_sum_mean(&group->init_ms, group->kept) / 60000 * 60, 1);
        cells->difference = signed_ms(difference->has_init, difference->init_ms, 1);
        return true;
    default:
        cells->side = mls_words_percent(group->stdev_minutes / group->mean_minutes, 1);
        return true;
    }
}

/* Shows a row that some side needs; whether one does. */
static bool show_row(mls_abreast *to, value_row row)
{
    cell_pair cells[MLS_SIDES_ABREAST + 1] = {0};
    bool needed = false;
    for (size_t i = 0; i < to->count; i++) {
        needed |= cells_make(to, i, &row, &cells[i]);
    }
    if (!needed) {
        return false;
    }
    if (row.label != NULL) {
        mls_abreast_row(to, row.label);
    } else {
        const mls_words words = mls_compare_label(to->groups[0], row.first);
        mls_buffer label = {0};
        mls_buffer_printf(&label, "  %s", words.text);
        mls_abreast_row(to, mls_table_take(&to->table, &label));
    }
    for (size_t i = 0; i < to->count; i++) {
        mls_abreast_cell(to, i, cells[i].side.text);
    }
    for (size_t i = 1; i < to->count; i++) {
        mls_table_cell(&to->table, to->headers[i], MLS_COLUMN_RIGHT,
                       row.kind == SCORE ? MLS_STYLE_BOLD : MLS_STYLE_PLAIN, "%s", cells[i].difference.text);
    }
    return true;
}

/* Shows the scores, of two sides with their interval. */
static void show_scores(mls_abreast *to)
{
    show_row(to, (value_row){.kind = RUNS, .label = ""});
    show_row(to, (value_row){.kind = SCORE, .label = "score (min)"});
    if (to->block->group_count == 2) {
        mls_buffer note = {0};
        mls_compare_append_interval(&note, to->differences[1]);
        mls_table_note(&to->table, MLS_STYLE_PLAIN, "%s", mls_table_take(&to->table, &note));
    }
}

/* The score that counts; and whose does not count. */
static void show_scaled(mls_abreast *to)
{
    mls_buffer names = {0};
    if (show_row(to, (value_row){.kind = SCALED_SCORE, .label = "scaled score (min)"}) && to->block->group_count == 2) {
        mls_table_note(&to->table, MLS_STYLE_PLAIN, "%s", mls_words_change(to->differences[1]->scaled_ratio).text);
    }
    for (size_t i = 0; i < to->count; i++) {
        if (!to->groups[i]->official && isfinite(to->groups[i]->score_minutes)) {
            mls_buffer_printf(&names, "%s%s",
                              names.len > 0 ? ", " : "not an official score: ", to->groups[i]->side->name);
        }
    }
    (void)mls_abreast_names(to, MLS_STYLE_WARN, &names);
}

/* ----------------------------------------------------------------- verdict */

/* "gb300 is faster": the words before and after the name of the side that is meant (NULL: none is), and their style. */
static const struct {
    const char *before, *after;
    mls_style style;
} verdicts[] = {[MLS_COMPARE_FASTER] = {"", " is faster", MLS_STYLE_GOOD},
                [MLS_COMPARE_SLOWER] = {"", " is slower", MLS_STYLE_BAD},
                [MLS_COMPARE_NONE] = {"no difference shown", NULL, MLS_STYLE_BOLD},
                [MLS_COMPARE_TOO_FEW] = {"too few runs to say: each side needs two valid ones", NULL, MLS_STYLE_WARN},
                [MLS_COMPARE_NO_SCORE] = {"no score of ", ": more runs dropped than the rules forgive, or none valid",
                                          MLS_STYLE_WARN},
                [MLS_COMPARE_NOT_PUBLIC] = {"the runs of ", " are not public", MLS_STYLE_WARN}};

/* Whether all that can be said is that the runs of one side are those of the other. */
static bool is_itself(const mls_difference *difference)
{
    return mls_difference_all_same(difference) &&
           (difference->verdict == MLS_COMPARE_NONE || difference->verdict == MLS_COMPARE_TOO_FEW);
}

/* Whether a side is the reason why there is no verdict: it has no score, or no public runs. */
static bool lacks_for_verdict(const mls_side_group *group, mls_compare_verdict verdict)
{
    return verdict == MLS_COMPARE_NOT_PUBLIC ? group->published != NULL && group->runs.count == 0
                                             : verdict == MLS_COMPARE_NO_SCORE && !isfinite(group->score_minutes);
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
    if (after != NULL) {
        mls_buffer_printf(words, "%s%s%s%s", name, both ? " and " : "", both ? difference->b->side->name : "", after);
    }
}

/* What is known of a published score that is not exact. */
static void known_append(mls_buffer *line, const mls_side_group *group)
{
    const mls_published_result *result = group->published;
    if (result != NULL && result->known != MLS_PUBLISHED_EXACT) {
        mls_buffer_printf(line, "   score of %s: %s min %s", group->side->name,
                          mls_published_minutes_words(result).text,
                          result->known == MLS_PUBLISHED_ANNOUNCED ? "as announced" : "before scaling");
    }
}

/* How the verdict is known. */
static void evidence_append(mls_buffer *line, const mls_difference *difference)
{
    known_append(line, difference->a);
    known_append(line, difference->b);
    if (is_itself(difference)) {
        mls_buffer_printf(line, "   %s with equal times of run_start and run_stop",
                          mls_words_plural(difference->same_runs, "run", "runs").text);
        return;
    }
    if (difference->same_runs > 0) {
        mls_buffer_printf(line, "   %s on both sides",
                          mls_words_plural(difference->same_runs, "run is", "runs are").text);
    }
    if (has_interval(difference)) {
        if (isfinite(difference->p)) {
            mls_buffer_printf(line, "   p %s", chance_words(difference->p).text);
        } else {
            mls_buffer_append_text(line, "   no spread on either side");
        }
        if (difference->min_p > 0.05) {
            mls_buffer_printf(line, "   Mann-Whitney cannot tell with so few (least p %s)",
                              mls_words_trimmed(difference->min_p, 2).text);
        } else if (isfinite(difference->mann_whitney_p)) {
            mls_buffer_printf(line, "   Mann-Whitney %s", chance_words(difference->mann_whitney_p).text);
        }
    }
    if (isfinite(difference->detectable_ratio) && difference->verdict == MLS_COMPARE_NONE) {
        mls_buffer_printf(line, "   %zu and %zu runs miss a difference of %s one time in five", difference->a->valid,
                          difference->b->valid, mls_words_percent(difference->detectable_ratio, 1).text);
    }
    if (difference->within_variance) {
        mls_buffer_append_text(line, "   smaller than what MLCommons calls the variance of results");
    }
}

static void show_verdicts(mls_abreast *to)
{
    const bool pair = to->block->group_count == 2;
    for (size_t i = 1; i < to->count; i++) {
        const mls_difference *difference = to->differences[i];
        mls_buffer lead = {0};
        mls_buffer line = {0};
        if (!pair && difference->verdict > MLS_COMPARE_SLOWER) {
            mls_buffer_printf(&lead, "%s: ", difference->b->side->name);
        }
        mls_compare_append_verdict(&lead, difference);
        if (!pair) {
            mls_buffer_append_text(&line, "   ");
            mls_compare_append_interval(&line, difference);
        }
        evidence_append(&line, difference);
        mls_table_row(&to->table);
        mls_table_lead(&to->table, verdicts[difference->verdict].style, "%s", mls_table_take(&to->table, &lead));
        mls_table_note(&to->table, MLS_STYLE_PLAIN, "%s", mls_table_take(&to->table, &line));
    }
}

/* ------------------------------------------------------------------- parts */

static void show_parts(mls_abreast *to)
{
    static const value_row rows[] = {
        {SHARES, "  the whole run: parts not known", MLS_SHARE_RUN, MLS_SHARE_RUN},
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
                split->has[rows[i].first] && split->ms[rows[i].first] != 0) {
                mls_table_note(&to->table, MLS_STYLE_PLAIN, "%s", direction);
            }
        }
    }
}

/* ------------------------------------------------------------------- blocks */

static void show_abreast(mls_abreast *to)
{
    mls_abreast_begin(to, "");
    show_scores(to);
    if (to->block->group_count == 2) {
        show_verdicts(to);
    }
    show_scaled(to);
    show_parts(to);
    show_row(to, (value_row){.kind = INIT, .label = "not in the score: init (s)"});
    show_row(to, (value_row){.kind = SPREAD, .label = "spread of the runs (n - 1)"});
    if (to->block->group_count > 2) {
        mls_abreast_line(to, MLS_STYLE_PLAIN, "against the baseline");
        show_verdicts(to);
    }
    mls_abreast_show_setup(to);
    mls_table_finish(&to->table, to->view);
}

static void put_abreast(mls_abreast *to, size_t place)
{
    to->places[to->count] = place;
    to->groups[to->count] = to->block->groups[place];
    to->differences[to->count++] = &to->block->differences[place];
}

static void show_block(mls_view *view, const mls_block *block, bool all)
{
    mls_compare_show_heading(view, (const mls_side_group *const *)block->groups, block->group_count, false);
    for (size_t next = 1; next < block->group_count;) {
        mls_abreast to = {.block = block, .view = view, .all = all};
        put_abreast(&to, 0);
        while (next < block->group_count && to.count <= MLS_SIDES_ABREAST) {
            put_abreast(&to, next++);
        }
        show_abreast(&to);
        mls_output_text(view->output, next < block->group_count ? "\n" : "");
    }
    mls_view_gap(view);
    mls_compare_show_odd_runs(view, block);
}

void mls_comparison_show(mls_printer *to, const void *what)
{
    const mls_comparison *in = what;
    const mls_compare_beside *beside = to->state;
    for (size_t i = 0; i < in->blocks.count; i++) {
        mls_output_text(to->view->output, i > 0 ? "\n" : "");
        show_block(to->view, &in->blocks.items[i], beside->all);
    }
    mls_compare_show_rest(to->view, in, in->blocks.count > 0);
}
