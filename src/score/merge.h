/* SPDX-License-Identifier: Apache-2.0 */
/* merge.h - the parts of all shards, read as if one process had read the logs: the same runs of the same sources, in
 * the same order, for whoever would have been handed them by mls_read_sources().
 *
 * Parts may be of other machines, and are checked whole before anything of them is used. */
#pragma once

#include "score/part.h"

/* Parts that were read.  Others look at the first members only. */
typedef struct mls_merge {
    mls_part_head head;                /* of the first part, but for the shard that of all */
    mls_shard_ranges shards, missing;  /* that there are, and that there are not */
    mls_names measuring;               /* the files without runs that hold measurements of telemetry */
    MLS_LIST_OF(mls_shard_part) parts; /* without their files, which are … */
    MLS_LIST_OF(mls_part_file) files;  /* … these, in the order of one process */
    mls_arena arena;                   /* of texts, places and maps */
    mls_map known, places;    /* shards as words to the number of their part; folders to what follows from them */
    const mls_run_extra *extra; /* what lies beside the log of the run that is being handed over */
    mls_schema_room room;
} mls_merge;

/* What is wrong with parts, and with which file. */
typedef struct mls_merge_trouble {
    mls_error error;
    char *path; /* owned; NULL: it is of none alone */
} mls_merge_trouble;
void mls_merge_trouble_release(mls_merge_trouble *trouble);

/* Read and check parts, whose order means nothing; of the same part twice the second is passed over.  MLS_OK, and
 * *merge is to be freed; MLS_ERROR_READ, _VALUE or _SYNTAX.  That shards are missing is no error: ask. */
mls_status mls_merge_open(const char *const *paths, size_t count, mls_merge **merge,
                          mls_merge_trouble *trouble) MLS_MUST_USE;
void mls_merge_free(mls_merge *merge);

/* MLS_OK where a head is as that of the merge's first part, but for the shard; else *error says what differs. */
mls_status mls_merge_same_head(const mls_merge *merge, const mls_part_head *head, mls_error *error) MLS_MUST_USE;

/* Give the runs of a collection that never ended what was found out about that. */
void mls_merge_note_endings(mls_collection *collection);

/* Make the sources of all parts in the order of one process. */
void mls_merge_sources(const mls_merge *merge, mls_sources *sources);

/* Hand over the runs of these sources, and each source that was read, as mls_read_sources() does; once.  What is asked
 * of the logs themselves was asked by the shards; what was heard of a source, where the reading has a heard_size, is
 * its mls_part_source.  MLS_OK, or what a callback returned. */
mls_status mls_merge_read(mls_merge *merge, const mls_reading *reading, const mls_sources *sources,
                          mls_error *error) MLS_MUST_USE;

/* Return what follows from a folder; texts are the merge's. */
mls_place mls_merge_place(const mls_merge *merge, mls_str folder);

/* Write all of it as one part.  In place of mls_merge_read(). */
void mls_merge_write(mls_merge *merge, mls_output *output);
