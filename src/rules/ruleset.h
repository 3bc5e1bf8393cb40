/* SPDX-License-Identifier: Apache-2.0 */
/* ruleset.h - the compiled rules of an edition.  A loaded ruleset does not change, so any number of threads may share
 * it. */
#pragma once

#include "rules/expr.h"
#include "rules/rules.h"

enum { MLS_SCOPES_MAX = 256, MLS_SCOPE_NAME_MAX = 64 };

typedef struct mls_expr_list {
    mls_expr *items;
    size_t count;
} mls_expr_list;

typedef enum mls_action_kind { MLS_ACTION_SET, MLS_ACTION_APPEND, MLS_ACTION_USE, MLS_ACTION_IF } mls_action_kind;

/* An action that a rule performs after its checks.  The comments of the members begin with the kinds that use them. */
typedef struct mls_action {
    mls_action_kind kind;
    uint32_t slot;  /* SET, APPEND: index of the variable */
    bool has_expr;  /* USE: the name of the scope contains an expression in braces */
    mls_expr expr;  /* SET: the new value; APPEND: $x + [item]; USE: the text in braces; IF: the condition */
    mls_str text;   /* USE: the name of the scope as in the rule file */
    mls_str prefix; /* USE: the texts before and after the braces */
    mls_str suffix;
    struct mls_action *actions; /* IF: the actions to perform if the condition is true */
    size_t action_count;
} mls_action;

typedef struct mls_rule {
    mls_str key;
    /* Required number of records: if max is 1, exactly one; if max is 0, any number; otherwise at least min. */
    size_t min, max;
    mls_str occurs_text;   /* the text of "occurs" in the rule file; empty: not given */
    const mls_str *others; /* alternative keys: a record with any of them satisfies the required number */
    size_t other_count;
    mls_str either; /* if there are alternative keys: `key` and `others`, sorted and joined by '|' */
    mls_expr_list check;
    mls_expr_list check_first;
    mls_expr_list check_any;
    mls_expr_list advice;  /* demands of the rules' text that the MLCommons checkers do not test */
    mls_str advice_source; /* where the text demands it */
    mls_action *actions;
    size_t action_count;
    bool first_only; /* the key begins with "submission_", so the rule applies only to its first record */
    bool has_use;
    uint32_t key_index, scope;   /* indices in the ruleset */
    const struct mls_rule *next; /* the rule for the same key in the next scope that has one; NULL: none */
} mls_rule;

/* How a scope derives records from groups of other records. */
typedef struct mls_derive {
    mls_str key;      /* key of the derived records; ptr is NULL if the scope does not derive records */
    mls_str from;     /* the key of the original records */
    mls_str group_by; /* name of the metadata member by whose value the original records are grouped */
    /* Name of the metadata member that contains a name; the member with this name in the derived record gets the value
     * of the original record. */
    mls_str field;
} mls_derive;

/* The first action of a scope that sets a variable. */
typedef struct mls_setter {
    mls_str key; /* key of the rule with the action; ptr is NULL if no rule sets the variable */
    bool copies; /* the action sets the variable to the value of the record */
} mls_setter;

/* A row of src/data/phrases.table.  The last row has kind 0. */
typedef struct mls_phrase {
    char kind;
    const char *form, *words; /* the form, which ends at a tab, and the words, which end at a line feed */
} mls_phrase;

typedef struct mls_scope {
    mls_str name;
    const mls_phrase *phrases; /* the table of phrases, which all scopes share */
    mls_rule *rules;
    size_t rule_count;
    mls_expr_list end;
    mls_map symbols;       /* from the name of a variable to its index */
    mls_variable *initial; /* the initial values of all variables */
    mls_setter *setters;   /* one for each variable */
    mls_derive derive;
    uint32_t derive_from;         /* index of the key derive.from */
    const mls_rule *derived_rule; /* the rule for derived records; NULL: there is none */
} mls_scope;

/* A key that occurs in the rules: the key of a rule, an alternative key, or the key of original records. */
typedef struct mls_rule_key {
    const mls_rule *rules; /* list of the rules for the key, in the order of scopes */
    bool compare_values;   /* a rule requires the key exactly once, so the values of its records are compared */
    bool derived_from;     /* a scope derives records from records with the key */
} mls_rule_key;

struct mls_ruleset {
    mls_arena memory;
    mls_usage usage;
    mls_str edition;
    mls_str base; /* name of the edition, or of the edition that a rule file extends */
    mls_scope *scopes;
    size_t scope_count;
    size_t common;     /* index of the scope that is judged first */
    mls_map key_names; /* from a key to its index in `keys` */
    mls_rule_key *keys;
    size_t key_of_id[MLS_KEY_COUNT]; /* for each mls_key its index in `keys`; SIZE_MAX: no rule refers to it */
    /* Members for the cache in mls_rulesets: the edition for which the ruleset was loaded. */
    const mls_edition *loaded_for;
    mls_ruleset *next;
};

/* Return the index of a key or a scope; SIZE_MAX if it does not exist. */
size_t mls_ruleset_find_key(const mls_ruleset *ruleset, mls_str name);
size_t mls_ruleset_find_scope(const mls_ruleset *ruleset, mls_str name);

/* Check whether an action, or one nested in it, may queue the scope. */
bool mls_actions_may_use(const mls_action *actions, size_t count, mls_str scope);

/* Return the rule of a scope for the key with an index; NULL if the scope has no rule for it, or if `key` is
 * SIZE_MAX. */
const mls_rule *mls_scope_find_rule(const mls_ruleset *ruleset, size_t scope, size_t key);

/* Check whether one of scopes[from] to scopes[end - 1] has a rule for a key.  Rules for this key in earlier scopes then
 * do not apply. */
bool mls_scopes_have_rule(const mls_ruleset *ruleset, const size_t *scopes, size_t from, size_t end, size_t key);

/* The scopes that judge a benchmark in a division.  The first `sure` scopes always apply; later ones depend on values
 * in the log, such as the optimizer. */
typedef struct mls_scope_chain {
    const mls_ruleset *ruleset;
    size_t scopes[16];
    size_t count;
    size_t sure;
} mls_scope_chain;

/* Collect the scopes.  Return false if the edition does not have rules for the benchmark in this division. */
bool mls_scope_chain_make(const mls_ruleset *ruleset, const char *division, const char *benchmark,
                          mls_scope_chain *chain);

/* Return the table of phrases that describe expressions. */
const mls_phrase *mls_rule_phrases(mls_arena *arena) MLS_MUST_USE;

/* Return the code of the finding for a failed check, which depends on whether the check is about the value, the
 * metadata, or earlier records. */
mls_finding_code mls_rule_words_code(const mls_expr *expr);

/* Append a description of the condition `expr`, such as "must be at most 0.925 and above 0.0".  `target`: the condition
 * is a target that one record must reach.  If `input` is not NULL, include the values of variables. */
void mls_rule_words_expr(mls_buffer *buffer, const mls_scope *scope, const mls_expr *expr, mls_expr_input *input,
                         bool target);

/* Append a description of all conditions of a rule, in one line. */
void mls_rule_words_rule(mls_buffer *buffer, const mls_scope *scope, const mls_rule *rule);

/* Append the required number of records, such as "exactly once", "at least 2 times" or "at least once, or
 * block_start". */
void mls_rule_words_occurs(mls_buffer *buffer, const mls_rule *rule);
