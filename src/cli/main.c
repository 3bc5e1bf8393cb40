/* SPDX-License-Identifier: Apache-2.0 */
/* main.c - choose a command by the first word of the command line, and run it. */
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cjson/cJSON.h>

#include "base/memory.h"
#include "base/number.h"
#include "base/temporary.h"
#include "cli/command.h"
#include "config/config.h"

#define ENTRY(name) &mls_command_##name,
static const mls_command *const commands[] = {MLS_COMMAND_LIST(ENTRY) NULL};

/* Print an error and exit because memory has run out.  This may run on any thread, so it does as little as possible. */
static void out_of_memory(void)
{
    static const char message[] = "mlscore: out of memory\n";
    mls_temporary_remove();
    (void)!write(STDERR_FILENO, message, sizeof message - 1);
    _exit(MLS_EXIT_IO);
}

int mls_cli_start(const mls_command *command, const mls_cli *like, int argc, char **argv)
{
    mls_cli cli = {.command = command, .commands = like->commands, .view = like->view};
    cli.work = (mls_work){.threads = like->work.threads, .progress = mls_cli_progress, .progress_state = &cli};
    cli.settings = command->settings_size > 0 ? mls_calloc(1, command->settings_size) : NULL;
    if (mls_cli_parse(&cli, argc, argv)) {
        if (like->command != NULL) { /* copy the common options of the command that runs this one */
            cli.view = like->view;
            cli.view.output = NULL;
            cli.usage = like->usage;
            cli.usage_given = like->usage_given;
            cli.edition = like->edition;
            cli.output_path = like->output_path;
            cli.format_given = like->format_given;
            cli.equivalent = like->equivalent;
        }
        command->run(&cli);
    }
    mls_cli_close(&cli, NULL);
    mls_cli_release(&cli);
    return cli.status;
}

int main(int argc, char **argv)
{
    /* If standard input, output or error is closed, open a file that can be neither read nor written with its
     * descriptor, so that a file opened later does not become standard output.  O_NOFOLLOW opens the link itself, which
     * cannot be opened again as /dev/stdin. */
    int fd = STDIN_FILENO;
    while (fd >= 0 && fd <= STDERR_FILENO) {
        fd = open("/proc/self/ns/mnt", O_PATH | O_NOFOLLOW);
        fd = fd >= 0 ? fd : open("/", O_PATH);
    }
    if (fd > STDERR_FILENO)
        (void)close(fd);
    mls_set_no_memory_handler(out_of_memory);
    cJSON_InitHooks(&(cJSON_Hooks){.malloc_fn = mls_malloc, .free_fn = free});
    /* If the reader closes the pipe, write() fails and the program ends without a message, instead of being killed by
     * SIGPIPE. */
    (void)signal(SIGPIPE, SIG_IGN);
    mls_temporary_handle_signals();
    mls_cli cli = {.commands = commands};
    struct winsize size;
    const char *columns = getenv("COLUMNS");
    if ((columns == NULL || !mls_size_parse(mls_str_from(columns), &cli.view.width)) &&
        ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0)
        cli.view.width = size.ws_col;
    /* Handle --version as an option of the command help, and --help as the command help without an argument. */
    const char *word = argc > 1 ? argv[1] : "";
    if (argc < 2 || strcmp(word, "-V") == 0 || strcmp(word, "--version") == 0)
        return mls_cli_start(&mls_command_help, &cli, argc, argv);
    if (strcmp(word, "-h") == 0 || strcmp(word, "--help") == 0)
        return mls_cli_start(&mls_command_help, &cli, argc - 1, argv + 1);
    const mls_command *command = mls_command_named(&cli, word);
    /* If the first word is an option, a path or the name of a config, run the overview. */
    if (command == NULL && (*word == '-' || access(word, F_OK) == 0 || strchr(word, '/') != NULL ||
                            mls_config_name_decode(mls_str_from(word)).gpus > 0))
        return mls_cli_start(&mls_command_overview, &cli, argc, argv);
    command = command != NULL ? command : mls_command_find(&cli, word);
    return command != NULL ? mls_cli_start(command, &cli, argc - 1, argv + 1) : MLS_EXIT_USAGE;
}
