/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_completion.c - mlscore completion: completion files for shells, made
 * from the same tables that parse the command line.  The files in completions/
 * are what this prints; a test compares them.
 *
 * A file is a template of src/data/completions, in which @ and a letter stand for
 *   @n  all commands       @c  the command      @s  its summary
 *   @w  its operands' words (all of COMMAND, EDITION, BENCHMARK, FINDING)
 *   @o  the option         @l  its letter       @h  its help
 *   @v  its values         @a  its argument     @@  @
 * and, up to @. for each, @[ for every command, @( for every option of the
 * command, and @? with a letter for what is only there if
 *   L  the option has a letter, H  has one and ends nothing,  N  has none
 *   A  it takes an argument, which is  V  one of its values, F  a file, T  any text
 *   E  it ends everything,  R  it may stand more than once
 *   W  the command's operands are words,  P  paths,  O  neither
 *   B  some option of the command takes an argument.
 */
#include <string.h>

#include "base/data.h"
#include "cli/command.h"

static const mls_option options[] = {MLS_ROWS_LAST};

/* What a template is about outside of its loops. */
static const mls_option no_option = {.name = NULL, .help = ""};
static const mls_command no_command = {.name = "", .summary = "", .options = &no_option};

/* What stands around a place of a template. */
typedef struct place {
    mls_output *output;
    const mls_editions *editions;
    const char *special; /* gets a backslash inside of quotes */
    const mls_command *command;
    const mls_option *option;
    bool *between; /* words: a blank comes first */
} place;

static void print_word(const place *at, mls_str word)
{
    mls_output_text(at->output, *at->between ? " " : "");
    mls_output_write(at->output, word);
    *at->between = true;
}

/* Benchmarks of an edition that none before it had. */
static void print_benchmarks(const place *at, mls_usage usage, size_t index)
{
    const mls_edition *edition = mls_editions_get(at->editions, usage, index);
    for (size_t b = 0; b < edition->benchmark_count; b++) {
        const char *name = edition->benchmarks[b]->name;
        bool known = false;
        for (size_t i = 0; i < index && !known; i++) {
            known = mls_edition_has_benchmark(mls_editions_get(at->editions, usage, i), mls_str_from(name));
        }
        if (!known) {
            print_word(at, mls_str_from(name));
        }
    }
}

/* "5.1", once where both families have it. */
static void print_edition(const place *at, mls_usage usage, size_t index)
{
    const mls_edition *same;
    const mls_str name = mls_str_from(mls_editions_get(at->editions, usage, index)->name);
    if (usage == MLS_USAGE_TRAINING ||
        mls_editions_find(at->editions, MLS_USAGE_TRAINING, name, &same, NULL) != MLS_OK) {
        print_word(at, mls_str_ends(name, MLS_S(".0")) ? (mls_str){name.ptr, name.len - 2} : name);
    }
}

/* What a word in capitals stands for; false for any other word. */
static bool print_all(const place *at, mls_str word)
{
    const bool benchmarks = mls_str_equal(word, MLS_S("BENCHMARK"));
    if (mls_str_equal(word, MLS_S("COMMAND"))) {
        for (size_t i = 0; mls_commands[i] != NULL; i++) {
            print_word(at, mls_str_from(mls_commands[i]->name));
        }
    } else if (mls_str_equal(word, MLS_S("FINDING"))) {
        for (size_t i = 0; i < MLS_FINDING_COUNT; i++) {
            print_word(at, mls_str_from(mls_finding_info_get((mls_finding_code)i)->name));
        }
    } else if (benchmarks || mls_str_equal(word, MLS_S("EDITION"))) {
        for (size_t k = 0; k < MLS_USAGE_COUNT; k++) {
            for (size_t i = 0; i < mls_editions_count(at->editions, (mls_usage)k); i++) {
                (benchmarks ? print_benchmarks : print_edition)(at, (mls_usage)k, i);
            }
        }
    } else {
        return false;
    }
    return true;
}

/* "a|b|c" as "a b c". */
static void print_words(const place *at, const char *words)
{
    while (words != NULL && *words != '\0') {
        const mls_str word = {words, strcspn(words, "|")};
        if (!print_all(at, word)) {
            print_word(at, word);
        }
        words += word.len + (words[word.len] == '|');
    }
}

static const char *values_of(const mls_option *option)
{
    return option->argument != NULL && strchr(option->argument, '|') != NULL ? option->argument : option->words;
}

static bool holds(char condition, const place *at)
{
    const mls_option *o = at->option;
    const mls_command *c = at->command;
    const bool ends = o->does == MLS_PRINTS_HELP || o->does == MLS_PRINTS_VERSION;
    const bool file = o->argument != NULL && strncmp(o->argument, "FILE", 4) == 0;
    switch (condition) {
    case 'L':
        return o->letter != '\0';
    case 'H':
        return o->letter != '\0' && !ends && o->does != MLS_COUNTS;
    case 'N':
        return o->letter == '\0';
    case 'A':
        return o->argument != NULL;
    case 'V':
        return o->argument != NULL && values_of(o) != NULL;
    case 'F':
        return file;
    case 'T':
        return o->argument != NULL && !file && values_of(o) == NULL;
    case 'E':
        return ends;
    case 'R':
        return o->does == MLS_COUNTS;
    case 'W':
        return c->words != NULL;
    case 'P':
        return c->path_arguments;
    case 'O':
        return c->words == NULL && !c->path_arguments;
    default: /* B: the options before help take the arguments */
        return c->options[0].does != MLS_PRINTS_HELP;
    }
}

/* A text for single quotes. */
static void print_quoted(const place *at, const char *text)
{
    for (; *text != '\0'; text++) {
        if (*text == '\'') {
            mls_output_text(at->output, "'\\''");
        } else {
            mls_output_printf(at->output, "%s%c", strchr(at->special, *text) != NULL ? "\\" : "", *text);
        }
    }
}

static void print_token(char token, const place *at)
{
    const char letter[] = {at->option->letter, '\0'};
    *at->between = false;
    switch (token) {
    case 'n':
        (void)print_all(at, MLS_S("COMMAND"));
        break;
    case 'w':
        print_words(at, at->command->words);
        break;
    case 'v':
        print_words(at, values_of(at->option));
        break;
    case 's':
        print_quoted(at, at->command->summary);
        break;
    case 'h':
        print_quoted(at, at->option->help);
        break;
    default:
        mls_output_text(at->output, token == 'c'   ? at->command->name
                                    : token == 'o' ? at->option->name
                                    : token == 'a' ? at->option->argument
                                    : token == '@' ? "@"
                                                   : letter);
    }
}

/* Prints a template up to its "@." or end, or (`on` false) passes over it; returns what follows. */
static const char *render(const char *text, place at, bool on)
{
    while (*text != '\0') {
        const size_t plain = strcspn(text, "@");
        if (on) {
            mls_output_write(at.output, (mls_str){text, plain});
        }
        text += plain;
        if (*text == '\0') {
            return text;
        }
        const char token = text[1];
        const char *body = text += 2;
        if (token == '.') {
            return text;
        }
        if (token == '?') {
            text = render(body + 1, at, on && holds(*body, &at));
        } else if (token == '[') {
            text = render(body, at, false);
            for (size_t i = 0; on && mls_commands[i] != NULL; i++) {
                (void)render(body, (place){at.output, at.editions, at.special, mls_commands[i], &no_option, at.between},
                             true);
            }
        } else if (token == '(') {
            text = render(body, at, false);
            for (const mls_option *o = at.command->options; on && o->name != NULL; o++) {
                (void)render(body, (place){at.output, at.editions, at.special, at.command, o, at.between}, true);
            }
        } else if (on) {
            print_token(token, &at);
        }
    }
    return text;
}

static int completion_run(mls_cli *cli)
{
    static const struct {
        const char *name, *file, *special;
    } shells[] = {{"bash", "completions/bash.template", ""},
                  {"zsh", "completions/zsh.template", "[]:\\"},
                  {"fish", "completions/fish.template", "\\"}};
    const char *wanted = cli->operand_count == 1 ? cli->operands[0] : "";
    mls_nearest nearest = mls_nearest_to(mls_str_from(wanted));
    mls_output output;
    for (size_t i = 0; i < sizeof shells / sizeof *shells; i++) {
        mls_nearest_offer(&nearest, mls_str_from(shells[i].name));
        if (strcmp(wanted, shells[i].name) == 0) {
            bool between;
            const place all = {.output = &output,
                               .editions = mls_cli_editions(cli),
                               .special = shells[i].special,
                               .command = &no_command,
                               .option = &no_option,
                               .between = &between};
            if (all.editions == NULL || !mls_cli_output_open(cli, &output)) {
                return MLS_EXIT_IO;
            }
            (void)render(mls_data_find(shells[i].file).ptr, all, true);
            return mls_cli_output_close(cli, &output);
        }
    }
    (void)mls_cli_misspelt(cli, &nearest, "name a shell: bash, zsh or fish");
    return mls_cli_name_help(cli);
}

const mls_command mls_command_completion = {
    .name = "completion",
    .summary = "print a completion file for bash, zsh or fish",
    .usage = "bash|zsh|fish",
    .about = "Prints what the shell needs to complete mlscore's commands and options. 'make install'\n"
             "puts these files where the shells look for them.",
    .options = options,
    .words = "bash|zsh|fish",
    .run = completion_run,
};
