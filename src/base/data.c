/* SPDX-License-Identifier: Apache-2.0 */
/* data.c - unpack embedded files that were packed with gzip when the program was built. */
#include "base/data.h"

#include <pthread.h>

#include "base/memory.h"

#ifdef MLS_HAVE_ZLIB

#include <zlib.h>

/* The unpacked files.  They are kept until the process ends, because callers borrow their texts. */
typedef struct unpacked_file {
    const char *begin; /* first byte of the packed file */
    mls_str text;
    struct unpacked_file *next;
} unpacked_file;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unpacked_file *unpacked;

/* Unpack a gzip file that ends with the size of its contents.  Return an empty text if it is damaged. */
static mls_str unpack(mls_str packed)
{
    enum { SIZE_BYTES = 4 };
    size_t size = 0;
    for (size_t i = 0; i < SIZE_BYTES && packed.len > SIZE_BYTES; i++)
        size |= (size_t)(unsigned char)packed.ptr[packed.len - SIZE_BYTES + i] << (8 * i);
    char *text = mls_calloc(size + 1, 1);
    z_stream stream = {.next_in = (Bytef *)(uintptr_t)packed.ptr,
                       .avail_in = (uInt)packed.len,
                       .next_out = (Bytef *)text,
                       .avail_out = (uInt)size};
    if (inflateInit2(&stream, 16 + MAX_WBITS) != Z_OK)
        mls_no_memory();
    const bool whole = inflate(&stream, Z_FINISH) == Z_STREAM_END && stream.total_out == size;
    (void)inflateEnd(&stream);
    return (mls_str){text, whole ? size : 0};
}

mls_str mls_data_text(const mls_data_file *file)
{
    const mls_str packed = {file->begin, (size_t)(file->end - file->begin)};
    if (!mls_str_starts(packed, MLS_S("\x1f\x8b")))
        return packed;
    (void)pthread_mutex_lock(&lock);
    unpacked_file *found = unpacked;
    while (found != NULL && found->begin != file->begin)
        found = found->next;
    if (found == NULL) {
        found = mls_malloc(sizeof *found);
        *found = (unpacked_file){file->begin, unpack(packed), unpacked};
        unpacked = found;
    }
    (void)pthread_mutex_unlock(&lock);
    return found->text;
}

#else

mls_str mls_data_text(const mls_data_file *file)
{
    return (mls_str){file->begin, (size_t)(file->end - file->begin)};
}

#endif
