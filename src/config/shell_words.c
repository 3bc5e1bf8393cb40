/* SPDX-License-Identifier: Apache-2.0 */
/* shell_words.c - expand the words of a script: quotes, $A, ${...}, $(...), $((...)), patterns, and [ ] and [[ ]].
 *
 * Constructs that configs do not use become holes: $'...', ${A:1:2}, ${A/b/c}, ${A^^} and ${!A}; in arithmetic, bit
 * operations, powers, ++, -- and 2#101. */
#include "base/pattern.h"
#include "base/utf8.h"
#include "config/shell_state.h"

/* ---- arithmetic with 64 bits that wraps around.  If the value of a name is an expression, it is evaluated; an unset
 * name is 0.  ---- */

typedef struct calculation {
    reading *r;
    mls_str rest;
    size_t depth;
    const char *problem; /* static text */
} calculation;

enum { RANK_NONE = -1, RANK_COMMA, RANK_ASSIGN, RANK_CHOICE, RANK_OR, RANK_AND };

/* Operators by precedence, the loosest first. */
static const char *const operations[] = {" , ",     " = *= /= %= += -= <<= >>= &= ^= |= ",
                                         " ? ",     " || ",
                                         " && ",    " | ",
                                         " ^ ",     " & ",
                                         " == != ", " < > <= >= ",
                                         " << >> ", " + - ",
                                         " * / % ", " ** "};

static const shell_integer unknown_integer = {0, false};

static shell_integer binary(calculation *c, int lowest);

static shell_integer wrapped(uint64_t value)
{
    return (shell_integer){(int64_t)value, true};
}

static shell_integer problem(calculation *c, const char *text)
{
    c->problem = c->problem == NULL ? text : c->problem;
    return unknown_integer;
}

/* Skip blanks and return the rest of the text. */
static mls_str rest_of(calculation *c)
{
    while (c->rest.len > 0 && mls_is_blank(c->rest.ptr[0]))
        c->rest = mls_str_rest(c->rest, 1);
    return c->rest;
}

static bool take_sign(calculation *c, const char *text)
{
    const mls_str sign = mls_str_from(text);
    const bool found = c->problem == NULL && mls_str_starts(rest_of(c), sign);
    c->rest = found ? mls_str_rest(c->rest, sign.len) : c->rest;
    return found;
}

static mls_str take_name(calculation *c)
{
    const mls_str rest = rest_of(c);
    const mls_str name = {rest.ptr, mls_str_name_length(rest)};
    c->rest = mls_str_rest(rest, name.len);
    return name;
}

/* Return the precedence of the longest operator at the cursor. */
static int rank_at(calculation *c, mls_str *operation)
{
    const mls_str rest = rest_of(c);
    *operation = rest;
    for (operation->len = rest.len < 3 ? rest.len : 3; operation->len > 0; operation->len--) {
        for (size_t i = 0; i < sizeof operations / sizeof *operations; i++)
            if (mls_str_among(*operation, operations[i]))
                return (int)i;
    }
    return RANK_NONE;
}

/* Apply an operator, which may be that of an assignment. */
static shell_integer calculate(calculation *c, mls_str operation, shell_integer left, shell_integer right)
{
    const char sign = operation.ptr[0];
    const bool equals = operation.len == 2 && operation.ptr[1] == '=';
    const int64_t a = left.value;
    const int64_t b = right.value;
    if (right.known && b == 0 && (sign == '/' || sign == '%'))
        return c->r->frame.doubt > 0 ? unknown_integer : problem(c, "division by 0");
    if (sign == ',' || !left.known || !right.known || (operation.len > 1 && !equals))
        return sign == ',' ? right : unknown_integer;
    switch (sign) {
    case '*':
        return wrapped((uint64_t)a * (uint64_t)b);
    case '/':
        return wrapped(b == -1 ? 0 - (uint64_t)a : (uint64_t)(a / b));
    case '%':
        return wrapped(b == -1 ? 0 : (uint64_t)(a % b));
    case '+':
        return wrapped((uint64_t)a + (uint64_t)b);
    case '-':
        return wrapped((uint64_t)a - (uint64_t)b);
    case '<':
        return wrapped(equals ? a <= b : a < b);
    case '>':
        return wrapped(equals ? a >= b : a > b);
    case '=':
        return wrapped(a == b);
    case '!':
        return wrapped(a != b);
    default:
        return unknown_integer;
    }
}

