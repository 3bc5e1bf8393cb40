/* SPDX-License-Identifier: Apache-2.0 */
/* digest.h - SHA-256 (FIPS 180-4), by which a file can be known again. */
#pragma once

#include "base/base.h"

/* The digits of a digest, and a NUL. */
enum { MLS_DIGEST_BYTES = 65 };

/* Writes the digest of a text as sha256sum prints it. */
void mls_digest(mls_str text, char digits[static MLS_DIGEST_BYTES]);
