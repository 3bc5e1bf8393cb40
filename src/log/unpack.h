/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unpack.h - logs that are kept compressed by gzip, unpacked as they are read.
 *
 * Memory does not grow with the file, nor with what it unpacks to.
 */
#ifndef MLS_LOG_UNPACK_H
#define MLS_LOG_UNPACK_H

#include "mlscore/log.h"

typedef struct mls_unpacker mls_unpacker;

/* Whether a file that starts with these bytes can be unpacked: by gzip, and zlib was there when this was built. */
bool mls_unpack_can(mls_str head);

/* Unpacks what a descriptor, of which `head` was read already, holds; NULL when memory runs out. */
mls_unpacker *mls_unpacker_new(int fd, mls_str head);

/* What keeps a log from being read to its end. */
typedef struct mls_read_trouble {
    int read_errno;    /* of read(); 0: none */
    const char *wrong; /* with the packed bytes; NULL: nothing */
} mls_read_trouble;

/*
 * Fills `block` with up to `wanted` bytes; *len less than that: the end, or
 * trouble.  What could be unpacked before the trouble is in the block.  False
 * when memory runs out.
 */
bool mls_unpacker_fill(mls_unpacker *unpacker, char *block, size_t wanted, size_t *len, mls_read_trouble *trouble);

void mls_unpacker_free(mls_unpacker *unpacker);

#endif
