/* SPDX-License-Identifier: Apache-2.0 */
/* html.h - HTML pages: their frame, cards, legends and tables, and a group of runs as the sections of a page see it.
 *
 * A page is a frame around sections.  Each section appends a card with a chart (chart.h), a table or a list to a
 * buffer: html_group.c and html_charts.c those of a group, html_compare.c and html_verify.c separate pages.  Text goes
 * through mls_markup_text(), numbers through the functions here and in chart.h; everything else in a tag is a literal.
 */
#pragma once

#include "base/memory.h"
#include "report/chart.h"
#include "report/reports.h"

/* A group in a page, or a side of a comparison. */
typedef struct mls_html_group {
    const mls_overview *all;
    const mls_overview_group *of;
    const mls_group *group;
    const mls_throughput_group *timed; /* its runs are in the same order */
    size_t number;                     /* in the page, from 1 */
    bool brief;                        /* one of many groups: fewer points, rounder numbers */
    mls_arena *scratch;                /* for one section */
    const char *side;                  /* name of the side; NULL: not in a comparison */
    size_t sides;                      /* number of sides drawn over each other, in an array; 1: not in a comparison */
    bool baseline;                     /* the side is the baseline */
} mls_html_group;

/* Append a section, or nothing if it has no content.  Convergence and pace draw sides over each other, the baseline
 * first. */
typedef void mls_html_section(mls_buffer *out, const mls_html_group *of);
mls_html_section mls_html_convergence, mls_html_times, mls_html_parts, mls_html_reference, mls_html_pace,
    mls_html_published;

/* Append everything before the sections and after them.  `title` is the name of the window. */
void mls_html_begin(mls_buffer *out, const char *title, const char *heading, const char *below);
void mls_html_end(mls_buffer *out);

/* Begin a card with a title, to which legend entries may be appended; end its head; end the card. */
void mls_html_card_begin(mls_buffer *out, const char *title);
void mls_html_card_body(mls_buffer *out);
void mls_html_card_end(mls_buffer *out);

/* Begin a card without a legend, with a heading "h2" or "h3".  With `filter`, add a field that filters its table. */
void mls_html_card_plain(mls_buffer *out, const char *heading, const char *title, bool filter);

/* Append a legend entry. */
typedef enum mls_html_mark {
    MLS_MARK_LINE,
    MLS_MARK_DOT,
    MLS_MARK_CROSS,
    MLS_MARK_DIAMOND,
    MLS_MARK_BAR
} mls_html_mark;
void mls_html_key(mls_buffer *out, mls_html_mark mark, const char *look, const char *label);

/* Append a line of small text; a finding as a list item, with a path (NULL: none); text whose items are separated by
 * two or more blanks, with points between them. */
void mls_html_note(mls_buffer *out, const char *format, ...) MLS_PRINTF(2, 3);
void mls_html_finding(mls_buffer *out, const mls_finding *finding, const char *path);
void mls_html_separated(mls_buffer *line, mls_str text);

/* Return formatted text that lives in an arena. */
const char *mls_html_text(mls_arena *arena, const char *format, ...) MLS_PRINTF(2, 3);

/* Begin a table of a class (NULL: none; "sorts": sortable).  Headings are separated by '|'; "#…" is one of numbers.
 * Then append further headings, begin the rows, append each row between "<tr>" and "</tr>\n", and end the table. */
void mls_html_table_begin(mls_buffer *out, const char *look, const char *label, const char *headings);
void mls_html_heading(mls_buffer *out, const char *look, const char *text);
void mls_html_rows(mls_buffer *out);
void mls_html_table_end(mls_buffer *out);

/* Begin and end the folded table of a chart's numbers, without further headings. */
void mls_html_numbers_begin(mls_buffer *out, const char *label, const char *headings);
void mls_html_numbers_end(mls_buffer *out);

/* Append cells of a row, one for each letter of `kinds`; '<' begins the row, '>' ends it.  A missing value is a dash.
 * Numbers, with the value to sort by: 'c' count, 'm' minutes, 'k' minutes as a clock, 'd' milliseconds as a duration,
 * 'r' rate, 'v' value of a metric, 'n' number and how it is shown (mls_words).  After '!', numbers are not sortable.
 * Texts: 't'; 's', omitted if it is NULL; 'w' on several lines.
 *
 *     mls_html_cells(out, "<tcm>", "a side", (double)runs, minutes); */
void mls_html_cells(mls_buffer *out, const char *kinds, ...);

/* Append a cell with a class (NULL: none) and formatted text. */
void mls_html_cell(mls_buffer *out, const char *look, const char *format, ...) MLS_PRINTF(3, 4);

/* The classes of runs, which colours stand for, and their CSS classes. */
typedef enum mls_html_class { MLS_RUN_KEPT, MLS_RUN_OUT, MLS_RUN_BAD, MLS_RUN_CLASSES } mls_html_class;
extern const char *const mls_html_looks[MLS_RUN_CLASSES];

/* Return the class of a run by its score; return the class it is drawn as, which for sides tells the baseline (kept)
 * from the others (out). */
mls_html_class mls_html_run_class(const mls_group *group, size_t run);
mls_html_class mls_html_drawn_as(const mls_html_group *of, size_t run);

/* Append legend entries for the classes of runs that occur; for lines, of classes or sides. */
void mls_html_run_keys(mls_buffer *out, const mls_group *group, mls_html_mark mark);
void mls_html_line_keys(mls_buffer *out, const mls_html_group *of);

/* Begin the marks of a run (from 0), which are highlighted together; append its dot; end its marks. */
void mls_html_run_begin(mls_buffer *out, size_t run);
void mls_html_run_dot(mls_buffer *out, mls_html_class kind, double x, double y);
void mls_html_run_end(mls_buffer *out);

/* Return the share of each run in a total number of points or rows, at least `least`. */
size_t mls_html_share(const mls_html_group *of, size_t all, size_t least);

/* Return the status of a group's score: CSS class, text, short text. */
typedef struct mls_html_badge {
    const char *look, *words, *brief;
} mls_html_badge;
mls_html_badge mls_html_badge_of(const mls_group *group);

/* Check whether a group counts progress in epochs. */
bool mls_html_epochs(const mls_html_group *of);

/* Return the measurements of a group.  If no run has evaluations, return a copy in the arena with those of its images,
 * which were evaluated after the runs. */
const mls_throughput_group *mls_html_timed(const mls_throughput_group *timed, mls_arena *arena);

/* Return the median steady pace of a group's runs, in milliseconds per sample or epoch, and the number of runs with
 * one; NAN: none. */
double mls_html_steady_ms(const mls_html_group *of, size_t *count);

/* Return the mean that is compared with the reference; NAN if too few runs converged.  Format such a number. */
double mls_html_rcp_mean(const mls_group *group);
mls_words mls_html_converge_words(double number);
