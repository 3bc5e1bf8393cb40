/* SPDX-License-Identifier: Apache-2.0 */
/* edition.h - the editions (published rounds, such as Training 5.1) of MLPerf and their benchmarks.
 *
 * Load the embedded tables with mls_editions_load(); then mls_editions_find() looks up an edition by name, and
 * mls_editions_guess() guesses the edition of a log.  Any number of threads may read loaded tables. */
#pragma once

#include "base/base.h"
#include "mlscore/rules.h"

enum { MLS_USAGE_COUNT = 2 };

/** Return "training" or "hpc". */
const char *mls_usage_name(mls_usage usage);

/** Find the usage with that name.  Return false if the name is unknown. */
bool mls_usage_from_name(mls_str name, mls_usage *usage);

/** The unit in which the metadata of an evaluation count training: epoch_num, samples_count or step_num. */
typedef enum mls_progress { MLS_PROGRESS_EPOCHS, MLS_PROGRESS_SAMPLES, MLS_PROGRESS_STEPS } mls_progress;

/** How one benchmark is scored.  It lives as long as the table. */
typedef struct mls_benchmark {
    mls_usage usage;
    const char *name;      /**< the spelling of submission_benchmark; "": an unknown benchmark */
    unsigned runs_needed;  /**< N, the number of runs in a result; 0: unknown */
    unsigned left_out;     /**< number of runs left out at each end of a result, and of runs that may be dropped */
    bool reference_points; /**< convergence is checked against reference points */
    bool train_samples;    /**< logs may contain the samples to convergence in a record train_samples */
    mls_progress counts;   /**< the unit of a submission's convergence … */
    unsigned counts_since; /**< … since the edition with this number … */
    mls_progress counted_before; /**< … and before it */
    double fid_max, clip_min;    /**< a run has converged when its images reach both; NAN: images are not evaluated */
    double evaluation_interval;  /**< tolerance for converging too early, in samples; 0: none */
    unsigned evaluation_interval_since; /**< number of the first edition with this tolerance */
} mls_benchmark;

/** Return a number to compare editions by: 50100 for 5.1.0. */
#define MLS_EDITION_NUMBER(major, minor, patch) ((major)*10000U + (minor)*100U + (patch))

/** An edition.  The strings are NUL-terminated and live as long as the table. */
typedef struct mls_edition {
    mls_usage usage;
    const char *name;                       /**< always three numbers: "5.1.0" */
    unsigned number;                        /**< MLS_EDITION_NUMBER(): a later edition has a greater number */
    double last_run_ms;                     /**< end of the last day of runs, in ms since 1970; INFINITY: not over */
    const mls_benchmark *const *benchmarks; /**< in the order of the rules */
    size_t benchmark_count;
} mls_edition;

/** Return the short name of an edition, such as "5.1" for 5.1.0.  The string belongs to the edition. */
mls_str mls_edition_round(const mls_edition *edition);

/** Parse "5.1", "v5.1" or "5.1.0".  Return false for anything else. */
bool mls_edition_number(mls_str text, unsigned *number);

typedef struct mls_editions mls_editions;

/** Load the tables, to be freed with mls_editions_free().  Return MLS_ERROR_VALUE if the embedded data is invalid. */
mls_status mls_editions_load(mls_editions **editions, mls_error *error) MLS_MUST_USE;
void mls_editions_free(mls_editions *editions);

/** Return the number of editions of a usage. */
size_t mls_editions_count(const mls_editions *editions, mls_usage usage);

/** Return an edition of a usage by its index, from 0 for the oldest; NULL past the end. */
const mls_edition *mls_editions_get(const mls_editions *editions, mls_usage usage, size_t index);

/** Find an edition by a name that mls_edition_number() can parse.  Return MLS_ERROR_UNKNOWN with a list of the known
 * editions, or MLS_ERROR_VALUE for training 0.6 and older, whose logs have another format. */
mls_status mls_editions_find(const mls_editions *editions, mls_usage usage, mls_str text, const mls_edition **edition,
                             mls_error *error) MLS_MUST_USE;

/** Check whether the time of a record (milliseconds since 1970) is a plausible date.  MLPerf began in 2018. */
static inline bool mls_time_is_date(double time_ms)
{
    return time_ms >= 1514764800000.0;
}

/** Guess the edition of a log from the time of its first record (if it is not a date, the newest edition is assumed)
 * and its benchmark (ignored if unknown or empty): return the first edition from that date on that has the benchmark,
 * or else the newest edition that has it.  Never return NULL. */
const mls_edition *mls_editions_guess(const mls_editions *editions, mls_usage usage, double time_ms, mls_str benchmark);

/** The maximum number of editions of a usage; loading a longer table fails. */
#define MLS_EDITIONS_MAX 64

/** Votes of the results in a tree on its edition.  Zero-initialise it. */
typedef struct mls_edition_poll {
    size_t dated[MLS_EDITIONS_MAX]; /**< results whose date points to the edition */
    size_t known[MLS_EDITIONS_MAX]; /**< results on a benchmark of the edition */
} mls_edition_poll;

/** Add the vote of a result: the time of the first record of its logs (NAN: unknown) and its benchmark. */
void mls_edition_poll_add(mls_edition_poll *poll, const mls_editions *editions, mls_usage usage, double time_ms,
                          mls_str benchmark);

/** Add the votes of the poll `more`. */
void mls_edition_poll_sum(mls_edition_poll *poll, const mls_edition_poll *more);

/** Return the edition of all results of a tree; never NULL.  Start at the edition that most dates point to, the newest
 * in case of a tie, since a run may be older than its round but not younger.  From there on, choose the first edition
 * that has the benchmarks of most results, or the newest that has any.  Set *by_date if any result had a date. */
const mls_edition *mls_edition_poll_winner(const mls_edition_poll *poll, const mls_editions *editions, mls_usage usage,
                                           bool *by_date);

/** Return the nearest later (`step` 1) or earlier (-1) edition that has the benchmark; NULL if no edition
 * does. */
const mls_edition *mls_editions_neighbour(const mls_editions *editions, const mls_edition *edition, mls_str benchmark,
                                          int step);

/** Check whether an edition has the benchmark. */
bool mls_edition_has_benchmark(const mls_edition *edition, mls_str benchmark);

/** Return the newest edition of a usage that has the benchmark; NULL if no edition has it. */
const mls_edition *mls_editions_newest_with(const mls_editions *editions, mls_usage usage, mls_str benchmark);

/** Return the usage that has the benchmark in some edition: `usage` itself if both or neither have it. */
mls_usage mls_editions_usage_of(const mls_editions *editions, mls_usage usage, mls_str benchmark);

/** Return the name that the rules use for a benchmark, which may differ from its name in the reference code. */
const char *mls_benchmark_called(const char *name);

/** Suggest a benchmark for a misspelled name, from all editions of the usage, the newest first.  Prefer one that begins
 * with the name, ignoring punctuation, to one with similar spelling. */
mls_suggestion mls_editions_nearest_benchmark(const mls_editions *editions, mls_usage usage, mls_str name);

/** Return the row of a benchmark; for an unknown name, a row with an empty name and runs_needed 0. */
const mls_benchmark *mls_benchmark_find(const mls_editions *editions, mls_usage usage, mls_str name);

/** Return the unit of convergence in an edition. */
mls_progress mls_benchmark_counts(const mls_benchmark *benchmark, const mls_edition *edition);

/** Return the evaluation interval in samples; 0 if the edition does not use it. */
double mls_benchmark_evaluation_interval(const mls_benchmark *benchmark, const mls_edition *edition);
