/* SPDX-License-Identifier: Apache-2.0 */
/*
 * expand.c - words: quotes, $A, ${…}, $(…), $((…)), and the fields they
 * become.  ${A/b/c} and ${!A}, which no config uses, are holes.
 */
#include "shell/expand.h"

#include <string.h>

#include "base/utf8.h"

/* A word on its way from raw text to a text or to fields. */
typedef struct builder {
    mls_shell_state *state;
    mls_shell_quoting quoting;
    mls_shell_fields *fields; /* NULL: one text, no splitting */
    mls_buffer text;
    size_t bracket;     /* the place behind an unquoted '[' in the current field; 0: none */
    bool started;       /* the current field exists even if it is empty */
    bool hole_unquoted; /* it holds a hole that may be several words, or none */
    bool in_braces;     /* of "${A:-…}": "\}" is a brace */
} builder;

static void build(builder *self, mls_str raw, bool in_quotes);

static mls_str from(mls_str text, size_t at)
{
    return (mls_str){text.ptr + at, text.len - at};
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static void put(builder *self, mls_str bytes)
{
    self->started = true;
    if (self->text.len + bytes.len > SHELL_VALUE_BYTES_MAX) {
        mls_shell_limit(self->state, "length of a value");
        return;
    }
    mls_buffer_append(&self->text, bytes);
}

static void put_quoted(builder *self, mls_str bytes)
{
    if (self->quoting == QUOTING_TEXT) {
        put(self, bytes);
        return;
    }
    const char *special = self->quoting == QUOTING_PATTERN ? "*?[]\\!^-" : "*?[]\\^$.+(){}|";
    for (size_t i = 0; i < bytes.len && mls_shell_goes(self->state); i++) {
        const bool escape = bytes.ptr[i] != '\0' && strchr(special, bytes.ptr[i]) != NULL;
        put(self, escape ? MLS_S("\\") : MLS_S(""));
        put(self, (mls_str){bytes.ptr + i, 1});
    }
}

static void end_field(builder *self)
{
    if (self->started) {
        const mls_str text = mls_buffer_str(&self->text);
        self->fields->unknown = self->fields->unknown || (self->hole_unquoted && mls_str_equal(text, SHELL_HOLE));
        mls_shell_fields_add(self->state, self->fields, mls_shell_keep(self->state, text));
    }
    if (self->text.failed) {
        mls_shell_no_memory(self->state);
    }
    mls_buffer_clear(&self->text);
    self->started = self->hole_unquoted = false;
    self->bracket = 0;
}

/* A byte outside quotes: * ? and […] stand for whatever files there are, @(…) for more than is looked into. */
static void put_bare(builder *self, char c)
{
    const bool files = self->fields != NULL && (c == '*' || c == '?');
    if (self->fields != NULL && c == ']' && self->bracket > 0) {
        self->text.len = self->bracket - 1;
        self->bracket = 0;
        put(self, SHELL_HOLE);
    } else if (files || (c == '(' && self->quoting != QUOTING_REGEX)) {
        put(self, SHELL_HOLE);
    } else {
        put(self, (mls_str){&c, 1});
        self->bracket = c == '[' && self->bracket == 0 ? self->text.len : self->bracket;
    }
}

/* What came out of an expansion: outside quotes it is split, and a pattern. */
static void put_expansion(builder *self, mls_str text, bool in_quotes)
{
    if (in_quotes) {
        self->started = true;
        put_quoted(self, text);
        return;
    }
    if (self->fields == NULL) {
        put(self, text);
        return;
    }
    if (text.len > 0 && self->state->frame->separators_changed) {
        text = SHELL_HOLE;
    }
    for (size_t i = 0; i < text.len && mls_shell_goes(self->state); i++) {
        if (strchr(" \t\n", text.ptr[i]) != NULL && text.ptr[i] != '\0') {
            end_field(self);
        } else {
            put_bare(self, text.ptr[i]);
            self->hole_unquoted = self->hole_unquoted || text.ptr[i] == '\0';
        }
    }
}

/* $'…': `at` is behind the first quote; returns the place behind the last. */
static size_t put_ansi(builder *self, mls_str raw, size_t at)
{
    static const char letters[] = "abefnrtv\\'\"?E";
    static const char meanings[] = "\a\b\033\f\n\r\t\v\\'\"?\033";
    self->started = true;
    while (at < raw.len && raw.ptr[at] != '\'') {
        char c = raw.ptr[at++];
        if (c == '\\' && at < raw.len) {
            c = raw.ptr[at++];
            const char *letter = strchr(letters, c);
            const unsigned base = c == 'x' ? 16 : 8;
            unsigned value = 0;
            at -= c >= '0' && c <= '7';
            for (size_t digits = base == 16 ? 2 : 3; digits > 0 && at < raw.len; digits--, at++) {
                const char *digit = strchr("0123456789abcdef0123456789ABCDEF", raw.ptr[at]);
                const unsigned place = digit != NULL ? (unsigned)(digit - "0123456789abcdef0123456789ABCDEF") % 16 : 16;
                if (place >= base || (c != 'x' && (c < '0' || c > '7'))) {
                    break;
                }
                value = value * base + place;
            }
            /* What else there is depends on the locale, or ends the text: 0 is a hole. */
            c = letter != NULL ? meanings[letter - letters] : (char)(unsigned char)(value & 0xff);
        }
        put_quoted(self, (mls_str){&c, 1});
    }
    return at < raw.len ? at + 1 : at;
}

static mls_str expand(mls_shell_state *state, mls_str raw, mls_shell_quoting quoting, bool in_quotes, bool in_braces)
{
    builder self = {.state = state, .quoting = quoting, .in_braces = in_braces};
    build(&self, raw, in_quotes);
    const mls_str text = mls_shell_keep_buffer(state, &self.text);
    return mls_shell_goes(state) ? text : SHELL_HOLE;
}

/* ---- ${…} ---- */

typedef struct parameter {
    mls_str name;
    mls_str rest; /* the operator and its word, raw */
    mls_shell_presence presence;
    mls_str value;
    mls_shell_quoting quoting;
    bool in_quotes;
} parameter;

/* A name, a position or a special parameter at the start of `text`. */
static size_t parameter_length(mls_str text)
{
    size_t length = 0;
    while (length < text.len && is_digit(text.ptr[length])) {
        length++;
    }
    if (length > 0 || text.len == 0) {
        return length;
    }
    return strchr("@*#?-$!", text.ptr[0]) != NULL ? 1 : mls_shell_name_length(text);
}

/* $?, $#, $1 and the like. */
static mls_shell_presence special_value(mls_shell_state *state, mls_str name, mls_str *value)
{
    const mls_shell_frame *frame = state->frame;
    const mls_shell_fields *arguments = &frame->arguments;
    size_t index = 0;
    *value = SHELL_HOLE;
    for (size_t i = 0; i < name.len && i < 5; i++) {
        index = index * 10 + (size_t)(name.ptr[i] - '0');
    }
    if (name.ptr[0] == '?') {
        *value = frame->status == STATUS_UNKNOWN ? SHELL_HOLE : mls_shell_number(state, frame->status);
        return PRESENCE_SET;
    }
    const bool positional = is_digit(name.ptr[0]) && index > 0;
    if (frame->repeat > 0 || arguments->unknown || (!positional && strchr("@*#", name.ptr[0]) == NULL)) {
        return PRESENCE_UNKNOWN;
    }
    if (name.ptr[0] == '#') {
        *value = mls_shell_number(state, (int64_t)arguments->count);
        return PRESENCE_SET;
    }
    if (positional ? index <= arguments->count : arguments->count > 0) {
        *value = positional ? arguments->items[index - 1] : SHELL_HOLE;
        return PRESENCE_SET;
    }
    *value = MLS_S("");
    return PRESENCE_UNSET;
}

static mls_shell_presence value_of(mls_shell_state *state, mls_str name, mls_str *value)
{
    return mls_shell_name_length(name) > 0 ? mls_shell_variable_get(state, name, value)
                                           : special_value(state, name, value);
}

static mls_str bad_substitution(mls_shell_state *state, mls_str inner, const char *problem)
{
    mls_shell_note(state, MLS_FINDING_CONFIG_SYNTAX, "${%.*s}: %s", MLS_CUT(inner, 60), problem);
    return SHELL_HOLE;
}

static mls_str expand_word(mls_shell_state *state, const parameter *self, mls_str word, bool doubtful)
{
    state->frame->doubt += doubtful;
    const mls_str text = expand(state, word, self->quoting, self->in_quotes, self->in_quotes);
    state->frame->doubt -= doubtful;
    return doubtful ? SHELL_HOLE : text;
}

static mls_str assign_default(mls_shell_state *state, const parameter *self, mls_str value)
{
    if (mls_shell_name_length(self->name) == 0) {
        return bad_substitution(state, self->name, "cannot assign in this way");
    }
    mls_shell_variable_set(state, self->name, value);
    return value;
}

/* ${A:-B} and its relatives, with `colon` also where A is empty. */
static mls_str expand_default(mls_shell_state *state, parameter *self, char operation, bool colon, mls_str word)
{
    size_t certain = 0; /* bytes that are there whatever the holes are */
    for (size_t i = 0; i < self->value.len; i++) {
        certain += self->value.ptr[i] != '\0';
    }
    const bool doubtful = self->presence == PRESENCE_UNKNOWN || (colon && self->value.len > 0 && certain == 0);
    const bool there = self->presence == PRESENCE_SET && (!colon || certain > 0);
    if (doubtful && operation != '?') {
        const mls_str hole = expand_word(state, self, word, true);
        return operation == '=' && mls_shell_name_length(self->name) > 0 ? assign_default(state, self, hole) : hole;
    }
    switch (operation) {
    case '+':
        return there ? expand_word(state, self, word, false) : MLS_S("");
    case '-':
        return there ? self->value : expand_word(state, self, word, false);
    case '=':
        self->quoting = QUOTING_TEXT;
        return there ? self->value : assign_default(state, self, expand_word(state, self, word, false));
    default: /* the script would end without a value, so it is the job that gives it one */
        if (!there && mls_shell_name_length(self->name) > 0) {
            mls_shell_variable_set(state, self->name, SHELL_HOLE);
        }
        return there ? self->value : SHELL_HOLE;
    }
}

/* Lengths count bytes here and characters in bash. */
static bool is_ascii(mls_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        if ((unsigned char)text.ptr[i] >= 0x80 || text.ptr[i] == '\0') {
            return false;
        }
    }
    return true;
}

