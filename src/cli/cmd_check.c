/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_check.c - mlscore check: check each run of the logs, and print verdicts in the order of the files. */
#include "cli/scoring.h"

typedef struct check_settings {
    mls_check_names names;
    mls_shard_settings shards;
} check_settings;

static const mls_option options[] = {
    MLS_ROWS_ROUND,
    MLS_ROW_RULES_AS("check against the rules in FILE"),
    MLS_ROW_FLAG('\0', "split", offsetof(check_settings, names.split),
                 "also split result_*.txt into runs (default: one run per file)"),
    MLS_ROW_FORMAT("table|csv|json|ndjson|markdown|github|junit"),
    MLS_ROWS_SHARD(offsetof(check_settings, shards)),
    MLS_ROWS_LOGS("show only logs that are not valid, and only their errors",
                  "show all findings of a log (default: the first 20, identical ones in one line)", MLS_HELP_STRICT),
};

typedef struct check_state {
    mls_cli *cli;
    const mls_check_names *names;
} check_state;

static mls_status check_run(void *state, size_t index, mls_run *run, void **notes)
{
    const check_state *self = state;
    (void)notes;
    mls_cli *cli = self->cli;
    const mls_source *source = &cli->sources.items[index];
    /* Ignore a file that was found in a folder and is not a log. */
    if (!source->named && !source->result && run->records + run->malformed == run->quoted)
        return MLS_OK;
    const bool part = run->part || self->names->split;
    const mls_check_log log = {.path = source->path,
                               .line = part ? run->line + (run->line == 0) : 1,
                               .part = part,
                               .valid = run->valid && mls_findings_pass(&run->findings.counts, cli->view.strict),
                               .run = run};
    cli->printer.good += log.valid;
    mls_print_item(&cli->printer, &log);
    mls_cli_set_status(cli, log.valid ? MLS_EXIT_OK : MLS_EXIT_INVALID);
    return mls_output_is_closed(&cli->output) ? MLS_STOPPED : MLS_OK;
}

static mls_status check_done(void *state, const mls_read *read)
{
    return mls_cli_read_done(((const check_state *)state)->cli, read);
}

void mls_cli_check(mls_cli *cli, mls_check_names *names, const mls_shard_settings *shards)
{
    mls_collect_options how;
    check_state state = {cli, names};
    /* With -v, add hints about the verdict.  They are only for people to read: programs and --strict must not count
     * them. */
    const bool doubting = cli->view.verbose > 0 && !cli->view.strict && cli->view.format == MLS_FORMAT_TABLE;
    if (cli->merge != NULL) {
        const mls_part_options *made = &cli->merge->head.options;
        names->split = made->split;
        if (made->doubting != doubting) {
            mls_cli_error(cli, MLS_EXIT_USAGE, NULL,
                          doubting
                              ? "-v needs parts that were made with -v"
                              : "the parts were made with -v: use -v and the table format, which show their hints");
            return;
        }
    } else if (!mls_cli_judge_options(cli, &how)) {
        return;
    }
    const mls_reading reading = {.rules = &how.checker,
                                 .brief = true,
                                 .try_editions = doubting,
                                 .cutting = names->split ? MLS_CUT_ALWAYS : MLS_CUT_RUNS,
                                 .work.threads = cli->work.threads,
                                 .state = &state,
                                 .run = check_run,
                                 .done = check_done};
    names->sources = &cli->sources;
    if (shards->partial) {
        mls_cli_write_part(cli, &(mls_shard_job){.settings = shards,
                                                 .how = &how,
                                                 .options = {.doubting = doubting, .split = names->split},
                                                 .reading = reading});
    } else {
        mls_cli_read(cli, NULL, &reading, &mls_check_report, names);
    }
}

static void check(mls_cli *cli)
{
    check_settings *settings = cli->settings;
    const bool format = settings->shards.partial && cli->format_given;
    if (mls_cli_shard_is_right(cli, &settings->shards, format ? "format" : NULL))
        mls_cli_check(cli, &settings->names, &settings->shards);
}

const mls_command mls_command_check = {
    .name = "check",
    .summary = "check logs against the rules of their round and show each violation",
    .usage = "[OPTION]… PATH…",
    .about = "Checks every log below each PATH against the rules of its round, with the same\n"
             "verdict as the MLCommons compliance checker. Each violation is shown with file,\n"
             "line, expected and found value. A file with several runs, such as the output of\n"
             "a job, is split the way score splits it; a result_*.txt file counts as one run\n"
             "unless --split is given.",
    .options = options,
    .settings_size = sizeof(check_settings),
    .paths = "", /* an operand is not needed, because --list may name the paths */
    .run = check,
};
