/* SPDX-License-Identifier: Apache-2.0 */
/* command.c - simple commands: builtins, the programs whose output follows from their arguments (dirname, basename,
 * readlink -f, realpath, sed, cat), assignments, files that are sourced, and functions. */
#include "base/file.h"
#include "config/script_state.h"

typedef struct assignment {
    mls_str name;
    mls_str word;
    bool appends;
    bool list; /* an item of one, or ( … ): not looked into */
} assignment;

/* Whether a word, raw or expanded, is NAME=word, NAME+=word or NAME[…]=word; its name is there in any case. */
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
    if (length == parts->appends || length == raw.len || raw.ptr[length] != '=') {
        return false;
    }
    parts->word = mls_str_rest(raw, length + 1);
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

/* Its effect can only be found out by running it. */
static int run_unknown(mls_shell_state *state, const mls_shell_fields *fields)
{
    mls_shell_forget_all(state, field(fields, 0));
    return STATUS_UNKNOWN;
}

/* Commands that change no variable, and succeed or not; some change what paths or arguments mean. */
static int run_ignored(mls_shell_state *state, const mls_shell_fields *fields)
{
    mls_shell_frame *frame = &state->frame;
    frame->moved = frame->moved || mls_str_among(field(fields, 0), " cd pushd popd ");
    frame->arguments.unknown = frame->arguments.unknown || is(field(fields, 0), "shift");
    mls_shell_print(state, SHELL_HOLE);
    return STATUS_UNKNOWN;
}

/* No config uses them, so nothing is made of what they name. */
static int run_unused(mls_shell_state *state, const mls_shell_fields *fields)
{
    mls_shell_lose(state, field(fields, 0));
    for (size_t i = 1; i < fields->count; i++) {
        const mls_str name = {fields->items[i].ptr, mls_str_name_length(fields->items[i])};
        if (name.len > 0) { /* it is listed */
            mls_shell_variable_set(state, name, SHELL_HOLE, false);
        }
    }
    return STATUS_UNKNOWN;
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
        if (mls_str_among(field(fields, at), " -p -f ")) {
            return run_ignored(state, fields);
        }
    }
    for (; at < fields->count; at++) {
        const mls_str word = field(fields, at);
        assignment parts;
        const bool assigns = is_assignment(word, &parts) && !parts.list;
        mls_shell_slot *slot = assigns || mls_str_is_name(word) ? mls_shell_slot_touch(state, parts.name) : NULL;
        if (slot == NULL) {
            status = mls_str_starts(word, SHELL_HOLE) ? run_unknown(state, fields) : STATUS_NO; /* any name at all */
            continue;
        }
        if (assigns) {
            mls_shell_variable_set(state, parts.name, parts.word, parts.appends);
        } else if (doubtful && slot->value.ptr != mls_shell_unset) {
            slot->value = SHELL_MAYBE;
        }
        const bool readonly = is(field(fields, 0), "readonly");
        slot->typed = slot->typed || readonly;
        slot->exported = readonly ? slot->exported : doubtful || !hides;
    }
    return status;
}

static const mls_shell_function *find_function(const mls_shell_state *state, mls_str name)
{
    const mls_shell_function *function = state->frame.functions;
    while (function != NULL && !mls_str_equal(function->name, name)) {
        function = function->next;
    }
    return function;
}

