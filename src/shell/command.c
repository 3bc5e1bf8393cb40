/* SPDX-License-Identifier: Apache-2.0 */
/*
 * command.c - builtins, and the programs whose output follows from their
 * arguments: dirname, basename, readlink -f, realpath, sed, cat.
 *
 * A builtin that no config uses does what is sure of it: the variables that it
 * names are not known afterwards.
 */
#include "shell/state.h"

bool mls_shell_is_assignment(mls_str raw, mls_shell_assignment *parts)
{
    size_t length = mls_shell_name_length(raw);
    *parts = (mls_shell_assignment){.name = {raw.ptr, length}};
    if (length > 0 && length < raw.len && raw.ptr[length] == '[') {
        const char *close = memchr(raw.ptr + length, ']', raw.len - length);
        length = close != NULL ? (size_t)(close - raw.ptr) + 1 : 0;
        parts->list = true;
    }
    parts->appends = mls_str_starts(mls_shell_from(raw, length), MLS_S("+="));
    length += parts->appends;
    if (length == parts->appends || length == raw.len || raw.ptr[length] != '=') {
        return false;
    }
    parts->word = mls_shell_from(raw, length + 1);
    parts->list = parts->list || mls_str_starts(parts->word, MLS_S("("));
    return true;
}

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

static int run_constant(mls_shell_state *state, const mls_shell_fields *fields)
{
    (void)state;
    return mls_shell_status_of(!is(field(fields, 0), "false"));
}

/* What is done can only be found out by running it. */
static int run_unknown(mls_shell_state *state, const mls_shell_fields *fields)
{
    mls_shell_forget_all(state, field(fields, 0));
    return STATUS_UNKNOWN;
}

/* Commands that change no variable, and succeed or not; some change what paths or arguments mean. */
static int run_ignored(mls_shell_state *state, const mls_shell_fields *fields)
{
    mls_shell_frame *frame = &state->frame;
    frame->moved = frame->moved || mls_shell_among(field(fields, 0), " cd pushd popd ");
    frame->arguments.unknown = frame->arguments.unknown || is(field(fields, 0), "shift");
    mls_shell_print(state, SHELL_HOLE);
    return STATUS_UNKNOWN;
}

/* declare -i A=1, local A, read A: each name takes on something that is not looked into, and goes on so. */
static int run_naming(mls_shell_state *state, const mls_shell_fields *fields)
{
    for (size_t i = 1; i < fields->count; i++) {
        const mls_str name = {field(fields, i).ptr, mls_shell_name_length(field(fields, i))};
        mls_shell_slot *slot = name.len > 0 ? mls_shell_slot_touch(state, name) : NULL;
        if (slot != NULL) {
            mls_shell_variable_set(state, name, SHELL_HOLE, false);
            slot->typed = true;
        } else if (!mls_shell_known(field(fields, i))) {
            return run_unknown(state, fields);
        }
    }
    for (size_t i = 0; i < 3 && !mls_shell_among(field(fields, 0), " declare typeset local printf "); i++) {
        static const char *const own[] = {"REPLY", "MAPFILE", "OPTARG"};
        mls_shell_variable_set(state, mls_str_from(own[i]), SHELL_HOLE, false);
    }
    return STATUS_UNKNOWN;
}

static int run_let(mls_shell_state *state, const mls_shell_fields *fields)
{
    mls_shell_integer number = {0, false};
    for (size_t i = 1; i < fields->count; i++) {
        number = mls_shell_calculate(state, field(fields, i));
    }
    return number.known ? mls_shell_status_of(number.value != 0) : STATUS_UNKNOWN;
}

/* export and readonly, whose later assignments fail. */
static int run_export(mls_shell_state *state, const mls_shell_fields *fields)
{
    const bool doubtful = state->frame.doubt > 0;
    bool hides = false;
    int status = STATUS_YES;
    size_t at = 1;
    for (; is_option(field(fields, at)); at++) {
        hides = hides || is(field(fields, at), "-n");
        if (mls_shell_among(field(fields, at), " -p -f ")) {
            return run_ignored(state, fields);
        }
    }
    for (; at < fields->count; at++) {
        const mls_str word = field(fields, at);
        mls_shell_assignment parts;
        const bool assigns = mls_shell_is_assignment(word, &parts) && !parts.list;
        mls_shell_slot *slot = assigns || mls_shell_is_name(word) ? mls_shell_slot_touch(state, parts.name) : NULL;
        if (slot == NULL) {
            status = mls_str_starts(word, SHELL_HOLE) ? run_unknown(state, fields) : STATUS_NO; /* any name at all */
            continue;
        }
        if (assigns) {
            mls_shell_variable_set(state, parts.name, parts.word, parts.appends);
        } else if (doubtful && slot->value.ptr != NULL) {
            slot->value = SHELL_MAYBE;
        }
        slot->typed = slot->typed || is(field(fields, 0), "readonly");
        slot->exported = doubtful || !hides;
    }
    return status;
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
            mls_shell_variable_unset(state, word);
        } else {
            status = is_option(word) ? status : STATUS_UNKNOWN;
        }
    }
    return status;
}

