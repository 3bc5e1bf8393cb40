/* SPDX-License-Identifier: Apache-2.0 */
/* html_pace.c - how fast each run trained over its time: a step a segment, and where it was slow. */
#include <math.h>

#include "base/statistics.h"
#include "report/html.h"

/* So many steps in the picture, of all runs; rates beyond the first and the last hundredth do not stretch it. */
enum { STEPS_MOST = 1800, ROWS_OF_PACE = 200 };
#define RATE_SHARE 0.01
#define RATES_ALIKE 0.03
#define TRAINED_MIN 0.1

/* Samples a second; epochs a minute, where positions are epochs. */
static double rate_of(const mls_throughput *run, const mls_pace_segment *segment)
{
    return segment->delta / segment->training_ms * (mls_throughput_counts_epochs(run) ? 60000 : 1000);
}

/* Whether anything was trained in a segment: two evaluations may be milliseconds apart, which is not a rate. */
static bool is_trained(const mls_throughput *run, const mls_pace_segment *segment)
{
    return segment->training_ms >= TRAINED_MIN * run->steady_ms_per_sample * segment->delta;
}

/* The median of the steady rates of so many runs, in the same unit; NAN: of none. */
static double steady_rate(mls_buffer *out, const mls_html_group *of, size_t *count)
{
    return (mls_html_epochs(of) ? 60000 : 1000) / mls_html_steady_ms(out, of, count);
}

/* Adds the rates of a group, without the first and the last hundredth of them. */
static void add_rates(mls_buffer *out, const mls_html_group *of, mls_extent *extent)
{
    size_t count = 0;
    for (size_t i = 0; i < of->group->run_count; i++) {
        count += of->timed->runs[i].segment_count;
    }
    double *rates = mls_arena_array(of->scratch, count + 1, sizeof *rates);
    out->failed |= rates == NULL;
    count = 0;
    for (size_t i = 0; i < of->group->run_count && rates != NULL; i++) {
        const mls_throughput *run = &of->timed->runs[i];
        for (size_t k = 0; k < run->segment_count; k++) {
            const double rate = rate_of(run, &run->segments[k]);
            if (isfinite(rate) && is_trained(run, &run->segments[k])) {
                rates[count++] = rate;
            }
        }
    }
    if (count > 0) {
        mls_sort_doubles(rates, count);
        const size_t beyond = (size_t)(RATE_SHARE * (double)count);
        mls_extent_add(extent, rates[beyond]);
        mls_extent_add(extent, rates[count - 1 - beyond]);
        /* Runs that are alike look so. */
        size_t runs;
        const double steady = steady_rate(out, of, &runs);
        mls_extent_add(extent, steady * (1 - RATES_ALIKE));
        mls_extent_add(extent, steady * (1 + RATES_ALIKE));
    }
}

static void add_minutes(const mls_html_group *of, mls_extent *extent)
{
    mls_extent_add(extent, 0);
    for (size_t i = 0; i < of->group->run_count; i++) {
        const mls_throughput *run = &of->timed->runs[i];
        mls_extent_add(extent, run->segment_count > 0 ? run->run_ms / 60000 : (double)NAN);
    }
}

/* The steps of a run: its segments, or of many the slowest and the fastest of each slice. */
static void append_steps(mls_buffer *out, const mls_html_group *of, const mls_plot *plot, size_t at)
{
    const mls_throughput *run = &of->timed->runs[at];
    const size_t share = mls_html_share(of, STEPS_MOST, 4);
    const size_t count = run->segment_count;
    double *rates = mls_arena_array(of->scratch, count + 1, sizeof *rates);
    bool *keep = mls_arena_array(of->scratch, count + 1, sizeof *keep);
    double *x = mls_arena_array(of->scratch, 2 * count + 1, sizeof *x);
    double *y = mls_arena_array(of->scratch, 2 * count + 1, sizeof *y);
    size_t points = 0;
    if (rates == NULL || keep == NULL || x == NULL || y == NULL) {
        out->failed = true;
        return;
    }
    for (size_t i = 0; i < count; i++) {
        rates[i] = rate_of(run, &run->segments[i]);
    }
    (void)mls_plot_thin(rates, count, share, keep);
    for (size_t i = 0; i < count; i++) {
        if (keep[i] && is_trained(run, &run->segments[i])) {
            x[points] = points > 0 ? x[points - 1] : run->segments[i].from_ms / 60000;
            y[points++] = rates[i];
            x[points] = run->segments[i].to_ms / 60000;
            y[points++] = rates[i];
        }
    }
    mls_plot_line(out, plot, mls_html_looks[mls_html_drawn_as(of, at)], x, y, points);
}

