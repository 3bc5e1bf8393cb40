/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_throughput.c - mlscore throughput: break down the time of runs, and measure their throughput. */
#include <math.h>

#include "base/number.h"
#include "cli/command.h"
#include "explain/throughput/throughput.h"
#include "report/reports.h"

typedef struct throughput_settings {
    const char *accelerator; /* as given */
    const char *precision;
    size_t accelerators; /* 0: not given */
    mls_throughput_options wanted;
} throughput_settings;

#define AT(member) offsetof(throughput_settings, member)

static const mls_option options[] = {
    MLS_ROW_USAGE,
    MLS_ROW_EDITION_AS("round of the logs, such as 5.1 (default: guessed from date and benchmark)"),
    MLS_ROW_TEXT('\0', "accelerator", "NAME", AT(accelerator),
                 "accelerator model, such as B200, overriding all other sources"),
    MLS_ROW_OF(MLS_SETS_COUNT, "accelerators", "N", AT(accelerators), "total number of accelerators of a run"),
    MLS_ROW_TEXT('\0', "precision", "fp8|fp4", AT(precision),
                 "also report the utilization of the peak FLOP/s in this precision"),
    MLS_ROW_FLAG('\0', "causal", AT(wanted.causal), "count half of the attention FLOPs (causal models)"),
    MLS_ROW_FLAG('\0', "series", AT(wanted.series),
                 "include the pace between the evaluations of each run in JSON and NDJSON"),
    MLS_ROW_FORMAT("table|csv|json|ndjson|markdown"),
    MLS_ROWS_LOGS("omit skipped files and remarks",
                  "show the learning curve of each run, all findings, evaluations and skipped files",
                  "treat slow phases and slow runs as errors"),
};

static void throughput_run(mls_cli *cli)
{
    throughput_settings *settings = cli->settings;
    mls_throughput_options *wanted = &settings->wanted;
    const char *name = settings->accelerator;
    mls_collect_options how;
    mls_collection collection;
    mls_throughputs all;
    mls_telemetry_notes notes = {0};
    mls_error error = {0};
    if (!mls_cli_load_models(cli) || !mls_cli_collect_options(cli, &how))
        return;
    wanted->rulesets = cli->rulesets;
    wanted->models = cli->models;
    wanted->accelerator_table = cli->accelerators;
    wanted->accelerators = settings->accelerators > 0 ? (double)settings->accelerators : (double)NAN;
    if (name != NULL) {
        wanted->accelerator = mls_accelerators_find(cli->accelerators, mls_str_from(name));
        /* If the name is not in the table, it may be the name in a system description: "NVIDIA H100-SXM5-80GB". */
        if (wanted->accelerator == NULL)
            mls_accelerators_match(cli->accelerators, mls_str_from(name), MLS_S(""), &wanted->accelerator);
        if (wanted->accelerator == NULL) {
            mls_suggestion nearest = mls_suggest_for(mls_str_from(name));
            for (size_t i = 0; i < cli->accelerators->count; i++)
                mls_suggest_add(&nearest, mls_str_from(cli->accelerators->items[i].name));
            mls_cli_usage_error(cli, "unknown accelerator '%s'%s", name, mls_cli_suggestion(&nearest).text);
            return;
        }
    }
    wanted->has_precision =
        settings->precision != NULL && mls_precision_from_name(mls_str_from(settings->precision), &wanted->precision);
    how.named_runs = true;
    how.observer = &mls_throughput_observer;
    how.facts = MLS_FACTS_OF_RUNS;
    if (mls_cli_collect(cli, &cli->operands, &how, NULL, &collection) &&
        mls_cli_note_telemetry(cli, &collection, &notes)) {
        how.score.points = &collection.points;
        wanted->score = &how.score;
        if (mls_throughputs_measure(&collection, wanted, &all, &error) != MLS_OK) {
            mls_cli_print_error(cli, NULL, &error);
        } else {
            mls_cli_print_beside(cli, &mls_throughput_report, &all, &notes);
            for (size_t i = 0; i < all.group_count; i++)
                mls_cli_judge_findings(cli, &all.groups[i].findings);
            mls_cli_print_problems(cli, &collection);
        }
        mls_throughputs_release(&all);
    }
    mls_telemetry_notes_release(&notes);
    mls_collection_release(&collection);
}

const mls_command mls_command_throughput = {
    .name = "throughput",
    .summary = "break down run time, measure throughput, and find slow runs",
    .usage = "[OPTION]… PATH…",
    .about = "Finds runs like score, breaks down the time of each, measures its training\n"
             "speed, finds slow phases and slow runs with their cause, and computes the model\n"
             "FLOPs utilization (MFU).",
    .options = options,
    .settings_size = sizeof(throughput_settings),
    .paths = "no path given",
    .run = throughput_run,
};
