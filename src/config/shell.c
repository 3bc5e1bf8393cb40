/* SPDX-License-Identifier: Apache-2.0 */
/* shell.c - interpret a script as bash would, without running programs.
 *
 * The text of a script is parsed line by line into commands.  Then the commands are interpreted: they assign variables,
 * source other files and print text.  The words of a command are expanded when the command is interpreted.
 *
 * A part of a value that depends on anything outside the scripts is unknown, and is represented by a hole: a single NUL
 * byte.  A text with a hole is an unknown text.  If it is unknown whether bash would run a command, the command is run
 * "in doubt": every variable that the command assigns becomes unknown.  The interpreter knows the part of bash that
 * published configs use.  The value of any other construct is unknown.  If such a construct could change variables, the
 * interpreter stops, and no value of the script is known. */
#include "config/shell.h"

#include <errno.h>
#include <stdlib.h>

#include "base/buffer.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/pattern.h"
#include "base/utf8.h"
#include "base/walk.h"

enum {
    NESTING_MAX = 64,      /* maximum nesting of quotes, substitutions and commands in a text */
    DEPTH_MAX = 96,        /* maximum nesting of commands, substitutions and operands at run time */
    SOURCE_DEPTH_MAX = 16, /* maximum nesting of sourced files */
    NAMES_MAX = 4096,      /* maximum number of names in a folder */
    STEPS_MAX = 6500000,   /* maximum work for a script, in bytes copied or matched */
    COMMAND_STEPS = 120    /* number of bytes that running a command counts as, in addition to its words */
};

#define NO_END SIZE_MAX
#define HOLE MLS_S("\0")
#define UNSET ((mls_str){0})

/* Exit statuses of commands, as in $?.  Any other status also means failure. */
enum { STATUS_UNKNOWN = -1, STATUS_YES = 0, STATUS_NO = 1, STATUS_MISTAKE = 2 };

typedef struct slot {
    mls_str name;
    mls_str value;    /* UNSET, or a text that may contain holes */
    const char *path; /* the file with the last assignment; NULL: never assigned */
    size_t line;
    bool array; /* the variable is an array, whose value is always unknown */
} slot;

typedef struct slots {
    slot *items; /* sorted by name */
    size_t count;
    size_t capacity;
    bool forgotten; /* variables that are not in `items` may have been set, too */
} slots;

typedef struct fields {
    mls_str *items;
    size_t count;
    size_t capacity;
    bool unknown; /* the number of fields is unknown, too */
} fields;

typedef enum command_kind { SIMPLE, IF, GROUP, CONDITION, FUNCTION, PIPE, AND, OR, NOT } command_kind;

typedef struct command {
    command_kind kind;
    size_t line;
    fields words; /* SIMPLE and CONDITION: the words before expansion; FUNCTION: the name of the function */
    bool any_redirection;
    bool output_redirected, input_redirected;
    /* The parts of a command.  IF: condition, then branch and else branch; FUNCTION: body; GROUP: list of commands;
     * PIPE, AND, OR and NOT: operands. */
    const struct command *first, *second, *third;
    const struct command *next; /* the next command of the same list; NULL: this is the last one */
} command;

typedef struct function {
    mls_str name;
    const command *body; /* NULL: the definition in use is unknown */
    const struct function *next;
} function;

typedef struct output {
    mls_buffer text;
    unsigned doubt; /* shell_frame.doubt at the time when the output was opened */
} output;

/* The state of a shell.  A subshell works on a copy of the state of its parent. */
typedef struct shell_frame {
    slots variables;
    const function *functions; /* a list; the latest definition is first */
    fields arguments;          /* $1, $2 …; `unknown` is set if they depend on the caller of the script */
    const char *path;          /* path of the current file, which is the value of ${BASH_SOURCE[0]}; NUL-terminated */
    size_t line;               /* line number of the current command */
    enum { FLOW_GO, FLOW_RETURN, FLOW_EXIT } flow;
    int status;     /* $? */
    unsigned doubt; /* greater than 0 if it is unknown whether bash would run the current command */
    output *output; /* NULL: output is discarded */
    mls_str input;  /* the text on standard input, from a pipe */
    mls_str guard;  /* path of the last file tested for existence, if it contains a hole */
    bool subshell;
    bool moved; /* cd was run, so it is unknown which files relative paths refer to */
} shell_frame;

typedef struct reading {
    mls_arena *arena;
    mls_findings *findings;
    shell_frame frame;
    mls_str roots[2]; /* folders, as absolute paths without links, below which files may be read; an empty element is
                         unused */
    const char *sources[SOURCE_DEPTH_MAX];
    size_t source_depth;
    size_t depth;
    size_t steps;
    bool substituted; /* a command substitution in the current words set the exit status */
    bool unset_used;  /* an unset variable was expanded or used as a number */
    bool stopped;     /* the interpreter has stopped, so no value is known */
} reading;

typedef struct integer {
    int64_t value;
    bool known;
} integer;

static const integer unknown_integer = {0, false};

static void run_text(reading *r, mls_str text, size_t line);
static void run_list(reading *r, const command *list);
static void print(reading *r, mls_str text);

/* ---- limits and texts ---- */

static void note(reading *r, mls_finding_code code, const char *format, ...) MLS_PRINTF(3, 4);
static void note(reading *r, mls_finding_code code, const char *format, ...)
{
    mls_buffer message = {0};
    va_list args;
    va_start(args, format);
    mls_buffer_vprintf(&message, format, args);
    va_end(args);
    const mls_finding_place place = {.path = r->source_depth <= 1 ? NULL : r->frame.path, .line = r->frame.line};
    mls_findings_add(r->findings, code, place, "%s", message.ptr);
    mls_buffer_release(&message);
}

static void stop_at_limit(reading *r, const char *limit)
{
    if (!r->stopped)
        note(r, MLS_FINDING_CONFIG_LIMIT, "reading stops here: %s", limit);
    r->stopped = true;
}

/* Stop at a construct that the interpreter does not know.  A subshell cannot set variables of its parent, so there only
 * the output becomes unknown. */
static void stop_at_unsupported(reading *r, mls_str what)
{
    if (r->frame.subshell) {
        r->frame.flow = FLOW_EXIT;
        r->frame.status = STATUS_UNKNOWN;
        print(r, HOLE);
        return;
    }
    if (!r->stopped)
        note(r, MLS_FINDING_CONFIG_UNKNOWN, "%.*s is not followed: no value is known here or later", (int)what.len,
             what.ptr);
    r->stopped = true;
}

/* Add `count` to the work done.  If the maximum is exceeded, stop and return false. */
static bool step(reading *r, size_t count)
{
    if (r->stopped || count > STEPS_MAX - r->steps) {
        stop_at_limit(r, "it takes too many steps");
        return false;
    }
    r->steps += count;
    return true;
}

static bool goes(const reading *r)
{
    return r->frame.flow == FLOW_GO && !r->stopped;
}

static bool is_known(mls_str text)
{
    return text.len == 0 || memchr(text.ptr, '\0', text.len) == NULL;
}

static bool is(mls_str text, const char *word)
{
    return mls_str_equal(text, mls_str_from(word));
}

static int status_of(bool yes)
{
    return yes ? STATUS_YES : STATUS_NO;
}

static int status_not(int status)
{
    return status == STATUS_UNKNOWN ? status : status_of(status != STATUS_YES);
}

/* Copy the text of a buffer, NUL-terminated, to the arena, and release the buffer. */
static mls_str keep(reading *r, mls_buffer *buffer)
{
    const mls_str text = buffer->ptr != NULL ? mls_buffer_str(buffer) : MLS_S("");
    if (text.len > MLS_SHELL_VALUE_BYTES_MAX)
        stop_at_limit(r, "length of a value");
    const mls_str kept = step(r, text.len) ? mls_arena_copy(r->arena, text) : HOLE;
    mls_buffer_release(buffer);
    return kept;
}

static mls_str join(reading *r, mls_str a, mls_str b)
{
    mls_buffer text = {0};
    mls_buffer_append(&text, a);
    mls_buffer_append(&text, b);
    return keep(r, &text);
}

static mls_str number_text(reading *r, integer number)
{
    mls_buffer digits = {0};
    mls_buffer_printf(&digits, "%lld", (long long)number.value);
    const mls_str text = keep(r, &digits);
    return number.known ? text : HOLE;
}

static void fields_add(reading *r, fields *to, mls_str text)
{
    if (step(r, sizeof text))
        MLS_ARENA_ADD(r->arena, to, text);
}

static bool fields_known(const fields *of)
{
    bool known = !of->unknown;
    for (size_t i = 0; i < of->count && known; i++)
        known = is_known(of->items[i]);
    return known;
}

static mls_str field(const fields *of, size_t index)
{
    return index < of->count ? of->items[index] : MLS_S("");
}

/* ---- variables ---- */

/* Variables that bash sets itself, so their values cannot be found in the scripts. */
static const char own_names[] =
    " BASH BASH_ALIASES BASH_ARGC BASH_ARGV BASH_CMDS BASH_LINENO BASH_LOADABLES_PATH BASH_REMATCH BASH_VERSINFO"
    " BASH_VERSION COLUMNS COMP_WORDBREAKS HOSTNAME HOSTTYPE IFS LINES MACHTYPE OLDPWD OPTERR OPTIND OSTYPE PATH"
    " PIPESTATUS PS1 PS2 PS4 PWD SHELL SHLVL TERM ";

/* Variables that bash sets itself, and to which assignments have no effect. */
static const char fixed_names[] = " BASHPID BASH_COMMAND BASH_SUBSHELL EPOCHREALTIME EPOCHSECONDS EUID FUNCNAME"
                                  " GROUPS HISTCMD LINENO PPID RANDOM SECONDS SHELLOPTS BASHOPTS SRANDOM UID"
                                  " DIRSTACK BASH_ARGV0 _ ";

/* Return the index of the variable `name`; if it does not exist, set *found to false and return the index at which to
 * insert it. */
static size_t place_of(const slots *variables, mls_str name, bool *found)
{
    size_t begin = 0;
    size_t end = variables->count;
    while (begin < end) {
        const size_t middle = begin + (end - begin) / 2;
        if (mls_str_compare(variables->items[middle].name, name) < 0)
            begin = middle + 1;
        else
            end = middle;
    }
    *found = begin < variables->count && mls_str_equal(variables->items[begin].name, name);
    return begin;
}

static mls_str variable_get(const reading *r, mls_str name)
{
    const shell_frame *frame = &r->frame;
    bool found;
    const size_t at = place_of(&frame->variables, name, &found);
    if (found)
        return frame->variables.items[at].value;
    if (is(name, "BASH_SOURCE"))
        return mls_str_from(frame->path);
    const bool own = mls_str_among(name, own_names) || mls_str_among(name, fixed_names);
    return frame->variables.forgotten || own ? HOLE : UNSET;
}