/* Parse 12, 0x1f or 017. */
static shell_integer literal(calculation *c)
{
    static const char digits[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ@_#";
    const bool hex = mls_str_starts(c->rest, MLS_S("0x")) || mls_str_starts(c->rest, MLS_S("0X"));
    const size_t base = hex ? 16 : c->rest.ptr[0] == '0' ? 8 : 10;
    bool wrong = false;
    bool based = false;
    uint64_t value = 0;
    const char *found;
    c->rest = mls_str_rest(c->rest, hex ? 2 : 0);
    while (c->rest.len > 0 && (found = memchr(digits, c->rest.ptr[0], sizeof digits - 1)) != NULL) {
        const size_t index = (size_t)(found - digits);
        const size_t digit = index < 36 ? index : index - 26;
        based = based || *found == '#';
        wrong = wrong || digit >= base;
        value = value * base + digit;
        c->rest = mls_str_rest(c->rest, 1);
    }
    return based ? unknown_integer : wrong ? problem(c, "value too great for base") : wrapped(value);
}

void mls_shell_doubt_names(reading *r, mls_str expression)
{
    calculation c = {.r = r, .rest = expression};
    mls_str operation;
    int64_t number;
    while (rest_of(&c).len > 0) {
        const char *here = c.rest.ptr;
        const bool steps = here - expression.ptr > 1 && (here[-1] == '+' || here[-1] == '-') && here[-1] == here[-2];
        const mls_str name = take_name(&c);
        c.rest = mls_str_rest(c.rest, name.len == 0);
        calculation ahead = c;
        const mls_str value = name.len > 0 ? mls_shell_variable_get(r, name) : MLS_S("");
        if (name.len > 0 && (steps || take_sign(&ahead, "++") || take_sign(&ahead, "--") || take_sign(&ahead, "[") ||
                             rank_at(&ahead, &operation) == RANK_ASSIGN))
            mls_shell_variable_set(r, name, SHELL_HOLE, false);
        else if (value.len > 0 && mls_shell_known(value) && !mls_integer_parse(value, &number))
            mls_shell_forget_all(r, name); /* an expression, which may assign to any name */
    }
}

static shell_integer whole(calculation *c)
{
    if (mls_str_contains(c->rest, MLS_S("++")) || mls_str_contains(c->rest, MLS_S("--")) ||
        mls_str_contains(c->rest, MLS_S("["))) {
        mls_shell_doubt_names(c->r, c->rest);
        return unknown_integer;
    }
    const shell_integer result = rest_of(c).len == 0 ? wrapped(0) : binary(c, RANK_COMMA);
    return rest_of(c).len > 0 ? problem(c, "syntax error in expression") : result;
}

/* Return the number of a name, evaluating its value as an expression. */
static shell_integer integer_of(calculation *c, mls_str name)
{
    calculation inner = {.r = c->r, .rest = mls_shell_variable_get(c->r, name), .depth = c->depth};
    if (inner.rest.ptr == mls_shell_unset) {
        c->r->frame.unset_used = true;
        return wrapped(0);
    }
    if (c->problem != NULL || !mls_shell_known(inner.rest) || !mls_shell_step(c->r, inner.rest.len + 1))
        return unknown_integer;
    const shell_integer result = whole(&inner);
    return inner.problem != NULL ? problem(c, inner.problem) : result;
}

static shell_integer primary(calculation *c, bool assignable)
{
    const mls_str rest = rest_of(c);
    mls_str operation;
    if (take_sign(c, "(")) {
        const shell_integer value = binary(c, RANK_COMMA);
        return take_sign(c, ")") ? value : problem(c, "missing ')'");
    }
    if (rest.len > 0 && mls_is_digit(rest.ptr[0]))
        return literal(c);
    if (rest.len > 0 && rest.ptr[0] == '\0') {
        c->rest = mls_str_rest(rest, 1);
        return unknown_integer;
    }
    const mls_str name = take_name(c);
    if (name.len == 0)
        return problem(c, "operand expected");
    if (!assignable || rank_at(c, &operation) != RANK_ASSIGN)
        return integer_of(c, name);
    const bool plain = operation.len == 1;
    const shell_integer before = plain ? unknown_integer : integer_of(c, name);
    c->rest = mls_str_rest(c->rest, operation.len);
    shell_integer value = binary(c, RANK_ASSIGN);
    value = plain ? value : calculate(c, operation, before, value);
    if (c->problem == NULL) {
        const mls_str text = value.known ? mls_shell_number(c->r, value.value) : SHELL_HOLE;
        mls_shell_variable_set(c->r, name, text, false);
    }
    return value;
}

static shell_integer unary(calculation *c, bool assignable)
{
    shell_integer value = unknown_integer;
    if (++c->depth > SHELL_ARITHMETIC_DEPTH_MAX) {
        mls_shell_limit(c->r, "depth of arithmetic");
        (void)problem(c, "nested too deep");
    } else if (take_sign(c, "!")) {
        value = unary(c, false);
        value.value = value.value == 0;
    } else if (take_sign(c, "-")) {
        value = unary(c, false);
        value.value = wrapped(0 - (uint64_t)value.value).value;
    } else if (take_sign(c, "~")) {
        (void)unary(c, false);
    } else if (c->problem == NULL) {
        value = take_sign(c, "+") ? unary(c, false) : primary(c, assignable);
    }
    c->depth--;
    return value;
}

/* Evaluate an operand of && || ?:, which may not be evaluated in bash. */
static shell_integer side(calculation *c, int lowest)
{
    c->r->frame.doubt++;
    c->depth++;
    const shell_integer value = binary(c, lowest);
    c->depth--;
    c->r->frame.doubt--;
    return value;
}

static shell_integer binary(calculation *c, int lowest)
{
    shell_integer left = unary(c, lowest <= RANK_ASSIGN);
    mls_str operation;
    /* An assignment to something that is not a name ends the expression here. */
    for (int rank; (rank = rank_at(c, &operation)) >= lowest && rank != RANK_ASSIGN && c->problem == NULL;) {
        c->rest = mls_str_rest(c->rest, operation.len);
        if (rank == RANK_CHOICE) {
            const shell_integer yes = side(c, RANK_COMMA);
            if (!take_sign(c, ":"))
                return problem(c, "':' expected for conditional expression");
            const shell_integer no = side(c, RANK_CHOICE);
            const bool same = yes.known && no.known && yes.value == no.value;
            left = !left.known ? (shell_integer){yes.value, same} : left.value != 0 ? yes : no;
        } else if (rank == RANK_OR || rank == RANK_AND) {
            const bool either = rank == RANK_OR;
            const shell_integer right = side(c, rank + 1);
            const bool decided =
                (left.known && (left.value != 0) == either) || (right.known && (right.value != 0) == either);
            left = (shell_integer){decided ? either : !either, decided || (left.known && right.known)};
        } else {
            left = calculate(c, operation, left, binary(c, rank + 1));
        }
    }
    return left;
}

static shell_integer calculate_text(reading *r, mls_str expression)
{
    calculation c = {.r = r, .rest = expression};
    const shell_integer result = mls_shell_step(r, expression.len + 1) ? whole(&c) : unknown_integer;
    if (c.problem == NULL && !r->stopped)
        return result;
    if (!r->stopped && (r->frame.unset_used || !mls_shell_known(expression)))
        mls_shell_doubt_names(r, expression);
    else if (!r->stopped)
        mls_shell_note(r, MLS_FINDING_CONFIG_ARITHMETIC, "%s in $((%.*s))", c.problem, MLS_CUT(expression, 60));
    return unknown_integer;
}

/* ---- patterns, =~, and sed as used to remove "config_" and ".sh" from a name ---- */

/* Compile a pattern.  Return false if it is unknown what the text matches. */
static bool regex_init(mls_pattern *self, mls_str rule, mls_pattern_kind kind)
{
    *self = (mls_pattern){0};
    return mls_shell_known(rule) && mls_pattern_compile(self, kind, rule) == MLS_OK;
}

static int regex_find(reading *r, const mls_pattern *self, mls_str text, size_t at, mls_str *match)
{
    const bool goes = mls_shell_known(text) && mls_shell_step(r, text.len + 64);
    const mls_status status = goes ? mls_pattern_find(self, text, at, match) : MLS_STOPPED;
    return status != MLS_OK ? STATUS_UNKNOWN : mls_shell_status_of(match->ptr != NULL);
}

static int matches(reading *r, mls_str rule, bool extended, mls_str text)
{
    mls_pattern self;
    mls_str match;
    const bool made = regex_init(&self, rule, extended ? MLS_PATTERN_EXTENDED : MLS_PATTERN_SHELL);
    const int found = made ? regex_find(r, &self, text, 0, &match) : STATUS_UNKNOWN;
    mls_pattern_release(&self);
    return found;
}

static mls_str pattern_strip(reading *r, mls_str text, mls_str pattern, bool from_end, bool longest)
{
    mls_str left = text;
    mls_pattern self;
    mls_str match;
    int found = regex_init(&self, pattern, MLS_PATTERN_SHELL) ? STATUS_NO : STATUS_UNKNOWN;
    for (size_t i = 0; i <= text.len && found == STATUS_NO; i++) {
        const size_t cut = longest ? text.len - i : i;
        found = regex_find(r, &self, (mls_str){text.ptr + (from_end ? text.len - cut : 0), cut}, 0, &match);
        if (found == STATUS_YES)
            left = (mls_str){text.ptr + (from_end ? 0 : cut), text.len - cut};
    }
    mls_pattern_release(&self);
    return found == STATUS_UNKNOWN || !mls_shell_known(text) ? SHELL_HOLE : left;
}

/* Read the next part of an s command; return false if it is not terminated. */
static bool take_part(mls_str *script, char mark, mls_str *part)
{
    return mls_str_cut(script, mark, part) && !mls_str_ends(*part, MLS_S("\\"));
}

/* Apply the s command at the start of *script to a line, and advance *script past it and its separator. */
static mls_str substitute(reading *r, mls_str *script, mls_str line)
{
    const char mark = script->len > 2 && script->ptr[0] == 's' ? script->ptr[1] : ' ';
    mls_buffer made = {0};
    mls_str rule;
    mls_str text;
    mls_pattern self;
    mls_str match;
    *script = mls_str_rest(*script, script->len < 2 ? script->len : 2);
    const bool plain = strchr("/|,:#@!%_~", mark) != NULL && take_part(script, mark, &rule) && rule.len > 0 &&
                       take_part(script, mark, &text) && !mls_str_contains(text, MLS_S("\\")) &&
                       !mls_str_contains(text, MLS_S("&"));
    const bool global = mls_str_starts(*script, MLS_S("g"));
    *script = mls_str_rest(*script, global);
    if (!plain || (script->len > 0 && strchr("; ", script->ptr[0]) == NULL) ||
        !regex_init(&self, rule, MLS_PATTERN_BASIC))
        return SHELL_HOLE;
    size_t after = 0;
    int found = regex_find(r, &self, line, after, &match);
    while (found == STATUS_YES) {
        mls_buffer_append(&made, (mls_str){line.ptr + after, (size_t)(match.ptr - line.ptr) - after});
        mls_buffer_append(&made, text);
        after = (size_t)(match.ptr - line.ptr) + match.len;
        found = !global ? STATUS_NO : match.len > 0 ? regex_find(r, &self, line, after, &match) : STATUS_UNKNOWN;
    }
    mls_buffer_append(&made, found == STATUS_NO ? mls_str_rest(line, after) : SHELL_HOLE);
    mls_pattern_release(&self);
    while (script->len > 0 && strchr("; ", script->ptr[0]) != NULL)
        *script = mls_str_rest(*script, 1);
    return mls_shell_keep_buffer(r, &made);
}

mls_str mls_shell_sed(reading *r, const shell_fields *scripts, mls_str input)
{
    const bool ended = input.len > 0 && input.ptr[input.len - 1] == '\n';
    mls_str line = {input.ptr, input.len - ended};
    bool known = mls_shell_known(line) && (line.len == 0 || memchr(line.ptr, '\n', line.len) == NULL);
    for (size_t i = 0; i < scripts->count; i++) {
        mls_str script = scripts->items[i];
        known = known && mls_shell_known(script) && !mls_str_contains(script, MLS_S("\n"));
        for (; known && script.len > 0; known = mls_shell_known(line))
            line = substitute(r, &script, line);
    }
    return known ? mls_shell_join(r, line, ended ? MLS_S("\n") : MLS_S("")) : SHELL_HOLE;
}

/* ---- words ---- */

/* A word while it is expanded to a text or to fields. */
typedef struct builder {
    reading *r;
    shell_quoting quoting;
    shell_fields *fields; /* NULL: expand to one text */
    mls_buffer text;
    bool splits;        /* split the results of expansions; * and ? match files */
    bool braced;        /* contains an unquoted { */
    bool several;       /* contains {a,b} or {1..4}: several words */
    bool started;       /* the current field exists even if it is empty */
    bool hole_unquoted; /* contains a hole that may be no field or several */
    bool in_braces;     /* in "${A:-…}", where "\}" is a brace */
} builder;

static void build(builder *self, mls_str raw, bool in_quotes);

static void put(builder *self, mls_str bytes)
{
    self->started = true;
    if (self->text.len + bytes.len > SHELL_VALUE_BYTES_MAX) {
        mls_shell_limit(self->r, "length of a value");
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
    for (size_t i = 0; i < bytes.len && mls_shell_goes(self->r); i++) {
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
        mls_shell_fields_add(self->r, self->fields, mls_shell_keep(self->r, text));
    }
    mls_buffer_clear(&self->text);
    self->started = self->hole_unquoted = false;
}

/* Put an unquoted byte.  Files matched by * ? and [ are unknown, and so are patterns @(…). */
static void put_bare(builder *self, char c)
{
    const bool files = self->splits && (c == '*' || c == '?' || c == '[');
    put(self, files || (c == '(' && self->quoting != QUOTING_REGEX) ? SHELL_HOLE : (mls_str){&c, 1});
}

/* Put the result of an expansion.  Outside quotes it is split, and treated as a pattern. */
static void put_expansion(builder *self, mls_str text, bool in_quotes)
{
    if (in_quotes || !self->splits) {
        (in_quotes ? put_quoted : put)(self, text);
        return;
    }
    if (text.len > 0 && self->r->frame.separators_changed)
        text = SHELL_HOLE;
    for (size_t i = 0; i < text.len && mls_shell_goes(self->r); i++) {
        if (text.ptr[i] == ' ' || text.ptr[i] == '\t' || text.ptr[i] == '\n') {
            end_field(self);
        } else {
            put_bare(self, text.ptr[i]);
            self->hole_unquoted = self->hole_unquoted || text.ptr[i] == '\0';
        }
    }
}

static mls_str expand(reading *r, mls_str raw, shell_quoting quoting, bool in_quotes, bool in_braces)
{
    builder self = {.r = r, .quoting = quoting, .in_braces = in_braces};
    build(&self, raw, in_quotes);
    const mls_str text = mls_shell_keep_buffer(r, &self.text);
    return mls_shell_goes(r) ? text : SHELL_HOLE;
}

/* Expand a word in doubt, because it may assign variables. */
static mls_str expand_doubtful(reading *r, mls_str raw, bool in_quotes)
{
    r->frame.doubt++;
    const mls_str text = expand(r, raw, QUOTING_TEXT, in_quotes, in_quotes);
    r->frame.doubt--;
    return text;
}

/* ---- ${…} ---- */

typedef struct parameter {
    mls_str name;
    mls_str rest; /* the operator and its word, raw */
    mls_str value;
    shell_quoting quoting;
    bool in_quotes;
} parameter;

/* Return the length of a name, a position or a special parameter at the start of `text`. */
static size_t parameter_length(mls_str text)
{
    size_t length = 0;
    while (length < text.len && mls_is_digit(text.ptr[length]))
        length++;
    return length > 0 || text.len == 0              ? length
           : strchr("@*#?-$!", text.ptr[0]) != NULL ? 1
                                                    : mls_str_name_length(text);
}

/* Return the value of a variable, or of $?, $#, $1 and so on, like mls_shell_variable_get(). */
static mls_str value_of(reading *r, mls_str name)
{
    const shell_frame *frame = &r->frame;
    const shell_fields *arguments = &frame->arguments;
    const char c = name.ptr[0];
    size_t index;
    if (mls_str_name_length(name) > 0)
        return mls_shell_variable_get(r, name);
    if (c == '?')
        return frame->status == STATUS_UNKNOWN ? SHELL_HOLE : mls_shell_number(r, frame->status);
    if (!mls_size_parse(name, &index))
        index = 0;
    if (frame->lost || arguments->unknown || (index == 0 && strchr("@*#", c) == NULL))
        return SHELL_MAYBE;
    if (c == '#')
        return mls_shell_number(r, (int64_t)arguments->count);
    return arguments->count < (index > 0 ? index : 1) ? SHELL_UNSET
           : index > 0                                ? arguments->items[index - 1]
                                                      : SHELL_HOLE;
}

static mls_str bad_substitution(reading *r, mls_str inner, const char *problem)
{
    mls_shell_note(r, MLS_FINDING_CONFIG_SYNTAX, "${%.*s}: %s", MLS_CUT(inner, 60), problem);
    return SHELL_HOLE;
}

/* Expand ${A:-B} and variants.  With `colon`, an empty A counts as unset. */
static mls_str expand_default(reading *r, const parameter *self, char operation, bool colon, mls_str word)
{
    size_t holes = 0; /* holes at the start; if anything follows, the value is not empty */
    while (holes < self->value.len && self->value.ptr[holes] == '\0')
        holes++;
    const bool maybe = self->value.ptr == mls_shell_maybe;
    const bool there = self->value.ptr != mls_shell_unset && !maybe && (!colon || holes < self->value.len);
    const bool doubtful = maybe || (colon && self->value.len > 0 && holes == self->value.len);
    const bool named = mls_str_name_length(self->name) > 0;
    mls_str text = SHELL_HOLE;
    if (operation == '?') { /* without a value bash would exit, so assume that the job sets one */
        if (!there && named)
            mls_shell_variable_set(r, self->name, SHELL_HOLE, false);
        return there ? self->value : text;
    }
    if (!doubtful && there != (operation == '+'))
        return there ? self->value : MLS_S("");
    if (doubtful)
        (void)expand_doubtful(r, word, self->in_quotes);
    else
        text = expand(r, word, operation == '=' ? QUOTING_TEXT : self->quoting, self->in_quotes, self->in_quotes);
    if (operation == '=' && named)
        mls_shell_variable_set(r, self->name, text, false);
    return operation == '=' && !named && !doubtful ? bad_substitution(r, self->name, "cannot assign in this way")
                                                   : text;
}

static mls_str expand_braces(reading *r, mls_str inner, shell_quoting quoting, bool in_quotes)
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
    if (self.name.len == 0 || (length && self.rest.len > 0))
        return bad_substitution(r, inner, "bad substitution");
    if (list) {
        if (indirect && memchr(inner.ptr, '=', inner.len) != NULL)
            mls_shell_forget_all(r, MLS_S("${!…=…}"));
        (void)expand_doubtful(r, self.rest, in_quotes);
        return SHELL_HOLE;
    }
    self.value = value_of(r, self.name);
    if (length) {
        bool ascii = true; /* lengths count bytes here but characters in bash */
        for (size_t i = 0; i < self.value.len; i++)
            ascii = ascii && (unsigned char)self.value.ptr[i] < 0x80 && self.value.ptr[i] != '\0';
        return ascii ? mls_shell_number(r, (int64_t)self.value.len) : SHELL_HOLE;
    }
    r->frame.unset_used = r->frame.unset_used || (self.value.ptr == mls_shell_unset && self.rest.len == 0);
    const mls_str rest = self.rest;
    if (rest.len == 0)
        return self.value;
    const bool colon = rest.ptr[0] == ':';
    const bool longest = rest.len > 1 && rest.ptr[1] == rest.ptr[0];
    const char operation = !colon ? rest.ptr[0] : rest.len > 1 ? rest.ptr[1] : ' ';
    if (strchr("-=+?", operation) != NULL)
        return expand_default(r, &self, operation, colon, mls_str_rest(rest, colon ? 2 : 1));
    if (!colon && (operation == '#' || operation == '%')) {
        const mls_str pattern = expand(r, mls_str_rest(rest, longest ? 2 : 1), QUOTING_PATTERN, false, false);
        return pattern_strip(r, self.value, pattern, operation == '%', longest);
    }
    if (strchr(":/^,@", rest.ptr[0]) != NULL) {
        mls_shell_doubt_names(r, expand_doubtful(r, rest, false));
        return SHELL_HOLE;
    }
    return bad_substitution(r, inner, "bad substitution");
}

/* ---- $ ---- */

shell_integer mls_shell_expand_number(reading *r, mls_str raw)
{
    r->frame.unset_used = false;
    return calculate_text(r, expand(r, raw, QUOTING_TEXT, true, false));
}

/* Put the result of $(( … )) or $( … ). */
static mls_str expand_parentheses(reading *r, mls_str inner)
{
    if (inner.len > 1 && inner.ptr[0] == '(' && mls_shell_parentheses_end(inner, 0, 0) == inner.len) {
        const shell_integer number = mls_shell_expand_number(r, (mls_str){inner.ptr + 1, inner.len - 2});
        return number.known ? mls_shell_number(r, number.value) : SHELL_HOLE;
    }
    shell_output output = {0};
    const shell_frame outer = mls_shell_subshell_enter(r, &output);
    r->frame.input = NULL;
    r->frame.status = STATUS_YES;
    mls_shell_run_text(r, inner, outer.line);
    mls_shell_subshell_leave(r, &outer);
    mls_str text = mls_shell_keep_buffer(r, &output.text);
    while (text.len > 0 && text.ptr[text.len - 1] == '\n')
        text.len--;
    r->frame.substituted = true;
    return text;
}

/* Put the unit at `at`: a quoted string, a substitution, or a byte.  Return the index after it. */
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
        const bool last = at + 1 == raw.len;
        if (!last && next == '\n')
            return at + 2;
        const bool keeps = last || (in_quotes && strchr(self->in_braces ? "$`\"\\}" : "$`\"\\", next) == NULL);
        put_quoted(self, (mls_str){raw.ptr + at + !keeps, 1});
        return at + (keeps ? 1 : 2);
    }
    if (c == '$' && (next == '(' || next == '{')) {
        const mls_str inner = {unit.ptr + 2, unit.len - 3};
        const bool quotes = next == '{' && !in_quotes && self->splits && /* in a default they prevent splitting */
                            (memchr(inner.ptr, '"', inner.len) != NULL || memchr(inner.ptr, '\'', inner.len) != NULL ||
                             memchr(inner.ptr, '\\', inner.len) != NULL);
        const mls_str text = next == '{'
                                 ? expand_braces(self->r, inner, in_quotes ? QUOTING_TEXT : self->quoting, in_quotes)
                                 : expand_parentheses(self->r, inner);
        put_expansion(self, quotes ? SHELL_HOLE : text, in_quotes);
    } else if (c == '$' && next == '"' && !in_quotes) {
        self->started = true;                            /* as without the dollar */
    } else if (c == '`' || (c == '$' && unit.len > 1)) { /* configs do not use `…`, $[…] and $'…' */
        put_expansion(self, SHELL_HOLE, in_quotes || c == '$');
    } else if (c == '$' && parameter_length(after) > 0) {
        const size_t length = mls_is_digit(next) ? 1 : parameter_length(after);
        const mls_str value = value_of(self->r, (mls_str){after.ptr, length});
        self->r->frame.unset_used = self->r->frame.unset_used || value.ptr == mls_shell_unset;
        put_expansion(self, value, in_quotes);
        return at + 1 + length;
    } else if (in_quotes) {
        put_quoted(self, c != '"' ? unit : MLS_S("")); /* nested quotes are just removed: "${A:-"b c"}" */
    } else if (c == '\'') {
        put_quoted(self, (mls_str){unit.ptr + 1, unit.len - 2});
    } else if (c == '"') {
        build(self, (mls_str){unit.ptr + 1, unit.len - 2}, true);
    } else if (c == '~') { /* a home folder; inside a word a plain character */
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
    for (size_t at = 0; at < raw.len && mls_shell_goes(self->r);)
        at = put_unit(self, raw, at, in_quotes);
}

