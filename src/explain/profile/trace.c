/* SPDX-License-Identifier: Apache-2.0 */
/* trace.c - read Chrome traces of the PyTorch profiler as a stream of JSON.
 *
 * Only a window of the file is in memory.  A function that needs bytes behind it calls more(), which moves the bytes to
 * keep to the front and reads the next block.  A token that a block cuts is kept whole; a string that is too long for
 * that is checked and dropped.  A list or an object that is not needed is checked in one go if it is short, else token
 * by token. */
#include <math.h>
#include <stdlib.h>
#include <strings.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "base/number.h"
#include "explain/profile/gather.h"
#include "json/json_check.h"

/* The parts of a trace: lists and objects that are entered, and the members of an event that are kept. */
typedef enum mls_trace_part {
    PART_NOTHING, /* not needed */
    PART_FILE,
    PART_EVENTS,
    PART_EVENT,
    PART_ARGUMENTS,
    PART_BASE,
    PART_PYTORCH, /* a member that only the PyTorch profiler writes */
    PART_XLA,     /* a member that only XLA writes */
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
    PART_DISTRIBUTED, /* the rank of the trace */
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
    size_t of;     /* the number of the event */
    char text[64]; /* the first bytes */
} event_text;

typedef struct trace_event {
    bool begun;
    const char *at; /* the begin; NULL: in `line` */
    size_t line;
    char phase; /* '\0': none yet */
    event_category category;
    bool ignored;         /* not about the GPU: the rest of it is only checked */
    bool named, too_long; /* it has a name; that is too long to be kept */
    double bytes[3];      /* PART_BYTES and those after it; NAN: unknown */
    int64_t correlation;  /* -1: none */
    event_time start, length;
} trace_event;

typedef struct mls_trace {
    mls_gather *gather;
    mls_window *window;
    bool moved;          /* beyond the first block */
    size_t line;         /* the line of `counted` */
    const char *counted; /* newlines are counted up to here */
    const char *fault;   /* what is wrong with the JSON; NULL: nothing */
    const char *stopped; /* where that is, or where the file ends early */
    bool bare;           /* the file is just a list of events */
    bool listed;         /* the list of events has begun */
    size_t objects;      /* items of the list with a phase, which every event has */
    size_t events;       /* events begun */
    bool pytorch, xla;   /* a member proves who wrote the trace */
    trace_event event;
    event_text texts[6];             /* of the event: PART_PROCESS to PART_MEMORY_TYPE */
    mls_collective_texts collective; /* of the event */
    uint64_t argument_lengths;       /* a bit for each length of an argument's name */
    mls_buffer name;                 /* of the event */
    mls_arena scratch;               /* decoded texts */
} mls_trace;

/* Return the line of a place, which must not be before any place asked for so far. */
static size_t trace_line(mls_trace *t, const char *at)
{
    enum { AT_ONCE = 255 }; /* a byte can count so many */
    size_t lines = 0;
    const char *c = t->counted;
    while (at - c >= 16) {
        mls_bytes16 counts = {0};
        for (int i = 0; i < AT_ONCE && at - c >= 16; i++, c += 16)
            counts -= (mls_bytes16)(mls_load16(c) == '\n');
        for (size_t i = 0; i < sizeof counts; i++)
            lines += counts[i];
    }
    for (; c < at; c++)
        lines += *c == '\n';
    t->line += lines;
    t->counted = at > t->counted ? at : t->counted;
    return t->line;
}

/* Return the line in which the event begins. */
static size_t trace_event_line(mls_trace *t)
{
    if (t->event.at != NULL) {
        t->event.line = trace_line(t, t->event.at);
        t->event.at = NULL;
    }
    return t->event.line;
}

typedef struct member_row {
    mls_str name;
    mls_trace_part part;
} member_row;

static const member_row file_members[] = {{MLS_STR("traceEvents"), PART_EVENTS},
                                          {MLS_STR("baseTimeNanoseconds"), PART_BASE},
                                          {MLS_STR("schemaVersion"), PART_PYTORCH},
                                          {MLS_STR("distributedInfo"), PART_DISTRIBUTED},
                                          {{NULL, 0}, PART_NOTHING}};
