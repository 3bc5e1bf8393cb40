/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The substitutions that configs make with sed, and =~.  POSIX expressions are
 * translated to PCRE2; what the two read differently (alternation, classes of
 * a locale, back references in a pattern) is unknown instead.
 */
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <string.h>

#include "shell/script.h"

#define REGEX_STEPS_MAX 20000
#define REGEX_HEAP_KIB_MAX 256
#define REGEX_BYTES_MAX 256
#define REGEX_GROUPS_MAX 10

/* A bracket expression at `at`, copied as it is; 0 when it holds more than plain characters and ranges. */
static size_t translate_bracket(mls_str regex, size_t at, mls_buffer *out)
{
    size_t i = at + 1;
    mls_buffer_append_char(out, '[');
    if (i < regex.len && regex.ptr[i] == '^') {
        mls_buffer_append_text(out, "^\\n");
        i++;
    }
    for (bool first = true; i < regex.len; first = false, i++) {
        const char c = regex.ptr[i];
        if (c == ']' && !first) {
            mls_buffer_append_char(out, ']');
            return i + 1 - at;
        }
        if (c == '[') {
            return 0;
        }
        if (c == '\\' || c == ']' || c == '^') {
            mls_buffer_append_char(out, '\\');
        }
        mls_buffer_append_char(out, c);
    }
    return 0;
}

/* What an operator of the other syntax, or an operator as such, becomes; NULL when it is not translated. */
static const char *translate_operator(char c, bool starts)
{
    switch (c) {
    case '(':
        return "(";
    case ')':
        return ")";
    case '+':
        return starts ? NULL : "+";
    case '?':
        return starts ? NULL : "?";
    default:
        return NULL;
    }
}

