/* SPDX-License-Identifier: Apache-2.0 */
/*
 * json_check.h - the validator's inner loops and steps over validated text, private
 * to the log floor.
 *
 * Text that is checked is followed by a byte below 0x20 (the line's ending, or
 * a sentinel) and MLS_SCAN_PADDING readable bytes.  No JSON token crosses such
 * a byte, so nothing needs to look at an end.
 */
#ifndef MLS_LOG_JSON_CHECK_H
#define MLS_LOG_JSON_CHECK_H

#include "log/simd.h"
#include "mlscore/value.h"

/* What is wrong with a text, and where. */
typedef struct mls_json_fault {
    const char *at;
    const char *reason; /* static text */
} mls_json_fault;

/* Moves over blanks between tokens; `lines`: over line endings too, which cannot come in a record. */
static inline const char *mls_json_blanks(const char *at, bool lines)
{
    while (*at == ' ' || *at == '\t' || (lines && (*at == '\n' || *at == '\r'))) {
        at++;
    }
    return at;
}

/*
 * `at` is behind the opening quote.  Returns where the closing quote is and
 * sets *escaped when the string holds a backslash; or NULL, with *fault set.
 */
const char *mls_json_check_string(const char *at, bool *escaped, mls_json_fault *fault);

/* mls_json_check_string() with the usual case, a string without escapes, in line. */
static inline const char *mls_json_string_end(const char *at, bool *escaped, mls_json_fault *fault)
{
    at = mls_simd_string_stop(at);
    return *at == '"' ? at : mls_json_check_string(at, escaped, fault);
}

/*
 * Checks one value of a record that starts at `at` (no blanks before it),
 * nested at most MLS_JSON_DEPTH_MAX - 1 levels, since it stands inside the
 * record's object.  Returns the byte behind it; or NULL with *fault set.
 */
const char *mls_json_check_value(const char *at, mls_json_fault *fault);

/*
 * Validates a payload in place and fills the spans of `record` (see
 * mls_record_validate()).  `end` is the payload's end; the text from there to
 * the next byte below 0x20 other than a tab holds only bytes that trimming drops.
 */
const char *mls_record_check(const char *begin, const char *end, mls_record *record, struct mls_arena *scratch,
                             const char **wrong);

/* Drops the white space that the compliance checker drops: the blanks of JSON in front, at the end all there is. */
mls_str mls_payload_trim(mls_str text);

/* Behind the value that starts at `at`, in validated text; never beyond `end`. */
const char *mls_span_skip_value(const char *at, const char *end);

/* The two halves of mls_json_walk_next(): to where a value starts, and on from the byte behind it. */
bool mls_walk_enter(mls_json_walk *walk, mls_str *name);
void mls_walk_leave(mls_json_walk *walk, const char *stop);

/*
 * Decodes a string, quotes included, into the arena.  `latin1`: bytes above
 * 0x7f become code points of their own (how a rule sees them); else they stay
 * (how a person wants them).  False when memory runs out.
 */
bool mls_span_decode(mls_str quoted, bool latin1, struct mls_arena *arena, mls_str *result);

#endif
