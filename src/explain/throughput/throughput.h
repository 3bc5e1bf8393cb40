/* SPDX-License-Identifier: Apache-2.0 */
/* throughput.h - break down the time of runs, measure how fast training was, and find slow phases and slow runs.
 *
 * Collect runs with mls_throughput_observer, then call mls_throughputs_measure().  Positions of training are known from
 * evaluations, blocks or run_stop; logged rates are not used.  Between two positions is a segment with a pace in
 * milliseconds of training per sample.
 *
 * Times are milliseconds since run_start unless noted.  Unknown numbers are NAN. */
#pragma once

#include "explain/models.h"
#include "run/parts.h"
#include "score/accelerators.h"
#include "score/collect.h"

/** How far a run can be measured. */
typedef enum mls_timed_state {
    MLS_TIMED_ENDED,
    MLS_TIMED_UNFINISHED, /**< no run_stop: the run ends at its latest record */
    MLS_TIMED_NO_START,   /**< not measured, like the next */
    MLS_TIMED_STOP_BEFORE_START
} mls_timed_state;
const char *mls_timed_state_name(mls_timed_state state);

/** The source of the positions.  The name of NOTHING is NULL. */
typedef enum mls_marks_from {
    MLS_MARKS_FROM_NOTHING,
    MLS_MARKS_FROM_EVALUATIONS,
    MLS_MARKS_FROM_BLOCKS,
    MLS_MARKS_FROM_RUN_STOP,
    MLS_MARKS_FROM_LATE_EVALUATIONS /**< checkpoints were evaluated after training */
} mls_marks_from;
const char *mls_marks_from_name(mls_marks_from from);

/** The source of the evaluation times.  NOTHING: they count as training; its name is NULL. */
typedef enum mls_evaluations_from {
    MLS_EVALUATIONS_FROM_NOTHING,
    MLS_EVALUATIONS_FROM_RECORDS,    /**< eval_start and eval_stop */
    MLS_EVALUATIONS_FROM_VALIDATION, /**< validation_step_time or validation_time of tracked_stats */
    MLS_EVALUATIONS_FROM_STEPS       /**< time between evaluations minus the steps by train_step_time */
} mls_evaluations_from;
const char *mls_evaluations_from_name(mls_evaluations_from from);

/** The training between two positions. */
typedef struct mls_pace_segment {
    double from_ms, to_ms;
    double from_samples, delta; /**< samples, or epochs */
    double training_ms;         /**< training time in between */
} mls_pace_segment;

/** Consecutive segments above the band. */
typedef struct mls_slow_phase {
    double from_ms, to_ms, from_samples, to_samples;
    double training_ms, lost_ms; /**< lost: relative to the reference pace */
    double factor;               /**< its pace divided by the reference pace */
    bool shared;                 /**< it is part of a phase of the group */
} mls_slow_phase;

/** A phase in which more than half of the runs of a group were slow at the same samples. */
typedef struct mls_shared_phase {
    mls_slow_phase middle; /**< medians */
    size_t runs;
} mls_shared_phase;

typedef struct mls_slow_evaluation {
    double from_ms, ms;
    size_t number; /**< in the run, from 1 */
} mls_slow_evaluation;

/** An evaluation of the timed part: its time, position and result. */
typedef enum mls_curve_kind {
    MLS_CURVE_ONE,
    MLS_CURVE_FID,
    MLS_CURVE_CLIP,
    MLS_CURVE_BOX,
    MLS_CURVE_MASK
} mls_curve_kind;
typedef struct mls_curve_point {
    double ms, samples, value;
    double steps;          /**< logged step; the position if samples are unknown */
    double box, mask;      /**< of a detector; `value` is the smaller one */
    mls_curve_kind metric; /**< FID or CLIP of images, otherwise ONE */
} mls_curve_point;

/** The machine, and the share of its peak used at the steady pace (MFU; PaLM, appendix B). */
typedef struct mls_utilization {
    double accelerators;                /**< their number */
    const mls_accelerator *accelerator; /**< NULL: unknown */
    double flops_per_sample;            /**< of the model; attention as in the options */
    double flops_derived;               /**< from the architecture with full attention, if that is unknown */
    double bf16;                        /**< of the dense peak in BF16, or FP16 if it has no BF16 */
    bool has_precision;                 /**< the options, the log or the job's output name one below BF16 */
    mls_precision named;                /**< that precision */
    double precision;                   /**< of the peak in it */
    double derived;                     /**< like bf16, with flops_derived */
    double narrowest;                   /**< of the largest peak of the accelerator; above 1, the data is wrong */
} mls_utilization;

enum { MLS_SPARK_CELLS = 24, MLS_SPARK_GAP = -1, MLS_SPARK_TOP = 7 };

