/* SPDX-License-Identifier: Apache-2.0 */
/* input.c - read blocks from a descriptor or from memory, unpack them, and convert them to UTF-8. */
#include "log/input.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "log/log.h"
#include "json/json_check.h"

/* Wait for input until the deadline of `input`, if it has one.  Return false if the deadline passed. */
static bool came_in_time(const mls_input *input)
{
    struct pollfd end = {.fd = input->fd, .events = POLLIN};
    const double left = input->deadline_ms - mls_clock_ms();
    return input->deadline_ms <= 0 || input->in_memory ||
           (left > 0 && poll(&end, 1, left < INT_MAX ? (int)left + 1 : INT_MAX) != 0);
}

/* Read from `offset`, or from the current position if `offset` is negative, until the block is full, the file ends, or
 * at least `enough` bytes were read.  `enough` is the rest of a regular file whose size is known; it saves a read at
 * the end of the file.  Return 0 or an errno. */
static int fill_from(const mls_input *input, off_t offset, uint64_t enough, char *block, size_t *len)
{
    *len = 0;
    while (*len < MLS_BLOCK_SIZE && *len < enough) {
        if (!came_in_time(input))
            return ETIME;
        const size_t wanted = MLS_BLOCK_SIZE - *len;
        const ssize_t got = offset < 0 ? read(input->fd, block + *len, wanted)
                                       : pread(input->fd, block + *len, wanted, offset + (off_t)*len);
        if (got == 0 || (got < 0 && errno != EINTR))
            return got < 0 ? errno : 0;
        *len += got > 0 ? (size_t)got : 0;
    }
    return 0;
}

int mls_input_fill_at(const mls_input *input, off_t offset, char *block, size_t *len)
{
    return fill_from(input, offset, MLS_BLOCK_SIZE, block, len);
}

bool mls_input_is_file(const mls_input *input)
{
    return !input->in_memory && !input->text && input->unread == NULL && input->unpacker == NULL;
}

static void input_read(mls_input *input, char *block, size_t *len)
{
    *len = 0;
    if (input->unpacker != NULL && !came_in_time(input)) {
        input->trouble.read_errno = ETIME;
    } else if (input->unpacker != NULL) {
        mls_unpacker_fill(input->unpacker, block, MLS_BLOCK_SIZE, len, &input->trouble);
    } else if (input->in_memory) {
        *len = input->bytes.len < MLS_BLOCK_SIZE ? input->bytes.len : MLS_BLOCK_SIZE;
        if (*len > 0) {
            memcpy(block, input->bytes.ptr, *len);
            input->bytes = (mls_str){input->bytes.ptr + *len, input->bytes.len - *len};
        }
    } else {
        const uint64_t enough = input->size > input->taken ? input->size - input->taken : UINT64_MAX;
        input->trouble.read_errno = fill_from(input, -1, enough, block, len);
        input->taken += *len;
    }
    input->ended = *len < MLS_BLOCK_SIZE;
}

struct mls_utf16 {
    bool big;      /* big-endian */
    bool ended;    /* `bytes` contains the end of the file */
    uint32_t high; /* a high surrogate that was read without its low surrogate yet; 0: none */
    size_t at, len;
    char bytes[MLS_BLOCK_SIZE];
};

/* Convert the next UTF-16 unit or surrogate pair to UTF-8, and return the number of bytes written to `to`.  A lone
 * surrogate becomes the replacement character U+FFFD. */
static size_t utf16_put(struct mls_utf16 *wide, char *to)
{
    const uint32_t replacement = 0xfffd;
    const unsigned char *unit = (const unsigned char *)wide->bytes + wide->at;
    const uint32_t code = wide->big ? (uint32_t)unit[0] << 8 | unit[1] : (uint32_t)unit[1] << 8 | unit[0];
    const uint32_t high = wide->high;
    const bool low = code >= 0xdc00 && code <= 0xdfff;
    wide->at += 2;
    wide->high = code >= 0xd800 && code <= 0xdbff ? code : 0;
    if (high != 0 && low)
        return mls_utf8_encode(0x10000 + ((high - 0xd800) << 10) + (code - 0xdc00), to);
    size_t count = high != 0 ? mls_utf8_encode(replacement, to) : 0;
    count += wide->high == 0 ? mls_utf8_encode(low ? replacement : code, to + count) : 0;
    return count;
}