/* Return the entry of the variable `name`; create it if necessary. */
static slot *variable_slot(reading *r, mls_str name)
{
    slots *variables = &r->frame.variables;
    bool found;
    const size_t at = place_of(variables, name, &found);
    if (!found) {
        const mls_str value = variable_get(r, name);
        (void)step(r, name.len + (variables->count - at) / 8); /* count the work of moving later entries */
        MLS_ARENA_ADD(r->arena, variables, (slot){0});
        memmove(&variables->items[at + 1], &variables->items[at], (variables->count - 1 - at) * sizeof(slot));
        variables->items[at] = (slot){.name = mls_arena_copy(r->arena, name), .value = value};
    }
    return &variables->items[at];
}

static void variable_set(reading *r, mls_str name, mls_str value)
{
    shell_frame *frame = &r->frame;
    if (mls_str_among(name, fixed_names))
        return;
    if (is(name, "IFS"))
        stop_at_unsupported(r, MLS_S("a change of IFS"));
    slot *to = variable_slot(r, name);
    /* If the assigned value equals the old one, the variable has this value whether or not the command is run. */
    const bool same = to->value.ptr != NULL && is_known(value) && mls_str_equal(to->value, value);
    to->value = to->array || (frame->doubt > 0 && !same) ? HOLE : value;
    to->path = frame->path;
    to->line = frame->line;
}

/* Make the values of all variables unknown.  If `what` is not empty, add a finding that `what` may set any variable. */
static void forget_all(reading *r, mls_str what)
{
    slots *variables = &r->frame.variables;
    if (what.len > 0) {
        const mls_str shown = is_known(what) ? what : MLS_S("a command");
        note(r, MLS_FINDING_CONFIG_UNKNOWN, "%.*s may set anything: values from before line %zu are unknown",
             (int)shown.len, shown.ptr, r->frame.line);
    }
    variables->forgotten = true;
    for (size_t i = 0; step(r, 1) && i < variables->count; i++)
        variables->items[i].value = HOLE;
}

static void print(reading *r, mls_str text)
{
    output *to = r->frame.output;
    if (to == NULL)
        return;
    if (to->text.len + text.len > MLS_SHELL_VALUE_BYTES_MAX)
        stop_at_limit(r, "length of a value");
    else
        mls_buffer_append(&to->text, r->frame.doubt > to->doubt ? HOLE : text);
}

/* Enter a subshell, which works on a copy of the frame.  Its output goes to `to`; if `to` is NULL, to the output of the
 * parent.  Return the frame of the parent, which the caller restores at the end. */
static shell_frame subshell_enter(reading *r, output *to)
{
    const shell_frame outer = r->frame;
    shell_frame *frame = &r->frame;
    slots *variables = &frame->variables;
    frame->subshell = true;
    if (to != NULL) {
        to->doubt = frame->doubt;
        frame->output = to;
    }
    if (!step(r, 8 * variables->count))
        variables->count = 0;
    variables->items = mls_arena_array(r->arena, variables->count + 1, sizeof *variables->items);
    variables->capacity = variables->count;
    if (variables->count > 0)
        memcpy(variables->items, outer.variables.items, variables->count * sizeof *variables->items);
    return outer;
}

static void subshell_leave(reading *r, const shell_frame *outer)
{
    const int status = r->frame.status;
    r->frame = *outer;
    r->frame.status = status;
}

/* ---- files.  Only regular files of limited size below one of the roots are read; links and ".." in their paths are
 * resolved first.  The roots are the folder given by the caller, or else the folder of the script before and after
 * resolving links. ---- */

/* Return the absolute path without links and ".." of `path`; an empty path is the current folder.  If the path does not
 * exist, return an empty text and set errno. */
static mls_str real_path(reading *r, mls_str path)
{
    char *real = realpath(mls_arena_copy(r->arena, path.len > 0 ? path : MLS_S(".")).ptr, NULL);
    const int problem = errno;
    const mls_str kept = real != NULL ? mls_arena_copy(r->arena, mls_str_from(real)) : MLS_S("");
    free(real);
    errno = problem;
    return kept;
}

static mls_status file_load(reading *r, const char *path, mls_str *bytes, mls_error *error)
{
    mls_buffer text = {0};
    *bytes = MLS_S("");
    mls_status status = mls_file_read(path, false, MLS_SHELL_BYTES_MAX, &text, error);
    if (status == MLS_ERROR_LIMIT)
        (void)mls_error_set(error, status, 0, 0, "is longer than a config can be");
    else if (status == MLS_ERROR_READ && mls_str_starts(mls_str_from(error->message), MLS_S("is a ")))
        (void)mls_error_set(error, status, 0, 0, "is not a file");
    else if (status == MLS_OK)
        *bytes = mls_arena_copy(r->arena, mls_buffer_str(&text));
    mls_buffer_release(&text);
    return status;
}

/* Resolve the links and ".." in a path below the roots, and store the result in *real.  Return MLS_ERROR_READ if it
 * does not exist, or MLS_ERROR_UNKNOWN if its longest existing part is outside the roots. */
static mls_status locate(reading *r, mls_str path, mls_str *real)
{
    mls_str existing = path;
    *real = real_path(r, existing);
    while (real->len == 0 && (errno == ENOENT || errno == ENOTDIR) && existing.len > 0) {
        existing = mls_path_folder((mls_str){existing.ptr, existing.len - 1});
        existing.len -= existing.len > 1; /* remove the slash */
        *real = real_path(r, existing);
    }
    const bool inside = mls_path_is_below(*real, r->roots[0]) || mls_path_is_below(*real, r->roots[1]);
    return !inside ? MLS_ERROR_UNKNOWN : existing.len == path.len ? MLS_OK : MLS_ERROR_READ;
}

/* Resolve a path like locate().  If a relative path does not exist below the current folder, resolve it relative to the
 * folder of the current script, since the folder in which the job ran is unknown. */
static mls_status locate_beside(reading *r, mls_str *path, mls_str *real)
{
    mls_status status = MLS_ERROR_UNKNOWN;
    if (path->len > 0 && memchr(path->ptr, '/', path->len) != NULL)
        status = locate(r, *path, real);
    if (status != MLS_OK && !mls_str_starts(*path, MLS_S("/")) && !r->stopped) {
        const mls_str beside = join(r, mls_path_folder(mls_str_from(r->frame.path)), *path);
        mls_str found;
        const mls_status second = locate(r, beside, &found);
        /* If the first path does not exist, return MLS_ERROR_READ even if the second path is outside the roots. */
        if (second == MLS_OK || status != MLS_ERROR_READ) {
            *path = beside;
            *real = found;
            status = second;
        }
    }
    return status;
}

/* Read the file found by locate_beside(), and store its path and contents.  Return MLS_ERROR_READ if it does not exist,
 * or MLS_ERROR_UNKNOWN if it may not be read. */
static mls_status file_read(reading *r, mls_str *path, mls_str *bytes)
{
    mls_error error;
    mls_str real;
    *bytes = MLS_S("");
    if (path->len == 0 || !is_known(*path) || r->frame.moved)
        return path->len == 0 ? MLS_ERROR_READ : MLS_ERROR_UNKNOWN;
    mls_status status = locate_beside(r, path, &real);
    if (status == MLS_OK) {
        status = file_load(r, real.ptr, bytes, &error);
        (void)step(r, bytes->len);
        status = status == MLS_OK && is_known(*bytes) ? MLS_OK : MLS_ERROR_UNKNOWN;
    }
    return r->stopped ? MLS_ERROR_LIMIT : status;
}

/* List the existing files that match a path with a hole.  Set matches->unknown if the path may name other files,
 * too. */
static void file_match(reading *r, mls_str path, fields *matches)
{
    const char *hole = path.len > 0 ? memchr(path.ptr, '\0', path.len) : NULL;
    mls_str folder = hole != NULL ? mls_path_folder((mls_str){path.ptr, (size_t)(hole - path.ptr)}) : MLS_S("");
    const mls_str last = mls_str_rest(path, folder.len);
    mls_names names = {0};
    mls_str real;
    int problem = 0;
    matches->unknown = true;
    /* A path that starts with a hole may name any file. */
    if (hole == NULL || last.ptr[0] == '\0' || memchr(last.ptr, '/', last.len) != NULL || r->frame.moved)
        return;
    const mls_str before = {last.ptr, (size_t)(hole - last.ptr)};
    const char *after_last = (const char *)memrchr(last.ptr, '\0', last.len) + 1;
    const mls_str after = {after_last, last.len - (size_t)(after_last - last.ptr)};
    mls_status status = locate_beside(r, &folder, &real);
    if (status == MLS_OK)
        mls_folder_names(real.ptr, NAMES_MAX, &names, &problem);
    matches->unknown = problem != 0 || (status != MLS_OK && status != MLS_ERROR_READ);
    for (size_t i = 0; i < names.count && step(r, names.count); i++) {
        const mls_str name = mls_str_from(names.items[i]);
        if (name.len >= before.len + after.len && mls_str_starts(name, before) && mls_str_ends(name, after))
            fields_add(r, matches, join(r, folder, name));
    }
    mls_names_release(&names);
}

/* ---- finding the ends of quotes and substitutions ---- */

static size_t unit_end(mls_str text, size_t at, bool in_quotes, unsigned depth);

static size_t skip_until(mls_str text, size_t at, char quote, bool escapes)
{
    while (at < text.len) {
        if (text.ptr[at] == quote)
            return at + 1;
        at += escapes && text.ptr[at] == '\\' ? 2 : 1;
    }
    return NO_END;
}

static bool is_blank_or_operator(char c)
{
    return c == '\0' || strchr(" \t\n;&|()<>", c) != NULL;
}

static size_t end_of_line(mls_str text, size_t at)
{
    const char *newline = memchr(text.ptr + at, '\n', text.len - at);
    return newline != NULL ? (size_t)(newline - text.ptr) : text.len;
}

/* Skip a text that begins with '"', or with the '{' of "${", and ends with `close`.  Return the index after `close`, or
 * NO_END.  As in bash, an apostrophe in braces begins a quoted string, even in "${A:-'}'}". */
static size_t skip_enclosed(mls_str text, size_t at, char close, unsigned depth)
{
    for (at++; depth < NESTING_MAX && at < text.len;) {
        if (text.ptr[at] == close)
            return at + 1;
        at = unit_end(text, at, close == '"', depth + 1);
    }
    return NO_END;
}

