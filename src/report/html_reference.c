/* SPDX-License-Identifier: Apache-2.0 */
/* html_reference.c - convergence held against the reference: its points over batch sizes, the least that passes, and
 * the runs at theirs. */
#include <math.h>

#include "report/html.h"

/* Points within so many times the batch size are drawn, and the nearest on each side. */
#define FACTOR 4
enum {
    POINTS_IN_A_ROW = 12,
    REFERENCE_POINTS_MOST = 60,
    DOTS_APART = 4,
    LABELS_APART = 46,
    OWN_APART = 10,
    OWN_ROOM = 200
};

/* The points of a set that are drawn. */
typedef struct shown_points {
    const mls_rcp_set *set;
    double batch;
    const mls_rcp_point **items;
    size_t count;
} shown_points;

static bool choose_points(const mls_html_group *of, shown_points *shown)
{
    const mls_rcp_set *set = of->group->rcp.set;
    const mls_rcp_point *below = NULL;
    const mls_rcp_point *above = NULL;
    *shown = (shown_points){.set = set, .batch = of->group->global_batch_size};
    shown->items = set != NULL ? mls_arena_array(of->scratch, set->count + 1, sizeof *shown->items) : NULL;
    if (shown->items == NULL || !(shown->batch > 0)) {
        return false;
    }
    for (size_t i = 0; i < set->count; i++) {
        const double size = set->items[i].global_batch_size;
        below = size <= shown->batch && !set->items[i].pruned ? &set->items[i] : below;
        above = size >= shown->batch && !set->items[i].pruned && above == NULL ? &set->items[i] : above;
    }
    for (size_t i = 0; i < set->count && shown->count < REFERENCE_POINTS_MOST; i++) {
        const mls_rcp_point *point = &set->items[i];
        const double ratio = point->global_batch_size / shown->batch;
        if (point->global_batch_size > 0 &&
            ((ratio <= FACTOR && ratio * FACTOR >= 1) || point == below || point == above)) {
            shown->items[shown->count++] = point;
        }
    }
    return shown->count > 0;
}

/* What a run of the group took, as the check has it; NAN: it did not converge, or does not say. */
static double run_number(mls_buffer *out, const mls_group *group, size_t run)
{
    double number = NAN;
    const mls_status status = mls_run_converge_number(group->runs[run], group->rules, group->edition, false, &number);
    out->failed |= status != MLS_OK;
    return status == MLS_OK && number < MLS_RCP_NOT_CONVERGED ? number : (double)NAN;
}

static mls_extent numbers_extent(mls_buffer *out, const mls_html_group *of, const shown_points *shown)
{
    mls_extent extent = {0};
    for (size_t i = 0; i < shown->count; i++) {
        const mls_rcp_limit limit = mls_rcp_set_limit(shown->set, shown->items[i]->global_batch_size);
        mls_extent_add(&extent, shown->items[i]->bar.mean);
        mls_extent_add(&extent, limit.bar.limit);
        for (size_t k = 0; k < shown->items[i]->count; k++) {
            mls_extent_add(&extent, shown->items[i]->to_converge[k]);
        }
    }
    for (size_t i = 0; i < of->group->run_count; i++) {
        mls_extent_add(&extent, run_number(out, of->group, i));
    }
    mls_extent_add(&extent, mls_html_rcp_mean(of->group));
    mls_extent_add(&extent, of->group->rcp.result.limit.bar.limit);
    return extent;
}

/* The values of a point as dots, alike ones side by side, in the middle of its batch size.
 * True: some have no room. */
static bool append_point_values(mls_buffer *out, const mls_rcp_point *point, const mls_plot *plot)
{
    bool crowded = false;
    const double x = mls_scale_at(&plot->x, point->global_batch_size);
    for (size_t i = 0, end; i < point->count; i = end) {
        const double y = mls_scale_at(&plot->y, point->to_converge[i]);
        for (end = i + 1; end < point->count && fabs(mls_scale_at(&plot->y, point->to_converge[end]) - y) < 3;) {
            end++;
        }
        const size_t alike = end - i < POINTS_IN_A_ROW ? end - i : POINTS_IN_A_ROW;
        crowded |= alike < end - i;
        for (size_t k = 0; k < alike; k++) {
            mls_svg_circle(out, "point", x + DOTS_APART * ((double)k - (double)(alike - 1) / 2), y, 1.7);
        }
    }
    return crowded;
}