static const member_row distributed_members[] = {
    {MLS_STR("rank"), PART_RANK}, {MLS_STR("world_size"), PART_WORLD_SIZE}, {{NULL, 0}, PART_NOTHING}};
static const member_row event_members[] = {
    {MLS_STR("ph"), PART_PHASE},   {MLS_STR("cat"), PART_CATEGORY},   {MLS_STR("name"), PART_NAME},
    {MLS_STR("ts"), PART_START},   {MLS_STR("dur"), PART_LENGTH},     {MLS_STR("pid"), PART_PROCESS},
    {MLS_STR("tid"), PART_THREAD}, {MLS_STR("args"), PART_ARGUMENTS}, {{NULL, 0}, PART_NOTHING}};
static const member_row argument_members[] = {
    {MLS_STR("device"), PART_DEVICE},
    {MLS_STR("stream"), PART_STREAM},
    {MLS_STR("bytes"), PART_BYTES},
    {MLS_STR("correlation"), PART_CORRELATION},
    {MLS_STR("Device Id"), PART_MEMORY_DEVICE},
    {MLS_STR("Device Type"), PART_MEMORY_TYPE},
    {MLS_STR("Total Allocated"), PART_ALLOCATED},
    {MLS_STR("Total Reserved"), PART_RESERVED},
    {MLS_STR("hlo_op"), PART_XLA},
    {MLS_STR("hlo_module"), PART_XLA},
    {{NULL, 0}, PART_NOTHING},
};

/* Return the part that the member `name` of `of` is.  Most arguments are ruled out by the length of their names. */
static mls_trace_part trace_member(const mls_trace *t, mls_trace_part of, mls_str name)
{
    const member_row *row = of == PART_FILE          ? file_members
                            : of == PART_EVENT       ? event_members
                            : of == PART_DISTRIBUTED ? distributed_members
                                                     : argument_members;
    if (t->event.ignored && of != PART_FILE && of != PART_DISTRIBUTED && t->event.phase != '\0')
        return PART_NOTHING;
    const bool escaped = name.len > 0 && memchr(name.ptr, '\\', name.len) != NULL;
    const bool passed = of == PART_ARGUMENTS && !escaped && (t->argument_lengths >> (name.len & 63) & 1) == 0;
    for (; !passed && row->part != PART_NOTHING; row++)
        if (escaped ? mls_span_name_is(name, row->name)
                    : name.len == row->name.len && name.ptr[0] == row->name.ptr[0] && mls_str_equal(name, row->name))
            return row->part;
    const mls_collective_part part = of == PART_ARGUMENTS ? mls_collective_part_of(name) : MLS_COLLECTIVE_PARTS;
    return part < MLS_COLLECTIVE_PARTS ? (mls_trace_part)(PART_COLLECTIVE + part) : PART_NOTHING;
}

/* Return the text of a string without quotes and escapes, or of a number. */
static mls_str scalar_text(mls_trace *t, mls_str span)
{
    mls_str text = span;
    if (*span.ptr == '"') {
        text = (mls_str){span.ptr + 1, span.len - 2};
        if (memchr(text.ptr, '\\', text.len) != NULL) {
            mls_arena_reset(&t->scratch);
            text = mls_span_decode(span, false, &t->scratch);
        }
    }
    return text;
}

/* Convert microseconds by their digits: a double would lose the last ones. */
static event_time time_of(mls_str span)
{
    mls_decimal number;
    event_time time = {TIME_BAD, 0};
    if (*span.ptr != '"' && mls_decimal_parse(span, &number) && mls_decimal_scale(&number, 3, &time.ns))
        time.state = TIME_GOOD;
    return time;
}

static event_category category_of(mls_str text)
{
    static const struct {
        mls_str name;
        event_category category;
    } known[] = {{MLS_STR("kernel"), CATEGORY_KERNEL},
                 {MLS_STR("gpu_memcpy"), CATEGORY_COPY},
                 {MLS_STR("gpu_memset"), CATEGORY_SET},
                 {MLS_STR("cuda_runtime"), CATEGORY_CALL},
                 {MLS_STR("cuda_driver"), CATEGORY_CALL},
                 {MLS_STR("memcpy"), CATEGORY_COPY},
                 {MLS_STR("memset"), CATEGORY_SET},
                 {MLS_STR("user_annotation"), CATEGORY_ANNOTATION},
                 {MLS_STR("cpu_instant_event"), CATEGORY_INSTANT}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].name.len == text.len && (text.ptr[0] | ' ') == known[i].name.ptr[0] &&
            strncasecmp(known[i].name.ptr, text.ptr, text.len) == 0)
            return known[i].category;
    return CATEGORY_OTHER;
}

