/* SPDX-License-Identifier: Apache-2.0 */
/* lines.c - events in words. */
#include "explain/watch/lines.h"

#include <math.h>
#include <time.h>

#include "base/file.h"
#include "base/utf8.h"
#include "base/words.h"

/* As 2025-04-19T13:24:11Z; '-' where it is no date. */
static void append_event_time(mls_buffer *line, double time_ms)
{
    struct tm parts;
    const time_t seconds = mls_time_is_date(time_ms) ? (time_t)floor(time_ms / 1000) : 0;
    char text[sizeof "2025-04-19T13:24:11Z" + 8];
    if (seconds > 0 && gmtime_r(&seconds, &parts) != NULL &&
        strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts) > 0) {
        mls_buffer_append_text(line, text);
    } else {
        mls_buffer_append_char(line, '-');
    }
}

const char *mls_live_unit(const mls_live_group *group)
{
    return group == NULL || group->rules->runs_needed == 0 ? "samples"
           : group->counts == MLS_PROGRESS_EPOCHS          ? mls_epoch_unit(group->rules->name)
           : group->counts == MLS_PROGRESS_STEPS           ? "steps"
                                                           : "samples";
}

static void append_evaluation(const mls_live_run *run, mls_buffer *line)
{
    mls_buffer_printf(line, "evaluation %s at %s %s", mls_words_trimmed(run->last.value, 5).text,
                      mls_words_count(run->last.at).text, mls_live_unit(run->group));
    if (isfinite(run->facts.target)) {
        mls_buffer_printf(line, ", target %s", mls_words_trimmed(run->facts.target, 5).text);
    }
    mls_buffer_printf(line, ", %s min", mls_words_grouped(run->last.minutes, 3).text);
}

static void append_estimate(const mls_live_run *run, mls_buffer *line)
{
    const mls_estimate *estimate = &run->estimate;
    const char *from = mls_estimate_from_name(estimate->from);
    if (run->met) {
        mls_buffer_append_text(line, ", target met");
    } else if (from != NULL && estimate->left > 0) {
        mls_buffer_printf(line, ", left %.2f (%.2f-%.2f, %s)", estimate->left, estimate->low, estimate->high, from);
    } else if (from != NULL) {
        mls_buffer_printf(line, ", left any moment (%.2f-%.2f, %s)", estimate->low, estimate->high, from);
    }
    if (run->estimate.beyond) {
        mls_buffer_append_text(line, ", may not converge");
    }
}

static void append_stop(const mls_live_run *run, mls_buffer *line)
{
    const char *status = mls_run_status_name(run->status);
    mls_buffer_printf(line, "%s after %s min", status != NULL ? status : "stopped without a status",
                      mls_words_grouped(mls_live_minutes(run, run->run_stop.time_ms), 3).text);
    if (isfinite(run->needed)) {
        mls_buffer_printf(line, ", %s %s", mls_words_count(run->needed).text, mls_live_unit(run->group));
    }
}

static void append_message(const mls_watch_event *event, mls_buffer *line)
{
    const bool alone = event->kind == MLS_WATCH_FILE || event->kind == MLS_WATCH_FAILURE;
    const char *kind = alone ? "" : mls_watch_kind_name(event->kind);
    const char *message = event->message != NULL ? event->message : "";
    mls_buffer_printf(line, "%s%s%s", kind, kind[0] != '\0' && event->message != NULL ? ": " : "", message);
}

/* What is of no run is a message. */
static void append_event(const mls_watch_event *event, mls_buffer *line)
{
    const mls_live_run *run = event->run;
    if (run == NULL) {
        append_message(event, line);
        return;
    }
    switch (event->kind) {
    case MLS_WATCH_INIT:
        mls_buffer_append_text(line, "initializes");
        break;
    case MLS_WATCH_START:
        mls_buffer_append_text(line, "training starts");
        append_estimate(run, line);
        break;
    case MLS_WATCH_PROGRESS:
        if (isfinite(run->at)) {
            mls_buffer_printf(line, "at %s %s", mls_words_count(run->at).text, mls_live_unit(run->group));
        } else {
            mls_buffer_append_text(line, "training");
        }
        append_estimate(run, line);
        break;
    case MLS_WATCH_EVALUATION:
        append_evaluation(run, line);
        append_estimate(run, line);
        break;
    case MLS_WATCH_STOP:
        append_stop(run, line);
        break;
    default:
        append_message(event, line);
    }
}

void mls_watch_line(const mls_watch_event *event, mls_buffer *line)
{
    mls_buffer words = {0};
    if (event->kind >= MLS_WATCH_SCORE) {
        return;
    }
    if (event->run != NULL && event->run->number > 0) {
        mls_buffer_printf(&words, "run %zu ", event->run->number);
    }
    if (event->line > 0 && (event->kind == MLS_WATCH_FAILURE || event->kind == MLS_WATCH_FINDING)) {
        mls_buffer_printf(&words, "%s:%zu: ", mls_path_name(event->file), event->line);
    } else {
        mls_buffer_printf(&words, "%s: ", mls_path_name(event->file));
    }
    append_event(event, &words);
    mls_escape_append(line, mls_buffer_str(&words));
    line->failed |= words.failed;
    mls_buffer_release(&words);
}

void mls_watch_dated_line(const mls_watch_event *event, mls_buffer *line)
{
    if (event->kind < MLS_WATCH_SCORE) {
        append_event_time(line, isnan(event->time_ms) ? event->seen_ms : event->time_ms);
        mls_buffer_append_char(line, ' ');
        mls_watch_line(event, line);
        mls_buffer_append_char(line, '\n');
    }
}
