/* SPDX-License-Identifier: Apache-2.0 */
/* run.h - one training run: a summary of its log, of bounded size.
 *
 * Feed it with mls_run_init(), mls_run_record() for each record, and mls_run_finish() at the end of the log.  The
 * summary owns its strings and lists; free it with mls_run_release().
 *
 * Unknown numbers are NAN, and unknown strings NULL. */
#pragma once

#include "config/config.h"
#include "mlscore/run.h"
#include "rules/rules.h"
#include "run/parts.h"

/** Limits of what is kept of a run.  Further values are ignored; with more seeds, their check fails. */
#define MLS_HYPERPARAMETERS_KEPT 512
#define MLS_HYPERPARAMETER_LENGTH 200 /**< bytes: a longer value is truncated, a longer key is left out */
#define MLS_IMAGE_EVALUATIONS_MAX 100000
#define MLS_SEEDS_MAX 65536

/** The metadata.status of run_stop: none (or no run_stop), "success", "aborted" or anything else. */
typedef enum mls_run_status {
    MLS_RUN_NO_STATUS,
    MLS_RUN_SUCCESS,
    MLS_RUN_ABORTED,
    MLS_RUN_OTHER_STATUS
} mls_run_status;
const char *mls_run_status_name(mls_run_status status);

/** Progress of training at an evaluation, from its metadata; NAN: not logged. */
typedef struct mls_training_progress {
    double samples_count, epoch_num, step_num;
} mls_training_progress;

typedef struct mls_evaluation {
    double time_ms; /**< milliseconds since 1970 */
    size_t line;
    double value; /**< accuracy or loss; NAN: not a number */
    mls_training_progress at;
    bool is_clip; /**< CLIP, otherwise FID: for stable_diffusion, both must meet their targets at the same point */
} mls_evaluation;

/** The precision of the linear layers that a run printed in the settings fp4 and fp8, unless these are none or false.
 */
typedef enum mls_printed_precision { MLS_PRINTED_NO_PRECISION, MLS_PRINTED_FP8, MLS_PRINTED_FP4 } mls_printed_precision;

/** Facts that a run printed about how it computes (see settings.h); 0: not printed. */
typedef struct mls_printed_facts {
    mls_printed_precision precision;
    uint32_t healing; /**< number of steps before switching to higher precision */
    uint32_t degrees[MLS_DEGREES];
} mls_printed_facts;

/** A hyperparameter: a key with a number, a string or a boolean that the run logged before it started.  The first value
 * counts.  global_batch_size is the last one logged anywhere, and is added to the end of the list by mls_run_finish().
 * Keys that describe the course of a run, its submitter, or its seeds are excluded. */
typedef struct mls_hyperparameter {
    mls_str key;
    const char *value; /**< JSON text, as logged; a long string is truncated and ends in "…" */
    size_t line;       /**< 0 for global_batch_size */
} mls_hyperparameter;

typedef struct mls_seed {
    size_t line;
    mls_str identity;     /**< file, line and integer value: equal for equal seeds; empty without a file and line */
    mls_str value;        /**< as logged, for messages */
    mls_str file, lineno; /**< metadata.file and metadata.lineno, for messages */
    bool is_integer;
} mls_seed;

/** The job of a run, as Slurm and run.sub describe it. */
typedef struct mls_job {
    char *container;    /**< image the job ran in */
    char *job;          /**< Slurm's job: "117", or "117_3" for an array task */
    char *named, *step; /**< the same, from the file name slurm-117_3.out, and from a line of slurmstepd */
    char *other;        /**< a different one, from a duplicate of the run */
    char *node_list;    /**< in Slurm's notation: "node[01-18]" */
    double node_count;  /**< NAN: unknown */
    char *cluster;
    char *config; /**< DGXSYSTEM: "GB200_18x4x1xtp1pp1cp8" */
    char *system; /**< content of :::SYSJSON as logged, perhaps not JSON; see mls_description_read() */
} mls_job;

