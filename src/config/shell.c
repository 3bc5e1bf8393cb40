/* SPDX-License-Identifier: Apache-2.0 */
/* shell.c - interpret a script as bash would: variables, sourced files, commands and grammar.  shell_words.c expands
 * words.
 *
 * The grammar is parsed by recursive descent, and commands run while they are parsed.  Some facts must be known before
 * a command runs: whether a line is shell at all, where its output goes, and whether it runs in the background.  They
 * are found by reading ahead with nothing run.  Branches not taken and the bodies of functions are read the same way.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/file.h"
#include "base/walk.h"
#include "config/shell_state.h"

enum { NAMES_MAX = 4096 /* in a folder */, COMMAND_STEPS = 100 };

/* ---- limits, texts, variables and frames ---- */

const char mls_shell_maybe[1] = {'\0'};
const char mls_shell_unset[1] = {'\0'};

void mls_shell_note(reading *r, mls_finding_code code, const char *format, ...)
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

void mls_shell_limit(reading *r, const char *limit)
{
    if (!r->stopped)
        mls_shell_note(r, MLS_FINDING_CONFIG_LIMIT, "reading stops here: %s", limit);
    r->stopped = true;
}

bool mls_shell_step(reading *r, size_t count)
{
    if (r->stopped || count > SHELL_STEPS_MAX - r->steps) {
        mls_shell_limit(r, "it takes too many steps");
        return false;
    }
    r->steps += count;
    return true;
}

mls_str mls_shell_keep(reading *r, mls_str bytes)
{
    if (bytes.len > SHELL_VALUE_BYTES_MAX)
        mls_shell_limit(r, "length of a value");
    return mls_shell_step(r, bytes.len) ? mls_arena_copy(r->arena, bytes) : SHELL_HOLE;
}

mls_str mls_shell_keep_buffer(reading *r, mls_buffer *buffer)
{
    const mls_str text = mls_shell_keep(r, buffer->ptr != NULL ? mls_buffer_str(buffer) : MLS_S(""));
    mls_buffer_release(buffer);
    return text;
}

mls_str mls_shell_join(reading *r, mls_str a, mls_str b)
{
    mls_buffer text = {0};
    mls_buffer_append(&text, a);
    mls_buffer_append(&text, b);
    return mls_shell_keep_buffer(r, &text);
}

mls_str mls_shell_number(reading *r, int64_t number)
{
    mls_buffer digits = {0};
    mls_buffer_printf(&digits, "%lld", (long long)number);
    return mls_shell_keep_buffer(r, &digits);
}

void mls_shell_fields_add(reading *r, shell_fields *fields, mls_str text)
{
    if (mls_shell_step(r, sizeof text))
        MLS_ARENA_ADD(r->arena, fields, text);
}

bool mls_shell_fields_known(const shell_fields *fields)
{
    size_t known = 0;
    while (known < fields->count && mls_shell_known(fields->items[known]))
        known++;
    return known == fields->count && !fields->unknown;
}

/* bash sets these variables itself; their values do not follow from the text. */
static const char shell_names[] =
    " BASH BASH_ALIASES BASH_ARGC BASH_ARGV BASH_CMDS BASH_LINENO BASH_LOADABLES_PATH BASH_REMATCH BASH_VERSINFO"
    " BASH_VERSION COLUMNS COMP_WORDBREAKS HOSTNAME HOSTTYPE IFS LINES MACHTYPE OLDPWD OPTERR OPTIND OSTYPE PATH"
    " PIPESTATUS PS1 PS2 PS4 PWD SHELL SHLVL TERM ";

/* bash sets these too, and ignores assignments to them. */
static const char fixed_names[] = " BASHPID BASH_COMMAND BASH_SUBSHELL EPOCHREALTIME EPOCHSECONDS EUID FUNCNAME"
                                  " GROUPS HISTCMD LINENO PPID RANDOM SECONDS SHELLOPTS BASHOPTS SRANDOM UID"
                                  " DIRSTACK BASH_ARGV0 _ ";

/* Return the index of a name, or the index to insert it at. */
static size_t place_of(const shell_variables *variables, mls_str name, bool *found)
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

/* Return the entry of a name; create it if necessary. */
static shell_slot *slot_touch(reading *r, mls_str name)
{
    shell_variables *variables = &r->frame.variables;
    bool found;
    const size_t at = place_of(variables, name, &found);
    if (!found) {
        const mls_str before = mls_shell_variable_get(r, name);
        (void)mls_shell_step(r, name.len + (variables->count - at) / 8); /* include the cost of moving entries */
        MLS_ARENA_ADD(r->arena, variables, (shell_slot){0});
        memmove(&variables->items[at + 1], &variables->items[at], (variables->count - 1 - at) * sizeof(shell_slot));
        variables->items[at] =
            (shell_slot){.name = mls_arena_copy(r->arena, name), .value = before.len > 0 ? SHELL_MAYBE : SHELL_UNSET};
    }
    return &variables->items[at];
}

mls_str mls_shell_variable_get(const reading *r, mls_str name)
{
    const shell_frame *frame = &r->frame;
    bool found;
    const size_t at = place_of(&frame->variables, name, &found);
    if (!found && mls_str_equal(name, MLS_S("BASH_SOURCE")))
        return mls_str_from(frame->path);
    if (found && !frame->lost)
        return frame->variables.items[at].array ? SHELL_MAYBE : frame->variables.items[at].value;
    const bool own = mls_str_among(name, shell_names) || mls_str_among(name, fixed_names);
    return frame->lost || frame->variables.forgotten || own ? SHELL_MAYBE : SHELL_UNSET;
}

void mls_shell_variable_set(reading *r, mls_str name, mls_str value, bool appends)
{
    shell_frame *frame = &r->frame;
    if (appends)
        value = mls_shell_join(r, mls_shell_variable_get(r, name), value);
    shell_slot *slot = slot_touch(r, name);
    const bool fixed = mls_str_among(name, fixed_names);
    const bool was_set = slot->value.ptr != mls_shell_unset;
    /* Assigning the same value again leaves no doubt: it is the value whether or not the command runs. */
    const bool same = was_set && !slot->array && mls_shell_known(value) && mls_str_equal(slot->value, value);
    const bool unsure = fixed || frame->lost || (frame->doubt > 0 && !same);
    frame->separators_changed = frame->separators_changed || mls_str_equal(name, MLS_S("IFS"));
    slot->path = frame->path;
    slot->line = frame->line;
    slot->exported = fixed ? slot->exported && was_set : slot->exported || frame->export_all;
    slot->value = unsure ? SHELL_MAYBE : slot->readonly ? SHELL_HOLE : value;
}

