/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "shell/script.h"

typedef void builtin_run(mls_script *script, const mls_script_fields *fields);

void mls_script_set_status(mls_script *script, mls_script_truth status)
{
    script->status = status;
    script->status_code = status == TRUTH_YES ? 0 : 1;
}

static mls_str bytes_of(const mls_script_fields *fields, size_t index)
{
    return index < fields->count ? fields->items[index].bytes : MLS_S("");
}

static void run_true(mls_script *script, const mls_script_fields *fields)
{
    (void)fields;
    mls_script_set_status(script, TRUTH_YES);
}

static void run_false(mls_script *script, const mls_script_fields *fields)
{
    (void)fields;
    mls_script_set_status(script, TRUTH_NO);
}

/* Commands that change no variable, and succeed or not. */
static void run_ignored(mls_script *script, const mls_script_fields *fields)
{
    (void)fields;
    mls_script_set_status(script, TRUTH_UNKNOWN);
}

/* What is done can only be found out by running it. */
static void run_unknown(mls_script *script, const mls_script_fields *fields)
{
    mls_script_find(script, MLS_FINDING_CONFIG_UNKNOWN,
                    "%.*s may set anything: values from before line %zu are unknown", (int)fields->items[0].bytes.len,
                    fields->items[0].bytes.ptr, script->line);
    mls_script_forget_all(script);
    mls_script_set_status(script, TRUTH_UNKNOWN);
}

/* What declare and its relatives do to each of their names. */
typedef struct declaration {
    bool exports;
    bool hides;
    bool readonly;
    bool typed; /* values change when they are assigned */
    bool list;
    bool prints;
    bool functions;
    bool local;
} declaration;

static bool read_option(declaration *self, mls_str word)
{
    const bool off = word.ptr[0] == '+';
    for (size_t i = 1; i < word.len; i++) {
        switch (word.ptr[i]) {
        case 'x':
            self->exports = !off;
            self->hides = off;
            break;
        case 'n':
            self->hides = true;
            break;
        case 'r':
            self->readonly = true;
            break;
        case 'i':
        case 'l':
        case 'u':
        case 'c':
            self->typed = true;
            break;
        case 'a':
        case 'A':
            self->list = true;
            break;
        case 'p':
            self->prints = true;
            break;
        case 'f':
        case 'F':
            self->functions = true;
            break;
        case 'g':
        case 't':
            break;
        default:
            return false;
        }
    }
    return true;
}

static void append_value(mls_script *script, mls_str name, mls_script_text *value)
{
    mls_str before;
    const mls_script_presence presence = mls_script_variable_get(script, name, &before);
    if (presence == PRESENCE_UNKNOWN || !value->known) {
        *value = mls_script_unknown();
        return;
    }
    mls_buffer joined = {0};
    mls_buffer_append(&joined, before);
    mls_buffer_append(&joined, value->bytes);
    *value = mls_script_keep_buffer(script, &joined);
}

/* NAME, NAME=value or NAME+=value of a declaration, expanded already. */
static bool declare_one(mls_script *script, const declaration *self, mls_script_text argument)
{
    const size_t length = mls_script_name_length(argument.bytes);
    mls_str name = {argument.bytes.ptr, length};
    mls_str rest = {argument.bytes.ptr + length, argument.bytes.len - length};
    const bool appends = mls_str_starts(rest, MLS_S("+="));
    const bool assigns = appends || mls_str_starts(rest, MLS_S("="));
    if (length == 0 || (rest.len > 0 && !assigns)) {
        return false;
    }
    if (assigns) {
        const size_t skipped = appends ? 2 : 1;
        mls_script_text value = {{rest.ptr + skipped, rest.len - skipped}, argument.known};
        if (self->typed || self->list) {
            value = mls_script_unknown();
        }
        if (appends) {
            append_value(script, name, &value);
        }
        if (!mls_script_variable_set(script, name, value)) {
            return false;
        }
    }
    mls_script_variable *variable = mls_script_variable_touch(script, name);
    if (variable == NULL) {
        return false;
    }
    if (variable->readonly) {
        return true;
    }
    if (script->taint == 0) {
        variable->exported = (variable->exported || self->exports || (script->export_all && assigns)) && !self->hides;
        variable->readonly = self->readonly;
    } else if (self->exports || self->hides) {
        if (variable->presence != PRESENCE_UNSET) {
            mls_script_variable_forget(variable);
        }
        variable->exported = true;
    }
    variable->integer = variable->integer || self->typed;
    if (self->list) {
        variable->array = true;
        mls_script_variable_forget(variable);
    }
    return true;
}

