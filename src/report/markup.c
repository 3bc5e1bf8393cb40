/* SPDX-License-Identifier: Apache-2.0 */
/* markup.c - write text and coordinates into HTML and SVG. */
#include "report/markup.h"

#include <math.h>

#include "base/utf8.h"

const char *mls_markup_entity(int32_t code)
{
    static const char *const entities[] = {['&'] = "&amp;", ['<'] = "&lt;", ['>'] = "&gt;", ['"'] = "&quot;"};
    return code >= 0 && (size_t)code < sizeof entities / sizeof *entities ? entities[code] : NULL;
}

void mls_markup_text(mls_buffer *out, mls_str text)
{
    size_t count = 0;
    for (size_t at = 0; at < text.len; count++) {
        if (count == MLS_MARKUP_CHARACTERS_MAX) {
            mls_buffer_append_text(out, "…");
            return;
        }
        const int32_t code = mls_utf8_next(text, &at);
        const char *entity = code == '\'' ? "&#39;" : mls_markup_entity(code);
        if (entity != NULL)
            mls_buffer_append_text(out, entity);
        else if (code < 0 || mls_code_point_is_hostile(code) || (code >= 0xd800 && code <= 0xdfff) ||
                 (code & 0xfffe) == 0xfffe)
            mls_buffer_append_text(out, "\xef\xbf\xbd");
        else {
            char bytes[4];
            const size_t len = mls_utf8_encode((uint32_t)code, bytes);
            mls_buffer_append(out, (mls_str){bytes, len});
        }
    }
}

void mls_markup_put(mls_buffer *out, const char *markup, ...)
{
    va_list args;
    va_start(args, markup);
    for (const char *at = markup; *at != '\0';) {
        const size_t literal = strcspn(at, "%");
        mls_buffer_append(out, (mls_str){at, literal});
        at += literal;
        if (mls_str_starts(mls_str_from(at), MLS_S("%s"))) {
            mls_markup_text(out, mls_str_from(va_arg(args, const char *)));
            at += 2;
        } else if (mls_str_starts(mls_str_from(at), MLS_S("%f"))) {
            mls_markup_coordinate(out, va_arg(args, double));
            at += 2;
        } else if (mls_str_starts(mls_str_from(at), MLS_S("%zu"))) {
            mls_buffer_printf(out, "%zu", va_arg(args, size_t));
            at += 3;
        } else if (*at != '\0') {
            mls_buffer_printf(out, "%d", va_arg(args, int));
            at += 2;
        }
    }
    va_end(args);
}

void mls_markup_vprintf(mls_buffer *out, const char *format, va_list args)
{
    mls_buffer text = {0};
    mls_buffer_vprintf(&text, format, args);
    mls_markup_text(out, mls_buffer_str(&text));
    mls_buffer_release(&text);
}

void mls_markup_coordinate(mls_buffer *out, double number)
{
    const double tenths = isfinite(number) ? floor(fmin(fmax(number, -1e6), 1e6) * 10 + 0.5) : 0;
    const long whole = (long)fabs(tenths) / 10;
    const long rest = (long)fabs(tenths) % 10;
    mls_buffer_append_text(out, tenths < 0 ? "-" : "");
    mls_buffer_printf(out, "%ld", whole);
    if (rest > 0)
        mls_buffer_printf(out, ".%ld", rest);
}
