/* SPDX-License-Identifier: Apache-2.0 */
/* rules.h - the rules that logs are checked against.
 *
 * The rules of all editions of MLPerf Training and HPC are built in.  By default, an mls_rules works like `mlscore
 * score` without options: it guesses the edition of each log from its date.  Setters select an edition, a rule file or
 * other options:
 *
 *     mls_rules *rules;
 *     if (mls_rules_new(&rules, &error) == MLS_OK && mls_rules_set_edition(rules, "5.1", &error) == MLS_OK) { ... }
 *
 * Several threads may use an mls_rules as long as none of them calls a setter.  Free an mls_rules only after every run,
 * collection and submission for which it was used. */
#pragma once

#include <stdbool.h>

#include "mlscore/error.h"

MLS_C_BEGIN

typedef struct mls_rules mls_rules;

/** The two families of benchmarks: MLPerf Training and MLPerf HPC. */
typedef enum mls_usage { MLS_USAGE_TRAINING = 0, MLS_USAGE_HPC = 1 } mls_usage;

/** Create rules, and free them with mls_rules_free().  On failure, set *rules to NULL and return MLS_ERROR_VALUE (the
 * embedded data are invalid). */
mls_status mls_rules_new(mls_rules **rules, mls_error *error) MLS_MUST_USE;

/** Free rules.  NULL is allowed. */
void mls_rules_free(mls_rules *rules);

/** Treat all logs as logs of this family.  By default, the family is determined by the benchmark in the log.  An
 * invalid number is ignored. */
void mls_rules_set_usage(mls_rules *rules, mls_usage usage);

/** Check logs against the rules of an edition of the current family; `name` is, for example, "5.1".
 *
 * On failure, change nothing and return MLS_ERROR_UNKNOWN (the message lists the known editions), or MLS_ERROR_VALUE
 * (`name` is NULL, or an edition before 0.7). */
mls_status mls_rules_set_edition(mls_rules *rules, const char *name, mls_error *error) MLS_MUST_USE;

/** Check logs against a rule file in the format of mlscore-rules(5).  The file also determines the family.
 *
 * On failure, change nothing and return MLS_ERROR_READ, MLS_ERROR_VALUE (`path` is NULL), or an error with line and
 * column if the file is wrong. */
mls_status mls_rules_set_file(mls_rules *rules, const char *path, mls_error *error) MLS_MUST_USE;

/** If `window` is true and there are more runs than a result needs, score only the window of consecutive runs that the
 * rules select. */
void mls_rules_set_window(mls_rules *rules, bool window);

/** Ignore a failed check of convergence against the reference: it is reported as "bypassed" instead of "fail", and as a
 * warning in a submission. */
void mls_rules_set_rcp_bypass(mls_rules *rules, bool bypass);

/** Ignore a failed check of seeds: it is reported as "bypassed" instead of "fail", and as a warning in a submission. */
void mls_rules_set_seed_bypass(mls_rules *rules, bool bypass);

/** If `believe` is true, take the samples to convergence of a bert run from its train_samples record. */
void mls_rules_set_bert_train_samples(mls_rules *rules, bool believe);

/** If `as_repo` is true, also report as errors of a submission what the MLCommons repository checker rejects. */
void mls_rules_set_as_repo(mls_rules *rules, bool as_repo);

/** If `strict` is true, treat warnings and advice about a submission as errors. */
void mls_rules_set_strict(mls_rules *rules, bool strict);

/** Set the number of threads that read files; 0, the default, means one per processor. */
void mls_rules_set_threads(mls_rules *rules, unsigned threads);

/** Return the name of an edition of a family by its index, from 0 for the oldest; NULL past the end or for an unknown
 * family. */
const char *mls_rules_edition(const mls_rules *rules, mls_usage usage, size_t index);

/** Return the name of a benchmark by its index, from 0, in the edition with index `edition`; NULL past the end or for
 * an unknown family. */
const char *mls_rules_benchmark(const mls_rules *rules, mls_usage usage, size_t edition, size_t index);

MLS_C_END
