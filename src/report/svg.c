/* SPDX-License-Identifier: Apache-2.0 */
/* svg.c - elements of SVG, and nothing else. */
#include "report/svg.h"

static void append_attribute(mls_buffer *out, const char *name, double number)
{
    mls_buffer_printf(out, " %s=\"", name);
    mls_markup_coordinate(out, number);
    mls_buffer_append_char(out, '"');
}

static void begin_mark(mls_buffer *out, const char *element, const char *look)
{
    mls_buffer_printf(out, "<%s", element);
    if (look != NULL) {
        mls_buffer_printf(out, " class=\"%s\"", look);
    }
}

void mls_svg_begin(mls_buffer *out, double width, double height, const char *title, mls_str description)
{
    mls_buffer_append_text(out, "<svg role=\"img\" viewBox=\"0 0 ");
    mls_markup_coordinate(out, width);
    mls_buffer_append_char(out, ' ');
    mls_markup_coordinate(out, height);
    mls_buffer_append_text(out, "\"><title>");
    mls_markup_text(out, mls_str_from(title));
    mls_buffer_append_text(out, "</title><desc>");
    mls_markup_text(out, description);
    mls_buffer_append_text(out, "</desc>");
}

void mls_svg_end(mls_buffer *out)
{
    mls_buffer_append_text(out, "</svg>\n");
}

void mls_svg_line(mls_buffer *out, const char *look, double x1, double y1, double x2, double y2)
{
    mls_svg_path_begin(out, look);
    mls_svg_path_point(out, x1, y1, true);
    mls_svg_path_point(out, x2, y2, false);
    mls_svg_path_end(out);
}

void mls_svg_rect(mls_buffer *out, const char *look, double x, double y, double width, double height)
{
    begin_mark(out, "rect", look);
    append_attribute(out, "x", x);
    append_attribute(out, "y", y);
    append_attribute(out, "width", width > 0 ? width : 0);
    append_attribute(out, "height", height > 0 ? height : 0);
    mls_buffer_append_text(out, "/>");
}

void mls_svg_circle(mls_buffer *out, const char *look, double x, double y, double radius)
{
    begin_mark(out, "circle", look);
    append_attribute(out, "cx", x);
    append_attribute(out, "cy", y);
    append_attribute(out, "r", radius);
    mls_buffer_append_text(out, "/>");
}

void mls_svg_cross(mls_buffer *out, const char *look, double x, double y, double radius)
{
    mls_svg_path_begin(out, look);
    mls_svg_path_point(out, x - radius, y - radius, true);
    mls_svg_path_point(out, x + radius, y + radius, false);
    mls_svg_path_point(out, x - radius, y + radius, true);
    mls_svg_path_point(out, x + radius, y - radius, false);
    mls_svg_path_end(out);
}

void mls_svg_diamond(mls_buffer *out, const char *look, double x, double y, double radius)
{
    mls_svg_path_begin(out, look);
    mls_svg_path_point(out, x, y - radius, true);
    mls_svg_path_point(out, x + radius, y, false);
    mls_svg_path_point(out, x, y + radius, false);
    mls_svg_path_point(out, x - radius, y, false);
    mls_svg_path_point(out, x, y - radius, false);
    mls_svg_path_end(out);
}

void mls_svg_text(mls_buffer *out, const char *look, char anchor, double x, double y, mls_str text)
{
    begin_mark(out, "text", look);
    append_attribute(out, "x", x);
    append_attribute(out, "y", y);
    mls_buffer_append_text(out, anchor == 'm'   ? " text-anchor=\"middle\">"
                                : anchor == 'e' ? " text-anchor=\"end\">"
                                                : ">");
    mls_markup_text(out, text);
    mls_buffer_append_text(out, "</text>");
}

void mls_svg_path_begin(mls_buffer *out, const char *look)
{
    begin_mark(out, "path", look);
    mls_buffer_append_text(out, " d=\"");
}

void mls_svg_path_point(mls_buffer *out, double x, double y, bool apart)
{
    mls_buffer_append_char(out, apart ? 'M' : 'L');
    mls_markup_coordinate(out, x);
    mls_buffer_append_char(out, ' ');
    mls_markup_coordinate(out, y);
}

void mls_svg_path_end(mls_buffer *out)
{
    mls_buffer_append_text(out, "\"/>");
}
