/* SPDX-License-Identifier: Apache-2.0 */
/* checker.c - judge a log: choose the edition, apply the rules to each record, and give the verdict at the end.
 *
 * The rules of an edition are divided into scopes, such as closed_resnet.  By definition, the scope `common` first
 * judges all records of a log.  Its rules may queue further scopes, each of which then judges all records again and may
 * queue more scopes.  This checker reads a log only once.  Each record is judged at once by all scopes that may be
 * queued, and each scope has its own variables, findings and queue.  A scope that cannot be queued anymore is dropped.
 * At the end of the log, the scopes that were really queued are known, and only their findings are reported.  If
 * several of these scopes have a rule for the same key, only the findings of the last one are reported.  Advice is a
 * finding about oddities that the rules do not cover, and never makes a log invalid.
 *
 * The message of a failed check is composed immediately, because the record is not available at the end of the log.
 * Only the first hundred failures of a rule get a message; later ones are counted. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/data.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "base/words.h"
#include "log/keep.h"
#include "rules/ruleset.h"

enum {
    STAGED_MAX = MLS_FINDINGS_KEPT_PER_CODE, /* maximum length of a staged_list; later findings are only counted */
    VARIABLE_SIZE_MAX = 1 << 20,             /* maximum size of a variable in bytes */
    VALUE_KEPT_MAX = 1 << 14, /* maximum size of a kept_value in bytes; longer values are compared by hash */
    UNKNOWN_USES_MAX = 8,     /* maximum number of nonexistent scopes that a scope queues */
    UNKNOWN_KEYS_MAX = 256,   /* maximum number of different unknown keys that are remembered for advice */
    UNKNOWN_KEY_LENGTH_MAX = 64,
    KEPT_BYTES_MAX = 512 * 1024, /* maximum size of the records that are kept to judge them by another edition */
    DERIVED_MAX = 4096,          /* maximum number of derived records of a scope */
    DERIVED_MEMBERS_MAX = 64,
    DERIVED_SIZE_MAX = 4 << 20, /* maximum size of the values in derived records of a scope */
    SHOWN_VALUE_MAX = 80,
    SHOWN_NAMES_MAX = 6
};

#define BACKWARDS_MS 1000.0 /* minimum difference between clocks that is reported */
#define LONG_RUN_MS (24 * 3600 * 1000.0)

/* A value of a key, with which later values of the key are compared. */
typedef struct kept_value {
    mls_str text; /* JSON text; ptr is NULL if it is longer than VALUE_KEPT_MAX */
    uint64_t hash;
    size_t length;
} kept_value;

/* The records with a key: facts that all scopes share. */
typedef struct key_state {
    size_t count;
    size_t lines[2];   /* line numbers of the first two records */
    size_t other_line; /* line number of the first record with another value; 0: all values are equal */
    kept_value first, other;
} key_state;

/* A finding that is reported only if its scope is queued.  A finding in rule_state.checks is also dropped if a later
 * scope has a rule for the key. */
typedef struct staged_finding {
    struct staged_finding *next;
    mls_finding_code code;
    mls_finding_place place;
    mls_str message;
} staged_finding;

typedef struct staged_list {
    staged_finding *first, *last;
    size_t count; /* number of findings, including later ones that are not in the list */
} staged_list;

typedef struct rule_state {
    staged_list checks; /* findings of checks, which are dropped if a later scope has a rule for the same key */
    staged_list others;
    staged_list advice; /* at most STAGED_MAX */
    bool target_reached;
    bool target_tested;
    double best;          /* the logged value that is closest to the target */
    size_t best_line;     /* line number of the best value; 0: no value yet */
    double best_progress; /* progress of the run at the best value, in samples or epochs; NAN: not logged */
    bool best_in_samples; /* best_progress is in samples; false: in epochs */
} rule_state;

/* A scope that a rule queues. */
typedef struct queued_scope {
    size_t scope; /* index of the scope; SIZE_MAX: a scope with this name does not exist */
    mls_str name;
    mls_str key;
    size_t line;
} queued_scope;

/* A record derived from several records that belong together, such as the metrics of one evaluation.  It is composed
 * while the log is read, and judged at the end of the log.  Its first member is the value by which the records are
 * grouped, unless a metric has the same name. */
typedef struct derived_record {
    double time_ms;
    mls_member *members;
    size_t count;
    size_t capacity;
} derived_record;

/* The state of a scope.  The arrays are allocated when the scope judges its first record, because most scopes never
 * judge one. */
typedef struct scope_state {
    bool live; /* the scope is queued, or may still be queued */
    mls_variable *variables;
    rule_state *rules;
    MLS_LIST_OF(queued_scope) uses;
    size_t unknown_uses;
    mls_map derived; /* derived records by the value that they are grouped by */
    size_t derived_size;
    mls_arena memory; /* memory for messages and derived records */
} scope_state;

/* Facts about a log that are needed for advice. */
typedef struct advice_state {
    double last_time_ms;
    double backwards_ms; /* the largest difference by which a record is earlier than the one before it */
    size_t backwards_line;
    double run_start_ms, run_stop_ms;
    size_t run_start_line, run_stop_line; /* line numbers of the first run_start and run_stop; 0: not logged */
    mls_str status;                       /* status of the run_stop */
    mls_map unknown;                      /* from each unknown key to the line number of its first record */
} advice_state;

struct mls_checker {
    mls_checker_options options;
    const mls_ruleset *ruleset; /* the rules that judge the log; NULL: not known before the first record */
    const mls_edition *edition; /* the guessed edition; NULL: the rules were given */
    /* The edition after the guessed one, which is used instead if a key of the log exists only there; NULL: none. */
    const mls_edition *next;
    const mls_edition *better; /* the edition to which the benchmark or such a key points */
    bool decided;              /* a key that exists only in `next` occurred */
    mls_kept_records kept;     /* all records so far, while `keeps` is set */
    /* Records are kept until run_start, because they may have to be judged again by another edition. */
    bool keeps;
    double first_ms;   /* time of the first record in milliseconds since 1970; NAN: no record yet */
    mls_arena memory;  /* memory that is released after each log: the arrays below, kept values, names */
    mls_arena scratch; /* memory that is released after each record */
    key_state *keys;
    scope_state *scopes;
    size_t order[MLS_SCOPES_MAX]; /* at the end of the log: the queued scopes, in the order of judging */
    size_t order_count;
    mls_expr_input input;
    mls_findings findings;
    advice_state advice;
    const char *benchmark;
    size_t benchmark_line;
    size_t records;
};

/* The scope, rule and record that are being judged, with their state.  `rule` is NULL while a whole scope is judged,
 * and `record` is NULL at the end of the log. */
typedef struct judging {
    mls_checker *checker;
    const mls_scope *scope;
    scope_state *state;
    const mls_rule *rule;
    rule_state *rule_state;
    const mls_record *record;
} judging;

static judging judging_of(mls_checker *checker, const mls_rule *rule, const mls_record *record)
{
    scope_state *state = &checker->scopes[rule->scope];
    const mls_scope *scope = &checker->ruleset->scopes[rule->scope];
    return (judging){checker, scope, state, rule, &state->rules[rule - scope->rules], record};
}

/* Switch to the next record, or at the end of the log to NULL, and forget the memory of the last record. */
static void turn_to(mls_checker *checker, const mls_record *record)
{
    mls_arena_reset(&checker->scratch);
    mls_expr_input_begin(&checker->input, record);
}

/* ---- scopes and variables ---- */

