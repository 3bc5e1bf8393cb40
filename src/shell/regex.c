/* SPDX-License-Identifier: Apache-2.0 */
/*
 * regex.c - shell patterns, =~, and the substitutions that configs make with
 * sed.  All three syntaxes are translated to PCRE2; what is read differently
 * there (alternation, repeated groups, back references) is unknown instead.
 */
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <string.h>

#include "shell/expand.h"

#define REGEX_STEPS_MAX 20000
#define REGEX_HEAP_KIB_MAX 256
#define REGEX_BYTES_MAX 256
#define REGEX_GROUPS_MAX 10

typedef enum syntax { SYNTAX_BASIC, SYNTAX_EXTENDED, SYNTAX_PATTERN } syntax;

/* A bracket expression at `at`; its length, 0 when it holds more than plain characters, ranges and classes. */
static size_t translate_bracket(mls_str text, size_t at, syntax kind, mls_buffer *out)
{
    size_t i = at + 1;
    mls_buffer_append_char(out, '[');
    if (i < text.len && (text.ptr[i] == '^' || (text.ptr[i] == '!' && kind == SYNTAX_PATTERN))) {
        mls_buffer_append_text(out, kind == SYNTAX_PATTERN ? "^" : "^\\n");
        i++;
    }
    for (bool first = true; i < text.len; first = false, i++) {
        char c = text.ptr[i];
        if (c == ']' && !first) {
            mls_buffer_append_char(out, ']');
            return i + 1 - at;
        }
        if (c == '[') { /* [:digit:] */
            const char *end = i + 2 < text.len ? memchr(text.ptr + i + 2, ':', text.len - i - 2) : NULL;
            const size_t close = end != NULL ? (size_t)(end - text.ptr) + 1 : text.len;
            if (close >= text.len || text.ptr[close] != ']' || text.ptr[i + 1] != ':' || text.ptr[i + 2] == '^') {
                return 0;
            }
            mls_buffer_append(out, (mls_str){text.ptr + i, close + 1 - i});
            i = close;
            continue;
        }
        const bool escapes = c == '\\' && kind == SYNTAX_PATTERN && i + 1 < text.len;
        c = escapes ? text.ptr[++i] : c;
        if (strchr("\\]^", c) != NULL || (escapes && c == '-')) {
            mls_buffer_append_char(out, '\\');
        }
        mls_buffer_append_char(out, c);
    }
    return 0;
}

static void append_literal(mls_buffer *out, char c)
{
    if (strchr("\\^$.[]|()*+?{}#-", c) != NULL) {
        mls_buffer_append_char(out, '\\');
    }
    mls_buffer_append_char(out, c);
}

/* A shell pattern; stars take as much as they can, or, lazy, as little. */
static bool translate_pattern(mls_str text, bool lazy, mls_buffer *out)
{
    for (size_t i = 0; i < text.len; i++) {
        const char c = text.ptr[i];
        if (c == '*') {
            mls_buffer_append_text(out, lazy ? ".*?" : ".*");
        } else if (c == '?') {
            mls_buffer_append_char(out, '.');
        } else if (c == '[' && memchr(text.ptr + i, ']', text.len - i) != NULL) {
            const size_t length = translate_bracket(text, i, SYNTAX_PATTERN, out);
            if (length == 0) {
                return false;
            }
            i += length - 1;
        } else {
            i += c == '\\' && i + 1 < text.len;
            append_literal(out, text.ptr[i]);
        }
    }
    return true;
}

