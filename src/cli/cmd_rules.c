/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_rules.c - mlscore rules: editions, benchmarks, and what must be logged.
 */
#include "cli/command_options.h"
#include "cli/commands.h"
#include "mlscore/rules.h"
#include "report/rules_report.h"

enum { OPTION_JSON = MLS_OPTION_OWN };

typedef struct mls_rules_settings {
    bool json;
} mls_rules_settings;

static const mls_option options[] = {
    MLS_ROW_USAGE,
    {OPTION_JSON, '\0', "json", NULL, "print the edition's rules in full, as a rule file"},
    {MLS_OPTION_RULES, '\0', "rules", "FILE", "look at the rules in FILE (see mlscore-rules(5))"},
    MLS_ROW_FORMAT("table|json|markdown"),
    MLS_ROW_OUTPUT,
    MLS_ROW_COLOR,
    MLS_ROW_QUIET,
    MLS_ROW_HELP,
    MLS_ROW_VERSION,
    MLS_ROW_END,
};

static bool mls_rules_option(mls_cli *cli, int id, const char *argument)
{
    mls_rules_settings *settings = cli->own;
    (void)id;
    (void)argument;
    settings->json = true;
    return true;
}

/* Loads the user's file or the edition named; an exit status. */
static int mls_rules_load(mls_cli *cli, mls_rules_request *request)
{
    const mls_rules_settings *settings = cli->own;
    mls_error error = {0};
    if (cli->rules_path != NULL) {
        const int status = mls_cli_own_rules(cli);
        request->ruleset = cli->own_ruleset;
        request->benchmark = cli->operand_count > 0 ? cli->operands[0] : NULL;
        return status;
    }
    if (cli->operand_count == 0) {
        return settings->json ? mls_cli_usage_error(cli, "--json needs an edition") : MLS_EXIT_OK;
    }
    if (mls_editions_find(request->editions, cli->usage, mls_str_from(cli->operands[0]), &request->edition, &error) !=
            MLS_OK ||
        mls_rulesets_get(cli->rulesets, request->edition, &request->ruleset, &error) != MLS_OK) {
        return mls_cli_usage_error(cli, "%s", error.message);
    }
    request->benchmark = cli->operand_count > 1 ? cli->operands[1] : NULL;
    return MLS_EXIT_OK;
}

static int mls_rules_print(mls_cli *cli, const mls_rules_request *request)
{
    const mls_rules_settings *settings = cli->own;
    mls_output output;
    if (!settings->json && (request->ruleset == NULL || request->benchmark != NULL || request->edition != NULL)) {
        return mls_cli_print(cli, request->benchmark != NULL ? &mls_checklist_report : &mls_editions_report, request);
    }
    if (!mls_cli_output_open(cli, &output)) {
        return MLS_EXIT_IO;
    }
    mls_ruleset_write(request->ruleset, &output);
    return mls_cli_output_close(cli, &output);
}

static int mls_rules_run(mls_cli *cli)
{
    mls_rules_request request = {.editions = mls_cli_editions(cli), .usage = cli->usage};
    if (request.editions == NULL) {
        return MLS_EXIT_IO;
    }
    if (cli->operand_count > 2) {
        return mls_cli_usage_error(cli, "too many arguments");
    }
    int status = mls_rules_load(cli, &request);
    if (status == MLS_EXIT_OK && request.benchmark != NULL &&
        !mls_ruleset_has_benchmark(request.ruleset, request.benchmark)) {
        status = mls_cli_usage_error(cli, "edition %s has no benchmark '%s'", mls_ruleset_edition(request.ruleset),
                                     request.benchmark);
    }
    return status == MLS_EXIT_OK ? mls_rules_print(cli, &request) : status;
}

const mls_command mls_command_rules = {
    .name = "rules",
    .summary = "list editions and benchmarks, and what a benchmark must log",
    .usage = "[OPTION]… [EDITION [BENCHMARK]]",
    .about = "Without an argument lists the editions, their benchmarks and how many runs a result\n"
             "needs; with an edition and a benchmark prints the checklist of keys that must be\n"
             "logged, how often, and what they must be, for the closed and the open division.",
    .options = options,
    .own_size = sizeof(mls_rules_settings),
    .option = mls_rules_option,
    .run = mls_rules_run,
};
