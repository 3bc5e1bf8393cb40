/* SPDX-License-Identifier: Apache-2.0 */
/* html_compare.c - the page of a comparison: the sides, their runs in common charts, the causes of the difference, and
 * the settings that differ. */
#include <math.h>

#include "report/html.h"

/* The maximum number of drawn sides, the height of a side and the width of the names in units of the picture, and the
 * maximum number of settings. */
enum { SIDES_DRAWN = 12, SIDE_ROW = 26, SIDE_NAMES = 150, DIFFERING_MOST = 200 };

/* ------------------------------------------------------------------------ numbers */

static void append_sides(mls_buffer *out, const mls_block *block)
{
    const mls_side_group *first = block->groups[0];
    mls_html_card_plain(out, "h3", "Sides", false);
    mls_html_table_begin(out, "sorts", "Sides",
                         "side|#score (min)|#scaled (min)|#valid runs|#accelerators|model|#batch");
    mls_html_heading(out, "n", first->unit != NULL ? first->unit : "samples");
    mls_html_heading(out, "n", mls_compare_label(first, MLS_SHARE_THROUGHPUT).text);
    mls_html_heading(out, "n", "training");
    mls_html_heading(out, "n", "evaluation");
    mls_html_heading(out, "n", "init");
    mls_html_rows(out);
    for (size_t i = 0; i < block->group_count; i++) {
        const mls_side_group *group = block->groups[i];
        const double training = mls_compare_part(group, MLS_PART_TRAINING);
        const double evaluation = mls_compare_part(group, MLS_PART_EVALUATION);
        const double rate = mls_compare_rate(group, training);
        mls_buffer_append_text(out, "<tr>");
        mls_html_cell(out, NULL, "%s%s", group->side->name, i == 0 && block->group_count > 1 ? " (baseline)" : "");
        mls_html_cells(out, "mm", group->score_minutes, group->scaled_minutes);
        mls_html_cell(out, "n", "%zu of %zu", group->valid, group->runs.count);
        mls_html_cells(out, "ctcnrddk>", group->accelerators, group->accelerator, group->global_batch_size,
                       group->to_converge, mls_words_grouped(group->to_converge, mls_compare_epochs(group) ? 3 : 0),
                       rate, training, evaluation, mls_sum_mean(&group->init_ms, group->kept) / 60000);
    }
    mls_html_table_end(out);
    for (size_t i = 0; i < block->group_count; i++) {
        mls_html_note(out, "%s: %s", block->groups[i]->side->name,
                      block->groups[i]->path != NULL ? mls_path_shown(block->groups[i]->path) : "");
    }
    mls_html_card_end(out);
}

/* ------------------------------------------------------------------------ times */

/* ------------------------------------------------------------------------ curves */

/* Append the charts of convergence and pace of all sides that are logs. */
static void append_sides_curves(mls_buffer *out, const mls_block *block, const mls_compare_beside *beside,
                                size_t number)
{
    mls_arena scratch = {0};
    mls_arena kept = {0};
    mls_html_group sides[SIDES_DRAWN];
    size_t count = 0;
    for (size_t i = 0; i < block->group_count && count < SIDES_DRAWN; i++) {
        const mls_side_group *side = block->groups[i];
        const mls_throughput_group *timed = NULL;
        for (size_t m = 0; m < beside->measured_count; m++)
            for (size_t k = 0; k < beside->measured[m].group_count && timed == NULL; k++)
                if (side->logged != NULL && beside->measured[m].groups[k].group == side->logged)
                    timed = &beside->measured[m].groups[k];
        if (timed != NULL && side->logged->run_count > 0) {
            sides[count++] = (mls_html_group){.group = side->logged,
                                              .timed = mls_html_timed(timed, &kept),
                                              .number = number,
                                              .scratch = &scratch,
                                              .side = side->side->name,
                                              .baseline = i == 0};
        }
    }
    for (size_t i = 0; i < count; i++)
        sides[i].sides = count;
    if (count > 0) {
        mls_html_convergence(out, sides);
        mls_html_pace(out, sides);
    }
    mls_arena_release(&kept);
    mls_arena_release(&scratch);
}

/* ------------------------------------------------------------------------ the split */

static void append_share(mls_chart *chart, const char *label, double from, double to, double y, bool total)
{
    const double left = mls_scale_at(&chart->x, fmin(from, to) / 1000);
    const double right = mls_scale_at(&chart->x, fmax(from, to) / 1000);
    mls_svg_text(&chart->marks, total ? "strong" : NULL, 'e', chart->x.from - 14, y + 4.5, label);
    mls_svg_rect(&chart->marks,
                 total       ? "share-total"
                 : to < from ? "share-less"
                             : "share-more",
                 left, y - 7, fmax(right - left, 1), 14);
    mls_svg_text(&chart->marks, "strong", 's', right + 8, y + 4.5, mls_words_signed((to - from) / 1000, 3).text);
}

/* Append the shares of a difference as bars.  Each bar begins where the previous bar ends, to show that the shares add
 * up to the difference. */
