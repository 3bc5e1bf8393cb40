/* SPDX-License-Identifier: Apache-2.0 */
/* trace.c - read Chrome traces of the PyTorch profiler as a stream of JSON.
 *
 * Only a window of the file is in memory.  A function that needs the bytes after the window calls more(), which moves
 * the bytes that are still needed to the front and reads the next block.  A token that continues in the next block
 * stays in memory; a string that is too long for this is checked but not stored.  A list or an object that is not
 * needed is skipped by one function call if it is short, else token by token.  The members of an event are stored as
 * JSON and interpreted at the end of the event. */
#include <math.h>
#include <stdlib.h>
#include <strings.h>

#include "base/memory.h"
#include "base/number.h"
#include "explain/profile/gather.h"
#include "json/json_check.h"

/* The parts of a trace that are read. */
typedef enum trace_part {
    PART_NOTHING,
    PART_FILE, /* these four are lists and objects */
    PART_EVENTS,
    PART_EVENT,
    PART_ARGUMENTS,
    PART_DISTRIBUTED,
    PART_BASE, /* values that are interpreted at once, up to PART_CATEGORY */
    PART_RANK,
    PART_WORLD_SIZE,
    PART_PYTORCH, /* only written by the PyTorch profiler */
    PART_XLA,     /* only written by XLA */
    PART_PHASE,
    PART_CATEGORY,
    PART_NAME, /* values that are stored until the event ends, up to the last part */
    PART_START,
    PART_LENGTH,
    PART_PROCESS,
    PART_THREAD,
    PART_DEVICE,
    PART_STREAM,
    PART_BYTES,
    PART_CORRELATION,
    PART_MEMORY_DEVICE,
    PART_MEMORY_TYPE,
    PART_ALLOCATED,
    PART_RESERVED,
    PART_COLLECTIVE, /* the first of MLS_COLLECTIVE_PARTS arguments of collectives */
    PARTS = PART_COLLECTIVE + MLS_COLLECTIVE_PARTS
} trace_part;

typedef struct member_row {
    mls_str name;
    trace_part part;
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
    /* sorted by length */
    {MLS_STR("bytes"), PART_BYTES},
    {MLS_STR("dtype"), PART_COLLECTIVE + MLS_COLLECTIVE_TYPE},
    {MLS_STR("device"), PART_DEVICE},
    {MLS_STR("stream"), PART_STREAM},
    {MLS_STR("hlo_op"), PART_XLA},
    {MLS_STR("Device Id"), PART_MEMORY_DEVICE},
    {MLS_STR("hlo_module"), PART_XLA},
    {MLS_STR("Group size"), PART_COLLECTIVE + MLS_COLLECTIVE_SIZE},
    {MLS_STR("correlation"), PART_CORRELATION},
    {MLS_STR("Device Type"), PART_MEMORY_TYPE},
    {MLS_STR("In msg nelems"), PART_COLLECTIVE + MLS_COLLECTIVE_IN},
    {MLS_STR("Out msg nelems"), PART_COLLECTIVE + MLS_COLLECTIVE_OUT},
    {MLS_STR("Total Reserved"), PART_RESERVED},
    {MLS_STR("Collective name"), PART_COLLECTIVE + MLS_COLLECTIVE_NAME},
    {MLS_STR("Total Allocated"), PART_ALLOCATED},
    {MLS_STR("Process Group Name"), PART_COLLECTIVE + MLS_COLLECTIVE_GROUP},
    {MLS_STR("Process Group Ranks"), PART_COLLECTIVE + MLS_COLLECTIVE_MEMBERS},
    {{NULL, 0}, PART_NOTHING},
};
enum { ARGUMENT_LEN_MAX = sizeof "Process Group Ranks" - 1 };

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

typedef struct trace_event {
    bool begun;
    const char *at; /* begin of the event in the window; NULL: no longer in the window, `line` is its line */
    size_t line;
    char phase; /* '\0': not read yet */
    event_category category;
    bool ignored;     /* the event is not needed: the rest of it is checked but not stored */
    bool too_long;    /* the name is too long to be kept */
    unsigned present; /* one bit for each element of trace.texts that the event has */
    unsigned copied;  /* one bit for each of these elements that was copied, because it is no longer in the window */
} trace_event;

