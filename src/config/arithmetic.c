/* SPDX-License-Identifier: Apache-2.0 */
/* arithmetic.c - arithmetic as bash does it: 64 bits that wrap around, names whose values are expressions again, what
 * is unset counts as 0.  Of operators that no config uses (bits, powers, ++ and --) and of 2#101 the result is unknown.
 */
#include "base/utf8.h"
#include "config/script_state.h"

typedef struct calculation {
    mls_shell_state *state;
    mls_str text;
    size_t at;
    size_t depth;
    const char *problem; /* static text */
} calculation;

enum { RANK_COMMA, RANK_ASSIGN, RANK_CHOICE, RANK_OR, RANK_AND };

/* By rank: later ones bind tighter. */
static const char *const operations[] = {" , ",     " = *= /= %= += -= <<= >>= &= ^= |= ",
                                         " ? ",     " || ",
                                         " && ",    " | ",
                                         " ^ ",     " & ",
                                         " == != ", " < > <= >= ",
                                         " << >> ", " + - ",
                                         " * / % ", " ** "};

static const mls_shell_integer unknown_integer = {0, false};

static mls_shell_integer binary(calculation *self, int lowest);

static mls_shell_integer wrapped(uint64_t value)
{
    return (mls_shell_integer){(int64_t)value, true};
}

static mls_shell_integer problem(calculation *self, const char *text)
{
    self->problem = self->problem == NULL ? text : self->problem;
    return unknown_integer;
}

static char peek_char(const calculation *self, size_t ahead)
{
    return self->at + ahead < self->text.len ? self->text.ptr[self->at + ahead] : '\0';
}

/* The rest of the text, after blanks. */
static mls_str rest_of(calculation *self)
{
    while (mls_is_blank(peek_char(self, 0))) {
        self->at++;
    }
    return mls_str_rest(self->text, self->at);
}

static bool take_sign(calculation *self, const char *text)
{
    const mls_str token = mls_str_from(text);
    const bool found = self->problem == NULL && mls_str_starts(rest_of(self), token);
    self->at += found ? token.len : 0;
    return found;
}

static mls_str take_name(calculation *self)
{
    const mls_str rest = rest_of(self);
    const mls_str name = {rest.ptr, mls_str_name_length(rest)};
    self->at += name.len;
    return name;
}

/* The rank of the operation at the cursor, which is the longest; -1: there is none. */
static int rank_at(calculation *self, mls_str *operation)
{
    const mls_str rest = rest_of(self);
    for (operation->len = rest.len < 3 ? rest.len : 3, operation->ptr = rest.ptr; operation->len > 0;
         operation->len--) {
        for (size_t i = 0; i < sizeof operations / sizeof *operations; i++) {
            if (mls_str_among(*operation, operations[i])) {
                return (int)i;
            }
        }
    }
    return -1;
}