static void scope_release(const mls_scope *scope, scope_state *state)
{
    for (size_t i = 0; state->variables != NULL && i < scope->symbols.count; i++)
        mls_arena_release(&state->variables[i].memory);
    mls_arena_release(&state->memory);
    *state = (scope_state){0};
}

static void release_scopes(mls_checker *checker)
{
    for (size_t i = 0; checker->scopes != NULL && i < checker->ruleset->scope_count; i++)
        scope_release(&checker->ruleset->scopes[i], &checker->scopes[i]);
    checker->scopes = NULL;
}

static void scope_prepare(mls_checker *checker, size_t scope_index)
{
    const mls_scope *scope = &checker->ruleset->scopes[scope_index];
    scope_state *state = &checker->scopes[scope_index];
    if (state->rules == NULL) {
        state->rules = mls_arena_zeroed(&checker->memory, scope->rule_count, sizeof *state->rules);
        state->variables = mls_arena_array(&checker->memory, scope->symbols.count, sizeof *state->variables);
        memcpy(state->variables, scope->initial, scope->symbols.count * sizeof *state->variables);
    }
}

/* Set scope_state.live: find the scopes that are queued or may still be queued, and drop all others.  A rule that
 * applies only to the first record of its key cannot queue a scope after this record. */
static void update_live(mls_checker *checker)
{
    const mls_ruleset *ruleset = checker->ruleset;
    size_t found[MLS_SCOPES_MAX] = {ruleset->common};
    bool reached[MLS_SCOPES_MAX] = {false};
    size_t count = 1;
    reached[ruleset->common] = true;
    for (size_t at = 0; at < count; at++) {
        const scope_state *state = &checker->scopes[found[at]];
        const mls_scope *scope = &ruleset->scopes[found[at]];
        for (size_t i = 0; i < state->uses.count; i++) {
            const size_t used = state->uses.items[i].scope;
            if (used != SIZE_MAX && !reached[used]) {
                reached[used] = true;
                found[count++] = used;
            }
        }
        for (size_t r = 0; r < scope->rule_count; r++) {
            const mls_rule *rule = &scope->rules[r];
            const bool may = rule->has_use && !(rule->first_only && checker->keys[rule->key_index].count > 0);
            for (size_t i = 0; may && i < ruleset->scope_count; i++) {
                if (!reached[i] && mls_actions_may_use(rule->actions, rule->action_count, ruleset->scopes[i].name)) {
                    reached[i] = true;
                    found[count++] = i;
                }
            }
        }
    }
    for (size_t i = 0; i < ruleset->scope_count; i++) {
        scope_state *state = &checker->scopes[i];
        if (state->live && !reached[i])
            scope_release(&ruleset->scopes[i], state);
        state->live = reached[i];
    }
}

static bool room_take(size_t *room, size_t size)
{
    const bool fits = size <= *room;
    *room -= fits ? size : 0;
    return fits;
}

static bool value_copy(const mls_value *value, mls_arena *arena, size_t *room, mls_value *copy)
{
    *copy = *value;
    if (!room_take(room, sizeof *value))
        return false;
    if (value->kind == MLS_JSON_STRING) {
        if (!room_take(room, value->as.string.len))
            return false;
        copy->as.string = mls_arena_copy(arena, value->as.string);
        return true;
    }
    if (value->kind == MLS_JSON_LIST) {
        const size_t count = value->as.list.count;
        if (count > *room / sizeof *value)
            return false;
        mls_value *items = mls_arena_array(arena, count, sizeof *items);
        copy->as.list.items = items;
        for (size_t i = 0; i < count; i++)
            if (!value_copy(&value->as.list.items[i], arena, room, &items[i]))
                return false;
    } else if (value->kind == MLS_JSON_OBJECT) {
        const size_t count = value->as.object.count;
        if (count > *room / sizeof *value)
            return false;
        mls_value *values = mls_arena_array(arena, count, sizeof *values);
        mls_member *members = mls_arena_array(arena, count, sizeof *members);
        copy->as.object.members = members;
        for (size_t i = 0; i < count; i++) {
            const mls_member *from = &value->as.object.members[i];
            members[i] = (mls_member){mls_arena_copy(arena, from->name), &values[i]};
            if (!room_take(room, sizeof *from + from->name.len) || !value_copy(from->value, arena, room, &values[i]))
                return false;
        }
    }
    return true;
}

/* ---- one rule and one record ---- */

static void stage(const judging *j, staged_list *list, mls_finding_code code, mls_buffer *message)
{
    if (list->count++ < STAGED_MAX) {
        const mls_str key = code == MLS_FINDING_EVALUATION ? MLS_S("@evaluation") : j->rule->key;
        staged_finding *staged = mls_arena_alloc(&j->state->memory, sizeof *staged);
        mls_buffer_printf(message, " (%s, %s)", j->scope->name.ptr, j->checker->ruleset->edition.ptr);
        *staged = (staged_finding){.code = code,
                                   .place = {NULL, j->record->line, j->record->column, key},
                                   .message = mls_arena_copy(&j->state->memory, mls_buffer_str(message))};
        *(list->last != NULL ? &list->last->next : &list->first) = staged;
        list->last = staged;
    }
    mls_buffer_release(message);
}

/* Append "; submission_division, which sets compile_time_mins, has not been logged yet: log it before init_stop",
 * unless the message already contains the key. */
static void hint_not_yet(const judging *j, const mls_expr *expr, mls_buffer *message)
{
    const mls_checker *checker = j->checker;
    for (const mls_expr_node *node = expr->nodes; node != NULL; node = node->next) {
        const mls_setter *setter = node->op == MLS_EXPR_VARIABLE ? &j->scope->setters[node->slot] : NULL;
        if (setter == NULL || setter->key.ptr == NULL)
            continue;
        const size_t key = mls_ruleset_find_key(checker->ruleset, setter->key);
        mls_buffer named = {0};
        mls_buffer_printf(&named, " after %s| of %s", setter->key.ptr, setter->key.ptr);
        if (key != SIZE_MAX && checker->keys[key].count == 0 &&
            !mls_str_any(mls_buffer_str(message), named.ptr, mls_str_contains)) {
            mls_buffer_printf(message, "; %s", setter->key.ptr);
            if (!setter->copies)
                mls_buffer_printf(message, ", which sets %.*s,", (int)node->text.len - 1, node->text.ptr + 1);
            mls_buffer_printf(message, " has not been logged yet: log it before %s", j->rule->key.ptr);
        }
        mls_buffer_release(&named);
    }
}

/* If a check failed because a member of the metadata is missing, append the members that exist. */
static void hint_metadata(const judging *j, const mls_expr *expr, mls_buffer *message)
{
    const mls_record *record = j->record;
    if (record->payload.ptr == NULL)
        return; /* a derived record has no metadata */
    const mls_value *tree = mls_value_build(record->metadata, &j->checker->scratch);
    if (tree->kind != MLS_JSON_OBJECT) {
        mls_buffer_append_text(message, "; its metadata is ");
        mls_utf8_append_cut(message, record->metadata, SHOWN_VALUE_MAX);
        return;
    }
    const size_t count = tree->as.object.count;
    mls_buffer_append_text(message, count > 0 ? "; it has " : "; it has none");
    for (size_t i = 0; i < count; i++) {
        mls_buffer_append_text(message, i > 0 ? ", " : "");
        if (i == SHOWN_NAMES_MAX) {
            mls_buffer_append_text(message, "…");
            break;
        }
        mls_utf8_append_cut(message, tree->as.object.members[i].name, SHOWN_VALUE_MAX);
    }
    const bool wants_samples = mls_str_contains(expr->text, MLS_S("\"samples_count\""));
    const bool wants_epoch = mls_str_contains(expr->text, MLS_S("\"epoch_num\""));
    if (wants_samples && !wants_epoch && mls_value_member(tree, MLS_S("epoch_num")) != NULL)
        mls_buffer_append_text(message, "; check whether samples_count was logged as epoch_num");
    else if (wants_epoch && !wants_samples && mls_value_member(tree, MLS_S("samples_count")) != NULL)
        mls_buffer_append_text(message, "; check whether epoch_num was logged as samples_count");
}

