/* SPDX-License-Identifier: Apache-2.0 */
/* part_read.h - one part, line by line, checked. */
#pragma once

#include "slurm/part.h"

/* A part that is open.  Zero-initialised but for the path and the descriptor. */
typedef struct mls_part_reader {
    int fd;
    mls_buffer block; /* what was read of it */
    size_t at;        /* of the block: where the next line begins */
    uint64_t offset;  /* of the line, in the file */
    size_t line;      /* its number, from 1 */
    size_t len;       /* its bytes, with its end */
    uint64_t digest;  /* of everything before it */
    bool ended;       /* the file is at its end */
} mls_part_reader;

void mls_part_reader_release(mls_part_reader *reader);

/* The next line, without its end, until the next call.  1: there is one; 0: the file is at its end, after a whole line;
 * -1 with *error set. */
int mls_part_next(mls_part_reader *reader, mls_str *text, mls_error *error) MLS_MUST_USE;

/* Whether a line is the tail; and reads it, behind which nothing may follow: its digest is that of what stands before
 * it, as reader->digest is when this has returned.  MLS_OK, or as mls_part_line_read() and mls_part_next(). */
bool mls_part_is_tail(mls_str line);
mls_status mls_part_tail_read(mls_part_reader *reader, mls_str line, mls_carry_room *room, mls_part_tail *tail,
                              mls_error *error) MLS_MUST_USE;

/* The digest of a part that is whole; false: it is not. */
bool mls_part_digest(const char *path, mls_hash_words *digest);

/* Reads a line as one struct by a table.  The text is validated, and copied into room->scratch, which is reset before.
 * MLS_OK, MLS_ERROR_SYNTAX or _VALUE with the place, or _MEMORY. */
mls_status mls_part_line_read(const mls_carry_table *table, mls_str text, size_t line, mls_carry_room *room, void *row,
                              mls_error *error) MLS_MUST_USE;

/* Reads the runs of a source one after the other; each is released unless `take` left an empty one.  MLS_OK, as above,
 * or what `take` returned (NULL: nobody wants them). */
mls_status mls_part_runs_read(mls_str runs, size_t line, mls_carry_room *room,
                              mls_status (*take)(void *state, mls_part_run *run), void *state, size_t *count,
                              mls_error *error) MLS_MUST_USE;