/* That of an assignment too. */
static mls_shell_integer calculate(calculation *self, mls_str operation, mls_shell_integer left,
                                   mls_shell_integer right)
{
    const char c = operation.ptr[0];
    const bool equals = operation.len == 2 && operation.ptr[1] == '=';
    const int64_t a = left.value;
    const int64_t b = right.value;
    if (right.known && b == 0 && (c == '/' || c == '%')) {
        return self->state->frame.doubt > 0 ? unknown_integer : problem(self, "division by 0");
    }
    if (c == ',' || !left.known || !right.known || (operation.len > 1 && !equals)) {
        return c == ',' ? right : unknown_integer;
    }
    switch (c) {
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

/* 12, 0x1f, 017; what 2#101 is, which no config uses, is not known. */
static mls_shell_integer literal(calculation *self)
{
    static const char digits[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ@_#";
    const bool hex = peek_char(self, 0) == '0' && (peek_char(self, 1) | 0x20) == 'x';
    const size_t base = hex ? 16 : peek_char(self, 0) == '0' ? 8 : 10;
    bool wrong = false;
    bool based = false;
    uint64_t value = 0;
    const char *found;
    for (self->at += hex ? 2 : 0; (found = memchr(digits, peek_char(self, 0), sizeof digits - 1)) != NULL; self->at++) {
        const size_t index = (size_t)(found - digits);
        const size_t digit = index < 36 ? index : index - 26;
        based = based || *found == '#';
        wrong = wrong || digit >= base;
        value = value * base + digit;
    }
    return based ? unknown_integer : wrong ? problem(self, "value too great for base") : wrapped(value);
}

/* Whether a value may assign to something when it is calculated. */
static bool is_expression(mls_str value)
{
    int64_t number;
    return value.len > 0 && mls_shell_known(value) && !mls_integer_parse(value, &number);
}

void mls_shell_doubt_names(mls_shell_state *state, mls_str expression)
{
    calculation self = {.state = state, .text = expression};
    mls_str operation;
    while (rest_of(&self).len > 0) {
        const char *here = expression.ptr + self.at;
        const bool steps = self.at > 1 && (here[-1] == '+' || here[-1] == '-') && here[-1] == here[-2];
        const mls_str name = take_name(&self);
        self.at += name.len == 0;
        calculation ahead = self;
        if (name.len > 0 && (steps || take_sign(&ahead, "++") || take_sign(&ahead, "--") || take_sign(&ahead, "[") ||
                             rank_at(&ahead, &operation) == RANK_ASSIGN)) {
            mls_shell_variable_set(state, name, SHELL_HOLE, false);
        } else if (name.len > 0 && is_expression(mls_shell_variable_get(state, name))) {
            mls_shell_forget_all(state, name);
        }
    }
}

static mls_shell_integer whole(calculation *self)
{
    if (mls_str_contains(self->text, MLS_S("++")) || mls_str_contains(self->text, MLS_S("--")) ||
        mls_str_contains(self->text, MLS_S("["))) {
        mls_shell_doubt_names(self->state, self->text);
        return unknown_integer;
    }
    const mls_shell_integer result = rest_of(self).len == 0 ? wrapped(0) : binary(self, RANK_COMMA);
    return rest_of(self).len > 0 ? problem(self, "syntax error in expression") : result;
}

/* The number of a name: its value as an expression of its own. */
static mls_shell_integer integer_of(calculation *self, mls_str name)
{
    calculation inner = *self;
    inner.text = mls_shell_variable_get(self->state, name);
    inner.at = 0;
    if (inner.text.ptr == mls_shell_unset) {
        self->state->frame.unset_used = true;
        return wrapped(0);
    }
    if (!mls_shell_known(inner.text) || !mls_shell_step(self->state, inner.text.len + 1)) {
        return unknown_integer;
    }
    const mls_shell_integer result = whole(&inner);
    return inner.problem != NULL ? problem(self, inner.problem) : result;
}

static void assign_integer(calculation *self, mls_str name, mls_shell_integer value)
{
    const mls_str text = value.known ? mls_shell_number(self->state, value.value) : SHELL_HOLE;
    if (self->problem == NULL) {
        mls_shell_variable_set(self->state, name, text, false);
    }
}

static mls_shell_integer name_value(calculation *self, bool assignable)
{
    const mls_str name = take_name(self);
    mls_str operation;
    if (rank_at(self, &operation) != RANK_ASSIGN || !assignable) {
        return integer_of(self, name);
    }
    const bool plain = operation.len == 1;
    const mls_shell_integer before = plain ? unknown_integer : integer_of(self, name);
    self->at += operation.len;
    mls_shell_integer value = binary(self, RANK_ASSIGN);
    value = plain ? value : calculate(self, operation, before, value);
    assign_integer(self, name, value);
    return value;
}

static mls_shell_integer primary(calculation *self, bool assignable)
{
    if (take_sign(self, "(")) {
        const mls_shell_integer value = binary(self, RANK_COMMA);
        return take_sign(self, ")") ? value : problem(self, "missing ')'");
    }
    if (mls_is_digit(peek_char(self, 0))) {
        return literal(self);
    }
    if (self->at < self->text.len && peek_char(self, 0) == '\0') {
        self->at++;
        return unknown_integer;
    }
    return mls_str_name_length(rest_of(self)) > 0 ? name_value(self, assignable) : problem(self, "operand expected");
}

static mls_shell_integer unary(calculation *self, bool assignable)
{
    mls_shell_integer value = unknown_integer;
    if (++self->depth > SHELL_ARITHMETIC_DEPTH_MAX) {
        mls_shell_limit(self->state, "depth of arithmetic");
        (void)problem(self, "nested too deep");
    } else if (take_sign(self, "!")) {
        value = unary(self, false);
        value.value = value.value == 0;
    } else if (take_sign(self, "-")) {
        value = unary(self, false);
        value.value = wrapped(0 - (uint64_t)value.value).value;
    } else if (take_sign(self, "~")) {
        (void)unary(self, false);
    } else if (self->problem == NULL) {
        value = take_sign(self, "+") ? unary(self, false) : primary(self, assignable);
    }
    self->depth--;
    return value;
}

/* One side of && || ?:, which may not be evaluated. */
static mls_shell_integer side(calculation *self, int lowest)
{
    self->state->frame.doubt++;
    self->depth++;
    const mls_shell_integer value = binary(self, lowest);
    self->depth--;
    self->state->frame.doubt--;
    return value;
}

static mls_shell_integer logical(calculation *self, mls_shell_integer left, int rank)
{
    const bool either = rank == RANK_OR;
    const mls_shell_integer right = side(self, rank + 1);
    const bool decided = (left.known && (left.value != 0) == either) || (right.known && (right.value != 0) == either);
    return (mls_shell_integer){decided ? either : !either, decided || (left.known && right.known)};
}

static mls_shell_integer choice(calculation *self, mls_shell_integer condition)
{
    const mls_shell_integer yes = side(self, RANK_COMMA);
    if (!take_sign(self, ":")) {
        return problem(self, "':' expected for conditional expression");
    }
    const mls_shell_integer no = side(self, RANK_CHOICE);
    const bool same = yes.known && no.known && yes.value == no.value;
    return !condition.known ? (mls_shell_integer){yes.value, same} : condition.value != 0 ? yes : no;
}

static mls_shell_integer binary(calculation *self, int lowest)
{
    mls_shell_integer left = unary(self, lowest <= RANK_ASSIGN);
    mls_str operation;
    /* An assignment to something that cannot be assigned to ends the expression here. */
    for (int rank; (rank = rank_at(self, &operation)) >= lowest && rank != RANK_ASSIGN && self->problem == NULL;) {
        self->at += operation.len;
        left = rank == RANK_CHOICE                   ? choice(self, left)
               : rank == RANK_OR || rank == RANK_AND ? logical(self, left, rank)
                                                     : calculate(self, operation, left, binary(self, rank + 1));
    }
    return left;
}

mls_shell_integer mls_shell_calculate(mls_shell_state *state, mls_str expression)
{
    calculation self = {.state = state, .text = expression};
    const mls_shell_integer result = mls_shell_step(state, expression.len + 1) ? whole(&self) : unknown_integer;
    if (self.problem == NULL && !state->stopped) {
        return result;
    }
    if (!state->stopped && (state->frame.unset_used || !mls_shell_known(expression))) {
        mls_shell_doubt_names(state, expression);
    } else if (!state->stopped) {
        mls_shell_note(state, MLS_FINDING_CONFIG_ARITHMETIC, "%s in $((%.*s))", self.problem, MLS_CUT(expression, 60));
    }
    return unknown_integer;
}