/* Run a list of checks on a record, and report each failed check.  A check that cannot be evaluated is reported only if
 * no check of the record was reported before; `reported`: the caller has already reported one.  Return whether
 * any check of the record has been reported. */
static bool checks_run(const judging *j, const mls_expr_list *checks, bool reported)
{
    mls_expr_input *input = &j->checker->input;
    staged_list *list = &j->rule_state->checks;
    for (size_t i = 0; i < checks->count; i++) {
        const mls_expr *expr = &checks->items[i];
        const mls_outcome outcome = mls_expr_test(expr, input);
        if (outcome == MLS_OUTCOME_TRUE || (outcome == MLS_OUTCOME_UNKNOWN && reported))
            continue;
        const mls_finding_code code = mls_rule_words_code(expr);
        mls_buffer message = {0};
        char reason[sizeof input->reason];
        /* The functions below may evaluate expressions, which overwrites the reason. */
        memcpy(reason, input->reason, sizeof reason);
        if (list->count < STAGED_MAX) {
            mls_buffer_append(&message, j->rule->key);
            mls_buffer_append_char(&message, ' ');
            mls_rule_words_expr(&message, j->scope, expr, input, false);
            if (outcome == MLS_OUTCOME_UNKNOWN) {
                mls_buffer_printf(&message, ", but %s", reason);
            } else if (code == MLS_FINDING_VALUE && mls_expr_uses(expr, MLS_EXPR_VALUE)) {
                mls_buffer_append_text(&message, ", is ");
                mls_utf8_append_cut(&message, j->record->value, SHOWN_VALUE_MAX);
            } else if (code == MLS_FINDING_METADATA) {
                hint_metadata(j, expr, &message);
            }
            hint_not_yet(j, expr, &message);
        }
        stage(j, list, outcome == MLS_OUTCOME_UNKNOWN ? MLS_FINDING_UNEVALUATED : code, &message);
        reported = true;
    }
    return reported;
}

/* Add advice for each demand of the rules' text that the record does not meet, unless it cannot be evaluated. */
static void advice_run(const judging *j)
{
    mls_expr_input *input = &j->checker->input;
    staged_list *list = &j->rule_state->advice;
    const mls_expr_list *demands = &j->rule->advice;
    for (size_t i = 0; i < demands->count && list->count < STAGED_MAX; i++) {
        if (mls_expr_test(&demands->items[i], input) == MLS_OUTCOME_FALSE) {
            mls_buffer message = {0};
            mls_buffer_printf(&message, "%s ", j->rule->key.ptr);
            mls_rule_words_expr(&message, j->scope, &demands->items[i], input, false);
            mls_buffer_append_text(&message, ", is ");
            mls_utf8_append_cut(&message, j->record->value, SHOWN_VALUE_MAX);
            mls_buffer_printf(&message, "; not tested by the MLCommons checkers, see %s", j->rule->advice_source.ptr);
            stage(j, list, MLS_FINDING_RULES_TEXT, &message);
        }
    }
}

/* Check whether a record reaches the targets of a rule.  A log is valid if one of its records reaches all targets.
 * Store the value closest to the target, for a message if no record reaches it. */
static void targets_run(const judging *j)
{
    static const char *const progress[] = {"samples_count", "epoch_num"};
    const mls_expr_list *targets = &j->rule->check_any;
    const mls_record *record = j->record;
    rule_state *state = j->rule_state;
    mls_value value;
    mls_str span;
    double number;
    bool held = true;
    state->target_tested = true;
    for (size_t i = 0; i < targets->count; i++) {
        const mls_expr *target = &targets->items[i];
        const mls_outcome outcome = mls_expr_test(target, &j->checker->input);
        held = held && outcome == MLS_OUTCOME_TRUE;
        if (outcome == MLS_OUTCOME_UNKNOWN) {
            mls_buffer message = {0};
            if (state->others.count < STAGED_MAX) {
                mls_buffer_printf(&message, "%s must be comparable with the target (", j->rule->key.ptr);
                mls_rule_words_expr(&message, j->scope, target, NULL, true);
                mls_buffer_printf(&message, "), but %s", j->checker->input.reason);
                hint_not_yet(j, target, &message);
            }
            stage(j, &state->others, MLS_FINDING_EVALUATION, &message);
        }
    }
    state->target_reached |= held;
    const mls_expr_node *node = targets->items[0].root;
    while (node->op == MLS_EXPR_AND)
        node = node->operands[0];
    if (state->target_reached || node->op < MLS_EXPR_LESS || node->op > MLS_EXPR_GREATER_EQUAL ||
        node->operands[0]->op != MLS_EXPR_VALUE || record->payload.ptr == NULL ||
        !mls_expr_evaluate(node->operands[0], &j->checker->input, &value) || !mls_value_number(&value, &number) ||
        isnan(number))
        return;
    const int direction = node->op <= MLS_EXPR_LESS_EQUAL ? -1 : 1;
    if (state->best_line == 0 || (number - state->best) * direction > 0) {
        state->best = number;
        state->best_line = record->line;
        state->best_progress = NAN;
        state->best_in_samples = mls_record_metadata_member(record, mls_str_from(progress[0]), &span);
        if (state->best_in_samples || mls_record_metadata_member(record, mls_str_from(progress[1]), &span))
            (void)mls_json_number(span, &state->best_progress);
    }
}

/* Add the scope that an action of the rule queues, unless it was queued before.  Return false if the expression cannot
 * be evaluated. */
static bool use_run(const judging *j, const mls_action *action)
{
    mls_checker *checker = j->checker;
    scope_state *state = j->state;
    const mls_str written = j->record->value;
    mls_value value = {.kind = MLS_JSON_STRING};
    mls_buffer name = {0};
    if (action->has_expr && !mls_expr_evaluate(action->expr.root, &checker->input, &value))
        return false;
    mls_buffer_append(&name, action->prefix);
    if (value.kind == MLS_JSON_STRING)
        mls_buffer_append(&name, value.as.string);
    else
        mls_value_show(&name, &value);
    mls_buffer_append(&name, action->suffix);
    const size_t target = mls_ruleset_find_scope(checker->ruleset, mls_buffer_str(&name));
    if (target == SIZE_MAX && mls_expr_uses(&action->expr, MLS_EXPR_VALUE) && written.len > 1 &&
        written.ptr[0] == '"') {
        /* Expressions decode the bytes of the log as Latin-1, but messages should contain the original bytes. */
        mls_buffer_clear(&name);
        mls_buffer_append(&name, action->prefix);
        mls_buffer_append(&name, (mls_str){written.ptr + 1, written.len - 2});
        mls_buffer_append(&name, action->suffix);
    }
    bool noted = target == SIZE_MAX && state->unknown_uses == UNKNOWN_USES_MAX;
    for (size_t i = 0; i < state->uses.count && !noted; i++) {
        const queued_scope *use = &state->uses.items[i];
        noted = use->scope == target && (target != SIZE_MAX || mls_str_equal(use->name, mls_buffer_str(&name)));
    }
    if (!noted) {
        const mls_str kept = mls_arena_copy(&checker->memory, mls_utf8_cut(mls_buffer_str(&name), VALUE_KEPT_MAX));
        state->unknown_uses += target == SIZE_MAX;
        MLS_ARENA_ADD(&checker->memory, &state->uses, (queued_scope){target, kept, j->rule->key, j->record->line});
    }
    mls_buffer_release(&name);
    return true;
}

