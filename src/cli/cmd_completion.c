/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_completion.c - mlscore completion: completion files for shells, made
 * from the same tables that parse the command line.  The files in completions/
 * are what this prints; a test compares them.
 */
#include <string.h>

#include "cli/command_options.h"
#include "cli/commands.h"

static const mls_option options[] = {MLS_ROW_HELP, MLS_ROW_VERSION, MLS_ROW_END};

/* What may follow an option or stand as an operand, as a shell has to know it. */
typedef enum mls_argument_kind {
    MLS_TAKES_NOTHING,
    MLS_TAKES_CHOICE,
    MLS_TAKES_FILE,
    MLS_TAKES_TEXT
} mls_argument_kind;

static mls_argument_kind mls_option_kind(const mls_option *option)
{
    if (option->argument == NULL) {
        return MLS_TAKES_NOTHING;
    }
    if (strncmp(option->argument, "FILE", 4) == 0) {
        return MLS_TAKES_FILE;
    }
    return strchr(option->argument, '|') != NULL ? MLS_TAKES_CHOICE : MLS_TAKES_TEXT;
}

static void mls_print_command_names(mls_output *output)
{
    for (size_t i = 0; mls_commands[i] != NULL; i++) {
        mls_output_printf(output, "%s%s", i > 0 ? " " : "", mls_commands[i]->name);
    }
}

/* "a|b|c" as "a b c"; COMMAND stands for the names of all commands. */
static void mls_print_choices(mls_output *output, const char *choices)
{
    while (*choices != '\0') {
        const size_t len = strcspn(choices, "|");
        if (mls_str_equal((mls_str){choices, len}, MLS_S("COMMAND"))) {
            mls_print_command_names(output);
        } else {
            mls_output_write(output, (mls_str){choices, len});
        }
        choices += len;
        if (*choices == '|') {
            mls_output_text(output, " ");
            choices++;
        }
    }
}

/* A text for single quotes, with a backslash before each of `special`. */
static void mls_print_quoted(mls_output *output, const char *text, const char *special)
{
    for (; *text != '\0'; text++) {
        if (*text == '\'') {
            mls_output_text(output, "'\\''");
        } else {
            mls_output_printf(output, "%s%c", strchr(special, *text) != NULL ? "\\" : "", *text);
        }
    }
}

/* ------------------------------------------------------------------ bash */

/* "-o | --output": how a case names an option that stands before the word. */
static void mls_bash_pattern(mls_output *output, const mls_option *option)
{
    if (option->letter != '\0') {
        mls_output_printf(output, "-%c | ", option->letter);
    }
    mls_output_printf(output, "--%s", option->name);
}

static void mls_bash_command(mls_output *output, const mls_command *command)
{
    mls_output_printf(output, "    *:%s)\n        options='", command->name);
    for (const mls_option *o = command->options; o->id != 0; o++) {
        mls_output_printf(output, "%s--%s%s", o == command->options ? "" : " ", o->name,
                          o->argument != NULL ? "=" : "");
    }
    mls_output_text(output, "'\n");
    if (command->operand_choices != NULL) {
        mls_output_text(output, "        words='");
        mls_print_choices(output, command->operand_choices);
        mls_output_text(output, "'\n");
    } else if (command->path_arguments) {
        mls_output_text(output, "        files=yes\n");
    }
    bool found = false;
    for (const mls_option *o = command->options; o->id != 0; o++) {
        if (o->argument == NULL) {
            continue;
        }
        mls_output_text(output, found ? "        " : "        case $prev in\n        ");
        found = true;
        mls_bash_pattern(output, o);
        mls_output_text(output, ") value=yes words='");
        if (mls_option_kind(o) == MLS_TAKES_CHOICE) {
            mls_print_choices(output, o->argument);
        }
        mls_output_printf(output, "' files=%s ;;\n", mls_option_kind(o) == MLS_TAKES_FILE ? "yes" : "no");
    }
    mls_output_text(output, found ? "        esac\n        ;;\n" : "        ;;\n");
}

