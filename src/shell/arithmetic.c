/* SPDX-License-Identifier: Apache-2.0 */
/*
 * arithmetic.c - arithmetic as bash does it: 64 bits that wrap around, names
 * whose values are expressions again, what is unset counts as 0.
 *
 * All of C's operators and bash's are read.  Those that no config uses (bits,
 * powers, ++ and --) have a result that is not known.
 */
#include <string.h>

#include "base/number.h"
#include "base/utf8.h"
#include "shell/expand.h"

typedef struct calculation {
    mls_shell_state *state;
    mls_str text;
    size_t at;
    size_t start; /* of the current assignment: only a name here may be assigned to */
    size_t depth;
    size_t levels;       /* of names inside names' values */
    const char *problem; /* static text */
} calculation;

static const mls_shell_integer unknown_integer = {0, false};

static mls_shell_integer comma(calculation *self);
static mls_shell_integer assignment(calculation *self);
static mls_shell_integer unary(calculation *self);
static mls_shell_integer binary(calculation *self, int lowest);

static mls_shell_integer integer(int64_t value)
{
    return (mls_shell_integer){value, true};
}

static mls_shell_integer wrapped(uint64_t value)
{
    int64_t same_bits;
    memcpy(&same_bits, &value, sizeof value);
    return integer(same_bits);
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

static mls_str rest_of(const calculation *self)
{
    return (mls_str){self->text.ptr + self->at, self->text.len - self->at};
}

static void skip_space(calculation *self)
{
    while (peek_char(self, 0) != '\0' && strchr(" \t\n\r", peek_char(self, 0)) != NULL) {
        self->at++;
    }
}

/* Whether `text` stands at the cursor, blanks passed; it is taken then. */
static bool take(calculation *self, const char *text)
{
    skip_space(self);
    const mls_str token = mls_str_from(text);
    const bool found = self->problem == NULL && mls_str_starts(rest_of(self), token);
    self->at += found ? token.len : 0;
    return found;
}

static mls_shell_integer calculate(calculation *self, mls_str operation, mls_shell_integer left,
                                   mls_shell_integer right)
{
    const char c = operation.ptr[0];
    const bool equals = operation.len == 2 && operation.ptr[1] == '=';
    if (right.known && right.value == 0 && (c == '/' || c == '%')) {
        return self->state->frame->doubt > 0 ? unknown_integer : problem(self, "division by 0");
    }
    if (!left.known || !right.known || (operation.len == 2 && !equals)) {
        return unknown_integer;
    }
    const int64_t a = left.value;
    const int64_t b = right.value;
    switch (c) {
    case '*':
        return wrapped((uint64_t)a * (uint64_t)b);
    case '/':
        return b == -1 ? wrapped(0 - (uint64_t)a) : integer(a / b);
    case '%':
        return integer(b == -1 ? 0 : a % b);
    case '+':
        return wrapped((uint64_t)a + (uint64_t)b);
    case '-':
        return wrapped((uint64_t)a - (uint64_t)b);
    case '<':
        return integer(equals ? a <= b : a < b);
    case '>':
        return integer(equals ? a >= b : a > b);
    case '=':
        return integer(a == b);
    case '!':
        return integer(a != b);
    default:
        return unknown_integer;
    }
}

static unsigned digit_value(char c, unsigned base)
{
    if (c >= '0' && c <= '9') {
        return (unsigned)(c - '0');
    }
    if (c >= 'a' && c <= 'z') {
        return (unsigned)(c - 'a') + 10;
    }
    if (c >= 'A' && c <= 'Z') {
        return (unsigned)(c - 'A') + (base <= 36 ? 10 : 36);
    }
    return c == '@' ? 62 : c == '_' ? 63 : 99;
}

/* 12, 0x1f, 017, 2#101: the digits of one base up to the first byte that is none. */
static mls_shell_integer literal(calculation *self)
{
    unsigned base = peek_char(self, 0) != '0' ? 10 : (peek_char(self, 1) | 0x20) == 'x' ? 16 : 8;
    bool named_base = false;
    uint64_t value = 0;
    size_t digits = 0;
    self->at += base == 16 ? 2 : 0;
    for (unsigned digit; self->at < self->text.len; self->at++) {
        if (peek_char(self, 0) == '#' && !named_base && base == 10) {
            if (value < 2 || value > 64) {
                return problem(self, "invalid arithmetic base");
            }
            base = (unsigned)value;
            named_base = true;
            value = digits = 0;
        } else if ((digit = digit_value(peek_char(self, 0), base)) == 99) {
            break;
        } else if (digit >= base) {
            return problem(self, "value too great for base");
        } else {
            value = value * base + digit;
            digits++;
        }
    }
    return digits == 0 && named_base ? problem(self, "invalid integer constant") : wrapped(value);
}

static bool enter(calculation *self)
{
    if (++self->depth > SHELL_ARITHMETIC_DEPTH_MAX && self->problem == NULL) {
        mls_shell_limit(self->state, "depth of arithmetic");
        self->problem = "nested too deep";
    }
    return self->problem == NULL;
}

static mls_shell_integer whole(calculation *self)
{
    skip_space(self);
    const mls_shell_integer result = self->at == self->text.len ? integer(0) : comma(self);
    skip_space(self);
    if (self->at < self->text.len) {
        (void)problem(self, "syntax error in expression");
    }
    return result;
}

/* What a name stands for: its value as an expression of its own. */
static mls_shell_integer value_of(calculation *self, mls_str name)
{
    calculation inner = *self;
    const mls_shell_presence presence = mls_shell_variable_get(self->state, name, &inner.text);
    self->state->frame->unset_used = self->state->frame->unset_used || presence == PRESENCE_UNSET;
    if (presence == PRESENCE_UNSET) {
        return integer(0);
    }
    inner.at = 0;
    inner.levels++;
    if (!mls_shell_known(inner.text) || !mls_shell_step(self->state, inner.text.len + 1)) {
        return unknown_integer;
    }
    if (inner.levels > SHELL_ARITHMETIC_LEVELS_MAX) {
        return problem(self, "expression recursion level exceeded");
    }
    const mls_shell_integer result = whole(&inner);
    return inner.problem != NULL ? problem(self, inner.problem) : result;
}

static void assign(calculation *self, mls_str name, mls_shell_integer value)
{
    const mls_str text = value.known ? mls_shell_number(self->state, value.value) : SHELL_HOLE;
    if (self->problem == NULL) {
        mls_shell_variable_set(self->state, name, text);
    }
}

enum { RANK_CHOICE = 1, RANK_OR = 2, RANK_AND = 3, RANK_EQUAL = 7, RANK_ORDER = 8 };

/* The binary operator at the cursor: its rank, higher ones binding tighter, or 0; *assigns: it is one like +=. */
static int operator_at(calculation *self, mls_str *operation, bool *assigns)
{
    /* Longer ones first, so that << is not read as <. */
    static const struct {
        const char *text;
        int rank;
    } operators[] = {{"**", 12},         {"<<", 9},          {">>", 9},        {"<=", RANK_ORDER}, {">=", RANK_ORDER},
                     {"==", RANK_EQUAL}, {"!=", RANK_EQUAL}, {"&&", RANK_AND}, {"||", RANK_OR},    {"*", 11},
                     {"/", 11},          {"%", 11},          {"+", 10},        {"-", 10},          {"<", RANK_ORDER},
                     {">", RANK_ORDER},  {"&", 6},           {"^", 5},         {"|", 4},           {"?", RANK_CHOICE}};
    skip_space(self);
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++) {
        const int rank = operators[i].rank;
        *operation = mls_str_from(operators[i].text);
        if (mls_str_starts(rest_of(self), *operation)) {
            *assigns =
                rank > RANK_AND && rank != RANK_EQUAL && rank != RANK_ORDER && peek_char(self, operation->len) == '=';
            return rank;
        }
    }
    *operation = MLS_S("");
    *assigns = peek_char(self, 0) == '=';
    return 0;
}