static bool actions_run(const judging *j, const mls_action *actions, size_t count)
{
    mls_expr_input *input = &j->checker->input;
    bool done = true;
    for (size_t i = 0; done && i < count; i++) {
        const mls_action *action = &actions[i];
        mls_variable *variable = &j->state->variables[action->slot];
        mls_value *list = &variable->value;
        mls_value value;
        mls_value copy;
        if (action->kind == MLS_ACTION_USE) {
            done = use_run(j, action);
        } else if (action->kind == MLS_ACTION_IF) {
            const mls_outcome outcome = mls_expr_test(&action->expr, input);
            done = outcome == MLS_OUTCOME_FALSE ||
                   (outcome == MLS_OUTCOME_TRUE && actions_run(j, action->actions, action->action_count));
        } else if (action->kind == MLS_ACTION_APPEND && variable->set && list->kind == MLS_JSON_LIST) {
            /* The list may be shared; if its capacity is 0, growing copies it. */
            mls_value *grown = (mls_value *)(uintptr_t)list->as.list.items;
            size_t room = VARIABLE_SIZE_MAX - variable->used;
            if (!mls_expr_evaluate(action->expr.root->operands[1], input, &value))
                return false;
            if (!value_copy(&value, &variable->memory, &room, &copy))
                return mls_expr_fail(input, "the variable would hold more than 1 MiB");
            variable->used = VARIABLE_SIZE_MAX - room;
            for (size_t k = 0; k < copy.as.list.count; k++) {
                mls_arena_grow(&variable->memory, (void **)&grown, list->as.list.count, &variable->capacity,
                               sizeof *grown);
                grown[list->as.list.count++] = copy.as.list.items[k];
                list->as.list.items = grown;
            }
        } else if (mls_expr_evaluate(action->expr.root, input, &value)) {
            /* The new value may refer to the old one, so copy it before the old one is freed. */
            mls_variable fresh = {.set = true};
            size_t room = VARIABLE_SIZE_MAX;
            if (!value_copy(&value, &fresh.memory, &room, &fresh.value)) {
                mls_arena_release(&fresh.memory);
                return mls_expr_fail(input, "the variable would hold more than 1 MiB");
            }
            fresh.used = VARIABLE_SIZE_MAX - room;
            mls_arena_release(&variable->memory);
            *variable = fresh;
        } else {
            done = false;
        }
    }
    return done;
}

static void rule_apply(const judging *j, bool first)
{
    const mls_rule *rule = j->rule;
    if (rule->first_only && !first)
        return;
    j->checker->input.variables = j->state->variables;
    const bool reported = checks_run(j, &rule->check, false);
    if (first && rule->check_first.count > 0)
        (void)checks_run(j, &rule->check_first, reported);
    if (rule->check_any.count > 0)
        targets_run(j);
    if (rule->advice.count > 0)
        advice_run(j);
    if (rule->action_count > 0 && !actions_run(j, rule->actions, rule->action_count)) {
        mls_buffer message = {0};
        mls_buffer_printf(&message, "rules that depend on %s cannot use it: %s", rule->key.ptr,
                          j->checker->input.reason);
        stage(j, &j->rule_state->others, MLS_FINDING_ACTION, &message);
    }
}

/* ---- derived records ---- */

/* Set a member of a derived record.  Return false if it is too large. */
static bool put_member(scope_state *state, derived_record *group, mls_str name, const mls_value *value)
{
    size_t room = DERIVED_SIZE_MAX - state->derived_size;
    size_t at = 0;
    while (at < group->count && !mls_str_equal(group->members[at].name, name))
        at++;
    if (at > DERIVED_MEMBERS_MAX || name.len > room)
        return false;
    room -= name.len;
    mls_value *copy = mls_arena_alloc(&state->memory, sizeof *copy);
    const mls_str kept = mls_arena_copy(&state->memory, name);
    if (!value_copy(value, &state->memory, &room, copy))
        return false;
    mls_arena_grow(&state->memory, (void **)&group->members, at, &group->capacity, sizeof *group->members);
    group->members[at] = (mls_member){kept, copy};
    group->count += at == group->count;
    state->derived_size = DERIVED_SIZE_MAX - room;
    return true;
}

/* Return the derived record for the value `by` of the member `group_by`; create it if necessary.  Return NULL if there
 * are too many derived records. */
static derived_record *find_group(scope_state *state, mls_str group_by, const mls_value *by)
{
    /* Numbers get a key with a prefix byte that never occurs in text.  NaN is not equal to itself, so each NaN gets a
     * new key. */
    char bytes[1 + sizeof(double)] = {'\xff'};
    double number;
    mls_str key = {bytes, 1};
    if (mls_value_number(by, &number)) {
        bytes[0] = isnan(number) ? '\xfe' : '\xff';
        number = isnan(number) ? (double)state->derived.count : number + 0.0; /* adding 0 turns -0 into 0 */
        memcpy(bytes + 1, &number, sizeof number);
        key.len = sizeof bytes;
    } else if (by->kind == MLS_JSON_STRING) {
        key = by->as.string;
    }
    state->derived.arena = &state->memory;
    mls_map_entry *entry = mls_map_find(&state->derived, key);
    if (entry != NULL || state->derived.count == DERIVED_MAX)
        return entry != NULL ? entry->value.pointer : NULL;
    derived_record *group = mls_arena_alloc(&state->memory, sizeof *group);
    *group = (derived_record){.time_ms = -INFINITY};
    if (!put_member(state, group, group_by, by))
        return NULL;
    mls_map_put(&state->derived, key, NULL)->value.pointer = group;
    return group;
}

static bool is_compound(const mls_value *value)
{
    return value->kind == MLS_JSON_LIST || value->kind == MLS_JSON_OBJECT;
}

static void derive_record(mls_checker *checker, size_t scope, const mls_record *record)
{
    const mls_derive *derive = &checker->ruleset->scopes[scope].derive;
    scope_state *state = &checker->scopes[scope];
    const mls_value *metadata = mls_expr_input_tree(&checker->input, MLS_EXPR_METADATA);
    const mls_value *value = mls_expr_input_tree(&checker->input, MLS_EXPR_VALUE);
    const mls_value *field = mls_value_member(metadata, derive->field);
    const mls_value *by = mls_value_member(metadata, derive->group_by);
    /* Metadata that are a text or a list do not have members, so such a record is ignored. */
    const bool object = metadata->kind == MLS_JSON_OBJECT;
    if (object ? field == NULL : metadata->kind == MLS_JSON_STRING || metadata->kind == MLS_JSON_LIST)
        return;
    mls_finding_code code = MLS_FINDING_EVALUATION;
    const char *wrong = !object              ? "has no metadata"
                        : by == NULL         ? "is missing in its metadata"
                        : is_compound(by)    ? "is neither a number nor a string"
                        : is_compound(field) ? "has a metric without a name"
                                             : NULL;
    derived_record *group = wrong == NULL ? find_group(state, derive->group_by, by) : NULL;
    if (group != NULL)
        group->time_ms = fmax(record->time_ms, group->time_ms);
    /* A rule can only refer to a member whose name is a string, so other members are not stored. */
    if (wrong == NULL &&
        (group == NULL || (field->kind == MLS_JSON_STRING && !put_member(state, group, field->as.string, value)))) {
        code = MLS_FINDING_TOO_MUCH;
        wrong = "has too many different values";
    }
    const mls_rule *rule = checker->ruleset->scopes[scope].derived_rule;
    if (wrong != NULL && rule != NULL) {
        const judging j = judging_of(checker, rule, record);
        mls_buffer message = {0};
        mls_buffer_printf(&message, "cannot derive %s: %s of %s %s", derive->key.ptr, derive->group_by.ptr,
                          derive->from.ptr, wrong);
        stage(&j, &j.rule_state->others, code, &message);
    }
}