static void append_slow_phases(mls_buffer *out, const mls_throughput *run, const mls_plot *plot)
{
    for (size_t i = 0; i < run->slow_phase_count; i++) {
        const double from = mls_scale_at(&plot->x, run->slow_phases[i].from_ms / 60000);
        const double to = mls_scale_at(&plot->x, run->slow_phases[i].to_ms / 60000);
        mls_svg_rect(out, "slow", from, plot->y.to, fmax(to - from, 2), plot->y.from - plot->y.to);
    }
}

/* The medians as lines, and in words at the end of the first line of the picture. */
static void append_medians(mls_buffer *out, const mls_html_group *sides, size_t count, const mls_plot *plot)
{
    mls_buffer label = {0};
    for (size_t i = 0; i < count; i++) {
        size_t runs;
        const double rate = steady_rate(out, &sides[i], &runs);
        if (runs > 1 && isfinite(rate)) {
            const double at = mls_scale_at(&plot->y, rate);
            mls_buffer_printf(&label, "%s%s %s", label.len > 0 ? " · " : "steady median of ",
                              sides[i].side != NULL ? sides[i].side : "the runs", mls_words_rate(rate).text);
            mls_svg_line(out, "dotted", plot->x.from, at, plot->x.to, at);
        }
    }
    if (label.len > 0) {
        mls_svg_text(out, "strong", 'e', plot->x.to, plot->y.to - 10, mls_buffer_str(&label));
    }
    out->failed |= label.failed;
    mls_buffer_release(&label);
}

/* The segments of a run that have a row.  True: not all have. */
static bool append_pace_rows_of(mls_buffer *out, const mls_html_group *of, size_t at, size_t most)
{
    const mls_throughput *run = &of->timed->runs[at];
    double *rates = mls_arena_array(of->scratch, run->segment_count + 1, sizeof *rates);
    bool *keep = mls_arena_array(of->scratch, run->segment_count + 1, sizeof *keep);
    if (rates == NULL || keep == NULL) {
        out->failed = true;
        return false;
    }
    for (size_t k = 0; k < run->segment_count; k++) {
        rates[k] = rate_of(run, &run->segments[k]);
    }
    const bool thinned = mls_plot_thin(rates, run->segment_count, most, keep);
    for (size_t k = 0; k < run->segment_count; k++) {
        const mls_pace_segment *segment = &run->segments[k];
        if (keep[k] && is_trained(run, segment)) {
            mls_html_run_row(out, of, at);
            mls_html_number(out, segment->from_ms / 60000, mls_words_grouped(segment->from_ms / 60000, 3));
            mls_html_number(out, segment->to_ms / 60000, mls_words_grouped(segment->to_ms / 60000, 3));
            mls_html_count(out, segment->delta);
            mls_html_number(out, rates[k], mls_words_rate(rates[k]));
            mls_buffer_append_text(out, "</tr>\n");
        }
    }
    return thinned;
}

static void append_pace_rows(mls_buffer *out, const mls_html_group *sides, size_t count)
{
    const size_t most = mls_html_share(sides, ROWS_OF_PACE, 2);
    bool thinned = false;
    mls_html_numbers_begin(out, "Throughput of each segment");
    mls_html_run_headings(out, sides);
    mls_html_heading(out, "n", "from (min)");
    mls_html_heading(out, "n", "to (min)");
    mls_html_heading(out, "n", mls_html_unit(sides));
    mls_html_heading(out, "n", mls_html_epochs(sides) ? "epochs/min" : "samples/s");
    mls_html_rows(out);
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < sides[i].group->run_count; k++) {
            thinned |= append_pace_rows_of(out, &sides[i], k, most);
        }
    }
    mls_html_numbers_end(out);
    if (thinned) {
        mls_html_note(out, "Of many segments the table has the slowest and the fastest of each slice of a run.");
    }
}

