/* SPDX-License-Identifier: Apache-2.0 */
/*
 * command.h - what a command of the tool is made of.
 *
 * A command is one file with one const entry: name, summary, usage, a table
 * of options and a function.  The table drives parsing, --help and the
 * completion files, so that none of them can forget an option.  Options that
 * many commands have stand in command_options.h once.
 */
#ifndef MLS_CLI_COMMAND_H
#define MLS_CLI_COMMAND_H

#include "base/output.h"
#include "mlscore/edition.h"
#include "mlscore/rules.h"
#include "report/view.h"

/* Exit statuses; the larger one wins when several apply, but for wrong usage, which ends everything. */
enum {
    MLS_EXIT_OK = 0,
    MLS_EXIT_INVALID = 1, /* something is not valid */
    MLS_EXIT_USAGE = 2,
    MLS_EXIT_IO = 3 /* something could not be read or written; the rest was done */
};

/* Options are told apart by these, which are no letters; a command's own start at MLS_OPTION_OWN. */
enum {
    MLS_OPTION_USAGE = 256,
    MLS_OPTION_EDITION,
    MLS_OPTION_RULES,
    MLS_OPTION_FORMAT,
    MLS_OPTION_OUTPUT,
    MLS_OPTION_FILES_FROM,
    MLS_OPTION_NULL,
    MLS_OPTION_THREADS,
    MLS_OPTION_COLOR,
    MLS_OPTION_QUIET,
    MLS_OPTION_VERBOSE,
    MLS_OPTION_STRICT,
    MLS_OPTION_HELP,
    MLS_OPTION_VERSION,
    MLS_OPTION_OWN = 1000
};

typedef struct mls_option {
    int id;      /* 0 ends a table */
    char letter; /* '\0': only the long form */
    const char *name;
    const char *argument; /* NULL: takes none; "FILE", "N", or the values it can have: "table|csv|json" */
    const char *help;     /* one line */
} mls_option;

typedef struct mls_cli mls_cli;

typedef struct mls_command {
    const char *name;
    const char *summary; /* one line, for the list of commands */
    const char *usage;   /* what follows the name: "[OPTION…] [PATH…]" */
    const char *about;   /* a few lines for --help */
    const mls_option *options;
    size_t own_size;             /* of the command's own settings, zeroed before options are read; 0: none */
    const char *operand_choices; /* words an operand can be, "bash|zsh|fish"; COMMAND: the commands' names; NULL: any */
    bool path_arguments;         /* operands are files: completion offers them, and --files-from adds to them */
    /* An option of the command's own was given.  False when its argument is wrong; it has said so then. */
    bool (*option)(mls_cli *cli, int id, const char *argument);
    /* Does the work and returns an exit status. */
    int (*run)(mls_cli *cli);
} mls_command;

/* Everything a command is run with.  The common options have been read. */
struct mls_cli {
    const mls_command *command; /* NULL: the program itself */
    void *own;                  /* the command's own settings */
    mls_usage usage;
    bool usage_given;
    const char *edition;    /* as the user wrote it; NULL: to be guessed */
    const char *rules_path; /* of --rules; NULL: not given */
    mls_view view;          /* how results are printed, and where */
    const char *output_path;
    const char *files_from;
    bool files_from_null;
    unsigned threads; /* 0: one per processor */
    char **operands;  /* owned; what is left of the command line, then what --files-from lists */
    size_t operand_count, operand_capacity;
    mls_rulesets *rulesets;   /* loaded by mls_cli_editions() */
    mls_ruleset *own_ruleset; /* loaded by mls_cli_own_rules() */
};

/* The commands, in the order in which help lists them; ends with NULL. */
extern const mls_command *const mls_commands[];
const mls_command *mls_command_find(mls_str name);

/* Prints `mlscore CMD: 'path': reason` on standard error, safely escaped.  path NULL: without it. */
void mls_cli_complain(const mls_cli *cli, const char *path, const char *format, ...) MLS_PRINTF(3, 4);

/* A remark on standard error, unless --quiet. */
void mls_cli_note(const mls_cli *cli, const char *format, ...) MLS_PRINTF(2, 3);

/* As mls_cli_complain(), with the way to help behind it; returns MLS_EXIT_USAGE. */
int mls_cli_usage_error(const mls_cli *cli, const char *format, ...) MLS_PRINTF(2, 3);

/* The table of editions, loaded once; NULL after a complaint. */
const mls_editions *mls_cli_editions(mls_cli *cli);

/* The rules of an edition; *ruleset is NULL when `edition` is, for they are guessed then.  False after a complaint. */
bool mls_cli_ruleset(mls_cli *cli, const mls_edition *edition, const mls_ruleset **ruleset);

/* Loads the file of --rules into cli->own_ruleset.  An exit status, after a complaint when it is not MLS_EXIT_OK. */
int mls_cli_own_rules(mls_cli *cli);

/*
 * What logs are to be judged by: the file of --rules, the edition named, or the
 * one each log's date tells.  *edition, which may be NULL, receives the
 * published edition behind it; NULL when it is to be guessed.  An exit status,
 * after a complaint when it is not MLS_EXIT_OK.
 */
int mls_cli_judge(mls_cli *cli, mls_checker_options *judge, const mls_edition **edition);

/* The edition the user named; *edition is NULL when none was.  False after a complaint. */
bool mls_cli_edition(mls_cli *cli, const mls_edition **edition);

/* Opens the place that -o names, or standard output.  False after a complaint. */
bool mls_cli_output_open(mls_cli *cli, mls_output *output);

/* Opens it, prints one thing and closes it; an exit status. */
int mls_cli_print(mls_cli *cli, const mls_report *report, const void *what);

/* Closes it.  MLS_EXIT_OK (also when the reader of a pipe went away), or MLS_EXIT_IO after a complaint. */
int mls_cli_output_close(mls_cli *cli, mls_output *output);

/* The worse of two exit statuses. */
int mls_exit_worse(int a, int b);

/* --help and `mlscore help CMD` without a manual. */
void mls_cli_print_help(const mls_command *command, mls_output *output);

/* Reads a command line (argv[0] is the command's name).  Returns -1 to go on, or an exit status. */
int mls_cli_parse(mls_cli *cli, int argc, char **argv);

/* Reads a whole number option, like -j.  False after a complaint. */
bool mls_cli_number(const mls_cli *cli, const char *option, const char *argument, size_t min, size_t max,
                    size_t *number);

/* Reads a whole file ("-": standard input) behind what `text` holds.  False after a complaint. */
bool mls_cli_read_file(const mls_cli *cli, const char *path, mls_buffer *text);

void mls_cli_release(mls_cli *cli);

/* A line on standard error, rewritten in place, while long work goes on; only on a terminal. */
typedef struct mls_cli_progress {
    bool wanted;
    bool shown;
    double next_ms; /* when to show it again */
} mls_cli_progress;

void mls_cli_progress_start(mls_cli_progress *progress, const mls_cli *cli);
void mls_cli_progress_update(void *progress, size_t files_done, size_t files, uint64_t bytes_done);
void mls_cli_progress_end(mls_cli_progress *progress);

#endif