/** A step of a run: init_start, init_stop, run_start or run_stop. */
typedef struct mls_step {
    double time_ms; /**< time of the first record with the key of the step; NAN: not logged */
    size_t line;
} mls_step;

typedef struct mls_run {
    char *file;       /**< the file it was read from */
    size_t root;      /**< mls_source.root */
    bool result;      /**< the file is a result_*.txt: one run, whatever it contains */
    bool part;        /**< the file contains other runs, too */
    char *digest;     /**< checksum of the file (base/digest.h), if requested; otherwise NULL */
    bool unread;      /**< the file could not be read, so nothing else is known */
    size_t line;      /**< first line in the file, from 1 */
    size_t last_line; /**< line of its last record */
    size_t records, malformed;
    size_t quoted;   /**< malformed lines whose marker does not belong to a record */
    const char *why; /**< why the first malformed line that is not quoted is malformed; NULL: no such line */
    double first_ms; /**< earliest time of a record, to recognize the run in another log */
    double date_ms;  /**< time of the first record, to guess the edition */
    mls_step init_start, init_stop, run_start, run_stop;
    mls_run_status status;    /**< of the first run_stop, which ends the run */
    char *benchmark;          /**< submission_benchmark */
    char *division;           /**< submission_division, as logged */
    char *organisation;       /**< submission_org */
    char *platform;           /**< submission_platform */
    char *submission_status;  /**< submission_status */
    char *config_filename;    /**< config_filename, without folders, "config_" and ".sh" */
    double global_batch_size; /**< the last one logged; NAN: not logged, or not a number */
    double train_samples;     /**< likewise */
    size_t evaluations;       /**< number of eval_accuracy and eval_error records before run_stop */
    mls_evaluation first_evaluation, last_evaluation;
    double throughput; /**< sum of the finite samples per second in tracked_stats and throughput records */
    size_t throughputs;
    mls_hyperparameter *hyperparameters;
    size_t hyperparameter_count, hyperparameter_capacity; /**< capacity 0: they belong to mls_setups, as do seeds */
    bool too_many_hyperparameters; /**< only the first MLS_HYPERPARAMETERS_KEPT are kept, and the last batch size */
    size_t long_key_line;          /**< of the first hyperparameter with a key too long to keep; 0: none */
    mls_spans spans;               /**< while it is being read */
    mls_parts parts;               /**< of the time to train … */
    bool has_parts;                /**< … if it is known, and blocks or epochs delimit training */
    mls_seed *seeds;
    size_t seed_count, seed_capacity;
    bool too_many_seeds;
    mls_training_progress progress; /**< of the last evaluation, in the order of the file */
    mls_training_progress at_stop;  /**< of the last evaluation before the last run_stop, used for convergence */
    bool converged;                 /**< the status of the last run_stop is success */
    mls_evaluation *images;         /**< FID and CLIP, for convergence */
    size_t image_count, image_capacity;
    bool too_many_images; /**< only the first MLS_IMAGE_EVALUATIONS_MAX are kept */
    mls_job job;
    struct mls_arena *arena;     /**< texts of hyperparameters and seeds; NULL: none */
    struct mls_printed *printed; /**< settings.h: what the job printed before the run, shared by runs; NULL: nothing, or
                                    not requested */
    mls_printed_facts facts;     /**< from the printed settings, if requested */
    size_t unlogged_lines; /**< lines before run_start in the file that are not records of this run; 0: no run_start */

    mls_usage usage;       /**< of the rules, like the next two */
    const char *edition;   /**< "5.1.0"; lives as long as the rules; NULL: not judged by rules */
    bool edition_guessed;  /**< guessed from the log … */
    bool edition_by_date;  /**< … including its date */
    size_t benchmark_line; /**< of the first submission_benchmark; 0: none, or not judged by rules */
    mls_findings findings;
    bool valid;  /**< obeys the rules, and so counts in a score */
    bool brief;  /**< only steps, benchmark and division are kept */
    bool judged; /**< a checker judges the log and reports malformed lines */
} mls_run;

