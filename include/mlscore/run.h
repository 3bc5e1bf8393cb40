/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run.h - one training run, as its log tells it.
 *
 * A run is what happens between init_start and run_stop.  mls_run is a plain
 * summary that owns its strings and lists; absent numbers are NAN, absent
 * strings NULL.  A builder makes it from records in file order and keeps a
 * bounded amount of memory whatever the log's length: of throughput samples
 * and evaluations beyond MLS_SERIES_KEPT every second one is forgotten, again
 * and again, while counts, extremes, sums and the last one stay exact.
 */
#ifndef MLSCORE_RUN_H
#define MLSCORE_RUN_H

#include "mlscore/base.h"
#include "mlscore/log.h"
#include "mlscore/rules.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Samples kept of a series; a power of two. */
#define MLS_SERIES_KEPT 1024

/** Different hyperparameters and submission_* values kept of one run. */
#define MLS_HYPERPARAMETERS_KEPT 512

/** How run_stop's metadata.status names the end of a run. */
typedef enum mls_run_status {
    MLS_RUN_NO_STATUS, /**< no run_stop, or one without a status */
    MLS_RUN_SUCCESS,   /**< the target quality was reached */
    MLS_RUN_ABORTED,
    MLS_RUN_OTHER_STATUS
} mls_run_status;

/** "success", "aborted", "other", or NULL for no status. */
const char *mls_run_status_name(mls_run_status status);

/** One measurement in the course of a run. */
typedef struct mls_sample {
    double time_ms; /**< milliseconds since 1970 */
    double value;   /**< an accuracy, a loss, samples per second; NAN: not a number */
    double samples; /**< metadata.samples_count; NAN: none */
    double epochs;  /**< metadata.epoch_num; NAN: none */
    size_t line;
} mls_sample;

/** Measurements in file order. */
typedef struct mls_series {
    mls_sample *items; /**< up to MLS_SERIES_KEPT, evenly thinned out */
    size_t count;      /**< of items */
    size_t capacity;
    size_t seen;     /**< how many there were */
    size_t stride;   /**< every stride-th one is in items */
    double sum;      /**< of all finite values; the mean is sum / finite */
    size_t finite;   /**< how many values were finite numbers */
    double min, max; /**< of all finite values; NAN: none */
    mls_sample last; /**< the last one seen; meaningful if seen > 0 */
} mls_series;

/** A value that the run logged once before it started: a batch size, a learning rate … */
typedef struct mls_hyperparameter {
    char *key;
    char *value; /**< JSON text as it was logged; long values are cut and end in "…" */
    size_t line;
} mls_hyperparameter;

/** What Slurm and run.sub say about the job around a run. */
typedef struct mls_job {
    char *container;   /**< image the job ran in */
    char *job;         /**< Slurm's job number */
    char *node_list;   /**< as Slurm writes it: "node[01-18]" */
    double node_count; /**< NAN: not told */
    char *cluster;
    char *config; /**< DGXSYSTEM: "GB200_18x4x1xtp1pp1cp8" */
    double trial; /**< i and n of "Beginning trial i of n"; NAN: not told */
    double trials;
} mls_job;

/** A step of the sequence every run goes through. */
typedef struct mls_step {
    double time_ms; /**< of the first record with that key; NAN: none came */
    size_t line;
} mls_step;

struct mls_seed_log;
struct mls_converge;

/** One run. */
typedef struct mls_run {
    char *file;       /**< the file it was read from */
    size_t line;      /**< its first line there, from 1 */
    size_t last_line; /**< its last record's */
    size_t records;
    size_t malformed;
    size_t torn;
    double first_ms; /**< the earliest time of its records */
    double last_ms;  /**< the latest */
    mls_step init_start, init_stop, run_start, run_stop;
    mls_run_status status;
    char *benchmark;          /**< submission_benchmark */
    char *division;           /**< submission_division, as logged */
    char *organisation;       /**< submission_org */
    char *platform;           /**< submission_platform */
    char *config_filename;    /**< config_filename, without folders, "config_" and ".sh" */
    double global_batch_size; /**< the last one logged; NAN: none */
    mls_series evaluations;   /**< eval_accuracy and eval_error, up to run_stop */
    mls_series throughput;    /**< samples per second: tracked_stats and throughput records */
    mls_hyperparameter *hyperparameters;
    size_t hyperparameter_count, hyperparameter_capacity;
    struct mls_seed_log *seeds;    /**< its seed records; NULL: it has no record at all */
    struct mls_converge *converge; /**< how far training went; NULL: it has no record at all */
    mls_job job;
    mls_findings findings;
    bool valid;         /**< obeys the rules, so it counts in a score */
    bool judged;        /**< a checker judges the log: malformed and torn lines are its findings */
    bool out_of_memory; /**< something of the above is missing */
} mls_run;

/** Time-to-train in minutes: first run_stop minus first run_start; NAN when either is missing. */
double mls_run_minutes(const mls_run *run);

/** Minutes from init_start to init_stop; NAN when either is missing. */
double mls_run_init_minutes(const mls_run *run);

/**
 * Samples (or epochs) to converge: metadata.samples_count, else epoch_num, of
 * the last evaluation before run_stop; NAN when there is none.  *unit becomes
 * "samples" or "epochs".
 */
double mls_run_to_converge(const mls_run *run, const char **unit);

/** The value of the last evaluation before run_stop; NAN when there is none. */
double mls_run_final_evaluation(const mls_run *run);

/** The name of the config it ran with: DGXSYSTEM of the job, else config_filename; NULL when nothing tells. */
const char *mls_run_config(const mls_run *run);

/** The logged text of a hyperparameter, or NULL. */
const char *mls_run_hyperparameter(const mls_run *run, mls_str key);

/** Whether there was a run at all: an init_start or a run_start came. */
bool mls_run_exists(const mls_run *run);

/** Whether both describe the same run: earliest time, run_start and run_stop agree. */
bool mls_run_same(const mls_run *a, const mls_run *b);

/** Makes `run` empty, with every number NAN. */
void mls_run_init(mls_run *run);

/** Takes the next record of the run's log.  The record's spans are not kept. */
void mls_run_record(mls_run *run, const mls_record *record);

/** Takes a malformed line of the run's log: a finding, and the run is not valid. */
void mls_run_malformed(mls_run *run, const mls_malformed *malformed);

/**
 * The log of the run has ended: judges the sequence init_start → init_stop →
 * run_start → evaluations → run_stop, with a finding for each step missing or
 * out of order and for a status other than success, and sets `valid`.
 *
 * `verdict` is what the checker says of the same records: its findings are
 * added, those of the sequence are advice, and the run is valid when the log
 * is and the run can be timed.  Without one (NULL) a run is valid that is
 * complete, in order, successful, and has no malformed line.
 */
void mls_run_finish(mls_run *run, const mls_verdict *verdict);

/** The finding that says best why a run is not valid; NULL when it is, or nothing was found. */
const mls_finding *mls_run_reason(const mls_run *run);

/** Frees what the run owns and makes it empty. */
void mls_run_release(mls_run *run);

#ifdef __cplusplus
}
#endif
#endif