static void append_split(mls_buffer *out, const mls_difference *difference)
{
    static const char *const labels[MLS_SHARE_COUNT] = {[MLS_SHARE_STARTUP] = "startup",
                                                        [MLS_SHARE_BETWEEN] = "between",
                                                        [MLS_SHARE_TAIL] = "tail",
                                                        [MLS_SHARE_RUN] = "the whole run"};
    const mls_split *split = &difference->split;
    mls_extent extent = {0};
    double sum = 0;
    size_t rows = 1;
    mls_extent_add(&extent, 0);
    for (mls_share share = 0; share < MLS_SHARE_COUNT; share++) {
        sum += split->has[share] ? (double)split->ms[share] : 0;
        rows += split->has[share];
        mls_extent_add(&extent, sum / 1000);
    }
    const double bottom = 8 + SIDE_ROW * (double)rows;
    mls_chart chart = {.title = "What the difference is made of",
                       .x = mls_scale_of(&extent, 0.0, SIDE_NAMES + 40, MLS_CHART_WIDTH - 90),
                       .y = {0, 1, bottom, 0, false},
                       .across = "seconds"};
    const double zero = mls_scale_at(&chart.x, 0);
    double y = 8 + SIDE_ROW * 0.4;
    mls_svg_line(&chart.marks, "zero", zero, 0, zero, bottom);
    sum = 0;
    for (mls_share share = 0; share < MLS_SHARE_COUNT; share++) {
        if (split->has[share]) {
            const char *direction = mls_share_direction(share, difference->a->unit, split->ms[share] > 0);
            append_share(&chart, direction != NULL ? direction : labels[share], sum, sum + (double)split->ms[share], y,
                         false);
            sum += (double)split->ms[share];
            y += SIDE_ROW;
        }
    }
    append_share(&chart, "together", 0, (double)split->total_ms, y, true);
    mls_buffer_printf(&chart.description, "%s against %s", difference->b->side->name, difference->a->side->name);
    mls_html_note(out, "%s", chart.description.ptr);
    mls_chart_draw(out, &chart);
}

/* ------------------------------------------------------------------------ settings */

static void append_differing(mls_buffer *out, const mls_block *block)
{
    const mls_differings *const lists[] = {&block->printed,         &block->printed_others,  &block->exported,
                                           &block->exported_others, &block->hyperparameters, &block->environment};
    static const char *const kinds[] = {"printed", "printed", "config", "config", "logged", "environment"};
    size_t rows = 0;
    mls_html_card_plain(out, "h3", "Settings that differ", false);
    mls_html_table_begin(out, "sorts", "Settings", "setting");
    for (size_t i = 0; i < block->group_count; i++)
        mls_html_heading(out, NULL, block->groups[i]->side->name);
    mls_html_heading(out, NULL, "from");
    mls_html_rows(out);
    for (size_t l = 0; l < sizeof lists / sizeof *lists; l++) {
        for (size_t i = 0; i < lists[l]->count; i++) {
            const mls_differing *differing = &lists[l]->items[i];
            if (!differing->differs || ++rows > DIFFERING_MOST)
                continue;
            mls_buffer_append_text(out, "<tr>");
            mls_html_cell(out, NULL, "%.*s", (int)differing->key.len, differing->key.ptr);
            for (size_t k = 0; k < differing->value_count; k++) {
                const mls_setting_values *values = &differing->values[k];
                const bool none = values->count == 0 || values->items[0].lacking;
                const mls_str text = none ? MLS_S("none") : values->items[0].setting.text;
                mls_html_cell(out, "wide", values->count > 1 ? "%.*s and %zu more" : "%.*s", (int)text.len, text.ptr,
                              values->count - 1);
            }
            mls_html_cells(out, "t>", kinds[l]);
        }
    }
    mls_html_table_end(out);
    if (rows == 0)
        mls_html_note(out, "No differences found.");
    else if (rows > DIFFERING_MOST)
        mls_html_note(out, "The table shows the first %d of %zu settings.", DIFFERING_MOST, rows);
    mls_html_card_end(out);
}

