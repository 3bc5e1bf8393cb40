/* SPDX-License-Identifier: Apache-2.0 */
/* questions.h - the questions that a reviewer should ask about a submission.
 *
 * mls_submission_verify() collects the questions of the new kinds in submission->questions, and adds a finding for
 * each, which `mlscore verify` prints.  mls_questions_all() returns them in the order of their weight, together with
 * one question for each submitter and kind of the other findings; `mlscore review` prints that list.
 *
 * To add a kind of question, add a row to finding_table.h, its texts to findings.json, and a row to the table of
 * questions.c (sorted by weight).  Write a function that calls mls_ask(), and call the function in mls_questions_ask()
 * or where its data is known.  Add an example to testdata/submissions-broken. */
#pragma once

#include <cjson/cJSON.h>

#include "base/base.h"

struct mls_submission;
struct mls_submission_result;
struct mls_submission_run;
struct mls_submitter;
struct mls_system;

/** The command that shows more about a question. */
typedef enum mls_question_next {
    MLS_NEXT_ISSUE,   /**< mlscore review --issue N DIR */
    MLS_NEXT_COMPARE, /**< mlscore compare A B: the first two results of the question, or a result and a published one
                       */
    MLS_NEXT_THROUGHPUT, /**< mlscore throughput RESULT */
    MLS_NEXT_TELEMETRY   /**< mlscore telemetry RESULT */
} mls_question_next;

/** A kind of question, in the edition of a submission.  Its name is the name of its finding. */
typedef struct mls_question_kind {
    mls_finding_code code;
    mls_severity severity;
    bool form; /**< the question is about form; questions about other matters come first */
    const char *document,
        *section; /**< document and section of the rule, such as "training_rules.adoc"; NULL: there is no rule */
    mls_question_next next;
} mls_question_kind;

typedef MLS_LIST_OF(const char *) mls_result_paths;

/** A question.  Its texts live as long as the submission. */
typedef struct mls_question {
    mls_finding_code code;
    mls_severity severity;
    /** NULL: the question is about several submitters, or about the whole tree. */
    const struct mls_submitter *submitter;
    const char *path;         /**< relative to the tree */
    size_t line;              /**< line of the file at that path; 0: not about a line */
    mls_result_paths results; /**< paths of the results that the question is about; the list is owned */
    const char *message;
    cJSON *fields;       /**< an object with the members that are specific to the kind; owned, may be NULL */
    const char *against; /**< for MLS_NEXT_COMPARE: an argument of compare for the other side, if it is not a result;
                            else NULL */
} mls_question;

typedef MLS_LIST_OF(mls_question) mls_questions;
void mls_questions_release(mls_questions *questions);

/** Return the kind at a position of the list of all kinds, sorted by weight.  The last kinds are findings without a row
 * in the table.  After the end of the list, the code of the kind is MLS_FINDING_COUNT. */
mls_question_kind mls_question_kind_at(const struct mls_submission *submission, size_t position);

/** Return the kind of a code. */
mls_question_kind mls_question_kind_of(const struct mls_submission *submission, mls_finding_code code);

/** Return all questions about a verified submission in *all: errors first, then by weight of their kind, then by path.
 * Findings without a question of their own become one question for each submitter and kind, with the fields `count`
 * and `places`.  For each log, result, system and submitter, at most MLS_FINDINGS_KEPT_PER_CODE places are listed.
 * Release *all; its texts belong to the submission. */
void mls_questions_all(const struct mls_submission *submission, mls_questions *all);
