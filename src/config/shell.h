/* SPDX-License-Identifier: Apache-2.0 */
/* shell.h - the variables that a shell script leaves in the environment, found by reading it.
 *
 * Nothing in a script is ever run.  A value that would have to be run or looked up is unknown, and so is every value
 * that is made from it. */
#pragma once

#include "base/base.h"

/** A variable as the script leaves it.  The strings live as long as the script. */
typedef struct mls_shell_variable {
    mls_str name;
    mls_str value;    /**< as bash would print it; empty when it is not known */
    bool known;       /**< false: it depends on something outside the scripts, or may not be set at all */
    const char *path; /**< the file that assigned it last; ends in NUL */
    size_t line;      /**< in that file, from 1; 0: not known */
} mls_shell_variable;

/** A script that was read. */
typedef struct mls_shell {
    char *path;                        /**< it was read by */
    const mls_shell_variable *exports; /**< in the order of their names */
    size_t export_count;
    bool complete; /**< a name that is not listed is certainly unset: no unknown command and no file that is not there
                      may set it */
    mls_findings findings; /**< while reading it */
    struct mls_arena *arena;
} mls_shell;

/** The longest file that is read as a script; a longer one is MLS_ERROR_LIMIT. */
#define MLS_SHELL_BYTES_MAX ((size_t)1 << 20)

/** Read a config and the files it sources, without running anything, as bash would with `set -a` in an empty
 * environment: plain assignments are exports, names that are not set are empty, and what would have to be run or looked
 * up is unknown.  bash's own variables (PWD, SHLVL, RANDOM …) are not listed.
 *
 * Files are read from the folder `root` and below, or, where it is NULL, from the config's own; their real place
 * counts: no link and no ".." leads out.
 *
 * On MLS_OK *script is to be given to mls_shell_free(); what could not be read in the text itself is among its
 * findings.  MLS_ERROR_READ when the file cannot be opened or is not a regular file; MLS_ERROR_SYNTAX when it is not
 * a text; MLS_ERROR_LIMIT. */
mls_status mls_shell_read(const char *path, const char *root, mls_shell **script, mls_error *error) MLS_MUST_USE;
void mls_shell_free(mls_shell *script);

/** Return an exported variable by its name; NULL: there is none. */
const mls_shell_variable *mls_shell_find(const mls_shell *script, mls_str name);

/** Check whether a variable is set, or may be: configs write nothing, or null, for what they leave out. */
bool mls_shell_is_set(const mls_shell_variable *variable);
