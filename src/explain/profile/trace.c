/* SPDX-License-Identifier: Apache-2.0 */
/* trace.c - Chrome traces of the PyTorch profiler: JSON as it comes, of which nothing is kept but a window.
 *
 * Whoever needs a byte that the window does not have asks for more(), which moves what is to be kept to the front.  A
 * token that a block cuts is kept whole, a string that is too long for that is checked and dropped as it comes.  A list
 * or an object that nobody asks for is checked in one go, or, when it is longer than that, token by token. */
#include "explain/profile/trace.h"

#include <stdlib.h>

#include "base/memory.h"

/* Bytes that are carried over, of those that a window can keep; of a bare word. */
enum { CARRY_MAX = MLS_WINDOW_KEPT / 16, WORD_LONGEST = 16 };

static const char *trace_fail(mls_trace *t, const char *at, const char *fault)
{
    t->fault = fault;
    t->stopped = at;
    return NULL;
}

/* Reads the next block, keeps what stands from `keep` on, and returns its new place; NULL: there is no more. */
static const char *more(mls_trace *t, const char *keep)
{
    mls_window *window = t->window;
    t->stopped = keep;
    if (window->input->ended) {
        return NULL;
    }
    (void)mls_trace_event_line(t);
    (void)mls_trace_line(t, keep);
    window->at += keep - window->at;
    t->out_of_memory = !mls_window_fill(window);
    t->moved = true;
    t->counted = window->at;
    return window->at;
}

/* The first byte from `at` on that is no blank; NULL: there is none. */
static inline const char *trace_blanks(mls_trace *t, const char *at)
{
    at = mls_json_blanks(at, true);
    while (at >= t->window->end) {
        at = more(t, t->window->end);
        if (at == NULL) {
            return NULL;
        }
        at = mls_json_blanks(at, true);
    }
    return at;
}

/* Moves *at, inside of a string, to the quote that closes it.  False: the data end before, and *at is where to go on
 * (no escape is split), or there is a fault. */
static bool string_close(mls_trace *t, const char **at)
{
    const char *end = t->window->end;
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
            (void)trace_fail(t, stop, "a control character inside a string");
            return false;
        }
        const size_t length = stop[1] == 'u' ? 6 : 2;
        if ((size_t)(end - stop) < length) {
            return false;
        }
        if (length == 6 ? strspn(stop + 2, "0123456789abcdefABCDEF") < 4
                        : stop[1] == '\0' || strchr("\"\\/bfnrt", stop[1]) == NULL) {
            (void)trace_fail(t, stop, "an escape in a string that JSON does not have");
            return false;
        }
        *at = stop + length;
    }
}

/* Behind the string at `at`, whose text it is with its quotes; without ptr when it was too long.  NULL: no more. */
static inline const char *read_string(mls_trace *t, const char *at, mls_str *span)
{
    const char *stop = at + 1;
    bool kept = true;
    while (!string_close(t, &stop)) {
        kept = kept && t->window->end - at <= CARRY_MAX;
        const size_t length = kept ? (size_t)(stop - at) : 0;
        at = t->fault == NULL ? more(t, kept ? at : stop) : NULL;
        if (at == NULL) {
            return NULL;
        }
        stop = at + length;
    }
    /* One that is too long is so wherever blocks end. */
    *span = kept && stop - at <= CARRY_MAX ? (mls_str){at, (size_t)(stop - at) + 1} : (mls_str){NULL, 0};
    return stop + 1;
}

/* Behind a number that is too long to be kept, of which all that the window has is right.  NULL: no more. */
static const char *skip_number(mls_trace *t, const char *at)
{
    const mls_str begun = {at, (size_t)(t->window->end - at)};
    bool power = memchr(begun.ptr, 'e', begun.len) != NULL || memchr(begun.ptr, 'E', begun.len) != NULL;
    bool point = power || memchr(begun.ptr, '.', begun.len) != NULL;
    char last = t->window->end[-1];
    for (at = more(t, t->window->end); at != NULL; at = more(t, t->window->end)) {
        for (; at < t->window->end; last = *at++) {
            const bool letter = *at == 'e' || *at == 'E';
            const bool sign = (*at == '+' || *at == '-') && (last == 'e' || last == 'E');
            if (mls_is_digit(*at) || sign) {
                continue;
            }
            if (!mls_is_digit(last)) {
                return trace_fail(t, at, "expected a digit");
            }
            if (letter ? power : *at != '.' || point) {
                return at;
            }
            power |= letter;
            point = true;
        }
    }
    return NULL;
}

