/* SPDX-License-Identifier: Apache-2.0 */
/* screen.h - what is watched in words: an event as a line, and all of it as a block of lines that fits a window.  No
 * text in them can steer a terminal. */
#pragma once

#include "base/buffer.h"
#include "explain/watch/watch.h"

/* Append an event without its time: "run 3 x.log: evaluation 0.93102 at 2,268 samples, …"; nothing for a score or the
 * end. */
void mls_watch_line(const mls_watch_event *event, mls_buffer *line);

/* Append the same after its time, that of the record or else when it was seen, and with '\n'; nothing where that is
 * nothing. */
void mls_watch_dated_line(const mls_watch_event *event, mls_buffer *line);

/* Return "samples", "epochs" or "steps": what positions of a run count, by its group (NULL: not known). */
const char *mls_live_unit(const mls_live_group *group);

enum { MLS_SCREEN_FAILURES = 3 };

typedef struct mls_screen {
    size_t width, height; /* of the window; height 0: as many lines as it takes */
    bool ascii, color;
    bool live;       /* clocks run on after the last record; else they stop there */
    const char *job; /* NULL: not known */
    double beat;     /* minutes that the score is to be below; NAN: none */
    /* The same for a group, by what was published; NULL: `beat` is for all. */
    double (*beat_of)(const mls_group *group);
    char *failures[MLS_SCREEN_FAILURES]; /* the last lines of failure, owned; */
    size_t noted;                        /* of so many */
} mls_screen;

/* Add to the failures of which the last few are shown; the text is copied. */
void mls_screen_note(mls_screen *screen, mls_str text);
void mls_screen_release(mls_screen *screen);

/* Append the block, each line ended by '\n', with codes of colour if the screen has them. */
void mls_screen_compose(const mls_screen *screen, const mls_watch *watch, mls_buffer *block);
