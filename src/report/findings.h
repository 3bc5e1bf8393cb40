/* SPDX-License-Identifier: Apache-2.0 */
/* findings.h - collect findings, and print them as rows of fields, as lines or as test cases. */
#pragma once

#include "base/memory.h"
#include "report/formats.h"

/* Return whether findings of a severity are shown: all, except with --only, and with -q those that count as errors. */
bool mls_view_shows(const mls_view *view, mls_severity severity);

/* The subject of findings; members that are 0 mean "none". */
typedef struct mls_owner {
    const char *path; /* of findings without a path */
    size_t line;      /* of findings without a line */
    const char *name; /* of the submitter */
    mls_str result;   /* the result or log, whose similar findings become one line; ptr NULL: none */
    size_t run;       /* number of its run; 0: given by the path */
    size_t runs;      /* number of its runs; 0: unknown, or the finding is not about a run */
    const char *of;   /* path of the result as a whole; NULL: none */
} mls_owner;

typedef struct mls_finding_entry {
    mls_finding finding; /* by default with the path and line of its owner */
    mls_owner owner;
    size_t first, last; /* indices of the findings reported together */
    size_t runs;        /* number of runs with similar findings … */
    size_t alike;       /* … and of these findings */
    size_t reported;    /* number of findings that its line reports; 0: another line reports it */
    size_t unkept;      /* number of similar findings that were counted but not kept */
    size_t lines;       /* of the first finding of a kind: number of lines of the kind, … */
    size_t folded;      /* … of its findings if they are one line, otherwise 0 … */
    size_t results;     /* … and of results that have them */
} mls_finding_entry;

typedef struct mls_finding_list {
    mls_finding_entry *items;
    size_t count, capacity;
    size_t unkept;                       /* number of findings that were counted but not kept */
    size_t unkept_of[MLS_FINDING_COUNT]; /* the same for each code, as far as it is known */
    const char *root;                    /* GitHub: folder that paths are relative to; NULL: the current one */
    mls_arena texts;                     /* of messages that were made for the list */
} mls_finding_list;

/* Add a finding, all findings of a list, or only the number that the list did not keep; with a view, only if it shows
 * them. */
void mls_finding_list_add_one(mls_finding_list *found, const mls_finding *finding, mls_owner owner,
                              const mls_view *view);
void mls_finding_list_add(mls_finding_list *found, const mls_findings *findings, mls_owner owner, const mls_view *view);
void mls_finding_list_add_unkept(mls_finding_list *found, const mls_findings *findings, const mls_view *view);

/* Add a finding that `more` findings of a kind are not listed.  Tables print their number below the list instead. */
void mls_finding_list_add_more(mls_finding_list *found, const mls_finding *kind, size_t more, mls_owner owner,
                               const mls_view *view);

void mls_finding_list_finish(mls_finding_list *found);

typedef struct mls_finding_list_look {
    size_t indent, hang; /* as of mls_view_line() */
    bool named;          /* print "warning: " or "advice: " before those that are not errors */
    bool together;       /* print similar findings of a result or log as one line, except with -v … */
    bool one_log;        /* … which lists only the errors of a log */
    bool sorted;         /* print the most severe first, so that the limit does not hide them */
    size_t fold;         /* print more lines of a kind as one line after all others, except with -v; 0: no limit */
    size_t limit;        /* maximum number of lines; 0: no limit */
} mls_finding_list_look;

/* Print `path:line:column: severity: message  [code]` for each, and how many more there are.  Free the list. */
void mls_finding_list_show(mls_view *view, mls_finding_list *found, mls_finding_list_look look);
mls_words mls_finding_list_words(size_t count, mls_severity severity); /* "2 errors" */
/* Append ": 2 errors, 1 warning"; nothing if there are none. */
void mls_finding_list_append_counts(mls_buffer *line, const char *before, const mls_finding_counts *counts);

/* The fields of an mls_finding_entry, and those that only CSV has. */
extern const mls_fields mls_finding_fields, mls_finding_csv_fields;

/* The value of a field of findings: a statement that adds to `found`. */
#define MLS_FIELD_FINDINGS MLS_FIELD_ARRAY, .child = &mls_finding_fields
#define MLS_EMIT_FINDINGS(value)                                                                                       \
    mls_finding_list found = {0};                                                                                      \
    value;                                                                                                             \
    mls_emit_found(to, &found)

/* Write a list of findings as an array, and free it. */
void mls_emit_found(mls_emitter *to, mls_finding_list *found);

/* JUnit: add a test case with its findings (freed) and why it failed (NULL: passed); end a suite of the cases so far.
 */
void mls_junit_case(mls_printer *to, const char *class_name, const char *name, const char *failure,
                    mls_finding_list *found);
void mls_junit_suite(mls_printer *to, const char *name);
