/* SPDX-License-Identifier: Apache-2.0 */
/* unpack.c - unpack a gzip file block by block with zlib. */
#include "base/memory.h"
#include "log/input.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#if defined(MLS_HAVE_ZLIB) && !defined(MLS_NO_ZLIB)

#include <zlib.h>

enum { INPUT_SIZE = 64 * 1024 };

struct mls_unpacker {
    int fd;
    z_stream stream;
    bool in_member; /* the stream is inside a member; a gzip file may consist of several concatenated members */
    bool ended;
    char input[];
};

bool mls_unpack_can(mls_str head)
{
    return mls_str_starts(head, MLS_S("\x1f\x8b"));
}

mls_unpacker *mls_unpacker_new(int fd, mls_str head)
{
    const size_t size = head.len > INPUT_SIZE ? head.len : INPUT_SIZE;
    mls_unpacker *unpacker = mls_malloc(sizeof *unpacker + size);
    *unpacker = (mls_unpacker){.fd = fd, .in_member = true};
    if (inflateInit2(&unpacker->stream, 16 + MAX_WBITS) != Z_OK)
        mls_no_memory();
    memcpy(unpacker->input, head.ptr, head.len);
    unpacker->stream.next_in = (Bytef *)unpacker->input;
    unpacker->stream.avail_in = (uInt)head.len;
    return unpacker;
}

/* Read packed bytes from the file if none are left in the input buffer.  Return false at the end of the file. */
static bool more_input(mls_unpacker *unpacker, mls_read_trouble *trouble)
{
    while (unpacker->stream.avail_in == 0) {
        const ssize_t got = read(unpacker->fd, unpacker->input, INPUT_SIZE);
        if (got == 0 || (got < 0 && errno != EINTR)) {
            trouble->read_errno = got < 0 ? errno : 0;
            return false;
        }
        unpacker->stream.next_in = (Bytef *)unpacker->input;
        unpacker->stream.avail_in = got > 0 ? (uInt)got : 0;
    }
    return true;
}

void mls_unpacker_fill(mls_unpacker *unpacker, char *block, size_t wanted, size_t *len, mls_read_trouble *trouble)
{
    z_stream *stream = &unpacker->stream;
    stream->next_out = (Bytef *)block;
    stream->avail_out = (uInt)wanted;
    while (stream->avail_out > 0 && !unpacker->ended) {
        if (!more_input(unpacker, trouble)) {
            trouble->wrong = unpacker->in_member && trouble->read_errno == 0 ? "the gzip file is truncated" : NULL;
            unpacker->ended = true;
            break;
        }
        if (!unpacker->in_member) { /* skip zero padding after a member and start the next one */
            unpacker->in_member = *stream->next_in != 0 && inflateReset(stream) == Z_OK;
            stream->avail_in -= !unpacker->in_member;
            stream->next_in += !unpacker->in_member;
            continue;
        }
        const int result = inflate(stream, Z_NO_FLUSH);
        if (result == Z_MEM_ERROR)
            mls_no_memory();
        unpacker->in_member = result != Z_STREAM_END;
        if (result != Z_OK && result != Z_STREAM_END) {
            trouble->wrong = "the gzip file is damaged";
            unpacker->ended = true;
        }
    }
    *len = wanted - stream->avail_out;
}

void mls_unpacker_free(mls_unpacker *unpacker)
{
    if (unpacker != NULL) {
        (void)inflateEnd(&unpacker->stream);
        free(unpacker);
    }
}

#else

bool mls_unpack_can(mls_str head)
{
    (void)head;
    return false;
}

mls_unpacker *mls_unpacker_new(int fd, mls_str head)
{
    (void)fd, (void)head;
    return NULL;
}

void mls_unpacker_fill(mls_unpacker *unpacker, char *block, size_t wanted, size_t *len, mls_read_trouble *trouble)
{
    (void)unpacker, (void)block, (void)wanted, (void)trouble;
    *len = 0;
}

void mls_unpacker_free(mls_unpacker *unpacker)
{
    (void)unpacker;
}

#endif
