/* SPDX-License-Identifier: Apache-2.0 */
/* digest.h - SHA-256 (FIPS 180-4), by which a file can be known again. */
#pragma once

#include "base/base.h"

/* The digits of a digest, and a NUL. */
enum { MLS_DIGEST_BYTES = 65 };

/* Writes the digest of a text as sha256sum prints it. */
void mls_digest(mls_str text, char digits[static MLS_DIGEST_BYTES]);

/* The same of a text that comes in pieces. */
enum { MLS_DIGEST_BLOCK = 64 };
typedef struct mls_digester {
    uint32_t hash[8];
    uint64_t bytes;                       /* that came so far */
    unsigned char rest[MLS_DIGEST_BLOCK]; /* those of them that are no whole block */
} mls_digester;

void mls_digest_begin(mls_digester *self);
void mls_digest_feed(mls_digester *self, mls_str text);
void mls_digest_end(mls_digester *self, char digits[static MLS_DIGEST_BYTES]);
