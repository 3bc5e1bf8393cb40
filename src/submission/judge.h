/* SPDX-License-Identifier: Apache-2.0 */
/* judge.h - what the files of this floor know of each other.  All paths are relative to the root of the tree.
 * Functions that return a status and take no error return MLS_OK or MLS_ERROR_MEMORY; everything else is a finding. */
#pragma once

#include <cjson/cJSON.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "base/walk.h"
#include "submission/submission.h"

/* Lists what is below submission->path, a submitter's folder (with results or systems in it) or one of such folders.  A
 * link to a folder is followed only inside, where the place asks for one.  MLS_ERROR_READ when it cannot be read. */
mls_status mls_tree_list(mls_submission *submission, mls_error *error) MLS_MUST_USE;

/* Whether something of this name was asked for; `wanted` NULL: everything is. */
bool mls_is_wanted(const char *wanted, const char *name);

/* The description or results of a system by name; NULL: there are none.  After the walk. */
mls_system *mls_submitter_system(const mls_submitter *submitter, const char *name);

/* Whether a name follows a pattern with at most one '*' in it, or '#': a number without leading zeros. */
bool mls_name_matches(const char *name, const char *pattern);

/* Whether <root>/<path>/<name> is a folder. */
bool mls_tree_has_folder(const char *root, mls_str path, const char *name);

/* There is no submission: an error that names the folder to give, above or `below` (NULL: none is known). */
void mls_tree_missed(mls_submission *submission, const char *below);

/* Opens a file of the tree, an mls_submission, by its path there, never waiting; -1 with errno set on failure. */
int mls_tree_open(void *submission, const char *path);

/* Reads a whole file of the tree, as mls_file_read() does; MLS_ERROR_READ for one that is not readable. */
mls_status mls_tree_read(const mls_submission *submission, const mls_submission_file *file, size_t limit,
                         mls_buffer *text, mls_error *error) MLS_MUST_USE;

/* Judges package_checker_params, of whose lines only the last counts: one of two words, without a line ending. */
void mls_params_judge(mls_str text, const char *path, mls_bypasses *bypasses, mls_findings *findings);

/* Judges the text of a description by `rules` (systems.json), as they are in an edition; the texts of `system` will lie
 * in `arena`. */
mls_status mls_system_judge(mls_system *system, const cJSON *rules, mls_str text, const mls_edition *edition,
                            mls_arena *arena, mls_findings *findings) MLS_MUST_USE;

/* Judges the systems of a submitter: their descriptions, which are not judged for 0.7.0, and whether they have some. */
mls_status mls_systems_judge(const mls_submission *submission, mls_submitter *submitter,
                             const cJSON *rules) MLS_MUST_USE;

/* Reads the power files of a run whose log was read.  What they hold is judged with warnings and advice only. */
mls_status mls_power_read(mls_submission *submission, mls_submission_run *run) MLS_MUST_USE;

/* Judges a result whose logs have been read. */
mls_status mls_result_judge(const mls_submission *submission, const mls_submitter *submitter,
                            mls_submission_result *result) MLS_MUST_USE;

/* A result that was judged, and whose it is; all of a submission, in the order of its folders, and how many runs. */
typedef struct mls_judged_result {
    const mls_submitter *submitter;
    const mls_submission_result *result;
} mls_judged_result;
typedef struct mls_judged_results {
    mls_judged_result *items;
    size_t count, capacity, runs;
} mls_judged_results;

/* Advises of results whose runs are published as those of another one. */
mls_status mls_resubmitted_judge(mls_submission *submission, const mls_judged_results *judged) MLS_MUST_USE;

/* Advises of what is odd about results beside each other, when all have been judged: logs that are there twice, and
 * results far from their peers.  It is found of the whole, most telling first. */
mls_status mls_odd_judge(mls_submission *submission) MLS_MUST_USE;

/* Finds tokens in the files of submitters, on all threads: an error, as whoever gets the submission could use them. */
mls_status mls_secrets_judge(mls_submission *submission) MLS_MUST_USE;

/* Advises of names in a folder that differ only in the case of letters in ASCII. */
mls_status mls_tree_compare_names(const mls_names *names, const char *folder, mls_findings *findings) MLS_MUST_USE;

/* Advises where the configs of a submitter disagree, and of settings that cost speed. */
mls_status mls_configs_judge(mls_submission *submission, mls_submitter *submitter) MLS_MUST_USE;
