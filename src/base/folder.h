/* SPDX-License-Identifier: Apache-2.0 */
/*
 * folder.h - names in a folder, in natural order, and paths made of them.
 */
#ifndef MLS_BASE_FOLDER_H
#define MLS_BASE_FOLDER_H

#include "base/file.h"

typedef struct mls_names {
    char **items; /* owned, NUL-terminated */
    size_t count;
    size_t capacity;
} mls_names;

/*
 * The names in a folder but for "." and "..", in natural order.  When it could
 * not be read (to its end) *system_errno is set and `names` holds what came
 * before; else it is 0.  At most `limit` names are read; *system_errno is
 * EOVERFLOW when there are more.  MLS_OK or MLS_ERROR_MEMORY; `names` is to be
 * released in any case.
 */
mls_status mls_folder_names(const char *path, size_t limit, mls_names *names, int *system_errno) MLS_MUST_USE;

void mls_names_release(mls_names *names);

/* The whole of a file of at most `limit` bytes, read from an open descriptor.  MLS_ERROR_LIMIT when it is larger. */
mls_status mls_read_all(int fd, size_t limit, mls_buffer *text, int *system_errno) MLS_MUST_USE;

#endif