/* False when the expression has something that is not translated. */
static bool translate_regex(mls_str text, syntax kind, mls_buffer *out)
{
    bool starts = true;      /* nothing stands before this place to be repeated */
    bool repeatable = false; /* "a*?" is lazy for one of the two, and groups repeat differently */
    for (size_t i = 0; i < text.len; i++) {
        const bool escaped = text.ptr[i] == '\\';
        i += escaped;
        if (i == text.len) {
            return false;
        }
        const char c = text.ptr[i];
        const bool active = strchr("()+?{}|", c) != NULL && escaped == (kind == SYNTAX_BASIC);
        const bool plain = !escaped && !active;
        const bool end = i + 1 == text.len;
        if ((active && (c == '+' || c == '?')) || (plain && c == '*')) {
            if (!repeatable) {
                return false;
            }
            mls_buffer_append_char(out, c);
            repeatable = false;
        } else if (active && (c == '(' || c == ')')) {
            mls_buffer_append_char(out, c);
            starts = c == '(';
            repeatable = false;
            continue;
        } else if (active || (escaped && strchr("().[]*+?{}|^$/\\&-,:;#%@!_=~\" ", c) == NULL)) {
            return false;
        } else if (plain && c == '[') {
            const size_t length = translate_bracket(text, i, kind, out);
            if (length == 0) {
                return false;
            }
            i += length - 1;
            repeatable = true;
        } else if (plain && c == '^' && (starts || kind == SYNTAX_EXTENDED)) {
            mls_buffer_append_text(out, "\\A");
            repeatable = false;
            continue;
        } else if (plain && c == '$' && (end || kind == SYNTAX_EXTENDED)) {
            mls_buffer_append_text(out, "\\z");
            repeatable = false;
        } else if (plain && (c == '^' || c == '$')) {
            return false;
        } else if (plain && c == '.') {
            mls_buffer_append_char(out, c);
            repeatable = true;
        } else {
            append_literal(out, c);
            repeatable = true;
        }
        starts = false;
    }
    return true;
}

typedef struct regex {
    pcre2_code *code;
    pcre2_match_data *data;
    pcre2_match_context *limits;
} regex;

static void regex_release(regex *self)
{
    pcre2_match_context_free(self->limits);
    pcre2_match_data_free(self->data);
    pcre2_code_free(self->code);
}

