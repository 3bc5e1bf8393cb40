/* SPDX-License-Identifier: Apache-2.0 */
/*
 * locale.h - printing and reading of numbers in the C locale.
 *
 * A program that uses the library may have set a locale with a decimal comma.
 * All printing of the library goes through mls_text_vprintf(), which buffers,
 * errors, findings and outputs do for themselves.
 */
#ifndef MLS_BASE_LOCALE_H
#define MLS_BASE_LOCALE_H

#include "mlscore/base.h"

/* vsnprintf() and snprintf() that write numbers with a point whatever the locale has. */
int mls_text_vprintf(char *text, size_t size, const char *format, va_list args) MLS_PRINTF(3, 0);
int mls_text_printf(char *text, size_t size, const char *format, ...) MLS_PRINTF(3, 4);

/* strtod() of the same kind. */
double mls_text_double(const char *text);

#endif
