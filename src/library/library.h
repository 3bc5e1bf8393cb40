/* SPDX-License-Identifier: Apache-2.0 */
/* library.h - what the public functions share: how logs are judged, made of the choices of an mls_rules. */
#pragma once

#include "mlscore/rules.h"
#include "rules/rules.h"
#include "score/collect.h"

struct mls_rules {
    mls_rulesets *rulesets;
    mls_ruleset *own;           /* of a rule file; NULL: none */
    const mls_ruleset *chosen;  /* own, or of the edition; NULL: guessed */
    const mls_edition *edition; /* of these; NULL: guessed, or a file that extends none */
    mls_usage usage;
    bool usage_given, window;
    bool rcp_bypass, seed_bypass, bert_train_samples;
    bool as_repo, strict; /* of submissions */
    unsigned threads;
};

/* What reading a log returned; or MLS_ERROR_VALUE with the reason why it is none that can be read: nobody should take
 * it for one without a record. */
mls_status mls_log_was_read(mls_status status, const mls_log_totals *totals, mls_error *error);

/* MLS_ERROR_VALUE: what a function cannot do without was NULL, "a path". */
mls_status mls_error_missing(const char *what, mls_error *error);

/* The same choices as collecting takes them; checker.rulesets and all else that is pointed to are those of `rules`. */
mls_collect_options mls_rules_collecting(const mls_rules *rules);
