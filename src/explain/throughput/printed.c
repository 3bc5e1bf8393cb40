/* SPDX-License-Identifier: Apache-2.0 */
/* printed.c - find what the job printed while it was slow: lines (except records) that most runs printed during a slow
 * phase or evaluation, and less often at other times.
 *
 * Which lines matter is known only after all runs were measured, so the logs of these runs are read again. */
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "base/map.h"
#include "base/utf8.h"
#include "explain/throughput/notes.h"
#include "log/prefix.h"

enum {
    COSTS_MAX = 16,        /* lines are counted only for the largest costs */
    SHAPES_MAX = 20000,    /* largest number of shapes for a cost; further ones are not counted */
    LINE_CHARACTERS = 200, /* number of characters of a line that are kept */
    RAW_BYTES_MAX = 65536, /* largest length of a line in bytes; longer lines are ignored */
    RANK_BLANKS_MAX = 8,   /* largest number of blanks before a rank at the start of a line: "   12: " */
    RANK_DIGITS_MAX = 6
};

/* The shape of lines that are equal except for their digits.  A line is inside if it was printed during the slow phase
 * or evaluation, else outside. */
typedef struct line_shape {
    const char *text;       /* the first line inside; NULL: no line is inside */
    size_t inside, outside; /* numbers of lines */
    size_t runs;            /* number of runs with such a line inside */
    size_t last;            /* number of the last of these runs, from 1 */
    size_t order;           /* position of this shape in the order of first lines inside */
} line_shape;

/* The lines of the runs of a cost.  Lines between the first record at or after from_ms and the first record at or after
 * to_ms are inside. */
typedef struct cost_lines {
    mls_cost *cost;
    mls_map shapes;
    size_t inside; /* number of shapes inside */
    /* These members are about the run that is being read. */
    size_t run; /* number of the run in the cost, from 1; 0: the cost is about other runs */
    double from_ms, to_ms;
    bool begun, ended;
} cost_lines;

typedef struct line_mark {
    size_t line;
    double ms; /* time of the record since run_start; NAN: the line is malformed */
} line_mark;

typedef struct printed_reader {
    mls_arena arena;
    cost_lines *costs;
    size_t cost_count;
    const mls_run *run;
    MLS_LIST_OF(line_mark) marks; /* the records and malformed lines among the next lines */
    char *scratch;
} printed_reader;

static void read_run(printed_reader *reader);
static void keep_lines(const cost_lines *lines, mls_arena *arena);

void mls_throughput_find_printed(mls_throughput_group *group, mls_arena *arena)
{
    const size_t count = group->cost_count < COSTS_MAX ? group->cost_count : COSTS_MAX;
    if (count == 0)
        return;
    printed_reader reader = {.cost_count = count, .scratch = mls_malloc(2 * (size_t)RAW_BYTES_MAX)};
    reader.costs = mls_arena_zeroed(&reader.arena, count, sizeof *reader.costs);
    for (size_t i = 0; i < count; i++)
        reader.costs[i] = (cost_lines){.cost = &group->costs[i], .shapes.arena = &reader.arena};
    for (size_t i = 0; i < group->group->run_count; i++) {
        bool needed = false;
        for (size_t k = 0; k < count; k++) {
            cost_lines *lines = &reader.costs[k];
            lines->run = 0;
            for (size_t j = 0; j < lines->cost->run_count; j++) {
                const mls_cost_run *at = &lines->cost->runs[j];
                if (at->run == &group->runs[i] && at->to_ms > at->from_ms) {
                    lines->run = j + 1;
                    lines->from_ms = at->from_ms;
                    lines->to_ms = at->to_ms;
                    lines->begun = lines->ended = false;
                }
            }
            needed |= lines->run > 0;
        }
        reader.run = group->group->runs[i];
        if (needed)
            read_run(&reader);
    }
    for (size_t i = 0; i < count; i++)
        keep_lines(&reader.costs[i], arena);
    free(reader.marks.items);
    free(reader.scratch);
    mls_arena_release(&reader.arena);
}

static mls_status mark_record(void *state, const mls_record *record)
{
    printed_reader *reader = state;
    MLS_GROW(&reader->marks, items);
    reader->marks.items[reader->marks.count++] =
        (line_mark){record->line, record->time_ms - reader->run->run_start.time_ms};
    return MLS_OK;
}

static mls_status mark_malformed(void *state, const mls_malformed *malformed)
{
    printed_reader *reader = state;
    MLS_GROW(&reader->marks, items);
    reader->marks.items[reader->marks.count++] = (line_mark){malformed->line, (double)NAN};
    return MLS_OK;
}

static mls_str plain_line(mls_str raw, char *scratch);
static void count_line(printed_reader *reader, mls_str line);