typedef struct trace {
    mls_gather *gather;
    mls_window *window;
    bool moved;          /* more than the first block has been read */
    size_t line;         /* line number of `counted` */
    const char *counted; /* newlines are counted up to here */
    const char *fault;   /* what is wrong with the JSON; NULL: nothing */
    const char *stopped; /* place of the fault, or the end of a truncated file */
    bool bare;           /* the file is a list of events, not an object that contains the list */
    bool listed;         /* the list of events has begun */
    size_t objects;      /* number of items of the list that have a phase, as every event has */
    bool pytorch, xla;   /* a member shows that PyTorch, or XLA, wrote the trace */
    trace_event event;
    mls_str texts[PARTS - PART_NAME];                  /* the members of the event as JSON */
    const member_row *arguments[ARGUMENT_LEN_MAX + 1]; /* for each length of a name: the first row of that length in the
                                                          table of arguments, or NULL */
    mls_arena scratch;                                 /* owns copied and decoded texts of the event */
} trace;

/* Return the line number of a place.  Places must ascend from call to call. */
static size_t trace_line(trace *t, const char *at)
{
    enum { AT_ONCE = 255 }; /* the largest count that fits into a byte */
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
static size_t trace_event_line(trace *t)
{
    if (t->event.at != NULL) {
        t->event.line = trace_line(t, t->event.at);
        t->event.at = NULL;
    }
    return t->event.line;
}

/* Return the part that a member of the part `of` is, by its name. */
static trace_part trace_member(const trace *t, trace_part of, mls_str name)
{
    const member_row *row = of == PART_FILE          ? file_members
                            : of == PART_EVENT       ? event_members
                            : of == PART_DISTRIBUTED ? distributed_members
                                                     : argument_members;
    if (t->event.ignored && of != PART_FILE && of != PART_DISTRIBUTED && t->event.phase != '\0')
        return PART_NOTHING;
    const bool escaped = name.len > 0 && memchr(name.ptr, '\\', name.len) != NULL;
    if (of == PART_ARGUMENTS && !escaped) {
        row = name.len <= ARGUMENT_LEN_MAX ? t->arguments[name.len] : NULL;
        while (row != NULL && row->name.len == name.len && memcmp(row->name.ptr, name.ptr, name.len) != 0)
            row++;
        return row != NULL && row->name.len == name.len ? row->part : PART_NOTHING;
    }
    while (row->part != PART_NOTHING &&
           !(escaped ? mls_span_name_is(name, row->name)
                     : name.len == row->name.len && name.ptr[0] == row->name.ptr[0] && mls_str_equal(name, row->name)))
        row++;
    return row->part;
}

/* Return the text of a string without quotes and escapes, or of a number. */
static mls_str scalar_text(trace *t, mls_str span)
{
    if (*span.ptr != '"')
        return span;
    const mls_str text = {span.ptr + 1, span.len - 2};
    return memchr(text.ptr, '\\', text.len) != NULL ? mls_span_decode(span, false, &t->scratch) : text;
}

/* Return a member of the event as JSON; ptr is NULL if the event does not have the member. */
static mls_str event_json(const trace *t, trace_part part)
{
    const unsigned number = part - PART_NAME;
    return (t->event.present >> number & 1) != 0 ? t->texts[number] : (mls_str){NULL, 0};
}

/* Return a string or number of the event as a text; ptr is NULL if the event does not have the member. */
static mls_str event_text(trace *t, trace_part part)
{
    const mls_str json = event_json(t, part);
    return json.ptr != NULL && (*json.ptr == '"' || *json.ptr == '-' || mls_is_digit(*json.ptr)) ? scalar_text(t, json)
                                                                                                 : (mls_str){NULL, 0};
}

/* Return a number of the event, or NAN if it is missing or negative. */
static double event_number(const trace *t, trace_part part)
{
    mls_decimal number;
    const mls_str json = event_json(t, part);
    return json.ptr != NULL && mls_decimal_parse(json, &number) && !number.negative ? mls_decimal_double(&number)
                                                                                    : (double)NAN;
}

/* Convert a time of the event from microseconds to nanoseconds.  Work on decimal digits, because a double would lose
 * the last ones. */
static bool event_time(const trace *t, trace_part part, int64_t *ns)
{
    mls_decimal number;
    const mls_str json = event_json(t, part);
    return json.ptr != NULL && *json.ptr != '"' && mls_decimal_parse(json, &number) &&
           mls_decimal_scale(&number, 3, ns);
}

/* Interpret or store the value of a part.  The span "[" means a value of the wrong type. */
static void take_value(trace *t, trace_part part, mls_str span)
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
    trace_event *event = &t->event;
    mls_profile *profile = t->gather->profile;
    if (part >= PART_NAME) {
        const unsigned number = part - PART_NAME;
        if ((event->present >> number & 1) == 0) { /* if a member is repeated, the first one is used */
            event->present |= 1U << number;
            t->texts[number] = span;
        }
        return;
    }
    mls_str text;
    mls_decimal number;
    size_t rank;
    switch (part) {
    case PART_BASE:
        if (!mls_decimal_parse(span, &number) || !mls_decimal_scale(&number, 0, &t->gather->base_ns))
            t->gather->base_ns = -1;
        break;
    case PART_RANK:
        profile->has_rank = mls_size_parse(span, &rank) && rank < MLS_WORLD_MAX;
        profile->rank = profile->has_rank ? rank : 0;
        break;
    case PART_WORLD_SIZE:
        profile->world_size = mls_size_parse(span, &rank) && rank < MLS_WORLD_MAX ? rank : 0;
        break;
    case PART_PYTORCH:
    case PART_XLA:
        *(part == PART_XLA ? &t->xla : &t->pytorch) |= *span.ptr != '[';
        break;
    case PART_PHASE:
        t->objects += event->phase == '\0';
        event->phase = *span.ptr == '"' && span.len == 3 ? span.ptr[1] : '?';
        event->ignored |= event->phase != 'X' && event->phase != 'i';
        break;
    case PART_CATEGORY:
        text = scalar_text(t, span);
        event->category = CATEGORY_OTHER;
        for (size_t i = 0; i < sizeof known / sizeof *known; i++)
            if (known[i].name.len == text.len && (text.ptr[0] | ' ') == known[i].name.ptr[0] &&
                strncasecmp(known[i].name.ptr, text.ptr, text.len) == 0)
                event->category = known[i].category;
        t->pytorch = t->pytorch || event->category != CATEGORY_OTHER ||
                     mls_str_any(text,
                                 "cpu_op|ac2g|fwdbwd|python_function|gpu_user_annotation|cuda_sync|"
                                 "overhead|Operator|Runtime|Trace",
                                 mls_str_equal);
        event->ignored |= event->category == CATEGORY_OTHER;
        break;
    default:
        break;
    }
}

