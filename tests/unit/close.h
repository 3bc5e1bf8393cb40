/* SPDX-License-Identifier: Apache-2.0 */
/* close.h - compare doubles in tests; cmocka's own assertion rounds them to float. */
#pragma once

#include <math.h>

/* Fail unless |actual - expected| <= tolerance. Tolerance 0 requires the same number. */
#define assert_close(actual, expected, tolerance)                                                                      \
    do {                                                                                                               \
        double assert_close_actual = (actual);                                                                         \
        double assert_close_expected = (expected);                                                                     \
        if (!(fabs(assert_close_actual - assert_close_expected) <= (tolerance))) {                                     \
            fail_msg("%s is %.17g, not %.17g", #actual, assert_close_actual, assert_close_expected);                   \
        }                                                                                                              \
    } while (0)
