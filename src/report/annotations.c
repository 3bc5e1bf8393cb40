/* SPDX-License-Identifier: Apache-2.0 */
#include "report/annotations.h"

#include "base/utf8.h"

/* GitHub's workflow commands: '%' and line endings are escaped, in properties ':' and ',' too. */
static void mls_github_append(mls_buffer *line, mls_str text, bool property)
{
    for (size_t i = 0; i < text.len; i++) {
        const char c = text.ptr[i];
        if (c == '%' || c == '\r' || c == '\n' || (property && (c == ':' || c == ','))) {
            mls_buffer_printf(line, "%%%02X", (unsigned)(unsigned char)c);
        } else {
            mls_buffer_append_char(line, c);
        }
    }
}

void mls_github_append_finding(mls_buffer *out, const mls_finding *finding, const char *path)
{
    static const char *const levels[] = {"error", "warning", "notice"};
    mls_buffer clean = {0};
    mls_escape_append(&clean, mls_str_from(finding->path != NULL ? finding->path : path));
    mls_buffer_printf(out, "::%s file=", levels[finding->severity]);
    mls_github_append(out, mls_buffer_str(&clean), true);
    if (finding->line > 0) {
        mls_buffer_printf(out, ",line=%zu", finding->line);
        if (finding->column > 0) {
            mls_buffer_printf(out, ",col=%zu", finding->column);
        }
    }
    mls_buffer_printf(out, ",title=mlscore %s::", mls_finding_info_get(finding->code)->name);
    mls_github_append(out, mls_str_from(finding->message), false);
    mls_buffer_append_char(out, '\n');
    out->failed |= clean.failed;
    mls_buffer_release(&clean);
}

void mls_xml_append(mls_buffer *out, const char *text)
{
    const mls_str str = mls_str_from(text);
    for (size_t at = 0; at < str.len;) {
        const int32_t code = mls_utf8_next(str, &at);
        switch (code) {
        case '&':
            mls_buffer_append_text(out, "&amp;");
            break;
        case '<':
            mls_buffer_append_text(out, "&lt;");
            break;
        case '>':
            mls_buffer_append_text(out, "&gt;");
            break;
        case '"':
            mls_buffer_append_text(out, "&quot;");
            break;
        default: {
            const bool allowed = (code >= 0x20 && code < 0x7f) ||
                                 (code >= 0xa0 && code != 0xfffe && code != 0xffff &&
                                  !(code >= 0x2028 && code <= 0x202e) && !(code >= 0x2066 && code <= 0x2069));
            mls_utf8_append(out, allowed ? (uint32_t)code : 0xfffd);
        }
        }
    }
}

void mls_xml_append_finding(mls_buffer *out, const mls_finding *finding, const char *path)
{
    mls_xml_append(out, finding->path != NULL ? finding->path : path);
    if (finding->line > 0) {
        mls_buffer_printf(out, ":%zu", finding->line);
    }
    mls_buffer_printf(out, ": %s: ", mls_severity_name(finding->severity));
    mls_xml_append(out, finding->message);
    mls_buffer_append_char(out, '\n');
}