/* Take a value that is neither a list nor an object. */
static void trace_scalar(mls_trace *t, mls_trace_part part, mls_str span)
{
    trace_event *event = &t->event;
    mls_profile *profile = t->gather->profile;
    const bool quoted = *span.ptr == '"';
    size_t number_of_rank;
    mls_decimal number;
    switch (part) {
    case PART_BASE:
        if (!mls_decimal_parse(span, &number) || !mls_decimal_scale(&number, 0, &t->gather->base_ns))
            t->gather->base_ns = -1;
        break;
    case PART_PYTORCH:
    case PART_XLA:
        *(part == PART_XLA ? &t->xla : &t->pytorch) = true;
        break;
    case PART_PHASE:
        t->objects += event->phase == '\0';
        event->phase = quoted && span.len == 3 ? span.ptr[1] : '?';
        event->ignored |= event->phase != 'X' && event->phase != 'i';
        break;
    case PART_CATEGORY: {
        const mls_str category = scalar_text(t, span);
        event->category = category_of(category);
        t->pytorch = t->pytorch || event->category != CATEGORY_OTHER ||
                     mls_str_any(category,
                                 "cpu_op|ac2g|fwdbwd|python_function|gpu_user_annotation|cuda_sync|"
                                 "overhead|Operator|Runtime|Trace",
                                 mls_str_equal);
        event->ignored |= event->category == CATEGORY_OTHER;
        break;
    }
    case PART_NAME:
        mls_buffer_clear(&t->name);
        event->named = quoted && span.len > 2;
        if (quoted)
            mls_buffer_append(&t->name, scalar_text(t, span));
        break;
    case PART_START:
        event->start = time_of(span);
        break;
    case PART_LENGTH:
        event->length = time_of(span);
        break;
    case PART_CORRELATION:
        if (!mls_integer_parse(span, &event->correlation))
            event->correlation = -1;
        break;
    case PART_BYTES:
    case PART_ALLOCATED:
    case PART_RESERVED:
        event->bytes[part - PART_BYTES] =
            mls_decimal_parse(span, &number) && !number.negative ? mls_decimal_double(&number) : (double)NAN;
        break;
    case PART_MEMORY_DEVICE:
    case PART_MEMORY_TYPE:
    case PART_PROCESS:
    case PART_THREAD:
    case PART_DEVICE:
    case PART_STREAM: {
        event_text *to = &t->texts[part - PART_PROCESS];
        if (to->of != t->events)
            *to = (event_text){.of = t->events};
        if (!to->there) { /* the first one counts */
            const mls_str text = scalar_text(t, span);
            to->len = text.len < sizeof to->text ? text.len : sizeof to->text;
            to->there = quoted || *span.ptr == '-' || mls_is_digit(*span.ptr);
            memcpy(to->text, text.ptr, to->len);
        }
        break;
    }
    case PART_RANK:
        profile->has_rank = mls_size_parse(span, &number_of_rank) && number_of_rank < MLS_WORLD_MAX;
        profile->rank = profile->has_rank ? number_of_rank : 0;
        break;
    case PART_WORLD_SIZE:
        profile->world_size =
            mls_size_parse(span, &number_of_rank) && number_of_rank < MLS_WORLD_MAX ? number_of_rank : 0;
        break;
    default:
        if (part >= PART_COLLECTIVE && (quoted || *span.ptr == '-' || mls_is_digit(*span.ptr)))
            mls_collective_take(&t->collective, (mls_collective_part)(part - PART_COLLECTIVE), scalar_text(t, span));
        break;
    }
}

/* Note that a part is of the wrong type: a list, an object, or a string that is too long to be kept. */
static void trace_wrong_type(mls_trace *t, mls_trace_part part, bool too_long)
{
    if (part == PART_START) {
        t->event.start.state = TIME_BAD;
    } else if (part == PART_LENGTH) {
        t->event.length.state = TIME_BAD;
    } else if (part == PART_NAME) {
        t->event.named = false;
        t->event.too_long = too_long;
    } else if (part == PART_CATEGORY) {
        t->event.ignored = true;
    }
}

