/* SPDX-License-Identifier: Apache-2.0 */
/* expand.c - words: quotes, $A, ${…}, $(…), $((…)), and the fields they become.  What no config uses is a hole: $'…',
 * ${A:1:2}, ${A/b/c}, ${A^^} and ${!A}. */
#include "base/utf8.h"
#include "config/script_state.h"

/* A word on its way from raw text to a text or to fields. */
typedef struct builder {
    mls_shell_state *state;
    mls_shell_quoting quoting;
    mls_shell_fields *fields; /* NULL: one text */
    mls_buffer text;
    bool splits;        /* what comes out of expansions; * and ? stand for files */
    bool braced;        /* an unquoted { */
    bool several;       /* {a,b} or {1..4}: several words */
    bool started;       /* the current field exists even if it is empty */
    bool hole_unquoted; /* it holds a hole that may be several words, or none */
    bool in_braces;     /* of "${A:-…}": "\}" is a brace */
} builder;

static void build(builder *self, mls_str raw, bool in_quotes);

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
    self->started = true;
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
    (void)mls_shell_memory(self->state, !self->text.failed);
    mls_buffer_clear(&self->text);
    self->started = self->hole_unquoted = false;
}

/* A byte outside quotes: * ? and [ stand for whatever files there are, @(…) for more than is looked into. */
static void put_bare(builder *self, char c)
{
    const bool files = self->splits && (c == '*' || c == '?' || c == '[');
    put(self, files || (c == '(' && self->quoting != QUOTING_REGEX) ? SHELL_HOLE : (mls_str){&c, 1});
}

/* Puts the outcome of an expansion: outside quotes it is split, and a pattern. */
static void put_expansion(builder *self, mls_str text, bool in_quotes)
{
    if (in_quotes || !self->splits) {
        (in_quotes ? put_quoted : put)(self, text);
        return;
    }
    if (text.len > 0 && self->state->frame.separators_changed) {
        text = SHELL_HOLE;
    }
    for (size_t i = 0; i < text.len && mls_shell_goes(self->state); i++) {
        if (text.ptr[i] == ' ' || text.ptr[i] == '\t' || text.ptr[i] == '\n') {
            end_field(self);
        } else {
            put_bare(self, text.ptr[i]);
            self->hole_unquoted = self->hole_unquoted || text.ptr[i] == '\0';
        }
    }
}

static mls_str expand(mls_shell_state *state, mls_str raw, mls_shell_quoting quoting, bool in_quotes, bool in_braces)
{
    builder self = {.state = state, .quoting = quoting, .in_braces = in_braces};
    build(&self, raw, in_quotes);
    const mls_str text = mls_shell_keep_buffer(state, &self.text);
    return mls_shell_goes(state) ? text : SHELL_HOLE;
}

/* As in doubt: for what it may assign. */
static mls_str expand_doubtful(mls_shell_state *state, mls_str raw, bool in_quotes)
{
    state->frame.doubt++;
    const mls_str text = expand(state, raw, QUOTING_TEXT, in_quotes, in_quotes);
    state->frame.doubt--;
    return text;
}

/* ---- ${…} ---- */

typedef struct parameter {
    mls_str name;
    mls_str rest; /* the operator and its word, raw */
    mls_str value;
    mls_shell_quoting quoting;
    bool in_quotes;
} parameter;

/* A name, a position or a special parameter at the start of `text`. */
static size_t parameter_length(mls_str text)
{
    size_t length = 0;
    while (length < text.len && mls_is_digit(text.ptr[length])) {
        length++;
    }
    return length > 0 || text.len == 0              ? length
           : strchr("@*#?-$!", text.ptr[0]) != NULL ? 1
                                                    : mls_str_name_length(text);
}

