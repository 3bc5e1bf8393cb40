/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "shell/script.h"

bool mls_script_number_read(mls_str text, int64_t *number)
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
    int64_t value = 0;
    const size_t begin = at;
    for (; at < end && text.ptr[at] >= '0' && text.ptr[at] <= '9'; at++) {
        const int64_t digit = text.ptr[at] - '0';
        if (__builtin_mul_overflow(value, (int64_t)10, &value) ||
            __builtin_add_overflow(value, negative ? -digit : digit, &value)) {
            return false;
        }
    }
    *number = value;
    return at == end && at > begin;
}

static mls_script_truth negate(mls_script_truth truth)
{
    return truth == TRUTH_UNKNOWN ? TRUTH_UNKNOWN : mls_script_truth_of(truth == TRUTH_NO);
}

/* A mistake that bash reports with status 2. */
static mls_script_truth mistake(mls_script *script)
{
    script->status_code = 2;
    return TRUTH_NO;
}

static mls_script_truth test_file(mls_script *script, char kind, mls_str path)
{
    mls_str bytes;
    switch (mls_script_read_file(script, path, &bytes)) {
    case MLS_OK:
        switch (kind) {
        case 'e':
        case 'f':
        case 'r':
            return TRUTH_YES;
        case 's':
            return mls_script_truth_of(bytes.len > 0);
        case 'd':
            return TRUTH_NO;
        default:
            return TRUTH_UNKNOWN;
        }
    case MLS_ERROR_READ:
        return TRUTH_NO;
    default:
        return TRUTH_UNKNOWN;
    }
}

static mls_script_truth test_unary(mls_script *script, char kind, mls_script_text operand)
{
    if (!operand.known) {
        return TRUTH_UNKNOWN;
    }
    switch (kind) {
    case 'z':
        return mls_script_truth_of(operand.bytes.len == 0);
    case 'n':
        return mls_script_truth_of(operand.bytes.len > 0);
    case 'v': {
        mls_str value;
        const mls_script_presence presence = mls_script_variable_get(script, operand.bytes, &value);
        return presence == PRESENCE_UNKNOWN || !mls_script_is_name(operand.bytes)
                   ? TRUTH_UNKNOWN
                   : mls_script_truth_of(presence == PRESENCE_SET);
    }
    default:
        return script->moved ? TRUTH_UNKNOWN : test_file(script, kind, operand.bytes);
    }
}

/* "-f" → 'f'; '\0' when it is no operator with one operand. */
static char unary_kind(mls_str word)
{
    const bool unary = word.len == 2 && word.ptr[0] == '-' && strchr("abcdefghknoprstuvwxzGLNORS", word.ptr[1]) != NULL;
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
    COMPARE_NUMBERS /* and from here on: in the order of the names below */
} comparison;

static const char *const number_names[] = {"-eq", "-ne", "-lt", "-le", "-gt", "-ge"};

static comparison comparison_of(mls_str word)
{
    static const struct {
        const char *name;
        comparison kind;
    } names[] = {{"=", COMPARE_EQUAL},   {"==", COMPARE_EQUAL},  {"!=", COMPARE_UNEQUAL},
                 {"<", COMPARE_BEFORE},  {">", COMPARE_AFTER},   {"=~", COMPARE_REGEX},
                 {"-nt", COMPARE_FILES}, {"-ot", COMPARE_FILES}, {"-ef", COMPARE_FILES}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (mls_str_equal(word, mls_str_from(names[i].name))) {
            return names[i].kind;
        }
    }
    for (size_t i = 0; i < sizeof number_names / sizeof *number_names; i++) {
        if (mls_str_equal(word, mls_str_from(number_names[i]))) {
            return (comparison)(COMPARE_NUMBERS + i);
        }
    }
    return COMPARE_NONE;
}

static mls_script_truth compare_numbers(comparison kind, int64_t a, int64_t b)
{
    const bool results[] = {a == b, a != b, a<b, a <= b, a> b, a >= b};
    return mls_script_truth_of(results[kind - COMPARE_NUMBERS]);
}

/* Order of strings follows the locale in [[ ]]; only what every locale agrees on is known. */
static mls_script_truth compare_order(mls_str a, mls_str b, bool before)
{
    for (size_t i = 0; i < a.len + b.len; i++) {
        const char c = i < a.len ? a.ptr[i] : b.ptr[i - a.len];
        if (c < '0' || c > '9') {
            return TRUTH_UNKNOWN;
        }
    }
    const int order = mls_str_compare(a, b);
    return mls_script_truth_of(before ? order < 0 : order > 0);
}

