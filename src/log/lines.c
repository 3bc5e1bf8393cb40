/* SPDX-License-Identifier: Apache-2.0 */
/* lines.c - find lines, records and markers in a text.  For each stretch of the text, one pass collects the positions
 * of interesting bytes, and a second pass examines the text at these positions. */
#include "log/reader.h"

#include <stdlib.h>

#include "base/memory.h"
#include "json/json_check.h"

/* The position of the scan in its text. */
typedef struct line_state {
    mls_batch *batch;
    const char *text;
    const char *line;     /* first byte of the current line */
    size_t number;        /* number of the current line */
    const char *mllog;    /* last ":::MLLOG " of the line; NULL: none yet */
    unsigned mllog_count; /* number of ":::MLLOG " in the line */
    size_t dropped;       /* number of bytes of the first line that are not in the text */
    mls_json_front fronts[MLS_KEY_COUNT];
} line_state;

static mls_scan_event *event_add(mls_batch *batch)
{
    MLS_GROW(batch, items);
    return &batch->items[batch->count++];
}

const char *mls_mllog_find_last(mls_str text)
{
    const char *last = NULL;
    const char *end = text.ptr + text.len;
    for (const char *at = text.ptr; (at = memmem(at, (size_t)(end - at), ":::MLLOG ", MLS_MLLOG_LENGTH)) != NULL; at++)
        last = at;
    return last;
}

bool mls_record_find(mls_str line, mls_str *payload)
{
    const char *last = mls_mllog_find_last(line);
    const size_t begin = last != NULL ? (size_t)(last - line.ptr) + MLS_MLLOG_LENGTH : 0;
    *payload = last != NULL ? mls_str_rest(line, begin) : (mls_str){NULL, 0};
    return last != NULL;
}

/* Add an event for each complete record before the last record of the line, and return the number of these records. */
static size_t line_earlier(line_state *state)
{
    size_t whole = 0;
    const char *line = state->line;
    const mls_str all = {line, (size_t)(state->mllog - line)};
    mls_str rest;
    for (mls_str at = all; mls_str_after(at, MLS_S(":::MLLOG "), &rest); at = rest) {
        mls_str payload = rest;
        mls_str next;
        mls_record record = {
            .line = state->number, .torn = true, .prefix = {line, (size_t)(rest.ptr - line) - MLS_MLLOG_LENGTH}};
        size_t where;
        if (mls_str_after(rest, MLS_S(":::MLLOG "), &next))
            payload.len = (size_t)(next.ptr - rest.ptr) - MLS_MLLOG_LENGTH;
        record.column = (size_t)(mls_payload_trim(payload).ptr - line) + state->dropped + 1;
        const char *reason = mls_record_validate(payload, &record, &state->batch->scratch, &where);
        if (reason != NULL && where > 0) { /* the record may be complete, followed by the prefix of the next record */
            payload.len = where;
            reason = mls_record_validate(payload, &record, &state->batch->scratch, &where);
        }
        if (reason == NULL) {
            *event_add(state->batch) = (mls_scan_event){MLS_EVENT_EARLIER, {.record = record}};
            whole++;
        }
    }
    return whole;
}

/* Add an event for the record of the current line, which ends at `end`.  The function is not inlined, because most
 * lines do not contain a record. */
