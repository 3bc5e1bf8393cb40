/* SPDX-License-Identifier: Apache-2.0 */
/* pickle.c - a reader of the few pickle opcodes that a flight recorder writes, and of the same data as JSON. */
#include "explain/diagnose/pickle.h"

#include <math.h>
#include <stdlib.h>

#include <cjson/cJSON.h>

#include "json/value.h"

enum { DEPTH_MAX = 16 }; /* depth of JSON values; the dumps have a depth of 6 */

/* The opcodes of pickle, from Python's pickletools. */
enum {
    OP_MARK = '(',
    OP_STOP = '.',
    OP_FLOAT = 'G',
    OP_INT4 = 'J',
    OP_INT1 = 'K',
    OP_INT2 = 'M',
    OP_NONE = 'N',
    OP_TEXT4 = 'X',
    OP_APPEND = 'a',
    OP_APPENDS = 'e',
    OP_GET1 = 'h',
    OP_GET4 = 'j',
    OP_PUT1 = 'q',
    OP_PUT4 = 'r',
    OP_SET_ITEM = 's',
    OP_TUPLE = 't',
    OP_SET_ITEMS = 'u',
    OP_LIST = ']',
    OP_DICT = '}',
    OP_EMPTY_TUPLE = ')',
    OP_PROTOCOL = 0x80,
    OP_TUPLE1 = 0x85,
    OP_TUPLE3 = 0x87,
    OP_TRUE = 0x88,
    OP_FALSE = 0x89,
    OP_LONG1 = 0x8a
};

typedef struct dump_reader {
    mls_str rest;
    mls_arena *arena;
    size_t value_count;
    mls_pickle_value **stack; /* NULL: a mark */
    size_t stack_count, stack_capacity;
    mls_pickle_value **memo; /* NULL: not stored */
    size_t memo_count, memo_capacity;
} dump_reader;

/* Create a value; return NULL if there are too many. */
static mls_pickle_value *new_value(dump_reader *reader, mls_pickle_type type, double number)
{
    if (reader->value_count++ >= MLS_PICKLE_VALUES_MAX)
        return NULL;
    mls_pickle_value *value = mls_arena_zeroed(reader->arena, 1, sizeof *value);
    value->type = type;
    value->number = number;
    if (type == MLS_PICKLE_LIST || type == MLS_PICKLE_DICT)
        value->items = mls_arena_zeroed(reader->arena, 1, sizeof *value->items);
    return value;
}

static void add_item(mls_pickle_items *items, mls_pickle_value *value)
{
    *(items->first == NULL ? &items->first : &items->last->next) = value;
    items->last = value;
    items->count++;
}

/* Return whether a value was created, and push it. */
static bool push(dump_reader *reader, mls_pickle_value *value)
{
    if (value != NULL) {
        mls_grow((void **)&reader->stack, reader->stack_count, &reader->stack_capacity, sizeof value);
        reader->stack[reader->stack_count++] = value;
    }
    return value != NULL;
}

/* Read an unsigned number of `size` bytes, lowest byte first. */
static bool take_bytes(dump_reader *reader, size_t size, uint64_t *number)
{
    *number = 0;
    if (reader->rest.len < size)
        return false;
    for (size_t i = 0; i < size; i++)
        *number |= (uint64_t)(unsigned char)reader->rest.ptr[i] << (8 * i);
    reader->rest = mls_str_rest(reader->rest, size);
    return true;
}

/* Read a signed number of 0 to 8 bytes. */
static bool take_signed(dump_reader *reader, size_t size, double *number)
{
    uint64_t bits;
    if (size > sizeof bits || !take_bytes(reader, size, &bits))
        return false;
    if (size > 0 && size < sizeof bits && (bits >> (8 * size - 1) & 1) != 0)
        bits |= UINT64_MAX << (8 * size);
    *number = (double)(int64_t)bits;
    return true;
}

/* Remove the values above the last mark, and the mark.  Return the index of the first one, or SIZE_MAX without a
 * mark. */
static size_t find_mark(const dump_reader *reader)
{
    size_t at = reader->stack_count;
    while (at > 0 && reader->stack[at - 1] != NULL)
        at--;
    return at > 0 ? at : SIZE_MAX;
}

/* Move the values from index `from` on into the container below them, or below the mark at from - 1. */
static bool fill(dump_reader *reader, size_t from, bool marked, mls_pickle_type type)
{
    const size_t below = from == SIZE_MAX ? 0 : from - marked;
    if (below == 0 || from > reader->stack_count || reader->stack[below - 1] == NULL ||
        reader->stack[below - 1]->type != type || (type == MLS_PICKLE_DICT && (reader->stack_count - from) % 2 != 0))
        return false;
    for (size_t i = from; i < reader->stack_count; i++) {
        if (reader->stack[i] == NULL)
            return false;
        add_item(reader->stack[below - 1]->items, reader->stack[i]);
    }
    reader->stack_count = below;
    return true;
}

