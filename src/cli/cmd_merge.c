/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_merge.c - mlscore merge: combine the parts of all shards, and print the same result as one process that reads all
 * files. */
#include <stdlib.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/number.h"
#include "cli/scoring.h"
#include "mlscore/version.h"

typedef struct merge_settings {
    mls_score_settings score; /* must be the first member: cli->settings is cast to mls_score_settings */
    mls_check_names names;
    bool allow_missing, partial, status;
    const char *plan;
} merge_settings;

#define AT(member) offsetof(merge_settings, member)
#define EITHER "--partial, --status and --plan"

static const mls_option options[] = {
    MLS_ROW_FLAG('\0', "allow-missing", AT(allow_missing), "print results although shards are missing (exit status 3)"),
    MLS_ROW_WITH('\0', "partial", NULL, "write the merged parts as one part to the file given with -o", MLS_SETS_FLAG,
                 false, AT(partial), .group = EITHER),
    MLS_ROW_WITH('\0', "status", NULL,
                 "show how many shards are complete, and the missing ones as an --array= argument of sbatch",
                 MLS_SETS_FLAG, false, AT(status), .group = EITHER),
    MLS_ROW_WITH('\0', "plan", "N", "print a batch script for N shards", MLS_SETS_TEXT, false, AT(plan),
                 .group = EITHER),
    MLS_ROWS_SACCT,
    MLS_ROW_FORMAT("table|csv|json|ndjson|markdown|openmetrics|oneline|github|junit"),
    MLS_ROWS_LABELS,
    MLS_ROWS_LOGS("same as -q of the command that wrote the parts", "same as -v of the command that wrote the parts",
                  MLS_HELP_STRICT),
};

/* Print the merged parts with the command that wrote them: score, check or events --count. */
static void print_merged(mls_cli *cli, mls_merge *merge)
{
    merge_settings *settings = cli->settings;
    const mls_score_settings *score = &settings->score;
    const char *command = merge->head.command;
    const char *only_score = score->jobs                     ? "jobs"
                             : score->sacct_files.count > 0  ? "sacct"
                             : score->timezone != NULL       ? "timezone"
                             : score->no_fail                ? "no-fail"
                             : score->labels.added.count > 0 ? "label"
                             : score->labels.no_path         ? "no-path"
                             : score->wide                   ? "wide"
                             : score->summary != NULL        ? "summary"
                                                             : NULL;
    cli->merge = merge;
    if (strcmp(command, "score") == 0)
        mls_cli_score(cli);
    else if (only_score != NULL)
        mls_cli_usage_error(cli, "--%s applies to parts of score, but these are parts of %s", only_score, command);
    else if (strcmp(command, "events") == 0)
        mls_cli_count(cli);
    else
        mls_cli_check(cli, &settings->names, &settings->score.shards);
}

static void merge_parts(mls_cli *cli)
{
    const merge_settings *settings = cli->settings;
    mls_merge *merge = NULL;
    const char *wrong = NULL;
    mls_error error = {0};
    if (mls_merge_open((const char *const *)cli->operands.items, cli->operands.count, &merge, &wrong, &error) !=
        MLS_OK) {
        mls_cli_part_error(cli, wrong, &error);
        return;
    }
    const mls_shard_ranges *missing = &merge->missing;
    if (missing->count > 0 && !settings->partial) {
        const bool one = missing->count == 1 && missing->items[0].first == missing->items[0].last;
        mls_buffer words = {0};
        mls_shard_ranges_words(missing, &words);
        mls_cli_error(cli, MLS_EXIT_IO, NULL, "%s %s/%zu %s missing", one ? "shard" : "shards", words.ptr,
                      merge->head.shards, one ? "is" : "are");
        mls_buffer_release(&words);
    }
    if (settings->partial) {
        mls_status status = mls_output_open_lasting(&cli->output, cli->output_path, &error);
        if (status == MLS_OK) {
            mls_merge_write(merge, &cli->output);
            status = mls_output_close_after(&cli->output, status, &error);
        }
        if (status != MLS_OK)
            mls_cli_error(cli, MLS_EXIT_IO, cli->output_path, "%s", error.message);
    } else if (missing->count == 0 || settings->allow_missing) {
        print_merged(cli, merge);
    }
    mls_merge_free(merge);
}

/* For --status: read the parts one by one, and print which shards are missing.  A part that is damaged, or whose
 * options differ from those of the first part, counts as missing. */
