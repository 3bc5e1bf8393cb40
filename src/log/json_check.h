/* SPDX-License-Identifier: Apache-2.0 */
/*
 * json_check.h - the validator's inner loops and steps over validated text, private to the log floor.
 *
 * Text that is checked is followed by a byte below 0x20 (the line's ending, or a sentinel) and MLS_SCAN_PADDING
 * readable bytes.  No JSON token crosses such a byte, so nothing needs to look at an end.
 *
 * mls_json_string_stop() is the first byte from `at` on that ends or interrupts a string: '"', '\\' or a control
 * character.  SSE2 is part of every x86-64, NEON of every arm64; MLS_SIMD_PLAIN builds the path of all others.
 */
#ifndef MLS_LOG_JSON_CHECK_H
#define MLS_LOG_JSON_CHECK_H

#include "mlscore/value.h"

#define MLS_SCAN_PADDING 64

#if defined(__SSE2__) && !defined(MLS_SIMD_PLAIN)
#include <emmintrin.h>

static inline const char *mls_json_string_stop(const char *at)
{
    const __m128i quote = _mm_set1_epi8('"');
    const __m128i backslash = _mm_set1_epi8('\\');
    const __m128i control = _mm_set1_epi8(0x1f);
    for (;; at += 16) {
        const __m128i x = _mm_loadu_si128((const __m128i *)(const void *)at);
        const __m128i stop = _mm_or_si128(_mm_or_si128(_mm_cmpeq_epi8(x, quote), _mm_cmpeq_epi8(x, backslash)),
                                          _mm_cmpeq_epi8(_mm_min_epu8(x, control), x));
        const unsigned mask = (unsigned)_mm_movemask_epi8(stop);
        if (mask != 0) {
            return at + __builtin_ctz(mask);
        }
    }
}

#elif defined(__aarch64__) && defined(__ARM_NEON) && !defined(MLS_SIMD_PLAIN)
#include <arm_neon.h>

static inline const char *mls_json_string_stop(const char *at)
{
    for (;; at += 16) {
        const uint8x16_t x = vld1q_u8((const uint8_t *)at);
        const uint8x16_t stop = vorrq_u8(vorrq_u8(vceqq_u8(x, vdupq_n_u8('"')), vceqq_u8(x, vdupq_n_u8('\\'))),
                                         vcleq_u8(x, vdupq_n_u8(0x1f)));
        /* Narrowing keeps four bits for each byte. */
        const uint64_t mask = vget_lane_u64(vreinterpret_u64_u8(vshrn_n_u16(vreinterpretq_u16_u8(stop), 4)), 0);
        if (mask != 0) {
            return at + (__builtin_ctzll(mask) >> 2);
        }
    }
}

#else

static inline const char *mls_json_string_stop(const char *at)
{
    while (*at != '"' && *at != '\\' && (unsigned char)*at >= 0x20) {
        at++;
    }
    return at;
}

#endif

/* What is wrong with a text, and where. */
typedef struct mls_json_fault {
    const char *at;
    const char *reason; /* static text */
} mls_json_fault;

/* Moves over blanks between tokens; `lines`: over line endings too, which cannot come in a record. */
static inline const char *mls_json_blanks(const char *at, bool lines)
{
    while (*at == ' ' || *at == '\t' || (lines && (*at == '\n' || *at == '\r'))) {
        at++;
    }
    return at;
}

/*
 * Checks the value that starts at `at` (no blanks before it) inside of `outer` levels.  Returns the byte behind it; or
 * NULL with *fault set.
 */
const char *mls_json_check_value(const char *at, unsigned outer, mls_json_fault *fault);

/*
 * Validates a payload in place and fills the spans of `record` (see mls_record_validate()).  Behind it, to the next
 * byte below 0x20 other than a tab, stand only bytes that trimming drops.
 */
const char *mls_record_check(mls_str payload, mls_record *record, struct mls_arena *scratch, const char **wrong);

/* Drops the white space that the compliance checker drops: the blanks of JSON in front, at the end all there is. */
mls_str mls_payload_trim(mls_str text);

/* Whether a member's name, as it stands between its quotes, is `wanted`. */
bool mls_span_name_is(mls_str raw, mls_str wanted);

/* Behind the value that starts at `at`, in validated text; never beyond `end`. */
const char *mls_span_skip_value(const char *at, const char *end);

/* The two halves of mls_json_walk_next(): to where a value starts, and on from the byte behind it. */
bool mls_walk_enter(mls_json_walk *walk, mls_str *name);
void mls_walk_leave(mls_json_walk *walk, const char *stop);

/*
 * Decodes a string, quotes included, into the arena.  `latin1`: bytes above 0x7f become code points of their own (how a
 * rule sees them); else they stay (how a person wants them).  False when memory runs out.
 */
bool mls_span_decode(mls_str quoted, bool latin1, struct mls_arena *arena, mls_str *result);

#endif
