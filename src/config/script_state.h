/* SPDX-License-Identifier: Apache-2.0 */
/* state.h - what a reading of a script knows; each file of the shell uses only what stands above its own part here.
 *
 * It follows bash as `set -a; source FILE` would run in an empty environment, but starts no program and writes nothing.
 * A value that depends on anything outside the scripts is unknown: a text holds a NUL byte, a hole, for each stretch of
 * it. Behind an unknown condition commands run in doubt: what they assign becomes unknown.  All memory is the arena's.
 * Beyond a limit nothing is known. */
#pragma once

#include "base/buffer.h"
#include "base/memory.h"
#include "base/number.h"
#include "config/shell.h"

#define SHELL_NESTING_MAX 64  /* quotes, substitutions and compound commands inside each other */
#define SHELL_HEREDOCS_MAX 16 /* waiting for the end of a line */
#define SHELL_SOURCE_DEPTH_MAX 16
#define SHELL_DEPTH_MAX 96 /* of commands and substitutions that run inside each other */
#define SHELL_VALUE_BYTES_MAX ((size_t)1 << 16)
#define SHELL_STEPS_MAX 6500000 /* bytes copied and matched, in all; what else takes time counts as so many */
#define SHELL_ARITHMETIC_DEPTH_MAX 300

/* ---- state.c ---- */
#define SHELL_HOLE MLS_S("\0")
#define SHELL_MAYBE ((mls_str){mls_shell_maybe, 1}) /* of a variable: not even whether it is set is known */
#define SHELL_UNSET ((mls_str){mls_shell_unset, 0})
extern const char mls_shell_maybe[1];
extern const char mls_shell_unset[1];

static inline bool mls_shell_known(mls_str text)
{
    return text.len == 0 || text.ptr == NULL || memchr(text.ptr, '\0', text.len) == NULL;
}

enum { STATUS_UNKNOWN = -1, STATUS_YES = 0, STATUS_NO = 1, STATUS_MISTAKE = 2 };

static inline int mls_shell_status_of(bool yes)
{
    return yes ? STATUS_YES : STATUS_NO;
}

static inline int mls_shell_status_not(int status)
{
    return status == STATUS_UNKNOWN ? status : mls_shell_status_of(status != STATUS_YES);
}

typedef struct mls_shell_slot {
    mls_str name;
    mls_str value;
    const char *path; /* where it was assigned last; NULL: nowhere */
    size_t line;
    bool exported;
    bool array; /* lists are never exported, and never looked into */
    bool typed; /* readonly: what is assigned from now on is unknown */
} mls_shell_slot;

typedef struct mls_shell_variables {
    mls_shell_slot *items; /* in the order of their names */
    size_t count;
    size_t capacity;
    bool forgotten; /* something may have set any variable */
} mls_shell_variables;

typedef enum mls_shell_flow { FLOW_GO, FLOW_RETURN, FLOW_EXIT } mls_shell_flow;

typedef struct mls_shell_fields {
    mls_str *items;
    size_t count;
    size_t capacity;
    bool unknown; /* not even how many there are */
} mls_shell_fields;

typedef struct mls_shell_function {
    mls_str name;
    mls_str body; /* one command; empty: nobody knows */
    size_t line;
    const struct mls_shell_function *next;
} mls_shell_function;

typedef struct mls_shell_output {
    mls_buffer text;
    unsigned doubt; /* where it begins */
} mls_shell_output;

/* A subshell is a copy of it. */
typedef struct mls_shell_frame {
    mls_shell_variables variables;
    const mls_shell_function *functions; /* newest first */
    mls_shell_fields arguments;          /* $1 …; unknown: those of somebody else */
    const char *path;                    /* of the current file, as ${BASH_SOURCE[0]} has it; ends in NUL */
    size_t line;                         /* of the current command */
    mls_shell_flow flow;
    int status;               /* $? */
    unsigned doubt;           /* > 0: the current command may not run */
    unsigned nesting;         /* of evaluation: commands and substitutions */
    mls_shell_output *output; /* NULL: nobody reads it */
    const mls_str *input;     /* NULL: none that is known */
    mls_str guard;            /* the path, with a hole, of the last file that was asked for */
    bool lost;                /* nothing is known any more, whatever is assigned */
    bool subshell;
    bool export_all;         /* set -a */
    bool moved;              /* cd: relative paths mean something else now */
    bool separators_changed; /* IFS was set: words split nobody knows how */
    bool substituted;        /* a command substitution set `status` while words were expanded */
    bool unset_used;         /* a name that is not set was used as a number or its text */
} mls_shell_frame;