static void variable_unset(reading *r, mls_str name)
{
    shell_frame *frame = &r->frame;
    shell_slot *slot = slot_touch(r, name);
    frame->separators_changed = frame->separators_changed || mls_str_equal(name, MLS_S("IFS"));
    if (frame->doubt == 0 && !frame->lost && !slot->readonly)
        *slot = (shell_slot){.name = slot->name, .value = SHELL_UNSET};
    else if (slot->value.ptr != mls_shell_unset)
        slot->value = SHELL_MAYBE;
}

void mls_shell_forget_all(reading *r, mls_str what)
{
    shell_variables *variables = &r->frame.variables;
    if (what.len > 0) {
        const mls_str shown = mls_shell_known(what) ? what : MLS_S("a command");
        mls_shell_note(r, MLS_FINDING_CONFIG_UNKNOWN, "%.*s may set anything: values from before line %zu are unknown",
                       (int)shown.len, shown.ptr, r->frame.line);
    }
    variables->forgotten = true;
    for (size_t i = 0; mls_shell_step(r, 1) && i < variables->count; i++)
        variables->items[i].value = SHELL_MAYBE;
}

static void print(reading *r, mls_str text)
{
    shell_output *output = r->frame.output;
    if (output == NULL)
        return;
    if (output->text.len + text.len > SHELL_VALUE_BYTES_MAX) {
        mls_shell_limit(r, "length of a value");
        return;
    }
    mls_buffer_append(&output->text, r->frame.lost || r->frame.doubt > output->doubt ? SHELL_HOLE : text);
}

/* Give up: make all variables unknown, now and after later assignments. */
static void give_up(reading *r, mls_str what)
{
    if (!r->frame.lost) {
        mls_shell_note(r, MLS_FINDING_CONFIG_UNKNOWN, "%.*s is not followed: no value is known here or later",
                       (int)what.len, what.ptr);
    }
    mls_shell_forget_all(r, MLS_S(""));
    r->frame.lost = true;
    r->frame.status = STATUS_UNKNOWN;
    print(r, SHELL_HOLE);
}

shell_frame mls_shell_subshell_enter(reading *r, shell_output *output)
{
    const shell_frame outer = r->frame;
    shell_frame *frame = &r->frame;
    shell_variables *variables = &frame->variables;
    frame->nesting++;
    frame->subshell = true;
    if (output != NULL) {
        output->doubt = frame->doubt;
        frame->output = output;
    }
    if (!mls_shell_step(r, 8 * variables->count))
        variables->count = 0;
    variables->items = mls_arena_array(r->arena, variables->count + 1, sizeof *variables->items);
    variables->capacity = variables->count;
    if (variables->count > 0)
        memcpy(variables->items, outer.variables.items, variables->count * sizeof *variables->items);
    return outer;
}

void mls_shell_subshell_leave(reading *r, const shell_frame *outer)
{
    const int status = r->frame.lost ? STATUS_UNKNOWN : r->frame.status;
    r->frame = *outer;
    r->frame.status = status;
}

/* ---- files: regular files of limited size that are, after resolving links and "..", below a root: the folder of the
 * script (as named, and after resolving links), or a folder given by the caller ---- */

/* Resolve a path (empty: the current folder).  If it does not exist, return an empty path with errno set. */
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

/* Resolve a path below the roots.  Return MLS_ERROR_READ if it does not exist, or MLS_ERROR_UNKNOWN if its longest
 * existing part is outside the roots. */
static mls_status locate(reading *r, mls_str path, mls_str *real)
{
    mls_str there = path;
    *real = real_path(r, there);
    while (real->len == 0 && (errno == ENOENT || errno == ENOTDIR) && there.len > 0) {
        there = mls_path_folder((mls_str){there.ptr, there.len - 1});
        there.len -= there.len > 1; /* remove the slash */
        *real = real_path(r, there);
    }
    const bool inside = mls_path_is_below(*real, r->roots[0]) || mls_path_is_below(*real, r->roots[1]);
    return !inside ? MLS_ERROR_UNKNOWN : there.len == path.len ? MLS_OK : MLS_ERROR_READ;
}

/* Resolve a path as it is or, if it is relative, relative to the current script, since the job's folder is unknown. */
static mls_status locate_beside(reading *r, mls_str *path, mls_str *real)
{
    mls_status status = MLS_ERROR_UNKNOWN;
    if (path->len > 0 && memchr(path->ptr, '/', path->len) != NULL)
        status = locate(r, *path, real);
    if (status != MLS_OK && !mls_str_starts(*path, MLS_S("/")) && !r->stopped) {
        const mls_str beside = mls_shell_join(r, mls_path_folder(mls_str_from(r->frame.path)), *path);
        mls_str found;
        const mls_status second = locate(r, beside, &found);
        /* If the first path does not exist, say so even if the second one is outside the roots. */
        if (second == MLS_OK || status != MLS_ERROR_READ) {
            *path = beside;
            *real = found;
            status = second;
        }
    }
    return status;
}

mls_status mls_shell_file_read(reading *r, mls_str *path, mls_str *bytes)
{
    mls_error error;
    mls_str real;
    *bytes = MLS_S("");
    if (path->len == 0 || !mls_shell_known(*path) || r->frame.moved)
        return path->len == 0 ? MLS_ERROR_READ : MLS_ERROR_UNKNOWN;
    mls_status status = locate_beside(r, path, &real);
    if (status == MLS_OK) {
        status = file_load(r, real.ptr, bytes, &error);
        (void)mls_shell_step(r, bytes->len);
        status = status == MLS_OK && mls_shell_known(*bytes) ? MLS_OK : MLS_ERROR_UNKNOWN;
    }
    return r->stopped ? MLS_ERROR_LIMIT : status;
}

void mls_shell_file_match(reading *r, mls_str path, shell_fields *matches)
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
    for (size_t i = 0; i < names.count && mls_shell_step(r, names.count); i++) {
        const mls_str name = mls_str_from(names.items[i]);
        if (name.len >= before.len + after.len && mls_str_starts(name, before) && mls_str_ends(name, after))
            mls_shell_fields_add(r, matches, mls_shell_join(r, folder, name));
    }
    mls_names_release(&names);
}

/* ---- commands: builtins, and programs whose output follows from their arguments ---- */

typedef struct assignment {
    mls_str name;
    mls_str word;
    bool appends;
    bool list; /* an array item, or ( … ): not tracked */
} assignment;

/* Check whether a word, raw or expanded, is NAME=word, NAME+=word or NAME[…]=word.  Always set its name. */
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

static mls_str field(const shell_fields *fields, size_t index)
{
    return index < fields->count ? fields->items[index] : MLS_S("");
}

static bool is(mls_str text, const char *word)
{
    return mls_str_equal(text, mls_str_from(word));
}

static bool is_option(mls_str text)
{
    return text.len > 1 && (text.ptr[0] == '-' || text.ptr[0] == '+');
}

static int run_constant(reading *r, const shell_fields *fields)
{
    (void)r;
    return mls_shell_status_of(!is(field(fields, 0), "false"));
}

