/* SPDX-License-Identifier: Apache-2.0 */
/* schema.c - write structs as JSON and read them back. */
#include "json/schema.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/number.h"
#include "base/utf8.h"
#include "base/walk.h"
#include "base/words.h"
#include "json/dump.h"

/* A list with items of any type. */
typedef MLS_LIST_OF(char) any_list;

/* A row of a written list of findings.  There is a row for each stored finding.  If some findings were not stored, a
 * row with the total counts follows, and then a row for each code with the number of findings that were not stored
 * (`more`).
 */
typedef struct finding_row {
    const char *code, *path, *key, *message;
    mls_severity severity;
    size_t line, column, more;
    mls_finding_counts counts;
} finding_row;

#define FINDING(name, kind, member) MLS_FIELD(finding_row, name, kind, member)
static const mls_row_member finding_members[] = {
    FINDING("code", TEXT, code),
    MLS_FIELD_MOST(finding_row, "severity", WORD, severity, MLS_SEVERITY_ADVICE + 1, NULL),
    FINDING("line", COUNT, line),
    FINDING("column", COUNT, column),
    FINDING("path", TEXT, path),
    FINDING("key", TEXT, key),
    FINDING("message", TEXT, message),
    FINDING("more", COUNT, more),
    FINDING("error", COUNT, counts.error),
    FINDING("warning", COUNT, counts.warning),
    FINDING("advice", COUNT, counts.advice),
};
static const mls_schema finding_schema = MLS_SCHEMA_OF(finding_row, finding_members);

/* ----------------------------------------------------------------- writing */

/* Append the name of a member, after a comma unless it is the first member. */
static void append_name(mls_buffer *to, const char *name)
{
    if (to->len > 0 && to->ptr[to->len - 1] != '{')
        mls_buffer_append_char(to, ',');
    mls_buffer_printf(to, "\"%s\":", name);
}

static void write_count(mls_buffer *to, const char *name, uint64_t number)
{
    if (number > 0) {
        append_name(to, name);
        mls_buffer_printf(to, "%llu", (unsigned long long)number);
    }
}

static void write_findings(mls_buffer *to, const char *name, const mls_findings *list)
{
    const char *before = "[";
    if (list->count == 0 && list->beyond == NULL)
        return;
    append_name(to, name);
    for (size_t i = 0; i < list->count; i++, before = ",") {
        const mls_finding *f = &list->items[i];
        mls_buffer_append_text(to, before);
        mls_schema_write(to, &finding_schema,
                         &(finding_row){.code = mls_finding_info_get(f->code)->name,
                                        .severity = f->severity,
                                        .line = f->line,
                                        .column = f->column,
                                        .path = f->path,
                                        .key = f->key,
                                        .message = f->message});
    }
    if (list->beyond != NULL) {
        mls_buffer_append_text(to, before);
        mls_schema_write(to, &finding_schema, &(finding_row){.counts = list->counts});
        for (size_t code = 0; code < MLS_FINDING_COUNT; code++) {
            if (list->beyond[code] > 0) {
                mls_buffer_append_char(to, ',');
                mls_schema_write(to, &finding_schema,
                                 &(finding_row){.code = mls_finding_info_get((mls_finding_code)code)->name,
                                                .more = list->beyond[code]});
            }
        }
    }
    mls_buffer_append_char(to, ']');
}

