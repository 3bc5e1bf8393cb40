/* SPDX-License-Identifier: Apache-2.0 */
/* judge.h - what the files of this module share.  All paths are relative to the root of the tree. */
#pragma once

#include <cjson/cJSON.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "base/walk.h"
#include "submission/submission.h"

/* ---- tree.c: the layout of a submission */

/* Lists what is below submission->path, a submitter's folder (with results or systems in it) or one of such folders.  A
 * link to a folder is followed only inside, where the place asks for one.  MLS_ERROR_READ when it cannot be read. */
mls_status mls_tree_list(mls_submission *submission, mls_error *error) MLS_MUST_USE;

/* Paths below a submitter's folder: the description of a system, the folder of its results, that of a benchmark in it,
 * the log of a run there and the folder of its power files, and the folder of an implementation (name "": of all). */
const char *mls_tree_description(mls_arena *arena, const char *system);
const char *mls_tree_results(mls_arena *arena, const char *system, mls_usage usage, bool weak);
const char *mls_tree_result(mls_arena *arena, const char *results, const char *benchmark);
const char *mls_tree_log(mls_arena *arena, const char *result, size_t number);
const char *mls_tree_power(mls_arena *arena, const char *result, size_t number);
const char *mls_tree_implementation(mls_arena *arena, const char *benchmark, const char *name);

/* Returns whether the file at this place of a list is called as it should be, which is written to `expected`:
 * "result_0.txt". */
enum { MLS_NUMBERED_BYTES = 40 };
bool mls_tree_is_numbered(const char *path, const char *prefix, size_t number,
                          char expected[static MLS_NUMBERED_BYTES]);

/* Whether the submitter has an implementation of a benchmark. */
bool mls_tree_has_implementation(const mls_submitter *submitter, const char *benchmark);

/* Whether something of this name was asked for; `wanted` NULL: everything is. */
bool mls_is_wanted(const char *wanted, const char *name);

/* The description or results of a system by name; NULL: there are none.  After the walk. */
mls_system *mls_submitter_system(const mls_submitter *submitter, const char *name);

/* Whether a name follows a pattern with at most one '*' in it, or '#': a number without leading zeros. */
bool mls_name_matches(const char *name, const char *pattern);

/* Whether <root>/<path>/<name> is a folder. */
bool mls_tree_has_folder(const char *root, mls_str path, const char *name);

/* Opens a file of the tree, an mls_submission, by its path there, never waiting; -1 with errno set on failure. */
int mls_tree_open(void *submission, const char *path);

/* Reads a whole file of the tree, as mls_file_read() does; MLS_ERROR_READ for one that is not readable. */
mls_status mls_tree_read(const mls_submission *submission, const mls_submission_file *file, size_t limit,
                         mls_buffer *text, mls_error *error) MLS_MUST_USE;

/* Judges package_checker_params, of whose lines only the last counts: one of two words, without a line ending. */
void mls_params_judge(mls_str text, const char *path, mls_bypasses *bypasses, mls_findings *findings);

/* ---- system.c */

/* Judges the text of a description by `rules` (systems.json), as they are in an edition; the texts of `system` will lie
 * in `arena`. */
void mls_system_judge(mls_system *system, const cJSON *rules, mls_str text, const mls_edition *edition,
                      mls_arena *arena, mls_findings *findings);

/* Judges the systems of a submitter: their descriptions, which are not judged for 0.7.0, and whether they have some. */
void mls_systems_judge(const mls_submission *submission, mls_submitter *submitter, const cJSON *rules);

/* ---- result.c */

/* Reads the power files of a run whose log was read.  What they hold is judged with warnings and advice only. */
void mls_power_read(mls_submission *submission, mls_submission_run *run);

/* Judges a result whose logs have been read. */
void mls_result_judge(const mls_submission *submission, const mls_submitter *submitter, mls_submission_result *result);

/* ---- configs.c */

/* Advises where the configs of a submitter disagree, and of settings that cost speed.  MLS_OK, or what loading the
 * tables of models returned. */
mls_status mls_configs_judge(mls_submission *submission, mls_submitter *submitter) MLS_MUST_USE;

/* ---- odd.c */

/* Advises of what is odd about results beside each other, when all have been judged: logs that are there twice, and
 * results far from their peers.  It is found of the whole, most telling first.  MLS_OK, or what loading data returned.
 */
mls_status mls_odd_judge(mls_submission *submission) MLS_MUST_USE;

/* ---- secrets.c: tokens by which whoever reads a file could act for somebody else, known by their form */

/* What a log's lines have, which are searched as they are read. */
typedef struct mls_heard_secrets {
    const char *path;
    bool cut; /* not all of a long line was given */
    mls_findings found;
} mls_heard_secrets;
mls_status mls_secrets_of_lines(void *heard, const mls_lines *lines);

/* Adds those in the files of submitters that were not searched while logs were read, on all threads. */
mls_status mls_secrets_judge(mls_submission *submission) MLS_MUST_USE; /* MLS_OK, or no threads */
