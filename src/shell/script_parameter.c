/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "shell/script.h"

/* ${…} cut into what it is made of. */
typedef struct parameter {
    mls_str name;
    mls_str rest; /* the operator and its word, raw */
    bool length;  /* ${#A} */
    bool indirect;
    bool list; /* [@], [*] or an index other than 0 */
} parameter;

typedef struct parameter_value {
    mls_script_presence presence;
    mls_str text;
} parameter_value;

static mls_str from(mls_str text, size_t at)
{
    return (mls_str){text.ptr + at, text.len - at};
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* A name, a position or a special parameter at the start of `text`. */
static size_t parameter_length(mls_str text)
{
    if (text.len == 0) {
        return 0;
    }
    if (is_digit(text.ptr[0])) {
        size_t length = 1;
        while (length < text.len && is_digit(text.ptr[length])) {
            length++;
        }
        return length;
    }
    if (text.ptr[0] != '\0' && strchr("@*#?-$!", text.ptr[0]) != NULL) {
        return 1;
    }
    return mls_script_name_length(text);
}

static parameter_value number_value(mls_script *script, size_t number)
{
    mls_buffer digits = {0};
    mls_buffer_printf(&digits, "%zu", number);
    const mls_script_text text = mls_script_keep_buffer(script, &digits);
    return (parameter_value){text.known ? PRESENCE_SET : PRESENCE_UNKNOWN, text.bytes};
}

/* $?, $#, $1 and the like. */
static parameter_value special_value(mls_script *script, mls_str name)
{
    const char c = name.ptr[0];
    if (c == '?') {
        if (script->status == TRUTH_YES) {
            return number_value(script, 0);
        }
        if (script->status == TRUTH_NO && script->status_code >= 0) {
            return number_value(script, (size_t)script->status_code);
        }
        return (parameter_value){.presence = PRESENCE_UNKNOWN};
    }
    const bool argument = (is_digit(c) && !mls_str_equal(name, MLS_S("0"))) || c == '@' || c == '*' || c == '#';
    if (!argument || script->arguments_unknown) {
        return (parameter_value){.presence = PRESENCE_UNKNOWN};
    }
    return c == '#' ? number_value(script, 0) : (parameter_value){.presence = PRESENCE_UNSET};
}

static parameter_value value_of(mls_script *script, const parameter *self)
{
    parameter_value value = {.presence = PRESENCE_UNKNOWN};
    if (self->list) {
        return value;
    }
    if (mls_script_name_length(self->name) == 0) {
        return special_value(script, self->name);
    }
    value.presence = mls_script_variable_get(script, self->name, &value.text);
    return value;
}

static mls_script_text value_text(parameter_value value)
{
    return value.presence == PRESENCE_UNKNOWN ? mls_script_unknown() : mls_script_known(value.text);
}

static bool read_parameter(mls_str inner, parameter *self)
{
    *self = (parameter){0};
    if (inner.len > 1 && inner.ptr[0] == '#' && parameter_length(from(inner, 1)) > 0) {
        self->length = true;
        inner = from(inner, 1);
    } else if (inner.len > 1 && inner.ptr[0] == '!') {
        self->indirect = true;
        inner = from(inner, 1);
    }
    const size_t length = parameter_length(inner);
    self->name = (mls_str){inner.ptr, length};
    self->rest = from(inner, length);
    if (length > 0 && self->rest.len > 0 && self->rest.ptr[0] == '[') {
        const char *close = memchr(self->rest.ptr, ']', self->rest.len);
        if (close == NULL) {
            return false;
        }
        const size_t end = (size_t)(close - self->rest.ptr);
        self->list = !mls_str_equal((mls_str){self->rest.ptr, end}, MLS_S("[0"));
        self->rest = from(self->rest, end + 1);
    }
    return length > 0 && !(self->length && self->rest.len > 0);
}

static mls_script_text bad_substitution(mls_script *script, mls_str inner, const char *problem)
{
    mls_script_find(script, MLS_FINDING_CONFIG_SYNTAX, "${%.*s}: %s", (int)(inner.len < 60 ? inner.len : 60), inner.ptr,
                    problem);
    if (script->taint == 0) {
        script->flow = FLOW_DISCARD;
    }
    return mls_script_unknown();
}

/* A default's word.  Inside quotes it is quoted text, outside it is a word of its own. */
static mls_script_text expand_word(mls_script *script, mls_str word, mls_script_quoting quoting, bool in_quotes)
{
    if (!in_quotes) {
        return mls_script_expand_text(script, word, quoting);
    }
    /* "${A:-"b c"}": quotes inside quotes do nothing but go away. */
    mls_buffer flat = {0};
    for (size_t at = 0; at < word.len;) {
        const size_t next = word.ptr[at] == '"' ? at + 1 : mls_script_skip(word, at, true, 0);
        const size_t end = next == SCRIPT_SKIP_FAILED || next > word.len ? word.len : next;
        if (word.ptr[at] == '\\' && at + 1 < word.len && word.ptr[at + 1] == '}') {
            mls_buffer_append_char(&flat, '}');
        } else if (word.ptr[at] != '"') {
            mls_buffer_append(&flat, (mls_str){word.ptr + at, end - at});
        }
        at = end;
    }
    const mls_script_text kept = mls_script_keep_buffer(script, &flat);
    return kept.known ? mls_script_expand_quoted(script, kept.bytes) : kept;
}

/* The word is looked at only for what it does (:= inside it), or not at all. */
static mls_script_text expand_doubtful(mls_script *script, mls_str word, mls_script_quoting quoting, bool in_quotes)
{
    script->taint++;
    (void)expand_word(script, word, quoting, in_quotes);
    script->taint--;
    return mls_script_unknown();
}

static mls_script_text assign_default(mls_script *script, const parameter *self, mls_script_text value)
{
    if (mls_script_name_length(self->name) == 0 || self->list) {
        return bad_substitution(script, self->name, "cannot assign in this way");
    }
    if (!mls_script_variable_set(script, self->name, value)) {
        return bad_substitution(script, self->name, "readonly variable");
    }
    return value;
}

/* ${A:-B} and its relatives, with `colon` also where A is empty. */
static mls_script_text expand_default(mls_script *script, const parameter *self, parameter_value value, char operation,
                                      bool colon, mls_str word, mls_script_quoting quoting, bool in_quotes)
{
    if (value.presence == PRESENCE_UNKNOWN) {
        if (operation == '=' && !self->list && mls_script_name_length(self->name) > 0) {
            (void)expand_doubtful(script, word, quoting, in_quotes);
            (void)mls_script_variable_set(script, self->name, mls_script_unknown());
            return mls_script_unknown();
        }
        return expand_doubtful(script, word, quoting, in_quotes);
    }
    if (operation == '=' && script->repeat > 0 && mls_script_name_length(self->name) > 0) {
        (void)mls_script_variable_set(script, self->name, mls_script_unknown());
    }
    const bool there = value.presence == PRESENCE_SET && !(colon && value.text.len == 0);
    switch (operation) {
    case '+':
        return there ? expand_word(script, word, quoting, in_quotes) : mls_script_known(MLS_S(""));
    case '-':
        return there ? value_text(value) : expand_word(script, word, quoting, in_quotes);
    case '=':
        return there ? value_text(value)
                     : assign_default(script, self, expand_word(script, word, QUOTING_TEXT, in_quotes));
    default:
        if (there) {
            return value_text(value);
        }
        mls_script_find(script, MLS_FINDING_CONFIG_SYNTAX, "%.*s is not set, and the script ends if it is not",
                        (int)self->name.len, self->name.ptr);
        if (script->taint == 0) {
            script->flow = FLOW_EXIT;
        }
        return mls_script_unknown();
    }
}

/* Where the second number of ${A:1:2} starts; `?:` and brackets belong to the first. */
static size_t find_colon(mls_str text)
{
    size_t questions = 0;
    for (size_t at = 0; at < text.len;) {
        const char c = text.ptr[at];
        if (c == '?') {
            questions++;
        } else if (c == ':' && questions == 0) {
            return at;
        } else if (c == ':') {
            questions--;
        }
        const size_t next = c == '(' ? mls_script_skip_parentheses(text, at, 0) : mls_script_skip(text, at, true, 0);
        at = next == SCRIPT_SKIP_FAILED ? text.len : next;
    }
    return SIZE_MAX;
}

static bool expand_number(mls_script *script, mls_str raw, mls_script_number *number)
{
    const mls_script_text text = mls_script_expand_quoted(script, raw);
    if (!text.known) {
        *number = (mls_script_number){0, false};
        return true;
    }
    if (!mls_script_arithmetic(script, text.bytes, number)) {
        script->flow = script->flow == FLOW_GO ? FLOW_DISCARD : script->flow;
        return false;
    }
    return true;
}

/* Lengths count bytes here and characters in bash. */
static bool is_ascii(mls_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        if ((unsigned char)text.ptr[i] >= 0x80) {
            return false;
        }
    }
    return true;
}

