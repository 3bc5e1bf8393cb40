/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trace.c - Chrome traces of the PyTorch profiler, as a stream of tokens.
 *
 * An event that lies whole in a block is checked and read in one go.  All else is read token by token, which can pause
 * between any two of them: an event that a block cuts is carried over to the next one, and of one that is too long for
 * that the token that is cut.  A string too long even for that is checked and dropped as it comes.
 */
#include "profile/trace.h"

#include <stdlib.h>

enum { CARRY_MAX = 64 * 1024, WORD_LONGEST = 16 };

static bool is_object(const mls_trace *t)
{
    return (t->levels[t->depth / 64] >> t->depth % 64 & 1) != 0;
}

size_t mls_trace_line(mls_trace *t, const char *at)
{
    size_t lines = 0;
    for (const char *c = t->counted; c < at; c++) {
        lines += *c == '\n';
    }
    t->line += lines;
    t->counted = at > t->counted ? at : t->counted;
    return t->line;
}

static void bracket_open(mls_trace *t, const char *at)
{
    const bool object = *at == '{';
    if (t->depth == MLS_TRACE_DEPTH_MAX) {
        t->fault = "nested too deeply";
        return;
    }
    t->depth++;
    t->levels[t->depth / 64] &= ~(1ULL << t->depth % 64);
    t->levels[t->depth / 64] |= (uint64_t)object << t->depth % 64;
    t->place = object ? PLACE_FIRST_NAME : PLACE_FIRST_ITEM;
    if (t->depth == 1 && !object) {
        t->bare = true;
    }
    if (!object && ((t->depth == 1 && t->bare) || (t->depth == 2 && t->want == WANT_EVENTS))) {
        t->list_depth = t->depth;
        t->listed = true;
    } else if (object && t->list_depth > 0 && t->depth == t->list_depth + 1) {
        mls_trace_event_begin(t, mls_trace_line(t, at));
        return;
    } else if (object && t->want == WANT_ARGUMENTS) {
        t->in_arguments = true;
        t->watch++;
    } else {
        mls_trace_misfit(t, false);
    }
    t->want = WANT_NOTHING;
}

static void bracket_close(mls_trace *t)
{
    if (t->in_event && t->depth == t->list_depth + 1) {
        mls_trace_event_end(t);
    } else if (t->in_arguments && t->depth == t->list_depth + 2) {
        t->in_arguments = false;
        t->watch -= t->watch > 0;
    } else if (t->depth == t->list_depth) {
        t->list_depth = 0;
    }
    t->depth--;
    t->place = t->depth == 0 ? PLACE_END : PLACE_AFTER;
}

/*
 * Moves *at, inside of a string, to the quote that closes it.  False: the data end before, and *at is where to go on
 * (no escape is parted), or there is a fault.
 */
static bool string_close(mls_trace *t, const char **at, const char *end)
{
    for (;;) {
        const char *stop = mls_json_string_stop(*at);
        *at = stop < end ? stop : end;
        if (stop >= end) {
            return false;
        }
        if (*stop == '"') {
            return true;
        }
        if (*stop != '\\') {
            t->fault = "a control character inside a string";
            return false;
        }
        const size_t length = stop[1] == 'u' ? 6 : 2;
        if ((size_t)(end - stop) < length) {
            return false;
        }
        if (length == 6 ? strspn(stop + 2, "0123456789abcdefABCDEF") < 4
                        : stop[1] == '\0' || strchr("\"\\/bfnrt", stop[1]) == NULL) {
            t->fault = "an escape in a string that JSON does not have";
            return false;
        }
        *at = stop + length;
    }
}

/* A string at `at`, a member's name or a value; NULL as of string_close(). */
static const char *read_string(mls_trace *t, const char *at, const char *end)
{
    const char *stop = at + 1;
    if (!string_close(t, &stop, end)) {
        return NULL;
    }
    if (t->place != PLACE_VALUE && t->place != PLACE_FIRST_ITEM) {
        if (t->depth <= t->watch) {
            mls_trace_name(t, (mls_str){at + 1, (size_t)(stop - at) - 1});
        }
        t->place = PLACE_COLON;
    } else {
        if (t->want != WANT_NOTHING) {
            mls_trace_scalar(t, (mls_str){at, (size_t)(stop - at) + 1});
        }
        t->place = PLACE_AFTER;
    }
    return stop + 1;
}

