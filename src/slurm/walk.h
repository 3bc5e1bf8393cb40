/* SPDX-License-Identifier: Apache-2.0 */
/*
 * walk.h - which files to read.
 *
 * Named paths are taken as they are; folders are walked in natural order,
 * each folder once, however many links lead to it.
 */
#ifndef MLS_SLURM_WALK_H
#define MLS_SLURM_WALK_H

#include <sys/types.h>

#include "mlscore/base.h"

typedef struct mls_source {
    char *path;    /* as the user would write it; "-" is standard input */
    char *skip;    /* why it is not read, or was of no use; NULL: read it */
    bool failed;   /* it could not be read */
    bool named;    /* by the user, not found in a folder */
    bool result;   /* result_*.txt: one run of its folder's group, whatever is in it */
    uint64_t size; /* of a regular file when it was found */
} mls_source;

typedef struct mls_source_list {
    mls_source *items;
    size_t count;
    size_t capacity;
} mls_source_list;

/*
 * Lists the files under `paths`, skipped ones included.  Returns MLS_OK,
 * MLS_ERROR_MEMORY or MLS_ERROR_LIMIT (more than MLS_WALK_FILES_MAX files).
 */
mls_status mls_walk(const char *const *paths, size_t count, mls_source_list *list, mls_error *error) MLS_MUST_USE;

/*
 * Every result_*.txt is one run of its folder and none repeats another, so the
 * same file must not be taken twice: from its folder and by its own name, say.
 * Skips all but the first of each.  Returns MLS_OK or MLS_ERROR_MEMORY.
 */
mls_status mls_source_list_merge_results(mls_source_list *list, mls_error *error) MLS_MUST_USE;

void mls_source_list_release(mls_source_list *list);

/* Opens a source; -1 with errno set on failure.  Nothing blocks but a pipe that the user named. */
int mls_source_open(const mls_source *source);

/* Why a file that starts with these bytes (16 are enough) is never a log, however large; NULL when it may be. */
const char *mls_source_magic(mls_str head);

/* Whether a file of that name holds one run of a result: result_*.txt. */
bool mls_name_is_result(const char *name);

#endif