static mls_script_text expand_slice(mls_script *script, mls_script_text value, mls_str numbers)
{
    const size_t colon = find_colon(numbers);
    const mls_str first = {numbers.ptr, colon == SIZE_MAX ? numbers.len : colon};
    mls_script_number offset;
    mls_script_number length = {0, true};
    if (!expand_number(script, first, &offset) ||
        (colon != SIZE_MAX && !expand_number(script, from(numbers, colon + 1), &length))) {
        return mls_script_unknown();
    }
    if (!value.known || !offset.known || !length.known || !is_ascii(value.bytes)) {
        return mls_script_unknown();
    }
    const int64_t size = (int64_t)value.bytes.len;
    int64_t begin = offset.value;
    if (begin < 0) {
        begin = begin < -size ? -1 : begin + size;
    }
    if (begin < 0 || begin > size) {
        return mls_script_known(MLS_S(""));
    }
    int64_t end = size;
    if (colon != SIZE_MAX) {
        end = length.value >= 0 ? (length.value > size - begin ? size : begin + length.value)
                                : (length.value < -size ? -1 : size + length.value);
        if (end < begin) {
            return bad_substitution(script, numbers, "substring expression < 0");
        }
    }
    return mls_script_known((mls_str){value.bytes.ptr + begin, (size_t)(end - begin)});
}

