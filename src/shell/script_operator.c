/* SPDX-License-Identifier: Apache-2.0 */
#include "shell/script_operator.h"

#include <stdbool.h>
#include <string.h>

int64_t mls_script_wrap(uint64_t value)
{
    int64_t result;
    memcpy(&result, &value, sizeof result);
    return result;
}

static int64_t power(int64_t base, int64_t exponent)
{
    uint64_t result = 1;
    uint64_t factor = (uint64_t)base;
    for (uint64_t left = (uint64_t)exponent; left > 0; left >>= 1) {
        if ((left & 1) != 0) {
            result *= factor;
        }
        factor *= factor;
    }
    return mls_script_wrap(result);
}

static int64_t divide(int64_t a, int64_t b, bool rest)
{
    if (b == -1) {
        return rest ? 0 : mls_script_wrap(0 - (uint64_t)a);
    }
    return rest ? a % b : a / b;
}

/* A shift right that copies the sign, whatever the compiler makes of >>. */
static int64_t shift_right(int64_t a, unsigned count)
{
    const uint64_t bits = (uint64_t)a;
    return mls_script_wrap(a < 0 ? ~(~bits >> count) : bits >> count);
}

static int64_t compare(const char *operation, int64_t a, int64_t b)
{
    switch (operation[0]) {
    case '<':
        return operation[1] == '=' ? a <= b : a < b;
    case '>':
        return operation[1] == '=' ? a >= b : a > b;
    case '=':
        return a == b;
    default:
        return a != b;
    }
}

int64_t mls_script_calculate(const char *operation, int64_t a, int64_t b)
{
    const unsigned shift = (unsigned)((uint64_t)b & 63);
    if (strcmp(operation, "**") == 0) {
        return power(a, b);
    }
    if (strcmp(operation, "<<") == 0) {
        return mls_script_wrap((uint64_t)a << shift);
    }
    if (strcmp(operation, ">>") == 0) {
        return shift_right(a, shift);
    }
    switch (operation[0]) {
    case '*':
        return mls_script_wrap((uint64_t)a * (uint64_t)b);
    case '/':
    case '%':
        return divide(a, b, operation[0] == '%');
    case '+':
        return mls_script_wrap((uint64_t)a + (uint64_t)b);
    case '-':
        return mls_script_wrap((uint64_t)a - (uint64_t)b);
    case '&':
        return a & b;
    case '^':
        return a ^ b;
    case '|':
        return a | b;
    default:
        return compare(operation, a, b);
    }
}