static mls_shell_integer name_value(calculation *self)
{
    const bool first = self->at == self->start;
    const mls_str name = {rest_of(self).ptr, mls_shell_name_length(rest_of(self))};
    self->at += name.len;
    if (peek_char(self, 0) == '[') { /* lists are not looked into */
        size_t open = 0;
        for (; self->at < self->text.len && (open > 0 || peek_char(self, 0) == '['); self->at++) {
            open += peek_char(self, 0) == '[';
            open -= peek_char(self, 0) == ']';
        }
        assign(self, name, unknown_integer);
        return open > 0 ? problem(self, "bad array subscript") : unknown_integer;
    }
    const size_t behind = self->at;
    if (take(self, "++") || take(self, "--")) {
        assign(self, name, unknown_integer);
        return unknown_integer;
    }
    mls_str operation;
    bool assigns;
    (void)operator_at(self, &operation, &assigns);
    if (!first || !assigns) {
        self->at = behind;
        return value_of(self, name);
    }
    self->at += operation.len + 1;
    const mls_shell_integer before = operation.len > 0 ? value_of(self, name) : integer(0);
    mls_shell_integer value = assignment(self);
    value = operation.len > 0 ? calculate(self, operation, before, value) : value;
    assign(self, name, value);
    return value;
}

static mls_shell_integer primary(calculation *self)
{
    if (take(self, "(")) {
        const mls_shell_integer value = comma(self);
        return take(self, ")") ? value : problem(self, "missing ')'");
    }
    if (peek_char(self, 0) >= '0' && peek_char(self, 0) <= '9') {
        return literal(self);
    }
    if (self->at < self->text.len && peek_char(self, 0) == '\0') {
        self->at++;
        return unknown_integer;
    }
    return mls_shell_name_length(rest_of(self)) > 0 ? name_value(self) : problem(self, "operand expected");
}

