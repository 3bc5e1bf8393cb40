/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_help.c - mlscore help: list commands, findings and signatures, and show manual pages. */
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "cli/command.h"
#include "explain/diagnose/diagnose.h"
#include "report/reports.h"
#include "rules/finding_texts.h"

/* The layout of the list of commands, which is the same on every terminal. */
enum { HELP_WIDTH = 80, SUMMARY_COLUMN = 14 };

static const mls_option options[] = {MLS_ROWS_LAST};

/* The first command of each group in MLS_COMMAND_LIST. */
static const struct {
    const char *title;
    const mls_command *first;
} groups[] = {
    {"score", &mls_command_score},
    {"submit", &mls_command_verify},
    {"understand", &mls_command_compare},
    {"operate", &mls_command_watch},
};

/* Print all findings, or explain the named one. */
static void help_findings(mls_cli *cli)
{
    mls_arena arena = {0};
    mls_finding_texts texts[MLS_FINDING_COUNT];
    mls_error error = {0};
    if (cli->operands.count > 1) {
        mls_cli_explain(cli, cli->operands.items[1]);
        return;
    }
    if (mls_finding_texts_read(&arena, texts, &error) != MLS_OK)
        mls_cli_print_error(cli, NULL, &error);
    for (size_t i = 0; i < MLS_FINDING_COUNT && error.status == MLS_OK; i++) {
        const mls_finding_info *info = mls_finding_info_get((mls_finding_code)i);
        mls_output_printf(&cli->output, "%s%-20s %-8s %s\n    %s\n    %s\n", i > 0 ? "\n" : "", info->name,
                          mls_severity_name(info->severity), texts[i].summary, texts[i].explanation, texts[i].remedy);
    }
    mls_arena_release(&arena);
}

static void help_word(mls_output *output, const char *words, unsigned number, const char *after)
{
    const mls_str word = mls_failure_word(words, number);
    mls_output_printf(output, "%.*s%s", (int)word.len, word.ptr, after);
}

/* Print every signature of a failure message that diagnose recognizes, with its meaning, remedy and source. */
static void help_signatures(mls_cli *cli)
{
    mls_signatures *signatures;
    mls_error error = {0};
    mls_output *output = &cli->output;
    if (mls_signatures_new(&signatures, &error) != MLS_OK) {
        mls_cli_print_error(cli, NULL, &error);
        return;
    }
    for (size_t i = 0; i < mls_signatures_count(signatures); i++) {
        const mls_signature *one = mls_signatures_get(signatures, i);
        mls_output_printf(output, "%s%-28s ", i > 0 ? "\n" : "", one->id);
        help_word(output, MLS_FAILURE_CLASSES, one->kind, ", ");
        help_word(output, MLS_FAILURE_ORIGINS, one->origin, ", ");
        help_word(output, MLS_FAILURE_PERSISTENCES, one->persistence, ", ");
        help_word(output, MLS_FAILURE_ROLES, one->role, "");
        mls_output_printf(output, " %.0f%s\n    %s\n    %s\n    source: %s\n", (double)one->precedence,
                          one->generic ? ", where nothing else matches" : "", one->explanation, one->action,
                          one->source);
    }
    mls_signatures_free(signatures);
}

/* Check whether `man` finds a page, by running it directly instead of through a shell. */
static bool has_installed_manual(char *page)
{
    posix_spawn_file_actions_t actions;
    pid_t child;
    int how = 1;
    char words[][4] = {"man", "-w", "1"};
    char *const arguments[] = {words[0], words[1], words[2], page, NULL};
    if (posix_spawn_file_actions_init(&actions) != 0)
        return false;
    (void)posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    (void)posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    const bool started = posix_spawnp(&child, "man", &actions, NULL, arguments, environ) == 0;
    (void)posix_spawn_file_actions_destroy(&actions);
    return started && waitpid(child, &how, 0) == child && WIFEXITED(how) && WEXITSTATUS(how) == 0;
}

/* If output goes to a terminal, run `man` with the page of a command in place of this process.  Return if the page does
 * not exist. */
