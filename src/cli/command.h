/* SPDX-License-Identifier: Apache-2.0 */
/* command.h - what a command of the tool is made of.
 *
 * A command is one file, cmd_<name>.c, with one const entry, and one row of MLS_COMMAND_LIST.  Its table of options
 * drives parsing, --help and the completion files, so that none of them can forget an option: a row says which setting
 * its argument is for.  What many commands have in common is a member of mls_cli; all else is a member of the command's
 * own struct of settings, which no other file knows. */
#pragma once

#include "base/walk.h"
#include "compare/comparison.h"
#include "explain/models.h"
#include "report/formats.h"
#include "run/settings.h"
#include "score/accelerators.h"
#include "score/jobs.h"

/* Exit statuses; the larger one wins when several apply, but for wrong usage, which ends everything, and for those of a
 * command's own, over which MLS_EXIT_IO wins. */
enum {
    MLS_EXIT_OK = 0,
    MLS_EXIT_INVALID = 1, /* something is not valid */
    MLS_EXIT_USAGE = 2,
    MLS_EXIT_IO = 3,        /* something could not be read or written; the rest was done */
    MLS_EXIT_SHOW_HELP = 4, /* flag for mls_cli_error() */
    MLS_WRONG_USAGE = MLS_EXIT_USAGE | MLS_EXIT_SHOW_HELP
};

/* How an option uses its argument; the type is that of its setting, which is zeroed when the option is not given. */
typedef enum mls_option_does {
    MLS_SETS_FLAG,   /* bool: becomes true */
    MLS_SETS_TEXT,   /* const char *: points to the argument */
    MLS_SETS_CHOICE, /* const char *: the same, but the argument, one of its values, may be missing: "" then */
    MLS_SETS_VALUE,  /* unsigned: which of its values the argument is, from 1 */
    MLS_SETS_COUNT,  /* size_t: a whole number from 1 on */
    MLS_ADDS_TEXT,   /* mls_names: get a copy of it, and may get more; they are freed when the command has run */
    MLS_COUNTS,      /* unsigned: grows */
    MLS_SETS_USAGE,
    MLS_SETS_FORMAT,
    MLS_SETS_THREADS,
    MLS_PRINTS_HELP,
    MLS_PRINTS_VERSION
} mls_option_does;

typedef struct mls_option {
    char letter;          /* '\0': only the long form */
    const char *name;     /* NULL ends a table */
    const char *argument; /* NULL: takes none; "FILE", "N", or the values it can have: "table|csv|json" */
    const char *help;     /* one line */
    mls_option_does does;
    bool common;       /* the setting is one of mls_cli, not one of the command */
    size_t at;         /* its offset */
    const char *words; /* that completion offers for an argument that is free: see mls_command.words */
    const char *group; /* "--a and --b": of options of one group only one can be given; NULL: of none */
    const char *needs; /* the option without which it means nothing; NULL: none */
    const char *about; /* what `needs` is about, for the message; NULL: that is plain */
} mls_option;

#define MLS_ROW(...) MLS_ROW_WITH(__VA_ARGS__, NULL, NULL, NULL)
/* The same with .group, .needs and .about. */
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
    MLS_ROW_FLAG('\0', "bert-train-samples", at, "take the samples to converge of bert from its train_samples record")
/* Rows that many commands share. */
#define MLS_ROW_COMMON(letter, name, argument, does, member, help)                                                     \
    MLS_ROW(letter, name, argument, help, does, true, offsetof(mls_cli, member), NULL)
#define MLS_ROW_USAGE_AS(help) MLS_ROW_COMMON('\0', "usage", "training|hpc", MLS_SETS_USAGE, usage, help)
#define MLS_ROW_USAGE                                                                                                  \
    MLS_ROW_USAGE_AS("family of benchmarks (default: training, or hpc for benchmarks that only hpc has)")
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
/* The arguments are the help of -q, of -v and of --strict. */
#define MLS_ROWS_VIEW(quiet, verbose, strict)                                                                          \
    MLS_ROW_COLOR, MLS_ROW_QUIET_AS(quiet), MLS_ROW_VERBOSE_AS(verbose), MLS_ROW_STRICT_AS(strict)
