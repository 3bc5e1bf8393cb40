/* SPDX-License-Identifier: Apache-2.0 */
/* terminal.h - draw on a terminal, and read keys and signals.  The terminal is restored however the program ends,
 * except on SIGKILL.
 *
 * A frame replaces the previous frame, below lines that stay.  The cursor waits at the first line of the frame.
 * Therefore the next frame erases all of the old one even if resizing the terminal has moved its other lines. */
#pragma once

#include <signal.h>
#include <termios.h>

#include "base/buffer.h"

typedef struct mls_terminal {
    int signals;  /* file descriptor to poll; -1: none */
    int keys;     /* likewise; standard input if it is a terminal */
    int drawn_on; /* file descriptor; -1: do not draw */
    bool full;    /* the alternate screen is active */
    bool raw;
    struct termios before; /* original modes of the keys' terminal */
    sigset_t mask;         /* original signal mask */
} mls_terminal;

/* Events of a terminal.  A key is reported as its byte. */
enum {
    MLS_TERMINAL_NOTHING = 0,
    MLS_TERMINAL_END = 256, /* SIGTERM, SIGINT or SIGHUP */
    MLS_TERMINAL_REDRAW     /* the size may have changed, or other output may have overwritten the screen */
};

/* Take over signals and, if `drawn_on` is not -1, the terminal and its keys.  *terminal must not move until it is
 * closed. */
void mls_terminal_open(mls_terminal *terminal, int drawn_on, bool full);

/* Return the next event, or MLS_TERMINAL_NOTHING. */
int mls_terminal_take(mls_terminal *terminal);

/* Switch to the alternate screen, or back. */
void mls_terminal_fill(mls_terminal *terminal, bool full);

/* Get the size of the terminal.  Return false if it is unknown. */
bool mls_terminal_size(const mls_terminal *terminal, size_t *columns, size_t *rows);

/* Draw lines that stay and then a frame, whose lines end with '\n', in one write.  The frame has at most all but one of
 * the `rows` of the window.  If `last` is set, the frame stays, too, and the cursor moves below it.  Return false if
 * the terminal no longer exists. */
bool mls_terminal_draw(mls_terminal *terminal, mls_str above, mls_str block, size_t rows, bool last);

void mls_terminal_close(mls_terminal *terminal);
