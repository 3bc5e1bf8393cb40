/* SPDX-License-Identifier: Apache-2.0 */
/* pack.h - create a result of a submission from log directories, in a form that passes verify: choose runs, name their
 * files, write a description.
 *
 * Source files are only read and nothing is overwritten.  A result is created completely or not at all. */
#pragma once

#include "base/digest.h"
#include "score/collect.h"
#include "submission/submission.h"

/** What to pack, and where. */
typedef struct mls_pack_options {
    const char *into;              /**< the submitter's folder; created if it does not exist */
    const char *system;            /**< each is one path component: no leading dot, no space, at most 100 bytes */
    const char *benchmark;         /**< its name, ignoring case and punctuation */
    const char *config;            /**< choose the group of this config; NULL: there must be only one group */
    size_t batch;                  /**< choose the group of this global batch size; 0: any */
    bool weak;                     /**< hpc: the runs are models of weak scaling; implied for a folder weak/… */
    mls_str described;             /**< a description whose fields override logged ones; empty: none */
    bool scrub;                    /**< write only records, without private content (see scrub.c) */
    const char *implementation;    /**< a folder of code that is copied unchanged; NULL: none */
    bool cut;                      /**< from a file with several runs, write only the lines of one run */
    bool incomplete;               /**< allow fewer runs than a result needs */
    bool force;                    /**< allow an invalid result, unless its runs have no score */
    bool write;                    /**< create the result; otherwise leave nothing behind */
    mls_submission_options judged; /**< how to judge the packed result; the edition is the group's */
} mls_pack_options;

/** A log that is packed. */
typedef struct mls_pack_file {
    const mls_run *run;
    const char *file;              /**< relative to the submission */
    size_t first_line, last_line;  /**< the lines cut out of its source; 0: the whole source */
    uint64_t bytes;                /**< size of the source */
    char source[MLS_DIGEST_BYTES]; /**< checksum of the source */
} mls_pack_file;

/** The number of texts in records of one key that were replaced with REDACTED. */
typedef struct mls_pack_redacted {
    const char *key;
    size_t texts;
} mls_pack_redacted;

/** The result that was, or would be, packed.  Borrows from the collection. */
typedef struct mls_pack {
    struct mls_arena *arena;
    const mls_group *group;
    const char *path;           /**< path of the result, relative to the submission */
    const char *system, *title; /**< path of the description, and the name of its system */
    mls_pack_file *files;       /**< in the order of the runs' starts */
    size_t file_count;
    const mls_run **left_out; /**< runs outside the window that the rules choose, in the same order */
    size_t left_out_count;
    bool described;                  /**< a description existed and is kept */
    MLS_LIST_OF(const char *) lacks; /**< empty fields of a new description */
    MLS_LIST_OF(const char *)
    rests;                      /**< folders in the submission left by packs that were killed; they are not touched */
    const char *implementation; /**< path of the code, relative to the submission; NULL: none */
    bool scrubbed; /**< numbers of lines without a record, of records with an unknown key, and of members that scrubbing
                      removed */
    size_t dropped_lines, dropped_records, dropped_members;
    MLS_LIST_OF(mls_pack_redacted) redacted; /**< and of texts */
    mls_findings findings;                   /**< about a new description */
    mls_submission judged;                   /**< the packed result, as verified in its temporary folder */
    bool weak;                               /**< models of weak scaling (hpc) */
    bool valid;                              /**< it passes, except for too few runs if they were allowed */
    bool written;                            /**< the result is in its final place */
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
