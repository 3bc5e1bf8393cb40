/* SPDX-License-Identifier: Apache-2.0 */
/* command.h - the interface between main() and a command such as `mlscore score`, and the functions that commands
 * share.
 *
 * A command consists of a file cmd_<name>.c, which defines an mls_command, and of one row in MLS_COMMAND_LIST.  The
 * table of options of a command is used to parse the command line and to print --help and completion files.  Each row
 * of the table contains the offset of the member that the option sets.  The member is in mls_cli if many commands have
 * the option, otherwise in the command's own struct of settings.
 *
 * Unless their comments differ, functions that return bool print an error and return false if they fail. */
#pragma once

#include "base/walk.h"
#include "compare/comparison.h"
#include "explain/models.h"
#include "report/formats.h"
#include "run/settings.h"
#include "score/accelerators.h"
#include "score/jobs.h"

/* Exit statuses of the program.  If several apply, the largest one is used, except that MLS_EXIT_IO takes precedence
 * over the additional statuses that a command defines. */
enum {
    MLS_EXIT_OK = 0,
    MLS_EXIT_INVALID = 1,   /* a log, result, config or other input is not valid */
    MLS_EXIT_USAGE = 2,     /* the command line is wrong, so nothing was done */
    MLS_EXIT_IO = 3,        /* a file could not be read or written; all other work was done */
    MLS_EXIT_SHOW_HELP = 4, /* not a status, but a flag for mls_cli_error(): print a hint to use --help */
    MLS_WRONG_USAGE = MLS_EXIT_USAGE | MLS_EXIT_SHOW_HELP
};

/* How an option sets its member.  Each comment begins with the type of the member, which is zero if the option is not
 * given. */
typedef enum mls_option_does {
    MLS_SETS_FLAG, /* bool: set to true */
    MLS_SETS_TEXT, /* const char *: the argument */
    /* Const char *: one of the allowed values; "" if the option is given without its optional argument. */
    MLS_SETS_CHOICE,
    MLS_SETS_VALUE,   /* unsigned: index of the argument in the allowed values, from 1 */
    MLS_SETS_COUNT,   /* size_t: a whole number, at least 1 */
    MLS_ADDS_TEXT,    /* mls_names: a copy of the argument is added; the list is freed after the command has run */
    MLS_COUNTS,       /* unsigned: the number of times that the option is given */
    MLS_SETS_USAGE,   /* mls_usage */
    MLS_SETS_FORMAT,  /* mls_format: the first of the allowed values is the default */
    MLS_SETS_THREADS, /* unsigned */
    MLS_PRINTS_HELP,
    MLS_PRINTS_VERSION
} mls_option_does;

typedef struct mls_option {
    char letter;      /* '\0': only the long form */
    const char *name; /* NULL ends a table */
    /* Name of the argument, such as "FILE", or its allowed values, such as "table|csv|json"; NULL: the option has no
     * argument. */
    const char *argument;
    const char *help; /* the description of the option in --help, one line */
    mls_option_does does;
    bool common;       /* the member is in mls_cli, not in the settings of the command */
    size_t at;         /* offset of the member */
    const char *words; /* values that shells offer to complete the argument; see mls_command.words */
    /* Options of which only one may be given, all with the same text, such as "--a and --b"; NULL: no restriction. */
    const char *group;
    const char *needs; /* another option that must be given, too; NULL: none */
} mls_option;

#define MLS_ROW(...) MLS_ROW_WITH(__VA_ARGS__, NULL, NULL)
/* A row of a table, with values for `group` and `needs`. */
#define MLS_ROW_WITH(...)                                                                                              \
    {                                                                                                                  \
        __VA_ARGS__                                                                                                    \
    }
/* Rows for options of one command; `at` is the offset of the member in the command's struct of settings. */
#define MLS_ROW_FLAG(letter, name, at, help) MLS_ROW(letter, name, NULL, help, MLS_SETS_FLAG, false, at, NULL)
#define MLS_ROW_TEXT(letter, name, argument, at, help)                                                                 \
    MLS_ROW(letter, name, argument, help, MLS_SETS_TEXT, false, at, NULL)
#define MLS_ROW_OF(does, name, argument, at, help) MLS_ROW('\0', name, argument, help, does, false, at, NULL)
#define MLS_ROW_WORD(name, argument, words, at, help)                                                                  \
    MLS_ROW('\0', name, argument, help, MLS_SETS_TEXT, false, at, words)
/* The values of --precision. */
#define MLS_PRECISION_WORDS "fp4|fp8|int8|int4|bf16|fp16|tf32|fp32|fp64"
#define MLS_ROW_RCP(at, help) MLS_ROW_TEXT('\0', "rcp", "FILE", at, help)
#define MLS_ROW_BERT(at)                                                                                               \
    MLS_ROW_FLAG('\0', "bert-train-samples", at,                                                                       \
                 "for bert, use the train_samples record as the number of samples to converge")
