/* SPDX-License-Identifier: Apache-2.0 */
/* command.h - the interface of a command of the tool, and the functions that commands share.
 *
 * A command is one file, cmd_<name>.c, with one const entry, and one row of MLS_COMMAND_LIST.  Its table of options
 * drives parsing, --help and the completion files.  A row of the table names the member that the option sets: of
 * mls_cli if it is common to many commands, otherwise of the command's own struct of settings.
 *
 * Functions that return bool print an error and return false on failure, unless they say otherwise. */
#pragma once

#include "base/walk.h"
#include "compare/comparison.h"
#include "explain/models.h"
#include "report/formats.h"
#include "run/settings.h"
#include "score/accelerators.h"
#include "score/jobs.h"

/* Exit statuses.  If several apply, the largest wins, except that MLS_EXIT_IO wins over a command's own ones. */
enum {
    MLS_EXIT_OK = 0,
    MLS_EXIT_INVALID = 1,   /* something is not valid */
    MLS_EXIT_USAGE = 2,     /* wrong usage: nothing was done */
    MLS_EXIT_IO = 3,        /* something could not be read or written; the rest was done */
    MLS_EXIT_SHOW_HELP = 4, /* flag for mls_cli_error() */
    MLS_WRONG_USAGE = MLS_EXIT_USAGE | MLS_EXIT_SHOW_HELP
};

/* How an option sets its member.  The comment shows the member's type; it is zero if the option is not given. */
typedef enum mls_option_does {
    MLS_SETS_FLAG,    /* bool: true */
    MLS_SETS_TEXT,    /* const char *: the argument */
    MLS_SETS_CHOICE,  /* const char *: one of the values, or "" if the argument is missing */
    MLS_SETS_VALUE,   /* unsigned: index of the argument in the values, from 1 */
    MLS_SETS_COUNT,   /* size_t: a whole number from 1 */
    MLS_ADDS_TEXT,    /* mls_names: a copy of the argument is added; freed after the command has run */
    MLS_COUNTS,       /* unsigned: one more */
    MLS_SETS_USAGE,   /* mls_usage */
    MLS_SETS_FORMAT,  /* mls_format; the first of the values is the default */
    MLS_SETS_THREADS, /* unsigned */
    MLS_PRINTS_HELP,
    MLS_PRINTS_VERSION
} mls_option_does;

typedef struct mls_option {
    char letter;          /* '\0': only the long form */
    const char *name;     /* NULL ends a table */
    const char *argument; /* "FILE", "N", or the allowed values "table|csv|json"; NULL: none */
    const char *help;     /* one line */
    mls_option_does does;
    bool common;       /* the member is in mls_cli, not in the settings of the command */
    size_t at;         /* offset of the member */
    const char *words; /* values to complete a free argument: see mls_command.words */
    const char *group; /* "--a and --b": only one option of a group may be given; NULL: no group */
    const char *needs; /* another option that must be given, too; NULL: none */
} mls_option;

#define MLS_ROW(...) MLS_ROW_WITH(__VA_ARGS__, NULL, NULL)
/* The same with .group and .needs. */
#define MLS_ROW_WITH(...)                                                                                              \
    {                                                                                                                  \
        __VA_ARGS__                                                                                                    \
    }
/* Rows of one command; `at` is the offset in its struct of settings. */
#define MLS_ROW_FLAG(letter, name, at, help) MLS_ROW(letter, name, NULL, help, MLS_SETS_FLAG, false, at, NULL)
#define MLS_ROW_TEXT(letter, name, argument, at, help)                                                                 \
    MLS_ROW(letter, name, argument, help, MLS_SETS_TEXT, false, at, NULL)
#define MLS_ROW_OF(does, name, argument, at, help) MLS_ROW('\0', name, argument, help, does, false, at, NULL)
#define MLS_ROW_WORD(name, argument, words, at, help)                                                                  \
    MLS_ROW('\0', name, argument, help, MLS_SETS_TEXT, false, at, words)
#define MLS_ROW_RCP(at, help) MLS_ROW_TEXT('\0', "rcp", "FILE", at, help)
#define MLS_ROW_BERT(at)                                                                                               \
    MLS_ROW_FLAG('\0', "bert-train-samples", at,                                                                       \
                 "for bert, use the train_samples record as the number of samples to converge")
