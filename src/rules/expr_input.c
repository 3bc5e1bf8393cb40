/* SPDX-License-Identifier: Apache-2.0 */
/* expr_input.c - the record that an expression looks at, a value's truth and its face for a person.
 *
 * Looking at one member of a record's value or metadata reads only that member's text; a tree is built when the whole
 * is asked for. */
#include "rules/expr.h"

#include <math.h>

#include "base/buffer.h"
#include "base/number.h"
#include "base/utf8.h"

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

static void show_string(mls_buffer *buffer, mls_str string, const char *after)
{
    mls_buffer_append_char(buffer, '"');
    mls_utf8_append_cut(buffer, string, MLS_SHOWN_LENGTH_MAX);
    mls_buffer_append_text(buffer, after);
}

/* Leaves out what comes after `enough` bytes. */
static void show_nested(mls_buffer *buffer, const mls_value *value, unsigned depth, size_t enough)
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
        if (i == MLS_SHOWN_ITEMS_MAX || depth == MLS_SHOWN_DEPTH_MAX || buffer->len > enough) {
            mls_buffer_append_text(buffer, "…");
            break;
        }
        if (!list) {
            show_string(buffer, value->as.object.members[i].name, "\": ");
        }
        show_nested(buffer, list ? &value->as.list.items[i] : value->as.object.members[i].value, depth + 1, enough);
    }
    mls_buffer_append_char(buffer, list ? ']' : '}');
}

void mls_value_show(mls_buffer *buffer, const mls_value *value)
{
    show_nested(buffer, value, 0, SIZE_MAX);
}

bool mls_expr_fail(mls_expr_input *input, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    (void)mls_text_vprintf(input->reason, sizeof input->reason, format, args);
    va_end(args);
    return false;
}

bool mls_expr_fail_memory(mls_expr_input *input)
{
    input->out_of_memory = true;
    return mls_expr_fail(input, "%s", mls_reason_memory);
}

bool mls_expr_fail_kind(mls_expr_input *input, const mls_expr_node *node, const mls_value *value, const char *wanted)
{
    static const char *const kinds[] = {"null", "a boolean", "a number", "a string", "a list", "an object"};
    const mls_json_kind kind = value->kind;
    mls_buffer shown = {0};
    if (kind != MLS_JSON_NULL) {
        mls_buffer_append_text(&shown, " (");
        show_nested(&shown, value, 0, sizeof input->reason);
        mls_buffer_append_char(&shown, ')');
    }
    input->out_of_memory |= shown.failed;
    (void)mls_expr_fail(input, "%.*s is %s%s, not %s", MLS_CUT(node->text, MLS_EXPR_QUOTED_MAX), kinds[kind],
                        shown.ptr != NULL ? shown.ptr : "", wanted);
    mls_buffer_release(&shown);
    return false;
}

void mls_expr_input_begin(mls_expr_input *input, const mls_record *record)
{
    static const mls_record none;
    const mls_record *from = record != NULL ? record : &none;
    const mls_str spans[MLS_PARTS] = {from->value, from->metadata, from->payload};
    input->record = record;
    for (size_t i = 0; i < MLS_PARTS; i++) {
        input->parts[i].span = spans[i];
        input->parts[i].tree = NULL;
    }
}

const mls_value *mls_expr_input_tree(mls_expr_input *input, mls_expr_op op)
{
    mls_expr_part *part = &input->parts[op];
    part->tree = part->tree != NULL ? part->tree : mls_value_build(part->span, input->arena);
    if (part->tree == NULL) {
        (void)mls_expr_fail_memory(input);
    }
    return part->tree;
}
