/* SPDX-License-Identifier: Apache-2.0 */
/* json_check.c - validate JSON as the compliance checker reads it, in one pass without recursion or allocation. */
#include "json/json_check.h"
#include "base/memory.h"

static const char *json_fail(const char *where, const char *reason, mls_json_fault *fault)
{
    *fault = (mls_json_fault){where, reason};
    return NULL;
}

/* Check a string; `at` is after its opening quote.  Return the closing quote, or NULL with *fault set. */
static const char *check_escaped_string(const char *at, mls_json_fault *fault)
{
    while (*(at = mls_json_string_stop(at)) != '"') {
        if (*at != '\\') {
            return json_fail(
                at, *at == '\n' || *at == '\r' ? "the line ends inside a string" : "control character inside a string",
                fault);
        }
        const bool hex = at[1] == 'u';
        if (hex && strspn(at + 2, "0123456789abcdefABCDEF") < 4)
            return json_fail(at, "\\u needs four hexadecimal digits", fault);
        if (!hex && (at[1] == '\0' || strchr("\"\\/bfnrt", at[1]) == NULL))
            return json_fail(at, "unknown escape in a string", fault);
        at += hex ? 6 : 2;
    }
    return at;
}

/* Check a string like check_escaped_string(); strings without escapes, the usual case, are checked inline. */
static inline const char *check_string(const char *at, mls_json_fault *fault)
{
    at = mls_json_string_stop(at);
    return *at == '"' ? at : check_escaped_string(at, fault);
}

static const char *check_word(const char *at, const char *word, size_t len, mls_json_fault *fault)
{
    return memcmp(at, word, len) == 0 ? at + len : json_fail(at, "expected a value", fault);
}

static inline const char *skip_digits(const char *at)
{
    while (mls_is_digit(*at))
        at++;
    return at;
}

/* Skip digits 16 at a time, because there may be many after a point. */
static inline const char *skip_decimals(const char *at)
{
    for (;; at += 16) {
        const uint64_t others = mls_mask16((mls_bytes16)((mls_bytes16)(mls_load16(at) - '0') > 9));
        if (others != 0)
            return at + __builtin_ctzll(others);
    }
}

/* Check a number of RFC 8259, or -Infinity, whose first byte is at `at`. */
static inline __attribute__((always_inline)) const char *check_number(const char *at, mls_json_fault *fault)
{
    const char *start = at;
    at += *at == '-';
    if (at > start && *at == 'I')
        return memcmp(at, "Infinity", 8) == 0 ? at + 8 : json_fail(start, "expected a value", fault);
    if (!mls_is_digit(*at))
        return json_fail(start, "expected a value", fault);
    if (*at == '0' && mls_is_digit(at[1]))
        return json_fail(start, "a number may not start with 0", fault);
    at = skip_digits(at);
    if (*at == '.') {
        if (!mls_is_digit(*++at))
            return json_fail(at, "expected a digit after the decimal point", fault);
        at = skip_decimals(at);
    }
    if (*at == 'e' || *at == 'E') {
        at++;
        at += *at == '+' || *at == '-';
        if (!mls_is_digit(*at))
            return json_fail(at, "expected a digit in the exponent", fault);
        at = skip_digits(at);
    }
    return at;
}

/* Check a value that is neither a list nor an object. */
static inline __attribute__((always_inline)) const char *check_scalar(const char *at, mls_json_fault *fault)
{
    if (mls_is_digit(*at))
        return check_number(at, fault);
    if (*at == '"') {
        at = check_string(at + 1, fault);
        return at != NULL ? at + 1 : NULL;
    }
    switch (*at) {
    case 't':
        return check_word(at, "true", 4, fault);
    case 'f':
        return check_word(at, "false", 5, fault);
    case 'n':
        return check_word(at, "null", 4, fault);
    case 'N':
        return check_word(at, "NaN", 3, fault);
    case 'I':
        return check_word(at, "Infinity", 8, fault);
    default:
        return check_number(at, fault);
    }
}

/* Check a member's name at `at` and return the first byte of its value. */
static inline __attribute__((always_inline)) const char *check_key(const char *at, bool lines, mls_json_fault *fault)
{
    if (*at != '"')
        return json_fail(at, "expected a member name in quotes", fault);
    at = check_string(at + 1, fault);
    if (at == NULL)
        return NULL;
    if (at[1] == ':' && at[2] == ' ' && at[3] > ' ')
        return at + 3; /* formatted like Python's json module */
    at = mls_json_blanks(at + 1, lines);
    return *at == ':' ? mls_json_blanks(at + 1, lines) : json_fail(at, "expected ':'", fault);
}

/* Check a value.  With `lines`, line endings between tokens are allowed.  With `rest`, `at` is after a value in an
 * object, and the rest of this object is checked.  The function is inlined, so that each caller gets a variant for its
 * constant arguments.
 *
 * A container is a list or an object, and `outer` is the number of containers around the value.  `objects` has one bit
 * for each of the innermost 64 containers, which is set for an object; the lowest bit is that of the innermost
 * container. `outside` stores the bits of the other containers. */
