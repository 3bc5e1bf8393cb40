/* SPDX-License-Identifier: Apache-2.0 */
/*
 * simd.h - the two questions the scanner asks of many bytes at once.
 *
 * SSE2 is part of every x86-64, NEON of every arm64; the plain path serves
 * everything else and, with MLS_SIMD_PLAIN defined, is built to be compared
 * with the others.  All functions may read up to MLS_SCAN_PADDING bytes past
 * what they are asked about, so buffers are allocated with that much behind.
 */
#ifndef MLS_LOG_SIMD_H
#define MLS_LOG_SIMD_H

#include <stddef.h>
#include <stdint.h>

#define MLS_SCAN_PADDING 64

/* Blocks are looked at in stretches whose bitmap stays in the first-level cache. */
enum { MLS_STRETCH_WORDS = 64, MLS_STRETCH = MLS_STRETCH_WORDS * 64 };

/*
 * Marks the bytes of a stretch that mean something to the scanner: '\n', '\r'
 * and the third colon of ":::".  Bit i of bits[k] stands for byte 64 k + i;
 * `words` words are written and 64 times as many bytes read.  *colons holds
 * whether the two bytes before were colons (bits 0 and 1) and is moved on.
 */
void mls_simd_mark(const char *bytes, size_t words, uint64_t *bits, uint64_t *colons);

#if defined(__SSE2__) && !defined(MLS_SIMD_PLAIN)
#include <emmintrin.h>

/* The first byte from `at` on that ends or interrupts a JSON string: '"', '\\' or a control character. */
static inline const char *mls_simd_string_stop(const char *at)
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

static inline const char *mls_simd_string_stop(const char *at)
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

static inline const char *mls_simd_string_stop(const char *at)
{
    while (*at != '"' && *at != '\\' && (unsigned char)*at >= 0x20) {
        at++;
    }
    return at;
}

#endif
#endif