/** The training to converge, in samples or another unit: the progress at the last evaluation before run_stop; NAN if
 * there is none. */
typedef struct mls_convergence {
    double number;
    const char *unit;
} mls_convergence;
mls_convergence mls_run_to_converge(const mls_run *run);

/** Return the unit of epoch_num in the logs of a benchmark (NULL: unknown): "epochs", except samples for bert and
 * openfold, and tokens for gpt3. */
const char *mls_epoch_unit(const char *benchmark);

/** The number for a run that did not converge. */
#define MLS_RCP_NOT_CONVERGED 1e9

/** Return a run's number for the check against reference points.  If the status of its last run_stop is not success, it
 * is MLS_RCP_NOT_CONVERGED.  Otherwise it is the progress, in the unit of the benchmark, at the last evaluation before
 * it, or where FID and CLIP first meet their targets, or (if `train_samples` and the benchmark allow it) the value of
 * train_samples.  NAN: not logged. */
double mls_run_converge_number(const mls_run *run, const mls_benchmark *benchmark, const mls_edition *edition,
                               bool train_samples);

/** Check whether the log contains an init_start or a run_start. */
bool mls_run_exists(const mls_run *run);

/** The times that identify a run in different logs: earliest record, run_start and run_stop. */
typedef struct mls_run_times {
    double first_ms, start_ms, stop_ms;
} mls_run_times;
mls_run_times mls_run_times_of(const mls_run *run);

/** Compare two runs by the times that identify them.  Return <0, 0 or >0; 0 means that both are the same run. */
int mls_run_times_compare(const mls_run_times *a, const mls_run_times *b);
int mls_run_compare(const mls_run *a, const mls_run *b);

/** Initialise an empty job. */
void mls_job_init(mls_job *job);

/** Store the content of a marker line.  If there are several lines of a kind, the last one counts. */
void mls_job_marker(mls_job *job, const mls_marker *marker);

/** Copy the number of nodes and the texts that are unknown in `job` but known in `from`.  If the job numbers of both
 * differ, set job->other to the one of `from`, unless it is already set. */
void mls_job_inherit(mls_job *job, const mls_job *from);

void mls_job_release(mls_job *job);

/** Initialise an empty run. */
void mls_run_init(mls_run *run);

/** Add a record, or a malformed line, to a run.  Everything that the run stores is copied. */
void mls_run_record(mls_run *run, const mls_record *record);
void mls_run_malformed(mls_run *run, const mls_malformed *malformed);

/** Return the samples per second in a record of tracked_stats or throughput; NAN if there are none.  The value is a
 * number, or an object with a member for it. */
double mls_record_throughput(const mls_record *record);

/** Finish a run at the end of its log.  Return MLS_OK or the error of mls_checker_end().
 *
 * If `checker`, which must have got the same records, is not NULL, the run gets its findings, and is valid if the log
 * is.  With `steps`, problems of the sequence init_start → init_stop → run_start → evaluations → run_stop are added as
 * advice, and a run without a time is not valid.  If `checker` is NULL, a step that is missing or out of order, a
 * status other than success, and a malformed line are errors. */
mls_status mls_run_finish(mls_run *run, mls_checker *checker, bool steps) MLS_MUST_USE;

void mls_run_release(mls_run *run);

/* The hyperparameters and seeds of many runs, with duplicates stored once.  NULL is empty. */
typedef struct mls_setups mls_setups;

/* Move the hyperparameters and seeds of a finished run into *setups, which must outlive the run, and shrink its other
 * lists.  Without `seeds`, drop its seeds. */
void mls_setups_keep(mls_setups **setups, mls_run *run, bool seeds);
void mls_setups_free(mls_setups *setups);
