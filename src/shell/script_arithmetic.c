/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arithmetic as bash does it: C's operators on 64 bits that wrap around, names
 * whose values are expressions again, what is unset counts as 0.
 */
#include <string.h>

#include "shell/script.h"
#include "shell/script_operator.h"

typedef struct calculation {
    mls_script *script;
    mls_str text;
    size_t at;
    size_t depth;
    size_t levels;       /* of names inside names' values */
    unsigned skipped;    /* > 0: the side of && || ?: that does not count */
    const char *problem; /* static text */
} calculation;

typedef struct binary_operator {
    const char *text;
    int rank; /* higher binds tighter */
} binary_operator;

/* Longer ones first, so that << is not read as <. */
static const binary_operator binary_operators[] = {
    {"**", 12}, {"<<", 9}, {">>", 9}, {"<=", 8}, {">=", 8}, {"==", 7}, {"!=", 7}, {"&&", 3}, {"||", 2}, {"*", 11},
    {"/", 11},  {"%", 11}, {"+", 10}, {"-", 10}, {"<", 8},  {">", 8},  {"&", 6},  {"^", 5},  {"|", 4},
};
enum { RANK_POWER = 12, RANK_AND = 3, RANK_OR = 2, RANK_LOWEST = 2 };

static mls_script_number comma(calculation *self);
static mls_script_number assignment(calculation *self);
static mls_script_number conditional(calculation *self);
static mls_script_number unary(calculation *self);

static mls_script_number number(int64_t value)
{
    return (mls_script_number){value, true};
}

static mls_script_number problem(calculation *self, const char *text)
{
    if (self->problem == NULL && self->skipped == 0) {
        self->problem = text;
    } else if (self->problem == NULL) {
        /* A wrong value on the side that is not taken is no error, but syntax is. */
        self->problem = strcmp(text, "division by 0") == 0 ? NULL : text;
    }
    return number(0);
}

static void skip_space(calculation *self)
{
    while (self->at < self->text.len && strchr(" \t\n\r", self->text.ptr[self->at]) != NULL) {
        self->at++;
    }
}

static char peek_char(const calculation *self, size_t ahead)
{
    return self->at + ahead < self->text.len ? self->text.ptr[self->at + ahead] : '\0';
}

static bool starts_with(const calculation *self, const char *text)
{
    const mls_str rest = {self->text.ptr + self->at, self->text.len - self->at};
    return mls_str_starts(rest, mls_str_from(text));
}

static mls_script_number calculate(calculation *self, const char *operation, mls_script_number left,
                                   mls_script_number right)
{
    const bool divides = operation[0] == '/' || operation[0] == '%';
    const bool raises = strcmp(operation, "**") == 0;
    if (right.known && divides && right.value == 0) {
        return problem(self, "division by 0");
    }
    if (right.known && raises && right.value < 0) {
        return problem(self, "exponent less than 0");
    }
    if (!left.known || !right.known) {
        return (mls_script_number){0, false};
    }
    return number(mls_script_calculate(operation, left.value, right.value));
}

static int digit_value(char c, unsigned base)
{
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    if (c >= 'a' && c <= 'z') {
        return c - 'a' + 10;
    }
    if (c >= 'A' && c <= 'Z') {
        return c - 'A' + (base <= 36 ? 10 : 36);
    }
    return c == '@' ? 62 : c == '_' ? 63 : -1;
}

/* 12, 0x1f, 017, 2#101: the digits of one base up to the first byte that is none. */
static mls_script_number literal(calculation *self)
{
    unsigned base = 10;
    size_t digits = 0;
    uint64_t value = 0;
    if (peek_char(self, 0) == '0') {
        base = 8;
        if (peek_char(self, 1) == 'x' || peek_char(self, 1) == 'X') {
            base = 16;
            self->at += 2;
        }
    }
    bool named_base = false;
    for (;;) {
        const char c = peek_char(self, 0);
        if (c == '#' && !named_base && base == 10) {
            if (value < 2 || value > 64) {
                return problem(self, "invalid arithmetic base");
            }
            base = (unsigned)value;
            named_base = true;
            value = 0;
            digits = 0;
            self->at++;
            continue;
        }
        const int digit = self->at < self->text.len ? digit_value(c, base) : -1;
        if (digit < 0) {
            break;
        }
        if ((unsigned)digit >= base) {
            return problem(self, "value too great for base");
        }
        value = value * base + (unsigned)digit;
        digits++;
        self->at++;
    }
    if (digits == 0 && named_base) {
        return problem(self, "invalid integer constant");
    }
    return number(mls_script_wrap(value));
}

