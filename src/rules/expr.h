/* SPDX-License-Identifier: Apache-2.0 */
/*
 * expr.h - the expression language that rules are written in.
 *
 * An expression is compiled once, when its rule file is loaded, into an array
 * of nodes, children before their parents; it never changes after that and any
 * number of threads may evaluate it.  Evaluating has three outcomes: true,
 * false, and "cannot be evaluated", with the reason in words.  Nothing grows
 * without a bound: text, nodes, nesting and results all have a named limit.
 *
 * Values follow the reference checker: booleans count as 1 and 0, lists and
 * objects compare by content, a number and a string cannot be ordered, and
 * `&&` and `||` give the operand that decided.
 */
#ifndef MLS_RULES_EXPR_H
#define MLS_RULES_EXPR_H

#include "base/arena.h"
#include "base/buffer.h"
#include "mlscore/log.h"
#include "mlscore/value.h"

enum {
    MLS_EXPR_LENGTH_MAX = 1 << 18, /* bytes of rule text */
    MLS_EXPR_DEPTH_MAX = 128,      /* levels of operators and brackets */
    MLS_EXPR_RESULT_MAX = 1 << 20, /* bytes of a joined string, items of a joined list */
    MLS_VARIABLES_PER_SCOPE_MAX = 256
};

typedef enum mls_expr_op {
    MLS_EXPR_CONSTANT, /* constant: index of it */
    MLS_EXPR_LIST,     /* first: index into children, second: how many */
    MLS_EXPR_VALUE,
    MLS_EXPR_METADATA,
    MLS_EXPR_TIME,
    MLS_EXPR_RECORD,
    MLS_EXPR_VARIABLE, /* first: slot */
    MLS_EXPR_MEMBER,   /* first: node, second: constant that holds the name */
    MLS_EXPR_INDEX,    /* first: node, second: node of the index */
    MLS_EXPR_NOT,
    MLS_EXPR_NEGATE,
    MLS_EXPR_ADD, /* from here on binary: first and second are nodes */
    MLS_EXPR_SUBTRACT,
    MLS_EXPR_MULTIPLY,
    MLS_EXPR_DIVIDE,
    MLS_EXPR_REMAINDER,
    MLS_EXPR_POWER,
    MLS_EXPR_EQUAL,
    MLS_EXPR_UNEQUAL,
    MLS_EXPR_LESS,
    MLS_EXPR_LESS_EQUAL,
    MLS_EXPR_GREATER,
    MLS_EXPR_GREATER_EQUAL,
    MLS_EXPR_IN,
    MLS_EXPR_AND,
    MLS_EXPR_OR,
    MLS_EXPR_CHOICE, /* first ? second : third */
    MLS_EXPR_CALL    /* function; first: index into children, second: how many */
} mls_expr_op;

typedef enum mls_expr_function {
    MLS_FUNCTION_ABS,
    MLS_FUNCTION_CEIL,
    MLS_FUNCTION_FLOOR,
    MLS_FUNCTION_HAS,
    MLS_FUNCTION_INT,
    MLS_FUNCTION_IS_BOOL,
    MLS_FUNCTION_IS_INT,
    MLS_FUNCTION_IS_INTEGER,
    MLS_FUNCTION_ISCLOSE,
    MLS_FUNCTION_LEN,
    MLS_FUNCTION_LOG2,
    MLS_FUNCTION_LOWER,
    MLS_FUNCTION_MAX,
    MLS_FUNCTION_MIN,
    MLS_FUNCTION_SORTED,
    MLS_FUNCTION_COUNT
} mls_expr_function;

typedef struct mls_expr_node {
    uint8_t op;
    uint8_t function;
    uint16_t depth;
    uint32_t begin; /* of its text in the expression's text, and the end */
    uint32_t end;
    uint32_t first;
    uint32_t second;
    uint32_t third;
} mls_expr_node;

/* A compiled expression.  Everything is in the arena it was compiled into. */
typedef struct mls_expr {
    mls_str text;
    const mls_expr_node *nodes; /* the last one is the root */
    const uint32_t *children;
    const mls_value *constants;
    uint32_t node_count;
    bool uses_record; /* value, metadata, time_ms or record stand in it */
    bool uses_value;
    bool uses_variables;
} mls_expr;