static size_t parentheses_end(mls_str text, size_t at, unsigned depth)
{
    size_t open = 0;
    while (depth < NESTING_MAX && at < text.len) {
        const char c = text.ptr[at];
        if (c == '#' && is_blank_or_operator(text.ptr[at - 1])) {
            at = end_of_line(text, at);
        } else if (c == '(' || c == ')') {
            open += c == '(' ? 1 : (size_t)-1;
            at++;
            if (open == 0)
                return at;
        } else {
            at = unit_end(text, at, false, depth + 1);
        }
    }
    return NO_END;
}

/* Return the index after the unit that begins at `at`: a quoted string, a substitution, an escaped character, or any
 * other byte.  Return NO_END if the unit is not terminated. */
static size_t unit_end(mls_str text, size_t at, bool in_quotes, unsigned depth)
{
    const char next = at + 1 < text.len ? text.ptr[at + 1] : '\0';
    if (depth >= NESTING_MAX)
        return NO_END;
    switch (text.ptr[at]) {
    case '\\':
        return at + 2 <= text.len ? at + 2 : text.len;
    case '\'':
        return in_quotes ? at + 1 : skip_until(text, at + 1, '\'', false);
    case '"':
        return in_quotes ? at + 1 : skip_enclosed(text, at, '"', depth + 1);
    case '`':
        return skip_until(text, at + 1, '`', true);
    case '$':
        return next == '('   ? parentheses_end(text, at + 1, depth + 1)
               : next == '{' ? skip_enclosed(text, at + 1, '}', depth + 1)
               : next == '[' ? skip_enclosed(text, at + 1, ']', depth + 1) /* $[ … ], an obsolete form of $(( … )) */
               : next == '\'' && !in_quotes ? skip_until(text, at + 2, '\'', true)
                                            : at + 1;
    default:
        return at + 1;
    }
}

/* ---- arithmetic: 64-bit integers that wrap around, the operators + - * / % and brackets.  The value of a
 * variable is evaluated as an expression; an unset variable is 0.  Assignments stop the interpreter; other
 * operators make the result unknown. ---- */

typedef struct calculation {
    reading *r;
    mls_str rest;
    const char *problem; /* the first error, as a static text; NULL: no error */
} calculation;

static integer sum(calculation *c, const char *signs);

static integer wrapped(uint64_t value)
{
    return (integer){(int64_t)value, true};
}

static integer problem(calculation *c, const char *text)
{
    c->problem = c->problem == NULL ? text : c->problem;
    return unknown_integer;
}

/* Skip blanks.  If the next character is one of `signs`, skip and return it; otherwise return '\0'. */
static char take_sign(calculation *c, const char *signs)
{
    while (c->rest.len > 0 && mls_is_space(c->rest.ptr[0]))
        c->rest = mls_str_rest(c->rest, 1);
    const char sign = c->rest.len > 0 ? c->rest.ptr[0] : '\0';
    if (c->problem != NULL || sign == '\0' || strchr(signs, sign) == NULL)
        return '\0';
    c->rest = mls_str_rest(c->rest, 1);
    return sign;
}

static integer evaluate(calculation *c)
{
    const mls_str text = c->rest;
    bool odd = false;
    bool names = false;
    bool steps = false;
    bool assigns = false;
    for (size_t i = 0; i < text.len; i++) {
        const mls_str pair = {text.ptr + i, i + 1 < text.len ? 2 : 1};
        const bool compares = mls_str_among(pair, " == != <= >= ");
        const bool doubled = mls_str_among(pair, " << >> ++ -- ");
        names = names || mls_str_name_length(pair) > 0;
        steps = steps || mls_str_among(pair, " ++ -- ");
        assigns = assigns || (!compares && strchr("=[", pair.ptr[0]) != NULL && pair.ptr[0] != '\0');
        odd = odd || compares || doubled || (pair.ptr[0] != '\0' && strchr("&|^~,#'\"`!<>?:", pair.ptr[0]) != NULL) ||
              mls_str_equal(pair, MLS_S("**"));
        i += compares || doubled;
    }
    if (assigns || (steps && names))
        stop_at_unsupported(c->r, MLS_S("an assignment in arithmetic"));
    if (assigns || odd)
        return unknown_integer;
    (void)take_sign(c, "");
    const integer result = c->rest.len == 0 ? wrapped(0) : sum(c, "+-");
    (void)take_sign(c, "");
    return c->rest.len > 0 ? problem(c, "syntax error in expression") : result;
}

/* Read an operand with optional signs, and return its value.  The operand is an expression in brackets, a number (12,
 * 0x1f or 017), or a variable, whose value is evaluated as an expression. */
static integer operand_value(calculation *c)
{
    bool negative = false;
    for (char sign; (sign = take_sign(c, "-+")) != '\0';)
        negative = negative != (sign == '-');
    if (negative) {
        const integer value = operand_value(c);
        return (integer){wrapped(0 - (uint64_t)value.value).value, value.known};
    }
    if (take_sign(c, "(") != '\0') {
        const integer value = sum(c, "+-");
        return take_sign(c, ")") == '\0' ? problem(c, "missing ')'") : value;
    }
    const mls_str rest = c->rest;
    if (rest.len > 0 && rest.ptr[0] == '\0') {
        c->rest = mls_str_rest(rest, 1);
        return unknown_integer;
    }
    const mls_str name = {rest.ptr, mls_str_name_length(rest)};
    if (rest.len > 0 && mls_is_digit(rest.ptr[0])) {
        const bool hex = mls_str_starts(rest, MLS_S("0x")) || mls_str_starts(rest, MLS_S("0X"));
        const char *digits = hex ? "0123456789abcdefABCDEF" : rest.ptr[0] == '0' ? "01234567" : "0123456789";
        const size_t length = (hex ? 2 : 0) + strspn(rest.ptr + (hex ? 2 : 0), digits);
        c->rest = mls_str_rest(rest, length < rest.len ? length : rest.len);
        char *end;
        errno = 0;
        const uint64_t value = strtoull(rest.ptr, &end, 0);
        if (mls_is_digit(c->rest.len > 0 ? c->rest.ptr[0] : ' ') || mls_str_name_length(c->rest) > 0)
            return problem(c, "value too great for base");
        return errno == 0 ? wrapped(value) : unknown_integer;
    }
    if (name.len == 0)
        return problem(c, "operand expected");
    c->rest = mls_str_rest(rest, name.len);
    calculation inner = {.r = c->r, .rest = variable_get(c->r, name)};
    if (inner.rest.ptr == NULL) {
        c->r->unset_used = true;
        return wrapped(0);
    }
    if (!is_known(inner.rest) || !step(c->r, inner.rest.len + 1))
        return unknown_integer;
    const integer result = evaluate(&inner);
    return inner.problem != NULL ? problem(c, inner.problem) : result;
}

/* Evaluate operands joined by `signs`: addition and subtraction, or multiplication, division and modulo. */
static integer sum(calculation *c, const char *signs)
{
    const bool products = signs[0] == '*';
    integer left = unknown_integer;
    if (++c->r->depth > 2 * DEPTH_MAX)
        stop_at_limit(c->r, "depth of arithmetic");
    else
        left = products ? operand_value(c) : sum(c, "*/%");
    for (char sign; !c->r->stopped && (sign = take_sign(c, signs)) != '\0';) {
        const integer right = products ? operand_value(c) : sum(c, "*/%");
        const uint64_t a = (uint64_t)left.value;
        const uint64_t b = (uint64_t)right.value;
        if (right.known && b == 0 && (sign == '/' || sign == '%'))
            left = c->r->frame.doubt > 0 ? unknown_integer : problem(c, "division by 0");
        else if (!left.known || !right.known)
            left = unknown_integer;
        else if (sign == '/' || sign == '%')
            left = right.value == -1
                       ? wrapped(sign == '/' ? 0 - a : 0)
                       : wrapped((uint64_t)(sign == '/' ? left.value / right.value : left.value % right.value));
        else
            left = wrapped(sign == '*' ? a * b : sign == '+' ? a + b : a - b);
    }
    c->r->depth--;
    return left;
}

/* Evaluate an arithmetic expression after its expansion.  An error that bash would report becomes a finding, unless the
 * error may depend on a variable that the job sets. */
static integer calculate(reading *r, mls_str expression)
{
    calculation c = {.r = r, .rest = expression};
    const integer result = step(r, expression.len + 1) ? evaluate(&c) : unknown_integer;
    if (c.problem == NULL || r->stopped)
        return r->stopped ? unknown_integer : result;
    if (!r->unset_used && is_known(expression))
        note(r, MLS_FINDING_CONFIG_ARITHMETIC, "%s in $((%.*s))", c.problem, MLS_CUT(expression, 60));
    return unknown_integer;
}

/* ---- patterns, and sed as used to remove "config_" and ".sh" from a name ---- */

/* Search a text for a pattern, from offset `at` on.  Return STATUS_YES and set *match, STATUS_NO, or STATUS_UNKNOWN if
 * the text is unknown. */
static int find(reading *r, const mls_pattern *pattern, mls_str text, size_t at, mls_str *match)
{
    const bool searches = is_known(text) && step(r, text.len + 64);
    const mls_status status = searches ? mls_pattern_find(pattern, text, at, match) : MLS_STOPPED;
    return status != MLS_OK ? STATUS_UNKNOWN : status_of(match->ptr != NULL);
}

/* Remove the shortest or longest match of the pattern `rule` from the start or the end of a text, and return the rest.
 * If `whole` is not NULL, do not remove anything; set *whole to the status of matching the whole text. */
static mls_str strip(reading *r, mls_str text, mls_str rule, bool from_end, bool longest, int *whole)
{
    mls_pattern pattern = {0};
    mls_str match;
    mls_str left = text;
    int found =
        is_known(rule) && mls_pattern_compile(&pattern, MLS_PATTERN_SHELL, rule) == MLS_OK ? STATUS_NO : STATUS_UNKNOWN;
    if (whole != NULL) {
        *whole = found == STATUS_NO ? find(r, &pattern, text, 0, &match) : STATUS_UNKNOWN;
        mls_pattern_release(&pattern);
        return text;
    }
    text = text.ptr != NULL ? text : MLS_S("");
    for (size_t i = 0; i <= text.len && found == STATUS_NO; i++) {
        const size_t cut = longest ? text.len - i : i;
        found = find(r, &pattern, (mls_str){text.ptr + (from_end ? text.len - cut : 0), cut}, 0, &match);
        if (found == STATUS_YES)
            left = (mls_str){text.ptr + (from_end ? 0 : cut), text.len - cut};
    }
    mls_pattern_release(&pattern);
    return found == STATUS_UNKNOWN || !is_known(text) ? HOLE : left;
}

