/* SPDX-License-Identifier: Apache-2.0 */
/*
 * state.h - what a reading of a script knows: texts, variables and the frame
 * it is in.
 *
 * It follows bash as `set -a; source FILE` would run in an empty environment,
 * but starts no program and writes nothing.  What depends on anything outside
 * the scripts is unknown.  A text that is known in part holds a NUL byte, a
 * hole, for each stretch that is not; scripts themselves hold none.
 *
 * Where a condition is unknown, the commands behind it run in doubt: what they
 * assign may or may not have been assigned, and becomes unknown.  In a loop
 * they may run more than once besides, so that no variable has a known value
 * while they do.
 *
 * Everything a reading makes lives in one arena.  Every limit below ends the
 * reading with a finding; all values are unknown from then on.
 */
#ifndef MLS_SHELL_STATE_H
#define MLS_SHELL_STATE_H

#include "base/arena.h"
#include "base/buffer.h"
#include "base/walk.h"
#include "mlscore/shell.h"
#include "shell/parse.h"

#define SHELL_SOURCE_DEPTH_MAX 16
#define SHELL_FILES_BYTES_MAX ((size_t)16 << 20) /* of all files that one reading opens, each time anew */
#define SHELL_STATEMENTS_MAX 50000
#define SHELL_DEPTH_MAX (2 * SHELL_NESTING_MAX) /* of commands, lists and substitutions that run inside each other */
#define SHELL_VALUE_BYTES_MAX ((size_t)1 << 16)
#define SHELL_EXPANSION_BYTES_MAX ((size_t)16 << 20) /* of one reading, all values together */
#define SHELL_STEPS_MAX 5000000                      /* of matching, arithmetic and copying */
#define SHELL_VARIABLES_MAX 8192
#define SHELL_FIELDS_MAX 4096
#define SHELL_ARITHMETIC_DEPTH_MAX 300
#define SHELL_ARITHMETIC_LEVELS_MAX 64 /* names whose values hold names */

#define SHELL_HOLE MLS_S("\0")

static inline bool mls_shell_known(mls_str text)
{
    return text.len == 0 || text.ptr == NULL || memchr(text.ptr, '\0', text.len) == NULL;
}

/* Exit statuses; a condition that is certainly false has any other number. */
enum { STATUS_UNKNOWN = -1, STATUS_YES = 0, STATUS_NO = 1, STATUS_MISTAKE = 2 };

static inline int mls_shell_status_of(bool yes)
{
    return yes ? STATUS_YES : STATUS_NO;
}

static inline int mls_shell_status_not(int status)
{
    return status == STATUS_UNKNOWN ? status : mls_shell_status_of(status != STATUS_YES);
}

typedef enum mls_shell_presence {
    PRESENCE_UNSET,
    PRESENCE_SET,
    PRESENCE_UNKNOWN /* not even whether it is set; the value is a hole */
} mls_shell_presence;

typedef struct mls_shell_slot {
    mls_str name;
    mls_str value;
    const char *path; /* where it was assigned last; NULL: nowhere */
    size_t line;
    mls_shell_presence presence;
    bool exported;
    bool array; /* lists are never exported, and never looked into */
    bool typed; /* declare -i, local, readonly and the like: what is assigned from now on is unknown */
} mls_shell_slot;

/* Names in their order. */
typedef struct mls_shell_variables {
    mls_shell_slot *items;
    size_t count;
    size_t capacity;
    bool forgotten; /* something may have set any variable */
} mls_shell_variables;

typedef enum mls_shell_flow {
    FLOW_GO,
    FLOW_RETURN, /* the end of this file or function */
    FLOW_EXIT,   /* the end of everything; values stay */
    FLOW_STOP    /* a limit, or no memory; values do not stay */
} mls_shell_flow;

/* Words split into fields.  `unknown`: not even how many there are. */
typedef struct mls_shell_fields {
    mls_str *items;
    size_t count;
    size_t capacity;
    bool unknown;
} mls_shell_fields;

typedef struct mls_shell_function {
    mls_str name;
    const mls_shell_node *body; /* NULL: nobody knows */
    const struct mls_shell_function *next;
} mls_shell_function;

/* Where the output of a command substitution goes. */
typedef struct mls_shell_output {
    mls_buffer text;
    unsigned doubt; /* where it begins: what is in doubt anyway does not make the text more so */
} mls_shell_output;

