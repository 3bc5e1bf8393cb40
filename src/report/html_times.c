/* SPDX-License-Identifier: Apache-2.0 */
/* html_times.c - the runs on a line of minutes, what counts of them, and their mean. */
#include <math.h>

#include "base/statistics.h"
#include "report/html.h"

/* Dots that would touch stand above each other; no more than so many. */
enum { APART = 11, LEVELS = 12, MARGIN = 30 };

typedef struct timed_dot {
    mls_placed at; /* minutes, and the run */
    unsigned level;
} timed_dot;

/* The dots in the order of their minutes, each on the lowest level that has room; returns how many levels they take. */
static unsigned stack_dots(timed_dot *dots, size_t count, const mls_scale *x)
{
    double last[LEVELS];
    unsigned levels = 1;
    for (size_t i = 0; i < LEVELS; i++) {
        last[i] = -APART;
    }
    for (size_t i = 0; i < count; i++) {
        const double at = mls_scale_at(x, dots[i].at.value);
        unsigned level = 0;
        while (level < LEVELS - 1 && at - last[level] < APART) {
            level++;
        }
        dots[i].level = level;
        last[level] = at;
        levels = level >= levels ? level + 1 : levels;
    }
    return levels;
}

/* The mean of what counts; NAN: none, as of models that were trained side by side. */
static double counted_mean(const mls_group *group)
{
    return mls_is_weak(&group->weak) ? (double)NAN : group->score.score_minutes;
}

static void append_mean_mark(mls_buffer *out, const mls_group *group, const mls_scale *x, double top, double bottom)
{
    const double minutes = counted_mean(group);
    const double at = mls_scale_at(x, minutes);
    mls_buffer label = {0};
    if (!isfinite(minutes)) {
        return;
    }
    mls_buffer_printf(&label, "%s %s", group->score.outcome == MLS_OLYMPIC_TOO_FEW_RUNS ? "mean" : "olympic mean",
                      mls_words_grouped(minutes, 3).text);
    mls_svg_line(out, "mean", at, top, at, bottom);
    const bool left = at > (x->from + x->to) / 2;
    mls_svg_text(out, "strong", left ? 'e' : 's', at + (left ? -6 : 6), top + 14, mls_buffer_str(&label));
    out->failed |= label.failed;
    mls_buffer_release(&label);
}

/* From the fastest to the slowest run that counts. */
static void append_counted_band(mls_buffer *out, const mls_group *group, const mls_scale *x, double top, double bottom)
{
    mls_extent counted = {0};
    for (size_t i = 0; i < group->run_count; i++) {
        if (mls_html_run_is(group, i) == MLS_IS_KEPT) {
            mls_extent_add(&counted, mls_run_minutes(group->runs[i]));
        }
    }
    if (counted.count > 1) {
        const double left = mls_scale_at(x, counted.low);
        mls_svg_rect(out, "band", left, top, mls_scale_at(x, counted.high) - left, bottom - top);
    }
}

static void describe_times(mls_buffer *words, const mls_group *group, const mls_extent *extent)
{
    mls_buffer_printf(words, "%s from %s to %s minutes", mls_words_plural(extent->count, "run", "runs").text,
                      mls_words_grouped(extent->low, 3).text, mls_words_grouped(extent->high, 3).text);
    const double mean = counted_mean(group);
    if (isfinite(mean)) {
        mls_buffer_printf(words, "; mean of what counts %s", mls_words_grouped(mean, 3).text);
    }
}

void mls_html_times(mls_buffer *out, const mls_html_group *of)
{
    const mls_group *group = of->group;
    timed_dot *dots = mls_arena_array(of->scratch, group->run_count, sizeof *dots);
    mls_extent extent = {0};
    size_t count = 0;
    for (size_t i = 0; i < group->run_count && dots != NULL; i++) {
        const double minutes = mls_run_minutes(group->runs[i]);
        mls_extent_add(&extent, minutes);
        if (isfinite(minutes)) {
            dots[count++] = (timed_dot){{minutes, i}, 0};
        }
    }
    out->failed |= dots == NULL;
    if (count == 0) {
        return;
    }
    mls_plot plot = {.x = mls_scale_of(&extent, 0.05, MARGIN, MLS_PLOT_WIDTH - MARGIN), .across = "minutes"};
    mls_buffer words = {0};
    mls_sort_placed(dots, count, sizeof *dots);
    const double top = 24;
    const double bottom = top + 22 + APART * (double)stack_dots(dots, count, &plot.x);
    plot.y = (mls_scale){0, 1, bottom, top, false};
    describe_times(&words, group, &extent);
    mls_html_card_begin(out, mls_is_weak(&group->weak)                          ? "Times of the models"
                             : !isfinite(group->score.score_minutes)            ? "Times"
                             : group->score.outcome == MLS_OLYMPIC_TOO_FEW_RUNS ? "Times and their mean"
                                                                                : "Times and the olympic mean");
    if (!of->brief) {
        mls_html_run_keys(out, group, MLS_MARK_DOT);
    }
    mls_html_card_body(out);
    mls_html_plot_begin(out, bottom + 46, "Minutes of each run", mls_buffer_str(&words));
    append_counted_band(out, group, &plot.x, top, bottom);
    append_mean_mark(out, group, &plot.x, top, bottom);
    mls_plot_axis_across(out, &plot);
    for (size_t i = 0; i < count; i++) {
        const size_t run = dots[i].at.place;
        mls_html_run_begin(out, run);
        mls_html_run_dot(out, mls_html_run_is(group, run), mls_scale_at(&plot.x, dots[i].at.value),
                         bottom - 10 - APART * (double)dots[i].level);
        mls_html_run_end(out);
    }
    mls_html_plot_end(out);
    mls_html_card_end(out);
    out->failed |= words.failed;
    mls_buffer_release(&words);
}
