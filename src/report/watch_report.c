/* SPDX-License-Identifier: Apache-2.0 */
/* watch_report.c - the report of the events of running jobs: objects for programs, and lines for people. */
#include <math.h>

#include "explain/watch/watch.h"
#include "report/reports.h"

static bool is_of_timed_run(const mls_watch_event *event)
{
    return event->run != NULL && event->run->run_start.line > 0;
}

static double elapsed_of(const mls_watch_event *event)
{
    return is_of_timed_run(event) ? mls_live_minutes(event->run, event->time_ms) : (double)NAN;
}

/* Return the position of the run at an event, in epochs or in samples; NAN if the position is unknown or has the other
 * unit. */
static double position_in(const mls_watch_event *event, bool epochs)
{
    const mls_live_run *run = event->run;
    const bool evaluated = event->kind == MLS_WATCH_EVALUATION || event->kind == MLS_WATCH_STOP;
    return !is_of_timed_run(event) || epochs != (strcmp(mls_live_unit(run->group), "epochs") == 0) ? (double)NAN
           : evaluated                                                                             ? run->last.at
           : event->kind == MLS_WATCH_PROGRESS                                                     ? run->at
                                                                                                   : (double)NAN;
}

/* Return the estimate of the remaining time at an event, or mls_estimate_none() if the event does not have an estimate.
 * The remaining time of a run that met its target is 0. */
static mls_estimate estimate_of(const mls_watch_event *event)
{
    const bool estimates =
        event->kind == MLS_WATCH_START || event->kind == MLS_WATCH_PROGRESS || event->kind == MLS_WATCH_EVALUATION;
    mls_estimate estimate = estimates ? event->run->estimate : mls_estimate_none();
    if (estimates && event->run->met)
        estimate.left = estimate.low = estimate.high = 0;
    return estimate;
}

static bool says_converged(const mls_watch_event *event)
{
    const bool evaluated = event->kind == MLS_WATCH_EVALUATION || event->kind == MLS_WATCH_PROGRESS;
    return event->kind == MLS_WATCH_STOP ||
           (evaluated && (event->run->met || (event->kind == MLS_WATCH_EVALUATION && mls_live_has_target(event->run))));
}

#define WATCH_FIELDS(F)                                                                                                \
    F(watch, event, TEXT, "", mls_watch_kind_name(row->kind))                                                          \
    F(watch, time_ms, NUMBER_OR_NULL, "ms", row->time_ms)                                                              \
    F(watch, seen_ms, NUMBER, "ms", row->seen_ms)                                                                      \
    F(watch, file, TEXT_OR_NULL, "", row->file)                                                                        \
    F(watch, line, COUNT_OR_NULL, "", row->line)                                                                       \
    F(watch, run, COUNT_OR_NULL, "", row->run != NULL ? row->run->number : 0)                                          \
    F(watch, benchmark, TEXT_OR_NULL, "",                                                                              \
      row->group != NULL ? row->group->benchmark                                                                       \
      : row->run != NULL ? row->run->facts.benchmark                                                                   \
                         : NULL)                                                                                       \
    F(watch, elapsed_minutes, NUMBER_OR_NULL, "minutes", elapsed_of(row))                                              \
    F(watch, samples, NUMBER_OR_NULL, "", position_in(row, false))                                                     \
    F(watch, epochs, NUMBER_OR_NULL, "", position_in(row, true))                                                       \
    F(watch, value, NUMBER_OR_NULL, "", row->kind == MLS_WATCH_EVALUATION ? row->run->last.value : (double)NAN)        \
    F(watch, target, NUMBER_OR_NULL, "", row->kind == MLS_WATCH_EVALUATION ? row->run->facts.target : (double)NAN)     \
    F(watch, left_minutes, NUMBER_OR_NULL, "minutes", estimate_of(row).left)                                           \
    F(watch, left_low, NUMBER_OR_NULL, "minutes", estimate_of(row).low)                                                \
    F(watch, left_high, NUMBER_OR_NULL, "minutes", estimate_of(row).high)                                              \
    F(watch, left_from, TEXT_OR_NULL, "", mls_estimate_from_name(estimate_of(row).from))                               \
    F(watch, converged, IF(BOOL, says_converged(row)), "",                                                             \
      row->kind == MLS_WATCH_STOP ? row->run->status == MLS_RUN_SUCCESS : row->run->met)                               \
    F(watch, status, TEXT_OR_NULL, "", row->kind == MLS_WATCH_STOP ? mls_run_status_name(row->run->status) : NULL)     \
    F(watch, minutes, NUMBER_OR_NULL, "minutes", row->kind == MLS_WATCH_STOP ? elapsed_of(row) : (double)NAN)          \
    F(watch, message, TEXT_OR_NULL, "", row->message)                                                                  \
    F(watch, exit_status, IF(NUMBER, row->kind == MLS_WATCH_END), "", row->exit_status)                                \
    F(watch, group, OBJECT_OR_NULL(mls_group), "", row->group)
MLS_FIELDS(watch, mls_watch_event, WATCH_FIELDS)

static void show_event(mls_printer *to, const void *what)
{
    mls_buffer line = {0};
    mls_watch_line(what, true, &line);
    mls_output_buffer(to->view->output, &line);
}

const mls_report mls_watch_report = {.section = "WATCH NDJSON", .show = show_event, .object = &watch_fields};
