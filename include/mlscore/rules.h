/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rules.h - the rules of an edition, and judging a log by them.
 *
 * A ruleset is loaded once and never changes; any number of threads may use
 * it.  A checker judges one log at a time: it is a sink that is fed the log's
 * records in order (mls_checker_sink()), keeps a bounded amount about them
 * whatever the log's size, and has a verdict when the log has ended.
 *
 * How a log is judged follows the reference compliance checker to the letter:
 * the same verdict, and errors for the same keys.  Advice goes beyond it and
 * never changes a verdict.
 */
#ifndef MLSCORE_RULES_H
#define MLSCORE_RULES_H

#include "mlscore/base.h"
#include "mlscore/edition.h"
#include "mlscore/log.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct mls_ruleset mls_ruleset;

/**
 * Loads the rules of an edition from the data embedded in the library.  On
 * MLS_OK *ruleset is to be given to mls_ruleset_free(); else it is NULL.
 */
mls_status mls_ruleset_load(const mls_edition *edition, mls_ruleset **ruleset, mls_error *error) MLS_MUST_USE;

/**
 * Loads a user's own rule file (format: mlscore-rules(5)).  It may extend an
 * embedded edition or another file.  MLS_ERROR_READ when a file cannot be
 * read; MLS_ERROR_SYNTAX, MLS_ERROR_VALUE or MLS_ERROR_LIMIT, with line and
 * column in the file and the rule named in the message, when it is wrong.
 */
mls_status mls_ruleset_load_file(const char *path, mls_ruleset **ruleset, mls_error *error) MLS_MUST_USE;

/** As mls_ruleset_load_file(), from memory; files it extends are looked for in the current folder. */
mls_status mls_ruleset_load_text(mls_str text, mls_ruleset **ruleset, mls_error *error) MLS_MUST_USE;

void mls_ruleset_free(mls_ruleset *ruleset);

mls_usage mls_ruleset_usage(const mls_ruleset *ruleset);

/** "5.1.0", or what a user's rule file calls itself; NUL-terminated, lives as long as the ruleset. */
const char *mls_ruleset_edition(const mls_ruleset *ruleset);

#ifdef __cplusplus
}
#endif
#endif
