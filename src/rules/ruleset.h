/* SPDX-License-Identifier: Apache-2.0 */
/* ruleset.h - the rules of one edition, compiled, in an arena of their own.  Nothing in a ruleset changes after it has
 * been loaded: any number of threads work from the same one. */
#pragma once

#include "rules/expr.h"
#include "rules/rules.h"

enum { MLS_SCOPES_MAX = 256, MLS_SCOPE_NAME_MAX = 64 };

typedef struct mls_expr_list {
    mls_expr *items;
    size_t count;
} mls_expr_list;

typedef enum mls_action_kind { MLS_ACTION_SET, MLS_ACTION_APPEND, MLS_ACTION_USE, MLS_ACTION_IF } mls_action_kind;

/* An action of a rule after its checks. */
typedef struct mls_action {
    mls_action_kind kind;
    uint32_t slot;  /* SET, APPEND: the variable */
    bool has_expr;  /* USE: false when the name is fixed */
    mls_expr expr;  /* SET: the new value; APPEND: $x + [item]; USE: between the braces; IF: the condition */
    mls_str text;   /* USE: as it was written */
    mls_str prefix; /* USE: before and after the braces */
    mls_str suffix;
    struct mls_action *actions; /* IF: what it does then */
    size_t action_count;
} mls_action;

typedef struct mls_rule {
    mls_str key;
    size_t min, max;       /* how often it must come: max 1 is exactly once, 0 however often, else at least */
    mls_str occurs_text;   /* as it was written; empty: not given */
    const mls_str *others; /* keys of which one is enough */
    size_t other_count;
    mls_str either; /* with others: all keys, sorted, joined by '|' */
    mls_expr_list check;
    mls_expr_list check_first;
    mls_expr_list check_any;
    mls_action *actions;
    size_t action_count;
    bool first_only; /* keys with `submission_`: only the first record is looked at */
    bool has_use;
    uint32_t key_index, scope;   /* in the ruleset's keys and scopes */
    const struct mls_rule *next; /* of the same key, in a later scope */
} mls_rule;

/* Records made up from others when a scope is judged. */
typedef struct mls_derive {
    mls_str key;      /* of the record made; ptr NULL: the scope derives nothing */
    mls_str from;     /* the key of the records it is made from */
    mls_str group_by; /* the name in their metadata by which they are grouped */
    mls_str field;    /* the name in their metadata of the member that their value becomes */
} mls_derive;

/* The first action of a scope that sets a variable. */
typedef struct mls_setter {
    mls_str key; /* of the records that do; ptr NULL: nothing sets it */
    bool copies; /* it becomes their value */
} mls_setter;

/* A row of src/data/phrases.table; the last has no kind. */
typedef struct mls_phrase {
    char kind;
    const char *form, *words; /* up to a tab, and to the end of the line */
} mls_phrase;

typedef struct mls_scope {
    mls_str name;
    const mls_phrase *phrases; /* those of all scopes */
    mls_rule *rules;
    size_t rule_count;
    mls_expr_list end;
    mls_map symbols;       /* the number of an entry is the variable's slot */
    mls_variable *initial; /* one per symbol */
    mls_setter *setters;   /* likewise */
    mls_derive derive;
    uint32_t derive_from;         /* index of the key it derives from */
    const mls_rule *derived_rule; /* for the records that are made; NULL: nothing looks at them */
} mls_scope;

/* A key that some rule, derivation or alternative names. */
typedef struct mls_rule_key {
    const mls_rule *rules; /* linked by scope, ascending */
    bool compare_values;   /* some rule wants the key exactly once, so values are compared */
    bool derived_from;     /* some scope derives records from it */
} mls_rule_key;

struct mls_ruleset {
    mls_arena memory;
    mls_usage usage;
    mls_str edition;
    mls_str base; /* the edition it builds on, or is */
    mls_scope *scopes;
    size_t scope_count;
    size_t common;     /* index of the scope that is judged first */
    mls_map key_names; /* the number of an entry is the key's index */
    mls_rule_key *keys;
    size_t key_of_id[MLS_KEY_COUNT]; /* the index of a key that has a number; SIZE_MAX: no rule has it */
    const mls_edition *loaded_for;   /* in a list of mls_rulesets */
    mls_ruleset *next;
};

/* Return the index of a key, or SIZE_MAX if no rule of the edition has it. */
size_t mls_ruleset_find_key(const mls_ruleset *ruleset, mls_str name);

/* Return the index of a scope, or SIZE_MAX. */
size_t mls_ruleset_find_scope(const mls_ruleset *ruleset, mls_str name);

/* Check whether an action, or one inside it, could name the scope. */
bool mls_actions_may_use(const mls_action *actions, size_t count, mls_str scope);

/* Return the rule of a scope for a key, which may be SIZE_MAX; NULL if it has none. */
const mls_rule *mls_scope_find_rule(const mls_ruleset *ruleset, size_t scope, size_t key);

/* Check whether one of the scopes [from, end) has a rule for the key, which overrules those of scopes judged before. */
bool mls_scopes_have_rule(const mls_ruleset *ruleset, const size_t *scopes, size_t from, size_t end, size_t key);

/* The scopes that judge a benchmark in a division; those after the first `sure` ones for some values only. */
typedef struct mls_scope_chain {
    const mls_ruleset *ruleset;
    size_t scopes[16];
    size_t count;
    size_t sure;
} mls_scope_chain;

/* Return false if the edition has no rules of its own for the benchmark in this division. */
bool mls_scope_chain_make(const mls_ruleset *ruleset, const char *division, const char *benchmark,
                          mls_scope_chain *chain);

/* Return the phrases in which expressions are worded. */
const mls_phrase *mls_rule_phrases(mls_arena *arena) MLS_MUST_USE;

/* Return the code of a finding about a check that failed: about the value, the metadata or earlier records. */
mls_finding_code mls_rule_words_code(const mls_expr *expr);

/* Append what `expr`, of `scope`, wants of a record, or what a check_any wants reached (`target`): "at
 * most 0.925 and above 0.0". With `input` (may be NULL) variables are shown with values. */
void mls_rule_words_expr(mls_buffer *buffer, const mls_scope *scope, const mls_expr *expr, mls_expr_input *input,
                         bool target);

/* Append what a rule wants of the records of its key, in one line. */
void mls_rule_words_rule(mls_buffer *buffer, const mls_scope *scope, const mls_rule *rule);

/* Append how often: "exactly once", "at least 2 times", "at least once, or block_start". */
void mls_rule_words_occurs(mls_buffer *buffer, const mls_rule *rule);
