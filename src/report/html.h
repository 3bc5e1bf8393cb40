/* SPDX-License-Identifier: Apache-2.0 */
/* html.h - what the files of a page share: a group as its sections see it, cards, legends and cells.
 *
 * A page is a list of sections; each appends to a buffer.  Text goes through mls_markup_text(), numbers through the
 * functions here and those of svg.h; what else stands in a tag is a literal. */
#pragma once

#include "base/memory.h"
#include "report/overview.h"
#include "report/plot.h"

/* A group in a page. */
typedef struct mls_html_group {
    const mls_overview *all;
    const mls_overview_group *of;
    const mls_group *group;
    const mls_throughput_group *timed; /* its runs are in the same order */
    size_t number;                     /* in the page, from 1 */
    bool brief;                        /* as one of many: fewer points, rounder numbers */
    mls_arena *scratch;                /* for a section */
    const char *side;                  /* of a comparison, whose sides are drawn over each other; NULL: of none */
    size_t sides;                      /* how many those are */
    bool baseline;                     /* it is that of them */
} mls_html_group;

/* A section; it leaves itself out where there is nothing to see. */
typedef void mls_html_section(mls_buffer *out, const mls_html_group *of);
mls_html_section mls_html_head, mls_html_answers, mls_html_convergence, mls_html_times, mls_html_parts,
    mls_html_reference, mls_html_pace, mls_html_published, mls_html_runs, mls_html_findings, mls_html_settings;

/* The same sections of sides over each other, the baseline's first; of other sections of a page they are told by
 * `number`. */
void mls_html_convergence_of(mls_buffer *out, const mls_html_group *sides, size_t count);
void mls_html_pace_of(mls_buffer *out, const mls_html_group *sides, size_t count);

/* Whether a group has a score that counts, in a word and a sign, with the look of it. */
typedef struct mls_html_badge {
    const char *look, *words, *brief;
} mls_html_badge;
mls_html_badge mls_html_badge_of(const mls_group *group);

/* Appends a line whose items stand apart by two blanks and more with a point between them. */
void mls_html_separated(mls_buffer *line, mls_str text);

/* A finding as an item of a list, with a path, which may be NULL. */
void mls_html_finding(mls_buffer *out, const mls_finding *finding, const char *path);

/* The minutes of a group: scaled, or all models side by side where that was checked. */
double mls_html_minutes(const mls_group *group);

/* A section that grows with what was logged ends at so many bytes, and says what it leaves out. */
enum { MLS_HTML_SECTION_BYTES = 48 << 10 };

/* The table of many groups; `linked`: each leads to #g and its number in the page. */
void mls_html_group_table(mls_buffer *out, const mls_html_group *groups, size_t count, bool linked);

/* What stands before all and behind it; `title` is the name of the window, and may be of any text. */
void mls_html_begin(mls_buffer *out, mls_str title, const char *heading, mls_str below);
void mls_html_end(mls_buffer *out);

/* ---- cards: begun with a title; then legend entries; then the head is closed, and the body goes on until the end */
void mls_html_card_begin(mls_buffer *out, const char *title);
void mls_html_card_body(mls_buffer *out);

/* A card without a legend, ended likewise: its title is a heading "h2" or "h3"; `filter`: with a field, which finds
 * rows of the table in it. */
void mls_html_card_plain(mls_buffer *out, const char *heading, const char *title, bool filter);
void mls_html_card_end(mls_buffer *out);

/* An entry of the legend: a mark in a look, and what it stands for. */
typedef enum mls_html_mark {
    MLS_MARK_LINE,
    MLS_MARK_DOT,
    MLS_MARK_CROSS,
    MLS_MARK_DIAMOND,
    MLS_MARK_BAR
} mls_html_mark;
void mls_html_key(mls_buffer *out, mls_html_mark mark, const char *look, const char *label);

/* What a run is, which is all that colour says of it: its look, and a word; and the entries of those that occur. */
typedef enum mls_html_is { MLS_IS_KEPT, MLS_IS_OUT, MLS_IS_BAD, MLS_IS_COUNT } mls_html_is;
mls_html_is mls_html_run_is(const mls_group *group, size_t run);
extern const char *const mls_html_looks[MLS_IS_COUNT];
mls_html_is mls_html_drawn_as(const mls_html_group *of, size_t run); /* the baseline of sides as kept, others as out */
void mls_html_run_keys(mls_buffer *out, const mls_group *group, mls_html_mark mark);

/* Around the marks of a run, from 0, so that pointing at one finds all; the mark of a run as a dot. */
void mls_html_run_begin(mls_buffer *out, size_t run);
void mls_html_run_end(mls_buffer *out);
void mls_html_run_dot(mls_buffer *out, mls_html_is is, double x, double y);

/* Around a picture, which may scroll in a narrow window; and the table behind it. */
void mls_html_plot_begin(mls_buffer *out, double height, const char *title, mls_str description);
void mls_html_plot_end(mls_buffer *out);
void mls_html_numbers_begin(mls_buffer *out, const char *label);
void mls_html_numbers_end(mls_buffer *out);

/* A table that stands open, with a class ("sorts": by its headings) or NULL: begun, then headings, then rows, of which
 * mls_html_rows() is the beginning in any table. */
void mls_html_table_begin(mls_buffer *out, const char *look, const char *label);
void mls_html_rows(mls_buffer *out);
void mls_html_table_end(mls_buffer *out);

/* A line of small text. */
void mls_html_note(mls_buffer *out, const char *format, ...) MLS_PRINTF(2, 3);

/* Cells: a heading, a number as people read it with its value to sort by, a count, text.  What is not known is a dash.
 */
void mls_html_heading(mls_buffer *out, const char *look, const char *text);
void mls_html_number(mls_buffer *out, double value, mls_words shown);
void mls_html_count(mls_buffer *out, double count);
void mls_html_cell(mls_buffer *out, const char *look, const char *format, ...) MLS_PRINTF(3, 4);

/* The first headings of a table of what runs have, and how a row of a run, from 0, begins: its side and its number. */
void mls_html_run_headings(mls_buffer *out, const mls_html_group *of);
void mls_html_run_row(mls_buffer *out, const mls_html_group *of, size_t run);

/* What counts the positions of a group's curves: whether epochs do; "samples", "epochs". */
bool mls_html_epochs(const mls_html_group *of);
const char *mls_html_unit(const mls_html_group *of);

/* What was measured of a group; where no run was evaluated in its time, with what was evaluated behind it, which the
 * arena has.  NULL: no memory. */
const mls_throughput_group *mls_html_timed(const mls_throughput_group *timed, mls_arena *arena);

/* The median of the steady paces of a group's runs, in milliseconds a sample or epoch, and of how many; NAN: of none.
 * No memory: `out` has failed. */
double mls_html_steady_ms(mls_buffer *out, const mls_html_group *of, size_t *count);

/* The mean that the reference is held against; NAN: none, or so many runs did not converge that it says nothing. */
double mls_html_rcp_mean(const mls_group *group);

/* Samples or epochs to converge, in words. */
mls_words mls_html_converge_words(double number);

/* Of what the lines are: of the runs of a group, or of sides. */
void mls_html_line_keys(mls_buffer *out, const mls_html_group *of, size_t count);

/* The share of each run in so many points or rows of all, at least `least`. */
size_t mls_html_share(const mls_html_group *of, size_t all, size_t least);
