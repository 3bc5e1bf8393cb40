/* SPDX-License-Identifier: Apache-2.0 */
/*
 * arithmetic.c - arithmetic as bash does it: 64 bits that wrap around, names
 * whose values are expressions again, what is unset counts as 0.
 *
 * All of C's operators and bash's are read.  Those that no config uses (bits,
 * powers, ++ and --) have a result that is not known.
 */
#include <string.h>

#include "shell/expand.h"

#include "base/utf8.h"

typedef struct calculation {
    mls_shell_state *state;
    mls_str text;
    size_t at;
    size_t start; /* of the current assignment: only a name here may be assigned to */
    size_t depth;
    size_t levels;       /* of names inside names' values */
    unsigned skipped;    /* > 0: the side of && || ?: that does not count */
    const char *problem; /* static text */
} calculation;

static const mls_shell_integer unknown_integer = {0, false};
static const char division_by_zero[] = "division by 0";

static mls_shell_integer comma(calculation *self);
static mls_shell_integer assignment(calculation *self);
static mls_shell_integer unary(calculation *self);

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
    /* A wrong value on the side that is not taken is no error, but syntax is. */
    if (self->problem == NULL && (self->skipped == 0 || text != division_by_zero)) {
        self->problem = text;
    }
    return integer(0);
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
        return problem(self, division_by_zero);
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
    if (presence == PRESENCE_UNSET || self->skipped > 0) {
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
    if (self->skipped > 0 || self->problem != NULL) {
        return;
    }
    const mls_str text = value.known ? mls_shell_number(self->state, value.value) : SHELL_HOLE;
    if (!mls_shell_variable_set(self->state, name, text)) {
        (void)problem(self, "readonly variable");
    }
}

/* The operator of "A += 1" at the cursor: its length with the '=', 0 when there is none. */
static size_t assignment_length(const calculation *self)
{
    const mls_str rest = rest_of(self);
    if (mls_str_starts(rest, MLS_S("<<=")) || mls_str_starts(rest, MLS_S(">>="))) {
        return 3;
    }
    if (peek_char(self, 1) == '=' && peek_char(self, 0) != '\0' && strchr("*/%+-&^|", peek_char(self, 0)) != NULL) {
        return 2;
    }
    return peek_char(self, 0) == '=' && peek_char(self, 1) != '=' ? 1 : 0;
}