/* Replace the values from index `from` on, and a mark below them, by a tuple. */
static bool make_tuple(dump_reader *reader, size_t from, bool marked)
{
    mls_pickle_value *tuple = new_value(reader, MLS_PICKLE_LIST, 0);
    if (tuple == NULL || from == SIZE_MAX || from > reader->stack_count)
        return false;
    for (size_t i = from; i < reader->stack_count; i++) {
        if (reader->stack[i] == NULL)
            return false;
        add_item(tuple->items, reader->stack[i]);
    }
    reader->stack_count = from - marked;
    return push(reader, tuple);
}

/* Store the value on top of the stack under a number. */
static bool put_memo(dump_reader *reader, uint64_t index)
{
    if (index >= MLS_PICKLE_VALUES_MAX || reader->stack_count == 0 || reader->stack[reader->stack_count - 1] == NULL)
        return false;
    while (reader->memo_count <= index) { /* numbers are given in sequence */
        mls_grow((void **)&reader->memo, reader->memo_count, &reader->memo_capacity, sizeof *reader->memo);
        reader->memo[reader->memo_count++] = NULL;
    }
    if (reader->memo != NULL)
        reader->memo[index] = reader->stack[reader->stack_count - 1];
    return reader->memo != NULL;
}

/* Push a copy of a stored value.  Copies of a container share its items, which count again, because every copy is
 * searched. */
static bool get_memo(dump_reader *reader, uint64_t index)
{
    if (reader->memo == NULL || index >= reader->memo_count || reader->memo[index] == NULL)
        return false;
    const mls_pickle_value *stored = reader->memo[index];
    reader->value_count += stored->items != NULL ? stored->items->count : 0;
    mls_pickle_value *value = new_value(reader, MLS_PICKLE_NONE, 0);
    if (value != NULL) {
        *value = *stored;
        value->next = NULL;
    }
    return push(reader, value);
}

/* Run one opcode; return false if it is not allowed or wrong. */
static bool run_opcode(dump_reader *reader, unsigned char opcode)
{
    mls_pickle_value *value;
    uint64_t bits = 0;
    double number = 0;
    switch (opcode) {
    case OP_MARK:
        mls_grow((void **)&reader->stack, reader->stack_count, &reader->stack_capacity, sizeof *reader->stack);
        reader->stack[reader->stack_count++] = NULL;
        return true;
    case OP_NONE:
        return push(reader, new_value(reader, MLS_PICKLE_NONE, 0));
    case OP_TRUE:
    case OP_FALSE:
        return push(reader, new_value(reader, MLS_PICKLE_NUMBER, opcode == OP_TRUE));
    case OP_INT1:
        return take_bytes(reader, 1, &bits) && push(reader, new_value(reader, MLS_PICKLE_NUMBER, (double)bits));
    case OP_INT2:
        return take_bytes(reader, 2, &bits) && push(reader, new_value(reader, MLS_PICKLE_NUMBER, (double)bits));
    case OP_INT4:
        return take_signed(reader, 4, &number) && push(reader, new_value(reader, MLS_PICKLE_NUMBER, number));
    case OP_LONG1:
        return take_bytes(reader, 1, &bits) && take_signed(reader, (size_t)bits, &number) &&
               push(reader, new_value(reader, MLS_PICKLE_NUMBER, number));
    case OP_FLOAT: /* the times of an entry; its bytes are in the other order, and nobody asks for it */
        return take_bytes(reader, 8, &bits) && push(reader, new_value(reader, MLS_PICKLE_NUMBER, (double)NAN));
    case OP_TEXT4:
        if (!take_bytes(reader, 4, &bits) || bits > reader->rest.len)
            return false;
        value = new_value(reader, MLS_PICKLE_TEXT, 0);
        if (value != NULL)
            value->text = (mls_str){reader->rest.ptr, (size_t)bits};
        reader->rest = mls_str_rest(reader->rest, (size_t)bits);
        return push(reader, value);
    case OP_LIST:
    case OP_EMPTY_TUPLE:
        return push(reader, new_value(reader, MLS_PICKLE_LIST, 0));
    case OP_DICT:
        return push(reader, new_value(reader, MLS_PICKLE_DICT, 0));
    case OP_APPEND:
        return reader->stack_count >= 2 && fill(reader, reader->stack_count - 1, false, MLS_PICKLE_LIST);
    case OP_SET_ITEM:
        return reader->stack_count >= 3 && fill(reader, reader->stack_count - 2, false, MLS_PICKLE_DICT);
    case OP_APPENDS:
        return fill(reader, find_mark(reader), true, MLS_PICKLE_LIST);
    case OP_SET_ITEMS:
        return fill(reader, find_mark(reader), true, MLS_PICKLE_DICT);
    case OP_TUPLE:
        return make_tuple(reader, find_mark(reader), true);
    case OP_TUPLE1:
    case OP_TUPLE1 + 1:
    case OP_TUPLE3:
        bits = (uint64_t)opcode - OP_TUPLE1 + 1;
        return reader->stack_count >= bits && make_tuple(reader, reader->stack_count - (size_t)bits, false);
    case OP_PUT1:
    case OP_PUT4:
        return take_bytes(reader, opcode == OP_PUT1 ? 1 : 4, &bits) && put_memo(reader, bits);
    case OP_GET1:
    case OP_GET4:
        return take_bytes(reader, opcode == OP_GET1 ? 1 : 4, &bits) && get_memo(reader, bits);
    default:
        return false;
    }
}