/* Return the device or stream of the event: the value of `argument`, else the value of `fallback` (process or thread),
 * else "". */
static mls_str place_of(trace *t, trace_part argument, trace_part fallback)
{
    mls_str text = event_text(t, argument);
    text = text.ptr != NULL ? text : event_text(t, fallback);
    return text.ptr != NULL ? text : (mls_str){"", 0};
}

static void trace_event_end(trace *t)
{
    const trace_event *event = &t->event;
    int64_t start = 0;
    int64_t length = 0;
    int64_t launch = -1;
    t->event.begun = false;
    if (event->ignored || event->category == CATEGORY_UNKNOWN ||
        event->phase != (event->category == CATEGORY_INSTANT ? 'i' : 'X'))
        return;
    const mls_str json = event_json(t, PART_NAME);
    const bool named = json.len > 2 && *json.ptr == '"';
    const mls_str name = named ? scalar_text(t, json) : (mls_str){"", 0};
    const bool started = event_time(t, PART_START, &start);
    const bool timed = event_time(t, PART_LENGTH, &length);
    const mls_str correlation = event_json(t, PART_CORRELATION);
    launch = correlation.ptr != NULL && mls_integer_parse(correlation, &launch) ? launch : -1;
    const char *wrong = event->too_long                          ? "its name is longer than 64 KiB"
                        : !named                                 ? "it has no name"
                        : event_json(t, PART_START).ptr == NULL  ? "it has no ts"
                        : event_json(t, PART_LENGTH).ptr == NULL ? "it has no dur"
                        : !started                               ? "its ts is not a time"
                        : !timed                                 ? "its dur is not a time"
                        : length > INT64_MAX - start             ? "its end is out of range"
                                                                 : NULL;
    if (event->category == CATEGORY_INSTANT) {
        /* Store the peak of PyTorch's memory on a device.  Memory of the CPU, device type 0, is ignored. */
        mls_gather *gather = t->gather;
        const double allocated = event_number(t, PART_ALLOCATED);
        const mls_str device = event_text(t, PART_MEMORY_DEVICE);
        size_t i = 0;
        if (!started || !mls_str_equal(name, MLS_S("[memory]")) ||
            mls_str_equal(event_text(t, PART_MEMORY_TYPE), MLS_S("0")) || !isfinite(allocated) ||
            device.len >= sizeof gather->peaks[0].device)
            return;
        while (i < gather->peak_count && !mls_str_equal(mls_str_from(gather->peaks[i].device), device))
            i++;
        if (i < MLS_PEAKS_MAX && (i == gather->peak_count || allocated > gather->peaks[i].allocated)) {
            mls_memory_peak *peak = &gather->peaks[i];
            *peak = (mls_memory_peak){.allocated = allocated, .reserved = event_number(t, PART_RESERVED), .at = start};
            memcpy(peak->device, device.len > 0 ? device.ptr : "", device.len);
            gather->peak_count += i == gather->peak_count;
        }
    } else if (event->category == CATEGORY_ANNOTATION) { /* an annotation of the host, such as ProfilerStep#12 */
        if (named && started && timed)
            mls_gather_annotation(t->gather, name, start, length);
    } else if (event->category == CATEGORY_CALL) {
        /* Ignore frequent calls that launch nothing: those on events, streams, threads, devices and functions, and
         * those whose names begin with Get. */
        const mls_str call = mls_cuda_call(name);
        const char first = call.len > 0 ? call.ptr[0] : '\0';
        const char second = call.len > 1 ? call.ptr[1] : '\0';
        const bool launches = first == 'E'   ? second != 'v'
                              : first == 'G' ? second != 'e'
                                             : first != 'S' && first != 'T' && first != 'D' && first != 'F';
        if (named && started && launches) {
            const bool graph = memchr(name.ptr, 'G', name.len) != NULL && mls_str_contains(name, MLS_S("GraphLaunch"));
            mls_gather_call(t->gather, launch, start, graph);
        }
    } else if (wrong == NULL) {
        /* Add a kernel or a copy. */
        mls_gather *gather = t->gather;
        const bool copied = t->event.category != CATEGORY_KERNEL;
        const mls_copy_operation operation =
            t->event.category == CATEGORY_COPY ? mls_copy_operation_of(name) : MLS_COPY_SET;
        const mls_str device = place_of(t, PART_DEVICE, PART_PROCESS);
        const mls_str stream = place_of(t, PART_STREAM, PART_THREAD);
        const uint32_t row = copied ? MLS_ROW_COPY + 2 * (uint32_t)operation + mls_str_contains(name, MLS_S("Pageable"))
                                    : mls_gather_name(gather, name);
        const mls_activity activity = {.start = start, .length = length, .launch = launch, .row = row};
        if (!mls_gather_activity(gather, device, stream, activity)) {
            mls_gather_too_much(gather, trace_event_line(t));
        } else if (copied) {
            const double bytes = event_number(t, PART_BYTES);
            if (isfinite(bytes))
                mls_sums_add(&gather->sizes[operation].sums, 1, bytes / 1e6, (double)NAN, (double)NAN);
        } else {
            mls_str texts[MLS_COLLECTIVE_PARTS];
            for (unsigned i = 0; i < MLS_COLLECTIVE_PARTS; i++)
                texts[i] = event_text(t, (trace_part)(PART_COLLECTIVE + i));
            const bool nccl = row >= MLS_ROW_NAME ? gather->tallies[MLS_TALLY_KERNELS].rows[row].nccl
                                                  : mls_str_any(name, "nccl|NCCL", mls_str_contains);
            mls_collective_add(gather->profile, texts, nccl, start, length);
        }
    } else {
        mls_findings_add(&t->gather->profile->findings, MLS_FINDING_EVENT_DAMAGED,
                         (mls_finding_place){.line = trace_event_line(t)}, "a GPU activity was skipped: %s", wrong);
    }
}

