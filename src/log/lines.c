/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lines.c - lines that hold a record or a marker, found by one pass over marked bytes.
 */
#include "log/lines.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "log/json_check.h"
#include "log/simd.h"

/* Where the scan is within its block. */
typedef struct mls_line_state {
    mls_batch *batch;
    const char *line;     /* the current line's first byte */
    const char *mllog;    /* the last ":::MLLOG " of the current line; NULL: none yet */
    unsigned mllog_count; /* how many the line has */
    size_t line_number;
    size_t dropped; /* of the current line's bytes stood before the block */
} mls_line_state;

static mls_event *event_add(mls_batch *batch)
{
    return MLS_GROW(batch, items) ? &batch->items[batch->count++] : NULL;
}

const char *mls_marker_find_last(mls_str text)
{
    const char *last = NULL;
    const char *at = text.ptr;
    const char *end = text.ptr + text.len;
    while (at < end && (at = memmem(at, (size_t)(end - at), ":::MLLOG ", MLS_MLLOG_LENGTH)) != NULL) {
        last = at++;
    }
    return last;
}

/* A line with a marker has come to its end at `end`. */
static bool line_record(mls_line_state *state, const char *end)
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
        reason = mls_record_check(payload.ptr, payload.ptr + payload.len, record, &state->batch->scratch, &wrong);
    }
    if (reason == mls_reason_memory) {
        return false;
    }
    if (reason == NULL) {
        event->kind = MLS_EVENT_RECORD;
        record->line = state->line_number;
        record->column = (size_t)(payload.ptr - state->line) + state->dropped + 1;
        record->prefix = (mls_str){state->line, (size_t)(state->mllog - state->line)};
        record->torn = state->mllog_count > 1;
    } else {
        event->kind = MLS_EVENT_MALFORMED;
        event->as.malformed = (mls_malformed){.line = state->line_number,
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
} marker_words[] = {
    {MLS_STR("Beginning trial "), MLS_MARKER_TRIAL_BEGIN},
    {MLS_STR("EXPERIMENT_START "), MLS_MARKER_EXPERIMENT_START},
    {MLS_STR("EXPERIMENT_STOP "), MLS_MARKER_EXPERIMENT_STOP},
    {MLS_STR("RUNANDTIME_START "), MLS_MARKER_RUNANDTIME_START},
    {MLS_STR("RUNANDTIME_STOP "), MLS_MARKER_RUNANDTIME_STOP},
    {MLS_STR("RESULT,"), MLS_MARKER_RESULT},
    {MLS_STR(":::DLPAL "), MLS_MARKER_DLPAL},
    {MLS_STR(":::SYSJSON "), MLS_MARKER_SYSJSON},
    {MLS_STR(":::GITCOMMITID "), MLS_MARKER_GITCOMMITID},
    {MLS_STR("slurmstepd: error: "), MLS_MARKER_CANCELLED},
    {MLS_STR("srun: error: "), MLS_MARKER_SRUN_ERROR},
};

/* The two words whose lines must go on with a number. */
static bool marker_plausible(mls_marker_kind kind, mls_str text, size_t word)
{
    switch (kind) {
    case MLS_MARKER_TRIAL_BEGIN:
    case MLS_MARKER_EXPERIMENT_START:
        return text.len > word && text.ptr[word] >= '0' && text.ptr[word] <= '9';
    case MLS_MARKER_CANCELLED:
        return mls_str_contains(text, MLS_S("CANCELLED"));
    default:
        return true;
    }
}

static bool line_marker(mls_line_state *state, const char *at, const char *end)
{
    const mls_str text = {at, (size_t)(end - at)};
    for (size_t i = 0; i < sizeof marker_words / sizeof *marker_words; i++) {
        if (mls_str_starts(text, marker_words[i].word)) {
            if (!marker_plausible(marker_words[i].kind, text, marker_words[i].word.len)) {
                return true;
            }
            mls_event *event = event_add(state->batch);
            if (event != NULL) {
                event->kind = MLS_EVENT_MARKER;
                event->as.marker = (mls_marker){marker_words[i].kind, state->line_number, text};
            }
            return event != NULL;
        }
    }
    return true;
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
static bool line_plain(mls_line_state *state, const char *end)
{
    const char *at = state->line;
    if (state->dropped > 0) {
        return true;
    }
    if (*at == ' ' || (*at >= '0' && *at <= '9')) {
        at = line_skip_rank(at);
    }
    switch (*at) {
    case 'B':
    case 'E':
    case 'R':
    case ':':
        break;
    case 's':
        if (at[1] != 'l' && at[1] != 'r') {
            return true;
        }
        break;
    default:
        return true;
    }
    return at >= end || line_marker(state, at, end);
}

static inline bool line_finish(mls_line_state *state, const char *end, const char *next)
{
    bool ok;
    if (state->mllog != NULL) {
        ok = line_record(state, end);
        state->mllog = NULL;
        state->mllog_count = 0;
    } else {
        ok = line_plain(state, end);
    }
    state->line = next;
    state->line_number++;
    state->dropped = 0;
    return ok;
}

/* One byte that may mean something: the third colon of ":::", or a line ending. */
static inline bool byte_event(mls_line_state *state, const char *data, const char *at)
{
    if (*at == ':') {
        if (memcmp(at - 2, ":::MLLOG ", MLS_MLLOG_LENGTH) == 0) {
            state->mllog = at - 2;
            state->mllog_count++;
        }
        return true;
    }
    if (*at == '\r') {
        return at[1] == '\n' || line_finish(state, at, at + 1);
    }
    const char *end = at > data && at > state->line && at[-1] == '\r' ? at - 1 : at;
    return line_finish(state, end, at + 1);
}

/* Walks the marked bytes of one stretch of `len` bytes. */
static bool stretch_walk(mls_line_state *state, const char *data, const char *stretch, size_t len, uint64_t *colons)
{
    uint64_t bits[MLS_STRETCH_WORDS];
    const size_t words = (len + 63) / 64;
    mls_simd_mark(stretch, words, bits, colons);
    if (len % 64 != 0) {
        bits[words - 1] &= (1ULL << len % 64) - 1;
    }
    for (size_t k = 0; k < words; k++) {
        for (uint64_t left = bits[k]; left != 0; left &= left - 1) {
            if (!byte_event(state, data, stretch + 64 * k + __builtin_ctzll(left))) {
                return false;
            }
        }
    }
    return true;
}

bool mls_lines_scan(mls_batch *batch, const char *data, size_t len, size_t dropped)
{
    mls_line_state state = {.batch = batch, .line = data, .line_number = 1, .dropped = dropped};
    uint64_t colons = 0;
    batch->count = 0;
    mls_arena_reset(&batch->scratch);
    for (size_t at = 0; at < len; at += MLS_STRETCH) {
        const size_t stretch = len - at < MLS_STRETCH ? len - at : MLS_STRETCH;
        if (!stretch_walk(&state, data, data + at, stretch, &colons)) {
            return false;
        }
    }
    batch->lines = state.line_number - 1;
    if (state.line < data + len) {
        batch->lines++;
        return line_finish(&state, data + len, data + len);
    }
    return true;
}

void mls_batch_release(mls_batch *batch)
{
    free(batch->items);
    mls_arena_release(&batch->scratch);
    *batch = (mls_batch){0};
}