mls_str mls_shell_expand(reading *r, mls_str raw, shell_quoting quoting)
{
    return expand(r, raw, quoting, false, false);
}

void mls_shell_expand_fields(reading *r, mls_str raw, bool splits, shell_fields *fields)
{
    const bool bracket = mls_str_starts(raw, MLS_S("[")) && memchr(raw.ptr, ']', raw.len) == NULL; /* the command [ */
    builder self = {.r = r, .quoting = QUOTING_TEXT, .fields = fields, .splits = splits && !bracket};
    build(&self, raw, false);
    end_field(&self);
    mls_buffer_release(&self.text);
    if (self.several && mls_shell_goes(r)) { /* otherwise the field may not exist */
        fields->items[fields->count - 1] = splits ? SHELL_HOLE : fields->items[fields->count - 1];
        fields->unknown = true;
    }
}

/* ---- [ ] and [[ ]] ---- */

/* The words of [[ ]], raw, or of [ ], expanded. */
typedef struct condition {
    reading *r;
    const mls_str *words;
    size_t count;
    size_t at;
    size_t depth;
    bool expanded;
    bool mistake;
} condition;

static int joined(condition *c, bool either);

static mls_str operand(condition *c, size_t at, shell_quoting quoting)
{
    return c->expanded ? c->words[at] : mls_shell_expand(c->r, c->words[at], quoting);
}

