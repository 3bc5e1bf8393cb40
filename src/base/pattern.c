/* SPDX-License-Identifier: Apache-2.0 */
/* pattern.c - match patterns with PCRE2, which can also convert shell patterns and POSIX basic expressions to its own
 * syntax.  Escapes that PCRE2 and GNU programs interpret differently are refused. */
#include "base/pattern.h"

#include "base/memory.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <ctype.h>
#include <pcre2.h>

/* Limits of SHELL and BASIC patterns.  The limits of OWN patterns are the same, except for the length. */
enum { STEPS_MAX = 20000, HEAP_KIB_MAX = 256, BYTES_MAX = 256 };

/* Limit of the steps of NAME patterns.  Their heap limit is HEAP_KIB_MAX. */
enum { NAME_STEPS_MAX = 2000 };

/* Limits of LINES patterns.  The limit of the length also applies to NAME patterns. */
enum { LINES_STEPS_MAX = 1000000, LINES_DEPTH_MAX = 10000, LINES_HEAP_KIB_MAX = 4096, LINES_BYTES_MAX = 1024 };

static const uint32_t syntaxes[] = {
    [MLS_PATTERN_SHELL] = PCRE2_CONVERT_GLOB_NO_STARSTAR | PCRE2_CONVERT_GLOB_NO_WILD_SEPARATOR,
    [MLS_PATTERN_BASIC] = PCRE2_CONVERT_POSIX_BASIC,
};

/* Return whether all implementations interpret the escapes in a POSIX basic expression in the same way. */
static bool is_plain(mls_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] != '\\')
            continue;
        const char c = ++i < text.len ? text.ptr[i] : 'a';
        if (isalnum((unsigned char)c) || strchr("+?|<>'`\n", c) != NULL)
            return false;
    }
    return true;
}

mls_status mls_pattern_compile(mls_pattern *pattern, mls_pattern_kind kind, mls_str text)
{
    const bool lines = kind == MLS_PATTERN_LINES;
    PCRE2_UCHAR *converted = NULL;
    PCRE2_SIZE length;
    int error = 0;
    *pattern = (mls_pattern){0};
    if (kind >= MLS_PATTERN_ONCE) {
        const uint32_t options = kind <= MLS_PATTERN_OWN ? PCRE2_CASELESS : PCRE2_NEVER_BACKSLASH_C;
        if (kind > MLS_PATTERN_OWN && text.len > LINES_BYTES_MAX)
            return MLS_ERROR_SYNTAX;
        pattern->code = pcre2_compile((PCRE2_SPTR)text.ptr, text.len, PCRE2_NEVER_UTF | options, &error, &length, NULL);
        if (pattern->code != NULL && kind != MLS_PATTERN_ONCE)
            (void)pcre2_jit_compile(pattern->code, PCRE2_JIT_COMPLETE); /* if this fails, matching is only slower */
    } else if (text.len <= BYTES_MAX && (kind == MLS_PATTERN_SHELL || is_plain(text))) {
        error = pcre2_pattern_convert((PCRE2_SPTR)text.ptr, text.len, syntaxes[kind], &converted, &length, NULL);
        if (error == 0) {
            pattern->code = pcre2_compile(converted, length, PCRE2_NEVER_UTF, &error, &length, NULL);
            pcre2_converted_pattern_free(converted);
        }
    }
    if (pattern->code == NULL) {
        if (error == PCRE2_ERROR_NOMEMORY || error == PCRE2_ERROR_HEAP_FAILED)
            mls_no_memory();
        return MLS_ERROR_SYNTAX;
    }
    pattern->data = pcre2_match_data_create_from_pattern(pattern->code, NULL);
    pattern->limits = pcre2_match_context_create(NULL);
    if (pattern->data == NULL || pattern->limits == NULL)
        mls_no_memory();
    (void)pcre2_set_match_limit(pattern->limits, lines                      ? LINES_STEPS_MAX
                                                 : kind == MLS_PATTERN_NAME ? NAME_STEPS_MAX
                                                                            : STEPS_MAX);
    (void)pcre2_set_heap_limit(pattern->limits, lines ? LINES_HEAP_KIB_MAX : HEAP_KIB_MAX);
    if (lines)
        (void)pcre2_set_depth_limit(pattern->limits, LINES_DEPTH_MAX);
    return MLS_OK;
}

mls_status mls_pattern_find(const mls_pattern *pattern, mls_str text, size_t at, mls_str *found)
{
    const int result =
        pcre2_match(pattern->code, (PCRE2_SPTR)text.ptr, text.len, at, 0, pattern->data, pattern->limits);
    *found = (mls_str){NULL, 0};
    if (result >= 0) {
        const PCRE2_SIZE *place = pcre2_get_ovector_pointer(pattern->data);
        *found = (mls_str){text.ptr + place[0], place[1] - place[0]};
    }
    if (result == PCRE2_ERROR_NOMEMORY)
        mls_no_memory();
    return result >= 0 || result == PCRE2_ERROR_NOMATCH ? MLS_OK : MLS_ERROR_LIMIT;
}

mls_str mls_pattern_group(const mls_pattern *pattern, mls_str text, const char *name)
{
    const int number = name != NULL ? pcre2_substring_number_from_name(pattern->code, (PCRE2_SPTR)name) : 1;
    const PCRE2_SIZE *places = pcre2_get_ovector_pointer(pattern->data);
    if (number < 0 || (uint32_t)number >= pcre2_get_ovector_count(pattern->data) || places[2 * number] == PCRE2_UNSET)
        return (mls_str){NULL, 0};
    return (mls_str){text.ptr + places[2 * number], places[2 * number + 1] - places[2 * number]};
}

size_t mls_pattern_groups(const mls_pattern *pattern)
{
    uint32_t groups = 0;
    (void)pcre2_pattern_info(pattern->code, PCRE2_INFO_CAPTURECOUNT, &groups);
    return groups;
}

void mls_pattern_release(mls_pattern *pattern)
{
    pcre2_match_context_free(pattern->limits);
    pcre2_match_data_free(pattern->data);
    pcre2_code_free(pattern->code);
    *pattern = (mls_pattern){0};
}
