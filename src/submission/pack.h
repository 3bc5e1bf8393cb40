/* SPDX-License-Identifier: Apache-2.0 */
/* pack.h - from log directories to a result in a submission that passes verify: which runs, as which files, with which
 * description.  Sources are only read, nothing is overwritten, and a result is there whole or not at all. */
#pragma once

#include "base/digest.h"
#include "slurm/collect.h"
#include "submission/submission.h"

/** What to pack, and where. */
typedef struct mls_pack_options {
    const char *into;         /**< the submitter's folder; made when it is not there */
    const char *system;       /**< names of one path component: no leading dot, no space, at most 100 bytes */
    const char *benchmark;    /**< by its name, whatever its case and the marks in it */
    const char *config;       /**< of several groups the one of this config; NULL: there must be one group */
    size_t batch;             /**< and of this global batch size; 0: of any */
    bool weak;                /**< hpc: models of weak scaling; those of a folder weak/… are in any case */
    mls_str described;        /**< a description whose fields come before those that are logged; empty: none */
    bool scrub;               /**< hosts, users, addresses and tokens are replaced, by one table for the submission */
    const char *const *hosts; /**< patterns of names of hosts, beside those that logs tell */
    size_t host_count;
    const char *const *named; /**< FROM=TO: whole words and paths that a person wants replaced */
    size_t named_count;
    const char *record;            /**< the record; NULL: pack-SYSTEM-BENCHMARK.json beside the submission */
    const char *implementation;    /**< a folder with the code, which is copied as it is; NULL: none */
    bool cut;                      /**< of a file with several runs the lines of one are written */
    bool private_id;               /**< the record gets an identifier of the system, if it has none */
    bool show;                     /**< what is replaced is printed beside what replaces it */
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
    char source[MLS_DIGEST_BYTES]; /**< its digest, and that of what was made of it */
    char packed[MLS_DIGEST_BYTES];
} mls_pack_file;

/** How much of a kind was replaced: "host", "user" … */
typedef struct mls_pack_replaced {
    const char *kind;
    size_t things, places; /**< that the table knows, and where they stood */
} mls_pack_replaced;

/** How often things of a kind were replaced in a file. */
typedef struct mls_pack_scrubbed {
    const char *file; /**< below the submission */
    const char *kind;
    size_t places;
} mls_pack_scrubbed;

/** A thing, and what stands for it. */
typedef struct mls_pack_replacement {
    const char *kind, *from, *to;
} mls_pack_replacement;

/** What may be an address or a version, and stays. */
typedef struct mls_pack_doubtful {
    const char *file; /**< below the submission */
    size_t line;
    const char *text;
} mls_pack_doubtful;

/** So many of these are kept. */
#define MLS_PACK_DOUBTFUL_KEPT 1000

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
    const char *record;         /**< where the record is kept */
    const char *private_id;     /**< the system's; NULL: it has none */
    MLS_LIST_OF(mls_pack_replaced) replaced;        /**< when it was scrubbed */
    MLS_LIST_OF(mls_pack_scrubbed) scrubbed;        /**< the same for each file */
    MLS_LIST_OF(mls_pack_replacement) replacements; /**< all that the table has */
    MLS_LIST_OF(mls_pack_doubtful) doubtful;        /**< the first ones … */
    size_t doubtful_count;                          /**< … of so many */
    mls_findings findings;                          /**< about a new description */
    mls_submission judged;                          /**< the packed result, in a folder of its own */
    bool weak;                                      /**< models of weak scaling (hpc) */
    bool show;                                      /**< as the options have it */
    bool valid;   /**< it passes, but for the number of its runs when that was allowed */
    bool written; /**< and is in its place */
} mls_pack;

/** Chooses the runs of a collection that was scored with select_window and has digests, lays out their logs (and power
 * files beside them) with a description in a folder of their own, judges that, and when it passes and this is asked for
 * puts it into the submission.  MLS_OK, whatever the verdict; MLS_ERROR_UNKNOWN: wrong usage, such as several groups;
 * MLS_ERROR_VALUE: the runs are not to be packed, or the result is there already; MLS_ERROR_READ, _WRITE or _MEMORY.
 * When it is not MLS_OK, or not valid, the submission is as it was.  *pack is to be released in any case, before the
 * collection. */
mls_status mls_pack_make(const mls_collection *collection, const mls_pack_options *options, mls_pack *pack,
                         mls_error *error) MLS_MUST_USE;

void mls_pack_release(mls_pack *pack);

/** What a record says that may be published: of each pack how often what kind was replaced in which file. */
typedef struct mls_pack_told_of {
    const char *result, *version;
    bool scrubbed;
    size_t files, cut; /**< logs, and those that were cut out of a file with several runs */
    MLS_LIST_OF(mls_pack_scrubbed) replaced;
} mls_pack_told_of;
typedef struct mls_pack_told {
    struct mls_arena *arena;
    MLS_LIST_OF(mls_pack_told_of) packs;
} mls_pack_told;

/** Reads a record for that.  MLS_OK, MLS_ERROR_READ or MLS_ERROR_MEMORY; *told is to be released in any case. */
mls_status mls_pack_tell(const char *path, mls_pack_told *told, mls_error *error) MLS_MUST_USE;
void mls_pack_told_release(mls_pack_told *told);