static bool enter(calculation *self)
{
    if (self->depth >= SCRIPT_ARITHMETIC_DEPTH_MAX) {
        if (self->problem == NULL) {
            mls_script_limit(self->script, "depth of arithmetic");
            self->problem = "nested too deep";
        }
        return false;
    }
    self->depth++;
    return true;
}

/* The value of a text as an expression of its own: what a name stands for. */
static mls_script_number value_of_text(calculation *self, mls_str text)
{
    calculation inner = *self;
    inner.text = text;
    inner.at = 0;
    inner.levels++;
    if (inner.levels > SCRIPT_ARITHMETIC_LEVELS_MAX) {
        return problem(self, "expression recursion level exceeded");
    }
    if (!mls_script_step(self->script, text.len + 1)) {
        return (mls_script_number){0, false};
    }
    skip_space(&inner);
    const mls_script_number result = inner.at == text.len ? number(0) : comma(&inner);
    skip_space(&inner);
    if (inner.problem == NULL && inner.at < text.len) {
        (void)problem(&inner, "syntax error in expression");
    }
    if (inner.problem != NULL) {
        return problem(self, inner.problem);
    }
    return result;
}

static mls_script_number value_of_name(calculation *self, mls_str name)
{
    mls_str value;
    switch (mls_script_variable_get(self->script, name, &value)) {
    case PRESENCE_SET:
        return self->skipped > 0 ? number(0) : value_of_text(self, value);
    case PRESENCE_UNSET:
        return number(0);
    default:
        return (mls_script_number){0, false};
    }
}

static void assign(calculation *self, mls_str name, mls_script_number value)
{
    if (self->skipped > 0 || self->problem != NULL) {
        return;
    }
    mls_script_text text = mls_script_unknown();
    if (value.known) {
        mls_buffer digits = {0};
        mls_buffer_printf(&digits, "%lld", (long long)value.value);
        text = mls_script_keep_buffer(self->script, &digits);
    }
    if (!mls_script_variable_set(self->script, name, text)) {
        (void)problem(self, "readonly variable");
    }
}

static mls_script_number add(mls_script_number value, int64_t step)
{
    return (mls_script_number){mls_script_wrap((uint64_t)value.value + (uint64_t)step), value.known};
}

/* "A[i]": lists are not looked into. */
static bool skip_subscript(calculation *self)
{
    size_t open = 0;
    do {
        open += peek_char(self, 0) == '[';
        open -= peek_char(self, 0) == ']';
        self->at++;
    } while (open > 0 && self->at < self->text.len);
    return open == 0;
}

/* An operator like += at the cursor: its length with the '=', 0 when there is none. */
static size_t assignment_operator(const calculation *self, const char **operation)
{
    static const char *const operations[] = {"<<", ">>", "*", "/", "%", "+", "-", "&", "^", "|"};
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++) {
        const size_t length = strlen(operations[i]);
        if (starts_with(self, operations[i]) && peek_char(self, length) == '=') {
            *operation = operations[i];
            return length + 1;
        }
    }
    *operation = NULL;
    return peek_char(self, 0) == '=' && peek_char(self, 1) != '=' ? 1 : 0;
}

static mls_script_number name_value(calculation *self, bool assignable)
{
    const mls_str rest = {self->text.ptr + self->at, self->text.len - self->at};
    const mls_str name = {rest.ptr, mls_script_name_length(rest)};
    self->at += name.len;
    if (peek_char(self, 0) == '[') {
        if (!skip_subscript(self)) {
            return problem(self, "bad array subscript");
        }
        assign(self, name, (mls_script_number){0, false});
        return (mls_script_number){0, false};
    }
    const size_t behind = self->at;
    skip_space(self);
    const char *operation;
    const size_t length = assignable ? assignment_operator(self, &operation) : 0;
    if (length > 0) {
        self->at += length;
        const mls_script_number before = operation != NULL ? value_of_name(self, name) : number(0);
        mls_script_number value = assignment(self);
        if (operation != NULL) {
            value = calculate(self, operation, before, value);
        }
        assign(self, name, value);
        return value;
    }
    const bool increments = starts_with(self, "++");
    if (increments || starts_with(self, "--")) {
        self->at += 2;
        const mls_script_number before = value_of_name(self, name);
        assign(self, name, add(before, increments ? 1 : -1));
        return before;
    }
    self->at = behind;
    return value_of_name(self, name);
}

