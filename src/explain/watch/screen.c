/* SPDX-License-Identifier: Apache-2.0 */
/* screen.c - format events as lines, and format the screen: groups with their runs, scores, outlooks and failures. */
#include "explain/watch/watch.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

#include "base/file.h"
#include "base/statistics.h"
#include "base/utf8.h"
#include "base/words.h"
#include "term/table.h"

/* ------------------------------------------------------------------------ lines */

const char *mls_live_unit(const mls_live_group *group)
{
    return group == NULL || group->rules->runs_needed == 0 ? "samples"
           : group->counts == MLS_PROGRESS_EPOCHS          ? mls_epoch_unit(group->rules->name)
           : group->counts == MLS_PROGRESS_STEPS           ? "steps"
                                                           : "samples";
}

static void append_estimate(const mls_live_run *run, mls_buffer *line)
{
    const mls_estimate *estimate = &run->estimate;
    const char *from = mls_estimate_from_name(estimate->from);
    if (run->met)
        mls_buffer_append_text(line, ", target met");
    else if (from != NULL && estimate->left > 0)
        mls_buffer_printf(line, ", left %.2f (%.2f-%.2f, %s)", estimate->left, estimate->low, estimate->high, from);
    else if (from != NULL)
        mls_buffer_printf(line, ", left any moment (%.2f-%.2f, %s)", estimate->low, estimate->high, from);
    if (run->estimate.beyond)
        mls_buffer_append_text(line, ", may not converge");
}

void mls_watch_line(const mls_watch_event *event, bool dated, mls_buffer *line)
{
    const mls_live_run *run = event->run;
    const char *unit = run != NULL ? mls_live_unit(run->group) : "";
    mls_buffer text = {0};
    if (event->kind >= MLS_WATCH_SCORE)
        return;
    if (dated) {
        const double time_ms = isnan(event->time_ms) ? event->seen_ms : event->time_ms;
        const time_t seconds = mls_time_is_date(time_ms) ? (time_t)floor(time_ms / 1000) : 0;
        struct tm parts;
        char date[sizeof "2025-04-19T13:24:11Z" + 8];
        const bool known = seconds > 0 && gmtime_r(&seconds, &parts) != NULL &&
                           strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", &parts) > 0;
        mls_buffer_printf(line, "%s ", known ? date : "-");
    }
    if (run != NULL && run->number > 0)
        mls_buffer_printf(&text, "run %zu ", run->number);
    mls_buffer_append_text(&text, mls_path_name(event->file));
    if (event->line > 0 && (event->kind == MLS_WATCH_FAILURE || event->kind == MLS_WATCH_FINDING))
        mls_buffer_printf(&text, ":%zu", event->line);
    mls_buffer_append_text(&text, ": ");
    if (run != NULL && event->kind == MLS_WATCH_INIT) {
        mls_buffer_append_text(&text, "initializes");
    } else if (run != NULL && event->kind == MLS_WATCH_START) {
        mls_buffer_append_text(&text, "training starts");
        append_estimate(run, &text);
    } else if (run != NULL && event->kind == MLS_WATCH_PROGRESS) {
        if (isfinite(run->at))
            mls_buffer_printf(&text, "at %s %s", mls_words_count(run->at).text, unit);
        else
            mls_buffer_append_text(&text, "training");
        append_estimate(run, &text);
    } else if (run != NULL && event->kind == MLS_WATCH_EVALUATION) {
        mls_buffer_printf(&text, "evaluation %s at %s %s", mls_words_trimmed(run->last.value, 5).text,
                          mls_words_count(run->last.at).text, unit);
        if (isfinite(run->facts.target))
            mls_buffer_printf(&text, ", target %s", mls_words_trimmed(run->facts.target, 5).text);
        mls_buffer_printf(&text, ", %s min", mls_words_grouped(run->last.minutes, 3).text);
        append_estimate(run, &text);
    } else if (run != NULL && event->kind == MLS_WATCH_STOP) {
        const char *status = mls_run_status_name(run->status);
        mls_buffer_printf(&text, "%s after %s min", status != NULL ? status : "stopped without a status",
                          mls_words_grouped(mls_live_minutes(run, run->run_stop.time_ms), 3).text);
        if (isfinite(run->needed))
            mls_buffer_printf(&text, ", %s %s", mls_words_count(run->needed).text, unit);
    } else {
        const bool alone = event->kind == MLS_WATCH_FILE || event->kind == MLS_WATCH_FAILURE;
        const char *kind = alone ? "" : mls_watch_kind_name(event->kind);
        mls_buffer_printf(&text, "%s%s%s", kind, kind[0] != '\0' && event->message != NULL ? ": " : "",
                          event->message != NULL ? event->message : "");
    }
    mls_escape_append(line, mls_buffer_str(&text));
    mls_buffer_append_char(line, '\n');
    mls_buffer_release(&text);
}

