/* SPDX-License-Identifier: Apache-2.0 */
/* screen.h - text output of watch: an event as a line, and the state of everything as a block of lines that fits the
 * window.  Control characters in texts are escaped. */
#pragma once

#include "base/buffer.h"
#include "explain/watch/watch.h"

/* Append an event as a line: "run 3 x.log: evaluation 0.93102 at 2,268 samples, …".  If `dated`, begin with the time of
 * its record, or else the time when it was seen.  Append nothing for SCORE and END. */
void mls_watch_line(const mls_watch_event *event, bool dated, mls_buffer *line);

/* Return the unit of positions in a group (NULL: unknown): "samples", "epochs" or "steps". */
const char *mls_live_unit(const mls_live_group *group);

enum { MLS_SCREEN_FAILURES = 3 };

typedef struct mls_screen {
    size_t width, height; /* size of the window; height 0: no limit */
    bool ascii, color;
    bool live;       /* clocks continue after the last record */
    const char *job; /* NULL: unknown */
    double beat;     /* minutes that the score should stay below; NAN: none */
    /* The same for a group, from published results; NULL: use `beat` for all groups. */
    double (*beat_of)(const mls_group *group);
    char *failures[MLS_SCREEN_FAILURES]; /* the last failure lines; owned */
    size_t noted;                        /* number of failure lines in total */
} mls_screen;

/* Add a failure line, of which the last few are shown.  The text is copied. */
void mls_screen_note(mls_screen *screen, mls_str text);
void mls_screen_release(mls_screen *screen);

/* Append the block of lines, with escape sequences of colours if the screen has them. */
void mls_screen_compose(const mls_screen *screen, const mls_watch *watch, mls_buffer *block);