static void write_member(mls_buffer *to, const mls_row_member *member, const void *at)
{
    const size_t before = to->len;
    mls_str text = {NULL, 0};
    switch (member->kind) {
    case MLS_MEMBER_OWNED:
    case MLS_MEMBER_TEXT:
    case MLS_MEMBER_JSON:
        text = mls_str_from(*(const char *const *)at);
        break;
    case MLS_MEMBER_STR:
        text = *(const mls_str *)at;
        break;
    case MLS_MEMBER_RAW:
        if (((const mls_str *)at)->ptr != NULL) {
            append_name(to, member->name);
            mls_buffer_append(to, *(const mls_str *)at);
        }
        break;
    case MLS_MEMBER_NUMBER:
    case MLS_MEMBER_AMOUNT: {
        const double number = *(const double *)at;
        if (member->kind == MLS_MEMBER_NUMBER ? isnan(number) : number == 0 && !signbit(number))
            break;
        append_name(to, member->name);
        if (!isfinite(number))
            mls_buffer_append_text(to, isnan(number) ? "\"nan\"" : number > 0 ? "\"inf\"" : "\"-inf\"");
        else
            mls_buffer_append_text(to, number == 0 && signbit(number) ? "-0.0" : mls_words_exact(number).text);
        break;
    }
    case MLS_MEMBER_COUNT:
        write_count(to, member->name, *(const size_t *)at);
        break;
    case MLS_MEMBER_U32:
    case MLS_MEMBER_WORD:
        write_count(to, member->name, *(const uint32_t *)at);
        break;
    case MLS_MEMBER_BOOL:
        if (*(const bool *)at) {
            append_name(to, member->name);
            mls_buffer_append_text(to, "true");
        }
        break;
    case MLS_MEMBER_OBJECT:
        append_name(to, member->name);
        mls_schema_write(to, member->of, at);
        if (mls_str_ends(mls_buffer_str(to), MLS_S("{}"))) /* omit an object without members */
            mls_buffer_cut(to, before);
        break;
    case MLS_MEMBER_LIST:
    case MLS_MEMBER_ROWS: {
        const any_list *list = at;
        const mls_schema *of = member->of;
        if (list->count > 0)
            append_name(to, member->name);
        for (size_t i = 0; i < list->count; i++) {
            const char *row = list->items + i * of->size;
            mls_buffer_append_char(to, i == 0 ? '[' : ',');
            if (member->kind == MLS_MEMBER_LIST)
                mls_schema_write(to, of, row);
            for (size_t k = 0; k < of->count && member->kind == MLS_MEMBER_ROWS; k++) {
                mls_buffer_printf(to, "%c%zu", k == 0 ? '[' : ',',
                                  *(const size_t *)(const void *)(row + of->members[k].offset));
            }
            mls_buffer_append_text(to, member->kind == MLS_MEMBER_ROWS ? "]" : "");
        }
        mls_buffer_append_text(to, list->count > 0 ? "]" : "");
        break;
    }
    case MLS_MEMBER_NAMES: {
        const mls_names *names = at;
        append_name(to, member->name);
        for (size_t i = 0; i < names->count; i++) {
            mls_buffer_append_char(to, i == 0 ? '[' : ',');
            mls_json_text_append(to, mls_str_from(names->items[i]));
        }
        mls_buffer_append_text(to, names->count == 0 ? "[]" : "]");
        break;
    }
    case MLS_MEMBER_FINDINGS:
        write_findings(to, member->name, at);
        break;
    default:
        break;
    }
    if (text.ptr != NULL) {
        append_name(to, member->name);
        mls_json_text_append(to, text);
    }
}

void mls_schema_write(mls_buffer *to, const mls_schema *schema, const void *row)
{
    mls_buffer_append_char(to, '{');
    for (size_t i = 0; i < schema->count; i++)
        write_member(to, &schema->members[i], (const char *)row + schema->members[i].offset);
    mls_buffer_append_char(to, '}');
}

/* ----------------------------------------------------------------- reading */

void mls_schema_clear(const mls_schema *schema, void *row)
{
    memset(row, 0, schema->size);
    for (size_t i = 0; i < schema->count; i++) {
        const mls_row_member *member = &schema->members[i];
        void *at = (char *)row + member->offset;
        if (member->kind == MLS_MEMBER_NUMBER)
            *(double *)at = (double)NAN;
        else if (member->kind == MLS_MEMBER_OBJECT)
            mls_schema_clear(member->of, at);
    }
}

void mls_schema_release(const mls_schema *schema, void *row)
{
    for (size_t i = 0; i < schema->count; i++) {
        const mls_row_member *member = &schema->members[i];
        void *at = (char *)row + member->offset;
        any_list *list = at;
        switch (member->kind) {
        case MLS_MEMBER_OWNED:
            free(*(char **)at);
            break;
        case MLS_MEMBER_OBJECT:
            mls_schema_release(member->of, at);
            break;
        case MLS_MEMBER_LIST:
        case MLS_MEMBER_ROWS:
            for (size_t k = 0; k < list->count; k++)
                mls_schema_release(member->of, list->items + k * member->of->size);
            free(list->items);
            break;
        case MLS_MEMBER_NAMES:
            mls_names_release(at);
            break;
        case MLS_MEMBER_FINDINGS:
            mls_findings_release(at);
            break;
        default:
            break;
        }
    }
    mls_schema_clear(schema, row);
}

static bool read_findings(mls_str span, mls_schema_room *room, mls_findings *list)
{
    mls_json_walk walk = mls_json_walk_begin(span);
    mls_finding_counts counts = {0};
    bool counted = false;
    bool ok = mls_json_kind_of(span) == MLS_JSON_LIST && list->count == 0;
    for (mls_raw_member item; ok && mls_json_walk_next(&walk, &item);) {
        finding_row row = {0};
        mls_finding_code code = MLS_FINDING_COUNT;
        ok = mls_schema_read(&finding_schema, item.value, room, &row) &&
             (row.code == NULL || mls_finding_code_from_name(mls_str_from(row.code), &code));
        if (ok && row.message != NULL) {
            ok = !counted && row.code != NULL && row.more == 0;
        } else if (ok && row.more > 0) {
            ok = counted && row.code != NULL && row.more <= UINT32_MAX;
        } else if (ok) {
            ok = !counted && row.code == NULL;
            counted = true;
            counts = row.counts;
        }
        if (ok && row.message != NULL) {
            const mls_finding_place place = {row.path, row.line, row.column, mls_str_from(row.key)};
            mls_findings_add_as(list, code, row.severity, place, "%s", row.message);
        } else if (ok && row.more > 0) {
            mls_findings_count_more(list, code, MLS_SEVERITY_ADVICE, row.more);
        }
    }
    list->counts = counted ? counts : list->counts;
    return ok;
}

