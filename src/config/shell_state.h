/* SPDX-License-Identifier: Apache-2.0 */
/* shell_state.h - what a reading of a script knows, for shell.c and shell_words.c alone.
 *
 * It follows bash as `set -a; source FILE` would run in an empty environment, but starts no program and writes nothing.
 * A value that depends on anything outside the scripts is unknown: a text has a NUL byte, a hole, for each stretch of
 * it.  Behind an unknown condition commands run in doubt: what they assign becomes unknown.  All memory is the arena's.
 * Beyond a limit nothing is known. */
#pragma once

#include "base/buffer.h"
#include "base/memory.h"
#include "base/number.h"
#include "config/shell.h"

enum {
    SHELL_NESTING_MAX = 64, /* quotes, substitutions and compound commands inside each other */
    SHELL_HEREDOCS_MAX = 16,
    SHELL_SOURCE_DEPTH_MAX = 16,
    SHELL_DEPTH_MAX = 96, /* commands and substitutions that run inside each other */
    SHELL_VALUE_BYTES_MAX = 1 << 16,
    SHELL_STEPS_MAX = 6500000, /* bytes copied and matched, in all; what else takes time counts as so many */
    SHELL_ARITHMETIC_DEPTH_MAX = 300
};

#define SHELL_NO_END SIZE_MAX
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

typedef struct shell_slot {
    mls_str name;
    mls_str value;
    const char *path; /* where it was assigned last; NULL: nowhere */
    size_t line;
    bool exported;
    bool array;    /* lists are never exported, and never looked into */
    bool readonly; /* what is assigned from now on is unknown */
} shell_slot;

typedef struct shell_variables {
    shell_slot *items; /* in the order of their names */
    size_t count;
    size_t capacity;
    bool forgotten; /* something may have set any variable */
} shell_variables;

typedef enum shell_flow { FLOW_GO, FLOW_RETURN, FLOW_EXIT } shell_flow;

typedef struct shell_fields {
    mls_str *items;
    size_t count;
    size_t capacity;
    bool unknown; /* not even their number is known */
} shell_fields;

typedef struct shell_function {
    mls_str name;
    mls_str body; /* one command; empty: not known */
    size_t line;
    const struct shell_function *next;
} shell_function;

typedef struct shell_output {
    mls_buffer text;
    unsigned doubt; /* where it begins */
} shell_output;

/* A subshell works on a copy. */
typedef struct shell_frame {
    shell_variables variables;
    const shell_function *functions; /* newest first */
    shell_fields arguments;          /* $1 …; unknown: those of another caller */
    const char *path;                /* of the current file, as ${BASH_SOURCE[0]} has it; ends in NUL */
    size_t line;                     /* of the current command */
    shell_flow flow;
    int status;           /* $? */
    unsigned doubt;       /* > 0: the current command may not run */
    unsigned nesting;     /* of commands and substitutions */
    shell_output *output; /* NULL: not read */
    const mls_str *input; /* NULL: not known */
    mls_str guard;        /* the path, with a hole, of the last file whose existence was tested */
    bool lost;            /* nothing is known any more, whatever is assigned */
    bool subshell;
    bool export_all;         /* set -a */
    bool moved;              /* cd: relative paths mean something else now */
    bool separators_changed; /* IFS was set: it is not known how words split */
    bool substituted;        /* a command substitution set `status` while words were expanded */
    bool unset_used;         /* a name that is not set was used as a number or its text */
} shell_frame;

typedef struct reading {
    mls_arena *arena;
    mls_findings *findings;
    shell_frame frame;
    mls_str roots[2]; /* resolved: the folders below which files are read; empty: none */
    const char *sources[SHELL_SOURCE_DEPTH_MAX];
    size_t source_depth;
    size_t steps;
    bool stopped; /* by a limit: values do not stay */
} reading;

typedef struct shell_integer {
    int64_t value;
    bool known;
} shell_integer;

static inline bool mls_shell_goes(const reading *r)
{
    return r->frame.flow == FLOW_GO && !r->stopped;
}

/* ---- shell.c ---- */

void mls_shell_limit(reading *r, const char *limit);
/* Take steps; if not so many are left, end the reading and return false. */
bool mls_shell_step(reading *r, size_t count);
void mls_shell_note(reading *r, mls_finding_code code, const char *format, ...) MLS_PRINTF(3, 4);

/* Return a copy in the arena, with a NUL after it; a buffer is released. */
mls_str mls_shell_keep(reading *r, mls_str bytes);
mls_str mls_shell_keep_buffer(reading *r, mls_buffer *buffer);
mls_str mls_shell_join(reading *r, mls_str a, mls_str b);
mls_str mls_shell_number(reading *r, int64_t number);
void mls_shell_fields_add(reading *r, shell_fields *fields, mls_str text);
bool mls_shell_fields_known(const shell_fields *fields);

mls_str mls_shell_variable_get(const reading *r, mls_str name);
/* Assign, in the light of doubt; `appends`: as `+=`. */
void mls_shell_variable_set(reading *r, mls_str name, mls_str value, bool appends);
/* Every variable may have changed; the finding "WHAT may set anything" is added. */
void mls_shell_forget_all(reading *r, mls_str what);

/* Run the commands of a text; in a subshell the frame is a copy of itself that prints into `output`, if not NULL, and
 * leaving restores the outer one. */
void mls_shell_run_text(reading *r, mls_str text, size_t line);
shell_frame mls_shell_subshell_enter(reading *r, shell_output *output);
void mls_shell_subshell_leave(reading *r, const shell_frame *outer);

/* Read a file as named or beside the current script.  MLS_ERROR_READ: it does not exist; MLS_ERROR_UNKNOWN: it is not
 * looked at. */
mls_status mls_shell_file_read(reading *r, mls_str *path, mls_str *bytes);
/* List the files to which a path with a hole may lead; matches->unknown: it may lead elsewhere. */
void mls_shell_file_match(reading *r, mls_str path, shell_fields *matches);

/* Return the end of a quoted string, a substitution, an escaped character, or any other byte, or SHELL_NO_END. */
size_t mls_shell_unit_end(mls_str text, size_t at, bool in_quotes, unsigned depth);
size_t mls_shell_parentheses_end(mls_str text, size_t at, unsigned depth);

/* ---- shell_words.c ---- */

/* Quotes are removed; what they quoted keeps a backslash in patterns and regular expressions. */
typedef enum shell_quoting { QUOTING_TEXT, QUOTING_PATTERN, QUOTING_REGEX } shell_quoting;

/* Expand a word to one text: an assignment's value, an operand of [[ ]], a pattern. */
mls_str mls_shell_expand(reading *r, mls_str raw, shell_quoting quoting);
/* Expand a word of a command; A=B after export does not split. */
void mls_shell_expand_fields(reading *r, mls_str raw, bool splits, shell_fields *fields);
/* Calculate.  An error that bash would report is a finding, unless it comes from a variable that the job sets. */
shell_integer mls_shell_expand_number(reading *r, mls_str raw);
/* Note that the names to which an expression, which is not evaluated, would assign are in doubt. */
void mls_shell_doubt_names(reading *r, mls_str expression);
/* Return the status of the words of [[ ]] as they are, or, `expanded`, of those of [ ]. */
int mls_shell_condition(reading *r, const shell_fields *words, bool expanded);
/* Return a line as sed changes it with scripts like s/RULE/TEXT/; a hole if it cannot be known. */
mls_str mls_shell_sed(reading *r, const shell_fields *scripts, mls_str input);