/* Rows that many commands share. */
#define MLS_ROW_COMMON(letter, name, argument, does, member, help)                                                     \
    MLS_ROW(letter, name, argument, help, does, true, offsetof(mls_cli, member), NULL)
#define MLS_ROW_USAGE_AS(help) MLS_ROW_COMMON('\0', "usage", "training|hpc", MLS_SETS_USAGE, usage, help)
#define MLS_ROW_USAGE                                                                                                  \
    MLS_ROW_USAGE_AS("family of benchmarks (default: hpc if only hpc has the benchmark, otherwise training)")
#define MLS_RULES_OR_EDITION "--rules and --edition"
#define MLS_ROW_EDITION_AS(help)                                                                                       \
    MLS_ROW_WITH('\0', "edition", "X.Y", help, MLS_SETS_TEXT, true, offsetof(mls_cli, edition), "EDITION",             \
                 .group = MLS_RULES_OR_EDITION)
#define MLS_ROW_RULES_AS(help)                                                                                         \
    MLS_ROW_WITH('\0', "rules", "FILE", help " (see mlscore-rules(5))", MLS_SETS_TEXT, true,                           \
                 offsetof(mls_cli, rules_path), .group = MLS_RULES_OR_EDITION)
#define MLS_ROW_FORMAT_AS(formats, help) MLS_ROW_COMMON('\0', "format", formats, MLS_SETS_FORMAT, view.format, help)
#define MLS_ROW_FORMAT(formats) MLS_ROW_FORMAT_AS(formats, "output format (default: table)")
#define MLS_ROW_OUTPUT                                                                                                 \
    MLS_ROW_COMMON('o', "output", "FILE", MLS_SETS_TEXT, output_path, "write results to FILE atomically")
#define MLS_ROW_THREADS                                                                                                \
    MLS_ROW_COMMON('j', "threads", "N", MLS_SETS_THREADS, work.threads,                                                \
                   "number of threads (default: one per processor)")
#define MLS_ROW_COLOR_AS(help) MLS_ROW_COMMON('\0', "color", "auto|always|never", MLS_SETS_TEXT, color, help)
#define MLS_ROW_COLOR MLS_ROW_COLOR_AS("when to use colors (default: auto, only on a terminal)")
#define MLS_ROW_QUIET_AS(help) MLS_ROW_COMMON('q', "quiet", NULL, MLS_SETS_FLAG, view.quiet, help)
#define MLS_ROW_VERBOSE_AS(help) MLS_ROW_COMMON('v', "verbose", NULL, MLS_COUNTS, view.verbose, help)
#define MLS_ROWS_ROUND                                                                                                 \
    MLS_ROW_USAGE, MLS_ROW_EDITION_AS("round whose rules apply, such as 5.1 (default: guessed from date and "          \
                                      "benchmark)")
#define MLS_ROWS_FILES                                                                                                 \
    MLS_ROW_OUTPUT,                                                                                                    \
        MLS_ROW_COMMON('\0', "files-from", "FILE", MLS_SETS_TEXT, files_from,                                          \
                       "read additional paths from FILE, one per line (-: standard input)"),                           \
        MLS_ROW_COMMON('0', "null", NULL, MLS_SETS_FLAG, files_from_null, "paths in --files-from are NUL-terminated")
#define MLS_HELP_STRICT "treat warnings and advice as errors"
#define MLS_ROW_STRICT_AS(help) MLS_ROW_COMMON('\0', "strict", NULL, MLS_SETS_FLAG, view.strict, help)
/* The arguments are the help of -q, -v and --strict. */
#define MLS_ROWS_VIEW(quiet, verbose, strict)                                                                          \
    MLS_ROW_COLOR, MLS_ROW_QUIET_AS(quiet), MLS_ROW_VERBOSE_AS(verbose), MLS_ROW_STRICT_AS(strict)
/* The last rows of every table. */
#define MLS_ROWS_LAST                                                                                                  \
    MLS_ROW('h', "help", NULL, "print this help", MLS_PRINTS_HELP, true, 0, NULL),                                     \
        MLS_ROW('V', "version", NULL, "print the version", MLS_PRINTS_VERSION, true, 0, NULL),                         \
        MLS_ROW_WITH(.name = NULL)

