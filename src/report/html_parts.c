/* SPDX-License-Identifier: Apache-2.0 */
/* html_parts.c - where the time of each run went: a bar from run_start on, before it what was not timed. */
#include <math.h>

#include "report/html.h"

/* More bars than BARS_MOST nobody looks at; so many make a picture, below which a sheet of paper may end. */
enum { BARS_MOST = 100, BARS_TOGETHER = 10, BAR_HEIGHT = 24, BELOW = 46, LEFT = 44, RIGHT = 70 };

/* Initialization is cut at this share of the longest run, so that it does not squeeze the rest. */
#define INIT_SHARE 0.22

/* Stretches that lie closer together than this, in units of the picture, are drawn as one, those of long lists farther.
 */
#define JOINED 0.4
#define JOINED_OF_MANY 4
enum { MANY_STRETCHES = 400 };

/* The kinds of lines in a bar, the thickest last. */
typedef enum bar_kind { BAR_NEITHER, BAR_TRAINING, BAR_EVALUATION, BAR_OVERLAPPED, BAR_KINDS } bar_kind;

static bool is_of_kind(const mls_stretch *stretch, bar_kind kind)
{
    return kind == BAR_TRAINING     ? stretch->part == MLS_PART_TRAINING
           : kind == BAR_EVALUATION ? stretch->part == MLS_PART_EVALUATION
           : kind == BAR_OVERLAPPED ? stretch->overlapped
                                    : stretch->part > MLS_PART_EVALUATION;
}

static bool has_kind(const mls_throughput *run, bar_kind kind)
{
    bool has = false;
    for (size_t i = 0; i < run->stretch_count && !has; i++) {
        has = is_of_kind(&run->stretches[i], kind);
    }
    return has;
}

static void append_stretches(mls_buffer *out, const mls_throughput *run, const mls_scale *x, double y, bar_kind kind)
{
    static const char *const looks[BAR_KINDS] = {"neither", "training", "evaluation", "over"};
    const double near = run->stretch_count > MANY_STRETCHES ? JOINED_OF_MANY : JOINED;
    double begun = NAN;
    double ended = NAN;
    mls_svg_path_begin(out, looks[kind]);
    for (size_t i = 0; i <= run->stretch_count; i++) {
        const mls_stretch *stretch = i < run->stretch_count ? &run->stretches[i] : NULL;
        if (stretch != NULL && !is_of_kind(stretch, kind)) {
            continue;
        }
        const double from = stretch != NULL ? mls_scale_at(x, stretch->from_ms / 60000) : (double)INFINITY;
        if (!isnan(begun) && from - ended > near) {
            mls_svg_path_point(out, begun, y, true);
            mls_svg_path_point(out, fmax(ended, begun + 0.5), y, false);
            begun = NAN;
        }
        if (stretch != NULL) {
            begun = isnan(begun) ? from : begun;
            ended = mls_scale_at(x, stretch->to_ms / 60000);
        }
    }
    mls_svg_path_end(out);
}

/* What was not timed, to the left of run_start: with a mark where it is longer than there is room. */
static void append_init_bar(mls_buffer *out, const mls_run *run, const mls_scale *x, double y)
{
    const double minutes = (run->run_start.time_ms - run->init_start.time_ms) / 60000;
    const double zero = mls_scale_at(x, 0);
    if (minutes > 0) {
        const double from = mls_scale_at(x, -minutes);
        mls_svg_line(out, "init", from, y, zero, y);
        if (-minutes < x->low) {
            mls_svg_line(out, "cut", from + 8, y + 7, from + 14, y - 7);
        }
    }
}

static void append_bar(mls_buffer *out, const mls_html_group *of, size_t at, const mls_plot *plot, double y)
{
    const mls_throughput *run = &of->timed->runs[at];
    const mls_html_is is = mls_html_run_is(of->group, at);
    mls_buffer label = {0};
    mls_buffer_printf(&label, "%zu", at + 1);
    mls_html_run_begin(out, at);
    mls_svg_text(out, is == MLS_IS_BAD ? "red" : NULL, 'e', LEFT - 10, y + 4.5, mls_buffer_str(&label));
    append_init_bar(out, run->run, &plot->x, y);
    for (bar_kind kind = 0; kind < BAR_KINDS && run->has_parts; kind++) {
        if (has_kind(run, kind)) {
            append_stretches(out, run, &plot->x, kind == BAR_OVERLAPPED ? y + 9 : y, kind);
        }
    }
    if (isfinite(run->run_ms)) {
        const double end = mls_scale_at(&plot->x, run->run_ms / 60000);
        mls_svg_text(out, "strong", 's', end + 8, y + 4.5,
                     mls_str_from(mls_words_grouped(run->run_ms / 60000, 3).text));
    }
    mls_html_run_end(out);
    out->failed |= label.failed;
    mls_buffer_release(&label);
}

