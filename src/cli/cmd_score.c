/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_score.c - mlscore score: find the runs, time them, score each group.
 */
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "base/number.h"
#include "cli/command.h"
#include "mlscore/collect.h"
#include "report/reports.h"

static const mls_option options[] = {
    MLS_ROW_USAGE,
    MLS_ROW_EDITION,
    MLS_ROW_RULES,
    MLS_ROW_FLAG('\0', "window", window, "with more runs than needed, score the window that the rules choose"),
    MLS_ROW_RCP("add reference points from FILE to those of the rules"),
    MLS_ROW_BERT,
    MLS_ROW_FLAG('\0', "write-scaling", write_scaling,
                 "write the scale of each results folder to its scaling.json (for the review committee)"),
    MLS_ROW_FORMAT("table|csv|json|ndjson|markdown"),
    MLS_ROW_OUTPUT,
    MLS_ROW_FILES_FROM,
    MLS_ROW_NULL,
    MLS_ROW_THREADS,
    MLS_ROW_COLOR,
    MLS_ROW_QUIET,
    MLS_ROW_VERBOSE,
    MLS_ROW_STRICT,
    MLS_ROWS_LAST,
};

/* With too few runs convergence is not judged: that is no failure. */
static bool group_converges(const mls_group *group)
{
    return group->rcp.check != MLS_CHECK_FAIL || group->rcp.result.match == MLS_RCP_TOO_FEW_RUNS;
}

/* Power files that could not be read. */
static int group_unreadable(const mls_cli *cli, const mls_group *group)
{
    int status = MLS_EXIT_OK;
    for (size_t i = 0; i < group->findings.count; i++) {
        const mls_finding *finding = &group->findings.items[i];
        if (finding->code == MLS_FINDING_UNREADABLE) {
            mls_cli_complain(cli, finding->path, "%s", finding->message);
            status = MLS_EXIT_IO;
        }
    }
    return status;
}

/* A group is well when it has a score and no check of it failed; with --strict, when nothing at all was found. */
static int score_status(const mls_cli *cli, const mls_collection *collection)
{
    int status = collection->group_count > 0 ? MLS_EXIT_OK : MLS_EXIT_INVALID;
    for (size_t i = 0; i < collection->group_count; i++) {
        const mls_group *group = &collection->groups[i];
        bool well = group->score.score_minutes > -1 && group->seeds.check != MLS_CHECK_FAIL && group_converges(group);
        for (size_t k = 0; k < group->run_count; k++) {
            well &= group->runs[k]->valid &&
                    (!cli->view.strict || mls_findings_pass(&group->runs[k]->findings.counts, true));
        }
        well &= mls_findings_pass(&group->findings.counts, cli->view.strict);
        well &= !cli->view.strict || mls_findings_pass(&group->seeds.findings.counts, true);
        status = mls_exit_worse(status, well ? MLS_EXIT_OK : MLS_EXIT_INVALID);
        status = mls_exit_worse(status, group_unreadable(cli, group));
    }
    for (size_t i = 0; i < collection->skipped.count; i++) {
        if (collection->skipped.items[i].failed) {
            mls_cli_complain(cli, collection->skipped.items[i].path, "%s", collection->skipped.items[i].skip);
        }
    }
    if (collection->group_count == 0) {
        mls_cli_note(cli, "no run found");
    }
    return collection->failed > 0 ? MLS_EXIT_IO : status;
}

/*
 * Writes scaling.json beside the logs of a result, whole or not at all.  A
 * score that is not scaled needs none, but an older file must not stand for it.
 */
static int score_write_scaling(mls_cli *cli, const mls_group *group)
{
    mls_output output;
    mls_error error = {0};
    mls_buffer factor = {0};
    char *path = mls_path_join(group->path, "scaling.json");
    int status = MLS_EXIT_IO;
    mls_number_append(&factor, group->scale);
    if (path == NULL || factor.failed) {
        mls_cli_complain(cli, NULL, "out of memory");
    } else if (!(group->scale > 1) && access(path, F_OK) != 0) {
        status = MLS_EXIT_OK;
    } else if (mls_output_open(&output, path, &error) != MLS_OK) {
        mls_cli_complain(cli, path, "%s", error.message);
    } else {
        mls_output_printf(&output, "{\"scaling_factor\": %s}\n", factor.ptr);
        status = mls_output_close(&output, &error) == MLS_OK ? MLS_EXIT_OK : MLS_EXIT_IO;
        if (status == MLS_EXIT_OK) {
            mls_cli_note(cli, "wrote %s: %s", path, factor.ptr);
        } else {
            mls_cli_complain(cli, path, "%s", error.message);
        }
    }
    mls_buffer_release(&factor);
    free(path);
    return status;
}

