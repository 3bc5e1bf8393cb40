/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli.c - what every command needs around its work.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/utf8.h"
#include "cli/commands.h"

const mls_command *mls_command_find(mls_str name)
{
    for (size_t i = 0; mls_commands[i] != NULL; i++) {
        if (mls_str_equal(name, mls_str_from(mls_commands[i]->name))) {
            return mls_commands[i];
        }
    }
    return NULL;
}

int mls_exit_worse(int a, int b)
{
    return a > b ? a : b;
}

/* The one place that writes to standard error; nobody can be told if that fails. */
static void mls_cli_say(const mls_cli *cli, const char *path, const char *format, va_list args) MLS_PRINTF(3, 0);

static void mls_cli_say(const mls_cli *cli, const char *path, const char *format, va_list args)
{
    mls_buffer message = {0};
    mls_buffer line = {0};
    mls_buffer_append_text(&line, cli->command != NULL ? "mlscore " : "mlscore");
    mls_buffer_append_text(&line, cli->command != NULL ? cli->command->name : "");
    mls_buffer_append_text(&line, ": ");
    if (path != NULL) {
        mls_buffer_append_char(&line, '\'');
        mls_escape_append(&line, mls_str_from(path));
        mls_buffer_append_text(&line, "': ");
    }
    mls_buffer_vprintf(&message, format, args);
    mls_escape_append(&line, mls_buffer_str(&message));
    mls_buffer_append_char(&line, '\n');
    if (!line.failed) {
        (void)fwrite(line.ptr, 1, line.len, stderr);
    }
    mls_buffer_release(&message);
    mls_buffer_release(&line);
}

void mls_cli_complain(const mls_cli *cli, const char *path, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    mls_cli_say(cli, path, format, args);
    va_end(args);
}

void mls_cli_note(const mls_cli *cli, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    if (!cli->view.quiet) {
        mls_cli_say(cli, NULL, format, args);
    }
    va_end(args);
}

int mls_cli_usage_error(const mls_cli *cli, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    mls_cli_say(cli, NULL, format, args);
    va_end(args);
    if (cli->command == NULL || cli->command == &mls_command_help) {
        (void)fputs("try 'mlscore help'\n", stderr);
    } else {
        (void)fprintf(stderr, "try 'mlscore %s --help'\n", cli->command->name);
    }
    return MLS_EXIT_USAGE;
}

const mls_editions *mls_cli_editions(mls_cli *cli)
{
    mls_error error = {0};
    if (cli->rulesets == NULL && mls_rulesets_new(&cli->rulesets, &error) != MLS_OK) {
        mls_cli_complain(cli, NULL, "%s", error.message);
        return NULL;
    }
    return mls_rulesets_editions(cli->rulesets);
}

bool mls_cli_ruleset(mls_cli *cli, const mls_edition *edition, const mls_ruleset **ruleset)
{
    mls_error error = {0};
    *ruleset = NULL;
    if (edition == NULL || mls_rulesets_get(cli->rulesets, edition, ruleset, &error) == MLS_OK) {
        return true;
    }
    mls_cli_complain(cli, NULL, "%s", error.message);
    return false;
}

int mls_cli_own_rules(mls_cli *cli)
{
    mls_error error = {0};
    const mls_status status = mls_ruleset_load_file(cli->rules_path, &cli->own_ruleset, &error);
    if (status == MLS_OK) {
        return MLS_EXIT_OK;
    }
    if (status == MLS_ERROR_READ || status == MLS_ERROR_MEMORY) {
        mls_cli_complain(cli, NULL, "%s", error.message);
        return MLS_EXIT_IO;
    }
    if (error.line > 0) {
        mls_cli_complain(cli, cli->rules_path, "line %zu, column %zu: %s", error.line, error.column, error.message);
    } else {
        mls_cli_complain(cli, NULL, "%s", error.message);
    }
    return MLS_EXIT_USAGE;
}

int mls_cli_judge(mls_cli *cli, mls_checker_options *judge, const mls_edition **edition)
{
    const mls_edition *behind = NULL;
    const mls_editions *editions = mls_cli_editions(cli);
    int status = editions != NULL ? MLS_EXIT_OK : MLS_EXIT_IO;
    *judge = (mls_checker_options){.rulesets = cli->rulesets, .usage = cli->usage};
    if (status == MLS_EXIT_OK && cli->rules_path != NULL) {
        status = cli->edition == NULL ? mls_cli_own_rules(cli)
                                      : mls_cli_usage_error(cli, "--rules and --edition exclude each other");
        if (status == MLS_EXIT_OK) {
            judge->ruleset = cli->own_ruleset;
            judge->usage = mls_ruleset_usage(cli->own_ruleset);
            const char *base = mls_ruleset_base(cli->own_ruleset);
            const mls_str name = mls_str_from(base != NULL ? base : mls_ruleset_edition(cli->own_ruleset));
            if (mls_editions_find(editions, judge->usage, name, &behind, NULL) != MLS_OK) {
                behind = NULL; /* rules that stand for themselves */
            }
        }
    } else if (status == MLS_EXIT_OK &&
               (!mls_cli_edition(cli, &behind) || !mls_cli_ruleset(cli, behind, &judge->ruleset))) {
        status = MLS_EXIT_USAGE;
    }
    if (edition != NULL) {
        *edition = behind;
    }
    return status;
}

