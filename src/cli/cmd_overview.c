/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_overview.c - mlscore PATH…: summarize logs and exports, and run the matching command for anything else. */
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
    MLS_ROW_TEXT(
        '\0', "against", "PATH", offsetof(overview_settings, against),
        "compare with PATH or published:WORDS (such as published:5.1,best) instead of the fastest published result"),
    MLS_ROW_FORMAT("table|json"),
    MLS_ROWS_LOGS("print only the first two lines of each group", "also list skipped files", MLS_HELP_STRICT),
};

/* For each kind of path the command to run, an option to insert before the paths, and whether to run the command for
 * each path separately. */
static const struct {
    const mls_command *command; /* NULL: this command summarizes the paths itself */
    const char *option;
    bool alone;
} commands[MLS_PATH_UNKNOWN] = {
    [MLS_PATH_SUBMISSION] = {&mls_command_verify, NULL, true},
    [MLS_PATH_LOGS] = {NULL, NULL, false},
    [MLS_PATH_PROFILE] = {&mls_command_profile, NULL, false},
    [MLS_PATH_TELEMETRY] = {&mls_command_telemetry, NULL, false},
    [MLS_PATH_CONFIG] = {&mls_command_config, NULL, false},
    [MLS_PATH_EXPORT] = {&mls_command_compare, NULL, false},
    [MLS_PATH_MODEL] = {&mls_command_memory, "--model", true},
    [MLS_PATH_MESSAGES] = {&mls_command_diagnose, NULL, false},
};

static void print_overview(mls_cli *cli, const mls_overview *all)
{
    mls_cli_print(cli, &mls_overview_report, all);
}

/* Print the summary of all paths of one kind.  *left is the number of summaries that are still to be printed, including
 * this one; standard output is closed after the last one. */
static void answer(mls_cli *cli, mls_path_kind kind, const mls_names *paths, size_t *left)
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
        /* Run a command as if the user had entered it, with the common options that were given to this command. */
        const mls_command *command = commands[kind].command;
        const char *option = commands[kind].option;
        mls_cli like = *cli;
        mls_buffer line = {0};
        mls_names words = {0};
        mls_names_add(&words, mls_str_from(command->name));
        mls_names_add(&words, mls_str_from(option != NULL ? option : "--"));
        mls_buffer_printf(&line, "mlscore %s%s%s", command->name, option != NULL ? " " : "",
                          option != NULL ? option : "");
        for (size_t i = 0; i < paths->count; i++) {
            mls_names_add(&words, mls_str_from(paths->items[i]));
            mls_buffer_printf(&line, " %s", paths->items[i]);
        }
        like.equivalent = line.ptr;
        like.view.brief = true;
        mls_cli_set_status(cli, mls_cli_start(command, &like, (int)words.count, words.items));
        mls_buffer_release(&line);
        mls_names_release(&words);
    }
    cli->output_path = output_path;
}

static void overview_run(mls_cli *cli)
{
    const overview_settings *settings = cli->settings;
    mls_names paths[MLS_PATH_UNKNOWN] = {{0}}; /* the operands of each kind */
    size_t left = 0;
    bool ok = true;
    for (size_t i = 0; i < cli->operands.count; i++) {
        const char *path = cli->operands.items[i];
        mls_path_seen seen;
        mls_error error = {0};
        if (mls_path_look(path, &seen, &error) != MLS_OK) {
            mls_cli_error(cli, MLS_EXIT_IO, path, "%s", error.message);
        } else if (seen.kind == MLS_PATH_ABSENT) {
            mls_names names = {0};
            const mls_suggestion nearest = mls_cli_nearest_file(path, &names);
            mls_cli_error(cli, MLS_EXIT_IO, path, "no such file%s", mls_cli_suggestion(&nearest).text);
            mls_names_release(&names);
        } else if (seen.kind == MLS_PATH_UNKNOWN) {
            mls_cli_error(cli, MLS_EXIT_IO, path,
                          seen.written[0] != '\0' ? "%s"
                          : seen.why != NULL      ? "not recognized: %s"
                                                  : "not recognized: it begins with '%s'",
                          seen.why != NULL ? seen.why : seen.beginning);
        } else {
            mls_names_add(&paths[seen.kind], mls_str_from(path));
        }
    }
    for (mls_path_kind kind = 0; kind < MLS_PATH_UNKNOWN; kind++)
        left += commands[kind].alone ? paths[kind].count : paths[kind].count > 0;
    if (left > 1 && (cli->output_path != NULL || cli->view.format != MLS_FORMAT_TABLE)) {
        ok = mls_cli_usage_error(cli, "%s allows only one kind of path at a time",
                                 cli->output_path != NULL ? "-o" : "--format=json");
    } else if (left > 0 && settings->against != NULL && paths[MLS_PATH_LOGS].count == 0 &&
               paths[MLS_PATH_EXPORT].count != 1) {
        ok = mls_cli_usage_error(cli, "--against needs logs to compare");
    }
    for (mls_path_kind kind = 0; kind < MLS_PATH_UNKNOWN; kind++) {
        mls_names *all = &paths[kind];
        for (size_t i = 0; i < all->count && ok && commands[kind].alone; i++)
            answer(cli, kind, &(mls_names){.items = all->items + i, .count = 1}, &left);
        if (all->count > 0 && ok && !commands[kind].alone)
            answer(cli, kind, all, &left);
        mls_names_release(all);
    }
}

const mls_command mls_command_overview = {
    .name = "",
    .summary = "summarize any supported file or directory",
    .usage = "[OPTION]… PATH…",
    .about = "Detects what is at PATH from its contents and prints a summary. For logs, the\n"
             "summary contains the score and its validity, the rank among published results,\n"
             "the causes of the difference from the fastest one, the time breakdown, failed\n"
             "runs, and commands to try next. For a submission, config, profile and other\n"
             "files, the matching command runs.",
    .options = options,
    .settings_size = sizeof(overview_settings),
    .paths = "no path given",
    .run = overview_run,
};