static void show_manual(const char *name)
{
    static const char *const below[] = {"man", "share/man"};
    char program[PATH_MAX];
    char path[PATH_MAX];
    char page[64];
    char words[][4] = {"man", "1"};
    if (isatty(STDOUT_FILENO) != 1)
        return;
    /* Prefer the page that belongs to this program: from the source tree that it was built in, or from the prefix that
     * it was installed to. */
    const ssize_t len = readlink("/proc/self/exe", program, sizeof program - 1);
    mls_str folder = {program, len > 0 ? (size_t)len : 0};
    for (int up = 0; up < 4 && folder.len > 1; up++) { /* build/release/mlscore */
        (void)mls_path_cut(&folder);
        for (size_t i = 0; i < sizeof below / sizeof *below; i++) {
            const int needed =
                snprintf(path, PATH_MAX, "%.*s%s/man1/mlscore-%s.1", (int)folder.len, folder.ptr, below[i], name);
            if (needed < PATH_MAX && access(path, R_OK) == 0)
                (void)execvp("man", (char *const[]){words[0], path, NULL});
        }
    }
    (void)snprintf(page, sizeof page, "mlscore-%s", name);
    if (has_installed_manual(page))
        (void)execvp("man", (char *const[]){words[0], words[1], page, NULL});
}

static void help_run(mls_cli *cli)
{
    mls_finding_code code;
    const char *topic = cli->operands.count > 0 ? cli->operands.items[0] : "";
    if (!mls_cli_open(cli))
        return;
    const mls_command *command = mls_command_named(cli, topic);
    if (command != NULL) {
        show_manual(topic);
        mls_cli_print_help(command, &cli->output);
    } else if (*topic == '\0') {
        mls_output *output = &cli->output;
        mls_view view = {.output = output};
        mls_output_text(output, "usage: mlscore [OPTION]… PATH…\n"
                                "       mlscore COMMAND [OPTION]… [ARGUMENT]…\n\n"
                                "Reads MLPerf training logs.  'mlscore PATH' detects what is at PATH and prints a\n"
                                "summary.  For logs, the summary contains the score, its validity, a comparison\n"
                                "with published results, the time breakdown, failed runs, and commands to try.\n"
                                "For a submission, config, profile and other files it runs the matching command.\n");
        for (size_t i = 0; cli->commands[i] != NULL; i++) {
            for (size_t k = 0; k < sizeof groups / sizeof *groups; k++)
                if (groups[k].first == cli->commands[i])
                    mls_output_printf(output, "\n%s:\n", groups[k].title);
            mls_output_printf(output, "  %-*s", SUMMARY_COLUMN - 2, cli->commands[i]->name);
            mls_view_wrapped(&view, mls_str_from(cli->commands[i]->summary),
                             (mls_wrap){HELP_WIDTH, SUMMARY_COLUMN, SUMMARY_COLUMN, " ", false}, MLS_STYLE_PLAIN);
            mls_output_text(output, "\n");
        }
        mls_output_text(output, "\nmore help:\n"
                                "  mlscore COMMAND --help    options of a command\n"
                                "  mlscore help COMMAND      manual page of a command, with examples\n"
                                "  mlscore help overview     options of 'mlscore PATH'\n"
                                "  mlscore help findings     all findings; 'help CODE' explains one\n"
                                "  mlscore help signatures   failure messages that diagnose recognizes\n");
    } else if (strcmp(topic, "overview") == 0) {
        mls_cli_print_help(&mls_command_overview, &cli->output);
    } else if (strcmp(topic, "findings") == 0) {
        help_findings(cli);
    } else if (strcmp(topic, "signatures") == 0) {
        help_signatures(cli);
    } else if (strcmp(topic, "fields") == 0) { /* for the test of mlscore-formats(5) */
        mls_reports_print_fields(&cli->output);
    } else if (mls_finding_code_from_name(mls_str_from(topic), &code)) {
        mls_cli_explain(cli, topic);
    } else {
        (void)mls_command_find(cli, topic);
    }
}

const mls_command mls_command_help = {
    .name = "help",
    .summary = "show the manual page of a command, or list commands or findings",
    .usage = "[COMMAND|overview|findings [CODE]|signatures]",
    .about = "Without an argument, lists the commands. With COMMAND, shows its manual page,\n"
             "or the text of --help if no manual is installed. 'overview' shows the options\n"
             "of 'mlscore PATH', 'findings' lists all findings, 'findings CODE' explains one,\n"
             "and 'signatures' lists the failure messages that diagnose recognizes.",
    .options = options,
    .words = "COMMAND|overview|findings|signatures|FINDING",
    .run = help_run,
};
