/* SPDX-License-Identifier: Apache-2.0 */
/* notes.h - internals of throughput/: the notes stored of a run while its records are read, and the state of measuring
 * a run from its notes.
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

/* The kinds of records.  The last two are not stored as records but are known from spans. */
typedef enum mls_pace_kind {
    MLS_PACE_EVALUATION,
    MLS_PACE_BLOCK,
    MLS_PACE_STATS,
    MLS_PACE_EVALUATION_START,
    MLS_PACE_TRAINING_STOP
} mls_pace_kind;

/* The data of a record.  A number is NAN if it is not logged. */
typedef struct mls_pace_record {
    double time_ms;          /* milliseconds since 1970 */
    double samples;          /* metadata.samples_count */
    double epoch;            /* metadata.epoch_num; for tracked_stats metadata.step */
    double value;            /* result of an evaluation; for tracked_stats the throughput */
    double step_ms;          /* time of a step, from tracked_stats */
    double steps, box, mask; /* for an evaluation: the step; results BBOX and SEGM of a detector */
    mls_curve_kind metric;
    uint32_t spans_before; /* number of spans before it in the file */
    mls_pace_kind kind;
} mls_pace_record;

typedef struct mls_pace_notes {
    mls_pace_record *items; /* records in the order of the file */
    size_t count, capacity;
    /* Number of tracked_stats stored; number seen; one of `stride` tracked_stats is stored (0: all are stored). */
    size_t stats, stats_seen, stride;
    mls_spans spans;
    bool too_many;                    /* there are too many records: the run is not measured */
    bool in_blocks, blocks_have_none; /* a block_start was seen; the numbers of blocks are not positions */
    double block_ms, block_samples;   /* time and number of the previous block */
    double latest_ms, previous_ms;    /* latest time, and time of the previous record; 0 before the first record */
    bool begun;
    double stop_samples; /* samples_count of the first run_stop */
    char status[64];     /* status of the first run_stop as logged; "": none */
    size_t backwards;    /* number of records more than a second before the previous one */
} mls_pace_notes;

/* Release the notes of a measured run, except `status`.  `notes` may be NULL. */
void mls_pace_notes_used(void *notes);

/* A record between run_start and the end of the run, or an event of a span: an eval_start, or a stop of training. */
typedef struct mls_timed {
    mls_placed when;               /* milliseconds after run_start; index in the file */
    const mls_pace_record *record; /* NULL: the event is from a span */
    mls_pace_kind kind;
} mls_timed;

/* A stretch of training from from_ms to to_ms (milliseconds after run_start); before_ms is the training time before it.
 */
typedef struct mls_trained {
    double from_ms, to_ms, before_ms;
} mls_trained;

/* The healing step of a run: the step from which it computes in a higher precision, if the job printed that step. */
typedef struct mls_healing {
    size_t step; /* 0: not printed */
    /* Position of the step; pace after it divided by the pace before (1: only a temporary change). */
    double samples, factor;
    bool reached;           /* the run has a pace before and a pace after the step */
    bool changed;           /* the pace changed at the step, or the first segment after it was slow */
    mls_slow_phase *phases; /* phases that are slow even relative to the pace after healing */
    size_t phase_count;
} mls_healing;

/* State of measuring a run. */
typedef struct mls_timing {
    const mls_pace_notes *notes;
    mls_arena *scratch;  /* memory that is released after the run has been measured */
    double start_ms;     /* since 1970 */
    unsigned edition;    /* number of the edition */
    mls_throughput *run; /* the result */
    mls_healing *healing;
    mls_timed *timed; /* sorted by time; items of the same time are in the order of the file */
    size_t timed_count;
    mls_trained *training;
    size_t training_count;
    double trained_ms;                /* total training time */
    double evaluated_ms;              /* the part of trained_ms that turned out to be evaluation */
    mls_slow_evaluation *evaluations; /* all evaluations */
    size_t evaluation_count;
} mls_timing;

/* Return the training time from run_start to `ms` milliseconds after it. */
double mls_timing_training(const mls_timing *timing, double ms);

/* mls_timing_mark() finds positions, segments and the curve.  Then mls_timing_pace() finds the reference pace of the
 * segments, the band, the warm-up, slow phases, the shift and the sparkline. */
void mls_timing_mark(mls_timing *timing);
void mls_timing_pace(mls_timing *timing);

/* Minimum number of ended runs with samples for comparisons within a group. */
enum { MLS_TIMED_MIN = 3 };

/* List the slow phases of a run.  From segment `later` on, the reference is `later_pace`.  The segment `skip` ends a
 * phase and is in none. */
mls_slow_phase *mls_pace_list_phases(const mls_throughput *run, size_t skip, size_t later, double later_pace,
                                     mls_arena *arena, size_t *count);

/* Return the median pace of the segments from `from` to before `to`, weighted by samples.  (Weighted by time, one long
 * stall would decide the median.)  `paces` is scratch memory for as many items. */
double mls_pace_median(const mls_throughput *run, size_t from, size_t to, mls_weighted *paces);

/* Find a switch of the pace of all runs, and list the slow phases anew if it changed the pace. */
void mls_throughput_find_switch(mls_throughput_group *group, mls_arena *arena, mls_arena *scratch);

/* Return whether a run ended and has samples, so that its pace can be compared. */
bool mls_throughput_is_timed(const mls_throughput *run);

/* Return the number in the learning curve of the evaluation that began at `from_ms`, from 1. */
size_t mls_throughput_evaluation_number(const mls_throughput *run, double from_ms);

/* Find the costs of a compared group.  `how` is how the group was scored. */
void mls_throughput_find_costs(mls_throughput_group *group, const mls_score_options *how, mls_arena *arena);

/* Set the lines that the jobs printed during slow phases and evaluations.  This reads the logs of the runs again. */
void mls_throughput_find_printed(mls_throughput_group *group, mls_arena *arena);

/* Compare the measured runs of a group, find their costs for the score, and add findings.  `healing` has an item per
 * run. */
void mls_throughput_group_compare(mls_throughput_group *group, const mls_healing *healing, mls_arena *arena,
                                  mls_arena *scratch, const mls_score_options *how);
