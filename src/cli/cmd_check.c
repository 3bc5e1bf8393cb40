/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_check.c - mlscore check: is each log compliant?
 *
 * A log is a run: files are cut into runs as score does, and each verdict is
 * printed when its turn has come.
 */
#include <math.h>
#include <string.h>

#include "base/utf8.h"
#include "cli/command.h"
#include "mlscore/reading.h"
#include "report/reports.h"

typedef struct check_settings {
    bool split;
} check_settings;

static const mls_option options[] = {
    MLS_ROW_USAGE,
    MLS_ROW_EDITION,
    MLS_ROW_RULES,
    MLS_ROW_OWN_FLAG('\0', "split", check_settings, split,
                     "cut result_*.txt into runs too, which are one run each otherwise"),
    MLS_ROW_FORMAT("table|csv|json|ndjson|markdown|github|junit"),
    MLS_ROW_OUTPUT,
    MLS_ROW_FILES_FROM,
    MLS_ROW_NULL,
    MLS_ROW_THREADS,
    MLS_ROW_COLOR,
    MLS_ROW_QUIET,
    MLS_ROW_VERBOSE,
    MLS_ROW_STRICT,
    MLS_ROWS_LAST,
};

/* A check on its way. */
typedef struct checking_state {
    mls_cli *cli;
    mls_printer printer;
    mls_check_names names;
    const mls_sources *sources;
    int status;
} checking_state;

static bool check_is_valid(const mls_cli *cli, const mls_run *run)
{
    return run->valid && mls_findings_pass(&run->findings.counts, cli->view.strict);
}

static mls_status check_run(void *state, size_t index, mls_run *run, bool part)
{
    checking_state *checking = state;
    const mls_source *source = &checking->sources->items[index];
    /* A folder is asked for its logs, not for what else lies in it. */
    if (!source->named && !source->result && run->records + run->malformed == 0) {
        return MLS_OK;
    }
    const mls_check_log log = {.path = source->path,
                               .line = part || checking->names.split ? run->line + (run->line == 0) : 1,
                               .part = part || checking->names.split,
                               .verdict = {.valid = run->valid,
                                           .guessed = run->edition_guessed,
                                           .by_date = run->edition_by_date,
                                           .usage = run->usage,
                                           .edition = run->edition,
                                           .benchmark = run->benchmark,
                                           .division = run->division,
                                           .records = run->records,
                                           .malformed = run->malformed,
                                           .findings = &run->findings},
                               .valid = check_is_valid(checking->cli, run)};
    checking->printer.good += log.valid;
    mls_print_item(&checking->printer, &log);
    checking->status = mls_exit_worse(checking->status, log.valid ? MLS_EXIT_OK : MLS_EXIT_INVALID);
    return mls_output_is_closed(checking->cli->view.output) ? MLS_STOPPED : MLS_OK;
}

/* Says why a source could not be judged. */
static mls_status check_source(void *state, const mls_read *read)
{
    checking_state *checking = state;
    const char *why = read->status != MLS_OK ? read->error.message : read->source->named ? read->unread : NULL;
    if (why != NULL) {
        mls_cli_complain(checking->cli, read->source->path, "%s", why);
        checking->status = mls_exit_worse(checking->status, MLS_EXIT_IO);
    }
    return MLS_OK;
}

/* Complains about what cannot be read; returns the width of the longest path that can. */
static size_t look_at_sources(checking_state *checking)
{
    size_t longest = 0;
    for (size_t i = 0; i < checking->sources->count; i++) {
        const mls_source *source = &checking->sources->items[i];
        if (source->failed) {
            mls_cli_complain(checking->cli, source->path, "%s", source->skip);
            checking->status = MLS_EXIT_IO;
        } else if (source->skip == NULL) {
            const size_t width = mls_display_width(mls_str_from(source->path));
            longest = width > longest ? width : longest;
        }
    }
    return longest;
}

static int check_sources(mls_cli *cli, const mls_sources *sources, const mls_checker_options *rules)
{
    const check_settings *settings = cli->own;
    mls_output output;
    mls_error error = {0};
    checking_state checking = {.cli = cli, .sources = sources, .status = MLS_EXIT_OK};
    const mls_reading reading = {.rules = rules,
                                 .brief = true,
                                 .cutting = settings->split ? MLS_CUT_ALWAYS : MLS_CUT_RUNS,
                                 .threads = cli->threads,
                                 .state = &checking,
                                 .run = check_run,
                                 .done = check_source};
    if (!mls_cli_output_open(cli, &output)) {
        return MLS_EXIT_IO;
    }
    checking.names = (mls_check_names){.width = look_at_sources(&checking), .split = settings->split};
    mls_print_begin(&checking.printer, &cli->view, &mls_check_report, &checking.names);
    const mls_status status = mls_read_sources(&reading, sources->items, sources->count, &error);
    mls_print_end(&checking.printer);
    if (status == MLS_OK || status == MLS_STOPPED) {
        return mls_exit_worse(checking.status, mls_cli_output_close(cli, &output));
    }
    mls_output_abandon(&output);
    mls_cli_complain(cli, NULL, "%s", error.message);
    return MLS_EXIT_IO;
}

static int run(mls_cli *cli)
{
    mls_sources sources = {0};
    mls_checker_options rules;
    mls_error error = {0};
    if (cli->operand_count == 0) {
        return mls_cli_usage_error(cli, "no path given");
    }
    int status = mls_cli_judge(cli, &rules, NULL);
    if (status != MLS_EXIT_OK) {
        return status;
    }
    if (mls_sources_find((const char *const *)cli->operands, cli->operand_count, &sources, &error) == MLS_OK) {
        status = check_sources(cli, &sources, &rules);
    } else {
        mls_cli_complain(cli, NULL, "%s", error.message);
        status = MLS_EXIT_IO;
    }
    mls_sources_release(&sources);
    return status;
}

const mls_command mls_command_check = {
    .name = "check",
    .summary = "say whether logs obey the rules of their edition, and what does not",
    .usage = "[OPTION]… PATH…",
    .about = "Judges every log under each PATH by the rules of its edition: the same verdict as the\n"
             "reference compliance checker, with each finding's file and line, what the rule wants\n"
             "and what was found.  A file that holds several runs, as a job's output does, is cut\n"
             "into them as score does; a result_*.txt is one run, unless --split is given.",
    .options = options,
    .own_size = sizeof(check_settings),
    .path_arguments = true,
    .run = run,
};
