/* SPDX-License-Identifier: Apache-2.0 */
/* write.h - logs, written as the Python logger of the MLPerf benchmarks writes them.
 *
 * A writer is made once, told where its lines go, and then given records, one call each:
 *
 *     :::MLLOG {"namespace": "", "time_ms": 1745066917961, "event_type": "INTERVAL_START", "key": "run_start",
 *               "value": null, "metadata": {"file": "train.c", "lineno": 83}}
 *
 * all on one line, in this order, with these blanks; texts in ASCII with escapes, numbers as Python prints them.  A
 * line is one write(), and files are opened to be appended to, so that the lines of many processes never mix on a file
 * system that appends as POSIX says; NFS does not: there each rank needs a file of its own.
 *
 * What a record says beyond its key is put before it: the value, and members of its metadata.  What is wrong with that
 * is reported by the record.  Memory is taken only when a writer is made or given a place, and where there is none,
 * that is a status: records need no more, and never call the handler of mls_set_no_memory_handler().  A writer is for
 * one thread at a time.  To write into a pipe whose reader has gone raises SIGPIPE, as write() does, unless the program
 * ignores it. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "mlscore/error.h"
#include "mlscore/keys.h"

MLS_C_BEGIN

/** What a record is of: an interval's start, its end, or a point in time. */
typedef enum mls_log_event { MLS_LOG_START = 0, MLS_LOG_END = 1, MLS_LOG_POINT = 2 } mls_log_event;

typedef struct mls_log_writer mls_log_writer;

/** Makes a writer that goes nowhere yet, to be given to mls_log_writer_free().  MLS_ERROR_MEMORY. */
mls_status mls_log_writer_new(mls_log_writer **writer, mls_error *error) MLS_MUST_USE;

/** Closes what is still open, without a word, and frees; NULL is none. */
void mls_log_writer_free(mls_log_writer *writer);

/** Has lines appended to a file, which is made where there is none, or written to a descriptor, which stays the
 * caller's.  Each call adds one more place.  MLS_ERROR_WRITE, MLS_ERROR_VALUE (the path is NULL) or MLS_ERROR_MEMORY.
 */
mls_status mls_log_writer_add_file(mls_log_writer *writer, const char *path, mls_error *error) MLS_MUST_USE;
mls_status mls_log_writer_add_fd(mls_log_writer *writer, int fd, mls_error *error) MLS_MUST_USE;

/** From now on only the process of rank `wanted` writes, from 0; what others are given is dropped, files too, which
 * they do not open: ask for it first.  `own` is the rank of this process; -1: as the first of RANK,
 * OMPI_COMM_WORLD_RANK, PMIX_RANK, PMI_RANK, FLUX_TASK_RANK and SLURM_PROCID says, or 0 where none is set.
 * MLS_ERROR_VALUE: that variable holds no number, or `wanted` is less than 0. */
mls_status mls_log_writer_only_rank(mls_log_writer *writer, long wanted, long own, mls_error *error) MLS_MUST_USE;

/** The namespace of all records from now on, "" at first; it is copied. */
void mls_log_writer_namespace(mls_log_writer *writer, const char *text);

/** Of the next record: its value (name NULL; null when none is put) or a member of its metadata.  Names and texts are
 * copied, and are UTF-8; a text that is NULL is null.  A name that was put before gets the new value in its old place.
 * JSON is checked, and may say NaN, Infinity and -Infinity, as a number may be these.  A word is JSON where it can be
 * read as such, else a text. */
void mls_log_writer_put_text(mls_log_writer *writer, const char *name, const char *text);
void mls_log_writer_put_integer(mls_log_writer *writer, const char *name, int64_t number);
void mls_log_writer_put_number(mls_log_writer *writer, const char *name, double number);
void mls_log_writer_put_bool(mls_log_writer *writer, const char *name, bool yes);
void mls_log_writer_put_json(mls_log_writer *writer, const char *name, const char *json);
void mls_log_writer_put_word(mls_log_writer *writer, const char *name, const char *text);

/** The time of the next record, in milliseconds since 1970; it is the present where none is put. */
void mls_log_writer_put_time(mls_log_writer *writer, int64_t time_ms);

/** Writes a record with what was put, and forgets that.  `file` and `line` stand first in its metadata, as file and
 * lineno, unless these were put; NULL: neither does.
 *
 * MLS_OK: the whole line was taken by every place.  Else nothing was written, and it is MLS_ERROR_VALUE (no key, or no
 * place to write to), MLS_ERROR_SYNTAX (JSON that is none) or MLS_ERROR_LIMIT (longer than a reader takes: 16 MiB, with
 * more than 4,096 members of metadata, or a namespace longer than 4,096 bytes); or MLS_ERROR_WRITE: a place did not
 * take the line, or not all of it, and is named; all others got it.  A line that was cut so is ended before the next
 * one, which is whole again. */
mls_status mls_log_writer_record(mls_log_writer *writer, mls_log_event event, const char *key, const char *file,
                                 int line, mls_error *error) MLS_MUST_USE;

/** The same from where it stands in the program. */
#define mls_log_writer_start(writer, key, error)                                                                       \
    mls_log_writer_record(writer, MLS_LOG_START, key, __FILE__, __LINE__, error)
#define mls_log_writer_end(writer, key, error)                                                                         \
    mls_log_writer_record(writer, MLS_LOG_END, key, __FILE__, __LINE__, error)
#define mls_log_writer_event(writer, key, error)                                                                       \
    mls_log_writer_record(writer, MLS_LOG_POINT, key, __FILE__, __LINE__, error)

/** Closes the files that were opened, which is when some disks first say that they are full; there is no place to write
 * to then.  MLS_ERROR_WRITE: one of them, which is named, may lack lines. */
mls_status mls_log_writer_close(mls_log_writer *writer, mls_error *error) MLS_MUST_USE;

MLS_C_END