/* Only results that have an official score and pass the convergence check are scaled. */
static int score_write_scalings(mls_cli *cli, const mls_collection *collection)
{
    int status = MLS_EXIT_OK;
    for (size_t i = 0; i < collection->group_count && cli->write_scaling; i++) {
        const mls_group *group = &collection->groups[i];
        if (group->result_folder && group->rcp.check == MLS_CHECK_PASS && group->score.official) {
            status = mls_exit_worse(status, score_write_scaling(cli, group));
        }
    }
    return status;
}

/* A table of reference points that nothing was compared with is most often misspelt. */
static void note_unused_points(const mls_cli *cli, const mls_collection *collection)
{
    size_t used = cli->rcp_path == NULL;
    for (size_t i = 0; i < collection->group_count; i++) {
        const mls_rcp_set *set = collection->groups[i].rcp.set;
        used += set != NULL ? set->own : 0;
    }
    if (used == 0) {
        mls_cli_note(cli, "'%s': no row is for a benchmark and edition whose convergence was checked", cli->rcp_path);
    }
}

/* Collects and prints; what the options need is at hand. */
static int score_collect(mls_cli *cli, const mls_collect_options *wanted)
{
    mls_collection collection;
    mls_error error = {0};
    int status = MLS_EXIT_IO;
    const mls_status collected =
        mls_collect((const char *const *)cli->operands, cli->operand_count, wanted, &collection, &error);
    mls_cli_progress_end(wanted->progress_state);
    if (collected == MLS_ERROR_SYNTAX || collected == MLS_ERROR_VALUE || collected == MLS_ERROR_LIMIT) {
        (void)mls_cli_complain_error(cli, wanted->score.rcp_path, &error);
        status = MLS_EXIT_USAGE;
    } else if (collected != MLS_OK) {
        mls_cli_complain(cli, NULL, "%s", error.message);
    } else {
        status = mls_cli_print(cli, &mls_score_report, &collection);
        note_unused_points(cli, &collection);
        status = mls_exit_worse(status, score_status(cli, &collection));
        status = mls_exit_worse(status, score_write_scalings(cli, &collection));
    }
    mls_collection_release(&collection);
    return status;
}

static int score_run(mls_cli *cli)
{
    const mls_edition *edition;
    mls_checker_options judge;
    mls_cli_progress progress;
    mls_buffer points = {0};
    int status = mls_cli_judge(cli, &judge, &edition);
    if (status != MLS_EXIT_OK) {
        return status;
    }
    if (cli->operand_count == 0) {
        return mls_cli_usage_error(cli, "no path given");
    }
    status = MLS_EXIT_IO;
    if (cli->rcp_path == NULL || mls_cli_read_file(cli, cli->rcp_path, &points)) {
        mls_cli_progress_start(&progress, cli);
        const mls_collect_options wanted = {.usage = judge.usage,
                                            .edition = edition,
                                            .threads = cli->threads,
                                            .score = {.editions = mls_cli_editions(cli),
                                                      .select_window = cli->window,
                                                      .bert_train_samples = cli->bert_train_samples,
                                                      .rcp_text = mls_buffer_str(&points),
                                                      .rcp_path = cli->rcp_path},
                                            .checker = judge,
                                            .progress = mls_cli_progress_update,
                                            .progress_state = &progress};
        status = score_collect(cli, &wanted);
    }
    mls_buffer_release(&points);
    return status;
}

const mls_command mls_command_score = {
    .name = "score",
    .summary = "find the runs in log directories, time them and score them",
    .usage = "[OPTION]… PATH…",
    .about = "Finds the runs under each PATH (a Slurm log directory, a benchmark folder, log files,\n"
             "- for standard input), times them, says which are valid, and scores each group of\n"
             "runs with the olympic mean.",
    .options = options,
    .path_arguments = true,
    .run = score_run,
};
