/* SPDX-License-Identifier: Apache-2.0 */
/* base.h - byte strings, errors and findings, which every module uses; the main header of base/.
 *
 * base/ knows nothing of MLPerf.  It has byte strings and numbers (base.h, number.h, decimal.h, moment.h), memory that
 * does not fail (memory.h), growing text (buffer.h), maps, searches and patterns (map.h, needles.h, pattern.h), files,
 * folders and output (file.h, walk.h, output.h, temporary.h), tables of text (rows.h), statistics and threads
 * (parallel.h).
 *
 * Errors are values: a function that can fail for a reason that a user can act on returns an mls_status and, where the
 * caller passes one, fills an mls_error.  Memory that runs out is not such a reason: see memory.h. */
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

/** A growing list: its items (NULL while nothing was ever added), their number, and the allocated capacity. */
#define MLS_LIST_OF(type)                                                                                              \
    struct {                                                                                                           \
        type *items;                                                                                                   \
        size_t count, capacity;                                                                                        \
    }

/** A byte string from a string literal, usable in constant expressions. */
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

/** Return whether two names are the same apart from case and from other characters than letters and digits: "h100 sxm"
 * and "H100-SXM". */
bool mls_names_alike(mls_str a, mls_str b);

/** Classify a character: decimal digit; white space of JSON; white space of Python, in ASCII and in Latin-1. */
static inline bool mls_is_digit(char c)
{
    return c >= '0' && c <= '9';
}
static inline bool mls_is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}
static inline bool mls_is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r') || (c >= 0x1c && c <= 0x1f);
}
static inline bool mls_is_latin_space(char c)
{
    return mls_is_space(c) || (unsigned char)c == 0x85 || (unsigned char)c == 0xa0;
}

/** Return whether `text` starts with, ends with or contains the given bytes.  Every text contains the empty string. */
bool mls_str_starts(mls_str text, mls_str prefix);
bool mls_str_ends(mls_str text, mls_str suffix);
bool mls_str_contains(mls_str text, mls_str needle);

/** Return the text after its first `at` bytes; `at` is at most its length.  For no text (NULL), return an empty string.
 */
static inline mls_str mls_str_rest(mls_str text, size_t at)
{
    return at > 0 ? (mls_str){text.ptr + at, text.len - at} : text;
}

/** Return a text without leading and trailing characters of one kind, such as mls_is_blank. */
mls_str mls_str_trim(mls_str text, bool (*is)(char c));

/** Return the length in bytes of the byte order mark at the start of a text: 3, or 0 if it has no mark. */
size_t mls_text_mark(mls_str text);

/** Convert an offset in a text to a line and a column, both counted from 1.  A byte order mark takes no column. */
void mls_text_position(mls_str text, size_t at, size_t *line, size_t *column);

/** Return the next word of *text and advance *text past it.  Words are separated by blanks, tabs or line ends.  Return
 * an empty string at the end. */
mls_str mls_str_word(mls_str *text);

/** Split *text at its first `mark`: *piece gets the text before it, *text keeps the text after it.  Return false if
 * there is no mark; *piece is then the whole text. */
bool mls_str_cut(mls_str *text, char mark, mls_str *piece);

/** Store the text after the first occurrence of `words` in *rest.  If there is none, return false and leave *rest
 * unchanged. */
bool mls_str_after(mls_str text, mls_str words, mls_str *rest);

/** Read the next word of a list such as "a|b|c" and advance *list past it.  Return false at the end. */
bool mls_list_next(const char **list, char separator, mls_str *word);

/** mls_str_among: return whether a word is in a list of words separated by blanks.  The other function returns whether
 * a text passes a test, such as mls_str_contains, with any item of "a|b". */
bool mls_str_among(mls_str word, const char *words);
bool mls_str_any(mls_str text, const char *list, bool (*test)(mls_str text, mls_str item));

/** Return the length of the name at the start of a text (letters, digits and '_', not starting with a digit), and
 * whether the name is the whole text. */
size_t mls_str_name_length(mls_str text);
bool mls_str_is_name(mls_str text);

/** Compare strings: by unsigned bytes, or in natural order, which compares digits by value (result_2 before result_10).
 * Return 0 only for equal strings. */
int mls_str_compare(mls_str a, mls_str b);
int mls_str_compare_natural(mls_str a, mls_str b);

/** Suggest the correct word for a misspelt one: begin with mls_suggest_for(word), call mls_suggest_add() for every
 * valid word, then read `found`.  `found` is empty if more than a third of the letters differ.  Swapped neighbours
 * count as one difference, letters missing at the end as half, and case is ignored.  Nothing is copied. */
typedef struct mls_suggestion {
    mls_str word;
    mls_str found;
    size_t distance; /**< of `found` */
} mls_suggestion;

