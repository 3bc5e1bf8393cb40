/* SPDX-License-Identifier: Apache-2.0 */
/* base.h - byte strings, errors and findings, which every module uses; the main header of base/.
 *
 * base/ does not depend on MLPerf.  It provides byte strings and numbers (base.h, number.h, decimal.h, moment.h),
 * allocation that cannot fail (memory.h), growing text (buffer.h), maps, searches and patterns (map.h, needles.h,
 * pattern.h), files, folders and output (file.h, walk.h, output.h, temporary.h), tables of text (rows.h), statistics
 * and threads (parallel.h).
 *
 * Errors are values: a function that can fail for a reason that a user can act on returns an mls_status and, where the
 * caller passes one, fills an mls_error.  Running out of memory is not reported as an mls_status: see memory.h. */
#pragma once

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "mlscore/findings.h"

#if defined(__GNUC__)
#define MLS_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#else
#define MLS_PRINTF(fmt, args)
#endif

/** Define a growing list: the items (NULL until the first item is added), their number, and the number of items for
 * which memory is allocated. */
#define MLS_LIST_OF(type)                                                                                              \
    struct {                                                                                                           \
        type *items;                                                                                                   \
        size_t count, capacity;                                                                                        \
    }

/** Convert a string literal to a byte string.  MLS_STR() is an initializer, and MLS_S() is an expression. */
#define MLS_STR(literal)                                                                                               \
    {                                                                                                                  \
        "" literal, sizeof(literal) - 1                                                                                \
    }
#define MLS_S(literal) ((mls_str)MLS_STR(literal))

/** Return the byte string of a NUL-terminated string.  NULL gives the empty string. */
mls_str mls_str_from(const char *text);

/** Return whether two byte strings are equal.  Inline, so that comparing with a literal is one instruction. */
static inline bool mls_str_equal(mls_str a, mls_str b)
{
    return a.len == b.len && (a.len == 0 || memcmp(a.ptr, b.ptr, a.len) == 0);
}

/** Return whether two byte strings are equal except for the case of ASCII letters. */
bool mls_str_alike(mls_str a, mls_str b);

/** Return whether two names are equal when case and all characters except letters and digits are ignored, for example
 * "h100 sxm" and "H100-SXM". */
bool mls_names_alike(mls_str a, mls_str b);

/** Return whether a character is a decimal digit. */
static inline bool mls_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/** Return whether a character is white space in JSON: a blank, a tab or part of a line ending. */
static inline bool mls_is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/** Return whether a character is ASCII white space according to Python. */
static inline bool mls_is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r') || (c >= 0x1c && c <= 0x1f);
}

/** Return whether a character of Latin-1 is white space according to Python. */
static inline bool mls_is_latin_space(char c)
{
    return mls_is_space(c) || (unsigned char)c == 0x85 || (unsigned char)c == 0xa0;
}

/** Return whether `text` starts with `prefix`. */
bool mls_str_starts(mls_str text, mls_str prefix);

/** Return whether `text` ends with `suffix`. */
bool mls_str_ends(mls_str text, mls_str suffix);

/** Return whether `text` contains `needle`.  Every text contains the empty string. */
bool mls_str_contains(mls_str text, mls_str needle);

/** Return `text` without its first `at` bytes; `at` must be at most text.len. */
static inline mls_str mls_str_rest(mls_str text, size_t at)
{
    return at > 0 ? (mls_str){text.ptr + at, text.len - at} : text;
}

/** Return a text without the leading and trailing characters for which `is`, for example mls_is_blank, returns true. */
mls_str mls_str_trim(mls_str text, bool (*is)(char c));

/** Return the length in bytes of the byte order mark at the start of a text: 3, or 0 if the text has no such mark. */
size_t mls_text_mark(mls_str text);

/** Convert a byte offset in a text to a line and a column (in bytes), both counted from 1.  A byte order mark is not
 * counted. */
void mls_text_position(mls_str text, size_t at, size_t *line, size_t *column);

/** Return the next word of *text and advance *text past the word.  Words are separated by blanks, tabs or line endings.
 * If *text contains no further word, return an empty string. */
