/* SPDX-License-Identifier: Apache-2.0 */
/* options.c - from a command line and a table to settings, and --help. */
#include <getopt.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/number.h"
#include "cli/command.h"

enum { OPTIONS_MAX = 64, THREADS_ALLOWED = 256, LONG_OPTION = 256 };

/* Of help, which is the same on every terminal. */
enum { HELP_WIDTH = 80, HELP_COLUMN = 32 };

/* A term, and from HELP_COLUMN on what it means. */
static void help_term(mls_output *output, const char *term, const char *text)
{
    mls_view view = {.output = output};
    const bool beside = strlen(term) + 2 <= HELP_COLUMN;
    mls_output_printf(output, "%-*s", beside ? HELP_COLUMN : 0, term);
    if (!beside)
        mls_output_printf(output, "\n%*s", HELP_COLUMN, "");
    mls_view_wrapped(&view, mls_str_from(text), (mls_wrap){HELP_WIDTH, HELP_COLUMN, HELP_COLUMN, " ", false},
                     MLS_STYLE_PLAIN);
    mls_output_text(output, "\n");
}

static void help_option(mls_output *output, const mls_option *option)
{
    mls_buffer left = {0};
    if (option->letter != '\0')
        mls_buffer_printf(&left, "  -%c, --%s", option->letter, option->name);
    else
        mls_buffer_printf(&left, "      --%s", option->name);
    if (option->argument != NULL)
        mls_buffer_printf(&left, option->does == MLS_SETS_CHOICE ? "[=%s]" : "=%s", option->argument);
    help_term(output, left.ptr, option->help);
    mls_buffer_release(&left);
}

void mls_cli_print_help(const mls_command *command, mls_output *output)
{
    mls_output_printf(output, "usage: mlscore %s%s%s\n\n%s\n\noptions:\n", command->name,
                      command->name[0] != '\0' ? " " : "", command->usage, command->about);
    for (const mls_option *option = command->options; option->name != NULL; option++)
        help_option(output, option);
}

/* Which of an option's values a word is, from 1; 0 after a complaint. */
static unsigned number_of_value(mls_cli *cli, const mls_option *option, const char *word)
{
    const mls_str text = mls_str_from(word);
    mls_suggestion nearest = mls_suggest_for(text);
    const char *at = option->argument;
    unsigned number = 1;
    for (mls_str value; mls_list_next(&at, '|', &value); number++) {
        if (mls_str_equal(value, text))
            return number;
        mls_suggest_add(&nearest, value);
    }
    mls_cli_usage_error(cli, "--%s is one of %s, not '%s'%s", option->name, option->argument, word,
                        mls_cli_suggestion(&nearest).text);
    return 0;
}

/* One option has been read.  False: it ends everything. */
static bool take_option(mls_cli *cli, const mls_option *option, const char *argument)
{
    size_t number;
    unsigned value = 0;
    void *setting = (char *)(option->common ? cli : cli->settings) + option->at;
    if (argument != NULL && (option->does == MLS_SETS_CHOICE || strchr(option->argument, '|') != NULL) &&
        (value = number_of_value(cli, option, argument)) == 0)
        return false;
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
            return mls_cli_usage_error(cli, "--%s takes a whole number from 1 on, not '%s'", option->name, argument);
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
            return mls_cli_usage_error(cli, "-j takes a whole number from 1 to %d, not '%s'", THREADS_ALLOWED,
                                       argument);
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

/* Sets what holds before any option is read: the first of the formats that the command offers. */
static void set_defaults(mls_cli *cli)
{
    for (const mls_option *option = cli->command->options; option->name != NULL; option++) {
        mls_str first;
        const char *at = option->argument;
        if (option->does == MLS_SETS_FORMAT && at != NULL && mls_list_next(&at, '|', &first))
            (void)mls_format_from_name(first, &cli->view.format);
    }
}

/* -o decides whether results are coloured, too. */
static void decide_color(mls_cli *cli)
{
    const char *none = getenv("NO_COLOR");
    const char *terminal = getenv("TERM");
    if (cli->color != NULL && strcmp(cli->color, "auto") != 0) {
        cli->view.color = strcmp(cli->color, "always") == 0;
    } else {
        cli->view.color = (none == NULL || *none == '\0') && cli->output_path == NULL && isatty(STDOUT_FILENO) == 1 &&
                          terminal != NULL && strcmp(terminal, "dumb") != 0;
    }
}

/* A locale that is named and is no UTF-8 one; where nothing names one, nearly every terminal has it. */
static bool lacks_utf8(void)
{
    static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    const char *locale = NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names && (locale == NULL || *locale == '\0'); i++)
        locale = getenv(names[i]);
    return locale != NULL && *locale != '\0' && strcasestr(locale, "utf-8") == NULL &&
           strcasestr(locale, "utf8") == NULL;
}

