/* SPDX-License-Identifier: Apache-2.0 */
/* part_write.h - reading one shard of a tree, and what it finds as a part. */
#pragma once

#include "base/output.h"
#include "score/collect.h"
#include "score/part.h"

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
    /* Called for each file of the shard that could not be read, with the reason and its finding (NULL: none). */
    void (*say_failed)(void *state, const char *path, const char *why, const char *finding);
} mls_shard_job;

/* Read the sources of the head's shard and write the part, all but for closing the output.  MLS_OK, whatever could not
 * be read; or as mls_read_sources() and mls_part_writer_add(). */
mls_status mls_shard_read(const mls_shard_job *job, mls_output *output, mls_error *error) MLS_MUST_USE;
