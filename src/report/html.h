/* SPDX-License-Identifier: Apache-2.0 */
/* html.h - HTML pages: the frame of a page, cards, legends and tables, and the data of a group that sections show.
 *
 * A page is a frame around sections.  Each section appends a card with a chart (chart.h), a table or a list to a
 * buffer. html_group.c and html_charts.c contain the sections of a group; html_compare.c and html_verify.c each contain
 * a page.
 *
 * Logs may be hostile.  Text must be appended by mls_markup_text(), and numbers by the functions here and in chart.h;
 * everything else in a tag must be a literal. */
#pragma once

#include "base/memory.h"
#include "report/chart.h"
#include "report/reports.h"

/* A group in a page, or a side of a comparison. */
typedef struct mls_html_group {
    const mls_overview *all;
    const mls_overview_group *of;
    const mls_group *group;
    const mls_throughput_group *timed; /* measurements of the group; its runs are in the order of group->runs */
    size_t number;                     /* number of the group in the page, from 1 */
    bool brief;                        /* the page has many groups: show fewer points and fewer digits */
    mls_arena *scratch;                /* memory for one section, which is reset after it */
    const char *side;                  /* name of the side; NULL: not in a comparison */
    size_t sides;                      /* number of elements of the array of sides, which are drawn in one chart;
                                        * 1: not in a comparison */
    bool baseline;                     /* the side is the baseline */
} mls_html_group;

/* Append a section, or nothing if it has no content.  mls_html_convergence() and mls_html_pace() draw all sides of the
 * array `of`, whose first element is the baseline, in one chart. */
typedef void mls_html_section(mls_buffer *out, const mls_html_group *of);
mls_html_section mls_html_convergence, mls_html_times, mls_html_parts, mls_html_reference, mls_html_pace,
    mls_html_published;

/* Append everything before the sections.  `title` is the name of the window; `below` is the text below the heading. */
void mls_html_begin(mls_buffer *out, const char *title, const char *heading, const char *below);

/* Append everything after the sections. */
void mls_html_end(mls_buffer *out);

/* Begin a card with a title.  Legend entries may be appended to its head. */
void mls_html_card_begin(mls_buffer *out, const char *title);

/* End the head of a card and begin its body. */
void mls_html_card_body(mls_buffer *out);

/* End a card. */
void mls_html_card_end(mls_buffer *out);

/* Begin a card without a legend, and its body.  `heading` is the element of the title, "h2" or "h3".  If `filter` is
 * set, add a text field that filters the rows of the table in the card. */
void mls_html_card_plain(mls_buffer *out, const char *heading, const char *title, bool filter);

/* The marks of legend entries. */
typedef enum mls_html_mark {
    MLS_MARK_LINE,
    MLS_MARK_DOT,
    MLS_MARK_CROSS,
    MLS_MARK_DIAMOND,
    MLS_MARK_BAR
} mls_html_mark;

/* Append a legend entry. */
void mls_html_key(mls_buffer *out, mls_html_mark mark, const char *look, const char *label);

/* Append a line of small text. */
void mls_html_note(mls_buffer *out, const char *format, ...) MLS_PRINTF(2, 3);

/* Append a finding as a list item.  `path` is shown before the message; NULL: do not show a path. */
void mls_html_finding(mls_buffer *out, const mls_finding *finding, const char *path);

/* Append text whose items are separated by two or more blanks.  Replace these blanks by " · ". */
void mls_html_separated(mls_buffer *line, mls_str text);

/* Return formatted text that is allocated in an arena. */
const char *mls_html_text(mls_arena *arena, const char *format, ...) MLS_PRINTF(2, 3);

/* Begin a table.  `look` is its CSS class (NULL: without a class; "sorts": readers can sort it).  The headings are
 * separated by '|'; a heading of a column of numbers begins with '#'.
 *
 * Then call mls_html_heading() for further headings, call mls_html_rows(), append each row between "<tr>" and
 * "</tr>\n", and call mls_html_table_end(). */
