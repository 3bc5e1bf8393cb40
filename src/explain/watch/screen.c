/* SPDX-License-Identifier: Apache-2.0 */
/* screen.c - groups, their runs, what their score is and may be, and what went wrong. */
#include "explain/watch/screen.h"

#include <math.h>
#include <stdlib.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/statistics.h"
#include "base/words.h"
#include "explain/watch/graph.h"
#include "explain/watch/lines.h"
#include "term/rows.h"

enum { FAILURES_KEPT = 3, WIDE_FROM = 100, GRAPH_FROM = 30, GRAPH_LINES = 8, BAR_MOST = 50 };

/* The columns; those of a narrow window first. */
enum {
    COL_RUN,
    COL_STATE,
    COL_INIT,
    COL_TRAIN,
    COL_SAMPLES,
    COL_EVAL,
    COL_TO_TARGET,
    COL_PACE,
    COL_STEP,
    COL_LEFT,
    COL_LOG,
    COL_COUNT
};

typedef struct composing {
    const mls_screen *screen;
    const mls_watch *watch;
    mls_sheet sheet;
    size_t lines_left; /* for rows of runs; SIZE_MAX: any number */
} composing;

bool mls_screen_note(mls_screen *screen, mls_str text)
{
    char *copy = mls_strndup(text.ptr, text.len);
    if (copy == NULL || (screen->failures.count < FAILURES_KEPT && !MLS_GROW(&screen->failures, items))) {
        free(copy);
        return false;
    }
    char **items = screen->failures.items;
    if (screen->failures.count == FAILURES_KEPT) {
        free(items[0]);
        memmove(items, items + 1, (FAILURES_KEPT - 1) * sizeof *items);
        screen->failures.count--;
    }
    items[screen->failures.count++] = copy;
    screen->noted++;
    return true;
}

void mls_screen_release(mls_screen *screen)
{
    for (size_t i = 0; i < screen->failures.count; i++) {
        free(screen->failures.items[i]);
    }
    free(screen->failures.items);
    *screen = (mls_screen){0};
}

/* The time in the run: that of its last record, and what went by since it was written. */
static double run_clock_ms(const composing *self, const mls_live_run *run)
{
    const double silence = self->watch->live.now_ms - run->followed->written_ms;
    return run->newest_ms + (self->screen->live && silence > 0 ? silence : 0);
}

static size_t count_ended_well(const mls_live_group *group)
{
    size_t count = 0;
    for (size_t i = 0; i < group->runs.count; i++) {
        const mls_live_run *run = group->runs.items[i];
        count += mls_live_is_of(run, group) && run->state == MLS_LIVE_SUCCESS;
    }
    return count;
}

static mls_words minutes_short(double minutes)
{
    return mls_words_seconds(minutes > 0 ? floor(minutes * 60 + 0.5) : 0);
}

/* "0:24 (0:12-0:37, 2 runs)" */
static void left_cell(const composing *self, const mls_live_run *run, mls_grid *grid)
{
    const double now_ms = run_clock_ms(self, run);
    const double since = (now_ms - run->estimated_ms) / 60000;
    char from[40] = "reference";
    if (run->met) {
        mls_grid_cell(grid, COL_LEFT, "target met");
        return;
    }
    const mls_estimate estimate = mls_live_estimate(run, now_ms);
    if (estimate.from == MLS_ESTIMATE_NONE) {
        mls_grid_cell(grid, COL_LEFT, self->screen->ascii ? "-" : "–");
        return;
    }
    if (estimate.from != MLS_ESTIMATE_REFERENCE) {
        const size_t count = count_ended_well(run->group);
        (void)mls_text_printf(from, sizeof from, "%zu %s", count, count == 1 ? "run" : "runs");
    }
    if (estimate.beyond) {
        mls_grid_cell(grid, COL_LEFT, "may not converge");
    } else if (!(estimate.left > 0) && since > 2 * run->estimate.high) {
        mls_grid_cell(grid, COL_LEFT, "overdue (%s)", from);
    } else if (!(estimate.left > 0)) {
        mls_grid_cell(grid, COL_LEFT, "any moment (%s-%s, %s)", minutes_short(estimate.low).text,
                      minutes_short(estimate.high).text, from);
    } else {
        mls_grid_cell(grid, COL_LEFT, "%s (%s-%s, %s)", minutes_short(estimate.left).text,
                      minutes_short(estimate.low).text, minutes_short(estimate.high).text, from);
    }
}

