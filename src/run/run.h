/* SPDX-License-Identifier: Apache-2.0 */
/* run.h - the summary of one training run, built from the records of its log.  Its size is limited.
 *
 * Call mls_run_init(), mls_run_record() for each record, and mls_run_finish() at the end of the log.  The summary owns
 * its texts and lists; free it with mls_run_release().
 *
 * Unknown numbers are NAN, and unknown texts NULL. */
#pragma once

#include "config/config.h"
#include "mlscore/run.h"
#include "rules/rules.h"
#include "run/parts.h"

/** The maximum number of hyperparameters, FID and CLIP evaluations, and seeds of a run.  Further ones are ignored; a
 * run with more seeds fails the check of seeds. */
#define MLS_HYPERPARAMETERS_KEPT 512
/** In bytes: a longer value is truncated, and a hyperparameter with a longer key is omitted. */
#define MLS_HYPERPARAMETER_LENGTH 200
#define MLS_IMAGE_EVALUATIONS_MAX 100000
#define MLS_SEEDS_MAX 65536

/** The status in the metadata of run_stop: no status (or no run_stop), "success", "aborted", or any other text. */
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
    double value; /**< the result, such as an accuracy or a loss; NAN: not a number */
    mls_training_progress at;
    /** For stable_diffusion: the value is a CLIP score, otherwise an FID; both must meet their targets at the same
     * progress. */
    bool is_clip;
} mls_evaluation;

/** The precision of the linear layers that a run printed: in the settings fp4 and fp8, unless their value is none or
 * false; otherwise, from BF16 on, in the setting precision. */
typedef enum mls_printed_precision {
    MLS_PRINTED_NO_PRECISION,
    MLS_PRINTED_FP8,
    MLS_PRINTED_FP4,
    MLS_PRINTED_BF16,
    MLS_PRINTED_FP16,
    MLS_PRINTED_TF32,
    MLS_PRINTED_FP32
} mls_printed_precision;

/** Return "fp8", "bf16" …; NULL for NO_PRECISION. */
const char *mls_printed_precision_name(mls_printed_precision precision);

/** Facts about a run from the settings that the job printed (see settings.h); 0: not printed. */
typedef struct mls_printed_facts {
    mls_printed_precision precision;
    const char *words; /**< the setting with the precision, "fp8: e4m3", in the memory of the run; NULL: none */
    uint32_t healing;  /**< number of steps after which the run switches to higher precision (healing) */
    uint32_t degrees[MLS_DEGREES];
} mls_printed_facts;

/** A hyperparameter: a key and a number, a string or a boolean, logged before run_start.  If a key is logged several
 * times, the first value is used.  Keys that describe the course of a run, its submitter or its seeds are not
 * hyperparameters.  mls_run_finish() appends global_batch_size, with the last value in the log. */
typedef struct mls_hyperparameter {
    mls_str key;
    const char *value; /**< JSON text, as logged; a long string is truncated and ends in "…" */
    size_t line;       /**< 0 for global_batch_size */
    size_t other; /**< 1: the log has the other spelling of the key, see mls_key_also_spelt(); 0: it has this one */
} mls_hyperparameter;

typedef struct mls_seed {
    size_t line;
    /** A text of file, line and integer value, which is equal for equal seeds; empty if file or line was not logged. */
    mls_str identity;
    mls_str value;        /**< the logged value, for messages */
    mls_str file, lineno; /**< metadata.file and metadata.lineno, for messages */
    bool is_integer;
} mls_seed;

/** The job of a run, as Slurm and run.sub describe it. */
typedef struct mls_job {
    char *container; /**< name of the container image in which the job ran */
    char *job;       /**< number of the Slurm job: "117", or "117_3" for an array task */
    /** The number of the Slurm job from the file name slurm-117_3.out, and from a message of slurmstepd. */
    char *named, *step;
    char *other;       /**< a different job number, from a duplicate of the run in another log */
    char *node_list;   /**< the nodes in Slurm's notation: "node[01-18]" */
    double node_count; /**< NAN: unknown */
    char *cluster;
    char *config; /**< name of the config, the value of DGXSYSTEM: "GB200_18x4x1xtp1pp1cp8" */
    char *system; /**< text after :::SYSJSON, which may be invalid JSON; see mls_description_read() */
} mls_job;