/* Test a text, a variable (-v), or a file, relative to the script. */
static int test_unary(reading *r, char kind, mls_str text)
{
    shell_fields matching = {0};
    mls_str bytes;
    if (kind == 'n' || kind == 'z')
        return mls_shell_known(text) ? mls_shell_status_of((text.len > 0) == (kind == 'n')) : STATUS_UNKNOWN;
    if (kind == 'v' && mls_str_is_name(text)) {
        const char *value = mls_shell_variable_get(r, text).ptr;
        return value == mls_shell_maybe ? STATUS_UNKNOWN : mls_shell_status_of(value != mls_shell_unset);
    }
    if (strchr("efrsd", kind) == NULL)
        return STATUS_UNKNOWN;
    if (!mls_shell_known(text)) {
        mls_shell_file_match(r, text, &matching);
        r->frame.guard = text;
        return matching.unknown || matching.count > 0 || kind == 'd' ? STATUS_UNKNOWN : STATUS_NO;
    }
    const mls_status status = mls_shell_file_read(r, &text, &bytes);
    return status == MLS_OK           ? mls_shell_status_of(kind != 'd' && (kind != 's' || bytes.len > 0))
           : status == MLS_ERROR_READ ? STATUS_NO
                                      : STATUS_UNKNOWN;
}

