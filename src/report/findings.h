/* SPDX-License-Identifier: Apache-2.0 */
/* findings.h - findings gathered from those whom they are about, and printed: as rows of fields, as lines, as test
 * cases. */
#pragma once

#include "base/memory.h"
#include "report/formats.h"

/* Whether a finding is to be shown: all, but for --only, and with -q those that count as errors. */
bool mls_view_shows(const mls_view *view, mls_severity severity);

/* Who findings are about; zeroed members mean "none".  They are gathered in the order in which they are reported. */
typedef struct mls_owner {
    const char *path; /* of findings without a path */
    size_t line;      /* of findings without a line */
    const char *name; /* of the submitter */
    mls_str result;   /* what is alike in one result, or one log, is one line; ptr NULL: of none */
    size_t run;       /* which of its runs; 0: the path says it */
    size_t runs;      /* how many it has; 0: not known, or it is about no run */
    const char *of;   /* the path of a whole result; NULL: it is about none */
} mls_owner;

typedef struct mls_finding_entry {
    mls_finding finding; /* with the owner's path and line where it has none itself */
    mls_owner owner;
    size_t first, last; /* in the list: of what is reported together */
    size_t runs;        /* that have it alike … */
    size_t alike;       /* … and findings in these */
    size_t reported;    /* findings that its line reports; 0: another line reports it */
    size_t unkept;      /* more that are like it, and were counted but not kept */
    size_t lines;       /* of the first of a kind: how many its kind has, … */
    size_t folded;      /* … findings where one line stands for all of them; 0: it does not … */
    size_t results;     /* … and results that have them */
} mls_finding_entry;

typedef struct mls_finding_list {
    mls_finding_entry *items;
    size_t count, capacity;
    size_t unkept;                       /* more that were counted but not kept */
    size_t unkept_of[MLS_FINDING_COUNT]; /* of these as many of each code, which the only line of a code reports, or
                                            what is folded; zeros: not known */
    const char *root;                    /* GitHub: of paths; NULL: they are as the user would open them */
    mls_arena texts;                     /* of messages that were made for the list */
} mls_finding_list;

/* Adds a finding, or all of a list with what it counted but did not keep; `view` not NULL: only if it shows them. */
void mls_finding_list_add_one(mls_finding_list *found, const mls_finding *finding, mls_owner owner,
                              const mls_view *view);
void mls_finding_list_add(mls_finding_list *found, const mls_findings *findings, mls_owner owner, const mls_view *view);
void mls_finding_list_add_unkept(mls_finding_list *found, const mls_findings *findings, const mls_view *view);

/* Adds that `more` of a code were found, as the last finding of its kind; tables of a view say so below the others. */
void mls_finding_list_add_more(mls_finding_list *found, const mls_finding *kind, size_t more, mls_owner owner,
                               const mls_view *view);

void mls_finding_list_finish(mls_finding_list *found);

typedef struct mls_finding_list_look {
    size_t indent, hang; /* as of mls_view_line() */
    bool named;          /* "warning: " before what is none */
    bool together;       /* what is alike in a result or a log is one line, unless -v lists them … */
    bool one_log;        /* … which lists the errors of a log only */
    bool sorted;         /* what is worst comes first, so that the limit never hides it */
    size_t fold;         /* more lines of one kind are one line, behind all others, unless -v lists them; 0: no limit */
    size_t limit;        /* lines at most; 0: no limit */
} mls_finding_list_look;

/* Prints `path:line:column: severity: message  [code]` for each, and how many more there are.  Frees the list. */
void mls_finding_list_show(mls_view *view, mls_finding_list *found, mls_finding_list_look look);
mls_words mls_finding_list_words(size_t count, mls_severity severity); /* "2 errors" */
/* ": 2 errors, 1 warning", nothing when there are none. */
void mls_finding_list_append_counts(mls_buffer *line, const char *before, const mls_finding_counts *counts);

/* The table of a finding, whose row is an mls_finding_entry.  Beside it what only CSV has. */
extern const mls_fields mls_finding_fields, mls_finding_csv_fields;

/* The value of a field of findings, a statement that adds to `found`: rows with these fields. */
#define MLS_FIELD_FINDINGS MLS_FIELD_ARRAY, .child = &mls_finding_fields
#define MLS_EMIT_FINDINGS(value)                                                                                       \
    mls_finding_list found = {0};                                                                                      \
    value;                                                                                                             \
    mls_emit_found(to, &found)

/* A list of findings as an array of JSON, those with a known path with it.  Frees the list. */
void mls_emit_found(mls_emitter *to, mls_finding_list *found);

/* JUnit: a test case, what was found in it (freed), and why it failed (NULL: it did not); or a suite of those. */
void mls_junit_case(mls_printer *to, const char *class_name, const char *name, const char *failure,
                    mls_finding_list *found);
void mls_junit_suite(mls_printer *to, const char *name);