static mls_str expand_slice(mls_shell_state *state, const parameter *self, mls_str numbers)
{
    const char *colon = numbers.len > 0 ? memchr(numbers.ptr, ':', numbers.len) : NULL;
    const size_t cut = colon != NULL ? (size_t)(colon - numbers.ptr) : numbers.len;
    const int64_t size = (int64_t)self->value.len;
    const mls_shell_integer offset = mls_shell_expand_number(state, (mls_str){numbers.ptr, cut});
    const mls_shell_integer length =
        colon != NULL ? mls_shell_expand_number(state, from(numbers, cut + 1)) : (mls_shell_integer){size, true};
    if (!offset.known || !length.known || !is_ascii(self->value)) {
        return SHELL_HOLE;
    }
    const int64_t begin = offset.value < 0 && offset.value >= -size ? offset.value + size : offset.value;
    if (begin < 0 || begin > size) {
        return MLS_S("");
    }
    const int64_t end = length.value > size - begin ? size
                        : length.value >= 0         ? begin + length.value
                        : length.value < -size      ? -1
                                                    : size + length.value;
    return end < begin ? bad_substitution(state, numbers, "substring expression < 0")
                       : (mls_str){self->value.ptr + begin, (size_t)(end - begin)};
}

static mls_str expand_case(mls_shell_state *state, const parameter *self)
{
    const bool upper = self->rest.ptr[0] == '^';
    const bool all = self->rest.len > 1 && self->rest.ptr[1] == self->rest.ptr[0];
    if (self->rest.len > (all ? 2 : 1) || !is_ascii(self->value)) {
        return SHELL_HOLE;
    }
    mls_buffer made = {0};
    for (size_t i = 0; i < self->value.len; i++) {
        const char c = self->value.ptr[i];
        const bool changes = (all || i == 0) && c >= (upper ? 'a' : 'A') && c <= (upper ? 'z' : 'Z');
        mls_buffer_append_char(&made, changes ? (char)(c ^ 0x20) : c);
    }
    return mls_shell_keep_buffer(state, &made);
}