static __attribute__((noinline)) void line_record(line_state *state, const char *end)
{
    const size_t whole = state->mllog_count > 1 ? line_earlier(state) : 0;
    mls_scan_event *event = event_add(state->batch);
    const char *begin = state->mllog + MLS_MLLOG_LENGTH;
    const mls_str payload = mls_payload_trim((mls_str){begin, (size_t)(end - begin)});
    const char *wrong = payload.ptr;
    const char *reason = "the record is longer than 16 MiB";
    mls_record *record = &event->as.record;
    if (payload.len <= MLS_RECORD_LENGTH_MAX)
        reason = mls_record_check(payload, state->fronts, record, &state->batch->scratch, &wrong);
    if (reason == NULL) {
        event->kind = MLS_EVENT_RECORD;
        record->line = state->number;
        record->column = (size_t)(payload.ptr - state->line) + state->dropped + 1;
        record->prefix = (mls_str){state->line, (size_t)(state->mllog - state->line)};
        record->torn = state->mllog_count > 1;
        record->whole_before = whole;
    } else {
        /* ":::MLLOG " may be quoted in a sentence or a command instead of beginning a record. */
        const char before = state->mllog > state->line ? state->mllog[-1] : '\0';
        event->kind = MLS_EVENT_MALFORMED;
        event->as.malformed = (mls_malformed){
            .line = state->number,
            .column = (size_t)(wrong - state->line) + state->dropped + 1,
            .reason = reason,
            .payload = payload,
            .torn = state->mllog_count > 1,
            .quoted = before != '\0' && (strchr("\"'`", before) != NULL || (payload.len > 0 && payload.ptr[0] != '{'))};
    }
}

static const struct {
    mls_str word;
    mls_marker_kind kind;
    bool number; /* the word must be followed by a digit */
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
    {MLS_STR("slurmstepd: error: *** STEP "), MLS_MARKER_STEP, true},
};

static __attribute__((noinline)) void line_marker(const line_state *state, const char *at, const char *end)
{
    const mls_str text = {at, (size_t)(end - at)};
    size_t i = 0;
    while (i < sizeof marker_words / sizeof *marker_words &&
           (memcmp(at, marker_words[i].word.ptr, 2) != 0 || !mls_str_starts(text, marker_words[i].word)))
        i++;
    if (i == sizeof marker_words / sizeof *marker_words) {
        /* Records of training 0.5, ":::MLPv0.5.0 resnet …", and 0.6, ":::MLL 1558767599.999 run_start: …". */
        state->batch->old_format |= mls_str_starts(text, MLS_S(":::MLPv0.")) ||
                                    (mls_str_starts(text, MLS_S(":::MLL ")) && text.len > 7 && mls_is_digit(at[7]));
        return;
    }
    const char *next = at + marker_words[i].word.len;
    if (marker_words[i].number && (next == end || !mls_is_digit(*next)))
        return;
    mls_scan_event *event = event_add(state->batch);
    event->kind = MLS_EVENT_MARKER;
    event->as.marker = (mls_marker){marker_words[i].kind, state->number, text};
}

/* Look for a marker in the current line, which does not contain a record.  Most lines are rejected by their first
 * byte. */
static void line_plain(const line_state *state, const char *end)
{
    const char *at = state->line;
    if (*at == ' ' || mls_is_digit(*at)) { /* skip the prefix of `srun -l`: "  13: " */
        while (*at == ' ')
            at++;
        const char *digits = at;
        while (mls_is_digit(*at))
            at++;
        at = at > digits && at[0] == ':' && at[1] == ' ' ? at + 2 : state->line;
    }
    if ((*at == 'B' || *at == 'E' || *at == 'R' || *at == ':' || *at == 's') && at < end && state->dropped == 0)
        line_marker(state, at, end);
}

/* Record that a line begins at `at`, or that the text ends there. */
static void begin_line(line_state *state, const char *at)
{
    mls_batch *batch = state->batch;
    if (state->number >= batch->start_capacity)
        mls_grow((void **)&batch->starts, state->number, &batch->start_capacity, sizeof *batch->starts);
    batch->starts[state->number] = (uint32_t)(at - state->text);
    state->line = at;
}

/* End the line at `end`; the next one starts at `next`. */
static inline void line_end(line_state *state, const char *end, const char *next)
{
    state->number++;
    if (state->mllog != NULL)
        line_record(state, end);
    else
        line_plain(state, end);
    begin_line(state, next);
    state->mllog = NULL;
    state->mllog_count = 0;
    state->dropped = 0;
}