/** A step of a run: init_start, init_stop, run_start or run_stop. */
typedef struct mls_step {
    double time_ms; /**< time of the first record with the key of the step; NAN: not logged */
    size_t line;
} mls_step;

typedef struct mls_run {
    char *file;       /**< the file from which the run was read */
    size_t root;      /**< mls_source.root */
    bool result;      /**< the file is a result_*.txt, which always counts as one run */
    bool part;        /**< the file contains other runs, too */
    char *digest;     /**< checksum of the file (see base/digest.h); NULL: not requested */
    bool unread;      /**< the file could not be read, so nothing else is known */
    size_t line;      /**< number of the run's first line in the file, from 1 */
    size_t last_line; /**< line number of the run's last record */
    size_t records, malformed;
    size_t quoted;   /**< number of malformed lines whose ":::MLLOG " is quoted in a sentence or a command */
    const char *why; /**< why the first malformed line that is not quoted is malformed; NULL: no such line */
    double first_ms; /**< earliest time of a record, with which the run is recognized in another log */
    double date_ms;  /**< time of the first record, from which the edition is guessed */
    mls_step init_start, init_stop, run_start, run_stop;
    mls_run_status status;    /**< status of the first run_stop, which ends the run */
    char *benchmark;          /**< value of submission_benchmark */
    char *division;           /**< value of submission_division */
    char *organisation;       /**< value of submission_org */
    char *platform;           /**< value of submission_platform */
    char *submission_status;  /**< value of submission_status */
    char *config_filename;    /**< value of config_filename, without folders, "config_" and ".sh" */
    double global_batch_size; /**< last value of global_batch_size; NAN: not logged, or not a number */
    double train_samples;     /**< last value of train_samples; NAN: not logged, or not a number */
    size_t evaluations;       /**< number of eval_accuracy and eval_error records before run_stop */
    mls_evaluation first_evaluation, last_evaluation;
    double throughput; /**< sum of the finite samples per second in tracked_stats and throughput records */
    size_t throughputs;
    double reward; /**< last finite reward in tracked_stats, of reinforcement learning; NAN: not logged */
    mls_hyperparameter *hyperparameters;
    /** If the capacity is 0, hyperparameters and seeds belong to an mls_setups. */
    size_t hyperparameter_count, hyperparameter_capacity;
    /** The run has more than MLS_HYPERPARAMETERS_KEPT, of which the first are kept, and the global batch size. */
    bool too_many_hyperparameters;
    /** Line number of the first hyperparameter that was omitted because its key is too long; 0: none. */
    size_t long_key_line;
    mls_spans spans; /**< used until mls_run_finish() */
    mls_parts parts; /**< the parts of the time to train */
    /** `parts` is known: the run has run_start and run_stop, and logs the start of blocks or epochs. */
    bool has_parts;
    mls_seed *seeds;
    size_t seed_count, seed_capacity;
    bool too_many_seeds;
    mls_training_progress progress; /**< progress at the last evaluation, in the order of the file */
    /** Progress at the last evaluation before the last run_stop, which is used for convergence. */
    mls_training_progress at_stop;
    bool converged;         /**< the status of the last run_stop is success */
    mls_evaluation *images; /**< FID and CLIP evaluations, which are used for convergence */
    size_t image_count, image_capacity;
    bool too_many_images; /**< the run has more than MLS_IMAGE_EVALUATIONS_MAX, of which the first are kept */
    mls_job job;
    struct mls_arena *arena; /**< memory for the texts of hyperparameters and seeds; NULL: there are none */
    /** The settings that the job printed before the run (see settings.h), shared by several runs; NULL: the job did not
     * print any, or they were not requested. */
    struct mls_printed *printed;
    mls_printed_facts facts; /**< facts from the printed settings, if they were requested */
    /** Number of lines in the file before run_start that are not records of this run; 0: no run_start. */
    size_t unlogged_lines;

    mls_usage usage;      /**< usage of the rules that the run was checked against */
    const char *edition;  /**< edition of these rules, such as "5.1.0"; NULL: not checked against rules */
    bool edition_guessed; /**< the edition was guessed from the log */
    bool edition_by_date; /**< the edition was guessed from the date of the log */
    /** Line number of the first submission_benchmark; 0: not logged, or not checked against rules. */
    size_t benchmark_line;
    mls_findings findings;
    bool valid;  /**< the run complies with the rules, so it can count in a score */
    bool brief;  /**< only steps, benchmark and division are stored; set it before the first record */
    bool judged; /**< a checker checks the log and reports malformed lines */
} mls_run;