static mls_str expand_operator(mls_shell_state *state, parameter *self, mls_str inner)
{
    const mls_str rest = self->rest;
    const bool colon = rest.ptr[0] == ':';
    const char operation = colon ? (rest.len > 1 ? rest.ptr[1] : ' ') : rest.ptr[0];
    if (strchr("-=+?", operation) != NULL) {
        return expand_default(state, self, operation, colon, from(rest, colon ? 2 : 1));
    }
    const bool longest = rest.len > 1 && rest.ptr[1] == rest.ptr[0];
    mls_str pattern;
    switch (rest.ptr[0]) {
    case ':':
        return self->presence == PRESENCE_UNSET ? MLS_S("") : expand_slice(state, self, from(rest, 1));
    case '#':
    case '%':
        pattern = expand(state, from(rest, longest ? 2 : 1), QUOTING_PATTERN, false, false);
        return mls_shell_pattern_strip(state, self->value, pattern, rest.ptr[0] == '%', longest);
    case '^':
    case ',':
        return expand_case(state, self);
    case '/':
        (void)expand(state, from(rest, 1), QUOTING_TEXT, false, false); /* for the := in it */
        return SHELL_HOLE;
    case '@':
        return SHELL_HOLE;
    default:
        return bad_substitution(state, inner, "bad substitution");
    }
}

