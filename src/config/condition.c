/* SPDX-License-Identifier: Apache-2.0 */
/* condition.c - evaluates [ ] and [[ ]]. */
#include "config/script_state.h"

/* The words of [[ ]], raw, or of [ ], expanded. */
typedef struct condition {
    mls_shell_state *state;
    const mls_str *words;
    size_t count;
    size_t at;
    size_t depth;
    bool expanded;
    bool mistake;
} condition;

static int joined(condition *self, bool either);

/* Whether a file is there, by the ones that stand beside the script. */
static int test_file(mls_shell_state *state, char kind, mls_str path)
{
    mls_shell_fields matches = {0};
    mls_str bytes;
    if (strchr("efrsd", kind) == NULL) {
        return STATUS_UNKNOWN;
    }
    if (!mls_shell_known(path)) {
        mls_shell_file_match(state, path, &matches);
        state->frame.guard = path;
        return matches.unknown || matches.count > 0 || kind == 'd' ? STATUS_UNKNOWN : STATUS_NO;
    }
    const mls_status status = mls_shell_file_read(state, &path, &bytes);
    return status == MLS_OK           ? mls_shell_status_of(kind != 'd' && (kind != 's' || bytes.len > 0))
           : status == MLS_ERROR_READ ? STATUS_NO
                                      : STATUS_UNKNOWN;
}

static int test_unary(mls_shell_state *state, char kind, mls_str operand)
{
    if (kind == 'n' || kind == 'z') {
        return mls_shell_known(operand) ? mls_shell_status_of((operand.len > 0) == (kind == 'n')) : STATUS_UNKNOWN;
    }
    if (kind == 'v' && mls_str_is_name(operand)) {
        const char *value = mls_shell_variable_get(state, operand).ptr;
        return value == mls_shell_maybe ? STATUS_UNKNOWN : mls_shell_status_of(value != mls_shell_unset);
    }
    return test_file(state, kind, operand);
}

static mls_shell_integer number_of(condition *self, mls_str text)
{
    mls_shell_integer number = {.known = mls_shell_known(text)};
    if (!self->expanded) {
        return mls_shell_calculate(self->state, text);
    }
    self->mistake = self->mistake || (number.known && !mls_integer_parse(text, &number.value));
    return number;
}

/* Whether an operation is true of operands in this order. */
static int holds(mls_str operation, int order)
{
    return mls_shell_status_of(mls_str_among(operation, order == 0  ? " -eq -le -ge "
                                                        : order < 0 ? " -ne -lt -le "
                                                                    : " -ne -gt -ge "));
}

static mls_str operand(condition *self, size_t at, mls_shell_quoting quoting)
{
    return self->expanded ? self->words[at] : mls_shell_expand(self->state, self->words[at], quoting);
}

static int test_binary(condition *self)
{
    const mls_str operation = self->words[self->at + 1];
    const bool regex = mls_str_among(operation, " =~ ");
    const bool equality = mls_str_among(operation, " = == != ");
    const mls_shell_quoting quoting = regex ? QUOTING_REGEX : equality ? QUOTING_PATTERN : QUOTING_TEXT;
    const mls_str left = operand(self, self->at, QUOTING_TEXT);
    const mls_str right = operand(self, self->at + 2, quoting);
    self->at += 3;
    self->mistake = self->mistake || (regex && self->expanded);
    if (equality && self->expanded) {
        const bool same = mls_str_equal(left, right) == (operation.ptr[0] == '=');
        return mls_shell_known(left) && mls_shell_known(right) ? mls_shell_status_of(same) : STATUS_UNKNOWN;
    }
    if (equality || regex) {
        const int found = mls_shell_match(self->state, right, regex, left);
        return operation.ptr[0] == '!' ? mls_shell_status_not(found) : found;
    }
    if (mls_str_among(operation, " -eq -ne -lt -le -gt -ge ")) {
        const mls_shell_integer a = number_of(self, left);
        const mls_shell_integer b = number_of(self, right);
        return a.known && b.known ? holds(operation, (a.value > b.value) - (a.value < b.value)) : STATUS_UNKNOWN;
    }
    return STATUS_UNKNOWN;
}

static bool word_is(const condition *self, size_t at, const char *words)
{
    return at < self->count && mls_str_among(self->words[at], words);
}

static int term(condition *self)
{
    const size_t at = self->at;
    const bool alone = at + 1 >= self->count || word_is(self, at + 1, self->expanded ? " -a -o ) " : " && || ) ");
    int status;
    if (at >= self->count || self->depth >= SHELL_NESTING_MAX || !mls_shell_goes(self->state)) {
        self->mistake = true;
        return STATUS_UNKNOWN;
    }
    self->depth++;
    if (at + 2 < self->count && word_is(self, at + 1, " = == != =~ < > -eq -ne -lt -le -gt -ge -nt -ot -ef ")) {
        status = test_binary(self);
    } else if (word_is(self, at, " ! ") && !alone) {
        self->at++;
        status = mls_shell_status_not(term(self));
    } else if (word_is(self, at, " ( ") && !alone) {
        self->at++;
        status = joined(self, true);
        self->mistake = self->mistake || !word_is(self, self->at, " ) ");
        self->at++;
    } else {
        const bool unary = !alone && word_is(self, at,
                                             " -a -b -c -d -e -f -g -h -k -n -o -p -r -s -t -u -v -w -x -z"
                                             " -G -L -N -O -R -S ");
        self->at += unary ? 2 : 1;
        status =
            test_unary(self->state, unary ? self->words[at].ptr[1] : 'n', operand(self, self->at - 1, QUOTING_TEXT));
    }
    self->depth--;
    return status;
}

/* Terms joined by &&, and those by || (`either`); those after the first may not be evaluated. */
static int joined(condition *self, bool either)
{
    const char *joint = self->expanded ? (either ? " -o " : " -a ") : (either ? " || " : " && ");
    const int decisive = mls_shell_status_of(either);
    const unsigned doubt = self->state->frame.doubt;
    int status = either ? joined(self, false) : term(self);
    while (!self->mistake && word_is(self, self->at, joint)) {
        self->at++;
        self->state->frame.doubt = doubt + !self->expanded;
        const int right = either ? joined(self, false) : term(self);
        status = status == decisive || right == decisive               ? decisive
                 : status == STATUS_UNKNOWN || right == STATUS_UNKNOWN ? STATUS_UNKNOWN
                                                                       : mls_shell_status_of(!either);
    }
    self->state->frame.doubt = doubt;
    return status;
}

int mls_shell_condition(mls_shell_state *state, const mls_shell_fields *words, bool expanded)
{
    condition self = {.state = state, .words = words->items, .count = words->count, .expanded = expanded};
    const int status = words->count > 0 ? joined(&self, true) : STATUS_NO;
    const bool wrong = self.mistake || self.at < words->count;
    return !wrong ? status : expanded && mls_shell_fields_known(words) ? STATUS_MISTAKE : STATUS_UNKNOWN;
}