static mls_ink ink_of(const mls_live_run *run)
{
    const bool bad = run->state == MLS_LIVE_ABORTED || run->state == MLS_LIVE_DIED || (run->judged && !run->valid);
    return bad                              ? MLS_INK_BAD
           : run->stalled                   ? MLS_INK_WARN
           : run->state == MLS_LIVE_SUCCESS ? MLS_INK_GOOD
                                            : MLS_INK_PLAIN;
}

static void words_or_nothing(mls_grid *grid, size_t column, double number, mls_words words)
{
    if (isfinite(number)) {
        mls_grid_cell(grid, column, "%s", words.text);
    }
}

static void add_live_run(const composing *self, const mls_live_run *run, size_t number, mls_grid *grid)
{
    const double now_ms = run_clock_ms(self, run);
    const double init_end = run->run_start.line > 0 ? run->run_start.time_ms : now_ms;
    const bool runs = run->state == MLS_LIVE_TRAINING || run->state == MLS_LIVE_EVALUATING;
    const bool started = run->run_start.line > 0;
    mls_grid_row_add(grid, ink_of(run));
    mls_grid_cell(grid, COL_RUN, "%zu", number);
    mls_grid_cell(grid, COL_STATE, "%s%s", run->stalled ? "stalled" : mls_live_state_name(run->state),
                  run->judged && !run->valid && run->state == MLS_LIVE_SUCCESS ? ", not valid" : "");
    if (self->sheet.width == 0 || self->sheet.width >= WIDE_FROM) {
        const double to_target = fabs(run->facts.target - run->last.value);
        words_or_nothing(grid, COL_INIT, run->init_start.time_ms,
                         mls_words_clock((init_end - run->init_start.time_ms) / 60000));
        words_or_nothing(grid, COL_TO_TARGET, to_target, mls_words_trimmed(to_target, 5));
        words_or_nothing(grid, COL_STEP, run->step, mls_words_count(run->step));
        mls_grid_cell(grid, COL_LOG, "%s", mls_path_name(run->file));
    }
    if (run->run_stop.line > 0) {
        mls_grid_cell(grid, COL_TRAIN, "%s", mls_words_grouped(mls_live_minutes(run, run->run_stop.time_ms), 3).text);
    } else if (started && runs) {
        mls_grid_cell(grid, COL_TRAIN, "%s", mls_words_seconds(floor((now_ms - run->run_start.time_ms) / 1000)).text);
    } else if (!started && isfinite(run->init_start.time_ms)) {
        mls_grid_cell(grid, COL_TRAIN, "%s", mls_words_seconds(floor((now_ms - run->init_start.time_ms) / 1000)).text);
    }
    const double at = runs ? run->at : run->last.at;
    words_or_nothing(grid, COL_SAMPLES, at, mls_words_trimmed(at, at < 1000 ? 3 : 0));
    words_or_nothing(grid, COL_EVAL, run->last.value, mls_words_grouped(run->last.value, 5));
    words_or_nothing(grid, COL_PACE, run->throughput, mls_words_rate(run->throughput));
    if (runs) {
        left_cell(self, run, grid);
    }
}

/* How far the run is by its estimate, as a bar; never whole before it has stopped. */
static void draw_bar(composing *self, const mls_live_run *run)
{
    const size_t room = self->sheet.width > 0 && self->sheet.width < BAR_MOST + 30 ? self->sheet.width / 2 : BAR_MOST;
    const double elapsed = mls_live_minutes(run, run->estimated_ms);
    const double by_time = elapsed / (elapsed + run->estimate.left);
    const double share = isfinite(run->estimate.end) ? run->at / run->estimate.end : by_time;
    if (run->estimate.from == MLS_ESTIMATE_NONE || !isfinite(share)) {
        return;
    }
    const size_t full = (size_t)(fmax(0, fmin(share, 0.99)) * (double)room);
    mls_buffer bar = {0};
    mls_buffer_append_repeated(&bar, '#', full);
    mls_buffer_append_repeated(&bar, '-', room - full);
    mls_sheet_pad(&self->sheet, 7);
    mls_sheet_text(&self->sheet, MLS_INK_PLAIN, mls_buffer_str(&bar));
    if (isfinite(run->facts.target)) {
        mls_sheet_printf(&self->sheet, MLS_INK_PLAIN, "   target %s", mls_words_trimmed(run->facts.target, 5).text);
    }
    mls_sheet_end(&self->sheet);
    self->sheet.out->failed |= bar.failed;
    mls_buffer_release(&bar);
}