/* Nobody knows what all the names are; those that are there take on something. */
static void declare_in_doubt(mls_script *script, const mls_script_fields *fields)
{
    run_unknown(script, fields);
    for (size_t i = 1; i < fields->count; i++) {
        const mls_str name = {bytes_of(fields, i).ptr, mls_script_name_length(bytes_of(fields, i))};
        if (name.len > 0) {
            (void)mls_script_variable_set(script, name, mls_script_unknown());
        }
    }
}

static void run_declare(mls_script *script, const mls_script_fields *fields)
{
    const mls_str command = bytes_of(fields, 0);
    declaration self = {.exports = mls_str_equal(command, MLS_S("export")),
                        .readonly = mls_str_equal(command, MLS_S("readonly")),
                        .local = mls_str_equal(command, MLS_S("local"))};
    bool known = !fields->unknown && !self.local;
    size_t at = 1;
    for (; at < fields->count && known; at++) {
        const mls_str word = bytes_of(fields, at);
        if (word.len < 2 || (word.ptr[0] != '-' && word.ptr[0] != '+')) {
            break;
        }
        if (mls_str_equal(word, MLS_S("--"))) {
            at++;
            break;
        }
        known = read_option(&self, word);
    }
    if (!known) {
        declare_in_doubt(script, fields);
        return;
    }
    if (self.exports && self.hides) {
        self.exports = false;
    }
    if (self.functions || (self.prints && at == fields->count) || at == fields->count) {
        mls_script_print(script, mls_script_unknown());
        mls_script_set_status(script, TRUTH_YES);
        return;
    }
    bool well = true;
    for (; at < fields->count; at++) {
        if (!fields->items[at].known && fields->items[at].bytes.len == 0) {
            run_unknown(script, fields);
            return;
        }
        well = declare_one(script, &self, fields->items[at]) && well;
    }
    mls_script_set_status(script, mls_script_truth_of(well));
}

static void run_unset(mls_script *script, const mls_script_fields *fields)
{
    mls_script_set_status(script, TRUTH_YES);
    for (size_t i = 1; i < fields->count; i++) {
        const mls_script_text word = fields->items[i];
        if (!word.known) {
            run_unknown(script, fields);
            return;
        }
        if (mls_str_equal(word.bytes, MLS_S("-f"))) {
            return;
        }
        if (mls_script_is_name(word.bytes)) {
            const mls_script_variable *variable = mls_script_variable_find(script, word.bytes);
            if (variable != NULL && variable->readonly) {
                mls_script_set_status(script, TRUTH_NO);
            }
            mls_script_variable_unset(script, word.bytes);
        } else if (!mls_str_starts(word.bytes, MLS_S("-"))) {
            mls_script_set_status(script, TRUTH_UNKNOWN);
        }
    }
}

static void run_set(mls_script *script, const mls_script_fields *fields)
{
    mls_script_set_status(script, TRUTH_YES);
    for (size_t i = 1; i < fields->count; i++) {
        const mls_str word = bytes_of(fields, i);
        if (!fields->items[i].known || word.len == 0 || (word.ptr[0] != '-' && word.ptr[0] != '+') ||
            mls_str_equal(word, MLS_S("--"))) {
            script->arguments_unknown = true;
            return;
        }
        const bool on = word.ptr[0] == '-';
        const bool named = word.len == 2 && word.ptr[1] == 'o' && i + 1 < fields->count;
        const bool all = named ? mls_str_equal(bytes_of(fields, i + 1), MLS_S("allexport"))
                               : memchr(word.ptr, 'a', word.len) != NULL;
        i += named;
        if (all && script->taint == 0) {
            script->export_all = on;
        }
    }
}

static void run_source(mls_script *script, const mls_script_fields *fields)
{
    if (fields->unknown || fields->count < 2 || !fields->items[1].known || script->moved) {
        mls_script_find(script, MLS_FINDING_CONFIG_SOURCE,
                        "sources a file whose place cannot be known: values from before line %zu are unknown",
                        script->line);
        mls_script_forget_all(script);
        mls_script_set_status(script, TRUTH_UNKNOWN);
        return;
    }
    const bool arguments_unknown = script->arguments_unknown;
    script->arguments_unknown = arguments_unknown || fields->count > 2;
    mls_script_source(script, bytes_of(fields, 1));
    script->arguments_unknown = arguments_unknown;
}

static void run_test(mls_script *script, const mls_script_fields *fields)
{
    size_t count = fields->count - 1;
    script->status_code = 1;
    if (mls_str_equal(bytes_of(fields, 0), MLS_S("["))) {
        if (fields->count < 2 || (fields->items[count].known && !mls_str_equal(bytes_of(fields, count), MLS_S("]")))) {
            script->status = fields->unknown ? TRUTH_UNKNOWN : TRUTH_NO;
            script->status_code = 2;
            return;
        }
        count--;
    }
    const mls_script_truth truth = fields->unknown ? TRUTH_UNKNOWN : mls_script_test(script, fields->items + 1, count);
    const int code = script->status_code;
    mls_script_set_status(script, truth);
    if (truth == TRUTH_NO) {
        script->status_code = code;
    }
}

