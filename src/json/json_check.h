/* SPDX-License-Identifier: Apache-2.0 */
/* json_check.h - the JSON validator, comparisons of 16 bytes at once, and functions that skip through validated text;
 * they are used by log/ and by readers of large JSON files.
 *
 * Text to be checked must be followed by a byte below 0x20 (the line ending, or a sentinel) and MLS_SCAN_PADDING
 * readable bytes.  No JSON token contains such a byte, so the loops need not check for the end of the text.
 *
 * The functions use SSE2, which every x86-64 processor has, or NEON, which every arm64 processor has.  If
 * MLS_SIMD_PLAIN is defined, portable code is used. */
#pragma once

#include "json/value.h"

#define MLS_SCAN_PADDING MLS_JSON_PADDING

typedef uint8_t mls_bytes16 __attribute__((vector_size(16)));

/* Convert the result of a comparison to a mask with one bit per byte. */
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

/* NEON has no movemask instruction: keep one bit of each byte, a different one in each, then add up the bytes. */
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
    for (unsigned i = 0; i < 16; i++)
        mask |= (uint64_t)(found[i] & 1) << i;
    return mask;
}

#endif

/* Load 16 bytes, which need not be aligned. */
static inline mls_bytes16 mls_load16(const char *at)
{
    mls_bytes16 bytes;
    memcpy(&bytes, at, sizeof bytes);
    return bytes;
}

/* Return the first byte from `at` on that ends or interrupts a string: '"', '\\' or a control character. */
static inline const char *mls_json_string_stop(const char *at)
{
    for (;; at += 16) {
        const mls_bytes16 x = mls_load16(at);
        const uint64_t mask = mls_mask16((mls_bytes16)((x == '"') | (x == '\\') | (x < 0x20)));
        if (mask != 0)
            return at + __builtin_ctzll(mask);
    }
}

/* The reason why a text is not valid JSON, and the position of the error. */
typedef struct mls_json_fault {
    const char *at;
    const char *reason; /* static text */
} mls_json_fault;

/* Skip blanks between tokens; with `lines`, also line endings, which a record cannot contain. */
static inline const char *mls_json_blanks(const char *at, bool lines)
{
    while (*at == ' ' || *at == '\t' || (lines && (*at == '\n' || *at == '\r')))
        at++;
    return at;
}

/* Check the value that starts at `at`, without blanks before it; `outer` is the number of lists and objects around the
 * value.  Return the byte after the value, or NULL with *fault set. */
const char *mls_json_check_value(const char *at, unsigned outer, mls_json_fault *fault);

/* The first members of a validated object.  Records that the same line of code logs often begin with equal members,
 * which need not be validated again.  `text` is a part of the log, which the caller keeps valid. */
enum { MLS_FRONT_MEMBERS = 2 };
typedef struct mls_json_front {
    const char *text;
    uint16_t len;                      /* length of the text up to the end of the last value; 0 if nothing is stored */
    uint16_t names[MLS_FRONT_MEMBERS]; /* offsets as in mls_member_places */
} mls_json_front;

/* Check the value or the metadata of a record, which starts at `at` in a text that ends at `end`.  If it is an object,
 * store the offsets of its names in *places.  If the object begins with the members in *front, they are not checked
 * again; otherwise its first members are stored in *front.  `front` may be NULL. Return the byte after the value or the
 * metadata, or NULL if it is invalid. */
const char *mls_json_check_part(const char *at, const char *end, mls_json_front *front, mls_member_places *places);

/* Check a value like mls_json_check_value(), but allow line endings between tokens.  `outer` must be less than 64, and
 * a NUL must follow the text. */
const char *mls_json_check_lines(const char *at, unsigned outer, mls_json_fault *fault);

/* Check the rest of an object like mls_json_check_lines(); `at` is after the value of one of its members, and `outer`
 * is the number of lists and objects around the object.  Return the byte after the object, or NULL with *fault set. */
const char *mls_json_check_members(const char *at, unsigned outer, mls_json_fault *fault);

/* Return whether the name of a member is `wanted`; `raw` is the name as written between its quotes, with escapes. */
bool mls_span_name_is(mls_str raw, mls_str wanted);

/* Return the byte after the value that starts at `at` in validated text, at most `end`. */
const char *mls_span_skip_value(const char *at, const char *end);

/* Advance to the start of the next value, which is then at walk->at, and set *name to its name.  Return false at the
 * end. mls_walk_enter() and mls_walk_leave() together do the same as mls_json_walk_next(). */
bool mls_walk_enter(mls_json_walk *walk, mls_str *name);

/* Continue after the value that ends at `stop`. */
void mls_walk_leave(mls_json_walk *walk, const char *stop);

/* Decode the escape at text[*at] (a backslash) inside a string and advance *at past it.  Surrogate pairs are combined.
 */
uint32_t mls_json_escape_read(mls_str text, size_t *at);

/* Decode a quoted string into the arena.  With `latin1`, each byte above 0x7f becomes a code point of its own, as in
 * the strings that rules read; otherwise these bytes are kept, for display. */
mls_str mls_span_decode(mls_str quoted, bool latin1, struct mls_arena *arena);
