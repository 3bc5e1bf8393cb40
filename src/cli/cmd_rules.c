/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_rules.c - mlscore rules: list rounds and their benchmarks, and the records that a log must contain. */
#include "cli/command.h"
#include "report/reports.h"
#include "rules/rules.h"

typedef struct rules_settings {
    bool json;
} rules_settings;

static const mls_option options[] = {
    MLS_ROW_USAGE_AS("family of benchmarks (default: training)"),
    MLS_ROW_FLAG('\0', "json", offsetof(rules_settings, json), "print the complete rules of the round as a rule file"),
    MLS_ROW_RULES_AS("use the rules in FILE instead of those of a round"),
    MLS_ROW_FORMAT("table|json|markdown"),
    MLS_ROW_OUTPUT,
    MLS_ROW_COLOR,
    MLS_ROW_QUIET_AS("omit remarks on standard error"),
    MLS_ROWS_LAST,
};

/* Load the rule file or the named edition.  Return false after printing an error. */
static bool rules_load(mls_cli *cli, mls_rules_request *request, bool json)
{
    mls_error error = {0};
    const size_t first = cli->rules_path == NULL; /* index of the operand that may name a benchmark */
    request->benchmark = cli->operands.count > first ? mls_benchmark_called(cli->operands.items[first]) : NULL;
    if (cli->rules_path != NULL) {
        const bool loaded = mls_cli_own_rules(cli);
        request->ruleset = cli->own_ruleset;
        return loaded;
    }
    if (cli->operands.count == 0)
        return !json || mls_cli_usage_error(cli, "--json needs a round");
    return mls_cli_edition(cli, cli->operands.items[0], &request->edition) &&
           (mls_rulesets_get(cli->rulesets, request->edition, &request->ruleset, &error) == MLS_OK ||
            mls_cli_print_error(cli, NULL, &error));
}

static void rules_run(mls_cli *cli)
{
    const rules_settings *settings = cli->settings;
    mls_rules_request request = {.editions = mls_cli_editions(cli), .usage = cli->usage};
    if (cli->operands.count > 2 - (cli->rules_path != NULL)) {
        mls_cli_usage_error(cli, "too many arguments%s",
                            cli->rules_path != NULL ? ": with --rules, omit the round" : "");
    } else if (request.editions == NULL || !rules_load(cli, &request, settings->json)) {
        return;
    } else if (request.benchmark != NULL && !mls_ruleset_has_benchmark(request.ruleset, request.benchmark)) {
        const mls_usage usage = mls_ruleset_usage(request.ruleset);
        const mls_suggestion nearest =
            mls_editions_nearest_benchmark(request.editions, usage, mls_str_from(request.benchmark));
        const mls_edition *newest = mls_editions_newest_with(request.editions, usage, mls_str_from(request.benchmark));
        mls_cli_usage_error(cli, "round %s has no benchmark '%s'%s%s", mls_ruleset_edition(request.ruleset),
                            request.benchmark, newest != NULL ? "; the newest round with it is " : "",
                            newest != NULL ? newest->name : mls_cli_suggestion(&nearest).text);
    } else if (!settings->json && (request.ruleset == NULL || request.benchmark != NULL || request.edition != NULL)) {
        mls_cli_print(cli, request.benchmark != NULL ? &mls_checklist_report : &mls_editions_report, &request);
    } else {
        cli->view.format = MLS_FORMAT_JSON;
        mls_cli_print(cli, &mls_rule_file_report, request.ruleset);
    }
}

const mls_command mls_command_rules = {
    .name = "rules",
    .summary = "list rounds and their benchmarks, and what a benchmark must log",
    .usage = "[OPTION]… [EDITION [BENCHMARK]]",
    .about = "Without an argument, lists the rounds, their benchmarks and the number of\n"
             "runs per result. With EDITION, such as 5.1, lists that round. With BENCHMARK,\n"
             "prints every key that must be logged, how often, and its allowed values, for\n"
             "the closed and the open division.",
    .options = options,
    .settings_size = sizeof(rules_settings),
    .words = "EDITION|BENCHMARK",
    .run = rules_run,
};
