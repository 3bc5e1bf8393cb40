/* SPDX-License-Identifier: Apache-2.0 */
/* events.c - the events of a Chrome trace: kernels, copies, sets and steps.
 *
 * Nothing is kept of an event but the members that are asked for, and nothing is looked at of one whose category says
 * that it is not of the GPU. */
#include <math.h>
#include <strings.h>

#include "base/number.h"
#include "explain/profile/trace.h"

size_t mls_trace_line(mls_trace *t, const char *at)
{
    enum { AT_ONCE = 255 }; /* a byte can count so many */
    size_t lines = 0;
    const char *c = t->counted;
    while (at - c >= 16) {
        mls_bytes16 counts = {0};
        for (int i = 0; i < AT_ONCE && at - c >= 16; i++, c += 16) {
            counts -= (mls_bytes16)(mls_load16(c) == '\n');
        }
        for (size_t i = 0; i < sizeof counts; i++) {
            lines += counts[i];
        }
    }
    for (; c < at; c++) {
        lines += *c == '\n';
    }
    t->line += lines;
    t->counted = at > t->counted ? at : t->counted;
    return t->line;
}

size_t mls_trace_event_line(mls_trace *t)
{
    if (t->event.at != NULL) {
        t->event.line = mls_trace_line(t, t->event.at);
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

void mls_trace_init(mls_trace *t)
{
    for (const member_row *row = argument_members; row->part != PART_NOTHING; row++) {
        t->argument_lengths |= (uint64_t)1 << row->name.len;
    }
}

/* Most names are none of them, as their lengths show; one with an escape is decoded. */
mls_trace_part mls_trace_member(const mls_trace *t, mls_trace_part of, mls_str name)
{
    const member_row *row = of == PART_FILE          ? file_members
                            : of == PART_EVENT       ? event_members
                            : of == PART_DISTRIBUTED ? distributed_members
                                                     : argument_members;
    if (t->event.ignored && of != PART_FILE && of != PART_DISTRIBUTED && t->event.phase != '\0') {
        return PART_NOTHING;
    }
    const bool escaped = name.len > 0 && memchr(name.ptr, '\\', name.len) != NULL;
    const bool passed = of == PART_ARGUMENTS && !escaped && (t->argument_lengths >> (name.len & 63) & 1) == 0;
    for (; !passed && row->part != PART_NOTHING; row++) {
        if (escaped ? mls_span_name_is(name, row->name)
                    : name.len == row->name.len && name.ptr[0] == row->name.ptr[0] && mls_str_equal(name, row->name)) {
            return row->part;
        }
    }
    const mls_collective_part part = of == PART_ARGUMENTS ? mls_collective_part_of(name) : MLS_COLLECTIVE_PARTS;
    return part < MLS_COLLECTIVE_PARTS ? (mls_trace_part)(PART_COLLECTIVE + part) : PART_NOTHING;
}

/* The text of a string as it stands between quotes, or of a number. */
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

/* The first one counts. */
static void take_event_text(mls_trace *t, event_text *to, mls_str span)
{
    const mls_str text = scalar_text(t, span);
    if (to->of != t->events) {
        *to = (event_text){.of = t->events};
    }
    if (!to->there) {
        to->len = text.len < sizeof to->text ? text.len : sizeof to->text;
        to->there = *span.ptr == '"' || *span.ptr == '-' || mls_is_digit(*span.ptr);
        memcpy(to->text, text.ptr, to->len);
    }
}

/* Microseconds by their digits: as a double they would lose their end. */
static event_time time_of(mls_str span)
{
    mls_decimal number;
    event_time time = {TIME_BAD, 0};
    if (*span.ptr != '"' && mls_decimal_parse(span, &number) && mls_decimal_scale(&number, 3, &time.ns)) {
        time.state = TIME_GOOD;
    }
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
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (known[i].name.len == text.len && (text.ptr[0] | ' ') == known[i].name.ptr[0] &&
            strncasecmp(known[i].name.ptr, text.ptr, text.len) == 0) {
            return known[i].category;
        }
    }
    return CATEGORY_OTHER;
}

/* Of categories that say nothing of the GPU. */
static bool is_category_of_pytorch(mls_str text)
{
    static const char known[] = "cpu_op|ac2g|fwdbwd|python_function|gpu_user_annotation|cuda_sync|"
                                "overhead|Operator|Runtime|Trace";
    return mls_str_any(text, known, mls_str_equal);
}

/* Whose trace it is: a number below all that can be. */
static void take_rank(mls_profile *profile, mls_trace_part part, mls_str span)
{
    size_t number = 0;
    const bool good = mls_size_parse(span, &number) && number < MLS_WORLD_MAX;
    if (part == PART_WORLD_SIZE) {
        profile->world_size = good ? number : 0;
    } else {
        profile->has_rank = good;
        profile->rank = good ? number : 0;
    }
}

/* The argument of a collective, a text or a number by its digits; or whose trace it is. */
static void take_of_rank(mls_trace *t, mls_trace_part part, mls_str span)
{
    if (part == PART_RANK || part == PART_WORLD_SIZE) {
        take_rank(t->gather->profile, part, span);
    } else if (part >= PART_COLLECTIVE && (*span.ptr == '"' || *span.ptr == '-' || mls_is_digit(*span.ptr))) {
        mls_collective_take(&t->collective, (mls_collective_part)(part - PART_COLLECTIVE), scalar_text(t, span));
    }
}

void mls_trace_scalar(mls_trace *t, mls_trace_part part, mls_str span)
{
    trace_event *event = &t->event;
    const bool quoted = *span.ptr == '"';
    mls_decimal number;
    switch (part) {
    case PART_BASE:
        if (!mls_decimal_parse(span, &number) || !mls_decimal_scale(&number, 0, &t->gather->base_ns)) {
            t->gather->base_ns = -1;
        }
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
    case PART_CATEGORY:
        event->category = category_of(scalar_text(t, span));
        t->pytorch = t->pytorch || event->category != CATEGORY_OTHER || is_category_of_pytorch(scalar_text(t, span));
        event->ignored |= event->category == CATEGORY_OTHER;
        break;
    case PART_NAME:
        mls_buffer_clear(&t->name);
        event->named = quoted && span.len > 2;
        if (quoted) {
            mls_buffer_append(&t->name, scalar_text(t, span));
        }
        break;
    case PART_START:
        event->start = time_of(span);
        break;
    case PART_LENGTH:
        event->length = time_of(span);
        break;
    case PART_CORRELATION:
        if (!mls_integer_parse(span, &event->correlation)) {
            event->correlation = -1;
        }
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
    case PART_STREAM:
        take_event_text(t, &t->texts[part - PART_PROCESS], span);
        break;
    default:
        take_of_rank(t, part, span);
        break;
    }
}

void mls_trace_wrong_type(mls_trace *t, mls_trace_part part, bool too_long)
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

void mls_trace_event_begin(mls_trace *t, const char *at)
{
    t->event =
        (trace_event){.begun = true, .at = at, .bytes = {(double)NAN, (double)NAN, (double)NAN}, .correlation = -1};
    t->events++;
    t->collective.there = 0;
}

static const char *event_wrong(const trace_event *event)
{
    return event->too_long                                  ? "its name is longer than 64 KiB"
           : !event->named                                  ? "it has no name"
           : event->start.state == TIME_ABSENT              ? "it has no ts"
           : event->length.state == TIME_ABSENT             ? "it has no dur"
           : event->start.state == TIME_BAD                 ? "its ts is not a time"
           : event->length.state == TIME_BAD                ? "its dur is not a time"
           : event->length.ns > INT64_MAX - event->start.ns ? "it ends beyond all times"
                                                            : NULL;
}

/* Of the host, as ProfilerStep#12 is. */
static void add_annotation(mls_trace *t)
{
    const trace_event *event = &t->event;
    if (event->named && event->start.state == TIME_GOOD && event->length.state == TIME_GOOD &&
        !mls_gather_annotation(t->gather, mls_buffer_str(&t->name), event->start.ns, event->length.ns)) {
        t->out_of_memory = true;
    }
}

/* Of device or stream what the arguments say, else the process or the thread. */
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
    } else if (!mls_gather_name(t->gather, name, &activity.row)) {
        t->out_of_memory = true;
        return;
    }
    const mls_status status = mls_gather_activity(t->gather, text_of(t, PART_DEVICE, PART_PROCESS),
                                                  text_of(t, PART_STREAM, PART_THREAD), activity);
    t->out_of_memory |= status == MLS_ERROR_MEMORY;
    if (status == MLS_ERROR_LIMIT) {
        mls_gather_too_much(t->gather, mls_trace_event_line(t));
    } else if (!copied) {
        const bool kept = activity.row >= MLS_ROW_NAME;
        const bool nccl = kept ? t->gather->tallies[MLS_TALLY_KERNELS].rows[activity.row].nccl
                               : mls_str_any(name, "nccl|NCCL", mls_str_contains);
        t->out_of_memory |=
            !mls_collective_add(t->gather->profile, &t->collective, nccl, event->start.ns, event->length.ns);
    } else if (isfinite(event->bytes[0])) {
        mls_gather_size(t->gather, operation, event->bytes[0] / 1e6, '\0');
    }
}

