/* SPDX-License-Identifier: Apache-2.0 */
/* parts.h - where the time of a run went: training, evaluation, and what is neither.
 *
 * These are the only parts of a run in the program; milliseconds, and whole ones wherever the log has whole ones.  What
 * the records delimit is the submitter's choice: the keys of blocks and epochs, and of evaluations, count by
 * themselves, in the order of the file, up to the first run_stop.
 *
 * A run without eval_start may log in tracked_stats how long it evaluated (validation_step_time, validation_time): an
 * evaluation then lasts from the begin of its first such step to its eval_accuracy or eval_error. */
#pragma once

#include "log/log.h"

/** So many records of spans are kept of a run; the parts of one with more are not known. */
#define MLS_SPANS_MAX 65536

typedef enum mls_part {
    MLS_PART_TRAINING,
    MLS_PART_EVALUATION,
    MLS_PART_STARTUP, /**< before the first span starts */
    MLS_PART_BETWEEN, /**< in no span, with one still to come */
    MLS_PART_TAIL,    /**< after the last one */
    MLS_PART_COUNT
} mls_part;

/** The records that delimit training: blocks, if there is one in the run, else epochs. */
typedef enum mls_parts_by { MLS_PARTS_BY_NOTHING, MLS_PARTS_BY_BLOCK, MLS_PARTS_BY_EPOCH } mls_parts_by;

/** "block", "epoch"; NULL for nothing. */
const char *mls_parts_by_name(mls_parts_by by);

typedef struct mls_parts {
    mls_parts_by by;                 /**< by nothing: all that is no evaluation is training */
    double ms[MLS_PART_COUNT];       /**< they add up to the time from run_start to the end */
    bool evaluation_delimited;       /**< an evaluation starts in the run; else its time counts as training */
    bool evaluation_derived;         /**< no eval_start does: evaluations are as long as tracked_stats say */
    size_t evaluations;              /**< that start in the run, but not within another */
    double overlapped_evaluation_ms; /**< training while an evaluation is still open */
} mls_parts;

typedef struct mls_span {
    double time_ms;
    mls_key key;
    bool derived; /**< from tracked_stats: it counts only in a run without eval_start */
} mls_span;

/** The starts and stops of one run, as its log has them.  Zero-initialised is empty. */
typedef struct mls_spans {
    mls_span *items;
    size_t count, capacity;
    size_t start;    /**< where among the items run_start came */
    double start_ms; /**< of it, if `started` */
    bool started, ended, too_many;
    bool delimited;    /**< an eval_start came behind run_start */
    bool deriving;     /**< a derived evaluation is open */
    double derived_ms; /**< the end of the one before it; 0: none */
} mls_spans;

/** Take a record of any key, and keep it if it says something about spans. */
bool mls_spans_record(mls_spans *spans, const mls_record *record);

/** A stretch of time in one part; milliseconds. */
typedef struct mls_stretch {
    mls_part part;
    bool overlapped; /**< training while an evaluation is still open */
    double from_ms, to_ms;
} mls_stretch;

/** Takes each stretch of time, in order; neighbours may be of one part. */
typedef void (*mls_parts_visit)(void *state, const mls_stretch *stretch);

/** The parts of the time from run_start to `end_ms`: run_stop, or whatever is taken for the end of a run that has none.
 * False when they are not known: no run_start, an end before it, or more than MLS_SPANS_MAX records.  `visit` may be
 * NULL. */
bool mls_spans_parts(const mls_spans *spans, double end_ms, mls_parts *parts, mls_parts_visit visit,
                     void *state) MLS_MUST_USE;

void mls_spans_release(mls_spans *spans);