/* Adds the paths that --files-from lists.  False after a complaint. */
static bool add_files_from(mls_cli *cli)
{
    mls_buffer text = {0};
    const char end = cli->files_from_null ? '\0' : '\n';
    const bool ok = mls_cli_read_file(cli, cli->files_from, &text);
    for (mls_str rest = mls_buffer_str(&text); rest.len > 0;) {
        mls_str name;
        (void)mls_str_cut(&rest, end, &name);
        if (name.len > 0)
            mls_names_add(&cli->operands, name);
    }
    mls_buffer_release(&text);
    return ok;
}

/* getopt's two tables from ours. */
static void translate(const mls_option *options, struct option *longs, char *shorts)
{
    *shorts++ = ':';
    for (int i = 0; i < OPTIONS_MAX && options[i].name != NULL; i++) {
        const bool argument = options[i].argument != NULL;
        const int takes = options[i].does == MLS_SETS_CHOICE ? optional_argument
                          : argument                         ? required_argument
                                                             : no_argument;
        *longs++ = (struct option){options[i].name, takes, NULL, LONG_OPTION + i};
        if (options[i].letter != '\0') {
            *shorts++ = options[i].letter;
            *shorts = ':';
            shorts += argument;
        }
    }
    *longs = (struct option){NULL, 0, NULL, 0};
    *shorts = '\0';
}

static const mls_option *option_by(const mls_option *options, int got)
{
    for (int i = 0; options[i].name != NULL; i++)
        if (got == LONG_OPTION + i || (options[i].letter != '\0' && options[i].letter == got))
            return &options[i];
    return NULL;
}

/* Says what getopt did not like: ':' for a missing argument, else '?' with the culprit in optopt, which is a letter or
 * the number of a long option that takes no argument, or 0, and then it is the word before optind. */
static bool refuse(mls_cli *cli, int got, const char *word)
{
    if (got == ':')
        return mls_cli_usage_error(cli, "option '%s' needs an argument", word);
    if (optopt >= LONG_OPTION)
        return mls_cli_usage_error(cli, "option '%s' takes no argument", word);
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

/* Complain of options that exclude each other, and of one that is given without the one that it needs. */
static bool are_compatible(mls_cli *cli, const bool given[OPTIONS_MAX])
{
    const mls_option *options = cli->command->options;
    for (size_t i = 0; options[i].name != NULL; i++) {
        const mls_option *option = &options[i];
        bool met = !given[i] || option->needs == NULL;
        for (size_t k = 0; given[i] && options[k].name != NULL; k++) {
            if (given[k] && k != i && option->group != NULL && options[k].group != NULL &&
                strcmp(option->group, options[k].group) == 0)
                return mls_cli_usage_error(cli, "%s exclude each other", option->group);
            met |= given[k] && option->needs != NULL && strcmp(options[k].name, option->needs) == 0;
        }
        if (!met) {
            return option->about != NULL ? mls_cli_usage_error(cli, "--%s is about %s: it needs --%s", option->name,
                                                               option->about, option->needs)
                                         : mls_cli_usage_error(cli, "--%s needs --%s", option->name, option->needs);
        }
    }
    return true;
}

/* An option that makes a verdict weaker is not to be abbreviated: who writes --rcp may not mean --rcp-bypass. */
static bool is_whole(mls_cli *cli, const mls_option *option, const char *word)
{
    return !mls_str_ends(mls_str_from(option->name), MLS_S("-bypass")) || strcmp(word + 2, option->name) == 0 ||
           mls_cli_usage_error(cli, "unknown option '%s'; did you mean '--%s'?", word, option->name);
}

bool mls_cli_parse(mls_cli *cli, int argc, char **argv)
{
    struct option longs[OPTIONS_MAX + 1];
    char shorts[2 * OPTIONS_MAX + 3];
    bool given[OPTIONS_MAX] = {false};
    int got;
    bool ok = true;
    translate(cli->command->options, longs, shorts);
    set_defaults(cli);
    opterr = 0;
    optind = 0; /* not 1: getopt may be in the middle of a word of the last command line */
    while (ok && (got = getopt_long(argc, argv, shorts, longs, NULL)) != -1) {
        const mls_option *option = got != '?' && got != ':' ? option_by(cli->command->options, got) : NULL;
        const char *word = optind > 0 ? argv[optind - 1] : "";
        ok = option == NULL ? refuse(cli, got, word) : is_whole(cli, option, word) && take_option(cli, option, optarg);
        if (option != NULL)
            given[option - cli->command->options] = true;
    }
    ok = ok && are_compatible(cli, given);
    decide_color(cli);
    cli->view.ascii = lacks_utf8();
    for (int i = optind; i < argc && ok; i++)
        mls_names_add(&cli->operands, mls_str_from(argv[i]));
    ok = ok && (cli->files_from == NULL || add_files_from(cli));
    const char *missing = cli->operands.count == 0 ? cli->command->paths : NULL;
    return ok && (missing == NULL || *missing == '\0' || mls_cli_usage_error(cli, "%s", missing));
}