static mls_script_text expand_strip(mls_script *script, mls_script_text value, mls_str rest)
{
    const bool longest = rest.len > 1 && rest.ptr[1] == rest.ptr[0];
    const mls_script_text pattern = mls_script_expand_text(script, from(rest, longest ? 2 : 1), QUOTING_PATTERN);
    if (!value.known || !pattern.known) {
        return mls_script_unknown();
    }
    return mls_script_pattern_strip(script, value.bytes, pattern.bytes, rest.ptr[0] == '%', longest);
}

static mls_script_text expand_replace(mls_script *script, mls_script_text value, mls_str rest)
{
    char where = '\0';
    size_t at = 1;
    if (rest.len > 1 && (rest.ptr[1] == '/' || rest.ptr[1] == '#' || rest.ptr[1] == '%')) {
        where = rest.ptr[1];
        at = 2;
    }
    size_t end = at;
    while (end < rest.len && rest.ptr[end] != '/') {
        const size_t next = mls_script_skip(rest, end, false, 0);
        end = next == SCRIPT_SKIP_FAILED || next > rest.len ? rest.len : next;
    }
    const mls_script_text pattern = mls_script_expand_text(script, (mls_str){rest.ptr + at, end - at}, QUOTING_PATTERN);
    const mls_str word = end < rest.len ? from(rest, end + 1) : MLS_S("");
    const mls_script_text replacement = mls_script_expand_text(script, word, QUOTING_TEXT);
    /* A plain & stands for the match in new versions of bash, for itself in old ones. */
    const bool ampersand = word.len > 0 && memchr(word.ptr, '&', word.len) != NULL;
    const bool from_value = replacement.known && replacement.bytes.len > 0 &&
                            memchr(replacement.bytes.ptr, '&', replacement.bytes.len) != NULL;
    if (!value.known || !pattern.known || !replacement.known || ampersand || from_value) {
        return mls_script_unknown();
    }
    return mls_script_pattern_replace(script, value.bytes, pattern.bytes, replacement.bytes, where);
}

