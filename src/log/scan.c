/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scan.c - where the bytes come from: a descriptor, block by block, with one
 * thread or several, or memory.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "log/reader.h"
#include "log/simd.h"
#include "log/unpack.h"

enum {
    MLS_BLOCK_SIZE = 256 * 1024,       /* stays in a core's second-level cache */
    MLS_PARALLEL_MIN = 4 * 1024 * 1024 /* a smaller file is read before threads have started */
};

enum { MLS_SLOTS_PER_THREAD = 4, MLS_THREADS_MAX = 256 };

static char *block_alloc(void)
{
    return malloc(MLS_BLOCK_SIZE + MLS_SCAN_PADDING);
}

/* Reads until the block is full or the file ends; *len is what was read even when reading fails. */
static int block_fill(int fd, char *block, off_t offset, size_t wanted, size_t *len)
{
    *len = 0;
    while (*len < wanted) {
        const ssize_t got = offset >= 0 ? pread(fd, block + *len, wanted - *len, offset + (off_t)*len)
                                        : read(fd, block + *len, wanted - *len);
        if (got > 0) {
            *len += (size_t)got;
        } else if (got == 0) {
            break;
        } else if (errno != EINTR) {
            return errno;
        }
    }
    return 0;
}

/* Scans the middle of a block.  The padding is cleared so that no byte read is undefined. */
static bool block_scan(char *block, size_t len, mls_block_cut *cut, mls_batch *batch)
{
    memset(block + len, 0, MLS_SCAN_PADDING);
    *cut = mls_block_cut_find(block, len);
    return mls_lines_scan(batch, block + cut->middle, cut->tail - cut->middle, 0);
}

/* ------------------------------------------------------- on one thread */

/* Looks at the first block of a file: what is packed is unpacked from here on, and what is no log ends the scan. */
static mls_status scan_sniff(int fd, mls_str head, bool plain, mls_reader *reader, mls_unpacker **unpacker)
{
    reader->totals.unread = mls_log_unread(head);
    if (reader->totals.unread == NULL || plain || !mls_unpack_can(head)) {
        return MLS_OK;
    }
    reader->totals.unread = NULL;
    *unpacker = mls_unpacker_new(fd, head);
    return *unpacker != NULL ? MLS_OK : MLS_ERROR_MEMORY;
}

/* `sniff`: nothing of the file was read yet. */
static mls_status scan_serial(int fd, bool sniff, bool plain, mls_reader *reader, mls_read_trouble *trouble)
{
    char *block = block_alloc();
    mls_batch batch = {0};
    mls_unpacker *unpacker = NULL;
    mls_status status = block != NULL ? MLS_OK : MLS_ERROR_MEMORY;
    while (status == MLS_OK) {
        size_t len = 0;
        mls_block_cut cut;
        if (unpacker == NULL) {
            trouble->read_errno = block_fill(fd, block, -1, MLS_BLOCK_SIZE, &len);
        } else if (!mls_unpacker_fill(unpacker, block, MLS_BLOCK_SIZE, &len, trouble)) {
            status = MLS_ERROR_MEMORY;
            break;
        }
        if (sniff) {
            sniff = false;
            status = scan_sniff(fd, (mls_str){block, len}, plain, reader, &unpacker);
            if (reader->totals.unread != NULL) {
                break;
            }
            if (unpacker != NULL) {
                continue;
            }
        }
        if (status == MLS_OK && len > 0) {
            status = block_scan(block, len, &cut, &batch) ? mls_reader_feed(reader, block, len, cut, &batch)
                                                          : MLS_ERROR_MEMORY;
        }
        if (trouble->read_errno != 0 || len < MLS_BLOCK_SIZE) {
            break;
        }
    }
    mls_unpacker_free(unpacker);
    mls_batch_release(&batch);
    free(block);
    return status;
}

/* ------------------------------------------------- on several threads */

typedef struct mls_slot {
    char *block;
    size_t len;
    size_t wanted;
    mls_block_cut cut;
    mls_batch batch;
    int read_errno;
    bool out_of_memory;
    bool done;
} mls_slot;

/*
 * Blocks are taken in order by whoever is free, the delivering thread
 * included, and delivered in order by that one.  A block's slot is its number
 * modulo the number of slots; it is free again when the block was delivered.
 */
typedef struct mls_relay {
    int fd;
    off_t start;
    size_t block_count;
    size_t last_size; /* of the last block */
    mls_slot *slots;
    size_t slot_count;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    size_t next_taken;
    size_t next_delivered;
    bool stop;
} mls_relay;

