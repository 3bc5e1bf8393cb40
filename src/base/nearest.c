/* SPDX-License-Identifier: Apache-2.0 */
/* nearest.c - which right word a misspelt one was probably meant to be. */
#include "mlscore/base.h"

/* Longer words than this are nobody's typing mistake. */
enum { WORD_MAX = 64 };

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/*
 * Letters left out, put in, replaced or swapped with their neighbour between a and b, case aside (Damerau 1964, the
 * restricted form).  Of the table of all beginnings of both only the last three rows are needed.
 */
static size_t distance(mls_str a, mls_str b)
{
    size_t rows[3][WORD_MAX + 1];
    for (size_t j = 0; j <= b.len; j++) {
        rows[0][j] = j;
    }
    for (size_t i = 1; i <= a.len; i++) {
        size_t *row = rows[i % 3];
        const size_t *above = rows[(i + 2) % 3];
        const size_t *before = rows[(i + 1) % 3];
        const char c = lower(a.ptr[i - 1]);
        row[0] = i;
        for (size_t j = 1; j <= b.len; j++) {
            const char d = lower(b.ptr[j - 1]);
            row[j] = least(least(row[j - 1], above[j]) + 1, above[j - 1] + (c != d));
            if (i > 1 && j > 1 && c == lower(b.ptr[j - 2]) && lower(a.ptr[i - 2]) == d) {
                row[j] = least(row[j], before[j - 2] + 1);
            }
        }
    }
    return rows[a.len % 3][b.len];
}

mls_nearest mls_nearest_to(mls_str word)
{
    return (mls_nearest){.word = word, .distance = (word.len + 2) / 3 + 1};
}

void mls_nearest_offer(mls_nearest *nearest, mls_str candidate)
{
    const mls_str word = nearest->word;
    const size_t parted = word.len > candidate.len ? word.len - candidate.len : candidate.len - word.len;
    if (word.len == 0 || word.len > WORD_MAX || candidate.len > WORD_MAX || parted >= nearest->distance) {
        return;
    }
    const size_t found = distance(word, candidate);
    /* What has no letter in common is no other spelling. */
    if (found < nearest->distance && found < candidate.len) {
        nearest->found = candidate;
        nearest->distance = found;
    }
}
