/* SPDX-License-Identifier: Apache-2.0 */
/* write.h - write logs in the format of the Python logger of the MLPerf benchmarks.
 *
 * Create a writer, add the files to write to, then log records.  Before each record, set its value and metadata with
 * put functions:
 *
 *     mls_log_writer *writer;
 *     if (mls_log_writer_new(&writer, &error) == MLS_OK && mls_log_writer_add_file(writer, path, &error) == MLS_OK) {
 *         mls_log_writer_put_integer(writer, NULL, 1024);
 *         status = mls_log_writer_event(writer, MLS_LOG_KEY_GLOBAL_BATCH_SIZE, &error);
 *         ...
 *         status = mls_log_writer_close(writer, &error);
 *     }
 *     mls_log_writer_free(writer);
 *
 * This appends one line (here in two):
 *
 *     :::MLLOG {"namespace": "", "time_ms": 1745066917961, "event_type": "POINT_IN_TIME", "key": "global_batch_size",
 *               "value": 1024, "metadata": {"file": "train.c", "lineno": 83}}
 *
 * Each line is one write() to a file opened for appending, so lines of several processes do not mix on a file system
 * with POSIX appends.  NFS does not support POSIX appends: there, use one file per rank.  Memory is allocated only when
 * a writer is created or a file is added, never when a record is logged.  Only one thread at a time may use a writer.
 * Writing to a pipe without a reader raises SIGPIPE, as write() does, unless the program ignores it. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "mlscore/error.h"
#include "mlscore/keys.h"

MLS_C_BEGIN

/** The event type of a record: the start of an interval, its end, or a point in time. */
typedef enum mls_log_event { MLS_LOG_START = 0, MLS_LOG_END = 1, MLS_LOG_POINT = 2 } mls_log_event;

typedef struct mls_log_writer mls_log_writer;

/** Create a writer without files, and free it with mls_log_writer_free().  On failure, return MLS_ERROR_MEMORY. */
mls_status mls_log_writer_new(mls_log_writer **writer, mls_error *error) MLS_MUST_USE;

/** Free a writer and close its files, ignoring errors: call mls_log_writer_close() first.  NULL is allowed. */
void mls_log_writer_free(mls_log_writer *writer);

/** Append all lines to a file, which is created if necessary.  Several files may be added.  On failure, return
 * MLS_ERROR_WRITE, MLS_ERROR_VALUE (`path` is NULL) or MLS_ERROR_MEMORY. */
mls_status mls_log_writer_add_file(mls_log_writer *writer, const char *path, mls_error *error) MLS_MUST_USE;

/** Also write all lines to an open file descriptor, which is never closed by the writer.  On failure, return
 * MLS_ERROR_MEMORY. */
mls_status mls_log_writer_add_fd(mls_log_writer *writer, int fd, mls_error *error) MLS_MUST_USE;

/** Write only in the process of rank `wanted`, from 0.  Writers of other ranks drop all records and do not open files,
 * so call this before mls_log_writer_add_file().  `own` is the rank of this process, or -1 to read it from the first of
 * these environment variables that is set: RANK, OMPI_COMM_WORLD_RANK, PMIX_RANK, PMI_RANK, FLUX_TASK_RANK,
 * SLURM_PROCID; it is 0 if none is set.
 *
 * On failure, return MLS_ERROR_VALUE: `wanted` is negative, or the variable is not a number. */
mls_status mls_log_writer_only_rank(mls_log_writer *writer, long wanted, long own, mls_error *error) MLS_MUST_USE;

/** Set the namespace of all following records, which is "" by default.  The text is copied. */
void mls_log_writer_namespace(mls_log_writer *writer, const char *text);

/** Set a member of the metadata of the next record or, if `name` is NULL, its value, which is null by default.  If a
 * member with the same name was already put, its value is replaced, and its position is kept.  Names and texts are
 * UTF-8 and are copied; a NULL text is logged as null.  mls_log_writer_record() reports errors. */
void mls_log_writer_put_text(mls_log_writer *writer, const char *name, const char *text);
void mls_log_writer_put_integer(mls_log_writer *writer, const char *name, int64_t number);
void mls_log_writer_put_number(mls_log_writer *writer, const char *name, double number);
void mls_log_writer_put_bool(mls_log_writer *writer, const char *name, bool yes);

/** Put a JSON text, which is validated.  NaN, Infinity and -Infinity are allowed. */
void mls_log_writer_put_json(mls_log_writer *writer, const char *name, const char *json);

/** Put a text as JSON if it is valid JSON, otherwise as a string. */
void mls_log_writer_put_word(mls_log_writer *writer, const char *name, const char *text);

/** Set the time of the next record, in milliseconds since 1970.  The default is the current time. */
void mls_log_writer_put_time(mls_log_writer *writer, int64_t time_ms);

/** Write a record with everything that was put since the last one.  Its metadata begin with `file` and `line` (as file
 * and lineno) unless these members were put; if `file` is NULL, both are left out.  Even after an error, the next
 * record starts without value and metadata.
 *
 * Return MLS_OK if the whole line was written everywhere.  If nothing was written, return MLS_ERROR_VALUE (no key, an
 * invalid event, or no file to write to), MLS_ERROR_SYNTAX (invalid JSON was put) or MLS_ERROR_LIMIT (the line is
 * longer than 16 MiB, has more than 4,096 members of metadata, or a namespace longer than 4,096 bytes).  Return
 * MLS_ERROR_WRITE if the line could not be written completely to a file; the message names this file, and the line was
 * written to all other files.  A truncated line is terminated before the next line. */
mls_status mls_log_writer_record(mls_log_writer *writer, mls_log_event event, const char *key, const char *file,
                                 int line, mls_error *error) MLS_MUST_USE;

/** Write a record for the start of an interval, its end, or a point in time, with the file and line of the call. */
#define mls_log_writer_start(writer, key, error)                                                                       \
    mls_log_writer_record(writer, MLS_LOG_START, key, __FILE__, __LINE__, error)
#define mls_log_writer_end(writer, key, error)                                                                         \
    mls_log_writer_record(writer, MLS_LOG_END, key, __FILE__, __LINE__, error)
#define mls_log_writer_event(writer, key, error)                                                                       \
    mls_log_writer_record(writer, MLS_LOG_POINT, key, __FILE__, __LINE__, error)

/** Close all files, and forget all descriptors that were added.  Some file systems report a full disk only when a file
 * is closed: after MLS_ERROR_WRITE, lines may be missing in the file named in the message. */
mls_status mls_log_writer_close(mls_log_writer *writer, mls_error *error) MLS_MUST_USE;

MLS_C_END
