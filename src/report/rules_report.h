/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rules_report.h - what `mlscore rules` prints: editions, checklists, whole
 * editions as rule files.
 */
#ifndef MLS_REPORT_RULES_REPORT_H
#define MLS_REPORT_RULES_REPORT_H

#include "base/output.h"
#include "mlscore/rules.h"

/* How a table is printed: fitted to a terminal, or as Markdown. */
typedef struct mls_rules_style {
    size_t width;
    bool color;
    bool markdown;
} mls_rules_style;

/* All editions of a usage (`only` NULL) or one: benchmarks and how many runs each needs. */
bool mls_report_editions_table(const mls_editions *editions, mls_usage usage, const mls_edition *only,
                               mls_rules_style style, mls_output *output) MLS_MUST_USE;
bool mls_report_editions_json(const mls_editions *editions, mls_usage usage, const mls_edition *only,
                              mls_output *output) MLS_MUST_USE;

/* What a benchmark must log in one division ("closed", "open"): key, how often, what it must be. */
bool mls_report_checklist_table(const mls_ruleset *ruleset, const char *division, const char *benchmark,
                                mls_rules_style style, mls_output *output) MLS_MUST_USE;
bool mls_report_checklist_json(const mls_ruleset *ruleset, const char *benchmark, mls_output *output) MLS_MUST_USE;

/* Whether the edition has rules for the benchmark in any division. */
bool mls_report_has_benchmark(const mls_ruleset *ruleset, const char *benchmark);

/* The edition's rules written out in full, as a rule file that can be loaded. */
bool mls_report_rules_file(const mls_ruleset *ruleset, mls_output *output) MLS_MUST_USE;

#endif
