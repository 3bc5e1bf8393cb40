/* SPDX-License-Identifier: Apache-2.0 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/number.h"
#include "cli/commands.h"

/* Columns of the terminal that results go to; COLUMNS, when set, wins; 0 where there is neither. */
static size_t mls_terminal_width(void)
{
    struct winsize size;
    size_t columns;
    const char *wanted = getenv("COLUMNS");
    if (wanted != NULL && mls_size_parse(mls_str_from(wanted), &columns)) {
        return columns;
    }
    return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

static int mls_command_start(const mls_command *command, int argc, char **argv)
{
    mls_cli cli = {.command = command, .view = {.width = mls_terminal_width()}};
    if (command->own_size > 0) {
        cli.own = calloc(1, command->own_size);
        if (cli.own == NULL) {
            mls_cli_complain(&cli, NULL, "out of memory");
            return MLS_EXIT_IO;
        }
    }
    int status = mls_cli_parse(&cli, argc, argv);
    if (status < 0) {
        status = command->run(&cli);
    }
    mls_cli_release(&cli);
    free(cli.own);
    return status;
}

int main(int argc, char **argv)
{
    /* A closed pipe is an error of write(), to be ended quietly, not a death by signal. */
    (void)signal(SIGPIPE, SIG_IGN);
    if (argc < 2) {
        char *help[] = {argv[0], NULL};
        return mls_command_start(&mls_command_help, 1, help);
    }
    const char *word = argv[1];
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
        word = "help";
    }
    if (strcmp(word, "--version") == 0) {
        return mls_command_start(&mls_command_help, argc, argv);
    }
    const mls_command *command = mls_command_find(mls_str_from(word));
    if (command == NULL) {
        const mls_cli cli = {.command = NULL};
        return mls_cli_usage_error(&cli, *word == '-' ? "unknown option '%s'" : "there is no command '%s'", word);
    }
    return mls_command_start(command, argc - 1, argv + 1);
}
