/* SPDX-License-Identifier: Apache-2.0 */
/* notes.h - what is kept of a run while its records pass, and what is made of it when they have.
 *
 * Memory is bounded: spans by MLS_SPANS_MAX; evaluations and blocks with a position by MLS_NOTED_MAX, a run with more
 * of which is not measured; tracked_stats by MLS_STATS_MAX, of which every second, then every fourth … is kept when
 * they are more, so that segments get coarser, not wrong. */
#pragma once

#include "base/memory.h"
#include "base/statistics.h"
#include "explain/throughput/throughput.h"

#define MLS_NOTED_MAX ((size_t)65536)
#define MLS_STATS_MAX ((size_t)4096)

/* The subjects of records; the last two are of spans. */
typedef enum mls_finding_entry_kind {
    MLS_NOTED_EVALUATION,
    MLS_NOTED_BLOCK,
    MLS_NOTED_STATS,
    MLS_NOTED_EVALUATION_START,
    MLS_NOTED_TRAINING_STOP
} mls_finding_entry_kind;

/* A record that says something; NAN where it does not. */
typedef struct mls_finding_entry_record {
    double time_ms; /* since 1970 */
    double samples; /* metadata.samples_count */
    double epoch;   /* metadata.epoch_num, of tracked_stats metadata.step */
    double value;   /* what an evaluation gave; the throughput of tracked_stats */
    double step_ms;
    double steps, box, mask; /* of an evaluation */
    mls_curve_kind metric;
    uint32_t spans_before; /* so many spans stand before it in the file */
    mls_finding_entry_kind kind;
} mls_finding_entry_record;

enum { MLS_STATUS_BYTES = 64 };

typedef struct mls_pace_notes {
    mls_finding_entry_record *items; /* in the order of the file */
    size_t count, capacity;
    size_t stats, stats_seen, stride; /* of tracked_stats: kept, seen, and every how many-th is kept (0: each) */
    mls_spans spans;                  /* from which run_start and run_stop are known too */
    bool too_many;
    bool in_blocks, blocks_have_none; /* a block_start came; their positions are none */
    double block_ms, block_samples;   /* of the one before */
    double latest_ms, previous_ms;    /* of all records; 0 before the first */
    bool begun;
    double stop_samples;           /* of the first run_stop */
    char status[MLS_STATUS_BYTES]; /* of it, as logged; "": none */
    size_t backwards;
} mls_pace_notes;

/* Gives back what was noted of a run (NULL: nothing was) that has been measured; its status stays. */
void mls_pace_notes_used(mls_pace_notes *notes);

/* A record in the timed part, or one of a span that says when an evaluated state was reached. */
typedef struct mls_timed {
    mls_placed when;                        /* milliseconds after run_start, and the place in the file */
    const mls_finding_entry_record *record; /* NULL: of a span */
    mls_finding_entry_kind kind;
} mls_timed;

/* A stretch of training, in milliseconds after run_start, and how much of it there was before. */
typedef struct mls_trained {
    double from_ms, to_ms, before_ms;
} mls_trained;

/* A run at the step from which it computes in more bits, as the job printed it. */
typedef struct mls_healing {
    size_t step;            /* 0: none was printed */
    double samples, factor; /* 1: of a change that does not last */
    bool reached;           /* there are paces before it and behind */
    bool changed;           /* the pace did, or the first segment behind it was slow */
    mls_slow_phase *phases; /* slow even for what healing leaves of the pace */
    size_t phase_count;
} mls_healing;

/* A run in the making: the timed part and what lies in it. */
typedef struct mls_timing {
    const mls_pace_notes *notes;
    mls_arena *scratch;  /* until the run is measured */
    double start_ms;     /* since 1970 */
    unsigned edition;    /* its number */
    mls_throughput *run; /* being filled in */
    mls_healing *healing;
    mls_timed *timed; /* by time; ties as in the file */
    size_t timed_count;
    mls_trained *training;
    size_t training_count;
    double trained_ms;                /* in all of them */
    double evaluated_ms;              /* of it, what the steps of the segments leave for evaluations */
    mls_slow_evaluation *evaluations; /* all of them, slow or not */
    size_t evaluation_count;
} mls_timing;

/* Training time from run_start to a moment after it. */
double mls_timing_training(const mls_timing *timing, double ms);

/* Fills in positions, segments and the curve. */
void mls_timing_mark(mls_timing *timing);

/* Finds in the segments the reference pace, band, warm-up, slow phases, shift and the sparkline. */
void mls_timing_pace(mls_timing *timing);

/* Which evaluations were slow. */
void mls_timing_evaluations(mls_timing *timing);

/* So many runs with an end and samples it takes to say what is usual in a group. */
enum { MLS_TIMED_MIN = 3 };

/* Where all runs of a group that came to the healing step change their pace there, that is by design: what is slow is
 * measured against the pace that healing leaves.  `healing`: of each run. */
void mls_throughput_group_heal(mls_throughput_group *group, const mls_healing *healing, mls_arena *scratch);

/* Finds what its runs share, before any of it is reported. */
void mls_throughput_group_share(mls_throughput_group *group, mls_arena *arena, mls_arena *scratch);

/* Which runs of a group were slow, and where. */
void mls_throughput_group_judge(mls_throughput_group *group, mls_arena *arena, mls_arena *scratch);

/* The machine of a group as a person names it, else as the system is described, else as the config is named; *found is
 * NULL when it is not known.  Always MLS_OK. */
mls_status mls_utilization_machine(const mls_group *group, const mls_throughput_options *options,
                                   const mls_accelerator **found, double *accelerators) MLS_MUST_USE;

/* What share of the peak of its machine a run used. */
void mls_utilization_find(mls_throughput *run, const mls_throughput_options *options);

/* Adds what was found about a measured group to its findings. */
void mls_throughput_group_report(mls_throughput_group *group);

/* Fills in time_to_target_ms from the curve.  MLS_OK or what loading the rules returned. */
mls_status mls_time_to_target(mls_throughput *run, const mls_group *group, mls_rulesets *rulesets,
                              mls_error *error) MLS_MUST_USE;