/* A number or a bare word; NULL: the data end with it, or there is a fault. */
static const char *read_trace_word(mls_trace *t, const char *at, const char *end)
{
    mls_json_fault fault = {NULL, NULL};
    const char *stop = mls_json_check_value(at, 0, &fault);
    if (stop == NULL || stop >= end) {
        t->fault = stop == NULL && end - at > WORD_LONGEST ? fault.reason : NULL;
        return NULL;
    }
    if (t->want != WANT_NOTHING) {
        mls_trace_scalar(t, (mls_str){at, (size_t)(stop - at)});
    }
    t->place = PLACE_AFTER;
    return stop;
}

/* An event: in one go when all of it is there, else token by token; NULL: there may be more of it soon. */
static const char *read_event(mls_trace *t, const char *at, const char *end)
{
    mls_json_fault fault = {NULL, NULL};
    const char *stop = mls_json_check_lines(at, t->depth, &fault);
    if (stop != NULL && stop <= end) {
        mls_trace_event(t, (mls_str){at, (size_t)(stop - at)});
        t->place = PLACE_AFTER;
        return stop;
    }
    if (end - at <= CARRY_MAX && (stop != NULL || end - fault.at < WORD_LONGEST)) {
        return NULL;
    }
    bracket_open(t, at);
    return at + 1;
}

static const char *read_trace_value(mls_trace *t, const char *at, const char *end)
{
    if (t->depth == 0 && *at != '{' && *at != '[') {
        t->fault = "expected a list or an object";
        return NULL;
    }
    switch (*at) {
    case '"':
        return read_string(t, at, end);
    case '{':
    case '[':
        if (t->depth > 0 && t->depth == t->list_depth && *at == '{') {
            return read_event(t, at, end);
        }
        bracket_open(t, at);
        return at + 1;
    default:
        return read_trace_word(t, at, end);
    }
}

/* What stands behind a value, or where the first one may be missing. */
static const char *read_mark(mls_trace *t, const char *at)
{
    const bool object = is_object(t);
    if (*at == (object ? '}' : ']')) {
        bracket_close(t);
    } else if (t->place == PLACE_AFTER && *at == ',') {
        t->place = object ? PLACE_NAME : PLACE_VALUE;
    } else {
        t->fault = object ? "expected ',' or '}'" : "expected ',' or ']'";
    }
    return at + 1;
}

/* Reads tokens; returns where to go on when there are more bytes.  Behind `end` stands a NUL. */
static const char *read_tokens(mls_trace *t, const char *at, const char *end)
{
    while (t->fault == NULL && !t->out_of_memory) {
        at = mls_json_blanks(at, true);
        if (at >= end) {
            return end;
        }
        const char *next = at + 1;
        switch (t->place) {
        case PLACE_FIRST_ITEM:
            next = *at == ']' ? read_mark(t, at) : read_trace_value(t, at, end);
            break;
        case PLACE_VALUE:
            next = read_trace_value(t, at, end);
            break;
        case PLACE_FIRST_NAME:
        case PLACE_NAME:
            if (*at == '"') {
                next = read_string(t, at, end);
            } else if (*at == '}' && t->place == PLACE_FIRST_NAME) {
                bracket_close(t);
            } else {
                t->fault = "expected a member name in quotes";
            }
            break;
        case PLACE_COLON:
            t->place = PLACE_VALUE;
            t->fault = *at != ':' ? "expected ':'" : NULL;
            break;
        case PLACE_AFTER:
            next = read_mark(t, at);
            break;
        case PLACE_END:
            t->fault = "something follows the trace";
            break;
        }
        if (next == NULL) {
            return at;
        }
        at = next;
    }
    return at;
}

