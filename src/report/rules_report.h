/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rules_report.h - what `mlscore rules` prints: editions, checklists, whole
 * editions as rule files.
 */
#ifndef MLS_REPORT_RULES_REPORT_H
#define MLS_REPORT_RULES_REPORT_H

#include "mlscore/rules.h"
#include "report/fields.h"

/* What is asked for. */
typedef struct mls_rules_request {
    const mls_editions *editions;
    mls_usage usage;
    const mls_edition *edition; /* NULL: all, or a user's rules */
    const mls_ruleset *ruleset; /* NULL: only the editions are listed */
    const char *benchmark;      /* NULL: none named */
} mls_rules_request;

/* Of an mls_rules_request: benchmarks and how many runs each needs; what a benchmark must log in each division. */
extern const mls_report mls_editions_report, mls_checklist_report;

/* Whether the edition has rules for the benchmark in any division. */
bool mls_ruleset_has_benchmark(const mls_ruleset *ruleset, const char *benchmark);

/* The edition's rules written out in full, as a rule file that can be loaded. */
void mls_ruleset_write(const mls_ruleset *ruleset, mls_output *output);

#endif