static inline __attribute__((always_inline)) const char *check_value(const char *at, unsigned outer, bool lines,
                                                                     bool rest, mls_json_fault *fault)
{
    uint64_t outside[MLS_JSON_DEPTH_MAX / 64];
    uint64_t objects = rest;
    unsigned depth = outer + rest;
    outside[outer / 64] = 0;
    for (;; rest = false) {
        /* A value begins at `at`, except at first if `rest` is set. */
        if (!rest && (*at == '{' || *at == '[')) {
            const bool object = *at == '{';
            if (depth == MLS_JSON_DEPTH_MAX)
                return json_fail(at, "nested too deeply", fault);
            at = mls_json_blanks(at + 1, lines);
            if (*at != (object ? '}' : ']')) {
                if (depth % 64 == 0)
                    outside[depth / 64] = objects;
                objects = objects << 1 | object;
                depth++;
                if (object && (at = check_key(at, lines, fault)) == NULL)
                    return NULL;
                continue;
            }
            at++;
        } else if (!rest && (at = check_scalar(at, fault)) == NULL) {
            return NULL;
        }
        /* A value ends before `at`.  The containers around the value may end here too. */
        for (;;) {
            if (depth == outer)
                return at;
            const bool object = (objects & 1) != 0;
            const bool usual = at[0] == ',' && at[1] == ' ' && at[2] > ' '; /* formatted like Python's json module */
            at = usual ? at : mls_json_blanks(at, lines);
            if (*at == ',') {
                at = usual ? at + 2 : mls_json_blanks(at + 1, lines);
                if (object && (at = check_key(at, lines, fault)) == NULL)
                    return NULL;
                break;
            }
            if (*at != (object ? '}' : ']'))
                return json_fail(at, object ? "expected ',' or '}'" : "expected ',' or ']'", fault);
            at++;
            depth--;
            objects = depth % 64 == 0 ? outside[depth / 64] : objects >> 1;
        }
    }
}

const char *mls_json_check_value(const char *at, unsigned outer, mls_json_fault *fault)
{
    return check_value(at, outer, false, false, fault);
}

/* Check an object in the format of Python's json module, as nearly all values and metadata are, and store the offsets
 * of its names in *places.  Return the byte after the object, or NULL if it has another format or is invalid. */
static inline const char *check_usual(const char *at, const char *end, mls_json_front *front, mls_member_places *places)
{
    mls_json_fault fault;
    const char *text = at;
    unsigned count = 0;
    bool more = true;
    const char *second = NULL; /* the end of the second value, if it was checked */
    if (front != NULL && front->len > 0 && front->len < end - text &&
        (text[front->len] == ',' || text[front->len] == '}') && memcmp(text, front->text, front->len) == 0) {
        memcpy(places->names, front->names, sizeof front->names);
        count = MLS_FRONT_MEMBERS;
        at += front->len;
        more = at[0] == ',' && at[1] == ' ';
    }
    while (more) {
        at += count > 0 ? 2 : 1;
        const char *name = at + 1;
        if (*at != '"' || *(at = mls_json_string_stop(name)) != '"' || at[1] != ':' || at[2] != ' ')
            return NULL;
        if (count < MLS_PLACES_MAX)
            places->names[count] = (uint16_t)(name - text);
        count++;
        at += 3;
        at = *at != '{' && *at != '[' ? check_scalar(at, &fault) : mls_json_check_value(at, 2, &fault);
        more = at != NULL && at[0] == ',' && at[1] == ' ';
        second = count == MLS_FRONT_MEMBERS ? at : second;
    }
    if (at == NULL || *at != '}')
        return NULL;
    if (front != NULL && second != NULL) {
        *front = (mls_json_front){.text = text, .len = second - text <= UINT16_MAX ? (uint16_t)(second - text) : 0};
        memcpy(front->names, places->names, sizeof front->names);
    }
    places->known = count <= MLS_PLACES_MAX && at - text <= UINT16_MAX;
    places->count = (uint8_t)count;
    return at + 1;
}

const char *mls_json_check_part(const char *at, const char *end, mls_json_front *front, mls_member_places *places)
{
    mls_json_fault fault;
    places->known = false;
    if (*at == '{') {
        const char *stop = check_usual(at, end, front, places);
        return stop != NULL ? stop : check_value(at, 1, false, false, &fault);
    }
    return *at != '[' ? check_scalar(at, &fault) : check_value(at, 1, false, false, &fault);
}

const char *mls_json_check_lines(const char *at, unsigned outer, mls_json_fault *fault)
{
    return check_value(at, outer, true, false, fault);
}

const char *mls_json_check_members(const char *at, unsigned outer, mls_json_fault *fault)
{
    return check_value(at, outer, true, true, fault);
}

const char *mls_json_validate(mls_str text, mls_arena *arena, mls_str *json, size_t *where)
{
    mls_json_fault fault = {NULL, NULL};
    const char *copy = text.ptr;
    *where = 0;
    if (arena != NULL) {
        char *made = mls_arena_alloc(arena, text.len + MLS_JSON_PADDING);
        if (text.len > 0)
            memcpy(made, text.ptr, text.len);
        memset(made + text.len, 0, MLS_JSON_PADDING);
        copy = made;
    }
    const char *begin = mls_json_blanks(copy + mls_text_mark(text), true);
    const char *end = mls_json_check_lines(begin, 0, &fault);
    if (end != NULL) {
        *json = (mls_str){begin, (size_t)(end - begin)};
        *where = (size_t)(begin - copy);
        end = mls_json_blanks(end, true);
        if (end == copy + text.len)
            return NULL;
        fault = (mls_json_fault){end, "something follows the value"};
    }
    *where = (size_t)(fault.at - copy);
    return fault.reason;
}
