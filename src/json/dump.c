/* SPDX-License-Identifier: Apache-2.0 */
/* dump.c - write JSON in the formats of Python, of mlscore's output, and of its own files. */
#include "json/dump.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "base/utf8.h"
#include "json/json_check.h"

/* Append a code point as a JSON escape: \u202e, or two surrogates if it is above U+FFFF. */
static void append_escape(mls_buffer *buffer, uint32_t code)
{
    if (code > 0xffff) {
        mls_buffer_printf(buffer, "\\u%04x", 0xd800U + ((code - 0x10000U) >> 10));
        code = 0xdc00U + (code & 0x3ffU);
    }
    mls_buffer_printf(buffer, "\\u%04x", code);
}

static void dump_code(mls_buffer *buffer, uint32_t code)
{
    static const char names[] = "\"\\bfnrt";
    static const char values[] = "\"\\\b\f\n\r\t";
    const char *named = code != 0 && code < 0x80 ? strchr(values, (int)code) : NULL;
    if (named != NULL) {
        mls_buffer_append_char(buffer, '\\');
        mls_buffer_append_char(buffer, names[named - values]);
    } else if (code >= ' ' && code <= '~') {
        mls_buffer_append_char(buffer, (char)code);
    } else {
        append_escape(buffer, code);
    }
}

/* Append a quoted text as Python writes it.  If `escaped`, decode the JSON escapes in `text` first. */
static void dump_string(mls_buffer *buffer, mls_str text, bool escaped)
{
    mls_buffer_append_char(buffer, '"');
    for (size_t at = 0; at < text.len;) {
        const unsigned char first = (unsigned char)text.ptr[at];
        if (escaped && first == '\\') {
            dump_code(buffer, mls_json_escape_read(text, &at));
        } else {
            const int32_t code = mls_utf8_next(text, &at);
            dump_code(buffer, code >= 0 ? (uint32_t)code : 0xdc00U + first);
        }
    }
    mls_buffer_append_char(buffer, '"');
}

void mls_dump_text(mls_buffer *buffer, mls_str text)
{
    dump_string(buffer, text, false);
}

/* Increment the last digit of a number such as "1.234e+05".  Return false if all digits are 9, which does not occur
 * here. */
static bool count_up(char *text)
{
    for (char *at = strchr(text, 'e'); at-- > text && *at != '-';) {
        if (*at != '.' && *at != '9') {
            ++*at;
            return true;
        }
        *at = *at == '.' ? '.' : '0';
    }
    return false;
}

void mls_dump_number(mls_buffer *buffer, double number)
{
    enum { EXPONENT_MAX = 16, EXPONENT_MIN = -4 }; /* repr() writes an exponent outside this range */
    char text[40];
    if (!isfinite(number)) {
        mls_buffer_append_text(buffer, isnan(number) ? "NaN" : number > 0 ? "Infinity" : "-Infinity");
        return;
    }
    /* Print the fewest digits that read back as the same number.  Fifteen digits always survive a round trip from text,
     * so fewer are tried only for subnormal numbers, which have less precision.  Below a power of two, numbers are
     * denser than above it, so with sixteen digits the next decimal up may work if the nearest one does not. */
    bool same = false;
    for (int wanted = fabs(number) < DBL_MIN ? 1 : DBL_DIG; !same && wanted <= 17; wanted++) {
        (void)mls_text_printf(text, sizeof text, "%.*e", wanted - 1, number);
        same = mls_text_double(text) == number || (wanted == 16 && count_up(text) && mls_text_double(text) == number);
    }
    char *mark = strchr(text, 'e');
    const int exponent = (int)strtol(mark + 1, NULL, 10);
    const char *first = text + (*text == '-');
    size_t count = 0;
    char digits[20] = "";
    for (const char *at = first; at < mark; at++)
        if (mls_is_digit(*at))
            digits[count++] = *at;
    while (count > 1 && digits[count - 1] == '0')
        count--;
    mls_buffer_append_text(buffer, first > text ? "-" : "");
    if (exponent < EXPONENT_MIN || exponent >= EXPONENT_MAX) {
        mls_buffer_printf(buffer, "%c%s%.*se%+03d", digits[0], count > 1 ? "." : "", (int)count - 1, digits + 1,
                          exponent);
    } else if (exponent < 0) {
        mls_buffer_printf(buffer, "0.%.*s%.*s", -exponent - 1, "000", (int)count, digits);
    } else {
        const int whole = (int)count < exponent + 1 ? (int)count : exponent + 1;
        mls_buffer_printf(buffer, "%.*s", whole, digits);
        mls_buffer_append_repeated(buffer, '0', (size_t)(exponent + 1 - whole));
        mls_buffer_printf(buffer, ".%.*s", (int)count - whole, digits + whole);
        mls_buffer_append_text(buffer, (int)count > whole ? "" : "0");
    }
}