typedef struct mls_shell_state {
    mls_arena *arena;
    mls_findings *findings;
    mls_shell_frame frame;
    mls_str roots[2]; /* resolved: the folders below which files are read; empty: nothing is */
    /* Runs the commands of a text: run.c's, which stands above those who need it. */
    void (*run)(struct mls_shell_state *state, mls_str text, size_t line);
    const char *sources[SHELL_SOURCE_DEPTH_MAX];
    size_t source_depth;
    size_t steps;
    bool stopped; /* by a limit, or for lack of memory: values do not stay */
    bool out_of_memory;
} mls_shell_state;

static inline bool mls_shell_goes(const mls_shell_state *state)
{
    return state->frame.flow == FLOW_GO && !state->stopped;
}

void mls_shell_limit(mls_shell_state *state, const char *limit);
/* Whether there was memory; without it the reading ends. */
bool mls_shell_memory(mls_shell_state *state, bool there);
/* False, and the end of the reading, when not so many are left. */
bool mls_shell_step(mls_shell_state *state, size_t count);
void mls_shell_note(mls_shell_state *state, mls_finding_code code, const char *format, ...) MLS_PRINTF(3, 4);

/* A copy in the arena, with a NUL after it; a buffer is released. */
mls_str mls_shell_keep(mls_shell_state *state, mls_str bytes);
mls_str mls_shell_keep_buffer(mls_shell_state *state, mls_buffer *buffer);
mls_str mls_shell_join(mls_shell_state *state, mls_str a, mls_str b);
mls_str mls_shell_number(mls_shell_state *state, int64_t number);
void mls_shell_fields_add(mls_shell_state *state, mls_shell_fields *fields, mls_str text);
bool mls_shell_fields_known(const mls_shell_fields *fields);

/* The entry of a name, made where there is none.  NULL ends the reading. */
mls_shell_slot *mls_shell_slot_touch(mls_shell_state *state, mls_str name);
mls_str mls_shell_variable_get(const mls_shell_state *state, mls_str name);
/* Assigns, in the light of doubt; `appends`: as `+=`. */
void mls_shell_variable_set(mls_shell_state *state, mls_str name, mls_str value, bool appends);
void mls_shell_variable_unset(mls_shell_state *state, mls_str name);
/* Every variable may have changed; "WHAT may set anything" is found. */
void mls_shell_forget_all(mls_shell_state *state, mls_str what);
/* The same, and what is set from now on is not known either. */
void mls_shell_lose(mls_shell_state *state, mls_str what);
void mls_shell_print(mls_shell_state *state, mls_str text);

/* The frame goes on as a copy of itself that prints into `output`, if not NULL; leaving gives the outer one back. */
mls_shell_frame mls_shell_subshell_enter(mls_shell_state *state, mls_shell_output *output);
void mls_shell_subshell_leave(mls_shell_state *state, const mls_shell_frame *outer);

/* ---- lexer.c: shell text cut into tokens.  Words stay raw: spans of the text with their quotes and dollars. ---- */
#define SHELL_NO_END SIZE_MAX

/* Where a quoted string, a substitution, an escaped character, or any other byte ends, or SHELL_NO_END. */
size_t mls_shell_unit_end(mls_str text, size_t at, bool in_quotes, unsigned depth);
size_t mls_shell_parentheses_end(mls_str text, size_t at, unsigned depth);
typedef enum mls_shell_token_kind { TOKEN_END, TOKEN_WORD, TOKEN_NEWLINE, TOKEN_OPERATOR } mls_shell_token_kind;

typedef struct mls_shell_token {
    mls_shell_token_kind kind;
    mls_str text;
    size_t line;
} mls_shell_token;

typedef struct mls_shell_heredoc {
    mls_str delimiter; /* raw */
    bool strips_tabs;
} mls_shell_heredoc;

