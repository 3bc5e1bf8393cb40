/* SPDX-License-Identifier: Apache-2.0 */
/*
 * command.c - builtins, and the programs whose output follows from their
 * arguments: dirname, basename, readlink -f, realpath, sed, cat.
 *
 * A builtin that no config uses does what is sure of it: the variables that it
 * names are not known afterwards.
 */
#include "shell/command.h"

#include <string.h>

typedef int command_function(mls_shell_state *state, const mls_shell_fields *fields);

static mls_str field(const mls_shell_fields *fields, size_t index)
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

void mls_shell_print(mls_shell_state *state, mls_str text)
{
    mls_shell_output *output = state->frame->output;
    if (output == NULL) {
        return;
    }
    if (output->text.len + text.len > SHELL_VALUE_BYTES_MAX) {
        mls_shell_limit(state, "length of a value");
        return;
    }
    mls_buffer_append(&output->text, state->frame->doubt > output->doubt ? SHELL_HOLE : text);
}

static int run_true(mls_shell_state *state, const mls_shell_fields *fields)
{
    (void)state;
    (void)fields;
    return STATUS_YES;
}

static int run_false(mls_shell_state *state, const mls_shell_fields *fields)
{
    return run_true(state, fields) + STATUS_NO;
}

/* What is done can only be found out by running it. */
static int run_unknown(mls_shell_state *state, const mls_shell_fields *fields)
{
    mls_shell_forget_all(state, field(fields, 0));
    return STATUS_UNKNOWN;
}

/* read A B, getopts x A: each name takes on something from outside. */
static int run_naming(mls_shell_state *state, const mls_shell_fields *fields)
{
    static const char *const own[] = {"REPLY", "MAPFILE", "OPTARG"};
    for (size_t i = 1; i < fields->count; i++) {
        if (mls_shell_is_name(field(fields, i))) {
            (void)mls_shell_variable_set(state, field(fields, i), SHELL_HOLE);
        } else if (!mls_shell_known(field(fields, i))) {
            return run_unknown(state, fields);
        }
    }
    for (size_t i = 0; i < sizeof own / sizeof *own; i++) {
        (void)mls_shell_variable_set(state, mls_str_from(own[i]), SHELL_HOLE);
    }
    return STATUS_UNKNOWN;
}

/* Commands that change no variable, and succeed or not. */
static int run_ignored(mls_shell_state *state, const mls_shell_fields *fields)
{
    (void)fields;
    mls_shell_print(state, SHELL_HOLE);
    return STATUS_UNKNOWN;
}

static int run_shift(mls_shell_state *state, const mls_shell_fields *fields)
{
    state->frame->arguments.unknown = true;
    return run_ignored(state, fields);
}

static int run_cd(mls_shell_state *state, const mls_shell_fields *fields)
{
    state->frame->moved = true;
    return run_ignored(state, fields);
}

/* What export and its relatives do to each of their names. */
typedef struct declaration {
    bool exports;
    bool hides;
    bool readonly;
    bool typed; /* values change when they are assigned, or do not last */
    bool list;
    bool names_nothing; /* -p, -f: variables stay as they are */
} declaration;

static void read_options(declaration *self, mls_str word)
{
    for (size_t i = 1; i < word.len; i++) {
        const char c = word.ptr[i];
        self->exports = c == 'x' ? word.ptr[0] == '-' : self->exports && c != 'n';
        self->hides = self->hides || c == 'n' || (c == 'x' && word.ptr[0] == '+');
        self->readonly = self->readonly || c == 'r';
        self->list = self->list || c == 'a' || c == 'A';
        self->names_nothing = self->names_nothing || c == 'p' || c == 'f' || c == 'F';
        self->typed = self->typed || strchr("xnrpfFgt", c) == NULL;
    }
}

