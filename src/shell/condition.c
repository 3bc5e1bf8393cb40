/* SPDX-License-Identifier: Apache-2.0 */
/*
 * condition.c - what [ ] and [[ ]] say.
 */
#include <string.h>

#include "shell/command.h"

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
    return strchr("efr", kind) != NULL ? STATUS_YES
           : kind == 's'               ? mls_shell_status_of(bytes.len > 0)
           : kind == 'd'               ? STATUS_NO
                                       : STATUS_UNKNOWN;
}

static int test_text(mls_str text)
{
    return mls_shell_known(text) ? mls_shell_status_of(text.len > 0) : STATUS_UNKNOWN;
}

static int test_unary(mls_shell_state *state, char kind, mls_str operand)
{
    if (kind == 'n') {
        return test_text(operand);
    }
    if (kind == 'z') {
        return mls_shell_status_not(test_text(operand));
    }
    if (kind == 'v' || kind == 'o' || kind == 't' || kind == 'R') {
        mls_str value;
        const mls_shell_presence presence = kind == 'v' && mls_shell_is_name(operand)
                                                ? mls_shell_variable_get(state, operand, &value)
                                                : PRESENCE_UNKNOWN;
        return presence == PRESENCE_UNKNOWN ? STATUS_UNKNOWN : mls_shell_status_of(presence == PRESENCE_SET);
    }
    return test_file(state, kind, operand);
}

/* "-f" → 'f'; '\0' when it is no operator with one operand. */
static char unary_kind(mls_str word)
{
    const bool unary = word.len == 2 && word.ptr[0] == '-' && word.ptr[1] != '\0' &&
                       strchr("abcdefghknoprstuvwxzGLNORS", word.ptr[1]) != NULL;
    return unary ? word.ptr[1] : '\0';
}

typedef enum comparison {
    COMPARE_NONE,
    COMPARE_EQUAL,
    COMPARE_UNEQUAL,
    COMPARE_BEFORE,
    COMPARE_AFTER,
    COMPARE_REGEX,
    COMPARE_FILES,
    COMPARE_NUMBERS /* and from here on: -eq, -ne, -lt, -le, -gt, -ge */
} comparison;

static comparison comparison_of(mls_str word)
{
    static const struct {
        const char *name;
        comparison kind;
    } names[] = {{"=", COMPARE_EQUAL},         {"==", COMPARE_EQUAL},        {"!=", COMPARE_UNEQUAL},
                 {"<", COMPARE_BEFORE},        {">", COMPARE_AFTER},         {"=~", COMPARE_REGEX},
                 {"-nt", COMPARE_FILES},       {"-ot", COMPARE_FILES},       {"-ef", COMPARE_FILES},
                 {"-eq", COMPARE_NUMBERS},     {"-ne", COMPARE_NUMBERS + 1}, {"-lt", COMPARE_NUMBERS + 2},
                 {"-le", COMPARE_NUMBERS + 3}, {"-gt", COMPARE_NUMBERS + 4}, {"-ge", COMPARE_NUMBERS + 5}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (mls_str_equal(word, mls_str_from(names[i].name))) {
            return names[i].kind;
        }
    }
    return COMPARE_NONE;
}

static int compare_numbers(comparison kind, int64_t a, int64_t b)
{
    const bool results[] = {a == b, a != b, a<b, a <= b, a> b, a >= b};
    return mls_shell_status_of(results[kind - COMPARE_NUMBERS]);
}

/* Order of strings follows the locale in [[ ]]; only what every locale agrees on is known. */
static int compare_order(mls_str a, mls_str b, bool before)
{
    for (size_t i = 0; i < a.len + b.len; i++) {
        const char c = i < a.len ? a.ptr[i] : b.ptr[i - a.len];
        if (c < '0' || c > '9') {
            return STATUS_UNKNOWN;
        }
    }
    const int order = mls_str_compare(a, b);
    return mls_shell_status_of(before ? order < 0 : order > 0);
}

static int test_binary(mls_str left, comparison kind, mls_str right)
{
    int64_t a;
    int64_t b;
    if (!mls_shell_known(left) || !mls_shell_known(right) || kind == COMPARE_FILES) {
        return STATUS_UNKNOWN;
    }
    if (kind == COMPARE_EQUAL || kind == COMPARE_UNEQUAL) {
        return mls_shell_status_of(mls_str_equal(left, right) == (kind == COMPARE_EQUAL));
    }
    if (kind == COMPARE_BEFORE || kind == COMPARE_AFTER) {
        return compare_order(left, right, kind == COMPARE_BEFORE);
    }
    return kind >= COMPARE_NUMBERS && mls_shell_integer_read(left, &a) && mls_shell_integer_read(right, &b)
               ? compare_numbers(kind, a, b)
               : STATUS_MISTAKE;
}

static bool is(mls_str text, const char *word)
{
    return mls_str_equal(text, mls_str_from(word));
}

static int either(int a, int b)
{
    return a == STATUS_YES || b == STATUS_YES           ? STATUS_YES
           : a == STATUS_UNKNOWN || b == STATUS_UNKNOWN ? STATUS_UNKNOWN
                                                        : STATUS_NO;
}