/* Apply the rule for derived records to all derived records of a scope. */
static void derive_finish(mls_checker *checker, size_t scope_index)
{
    const mls_scope *scope = &checker->ruleset->scopes[scope_index];
    scope_state *state = &checker->scopes[scope_index];
    const mls_rule *rule = scope->derived_rule;
    for (size_t i = 0; rule != NULL && i < state->derived.count; i++) {
        const derived_record *group = state->derived.entries[i].value.pointer;
        const mls_value value = {.kind = MLS_JSON_OBJECT, .as.object = {group->members, group->count}};
        const mls_value metadata = {.kind = MLS_JSON_OBJECT};
        const mls_member members[] = {{MLS_S("key"), &metadata},
                                      {MLS_S("value"), &value},
                                      {MLS_S("metadata"), &metadata},
                                      {MLS_S("time_ms"), &metadata}};
        const mls_value whole = {.kind = MLS_JSON_OBJECT, .as.object = {members, 4}};
        mls_buffer shown = {0};
        mls_value_show(&shown, &value);
        const mls_record record = {.time_ms = group->time_ms,
                                   .key = scope->derive.key,
                                   .value = mls_buffer_str(&shown),
                                   .metadata = MLS_S("{}")};
        turn_to(checker, &record);
        checker->input.parts[MLS_EXPR_VALUE].tree = &value;
        checker->input.parts[MLS_EXPR_METADATA].tree = &metadata;
        checker->input.parts[MLS_EXPR_RECORD].tree = &whole;
        const judging j = judging_of(checker, rule, &record);
        rule_apply(&j, i == 0 && checker->keys[rule->key_index].count == 0);
        mls_buffer_release(&shown);
    }
    turn_to(checker, NULL);
}

/* ---- advice ---- */

static void advice_edition(mls_checker *checker)
{
    if (checker->benchmark == NULL || checker->options.rulesets == NULL)
        return;
    const mls_editions *editions = mls_rulesets_editions(checker->options.rulesets);
    const mls_ruleset *ruleset = checker->ruleset;
    const mls_str benchmark = mls_str_from(checker->benchmark);
    const mls_edition *here;
    if (mls_editions_find(editions, ruleset->usage, ruleset->edition, &here, NULL) != MLS_OK ||
        mls_edition_has_benchmark(here, benchmark))
        return;
    const mls_finding_place place = {.line = checker->benchmark_line, .key = MLS_S("submission_benchmark")};
    const char *called = mls_benchmark_called(checker->benchmark);
    if (called != checker->benchmark) {
        mls_findings_add(&checker->findings, MLS_FINDING_OTHER_EDITION, place,
                         "the reference code names this benchmark %s; the rules require %s", checker->benchmark,
                         called);
        return;
    }
    for (int usage = 0; usage < MLS_USAGE_COUNT; usage++) {
        const mls_edition *other = mls_editions_guess(editions, (mls_usage)usage, checker->first_ms, benchmark);
        const bool known = mls_edition_has_benchmark(other, benchmark);
        if (known && other->usage == ruleset->usage) {
            mls_findings_add(&checker->findings, MLS_FINDING_OTHER_EDITION, place,
                             "round %s does not have benchmark %s, but %s does; try --edition %s", ruleset->edition.ptr,
                             checker->benchmark, other->name, other->name);
            return;
        }
        if (known) {
            mls_findings_add(&checker->findings, MLS_FINDING_OTHER_EDITION, place,
                             "%s is a benchmark of %s; try --usage %s", checker->benchmark,
                             mls_usage_name(other->usage), mls_usage_name(other->usage));
        }
    }
}

/* Add advice about the course of the run, about misspelled keys, and about different values of a key that must occur
 * exactly once only in other scopes. */
static void add_advice(mls_checker *checker)
{
    const advice_state *advice = &checker->advice;
    const mls_ruleset *ruleset = checker->ruleset;
    const mls_finding_place stop = {.line = advice->run_stop_line, .key = MLS_S("run_stop")};
    const double duration = advice->run_stop_ms - advice->run_start_ms;
    if (advice->status.ptr != NULL && !mls_str_equal(advice->status, MLS_S("success"))) {
        mls_findings_add_as(&checker->findings, MLS_FINDING_STATUS, MLS_SEVERITY_ADVICE, stop,
                            "run_stop has status %.*s", MLS_CUT(advice->status, 60));
    }
    if (advice->backwards_ms > BACKWARDS_MS) {
        mls_findings_add(&checker->findings, MLS_FINDING_CLOCK, (mls_finding_place){.line = advice->backwards_line},
                         "this record's time is %.3f s before that of an earlier one", advice->backwards_ms / 1000);
    }
    if (advice->run_start_line > 0 && advice->run_stop_line > 0 && duration > LONG_RUN_MS)
        mls_findings_add(&checker->findings, MLS_FINDING_LONG_RUN, stop, "the run took %.1f hours", duration / 3600000);
    if (checker->records == 0)
        return;
    advice_edition(checker);
    for (size_t i = 0; i < advice->unknown.count; i++) {
        const mls_map_entry *unknown = &advice->unknown.entries[i];
        const mls_finding_place place = {.line = unknown->value.number, .key = unknown->key};
        const mls_str meant = mls_key_meant(unknown->key);
        /* Find the missing required key that is most similar. */
        mls_suggestion nearest = mls_suggest_for(meant);
        nearest.distance = meant.len < 8 ? 2 : 3;
        for (size_t at = 0; at < checker->order_count; at++) {
            const mls_scope *scope = &ruleset->scopes[checker->order[at]];
            for (size_t r = 0; r < scope->rule_count; r++)
                if (checker->keys[scope->rules[r].key_index].count == 0 && scope->rules[r].max > 0)
                    mls_suggest_add(&nearest, scope->rules[r].key);
        }
        const mls_str found = nearest.found;
        if (found.ptr != NULL && !mls_str_equal(meant, unknown->key) && mls_str_equal(meant, found)) {
            mls_findings_add(
                &checker->findings, MLS_FINDING_MISSPELT, place,
                "%s is AMD's name for %s; rename it, because the MLCommons compliance checker reports %s as missing",
                unknown->key.ptr, found.ptr, found.ptr);
        } else if (found.ptr != NULL) {
            mls_findings_add(&checker->findings, MLS_FINDING_MISSPELT, place,
                             "unknown key %s, and %s is missing; check the spelling", unknown->key.ptr, found.ptr);
        }
    }
    for (size_t k = 0; k < ruleset->key_names.count; k++) {
        const key_state *state = &checker->keys[k];
        const mls_str key = ruleset->key_names.entries[k].key;
        if (state->other_line > 0 && !mls_scopes_have_rule(ruleset, checker->order, 0, checker->order_count, k)) {
            mls_findings_add(&checker->findings, MLS_FINDING_SEVERAL_VALUES,
                             (mls_finding_place){.line = state->other_line, .key = key},
                             "%s differs from its value at line %zu", key.ptr, state->lines[0]);
        }
    }
}