static bool read_member(const mls_row_member *member, mls_str span, mls_schema_room *room, void *at)
{
    const mls_json_kind json = mls_json_kind_of(span);
    size_t count = 0;
    mls_str text;
    switch (member->kind) {
    case MLS_MEMBER_RAW:
        *(mls_str *)at = span;
        return true;
    case MLS_MEMBER_NUMBER:
    case MLS_MEMBER_AMOUNT: {
        double *number = at;
        *number = mls_str_equal(span, MLS_S("\"inf\""))    ? (double)INFINITY
                  : mls_str_equal(span, MLS_S("\"-inf\"")) ? (double)-INFINITY
                                                           : (double)NAN;
        return isinf(*number) || mls_str_equal(span, MLS_S("\"nan\"")) ||
               (json == MLS_JSON_NUMBER && mls_json_number(span, number) && isfinite(*number));
    }
    case MLS_MEMBER_COUNT:
        return mls_size_parse(span, at);
    case MLS_MEMBER_U32:
    case MLS_MEMBER_WORD:
        if (!mls_size_parse(span, &count) ||
            count >= (member->kind == MLS_MEMBER_WORD ? member->limit : (size_t)UINT32_MAX + 1))
            return false;
        *(uint32_t *)at = (uint32_t)count;
        return true;
    case MLS_MEMBER_BOOL:
        *(bool *)at = *span.ptr == 't';
        return json == MLS_JSON_BOOL;
    case MLS_MEMBER_OBJECT:
        return mls_schema_read(member->of, span, room, at);
    case MLS_MEMBER_LIST:
    case MLS_MEMBER_ROWS: {
        const mls_schema *of = member->of;
        any_list *list = at;
        mls_json_walk walk = mls_json_walk_begin(span);
        mls_raw_member item;
        mls_raw_member cell;
        bool ok = json == MLS_JSON_LIST && list->count == 0;
        while (ok && mls_json_walk_next(&walk, &item)) {
            if (list->count == member->limit)
                return false;
            mls_grow((void **)&list->items, list->count, &list->capacity, of->size);
            char *row = list->items + list->count++ * of->size;
            mls_schema_clear(of, row);
            if (member->kind == MLS_MEMBER_LIST) {
                ok = mls_schema_read(of, item.value, room, row);
                continue;
            }
            mls_json_walk cells = mls_json_walk_begin(item.value);
            ok = mls_json_kind_of(item.value) == MLS_JSON_LIST;
            for (size_t i = 0; i < of->count && ok; i++) {
                ok = mls_json_walk_next(&cells, &cell) &&
                     mls_size_parse(cell.value, (size_t *)(void *)(row + of->members[i].offset));
            }
            ok = ok && !mls_json_walk_next(&cells, &cell);
        }
        return ok;
    }
    case MLS_MEMBER_NAMES: {
        mls_names *names = at;
        mls_json_walk walk = mls_json_walk_begin(span);
        bool ok = json == MLS_JSON_LIST && names->count == 0;
        for (mls_raw_member item; ok && mls_json_walk_next(&walk, &item);) {
            ok = mls_json_string(item.value, &room->scratch, &text);
            if (ok)
                mls_names_add(names, text);
        }
        return ok;
    }
    case MLS_MEMBER_FINDINGS:
        return read_findings(span, room, at);
    default:
        break;
    }
    if (!mls_json_string(span, &room->scratch, &text))
        return false;
    if (member->kind == MLS_MEMBER_OWNED) {
        free(*(char **)at);
        *(char **)at = mls_strndup(text.ptr, text.len);
        return true;
    }
    text = mls_map_put(&room->texts, text, NULL)->key;
    if (member->kind == MLS_MEMBER_STR)
        *(mls_str *)at = text;
    else
        *(const char **)at = text.ptr;
    mls_str value;
    size_t where;
    return member->kind != MLS_MEMBER_JSON ||
           (mls_json_validate(text, &room->scratch, &value, &where) == NULL && value.len == text.len);
}

bool mls_schema_read(const mls_schema *schema, mls_str object, mls_schema_room *room, void *row)
{
    mls_json_walk walk = mls_json_walk_begin(object);
    size_t next = 0; /* the table row to compare first: members usually have the same order as the table */
    if (mls_json_kind_of(object) != MLS_JSON_OBJECT)
        return false;
    for (mls_raw_member raw; mls_json_walk_next(&walk, &raw);) {
        const mls_row_member *member = NULL;
        for (size_t i = 0; i < schema->count && member == NULL; i++) {
            const mls_row_member *each = &schema->members[(next + i) % schema->count];
            member = mls_str_equal(mls_str_from(each->name), raw.name) ? each : NULL;
        }
        if (member == NULL || !read_member(member, raw.value, room, (char *)row + member->offset)) {
            if (room->wrong[0] == '\0')
                (void)snprintf(room->wrong, sizeof room->wrong, "%.*s", MLS_CUT(raw.name, sizeof room->wrong - 1));
            return false;
        }
        next = (size_t)(member - schema->members) + 1;
    }
    return true;
}
