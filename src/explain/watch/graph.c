/* SPDX-License-Identifier: Apache-2.0 */
/* graph.c - a curve of a few lines. */
#include "explain/watch/graph.h"

#include <math.h>

#include "base/utf8.h"
#include "base/words.h"

enum { GRAPH_COLUMNS = 60, GRAPH_ROWS_MAX = 16, DOTS_ACROSS = 2, DOTS_DOWN = 4, LABEL = 12 };

/* Dots of a cell, a bit each, in the order of braille; of the run, and of others. */
typedef struct dots {
    uint8_t own[GRAPH_ROWS_MAX][GRAPH_COLUMNS];
    uint8_t others[GRAPH_ROWS_MAX][GRAPH_COLUMNS];
    size_t rows;
    double furthest, lowest, highest;
} dots;

static void widen(dots *graph, const mls_curve *curve)
{
    for (size_t i = 0; i < curve->count; i++) {
        const mls_value_point *point = &curve->items[i];
        if (isfinite(point->value)) {
            graph->furthest = fmax(graph->furthest, point->at);
            graph->lowest = fmin(graph->lowest, point->value);
            graph->highest = fmax(graph->highest, point->value);
        }
    }
}

static void mark(dots *graph, uint8_t cells[GRAPH_ROWS_MAX][GRAPH_COLUMNS], const mls_curve *curve)
{
    static const uint8_t bits[DOTS_DOWN][DOTS_ACROSS] = {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
    const double height = graph->highest > graph->lowest ? graph->highest - graph->lowest : 1;
    const size_t across = GRAPH_COLUMNS * DOTS_ACROSS - 1;
    const size_t down = graph->rows * DOTS_DOWN - 1;
    for (size_t i = 0; i < curve->count; i++) {
        const mls_value_point *point = &curve->items[i];
        if (isfinite(point->value) && graph->furthest > 0 && point->at >= 0) {
            const size_t x = (size_t)(point->at / graph->furthest * (double)across + 0.5);
            const size_t y = (size_t)((graph->highest - point->value) / height * (double)down + 0.5);
            cells[y / DOTS_DOWN][x / DOTS_ACROSS] |= bits[y % DOTS_DOWN][x % DOTS_ACROSS];
        }
    }
}

/* The row of a value; SIZE_MAX: it is not in the picture. */
static size_t graph_row(const dots *graph, double value)
{
    const double height = graph->highest > graph->lowest ? graph->highest - graph->lowest : 1;
    const double y = (graph->highest - value) / height * (double)(graph->rows * DOTS_DOWN - 1) + 0.5;
    return y >= 0 && y < (double)(graph->rows * DOTS_DOWN) ? (size_t)y / DOTS_DOWN : SIZE_MAX;
}

static void draw_cell(uint8_t own, uint8_t others, bool line, bool ascii, size_t column, mls_sheet *sheet)
{
    char text[4];
    const uint8_t shown = own != 0 ? own : others;
    if (ascii || shown == 0) {
        const char *plain = own != 0 ? "*" : others != 0 ? "." : line && column % 2 == 0 ? "-" : " ";
        mls_sheet_text(sheet, own != 0 ? MLS_INK_BOLD : MLS_INK_DIM, mls_str_from(plain));
        return;
    }
    const size_t length = mls_utf8_encode(0x2800U + shown, text);
    mls_sheet_text(sheet, own != 0 ? MLS_INK_BOLD : MLS_INK_DIM, (mls_str){text, length});
}

mls_status mls_graph_draw(const mls_live_run *run, size_t lines, bool ascii, mls_sheet *sheet)
{
    const double far = isfinite(run->estimate.end) ? run->estimate.end : run->at;
    dots graph = {.rows = lines < GRAPH_ROWS_MAX ? lines : GRAPH_ROWS_MAX,
                  .furthest = far,
                  .lowest = run->facts.target,
                  .highest = run->facts.target};
    widen(&graph, &run->curve);
    for (int pass = 0; pass < 2; pass++) {
        for (size_t i = 0; run->group != NULL && i < run->group->runs.count; i++) {
            const mls_live_run *other = run->group->runs.items[i];
            if (other != run && mls_live_is_of(other, run->group) && other->state == MLS_LIVE_SUCCESS) {
                if (pass == 0) {
                    widen(&graph, &other->curve);
                } else {
                    mark(&graph, graph.others, &other->curve);
                }
            }
        }
    }
    mark(&graph, graph.own, &run->curve);
    const size_t target = isfinite(run->facts.target) ? graph_row(&graph, run->facts.target) : SIZE_MAX;
    for (size_t y = 0; y < graph.rows; y++) {
        const double value = y == target           ? run->facts.target
                             : y == 0              ? graph.highest
                             : y + 1 == graph.rows ? graph.lowest
                                                   : (double)NAN;
        mls_sheet_printf(sheet, MLS_INK_PLAIN, "%*s |", LABEL - 2,
                         isfinite(value) ? mls_words_grouped(value, 3).text : "");
        for (size_t x = 0; x < GRAPH_COLUMNS; x++) {
            draw_cell(graph.own[y][x], graph.others[y][x], y == target, ascii, x, sheet);
        }
        mls_sheet_end(sheet);
    }
    mls_sheet_printf(sheet, MLS_INK_PLAIN, "%*s +", LABEL - 2, "");
    for (size_t x = 0; x < GRAPH_COLUMNS; x++) {
        mls_sheet_text(sheet, MLS_INK_PLAIN, MLS_S("-"));
    }
    mls_sheet_printf(sheet, MLS_INK_PLAIN, " %s", mls_words_count(graph.furthest).text);
    mls_sheet_end(sheet);
    return sheet->out->failed ? MLS_ERROR_MEMORY : MLS_OK;
}