/* The variables of one scope: a name's index is its slot.  Zero-initialised is empty; lives in an arena. */
typedef struct mls_symbols {
    mls_str *names;
    size_t count;
    size_t capacity;
} mls_symbols;

/* The slot of a name, added when it is new; MLS_VARIABLES_PER_SCOPE_MAX when there is no room or memory. */
size_t mls_symbols_intern(mls_symbols *symbols, mls_str name, mls_arena *arena);

/*
 * Compiles `text` into `arena`, which also gets a copy of it.  `symbols`
 * receives the variables named in it.  On failure MLS_ERROR_SYNTAX,
 * MLS_ERROR_LIMIT or MLS_ERROR_MEMORY; error->column counts bytes of the rule
 * text from 1.
 */
mls_status mls_expr_compile(mls_str text, mls_symbols *symbols, mls_arena *arena, mls_expr *expr,
                            mls_error *error) MLS_MUST_USE;

static inline const mls_expr_node *mls_expr_root(const mls_expr *expr)
{
    return &expr->nodes[expr->node_count - 1];
}

/* The part of the rule text that a node was made from. */
static inline mls_str mls_expr_node_text(const mls_expr *expr, const mls_expr_node *node)
{
    return (mls_str){expr->text.ptr + node->begin, node->end - node->begin};
}

/* A function's name and how many arguments it takes. */
typedef struct mls_function_info {
    const char *name;
    uint8_t arguments_min;
    uint8_t arguments_max;
} mls_function_info;

extern const mls_function_info mls_function_table[MLS_FUNCTION_COUNT];

/* A variable of a scope; `set` false: nobody gave it a value. */
typedef struct mls_variable {
    mls_value value;
    bool set;
} mls_variable;

enum { MLS_MEMBERS_INDEXED_MAX = 12 };

/* Where the members of an object's text are, found when one of them is first asked for. */
typedef struct mls_member_index {
    bool built;
    bool complete; /* false: too many members, or names with escapes; each lookup reads the text */
    size_t count;
    mls_raw_member members[MLS_MEMBERS_INDEXED_MAX];
} mls_member_index;

/*
 * What an expression looks at.  `record` is NULL where there is none (`end`).
 * Trees are built when they are first asked for and cached here: clear the
 * three pointers (mls_expr_input_begin()) for every record.  They may also be
 * given, for records that were never in a log.
 */
typedef struct mls_expr_input {
    const mls_record *record;
    const mls_value *value; /* cached trees; NULL: not built yet */
    const mls_value *metadata;
    const mls_value *whole;
    mls_value value_storage; /* a scalar value lives here */
    mls_member_index value_index;
    mls_member_index metadata_index;
    const mls_variable *variables;
    mls_arena *arena; /* for trees and results; whoever owns it resets it between records */
    bool out_of_memory;
    char reason[240]; /* why the last one could not be evaluated */
} mls_expr_input;

/* Turns to the next record, whose trees are not built. */
void mls_expr_input_begin(mls_expr_input *input, const mls_record *record);

/* The record's value, built when needed; NULL when memory runs out (out_of_memory is set then). */
const mls_value *mls_expr_input_value(mls_expr_input *input);

typedef enum mls_outcome { MLS_OUTCOME_FALSE, MLS_OUTCOME_TRUE, MLS_OUTCOME_UNKNOWN } mls_outcome;

/*
 * Evaluates to a value.  It borrows from the record, the variables, the
 * expression and input->arena.  False when it cannot be evaluated; then
 * input->reason says why, or input->out_of_memory is set.
 */
bool mls_expr_evaluate(const mls_expr *expr, mls_expr_input *input, mls_value *result);

/* As mls_expr_evaluate(), of one node of the expression. */
bool mls_expr_evaluate_node(const mls_expr *expr, const mls_expr_node *node, mls_expr_input *input, mls_value *result);

/* Evaluates to its truth. */
mls_outcome mls_expr_test(const mls_expr *expr, mls_expr_input *input);

/* Truth of a value: 0, "", [], {} and null are false, everything else (NaN too) is true. */
bool mls_value_truth(const mls_value *value);

/* Shows a value to a person: 16, "adamw", [0.9, 0.999], {"BBOX": 0.3, …}; cut when long. */
void mls_value_show(mls_buffer *buffer, const mls_value *value);

#endif
