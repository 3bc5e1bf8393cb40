/* SPDX-License-Identifier: Apache-2.0 */
/* The validator's tests with the log reader built without SIMD (see the Makefile). */
/* NOLINTNEXTLINE(bugprone-suspicious-include): includes the same tests on purpose */
#include "test_record.c"
