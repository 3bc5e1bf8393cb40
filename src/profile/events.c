/* SPDX-License-Identifier: Apache-2.0 */
/*
 * events.c - the events of a Chrome trace: kernels, copies, sets and steps.
 *
 * Nothing is kept of an event but the members that are asked for, and nothing is looked at of one whose category says
 * that it is not of the GPU.
 */
#include <math.h>
#include <strings.h>

#include "base/number.h"
#include "profile/trace.h"

typedef struct member_row {
    mls_str name;
    mls_trace_want want;
} member_row;

static const member_row file_members[] = {
    {MLS_STR("traceEvents"), WANT_EVENTS}, {MLS_STR("baseTimeNanoseconds"), WANT_BASE}, {{NULL, 0}, WANT_NOTHING}};
static const member_row event_members[] = {
    {MLS_STR("ph"), WANT_PHASE},   {MLS_STR("cat"), WANT_CATEGORY},   {MLS_STR("name"), WANT_NAME},
    {MLS_STR("ts"), WANT_START},   {MLS_STR("dur"), WANT_LENGTH},     {MLS_STR("pid"), WANT_PROCESS},
    {MLS_STR("tid"), WANT_THREAD}, {MLS_STR("args"), WANT_ARGUMENTS}, {{NULL, 0}, WANT_NOTHING}};
static const member_row argument_members[] = {{MLS_STR("device"), WANT_DEVICE},
                                              {MLS_STR("stream"), WANT_STREAM},
                                              {MLS_STR("bytes"), WANT_BYTES},
                                              {{NULL, 0}, WANT_NOTHING}};

/* Most names are none of them, and are told apart by their lengths; one with an escape is decoded. */
static mls_trace_want member_wanted(const member_row *row, mls_str name)
{
    const bool escaped = name.len > 0 && memchr(name.ptr, '\\', name.len) != NULL;
    for (; row->want != WANT_NOTHING; row++) {
        if (escaped ? mls_span_name_is(name, row->name)
                    : name.len == row->name.len && name.ptr[0] == row->name.ptr[0] && mls_str_equal(name, row->name)) {
            break;
        }
    }
    return row->want;
}

/* A member's name has been read; it is of an object at this depth. */
void mls_trace_name(mls_trace *t, mls_str name)
{
    t->want = t->in_arguments && t->depth == t->list_depth + 2 ? member_wanted(argument_members, name)
              : t->in_event && t->depth == t->list_depth + 1   ? member_wanted(event_members, name)
              : t->depth == 1 && !t->bare                      ? member_wanted(file_members, name)
                                                               : WANT_NOTHING;
}

/* The rest of the event is only checked. */
static void ignore_event(mls_trace *t)
{
    t->watch = 0;
    t->want = WANT_NOTHING;
}

/* The text of a string as it stands between quotes, or of a number. */
static mls_str scalar_text(mls_trace *t, mls_str span)
{
    mls_str text = span;
    if (*span.ptr == '"') {
        text = (mls_str){span.ptr + 1, span.len - 2};
        if (memchr(text.ptr, '\\', text.len) != NULL) {
            mls_arena_reset(&t->scratch);
            t->out_of_memory |= !mls_span_decode(span, false, &t->scratch, &text);
        }
    }
    return t->out_of_memory ? (mls_str){"", 0} : text;
}

static void take_event_text(mls_trace *t, event_text *to, mls_str span)
{
    const mls_str text = scalar_text(t, span);
    if (to->there) {
        return; /* the first one counts, so that no other is looked for */
    }
    to->len = text.len < MLS_TRACE_TEXT_KEPT ? text.len : MLS_TRACE_TEXT_KEPT;
    to->there = *span.ptr == '"' || *span.ptr == '-' || mls_is_digit(*span.ptr);
    memcpy(to->text, text.ptr, to->len);
}

/* Microseconds by their digits: as a double they would lose their end. */
static void take_time(event_time *to, mls_str span)
{
    mls_decimal number;
    const bool good = *span.ptr != '"' && mls_decimal_parse(span, &number) && mls_decimal_scale(&number, 3, &to->ns);
    to->state = good ? TIME_GOOD : TIME_BAD;
}

