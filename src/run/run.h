/* SPDX-License-Identifier: Apache-2.0 */
/* run.h - one training run, as its log has it: a plain summary, of bounded size, that owns its strings and lists.
 * Absent numbers are NAN, absent strings NULL. */
#pragma once

#include "config/config.h"
#include "mlscore/run.h"
#include "rules/rules.h"
#include "run/parts.h"

/** Limits of what is kept of one run: further values are not looked at, and the check of more seeds fails. */
#define MLS_HYPERPARAMETERS_KEPT 512
#define MLS_HYPERPARAMETER_LENGTH 200 /**< bytes: a longer value is cut, a longer key is left out */
#define MLS_IMAGE_EVALUATIONS_MAX 100000
#define MLS_SEEDS_MAX 65536

/** The metadata.status of run_stop: none (or there is no run_stop), "success", "aborted" or "other". */
typedef enum mls_run_status {
    MLS_RUN_NO_STATUS,
    MLS_RUN_SUCCESS,
    MLS_RUN_ABORTED,
    MLS_RUN_OTHER_STATUS
} mls_run_status;
const char *mls_run_status_name(mls_run_status status);

/** How far training had come when an evaluation was made, as its metadata say; NAN: they do not. */
typedef struct mls_training_progress {
    double samples_count, epoch_num, step_num;
} mls_training_progress;

typedef struct mls_evaluation {
    double time_ms; /**< milliseconds since 1970 */
    size_t line;
    double value; /**< an accuracy or a loss; NAN: not a number */
    mls_training_progress at;
    bool is_clip; /**< of stable_diffusion, which must meet the targets of FID and of CLIP at one point: else FID */
} mls_evaluation;

/** In what the linear layers multiply, as far as a run printed it: by fp4 and fp8, where these are neither none nor
 * false. */
typedef enum mls_printed_precision { MLS_PRINTED_NO_PRECISION, MLS_PRINTED_FP8, MLS_PRINTED_FP4 } mls_printed_precision;

/** What a run printed of how it computes (see settings.h); a number that is 0 was not printed. */
typedef struct mls_printed_facts {
    mls_printed_precision precision;
    uint32_t healing; /**< so many steps go before those in more bits */
    uint32_t degrees[MLS_DEGREES];
} mls_printed_facts;

/** How the run was set up: a key with a number, a string or a boolean that it logged before it started (its first one),
 * and global_batch_size (its last anywhere, at the end of the list, once the run has been read).  Left out is what says
 * how a run goes, whose it is, and its seeds. */
typedef struct mls_hyperparameter {
    mls_str key;
    const char *value; /**< JSON text as it was logged; long strings are cut and end in "…" */
    size_t line;       /**< 0: of global_batch_size */
} mls_hyperparameter;

typedef struct mls_seed {
    size_t line;
    mls_str identity;     /**< file, line and whole number: equal when the three are; empty without a place */
    mls_str value;        /**< as logged, for people */
    mls_str file, lineno; /**< metadata.file and metadata.lineno, for people */
    bool is_integer;
} mls_seed;

/** The job around a run, as Slurm and run.sub describe it. */
typedef struct mls_job {
    char *container;    /**< image the job ran in */
    char *job;          /**< Slurm's job: "117", "117_3" of an array */
    char *named, *step; /**< the same by slurm-117_3.out, its file's name, and by slurmstepd's line */
    char *other;        /**< another one that a repetition of the run says */
    char *node_list;    /**< as Slurm writes it: "node[01-18]" */
    double node_count;  /**< NAN: not known */
    char *cluster;
    char *config; /**< DGXSYSTEM: "GB200_18x4x1xtp1pp1cp8" */
    char *system; /**< what :::SYSJSON says, as logged: JSON, or not; see mls_description_read() */
} mls_job;

/** A step of the sequence every run goes through. */
typedef struct mls_step {
    double time_ms; /**< of the first record with that key; NAN: none came */
    size_t line;
} mls_step;