/* CARRY_MAX: the most bytes of a token that stay in memory when the next block is read.  WORD_LONGEST: more than the
 * length of any word without quotes (true, false, null). */
enum { CARRY_MAX = MLS_WINDOW_KEPT / 16, WORD_LONGEST = 16 };

static const char *trace_fail(trace *t, const char *at, const char *fault)
{
    t->fault = fault;
    t->stopped = at;
    return NULL;
}

/* Read the next block and keep the bytes from `keep` on.  Return the new place of `keep`, or NULL at the end of the
 * file. */
static const char *more(trace *t, const char *keep)
{
    mls_window *window = t->window;
    t->stopped = keep;
    if (window->input->ended)
        return NULL;
    (void)trace_event_line(t);
    (void)trace_line(t, keep);
    for (unsigned i = 0; i < PARTS - PART_NAME; i++)
        if (((t->event.present & ~t->event.copied) >> i & 1) != 0)
            t->texts[i] = mls_arena_copy(&t->scratch, t->texts[i]);
    t->event.copied = t->event.present;
    window->at += keep - window->at;
    mls_window_fill(window);
    t->moved = true;
    t->counted = window->at;
    return window->at;
}

/* Return the place of the first byte from `at` on that is not blank, or NULL at the end of the file. */
static inline const char *trace_blanks(trace *t, const char *at)
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

