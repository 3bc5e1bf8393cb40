/* SPDX-License-Identifier: Apache-2.0 */
/* view.c - print text: colours, wrapping at the terminal's width, items of Markdown lists. */
#include "term/view.h"

#include "base/utf8.h"

bool mls_view_is_for_people(const mls_view *view)
{
    return view->format == MLS_FORMAT_TABLE || view->format == MLS_FORMAT_MARKDOWN;
}

void mls_output_buffer(mls_output *output, mls_buffer *buffer)
{
    mls_output_write(output, mls_buffer_str(buffer));
    mls_buffer_release(buffer);
}

static const char *const style_codes[] = {
    [MLS_STYLE_BAD] = "\033[31m", [MLS_STYLE_GOOD] = "\033[32m", [MLS_STYLE_WARN] = "\033[33m",
    [MLS_STYLE_DIM] = "\033[2m",  [MLS_STYLE_BOLD] = "\033[1m",
};

void mls_style_begin(mls_view *view, mls_style style)
{
    mls_output_text(view->output, view->color && style != MLS_STYLE_PLAIN ? style_codes[style] : "");
}

void mls_style_end(mls_view *view, mls_style style)
{
    mls_output_text(view->output, view->color && style != MLS_STYLE_PLAIN ? "\033[0m" : "");
}

void mls_style_append(mls_buffer *out, bool color, mls_style style, mls_str text)
{
    const bool styled = color && style != MLS_STYLE_PLAIN;
    mls_buffer_append_text(out, styled ? style_codes[style] : "");
    mls_buffer_append(out, text);
    mls_buffer_append_text(out, styled ? "\033[0m" : "");
}

void mls_sheet_text(mls_sheet *sheet, mls_style style, mls_str text)
{
    mls_buffer clean = {0};
    mls_escape_append(&clean, text);
    mls_str fits = mls_buffer_str(&clean);
    if (sheet->width > 0)
        fits = sheet->used < sheet->width ? mls_utf8_fit(fits, sheet->width - sheet->used) : (mls_str){0};
    if (fits.len > 0) {
        mls_style_append(sheet->out, sheet->color, style, fits);
        sheet->used += mls_display_width(fits);
    }
    mls_buffer_release(&clean);
}

MLS_PRINTF(3, 0)
static void sheet_vprintf(mls_sheet *sheet, mls_style style, const char *format, va_list args)
{
    mls_buffer text = {0};
    mls_buffer_vprintf(&text, format, args);
    mls_sheet_text(sheet, style, mls_buffer_str(&text));
    mls_buffer_release(&text);
}

void mls_sheet_printf(mls_sheet *sheet, mls_style style, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    sheet_vprintf(sheet, style, format, args);
    va_end(args);
}

void mls_sheet_line(mls_sheet *sheet, mls_style style, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    sheet_vprintf(sheet, style, format, args);
    va_end(args);
    mls_sheet_end(sheet);
}

void mls_sheet_pad(mls_sheet *sheet, size_t column)
{
    const size_t end = sheet->width > 0 && column > sheet->width ? sheet->width : column;
    if (end > sheet->used) {
        mls_buffer_append_repeated(sheet->out, ' ', end - sheet->used);
        sheet->used = end;
    }
}

void mls_sheet_end(mls_sheet *sheet)
{
    while (sheet->out->len > 0 && sheet->out->ptr[sheet->out->len - 1] == ' ')
        mls_buffer_cut(sheet->out, sheet->out->len - 1);
    mls_buffer_append_char(sheet->out, '\n');
    sheet->used = 0;
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
        if (text.ptr[i] != '\0' && strchr("|*_`<>[]\\", text.ptr[i]) != NULL)
            mls_buffer_append_char(out, '\\');
        mls_buffer_append_char(out, text.ptr[i]);
    }
}

/* Return the number of bytes of `text` that fit into `room` columns and end before a separator.  The bytes before the
 * first separator are always included, even if they do not fit. */
static size_t wrap_length(mls_str text, size_t room, mls_str separator, bool brackets)
{
    size_t end = 0;
    bool inside = false;
    for (size_t at = 1; at <= text.len; at++) {
        inside = brackets && (text.ptr[at - 1] == '(' || (inside && text.ptr[at - 1] != ')'));
        if (at < text.len && (inside || text.ptr[at - 1] == ' ' || !mls_str_starts(mls_str_rest(text, at), separator)))
            continue;
        if (end > 0 && mls_display_width((mls_str){text.ptr, at}) > room)
            break;
        end = at;
    }
    return end;
}