static mls_script_number primary(calculation *self)
{
    skip_space(self);
    const char c = peek_char(self, 0);
    if (c == '(') {
        self->at++;
        const mls_script_number value = comma(self);
        skip_space(self);
        if (peek_char(self, 0) != ')') {
            return problem(self, "missing ')'");
        }
        self->at++;
        return value;
    }
    if (c >= '0' && c <= '9') {
        return literal(self);
    }
    const mls_str rest = {self->text.ptr + self->at, self->text.len - self->at};
    if (mls_script_name_length(rest) > 0) {
        return name_value(self, false);
    }
    return problem(self, "operand expected");
}

/* ++ or -- and a name at the cursor. */
static bool steps_name(const calculation *self, mls_str *name)
{
    const char c = peek_char(self, 0);
    if ((c != '+' && c != '-') || peek_char(self, 1) != c) {
        return false;
    }
    size_t at = self->at + 2;
    while (at < self->text.len && strchr(" \t\n", self->text.ptr[at]) != NULL) {
        at++;
    }
    *name = (mls_str){self->text.ptr + at, 0};
    name->len = mls_script_name_length((mls_str){name->ptr, self->text.len - at});
    return name->len > 0;
}

/* ++A and --A; before anything but a name they are two signs. */
static bool prefix_step(calculation *self, mls_script_number *value)
{
    mls_str name;
    const char c = peek_char(self, 0);
    if (!steps_name(self, &name)) {
        return false;
    }
    self->at = (size_t)(name.ptr - self->text.ptr) + name.len;
    *value = add(value_of_name(self, name), c == '+' ? 1 : -1);
    assign(self, name, *value);
    skip_space(self);
    if (starts_with(self, "++") || starts_with(self, "--")) {
        (void)problem(self, "assignment requires lvalue");
    }
    return true;
}

static mls_script_number sign(calculation *self, char c)
{
    const mls_script_number value = unary(self);
    if (!value.known) {
        return value;
    }
    switch (c) {
    case '!':
        return number(value.value == 0);
    case '~':
        return number(~value.value);
    case '-':
        return number(mls_script_wrap(0 - (uint64_t)value.value));
    default:
        return value;
    }
}

static mls_script_number unary(calculation *self)
{
    if (!enter(self)) {
        return number(0);
    }
    skip_space(self);
    mls_script_number value;
    const char c = peek_char(self, 0);
    if (!prefix_step(self, &value)) {
        if (c != '\0' && strchr("!~+-", c) != NULL) {
            self->at++;
            value = sign(self, c);
        } else {
            value = primary(self);
        }
    }
    self->depth--;
    return value;
}

static const binary_operator *next_operator(calculation *self, int lowest)
{
    skip_space(self);
    mls_str name;
    if (steps_name(self, &name)) {
        return NULL; /* "2 ++a" is not "2 + +a" */
    }
    for (size_t i = 0; i < sizeof binary_operators / sizeof *binary_operators; i++) {
        const binary_operator *operation = &binary_operators[i];
        if (starts_with(self, operation->text)) {
            const size_t length = strlen(operation->text);
            /* "a += b" after something that cannot be assigned to is an error, and ends the expression here. */
            const bool assigns = peek_char(self, length) == '=' && operation->rank != 7 && operation->rank != 8 &&
                                 operation->rank > RANK_AND;
            return operation->rank >= lowest && !assigns ? operation : NULL;
        }
    }
    return NULL;
}

