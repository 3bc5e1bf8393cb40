/* SPDX-License-Identifier: Apache-2.0 */
/* secret.h - tokens by which whoever reads a file could act for somebody else, known by their form. */
#pragma once

#include "base/base.h"

/* The longest beginning of a token that tells it. */
enum { MLS_SECRET_BYTES = 1024 };

/* Finds the next token from *at on, which is moved past it.  Returns what it is ("a token of Hugging Face"), with its
 * span; NULL: there is none.  A placeholder (few different characters, or EXAMPLE in it) is none. */
const char *mls_secret_next(mls_str text, size_t *at, mls_str *secret);