void mls_wrap_append(mls_buffer *out, bool color, mls_str text, mls_wrap wrap, mls_style style)
{
    const bool words = strcmp(wrap.separator, " ") == 0 && !wrap.brackets && wrap.width > wrap.indent;
    size_t column = wrap.used;
    while (text.len > 0) {
        const size_t room = wrap.width > column ? wrap.width - column : 0;
        const mls_str separator = mls_str_from(wrap.separator);
        size_t full = wrap.width > 0 ? wrap_length(text, room, separator, wrap.brackets) : text.len;
        /* If the line already contains text and the first piece does not fit, move the piece to the next line. */
        if (wrap.width > 0 && column > wrap.indent && mls_str_starts(text, separator) &&
            mls_display_width((mls_str){text.ptr, full}) > room)
            full = 0;
        size_t end = full;
        if (words) { /* do not leave a single word on the last line: move one more word there */
            size_t next = full;
            size_t word = full;
            while (next < text.len && text.ptr[next] == ' ')
                next++;
            while (word > 0 && text.ptr[word - 1] != ' ')
                word--;
            size_t before = word;
            while (before > 0 && text.ptr[before - 1] == ' ')
                before--;
            const bool single =
                next < text.len && text.ptr[next] != '[' && memchr(text.ptr + next, ' ', text.len - next) == NULL;
            if (single && memchr(text.ptr, ' ', before) != NULL &&
                mls_display_width(mls_str_rest(text, word)) <= wrap.width - wrap.indent)
                end = before;
        }
        mls_style_append(out, color, style, (mls_str){text.ptr, end});
        text = mls_str_rest(text, end);
        while (text.len > 0 && *text.ptr == ' ')
            text = (mls_str){text.ptr + 1, text.len - 1};
        if (text.len > 0) {
            mls_buffer_append_char(out, '\n');
            mls_buffer_append_repeated(out, ' ', wrap.indent);
        }
        column = wrap.indent;
    }
}

void mls_view_wrapped(mls_view *view, mls_str text, mls_wrap wrap, mls_style style)
{
    mls_buffer lines = {0};
    mls_wrap_append(&lines, view->color, text, wrap, style);
    mls_output_buffer(view->output, &lines);
}

/* Print a buffer, escaped, and release it. */
static void print(mls_view *view, mls_buffer *text, mls_wrap wrap, mls_style style)
{
    mls_buffer escaped = {0};
    mls_escape_append(&escaped, mls_buffer_str(text));
    if (view->format == MLS_FORMAT_MARKDOWN) {
        mls_buffer markdown = {0};
        mls_markdown_append(&markdown, mls_buffer_str(&escaped));
        mls_output_buffer(view->output, &markdown);
    } else {
        mls_view_wrapped(view, mls_buffer_str(&escaped), wrap, style);
    }
    mls_buffer_release(&escaped);
    mls_buffer_release(text);
}

void mls_view_text(mls_view *view, mls_style style, const char *format, ...)
{
    mls_buffer text = {0};
    va_list args;
    va_start(args, format);
    mls_buffer_vprintf(&text, format, args);
    va_end(args);
    print(view, &text, (mls_wrap){.separator = " "}, style);
}

void mls_view_gap(mls_view *view)
{
    mls_output_text(view->output, view->format == MLS_FORMAT_MARKDOWN ? "\n" : "");
}

void mls_view_headline(mls_view *view, mls_str title, mls_buffer *rest, size_t hang)
{
    mls_buffer shown = {0};
    mls_escape_append(&shown, title);
    const mls_wrap wrap = {view->width, mls_display_width(mls_buffer_str(&shown)), hang, "  ", false};
    mls_view_text(view, MLS_STYLE_BOLD, "%.*s", (int)title.len, title.ptr);
    print(view, rest, wrap, MLS_STYLE_PLAIN);
    mls_output_text(view->output, "\n");
    mls_buffer_release(&shown);
}

void mls_view_item(mls_view *view, mls_buffer *line, mls_wrap wrap, mls_style style)
{
    const bool markdown = view->format == MLS_FORMAT_MARKDOWN;
    mls_output_printf(view->output, "%*s", markdown ? 0 : (int)wrap.used, markdown ? "- " : "");
    print(view, line, wrap, style);
    mls_output_text(view->output, "\n");
}

void mls_view_line(mls_view *view, mls_buffer *line, mls_style style, size_t indent, size_t hang)
{
    /* A line that contains " · ", such as the line of a score, is a list: wrap it between its items. */
    const char *separator = mls_str_contains(mls_buffer_str(line), MLS_S(" · ")) ? " · " : " ";
    mls_view_item(view, line, (mls_wrap){hang > 0 ? view->width : 0, indent, hang, separator, false}, style);
}

void mls_view_printf(mls_view *view, mls_style style, size_t indent, size_t hang, const char *format, ...)
{
    mls_buffer line = {0};
    va_list args;
    va_start(args, format);
    mls_buffer_vprintf(&line, format, args);
    va_end(args);
    mls_view_line(view, &line, style, indent, hang);
}

size_t mls_view_limit(const mls_view *view, size_t limit)
{
    return view->verbose > 0 ? SIZE_MAX : limit;
}

const char *mls_view_hint(const mls_view *view)
{
    return view->verbose > 0 ? NULL : "-v lists them";
}

void mls_view_more(mls_view *view, mls_style style, size_t indent, size_t count, const char *noun, const char *hint)
{
    mls_buffer line = {0};
    mls_words_append_more(&line, count, noun, hint);
    if (count > 0)
        mls_view_line(view, &line, style, indent, indent + 4);
}
