/* SPDX-License-Identifier: Apache-2.0 */
/* pack.h - from log directories to a result in a submission that passes verify: which runs, as which files, with which
 * description.  Sources are only read, nothing is overwritten, and a result is there whole or not at all. */
#pragma once

#include "base/digest.h"
#include "score/collect.h"
#include "submission/submission.h"

/** What to pack, and where. */
typedef struct mls_pack_options {
    const char *into;              /**< the submitter's folder; made when it is not there */
    const char *system;            /**< names of one path component: no leading dot, no space, at most 100 bytes */
    const char *benchmark;         /**< by its name, whatever its case and the marks in it */
    const char *config;            /**< of several groups the one of this config; NULL: there must be one group */
    size_t batch;                  /**< and of this global batch size; 0: of any */
    bool weak;                     /**< hpc: models of weak scaling; those of a folder weak/… are in any case */
    mls_str described;             /**< a description whose fields come before those that are logged; empty: none */
    bool scrub;                    /**< only records are packed, and in them only what others may read: scrub.c */
    const char *implementation;    /**< a folder with the code, which is copied as it is; NULL: none */
    bool cut;                      /**< of a file with several runs the lines of one are written */
    bool incomplete;               /**< fewer runs than needed are packed, too */
    bool force;                    /**< what does not pass is packed, too, but for runs that have no score */
    bool write;                    /**< put it in its place; else nothing is left */
    mls_submission_options judged; /**< how the packed result is judged; the edition is the group's */
} mls_pack_options;

/** A log that is packed. */
typedef struct mls_pack_file {
    const mls_run *run;
    const char *file;              /**< below the submission */
    size_t first_line, last_line;  /**< that were cut out of its source; 0: it is copied whole */
    uint64_t bytes;                /**< of the source */
    char source[MLS_DIGEST_BYTES]; /**< its digest */
} mls_pack_file;

/** How many texts of the records of a key became REDACTED. */
typedef struct mls_pack_redacted {
    const char *key;
    size_t texts;
} mls_pack_redacted;

/** What was, or would be, packed.  Borrows from the collection. */
typedef struct mls_pack {
    struct mls_arena *arena;
    const mls_group *group;
    const char *path;           /**< of the result, below the submission */
    const char *system, *title; /**< path of the description, and whose it is */
    mls_pack_file *files;       /**< in order of the start of the runs */
    size_t file_count;
    const mls_run **left_out; /**< outside the window that the rules choose, in the same order */
    size_t left_out_count;
    bool described;                  /**< there was a description, which stays as it is */
    MLS_LIST_OF(const char *) lacks; /**< fields of a new one that are empty */
    MLS_LIST_OF(const char *)
    rests;                      /**< folders that a pack which was killed left in the submission; none is touched */
    const char *implementation; /**< of the folder of code, below the submission; NULL: none is packed */
    bool scrubbed; /**< what scrubbing left out: lines without a record, records with an unknown key, … */
    size_t dropped_lines, dropped_records, dropped_members;
    MLS_LIST_OF(mls_pack_redacted) redacted; /**< … and texts */
    mls_findings findings;                   /**< about a new description */
    mls_submission judged;                   /**< the packed result, in a folder of its own */
    bool weak;                               /**< models of weak scaling (hpc) */
    bool valid;                              /**< it passes, but for the number of its runs when that was allowed */
    bool written;                            /**< and is in its place */
} mls_pack;

/** Chooses the runs of a collection that was scored with select_window and has digests, lays out their logs (and power
 * files beside them) with a description in a folder of their own, judges that, and when it passes and this is asked for
 * puts it into the submission.  MLS_OK, whatever the verdict; MLS_ERROR_UNKNOWN: wrong usage, such as several groups;
 * MLS_ERROR_VALUE: the runs are not to be packed, or the result is there already; MLS_ERROR_READ or _WRITE.
 * When it is not MLS_OK, or not valid, the submission is as it was.  *pack is to be released in any case, before the
 * collection. */
mls_status mls_pack_make(const mls_collection *collection, const mls_pack_options *options, mls_pack *pack,
                         mls_error *error) MLS_MUST_USE;

void mls_pack_release(mls_pack *pack);
