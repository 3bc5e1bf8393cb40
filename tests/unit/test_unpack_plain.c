/* SPDX-License-Identifier: Apache-2.0 */
/* The same with the log floor built without zlib (see the Makefile). */
/* NOLINTNEXTLINE(bugprone-suspicious-include): the same tests, not a part of them, is what this is for */
#include "test_unpack.c"
