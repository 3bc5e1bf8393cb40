/* SPDX-License-Identifier: Apache-2.0 */
/*
 * expr_input.c - the record that an expression looks at.
 *
 * Looking at one member of a record's value or metadata reads only that
 * member's text; a tree is built when the whole is asked for.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/locale.h"
#include "base/utf8.h"
#include "rules/expr_eval.h"

void mls_expr_note(mls_expr_input *input, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    (void)mls_text_vprintf(input->reason, sizeof input->reason, format, args);
    va_end(args);
}

void mls_expr_note_memory(mls_expr_input *input)
{
    input->out_of_memory = true;
    mls_expr_note(input, "out of memory");
}

void mls_expr_note_kind(mls_expr_input *input, const mls_argument *argument, const char *wanted)
{
    static const char *const kinds[] = {"null", "a boolean", "a number", "a string", "a list", "an object"};
    const mls_str text = argument->text;
    const mls_json_kind kind = argument->value.kind;
    mls_buffer shown = {0};
    if (kind != MLS_JSON_NULL) {
        mls_buffer_append_text(&shown, " (");
        mls_value_show(&shown, &argument->value);
        mls_buffer_append_text(&shown, ")");
    }
    mls_expr_note(input, "%.*s is %s%s, not %s", MLS_CUT(text, MLS_EXPR_QUOTED_MAX), kinds[kind],
                  shown.ptr != NULL ? shown.ptr : "", wanted);
    mls_buffer_release(&shown);
}

bool mls_argument_number(mls_expr_input *input, const mls_argument *argument, double *number)
{
    *number = 0;
    return mls_value_number(&argument->value, number) || mls_expr_fail_kind(input, argument, "a number");
}

void mls_expr_input_begin(mls_expr_input *input, const mls_record *record)
{
    input->record = record;
    input->value = NULL;
    input->metadata = NULL;
    input->whole = NULL;
    input->value_index.built = false;
    input->metadata_index.built = false;
}

/* A string that stands in the log as it is: no escapes, no bytes that count as Latin-1. */
static bool span_is_plain(mls_str span)
{
    for (size_t i = 1; i + 1 < span.len; i++) {
        if (span.ptr[i] == '\\' || (unsigned char)span.ptr[i] >= 0x80) {
            return false;
        }
    }
    return true;
}

bool mls_span_load(mls_str span, mls_expr_input *input, mls_value *result)
{
    switch (mls_json_kind_of(span)) {
    case MLS_JSON_NULL:
        *result = (mls_value){.kind = MLS_JSON_NULL};
        return true;
    case MLS_JSON_BOOL:
        *result = mls_value_of_bool(span.ptr[0] == 't');
        return true;
    case MLS_JSON_NUMBER: {
        double number;
        if (!mls_json_number(span, &number)) {
            return mls_expr_fail_memory(input); /* a long number is read from a copy */
        }
        *result = mls_value_of_number(number, mls_json_is_integer(span));
        return true;
    }
    case MLS_JSON_STRING:
        if (span_is_plain(span)) {
            *result = (mls_value){.kind = MLS_JSON_STRING, .as.string = {span.ptr + 1, span.len - 2}};
            return true;
        }
        break;
    case MLS_JSON_LIST:
    case MLS_JSON_OBJECT:
        break;
    }
    const mls_value *tree = mls_value_build(span, input->arena);
    if (tree == NULL) {
        return mls_expr_fail_memory(input);
    }
    *result = *tree;
    return true;
}

const mls_value *mls_expr_input_value(mls_expr_input *input)
{
    if (input->value == NULL && mls_span_load(input->record->value, input, &input->value_storage)) {
        input->value = &input->value_storage;
    }
    return input->value;
}

static bool eval_tree(const mls_value **cached, mls_str span, mls_expr_input *input, mls_value *result)
{
    if (*cached == NULL) {
        *cached = mls_value_build(span, input->arena);
        if (*cached == NULL) {
            return mls_expr_fail_memory(input);
        }
    }
    *result = **cached;
    return true;
}

bool mls_eval_input(uint8_t op, mls_expr_input *input, mls_value *result)
{
    const mls_record *record = input->record;
    if (record == NULL) {
        return mls_expr_fail(input, "there is no record to look at");
    }
    switch (op) {
    case MLS_EXPR_VALUE: {
        const mls_value *value = mls_expr_input_value(input);
        if (value == NULL) {
            return false;
        }
        *result = *value;
        return true;
    }
    case MLS_EXPR_METADATA:
        return eval_tree(&input->metadata, record->metadata, input, result);
    case MLS_EXPR_RECORD:
        return eval_tree(&input->whole, record->payload, input, result);
    default:
        *result = mls_value_of_number(record->time_ms, record->time_ms == floor(record->time_ms));
        return true;
    }
}

static void member_index_build(mls_member_index *index, mls_str span)
{
    mls_raw_member member;
    mls_json_walk walk = mls_json_walk_begin(span);
    index->built = true;
    index->count = 0;
    index->complete = true;
    while (index->complete && mls_json_walk_next(&walk, &member)) {
        index->complete = index->count < MLS_MEMBERS_INDEXED_MAX &&
                          (member.name.len == 0 || memchr(member.name.ptr, '\\', member.name.len) == NULL);
        if (index->complete) {
            index->members[index->count++] = member;
        }
    }
}

/* The last member of that name in an object's text. */
static bool member_index_find(mls_member_index *index, mls_str span, mls_str name, mls_str *member)
{
    if (!index->built) {
        member_index_build(index, span);
    }
    if (!index->complete) {
        return mls_json_member(span, name, member);
    }
    for (size_t i = index->count; i > 0; i--) {
        if (mls_str_equal(index->members[i - 1].name, name)) {
            *member = index->members[i - 1].value;
            return true;
        }
    }
    return false;
}

bool mls_expr_find_in_text(uint8_t op, mls_expr_input *input, mls_str name, bool *found, mls_str *member)
{
    mls_str span;
    mls_member_index *index;
    if (input->record == NULL) {
        return false;
    }
    if (op == MLS_EXPR_RECORD && input->whole == NULL) {
        *found = mls_json_member(input->record->payload, name, member);
        return true;
    }
    if (op == MLS_EXPR_METADATA && input->metadata == NULL) {
        span = input->record->metadata;
        index = &input->metadata_index;
    } else if (op == MLS_EXPR_VALUE && input->value == NULL) {
        span = input->record->value;
        index = &input->value_index;
    } else {
        return false;
    }
    if (mls_json_kind_of(span) != MLS_JSON_OBJECT) {
        return false;
    }
    *found = member_index_find(index, span, name, member);
    return true;
}
