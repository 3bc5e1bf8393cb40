/* SPDX-License-Identifier: Apache-2.0 */
/* carry.c - structs as JSON and back. */
#include "score/carry.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/number.h"
#include "base/utf8.h"
#include "base/walk.h"

/* A list of any type. */
typedef MLS_LIST_OF(char) any_list;

static const char digits64[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/* ------------------------------------------------------------------- texts */

static void append_base64(mls_buffer *to, mls_str text)
{
    for (size_t i = 0; i < text.len; i += 3) {
        uint32_t bits = 0;
        char four[] = "====";
        for (size_t k = 0; k < 3; k++) {
            bits = bits << 8 | (i + k < text.len ? (unsigned char)text.ptr[i + k] : 0);
        }
        for (size_t k = 0; k < 4 && i + k <= text.len; k++) {
            four[k] = digits64[bits >> (18 - 6 * k) & 63];
        }
        mls_buffer_append(to, (mls_str){four, 4});
    }
}

static bool read_base64(mls_str text, mls_arena *arena, mls_str *bytes)
{
    char *to = mls_arena_text(arena, text.len + 1);
    uint32_t bits = 0;
    size_t len = 0;
    while (text.len > 0 && text.ptr[text.len - 1] == '=') {
        text.len--;
    }
    for (size_t i = 0; i < text.len; i++) {
        const char *digit = memchr(digits64, text.ptr[i], sizeof digits64 - 1);
        if (digit == NULL) {
            return false;
        }
        bits = bits << 6 | (uint32_t)(digit - digits64);
        if (i % 4 != 0) {
            to[len++] = (char)(bits >> (6 - 2 * (i % 4)));
        }
    }
    to[len] = '\0';
    *bytes = (mls_str){to, len};
    return true;
}

static bool is_utf8(mls_str text)
{
    for (size_t at = 0; at < text.len;) {
        if (mls_utf8_next(text, &at) < 0) {
            return false;
        }
    }
    return true;
}

/* A text, or where it is not UTF-8 its base64. */
static void append_text(mls_buffer *to, mls_str text, bool plain)
{
    if (plain) {
        mls_json_text_append(to, text);
    } else {
        mls_buffer_append_char(to, '"');
        append_base64(to, text);
        mls_buffer_append_char(to, '"');
    }
}

/* ----------------------------------------------------------------- writing */

/* A comma where something stands before, then the name; `coded` adds the 64. */
static void append_member_name(mls_buffer *to, mls_str name, bool coded)
{
    if (to->len > 0 && to->ptr[to->len - 1] != '{') {
        mls_buffer_append_char(to, ',');
    }
    mls_buffer_printf(to, "\"%.*s%s\":", (int)name.len, name.ptr, coded ? "64" : "");
}

static void write_text(mls_buffer *to, mls_str name, mls_str text)
{
    if (text.ptr != NULL) {
        const bool plain = is_utf8(text);
        append_member_name(to, name, !plain);
        append_text(to, text, plain);
    }
}

static void write_number(mls_buffer *to, mls_str name, double number)
{
    append_member_name(to, name, false);
    if (!isfinite(number)) {
        mls_buffer_append_text(to, isnan(number) ? "\"nan\"" : number > 0 ? "\"inf\"" : "\"-inf\"");
    } else {
        mls_buffer_append_text(to, number == 0 && signbit(number) ? "-0.0" : mls_words_exact(number).text);
    }
}

static void write_count(mls_buffer *to, mls_str name, uint64_t number)
{
    if (number > 0) {
        append_member_name(to, name, false);
        mls_buffer_printf(to, "%llu", (unsigned long long)number);
    }
}

/* An object that holds nothing is left out. */
static void write_object(mls_buffer *to, const mls_carry_member *member, const void *at)
{
    const size_t before = to->len;
    append_member_name(to, member->name, false);
    const size_t inside = to->len + 1;
    mls_carry_write(to, member->of, at);
    if (to->len <= inside + 1) {
        mls_buffer_cut(to, before);
    }
}

/* A struct without the names of its members. */
static void write_row(mls_buffer *to, const mls_carry_table *table, const void *row)
{
    for (size_t i = 0; i < table->count; i++) {
        const void *at = (const char *)row + table->members[i].offset;
        mls_buffer_printf(to, "%c%zu", i == 0 ? '[' : ',', *(const size_t *)at);
    }
    mls_buffer_append_char(to, ']');
}

static void write_list_member(mls_buffer *to, const mls_carry_member *member, const any_list *list)
{
    void (*write)(mls_buffer *, const mls_carry_table *, const void *) =
        member->kind == MLS_CARRY_ROWS ? write_row : mls_carry_write;
    for (size_t i = 0; i < list->count; i++) {
        if (i == 0) {
            append_member_name(to, member->name, false);
        }
        mls_buffer_append_char(to, i == 0 ? '[' : ',');
        write(to, member->of, list->items + i * member->of->size);
    }
    if (list->count > 0) {
        mls_buffer_append_char(to, ']');
    }
}

/* One that is not UTF-8 stands in a list of its own. */
static void write_texts(mls_buffer *to, mls_str name, const mls_names *names)
{
    append_member_name(to, name, false);
    mls_buffer_append_char(to, '[');
    for (size_t i = 0; i < names->count; i++) {
        const mls_str text = mls_str_from(names->items[i]);
        const bool plain = is_utf8(text);
        mls_buffer_append_text(to, i > 0 ? "," : "");
        mls_buffer_append_text(to, plain ? "" : "[");
        append_text(to, text, plain);
        mls_buffer_append_text(to, plain ? "" : "]");
    }
    mls_buffer_append_char(to, ']');
}

/* ---------------------------------------------------------------- findings */

/* As they are carried: the texts of a list of findings are in pieces of its own kind. */
typedef struct carried_finding {
    const char *code;
    mls_severity severity;
    size_t line, column;
    const char *path, *key, *message;
} carried_finding;

typedef struct carried_more {
    const char *code;
    size_t more;
} carried_more;

static const mls_carry_member finding_members[] = {
    MLS_CARRY(carried_finding, "code", PASSING, code),
    MLS_CARRY_MOST(carried_finding, "severity", WORD, severity, MLS_SEVERITY_ADVICE + 1, NULL),
    MLS_CARRY(carried_finding, "line", SIZE, line),
    MLS_CARRY(carried_finding, "column", SIZE, column),
    MLS_CARRY(carried_finding, "path", PASSING, path),
    MLS_CARRY(carried_finding, "key", PASSING, key),
    MLS_CARRY(carried_finding, "message", PASSING, message),
};
MLS_CARRY_TABLE(finding_table, carried_finding, finding_members);

static const mls_carry_member more_members[] = {
    MLS_CARRY(carried_more, "code", PASSING, code),
    MLS_CARRY(carried_more, "more", SIZE, more),
};
MLS_CARRY_TABLE(more_table, carried_more, more_members);

static const mls_carry_member count_members[] = {
    MLS_CARRY(mls_finding_counts, "error", SIZE, error),
    MLS_CARRY(mls_finding_counts, "warning", SIZE, warning),
    MLS_CARRY(mls_finding_counts, "advice", SIZE, advice),
};
MLS_CARRY_TABLE(count_table, mls_finding_counts, count_members);

/* A list of those that were kept; behind them, where there were more, the counts and how many more of each code. */
static void write_findings(mls_buffer *to, mls_str name, const mls_findings *list)
{
    if (list->count == 0 && list->beyond == NULL) {
        return;
    }
    append_member_name(to, name, false);
    for (size_t i = 0; i < list->count; i++) {
        const mls_finding *f = &list->items[i];
        const carried_finding row = {
            mls_finding_info_get(f->code)->name, f->severity, f->line, f->column, f->path, f->key, f->message};
        mls_buffer_append_char(to, i == 0 ? '[' : ',');
        mls_carry_write(to, &finding_table, &row);
    }
    mls_buffer_append_text(to, list->count == 0 ? "[" : "");
    if (list->beyond != NULL) {
        mls_buffer_append_text(to, list->count > 0 ? "," : "");
        mls_carry_write(to, &count_table, &list->counts);
        for (size_t code = 0; code < MLS_FINDING_COUNT; code++) {
            if (list->beyond[code] > 0) {
                const carried_more row = {mls_finding_info_get((mls_finding_code)code)->name, list->beyond[code]};
                mls_buffer_append_char(to, ',');
                mls_carry_write(to, &more_table, &row);
            }
        }
    }
    mls_buffer_append_char(to, ']');
}

static bool add_carried(mls_findings *list, const carried_finding *row, size_t more)
{
    mls_finding_code code;
    if (row->code == NULL || !mls_finding_code_from_name(mls_str_from(row->code), &code)) {
        return false;
    }
    if (more > 0) {
        mls_findings_count_more(list, code, MLS_SEVERITY_ADVICE, more);
    } else {
        mls_findings_add_as(list, code, row->severity,
                            (mls_finding_place){row->path, row->line, row->column, mls_str_from(row->key)}, "%s",
                            row->message != NULL ? row->message : "");
    }
    return true;
}

static bool read_findings(mls_str span, mls_carry_room *room, mls_findings *list)
{
    mls_json_walk walk = mls_json_walk_begin(span);
    mls_raw_member item;
    mls_finding_counts counts = {0};
    mls_str ignored;
    bool counted = false;
    bool ok = mls_json_kind_of(span) == MLS_JSON_LIST;
    while (ok && mls_json_walk_next(&walk, &item)) {
        carried_finding row = {0};
        carried_more more = {0};
        if (mls_json_member(item.value, MLS_S("message"), &ignored)) {
            ok = !counted && mls_carry_read(&finding_table, item.value, room, &row) && add_carried(list, &row, 0);
        } else if (mls_json_member(item.value, MLS_S("more"), &ignored)) {
            ok = counted && mls_carry_read(&more_table, item.value, room, &more) && more.more > 0 &&
                 more.more <= UINT32_MAX && add_carried(list, &(carried_finding){.code = more.code}, more.more);
        } else {
            ok = !counted && mls_carry_read(&count_table, item.value, room, &counts);
            counted = true;
        }
    }
    list->counts = counted ? counts : list->counts;
    return ok;
}

/* ------------------------------------------------------------- all members */

static mls_str text_of_member(const mls_carry_member *member, const void *at)
{
    const bool counted = member->kind == MLS_CARRY_STR || member->kind == MLS_CARRY_KEPT_STR;
    return counted ? *(const mls_str *)at : mls_str_from(*(const char *const *)at);
}

static void write_member(mls_buffer *to, const mls_carry_member *member, const void *at)
{
    switch (member->kind) {
    case MLS_CARRY_RAW:
        if (((const mls_str *)at)->ptr != NULL) {
            append_member_name(to, member->name, false);
            mls_buffer_append(to, *(const mls_str *)at);
        }
        break;
    case MLS_CARRY_NUMBER:
        if (!isnan(*(const double *)at)) {
            write_number(to, member->name, *(const double *)at);
        }
        break;
    case MLS_CARRY_AMOUNT:
        if (*(const double *)at != 0 || signbit(*(const double *)at)) {
            write_number(to, member->name, *(const double *)at);
        }
        break;
    case MLS_CARRY_SIZE:
        write_count(to, member->name, *(const size_t *)at);
        break;
    case MLS_CARRY_U32:
    case MLS_CARRY_WORD:
        write_count(to, member->name, *(const uint32_t *)at);
        break;
    case MLS_CARRY_BOOL:
        if (*(const bool *)at) {
            append_member_name(to, member->name, false);
            mls_buffer_append_text(to, "true");
        }
        break;
    case MLS_CARRY_OBJECT:
        write_object(to, member, at);
        break;
    case MLS_CARRY_LIST:
    case MLS_CARRY_ROWS:
        write_list_member(to, member, at);
        break;
    case MLS_CARRY_TEXTS:
        write_texts(to, member->name, at);
        break;
    case MLS_CARRY_FINDINGS:
        write_findings(to, member->name, at);
        break;
    default:
        write_text(to, member->name, text_of_member(member, at));
    }
}

void mls_carry_write_members(mls_buffer *to, const mls_carry_table *table, const void *row)
{
    for (size_t i = 0; i < table->count; i++) {
        write_member(to, &table->members[i], (const char *)row + table->members[i].offset);
    }
}

void mls_carry_write(mls_buffer *to, const mls_carry_table *table, const void *row)
{
    mls_buffer_append_char(to, '{');
    mls_carry_write_members(to, table, row);
    mls_buffer_append_char(to, '}');
}

/* ----------------------------------------------------------------- reading */

void mls_carry_clear(const mls_carry_table *table, void *row)
{
    memset(row, 0, table->size);
    for (size_t i = 0; i < table->count; i++) {
        const mls_carry_member *member = &table->members[i];
        void *at = (char *)row + member->offset;
        if (member->kind == MLS_CARRY_NUMBER) {
            *(double *)at = (double)NAN;
        } else if (member->kind == MLS_CARRY_OBJECT) {
            mls_carry_clear(member->of, at);
        }
    }
}

void mls_carry_release(const mls_carry_table *table, void *row)
{
    for (size_t i = 0; i < table->count; i++) {
        const mls_carry_member *member = &table->members[i];
        void *at = (char *)row + member->offset;
        any_list *list = at;
        switch (member->kind) {
        case MLS_CARRY_TEXT:
            free(*(char **)at);
            break;
        case MLS_CARRY_OBJECT:
            mls_carry_release(member->of, at);
            break;
        case MLS_CARRY_LIST:
        case MLS_CARRY_ROWS:
            for (size_t k = 0; k < list->count; k++) {
                mls_carry_release(member->of, list->items + k * member->of->size);
            }
            free(list->items);
            break;
        case MLS_CARRY_TEXTS:
            mls_names_release(at);
            break;
        case MLS_CARRY_FINDINGS:
            mls_findings_release(at);
            break;
        default:
            break;
        }
    }
    mls_carry_clear(table, row);
}

/* Decodes a text into an arena. */
static bool read_text(mls_str span, bool coded, mls_arena *arena, mls_str *text)
{
    return mls_json_kind_of(span) == MLS_JSON_STRING && mls_json_string(span, arena, text) &&
           (!coded || read_base64(*text, arena, text));
}

static bool read_number_member(mls_str span, double *number)
{
    if (mls_json_kind_of(span) == MLS_JSON_STRING) {
        const bool none = mls_str_equal(span, MLS_S("\"nan\""));
        const bool below = mls_str_equal(span, MLS_S("\"-inf\""));
        *number = none ? (double)NAN : below ? (double)-INFINITY : (double)INFINITY;
        return none || below || mls_str_equal(span, MLS_S("\"inf\""));
    }
    return mls_json_kind_of(span) == MLS_JSON_NUMBER && mls_json_number(span, number) && isfinite(*number);
}

/* A value of JSON in a text. */
static bool is_json(mls_str text, mls_carry_room *room)
{
    mls_str value;
    size_t where;
    return mls_json_validate(text, &room->scratch, &value, &where) == NULL && value.len == text.len;
}

static bool read_text_member(const mls_carry_member *member, mls_str span, bool coded, mls_carry_room *room, void *at)
{
    const bool here = member->kind == MLS_CARRY_STR || member->kind == MLS_CARRY_JSON;
    const bool kept = member->kind == MLS_CARRY_KEPT || member->kind == MLS_CARRY_KEPT_STR;
    mls_str text = {NULL, 0};
    if (!read_text(span, coded, here ? room->arena : &room->scratch, &text) ||
        (member->kind == MLS_CARRY_JSON && !is_json(text, room))) {
        return false;
    }
    if (member->kind == MLS_CARRY_TEXT) {
        free(*(char **)at);
        *(char **)at = mls_strndup(text.ptr, text.len);
        return true;
    }
    text = kept ? mls_map_put(room->texts, text, NULL)->key : text;
    if (member->kind == MLS_CARRY_STR || member->kind == MLS_CARRY_KEPT_STR) {
        *(mls_str *)at = text;
    } else {
        *(const char **)at = text.ptr;
    }
    return true;
}

static bool read_row(const mls_carry_table *table, mls_str span, void *row)
{
    mls_json_walk walk = mls_json_walk_begin(span);
    mls_raw_member item;
    bool ok = mls_json_kind_of(span) == MLS_JSON_LIST;
    for (size_t i = 0; i < table->count && ok; i++) {
        ok = mls_json_walk_next(&walk, &item) &&
             mls_size_parse(item.value, (size_t *)(void *)((char *)row + table->members[i].offset));
    }
    return ok && !mls_json_walk_next(&walk, &item);
}

static bool read_list_member(const mls_carry_member *member, mls_str span, mls_carry_room *room, any_list *list)
{
    mls_json_walk walk = mls_json_walk_begin(span);
    mls_raw_member item;
    bool ok = mls_json_kind_of(span) == MLS_JSON_LIST && list->count == 0;
    while (ok && mls_json_walk_next(&walk, &item)) {
        ok = list->count < member->limit;
        if (ok) {
            (void)mls_grow((void **)&list->items, list->count, &list->capacity, member->of->size);
            void *row = list->items + list->count++ * member->of->size;
            mls_carry_clear(member->of, row);
            ok = member->kind == MLS_CARRY_ROWS ? read_row(member->of, item.value, row)
                                                : mls_carry_read(member->of, item.value, room, row);
        }
    }
    return ok;
}

static bool read_texts_member(mls_str span, mls_carry_room *room, mls_names *names)
{
    mls_json_walk walk = mls_json_walk_begin(span);
    mls_raw_member item;
    bool ok = mls_json_kind_of(span) == MLS_JSON_LIST && names->count == 0;
    while (ok && mls_json_walk_next(&walk, &item)) {
        mls_str text = {NULL, 0};
        mls_json_walk inner = mls_json_walk_begin(item.value);
        const bool coded = mls_json_kind_of(item.value) == MLS_JSON_LIST;
        ok = (!coded || mls_json_walk_next(&inner, &item)) && read_text(item.value, coded, &room->scratch, &text);
        if (ok) {
            (void)mls_names_add(names, text);
        }
    }
    return ok;
}

static bool read_member(const mls_carry_member *member, mls_str span, bool coded, mls_carry_room *room, void *at)
{
    size_t count = 0;
    switch (member->kind) {
    case MLS_CARRY_RAW:
        *(mls_str *)at = span;
        return true;
    case MLS_CARRY_NUMBER:
    case MLS_CARRY_AMOUNT:
        return read_number_member(span, at);
    case MLS_CARRY_SIZE:
        return mls_size_parse(span, at);
    case MLS_CARRY_U32:
    case MLS_CARRY_WORD:
        if (!mls_size_parse(span, &count) ||
            count >= (member->kind == MLS_CARRY_WORD ? member->limit : (size_t)UINT32_MAX + 1)) {
            return false;
        }
        *(uint32_t *)at = (uint32_t)count;
        return true;
    case MLS_CARRY_BOOL:
        *(bool *)at = *span.ptr == 't';
        return mls_json_kind_of(span) == MLS_JSON_BOOL;
    case MLS_CARRY_OBJECT:
        return mls_carry_read(member->of, span, room, at);
    case MLS_CARRY_LIST:
    case MLS_CARRY_ROWS:
        return read_list_member(member, span, room, at);
    case MLS_CARRY_TEXTS:
        return read_texts_member(span, room, at);
    case MLS_CARRY_FINDINGS:
        return ((const mls_findings *)at)->count == 0 && read_findings(span, room, at);
    default:
        return read_text_member(member, span, coded, room, at);
    }
}

/* Members come in the order of the table, so that the next one is looked at first.  *coded: it is base64. */
static const mls_carry_member *member_named(const mls_carry_table *table, mls_str name, size_t *next, bool *coded)
{
    for (int coding = 0; coding < 2; coding++) {
        *coded = coding == 1;
        for (size_t i = 0; i < table->count; i++) {
            const mls_carry_member *member = &table->members[(*next + i) % table->count];
            if (mls_str_equal(member->name, name) && (!*coded || member->kind <= MLS_CARRY_JSON)) {
                *next = (*next + i + 1) % table->count;
                return member;
            }
        }
        if (!mls_str_ends(name, MLS_S("64"))) {
            return NULL;
        }
        name.len -= 2;
    }
    return NULL;
}

bool mls_carry_read(const mls_carry_table *table, mls_str object, mls_carry_room *room, void *row)
{
    mls_json_walk walk = mls_json_walk_begin(object);
    mls_raw_member raw;
    size_t next = 0;
    bool coded;
    if (mls_json_kind_of(object) != MLS_JSON_OBJECT) {
        return false;
    }
    while (mls_json_walk_next(&walk, &raw)) {
        const mls_carry_member *member = member_named(table, raw.name, &next, &coded);
        if (member == NULL || !read_member(member, raw.value, coded, room, (char *)row + member->offset)) {
            if (room->wrong[0] == '\0') {
                (void)snprintf(room->wrong, sizeof room->wrong, "%.*s", MLS_CUT(raw.name, sizeof room->wrong - 1));
            }
            return false;
        }
    }
    return true;
}