/* NAME, NAME=value or NAME+=value of a declaration, expanded already. */
static bool declare_one(mls_shell_state *state, const declaration *self, mls_str word)
{
    const mls_str name = {word.ptr, mls_shell_name_length(word)};
    const mls_str rest = {word.ptr + name.len, word.len - name.len};
    const bool appends = mls_str_starts(rest, MLS_S("+="));
    const bool assigns = appends || mls_str_starts(rest, MLS_S("="));
    const size_t skipped = appends ? 2 : 1;
    if (name.len == 0 || (rest.len > 0 && !assigns)) {
        return false;
    }
    mls_shell_slot *slot = mls_shell_slot_touch(state, name);
    if (slot == NULL) {
        return false;
    }
    slot->typed = slot->typed || self->typed || self->list;
    if (assigns) {
        const mls_str value = {rest.ptr + skipped, rest.len - skipped};
        if (!(appends ? mls_shell_variable_append : mls_shell_variable_set)(state, slot->name, value)) {
            return false;
        }
    } else if (self->typed) {
        (void)mls_shell_variable_set(state, slot->name, SHELL_HOLE);
    }
    slot->array = slot->array || self->list;
    if (state->frame->doubt == 0 && !slot->readonly) {
        slot->exported = (slot->exported || self->exports) && !self->hides;
        slot->readonly = self->readonly;
    } else if (state->frame->doubt > 0 && (self->exports || self->hides)) {
        slot->exported = true;
        if (slot->presence != PRESENCE_UNSET) {
            slot->presence = PRESENCE_UNKNOWN;
            slot->value = SHELL_HOLE;
        }
    }
    return true;
}

static int run_declare(mls_shell_state *state, const mls_shell_fields *fields)
{
    const mls_str command = field(fields, 0);
    declaration self = {
        .exports = is(command, "export"), .readonly = is(command, "readonly"), .typed = is(command, "local")};
    bool well = true;
    size_t at = 1;
    for (; is_option(field(fields, at)) && !is(field(fields, at), "--"); at++) {
        read_options(&self, field(fields, at));
    }
    at += is(field(fields, at), "--");
    if (self.names_nothing || at >= fields->count) {
        mls_shell_print(state, SHELL_HOLE);
        return STATUS_YES;
    }
    for (; at < fields->count; at++) {
        const mls_str word = field(fields, at);
        if (word.len > 0 && word.ptr[0] == '\0') {
            (void)run_unknown(state, fields); /* any name at all */
        } else {
            well = declare_one(state, &self, word) && well;
        }
    }
    return mls_shell_status_of(well);
}

static int run_unset(mls_shell_state *state, const mls_shell_fields *fields)
{
    int status = STATUS_YES;
    for (size_t i = 1; i < fields->count && !is(field(fields, i), "-f"); i++) {
        const mls_str word = field(fields, i);
        if (!mls_shell_known(word)) {
            return run_unknown(state, fields);
        }
        if (mls_shell_is_name(word)) {
            const mls_shell_slot *slot = mls_shell_slot_find(state->frame->variables, word);
            status = slot != NULL && slot->readonly ? STATUS_NO : status;
            mls_shell_variable_unset(state, word);
        } else if (!is_option(word)) {
            status = STATUS_UNKNOWN;
        }
    }
    return status;
}

/* Of all options only allexport matters: a script that -e or -u ends is one that nobody uses. */
static int run_set(mls_shell_state *state, const mls_shell_fields *fields)
{
    mls_shell_frame *frame = state->frame;
    for (size_t i = 1; i < fields->count; i++) {
        const mls_str word = field(fields, i);
        if (!is_option(word) || is(word, "--") || !mls_shell_known(word)) {
            frame->arguments.unknown = true;
            break;
        }
        bool all = memchr(word.ptr, 'a', word.len) != NULL;
        if (memchr(word.ptr, 'o', word.len) != NULL) { /* -o NAME, -euo NAME */
            all = all || is(field(fields, ++i), "allexport");
        }
        frame->export_all = all && frame->doubt == 0 ? word.ptr[0] == '-' : frame->export_all;
    }
    return STATUS_YES;
}

static int run_test(mls_shell_state *state, const mls_shell_fields *fields)
{
    size_t count = fields->count - 1;
    if (is(field(fields, 0), "[")) {
        if (!is(field(fields, count), "]")) {
            return mls_shell_known(field(fields, count)) && !fields->unknown ? STATUS_MISTAKE : STATUS_UNKNOWN;
        }
        count--;
    }
    const int status = mls_shell_condition(state, fields->items + 1, count, true);
    return fields->unknown ? STATUS_UNKNOWN : status;
}