/* Return the text of a device or stream: the argument, or else the process or thread. */
static mls_str text_of(const mls_trace *t, mls_trace_part argument, mls_trace_part else_part)
{
    const event_text *said = &t->texts[argument - PART_PROCESS];
    said = said->of == t->events && said->there ? said : &t->texts[else_part - PART_PROCESS];
    return (mls_str){said->text, said->of == t->events ? said->len : 0};
}

static void add_gpu_activity(mls_trace *t)
{
    const trace_event *event = &t->event;
    const bool copied = event->category != CATEGORY_KERNEL;
    const mls_str name = mls_buffer_str(&t->name);
    mls_copy_operation operation = MLS_COPY_SET;
    mls_activity activity = {.start = event->start.ns, .length = event->length.ns, .launch = event->correlation};
    if (copied) {
        operation = event->category == CATEGORY_COPY ? mls_copy_operation_of(name) : operation;
        activity.row = MLS_ROW_COPY + 2 * (uint32_t)operation + mls_str_contains(name, MLS_S("Pageable"));
    } else {
        activity.row = mls_gather_name(t->gather, name);
    }
    if (!mls_gather_activity(t->gather, text_of(t, PART_DEVICE, PART_PROCESS), text_of(t, PART_STREAM, PART_THREAD),
                             activity)) {
        mls_gather_too_much(t->gather, trace_event_line(t));
    } else if (!copied) {
        const bool kept = activity.row >= MLS_ROW_NAME;
        const bool nccl = kept ? t->gather->tallies[MLS_TALLY_KERNELS].rows[activity.row].nccl
                               : mls_str_any(name, "nccl|NCCL", mls_str_contains);
        mls_collective_add(t->gather->profile, &t->collective, nccl, event->start.ns, event->length.ns);
    } else if (isfinite(event->bytes[0])) {
        mls_gather_size(t->gather, operation, event->bytes[0] / 1e6);
    }
}

/* Return whether a CUDA call may launch something.  Frequent calls on events, streams, threads, devices and functions,
 * and those that get something, do not. */
static bool may_launch(mls_str name)
{
    const mls_str call = mls_cuda_call(name);
    const char first = call.len > 0 ? call.ptr[0] : '\0';
    const char second = call.len > 1 ? call.ptr[1] : '\0';
    return first == 'E' ? second != 'v' : first == 'G' ? second != 'e' : memchr("STDF", first, 4) == NULL;
}

/* Keep the peak of PyTorch's memory on a device.  The memory of the CPU, type 0, does not count. */
static void add_memory(mls_trace *t)
{
    mls_gather *gather = t->gather;
    const double allocated = t->event.bytes[PART_ALLOCATED - PART_BYTES];
    const mls_str type = text_of(t, PART_MEMORY_TYPE, PART_MEMORY_TYPE);
    const mls_str device = text_of(t, PART_MEMORY_DEVICE, PART_MEMORY_DEVICE);
    size_t i = 0;
    if (!mls_str_equal(mls_buffer_str(&t->name), MLS_S("[memory]")) || mls_str_equal(type, MLS_S("0")) ||
        !isfinite(allocated) || t->event.start.state != TIME_GOOD || device.len >= sizeof gather->peaks[0].device)
        return;
    while (i < gather->peak_count && !mls_str_equal(mls_str_from(gather->peaks[i].device), device))
        i++;
    if (i < MLS_PEAKS_MAX && (i == gather->peak_count || allocated > gather->peaks[i].allocated)) {
        mls_memory_peak *peak = &gather->peaks[i];
        *peak = (mls_memory_peak){
            .allocated = allocated, .reserved = t->event.bytes[PART_RESERVED - PART_BYTES], .at = t->event.start.ns};
        memcpy(peak->device, device.ptr, device.len);
        gather->peak_count += i == gather->peak_count;
    }
}

