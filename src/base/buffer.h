/* SPDX-License-Identifier: Apache-2.0 */
/* buffer.h - a growing byte string, and printing that does not depend on the locale.
 *
 * A zero-initialized buffer is empty.  `ptr` is NULL until something is appended; after that, a NUL (not counted in
 * len) follows the contents. */
#pragma once

#include "base/base.h"

struct mls_arena;

/* Format like vsnprintf(), but with a decimal point in every locale.  All printing in mlscore uses this function. */
int mls_text_vprintf(char *text, size_t size, const char *format, va_list args) MLS_PRINTF(3, 0);

/* Format like snprintf(), but with a decimal point in every locale. */
int mls_text_printf(char *text, size_t size, const char *format, ...) MLS_PRINTF(3, 4);

/* Convert a text to a number like strtod(), but with a decimal point in every locale. */
double mls_text_double(const char *text);

typedef struct mls_buffer {
    char *ptr;
    size_t len, capacity;
} mls_buffer;

/* Reserve room for `extra` more bytes and the NUL, so that appending up to `extra` bytes does not allocate memory. */
void mls_buffer_reserve(mls_buffer *buffer, size_t extra);

void mls_buffer_append(mls_buffer *buffer, mls_str text);
void mls_buffer_append_char(mls_buffer *buffer, char c);
void mls_buffer_append_text(mls_buffer *buffer, const char *text);
void mls_buffer_append_repeated(mls_buffer *buffer, char c, size_t count);
void mls_buffer_printf(mls_buffer *buffer, const char *format, ...) MLS_PRINTF(2, 3);
void mls_buffer_vprintf(mls_buffer *buffer, const char *format, va_list args) MLS_PRINTF(2, 0);

/* Format a text like printf() and return it, NUL-terminated, in memory of the arena. */
const char *mls_arena_printf(struct mls_arena *arena, const char *format, ...) MLS_PRINTF(2, 3);

/* Return the contents, which are valid until the buffer changes. */
static inline mls_str mls_buffer_str(const mls_buffer *buffer)
{
    return (mls_str){buffer->ptr, buffer->len};
}

/* Truncate the contents to `len` bytes if they are longer. */
void mls_buffer_cut(mls_buffer *buffer, size_t len);

/* Empty the buffer, but keep its memory. */
static inline void mls_buffer_clear(mls_buffer *buffer)
{
    mls_buffer_cut(buffer, 0);
}

/* Return the NUL-terminated contents, which the caller releases with free(), and empty the buffer. */
char *mls_buffer_detach(mls_buffer *buffer) MLS_MUST_USE;

void mls_buffer_release(mls_buffer *buffer);
