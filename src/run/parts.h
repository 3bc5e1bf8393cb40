/* SPDX-License-Identifier: Apache-2.0 */
/* parts.h - break down the time of a run into training, evaluation, and other time.
 *
 * A span is the time from a start record of a block, epoch or evaluation to its stop record.  Pass each record of a run
 * to mls_spans_record(), then call mls_spans_parts().  Times are in milliseconds, and whole numbers if the times
 * in the log are.
 *
 * Submitters choose whether they log the start and stop of blocks, epochs and evaluations.  These records are processed
 * in the order of the file, up to the first run_stop.  A run without eval_start may log the duration of its evaluations
 * in tracked_stats (validation_step_time, validation_time): then an evaluation lasts from the beginning of its first
 * step to its eval_accuracy or eval_error. */
#pragma once

#include "log/log.h"

/** Maximum number of records of a run that start or stop a span.  If a run has more, its parts are unknown. */
#define MLS_SPANS_MAX 65536

typedef enum mls_part {
    MLS_PART_TRAINING,
    MLS_PART_EVALUATION,
    MLS_PART_STARTUP, /**< time from run_start to the start of the first span */
    MLS_PART_BETWEEN, /**< time between spans */
    MLS_PART_TAIL,    /**< time from the end of the last span to the end of the run */
    MLS_PART_COUNT
} mls_part;

/** The kind of records that start and stop training: blocks, if the run has any, otherwise epochs. */
typedef enum mls_parts_by { MLS_PARTS_BY_NOTHING, MLS_PARTS_BY_BLOCK, MLS_PARTS_BY_EPOCH } mls_parts_by;

/** Return "block" or "epoch"; NULL for MLS_PARTS_BY_NOTHING. */
const char *mls_parts_by_name(mls_parts_by by);

typedef struct mls_parts {
    mls_parts_by by;           /**< MLS_PARTS_BY_NOTHING: all time except evaluations is training */
    double ms[MLS_PART_COUNT]; /**< milliseconds of each part; their sum is the time from run_start to the end */
    bool evaluation_delimited; /**< the start of evaluations is known; otherwise their time counts as training */
    /** Evaluations were derived from durations in tracked_stats, because the run has no eval_start. */
    bool evaluation_derived;
    size_t evaluations;              /**< number of evaluations started, except nested ones */
    double overlapped_evaluation_ms; /**< the part of the training time during which an evaluation was also open */
} mls_parts;

/** A record that starts or stops a span. */
typedef struct mls_span {
    double time_ms;
    mls_key key;
    bool derived; /**< derived from tracked_stats, and ignored if the run has an eval_start */
} mls_span;

/** The records of a run that start or stop spans.  Zero-initialize it. */
typedef struct mls_spans {
    mls_span *items;
    size_t count, capacity;
    size_t start;    /**< index of the first item after run_start */
    double start_ms; /**< time of run_start, if `started` */
    bool started, ended, too_many;
    bool delimited;    /**< an eval_start was logged after run_start */
    bool deriving;     /**< a derived evaluation is open */
    double derived_ms; /**< end of the previous derived evaluation; 0: none was derived yet */
} mls_spans;

/** Process a record, and store it if it starts or stops a span. */
void mls_spans_record(mls_spans *spans, const mls_record *record);

/** An interval that belongs to one part.  Times are in milliseconds since 1970. */
typedef struct mls_stretch {
    mls_part part;
    bool overlapped; /**< the part is training, and an evaluation was also open */
    double from_ms, to_ms;
} mls_stretch;

/** Callback for each interval of a run, in order.  Adjacent intervals may belong to the same part. */
typedef void (*mls_parts_visit)(void *state, const mls_stretch *stretch);

/** Compute the parts of the time from run_start to `end_ms`, which is the time of run_stop or, for a run without
 * run_stop, the assumed end.  Call `visit` with `state` for each interval; if `visit` is NULL, only set *parts.  Return
 * false if the parts are unknown: run_start is missing, the end is before run_start, or the run has more than
 * MLS_SPANS_MAX span records. */
bool mls_spans_parts(const mls_spans *spans, double end_ms, mls_parts *parts, mls_parts_visit visit,
                     void *state) MLS_MUST_USE;

void mls_spans_release(mls_spans *spans);