/* Examine the byte at a marked position. */
static inline void mark_seen(line_state *state, const char *at)
{
    switch (*at) {
    case '\n':
        line_end(state, at > state->line && at[-1] == '\r' ? at - 1 : at, at + 1);
        break;
    case '\r':
        if (at[1] != '\n')
            line_end(state, at, at + 1);
        break;
    case 'G':
        if (at - state->line >= 7 && memcmp(at - 7, ":::MLLOG ", MLS_MLLOG_LENGTH) == 0) {
            state->mllog = at - 7;
            state->mllog_count++;
        }
        break;
    case '\t':
        break;
    default:
        state->batch->starts[state->number] |= MLS_LINE_ODD;
    }
}

/* The text is scanned in stretches whose marks fit in the first-level cache. */
enum { STRETCH_WORDS = 32, STRETCH = STRETCH_WORDS * 64 };

typedef void (*mark_words)(const char *at, size_t words, uint64_t *marks);

/* Set one bit in `marks` for each position to examine: control characters, which may end a line, and 'G', which is the
 * rarest letter of ":::MLLOG " in logs. */
static void mark_plain(const char *at, size_t words, uint64_t *marks)
{
    for (size_t i = 0; i < words; i++) {
        marks[i] = 0;
        for (unsigned shift = 0; shift < 64; shift += 16, at += 16) {
            const mls_bytes16 x = mls_load16(at);
            marks[i] |= mls_mask16((mls_bytes16)((x < 0x20) | (x == 0x7f) | (x == 'G'))) << shift;
        }
    }
}

#if defined(__SSE2__) && !defined(MLS_SIMD_PLAIN)
#include <immintrin.h>

__attribute__((target("avx2"))) static inline uint64_t mark32(const char *at)
{
    const __m256i x = _mm256_loadu_si256((const __m256i *)(const void *)at);
    const __m256i controls = _mm256_or_si256(_mm256_cmpeq_epi8(_mm256_min_epu8(x, _mm256_set1_epi8(0x1f)), x),
                                             _mm256_cmpeq_epi8(x, _mm256_set1_epi8(0x7f)));
    return (uint32_t)_mm256_movemask_epi8(_mm256_or_si256(controls, _mm256_cmpeq_epi8(x, _mm256_set1_epi8('G'))));
}

/* Do the same as mark_plain() in half as many steps, on processors with AVX2. */
__attribute__((target("avx2"))) static void mark_avx2(const char *at, size_t words, uint64_t *marks)
{
    for (size_t i = 0; i < words; i++, at += 64)
        marks[i] = mark32(at) | mark32(at + 32) << 32;
}
#endif

void mls_lines_scan(mls_batch *batch, mls_str text, mls_dropped dropped)
{
    line_state state = {.batch = batch, .text = text.ptr, .dropped = dropped.bytes, .mllog_count = dropped.mllog};
    const char *end = text.ptr + text.len;
    mark_words mark = mark_plain;
    batch->count = 0;
    batch->old_format = false;
    mls_arena_reset(&batch->scratch);
    begin_line(&state, text.ptr);
#if defined(__SSE2__) && !defined(MLS_SIMD_PLAIN)
    mark = __builtin_cpu_supports("avx2") ? mark_avx2 : mark;
#endif
    for (size_t from = 0; from < text.len; from += STRETCH) {
        const char *at = text.ptr + from;
        const size_t len = text.len - from < STRETCH ? text.len - from : STRETCH;
        const size_t words = (len + 63) / 64;
        uint64_t marks[STRETCH_WORDS];
        mark(at, words, marks);
        /* NOLINTNEXTLINE(clang-analyzer-core.uninitialized.Assign): mark() fills all words */
        marks[words - 1] &= UINT64_MAX >> (words * 64 - len);
        for (size_t i = 0; i < words; i++, at += 64)
            for (uint64_t left = marks[i]; left != 0; left &= left - 1)
                mark_seen(&state, at + __builtin_ctzll(left));
    }
    if (state.line != end)
        line_end(&state, end, end);
    batch->lines = state.number;
}

void mls_batch_release(mls_batch *batch)
{
    free(batch->items);
    free(batch->starts);
    mls_arena_release(&batch->scratch);
    *batch = (mls_batch){0};
}