static shell_integer number_of(condition *c, mls_str text)
{
    shell_integer number = {.known = mls_shell_known(text)};
    if (!c->expanded)
        return calculate_text(c->r, text);
    c->mistake = c->mistake || (number.known && !mls_integer_parse(text, &number.value));
    return number;
}

static int test_binary(condition *c)
{
    const mls_str operation = c->words[c->at + 1];
    const bool regex = mls_str_among(operation, " =~ ");
    const bool equality = mls_str_among(operation, " = == != ");
    const shell_quoting quoting = regex ? QUOTING_REGEX : equality ? QUOTING_PATTERN : QUOTING_TEXT;
    const mls_str left = operand(c, c->at, QUOTING_TEXT);
    const mls_str right = operand(c, c->at + 2, quoting);
    c->at += 3;
    c->mistake = c->mistake || (regex && c->expanded);
    if (equality && c->expanded) {
        const bool same = mls_str_equal(left, right) == (operation.ptr[0] == '=');
        return mls_shell_known(left) && mls_shell_known(right) ? mls_shell_status_of(same) : STATUS_UNKNOWN;
    }
    if (equality || regex) {
        const int found = matches(c->r, right, regex, left);
        return operation.ptr[0] == '!' ? mls_shell_status_not(found) : found;
    }
    if (mls_str_among(operation, " -eq -ne -lt -le -gt -ge ")) {
        const shell_integer a = number_of(c, left);
        const shell_integer b = number_of(c, right);
        const char *true_ones = a.value == b.value  ? " -eq -le -ge "
                                : a.value < b.value ? " -ne -lt -le "
                                                    : " -ne -gt -ge ";
        return a.known && b.known ? mls_shell_status_of(mls_str_among(operation, true_ones)) : STATUS_UNKNOWN;
    }
    return STATUS_UNKNOWN;
}