static void take_category(mls_trace *t, mls_str span)
{
    static const struct {
        const char *name;
        event_category category;
    } known[] = {{"kernel", CATEGORY_KERNEL}, {"gpu_memcpy", CATEGORY_COPY}, {"gpu_memset", CATEGORY_SET},
                 {"memcpy", CATEGORY_COPY},   {"memset", CATEGORY_SET},      {"user_annotation", CATEGORY_ANNOTATION}};
    const mls_str text = scalar_text(t, span);
    t->event.category = CATEGORY_OTHER;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (strlen(known[i].name) == text.len && strncasecmp(known[i].name, text.ptr, text.len) == 0) {
            t->event.category = known[i].category;
        }
    }
}

/* A value that is neither list nor object, for the member that was named last. */
void mls_trace_scalar(mls_trace *t, mls_str span)
{
    trace_event *event = &t->event;
    const bool quoted = *span.ptr == '"';
    mls_decimal number;
    switch (t->want) {
    case WANT_BASE:
        if (!mls_decimal_parse(span, &number) || !mls_decimal_scale(&number, 0, &t->gather->base_ns)) {
            t->gather->base_ns = -1;
        }
        break;
    case WANT_PHASE:
        t->objects += event->phase == '\0';
        event->phase = quoted && span.len == 3 ? span.ptr[1] : '?';
        break;
    case WANT_CATEGORY:
        take_category(t, span);
        break;
    case WANT_NAME:
        mls_buffer_clear(&t->name);
        event->named = quoted && span.len > 2;
        if (quoted) {
            mls_buffer_append(&t->name, scalar_text(t, span));
        }
        break;
    case WANT_START:
        take_time(&event->start, span);
        break;
    case WANT_LENGTH:
        take_time(&event->length, span);
        break;
    case WANT_BYTES:
        event->bytes = mls_decimal_parse(span, &number) && !number.negative ? mls_decimal_double(&number) : (double)NAN;
        break;
    case WANT_PROCESS:
    case WANT_THREAD:
    case WANT_DEVICE:
    case WANT_STREAM:
        take_event_text(t,
                        t->want == WANT_PROCESS  ? &event->process
                        : t->want == WANT_THREAD ? &event->thread
                        : t->want == WANT_DEVICE ? &event->device
                                                 : &event->stream,
                        span);
        break;
    default:
        break;
    }
    if (event->category == CATEGORY_OTHER || (event->phase != '\0' && event->phase != 'X')) {
        ignore_event(t);
    }
    t->want = WANT_NOTHING;
}

/* A value that cannot be what the member should be: a list, an object, or a string that is too long to be kept. */
void mls_trace_misfit(mls_trace *t, bool too_long)
{
    if (t->want == WANT_START || t->want == WANT_LENGTH) {
        (t->want == WANT_START ? &t->event.start : &t->event.length)->state = TIME_BAD;
    } else if (t->want == WANT_NAME) {
        t->event.named = false;
        t->event.too_long = too_long;
    } else if (t->want == WANT_CATEGORY) {
        ignore_event(t);
    }
    t->want = WANT_NOTHING;
}

void mls_trace_event_begin(mls_trace *t, size_t line)
{
    t->in_event = true;
    t->in_arguments = false;
    t->watch = t->list_depth + 1;
    t->want = WANT_NOTHING;
    t->event = (trace_event){.line = line, .bytes = (double)NAN};
}

static const char *event_wrong(const mls_trace *t)
{
    const trace_event *event = &t->event;
    return event->too_long                                  ? "its name is longer than 64 KiB"
           : !event->named                                  ? "it has no name"
           : event->start.state == TIME_ABSENT              ? "it has no ts"
           : event->length.state == TIME_ABSENT             ? "it has no dur"
           : event->start.state == TIME_BAD                 ? "its ts is no time"
           : event->length.state == TIME_BAD                ? "its dur is no time"
           : event->length.ns > INT64_MAX - event->start.ns ? "it ends beyond all times"
                                                            : NULL;
}