static mls_str expand_braces(mls_shell_state *state, mls_str inner, mls_shell_quoting quoting, bool in_quotes)
{
    parameter self = {.quoting = quoting, .in_quotes = in_quotes};
    const bool length = inner.len > 1 && inner.ptr[0] == '#' && parameter_length(from(inner, 1)) > 0;
    const bool indirect = inner.len > 1 && inner.ptr[0] == '!' && parameter_length(from(inner, 1)) > 0;
    const mls_str text = from(inner, length || indirect ? 1 : 0);
    self.name = (mls_str){text.ptr, parameter_length(text)};
    self.rest = from(text, self.name.len);
    bool list = indirect;
    if (self.name.len > 0 && self.rest.len > 0 && self.rest.ptr[0] == '[') {
        const char *close = memchr(self.rest.ptr, ']', self.rest.len);
        const size_t end = close != NULL ? (size_t)(close - self.rest.ptr) : self.rest.len - 1;
        list = list || !mls_str_equal((mls_str){self.rest.ptr, end}, MLS_S("[0"));
        self.rest = from(self.rest, end + 1);
    }
    if (self.name.len == 0 || (length && self.rest.len > 0)) {
        return bad_substitution(state, inner, "bad substitution");
    }
    if (list) {
        if (indirect && memchr(inner.ptr, '=', inner.len) != NULL) {
            mls_shell_forget_all(state, MLS_S("${!…=…}"));
        }
        if (self.rest.len > 0) {
            state->frame->doubt++;
            (void)expand(state, self.rest, QUOTING_TEXT, in_quotes, false);
            state->frame->doubt--;
        }
        return SHELL_HOLE;
    }
    self.presence = value_of(state, self.name, &self.value);
    if (length) {
        return is_ascii(self.value) ? mls_shell_number(state, (int64_t)self.value.len) : SHELL_HOLE;
    }
    state->frame->unset_used = state->frame->unset_used || (self.presence == PRESENCE_UNSET && self.rest.len == 0);
    return self.rest.len == 0 ? self.value : expand_operator(state, &self, inner);
}

/* ---- $ ---- */

mls_shell_integer mls_shell_expand_number(mls_shell_state *state, mls_str raw)
{
    mls_shell_integer number;
    state->frame->unset_used = false;
    mls_shell_calculate(state, expand(state, raw, QUOTING_TEXT, true, false), &number);
    return number;
}

/* $(( … )), and not $( ( … ) … ). */
static mls_str expand_parentheses(mls_shell_state *state, mls_str inner)
{
    if (inner.len < 2 || inner.ptr[0] != '(' || mls_shell_parentheses_end(inner, 0, 0) != inner.len) {
        return state->substitute(state, inner);
    }
    const mls_shell_integer number = mls_shell_expand_number(state, (mls_str){inner.ptr + 1, inner.len - 2});
    return number.known ? mls_shell_number(state, number.value) : SHELL_HOLE;
}