/* A variable, or $?, $#, $1 and the like; as mls_shell_variable_get(). */
static mls_str value_of(mls_shell_state *state, mls_str name)
{
    const mls_shell_frame *frame = &state->frame;
    const mls_shell_fields *arguments = &frame->arguments;
    const char c = name.ptr[0];
    size_t index;
    if (mls_str_name_length(name) > 0) {
        return mls_shell_variable_get(state, name);
    }
    if (c == '?') {
        return frame->status == STATUS_UNKNOWN ? SHELL_HOLE : mls_shell_number(state, frame->status);
    }
    if (!mls_size_parse(name, &index)) {
        index = 0;
    }
    if (frame->lost || arguments->unknown || (index == 0 && strchr("@*#", c) == NULL)) {
        return SHELL_MAYBE;
    }
    if (c == '#') {
        return mls_shell_number(state, (int64_t)arguments->count);
    }
    return arguments->count < (index > 0 ? index : 1) ? SHELL_UNSET
           : index > 0                                ? arguments->items[index - 1]
                                                      : SHELL_HOLE;
}

static mls_str bad_substitution(mls_shell_state *state, mls_str inner, const char *problem)
{
    mls_shell_note(state, MLS_FINDING_CONFIG_SYNTAX, "${%.*s}: %s", MLS_CUT(inner, 60), problem);
    return SHELL_HOLE;
}