/* Goes on inside of a string that is dropped as it comes. */
static const char *drop_string(mls_trace *t, const char *at, const char *end)
{
    if (!string_close(t, &at, end)) {
        return at;
    }
    t->inside = false;
    if (t->inside_name) {
        t->want = WANT_NOTHING;
        t->place = PLACE_COLON;
    } else {
        mls_trace_misfit(t, true);
        t->place = PLACE_AFTER;
    }
    return read_tokens(t, at + 1, end);
}

/* What a block leaves over: a token that it cuts.  A string that is too long is dropped from here on. */
static const char *leave_over(mls_trace *t, const char *at, const char *end)
{
    if (t->fault == NULL && end - at > CARRY_MAX) {
        if (*at != '"' || t->inside) {
            t->fault = "a number without an end";
        } else {
            t->inside = true;
            t->inside_name = t->place == PLACE_FIRST_NAME || t->place == PLACE_NAME;
            at++;
            (void)string_close(t, &at, end);
        }
    }
    return at;
}

/* ------------------------------------------------------------------- files */

/* Whether the text may end here; the list of a bare trace need not be closed. */
static bool may_end(const mls_trace *t)
{
    return t->fault == NULL &&
           (t->place == PLACE_END || (t->bare && t->depth == 1 && !t->inside && t->place != PLACE_END));
}

static mls_status trace_finish(mls_trace *t, bool cut, const char *wrong, mls_error *error)
{
    mls_profile *profile = t->gather->profile;
    const bool whole = !cut && wrong == NULL && may_end(t);
    if (t->out_of_memory || t->name.failed) {
        return mls_error_memory(error);
    }
    if (t->bare ? t->objects == 0 : !t->listed || (whole && t->objects == 0)) {
        return mls_error_set(error, MLS_ERROR_UNKNOWN, 0, 0, "%s",
                             t->listed && !t->bare ? "is a trace without a single event"
                             : whole               ? "is JSON, but no trace: it has no traceEvents"
                                                   : "is no trace: no traceEvents come before it breaks off");
    }
    profile->kind = MLS_PROFILE_KINETO;
    profile->complete = whole;
    t->gather->has_line = true;
    if (!whole) {
        mls_findings_add(&profile->findings, MLS_FINDING_TRACE_TRUNCATED, (mls_finding_place){.line = t->line},
                         "the trace is read up to here only: %s",
                         t->fault != NULL ? t->fault
                         : wrong != NULL  ? wrong
                                          : "the file breaks off");
    }
    return MLS_OK;
}

mls_status mls_trace_read(mls_gather *gather, mls_blocks *blocks, bool *json, mls_error *error)
{
    mls_input *input = blocks->input;
    char *room = malloc(CARRY_MAX + MLS_BLOCK_SIZE + MLS_SCAN_PADDING);
    mls_trace *t = calloc(1, sizeof *t);
    mls_status status = MLS_ERROR_MEMORY;
    size_t carried = 0;
    size_t len = blocks->len;
    bool ok = room != NULL && t != NULL;
    bool moved = false;
    if (ok) {
        *t = (mls_trace){.gather = gather, .line = 1, .watch = 1};
        memcpy(room + CARRY_MAX, blocks->block, len);
    }
    while (ok) {
        char *end = room + CARRY_MAX + len;
        const char *at = room + CARRY_MAX - carried;
        memset(end, 0, MLS_SCAN_PADDING);
        t->counted = at;
        at = t->inside ? drop_string(t, at, end) : read_tokens(t, at, end);
        at = leave_over(t, at, end);
        carried = (size_t)(end - at);
        (void)mls_trace_line(t, at);
        if (t->fault != NULL || t->out_of_memory || input->ended) {
            break;
        }
        memmove(room + CARRY_MAX - carried, at, carried);
        ok = mls_input_fill(input, room + CARRY_MAX, &len);
        moved = true;
    }
    if (ok) {
        status = trace_finish(t, carried > 0, input->trouble.wrong, error);
        *json = t->fault == NULL || moved;
        mls_buffer_release(&t->name);
        mls_arena_release(&t->scratch);
    }
    free(t);
    free(room);
    return status == MLS_ERROR_MEMORY ? mls_error_memory(error) : status;
}
