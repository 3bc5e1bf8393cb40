/* SPDX-License-Identifier: Apache-2.0 */
/* buffer.h - a growing byte string, and printing that does not depend on the locale.
 *
 * Zero-initialized, a buffer is empty.  `ptr` is NULL only if nothing was ever appended; otherwise, a NUL follows the
 * last byte (not counted in len). */
#pragma once

#include "base/base.h"

struct mls_arena;

/* vsnprintf(), snprintf() and strtod() with a decimal point in every locale.  All printing uses the first one. */
int mls_text_vprintf(char *text, size_t size, const char *format, va_list args) MLS_PRINTF(3, 0);
int mls_text_printf(char *text, size_t size, const char *format, ...) MLS_PRINTF(3, 4);
double mls_text_double(const char *text);

typedef struct mls_buffer {
    char *ptr;
    size_t len, capacity;
} mls_buffer;

/* Reserve room for `extra` more bytes and the NUL, so that appending them does not allocate. */
void mls_buffer_reserve(mls_buffer *buffer, size_t extra);

void mls_buffer_append(mls_buffer *buffer, mls_str text);
void mls_buffer_append_char(mls_buffer *buffer, char c);
void mls_buffer_append_text(mls_buffer *buffer, const char *text);
void mls_buffer_append_repeated(mls_buffer *buffer, char c, size_t count);
void mls_buffer_printf(mls_buffer *buffer, const char *format, ...) MLS_PRINTF(2, 3);
void mls_buffer_vprintf(mls_buffer *buffer, const char *format, va_list args) MLS_PRINTF(2, 0);

/* Return a formatted text in an arena. */
const char *mls_arena_printf(struct mls_arena *arena, const char *format, ...) MLS_PRINTF(2, 3);

/* Return the contents, borrowed until the next change. */
static inline mls_str mls_buffer_str(const mls_buffer *buffer)
{
    return (mls_str){buffer->ptr, buffer->len};
}

/* Truncate to `len` bytes, if there are more. */
void mls_buffer_cut(mls_buffer *buffer, size_t len);

/* Empty the buffer, but keep its memory. */
static inline void mls_buffer_clear(mls_buffer *buffer)
{
    mls_buffer_cut(buffer, 0);
}

/* Return the NUL-terminated contents, which the caller releases with free(), and empty the buffer. */
char *mls_buffer_detach(mls_buffer *buffer) MLS_MUST_USE;

void mls_buffer_release(mls_buffer *buffer);
