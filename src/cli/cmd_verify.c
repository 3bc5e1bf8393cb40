/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_verify.c - mlscore verify: check a whole submission before it is uploaded. */
#include <stdlib.h>

#include "base/file.h"
#include "cli/command.h"
#include "report/reports.h"
#include "submission/submission.h"

typedef struct verify_settings {
    mls_submission_options wanted;
    const char *only;
    const char *explain; /* name of the finding to explain */
    unsigned as;         /* index of the checker to imitate in CHECKERS, from 1; 0: not given */
} verify_settings;

#define AT(member) offsetof(verify_settings, member)

/* The MLCommons checkers that --as can name: the package checker alone, or together with the repository checker. */
#define CHECKERS "package|repo"
enum { AS_REPO = 2 };

static const mls_option options[] = {
    MLS_ROWS_ROUND,
    MLS_ROW_TEXT('\0', "system", "NAME", AT(wanted.system), "check only this system and its results"),
    MLS_ROW_WORD("benchmark", "NAME", "BENCHMARK", AT(wanted.benchmark), "check only results of this benchmark"),
    MLS_ROW_TEXT('\0', "only", "errors|warnings|advice", AT(only),
                 "show only findings of this severity; the verdict is the same"),
    MLS_ROW_OF(
        MLS_SETS_VALUE, "as", CHECKERS, AT(as),
        "check like the MLCommons package checker, or also like the MLCommons repository checker (default: package)"),
    MLS_ROW_FLAG('\0', "rcp-bypass", AT(wanted.score.rcp_bypass), "treat a failed convergence check as a warning"),
    MLS_ROW_FLAG('\0', "seed-checker-bypass", AT(wanted.score.seed_bypass),
                 "treat a failed check of the seeds as a warning"),
    MLS_ROW_BERT(AT(wanted.score.bert_train_samples)),
    MLS_ROW_WORD("explain", "CODE", "FINDING", AT(explain), "explain a finding and its remedy; no submission is read"),
    MLS_ROW_FORMAT("table|csv|json|markdown|github|junit|html"),
    MLS_ROW_OUTPUT,
    MLS_ROW_THREADS,
    MLS_ROWS_VIEW("print only errors and the verdict", "list every finding, and why dropped logs are not valid",
                  MLS_HELP_STRICT),
    MLS_ROWS_LAST,
};

/* If a finding is about a file that could not be read, report it on standard error, too. */
static void report_unreadable(mls_cli *cli, const mls_submission *submission, const char *where,
                              const mls_finding *finding)
{
    if (finding->code == MLS_FINDING_UNREADABLE) {
        char *path = mls_path_join(submission->path, where);
        mls_cli_unread(cli, path, finding->message, NULL);
        free(path);
    }
}

static void verify_run(mls_cli *cli)
{
    const verify_settings *settings = cli->settings;
    mls_submission_options wanted = settings->wanted;
    mls_submission submission;
    mls_error error = {0};
    if (settings->explain != NULL) {
        mls_cli_explain(cli, settings->explain);
        return;
    }
    if (cli->operands.count != 1) {
        mls_cli_usage_error(cli, cli->operands.count == 0 ? "no folder given" : "expected one folder");
        return;
    }
    if (!mls_cli_edition(cli, NULL, &wanted.edition))
        return;
    wanted.benchmark = wanted.benchmark != NULL ? mls_benchmark_called(wanted.benchmark) : NULL;
    cli->view.only = settings->only;
    wanted.rulesets = cli->rulesets;
    wanted.usage = cli->usage;
    wanted.any_usage = !cli->usage_given && wanted.edition == NULL;
    wanted.work = cli->work;
    wanted.as_repo = settings->as == AS_REPO;
    wanted.strict = cli->view.strict;
    const mls_status judged = mls_submission_verify(cli->operands.items[0], &wanted, &submission, &error);
    mls_cli_progress_end(cli);
    if (judged != MLS_OK) {
        mls_cli_error(cli, judged == MLS_ERROR_UNKNOWN ? MLS_EXIT_USAGE : MLS_EXIT_IO, cli->operands.items[0], "%s",
                      error.message);
    } else {
        mls_cli_print(cli, &mls_verify_report, &submission);
        for (size_t i = 0; i < submission.findings.count; i++) {
            const mls_finding *finding = &submission.findings.items[i];
            report_unreadable(cli, &submission, finding->path != NULL ? finding->path : ".", finding);
        }
        for (size_t i = 0; i < submission.submitter_count && submission.failed; i++) {
            const mls_submitter *submitter = &submission.submitters[i];
            for (size_t k = 0; k < submitter->placed_count; k++)
                report_unreadable(cli, &submission, submitter->placed[k].path, submitter->placed[k].finding);
        }
        mls_cli_print_foreign(cli);
        mls_cli_set_status(cli, submission.failed ? MLS_EXIT_IO : submission.valid ? MLS_EXIT_OK : MLS_EXIT_INVALID);
    }
    mls_submission_release(&submission);
}

const mls_command mls_command_verify = {
    .name = "verify",
    .summary = "check a whole submission before it is uploaded",
    .usage = "[OPTION]… DIR\n       mlscore verify --explain CODE",
    .about = "Checks the submission in DIR, the folder of a submitter or of a whole round:\n"
             "system descriptions, number of runs, rules of each log, seeds, convergence,\n"
             "power files, and files that do not belong there. Nothing is changed. Exit\n"
             "status: 0 ready to upload, 1 not ready, 2 wrong usage, 3 something could not be\n"
             "read.",
    .options = options,
    .settings_size = sizeof(verify_settings),
    .paths = "",
    .run = verify_run,
};