static void mls_completion_bash(mls_output *output)
{
    mls_output_text(output, "# bash completion for mlscore, made by 'mlscore completion bash'\n"
                            "_mlscore()\n{\n"
                            "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}\n"
                            "    local prefix= options= words= files=no value=no i\n"
                            "    # --option=value is three words where COMP_WORDBREAKS holds '=', else one.\n"
                            "    if [[ $cur == = ]]; then\n"
                            "        cur=\n"
                            "    elif [[ $prev == = ]]; then\n"
                            "        prev=${COMP_WORDS[COMP_CWORD - 2]}\n"
                            "    elif [[ $cur == --*=* ]]; then\n"
                            "        prefix=${cur%%=*}= prev=${cur%%=*} cur=${cur#*=}\n"
                            "    fi\n"
                            "    case $COMP_CWORD:${COMP_WORDS[1]} in\n"
                            "    1:*)\n        options='--help --version'\n        words='");
    mls_print_command_names(output);
    mls_output_text(output, "'\n        ;;\n");
    for (size_t i = 0; mls_commands[i] != NULL; i++) {
        mls_bash_command(output, mls_commands[i]);
    }
    mls_output_text(output, "    esac\n"
                            "    # Behind -- there are operands only.\n"
                            "    for ((i = 2; i < COMP_CWORD; i++)); do\n"
                            "        [[ ${COMP_WORDS[i]} != -- ]] || options=\n"
                            "    done\n"
                            "    COMPREPLY=()\n"
                            "    if [[ $value == no && $cur == -* && -n $options ]]; then\n"
                            "        COMPREPLY=($(compgen -W \"$options\" -- \"$cur\"))\n"
                            "        [[ ${COMPREPLY[0]} != *= ]] || compopt -o nospace\n"
                            "    elif [[ $files == yes ]]; then\n"
                            "        # No answer of ours: readline completes files, and knows how to quote them.\n"
                            "        compopt -o default\n"
                            "    elif [[ -n $words ]]; then\n"
                            "        COMPREPLY=($(compgen -P \"$prefix\" -W \"$words\" -- \"$cur\"))\n"
                            "    fi\n"
                            "}\n"
                            "complete -F _mlscore mlscore\n");
}

/* ------------------------------------------------------------------- zsh */

static void mls_zsh_option(mls_output *output, const mls_option *option)
{
    const bool ends = option->id == MLS_OPTION_HELP || option->id == MLS_OPTION_VERSION;
    const char *argument = option->argument != NULL ? "=" : "";
    mls_output_text(output, " \\\n            ");
    if (ends) {
        mls_output_text(output, "'(- *)");
    } else if (option->id == MLS_OPTION_VERBOSE) {
        mls_output_text(output, "'*");
    } else if (option->letter != '\0') {
        mls_output_printf(output, "'(-%c --%s)", option->letter, option->name);
    }
    if (option->letter != '\0') {
        mls_output_printf(output, "'{-%c%s,--%s%s}'[", option->letter, option->argument != NULL ? "+" : "",
                          option->name, argument);
    } else {
        mls_output_printf(output, "%s--%s%s[", ends ? "" : "'", option->name, argument);
    }
    mls_print_quoted(output, option->help, "[]\\");
    mls_output_text(output, "]");
    switch (mls_option_kind(option)) {
    case MLS_TAKES_CHOICE:
        mls_output_printf(output, ":%s:(", option->name);
        mls_print_choices(output, option->argument);
        mls_output_text(output, ")");
        break;
    case MLS_TAKES_FILE:
        mls_output_text(output, ":file:_files");
        break;
    case MLS_TAKES_TEXT:
        mls_output_printf(output, ":%s: ", option->argument);
        break;
    case MLS_TAKES_NOTHING:
        break;
    }
    mls_output_text(output, "'");
}

static void mls_zsh_command(mls_output *output, const mls_command *command)
{
    mls_output_printf(output, "        %s)\n        _arguments -s -S", command->name);
    for (const mls_option *o = command->options; o->id != 0; o++) {
        mls_zsh_option(output, o);
    }
    if (command->operand_choices != NULL) {
        mls_output_text(output, " \\\n            '1: :(");
        mls_print_choices(output, command->operand_choices);
        mls_output_text(output, ")'");
    } else if (command->path_arguments) {
        mls_output_text(output, " \\\n            '*:path:_files'");
    }
    mls_output_text(output, "\n        ;;\n");
}