/* False when the expression has something that is not translated. */
static bool translate_regex(mls_str regex, bool extended, mls_buffer *out)
{
    bool starts = true;
    bool repeatable = true;
    for (size_t i = 0; i < regex.len; i++) {
        char c = regex.ptr[i];
        const bool escaped = c == '\\';
        if (escaped) {
            if (++i == regex.len) {
                return false;
            }
            c = regex.ptr[i];
        }
        const bool active = escaped != extended;
        const bool opens = c == '(' && active;
        const bool repeats = (c == '*' && !escaped) || ((c == '+' || c == '?') && active);
        if (repeats && !repeatable) {
            return false; /* "a*?" is lazy for one of the two, and groups repeat differently */
        }
        repeatable = !repeats && !(c == ')' && active);
        if (strchr("()+?", c) != NULL && active) {
            const char *operation = translate_operator(c, starts);
            if (operation == NULL) {
                return false;
            }
            mls_buffer_append_text(out, operation);
        } else if (strchr("{}|", c) != NULL && active) {
            return false;
        } else if (escaped && ((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                               strchr("<>'`\n", c) != NULL)) {
            return false;
        } else if (!escaped && c == '[') {
            const size_t length = translate_bracket(regex, i, out);
            if (length == 0) {
                return false;
            }
            i += length - 1;
        } else if (!escaped && c == '*') {
            if (starts) {
                return false;
            }
            mls_buffer_append_char(out, c);
        } else if (!escaped &&
                   (c == '.' || (c == '^' && (starts || extended)) || (c == '$' && (i + 1 == regex.len || extended)))) {
            mls_buffer_append_text(out, c == '$' ? "\\z" : c == '^' ? "\\A" : ".");
        } else if (!escaped && (c == '^' || c == '$') && i + 1 < regex.len && regex.ptr[i + 1] != '\0') {
            return false;
        } else {
            if (strchr("\\^$.[]|()*+?{}#-", c) != NULL && c != '\0') {
                mls_buffer_append_char(out, '\\');
            }
            mls_buffer_append_char(out, c);
        }
        starts = opens || (c == '^' && !escaped && starts);
    }
    return !out->failed;
}

static pcre2_code *compile_regex(mls_str regex, bool extended, bool caseless)
{
    if (regex.len == 0 || regex.len > REGEX_BYTES_MAX) {
        return NULL;
    }
    mls_buffer pattern = {0};
    pcre2_code *code = NULL;
    if (translate_regex(regex, extended, &pattern)) {
        int error;
        PCRE2_SIZE where;
        const uint32_t options = PCRE2_DOTALL | PCRE2_NEVER_UTF | (caseless ? PCRE2_CASELESS : 0);
        code = pcre2_compile((PCRE2_SPTR)pattern.ptr, pattern.len, options, &error, &where, NULL);
    }
    mls_buffer_release(&pattern);
    return code;
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

static bool regex_init(regex *self, mls_str text, bool extended, bool caseless)
{
    *self = (regex){.code = compile_regex(text, extended, caseless)};
    if (self->code != NULL) {
        self->data = pcre2_match_data_create(REGEX_GROUPS_MAX, NULL);
        self->limits = pcre2_match_context_create(NULL);
    }
    if (self->data == NULL || self->limits == NULL) {
        regex_release(self);
        return false;
    }
    (void)pcre2_set_match_limit(self->limits, REGEX_STEPS_MAX);
    (void)pcre2_set_heap_limit(self->limits, REGEX_HEAP_KIB_MAX);
    return true;
}

static mls_script_truth regex_find(mls_script *script, const regex *self, mls_str text, size_t from)
{
    if (!mls_script_step(script, text.len - from + 16)) {
        return TRUTH_UNKNOWN;
    }
    const char *subject = text.ptr != NULL ? text.ptr : "";
    const int found = pcre2_match(self->code, (PCRE2_SPTR)subject, text.len, from, 0, self->data, self->limits);
    if (found == PCRE2_ERROR_NOMATCH) {
        return TRUTH_NO;
    }
    return found < 0 ? TRUTH_UNKNOWN : TRUTH_YES;
}

mls_script_truth mls_script_regex_match(mls_script *script, mls_str text_of_regex, mls_str text)
{
    regex self;
    if (!regex_init(&self, text_of_regex, true, false)) {
        return TRUTH_UNKNOWN;
    }
    const mls_script_truth found = regex_find(script, &self, text, 0);
    regex_release(&self);
    return found;
}

/* One s command. */
typedef struct substitution {
    mls_str pattern;
    mls_str replacement;
    bool global;
    bool caseless;
} substitution;

/* The part up to the next delimiter; escaped delimiters stay escaped, which the callers see as literal. */
static bool read_part(mls_str text, size_t *at, char delimiter, mls_str *part)
{
    const size_t begin = *at;
    bool bracket = false;
    while (*at < text.len) {
        const char c = text.ptr[*at];
        if (c == '\\' && *at + 1 < text.len) {
            *at += 2;
            continue;
        }
        if (c == '\n') {
            return false;
        }
        if (c == delimiter) {
            /* sed knows brackets here, and whoever relies on it is rare: such a script is not read. */
            *part = (mls_str){text.ptr + begin, *at - begin};
            (*at)++;
            return !bracket;
        }
        bracket = c == '[' ? true : c == ']' ? false : bracket;
        (*at)++;
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
    /* \| with the delimiter | is a plain bar in the pattern, and an operator with another delimiter. */
    const mls_str pattern = command->pattern;
    for (size_t i = 0; i + 1 < pattern.len; i++) {
        if (pattern.ptr[i] == '\\' && pattern.ptr[i + 1] == delimiter && strchr("|+?(){}.*[]^$", delimiter) != NULL) {
            return false;
        }
        i += pattern.ptr[i] == '\\';
    }
    while (*at < text.len && strchr(" ;\n", text.ptr[*at]) == NULL) {
        const char flag = text.ptr[(*at)++];
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
    const uint32_t groups = pcre2_get_ovector_count(self->data);
    for (size_t i = 0; i < replacement.len; i++) {
        const char c = replacement.ptr[i];
        size_t group = SIZE_MAX;
        if (c == '&') {
            group = 0;
        } else if (c == '\\' && i + 1 < replacement.len) {
            const char next = replacement.ptr[++i];
            if (next >= '0' && next <= '9') {
                group = (size_t)(next - '0');
            } else if ((next >= 'a' && next <= 'z') || (next >= 'A' && next <= 'Z')) {
                return false;
            } else {
                mls_buffer_append_char(out, next);
            }
        } else {
            mls_buffer_append_char(out, c);
        }
        if (group != SIZE_MAX) {
            if (group >= groups) {
                return false;
            }
            if (offsets[2 * group] != PCRE2_UNSET) {
                mls_buffer_append(
                    out, (mls_str){text.ptr + offsets[2 * group], offsets[2 * group + 1] - offsets[2 * group]});
            }
        }
    }
    return true;
}

/* One s command on one line.  False when it cannot be known. */
static bool substitute_line(mls_script *script, const regex *self, const substitution *command, mls_str line,
                            mls_buffer *out)
{
    size_t at = 0;
    for (bool more = true; more;) {
        const mls_script_truth found = regex_find(script, self, line, at);
        if (found == TRUTH_UNKNOWN) {
            return false;
        }
        if (found == TRUTH_NO) {
            break;
        }
        const PCRE2_SIZE *offsets = pcre2_get_ovector_pointer(self->data);
        const size_t begin = offsets[0];
        const size_t end = offsets[1];
        if (begin == end && command->global) {
            return false;
        }
        mls_buffer_append(out, (mls_str){line.ptr + at, begin - at});
        if (!append_replacement(out, command->replacement, line, self)) {
            return false;
        }
        at = end;
        more = command->global && out->len <= SCRIPT_VALUE_BYTES_MAX;
    }
    mls_buffer_append(out, (mls_str){line.ptr + at, line.len - at});
    return !out->failed;
}

static bool substitute_text(mls_script *script, const regex *self, const substitution *command, mls_str text,
                            mls_buffer *out)
{
    size_t at = 0;
    while (at < text.len) {
        const char *newline = memchr(text.ptr + at, '\n', text.len - at);
        const size_t end = newline != NULL ? (size_t)(newline - text.ptr) : text.len;
        if (!substitute_line(script, self, command, (mls_str){text.ptr + at, end - at}, out) ||
            out->len > SCRIPT_VALUE_BYTES_MAX) {
            return false;
        }
        if (newline != NULL) {
            mls_buffer_append_char(out, '\n');
        }
        at = end + 1;
    }
    return true;
}

static mls_script_text apply(mls_script *script, const substitution *command, bool extended, mls_str text)
{
    regex self;
    if (!regex_init(&self, command->pattern, extended, command->caseless)) {
        return mls_script_unknown();
    }
    mls_buffer out = {0};
    const bool known = substitute_text(script, &self, command, text, &out);
    regex_release(&self);
    if (!known) {
        mls_buffer_release(&out);
        return mls_script_unknown();
    }
    return mls_script_keep_buffer(script, &out);
}

/* Each command over the whole text: the same as all commands line by line, as they only substitute inside lines. */
mls_script_text mls_script_sed(mls_script *script, const mls_script_text *scripts, size_t count, bool extended,
                               mls_str input)
{
    mls_script_text text = mls_script_known(input);
    for (size_t i = 0; i < count && text.known; i++) {
        if (!scripts[i].known) {
            return mls_script_unknown();
        }
        for (size_t at = 0; at < scripts[i].bytes.len && text.known;) {
            substitution command;
            if (!read_substitution(scripts[i].bytes, &at, &command)) {
                return mls_script_unknown();
            }
            text = apply(script, &command, extended, text.bytes);
        }
    }
    return text;
}
