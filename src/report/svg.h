/* SPDX-License-Identifier: Apache-2.0 */
/* svg.h - marks of a picture in SVG, appended to a buffer.  It knows nothing of runs.  Coordinates are units of the
 * picture, from its upper left corner; `look` is a class of report.css, a literal. */
#pragma once

#include "report/markup.h"

/* A picture that is read out as its title and its description (HTML-escaped here), and its end. */
void mls_svg_begin(mls_buffer *out, double width, double height, const char *title, mls_str description);
void mls_svg_end(mls_buffer *out);

void mls_svg_line(mls_buffer *out, const char *look, double x1, double y1, double x2, double y2);
void mls_svg_rect(mls_buffer *out, const char *look, double x, double y, double width, double height);
void mls_svg_circle(mls_buffer *out, const char *look, double x, double y, double radius);
void mls_svg_cross(mls_buffer *out, const char *look, double x, double y, double radius);
void mls_svg_diamond(mls_buffer *out, const char *look, double x, double y, double radius);

/* `anchor`: 's' starts at x, 'm' has it in the middle, 'e' ends there. */
void mls_svg_text(mls_buffer *out, const char *look, char anchor, double x, double y, mls_str text);

/* A path: begun, then points, of which the first, and one that is `apart`, is moved to; then ended. */
void mls_svg_path_begin(mls_buffer *out, const char *look);
void mls_svg_path_point(mls_buffer *out, double x, double y, bool apart);
void mls_svg_path_end(mls_buffer *out);