static mls_script_truth test_binary(mls_script *script, mls_script_text left, comparison kind, mls_script_text right)
{
    if (!left.known || !right.known) {
        return TRUTH_UNKNOWN;
    }
    int64_t a;
    int64_t b;
    switch (kind) {
    case COMPARE_EQUAL:
    case COMPARE_UNEQUAL:
        return mls_script_truth_of(mls_str_equal(left.bytes, right.bytes) == (kind == COMPARE_EQUAL));
    case COMPARE_BEFORE:
    case COMPARE_AFTER:
        return compare_order(left.bytes, right.bytes, kind == COMPARE_BEFORE);
    case COMPARE_NONE:
    case COMPARE_REGEX:
        return mistake(script);
    case COMPARE_FILES:
        return TRUTH_UNKNOWN;
    default:
        if (!mls_script_number_read(left.bytes, &a) || !mls_script_number_read(right.bytes, &b)) {
            return mistake(script);
        }
        return compare_numbers(kind, a, b);
    }
}

static bool text_is(mls_script_text text, const char *word)
{
    return text.known && mls_str_equal(text.bytes, mls_str_from(word));
}

static mls_script_truth test_few(mls_script *script, const mls_script_text *arguments, size_t count)
{
    bool negated = false;
    while (count > 1 && text_is(arguments[0], "!") && !(count == 3 && comparison_of(arguments[1].bytes) != 0)) {
        negated = !negated;
        arguments++;
        count--;
    }
    mls_script_truth truth;
    if (count == 3 && !arguments[1].known) {
        truth = TRUTH_UNKNOWN;
    } else if (count == 1) {
        truth = arguments[0].known ? mls_script_truth_of(arguments[0].bytes.len > 0) : TRUTH_UNKNOWN;
    } else if (count == 2) {
        const char kind = arguments[0].known ? unary_kind(arguments[0].bytes) : '\0';
        if (!arguments[0].known) {
            return TRUTH_UNKNOWN;
        }
        if (kind == '\0') {
            return mistake(script);
        }
        truth = test_unary(script, kind, arguments[1]);
    } else if (count == 3 && comparison_of(arguments[1].bytes) != COMPARE_NONE) {
        truth = test_binary(script, arguments[0], comparison_of(arguments[1].bytes), arguments[2]);
    } else if (count == 3 && text_is(arguments[0], "(") && text_is(arguments[2], ")")) {
        truth = arguments[1].known ? mls_script_truth_of(arguments[1].bytes.len > 0) : TRUTH_UNKNOWN;
    } else {
        return count == 3 ? mistake(script) : TRUTH_UNKNOWN;
    }
    if (truth == TRUTH_NO && script->status_code == 2) {
        return TRUTH_NO;
    }
    return negated ? negate(truth) : truth;
}

static mls_script_truth either(mls_script_truth a, mls_script_truth b)
{
    if (a == TRUTH_YES || b == TRUTH_YES) {
        return TRUTH_YES;
    }
    return a == TRUTH_NO && b == TRUTH_NO ? TRUTH_NO : TRUTH_UNKNOWN;
}

static mls_script_truth both(mls_script_truth a, mls_script_truth b)
{
    return negate(either(negate(a), negate(b)));
}

/* Up to three operands are what POSIX has; longer ones are cut at -o, then at -a, as they usually are meant. */
static mls_script_truth test_joined(mls_script *script, const mls_script_text *arguments, size_t count,
                                    const char *joint)
{
    const bool any = strcmp(joint, "-o") == 0;
    mls_script_truth truth = mls_script_truth_of(!any);
    size_t begin = 0;
    for (size_t i = 0; i <= count; i++) {
        const bool cut = i > begin && i < count && text_is(arguments[i], joint);
        if (!cut && i < count) {
            continue;
        }
        const mls_script_truth one = any ? test_joined(script, arguments + begin, i - begin, "-a")
                                         : test_few(script, arguments + begin, i - begin);
        truth = any ? either(truth, one) : both(truth, one);
        begin = i + 1;
    }
    return truth;
}

mls_script_truth mls_script_test(mls_script *script, const mls_script_text *arguments, size_t count)
{
    script->status_code = 1;
    if (count == 0) {
        return TRUTH_NO;
    }
    for (size_t i = 0; count > 3 && i < count; i++) {
        if (text_is(arguments[i], "(") || text_is(arguments[i], ")")) {
            return TRUTH_UNKNOWN;
        }
    }
    return count <= 3 && !(count == 3 && (text_is(arguments[1], "-a") || text_is(arguments[1], "-o")))
               ? test_few(script, arguments, count)
               : test_joined(script, arguments, count, "-o");
}

/* ---- [[ ]] ---- */

typedef struct condition {
    mls_script *script;
    const mls_script_word *words;
    size_t count;
    size_t at;
    size_t depth;
    unsigned skipped;
    bool wrong;
} condition;

static mls_script_truth condition_or(condition *self);

static bool word_is(const condition *self, size_t at, const char *text)
{
    return at < self->count && mls_str_equal(self->words[at].raw, mls_str_from(text));
}

static mls_script_text expand_operand(condition *self, size_t at, mls_script_quoting quoting)
{
    if (self->skipped > 0) {
        return mls_script_unknown();
    }
    return mls_script_expand_text(self->script, self->words[at].raw, quoting);
}

