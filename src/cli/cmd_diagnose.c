/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_diagnose.c - mlscore diagnose: find the root causes of failed jobs, and the time that a chain of jobs lost. */
#include <stdlib.h>

#include "base/memory.h"
#include "cli/command.h"
#include "report/reports.h"

/* The maximum number of unused sacct rows, and of jobs without a sacct row, that a message names. */
enum { ROWS_MAX = 10 };

typedef struct diagnose_settings {
    bool campaign;
    const char *sacct_path;
    mls_names signature_files;
} diagnose_settings;

static const mls_option options[] = {
    MLS_ROW_FLAG('\0', "campaign", offsetof(diagnose_settings, campaign),
                 "treat the jobs as one training that each job continues: report recurring causes and lost time"),
    MLS_ROW_WITH('\0', "sacct", "FILE",
                 "with --campaign, read times and states of jobs from FILE, output of sacct --parsable2 or --json",
                 MLS_SETS_TEXT, false, offsetof(diagnose_settings, sacct_path), .needs = "campaign"),
    MLS_ROW_OF(MLS_ADDS_TEXT, "signatures", "FILE", offsetof(diagnose_settings, signature_files),
               "add the signatures in FILE (may be repeated)"),
    MLS_ROW_FORMAT("table|json|ndjson"),
    MLS_ROWS_FILES,
    MLS_ROW_THREADS,
    MLS_ROW_COLOR,
    MLS_ROW_QUIET_AS("print only failed jobs"),
    MLS_ROW_VERBOSE_AS("also list messages that did not cause a failure, and skipped files"),
    MLS_ROWS_LAST,
};

/* Set the exit status, and report files that could not be read. */
static void judge_job(mls_cli *cli, const mls_diagnosis *job)
{
    bool failed = false;
    mls_cli_set_status(cli, job->outcome == MLS_JOB_FAILED ? MLS_EXIT_INVALID : MLS_EXIT_OK);
    for (size_t i = 0; i < job->skipped_count; i++) {
        const mls_skipped_file *file = &job->skipped[i];
        failed |= file->failed;
        if (file->malformed && job->outcome != MLS_JOB_FAILED)
            mls_cli_error(cli, MLS_EXIT_INVALID, file->path, "%s", file->reason);
        else if (file->failed && !file->malformed &&
                 (job->outcome != MLS_JOB_FAILED || mls_foreign_reason(file->reason) == MLS_FOREIGN_REASONS))
            mls_cli_unread(cli, file->path, file->reason, NULL);
    }
    mls_cli_print_foreign(cli);
    if (job->files == 0 && job->skipped_count > 0 && !failed)
        mls_cli_error(cli, MLS_EXIT_IO, job->path, "no readable log in this folder");
    if (job->uncut > 0) {
        mls_cli_note(cli, job->path, "too many runs: the last %s treated as part of the run before",
                     mls_words_plural(job->uncut, "run is", "runs are").text);
    }
    for (size_t i = 0; i < job->overran_count; i++)
        mls_cli_note(cli, NULL, "signature '%s': skipped after its pattern took too long on a line", job->overran[i]);
}

static void diagnose_run(mls_cli *cli)
{
    const diagnose_settings *settings = cli->settings;
    const mls_names *files = &settings->signature_files;
    mls_signatures *signatures = NULL;
    mls_error error = {0};
    bool ok = mls_signatures_new(&signatures, &error) == MLS_OK || mls_cli_print_error(cli, NULL, &error);
    for (size_t i = 0; i < files->count && ok; i++) {
        mls_buffer text = {0};
        ok = mls_cli_read_file(cli, files->items[i], &text) &&
             (mls_signatures_add(signatures, mls_buffer_str(&text), &error) == MLS_OK ||
              mls_cli_file_error(cli, files->items[i], &error));
        mls_buffer_release(&text);
    }
    mls_diagnosis_list list = {mls_calloc(cli->operands.count, sizeof *list.items), 0};
    const mls_diagnose_options wanted = {.signatures = signatures, .unpack = true, .work = cli->work};
    mls_status status = MLS_OK;
    for (size_t i = 0; i < cli->operands.count && ok && status == MLS_OK; i++)
        status = mls_diagnose(cli->operands.items[i], &wanted, &list.items[list.count++], &error);
    mls_cli_progress_end(cli);
    ok = ok && (status == MLS_OK || mls_cli_error(cli, MLS_EXIT_IO, NULL, "%s", error.message));
    if (ok && settings->campaign) {
        /* Print the chain of jobs.  If the user gave a table of sacct, report its unused rows and the jobs it lacks. */
        const char *sacct_path = settings->sacct_path;
        mls_campaign campaign = {0};
        mls_sacct *sacct = NULL;
        if (sacct_path != NULL)
            sacct = mls_sacct_new();
        if (sacct_path == NULL || mls_cli_read_sacct(cli, sacct_path, (mls_sacct_zone){0, "UTC"}, sacct)) {
            mls_campaign_make(list.items, list.count, sacct, &campaign);
            mls_cli_print(cli, &mls_campaign_report, &campaign);
            mls_cli_set_status(cli, campaign.errors > 0 ? MLS_EXIT_INVALID : MLS_EXIT_OK);
        }
        if (campaign.arena != NULL && sacct != NULL) {
            const mls_findings *wrong = &sacct->findings;
            const size_t all = mls_findings_found(wrong, MLS_FINDING_SACCT_ROW);
            const size_t shown = wrong->count < ROWS_MAX ? wrong->count : ROWS_MAX;
            size_t missing = 0;
            for (size_t i = 0; i < shown; i++)
                mls_cli_error(cli, MLS_EXIT_IO, sacct_path, "line %zu: %s", wrong->items[i].line,
                              wrong->items[i].message);
            if (all > shown) {
                mls_cli_error(cli, MLS_EXIT_IO, sacct_path, "%s not used",
                              mls_words_plural(all - shown, "more row is", "more rows are").text);
            }
            for (size_t i = 0; i < campaign.count; i++) {
                const char *job = campaign.jobs[i].job;
                if (mls_sacct_job(sacct, mls_str_from(job)) == NULL && missing++ < ROWS_MAX) {
                    mls_cli_note(cli, sacct_path, "no row for %s%s", job != NULL ? "job " : "",
                                 job != NULL ? job : campaign.jobs[i].diagnosis->path);
                }
            }
            if (missing > ROWS_MAX) {
                mls_cli_note(cli, sacct_path, "no row for %s",
                             mls_words_plural(missing - ROWS_MAX, "more job", "more jobs").text);
            }
        }
        mls_campaign_release(&campaign);
        mls_sacct_free(sacct);
    } else if (ok)
        mls_cli_print(cli, &mls_diagnose_report, &list);
    for (size_t i = 0; i < list.count; i++) {
        if (ok)
            judge_job(cli, &list.items[i]);
        mls_diagnosis_release(&list.items[i]);
    }
    free(list.items);
    mls_signatures_free(signatures);
}

const mls_command mls_command_diagnose = {
    .name = "diagnose",
    .summary = "diagnose failed jobs: root cause, location, responsible component, remedy",
    .usage = "[OPTION]… PATH…",
    .about = "Reads everything a job printed, from a log directory or a file for each PATH (-\n"
             "is standard input), and finds the root cause of each failed run: file and line,\n"
             "rank, node and GPU, the responsible component, and the remedy.",
    .options = options,
    .settings_size = sizeof(diagnose_settings),
    .paths = "no path given",
    .run = diagnose_run,
};