static void utf16_fill(mls_input *input, char *block, size_t *len)
{
    enum { UNIT_MAX = 6 }; /* maximum number of UTF-8 bytes for a unit and a preceding high surrogate */
    struct mls_utf16 *wide = input->wide;
    *len = 0;
    while (*len + UNIT_MAX <= MLS_BLOCK_SIZE) {
        if (wide->len - wide->at >= 2) {
            *len += utf16_put(wide, block + *len);
        } else if (wide->ended) {
            break;
        } else {
            input_read(input, wide->bytes, &wide->len);
            wide->at = 0;
            wide->ended = input->ended;
        }
    }
    input->ended = wide->ended && wide->len - wide->at < 2;
}

/* Determine the type of the input from its first block.  Blocks have an even size, so no UTF-16 unit is split. */
static void input_begin(mls_input *input, char *block, size_t *len)
{
    input_read(input, block, len);
    const mls_str head = {block, *len};
    input->begun = true;
    /* mls_file_magic_words() would describe an SQLite file as a trace of a profiler. */
    const bool sqlite = !input->text && mls_str_starts(head, MLS_S("SQLite format 3"));
    input->unread = input->in_memory ? NULL : sqlite ? "SQLite file" : mls_file_magic_words(head);
    if (input->unread != NULL && !input->plain && mls_unpack_can(head)) {
        input->unread = NULL;
        input->unpacker = mls_unpacker_new(input->fd, head);
        input_read(input, block, len);
    }
    if (input->unread == NULL && !input->in_memory) {
        input->suite = mls_foreign_log((mls_str){block, *len});
        input->unread = input->other_suites ? NULL : input->suite;
    }
    /* Text is UTF-16 if it begins with a byte order mark, or every other byte of its first two characters is NUL. */
    const bool marked = *len >= 2 && (memcmp(block, "\xff\xfe", 2) == 0 || memcmp(block, "\xfe\xff", 2) == 0);
    bool zeros[4] = {false};
    for (size_t i = 0; i < 4 && i < *len; i++)
        zeros[i] = block[i] == '\0';
    if (input->unread != NULL) {
        *len = 0;
        input->ended = true;
    } else if (input->text &&
               (marked || (*len >= 4 && zeros[0] != zeros[1] && zeros[0] == zeros[2] && zeros[1] == zeros[3]))) {
        input->wide = mls_malloc(sizeof *input->wide);
        input->wide->big = block[0] == '\xfe' || block[0] == '\0';
        input->wide->ended = input->ended;
        input->wide->high = 0;
        input->wide->at = marked ? 2 : 0;
        input->wide->len = *len;
        memcpy(input->wide->bytes, block, *len);
        utf16_fill(input, block, len);
    } else if (input->text) {
        const size_t mark = mls_text_mark((mls_str){block, *len});
        *len -= mark;
        memmove(block, block + mark, mark > 0 ? *len : 0);
    }
}

void mls_input_fill(mls_input *input, char *block, size_t *len)
{
    (!input->begun ? input_begin : input->wide != NULL ? utf16_fill : input_read)(input, block, len);
}

mls_status mls_input_status(const mls_input *input, mls_error *error)
{
    return input->trouble.read_errno == ETIME
               ? mls_error_set(error, MLS_ERROR_READ, 0, 0, "not read before the timeout")
           : input->trouble.read_errno != 0
               ? mls_error_set_errno(error, MLS_ERROR_READ, input->trouble.read_errno, "cannot read")
           : input->trouble.wrong != NULL ? mls_error_set(error, MLS_ERROR_READ, 0, 0, "%s", input->trouble.wrong)
                                          : MLS_OK;
}

void mls_input_release(mls_input *input)
{
    mls_unpacker_free(input->unpacker);
    free(input->wide);
    input->unpacker = NULL;
    input->wide = NULL;
}

void mls_window_init(mls_window *window, mls_input *input)
{
    char *room = mls_malloc(MLS_WINDOW_KEPT + MLS_BLOCK_SIZE + MLS_SCAN_PADDING);
    *window = (mls_window){.input = input, .room = room, .at = room, .end = room};
}

void mls_window_release(mls_window *window)
{
    free(window->room);
    *window = (mls_window){0};
}

void mls_window_fill(mls_window *window)
{
    char *block = window->room + MLS_WINDOW_KEPT;
    const size_t left = (size_t)(window->end - window->at);
    size_t len = 0;
    memmove(block - left, window->at, left);
    mls_input_fill(window->input, block, &len);
    window->at = block - left;
    window->end = block + len;
    memset(window->end, 0, MLS_SCAN_PADDING);
}

bool mls_window_line(const mls_window *window, size_t from, mls_str *line)
{
    mls_str rest = {window->at + from, (size_t)(window->end - window->at) - from};
    return mls_str_cut(&rest, '\n', line);
}
