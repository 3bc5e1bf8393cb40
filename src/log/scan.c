/* SPDX-License-Identifier: Apache-2.0 */
/* scan.c - where the bytes come from, and the threads that scan them. */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "log/json_check.h"
#include "log/reader.h"

/* A file of less than PARALLEL_MIN bytes is read before threads have started. */
enum { PARALLEL_MIN = 4 * 1024 * 1024, BLOCKS_PER_THREAD = 4, THREADS_MAX = 256 };

/* ------------------------------------------------------------- the bytes */

typedef struct scan_input {
    int fd;
    bool in_memory;
    mls_str bytes; /* what is left in memory */
    bool plain;    /* what is packed stays so */
    bool begun;
    mls_unpacker *unpacker; /* NULL: not packed */
    mls_read_trouble trouble;
    const char *unread; /* why it is no log, as mls_log_unread() says */
} scan_input;

static bool input_read(scan_input *input, char *block, size_t *len)
{
    *len = 0;
    if (input->unpacker != NULL) {
        return mls_unpacker_fill(input->unpacker, block, MLS_BLOCK_SIZE, len, &input->trouble);
    }
    if (input->in_memory) {
        *len = input->bytes.len < MLS_BLOCK_SIZE ? input->bytes.len : MLS_BLOCK_SIZE;
        if (*len > 0) {
            memcpy(block, input->bytes.ptr, *len);
            input->bytes = (mls_str){input->bytes.ptr + *len, input->bytes.len - *len};
        }
        return true;
    }
    while (*len < MLS_BLOCK_SIZE) {
        const ssize_t got = read(input->fd, block + *len, MLS_BLOCK_SIZE - *len);
        if (got == 0 || (got < 0 && errno != EINTR)) {
            input->trouble.read_errno = got < 0 ? errno : 0;
            break;
        }
        *len += got > 0 ? (size_t)got : 0;
    }
    return true;
}

/*
 * Fills a block; *len less than that: the end, or trouble.  The first one tells what a file is: from there on it is
 * unpacked when it is packed, and one that is no log ends.  False when memory runs out.
 */
static bool input_fill(scan_input *input, char *block, size_t *len)
{
    bool ok = input_read(input, block, len);
    if (!input->begun && !input->in_memory) {
        const mls_str head = {block, *len};
        input->unread = mls_log_unread(head);
        if (input->unread != NULL && !input->plain && mls_unpack_can(head)) {
            input->unread = NULL;
            input->unpacker = mls_unpacker_new(input->fd, head);
            ok = input->unpacker != NULL && input_read(input, block, len);
        }
        *len = input->unread == NULL ? *len : 0;
    }
    input->begun = true;
    return ok;
}

/* ----------------------------------------------------------- the threads */

typedef struct scan_slot {
    mls_block block;
    bool ok; /* there was memory for it */
    bool done;
} scan_slot;

/*
 * Blocks are read in order, one at a time, by whoever is free, the delivering thread included; scanned by whoever read
 * them; and delivered in order.  A block's slot is its number modulo the number of slots.
 */
typedef struct scan_relay {
    scan_input *input;
    scan_slot *slots;
    size_t slot_count;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    size_t taken;
    size_t delivered;
    bool ended; /* there is nothing more to take */
} scan_relay;

/* With the lock held: whether there may be a block to take, and there is a slot for it. */
static bool relay_can_take(const scan_relay *relay)
{
    return !relay->ended && relay->taken - relay->delivered < relay->slot_count;
}

/* With the lock held, which is dropped for scanning. */
static void relay_work(scan_relay *relay)
{
    scan_slot *slot = &relay->slots[relay->taken++ % relay->slot_count];
    slot->done = false;
    slot->ok = input_fill(relay->input, slot->block.data, &slot->block.len);
    relay->ended |= !slot->ok || slot->block.len < MLS_BLOCK_SIZE;
    (void)pthread_mutex_unlock(&relay->lock);
    slot->ok = slot->ok && mls_block_scan(&slot->block);
    (void)pthread_mutex_lock(&relay->lock);
    slot->done = true;
    (void)pthread_cond_broadcast(&relay->changed);
}

static void *relay_thread(void *argument)
{
    scan_relay *relay = argument;
    (void)pthread_mutex_lock(&relay->lock);
    while (!relay->ended) {
        if (relay_can_take(relay)) {
            relay_work(relay);
        } else {
            (void)pthread_cond_wait(&relay->changed, &relay->lock);
        }
    }
    (void)pthread_mutex_unlock(&relay->lock);
    return NULL;
}

