/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rule_words.h - what a rule wants, in words.
 *
 * "value == 16" becomes "must be 16", "has(metadata, \"epoch_num\")" becomes "must have epoch_num in its metadata".
 * Forms that have no good words are shown as they are: "must satisfy value * 2 == $x".
 */
#ifndef MLS_RULES_RULE_WORDS_H
#define MLS_RULES_RULE_WORDS_H

#include "base/buffer.h"
#include "rules/ruleset.h"

/* What a check is about, which decides the code of its finding. */
typedef enum mls_check_topic { MLS_TOPIC_VALUE, MLS_TOPIC_METADATA, MLS_TOPIC_ORDER } mls_check_topic;

mls_check_topic mls_rule_words_topic(const mls_expr *expr);

/* Appends what `expr`, of `scope`, wants of a record; with `input` (may be NULL) variables are shown with values. */
void mls_rule_words_requirement(mls_buffer *buffer, const mls_scope *scope, const mls_expr *expr,
                                mls_expr_input *input);

/* Appends what a check_any wants reached: "<= 0.925 and > 0.0". */
void mls_rule_words_target(mls_buffer *buffer, const mls_scope *scope, const mls_expr *expr, mls_expr_input *input);

/* Appends what a rule wants of the records of its key, in one line. */
void mls_rule_words_rule(mls_buffer *buffer, const mls_scope *scope, const mls_rule *rule);

/* Appends how often: "exactly once", "at least 2 times", "at least once, or block_start". */
void mls_rule_words_occurs(mls_buffer *buffer, const mls_rule *rule);

/* The key whose records give a variable its value in this scope; ptr NULL when there is none. */
mls_str mls_rule_words_setter(const mls_scope *scope, size_t slot);

#endif
