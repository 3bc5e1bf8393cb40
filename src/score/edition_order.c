/* SPDX-License-Identifier: Apache-2.0 */
#include "score/edition_order.h"

#define EDITION_DIGITS_MAX 6

bool mls_edition_numbers(mls_str edition, unsigned numbers[3])
{
    numbers[0] = numbers[1] = numbers[2] = 0;
    size_t part = 0;
    size_t digits = 0;
    for (size_t i = 0; i < edition.len; i++) {
        char c = edition.ptr[i];
        if (c >= '0' && c <= '9' && digits < EDITION_DIGITS_MAX) {
            numbers[part] = numbers[part] * 10 + (unsigned)(c - '0');
            digits++;
        } else if (c == '.' && digits > 0 && part < 2) {
            part++;
            digits = 0;
        } else {
            return false;
        }
    }
    return digits > 0;
}

int mls_edition_compare(mls_str a, mls_str b)
{
    unsigned left[3];
    unsigned right[3];
    bool valid_left = mls_edition_numbers(a, left);
    bool valid_right = mls_edition_numbers(b, right);
    if (!valid_left || !valid_right) {
        return valid_left - valid_right;
    }
    for (size_t i = 0; i < 3; i++) {
        if (left[i] != right[i]) {
            return left[i] < right[i] ? -1 : 1;
        }
    }
    return 0;
}