/* Apply the sed command s/RULE/TEXT/ at the start of *script to a line, and return the new line.  Advance *script past
 * the command and the separator that follows. */
static mls_str substitute(reading *r, mls_str *script, mls_str line)
{
    const char mark = script->len > 2 && script->ptr[0] == 's' ? script->ptr[1] : ' ';
    mls_buffer made = {0};
    mls_pattern pattern = {0};
    mls_str rule;
    mls_str text;
    mls_str match;
    *script = mls_str_rest(*script, script->len < 2 ? script->len : 2);
    const bool plain = strchr("/|,:#@!%_~", mark) != NULL && mls_str_cut(script, mark, &rule) &&
                       !mls_str_ends(rule, MLS_S("\\")) && rule.len > 0 && mls_str_cut(script, mark, &text) &&
                       !mls_str_contains(text, MLS_S("\\")) && !mls_str_contains(text, MLS_S("&"));
    const bool global = mls_str_starts(*script, MLS_S("g"));
    *script = mls_str_rest(*script, global);
    if (!plain || (script->len > 0 && strchr("; ", script->ptr[0]) == NULL) ||
        mls_pattern_compile(&pattern, MLS_PATTERN_BASIC, rule) != MLS_OK)
        return HOLE;
    size_t after = 0;
    int found = find(r, &pattern, line, after, &match);
    while (found == STATUS_YES) {
        mls_buffer_append(&made, (mls_str){line.ptr + after, (size_t)(match.ptr - line.ptr) - after});
        mls_buffer_append(&made, text);
        after = (size_t)(match.ptr - line.ptr) + match.len;
        found = !global ? STATUS_NO : match.len > 0 ? find(r, &pattern, line, after, &match) : STATUS_UNKNOWN;
    }
    mls_buffer_append(&made, found == STATUS_NO ? mls_str_rest(line, after) : HOLE);
    mls_pattern_release(&pattern);
    while (script->len > 0 && strchr("; ", script->ptr[0]) != NULL)
        *script = mls_str_rest(*script, 1);
    return keep(r, &made);
}

/* ---- words ---- */

/* The state of expanding a word to one text or to several fields. */
typedef struct builder {
    reading *r;
    fields *fields; /* the fields that the word is split into; NULL: expand to one text */
    mls_buffer text;
    bool pattern;       /* expand to a pattern, in which quoted characters are escaped */
    bool splits;        /* split unquoted results at blanks, and match * and ? with file names */
    bool started;       /* the current field exists even if it is empty */
    bool hole_unquoted; /* the text contains an unquoted hole, which may be zero, one or several fields */
} builder;

static void build(builder *self, mls_str raw, bool in_quotes);

static void put(builder *self, mls_str bytes)
{
    self->started = true;
    if (self->text.len + bytes.len > MLS_SHELL_VALUE_BYTES_MAX)
        stop_at_limit(self->r, "length of a value");
    else
        mls_buffer_append(&self->text, bytes);
}

static void put_quoted(builder *self, mls_str bytes)
{
    if (!self->pattern)
        put(self, bytes);
    self->started = true;
    for (size_t i = 0; self->pattern && i < bytes.len && goes(self->r); i++) {
        const bool escape = bytes.ptr[i] != '\0' && strchr("*?[]\\!^-", bytes.ptr[i]) != NULL;
        put(self, escape ? MLS_S("\\") : MLS_S(""));
        put(self, (mls_str){bytes.ptr + i, 1});
    }
}

static void end_field(builder *self)
{
    if (self->started) {
        const mls_str text = self->text.ptr != NULL ? mls_buffer_str(&self->text) : MLS_S("");
        self->fields->unknown = self->fields->unknown || (self->hole_unquoted && mls_str_equal(text, HOLE));
        if (step(self->r, text.len))
            fields_add(self->r, self->fields, mls_arena_copy(self->r->arena, text));
    }
    mls_buffer_clear(&self->text);
    self->started = self->hole_unquoted = false;
}

/* Append an unquoted byte of the word.  The files that * ? and [ match are unknown.  Patterns such as @(…) are not
 * supported, so they are unknown, too. */
static void put_bare(builder *self, char c)
{
    const bool files = self->splits && (c == '*' || c == '?' || c == '[');
    put(self, files || c == '(' ? HOLE : (mls_str){&c, 1});
}

/* Append the result of an expansion.  A result outside quotes may be split into fields, and is treated as a pattern. */
static void put_expansion(builder *self, mls_str text, bool in_quotes)
{
    if (in_quotes || !self->splits) {
        (in_quotes ? put_quoted : put)(self, text);
        return;
    }
    for (size_t i = 0; i < text.len && goes(self->r); i++) {
        if (text.ptr[i] == ' ' || text.ptr[i] == '\t' || text.ptr[i] == '\n') {
            end_field(self);
        } else {
            put_bare(self, text.ptr[i]);
            self->hole_unquoted = self->hole_unquoted || text.ptr[i] == '\0';
        }
    }
}

/* Expand a word to one text, such as the value of an assignment.  With `pattern`, expand it to a pattern. */
static mls_str expand(reading *r, mls_str raw, bool pattern, bool in_quotes)
{
    builder self = {.r = r, .pattern = pattern};
    build(&self, raw, in_quotes);
    const mls_str text = keep(r, &self.text);
    return goes(r) ? text : HOLE;
}

/* Return the length of the parameter at the start of `text`: a variable's name, the number of an argument, or a special
 * character such as '?'.  Return 0 if the text does not begin with a parameter. */
static size_t parameter_length(mls_str text)
{
    size_t length = 0;
    while (length < text.len && mls_is_digit(text.ptr[length]))
        length++;
    return length > 0 || text.len == 0              ? length
           : strchr("@*#?-$!", text.ptr[0]) != NULL ? 1
                                                    : mls_str_name_length(text);
}

/* Return the value of a parameter: a variable, ?, #, 1 and so on. */
static mls_str parameter_value(reading *r, mls_str name)
{
    const fields *arguments = &r->frame.arguments;
    size_t index;
    if (mls_str_name_length(name) > 0)
        return variable_get(r, name);
    if (name.ptr[0] == '?')
        return number_text(r, (integer){r->frame.status, r->frame.status != STATUS_UNKNOWN});
    if (name.ptr[0] == '#' && !arguments->unknown)
        return number_text(r, (integer){(int64_t)arguments->count, true});
    if (arguments->unknown || !mls_size_parse(name, &index) || index == 0)
        return HOLE;
    return index <= arguments->count ? arguments->items[index - 1] : UNSET;
}

static mls_str bad_substitution(reading *r, mls_str inner, const char *problem)
{
    note(r, MLS_FINDING_CONFIG_SYNTAX, "${%.*s}: %s", MLS_CUT(inner, 60), problem);
    return HOLE;
}

/* Expand ${INNER}. */
static mls_str expand_braces(reading *r, mls_str inner, bool pattern, bool in_quotes)
{
    const bool prefixed = inner.len > 1 && parameter_length(mls_str_rest(inner, 1)) > 0;
    const bool length = prefixed && inner.ptr[0] == '#';
    const bool indirect = length || (prefixed && inner.ptr[0] == '!');
    const mls_str text = mls_str_rest(inner, indirect);
    const mls_str name = {text.ptr, parameter_length(text)};
    mls_str rest = mls_str_rest(text, name.len);
    if (mls_str_starts(rest, MLS_S("[0]")))
        rest = mls_str_rest(rest, 3);
    const bool item = mls_str_starts(rest, MLS_S("["));
    if (name.len == 0 || (length && rest.len > 0 && !item))
        return bad_substitution(r, inner, "bad substitution");
    const mls_str value = parameter_value(r, name);
    const bool known = is_known(value);
    if (rest.len == 0 && !indirect) {
        r->unset_used = r->unset_used || value.ptr == NULL;
        return value;
    }
    const bool colon = mls_str_starts(rest, MLS_S(":"));
    const char operation = rest.len > colon ? rest.ptr[colon] : ' ';
    if (!indirect && strchr("-=+?", operation) != NULL) {
        const mls_str word = mls_str_rest(rest, colon + 1U);
        const bool set = value.ptr != NULL && !(colon && value.len == 0);
        const bool named = mls_str_name_length(name) > 0;
        mls_str result = HOLE;
        if (known && set != (operation == '+'))
            return set ? value : MLS_S("");
        if (operation != '?') {       /* for "${A:?}" without a value bash would exit, so assume that the job sets A */
            r->frame.doubt += !known; /* if the value is unknown, so is whether bash expands the word */
            const mls_str other = expand(r, word, pattern && operation != '=', in_quotes);
            r->frame.doubt -= !known;
            result = known ? other : HOLE;
        }
        if (strchr("=?", operation) != NULL && named)
            variable_set(r, name, result);
        return operation == '=' && !named && known ? bad_substitution(r, name, "cannot assign in this way") : result;
    }
    if (!indirect && !colon && (operation == '#' || operation == '%')) {
        const bool longest = rest.len > 1 && rest.ptr[1] == operation;
        const mls_str rule = expand(r, mls_str_rest(rest, longest ? 2 : 1), true, false);
        return strip(r, value, rule, operation == '%', longest, NULL);
    }
    if (!indirect && strchr(":[/^,@", rest.ptr[0]) == NULL)
        return bad_substitution(r, inner, "bad substitution");
    /* ${#A}, ${!A}, ${A[1]}, ${A:1:2}, ${A/b/c} and ${A^^} are unknown.  Some of these forms evaluate arithmetic, which
     * may assign variables. */
    bool assigns = false;
    for (size_t i = 0; i < rest.len && (indirect || colon || item); i++)
        assigns = assigns || strchr("=+", rest.ptr[i]) != NULL ||
                  (colon && (strchr(":- ", rest.ptr[i]) == NULL && !mls_is_digit(rest.ptr[i])));
    if (assigns)
        stop_at_unsupported(r, MLS_S("arithmetic in ${…}"));
    r->frame.doubt++;
    (void)expand(r, rest, false, false);
    r->frame.doubt--;
    return HOLE;
}

