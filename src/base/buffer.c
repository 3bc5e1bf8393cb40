/* SPDX-License-Identifier: Apache-2.0 */
/* buffer.c - growing byte strings, formatted in the C locale. */
#include "base/buffer.h"

#include <locale.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"

static locale_t c_locale; /* 0 if it could not be created; the locale of the thread is then used instead */
static pthread_once_t c_locale_once = PTHREAD_ONCE_INIT;

static void make_c_locale(void)
{
    c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
}

/* Switch the thread to the C locale and return its previous locale. */
static locale_t enter_c_locale(void)
{
    (void)pthread_once(&c_locale_once, make_c_locale);
    return uselocale(c_locale);
}

int mls_text_vprintf(char *text, size_t size, const char *format, va_list args)
{
    const locale_t before = enter_c_locale();
    const int length = vsnprintf(text, size, format, args);
    (void)uselocale(before);
    return length;
}

int mls_text_printf(char *text, size_t size, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const int length = mls_text_vprintf(text, size, format, args);
    va_end(args);
    return length;
}

double mls_text_double(const char *text)
{
    const locale_t before = enter_c_locale();
    const double number = strtod(text, NULL);
    (void)uselocale(before);
    return number;
}

void mls_buffer_reserve(mls_buffer *buffer, size_t extra)
{
    if (extra < buffer->capacity - buffer->len)
        return;
    size_t capacity = buffer->capacity < 64 ? 64 : buffer->capacity;
    while (capacity - buffer->len <= extra) {
        if (capacity > SIZE_MAX / 2)
            mls_no_memory();
        capacity *= 2;
    }
    buffer->ptr = mls_realloc(buffer->ptr, capacity);
    buffer->capacity = capacity;
    buffer->ptr[buffer->len] = '\0';
}

void mls_buffer_append(mls_buffer *buffer, mls_str text)
{
    mls_buffer_reserve(buffer, text.len);
    if (text.len > 0)
        memcpy(buffer->ptr + buffer->len, text.ptr, text.len);
    buffer->len += text.len;
    buffer->ptr[buffer->len] = '\0';
}

void mls_buffer_append_char(mls_buffer *buffer, char c)
{
    mls_buffer_append(buffer, (mls_str){&c, 1});
}

void mls_buffer_append_text(mls_buffer *buffer, const char *text)
{
    mls_buffer_append(buffer, mls_str_from(text));
}

void mls_buffer_append_repeated(mls_buffer *buffer, char c, size_t count)
{
    mls_buffer_reserve(buffer, count);
    memset(buffer->ptr + buffer->len, c, count);
    buffer->len += count;
    buffer->ptr[buffer->len] = '\0';
}

/* Format into the free memory of the buffer.  Only text that does not fit is formatted a second time. */
void mls_buffer_vprintf(mls_buffer *buffer, const char *format, va_list args)
{
    enum { USUAL_LENGTH = 100 };
    va_list again;
    va_copy(again, args);
    if (buffer->ptr == NULL)
        mls_buffer_reserve(buffer, USUAL_LENGTH);
    const size_t room = buffer->capacity - buffer->len;
    const int length = mls_text_vprintf(buffer->ptr + buffer->len, room, format, args);
    if (length >= 0 && (size_t)length >= room) {
        mls_buffer_reserve(buffer, (size_t)length);
        (void)mls_text_vprintf(buffer->ptr + buffer->len, (size_t)length + 1, format, again);
    }
    buffer->len += length > 0 ? (size_t)length : 0;
    buffer->ptr[buffer->len] = '\0';
    va_end(again);
}

void mls_buffer_printf(mls_buffer *buffer, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    mls_buffer_vprintf(buffer, format, args);
    va_end(args);
}

const char *mls_arena_printf(mls_arena *arena, const char *format, ...)
{
    mls_buffer text = {0};
    va_list args;
    va_start(args, format);
    mls_buffer_vprintf(&text, format, args);
    va_end(args);
    const char *copy = mls_arena_copy(arena, mls_buffer_str(&text)).ptr;
    mls_buffer_release(&text);
    return copy;
}

void mls_buffer_cut(mls_buffer *buffer, size_t len)
{
    if (len < buffer->len) {
        buffer->len = len;
        buffer->ptr[len] = '\0';
    }
}

char *mls_buffer_detach(mls_buffer *buffer)
{
    mls_buffer_reserve(buffer, 0);
    char *text = buffer->ptr;
    *buffer = (mls_buffer){0};
    return text;
}

void mls_buffer_release(mls_buffer *buffer)
{
    free(buffer->ptr);
    *buffer = (mls_buffer){0};
}