static bool word_is(const condition *c, size_t at, const char *words)
{
    return at < c->count && mls_str_among(c->words[at], words);
}

static int term(condition *c)
{
    const size_t at = c->at;
    const bool alone = at + 1 >= c->count || word_is(c, at + 1, c->expanded ? " -a -o ) " : " && || ) ");
    int status;
    if (at >= c->count || c->depth >= SHELL_NESTING_MAX || !mls_shell_goes(c->r)) {
        c->mistake = true;
        return STATUS_UNKNOWN;
    }
    c->depth++;
    if (at + 2 < c->count && word_is(c, at + 1, " = == != =~ < > -eq -ne -lt -le -gt -ge -nt -ot -ef ")) {
        status = test_binary(c);
    } else if (word_is(c, at, " ! ") && !alone) {
        c->at++;
        status = mls_shell_status_not(term(c));
    } else if (word_is(c, at, " ( ") && !alone) {
        c->at++;
        status = joined(c, true);
        c->mistake = c->mistake || !word_is(c, c->at, " ) ");
        c->at++;
    } else {
        const bool unary = !alone && word_is(c, at,
                                             " -a -b -c -d -e -f -g -h -k -n -o -p -r -s -t -u -v -w -x -z"
                                             " -G -L -N -O -R -S ");
        c->at += unary ? 2 : 1;
        status = test_unary(c->r, unary ? c->words[at].ptr[1] : 'n', operand(c, c->at - 1, QUOTING_TEXT));
    }
    c->depth--;
    return status;
}