/* Run a command with unknown effects. */
static int run_unknown(reading *r, const shell_fields *fields)
{
    mls_shell_forget_all(r, field(fields, 0));
    return STATUS_UNKNOWN;
}

/* Run a command that does not change variables, with an unknown status.  Some of these change the meaning of paths or
 * arguments. */
static int run_ignored(reading *r, const shell_fields *fields)
{
    shell_frame *frame = &r->frame;
    frame->moved = frame->moved || mls_str_among(field(fields, 0), " cd pushd popd ");
    frame->arguments.unknown = frame->arguments.unknown || is(field(fields, 0), "shift");
    print(r, SHELL_HOLE);
    return STATUS_UNKNOWN;
}

/* Give up at a command that configs do not use.  List the variables it names, with unknown values. */
static int run_unsupported(reading *r, const shell_fields *fields)
{
    give_up(r, field(fields, 0));
    for (size_t i = 1; i < fields->count; i++) {
        const mls_str name = {fields->items[i].ptr, mls_str_name_length(fields->items[i])};
        if (name.len > 0)
            mls_shell_variable_set(r, name, SHELL_HOLE, false);
    }
    return STATUS_UNKNOWN;
}

/* Run export or readonly.  Later assignments to readonly variables fail. */
static int run_export(reading *r, const shell_fields *fields)
{
    const bool doubtful = r->frame.doubt > 0;
    const bool readonly = is(field(fields, 0), "readonly");
    bool hides = false;
    int status = STATUS_YES;
    size_t at = 1;
    for (; is_option(field(fields, at)); at++) {
        hides = hides || is(field(fields, at), "-n");
        if (mls_str_among(field(fields, at), " -p -f "))
            return run_ignored(r, fields);
    }
    for (; at < fields->count; at++) {
        const mls_str word = field(fields, at);
        assignment parts;
        const bool assigns = is_assignment(word, &parts) && !parts.list;
        if (!assigns && !mls_str_is_name(word)) {
            status = mls_str_starts(word, SHELL_HOLE) ? run_unknown(r, fields) : STATUS_NO; /* may name any variable */
            continue;
        }
        if (assigns)
            mls_shell_variable_set(r, parts.name, parts.word, parts.appends);
        shell_slot *slot = slot_touch(r, parts.name);
        if (!assigns && doubtful && slot->value.ptr != mls_shell_unset)
            slot->value = SHELL_MAYBE;
        slot->readonly = slot->readonly || readonly;
        slot->exported = readonly ? slot->exported : doubtful || !hides;
    }
    return status;
}

static const shell_function *find_function(const reading *r, mls_str name)
{
    const shell_function *function = r->frame.functions;
    while (function != NULL && !mls_str_equal(function->name, name))
        function = function->next;
    return function;
}

/* Define a function.  In doubt, it may not be the definition in use, so its body becomes unknown. */
static void function_define(reading *r, mls_str name, mls_str body, size_t line)
{
    shell_frame *frame = &r->frame;
    shell_function *function = mls_arena_alloc(r->arena, sizeof *function);
    *function = (shell_function){name, frame->doubt == 0 ? body : MLS_S(""), line, frame->functions};
    frame->functions = function;
    frame->status = STATUS_YES;
}

/* Run unset.  It removes a function, or with unset NAME may do so: then a program of that name, if any, would run. */
static int run_unset(reading *r, const shell_fields *fields)
{
    int status = STATUS_YES;
    bool functions = false;
    for (size_t i = 1; i < fields->count; i++) {
        const mls_str word = field(fields, i);
        functions = functions || is(word, "-f");
        if (!mls_shell_known(word))
            return run_unknown(r, fields);
        if (find_function(r, word) != NULL)
            function_define(r, word, MLS_S(""), 0);
        if (mls_str_is_name(word) && !functions)
            variable_unset(r, word);
        else
            status = is_option(word) ? status : STATUS_UNKNOWN;
    }
    return status;
}

/* Run set.  Only allexport matters: a script that stops because of -e or -u is not used. */
static int run_set(reading *r, const shell_fields *fields)
{
    shell_frame *frame = &r->frame;
    for (size_t i = 1; i < fields->count; i++) {
        const mls_str word = field(fields, i);
        if (!is_option(word) || is(word, "--") || !mls_shell_known(word)) {
            frame->arguments.unknown = true;
            break;
        }
        bool all = memchr(word.ptr, 'a', word.len) != NULL;
        if (memchr(word.ptr, 'o', word.len) != NULL) /* -o NAME, -euo NAME */
            all = all || is(field(fields, ++i), "allexport");
        if (all && frame->doubt > 0)
            return run_unsupported(r, fields);
        frame->export_all = all ? word.ptr[0] == '-' : frame->export_all;
    }
    return STATUS_YES;
}

static int run_test(reading *r, const shell_fields *fields)
{
    const bool bracket = is(field(fields, 0), "[");
    const mls_str last = field(fields, fields->count - 1);
    const shell_fields words = {fields->items + 1, fields->count - 1 - bracket, 0, fields->unknown};
    if (bracket && !is(last, "]"))
        return mls_shell_known(last) && !fields->unknown ? STATUS_MISTAKE : STATUS_UNKNOWN;
    const int status = mls_shell_condition(r, &words, true);
    return fields->unknown ? STATUS_UNKNOWN : status;
}

static int run_echo(reading *r, const shell_fields *fields)
{
    const bool quiet = is(field(fields, 1), "-n");
    const size_t first = quiet ? 2 : 1;
    const mls_str option = field(fields, first);
    if (is_option(option) && strchr("neE", option.ptr[1]) != NULL) {
        print(r, SHELL_HOLE);
        return STATUS_YES;
    }
    for (size_t i = first; i < fields->count; i++) {
        print(r, i > first ? MLS_S(" ") : MLS_S(""));
        print(r, field(fields, i));
    }
    print(r, quiet ? MLS_S("") : MLS_S("\n"));
    return STATUS_YES;
}

/* Run printf with %s, \n, and %d or %02d for numbers in canonical form (not 08); the output of anything else is
 * unknown. */