/* A pattern of PCRE2; false when it is none.  Memory that is not there ends the reading. */
static bool regex_init(mls_shell_state *state, regex *self, const mls_buffer *pattern, bool caseless)
{
    int error;
    PCRE2_SIZE where;
    *self = (regex){0};
    if (pattern->failed) {
        mls_shell_no_memory(state);
        return false;
    }
    const uint32_t options = PCRE2_DOTALL | PCRE2_NEVER_UTF | (caseless ? PCRE2_CASELESS : 0);
    self->code = pcre2_compile((PCRE2_SPTR)pattern->ptr, pattern->len, options, &error, &where, NULL);
    if (self->code == NULL) {
        if (error == PCRE2_ERROR_HEAP_FAILED) {
            mls_shell_no_memory(state);
        }
        return false;
    }
    self->data = pcre2_match_data_create(REGEX_GROUPS_MAX, NULL);
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

static int regex_find(mls_shell_state *state, const regex *self, mls_str text, size_t from)
{
    if (!mls_shell_step(state, text.len - from + 16)) {
        return STATUS_UNKNOWN;
    }
    const char *subject = text.ptr != NULL ? text.ptr : "";
    const int found = pcre2_match(self->code, (PCRE2_SPTR)subject, text.len, from, 0, self->data, self->limits);
    if (found == PCRE2_ERROR_NOMEMORY) {
        mls_shell_no_memory(state);
    }
    return found == PCRE2_ERROR_NOMATCH ? STATUS_NO : found < 0 ? STATUS_UNKNOWN : STATUS_YES;
}

/* Compiles what stands between `before` and `after`; false when that cannot be translated. */
static bool compile(mls_shell_state *state, regex *self, mls_str text, syntax kind, const char *before,
                    const char *after, bool option)
{
    mls_buffer pattern = {0};
    mls_buffer_append_text(&pattern, before);
    const bool read = text.len <= REGEX_BYTES_MAX && mls_shell_known(text) &&
                      (kind == SYNTAX_PATTERN ? translate_pattern(text, option, &pattern)
                                              : text.len > 0 && translate_regex(text, kind, &pattern));
    mls_buffer_append_text(&pattern, after);
    const bool done = read && regex_init(state, self, &pattern, option && kind != SYNTAX_PATTERN);
    mls_buffer_release(&pattern);
    return done;
}

static int match(mls_shell_state *state, mls_str text, mls_str rule, syntax kind)
{
    regex self;
    const bool whole = kind == SYNTAX_PATTERN;
    if (!mls_shell_known(text) || !compile(state, &self, rule, kind, whole ? "\\A" : "", whole ? "\\z" : "", false)) {
        return STATUS_UNKNOWN;
    }
    const int found = regex_find(state, &self, text, 0);
    regex_release(&self);
    return found;
}

int mls_shell_pattern_match(mls_shell_state *state, mls_str pattern, mls_str text)
{
    return match(state, text, pattern, SYNTAX_PATTERN);
}

int mls_shell_regex_match(mls_shell_state *state, mls_str rule, mls_str text)
{
    return match(state, text, rule, SYNTAX_EXTENDED);
}

mls_str mls_shell_pattern_strip(mls_shell_state *state, mls_str text, mls_str pattern, bool from_end, bool longest)
{
    regex self;
    const char *before = !from_end ? "\\A" : longest ? "\\A(.*?)" : "\\A(.*)";
    if (!mls_shell_known(text) ||
        !compile(state, &self, pattern, SYNTAX_PATTERN, before, from_end ? "\\z" : "(.*)\\z", !longest)) {
        return SHELL_HOLE;
    }
    const int found = regex_find(state, &self, text, 0);
    mls_str left = found == STATUS_UNKNOWN ? SHELL_HOLE : text;
    if (found == STATUS_YES) {
        const PCRE2_SIZE *offsets = pcre2_get_ovector_pointer(self.data);
        left = (mls_str){text.ptr + offsets[2], offsets[3] - offsets[2]};
    }
    regex_release(&self);
    return left;
}

/* One s command. */
typedef struct substitution {
    mls_str pattern;
    mls_str replacement;
    bool global;
    bool caseless;
} substitution;

/* The part up to the next delimiter.  False where an escaped one would have to be told from an operator. */
static bool read_part(mls_str text, size_t *at, char delimiter, mls_str *part)
{
    const size_t begin = *at;
    bool bracket = false; /* sed knows them here, and whoever relies on it is rare */
    for (; *at < text.len && text.ptr[*at] != '\n'; (*at)++) {
        const char c = text.ptr[*at];
        if (c == delimiter) {
            *part = (mls_str){text.ptr + begin, (*at)++ - begin};
            return !bracket;
        }
        if (c == '\\' && *at + 1 < text.len) {
            (*at)++;
            if (text.ptr[*at] == delimiter && strchr("|+?(){}.*[]^$", delimiter) != NULL) {
                return false;
            }
        }
        bracket = c == '[' ? true : c == ']' ? false : bracket;
    }
    return false;
}

/* Reads "s/a/b/g" at *at and what separates it from the next one. */
static bool read_substitution(mls_str text, size_t *at, substitution *command)
{
    *command = (substitution){0};
    if (*at + 1 >= text.len || text.ptr[*at] != 's') {
        return false;
    }
    const char delimiter = text.ptr[*at + 1];
    *at += 2;
    if (delimiter == '\\' || delimiter == '\n' || !read_part(text, at, delimiter, &command->pattern) ||
        !read_part(text, at, delimiter, &command->replacement)) {
        return false;
    }
    for (; *at < text.len && strchr(" ;\n", text.ptr[*at]) == NULL; (*at)++) {
        const char flag = text.ptr[*at];
        command->global = command->global || flag == 'g';
        command->caseless = command->caseless || flag == 'I' || flag == 'i';
        if (strchr("gIi", flag) == NULL) {
            return false;
        }
    }
    while (*at < text.len && strchr(" ;\n", text.ptr[*at]) != NULL) {
        (*at)++;
    }
    return true;
}

/* Appends the replacement for the match in `data`; false for escapes that are not known. */
static bool append_replacement(mls_buffer *out, mls_str replacement, mls_str text, const regex *self)
{
    const PCRE2_SIZE *offsets = pcre2_get_ovector_pointer(self->data);
    for (size_t i = 0; i < replacement.len; i++) {
        const bool escaped = replacement.ptr[i] == '\\' && i + 1 < replacement.len;
        const char c = replacement.ptr[i += escaped];
        const bool digit = escaped && c >= '0' && c <= '9';
        const size_t group = digit ? (size_t)(c - '0') : 0;
        if (escaped && ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '\n')) {
            return false;
        }
        if (!digit && (escaped || c != '&')) {
            mls_buffer_append_char(out, c);
        } else if (offsets[2 * group] != PCRE2_UNSET) {
            const PCRE2_SIZE begin = offsets[2 * group];
            mls_buffer_append(out, (mls_str){text.ptr + begin, offsets[2 * group + 1] - begin});
        }
    }
    return true;
}

