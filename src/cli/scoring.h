/* SPDX-License-Identifier: Apache-2.0 */
/* scoring.h - what score and check do, of logs or of the parts of cli->merge: for `mlscore merge`, too. */
#pragma once

#include "cli/shards.h"
#include "report/metrics.h"
#include "report/reports.h"
#include "score/merge.h"

typedef struct mls_score_settings {
    mls_score_options score;
    const char *summary; /* NULL: not asked for; "" or "wide" */
    bool write_scaling, wide;
    bool jobs;
    mls_names sacct_files;
    const char *timezone;
    bool no_fail;
    size_t timeout_seconds;
    mls_metrics_labels labels;
    mls_shard_settings shards;
} mls_score_settings;

/* Rows of both, which say how scores are printed and what is said besides; of settings that begin with these. */
#define MLS_ROWS_SACCT                                                                                                 \
    MLS_ROW_FLAG('\0', "jobs", offsetof(mls_score_settings, jobs),                                                     \
                 "ask Slurm (sacct) about the jobs that made the runs"),                                               \
        MLS_ROW_OF(MLS_ADDS_TEXT, "sacct", "FILE", offsetof(mls_score_settings, sacct_files),                          \
                   "read of them what sacct --parsable2 or --json printed (may be given again)"),                      \
        MLS_ROW_TEXT('\0', "timezone", "ZONE", offsetof(mls_score_settings, timezone),                                 \
                     "of times of --sacct that do not say theirs: UTC or ±HH:MM (this host's)"),                       \
        MLS_ROW_FLAG('\0', "no-fail", offsetof(mls_score_settings, no_fail),                                           \
                     "exit with 0 in place of 1: for the end of a job")
#define MLS_ROWS_LABELS                                                                                                \
    MLS_ROW_OF(MLS_ADDS_TEXT, "label", "NAME=VALUE", offsetof(mls_score_settings, labels.added),                       \
               "add a label to metrics (may be given again)"),                                                         \
        MLS_ROW_FLAG('\0', "no-path", offsetof(mls_score_settings, labels.no_path),                                    \
                     "leave the label path out of metrics"),                                                           \
        MLS_ROW_FLAG('\0', "wide", offsetof(mls_score_settings, wide),                                                 \
                     "CSV with all that is known of each run: parts, settings, what it tracked"),                      \
        MLS_ROW_OF(MLS_SETS_CHOICE, "summary", "wide", offsetof(mls_score_settings, summary),                          \
                   "CSV with a row a result, or (wide) a row a system")

/* cli->settings begins with mls_score_settings. */
void mls_cli_score(mls_cli *cli);

/* cli->settings may be anything. */
void mls_cli_check(mls_cli *cli, mls_check_names *names, const mls_shard_settings *shards);

/* Prints what shards of events counted, whose parts are merged; cli->settings may be anything. */
void mls_cli_count(mls_cli *cli);
