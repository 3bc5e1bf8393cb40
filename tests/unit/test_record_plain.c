/* SPDX-License-Identifier: Apache-2.0 */
/* The validator's tests once more, with the log floor built without SIMD (see the Makefile). */
#include "test_record.c"