/* Of the calls that launch nothing the frequent ones are not kept: of events, streams, threads, devices, functions, and
 * those that get something. */
static bool may_launch(mls_str name)
{
    const mls_str call = mls_cuda_call(name);
    const char second = call.len > 1 ? call.ptr[1] : '\0';
    switch (call.len > 0 ? call.ptr[0] : '\0') {
    case 'E':
        return second != 'v';
    case 'G':
        return second != 'e';
    case 'S':
    case 'T':
    case 'D':
    case 'F':
        return false;
    default:
        return true;
    }
}

static void add_call(mls_trace *t)
{
    const mls_str name = mls_buffer_str(&t->name);
    const bool graph =
        name.len > 0 && memchr(name.ptr, 'G', name.len) != NULL && mls_str_contains(name, MLS_S("GraphLaunch"));
    if (t->event.start.state == TIME_GOOD && t->event.named && may_launch(name) &&
        !mls_gather_call(t->gather, t->event.correlation, t->event.start.ns, graph)) {
        t->out_of_memory = true;
    }
}

/* How much memory PyTorch had then on a device; what it had of the CPU's (type 0) is no matter here. */
static void add_memory(mls_trace *t)
{
    mls_gather *gather = t->gather;
    const double allocated = t->event.bytes[PART_ALLOCATED - PART_BYTES];
    const mls_str type = text_of(t, PART_MEMORY_TYPE, PART_MEMORY_TYPE);
    const mls_str device = text_of(t, PART_MEMORY_DEVICE, PART_MEMORY_DEVICE);
    size_t i = 0;
    if (!mls_str_equal(mls_buffer_str(&t->name), MLS_S("[memory]")) || mls_str_equal(type, MLS_S("0")) ||
        !isfinite(allocated) || t->event.start.state != TIME_GOOD || device.len >= sizeof gather->peaks[0].device) {
        return;
    }
    while (i < gather->peak_count && !mls_str_equal(mls_str_from(gather->peaks[i].device), device)) {
        i++;
    }
    if (i < MLS_PEAKS_MAX && (i == gather->peak_count || allocated > gather->peaks[i].allocated)) {
        mls_memory_peak *peak = &gather->peaks[i];
        *peak = (mls_memory_peak){
            .allocated = allocated, .reserved = t->event.bytes[PART_RESERVED - PART_BYTES], .at = t->event.start.ns};
        memcpy(peak->device, device.ptr, device.len);
        gather->peak_count += i == gather->peak_count;
    }
}

void mls_trace_event_end(mls_trace *t)
{
    const trace_event *event = &t->event;
    t->event.begun = false;
    if (event->category == CATEGORY_INSTANT && event->phase == 'i') {
        add_memory(t);
    }
    if (event->phase != 'X' || event->category == CATEGORY_UNKNOWN || event->category == CATEGORY_INSTANT ||
        event->ignored) {
        return;
    }
    const char *wrong = event_wrong(event);
    if (event->category == CATEGORY_ANNOTATION) {
        add_annotation(t);
    } else if (event->category == CATEGORY_CALL) {
        add_call(t);
    } else if (wrong == NULL) {
        add_gpu_activity(t);
    } else {
        mls_findings_add(&t->gather->profile->findings, MLS_FINDING_EVENT_DAMAGED,
                         (mls_finding_place){.line = mls_trace_event_line(t)}, "an activity of the GPU is left out: %s",
                         wrong);
    }
}