mls_str mls_str_word(mls_str *text);

/** Split *text at the first `mark`: set *piece to the text before the mark, and *text to the text after it.  If *text
 * does not contain the mark, set *piece to the whole text and *text to an empty string, and return false. */
bool mls_str_cut(mls_str *text, char mark, mls_str *piece);

/** Set *rest to the text that follows the first occurrence of `words` in `text`.  If `words` does not occur, return
 * false and leave *rest unchanged. */
bool mls_str_after(mls_str text, mls_str words, mls_str *rest);

/** Set *word to the next item of a list such as "a|b|c", and advance *list past the item and its separator.  Return
 * false at the end of the list. */
bool mls_list_next(const char **list, char separator, mls_str *word);

/** Return whether `word` is one of `words`, which are separated by blanks. */
bool mls_str_among(mls_str word, const char *words);

/** Return whether test(text, item) is true for any item of a list such as "a|b"; `test` is a function such as
 * mls_str_contains. */
bool mls_str_any(mls_str text, const char *list, bool (*test)(mls_str text, mls_str item));

/** Return the length in bytes of the name at the start of a text, or 0 if the text does not start with a name.  A name
 * consists of letters, digits and '_', and does not start with a digit. */
size_t mls_str_name_length(mls_str text);

/** Return whether the whole text is one name. */
bool mls_str_is_name(mls_str text);

/** Compare strings by unsigned bytes.  Return a number less than, equal to or greater than 0. */
int mls_str_compare(mls_str a, mls_str b);

/** Compare strings like mls_str_compare(), but sequences of digits by their value: result_2 comes before result_10.
 * Return 0 only for equal strings. */
int mls_str_compare_natural(mls_str a, mls_str b);

/** Suggest the correct word for a misspelt one: begin with mls_suggest_for(word), call mls_suggest_add() for every
 * valid word, then read `found`.  `found` is empty if more than a third of the letters differ.  Swapped neighbours
 * count as one difference, letters missing at the end count as half a difference, and case is ignored.  The words are
 * not copied, so the caller keeps them valid. */
typedef struct mls_suggestion {
    mls_str word;
    mls_str found;
    size_t distance; /**< number of differences between `word` and `found`; without `found`, 1 more than allowed */
} mls_suggestion;

mls_suggestion mls_suggest_for(mls_str word);
void mls_suggest_add(mls_suggestion *nearest, mls_str candidate);

/** Fill `error` (may be NULL) with a formatted message and return `status`.  The message is truncated to fit, and its
 * control characters are replaced. */
mls_status mls_error_set(mls_error *error, mls_status status, size_t line, size_t column, const char *format, ...)
    MLS_PRINTF(5, 6);

/** Fill `error` (may be NULL) with the text of an errno and return `status`.  If `what` is not empty, the message
 * begins with `what`: "cannot write: No such file or directory". */
mls_status mls_error_set_errno(mls_error *error, mls_status status, int system_errno, const char *what);

/** Options of an operation that reads many files: the number of threads, a progress callback and a deadline. */
typedef struct mls_work {
    unsigned threads; /**< number of threads; 0 means one per processor */
    /** Called repeatedly during the work, from any thread but never from two at once; may be NULL. */
    void (*progress)(void *state, size_t files_done, size_t files, uint64_t bytes_done);
    void *progress_state;
    double deadline_ms; /**< the value of mls_clock_ms() after which reading fails; 0 means no deadline */
} mls_work;

/** Return the time of a monotonic clock in milliseconds. */
double mls_clock_ms(void);

/** The codes of findings.  Their names and severities are in base/finding_table.h. */
typedef enum mls_finding_code {
#define MLS_FINDING(id, name, severity) MLS_FINDING_##id,
#include "base/finding_table.h"
#undef MLS_FINDING
    MLS_FINDING_COUNT
} mls_finding_code;

/** One row of the table of finding codes. */
typedef struct mls_finding_info {
    const char *name;      /**< as printed: "torn-line" */
    mls_severity severity; /**< the default severity of a finding with this code */
} mls_finding_info;

