/* SPDX-License-Identifier: Apache-2.0 */
/* value_show.c - a value's truth, and its face for a person. */
#include <math.h>

#include "base/number.h"
#include "base/utf8.h"
#include "rules/expr.h"

enum { MLS_SHOWN_LENGTH_MAX = 60, MLS_SHOWN_ITEMS_MAX = 6, MLS_SHOWN_DEPTH_MAX = 3 };

bool mls_value_truth(const mls_value *value)
{
    const mls_json_kind kind = value->kind;
    return kind == MLS_JSON_BOOL     ? value->as.boolean
           : kind == MLS_JSON_NUMBER ? value->as.number != 0 /* NaN is true */
           : kind == MLS_JSON_STRING ? value->as.string.len > 0
           : kind == MLS_JSON_LIST   ? value->as.list.count > 0
                                     : kind == MLS_JSON_OBJECT && value->as.object.count > 0;
}

static void show_string(mls_buffer *buffer, mls_str string, const char *behind)
{
    mls_buffer_append_char(buffer, '"');
    mls_utf8_append_cut(buffer, string, MLS_SHOWN_LENGTH_MAX);
    mls_buffer_append_text(buffer, behind);
}

static void show_nested(mls_buffer *buffer, const mls_value *value, unsigned depth)
{
    const bool list = value->kind == MLS_JSON_LIST;
    if (value->kind == MLS_JSON_STRING) {
        show_string(buffer, value->as.string, "\"");
        return;
    }
    if (value->kind == MLS_JSON_NUMBER && isfinite(value->as.number)) {
        mls_buffer_append_text(buffer, mls_words_exact(value->as.number).text);
        return;
    }
    if (!list && value->kind != MLS_JSON_OBJECT) {
        mls_buffer_append_text(buffer, value->kind == MLS_JSON_NULL   ? "null"
                                       : value->kind == MLS_JSON_BOOL ? value->as.boolean ? "true" : "false"
                                       : isnan(value->as.number)      ? "NaN"
                                       : value->as.number > 0         ? "inf"
                                                                      : "-inf");
        return;
    }
    const size_t count = list ? value->as.list.count : value->as.object.count;
    mls_buffer_append_char(buffer, list ? '[' : '{');
    for (size_t i = 0; i < count; i++) {
        mls_buffer_append_text(buffer, i > 0 ? ", " : "");
        if (i == MLS_SHOWN_ITEMS_MAX || depth == MLS_SHOWN_DEPTH_MAX) {
            mls_buffer_append_text(buffer, "…");
            break;
        }
        if (!list) {
            show_string(buffer, value->as.object.members[i].name, "\": ");
        }
        show_nested(buffer, list ? &value->as.list.items[i] : value->as.object.members[i].value, depth + 1);
    }
    mls_buffer_append_char(buffer, list ? ']' : '}');
}

void mls_value_show(mls_buffer *buffer, const mls_value *value)
{
    show_nested(buffer, value, 0);
}
