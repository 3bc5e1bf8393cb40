/* SPDX-License-Identifier: Apache-2.0 */
/* merged.h - what a merge knows of its parts, for the two passes over them. */
#pragma once

#include "base/memory.h"
#include "slurm/merge.h"
#include "slurm/part_read.h"

/* Parts that are open at a time. */
enum { MLS_PARTS_OPEN_MAX = 128 };

/* Where the line of a file is. */
typedef struct mls_file_line {
    uint64_t offset, hash;
    size_t len;
    uint32_t part, line;
} mls_file_line;

typedef struct mls_merged_file {
    mls_source source;
    mls_file_line at;
} mls_merged_file;

typedef struct mls_merged_part {
    const char *path; /* the caller's */
    uint64_t digest;
    char *shards; /* as words, by which it is known */
} mls_merged_part;

struct mls_merge {
    mls_part_head head; /* of the first part */
    mls_shard_ranges shards, missing;
    MLS_LIST_OF(mls_merged_part) parts;
    MLS_LIST_OF(mls_merged_file) files; /* until mls_merge_sources() */
    mls_file_line *lines;               /* of the files, from then on */
    mls_arena arena;                    /* of texts, places and maps */
    mls_map texts, known, folders;      /* folders to mls_carried_place */
    mls_names measuring;
    struct mls_carried *carried; /* the last of them */
    mls_buffer line;             /* that was read again, … */
    mls_carry_room room;         /* … and where what it has is put */
    mls_error failure;           /* why a line could not be read again after all were; status MLS_OK: none was wanted */
    struct {
        uint32_t part;
        int fd; /* plus 1; 0: none */
    } open[MLS_PARTS_OPEN_MAX];
};

/* The first pass over a part: checks all that is in it, and notes where the line of each file is.  MLS_OK, or as
 * mls_merge_open(). */
mls_status mls_part_check(mls_merge *merge, const char *path, mls_error *error) MLS_MUST_USE;