/** The amount of training that a run needed to converge, in samples or another unit: the progress at the last
 * evaluation before run_stop; NAN: unknown. */
typedef struct mls_convergence {
    double number;
    const char *unit;
} mls_convergence;
mls_convergence mls_run_to_converge(const mls_run *run);

/** Return the unit of epoch_num in the logs of a benchmark: "samples" for bert and openfold, "tokens" for gpt3,
 * "epochs" for all others and if `benchmark` is NULL. */
const char *mls_epoch_unit(const char *benchmark);

/** The result of mls_run_converge_number() for a run that did not converge. */
#define MLS_RCP_NOT_CONVERGED 1e9

/** Return the amount of training to converge that is compared with reference points, in the unit of the benchmark:
 * MLS_RCP_NOT_CONVERGED if the status of the last run_stop is not success; otherwise the value of train_samples if
 * `train_samples` is set and the benchmark allows it; for benchmarks that evaluate images, the progress at which FID
 * and CLIP first both meet their targets; for all others, the progress at the last evaluation before the last run_stop.
 * Return NAN if this was not logged. */
double mls_run_converge_number(const mls_run *run, const mls_benchmark *benchmark, const mls_edition *edition,
                               bool train_samples);

/** Check whether the log contains a run, that is, an init_start or a run_start. */
bool mls_run_exists(const mls_run *run);

/** The times that identify a run in different logs: earliest record, run_start and run_stop. */
typedef struct mls_run_times {
    double first_ms, start_ms, stop_ms;
} mls_run_times;
mls_run_times mls_run_times_of(const mls_run *run);

/** Compare two runs by the times that identify them.  Return <0, 0 or >0; 0 means that both are the same run. */
int mls_run_times_compare(const mls_run_times *a, const mls_run_times *b);
int mls_run_compare(const mls_run *a, const mls_run *b);

/** Initialize an empty job. */
void mls_job_init(mls_job *job);

/** Store the facts in a marker line.  If there are several lines of a kind, the last one is used. */
void mls_job_marker(mls_job *job, const mls_marker *marker);

/** Copy the number of nodes and the texts that are unknown in `job` but known in `from`.  If the job numbers of both
 * differ and job->other is NULL, set job->other to the job number of `from`. */
void mls_job_inherit(mls_job *job, const mls_job *from);

void mls_job_release(mls_job *job);

/** Initialize an empty run. */
void mls_run_init(mls_run *run);

/** Add a record or a malformed line to a run.  All data that the run stores are copied. */
void mls_run_record(mls_run *run, const mls_record *record);
void mls_run_malformed(mls_run *run, const mls_malformed *malformed);

/** Return the samples per second in a record of tracked_stats or throughput, whose value is a number or an object with
 * a member "throughput"; NAN if the record does not contain them. */
double mls_record_throughput(const mls_record *record);

/** Finish a run at the end of its log.  Return MLS_OK or the error of mls_checker_end().
 *
 * If `checker` is not NULL, it must have received the same records.  The run gets the findings of the checker, and is
 * valid if the checker's verdict is.  With `steps`, problems in the sequence init_start, init_stop, run_start,
 * evaluations, run_stop are added as advice, and a run whose time cannot be computed is not valid.  If `checker` is
 * NULL, such problems, a status other than success, and malformed lines are errors. */
mls_status mls_run_finish(mls_run *run, mls_checker *checker, bool steps) MLS_MUST_USE;

void mls_run_release(mls_run *run);

/* A store for the hyperparameters and seeds of many runs, in which equal texts and lists are stored once.  NULL is an
 * empty store. */
typedef struct mls_setups mls_setups;

/* Move the hyperparameters and seeds of a finished run into *setups, which must live as long as the run, and shrink the
 * other lists of the run.  If `seeds` is false, free its seeds instead. */
void mls_setups_keep(mls_setups **setups, mls_run *run, bool seeds);
void mls_setups_free(mls_setups *setups);