/* All that a subshell cannot change for the shell around it: a subshell is a copy of it. */
typedef struct mls_shell_frame {
    mls_shell_variables *variables;
    const mls_shell_function *functions; /* newest first */
    mls_shell_fields arguments;          /* $1 …; unknown: those of somebody else */
    const char *path;                    /* of the current file, as ${BASH_SOURCE[0]} has it; ends in NUL */
    size_t line;                         /* of the current command */
    mls_shell_flow flow;
    int status;               /* $? */
    unsigned doubt;           /* > 0: the current command may not run */
    unsigned repeat;          /* > 0: it may run more than once */
    unsigned nesting;         /* of evaluation: commands and substitutions */
    mls_shell_output *output; /* NULL: nobody reads it */
    const mls_str *input;     /* NULL: none that is known */
    mls_str guard;            /* the path, with a hole, of the last file that was asked for */
    bool subshell;
    bool export_all;         /* set -a */
    bool moved;              /* cd: relative paths mean something else now */
    bool separators_changed; /* IFS was set: words split nobody knows how */
    bool substituted;        /* a command substitution set `status` while words were expanded */
    bool unset_used;         /* a name that is not set was used as a number or its text */
} mls_shell_frame;

/* How scripts come to their files, so that tests need no disk.  Statuses are as those of mls_shell_file_read(). */
typedef struct mls_shell_files {
    void *state;
    /* The bytes of the regular file at `path`, in `arena`. */
    mls_status (*read)(void *state, mls_str path, mls_arena *arena, mls_str *bytes);
    /* The absolute path without links, as `readlink -f` has it. */
    mls_status (*resolve)(void *state, mls_str path, mls_arena *arena, mls_str *resolved);
    /* The names in a folder. */
    mls_status (*list)(void *state, mls_str folder, mls_names *names);
} mls_shell_files;

typedef struct mls_shell_state {
    mls_arena arena;
    const mls_shell_files *files;
    mls_findings *findings;
    mls_shell_frame *frame;
    /* The output of commands: eval.c's, which stands above those who need it. */
    mls_str (*substitute)(struct mls_shell_state *state, mls_str commands);
    const char *sources[SHELL_SOURCE_DEPTH_MAX];
    size_t source_depth;
    size_t statements;
    size_t expanded;
    size_t file_bytes;
    size_t steps;
    bool stopped; /* by a limit */
    bool out_of_memory;
} mls_shell_state;

static inline bool mls_shell_goes(const mls_shell_state *state)
{
    return state->frame->flow == FLOW_GO;
}

/* Ends the reading because of a limit, with a finding that names it. */
void mls_shell_limit(mls_shell_state *state, const char *limit);
void mls_shell_no_memory(mls_shell_state *state);
/* Takes `count` of the steps; false when none are left. */
bool mls_shell_step(mls_shell_state *state, size_t count);
void mls_shell_note(mls_shell_state *state, mls_finding_code code, const char *format, ...) MLS_PRINTF(3, 4);

/* A copy in the arena, counted against the limits of a value and of all values; a hole past them. */
mls_str mls_shell_keep(mls_shell_state *state, mls_str bytes);
/* The bytes of a buffer as a value; the buffer is released. */
mls_str mls_shell_keep_buffer(mls_shell_state *state, mls_buffer *buffer);
mls_str mls_shell_join(mls_shell_state *state, mls_str a, mls_str b);
mls_str mls_shell_number(mls_shell_state *state, int64_t number);
void mls_shell_fields_add(mls_shell_state *state, mls_shell_fields *fields, mls_str text);

mls_shell_slot *mls_shell_slot_find(const mls_shell_variables *variables, mls_str name);
/* The entry of a name, made where there is none.  NULL ends the reading. */
mls_shell_slot *mls_shell_slot_touch(mls_shell_state *state, mls_str name);
/* It may have been assigned to, or not. */
static inline void mls_shell_slot_doubt(mls_shell_slot *slot)
{
    if (slot->presence != PRESENCE_UNSET) {
        slot->presence = PRESENCE_UNKNOWN;
        slot->value = SHELL_HOLE;
    }
}
/* The value of a name, special ones like RANDOM and PATH included. */
mls_shell_presence mls_shell_variable_get(const mls_shell_state *state, mls_str name, mls_str *value);
/* Assigns, in the light of doubt. */
void mls_shell_variable_set(mls_shell_state *state, mls_str name, mls_str value);
/* As `+=`. */
void mls_shell_variable_append(mls_shell_state *state, mls_str name, mls_str value);
void mls_shell_variable_unset(mls_shell_state *state, mls_str name);
/* Something that cannot be looked into may have changed every variable; "WHAT may set anything" is found. */
void mls_shell_forget_all(mls_shell_state *state, mls_str what);

/* A frame like the current one, with variables of its own, becomes the current one; leave() gives the outer one back.
 */
typedef struct mls_shell_subshell {
    mls_shell_frame frame;
    mls_shell_variables variables;
    mls_shell_frame *outer;
} mls_shell_subshell;
void mls_shell_subshell_enter(mls_shell_state *state, mls_shell_subshell *subshell);
void mls_shell_subshell_leave(mls_shell_state *state, mls_shell_subshell *subshell);

#endif
