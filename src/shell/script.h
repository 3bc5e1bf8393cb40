/* SPDX-License-Identifier: Apache-2.0 */
/*
 * script.h - the reader of the shell subset that configs are written in.
 *
 * It follows bash as `set -a; source FILE` would run in an empty environment,
 * but starts no program and writes nothing.  A value that depends on anything
 * outside the scripts is unknown, and so is whatever is made from it.  Where a
 * condition is unknown, the commands behind it are "tainted": what they assign
 * becomes unknown, because they may or may not run.
 *
 * Everything a reading makes lives in one arena.  Every limit below ends the
 * reading with a finding; all values are unknown from then on.
 */
#ifndef MLS_SHELL_SCRIPT_H
#define MLS_SHELL_SCRIPT_H

#include "base/arena.h"
#include "base/buffer.h"
#include "mlscore/shell.h"
#include "shell/script_lexer.h"

#define SCRIPT_FILE_BYTES_MAX ((size_t)1 << 20)
#define SCRIPT_SOURCE_DEPTH_MAX 16
#define SCRIPT_FILES_BYTES_MAX ((size_t)16 << 20) /* of all files that one reading opens, each time anew */
#define SCRIPT_STATEMENTS_MAX 50000
#define SCRIPT_VALUE_BYTES_MAX ((size_t)1 << 16)
#define SCRIPT_EXPANSION_BYTES_MAX ((size_t)16 << 20) /* of one reading, all values together */
#define SCRIPT_STEPS_MAX 5000000                      /* of matching and arithmetic */
#define SCRIPT_VARIABLES_MAX 8192
#define SCRIPT_FIELDS_MAX 4096
#define SCRIPT_ARITHMETIC_DEPTH_MAX 300
#define SCRIPT_ARITHMETIC_LEVELS_MAX 64 /* names whose values hold names */

/* A text that may not be known; `bytes` is empty then.  Its pointer is never NULL. */
typedef struct mls_script_text {
    mls_str bytes;
    bool known;
} mls_script_text;

static inline mls_script_text mls_script_known(mls_str bytes)
{
    return (mls_script_text){bytes.ptr != NULL ? bytes : MLS_S(""), true};
}

static inline mls_script_text mls_script_unknown(void)
{
    return (mls_script_text){MLS_STR(""), false};
}

/* What a condition or an exit status says: 0 success, 1 failure, or nobody knows. */
typedef enum mls_script_truth { TRUTH_NO, TRUTH_YES, TRUTH_UNKNOWN } mls_script_truth;

static inline mls_script_truth mls_script_truth_of(bool yes)
{
    return yes ? TRUTH_YES : TRUTH_NO;
}

typedef enum mls_script_presence {
    PRESENCE_UNSET,
    PRESENCE_SET,
    PRESENCE_UNKNOWN /* the value is not known, or not even whether there is one */
} mls_script_presence;

typedef struct mls_script_variable {
    mls_str name;
    mls_str value;
    const char *path; /* where it was assigned last */
    size_t line;
    mls_script_presence presence;
    bool exported;
    bool readonly;
    bool array;   /* lists are never exported, and never looked into */
    bool integer; /* declare -i and the like: what is assigned later is unknown */
} mls_script_variable;

/* What a subshell has to put back. */
typedef struct mls_script_change {
    size_t index;
    mls_script_variable before;
} mls_script_change;

typedef enum mls_script_flow {
    FLOW_GO,
    FLOW_DISCARD, /* bash gives up the command that stands at the top of the file, and goes on behind it */
    FLOW_BREAK,
    FLOW_CONTINUE,
    FLOW_RETURN, /* the end of this file */
    FLOW_EXIT,   /* the end of everything; values stay */
    FLOW_STOP    /* a limit, or no memory; values do not stay */
} mls_script_flow;

/* How scripts come to their files: path -> bytes, so that tests need no disk. */
typedef struct mls_script_files {
    void *state;
    /*
     * The bytes of the regular file at `path`, in `arena`.  MLS_ERROR_UNKNOWN
     * when it may not be looked at, MLS_ERROR_READ when it cannot be.
     */
    mls_status (*read)(void *state, mls_str path, mls_arena *arena, mls_str *bytes);
    /* The absolute path without links, as `readlink -f` has it; false when it is not to be known. */
    bool (*resolve)(void *state, mls_str path, mls_arena *arena, mls_str *resolved);
} mls_script_files;

/* Words split into fields.  `unknown`: not even how many there are. */
typedef struct mls_script_fields {
    mls_script_text *items;
    size_t count;
    size_t capacity;
    bool unknown;
} mls_script_fields;