/* Expand and append the unit at `at`: a quoted string, a substitution, or a byte.  Return the index after the unit. */
static size_t put_unit(builder *self, mls_str raw, size_t at, bool in_quotes)
{
    reading *r = self->r;
    const char c = raw.ptr[at];
    const char next = at + 1 < raw.len ? raw.ptr[at + 1] : ' ';
    const size_t end = unit_end(raw, at, in_quotes, 0);
    const mls_str unit = {raw.ptr + at, end - at};
    const mls_str after = mls_str_rest(raw, at + 1);
    if (end > raw.len) {
        put(self, HOLE);
        return raw.len;
    }
    if (c == '\\') {
        const bool last = at + 1 == raw.len;
        if (!last && next == '\n')
            return at + 2;
        const bool keeps = last || (in_quotes && strchr("$`\"\\", next) == NULL);
        put_quoted(self, keeps && next == '}' ? HOLE : (mls_str){raw.ptr + at + !keeps, 1});
        return at + (keeps ? 1 : 2);
    }
    if (c == '$' && next == '{') {
        const mls_str inner = {unit.ptr + 2, unit.len - 3};
        const mls_str text = expand_braces(r, inner, self->pattern && !in_quotes, in_quotes);
        bool quotes = false; /* quotes in the word of ${A:-word} prevent splitting */
        for (size_t i = 0; i < inner.len && !in_quotes && self->splits; i++)
            quotes = quotes || strchr("\"'\\", inner.ptr[i]) != NULL;
        put_expansion(self, quotes ? HOLE : text, in_quotes);
    } else if (mls_str_starts(unit, MLS_S("$((")) && parentheses_end(unit, 2, 0) == unit.len - 1) {
        r->unset_used = false;
        const mls_str expression = expand(r, (mls_str){unit.ptr + 3, unit.len - 5}, false, true);
        put_expansion(self, number_text(r, calculate(r, expression)), in_quotes);
    } else if (c == '$' && next == '(') {
        output printed = {0};
        const shell_frame outer = subshell_enter(r, &printed);
        r->frame.input = HOLE;
        r->frame.status = STATUS_YES;
        run_text(r, (mls_str){unit.ptr + 2, unit.len - 3}, outer.line);
        subshell_leave(r, &outer);
        mls_str text = keep(r, &printed.text);
        while (text.len > 0 && text.ptr[text.len - 1] == '\n')
            text.len--;
        r->substituted = true;
        put_expansion(self, text, in_quotes);
    } else if (c == '$' && next == '"' && !in_quotes) {
        self->started = true; /* $"…" is expanded like "…" */
    } else if (c == '$' && next == '[') {
        stop_at_unsupported(r, MLS_S("$[…]"));
    } else if (c == '`' || (c == '$' && unit.len > 1)) { /* `…` and $'…' are unknown: configs do not use them */
        put_expansion(self, HOLE, in_quotes || c == '$');
    } else if (c == '$' && parameter_length(after) > 0) {
        const size_t length = mls_is_digit(next) ? 1 : parameter_length(after);
        const mls_str value = parameter_value(r, (mls_str){after.ptr, length});
        r->unset_used = r->unset_used || value.ptr == NULL;
        put_expansion(self, value, in_quotes);
        return at + 1 + length;
    } else if (in_quotes) {
        put_quoted(self, c != '"' ? unit : MLS_S("")); /* quotes nested in quotes are removed: "${A:-"b c"}" */
    } else if (c == '\'') {
        put_quoted(self, (mls_str){unit.ptr + 1, unit.len - 2});
    } else if (c == '"') {
        build(self, (mls_str){unit.ptr + 1, unit.len - 2}, true);
    } else if (c == '~') { /* at the start of a word, ~ is a home folder; elsewhere it is a plain character */
        const char before = at > 0 ? raw.ptr[at - 1] : ':';
        put(self, before == ':' || before == '=' ? HOLE : unit);
    } else if (c == '{' && self->fields != NULL) { /* {a,b} or {1..4} may be several words */
        self->fields->unknown = self->fields->unknown || self->splits;
        put(self, at + 1 == raw.len ? unit : HOLE);
    } else {
        put_bare(self, c);
    }
    return end;
}

static void build(builder *self, mls_str raw, bool in_quotes)
{
    self->started = self->started || in_quotes;
    for (size_t at = 0; at < raw.len && goes(self->r);)
        at = put_unit(self, raw, at, in_quotes);
}

/* ---- [ ] and [[ ]] ---- */

/* Return the status of the test "-KIND TEXT", such as -z or -f.  The path of a file may be relative to the script. */
static int test_unary(reading *r, char kind, mls_str text)
{
    fields matching = {0};
    mls_str bytes;
    if (kind == 'n' || kind == 'z')
        return is_known(text) ? status_of((text.len > 0) == (kind == 'n')) : STATUS_UNKNOWN;
    if (strchr("efrsd", kind) == NULL)
        return STATUS_UNKNOWN;
    if (!is_known(text)) {
        file_match(r, text, &matching);
        r->frame.guard = text;
        return matching.unknown || matching.count > 0 || kind == 'd' ? STATUS_UNKNOWN : STATUS_NO;
    }
    const mls_status status = file_read(r, &text, &bytes);
    return status == MLS_OK           ? status_of(kind != 'd' && (kind != 's' || bytes.len > 0))
           : status == MLS_ERROR_READ ? STATUS_NO
                                      : STATUS_UNKNOWN;
}

/* Return the status of the test "LEFT OPERATION RIGHT" on texts or numbers.  `expanded`: the test is in [ ], so its
 * words are already expanded; in [[ ]], numbers may be arithmetic expressions. */
static int test_binary(reading *r, mls_str left, mls_str operation, mls_str right, bool expanded)
{
    const bool equality = mls_str_among(operation, " = == != ");
    integer a = {.known = true};
    integer b = {.known = true};
    if (!expanded) {
        left = expand(r, left, false, false);
        right = expand(r, right, equality, false);
    }
    const bool known = is_known(left) && is_known(right);
    if (equality) {
        int found = known ? status_of(mls_str_equal(left, right)) : STATUS_UNKNOWN;
        if (known && !expanded)
            (void)strip(r, left, right, false, false, &found);
        return operation.ptr[0] == '!' ? status_not(found) : found;
    }
    if (!mls_str_among(operation, " -eq -ne -lt -le -gt -ge "))
        return STATUS_UNKNOWN;
    if (!expanded) {
        a = calculate(r, left);
        b = calculate(r, right);
    } else if (!mls_integer_parse(left, &a.value) || !mls_integer_parse(right, &b.value)) {
        return known ? STATUS_MISTAKE : STATUS_UNKNOWN;
    }
    const char *true_ones = a.value == b.value  ? " -eq -le -ge "
                            : a.value < b.value ? " -ne -lt -le "
                                                : " -ne -gt -ge ";
    return a.known && b.known ? status_of(mls_str_among(operation, true_ones)) : STATUS_UNKNOWN;
}

/* Return the status of the tests in [[ ]], or with `expanded` of those in [ ], whose words are already expanded.  Tests
 * may be joined by && and ||, or by -a and -o.  If tests are grouped with brackets, the status is unknown. */
static int run_condition(reading *r, const fields *words, bool expanded)
{
    const char *joints = expanded ? " -a -o " : " && || ";
    const unsigned doubt = r->frame.doubt;
    size_t at = 0;
    int either = STATUS_NO; /* status of the operands of || before the current one */
    int both = STATUS_YES;  /* status of the tests joined by && in the current operand */
    if (words->count == 0)
        return STATUS_NO;
    for (bool last = false; !last && goes(r);) {
        bool negated = false;
        const size_t left = words->count - at;
        const bool joined = left > 1 && mls_str_among(field(words, at + 1), joints);
        int status;
        if (!joined && left > 1 && is(field(words, at), "!")) {
            negated = true;
            at++;
        }
        if (left > negated + 2U &&
            mls_str_among(field(words, at + 1), " = == != =~ < > -eq -ne -lt -le -gt -ge -nt -ot -ef ")) {
            status = test_binary(r, field(words, at), field(words, at + 1), field(words, at + 2), expanded);
            at += 3;
        } else {
            const mls_str option = field(words, at);
            const bool unary = left > negated + 1U && !joined && option.len == 2 && option.ptr[0] == '-';
            const mls_str text = field(words, at + unary);
            status = test_unary(r, unary ? option.ptr[1] : 'n', expanded ? text : expand(r, text, false, false));
            at += unary ? 2 : 1;
        }
        if (status == STATUS_MISTAKE)
            return status;
        status = negated ? status_not(status) : status;
        both = both == STATUS_NO || status == STATUS_NO ? STATUS_NO : both == STATUS_YES ? status : both;
        last = at >= words->count;
        if (!last && !mls_str_among(field(words, at), joints)) {
            both = STATUS_UNKNOWN;
            either = STATUS_UNKNOWN;
            last = true;
            const char first = field(words, 0).ptr[0];
            if (expanded && fields_known(words) && first != '(' && first != '\\')
                return STATUS_MISTAKE;
        } else if (last || mls_str_among(field(words, at), " -o || ")) {
            either = either == STATUS_YES || both == STATUS_YES ? STATUS_YES : either == STATUS_NO ? both : either;
            both = STATUS_YES;
        }
        at++;
        r->frame.doubt = doubt + !expanded; /* it is unknown whether bash evaluates the tests after the first one */
    }
    r->frame.doubt = doubt;
    return either;
}

/* ---- builtin commands, and programs whose output depends only on their arguments.  Each function returns the exit
 * status of its command. ---- */

typedef struct assignment {
    mls_str name;
    mls_str word;
    bool appends;
    bool list; /* the assignment is to an array item, or of a list ( … ), so the value is unknown */
} assignment;

/* Check whether a word, before or after expansion, is NAME=word, NAME+=word or NAME[…]=word.  Set parts->name even if
 * it is not. */
static bool is_assignment(mls_str raw, assignment *parts)
{
    size_t length = mls_str_name_length(raw);
    *parts = (assignment){.name = {raw.ptr, length}};
    if (length > 0 && length < raw.len && raw.ptr[length] == '[') {
        const char *close = memchr(raw.ptr + length, ']', raw.len - length);
        length = close != NULL ? (size_t)(close - raw.ptr) + 1 : 0;
        parts->list = true;
    }
    parts->appends = mls_str_starts(mls_str_rest(raw, length), MLS_S("+="));
    length += parts->appends;
    if (length == parts->appends || length == raw.len || raw.ptr[length] != '=')
        return false;
    parts->word = mls_str_rest(raw, length + 1);
    parts->list = parts->list || mls_str_starts(parts->word, MLS_S("("));
    return true;
}

static void assign(reading *r, const assignment *parts, mls_str value)
{
    variable_set(r, parts->name, parts->appends ? join(r, variable_get(r, parts->name), value) : value);
}

static bool is_option(mls_str text)
{
    return text.len > 1 && (text.ptr[0] == '-' || text.ptr[0] == '+');
}

static int run_constant(reading *r, const fields *words)
{
    (void)r;
    return status_of(!is(field(words, 0), "false"));
}