/* Append the value that starts at `at` and return the byte after it.  Nested text is not examined again for each level
 * of nesting. */
static const char *dump_value(mls_buffer *buffer, const char *at, const char *end)
{
    if (*at != '[' && *at != '{') {
        const char *stop = mls_span_skip_value(at, end);
        const mls_str json = {at, (size_t)(stop - at)};
        double number;
        if (*at == '"')
            dump_string(buffer, (mls_str){at + 1, json.len - 2}, true);
        else if (mls_json_kind_of(json) != MLS_JSON_NUMBER)
            mls_buffer_append(buffer, json);
        else if (mls_json_is_integer(json))
            mls_buffer_append(buffer, mls_str_equal(json, MLS_S("-0")) ? MLS_S("0") : json);
        else if (mls_json_number(json, &number))
            mls_dump_number(buffer, number);
        return stop;
    }
    mls_json_walk walk = mls_json_walk_begin((mls_str){at, (size_t)(end - at)});
    const char *between = "";
    mls_buffer_append_char(buffer, *at);
    for (mls_str name; mls_walk_enter(&walk, &name); between = ", ") {
        mls_buffer_append_text(buffer, between);
        if (walk.object) {
            dump_string(buffer, name, true);
            mls_buffer_append_text(buffer, ": ");
        }
        mls_walk_leave(&walk, dump_value(buffer, walk.at, end));
    }
    mls_buffer_append_char(buffer, walk.object ? '}' : ']');
    return walk.at + 1;
}

void mls_dump_json(mls_buffer *buffer, mls_str json)
{
    (void)dump_value(buffer, json.ptr, json.ptr + json.len);
}

/* Append the text from *plain to `start` unchanged; then append `code` as \u… unless it is negative; and set *plain to
 * `at`. */
static void append_plain(mls_buffer *out, mls_str text, size_t *plain, size_t start, size_t at, int32_t code)
{
    if (start > *plain)
        mls_buffer_append(out, (mls_str){text.ptr + *plain, start - *plain});
    *plain = at;
    if (code >= 0)
        append_escape(out, (uint32_t)code);
}

/* Return whether a byte is written unchanged both inside and outside strings, as most bytes are. */
static bool reads_as_itself(char c)
{
    return c >= 0x20 && c < 0x7f && c != '"' && c != '\\';
}

/* Append a quoted text.  If `lasting`, keep all bytes above 0x7f, and write quotes and backslashes as \u…. */
static void append_quoted(mls_buffer *out, mls_str text, bool lasting)
{
    size_t plain = 0;
    mls_buffer_append_char(out, '"');
    for (size_t at = 0; at < text.len;) {
        if (reads_as_itself(text.ptr[at]) || (lasting && (unsigned char)text.ptr[at] >= 0x80)) {
            at++;
            continue;
        }
        const size_t start = at;
        const int32_t code = mls_utf8_next(text, &at);
        if (!lasting && (code == '"' || code == '\\')) {
            append_plain(out, text, &plain, start, start, -1);
            mls_buffer_append_char(out, '\\');
        } else if (lasting || code <= 0 || mls_code_point_is_hostile(code)) {
            append_plain(out, text, &plain, start, at, lasting || code > 0 ? code : 0xfffd);
        }
    }
    append_plain(out, text, &plain, text.len, text.len, -1);
    mls_buffer_append_char(out, '"');
}

void mls_json_show_text(mls_buffer *out, mls_str text)
{
    append_quoted(out, text, false);
}

void mls_json_text_append(mls_buffer *out, mls_str text)
{
    append_quoted(out, text, true);
}

void mls_json_show_span(mls_buffer *out, mls_str span)
{
    bool in_string = false;
    size_t plain = 0;
    for (size_t at = 0; at < span.len;) {
        if (reads_as_itself(span.ptr[at]) && span.ptr[at] != 'N' && span.ptr[at] != 'I') {
            at++;
            continue;
        }
        const size_t start = at;
        const int32_t code = mls_utf8_next(span, &at);
        in_string ^= code == '"';
        if (in_string && code == '\\') {
            at++; /* a validated escape: skip the escaped character */
        } else if (!in_string && (code == 'N' || code == 'I')) {
            /* the span was validated, so the word NaN or Infinity is complete */
            at = start + (code == 'N' ? sizeof "NaN" - 1 : sizeof "Infinity" - 1);
            append_plain(out, span, &plain, start, at, -1);
            out->len -= out->len > 0 && out->ptr[out->len - 1] == '-';
            mls_buffer_append_text(out, "null");
        } else if (code < 0 || mls_code_point_is_hostile(code)) {
            append_plain(out, span, &plain, start, at, code < 0 ? (unsigned char)span.ptr[start] : code);
        }
    }
    append_plain(out, span, &plain, span.len, span.len, -1);
}