/* The last of every table. */
#define MLS_ROWS_LAST                                                                                                  \
    MLS_ROW('h', "help", NULL, "print this help", MLS_PRINTS_HELP, true, 0, NULL),                                     \
        MLS_ROW('V', "version", NULL, "print the version", MLS_PRINTS_VERSION, true, 0, NULL),                         \
        MLS_ROW_WITH(.name = NULL)

/* And of every command that reads logs and judges them. */
#define MLS_ROWS_LOGS(quiet, verbose, strict)                                                                          \
    MLS_ROWS_FILES, MLS_ROW_THREADS, MLS_ROWS_VIEW(quiet, verbose, strict), MLS_ROWS_LAST

typedef struct mls_cli mls_cli;

typedef struct mls_command {
    const char *name;
    const char *summary; /* one line, for the list of commands */
    const char *usage;   /* what follows the name: "[OPTION…] [PATH…]" */
    const char *about;   /* a few lines for --help */
    const mls_option *options;
    size_t settings_size; /* of the struct of which its rows name members; 0: they name none */
    const char *words; /* an operand can be, "bash|zsh|fish"; COMMAND, EDITION, BENCHMARK and FINDING stand for all of
                          them; NULL: any */
    /* Operands are files, which completion offers: what to say when there is none ("": none is needed).  NULL: not. */
    const char *paths;
    /* Does the work; what went wrong is in cli->status. */
    void (*run)(mls_cli *cli);
} mls_command;

/* Logs of other suites and old rounds, which are complained of together. */
typedef struct mls_foreign_logs {
    size_t counts[MLS_FOREIGN_REASONS];
    char *first[MLS_FOREIGN_REASONS]; /* the path of one; owned */
} mls_foreign_logs;

/* Everything a command is run with.  The options have been read. */
struct mls_cli {
    const mls_command *command;         /* NULL: the program itself */
    const mls_command *const *commands; /* all there are, in the order in which help lists them; ends with NULL */
    mls_view view;                      /* how results are printed, and where */
    /* Settings that commands have in common, zeroed when they were not given. */
    mls_usage usage;
    bool usage_given, format_given;
    const char *edition;    /* as the user wrote it */
    const char *rules_path; /* of --rules */
    const char *output_path;
    const char *files_from;
    bool files_from_null;
    const char *color; /* as given: view.color is what came of it */
    mls_work work;     /* with the progress of the tool */
    void *settings;    /* the command's own struct, with what it works on; NULL: it has none */

    mls_names operands;       /* what is left of the command line, then what --files-from lists */
    mls_rulesets *rulesets;   /* loaded by mls_cli_editions() */
    mls_ruleset *own_ruleset; /* loaded by mls_cli_own_rules() */
    mls_models *models;       /* loaded by mls_cli_load_models(), as the next */
    mls_accelerators *accelerators;
    mls_known_settings known_settings; /* loaded by mls_cli_load_settings() */
    double progress_ms;                /* when to show progress again; 0: to be decided */
    bool progress_shown;
    struct mls_merge *merge; /* parts that are read in place of logs (see score/part.h); NULL: none */
    mls_sources sources;     /* found by mls_cli_read() */
    mls_foreign_logs foreign;
    mls_output output;      /* open: view.output points to it */
    mls_printer printer;    /* of what is printed */
    int status;             /* the worst so far */
    const char *stands_for; /* the command line that this is run for, above what people get; NULL: they wrote it */
};

/* The commands, in the order in which help lists them; cmd_help.c cuts the list into groups. */
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

/* What is run for paths without a command; it is none of them. */
extern const mls_command mls_command_overview;

/* The one of cli->commands of that name, or NULL; the same after a complaint, which names the nearest, of the files too
 * where the tool itself was asked. */
const mls_command *mls_command_named(const mls_cli *cli, const char *name);
const mls_command *mls_command_find(mls_cli *cli, const char *name);

/* Runs a command with a command line (argv[0] is its name), and how `like` prints; of a command that runs another one
 * (like->command not NULL) it has the common settings too.  Returns the exit status. */
int mls_cli_start(const mls_command *command, const mls_cli *like, int argc, char **argv);

/* The file in the folder of a path that is called most like it; its name lives as long as `names`. */
mls_suggestion mls_cli_nearest_file(const char *path, mls_names *names);