static int run_printf(reading *r, const shell_fields *fields)
{
    mls_str format = field(fields, 1);
    size_t argument = 2;
    bool plain = !fields->unknown && mls_shell_known(format) && !is_option(format);
    if (is(format, "-v") && mls_str_is_name(field(fields, 2)))
        mls_shell_variable_set(r, field(fields, 2), SHELL_HOLE, false);
    else if (is(format, "-v"))
        return run_unsupported(r, fields);
    while (plain && format.len > 0) {
        const bool wide = format.len > 3 && mls_is_digit(format.ptr[2]) && format.ptr[3] == 'd';
        if (mls_str_starts(format, wide ? MLS_S("%0") : MLS_S("%d"))) {
            const mls_str text = field(fields, argument++);
            mls_buffer digits = {0};
            int64_t number = 0;
            plain = mls_integer_parse(text, &number) && mls_str_equal(text, mls_shell_number(r, number));
            mls_buffer_printf(&digits, "%0*lld", wide ? format.ptr[2] - '0' : 0, (long long)number);
            print(r, mls_shell_keep_buffer(r, &digits));
            format = mls_str_rest(format, wide ? 4 : 2);
        } else if (mls_str_starts(format, MLS_S("%s"))) {
            print(r, field(fields, argument++));
            format = mls_str_rest(format, 2);
        } else {
            const bool newline = mls_str_starts(format, MLS_S("\\n"));
            plain = newline || (format.ptr[0] != '%' && format.ptr[0] != '\\');
            print(r, newline ? MLS_S("\n") : (mls_str){format.ptr, plain});
            format = mls_str_rest(format, newline ? 2 : 1);
        }
    }
    print(r, plain && argument >= fields->count ? MLS_S("") : SHELL_HOLE);
    return STATUS_YES;
}

/* Run exit, return or exec: end a file, a function or a subshell.  In doubt, the rest of it is in doubt. */
static int run_leave(reading *r, const shell_fields *fields)
{
    shell_frame *frame = &r->frame;
    int64_t code = frame->status;
    const bool exits = !is(field(fields, 0), "return");
    if (is(field(fields, 0), "exec") && fields->count == 1)
        return STATUS_YES; /* exec >log */
    if (fields->count > 1 && !mls_integer_parse(field(fields, 1), &code))
        code = STATUS_UNKNOWN;
    if (frame->doubt == 0)
        frame->flow = exits ? FLOW_EXIT : FLOW_RETURN;
    else if (!exits || frame->subshell)
        frame->doubt++;
    return fields->count > 1 && code >= 0 ? (int)(code & 0xff) : (int)code;
}

static mls_str without_slashes(mls_str path)
{
    while (path.len > 1 && path.ptr[path.len - 1] == '/')
        path.len--;
    return path;
}

/* Run dirname, basename, readlink -f or realpath. */
static int run_path(reading *r, const shell_fields *fields)
{
    const mls_str name = field(fields, 0);
    const mls_str option = field(fields, 1);
    const bool resolves = mls_str_among(name, " readlink realpath ");
    const bool follows = resolves && is(option, "-f");
    const size_t at = follows || (!resolves && is(option, "--")) ? 2 : 1;
    const mls_str path = without_slashes(field(fields, at));
    const mls_str above = mls_path_folder(path);
    mls_str line = SHELL_HOLE;
    if (at >= fields->count || is_option(field(fields, at)) || fields->count > at + (is(name, "basename") ? 2 : 1))
        return run_ignored(r, fields);
    if (resolves) {
        const bool moved = r->frame.moved && path.ptr[0] != '/';
        if (moved || (!follows && is(name, "readlink")) || locate(r, field(fields, at), &line) != MLS_OK)
            return run_ignored(r, fields);
    } else if (is(name, "dirname")) {
        line = above.len == 0 ? MLS_S(".") : without_slashes(above);
    } else {
        const mls_str ending = field(fields, at + 1);
        line = mls_str_rest(path, above.len < path.len ? above.len : 0);
        line.len -= ending.len < line.len && mls_str_ends(line, ending) ? ending.len : 0;
    }
    print(r, line);
    print(r, MLS_S("\n"));
    return STATUS_YES;
}

/* Run sed with scripts, or cat, on piped input. */
static int run_filter(reading *r, const shell_fields *fields)
{
    const bool cat = is(field(fields, 0), "cat");
    shell_fields scripts = {0};
    for (size_t i = 1; i < fields->count; i++) {
        const bool given = is(field(fields, i), "-e");
        if (cat || (!given && (is_option(field(fields, i)) || scripts.count > 0)))
            return run_ignored(r, fields);
        i += given;
        mls_shell_fields_add(r, &scripts, field(fields, i));
    }
    if (r->frame.input == NULL || (scripts.count == 0 && !cat))
        return run_ignored(r, fields);
    print(r, cat ? *r->frame.input : mls_shell_sed(r, &scripts, *r->frame.input));
    return STATUS_YES;
}

/* Run a builtin or a known program and set the status.  Return false if it is neither. */
static bool run_known(reading *r, const shell_fields *fields)
{
    static const struct {
        const char *names;
        int (*run)(reading *r, const shell_fields *fields);
        bool program; /* skip it if an argument is unknown */
    } commands[] = {{" : true false ", run_constant, false},
                    {" export readonly ", run_export, false},
                    {" unset ", run_unset, false},
                    {" set ", run_set, false},
                    {" [ test ", run_test, false},
                    {" echo ", run_echo, false},
                    {" printf ", run_printf, false},
                    {" cd pushd popd shift shopt ulimit umask trap ", run_ignored, false},
                    {" eval builtin let declare typeset local read mapfile readarray getopts ", run_unsupported, false},
                    {" return exit exec ", run_leave, false},
                    {" dirname basename readlink realpath ", run_path, true},
                    {" sed cat ", run_filter, true}};
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        if (mls_str_among(field(fields, 0), commands[i].names)) {
            const bool ignored = commands[i].program && !mls_shell_fields_known(fields);
            r->frame.status = (ignored ? run_ignored : commands[i].run)(r, fields);
            return true;
        }
    }
    return false;
}

/* ---- files, functions and simple commands ---- */

/* Run a file or a function in the current shell, with the arguments from fields[first] on. */
static void run_body(reading *r, const shell_fields *fields, size_t first, const char *path, mls_str text, size_t line)
{
    shell_frame *frame = &r->frame;
    const shell_frame outer = *frame;
    if (first == 1 || fields->count > first)
        frame->arguments = (shell_fields){fields->items + first, fields->count - first, 0, fields->unknown};
    frame->status = STATUS_YES;
    frame->path = path;
    mls_shell_run_text(r, text, line);
    frame->flow = frame->flow == FLOW_RETURN ? FLOW_GO : frame->flow;
    frame->path = outer.path;
    frame->line = outer.line;
    frame->doubt = outer.doubt;
    frame->arguments = outer.arguments;
}

static bool is_open(const reading *r, mls_str path)
{
    size_t i = 0;
    while (i < r->source_depth && !mls_str_equal(mls_str_from(r->sources[i]), path))
        i++;
    return i < r->source_depth;
}

/* Run a sourced file with its arguments, fields[2] on. */
static void file_run(reading *r, const shell_fields *fields, mls_str path, mls_str text)
{
    if (is_open(r, path) || r->source_depth == SHELL_SOURCE_DEPTH_MAX)
        mls_shell_limit(r, is_open(r, path) ? "a file that sources itself" : "depth of source");
    const mls_str kept = mls_shell_keep(r, path);
    if (mls_shell_goes(r)) {
        r->sources[r->source_depth++] = kept.ptr;
        run_body(r, fields, 2, kept.ptr, text, 1);
        r->source_depth--;
    }
}

