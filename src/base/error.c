/* SPDX-License-Identifier: Apache-2.0 */
/* error.c - errors as values, and names of severities. */
#include "base/utf8.h"

mls_status mls_error_set(mls_error *error, mls_status status, size_t line, size_t column, const char *format, ...)
{
    if (error != NULL) {
        va_list args;
        *error = (mls_error){.status = status, .line = line, .column = column};
        va_start(args, format);
        const int length = mls_text_vprintf(error->message, sizeof error->message, format, args);
        va_end(args);
        if (length >= (int)sizeof error->message) {
            /* Look at one more byte than is kept, to see whether the last code point is complete. */
            error->message[mls_utf8_cut(mls_str_from(error->message), sizeof error->message - 2).len] = '\0';
        }
        /* Replace control characters, so that a message is one line on a terminal even if it quotes hostile names. */
        const mls_str text = mls_str_from(error->message);
        char *out = error->message;
        for (size_t start = 0, at = 0; at < text.len; start = at) {
            if (mls_code_point_is_hostile(mls_utf8_next(text, &at))) {
                *out++ = '?';
            } else {
                memmove(out, text.ptr + start, at - start);
                out += at - start;
            }
        }
        *out = '\0';
    }
    return status;
}

mls_status mls_error_set_errno(mls_error *error, mls_status status, int system_errno, const char *what)
{
    (void)mls_error_set(error, status, 0, 0, "%s%s%s", what, *what != '\0' ? ": " : "", strerror(system_errno));
    if (error != NULL)
        error->system_errno = system_errno;
    return status;
}

const char *mls_severity_name(mls_severity severity)
{
    static const char *const names[] = {"error", "warning", "advice"};
    return (size_t)severity < sizeof names / sizeof *names ? names[severity] : NULL;
}
