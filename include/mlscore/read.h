/* SPDX-License-Identifier: Apache-2.0 */
/* read.h - read the records of a log.
 *
 * A log is read once, from an open file or from memory, and a callback is called for each record:
 *
 *     static mls_status print(void *state, const mls_record *record)
 *     {
 *         const mls_str key = mls_record_key(record);
 *         printf("%zu: %.*s\n", mls_record_line(record), (int)key.len, key.ptr);
 *         return MLS_OK;
 *     }
 *     ...
 *     mls_log_read_fd(fd, print, NULL, NULL, &error);
 *
 * Records are recognized in the same way as by the MLPerf compliance checker.  A line that contains ":::MLLOG " is a
 * record if the text after the last ":::MLLOG " is a JSON object with time_ms, key, value and metadata; otherwise it is
 * malformed.  All other lines are ignored.  Memory does not grow with the size of the log. */
#pragma once

#include <stdbool.h>

#include "mlscore/error.h"

MLS_C_BEGIN

/** A well-formed record.  The record and its texts are valid until the callback returns. */
typedef struct mls_record mls_record;

/** A callback for each record, in the order of the file, on the caller's thread.  If the callback does not return
 * MLS_OK, reading ends, and the reading function returns the status of the callback. */
typedef mls_status mls_record_taker(void *state, const mls_record *record);

/** A callback for each malformed line, with its line and column, both from 1, and the reason why it is malformed.  The
 * callback is called in the same order and on the same thread as an mls_record_taker, and its result has the same
 * meaning. */
typedef mls_status mls_malformed_taker(void *state, size_t line, size_t column, const char *reason);

/** Read an open file or pipe to its end.  `fd` stays open.  Either callback may be NULL; `state` is passed to both.  A
 * gzip file is decompressed.
 *
 * Return MLS_OK, even if there are no records; or the result of a callback that stopped the reading.  Errors are
 * MLS_ERROR_READ (after the callbacks for everything before the failure), or MLS_ERROR_VALUE if the file
 * cannot be a log: it is from training 0.6 or older, or it begins like an archive, an image or another binary file. */
mls_status mls_log_read_fd(int fd, mls_record_taker *record, mls_malformed_taker *malformed, void *state,
                           mls_error *error) MLS_MUST_USE;

/** Read a log in memory, like mls_log_read_fd(). */
mls_status mls_log_read_bytes(mls_str log, mls_record_taker *record, mls_malformed_taker *malformed, void *state,
                              mls_error *error) MLS_MUST_USE;

/** Return the line of the record in its file, from 1. */
size_t mls_record_line(const mls_record *record);

/** Return the time of the record in milliseconds since 1970. */
double mls_record_time_ms(const mls_record *record);

/** Return the key, decoded from JSON; empty if the key is not a string. */
mls_str mls_record_key(const mls_record *record);

/** Return the value as JSON text, as logged. */
mls_str mls_record_value(const mls_record *record);

/** Return the event_type as JSON text; ptr is NULL if the record does not have one. */
mls_str mls_record_event(const mls_record *record);

/** Return a member of the metadata as JSON text; ptr is NULL if it does not exist. */
mls_str mls_record_metadata(const mls_record *record, const char *member);

/** Convert a JSON text, such as mls_record_value(), to a number; true and false become 1 and 0.  Return false if the
 * text is anything else. */
bool mls_json_number(mls_str json, double *number);

MLS_C_END
