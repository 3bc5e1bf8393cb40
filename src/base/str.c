/* SPDX-License-Identifier: Apache-2.0 */
/* str.c - byte strings: looking into them and putting them in order. */
#include <string.h>

#include "mlscore/base.h"

mls_str mls_str_from(const char *text)
{
    return (mls_str){text, text != NULL ? strlen(text) : 0};
}

bool mls_str_starts(mls_str text, mls_str prefix)
{
    return text.len >= prefix.len && (prefix.len == 0 || memcmp(text.ptr, prefix.ptr, prefix.len) == 0);
}

bool mls_str_ends(mls_str text, mls_str suffix)
{
    return text.len >= suffix.len &&
           (suffix.len == 0 || memcmp(text.ptr + text.len - suffix.len, suffix.ptr, suffix.len) == 0);
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

mls_str mls_str_word(mls_str *text)
{
    const char *at = text->ptr;
    const char *end = text->ptr + text->len;
    while (at < end && is_blank(*at)) {
        at++;
    }
    const char *start = at;
    while (at < end && !is_blank(*at)) {
        at++;
    }
    *text = (mls_str){at, (size_t)(end - at)};
    return (mls_str){start, (size_t)(at - start)};
}

bool mls_str_contains(mls_str text, mls_str needle)
{
    return needle.len == 0 || (text.len >= needle.len && memmem(text.ptr, text.len, needle.ptr, needle.len) != NULL);
}

int mls_str_compare(mls_str a, mls_str b)
{
    const size_t common = a.len < b.len ? a.len : b.len;
    const int order = common > 0 ? memcmp(a.ptr, b.ptr, common) : 0;
    return order != 0 ? order : (a.len > b.len) - (a.len < b.len);
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Moves *at over a run of digits; returns the run without its leading zeros. */
static mls_str skip_digits(mls_str text, size_t *at)
{
    while (*at < text.len && text.ptr[*at] == '0') {
        *at += 1;
    }
    const size_t start = *at;
    while (*at < text.len && is_digit(text.ptr[*at])) {
        *at += 1;
    }
    return (mls_str){text.ptr + start, *at - start};
}

int mls_str_compare_natural(mls_str a, mls_str b)
{
    size_t i = 0;
    size_t j = 0;
    while (i < a.len && j < b.len) {
        if (is_digit(a.ptr[i]) && is_digit(b.ptr[j])) {
            const mls_str x = skip_digits(a, &i);
            const mls_str y = skip_digits(b, &j);
            const int order = x.len != y.len ? (x.len < y.len ? -1 : 1) : mls_str_compare(x, y);
            if (order != 0) {
                return order;
            }
        } else if (a.ptr[i] != b.ptr[j]) {
            return (unsigned char)a.ptr[i] < (unsigned char)b.ptr[j] ? -1 : 1;
        } else {
            i++;
            j++;
        }
    }
    if (i < a.len || j < b.len) {
        return i < a.len ? 1 : -1;
    }
    return mls_str_compare(a, b); /* equal but for leading zeros */
}