typedef struct mls_run {
    char *file;       /**< the file it was read from */
    size_t root;      /**< as its source has it: no link leads out of the folder in these bytes of the path */
    bool result;      /**< which is a result_*.txt: one run, whatever is in it */
    bool part;        /**< its file holds others, too */
    char *digest;     /**< base/digest.h: of the file as it was read, where that was asked for; else NULL */
    bool unread;      /**< it could not be read, so that nothing else can be said of the run */
    size_t line;      /**< its first line there, from 1 */
    size_t last_line; /**< its last record's */
    size_t records, malformed;
    size_t quoted;   /**< of the malformed lines, those whose marker is not of a record */
    const char *why; /**< the first of the others is malformed; NULL: there is none */
    double first_ms; /**< the earliest time of its records, by which it is known in another log */
    double date_ms;  /**< the time of its first record, by which its edition is guessed */
    mls_step init_start, init_stop, run_start, run_stop;
    mls_run_status status;    /**< of the first run_stop, which ends the run */
    char *benchmark;          /**< submission_benchmark */
    char *division;           /**< submission_division, as logged */
    char *organisation;       /**< submission_org */
    char *platform;           /**< submission_platform */
    char *submission_status;  /**< submission_status */
    char *config_filename;    /**< config_filename, without folders, "config_" and ".sh" */
    double global_batch_size; /**< the last one logged; NAN: none, or no number */
    double train_samples;     /**< likewise */
    size_t evaluations; /**< eval_accuracy and eval_error records made before run_stop; the next two if there are any */
    mls_evaluation first_evaluation, last_evaluation;
    double throughput; /**< sum of the samples per second of tracked_stats and throughput records that are finite */
    size_t throughputs;
    mls_hyperparameter *hyperparameters;
    size_t hyperparameter_count, hyperparameter_capacity; /**< capacity 0: they belong to a collection, as seeds do */
    bool too_many_hyperparameters; /**< the first MLS_HYPERPARAMETERS_KEPT are there, and the last batch size */
    size_t long_key_line;          /**< of the first hyperparameter that was left out for its key; 0: there is none */
    mls_spans spans;               /**< until it has been read */
    mls_parts parts;               /**< of the time-to-train … */
    bool has_parts;                /**< … if it has one, and blocks or epochs delimit its training */
    mls_seed *seeds;
    size_t seed_count, seed_capacity;
    bool too_many_seeds;
    mls_training_progress progress; /**< of the evaluations, in file order */
    mls_training_progress at_stop;  /**< of those before the last run_stop, which convergence goes by */
    bool converged;                 /**< the last run_stop says success */
    mls_evaluation *images;         /**< FID and CLIP, for convergence */
    size_t image_count, image_capacity;
    bool too_many_images; /**< the first MLS_IMAGE_EVALUATIONS_MAX are there */
    mls_job job;
    struct mls_arena *arena;     /**< texts of hyperparameters and seeds; NULL: there are none */
    struct mls_printed *printed; /**< settings.h: what the job printed before it, shared by runs; NULL: nothing, or
                                    nobody asked */
    mls_printed_facts facts;     /**< of that, where these were asked for */
    size_t unlogged_lines; /**< before run_start in its file, of no record of this run; 0: there is no run_start */

    mls_usage usage;       /**< of the rules it was judged by, like the next two */
    const char *edition;   /**< "5.1.0", lives as long as the rules; NULL: it was not judged by rules */
    bool edition_guessed;  /**< from what the log says … */
    bool edition_by_date;  /**< … its date among it */
    size_t benchmark_line; /**< of the first submission_benchmark; 0: none came, or it was not judged by rules */
    mls_findings findings;
    bool valid;  /**< obeys the rules, so it counts in a score */
    bool brief;  /**< wanted for its verdict: only its steps, benchmark and division are kept */
    bool judged; /**< a checker judges the log: malformed and torn lines are its findings */
} mls_run;

/** Samples (or epochs, as the unit says) of the last evaluation before run_stop; NAN when there is none. */
typedef struct mls_convergence {
    double number;
    const char *unit;
} mls_convergence;
mls_convergence mls_run_to_converge(const mls_run *run);

/** What epoch_num counts in the logs of a benchmark (NULL: not known): "epochs", but samples for bert and openfold, and
 * tokens for gpt3. */
const char *mls_epoch_unit(const char *benchmark);

/** How a run that did not converge counts. */
#define MLS_RCP_NOT_CONVERGED 1e9

/** The run's number for the check against reference points: MLS_RCP_NOT_CONVERGED when the last run_stop does not say
 * success; else, in the benchmark's unit, how far training was at the last evaluation before it, or where FID and CLIP
 * first meet their targets, or (if benchmark and `train_samples` allow) what train_samples says.  NAN: not logged. */
mls_status mls_run_converge_number(const mls_run *run, const mls_benchmark *benchmark, const mls_edition *edition,
                                   bool train_samples, double *number);

/** Whether there was a run at all: an init_start or a run_start came. */
bool mls_run_exists(const mls_run *run);

/** The times by which the same run in two logs is known: earliest record, run_start and run_stop. */
typedef struct mls_run_times {
    double first_ms, start_ms, stop_ms;
} mls_run_times;
mls_run_times mls_run_times_of(const mls_run *run);

/** <0, 0 or >0 by these; 0: both describe the same run. */
int mls_run_times_compare(const mls_run_times *a, const mls_run_times *b);
int mls_run_compare(const mls_run *a, const mls_run *b);

/** Make a job empty; take what a marker line says, the last of which counts; take what only `from` knows. */
void mls_job_init(mls_job *job);
void mls_job_marker(mls_job *job, const mls_marker *marker);
void mls_job_inherit(mls_job *job, const mls_job *from);
void mls_job_release(mls_job *job);

/** Make a run empty; take what its log holds.  Nothing that is pointed to is kept. */
void mls_run_init(mls_run *run);
void mls_run_record(mls_run *run, const mls_record *record);
void mls_run_malformed(mls_run *run, const mls_malformed *malformed);

/** The samples a second that a record of tracked_stats or throughput tells; NAN: none.  The former carries an object
 * that may have them; so does the value of some of the latter, others log the bare number. */
double mls_record_throughput(const mls_record *record);

/** The log has ended.  With a checker, which has been fed the same records, the run takes over its findings and is
 * valid when the log is; with `steps` what is wrong with the sequence init_start → init_stop → run_start → evaluations
 * → run_stop is advice, and a run without a time is not valid.  Without one (NULL) each step missing or out of order, a
 * status other than success and a malformed line are errors.  MLS_OK, or what mls_checker_end() says. */
mls_status mls_run_finish(mls_run *run, mls_checker *checker, bool steps) MLS_MUST_USE;

void mls_run_release(mls_run *run);

/* The setups of many runs, kept once; NULL: of no run yet. */
typedef struct mls_setups mls_setups;

/* Move the hyperparameters and (`seeds`: else they are dropped) seeds of a run that has been read there, which must
 * outlive it, and give back the room that its other lists do not need. */
void mls_setups_keep(mls_setups **setups, mls_run *run, bool seeds);
void mls_setups_free(mls_setups *setups);
