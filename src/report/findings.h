/* SPDX-License-Identifier: Apache-2.0 */
/*
 * findings.h - what a finding looks like, in every format.
 *
 * A list gathers findings of several owners (runs, results, submitters) in the
 * order in which they are to be told, with the place of each filled in.  It
 * borrows their texts.
 */
#ifndef MLS_REPORT_FINDINGS_H
#define MLS_REPORT_FINDINGS_H

#include "report/view.h"

/* Whose findings they are; zeroed members mean "none". */
typedef struct mls_owner {
    const char *path; /* of findings without a path */
    size_t line;      /* of findings without a line */
    const char *name; /* of the submitter */
    mls_str result;   /* what is alike in several runs of one result is told in one line; ptr NULL: of none */
    size_t run;       /* which of its runs; 0: the path tells */
    size_t runs;      /* how many it has; 0: not known, or it is about no run */
} mls_owner;

typedef struct mls_noted {
    mls_finding finding; /* with the owner's path and line where it has none itself */
    mls_owner owner;
    size_t first, last; /* in the list: of what is told together */
    size_t runs;        /* that have it alike */
    size_t told;        /* findings that its line tells; 0: another line tells it */
} mls_noted;

typedef struct mls_found {
    mls_noted *items;
    size_t count, capacity;
    const char *root; /* GitHub: of paths; NULL: they are as the user would open them */
    bool failed;      /* memory ran out */
} mls_found;

/* Adds a finding, or all of a list; `view` not NULL: only if it shows them. */
void mls_found_add_one(mls_found *found, const mls_finding *finding, mls_owner owner, const mls_view *view);
void mls_found_add(mls_found *found, const mls_findings *findings, mls_owner owner, const mls_view *view);

/* Frees the list; that it lacked memory is an error of the output. */
void mls_found_finish(mls_found *found, mls_output *output);

/* How findings are listed for a person. */
typedef struct mls_found_look {
    size_t indent, hang; /* as of mls_view_line() */
    bool named;          /* "warning: " before what is none */
    bool together;       /* what is alike in several runs of a result is one line, unless -v lists them */
    bool sorted;         /* what is worst comes first, so that the limit never hides it */
    size_t limit;        /* lines at most; 0: no limit */
} mls_found_look;

/* Prints `path:line:column: severity: message  [code]` for each; how many findings the lines tell.  Frees the list. */
size_t mls_found_show(mls_view *view, mls_found *found, mls_found_look look);

/* "2 errors". */
mls_words mls_found_words(size_t count, mls_severity severity);

/* The table of a finding, whose row is an mls_noted.  Beside it what only CSV has. */
extern const mls_fields mls_finding_fields, mls_finding_csv_fields;

/* A list of findings as an array of JSON, those with a known path with it.  Frees the list. */
void mls_emit_found(mls_emitter *to, mls_found *found);

/* JUnit: one test case and what was found in it; `failure` says why it failed, NULL that it did not.  Frees the list.
 */
void mls_junit_case(mls_printer *to, const char *class_name, const char *name, const char *failure, mls_found *found);

/* JUnit: the cases so far are a suite. */
void mls_junit_suite(mls_printer *to, const char *name);

#endif
