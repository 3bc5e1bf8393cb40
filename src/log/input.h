/* SPDX-License-Identifier: Apache-2.0 */
/* input.h - the bytes of a file, block by block, whatever they are packed in; private to the library. */
#pragma once

#include <sys/types.h>

#include "base/base.h"

enum { MLS_BLOCK_SIZE = 256 * 1024 /* stays in a core's second-level cache */ };

/* A gzip file being unpacked; memory does not grow with it, nor with what it unpacks to. */
typedef struct mls_unpacker mls_unpacker;

/* The reason why a file is not read to its end. */
typedef struct mls_read_trouble {
    int read_errno;    /* of read(); 0: none */
    const char *wrong; /* with the packed bytes; NULL: nothing */
} mls_read_trouble;

/* Where blocks come from.  Zero-initialised but for the first members. */
typedef struct mls_input {
    int fd; /* the caller's, to be closed by it */
    bool in_memory;
    mls_str bytes; /* in memory: what is left */
    uint64_t size; /* of a regular file; 0: not known.  A read that gives less than it could then is the last one */
    bool plain;    /* what is packed stays so */
    bool foreign;  /* logs of other suites are read, for their lines */
    double deadline_ms; /* as mls_work has it */
    bool text;          /* a byte order mark is dropped, and UTF-16 becomes UTF-8 */
    uint64_t taken;     /* from the file */
    bool begun;
    bool ended;             /* the block that was filled last was the last one */
    mls_unpacker *unpacker; /* NULL: not packed */
    struct mls_utf16 *wide; /* NULL: not UTF-16 */
    mls_read_trouble trouble;
    const char *suite;  /* why it would not be read, as it is a log of another suite; NULL: it is none */
    const char *unread; /* why it is nothing that can be read, as mls_file_magic_words() says */
} mls_input;

/* Fills a block of MLS_BLOCK_SIZE bytes; the last one may be empty.  By the first one it is known what a file is: from
 * there on it is unpacked when it is packed, and one that holds no text ends. */
void mls_input_fill(mls_input *input, char *block, size_t *len);

/* Whether the bytes of the blocks so far, of which the first has been filled, are those of the file as they stand
 * there: of a regular one the others may then be read in any order. */
bool mls_input_is_file(const mls_input *input);

/* Fills a block with what stands from `offset` on, on any thread, and leaves the rest to mls_input_fill().  *len less
 * than MLS_BLOCK_SIZE: the file ends there, or its errno is returned; else 0. */
int mls_input_fill_at(const mls_input *input, off_t offset, char *block, size_t *len);

/* The reason why the file was not read to its end, as a status; MLS_OK: it was. */
mls_status mls_input_status(const mls_input *input, mls_error *error);

void mls_input_release(mls_input *input);

/* Whether a file that starts with these bytes can be unpacked: by gzip, and zlib was there when this was built. */
bool mls_unpack_can(mls_str head);

/* Unpacks what a descriptor, of which `head` was read already, holds. */
mls_unpacker *mls_unpacker_new(int fd, mls_str head);

/* Fills `block` with up to `wanted` bytes; *len less than that: the end, or trouble, with what could be unpacked before
 * it. */
void mls_unpacker_fill(mls_unpacker *unpacker, char *block, size_t wanted, size_t *len, mls_read_trouble *trouble);

void mls_unpacker_free(mls_unpacker *unpacker);

/* A window on a file: what is left of the blocks before stands before the next one, so that a line is found whole.
 * From `at` to `end`, after which stand MLS_SCAN_PADDING bytes of NUL.  Whoever is done with bytes moves `at`. */
typedef struct mls_window {
    mls_input *input;
    char *room;
    char *at, *end;
} mls_window;

/* Empty, before the first block. */
bool mls_window_init(mls_window *window, mls_input *input);
void mls_window_release(mls_window *window);

/* Adds the next block to what is left, which is no more than this. */
enum { MLS_WINDOW_KEPT = 1 << 20 };
bool mls_window_fill(mls_window *window);

/* The line that begins `from` bytes after `at`, up to its line feed.  False: that is not in the window yet, and the
 * line is what there is of it. */
bool mls_window_line(const mls_window *window, size_t from, mls_str *line);
