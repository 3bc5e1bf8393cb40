/* SPDX-License-Identifier: Apache-2.0 */
/* value.h - JSON values: validate a text, find members in a text without parsing all of it, or build a tree of values.
 * This is the main header of json/.
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

/** Offsets of the member names in the text of an object, stored during validation, so that members can be found without
 * reading the text again.  `known` is false if the value was not validated, is not an object, has more than
 * MLS_PLACES_MAX members, or is not formatted like the output of Python's json module. */
enum { MLS_PLACES_MAX = 6 };
typedef struct mls_member_places {
    bool known;
    uint8_t count;
    uint16_t names[MLS_PLACES_MAX]; /**< for each name, the offset of the byte after its opening quote */
} mls_member_places;

struct mls_arena;
struct cJSON; /* from the cJSON library */
typedef struct mls_value mls_value;

/** A member of an object in a tree.  The members of an object are in the order in which they first occur in the text.
 */
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
 * as long as the tree.  Return NULL if `json` is nested too deeply or contains a number that cannot be read. */
const mls_value *mls_value_build(mls_str json, struct mls_arena *arena) MLS_MUST_USE;

/** Return the value of the member with a name.  Return NULL if the object has no such member, or if `value` is NULL or
 * not an object. */
const mls_value *mls_value_member(const mls_value *value, mls_str name);

/** Get the number of a number, or 1 or 0 of a boolean.  Return false if `value` is NULL or of another kind. */
bool mls_value_number(const mls_value *value, double *number);

/** Get the string of a string.  Return false if `value` is NULL or of another kind. */
bool mls_value_string(const mls_value *value, mls_str *string);

/** Return whether two values are equal.  True is equal to 1, and false to 0.  The order of the items of a list matters,
 * the order of the members of an object does not.  NaN is not equal to any value. */
bool mls_value_equal(const mls_value *a, const mls_value *b);

/** Find a member in the text of a validated object and set *span to the text of its value.  If several members have the
 * name, use the last one.  Escapes in names are decoded.  Return false if the object has no such member, or if `json`
 * is not an object. */
bool mls_json_member(mls_str json, mls_str name, mls_str *span);

/** Find a member like mls_json_member(), but faster if places->known is true. */
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

/** Start an iteration over a validated span.  If the span is not an object or a list, the iteration is empty. */
mls_json_walk mls_json_walk_begin(mls_str json);

/** Get the next member of an object; or the next item of a list, with a name whose ptr is NULL. Names and values are
 * not decoded, and all duplicate members are returned.  Return false at the end. */
bool mls_json_walk_next(mls_json_walk *walk, mls_raw_member *member);

/** Return the kind of a validated span, which its first byte determines. */
mls_json_kind mls_json_kind_of(mls_str span);

/** Return whether a validated span is a number without '.', 'e' and 'E'. */
bool mls_json_is_integer(mls_str span);

/** Decode a validated string span for display, into `arena`: bytes above 0x7f are kept and escapes become UTF-8. Return
 * false if the span is not a string. */
bool mls_json_string(mls_str span, struct mls_arena *arena, mls_str *text);

/** Validate that a text of any number of lines is one JSON value, with the same grammar as the JSON of a record.  A
 * byte order mark at the start is skipped.
 *
 * If the text is valid, return NULL; *json is then the value in a copy of the text in `arena`, and *where is the offset
 * of the value in `text`.  Otherwise return the reason as a static string, and set *where to the offset of the error.
 * If `arena` is NULL, the text is not copied: MLS_JSON_PADDING zeros must follow `text`, and *json is a span of `text`.
 */
#define MLS_JSON_PADDING 64
const char *mls_json_validate(mls_str text, struct mls_arena *arena, mls_str *json, size_t *where) MLS_MUST_USE;

/** Validate a text like mls_json_validate().  Return MLS_OK; or MLS_ERROR_SYNTAX with a message, a line and a column in
 * *error. */
mls_status mls_json_document(mls_str text, struct mls_arena *arena, mls_str *json, mls_error *error) MLS_MUST_USE;

/** Parse a JSON file that a person wrote; release the tree with cJSON_Delete().  Return the errors of
 * mls_json_document(); or MLS_ERROR_VALUE, with a position, for valid JSON that cJSON refuses (NaN, half a surrogate
 * pair …). */
mls_status mls_json_tree(mls_str text, struct cJSON **tree, mls_error *error) MLS_MUST_USE;
