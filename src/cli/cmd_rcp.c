/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_rcp.c - mlscore rcp: reference convergence points and what they ask for.
 */
#include <math.h>
#include <stdlib.h>

#include "base/number.h"
#include "cli/command_options.h"
#include "cli/commands.h"
#include "report/rcp_report.h"

enum { OPTION_BATCH = MLS_OPTION_OWN, OPTION_RCP };

typedef struct mls_rcp_settings {
    bool batch_given;
    double batch_size;
    const char *path; /* of the user's own points; NULL: none */
} mls_rcp_settings;

static const mls_option options[] = {
    {OPTION_BATCH, 'b', "batch", "N", "say what a submission with global batch size N would need"},
    {OPTION_RCP, '\0', "rcp", "FILE", "add reference points of your own from a table (-: standard input)"},
    MLS_ROW_USAGE,
    {MLS_OPTION_EDITION, '\0', "edition", "X.Y", "the points of this edition (the newest that has the benchmark)"},
    MLS_ROW_FORMAT("table|csv|json"),
    MLS_ROW_OUTPUT,
    MLS_ROW_COLOR,
    MLS_ROW_HELP,
    MLS_ROW_VERSION,
    MLS_ROW_END,
};

static bool mls_rcp_option(mls_cli *cli, int id, const char *argument)
{
    mls_rcp_settings *settings = cli->own;
    if (id == OPTION_RCP) {
        settings->path = argument;
        return true;
    }
    settings->batch_given = true;
    if (mls_number_parse(mls_str_from(argument), &settings->batch_size) && settings->batch_size > 0 &&
        isfinite(settings->batch_size)) {
        return true;
    }
    (void)mls_cli_usage_error(cli, "--batch takes a number above 0, not '%s'", argument);
    return false;
}

/*
 * The edition to show: the one named, else the newest that has the benchmark.
 * A benchmark that only hpc has needs no --usage.  NULL after a complaint.
 */
static const mls_edition *mls_rcp_edition(mls_cli *cli, const char *benchmark)
{
    const mls_editions *editions = mls_cli_editions(cli);
    const mls_str name = mls_str_from(benchmark);
    const mls_edition *edition = NULL;
    if (editions == NULL) {
        return NULL;
    }
    if (benchmark != NULL && !cli->usage_given && mls_editions_newest_with(editions, cli->usage, name) == NULL &&
        mls_editions_newest_with(editions, MLS_USAGE_HPC, name) != NULL) {
        cli->usage = MLS_USAGE_HPC;
    }
    if (!mls_cli_edition(cli, &edition)) {
        return NULL;
    }
    if (edition == NULL && benchmark == NULL) {
        return mls_editions_get(editions, cli->usage, mls_editions_count(editions, cli->usage) - 1);
    }
    const mls_edition *newest = benchmark != NULL ? mls_editions_newest_with(editions, cli->usage, name) : NULL;
    if (benchmark != NULL && newest == NULL) {
        (void)mls_cli_usage_error(cli, "no %s benchmark is called '%s'", mls_usage_name(cli->usage), benchmark);
        return NULL;
    }
    if (edition != NULL && benchmark != NULL && !mls_edition_has_benchmark(edition, name)) {
        (void)mls_cli_usage_error(cli, "%s is not in %s %s; the newest edition that has it is %s", benchmark,
                                  mls_usage_name(cli->usage), edition->name, newest->name);
        return NULL;
    }
    return edition != NULL ? edition : newest;
}

static int mls_rcp_complain(const mls_cli *cli, const char *path, const mls_error *error)
{
    if (error->line > 0) {
        mls_cli_complain(cli, path, "line %zu, column %zu: %s", error->line, error->column, error->message);
    } else {
        mls_cli_complain(cli, path, "%s", error->message);
    }
    return error->status == MLS_ERROR_SYNTAX || error->status == MLS_ERROR_VALUE ? MLS_EXIT_USAGE : MLS_EXIT_IO;
}

/* The points of one benchmark, the user's own among them. */
static int mls_rcp_list(mls_cli *cli, const mls_edition *edition, const char *benchmark, mls_str own_points,
                        mls_rcp_listing *listing)
{
    const mls_rcp_settings *settings = cli->own;
    mls_error error = {0};
    const mls_editions *editions = mls_cli_editions(cli);
    const mls_rcp_rules rules = {editions, edition,
                                 mls_benchmark_find(editions, edition->usage, mls_str_from(benchmark))};
    *listing =
        (mls_rcp_listing){edition, rules.benchmark, NULL, settings->batch_given ? settings->batch_size : (double)NAN};
    if (mls_rcp_set_new(&rules, &listing->set, &error) != MLS_OK) {
        return mls_rcp_complain(cli, NULL, &error);
    }
    if (settings->path != NULL && mls_rcp_set_add(listing->set, own_points, settings->path, &error) != MLS_OK) {
        return mls_rcp_complain(cli, settings->path, &error);
    }
    return MLS_EXIT_OK;
}

static int mls_rcp_run(mls_cli *cli)
{
    const mls_rcp_settings *settings = cli->own;
    mls_buffer own_points = {0};
    int status = MLS_EXIT_OK;
    if (cli->operand_count > 1) {
        return mls_cli_usage_error(cli, "one benchmark at a time, not '%s' too", cli->operands[1]);
    }
    const char *benchmark = cli->operand_count == 1 ? cli->operands[0] : NULL;
    const mls_edition *edition = mls_rcp_edition(cli, benchmark);
    if (edition == NULL) {
        return MLS_EXIT_USAGE;
    }
    if (settings->path != NULL && !mls_cli_read_file(cli, settings->path, &own_points)) {
        mls_buffer_release(&own_points);
        return MLS_EXIT_IO;
    }
    const size_t count = benchmark != NULL ? 1 : edition->benchmark_count;
    mls_rcp_listing *listings = calloc(count, sizeof *listings);
    if (listings == NULL) {
        mls_cli_complain(cli, NULL, "out of memory");
        status = MLS_EXIT_IO;
    }
    for (size_t i = 0; i < count && status == MLS_EXIT_OK; i++) {
        const char *name = benchmark != NULL ? benchmark : edition->benchmarks[i]->name;
        status = mls_rcp_list(cli, edition, name, mls_buffer_str(&own_points), &listings[i]);
    }
    if (status == MLS_EXIT_OK) {
        const mls_rcp_listings all = {listings, count};
        status = mls_cli_print(cli, settings->batch_given ? &mls_rcp_limit_report : &mls_rcp_report, &all);
    }
    for (size_t i = 0; listings != NULL && i < count; i++) {
        mls_rcp_set_free(listings[i].set);
    }
    free(listings);
    mls_buffer_release(&own_points);
    return status;
}

const mls_command mls_command_rcp = {
    .name = "rcp",
    .summary = "show reference convergence points, and what a batch size would need",
    .usage = "[OPTION]… [BENCHMARK]",
    .about = "Prints the reference convergence points of a benchmark (without one, of all benchmarks\n"
             "of an edition): how much training the reference runs took at each batch size, and the\n"
             "least mean that passes in the closed division.  Pruned points are not used.",
    .options = options,
    .own_size = sizeof(mls_rcp_settings),
    .option = mls_rcp_option,
    .run = mls_rcp_run,
};
