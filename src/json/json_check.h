/* SPDX-License-Identifier: Apache-2.0 */
/* json_check.h - the JSON validator, comparisons of 16 bytes at once, and functions that skip through validated text;
 * for log/ and readers of large JSON files.
 *
 * Text to be checked must be followed by a byte below 0x20 (the line ending, or a sentinel) and MLS_SCAN_PADDING
 * readable bytes.  No JSON token contains such a byte, so the loops need not check for the end of the text.
 *
 * Uses SSE2, which every x86-64 has, or NEON, which every arm64 has.  MLS_SIMD_PLAIN selects the portable code. */
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

/* NEON has no movemask: mask each byte to its bit, then add up neighbours. */
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

/* Check the value at `at`, which is inside `outer` levels of nesting and not preceded by blanks.  Return the byte after
 * it, or NULL with *fault set. */
const char *mls_json_check_value(const char *at, unsigned outer, mls_json_fault *fault);

/* The first members of a validated object.  Records logged by the same line of code often begin with the same members,
 * so these need not be validated again.  The caller keeps `text` valid. */
enum { MLS_FRONT_MEMBERS = 2 };
typedef struct mls_json_front {
    const char *text;
    uint16_t len;                      /* up to the end of the last member's value; 0: empty */
    uint16_t names[MLS_FRONT_MEMBERS]; /* offsets as in mls_member_places */
} mls_json_front;

/* Check a record's value or metadata in a text that ends at `end`, and note the offsets of its names in *places.
 * Members equal to *front are not checked again; otherwise *front is replaced by the first members of this object.
 * `front` may be NULL. Return the byte after the value, or NULL if it is invalid. */
const char *mls_json_check_part(const char *at, const char *end, mls_json_front *front, mls_member_places *places);

/* Check a value like mls_json_check_value(), but allow line endings; `outer` is less than 64, and a NUL follows the
 * text. */
const char *mls_json_check_lines(const char *at, unsigned outer, mls_json_fault *fault);

/* Check the rest of an object, starting after the value of one of its members. */
const char *mls_json_check_members(const char *at, unsigned outer, mls_json_fault *fault);

/* Return whether a member's name is `wanted`; `raw` is the name as written between its quotes. */
bool mls_span_name_is(mls_str raw, mls_str wanted);

/* Return the byte after the value that starts at `at` in validated text, at most `end`. */
const char *mls_span_skip_value(const char *at, const char *end);

/* The two halves of mls_json_walk_next(): advance to the start of a value, and continue after it. */
bool mls_walk_enter(mls_json_walk *walk, mls_str *name);
void mls_walk_leave(mls_json_walk *walk, const char *stop);

/* Decode the escape at text[*at] (a backslash) inside a string and advance *at past it.  Surrogate pairs are combined.
 */
uint32_t mls_json_escape_read(mls_str text, size_t *at);

/* Decode a quoted string into the arena.  With `latin1`, each byte above 0x7f becomes a code point, as rules see it;
 * otherwise these bytes are kept, for display. */
mls_str mls_span_decode(mls_str quoted, bool latin1, struct mls_arena *arena);
