/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "shell/script.h"

/* A word on its way from raw text to a text or to fields. */
typedef struct builder {
    mls_script *script;
    mls_script_quoting quoting;
    mls_script_fields *fields; /* NULL: one text, no splitting */
    mls_buffer text;
    bool known;
    bool started; /* the current field exists even if it is empty */
    bool bracket; /* the current field holds an unquoted '[' */
} builder;

void mls_script_fields_add(mls_script *script, mls_script_fields *fields, mls_script_text text)
{
    if (fields->count == SCRIPT_FIELDS_MAX) {
        mls_script_limit(script, "number of words in a command");
        return;
    }
    if (fields->count == fields->capacity) {
        const size_t capacity = fields->capacity == 0 ? 8 : fields->capacity * 2;
        mls_script_text *items = mls_arena_array(&script->arena, capacity, sizeof *items);
        if (items == NULL) {
            mls_script_no_memory(script);
            return;
        }
        if (fields->count > 0) {
            memcpy(items, fields->items, fields->count * sizeof *items);
        }
        fields->items = items;
        fields->capacity = capacity;
    }
    fields->items[fields->count++] = text;
}

static mls_script_text take_text(builder *self)
{
    mls_script_text text = mls_script_unknown();
    if (self->known) {
        text = mls_script_keep(self->script, mls_buffer_str(&self->text));
    }
    mls_buffer_clear(&self->text);
    self->known = true;
    return text;
}

static void end_field(builder *self)
{
    if (self->started) {
        mls_script_fields_add(self->script, self->fields, take_text(self));
        self->started = false;
    }
    self->bracket = false;
}

static void put(builder *self, mls_str bytes)
{
    if (self->text.len + bytes.len > SCRIPT_VALUE_BYTES_MAX) {
        mls_script_limit(self->script, "length of a value");
        return;
    }
    mls_buffer_append(&self->text, bytes);
    if (self->text.failed) {
        mls_script_no_memory(self->script);
    }
}

static void put_quoted(builder *self, mls_str bytes)
{
    self->started = true;
    if (self->quoting == QUOTING_TEXT) {
        put(self, bytes);
        return;
    }
    const char *special = self->quoting == QUOTING_PATTERN ? "*?[]\\!^-" : "*?[]\\^$.+(){}|";
    for (size_t i = 0; i < bytes.len && self->script->flow == FLOW_GO; i++) {
        const bool escape = bytes.ptr[i] != '\0' && strchr(special, bytes.ptr[i]) != NULL;
        put(self, (mls_str){escape ? "\\" : "", escape ? 1 : 0});
        put(self, (mls_str){bytes.ptr + i, 1});
    }
}

/* Unquoted * ? and […] stand for whatever files there are. */
static void note_pattern(builder *self, char c)
{
    self->bracket = self->bracket || c == '[';
    if (c == '*' || c == '?' || (c == ']' && self->bracket)) {
        self->fields->unknown = true;
    }
}

/* What came out of an expansion outside quotes: blanks split, stars are files' names. */
static void put_split(builder *self, mls_str bytes)
{
    self->fields->unknown = self->fields->unknown || (bytes.len > 0 && self->script->separators_changed);
    for (size_t i = 0; i < bytes.len && self->script->flow == FLOW_GO; i++) {
        const char c = bytes.ptr[i];
        if (c == ' ' || c == '\t' || c == '\n') {
            end_field(self);
        } else {
            self->started = true;
            note_pattern(self, c);
            put(self, (mls_str){bytes.ptr + i, 1});
        }
    }
}

static void put_expansion(builder *self, const mls_script_expansion *expansion, bool in_quotes)
{
    if (!expansion->text.known) {
        self->known = false;
        self->started = true;
        if (self->fields != NULL && !in_quotes) {
            self->fields->unknown = true;
        }
    } else if (self->fields == NULL) {
        if (in_quotes && self->quoting != QUOTING_TEXT) {
            put_quoted(self, expansion->text.bytes);
        } else {
            put(self, expansion->text.bytes);
        }
    } else if (in_quotes) {
        put_quoted(self, expansion->text.bytes);
    } else {
        put_split(self, expansion->text.bytes);
    }
}

/* Bytes of the script itself, outside quotes. */
static void put_literal(builder *self, char c)
{
    self->started = true;
    if (self->fields != NULL) {
        note_pattern(self, c);
    }
    put(self, (mls_str){&c, 1});
}

