/* SPDX-License-Identifier: Apache-2.0 */
/* screen.h - what is watched as a block of lines that fits a window. */
#pragma once

#include "base/buffer.h"
#include "explain/watch/watch.h"

typedef struct mls_screen {
    size_t width, height; /* of the window; height 0: as many lines as it takes */
    bool ascii, color;
    bool live;       /* clocks run on after the last record; else they stand */
    const char *job; /* NULL: not known */
    double beat;     /* minutes that the score is to be below; NAN: none */
    /* The same of a group, by what was published; NULL: `beat` is for all. */
    double (*beat_of)(void *state, const mls_group *group);
    void *state;
    MLS_LIST_OF(char *) failures; /* the last lines of failure, owned; */
    size_t noted;                 /* of so many */
} mls_screen;

/* Adds to the failures of which the last few are shown; the text is copied.  False: no memory. */
bool mls_screen_note(mls_screen *screen, mls_str text) MLS_MUST_USE;
void mls_screen_release(mls_screen *screen);

/* Appends the block, each line ended by '\n', with codes of colour where the screen has them. */
mls_status mls_screen_compose(const mls_screen *screen, const mls_watch *watch, mls_buffer *block) MLS_MUST_USE;
