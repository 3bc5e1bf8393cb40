/* SPDX-License-Identifier: Apache-2.0 */
/* terminal.h - a terminal that is drawn on, the keys pressed there, and signals; it is left as it was found, whatever
 * ends the program but SIGKILL.
 *
 * A frame is drawn in place of the one before it, below lines that stay.  The cursor waits at the beginning of the
 * block: wherever a terminal that becomes narrower or wider puts what is below it, the next frame begins there and
 * erases all of that. */
#pragma once

#include <signal.h>
#include <termios.h>

#include "base/buffer.h"

typedef struct mls_terminal {
    int signals;  /* to be waited for; -1: none */
    int keys;     /* likewise: standard input where it is a terminal */
    int drawn_on; /* -1: nothing is drawn */
    bool full;    /* on the alternate screen */
    bool raw;
    struct termios before; /* of the keys' terminal */
    sigset_t mask;         /* before */
} mls_terminal;

/* What happens on a terminal; a key is its byte. */
enum {
    MLS_TERMINAL_NOTHING = 0,
    MLS_TERMINAL_END = 256, /* SIGTERM, SIGINT or SIGHUP */
    MLS_TERMINAL_REDRAW     /* its size may have changed, or something else was on it */
};

/* Take over signals and, if something is drawn (`drawn_on` is not -1), the terminal and its keys.  *terminal stays
 * where it is until it is closed. */
void mls_terminal_open(mls_terminal *terminal, int drawn_on, bool full);

/* Return the next thing that happened. */
int mls_terminal_take(mls_terminal *terminal);

/* Go to the alternate screen, or back. */
void mls_terminal_fill(mls_terminal *terminal, bool full);

/* Find its size; false: not known. */
bool mls_terminal_size(const mls_terminal *terminal, size_t *columns, size_t *rows);

/* Draw lines that stay and then a block, whose lines end with '\n', in one write.  `rows` is the height of the window,
 * of which the block has at most all but one line.  `last`: the block stays too, and the cursor goes below it.  Return
 * whether the terminal still exists. */
bool mls_terminal_draw(mls_terminal *terminal, mls_str above, mls_str block, size_t rows, bool last);

void mls_terminal_close(mls_terminal *terminal);