/* Those without a number come last. */
static int compare_numbers(const void *a, const void *b)
{
    const mls_live_run *left = *(mls_live_run *const *)a;
    const mls_live_run *right = *(mls_live_run *const *)b;
    const int order = (left->number == 0) - (right->number == 0);
    return order != 0                      ? order
           : left->number != right->number ? (left->number > right->number) - (left->number < right->number)
                                           : (left->found > right->found) - (left->found < right->found);
}

/* The runs of a group in the order of their numbers; with one group alone also those that are in none yet. */
static mls_live_run **runs_in_order(const mls_live *live, const mls_live_group *group, size_t *count)
{
    const bool alone = live->groups.count == 1;
    const size_t all = alone ? live->runs.count : group->runs.count;
    mls_live_run *const *items = alone ? live->runs.items : group->runs.items;
    mls_live_run **runs = mls_calloc(all + 1, sizeof *runs);
    *count = 0;
    for (size_t i = 0; i < all && runs != NULL; i++) {
        if (items[i]->same == NULL) {
            runs[(*count)++] = items[i];
        }
    }
    if (*count > 1) {
        qsort((void *)runs, *count, sizeof *runs, compare_numbers);
    }
    return runs;
}

static bool is_plain_end(const mls_live_run *run)
{
    return run->state == MLS_LIVE_SUCCESS && (!run->judged || run->valid);
}

/* "7 finished: 1.524-1.733", in place of so many rows; and the same of those that wait. */
static void draw_folded(composing *self, size_t count, double low, double high)
{
    if (isfinite(low)) {
        mls_sheet_printf(&self->sheet, MLS_INK_GOOD, "  %zu finished: %s-%s", count, mls_words_grouped(low, 3).text,
                         mls_words_grouped(high, 3).text);
    } else {
        mls_sheet_printf(&self->sheet, MLS_INK_DIM, "  %zu waiting", count);
    }
    mls_sheet_end(&self->sheet);
}

static bool has_bar(const mls_live_run *run)
{
    return run->state == MLS_LIVE_TRAINING || run->state == MLS_LIVE_EVALUATING;
}

/* The rows that are not folded, as many as there is room for. */
static void draw_shown(composing *self, mls_live_run **runs, size_t count, const mls_grid *grid, bool fold, size_t room)
{
    size_t more = 0;
    for (size_t i = 0; i < count; i++) {
        if (fold && (is_plain_end(runs[i]) || runs[i]->state == MLS_LIVE_WAITING)) {
            continue;
        }
        if (room == 0 || more > 0) {
            more++;
            continue;
        }
        mls_grid_draw(grid, i, &self->sheet);
        room--;
        if (has_bar(runs[i]) && room > 0) {
            draw_bar(self, runs[i]);
            room--;
        }
    }
    if (more > 0) {
        mls_sheet_printf(&self->sheet, MLS_INK_DIM, "  and %zu more", more);
        mls_sheet_end(&self->sheet);
    }
}

static void draw_rows(composing *self, mls_live_run **runs, size_t count, const mls_grid *grid)
{
    size_t folded = 0;
    size_t waiting = 0;
    size_t bars = 0;
    double low = (double)INFINITY;
    double high = 0;
    for (size_t i = 0; i < count; i++) {
        const double minutes = mls_live_minutes(runs[i], runs[i]->run_stop.time_ms);
        if (is_plain_end(runs[i])) {
            folded++;
            low = fmin(low, minutes);
            high = fmax(high, minutes);
        }
        waiting += runs[i]->state == MLS_LIVE_WAITING;
        bars += has_bar(runs[i]);
    }
    size_t room = self->lines_left;
    const bool fold = count + bars > room;
    if (fold && folded > 0) {
        draw_folded(self, folded, low, high);
        room -= room > 1;
    }
    if (fold && waiting > 0) {
        draw_folded(self, waiting, (double)NAN, (double)NAN);
        room -= room > 1;
    }
    mls_grid_draw(grid, SIZE_MAX, &self->sheet);
    draw_shown(self, runs, count, grid, fold, room);
}

