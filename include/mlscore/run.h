/* SPDX-License-Identifier: Apache-2.0 */
/* run.h - one training run, as its log has it, and whether it obeys the rules.
 *
 * Numbers that are not known are NAN, texts NULL.  Texts are as they were logged and live as long as the run. */
#pragma once

#include "mlscore/findings.h"
#include "mlscore/rules.h"

MLS_C_BEGIN

typedef struct mls_run mls_run;

/** Judges one log as `mlscore check` does, from an open file, which stays the caller's, or from memory; `name` is what
 * it is called in findings.  All of it is one run: for files that hold several, see group.h.  MLS_OK, whatever the
 * verdict, which is that of an empty log where there is no record; MLS_ERROR_READ; MLS_ERROR_VALUE: it cannot be a log,
 * as read.h says, or its name is NULL; MLS_ERROR_MEMORY.  *run is NULL but for MLS_OK. */
mls_status mls_run_judge_fd(const mls_rules *rules, int fd, const char *name, mls_run **run,
                            mls_error *error) MLS_MUST_USE;
mls_status mls_run_judge_bytes(const mls_rules *rules, mls_str log, const char *name, mls_run **run,
                               mls_error *error) MLS_MUST_USE;

/** Frees a run that these made; those of a collection or a submission belong to it. */
void mls_run_free(mls_run *run);

/** Whether it obeys the rules; the finding that says best why not, NULL when it does; all findings. */
bool mls_run_is_valid(const mls_run *run);
const mls_finding *mls_run_reason(const mls_run *run);
const mls_findings *mls_run_findings(const mls_run *run);

/** The file it was read from, and its first and last line there, from 1. */
const char *mls_run_file(const mls_run *run);
size_t mls_run_first_line(const mls_run *run);
size_t mls_run_last_line(const mls_run *run);

/** Time-to-train, and initialising, in minutes. */
double mls_run_minutes(const mls_run *run);
double mls_run_init_minutes(const mls_run *run);

/** When training began, in milliseconds since 1970. */
double mls_run_start_ms(const mls_run *run);

/** The status of its end: "success", "aborted", "other"; "" when there is none. */
const char *mls_run_stop_status(const mls_run *run);

/** What the log says it is: the benchmark, the division, who submits it, on what, the config and the batch size. */
const char *mls_run_benchmark(const mls_run *run);
const char *mls_run_division(const mls_run *run);
const char *mls_run_organisation(const mls_run *run);
const char *mls_run_platform(const mls_run *run);
const char *mls_run_config(const mls_run *run);
double mls_run_global_batch_size(const mls_run *run);

/** The edition that it was judged by, "5.1.0". */
const char *mls_run_edition(const mls_run *run);

/** Samples (or epochs, as *unit says, if it is not NULL) at the last evaluation. */
double mls_run_converged_at(const mls_run *run, const char **unit);

/** Its hyperparameters: key and JSON text of each, false past the end; and the text of one by its key. */
bool mls_run_hyperparameter_at(const mls_run *run, size_t index, mls_str *key, const char **value);
const char *mls_run_hyperparameter(const mls_run *run, mls_str key);

MLS_C_END
