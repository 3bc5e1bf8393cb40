/* SPDX-License-Identifier: Apache-2.0 */
/* state.c - limits, texts, variables and frames. */
#include "config/script_state.h"

const char mls_shell_maybe[1] = {'\0'};
const char mls_shell_unset[1] = {'\0'};

bool mls_shell_memory(mls_shell_state *state, bool there)
{
    state->out_of_memory |= !there;
    state->stopped |= !there;
    return there;
}

void mls_shell_note(mls_shell_state *state, mls_finding_code code, const char *format, ...)
{
    mls_buffer message = {0};
    va_list args;
    va_start(args, format);
    mls_buffer_vprintf(&message, format, args);
    va_end(args);
    const bool root = state->source_depth <= 1;
    const mls_finding_place place = {.path = root ? NULL : state->frame.path, .line = state->frame.line};
    if (mls_shell_memory(state, !message.failed)) {
        mls_findings_add(state->findings, code, place, "%s", message.ptr);
    }
    mls_buffer_release(&message);
}

void mls_shell_limit(mls_shell_state *state, const char *limit)
{
    if (!state->stopped) {
        mls_shell_note(state, MLS_FINDING_CONFIG_LIMIT, "the reading ends here: %s", limit);
    }
    state->stopped = true;
}

bool mls_shell_step(mls_shell_state *state, size_t count)
{
    if (state->stopped || count > SHELL_STEPS_MAX - state->steps) {
        mls_shell_limit(state, "it takes too many steps");
        return false;
    }
    state->steps += count;
    return true;
}

mls_str mls_shell_keep(mls_shell_state *state, mls_str bytes)
{
    if (bytes.len > SHELL_VALUE_BYTES_MAX) {
        mls_shell_limit(state, "length of a value");
    }
    if (!mls_shell_step(state, bytes.len)) {
        return SHELL_HOLE;
    }
    const mls_str kept = mls_arena_copy(state->arena, bytes);
    return mls_shell_memory(state, kept.ptr != NULL) ? kept : SHELL_HOLE;
}

mls_str mls_shell_keep_buffer(mls_shell_state *state, mls_buffer *buffer)
{
    mls_str text = SHELL_HOLE;
    if (mls_shell_memory(state, !buffer->failed)) {
        text = mls_shell_keep(state, buffer->ptr != NULL ? mls_buffer_str(buffer) : MLS_S(""));
    }
    mls_buffer_release(buffer);
    return text;
}

mls_str mls_shell_join(mls_shell_state *state, mls_str a, mls_str b)
{
    mls_buffer text = {0};
    mls_buffer_append(&text, a);
    mls_buffer_append(&text, b);
    return mls_shell_keep_buffer(state, &text);
}

mls_str mls_shell_number(mls_shell_state *state, int64_t number)
{
    mls_buffer digits = {0};
    mls_buffer_printf(&digits, "%lld", (long long)number);
    return mls_shell_keep_buffer(state, &digits);
}

void mls_shell_fields_add(mls_shell_state *state, mls_shell_fields *fields, mls_str text)
{
    if (mls_shell_step(state, sizeof text)) {
        (void)mls_shell_memory(state, MLS_ARENA_ADD(state->arena, fields, text));
    }
}

bool mls_shell_fields_known(const mls_shell_fields *fields)
{
    size_t known = 0;
    while (known < fields->count && mls_shell_known(fields->items[known])) {
        known++;
    }
    return known == fields->count && !fields->unknown;
}

/* bash gives these a value by itself, one that is not to be known from the text. */
static const char shell_names[] =
    " BASH BASH_ALIASES BASH_ARGC BASH_ARGV BASH_CMDS BASH_LINENO BASH_LOADABLES_PATH BASH_REMATCH BASH_VERSINFO"
    " BASH_VERSION COLUMNS COMP_WORDBREAKS HOSTNAME HOSTTYPE IFS LINES MACHTYPE OLDPWD OPTERR OPTIND OSTYPE PATH"
    " PIPESTATUS PS1 PS2 PS4 PWD SHELL SHLVL TERM ";

/* So do these, and keep their own mind when something is assigned to them. */
static const char stubborn_names[] = " BASHPID BASH_COMMAND BASH_SUBSHELL EPOCHREALTIME EPOCHSECONDS EUID FUNCNAME"
                                     " GROUPS HISTCMD LINENO PPID RANDOM SECONDS SHELLOPTS BASHOPTS SRANDOM UID"
                                     " DIRSTACK BASH_ARGV0 _ ";

/* Where a name is, or belongs. */
static size_t place_of(const mls_shell_variables *variables, mls_str name, bool *found)
{
    size_t begin = 0;
    size_t end = variables->count;
    while (begin < end) {
        const size_t middle = begin + (end - begin) / 2;
        if (mls_str_compare(variables->items[middle].name, name) < 0) {
            begin = middle + 1;
        } else {
            end = middle;
        }
    }
    *found = begin < variables->count && mls_str_equal(variables->items[begin].name, name);
    return begin;
}

mls_shell_slot *mls_shell_slot_touch(mls_shell_state *state, mls_str name)
{
    mls_shell_variables *variables = &state->frame.variables;
    bool found;
    const size_t at = place_of(variables, name, &found);
    if (found) {
        return &variables->items[at];
    }
    const mls_str kept = mls_shell_keep(state, name);
    const mls_str before = mls_shell_variable_get(state, name);
    if (!mls_shell_step(state, (variables->count - at) / 8) || /* those that move */
        !mls_shell_memory(state, MLS_ARENA_ADD(state->arena, variables, (mls_shell_slot){0}))) {
        return NULL;
    }
    mls_shell_slot *slot = variables->items + at;
    memmove(slot + 1, slot, (variables->count - 1 - at) * sizeof *slot);
    *slot = (mls_shell_slot){.name = kept, .value = before.len > 0 ? SHELL_MAYBE : SHELL_UNSET};
    return slot;
}

