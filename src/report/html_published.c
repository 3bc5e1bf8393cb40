/* SPDX-License-Identifier: Apache-2.0 */
/* html_published.c - the published results of a group's benchmark: minutes over accelerators, with this one in it. */
#include <math.h>

#include "report/html.h"

enum { RESULT_ROWS_MOST = 150 };

/* The results that are drawn. */
typedef struct published_view {
    const mls_published *all;
    const mls_overview_group *of;
    unsigned edition;
    mls_division division;
    size_t count;
} published_view;

static bool is_in_plot(const published_view *view, const mls_published_result *result)
{
    const mls_published_system *system = result->system;
    const mls_division division = system->division == MLS_DIVISION_NONE ? MLS_DIVISION_CLOSED : system->division;
    return result->edition == view->edition && division == view->division && isfinite(result->minutes) &&
           result->minutes > 0 && system->accelerators > 0 && strcmp(result->benchmark, view->of->side->benchmark) == 0;
}

/* Those of the edition that the group's place is told in. */
static bool find_results(const mls_html_group *of, published_view *view)
{
    const mls_published_near *nearest = mls_overview_nearest(of->of);
    *view = (published_view){.of = of->of};
    if (nearest == NULL || mls_is_weak(&of->group->weak) || of->all->published == NULL ||
        of->of->side->benchmark == NULL) {
        return false;
    }
    view->all = &of->all->published[of->group->usage];
    view->edition = nearest->result->edition;
    view->division = of->group->division == MLS_DIVISION_NONE ? MLS_DIVISION_CLOSED : of->group->division;
    for (size_t i = 0; i < view->all->count; i++) {
        view->count += is_in_plot(view, &view->all->results[i]);
    }
    return view->count > 1;
}

static bool is_alike(const published_view *view, const mls_published_result *result)
{
    return view->of->side->accelerator != NULL && strcmp(result->system->model.text, view->of->side->accelerator) == 0;
}

static void append_results(mls_buffer *out, const published_view *view, const mls_plot *plot)
{
    for (int alike = 0; alike < 2; alike++) {
        for (size_t i = 0; i < view->all->count; i++) {
            const mls_published_result *result = &view->all->results[i];
            if (is_in_plot(view, result) && is_alike(view, result) == (alike == 1)) {
                mls_svg_circle(out, alike ? "alike" : "point", mls_scale_at(&plot->x, result->system->accelerators),
                               mls_scale_at(&plot->y, result->minutes), 4);
            }
        }
    }
}

static void append_this(mls_buffer *out, const published_view *view, const mls_plot *plot)
{
    const mls_side_group *side = view->of->side;
    mls_buffer words = {0};
    if (side->accelerators > 0 && side->scaled_minutes > 0) {
        const double x = mls_scale_at(&plot->x, side->accelerators);
        const double y = mls_scale_at(&plot->y, side->scaled_minutes);
        const bool left = x > plot->x.to - 160;
        mls_buffer_printf(&words, "this one %s", mls_words_grouped(side->scaled_minutes, 3).text);
        mls_svg_diamond(out, "here", x, y, 8);
        mls_svg_text(out, "strong", left ? 'e' : 's', x + (left ? -13 : 13), y - 8, mls_buffer_str(&words));
    }
    out->failed |= words.failed;
    mls_buffer_release(&words);
}

static void append_result_rows(mls_buffer *out, const published_view *view)
{
    size_t rows = 0;
    mls_html_numbers_begin(out, "Published results");
    mls_html_heading(out, "n", "rank");
    mls_html_heading(out, "n", "minutes");
    mls_html_heading(out, "n", "accelerators");
    mls_html_heading(out, NULL, "model");
    mls_html_heading(out, NULL, "submitter");
    mls_html_heading(out, NULL, "system");
    mls_html_rows(out);
    for (size_t i = 0; i < view->all->count && rows < RESULT_ROWS_MOST; i++) {
        const mls_published_result *result = &view->all->results[i];
        const mls_published_system *system = result->system;
        if (is_in_plot(view, result)) {
            mls_buffer_append_text(out, "<tr>");
            mls_html_count(out, (double)result->rank);
            mls_html_number(out, result->minutes, mls_words_grouped(result->minutes, 3));
            mls_html_count(out, system->accelerators);
            mls_html_cell(out, NULL, "%s", system->model.text[0] != '\0' ? system->model.text : system->accelerator);
            mls_html_cell(out, NULL, "%s", system->submitter);
            mls_html_cell(out, NULL, "%s", system->system_id);
            mls_buffer_append_text(out, "</tr>\n");
            rows++;
        }
    }
    mls_html_numbers_end(out);
    if (rows < view->count) {
        mls_html_note(out, "The table has the first %zu of %zu results.", rows, view->count);
    }
}

void mls_html_published(mls_buffer *out, const mls_html_group *of)
{
    published_view view;
    mls_extent accelerators = {0};
    mls_extent minutes = {0};
    mls_buffer words = {0};
    if (!find_results(of, &view)) {
        return;
    }
    for (size_t i = 0; i < view.all->count; i++) {
        const mls_published_result *result = &view.all->results[i];
        if (is_in_plot(&view, result)) {
            mls_extent_add(&accelerators, result->system->accelerators);
            mls_extent_add(&minutes, result->minutes);
        }
    }
    if (of->of->side->accelerators > 0 && of->of->side->scaled_minutes > 0) {
        mls_extent_add(&accelerators, of->of->side->accelerators);
        mls_extent_add(&minutes, of->of->side->scaled_minutes);
    }
    const mls_plot plot = {.x = mls_scale_log(&accelerators, 1.3, 64, MLS_PLOT_WIDTH - 16),
                           .y = mls_scale_log(&minutes, 1.2, 260, 26),
                           .across = "accelerators (log scale)",
                           .up = "minutes (log scale)"};
    mls_html_card_begin(out, "Among the published results");
    if (of->of->side->accelerators > 0 && of->of->side->scaled_minutes > 0) {
        mls_html_key(out, MLS_MARK_DIAMOND, "here", "this one");
    }
    if (of->of->side->accelerator != NULL) {
        mls_html_key(out, MLS_MARK_DOT, "alike", of->of->side->accelerator);
    }
    mls_html_key(out, MLS_MARK_DOT, "point", "other accelerators");
    mls_html_card_body(out);
    mls_html_note(out, "%s %s, %zu results of %s.", mls_usage_name(of->group->usage),
                  mls_overview_nearest(of->of)->result->round, view.count, of->of->side->benchmark);
    mls_overview_append_place(&words, of->of);
    mls_html_plot_begin(out, 306, "Published minutes over accelerators", mls_buffer_str(&words));
    mls_plot_axis_up(out, &plot);
    mls_plot_log_across(out, &plot);
    append_results(out, &view, &plot);
    append_this(out, &view, &plot);
    mls_html_plot_end(out);
    append_result_rows(out, &view);
    mls_html_card_end(out);
    out->failed |= words.failed;
    mls_buffer_release(&words);
}