/* Run a command that does not change variables, and whose status and output are unknown.  Some of these commands change
 * the current folder or the arguments. */
static int run_unknown(reading *r, const fields *words)
{
    shell_frame *frame = &r->frame;
    frame->moved = frame->moved || mls_str_among(field(words, 0), " cd pushd popd ");
    frame->arguments.unknown = frame->arguments.unknown || is(field(words, 0), "shift");
    print(r, HOLE);
    return STATUS_UNKNOWN;
}

static int run_unsupported(reading *r, const fields *words)
{
    if (is(field(words, 0), "printf") && is_known(field(words, 1)) && !is(field(words, 1), "-v"))
        return run_unknown(r, words);
    if (is(field(words, 0), "exec") && words->count == 1)
        return STATUS_YES; /* exec with redirections only, such as exec >log */
    stop_at_unsupported(r, field(words, 0));
    return STATUS_UNKNOWN;
}

static int run_export(reading *r, const fields *words)
{
    int status = STATUS_YES;
    size_t at = 1;
    if (is(field(words, at), "--"))
        at++;
    else if (is_option(field(words, at)))
        return run_unsupported(r, words);
    for (; at < words->count; at++) {
        const mls_str word = field(words, at);
        assignment parts;
        const bool assigns = is_assignment(word, &parts) && !parts.list;
        if (assigns)
            assign(r, &parts, parts.word);
        else if (!mls_str_is_name(word))
            status = mls_str_starts(word, HOLE) ? STATUS_UNKNOWN : STATUS_NO;
        if (status == STATUS_UNKNOWN)
            forget_all(r, field(words, 0)); /* the unknown word may name any variable */
    }
    return status;
}

static const function *find_function(const reading *r, mls_str name)
{
    const function *found = r->frame.functions;
    while (found != NULL && !mls_str_equal(found->name, name))
        found = found->next;
    return found;
}

static int run_unset(reading *r, const fields *words)
{
    shell_frame *frame = &r->frame;
    for (size_t i = is(field(words, 1), "-v") ? 2 : 1; i < words->count; i++) {
        const mls_str name = field(words, i);
        if (!mls_str_is_name(name) || is(name, "IFS") || find_function(r, name) != NULL)
            return run_unsupported(r, words);
        slot *of = variable_slot(r, name);
        if (frame->doubt == 0)
            *of = (slot){.name = of->name, .value = UNSET};
        else if (of->value.ptr != NULL)
            of->value = HOLE;
    }
    return STATUS_YES;
}

/* Run set.  Ignore -e and -u: nobody submits with a script that they stop.  The option -a is not supported, because
 * configs do not use it. */
static int run_set(reading *r, const fields *words)
{
    for (size_t i = 1; i < words->count; i++) {
        const mls_str word = field(words, i);
        if (!is_option(word) || is(word, "--") || !is_known(word)) {
            r->frame.arguments.unknown = true;
            break;
        }
        const bool named = memchr(word.ptr, 'o', word.len) != NULL; /* -o NAME, -euo NAME */
        if (memchr(word.ptr, 'a', word.len) != NULL || (named && is(field(words, ++i), "allexport")))
            return run_unsupported(r, words);
    }
    return STATUS_YES;
}

static int run_test(reading *r, const fields *words)
{
    const bool bracket = is(field(words, 0), "[");
    const mls_str last = field(words, words->count - 1);
    const fields inner = {words->items + 1, words->count - 1 - bracket, 0, words->unknown};
    if (bracket && !is(last, "]"))
        return is_known(last) && !words->unknown ? STATUS_MISTAKE : STATUS_UNKNOWN;
    const int status = run_condition(r, &inner, true);
    return words->unknown ? STATUS_UNKNOWN : status;
}

static int run_echo(reading *r, const fields *words)
{
    const bool quiet = is(field(words, 1), "-n");
    const size_t first = quiet ? 2 : 1;
    const mls_str option = field(words, first);
    if (words->unknown || (is_option(option) && strchr("neE", option.ptr[1]) != NULL)) {
        print(r, HOLE);
        return STATUS_YES;
    }
    for (size_t i = first; i < words->count; i++) {
        print(r, i > first ? MLS_S(" ") : MLS_S(""));
        print(r, field(words, i));
    }
    print(r, quiet ? MLS_S("") : MLS_S("\n"));
    return STATUS_YES;
}

/* Run exit or return: end a file, a function or a subshell.  If this command is run in doubt, the following commands
 * are in doubt, too. */
static int run_leave(reading *r, const fields *words)
{
    shell_frame *frame = &r->frame;
    int64_t code = frame->status;
    const bool exits = is(field(words, 0), "exit");
    if (words->count > 1 && !mls_integer_parse(field(words, 1), &code))
        code = STATUS_UNKNOWN;
    if (frame->doubt == 0)
        frame->flow = exits ? FLOW_EXIT : FLOW_RETURN;
    else if (!exits || frame->subshell)
        frame->doubt++;
    return words->count > 1 && code >= 0 ? (int)(code & 0xff) : (int)code;
}

static mls_str without_slashes(mls_str path)
{
    while (path.len > 1 && path.ptr[path.len - 1] == '/')
        path.len--;
    return path;
}

/* Run dirname, basename, readlink -f or realpath. */
static int run_path(reading *r, const fields *words)
{
    const mls_str name = field(words, 0);
    const mls_str option = field(words, 1);
    const bool resolves = mls_str_among(name, " readlink realpath ");
    const bool follows = resolves && is(option, "-f");
    const size_t at = follows || (!resolves && is(option, "--")) ? 2 : 1;
    const mls_str path = without_slashes(field(words, at));
    const mls_str above = mls_path_folder(path);
    mls_str line = HOLE;
    if (at >= words->count || is_option(field(words, at)) || words->count > at + (is(name, "basename") ? 2 : 1))
        return run_unknown(r, words);
    if (resolves) {
        const bool moved = r->frame.moved && path.ptr[0] != '/';
        if (moved || (!follows && is(name, "readlink")) || locate(r, field(words, at), &line) != MLS_OK)
            return run_unknown(r, words);
    } else if (is(name, "dirname")) {
        line = above.len == 0 ? MLS_S(".") : without_slashes(above);
    } else {
        const mls_str ending = field(words, at + 1);
        line = mls_str_rest(path, above.len < path.len ? above.len : 0);
        line.len -= ending.len < line.len && mls_str_ends(line, ending) ? ending.len : 0;
    }
    print(r, line);
    print(r, MLS_S("\n"));
    return STATUS_YES;
}

/* Run sed on one line of input from a pipe. */
static int run_sed(reading *r, const fields *words)
{
    const mls_str input = r->frame.input;
    const bool ended = input.len > 0 && input.ptr[input.len - 1] == '\n';
    mls_str line = {input.ptr, input.len - ended};
    bool known = words->count > 1 && is_known(line) && (line.len == 0 || memchr(line.ptr, '\n', line.len) == NULL);
    for (size_t i = 1; i < words->count && known; i++) {
        const bool given = is(field(words, i), "-e");
        known = given || (i == 1 && words->count == 2 && !is_option(field(words, i)));
        i += given;
        mls_str script = field(words, i);
        known = known && script.len > 0 && !mls_str_contains(script, MLS_S("\n"));
        for (; known && script.len > 0; known = is_known(line))
            line = substitute(r, &script, line);
    }
    if (!known)
        return run_unknown(r, words);
    print(r, line);
    print(r, ended ? MLS_S("\n") : MLS_S(""));
    return STATUS_YES;
}

/* Run expr on integers and the operators + - * / %. */
static int run_expr(reading *r, const fields *words)
{
    mls_buffer text = {0};
    bool plain = words->count % 2 == 0;
    for (size_t i = 1; i < words->count && plain; i++) {
        int64_t number = 0;
        plain =
            i % 2 == 0 ? mls_str_among(field(words, i), " + - * / % ") : mls_integer_parse(field(words, i), &number);
        mls_buffer_append(&text, i % 2 == 0 ? field(words, i) : number_text(r, (integer){number, true}));
        mls_buffer_append(&text, MLS_S(" "));
    }
    const mls_str expression = keep(r, &text);
    const integer result = plain ? calculate(r, expression) : unknown_integer;
    print(r, number_text(r, result));
    print(r, MLS_S("\n"));
    return result.known ? status_of(result.value != 0) : STATUS_UNKNOWN;
}

static const struct {
    const char *names;
    int (*run)(reading *r, const fields *words);
    bool program; /* this is a program, whose output is unknown if any argument is unknown */
} builtins[] = {
    {" : true false ", run_constant, false},
    {" export ", run_export, false},
    {" unset ", run_unset, false},
    {" set ", run_set, false},
    {" [ test ", run_test, false},
    {" echo ", run_echo, false},
    {" return exit ", run_leave, false},
    {" dirname basename readlink realpath ", run_path, true},
    {" sed ", run_sed, true},
    {" expr ", run_expr, true},
    {" cd pushd popd shift shopt ulimit umask trap ", run_unknown, false},
    {" alias builtin command declare enable eval exec getopts let local mapfile printf read readarray readonly "
     "typeset ",
     run_unsupported, false},
};

/* ---- files, functions and commands ---- */

/* Run the body of a file or function in the current shell: `list` or, if `list` is NULL, the commands in `text`. */
static void run_body(reading *r, const fields *arguments, const char *path, mls_str text, const command *list)
{
    shell_frame *frame = &r->frame;
    const shell_frame outer = *frame;
    if (arguments != NULL)
        frame->arguments = *arguments;
    frame->status = STATUS_YES;
    frame->path = path;
    if (list != NULL)
        run_list(r, list);
    else
        run_text(r, text, 1);
    frame->flow = frame->flow == FLOW_RETURN ? FLOW_GO : frame->flow;
    frame->path = outer.path;
    frame->line = outer.line;
    frame->doubt = outer.doubt;
    frame->arguments = outer.arguments;
}

static bool is_open(const reading *r, mls_str path)
{
    size_t i = 0;
    while (i < r->source_depth && !is(path, r->sources[i]))
        i++;
    return i < r->source_depth;
}

/* Run the sourced file `path`, whose contents are `text`.  If `arguments` is NULL, $1 and so on are those of the
 * sourcing script. */
static void run_file(reading *r, const fields *arguments, mls_str path, mls_str text)
{
    if (is_open(r, path) || r->source_depth == SOURCE_DEPTH_MAX)
        stop_at_limit(r, is_open(r, path) ? "a file that sources itself" : "depth of source");
    if (goes(r)) {
        const char *kept = mls_arena_copy(r->arena, path).ptr;
        r->sources[r->source_depth++] = kept;
        run_body(r, arguments, kept, text, NULL);
        r->source_depth--;
    }
}