static void run_source(reading *r, const shell_fields *fields)
{
    shell_frame *frame = &r->frame;
    const mls_str named = fields->count > 1 ? fields->items[1] : SHELL_HOLE;
    mls_str path = named;
    mls_str text;
    shell_fields matches = {.unknown = true};
    const mls_status status = mls_shell_file_read(r, &path, &text);
    if (status == MLS_OK) {
        file_run(r, fields, path, text);
        return;
    }
    if (frame->doubt > 0 && !mls_shell_known(named) && mls_str_equal(named, frame->guard))
        mls_shell_file_match(r, named, &matches);
    if (status == MLS_ERROR_READ && !r->stopped) {
        mls_shell_note(r, MLS_FINDING_CONFIG_SOURCE, "sources '%.*s', which does not exist", (int)named.len, named.ptr);
    } else if (matches.unknown && !r->stopped) {
        const bool known = mls_shell_known(named) && !frame->moved;
        mls_shell_note(r, MLS_FINDING_CONFIG_SOURCE, "sources %s%.*s%s: values from before line %zu are unknown",
                       known ? "'" : "", known ? (int)named.len : 0, named.ptr,
                       known ? "', which is not read" : "a file whose place cannot be known", frame->line);
        mls_shell_forget_all(r, MLS_S(""));
    }
    /* One of these files, or none, was sourced, so their variables become doubtful. */
    for (size_t i = 0; i < matches.count && mls_shell_goes(r); i++) {
        path = matches.items[i];
        if (mls_shell_file_read(r, &path, &text) == MLS_OK && !is_open(r, path))
            file_run(r, fields, path, text);
    }
    frame->status = status == MLS_ERROR_READ ? STATUS_NO : STATUS_UNKNOWN;
}

static void run_fields(reading *r, shell_fields *fields)
{
    if (fields->count > 1 && !mls_str_starts(fields->items[1], MLS_S("-")) &&
        mls_str_among(fields->items[0], " command builtin ")) {
        fields->items++;
        fields->count--;
    }
    const mls_str name = fields->count > 0 ? fields->items[0] : SHELL_HOLE;
    const shell_function *function = find_function(r, name);
    if (function != NULL && function->body.len > 0) {
        run_body(r, fields, 1, r->frame.path, function->body, function->line);
    } else if (function == NULL && mls_str_among(name, " source . ")) {
        run_source(r, fields);
    } else if (function != NULL || !run_known(r, fields)) {
        /* A program cannot change variables, but its output is unknown. */
        print(r, SHELL_HOLE);
        if (function != NULL || !mls_shell_known(name))
            mls_shell_forget_all(r, name);
        r->frame.status = STATUS_UNKNOWN;
    }
}

/* Run a command, given its raw words. */
static void simple_run(reading *r, const shell_fields *words)
{
    shell_frame *frame = &r->frame;
    shell_fields fields = {0};
    assignment parts;
    size_t count = 0;
    while (count < words->count && is_assignment(words->items[count], &parts))
        count++;
    const bool alone = count == words->count;
    const bool declares = !alone && mls_str_among(words->items[count], " export readonly declare typeset local ");
    frame->substituted = false;
    for (size_t i = count; i < words->count && mls_shell_goes(r); i++) {
        const bool declared = declares && is_assignment(words->items[i], &parts);
        mls_shell_expand_fields(r, words->items[i], !declared, &fields);
    }
    /* Assignments before a command last only while it runs.  For a file or function, the reader does not check whether
     * any stays. */
    const mls_str name = fields.count > 0 ? fields.items[0] : SHELL_HOLE;
    const bool stays = mls_str_among(name, " source . ") || find_function(r, name) != NULL;
    for (size_t i = 0; i < count && mls_shell_goes(r) && is_assignment(words->items[i], &parts); i++) {
        const mls_str value = alone && parts.list ? SHELL_HOLE : mls_shell_expand(r, parts.word, QUOTING_TEXT);
        if (alone && mls_shell_goes(r)) {
            mls_shell_variable_set(r, parts.name, value, parts.appends);
            shell_slot *slot = slot_touch(r, parts.name);
            slot->array = slot->array || parts.list;
        } else if (stays) {
            mls_shell_variable_set(r, parts.name, SHELL_HOLE, false);
        }
    }
    if (mls_shell_goes(r) && (fields.count > 0 || fields.unknown))
        run_fields(r, &fields);
    else if (mls_shell_goes(r) && !frame->substituted)
        frame->status = STATUS_YES;
}

/* ---- tokens.  Words are raw: spans of the text with quotes and dollars. ---- */

typedef enum shell_token_kind { TOKEN_END, TOKEN_WORD, TOKEN_NEWLINE, TOKEN_OPERATOR } shell_token_kind;

typedef struct shell_token {
    shell_token_kind kind;
    mls_str text;
    size_t line;
} shell_token;

typedef struct heredoc {
    mls_str delimiter; /* raw */
    bool strips_tabs;
} heredoc;

typedef struct redirections {
    bool any;
    bool output;  /* > and variants */
    bool input;   /* < and variants */
    mls_str here; /* raw word after <<< */
} redirections;

typedef struct parser {
    reading *r;
    mls_str text;
    size_t line; /* at `at` */
    size_t at;   /* after the token */
    shell_token token;
    heredoc heredocs[SHELL_HEREDOCS_MAX]; /* read at the end of the line */
    size_t heredoc_count;
    const char *problem;       /* static text; there are no more tokens */
    redirections redirections; /* of the last command read */
    size_t depth;
    bool dry;     /* parse only, run nothing */
    bool skipped; /* a loop or case was skipped */
} parser;

static size_t skip_until(mls_str text, size_t at, char quote, bool escapes)
{
    while (at < text.len) {
        if (text.ptr[at] == quote)
            return at + 1;
        at += escapes && text.ptr[at] == '\\' ? 2 : 1;
    }
    return SHELL_NO_END;
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

/* Skip an enclosed text; text.ptr[at] is '"', or the '{' of "${".  To find the end, bash treats an apostrophe in braces
 * as a quote, even in "${A:-'}'}". */
static size_t skip_enclosed(mls_str text, size_t at, char close, unsigned depth)
{
    for (at++; depth < SHELL_NESTING_MAX && at < text.len;) {
        if (text.ptr[at] == close)
            return at + 1;
        at = mls_shell_unit_end(text, at, close == '"', depth + 1);
    }
    return SHELL_NO_END;
}

size_t mls_shell_parentheses_end(mls_str text, size_t at, unsigned depth)
{
    size_t open = 0;
    while (depth < SHELL_NESTING_MAX && at < text.len) {
        const char c = text.ptr[at];
        if (c == '#' && is_blank_or_operator(text.ptr[at - 1])) {
            at = end_of_line(text, at);
        } else if (c == '(' || c == ')') {
            open += c == '(' ? 1 : (size_t)-1;
            at++;
            if (open == 0)
                return at;
        } else {
            at = mls_shell_unit_end(text, at, false, depth + 1);
        }
    }
    return SHELL_NO_END;
}

size_t mls_shell_unit_end(mls_str text, size_t at, bool in_quotes, unsigned depth)
{
    const char next = at + 1 < text.len ? text.ptr[at + 1] : '\0';
    if (depth >= SHELL_NESTING_MAX)
        return SHELL_NO_END;
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
        return next == '('                  ? mls_shell_parentheses_end(text, at + 1, depth + 1)
               : next == '{'                ? skip_enclosed(text, at + 1, '}', depth + 1)
               : next == '['                ? skip_enclosed(text, at + 1, ']', depth + 1) /* old arithmetic */
               : next == '\'' && !in_quotes ? skip_until(text, at + 2, '\'', true)
                                            : at + 1;
    default:
        return at + 1;
    }
}

