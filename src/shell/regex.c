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
    const bool extended = syntax == PCRE2_CONVERT_POSIX_EXTENDED;
    for (size_t i = 0; i < text.len && syntax != SYNTAX_PATTERN; i++) {
        char c = text.ptr[i];
        if (c == '\\') {
            c = ++i < text.len ? text.ptr[i] : 'a';
            if (isalnum((unsigned char)c) || strchr(extended ? "|<>'`\n" : "+?|<>'`\n", c) != NULL) {
                return false;
            }
        } else if (extended &&
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
    *self = (regex){0};
    if (text.len > REGEX_BYTES_MAX || !mls_shell_known(text) || !is_plain(text, syntax)) {
        return false;
    }
    int error = pcre2_pattern_convert((PCRE2_SPTR)text.ptr, text.len, syntax, &converted, &length, NULL);
    if (error == 0) {
        self->code = pcre2_compile(converted, length, PCRE2_NEVER_UTF | options, &error, &length, NULL);
        pcre2_converted_pattern_free(converted);
        self->data = self->code != NULL ? pcre2_match_data_create_from_pattern(self->code, NULL) : NULL;
        self->limits = pcre2_match_context_create(NULL);
    }
    if (self->code != NULL && self->data != NULL && self->limits != NULL) {
        (void)pcre2_set_match_limit(self->limits, REGEX_STEPS_MAX);
        (void)pcre2_set_heap_limit(self->limits, REGEX_HEAP_KIB_MAX);
        return true;
    }
    if (self->code != NULL || error == PCRE2_ERROR_NOMEMORY || error == PCRE2_ERROR_HEAP_FAILED) {
        mls_shell_no_memory(state);
    }
    regex_release(self);
    return false;
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
    const uint32_t syntax = extended ? PCRE2_CONVERT_POSIX_EXTENDED : SYNTAX_PATTERN;
    if (!mls_shell_known(text) || !regex_init(state, &self, rule, syntax, 0)) {
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
        found = regex_find(state, &self, (mls_str){text.ptr + (from_end ? text.len - cut : 0), cut});
        if (found == STATUS_YES) {
            left = (mls_str){text.ptr + (from_end ? 0 : cut), text.len - cut};
        }
    }
    regex_release(&self);
    return found == STATUS_UNKNOWN ? SHELL_HOLE : left;
}

/* The next part of an s command, in PCRE2's own syntax for replacements where it is one; false when it has no end. */
static bool read_part(mls_str *rest, char delimiter, bool replacement, mls_buffer *part)
{
    size_t at = 0;
    for (; at < rest->len && rest->ptr[at] != delimiter && rest->ptr[at] != '\n'; at++) {
        const bool escaped = rest->ptr[at] == '\\' && at + 1 < rest->len;
        at += escaped;
        const char c = rest->ptr[at];
        if (replacement && escaped && isalpha((unsigned char)c)) {
            return false;
        }
        if (replacement && (escaped ? isdigit((unsigned char)c) : c == '&')) {
            mls_buffer_printf(part, "${%c}", escaped ? c : '0');
        } else {
            mls_buffer_append_text(part, replacement ? (c == '$' ? "$" : "") : escaped ? "\\" : "");
            mls_buffer_append_char(part, c);
        }
    }
    const bool ends = at < rest->len && rest->ptr[at] == delimiter;
    *rest = mls_shell_from(*rest, at + ends);
    return ends;
}

/* What a rule makes of a line. */
static mls_str replace(mls_shell_state *state, const regex *self, const mls_buffer *made, uint32_t options,
                       mls_str line)
{
    mls_buffer out = {0};
    mls_str text = SHELL_HOLE;
    PCRE2_SIZE length = SHELL_VALUE_BYTES_MAX;
    int count = PCRE2_ERROR_NOMEMORY;
    options |= PCRE2_SUBSTITUTE_UNSET_EMPTY | PCRE2_SUBSTITUTE_OVERFLOW_LENGTH;
    if (mls_buffer_reserve(&out, length)) {
        count = pcre2_substitute(self->code, (PCRE2_SPTR)line.ptr, line.len, 0, options, self->data, self->limits,
                                 (PCRE2_SPTR)(made->ptr != NULL ? made->ptr : ""), made->len, (PCRE2_UCHAR *)out.ptr,
                                 &length);
    }
    if (count >= 0) {
        text = mls_shell_keep(state, (mls_str){out.ptr, length});
    } else if (count == PCRE2_ERROR_NOMEMORY && length != PCRE2_UNSET && length > SHELL_VALUE_BYTES_MAX) {
        mls_shell_limit(state, "length of a value");
    } else if (count == PCRE2_ERROR_NOMEMORY) {
        mls_shell_no_memory(state);
    }
    mls_buffer_release(&out);
    return text;
}

/* What the s command at the start of *script makes of a line; *script is what is behind it then. */
static mls_str substitute(mls_shell_state *state, mls_str *script, uint32_t syntax, mls_str line)
{
    const char delimiter = script->len > 2 && script->ptr[0] == 's' ? script->ptr[1] : ' ';
    mls_buffer parts[2] = {{0}, {0}};
    mls_str made = SHELL_HOLE;
    regex self;
    uint32_t global = 0;
    uint32_t caseless = 0;
    uint32_t empty = 0;
    *script = mls_shell_from(*script, script->len < 2 ? script->len : 2);
    bool read = strchr("/|,:;#@!%_~", delimiter) != NULL && read_part(script, delimiter, false, &parts[0]) &&
                read_part(script, delimiter, true, &parts[1]);
    for (bool flags = true; script->len > 0; *script = mls_shell_from(*script, 1)) {
        const char c = script->ptr[0];
        const bool separates = c == ';' || c == ' ' || c == '\n';
        if (!separates && !flags) {
            break;
        }
        flags = flags && !separates;
        global |= flags && c == 'g' ? PCRE2_SUBSTITUTE_GLOBAL : 0;
        caseless |= flags && (c == 'I' || c == 'i') ? PCRE2_CASELESS : 0;
        read = read && (!flags || strchr("gIi", c) != NULL);
    }
    if (parts[0].failed || parts[1].failed) {
        mls_shell_no_memory(state);
    } else if (read && parts[0].len > 0 && mls_shell_step(state, 16 * line.len + 16) &&
               regex_init(state, &self, mls_buffer_str(&parts[0]), syntax, caseless)) {
        (void)pcre2_pattern_info(self.code, PCRE2_INFO_MATCHEMPTY, &empty);
        /* Where nothing matches, sed puts less than PCRE2. */
        made = empty != 0 && global != 0 ? made : replace(state, &self, &parts[1], global, line);
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
    for (size_t i = 0; i < scripts->count && known; i++) {
        mls_str script = scripts->items[i];
        for (known = mls_shell_known(script); known && script.len > 0; known = mls_shell_known(line)) {
            line = substitute(state, &script, syntax, line);
        }
    }
    return known ? mls_shell_join(state, line, ended ? MLS_S("\n") : MLS_S("")) : SHELL_HOLE;
}
