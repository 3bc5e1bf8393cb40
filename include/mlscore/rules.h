/* SPDX-License-Identifier: Apache-2.0 */
/* rules.h - by which rules logs are judged, and how.
 *
 * The rules of all editions are built in.  As it is made, an mls_rules is that of `mlscore score` without options: the
 * edition of each log is guessed by its date.  It may be used by several threads once it is no longer changed, and must
 * outlive all that was judged by it. */
#pragma once

#include <stdbool.h>

#include "mlscore/error.h"

MLS_C_BEGIN

typedef struct mls_rules mls_rules;

/** The two families of benchmarks that log in this format. */
typedef enum mls_usage { MLS_USAGE_TRAINING = 0, MLS_USAGE_HPC = 1 } mls_usage;

/** MLS_ERROR_MEMORY; *rules is NULL then.  Freeing NULL does nothing. */
mls_status mls_rules_new(mls_rules **rules, mls_error *error) MLS_MUST_USE;
void mls_rules_free(mls_rules *rules);

/** Judge benchmarks of this family, whatever the log says; any other number changes nothing. */
void mls_rules_set_usage(mls_rules *rules, mls_usage usage);

/** Judge by the edition of this name ("5.1", of the family set before), or by a rule file of one's own
 * (mlscore-rules(5)).  MLS_ERROR_UNKNOWN, with the names there are; of a file MLS_ERROR_READ, or what is wrong with it
 * and where; MLS_ERROR_VALUE of NULL; MLS_ERROR_MEMORY.  Nothing has changed after an error. */
mls_status mls_rules_set_edition(mls_rules *rules, const char *name, mls_error *error) MLS_MUST_USE;
mls_status mls_rules_set_file(mls_rules *rules, const char *path, mls_error *error) MLS_MUST_USE;

/** With more runs than a result needs, score the window of them that the rules choose. */
void mls_rules_set_window(mls_rules *rules, bool window);

/** A failed check of convergence against the reference, or of the seeds, does not count: "bypassed" in place of "fail".
 * Of a submission it is a warning then. */
void mls_rules_set_rcp_bypass(mls_rules *rules, bool bypass);
void mls_rules_set_seed_bypass(mls_rules *rules, bool bypass);

/** Let the record train_samples of a run of bert say how many samples it took to converge. */
void mls_rules_set_bert_train_samples(mls_rules *rules, bool believe);

/** Of a submission: what the checker of repositories refuses is an error, too; so is every warning and advice. */
void mls_rules_set_as_repo(mls_rules *rules, bool as_repo);
void mls_rules_set_strict(mls_rules *rules, bool strict);

/** How many threads read; 0, as it is at first: one for each processor. */
void mls_rules_set_threads(mls_rules *rules, unsigned threads);

/** The editions of a family, oldest first, and their benchmarks, by name; NULL past the end, and of no family. */
const char *mls_rules_edition(const mls_rules *rules, mls_usage usage, size_t index);
const char *mls_rules_benchmark(const mls_rules *rules, mls_usage usage, size_t edition, size_t index);

MLS_C_END