/* Its columns in words of their own. */
static void name_columns(const composing *self, const mls_live_group *group, mls_grid *grid)
{
    const bool wide = self->sheet.width == 0 || self->sheet.width >= WIDE_FROM;
    static const struct {
        const char *narrow, *wide;
        bool right;
        unsigned rank;
    } columns[COL_COUNT] = {[COL_RUN] = {"run", "run", true, 0},
                            [COL_STATE] = {"state", "state", false, 1},
                            [COL_INIT] = {NULL, "init", true, 7},
                            [COL_TRAIN] = {"train", "train", true, 2},
                            [COL_SAMPLES] = {NULL, NULL, true, 4},
                            [COL_EVAL] = {"eval", "eval", true, 5},
                            [COL_TO_TARGET] = {NULL, "to target", true, 8},
                            [COL_PACE] = {"/s", "samples/s", true, 6},
                            [COL_STEP] = {NULL, "step", true, 9},
                            [COL_LEFT] = {"left", "left (80 %)", false, 3},
                            [COL_LOG] = {NULL, "log", false, 10}};
    grid->columns = COL_COUNT;
    for (size_t i = 0; i < COL_COUNT; i++) {
        grid->headers[i] = i == COL_SAMPLES ? mls_live_unit(group) : wide ? columns[i].wide : columns[i].narrow;
        grid->right[i] = columns[i].right;
        grid->rank[i] = columns[i].rank;
    }
}

static void draw_heading(composing *self, const mls_live_group *group, mls_live_run **runs, size_t count)
{
    const mls_group *scored = group->group;
    const char *benchmark = count > 0 ? runs[0]->facts.benchmark : NULL;
    const char *division = count > 0 ? runs[0]->facts.division : NULL;
    const char *job = self->screen->job;
    double began_ms = (double)NAN;
    double now_ms = (double)NAN;
    for (size_t i = 0; i < count; i++) {
        began_ms = fmin(began_ms, runs[i]->init_start.time_ms);
        began_ms = fmin(began_ms, runs[i]->run_start.time_ms);
        now_ms = fmax(now_ms, mls_live_run_ended(runs[i]) ? runs[i]->newest_ms : run_clock_ms(self, runs[i]));
        job = job != NULL ? job : runs[i]->facts.job;
    }
    mls_sheet_printf(&self->sheet, MLS_INK_BOLD, "%s", benchmark != NULL ? benchmark : "unknown benchmark");
    const mls_str round = mls_edition_round(group->edition);
    mls_sheet_printf(&self->sheet, MLS_INK_PLAIN, "  %s  %s %.*s", division != NULL ? division : "no division",
                     mls_usage_name(group->edition->usage), (int)round.len, round.ptr);
    if (scored != NULL && isfinite(scored->accelerators)) {
        mls_sheet_printf(&self->sheet, MLS_INK_PLAIN, "   %s x %s", mls_words_count(scored->accelerators).text,
                         scored->accelerator != NULL ? scored->accelerator : "accelerators");
    }
    if (job != NULL) {
        mls_sheet_printf(&self->sheet, MLS_INK_PLAIN, "   job %s", job);
    }
    if (now_ms > began_ms) {
        const mls_words clock = mls_words_seconds(floor((now_ms - began_ms) / 1000));
        const size_t length = strlen(clock.text);
        if (self->sheet.width > length + self->sheet.used + 1) {
            mls_sheet_pad(&self->sheet, self->sheet.width - length);
            mls_sheet_printf(&self->sheet, MLS_INK_PLAIN, "%s", clock.text);
        } else if (self->sheet.width == 0) {
            mls_sheet_printf(&self->sheet, MLS_INK_PLAIN, "   %s", clock.text);
        }
    }
    mls_sheet_end(&self->sheet);
}

static mls_status draw_beat(composing *self, const mls_live_group *group, const mls_so_far *so_far, size_t to_come)
{
    const mls_screen *screen = self->screen;
    const double wanted =
        screen->beat_of != NULL && group->group != NULL ? screen->beat_of(screen->state, group->group) : screen->beat;
    mls_beat beat;
    double mean;
    if (!isfinite(wanted) || so_far->rules->runs_needed == 0) {
        return MLS_OK;
    }
    const mls_status status = mls_outlook_beat(so_far, wanted, &beat, &mean);
    mls_sheet_printf(&self->sheet, MLS_INK_PLAIN, "  beat %s: ", mls_words_trimmed(wanted, 3).text);
    if (beat == MLS_BEAT_IF) {
        mls_sheet_printf(&self->sheet, MLS_INK_PLAIN, "the other %zu must average less than %s", to_come,
                         mls_words_grouped(mean, 3).text);
    } else {
        mls_sheet_printf(&self->sheet, MLS_INK_PLAIN, beat == MLS_BEAT_CERTAIN ? "certain" : "cannot");
    }
    if (so_far->scale > 1) {
        mls_sheet_printf(&self->sheet, MLS_INK_PLAIN, ", scaled by %s as now",
                         mls_words_grouped(so_far->scale, 4).text);
    }
    mls_sheet_end(&self->sheet);
    return status;
}