/* Where the output of a command substitution goes, and the input of a pipeline comes from. */
typedef struct mls_script_output {
    mls_buffer text;
    bool known;
    unsigned taint; /* where it begins: what is in doubt anyway does not make the text more so */
} mls_script_output;

typedef struct mls_script {
    mls_arena arena;
    const mls_script_files *files;
    mls_findings *findings;

    mls_script_variable *variables;
    size_t variable_count;
    size_t variable_capacity;
    uint32_t *slots; /* hash table of indices + 1 */
    size_t slot_count;
    mls_script_change *changes; /* only kept while a subshell is open */
    size_t change_count;
    size_t change_capacity;
    unsigned subshells;

    const char *path; /* of the current file, as ${BASH_SOURCE[0]} has it; ends in NUL */
    size_t line;      /* of the current command */
    const char *sources[SCRIPT_SOURCE_DEPTH_MAX];
    size_t source_depth;
    size_t nesting;            /* of evaluation: compound commands and substitutions */
    unsigned taint;            /* > 0: the current command may not run */
    unsigned repeat;           /* > 0: it may run more than once */
    bool export_all;           /* set -a */
    bool forgotten;            /* something may have set any variable */
    bool moved;                /* cd: relative paths mean something else now */
    mls_script_text directory; /* where cd went; not known at first */
    bool separators_changed;   /* IFS was set: words split nobody knows how */
    bool arguments_unknown;    /* $1 … are those of somebody else */

    mls_script_truth status;      /* of the last command */
    int status_code;              /* $? when status is TRUTH_NO; -1: some failure */
    bool substituted;             /* a command substitution set `status` while words were expanded */
    mls_script_output *output;    /* NULL: nobody reads it */
    const mls_script_text *input; /* NULL: none that is known */
    mls_script_flow flow;
    unsigned loops;              /* for loops around the current command */
    bool left_loop;              /* a break or continue that may or may not have run */
    bool doubtful_rest;          /* a return that may or may not have run: the rest of the file is in doubt */
    mls_script_fields functions; /* names that were given a body */
    size_t statements;
    size_t expanded;
    size_t file_bytes;
    size_t steps;
    bool out_of_memory;
} mls_script;

/* ---- script_variable.c: names and values ---- */

mls_script_variable *mls_script_variable_find(const mls_script *script, mls_str name);
/* The value of a name, special ones like RANDOM and PATH included. */
mls_script_presence mls_script_variable_get(const mls_script *script, mls_str name, mls_str *value);
/* Assigns, in the light of taint; `value` is copied.  False when the name is read-only. */
bool mls_script_variable_set(mls_script *script, mls_str name, mls_script_text value);
void mls_script_variable_unset(mls_script *script, mls_str name);
/* The entry of a name to change its attributes; made where there is none.  NULL ends the reading. */
mls_script_variable *mls_script_variable_touch(mls_script *script, mls_str name);
/* Its value is not known any more. */
static inline void mls_script_variable_forget(mls_script_variable *variable)
{
    variable->presence = PRESENCE_UNKNOWN;
    variable->value = MLS_S("");
}
/* Something that cannot be looked into may have changed every variable. */
void mls_script_forget_all(mls_script *script);
/* What a subshell cannot change: everything is at end as it was at begin. */
typedef struct mls_script_subshell {
    size_t change_count;
    size_t function_count;
    size_t line;
    mls_script_output *output;
    const mls_script_text *input;
    mls_script_text directory;
    unsigned loops;
    bool export_all;
    bool forgotten;
    bool moved;
    bool separators_changed;
    bool arguments_unknown;
    bool doubtful_rest;
} mls_script_subshell;
void mls_script_subshell_begin(mls_script *script, mls_script_subshell *saved, mls_script_output *output,
                               const mls_script_text *input);
void mls_script_subshell_end(mls_script *script, const mls_script_subshell *saved);
bool mls_script_is_name(mls_str text);
/* How many bytes of a name stand at the start of `text`. */
size_t mls_script_name_length(mls_str text);

/* ---- script.c: limits and findings ---- */

/* Ends the reading because of a limit, with a finding that names it. */
void mls_script_limit(mls_script *script, const char *limit);
void mls_script_no_memory(mls_script *script);
/* Takes `count` of the steps of matching and arithmetic; false when none are left. */
bool mls_script_step(mls_script *script, size_t count);
void mls_script_find(mls_script *script, mls_finding_code code, const char *format, ...) MLS_PRINTF(3, 4);
/* A copy in the arena, counted against the limits of a value and of all values. */
mls_script_text mls_script_keep(mls_script *script, mls_str bytes);
/* The bytes of a buffer as a value; the buffer is released. */
mls_script_text mls_script_keep_buffer(mls_script *script, mls_buffer *buffer);

