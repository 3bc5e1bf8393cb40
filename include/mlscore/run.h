/* SPDX-License-Identifier: Apache-2.0 */
/* run.h - one training run: the contents of its log, and whether it complies with the rules.
 *
 * mls_run_judge_fd() checks one log and returns its run; mls_collection_run() in group.h returns the runs of many logs.
 *
 * Unknown numbers are NAN and unknown texts are NULL.  Texts are returned as they were logged, and live as long as the
 * run. */
#pragma once

#include "mlscore/findings.h"
#include "mlscore/rules.h"

MLS_C_BEGIN

typedef struct mls_run mls_run;

/** Check an open log as one run, as `mlscore check` does.  `name` is copied and used in findings; `fd` is not closed.
 * For files with several runs, see group.h.  Free the run with mls_run_free().
 *
 * Return MLS_OK even if the run is not valid; a file without records is treated as an empty log.  On failure, set *run
 * to NULL and return MLS_ERROR_READ, or MLS_ERROR_VALUE (`name` is NULL, or the file cannot be a log: see
 * mls_log_read_fd()). */
mls_status mls_run_judge_fd(const mls_rules *rules, int fd, const char *name, mls_run **run,
                            mls_error *error) MLS_MUST_USE;

/** Check a log in memory, like mls_run_judge_fd(). */
mls_status mls_run_judge_bytes(const mls_rules *rules, mls_str log, const char *name, mls_run **run,
                               mls_error *error) MLS_MUST_USE;

/** Free a run from mls_run_judge_fd() or mls_run_judge_bytes().  NULL is allowed.  Runs of a collection or a submission
 * belong to it and must not be freed. */
void mls_run_free(mls_run *run);

/** Return whether the run complies with the rules. */
bool mls_run_is_valid(const mls_run *run);

/** Return the finding that best explains why the run is not valid; NULL if it is valid. */
const mls_finding *mls_run_reason(const mls_run *run);

const mls_findings *mls_run_findings(const mls_run *run);

/** Return the path of the log, or the name given to mls_run_judge_fd(). */
const char *mls_run_file(const mls_run *run);

/** Return the first line of the run in its file, from 1. */
size_t mls_run_first_line(const mls_run *run);

/** Return the line of the last record of the run, from 1. */
size_t mls_run_last_line(const mls_run *run);

/** Return the time to train in minutes. */
double mls_run_minutes(const mls_run *run);

/** Return the time of initialization in minutes. */
double mls_run_init_minutes(const mls_run *run);

/** Return the time of run_start in milliseconds since 1970. */
double mls_run_start_ms(const mls_run *run);

/** Return the status logged with run_stop: "success", "aborted" or "other"; "" if no status was logged. */
const char *mls_run_stop_status(const mls_run *run);

/** Return the benchmark, the value of submission_benchmark. */
const char *mls_run_benchmark(const mls_run *run);

/** Return the division, the value of submission_division. */
const char *mls_run_division(const mls_run *run);

/** Return the submitter, the value of submission_org. */
const char *mls_run_organisation(const mls_run *run);

/** Return the system, the value of submission_platform. */
const char *mls_run_platform(const mls_run *run);

/** Return the name of the config, without folders, "config_" and ".sh". */
const char *mls_run_config(const mls_run *run);

/** Return the last global_batch_size logged. */
double mls_run_global_batch_size(const mls_run *run);

/** Return the edition whose rules the run was checked against, such as "5.1.0". */
const char *mls_run_edition(const mls_run *run);

/** Return the amount of training until the last evaluation of the run, in samples or epochs.  If `unit` is not NULL,
 * set *unit to "samples" or "epochs". */
double mls_run_converged_at(const mls_run *run, const char **unit);

/** Get a hyperparameter by its index, from 0: its key, and its value as JSON text.  Either pointer may be NULL.  Return
 * false past the end. */
bool mls_run_hyperparameter_at(const mls_run *run, size_t index, mls_str *key, const char **value);

/** Return the value of a hyperparameter as JSON text; NULL if the run did not log it. */
const char *mls_run_hyperparameter(const mls_run *run, mls_str key);

MLS_C_END