static int hex_digit(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

/* \101 and \x41; what would be a NUL ends the string in bash, and is not known here. */
static size_t put_ansi_number(builder *self, mls_str raw, size_t at)
{
    const bool hex = raw.ptr[at] == 'x';
    const size_t digits_max = hex ? 2 : 3;
    size_t digits = 0;
    unsigned value = 0;
    at += hex;
    while (digits < digits_max && at < raw.len) {
        const int digit = hex_digit(raw.ptr[at]);
        if (digit < 0 || (!hex && digit > 7)) {
            break;
        }
        value = value * (hex ? 16 : 8) + (unsigned)digit;
        digits++;
        at++;
    }
    const char c = (char)(unsigned char)(value & 0xff);
    if (digits == 0 || c == '\0') {
        self->known = false;
    } else {
        put_quoted(self, (mls_str){&c, 1});
    }
    return at;
}

/* $'…': `at` is behind the first quote; returns the place behind the last. */
static size_t put_ansi(builder *self, mls_str raw, size_t at)
{
    static const char letters[] = "abefnrtv\\'\"?E";
    static const char meanings[] = "\a\b\033\f\n\r\t\v\\'\"?\033";
    self->started = true;
    while (at < raw.len && raw.ptr[at] != '\'') {
        if (raw.ptr[at] != '\\' || at + 1 >= raw.len) {
            put_quoted(self, (mls_str){raw.ptr + at, 1});
            at++;
            continue;
        }
        const char c = raw.ptr[++at];
        const char *letter = c != '\0' ? strchr(letters, c) : NULL;
        if (letter != NULL) {
            put_quoted(self, (mls_str){&meanings[letter - letters], 1});
            at++;
        } else if (c == 'x' || (c >= '0' && c <= '7')) {
            at = put_ansi_number(self, raw, at);
        } else {
            /* \u and \c depend on the locale. */
            self->known = self->known && strchr("uUc", c) == NULL;
            put_quoted(self, (mls_str){"\\", 1});
        }
    }
    return at < raw.len ? at + 1 : at;
}

/* `…`: backslashes before ` \ and $ go away first. */
static size_t put_backquoted(builder *self, mls_str raw, size_t at, bool in_quotes)
{
    const size_t end = mls_script_skip(raw, at, in_quotes, 0);
    if (end == SCRIPT_SKIP_FAILED) {
        self->known = false;
        return raw.len;
    }
    mls_buffer commands = {0};
    for (size_t i = at + 1; i + 1 < end; i++) {
        const char next = raw.ptr[i + 1];
        if (raw.ptr[i] == '\\' && i + 2 < end &&
            (next == '`' || next == '\\' || next == '$' || (in_quotes && next == '"'))) {
            i++;
        }
        mls_buffer_append_char(&commands, raw.ptr[i]);
    }
    const mls_script_text kept = mls_script_keep_buffer(self->script, &commands);
    const mls_script_expansion expansion = {.text =
                                                kept.known ? mls_script_substitute(self->script, kept.bytes) : kept};
    put_expansion(self, &expansion, in_quotes);
    return end;
}

static bool has_quotes(mls_str raw)
{
    return memchr(raw.ptr, '"', raw.len) != NULL || memchr(raw.ptr, '\'', raw.len) != NULL ||
           memchr(raw.ptr, '\\', raw.len) != NULL;
}

static size_t put_dollar(builder *self, mls_str raw, size_t at, bool in_quotes)
{
    const char next = at + 1 < raw.len ? raw.ptr[at + 1] : '\0';
    if (next == '\'' && !in_quotes) {
        return put_ansi(self, raw, at + 2);
    }
    if (next == '"' && !in_quotes) {
        return at + 1;
    }
    const mls_script_quoting quoting = in_quotes ? QUOTING_TEXT : self->quoting;
    const mls_script_expansion expansion = mls_script_expand_dollar(self->script, raw, at, quoting, in_quotes);
    if (expansion.length == 1 && !in_quotes) {
        put_literal(self, '$');
        return at + 1;
    }
    const mls_str written = {raw.ptr + at, expansion.length};
    if (self->fields != NULL && !in_quotes && mls_str_starts(written, MLS_S("${")) && has_quotes(written)) {
        self->fields->unknown = true; /* quotes in a default keep it from splitting, in part */
    }
    put_expansion(self, &expansion, in_quotes || expansion.quoted_like);
    return at + expansion.length;
}

static size_t put_escaped(builder *self, mls_str raw, size_t at, bool in_quotes)
{
    if (at + 1 >= raw.len) {
        put_quoted(self, (mls_str){"\\", 1});
        return at + 1;
    }
    const char next = raw.ptr[at + 1];
    if (next == '\n') {
        return at + 2;
    }
    if (in_quotes && (next == '\0' || strchr("$`\"\\", next) == NULL)) {
        put_quoted(self, (mls_str){raw.ptr + at, 1});
        return at + 1;
    }
    put_quoted(self, (mls_str){raw.ptr + at + 1, 1});
    return at + 2;
}

static void build_quoted(builder *self, mls_str raw)
{
    size_t at = 0;
    self->started = true;
    while (at < raw.len && self->script->flow == FLOW_GO) {
        switch (raw.ptr[at]) {
        case '\\':
            at = put_escaped(self, raw, at, true);
            break;
        case '$':
            at = put_dollar(self, raw, at, true);
            break;
        case '`':
            at = put_backquoted(self, raw, at, true);
            break;
        default:
            put_quoted(self, (mls_str){raw.ptr + at, 1});
            at++;
        }
    }
}

static void build(builder *self, mls_str raw)
{
    size_t at = 0;
    while (at < raw.len && self->script->flow == FLOW_GO) {
        const char c = raw.ptr[at];
        if (c == '\'' || c == '"') {
            const size_t end = mls_script_skip(raw, at, false, 0);
            if (end == SCRIPT_SKIP_FAILED) {
                self->known = false;
                return;
            }
            const mls_str inner = {raw.ptr + at + 1, end - at - 2};
            if (c == '"') {
                build_quoted(self, inner);
            } else {
                put_quoted(self, inner);
            }
            at = end;
        } else if (c == '\\') {
            at = put_escaped(self, raw, at, false);
        } else if (c == '$') {
            at = put_dollar(self, raw, at, false);
        } else if (c == '`') {
            at = put_backquoted(self, raw, at, false);
        } else if ((c == '<' || c == '>') && at == 0 && self->fields != NULL) {
            self->known = false; /* <( … ) */
            self->started = true;
            return;
        } else {
            put_literal(self, c);
            at++;
        }
    }
}

/* ~ at the start of a word or of a part of a path list is somebody's home. */
static bool has_tilde(mls_str raw, bool value)
{
    for (size_t at = 0; at < raw.len;) {
        if (raw.ptr[at] == '~' && (at == 0 || (value && raw.ptr[at - 1] == ':'))) {
            return true;
        }
        const size_t next = mls_script_skip(raw, at, false, 0);
        at = next == SCRIPT_SKIP_FAILED ? raw.len : next;
    }
    return false;
}

/* {a,b} and {1..4}, outside quotes. */
bool mls_script_has_braces(mls_str raw)
{
    bool open = false;
    for (size_t at = 0; at < raw.len;) {
        const char c = raw.ptr[at];
        const bool range = c == '.' && at + 1 < raw.len && raw.ptr[at + 1] == '.';
        if (open && (c == ',' || range)) {
            return true;
        }
        open = open || c == '{';
        const size_t next = mls_script_skip(raw, at, false, 0);
        at = next == SCRIPT_SKIP_FAILED ? raw.len : next;
    }
    return false;
}

mls_script_text mls_script_expand_in(mls_script *script, mls_str raw, mls_script_quoting quoting, bool in_quotes)
{
    builder self = {.script = script, .quoting = quoting, .known = true};
    if (in_quotes) {
        build_quoted(&self, raw);
    } else {
        build(&self, raw);
    }
    const mls_script_text text = script->flow == FLOW_GO ? take_text(&self) : mls_script_unknown();
    mls_buffer_release(&self.text);
    return text;
}

mls_script_text mls_script_expand_text(mls_script *script, mls_str raw, mls_script_quoting quoting)
{
    const mls_script_text text = mls_script_expand_in(script, raw, quoting, false);
    return has_tilde(raw, true) ? mls_script_unknown() : text;
}

mls_script_text mls_script_expand_quoted(mls_script *script, mls_str raw)
{
    return mls_script_expand_in(script, raw, QUOTING_TEXT, true);
}

void mls_script_expand_fields(mls_script *script, mls_str raw, mls_script_fields *fields)
{
    builder self = {.script = script, .quoting = QUOTING_TEXT, .fields = fields, .known = true};
    build(&self, raw);
    end_field(&self);
    mls_buffer_release(&self.text);
    fields->unknown = fields->unknown || has_tilde(raw, false) || mls_script_has_braces(raw);
}