static char change_case(char c, bool upper)
{
    if (upper) {
        return c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c;
    }
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static mls_script_text expand_case(mls_script *script, mls_script_text value, mls_str rest)
{
    const char operation = rest.ptr[0];
    const bool all = rest.len > 1 && rest.ptr[1] == operation;
    if (rest.len > (all ? 2 : 1) || !value.known || !is_ascii(value.bytes)) {
        return mls_script_unknown();
    }
    mls_buffer made = {0};
    for (size_t i = 0; i < value.bytes.len; i++) {
        const char c = value.bytes.ptr[i];
        mls_buffer_append_char(&made, all || i == 0 ? change_case(c, operation == '^') : c);
    }
    return mls_script_keep_buffer(script, &made);
}

static mls_script_text expand_operator(mls_script *script, const parameter *self, parameter_value value,
                                       mls_script_quoting quoting, bool in_quotes, mls_str inner)
{
    const mls_str rest = self->rest;
    const mls_script_text text = value_text(value);
    if (rest.len == 0) {
        return text;
    }
    const bool colon = rest.ptr[0] == ':';
    const char operation = colon ? (rest.len > 1 ? rest.ptr[1] : '\0') : rest.ptr[0];
    if (operation != '\0' && strchr("-=+?", operation) != NULL) {
        return expand_default(script, self, value, operation, colon, from(rest, colon ? 2 : 1), quoting, in_quotes);
    }
    switch (rest.ptr[0]) {
    case ':':
        if (value.presence == PRESENCE_UNSET) {
            return text;
        }
        return expand_slice(script, text, from(rest, 1));
    case '#':
    case '%':
        return expand_strip(script, text, rest);
    case '/': {
        const mls_script_text replaced = expand_replace(script, text, rest);
        return value.presence == PRESENCE_UNSET ? text : replaced;
    }
    case '^':
    case ',':
        return expand_case(script, text, rest);
    case '@':
        return mls_script_unknown();
    default:
        return bad_substitution(script, inner, "bad substitution");
    }
}

static mls_script_text expand_braces(mls_script *script, mls_str inner, mls_script_quoting quoting, bool in_quotes)
{
    parameter self;
    if (!read_parameter(inner, &self)) {
        return bad_substitution(script, inner, "bad substitution");
    }
    parameter_value value = value_of(script, &self);
    if (self.length) {
        if (value.presence == PRESENCE_UNKNOWN || !is_ascii(value.text) || self.name.ptr[0] == '@' ||
            self.name.ptr[0] == '*') {
            return mls_script_unknown();
        }
        value = number_value(script, value.text.len);
        return value_text(value);
    }
    if (self.indirect) {
        const bool valid = value.text.len > 0 && parameter_length(value.text) == value.text.len;
        if (value.presence != PRESENCE_SET || self.rest.len == 1 || !valid) {
            return value.presence == PRESENCE_UNKNOWN || self.rest.len == 1
                       ? mls_script_unknown()
                       : bad_substitution(script, inner, "invalid indirect expansion");
        }
        self.name = value.text;
        value = value_of(script, &self);
    }
    return expand_operator(script, &self, value, quoting, in_quotes, inner);
}

/* Whether "( … )" from `at` on spans exactly to `end`: $(( … )), and not $( ( … ) … ). */
static bool is_arithmetic(mls_str raw, size_t at, size_t end)
{
    return raw.ptr[at] == '(' && end >= at + 3 && raw.ptr[end - 2] == ')' &&
           mls_script_skip_parentheses(raw, at, 0) == end - 1;
}

static mls_script_text expand_arithmetic(mls_script *script, mls_str expression)
{
    mls_script_number number;
    if (!expand_number(script, expression, &number)) {
        return mls_script_unknown();
    }
    if (!number.known) {
        return mls_script_unknown();
    }
    mls_buffer digits = {0};
    mls_buffer_printf(&digits, "%lld", (long long)number.value);
    return mls_script_keep_buffer(script, &digits);
}

mls_script_text mls_script_substitute(mls_script *script, mls_str commands)
{
    if (script->nesting >= SCRIPT_NESTING_MAX) {
        mls_script_limit(script, "nesting of commands");
        return mls_script_unknown();
    }
    mls_script_output output = {.known = true, .taint = script->taint};
    mls_script_subshell saved;
    mls_script_subshell_begin(script, &saved, &output, NULL);
    mls_script_set_status(script, TRUTH_YES);
    mls_script_run_text(script, commands, saved.line, false);
    mls_script_subshell_end(script, &saved);
    script->substituted = true;
    while (output.text.len > 0 && output.text.ptr[output.text.len - 1] == '\n') {
        output.text.len--;
    }
    if (!output.known) {
        mls_buffer_release(&output.text);
        return mls_script_unknown();
    }
    return mls_script_keep_buffer(script, &output.text);
}

/* The length of $( … ) or ${ … } whose bracket stands at `at`; the rest of the text when it has no end. */
static size_t bracket_end(mls_str raw, size_t at)
{
    const size_t end =
        raw.ptr[at] == '(' ? mls_script_skip_parentheses(raw, at, 0) : mls_script_skip_braces(raw, at, 0);
    return end == SCRIPT_SKIP_FAILED ? 0 : end;
}

mls_script_expansion mls_script_expand_dollar(mls_script *script, mls_str raw, size_t at, mls_script_quoting quoting,
                                              bool in_quotes)
{
    mls_script_expansion expansion = {.length = 1, .text = mls_script_known(MLS_S("$")), .quoted_like = true};
    const mls_str rest = from(raw, at + 1);
    const char next = rest.len > 0 ? rest.ptr[0] : '\0';
    if (next == '(' || next == '{') {
        const size_t end = bracket_end(raw, at + 1);
        if (end == 0) {
            return (mls_script_expansion){.length = raw.len - at, .text = mls_script_unknown()};
        }
        const mls_str inner = {raw.ptr + at + 2, end - at - 3};
        expansion.length = end - at;
        expansion.quoted_like = false;
        if (next == '{') {
            expansion.text = expand_braces(script, inner, quoting, in_quotes);
        } else if (is_arithmetic(raw, at + 2, end)) {
            expansion.text = expand_arithmetic(script, (mls_str){inner.ptr + 1, inner.len - 2});
        } else {
            expansion.text = mls_script_substitute(script, inner);
        }
        return expansion;
    }
    if (next == '[') {
        const char *close = memchr(rest.ptr, ']', rest.len);
        const size_t end = close != NULL ? (size_t)(close - rest.ptr) : rest.len;
        return (mls_script_expansion){.length = end + (close != NULL ? 2 : 1), .text = mls_script_unknown()};
    }
    const size_t length = next != '\0' && is_digit(next) ? 1 : parameter_length(rest);
    if (length > 0) {
        const parameter self = {.name = {rest.ptr, length}};
        expansion.text = value_text(value_of(script, &self));
        expansion.length = length + 1;
        expansion.quoted_like = false;
    }
    return expansion;
}