static void run_echo(mls_script *script, const mls_script_fields *fields)
{
    mls_script_set_status(script, TRUTH_YES);
    size_t at = 1;
    bool newline = true;
    if (at < fields->count && mls_str_equal(bytes_of(fields, at), MLS_S("-n"))) {
        newline = false;
        at++;
    }
    const mls_str first = bytes_of(fields, at);
    if (fields->unknown || (first.len > 1 && first.ptr[0] == '-' && strchr("neE", first.ptr[1]) != NULL)) {
        mls_script_print(script, mls_script_unknown());
        return;
    }
    for (size_t i = at; i < fields->count; i++) {
        if (i > at) {
            mls_script_print(script, mls_script_known(MLS_S(" ")));
        }
        mls_script_print(script, fields->items[i]);
    }
    if (newline) {
        mls_script_print(script, mls_script_known(MLS_S("\n")));
    }
}

/* printf '%s\n' X, with %s, %d of plain numbers and the simple escapes; anything else is unknown. */
static bool format_text(mls_script *script, const mls_script_fields *fields, mls_buffer *out)
{
    const mls_str format = bytes_of(fields, 1);
    size_t argument = 2;
    for (size_t i = 0; i < format.len; i++) {
        const char c = format.ptr[i];
        const char next = i + 1 < format.len ? format.ptr[i + 1] : '\0';
        if (c == '\\') {
            if (next != 'n' && next != 't' && next != '\\') {
                return false;
            }
            mls_buffer_append_char(out, next == 'n' ? '\n' : next == 't' ? '\t' : '\\');
            i++;
        } else if (c == '%' && next == '%') {
            mls_buffer_append_char(out, '%');
            i++;
        } else if (c == '%') {
            const mls_str text = bytes_of(fields, argument);
            int64_t number = 0;
            const bool plain =
                mls_script_number_read(text, &number) && number > 0 && text.ptr[0] >= '1' && text.ptr[0] <= '9';
            if (argument >= fields->count || !fields->items[argument].known || (next != 's' && next != 'd') ||
                (next == 'd' && !plain)) {
                return false;
            }
            mls_buffer_append(out, text);
            argument++;
            i++;
        } else {
            mls_buffer_append_char(out, c);
        }
        if (out->len > SCRIPT_VALUE_BYTES_MAX) {
            mls_script_limit(script, "length of a value");
            return false;
        }
    }
    return argument >= fields->count;
}

static void run_printf(mls_script *script, const mls_script_fields *fields)
{
    mls_script_set_status(script, TRUTH_YES);
    if (fields->count > 2 && mls_str_equal(bytes_of(fields, 1), MLS_S("-v"))) {
        if (mls_script_is_name(bytes_of(fields, 2))) {
            (void)mls_script_variable_set(script, bytes_of(fields, 2), mls_script_unknown());
        } else {
            run_unknown(script, fields);
        }
        return;
    }
    mls_buffer out = {0};
    if (!fields->unknown && fields->count > 1 && fields->items[1].known && format_text(script, fields, &out)) {
        mls_script_print(script, mls_script_keep_buffer(script, &out));
    } else {
        mls_script_print(script, mls_script_unknown());
        mls_buffer_release(&out);
    }
}

static void run_let(mls_script *script, const mls_script_fields *fields)
{
    mls_script_number number = {0, false};
    for (size_t i = 1; i < fields->count; i++) {
        if (!fields->items[i].known) {
            run_unknown(script, fields);
            return;
        }
        if (!mls_script_arithmetic(script, fields->items[i].bytes, &number)) {
            mls_script_set_status(script, TRUTH_NO);
            return;
        }
    }
    mls_script_set_status(script, number.known ? mls_script_truth_of(number.value != 0) : TRUTH_UNKNOWN);
}

/* read A B: each name takes on something from outside. */
static void run_read(mls_script *script, const mls_script_fields *fields)
{
    if (fields->unknown) {
        run_unknown(script, fields);
        return;
    }
    for (size_t i = 1; i < fields->count; i++) {
        if (!fields->items[i].known) {
            run_unknown(script, fields);
            return;
        }
        if (mls_script_is_name(bytes_of(fields, i))) {
            (void)mls_script_variable_set(script, bytes_of(fields, i), mls_script_unknown());
        }
    }
    const char *const own[] = {"REPLY", "MAPFILE", "OPTARG"};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++) {
        (void)mls_script_variable_set(script, mls_str_from(own[i]), mls_script_unknown());
    }
    mls_script_set_status(script, TRUTH_UNKNOWN);
}