static int both(int a, int b)
{
    return mls_shell_status_not(either(mls_shell_status_not(a), mls_shell_status_not(b)));
}

/* The words of [[ ]], raw, or of [ ], expanded. */
typedef struct condition {
    mls_shell_state *state;
    const mls_str *words;
    size_t count;
    size_t at;
    size_t depth;
    unsigned skipped;
    bool expanded;
    bool mistake;
} condition;

static int condition_or(condition *self);

static bool word_is(const condition *self, size_t at, const char *text)
{
    return at < self->count && is(self->words[at], text);
}

static mls_str operand(condition *self, size_t at, mls_shell_quoting quoting)
{
    return self->skipped > 0 ? SHELL_HOLE
           : self->expanded  ? self->words[at]
                             : mls_shell_expand(self->state, self->words[at], quoting);
}

static int condition_binary(condition *self, comparison kind)
{
    const bool pattern = !self->expanded && (kind == COMPARE_EQUAL || kind == COMPARE_UNEQUAL);
    const mls_str left = operand(self, self->at, QUOTING_TEXT);
    const mls_str right = operand(self, self->at + 2,
                                  kind == COMPARE_REGEX ? QUOTING_REGEX
                                  : pattern             ? QUOTING_PATTERN
                                                        : QUOTING_TEXT);
    self->at += 3;
    if (self->skipped > 0) {
        return STATUS_UNKNOWN;
    }
    if (kind >= COMPARE_NUMBERS && !self->expanded) {
        mls_shell_integer a;
        mls_shell_integer b;
        if (!mls_shell_calculate(self->state, left, &a) || !mls_shell_calculate(self->state, right, &b)) {
            return STATUS_NO;
        }
        return a.known && b.known ? compare_numbers(kind, a.value, b.value) : STATUS_UNKNOWN;
    }
    if (kind == COMPARE_REGEX && !self->expanded) {
        return mls_shell_regex_match(self->state, right, left);
    }
    if (pattern) {
        const int match = mls_shell_pattern_match(self->state, right, left);
        return kind == COMPARE_EQUAL ? match : mls_shell_status_not(match);
    }
    const int status = test_binary(left, kind, right);
    self->mistake = self->mistake || status == STATUS_MISTAKE;
    return status;
}

static int condition_term(condition *self)
{
    if (self->at >= self->count || self->depth >= SHELL_NESTING_MAX || !mls_shell_goes(self->state)) {
        self->mistake = true;
        return STATUS_UNKNOWN;
    }
    self->depth++;
    int status = STATUS_UNKNOWN;
    const char unary = unary_kind(self->words[self->at]);
    const comparison kind = self->at + 2 < self->count ? comparison_of(self->words[self->at + 1]) : COMPARE_NONE;
    const bool alone = self->at + 1 >= self->count || word_is(self, self->at + 1, self->expanded ? "-a" : "&&") ||
                       word_is(self, self->at + 1, self->expanded ? "-o" : "||") || word_is(self, self->at + 1, ")");
    if (kind != COMPARE_NONE) {
        status = condition_binary(self, kind);
    } else if (word_is(self, self->at, "!") && !alone) {
        self->at++;
        status = mls_shell_status_not(condition_term(self));
    } else if (word_is(self, self->at, "(") && !alone) {
        self->at++;
        status = condition_or(self);
        self->mistake = self->mistake || !word_is(self, self->at, ")");
        self->at++;
    } else {
        const bool operates = unary != '\0' && !alone;
        self->at += operates;
        const mls_str text = operand(self, self->at++, QUOTING_TEXT);
        status = self->skipped > 0 ? status : test_unary(self->state, operates ? unary : 'n', text);
    }
    self->depth--;
    return status;
}

/* Terms joined by && or ||: a side that the left one decides is not looked at, or looked at in doubt. */
static int condition_joined(condition *self, const char *joint, int decided, int (*side)(condition *))
{
    int status = side(self);
    while (!self->mistake && word_is(self, self->at, joint)) {
        const bool skipped = status == decided && !self->expanded;
        const bool doubtful = status == STATUS_UNKNOWN;
        self->at++;
        self->skipped += skipped;
        self->state->frame->doubt += doubtful;
        const int right = side(self);
        self->state->frame->doubt -= doubtful;
        self->skipped -= skipped;
        status = decided == STATUS_YES ? either(status, right) : both(status, right);
    }
    return status;
}

static int condition_and(condition *self)
{
    return condition_joined(self, self->expanded ? "-a" : "&&", STATUS_NO, condition_term);
}

static int condition_or(condition *self)
{
    return condition_joined(self, self->expanded ? "-o" : "||", STATUS_YES, condition_and);
}

int mls_shell_condition(mls_shell_state *state, const mls_str *words, size_t count, bool expanded)
{
    condition self = {.state = state, .words = words, .count = count, .expanded = expanded};
    const int status = count > 0 ? condition_or(&self) : STATUS_NO;
    bool known = true;
    for (size_t i = 0; i < count; i++) {
        known = known && mls_shell_known(words[i]);
    }
    if (!self.mistake && (self.at == count || count == 0)) {
        return status;
    }
    return expanded && known ? STATUS_MISTAKE : STATUS_UNKNOWN;
}