/* Minutes, from the cut end of initialization to the end of the longest run. */
static bool find_scale(const mls_html_group *of, mls_scale *x)
{
    double longest = 0;
    double init = 0;
    for (size_t i = 0; i < of->group->run_count; i++) {
        const mls_throughput *run = &of->timed->runs[i];
        longest = run->has_parts && run->run_ms > longest ? run->run_ms : longest;
        init = fmax(init, run->run->run_start.time_ms - run->run->init_start.time_ms);
    }
    init = isfinite(init) ? fmin(init, INIT_SHARE * longest) : 0;
    *x = (mls_scale){-init / 60000, longest / 60000, LEFT, MLS_PLOT_WIDTH - RIGHT, false};
    return longest > 0;
}

static void append_part_rows(mls_buffer *out, const mls_html_group *of, size_t count)
{
    static const char *const names[MLS_PART_COUNT] = {"training", "evaluation", "startup", "between", "tail"};
    mls_html_numbers_begin(out, "Parts of each run");
    mls_html_heading(out, "n", "run");
    mls_html_heading(out, "n", "init");
    for (int part = 0; part < MLS_PART_COUNT; part++) {
        mls_html_heading(out, "n", names[part]);
    }
    mls_html_heading(out, "n", "minutes");
    mls_html_rows(out);
    for (size_t i = 0; i < count; i++) {
        const mls_throughput *run = &of->timed->runs[i];
        const double init = mls_run_init_minutes(run->run);
        mls_buffer_append_text(out, "<tr>");
        mls_html_count(out, (double)(i + 1));
        mls_html_number(out, init, mls_words_clock(init));
        for (int part = 0; part < MLS_PART_COUNT; part++) {
            const bool known = run->has_parts &&
                               (part != MLS_PART_EVALUATION || run->evaluations_from != MLS_EVALUATIONS_FROM_NOTHING);
            const double ms = known ? run->parts.ms[part] : (double)NAN;
            mls_html_number(out, ms, mls_words_duration(ms));
        }
        mls_html_number(out, run->run_ms / 60000, mls_words_grouped(run->run_ms / 60000, 3));
        mls_buffer_append_text(out, "</tr>\n");
    }
    mls_html_numbers_end(out);
}

static void append_part_keys(mls_buffer *out, const mls_html_group *of)
{
    static const struct {
        const char *look, *label;
    } keys[BAR_KINDS] = {{"neither", "startup, between, tail"},
                         {"training", "training"},
                         {"evaluation", "evaluation"},
                         {"over", "evaluation beside training"}};
    static const bar_kind order[BAR_KINDS] = {BAR_TRAINING, BAR_EVALUATION, BAR_NEITHER, BAR_OVERLAPPED};
    mls_html_key(out, MLS_MARK_BAR, "init", "initialization");
    for (size_t i = 0; i < BAR_KINDS; i++) {
        bool has = false;
        for (size_t k = 0; k < of->group->run_count; k++) {
            has |= has_kind(&of->timed->runs[k], order[i]);
        }
        if (has) {
            mls_html_key(out, MLS_MARK_BAR, keys[order[i]].look, keys[order[i]].label);
        }
    }
}

/* The bars from one to before another, of `count`: the first ones below a margin, the last ones above the axis. */
static void append_bars(mls_buffer *out, const mls_html_group *of, const mls_scale *x, size_t from, size_t count)
{
    static const char title[] = "Where the time of each run went";
    const size_t to = count - from > BARS_TOGETHER ? from + BARS_TOGETHER : count;
    const double top = from == 0 ? 8 : 0;
    const double bottom = top + BAR_HEIGHT * (double)(to - from);
    const double height = bottom + (to == count ? BELOW : 0);
    const mls_plot plot = {.x = *x,
                           .y = {0, 1, bottom, 4, false},
                           .across = "minutes since run_start (before 0: initialization, not timed)"};
    mls_buffer words = {0};
    if (from == 0) {
        mls_overview_append_inside(&words, of->of);
        mls_html_plot_begin(out, height, title, mls_buffer_str(&words));
    } else {
        mls_buffer_printf(&words, "From run %zu on.", from + 1);
        mls_svg_begin(out, MLS_PLOT_WIDTH, height, title, mls_buffer_str(&words));
    }
    if (to == count) {
        mls_plot_axis_across(out, &plot);
    }
    for (size_t i = from; i < to; i++) {
        append_bar(out, of, i, &plot, top + BAR_HEIGHT * ((double)(i - from) + 0.5));
    }
    const double zero = mls_scale_at(x, 0);
    mls_svg_line(out, "zero", zero, top / 2, zero, bottom);
    if (to == count) {
        mls_html_plot_end(out);
    } else {
        mls_svg_end(out);
    }
    out->failed |= words.failed;
    mls_buffer_release(&words);
}

void mls_html_parts(mls_buffer *out, const mls_html_group *of)
{
    const size_t count = of->group->run_count < BARS_MOST ? of->group->run_count : BARS_MOST;
    mls_scale x;
    if (!find_scale(of, &x)) {
        return;
    }
    mls_html_card_begin(out, "Where the time went");
    append_part_keys(out, of);
    mls_html_card_body(out);
    for (size_t from = 0; from < count; from += BARS_TOGETHER) {
        append_bars(out, of, &x, from, count);
    }
    if (count < of->group->run_count) {
        mls_html_note(out, "The first %zu of %zu runs.", count, of->group->run_count);
    }
    append_part_rows(out, of, count);
    mls_html_card_end(out);
}