/* Rows for options that many commands share; `member` is a member of mls_cli. */
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
/* Rows for --color, -q, -v and --strict.  The arguments are the help texts of the last three. */
#define MLS_ROWS_VIEW(quiet, verbose, strict)                                                                          \
    MLS_ROW_COLOR, MLS_ROW_QUIET_AS(quiet), MLS_ROW_VERBOSE_AS(verbose), MLS_ROW_STRICT_AS(strict)
/* The last rows of every table of options. */
#define MLS_ROWS_LAST                                                                                                  \
    MLS_ROW('h', "help", NULL, "print this help", MLS_PRINTS_HELP, true, 0, NULL),                                     \
        MLS_ROW('V', "version", NULL, "print the version", MLS_PRINTS_VERSION, true, 0, NULL),                         \
        MLS_ROW_WITH(.name = NULL)

/* Rows for options of every command that reads and judges logs. */
#define MLS_ROWS_LOGS(quiet, verbose, strict)                                                                          \
    MLS_ROWS_FILES, MLS_ROW_THREADS, MLS_ROWS_VIEW(quiet, verbose, strict), MLS_ROWS_LAST

typedef struct mls_cli mls_cli;

typedef struct mls_command {
    const char *name;
    const char *summary; /* one line, for the list of commands */
    const char *usage;   /* the text after the name of the command in its usage line: "[OPTION…] [PATH…]" */
    const char *about;   /* the description of the command in --help, a few lines */
    const mls_option *options;
    size_t settings_size; /* size of the command's struct of settings; 0: it does not have one */
    /* Allowed values of an operand, such as "bash|zsh|fish".  The values COMMAND, EDITION, BENCHMARK and FINDING mean
     * all names of this kind.  NULL: any operand is allowed. */
    const char *words;
    /* For a command whose operands are files, the error message if no operand is given; "": operands are optional.
     * NULL: the operands are not files. */
    const char *paths;
    void (*run)(mls_cli *cli); /* run the command, and set cli->status */
} mls_command;

/* Logs of other benchmark suites and old rounds that were skipped, which are reported together. */
typedef struct mls_foreign_logs {
    size_t counts[MLS_FOREIGN_REASONS];
    char *first[MLS_FOREIGN_REASONS]; /* the path of the first log for each reason; owned by this struct */
} mls_foreign_logs;

/* The state of a running command. */
struct mls_cli {
    const mls_command *command;         /* NULL: the program itself */
    const mls_command *const *commands; /* all commands; ends with NULL */
    mls_view view;                      /* how and where results are printed */
    /* Values of options that many commands share; zero if the option is not given. */
    mls_usage usage;
    bool usage_given, format_given;
    const char *edition;    /* as given */
    const char *rules_path; /* argument of --rules; NULL: not given */
    const char *output_path;
    const char *files_from;
    bool files_from_null;
    const char *color; /* as given; view.color is the result */
    mls_work work;
    void *settings; /* the command's own struct of settings; NULL: the command does not have one */

    mls_names operands;       /* the operands of the command line, then the paths listed in the file of --files-from */
    mls_rulesets *rulesets;   /* loaded by mls_cli_editions() */
    mls_ruleset *own_ruleset; /* loaded by mls_cli_own_rules() */
    mls_models *models;       /* `models` and `accelerators` are loaded by mls_cli_load_models() */
    mls_accelerators *accelerators;
    mls_known_settings known_settings; /* loaded by mls_cli_load_settings() */
    /* Time at which to show progress next (mls_clock_ms()); INFINITY: never; 0: not decided yet. */
    double progress_ms;
    bool progress_shown;
    struct mls_merge *merge; /* parts to read instead of logs (see score/part.h); NULL: logs are read */
    mls_sources sources;     /* the files found by mls_cli_read() */
    mls_foreign_logs foreign;
    mls_output output; /* the output of the command; if it is open, view.output points to it */
    mls_printer printer;
    int status; /* the exit status so far; see mls_cli_set_status() */
    /* For a command run by `mlscore PATH`: the equivalent command line, which is printed above the result; otherwise
     * NULL. */
    const char *equivalent;
};

/* The commands, in the order of help; cmd_help.c divides them into groups. */
#define MLS_COMMAND_LIST(C)                                                                                            \
    C(score)                                                                                                           \
    C(report)                                                                                                          \
    C(check)                                                                                                           \
    C(merge)                                                                                                           \
    C(verify)                                                                                                          \
    C(review)                                                                                                          \
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

/* The command for `mlscore PATH`, which has no name and is not in the list. */
extern const mls_command mls_command_overview;

/* Return the command with a name; NULL if it does not exist.  In this case, mls_command_find() also prints an error,
 * and suggests a similar command or, if no command is running, a similar file. */
