/* SPDX-License-Identifier: Apache-2.0 */
/*
 * regex.c - shell patterns, =~, and the substitutions that configs make with
 * sed.  PCRE2 converts all three syntaxes; what it reads differently from GNU
 * (alternation, repeats of repeats, \w, \+) is unknown instead.
 */
#define PCRE2_CODE_UNIT_WIDTH 8
#include <ctype.h>
#include <pcre2.h>

#include "shell/state.h"

#define REGEX_STEPS_MAX 20000
#define REGEX_HEAP_KIB_MAX 256
#define REGEX_BYTES_MAX 256
#define SYNTAX_PATTERN (PCRE2_CONVERT_GLOB_NO_STARSTAR | PCRE2_CONVERT_GLOB_NO_WILD_SEPARATOR)

typedef struct regex {
    pcre2_code *code;
    pcre2_match_data *data;
    pcre2_match_context *limits;
} regex;

/* Whether an expression means the same to everybody. */
static bool is_plain(mls_str text, uint32_t syntax)
{
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        if (c == '\\') {
            c = ++i < text.len ? text.ptr[i] : 'a';
            if (isalnum((unsigned char)c) ||
                strchr(syntax == PCRE2_CONVERT_POSIX_BASIC ? "+?|<>'`\n" : "|<>'`\n", c) != NULL) {
                return false;
            }
        } else if (syntax == PCRE2_CONVERT_POSIX_EXTENDED &&
                   (c == '|' || ((c == '?' || c == '+') && strchr("*+?}(", i > 0 ? text.ptr[i - 1] : '(') != NULL))) {
            return false;
        }
    }
    return true;
}

static void regex_release(regex *self)
{
    pcre2_match_context_free(self->limits);
    pcre2_match_data_free(self->data);
    pcre2_code_free(self->code);
}

/* False when it cannot be known what the text matches.  Memory that is not there ends the reading. */
static bool regex_init(mls_shell_state *state, regex *self, mls_str text, uint32_t syntax, uint32_t options)
{
    PCRE2_UCHAR *converted = NULL;
    PCRE2_SIZE length;
    int error;
    *self = (regex){0};
    if (text.len > REGEX_BYTES_MAX || !mls_shell_known(text) || (syntax != SYNTAX_PATTERN && !is_plain(text, syntax))) {
        return false;
    }
    error = pcre2_pattern_convert((PCRE2_SPTR)text.ptr, text.len, syntax, &converted, &length, NULL);
    if (error == 0) {
        self->code = pcre2_compile(converted, length, PCRE2_NEVER_UTF | options, &error, &length, NULL);
        pcre2_converted_pattern_free(converted);
    }
    if (self->code == NULL) {
        if (error == PCRE2_ERROR_NOMEMORY || error == PCRE2_ERROR_HEAP_FAILED) {
            mls_shell_no_memory(state);
        }
        return false;
    }
    self->data = pcre2_match_data_create_from_pattern(self->code, NULL);
    self->limits = pcre2_match_context_create(NULL);
    if (self->data == NULL || self->limits == NULL) {
        regex_release(self);
        mls_shell_no_memory(state);
        return false;
    }
    (void)pcre2_set_match_limit(self->limits, REGEX_STEPS_MAX);
    (void)pcre2_set_heap_limit(self->limits, REGEX_HEAP_KIB_MAX);
    return true;
}

static int regex_find(mls_shell_state *state, const regex *self, mls_str text)
{
    if (!mls_shell_step(state, text.len + 16)) {
        return STATUS_UNKNOWN;
    }
    const int found = pcre2_match(self->code, (PCRE2_SPTR)text.ptr, text.len, 0, 0, self->data, self->limits);
    if (found == PCRE2_ERROR_NOMEMORY) {
        mls_shell_no_memory(state);
    }
    return found == PCRE2_ERROR_NOMATCH ? STATUS_NO : found < 0 ? STATUS_UNKNOWN : STATUS_YES;
}

int mls_shell_match(mls_shell_state *state, mls_str rule, bool extended, mls_str text)
{
    regex self;
    if (!mls_shell_known(text) ||
        !regex_init(state, &self, rule, extended ? PCRE2_CONVERT_POSIX_EXTENDED : SYNTAX_PATTERN, 0)) {
        return STATUS_UNKNOWN;
    }
    const int found = regex_find(state, &self, text);
    regex_release(&self);
    return found;
}

mls_str mls_shell_pattern_strip(mls_shell_state *state, mls_str text, mls_str pattern, bool from_end, bool longest)
{
    regex self;
    if (!mls_shell_known(text) || !regex_init(state, &self, pattern, SYNTAX_PATTERN, 0)) {
        return SHELL_HOLE;
    }
    mls_str left = text;
    int found = STATUS_NO;
    for (size_t i = 0; i <= text.len && found == STATUS_NO; i++) {
        const size_t cut = longest ? text.len - i : i;
        const size_t begin = from_end ? text.len - cut : 0;
        found = regex_find(state, &self, (mls_str){text.ptr + begin, cut});
        if (found == STATUS_YES) {
            left = (mls_str){text.ptr + (from_end ? 0 : cut), text.len - cut};
        }
    }
    regex_release(&self);
    return found == STATUS_UNKNOWN ? SHELL_HOLE : left;
}

