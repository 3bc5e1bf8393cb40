/* SPDX-License-Identifier: Apache-2.0 */
/*
 * main.c - from the first word of the command line to a command.
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/number.h"
#include "cli/command.h"

#define ENTRY(name) &mls_command_##name,
const mls_command *const mls_commands[] = {MLS_COMMAND_LIST(ENTRY) NULL};

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
    mls_cli cli = {.command = command, .view = {.width = terminal_width()}};
    int status = mls_cli_parse(&cli, argc, argv);
    status = status < 0 ? command->run(&cli) : status;
    mls_cli_release(&cli);
    return status > cli.status ? status : cli.status;
}

int main(int argc, char **argv)
{
    static const char *const meaning_help[] = {"--help", "-h", "--version", "-V"};
    /* A closed pipe is an error of write(), to be ended quietly, not a death by signal. */
    (void)signal(SIGPIPE, SIG_IGN);
    if (argc < 2) {
        char *help[] = {argv[0], NULL};
        return start(&mls_command_help, 1, help);
    }
    for (size_t i = 0; i < sizeof meaning_help / sizeof *meaning_help; i++) {
        if (strcmp(argv[1], meaning_help[i]) == 0) {
            /* The version is an option of help; --help is help without one. */
            return i < 2 ? start(&mls_command_help, argc - 1, argv + 1) : start(&mls_command_help, argc, argv);
        }
    }
    const mls_cli nobody = {.command = NULL};
    const mls_command *command = mls_command_find(&nobody, argv[1]);
    return command != NULL ? start(command, argc - 1, argv + 1) : MLS_EXIT_USAGE;
}