/* Delivers every block in order; ends early at what a callback returned. */
static mls_status relay_deliver(scan_relay *relay, mls_reader *reader)
{
    mls_status status = MLS_OK;
    (void)pthread_mutex_lock(&relay->lock);
    while (status == MLS_OK && !(relay->ended && relay->delivered == relay->taken)) {
        scan_slot *slot = &relay->slots[relay->delivered % relay->slot_count];
        if (relay->delivered < relay->taken && slot->done) {
            (void)pthread_mutex_unlock(&relay->lock);
            status = slot->ok ? mls_reader_feed(reader, &slot->block) : MLS_ERROR_MEMORY;
            (void)pthread_mutex_lock(&relay->lock);
            relay->delivered++;
            (void)pthread_cond_broadcast(&relay->changed);
        } else if (relay_can_take(relay)) {
            relay_work(relay);
        } else {
            (void)pthread_cond_wait(&relay->changed, &relay->lock);
        }
    }
    relay->ended = true;
    (void)pthread_cond_broadcast(&relay->changed);
    (void)pthread_mutex_unlock(&relay->lock);
    return status;
}

static mls_status relay_run(scan_input *input, unsigned threads, mls_reader *reader)
{
    pthread_t workers[THREADS_MAX];
    unsigned started = 0;
    scan_relay relay = {.input = input, .slot_count = threads > 1 ? (size_t)threads * BLOCKS_PER_THREAD : 1};
    relay.slots = calloc(relay.slot_count, sizeof *relay.slots);
    bool ok = relay.slots != NULL;
    for (size_t i = 0; ok && i < relay.slot_count; i++) {
        relay.slots[i].block.data = malloc(MLS_BLOCK_SIZE + MLS_SCAN_PADDING);
        ok = relay.slots[i].block.data != NULL;
    }
    (void)pthread_mutex_init(&relay.lock, NULL);
    (void)pthread_cond_init(&relay.changed, NULL);
    /* A thread that cannot be had is no error: the calling one does all the work then. */
    while (ok && started + 1 < threads && pthread_create(&workers[started], NULL, relay_thread, &relay) == 0) {
        started++;
    }
    const mls_status status = ok ? relay_deliver(&relay, reader) : MLS_ERROR_MEMORY;
    for (unsigned i = 0; i < started; i++) {
        (void)pthread_join(workers[i], NULL);
    }
    for (size_t i = 0; relay.slots != NULL && i < relay.slot_count; i++) {
        free(relay.slots[i].block.data);
        mls_batch_release(&relay.slots[i].block.batch);
    }
    free(relay.slots);
    (void)pthread_cond_destroy(&relay.changed);
    (void)pthread_mutex_destroy(&relay.lock);
    return status;
}

/* ------------------------------------------------------------- the doors */

static mls_status scan(scan_input *input, unsigned threads, const mls_sink *sinks, size_t sink_count,
                       mls_log_totals *totals, mls_error *error)
{
    mls_reader reader = {.sinks = sinks, .sink_count = sink_count};
    mls_status status = relay_run(input, threads, &reader);
    reader.totals.unread = input->unread;
    if (status == MLS_OK && input->unread == NULL) {
        status = mls_reader_end(&reader);
    }
    if (totals != NULL) {
        *totals = reader.totals;
    }
    mls_reader_release(&reader);
    mls_unpacker_free(input->unpacker);
    if (status == MLS_OK && input->trouble.read_errno != 0) {
        return mls_error_set_errno(error, MLS_ERROR_READ, input->trouble.read_errno, "cannot read");
    }
    if (status == MLS_OK && input->trouble.wrong != NULL) {
        return mls_error_set(error, MLS_ERROR_READ, 0, 0, "%s", input->trouble.wrong);
    }
    return status == MLS_ERROR_MEMORY ? mls_error_memory(error) : status;
}

mls_status mls_log_scan_fd(int fd, const mls_scan_options *options, const mls_sink *sinks, size_t sink_count,
                           mls_log_totals *totals, mls_error *error)
{
    scan_input input = {.fd = fd, .plain = options != NULL && options->plain};
    unsigned threads = options != NULL && options->threads < THREADS_MAX ? options->threads : THREADS_MAX;
    struct stat about;
    const bool large = options != NULL && fstat(fd, &about) == 0 && S_ISREG(about.st_mode) &&
                       about.st_size - lseek(fd, 0, SEEK_CUR) >= PARALLEL_MIN;
    return scan(&input, large ? threads : 1, sinks, sink_count, totals, error);
}

mls_status mls_log_scan_bytes(mls_str bytes, const mls_sink *sinks, size_t sink_count, mls_log_totals *totals,
                              mls_error *error)
{
    scan_input input = {.in_memory = true, .bytes = bytes};
    return scan(&input, 1, sinks, sink_count, totals, error);
}