const mls_command *mls_command_named(const mls_cli *cli, const char *name);
const mls_command *mls_command_find(mls_cli *cli, const char *name);

/* Run a command with the command line `argv`, of which argv[0] is the name of the command.  Copy the view from `like`
 * and, if like->command is not NULL, the values of common options.  Return the exit status. */
int mls_cli_start(const mls_command *command, const mls_cli *like, int argc, char **argv);

/* Parse a command line.  Return false if the command is not to be run: after an error, --help or --version. */
bool mls_cli_parse(mls_cli *cli, int argc, char **argv);

void mls_cli_release(mls_cli *cli);

/* ---- messages */

/* Set the exit status, unless a worse one is set. */
void mls_cli_set_status(mls_cli *cli, int status);

/* Print `mlscore COMMAND: 'path': message` on standard error, with control characters escaped; if `path` is NULL,
 * without the path.  Set the exit status to `status`; with MLS_WRONG_USAGE, also print a hint to use --help.  A note
 * does not change the exit status, and is not printed with --quiet.  Return false. */
bool mls_cli_error(mls_cli *cli, int status, const char *path, const char *format, ...) MLS_PRINTF(4, 5);
bool mls_cli_usage_error(mls_cli *cli, const char *format, ...) MLS_PRINTF(2, 3);
void mls_cli_note(mls_cli *cli, const char *path, const char *format, ...) MLS_PRINTF(3, 4);

/* Print an mls_error, with the path only if the error has a line number in this file.  Set the exit status to
 * MLS_EXIT_IO if reading or writing failed, otherwise to MLS_EXIT_USAGE.  Return false. */
bool mls_cli_print_error(mls_cli *cli, const char *path, const mls_error *error);

/* Print an mls_error about a file named by the user (NULL: none), always with the path.  Return false. */
bool mls_cli_file_error(mls_cli *cli, const char *path, const mls_error *error);

/* Report a file that could not be read, for the reason `why`.  `finding` is the message of a finding about it; NULL:
 * there is no finding.  A log of another benchmark suite or an old round without a finding is only counted;
 * mls_cli_print_foreign() reports these logs together. */
void mls_cli_unread(mls_cli *cli, const char *path, const char *why, const char *finding);
void mls_cli_print_foreign(mls_cli *cli);

/* Report all files in a list of sources that could not be read. */
void mls_cli_print_skipped(mls_cli *cli, const mls_sources *sources);

/* A suggestion to append to an error: "; did you mean 'score'?", or an empty text if no name is similar. */
typedef struct mls_cli_hint {
    char text[100];
} mls_cli_hint;
mls_cli_hint mls_cli_suggestion(const mls_suggestion *nearest);

/* Suggest a file whose name is similar to the last part of `path`, in the same folder.  The text of the suggestion is
 * stored in `names`. */
mls_suggestion mls_cli_nearest_file(const char *path, mls_names *names);

/* Print the explanation and the remedy of a finding. */
void mls_cli_explain(mls_cli *cli, const char *name);

/* Print the version, and how the program was built. */
void mls_cli_print_version(mls_output *output);

/* Print the help of a command. */
void mls_cli_print_help(const mls_command *command, mls_output *output);

/* Show progress on a terminal, in a line that is rewritten in place.  `cli` is an mls_cli, passed as the state of a
 * callback. */
void mls_cli_progress(void *cli, size_t files_done, size_t files, uint64_t bytes_done);

/* Erase the line of progress, if it is shown. */
void mls_cli_progress_end(const mls_cli *cli);

/* ---- rules and tables */

/* Return the table of editions, which is loaded on the first call.  On failure, print an error and return NULL. */
const mls_editions *mls_cli_editions(mls_cli *cli);

/* Find the edition named by `text` or, if `text` is NULL, by --edition.  If neither is given, set *edition to NULL. */
bool mls_cli_edition(mls_cli *cli, const char *text, const mls_edition **edition);

/* Return the newest edition with a benchmark; NULL if no edition has it.  If only editions of MLPerf HPC have the
 * benchmark, set cli->usage to hpc.  The editions must be loaded. */
const mls_edition *mls_cli_newest_with(mls_cli *cli, const char *benchmark);

/* Load cli->own_ruleset from the file of --rules. */
bool mls_cli_own_rules(mls_cli *cli);

/* Load cli->models and cli->accelerators. */
bool mls_cli_load_models(mls_cli *cli);

/* Load cli->known_settings. */
bool mls_cli_load_settings(mls_cli *cli);

/* Set the options for collecting runs from --usage, --edition and --threads.  mls_cli_judge_options() also sets the
 * rules that runs are checked against: the file of --rules, the edition of --edition or, without these options, an
 * edition that is guessed for each log. */
