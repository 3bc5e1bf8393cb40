/* SPDX-License-Identifier: Apache-2.0 */
/* judging.h - the state of a checker while it judges a log; private to checker.c and checker_end.c.
 *
 * By definition, the scope `common` judges all records, then each scope it queued judges all records again, and so on.
 * A log is read only once, so all scopes that may be queued judge each record at the same time, each with its own
 * variables, findings and queue.  A scope that cannot be queued any more is dropped.  At the end of the log, the queue
 * is replayed, and only the findings of its scopes count. */
#pragma once

#include "log/keep.h"
#include "rules/ruleset.h"

enum {
    MLS_STAGED_MAX = MLS_FINDINGS_KEPT_PER_CODE, /* findings of a list; later ones are only counted */
    MLS_VARIABLE_SIZE_MAX = 1 << 20,             /* bytes of one variable */
    MLS_VALUE_KEPT_MAX = 1 << 14, /* bytes of a value kept for comparison; longer ones are compared by hash */
    MLS_UNKNOWN_USES_MAX = 8,     /* different names of nonexistent scopes, per scope */
    MLS_UNKNOWN_KEYS_MAX = 256,   /* different unknown keys, for advice */
    MLS_UNKNOWN_KEY_LENGTH_MAX = 64,
    MLS_KEPT_BYTES_MAX = 512 * 1024 /* bytes of records kept to be judged again by another edition */
};

/* A value of a key, kept to compare later ones with. */
typedef struct mls_kept_value {
    mls_str text; /* ptr NULL: longer than MLS_VALUE_KEPT_MAX */
    uint64_t hash;
    size_t length;
} mls_kept_value;

/* Number and values of the records with a key, for all scopes. */
typedef struct mls_key_state {
    size_t count;
    size_t lines[2];   /* of the first two */
    size_t other_line; /* of the first record with a different value; 0: all are equal */
    mls_kept_value first, other;
} mls_key_state;

/* A finding that counts only if its scope is queued and, in the list `checks`, not overruled. */
typedef struct mls_staged {
    struct mls_staged *next;
    mls_finding_code code;
    mls_finding_place place;
    mls_str message;
} mls_staged;

typedef struct mls_staged_list {
    mls_staged *first, *last;
    size_t count; /* kept or only counted */
} mls_staged_list;

typedef struct mls_rule_state {
    mls_staged_list checks; /* dropped if another scope overrules the rule */
    mls_staged_list others;
    bool any_held;
    bool any_judged;
    double best;
    size_t best_line;     /* 0: none */
    double best_progress; /* progress of the run at that line; NAN: not logged */
    bool best_in_samples; /* in samples, not epochs */
} mls_rule_state;

/* A scope that a rule queues. */
typedef struct mls_use {
    size_t scope; /* SIZE_MAX: a scope of this name does not exist */
    mls_str name;
    mls_str key;
    size_t line;
} mls_use;

/* The state of a scope.  Its arrays are allocated when it sees its first record, which few scopes do. */
typedef struct mls_scope_state {
    bool live;
    mls_variable *variables;
    mls_rule_state *rules;
    MLS_LIST_OF(mls_use) uses;
    size_t unknown_uses;
    mls_map groups; /* of derived records */
    size_t groups_size;
    mls_arena memory; /* messages, groups */
} mls_scope_state;

/* Facts for advice, which goes beyond the rules. */
typedef struct mls_advice_state {
    double last_time_ms;
    double backwards_ms; /* the largest step back */
    size_t backwards_line;
    double run_start_ms, run_stop_ms;
    size_t run_start_line, run_stop_line; /* of the first one; 0: none */
    mls_str status;                       /* of the run_stop */
    mls_map unknown;                      /* unknown keys → line of the first record */
} mls_advice_state;

struct mls_checker {
    mls_checker_options options;
    const mls_ruleset *ruleset; /* NULL: not known yet */
    const mls_edition *edition; /* the guessed edition; NULL: not guessed */
    const mls_edition *next;    /* the next edition, chosen if a key occurs that only it has; NULL: none */
    const mls_edition *better;  /* the edition that the benchmark, or such a key, points to */
    bool decided;               /* by such a key */
    mls_kept_records kept;      /* all records so far … */
    bool keeps;                 /* … kept until run_start, while later records may point to another edition */
    double first_ms;            /* time of the first record; NAN: none */
    mls_arena memory;           /* per log: the arrays below, kept values, names */
    mls_arena scratch;          /* per record */
    mls_key_state *keys;
    mls_scope_state *scopes;
    size_t order[MLS_SCOPES_MAX]; /* the queue, at the end of the log */
    size_t order_count;
    mls_expr_input input;
    mls_findings findings;
    mls_advice_state advice;
    const char *benchmark;
    size_t benchmark_line;
    size_t records;
};

/* A rule, or a whole scope, with its state.  `rule` and `record` may be NULL. */
typedef struct mls_judging {
    mls_checker *checker;
    const mls_scope *scope;
    mls_scope_state *state;
    const mls_rule *rule;
    mls_rule_state *rule_state;
    const mls_record *record;
} mls_judging;

static inline mls_judging mls_judging_of(mls_checker *checker, const mls_rule *rule, const mls_record *record)
{
    mls_scope_state *state = &checker->scopes[rule->scope];
    const mls_scope *scope = &checker->ruleset->scopes[rule->scope];
    return (mls_judging){checker, scope, state, rule, &state->rules[rule - scope->rules], record};
}

/* Switch to the next record; NULL: none. */
static inline void mls_checker_turn_to(mls_checker *checker, const mls_record *record)
{
    mls_arena_reset(&checker->scratch);
    mls_expr_input_begin(&checker->input, record);
}

/* checker.c */

/* Allocate the variables and results of a scope before its first record. */
void mls_scope_prepare(mls_checker *checker, size_t scope);

/* Apply a rule to a record.  `first` means that it is the first record with its key. */
void mls_rule_apply(const mls_judging *j, bool first);

/* Copy a value into an arena and subtract its size from *room.  Return false if there is not enough room. */
bool mls_value_copy(const mls_value *value, mls_arena *arena, size_t *room, mls_value *copy);

/* Append the scope and the edition to a message, store it in `list`, and release the message. */
void mls_judging_stage(const mls_judging *j, mls_staged_list *list, mls_finding_code code, mls_buffer *message);

/* checker_end.c */

/* Add the value of a record to the record that its scope derives from several. */
void mls_derive_record(mls_checker *checker, size_t scope, const mls_record *record);

/* Store facts for advice.  The second function returns whether the record is the first with a key that no rule
 * mentions. */
void mls_advice_record(mls_checker *checker, const mls_record *record);
bool mls_advice_unknown_key(mls_checker *checker, const mls_record *record);

/* Add all findings, of rules and advice, at the end of the log. */
void mls_checker_judge(mls_checker *checker);