/* Read the string at `at`.  Set *span to the string with its quotes; span->ptr is NULL if it is too long.  Return the
 * place after the string, or NULL at the end of the file or after a fault. */
static inline const char *read_string(trace *t, const char *at, mls_str *span)
{
    const char *stop = at + 1;
    bool kept = true;
    for (;;) {
        const char *end = t->window->end;
        stop = mls_json_string_stop(stop);
        if (stop < end && *stop == '"')
            break;
        if (stop < end && *stop != '\\')
            return trace_fail(t, stop, "a control character inside a string");
        const size_t length = stop < end && stop[1] == 'u' ? 6 : 2;
        if (stop < end && (size_t)(end - stop) >= length) {
            if (length == 6 ? strspn(stop + 2, "0123456789abcdefABCDEF") < 4
                            : stop[1] == '\0' || strchr("\"\\/bfnrt", stop[1]) == NULL)
                return trace_fail(t, stop, "an invalid escape in a string");
            stop += length;
        } else {
            /* The window ends inside the string.  If it ends inside an escape, the whole escape is read again. */
            stop = stop < end ? stop : end;
            kept = kept && end - at <= CARRY_MAX;
            const size_t done = kept ? (size_t)(stop - at) : 0;
            at = more(t, kept ? at : stop);
            if (at == NULL)
                return NULL;
            stop = at + done;
        }
    }
    /* Apply the limit here too, so that it does not depend on where blocks end. */
    *span = kept && stop - at <= CARRY_MAX ? (mls_str){at, (size_t)(stop - at) + 1} : (mls_str){NULL, 0};
    return stop + 1;
}

/* Read a number or a word without quotes.  Arguments and return value are those of read_string().  If a number is
 * longer than CARRY_MAX, the rest of it is not checked. */
static const char *read_word(trace *t, const char *at, mls_str *span)
{
    for (; at != NULL; at = more(t, at)) {
        mls_json_fault fault = {NULL, NULL};
        const char *stop = mls_json_check_value(at, 0, &fault);
        const char *end = t->window->end;
        if (stop != NULL && stop < end) {
            *span = stop - at <= CARRY_MAX ? (mls_str){at, (size_t)(stop - at)} : (mls_str){NULL, 0};
            return stop;
        }
        /* A number that ends with its point at the end of the window may go on in the next block, so it is not an
         * error. */
        if (stop == NULL && end - fault.at > WORD_LONGEST)
            return trace_fail(t, at, fault.reason);
        if (end - at > CARRY_MAX) {
            *span = (mls_str){NULL, 0};
            for (at = end; at != NULL && at >= t->window->end;) {
                at = more(t, t->window->end);
                at += at != NULL ? strspn(at, "0123456789+-.eE") : 0;
            }
            return at;
        }
    }
    return NULL;
}

static const char *read_items(trace *t, const char *at, trace_part part, unsigned depth);

/* Read the value at `at`, which is inside `depth` lists and objects.  `whole`: first try to skip a value that is not
 * needed with one call.  Return the place after the value, or NULL at the end of the file or after a fault. */