void mls_html_table_begin(mls_buffer *out, const char *look, const char *label, const char *headings);
void mls_html_heading(mls_buffer *out, const char *look, const char *text);
void mls_html_rows(mls_buffer *out);
void mls_html_table_end(mls_buffer *out);

/* Begin and end the folded table with the numbers of a chart.  The first function also calls mls_html_rows(). */
void mls_html_numbers_begin(mls_buffer *out, const char *label, const char *headings);
void mls_html_numbers_end(mls_buffer *out);

/* Append cells of a row, one for each letter of `kinds`; '<' begins the row, '>' ends it.  A missing value is shown as
 * a dash.  These letters take a number (double):
 *
 *     c  count                                r  rate
 *     m  minutes                              v  value of a metric
 *     k  minutes, shown as a clock            n  number, followed by an mls_words: the text that is shown
 *     d  milliseconds, shown as a duration    !  not a cell: the numbers after it are not sortable
 *
 * These letters take a text: 't'; 's', whose cell is omitted if the text is NULL; 'w', which may be wrapped.
 *
 *     mls_html_cells(out, "<tcm>", "a side", (double)runs, minutes); */
void mls_html_cells(mls_buffer *out, const char *kinds, ...);

/* Append a cell with formatted text.  `look` is its CSS class; NULL: without a class. */
void mls_html_cell(mls_buffer *out, const char *look, const char *format, ...) MLS_PRINTF(3, 4);

/* The classes of runs: MLS_RUN_KEPT is part of the score, MLS_RUN_OUT is valid but not part of the score, MLS_RUN_BAD
 * is not valid.  mls_html_looks contains the CSS class of each, which sets the colour. */
typedef enum mls_html_class { MLS_RUN_KEPT, MLS_RUN_OUT, MLS_RUN_BAD, MLS_RUN_CLASSES } mls_html_class;
extern const char *const mls_html_looks[MLS_RUN_CLASSES];

/* Return the class of a run. */
mls_html_class mls_html_run_class(const mls_group *group, size_t run);

/* Return the class as which a run is drawn.  In a comparison, all runs of the baseline are drawn as MLS_RUN_KEPT and
 * the runs of other sides as MLS_RUN_OUT. */
mls_html_class mls_html_drawn_as(const mls_html_group *of, size_t run);

/* Append legend entries for the classes of the runs in a group. */
void mls_html_run_keys(mls_buffer *out, const mls_group *group, mls_html_mark mark);

/* Append legend entries for lines: for the sides in a comparison, otherwise for the classes of the runs. */
void mls_html_line_keys(mls_buffer *out, const mls_html_group *of);

/* Begin the marks of a run, which are highlighted together.  `run` is the index of the run. */
void mls_html_run_begin(mls_buffer *out, size_t run);

/* Append the dot of a run. */
void mls_html_run_dot(mls_buffer *out, mls_html_class kind, double x, double y);

/* End the marks of a run. */
void mls_html_run_end(mls_buffer *out);

/* Return the number of points or rows for each run if all runs together may have `all`, but at least `least`. */
size_t mls_html_share(const mls_html_group *of, size_t all, size_t least);

/* The status of a group's score: CSS class, text and short text. */
typedef struct mls_html_badge {
    const char *look, *words, *brief;
} mls_html_badge;

/* Return the status of a group's score. */
mls_html_badge mls_html_badge_of(const mls_group *group);

/* Check whether a group counts progress in epochs. */
bool mls_html_epochs(const mls_html_group *of);

/* Return the measurements `timed`.  If no run has evaluations, return a copy in the arena with the evaluations of
 * generated images (FID and CLIP), which are made after the runs. */
const mls_throughput_group *mls_html_timed(const mls_throughput_group *timed, mls_arena *arena);

/* Return the median steady pace of a group's runs, in milliseconds per sample or epoch; NAN if no run has a steady
 * pace. *count is set to the number of runs with a steady pace. */
double mls_html_steady_ms(const mls_html_group *of, size_t *count);

/* Return the mean number of samples or epochs to converge that is compared with the reference; NAN if too few runs
 * converged. */
double mls_html_rcp_mean(const mls_group *group);

/* Format a number of samples or epochs to converge. */
mls_words mls_html_converge_words(double number);
