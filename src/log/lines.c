/* SPDX-License-Identifier: Apache-2.0 */
/* lines.c - lines that hold a record or a marker, found by one pass over marked bytes. */
#include "log/reader.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "log/json_check.h"

/* Where the scan is within its text. */
typedef struct line_state {
    mls_batch *batch;
    const char *line;     /* the current line's first byte */
    size_t number;        /* and its number */
    const char *mllog;    /* its last ":::MLLOG " */
    unsigned mllog_count; /* how many it has */
    size_t dropped;       /* of its bytes stood before the text */
} line_state;

static mls_event *event_add(mls_batch *batch)
{
    return MLS_GROW(batch, items) ? &batch->items[batch->count++] : NULL;
}

/* The next ":::MLLOG ", or the end.  'G' is the byte of it that logs have least of. */
static const char *next_mllog(const char *from, const char *end)
{
    const char *at = end - from > 7 ? from + 7 : end;
    for (; at < end && (at = memchr(at, 'G', (size_t)(end - at))) != NULL; at++) {
        if (at + 1 < end && memcmp(at - 7, ":::MLLOG", 8) == 0 && at[1] == ' ') {
            return at - 7;
        }
    }
    return end;
}

const char *mls_mllog_find_last(mls_str text)
{
    const char *last = NULL;
    const char *end = text.ptr + text.len;
    for (const char *at = text.ptr; (at = next_mllog(at, end)) < end; at += MLS_MLLOG_LENGTH) {
        last = at;
    }
    return last;
}

/* A line with a marker has come to its end at `end`. */
static bool line_record(line_state *state, const char *end)
{
    mls_event *event = event_add(state->batch);
    if (event == NULL) {
        return false;
    }
    const char *begin = state->mllog + MLS_MLLOG_LENGTH;
    const mls_str payload = mls_payload_trim((mls_str){begin, (size_t)(end - begin)});
    const char *wrong = payload.ptr;
    const char *reason = "the record is longer than 16 MiB";
    mls_record *record = &event->as.record;
    if (payload.len <= MLS_RECORD_LENGTH_MAX) {
        reason = mls_record_check(payload, record, &state->batch->scratch, &wrong);
    }
    if (reason == mls_reason_memory) {
        return false;
    }
    if (reason == NULL) {
        event->kind = MLS_EVENT_RECORD;
        record->line = state->number;
        record->column = (size_t)(payload.ptr - state->line) + state->dropped + 1;
        record->prefix = (mls_str){state->line, (size_t)(state->mllog - state->line)};
        record->torn = state->mllog_count > 1;
    } else {
        event->kind = MLS_EVENT_MALFORMED;
        event->as.malformed = (mls_malformed){.line = state->number,
                                              .column = (size_t)(wrong - state->line) + state->dropped + 1,
                                              .reason = reason,
                                              .payload = payload,
                                              .torn = state->mllog_count > 1};
    }
    return true;
}

static const struct {
    mls_str word;
    mls_marker_kind kind;
    bool number; /* a digit must follow */
} marker_words[] = {
    {MLS_STR("Beginning trial "), MLS_MARKER_TRIAL_BEGIN, true},
    {MLS_STR("EXPERIMENT_START "), MLS_MARKER_EXPERIMENT_START, true},
    {MLS_STR("EXPERIMENT_STOP "), MLS_MARKER_EXPERIMENT_STOP, false},
    {MLS_STR("RUNANDTIME_START "), MLS_MARKER_RUNANDTIME_START, false},
    {MLS_STR("RUNANDTIME_STOP "), MLS_MARKER_RUNANDTIME_STOP, false},
    {MLS_STR("RESULT,"), MLS_MARKER_RESULT, false},
    {MLS_STR(":::DLPAL "), MLS_MARKER_DLPAL, false},
    {MLS_STR(":::SYSJSON "), MLS_MARKER_SYSJSON, false},
    {MLS_STR(":::GITCOMMITID "), MLS_MARKER_GITCOMMITID, false},
    {MLS_STR("slurmstepd: error: "), MLS_MARKER_CANCELLED, false},
    {MLS_STR("srun: error: "), MLS_MARKER_SRUN_ERROR, false},
};

static bool line_marker(const line_state *state, const char *at, const char *end)
{
    const mls_str text = {at, (size_t)(end - at)};
    size_t i = 0;
    while (i < sizeof marker_words / sizeof *marker_words && !mls_str_starts(text, marker_words[i].word)) {
        i++;
    }
    if (i == sizeof marker_words / sizeof *marker_words) {
        return true;
    }
    const char *next = at + marker_words[i].word.len;
    if ((marker_words[i].number && (next == end || *next < '0' || *next > '9')) ||
        (marker_words[i].kind == MLS_MARKER_CANCELLED && !mls_str_contains(text, MLS_S("CANCELLED")))) {
        return true;
    }
    mls_event *event = event_add(state->batch);
    if (event != NULL) {
        event->kind = MLS_EVENT_MARKER;
        event->as.marker = (mls_marker){marker_words[i].kind, state->number, text};
    }
    return event != NULL;
}

/* Behind the prefix that `srun -l` puts before a line ("  13: "), or where it starts when there is none. */
static const char *line_skip_rank(const char *line)
{
    const char *at = line;
    while (*at == ' ') {
        at++;
    }
    const char *digits = at;
    while (*at >= '0' && *at <= '9') {
        at++;
    }
    return at > digits && at[0] == ':' && at[1] == ' ' ? at + 2 : line;
}

/* Runs for every line of noise, so it looks at one byte before anything else. */
static bool line_plain(const line_state *state, const char *end)
{
    const char *at = state->line;
    if (*at == ' ' || (*at >= '0' && *at <= '9')) {
        at = line_skip_rank(at);
    }
    if (*at != 'B' && *at != 'E' && *at != 'R' && *at != 's' && *at != ':') {
        return true;
    }
    return at >= end || state->dropped > 0 || line_marker(state, at, end);
}

/* The next `byte` from `from` on, or the end; what was found before still counts while it is not passed. */
static const char *next_byte(const char *known, const char *from, const char *end, char byte)
{
    if (known < from) {
        known = memchr(from, byte, (size_t)(end - from));
    }
    return known != NULL ? known : end;
}

bool mls_lines_scan(mls_batch *batch, mls_str text, mls_dropped dropped)
{
    line_state state = {.batch = batch, .line = text.ptr, .dropped = dropped.bytes, .mllog_count = dropped.marker};
    const char *end = text.ptr + text.len;
    const char *mllog = next_mllog(text.ptr, end);
    const char *feed = NULL;
    const char *back = NULL;
    bool ok = true;
    batch->count = 0;
    mls_arena_reset(&batch->scratch);
    while (state.line < end && ok) {
        feed = next_byte(feed, state.line, end, '\n');
        back = next_byte(back, state.line, end, '\r');
        const char *stop = back < feed ? back : feed;
        const char *next = back < feed && back + 1 == feed && feed < end ? feed + 1 : stop + 1;
        state.number++;
        if (mllog < stop) {
            for (; mllog < stop; mllog = next_mllog(mllog + MLS_MLLOG_LENGTH, end)) {
                state.mllog = mllog;
                state.mllog_count++;
            }
            ok = line_record(&state, stop);
        } else {
            ok = line_plain(&state, stop);
        }
        state.line = next;
        state.mllog_count = 0;
        state.dropped = 0;
    }
    batch->lines = state.number;
    return ok;
}

void mls_batch_release(mls_batch *batch)
{
    free(batch->items);
    mls_arena_release(&batch->scratch);
    *batch = (mls_batch){0};
}
