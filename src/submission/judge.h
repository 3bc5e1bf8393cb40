/* SPDX-License-Identifier: Apache-2.0 */
/* judge.h - internals of verifying a submission.  All paths are relative to the root of the tree. */
#pragma once

#include <cjson/cJSON.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "base/walk.h"
#include "submission/submission.h"

/* List the files below submission->path, which is a submitter's folder (with results or systems in it) or a folder of
 * such folders.  Follow links to folders only within the tree and only where the layout expects a folder.  Return
 * MLS_ERROR_READ if the tree cannot be read. */
mls_status mls_tree_list(mls_submission *submission, mls_error *error) MLS_MUST_USE;

/* Return whether `name` was asked for; if `wanted` is NULL, all names are. */
static inline bool mls_is_wanted(const char *wanted, const char *name)
{
    return wanted == NULL || strcmp(wanted, name) == 0;
}

/* Return the system of this name, or NULL. Only valid after mls_tree_list(). */
mls_system *mls_submitter_system(const mls_submitter *submitter, const char *name);

/* Return whether a name matches a pattern with at most one '*' (anything) or '#' (a number without leading zeros). */
bool mls_name_matches(const char *name, const char *pattern);

bool mls_tree_has_folder(const char *root, mls_str path, const char *name); /* <root>/<path>/<name> */

/* Open a file of an mls_submission without blocking.  Return -1 with errno set on failure. */
int mls_tree_open(void *submission, const char *path);

/* Read a whole file of the tree like mls_file_read().  Return MLS_ERROR_READ if the file is not readable. */
mls_status mls_tree_read(const mls_submission *submission, const mls_submission_file *file, size_t limit,
                         mls_buffer *text, mls_error *error) MLS_MUST_USE;

/* Judge package_checker_params.  Only its last line counts: one of two words, without a line ending. */
void mls_params_judge(mls_str text, const char *path, mls_bypasses *bypasses, mls_findings *findings);

/* Judge the text of a description by `rules` (systems.json of an edition).  Texts of `system` are allocated in `arena`.
 */
void mls_system_judge(mls_system *system, const cJSON *rules, mls_str text, const mls_edition *edition,
                      mls_arena *arena, mls_findings *findings);

/* Judge the systems of a submitter: whether it has any, and their descriptions (except for 0.7.0). */
void mls_systems_judge(const mls_submission *submission, mls_submitter *submitter, const cJSON *rules);

/* Read the power files of a run whose log has been read.  Problems of their contents are warnings or advice only. */
void mls_power_read(mls_submission *submission, mls_submission_run *run);

/* Judge a result whose logs have been read. */
void mls_result_judge(const mls_submission *submission, const mls_submitter *submitter, mls_submission_result *result);

/* Add advice about configs of a submitter that contradict themselves and about settings that cost speed.  Return
 * MLS_OK, or an error of loading the tables of models. */
mls_status mls_configs_judge(mls_submission *submission, mls_submitter *submitter) MLS_MUST_USE;

/* Add advice about suspicious results, once all results have been judged: duplicate logs, and results far from similar
 * ones.  The findings belong to the submission, the most important first.  Return MLS_OK, or an error of loading data.
 */
mls_status mls_odd_judge(mls_submission *submission) MLS_MUST_USE;

/* State of searching a log's lines while they are read. */
typedef struct mls_heard_secrets {
    const char *path;
    bool cut; /* the last long line was truncated */
    mls_findings found;
} mls_heard_secrets;
mls_status mls_secrets_of_lines(void *heard, const mls_lines *lines);

/* Search the files of submitters that were not searched while logs were read, with all threads.  Return MLS_OK, or an
 * error if threads cannot be started. */
mls_status mls_secrets_judge(mls_submission *submission) MLS_MUST_USE;