static void fail(parser *p, const char *problem)
{
    p->problem = p->problem == NULL ? problem : p->problem;
    p->at = p->text.len;
    p->token = (shell_token){.text = mls_str_rest(p->text, p->at), .line = p->token.line};
}

/* Make the bytes up to `end` the current token, and count its lines. */
static void take_token(parser *p, shell_token_kind kind, size_t end)
{
    const size_t begin = p->at;
    p->token = (shell_token){kind, MLS_STR(""), p->line};
    if (end == SHELL_NO_END) {
        fail(p, "a quote or bracket is not closed, or nested too deep");
        return;
    }
    p->token.text = (mls_str){p->text.ptr + begin, end - begin};
    for (size_t i = begin; i < end; i++)
        p->line += p->text.ptr[i] == '\n';
    p->at = end;
}

static void skip_blanks(parser *p)
{
    const mls_str text = p->text;
    for (; p->at < text.len; p->at++) {
        const char c = text.ptr[p->at];
        if (c == '\\' && p->at + 1 < text.len && text.ptr[p->at + 1] == '\n') {
            p->at++;
            p->line++;
        } else if (c == '#') {
            p->at = end_of_line(text, p->at);
            return;
        } else if (c != ' ' && c != '\t') {
            return;
        }
    }
}

/* Check whether a line ends a here-document.  Quotes in the delimiter are ignored. */
static bool ends_heredoc(mls_str line, const heredoc *document)
{
    size_t at = 0;
    while (document->strips_tabs && at < line.len && line.ptr[at] == '\t')
        at++;
    for (size_t i = 0; i < document->delimiter.len; i++) {
        const char c = document->delimiter.ptr[i];
        if (strchr("'\"\\", c) == NULL && (at >= line.len || line.ptr[at++] != c))
            return false;
    }
    return at == line.len;
}

static size_t word_end(mls_str text, size_t begin)
{
    size_t at = begin;
    while (at < text.len) {
        const char c = text.ptr[at];
        /* A=( … ) and @(a|b).  At the start of a word, "!(" is a negated subshell. */
        const bool encloses = c == '(' && at > begin && strchr(at > begin + 1 ? "=@?*+!" : "=@?*+", text.ptr[at - 1]);
        if (encloses)
            at = mls_shell_parentheses_end(text, at, 0);
        else if ((c == '<' || c == '>') && at == begin)
            at = mls_shell_parentheses_end(text, at + 1, 0);
        else if (is_blank_or_operator(c))
            break;
        else
            at = mls_shell_unit_end(text, at, false, 0);
    }
    return at;
}

/* Return the length of the descriptor before a redirection: the 2 of 2>&1, or {fd}. */
static size_t descriptor_length(mls_str rest)
{
    const size_t name = rest.len > 0 && rest.ptr[0] == '{' ? mls_str_name_length(mls_str_rest(rest, 1)) : 0;
    const size_t length = name > 0 && rest.ptr[name + 1] == '}' ? name + 2 : strspn(rest.ptr, "0123456789");
    return length < rest.len && (rest.ptr[length] == '<' || rest.ptr[length] == '>') ? length : 0;
}

static void next_token(parser *p)
{
    static const char *const operators[] = {"&>>", ";;&", "<<-", "<<<", "&&", "||", ";;", ";&", "|&", "<<", ">>", "<&",
                                            ">&",  "<>",  ">|",  "&>",  ";",  "&",  "|",  "(",  ")",  "<",  ">"};
    skip_blanks(p);
    const mls_str rest = mls_str_rest(p->text, p->at);
    const char c = rest.len > 0 ? rest.ptr[0] : '\0';
    const bool substitution = rest.len > 1 && (c == '<' || c == '>') && rest.ptr[1] == '(';
    const size_t descriptor = descriptor_length(rest);
    if (rest.len == 0) {
        take_token(p, TOKEN_END, p->at);
    } else if (c == '\n') {
        take_token(p, TOKEN_NEWLINE, p->at + 1);
        for (size_t i = 0; i < p->heredoc_count; i++) {
            for (bool open = true; open && p->at < p->text.len; p->line++) {
                const size_t end = end_of_line(p->text, p->at);
                open = !ends_heredoc((mls_str){p->text.ptr + p->at, end - p->at}, &p->heredocs[i]);
                p->at = end + (end < p->text.len);
            }
        }
        p->heredoc_count = 0;
    } else if (substitution || (descriptor == 0 && !is_blank_or_operator(c))) {
        take_token(p, TOKEN_WORD, word_end(p->text, p->at));
    } else {
        size_t i = 0;
        while (i + 1 < sizeof operators / sizeof *operators &&
               !mls_str_starts(mls_str_rest(rest, descriptor), mls_str_from(operators[i])))
            i++;
        take_token(p, TOKEN_OPERATOR, p->at + descriptor + strlen(operators[i]));
    }
}

/* ---- the grammar ---- */

static const char no_keyword[] = "a word like then, do, in or fi is missing";
static const char stray_keyword[] = "a word like then, do or fi where none is expected";
static const char unclosed[] = "a bracket is not closed";
static const char unused_words[] = " for select while until case coproc ";

static void read_list(parser *p);
static void read_command(parser *p);

static bool idle(const parser *p)
{
    return p->dry || !mls_shell_goes(p->r);
}

static parser read_ahead(const parser *p, void (*read)(parser *p))
{
    parser ahead = *p;
    ahead.dry = true;
    read(&ahead);
    (void)mls_shell_step(p->r, (ahead.at - p->at) / 2);
    return ahead;
}

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

