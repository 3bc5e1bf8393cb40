/* SPDX-License-Identifier: Apache-2.0 */
/* shell.h - find the variables that a shell script exports, without running it.
 *
 * mls_shell_read() interprets a script and the files it sources; mls_shell_find() then returns an exported variable.
 *
 * A value is unknown if it depends on the output of a program, on anything else outside the scripts, or on another
 * unknown value. */
#pragma once

#include "base/base.h"

/** A variable at the end of the script.  The strings live as long as the script. */
typedef struct mls_shell_variable {
    mls_str name;
    mls_str value;    /**< as bash would print it; empty if the value is unknown */
    bool known;       /**< false: the value is unknown, or it is unknown whether the variable is set */
    const char *path; /**< path of the file with the last assignment; NUL-terminated */
    size_t line;      /**< line of the last assignment, from 1; 0: unknown */
} mls_shell_variable;

/** A script that was read. */
typedef struct mls_shell {
    char *path;                        /**< as given to mls_shell_read() */
    const mls_shell_variable *exports; /**< sorted by name */
    size_t export_count;
    bool complete; /**< `exports` contains all exported variables; false: an unknown command or a missing file may set
                      others */
    mls_findings findings; /**< problems in the script */
    struct mls_arena *arena;
} mls_shell;

/** The maximum size of a script in bytes; for a longer script, mls_shell_read() returns MLS_ERROR_LIMIT. */
#define MLS_SHELL_BYTES_MAX ((size_t)1 << 20)
/** The maximum size of a value in bytes. */
#define MLS_SHELL_VALUE_BYTES_MAX ((size_t)1 << 16)

/** Interpret a config and the files it sources like bash with `set -a` in an empty environment, without running any
 * program.  Every assigned variable is exported, an unset variable expands to an empty text, and values that depend on
 * a program or on the job's environment are unknown.  Variables that bash sets (PWD, SHLVL, RANDOM …) are not listed.
 *
 * Only files below the folder `root` are read; if `root` is NULL, only files below the folder of the config.  Paths are
 * resolved first, so a symbolic link or ".." cannot lead out of this folder.
 *
 * On MLS_OK, free *script with mls_shell_free().  Problems in the text become findings of *script.  Return
 * MLS_ERROR_READ if the file cannot be opened or is not a regular file, MLS_ERROR_SYNTAX if it is not text, or
 * MLS_ERROR_LIMIT if it is longer than MLS_SHELL_BYTES_MAX. */
mls_status mls_shell_read(const char *path, const char *root, mls_shell **script, mls_error *error) MLS_MUST_USE;
void mls_shell_free(mls_shell *script);

/** Return the exported variable with this name; NULL if it does not exist. */
const mls_shell_variable *mls_shell_find(const mls_shell *script, mls_str name);

/** Check whether a variable is set or may be set.  An empty value and "null" count as unset, since configs disable
 * settings with them. */
bool mls_shell_is_set(const mls_shell_variable *variable);
