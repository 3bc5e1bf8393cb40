/* SPDX-License-Identifier: Apache-2.0 */
/* merge.h - read the parts of all shards and pass on the same runs, of the same sources and in the same order, as if
 * one process had read the logs with mls_read_sources().
 *
 * Parts may come from other machines, so they are checked completely before any of their data is used. */
#pragma once

#include "score/part.h"

/* Parts that were read.  Other files may use the first members only. */
typedef struct mls_merge {
    mls_part_head head;                /* of the first part, ignoring its shard */
    mls_shard_ranges shards, missing;  /* shards that were read, and missing ones */
    mls_names measuring;               /* files without runs that contain telemetry */
    MLS_LIST_OF(mls_shard_part) parts; /* without their files, which are … */
    MLS_LIST_OF(mls_part_file) files;  /* … here, in the order of a single process */
    mls_arena arena;                   /* of texts, places and maps */
    mls_map known, places;             /* shards as text → number of their part; folder → what follows from it */
    const mls_run_extra *extra;        /* data found beside the log of the run being passed on */
    mls_schema_room room;
} mls_merge;

/* A problem with parts, and the file it is about. */
typedef struct mls_merge_trouble {
    mls_error error;
    char *path; /* owned; NULL: not about a single part */
} mls_merge_trouble;
void mls_merge_trouble_release(mls_merge_trouble *trouble);

/* Read and check parts, in any order.  Duplicates of a part are ignored.  On MLS_OK, free *merge; otherwise return
 * MLS_ERROR_READ, _VALUE or _SYNTAX.  Missing shards are not an error: see `missing`. */
mls_status mls_merge_open(const char *const *paths, size_t count, mls_merge **merge,
                          mls_merge_trouble *trouble) MLS_MUST_USE;
void mls_merge_free(mls_merge *merge);

/* Check that a head equals that of the first part, ignoring the shard.  If not, *error names the difference. */
mls_status mls_merge_same_head(const mls_merge *merge, const mls_part_head *head, mls_error *error) MLS_MUST_USE;

/* Add the diagnoses made by the shards to the incomplete runs of a collection. */
void mls_merge_note_endings(mls_collection *collection);

/* List the sources of all parts in the order of a single process. */
void mls_merge_sources(const mls_merge *merge, mls_sources *sources);

/* Pass on the runs of these sources, and each source, as mls_read_sources() does; can be called once.  The shards have
 * read everything that needs the logs.  If the reading has a heard_size, mls_read.heard is the mls_part_source.  Return
 * MLS_OK, or the status of a callback. */
mls_status mls_merge_read(mls_merge *merge, const mls_reading *reading, const mls_sources *sources,
                          mls_error *error) MLS_MUST_USE;

/* Return what follows from a folder.  The texts belong to the merge. */
mls_place mls_merge_place(const mls_merge *merge, mls_str folder);

/* Write all parts as one part.  Use it instead of mls_merge_read(). */
void mls_merge_write(mls_merge *merge, mls_output *output);