/* The curve through the points that count, the least that passes below it, and the band between. */
static void append_reference_curve(mls_buffer *out, const shown_points *shown, const mls_plot *plot)
{
    size_t count = 0;
    for (int pass = 0; pass < 3; pass++) {
        static const char *const looks[] = {"band", "reference", "limit"};
        mls_svg_path_begin(out, looks[pass]);
        count = 0;
        for (size_t i = 0; i < shown->count; i++) {
            const mls_rcp_point *point = shown->items[i];
            const double limit = mls_rcp_set_limit(shown->set, point->global_batch_size).bar.limit;
            if (!point->pruned && isfinite(limit)) {
                const double x = mls_scale_at(&plot->x, point->global_batch_size);
                mls_svg_path_point(out, x, mls_scale_at(&plot->y, pass == 2 ? limit : point->bar.mean), count++ == 0);
            }
        }
        for (size_t i = shown->count; i-- > 0 && pass == 0;) {
            const mls_rcp_point *point = shown->items[i];
            const double limit = mls_rcp_set_limit(shown->set, point->global_batch_size).bar.limit;
            if (!point->pruned && isfinite(limit)) {
                mls_svg_path_point(out, mls_scale_at(&plot->x, point->global_batch_size), mls_scale_at(&plot->y, limit),
                                   count == 0);
            }
        }
        mls_svg_path_end(out);
    }
    for (size_t i = 0; i < shown->count; i++) {
        const double x = mls_scale_at(&plot->x, shown->items[i]->global_batch_size);
        const double y = mls_scale_at(&plot->y, shown->items[i]->bar.mean);
        if (shown->items[i]->pruned || count <= 1) {
            mls_svg_line(out, shown->items[i]->pruned ? "pruned" : "reference", x - 14, y, x + 14, y);
        }
    }
}

/* The runs beside their batch size, alike ones side by side. */
static void append_own_runs(mls_buffer *out, const mls_html_group *of, const mls_plot *plot)
{
    const double x = mls_scale_at(&plot->x, of->group->global_batch_size) + 18;
    const double apart = fmin(OWN_APART, OWN_ROOM / (double)of->group->run_count);
    double *taken = mls_arena_array(of->scratch, of->group->run_count, sizeof *taken);
    size_t count = 0;
    out->failed |= taken == NULL;
    for (size_t i = 0; i < of->group->run_count && taken != NULL; i++) {
        const double number = run_number(out, of->group, i);
        const double y = mls_scale_at(&plot->y, number);
        size_t beside = 0;
        if (!isfinite(number)) {
            continue;
        }
        for (size_t k = 0; k < count; k++) {
            beside += fabs(taken[k] - y) < 9;
        }
        taken[count++] = y;
        mls_html_run_begin(out, i);
        mls_html_run_dot(out, mls_html_run_is(of->group, i), x + apart * (double)beside, y);
        mls_html_run_end(out);
    }
}

/* The mean of the runs and the limit for them; their numbers stand above the picture, where no dot can be. */
static void append_verdict_marks(mls_buffer *out, const mls_html_group *of, const mls_plot *plot)
{
    const double x = mls_scale_at(&plot->x, of->group->global_batch_size);
    const double mean = mls_html_rcp_mean(of->group);
    const double limit = of->group->rcp.result.limit.bar.limit;
    mls_buffer words = {0};
    if (isfinite(limit)) {
        const double y = mls_scale_at(&plot->y, limit);
        mls_svg_line(out, "limit-here", x - 22, y, x + 22, y);
    }
    if (isfinite(mean)) {
        mls_svg_diamond(out, "diamond", x, mls_scale_at(&plot->y, mean), 7);
        mls_buffer_printf(&words, "mean of these runs %s", mls_html_converge_words(mean).text);
    }
    if (isfinite(limit)) {
        mls_buffer_printf(&words, "%slimit %s", words.len > 0 ? " · " : "", mls_html_converge_words(limit).text);
    }
    mls_svg_text(out, "strong", 'e', plot->x.to, plot->y.to - 10, mls_buffer_str(&words));
    out->failed |= words.failed;
    mls_buffer_release(&words);
}

/* Batch sizes below the picture; one that would touch another is left out, but never that of the runs. */
static void append_batch_sizes(mls_buffer *out, const shown_points *shown, const mls_plot *plot)
{
    const double bottom = plot->y.from;
    const double own = mls_scale_at(&plot->x, shown->batch);
    double last = -1e6;
    for (size_t i = 0; i < shown->count; i++) {
        const double size = shown->items[i]->global_batch_size;
        const double x = mls_scale_at(&plot->x, size);
        mls_svg_line(out, "base", x, bottom, x, bottom + 4);
        if (x - last >= LABELS_APART && fabs(x - own) >= LABELS_APART) {
            mls_svg_text(out, NULL, 'm', x, bottom + 19, mls_str_from(mls_words_count(size).text));
            last = x;
        }
    }
    mls_svg_line(out, "base", own, bottom, own, bottom + 4);
    mls_svg_text(out, "strong", 'm', own, bottom + 19, mls_str_from(mls_words_count(shown->batch).text));
}