mls_str mls_shell_variable_get(const mls_shell_state *state, mls_str name)
{
    const mls_shell_frame *frame = &state->frame;
    bool found;
    const size_t at = place_of(&frame->variables, name, &found);
    if (!found && mls_str_equal(name, MLS_S("BASH_SOURCE"))) {
        return mls_str_from(frame->path);
    }
    if (found && !frame->lost) {
        return frame->variables.items[at].array ? SHELL_MAYBE : frame->variables.items[at].value;
    }
    const bool own = mls_str_among(name, shell_names) || mls_str_among(name, stubborn_names);
    return frame->lost || frame->variables.forgotten || own ? SHELL_MAYBE : SHELL_UNSET;
}

void mls_shell_variable_set(mls_shell_state *state, mls_str name, mls_str value, bool appends)
{
    mls_shell_frame *frame = &state->frame;
    if (appends) {
        value = mls_shell_join(state, mls_shell_variable_get(state, name), value);
    }
    mls_shell_slot *slot = mls_shell_slot_touch(state, name);
    if (slot == NULL) {
        return;
    }
    const bool stubborn = mls_str_among(name, stubborn_names);
    /* Assigning the same value again leaves no doubt, whichever way the script goes. */
    const bool same = slot->value.ptr != mls_shell_unset && !slot->array && mls_shell_known(value) &&
                      mls_str_equal(slot->value, value);
    frame->separators_changed = frame->separators_changed || mls_str_equal(name, MLS_S("IFS"));
    slot->path = frame->path;
    slot->line = frame->line;
    slot->exported =
        stubborn ? slot->exported && slot->value.ptr != mls_shell_unset : slot->exported || frame->export_all;
    const bool unsure = stubborn || frame->lost || (frame->doubt > 0 && !same);
    slot->value = unsure ? SHELL_MAYBE : slot->typed ? SHELL_HOLE : value; /* of a list the first item: it stays one */
}

void mls_shell_variable_unset(mls_shell_state *state, mls_str name)
{
    mls_shell_frame *frame = &state->frame;
    mls_shell_slot *slot = mls_shell_slot_touch(state, name);
    if (slot == NULL) {
        return;
    }
    frame->separators_changed = frame->separators_changed || mls_str_equal(name, MLS_S("IFS"));
    if (frame->doubt == 0 && !frame->lost && !slot->typed) {
        *slot = (mls_shell_slot){.name = slot->name, .value = SHELL_UNSET};
    } else if (slot->value.ptr != mls_shell_unset) {
        slot->value = SHELL_MAYBE;
    }
}

void mls_shell_forget_all(mls_shell_state *state, mls_str what)
{
    mls_shell_variables *variables = &state->frame.variables;
    if (what.len > 0) {
        const mls_str shown = mls_shell_known(what) ? what : MLS_S("a command");
        mls_shell_note(state, MLS_FINDING_CONFIG_UNKNOWN,
                       "%.*s may set anything: values from before line %zu are unknown", (int)shown.len, shown.ptr,
                       state->frame.line);
    }
    variables->forgotten = true;
    for (size_t i = 0; mls_shell_step(state, 1) && i < variables->count; i++) {
        variables->items[i].value = SHELL_MAYBE;
    }
}

void mls_shell_print(mls_shell_state *state, mls_str text)
{
    mls_shell_output *output = state->frame.output;
    if (output == NULL) {
        return;
    }
    if (output->text.len + text.len > SHELL_VALUE_BYTES_MAX) {
        mls_shell_limit(state, "length of a value");
        return;
    }
    mls_buffer_append(&output->text, state->frame.lost || state->frame.doubt > output->doubt ? SHELL_HOLE : text);
}

void mls_shell_lose(mls_shell_state *state, mls_str what)
{
    if (!state->frame.lost) {
        mls_shell_note(state, MLS_FINDING_CONFIG_UNKNOWN, "%.*s is not followed: no value is known here or later",
                       (int)what.len, what.ptr);
    }
    mls_shell_forget_all(state, MLS_S(""));
    state->frame.lost = true;
    state->frame.status = STATUS_UNKNOWN;
    mls_shell_print(state, SHELL_HOLE);
}

mls_shell_frame mls_shell_subshell_enter(mls_shell_state *state, mls_shell_output *output)
{
    const mls_shell_frame outer = state->frame;
    const mls_shell_variables *variables = &outer.variables;
    mls_shell_frame *frame = &state->frame;
    mls_shell_slot *items = mls_arena_array(state->arena, variables->count + 1, sizeof *items);
    frame->nesting++;
    frame->subshell = true;
    if (output != NULL) {
        output->doubt = frame->doubt;
        frame->output = output;
    }
    frame->variables =
        (mls_shell_variables){.items = items, .capacity = variables->count, .forgotten = variables->forgotten};
    if (mls_shell_memory(state, items != NULL) && mls_shell_step(state, 8 * variables->count)) {
        for (size_t *count = &frame->variables.count; *count < variables->count; (*count)++) {
            items[*count] = variables->items[*count];
        }
    }
    return outer;
}

void mls_shell_subshell_leave(mls_shell_state *state, const mls_shell_frame *outer)
{
    const int status = state->frame.lost ? STATUS_UNKNOWN : state->frame.status;
    state->frame = *outer;
    state->frame.status = status;
}
