/* SPDX-License-Identifier: Apache-2.0 */
/* frame.c - one write for each frame. */
#include "term/frame.h"

/* Adds the lines of a text, each erased to its end; of more than `most` the first ones are left out.  How many. */
static size_t add_lines(mls_buffer *frame, mls_str text, size_t most)
{
    size_t count = 0;
    for (size_t i = 0; i < text.len; i++) {
        count += text.ptr[i] == '\n';
    }
    size_t skipped = count > most ? count - most : 0;
    const size_t drawn = count - skipped;
    mls_str line;
    for (size_t i = 0; i < count && mls_str_cut(&text, '\n', &line); i++) {
        if (skipped > 0) {
            skipped--;
            continue;
        }
        mls_buffer_append(frame, line);
        mls_buffer_append_text(frame, "\033[K\r\n");
    }
    return drawn;
}

bool mls_frame_draw(mls_terminal *terminal, mls_str above, mls_str block, size_t rows, bool last)
{
    mls_buffer frame = {0};
    mls_buffer_append_text(&frame, terminal->full ? "\033[?2026h\033[H" : "\033[?2026h\r\033[J");
    if (!terminal->full) {
        (void)add_lines(&frame, above, SIZE_MAX);
    }
    size_t lines = add_lines(&frame, block, rows > 1 ? rows - 1 : 1);
    mls_buffer_append_text(&frame, "\033[J");
    if (!last && !terminal->full && lines > 0) {
        mls_buffer_printf(&frame, "\033[%zuA", lines);
        mls_terminal_leave_below(lines - 1);
    } else if (last) {
        mls_terminal_leave_below(0);
    }
    mls_buffer_append_text(&frame, "\033[?2026l");
    const bool ok = !frame.failed && mls_terminal_write(terminal, mls_buffer_str(&frame));
    mls_buffer_release(&frame);
    return ok;
}