/* ---- script_expand.c: words ---- */

typedef enum mls_script_quoting {
    QUOTING_TEXT,    /* quotes removed */
    QUOTING_PATTERN, /* quoted characters keep a backslash, so that a pattern takes them literally */
    QUOTING_REGEX    /* likewise for a regular expression */
} mls_script_quoting;

/* A word as one text: an assignment's value, an operand of [[ ]], a pattern. */
mls_script_text mls_script_expand_text(mls_script *script, mls_str raw, mls_script_quoting quoting);
/* As inside double quotes: the text of $(( )), words in ${…} inside quotes. */
mls_script_text mls_script_expand_quoted(mls_script *script, mls_str raw);
mls_script_text mls_script_expand_in(mls_script *script, mls_str raw, mls_script_quoting quoting, bool in_quotes);

/* {a,b} or {1..4} outside quotes, which becomes several words. */
bool mls_script_has_braces(mls_str raw);
void mls_script_fields_add(mls_script *script, mls_script_fields *fields, mls_script_text text);
void mls_script_expand_fields(mls_script *script, mls_str raw, mls_script_fields *fields);

/* ---- script_parameter.c: $A and ${…} ---- */

typedef struct mls_script_expansion {
    mls_script_text text;
    size_t length;    /* of what stood in the script, the $ included */
    bool quoted_like; /* a default's own quotes are removed already; never split it */
} mls_script_expansion;
/* raw.ptr[at] is '$'. */
mls_script_expansion mls_script_expand_dollar(mls_script *script, mls_str raw, size_t at, mls_script_quoting quoting,
                                              bool in_quotes);
mls_script_text mls_script_substitute(mls_script *script, mls_str commands);

/* ---- script_pattern.c ---- */

/* Whether the whole text matches a shell pattern (* ? [ ] and backslash). */
mls_script_truth mls_script_pattern_match(mls_script *script, mls_str pattern, mls_str text);
/* ${A#p} and so on: the text that is left. */
mls_script_text mls_script_pattern_strip(mls_script *script, mls_str text, mls_str pattern, bool from_end,
                                         bool longest);
/* ${A/p/r}: `where` is 0, '/', '#' or '%'. */
mls_script_text mls_script_pattern_replace(mls_script *script, mls_str text, mls_str pattern, mls_str replacement,
                                           char where);

/* ---- script_regex.c: the sed of configs, and =~ ---- */

mls_script_text mls_script_sed(mls_script *script, const mls_script_text *scripts, size_t count, bool extended,
                               mls_str input);
mls_script_truth mls_script_regex_match(mls_script *script, mls_str regex, mls_str text);

/* ---- script_arithmetic.c ---- */

typedef struct mls_script_number {
    int64_t value;
    bool known;
} mls_script_number;
/* False when bash would report an error, which is a finding then. */
bool mls_script_arithmetic(mls_script *script, mls_str expression, mls_script_number *result);

/* ---- script_test.c: [ ] and [[ ]] ---- */

mls_script_truth mls_script_test(mls_script *script, const mls_script_text *arguments, size_t count);
mls_script_truth mls_script_condition(mls_script *script, const mls_script_word *words, size_t count);

/* ---- script_builtin.c, script_tool.c: commands ---- */

/* Runs what can be run; sets script->status.  False when the command is not one of them. */
bool mls_script_builtin(mls_script *script, const mls_script_fields *fields);
bool mls_script_tool(mls_script *script, const mls_script_fields *fields);
void mls_script_set_status(mls_script *script, mls_script_truth status);
void mls_script_print(mls_script *script, mls_script_text text);
bool mls_script_number_read(mls_str text, int64_t *number);

/* ---- script_eval.c ---- */

/* Runs the commands of a text, one complete command after the other, as bash reads a file. */
void mls_script_run_text(mls_script *script, mls_str text, size_t line, bool whole_file);
void mls_script_source(mls_script *script, mls_str path);
/* As files->read(); what one reading gets is limited, and past that it ends with MLS_ERROR_LIMIT. */
mls_status mls_script_read_file(mls_script *script, mls_str path, mls_str *bytes);
/* `word` is NAME=…, NAME+=… or NAME[…]=…: *length is that of the part before the value. */
bool mls_script_is_assignment(mls_str raw, size_t *length);
void mls_script_assign(mls_script *script, mls_str raw);

/* A whole reading; the caller initialises arena, files and findings and releases them and mls_script_release()s. */
void mls_script_start(mls_script *script, const char *path, mls_str text);
void mls_script_release(mls_script *script);

#endif
