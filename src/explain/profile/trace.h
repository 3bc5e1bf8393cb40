/* SPDX-License-Identifier: Apache-2.0 */
/* trace.h - a Chrome trace while it is read: its text (trace.c) and its events (events.c); private to both. */
#pragma once

#include "base/buffer.h"
#include "explain/profile/collectives.h"
#include "explain/profile/gather.h"
#include "json/json_check.h"

/* The parts of a trace: lists and objects that are looked into, and the members of an event that are kept. */
typedef enum mls_trace_part {
    PART_NOTHING, /* of no interest */
    PART_FILE,
    PART_EVENTS,
    PART_EVENT,
    PART_ARGUMENTS,
    PART_BASE,
    PART_PYTORCH, /* what only the PyTorch profiler writes */
    PART_XLA,     /* what only XLA does */
    PART_PHASE,
    PART_CATEGORY,
    PART_NAME,
    PART_BYTES,
    PART_ALLOCATED,
    PART_RESERVED,
    PART_START,
    PART_LENGTH,
    PART_CORRELATION,
    PART_PROCESS,
    PART_THREAD,
    PART_DEVICE,
    PART_STREAM,
    PART_MEMORY_DEVICE,
    PART_MEMORY_TYPE,
    PART_DISTRIBUTED, /* whose trace it is */
    PART_RANK,
    PART_WORLD_SIZE,
    PART_COLLECTIVE /* the first of MLS_COLLECTIVE_PARTS */
} mls_trace_part;

typedef enum event_category {
    CATEGORY_UNKNOWN,
    CATEGORY_KERNEL,
    CATEGORY_COPY,
    CATEGORY_SET,
    CATEGORY_CALL,
    CATEGORY_ANNOTATION,
    CATEGORY_INSTANT,
    CATEGORY_OTHER
} event_category;

/* A member that should be a number of nanoseconds. */
typedef struct event_time {
    enum { TIME_ABSENT, TIME_GOOD, TIME_BAD } state;
    int64_t ns;
} event_time;

typedef struct event_text {
    size_t len;
    bool there;
    size_t of;     /* the event, as they are counted */
    char text[64]; /* its first bytes */
} event_text;

typedef struct trace_event {
    bool begun;
    const char *at; /* where it begins; NULL: in this line */
    size_t line;
    char phase; /* '\0': none yet */
    event_category category;
    bool ignored;         /* it is none of the GPU: the rest of it is only checked */
    bool named, too_long; /* its name is there; it is longer than anything that is kept */
    double bytes[3];      /* of PART_BYTES and those after it; NAN: not known */
    int64_t correlation;  /* -1: it has none */
    event_time start, length;
} trace_event;

typedef struct mls_trace {
    mls_gather *gather;
    mls_window *window;
    bool moved;          /* beyond the first block */
    size_t line;         /* of `counted` */
    const char *counted; /* line endings are counted up to here */
    const char *fault;   /* what is wrong with the text; NULL: nothing */
    const char *stopped; /* where, or where the file breaks off */
    bool bare;           /* the list of events is all there is */
    bool listed;         /* it has begun */
    size_t objects;      /* in the list that say which phase they are of, as every event does */
    size_t events;       /* that have begun */
    bool pytorch, xla;   /* something shows that it is a trace of these */
    bool out_of_memory;
    trace_event event;
    event_text texts[6];             /* of the event: PART_PROCESS to PART_MEMORY_TYPE */
    mls_collective_texts collective; /* likewise */
    uint64_t argument_lengths;       /* a bit for each length that an argument's name has */
    mls_buffer name;                 /* of the event */
    mls_arena scratch;               /* decoded texts */
} mls_trace;

/* Readies the search of members. */
void mls_trace_init(mls_trace *t);

/* The part that the member of that name, as it stands between its quotes, is of another. */
mls_trace_part mls_trace_member(const mls_trace *t, mls_trace_part of, mls_str name);

/* A value that is neither list nor object. */
void mls_trace_scalar(mls_trace *t, mls_trace_part part, mls_str span);

/* A value that cannot be what the part should be: a list, an object, or a string that is too long to be kept. */
void mls_trace_wrong_type(mls_trace *t, mls_trace_part part, bool too_long);

/* An event begins; it has ended. */
void mls_trace_event_begin(mls_trace *t, const char *at);
void mls_trace_event_end(mls_trace *t);

/* The line of a place after all those that were asked for before; the line that the event begins in. */
size_t mls_trace_line(mls_trace *t, const char *at);
size_t mls_trace_event_line(mls_trace *t);
