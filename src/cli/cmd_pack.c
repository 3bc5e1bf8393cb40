/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_pack.c - mlscore pack: create a result of a submission from log directories. */
#include "cli/command.h"
#include "report/reports.h"
#include "submission/pack.h"

typedef struct pack_settings {
    mls_pack_options wanted;
    const char *describe; /* path of a file with the description of the system */
} pack_settings;

#define AT(member) offsetof(pack_settings, member)

static const mls_option options[] = {
    MLS_ROW_TEXT('\0', "into", "SUBMISSION", AT(wanted.into), "folder of the submitter, created if missing"),
    MLS_ROW_TEXT('\0', "system", "NAME", AT(wanted.system),
                 "name of the system, for results/NAME and systems/NAME.json"),
    MLS_ROW_WORD("benchmark", "NAME", "BENCHMARK", AT(wanted.benchmark), "benchmark of the logs"),
    MLS_ROW_TEXT('\0', "config", "NAME", AT(wanted.config),
                 "if there are several groups, use the one with this config"),
    MLS_ROW_OF(MLS_SETS_COUNT, "batch", "N", AT(wanted.batch),
               "if there are several groups, use the one with this global batch size"),
    MLS_ROW_FLAG('\0', "weak", AT(wanted.weak), "pack the runs, one per model, of an hpc weak-scaling result"),
    MLS_ROW_TEXT('\0', "describe", "FILE", AT(describe),
                 "JSON file with fields of a new system description; missing fields are taken from the logs"),
    MLS_ROW_FLAG('\0', "scrub", AT(wanted.scrub),
                 "write only records, and in them only fields that are known to be public"),
    MLS_ROW_TEXT('\0', "implementation", "DIR", AT(wanted.implementation), "also copy the code in DIR, unchanged"),
    MLS_ROW_FLAG('\0', "cut", AT(wanted.cut),
                 "write only the lines of the selected run if its file contains several runs"),
    MLS_ROW_FLAG('\0', "incomplete", AT(wanted.incomplete), "allow fewer runs than required"),
    MLS_ROW_FLAG('\0', "force", AT(wanted.force), "pack even if verify reports errors"),
    MLS_ROW_FLAG('\0', "write", AT(wanted.write), "write the result (default: only print what would be done)"),
    MLS_ROWS_ROUND,
    MLS_ROW_FORMAT("table|json"),
    MLS_ROWS_LOGS("print only errors and the outcome", "list every finding and every skipped file", MLS_HELP_STRICT),
};

static void pack_run(mls_cli *cli)
{
    pack_settings *settings = cli->settings;
    mls_pack_options *wanted = &settings->wanted;
    mls_collect_options how;
    mls_collection collection = {0};
    mls_buffer described = {0};
    mls_error error = {0};
    if (wanted->into == NULL || wanted->system == NULL || wanted->benchmark == NULL) {
        mls_cli_usage_error(cli, "--into, --system and --benchmark are required");
        return;
    }
    wanted->benchmark = mls_benchmark_called(wanted->benchmark);
    if (mls_cli_judge_options(cli, &how) && mls_cli_read_file(cli, settings->describe, &described)) {
        how.score.select_window = true;
        how.digests = true;
        wanted->described = mls_buffer_str(&described);
        wanted->judged = (mls_submission_options){
            .rulesets = cli->rulesets, .usage = cli->usage, .work = cli->work, .strict = cli->view.strict};
        if (mls_cli_collect(cli, &cli->operands, &how, NULL, &collection)) {
            mls_pack pack;
            const mls_status status = mls_pack_make(&collection, wanted, &pack, &error);
            mls_cli_progress_end(cli);
            if (status == MLS_ERROR_SYNTAX) {
                mls_cli_file_error(cli, settings->describe, &error);
            } else if (status != MLS_OK) { /* an error; the submission was not changed */
                const int exit_status = status == MLS_ERROR_UNKNOWN ? MLS_EXIT_USAGE
                                        : status == MLS_ERROR_VALUE ? MLS_EXIT_INVALID
                                                                    : MLS_EXIT_IO;
                mls_cli_error(cli, exit_status, NULL, "%s", error.message);
            } else {
                mls_cli_print(cli, &mls_pack_report, &pack);
                mls_cli_set_status(cli, pack.valid ? MLS_EXIT_OK : MLS_EXIT_INVALID);
            }
            mls_pack_release(&pack);
        }
        mls_cli_print_skipped(cli, &collection.skipped);
        mls_collection_release(&collection);
    }
    mls_buffer_release(&described);
}

const mls_command mls_command_pack = {
    .name = "pack",
    .summary = "create a submission result from log directories",
    .usage = "[OPTION]… --into SUBMISSION --system NAME --benchmark NAME PATH…",
    .about = "Finds the runs below each PATH, selects the runs of one result as the rules\n"
             "require, writes them as result files with a draft system description, and\n"
             "checks the result like verify. Without --write, only prints what would be done.\n"
             "Writing is atomic and never overwrites. Exit status: 0 the result passes, 1 it\n"
             "does not pass or already exists, 2 wrong usage, 3 something could not be read or\n"
             "written.",
    .options = options,
    .settings_size = sizeof(pack_settings),
    .paths = "no path given",
    .run = pack_run,
};
