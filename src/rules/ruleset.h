/* SPDX-License-Identifier: Apache-2.0 */
/* ruleset.h - the compiled rules of an edition, in their own arena.  A loaded ruleset never changes, so any number of
 * threads may share it. */
#pragma once

#include "rules/expr.h"
#include "rules/rules.h"

enum { MLS_SCOPES_MAX = 256, MLS_SCOPE_NAME_MAX = 64 };

typedef struct mls_expr_list {
    mls_expr *items;
    size_t count;
} mls_expr_list;

typedef enum mls_action_kind { MLS_ACTION_SET, MLS_ACTION_APPEND, MLS_ACTION_USE, MLS_ACTION_IF } mls_action_kind;

/* An action that a rule performs after its checks. */
typedef struct mls_action {
    mls_action_kind kind;
    uint32_t slot;  /* SET, APPEND: the variable */
    bool has_expr;  /* USE: false if the name is constant */
    mls_expr expr;  /* SET: the new value; APPEND: $x + [item]; USE: the text in braces; IF: the condition */
    mls_str text;   /* USE: the source text */
    mls_str prefix; /* USE: the text before and after the braces */
    mls_str suffix;
    struct mls_action *actions; /* IF: the actions if it is true */
    size_t action_count;
} mls_action;

typedef struct mls_rule {
    mls_str key;
    size_t min, max;       /* occurrences: max 1 means exactly once, max 0 any number, otherwise at least min */
    mls_str occurs_text;   /* the source text; empty: not given */
    const mls_str *others; /* alternative keys, any of which is enough */
    size_t other_count;
    mls_str either; /* with others: all keys, sorted and joined by '|' */
    mls_expr_list check;
    mls_expr_list check_first;
    mls_expr_list check_any;
    mls_action *actions;
    size_t action_count;
    bool first_only; /* for keys beginning with `submission_`: only the first record counts */
    bool has_use;
    uint32_t key_index, scope;   /* indices in the ruleset */
    const struct mls_rule *next; /* the rule of a later scope for the same key */
} mls_rule;

/* Records derived from others when a scope is judged. */
typedef struct mls_derive {
    mls_str key;      /* of the derived record; ptr NULL: the scope does not derive any */
    mls_str from;     /* the key of the original records */
    mls_str group_by; /* the member of their metadata to group them by */
    mls_str field;    /* the member of their metadata that names the member to set to their value */
} mls_derive;

/* The first action of a scope that sets a variable. */
typedef struct mls_setter {
    mls_str key; /* of the rule with the action; ptr NULL: none */
    bool copies; /* the variable becomes the value of the record */
} mls_setter;

/* A row of src/data/phrases.table.  The last row has kind 0. */
typedef struct mls_phrase {
    char kind;
    const char *form, *words; /* the form ends at a tab, the words at the end of the line */
} mls_phrase;

typedef struct mls_scope {
    mls_str name;
    const mls_phrase *phrases; /* shared by all scopes */
    mls_rule *rules;
    size_t rule_count;
    mls_expr_list end;
    mls_map symbols;       /* variable → slot */
    mls_variable *initial; /* initial values, one per symbol */
    mls_setter *setters;   /* one per symbol */
    mls_derive derive;
    uint32_t derive_from;         /* index of the key to derive from */
    const mls_rule *derived_rule; /* the rule for derived records; NULL: none */
} mls_scope;

/* A key that a rule, a derivation or an alternative names. */
typedef struct mls_rule_key {
    const mls_rule *rules; /* linked by scope, ascending */
    bool compare_values;   /* some rule requires the key exactly once, so its values are compared */
    bool derived_from;     /* some scope derives records from it */
} mls_rule_key;

struct mls_ruleset {
    mls_arena memory;
    mls_usage usage;
    mls_str edition;
    mls_str base; /* the edition that it is or extends */
    mls_scope *scopes;
    size_t scope_count;
    size_t common;     /* index of the scope that is judged first */
    mls_map key_names; /* key → index */
    mls_rule_key *keys;
    size_t key_of_id[MLS_KEY_COUNT]; /* index by the number of a key; SIZE_MAX: no rule has it */
    const mls_edition *loaded_for;   /* in a list of mls_rulesets */
    mls_ruleset *next;
};

/* Return the index of a key or a scope; SIZE_MAX if it does not exist. */
size_t mls_ruleset_find_key(const mls_ruleset *ruleset, mls_str name);
size_t mls_ruleset_find_scope(const mls_ruleset *ruleset, mls_str name);

/* Check whether an action, or one nested in it, may queue the scope. */
bool mls_actions_may_use(const mls_action *actions, size_t count, mls_str scope);

/* Return the rule of a scope for a key (which may be SIZE_MAX); NULL if there is none. */
const mls_rule *mls_scope_find_rule(const mls_ruleset *ruleset, size_t scope, size_t key);

/* Check whether one of the scopes [from, end) has a rule for the key, and so overrules the scopes before it. */
bool mls_scopes_have_rule(const mls_ruleset *ruleset, const size_t *scopes, size_t from, size_t end, size_t key);

/* The scopes that judge a benchmark in a division.  Scopes after the first `sure` ones apply only to some values. */
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

/* Return the code for a failed check: about the value, the metadata, or earlier records. */
mls_finding_code mls_rule_words_code(const mls_expr *expr);

/* Append what `expr` requires of a record, such as "at most 0.925 and above 0.0".  With `target`, it is a target to
 * reach.  With `input`, which may be NULL, include the values of variables. */
void mls_rule_words_expr(mls_buffer *buffer, const mls_scope *scope, const mls_expr *expr, mls_expr_input *input,
                         bool target);

/* Append everything that a rule requires of the records with its key, in one line. */
void mls_rule_words_rule(mls_buffer *buffer, const mls_scope *scope, const mls_rule *rule);

/* Append the required number: "exactly once", "at least 2 times", "at least once, or block_start". */
void mls_rule_words_occurs(mls_buffer *buffer, const mls_rule *rule);
