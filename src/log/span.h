/* SPDX-License-Identifier: Apache-2.0 */
/*
 * span.h - steps over validated JSON text, private to the log floor.
 *
 * Text between `at` and `end` has passed the validator; no function goes
 * beyond `end`, whatever stands there.
 */
#ifndef MLS_LOG_SPAN_H
#define MLS_LOG_SPAN_H

#include "mlscore/value.h"

/* Behind blanks and line endings. */
const char *mls_span_skip_blanks(const char *at, const char *end);

/* `at` is behind an opening quote; returns the closing one. */
const char *mls_span_skip_string(const char *at, const char *end);

/* Behind the value that starts at `at`. */
const char *mls_span_skip_value(const char *at, const char *end);

/*
 * Decodes a string, quotes included, into the arena.  `latin1`: bytes above
 * 0x7f become code points of their own (how a rule sees them); else they stay
 * (how a person wants them).  False when memory runs out.
 */
bool mls_span_decode(mls_str quoted, bool latin1, struct mls_arena *arena, mls_str *result);

#endif
