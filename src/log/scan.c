/* SPDX-License-Identifier: Apache-2.0 */
/* scan.c - scan the blocks of a file on several threads. */
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/parallel.h"
#include "log/reader.h"
#include "json/json_check.h"

/* Buffers of blocks are aligned to pages, to which the kernel copies faster.  MLS_SCAN_PADDING is smaller than a
 * page. */
enum { PAGE = 4096 };

/* Reading a file of less than PARALLEL_MIN bytes takes less time than starting threads. */
enum { PARALLEL_MIN = 4 * 1024 * 1024, BLOCKS_PER_THREAD = 3, THREADS_MAX = MLS_RELAY_SLOTS_MAX / BLOCKS_PER_THREAD };

struct mls_scan_room {
    mls_scan_block block;
    /* The offset of the block, from which the scanning thread reads it; negative: the block was already read. */
    off_t offset;
    int read_errno; /* the error of reading the block at `offset`; 0: none */
};

typedef struct scan_state {
    mls_input *input;
    mls_reader *reader;
    mls_scan_room *slots;
    size_t slot_count;
    /* offsets: the next block that a scanning thread is to read, and the end of these blocks; next >= end: blocks are
     * read in order. */
    off_t next, end;
    bool ended;     /* the last block was taken */
    bool cut;       /* a block is shorter than expected, because the file was truncated, so later blocks are ignored */
    int read_errno; /* the error of reading the file; 0: none */
    char bracket;   /* if the file begins with a JSON list or object: its closing bracket; 0: it does not */
    char last_byte; /* the last byte of the text that is not a blank */
} scan_state;

/* If the first block of a file begins with a JSON list or object, return the closing bracket, otherwise '\0'.  If the
 * block is the `whole` file, the list or object must be complete; otherwise, an error in its last bytes is ignored,
 * because the block may end inside a token. */
static char find_json(const mls_scan_block *block, bool whole)
{
    enum { TOKEN_MAX = 8 };
    const char *end = block->data + block->len;
    const char *at = mls_json_blanks(block->data + mls_text_mark((mls_str){block->data, block->len}), true);
    const char bracket = *at == '[' ? ']' : '}';
    mls_json_fault fault;
    if (*at != '[' && *at != '{')
        return '\0';
    at = mls_json_check_lines(at, 0, &fault);
    const bool json = at != NULL ? mls_json_blanks(at, true) == end : !whole && end - fault.at <= TOKEN_MAX;
    return json ? bracket : '\0';
}

/* Read the first block, to determine the type of the file, and usually all blocks in order.  The whole blocks of a
 * large file are read in parallel by the threads that scan them, because copying is a third of the work. */
static bool take_block(void *state, size_t item)
{
    scan_state *scan = state;
    mls_input *input = scan->input;
    mls_scan_room *slot = &scan->slots[item % scan->slot_count];
    if (scan->ended)
        return false;
    slot->offset = item > 0 && scan->next < scan->end ? scan->next : -1;
    if (slot->offset >= 0) {
        scan->next += MLS_BLOCK_SIZE;
        input->taken += MLS_BLOCK_SIZE;
        if (scan->next == scan->end)
            (void)lseek(input->fd, scan->end, SEEK_SET); /* cannot fail */
        return true;
    }
    mls_input_fill(input, slot->block.data, &slot->block.len);
    scan->ended = input->ended;
    if (item == 0) {
        memset(slot->block.data + slot->block.len, 0, MLS_SCAN_PADDING);
        scan->bracket = find_json(&slot->block, scan->ended);
    }
    if (!mls_input_is_file(input))
        scan->end = 0;
    return true;
}

static void scan_block(void *state, size_t item)
{
    const scan_state *scan = state;
    mls_scan_room *slot = &scan->slots[item % scan->slot_count];
    if (slot->offset >= 0)
        slot->read_errno = mls_input_fill_at(scan->input, slot->offset, slot->block.data, &slot->block.len);
    mls_block_scan(&slot->block);
}

static mls_status deliver_block(void *state, size_t item)
{
    scan_state *scan = state;
    mls_scan_room *slot = &scan->slots[item % scan->slot_count];
    const mls_scan_block *block = &slot->block;
    size_t len = block->len;
    while (len > 0 && mls_is_blank(block->data[len - 1]))
        len--;
    scan->last_byte = len > 0 ? block->data[len - 1] : scan->last_byte;
    scan->reader->totals.suite = scan->input->suite;
    const mls_status status = mls_reader_feed(scan->reader, &slot->block);
    if (status == MLS_OK && slot->offset >= 0 && block->len < MLS_BLOCK_SIZE) {
        scan->cut = true;
        scan->read_errno = slot->read_errno;
        return MLS_STOPPED;
    }
    return status;
}

static void give_data(mls_scan_block *block)
{
    block->data = block->data != NULL ? block->data : aligned_alloc(PAGE, MLS_BLOCK_SIZE + PAGE);
    if (block->data == NULL)
        mls_no_memory();
}

static void free_slots(mls_scan_room *slots, size_t count)
{
    for (size_t i = 0; slots != NULL && i < count; i++) {
        free(slots[i].block.data);
        mls_batch_release(&slots[i].block.batch);
    }
    free(slots);
}