static void print_status(mls_cli *cli)
{
    mls_names parts = {0};
    mls_shard_ranges complete = {0};
    mls_shard_ranges missing = {0};
    mls_buffer words = {0};
    mls_merge *first = NULL;
    uint64_t bytes = 0;
    size_t count = 0;
    /* Make a list of parts: the operands that are files, and the files in operands that are folders. */
    int system_errno = 0;
    for (size_t i = 0; i < cli->operands.count && system_errno == 0; i++) {
        const char *path = cli->operands.items[i];
        struct stat about;
        mls_names names = {0};
        if (stat(path, &about) != 0 || !S_ISDIR(about.st_mode)) {
            mls_names_add(&parts, mls_str_from(path));
            continue;
        }
        mls_folder_names(path, MLS_WALK_FILES_MAX, &names, &system_errno);
        for (size_t k = 0; k < names.count; k++) {
            if (names.items[k][0] != '.' && mls_str_ends(mls_str_from(names.items[k]), MLS_S(".ndjson"))) {
                char *joined = mls_path_join(path, names.items[k]);
                mls_names_add(&parts, mls_str_from(joined));
                free(joined);
            }
        }
        mls_names_release(&names);
        if (system_errno != 0)
            mls_cli_error(cli, MLS_EXIT_IO, path, "%s", strerror(system_errno));
    }
    const bool found = system_errno == 0;
    for (size_t i = 0; i < parts.count && found; i++) {
        const char *path = parts.items[i];
        const char *wrong = NULL;
        mls_merge *merge = NULL;
        mls_error error = {0};
        struct stat about = {0};
        if (mls_merge_open(&path, 1, &merge, &wrong, &error) != MLS_OK ||
            (first != NULL && mls_merge_same_head(first, &merge->head, &error) != MLS_OK)) {
            mls_cli_part_error(cli, path, &error);
            mls_merge_free(merge);
            continue;
        }
        bytes += stat(path, &about) == 0 ? (uint64_t)about.st_size : 0;
        for (size_t k = 0; k < merge->shards.count; k++)
            (void)mls_shard_ranges_add(&complete, merge->shards.items[k].first, merge->shards.items[k].last);
        if (first != NULL)
            mls_merge_free(merge);
        else
            first = merge;
    }
    if (found && first == NULL) {
        mls_cli_error(cli, MLS_EXIT_INVALID, NULL, "no parts found");
    } else if (found && mls_cli_open(cli)) {
        for (size_t i = 0; i < complete.count; i++)
            count += complete.items[i].last - complete.items[i].first + 1;
        mls_shard_ranges_missing(&complete, first->head.shards, &missing);
        mls_shard_ranges_words(&missing, &words);
        mls_output_printf(&cli->output, "%zu of %zu shards, %llu bytes\n", count, first->head.shards,
                          (unsigned long long)bytes);
        if (missing.count > 0)
            mls_output_printf(&cli->output, "--array=%s\n", words.ptr);
        mls_cli_set_status(cli, missing.count > 0 ? MLS_EXIT_INVALID : MLS_EXIT_OK);
        mls_cli_close(cli, NULL);
    }
    mls_merge_free(first);
    mls_buffer_release(&words);
    mls_names_release(&parts);
    free(complete.items);
    free(missing.items);
}

static void merge_run(mls_cli *cli)
{
    const merge_settings *settings = cli->settings;
    size_t shards = 0;
    if (settings->plan != NULL &&
        (!mls_size_parse(mls_str_from(settings->plan), &shards) || shards < 1 || shards > MLS_SHARDS_MAX))
        mls_cli_usage_error(cli, "invalid number of shards '%s': expected a number from 1 to %zu", settings->plan,
                            MLS_SHARDS_MAX);
    else if (settings->plan != NULL) {
        if (mls_cli_open(cli)) {
            mls_output_printf(
                &cli->output,
                "#!/bin/sh\n"
                "#SBATCH --job-name=mlscore --array=1-%zu --ntasks=1 --requeue\n"
                "# Process %zu shards: sbatch SCRIPT LOGDIR, or in an allocation: srun -n%zu sh SCRIPT LOGDIR\n"
                "# List missing shards: mlscore merge --status parts\n"
                "# Combine the parts: mlscore merge parts/part-*.ndjson\n"
                "set -eu\n"
                "shard=${SLURM_ARRAY_TASK_ID:-$((${SLURM_PROCID:?is not set: sbatch or srun runs this} + 1))}\n"
                "mkdir -p parts\n"
                "exec mlscore \"${MLSCORE_COMMAND:-score}\" --partial --shard \"$shard/%zu\" \\\n"
                "    -o \"parts/part-$shard.ndjson\" \"$@\"\n",
                shards, shards, shards, shards);
            mls_cli_close(cli, NULL);
        }
    } else if (cli->operands.count == 0)
        mls_cli_usage_error(cli, "no part given");
    else if (settings->status)
        print_status(cli);
    else if (!settings->partial || mls_cli_names_part(cli))
        merge_parts(cli);
}

const mls_command mls_command_merge = {
    .name = "merge",
    .summary = "combine the results of sharded runs",
    .usage = "[OPTION]… PART…",
    .about = "Combines the part files written by score --partial, check --partial or events\n"
             "--count --partial, one per shard, and prints exactly what a single process\n"
             "would. Use --plan before the shards run, and --status while they run.",
    .options = options,
    .settings_size = sizeof(merge_settings),
    .paths = "",
    .run = merge_run,
};