static int run_echo(mls_shell_state *state, const mls_shell_fields *fields)
{
    const bool quiet = is(field(fields, 1), "-n");
    const size_t first = quiet ? 2 : 1;
    const mls_str option = field(fields, first);
    if (is_option(option) && strchr("neE", option.ptr[1]) != NULL) {
        mls_shell_print(state, SHELL_HOLE);
        return STATUS_YES;
    }
    for (size_t i = first; i < fields->count; i++) {
        mls_shell_print(state, i > first ? MLS_S(" ") : MLS_S(""));
        mls_shell_print(state, field(fields, i));
    }
    mls_shell_print(state, quiet ? MLS_S("") : MLS_S("\n"));
    return STATUS_YES;
}

/* printf '%s\n' X, with %s, %d of plain numbers and the simple escapes; anything else is unknown. */
static bool print_format(mls_shell_state *state, const mls_shell_fields *fields)
{
    const mls_str format = field(fields, 1);
    size_t argument = 2;
    for (size_t i = 0; i < format.len; i++) {
        const char c = format.ptr[i];
        mls_str text = {format.ptr + i, 1};
        if (c == '\\' || c == '%') {
            const char next = ++i < format.len ? format.ptr[i] : ' ';
            int64_t number = 0;
            text = c == '%' && next == '%'    ? MLS_S("%")
                   : c == '\\' && next == 'n' ? MLS_S("\n")
                   : c == '\\' && next == 't' ? MLS_S("\t")
                                              : field(fields, argument);
            const bool plain = mls_shell_integer_read(text, &number) && number > 0 && text.ptr[0] >= '1';
            if (c == '%' && next != '%') {
                if (argument++ >= fields->count || (next != 's' && (next != 'd' || !plain))) {
                    return false;
                }
            } else if (next != '%' && next != 'n' && next != 't') {
                return false;
            }
        }
        mls_shell_print(state, text);
    }
    return argument >= fields->count;
}

static int run_printf(mls_shell_state *state, const mls_shell_fields *fields)
{
    if (is(field(fields, 1), "-v")) {
        return run_naming(state, fields);
    }
    if (fields->unknown || !print_format(state, fields)) {
        mls_shell_print(state, SHELL_HOLE);
    }
    return STATUS_YES;
}

static int run_let(mls_shell_state *state, const mls_shell_fields *fields)
{
    mls_shell_integer number = {0, false};
    for (size_t i = 1; i < fields->count; i++) {
        if (!mls_shell_calculate(state, field(fields, i), &number)) {
            return STATUS_NO;
        }
    }
    return number.known ? mls_shell_status_of(number.value != 0) : STATUS_UNKNOWN;
}

/* The end of a file, a function or a subshell; in doubt, the rest of it is in doubt. */
static int run_leave(mls_shell_state *state, const mls_shell_fields *fields)
{
    mls_shell_frame *frame = state->frame;
    int64_t code = frame->status;
    const bool exits = is(field(fields, 0), "exit");
    if (fields->count > 1 && !mls_shell_integer_read(field(fields, 1), &code)) {
        code = STATUS_UNKNOWN;
    }
    if (frame->doubt == 0) {
        frame->flow = exits ? FLOW_EXIT : FLOW_RETURN;
    } else if (!exits || frame->subshell) {
        frame->doubt++;
    }
    return fields->count > 1 && code >= 0 ? (int)(code & 0xff) : (int)code;
}

/* exec PROGRAM ends the script; exec >log does not. */
static int run_exec(mls_shell_state *state, const mls_shell_fields *fields)
{
    if (fields->count > 1 && state->frame->doubt == 0) {
        state->frame->flow = FLOW_EXIT;
    }
    return STATUS_YES;
}

/* ---- programs ---- */

static int print_line(mls_shell_state *state, mls_str line)
{
    mls_shell_print(state, line);
    mls_shell_print(state, MLS_S("\n"));
    return STATUS_YES;
}

static mls_str without_slashes(mls_str path)
{
    while (path.len > 1 && path.ptr[path.len - 1] == '/') {
        path.len--;
    }
    return path;
}

static int run_path(mls_shell_state *state, const mls_shell_fields *fields)
{
    const bool folder = is(field(fields, 0), "dirname");
    const size_t first = is(field(fields, 1), "--") ? 2 : 1;
    const mls_str ending = folder ? MLS_S("") : field(fields, first + 1);
    if (first >= fields->count || fields->count > first + (folder ? 1 : 2) || is_option(field(fields, first))) {
        return run_ignored(state, fields);
    }
    mls_str path = without_slashes(field(fields, first));
    size_t at = path.len;
    while (at > 0 && path.ptr[at - 1] != '/') {
        at--;
    }
    if (folder) {
        path.len = at;
        return print_line(state, path.len == 0 ? MLS_S(".") : without_slashes(path));
    }
    path = at < path.len ? (mls_str){path.ptr + at, path.len - at} : path;
    path.len -= ending.len < path.len && mls_str_ends(path, ending) ? ending.len : 0;
    return print_line(state, path);
}

