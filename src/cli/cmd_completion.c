/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_completion.c - mlscore completion: print completion files for shells, from the tables that parse the command
 * line. The files in completions/ are its output; a test compares them.
 *
 * A file is a template of src/data/completions, in which @ and a letter mean
 *   @n  all commands       @c  the command      @s  its summary
 *   @w  the values of its operands (all of COMMAND, EDITION, BENCHMARK, FINDING)
 *   @o  the option         @l  its letter       @h  its help
 *   @v  its values         @a  its argument     @@  @
 * @[ … @. repeats a text for every command, @( … @. for every option of the command; @< … @. applies it to the options
 * of `mlscore PATH`.  @?X … @. keeps the text if condition X is true, @!X … @. keeps the text if
 * condition X is false.  The conditions are
 *   L  the option has a letter
 *   A  the option takes an argument;  V  the argument is from a list of values;  F  the argument is a file
 *   E  the option ends the program;  R  the option may be repeated
 *   W  the operands of the command have values;  P  the operands are paths
 *   B  an option of the command takes an argument */
#include "base/data.h"
#include "base/map.h"
#include "cli/command.h"

static const mls_option options[] = {MLS_ROWS_LAST};

/* The command and the option outside of the loops of a template. */
static const mls_option no_option = {.name = NULL, .help = ""};
static const mls_command no_command = {.name = "", .summary = "", .options = &no_option};

/* The values of the placeholders at a place in a template, and where to print it. */
typedef struct place {
    mls_output *output;
    const mls_editions *editions;
    const mls_command *const *commands;
    const char *special; /* characters that need a backslash in quotes */
    const mls_command *command;
    const mls_option *option;
} place;

/* Print a word, and a blank before it unless it is the first one.  Do not print a word twice. */
static void print_word(const place *at, mls_map *printed, mls_str word)
{
    bool added = false;
    mls_map_put(printed, word, &added);
    if (added) {
        mls_output_text(at->output, printed->count > 1 ? " " : "");
        mls_output_write(at->output, word);
    }
}

/* Print the list "a|b|c" as "a b c".  A word in capital letters, such as COMMAND, is replaced by all its values. */
static void print_words(const place *at, const char *words)
{
    mls_arena arena = {0};
    mls_map printed = {.arena = &arena};
    for (mls_str word; words != NULL && mls_list_next(&words, '|', &word);) {
        const bool editions = mls_str_equal(word, MLS_S("EDITION"));
        if (mls_str_equal(word, MLS_S("COMMAND"))) {
            for (size_t i = 0; at->commands[i] != NULL; i++)
                print_word(at, &printed, mls_str_from(at->commands[i]->name));
        } else if (mls_str_equal(word, MLS_S("FINDING"))) {
            for (mls_finding_code code = 0; code < MLS_FINDING_COUNT; code++)
                print_word(at, &printed, mls_str_from(mls_finding_info_get(code)->name));
        } else if (editions || mls_str_equal(word, MLS_S("BENCHMARK"))) {
            for (size_t u = 0; u < MLS_USAGE_COUNT; u++) {
                const mls_usage usage = (mls_usage)u;
                for (size_t i = 0; i < mls_editions_count(at->editions, usage); i++) {
                    const mls_edition *edition = mls_editions_get(at->editions, usage, i);
                    if (editions)
                        print_word(at, &printed, mls_edition_round(edition));
                    for (size_t b = 0; !editions && b < edition->benchmark_count; b++)
                        print_word(at, &printed, mls_str_from(edition->benchmarks[b]->name));
                }
            }
        } else {
            print_word(at, &printed, word);
        }
    }
    mls_arena_release(&arena);
}

static const char *values_of(const mls_option *option)
{
    return option->argument != NULL && strchr(option->argument, '|') != NULL ? option->argument : option->words;
}

static bool is_met(char condition, const mls_command *c, const mls_option *o)
{
    const bool argument = o->argument != NULL && o->does != MLS_SETS_CHOICE;
    switch (condition) {
    case 'L':
        return o->letter != '\0';
    case 'A':
        return argument;
    case 'V':
        return argument && values_of(o) != NULL;
    case 'F':
        return argument && (strncmp(o->argument, "FILE", 4) == 0 || strcmp(o->argument, "LOG") == 0 ||
                            strcmp(o->argument, "PATH") == 0);
    case 'E':
        return o->does == MLS_PRINTS_HELP || o->does == MLS_PRINTS_VERSION;
    case 'R':
        return o->does == MLS_COUNTS;
    case 'W':
        return c->words != NULL;
    case 'P':
        return c->paths != NULL;
    /* 'B': options with an argument precede --help, so if --help is the first option, no option has an argument. */
    default:
        return c->options[0].does != MLS_PRINTS_HELP;
    }
}

static void print_token(char token, const place *at)
{
    if (token == 'n' || token == 'w' || token == 'v') {
        print_words(at, token == 'n' ? "COMMAND" : token == 'w' ? at->command->words : values_of(at->option));
    } else if (token == 's' || token == 'h') { /* print a text inside single quotes of the shell */
        for (const char *text = token == 's' ? at->command->summary : at->option->help; *text != '\0'; text++)
            if (*text == '\'')
                mls_output_text(at->output, "'\\''");
            else
                mls_output_printf(at->output, "%s%c", strchr(at->special, *text) != NULL ? "\\" : "", *text);
    } else {
        const char letter[] = {token == 'l' ? at->option->letter : token, '\0'};
        mls_output_text(at->output, token == 'c'   ? at->command->name
                                    : token == 'o' ? at->option->name
                                    : token == 'a' ? at->option->argument
                                                   : letter);
    }
}

/* Print a template up to the matching "@." or its end; if `on` is false, skip it without printing.  Return the rest of
 * the template. */
static const char *render(const char *text, place at, bool on)
{
    while (*text != '\0') {
        const size_t plain = strcspn(text, "@");
        mls_output_write(at.output, (mls_str){text, on ? plain : 0});
        text += plain;
        if (*text == '\0')
            return text;
        const char token = text[1];
        const char *body = text += 2;
        if (token == '.')
            return text;
        if (token == '?' || token == '!') {
            text = render(body + 1, at, on && is_met(*body, at.command, at.option) == (token == '?'));
        } else if (token == '<') {
            place alone = at;
            alone.command = &mls_command_overview;
            text = render(body, alone, on);
        } else if (token == '[' || token == '(') {
            place each = at;
            text = render(body, at, false);
            each.option = token == '[' ? &no_option : at.command->options;
            for (size_t i = 0; on && token == '[' && at.commands[i] != NULL; i++) {
                each.command = at.commands[i];
                (void)render(body, each, true);
            }
            for (; on && token == '(' && each.option->name != NULL; each.option++)
                (void)render(body, each, true);
        } else if (on) {
            print_token(token, &at);
        }
    }
    return text;
}

static void completion_run(mls_cli *cli)
{
    static const struct {
        const char *name, *file, *special;
    } shells[] = {{"bash", "completions/bash.template", ""},
                  {"zsh", "completions/zsh.template", "[]:\\"},
                  {"fish", "completions/fish.template", "\\"}};
    const char *wanted = cli->operands.count == 1 ? cli->operands.items[0] : "";
    mls_suggestion nearest = mls_suggest_for(mls_str_from(wanted));
    place all = {.output = &cli->output, .commands = cli->commands, .command = &no_command, .option = &no_option};
    for (size_t i = 0; i < sizeof shells / sizeof *shells; i++) {
        mls_suggest_add(&nearest, mls_str_from(shells[i].name));
        if (strcmp(wanted, shells[i].name) == 0) {
            all.editions = mls_cli_editions(cli);
            all.special = shells[i].special;
            const char *template = mls_data_find(shells[i].file).ptr;
            if (all.editions != NULL && mls_cli_open(cli) && template != NULL)
                (void)render(template, all, true);
            return;
        }
    }
    mls_cli_usage_error(cli, "expected bash, zsh or fish%s", mls_cli_suggestion(&nearest).text);
}

const mls_command mls_command_completion = {
    .name = "completion",
    .summary = "print a completion file for bash, zsh or fish",
    .usage = "bash|zsh|fish",
    .about = "Prints the completion of commands, options and option values for a shell. 'make\n"
             "install' installs the same files where the shells look for them.",
    .options = options,
    .words = "bash|zsh|fish",
    .run = completion_run,
};