static void append_point_rows(mls_buffer *out, const shown_points *shown, const char *unit)
{
    mls_html_numbers_begin(out, "Reference points");
    mls_html_heading(out, "n", "batch size");
    mls_html_heading(out, "n", "runs");
    mls_html_heading(out, "n", unit);
    mls_html_heading(out, "n", "least that passes");
    mls_html_heading(out, NULL, "used");
    mls_html_rows(out);
    for (size_t i = 0; i < shown->count; i++) {
        const mls_rcp_point *point = shown->items[i];
        const double limit =
            point->pruned ? (double)NAN : mls_rcp_set_limit(shown->set, point->global_batch_size).bar.limit;
        mls_buffer_append_text(out, "<tr>");
        mls_html_count(out, point->global_batch_size);
        mls_html_count(out, (double)point->count);
        mls_html_count(out, point->bar.mean);
        mls_html_count(out, limit);
        mls_html_cell(out, NULL, "%s", point->pruned ? "no, pruned" : "yes");
        mls_buffer_append_text(out, "</tr>\n");
    }
    mls_html_numbers_end(out);
}

static void append_reference_plot(mls_buffer *out, const mls_html_group *of, const shown_points *shown)
{
    const char *unit = of->group->rcp.result.limit.unit;
    const mls_extent numbers = numbers_extent(out, of, shown);
    mls_extent sizes = {0};
    mls_buffer words = {0};
    mls_buffer up = {0};
    bool crowded = false;
    mls_extent_add(&sizes, shown->batch);
    for (size_t i = 0; i < shown->count; i++) {
        mls_extent_add(&sizes, shown->items[i]->global_batch_size);
    }
    mls_buffer_printf(&up, "%s to converge", unit != NULL ? unit : "");
    const mls_plot plot = {.x = mls_scale_log(&sizes, 1.35, 64, MLS_PLOT_WIDTH - 40),
                           .y = mls_scale_of(&numbers, 0.06, 300, 26),
                           .across = "global batch size (log scale)",
                           .up = up.ptr != NULL ? up.ptr : ""};
    mls_rcp_result_describe(&of->group->rcp.result, (double)NAN, &words);
    mls_html_plot_begin(out, 346, "Convergence against the reference", mls_buffer_str(&words));
    mls_plot_axis_up(out, &plot);
    mls_plot_axis_across(out, &plot);
    append_reference_curve(out, shown, &plot);
    for (size_t i = 0; i < shown->count; i++) {
        crowded |= append_point_values(out, shown->items[i], &plot);
    }
    append_batch_sizes(out, shown, &plot);
    append_own_runs(out, of, &plot);
    append_verdict_marks(out, of, &plot);
    mls_html_plot_end(out);
    if (shown->count < shown->set->count) {
        mls_html_note(out, "%zu of %zu reference points: within a factor of %d of the batch size, and the nearest.",
                      shown->count, shown->set->count, FACTOR);
    }
    if (crowded) {
        mls_html_note(out, "Of runs of the reference that are alike at most %d have a dot.", POINTS_IN_A_ROW);
    }
    append_point_rows(out, shown, up.ptr != NULL ? up.ptr : "");
    out->failed |= words.failed || up.failed;
    mls_buffer_release(&words);
    mls_buffer_release(&up);
}

void mls_html_reference(mls_buffer *out, const mls_html_group *of)
{
    const mls_rcp_outcome *rcp = &of->group->rcp;
    const bool made = rcp->check != MLS_CHECK_NOT_MADE;
    shown_points shown = {0};
    mls_buffer words = {0};
    const bool drawn = made && choose_points(of, &shown);
    mls_html_card_begin(out, "Reference convergence");
    if (drawn) {
        mls_html_key(out, MLS_MARK_LINE, "reference", "reference mean");
        mls_html_key(out, MLS_MARK_LINE, "limit", "least mean that passes");
        mls_html_key(out, MLS_MARK_DOT, "point", "a run of the reference");
        if (isfinite(mls_html_rcp_mean(of->group))) {
            mls_html_key(out, MLS_MARK_DIAMOND, "diamond", "mean of these runs");
        }
    }
    mls_html_card_body(out);
    if (made) {
        mls_rcp_result_describe(&rcp->result, of->group->score.score_minutes, &words);
        mls_html_note(out, "%.*s", (int)words.len, words.len > 0 ? words.ptr : "");
    } else {
        mls_html_note(out, "%s",
                      of->group->division == MLS_DIVISION_OPEN ? "Not checked: the division is open."
                      : !of->group->rules->reference_points
                          ? "Not checked: the benchmark has no reference points."
                          : "Not checked: the runs are of no division or edition for which it is.");
    }
    if (drawn) {
        append_reference_plot(out, of, &shown);
    }
    mls_html_card_end(out);
    out->failed |= words.failed;
    mls_buffer_release(&words);
}
