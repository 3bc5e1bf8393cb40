/* SPDX-License-Identifier: Apache-2.0 */
/* window.c - blocks of a file, each after what is left of those before. */
#include "log/window.h"

#include <stdlib.h>

#include "base/memory.h"
#include "json/json_check.h"

bool mls_window_init(mls_window *window, mls_input *input)
{
    char *room = mls_malloc(MLS_WINDOW_KEPT + MLS_BLOCK_SIZE + MLS_SCAN_PADDING);
    *window = (mls_window){.input = input, .room = room, .at = room, .end = room};
    return true;
}

void mls_window_release(mls_window *window)
{
    free(window->room);
    *window = (mls_window){0};
}

bool mls_window_fill(mls_window *window)
{
    char *block = window->room + MLS_WINDOW_KEPT;
    const size_t left = (size_t)(window->end - window->at);
    size_t len = 0;
    memmove(block - left, window->at, left);
    mls_input_fill(window->input, block, &len);
    window->at = block - left;
    window->end = block + len;
    memset(window->end, 0, MLS_SCAN_PADDING);
    return true;
}

bool mls_window_line(const mls_window *window, size_t from, mls_str *line)
{
    mls_str rest = {window->at + from, (size_t)(window->end - window->at) - from};
    return mls_str_cut(&rest, '\n', line);
}