/** A measured run.  Lists are in the arena of its mls_throughputs. */
typedef struct mls_throughput {
    const mls_run *run;
    const char *benchmark;  /**< as logged, else the name of the folder; NULL: none */
    const mls_model *model; /**< of the benchmark; NULL: unknown */
    mls_timed_state state;
    const char *status; /**< of run_stop as logged; NULL: none; borrowed from the notes */
    size_t backwards;   /**< number of records more than a second before the previous one */
    double run_ms;
    bool has_parts;         /**< false: too many records; nothing below is known */
    mls_parts parts;        /**< as in score, except evaluations known from steps */
    mls_stretch *stretches; /**< stretches of the parts, in order; NULL without `series` */
    size_t stretch_count;
    bool in_epochs; /**< all samples here are epochs: the size of the training set is unknown */
    mls_marks_from marks_from;
    mls_evaluations_from evaluations_from;
    mls_pace_segment *segments; /**< NULL without `series` */
    size_t segment_count;
    double samples, measured_training_ms; /**< up to the last position */
    double training_samples_per_second, run_samples_per_second;
    double steady_ms_per_sample, band; /**< reference pace; relative excess that counts as slow */
    double steady_step_ms, steady_tokens_per_second;
    size_t warmup_segments;
    double warmup_ms, warmup_samples; /**< training until its end */
    double warmup_lost_ms;
    mls_slow_phase *slow_phases;
    size_t slow_phase_count;
    bool has_shift; /**< the pace changed permanently at this position, by this factor */
    double shift_samples, shift_factor;
    size_t healing_step; /**< where the pace of all runs of the group changed by design; 0: nowhere */
    double healing_samples, healing_factor; /**< position; pace after it divided by the pace before */
    double evaluation_median_ms;
    mls_slow_evaluation *slow_evaluations;
    size_t slow_evaluation_count;
    mls_slow_evaluation longest_evaluation; /**< number 0: no evaluation has a duration */
    mls_curve_point *curve;
    size_t curve_count;
    bool target_known;                        /**< the rules have a target for the evaluations */
    size_t target_at;                         /**< first point of the curve that meets it, from 1; 0: none */
    double time_to_target_ms;                 /**< time of that evaluation */
    mls_target target;                        /**< target of the evaluations */
    mls_target box_target, mask_target;       /**< of a detector */
    double logged_throughput, logged_step_ms; /**< lower medians of tracked_stats */
    double tokens_per_sample;                 /**< from the log, else the model; NAN: unknown or variable */
    mls_utilization utilization;
    signed char spark[MLS_SPARK_CELLS]; /**< pace over training time: 0 (reference or faster) to 7, or a gap */
    bool series;                        /**< as in the options */
} mls_throughput;

/** Return the unit of a run's positions: "epochs" or "samples".  epoch_num of some benchmarks counts samples
 * (mls_epoch_unit()). */
const char *mls_throughput_unit(const mls_throughput *run);
bool mls_throughput_counts_epochs(const mls_throughput *run);

/** Return whether the training time of a run contains its evaluations because their duration is unknown. */
bool mls_throughput_evaluations_are_training(const mls_throughput *run);

/** The parts of a run that are compared within its group.  AFTER is training after the last position. */
typedef enum mls_slow_part {
    MLS_SLOW_STARTUP,
    MLS_SLOW_TRAINING,
    MLS_SLOW_AFTER,
    MLS_SLOW_EVALUATION,
    MLS_SLOW_BETWEEN,
    MLS_SLOW_TAIL,
    MLS_SLOW_PART_COUNT
} mls_slow_part;
const char *mls_slow_part_name(mls_slow_part part);

/** A run that took longer than its group would have taken for the same number of samples. */
typedef struct mls_slow_run {
    const mls_throughput *run;
    double extra_ms, expected_ms;
    double parts_extra_ms[MLS_SLOW_PART_COUNT];
    mls_slow_part largest;
    bool pace; /**< its pace is above the limit of the group */
} mls_slow_run;

typedef struct mls_throughput_group {
    const mls_group *group;
    mls_throughput *runs; /**< in the order of the group */
    size_t timed;         /**< number of ended runs with samples; below 3, there are no comparisons */
    double median_ms_per_sample, limit_ms_per_sample;
    mls_slow_run *slow_runs;
    size_t slow_run_count;
    mls_shared_phase *shared_phases; /**< in the order of samples */
    size_t shared_phase_count;
    const mls_throughput *healed;    /**< run with the median healing_factor; NULL: none */
    size_t healed_count;             /**< number of runs with a healing_step */
    const mls_throughput *warmed_up; /**< run with the median warm-up; NULL: it lost less than 10 % */
    mls_findings findings;           /**< about the runs; not in the arena */
} mls_throughput_group;

/** The options of measuring.  Tables must outlive the result. */
typedef struct mls_throughput_options {
    mls_rulesets *rulesets;                    /**< for targets; NULL: no time to target */
    const mls_models *models;                  /**< not NULL */
    const mls_accelerators *accelerator_table; /**< not NULL */
    const mls_accelerator *accelerator;        /**< NULL: from the system description */
    double accelerators;                       /**< NAN: likewise */
    bool series;                               /**< store segments and stretches, too */
    bool causal;                               /**< attention counts half, as in newer tools; otherwise fully (PaLM) */
    bool has_precision;
    mls_precision precision; /**< also compute the utilization of the peak in it */
} mls_throughput_options;

/** All groups of a collection, and all runs in the order of the collection. */
typedef struct mls_throughputs {
    struct mls_arena *arena;
    mls_throughput_group *groups;
    size_t group_count;
    const mls_throughput **runs;
    size_t run_count;
    const mls_collection *collection;
    mls_throughput_options options;
} mls_throughputs;

/** Observer for mls_collect() that stores the needed data of each run.  Its memory is bounded. */
extern const mls_observer mls_throughput_observer;

/** Measure the runs of a collection made with the observer.  The collection must outlive the result.  Notes of measured
 * runs are released, so a collection can be measured only once.  Return MLS_OK, or an error of loading rules.  Release
 * *all in any case. */
mls_status mls_throughputs_measure(const mls_collection *collection, const mls_throughput_options *options,
                                   mls_throughputs *all, mls_error *error) MLS_MUST_USE;
void mls_throughputs_release(mls_throughputs *all);