/* ---- a log ---- */

mls_checker *mls_checker_new(const mls_checker_options *options)
{
    mls_checker *checker = mls_calloc(1, sizeof *checker);
    checker->options = *options;
    mls_checker_reset(checker);
    return checker;
}

void mls_checker_free(mls_checker *checker)
{
    if (checker != NULL) {
        release_scopes(checker);
        mls_arena_release(&checker->memory);
        mls_arena_release(&checker->scratch);
        mls_records_release(&checker->kept);
        mls_findings_release(&checker->findings);
        free(checker);
    }
}

void mls_checker_reset(mls_checker *checker)
{
    release_scopes(checker);
    mls_findings_release(&checker->findings);
    mls_records_forget(&checker->kept);
    mls_arena_reset(&checker->memory);
    mls_arena_reset(&checker->scratch);
    *checker = (mls_checker){.options = checker->options,
                             .memory = checker->memory,
                             .scratch = checker->scratch,
                             .kept = checker->kept,
                             .keeps = checker->options.ruleset == NULL,
                             .ruleset = checker->options.ruleset,
                             .first_ms = NAN};
}

void mls_checker_turn(mls_checker *checker, const mls_ruleset *ruleset)
{
    checker->options.ruleset = ruleset;
    mls_checker_reset(checker);
}

void mls_checker_malformed(mls_checker *checker, const mls_malformed *malformed)
{
    const mls_finding_place place = {.line = malformed->line, .column = malformed->column, .key = MLS_S("@malformed")};
    /* If two processes wrote to the same line, the payload contains ":::MLLOG " or a second member "key". */
    const mls_str payload = malformed->payload;
    const char *key = payload.len > 0 ? memmem(payload.ptr, payload.len, "\"key\"", 5) : NULL;
    const bool two = key != NULL && mls_str_contains((mls_str){key + 5, payload.len - (size_t)(key + 5 - payload.ptr)},
                                                     MLS_S("\"key\""));
    mls_findings_add(&checker->findings, MLS_FINDING_MALFORMED, place, "not a record: %s%s", malformed->reason,
                     malformed->torn || two ? "; two processes may have written to this line" : "");
}

static kept_value value_keep(mls_checker *checker, mls_str text)
{
    kept_value kept = {.hash = mls_str_hash(text, 0), .length = text.len};
    if (text.len <= VALUE_KEPT_MAX)
        kept.text = mls_arena_copy(&checker->memory, text);
    return kept;
}

/* Count a record with a key.  If the rules require the key exactly once, compare its value with the value of the first
 * record. */
static void count_key(mls_checker *checker, size_t key_index, const mls_record *record)
{
    key_state *state = &checker->keys[key_index];
    const mls_str text = record->value;
    const mls_str first = state->first.text;
    bool same;
    if (state->count < 2)
        state->lines[state->count] = record->line;
    state->count++;
    if (!checker->ruleset->keys[key_index].compare_values || state->other_line != 0)
        return;
    if (state->count == 1) {
        state->first = value_keep(checker, text);
        return;
    }
    if (first.ptr == NULL || text.len > VALUE_KEPT_MAX)
        same = state->first.length == text.len && state->first.hash == mls_str_hash(text, 0);
    else if (mls_str_equal(first, text) &&
             (mls_json_kind_of(text) == MLS_JSON_STRING || !mls_str_contains(text, MLS_S("NaN"))))
        same = true;
    else /* different JSON texts may have equal values */
        same = mls_value_equal(mls_value_build(first, &checker->scratch), mls_value_build(text, &checker->scratch));
    if (!same) {
        state->other = value_keep(checker, text);
        state->other_line = record->line;
    }
}

/* Check whether the rule file of an edition contains the quoted key. */
static bool is_in_file(const mls_edition *edition, mls_str key)
{
    char quoted[UNKNOWN_KEY_LENGTH_MAX + 3];
    char name[64];
    (void)snprintf(name, sizeof name, "rules/%s-%s.json", mls_usage_name(edition->usage), edition->name);
    (void)snprintf(quoted, sizeof quoted, "\"%.*s\"", (int)key.len, key.ptr);
    return mls_str_contains(mls_data_find(name), mls_str_from(quoted));
}

/* Use the edition `next` if it is the first edition with rules for the key.  Rule files of earlier editions are only
 * searched for the text of the key, which is faster than loading them. */
static void follow_key(mls_checker *checker, mls_str key)
{
    mls_rulesets *rulesets = checker->options.rulesets;
    const mls_edition *next = checker->next;
    const mls_edition *edition;
    const mls_ruleset *ruleset;
    if (!checker->keeps || next == NULL || checker->decided)
        return;
    bool first = is_in_file(next, key);
    for (size_t i = 0; first && (edition = mls_editions_get(mls_rulesets_editions(rulesets), next->usage, i)) != next;
         i++)
        first = !is_in_file(edition, key);
    if (first && mls_rulesets_get(rulesets, next, &ruleset, NULL) == MLS_OK &&
        mls_ruleset_find_key(ruleset, key) != SIZE_MAX) {
        checker->better = next;
        checker->decided = true;
    }
}

/* Apply to a record the rules for its key, in all scopes that are queued or may be queued. */
static void apply_rules(mls_checker *checker, size_t key_index, const mls_record *record)
{
    const mls_ruleset *ruleset = checker->ruleset;
    const mls_rule_key *key = &ruleset->keys[key_index];
    const bool first = checker->keys[key_index].count == 0;
    bool queues = false;
    turn_to(checker, record);
    count_key(checker, key_index, record);
    for (const mls_rule *rule = key->rules; rule != NULL; rule = rule->next) {
        if (checker->scopes[rule->scope].live) {
            scope_prepare(checker, rule->scope);
            const judging j = judging_of(checker, rule, record);
            rule_apply(&j, first);
            queues |= rule->has_use && rule->first_only && first;
        }
    }
    for (size_t s = 0; key->derived_from && s < ruleset->scope_count; s++) {
        if (checker->scopes[s].live && ruleset->scopes[s].derive.key.ptr != NULL &&
            ruleset->scopes[s].derive_from == key_index) {
            scope_prepare(checker, s);
            derive_record(checker, s, record);
        }
    }
    if (queues)
        update_live(checker);
    if (!first || record->key_id != MLS_KEY_SUBMISSION_BENCHMARK)
        return;
    /* The benchmark and the keys logged before it may show that the log is of another edition than the one guessed from
     * its date. */
    mls_str text = {NULL, 0};
    (void)mls_json_string(record->value, &checker->memory, &text);
    checker->benchmark = text.ptr;
    checker->benchmark_line = record->line;
    if (checker->edition == NULL || checker->decided)
        return;
    const mls_editions *editions = mls_rulesets_editions(checker->options.rulesets);
    const mls_str benchmark = mls_str_from(text.ptr != NULL ? text.ptr : "");
    const mls_usage asked = checker->options.usage;
    const mls_usage usage = checker->options.any_usage ? mls_editions_usage_of(editions, asked, benchmark) : asked;
    const mls_edition *edition = mls_editions_guess(editions, usage, checker->first_ms, benchmark);
    const mls_map *unknown = &checker->advice.unknown;
    checker->next = mls_editions_neighbour(editions, edition, benchmark, 1);
    checker->better = edition != checker->edition ? edition : NULL;
    for (size_t i = 0; i < unknown->count && checker->better == NULL; i++)
        follow_key(checker, unknown->entries[i].key);
}

