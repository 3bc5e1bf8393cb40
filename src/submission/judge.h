/* SPDX-License-Identifier: Apache-2.0 */
/* judge.h - internal functions that verify a submission.  All paths are relative to the root of its tree. */
#pragma once

#include <cjson/cJSON.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "base/walk.h"
#include "run/reading.h"
#include "submission/submission.h"

/* List the files below submission->path, which is a submitter's folder (with results or systems in it) or a folder of
 * such folders.  Follow links to folders only within the tree and only where the layout expects a folder.  Return
 * MLS_ERROR_READ if the tree cannot be read. */
mls_status mls_tree_list(mls_submission *submission, mls_error *error) MLS_MUST_USE;

/* Return whether `name` equals `wanted`, the only name to judge.  Return true for any name if `wanted` is NULL. */
static inline bool mls_is_wanted(const char *wanted, const char *name)
{
    return wanted == NULL || strcmp(wanted, name) == 0;
}

/* Return the submitter's system with this name, or NULL if it has no such system.  Call mls_tree_list() first. */
mls_system *mls_submitter_system(const mls_submitter *submitter, const char *name);

/* Return whether a name matches a pattern with at most one '*' (anything) or '#' (a number without leading zeros). */
bool mls_name_matches(const char *name, const char *pattern);

/* Return whether <root>/<path>/<name> is a folder. */
bool mls_tree_has_folder(const char *root, mls_str path, const char *name);

/* Open a file for reading without blocking.  `submission` is an mls_submission.  Return the file descriptor, or -1 with
 * errno set on failure. */
int mls_tree_open(void *submission, const char *path);

/* Read a whole file of the tree like mls_file_read().  Return MLS_ERROR_READ if the file is not readable. */
mls_status mls_tree_read(const mls_submission *submission, const mls_submission_file *file, size_t limit,
                         mls_buffer *text, mls_error *error) MLS_MUST_USE;

/* Judge the text of a file package_checker_params and set *bypasses to the checks that it disables.  Only its last line
 * counts: it must be one of two known words, without a line ending. */
void mls_params_judge(mls_str text, const char *path, mls_bypasses *bypasses, mls_findings *findings);

/* Judge the text of a description by `rules` (systems.json of an edition), and ask about it. */
void mls_system_judge(mls_submission *submission, mls_submitter *submitter, mls_system *system, const cJSON *rules,
                      mls_str text, mls_findings *findings);

/* Judge the systems of a submitter by `rules` (systems.json): check that there is at least one system, and check the
 * descriptions (not in edition 0.7.0). */
void mls_systems_judge(mls_submission *submission, mls_submitter *submitter, const cJSON *rules);

/* Read the power files of a run.  Its log must have been read.  Problems in the contents of power files add only
 * warnings or advice. */
void mls_power_read(mls_submission *submission, mls_submission_run *run);

/* Judge a result.  Its logs must have been read. */
void mls_result_judge(const mls_submission *submission, const mls_submitter *submitter, mls_submission_result *result);

/* Add advice about configs of a submitter that contradict themselves and about settings that cost speed.  Return
 * MLS_OK, or an error of loading the tables of models. */
mls_status mls_configs_judge(mls_submission *submission, mls_submitter *submitter) MLS_MUST_USE;

/* Add advice about suspicious results, once all results have been judged: duplicate logs, and results far from similar
 * ones.  Add these findings to the submission, the most important first.  Return MLS_OK, or an error of loading data.
 */
mls_status mls_odd_judge(mls_submission *submission) MLS_MUST_USE;

/* Return the damage of a file with this text, such as "is empty", or NULL.  If it is damaged, set *line. */
const char *mls_damage_of_text(mls_str text, size_t *line);

/* Examine the next lines of a log.  Call mls_damage_end() at the end of the file, with the size of the file. */
void mls_damage_of_lines(mls_log_damage *damage, const mls_lines *lines);
void mls_damage_end(mls_log_damage *damage, uint64_t bytes);