/* readlink -f and realpath. */
static int run_resolve(mls_shell_state *state, const mls_shell_fields *fields)
{
    bool follows = is(field(fields, 0), "realpath");
    mls_str resolved;
    size_t at = 1;
    for (; is_option(field(fields, at)); at++) {
        const mls_str option = field(fields, at);
        follows = follows || is(option, "-f") || is(option, "-e") || is(option, "-m");
        if (!is(option, "--") && !is(option, "-f") && !is(option, "-e") && !is(option, "-m")) {
            return run_ignored(state, fields);
        }
    }
    const bool known =
        follows && at + 1 == fields->count && (!state->frame->moved || mls_str_starts(field(fields, at), MLS_S("/")));
    return known && state->files->resolve(state->files->state, field(fields, at), &state->arena, &resolved)
               ? print_line(state, resolved)
               : run_ignored(state, fields);
}

static int run_sed(mls_shell_state *state, const mls_shell_fields *fields)
{
    mls_shell_fields scripts = {0};
    bool extended = false;
    for (size_t i = 1; i < fields->count; i++) {
        const mls_str word = field(fields, i);
        if (is(word, "-E") || is(word, "-r")) {
            extended = true;
        } else if (is(word, "-e") || (!is_option(word) && scripts.count == 0)) {
            i += is(word, "-e");
            mls_shell_fields_add(state, &scripts, field(fields, i));
        } else {
            return run_ignored(state, fields);
        }
    }
    if (scripts.count == 0 || state->frame->input == NULL) {
        return run_ignored(state, fields);
    }
    mls_shell_print(state, mls_shell_sed(state, &scripts, extended, *state->frame->input));
    return STATUS_YES;
}

static int run_cat(mls_shell_state *state, const mls_shell_fields *fields)
{
    if (fields->count > 1 || state->frame->input == NULL) {
        return run_ignored(state, fields);
    }
    mls_shell_print(state, *state->frame->input);
    return STATUS_YES;
}

bool mls_shell_command_run(mls_shell_state *state, const mls_shell_fields *fields)
{
    static const struct {
        const char *name;
        command_function *run;
        bool program; /* it is not worth asking when an argument is not known */
    } commands[] = {{":", run_true, false},           {"true", run_true, false},       {"false", run_false, false},
                    {"export", run_declare, false},   {"declare", run_declare, false}, {"typeset", run_declare, false},
                    {"readonly", run_declare, false}, {"local", run_declare, false},   {"unset", run_unset, false},
                    {"set", run_set, false},          {"[", run_test, false},          {"test", run_test, false},
                    {"echo", run_echo, false},        {"printf", run_printf, false},   {"let", run_let, false},
                    {"read", run_naming, false},      {"mapfile", run_naming, false},  {"readarray", run_naming, false},
                    {"getopts", run_naming, false},   {"cd", run_cd, false},           {"pushd", run_cd, false},
                    {"popd", run_cd, false},          {"eval", run_unknown, false},    {"builtin", run_unknown, false},
                    {"return", run_leave, false},     {"exit", run_leave, false},      {"exec", run_exec, false},
                    {"shift", run_shift, false},      {"shopt", run_ignored, false},   {"ulimit", run_ignored, false},
                    {"umask", run_ignored, false},    {"trap", run_ignored, false},    {"dirname", run_path, true},
                    {"basename", run_path, true},     {"readlink", run_resolve, true}, {"realpath", run_resolve, true},
                    {"sed", run_sed, true},           {"cat", run_cat, true}};
    bool known = !fields->unknown;
    for (size_t i = 0; i < fields->count; i++) {
        known = known && mls_shell_known(fields->items[i]);
    }
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        if (is(field(fields, 0), commands[i].name)) {
            state->frame->status = (commands[i].program && !known ? run_ignored : commands[i].run)(state, fields);
            return true;
        }
    }
    return false;
}
