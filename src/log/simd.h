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

/* For 64 bytes: bit i is set where byte i is what the member's name says. */
typedef struct mls_byte_masks {
    uint64_t newline;
    uint64_t carriage_return;
    uint64_t colon;
} mls_byte_masks;

#if defined(__SSE2__) && !defined(MLS_SIMD_PLAIN)
#include <emmintrin.h>

static inline uint64_t mls_simd_equal_64(const __m128i *x, __m128i wanted)
{
    const uint64_t a = (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(x[0], wanted));
    const uint64_t b = (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(x[1], wanted));
    const uint64_t c = (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(x[2], wanted));
    const uint64_t d = (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(x[3], wanted));
    return a | b << 16 | c << 32 | d << 48;
}

static inline mls_byte_masks mls_simd_masks(const char *bytes)
{
    __m128i x[4];
    for (int i = 0; i < 4; i++) {
        x[i] = _mm_loadu_si128((const __m128i *)(const void *)(bytes + (ptrdiff_t)16 * i));
    }
    return (mls_byte_masks){mls_simd_equal_64(x, _mm_set1_epi8('\n')), mls_simd_equal_64(x, _mm_set1_epi8('\r')),
                            mls_simd_equal_64(x, _mm_set1_epi8(':'))};
}

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

/* NEON has no movemask: weigh each byte of a comparison by its bit and add neighbours up. */
static inline uint64_t mls_simd_equal_64(const uint8x16_t *x, uint8_t wanted)
{
    const uint8x16_t weights = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
    const uint8x16_t w = vdupq_n_u8(wanted);
    const uint8x16_t a = vandq_u8(vceqq_u8(x[0], w), weights);
    const uint8x16_t b = vandq_u8(vceqq_u8(x[1], w), weights);
    const uint8x16_t c = vandq_u8(vceqq_u8(x[2], w), weights);
    const uint8x16_t d = vandq_u8(vceqq_u8(x[3], w), weights);
    uint8x16_t sum = vpaddq_u8(vpaddq_u8(a, b), vpaddq_u8(c, d));
    sum = vpaddq_u8(sum, sum);
    return vgetq_lane_u64(vreinterpretq_u64_u8(sum), 0);
}

static inline mls_byte_masks mls_simd_masks(const char *bytes)
{
    uint8x16_t x[4];
    for (int i = 0; i < 4; i++) {
        x[i] = vld1q_u8((const uint8_t *)bytes + (ptrdiff_t)16 * i);
    }
    return (mls_byte_masks){mls_simd_equal_64(x, '\n'), mls_simd_equal_64(x, '\r'), mls_simd_equal_64(x, ':')};
}

static inline const char *mls_simd_string_stop(const char *at)
{
    for (;; at += 16) {
        const uint8x16_t x = vld1q_u8((const uint8_t *)at);
        const uint8x16_t stop = vorrq_u8(vorrq_u8(vceqq_u8(x, vdupq_n_u8('"')), vceqq_u8(x, vdupq_n_u8('\\'))),
                                         vcleq_u8(x, vdupq_n_u8(0x1f)));
        /* Narrowing keeps four bits for each byte. */
        const uint64_t mask =
            vget_lane_u64(vreinterpret_u64_u8(vshrn_n_u16(vreinterpretq_u16_u8(stop), 4)), 0);
        if (mask != 0) {
            return at + (__builtin_ctzll(mask) >> 2);
        }
    }
}

#else

static inline mls_byte_masks mls_simd_masks(const char *bytes)
{
    mls_byte_masks masks = {0, 0, 0};
    for (unsigned i = 0; i < 64; i++) {
        masks.newline |= (uint64_t)(bytes[i] == '\n') << i;
        masks.carriage_return |= (uint64_t)(bytes[i] == '\r') << i;
        masks.colon |= (uint64_t)(bytes[i] == ':') << i;
    }
    return masks;
}

static inline const char *mls_simd_string_stop(const char *at)
{
    while (*at != '"' && *at != '\\' && (unsigned char)*at >= 0x20) {
        at++;
    }
    return at;
}

#endif
#endif