bool mls_cli_edition(mls_cli *cli, const mls_edition **edition)
{
    mls_error error = {0};
    const mls_editions *editions = mls_cli_editions(cli);
    *edition = NULL;
    if (editions == NULL) {
        return false;
    }
    if (cli->edition == NULL ||
        mls_editions_find(editions, cli->usage, mls_str_from(cli->edition), edition, &error) == MLS_OK) {
        return true;
    }
    mls_cli_complain(cli, NULL, "%s", error.message);
    return false;
}

bool mls_cli_output_open(mls_cli *cli, mls_output *output)
{
    mls_error error = {0};
    cli->view.output = output;
    if (mls_output_open(output, cli->output_path, &error) == MLS_OK) {
        return true;
    }
    mls_cli_complain(cli, cli->output_path, "%s", error.message);
    return false;
}

int mls_cli_output_close(mls_cli *cli, mls_output *output)
{
    mls_error error = {0};
    if (output->failed_errno == ENOMEM) {
        mls_output_abandon(output);
        mls_cli_complain(cli, NULL, "out of memory");
        return MLS_EXIT_IO;
    }
    switch (mls_output_close(output, &error)) {
    case MLS_OK:
    case MLS_STOPPED:
        return MLS_EXIT_OK;
    default:
        mls_cli_complain(cli, cli->output_path != NULL ? cli->output_path : "standard output", "%s", error.message);
        return MLS_EXIT_IO;
    }
}

int mls_cli_print(mls_cli *cli, const mls_report *report, const void *what)
{
    mls_output output;
    if (!mls_cli_output_open(cli, &output)) {
        return MLS_EXIT_IO;
    }
    mls_print(&cli->view, report, what);
    return mls_cli_output_close(cli, &output);
}

/* ------------------------------------------------------------------ help */

static void mls_help_option(mls_output *output, const mls_option *option)
{
    mls_buffer left = {0};
    if (option->letter != '\0') {
        mls_buffer_printf(&left, "  -%c, --%s", option->letter, option->name);
    } else {
        mls_buffer_printf(&left, "      --%s", option->name);
    }
    if (option->argument != NULL) {
        mls_buffer_printf(&left, "=%s", option->argument);
    }
    if (left.len > 30) {
        mls_output_printf(output, "%.*s\n%32s%s\n", (int)left.len, left.ptr, "", option->help);
    } else {
        mls_output_printf(output, "%-32.*s%s\n", (int)left.len, left.ptr, option->help);
    }
    mls_buffer_release(&left);
}

void mls_cli_print_help(const mls_command *command, mls_output *output)
{
    mls_output_printf(output, "usage: mlscore %s %s\n\n%s\n", command->name, command->usage, command->about);
    if (command->options[0].id != 0) {
        mls_output_text(output, "\noptions:\n");
    }
    for (const mls_option *option = command->options; option->id != 0; option++) {
        mls_help_option(output, option);
    }
}

/* -------------------------------------------------------------- progress */

enum { MLS_PROGRESS_AFTER_MS = 500, MLS_PROGRESS_EVERY_MS = 100 };

static double mls_now_ms(void)
{
    struct timespec now;
    return clock_gettime(CLOCK_MONOTONIC, &now) == 0 ? (double)now.tv_sec * 1000 + (double)now.tv_nsec / 1e6 : 0;
}

void mls_cli_progress_start(mls_cli_progress *progress, const mls_cli *cli)
{
    const char *terminal = getenv("TERM");
    *progress = (mls_cli_progress){.wanted = !cli->view.quiet && isatty(STDERR_FILENO) == 1 && terminal != NULL &&
                                             strcmp(terminal, "dumb") != 0,
                                   .next_ms = mls_now_ms() + MLS_PROGRESS_AFTER_MS};
}

void mls_cli_progress_update(void *state, size_t files_done, size_t files, uint64_t bytes_done)
{
    mls_cli_progress *progress = state;
    const double now = progress->wanted ? mls_now_ms() : 0;
    if (progress->wanted && now >= progress->next_ms) {
        (void)fprintf(stderr, "\r%zu of %zu files, %.1f MB\033[K", files_done, files, (double)bytes_done / 1e6);
        (void)fflush(stderr);
        progress->shown = true;
        progress->next_ms = now + MLS_PROGRESS_EVERY_MS;
    }
}

void mls_cli_progress_end(mls_cli_progress *progress)
{
    if (progress->shown) {
        (void)fputs("\r\033[K", stderr);
        (void)fflush(stderr);
    }
    progress->wanted = false;
}