/* A function of that name is gone, or (unset NAME) may be: a program of the name runs then, if there is one. */
static int run_unset(mls_shell_state *state, const mls_shell_fields *fields)
{
    int status = STATUS_YES;
    bool functions = false;
    for (size_t i = 1; i < fields->count; i++) {
        const mls_str word = field(fields, i);
        functions = functions || is(word, "-f");
        if (!mls_shell_known(word)) {
            return run_unknown(state, fields);
        }
        if (find_function(state, word) != NULL) {
            mls_shell_function_define(state, word, MLS_S(""), 0);
        }
        if (mls_str_is_name(word) && !functions) {
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
        if (all && frame->doubt > 0) {
            return run_unused(state, fields);
        }
        frame->export_all = all ? word.ptr[0] == '-' : frame->export_all;
    }
    return STATUS_YES;
}

static int run_test(mls_shell_state *state, const mls_shell_fields *fields)
{
    const bool bracket = is(field(fields, 0), "[");
    const mls_shell_fields words = {fields->items + 1, fields->count - 1 - bracket, 0, fields->unknown};
    if (bracket && !is(field(fields, fields->count - 1), "]")) {
        const bool known = mls_shell_known(field(fields, fields->count - 1)) && !fields->unknown;
        return known ? STATUS_MISTAKE : STATUS_UNKNOWN;
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

/* %d or %02d of a number that is written as it is printed: 08 is none. */
static bool print_number(mls_shell_state *state, mls_str format, mls_str text)
{
    mls_buffer digits = {0};
    int64_t number = 0;
    const bool plain = mls_integer_parse(text, &number) && mls_str_equal(text, mls_shell_number(state, number));
    mls_buffer_printf(&digits, "%0*lld", format.ptr[1] == '0' ? format.ptr[2] - '0' : 0, (long long)number);
    mls_shell_print(state, mls_shell_keep_buffer(state, &digits));
    return plain;
}

/* printf with %s, numbers and \n; any other format is unknown. */
static int run_printf(mls_shell_state *state, const mls_shell_fields *fields)
{
    mls_str format = field(fields, 1);
    size_t argument = 2;
    bool plain = !fields->unknown && mls_shell_known(format) && !is_option(format);
    if (is(format, "-v") && mls_str_is_name(field(fields, 2))) {
        mls_shell_variable_set(state, field(fields, 2), SHELL_HOLE, false);
    } else if (is(format, "-v")) {
        return run_unused(state, fields);
    }
    while (plain && format.len > 0) {
        const bool wide = format.len > 3 && mls_is_digit(format.ptr[2]) && format.ptr[3] == 'd';
        const bool number = mls_str_starts(format, wide ? MLS_S("%0") : MLS_S("%d"));
        const bool text = mls_str_starts(format, MLS_S("%s"));
        const bool newline = mls_str_starts(format, MLS_S("\\n"));
        if (number) {
            plain = print_number(state, format, field(fields, argument));
        } else {
            plain = text || newline || (format.ptr[0] != '%' && format.ptr[0] != '\\');
            mls_shell_print(state, text ? field(fields, argument) : (mls_str){newline ? "\n" : format.ptr, plain});
        }
        argument += text || number;
        format = mls_str_rest(format, number && wide ? 4 : text || newline || number ? 2 : 1);
    }
    mls_shell_print(state, plain && argument >= fields->count ? MLS_S("") : SHELL_HOLE);
    return STATUS_YES;
}

/* The end of a file, a function or a subshell; in doubt, the rest of it is in doubt. */
static int run_leave(mls_shell_state *state, const mls_shell_fields *fields)
{
    mls_shell_frame *frame = &state->frame;
    int64_t code = frame->status;
    const bool exits = !is(field(fields, 0), "return");
    if (is(field(fields, 0), "exec") && fields->count == 1) {
        return STATUS_YES; /* exec >log */
    }
    if (fields->count > 1 && !mls_integer_parse(field(fields, 1), &code)) {
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
    const mls_str above = mls_path_folder(path);
    if (first >= fields->count || fields->count > first + (folder ? 1 : 2) || is_option(field(fields, first))) {
        return run_ignored(state, fields);
    }
    if (folder) {
        return print_line(state, above.len == 0 ? MLS_S(".") : without_slashes(above));
    }
    path = mls_str_rest(path, above.len < path.len ? above.len : 0);
    path.len -= ending.len < path.len && mls_str_ends(path, ending) ? ending.len : 0;
    return print_line(state, path);
}

/* readlink -f and realpath. */
static int run_resolve(mls_shell_state *state, const mls_shell_fields *fields)
{
    const bool follows = is(field(fields, 1), "-f");
    const size_t at = follows ? 2 : 1;
    const bool plain =
        (follows || is(field(fields, 0), "realpath")) && at + 1 == fields->count && !is_option(field(fields, at));
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

/* A builtin or program; sets the status.  False: it is neither. */
static bool run_known(mls_shell_state *state, const mls_shell_fields *fields)
{
    static const struct {
        const char *names;
        command_function *run;
        bool program; /* it is not worth asking when an argument is not known */
    } commands[] = {{" : true false ", run_constant, false},
                    {" export readonly ", run_export, false},
                    {" unset ", run_unset, false},
                    {" set ", run_set, false},
                    {" [ test ", run_test, false},
                    {" echo ", run_echo, false},
                    {" printf ", run_printf, false},
                    {" cd pushd popd shift shopt ulimit umask trap ", run_ignored, false},
                    {" eval builtin let declare typeset local read mapfile readarray getopts ", run_unused, false},
                    {" return exit exec ", run_leave, false},
                    {" dirname basename ", run_path, true},
                    {" readlink realpath ", run_resolve, true},
                    {" sed ", run_sed, true},
                    {" cat ", run_cat, true}};
    const bool known = mls_shell_fields_known(fields);
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        if (mls_str_among(field(fields, 0), commands[i].names)) {
            state->frame.status = (commands[i].program && !known ? run_ignored : commands[i].run)(state, fields);
            return true;
        }
    }
    return false;
}

static void assign(mls_shell_state *state, const assignment *parts)
{
    const mls_str value = parts->list ? SHELL_HOLE : mls_shell_expand(state, parts->word, QUOTING_TEXT);
    mls_shell_slot *slot = mls_shell_goes(state) ? mls_shell_slot_touch(state, parts->name) : NULL;
    if (slot != NULL) {
        mls_shell_variable_set(state, parts->name, value, parts->appends);
        slot->array = slot->array || parts->list;
    }
}

/* ---- files and functions ---- */

/* Runs a file or a function: all that it changes lasts, but for its arguments, from fields[first] on, and its return.
 */
static void run_body(mls_shell_state *state, const mls_shell_fields *fields, size_t first, const char *path,
                     mls_str text, size_t line)
{
    mls_shell_frame *frame = &state->frame;
    const mls_shell_frame outer = *frame;
    if (first == 1 || fields->count > first) {
        frame->arguments = (mls_shell_fields){fields->items + first, fields->count - first, 0, fields->unknown};
    }
    frame->status = STATUS_YES;
    frame->path = path;
    state->run(state, text, line);
    frame->flow = frame->flow == FLOW_RETURN ? FLOW_GO : frame->flow;
    frame->path = outer.path;
    frame->line = outer.line;
    frame->doubt = outer.doubt;
    frame->arguments = outer.arguments;
}

static bool is_open(const mls_shell_state *state, mls_str path)
{
    size_t i = 0;
    while (i < state->source_depth && !mls_str_equal(mls_str_from(state->sources[i]), path)) {
        i++;
    }
    return i < state->source_depth;
}

void mls_shell_file_run(mls_shell_state *state, const mls_shell_fields *fields, mls_str path, mls_str text)
{
    if (is_open(state, path) || state->source_depth == SHELL_SOURCE_DEPTH_MAX) {
        mls_shell_limit(state, is_open(state, path) ? "a file that sources itself" : "depth of source");
    }
    const mls_str kept = mls_shell_keep(state, path);
    if (!mls_shell_goes(state)) {
        return;
    }
    state->sources[state->source_depth++] = kept.ptr;
    run_body(state, fields, 2, kept.ptr, text, 1);
    state->source_depth--;
}

static void run_source(mls_shell_state *state, const mls_shell_fields *fields)
{
    mls_shell_frame *frame = &state->frame;
    const mls_str named = fields->count > 1 ? fields->items[1] : SHELL_HOLE;
    mls_str path = named;
    mls_str text;
    mls_shell_fields matches = {.unknown = true};
    mls_status status = mls_shell_file_read(state, &path, &text);
    if (status == MLS_OK) {
        mls_shell_file_run(state, fields, path, text);
        return;
    }
    if (frame->doubt > 0 && !mls_shell_known(named) && mls_str_equal(named, frame->guard)) {
        mls_shell_file_match(state, named, &matches);
    }
    if (status == MLS_ERROR_READ && !state->stopped) {
        mls_shell_note(state, MLS_FINDING_CONFIG_SOURCE, "sources '%.*s', which is not there", (int)named.len,
                       named.ptr);
    } else if (matches.unknown && !state->stopped) {
        const bool known = mls_shell_known(named) && !frame->moved;
        mls_shell_note(state, MLS_FINDING_CONFIG_SOURCE, "sources %s%.*s%s: values from before line %zu are unknown",
                       known ? "'" : "", known ? (int)named.len : 0, named.ptr,
                       known ? "', which is not read" : "a file whose place cannot be known", frame->line);
        mls_shell_forget_all(state, MLS_S(""));
    }
    /* One of these files was sourced, or none: what they set may be set. */
    for (size_t i = 0; i < matches.count && mls_shell_goes(state); i++) {
        path = matches.items[i];
        if (mls_shell_file_read(state, &path, &text) == MLS_OK && !is_open(state, path)) {
            mls_shell_file_run(state, fields, path, text);
        }
    }
    frame->status = status == MLS_ERROR_READ ? STATUS_NO : STATUS_UNKNOWN;
}

/* A definition that may not be the one that counts leaves nobody knowing what the name does. */
void mls_shell_function_define(mls_shell_state *state, mls_str name, mls_str body, size_t line)
{
    mls_shell_frame *frame = &state->frame;
    mls_shell_function *function = mls_arena_alloc(state->arena, sizeof *function);
    if (!mls_shell_memory(state, function != NULL) || function == NULL) {
        return;
    }
    *function = (mls_shell_function){name, frame->doubt == 0 ? body : MLS_S(""), line, frame->functions};
    frame->functions = function;
    frame->status = STATUS_YES;
}

/* ---- words ---- */

static void run_fields(mls_shell_state *state, mls_shell_fields *fields)
{
    if (fields->count > 1 && !mls_str_starts(fields->items[1], MLS_S("-")) &&
        mls_str_among(fields->items[0], " command builtin ")) {
        fields->items++;
        fields->count--;
    }
    const mls_str name = fields->count > 0 ? fields->items[0] : SHELL_HOLE;
    const mls_shell_function *function = find_function(state, name);
    if (function != NULL && function->body.len > 0) {
        run_body(state, fields, 1, state->frame.path, function->body, function->line);
    } else if (function == NULL && mls_str_among(name, " source . ")) {
        run_source(state, fields);
    } else if (function != NULL || !run_known(state, fields)) {
        /* A program that is not ours to run: it cannot change variables, and nobody knows what it says. */
        mls_shell_print(state, SHELL_HOLE);
        if (function != NULL || !mls_shell_known(name)) {
            mls_shell_forget_all(state, name);
        }
        state->frame.status = STATUS_UNKNOWN;
    }
}

void mls_shell_simple_run(mls_shell_state *state, const mls_shell_fields *words)
{
    mls_shell_frame *frame = &state->frame;
    mls_shell_fields fields = {0};
    assignment parts;
    size_t count = 0;
    while (count < words->count && is_assignment(words->items[count], &parts)) {
        count++;
    }
    const bool alone = count == words->count;
    const bool declares = !alone && mls_str_among(words->items[count], " export readonly declare typeset local ");
    frame->substituted = false;
    for (size_t i = count; i < words->count && mls_shell_goes(state); i++) {
        const bool declared = declares && is_assignment(words->items[i], &parts);
        mls_shell_expand_fields(state, words->items[i], !declared, &fields);
    }
    /* Before a command they hold while it runs; of a file or function, whether anything is left is not asked. */
    const mls_str name = fields.count > 0 ? fields.items[0] : SHELL_HOLE;
    const bool stays = mls_str_among(name, " source . ") || find_function(state, name) != NULL;
    for (size_t i = 0; i < count && mls_shell_goes(state) && is_assignment(words->items[i], &parts); i++) {
        if (alone) {
            assign(state, &parts);
            continue;
        }
        (void)mls_shell_expand(state, parts.word, QUOTING_TEXT);
        if (stays) {
            mls_shell_variable_set(state, parts.name, SHELL_HOLE, false);
        }
    }
    if (mls_shell_goes(state) && (fields.count > 0 || fields.unknown)) {
        run_fields(state, &fields);
    } else if (mls_shell_goes(state) && !frame->substituted) {
        frame->status = STATUS_YES;
    }
}
