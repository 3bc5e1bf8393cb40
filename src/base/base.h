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

/** A list that grows: its items (NULL while it never had one), their number, and for how many there is room. */
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

/** The byte string of a NUL-terminated string; NULL gives the empty string. */
mls_str mls_str_from(const char *text);

/** Whether two byte strings hold the same bytes.  In line, so that comparing with a literal is one instruction. */
static inline bool mls_str_equal(mls_str a, mls_str b)
{
    return a.len == b.len && (a.len == 0 || memcmp(a.ptr, b.ptr, a.len) == 0);
}

/** Whether they do but for the case of letters in ASCII. */
bool mls_str_alike(mls_str a, mls_str b);

/** Return whether two names are the same apart from case and from other characters than letters and digits: "h100 sxm"
 * and "H100-SXM". */
bool mls_names_alike(mls_str a, mls_str b);

/** Decimal digits; white space of JSON; white space of Python, in ASCII and in Latin-1. */
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

/** Whether `text` starts with, ends with or contains the given bytes; the empty string is in every one. */
bool mls_str_starts(mls_str text, mls_str prefix);
bool mls_str_ends(mls_str text, mls_str suffix);
bool mls_str_contains(mls_str text, mls_str needle);

/** What of a text follows its first `at` bytes, of which it has as many; of no text (NULL) nothing follows. */
static inline mls_str mls_str_rest(mls_str text, size_t at)
{
    return at > 0 ? (mls_str){text.ptr + at, text.len - at} : text;
}

/** A text without the characters of one kind, such as mls_is_blank, around it. */
mls_str mls_str_trim(mls_str text, bool (*is)(char c));

/** How many bytes at the start of a text are its byte order mark: 3, or 0. */
size_t mls_text_mark(mls_str text);

/** Line and column, both from 1, of an offset in a text, whose byte order mark takes up no column. */
void mls_text_position(mls_str text, size_t at, size_t *line, size_t *column);

/** The next word of *text, which moves past it; words have blanks, tabs or line ends between them.  "": no more. */
mls_str mls_str_word(mls_str *text);

/** Takes off *text what stands before its first `mark`, and the mark.  False: it has none, and the piece is all of it.
 */
bool mls_str_cut(mls_str *text, char mark, mls_str *piece);

/** The text after the first place of `words`; false, and *rest stays: there is none. */
bool mls_str_after(mls_str text, mls_str words, mls_str *rest);

/** The next word of a list such as "a|b|c", which is moved past it; false at the end. */
bool mls_list_next(const char **list, char separator, mls_str *word);

/** Whether a word is one of "these words"; whether a text passes a test, such as mls_str_contains, with an item of
 * "a|b". */
bool mls_str_among(mls_str word, const char *words);
bool mls_str_any(mls_str text, const char *list, bool (*test)(mls_str text, mls_str item));

/** The length of the name at the start of a text (letters, digits and '_', no digit first), and whether it is all. */
size_t mls_str_name_length(mls_str text);
bool mls_str_is_name(mls_str text);

/** Order by unsigned bytes; natural order, result_2 before result_10: digits by value.  0 only for equal strings. */
int mls_str_compare(mls_str a, mls_str b);
int mls_str_compare_natural(mls_str a, mls_str b);

/** The right word nearest to a misspelt one: begin with mls_suggest_for(word), offer every right word, look at `found`.
 * It is empty when more than a third of the letters differ: swapped neighbours count as one, what is missing at the end
 * half, case not at all.  Nothing is copied. */
typedef struct mls_suggestion {
    mls_str word;
    mls_str found;
    size_t distance; /**< of `found` */
} mls_suggestion;

mls_suggestion mls_suggest_for(mls_str word);
void mls_suggest_add(mls_suggestion *nearest, mls_str candidate);

/** Fills `error` (may be NULL) and returns `status`: with a message, cut to fit and control characters replaced; with
 * `what`, if any, and errno's text ("…: No such file or directory"); with the one reason of every failed allocation. */
mls_status mls_error_set(mls_error *error, mls_status status, size_t line, size_t column, const char *format, ...)
    MLS_PRINTF(5, 6);
mls_status mls_error_set_errno(mls_error *error, mls_status status, int system_errno, const char *what);
mls_status mls_error_memory(mls_error *error);
extern const char mls_reason_memory[];

