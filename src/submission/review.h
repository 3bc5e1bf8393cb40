/* SPDX-License-Identifier: Apache-2.0 */
/* review.h - the questions about a verified submission with their numbers, counted by kind, by submitter and by result,
 * and who should review whom.
 *
 *     mls_submission_verify(path, &options, &submission, &error);
 *     mls_review_make(&submission, &(mls_review_options){.against = "published"}, &review);
 *     for (size_t i = 0; i < review.questions.count; i++) ...
 *     mls_review_release(&review); */
#pragma once

#include "base/buffer.h"
#include "base/memory.h"
#include "submission/submission.h"

/** A kind of question, and the numbers of its questions, of the results that they are about, and of their submitters.
 */
typedef struct mls_review_kind {
    mls_question_kind kind;
    const char *name;
    size_t questions, results, submitters;
    size_t first;     /**< index of its first question in the review */
    const char *next; /**< the command that lists them */
} mls_review_kind;

/** A submitter.  Results on fewer than 512 accelerators, or on an unknown number, count in `below_512`. */
typedef struct mls_review_submitter {
    const char *name;
    size_t results, below_512;
    double accelerators_most; /**< of its results; NAN: unknown */
    size_t questions, form;   /**< numbers of its questions to ask first, and of those about matters of form */
} mls_review_submitter;

typedef struct mls_review_result {
    const mls_submitter *submitter;
    const mls_submission_result *result;
    double accelerators;             /**< nodes times accelerators, or times host processors without any; NAN */
    double first_ms, last_ms;        /**< earliest and latest run_start; NAN: no date */
    MLS_LIST_OF(const char *) kinds; /**< names of the kinds of its questions, in the order of the list of kinds */
} mls_review_result;

/** Submitters that review each other: two, or the last three. */
enum { MLS_REVIEWERS_MAX = 3 };
typedef struct mls_reviewers {
    const char *names[MLS_REVIEWERS_MAX];
    size_t count;
} mls_reviewers;
typedef MLS_LIST_OF(mls_reviewers) mls_assignment;

/** What to show. */
typedef struct mls_review_options {
    bool only; /**< show only the chosen kinds */
    bool chosen[MLS_FINDING_COUNT];
    bool list_results;
    const char *against; /**< what the submission was compared with, for people */
} mls_review_options;

typedef struct mls_review {
    const mls_submission *submission;
    mls_questions questions; /**< question number N is at N - 1 */
    MLS_LIST_OF(mls_review_kind)
    kinds; /**< by weight: kinds to ask first, also without questions, then kinds of form with questions */
    MLS_LIST_OF(mls_review_submitter) submitters; /**< in the order of the submission */
    MLS_LIST_OF(mls_review_result) results;       /**< results with logs, in the order of the submission */
    mls_assignment by_results, large;             /**< pairs by results on fewer than 512 accelerators, and by size */
    size_t descriptions, logs;
    mls_arena arena;
    mls_review_options options;
} mls_review;

/** Make the review of a verified submission, which must outlive it.  Release *review. */
void mls_review_make(const mls_submission *submission, const mls_review_options *options, mls_review *review);
void mls_review_release(mls_review *review);

/** Return whether a kind is shown. */
bool mls_review_shows(const mls_review *review, mls_finding_code code);

/** Append the command that shows more about question `number` (from 1), with shell quotes where needed. */
void mls_review_append_next(mls_buffer *line, const mls_review *review, size_t number);

/** Append the command that lists all questions of a kind. */
void mls_review_append_only(mls_buffer *line, const mls_review *review, const char *kind);

/** Append the text of an issue about question `number`: what is asked, about which records of which files, and the
 * rule. At most `files` files are listed, which are read again.  Control characters are escaped, except for line ends.
 */
enum { MLS_ISSUE_FILES = 10 };
void mls_review_append_issue(mls_buffer *text, const mls_review *review, size_t number, size_t files);