/** Return the table row of a code, or NULL if `code` is out of range. */
const mls_finding_info *mls_finding_info_get(mls_finding_code code);

/** Set *code to the code with a printed name such as "torn-line".  Return false if no code has this name. */
bool mls_finding_code_from_name(mls_str name, mls_finding_code *code);

/** A finding.  The list that contains the finding owns its strings. */
typedef struct mls_finding {
    mls_finding_code code;
    mls_severity severity;
    size_t line;         /**< line in the file, from 1; 0 if the finding is not about a line */
    size_t column;       /**< column in bytes, from 1; 0 if the finding is not about a column */
    const char *path;    /**< file or folder; NULL means the file or folder that the list is about */
    const char *key;     /**< record key, several keys ("a|b"), or a pseudo key such as "@malformed"; NULL: no key */
    const char *message; /**< one sentence; control characters are escaped */
} mls_finding;

/** A list stores at most this many findings of each code and only counts further ones. */
#define MLS_FINDINGS_KEPT_PER_CODE 100

/** The number of findings of each severity.  Verdicts depend on these counts, not on the stored findings. */
typedef struct mls_finding_counts {
    size_t error, warning, advice;
} mls_finding_counts;

/** Add the counts of `more` to `counts`. */
void mls_finding_counts_add(mls_finding_counts *counts, const mls_finding_counts *more);

/** Return the number of findings of a severity. */
size_t mls_finding_counts_of(const mls_finding_counts *counts, mls_severity severity);

/** Return whether the checked files pass: there are no errors and, if `strict`, no warnings and no advice either. */
bool mls_findings_pass(const mls_finding_counts *counts, bool strict);

/** A list of findings in the order in which they were added.  The list owns the findings.  A zero-initialized list is
 * empty.  Use `items` for display only, because findings beyond the limit are not in it. */
typedef struct mls_findings {
    mls_finding *items;
    size_t count, capacity;
    mls_finding_counts counts; /**< including findings that were not stored */
    uint32_t *beyond;          /**< for each code, the number of findings that were not stored; NULL if all were */
} mls_findings;

/** Return the number of findings of a code, including those that were not stored. */
size_t mls_findings_found(const mls_findings *list, mls_finding_code code);

/** Count `more` findings of a code without storing them. */
void mls_findings_count_more(mls_findings *list, mls_finding_code code, mls_severity severity, size_t more);

/** The location and subject of a finding.  A member that is zero is unknown or does not apply. */
typedef struct mls_finding_place {
    const char *path;    /**< copied; NULL means the file or folder that the list is about */
    size_t line, column; /**< from 1; 0 if the finding is not about a line or column */
    mls_str key;         /**< copied; ptr is NULL if the finding is not about a key */
} mls_finding_place;

/** Add a finding with the default severity of its code; control characters in the message are escaped.  After
 * MLS_FINDINGS_KEPT_PER_CODE findings of a code, only the counters grow. */
void mls_findings_add(mls_findings *list, mls_finding_code code, mls_finding_place place, const char *format, ...)
    MLS_PRINTF(4, 5);

/** Add a finding with the given severity instead of the default severity of its code. */
void mls_findings_add_as(mls_findings *list, mls_finding_code code, mls_severity severity, mls_finding_place place,
                         const char *format, ...) MLS_PRINTF(5, 6);

/** Append copies of the findings of `from`, grouped by code, and add up the counts.  `list` still stores at most
 * MLS_FINDINGS_KEPT_PER_CODE findings of each code. */
void mls_findings_append(mls_findings *list, const mls_findings *from);

/** Append findings like mls_findings_append(), but omit those with the code `except`, all of which must be stored. */
void mls_findings_append_except(mls_findings *list, const mls_findings *from, mls_finding_code except);

/** Append findings like mls_findings_append(), but in the order of `from` instead of grouped by code. */
void mls_findings_append_in_order(mls_findings *list, const mls_findings *from);

/** Sort findings by line, then by column, then by the order in which they were added.  Findings without a line come
 * last. */
void mls_findings_sort(mls_findings *list);
void mls_findings_release(mls_findings *list);
