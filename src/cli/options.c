/* SPDX-License-Identifier: Apache-2.0 */
/*
 * options.c - from a command line and a table to settings.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/folder.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/parallel.h"
#include "base/utf8.h"
#include "cli/command.h"

enum { MLS_OPTIONS_MAX = 64, MLS_THREADS_ALLOWED = 256 };

/* Whether `word` is one of the values "a|b|c". */
static bool mls_value_allowed(const char *values, const char *word)
{
    const size_t len = strchr(word, '|') == NULL ? strlen(word) : 0;
    for (const char *at = values; at != NULL; at = strchr(at, '|')) {
        at += *at == '|';
        if (strncmp(at, word, len) == 0 && (at[len] == '|' || at[len] == '\0') && len > 0) {
            return true;
        }
    }
    return false;
}

bool mls_cli_number(const mls_cli *cli, const char *option, const char *argument, size_t min, size_t max,
                    size_t *number)
{
    if (mls_size_parse(mls_str_from(argument), number) && *number >= min && *number <= max) {
        return true;
    }
    (void)mls_cli_usage_error(cli, "%s takes a whole number from %zu to %zu, not '%s'", option, min, max, argument);
    return false;
}

static bool mls_option_color(mls_cli *cli, const char *argument)
{
    if (strcmp(argument, "auto") != 0) {
        cli->view.color = strcmp(argument, "always") == 0;
        return true;
    }
    const char *none = getenv("NO_COLOR");
    const char *terminal = getenv("TERM");
    cli->view.color = (none == NULL || *none == '\0') && cli->output_path == NULL && isatty(STDOUT_FILENO) == 1 &&
                      terminal != NULL && strcmp(terminal, "dumb") != 0;
    return true;
}

/* One option has been read.  False after a complaint. */
static bool mls_option_take(mls_cli *cli, const mls_option *option, const char *argument)
{
    size_t number;
    if (option->argument != NULL && strchr(option->argument, '|') != NULL &&
        !mls_value_allowed(option->argument, argument)) {
        (void)mls_cli_usage_error(cli, "--%s is one of %s, not '%s'", option->name, option->argument, argument);
        return false;
    }
    switch (option->id) {
    case MLS_OPTION_USAGE:
        cli->usage_given = true;
        return mls_usage_from_name(mls_str_from(argument), &cli->usage);
    case MLS_OPTION_EDITION:
        cli->edition = argument;
        return true;
    case MLS_OPTION_RULES:
        cli->rules_path = argument;
        return true;
    case MLS_OPTION_FORMAT:
        return mls_format_from_name(mls_str_from(argument), &cli->view.format);
    case MLS_OPTION_OUTPUT:
        cli->output_path = argument;
        return true;
    case MLS_OPTION_FILES_FROM:
        cli->files_from = argument;
        return true;
    case MLS_OPTION_NULL:
        cli->files_from_null = true;
        return true;
    case MLS_OPTION_THREADS:
        if (!mls_cli_number(cli, "-j", argument, 1, MLS_THREADS_ALLOWED, &number)) {
            return false;
        }
        cli->threads = (unsigned)number;
        return true;
    case MLS_OPTION_COLOR:
        return mls_option_color(cli, argument);
    case MLS_OPTION_QUIET:
        cli->view.quiet = true;
        return true;
    case MLS_OPTION_VERBOSE:
        cli->view.verbose++;
        return true;
    case MLS_OPTION_STRICT:
        cli->view.strict = true;
        return true;
    default:
        return cli->command->option != NULL && cli->command->option(cli, option->id, argument);
    }
}

/* getopt's two tables from ours. */
static size_t mls_options_translate(const mls_option *options, struct option *longs, char *shorts)
{
    size_t count = 0;
    size_t letters = 0;
    shorts[letters++] = ':';
    for (; count < MLS_OPTIONS_MAX && options[count].id != 0; count++) {
        const bool argument = options[count].argument != NULL;
        longs[count] =
            (struct option){options[count].name, argument ? required_argument : no_argument, NULL, options[count].id};
        if (options[count].letter != '\0') {
            shorts[letters++] = options[count].letter;
            if (argument) {
                shorts[letters++] = ':';
            }
        }
    }
    longs[count] = (struct option){NULL, 0, NULL, 0};
    shorts[letters] = '\0';
    return count;
}

static const mls_option *mls_option_by(const mls_option *options, size_t count, int got)
{
    for (size_t i = 0; i < count; i++) {
        if (options[i].id == got || (options[i].letter != '\0' && options[i].letter == got)) {
            return &options[i];
        }
    }
    return NULL;
}

static bool mls_operand_add(mls_cli *cli, const char *text, size_t len)
{
    if (!mls_grow((void **)&cli->operands, cli->operand_count, &cli->operand_capacity, sizeof *cli->operands) ||
        (cli->operands[cli->operand_count] = mls_copy_text(text, len)) == NULL) {
        mls_cli_complain(cli, NULL, "out of memory");
        return false;
    }
    cli->operand_count++;
    return true;
}

