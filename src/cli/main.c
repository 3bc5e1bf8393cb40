/* SPDX-License-Identifier: Apache-2.0 */
/* main.c - from the first word of the command line to a command, and running one. */
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

/* Columns of the terminal that results go to; COLUMNS, when set, wins; 0 where there is neither. */
static size_t terminal_width(void)
{
    struct winsize size;
    size_t columns;
    const char *wanted = getenv("COLUMNS");
    if (wanted != NULL && mls_size_parse(mls_str_from(wanted), &columns))
        return columns;
    return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

static bool is_either(const char *word, const char *letter, const char *name)
{
    return strcmp(word, letter) == 0 || strcmp(word, name) == 0;
}

/* Whether a word that is no command stands for what it names: options of nobody's, a path, or a config's name. */
static bool is_for_overview(const char *word)
{
    const mls_config_name config = mls_config_name_decode(mls_str_from(word));
    return *word == '-' || access(word, F_OK) == 0 || strchr(word, '/') != NULL || config.gpus > 0;
}

/* Of the standard descriptors those that are closed are held by what can be neither read nor written: a file that is
 * opened must not be standard output, or where complaints go.  Nor may the path /dev/stdin lead to anything then: a
 * link itself cannot be opened, and this one names no other file.  Without /proc there is no such path. */
static void hold_closed(void)
{
    int fd = STDIN_FILENO;
    while (fd >= 0 && fd <= STDERR_FILENO) {
        fd = open("/proc/self/ns/mnt", O_PATH | O_NOFOLLOW);
        fd = fd >= 0 ? fd : open("/", O_PATH);
    }
    if (fd > STDERR_FILENO)
        (void)close(fd);
}

/* Handle memory that ran out.  This may run on any thread, so it does as little as possible. */
static void out_of_memory(void)
{
    static const char message[] = "mlscore: out of memory\n";
    mls_temporary_remove();
    (void)!write(STDERR_FILENO, message, sizeof message - 1);
    _exit(MLS_EXIT_IO);
}

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
    cli->equivalent = from->equivalent;
}

int mls_cli_start(const mls_command *command, const mls_cli *like, int argc, char **argv)
{
    mls_cli cli = {.command = command, .commands = like->commands, .view = like->view};
    cli.work = (mls_work){.threads = like->work.threads, .progress = mls_cli_progress, .progress_state = &cli};
    cli.settings = command->settings_size > 0 ? mls_calloc(1, command->settings_size) : NULL;
    if (mls_cli_parse(&cli, argc, argv)) {
        if (like->command != NULL)
            take_over(&cli, like);
        command->run(&cli);
    }
    mls_cli_close(&cli, NULL);
    mls_cli_release(&cli);
    return cli.status;
}

int main(int argc, char **argv)
{
    hold_closed();
    mls_set_no_memory_handler(out_of_memory);
    cJSON_InitHooks(&(cJSON_Hooks){.malloc_fn = mls_malloc, .free_fn = free});
    const mls_cli nobody = {.commands = commands, .view = {.width = terminal_width()}};
    /* A closed pipe is an error of write(), to be ended quietly, not a death by signal. */
    (void)signal(SIGPIPE, SIG_IGN);
    mls_temporary_handle_signals();
    /* The version is an option of help; --help is help without one. */
    if (argc < 2 || is_either(argv[1], "-V", "--version"))
        return mls_cli_start(&mls_command_help, &nobody, argc, argv);
    if (is_either(argv[1], "-h", "--help"))
        return mls_cli_start(&mls_command_help, &nobody, argc - 1, argv + 1);
    mls_cli complaining = nobody;
    const mls_command *command = mls_command_named(&nobody, argv[1]);
    if (command == NULL && is_for_overview(argv[1]))
        return mls_cli_start(&mls_command_overview, &nobody, argc, argv);
    command = command != NULL ? command : mls_command_find(&complaining, argv[1]);
    return command != NULL ? mls_cli_start(command, &nobody, argc - 1, argv + 1) : MLS_EXIT_USAGE;
}
