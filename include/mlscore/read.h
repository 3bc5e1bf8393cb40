/* SPDX-License-Identifier: Apache-2.0 */
/* read.h - from the bytes of a log to its records.
 *
 * A log is read once, in blocks; memory does not grow with it.  Lines and records are what the MLPerf compliance
 * checker takes for such: a line is a record if it contains ":::MLLOG "; what follows the last one must be one JSON
 * object with time_ms, key, value and metadata.  A line that breaks this is malformed. */
#pragma once

#include <stdbool.h>

#include "mlscore/error.h"

MLS_C_BEGIN

/** One well-formed record; it and its texts are valid until the callback that got it returns. */
typedef struct mls_record mls_record;

/** Takes a record, or a line with ":::MLLOG " in it that is none: its place and why.  In file order, on the caller's
 * thread; anything but MLS_OK ends the reading with that. */
typedef mls_status mls_record_taker(void *state, const mls_record *record);
typedef mls_status mls_malformed_taker(void *state, size_t line, size_t column, const char *reason);

/** Reads an open file or pipe, which stays the caller's, or bytes in memory, to the end.  A taker may be NULL.  What
 * gzip has packed into a file is unpacked.  MLS_OK, also where there is no record; MLS_ERROR_READ, after what came
 * before the failure; MLS_ERROR_VALUE: it cannot be a log, as the message says: one of training 0.6 or older, or a file
 * that begins as an archive, an image or the like does; MLS_ERROR_MEMORY; or what a taker returned. */
mls_status mls_log_read_fd(int fd, mls_record_taker *record, mls_malformed_taker *malformed, void *state,
                           mls_error *error) MLS_MUST_USE;
mls_status mls_log_read_bytes(mls_str log, mls_record_taker *record, mls_malformed_taker *malformed, void *state,
                              mls_error *error) MLS_MUST_USE;

/** Its line in the file, from 1; its time in milliseconds since 1970. */
size_t mls_record_line(const mls_record *record);
double mls_record_time_ms(const mls_record *record);

/** Its key, decoded; empty when the key is no text. */
mls_str mls_record_key(const mls_record *record);

/** JSON texts as they were logged, validated: the value, the event_type and a member of the metadata, of which ptr is
 * NULL when there is none. */
mls_str mls_record_value(const mls_record *record);
mls_str mls_record_event(const mls_record *record);
mls_str mls_record_metadata(const mls_record *record, const char *member);

/** Reads such a text as a number (a boolean counts 1 or 0); false when it is neither. */
bool mls_json_number(mls_str json, double *number);

MLS_C_END
