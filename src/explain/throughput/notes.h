/* SPDX-License-Identifier: Apache-2.0 */
/* notes.h - internals of throughput/: what is stored of a run while its records are read, and the data that the run's
 * measurements are made from.
 *
 * Memory is bounded: MLS_SPANS_MAX spans, and MLS_NOTED_MAX evaluations and blocks with a position.  A run with more is
 * not measured.  If there are more than MLS_STATS_MAX tracked_stats, every second one is dropped, so that segments get
 * longer but stay correct. */
#pragma once

#include "base/memory.h"
#include "base/statistics.h"
#include "explain/throughput/throughput.h"

#define MLS_NOTED_MAX ((size_t)65536)
#define MLS_STATS_MAX ((size_t)4096)

/* The kinds of records; the last two are from spans. */
typedef enum mls_pace_kind {
    MLS_PACE_EVALUATION,
    MLS_PACE_BLOCK,
    MLS_PACE_STATS,
    MLS_PACE_EVALUATION_START,
    MLS_PACE_TRAINING_STOP
} mls_pace_kind;

/* The needed part of a record; NAN: not logged. */
typedef struct mls_pace_record {
    double time_ms; /* since 1970 */
    double samples; /* metadata.samples_count */
    double epoch;   /* metadata.epoch_num; of tracked_stats metadata.step */
    double value;   /* result of an evaluation; throughput of tracked_stats */
    double step_ms;
    double steps, box, mask; /* of an evaluation */
    mls_curve_kind metric;
    uint32_t spans_before; /* number of spans before it in the file */
    mls_pace_kind kind;
} mls_pace_record;

typedef struct mls_pace_notes {
    mls_pace_record *items; /* in the order of the file */
    size_t count, capacity;
    size_t stats, stats_seen, stride; /* numbers of stored and seen tracked_stats; one of `stride` is stored (0: all) */
    mls_spans spans;
    bool too_many;                    /* the run is not measured */
    bool in_blocks, blocks_have_none; /* a block_start was seen; the numbers of blocks are not positions */
    double block_ms, block_samples;   /* of the previous block */
    double latest_ms, previous_ms;    /* times of records; 0 before the first */
    bool begun;
    double stop_samples; /* of the first run_stop */
    char status[64];     /* its status as logged; "": none */
    size_t backwards;
} mls_pace_notes;

/* Release the notes of a measured run (NULL: it has none), except its status. */
void mls_pace_notes_used(void *notes);

/* A record in the timed part, or the record of a span that shows when an evaluated state was reached. */
typedef struct mls_timed {
    mls_placed when;               /* milliseconds after run_start, and the index in the file */
    const mls_pace_record *record; /* NULL: from a span */
    mls_pace_kind kind;
} mls_timed;

/* A stretch of training in milliseconds after run_start, and the training time before it. */
typedef struct mls_trained {
    double from_ms, to_ms, before_ms;
} mls_trained;

/* A run whose job printed the step from which it computes in more bits. */
typedef struct mls_healing {
    size_t step;            /* 0: not printed */
    double samples, factor; /* factor 1: the change is temporary */
    bool reached;           /* there are paces before and after it */
    bool changed;           /* the pace changed, or the first segment after it was slow */
    mls_slow_phase *phases; /* phases that are slow even relative to the pace after healing */
    size_t phase_count;
} mls_healing;

/* State of measuring a run. */
typedef struct mls_timing {
    const mls_pace_notes *notes;
    mls_arena *scratch;  /* until the run is measured */
    double start_ms;     /* since 1970 */
    unsigned edition;    /* its number */
    mls_throughput *run; /* the result */
    mls_healing *healing;
    mls_timed *timed; /* sorted by time, ties in the order of the file */
    size_t timed_count;
    mls_trained *training;
    size_t training_count;
    double trained_ms;                /* total training time */
    double evaluated_ms;              /* part of it that turned out to be evaluation */
    mls_slow_evaluation *evaluations; /* all evaluations */
    size_t evaluation_count;
} mls_timing;

/* Return the training time from run_start to `ms` milliseconds after it. */
double mls_timing_training(const mls_timing *timing, double ms);

/* Find positions, segments and the curve.  Then find in the segments the reference pace, band, warm-up, slow phases,
 * shift and sparkline. */
void mls_timing_mark(mls_timing *timing);
void mls_timing_pace(mls_timing *timing);

/* Minimum number of ended runs with samples for comparisons within a group. */
enum { MLS_TIMED_MIN = 3 };

/* Compare the measured runs of a group, and add findings.  `healing` has an item per run. */
void mls_throughput_group_compare(mls_throughput_group *group, const mls_healing *healing, mls_arena *arena,
                                  mls_arena *scratch);
