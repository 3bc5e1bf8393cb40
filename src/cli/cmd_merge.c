/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_merge.c - mlscore merge: the parts of all shards, as one process over all files would have printed it. */
#include <stdlib.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/number.h"
#include "cli/scoring.h"
#include "mlscore/version.h"

typedef struct merge_settings {
    mls_score_settings score; /* first: what score reads of cli->settings */
    mls_check_names names;
    bool allow_missing, partial, status;
    const char *plan;
} merge_settings;

#define AT(member) offsetof(merge_settings, member)
#define EITHER "--partial, --status and --plan"

static const mls_option options[] = {
    MLS_ROW_FLAG('\0', "allow-missing", AT(allow_missing), "print results although shards are missing (exit status 3)"),
    MLS_ROW_WITH('\0', "partial", NULL, "write the merged parts as one part to the FILE of -o", MLS_SETS_FLAG, false,
                 AT(partial), .group = EITHER),
    MLS_ROW_WITH('\0', "status", NULL,
                 "show how many shards are complete, and the missing ones as an --array= argument of sbatch",
                 MLS_SETS_FLAG, false, AT(status), .group = EITHER),
    MLS_ROW_WITH('\0', "plan", "N", "print a batch script for N shards", MLS_SETS_TEXT, false, AT(plan),
                 .group = EITHER),
    MLS_ROWS_SACCT,
    MLS_ROW_FORMAT("table|csv|json|ndjson|markdown|openmetrics|oneline|github|junit"),
    MLS_ROWS_LABELS,
    MLS_ROWS_LOGS("print less detail, like the command that wrote the parts",
                  "print more detail, like the command that wrote the parts", MLS_HELP_STRICT),
};

static void say_missing(mls_cli *cli, const mls_merge *merge)
{
    const mls_shard_ranges *missing = &merge->missing;
    mls_buffer words = {0};
    mls_shard_ranges_words(missing, &words);
    const bool one = missing->count == 1 && missing->items[0].first == missing->items[0].last;
    mls_cli_error(cli, MLS_EXIT_IO, NULL, "%s %s/%zu %s missing", one ? "shard" : "shards", words.ptr,
                  merge->head.shards, one ? "is" : "are");
    mls_buffer_release(&words);
}

static void write_merged(mls_cli *cli, mls_merge *merge)
{
    mls_error error = {0};
    mls_status status = mls_output_open_lasting(&cli->output, cli->output_path, &error);
    if (status == MLS_OK) {
        mls_merge_write(merge, &cli->output);
        status = mls_output_close_after(&cli->output, status, &error);
    }
    if (status != MLS_OK)
        mls_cli_error(cli, MLS_EXIT_IO, cli->output_path, "%s", error.message);
}

/* An option that was given and is for scores alone; NULL: none. */
static const char *option_of_scores(const mls_score_settings *settings)
{
    return settings->jobs                     ? "jobs"
           : settings->sacct_files.count > 0  ? "sacct"
           : settings->timezone != NULL       ? "timezone"
           : settings->no_fail                ? "no-fail"
           : settings->labels.added.count > 0 ? "label"
           : settings->labels.no_path         ? "no-path"
           : settings->wide                   ? "wide"
           : settings->summary != NULL        ? "summary"
                                              : NULL;
}

/* Does what the parts' command does with all that they hold. */
static void print_merged(mls_cli *cli, const char *command)
{
    merge_settings *settings = cli->settings;
    const char *wrong = option_of_scores(&settings->score);
    if (strcmp(command, "score") == 0)
        mls_cli_score(cli);
    else if (wrong != NULL)
        mls_cli_usage_error(cli, "--%s is for parts of score, and these are of %s", wrong, command);
    else if (strcmp(command, "events") == 0)
        mls_cli_count(cli);
    else
        mls_cli_check(cli, &settings->names, &settings->score.shards);
}

static void merge_parts(mls_cli *cli)
{
    const merge_settings *settings = cli->settings;
    mls_merge *merge = NULL;
    mls_merge_trouble trouble = {0};
    if (mls_merge_open((const char *const *)cli->operands.items, cli->operands.count, &merge, &trouble) != MLS_OK) {
        mls_cli_part_error(cli, trouble.path, &trouble.error);
        mls_merge_trouble_release(&trouble);
        return;
    }
    const bool whole = merge->missing.count == 0;
    if (!whole && !settings->partial)
        say_missing(cli, merge);
    if (settings->partial) {
        write_merged(cli, merge);
    } else if (whole || settings->allow_missing) {
        cli->merge = merge;
        print_merged(cli, merge->head.command);
    }
    mls_merge_free(merge);
}

/* ------------------------------------------------------------------ before and between */

/* The operands, and the parts in those that are folders.  False after a complaint. */
static bool find_parts(mls_cli *cli, mls_names *parts)
{
    int system_errno = 0;
    for (size_t i = 0; i < cli->operands.count && system_errno == 0; i++) {
        const char *path = cli->operands.items[i];
        struct stat about;
        mls_names names = {0};
        if (stat(path, &about) != 0 || !S_ISDIR(about.st_mode)) {
            mls_names_add(parts, mls_str_from(path));
            continue;
        }
        mls_folder_names(path, MLS_WALK_FILES_MAX, &names, &system_errno);
        for (size_t k = 0; k < names.count; k++) {
            if (names.items[k][0] != '.' && mls_str_ends(mls_str_from(names.items[k]), MLS_S(".ndjson"))) {
                char *joined = mls_path_join(path, names.items[k]);
                mls_names_add(parts, mls_str_from(joined));
                free(joined);
            }
        }
        mls_names_release(&names);
        if (system_errno != 0)
            mls_cli_error(cli, MLS_EXIT_IO, path, "%s", strerror(system_errno));
    }
    return system_errno == 0;
}