static void run_source(reading *r, const fields *words)
{
    shell_frame *frame = &r->frame;
    const mls_str named = words->count > 1 ? words->items[1] : HOLE;
    const fields given = {words->items + 2, words->count - 2, 0, words->unknown};
    const fields *arguments = words->count > 2 ? &given : NULL;
    mls_str path = named;
    mls_str text;
    fields matches = {.unknown = true};
    const mls_status status = file_read(r, &path, &text);
    if (status == MLS_OK) {
        run_file(r, arguments, path, text);
        return;
    }
    if (frame->doubt > 0 && !is_known(named) && mls_str_equal(named, frame->guard))
        file_match(r, named, &matches);
    if (status == MLS_ERROR_READ && !r->stopped) {
        note(r, MLS_FINDING_CONFIG_SOURCE, "sources '%.*s', which does not exist", (int)named.len, named.ptr);
    } else if (matches.unknown && !r->stopped) {
        const bool known = is_known(named) && !frame->moved;
        note(r, MLS_FINDING_CONFIG_SOURCE, "sources %s%.*s%s: values from before line %zu are unknown",
             known ? "'" : "", known ? (int)named.len : 0, named.ptr,
             known ? "', which is not read" : "a file whose place cannot be known", frame->line);
        forget_all(r, MLS_S(""));
    }
    /* At most one of these files was sourced, and it is unknown which, so all variables that they set become
     * unknown. */
    for (size_t i = 0; i < matches.count && goes(r); i++) {
        path = matches.items[i];
        if (file_read(r, &path, &text) == MLS_OK && !is_open(r, path))
            run_file(r, arguments, path, text);
    }
    frame->status = status == MLS_ERROR_READ ? STATUS_NO : STATUS_UNKNOWN;
}

static void run_simple(reading *r, const fields *words)
{
    shell_frame *frame = &r->frame;
    fields expanded = {0};
    assignment parts;
    size_t count = 0;
    while (count < words->count && is_assignment(words->items[count], &parts))
        count++;
    r->substituted = false;
    const bool exports = is(field(words, count), "export");
    for (size_t i = count; i < words->count && goes(r); i++) /* expand the words of the command to fields */
    {
        const mls_str raw = words->items[i];
        const bool assigns = exports && is_assignment(raw, &parts); /* the word is an assignment, which is not split */
        const bool bracket = mls_str_starts(raw, MLS_S("[")) && memchr(raw.ptr, ']', raw.len) == NULL;
        builder self = {.r = r, .fields = &expanded, .splits = !assigns && !bracket};
        build(&self, raw, false);
        end_field(&self);
        mls_buffer_release(&self.text);
    }
    const bool alone = count == words->count;
    for (size_t i = 0; i < count && goes(r) && is_assignment(words->items[i], &parts); i++) {
        const mls_str value = alone && parts.list ? HOLE : expand(r, parts.word, false, false);
        if (!alone || !goes(r))
            continue; /* an assignment before a command ends with the command */
        if (parts.list)
            variable_slot(r, parts.name)->array = true;
        assign(r, &parts, value);
    }
    if (!goes(r))
        return;
    if (expanded.count == 0 && !expanded.unknown) {
        frame->status = r->substituted ? frame->status : STATUS_YES;
        return;
    }
    const mls_str name = expanded.count > 0 ? expanded.items[0] : HOLE;
    const function *called = find_function(r, name);
    const bool sources = called == NULL && mls_str_among(name, " source . ");
    if (count > 0 && (called != NULL || sources)) {
        stop_at_unsupported(r, MLS_S("an assignment before a function or source"));
    } else if (called != NULL && called->body != NULL) {
        const fields arguments = {expanded.items + 1, expanded.count - 1, 0, expanded.unknown};
        run_body(r, &arguments, frame->path, MLS_S(""), called->body);
    } else if (sources) {
        run_source(r, &expanded);
    } else {
        for (size_t i = 0; called == NULL && i < sizeof builtins / sizeof *builtins; i++) {
            if (mls_str_among(name, builtins[i].names)) {
                const bool unknown = builtins[i].program && !fields_known(&expanded);
                frame->status = (unknown ? run_unknown : builtins[i].run)(r, &expanded);
                return;
            }
        }
        /* A program cannot change variables, but its output is unknown. */
        print(r, HOLE);
        if (called != NULL || !is_known(name))
            forget_all(r, name);
        frame->status = STATUS_UNKNOWN;
    }
}

static void run_command(reading *r, const command *of)
{
    shell_frame *frame = &r->frame;
    output *outer_output = frame->output;
    const mls_str outer_input = frame->input;
    frame->line = of->line;
    if (step(r, COMMAND_STEPS) && r->depth >= DEPTH_MAX)
        stop_at_limit(r, "nesting of commands");
    if (!goes(r))
        return;
    r->depth++;
    r->unset_used = false;
    frame->output = of->output_redirected ? NULL : frame->output;
    frame->input = of->input_redirected ? HOLE : frame->input;
    switch (of->kind) {
    case SIMPLE:
        run_simple(r, &of->words);
        break;
    case CONDITION:
        frame->status = run_condition(r, &of->words, false);
        break;
    case GROUP:
        run_list(r, of->first);
        break;
    case PIPE: { /* only the output of the last command is output of the pipeline */
        output printed = {0};
        const shell_frame outer = subshell_enter(r, &printed);
        run_command(r, of->first);
        r->frame = outer;
        (void)subshell_enter(r, NULL);
        r->frame.input = keep(r, &printed.text);
        run_command(r, of->second);
        subshell_leave(r, &outer);
        break;
    }
    case FUNCTION: { /* if it is run in doubt, it is unknown whether this definition is used */
        function *made = mls_arena_alloc(r->arena, sizeof *made);
        *made = (function){of->words.items[0], frame->doubt == 0 ? of->first : NULL, frame->functions};
        frame->functions = made;
        frame->status = STATUS_YES;
        break;
    }
    case NOT:
        run_command(r, of->first);
        frame->status = status_not(frame->status);
        break;
    case AND:
    case OR: {
        const bool both = of->kind == AND;
        run_command(r, of->first);
        const bool doubtful = frame->status == STATUS_UNKNOWN;
        if (!doubtful && (frame->status == STATUS_YES) != both)
            break;
        frame->doubt += doubtful;
        run_command(r, of->second);
        frame->doubt -= doubtful && frame->doubt > 0;
        if (doubtful && (frame->status == STATUS_YES) == both)
            frame->status = STATUS_UNKNOWN;
        break;
    }
    case IF: {
        run_list(r, of->first);
        const int status = frame->status;
        const bool doubtful = status == STATUS_UNKNOWN;
        frame->doubt += doubtful;
        if (doubtful || status == STATUS_YES)
            run_list(r, of->second);
        if (of->third != NULL && (doubtful || status != STATUS_YES))
            run_list(r, of->third);
        frame->doubt -= doubtful;
        frame->status = doubtful ? STATUS_UNKNOWN : status != STATUS_YES && !of->third ? STATUS_YES : frame->status;
        break;
    }
    }
    frame->output = outer_output;
    frame->input = outer_input;
    r->depth--;
}

static void run_list(reading *r, const command *list)
{
    for (; list != NULL && goes(r); list = list->next)
        run_command(r, list);
}

/* ---- the parser, which converts tokens to commands by recursive descent ---- */

typedef enum shell_token_kind { TOKEN_END, TOKEN_WORD, TOKEN_NEWLINE, TOKEN_OPERATOR } shell_token_kind;

typedef struct parser {
    reading *r;
    mls_str text;
    size_t line; /* line number of offset `at` */
    size_t at;   /* offset after the current token */
    struct {
        shell_token_kind kind;
        mls_str text;
        size_t line;
    } token;
    const char *problem;     /* the syntax error as a static text; if it is set, there are no more tokens */
    const char *unsupported; /* the construct that caused the problem, if the interpreter does not know it */
    size_t depth;
} parser;

static command *parse_list(parser *p);

static void fail(parser *p, const char *problem)
{
    p->problem = p->problem == NULL ? problem : p->problem;
    p->at = p->text.len;
    p->token.kind = TOKEN_END;
    p->token.text = MLS_S("");
}

static void fail_unsupported(parser *p, const char *what)
{
    p->unsupported = p->problem == NULL ? what : p->unsupported;
    fail(p, what);
}

static void next_token(parser *p)
{
    static const char *const operators[] = {"&>>", ";;&", "<<-", "<<<", "&&", "||", ";;", ";&", "|&", "<<", ">>", "<&",
                                            ">&",  "<>",  ">|",  "&>",  ";",  "&",  "|",  "(",  ")",  "<",  ">"};
    const mls_str text = p->text;
    for (; p->at < text.len; p->at++) { /* skip blanks and comments */
        const char c = text.ptr[p->at];
        if (c == '\\' && p->at + 1 < text.len && text.ptr[p->at + 1] == '\n') {
            p->at++;
            p->line++;
        } else if (c == '#') {
            p->at = end_of_line(text, p->at);
            break;
        } else if (c != ' ' && c != '\t') {
            break;
        }
    }
    const mls_str rest = mls_str_rest(text, p->at);
    const size_t digits = strspn(rest.ptr, "0123456789");
    const size_t descriptor = digits < rest.len && strchr("<>", rest.ptr[digits]) != NULL ? digits : 0;
    const char c = rest.len > 0 ? rest.ptr[0] : '\n';
    size_t end = p->at;
    p->token.line = p->line;
    if (rest.len == 0) {
        p->token.kind = TOKEN_END;
    } else if (c == '\n') {
        p->token.kind = TOKEN_NEWLINE;
        end++;
    } else if (descriptor == 0 && !is_blank_or_operator(c)) {
        p->token.kind = TOKEN_WORD;
        while (end < text.len && (end == p->at || !is_blank_or_operator(text.ptr[end]) || text.ptr[end] == '(')) {
            const char before = end > p->at ? text.ptr[end - 1] : ' ';
            /* '(' continues a word in A=( … ) and @(a|b).  "!(" at the start of a word is a negated subshell. */
            const char *openers = end > p->at + 1 ? "=@?*+!" : "=@?*+";
            if (text.ptr[end] != '(')
                end = unit_end(text, end, false, 0);
            else if (strchr(openers, before) != NULL)
                end = parentheses_end(text, end, 0);
            else
                break;
        }
    } else {
        size_t i = 0;
        while (i + 1 < sizeof operators / sizeof *operators &&
               !mls_str_starts(mls_str_rest(rest, descriptor), mls_str_from(operators[i])))
            i++;
        p->token.kind = TOKEN_OPERATOR;
        end += descriptor + strlen(operators[i]);
    }
    if (end == NO_END) {
        fail(p, "a quote or bracket is not closed, or nested too deep");
        return;
    }
    p->token.text = (mls_str){text.ptr + p->at, end - p->at};
    for (; p->at < end; p->at++)
        p->line += text.ptr[p->at] == '\n';
    const mls_str token = p->token.text;
    if (p->token.kind == TOKEN_OPERATOR && mls_str_contains(token, MLS_S("<<")))
        fail_unsupported(p, "a here-document");
    else if (p->token.kind == TOKEN_OPERATOR && mls_str_among(token, " & |& "))
        fail_unsupported(p, token.len == 1 ? "a command in the background" : "|&");
    else if (mls_str_among(token, " < > ") && p->at < text.len && text.ptr[p->at] == '(')
        fail_unsupported(p, "a process substitution");
}

