/* SPDX-License-Identifier: Apache-2.0 */
/* main.c - from the first word of the command line to a command. */
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/number.h"
#include "cli/command.h"

#define ENTRY(name) &mls_command_##name,
static const mls_command *const commands[] = {MLS_COMMAND_LIST(ENTRY) NULL};

/* Columns of the terminal that results go to; COLUMNS, when set, wins; 0 where there is neither. */
static size_t terminal_width(void)
{
    struct winsize size;
    size_t columns;
    const char *wanted = getenv("COLUMNS");
    if (wanted != NULL && mls_size_parse(mls_str_from(wanted), &columns)) {
        return columns;
    }
    return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

static int start(const mls_command *command, int argc, char **argv)
{
    mls_cli cli = {.command = command, .commands = commands, .view = {.width = terminal_width()}};
    cli.work = (mls_work){.progress = mls_cli_progress, .progress_state = &cli};
    cli.settings = command->settings_size > 0 ? calloc(1, command->settings_size) : NULL;
    if (cli.settings == NULL && command->settings_size > 0) {
        mls_cli_say_no_memory(&cli);
        return cli.status;
    }
    if (mls_cli_parse(&cli, argc, argv)) {
        command->run(&cli);
    }
    mls_cli_close(&cli, NULL);
    mls_cli_release(&cli);
    return cli.status;
}

static bool is_either(const char *word, const char *letter, const char *name)
{
    return strcmp(word, letter) == 0 || strcmp(word, name) == 0;
}

int main(int argc, char **argv)
{
    /* A closed pipe is an error of write(), to be ended quietly, not a death by signal. */
    (void)signal(SIGPIPE, SIG_IGN);
    /* The version is an option of help; --help is help without one. */
    if (argc < 2 || is_either(argv[1], "-V", "--version")) {
        return start(&mls_command_help, argc, argv);
    }
    if (is_either(argv[1], "-h", "--help")) {
        return start(&mls_command_help, argc - 1, argv + 1);
    }
    mls_cli nobody = {.commands = commands};
    const mls_command *command = mls_command_find(&nobody, argv[1]);
    return command != NULL ? start(command, argc - 1, argv + 1) : MLS_EXIT_USAGE;
}