static mls_status judge_record(void *state, const mls_record *record)
{
    mls_checker *checker = state;
    advice_state *advice = &checker->advice;
    const mls_key id = record->key_id;
    const bool other = id == MLS_KEY_OTHER && record->key.ptr != NULL;
    const size_t key = other                     ? mls_ruleset_find_key(checker->ruleset, record->key)
                       : record->key.ptr != NULL ? checker->ruleset->key_of_id[id]
                                                 : SIZE_MAX;
    mls_str span;
    /* Report a clock that goes back only for these records.  Evaluations and blocks are often logged late, and a
     * cache_clear may belong to the next run. */
    if (id == MLS_KEY_INIT_START || id == MLS_KEY_INIT_STOP || id == MLS_KEY_RUN_START || id == MLS_KEY_RUN_STOP) {
        const double back = advice->last_time_ms - record->time_ms;
        if (back > advice->backwards_ms) {
            advice->backwards_ms = back;
            advice->backwards_line = record->line;
        }
        advice->last_time_ms = fmax(advice->last_time_ms, record->time_ms);
    }
    if (advice->run_start_line == 0 && id == MLS_KEY_RUN_START) {
        advice->run_start_line = record->line;
        advice->run_start_ms = record->time_ms;
    } else if (advice->run_stop_line == 0 && id == MLS_KEY_RUN_STOP) {
        advice->run_stop_line = record->line;
        advice->run_stop_ms = record->time_ms;
        if (mls_record_metadata_member(record, MLS_S("status"), &span))
            (void)mls_json_string(span, &checker->memory, &advice->status);
    }
    if (key != SIZE_MAX) {
        apply_rules(checker, key, record);
    } else if (other && record->key.len <= UNKNOWN_KEY_LENGTH_MAX && advice->unknown.count < UNKNOWN_KEYS_MAX) {
        bool added;
        mls_map_entry *entry = mls_map_put(&advice->unknown, record->key, &added);
        if (added) {
            entry->value.number = record->line;
            follow_key(checker, record->key);
        }
    }
    return MLS_OK;
}

/* Start judging by the rules of an edition, and judge all kept records again.  If `edition` is NULL, use the given
 * rules or, if none were given, the edition guessed from the date of the first record. */
static mls_status judge_by(mls_checker *checker, const mls_edition *edition)
{
    const mls_checker_options *options = &checker->options;
    mls_status status = options->ruleset != NULL || options->rulesets != NULL ? MLS_OK : MLS_ERROR_VALUE;
    release_scopes(checker);
    mls_arena_reset(&checker->memory);
    checker->better = NULL;
    checker->benchmark = NULL;
    checker->advice = (advice_state){.last_time_ms = -INFINITY, .unknown.arena = &checker->memory};
    checker->input = (mls_expr_input){.arena = &checker->scratch};
    if (edition == NULL && options->ruleset == NULL && status == MLS_OK) {
        edition =
            mls_editions_guess(mls_rulesets_editions(options->rulesets), options->usage, checker->first_ms, MLS_S(""));
    }
    checker->edition = edition;
    if (edition != NULL)
        status = mls_rulesets_get(options->rulesets, edition, &checker->ruleset, NULL);
    if (status != MLS_OK)
        return status;
    const mls_ruleset *ruleset = checker->ruleset;
    checker->keys = mls_arena_zeroed(&checker->memory, ruleset->key_names.count, sizeof *checker->keys);
    checker->scopes = mls_arena_zeroed(&checker->memory, ruleset->scope_count, sizeof *checker->scopes);
    update_live(checker); /* no scope is queued yet, so this finds all scopes that may be queued at all */
    const mls_sink sink = {.state = checker, .record = judge_record};
    return mls_records_replay(&checker->kept, &sink);
}

mls_status mls_checker_record(mls_checker *checker, const mls_record *record)
{
    mls_status status = MLS_OK;
    if (checker->records++ == 0) {
        checker->first_ms = record->time_ms;
        status = judge_by(checker, NULL);
    }
    if (record->torn) {
        mls_findings_add(&checker->findings, MLS_FINDING_TORN_LINE,
                         (mls_finding_place){.line = record->line, .column = record->column}, "%s",
                         mls_record_torn_words(record).text);
    }
    if (checker->keeps) {
        checker->keeps = record->key_id != MLS_KEY_RUN_START && record->key_id != MLS_KEY_RUN_STOP &&
                         record->payload.len < KEPT_BYTES_MAX - checker->kept.bytes.len;
        if (checker->keeps)
            (void)mls_records_keep(&checker->kept, record);
    }
    if (status == MLS_OK)
        status = judge_record(checker, record);
    while (status == MLS_OK && checker->better != NULL && checker->keeps)
        status = judge_by(checker, checker->better);
    return status;
}

/* ---- the verdict ---- */

/* Add a finding with `message`, and release the message.  `placed`: append the names of the scope and the edition. */
static void end_add(const judging *j, mls_finding_code code, mls_finding_place place, bool placed, mls_buffer *message)
{
    if (placed)
        mls_buffer_printf(message, " (%s, %s)", j->scope->name.ptr, j->checker->ruleset->edition.ptr);
    mls_findings_add(&j->checker->findings, code, place, "%s", message->ptr);
    mls_buffer_release(message);
}

/* Check whether a scope after order[at] has a rule for the key, which then applies instead of the rule of order[at]. */
static bool is_overruled(const mls_checker *checker, size_t at, uint32_t key)
{
    return mls_scopes_have_rule(checker->ruleset, checker->order, at + 1, checker->order_count, key);
}

/* At the end of a log, check whether the target of a rule was reached, and whether its key has the required number of
 * records.  `overruled`: a later scope has a rule for the same key, so check only alternative keys. */
