/* SPDX-License-Identifier: Apache-2.0 */
/* findings.h - collect findings, and print them as rows of fields, as lines or as test cases. */
#pragma once

#include "base/memory.h"
#include "report/formats.h"

/* Return whether findings of a severity are shown: with --only, only the selected severity; with -q, only errors, and
 * with -q --strict all; otherwise all. */
bool mls_view_shows(const mls_view *view, mls_severity severity);

/* The subject of findings.  A member that is 0 or NULL is unknown or does not apply. */
typedef struct mls_owner {
    const char *path; /* default for findings without a path */
    size_t line;      /* default for findings without a line */
    const char *name; /* name of the submitter */
    mls_str result;   /* result or log; its similar findings are printed as one line; ptr NULL: one line per finding */
    size_t run;       /* number of the run in `result`; 0: the path identifies the run */
    size_t runs;      /* total number of runs of `result`; 0: unknown, or the findings are not about a run */
    const char *of;   /* path of the whole result, for counting results; NULL: not part of a result */
} mls_owner;

typedef struct mls_finding_entry {
    mls_finding finding; /* has the path and line of its owner if it had none */
    mls_owner owner;
    size_t first, last; /* indexes of the first and the last similar finding; `last` is set only in the first */
    size_t runs;        /* number of runs with similar findings */
    size_t alike;       /* number of similar findings, including this one; set only in the first */
    size_t reported;    /* number of findings that the line of this finding reports; 0: another line reports it */
    size_t unkept;      /* number of similar findings that were counted but not kept */
    /* These members are set only in the first finding of a kind (severity, code and key). */
    size_t lines;   /* number of lines of the kind */
    size_t folded;  /* number of findings of the kind if they are printed as one line, otherwise 0 */
    size_t results; /* number of results that have findings of the kind */
} mls_finding_entry;

typedef struct mls_finding_list {
    mls_finding_entry *items;
    size_t count, capacity;
    size_t unkept;                       /* number of findings that were counted but not kept */
    size_t unkept_of[MLS_FINDING_COUNT]; /* number of findings of each code that were counted but not kept, if it is
                                            known */
    const char *root;                    /* GitHub: folder to which paths are relative; NULL: the current folder */
    mls_arena texts;                     /* messages that the list composed itself */
} mls_finding_list;

/* The functions below add findings.  With a view, they ignore findings of severities that the view does not show. */

/* Add a finding. */
void mls_finding_list_add_one(mls_finding_list *found, const mls_finding *finding, mls_owner owner,
                              const mls_view *view);

/* Add all findings of a list, and the number of findings that the list counted but did not keep. */
void mls_finding_list_add(mls_finding_list *found, const mls_findings *findings, mls_owner owner, const mls_view *view);

/* Add only the number of findings that a list counted but did not keep. */
void mls_finding_list_add_unkept(mls_finding_list *found, const mls_findings *findings, const mls_view *view);

/* Add a finding whose message says that `more` findings like `kind` are not listed.  In formats for people, do nothing:
 * mls_finding_list_show() prints their number below the list. */
void mls_finding_list_add_more(mls_finding_list *found, const mls_finding *kind, size_t more, mls_owner owner,
                               const mls_view *view);

/* Free the entries of a list. */
void mls_finding_list_finish(mls_finding_list *found);

typedef struct mls_finding_list_look {
    size_t indent, hang; /* passed to mls_view_line() */
    bool named;          /* print "warning: " or "advice: " before findings that are not errors */
    bool together;       /* print similar findings of a result or log as one line, except with -v */
    bool one_log;        /* with -v, print errors separately, but similar warnings and advice still as one line */
    bool sorted;         /* print the most severe findings first, so that the limit does not omit them */
    size_t fold;         /* print a kind with more lines than this as one line, except with -v; 0: no limit */
    size_t limit;        /* maximum number of lines; 0: no limit */
} mls_finding_list_look;

/* Print `path:line:column: severity: message  [code]` for each finding, and the number of omitted findings.  Free the
 * list. */
void mls_finding_list_show(mls_view *view, mls_finding_list *found, mls_finding_list_look look);

/* Return a number of findings of a severity as text, such as "2 errors". */
mls_words mls_finding_list_words(size_t count, mls_severity severity);

/* Append ": 2 errors, 1 warning", where `before` is the text before the first number; append nothing if all are 0. */
void mls_finding_list_append_counts(mls_buffer *line, const char *before, const mls_finding_counts *counts);

/* The fields of an mls_finding_entry, and its fields that only CSV has. */
extern const mls_fields mls_finding_fields, mls_finding_csv_fields;

/* The type FINDINGS of fields.h: the value of the field is a statement that adds findings to `found`. */
#define MLS_FIELD_FINDINGS MLS_FIELD_ARRAY, .child = &mls_finding_fields
#define MLS_EMIT_FINDINGS(value)                                                                                       \
    mls_finding_list found = {0};                                                                                      \
    value;                                                                                                             \
    mls_emit_found(to, &found)

/* Write a list of findings as an array, and free it. */
void mls_emit_found(mls_emitter *to, mls_finding_list *found);

/* JUnit: add a test case with the findings `found`, which are freed.  `failure` is the message of a failed case; NULL
 * if the case passed. */
void mls_junit_case(mls_printer *to, const char *class_name, const char *name, const char *failure,
                    mls_finding_list *found);

/* JUnit: write the cases that were added since the previous suite as a suite. */
void mls_junit_suite(mls_printer *to, const char *name);
