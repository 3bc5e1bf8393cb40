/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_rcp.c - mlscore rcp: show reference convergence points, and the lowest mean number of samples with which a result
 * passes the check. */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/number.h"
#include "cli/command.h"
#include "report/reports.h"

typedef struct rcp_settings {
    const char *batch;    /* as given */
    const char *rcp_path; /* path of a file with the user's own reference points */
} rcp_settings;

static const mls_option options[] = {
    MLS_ROW_TEXT('b', "batch", "N", offsetof(rcp_settings, batch), "show the limit for global batch size N"),
    MLS_ROW_RCP(offsetof(rcp_settings, rcp_path), "add reference points from a table in FILE (-: standard input)"),
    MLS_ROW_USAGE,
    MLS_ROW_EDITION_AS("round whose points are shown (default: the newest with the benchmark)"),
    MLS_ROW_FORMAT("table|csv|json"),
    MLS_ROW_OUTPUT,
    MLS_ROW_COLOR,
    MLS_ROWS_LAST,
};

/* Return the edition to show: the one given by --edition or, without this option, the newest edition with the
 * benchmark.  Return NULL after printing an error. */
static const mls_edition *rcp_edition(mls_cli *cli, const mls_editions *editions, const char *benchmark)
{
    const mls_edition *edition = NULL;
    const mls_edition *newest =
        benchmark != NULL ? mls_cli_newest_with(cli, benchmark)
                          : mls_editions_get(editions, cli->usage, mls_editions_count(editions, cli->usage) - 1);
    if (!mls_cli_edition(cli, NULL, &edition))
        return NULL;
    if (newest == NULL) {
        mls_suggestion nearest = mls_editions_nearest_benchmark(editions, cli->usage, mls_str_from(benchmark));
        if (nearest.found.len == 0 && !cli->usage_given)
            nearest = mls_editions_nearest_benchmark(editions, MLS_USAGE_HPC, mls_str_from(benchmark));
        mls_cli_usage_error(cli, "unknown %s benchmark '%s'%s", mls_usage_name(cli->usage), benchmark,
                            mls_cli_suggestion(&nearest).text);
        return NULL;
    }
    if (edition != NULL && benchmark != NULL && !mls_edition_has_benchmark(edition, mls_str_from(benchmark))) {
        mls_cli_usage_error(cli, "%s is not in %s %s; the newest round with it is %s", benchmark,
                            mls_usage_name(cli->usage), edition->name, newest->name);
        return NULL;
    }
    return edition != NULL ? edition : newest;
}

static void rcp_run(mls_cli *cli)
{
    const rcp_settings *settings = cli->settings;
    const char *rcp_path = settings->rcp_path;
    const char *benchmark = cli->operands.count == 1 ? mls_benchmark_called(cli->operands.items[0]) : NULL;
    mls_buffer own_points = {0};
    double batch_size = (double)NAN;
    mls_error error = {0};
    if (cli->operands.count > 1) {
        mls_cli_usage_error(cli, "unexpected argument '%s': expected one benchmark", cli->operands.items[1]);
        return;
    }
    if (settings->batch != NULL &&
        !(mls_number_parse(mls_str_from(settings->batch), &batch_size) && batch_size > 0 && isfinite(batch_size))) {
        mls_cli_usage_error(cli, "invalid --batch '%s': expected a number above 0", settings->batch);
        return;
    }
    const mls_editions *editions = mls_cli_editions(cli);
    const mls_edition *edition = editions != NULL ? rcp_edition(cli, editions, benchmark) : NULL;
    if (edition != NULL && mls_cli_read_file(cli, rcp_path, &own_points)) {
        /* List the reference points of one benchmark or of all benchmarks of the edition, including the user's own
         * points. */
        const size_t count = benchmark != NULL ? 1 : edition->benchmark_count;
        const mls_rcp_listings all = {mls_calloc(count, sizeof *all.items), count};
        size_t own = 0; /* number of the user's points that are shown */
        bool ok = true;
        for (size_t i = 0; i < count && ok; i++) {
            const mls_str name = mls_str_from(benchmark != NULL ? benchmark : edition->benchmarks[i]->name);
            const mls_rcp_rules rules = {
                editions, edition,
                mls_benchmark_in(mls_benchmark_find(editions, edition->usage, name), edition->number)};
            all.items[i] = (mls_rcp_listing){edition, rules.benchmark, NULL, batch_size};
            ok = mls_rcp_set_new(&rules, mls_buffer_str(&own_points), rcp_path, &all.items[i].set, &error) == MLS_OK ||
                 mls_cli_print_error(cli, rcp_path, &error);
            if (ok) {
                mls_rcp_set_bars(all.items[i].set);
                own += all.items[i].set->own;
            }
        }
        if (ok && rcp_path != NULL && own == 0) {
            mls_cli_note(cli, NULL, "'%s': no row applies to %s in %s %s", rcp_path,
                         cli->operands.count == 1 ? cli->operands.items[0] : "a benchmark",
                         mls_usage_name(edition->usage), edition->name);
        }
        if (ok)
            mls_cli_print(cli, isnan(batch_size) ? &mls_rcp_report : &mls_rcp_limit_report, &all);
        for (size_t i = 0; i < count; i++)
            mls_rcp_set_free(all.items[i].set);
        free(all.items);
    }
    mls_buffer_release(&own_points);
}

const mls_command mls_command_rcp = {
    .name = "rcp",
    .summary = "show reference convergence points and the fewest samples that pass at a batch size",
    .usage = "[OPTION]… [BENCHMARK]",
    .about = "Prints the reference convergence points of BENCHMARK (default: of all\n"
             "benchmarks of a round): the samples that the reference implementation needs to\n"
             "converge at each batch size, and the lowest mean number of samples that passes\n"
             "in the closed division. Pruned points, which are above the line between their\n"
             "neighbors, are not used.",
    .options = options,
    .settings_size = sizeof(rcp_settings),
    .words = "BENCHMARK",
    .run = rcp_run,
};
