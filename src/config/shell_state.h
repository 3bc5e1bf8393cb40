/* SPDX-License-Identifier: Apache-2.0 */
/* shell_state.h - the state of reading a script; private to shell.c and shell_words.c.
 *
 * The reader follows bash running `set -a; source FILE` in an empty environment, but starts no programs and writes
 * nothing.  In a text, each part that depends on anything outside the scripts is replaced by a hole, a NUL byte.  After
 * an unknown condition, commands run in doubt: what they assign becomes unknown.  All memory belongs to the arena.
 * When a limit is reached, all values become unknown. */
#pragma once

#include "base/buffer.h"
#include "base/memory.h"
#include "base/number.h"
#include "config/shell.h"

enum {
    SHELL_NESTING_MAX = 64, /* nested quotes, substitutions and compound commands */
    SHELL_HEREDOCS_MAX = 16,
    SHELL_SOURCE_DEPTH_MAX = 16,
    SHELL_DEPTH_MAX = 96, /* nested commands and substitutions being run */
    SHELL_VALUE_BYTES_MAX = 1 << 16,
    SHELL_STEPS_MAX = 6500000, /* bytes copied and matched, in total; other work counts as a number of bytes */
    SHELL_ARITHMETIC_DEPTH_MAX = 300
};

#define SHELL_NO_END SIZE_MAX
#define SHELL_HOLE MLS_S("\0")
#define SHELL_MAYBE ((mls_str){mls_shell_maybe, 1}) /* the value of a variable that may be unset */
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
    const char *path; /* the file with the last assignment; NULL: none */
    size_t line;
    bool exported;
    bool array;    /* arrays are never exported, and their items are not tracked */
    bool readonly; /* later assignments make it unknown */
} shell_slot;

typedef struct shell_variables {
    shell_slot *items; /* sorted by name */
    size_t count;
    size_t capacity;
    bool forgotten; /* any variable may have been set */
} shell_variables;

typedef enum shell_flow { FLOW_GO, FLOW_RETURN, FLOW_EXIT } shell_flow;

typedef struct shell_fields {
    mls_str *items;
    size_t count;
    size_t capacity;
    bool unknown; /* even the number of fields is unknown */
} shell_fields;

typedef struct shell_function {
    mls_str name;
    mls_str body; /* a command; empty: unknown */
    size_t line;
    const struct shell_function *next;
} shell_function;

typedef struct shell_output {
    mls_buffer text;
    unsigned doubt; /* doubt when the output was opened */
} shell_output;

/* The state of a shell.  A subshell works on a copy. */
typedef struct shell_frame {
    shell_variables variables;
    const shell_function *functions; /* newest first */
    shell_fields arguments;          /* $1 …; unknown: those of an unknown caller */
    const char *path;                /* of the current file, the value of ${BASH_SOURCE[0]}; NUL-terminated */
    size_t line;                     /* of the current command */
    shell_flow flow;
    int status;           /* $? */
    unsigned doubt;       /* > 0: the current command may not be run */
    unsigned nesting;     /* of commands and substitutions */
    shell_output *output; /* NULL: discarded */
    const mls_str *input; /* NULL: unknown */
    mls_str guard;        /* the path, with a hole, of the last file tested for existence */
    bool lost;            /* all values are unknown, even of later assignments */
    bool subshell;
    bool export_all;         /* set -a */
    bool moved;              /* after cd: relative paths are unknown */
    bool separators_changed; /* IFS was set: word splitting is unknown */
    bool substituted;        /* a command substitution set `status` during expansion */
    bool unset_used;         /* an unset name was expanded or used as a number */
} shell_frame;

typedef struct reading {
    mls_arena *arena;
    mls_findings *findings;
    shell_frame frame;
    mls_str roots[2]; /* resolved folders below which files may be read; empty: none */
    const char *sources[SHELL_SOURCE_DEPTH_MAX];
    size_t source_depth;
    size_t steps;
    bool stopped; /* a limit was reached: values are discarded */
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
/* Count steps.  If too few are left, stop reading and return false. */
bool mls_shell_step(reading *r, size_t count);
void mls_shell_note(reading *r, mls_finding_code code, const char *format, ...) MLS_PRINTF(3, 4);

/* Return a NUL-terminated copy in the arena.  The variant for buffers releases the buffer. */
mls_str mls_shell_keep(reading *r, mls_str bytes);
mls_str mls_shell_keep_buffer(reading *r, mls_buffer *buffer);
mls_str mls_shell_join(reading *r, mls_str a, mls_str b);
mls_str mls_shell_number(reading *r, int64_t number);
void mls_shell_fields_add(reading *r, shell_fields *fields, mls_str text);
bool mls_shell_fields_known(const shell_fields *fields);

mls_str mls_shell_variable_get(const reading *r, mls_str name);
/* Assign a value, which becomes unknown in doubt.  With `appends`, append as `+=` does. */
void mls_shell_variable_set(reading *r, mls_str name, mls_str value, bool appends);
/* Make all variables unknown, and add the finding "WHAT may set anything". */
void mls_shell_forget_all(reading *r, mls_str what);

/* Run the commands of a text.  To run it in a subshell, enter one first: it works on a copy of the frame that prints to
 * `output` (NULL: as before), and leaving it restores the outer frame. */
void mls_shell_run_text(reading *r, mls_str text, size_t line);
shell_frame mls_shell_subshell_enter(reading *r, shell_output *output);
void mls_shell_subshell_leave(reading *r, const shell_frame *outer);

/* Read a file as named, or relative to the current script.  Return MLS_ERROR_READ if it does not exist, or
 * MLS_ERROR_UNKNOWN if it may not be read. */
mls_status mls_shell_file_read(reading *r, mls_str *path, mls_str *bytes);
/* List the files that a path with a hole may name.  matches->unknown means that it may name others, too. */
void mls_shell_file_match(reading *r, mls_str path, shell_fields *matches);

/* Return the end of a quoted string, a substitution, an escaped character, or any other byte; SHELL_NO_END if it is not
 * terminated. */
size_t mls_shell_unit_end(mls_str text, size_t at, bool in_quotes, unsigned depth);
size_t mls_shell_parentheses_end(mls_str text, size_t at, unsigned depth);

/* ---- shell_words.c ---- */

/* How to quote the result: quotes are removed, but in patterns and regular expressions, quoted characters are escaped.
 */
typedef enum shell_quoting { QUOTING_TEXT, QUOTING_PATTERN, QUOTING_REGEX } shell_quoting;

/* Expand a word to one text, such as the value of an assignment, an operand of [[ ]], or a pattern. */
mls_str mls_shell_expand(reading *r, mls_str raw, shell_quoting quoting);
/* Expand a word of a command to fields.  A word A=B after export is not split. */
void mls_shell_expand_fields(reading *r, mls_str raw, bool splits, shell_fields *fields);
/* Evaluate arithmetic.  An error that bash would report becomes a finding, unless it depends on a variable that the job
 * sets. */
shell_integer mls_shell_expand_number(reading *r, mls_str raw);
/* Make the names that an expression would assign to doubtful, without evaluating it. */
void mls_shell_doubt_names(reading *r, mls_str expression);
/* Return the status of the words of [[ ]], raw, or of [ ], which are `expanded`. */
int mls_shell_condition(reading *r, const shell_fields *words, bool expanded);
/* Return a line as changed by sed scripts such as s/RULE/TEXT/; a hole if the result is unknown. */
mls_str mls_shell_sed(reading *r, const shell_fields *scripts, mls_str input);
