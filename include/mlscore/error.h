/* SPDX-License-Identifier: Apache-2.0 */
/* error.h - byte strings and errors.
 *
 * A function that can fail returns an mls_status and fills the caller's mls_error, which may be NULL:
 *
 *     mls_error error;
 *     if (mls_rules_new(&rules, &error) != MLS_OK) {
 *         fprintf(stderr, "%s\n", error.message);
 *     }
 *
 * The library never prints or exits.  It aborts only if memory runs out: see mls_set_no_memory_handler(). */
#pragma once

#include <stddef.h>

#include "mlscore/version.h"

/** A borrowed byte string.  It may contain any bytes and is not NUL-terminated.  ptr may be NULL only if len is 0. */
typedef struct mls_str {
    const char *ptr;
    size_t len;
} mls_str;

/** The result of a function that can fail.  Later versions may add values, but never change one. */
typedef enum mls_status {
    MLS_OK = 0,
    MLS_ERROR_MEMORY = 1,  /**< an allocation failed, or a size overflowed */
    MLS_ERROR_READ = 2,    /**< a file or folder could not be opened or read */
    MLS_ERROR_WRITE = 3,   /**< output could not be written, closed or renamed */
    MLS_ERROR_SYNTAX = 4,  /**< a text does not follow its grammar */
    MLS_ERROR_LIMIT = 5,   /**< a named limit of the library was exceeded */
    MLS_ERROR_VALUE = 6,   /**< an argument or a value is well-formed but not allowed */
    MLS_ERROR_UNKNOWN = 7, /**< a name (of an edition, a benchmark, a key …) is unknown */
    MLS_STOPPED = 8        /**< a callback asked to stop; not an error by itself */
} mls_status;

/** An error and its place.  `line` and `column` count from 1; 0 means that the place is unknown. */
typedef struct mls_error {
    mls_status status;
    int system_errno; /**< errno of the system call that failed; 0 if none failed */
    size_t line, column;
    char message[320]; /**< NUL-terminated, one line, control characters escaped */
} mls_error;

/** A callback that is called when memory runs out, on any thread.  It must not return; if it does, the library calls
 * abort(). */
typedef void (*mls_no_memory_handler)(void);

MLS_C_BEGIN

/** Set the callback that is called when memory runs out, for the whole process.  NULL restores the default, abort().
 * The log writer (write.h) never calls it, but returns MLS_ERROR_MEMORY. */
void mls_set_no_memory_handler(mls_no_memory_handler handler);

MLS_C_END
