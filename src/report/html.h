/* SPDX-License-Identifier: Apache-2.0 */
/* html.h - pages: what their sections are made of, and a group as its sections see it.
 *
 * A page is a frame around sections; each section appends a card, with a chart (chart.h), a table or a list, to a
 * buffer: html_group.c and html_charts.c those of a group of runs, html_compare.c and html_verify.c pages of their own.
 * Text goes through mls_markup_text(), numbers through the functions here and those of chart.h; everything else in a
 * tag is a literal. */
#pragma once

#include "base/memory.h"
#include "report/chart.h"
#include "report/overview.h"

/* A group in a page. */
typedef struct mls_html_group {
    const mls_overview *all;
    const mls_overview_group *of;
    const mls_group *group;
    const mls_throughput_group *timed; /* its runs are in the same order */
    size_t number;                     /* in the page, from 1 */
    bool brief;                        /* as one of many: fewer points, rounder numbers */
    mls_arena *scratch;                /* for a section */
    const char *side;                  /* of a comparison, whose sides are drawn over each other; NULL: none */
    size_t sides;                      /* how many those are */
    bool baseline;                     /* it is the baseline of them */
} mls_html_group;

/* A section; it leaves itself out if it has nothing to show. */
typedef void mls_html_section(mls_buffer *out, const mls_html_group *of);
mls_html_section mls_html_convergence, mls_html_times, mls_html_parts, mls_html_reference, mls_html_pace,
    mls_html_published;

/* The same sections of sides over each other, the baseline's first. */
void mls_html_convergence_of(mls_buffer *out, const mls_html_group *sides, size_t count);
void mls_html_pace_of(mls_buffer *out, const mls_html_group *sides, size_t count);

/* ---- the frame: everything before the sections and after them; `title` is the name of the window */
void mls_html_begin(mls_buffer *out, const char *title, const char *heading, const char *below);
void mls_html_end(mls_buffer *out);

/* ---- cards: begun with a title; then legend entries; then the head is closed, and the body goes on until the end */
void mls_html_card_begin(mls_buffer *out, const char *title);
void mls_html_card_body(mls_buffer *out);
void mls_html_card_end(mls_buffer *out);

/* Begin a card without a legend: its title is a heading "h2" or "h3"; `filter`: with a field that finds rows of the
 * table in it. */
void mls_html_card_plain(mls_buffer *out, const char *heading, const char *title, bool filter);

/* Add an entry of the legend: a mark in a look, and what it stands for. */
typedef enum mls_html_mark {
    MLS_MARK_LINE,
    MLS_MARK_DOT,
    MLS_MARK_CROSS,
    MLS_MARK_DIAMOND,
    MLS_MARK_BAR
} mls_html_mark;
void mls_html_key(mls_buffer *out, mls_html_mark mark, const char *look, const char *label);

/* Append a line of small text. */
void mls_html_note(mls_buffer *out, const char *format, ...) MLS_PRINTF(2, 3);

/* Append a finding as an item of a list, with a path, which may be NULL. */
void mls_html_finding(mls_buffer *out, const mls_finding *finding, const char *path);

/* Append a line whose items are separated by two blanks or more with a point between them. */
void mls_html_separated(mls_buffer *line, mls_str text);

/* Return formatted text that lives in an arena. */
const char *mls_html_text(mls_arena *arena, const char *format, ...) MLS_PRINTF(2, 3);

/* ---- tables: begun with a class ("sorts": by its headings) or NULL, and headings between '|', of which "#…" is one of
 * numbers; then further headings; then rows, each between "<tr>" and "</tr>\n"; then the end */
void mls_html_table_begin(mls_buffer *out, const char *look, const char *label, const char *headings);
void mls_html_heading(mls_buffer *out, const char *look, const char *text);
void mls_html_rows(mls_buffer *out);
void mls_html_table_end(mls_buffer *out);

/* Begin and end the table of a chart's numbers, which is folded away; it has no further headings. */
void mls_html_numbers_begin(mls_buffer *out, const char *label, const char *headings);
void mls_html_numbers_end(mls_buffer *out);

/* Add a cell: a number as people read it with its value to sort by, minutes, a count, text.  What is not known is a
 * dash. */
void mls_html_number(mls_buffer *out, double value, mls_words shown);
void mls_html_minutes_cell(mls_buffer *out, double minutes);
void mls_html_count(mls_buffer *out, double count);
void mls_html_cell(mls_buffer *out, const char *look, const char *format, ...) MLS_PRINTF(3, 4);

/* ---- runs */

/* The classes of runs, which are all that colours stand for, and their looks. */
typedef enum mls_html_class { MLS_RUN_KEPT, MLS_RUN_OUT, MLS_RUN_BAD, MLS_RUN_CLASSES } mls_html_class;
extern const char *const mls_html_looks[MLS_RUN_CLASSES];

/* Return the class of a run: that by its score, or as it is drawn, with the baseline of sides as kept and others as
 * out. */
mls_html_class mls_html_run_class(const mls_group *group, size_t run);
mls_html_class mls_html_drawn_as(const mls_html_group *of, size_t run);

/* Add legend entries for the classes of runs that occur; or for lines: for classes, or for sides. */
void mls_html_run_keys(mls_buffer *out, const mls_group *group, mls_html_mark mark);
void mls_html_line_keys(mls_buffer *out, const mls_html_group *of, size_t count);

/* Begin the marks of a run, counted from 0, which pointing at one highlights; append its dot; end its marks. */
void mls_html_run_begin(mls_buffer *out, size_t run);
void mls_html_run_dot(mls_buffer *out, mls_html_class kind, double x, double y);
void mls_html_run_end(mls_buffer *out);

/* Return the share of each run in so many points or rows of all, at least `least`. */
size_t mls_html_share(const mls_html_group *of, size_t all, size_t least);

/* ---- what is known of a group */

/* A word and a sign for whether a group has a score that counts, with their look. */
typedef struct mls_html_badge {
    const char *look, *words, *brief;
} mls_html_badge;
mls_html_badge mls_html_badge_of(const mls_group *group);

/* Return the minutes of a group: scaled, or all models side by side where that was checked. */
double mls_html_minutes(const mls_group *group);

/* Return whether the positions of a group's curves count epochs; "samples" or "epochs". */
bool mls_html_epochs(const mls_html_group *of);
const char *mls_html_unit(const mls_html_group *of);

/* Return what was measured of a group; if no run was evaluated in its time, with the evaluations after it, which the
 * arena has. */
const mls_throughput_group *mls_html_timed(const mls_throughput_group *timed, mls_arena *arena);

/* Return the median of the steady paces of a group's runs, in milliseconds a sample or epoch, and of how many; NAN: of
 * none. */
double mls_html_steady_ms(const mls_html_group *of, size_t *count);

/* Return the mean that is compared with the reference; NAN: none, or it means nothing as so many runs did not converge.
 */
double mls_html_rcp_mean(const mls_group *group);

/* Return samples or epochs to converge, in words. */
mls_words mls_html_converge_words(double number);