/* With the lock held: whether there is a block to take and a slot for it. */
static bool relay_can_take(const mls_relay *relay)
{
    return !relay->stop && relay->next_taken < relay->block_count &&
           relay->next_taken - relay->next_delivered < relay->slot_count;
}

/* With the lock held, which is dropped for the work: takes the next block, reads and scans it. */
static void relay_work(mls_relay *relay)
{
    const size_t number = relay->next_taken++;
    mls_slot *slot = &relay->slots[number % relay->slot_count];
    slot->done = false;
    (void)pthread_mutex_unlock(&relay->lock);
    slot->wanted = number + 1 == relay->block_count ? relay->last_size : MLS_BLOCK_SIZE;
    slot->read_errno =
        block_fill(relay->fd, slot->block, relay->start + (off_t)(number * MLS_BLOCK_SIZE), slot->wanted, &slot->len);
    slot->out_of_memory = !block_scan(slot->block, slot->len, &slot->cut, &slot->batch);
    (void)pthread_mutex_lock(&relay->lock);
    slot->done = true;
    (void)pthread_cond_broadcast(&relay->changed);
}

static void *relay_thread(void *argument)
{
    mls_relay *relay = argument;
    (void)pthread_mutex_lock(&relay->lock);
    while (!relay->stop && relay->next_taken < relay->block_count) {
        if (relay_can_take(relay)) {
            relay_work(relay);
        } else {
            (void)pthread_cond_wait(&relay->changed, &relay->lock);
        }
    }
    (void)pthread_mutex_unlock(&relay->lock);
    return NULL;
}

/* Delivers every block in order; ends early at a read error, a file that shrank, or what a callback returned. */
static mls_status relay_deliver(mls_relay *relay, mls_reader *reader, int *read_errno, bool *shrank)
{
    mls_status status = MLS_OK;
    (void)pthread_mutex_lock(&relay->lock);
    while (status == MLS_OK && *read_errno == 0 && !*shrank && relay->next_delivered < relay->block_count) {
        mls_slot *slot = &relay->slots[relay->next_delivered % relay->slot_count];
        if (relay->next_delivered == relay->next_taken || !slot->done) {
            if (relay_can_take(relay)) {
                relay_work(relay);
            } else {
                (void)pthread_cond_wait(&relay->changed, &relay->lock);
            }
            continue;
        }
        (void)pthread_mutex_unlock(&relay->lock);
        status = slot->out_of_memory ? MLS_ERROR_MEMORY
                                     : mls_reader_feed(reader, slot->block, slot->len, slot->cut, &slot->batch);
        *read_errno = slot->read_errno;
        *shrank = slot->len < slot->wanted;
        (void)pthread_mutex_lock(&relay->lock);
        relay->next_delivered++;
        (void)pthread_cond_broadcast(&relay->changed);
    }
    relay->stop = true;
    (void)pthread_cond_broadcast(&relay->changed);
    (void)pthread_mutex_unlock(&relay->lock);
    return status;
}

static bool relay_slots_make(mls_relay *relay, size_t count)
{
    relay->slots = calloc(count, sizeof *relay->slots);
    for (size_t i = 0; relay->slots != NULL && i < count; i++) {
        relay->slots[i].block = block_alloc();
        if (relay->slots[i].block == NULL) {
            return false;
        }
        relay->slot_count++;
    }
    return relay->slots != NULL;
}

static void relay_slots_free(mls_relay *relay)
{
    for (size_t i = 0; i < relay->slot_count; i++) {
        free(relay->slots[i].block);
        mls_batch_release(&relay->slots[i].batch);
    }
    free(relay->slots);
}

/* Reads `size` bytes of a regular file from `start` on; the descriptor's own offset is moved behind them. */
static mls_status scan_parallel(int fd, off_t start, size_t size, unsigned threads, mls_reader *reader, int *read_errno,
                                bool *shrank)
{
    pthread_t workers[MLS_THREADS_MAX];
    unsigned started = 0;
    mls_status status = MLS_ERROR_MEMORY;
    mls_relay relay = {.fd = fd, .start = start};
    relay.block_count = (size + MLS_BLOCK_SIZE - 1) / MLS_BLOCK_SIZE;
    relay.last_size = size - (relay.block_count - 1) * MLS_BLOCK_SIZE;
    (void)pthread_mutex_init(&relay.lock, NULL);
    (void)pthread_cond_init(&relay.changed, NULL);
    if (relay_slots_make(&relay, (size_t)threads * MLS_SLOTS_PER_THREAD)) {
        /* A thread that cannot be had is no error: the calling one does all the work then. */
        while (started + 1 < threads && pthread_create(&workers[started], NULL, relay_thread, &relay) == 0) {
            started++;
        }
        status = relay_deliver(&relay, reader, read_errno, shrank);
        for (unsigned i = 0; i < started; i++) {
            (void)pthread_join(workers[i], NULL);
        }
        if (lseek(fd, start + (off_t)size, SEEK_SET) < 0) {
            *read_errno = errno;
        }
    }
    relay_slots_free(&relay);
    (void)pthread_cond_destroy(&relay.changed);
    (void)pthread_mutex_destroy(&relay.lock);
    return status;
}