bool mls_cli_read_file(const mls_cli *cli, const char *path, mls_buffer *text)
{
    const bool standard_input = strcmp(path, "-") == 0;
    const int fd = standard_input ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    int system_errno = fd < 0 ? errno : ENOMEM;
    const bool read = fd >= 0 && mls_read_all(fd, SIZE_MAX, text, &system_errno) == MLS_OK;
    if (!read) {
        mls_cli_complain(cli, path, "%s", strerror(system_errno));
    }
    if (fd >= 0 && !standard_input) {
        (void)close(fd);
    }
    return read;
}

/* Adds the paths that --files-from lists.  Returns -1 to go on, or an exit status. */
static int mls_files_from(mls_cli *cli)
{
    mls_buffer text = {0};
    if (!mls_cli_read_file(cli, cli->files_from, &text)) {
        mls_buffer_release(&text);
        return MLS_EXIT_IO;
    }
    const char end = cli->files_from_null ? '\0' : '\n';
    bool ok = true;
    for (size_t at = 0; at < text.len && ok;) {
        const char *stop = memchr(text.ptr + at, end, text.len - at);
        const size_t len = stop != NULL ? (size_t)(stop - text.ptr) - at : text.len - at;
        if (len > 0) {
            ok = mls_operand_add(cli, text.ptr + at, len);
        }
        at += len + 1;
    }
    mls_buffer_release(&text);
    return ok ? -1 : MLS_EXIT_IO;
}

/*
 * What getopt did not like: ':' for a missing argument, else '?' with the
 * culprit in optopt, which is a letter or the number of a long option that
 * takes no argument, or 0, and then it is the word before optind.
 */
static int mls_option_refused(const mls_cli *cli, int got, char **argv, int index)
{
    const char *word = index > 0 ? argv[index - 1] : "";
    if (got == ':') {
        return mls_cli_usage_error(cli, "option '%s' needs an argument", word);
    }
    if (optopt != 0 && optopt < MLS_OPTION_USAGE) {
        return mls_cli_usage_error(cli, "unknown option -%c", optopt);
    }
    return mls_cli_usage_error(cli, optopt != 0 ? "option '%s' takes no argument" : "unknown option '%s'", word);
}

/* The first of the formats that the command offers. */
static void default_format(mls_cli *cli)
{
    for (const mls_option *option = cli->command->options; option->id != 0; option++) {
        if (option->id == MLS_OPTION_FORMAT) {
            const mls_str first = {option->argument, strcspn(option->argument, "|")};
            (void)mls_format_from_name(first, &cli->view.format);
        }
    }
}

int mls_cli_parse(mls_cli *cli, int argc, char **argv)
{
    struct option longs[MLS_OPTIONS_MAX + 1];
    char shorts[2 * MLS_OPTIONS_MAX + 2];
    const size_t count = mls_options_translate(cli->command->options, longs, shorts);
    const char *color = "auto";
    int got;
    default_format(cli);
    opterr = 0;
    optind = 0; /* not 1: getopt may be in the middle of a word of the last command line */
    while ((got = getopt_long(argc, argv, shorts, longs, NULL)) != -1) {
        const mls_option *option = got != '?' && got != ':' ? mls_option_by(cli->command->options, count, got) : NULL;
        if (option == NULL) {
            return mls_option_refused(cli, got, argv, optind);
        }
        if (option->id == MLS_OPTION_HELP || option->id == MLS_OPTION_VERSION) {
            mls_output output;
            if (!mls_cli_output_open(cli, &output)) {
                return MLS_EXIT_IO;
            }
            if (option->id == MLS_OPTION_HELP) {
                mls_cli_print_help(cli->command, &output);
            } else {
                mls_output_text(&output, "mlscore " MLS_VERSION "\n");
            }
            return mls_cli_output_close(cli, &output);
        }
        if (option->id == MLS_OPTION_COLOR && mls_value_allowed(option->argument, optarg)) {
            color = optarg;
        } else if (!mls_option_take(cli, option, optarg)) {
            return MLS_EXIT_USAGE;
        }
    }
    (void)mls_option_color(cli, color); /* last: -o decides too */
    for (int i = optind; i < argc; i++) {
        if (!mls_operand_add(cli, argv[i], strlen(argv[i]))) {
            return MLS_EXIT_IO;
        }
    }
    return cli->files_from != NULL ? mls_files_from(cli) : -1;
}

void mls_cli_release(mls_cli *cli)
{
    for (size_t i = 0; i < cli->operand_count; i++) {
        free(cli->operands[i]);
    }
    free((void *)cli->operands);
    mls_ruleset_free(cli->own_ruleset);
    mls_rulesets_free(cli->rulesets);
    cli->operands = NULL;
    cli->operand_count = 0;
    cli->rulesets = NULL;
    cli->own_ruleset = NULL;
}
