/* SPDX-License-Identifier: Apache-2.0 */
/*
 * simd.c - marks line ends and ":::" in 64 bytes at once, by what the processor has.
 */
#include "log/simd.h"

/*
 * From what three comparisons say about 64 bytes to the bits of one word.  A
 * colon is the third when the two bytes before it, perhaps in the word
 * before, are colons.
 */
static inline uint64_t mark_word(uint64_t line_ends, uint64_t colon, uint64_t *colons)
{
    const uint64_t third = colon & (colon << 1 | *colons >> 1) & (colon << 2 | *colons);
    *colons = colon >> 62;
    return line_ends | third;
}

#if defined(__SSE2__) && !defined(MLS_SIMD_PLAIN)

static inline uint64_t movemask_64(__m128i a, __m128i b, __m128i c, __m128i d)
{
    return (uint64_t)(uint32_t)_mm_movemask_epi8(a) | (uint64_t)(uint32_t)_mm_movemask_epi8(b) << 16 |
           (uint64_t)(uint32_t)_mm_movemask_epi8(c) << 32 | (uint64_t)(uint32_t)_mm_movemask_epi8(d) << 48;
}

static inline __m128i line_ends(__m128i x)
{
    return _mm_or_si128(_mm_cmpeq_epi8(x, _mm_set1_epi8('\n')), _mm_cmpeq_epi8(x, _mm_set1_epi8('\r')));
}

static void simd_mark_sse2(const char *bytes, size_t words, uint64_t *bits, uint64_t *colons)
{
    const __m128i colon = _mm_set1_epi8(':');
    for (size_t k = 0; k < words; k++) {
        const __m128i *at = (const __m128i *)(const void *)(bytes + 64 * k);
        const __m128i a = _mm_loadu_si128(at);
        const __m128i b = _mm_loadu_si128(at + 1);
        const __m128i c = _mm_loadu_si128(at + 2);
        const __m128i d = _mm_loadu_si128(at + 3);
        const uint64_t ends = movemask_64(line_ends(a), line_ends(b), line_ends(c), line_ends(d));
        bits[k] = mark_word(ends,
                            movemask_64(_mm_cmpeq_epi8(a, colon), _mm_cmpeq_epi8(b, colon), _mm_cmpeq_epi8(c, colon),
                                        _mm_cmpeq_epi8(d, colon)),
                            colons);
    }
}

#include <immintrin.h>

/* The same in half the steps, where the processor has AVX2; chosen at run time. */
__attribute__((target("avx2"))) static void mls_simd_mark_avx2(const char *bytes, size_t words, uint64_t *bits,
                                                               uint64_t *colons)
{
    const __m256i colon = _mm256_set1_epi8(':');
    const __m256i newline = _mm256_set1_epi8('\n');
    const __m256i carriage_return = _mm256_set1_epi8('\r');
    for (size_t k = 0; k < words; k++) {
        const __m256i *at = (const __m256i *)(const void *)(bytes + 64 * k);
        const __m256i a = _mm256_loadu_si256(at);
        const __m256i b = _mm256_loadu_si256(at + 1);
        const uint32_t ends_a = (uint32_t)_mm256_movemask_epi8(
            _mm256_or_si256(_mm256_cmpeq_epi8(a, newline), _mm256_cmpeq_epi8(a, carriage_return)));
        const uint32_t ends_b = (uint32_t)_mm256_movemask_epi8(
            _mm256_or_si256(_mm256_cmpeq_epi8(b, newline), _mm256_cmpeq_epi8(b, carriage_return)));
        const uint32_t colon_a = (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(a, colon));
        const uint32_t colon_b = (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(b, colon));
        bits[k] = mark_word(ends_a | (uint64_t)ends_b << 32, colon_a | (uint64_t)colon_b << 32, colons);
    }
}

void mls_simd_mark(const char *bytes, size_t words, uint64_t *bits, uint64_t *colons)
{
    if (__builtin_cpu_supports("avx2")) {
        mls_simd_mark_avx2(bytes, words, bits, colons);
    } else {
        simd_mark_sse2(bytes, words, bits, colons);
    }
}

#elif defined(__aarch64__) && defined(__ARM_NEON) && !defined(MLS_SIMD_PLAIN)

/* NEON has no movemask: weigh each byte of a comparison by its bit and add neighbours up. */
static inline uint64_t movemask_64(uint8x16_t a, uint8x16_t b, uint8x16_t c, uint8x16_t d)
{
    const uint8x16_t weights = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
    uint8x16_t sum = vpaddq_u8(vpaddq_u8(vandq_u8(a, weights), vandq_u8(b, weights)),
                               vpaddq_u8(vandq_u8(c, weights), vandq_u8(d, weights)));
    sum = vpaddq_u8(sum, sum);
    return vgetq_lane_u64(vreinterpretq_u64_u8(sum), 0);
}

static inline uint8x16_t line_ends(uint8x16_t x)
{
    return vorrq_u8(vceqq_u8(x, vdupq_n_u8('\n')), vceqq_u8(x, vdupq_n_u8('\r')));
}

void mls_simd_mark(const char *bytes, size_t words, uint64_t *bits, uint64_t *colons)
{
    const uint8x16_t colon = vdupq_n_u8(':');
    for (size_t k = 0; k < words; k++) {
        const uint8_t *at = (const uint8_t *)bytes + 64 * k;
        const uint8x16_t a = vld1q_u8(at);
        const uint8x16_t b = vld1q_u8(at + 16);
        const uint8x16_t c = vld1q_u8(at + 32);
        const uint8x16_t d = vld1q_u8(at + 48);
        const uint64_t ends = movemask_64(line_ends(a), line_ends(b), line_ends(c), line_ends(d));
        bits[k] = mark_word(
            ends, movemask_64(vceqq_u8(a, colon), vceqq_u8(b, colon), vceqq_u8(c, colon), vceqq_u8(d, colon)), colons);
    }
}

#else

void mls_simd_mark(const char *bytes, size_t words, uint64_t *bits, uint64_t *colons)
{
    for (size_t k = 0; k < words; k++) {
        uint64_t ends = 0;
        uint64_t colon = 0;
        for (unsigned i = 0; i < 64; i++) {
            const char c = bytes[64 * k + i];
            ends |= (uint64_t)(c == '\n' || c == '\r') << i;
            colon |= (uint64_t)(c == ':') << i;
        }
        bits[k] = mark_word(ends, colon, colons);
    }
}

#endif
