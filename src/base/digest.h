/* SPDX-License-Identifier: Apache-2.0 */
/* digest.h - SHA-256 (FIPS 180-4), used as a checksum of files. */
#pragma once

#include "base/base.h"

/* Length of a digest in hexadecimal digits, with the NUL. */
enum { MLS_DIGEST_BYTES = 65 };

/* Write the digest of a text in the format of sha256sum. */
void mls_digest(mls_str text, char digits[static MLS_DIGEST_BYTES]);

/* The same for a text that comes in pieces. */
enum { MLS_DIGEST_BLOCK = 64 };
typedef struct mls_digester {
    uint32_t hash[8];
    uint64_t bytes;                       /* received so far */
    unsigned char rest[MLS_DIGEST_BLOCK]; /* the bytes of the last, incomplete block */
} mls_digester;

void mls_digest_begin(mls_digester *self);
void mls_digest_feed(mls_digester *self, mls_str text);
void mls_digest_end(mls_digester *self, char digits[static MLS_DIGEST_BYTES]);
