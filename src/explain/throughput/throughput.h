/* SPDX-License-Identifier: Apache-2.0 */
/* throughput.h - break down the time of runs, measure the pace of training, and find slow phases and slow runs.
 *
 * Collect runs with mls_throughput_observer, then call mls_throughputs_measure().  Positions of training are known from
 * evaluations, blocks or run_stop; logged rates are not used.  A segment is the training between two adjacent
 * positions; its pace is in milliseconds of training per sample.
 *
 * Times are milliseconds since run_start unless noted.  Unknown numbers are NAN. */
#pragma once

#include "base/buffer.h"
#include "explain/models.h"
#include "run/parts.h"
#include "score/accelerators.h"
#include "score/collect.h"

/** How far a run can be measured. */
typedef enum mls_timed_state {
    MLS_TIMED_ENDED,
    MLS_TIMED_UNFINISHED,       /**< no run_stop: the run ends at its latest record */
    MLS_TIMED_NO_START,         /**< no run_start: not measured */
    MLS_TIMED_STOP_BEFORE_START /**< run_stop is earlier than run_start: not measured */
} mls_timed_state;
const char *mls_timed_state_name(mls_timed_state state);

/** The source of the positions.  The name of MLS_MARKS_FROM_NOTHING is NULL. */
typedef enum mls_marks_from {
    MLS_MARKS_FROM_NOTHING,
    MLS_MARKS_FROM_EVALUATIONS,
    MLS_MARKS_FROM_BLOCKS,
    MLS_MARKS_FROM_RUN_STOP,
    MLS_MARKS_FROM_LATE_EVALUATIONS /**< checkpoints were evaluated after training */
} mls_marks_from;
const char *mls_marks_from_name(mls_marks_from from);

/** The source of the evaluation times.  MLS_EVALUATIONS_FROM_NOTHING: unknown, so evaluations count as training; its
 * name is NULL. */
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
    double training_ms;         /**< training time between the two positions */
} mls_pace_segment;

/** Consecutive segments whose pace is above the band. */
typedef struct mls_slow_phase {
    double from_ms, to_ms, from_samples, to_samples;
    double training_ms, lost_ms; /**< training time; part of it that exceeds the time at the reference pace */
    double factor;               /**< pace of the phase divided by the reference pace */
    size_t shared;               /**< number of the group's shared phase that contains it, from 1; 0: none */
} mls_slow_phase;

/** A phase in which more than half of the runs of a group were slow at the same samples. */
typedef struct mls_shared_phase {
    mls_slow_phase middle; /**< median of each number over the runs */
    size_t runs;
} mls_shared_phase;

typedef struct mls_slow_evaluation {
    double from_ms, ms;
    size_t number; /**< number of the evaluation in the run, from 1 */
} mls_slow_evaluation;

/** The kind of an evaluation's result. */
typedef enum mls_curve_kind {
    MLS_CURVE_ONE,
    MLS_CURVE_FID,
    MLS_CURVE_CLIP,
    MLS_CURVE_BOX,
    MLS_CURVE_MASK
} mls_curve_kind;
typedef struct mls_curve_point {
    double ms, samples, value;
    double steps;          /**< logged step; used as the position if samples are unknown */
    double box, mask;      /**< the two results of a detector; `value` is the smaller one */
    mls_curve_kind metric; /**< kind of the result: FID or CLIP of an image generator, otherwise ONE */
} mls_curve_point;

/** The machine, and the model FLOPs utilization (MFU, as in appendix B of the PaLM paper): the share of the machine's
 * peak that the model's FLOPs use at the steady pace. */
typedef struct mls_utilization {
    double accelerators;                /**< number of accelerators */
    const mls_accelerator *accelerator; /**< NULL: unknown */
    double flops_per_sample;            /**< FLOPs of a sample; attention is counted as the options say */
    double flops_derived;               /**< the same, computed from the architecture, if flops_per_sample is unknown */
    double bf16;         /**< share of the dense peak in BF16, or in FP16 if the accelerator lacks BF16 */
    bool has_precision;  /**< the options, the log or the job's output name a precision below BF16 */
    mls_precision named; /**< the precision that they name */
    double precision;    /**< share of the peak in the named precision */
    double derived;      /**< as bf16, but computed with flops_derived */
    /** Share of the largest peak of the accelerator in any precision; if above 1, the data is wrong. */
    double narrowest;
} mls_utilization;

