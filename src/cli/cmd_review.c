/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_review.c - mlscore review: list what a reviewer should ask about a submission or a round. */
#include <stdlib.h>

#include "cli/command.h"
#include "report/reports.h"
#include "submission/submission.h"

static const mls_option options[] = {
    MLS_ROWS_ROUND,
    MLS_ROW_FORMAT("json"),
    MLS_ROW_OUTPUT,
    MLS_ROW_THREADS,
    MLS_ROWS_VIEW("print only warnings and errors", "list every question", MLS_HELP_STRICT),
    MLS_ROWS_LAST,
};

/* Return the text or null. */
static cJSON *text_or_null(const char *text)
{
    return text != NULL ? cJSON_CreateString(text) : cJSON_CreateNull();
}

static cJSON *names_of(const mls_result_paths *names)
{
    cJSON *list = cJSON_CreateArray();
    for (size_t i = 0; i < names->count; i++)
        (void)cJSON_AddItemToArray(list, cJSON_CreateString(names->items[i]));
    return list;
}

static void print_json(mls_cli *cli, const mls_submission *submission)
{
    mls_questions all;
    cJSON *root = cJSON_CreateObject();
    cJSON *kinds = cJSON_AddArrayToObject(root, "kinds");
    cJSON *list = cJSON_AddArrayToObject(root, "questions");
    mls_questions_all(submission, &all);
    (void)cJSON_AddStringToObject(root, "edition", submission->edition->name);
    (void)cJSON_AddStringToObject(root, "usage", mls_usage_name(submission->options.usage));
    (void)cJSON_AddBoolToObject(root, "valid", submission->valid);
    for (size_t i = 0;; i++) {
        const mls_question_kind kind = mls_question_kind_at(submission, i);
        size_t count = 0;
        if (kind.code == MLS_FINDING_COUNT)
            break;
        for (size_t k = 0; k < all.count; k++)
            count += all.items[k].code == kind.code;
        cJSON *row = cJSON_CreateObject();
        (void)cJSON_AddStringToObject(row, "code", mls_finding_info_get(kind.code)->name);
        (void)cJSON_AddStringToObject(row, "severity", mls_severity_name(kind.severity));
        (void)cJSON_AddItemToObject(row, "section", text_or_null(kind.section));
        (void)cJSON_AddNumberToObject(row, "questions", (double)count);
        (void)cJSON_AddItemToArray(kinds, row);
    }
    for (size_t i = 0; i < all.count; i++) {
        const mls_question *question = &all.items[i];
        const mls_question_kind kind = mls_question_kind_of(submission, question->code);
        cJSON *row = question->fields != NULL ? cJSON_Duplicate(question->fields, true) : cJSON_CreateObject();
        (void)cJSON_AddNumberToObject(row, "number", (double)(i + 1));
        (void)cJSON_AddStringToObject(row, "code", mls_finding_info_get(question->code)->name);
        (void)cJSON_AddStringToObject(row, "severity", mls_severity_name(question->severity));
        (void)cJSON_AddItemToObject(row, "submitter",
                                    text_or_null(question->submitter != NULL ? question->submitter->name : NULL));
        (void)cJSON_AddStringToObject(row, "path", question->path);
        (void)cJSON_AddItemToObject(row, "results", names_of(&question->results));
        (void)cJSON_AddItemToObject(row, "document", text_or_null(kind.document));
        (void)cJSON_AddItemToObject(row, "section", text_or_null(kind.section));
        (void)cJSON_AddStringToObject(row, "message", question->message);
        (void)cJSON_AddStringToObject(row, "next", "mlscore review");
        if (question->line > 0)
            (void)cJSON_AddNumberToObject(row, "line", (double)question->line);
        (void)cJSON_AddItemToArray(list, row);
    }
    char *text = cJSON_PrintUnformatted(root);
    mls_output_text(cli->view.output, text);
    mls_output_text(cli->view.output, "\n");
    cJSON_free(text);
    cJSON_Delete(root);
    mls_questions_release(&all);
}

static void review_run(mls_cli *cli)
{
    mls_submission submission;
    mls_submission_options wanted = {.work = cli->work};
    mls_error error = {0};
    if (cli->operands.count != 1) {
        mls_cli_usage_error(cli, cli->operands.count == 0 ? "no folder given" : "expected one folder");
        return;
    }
    if (!mls_cli_edition(cli, NULL, &wanted.edition))
        return;
    wanted.rulesets = cli->rulesets;
    wanted.usage = cli->usage;
    wanted.any_usage = !cli->usage_given && wanted.edition == NULL;
    const mls_status judged = mls_submission_verify(cli->operands.items[0], &wanted, &submission, &error);
    mls_cli_progress_end(cli);
    if (judged != MLS_OK)
        mls_cli_error(cli, MLS_EXIT_IO, cli->operands.items[0], "%s", error.message);
    else if (mls_cli_open(cli))
        print_json(cli, &submission);
    if (judged == MLS_OK)
        mls_cli_set_status(cli, submission.failed ? MLS_EXIT_IO : submission.valid ? MLS_EXIT_OK : MLS_EXIT_INVALID);
    mls_submission_release(&submission);
}

const mls_command mls_command_review = {
    .name = "review",
    .summary = "list what to ask about a submission or a round",
    .usage = "[OPTION]… DIR",
    .about = "Reads what verify reads, the folder of a submitter or of a whole round, and\n"
             "lists what a reviewer should ask: questions, not verdicts.",
    .options = options,
    .paths = "",
    .run = review_run,
};
