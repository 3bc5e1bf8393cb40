/* SPDX-License-Identifier: Apache-2.0 */
/* The validator's tests once more, with the log floor built without SIMD (see the Makefile). */
/* NOLINTNEXTLINE(bugprone-suspicious-include): the same tests, not a part of them, is what this is for */
#include "test_record.c"