enum { MLS_SPARK_CELLS = 24, MLS_SPARK_GAP = -1, MLS_SPARK_TOP = 7 };

/** A measured run.  The arena of mls_throughputs owns the lists. */
typedef struct mls_throughput {
    const mls_run *run;
    const char *benchmark;  /**< as logged, else the name of the folder; NULL: unknown */
    const mls_model *model; /**< model of the benchmark; NULL: unknown */
    mls_timed_state state;
    const char *status; /**< status of run_stop as logged; NULL: not logged; borrowed from the notes */
    size_t backwards;   /**< number of records more than a second before the previous one */
    double run_ms;
    bool has_parts;         /**< false: there are too many records, and all members below are unknown */
    mls_parts parts;        /**< the same parts as in `score`, except for evaluation times derived from steps */
    mls_stretch *stretches; /**< stretches of the parts, in order; NULL without `series` */
    size_t stretch_count;
    bool in_epochs; /**< the members named samples contain epochs, because the size of the training set is unknown */
    mls_marks_from marks_from;
    mls_evaluations_from evaluations_from;
    mls_pace_segment *segments; /**< NULL without `series` */
    size_t segment_count;
    double samples, measured_training_ms; /**< samples and training time up to the last position */
    double training_samples_per_second, run_samples_per_second;
    double steady_ms_per_sample, band; /**< reference pace; a pace above (1 + band) times it is slow */
    double steady_step_ms, steady_tokens_per_second;
    size_t warmup_segments;
    double warmup_ms, warmup_samples; /**< training time and samples up to the end of the warm-up */
    double warmup_lost_ms;
    mls_slow_phase *slow_phases;
    size_t slow_phase_count;
    bool has_shift; /**< the pace changed permanently at position shift_samples, by the factor shift_factor */
    double shift_samples, shift_factor;
    size_t switch_segment; /**< index plus 1 of the segment with the group's switch; 0: none */
    double switch_once_ms; /**< time that this segment lost */
    size_t healing_step;   /**< step at which the pace of all runs of the group changed by design; 0: none */
    double healing_samples, healing_factor; /**< position of that step; pace after it divided by the pace before */
    double evaluation_median_ms;
    mls_slow_evaluation *slow_evaluations;
    size_t slow_evaluation_count;
    mls_slow_evaluation longest_evaluation; /**< number 0: no evaluation has a duration */
    mls_curve_point *curve;
    size_t curve_count;
    bool target_known;        /**< the rules have a target for the evaluations */
    size_t target_at;         /**< number of the first point of the curve that meets the target, from 1; 0: none */
    double time_to_target_ms; /**< time of the evaluation target_at */
    mls_target target;        /**< target of the evaluations */
    mls_target box_target, mask_target;       /**< targets of a detector's two results */
    double logged_throughput, logged_step_ms; /**< lower medians of the values in tracked_stats */
    double tokens_per_sample;                 /**< from the log, else the model; NAN: unknown or variable */
    mls_utilization utilization;
    signed char spark[MLS_SPARK_CELLS]; /**< pace over training time: 0 (reference or faster) to 7, or a gap */
    bool series;                        /**< segments and stretches are stored */
} mls_throughput;

/** Return the unit of a run's positions: "epochs" or "samples". */
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
    bool pace; /**< the pace of the run is above limit_ms_per_sample of the group */
} mls_slow_run;

/** A step at which the pace of all runs changes, as it does when they switch to another precision. */
typedef struct mls_pace_switch {
    double samples;     /**< its position; 0: there is no switch */
    size_t step;        /**< 0: the batch sizes differ */
    const char *source; /**< where the step comes from: printed, config or pace */
    size_t runs;        /**< number of runs with segments before, at and behind it */
    double before_ms_per_sample, after_ms_per_sample, factor, once_ms; /**< lower medians over these runs */
    bool changed; /**< the pace changed, or the switch took time; otherwise nothing else depends on it */
} mls_pace_switch;

/** The cause of a cost.  Equal costs are sorted in this order. */
typedef enum mls_cost_kind {
    MLS_COST_FAILED_RUN, /**< a run that is not valid */
    MLS_COST_SWITCH,     /**< a change of the pace of all runs at one step */
    MLS_COST_SLOW_PHASE,
    MLS_COST_SLOW_EVALUATION,
    MLS_COST_SLOW_RUN
} mls_cost_kind;
const char *mls_cost_kind_name(mls_cost_kind kind);