void mls_scan_room_free(mls_scan_room *room)
{
    free_slots(room, 1);
}

/* Scan an input to its end.  If several threads are to read a large file, `size` is its size in bytes; otherwise 0. */
static mls_status scan(mls_input *input, off_t size, unsigned threads, mls_scan_room **room, const mls_sink *sinks,
                       size_t sink_count, mls_log_totals *totals, mls_error *error)
{
    const off_t begin = size > 0 ? lseek(input->fd, 0, SEEK_CUR) : 0;
    mls_reader reader = {.sinks = sinks, .sink_count = sink_count};
    scan_state scan = {.input = input,
                       .reader = &reader,
                       .slot_count = size > 0 ? (size_t)threads * BLOCKS_PER_THREAD : 1,
                       .next = begin + MLS_BLOCK_SIZE,
                       .end = begin + (size - begin) / MLS_BLOCK_SIZE * MLS_BLOCK_SIZE};
    const mls_relay relay = {.threads = size > 0 ? threads : 1,
                             .slots = scan.slot_count,
                             .count = SIZE_MAX,
                             .state = &scan,
                             .take = take_block,
                             .work = scan_block,
                             .deliver = deliver_block};
    const bool keeps = room != NULL && size == 0;
    scan.slots = keeps && *room != NULL ? *room : mls_calloc(scan.slot_count, sizeof *scan.slots);
    for (size_t i = 0; i < scan.slot_count; i++)
        give_data(&scan.slots[i].block);
    mls_status status = mls_relay_run(&relay);
    reader.totals.json = scan.bracket != '\0' && scan.last_byte == scan.bracket;
    reader.totals.unread = input->unread;
    if (scan.cut) {
        status = MLS_OK;
        input->trouble.read_errno = scan.read_errno;
    }
    if (keeps)
        *room = scan.slots;
    else
        free_slots(scan.slots, scan.slot_count);
    if (status == MLS_OK && input->unread == NULL)
        status = mls_reader_end(&reader);
    if (totals != NULL)
        *totals = reader.totals;
    mls_reader_release(&reader);
    mls_input_release(input);
    return status == MLS_OK ? mls_input_status(input, error) : status;
}

mls_status mls_log_scan_fd(int fd, const mls_scan_options *options, const mls_sink *sinks, size_t sink_count,
                           mls_log_totals *totals, mls_error *error)
{
    mls_input input = {.fd = fd,
                       .size = options != NULL ? options->size : 0,
                       .plain = options != NULL && options->plain,
                       .other_suites = options != NULL && options->other_suites,
                       .deadline_ms = options != NULL ? options->deadline_ms : 0};
    unsigned threads = options != NULL && options->threads < THREADS_MAX ? options->threads : THREADS_MAX;
    struct stat about;
    const bool large = options != NULL && threads > 1 && fstat(fd, &about) == 0 && S_ISREG(about.st_mode) &&
                       about.st_size - lseek(fd, 0, SEEK_CUR) >= PARALLEL_MIN;
    return scan(&input, large ? about.st_size : 0, threads, options != NULL ? options->room : NULL, sinks, sink_count,
                totals, error);
}

mls_status mls_log_scan_bytes(mls_str bytes, const mls_sink *sinks, size_t sink_count, mls_log_totals *totals,
                              mls_error *error)
{
    mls_input input = {.in_memory = true, .bytes = bytes};
    return scan(&input, 0, 1, NULL, sinks, sink_count, totals, error);
}

struct mls_log_feed {
    mls_reader reader;
};

mls_log_feed *mls_log_feed_new(const mls_sink *sinks, size_t sink_count)
{
    mls_log_feed *feed = mls_calloc(1, sizeof *feed);
    feed->reader = (mls_reader){.sinks = sinks, .sink_count = sink_count};
    return feed;
}

void mls_log_feed_free(mls_log_feed *feed)
{
    if (feed != NULL) {
        mls_reader_release(&feed->reader);
        free(feed);
    }
}

mls_status mls_log_feed_read(mls_log_feed *feed, int fd, uint64_t *offset, uint64_t most, mls_scan_room **room,
                             mls_error *error)
{
    const uint64_t end = *offset + most;
    mls_status status = MLS_OK;
    *room = *room != NULL ? *room : mls_calloc(1, sizeof **room);
    mls_scan_block *block = &(*room)->block;
    give_data(block);
    for (bool more = true; more && *offset < end && status == MLS_OK;) {
        const ssize_t got = pread(fd, block->data, MLS_BLOCK_SIZE, (off_t)*offset);
        if (got < 0 && errno != EINTR)
            return mls_error_set_errno(error, MLS_ERROR_READ, errno, "");
        more = got != 0;
        if (got > 0) {
            block->len = (size_t)got;
            *offset += (uint64_t)got;
            mls_block_scan(block);
            status = mls_reader_feed(&feed->reader, block);
        }
    }
    return status;
}

mls_status mls_log_feed_end(mls_log_feed *feed, mls_log_totals *totals)
{
    const mls_status status = mls_reader_end(&feed->reader);
    *totals = feed->reader.totals;
    return status;
}
