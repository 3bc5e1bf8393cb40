/* SPDX-License-Identifier: Apache-2.0 */
/* edition.h - the editions of MLPerf and their benchmarks.  An edition is the rules of a round, such as training 5.1.0.
 *
 * Load the embedded tables with mls_editions_load(); then mls_editions_find() looks up an edition by name, and
 * mls_editions_guess() guesses the edition of a log.  Loaded tables do not change, so any number of threads may use
 * them. */
#pragma once

#include "base/base.h"
#include "mlscore/rules.h"

enum { MLS_USAGE_COUNT = 2 };

/** Return "training" or "hpc". */
const char *mls_usage_name(mls_usage usage);

/** Find the usage with that name.  Return false if the name is unknown. */
bool mls_usage_from_name(mls_str name, mls_usage *usage);

/** The unit of the progress of training, and the member of an evaluation's metadata with this progress: epoch_num,
 * samples_count or step_num. */
typedef enum mls_progress { MLS_PROGRESS_EPOCHS, MLS_PROGRESS_SAMPLES, MLS_PROGRESS_STEPS } mls_progress;

/** A benchmark, and how its results are scored.  It lives as long as the table. */
typedef struct mls_benchmark {
    mls_usage usage;
    const char *name;     /**< the spelling of submission_benchmark; "": an unknown benchmark */
    unsigned runs_needed; /**< N, the number of runs in a result; 0: unknown */
    /** Number of the fastest and of the slowest runs that the score leaves out, and maximum number of failed runs. */
    unsigned left_out;
    unsigned runs_since;                /**< edition from which this number of runs applies */
    const struct mls_benchmark *before; /**< the benchmark in editions before that one; NULL: the same */
    bool reference_points;       /**< the convergence of results is checked against reference convergence points */
    bool train_samples;          /**< logs may contain the samples to convergence in a record train_samples */
    mls_progress counts;         /**< the unit of convergence, since the edition with the number counts_since */
    unsigned counts_since;       /**< see MLS_EDITION_NUMBER() */
    mls_progress counted_before; /**< the unit of convergence before that edition */
    /** Maximum FID and minimum CLIP score of a run that has converged; NAN: the benchmark does not evaluate images. */
    double fid_max, clip_min;
    /** Evaluation interval in samples, by which a result may converge earlier than the reference; 0: none. */
    double evaluation_interval;
    unsigned evaluation_interval_since; /**< number of the first edition in which this tolerance applies */
} mls_benchmark;

/** The number of an edition, with which editions are compared: 50100 for 5.1.0. */
#define MLS_EDITION_NUMBER(major, minor, patch) ((major)*10000U + (minor)*100U + (patch))

/** The occasions for advice. */
typedef enum mls_advice_on {
    MLS_ADVICE_MISSING_POINT,      /**< no reference point applies to the batch size */
    MLS_ADVICE_FAILED_CONVERGENCE, /**< a result fails the check of convergence */
    MLS_ADVICE_UPLOAD,             /**< a submission is ready to upload */
    MLS_ADVICE_COUNT
} mls_advice_on;

/** A demand of the rules' text that no rule can test.  The texts live as long as the table; NULL: none. */
typedef struct mls_edition_advice {
    const char *says, *source;
} mls_edition_advice;

/** An edition.  The strings are NUL-terminated and live as long as the table. */
typedef struct mls_edition {
    mls_usage usage;
    const char *name; /**< always three numbers: "5.1.0" */
    unsigned number;  /**< MLS_EDITION_NUMBER(): a later edition has a greater number */
    /** End of the last day of runs of the round, in milliseconds since 1970; INFINITY: the round is not over. */
    double last_run_ms;
    const mls_benchmark *const *benchmarks; /**< in the order of the rules */
    size_t benchmark_count;
    mls_edition_advice advice[MLS_ADVICE_COUNT];
} mls_edition;

/** Return the short name of an edition, such as "5.1" for 5.1.0.  The string belongs to the edition. */
mls_str mls_edition_round(const mls_edition *edition);

/** Parse "5.1", "v5.1" or "5.1.0".  Return false for anything else. */
bool mls_edition_number(mls_str text, unsigned *number);

typedef struct mls_editions mls_editions;

/** Load the tables, and free them with mls_editions_free().  Return MLS_OK, or MLS_ERROR_VALUE if the embedded data are
 * invalid. */
mls_status mls_editions_load(mls_editions **editions, mls_error *error) MLS_MUST_USE;
void mls_editions_free(mls_editions *editions);

/** Return the number of editions of a usage. */
size_t mls_editions_count(const mls_editions *editions, mls_usage usage);

/** Return an edition of a usage by its index, from 0 for the oldest; NULL past the end. */
const mls_edition *mls_editions_get(const mls_editions *editions, mls_usage usage, size_t index);

