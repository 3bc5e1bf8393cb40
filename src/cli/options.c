/* SPDX-License-Identifier: Apache-2.0 */
/* options.c - parse a command line with the table of options of a command, and print --help from the same table. */
#include <getopt.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/number.h"
#include "base/utf8.h"
#include "cli/command.h"

enum { OPTIONS_MAX = 64, THREADS_ALLOWED = 256, LONG_OPTION = 256 };

/* The layout of --help in columns, which is the same on every terminal. */
enum { HELP_WIDTH = 80, HELP_COLUMN = 32 };

void mls_cli_print_help(const mls_command *command, mls_output *output)
{
    mls_view view = {.output = output};
    mls_buffer left = {0};
    /* The first common option after the last of the command's own options. */
    const mls_option *common = command->options;
    for (const mls_option *option = command->options; option->name != NULL; option++)
        common = option->common ? common : option + 1;
    mls_output_printf(output, "usage: mlscore %s%s%s\n\n%s\n\noptions:\n", command->name,
                      command->name[0] != '\0' ? " " : "", command->usage, command->about);
    for (const mls_option *option = command->options; option->name != NULL; option++) {
        if (option == common && option != command->options)
            mls_output_text(output, "\ncommon options:\n");
        mls_buffer_clear(&left);
        if (option->letter != '\0')
            mls_buffer_printf(&left, "  -%c, --%s", option->letter, option->name);
        else
            mls_buffer_printf(&left, "      --%s", option->name);
        if (option->argument != NULL)
            mls_buffer_printf(&left, option->does == MLS_SETS_CHOICE ? "[=%s]" : "=%s", option->argument);
        const size_t width = mls_display_width(mls_buffer_str(&left));
        const bool same_line = width + 2 <= HELP_COLUMN;
        mls_output_printf(output, "%s%*s", left.ptr, same_line ? (int)(HELP_COLUMN - width) : 0, "");
        if (!same_line)
            mls_output_printf(output, "\n%*s", HELP_COLUMN, "");
        mls_view_wrapped(&view, mls_str_from(option->help),
                         (mls_wrap){HELP_WIDTH, HELP_COLUMN, HELP_COLUMN, " ", false}, MLS_STYLE_PLAIN);
        mls_output_text(output, "\n");
    }
    mls_buffer_release(&left);
}

/* Set the member of an option.  Return false if the option ends the program, or after printing an error. */
static bool store_option(mls_cli *cli, const mls_option *option, const char *argument)
{
    size_t number;
    unsigned value = 0; /* index of the argument in the allowed values, from 1 */
    void *setting = (char *)(option->common ? cli : cli->settings) + option->at;
    if (argument != NULL && option->argument != NULL &&
        (option->does == MLS_SETS_CHOICE || strchr(option->argument, '|') != NULL)) {
        const mls_str text = mls_str_from(argument);
        mls_suggestion nearest = mls_suggest_for(text);
        const char *values = option->argument;
        bool known = false;
        for (mls_str word; !known && mls_list_next(&values, '|', &word); value++) {
            known = mls_str_equal(word, text);
            mls_suggest_add(&nearest, word);
        }
        if (!known) {
            return mls_cli_usage_error(cli, "invalid --%s '%s': expected %s%s%s", option->name, argument,
                                       strchr(option->argument, '|') != NULL ? "one of " : "", option->argument,
                                       mls_cli_suggestion(&nearest).text);
        }
    }
    switch (option->does) {
    case MLS_SETS_FLAG:
        *(bool *)setting = true;
        break;
    case MLS_SETS_TEXT:
    case MLS_SETS_CHOICE:
        *(const char **)setting = argument != NULL ? argument : "";
        break;
    case MLS_SETS_VALUE:
        *(unsigned *)setting = value;
        break;
    case MLS_SETS_COUNT:
        if (!mls_size_parse(mls_str_from(argument), setting) || *(const size_t *)setting == 0)
            return mls_cli_usage_error(cli, "invalid --%s '%s': expected a whole number from 1", option->name,
                                       argument);
        break;
    case MLS_ADDS_TEXT:
        mls_names_add(setting, mls_str_from(argument));
        break;
    case MLS_COUNTS:
        ++*(unsigned *)setting;
        break;
    case MLS_SETS_USAGE:
        cli->usage_given = mls_usage_from_name(mls_str_from(argument), setting);
        break;
    case MLS_SETS_FORMAT:
        cli->format_given = mls_format_from_name(mls_str_from(argument), setting);
        break;
    case MLS_SETS_THREADS:
        if (!mls_size_parse(mls_str_from(argument), &number) || number < 1 || number > THREADS_ALLOWED) {
            return mls_cli_usage_error(cli, "invalid -j '%s': expected a whole number from 1 to %d", argument,
                                       THREADS_ALLOWED);
        }
        *(unsigned *)setting = (unsigned)number;
        break;
    default:
        if (mls_cli_open(cli) && option->does == MLS_PRINTS_HELP)
            mls_cli_print_help(cli->command, &cli->output);
        else if (cli->view.output != NULL)
            mls_cli_print_version(&cli->output);
        return false;
    }
    return true;
}

/* Report the option `word`, which getopt did not accept.  If `got` is ':', its argument is missing.  Otherwise, getopt
 * has set optopt: to the unknown letter, to the number of a long option that was given an argument but does not take
 * one, or to 0 for an unknown long option. */