/* ------------------------------------------------------------ the doors */

/* How much of the file can be read by offset: 0 for pipes, devices, small files and what is no plain log. */
static size_t scan_parallel_size(int fd, unsigned threads, off_t *start)
{
    struct stat about;
    if (threads < 2 || fstat(fd, &about) != 0 || !S_ISREG(about.st_mode)) {
        return 0;
    }
    *start = lseek(fd, 0, SEEK_CUR);
    if (*start < 0 || about.st_size - *start < MLS_PARALLEL_MIN) {
        return 0;
    }
    char head[16];
    const ssize_t got = pread(fd, head, sizeof head, *start);
    if (got < 0 || mls_log_unread((mls_str){head, (size_t)got}) != NULL) {
        return 0;
    }
    return (size_t)(about.st_size - *start);
}

mls_status mls_log_scan_fd(int fd, const mls_scan_options *options, const mls_sink *sinks, size_t sink_count,
                           mls_log_totals *totals, mls_error *error)
{
    mls_reader reader;
    mls_status status = MLS_OK;
    mls_read_trouble trouble = {0};
    bool shrank = false;
    off_t start = 0;
    unsigned threads = options != NULL ? options->threads : 1;
    threads = threads > MLS_THREADS_MAX ? MLS_THREADS_MAX : threads;
    mls_reader_init(&reader, sinks, sink_count);
    const size_t size = scan_parallel_size(fd, threads, &start);
    if (size > 0) {
        status = scan_parallel(fd, start, size, threads, &reader, &trouble.read_errno, &shrank);
    }
    /* Small files, pipes, and what a file has grown by in the meantime. */
    if (status == MLS_OK && trouble.read_errno == 0 && !shrank) {
        status = scan_serial(fd, size == 0, options != NULL && options->plain, &reader, &trouble);
    }
    if (status == MLS_OK && reader.totals.unread == NULL) {
        status = mls_reader_end(&reader);
    }
    if (totals != NULL) {
        *totals = reader.totals;
    }
    mls_reader_release(&reader);
    if (status == MLS_OK && trouble.read_errno != 0) {
        return mls_error_set_errno(error, MLS_ERROR_READ, trouble.read_errno, "cannot read");
    }
    if (status == MLS_OK && trouble.wrong != NULL) {
        return mls_error_set(error, MLS_ERROR_READ, 0, 0, "%s", trouble.wrong);
    }
    if (status == MLS_ERROR_MEMORY) {
        return mls_error_set(error, status, 0, 0, "out of memory");
    }
    return status;
}

mls_status mls_log_scan_bytes(mls_str bytes, const mls_sink *sinks, size_t sink_count, mls_log_totals *totals,
                              mls_error *error)
{
    mls_reader reader;
    mls_batch batch = {0};
    mls_status status = MLS_OK;
    char *block = block_alloc();
    mls_reader_init(&reader, sinks, sink_count);
    if (block == NULL) {
        status = MLS_ERROR_MEMORY;
    }
    for (size_t at = 0; at < bytes.len && status == MLS_OK;) {
        const size_t len = bytes.len - at < MLS_BLOCK_SIZE ? bytes.len - at : MLS_BLOCK_SIZE;
        mls_block_cut cut;
        memcpy(block, bytes.ptr + at, len);
        status =
            block_scan(block, len, &cut, &batch) ? mls_reader_feed(&reader, block, len, cut, &batch) : MLS_ERROR_MEMORY;
        at += len;
    }
    if (status == MLS_OK) {
        status = mls_reader_end(&reader);
    }
    if (totals != NULL) {
        *totals = reader.totals;
    }
    mls_batch_release(&batch);
    mls_reader_release(&reader);
    free(block);
    return status == MLS_ERROR_MEMORY ? mls_error_set(error, status, 0, 0, "out of memory") : status;
}