/* Makes cli->status as bad as that. */
void mls_cli_set_status(mls_cli *cli, int status);

/* Print `mlscore COMMAND: 'path': message` on standard error, escaped; without the path if it is NULL.  An error sets
 * the exit status, and with MLS_WRONG_USAGE a hint at --help follows.  A note is omitted with --quiet.  Return false.
 */
bool mls_cli_error(mls_cli *cli, int status, const char *path, const char *format, ...) MLS_PRINTF(4, 5);
bool mls_cli_usage_error(mls_cli *cli, const char *format, ...) MLS_PRINTF(2, 3);
void mls_cli_note(mls_cli *cli, const char *path, const char *format, ...) MLS_PRINTF(3, 4);

/* Print an mls_error: with the path if the error has a position in that file.  It is a usage error unless reading or
 * writing failed.  Return false. */
bool mls_cli_print_error(mls_cli *cli, const char *path, const mls_error *error);

/* Print an mls_error about a file named by the user (NULL: none), always with the path.  Return false. */
bool mls_cli_file_error(mls_cli *cli, const char *path, const mls_error *error);

/* Makes it count when findings do not pass. */
void mls_cli_judge_findings(mls_cli *cli, const mls_findings *findings);

/* "; did you mean 'score'?" for a message about a misspelt word; "" when nothing is near. */
typedef struct mls_cli_hint {
    char text[100];
} mls_cli_hint;
mls_cli_hint mls_cli_suggestion(const mls_suggestion *nearest);

/* Prints what a finding is and how to mend it, or complains and names the nearest. */
void mls_cli_explain(mls_cli *cli, const char *name);

/* Takes the name of a benchmark that was asked for by the one that the rules have.  False after a complaint: there is
 * none, but one that is called nearly so. */
bool mls_cli_benchmark(mls_cli *cli, const char **name);

/* The table of editions, loaded once; NULL after a complaint. */
const mls_editions *mls_cli_editions(mls_cli *cli);

/* The newest edition that has a benchmark; NULL: none has.  A benchmark that only hpc has needs no --usage: cli->usage
 * is hpc then.  The editions are loaded. */
const mls_edition *mls_cli_newest_with(mls_cli *cli, const char *benchmark);

/* Loads cli->models and cli->accelerators.  False after a complaint. */
bool mls_cli_load_models(mls_cli *cli);

/* Loads cli->known_settings, once.  False after a complaint. */
bool mls_cli_load_settings(mls_cli *cli);

/* Loads the file of --rules into cli->own_ruleset.  False after a complaint. */
bool mls_cli_own_rules(mls_cli *cli);

/* Makes options for collecting of what commands have in common: family, edition, threads.  False after a complaint. */
bool mls_cli_collecting(mls_cli *cli, mls_collect_options *how);

/* The same with a checker for the rules to judge logs by: the file of --rules, and the published edition that they
 * build on, the edition named, or the one of each log's date.  False after a complaint. */
bool mls_cli_judge(mls_cli *cli, mls_collect_options *how);

/* The edition named by `text`, or by --edition; *edition is NULL where neither is.  False after a complaint. */
bool mls_cli_edition(mls_cli *cli, const char *text, const mls_edition **edition);

/* Whether what is printed may go where it would: a page does not go to a terminal.  False after a complaint. */
bool mls_cli_may_print(mls_cli *cli);

/* Opens the place that -o names, or standard output.  False after a complaint. */
bool mls_cli_open(mls_cli *cli);

/* Closes it if it is open; where `failure` is not NULL throws it away and says why. */
void mls_cli_close(mls_cli *cli, const char *failure);

/* Opens it, prints one thing and closes it; `state` is the printer's. */
void mls_cli_print(mls_cli *cli, const mls_report *report, const void *what);
void mls_cli_print_beside(mls_cli *cli, const mls_report *report, const void *what, void *state);

/* Reads the logs below a path (NULL: all operands), which are cli->sources then, and says which could not be opened;
 * with a report begun (NULL: none) and ended around it, whose printer has the `state`.  False after a complaint. */
bool mls_cli_read(mls_cli *cli, const char *path, const mls_reading *reading, const mls_report *report, void *state);

/* The `done` of a reading whose state is the cli: says why a source could not be read. */
mls_status mls_cli_read_done(void *cli, const mls_read *read);