/* ------------------------------------------------------------------------ curve */

enum { GRAPH_COLUMNS = 60, GRAPH_ROWS = 8, DOTS_ACROSS = 2, DOTS_DOWN = 4, GRAPH_LABEL = 10 };

/* The dots of each cell as the bits of a braille character: dots of the run, and of other runs. */
typedef struct dots {
    uint8_t own[GRAPH_ROWS][GRAPH_COLUMNS];
    uint8_t others[GRAPH_ROWS][GRAPH_COLUMNS];
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

/* Return the distance of a value from the top of the graph, in dots. */
static double dots_down(const dots *graph, double value)
{
    const double height = graph->highest > graph->lowest ? graph->highest - graph->lowest : 1;
    return (graph->highest - value) / height * (GRAPH_ROWS * DOTS_DOWN - 1) + 0.5;
}

static void mark(const dots *graph, uint8_t cells[GRAPH_ROWS][GRAPH_COLUMNS], const mls_curve *curve)
{
    static const uint8_t bits[DOTS_DOWN][DOTS_ACROSS] = {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
    for (size_t i = 0; i < curve->count; i++) {
        const mls_value_point *point = &curve->items[i];
        if (isfinite(point->value) && graph->furthest > 0 && point->at >= 0) {
            const size_t x = (size_t)(point->at / graph->furthest * (GRAPH_COLUMNS * DOTS_ACROSS - 1) + 0.5);
            const size_t y = (size_t)dots_down(graph, point->value);
            cells[y / DOTS_DOWN][x / DOTS_ACROSS] |= bits[y % DOTS_DOWN][x % DOTS_ACROSS];
        }
    }
}

/* Draw a run's evaluations against its positions, with finished runs of its group as fainter dots and the target as a
 * line.  Use braille dots or (`ascii`) '*' and '.'. */
static void draw_graph(const mls_live_run *run, bool ascii, mls_sheet *sheet)
{
    const double target = run->facts.target;
    dots graph = {
        .furthest = isfinite(run->estimate.end) ? run->estimate.end : run->at, .lowest = target, .highest = target};
    widen(&graph, &run->curve);
    for (int pass = 0; pass < 2; pass++) {
        for (size_t i = 0; run->group != NULL && i < run->group->runs.count; i++) {
            const mls_live_run *other = run->group->runs.items[i];
            if (other != run && mls_live_is_of(other, run->group) && other->state == MLS_LIVE_SUCCESS) {
                if (pass == 0)
                    widen(&graph, &other->curve);
                else
                    mark(&graph, graph.others, &other->curve);
            }
        }
    }
    mark(&graph, graph.own, &run->curve);
    const double down = isfinite(target) ? dots_down(&graph, target) : -1;
    const size_t line = down >= 0 && down < GRAPH_ROWS * DOTS_DOWN ? (size_t)down / DOTS_DOWN : SIZE_MAX;
    for (size_t y = 0; y < GRAPH_ROWS; y++) {
        const double value = y == line             ? target
                             : y == 0              ? graph.highest
                             : y + 1 == GRAPH_ROWS ? graph.lowest
                                                   : (double)NAN;
        mls_sheet_printf(sheet, MLS_STYLE_PLAIN, "%*s |", GRAPH_LABEL,
                         isfinite(value) ? mls_words_grouped(value, 3).text : "");
        for (size_t x = 0; x < GRAPH_COLUMNS; x++) {
            char braille[4];
            const bool own = graph.own[y][x] != 0;
            const uint8_t shown = own ? graph.own[y][x] : graph.others[y][x];
            const bool dotted = y == line && x % 2 == 0;
            const mls_str text = shown == 0 ? mls_str_from(dotted ? "-" : " ")
                                 : ascii    ? mls_str_from(own ? "*" : ".")
                                            : (mls_str){braille, mls_utf8_encode(0x2800U + shown, braille)};
            mls_sheet_text(sheet, own ? MLS_STYLE_BOLD : MLS_STYLE_DIM, text);
        }
        mls_sheet_end(sheet);
    }
    mls_sheet_printf(sheet, MLS_STYLE_PLAIN, "%*s +", GRAPH_LABEL, "");
    for (size_t x = 0; x < GRAPH_COLUMNS; x++)
        mls_sheet_text(sheet, MLS_STYLE_PLAIN, MLS_S("-"));
    mls_sheet_line(sheet, MLS_STYLE_PLAIN, " %s", mls_words_count(graph.furthest).text);
}

/* ------------------------------------------------------------------------ rows of runs */

enum { WIDE_FROM = 100, GRAPH_FROM = 30, BAR_MOST = 50 };

typedef struct composing {
    const mls_screen *screen;
    const mls_watch *watch;
    mls_sheet sheet;
    bool wide;
    size_t lines_left; /* rows left for runs; SIZE_MAX: no limit */
} composing;

void mls_screen_note(mls_screen *screen, mls_str text)
{
    free(screen->failures[0]);
    memmove(screen->failures, screen->failures + 1, (MLS_SCREEN_FAILURES - 1) * sizeof *screen->failures);
    screen->failures[MLS_SCREEN_FAILURES - 1] = mls_strndup(text.ptr, text.len);
    screen->noted++;
}

void mls_screen_release(mls_screen *screen)
{
    for (size_t i = 0; i < MLS_SCREEN_FAILURES; i++)
        free(screen->failures[i]);
    *screen = (mls_screen){0};
}

/* Return the current time of a run: the time of its last record plus the time since new bytes were last read. */
static double run_clock_ms(const composing *self, const mls_live_run *run)
{
    const double silence = self->watch->live.now_ms - run->followed->written_ms;
    return run->newest_ms + (self->screen->live && silence > 0 ? silence : 0);
}

static bool trains(const mls_live_run *run)
{
    return run->state == MLS_LIVE_TRAINING || run->state == MLS_LIVE_EVALUATING;
}

static mls_words minutes_short(double minutes)
{
    return mls_words_seconds(minutes > 0 ? floor(minutes * 60 + 0.5) : 0);
}

/* Append the remaining time, such as "0:24 (0:12-0:37, 2 runs)". */
static void append_left(const composing *self, const mls_live_run *run, mls_buffer *text)
{
    const double now_ms = run_clock_ms(self, run);
    const double since = (now_ms - run->estimated_ms) / 60000;
    const mls_estimate estimate = mls_live_estimate(run, now_ms);
    const mls_words low = minutes_short(estimate.low);
    const mls_words high = minutes_short(estimate.high);
    char from[40] = "reference";
    if (run->met) {
        mls_buffer_append_text(text, "target met");
        return;
    }
    if (estimate.from == MLS_ESTIMATE_RUNS || estimate.from == MLS_ESTIMATE_CURVES) {
        size_t count = 0;
        for (size_t i = 0; i < run->group->runs.count; i++) {
            const mls_live_run *other = run->group->runs.items[i];
            count += mls_live_is_of(other, run->group) && other->state == MLS_LIVE_SUCCESS;
        }
        (void)mls_text_printf(from, sizeof from, "%zu %s", count, count == 1 ? "run" : "runs");
    }
    if (estimate.from == MLS_ESTIMATE_NONE)
        mls_buffer_append_text(text, self->screen->ascii ? "-" : "–");
    else if (estimate.beyond)
        mls_buffer_append_text(text, "may not converge");
    else if (estimate.left > 0)
        mls_buffer_printf(text, "%s (%s-%s, %s)", minutes_short(estimate.left).text, low.text, high.text, from);
    else if (since > 2 * run->estimate.high)
        mls_buffer_printf(text, "overdue (%s)", from);
    else
        mls_buffer_printf(text, "any moment (%s-%s, %s)", low.text, high.text, from);
}

/* Add a number, or an empty cell if it is unknown. */
static void add_number(mls_table *table, const char *header, unsigned rank, double number, mls_words words)
{
    mls_table_text(table, header, MLS_COLUMN_RIGHT | MLS_COLUMN_RANK(rank), isfinite(number) ? words.text : "");
}

static void add_run(const composing *self, const mls_live_group *group, const mls_live_run *run, size_t number,
                    mls_table *table)
{
    const bool wide = self->wide;
    const double now_ms = run_clock_ms(self, run);
    const bool started = run->run_start.line > 0;
    const double init_ms = (started ? run->run_start.time_ms : now_ms) - run->init_start.time_ms;
    const double to_target = fabs(run->facts.target - run->last.value);
    const double at = trains(run) ? run->at : run->last.at;
    const bool invalid = run->judged && !run->valid;
    mls_buffer text = {0};
    mls_table_row(table);
    table->style = run->state == MLS_LIVE_ABORTED || run->state == MLS_LIVE_DIED || invalid ? MLS_STYLE_BAD
                   : run->stalled                                                           ? MLS_STYLE_WARN
                   : run->state == MLS_LIVE_SUCCESS                                         ? MLS_STYLE_GOOD
                                                                                            : MLS_STYLE_PLAIN;
    mls_table_cell(table, "run", MLS_COLUMN_RIGHT | MLS_COLUMN_RANK(0), table->style, "%zu", number);
    mls_table_cell(table, "state", MLS_COLUMN_LEFT | MLS_COLUMN_RANK(1), table->style, "%s%s",
                   run->stalled ? "stalled" : mls_live_state_name(run->state),
                   invalid && run->state == MLS_LIVE_SUCCESS ? ", not valid" : "");
    add_number(table, "init", 7, wide ? run->init_start.time_ms : (double)NAN, mls_words_clock(init_ms / 60000));
    if (run->run_stop.line > 0) {
        mls_buffer_append_text(&text, mls_words_grouped(mls_live_minutes(run, run->run_stop.time_ms), 3).text);
    } else if (started ? trains(run) : isfinite(run->init_start.time_ms)) {
        const double since_ms = started ? run->run_start.time_ms : run->init_start.time_ms;
        mls_buffer_append_text(&text, mls_words_seconds(floor((now_ms - since_ms) / 1000)).text);
    }
    mls_table_text(table, "train", MLS_COLUMN_RIGHT | MLS_COLUMN_RANK(2), mls_table_take(table, &text));
    add_number(table, mls_live_unit(group), 4, at, mls_words_trimmed(at, at < 1000 ? 3 : 0));
    add_number(table, "eval", 5, run->last.value, mls_words_grouped(run->last.value, 5));
    add_number(table, "to target", 8, wide ? to_target : (double)NAN, mls_words_trimmed(to_target, 5));
    add_number(table, wide ? "samples/s" : "/s", 6, run->throughput, mls_words_rate(run->throughput));
    add_number(table, "step", 9, wide ? run->step : (double)NAN, mls_words_count(run->step));
    if (trains(run))
        append_left(self, run, &text);
    mls_table_text(table, wide ? "left (80 %)" : "left", MLS_COLUMN_LEFT | MLS_COLUMN_RANK(3),
                   mls_table_take(table, &text));
    mls_table_text(table, "log", MLS_COLUMN_LEFT | MLS_COLUMN_RANK(10), wide ? mls_path_name(run->file) : "");
}

/* Draw the estimated progress as a bar, which is never full before the run has stopped. */
static void draw_bar(mls_sheet *sheet, const mls_live_run *run)
{
    const size_t room = sheet->width > 0 && sheet->width < BAR_MOST + 30 ? sheet->width / 2 : BAR_MOST;
    const double elapsed = mls_live_minutes(run, run->estimated_ms);
    const double share =
        isfinite(run->estimate.end) ? run->at / run->estimate.end : elapsed / (elapsed + run->estimate.left);
    if (run->estimate.from == MLS_ESTIMATE_NONE || !isfinite(share))
        return;
    const size_t full = (size_t)(fmax(0, fmin(share, 0.99)) * (double)room);
    mls_sheet_pad(sheet, 7);
    for (size_t i = 0; i < room; i++)
        mls_sheet_text(sheet, MLS_STYLE_PLAIN, i < full ? MLS_S("#") : MLS_S("-"));
    if (isfinite(run->facts.target))
        mls_sheet_printf(sheet, MLS_STYLE_PLAIN, "   target %s", mls_words_trimmed(run->facts.target, 5).text);
    mls_sheet_end(sheet);
}

/* Compare runs by number, unnumbered ones last. */
static int compare_numbers(const void *a, const void *b)
{
    const mls_live_run *left = *(mls_live_run *const *)a;
    const mls_live_run *right = *(mls_live_run *const *)b;
    const int order = (left->number == 0) - (right->number == 0);
    return order != 0                      ? order
           : left->number != right->number ? mls_compare_sizes(left->number, right->number)
                                           : mls_compare_sizes(left->found, right->found);
}

/* Draw the rows of runs.  If not all fit, replace finished runs by one line, and waiting runs by another line. */
static void draw_rows(composing *self, mls_live_run **runs, size_t count, mls_table *table)
{
    size_t finished = 0;
    size_t waiting = 0;
    size_t bars = 0;
    double low = (double)INFINITY;
    double high = 0;
    bool *folds = mls_calloc(count + 1, sizeof *folds);
    for (size_t i = 0; i < count; i++) {
        const double minutes = mls_live_minutes(runs[i], runs[i]->run_stop.time_ms);
        const bool waits = runs[i]->state == MLS_LIVE_WAITING;
        folds[i] = waits || (runs[i]->state == MLS_LIVE_SUCCESS && (!runs[i]->judged || runs[i]->valid));
        if (folds[i] && !waits) {
            finished++;
            low = fmin(low, minutes);
            high = fmax(high, minutes);
        }
        waiting += waits;
        bars += trains(runs[i]);
    }
    size_t room = self->lines_left;
    const bool fold = count + bars > room;
    if (fold && finished > 0) {
        mls_sheet_line(&self->sheet, MLS_STYLE_GOOD, "  %zu finished: %s-%s", finished, mls_words_grouped(low, 3).text,
                       mls_words_grouped(high, 3).text);
        room -= room > 1;
    }
    if (fold && waiting > 0) {
        mls_sheet_line(&self->sheet, MLS_STYLE_DIM, "  %zu waiting", waiting);
        room -= room > 1;
    }
    size_t more = 0;
    (void)mls_table_layout(table, self->sheet.width);
    mls_table_draw_header(table, &self->sheet);
    for (size_t i = 0; i < count; i++) {
        if (fold && folds[i])
            continue;
        if (room == 0 || more > 0) {
            more++;
            continue;
        }
        mls_table_draw_row(table, &table->rows[i], false, &self->sheet);
        room--;
        if (trains(runs[i]) && room > 0) {
            draw_bar(&self->sheet, runs[i]);
            room--;
        }
    }
    if (more > 0)
        mls_sheet_line(&self->sheet, MLS_STYLE_DIM, "  and %zu more", more);
    free(folds);
}

/* ------------------------------------------------------------------------ groups */

/* Check reference convergence, assuming that the remaining runs need as many samples as finished runs on average.
 * Return whether the result is known. */
static bool judge_reference(const mls_live_group *group, size_t to_come, mls_rcp_result *result)
{
    double *numbers = mls_calloc(group->runs.count + to_come + 1, sizeof *numbers);
    size_t count = 0;
    size_t good = 0;
    double sum = 0;
    bool known = false;
    for (size_t i = 0; i < group->runs.count; i++) {
        const mls_live_run *run = group->runs.items[i];
        if (mls_live_is_of(run, group) && mls_live_run_ended(run)) {
            const bool converged = run->state == MLS_LIVE_SUCCESS && isfinite(run->needed);
            numbers[count++] = converged ? run->needed : MLS_RCP_NOT_CONVERGED;
            sum += converged ? run->needed : 0;
            good += converged;
        }
    }
    if (good > 0 && group->points != NULL) {
        for (size_t i = 0; i < to_come; i++)
            numbers[count++] = sum / (double)good;
        *result = mls_rcp_check(group->points, group->batch_size, numbers, count);
        known = isfinite(result->submission_mean) && isfinite(result->limit.bar.limit);
    }
    free(numbers);
    return known;
}

static void draw_group(composing *self, const mls_live_group *group)
{
    const mls_screen *screen = self->screen;
    const mls_live *live = &self->watch->live;
    const char *dot = screen->ascii ? "-" : "·";
    mls_sheet *sheet = &self->sheet;
    mls_table table = {.indent = 2};
    /* The runs in the order of their numbers.  If there is only one group, include runs without a group. */
    const bool alone = live->groups.count == 1;
    const size_t all = alone ? live->runs.count : group->runs.count;
    mls_live_run *const *items = alone ? live->runs.items : group->runs.items;
    mls_live_run **runs = mls_calloc(all + 1, sizeof *runs);
    size_t count = 0;
    for (size_t i = 0; i < all; i++)
        if (items[i]->same == NULL)
            runs[count++] = items[i];
    qsort((void *)runs, count, sizeof *runs, compare_numbers);
    /* Print the heading. */
    const mls_group *scored = group->group;
    const char *benchmark = count > 0 ? runs[0]->facts.benchmark : NULL;
    const char *division = count > 0 ? runs[0]->facts.division : NULL;
    const char *job = screen->job;
    double began_ms = (double)NAN;
    double now_ms = (double)NAN;
    for (size_t i = 0; i < count; i++) {
        began_ms = fmin(began_ms, fmin(runs[i]->init_start.time_ms, runs[i]->run_start.time_ms));
        now_ms = fmax(now_ms, mls_live_run_ended(runs[i]) ? runs[i]->newest_ms : run_clock_ms(self, runs[i]));
        job = job != NULL ? job : runs[i]->facts.job;
    }
    mls_sheet_printf(sheet, MLS_STYLE_BOLD, "%s", benchmark != NULL ? benchmark : "unknown benchmark");
    const mls_str round = mls_edition_round(group->edition);
    mls_sheet_printf(sheet, MLS_STYLE_PLAIN, "  %s  %s %.*s", division != NULL ? division : "no division",
                     mls_usage_name(group->edition->usage), (int)round.len, round.ptr);
    if (scored != NULL && isfinite(scored->accelerators)) {
        mls_sheet_printf(sheet, MLS_STYLE_PLAIN, "   %s x %s", mls_words_count(scored->accelerators).text,
                         scored->accelerator != NULL ? scored->accelerator : "accelerators");
    }
    if (job != NULL)
        mls_sheet_printf(sheet, MLS_STYLE_PLAIN, "   job %s", job);
    if (now_ms > began_ms) {
        const mls_words clock = mls_words_seconds(floor((now_ms - began_ms) / 1000));
        const size_t length = strlen(clock.text);
        if (sheet->width > length + sheet->used + 1) {
            mls_sheet_pad(sheet, sheet->width - length);
            mls_sheet_printf(sheet, MLS_STYLE_PLAIN, "%s", clock.text);
        } else if (sheet->width == 0) {
            mls_sheet_printf(sheet, MLS_STYLE_PLAIN, "   %s", clock.text);
        }
    }
    mls_sheet_end(sheet);
    const mls_live_run *running = NULL;
    for (size_t i = 0; i < count; i++) {
        add_run(self, group, runs[i], runs[i]->number > 0 ? runs[i]->number : i + 1, &table);
        running = running == NULL && !mls_live_run_ended(runs[i]) && runs[i]->curve.count > 1 ? runs[i] : running;
    }
    draw_rows(self, runs, count, &table);
    mls_table_release(&table);
    free((void *)runs);
    if (running != NULL && sheet->width >= WIDE_FROM && screen->height >= GRAPH_FROM)
        draw_graph(running, screen->ascii, sheet);
    /* Print the score so far. */
    double *minutes = mls_calloc(group->runs.count + 1, sizeof *minutes);
    mls_so_far so_far = mls_watch_so_far(group, minutes);
    const mls_outlook outlook = mls_outlook_make(&so_far);
    const mls_words now = mls_words_grouped(outlook.now, 3);
    mls_sheet_printf(sheet, MLS_STYLE_PLAIN, outlook.needed > 0 ? "  %zu of %zu" : "  %zu finished", outlook.finished,
                     outlook.needed);
    if (outlook.impossible) {
        mls_sheet_printf(sheet, MLS_STYLE_BAD, " %s no score possible: too many runs are not valid", dot);
    } else if (outlook.official) {
        mls_sheet_printf(sheet, MLS_STYLE_BOLD, " %s score %s min", dot, now.text);
    } else if (isfinite(outlook.now)) {
        mls_sheet_printf(sheet, MLS_STYLE_PLAIN, " %s mean %s min, not official", dot, now.text);
        if (outlook.to_come > 0) {
            mls_sheet_printf(sheet, MLS_STYLE_PLAIN, " %s best %s %s worst %s", dot,
                             mls_words_grouped(outlook.best, 3).text, dot, mls_words_grouped(outlook.worst, 3).text);
        }
    }
    mls_sheet_end(sheet);
    /* Print what the remaining runs must achieve. */
    mls_rcp_result reference;
    const bool known = judge_reference(group, outlook.to_come, &reference);
    const double wanted =
        screen->beat_of != NULL && group->group != NULL ? screen->beat_of(group->group) : screen->beat;
    so_far.scale = known ? reference.score_scale : 1;
    if (isfinite(wanted) && so_far.rules->runs_needed > 0) {
        double mean;
        const mls_beat beat = mls_outlook_beat(&so_far, wanted, &mean);
        mls_sheet_printf(sheet, MLS_STYLE_PLAIN, "  beat %s: ", mls_words_trimmed(wanted, 3).text);
        if (beat == MLS_BEAT_IF) {
            mls_sheet_printf(sheet, MLS_STYLE_PLAIN, "the other %zu must average less than %s", outlook.to_come,
                             mls_words_grouped(mean, 3).text);
        } else {
            mls_sheet_printf(sheet, MLS_STYLE_PLAIN, beat == MLS_BEAT_CERTAIN ? "certain" : "cannot");
        }
        if (so_far.scale > 1)
            mls_sheet_printf(sheet, MLS_STYLE_PLAIN, " (current scale %s)", mls_words_grouped(so_far.scale, 4).text);
        mls_sheet_end(sheet);
    }
    if (known) {
        const int decimals = reference.submission_mean < 1000 ? 3 : 0;
        mls_sheet_line(sheet, reference.pass ? MLS_STYLE_PLAIN : MLS_STYLE_WARN, "  reference: %s%s, mean %s, limit %s",
                       reference.pass ? "pass" : "fail", outlook.to_come > 0 ? " so far" : "",
                       mls_words_trimmed(reference.submission_mean, decimals).text,
                       mls_words_trimmed(reference.limit.bar.limit, decimals).text);
    }
    free(minutes);
}

void mls_screen_compose(const mls_screen *screen, const mls_watch *watch, mls_buffer *block)
{
    const mls_live *live = &watch->live;
    const size_t groups = live->groups.count > 0 ? live->groups.count : 1;
    const size_t failures = screen->noted < MLS_SCREEN_FAILURES ? screen->noted : MLS_SCREEN_FAILURES;
    const bool beats = screen->beat_of != NULL || isfinite(screen->beat);
    const size_t around =
        (beats ? 5U : 4U) * groups + failures + (screen->noted > failures) + watch->follow.missing.count;
    composing self = {.screen = screen,
                      .watch = watch,
                      .sheet = {.out = block, .width = screen->width, .color = screen->color},
                      .wide = screen->width == 0 || screen->width >= WIDE_FROM,
                      .lines_left = screen->height == 0       ? SIZE_MAX
                                    : screen->height > around ? (screen->height - around) / groups
                                                              : 1};
    mls_sheet *sheet = &self.sheet;
    for (size_t i = 0; i < live->groups.count; i++)
        draw_group(&self, live->groups.items[i]);
    /* Print runs and files without a group. */
    for (size_t i = 0; i < watch->follow.missing.count; i++)
        mls_sheet_line(sheet, MLS_STYLE_DIM, "waiting for '%s'", watch->follow.missing.items[i]);
    size_t shown = 0;
    for (size_t i = 0; i < live->runs.count && live->groups.count != 1; i++) {
        const mls_live_run *run = live->runs.items[i];
        if (run->group == NULL && run->same == NULL && shown++ < 5)
            mls_sheet_line(sheet, MLS_STYLE_PLAIN, "%s: %s", mls_path_name(run->file), mls_live_state_name(run->state));
    }
    if (shown == 0 && live->groups.count == 0 && watch->follow.missing.count == 0) {
        mls_sheet_line(sheet, MLS_STYLE_DIM, "no run yet in %zu %s", watch->follow.files.count,
                       watch->follow.files.count == 1 ? "file" : "files");
    }
    /* Print the last failure lines, and the number of earlier ones. */
    size_t more = screen->noted - failures;
    for (size_t i = MLS_SCREEN_FAILURES - failures; i < MLS_SCREEN_FAILURES; i++)
        mls_sheet_line(sheet, MLS_STYLE_BAD, "  ! %s", screen->failures[i]);
    for (size_t i = 0; i < live->runs.count; i++) {
        const mls_live_run *run = live->runs.items[i];
        more += run->same == NULL ? mls_live_failures_left(run) : 0;
    }
    if (more > 0)
        mls_sheet_line(sheet, MLS_STYLE_BAD, "  ! and %zu more", more);
}