static void trace_event_end(mls_trace *t)
{
    const trace_event *event = &t->event;
    const mls_str name = mls_buffer_str(&t->name);
    const bool started = event->named && event->start.state == TIME_GOOD;
    t->event.begun = false;
    if (event->category == CATEGORY_INSTANT && event->phase == 'i')
        add_memory(t);
    if (event->phase != 'X' || event->ignored)
        return;
    const char *wrong = event->too_long                                  ? "its name is longer than 64 KiB"
                        : !event->named                                  ? "it has no name"
                        : event->start.state == TIME_ABSENT              ? "it has no ts"
                        : event->length.state == TIME_ABSENT             ? "it has no dur"
                        : event->start.state == TIME_BAD                 ? "its ts is not a time"
                        : event->length.state == TIME_BAD                ? "its dur is not a time"
                        : event->length.ns > INT64_MAX - event->start.ns ? "it ends beyond all times"
                                                                         : NULL;
    switch (event->category) {
    case CATEGORY_UNKNOWN:
    case CATEGORY_INSTANT:
        break;
    case CATEGORY_ANNOTATION: /* of the host, such as ProfilerStep#12 */
        if (started && event->length.state == TIME_GOOD)
            mls_gather_annotation(t->gather, name, event->start.ns, event->length.ns);
        break;
    case CATEGORY_CALL:
        if (started && may_launch(name)) {
            const bool graph = memchr(name.ptr, 'G', name.len) != NULL && mls_str_contains(name, MLS_S("GraphLaunch"));
            mls_gather_call(t->gather, event->correlation, event->start.ns, graph);
        }
        break;
    default:
        if (wrong == NULL) {
            add_gpu_activity(t);
        } else {
            mls_findings_add(&t->gather->profile->findings, MLS_FINDING_EVENT_DAMAGED,
                             (mls_finding_place){.line = trace_event_line(t)}, "an activity of the GPU is left out: %s",
                             wrong);
        }
    }
}

/* The most bytes of a token that are carried over to the next block; the longest bare word. */
enum { CARRY_MAX = MLS_WINDOW_KEPT / 16, WORD_LONGEST = 16 };

static const char *trace_fail(mls_trace *t, const char *at, const char *fault)
{
    t->fault = fault;
    t->stopped = at;
    return NULL;
}

/* Read the next block, keep the bytes from `keep` on, and return their new place; NULL at the end of the file. */
static const char *more(mls_trace *t, const char *keep)
{
    mls_window *window = t->window;
    t->stopped = keep;
    if (window->input->ended)
        return NULL;
    (void)trace_event_line(t);
    (void)trace_line(t, keep);
    window->at += keep - window->at;
    (void)mls_window_fill(window);
    t->moved = true;
    t->counted = window->at;
    return window->at;
}

/* Return the first byte from `at` on that is not blank; NULL at the end of the file. */
static inline const char *trace_blanks(mls_trace *t, const char *at)
{
    at = mls_json_blanks(at, true);
    while (at >= t->window->end) {
        at = more(t, t->window->end);
        if (at == NULL)
            return NULL;
        at = mls_json_blanks(at, true);
    }
    return at;
}

/* Move *at, inside a string, to the quote that closes it.  Return false if the window ends before, with *at where to
 * continue (no escape is split), or if there is a fault. */
static bool string_close(mls_trace *t, const char **at)
{
    const char *end = t->window->end;
    for (;;) {
        const char *stop = mls_json_string_stop(*at);
        *at = stop < end ? stop : end;
        if (stop >= end)
            return false;
        if (*stop == '"')
            return true;
        if (*stop != '\\') {
            (void)trace_fail(t, stop, "a control character inside a string");
            return false;
        }
        const size_t length = stop[1] == 'u' ? 6 : 2;
        if ((size_t)(end - stop) < length)
            return false;
        if (length == 6 ? strspn(stop + 2, "0123456789abcdefABCDEF") < 4
                        : stop[1] == '\0' || strchr("\"\\/bfnrt", stop[1]) == NULL) {
            (void)trace_fail(t, stop, "an escape in a string that JSON does not have");
            return false;
        }
        *at = stop + length;
    }
}

/* Read the string at `at` with its quotes; ptr NULL: too long.  Return the place behind it; NULL at the end of the file
 * or a fault. */
