/* SPDX-License-Identifier: Apache-2.0 */
/* lines.h - events in words, one line each.  Nothing in them can steer a terminal. */
#pragma once

#include "base/buffer.h"
#include "base/number.h"
#include "explain/watch/live.h"

/* Appends what an event says without its time: "run 3 x.log: evaluation 0.93102 at 2,268 samples, …"; nothing of a
 * score or of the end. */
void mls_watch_line(const mls_watch_event *event, mls_buffer *line);

/* The same behind its time, that of the record or else when it was seen, and with '\n'; nothing where that is nothing.
 */
void mls_watch_dated_line(const mls_watch_event *event, mls_buffer *line);

/* "samples", "epochs", "steps": what positions of a run count, by its group (NULL: not known). */
const char *mls_live_unit(const mls_live_group *group);
