/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_report.c - mlscore report: what score knows, as one page to look at. */
#include "cli/command.h"
#include "compare/overview.h"
#include "report/reports.h"

typedef struct report_settings {
    bool select_window;
    unsigned detail; /* mls_html_detail */
    const char *against;
} report_settings;

#define AT(member) offsetof(report_settings, member)

static const mls_option options[] = {
    MLS_ROWS_ROUND,
    MLS_ROW_RULES_AS("judge by the rules in FILE"),
    MLS_ROW_FLAG('\0', "window", AT(select_window),
                 "with more runs than needed, score the window that the rules choose"),
    MLS_ROW_TEXT('\0', "against", "PATH", AT(against),
                 "compare with PATH, or published:WORDS, not with the fastest published result"),
    MLS_ROW_OF(MLS_SETS_VALUE, "detail", "all|brief|none", AT(detail),
               "how much there is of each group (all of up to 12 groups, brief of more)"),
    MLS_ROWS_LOGS,
};

static void print_page(mls_cli *cli, const mls_overview *all)
{
    const report_settings *settings = cli->settings;
    mls_html_detail detail = (mls_html_detail)settings->detail;
    mls_cli_print_beside(cli, &mls_page_report, all, &detail);
}

static void report_run(mls_cli *cli)
{
    const report_settings *settings = cli->settings;
    cli->view.format = MLS_FORMAT_HTML;
    if (mls_cli_may_print(cli)) {
        mls_cli_ask_groups(cli, &(mls_group_question){.paths = &cli->operands,
                                                      .against = settings->against,
                                                      .series = true,
                                                      .select_window = settings->select_window,
                                                      .print = print_page});
    }
}

const mls_command mls_command_report = {
    .name = "report",
    .summary = "write what score knows as one HTML page to look at",
    .usage = "[OPTION]… PATH…",
    .about = "Finds and scores the runs under each PATH as score does, and writes one HTML\n"
             "file that needs nothing but itself: convergence, times, where the time went,\n"
             "reference convergence, throughput, runs, findings.",
    .options = options,
    .settings_size = sizeof(report_settings),
    .paths = "no path given",
    .run = report_run,
};