bool mls_cli_collect_options(mls_cli *cli, mls_collect_options *how);
bool mls_cli_judge_options(mls_cli *cli, mls_collect_options *how);

/* ---- files and printing */

/* The maximum size of a file that is not a log, in bytes. */
#define MLS_CLI_FILE_MAX ((size_t)64 << 20)

/* Append the contents of a file to `text`; the path "-" means standard input, and NULL an empty file.  Afterwards,
 * text->ptr is not NULL. */
bool mls_cli_read_file(mls_cli *cli, const char *path, mls_buffer *text);

/* Read a file with the output of sacct; see mls_sacct_read(). */
bool mls_cli_read_sacct(mls_cli *cli, const char *path, mls_sacct_zone zone, mls_sacct *sacct);

/* Check that the output is not an HTML page for a terminal. */
bool mls_cli_may_print(mls_cli *cli);

/* Open the output: the file of -o, or standard output.  mls_cli_close() closes it if it is open; if `failure` is not
 * NULL, it discards the file of -o and prints the failure. */
bool mls_cli_open(mls_cli *cli);
void mls_cli_close(mls_cli *cli, const char *failure);

/* Open the output, print a report of `what`, and close the output.  `state` is passed to the functions of the
 * report. */
void mls_cli_print(mls_cli *cli, const mls_report *report, const void *what);
void mls_cli_print_beside(mls_cli *cli, const mls_report *report, const void *what, void *state);

/* ---- logs, runs and groups */

/* Find the logs below a path, or below all operands if `path` is NULL, store them in cli->sources and read them.
 * Report logs that could not be read.  If `report` is not NULL, begin the report before reading and end it afterwards;
 * `state` is passed to its functions. */
bool mls_cli_read(mls_cli *cli, const char *path, const mls_reading *reading, const mls_report *report, void *state);

/* Report a file if it could not be read.  This is a callback for mls_reading.done, so `cli` is an mls_cli. */
mls_status mls_cli_read_done(void *cli, const mls_read *read);

/* Collect the runs below `paths` into groups.  `path` is the file of reference points, which is named in errors about
 * it; NULL: none.  Release *collection even if the function fails. */
bool mls_cli_collect(mls_cli *cli, const mls_names *paths, const mls_collect_options *how, const char *path,
                     mls_collection *collection);

/* Report files that were skipped, and runs with more FID and CLIP records than are used.  If no run was found, report
 * this and set the exit status. */
void mls_cli_print_problems(mls_cli *cli, const mls_collection *collection);

/* Report the runs with more hyperparameters than are kept. */
void mls_cli_note_truncated(mls_cli *cli, const mls_collection *collection);

/* Compare the sides of a request.  Release *comparison even if the function fails.  mls_cli_print_side_problems()
 * reports the files that could not be read. */
bool mls_cli_compare(mls_cli *cli, const mls_compare_request *request, mls_comparison *comparison);
void mls_cli_print_side_problems(mls_cli *cli, const mls_comparison *comparison);

/* Check the value of --precision (NULL: not given).  Return false after printing an error. */
bool mls_cli_precision_is_right(mls_cli *cli, const char *precision);

/* For each run without a run_stop, find out why it ended, and add the reason as a finding of the run. */
bool mls_cli_note_endings(mls_cli *cli, mls_collection *collection);

/* Find telemetry next to the logs of the groups, and store notes about it, if the output is for people: a table or an
 * HTML page. */
struct mls_telemetry_notes;
bool mls_cli_note_telemetry(mls_cli *cli, const mls_collection *collection, struct mls_telemetry_notes *notes);

/* Measure the throughput of the runs of a collection.  `series`: also store the segments of each run.  Call
 * mls_cli_load_models() first.  Release *measured even if the function fails. */
struct mls_throughputs;
bool mls_cli_measure(mls_cli *cli, mls_collection *collection, const mls_score_options *how, bool series,
                     struct mls_throughputs *measured);

/* Set the exit status to MLS_EXIT_INVALID if findings, a group of runs, or a group of a comparison are not valid. */
void mls_cli_judge_findings(mls_cli *cli, const mls_findings *findings);
void mls_cli_judge_group(mls_cli *cli, const mls_group *group);
void mls_cli_judge_side(mls_cli *cli, const mls_side_group *side);

/* A request to summarize logs, or exports written by `mlscore score`: their score, comparison, throughput and
 * telemetry.  Each log is read once. */
struct mls_overview;
typedef struct mls_group_question {
    const mls_names *paths;
    /* logs, export or published result to compare the groups with; NULL: the fastest published result. */
    const char *against;
    bool exports; /* the paths are exports instead of logs */
    bool series;  /* also measure the segments of each run */
    bool select_window;
    void (*print)(mls_cli *cli, const struct mls_overview *all);
} mls_group_question;
void mls_cli_ask_groups(mls_cli *cli, const mls_group_question *question);