/* Where the positions come from. */
static const char *source_words(const mls_html_group *sides, size_t count)
{
    static const char *const words[] = {[MLS_MARKS_FROM_NOTHING] = "Progress as tracked_stats tell it",
                                        [MLS_MARKS_FROM_EVALUATIONS] = "Progress between evaluations",
                                        [MLS_MARKS_FROM_BLOCKS] = "Progress between blocks",
                                        [MLS_MARKS_FROM_RUN_STOP] = "Progress of the whole run",
                                        [MLS_MARKS_FROM_LATE_EVALUATIONS] =
                                            "Progress of the whole run, as all evaluations came at its end"};
    for (const mls_html_group *of = sides; of < sides + count; of++) {
        for (size_t i = 0; i < of->group->run_count; i++) {
            if (of->timed->runs[i].segment_count > 0) {
                return words[of->timed->runs[i].marks_from];
            }
        }
    }
    return words[MLS_MARKS_FROM_NOTHING];
}

static void describe_pace(mls_buffer *words, const mls_html_group *sides, size_t count, const mls_extent *rates)
{
    mls_buffer_printf(words, "%s from %s to %s", mls_html_epochs(sides) ? "Epochs per minute" : "Samples per second",
                      mls_words_rate(rates->low).text, mls_words_rate(rates->high).text);
    for (size_t i = 0; i < count; i++) {
        size_t runs;
        const double rate = steady_rate(words, &sides[i], &runs);
        if (runs > 1 && isfinite(rate)) {
            mls_buffer_printf(words, "; the steady median of %s is %s",
                              sides[i].side != NULL ? sides[i].side : "the runs", mls_words_rate(rate).text);
        }
    }
}

static void append_pace_plot(mls_buffer *out, const mls_html_group *sides, size_t count, const mls_plot *plot)
{
    mls_plot_axis_up(out, plot);
    mls_plot_axis_across(out, plot);
    append_medians(out, sides, count, plot);
    for (size_t i = 0; i < count; i++) {
        const mls_html_group *of = &sides[i];
        for (size_t k = 0; k < of->group->run_count; k++) {
            if (of->timed->runs[k].segment_count > 0) {
                mls_html_run_begin(out, k);
                if (of->side == NULL) {
                    append_slow_phases(out, &of->timed->runs[k], plot);
                }
                append_steps(out, of, plot, k);
                mls_html_run_end(out);
            }
        }
    }
}

static bool has_slow_phases(const mls_html_group *of)
{
    bool slow = false;
    for (size_t i = 0; i < of->group->run_count; i++) {
        slow |= of->timed->runs[i].slow_phase_count > 0;
    }
    return slow;
}

static bool has_undelimited(const mls_html_group *sides, size_t count)
{
    bool found = false;
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < sides[i].group->run_count; k++) {
            found |= mls_throughput_evaluations_are_training(&sides[i].timed->runs[k]);
        }
    }
    return found;
}

void mls_html_pace_of(mls_buffer *out, const mls_html_group *sides, size_t count)
{
    mls_extent rates = {0};
    mls_extent minutes = {0};
    mls_buffer words = {0};
    for (size_t i = 0; i < count; i++) {
        if (mls_html_epochs(&sides[i]) != mls_html_epochs(sides)) {
            return; /* no axis for both */
        }
        add_rates(out, &sides[i], &rates);
        add_minutes(&sides[i], &minutes);
    }
    if (rates.count == 0) {
        return;
    }
    const mls_plot plot = {.x = mls_scale_of(&minutes, 0, 64, MLS_PLOT_WIDTH - 16),
                           .y = mls_scale_of(&rates, 0.1, 220, 26),
                           .across = "minutes since run_start",
                           .up = mls_html_epochs(sides) ? "epochs / min" : "samples / s"};
    mls_html_card_begin(out, "Throughput while training");
    mls_html_line_keys(out, sides, count);
    if (sides->side == NULL && has_slow_phases(sides)) {
        mls_html_key(out, MLS_MARK_BAR, "slow-key", "slow phase of a run");
    }
    mls_html_card_body(out);
    mls_html_note(out, "%s, over the time spent training.%s", source_words(sides, count),
                  has_undelimited(sides, count) ? " Evaluations are not delimited: they count as training." : "");
    describe_pace(&words, sides, count, &rates);
    mls_html_plot_begin(out, 266, "Throughput of each run over time", mls_buffer_str(&words));
    append_pace_plot(out, sides, count, &plot);
    mls_html_plot_end(out);
    append_pace_rows(out, sides, count);
    mls_html_card_end(out);
    out->failed |= words.failed;
    mls_buffer_release(&words);
}

void mls_html_pace(mls_buffer *out, const mls_html_group *of)
{
    mls_html_pace_of(out, of, 1);
}