static mls_pickle_value *read_pickle(dump_reader *reader)
{
    uint64_t version;
    bool good = take_bytes(reader, 2, &version) && version == (OP_PROTOCOL | 2 << 8);
    while (good && reader->rest.len > 0 && reader->rest.ptr[0] != OP_STOP) {
        const unsigned char opcode = (unsigned char)reader->rest.ptr[0];
        reader->rest = mls_str_rest(reader->rest, 1);
        good = run_opcode(reader, opcode);
    }
    good = good && reader->rest.len > 0 && reader->stack_count == 1;
    return good ? reader->stack[0] : NULL;
}

/* Convert a JSON value; return NULL if it is too deep or too large. */
static mls_pickle_value *convert(dump_reader *reader, const cJSON *json, unsigned depth)
{
    const bool list = cJSON_IsArray(json);
    const bool dict = cJSON_IsObject(json);
    const mls_pickle_type type = list                                         ? MLS_PICKLE_LIST
                                 : dict                                       ? MLS_PICKLE_DICT
                                 : cJSON_IsString(json)                       ? MLS_PICKLE_TEXT
                                 : cJSON_IsNumber(json) || cJSON_IsBool(json) ? MLS_PICKLE_NUMBER
                                                                              : MLS_PICKLE_NONE;
    mls_pickle_value *value =
        depth < DEPTH_MAX ? new_value(reader, type, cJSON_IsTrue(json) ? 1 : json->valuedouble) : NULL;
    if (value != NULL && type == MLS_PICKLE_TEXT)
        value->text = mls_arena_copy(reader->arena, mls_str_from(json->valuestring));
    for (const cJSON *item = json->child; value != NULL && item != NULL; item = item->next) {
        mls_pickle_value *name = dict ? new_value(reader, MLS_PICKLE_TEXT, 0) : NULL;
        mls_pickle_value *child = convert(reader, item, depth + 1);
        if (child == NULL || (dict && name == NULL))
            return NULL;
        if (dict) {
            name->text = mls_arena_copy(reader->arena, mls_str_from(item->string));
            add_item(value->items, name);
        }
        add_item(value->items, child);
    }
    return value;
}

mls_pickle_value *mls_pickle_read(mls_str bytes, mls_arena *arena)
{
    dump_reader reader = {.rest = bytes, .arena = arena};
    mls_pickle_value *root = NULL;
    cJSON *json = NULL;
    if (bytes.len > 0 && bytes.ptr[0] == '{') {
        if (mls_json_tree(bytes, &json, NULL) == MLS_OK)
            root = convert(&reader, json, 0);
        cJSON_Delete(json);
    } else {
        root = read_pickle(&reader);
    }
    free(reader.stack);
    free(reader.memo);
    return root != NULL && mls_pickle_member(root, MLS_S("entries")) != NULL &&
                   mls_pickle_member(root, MLS_S("pg_config")) != NULL
               ? root
               : NULL;
}

const mls_pickle_value *mls_pickle_first(const mls_pickle_value *value)
{
    return value != NULL && value->items != NULL ? value->items->first : NULL;
}

const mls_pickle_value *mls_pickle_member(const mls_pickle_value *value, mls_str name)
{
    const mls_pickle_value *item = value != NULL && value->type == MLS_PICKLE_DICT ? mls_pickle_first(value) : NULL;
    while (item != NULL && item->next != NULL) {
        if (item->type == MLS_PICKLE_TEXT && mls_str_equal(item->text, name))
            return item->next;
        item = item->next->next;
    }
    return NULL;
}

double mls_pickle_number(const mls_pickle_value *value, mls_str name)
{
    const mls_pickle_value *member = mls_pickle_member(value, name);
    return member != NULL && member->type == MLS_PICKLE_NUMBER ? member->number : (double)NAN;
}

mls_str mls_pickle_text(const mls_pickle_value *value, mls_str name)
{
    const mls_pickle_value *member = mls_pickle_member(value, name);
    return member != NULL && member->type == MLS_PICKLE_TEXT ? member->text : (mls_str){"", 0};
}