/* Rows of every command that reads and judges logs. */
#define MLS_ROWS_LOGS(quiet, verbose, strict)                                                                          \
    MLS_ROWS_FILES, MLS_ROW_THREADS, MLS_ROWS_VIEW(quiet, verbose, strict), MLS_ROWS_LAST

typedef struct mls_cli mls_cli;

typedef struct mls_command {
    const char *name;
    const char *summary; /* one line, for the list of commands */
    const char *usage;   /* the text after the name: "[OPTION…] [PATH…]" */
    const char *about;   /* a few lines for --help */
    const mls_option *options;
    size_t settings_size; /* size of the struct of settings; 0: none */
    const char *words;    /* values of an operand: "bash|zsh|fish"; COMMAND, EDITION, BENCHMARK and FINDING stand for
                             all of them; NULL: any */
    const char *paths;    /* the message if there is no operand, for a command whose operands are files ("": none is
                             needed);    NULL: operands are not files */
    void (*run)(mls_cli *cli); /* does the work, and sets cli->status */
} mls_command;

/* Logs of other suites and old rounds, which are reported together. */
typedef struct mls_foreign_logs {
    size_t counts[MLS_FOREIGN_REASONS];
    char *first[MLS_FOREIGN_REASONS]; /* the path of the first one; owned */
} mls_foreign_logs;

/* The context of a command. */
struct mls_cli {
    const mls_command *command;         /* NULL: the program itself */
    const mls_command *const *commands; /* all commands; ends with NULL */
    mls_view view;                      /* how and where results are printed */
    /* Settings that commands have in common, zero if not given. */
    mls_usage usage;
    bool usage_given, format_given;
    const char *edition;    /* as given */
    const char *rules_path; /* argument of --rules */
    const char *output_path;
    const char *files_from;
    bool files_from_null;
    const char *color; /* as given; view.color is the result */
    mls_work work;
    void *settings; /* the command's own struct; NULL: none */

    mls_names operands;       /* from the command line, then from --files-from */
    mls_rulesets *rulesets;   /* loaded by mls_cli_editions() */
    mls_ruleset *own_ruleset; /* loaded by mls_cli_own_rules() */
    mls_models *models;       /* loaded by mls_cli_load_models(), like the next */
    mls_accelerators *accelerators;
    mls_known_settings known_settings; /* loaded by mls_cli_load_settings() */
    double progress_ms;                /* when to show progress again; 0: undecided */
    bool progress_shown;
    struct mls_merge *merge; /* parts to read instead of logs (score/part.h); NULL: none */
    mls_sources sources;     /* found by mls_cli_read() */
    mls_foreign_logs foreign;
    mls_output output; /* if open, view.output points to it */
    mls_printer printer;
    int status;             /* exit status so far */
    const char *equivalent; /* the command line that `mlscore PATH` runs, printed above the result; NULL: none */
};

/* The commands, in the order of help; cmd_help.c divides them into groups. */
#define MLS_COMMAND_LIST(C)                                                                                            \
    C(score)                                                                                                           \
    C(report)                                                                                                          \
    C(check)                                                                                                           \
    C(merge)                                                                                                           \
    C(verify)                                                                                                          \
    C(pack)                                                                                                            \
    C(rcp)                                                                                                             \
    C(rules)                                                                                                           \
    C(compare)                                                                                                         \
    C(published)                                                                                                       \
    C(plan)                                                                                                            \
    C(throughput)                                                                                                      \
    C(diagnose)                                                                                                        \
    C(profile)                                                                                                         \
    C(telemetry)                                                                                                       \
    C(memory)                                                                                                          \
    C(config)                                                                                                          \
    C(watch)                                                                                                           \
    C(events)                                                                                                          \
    C(log)                                                                                                             \
    C(hosts)                                                                                                           \
    C(help)                                                                                                            \
    C(completion)

#define MLS_COMMAND_DECLARE(name) extern const mls_command mls_command_##name;
MLS_COMMAND_LIST(MLS_COMMAND_DECLARE)

/* The command for paths without a command; it is not in the list. */
extern const mls_command mls_command_overview;

/* Return the command of that name, or NULL.  mls_command_find() also prints an error that suggests a similar command
 * or, if no command is running, a similar file. */