static const char *read_value(trace *t, const char *at, trace_part part, unsigned depth, bool whole)
{
    const mls_str wrong_type = MLS_S("[");
    mls_str span = {NULL, 0};
    if (*at != '{' && *at != '[') {
        const bool text = *at == '"';
        at = text ? read_string(t, at, &span) : read_word(t, at, &span);
        if (at != NULL && part != PART_NOTHING) {
            t->event.too_long |= part == PART_NAME && text && span.ptr == NULL;
            take_value(t, part, span.ptr != NULL ? span : wrong_type);
        }
        return at;
    }
    if (depth == MLS_JSON_DEPTH_MAX)
        return trace_fail(t, at, "nested too deeply");
    /* Find the part that begins with this bracket.  The list of events may be the whole file. */
    const bool object = *at == '{';
    const bool events = !object && (part == PART_FILE || part == PART_EVENTS);
    t->listed |= events;
    t->bare |= events && part == PART_FILE;
    if (events) {
        part = PART_EVENTS;
    } else if (!object ||
               (part != PART_FILE && part != PART_EVENT && part != PART_ARGUMENTS && part != PART_DISTRIBUTED)) {
        take_value(t, part, wrong_type);
        part = PART_NOTHING;
    }
    /* Skip a list or an object that is not needed if it is in the window, possibly after reading the next block. */
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

/* Read the list or the object that begins at `at`.  The return value is that of read_value(). */
static const char *read_items(trace *t, const char *at, trace_part part, unsigned depth)
{
    const bool object = *at == '{';
    const char close = object ? '}' : ']';
    if (part == PART_EVENT) {
        t->event = (trace_event){.begun = true, .at = at};
        mls_arena_reset(&t->scratch);
    }
    at = trace_blanks(t, at + 1);
    for (bool first = true; at != NULL && !(first && *at == close); first = false) {
        trace_part item = part == PART_EVENTS ? PART_EVENT : PART_NOTHING;
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
        at = at != NULL ? read_value(t, at, item, depth, part != PART_NOTHING) : NULL;
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
    if (at == NULL) /* a trace that is only a list of events may lack the closing bracket */
        return t->bare && part == PART_EVENTS ? t->window->end : NULL;
    if (part == PART_EVENT)
        trace_event_end(t);
    return at + 1;
}

mls_status mls_trace_read(mls_gather *gather, mls_window *window, bool *json, mls_error *error)
{
    mls_profile *profile = gather->profile;
    trace *t = mls_calloc(1, sizeof *t);
    *t = (trace){.gather = gather, .window = window, .line = 1, .counted = window->at, .stopped = window->at};
    for (size_t i = sizeof argument_members / sizeof *argument_members - 1; i-- > 0;)
        t->arguments[argument_members[i].name.len] = &argument_members[i];
    const char *at = read_value(t, trace_blanks(t, window->at), PART_FILE, 0, false);
    const char *after = at != NULL ? trace_blanks(t, at) : NULL;
    if (after != NULL)
        (void)trace_fail(t, after, "unexpected text after the trace");
    *json = t->fault == NULL || t->moved;

    mls_status status = MLS_OK;
    const char *wrong = window->input->trouble.wrong;
    const bool whole = at != NULL && after == NULL && wrong == NULL;
    if (t->bare ? t->objects == 0 : !t->listed || (whole && t->objects == 0)) {
        status = mls_error_set(error, MLS_ERROR_UNKNOWN, 0, 0, "%s",
                               t->listed && !t->bare ? "is a trace without events"
                               : whole               ? "is JSON, but not a trace: it has no traceEvents"
                                                     : "is not a trace: it ends before any traceEvents");
    } else if (!t->pytorch && (whole || t->xla)) {
        status = mls_error_set(
            error, MLS_ERROR_UNKNOWN, 0, 0, "%s",
            t->xla ? "is a trace of JAX or TensorFlow, which does not describe GPU activities as PyTorch does: use "
                     "nsys profile --trace=cuda, then nsys stats --report cuda_gpu_trace --format csv"
                   : "is a trace, but not of the PyTorch profiler: it has none of PyTorch's event categories");
    } else {
        profile->kind = MLS_PROFILE_KINETO;
        profile->complete = whole;
        gather->has_line = true;
        if (!whole) {
            const bool inside = t->fault == NULL && t->event.begun;
            mls_findings_add(&profile->findings, MLS_FINDING_TRACE_TRUNCATED,
                             (mls_finding_place){.line = inside ? trace_event_line(t) : trace_line(t, t->stopped)},
                             "the trace could only be read up to here: %s",
                             t->fault != NULL ? t->fault
                             : wrong != NULL  ? wrong
                                              : "the file is truncated");
        }
    }
    mls_arena_release(&t->scratch);
    free(t);
    return status;
}