static mls_script_truth compare_arithmetic(condition *self, comparison kind, mls_script_text left,
                                           mls_script_text right)
{
    mls_script_number a;
    mls_script_number b;
    if (!left.known || !right.known) {
        return TRUTH_UNKNOWN;
    }
    if (!mls_script_arithmetic(self->script, left.bytes, &a) || !mls_script_arithmetic(self->script, right.bytes, &b)) {
        return TRUTH_NO;
    }
    return a.known && b.known ? compare_numbers(kind, a.value, b.value) : TRUTH_UNKNOWN;
}

static mls_script_truth condition_binary(condition *self, comparison kind)
{
    const size_t at = self->at;
    self->at += 3;
    const mls_script_text left = expand_operand(self, at, QUOTING_TEXT);
    if (kind >= COMPARE_NUMBERS) {
        return compare_arithmetic(self, kind, left, expand_operand(self, at + 2, QUOTING_TEXT));
    }
    if (kind == COMPARE_REGEX) {
        const mls_script_text regex = expand_operand(self, at + 2, QUOTING_REGEX);
        (void)mls_script_variable_touch(self->script, MLS_S("BASH_REMATCH"));
        return left.known && regex.known ? mls_script_regex_match(self->script, regex.bytes, left.bytes)
                                         : TRUTH_UNKNOWN;
    }
    if (kind == COMPARE_EQUAL || kind == COMPARE_UNEQUAL) {
        const mls_script_text pattern = expand_operand(self, at + 2, QUOTING_PATTERN);
        if (!left.known || !pattern.known) {
            return TRUTH_UNKNOWN;
        }
        const mls_script_truth match = mls_script_pattern_match(self->script, pattern.bytes, left.bytes);
        return kind == COMPARE_EQUAL ? match : negate(match);
    }
    return test_binary(self->script, left, kind, expand_operand(self, at + 2, QUOTING_TEXT));
}

static mls_script_truth condition_term(condition *self)
{
    if (self->at >= self->count || self->depth >= SCRIPT_NESTING_MAX || self->script->flow != FLOW_GO) {
        self->wrong = true;
        return TRUTH_UNKNOWN;
    }
    self->depth++;
    mls_script_truth truth = TRUTH_UNKNOWN;
    const comparison kind = self->at + 2 < self->count ? comparison_of(self->words[self->at + 1].raw) : COMPARE_NONE;
    if (word_is(self, self->at, "!")) {
        self->at++;
        truth = negate(condition_term(self));
    } else if (word_is(self, self->at, "(")) {
        self->at++;
        truth = condition_or(self);
        self->wrong = self->wrong || !word_is(self, self->at, ")");
        self->at++;
    } else if (kind != COMPARE_NONE) {
        truth = condition_binary(self, kind);
    } else if (unary_kind(self->words[self->at].raw) != '\0' && self->at + 1 < self->count &&
               !word_is(self, self->at + 1, "&&") && !word_is(self, self->at + 1, "||") &&
               !word_is(self, self->at + 1, ")")) {
        const mls_script_text operand = expand_operand(self, self->at + 1, QUOTING_TEXT);
        truth = test_unary(self->script, unary_kind(self->words[self->at].raw), operand);
        self->at += 2;
    } else {
        truth = test_unary(self->script, 'n', expand_operand(self, self->at, QUOTING_TEXT));
        self->at++;
    }
    self->depth--;
    return truth;
}

/* The right side of && and ||: not looked at, or looked at in doubt, as the left side has it. */
static mls_script_truth condition_right(condition *self, bool decided, bool doubtful,
                                        mls_script_truth (*side)(condition *))
{
    self->skipped += decided;
    self->script->taint += doubtful;
    const mls_script_truth truth = side(self);
    self->script->taint -= doubtful;
    self->skipped -= decided;
    return truth;
}

static mls_script_truth condition_and(condition *self)
{
    mls_script_truth truth = condition_term(self);
    while (!self->wrong && word_is(self, self->at, "&&")) {
        self->at++;
        const mls_script_truth right = condition_right(self, truth == TRUTH_NO, truth == TRUTH_UNKNOWN, condition_term);
        truth = both(truth, right);
    }
    return truth;
}

static mls_script_truth condition_or(condition *self)
{
    mls_script_truth truth = condition_and(self);
    while (!self->wrong && word_is(self, self->at, "||")) {
        self->at++;
        const mls_script_truth right = condition_right(self, truth == TRUTH_YES, truth == TRUTH_UNKNOWN, condition_and);
        truth = either(truth, right);
    }
    return truth;
}

mls_script_truth mls_script_condition(mls_script *script, const mls_script_word *words, size_t count)
{
    condition self = {.script = script, .words = words, .count = count};
    script->status_code = 1;
    const mls_script_truth truth = condition_or(&self);
    return self.wrong || self.at != count ? TRUTH_UNKNOWN : truth;
}
