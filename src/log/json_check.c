/* SPDX-License-Identifier: Apache-2.0 */
#include "log/json_check.h"

#include <string.h>

#include "log/simd.h"

static const char *mls_fail(const char *where, const char *message, const char **wrong, const char **reason)
{
    *wrong = where;
    *reason = message;
    return NULL;
}

static bool mls_is_hex(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

static bool mls_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

const char *mls_json_check_string(const char *at, bool *escaped, const char **wrong, const char **reason)
{
    for (;;) {
        at = mls_simd_string_stop(at);
        if (*at == '"') {
            return at;
        }
        if (*at != '\\') {
            return mls_fail(
                at, *at == '\n' || *at == '\r' ? "the line ends inside a string" : "control character inside a string",
                wrong, reason);
        }
        *escaped = true;
        switch (at[1]) {
        case '"':
        case '\\':
        case '/':
        case 'b':
        case 'f':
        case 'n':
        case 'r':
        case 't':
            at += 2;
            break;
        case 'u':
            for (int i = 2; i < 6; i++) {
                if (!mls_is_hex(at[i])) {
                    return mls_fail(at, "\\u needs four hexadecimal digits", wrong, reason);
                }
            }
            at += 6;
            break;
        default:
            return mls_fail(at, "unknown escape in a string", wrong, reason);
        }
    }
}

/* A number by RFC 8259, or -Infinity.  `at` is at its first byte. */
static const char *mls_json_check_number(const char *at, const char **wrong, const char **reason)
{
    const char *start = at;
    if (*at == '-') {
        at++;
        if (*at == 'I') {
            return memcmp(at, "Infinity", 8) == 0 ? at + 8 : mls_fail(start, "expected a value", wrong, reason);
        }
    }
    if (*at == '0') {
        at++;
        if (mls_is_digit(*at)) {
            return mls_fail(start, "a number may not start with 0", wrong, reason);
        }
    } else if (mls_is_digit(*at)) {
        while (mls_is_digit(*at)) {
            at++;
        }
    } else {
        return mls_fail(start, "expected a value", wrong, reason);
    }
    if (*at == '.') {
        at++;
        if (!mls_is_digit(*at)) {
            return mls_fail(at, "expected a digit after the decimal point", wrong, reason);
        }
        while (mls_is_digit(*at)) {
            at++;
        }
    }
    if (*at == 'e' || *at == 'E') {
        at++;
        at += *at == '+' || *at == '-';
        if (!mls_is_digit(*at)) {
            return mls_fail(at, "expected a digit in the exponent", wrong, reason);
        }
        while (mls_is_digit(*at)) {
            at++;
        }
    }
    return at;
}

/* Anything that is neither list nor object. */
static const char *mls_json_check_scalar(const char *at, const char **wrong, const char **reason)
{
    bool escaped;
    switch (*at) {
    case '"':
        at = mls_json_string_end(at + 1, &escaped, wrong, reason);
        return at != NULL ? at + 1 : NULL;
    case 't':
        if (memcmp(at, "true", 4) == 0) {
            return at + 4;
        }
        break;
    case 'f':
        if (memcmp(at, "false", 5) == 0) {
            return at + 5;
        }
        break;
    case 'n':
        if (memcmp(at, "null", 4) == 0) {
            return at + 4;
        }
        break;
    case 'N':
        if (memcmp(at, "NaN", 3) == 0) {
            return at + 3;
        }
        break;
    case 'I':
        if (memcmp(at, "Infinity", 8) == 0) {
            return at + 8;
        }
        break;
    default:
        return mls_json_check_number(at, wrong, reason);
    }
    return mls_fail(at, "expected a value", wrong, reason);
}

/* `at` is where a member's name must start.  Returns the first byte of its value. */
static const char *mls_json_check_name(const char *at, const char **wrong, const char **reason)
{
    bool escaped;
    if (*at != '"') {
        return mls_fail(at, "expected a member name in quotes", wrong, reason);
    }
    at = mls_json_string_end(at + 1, &escaped, wrong, reason);
    if (at == NULL) {
        return NULL;
    }
    if (at[1] == ':' && at[2] == ' ' && at[3] > ' ') {
        return at + 3; /* as Python's json module writes it */
    }
    at = mls_json_skip_blanks(at + 1);
    if (*at != ':') {
        return mls_fail(at, "expected ':'", wrong, reason);
    }
    return mls_json_skip_blanks(at + 1);
}

const char *mls_json_check_value(const char *at, const char **wrong, const char **reason)
{
    /* One bit a level: set for an object.  Level 1 is the record itself.  Each word is cleared when a level of it is
     * first reached: clearing all would take longer than checking most values. */
    uint64_t levels[MLS_JSON_DEPTH_MAX / 64];
    levels[0] = 0;
    unsigned depth = 1;
    for (;;) {
        /* A value is due at `at`. */
        if (*at == '{' || *at == '[') {
            const bool object = *at == '{';
            if (depth == MLS_JSON_DEPTH_MAX) {
                return mls_fail(at, "nested too deeply", wrong, reason);
            }
            if (depth % 64 == 0) {
                levels[depth / 64] = 0;
            }
            levels[depth / 64] = (levels[depth / 64] & ~(1ULL << depth % 64)) | (uint64_t)object << depth % 64;
            depth++;
            at = mls_json_skip_blanks(at + 1);
            if (*at != (object ? '}' : ']')) {
                if (object && (at = mls_json_check_name(at, wrong, reason)) == NULL) {
                    return NULL;
                }
                continue;
            }
            at++;
            depth--;
        } else {
            at = mls_json_check_scalar(at, wrong, reason);
            if (at == NULL) {
                return NULL;
            }
        }
        /* A value has ended; so may the containers around it. */
        for (;;) {
            if (depth == 1) {
                return at;
            }
            const bool object = (levels[(depth - 1) / 64] >> (depth - 1) % 64 & 1) != 0;
            at = mls_json_skip_blanks(at);
            if (*at == ',') {
                at = mls_json_skip_blanks(at + 1);
                if (object && (at = mls_json_check_name(at, wrong, reason)) == NULL) {
                    return NULL;
                }
                break;
            }
            if (*at != (object ? '}' : ']')) {
                return mls_fail(at, object ? "expected ',' or '}'" : "expected ',' or ']'", wrong, reason);
            }
            at++;
            depth--;
        }
    }
}