static mls_shell_integer unary(calculation *self)
{
    mls_shell_integer value = unknown_integer;
    if (!enter(self)) {
        return value;
    }
    skip_space(self);
    const char c = peek_char(self, 0);
    const bool doubled = (c == '+' || c == '-') && peek_char(self, 1) == c;
    if (c == '\0' || strchr("!~+-", c) == NULL) {
        value = primary(self);
    } else {
        self->at++;
        skip_space(self);
        calculation ahead = *self;
        ahead.at += doubled;
        skip_space(&ahead);
        const mls_str name = {rest_of(&ahead).ptr, mls_shell_name_length(rest_of(&ahead))};
        if (doubled && name.len > 0) { /* ++A; before anything but a name they are two signs */
            self->at = ahead.at + name.len;
            assign(self, name, value);
        } else {
            value = unary(self);
            value = c == '!'   ? (mls_shell_integer){value.value == 0, value.known}
                    : c == '-' ? (mls_shell_integer){wrapped(0 - (uint64_t)value.value).value, value.known}
                    : c == '~' ? unknown_integer
                               : value;
        }
    }
    self->depth--;
    return value;
}

/* One side of && || ?:, which may not be looked at. */
static mls_shell_integer side(calculation *self, int lowest)
{
    self->state->frame->doubt++;
    const mls_shell_integer value = lowest > 0 ? binary(self, lowest) : comma(self);
    self->state->frame->doubt--;
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
    const mls_shell_integer yes = side(self, 0);
    if (!take(self, ":")) {
        return problem(self, "':' expected for conditional expression");
    }
    const mls_shell_integer no = side(self, RANK_CHOICE);
    const bool same = yes.known && no.known && yes.value == no.value;
    return !condition.known ? (mls_shell_integer){yes.value, same} : condition.value != 0 ? yes : no;
}

static mls_shell_integer binary(calculation *self, int lowest)
{
    mls_shell_integer left = enter(self) ? unary(self) : unknown_integer;
    mls_str operation;
    bool assigns;
    /* "a += b" behind something that cannot be assigned to ends the expression here. */
    for (int rank; (rank = operator_at(self, &operation, &assigns)) >= lowest && !assigns && self->problem == NULL;) {
        self->at += operation.len;
        left = rank == RANK_CHOICE                   ? choice(self, left)
               : rank == RANK_AND || rank == RANK_OR ? logical(self, left, rank)
                                                     : calculate(self, operation, left, binary(self, rank + 1));
    }
    self->depth--;
    return left;
}

static mls_shell_integer assignment(calculation *self)
{
    const size_t outer = self->start;
    skip_space(self);
    self->start = self->at;
    const mls_shell_integer value = binary(self, RANK_CHOICE);
    self->start = outer;
    return value;
}

static mls_shell_integer comma(calculation *self)
{
    mls_shell_integer value = assignment(self);
    while (take(self, ",")) {
        value = assignment(self);
    }
    return value;
}

/* What cannot be read here the job may read: names that it would assign to are in doubt. */
static void doubt_names(mls_shell_state *state, mls_str expression)
{
    calculation self = {.state = state, .text = expression};
    while (self.at < expression.len) {
        const char *here = expression.ptr + self.at;
        const mls_str name = {here, mls_shell_name_length(rest_of(&self))};
        bool steps = self.at > 1 && (here[-1] == '+' || here[-1] == '-') && here[-1] == here[-2];
        bool assigns = false;
        mls_str operation;
        self.at += name.len > 0 ? name.len : 1;
        calculation ahead = self;
        steps = steps || take(&ahead, "++") || take(&ahead, "--");
        (void)operator_at(&ahead, &operation, &assigns);
        if (name.len > 0 && (steps || assigns)) {
            mls_shell_variable_set(state, name, SHELL_HOLE);
        }
    }
}

void mls_shell_calculate(mls_shell_state *state, mls_str expression, mls_shell_integer *result)
{
    calculation self = {.state = state, .text = expression};
    *result = mls_shell_step(state, expression.len + 1) ? whole(&self) : unknown_integer;
    if (self.problem == NULL && !state->stopped) {
        return;
    }
    *result = unknown_integer;
    if (!state->stopped && (state->frame->unset_used || !mls_shell_known(expression))) {
        doubt_names(state, expression);
    } else if (!state->stopped) {
        mls_shell_note(state, MLS_FINDING_CONFIG_ARITHMETIC, "%s in $((%.*s))", self.problem, MLS_CUT(expression, 60));
    }
}

bool mls_shell_integer_read(mls_str text, int64_t *number)
{
    while (text.len > 0 && strchr(" \t\n", text.ptr[0]) != NULL && text.ptr[0] != '\0') {
        text = (mls_str){text.ptr + 1, text.len - 1};
    }
    while (text.len > 0 && strchr(" \t\n", text.ptr[text.len - 1]) != NULL) {
        text.len--;
    }
    const bool sign = text.len > 0 && (text.ptr[0] == '-' || text.ptr[0] == '+');
    size_t size;
    if (!mls_size_parse((mls_str){text.ptr + sign, text.len - sign}, &size) || size > INT64_MAX) {
        return false;
    }
    *number = sign && text.ptr[0] == '-' ? -(int64_t)size : (int64_t)size;
    return true;
}