/* The same of a number or a bare word. */
static const char *read_scalar_word(mls_trace *t, const char *at, mls_str *span)
{
    for (;;) {
        mls_json_fault fault = {NULL, NULL};
        const char *stop = mls_json_check_value(at, 0, &fault);
        const ptrdiff_t left = t->window->end - at;
        if (stop != NULL && stop < t->window->end) {
            *span = stop - at <= CARRY_MAX ? (mls_str){at, (size_t)(stop - at)} : (mls_str){NULL, 0};
            return stop;
        }
        /* A number that the end of the data cuts after its point is not wrong yet. */
        if (stop == NULL &&
            (t->window->end - fault.at > WORD_LONGEST || (left > CARRY_MAX && fault.at < t->window->end))) {
            return trace_fail(t, at, fault.reason);
        }
        if (left > CARRY_MAX) {
            *span = (mls_str){NULL, 0};
            return skip_number(t, at);
        }
        at = more(t, at);
        if (at == NULL) {
            return NULL;
        }
    }
}

/* Behind a list or an object that is all there, or is soon.  NULL: it is to be read from *at on, if that is not NULL.
 */
static const char *skip_whole(mls_trace *t, const char **at, unsigned depth)
{
    while (*at != NULL) {
        mls_json_fault fault = {NULL, NULL};
        const char *stop = mls_json_check_lines(*at, depth, &fault);
        const char *end = t->window->end;
        if (stop != NULL && stop <= end) {
            return stop;
        }
        if (end - *at > CARRY_MAX || (stop == NULL && end - fault.at >= WORD_LONGEST) || t->window->input->ended) {
            return NULL;
        }
        *at = more(t, *at);
    }
    return NULL;
}

/* The part that a bracket opens; a list of events may be all there is. */
static mls_trace_part part_opened(mls_trace *t, mls_trace_part part, bool object)
{
    const bool events = !object && (part == PART_FILE || part == PART_EVENTS);
    t->listed |= events;
    t->bare |= events && part == PART_FILE;
    if (!events &&
        !(object && (part == PART_FILE || part == PART_EVENT || part == PART_ARGUMENTS || part == PART_DISTRIBUTED))) {
        mls_trace_wrong_type(t, part, false);
        return PART_NOTHING;
    }
    return events ? PART_EVENTS : part;
}

static const char *read_items(mls_trace *t, const char *at, mls_trace_part part, unsigned depth);

/* Behind the value at `at`, which is inside of `depth` others; NULL: there is no more, or a fault. */
static const char *read_trace_value(mls_trace *t, const char *at, mls_trace_part part, unsigned depth, bool whole)
{
    mls_str span;
    if (*at != '{' && *at != '[') {
        const bool text = *at == '"';
        at = text ? read_string(t, at, &span) : read_scalar_word(t, at, &span);
        if (at == NULL || part == PART_NOTHING) {
            return at;
        }
        if (span.ptr != NULL) {
            mls_trace_scalar(t, part, span);
        } else {
            mls_trace_wrong_type(t, part, text);
        }
        return at;
    }
    if (depth == MLS_JSON_DEPTH_MAX) {
        return trace_fail(t, at, "nested too deeply");
    }
    part = part_opened(t, part, *at == '{');
    if (part == PART_NOTHING && whole) {
        const char *stop = skip_whole(t, &at, depth);
        if (stop != NULL || at == NULL) {
            return stop;
        }
    }
    return read_items(t, at, part, depth + 1);
}

/* Reads the name of a member and its colon; *part is what the value after them is. */
static const char *read_trace_member(mls_trace *t, const char *at, mls_trace_part of, mls_trace_part *part)
{
    mls_str name;
    if (*at != '"') {
        return trace_fail(t, at, "expected a member name in quotes");
    }
    at = read_string(t, at, &name);
    if (at == NULL) {
        return NULL;
    }
    *part = name.ptr != NULL && of != PART_NOTHING ? mls_trace_member(t, of, (mls_str){name.ptr + 1, name.len - 2})
                                                   : PART_NOTHING;
    at = trace_blanks(t, at);
    if (at == NULL || *at != ':') {
        return at != NULL ? trace_fail(t, at, "expected ':'") : NULL;
    }
    return trace_blanks(t, at + 1);
}

