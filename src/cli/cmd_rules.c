/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_rules.c - mlscore rules: editions, benchmarks, and what must be logged.
 */
#include "cli/command.h"
#include "mlscore/rules.h"
#include "report/reports.h"

static const mls_option options[] = {
    MLS_ROW_USAGE,
    MLS_ROW_FLAG('\0', "json", json, "print the edition's rules in full, as a rule file"),
    MLS_ROW_RULES_AS("look at the rules in FILE"),
    MLS_ROW_FORMAT("table|json|markdown"),
    MLS_ROW_OUTPUT,
    MLS_ROW_COLOR,
    MLS_ROW_QUIET,
    MLS_ROWS_LAST,
};

/* Loads the user's file or the edition named; an exit status. */
static int rules_load(mls_cli *cli, mls_rules_request *request)
{
    mls_error error = {0};
    if (cli->rules_path != NULL) {
        const int status = mls_cli_own_rules(cli);
        request->ruleset = cli->own_ruleset;
        request->benchmark = cli->operand_count > 0 ? cli->operands[0] : NULL;
        return status;
    }
    if (cli->operand_count == 0) {
        return cli->json ? mls_cli_usage_error(cli, "--json needs an edition") : MLS_EXIT_OK;
    }
    if (!mls_cli_edition(cli, cli->operands[0], &request->edition)) {
        return mls_cli_name_help(cli);
    }
    if (mls_rulesets_get(cli->rulesets, request->edition, &request->ruleset, &error) != MLS_OK) {
        return mls_cli_complain_error(cli, NULL, &error);
    }
    request->benchmark = cli->operand_count > 1 ? cli->operands[1] : NULL;
    return MLS_EXIT_OK;
}

static int rules_print(mls_cli *cli, const mls_rules_request *request)
{
    mls_output output;
    if (!cli->json && (request->ruleset == NULL || request->benchmark != NULL || request->edition != NULL)) {
        return mls_cli_print(cli, request->benchmark != NULL ? &mls_checklist_report : &mls_editions_report, request);
    }
    if (!mls_cli_output_open(cli, &output)) {
        return MLS_EXIT_IO;
    }
    mls_ruleset_write(request->ruleset, &output);
    return mls_cli_output_close(cli, &output);
}

static int rules_run(mls_cli *cli)
{
    mls_rules_request request = {.editions = mls_cli_editions(cli), .usage = cli->usage};
    if (request.editions == NULL) {
        return MLS_EXIT_IO;
    }
    if (cli->operand_count > 2) {
        return mls_cli_usage_error(cli, "too many arguments");
    }
    int status = rules_load(cli, &request);
    if (status == MLS_EXIT_OK && request.benchmark != NULL &&
        !mls_ruleset_has_benchmark(request.ruleset, request.benchmark)) {
        const mls_nearest nearest = mls_cli_nearest_benchmark(cli, cli->usage, request.benchmark);
        return mls_cli_usage_error(cli, "edition %s has no benchmark '%s'%s", mls_ruleset_edition(request.ruleset),
                                   request.benchmark, mls_cli_meant(&nearest).text);
    }
    return status == MLS_EXIT_OK ? rules_print(cli, &request) : status;
}

const mls_command mls_command_rules = {
    .name = "rules",
    .summary = "list editions and benchmarks, and what a benchmark must log",
    .usage = "[OPTION]… [EDITION [BENCHMARK]]",
    .about = "Without an argument lists the editions, their benchmarks and how many runs a result\n"
             "needs; with an edition and a benchmark prints the checklist of keys that must be\n"
             "logged, how often, and what they must be, for the closed and the open division.",
    .options = options,
    .words = "EDITION|BENCHMARK",
    .run = rules_run,
};