void mls_html_compare(mls_printer *to, const void *what)
{
    const mls_comparison *comparison = what;
    mls_buffer out = {0};
    mls_html_begin(&out, "Comparison - mlscore", "MLPerf comparison", "mlscore compare");
    for (size_t i = 0; i < comparison->blocks.count; i++) {
        const mls_block *block = &comparison->blocks.items[i];
        bool split = false;
        mls_buffer_append_text(&out, "<article class=\"group\">\n");
        const mls_side_group *first = block->groups[0];
        const char *division = mls_division_name(first->division);
        mls_markup_put(&out, "<div class=\"head\"><div><h2>%s</h2><p class=\"meta\">%s · %s %s · %zu sides</p></div>",
                       first->benchmark != NULL ? first->benchmark : "unknown benchmark",
                       division != NULL ? division : "no division", mls_usage_name(first->usage), first->edition,
                       block->group_count);
        if (block->group_count == 2) {
            const mls_difference *difference = &block->differences[1];
            mls_buffer verdict = {0};
            mls_buffer interval = {0};
            mls_buffer separated = {0};
            mls_compare_append_verdict(&verdict, difference);
            mls_compare_append_interval(&interval, difference);
            mls_html_separated(&separated, mls_buffer_str(&interval));
            mls_markup_put(
                &out,
                "<div class=\"score\"><p><span class=\"badge %s\">%s</span></p><p class=\"big\"><b>%s</b> min</p>",
                difference->verdict == MLS_COMPARE_FASTER   ? "well"
                : difference->verdict == MLS_COMPARE_SLOWER ? "ill"
                                                            : "warn",
                verdict.ptr, isfinite(difference->minutes) ? mls_words_signed(difference->minutes, 3).text : "–");
            mls_html_note(&out, "%.*s", (int)separated.len, separated.len > 0 ? separated.ptr : "");
            mls_buffer_clear(&verdict);
            mls_compare_append_disagreement(&verdict, difference);
            if (verdict.len > 0)
                mls_html_note(&out, "%s", verdict.ptr);
            mls_buffer_append_text(&out, "</div>");
            mls_buffer_release(&verdict);
            mls_buffer_release(&interval);
            mls_buffer_release(&separated);
        }
        mls_buffer_append_text(&out, "</div>\n");
        append_sides(&out, block);
        append_sides_curves(&out, block, to->state, i + 1);
        const size_t count = block->group_count < SIDES_DRAWN ? block->group_count : SIDES_DRAWN;
        mls_extent extent = {0};
        for (size_t j = 0; j < count; j++) {
            for (size_t n = 0; n < block->groups[j]->runs.count; n++)
                mls_extent_add(&extent, block->groups[j]->runs.items[n].minutes);
            mls_extent_add(&extent, block->groups[j]->score_minutes);
        }
        if (extent.count != 0) {
            const double bottom = 10 + SIDE_ROW * (double)count;
            mls_chart chart = {.title = "Minutes of the runs of each side",
                               .x = mls_scale_of(&extent, 0.05, SIDE_NAMES, MLS_CHART_WIDTH - 24),
                               .y = {0, 1, bottom, 0, false},
                               .across = "minutes (vertical line: score)"};
            const mls_scale *x = &chart.x;
            for (size_t j = 0; j < count;
                 j++) { /* draw the baseline in blue, and the other sides in orange and hollow */
                const mls_side_group *group = block->groups[j];
                const double y = 10 + SIDE_ROW * ((double)j + 0.4);
                mls_svg_text(&chart.marks, "strong", 'e', x->from - 14, y + 4.5, group->side->name);
                mls_svg_line(&chart.marks, "grid", x->from, y, x->to, y);
                if (isfinite(group->score_minutes)) {
                    const double score = mls_scale_at(x, group->score_minutes);
                    mls_svg_line(&chart.marks, j == 0 ? "mean-a" : "mean-b", score, y - 11, score, y + 11);
                }
                for (size_t n = 0; n < group->runs.count; n++) {
                    const mls_side_run *run = &group->runs.items[n];
                    const double at = mls_scale_at(x, run->minutes);
                    if (isfinite(run->minutes) && run->valid)
                        mls_svg_circle(&chart.marks, j == 0 ? "kept" : "out", at, y, 4);
                    else if (isfinite(run->minutes))
                        mls_svg_cross(&chart.marks, "miss", at, y, 4);
                }
            }
            mls_html_card_begin(&out, "Times");
            mls_html_key(&out, MLS_MARK_DOT, "kept", "baseline run");
            mls_html_key(&out, MLS_MARK_DOT, "out", "run of another side");
            mls_html_key(&out, MLS_MARK_CROSS, "miss", "not valid");
            mls_html_card_body(&out);
            mls_chart_draw(&out, &chart);
            if (count < block->group_count)
                mls_html_note(&out, "The chart shows the first %zu of %zu sides.", count, block->group_count);
            mls_html_card_end(&out);
        }
        for (size_t k = 1; k < block->group_count && k < SIDES_DRAWN; k++) {
            if (block->differences[k].split.known && !split) {
                mls_html_card_begin(&out, "What the difference is made of");
                mls_html_key(&out, MLS_MARK_BAR, "share-more-key", "takes longer");
                mls_html_key(&out, MLS_MARK_BAR, "share-less-key", "takes less");
                mls_html_card_body(&out);
                split = true;
            }
            if (block->differences[k].split.known)
                append_split(&out, &block->differences[k]);
        }
        if (split)
            mls_html_card_end(&out);
        append_differing(&out, block);
        mls_buffer_append_text(&out, "</article>\n");
        mls_output_buffer(to->view->output, &out);
    }
    for (size_t i = 0; i < comparison->unmatched.count; i++) {
        const mls_unmatched *unmatched = &comparison->unmatched.items[i];
        mls_html_note(&out, "%s: %s", unmatched->group->path != NULL ? unmatched->group->path : "a group",
                      unmatched->reason);
    }
    mls_html_end(&out);
    mls_output_buffer(to->view->output, &out);
}