static const char no_keyword[] = "a word like then, do, in or fi is missing";
static const char stray_keyword[] = "a word like then, do or fi where none is expected";

static bool token_is(const parser *p, const char *text)
{
    return is(p->token.text, text);
}

static bool take(parser *p, const char *text)
{
    const bool found = token_is(p, text);
    if (found)
        next_token(p);
    return found;
}

static void expect(parser *p, const char *text, const char *problem)
{
    if (!take(p, text))
        fail(p, problem);
}

static bool skip_newlines(parser *p)
{
    const bool any = p->token.kind == TOKEN_NEWLINE;
    while (p->token.kind == TOKEN_NEWLINE)
        next_token(p);
    return any;
}

static bool closes_list(const parser *p)
{
    return p->token.kind == TOKEN_END || mls_str_among(p->token.text, " then elif else fi do done esac } ) ;; ;& ;;& ");
}

static command *make(parser *p, command_kind kind, command *first, command *second)
{
    command *made = mls_arena_alloc(p->r->arena, sizeof *made);
    *made = (command){.kind = kind, .line = first != NULL ? first->line : p->token.line};
    made->first = first;
    made->second = second;
    return made;
}

/* Parse redirections and, if `words` is set, the words of a simple command. */
static void parse_words(parser *p, command *to, bool words)
{
    for (;;) {
        const mls_str token = p->token.text;
        const size_t descriptor = strspn(token.ptr, "0123456789");
        const bool redirects = p->token.kind == TOKEN_OPERATOR &&
                               (memchr(token.ptr, '<', token.len) != NULL || memchr(token.ptr, '>', token.len) != NULL);
        if (!redirects && (!words || p->token.kind != TOKEN_WORD))
            return;
        next_token(p);
        if (!redirects) {
            fields_add(p->r, &to->words, token);
            continue;
        }
        const bool reads = token.ptr[descriptor] == '<';
        const bool standard = descriptor == 0 || (descriptor == 1 && token.ptr[0] == (reads ? '0' : '1'));
        to->any_redirection = true;
        to->output_redirected = to->output_redirected || (!reads && standard);
        to->input_redirected = to->input_redirected || (reads && standard);
        if (p->token.kind != TOKEN_WORD)
            fail(p, "a redirection without a file");
        next_token(p);
    }
}

static command *parse_command(parser *p);

/* Parse the rest of a function definition after its name. */
static command *parse_function(parser *p, command *to)
{
    if (take(p, "("))
        expect(p, ")", "'(' where none is expected");
    (void)skip_newlines(p);
    to->kind = FUNCTION;
    to->first = parse_command(p);
    return to;
}

static command *parse_command(parser *p)
{
    command *made = make(p, SIMPLE, NULL, NULL);
    if (p->depth >= NESTING_MAX)
        fail(p, "commands are nested too deep");
    else if (closes_list(p))
        fail(p, stray_keyword);
    else if (mls_str_among(p->token.text, " for select while until case coproc time "))
        fail_unsupported(p, "a loop, case, coproc or time");
    else if (token_is(p, "("))
        fail_unsupported(p, "a subshell or ((");
    p->depth++;
    bool compound = true;
    if (take(p, "if")) {
        command *branch = NULL;
        do { /* "elif" is stored as an IF in the else branch of the preceding IF */
            command *other = make(p, IF, parse_list(p), NULL);
            expect(p, "then", no_keyword);
            other->second = parse_list(p);
            if (branch != NULL)
                branch->third = other;
            else
                made = other;
            branch = other;
        } while (take(p, "elif"));
        if (take(p, "else"))
            branch->third = parse_list(p);
        expect(p, "fi", no_keyword);
    } else if (take(p, "[[")) {
        made->kind = CONDITION;
        while (p->problem == NULL && !take(p, "]]")) {
            if (p->token.kind == TOKEN_END)
                fail(p, "[[ without ]]");
            else if (p->token.kind != TOKEN_NEWLINE)
                fields_add(p->r, &made->words, p->token.text);
            next_token(p);
        }
    } else if (take(p, "{")) {
        made->kind = GROUP;
        made->first = parse_list(p);
        expect(p, "}", "a bracket is not closed");
    } else if (take(p, "function")) {
        fields_add(p->r, &made->words, p->token.text);
        next_token(p);
        (void)parse_function(p, made);
    } else {
        compound = false;
        parse_words(p, made, true);
        if (made->words.count == 0 && !made->any_redirection)
            fail(p, "a command is missing");
        else if (made->words.count == 1 && token_is(p, "("))
            (void)parse_function(p, made);
    }
    if (compound)
        parse_words(p, made, false);
    p->depth--;
    return made;
}

static command *parse_pipeline(parser *p)
{
    bool negated = false;
    while (take(p, "!"))
        negated = !negated;
    command *left = parse_command(p);
    while (take(p, "|")) {
        (void)skip_newlines(p);
        left = make(p, PIPE, left, parse_command(p));
    }
    return negated ? make(p, NOT, left, NULL) : left;
}

/* Parse commands up to a closing keyword or, outside compound commands, up to the end of the line. */
static command *parse_list(parser *p)
{
    command *first = NULL;
    command *last = NULL;
    bool separated = true;
    (void)skip_newlines(p);
    do {
        if (!separated)
            fail(p, "two commands without anything between them");
        command *item = parse_pipeline(p);
        for (bool both; (both = take(p, "&&")) || take(p, "||");) {
            (void)skip_newlines(p);
            item = make(p, both ? AND : OR, item, parse_pipeline(p));
        }
        if (last != NULL)
            last->next = item;
        first = first != NULL ? first : item;
        last = item;
        separated = take(p, ";");
        if (p->depth == 0 && p->token.kind == TOKEN_NEWLINE)
            break;
        separated = skip_newlines(p) || separated;
    } while (!closes_list(p));
    return first;
}

/* Parse and run the commands of a text that begins at line number `line`. */
static void run_text(reading *r, mls_str text, size_t line)
{
    parser p = {.r = r, .text = text, .line = line};
    next_token(&p);
    while (goes(r)) {
        (void)skip_newlines(&p);
        if (p.token.kind == TOKEN_END && p.problem == NULL)
            return;
        const size_t begin = p.at;
        const command *list = parse_list(&p);
        (void)step(r, p.at - begin);
        if (p.token.kind != TOKEN_NEWLINE && p.token.kind != TOKEN_END)
            fail(&p, stray_keyword);
        if (p.problem != NULL) {
            r->frame.line = p.token.line;
            if (p.unsupported != NULL)
                stop_at_unsupported(r, mls_str_from(p.unsupported));
            else
                note(r, MLS_FINDING_CONFIG_SYNTAX, "%s; what follows is not read", p.problem);
            print(r, HOLE);
            r->frame.status = STATUS_UNKNOWN;
            return;
        }
        run_list(r, list);
    }
}

/* ---- the whole script ---- */

mls_status mls_shell_read(const char *path, const char *root, mls_shell **script, mls_error *error)
{
    mls_shell *self = mls_calloc(1, sizeof *self);
    mls_error problem = {0};
    mls_str text;
    *script = NULL;
    self->path = mls_strdup(path);
    self->arena = mls_calloc(1, sizeof *self->arena);
    reading r = {.arena = self->arena, .findings = &self->findings};
    mls_status status = file_load(&r, path, &text, &problem); /* values refer to this text, so it is kept */
    if (status == MLS_OK && !is_known(text))
        status = mls_error_set(&problem, MLS_ERROR_SYNTAX, 0, 0, "not a text: it contains NUL bytes");
    if (status != MLS_OK) {
        mls_shell_free(self);
        if (error != NULL)
            *error = problem;
        return status;
    }
    const mls_str named = mls_str_from(self->path);
    const mls_str target = root == NULL ? real_path(&r, named) : MLS_S("");
    r.roots[0] = real_path(&r, root != NULL ? mls_str_from(root) : mls_path_folder(named));
    r.roots[1] = target.len > 0 ? real_path(&r, mls_path_folder(target)) : target;
    r.frame.path = self->path;
    r.frame.input = HOLE;
    run_file(&r, NULL, named, text);
    const slots *variables = &r.frame.variables;
    mls_shell_variable *exports = mls_arena_array(self->arena, variables->count + 1, sizeof *exports);
    self->exports = exports;
    for (size_t i = 0; i < variables->count; i++) {
        const slot *of = &variables->items[i];
        const bool known = !r.stopped && is_known(of->value);
        const bool set = r.stopped || of->value.ptr != NULL;
        if (set && !mls_str_among(of->name, " _ SHLVL PWD OLDPWD ")) {
            exports[self->export_count++] = (mls_shell_variable){of->name, known ? of->value : MLS_S(""), known,
                                                                 of->path != NULL ? of->path : self->path, of->line};
        }
    }
    self->complete =
        !variables->forgotten && !r.stopped && mls_findings_found(&self->findings, MLS_FINDING_CONFIG_SOURCE) == 0;
    *script = self;
    return MLS_OK;
}

void mls_shell_free(mls_shell *script)
{
    if (script != NULL) {
        mls_arena_free(script->arena);
        mls_findings_release(&script->findings);
        free(script->path);
        free(script);
    }
}

static int compare_names(const void *name, const void *variable)
{
    return mls_str_compare(*(const mls_str *)name, ((const mls_shell_variable *)variable)->name);
}

const mls_shell_variable *mls_shell_find(const mls_shell *script, mls_str name)
{
    return bsearch(&name, script->exports, script->export_count, sizeof *script->exports, compare_names);
}

bool mls_shell_is_set(const mls_shell_variable *variable)
{
    return !variable->known || (variable->value.len > 0 && !mls_str_alike(variable->value, MLS_S("null")));
}