/* One s command on one line.  False when it cannot be known. */
static bool substitute_line(mls_shell_state *state, const regex *self, const substitution *command, mls_str line,
                            mls_buffer *out)
{
    size_t at = 0;
    int found;
    while ((found = regex_find(state, self, line, at)) == STATUS_YES && out->len <= SHELL_VALUE_BYTES_MAX) {
        const PCRE2_SIZE begin = pcre2_get_ovector_pointer(self->data)[0];
        const PCRE2_SIZE end = pcre2_get_ovector_pointer(self->data)[1];
        mls_buffer_append(out, (mls_str){line.ptr + at, begin - at});
        if ((begin == end && command->global) || !append_replacement(out, command->replacement, line, self)) {
            return false;
        }
        at = end;
        if (!command->global) {
            break;
        }
    }
    mls_buffer_append(out, (mls_str){line.ptr + at, line.len - at});
    return found != STATUS_UNKNOWN;
}

static mls_str apply(mls_shell_state *state, const substitution *command, bool extended, mls_str text)
{
    regex self;
    if (!compile(state, &self, command->pattern, extended ? SYNTAX_EXTENDED : SYNTAX_BASIC, "", "",
                 command->caseless)) {
        return SHELL_HOLE;
    }
    mls_buffer out = {0};
    bool known = true;
    for (size_t at = 0, end; known && at < text.len; at = end + 1) {
        const char *newline = memchr(text.ptr + at, '\n', text.len - at);
        end = newline != NULL ? (size_t)(newline - text.ptr) : text.len;
        known = substitute_line(state, &self, command, (mls_str){text.ptr + at, end - at}, &out) &&
                out.len <= SHELL_VALUE_BYTES_MAX;
        mls_buffer_append(&out, newline != NULL ? MLS_S("\n") : MLS_S(""));
    }
    regex_release(&self);
    const mls_str made = mls_shell_keep_buffer(state, &out);
    return known ? made : SHELL_HOLE;
}

/* Each command over the whole text: the same as all commands line by line, as they only substitute inside lines. */
mls_str mls_shell_sed(mls_shell_state *state, const mls_shell_fields *scripts, bool extended, mls_str input)
{
    mls_str text = input;
    for (size_t i = 0; i < scripts->count; i++) {
        const mls_str script = scripts->items[i];
        substitution command;
        for (size_t at = 0; at < script.len && mls_shell_known(text);) {
            text = mls_shell_known(script) && read_substitution(script, &at, &command)
                       ? apply(state, &command, extended, text)
                       : SHELL_HOLE;
        }
    }
    return text;
}
