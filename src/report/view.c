/* SPDX-License-Identifier: Apache-2.0 */
/*
 * view.c - text on its way to a person: colours, lines that are broken at the
 * terminal's width, items of Markdown lists.
 */
#include "report/view.h"

#include <errno.h>
#include <string.h>

#include "base/utf8.h"

void mls_output_short(mls_output *output)
{
    output->failed_errno = output->failed_errno != 0 ? output->failed_errno : ENOMEM;
}

void mls_output_drop(mls_output *output, mls_buffer *buffer)
{
    if (buffer->failed) {
        mls_output_short(output);
    }
    mls_buffer_release(buffer);
}

void mls_output_buffer(mls_output *output, mls_buffer *buffer)
{
    mls_output_write(output, mls_buffer_str(buffer));
    mls_output_drop(output, buffer);
}

static const char *style_code(mls_style style)
{
    static const char *const codes[] = {
        [MLS_STYLE_BAD] = "\033[31m", [MLS_STYLE_GOOD] = "\033[32m", [MLS_STYLE_WARN] = "\033[33m",
        [MLS_STYLE_DIM] = "\033[2m",  [MLS_STYLE_BOLD] = "\033[1m",
    };
    return codes[style];
}

void mls_style_begin(mls_output *output, mls_style style, bool color)
{
    if (color && style != MLS_STYLE_PLAIN) {
        mls_output_text(output, style_code(style));
    }
}

void mls_style_end(mls_output *output, mls_style style, bool color)
{
    if (color && style != MLS_STYLE_PLAIN) {
        mls_output_text(output, "\033[0m");
    }
}

void mls_output_escaped(mls_output *output, mls_str text)
{
    mls_buffer clean = {0};
    mls_escape_append(&clean, text);
    mls_output_buffer(output, &clean);
}

void mls_markdown_append(mls_buffer *out, mls_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] != '\0' && strchr("|*_`<>[]\\", text.ptr[i]) != NULL) {
            mls_buffer_append_char(out, '\\');
        }
        mls_buffer_append_char(out, text.ptr[i]);
    }
}

/* Bytes of `text` that fit into `room` columns, up to a separator; but at least what stands before the first one. */
static size_t wrap_length(mls_str text, size_t room, mls_str separator, bool brackets)
{
    size_t end = 0;
    bool inside = false;
    for (size_t at = 1; at <= text.len; at++) {
        inside = brackets && (text.ptr[at - 1] == '(' || (inside && text.ptr[at - 1] != ')'));
        if (at < text.len && (inside || text.ptr[at - 1] == ' ' ||
                              !mls_str_starts((mls_str){text.ptr + at, text.len - at}, separator))) {
            continue;
        }
        if (end > 0 && mls_display_width((mls_str){text.ptr, at}) > room) {
            break;
        }
        end = at;
    }
    return end;
}

void mls_output_wrapped(mls_output *output, mls_str text, mls_wrap wrap, mls_style style, bool color)
{
    size_t column = wrap.used;
    while (text.len > 0) {
        const size_t room = wrap.width > column ? wrap.width - column : 0;
        const size_t end =
            wrap.width > 0 ? wrap_length(text, room, mls_str_from(wrap.separator), wrap.brackets) : text.len;
        mls_style_begin(output, style, color);
        mls_output_write(output, (mls_str){text.ptr, end});
        mls_style_end(output, style, color);
        text = (mls_str){text.ptr + end, text.len - end};
        while (text.len > 0 && *text.ptr == ' ') {
            text = (mls_str){text.ptr + 1, text.len - 1};
        }
        if (text.len > 0) {
            mls_output_printf(output, "\n%*s", (int)wrap.indent, "");
        }
        column = wrap.indent;
    }
}

void mls_view_text(mls_view *view, mls_str text, mls_wrap wrap, mls_style style)
{
    mls_buffer escaped = {0};
    mls_escape_append(&escaped, text);
    if (view->format == MLS_FORMAT_MARKDOWN) {
        mls_buffer markdown = {0};
        mls_markdown_append(&markdown, mls_buffer_str(&escaped));
        mls_output_buffer(view->output, &markdown);
    } else {
        mls_output_wrapped(view->output, mls_buffer_str(&escaped), wrap, style, view->color);
    }
    mls_output_drop(view->output, &escaped);
}

void mls_view_headline(mls_view *view, mls_str title, mls_buffer *behind, size_t hang)
{
    mls_buffer shown = {0};
    mls_escape_append(&shown, title);
    const mls_wrap wrap = {view->width, mls_display_width(mls_buffer_str(&shown)), hang, "  ", false};
    mls_view_text(view, title, (mls_wrap){.separator = " "}, MLS_STYLE_BOLD);
    mls_view_text(view, mls_buffer_str(behind), wrap, MLS_STYLE_PLAIN);
    mls_output_text(view->output, "\n");
    mls_output_drop(view->output, &shown);
    mls_output_drop(view->output, behind);
}

void mls_view_line(mls_view *view, mls_buffer *line, mls_style style, size_t indent, size_t hang)
{
    /* A list, like the line of a score, is broken as one. */
    const char *separator = mls_str_contains(mls_buffer_str(line), MLS_S(" · ")) ? " · " : " ";
    const mls_wrap wrap = {view->width, indent, hang, separator, false};
    if (view->format == MLS_FORMAT_MARKDOWN) {
        mls_output_text(view->output, "- ");
    } else {
        mls_output_printf(view->output, "%*s", (int)indent, "");
    }
    mls_view_text(view, mls_buffer_str(line), wrap, style);
    mls_output_text(view->output, "\n");
    mls_output_drop(view->output, line);
}