static mls_status read_lines(void *state, const mls_lines *lines)
{
    printed_reader *reader = state;
    const size_t first = reader->run->run_start.line;
    const size_t last = reader->run->run_stop.line;
    mls_status status = MLS_OK;
    size_t next = 0;
    for (size_t i = 0; i < lines->count && status == MLS_OK; i++) {
        const size_t number = lines->line + i;
        bool marked = false;
        for (; next < reader->marks.count && reader->marks.items[next].line <= number; next++) {
            const double ms = reader->marks.items[next].ms;
            marked = true;
            for (size_t k = 0; k < reader->cost_count && number >= first; k++) {
                cost_lines *of = &reader->costs[k];
                of->begun |= ms >= of->from_ms;
                of->ended |= ms >= of->to_ms;
            }
        }
        if (last > 0 && number >= last)
            status = MLS_STOPPED;
        else if (!marked && number > first && !lines->cut)
            count_line(reader, plain_line(mls_lines_text(lines, i), reader->scratch));
    }
    reader->marks.count = 0;
    return status;
}

/* Count the lines of a run.  Ignore a log that cannot be read again. */
static void read_run(printed_reader *reader)
{
    const int fd = mls_file_open_again(reader->run->file, reader->run->root, NULL);
    const mls_sink sink = {.state = reader, .record = mark_record, .malformed = mark_malformed, .lines = read_lines};
    reader->marks.count = 0;
    if (fd < 0)
        return;
    (void)!mls_log_scan_fd(fd, NULL, &sink, 1, NULL, NULL);
    (void)close(fd);
}

/* Return a line without escapes, rank, and blanks at its ends, cut to LINE_CHARACTERS.  `scratch` has twice
 * RAW_BYTES_MAX bytes. */
static mls_str plain_line(mls_str raw, char *scratch)
{
    if (raw.len >= RAW_BYTES_MAX)
        return (mls_str){0};
    mls_str line = mls_log_line_clean(raw, scratch);
    size_t blanks = 0;
    while (blanks < line.len && line.ptr[blanks] == ' ')
        blanks++;
    size_t at = blanks;
    while (at < line.len && mls_is_digit(line.ptr[at]))
        at++;
    if (blanks <= RANK_BLANKS_MAX && at > blanks && at - blanks <= RANK_DIGITS_MAX && at + 1 < line.len &&
        line.ptr[at] == ':' && line.ptr[at + 1] == ' ')
        line = mls_str_rest(line, at + 2);
    line = mls_str_trim(line, mls_is_blank);
    size_t end = 0;
    for (size_t characters = 0; characters < LINE_CHARACTERS && end < line.len; characters++)
        (void)mls_utf8_next(line, &end);
    return (mls_str){line.ptr, end};
}

static void count_line(printed_reader *reader, mls_str line)
{
    char *shape = reader->scratch + RAW_BYTES_MAX;
    size_t len = 0;
    for (size_t i = 0; i < line.len; i++)
        if (!mls_is_digit(line.ptr[i]))
            shape[len++] = line.ptr[i];
        else if (len == 0 || !mls_is_digit(line.ptr[i - 1]))
            shape[len++] = '0';
    for (size_t k = 0; k < reader->cost_count && len > 0; k++) {
        cost_lines *of = &reader->costs[k];
        const mls_str key = {shape, len};
        if (of->run == 0)
            continue;
        mls_map_entry *entry = mls_map_find(&of->shapes, key);
        if (entry == NULL && of->shapes.count < SHAPES_MAX) {
            entry = mls_map_put(&of->shapes, key, NULL);
            entry->value.pointer = mls_arena_zeroed(&reader->arena, 1, sizeof(line_shape));
        }
        line_shape *found = entry != NULL ? entry->value.pointer : NULL;
        if (found == NULL)
            continue;
        if (!of->begun || of->ended) {
            found->outside++;
            continue;
        }
        if (found->text == NULL) {
            found->text = mls_arena_copy(&reader->arena, line).ptr;
            found->order = of->inside++;
        }
        found->inside++;
        found->runs += found->last != of->run;
        found->last = of->run;
    }
}

/* Order shapes by number of runs, the largest first, then by the order in which they were seen. */
static int compare_shapes(const void *left, const void *right)
{
    const line_shape *a = *(const line_shape *const *)left;
    const line_shape *b = *(const line_shape *const *)right;
    return a->runs != b->runs ? (a->runs > b->runs ? -1 : 1) : a->order < b->order ? -1 : 1;
}

/* Store the lines of the shapes that most runs of a cost printed inside, at least as often as outside. */
static void keep_lines(const cost_lines *lines, mls_arena *arena)
{
    const line_shape **kept = (const line_shape **)mls_calloc(lines->inside + 1, sizeof *kept);
    size_t count = 0;
    for (size_t i = 0; i < lines->shapes.count; i++) {
        const line_shape *shape = lines->shapes.entries[i].value.pointer;
        if (shape->runs * 2 > lines->cost->run_count && shape->inside >= shape->outside)
            kept[count++] = shape;
    }
    if (count > 1)
        qsort((void *)kept, count, sizeof *kept, compare_shapes);
    for (size_t i = 0; i < count && i < MLS_COST_PRINTED_MAX; i++)
        lines->cost->printed[lines->cost->printed_count++] = mls_arena_copy(arena, mls_str_from(kept[i]->text)).ptr;
    free((void *)kept);
}