const mls_command *mls_command_named(const mls_cli *cli, const char *name);
const mls_command *mls_command_find(mls_cli *cli, const char *name);

/* Run a command with a command line (argv[0] is its name) and the view of `like`; if like->command is not NULL, also
 * with its common settings.  Return the exit status. */
int mls_cli_start(const mls_command *command, const mls_cli *like, int argc, char **argv);

/* Parse a command line.  Return false if the command is not to run. */
bool mls_cli_parse(mls_cli *cli, int argc, char **argv);

void mls_cli_release(mls_cli *cli);

/* ---- messages */

/* Set the exit status, unless a worse one is set. */
void mls_cli_set_status(mls_cli *cli, int status);

/* Print `mlscore COMMAND: 'path': message` on standard error, escaped; without the path if it is NULL.  An error sets
 * the exit status, and with MLS_WRONG_USAGE a hint at --help follows.  A note (status MLS_EXIT_OK) is omitted with
 * --quiet. Return false. */
bool mls_cli_error(mls_cli *cli, int status, const char *path, const char *format, ...) MLS_PRINTF(4, 5);
bool mls_cli_usage_error(mls_cli *cli, const char *format, ...) MLS_PRINTF(2, 3);
void mls_cli_note(mls_cli *cli, const char *path, const char *format, ...) MLS_PRINTF(3, 4);

/* Print an mls_error: with the path if the error has a position in that file.  It is a usage error unless reading or
 * writing failed.  Return false. */
bool mls_cli_print_error(mls_cli *cli, const char *path, const mls_error *error);

/* Print an mls_error about a file named by the user (NULL: none), always with the path.  Return false. */
bool mls_cli_file_error(mls_cli *cli, const char *path, const mls_error *error);

/* Report a source that could not be read, with a finding (NULL: none).  Without one, logs of other suites and old
 * rounds are only counted, until mls_cli_print_foreign() reports them together. */
void mls_cli_unread(mls_cli *cli, const char *path, const char *why, const char *finding);
void mls_cli_print_foreign(mls_cli *cli);

/* Report all sources that could not be read. */
void mls_cli_print_skipped(mls_cli *cli, const mls_sources *sources);

/* A suggestion to append to an error: "; did you mean 'score'?", or "" if no name is similar. */
typedef struct mls_cli_hint {
    char text[100];
} mls_cli_hint;
mls_cli_hint mls_cli_suggestion(const mls_suggestion *nearest);

/* Suggest a file in the folder of a path with a similar name, which lives as long as `names`. */
mls_suggestion mls_cli_nearest_file(const char *path, mls_names *names);

/* Explain a finding and its remedy. */
void mls_cli_explain(mls_cli *cli, const char *name);

/* Print the version, and how the program was built. */
void mls_cli_print_version(mls_output *output);

/* Print the help of a command. */
void mls_cli_print_help(const mls_command *command, mls_output *output);

/* Show progress on a terminal, in a line that is rewritten in place.  `cli` is an mls_cli, passed as the state of a
 * callback. */
void mls_cli_progress(void *cli, size_t files_done, size_t files, uint64_t bytes_done);

/* End the line of progress. */
void mls_cli_progress_end(const mls_cli *cli);

/* ---- rules and tables */

/* Return the table of editions, which is loaded on the first call.  On failure, print an error and return NULL. */
const mls_editions *mls_cli_editions(mls_cli *cli);

/* Get the edition named by `text`, or by --edition; *edition is NULL if neither is given. */
bool mls_cli_edition(mls_cli *cli, const char *text, const mls_edition **edition);

/* Return the newest edition with a benchmark, or NULL.  Set cli->usage to hpc if only hpc has it.  The editions must be
 * loaded. */
const mls_edition *mls_cli_newest_with(mls_cli *cli, const char *benchmark);

/* Load cli->own_ruleset from the file of --rules. */
bool mls_cli_own_rules(mls_cli *cli);

/* Load cli->models and cli->accelerators. */
bool mls_cli_load_models(mls_cli *cli);

/* Load cli->known_settings. */
bool mls_cli_load_settings(mls_cli *cli);

