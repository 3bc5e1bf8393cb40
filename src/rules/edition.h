/* SPDX-License-Identifier: Apache-2.0 */
/* edition.h - the editions of MLPerf and their benchmarks.
 *
 * An edition is a published round.  The tables of editions and of benchmarks are embedded in the library; once loaded
 * they never change and any number of threads may look at them. */
#pragma once

#include "base/base.h"
#include "mlscore/rules.h"

enum { MLS_USAGE_COUNT = 2 };

/** Return "training" or "hpc"; find the usage of that name, false if there is none. */
const char *mls_usage_name(mls_usage usage);
bool mls_usage_from_name(mls_str name, mls_usage *usage);

/** The unit in which an evaluation's metadata count training: epoch_num, samples_count or step_num. */
typedef enum mls_progress { MLS_PROGRESS_EPOCHS, MLS_PROGRESS_SAMPLES, MLS_PROGRESS_STEPS } mls_progress;

/** How one benchmark is scored.  It lives as long as the table. */
typedef struct mls_benchmark {
    mls_usage usage;
    const char *name;                   /**< as submission_benchmark spells it; "": an unknown benchmark */
    unsigned runs_needed;               /**< N, runs that make a result; 0: not known */
    unsigned left_out;                  /**< runs left out at each end of a result; also how many may be dropped */
    bool reference_points;              /**< convergence is checked against reference points */
    bool train_samples;                 /**< its logs may have the samples to convergence in a record train_samples */
    mls_progress counts;                /**< the unit of a submission's convergence … */
    unsigned counts_since;              /**< … from the edition of this number on … */
    mls_progress counted_before;        /**< … and before it */
    double fid_max, clip_min;           /**< converged where images reach both; NAN: images do not count */
    double evaluation_interval;         /**< samples by which a run may seem to converge too early; 0: none */
    unsigned evaluation_interval_since; /**< number of the edition */
} mls_benchmark;

/** Comparable number of an edition: 50100 for 5.1.0. */
#define MLS_EDITION_NUMBER(major, minor, patch) ((major)*10000U + (minor)*100U + (patch))

/** One edition.  The strings end in NUL and live as long as the table. */
typedef struct mls_edition {
    mls_usage usage;
    const char *name;   /**< always three numbers: "5.1.0" */
    unsigned number;    /**< the same as MLS_EDITION_NUMBER(): greater is later */
    double last_run_ms; /**< end of the last day on which runs of it were made, since 1970; INFINITY: not over */
    const mls_benchmark *const *benchmarks; /**< in the order of the rules */
    size_t benchmark_count;
} mls_edition;

/** Return the short name of an edition: "5.1" of 5.1.0.  Its bytes are the edition's. */
mls_str mls_edition_round(const mls_edition *edition);

/** Read "5.1", "v5.1" or "5.1.0"; false for anything else. */
bool mls_edition_number(mls_str text, unsigned *number);

typedef struct mls_editions mls_editions;

/** Read the tables; release them with mls_editions_free().  MLS_ERROR_VALUE: the data is broken. */
mls_status mls_editions_load(mls_editions **editions, mls_error *error) MLS_MUST_USE;
void mls_editions_free(mls_editions *editions);

/** Return the number of editions of a usage, and one of them, the oldest at 0; NULL past the end. */
size_t mls_editions_count(const mls_editions *editions, mls_usage usage);
const mls_edition *mls_editions_get(const mls_editions *editions, mls_usage usage, size_t index);

/** Find the edition that a person named in a form of mls_edition_number().  MLS_ERROR_UNKNOWN, with a list of what
 * there is, or MLS_ERROR_VALUE for training 0.6 and older, whose logs have another format. */
mls_status mls_editions_find(const mls_editions *editions, mls_usage usage, mls_str text, const mls_edition **edition,
                             mls_error *error) MLS_MUST_USE;

/** Check whether a record's time (milliseconds since 1970) is a date: there was no MLPerf before 2018. */
static inline bool mls_time_is_date(double time_ms)
{
    return time_ms >= 1514764800000.0;
}

/** Return the edition to which a log whose first record has this time most likely belongs: the first from its date on
 * that knows the benchmark, or, when none does, the newest that does.  An unknown benchmark (or "") does not matter; a
 * time that is not a date counts as the newest edition's.  Never NULL. */
const mls_edition *mls_editions_guess(const mls_editions *editions, mls_usage usage, double time_ms, mls_str benchmark);

/** More editions of a usage than this make a table that is refused. */
#define MLS_EDITIONS_MAX 64

/** The votes of one tree's results on their edition; zero-initialised, nothing yet. */
typedef struct mls_edition_poll {
    size_t dated[MLS_EDITIONS_MAX]; /**< results whose date points to the edition */
    size_t known[MLS_EDITIONS_MAX]; /**< results on a benchmark of the edition */
} mls_edition_poll;

/** Count a result with the time of the first record of its logs (NAN: not known) and its benchmark. */
void mls_edition_poll_add(mls_edition_poll *poll, const mls_editions *editions, mls_usage usage, double time_ms,
                          mls_str benchmark);

/** Add the votes of other results. */
void mls_edition_poll_sum(mls_edition_poll *poll, const mls_edition_poll *more);

/** Return the edition of all results of a tree: of those from the one on that most dates point to (of equally many the
 * newest: a run may be older than its round, not younger), the first that knows the benchmarks of most results, or,
 * when none knows any, the newest that does.  Never NULL; *by_date is whether a date was among them. */
const mls_edition *mls_edition_poll_winner(const mls_edition_poll *poll, const mls_editions *editions, mls_usage usage,
                                           bool *by_date);

/** Return the next edition after `edition` (step 1) or before it (-1) that has the benchmark; NULL if none has. */
const mls_edition *mls_editions_neighbour(const mls_editions *editions, const mls_edition *edition, mls_str benchmark,
                                          int step);

bool mls_edition_has_benchmark(const mls_edition *edition, mls_str benchmark);

/** Return the newest edition of a usage that has the benchmark; NULL if none has. */
const mls_edition *mls_editions_newest_with(const mls_editions *editions, mls_usage usage, mls_str benchmark);

/** Return the family that has the benchmark in some edition: `usage` itself if it has, or none has. */
mls_usage mls_editions_usage_of(const mls_editions *editions, mls_usage usage, mls_str benchmark);

/** Return the name in the rules of a benchmark that has another one in the reference code, or the same name. */
const char *mls_benchmark_called(const char *name);

/** Return the benchmark of any edition of the family that was meant, the newest edition first: the one that begins so,
 * whatever the signs between its parts are, else the one that is spelt most like it. */
mls_nearest mls_editions_nearest_benchmark(const mls_editions *editions, mls_usage usage, mls_str name);

/** Return the row of a benchmark; never NULL: for an unknown name one without a name and with runs_needed 0. */
const mls_benchmark *mls_benchmark_find(const mls_editions *editions, mls_usage usage, mls_str name);

/** Return the unit of convergence in an edition, and the evaluation interval there, in samples; 0: not needed. */
mls_progress mls_benchmark_counts(const mls_benchmark *benchmark, const mls_edition *edition);
double mls_benchmark_evaluation_interval(const mls_benchmark *benchmark, const mls_edition *edition);
