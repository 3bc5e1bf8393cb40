/* SPDX-License-Identifier: Apache-2.0 */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/* Bytes asked for at a time. */
#define READ_SIZE ((size_t)65536)

static mls_status read_descriptor(int file, size_t most, mls_buffer *text, mls_error *error)
{
    size_t before = text->len;
    for (;;) {
        if (!mls_buffer_reserve(text, READ_SIZE)) {
            return mls_error_set(error, MLS_ERROR_MEMORY, 0, 0, "out of memory");
        }
        ssize_t got = read(file, text->ptr + text->len, READ_SIZE);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0) {
            return mls_error_set_errno(error, MLS_ERROR_READ, errno, "cannot be read");
        }
        text->len += (size_t)got;
        text->ptr[text->len] = '\0';
        if (got == 0) {
            return MLS_OK;
        }
        if (text->len - before > most) {
            return mls_error_set(error, MLS_ERROR_LIMIT, 0, 0, "holds more than %zu bytes", most);
        }
    }
}

mls_status mls_file_read(const char *path, size_t most, mls_buffer *text, mls_error *error)
{
    if (strcmp(path, "-") == 0) {
        return read_descriptor(STDIN_FILENO, most, text, error);
    }
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) {
        return mls_error_set_errno(error, MLS_ERROR_READ, errno, "cannot be opened");
    }
    mls_status status = read_descriptor(file, most, text, error);
    (void)close(file);
    return status;
}
