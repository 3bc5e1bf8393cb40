/* SPDX-License-Identifier: Apache-2.0 */
/* pack.h - create a result of a submission from log directories: choose runs, name their files and write a
 * description, so that `mlscore verify` accepts the result.
 *
 * Source files are not changed and existing files are not overwritten.  A result is created completely or not at all.
 */
#pragma once

#include "base/buffer.h"
#include "base/digest.h"
#include "score/collect.h"
#include "submission/submission.h"

typedef struct mls_pack_options {
    const char *into; /**< the submitter's folder; created if it does not exist */
    const char
        *system; /**< name of the system: one path component without a leading dot or a space, at most 100 bytes */
    const char *benchmark; /**< name of the benchmark; case and punctuation are ignored */
    const char *config;    /**< choose the group with this config; NULL: any config */
    size_t batch; /**< choose the group with this global batch size; 0: any size.  Exactly one group must remain. */
    bool weak;    /**< hpc: the runs are models of weak scaling; implied for a folder weak/… */
    mls_str described;             /**< a description whose fields override logged ones; empty: none */
    bool scrub;                    /**< write only records, without private content (see scrub.c) */
    const char *implementation;    /**< a folder of source code to copy unchanged; NULL: do not copy code */
    bool cut;                      /**< if a file contains several runs, write only the lines of the chosen run */
    bool incomplete;               /**< allow fewer runs than a result needs */
    bool force;                    /**< allow an invalid result, unless its runs have no score */
    bool write;                    /**< create the result; otherwise leave nothing behind */
    mls_submission_options judged; /**< how to judge the packed result; its edition is replaced by that of the group */
} mls_pack_options;

typedef struct mls_pack_file {
    const mls_run *run;
    const char *file;              /**< path of the packed log, relative to the submission */
    size_t first_line, last_line;  /**< first and last line copied from the source, from 1; 0: the whole source */
    uint64_t bytes;                /**< size of the source file in bytes */
    char source[MLS_DIGEST_BYTES]; /**< checksum of the source file */
} mls_pack_file;

/** The number of texts that were replaced with REDACTED in the records with one key. */
typedef struct mls_pack_redacted {
    const char *key;
    size_t texts;
} mls_pack_redacted;

/** A packed result; it exists in the submission only if `written` is true.  Its runs and group belong to the
 * collection, which must outlive it. */
typedef struct mls_pack {
    struct mls_arena *arena;
    const mls_group *group;
    const char *path;           /**< path of the result, relative to the submission */
    const char *system, *title; /**< path of the description, and the name of its system */
    mls_pack_file *files;       /**< in order of the runs' start times */
    size_t file_count;
    const mls_run **left_out; /**< runs that the rules do not choose, in order of their start times */
    size_t left_out_count;
    bool described;                  /**< a description existed and is kept */
    const char *implementation;      /**< path of the code, relative to the submission; NULL: no code is added */
    MLS_LIST_OF(const char *) lacks; /**< names of the empty fields of a new description */
    MLS_LIST_OF(const char *)
    rests;         /**< temporary folders left in the submission by killed processes; they are not removed */
    bool scrubbed; /**< private content was removed from the logs */
    size_t dropped_lines,
        dropped_records;    /**< removed by scrubbing: lines without a record, and records with unknown keys */
    size_t dropped_members; /**< removed by scrubbing: members of kept records */
    MLS_LIST_OF(mls_pack_redacted) redacted;
    mls_findings findings; /**< about a new description */
    mls_submission judged; /**< the packed result, as verified in its temporary folder */
    bool weak;             /**< the runs are models of a weak scaling result (HPC) */
    bool valid;            /**< the result passes; too few runs are accepted if options->incomplete was set */
    bool written;          /**< the result is in its final place */
} mls_pack;

/** Choose runs of a collection and write their logs, the power files next to the logs, and a description to a temporary
 * folder.  Verify the folder.  If it passes and options->write is set, move it into the submission.  The collection
 * must have been scored with select_window and have digests.  Return MLS_OK whatever the verdict; MLS_ERROR_UNKNOWN for
 * wrong usage, such as several groups; MLS_ERROR_VALUE if the runs cannot be packed or the result exists already; or
 * MLS_ERROR_READ or _WRITE.  On failure or an invalid result the submission is unchanged.  Call mls_pack_release() in
 * any case, before the collection is released. */
mls_status mls_pack_make(const mls_collection *collection, const mls_pack_options *options, mls_pack *pack,
                         mls_error *error) MLS_MUST_USE;

void mls_pack_release(mls_pack *pack);

/** Append the publishable part of `text`, the contents of a log or power file, to *out.  Add the numbers of removed
 * lines, records and members to *pack (see scrub.c). */
mls_status mls_pack_scrub(mls_pack *pack, mls_str text, mls_buffer *out, mls_error *error) MLS_MUST_USE;
