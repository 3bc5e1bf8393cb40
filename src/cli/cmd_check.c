/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_check.c - mlscore check: is each log compliant?
 *
 * A log is a run: files are cut into runs as score does, and each verdict is printed when its turn has come. */
#include "cli/command.h"
#include "report/reports.h"

static const mls_option options[] = {
    MLS_ROWS_ROUND,
    MLS_ROW_RULES_AS("judge by the rules in FILE"),
    MLS_ROW_FLAG('\0', "split", offsetof(mls_check_names, split),
                 "cut result_*.txt into runs too, which are one run each otherwise"),
    MLS_ROW_FORMAT("table|csv|json|ndjson|markdown|github|junit"),
    MLS_ROWS_LOGS,
};

static mls_status check_run(void *state, size_t index, mls_run *run, bool part)
{
    mls_cli *cli = state;
    const mls_check_names *names = cli->settings;
    const mls_source *source = &cli->sources.items[index];
    /* A folder is asked for its logs, not for what else lies in it. */
    if (!source->named && !source->result && run->records + (part ? run->malformed : 0) == 0) {
        return MLS_OK;
    }
    part |= names->split;
    const mls_check_log log = {.path = source->path,
                               .line = part ? run->line + (run->line == 0) : 1,
                               .part = part,
                               .valid = run->valid && mls_findings_pass(&run->findings.counts, cli->view.strict),
                               .run = run};
    cli->printer.good += log.valid;
    mls_print_item(&cli->printer, &log);
    mls_cli_worsen(cli, log.valid ? MLS_EXIT_OK : MLS_EXIT_INVALID);
    return mls_output_is_closed(&cli->output) ? MLS_STOPPED : MLS_OK;
}

static void check(mls_cli *cli)
{
    mls_collect_options how;
    mls_check_names *names = cli->settings;
    const mls_reading reading = {.rules = &how.checker,
                                 .brief = true,
                                 /* A hint for people, which neither programs nor --strict are to count. */
                                 .doubting =
                                     cli->view.verbose > 0 && !cli->view.strict && cli->view.format == MLS_FORMAT_TABLE,
                                 .cutting = names->split ? MLS_CUT_ALWAYS : MLS_CUT_RUNS,
                                 .work.threads = cli->work.threads,
                                 .state = cli,
                                 .run = check_run,
                                 .done = mls_cli_read_done};
    names->sources = &cli->sources;
    if (mls_cli_judge(cli, &how)) {
        mls_cli_read(cli, NULL, &reading, &mls_check_report, names);
    }
}

const mls_command mls_command_check = {
    .name = "check",
    .summary = "say whether logs obey the rules of their edition, and where not",
    .usage = "[OPTION]… PATH…",
    .about = "Judges every log under each PATH by the rules of its edition: the same verdict\n"
             "as the reference compliance checker, with each finding's file and line, what\n"
             "the rule wants and what was found.  A file that holds several runs, as a job's\n"
             "output does, is cut into them as score does; a result_*.txt is one run, unless\n"
             "--split is given.",
    .options = options,
    .settings_size = sizeof(mls_check_names),
    .paths = "no path given",
    .run = check,
};
