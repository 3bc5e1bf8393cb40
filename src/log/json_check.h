/* SPDX-License-Identifier: Apache-2.0 */
/*
 * json_check.h - the validator's inner loops, private to the log floor.
 *
 * All text here stands in one line of a log and is followed by a byte below
 * 0x20 (the line's ending, or a sentinel) and MLS_SCAN_PADDING readable bytes.
 * No JSON token crosses such a byte, so nothing needs to look at an end.
 */
#ifndef MLS_LOG_JSON_CHECK_H
#define MLS_LOG_JSON_CHECK_H

#include <string.h>

#include "log/simd.h"
#include "mlscore/log.h"

/* Moves over blanks between tokens.  Line endings cannot come: the text is one line. */
static inline const char *mls_json_skip_blanks(const char *at)
{
    while (*at == ' ' || *at == '\t') {
        at++;
    }
    return at;
}

/*
 * `at` is behind the opening quote.  Returns where the closing quote is and
 * sets *escaped when the string holds a backslash; or NULL, with *wrong at the
 * byte that is not allowed.
 */
const char *mls_json_check_string(const char *at, bool *escaped, const char **wrong, const char **reason);

/* mls_json_check_string() with the usual case, a string without escapes, in line. */
static inline const char *mls_json_string_end(const char *at, bool *escaped, const char **wrong, const char **reason)
{
    at = mls_simd_string_stop(at);
    return *at == '"' ? at : mls_json_check_string(at, escaped, wrong, reason);
}

/*
 * Checks one value that starts at `at` (no blanks before it), nested at most
 * MLS_JSON_DEPTH_MAX - 1 levels, since it stands inside a record's object.
 * Returns the byte behind it; or NULL with *wrong and *reason set.
 */
const char *mls_json_check_value(const char *at, const char **wrong, const char **reason);

/*
 * Validates a payload in place and fills the spans of `record` (see
 * mls_record_validate()).  `end` is the payload's end; the text from there to
 * the next byte below 0x20 other than a tab holds only bytes that trimming drops.
 */
const char *mls_record_check(const char *begin, const char *end, mls_record *record, struct mls_arena *scratch,
                             const char **wrong);

/* Drops the white space that the compliance checker drops: ASCII's, 0x1c-0x1f, 0x85 and 0xa0. */
mls_str mls_payload_trim(mls_str text);

#endif
