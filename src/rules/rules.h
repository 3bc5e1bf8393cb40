/* SPDX-License-Identifier: Apache-2.0 */
/* rules.h - load the rules of an edition, and check logs against them.
 *
 * Rules are JSON files in src/data/rules, in the format of mlscore-rules(5).  rule_file.c loads them into a ruleset
 * (ruleset.h), a checker evaluates their expressions (expr.h) for each record, and rule_words.c describes them in
 * findings.  To check a log, pass each record to mls_checker_record(), then call mls_checker_end() and
 * mls_checker_verdict().
 *
 * Any number of threads may use a ruleset.  The memory of a checker does not grow with the size of the log.  The
 * verdict is the same as the verdict of MLCommons' compliance checker, with errors for the same keys.  Findings that
 * are advice do not affect the verdict. */
#pragma once

#include "log/log.h"
#include "rules/edition.h"

typedef struct mls_ruleset mls_ruleset;

/** Load the embedded rules of an edition.  Free *ruleset with mls_ruleset_free(); on failure, it is NULL. */
mls_status mls_ruleset_load(const mls_edition *edition, mls_ruleset **ruleset, mls_error *error) MLS_MUST_USE;

/** Load rules from a file, or from a text in memory.  They may extend an embedded edition or another file, whose path
 * is relative to the folder of the file or, for a text, to the current folder.  Return MLS_OK; MLS_ERROR_READ if a file
 * cannot be read; or MLS_ERROR_SYNTAX, MLS_ERROR_VALUE or MLS_ERROR_LIMIT if rules are invalid.  The error then
 * contains the line and the column, and its message names the rule. */
mls_status mls_ruleset_load_file(const char *path, mls_ruleset **ruleset, mls_error *error) MLS_MUST_USE;
mls_status mls_ruleset_load_text(mls_str text, mls_ruleset **ruleset, mls_error *error) MLS_MUST_USE;
void mls_ruleset_free(mls_ruleset *ruleset);

mls_usage mls_ruleset_usage(const mls_ruleset *ruleset);

/** Return the name of the edition, such as "5.1.0", or the name that a rule file gives to its edition. */
const char *mls_ruleset_edition(const mls_ruleset *ruleset);

/** Check whether there are rules for a benchmark in any division. */
bool mls_ruleset_has_benchmark(const mls_ruleset *ruleset, const char *benchmark);

/** Check whether an evaluation with the result `number` meets the target of a benchmark in the closed division.  The
 * target may depend on the global batch size; NAN: unknown.  Return false if this cannot be decided: the rules do not
 * contain a target, or it depends on other data. */
bool mls_ruleset_meets_target(const mls_ruleset *ruleset, const char *benchmark, double batch_size, double number,
                              bool *meets);

/** The target of an evaluation.  Its result must be at least `number` if direction is 1, at most `number` if it is -1;
 * 0: the target is unknown. */
typedef struct mls_target {
    double number;
    int direction;
} mls_target;

/** Return the target of a benchmark in the closed division, if the rules compare the value of an evaluation with a
 * number.  If the value is an object, `member` is the name of the compared member, otherwise NULL.  If there are
 * several comparisons, the first is the target; later ones only exclude implausible values. */
mls_target mls_ruleset_target(const mls_ruleset *ruleset, const char *benchmark, double batch_size, const char *member);

/** Return the published edition of a ruleset: the edition itself, the edition that it extends, or the edition with the
 * same name; NULL if there is none. */
const mls_edition *mls_ruleset_base(const mls_ruleset *ruleset, const mls_editions *editions);

/** A cache of the rulesets of all editions.  All functions may be called on any thread. */
typedef struct mls_rulesets mls_rulesets;

mls_status mls_rulesets_new(mls_rulesets **rulesets, mls_error *error) MLS_MUST_USE;
void mls_rulesets_free(mls_rulesets *rulesets);
const mls_editions *mls_rulesets_editions(const mls_rulesets *rulesets);

/** Get the rules of an edition, which are loaded on the first call and belong to `rulesets`. */
mls_status mls_rulesets_get(mls_rulesets *rulesets, const mls_edition *edition, const mls_ruleset **ruleset,
                            mls_error *error) MLS_MUST_USE;

/** The rules to check a log against.  If `ruleset` is NULL, the edition of the log is guessed (see
 * mls_editions_guess()). */
typedef struct mls_checker_options {
    const mls_ruleset *ruleset;
    /** Required if the edition is guessed; if it is not NULL, advice can mention other editions. */
    mls_rulesets *rulesets;
    mls_usage usage; /**< if the edition is guessed: search the editions of this usage */
    /** If the edition is guessed: if only the other usage has the benchmark of the log, use that usage. */
    bool any_usage;
} mls_checker_options;

/** A checker, which checks one log at a time on one thread.  Several checkers may share a ruleset. */
typedef struct mls_checker mls_checker;

mls_checker *mls_checker_new(const mls_checker_options *options) MLS_MUST_USE;
void mls_checker_free(mls_checker *checker);

/** Forget the log, so that another log can be checked with the same options. */
void mls_checker_reset(mls_checker *checker);

/** Forget the log, and check the next log against `ruleset`; if `ruleset` is NULL, against a guessed edition. */
void mls_checker_turn(mls_checker *checker, const mls_ruleset *ruleset);

/** Pass the records and malformed lines of a log in the order of the file; then call mls_checker_end() once.  Return
 * MLS_OK, or the error of loading the rules of the guessed edition. */
mls_status mls_checker_record(mls_checker *checker, const mls_record *record) MLS_MUST_USE;
void mls_checker_malformed(mls_checker *checker, const mls_malformed *malformed);
mls_status mls_checker_end(mls_checker *checker) MLS_MUST_USE;

/** The verdict on a log.  Its texts and findings belong to the checker, and are valid until the next
 * mls_checker_reset() or mls_checker_turn(). */
typedef struct mls_verdict {
    bool valid;   /**< no finding is an error */
    bool guessed; /**< the edition was guessed */
    bool by_date; /**< the edition was guessed from the date of the first record */
    mls_usage usage;
    const char *edition;          /**< such as "5.1.0"; NULL if the log could not be checked */
    size_t benchmark_line;        /**< line number of the first submission_benchmark; 0: not logged */
    const mls_findings *findings; /**< sorted by line */
} mls_verdict;

/** Return the verdict after mls_checker_end(). */
mls_verdict mls_checker_verdict(const mls_checker *checker);

/** Move the findings of the verdict to `findings`, which must be empty. */
void mls_checker_take_findings(mls_checker *checker, mls_findings *findings);
