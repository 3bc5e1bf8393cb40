/* SPDX-License-Identifier: Apache-2.0 */
/* part_write.h - reading one shard of a tree, and what it finds as a part. */
#pragma once

#include "base/output.h"
#include "slurm/collect.h"
#include "slurm/part.h"

/* What a shard is to read, and how. */
typedef struct mls_shard_job {
    const mls_part_head *head;          /* of the part, with its shard */
    mls_sources *sources;               /* all there are, of every shard */
    const mls_collect_options *options; /* for the editions of trees; NULL: logs go by what they say themselves */
    mls_reading reading;                /* how logs are read; without callbacks, unless … */
    /* … its listener is all that wants to hear of files: no runs then.  Puts what was heard of one into its line, which
     * is released; the state is that of the reading. */
    mls_status (*heard)(void *state, const mls_read *read, mls_part_source *source);
    bool groups; /* runs are to be scored: what stands on the disk beside their logs is wanted too */
    void *state; /* of the callbacks */
    /* Says why a run that never ended did not, as a finding of it; NULL: nobody asks. */
    mls_status (*ending)(void *state, mls_run *run, mls_error *error);
    /* Whether a file without runs holds measurements; NULL: nobody asks. */
    bool (*measures)(void *state, const mls_source *source);
    /* Is told which file of the shard could not be read, why, and which finding that is (NULL: none). */
    void (*say_failed)(void *state, const char *path, const char *why, const char *finding);
} mls_shard_job;

/* Reads the sources of the head's shard, which are those that `belongs` says, and writes the part, all but for closing
 * it, with its digest in *digest.  MLS_OK, whatever could not be read; or as mls_read_sources(). */
mls_status mls_shard_read(mls_shard_job *job, const bool *belongs, mls_output *output, mls_hash_words *digest,
                          mls_error *error) MLS_MUST_USE;