/* Convergence if the runs to come need what those before them needed. */
static mls_status judge_reference(const mls_live_group *group, size_t to_come, mls_rcp_result *result, bool *known)
{
    double *numbers = mls_calloc(group->runs.count + to_come + 1, sizeof *numbers);
    size_t count = 0;
    size_t good = 0;
    double sum = 0;
    *known = false;
    if (numbers == NULL) {
        return MLS_ERROR_MEMORY;
    }
    for (size_t i = 0; i < group->runs.count; i++) {
        const mls_live_run *run = group->runs.items[i];
        if (mls_live_is_of(run, group) && mls_live_run_ended(run)) {
            const bool converged = run->state == MLS_LIVE_SUCCESS && isfinite(run->needed);
            numbers[count++] = converged ? run->needed : MLS_RCP_NOT_CONVERGED;
            sum += converged ? run->needed : 0;
            good += converged;
        }
    }
    for (size_t i = 0; i < to_come && good > 0; i++) {
        numbers[count++] = sum / (double)good;
    }
    if (good > 0 && group->points != NULL) {
        *result = mls_rcp_check(group->points, group->batch_size, numbers, count);
        *known = isfinite(result->submission_mean) && isfinite(result->limit.bar.limit);
    }
    free(numbers);
    return MLS_OK;
}

static void draw_score(composing *self, const mls_outlook *outlook)
{
    const char *dot = self->screen->ascii ? "-" : "·";
    mls_sheet_printf(&self->sheet, MLS_INK_PLAIN, outlook->needed > 0 ? "  %zu of %zu" : "  %zu finished",
                     outlook->finished, outlook->needed);
    if (outlook->impossible) {
        mls_sheet_printf(&self->sheet, MLS_INK_BAD, " %s no score possible: more runs are not valid than may be", dot);
    } else if (outlook->official) {
        mls_sheet_printf(&self->sheet, MLS_INK_BOLD, " %s score %s min", dot, mls_words_grouped(outlook->now, 3).text);
    } else if (isfinite(outlook->now)) {
        mls_sheet_printf(&self->sheet, MLS_INK_PLAIN, " %s mean %s min, not official", dot,
                         mls_words_grouped(outlook->now, 3).text);
        if (outlook->to_come > 0) {
            mls_sheet_printf(&self->sheet, MLS_INK_PLAIN, " %s best %s %s worst %s", dot,
                             mls_words_grouped(outlook->best, 3).text, dot, mls_words_grouped(outlook->worst, 3).text);
        }
    }
    mls_sheet_end(&self->sheet);
}

/* What the score is, and may be. */
static mls_status draw_outlook(composing *self, const mls_live_group *group)
{
    double *minutes = NULL;
    mls_so_far so_far;
    mls_outlook outlook = {0};
    mls_rcp_result reference;
    bool known = false;
    mls_status status = mls_watch_so_far(group, &minutes, &so_far);
    status = status == MLS_OK ? mls_outlook_make(&so_far, &outlook) : status;
    status = status == MLS_OK ? judge_reference(group, outlook.to_come, &reference, &known) : status;
    if (status == MLS_OK) {
        so_far.scale = known ? reference.score_scale : 1;
        draw_score(self, &outlook);
        status = draw_beat(self, group, &so_far, outlook.to_come);
    }
    if (status == MLS_OK && known) {
        const int decimals = reference.submission_mean < 1000 ? 3 : 0;
        mls_sheet_printf(&self->sheet, reference.pass ? MLS_INK_PLAIN : MLS_INK_WARN,
                         "  reference: %s%s, mean %s, limit %s", reference.pass ? "pass" : "fail",
                         outlook.to_come > 0 ? " so far" : "",
                         mls_words_trimmed(reference.submission_mean, decimals).text,
                         mls_words_trimmed(reference.limit.bar.limit, decimals).text);
        mls_sheet_end(&self->sheet);
    }
    free(minutes);
    return status;
}