mls_suggestion mls_suggest_for(mls_str word);
void mls_suggest_add(mls_suggestion *nearest, mls_str candidate);

/** Fill `error` (may be NULL) and return `status`.  The first function formats a message, truncates it to fit and
 * replaces control characters; the second appends the text of errno to `what`, if that is not empty ("…: No such file
 * or directory"). */
mls_status mls_error_set(mls_error *error, mls_status status, size_t line, size_t column, const char *format, ...)
    MLS_PRINTF(5, 6);
mls_status mls_error_set_errno(mls_error *error, mls_status status, int system_errno, const char *what);

/** How to work: the number of threads, a progress callback and a deadline. */
typedef struct mls_work {
    unsigned threads; /**< 0: one per processor */
    /** Called now and then, from any thread but never from two at once; may be NULL. */
    void (*progress)(void *state, size_t files_done, size_t files, uint64_t bytes_done);
    void *progress_state;
    double deadline_ms; /**< by mls_clock_ms(): reading fails after this time; 0: no deadline */
} mls_work;

/** Return the milliseconds of a monotonic clock. */
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

/** Return the row of a code, or NULL if `code` is out of range; return the code of a printed name, or false if it is
 * unknown. */
const mls_finding_info *mls_finding_info_get(mls_finding_code code);
bool mls_finding_code_from_name(mls_str name, mls_finding_code *code);

/** A finding.  Its strings belong to the list that contains it. */
typedef struct mls_finding {
    mls_finding_code code;
    mls_severity severity;
    size_t line;         /**< in the file, from 1; 0: not about a line */
    size_t column;       /**< in bytes, from 1; 0: none */
    const char *path;    /**< file or folder; NULL: the one that the list is about */
    const char *key;     /**< record key, "a|b", "@malformed" …; NULL: none */
    const char *message; /**< one sentence; control characters are escaped */
} mls_finding;

/** A list stores at most this many findings of each code and only counts further ones. */
#define MLS_FINDINGS_KEPT_PER_CODE 100

/** The number of findings of each severity.  Verdicts depend on these counts, not on the stored findings. */
typedef struct mls_finding_counts {
    size_t error, warning, advice;
} mls_finding_counts;

void mls_finding_counts_add(mls_finding_counts *counts, const mls_finding_counts *more);
size_t mls_finding_counts_of(const mls_finding_counts *counts, mls_severity severity);

/** Return whether the findings allow a pass: no errors and, if `strict`, no warnings and no advice either. */
bool mls_findings_pass(const mls_finding_counts *counts, bool strict);

/** A list of findings in the order in which they were added.  It owns them; zero-initialized, it is empty.  Use `items`
 * for display only. */
typedef struct mls_findings {
    mls_finding *items;
    size_t count, capacity;
    mls_finding_counts counts; /**< including findings that were not stored */
    uint32_t *beyond;          /**< per code: findings that were not stored, see mls_findings_found(); NULL: none */
} mls_findings;

/** Return the number of findings of a code, including those that were not stored. */
size_t mls_findings_found(const mls_findings *list, mls_finding_code code);

/** Count `more` findings of a code without storing them. */
void mls_findings_count_more(mls_findings *list, mls_finding_code code, mls_severity severity, size_t more);

/** The location and subject of a finding.  Zeroed members mean "none". */
typedef struct mls_finding_place {
    const char *path; /**< copied; NULL: the list's own file */
    size_t line, column;
    mls_str key; /**< copied; ptr NULL: no key */
} mls_finding_place;

/** Add a finding with the default severity of its code; control characters in the message are escaped.  After
 * MLS_FINDINGS_KEPT_PER_CODE findings of a code, only the counters grow. */
void mls_findings_add(mls_findings *list, mls_finding_code code, mls_finding_place place, const char *format, ...)
    MLS_PRINTF(4, 5);

/** Add a finding with another severity than the default. */
void mls_findings_add_as(mls_findings *list, mls_finding_code code, mls_severity severity, mls_finding_place place,
                         const char *format, ...) MLS_PRINTF(5, 6);

/** Append copies of findings, grouped by code and with the same limit per code, and add up the counts.  The second
 * function leaves out one code, whose findings must all have been stored. */
void mls_findings_append(mls_findings *list, const mls_findings *from);
void mls_findings_append_except(mls_findings *list, const mls_findings *from, mls_finding_code except);

/** Append findings in their order, not grouped by code, as if each had been added to `list`. */
void mls_findings_append_in_order(mls_findings *list, const mls_findings *from);

/** Sort by line, then column, then the order of adding.  Findings without a line come last. */
void mls_findings_sort(mls_findings *list);
void mls_findings_release(mls_findings *list);