static size_t put_dollar(builder *self, mls_str raw, size_t at, bool in_quotes)
{
    const char next = at + 1 < raw.len ? raw.ptr[at + 1] : ' ';
    mls_shell_state *state = self->state;
    if (next == '\'' && !in_quotes) {
        return put_ansi(self, raw, at + 2);
    }
    if (next == '"' && !in_quotes) {
        return at + 1;
    }
    if (next == '(' || next == '{') {
        const size_t end = mls_shell_unit_end(raw, at, in_quotes, 0);
        if (end == SHELL_NO_END || end > raw.len) {
            put(self, SHELL_HOLE);
            return raw.len;
        }
        const mls_str inner = {raw.ptr + at + 2, end - at - 3};
        const mls_shell_quoting quoting = in_quotes ? QUOTING_TEXT : self->quoting;
        mls_str text = next == '(' ? expand_parentheses(state, inner) : expand_braces(state, inner, quoting, in_quotes);
        /* Quotes in a default keep it from splitting, in part. */
        const bool quotes = next == '{' && (memchr(inner.ptr, '"', inner.len) != NULL ||
                                            memchr(inner.ptr, '\'', inner.len) || memchr(inner.ptr, '\\', inner.len));
        put_expansion(self, self->fields != NULL && quotes && !in_quotes ? SHELL_HOLE : text, in_quotes);
        return end;
    }
    if (next == '[') {
        const char *close = memchr(raw.ptr + at, ']', raw.len - at);
        put_expansion(self, SHELL_HOLE, in_quotes);
        return close != NULL ? (size_t)(close - raw.ptr) + 1 : raw.len;
    }
    const size_t length = is_digit(next) ? 1 : parameter_length(from(raw, at + 1));
    if (length == 0) {
        in_quotes ? put_quoted(self, MLS_S("$")) : put_bare(self, '$');
        return at + 1;
    }
    mls_str value;
    const mls_shell_presence presence = value_of(state, (mls_str){raw.ptr + at + 1, length}, &value);
    state->frame->unset_used = state->frame->unset_used || presence == PRESENCE_UNSET;
    put_expansion(self, value, in_quotes);
    return at + 1 + length;
}

static size_t put_escaped(builder *self, mls_str raw, size_t at, bool in_quotes)
{
    const char next = at + 1 < raw.len ? raw.ptr[at + 1] : '\0';
    if (next == '\n') {
        return at + 2;
    }
    const bool keeps = next == '\0' || (in_quotes && strchr(self->in_braces ? "$`\"\\}" : "$`\"\\", next) == NULL);
    put_quoted(self, (mls_str){raw.ptr + at + !keeps, 1});
    return at + (keeps ? 1 : 2);
}

static void build(builder *self, mls_str raw, bool in_quotes)
{
    self->started = self->started || in_quotes;
    for (size_t at = 0; at < raw.len && mls_shell_goes(self->state);) {
        const char c = raw.ptr[at];
        if (c == '\\') {
            at = put_escaped(self, raw, at, in_quotes);
        } else if (c == '$') {
            at = put_dollar(self, raw, at, in_quotes);
        } else if (c == '`') {
            put_expansion(self, SHELL_HOLE, in_quotes); /* no config uses them */
            at = mls_shell_unit_end(raw, at, in_quotes, 0);
        } else if (in_quotes) {
            at++;
            if (c != '"') { /* quotes inside quotes do nothing but go away: "${A:-"b c"}" */
                put_quoted(self, (mls_str){&c, 1});
            }
        } else if (c == '\'' || c == '"') {
            const size_t end = mls_shell_unit_end(raw, at, false, 0);
            if (end == SHELL_NO_END || end > raw.len) {
                put(self, SHELL_HOLE);
                return;
            }
            const mls_str inner = {raw.ptr + at + 1, end - at - 2};
            if (c == '"') {
                build(self, inner, true);
            } else {
                put_quoted(self, inner);
            }
            at = end;
        } else if (((c == '<' || c == '>') && at == 0 && self->fields != NULL) || c == '~') {
            put(self, c == '~' && at > 0 && raw.ptr[at - 1] != ':' ? MLS_S("~") : SHELL_HOLE);
            at = c == '~' ? at + 1 : raw.len; /* somebody's home, or <( … ) */
        } else {
            put_bare(self, c);
            at++;
        }
    }
}

bool mls_shell_has_braces(mls_str raw)
{
    bool open = false;
    for (size_t at = 0; at < raw.len; at = mls_shell_unit_end(raw, at, false, 0)) {
        const char c = raw.ptr[at];
        const bool range = c == '.' && at + 1 < raw.len && raw.ptr[at + 1] == '.';
        if (open && (c == ',' || range)) {
            return true;
        }
        open = open || c == '{';
    }
    return false;
}

mls_str mls_shell_expand(mls_shell_state *state, mls_str raw, mls_shell_quoting quoting)
{
    return expand(state, raw, quoting, false, false);
}

mls_str mls_shell_expand_quoted(mls_shell_state *state, mls_str raw)
{
    return expand(state, raw, QUOTING_TEXT, true, false);
}

void mls_shell_expand_fields(mls_shell_state *state, mls_str raw, mls_shell_fields *fields)
{
    builder self = {.state = state, .quoting = QUOTING_TEXT, .fields = fields};
    build(&self, raw, false);
    end_field(&self);
    mls_buffer_release(&self.text);
    if (mls_shell_has_braces(raw) && fields->count > 0) {
        fields->items[fields->count - 1] = SHELL_HOLE;
        fields->unknown = true;
    }
}