static void read_redirection(parser *p, mls_str operation)
{
    redirections *made = &p->redirections;
    const size_t descriptor = strcspn(operation.ptr, "<>&");
    const mls_str sign = mls_str_rest(operation, descriptor);
    const bool reads = sign.ptr[0] == '<';
    const bool standard = descriptor == 0 || (descriptor == 1 && operation.ptr[0] == (reads ? '0' : '1'));
    const bool document = mls_str_among(sign, " << <<- ");
    if (p->token.kind != TOKEN_WORD)
        fail(p, "a redirection without a file");
    else if (document && p->heredoc_count == SHELL_HEREDOCS_MAX)
        fail(p, "too many here-documents");
    else if (document)
        p->heredocs[p->heredoc_count++] = (heredoc){p->token.text, sign.len == 3};
    else if (standard && sign.len == 3 && reads)
        made->here = p->token.text;
    made->any = true;
    made->output = made->output || (!reads && standard);
    made->input = made->input || (reads && standard);
    next_token(p);
}

/* Read redirections and, for a simple command, the words between them.  Return the number of words. */
static size_t read_words(parser *p, shell_fields *words)
{
    size_t count = 0;
    p->redirections = (redirections){0};
    for (;;) {
        const shell_token here = p->token;
        const mls_str text = here.text;
        const bool redirects = here.kind == TOKEN_OPERATOR &&
                               (memchr(text.ptr, '<', text.len) != NULL || memchr(text.ptr, '>', text.len) != NULL);
        if (!redirects && (words == NULL || here.kind != TOKEN_WORD))
            return count;
        next_token(p);
        if (redirects) {
            read_redirection(p, text);
            continue;
        }
        count++;
        if (!idle(p))
            mls_shell_fields_add(p->r, words, text);
    }
}

/* Read the rest of a function definition after its name.  The body is stored as text. */
static void read_function(parser *p, mls_str name)
{
    const bool dry = p->dry;
    if (take(p, "("))
        expect(p, ")", "'(' where none is expected");
    (void)skip_newlines(p);
    const shell_token begin = p->token;
    p->dry = true;
    read_command(p);
    p->dry = dry;
    if (!idle(p)) {
        const mls_str body = {begin.text.ptr, (size_t)(p->token.text.ptr - begin.text.ptr)};
        function_define(p->r, name, body, begin.line);
    }
}

static void read_simple(parser *p)
{
    shell_fields words = {0};
    const mls_str first = p->token.text;
    const size_t count = read_words(p, &words);
    if (count == 0 && !p->redirections.any)
        fail(p, "a command is missing");
    else if (count == 1 && token_is(p, "("))
        read_function(p, first);
    else if (!idle(p))
        simple_run(p->r, &words);
}

static void read_if(parser *p)
{
    shell_frame *frame = &p->r->frame;
    const bool dry = p->dry;
    unsigned doubts = 0;
    bool taken = false;
    do {
        p->dry = dry || taken;
        read_list(p);
        expect(p, "then", no_keyword);
        const int status = frame->status;
        const bool doubtful = !idle(p) && status == STATUS_UNKNOWN;
        p->dry = p->dry || (status != STATUS_YES && !doubtful);
        doubts += doubtful;
        frame->doubt += doubtful;
        taken = taken || (!p->dry && !doubtful);
        read_list(p);
    } while (take(p, "elif"));
    if (take(p, "else")) {
        p->dry = dry || taken;
        taken = true;
        read_list(p);
    }
    expect(p, "fi", no_keyword);
    p->dry = dry;
    frame->doubt -= doubts;
    if (!idle(p))
        frame->status = doubts > 0 ? STATUS_UNKNOWN : taken ? frame->status : STATUS_YES;
}

/* Skip a loop or case, which configs do not use.  All values become unknown. */
static void skip_unsupported(parser *p)
{
    const char *last = token_is(p, "case") ? "esac" : "done";
    bool begins = true; /* a command may begin here, and so a keyword */
    p->skipped = true;
    if (!idle(p))
        give_up(p->r, MLS_S("a loop or case"));
    next_token(p);
    p->depth++;
    while (p->problem == NULL && !(begins && take(p, last))) {
        const shell_token here = p->token;
        if (here.kind == TOKEN_END || p->depth >= SHELL_NESTING_MAX) {
            fail(p, no_keyword);
        } else if (begins && mls_str_among(here.text, unused_words)) {
            skip_unsupported(p);
            begins = false;
        } else if (begins && mls_str_among(here.text, " if then elif else do while until { ! time ")) {
            next_token(p);
        } else {
            if (!idle(p)) /* list the names that it assigns */
                mls_shell_doubt_names(p->r, begins ? here.text : MLS_S(""));
            begins = read_words(p, &(shell_fields){0}) == 0;
            if (begins && !p->redirections.any)
                next_token(p);
        }
    }
    p->depth--;
}

/* Read (( … )) from its second bracket.  If it is ( ( … ) … ) instead, read nothing and return false. */
static bool take_arithmetic(parser *p, mls_str *expression)
{
    const mls_str text = p->text;
    const size_t begin = (size_t)(p->token.text.ptr - text.ptr);
    const bool doubled = token_is(p, "(") && begin > 0 && text.ptr[begin - 1] == '(';
    const size_t end = doubled ? mls_shell_parentheses_end(text, begin, 0) : SHELL_NO_END;
    if (end == SHELL_NO_END || end >= text.len || text.ptr[end] != ')')
        return false;
    p->at = begin;
    take_token(p, TOKEN_WORD, end + 1);
    *expression = (mls_str){text.ptr + begin + 1, end - begin - 2};
    next_token(p);
    return true;
}

/* Read (( … )), or a subshell ( … ), which may begin with another subshell. */
static void read_parenthesis(parser *p)
{
    reading *r = p->r;
    mls_str expression;
    const bool runs = !idle(p);
    if (take_arithmetic(p, &expression)) {
        if (runs) {
            const shell_integer number = mls_shell_expand_number(r, expression);
            r->frame.status = number.known ? mls_shell_status_of(number.value != 0) : STATUS_UNKNOWN;
        }
        return;
    }
    const shell_frame outer = runs ? mls_shell_subshell_enter(r, NULL) : r->frame;
    read_list(p);
    if (runs)
        mls_shell_subshell_leave(r, &outer);
    expect(p, ")", unclosed);
}

static void read_condition(parser *p)
{
    shell_fields words = {0};
    for (bool regex = false; p->problem == NULL && !take(p, "]]");) {
        const shell_token here = p->token;
        if (here.kind == TOKEN_END)
            fail(p, "[[ without ]]");
        else if (here.kind != TOKEN_NEWLINE && !idle(p))
            mls_shell_fields_add(p->r, &words, here.text);
        regex = !regex && is(here.text, "=~");
        if (regex) { /* a word with brackets and bars */
            skip_blanks(p);
            size_t at = p->at;
            while (at < p->text.len && strchr(" \t\n", p->text.ptr[at]) == NULL) {
                at = p->text.ptr[at] == '(' ? mls_shell_parentheses_end(p->text, at, 0)
                                            : mls_shell_unit_end(p->text, at, false, 0);
            }
            take_token(p, TOKEN_WORD, at);
        } else {
            next_token(p);
        }
    }
    if (!idle(p))
        p->r->frame.status = mls_shell_condition(p->r, &words, false);
}

