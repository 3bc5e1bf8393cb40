/* SPDX-License-Identifier: Apache-2.0 */
/* rules.h - the rules of an edition, and judging a log by them.
 *
 * The rules are data (src/data/rules, mlscore-rules(5)): rule_file.c loads them into a ruleset (ruleset.h), whose
 * expressions (expr.h) a checker evaluates for each record; rule_words.c explains them in its findings.  A ruleset
 * never changes; any number of threads may use it.  A checker is fed one log at a time, keeps a bounded amount whatever
 * the log's size, and has a verdict when the log has ended: that of the reference compliance checker to the letter,
 * with errors for the same keys.  Advice goes beyond it and never changes a verdict. */
#pragma once

#include "log/log.h"
#include "rules/edition.h"

typedef struct mls_ruleset mls_ruleset;

/** Load the embedded rules of an edition; release them with mls_ruleset_free().  NULL but for MLS_OK. */
mls_status mls_ruleset_load(const mls_edition *edition, mls_ruleset **ruleset, mls_error *error) MLS_MUST_USE;

/** Load a user's own rule file (format: mlscore-rules(5)).  It may extend an embedded edition or another file.
 * MLS_ERROR_READ when a file cannot be read; MLS_ERROR_SYNTAX, MLS_ERROR_VALUE or MLS_ERROR_LIMIT, with line and column
 * in the file and the rule named in the message, when it is wrong. */
mls_status mls_ruleset_load_file(const char *path, mls_ruleset **ruleset, mls_error *error) MLS_MUST_USE;

/** As mls_ruleset_load_file(), from memory; files it extends are looked for in the current folder. */
mls_status mls_ruleset_load_text(mls_str text, mls_ruleset **ruleset, mls_error *error) MLS_MUST_USE;
void mls_ruleset_free(mls_ruleset *ruleset);

mls_usage mls_ruleset_usage(const mls_ruleset *ruleset);

/** Return "5.1.0", or the name that a user's rule file gives itself; it ends in NUL and lives as long as the ruleset.
 */
const char *mls_ruleset_edition(const mls_ruleset *ruleset);

/** Check whether there are rules for the benchmark in any division. */
bool mls_ruleset_has_benchmark(const mls_ruleset *ruleset, const char *benchmark);

/** Check whether an evaluation that gave `number` meets the target of a benchmark in the closed division, which may
 * depend on the batch size (NAN: not known).  *known is false if the rules have no target for it, or it depends on more
 * than that.  Always MLS_OK. */
mls_status mls_ruleset_meets_target(const mls_ruleset *ruleset, const char *benchmark, double batch_size, double number,
                                    bool *known, bool *meets) MLS_MUST_USE;

/** The number that an evaluation is to reach: direction +1 or more of it, -1 or less; 0: not known. */
typedef struct mls_target {
    double number;
    int direction;
} mls_target;

/** Get that target as a number, if the rules compare the value of an evaluation, or a member of it (NULL: not a
 * member), with one.  The first of several bounds is the target: later ones only exclude what makes no sense.  Always
 * MLS_OK. */
mls_status mls_ruleset_target(const mls_ruleset *ruleset, const char *benchmark, double batch_size, const char *member,
                              mls_target *target) MLS_MUST_USE;

/** Return the published edition that it is, that its file extends, or whose name it has; NULL: none. */
const mls_edition *mls_ruleset_base(const mls_ruleset *ruleset, const mls_editions *editions);

/** The editions and the rulesets loaded so far, shared by all threads: any function from any thread at any time. */
typedef struct mls_rulesets mls_rulesets;

mls_status mls_rulesets_new(mls_rulesets **rulesets, mls_error *error) MLS_MUST_USE;
void mls_rulesets_free(mls_rulesets *rulesets);
const mls_editions *mls_rulesets_editions(const mls_rulesets *rulesets);

/** Get the rules of an edition, loaded when first asked for; they belong to `rulesets`. */
mls_status mls_rulesets_get(mls_rulesets *rulesets, const mls_edition *edition, const mls_ruleset **ruleset,
                            mls_error *error) MLS_MUST_USE;

/** The rules to judge by.  With `ruleset` NULL the edition of `usage` is guessed (mls_editions_guess()). */
typedef struct mls_checker_options {
    const mls_ruleset *ruleset;
    mls_rulesets *rulesets; /**< needed for guessing; with it, advice can name other editions */
    mls_usage usage;        /**< for guessing; a ruleset brings its own */
    bool any_usage;         /**< a benchmark that only another family has is judged by that one */
} mls_checker_options;

/** Judges one log at a time.  One thread uses a checker; several checkers may share a ruleset. */
typedef struct mls_checker mls_checker;

mls_status mls_checker_new(const mls_checker_options *options, mls_checker **checker) MLS_MUST_USE;
void mls_checker_free(mls_checker *checker);

/** Forget the log, to be ready for the next one. */
void mls_checker_reset(mls_checker *checker);

/** Reset, and judge logs by `ruleset` from now on; NULL: by one that is guessed. */
void mls_checker_turn(mls_checker *checker, const mls_ruleset *ruleset);

/** Feed it, in file order; mls_checker_end() once, after the last record.  MLS_OK, or what loading the
 * guessed edition's rules returned. */
mls_status mls_checker_record(mls_checker *checker, const mls_record *record) MLS_MUST_USE;
mls_status mls_checker_malformed(mls_checker *checker, const mls_malformed *malformed) MLS_MUST_USE;
mls_status mls_checker_end(mls_checker *checker) MLS_MUST_USE;

/** The verdict on a log.  Strings and findings belong to the checker until it is reset. */
typedef struct mls_verdict {
    bool valid;   /**< no finding of severity error */
    bool guessed; /**< the edition was not given */
    bool by_date; /**< guessed, and the first record had a date */
    mls_usage usage;
    const char *edition;          /**< "5.1.0"; NULL when nothing could be judged */
    size_t benchmark_line;        /**< of the first submission_benchmark; 0: not logged */
    const mls_findings *findings; /**< sorted by line */
} mls_verdict;

/** After mls_checker_end(): return the verdict; move its findings into an empty list. */
mls_verdict mls_checker_verdict(const mls_checker *checker);
void mls_checker_take_findings(mls_checker *checker, mls_findings *findings);