static mls_shell_integer name_value(calculation *self)
{
    const bool first = self->at == self->start;
    const mls_str name = {rest_of(self).ptr, mls_shell_name_length(rest_of(self))};
    self->at += name.len;
    if (peek_char(self, 0) == '[') { /* lists are not looked into */
        for (size_t open = 0; self->at < self->text.len; self->at++) {
            open += peek_char(self, 0) == '[';
            if (peek_char(self, 0) == ']' && --open == 0) {
                break;
            }
        }
        if (self->at == self->text.len) {
            return problem(self, "bad array subscript");
        }
        self->at++;
        assign(self, name, unknown_integer);
        return unknown_integer;
    }
    const size_t behind = self->at;
    if (take(self, "++") || take(self, "--")) {
        assign(self, name, unknown_integer);
        return unknown_integer;
    }
    const size_t length = first ? assignment_length(self) : 0;
    if (length == 0) {
        self->at = behind;
        return value_of(self, name);
    }
    const mls_str operation = {rest_of(self).ptr, length - 1};
    self->at += length;
    const mls_shell_integer before = length > 1 ? value_of(self, name) : integer(0);
    mls_shell_integer value = assignment(self);
    value = length > 1 ? calculate(self, operation, before, value) : value;
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

enum { RANK_OR = 2, RANK_AND = 3, RANK_EQUAL = 7, RANK_ORDER = 8, RANK_POWER = 12 };

/* A binary operator at the cursor that binds at least as tight as `lowest`; rank 0 when there is none. */
static int next_operator(calculation *self, int lowest, mls_str *operation)
{
    /* Longer ones first, so that << is not read as <. */
    static const struct {
        const char *text;
        int rank; /* higher binds tighter */
    } operators[] = {{"**", RANK_POWER},
                     {"<<", 9},
                     {">>", 9},
                     {"<=", RANK_ORDER},
                     {">=", RANK_ORDER},
                     {"==", RANK_EQUAL},
                     {"!=", RANK_EQUAL},
                     {"&&", RANK_AND},
                     {"||", RANK_OR},
                     {"*", 11},
                     {"/", 11},
                     {"%", 11},
                     {"+", 10},
                     {"-", 10},
                     {"<", RANK_ORDER},
                     {">", RANK_ORDER},
                     {"&", 6},
                     {"^", 5},
                     {"|", 4}};
    skip_space(self);
    const mls_str rest = rest_of(self);
    for (size_t i = 0; i < sizeof operators / sizeof *operators && self->problem == NULL; i++) {
        *operation = mls_str_from(operators[i].text);
        if (mls_str_starts(rest, *operation)) {
            /* "a += b" behind something that cannot be assigned to ends the expression here. */
            const int rank = operators[i].rank;
            const bool assigns = rank > RANK_AND && rank != RANK_EQUAL && rank != RANK_ORDER &&
                                 rest.len > operation->len && rest.ptr[operation->len] == '=';
            return rank >= lowest && !assigns ? rank : 0;
        }
    }
    return 0;
}

/* One side of an operator: not looked at, or looked at in doubt. */
static mls_shell_integer side(calculation *self, bool skipped, bool doubtful, mls_shell_integer (*read)(calculation *))
{
    self->skipped += skipped;
    self->state->frame->doubt += doubtful;
    const mls_shell_integer value = read(self);
    self->state->frame->doubt -= doubtful;
    self->skipped -= skipped;
    return value;
}

static mls_shell_integer binary(calculation *self, int lowest);

static mls_shell_integer above_or(calculation *self)
{
    return binary(self, RANK_OR + 1);
}

static mls_shell_integer above_and(calculation *self)
{
    return binary(self, RANK_AND + 1);
}

static mls_shell_integer logical(calculation *self, mls_shell_integer left, bool either)
{
    const bool decided = left.known && (left.value != 0) == either;
    const mls_shell_integer right = side(self, decided, !left.known, either ? above_or : above_and);
    if (decided || (right.known && (right.value != 0) == either)) {
        return integer(either);
    }
    return (mls_shell_integer){!either, left.known && right.known};
}

static mls_shell_integer binary(calculation *self, int lowest)
{
    if (!enter(self)) {
        return unknown_integer;
    }
    mls_shell_integer left = unary(self);
    mls_str operation;
    for (int rank; (rank = next_operator(self, lowest, &operation)) > 0;) {
        self->at += operation.len;
        if (rank == RANK_AND || rank == RANK_OR) {
            left = logical(self, left, rank == RANK_OR);
        } else {
            const mls_shell_integer right = binary(self, rank == RANK_POWER ? rank : rank + 1);
            left = calculate(self, operation, left, right);
        }
    }
    self->depth--;
    return left;
}

static mls_shell_integer conditional(calculation *self)
{
    const mls_shell_integer condition = enter(self) ? binary(self, RANK_OR) : unknown_integer;
    mls_shell_integer result = condition;
    if (take(self, "?")) {
        const mls_shell_integer yes = side(self, condition.known && condition.value == 0, !condition.known, comma);
        if (!take(self, ":")) {
            (void)problem(self, "':' expected for conditional expression");
        }
        const mls_shell_integer no = side(self, condition.known && condition.value != 0, !condition.known, conditional);
        result = condition.value != 0 ? yes : no;
        if (!condition.known) {
            result = (mls_shell_integer){yes.value, yes.known && no.known && yes.value == no.value};
        }
    }
    self->depth--;
    return result;
}

static mls_shell_integer assignment(calculation *self)
{
    const size_t outer = self->start;
    skip_space(self);
    self->start = self->at;
    const mls_shell_integer value = enter(self) ? conditional(self) : unknown_integer;
    self->depth--;
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

bool mls_shell_calculate(mls_shell_state *state, mls_str expression, mls_shell_integer *result)
{
    calculation self = {.state = state, .text = expression};
    *result = unknown_integer;
    if (!mls_shell_step(state, expression.len + 1)) {
        return true;
    }
    const mls_shell_integer value = whole(&self);
    if (self.problem == NULL && !state->stopped) {
        *result = value;
    }
    if (self.problem == NULL || state->stopped || state->frame->unset_used || !mls_shell_known(expression)) {
        return true;
    }
    mls_shell_note(state, MLS_FINDING_CONFIG_ARITHMETIC, "%s in $((%.*s))", self.problem, MLS_CUT(expression, 60));
    return state->frame->doubt > 0;
}

bool mls_shell_integer_read(mls_str text, int64_t *number)
{
    size_t at = 0;
    size_t end = text.len;
    while (at < end && strchr(" \t\n", text.ptr[at]) != NULL) {
        at++;
    }
    while (end > at && strchr(" \t\n", text.ptr[end - 1]) != NULL) {
        end--;
    }
    const bool negative = at < end && text.ptr[at] == '-';
    at += at < end && (text.ptr[at] == '-' || text.ptr[at] == '+');
    const size_t begin = at;
    for (*number = 0; at < end && text.ptr[at] >= '0' && text.ptr[at] <= '9'; at++) {
        const int64_t digit = text.ptr[at] - '0';
        if (__builtin_mul_overflow(*number, (int64_t)10, number) ||
            __builtin_add_overflow(*number, negative ? -digit : digit, number)) {
            return false;
        }
    }
    return at == end && at > begin;
}