static void read_command(parser *p)
{
    if (p->depth >= SHELL_NESTING_MAX)
        fail(p, "commands are nested too deep");
    else if (closes_list(p))
        fail(p, stray_keyword);
    p->depth++;
    bool compound = true;
    if (mls_str_among(p->token.text, unused_words)) {
        skip_unsupported(p);
    } else if (take(p, "if")) {
        read_if(p);
    } else if (take(p, "[[")) {
        read_condition(p);
    } else if (take(p, "{")) {
        read_list(p);
        expect(p, "}", unclosed);
    } else if (take(p, "(")) {
        read_parenthesis(p);
    } else if (take(p, "function")) {
        const mls_str name = p->token.text;
        next_token(p);
        read_function(p, name);
    } else {
        compound = false;
        read_simple(p);
    }
    if (compound)
        (void)read_words(p, NULL);
    p->depth--;
}

/* Run a command with its redirections, which were read ahead. */
static void run_command(parser *p, const redirections *redirected)
{
    reading *r = p->r;
    shell_frame *frame = &r->frame;
    shell_output *output = frame->output;
    const mls_str *input = frame->input;
    mls_str here = SHELL_HOLE;
    if (mls_shell_step(r, COMMAND_STEPS) && frame->nesting >= SHELL_DEPTH_MAX)
        mls_shell_limit(r, "nesting of commands");
    frame->line = p->token.line;
    frame->nesting++;
    frame->unset_used = false;
    frame->output = redirected->output ? NULL : output;
    if (redirected->input) {
        here = redirected->here.len > 0 ? mls_shell_expand(r, redirected->here, QUOTING_TEXT) : here;
        frame->input = &here;
    }
    read_command(p);
    frame->output = output;
    frame->input = input;
    frame->nesting--;
}

/* Read a pipeline.  Each command is read ahead, because the destination of its output must be known before it runs:
 * only the output of the last one is that of the pipeline. */
static void read_pipeline(parser *p)
{
    reading *r = p->r;
    shell_frame *frame = &r->frame;
    const bool dry = p->dry;
    bool negated = false;
    bool piped = false;
    for (bool negates; (negates = take(p, "!")) || take(p, "time");) {
        negated = negated != negates;
        (void)(!negates && take(p, "-p"));
    }
    mls_str text = frame->input != NULL ? *frame->input : SHELL_HOLE;
    do {
        (void)skip_newlines(p);
        if (idle(p)) {
            read_command(p);
            continue;
        }
        const parser ahead = read_ahead(p, read_command);
        if (!piped && !token_is(&ahead, "|") && !token_is(&ahead, "|&")) {
            run_command(p, &ahead.redirections);
            continue;
        }
        shell_output output = {0};
        const shell_frame outer = mls_shell_subshell_enter(r, &output);
        piped = true;
        frame->input = &text;
        run_command(p, &ahead.redirections);
        mls_shell_subshell_leave(r, &outer);
        text = mls_shell_keep_buffer(r, &output.text);
    } while (take(p, "|") || take(p, "|&"));
    if (piped)
        print(r, text);
    if (negated && !idle(p))
        frame->status = mls_shell_status_not(frame->status);
    p->dry = dry;
}

/* Read pipelines joined by && and ||. */
static void read_joined(parser *p)
{
    shell_frame *frame = &p->r->frame;
    const bool dry = p->dry;
    read_pipeline(p);
    for (bool and; (and = take(p, "&&")) || take(p, "||");) {
        const int status = frame->status;
        const bool doubtful = !idle(p) && status == STATUS_UNKNOWN;
        (void)skip_newlines(p);
        p->dry = dry || (status != STATUS_UNKNOWN && (status == STATUS_YES) != and);
        frame->doubt += doubtful;
        read_pipeline(p);
        frame->doubt -= doubtful;
        if (doubtful && (frame->status == STATUS_YES) == and)
            frame->status = STATUS_UNKNOWN;
        p->dry = dry;
    }
}

/* Read commands up to the closing keyword; at the top level, up to the end of the line. */
static void read_list(parser *p)
{
    const bool dry = p->dry;
    bool separated = true;
    (void)skip_newlines(p);
    do {
        if (!separated)
            fail(p, "two commands without anything between them");
        if (!idle(p)) { /* & runs all joined commands in the background */
            const parser ahead = read_ahead(p, read_joined);
            p->dry = token_is(&ahead, "&");
            p->r->frame.status = p->dry ? STATUS_YES : p->r->frame.status;
        }
        read_joined(p);
        p->dry = dry;
        separated = take(p, "&") || take(p, ";");
        if (p->depth == 0 && p->token.kind == TOKEN_NEWLINE)
            return;
        separated = skip_newlines(p) || separated;
    } while (!closes_list(p));
}

void mls_shell_run_text(reading *r, mls_str text, size_t line)
{
    parser p = {.r = r, .text = text, .line = line};
    next_token(&p);
    while (mls_shell_goes(r)) {
        (void)skip_newlines(&p);
        if (p.token.kind == TOKEN_END && p.problem == NULL)
            return;
        parser ahead = read_ahead(&p, read_list);
        if (ahead.token.kind != TOKEN_NEWLINE && ahead.token.kind != TOKEN_END)
            fail(&ahead, stray_keyword);
        if (ahead.problem != NULL) {
            r->frame.line = ahead.token.line;
            mls_shell_note(r, MLS_FINDING_CONFIG_SYNTAX, "%s; what follows is not read", ahead.problem);
            print(r, SHELL_HOLE);
            r->frame.status = STATUS_UNKNOWN;
            if (ahead.skipped) /* the end may have been missed */
                give_up(r, MLS_S("a loop or case"));
            return;
        }
        read_list(&p);
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
    mls_status status = file_load(&r, path, &text, &problem); /* values borrow from this text */
    if (status == MLS_OK && !mls_shell_known(text))
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
    r.frame.export_all = true;
    file_run(&r, &(shell_fields){0}, named, text);
    const shell_variables *variables = &r.frame.variables;
    mls_shell_variable *exports = mls_arena_array(self->arena, variables->count + 1, sizeof *exports);
    self->exports = exports;
    for (size_t i = 0; i < variables->count; i++) {
        const shell_slot *slot = &variables->items[i];
        const bool known = !r.stopped && mls_shell_known(slot->value);
        const bool set = r.stopped || slot->value.ptr != mls_shell_unset;
        if (set && slot->exported && !slot->array && !mls_str_among(slot->name, " _ SHLVL PWD OLDPWD ")) {
            exports[self->export_count++] =
                (mls_shell_variable){slot->name, known ? slot->value : MLS_S(""), known,
                                     slot->path != NULL ? slot->path : self->path, slot->line};
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