/* Where to go on behind a member of an event: at its end when nobody asks for the rest of it, and it is all there. */
static inline const char *skip_event(mls_trace *t, const char *at, mls_trace_part part, unsigned depth)
{
    mls_json_fault fault = {NULL, NULL};
    const bool skipped = part == PART_EVENT && t->event.ignored && t->event.phase != '\0';
    const char *stop = skipped ? mls_json_check_members(at, depth - 1, &fault) : NULL;
    return stop != NULL && stop <= t->window->end ? stop - 1 : at;
}

/* Behind the list or the object that opens at `at`. */
static const char *read_items(mls_trace *t, const char *at, mls_trace_part part, unsigned depth)
{
    const bool object = *at == '{';
    const char close = object ? '}' : ']';
    if (part == PART_EVENT) {
        mls_trace_event_begin(t, at);
    }
    at = trace_blanks(t, at + 1);
    for (bool first = true; at != NULL && !(first && *at == close); first = false) {
        mls_trace_part item = part == PART_EVENTS ? PART_EVENT : PART_NOTHING;
        at = object ? read_trace_member(t, at, part, &item) : at;
        at = at != NULL ? read_trace_value(t, at, item, depth, part != PART_NOTHING) : NULL;
        if (at == NULL) {
            return NULL;
        }
        at = skip_event(t, at, part, depth);
        at = trace_blanks(t, at);
        if (at == NULL || *at == close) {
            break;
        }
        if (*at != ',') {
            return trace_fail(t, at, object ? "expected ',' or '}'" : "expected ',' or ']'");
        }
        at = trace_blanks(t, at + 1);
    }
    if (at == NULL) { /* the list of a bare trace need not be closed */
        return t->bare && part == PART_EVENTS ? t->window->end : NULL;
    }
    if (part == PART_EVENT) {
        mls_trace_event_end(t);
    }
    return at + 1;
}

static mls_status trace_finish(mls_trace *t, bool whole, mls_error *error)
{
    mls_profile *profile = t->gather->profile;
    const char *wrong = t->window->input->trouble.wrong;
    whole = whole && wrong == NULL;
    if (t->bare ? t->objects == 0 : !t->listed || (whole && t->objects == 0)) {
        return mls_error_set(error, MLS_ERROR_UNKNOWN, 0, 0, "%s",
                             t->listed && !t->bare ? "is a trace without a single event"
                             : whole               ? "is JSON, but not a trace: it has no traceEvents"
                                                   : "is not a trace: no traceEvents come before it breaks off");
    }
    if (!t->pytorch && (whole || t->xla)) {
        return mls_error_set(error, MLS_ERROR_UNKNOWN, 0, 0, "%s",
                             t->xla
                                 ? "is a trace of JAX or TensorFlow, which does not say what ran on the GPU as PyTorch "
                                   "does: nsys profile --trace=cuda, then nsys stats --report cuda_gpu_trace --format "
                                   "csv prints what is read"
                                 : "is a trace, but not one of the PyTorch profiler: nothing in it is of a category "
                                   "that PyTorch writes");
    }
    profile->kind = MLS_PROFILE_KINETO;
    profile->complete = whole;
    t->gather->has_line = true;
    if (!whole) {
        const bool inside = t->fault == NULL && t->event.begun;
        mls_findings_add(&profile->findings, MLS_FINDING_TRACE_TRUNCATED,
                         (mls_finding_place){.line = inside ? mls_trace_event_line(t) : mls_trace_line(t, t->stopped)},
                         "the trace is read up to here only: %s",
                         t->fault != NULL ? t->fault
                         : wrong != NULL  ? wrong
                                          : "the file breaks off");
    }
    return MLS_OK;
}

mls_status mls_trace_read(mls_gather *gather, mls_window *window, bool *json, mls_error *error)
{
    mls_trace *t = mls_calloc(1, sizeof *t);
    *t = (mls_trace){.gather = gather, .window = window, .line = 1, .counted = window->at, .stopped = window->at};
    mls_trace_init(t);
    const char *at = read_trace_value(t, trace_blanks(t, window->at), PART_FILE, 0, false);
    const char *after = at != NULL ? trace_blanks(t, at) : NULL;
    if (after != NULL) {
        (void)trace_fail(t, after, "something follows the trace");
    }
    const mls_status status = trace_finish(t, at != NULL && after == NULL, error);
    *json = t->fault == NULL || t->moved;
    mls_buffer_release(&t->name);
    mls_collective_texts_release(&t->collective);
    mls_arena_release(&t->scratch);
    free(t);
    return status;
}
