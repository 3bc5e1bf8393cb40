/* SPDX-License-Identifier: Apache-2.0 */
/*
 * regex.c - shell patterns, =~, and the sed that takes "config_" and ".sh" from a name.  PCRE2 converts all three
 * syntaxes; what it reads differently from GNU (alternation, repeats of repeats, \w, \+) is unknown instead.
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
static bool regex_init(mls_shell_state *state, regex *self, mls_str text, uint32_t syntax)
{
    PCRE2_UCHAR *converted = NULL;
    PCRE2_SIZE length;
    *self = (regex){0};
    if (text.len > REGEX_BYTES_MAX || !mls_shell_known(text) || !is_plain(text, syntax)) {
        return false;
    }
    int error = pcre2_pattern_convert((PCRE2_SPTR)text.ptr, text.len, syntax, &converted, &length, NULL);
    if (error == 0) {
        self->code = pcre2_compile(converted, length, PCRE2_NEVER_UTF, &error, &length, NULL);
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

static int regex_find(mls_shell_state *state, const regex *self, mls_str text, size_t at)
{
    if (!mls_shell_step(state, text.len + 16)) {
        return STATUS_UNKNOWN;
    }
    const int found = pcre2_match(self->code, (PCRE2_SPTR)text.ptr, text.len, at, 0, self->data, self->limits);
    if (found == PCRE2_ERROR_NOMEMORY) {
        mls_shell_no_memory(state);
    }
    return found == PCRE2_ERROR_NOMATCH ? STATUS_NO : found < 0 ? STATUS_UNKNOWN : STATUS_YES;
}

int mls_shell_match(mls_shell_state *state, mls_str rule, bool extended, mls_str text)
{
    regex self;
    const uint32_t syntax = extended ? PCRE2_CONVERT_POSIX_EXTENDED : SYNTAX_PATTERN;
    if (!mls_shell_known(text) || !regex_init(state, &self, rule, syntax)) {
        return STATUS_UNKNOWN;
    }
    const int found = regex_find(state, &self, text, 0);
    regex_release(&self);
    return found;
}

mls_str mls_shell_pattern_strip(mls_shell_state *state, mls_str text, mls_str pattern, bool from_end, bool longest)
{
    regex self;
    if (!mls_shell_known(text) || !regex_init(state, &self, pattern, SYNTAX_PATTERN)) {
        return SHELL_HOLE;
    }
    mls_str left = text;
    int found = STATUS_NO;
    for (size_t i = 0; i <= text.len && found == STATUS_NO; i++) {
        const size_t cut = longest ? text.len - i : i;
        found = regex_find(state, &self, (mls_str){text.ptr + (from_end ? text.len - cut : 0), cut}, 0);
        if (found == STATUS_YES) {
            left = (mls_str){text.ptr + (from_end ? 0 : cut), text.len - cut};
        }
    }
    regex_release(&self);
    return found == STATUS_UNKNOWN ? SHELL_HOLE : left;
}

/* The next part of an s command; false when it has no plain end. */
static bool take_part(mls_str *script, char mark, mls_str *part)
{
    const char *end = script->len > 0 ? memchr(script->ptr, mark, script->len) : NULL;
    *part = (mls_str){script->ptr, end != NULL ? (size_t)(end - script->ptr) : 0};
    *script = mls_shell_from(*script, part->len + (end != NULL));
    return end != NULL && !mls_str_ends(*part, MLS_S("\\"));
}

/* What the s command at the start of *script makes of a line; *script is what is behind it and what ends it then. */
static mls_str substitute(mls_shell_state *state, mls_str *script, mls_str line)
{
    const char mark = script->len > 2 && script->ptr[0] == 's' ? script->ptr[1] : ' ';
    mls_buffer made = {0};
    mls_str rule;
    mls_str text;
    regex self;
    *script = mls_shell_from(*script, script->len < 2 ? script->len : 2);
    const bool plain = strchr("/|,:#@!%_~", mark) != NULL && take_part(script, mark, &rule) && rule.len > 0 &&
                       take_part(script, mark, &text) && !mls_str_contains(text, MLS_S("\\")) &&
                       !mls_str_contains(text, MLS_S("&"));
    const bool global = mls_str_starts(*script, MLS_S("g"));
    *script = mls_shell_from(*script, global);
    if (!plain || (script->len > 0 && strchr("; ", script->ptr[0]) == NULL) ||
        !regex_init(state, &self, rule, PCRE2_CONVERT_POSIX_BASIC)) {
        return SHELL_HOLE;
    }
    size_t behind = 0;
    int found = regex_find(state, &self, line, behind);
    while (found == STATUS_YES) {
        const PCRE2_SIZE *at = pcre2_get_ovector_pointer(self.data);
        mls_buffer_append(&made, (mls_str){line.ptr + behind, at[0] - behind});
        mls_buffer_append(&made, text);
        behind = at[1];
        found = !global ? STATUS_NO : at[0] < at[1] ? regex_find(state, &self, line, behind) : STATUS_UNKNOWN;
    }
    mls_buffer_append(&made, found == STATUS_NO ? mls_shell_from(line, behind) : SHELL_HOLE);
    regex_release(&self);
    while (script->len > 0 && strchr("; ", script->ptr[0]) != NULL) {
        *script = mls_shell_from(*script, 1);
    }
    return mls_shell_keep_buffer(state, &made);
}

mls_str mls_shell_sed(mls_shell_state *state, const mls_shell_fields *scripts, mls_str input)
{
    const bool ended = input.len > 0 && input.ptr[input.len - 1] == '\n';
    mls_str line = {input.ptr, input.len - ended};
    bool known = mls_shell_known(line) && (line.len == 0 || memchr(line.ptr, '\n', line.len) == NULL);
    for (size_t i = 0; i < scripts->count; i++) {
        mls_str script = scripts->items[i];
        known = known && mls_shell_known(script) && !mls_str_contains(script, MLS_S("\n"));
        for (; known && script.len > 0; known = mls_shell_known(line)) {
            line = substitute(state, &script, line);
        }
    }
    return known ? mls_shell_join(state, line, ended ? MLS_S("\n") : MLS_S("")) : SHELL_HOLE;
}