static bool refuse(mls_cli *cli, int got, const char *word)
{
    if (got == ':')
        return mls_cli_usage_error(cli, "option '%s' needs an argument", word);
    if (optopt >= LONG_OPTION)
        return mls_cli_usage_error(cli, "option '%s' does not take an argument", word);
    if (optopt != 0)
        return mls_cli_usage_error(cli, "unknown option -%c", optopt);
    const mls_str bare = mls_str_from(word + strspn(word, "-"));
    mls_suggestion nearest = mls_suggest_for((mls_str){bare.ptr, strcspn(bare.ptr, "=")});
    for (const mls_option *option = cli->command->options; option->name != NULL; option++)
        mls_suggest_add(&nearest, mls_str_from(option->name));
    const mls_str name = nearest.found;
    return mls_cli_usage_error(cli,
                               name.len > 0 ? "unknown option '%s'; did you mean '--%.*s'?" : "unknown option '%s'",
                               word, (int)name.len, name.ptr);
}

/* Check that no two options exclude each other, and that no option lacks another one that it needs.  Return false after
 * printing an error. */
static bool are_compatible(mls_cli *cli, const bool given[OPTIONS_MAX])
{
    const mls_option *options = cli->command->options;
    for (size_t i = 0; options[i].name != NULL; i++) {
        const mls_option *option = &options[i];
        bool met = !given[i] || option->needs == NULL;
        for (size_t k = 0; given[i] && options[k].name != NULL; k++) {
            if (given[k] && k != i && option->group != NULL && options[k].group != NULL &&
                strcmp(option->group, options[k].group) == 0)
                return mls_cli_usage_error(cli, "%s cannot be combined", option->group);
            met |= given[k] && option->needs != NULL && strcmp(options[k].name, option->needs) == 0;
        }
        if (!met)
            return mls_cli_usage_error(cli, "--%s needs --%s", option->name, option->needs);
    }
    return true;
}

bool mls_cli_parse(mls_cli *cli, int argc, char **argv)
{
    const mls_option *options = cli->command->options;
    struct option longs[OPTIONS_MAX + 1] = {{0}};
    char shorts[2 * OPTIONS_MAX + 3] = ":";
    bool given[OPTIONS_MAX] = {false};
    int got;
    bool ok = true;
    /* Make the tables for getopt, and set the format to its default, the first one that the command supports. */
    char *next = shorts + 1;
    for (int i = 0; i < OPTIONS_MAX && options[i].name != NULL; i++) {
        mls_str first;
        const char *values = options[i].argument;
        const int takes = options[i].does == MLS_SETS_CHOICE ? optional_argument
                          : values != NULL                   ? required_argument
                                                             : no_argument;
        longs[i] = (struct option){options[i].name, takes, NULL, LONG_OPTION + i};
        if (options[i].letter != '\0') {
            *next++ = options[i].letter;
            *next = values != NULL ? ':' : '\0';
            next += values != NULL;
        }
        if (options[i].does == MLS_SETS_FORMAT && values != NULL && mls_list_next(&values, '|', &first))
            (void)mls_format_from_name(first, &cli->view.format);
    }
    opterr = 0;
    optind = 0; /* 0 resets getopt completely; 1 would not, if a previous command line ended within a word */
    while (ok && (got = getopt_long(argc, argv, shorts, longs, NULL)) != -1) {
        const char *word = optind > 0 ? argv[optind - 1] : "";
        size_t i = 0;
        while (options[i].name != NULL && got != LONG_OPTION + (int)i &&
               (options[i].letter == '\0' || options[i].letter != got))
            i++;
        if (got == '?' || got == ':' || options[i].name == NULL) {
            ok = refuse(cli, got, word);
            continue;
        }
        given[i] = true;
        /* Options that weaken a verdict must not be abbreviated: --rcp must not be taken for --rcp-bypass. */
        if (mls_str_ends(mls_str_from(options[i].name), MLS_S("-bypass")) && strcmp(word + 2, options[i].name) != 0)
            ok = mls_cli_usage_error(cli, "unknown option '%s'; did you mean '--%s'?", word, options[i].name);
        else
            ok = store_option(cli, &options[i], optarg);
    }
    ok = ok && are_compatible(cli, given);
    /* Decide whether to use colors, and whether to restrict output to ASCII. */
    static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    const char *none = getenv("NO_COLOR");
    const char *terminal = getenv("TERM");
    const char *locale = NULL;
    if (cli->color != NULL && strcmp(cli->color, "auto") != 0)
        cli->view.color = strcmp(cli->color, "always") == 0;
    else
        cli->view.color = (none == NULL || *none == '\0') && cli->output_path == NULL && isatty(STDOUT_FILENO) == 1 &&
                          terminal != NULL && strcmp(terminal, "dumb") != 0;
    for (size_t i = 0; i < sizeof names / sizeof *names && (locale == NULL || *locale == '\0'); i++)
        locale = getenv(names[i]);
    /* If no locale is set, assume UTF-8, which nearly every terminal supports. */
    cli->view.ascii =
        locale != NULL && *locale != '\0' && strcasestr(locale, "utf-8") == NULL && strcasestr(locale, "utf8") == NULL;
    for (int i = optind; i < argc && ok; i++)
        mls_names_add(&cli->operands, mls_str_from(argv[i]));
    if (ok && cli->files_from != NULL) {
        mls_buffer text = {0};
        ok = mls_cli_read_file(cli, cli->files_from, &text);
        mls_str rest = mls_buffer_str(&text);
        for (mls_str name; rest.len > 0;) {
            (void)mls_str_cut(&rest, cli->files_from_null ? '\0' : '\n', &name);
            if (name.len > 0)
                mls_names_add(&cli->operands, name);
        }
        mls_buffer_release(&text);
    }
    const char *missing = cli->operands.count == 0 ? cli->command->paths : NULL;
    return ok && (missing == NULL || *missing == '\0' || mls_cli_usage_error(cli, "%s", missing));
}
