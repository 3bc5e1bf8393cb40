/* SPDX-License-Identifier: Apache-2.0 */
/* rules.h - load the rules of an edition, and judge logs by them.
 *
 * Rules are data (src/data/rules; format: mlscore-rules(5)).  rule_file.c loads them into a ruleset (ruleset.h), a
 * checker evaluates their expressions (expr.h) for each record, and rule_words.c explains them in findings.  To judge a
 * log, pass each record to mls_checker_record(), then call mls_checker_end() and mls_checker_verdict().
 *
 * Any number of threads may use a ruleset.  A checker uses bounded memory whatever the size of the log.  Its verdict is
 * that of the reference compliance checker, with errors for the same keys; advice never changes a verdict. */
#pragma once

#include "log/log.h"
#include "rules/edition.h"

typedef struct mls_ruleset mls_ruleset;

/** Load the embedded rules of an edition, to be freed with mls_ruleset_free().  On failure, set *ruleset to NULL. */
mls_status mls_ruleset_load(const mls_edition *edition, mls_ruleset **ruleset, mls_error *error) MLS_MUST_USE;

/** Load a rule file, which may extend an embedded edition or another file, or rules in memory, which extend files in
 * the current folder.  Return MLS_ERROR_READ if a file cannot be read.  If it is invalid, return MLS_ERROR_SYNTAX,
 * MLS_ERROR_VALUE or MLS_ERROR_LIMIT with line and column, and name the rule in the message. */
mls_status mls_ruleset_load_file(const char *path, mls_ruleset **ruleset, mls_error *error) MLS_MUST_USE;
mls_status mls_ruleset_load_text(mls_str text, mls_ruleset **ruleset, mls_error *error) MLS_MUST_USE;
void mls_ruleset_free(mls_ruleset *ruleset);

mls_usage mls_ruleset_usage(const mls_ruleset *ruleset);

/** Return the name of the edition: "5.1.0", or the name that a rule file defines. */
const char *mls_ruleset_edition(const mls_ruleset *ruleset);

/** Check whether any division has rules for the benchmark. */
bool mls_ruleset_has_benchmark(const mls_ruleset *ruleset, const char *benchmark);

/** Check whether the result `number` of an evaluation meets the target of a benchmark in the closed division.  The
 * target may depend on the batch size (NAN: unknown).  Return false if the rules do not have a target, or it depends on
 * anything else. */
bool mls_ruleset_meets_target(const mls_ruleset *ruleset, const char *benchmark, double batch_size, double number,
                              bool *meets);

/** The number that an evaluation must reach.  A direction of +1 means at least, -1 at most; 0: unknown. */
typedef struct mls_target {
    double number;
    int direction;
} mls_target;

/** Return the target as a number, if the rules compare the value of an evaluation, or its member `member`, with a
 * number.  If there are several bounds, the first is the target; the others only exclude implausible values. */
mls_target mls_ruleset_target(const mls_ruleset *ruleset, const char *benchmark, double batch_size, const char *member);

/** Return the published edition that the ruleset is, extends, or shares its name with; NULL if no edition
 * matches. */
const mls_edition *mls_ruleset_base(const mls_ruleset *ruleset, const mls_editions *editions);

/** The editions, and the rulesets loaded so far.  All functions are thread-safe. */
typedef struct mls_rulesets mls_rulesets;

mls_status mls_rulesets_new(mls_rulesets **rulesets, mls_error *error) MLS_MUST_USE;
void mls_rulesets_free(mls_rulesets *rulesets);
const mls_editions *mls_rulesets_editions(const mls_rulesets *rulesets);

/** Get the rules of an edition, and load them on first use.  They belong to `rulesets`. */
mls_status mls_rulesets_get(mls_rulesets *rulesets, const mls_edition *edition, const mls_ruleset **ruleset,
                            mls_error *error) MLS_MUST_USE;

/** The rules to judge by.  If `ruleset` is NULL, the edition of `usage` is guessed (see mls_editions_guess()). */
typedef struct mls_checker_options {
    const mls_ruleset *ruleset;
    mls_rulesets *rulesets; /**< required for guessing; lets advice name other editions */
    mls_usage usage;        /**< for guessing; a ruleset has its own */
    bool any_usage;         /**< judge a benchmark that only another usage has by that usage */
} mls_checker_options;

/** A checker for one log at a time, in one thread.  Several checkers may share a ruleset. */
typedef struct mls_checker mls_checker;

mls_checker *mls_checker_new(const mls_checker_options *options) MLS_MUST_USE;
void mls_checker_free(mls_checker *checker);

/** Forget the log, to judge another one. */
void mls_checker_reset(mls_checker *checker);

/** Forget the log, and judge the next one by `ruleset`; if it is NULL, by a guessed edition. */
void mls_checker_turn(mls_checker *checker, const mls_ruleset *ruleset);

/** Pass the records and malformed lines of a log in the order of the file; then call mls_checker_end() once.  Return
 * MLS_OK, or the error of loading the rules of the guessed edition. */
mls_status mls_checker_record(mls_checker *checker, const mls_record *record) MLS_MUST_USE;
void mls_checker_malformed(mls_checker *checker, const mls_malformed *malformed);
mls_status mls_checker_end(mls_checker *checker) MLS_MUST_USE;

/** The verdict on a log.  Strings and findings belong to the checker and are valid until it is reset. */
typedef struct mls_verdict {
    bool valid;   /**< there are no errors */
    bool guessed; /**< the edition was not given */
    bool by_date; /**< it was guessed, and the first record had a date */
    mls_usage usage;
    const char *edition;          /**< "5.1.0"; NULL if nothing could be judged */
    size_t benchmark_line;        /**< of the first submission_benchmark; 0: not logged */
    const mls_findings *findings; /**< sorted by line */
} mls_verdict;

/** Return the verdict after mls_checker_end(). */
mls_verdict mls_checker_verdict(const mls_checker *checker);

/** Move the findings of the checker into `findings`, which must be empty. */
void mls_checker_take_findings(mls_checker *checker, mls_findings *findings);
