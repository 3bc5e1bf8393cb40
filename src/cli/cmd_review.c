/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_review.c - mlscore review: list what a reviewer should ask about a submission or a round. */
#include <string.h>

#include "cli/command.h"
#include "report/reports.h"

typedef struct review_settings {
    const char *only;
    mls_names against;
    bool results;
    size_t issue;
} review_settings;

#define AT(member) offsetof(review_settings, member)

static const mls_option options[] = {
    MLS_ROWS_ROUND,
    MLS_ROW_OF(MLS_ADDS_TEXT, "against", "published", AT(against),
               "also compare runs with the published runs of earlier rounds (default: published)"),
    MLS_ROW_WORD(
        "only", "KIND", "FINDING", AT(only),
        "show only questions of these kinds, in full: finding codes such as seed-sequence, separated by commas"),
    MLS_ROW_FLAG('\0', "results", AT(results), "show one line for each result"),
    MLS_ROW_OF(MLS_SETS_COUNT, "issue", "N", AT(issue), "print the text of an issue about question N"),
    MLS_ROW_FORMAT("table|markdown|json|html"),
    MLS_ROW_OUTPUT,
    MLS_ROW_THREADS,
    MLS_ROWS_VIEW("print only the kinds of questions whose severity is warning or error", "list every question",
                  "exit with 1 if there is a question of severity warning or error"),
    MLS_ROWS_LAST,
};

/* Choose the kinds in a list separated by commas.  Return false for an unknown one. */
static bool choose_kinds(mls_cli *cli, const char *only, bool chosen[static MLS_FINDING_COUNT])
{
    mls_str rest = mls_str_from(only);
    for (bool more = true; more;) {
        mls_str name;
        more = mls_str_cut(&rest, ',', &name);
        mls_suggestion nearest = mls_suggest_for(name);
        bool known = false;
        for (mls_finding_code code = 0; code < MLS_FINDING_COUNT; code++) {
            const mls_str candidate = mls_str_from(mls_finding_info_get(code)->name);
            if (mls_str_equal(name, candidate))
                chosen[code] = known = true;
            mls_suggest_add(&nearest, candidate);
        }
        if (!known)
            return mls_cli_error(cli, MLS_WRONG_USAGE, NULL, "unknown kind of question '%.*s'%s", (int)name.len,
                                 name.ptr, mls_cli_suggestion(&nearest).text);
    }
    return true;
}

static void print_review(mls_cli *cli, mls_review *review)
{
    const review_settings *settings = cli->settings;
    if (settings->issue > review->questions.count) {
        mls_cli_usage_error(cli, "there is no question %zu: the review has %s", settings->issue,
                            mls_words_plural(review->questions.count, "question", "questions").text);
    } else if (settings->issue > 0 && mls_cli_open(cli)) {
        mls_buffer text = {0};
        mls_review_append_issue(&text, review, settings->issue, MLS_ISSUE_FILES);
        mls_output_buffer(cli->view.output, &text);
    } else if (settings->issue == 0) {
        mls_cli_print(cli, &mls_review_report, review);
    }
}

static void review_run(mls_cli *cli)
{
    const review_settings *settings = cli->settings;
    mls_submission submission;
    mls_review review = {0};
    mls_submission_options wanted = {.work = cli->work, .against = &settings->against};
    mls_error error = {0};
    bool chosen[MLS_FINDING_COUNT] = {false};
    if (cli->operands.count != 1) {
        mls_cli_usage_error(cli, cli->operands.count == 0 ? "no folder given" : "expected one folder");
        return;
    }
    if ((settings->only != NULL && !choose_kinds(cli, settings->only, chosen)) ||
        !mls_cli_edition(cli, NULL, &wanted.edition))
        return;
    wanted.rulesets = cli->rulesets;
    wanted.usage = cli->usage;
    wanted.any_usage = !cli->usage_given && wanted.edition == NULL;
    const mls_status judged = mls_submission_verify(cli->operands.items[0], &wanted, &submission, &error);
    mls_cli_progress_end(cli);
    if (judged != MLS_OK) {
        mls_cli_error(cli, MLS_EXIT_IO, cli->operands.items[0], "%s", error.message);
    } else {
        mls_buffer against = {0};
        bool doubtful = false;
        for (size_t i = 0; i < settings->against.count; i++)
            mls_buffer_printf(&against, i > 0 ? " %s" : "%s", settings->against.items[i]);
        mls_review_options shown = {.only = settings->only != NULL,
                                    .list_results = settings->results,
                                    .against = against.len > 0 ? against.ptr : "published"};
        memcpy(shown.chosen, chosen, sizeof chosen);
        mls_review_make(&submission, &shown, &review);
        for (size_t i = 0; i < review.questions.count; i++)
            doubtful |= review.questions.items[i].severity != MLS_SEVERITY_ADVICE;
        print_review(cli, &review);
        mls_cli_set_status(cli, submission.failed                                     ? MLS_EXIT_IO
                                : !submission.valid || (cli->view.strict && doubtful) ? MLS_EXIT_INVALID
                                                                                      : MLS_EXIT_OK);
        mls_review_release(&review);
        mls_buffer_release(&against);
    }
    mls_submission_release(&submission);
}

const mls_command mls_command_review = {
    .name = "review",
    .summary = "list questions that a reviewer should ask about a submission or a round",
    .usage = "[OPTION]… DIR",
    .about = "Reads the folder of a submitter or of a whole round, as verify does, and lists\n"
             "questions that a reviewer should ask, the most important first. They are\n"
             "questions, not verdicts. Nothing is changed. Exit status: 0 verify finds the\n"
             "submission ready to upload, 1 it does not, or with --strict there is a question\n"
             "of severity warning or error, 2 wrong usage, 3 something could not be read.",
    .options = options,
    .settings_size = sizeof(review_settings),
    .paths = "",
    .run = review_run,
};
