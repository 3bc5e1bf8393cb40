/* SPDX-License-Identifier: Apache-2.0 */
/*
 * value_show.c - a value's truth, and its face for a person.
 */
#include <math.h>

#include "base/number.h"
#include "base/utf8.h"
#include "rules/expr.h"

enum { MLS_SHOWN_LENGTH_MAX = 60, MLS_SHOWN_ITEMS_MAX = 6, MLS_SHOWN_DEPTH_MAX = 3 };

bool mls_value_truth(const mls_value *value)
{
    switch (value->kind) {
    case MLS_JSON_NULL:
        return false;
    case MLS_JSON_BOOL:
        return value->as.boolean;
    case MLS_JSON_NUMBER:
        return value->as.number != 0; /* NaN is true */
    case MLS_JSON_STRING:
        return value->as.string.len > 0;
    case MLS_JSON_LIST:
        return value->as.list.count > 0;
    case MLS_JSON_OBJECT:
        return value->as.object.count > 0;
    }
    return false;
}

static void value_show_nested(mls_buffer *buffer, const mls_value *value, unsigned depth);

static void value_show_string(mls_buffer *buffer, mls_str string)
{
    mls_buffer_append_char(buffer, '"');
    mls_utf8_append_cut(buffer, string, MLS_SHOWN_LENGTH_MAX);
    mls_buffer_append_char(buffer, '"');
}

static void value_show_list(mls_buffer *buffer, const mls_value *value, unsigned depth)
{
    const bool list = value->kind == MLS_JSON_LIST;
    const size_t count = list ? value->as.list.count : value->as.object.count;
    mls_buffer_append_char(buffer, list ? '[' : '{');
    for (size_t i = 0; i < count; i++) {
        mls_buffer_append_text(buffer, i > 0 ? ", " : "");
        if (i == MLS_SHOWN_ITEMS_MAX || depth == MLS_SHOWN_DEPTH_MAX) {
            mls_buffer_append_text(buffer, "…");
            break;
        }
        if (!list) {
            value_show_string(buffer, value->as.object.members[i].name);
            mls_buffer_append_text(buffer, ": ");
        }
        value_show_nested(buffer, list ? &value->as.list.items[i] : value->as.object.members[i].value, depth + 1);
    }
    mls_buffer_append_char(buffer, list ? ']' : '}');
}

static void value_show_nested(mls_buffer *buffer, const mls_value *value, unsigned depth)
{
    switch (value->kind) {
    case MLS_JSON_NULL:
        mls_buffer_append_text(buffer, "null");
        break;
    case MLS_JSON_BOOL:
        mls_buffer_append_text(buffer, value->as.boolean ? "true" : "false");
        break;
    case MLS_JSON_NUMBER:
        if (isfinite(value->as.number)) {
            mls_number_append(buffer, value->as.number);
        } else {
            mls_buffer_append_text(buffer, isnan(value->as.number) ? "NaN" : value->as.number > 0 ? "inf" : "-inf");
        }
        break;
    case MLS_JSON_STRING:
        value_show_string(buffer, value->as.string);
        break;
    case MLS_JSON_LIST:
    case MLS_JSON_OBJECT:
        value_show_list(buffer, value, depth);
        break;
    }
}

void mls_value_show(mls_buffer *buffer, const mls_value *value)
{
    value_show_nested(buffer, value, 0);
}