typedef struct mls_shell_lexer {
    mls_str text;
    size_t line; /* at `at` */
    size_t at;   /* after the token */
    mls_shell_token token;
    mls_shell_heredoc heredocs[SHELL_HEREDOCS_MAX];
    size_t heredoc_count;
    const char *problem; /* static text: there are no more tokens */
} mls_shell_lexer;

void mls_shell_lexer_fail(mls_shell_lexer *lexer, const char *problem);
void mls_shell_lexer_next(mls_shell_lexer *lexer);
void mls_shell_lexer_regex(mls_shell_lexer *lexer);
/* At the second bracket of "((": takes the rest of (( … )).  False, nothing taken, when it is ( ( … ) … ) instead. */
bool mls_shell_lexer_arithmetic(mls_shell_lexer *lexer, mls_str *expression);

/* ---- regex.c: patterns, =~, and the sed of configs ---- */
/* Whether the whole of a text matches a shell pattern, or a part of it an extended regular expression. */
int mls_shell_match(mls_shell_state *state, mls_str rule, bool extended, mls_str text);
mls_str mls_shell_pattern_strip(mls_shell_state *state, mls_str text, mls_str pattern, bool from_end, bool longest);
/* Returns a line as sed changes it with scripts like s/RULE/TEXT/; a hole when it cannot be known. */
mls_str mls_shell_sed(mls_shell_state *state, const mls_shell_fields *scripts, mls_str input);

/* ---- arithmetic.c ---- */
typedef struct mls_shell_integer {
    int64_t value;
    bool known;
} mls_shell_integer;

/* An error that bash would report is a finding, unless it comes of a variable that the job sets. */
mls_shell_integer mls_shell_calculate(mls_shell_state *state, mls_str expression);
/* For an expression that is not evaluated: the names that it would assign to are in doubt. */
void mls_shell_doubt_names(mls_shell_state *state, mls_str expression);

/* ---- expand.c: words and what they become ---- */
/* Quotes are removed; what they quoted keeps a backslash in patterns and regular expressions. */
typedef enum mls_shell_quoting { QUOTING_TEXT, QUOTING_PATTERN, QUOTING_REGEX } mls_shell_quoting;

/* A word as one text: an assignment's value, an operand of [[ ]], a pattern. */
mls_str mls_shell_expand(mls_shell_state *state, mls_str raw, mls_shell_quoting quoting);
/* A word of a command; A=B after export does not split. */
void mls_shell_expand_fields(mls_shell_state *state, mls_str raw, bool splits, mls_shell_fields *fields);
mls_shell_integer mls_shell_expand_number(mls_shell_state *state, mls_str raw);

/* ---- files.c: the files that a script may source and ask for ---- */
void mls_shell_files_init(mls_shell_state *state, const char *path, const char *root);
mls_status mls_shell_file_load(mls_shell_state *state, const char *path, mls_str *bytes, mls_error *error) MLS_MUST_USE;
/* As it is or beside the current script.  MLS_ERROR_READ: there is none; MLS_ERROR_UNKNOWN: it is not looked at. */
mls_status mls_shell_file_read(mls_shell_state *state, mls_str *path, mls_str *bytes);
/* The absolute path without links, as `readlink -f` has it; a hole when it cannot be known. */
mls_str mls_shell_file_resolve(mls_shell_state *state, mls_str path);
/* The files that stand where a path with a hole may lead; matches->unknown: it may lead elsewhere. */
void mls_shell_file_match(mls_shell_state *state, mls_str path, mls_shell_fields *matches);

/* ---- condition.c ---- */
/* The status of the words of [[ ]] as they stand, or, expanded, of those of [ ]. */
int mls_shell_condition(mls_shell_state *state, const mls_shell_fields *words, bool expanded);

/* ---- command.c ---- */
void mls_shell_simple_run(mls_shell_state *state, const mls_shell_fields *words);
void mls_shell_function_define(mls_shell_state *state, mls_str name, mls_str body, size_t line);
/* A file with its arguments, fields[2] on. */
void mls_shell_file_run(mls_shell_state *state, const mls_shell_fields *fields, mls_str path, mls_str text);

/* ---- run.c ---- */
/* A whole reading; the caller has set roots and findings, and releases the arena. */
void mls_shell_run(mls_shell_state *state, const char *path, mls_str text);