/* Parts are looked at one by one, as broken ones are missing ones, and so are those that are not of what the first is,
 * which is to be freed. */
static void count_shards(mls_cli *cli, const mls_names *parts, mls_merge **first, uint64_t *bytes,
                         mls_shard_ranges *there)
{
    for (size_t i = 0; i < parts->count; i++) {
        const char *path = parts->items[i];
        mls_merge *merge = NULL;
        mls_merge_trouble trouble = {0};
        struct stat about = {0};
        if (mls_merge_open(&path, 1, &merge, &trouble) != MLS_OK) {
            mls_cli_part_error(cli, trouble.path, &trouble.error);
            mls_merge_trouble_release(&trouble);
            continue;
        }
        if (*first != NULL && mls_merge_same_head(*first, &merge->head, &trouble.error) != MLS_OK) {
            mls_cli_part_error(cli, path, &trouble.error);
            mls_merge_free(merge);
            continue;
        }
        const mls_shard_ranges *has = &merge->shards;
        *bytes += stat(path, &about) == 0 ? (uint64_t)about.st_size : 0;
        for (size_t k = 0; k < has->count; k++)
            mls_shard_ranges_add(there, has->items[k].first, has->items[k].last);
        mls_merge_free(*first != NULL ? merge : NULL);
        *first = *first != NULL ? *first : merge;
    }
}

static void print_shards(mls_cli *cli, const mls_shard_ranges *there, size_t shards, uint64_t bytes)
{
    mls_shard_ranges missing = {0};
    mls_buffer words = {0};
    size_t count = 0;
    for (size_t i = 0; i < there->count; i++)
        count += there->items[i].last - there->items[i].first + 1;
    mls_shard_ranges_missing(there, shards, &missing);
    if (mls_cli_open(cli)) {
        mls_shard_ranges_words(&missing, &words);
        mls_output_printf(&cli->output, "%zu of %zu shards, %llu bytes\n", count, shards, (unsigned long long)bytes);
        if (missing.count > 0)
            mls_output_printf(&cli->output, "--array=%s\n", words.ptr);
        mls_cli_set_status(cli, missing.count > 0 ? MLS_EXIT_INVALID : MLS_EXIT_OK);
        mls_cli_close(cli, NULL);
    }
    mls_buffer_release(&words);
    free(missing.items);
}

static void print_status(mls_cli *cli)
{
    mls_names parts = {0};
    mls_shard_ranges there = {0};
    mls_merge *first = NULL;
    uint64_t bytes = 0;
    if (find_parts(cli, &parts)) {
        count_shards(cli, &parts, &first, &bytes, &there);
        (void)mls_shard_ranges_unite(&there, &(size_t){0});
        if (first != NULL)
            print_shards(cli, &there, first->head.shards, bytes);
        else
            mls_cli_error(cli, MLS_EXIT_INVALID, NULL, "no part is there");
    }
    mls_merge_free(first);
    mls_names_release(&parts);
    free(there.items);
}

static void print_plan(mls_cli *cli, size_t shards)
{
    if (!mls_cli_open(cli))
        return;
    mls_output_printf(&cli->output,
                      "#!/bin/sh\n"
                      "#SBATCH --job-name=mlscore --array=1-%zu --ntasks=1 --requeue\n"
                      "# A shard of %zu: sbatch THIS CAMPAIGN, or in an allocation srun -n%zu THIS CAMPAIGN.\n"
                      "# Those that are missing then: mlscore merge --status parts\n"
                      "# At the end: mlscore merge parts/part-*.ndjson\n"
                      "set -eu\n"
                      "shard=${SLURM_ARRAY_TASK_ID:-$((${SLURM_PROCID:?is not set: sbatch or srun runs this} + 1))}\n"
                      "mkdir -p parts\n"
                      "exec mlscore \"${MLSCORE_COMMAND:-score}\" --partial --shard \"$shard/%zu\" \\\n"
                      "    -o \"parts/part-$shard.ndjson\" \"$@\"\n",
                      shards, shards, shards, shards);
    mls_cli_close(cli, NULL);
}

static void merge_run(mls_cli *cli)
{
    const merge_settings *settings = cli->settings;
    size_t shards = 0;
    if (settings->plan != NULL &&
        (!mls_size_parse(mls_str_from(settings->plan), &shards) || shards < 1 || shards > MLS_SHARDS_MAX)) {
        mls_cli_usage_error(cli, "--plan takes a number of shards from 1 to %zu, not '%s'", MLS_SHARDS_MAX,
                            settings->plan);
    } else if (settings->plan != NULL) {
        print_plan(cli, shards);
    } else if (cli->operands.count == 0) {
        mls_cli_usage_error(cli, "no part given");
    } else if (settings->status) {
        print_status(cli);
    } else if (!settings->partial || mls_cli_names_part(cli)) {
        merge_parts(cli);
    }
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
