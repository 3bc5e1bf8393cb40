/* SPDX-License-Identifier: Apache-2.0 */
/* json_check.h - comparisons of 16 bytes at once, the validator's inner loops and steps over validated text, for log/
 * and for what reads large files of JSON.
 *
 * Text that is checked is followed by a byte below 0x20 (the line's ending, or a sentinel) and MLS_SCAN_PADDING
 * readable bytes.  No JSON token crosses such a byte, so nothing needs to look at an end.
 *
 * SSE2 is part of every x86-64, NEON of every arm64; MLS_SIMD_PLAIN builds the path of all others. */
#pragma once

#include "json/value.h"

#define MLS_SCAN_PADDING MLS_JSON_PADDING

typedef uint8_t mls_bytes16 __attribute__((vector_size(16)));

/* A bit for each byte of a comparison's result. */
#if defined(__SSE2__) && !defined(MLS_SIMD_PLAIN)
#include <emmintrin.h>
#define MLS_SIMD_WORDS "SSE2, and AVX2 where the processor has it"

static inline uint64_t mls_mask16(mls_bytes16 found)
{
    return (uint32_t)_mm_movemask_epi8((__m128i)found);
}

#elif defined(__aarch64__) && defined(__ARM_NEON) && !defined(MLS_SIMD_PLAIN)
#include <arm_neon.h>
#define MLS_SIMD_WORDS "NEON"

/* NEON has no movemask: each byte is weighed by its bit, and neighbours are added up. */
static inline uint64_t mls_mask16(mls_bytes16 found)
{
    const mls_bytes16 weighed = found & (mls_bytes16){1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
    uint8x16_t sum = vpaddq_u8((uint8x16_t)weighed, (uint8x16_t)weighed);
    sum = vpaddq_u8(sum, sum);
    sum = vpaddq_u8(sum, sum);
    return vgetq_lane_u16(vreinterpretq_u16_u8(sum), 0);
}

#else
#define MLS_SIMD_WORDS "none"

static inline uint64_t mls_mask16(mls_bytes16 found)
{
    uint64_t mask = 0;
    for (unsigned i = 0; i < 16; i++) {
        mask |= (uint64_t)(found[i] & 1) << i;
    }
    return mask;
}

#endif

static inline mls_bytes16 mls_load16(const char *at)
{
    mls_bytes16 bytes;
    memcpy(&bytes, at, sizeof bytes);
    return bytes;
}

/* The first byte from `at` on that ends or interrupts a string: '"', '\\' or a control character. */
static inline const char *mls_json_string_stop(const char *at)
{
    for (;; at += 16) {
        const mls_bytes16 x = mls_load16(at);
        const uint64_t mask = mls_mask16((mls_bytes16)((x == '"') | (x == '\\') | (x < 0x20)));
        if (mask != 0) {
            return at + __builtin_ctzll(mask);
        }
    }
}

/* The mistake in a text, and where it is. */
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

/* Checks the value that starts at `at` (no blanks before it) inside of `outer` levels.  Returns the byte after it; or
 * NULL with *fault set. */
const char *mls_json_check_value(const char *at, unsigned outer, mls_json_fault *fault);

/* The first members of an object that was validated, with which others begin that the same line of code writes: those
 * that name it.  `text` lives as long as whoever keeps this. */
enum { MLS_FRONT_MEMBERS = 2 };
typedef struct mls_json_front {
    const char *text;
    uint16_t len;                      /* to the end of the last one's value; 0: nothing is known */
    uint16_t names[MLS_FRONT_MEMBERS]; /* as in mls_member_places */
} mls_json_front;

/* The same of a record's value or metadata, in a text that ends at `end`, with the places of its names.  What begins as
 * *front does is not looked at again; else it becomes its front; NULL: none is wanted.  NULL: it is wrong. */
const char *mls_json_check_part(const char *at, const char *end, mls_json_front *front, mls_member_places *places);

/* The same where a value may go on over many lines, inside of less than 64 levels; after the text stands a NUL. */
const char *mls_json_check_lines(const char *at, unsigned outer, mls_json_fault *fault);

/* The same of the rest of an object, behind the value of one of its members. */
const char *mls_json_check_members(const char *at, unsigned outer, mls_json_fault *fault);

/* Whether a member's name, as it stands between its quotes, is `wanted`. */
bool mls_span_name_is(mls_str raw, mls_str wanted);

/* Returns the byte after the value that starts at `at`, in validated text; never beyond `end`. */
const char *mls_span_skip_value(const char *at, const char *end);

/* The two halves of mls_json_walk_next(): to where a value starts, and on from the byte after it. */
bool mls_walk_enter(mls_json_walk *walk, mls_str *name);
void mls_walk_leave(mls_json_walk *walk, const char *stop);

/* Reads the escape at text[*at] (a backslash) of a string's inside and moves after it; surrogate pairs are joined. */
uint32_t mls_json_escape_read(mls_str text, size_t *at);

/* Decodes a string, quotes included, into the arena.  `latin1`: bytes above 0x7f become code points of their own (how a
 * rule sees them); else they stay (how a person wants them). */
mls_str mls_span_decode(mls_str quoted, bool latin1, struct mls_arena *arena);
