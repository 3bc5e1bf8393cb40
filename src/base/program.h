/* SPDX-License-Identifier: Apache-2.0 */
/* program.h - what another program says. */
#pragma once

#include "base/buffer.h"

typedef struct mls_program {
    const char *const *arguments; /* its name, which is looked for on PATH, and what follows; ends with NULL */
    char *const *environment;     /* NULL: that of this one */
    double timeout_ms;            /* it is ended then */
    size_t answer_max;            /* bytes; more are dropped */
} mls_program;

/* Calls a program without a shell, waits for it, and appends what it prints.  MLS_OK, when it ends well; MLS_ERROR_READ
 * with what went wrong, its own words among them. */
mls_status mls_program_ask(const mls_program *asked, mls_buffer *answer, mls_error *error) MLS_MUST_USE;