static void run_cd(mls_script *script, const mls_script_fields *fields)
{
    size_t at = 1;
    if (at < fields->count && mls_str_equal(bytes_of(fields, at), MLS_S("--"))) {
        at++;
    }
    mls_str resolved;
    mls_buffer joined = {0};
    const bool known = !fields->unknown && at + 1 == fields->count && fields->items[at].known &&
                       (!script->moved || script->directory.known) && script->taint == 0;
    if (known && script->moved && !mls_str_starts(bytes_of(fields, at), MLS_S("/"))) {
        mls_buffer_append(&joined, script->directory.bytes);
        mls_buffer_append_char(&joined, '/');
    }
    if (known) {
        mls_buffer_append(&joined, bytes_of(fields, at));
    }
    const mls_script_text path = known ? mls_script_keep_buffer(script, &joined) : mls_script_unknown();
    script->directory = mls_script_unknown();
    if (path.known && script->files->resolve(script->files->state, path.bytes, &script->arena, &resolved)) {
        script->directory = mls_script_known(resolved);
    }
    script->moved = true;
    mls_script_set_status(script, script->directory.known ? TRUTH_YES : TRUTH_UNKNOWN);
}

static void leave(mls_script *script, const mls_script_fields *fields, mls_script_flow flow)
{
    if (fields->count > 1) {
        int64_t code = 0;
        const bool known = fields->items[1].known && mls_script_number_read(bytes_of(fields, 1), &code);
        mls_script_set_status(script, known ? mls_script_truth_of(code == 0) : TRUTH_UNKNOWN);
        script->status_code = (int)(code & 0xff);
    }
    if (script->taint == 0) {
        script->flow = flow;
    } else if (script->output != NULL && script->taint > script->output->taint) {
        script->output->known = false;
    }
}

static void run_return(mls_script *script, const mls_script_fields *fields)
{
    if (script->taint > 0) {
        script->doubtful_rest = true;
    }
    leave(script, fields, FLOW_RETURN);
}

static void run_exit(mls_script *script, const mls_script_fields *fields)
{
    leave(script, fields, FLOW_EXIT);
}

/* exec PROGRAM ends the script; exec >log does not. */
static void run_exec(mls_script *script, const mls_script_fields *fields)
{
    if (fields->count > 1 && script->taint == 0) {
        script->flow = FLOW_EXIT;
    }
    mls_script_set_status(script, TRUTH_YES);
}

static void run_break(mls_script *script, const mls_script_fields *fields)
{
    mls_script_set_status(script, TRUTH_YES);
    if (script->loops == 0) {
        return;
    }
    if (fields->count > 1) {
        mls_script_forget_all(script);
    }
    if (script->taint > 0) {
        script->left_loop = true;
    } else {
        script->flow = mls_str_equal(bytes_of(fields, 0), MLS_S("break")) ? FLOW_BREAK : FLOW_CONTINUE;
    }
}

static const struct {
    const char *name;
    builtin_run *run;
} builtins[] = {
    {":", run_true},          {"true", run_true},       {"false", run_false},      {"export", run_declare},
    {"declare", run_declare}, {"typeset", run_declare}, {"readonly", run_declare}, {"local", run_declare},
    {"unset", run_unset},     {"set", run_set},         {"source", run_source},    {".", run_source},
    {"[", run_test},          {"test", run_test},       {"echo", run_echo},        {"printf", run_printf},
    {"let", run_let},         {"read", run_read},       {"mapfile", run_read},     {"readarray", run_read},
    {"getopts", run_read},    {"cd", run_cd},           {"eval", run_unknown},     {"return", run_return},
    {"exit", run_exit},       {"exec", run_exec},       {"break", run_break},      {"continue", run_break},
    {"shopt", run_ignored},   {"ulimit", run_ignored},  {"umask", run_ignored},    {"trap", run_ignored},
    {"hash", run_ignored},    {"wait", run_ignored},    {"type", run_ignored},     {"alias", run_ignored},
    {"enable", run_ignored},  {"unalias", run_ignored}, {"builtin", run_unknown},  {"shift", run_ignored},
    {"pushd", run_cd},        {"popd", run_cd},         {"coproc", run_ignored},
};

bool mls_script_builtin(mls_script *script, const mls_script_fields *fields)
{
    if (fields->count == 0 || !fields->items[0].known) {
        return false;
    }
    const mls_str name = fields->items[0].bytes;
    for (size_t i = 0; i < sizeof builtins / sizeof *builtins; i++) {
        if (mls_str_equal(name, mls_str_from(builtins[i].name))) {
            if (builtins[i].run == run_ignored) {
                mls_script_print(script, mls_script_unknown());
            }
            builtins[i].run(script, fields);
            return true;
        }
    }
    return false;
}
