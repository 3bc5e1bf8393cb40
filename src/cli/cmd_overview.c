/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_overview.c - mlscore PATH…: looks at what stands there, and has the commands answer that know it. */
#include "cli/command.h"
#include "compare/overview.h"
#include "report/reports.h"
#include "submission/submission.h"

typedef struct overview_settings {
    const char *against;
} overview_settings;

static const mls_option options[] = {
    MLS_ROW_USAGE,
    MLS_ROW_EDITION_AS("round whose rules apply, such as 5.1 (default: guessed from date and benchmark)"),
    MLS_ROW_TEXT('\0', "against", "PATH", offsetof(overview_settings, against),
                 "compare with PATH or published:WORDS instead of the fastest published result"),
    MLS_ROW_FORMAT("table|json"),
    MLS_ROWS_LOGS("print only the first two lines of each group", "also list skipped files", MLS_HELP_STRICT),
};

/* The command that answers for a kind, with what stands before the paths; for each path by itself, or all together. */
static const struct {
    const mls_command *command; /* NULL: this one */
    const char *option;
    bool alone;
} answers[MLS_PATH_UNKNOWN] = {
    [MLS_PATH_SUBMISSION] = {&mls_command_verify, NULL, true},
    [MLS_PATH_LOGS] = {NULL, NULL, false},
    [MLS_PATH_PROFILE] = {&mls_command_profile, NULL, false},
    [MLS_PATH_TELEMETRY] = {&mls_command_telemetry, NULL, false},
    [MLS_PATH_CONFIG] = {&mls_command_config, NULL, false},
    [MLS_PATH_EXPORT] = {&mls_command_compare, NULL, false},
    [MLS_PATH_MODEL] = {&mls_command_memory, "--model", true},
    [MLS_PATH_MESSAGES] = {&mls_command_diagnose, NULL, false},
};

/* -------------------------------------------------------------- other commands */

/* Runs a command as if it had been written, with the settings of this one. */
static void run_for(mls_cli *cli, mls_path_kind kind, const mls_names *paths)
{
    const char *option = answers[kind].option;
    mls_cli like = *cli;
    mls_buffer line = {0};
    mls_names words = {0};
    mls_names_add(&words, mls_str_from(answers[kind].command->name));
    mls_names_add(&words, mls_str_from(option != NULL ? option : "--"));
    mls_buffer_printf(&line, "mlscore %s%s%s", answers[kind].command->name, option != NULL ? " " : "",
                      option != NULL ? option : "");
    for (size_t i = 0; i < paths->count; i++) {
        mls_names_add(&words, mls_str_from(paths->items[i]));
        mls_buffer_printf(&line, " %s", paths->items[i]);
    }
    like.stands_for = line.ptr;
    like.view.brief = true;
    mls_cli_set_status(cli, mls_cli_start(answers[kind].command, &like, (int)words.count, words.items));
    mls_buffer_release(&line);
    mls_names_release(&words);
}

/* ---------------------------------------------------------------------- answering */

/* Sorts the operands by what they are; those that are nothing to answer for are named. */
static void sort_operands(mls_cli *cli, mls_names paths[MLS_PATH_UNKNOWN])
{
    for (size_t i = 0; i < cli->operands.count; i++) {
        const char *path = cli->operands.items[i];
        mls_path_seen seen;
        mls_error error = {0};
        if (mls_path_look(path, &seen, &error) != MLS_OK) {
            mls_cli_error(cli, MLS_EXIT_IO, path, "%s", error.message);
        } else if (seen.kind == MLS_PATH_ABSENT) {
            mls_names names = {0};
            const mls_suggestion nearest = mls_cli_nearest_file(path, &names);
            mls_cli_error(cli, MLS_EXIT_IO, path, "there is no such file%s", mls_cli_suggestion(&nearest).text);
            mls_names_release(&names);
        } else if (seen.kind == MLS_PATH_UNKNOWN) {
            mls_cli_error(cli, MLS_EXIT_IO, path,
                          seen.written[0] != '\0' ? "%s"
                          : seen.why != NULL      ? "nothing that mlscore knows: %s"
                                                  : "nothing that mlscore knows; it begins with '%s'",
                          seen.why != NULL ? seen.why : seen.beginning);
        } else {
            mls_names_add(&paths[seen.kind], mls_str_from(path));
        }
    }
}

static void print_overview(mls_cli *cli, const mls_overview *all)
{
    mls_cli_print(cli, &mls_overview_report, all);
}

/* Standard output is closed behind the last answer only. */
static void answer_next(mls_cli *cli, mls_path_kind kind, const mls_names *paths, size_t *left)
{
    const char *output_path = cli->output_path;
    cli->output_path = --*left > 0 ? "/dev/stdout" : output_path;
    if (kind == MLS_PATH_LOGS || (kind == MLS_PATH_EXPORT && paths->count == 1)) {
        const overview_settings *settings = cli->settings;
        mls_cli_ask_groups(cli, &(mls_group_question){.paths = paths,
                                                      .against = settings->against,
                                                      .exports = kind == MLS_PATH_EXPORT,
                                                      .print = print_overview});
    } else {
        run_for(cli, kind, paths);
    }
    cli->output_path = output_path;
}

static void overview_run(mls_cli *cli)
{
    mls_names paths[MLS_PATH_UNKNOWN] = {{0}};
    size_t left = 0;
    bool ok = true;
    sort_operands(cli, paths);
    for (mls_path_kind kind = 0; kind < MLS_PATH_UNKNOWN; kind++)
        left += answers[kind].alone ? paths[kind].count : paths[kind].count > 0;
    if (ok && left > 1 && (cli->output_path != NULL || cli->view.format != MLS_FORMAT_TABLE)) {
        ok = mls_cli_usage_error(cli, "%s tells of one kind of thing at a time",
                                 cli->output_path != NULL ? "-o" : "--format=json");
    }
    if (ok && left > 0 && ((const overview_settings *)cli->settings)->against != NULL &&
        paths[MLS_PATH_LOGS].count == 0 && paths[MLS_PATH_EXPORT].count != 1)
        ok = mls_cli_usage_error(cli, "--against compares logs, and there are none");
    for (mls_path_kind kind = 0; kind < MLS_PATH_UNKNOWN; kind++) {
        mls_names *of_kind = &paths[kind];
        for (size_t i = 0; i < of_kind->count && ok && answers[kind].alone; i++)
            answer_next(cli, kind, &(mls_names){.items = of_kind->items + i, .count = 1}, &left);
        if (of_kind->count > 0 && ok && !answers[kind].alone)
            answer_next(cli, kind, of_kind, &left);
        mls_names_release(of_kind);
    }
}

const mls_command mls_command_overview = {
    .name = "",
    .summary = "summarize any supported file or directory",
    .usage = "[OPTION]… PATH…",
    .about = "Detects what is at PATH from its contents and prints a summary. For logs: the\n"
             "score and its validity, the rank among published results and why they differ\n"
             "from the fastest, the time breakdown, failed runs, and what to look at first.\n"
             "For a submission, config, profile and other files: the output of the command\n"
             "that reads them.",
    .options = options,
    .settings_size = sizeof(overview_settings),
    .paths = "no path given",
    .run = overview_run,
};
