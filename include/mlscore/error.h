/* SPDX-License-Identifier: Apache-2.0 */
/* error.h - byte strings, and errors as values.
 *
 * A function that can fail returns an mls_status and, where the caller passes one, fills an mls_error.  The library
 * never prints, exits or aborts. */
#pragma once

#include <stddef.h>

#include "mlscore/version.h"

/** A byte string: borrowed bytes of any value, not ended by NUL.  ptr may be NULL only when len is 0. */
typedef struct mls_str {
    const char *ptr;
    size_t len;
} mls_str;

/** The result of a function that can fail.  Later versions may add to these, and give none another number. */
typedef enum mls_status {
    MLS_OK = 0,
    MLS_ERROR_MEMORY = 1,  /**< an allocation failed, or a size overflowed */
    MLS_ERROR_READ = 2,    /**< a file or folder could not be opened or read */
    MLS_ERROR_WRITE = 3,   /**< output could not be written, closed or renamed */
    MLS_ERROR_SYNTAX = 4,  /**< text that should follow a grammar does not */
    MLS_ERROR_LIMIT = 5,   /**< a named limit of the library was exceeded */
    MLS_ERROR_VALUE = 6,   /**< well-formed, but not a value that makes sense here */
    MLS_ERROR_UNKNOWN = 7, /**< a name (edition, benchmark, key …) nobody knows */
    MLS_STOPPED = 8        /**< a callback asked to stop; not an error by itself */
} mls_status;

/** An error with its place.  line and column count from 1; 0: not known. */
typedef struct mls_error {
    mls_status status;
    int system_errno; /**< errno of the call that failed, 0 if none did */
    size_t line, column;
    char message[320]; /**< NUL-terminated, one line, control characters escaped */
} mls_error;

/** A function that is called, on any thread, when memory runs out.  It must not return; where it does, abort() follows.
 */
typedef void (*mls_no_memory_handler)(void);

MLS_C_BEGIN

/** Set the handler for memory that runs out, for the whole process.  NULL restores the default, which is abort().  The
 * log writer (write.h) never calls it: it allocates when it is opened, and then returns an error. */
void mls_set_no_memory_handler(mls_no_memory_handler handler);

MLS_C_END
