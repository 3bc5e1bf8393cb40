/* SPDX-License-Identifier: Apache-2.0 */
/* terminal.h - draw on a terminal, and read keys and signals.  The terminal is restored however the program ends,
 * except on SIGKILL.
 *
 * A frame is the part of the screen that is redrawn: each frame replaces the previous one, below lines that stay. After
 * drawing, the cursor is on the first line of the frame.  Therefore the next frame erases all of the previous one even
 * if resizing the terminal has moved the lines of the previous frame. */
#pragma once

#include <signal.h>
#include <termios.h>

#include "base/buffer.h"

typedef struct mls_terminal {
    int signals;  /* file descriptor to poll for signals; -1: none */
    int keys;     /* file descriptor to poll for keys: standard input if it is a terminal; -1: none */
    int drawn_on; /* file descriptor of the terminal to draw on; -1: do not draw */
    bool full;    /* the alternate screen is active */
    bool raw;
    struct termios before; /* original modes of the terminal `keys` */
    sigset_t mask;         /* original signal mask */
} mls_terminal;

/* Events of a terminal.  Values below 256, except 0, are keys: the byte that was read. */
enum {
    MLS_TERMINAL_NOTHING = 0,
    MLS_TERMINAL_END = 256, /* SIGTERM, SIGINT or SIGHUP */
    MLS_TERMINAL_REDRAW     /* the size may have changed, or other output may have overwritten the screen */
};

/* Begin to receive signals and, if `drawn_on` is not -1, to draw and to read keys.  `full` selects the alternate
 * screen.  The address of *terminal must not change until mls_terminal_close(). */
void mls_terminal_open(mls_terminal *terminal, int drawn_on, bool full);

/* Return the next event, or MLS_TERMINAL_NOTHING. */
int mls_terminal_take(mls_terminal *terminal);

/* Switch to the alternate screen, or back. */
void mls_terminal_fill(mls_terminal *terminal, bool full);

/* Get the size of the terminal.  Return false if it is unknown. */
bool mls_terminal_size(const mls_terminal *terminal, size_t *columns, size_t *rows);

/* Draw the lines `above`, which stay, and then the frame `block`, in one write.  Each line of `block` ends with '\n'.
 * The frame is cut to its last `rows` - 1 lines, where `rows` is the height of the window.  If `last` is true, the
 * frame stays, too, and the cursor moves below it.  Return false if the terminal no longer exists. */
bool mls_terminal_draw(mls_terminal *terminal, mls_str above, mls_str block, size_t rows, bool last);

/* Stop drawing, and restore the terminal and the signals. */
void mls_terminal_close(mls_terminal *terminal);
