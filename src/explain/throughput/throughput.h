/* SPDX-License-Identifier: Apache-2.0 */
/* throughput.h - what runs did over time: where the timed part went, how fast training was and where it slowed down,
 * which run of a group was slow and why, and how much of the machine's peak was used.
 *
 * A position of training is known from evaluations, from blocks or from run_stop, never from a rate that was logged;
 * between two positions lies a segment with a pace, milliseconds of training a sample.  Times are milliseconds since
 * run_start but where said otherwise, absent numbers NAN. */
#pragma once

#include "explain/models.h"
#include "run/parts.h"
#include "score/accelerators.h"
#include "score/collect.h"

/** Whether a run can be measured. */
typedef enum mls_timed_state {
    MLS_TIMED_ENDED,
    MLS_TIMED_UNFINISHED, /**< no run_stop: the run ends at its latest record */
    MLS_TIMED_NO_START,   /**< nothing more is said of this and the next */
    MLS_TIMED_STOP_BEFORE_START
} mls_timed_state;
const char *mls_timed_state_name(mls_timed_state state);

/** Where the positions are from, and its name: NULL for nothing. */
typedef enum mls_marks_from {
    MLS_MARKS_FROM_NOTHING,
    MLS_MARKS_FROM_EVALUATIONS,
    MLS_MARKS_FROM_BLOCKS,
    MLS_MARKS_FROM_RUN_STOP,
    MLS_MARKS_FROM_LATE_EVALUATIONS /**< made when the training was over, of what it had left */
} mls_marks_from;
const char *mls_marks_from_name(mls_marks_from from);

/** How the time of evaluations is known, and its name: NULL for nothing, as it then counts as training. */
typedef enum mls_evaluations_from {
    MLS_EVALUATIONS_FROM_NOTHING,
    MLS_EVALUATIONS_FROM_RECORDS,    /**< eval_start and eval_stop */
    MLS_EVALUATIONS_FROM_VALIDATION, /**< validation_step_time or validation_time of tracked_stats */
    MLS_EVALUATIONS_FROM_STEPS       /**< what the steps between two evaluations, by train_step_time, leave */
} mls_evaluations_from;
const char *mls_evaluations_from_name(mls_evaluations_from from);

/** The training between two positions. */
typedef struct mls_pace_segment {
    double from_ms, to_ms;
    double from_samples, delta; /**< samples, or epochs */
    double training_ms;         /**< of the time between, training alone */
} mls_pace_segment;

/** Neighbouring segments above the band that lost time together. */
typedef struct mls_slow_phase {
    double from_ms, to_ms, from_samples, to_samples;
    double training_ms, lost_ms; /**< lost: against the reference pace */
    double factor;               /**< the phase's pace over the reference */
    bool shared;                 /**< as most runs of the group have it: it is one of the group's */
} mls_slow_phase;

/** A phase in which more than half of a group's runs were slow at one sample: medians, of so many runs. */
typedef struct mls_shared_phase {
    mls_slow_phase middle;
    size_t runs;
} mls_shared_phase;

typedef struct mls_slow_evaluation {
    double from_ms, ms;
    size_t number; /**< among those of the run, from 1 */
} mls_slow_evaluation;

/** An evaluation of the timed part: when it was logged, how far training was, and what it gave. */
typedef enum mls_curve_kind {
    MLS_CURVE_ONE,
    MLS_CURVE_FID,
    MLS_CURVE_CLIP,
    MLS_CURVE_BOX,
    MLS_CURVE_MASK
} mls_curve_kind;
typedef struct mls_curve_point {
    double ms, samples, value;
    double steps;          /**< as the metadata say; how far training was where samples are not known */
    double box, mask;      /**< of a detector, of which `value` is the smaller */
    mls_curve_kind metric; /**< FID or CLIP of images, else ONE */
} mls_curve_point;

/** The machine, and the share of its peak that the steady pace makes use of (PaLM, appendix B); NAN: not known. */
typedef struct mls_utilization {
    double accelerators;                /**< how many; NAN: not known */
    const mls_accelerator *accelerator; /**< NULL: not known */
    double flops_per_sample;            /**< of the model, as the options count attention */
    double flops_derived;               /**< where that is not known, of its architecture, attention whole */
    double bf16;                        /**< against the accelerator's dense peak in BF16, or FP16 where it has none */
    bool has_precision;  /**< the options, the log's records or what the job printed name one narrower than BF16 … */
    mls_precision named; /**< … which is this one */
    double precision;    /**< against the peak in it */
    double derived;      /**< by flops_derived, against what bf16 is */
    double narrowest;    /**< against the largest peak of the accelerator: above 1 the numbers are wrong */
} mls_utilization;

enum { MLS_SPARK_CELLS = 24, MLS_SPARK_GAP = -1, MLS_SPARK_TOP = 7 };

