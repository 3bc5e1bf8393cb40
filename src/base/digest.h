/* SPDX-License-Identifier: Apache-2.0 */
/* digest.h - SHA-256 (FIPS 180-4), used as a checksum of files. */
#pragma once

#include "base/base.h"

/* Size of a digest in bytes: 64 hexadecimal digits and the NUL. */
enum { MLS_DIGEST_BYTES = 65 };

/* Write the digest of a text as lower-case hexadecimal digits, like sha256sum. */
void mls_digest(mls_str text, char digits[static MLS_DIGEST_BYTES]);

/* The state of a digest of a text that is read in pieces: call mls_digest_begin(), then mls_digest_feed() for each
 * piece, then mls_digest_end(). */
enum { MLS_DIGEST_BLOCK = 64 };
typedef struct mls_digester {
    uint32_t hash[8];
    uint64_t bytes;                       /* number of bytes fed so far */
    unsigned char rest[MLS_DIGEST_BLOCK]; /* the bytes of the last, incomplete block */
} mls_digester;

void mls_digest_begin(mls_digester *self);
void mls_digest_feed(mls_digester *self, mls_str text);
void mls_digest_end(mls_digester *self, char digits[static MLS_DIGEST_BYTES]);