/* ProfilerStep#12: how long a step of the training took on the host. */
static void add_step(mls_trace *t)
{
    const mls_str prefix = MLS_S("ProfilerStep#");
    const mls_str name = mls_buffer_str(&t->name);
    const int64_t ns = t->event.length.ns;
    size_t number;
    if (mls_str_starts(name, prefix) &&
        mls_size_parse((mls_str){name.ptr + prefix.len, name.len - prefix.len}, &number) &&
        t->event.length.state == TIME_GOOD) {
        t->gather->steps.least =
            t->gather->steps.count == 0 || ns < t->gather->steps.least ? ns : t->gather->steps.least;
        t->gather->steps.most = ns > t->gather->steps.most ? ns : t->gather->steps.most;
        t->gather->steps.total = mls_add_ns(t->gather->steps.total, ns);
        t->gather->steps.count++;
    }
}

static void add_copy(mls_trace *t, uint32_t *id)
{
    const mls_str name = mls_buffer_str(&t->name);
    const mls_copy_operation operation = t->event.category == CATEGORY_SET ? MLS_COPY_SET : mls_copy_operation_of(name);
    mls_copy_sum *copy = &t->gather->copies[operation];
    *id = MLS_ID_COPY + 2 * (uint32_t)operation + mls_str_contains(name, MLS_S("Pageable"));
    if (isfinite(t->event.bytes)) {
        copy->megabytes += t->event.bytes / 1e6;
        copy->has_megabytes = true;
    }
}

/* The line is counted only when somebody asks. */
static size_t event_line(mls_trace *t)
{
    return t->event.line > 0 ? t->event.line : mls_trace_line(t, t->event_at);
}

void mls_trace_event_end(mls_trace *t)
{
    trace_event *event = &t->event;
    mls_activity activity = {.start = event->start.ns, .length = event->length.ns};
    t->in_event = false;
    t->watch = 1;
    if (event->phase != 'X' || event->category == CATEGORY_UNKNOWN || event->category == CATEGORY_OTHER) {
        return;
    }
    if (event->category == CATEGORY_ANNOTATION) {
        add_step(t);
        return;
    }
    const char *wrong = event_wrong(t);
    if (wrong != NULL) {
        mls_findings_add(&t->gather->profile->findings, MLS_FINDING_EVENT_DAMAGED,
                         (mls_finding_place){.line = event_line(t)}, "an activity of the GPU is left out: %s", wrong);
        return;
    }
    const event_text *device = event->device.there ? &event->device : &event->process;
    const event_text *stream = event->stream.there ? &event->stream : &event->thread;
    if (!mls_gather_track(t->gather, (mls_str){device->text, device->len}, (mls_str){stream->text, stream->len},
                          &activity.track)) {
        t->out_of_memory |= t->gather->tracks.count < MLS_TRACKS_MAX;
        mls_gather_too_much(t->gather, event_line(t), "streams");
        return;
    }
    if (event->category == CATEGORY_KERNEL) {
        t->out_of_memory |= !mls_gather_name(t->gather, mls_buffer_str(&t->name), &activity.id);
    } else {
        add_copy(t, &activity.id);
    }
    t->out_of_memory = t->out_of_memory || !mls_gather_activity(t->gather, activity);
}

/* The members of an object that are asked for, until one of them says that the event is not. */
static void read_members(mls_trace *t, mls_str object, const member_row *members)
{
    mls_raw_member member;
    mls_json_walk walk = mls_json_walk_begin(object);
    while (t->watch > 0 && mls_json_walk_next(&walk, &member)) {
        const bool told = t->event.device.there && t->event.stream.there && t->event.category == CATEGORY_KERNEL;
        if (told && members == argument_members) {
            break;
        }
        t->want = member_wanted(members, member.name);
        if (t->want == WANT_NOTHING) {
            continue;
        }
        if (t->want == WANT_ARGUMENTS && *member.value.ptr == '{') {
            read_members(t, member.value, argument_members);
        } else if (*member.value.ptr == '{' || *member.value.ptr == '[') {
            mls_trace_misfit(t, false);
        } else {
            mls_trace_scalar(t, member.value);
        }
    }
}

void mls_trace_event(mls_trace *t, mls_str span)
{
    mls_trace_event_begin(t, 0);
    read_members(t, span, event_members);
    if (t->watch > 0) {
        t->event.line = 0;
        t->event_at = span.ptr;
        mls_trace_event_end(t);
    }
    t->in_event = false;
    t->watch = 1;
}