static inline const char *read_string(mls_trace *t, const char *at, mls_str *span)
{
    const char *stop = at + 1;
    bool kept = true;
    while (!string_close(t, &stop)) {
        kept = kept && t->window->end - at <= CARRY_MAX;
        const size_t length = kept ? (size_t)(stop - at) : 0;
        at = t->fault == NULL ? more(t, kept ? at : stop) : NULL;
        if (at == NULL)
            return NULL;
        stop = at + length;
    }
    /* Whether a string is too long must not depend on where blocks end. */
    *span = kept && stop - at <= CARRY_MAX ? (mls_str){at, (size_t)(stop - at) + 1} : (mls_str){NULL, 0};
    return stop + 1;
}

/* Return the place behind a number that is too long to be kept, of which the window so far is valid; NULL: as above. */
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
            if (mls_is_digit(*at) || sign)
                continue;
            if (!mls_is_digit(last))
                return trace_fail(t, at, "expected a digit");
            if (letter ? power : *at != '.' || point)
                return at;
            power |= letter;
            point = true;
        }
    }
    return NULL;
}

/* Read a number or a bare word, as read_string(). */
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
        /* A number that is cut off after its point is not wrong yet. */
        if (stop == NULL &&
            (t->window->end - fault.at > WORD_LONGEST || (left > CARRY_MAX && fault.at < t->window->end)))
            return trace_fail(t, at, fault.reason);
        if (left > CARRY_MAX) {
            *span = (mls_str){NULL, 0};
            return skip_number(t, at);
        }
        at = more(t, at);
        if (at == NULL)
            return NULL;
    }
}

static const char *read_items(mls_trace *t, const char *at, mls_trace_part part, unsigned depth);

/* Read the value at `at`, which is inside `depth` others; try to skip it in one go if `whole`.  Return the place behind
 * it; NULL at the end of the file or a fault. */
static const char *read_trace_value(mls_trace *t, const char *at, mls_trace_part part, unsigned depth, bool whole)
{
    mls_str span;
    if (*at != '{' && *at != '[') {
        const bool text = *at == '"';
        at = text ? read_string(t, at, &span) : read_scalar_word(t, at, &span);
        if (at == NULL || part == PART_NOTHING)
            return at;
        if (span.ptr != NULL)
            trace_scalar(t, part, span);
        else
            trace_wrong_type(t, part, text);
        return at;
    }
    if (depth == MLS_JSON_DEPTH_MAX)
        return trace_fail(t, at, "nested too deeply");
    /* Find the part that the bracket opens; the list of events may be the whole file. */
    const bool object = *at == '{';
    const bool events = !object && (part == PART_FILE || part == PART_EVENTS);
    t->listed |= events;
    t->bare |= events && part == PART_FILE;
    if (events) {
        part = PART_EVENTS;
    } else if (!object ||
               (part != PART_FILE && part != PART_EVENT && part != PART_ARGUMENTS && part != PART_DISTRIBUTED)) {
        trace_wrong_type(t, part, false);
        part = PART_NOTHING;
    }
    /* Skip a list or an object that is not needed if all of it is in the window, or will be soon. */
    for (bool skip = part == PART_NOTHING && whole; skip;) {
        mls_json_fault fault = {NULL, NULL};
        const char *stop = mls_json_check_lines(at, depth, &fault);
        const char *end = t->window->end;
        if (stop != NULL && stop <= end)
            return stop;
        skip = end - at <= CARRY_MAX && (stop != NULL || end - fault.at < WORD_LONGEST) && !t->window->input->ended;
        at = skip ? more(t, at) : at;
        if (at == NULL)
            return NULL;
    }
    return read_items(t, at, part, depth + 1);
}

