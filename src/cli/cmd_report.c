/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_report.c - mlscore report: write the results of score as one HTML page. */
#include "cli/command.h"
#include "compare/overview.h"
#include "report/reports.h"

typedef struct report_settings {
    bool select_window;
    unsigned detail; /* an mls_html_detail */
    const char *against;
} report_settings;

#define AT(member) offsetof(report_settings, member)

static const mls_option options[] = {
    MLS_ROWS_ROUND,
    MLS_ROW_RULES_AS("use the rules in FILE"),
    MLS_ROW_FLAG(
        '\0', "window", AT(select_window),
        "if there are more runs than required, score those consecutive runs whose score is closest to the median "
        "of all such windows"),
    MLS_ROW_TEXT(
        '\0', "against", "PATH", AT(against),
        "compare with PATH or published:WORDS (such as published:5.1,best) instead of the fastest published result"),
    MLS_ROW_OF(MLS_SETS_VALUE, "detail", "all|brief|none", AT(detail),
               "amount of detail per group (default: all for up to 12 groups, else brief)"),
    MLS_ROWS_FILES,
    MLS_ROW_THREADS,
    MLS_ROW_COLOR_AS("accepted for consistency; has no effect"),
    MLS_ROW_QUIET_AS("omit remarks on standard error"),
    MLS_ROW_VERBOSE_AS("print more detail on standard error; the page is the same"),
    MLS_ROW_STRICT_AS(MLS_HELP_STRICT),
    MLS_ROWS_LAST,
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
    .summary = "write the results of score as a self-contained HTML page",
    .usage = "[OPTION]… PATH…",
    .about = "Finds and scores the runs below each PATH like score, and writes one HTML page\n"
             "without external files. It shows convergence, times, time breakdown, reference\n"
             "convergence, throughput, runs and findings.",
    .options = options,
    .settings_size = sizeof(report_settings),
    .paths = "no path given",
    .run = report_run,
};
