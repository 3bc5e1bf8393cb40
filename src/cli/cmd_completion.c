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

/* "a|b|c" as "a b c"; nothing for an argument that is no choice. */
static void mls_print_choices(mls_output *output, const char *argument)
{
    for (const char *c = argument; argument != NULL && strchr(argument, '|') != NULL && *c != '\0'; c++) {
        mls_output_write(output, (mls_str){*c == '|' ? " " : c, 1});
    }
}

static bool mls_has_choices(const mls_option *option)
{
    return option->argument != NULL && strchr(option->argument, '|') != NULL;
}

static bool mls_takes_file(const mls_option *option)
{
    return option->argument != NULL && strcmp(option->argument, "FILE") == 0;
}

static void mls_bash_command(mls_output *output, const mls_command *command)
{
    mls_output_printf(output, "    %s)\n        case \"$prev\" in\n", command->name);
    for (const mls_option *o = command->options; o->id != 0; o++) {
        if (mls_has_choices(o)) {
            mls_output_printf(output, "            --%s) COMPREPLY=($(compgen -W \"", o->name);
            mls_print_choices(output, o->argument);
            mls_output_text(output, "\" -- \"$cur\")); return ;;\n");
        } else if (mls_takes_file(o)) {
            mls_output_printf(output, "            --%s%s%c) COMPREPLY=($(compgen -f -- \"$cur\")); return ;;\n",
                              o->name, o->letter != '\0' ? "|-" : "", o->letter != '\0' ? o->letter : ' ');
        }
    }
    mls_output_text(output, "        esac\n        words=\"");
    for (const mls_option *o = command->options; o->id != 0; o++) {
        mls_output_printf(output, "%s--%s", o == command->options ? "" : " ", o->name);
    }
    mls_output_printf(output, "\"\n        files=%s ;;\n", command->path_arguments ? "yes" : "no");
}

static void mls_completion_bash(mls_output *output)
{
    mls_output_text(output, "# bash completion for mlscore, made by 'mlscore completion bash'\n"
                            "_mlscore()\n{\n"
                            "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} words files=no\n"
                            "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n        COMPREPLY=($(compgen -W \"");
    for (size_t i = 0; mls_commands[i] != NULL; i++) {
        mls_output_printf(output, "%s%s", i > 0 ? " " : "", mls_commands[i]->name);
    }
    mls_output_text(output, "\" -- \"$cur\"))\n        return\n    fi\n    case \"${COMP_WORDS[1]}\" in\n");
    for (size_t i = 0; mls_commands[i] != NULL; i++) {
        mls_bash_command(output, mls_commands[i]);
    }
    mls_output_text(output, "    esac\n"
                            "    COMPREPLY=()\n"
                            "    case \"$cur\" in\n"
                            "        -*) COMPREPLY=($(compgen -W \"$words\" -- \"$cur\")) ;;\n"
                            "        *) [ \"$files\" = yes ] && COMPREPLY=($(compgen -f -- \"$cur\")) ;;\n"
                            "    esac\n}\n"
                            "complete -o filenames -F _mlscore mlscore\n");
}

/* Help texts stand in single quotes, between brackets: neither may come in them. */
static void mls_print_zsh_help(mls_output *output, const char *help)
{
    for (; *help != '\0'; help++) {
        if (*help == '\'') {
            mls_output_text(output, "'\\''");
        } else {
            mls_output_printf(output, "%s%c", strchr("[]:", *help) != NULL ? "\\" : "", *help);
        }
    }
}

static void mls_completion_zsh(mls_output *output)
{
    mls_output_text(output, "#compdef mlscore\n# zsh completion for mlscore, made by 'mlscore completion zsh'\n"
                            "_mlscore() {\n    local -a commands\n    commands=(\n");
    for (size_t i = 0; mls_commands[i] != NULL; i++) {
        mls_output_printf(output, "        '%s:", mls_commands[i]->name);
        mls_print_zsh_help(output, mls_commands[i]->summary);
        mls_output_text(output, "'\n");
    }
    mls_output_text(output,
                    "    )\n    if (( CURRENT == 2 )); then\n        _describe command commands\n        return\n"
                    "    fi\n    local command=$words[2]\n    shift words\n    (( CURRENT-- ))\n"
                    "    case $command in\n");
    for (size_t i = 0; mls_commands[i] != NULL; i++) {
        mls_output_printf(output, "        %s) _arguments", mls_commands[i]->name);
        for (const mls_option *o = mls_commands[i]->options; o->id != 0; o++) {
            mls_output_printf(output, " \\\n            '--%s%s[", o->name, o->argument != NULL ? "=" : "");
            mls_print_zsh_help(output, o->help);
            mls_output_text(output, "]");
            if (mls_has_choices(o)) {
                mls_output_text(output, ":value:(");
                mls_print_choices(output, o->argument);
                mls_output_text(output, ")");
            } else if (o->argument != NULL) {
                mls_output_text(output, mls_takes_file(o) ? ":file:_files" : ":value:");
            }
            mls_output_text(output, "'");
        }
        mls_output_text(output, mls_commands[i]->path_arguments ? " \\\n            '*:path:_files' ;;\n" : " ;;\n");
    }
    mls_output_text(output, "    esac\n}\n_mlscore \"$@\"\n");
}

static void mls_completion_fish(mls_output *output)
{
    mls_output_text(output, "# fish completion for mlscore, made by 'mlscore completion fish'\n"
                            "complete -c mlscore -n __fish_use_subcommand -f\n");
    for (size_t i = 0; mls_commands[i] != NULL; i++) {
        const mls_command *command = mls_commands[i];
        mls_output_printf(output, "complete -c mlscore -n __fish_use_subcommand -a %s -d \"%s\"\n", command->name,
                          command->summary);
        if (!command->path_arguments) {
            mls_output_printf(output, "complete -c mlscore -n '__fish_seen_subcommand_from %s' -f\n", command->name);
        }
        for (const mls_option *o = command->options; o->id != 0; o++) {
            mls_output_printf(output, "complete -c mlscore -n '__fish_seen_subcommand_from %s' -l %s", command->name,
                              o->name);
            if (o->letter != '\0') {
                mls_output_printf(output, " -s %c", o->letter);
            }
            if (mls_has_choices(o)) {
                mls_output_text(output, " -x -a \"");
                mls_print_choices(output, o->argument);
                mls_output_text(output, "\"");
            } else if (o->argument != NULL) {
                mls_output_text(output, mls_takes_file(o) ? " -r" : " -x");
            }
            mls_output_printf(output, " -d \"%s\"\n", o->help);
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
    .run = mls_completion_run,
};