/** A run over time.  What is listed lies in the arena of the mls_throughputs it belongs to. */
typedef struct mls_throughput {
    const mls_run *run;
    const char *benchmark;  /**< as logged, else the folder's name; NULL: none */
    const mls_model *model; /**< of the benchmark; NULL: nothing is known of it */
    mls_timed_state state;
    const char *status; /**< of run_stop, as logged; NULL: none; borrowed from the run's notes */
    size_t backwards;   /**< records more than a second earlier than the one before them */
    double run_ms;
    bool has_parts;         /**< false: there are too many records to say, and nothing below is known */
    mls_parts parts;        /**< as score has them, but for the evaluations that are known from the steps */
    mls_stretch *stretches; /**< where each part lies, in order, neighbours joined; NULL without `series` */
    size_t stretch_count;
    bool in_epochs; /**< the unit of all samples here: the size of the training set is not known */
    mls_marks_from marks_from;
    mls_evaluations_from evaluations_from;
    mls_pace_segment *segments; /**< NULL without `series`, however many there are */
    size_t segment_count;
    double samples, measured_training_ms; /**< up to the last position; NAN: there is none */
    double training_samples_per_second, run_samples_per_second;
    double steady_ms_per_sample, band; /**< the reference pace, and how far above it is slow, relatively */
    double steady_step_ms, steady_tokens_per_second;
    size_t warmup_segments;
    double warmup_ms, warmup_samples; /**< of training, until it is over */
    double warmup_lost_ms;
    mls_slow_phase *slow_phases;
    size_t slow_phase_count;
    bool has_shift; /**< the pace changed for good at so many samples, by so much */
    double shift_samples, shift_factor;
    size_t healing_step; /**< where the pace changed by design, as in all runs of the group; 0: it did not */
    double healing_samples,
        healing_factor; /**< so far it was then; the pace behind it over the one before, 1: as before */
    double evaluation_median_ms;
    mls_slow_evaluation *slow_evaluations;
    size_t slow_evaluation_count;
    mls_slow_evaluation longest_evaluation; /**< its number is 0: no evaluation has a length */
    mls_curve_point *curve;
    size_t curve_count;
    bool target_known;                        /**< the rules have a target that the evaluations can be held against */
    size_t target_at;                         /**< the first evaluation of the curve that meets it, from 1; 0: none */
    double time_to_target_ms;                 /**< when; NAN: none, not known */
    mls_target target;                        /**< the number that evaluations are to reach */
    mls_target box_target, mask_target;       /**< and those of a detector */
    double logged_throughput, logged_step_ms; /**< the lower median of what tracked_stats say */
    double tokens_per_sample; /**< as the log has them, else the model; NAN: not known, or they differ */
    mls_utilization utilization;
    signed char spark[MLS_SPARK_CELLS]; /**< pace over training time: 0 the reference or faster … 7; or a gap */
    bool series;                        /**< as of the options */
} mls_throughput;

/** What the positions of a run count, for people: "epochs" or "samples".  epoch_num of some benchmarks counts samples
 * (mls_epoch_unit()), though the size of their training set is not known. */
const char *mls_throughput_unit(const mls_throughput *run);
bool mls_throughput_counts_epochs(const mls_throughput *run);

/** Whether a run is one whose evaluations are in its training time, as nothing tells how long they took. */
bool mls_throughput_evaluations_are_training(const mls_throughput *run);

/** The parts of a run that are compared within its group: training after the last position is one of its own. */
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

/** A run that took longer than the others of its group would have taken for its samples. */
typedef struct mls_slow_run {
    const mls_throughput *run;
    double extra_ms, expected_ms;
    double parts_extra_ms[MLS_SLOW_PART_COUNT];
    mls_slow_part largest;
    bool pace; /**< its pace is above the group's limit */
} mls_slow_run;

typedef struct mls_throughput_group {
    const mls_group *group;
    mls_throughput *runs; /**< as many, in the same order */
    size_t timed;         /**< ended runs with samples; with fewer than 3 nothing below is known */
    double median_ms_per_sample, limit_ms_per_sample;
    mls_slow_run *slow_runs;
    size_t slow_run_count;
    mls_shared_phase *shared_phases; /**< in the order of their samples */
    size_t shared_phase_count;
    const mls_throughput *healed;    /**< the run whose healing_factor is the group's median; NULL: none has one */
    size_t healed_count;             /**< of runs with a healing_step */
    const mls_throughput *warmed_up; /**< the run whose warm-up is the group's median; NULL: it lost less than 10 % */
    mls_findings findings;           /**< about the runs; like these not in the arena */
} mls_throughput_group;

/** Settings to measure by.  Tables must outlive the result. */
typedef struct mls_throughput_options {
    mls_rulesets *rulesets;                    /**< whose rules have the targets; NULL: no time to target */
    const mls_models *models;                  /**< not NULL */
    const mls_accelerators *accelerator_table; /**< not NULL */
    const mls_accelerator *accelerator;        /**< what a person says of the machine; NULL: what descriptions say */
    double accelerators;                       /**< NAN: likewise */
    bool series;                               /**< segments and stretches are kept too */
    bool causal;                               /**< attention counts half, as newer tools have it; else whole (PaLM) */
    bool has_precision;
    mls_precision precision; /**< the peak that utilization is measured against too */
} mls_throughput_options;

/** All groups of a collection, and all their runs in the order of the collection. */
typedef struct mls_throughputs {
    struct mls_arena *arena;
    mls_throughput_group *groups;
    size_t group_count;
    const mls_throughput **runs;
    size_t run_count;
    const mls_collection *collection;
    mls_throughput_options options;
} mls_throughputs;

/** Keeps what this needs of each run, for mls_collect(): bounded, see explain/throughput/notes.h. */
extern const mls_observer mls_throughput_observer;

/** Measures the runs of a collection that was made with the observer, and must outlive the result; what was noted of
 * each run is given back when it has been measured, so that a collection is measured once.  MLS_OK,
 * MLS_ERROR_MEMORY or what loading rules returned; *all is to be released in any case. */
mls_status mls_throughputs_measure(const mls_collection *collection, const mls_throughput_options *options,
                                   mls_throughputs *all, mls_error *error) MLS_MUST_USE;
void mls_throughputs_release(mls_throughputs *all);
