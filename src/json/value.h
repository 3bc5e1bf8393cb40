/* SPDX-License-Identifier: Apache-2.0 */
/* value.h - a JSON value as a tree, built only when somebody looks at it.
 *
 * A tree lives in the arena it was built in and borrows nothing from the text.  Strings are code points as the MLPerf
 * compliance checker sees them: it reads a log as Latin-1, so each byte from 0x80 up is one, and so are \u escapes,
 * lone surrogates included.  In generalised UTF-8 two strings are equal exactly when their bytes are. */
#pragma once

#include "base/base.h"
#include "mlscore/read.h"

/** JSON nested deeper is refused; the outermost value is level 1. */
#define MLS_JSON_DEPTH_MAX 1024

/** The kind of JSON value that a span holds, known from its first byte. */
typedef enum mls_json_kind {
    MLS_JSON_NULL,
    MLS_JSON_BOOL,
    MLS_JSON_NUMBER,
    MLS_JSON_STRING,
    MLS_JSON_LIST,
    MLS_JSON_OBJECT
} mls_json_kind;

/** Where the names of an object's members stand in its text, noted while it is validated, so that a member is found
 * without walking the text again.  `known` is false if the value is not an object, has more than MLS_PLACES_MAX
 * members, is not laid out as Python's json module does, or was not validated. */
enum { MLS_PLACES_MAX = 6 };
typedef struct mls_member_places {
    bool known;
    uint8_t count;
    uint16_t names[MLS_PLACES_MAX]; /**< offsets of the byte after the quote */
} mls_member_places;

struct mls_arena;
struct cJSON; /* of its own library */
typedef struct mls_value mls_value;

/** A member of an object, in the order of first appearance. */
typedef struct mls_member {
    mls_str name;
    const mls_value *value;
} mls_member;

/** A JSON value.  Which member of the union holds follows from `kind`. */
struct mls_value {
    mls_json_kind kind;
    bool is_integer; /**< a number written without '.', 'e' or 'E' (6, not 6.0) */
    union {
        bool boolean;
        double number;
        mls_str string;
        struct {
            const mls_value *items;
            size_t count;
        } list;
        struct {
            const mls_member *members;
            size_t count;
        } object;
    } as;
};

/** Builds the tree of `json`, which must have been validated (a span of an mls_record), in `arena`.  Of duplicate
 * members the last one's value stays, at the place of the first.  Texts without escapes are spans of `json`, which must
 * live as long.  NULL: nested too deeply, or a number that cannot be read. */
const mls_value *mls_value_build(mls_str json, struct mls_arena *arena) MLS_MUST_USE;

/** The member of an object by name; NULL when there is none, or `value` is not an object or NULL. */
const mls_value *mls_value_member(const mls_value *value, mls_str name);

/** The number of a number or boolean value, the string of a string value; false for anything else (and NULL). */
bool mls_value_number(const mls_value *value, double *number);
bool mls_value_string(const mls_value *value, mls_str *string);

/** Equality by content: booleans count as 1 and 0, lists in order, objects by members. NaN equals nothing. */
bool mls_value_equal(const mls_value *a, const mls_value *b);

/** The span of one member in the text of a validated object: the last of that name, names written with escapes decoded.
 * False when there is none or `json` is not an object. */
bool mls_json_member(mls_str json, mls_str name, mls_str *span);

/** The same where the places of the names are known as a rule. */
bool mls_json_member_at(mls_str json, const mls_member_places *places, mls_str name, mls_str *span);

/** A member of an object's text: the name as written between its quotes, and its value. */
typedef struct mls_raw_member {
    mls_str name, value;
} mls_raw_member;

/** Steps through the members of an object or the items of a list, in the order in which they stand. */
typedef struct mls_json_walk {
    const char *at, *end;
    bool object;
} mls_json_walk;

/** Begins a validated span (anything but an object or a list is empty); and the next member, or item (whose name has
 * ptr NULL), false when there is no more.  Nothing is decoded, and duplicate members come as often as they stand. */
mls_json_walk mls_json_walk_begin(mls_str json);
bool mls_json_walk_next(mls_json_walk *walk, mls_raw_member *member);

/** The kind of a validated span, from its first byte, and whether it is a number without '.', 'e' and 'E'. */
mls_json_kind mls_json_kind_of(mls_str span);
bool mls_json_is_integer(mls_str span);

/** Decodes a validated string span for showing to a person: bytes above 0x7f stay as they are, escapes become UTF-8.
 * The result is in `arena`. False when the span is not a string. */
bool mls_json_string(mls_str span, struct mls_arena *arena, mls_str *text);

/** Validates a text of any number of lines as one JSON value, by the grammar of a record's payload; a byte order mark
 * before it is read over.  Returns NULL with the value in *json, a span of a copy in `arena`, and its offset in `text`
 * in *where; or a static reason, with the offset of the byte that is wrong in *where.  Without an arena nothing is
 * copied: behind the text stand MLS_JSON_PADDING zeros, and *json is a span of it. */
#define MLS_JSON_PADDING 64
const char *mls_json_validate(mls_str text, struct mls_arena *arena, mls_str *json, size_t *where) MLS_MUST_USE;

/** The same, with what is wrong and its line and column in *error: MLS_ERROR_SYNTAX. */
mls_status mls_json_document(mls_str text, struct mls_arena *arena, mls_str *json, mls_error *error) MLS_MUST_USE;

/** A JSON file that a person wrote, as a tree for cJSON_Delete().  Errors as of mls_json_document(); what cJSON does
 * not take of what the validator passes (NaN, half a surrogate pair …) is MLS_ERROR_VALUE with its place. */
mls_status mls_json_tree(mls_str text, struct cJSON **tree, mls_error *error) MLS_MUST_USE;
