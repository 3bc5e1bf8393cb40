/* SPDX-License-Identifier: Apache-2.0 */
/* judging.h - what a checker knows about the log it judges, for checker.c and checker_end.c alone.
 *
 * The rules say: judge `common` over all records, then each scope it queued over all records again, and so on.  A log
 * is read only once, so every scope that may still be queued is judged at the same time, each with its own variables
 * and its own lists of findings and of scopes to queue.  A scope that nothing can queue any more is dropped.  When
 * the log has ended the queue is played through, and only what the scopes in it found counts. */
#pragma once

#include "log/keep.h"
#include "rules/ruleset.h"

enum {
    MLS_STAGED_MAX = MLS_FINDINGS_KEPT_PER_CODE, /* of a list; what comes later is only counted */
    MLS_VARIABLE_SIZE_MAX = 1 << 20,             /* bytes that one variable may hold */
    MLS_VALUE_KEPT_MAX = 1 << 14,                /* of a value that later ones are compared with; longer ones by hash */
    MLS_UNKNOWN_USES_MAX = 8,                    /* different names of scopes that do not exist, per scope */
    MLS_UNKNOWN_KEYS_MAX = 256,                  /* different keys that no rule knows, for advice */
    MLS_UNKNOWN_KEY_LENGTH_MAX = 64,
    MLS_KEPT_BYTES_MAX = 512 * 1024 /* of records that may have to be judged by another edition */
};

/* The value that a key was first logged with. */
typedef struct mls_kept_value {
    mls_str text; /* ptr NULL: longer than MLS_VALUE_KEPT_MAX */
    uint64_t hash;
    size_t length;
} mls_kept_value;

/* How often a key came, whatever the scope. */
typedef struct mls_key_state {
    size_t count;
    size_t lines[2];   /* of the first ones */
    size_t other_line; /* of the first record with another value; 0: all the same */
    mls_kept_value first, other;
} mls_key_state;

/* A finding that counts only if its scope is queued and, for some, not overruled. */
typedef struct mls_staged {
    struct mls_staged *next;
    mls_finding_code code;
    mls_finding_place place;
    mls_str message;
} mls_staged;

typedef struct mls_staged_list {
    mls_staged *first, *last;
    size_t count; /* kept or not */
} mls_staged_list;

typedef struct mls_rule_state {
    mls_staged_list checks; /* an overruling scope drops these */
    mls_staged_list others;
    bool any_held;
    bool any_judged;
    double best;
    size_t best_line;     /* 0: there is none */
    double best_progress; /* how far the run was then; NAN: not logged */
    bool best_in_samples; /* samples, not epochs */
} mls_rule_state;

/* A scope that another one would queue. */
typedef struct mls_use {
    size_t scope; /* SIZE_MAX: there is none of this name */
    mls_str name;
    mls_str key;
    size_t line;
} mls_use;

/* Of the many scopes that may be queued few ever see a record: the arrays are made when one does. */
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

/* The facts that advice is given about, beyond the rules. */
typedef struct mls_advice_state {
    double last_time_ms;
    double backwards_ms; /* the largest step back */
    size_t backwards_line;
    double run_start_ms, run_stop_ms;
    size_t run_start_line, run_stop_line; /* of the first; 0: none came */
    mls_str status;                       /* the latter's */
    mls_map unknown;                      /* keys that no rule knows → the line of the first */
} mls_advice_state;

struct mls_checker {
    mls_checker_options options;
    const mls_ruleset *ruleset; /* NULL until it is known */
    const mls_edition *edition; /* guessed; NULL: not guessed */
    const mls_edition *next;    /* which a key that only it has decides for; NULL: none */
    const mls_edition *better;  /* what the benchmark, or such a key, says instead */
    bool decided;               /* by such a key */
    mls_kept_records kept;      /* all records so far … */
    bool keeps;                 /* … as long as others may point to another edition: before run_start */
    double first_ms;            /* time of the first record; NAN: there is none */
    mls_arena memory;           /* per log: the arrays below, kept values, names */
    mls_arena scratch;          /* per record */
    mls_key_state *keys;
    mls_scope_state *scopes;
    size_t order[MLS_SCOPES_MAX]; /* the queue, once the log has ended */
    size_t order_count;
    mls_expr_input input;
    mls_findings findings;
    mls_advice_state advice;
    const char *benchmark;
    size_t benchmark_line;
    size_t records;
};

/* One rule, or a scope as a whole, and what is known of it; `rule` and `record` may be NULL. */
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

/* Turn to the next record, or to none (NULL). */
static inline void mls_checker_turn_to(mls_checker *checker, const mls_record *record)
{
    mls_arena_reset(&checker->scratch);
    mls_expr_input_begin(&checker->input, record);
}

/* checker.c */

/* Make the variables and results of a scope before its first record. */
void mls_scope_prepare(mls_checker *checker, size_t scope);

/* Apply a rule to a record; `first`: the first one of its key. */
void mls_rule_apply(const mls_judging *j, bool first);

/* Copy a value into an arena and reduce *room by its size; false if it is larger than that. */
bool mls_value_copy(const mls_value *value, mls_arena *arena, size_t *room, mls_value *copy);

/* End a message with the scope and the edition, keep it in `list` and release it. */
void mls_judging_stage(const mls_judging *j, mls_staged_list *list, mls_finding_code code, mls_buffer *message);

/* checker_end.c */

/* Put a record's value into the record that its scope derives from several. */
void mls_derive_record(mls_checker *checker, size_t scope, const mls_record *record);

/* Note what advice is given about; return whether the record is the first of a key that no rule knows. */
void mls_advice_record(mls_checker *checker, const mls_record *record);
bool mls_advice_unknown_key(mls_checker *checker, const mls_record *record);

/* Add all findings, of rules and advice, when the log has ended. */
void mls_checker_judge(mls_checker *checker);
