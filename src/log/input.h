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

/* An input file or text, and the state of reading it.  Zero-initialize all members except `fd` or `bytes`, and the
 * options that the caller wants to set. */
typedef struct mls_input {
    int fd;         /* the file to read, which the caller closes */
    bool in_memory; /* read `bytes` instead of a file */
    mls_str bytes;  /* if in_memory is set: the bytes that were not read yet */
    /* Size of a regular file in bytes; 0: unknown.  If it is known, no read is needed to detect the end of the file. */
    uint64_t size;
    bool plain;             /* do not unpack gzip files */
    bool other_suites;      /* also read logs of other benchmark suites */
    double deadline_ms;     /* see mls_work; 0: no deadline */
    bool text;              /* drop a byte order mark and convert UTF-16 to UTF-8 */
    uint64_t taken;         /* bytes read from the file */
    bool begun;             /* the first block was filled */
    bool ended;             /* the last filled block was the last one */
    mls_unpacker *unpacker; /* NULL: not packed */
    struct mls_utf16 *wide; /* NULL: not UTF-16 */
    mls_read_trouble trouble;
    /* The reason why this log of another benchmark suite is not supported; NULL: it is not such a log. */
    const char *suite;
    const char *unread; /* why the file cannot be read, for example its compression; NULL: it can be read */
} mls_input;

/* Fill a block of MLS_BLOCK_SIZE bytes.  The last block may be empty.  The first block determines the type of the file:
 * a gzip file is unpacked, and reading ends after the first block if the file cannot be read. */
void mls_input_fill(mls_input *input, char *block, size_t *len);

/* Return whether the blocks are the unchanged bytes of the file: it is neither unpacked nor converted.  Blocks of such
 * a regular file can be read in any order with mls_input_fill_at().  Call this function after the first block was
 * filled. */
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

/* Create an unpacker for the gzip file `fd`, from whose start the bytes `head` were already read. */
mls_unpacker *mls_unpacker_new(int fd, mls_str head);

/* Fill `block` with up to `wanted` unpacked bytes. *len is less than `wanted` at the end of the file and after an
 * error.  On an error, *trouble is set, and the block contains the bytes unpacked before the error. */
void mls_unpacker_fill(mls_unpacker *unpacker, char *block, size_t wanted, size_t *len, mls_read_trouble *trouble);

void mls_unpacker_free(mls_unpacker *unpacker);

/* A window on the contents of a file: the bytes from `at` to `end`, which are followed by MLS_SCAN_PADDING NUL bytes.
 * The caller advances `at` past the bytes that it has used.  When the next block is read, the unused bytes are kept in
 * front of it, so lines are contiguous. */
typedef struct mls_window {
    mls_input *input;
    char *room;
    char *at, *end;
} mls_window;

/* Create an empty window, before the first block. */
void mls_window_init(mls_window *window, mls_input *input);
void mls_window_release(mls_window *window);

/* Append the next block to the unused bytes, which must not be more than MLS_WINDOW_KEPT. */
enum { MLS_WINDOW_KEPT = 1 << 20 };
void mls_window_fill(mls_window *window);

/* Get the line that begins `from` bytes after `window->at`, without its line feed.  Return false if its end is not in
 * the window yet; then *line is the part of the line that is in the window. */
bool mls_window_line(const mls_window *window, size_t from, mls_str *line);
