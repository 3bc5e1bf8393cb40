/* SPDX-License-Identifier: Apache-2.0 */
/*
 * condition.c - what [ ] and [[ ]] say.
 */
#include "shell/state.h"

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

/* Whether a file is there, by the ones that stand beside the script. */
static int test_file(mls_shell_state *state, char kind, mls_str path)
{
    mls_str bytes;
    if (!mls_shell_known(path)) {
        mls_shell_fields matches = {0};
        mls_shell_file_match(state, path, &matches);
        state->frame->guard = path;
        return matches.unknown || matches.count > 0 || strchr("efrs", kind) == NULL ? STATUS_UNKNOWN : STATUS_NO;
    }
    const mls_status status = mls_shell_file_read(state, &path, &bytes);
    if (status != MLS_OK) {
        return status == MLS_ERROR_READ ? STATUS_NO : STATUS_UNKNOWN;
    }
    const bool yes = kind != 'd' && (kind != 's' || bytes.len > 0);
    return strchr("efrsd", kind) != NULL ? mls_shell_status_of(yes) : STATUS_UNKNOWN;
}

static int test_unary(mls_shell_state *state, char kind, mls_str operand)
{
    mls_str value;
    if (kind == 'n' || kind == 'z') {
        return mls_shell_known(operand) ? mls_shell_status_of((operand.len > 0) == (kind == 'n')) : STATUS_UNKNOWN;
    }
    if (kind == 'v' && mls_shell_is_name(operand)) {
        const mls_shell_presence presence = mls_shell_variable_get(state, operand, &value);
        return presence == PRESENCE_UNKNOWN ? STATUS_UNKNOWN : mls_shell_status_of(presence == PRESENCE_SET);
    }
    return strchr("votR", kind) != NULL ? STATUS_UNKNOWN : test_file(state, kind, operand);
}

static int compare_numbers(condition *self, mls_str operation, mls_str left, mls_str right)
{
    mls_shell_integer a = {0, true};
    mls_shell_integer b = {0, true};
    if (!self->expanded) {
        a = mls_shell_calculate(self->state, left);
        b = mls_shell_calculate(self->state, right);
    } else if (!mls_shell_known(left) || !mls_shell_known(right)) {
        return STATUS_UNKNOWN;
    } else if (!mls_shell_integer_read(left, &a.value) || !mls_shell_integer_read(right, &b.value)) {
        self->mistake = true;
    }
    const bool or_equal = operation.ptr[2] == 'e' && a.value == b.value;
    const bool yes = operation.ptr[1] == 'e'   ? a.value == b.value
                     : operation.ptr[1] == 'n' ? a.value != b.value
                     : operation.ptr[1] == 'l' ? a.value < b.value || or_equal
                                               : a.value > b.value || or_equal;
    return a.known && b.known ? mls_shell_status_of(yes) : STATUS_UNKNOWN;
}

/* Order of strings follows the locale; only what every locale agrees on is known. */
static bool is_number(mls_str text)
{
    return text.len > 0 && text.len == strspn(text.ptr, "0123456789");
}

static mls_str operand(condition *self, size_t at, mls_shell_quoting quoting)
{
    return self->expanded ? self->words[at] : mls_shell_expand(self->state, self->words[at], quoting);
}