static mls_status draw_group(composing *self, const mls_live_group *group)
{
    mls_grid grid = {0};
    size_t count;
    mls_live_run **runs = runs_in_order(&self->watch->live, group, &count);
    mls_status status = runs != NULL ? MLS_OK : MLS_ERROR_MEMORY;
    const mls_live_run *running = NULL;
    if (runs != NULL) {
        name_columns(self, group, &grid);
        draw_heading(self, group, runs, count);
    }
    for (size_t i = 0; i < count && status == MLS_OK; i++) {
        add_live_run(self, runs[i], runs[i]->number > 0 ? runs[i]->number : i + 1, &grid);
        running = running == NULL && !mls_live_run_ended(runs[i]) && runs[i]->curve.count > 1 ? runs[i] : running;
    }
    if (status == MLS_OK) {
        draw_rows(self, runs, count, &grid);
        if (running != NULL && self->sheet.width >= WIDE_FROM && self->screen->height >= GRAPH_FROM) {
            status = mls_graph_draw(running, GRAPH_LINES, self->screen->ascii, &self->sheet);
        }
        status = status == MLS_OK ? draw_outlook(self, group) : status;
    }
    status = grid.failed ? MLS_ERROR_MEMORY : status;
    mls_grid_release(&grid);
    free((void *)runs);
    return status;
}

/* What no group is known of yet. */
static void draw_ungrouped(composing *self)
{
    const mls_watch *watch = self->watch;
    for (size_t i = 0; i < watch->follow.missing.count; i++) {
        mls_sheet_printf(&self->sheet, MLS_INK_DIM, "waiting for '%s'", watch->follow.missing.items[i]);
        mls_sheet_end(&self->sheet);
    }
    size_t shown = 0;
    for (size_t i = 0; i < watch->live.runs.count && watch->live.groups.count != 1; i++) {
        const mls_live_run *run = watch->live.runs.items[i];
        if (run->group == NULL && run->same == NULL && shown++ < 5) {
            mls_sheet_printf(&self->sheet, MLS_INK_PLAIN, "%s: %s", mls_path_name(run->file),
                             mls_live_state_name(run->state));
            mls_sheet_end(&self->sheet);
        }
    }
    if (shown == 0 && watch->live.groups.count == 0 && watch->follow.missing.count == 0) {
        mls_sheet_printf(&self->sheet, MLS_INK_DIM, "no run yet in %zu %s", watch->follow.files.count,
                         watch->follow.files.count == 1 ? "file" : "files");
        mls_sheet_end(&self->sheet);
    }
}

/* Lines of failure, and how many more there are. */
static void draw_failures(composing *self)
{
    const mls_screen *screen = self->screen;
    const mls_live *live = &self->watch->live;
    size_t more = screen->noted - screen->failures.count;
    for (size_t i = 0; i < screen->failures.count; i++) {
        mls_sheet_printf(&self->sheet, MLS_INK_BAD, "  ! %s", screen->failures.items[i]);
        mls_sheet_end(&self->sheet);
    }
    for (size_t i = 0; i < live->runs.count; i++) {
        const mls_live_run *run = live->runs.items[i];
        more += run->same == NULL ? mls_live_failures_left(run) : 0;
    }
    if (more > 0) {
        mls_sheet_printf(&self->sheet, MLS_INK_BAD, "  ! and %zu more", more);
        mls_sheet_end(&self->sheet);
    }
}

mls_status mls_screen_compose(const mls_screen *screen, const mls_watch *watch, mls_buffer *block)
{
    const size_t groups = watch->live.groups.count > 0 ? watch->live.groups.count : 1;
    const bool beats = screen->beat_of != NULL || isfinite(screen->beat);
    const size_t around = (beats ? 5U : 4U) * groups + screen->failures.count + (screen->noted > FAILURES_KEPT) +
                          watch->follow.missing.count;
    composing self = {.screen = screen,
                      .watch = watch,
                      .sheet = {.out = block, .width = screen->width, .color = screen->color},
                      .lines_left = screen->height == 0       ? SIZE_MAX
                                    : screen->height > around ? (screen->height - around) / groups
                                                              : 1};
    mls_status status = MLS_OK;
    for (size_t i = 0; i < watch->live.groups.count && status == MLS_OK; i++) {
        status = draw_group(&self, watch->live.groups.items[i]);
    }
    draw_ungrouped(&self);
    draw_failures(&self);
    return status == MLS_OK && block->failed ? MLS_ERROR_MEMORY : status;
}