/* Collects what stands below paths.  Says what went wrong, of the file of that path where that has a place in one:
 * false then.  *collection is to be released in any case. */
bool mls_cli_collect(mls_cli *cli, const mls_names *paths, const mls_collect_options *how, const char *path,
                     mls_collection *collection);

/* Says which sources could not be opened; and that nothing was collected, which counts. */
void mls_cli_print_skipped(mls_cli *cli, const mls_sources *sources);

/* Complain of what could not be read; of logs of other suites and old rounds only once, which
 * mls_cli_print_foreign() does. */
void mls_cli_unreadable(mls_cli *cli, const char *path, const char *why);
void mls_cli_print_foreign(mls_cli *cli);

/* Says why a source could not be read, and which finding that is (NULL: none). */
void mls_cli_unread(mls_cli *cli, const char *path, const char *why, const char *finding);
void mls_cli_print_problems(mls_cli *cli, const mls_collection *collection);

/* Reads the sides of a request and compares them.  False after a complaint.  *comparison is to be released in any case.
 */
bool mls_cli_compare(mls_cli *cli, const mls_compare_request *request, mls_comparison *comparison);

/* Says what of the sides could not be read, and where: 'a.csv':17: … */
void mls_cli_print_side_problems(mls_cli *cli, const mls_comparison *comparison);

/* Says of which runs not all hyperparameters were kept. */
void mls_cli_note_truncated(mls_cli *cli, const mls_collection *collection);

/* Prints the version, and what the program was built with. */
void mls_cli_print_version(mls_output *output);

/* --help and `mlscore help CMD` without a manual. */
void mls_cli_print_help(const mls_command *command, mls_output *output);

/* Looks for why the runs that never ended did not, as findings of theirs.  False after a complaint. */
bool mls_cli_note_endings(mls_cli *cli, mls_collection *collection);

/* Makes it count when a group is not well, and says what of it could not be read. */
void mls_cli_judge_group(mls_cli *cli, const mls_group *group);
/* Likewise of a group that logs or an export have; a published result counts. */
void mls_cli_judge_side(mls_cli *cli, const mls_side_group *side);

/* Notes what was measured beside the groups, where what is printed is for people.  False after a complaint. */
struct mls_telemetry_notes;
bool mls_cli_note_telemetry(mls_cli *cli, const mls_collection *collection, struct mls_telemetry_notes *notes);

/* Reads a command line (argv[0] is the command's name).  False: the command is not to run. */
bool mls_cli_parse(mls_cli *cli, int argc, char **argv);

/* What is asked of logs, or of exports of logs, and printed once it is known: each log is read once. */
struct mls_overview;
struct mls_throughputs;
typedef struct mls_group_question {
    const mls_names *paths;
    const char *against; /* what they are compared with; NULL: the fastest published result */
    bool exports;        /* the paths are exports */
    bool series;         /* what throughput finds is wanted piece by piece */
    bool select_window;
    void (*print)(mls_cli *cli, const struct mls_overview *all);
} mls_group_question;
void mls_cli_ask_groups(mls_cli *cli, const mls_group_question *question);

/* Measures a collection by the rules, models and accelerators that are loaded, with the series of its runs or without.
 * False after a complaint; *measured is to be released in any case. */
bool mls_cli_measure(mls_cli *cli, const mls_collection *collection, bool series, struct mls_throughputs *measured);

/* The largest file read beside logs, in bytes; a device has no end. */
#define MLS_CLI_FILE_MAX ((size_t)64 << 20)

/* Appends a whole file ("-": standard input; NULL: none) to `text`, which has a ptr then.  False after a complaint. */
bool mls_cli_read_file(mls_cli *cli, const char *path, mls_buffer *text);

/* Reads what sacct printed and was saved, see mls_sacct_read().  False after a complaint. */
bool mls_cli_read_sacct(mls_cli *cli, const char *path, mls_sacct_zone zone, mls_sacct *sacct);

void mls_cli_release(mls_cli *cli);

/* A line on standard error, rewritten in place, while long work goes on, only on a terminal; `cli` is the state. */
void mls_cli_progress(void *cli, size_t files_done, size_t files, uint64_t bytes_done);
void mls_cli_progress_end(const mls_cli *cli);