/* Read the list or the object that opens at `at`, as read_trace_value(). */
static const char *read_items(mls_trace *t, const char *at, mls_trace_part part, unsigned depth)
{
    const bool object = *at == '{';
    const char close = object ? '}' : ']';
    if (part == PART_EVENT) {
        t->event =
            (trace_event){.begun = true, .at = at, .bytes = {(double)NAN, (double)NAN, (double)NAN}, .correlation = -1};
        t->events++;
        t->collective.there = 0;
    }
    at = trace_blanks(t, at + 1);
    for (bool first = true; at != NULL && !(first && *at == close); first = false) {
        mls_trace_part item = part == PART_EVENTS ? PART_EVENT : PART_NOTHING;
        if (object) {
            mls_str name;
            if (*at != '"')
                return trace_fail(t, at, "expected a member name in quotes");
            at = read_string(t, at, &name);
            if (at == NULL)
                return NULL;
            if (name.ptr != NULL && part != PART_NOTHING)
                item = trace_member(t, part, (mls_str){name.ptr + 1, name.len - 2});
            at = trace_blanks(t, at);
            if (at == NULL || *at != ':')
                return at != NULL ? trace_fail(t, at, "expected ':'") : NULL;
            at = trace_blanks(t, at + 1);
        }
        at = at != NULL ? read_trace_value(t, at, item, depth, part != PART_NOTHING) : NULL;
        if (at == NULL)
            return NULL;
        if (part == PART_EVENT && t->event.ignored && t->event.phase != '\0') {
            /* Skip the other members of an event that is not needed, if they are all in the window. */
            mls_json_fault fault = {NULL, NULL};
            const char *stop = mls_json_check_members(at, depth - 1, &fault);
            at = stop != NULL && stop <= t->window->end ? stop - 1 : at;
        }
        at = trace_blanks(t, at);
        if (at == NULL || *at == close)
            break;
        if (*at != ',')
            return trace_fail(t, at, object ? "expected ',' or '}'" : "expected ',' or ']'");
        at = trace_blanks(t, at + 1);
    }
    if (at == NULL) /* the list of a bare trace need not be closed */
        return t->bare && part == PART_EVENTS ? t->window->end : NULL;
    if (part == PART_EVENT)
        trace_event_end(t);
    return at + 1;
}

mls_status mls_trace_read(mls_gather *gather, mls_window *window, bool *json, mls_error *error)
{
    mls_profile *profile = gather->profile;
    mls_trace *t = mls_calloc(1, sizeof *t);
    *t = (mls_trace){.gather = gather, .window = window, .line = 1, .counted = window->at, .stopped = window->at};
    for (const member_row *row = argument_members; row->part != PART_NOTHING; row++)
        t->argument_lengths |= (uint64_t)1 << row->name.len;
    const char *at = read_trace_value(t, trace_blanks(t, window->at), PART_FILE, 0, false);
    const char *after = at != NULL ? trace_blanks(t, at) : NULL;
    if (after != NULL)
        (void)trace_fail(t, after, "something follows the trace");
    *json = t->fault == NULL || t->moved;

    mls_status status = MLS_OK;
    const char *wrong = window->input->trouble.wrong;
    const bool whole = at != NULL && after == NULL && wrong == NULL;
    if (t->bare ? t->objects == 0 : !t->listed || (whole && t->objects == 0)) {
        status = mls_error_set(error, MLS_ERROR_UNKNOWN, 0, 0, "%s",
                               t->listed && !t->bare ? "is a trace without a single event"
                               : whole               ? "is JSON, but not a trace: it has no traceEvents"
                                                     : "is not a trace: no traceEvents come before it breaks off");
    } else if (!t->pytorch && (whole || t->xla)) {
        status = mls_error_set(
            error, MLS_ERROR_UNKNOWN, 0, 0, "%s",
            t->xla ? "is a trace of JAX or TensorFlow, which does not say what ran on the GPU as PyTorch does: nsys "
                     "profile --trace=cuda, then nsys stats --report cuda_gpu_trace --format csv prints what is read"
                   : "is a trace, but not one of the PyTorch profiler: nothing in it is of a category that PyTorch "
                     "writes");
    } else {
        profile->kind = MLS_PROFILE_KINETO;
        profile->complete = whole;
        gather->has_line = true;
        if (!whole) {
            const bool inside = t->fault == NULL && t->event.begun;
            mls_findings_add(&profile->findings, MLS_FINDING_TRACE_TRUNCATED,
                             (mls_finding_place){.line = inside ? trace_event_line(t) : trace_line(t, t->stopped)},
                             "the trace is read up to here only: %s",
                             t->fault != NULL ? t->fault
                             : wrong != NULL  ? wrong
                                              : "the file breaks off");
        }
    }
    mls_buffer_release(&t->name);
    mls_collective_texts_release(&t->collective);
    mls_arena_release(&t->scratch);
    free(t);
    return status;
}
