/* SPDX-License-Identifier: Apache-2.0 */
/* trace.h - a Chrome trace while it is read: its text (trace.c) and its events (events.c); private to both. */
#ifndef MLS_PROFILE_TRACE_H
#define MLS_PROFILE_TRACE_H

#include "base/buffer.h"
#include "log/json_check.h"
#include "profile/gather.h"

enum { MLS_TRACE_DEPTH_MAX = MLS_JSON_DEPTH_MAX, MLS_TRACE_TEXT_KEPT = 64 };

/* What may come next. */
typedef enum mls_trace_place {
    PLACE_VALUE,
    PLACE_FIRST_ITEM, /* or the end of the list */
    PLACE_FIRST_NAME, /* or the end of the object */
    PLACE_NAME,
    PLACE_COLON,
    PLACE_AFTER, /* a comma, or an end */
    PLACE_END
} mls_trace_place;

/* The member whose value comes next. */
typedef enum mls_trace_want {
    WANT_NOTHING,
    WANT_EVENTS,
    WANT_BASE,
    WANT_PHASE,
    WANT_CATEGORY,
    WANT_NAME,
    WANT_START,
    WANT_LENGTH,
    WANT_PROCESS,
    WANT_THREAD,
    WANT_ARGUMENTS,
    WANT_DEVICE,
    WANT_STREAM,
    WANT_BYTES
} mls_trace_want;

typedef enum event_category {
    CATEGORY_UNKNOWN,
    CATEGORY_KERNEL,
    CATEGORY_COPY,
    CATEGORY_SET,
    CATEGORY_ANNOTATION,
    CATEGORY_OTHER
} event_category;

/* A member that should be a number of nanoseconds. */
typedef struct event_time {
    enum { TIME_ABSENT, TIME_GOOD, TIME_BAD } state;
    int64_t ns;
} event_time;

typedef struct event_text {
    char text[MLS_TRACE_TEXT_KEPT];
    size_t len;
    bool there;
} event_text;

typedef struct trace_event {
    size_t line; /* 0: not counted yet */
    char phase;  /* '\0': none yet */
    event_category category;
    bool named, too_long; /* its name is there; it is longer than anything that is kept */
    event_time start, length;
    event_text process, thread, device, stream;
    double bytes; /* NAN: not told */
} trace_event;

typedef struct mls_trace {
    mls_gather *gather;
    mls_trace_place place;
    unsigned depth;
    uint64_t levels[MLS_TRACE_DEPTH_MAX / 64 + 1]; /* a bit for each level: set for an object */
    size_t line;                                   /* of `counted` */
    const char *counted;                           /* line endings are counted up to here */
    const char *fault;                             /* what is wrong with the text; NULL: nothing */
    bool inside;                                   /* of a string that is too long to be kept … */
    bool inside_name;                              /* … which is a member's name */
    bool bare;                                     /* the list of events is all there is */
    bool listed;                                   /* it has begun */
    unsigned list_depth;                           /* of the list of events, while inside of it; else 0 */
    unsigned watch;                                /* the names of members are looked at down to this depth */
    bool in_event, in_arguments;
    mls_trace_want want;
    size_t objects; /* in the list that say which phase they are of, as every event does */
    bool out_of_memory;
    trace_event event;
    const char *event_at; /* where it begins, when its line has not been counted */
    mls_buffer name;      /* of the event */
    mls_arena scratch;    /* decoded texts */
} mls_trace;

/* A member's name has been read, as it stands between its quotes; it is of an object at this depth. */
void mls_trace_name(mls_trace *t, mls_str name);

/* A value that is neither list nor object, for the member that was named last. */
void mls_trace_scalar(mls_trace *t, mls_str span);

/* A value that cannot be what the member should be: a list, an object, or a string that is too long to be kept. */
void mls_trace_misfit(mls_trace *t, bool too_long);

/* An event begins in this line; it ends; or it is all there, and has been checked. */
void mls_trace_event_begin(mls_trace *t, size_t line);
void mls_trace_event_end(mls_trace *t);
void mls_trace_event(mls_trace *t, mls_str span);

/* The line of a place that is behind all those that were asked for before. */
size_t mls_trace_line(mls_trace *t, const char *at);

#endif
