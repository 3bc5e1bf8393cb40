/* SPDX-License-Identifier: Apache-2.0 */
/* The same tests with the log reader built without zlib (see the Makefile). */
/* NOLINTNEXTLINE(bugprone-suspicious-include): includes the same tests on purpose */
#include "test_unpack.c"
