/* SPDX-License-Identifier: Apache-2.0 */
/* scoring.h - functions of the commands score, check, events and merge: process all logs, one shard of the logs
 * (--partial), or merged parts (cli->merge). */
#pragma once

#include "cli/command.h"
#include "report/reports.h"
#include "score/part.h"

typedef struct mls_shard_settings {
    bool partial;
    const char *shard;
} mls_shard_settings;

/* Rows for --partial and --shard; `at` is the offset of an mls_shard_settings in the settings of the command. */
#define MLS_ROWS_SHARD(at)                                                                                             \
    MLS_ROW_FLAG('\0', "partial", (at) + offsetof(mls_shard_settings, partial),                                        \
                 "process one shard of the files and write a part for mlscore merge to the file given with -o"),       \
        MLS_ROW_WITH('\0', "shard", "I/N", "shard to process with --partial, from 1/N to N/N", MLS_SETS_TEXT, false,   \
                     (at) + offsetof(mls_shard_settings, shard), .needs = "partial")

/* Check that -o is given and names a file, to which the part is written. */
bool mls_cli_names_part(mls_cli *cli);

/* Print an error about a part, with the line number in the part.  Return false. */
bool mls_cli_part_error(mls_cli *cli, const char *path, const mls_error *error);

/* Check --partial and --shard.  `wrong` is the name of a given option that can only be used when parts are merged;
 * NULL: no such option is given. */
bool mls_cli_shard_is_right(mls_cli *cli, const mls_shard_settings *settings, const char *wrong);

/* How to process a shard. */
typedef struct mls_shard_job {
    const mls_shard_settings *settings;
    const mls_collect_options *how; /* usage and edition */
    /* Runs are to be scored, so the part also contains data from files next to the logs. */
    bool groups;
    mls_part_options options;
    mls_reading reading; /* how logs are read; callbacks are not set, except `listen` if `count` is set */
    /* Callback that copies the listener's data of a file to the file's line of the part.  If it is not NULL, the part
     * contains these data instead of runs. */
    void (*count)(const mls_read *read, mls_part_file *file);
} mls_shard_job;

/* Read the files of a shard, and write its part. */
void mls_cli_write_part(mls_cli *cli, const mls_shard_job *job);

typedef struct mls_score_settings {
    mls_score_options score;
    const char *summary; /* value of --summary, "wide", or "" without a value; NULL: not given */
    bool write_scaling, wide;
    bool jobs;
    mls_names sacct_files;
    const char *timezone;
    bool no_fail;
    size_t timeout_seconds;
    mls_metrics_labels labels;
    mls_shard_settings shards;
    const char *precision; /* keep only groups with this precision; NULL: all */
} mls_score_settings;

/* Rows for options of score and merge, whose structs of settings begin with an mls_score_settings. */
#define MLS_ROWS_SACCT                                                                                                 \
    MLS_ROW_FLAG('\0', "jobs", offsetof(mls_score_settings, jobs), "query sacct for the jobs of the runs"),            \
        MLS_ROW_OF(MLS_ADDS_TEXT, "sacct", "FILE", offsetof(mls_score_settings, sacct_files),                          \
                   "read job data from FILE, output of sacct --parsable2 or --json (may be repeated)"),                \
        MLS_ROW_TEXT('\0', "timezone", "ZONE", offsetof(mls_score_settings, timezone),                                 \
                     "time zone of times in --sacct that do not name one: UTC or ±HH:MM (default: local)"),            \
        MLS_ROW_FLAG('\0', "no-fail", offsetof(mls_score_settings, no_fail),                                           \
                     "exit with status 0 instead of 1, for use at the end of a job script")
#define MLS_ROWS_LABELS                                                                                                \
    MLS_ROW_OF(MLS_ADDS_TEXT, "label", "NAME=VALUE", offsetof(mls_score_settings, labels.added),                       \
               "with openmetrics, add a label to all metrics (may be repeated)"),                                      \
        MLS_ROW_FLAG('\0', "no-path", offsetof(mls_score_settings, labels.no_path),                                    \
                     "with openmetrics, omit the path label"),                                                         \
        MLS_ROW_WITH('\0', "wide", NULL, "print CSV with all per-run data: time breakdown, settings, tracked metrics", \
                     MLS_SETS_FLAG, false, offsetof(mls_score_settings, wide), .group = "--wide and --summary"),       \
        MLS_ROW_WITH('\0', "summary", "wide", "print CSV with one row per result, or (wide) one row per system",       \
                     MLS_SETS_CHOICE, false, offsetof(mls_score_settings, summary), .group = "--wide and --summary")

/* Score runs and print the scores.  cli->settings must begin with an mls_score_settings. */
void mls_cli_score(mls_cli *cli);

/* Check logs and print verdicts. */
void mls_cli_check(mls_cli *cli, mls_check_names *names, const mls_shard_settings *shards);

/* Print the merged counts of events --count. */
void mls_cli_count(mls_cli *cli);
