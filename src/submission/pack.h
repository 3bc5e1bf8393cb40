/* SPDX-License-Identifier: Apache-2.0 */
/* pack.h - create a result of a submission from log directories, in a form that passes verify: choose runs, name their
 * files, write a description.
 *
 * Source files are only read and nothing is overwritten.  A result is created completely or not at all. */
#pragma once

#include "base/buffer.h"
#include "base/digest.h"
#include "score/collect.h"
#include "submission/submission.h"

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
    const char *implementation;      /**< path of the code, relative to the submission; NULL: none */
    MLS_LIST_OF(const char *) lacks; /**< empty fields of a new description */
    MLS_LIST_OF(const char *) rests; /**< folders that killed packs left in the submission; they are not touched */
    bool scrubbed;
    size_t dropped_lines, dropped_records; /**< removed by scrubbing: lines without a record, and unknown keys */
    size_t dropped_members;                /**< removed members of records */
    MLS_LIST_OF(mls_pack_redacted) redacted;
    mls_findings findings; /**< about a new description */
    mls_submission judged; /**< the packed result, as verified in its temporary folder */
    bool weak;             /**< models of weak scaling (hpc) */
    bool valid;            /**< it passes, except for too few runs if they were allowed */
    bool written;          /**< the result is in its final place */
} mls_pack;

/** Choose runs of a collection that was scored with select_window and has digests, write their logs (and the power
 * files next to them) with a description to a temporary folder, verify it and, if it passes and options->write is set,
 * move it into the submission.  Return MLS_OK whatever the verdict; MLS_ERROR_UNKNOWN for wrong usage, such as several
 * groups; MLS_ERROR_VALUE if the runs cannot be packed or the result exists already; or MLS_ERROR_READ or _WRITE.  On
 * failure or an invalid result the submission is unchanged.  Release *pack in any case, before the collection. */
mls_status mls_pack_make(const mls_collection *collection, const mls_pack_options *options, mls_pack *pack,
                         mls_error *error) MLS_MUST_USE;

void mls_pack_release(mls_pack *pack);

/** Append the publishable part of a log or power file, and add the amounts left out to the pack (see scrub.c). */
mls_status mls_pack_scrub(mls_pack *pack, mls_str text, mls_buffer *out, mls_error *error) MLS_MUST_USE;