/** Find an edition by a name such as "5.1" (see mls_edition_number()).  Return MLS_OK; MLS_ERROR_UNKNOWN with a message
 * that lists the known editions; or MLS_ERROR_VALUE for training 0.6 and older, whose logs have another format. */
mls_status mls_editions_find(const mls_editions *editions, mls_usage usage, mls_str text, const mls_edition **edition,
                             mls_error *error) MLS_MUST_USE;

/** Check whether the time of a record, in milliseconds since 1970, is a plausible date: in 2018, when MLPerf began, or
 * later. */
static inline bool mls_time_is_date(double time_ms)
{
    return time_ms >= 1514764800000.0;
}

/** Guess the edition of a log from the time of its first record, in milliseconds since 1970, and its benchmark.  Return
 * the first edition at or after this time that has the benchmark; if no such edition has it, return the newest edition
 * with the benchmark.  If the time is not a plausible date, start at the newest edition; if the benchmark is unknown or
 * empty, ignore it.  Never return NULL. */
const mls_edition *mls_editions_guess(const mls_editions *editions, mls_usage usage, double time_ms, mls_str benchmark);

/** The maximum number of editions of a usage; loading a longer table fails. */
#define MLS_EDITIONS_MAX 64

/** Counts of the results in a submission tree, with which the edition of the tree is guessed.  Zero-initialize it. */
typedef struct mls_edition_poll {
    size_t dated[MLS_EDITIONS_MAX]; /**< for each edition, the number of results whose date points to it */
    size_t known[MLS_EDITIONS_MAX]; /**< for each edition, the number of results on one of its benchmarks */
} mls_edition_poll;

/** Count a result.  `time_ms` is the time of the first record in its logs, in milliseconds since 1970; NAN: unknown. */
void mls_edition_poll_add(mls_edition_poll *poll, const mls_editions *editions, mls_usage usage, double time_ms,
                          mls_str benchmark);

/** Add the counts of `more` to those of `poll`. */
void mls_edition_poll_sum(mls_edition_poll *poll, const mls_edition_poll *more);

/** Return the edition of a submission tree; never NULL.  Start at the edition to which most dates point; in case of a
 * tie, at the newest one, because a run may be older than its round but not newer.  From there on, return the first
 * edition that has the benchmarks of most results; if none does, the newest edition that has any of the benchmarks.
 * Set *by_date if a result had a date. */
const mls_edition *mls_edition_poll_winner(const mls_edition_poll *poll, const mls_editions *editions, mls_usage usage,
                                           bool *by_date);

/** Return the nearest edition that has the benchmark, later than `edition` if `step` is 1, earlier if it is -1; NULL if
 * no such edition has it. */
const mls_edition *mls_editions_neighbour(const mls_editions *editions, const mls_edition *edition, mls_str benchmark,
                                          int step);

/** Check whether an edition has the benchmark. */
bool mls_edition_has_benchmark(const mls_edition *edition, mls_str benchmark);

/** Return the newest edition of a usage that has the benchmark; NULL if no edition has it. */
const mls_edition *mls_editions_newest_with(const mls_editions *editions, mls_usage usage, mls_str benchmark);

/** Return the usage (training or hpc) with an edition that has the benchmark.  If both or neither have one, return
 * `usage`. */
mls_usage mls_editions_usage_of(const mls_editions *editions, mls_usage usage, mls_str benchmark);

/** Return the name of a benchmark in logs and rules; `name` may also be the name in the reference code. */
const char *mls_benchmark_called(const char *name);

/** Suggest a benchmark for a misspelled name.  Search all editions of the usage, beginning with the newest.  A
 * benchmark that begins with `name`, ignoring case and punctuation, is preferred to one with a similar spelling. */
mls_suggestion mls_editions_nearest_benchmark(const mls_editions *editions, mls_usage usage, mls_str name);

/** Return the row of a benchmark; for an unknown name, a row with an empty name and runs_needed 0. */
const mls_benchmark *mls_benchmark_find(const mls_editions *editions, mls_usage usage, mls_str name);

/** Return a benchmark as an edition, by its number, defines it: some editions need another number of runs than later
 * ones.  mls_benchmark_find() returns it as the newest edition does. */
const mls_benchmark *mls_benchmark_in(const mls_benchmark *benchmark, unsigned edition);

/** Return the unit of a benchmark's convergence in an edition. */
mls_progress mls_benchmark_counts(const mls_benchmark *benchmark, const mls_edition *edition);

/** Return the evaluation interval in samples by which a result may converge earlier than the reference; 0 if the
 * edition does not have this tolerance. */
double mls_benchmark_evaluation_interval(const mls_benchmark *benchmark, const mls_edition *edition);