/** How much is done at once, and who hears how far it is. */
typedef struct mls_work {
    unsigned threads; /**< 0: one per processor */
    /** Called now and then, from any thread but never from two at once; NULL: not. */
    void (*progress)(void *state, size_t files_done, size_t files, uint64_t bytes_done);
    void *progress_state;
    double deadline_ms; /**< by mls_clock_ms(): what is not read then fails; 0: there is none */
} mls_work;

/** Milliseconds of a clock that never goes back. */
double mls_clock_ms(void);

/** Every kind of finding; the table with names and severities is base/finding_table.h. */
typedef enum mls_finding_code {
#define MLS_FINDING(id, name, severity) MLS_FINDING_##id,
#include "base/finding_table.h"
#undef MLS_FINDING
    MLS_FINDING_COUNT
} mls_finding_code;

/** One row of the table of finding codes. */
typedef struct mls_finding_info {
    const char *name;      /**< as printed: "torn-line" */
    mls_severity severity; /**< what a finding of this code counts as by default */
} mls_finding_info;

/** The row of a code, NULL if `code` is out of range; the code of a printed name, false if there is none. */
const mls_finding_info *mls_finding_info_get(mls_finding_code code);
bool mls_finding_code_from_name(mls_str name, mls_finding_code *code);

/** One thing found.  The strings belong to the list that holds the finding. */
typedef struct mls_finding {
    mls_finding_code code;
    mls_severity severity;
    size_t line;         /**< in the file, from 1; 0: the finding has no line */
    size_t column;       /**< in bytes, from 1; 0: none */
    const char *path;    /**< file or folder; NULL: the one the list belongs to */
    const char *key;     /**< record key, "a|b", "@malformed" …; NULL: none */
    const char *message; /**< one sentence, for a person; control characters escaped */
} mls_finding;

/** Of one code, a list keeps at most this many findings and counts the rest. */
#define MLS_FINDINGS_KEPT_PER_CODE 100

/** How much was found, by severity.  Verdicts are made of these, never of the findings that were kept. */
typedef struct mls_finding_counts {
    size_t error, warning, advice;
} mls_finding_counts;

void mls_finding_counts_add(mls_finding_counts *counts, const mls_finding_counts *more);
size_t mls_finding_counts_of(const mls_finding_counts *counts, mls_severity severity);

/** Whether findings let what they are about pass: no error and, with `strict`, no warning and no advice either. */
bool mls_findings_pass(const mls_finding_counts *counts, bool strict);

/** Findings in the order they were made, owned; zero-initialised is empty.  `items` is for showing only. */
typedef struct mls_findings {
    mls_finding *items;
    size_t count, capacity;
    mls_finding_counts counts; /**< of all found, kept or not */
    uint32_t *beyond;          /**< per code: found and not kept, see mls_findings_found(); NULL: none */
    bool out_of_memory;        /**< never set; callers still ask */
} mls_findings;

/** How many of a code were found, kept or not. */
size_t mls_findings_found(const mls_findings *list, mls_finding_code code);

/** Counts more of a code that are not to be kept. */
void mls_findings_count_more(mls_findings *list, mls_finding_code code, mls_severity severity, size_t more);

/** Where and about what a finding is; zeroed members mean "none". */
typedef struct mls_finding_place {
    const char *path; /**< copied; NULL: the list's own file */
    size_t line, column;
    mls_str key; /**< copied; ptr NULL: no key */
} mls_finding_place;

/** Adds a finding with the code's own severity; control characters of its message are escaped.  Past
 * MLS_FINDINGS_KEPT_PER_CODE of a code only the counters grow. */
void mls_findings_add(mls_findings *list, mls_finding_code code, mls_finding_place place, const char *format, ...)
    MLS_PRINTF(4, 5);

/** The same with a severity other than the table's. */
void mls_findings_add_as(mls_findings *list, mls_finding_code code, mls_severity severity, mls_finding_place place,
                         const char *format, ...) MLS_PRINTF(5, 6);

/** Copies findings to the end of `list`, capped too, and adds up the counts; without a code, of which all were kept. */
void mls_findings_append(mls_findings *list, const mls_findings *from);
void mls_findings_append_except(mls_findings *list, const mls_findings *from, mls_finding_code except);

/** The same in the order in which they stand, not code by code: as if each had been added to `list`. */
void mls_findings_append_in_order(mls_findings *list, const mls_findings *from);

/** Sorts by line, then column, then the order they were made in; findings without a line come last. */
void mls_findings_sort(mls_findings *list);
void mls_findings_release(mls_findings *list);