/* Set the options of collecting from --usage, --edition and --threads.  The second function also sets the checker: by
 * the file of --rules, by --edition, or by the date of each log. */
bool mls_cli_collect_options(mls_cli *cli, mls_collect_options *how);
bool mls_cli_judge_options(mls_cli *cli, mls_collect_options *how);

/* ---- files and printing */

/* The maximum size of a file that is not a log, in bytes. */
#define MLS_CLI_FILE_MAX ((size_t)64 << 20)

/* Append a whole file ("-": standard input; NULL: nothing) to `text`; then text->ptr is not NULL. */
bool mls_cli_read_file(mls_cli *cli, const char *path, mls_buffer *text);

/* Read saved output of sacct, see mls_sacct_read(). */
bool mls_cli_read_sacct(mls_cli *cli, const char *path, mls_sacct_zone zone, mls_sacct *sacct);

/* Check that an HTML page does not go to a terminal. */
bool mls_cli_may_print(mls_cli *cli);

/* Open the file of -o, or standard output.  Close it if it is open; if `failure` is not NULL, discard it and print the
 * failure. */
bool mls_cli_open(mls_cli *cli);
void mls_cli_close(mls_cli *cli, const char *failure);

/* Open the output, print one thing and close it.  `state` is passed to the printer. */
void mls_cli_print(mls_cli *cli, const mls_report *report, const void *what);
void mls_cli_print_beside(mls_cli *cli, const mls_report *report, const void *what, void *state);

/* ---- logs, runs and groups */

/* Read the logs below a path (NULL: all operands) into cli->sources, and report those that could not be read.  If
 * `report` is not NULL, it is begun before and ended after reading, with `state`. */
bool mls_cli_read(mls_cli *cli, const char *path, const mls_reading *reading, const mls_report *report, void *state);

/* Callback mls_reading.done, whose state is the cli: report a source that could not be read. */
mls_status mls_cli_read_done(void *cli, const mls_read *read);

/* Collect the runs below paths.  `path` is the file of reference points, for errors with a position.  Always release
 * *collection. */
bool mls_cli_collect(mls_cli *cli, const mls_names *paths, const mls_collect_options *how, const char *path,
                     mls_collection *collection);

/* Report skipped sources and truncated lists of a collection.  If the collection is empty, report this too and set the
 * exit status. */
void mls_cli_print_problems(mls_cli *cli, const mls_collection *collection);

/* Note the runs whose hyperparameters were not all kept. */
void mls_cli_note_truncated(mls_cli *cli, const mls_collection *collection);

/* Compare the sides of a request.  Always release *comparison.  Then report what could not be read. */
bool mls_cli_compare(mls_cli *cli, const mls_compare_request *request, mls_comparison *comparison);
void mls_cli_print_side_problems(mls_cli *cli, const mls_comparison *comparison);

/* Find out why runs without an end did not end, as findings of the runs. */
bool mls_cli_note_endings(mls_cli *cli, mls_collection *collection);

/* Add measurements of the groups, if the output is for people. */
struct mls_telemetry_notes;
bool mls_cli_note_telemetry(mls_cli *cli, const mls_collection *collection, struct mls_telemetry_notes *notes);

/* Measure the throughput of a collection with the loaded tables; `series` includes the segments of its runs.  Always
 * release *measured. */
struct mls_throughputs;
bool mls_cli_measure(mls_cli *cli, const mls_collection *collection, bool series, struct mls_throughputs *measured);

/* Set the status by findings, by a group of runs, or by a group of a comparison. */
void mls_cli_judge_findings(mls_cli *cli, const mls_findings *findings);
void mls_cli_judge_group(mls_cli *cli, const mls_group *group);
void mls_cli_judge_side(mls_cli *cli, const mls_side_group *side);

/* Collect and compare logs, or exports of them, and print the answers of all modules about them.  Each log is read
 * once. */
struct mls_overview;
typedef struct mls_group_question {
    const mls_names *paths;
    const char *against; /* side to compare the groups with; NULL: the fastest published result */
    bool exports;        /* the paths are exports */
    bool series;         /* measure the segments of each run */
    bool select_window;
    void (*print)(mls_cli *cli, const struct mls_overview *all);
} mls_group_question;
void mls_cli_ask_groups(mls_cli *cli, const mls_group_question *question);
