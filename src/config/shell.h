/* SPDX-License-Identifier: Apache-2.0 */
/* shell.h - find the variables that a shell script exports, without running it.
 *
 * mls_shell_read() interprets a script and the files it sources; mls_shell_find() then returns an exported variable.
 *
 * A value that depends on running a program, or on anything outside the scripts, is unknown; so is every value derived
 * from it. */
#pragma once

#include "base/base.h"

/** A variable at the end of the script.  The strings live as long as the script. */
typedef struct mls_shell_variable {
    mls_str name;
    mls_str value;    /**< as bash would print it; empty if it is unknown */
    bool known;       /**< false: the value depends on something outside the scripts, or may be unset */
    const char *path; /**< the file with the last assignment; NUL-terminated */
    size_t line;      /**< line in that file, from 1; 0: unknown */
} mls_shell_variable;

/** A script that was read. */
typedef struct mls_shell {
    char *path;                        /**< as given to mls_shell_read() */
    const mls_shell_variable *exports; /**< sorted by name */
    size_t export_count;
    bool complete; /**< true: names that are not listed are certainly unset, since no unknown command or missing file
                      could set them */
    mls_findings findings; /**< about the script */
    struct mls_arena *arena;
} mls_shell;

/** The maximum size of a script in bytes; a longer one is MLS_ERROR_LIMIT.  The maximum size of a value. */
#define MLS_SHELL_BYTES_MAX ((size_t)1 << 20)
#define MLS_SHELL_VALUE_BYTES_MAX ((size_t)1 << 16)

/** Read a config and the files it sources as bash would with `set -a` in an empty environment, without running
 * anything.  Plain assignments are exports, unset names are empty, and values that depend on running or looking up
 * something are unknown.  bash's own variables (PWD, SHLVL, RANDOM …) are not listed.
 *
 * Only files below the folder `root` are read, or below the config's own folder if it is NULL.  Paths are resolved
 * first, so neither a symbolic link nor ".." leads out of it.
 *
 * On MLS_OK, free *script with mls_shell_free().  Problems in the text are among its findings.  Return MLS_ERROR_READ
 * if the file cannot be opened or is not a regular file, MLS_ERROR_SYNTAX if it is not text, or MLS_ERROR_LIMIT. */
mls_status mls_shell_read(const char *path, const char *root, mls_shell **script, mls_error *error) MLS_MUST_USE;
void mls_shell_free(mls_shell *script);

/** Return an exported variable by its name; NULL if it does not exist. */
const mls_shell_variable *mls_shell_find(const mls_shell *script, mls_str name);

/** Check whether a variable is set, or may be.  Empty values and "null" count as unset, since configs use them for
 * that.
 */
bool mls_shell_is_set(const mls_shell_variable *variable);
