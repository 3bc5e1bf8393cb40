/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tree.h - what stands where in a submission, found in one walk.
 *
 * The walk knows from a folder's place what belongs into it, lists the logs,
 * system descriptions and power files that are there, and makes findings about
 * everything else.  It reads no file but package_checker_params, changes
 * nothing, and follows no link out of the tree.  A link to a folder is
 * followed only where the place asks for a folder (a system, a benchmark), and
 * such places end a few levels down: loops of links end with them.
 *
 * All paths are relative to the root of the tree.
 */
#ifndef MLS_SUBMISSION_TREE_H
#define MLS_SUBMISSION_TREE_H

#include "base/buffer.h"
#include "mlscore/submission.h"

/* Folders below the root are entered at most this deep. */
#define MLS_TREE_DEPTH_MAX 64

/* More files and folders than this are not looked at. */
#define MLS_TREE_ENTRIES_MAX ((size_t)2000000)

/* Repositories of results refuse larger files. */
#define MLS_TREE_LARGE_FILE ((uint64_t)50 << 20)

/*
 * Walks the tree below submission->path: one submitter's folder (it has
 * results or systems in it) or a folder of such folders.  MLS_OK;
 * MLS_ERROR_READ when it is no folder that can be read; MLS_ERROR_MEMORY.
 * What cannot be read further down is a finding.
 */
mls_status mls_tree_list(mls_submission *submission, const mls_submission_options *options,
                         mls_error *error) MLS_MUST_USE;

/* Whether <root>/<path>/<name> is a folder. */
bool mls_tree_has_folder(const char *root, mls_str path, const char *name);

/* There is no submission: an error that names the folder to give, above or `below` (NULL: none is known). */
void mls_tree_missed(mls_submission *submission, const char *below);

/* The description or results of a system by name; NULL: there are none.  After the walk. */
mls_system *mls_submitter_system(const mls_submitter *submitter, const char *name);

/* Opens a file of the tree; -1 with errno set on failure.  Never blocks. */
int mls_tree_open(const mls_submission *submission, const mls_submission_file *file);

/* Reads a whole file of the tree, as mls_file_read() does. */
mls_status mls_tree_read(const mls_submission *submission, const mls_submission_file *file, size_t limit,
                         mls_buffer *text, mls_error *error) MLS_MUST_USE;

/*
 * Reads package_checker_params: of its lines, which end as in a text file of
 * Python's, the last counts when it has no ending and is one of two words.
 * The others are advice.  MLS_OK or MLS_ERROR_MEMORY.
 */
mls_status mls_params_read(const mls_submission *submission, const mls_submission_file *file, mls_bypasses *bypasses,
                           mls_findings *findings) MLS_MUST_USE;
void mls_params_judge(mls_str text, const char *path, mls_bypasses *bypasses, mls_findings *findings);

/* What `pattern` has for its '*', or '#' (a number without leading zeros), in `name`; ptr NULL: it does not match. */
mls_str mls_name_match(const char *name, const char *pattern);

#endif