/* Search the lines of a log for secrets.  Return false if a line was too long and its end was not searched. */
bool mls_secrets_of_lines(const char *path, const mls_lines *lines, mls_findings *found);

/* Search the remaining files of all submitters for secrets, with all threads.  Skip the logs that were searched while
 * they were read.  Return MLS_OK, or an error if threads cannot be started. */
mls_status mls_secrets_judge(mls_submission *submission) MLS_MUST_USE;

/* ------------------------------------------------------------------------------------------------------- questions */

/* An evaluation: a record of eval_accuracy or eval_error. */
typedef struct mls_noted_evaluation {
    double time_ms, value;  /* NAN: not a number, like the next two */
    double position, epoch; /* metadata.samples_count or else epoch_num; epoch_num */
    size_t line;
} mls_noted_evaluation;

/* Data of a run that only questions need, noted while the log is read.  Only the first MLS_EVALUATIONS_NOTED
 * evaluations are kept. */
enum { MLS_EVALUATIONS_NOTED = 100000 };
typedef struct mls_run_notes {
    MLS_LIST_OF(mls_noted_evaluation) evaluations; /* in the order of the file */
    double first_clear_ms;                         /* time of the earliest cache_clear since 1970; 0: there is none */
    size_t clear_line;                             /* line of the first cache_clear; 0: there is none */
    size_t uncleared_line; /* line of the first cache_clear with a value that means false; 0: there is none */
} mls_run_notes;
extern const mls_observer mls_run_notes_observer;

/* The subject of a question: the last of submitter, system, result and run that is set. */
typedef struct mls_ask_about {
    mls_submitter *submitter;
    mls_system *system; /* the question is about the description of this system */
    mls_submission_result *result;
    mls_submission_run *run; /* a run of the result */
    const char *path; /* path relative to the tree, in its arena; NULL: the path of the run, result or description */
    size_t line;
} mls_ask_about;

/* Add a question and the finding of the same kind, place and message.  The submission takes ownership of `fields`. */
mls_question *mls_ask(mls_submission *submission, mls_finding_code code, mls_ask_about about, cJSON *fields,
                      const char *format, ...) MLS_PRINTF(5, 6);

/* Add a name to a list of the fields of a question, unless it is there; sort the list by bytes.  Insert nothing between
 * others: cJSON_InsertItemInArray() of version 1.7.15 fails there. */
void mls_ask_name(cJSON *names, mls_str name);
void mls_ask_sort_names(cJSON **names);

/* Add the path of a result that a question is about, too. */
void mls_question_add_result(mls_question *question, const char *path);

/* Ask where the code of the benchmarks of a submitter is.  All files must have been listed. */
void mls_code_ask(mls_submission *submission, mls_submitter *submitter);

/* Ask about the power files of all results. */
void mls_power_ask(mls_submission *submission);

/* Ask about a description, whose text is a valid JSON object, and which must have the fields `required`. */
typedef MLS_LIST_OF(mls_str) mls_field_names;
void mls_system_ask(mls_submission *submission, mls_submitter *submitter, mls_system *system, mls_str object,
                    const mls_field_names *required);

/* Ask about the times of runs, about runs that occur twice, and about cleared caches. */
void mls_runs_ask(mls_submission *submission);

/* Ask about hyperparameters and evaluation schedules.  Return MLS_OK, or an error of loading what the rules demand. */
mls_status mls_values_ask(mls_submission *submission) MLS_MUST_USE;

/* Ask about runs that are published as those of an earlier round, and mark them.  Return MLS_OK, or an error of loading
 * data. */
mls_status mls_published_ask(mls_submission *submission) MLS_MUST_USE;

/* Ask about hpc results of a submitter: weak scaling alone, and another system in the logs than in the description. */
void mls_hpc_ask(mls_submission *submission, mls_submitter *submitter);

/* Ask about the results, once all of them have been judged.  Return MLS_OK, or an error of loading data. */
mls_status mls_questions_ask(mls_submission *submission) MLS_MUST_USE;
