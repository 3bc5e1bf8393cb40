/* SPDX-License-Identifier: Apache-2.0 */
/*
 * command_options.h - rows of option tables that many commands share.
 */
#ifndef MLS_CLI_COMMAND_OPTIONS_H
#define MLS_CLI_COMMAND_OPTIONS_H

#include "cli/command.h"

#define MLS_ROW_USAGE                                                                                                  \
    {                                                                                                                  \
        MLS_OPTION_USAGE, '\0', "usage", "training|hpc", "the family of benchmarks (training)"                         \
    }
#define MLS_ROW_EDITION                                                                                                \
    {                                                                                                                  \
        MLS_OPTION_EDITION, '\0', "edition", "X.Y", "judge by this edition's rules (by the date of the first record)"  \
    }
#define MLS_ROW_RULES                                                                                                  \
    {                                                                                                                  \
        MLS_OPTION_RULES, '\0', "rules", "FILE", "judge by the rules in FILE (see mlscore-rules(5))"                   \
    }
#define MLS_ROW_FORMAT(formats)                                                                                        \
    {                                                                                                                  \
        MLS_OPTION_FORMAT, '\0', "format", formats, "how to print results (the first is the default)"                  \
    }
#define MLS_ROW_OUTPUT                                                                                                 \
    {                                                                                                                  \
        MLS_OPTION_OUTPUT, 'o', "output", "FILE", "write results to FILE, whole or not at all"                         \
    }
#define MLS_ROW_FILES_FROM                                                                                             \
    {                                                                                                                  \
        MLS_OPTION_FILES_FROM, '\0', "files-from", "FILE", "read more paths from FILE, one a line (-: standard input)" \
    }
#define MLS_ROW_NULL                                                                                                   \
    {                                                                                                                  \
        MLS_OPTION_NULL, '0', "null", NULL, "paths of --files-from end in NUL, not in a line ending"                   \
    }
#define MLS_ROW_THREADS                                                                                                \
    {                                                                                                                  \
        MLS_OPTION_THREADS, 'j', "threads", "N", "use N threads (one per processor)"                                   \
    }
#define MLS_ROW_COLOR                                                                                                  \
    {                                                                                                                  \
        MLS_OPTION_COLOR, '\0', "color", "auto|always|never", "colour results (auto: on a terminal)"                   \
    }
#define MLS_ROW_QUIET                                                                                                  \
    {                                                                                                                  \
        MLS_OPTION_QUIET, 'q', "quiet", NULL, "say less"                                                               \
    }
#define MLS_ROW_VERBOSE                                                                                                \
    {                                                                                                                  \
        MLS_OPTION_VERBOSE, 'v', "verbose", NULL, "say more"                                                           \
    }
#define MLS_ROW_STRICT                                                                                                 \
    {                                                                                                                  \
        MLS_OPTION_STRICT, '\0', "strict", NULL, "warnings and advice count as errors"                                 \
    }
#define MLS_ROW_HELP                                                                                                   \
    {                                                                                                                  \
        MLS_OPTION_HELP, 'h', "help", NULL, "print this help"                                                          \
    }
#define MLS_ROW_VERSION                                                                                                \
    {                                                                                                                  \
        MLS_OPTION_VERSION, '\0', "version", NULL, "print the version"                                                 \
    }
#define MLS_ROW_END                                                                                                    \
    {                                                                                                                  \
        0, '\0', NULL, NULL, NULL                                                                                      \
    }

#endif
