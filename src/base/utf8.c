/* SPDX-License-Identifier: Apache-2.0 */
/* utf8.c - UTF-8 and its display on terminals. */
#include "base/utf8.h"

int32_t mls_utf8_next(mls_str text, size_t *at)
{
    const unsigned char *s = (const unsigned char *)text.ptr + *at;
    static const uint32_t min_code[] = {0, 0x80, 0x800, 0x10000};
    const size_t extra = s[0] < 0x80 ? 0 : s[0] < 0xe0 ? 1 : s[0] < 0xf0 ? 2 : 3;
    const size_t left = text.len - *at;
    *at += 1;
    if (extra == 0)
        return s[0];
    if (s[0] < 0xc2 || s[0] > 0xf4 || left <= extra)
        return -1;
    uint32_t code = s[0] & (0x3fU >> extra);
    for (size_t i = 1; i <= extra; i++) {
        if ((s[i] & 0xc0U) != 0x80)
            return -1;
        code = code << 6 | (s[i] & 0x3fU);
    }
    if (code < min_code[extra] || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff))
        return -1;
    *at += extra;
    return (int32_t)code;
}

size_t mls_utf8_encode(uint32_t code_point, char bytes[4])
{
    const size_t count = code_point < 0x80 ? 1 : code_point < 0x800 ? 2 : code_point < 0x10000 ? 3 : 4;
    static const unsigned char leads[] = {0, 0, 0xc0, 0xe0, 0xf0};
    for (size_t i = count - 1; i > 0; i--) {
        bytes[i] = (char)(0x80U | (code_point & 0x3fU));
        code_point >>= 6;
    }
    bytes[0] = (char)(leads[count] | code_point);
    return count;
}

mls_str mls_utf8_cut(mls_str text, size_t bytes)
{
    if (text.len <= bytes)
        return text;
    size_t end = bytes;
    /* A code point has at most three continuation bytes.  A longer run of such bytes is not UTF-8 and may be split. */
    while (end > 0 && bytes - end < 3 && ((unsigned char)text.ptr[end] & 0xc0U) == 0x80)
        end--;
    return (mls_str){text.ptr, ((unsigned char)text.ptr[end] & 0xc0U) == 0x80 ? bytes : end};
}

void mls_utf8_append_cut(mls_buffer *buffer, mls_str text, size_t bytes)
{
    const mls_str cut = mls_utf8_cut(text, bytes);
    mls_buffer_append(buffer, cut);
    mls_buffer_append_text(buffer, cut.len < text.len ? "…" : "");
}

void mls_escape_append(mls_buffer *buffer, mls_str text)
{
    for (size_t at = 0; at < text.len;) {
        const size_t start = at;
        const int32_t code = mls_utf8_next(text, &at);
        if (code >= 0 && !mls_code_point_is_hostile(code)) {
            /* Copy a run of printable ASCII characters in one piece, because most texts contain hardly anything else.
             */
            while (at < text.len && text.ptr[at] >= ' ' && text.ptr[at] <= '~')
                at++;
            mls_buffer_append(buffer, (mls_str){text.ptr + start, at - start});
        } else if (code == '\n' || code == '\r' || code == '\t') {
            mls_buffer_append_text(buffer, code == '\n' ? "\\n" : code == '\r' ? "\\r" : "\\t");
        } else if (code > 0xff) {
            mls_buffer_printf(buffer, "\\u%04x", (unsigned)code);
        } else {
            mls_buffer_printf(buffer, "\\x%02x", code >= 0 ? (unsigned)code : (unsigned char)text.ptr[start]);
        }
    }
}

/* Return the number of terminal columns of a code point.  An invalid byte (-1) takes one column, because terminals
 * print a replacement character for it. */
static size_t code_point_width(int32_t code)
{
    if ((code >= 0x300 && code <= 0x36f) || (code >= 0x200b && code <= 0x200f) || (code >= 0xfe00 && code <= 0xfe0f))
        return 0;
    const bool wide = (code >= 0x1100 && code <= 0x115f) || (code >= 0x2e80 && code <= 0xa4cf) ||
                      (code >= 0xac00 && code <= 0xd7a3) || (code >= 0xf900 && code <= 0xfaff) ||
                      (code >= 0xfe30 && code <= 0xfe6f) || (code >= 0xff00 && code <= 0xff60) ||
                      (code >= 0x1f300 && code <= 0x1faff) || (code >= 0x20000 && code <= 0x3fffd);
    return wide ? 2 : 1;
}

size_t mls_display_width(mls_str text)
{
    size_t width = 0;
    for (size_t at = 0; at < text.len;)
        width += code_point_width(mls_utf8_next(text, &at));
    return width;
}

mls_str mls_utf8_fit(mls_str text, size_t columns)
{
    size_t used = 0;
    size_t fits = 0;
    for (size_t at = 0; at < text.len; fits = at) {
        used += code_point_width(mls_utf8_next(text, &at));
        if (used > columns)
            break;
    }
    return (mls_str){text.ptr, fits};
}

mls_str mls_utf8_fit_back(mls_str text, size_t columns)
{
    while (mls_display_width(text) > columns) {
        size_t start = 0;
        (void)mls_utf8_next(text, &start);
        text = mls_str_rest(text, start);
    }
    return text;
}