static int test_binary(condition *self)
{
    const mls_str operation = self->words[self->at + 1];
    const bool regex = mls_shell_among(operation, " =~ ");
    const bool equality = mls_shell_among(operation, " = == != ");
    const mls_str left = operand(self, self->at, QUOTING_TEXT);
    const mls_str right = operand(self, self->at + 2,
                                  regex      ? QUOTING_REGEX
                                  : equality ? QUOTING_PATTERN
                                             : QUOTING_TEXT);
    self->at += 3;
    if (equality) {
        const int same = !self->expanded ? mls_shell_match(self->state, right, false, left)
                         : mls_shell_known(left) && mls_shell_known(right)
                             ? mls_shell_status_of(mls_str_equal(left, right))
                             : STATUS_UNKNOWN;
        return operation.ptr[0] == '!' ? mls_shell_status_not(same) : same;
    }
    if (mls_shell_among(operation, " -eq -ne -lt -le -gt -ge ")) {
        return compare_numbers(self, operation, left, right);
    }
    if (mls_shell_among(operation, " < > ") && is_number(left) && is_number(right)) {
        const int order = mls_str_compare(left, right);
        return mls_shell_status_of(operation.ptr[0] == '<' ? order < 0 : order > 0);
    }
    self->mistake = self->mistake || (regex && self->expanded);
    return regex ? mls_shell_match(self->state, right, true, left) : STATUS_UNKNOWN;
}

static bool word_is(const condition *self, size_t at, const char *words)
{
    return at < self->count && mls_shell_among(self->words[at], words);
}

static int joined(condition *self, bool either);

static int term(condition *self)
{
    if (self->at >= self->count || self->depth >= SHELL_NESTING_MAX || !mls_shell_goes(self->state)) {
        self->mistake = true;
        return STATUS_UNKNOWN;
    }
    int status = STATUS_UNKNOWN;
    const bool alone =
        self->at + 1 >= self->count || word_is(self, self->at + 1, self->expanded ? " -a -o ) " : " && || ) ");
    const bool binary = self->at + 2 < self->count &&
                        word_is(self, self->at + 1, " = == != =~ < > -eq -ne -lt -le -gt -ge -nt -ot -ef ");
    const bool unary = !alone && word_is(self, self->at,
                                         " -a -b -c -d -e -f -g -h -k -n -o -p -r -s -t -u -v -w -x -z"
                                         " -G -L -N -O -R -S ");
    self->depth++;
    if (binary) {
        status = test_binary(self);
    } else if (word_is(self, self->at, " ! ") && !alone) {
        self->at++;
        status = mls_shell_status_not(term(self));
    } else if (word_is(self, self->at, " ( ") && !alone) {
        self->at++;
        status = joined(self, true);
        self->mistake = self->mistake || !word_is(self, self->at, " ) ");
        self->at++;
    } else {
        const char kind = unary ? self->words[self->at++].ptr[1] : 'n';
        status = test_unary(self->state, kind, operand(self, self->at++, QUOTING_TEXT));
    }
    self->depth--;
    return status;
}

/* Terms joined by &&, and those by || (`either`); what stands behind the first may not be looked at. */
static int joined(condition *self, bool either)
{
    const char *joint = self->expanded ? (either ? " -o " : " -a ") : (either ? " || " : " && ");
    int status = either ? joined(self, false) : term(self);
    const unsigned doubt = self->state->frame->doubt;
    while (!self->mistake && word_is(self, self->at, joint)) {
        self->at++;
        self->state->frame->doubt = doubt + !self->expanded;
        const int right = either ? joined(self, false) : term(self);
        const bool decided = status == mls_shell_status_of(either) || right == mls_shell_status_of(either);
        status = decided                                               ? mls_shell_status_of(either)
                 : status == STATUS_UNKNOWN || right == STATUS_UNKNOWN ? STATUS_UNKNOWN
                                                                       : mls_shell_status_of(!either);
    }
    self->state->frame->doubt = doubt;
    return status;
}

int mls_shell_condition(mls_shell_state *state, const mls_str *words, size_t count, bool expanded)
{
    condition self = {.state = state, .words = words, .count = count, .expanded = expanded};
    const int status = count > 0 ? joined(&self, true) : STATUS_NO;
    bool known = true;
    for (size_t i = 0; i < count; i++) {
        known = known && mls_shell_known(words[i]);
    }
    return !self.mistake && self.at == count ? status : expanded && known ? STATUS_MISTAKE : STATUS_UNKNOWN;
}
