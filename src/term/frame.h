/* SPDX-License-Identifier: Apache-2.0 */
/* frame.h - frames on a terminal, each in place of the one before, and lines that stay above them.
 *
 * The cursor waits at the beginning of the block: wherever a terminal that becomes narrower or wider puts what is below
 * it, the next frame begins there and erases all of that. */
#pragma once

#include "term/terminal.h"

/* Draws lines that stay and then a block, whose lines end with '\n'; `rows` is the height of the window, of which the
 * block has at most all but one line.  `last`: the block stays too, and the cursor goes below it.  False: nobody is
 * there any more, or no memory. */
bool mls_frame_draw(mls_terminal *terminal, mls_str above, mls_str block, size_t rows, bool last);