/* Evaluate terms joined by && or, with `either`, by ||.  Terms after the first may not be evaluated. */
static int joined(condition *c, bool either)
{
    const char *joint = c->expanded ? (either ? " -o " : " -a ") : (either ? " || " : " && ");
    const int decisive = mls_shell_status_of(either);
    const unsigned doubt = c->r->frame.doubt;
    int status = either ? joined(c, false) : term(c);
    while (!c->mistake && word_is(c, c->at, joint)) {
        c->at++;
        c->r->frame.doubt = doubt + !c->expanded;
        const int right = either ? joined(c, false) : term(c);
        status = status == decisive || right == decisive               ? decisive
                 : status == STATUS_UNKNOWN || right == STATUS_UNKNOWN ? STATUS_UNKNOWN
                                                                       : mls_shell_status_of(!either);
    }
    c->r->frame.doubt = doubt;
    return status;
}

int mls_shell_condition(reading *r, const shell_fields *words, bool expanded)
{
    condition c = {.r = r, .words = words->items, .count = words->count, .expanded = expanded};
    const int status = words->count > 0 ? joined(&c, true) : STATUS_NO;
    const bool wrong = c.mistake || c.at < words->count;
    return !wrong ? status : expanded && mls_shell_fields_known(words) ? STATUS_MISTAKE : STATUS_UNKNOWN;
}
