/* SPDX-License-Identifier: Apache-2.0 */
/* shards.h - --partial of score and check: one shard of a tree, as a part for `mlscore merge`. */
#pragma once

#include "cli/command.h"
#include "score/part.h"

typedef struct mls_shard_settings {
    bool partial;
    const char *shard;
} mls_shard_settings;

/* Rows of a command whose settings have these at an offset. */
#define MLS_ROWS_SHARD(at)                                                                                             \
    MLS_ROW_FLAG('\0', "partial", (at) + offsetof(mls_shard_settings, partial),                                        \
                 "write what one shard finds as a part for mlscore merge, to the FILE of -o"),                         \
        MLS_ROW_WITH('\0', "shard", "I/N", "with --partial: read shard I of N, from 1 on", MLS_SETS_TEXT, false,       \
                     (at) + offsetof(mls_shard_settings, shard), .needs = "partial")

/* Whether -o names the file of a part.  False after a complaint. */
bool mls_cli_names_part(mls_cli *cli);

/* Says what is wrong with a part, and in which line.  Returns false. */
bool mls_cli_say_part(mls_cli *cli, const char *path, const mls_error *error);

/* Whether --partial is asked for as it can be, and nothing that only its merge can do: `wrong` is such an option
 * (NULL: none).  False after a complaint. */
bool mls_cli_shard_is_right(mls_cli *cli, const mls_shard_settings *settings, const char *wrong);

/* Reads the shard and writes the part.  `job` says how, without head and sources; the head's options are set. */
void mls_cli_write_part(mls_cli *cli, const mls_shard_settings *settings, const mls_collect_options *how,
                        mls_part_options options, const mls_shard_job *job);