static mls_script_number binary(calculation *self, int lowest)
{
    if (!enter(self)) {
        return number(0);
    }
    mls_script_number left = unary(self);
    const binary_operator *operation;
    while (self->problem == NULL && (operation = next_operator(self, lowest)) != NULL) {
        self->at += strlen(operation->text);
        const bool logical = operation->rank == RANK_AND || operation->rank == RANK_OR;
        const bool decided =
            logical && left.known && self->script->repeat == 0 && (left.value != 0) == (operation->rank == RANK_OR);
        const bool doubtful = logical && !decided && (!left.known || self->script->repeat > 0);
        self->skipped += decided;
        self->script->taint += doubtful;
        const mls_script_number right = binary(self, operation->rank == RANK_POWER ? RANK_POWER : operation->rank + 1);
        self->script->taint -= doubtful;
        self->skipped -= decided;
        if (!logical) {
            left = calculate(self, operation->text, left, right);
        } else if (decided) {
            left = number(operation->rank == RANK_OR);
        } else if (left.known && (left.value != 0) == (operation->rank == RANK_OR)) {
            left = number(operation->rank == RANK_OR);
        } else if (right.known && (right.value != 0) == (operation->rank == RANK_OR)) {
            left = number(operation->rank == RANK_OR);
        } else {
            left = left.known && right.known ? number(right.value != 0) : (mls_script_number){0, false};
        }
    }
    self->depth--;
    return left;
}

/* One side of ?: */
static mls_script_number branch(calculation *self, bool skipped, bool doubtful, bool right)
{
    self->skipped += skipped;
    self->script->taint += doubtful;
    const mls_script_number value = right ? conditional(self) : comma(self);
    self->script->taint -= doubtful;
    self->skipped -= skipped;
    return value;
}

static mls_script_number conditional(calculation *self)
{
    if (!enter(self)) {
        return number(0);
    }
    const mls_script_number condition = binary(self, RANK_LOWEST);
    mls_script_number result = condition;
    skip_space(self);
    if (self->problem == NULL && peek_char(self, 0) == '?') {
        self->at++;
        const bool doubtful = !condition.known;
        const mls_script_number yes = branch(self, condition.known && condition.value == 0, doubtful, false);
        skip_space(self);
        if (peek_char(self, 0) != ':') {
            self->depth--;
            return problem(self, "':' expected for conditional expression");
        }
        self->at++;
        const mls_script_number no = branch(self, condition.known && condition.value != 0, doubtful, true);
        if (doubtful) {
            result = (mls_script_number){yes.value, yes.known && no.known && yes.value == no.value};
        } else {
            result = condition.value != 0 ? yes : no;
        }
    }
    self->depth--;
    return result;
}

/* Only a name that starts an expression can be assigned to. */
static mls_script_number assignment(calculation *self)
{
    skip_space(self);
    calculation ahead = *self;
    const mls_str rest = {self->text.ptr + self->at, self->text.len - self->at};
    ahead.at += mls_script_name_length(rest);
    const bool named = ahead.at > self->at;
    if (named && peek_char(&ahead, 0) == '[' && !skip_subscript(&ahead)) {
        return problem(self, "bad array subscript");
    }
    skip_space(&ahead);
    const char *operation;
    if (!named || assignment_operator(&ahead, &operation) == 0) {
        return conditional(self);
    }
    if (!enter(self)) {
        return number(0);
    }
    const mls_script_number value = name_value(self, true);
    self->depth--;
    return value;
}

static mls_script_number comma(calculation *self)
{
    mls_script_number value = assignment(self);
    for (skip_space(self); self->problem == NULL && peek_char(self, 0) == ','; skip_space(self)) {
        self->at++;
        value = assignment(self);
    }
    return value;
}

bool mls_script_arithmetic(mls_script *script, mls_str expression, mls_script_number *result)
{
    calculation self = {.script = script, .text = expression};
    *result = (mls_script_number){0, true};
    if (!mls_script_step(script, expression.len + 1)) {
        result->known = false;
        return true;
    }
    skip_space(&self);
    if (self.at == expression.len) {
        return true;
    }
    *result = comma(&self);
    skip_space(&self);
    if (self.problem == NULL && self.at < expression.len) {
        (void)problem(&self, "syntax error in expression");
    }
    if (script->flow == FLOW_STOP) {
        result->known = false;
        return true;
    }
    if (self.problem != NULL) {
        *result = (mls_script_number){0, false};
        mls_script_find(script, MLS_FINDING_CONFIG_ARITHMETIC, "%s in $((%.*s))", self.problem,
                        (int)(expression.len < 60 ? expression.len : 60), expression.ptr);
        return script->taint > 0;
    }
    return true;
}
