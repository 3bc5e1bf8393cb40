/* SPDX-License-Identifier: Apache-2.0 */
/* start.c - runs a command, for the command line or for another command. */
#include <stdlib.h>

#include "base/memory.h"
#include "cli/command.h"

/* What was said to the command that runs this one, however its own options begin. */
static void take_over(mls_cli *cli, const mls_cli *from)
{
    cli->view = from->view;
    cli->view.output = NULL;
    cli->usage = from->usage;
    cli->usage_given = from->usage_given;
    cli->edition = from->edition;
    cli->output_path = from->output_path;
    cli->format_given = from->format_given;
    cli->stands_for = from->stands_for;
}

int mls_cli_start(const mls_command *command, const mls_cli *like, int argc, char **argv)
{
    mls_cli cli = {.command = command, .commands = like->commands, .view = like->view};
    cli.work = (mls_work){.threads = like->work.threads, .progress = mls_cli_progress, .progress_state = &cli};
    cli.settings = command->settings_size > 0 ? mls_calloc(1, command->settings_size) : NULL;
    if (cli.settings == NULL && command->settings_size > 0) {
        mls_cli_say_no_memory(&cli);
        return cli.status;
    }
    if (mls_cli_parse(&cli, argc, argv)) {
        if (like->command != NULL) {
            take_over(&cli, like);
        }
        command->run(&cli);
    }
    mls_cli_close(&cli, NULL);
    mls_cli_release(&cli);
    return cli.status;
}
