/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "shell/script.h"

/* One element of a pattern that stands for one byte. */
typedef struct pattern_element {
    size_t length; /* in the pattern */
    bool matches;
} pattern_element;

static bool class_holds(mls_str name, unsigned char c)
{
    const bool lower = c >= 'a' && c <= 'z';
    const bool upper = c >= 'A' && c <= 'Z';
    const bool digit = c >= '0' && c <= '9';
    const struct {
        mls_str name;
        bool holds;
    } classes[] = {
        {MLS_STR("alpha"), lower || upper},
        {MLS_STR("digit"), digit},
        {MLS_STR("alnum"), lower || upper || digit},
        {MLS_STR("lower"), lower},
        {MLS_STR("upper"), upper},
        {MLS_STR("space"), c == ' ' || (c >= '\t' && c <= '\r')},
        {MLS_STR("blank"), c == ' ' || c == '\t'},
        {MLS_STR("punct"), c > ' ' && c < 0x7f && !lower && !upper && !digit},
        {MLS_STR("xdigit"), digit || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F')},
    };
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++) {
        if (mls_str_equal(classes[i].name, name)) {
            return classes[i].holds;
        }
    }
    return false;
}

/* [:digit:] at `at`: its length, 0 when there is none. */
static size_t match_class(mls_str pattern, size_t at, unsigned char c, bool *holds)
{
    const mls_str rest = {pattern.ptr + at, pattern.len - at};
    if (!mls_str_starts(rest, MLS_S("[:"))) {
        return 0;
    }
    for (size_t i = 2; i + 1 < rest.len; i++) {
        if (rest.ptr[i] == ':' && rest.ptr[i + 1] == ']') {
            *holds = class_holds((mls_str){rest.ptr + 2, i - 2}, c);
            return i + 2;
        }
    }
    return 0;
}

static unsigned char take_literal(mls_str pattern, size_t *at)
{
    if (pattern.ptr[*at] == '\\' && *at + 1 < pattern.len) {
        (*at)++;
    }
    return (unsigned char)pattern.ptr[(*at)++];
}

/* A bracket expression at `at`; length 0 when it is not closed, a literal '[' then. */
static pattern_element match_bracket(mls_str pattern, size_t at, unsigned char c)
{
    size_t i = at + 1;
    const bool negated = i < pattern.len && (pattern.ptr[i] == '!' || pattern.ptr[i] == '^');
    i += negated;
    bool found = false;
    for (bool first = true; i < pattern.len; first = false) {
        if (pattern.ptr[i] == ']' && !first) {
            return (pattern_element){i + 1 - at, found != negated};
        }
        bool holds = false;
        const size_t named = match_class(pattern, i, c, &holds);
        if (named > 0) {
            found = found || holds;
            i += named;
            continue;
        }
        const unsigned char low = take_literal(pattern, &i);
        unsigned char high = low;
        if (i + 1 < pattern.len && pattern.ptr[i] == '-' && pattern.ptr[i + 1] != ']') {
            i++;
            high = take_literal(pattern, &i);
        }
        found = found || (low <= c && c <= high);
    }
    return (pattern_element){0, false};
}

/* The element at `at`, which is no star, against one byte. */
static pattern_element match_one(mls_str pattern, size_t at, unsigned char c)
{
    switch (pattern.ptr[at]) {
    case '?':
        return (pattern_element){1, true};
    case '[': {
        const pattern_element bracket = match_bracket(pattern, at, c);
        return bracket.length > 0 ? bracket : (pattern_element){1, c == '['};
    }
    case '\\':
        if (at + 1 < pattern.len) {
            return (pattern_element){2, (unsigned char)pattern.ptr[at + 1] == c};
        }
        return (pattern_element){1, c == '\\'};
    default:
        return (pattern_element){1, (unsigned char)pattern.ptr[at] == c};
    }
}

/* The usual walk with one place to go back to: the last star takes one more byte. */
mls_script_truth mls_script_pattern_match(mls_script *script, mls_str pattern, mls_str text)
{
    size_t p = 0;
    size_t t = 0;
    size_t star = SIZE_MAX;
    size_t star_text = 0;
    while (t < text.len || p < pattern.len) {
        if (!mls_script_step(script, 1)) {
            return TRUTH_UNKNOWN;
        }
        if (p < pattern.len && pattern.ptr[p] == '*') {
            star = p++;
            star_text = t;
            continue;
        }
        if (p < pattern.len && t < text.len) {
            const pattern_element element = match_one(pattern, p, (unsigned char)text.ptr[t]);
            if (element.length > 1 && !mls_script_step(script, element.length)) {
                return TRUTH_UNKNOWN;
            }
            if (element.matches) {
                p += element.length;
                t++;
                continue;
            }
        }
        if (star == SIZE_MAX || star_text >= text.len) {
            return TRUTH_NO;
        }
        p = star + 1;
        t = ++star_text;
    }
    return TRUTH_YES;
}

static mls_str part(mls_str text, size_t begin, size_t end)
{
    return (mls_str){text.ptr + begin, end - begin};
}

mls_script_text mls_script_pattern_strip(mls_script *script, mls_str text, mls_str pattern, bool from_end, bool longest)
{
    for (size_t i = 0; i <= text.len; i++) {
        const size_t cut = longest ? text.len - i : i;
        const mls_str piece = from_end ? part(text, text.len - cut, text.len) : part(text, 0, cut);
        const mls_script_truth match = mls_script_pattern_match(script, pattern, piece);
        if (match == TRUTH_UNKNOWN) {
            return mls_script_unknown();
        }
        if (match == TRUTH_YES) {
            return mls_script_known(from_end ? part(text, 0, text.len - cut) : part(text, cut, text.len));
        }
    }
    return mls_script_known(text);
}

/* The longest piece of `text` from `begin` on that matches and is not empty; its length, or SIZE_MAX. */
static size_t longest_from(mls_script *script, mls_str text, size_t begin, mls_str pattern, bool to_end)
{
    for (size_t end = text.len; end > begin; end--) {
        if (mls_script_pattern_match(script, pattern, part(text, begin, end)) == TRUTH_YES) {
            return end - begin;
        }
        if (to_end || script->flow == FLOW_STOP) {
            break;
        }
    }
    return SIZE_MAX;
}

mls_script_text mls_script_pattern_replace(mls_script *script, mls_str text, mls_str pattern, mls_str replacement,
                                           char where)
{
    if (pattern.len == 0 && where != '#' && where != '%') {
        return mls_script_known(text);
    }
    mls_buffer made = {0};
    size_t at = 0;
    bool done = false;
    if (pattern.len == 0) {
        mls_buffer_append(&made, where == '#' ? replacement : text);
        mls_buffer_append(&made, where == '#' ? text : replacement);
        return mls_script_keep_buffer(script, &made);
    }
    if (text.len == 0 && mls_script_pattern_match(script, pattern, text) == TRUTH_YES) {
        return mls_script_known(replacement);
    }
    while (at < text.len && script->flow != FLOW_STOP) {
        size_t length = SIZE_MAX;
        if (!done && !(where == '#' && at > 0)) {
            length = longest_from(script, text, at, pattern, where == '%');
        }
        if (length == SIZE_MAX) {
            mls_buffer_append_char(&made, text.ptr[at++]);
            continue;
        }
        mls_buffer_append(&made, replacement);
        at += length;
        done = where != '/';
        if (made.len > SCRIPT_VALUE_BYTES_MAX) {
            break;
        }
    }
    return mls_script_keep_buffer(script, &made);
}