static void mls_completion_zsh(mls_output *output)
{
    mls_output_text(output, "#compdef mlscore\n# zsh completion for mlscore, made by 'mlscore completion zsh'\n"
                            "_mlscore() {\n    local -a commands\n    commands=(\n");
    for (size_t i = 0; mls_commands[i] != NULL; i++) {
        mls_output_printf(output, "        '%s:", mls_commands[i]->name);
        mls_print_quoted(output, mls_commands[i]->summary, ":\\");
        mls_output_text(output, "'\n");
    }
    mls_output_text(output, "    )\n    if (( CURRENT == 2 )); then\n"
                            "        _describe command commands\n"
                            "        [[ $words[2] != -* ]] || compadd -- --help --version\n"
                            "        return\n    fi\n"
                            "    local command=$words[2]\n    shift words\n    (( CURRENT-- ))\n"
                            "    case $command in\n");
    for (size_t i = 0; mls_commands[i] != NULL; i++) {
        mls_zsh_command(output, mls_commands[i]);
    }
    /* Read as a file of fpath it is the function's body first; sourced, it has to register itself. */
    mls_output_text(output, "    esac\n}\n"
                            "if [[ $funcstack[1] == _mlscore ]]; then\n    _mlscore \"$@\"\nelse\n"
                            "    compdef _mlscore mlscore\nfi\n");
}

/* ------------------------------------------------------------------ fish */

static void mls_fish_option(mls_output *output, const mls_command *command, const mls_option *option)
{
    mls_output_printf(output, "complete -c mlscore -n '__mlscore_command %s' -l %s", command->name, option->name);
    if (option->letter != '\0') {
        mls_output_printf(output, " -s %c", option->letter);
    }
    switch (mls_option_kind(option)) {
    case MLS_TAKES_CHOICE:
        mls_output_text(output, " -x -a '");
        mls_print_choices(output, option->argument);
        mls_output_text(output, "'");
        break;
    case MLS_TAKES_FILE:
        mls_output_text(output, " -r -F");
        break;
    case MLS_TAKES_TEXT:
        mls_output_text(output, " -x");
        break;
    case MLS_TAKES_NOTHING:
        break;
    }
    mls_output_text(output, " -d '");
    mls_print_quoted(output, option->help, "\\");
    mls_output_text(output, "'\n");
}

static void mls_completion_fish(mls_output *output)
{
    mls_output_text(output, "# fish completion for mlscore, made by 'mlscore completion fish'\n"
                            "function __mlscore_command\n"
                            "    set -l words (commandline -opc)\n"
                            "    test \"$words[2]\" = \"$argv[1]\"\n"
                            "end\n"
                            "complete -c mlscore -n '__mlscore_command \"\"' -f\n"
                            "complete -c mlscore -n '__mlscore_command \"\"' -l help -d 'list the commands'\n"
                            "complete -c mlscore -n '__mlscore_command \"\"' -l version -d 'print the version'\n");
    for (size_t i = 0; mls_commands[i] != NULL; i++) {
        const mls_command *command = mls_commands[i];
        mls_output_printf(output, "complete -c mlscore -n '__mlscore_command \"\"' -a %s -d '", command->name);
        mls_print_quoted(output, command->summary, "\\");
        mls_output_text(output, "'\n");
        if (!command->path_arguments) {
            mls_output_printf(output, "complete -c mlscore -n '__mlscore_command %s' -f", command->name);
            if (command->operand_choices != NULL) {
                mls_output_text(output, " -a '");
                mls_print_choices(output, command->operand_choices);
                mls_output_text(output, "'");
            }
            mls_output_text(output, "\n");
        }
        for (const mls_option *o = command->options; o->id != 0; o++) {
            mls_fish_option(output, command, o);
        }
    }
}

static int mls_completion_run(mls_cli *cli)
{
    mls_output output;
    static const struct {
        const char *shell;
        void (*print)(mls_output *output);
    } shells[] = {{"bash", mls_completion_bash}, {"zsh", mls_completion_zsh}, {"fish", mls_completion_fish}};
    for (size_t i = 0; cli->operand_count == 1 && i < sizeof shells / sizeof *shells; i++) {
        if (strcmp(cli->operands[0], shells[i].shell) == 0) {
            if (!mls_cli_output_open(cli, &output)) {
                return MLS_EXIT_IO;
            }
            shells[i].print(&output);
            return mls_cli_output_close(cli, &output);
        }
    }
    return mls_cli_usage_error(cli, "name a shell: bash, zsh or fish");
}

const mls_command mls_command_completion = {
    .name = "completion",
    .summary = "print a completion file for bash, zsh or fish",
    .usage = "bash|zsh|fish",
    .about = "Prints what the shell needs to complete mlscore's commands and options. 'make install'\n"
             "puts these files where the shells look for them.",
    .options = options,
    .operand_choices = "bash|zsh|fish",
    .run = mls_completion_run,
};
