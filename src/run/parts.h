/* SPDX-License-Identifier: Apache-2.0 */
/* parts.h - break down the time of a run into training, evaluation, and neither.
 *
 * Pass each record of a run to mls_spans_record(), then call mls_spans_parts().  All other code uses these parts.
 * Times are in milliseconds, and integers if the log has integers.
 *
 * Submitters choose what their records delimit.  Blocks or epochs, and evaluations, are counted separately, in the
 * order of the file, up to the first run_stop.  A run without eval_start may log the duration of its evaluations in
 * tracked_stats (validation_step_time, validation_time): then an evaluation lasts from the beginning of its first step
 * to its eval_accuracy or eval_error. */
#pragma once

#include "log/log.h"

/** Maximum number of records that start or stop a span, per run.  If a run has more, its parts are unknown. */
#define MLS_SPANS_MAX 65536

typedef enum mls_part {
    MLS_PART_TRAINING,
    MLS_PART_EVALUATION,
    MLS_PART_STARTUP, /**< before the first span starts */
    MLS_PART_BETWEEN, /**< outside spans, before the last one */
    MLS_PART_TAIL,    /**< after the last span */
    MLS_PART_COUNT
} mls_part;

/** The records that delimit training: blocks, if the run has any, otherwise epochs. */
typedef enum mls_parts_by { MLS_PARTS_BY_NOTHING, MLS_PARTS_BY_BLOCK, MLS_PARTS_BY_EPOCH } mls_parts_by;

/** Return "block" or "epoch"; NULL for MLS_PARTS_BY_NOTHING. */
const char *mls_parts_by_name(mls_parts_by by);

typedef struct mls_parts {
    mls_parts_by by;           /**< MLS_PARTS_BY_NOTHING: all time except evaluations is training */
    double ms[MLS_PART_COUNT]; /**< their sum is the time from run_start to the end */
    bool evaluation_delimited; /**< the run logs the start of evaluations; otherwise their time counts as training */
    bool evaluation_derived;   /**< evaluations are derived from tracked_stats, since there is no eval_start */
    size_t evaluations;        /**< number of evaluations started, except nested ones */
    double overlapped_evaluation_ms; /**< time of training while an evaluation is open */
} mls_parts;

typedef struct mls_span {
    double time_ms;
    mls_key key;
    bool derived; /**< from tracked_stats: counts only in a run without eval_start */
} mls_span;

/** The starts and stops logged by a run.  Zero-initialised is empty. */
typedef struct mls_spans {
    mls_span *items;
    size_t count, capacity;
    size_t start;    /**< index of the first item after run_start */
    double start_ms; /**< time of run_start, if `started` */
    bool started, ended, too_many;
    bool delimited;    /**< there is an eval_start after run_start */
    bool deriving;     /**< a derived evaluation is open */
    double derived_ms; /**< end of the previous derived evaluation; 0: there was none so far */
} mls_spans;

/** Process any record, and keep it if it delimits spans. */
void mls_spans_record(mls_spans *spans, const mls_record *record);

/** An interval that belongs to one part, with its times in milliseconds. */
typedef struct mls_stretch {
    mls_part part;
    bool overlapped; /**< training while an evaluation is open */
    double from_ms, to_ms;
} mls_stretch;

/** Callback for each interval, in order.  Adjacent intervals may be in the same part. */
typedef void (*mls_parts_visit)(void *state, const mls_stretch *stretch);

/** Get the parts of the time from run_start to `end_ms`: the time of run_stop or, if it is missing, an assumed end.
 * Return false if the parts are unknown: run_start is missing, the end is before run_start, or there are more than
 * MLS_SPANS_MAX span records.  `visit`
 * may be NULL. */
bool mls_spans_parts(const mls_spans *spans, double end_ms, mls_parts *parts, mls_parts_visit visit,
                     void *state) MLS_MUST_USE;

void mls_spans_release(mls_spans *spans);
