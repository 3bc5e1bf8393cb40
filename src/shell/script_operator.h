/* SPDX-License-Identifier: Apache-2.0 */
/*
 * script_operator.h - bash's operators on 64 bits that wrap around.
 */
#ifndef MLS_CONFIG_SCRIPT_OPERATOR_H
#define MLS_CONFIG_SCRIPT_OPERATOR_H

#include <stdint.h>

/* The number with the same bits. */
int64_t mls_script_wrap(uint64_t value);

/*
 * One of ** << >> <= >= == != * / % + - < > & ^ |.  Nothing is divided by 0
 * and no exponent is negative: the caller has seen to that.
 */
int64_t mls_script_calculate(const char *operation, int64_t a, int64_t b);

#endif
