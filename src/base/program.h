/* SPDX-License-Identifier: Apache-2.0 */
/* program.h - run another program and read its output. */
#pragma once

#include "base/buffer.h"

typedef struct mls_program {
    const char *const *arguments; /* the program, searched on PATH, and its arguments; ends with NULL */
    char *const *environment;     /* NULL to inherit the environment of this process */
    double timeout_ms;            /* the program is killed after this time */
    size_t answer_max;            /* maximum length of the answer in bytes; further output is ignored */
} mls_program;

/* Run a program without a shell, wait for it, and append its standard output to `answer`.  Return MLS_OK if it exits
 * with 0, otherwise MLS_ERROR_READ with a message that contains the first line of its standard error. */
mls_status mls_program_ask(const mls_program *asked, mls_buffer *answer, mls_error *error) MLS_MUST_USE;