/** A run that causes a cost, and the milliseconds that the run lost (NAN: the run failed). */
typedef struct mls_cost_run {
    const mls_throughput *run;
    double lost_ms;
    double from_ms, to_ms; /**< the time in which it lost them; both 0: during the whole run */
} mls_cost_run;

enum { MLS_COST_PRINTED_MAX = 3 };

/** How much of the score a slow or failed run costs: the group is scored again as if nothing had been lost. */
typedef struct mls_cost {
    mls_cost_kind kind;
    mls_cost_run *runs;
    size_t run_count;
    double lost_ms;                  /**< lower median of the lost time over the runs */
    double from_samples, to_samples; /**< begin and end of a slow phase */
    size_t evaluation;        /**< number of the slow evaluation in the learning curve, from 1; 0: the cost is not an
                                 evaluation */
    const mls_slow_run *slow; /**< for MLS_COST_SLOW_RUN: the run */
    bool within;              /**< the phase or evaluation is part of a slow run, which has a cost of its own */
    const char *printed[MLS_COST_PRINTED_MAX]; /**< lines of the job's output that may explain the cost */
    size_t printed_count;
    double score_without_minutes; /**< scaled score without the loss; NAN: there would not be a score */
    double percent;               /**< difference in percent of the score; may be negative; NAN: no score */
} mls_cost;

struct mls_throughput_group;
/** Append what a cost means for the score: "costs the score 1.7 %: 17.119 → 16.835".  Return false, without a text, if
 * there is no score with or without it. */
bool mls_cost_append_score(mls_buffer *line, const struct mls_throughput_group *group, const mls_cost *cost);

/** Append which evaluation was slow: "evaluation 6 of 42 took 201 s, the others 0.9". */
void mls_throughput_describe_evaluation(mls_buffer *line, const mls_throughput *run, double from_ms, double ms);

typedef struct mls_throughput_group {
    const mls_group *group;
    mls_throughput *runs; /**< in the order of the group */
    size_t timed;         /**< number of ended runs with samples; runs are compared if there are at least 3 */
    double median_ms_per_sample, limit_ms_per_sample;
    mls_slow_run *slow_runs;
    size_t slow_run_count;
    mls_shared_phase *shared_phases; /**< in the order of samples */
    size_t shared_phase_count;
    mls_pace_switch pace_switch;
    mls_cost *costs; /**< the largest first; costs with `within` set come last */
    size_t cost_count;
    const mls_throughput *healed; /**< run with the median healing_factor; NULL: no run has a healing_step */
    size_t healed_count;          /**< number of runs with a healing_step */
    /** Run with the median loss of warm-up; NULL: the loss is below 10 % of the run. */
    const mls_throughput *warmed_up;
    mls_findings findings;  /**< findings about the runs, in the order of costs; the arena does not own them */
    size_t findings_within; /**< number of findings at the end of the list that are about a cost with `within` set */
} mls_throughput_group;

/** The options of mls_throughputs_measure().  The tables must outlive the result. */
typedef struct mls_throughput_options {
    mls_rulesets *rulesets;                    /**< for targets; NULL: leave the time to target unknown */
    const mls_models *models;                  /**< not NULL */
    const mls_accelerators *accelerator_table; /**< not NULL */
    const mls_accelerator *accelerator;        /**< NULL: from the system description */
    double accelerators;                       /**< number of accelerators; NAN: from the system description */
    bool series;                               /**< also store segments and stretches */
    const mls_score_options *score;            /**< how the groups were scored; not NULL */
    bool causal; /**< count half of the FLOPs of attention, as newer tools do, not all (as in the PaLM paper) */
    bool has_precision;
    mls_precision precision; /**< if has_precision: also compute the share of the peak in this precision */
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

/** Observer for mls_collect() that stores notes of each run, in bounded memory. */
extern const mls_observer mls_throughput_observer;

/** Measure the runs of a collection made with the observer.  The collection must outlive the result.  Notes of measured
 * runs are released, so a collection can be measured only once.  Return MLS_OK, or an error of loading rules.  Release
 * *all in any case. */
mls_status mls_throughputs_measure(const mls_collection *collection, const mls_throughput_options *options,
                                   mls_throughputs *all, mls_error *error) MLS_MUST_USE;
void mls_throughputs_release(mls_throughputs *all);