static void judge_rule(const judging *j, bool overruled)
{
    const mls_rule *rule = j->rule;
    const mls_expr_list *targets = &rule->check_any;
    const rule_state *state = j->rule_state;
    const key_state *key = &j->checker->keys[rule->key_index];
    const bool derived = j->scope->derive.key.ptr != NULL && mls_str_equal(j->scope->derive.key, rule->key);
    const size_t count = key->count + (derived ? j->state->derived.count : 0);
    const bool several = rule->other_count == 0 && !overruled && rule->max == 1 && count > 1;
    bool missing = rule->other_count > 0 ? count == 0 : !overruled && count < rule->min;
    mls_buffer message = {0};
    if (targets->count > 0 && state->target_tested && !state->target_reached) {
        mls_buffer_printf(&message, "%s must reach ", rule->key.ptr);
        for (size_t i = 0; i < targets->count; i++) {
            mls_buffer_append_text(&message, i > 0 ? " and " : "");
            mls_rule_words_expr(&message, j->scope, &targets->items[i], &j->checker->input, true);
        }
        if (state->best_line > 0) { /* "; best was 0.931 at 3,072 samples, line 88" */
            mls_buffer_printf(&message, "; best was %s", mls_words_exact(state->best).text);
            if (!isnan(state->best_progress)) {
                mls_buffer_printf(&message, " at %s%s%s", state->best_in_samples ? "" : "epoch ",
                                  mls_words_trimmed(state->best_progress, 15).text,
                                  state->best_in_samples ? " samples" : "");
            }
            mls_buffer_printf(&message, ", line %zu", state->best_line);
        } else {
            mls_buffer_append_text(&message, "; no record did");
        }
        end_add(j, MLS_FINDING_TARGET, (mls_finding_place){.line = state->best_line, .key = rule->key}, true, &message);
    }
    for (size_t i = 0; i < rule->other_count && missing; i++)
        missing = j->checker->keys[mls_ruleset_find_key(j->checker->ruleset, rule->others[i])].count == 0;
    if (missing) {
        mls_buffer_printf(&message, "%s must be logged ", rule->key.ptr);
        mls_rule_words_occurs(&message, rule);
        if (count == 0)
            mls_buffer_append_text(&message, ", is missing");
        else
            mls_buffer_printf(&message, ", is logged %zu time%s", count, count == 1 ? "" : "s");
        const mls_finding_place place = {.key = rule->other_count > 0 ? rule->either : rule->key};
        end_add(j, MLS_FINDING_OCCURRENCE, place, true, &message);
    } else if (several && key->other_line > 0) {
        const kept_value *const values[] = {&key->first, &key->other};
        const size_t lines[] = {key->lines[0], key->other_line};
        mls_buffer_printf(&message,
                          "%s must be logged exactly once, is logged %zu times with different values: ", rule->key.ptr,
                          count);
        for (size_t i = 0; i < 2; i++) {
            mls_buffer_append_text(&message, i > 0 ? ", " : "");
            mls_utf8_append_cut(&message, values[i]->text.ptr != NULL ? values[i]->text : MLS_S("…"), 60);
            mls_buffer_printf(&message, " at line %zu", lines[i]);
        }
        end_add(j, MLS_FINDING_OCCURRENCE, (mls_finding_place){.line = key->other_line, .key = rule->key}, true,
                &message);
    } else if (several) {
        mls_buffer_printf(&message, "%s is logged %zu times with the same value, first at line %zu; log it once",
                          rule->key.ptr, count, key->lines[0]);
        end_add(j, MLS_FINDING_REPEATED, (mls_finding_place){.line = key->lines[1], .key = rule->key}, false, &message);
    }
}

/* Report the first finding of a list if `first` is set; otherwise all other findings, including those that were only
 * counted. */
static void staged_take(mls_checker *checker, const staged_list *list, bool first)
{
    const staged_finding *staged = first || list->first == NULL ? list->first : list->first->next;
    for (; staged != NULL; staged = first ? NULL : staged->next)
        mls_findings_add(&checker->findings, staged->code, staged->place, "%s", staged->message.ptr);
    if (!first && list->count > STAGED_MAX)
        mls_findings_count_more(&checker->findings, list->last->code, MLS_SEVERITY_ERROR, list->count - STAGED_MAX);
}

mls_status mls_checker_end(mls_checker *checker)
{
    const mls_status status = checker->scopes == NULL ? judge_by(checker, NULL) : MLS_OK;
    const mls_ruleset *ruleset = checker->ruleset;
    bool queued[MLS_SCOPES_MAX] = {false};
    if (status != MLS_OK)
        return status;
    if (checker->records == 0) {
        mls_findings_add(&checker->findings, MLS_FINDING_EMPTY, (mls_finding_place){.key = MLS_S("@empty")},
                         "the log contains no record");
    }
    /* Find the scopes that were really queued, starting with `common`, in the order of judging. */
    checker->order[0] = ruleset->common;
    checker->order_count = 1;
    queued[ruleset->common] = true;
    for (size_t at = 0; at < checker->order_count; at++) {
        const size_t scope = checker->order[at];
        const scope_state *state = &checker->scopes[scope];
        scope_prepare(checker, scope);
        if (ruleset->scopes[scope].derive.key.ptr != NULL)
            derive_finish(checker, scope); /* rules for derived records may queue scopes, too */
        for (size_t i = 0; i < state->uses.count; i++) {
            const queued_scope *use = &state->uses.items[i];
            if (use->scope == SIZE_MAX) {
                mls_findings_add(&checker->findings, MLS_FINDING_UNKNOWN_SCOPE,
                                 (mls_finding_place){.line = use->line, .key = MLS_S("@unknown-scope")},
                                 "%.*s selects the rules %.*s, which do not exist in %s %s", (int)use->key.len,
                                 use->key.ptr, MLS_CUT(use->name, 80), mls_usage_name(ruleset->usage),
                                 ruleset->edition.ptr);
            } else if (!queued[use->scope]) {
                queued[use->scope] = true;
                checker->order[checker->order_count++] = use->scope;
            }
        }
    }
    turn_to(checker, NULL);
    for (size_t at = 0; at < checker->order_count; at++) {
        const mls_scope *scope = &ruleset->scopes[checker->order[at]];
        judging j = {.checker = checker, .scope = scope};
        checker->input.variables = checker->scopes[checker->order[at]].variables;
        for (size_t r = 0; r < scope->rule_count; r++) {
            j = judging_of(checker, &scope->rules[r], NULL);
            judge_rule(&j, is_overruled(checker, at, j.rule->key_index));
        }
        for (size_t i = 0; i < scope->end.count; i++) {
            const mls_expr *expr = &scope->end.items[i];
            turn_to(checker, NULL);
            const mls_outcome outcome = mls_expr_test(expr, &checker->input);
            if (outcome == MLS_OUTCOME_TRUE)
                continue;
            mls_buffer message = {0};
            mls_buffer_append_text(&message, "at the end of the log ");
            if (outcome == MLS_OUTCOME_UNKNOWN)
                mls_buffer_printf(&message, "a rule cannot be evaluated because %s: ", checker->input.reason);
            mls_rule_words_expr(&message, scope, expr, &checker->input, false);
            end_add(&j, MLS_FINDING_END, (mls_finding_place){.line = 0, .key = MLS_S("@end")}, true, &message);
        }
    }
    /* Report the first finding of each rule before all further findings, so that the maximum number of findings does
     * not hide a rule with a single finding. */
    for (int pass = 0; pass < 2; pass++) {
        for (size_t at = 0; at < checker->order_count; at++) {
            const size_t scope_index = checker->order[at];
            const mls_scope *scope = &ruleset->scopes[scope_index];
            for (size_t i = 0; i < scope->rule_count; i++) {
                const rule_state *state = &checker->scopes[scope_index].rules[i];
                staged_take(checker, &state->others, pass == 0);
                staged_take(checker, &state->advice, pass == 0);
                if (state->checks.first != NULL && !is_overruled(checker, at, scope->rules[i].key_index))
                    staged_take(checker, &state->checks, pass == 0);
            }
        }
    }
    add_advice(checker);
    mls_findings_sort(&checker->findings);
    return MLS_OK;
}

void mls_checker_take_findings(mls_checker *checker, mls_findings *findings)
{
    *findings = checker->findings;
    checker->findings = (mls_findings){0};
}

mls_verdict mls_checker_verdict(const mls_checker *checker)
{
    const mls_ruleset *ruleset = checker->ruleset;
    return (mls_verdict){.valid = checker->findings.counts.error == 0,
                         .guessed = checker->edition != NULL,
                         .by_date = checker->edition != NULL && mls_time_is_date(checker->first_ms),
                         .usage = ruleset != NULL ? ruleset->usage : checker->options.usage,
                         .edition = ruleset != NULL ? ruleset->edition.ptr : NULL,
                         .benchmark_line = checker->benchmark_line,
                         .findings = &checker->findings};
}
