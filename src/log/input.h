/* SPDX-License-Identifier: Apache-2.0 */
/* input.h - read a file block by block, unpacked and converted to UTF-8 if needed. */
#pragma once

#include <sys/types.h>

#include "base/base.h"

enum { MLS_BLOCK_SIZE = 256 * 1024 /* fits in a core's second-level cache */ };

/* A gzip file being unpacked.  Its memory does not grow with the size of the file. */
typedef struct mls_unpacker mls_unpacker;

/* The error that stopped reading before the end of the file. */
typedef struct mls_read_trouble {
    int read_errno;    /* errno of read(); 0: none */
    const char *wrong; /* what is wrong with the packed bytes; NULL: nothing */
} mls_read_trouble;

/* The source of the blocks.  Zero-initialize all but the members that the caller sets. */
typedef struct mls_input {
    int fd; /* owned by the caller, which closes it */
    bool in_memory;
    mls_str bytes;     /* in memory: the unread rest */
    uint64_t size;     /* of a regular file; 0: unknown.  A read that returns less than the rest of the file is then the
                          last one */
    bool plain;        /* do not unpack gzip files */
    bool other_suites; /* return the lines of logs of other suites */
    double deadline_ms; /* see mls_work */
    bool text;          /* drop a byte order mark and convert UTF-16 to UTF-8 */
    uint64_t taken;     /* bytes read from the file */
    bool begun;
    bool ended;             /* the last filled block was the last one */
    mls_unpacker *unpacker; /* NULL: not packed */
    struct mls_utf16 *wide; /* NULL: not UTF-16 */
    mls_read_trouble trouble;
    const char *suite;  /* why the file is not read as a log: it is of another benchmark suite; NULL: it is not */
    const char *unread; /* why the file cannot be read, from mls_file_magic_words(); NULL: it can be read */
} mls_input;

/* Fill a block of MLS_BLOCK_SIZE bytes.  The last block may be empty.  The first block determines the type of the file:
 * packed files are unpacked from then on, and files that are not text end there. */
void mls_input_fill(mls_input *input, char *block, size_t *len);

/* Return whether the blocks are the unchanged bytes of the file, so that further blocks of a regular file can be read
 * in any order.  Call it after the first block was filled. */
bool mls_input_is_file(const mls_input *input);

/* Fill a block from `offset`, on any thread, without affecting mls_input_fill().  Return 0 or an errno. *len is less
 * than MLS_BLOCK_SIZE at the end of the file and after an error. */
int mls_input_fill_at(const mls_input *input, off_t offset, char *block, size_t *len);

/* Return MLS_OK if the file was read to its end, otherwise the error as a status. */
mls_status mls_input_status(const mls_input *input, mls_error *error);

void mls_input_release(mls_input *input);

/* Return whether a file that starts with these bytes can be unpacked: it is a gzip file, and zlib was available at
 * build time. */
bool mls_unpack_can(mls_str head);

/* Create an unpacker for a descriptor from which `head` was already read. */
mls_unpacker *mls_unpacker_new(int fd, mls_str head);

/* Fill `block` with up to `wanted` unpacked bytes. *len is less than `wanted` at the end of the file, or if an
 * error occurred: then *trouble is set, and the block contains the bytes unpacked before the error. */
void mls_unpacker_fill(mls_unpacker *unpacker, char *block, size_t wanted, size_t *len, mls_read_trouble *trouble);

void mls_unpacker_free(mls_unpacker *unpacker);

/* A window on a file.  The unused rest of earlier blocks precedes the next block, so that lines are contiguous.  The
 * bytes are from `at` to `end`, followed by MLS_SCAN_PADDING NULs.  The caller advances `at` past the bytes that it has
 * used. */
typedef struct mls_window {
    mls_input *input;
    char *room;
    char *at, *end;
} mls_window;

/* Create an empty window, before the first block. */
void mls_window_init(mls_window *window, mls_input *input);
void mls_window_release(mls_window *window);

/* Append the next block to the unused rest, which must not be longer than MLS_WINDOW_KEPT. */
enum { MLS_WINDOW_KEPT = 1 << 20 };
void mls_window_fill(mls_window *window);

/* Get the line that begins `from` bytes after `at`, without its line feed.  Return false if its end is not in the
 * window yet; then *line is the part of the line that is in the window. */
bool mls_window_line(const mls_window *window, size_t from, mls_str *line);