/* Of all options only allexport matters: a script that -e or -u ends is one that nobody uses. */
static int run_set(mls_shell_state *state, const mls_shell_fields *fields)
{
    mls_shell_frame *frame = &state->frame;
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
    const bool bracket = is(field(fields, 0), "[");
    const mls_shell_fields words = {fields->items + 1, fields->count - 1 - bracket, 0, fields->unknown};
    if (bracket && !is(field(fields, fields->count - 1), "]")) {
        return mls_shell_fields_known(fields) ? STATUS_MISTAKE : STATUS_UNKNOWN;
    }
    const int status = mls_shell_condition(state, &words, true);
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
        const char next = i + 1 < format.len ? format.ptr[i + 1] : ' ';
        mls_str text = {format.ptr + i, 1};
        int64_t number = 0;
        i += c == '\\' || c == '%';
        if (c == '\\' && (next == 'n' || next == 't')) {
            text = next == 'n' ? MLS_S("\n") : MLS_S("\t");
        } else if (c == '%' && (next == 's' || next == 'd') && argument < fields->count) {
            text = field(fields, argument++);
            if (next == 'd' && !(mls_shell_integer_read(text, &number) && number > 0 && text.ptr[0] >= '1')) {
                return false;
            }
        } else if (c == '\\' || (c == '%' && next != '%')) {
            return false;
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

/* The end of a file, a function or a subshell; in doubt, the rest of it is in doubt. */
static int run_leave(mls_shell_state *state, const mls_shell_fields *fields)
{
    mls_shell_frame *frame = &state->frame;
    int64_t code = frame->status;
    const bool exits = !is(field(fields, 0), "return");
    if (is(field(fields, 0), "exec") && fields->count == 1) { /* exec >log */
        return STATUS_YES;
    }
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
    mls_str path = without_slashes(field(fields, first));
    size_t at = path.len;
    if (first >= fields->count || fields->count > first + (folder ? 1 : 2) || is_option(field(fields, first))) {
        return run_ignored(state, fields);
    }
    while (at > 0 && path.ptr[at - 1] != '/') {
        at--;
    }
    if (folder) {
        return print_line(state, at == 0 ? MLS_S(".") : without_slashes((mls_str){path.ptr, at}));
    }
    path = mls_shell_from(path, at < path.len ? at : 0);
    path.len -= ending.len < path.len && mls_str_ends(path, ending) ? ending.len : 0;
    return print_line(state, path);
}

/* readlink -f and realpath. */
static int run_resolve(mls_shell_state *state, const mls_shell_fields *fields)
{
    bool follows = is(field(fields, 0), "realpath");
    size_t at = 1;
    for (; mls_shell_among(field(fields, at), " -- -f -e -m "); at++) {
        follows = follows || !is(field(fields, at), "--");
    }
    const bool plain = follows && at + 1 == fields->count && !is_option(field(fields, at));
    const mls_str resolved = plain ? mls_shell_file_resolve(state, field(fields, at)) : SHELL_HOLE;
    return mls_shell_known(resolved) ? print_line(state, resolved) : run_ignored(state, fields);
}

static int run_sed(mls_shell_state *state, const mls_shell_fields *fields)
{
    mls_shell_fields scripts = {0};
    for (size_t i = 1; i < fields->count; i++) {
        if (is(field(fields, i), "-e") || (!is_option(field(fields, i)) && scripts.count == 0)) {
            i += is(field(fields, i), "-e");
            mls_shell_fields_add(state, &scripts, field(fields, i));
        } else {
            return run_ignored(state, fields);
        }
    }
    if (state->frame.input == NULL || scripts.count == 0) {
        return run_ignored(state, fields);
    }
    mls_shell_print(state, mls_shell_sed(state, &scripts, *state->frame.input));
    return STATUS_YES;
}

static int run_cat(mls_shell_state *state, const mls_shell_fields *fields)
{
    if (fields->count > 1 || state->frame.input == NULL) {
        return run_ignored(state, fields);
    }
    mls_shell_print(state, *state->frame.input);
    return STATUS_YES;
}

bool mls_shell_command_run(mls_shell_state *state, const mls_shell_fields *fields)
{
    static const struct {
        const char *names;
        command_function *run;
        bool program; /* it is not worth asking when an argument is not known */
    } commands[] = {{" : true false ", run_constant, false},
                    {" export readonly ", run_export, false},
                    {" declare typeset local read mapfile readarray getopts ", run_naming, false},
                    {" let ", run_let, false},
                    {" unset ", run_unset, false},
                    {" set ", run_set, false},
                    {" [ test ", run_test, false},
                    {" echo ", run_echo, false},
                    {" printf ", run_printf, false},
                    {" cd pushd popd shift shopt ulimit umask trap ", run_ignored, false},
                    {" eval builtin ", run_unknown, false},
                    {" return exit exec ", run_leave, false},
                    {" dirname basename ", run_path, true},
                    {" readlink realpath ", run_resolve, true},
                    {" sed ", run_sed, true},
                    {" cat ", run_cat, true}};
    const bool known = mls_shell_fields_known(fields);
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        if (mls_shell_among(field(fields, 0), commands[i].names)) {
            state->frame.status = (commands[i].program && !known ? run_ignored : commands[i].run)(state, fields);
            return true;
        }
    }
    return false;
}