/* The next part of an s command, in PCRE2's own syntax for replacements where it is one; false when it has no end. */
static bool read_part(mls_str text, size_t *at, char delimiter, bool replacement, mls_buffer *part)
{
    for (; *at < text.len && text.ptr[*at] != delimiter && text.ptr[*at] != '\n'; (*at)++) {
        char c = text.ptr[*at];
        const bool escaped = c == '\\' && *at + 1 < text.len;
        c = escaped ? text.ptr[++*at] : c;
        if (!replacement) {
            mls_buffer_append_text(part, escaped ? "\\" : "");
        } else if (escaped && isalpha((unsigned char)c)) {
            return false;
        } else if (escaped ? isdigit((unsigned char)c) : c == '&') {
            mls_buffer_printf(part, "${%c}", escaped ? c : '0');
            continue;
        } else {
            mls_buffer_append_text(part, c == '$' ? "$" : "");
        }
        mls_buffer_append_char(part, c);
    }
    return (*at)++ < text.len && text.ptr[*at - 1] == delimiter;
}

/* What the s command at *at makes of a line; *at is behind it then. */
static mls_str substitute(mls_shell_state *state, mls_str script, size_t *at, uint32_t syntax, mls_str line)
{
    mls_buffer parts[2] = {{0}, {0}};
    regex self;
    mls_str made = SHELL_HOLE;
    uint32_t options = PCRE2_SUBSTITUTE_UNSET_EMPTY | PCRE2_SUBSTITUTE_OVERFLOW_LENGTH;
    uint32_t caseless = 0;
    uint32_t empty = 0;
    const char delimiter = script.len - *at > 2 ? script.ptr[*at + 1] : ' ';
    bool read = strchr("/|,:;#@!%_~", delimiter) != NULL && script.ptr[*at] == 's';
    *at += 2;
    read =
        read && read_part(script, at, delimiter, false, &parts[0]) && read_part(script, at, delimiter, true, &parts[1]);
    for (; *at < script.len && strchr("; \n", script.ptr[*at]) == NULL; (*at)++) {
        options |= script.ptr[*at] == 'g' ? PCRE2_SUBSTITUTE_GLOBAL : 0;
        caseless = script.ptr[*at] == 'I' || script.ptr[*at] == 'i' ? PCRE2_CASELESS : caseless;
        read = read && strchr("gIi", script.ptr[*at]) != NULL;
    }
    while (*at < script.len && strchr("; \n", script.ptr[*at]) != NULL) {
        (*at)++;
    }
    if (parts[0].failed || parts[1].failed) {
        mls_shell_no_memory(state);
    } else if (read && parts[0].len > 0 && mls_shell_step(state, 16 * line.len + 16) &&
               regex_init(state, &self, mls_buffer_str(&parts[0]), syntax, caseless)) {
        mls_buffer out = {0};
        PCRE2_SIZE length = SHELL_VALUE_BYTES_MAX;
        (void)pcre2_pattern_info(self.code, PCRE2_INFO_MATCHEMPTY, &empty);
        int count = PCRE2_ERROR_NOMEMORY;
        if (empty != 0 && (options & PCRE2_SUBSTITUTE_GLOBAL) != 0) {
            count = PCRE2_ERROR_NOMATCH; /* where nothing matches, sed puts less than PCRE2 */
        } else if (mls_buffer_reserve(&out, length)) {
            count = pcre2_substitute(self.code, (PCRE2_SPTR)line.ptr, line.len, 0, options, self.data, self.limits,
                                     (PCRE2_SPTR)(parts[1].ptr != NULL ? parts[1].ptr : ""), parts[1].len,
                                     (PCRE2_UCHAR *)out.ptr, &length);
        }
        if (count >= 0) {
            made = mls_shell_keep(state, (mls_str){out.ptr, length});
        } else if (count == PCRE2_ERROR_NOMEMORY && length != PCRE2_UNSET && length > SHELL_VALUE_BYTES_MAX) {
            mls_shell_limit(state, "length of a value");
        } else if (count == PCRE2_ERROR_NOMEMORY) {
            mls_shell_no_memory(state);
        }
        mls_buffer_release(&out);
        regex_release(&self);
    }
    mls_buffer_release(&parts[0]);
    mls_buffer_release(&parts[1]);
    return made;
}

mls_str mls_shell_sed(mls_shell_state *state, const mls_shell_fields *scripts, bool extended, mls_str input)
{
    const uint32_t syntax = extended ? PCRE2_CONVERT_POSIX_EXTENDED : PCRE2_CONVERT_POSIX_BASIC;
    const bool ended = input.len > 0 && input.ptr[input.len - 1] == '\n';
    mls_str line = {input.ptr, input.len - ended};
    bool known = mls_shell_known(line) && (line.len == 0 || memchr(line.ptr, '\n', line.len) == NULL);
    for (size_t i = 0; i < scripts->count; i++) {
        known = known && mls_shell_known(scripts->items[i]);
        for (size_t at = 0; known && at < scripts->items[i].len; known = mls_shell_known(line)) {
            line = substitute(state, scripts->items[i], &at, syntax, line);
        }
    }
    return known ? mls_shell_join(state, line, ended ? MLS_S("\n") : MLS_S("")) : SHELL_HOLE;
}