/* ${A:-B} and its relatives, with `colon` also where A is empty. */
static mls_str expand_default(mls_shell_state *state, const parameter *self, char operation, bool colon, mls_str word)
{
    size_t holes = 0; /* at its start; what follows is there whatever they are */
    while (holes < self->value.len && self->value.ptr[holes] == '\0') {
        holes++;
    }
    const bool maybe = self->value.ptr == mls_shell_maybe;
    const bool there = self->value.ptr != mls_shell_unset && !maybe && (!colon || holes < self->value.len);
    const bool doubtful = maybe || (colon && self->value.len > 0 && holes == self->value.len);
    const bool named = mls_str_name_length(self->name) > 0;
    mls_str text = SHELL_HOLE;
    if (operation == '?') { /* without a value the script would end, so it is the job that gives it one */
        if (!there && named) {
            mls_shell_variable_set(state, self->name, SHELL_HOLE, false);
        }
        return there ? self->value : text;
    }
    if (!doubtful && there != (operation == '+')) {
        return there ? self->value : MLS_S("");
    }
    if (doubtful) {
        (void)expand_doubtful(state, word, self->in_quotes);
    } else {
        text = expand(state, word, operation == '=' ? QUOTING_TEXT : self->quoting, self->in_quotes, self->in_quotes);
    }
    if (operation == '=' && named) {
        mls_shell_variable_set(state, self->name, text, false);
    }
    return operation == '=' && !named && !doubtful ? bad_substitution(state, self->name, "cannot assign in this way")
                                                   : text;
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

static mls_str expand_operator(mls_shell_state *state, const parameter *self, mls_str inner)
{
    const mls_str rest = self->rest;
    const bool colon = rest.ptr[0] == ':';
    const bool longest = rest.len > 1 && rest.ptr[1] == rest.ptr[0];
    const char operation = !colon ? rest.ptr[0] : rest.len > 1 ? rest.ptr[1] : ' ';
    if (strchr("-=+?", operation) != NULL) {
        return expand_default(state, self, operation, colon, mls_str_rest(rest, colon ? 2 : 1));
    }
    if (!colon && (operation == '#' || operation == '%')) {
        const mls_str pattern = expand(state, mls_str_rest(rest, longest ? 2 : 1), QUOTING_PATTERN, false, false);
        return mls_shell_pattern_strip(state, self->value, pattern, operation == '%', longest);
    }
    if (strchr(":/^,@", rest.ptr[0]) != NULL) {
        mls_shell_doubt_names(state, expand_doubtful(state, rest, false));
        return SHELL_HOLE;
    }
    return bad_substitution(state, inner, "bad substitution");
}

static mls_str expand_braces(mls_shell_state *state, mls_str inner, mls_shell_quoting quoting, bool in_quotes)
{
    const bool prefixed = inner.len > 1 && parameter_length(mls_str_rest(inner, 1)) > 0;
    const bool length = prefixed && inner.ptr[0] == '#';
    const bool indirect = prefixed && inner.ptr[0] == '!';
    const mls_str text = mls_str_rest(inner, length || indirect);
    parameter self = {.name = {text.ptr, parameter_length(text)}, .quoting = quoting, .in_quotes = in_quotes};
    self.rest = mls_str_rest(text, self.name.len);
    bool list = indirect;
    if (self.name.len > 0 && self.rest.len > 0 && self.rest.ptr[0] == '[') {
        const char *close = memchr(self.rest.ptr, ']', self.rest.len);
        const size_t end = close != NULL ? (size_t)(close - self.rest.ptr) : self.rest.len - 1;
        list = list || !mls_str_equal((mls_str){self.rest.ptr, end}, MLS_S("[0"));
        self.rest = mls_str_rest(self.rest, end + 1);
    }
    if (self.name.len == 0 || (length && self.rest.len > 0)) {
        return bad_substitution(state, inner, "bad substitution");
    }
    if (list) {
        if (indirect && memchr(inner.ptr, '=', inner.len) != NULL) {
            mls_shell_forget_all(state, MLS_S("${!…=…}"));
        }
        (void)expand_doubtful(state, self.rest, in_quotes);
        return SHELL_HOLE;
    }
    self.value = value_of(state, self.name);
    if (length) {
        return is_ascii(self.value) ? mls_shell_number(state, (int64_t)self.value.len) : SHELL_HOLE;
    }
    state->frame.unset_used = state->frame.unset_used || (self.value.ptr == mls_shell_unset && self.rest.len == 0);
    return self.rest.len == 0 ? self.value : expand_operator(state, &self, inner);
}

/* ---- $ ---- */

mls_shell_integer mls_shell_expand_number(mls_shell_state *state, mls_str raw)
{
    state->frame.unset_used = false;
    return mls_shell_calculate(state, expand(state, raw, QUOTING_TEXT, true, false));
}

/* $(( … )) or $( … ). */
static mls_str expand_parentheses(mls_shell_state *state, mls_str inner)
{
    if (inner.len > 1 && inner.ptr[0] == '(' && mls_shell_parentheses_end(inner, 0, 0) == inner.len) {
        const mls_shell_integer number = mls_shell_expand_number(state, (mls_str){inner.ptr + 1, inner.len - 2});
        return number.known ? mls_shell_number(state, number.value) : SHELL_HOLE;
    }
    mls_shell_output output = {0};
    const mls_shell_frame outer = mls_shell_subshell_enter(state, &output);
    state->frame.input = NULL;
    state->frame.status = STATUS_YES;
    state->run(state, inner, outer.line);
    mls_shell_subshell_leave(state, &outer);
    mls_str text = mls_shell_keep_buffer(state, &output.text);
    while (text.len > 0 && text.ptr[text.len - 1] == '\n') {
        text.len--;
    }
    state->frame.substituted = true;
    return text;
}

/* A whole $(…) or ${…}. */
static void put_substitution(builder *self, mls_str unit, bool in_quotes)
{
    const mls_str inner = {unit.ptr + 2, unit.len - 3};
    const bool braces = unit.ptr[1] == '{';
    const bool quotes = braces && !in_quotes && self->splits && /* in a default they keep it from splitting, in part */
                        (mls_str_contains(inner, MLS_S("\"")) || mls_str_contains(inner, MLS_S("'")) ||
                         mls_str_contains(inner, MLS_S("\\")));
    const mls_shell_quoting quoting = in_quotes ? QUOTING_TEXT : self->quoting;
    const mls_str text =
        braces ? expand_braces(self->state, inner, quoting, in_quotes) : expand_parentheses(self->state, inner);
    put_expansion(self, quotes ? SHELL_HOLE : text, in_quotes);
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

/* Puts the unit at `at`, a quoted string, a substitution or a byte; returns the place after it. */
static size_t put_unit(builder *self, mls_str raw, size_t at, bool in_quotes)
{
    const char c = raw.ptr[at];
    const char next = at + 1 < raw.len ? raw.ptr[at + 1] : ' ';
    const size_t end = mls_shell_unit_end(raw, at, in_quotes, 0);
    const mls_str unit = {raw.ptr + at, end - at};
    const mls_str after = mls_str_rest(raw, at + 1);
    if (end > raw.len) {
        put(self, SHELL_HOLE);
        return raw.len;
    }
    if (c == '\\') {
        return put_escaped(self, raw, at, in_quotes);
    }
    if (c == '$' && (next == '(' || next == '{')) {
        put_substitution(self, unit, in_quotes);
    } else if (c == '$' && next == '"' && !in_quotes) {
        self->started = true;                            /* as without the dollar */
    } else if (c == '`' || (c == '$' && unit.len > 1)) { /* no config uses `…`, $[…] and $'…' */
        put_expansion(self, SHELL_HOLE, in_quotes || c == '$');
    } else if (c == '$' && parameter_length(after) > 0) {
        const size_t length = mls_is_digit(next) ? 1 : parameter_length(after);
        const mls_str value = value_of(self->state, (mls_str){after.ptr, length});
        self->state->frame.unset_used = self->state->frame.unset_used || value.ptr == mls_shell_unset;
        put_expansion(self, value, in_quotes);
        return at + 1 + length;
    } else if (in_quotes) {
        put_quoted(self, c != '"' ? unit : MLS_S("")); /* quotes in quotes do nothing but go away: "${A:-"b c"}" */
    } else if (c == '\'') {
        put_quoted(self, (mls_str){unit.ptr + 1, unit.len - 2});
    } else if (c == '"') {
        build(self, (mls_str){unit.ptr + 1, unit.len - 2}, true);
    } else if (c == '~') { /* somebody's home, or, in the middle of a word, itself */
        const char before = at > 0 ? raw.ptr[at - 1] : ':';
        put(self, before == ':' || (before == '=' && self->fields != NULL) ? SHELL_HOLE : unit);
    } else if ((c == '<' || c == '>') && at == 0 && self->splits) { /* <( … ) */
        put(self, SHELL_HOLE);
        return raw.len;
    } else {
        self->braced = self->braced || c == '{';
        const bool several = self->braced && self->fields != NULL && (c == ',' || (c == '.' && next == '.'));
        self->several = self->several || several;
        put_bare(self, several ? '\0' : c);
    }
    return end;
}

static void build(builder *self, mls_str raw, bool in_quotes)
{
    self->started = self->started || in_quotes;
    for (size_t at = 0; at < raw.len && mls_shell_goes(self->state);) {
        at = put_unit(self, raw, at, in_quotes);
    }
}

mls_str mls_shell_expand(mls_shell_state *state, mls_str raw, mls_shell_quoting quoting)
{
    return expand(state, raw, quoting, false, false);
}

void mls_shell_expand_fields(mls_shell_state *state, mls_str raw, bool splits, mls_shell_fields *fields)
{
    const bool bracket = mls_str_starts(raw, MLS_S("[")) && memchr(raw.ptr, ']', raw.len) == NULL; /* the command */
    builder self = {.state = state, .quoting = QUOTING_TEXT, .fields = fields, .splits = splits && !bracket};
    build(&self, raw, false);
    end_field(&self);
    mls_buffer_release(&self.text);
    if (self.several && mls_shell_goes(state)) { /* else the field may not be there */
        fields->items[fields->count - 1] = splits ? SHELL_HOLE : fields->items[fields->count - 1];
        fields->unknown = true;
    }
}
