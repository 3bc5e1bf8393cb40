/* SPDX-License-Identifier: Apache-2.0 */
/* value.h - JSON values: validate a text, find members in it without parsing everything, or build a tree of it.  The
 * main header of json/.
 *
 * json/ reads and writes all JSON of mlscore. mls_json_document() validates a text; mls_json_member() and
 * mls_json_walk_next() find values in validated text; mls_value_build() builds a tree in an arena. json_row.h and
 * schema.h read JSON into structs, and dump.h writes JSON.
 *
 * Functions that take a validated span do not check it again.  Strings in a tree contain the code points that the
 * MLPerf compliance checker sees: it reads logs as Latin-1, so every byte from 0x80 on is a code point of its own, and
 * \u escapes may be lone surrogates.  They are stored as generalized UTF-8, in which strings are equal if and only if
 * their bytes are. */
#pragma once

#include "base/base.h"
#include "mlscore/read.h"

/** Maximum nesting of JSON. The outermost value is level 1. */
#define MLS_JSON_DEPTH_MAX 1024

/** The kind of a JSON value, known from its first byte. */
typedef enum mls_json_kind {
    MLS_JSON_NULL,
    MLS_JSON_BOOL,
    MLS_JSON_NUMBER,
    MLS_JSON_STRING,
    MLS_JSON_LIST,
    MLS_JSON_OBJECT
} mls_json_kind;

/** Offsets of the names of an object's members in its text, noted during validation, so that members can be found
 * without walking the text again.  `known` is false if the value is not an object, has more than MLS_PLACES_MAX
 * members, is not formatted like Python's json module does, or was not validated. */
enum { MLS_PLACES_MAX = 6 };
typedef struct mls_member_places {
    bool known;
    uint8_t count;
    uint16_t names[MLS_PLACES_MAX]; /**< offsets of the byte after the opening quote */
} mls_member_places;

struct mls_arena;
struct cJSON; /* from the cJSON library */
typedef struct mls_value mls_value;

/** A member of an object, in the order of first appearance. */
typedef struct mls_member {
    mls_str name;
    const mls_value *value;
} mls_member;

/** A JSON value.  `kind` determines the valid member of the union. */
struct mls_value {
    mls_json_kind kind;
    bool is_integer; /**< the number was written without '.', 'e' or 'E' (6, not 6.0) */
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

/** Build the tree of `json`, which must be validated (a span of an mls_record), in `arena`.  Of duplicate members, the
 * last value is used, at the position of the first.  Texts without escapes are spans of `json`, which must stay valid
 * as long as the tree.  Return NULL if it is nested too deeply or contains a number that cannot be read. */
const mls_value *mls_value_build(mls_str json, struct mls_arena *arena) MLS_MUST_USE;

/** Return a member of an object by name, or NULL if it does not exist or `value` is NULL or not an object. */
const mls_value *mls_value_member(const mls_value *value, mls_str name);

/** Get the number of a number or boolean, or the string of a string.  Return false for other kinds and NULL. */
bool mls_value_number(const mls_value *value, double *number);
bool mls_value_string(const mls_value *value, mls_str *string);

/** Compare by content: booleans equal 1 and 0, lists are ordered, objects are not.  NaN equals nothing. */
bool mls_value_equal(const mls_value *a, const mls_value *b);

/** Find the value of a member in the text of a validated object; for duplicate names, the last one.  Escapes in names
 * are decoded.  Return false if there is no such member or `json` is not an object. */
bool mls_json_member(mls_str json, mls_str name, mls_str *span);

/** The same, but faster if `places` are known. */
bool mls_json_member_at(mls_str json, const mls_member_places *places, mls_str name, mls_str *span);

/** A member in the text of an object: the name as written between its quotes, and its value. */
typedef struct mls_raw_member {
    mls_str name, value;
} mls_raw_member;

/** Iterator over the members of an object or the items of a list, in their order in the text. */
typedef struct mls_json_walk {
    const char *at, *end;
    bool object;
} mls_json_walk;

/** Start an iteration over a validated span (empty unless it is an object or a list), and get the next member, or the
 * next item, whose name has ptr NULL. mls_json_walk_next() returns false at the end.  Nothing is decoded, and duplicate
 * members are all returned. */
mls_json_walk mls_json_walk_begin(mls_str json);
bool mls_json_walk_next(mls_json_walk *walk, mls_raw_member *member);

/** Return the kind of a validated span, from its first byte; and whether it is a number without '.', 'e' and 'E'. */
mls_json_kind mls_json_kind_of(mls_str span);
bool mls_json_is_integer(mls_str span);

/** Decode a validated string span for display, into `arena`: bytes above 0x7f are kept and escapes become UTF-8. Return
 * false if the span is not a string. */
bool mls_json_string(mls_str span, struct mls_arena *arena, mls_str *text);

/** Validate a text of any number of lines as one JSON value, with the same grammar as a record's payload; a leading
 * byte order mark is skipped.  On success, return NULL; *json is the value in a copy in `arena`, and *where its offset
 * in `text`.  Otherwise return a static reason, with the offset of the error in *where.  Without an arena, nothing is
 * copied: MLS_JSON_PADDING zeros must follow the text, and *json is a span of it. */
#define MLS_JSON_PADDING 64
const char *mls_json_validate(mls_str text, struct mls_arena *arena, mls_str *json, size_t *where) MLS_MUST_USE;

/** The same, with the error and its line and column in *error.  Return MLS_OK or MLS_ERROR_SYNTAX. */
mls_status mls_json_document(mls_str text, struct mls_arena *arena, mls_str *json, mls_error *error) MLS_MUST_USE;

/** Parse a JSON file written by a person; release the tree with cJSON_Delete().  Errors as of mls_json_document(), and
 * MLS_ERROR_VALUE with the position for valid text that cJSON refuses (NaN, half a surrogate pair …). */
mls_status mls_json_tree(mls_str text, struct cJSON **tree, mls_error *error) MLS_MUST_USE;
