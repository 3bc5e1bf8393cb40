/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "shell/script.h"

/* bash gives these a value by itself, one that is not to be known from the text. */
static const char *const shell_names[] = {"BASH",
                                          "BASHOPTS",
                                          "BASHPID",
                                          "BASH_ALIASES",
                                          "BASH_ARGC",
                                          "BASH_ARGV",
                                          "BASH_ARGV0",
                                          "BASH_CMDS",
                                          "BASH_COMMAND",
                                          "BASH_LINENO",
                                          "BASH_LOADABLES_PATH",
                                          "BASH_REMATCH",
                                          "BASH_SUBSHELL",
                                          "BASH_VERSINFO",
                                          "BASH_VERSION",
                                          "COLUMNS",
                                          "COMP_WORDBREAKS",
                                          "DIRSTACK",
                                          "EPOCHREALTIME",
                                          "EPOCHSECONDS",
                                          "EUID",
                                          "FUNCNAME",
                                          "GROUPS",
                                          "HISTCMD",
                                          "HOSTNAME",
                                          "HOSTTYPE",
                                          "IFS",
                                          "LINENO",
                                          "LINES",
                                          "MACHTYPE",
                                          "OLDPWD",
                                          "OPTERR",
                                          "OPTIND",
                                          "OSTYPE",
                                          "PATH",
                                          "PIPESTATUS",
                                          "PPID",
                                          "PS1",
                                          "PS2",
                                          "PS4",
                                          "PWD",
                                          "RANDOM",
                                          "SECONDS",
                                          "SHELL",
                                          "SHELLOPTS",
                                          "SHLVL",
                                          "SRANDOM",
                                          "TERM",
                                          "UID",
                                          "_"};

/* Of those, the ones that keep their own mind when something is assigned to them. */
static const char *const stubborn_names[] = {
    "BASHPID",  "BASH_COMMAND", "BASH_SUBSHELL", "EPOCHREALTIME", "EPOCHSECONDS", "EUID",    "FUNCNAME",
    "GROUPS",   "HISTCMD",      "LINENO",        "PPID",          "RANDOM",       "SECONDS", "SHELLOPTS",
    "BASHOPTS", "SRANDOM",      "UID",           "DIRSTACK",      "BASH_ARGV0",   "_"};

static bool is_listed(mls_str name, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (mls_str_equal(name, mls_str_from(names[i]))) {
            return true;
        }
    }
    return false;
}

static bool is_name_start(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

size_t mls_script_name_length(mls_str text)
{
    if (text.len == 0 || !is_name_start(text.ptr[0])) {
        return 0;
    }
    size_t length = 1;
    while (length < text.len &&
           (is_name_start(text.ptr[length]) || (text.ptr[length] >= '0' && text.ptr[length] <= '9'))) {
        length++;
    }
    return length;
}

bool mls_script_is_name(mls_str text)
{
    return text.len > 0 && mls_script_name_length(text) == text.len;
}

static size_t hash_name(mls_str name)
{
    uint64_t hash = 1469598103934665603u;
    for (size_t i = 0; i < name.len; i++) {
        hash = (hash ^ (unsigned char)name.ptr[i]) * 1099511628211u;
    }
    return (size_t)(hash ^ (hash >> 32));
}

/* The slot of a name, or the free one where it belongs.  The table is never full. */
static uint32_t *slot_of(const mls_script *script, mls_str name)
{
    size_t at = hash_name(name) & (script->slot_count - 1);
    while (script->slots[at] != 0 && !mls_str_equal(script->variables[script->slots[at] - 1].name, name)) {
        at = (at + 1) & (script->slot_count - 1);
    }
    return &script->slots[at];
}

mls_script_variable *mls_script_variable_find(const mls_script *script, mls_str name)
{
    if (script->slot_count == 0) {
        return NULL;
    }
    const uint32_t index = *slot_of(script, name);
    return index != 0 ? &script->variables[index - 1] : NULL;
}

static bool grow_slots(mls_script *script)
{
    if (script->variable_count * 2 < script->slot_count) {
        return true;
    }
    const size_t count = script->slot_count == 0 ? 256 : script->slot_count * 2;
    uint32_t *slots = calloc(count, sizeof *slots);
    if (slots == NULL) {
        return false;
    }
    free(script->slots);
    script->slots = slots;
    script->slot_count = count;
    for (size_t i = 0; i < script->variable_count; i++) {
        *slot_of(script, script->variables[i].name) = (uint32_t)i + 1;
    }
    return true;
}

static void remember(mls_script *script, const mls_script_variable *variable)
{
    if (script->subshells == 0) {
        return;
    }
    if (!mls_grow((void **)&script->changes, script->change_count, &script->change_capacity, sizeof *script->changes)) {
        mls_script_no_memory(script);
        return;
    }
    script->changes[script->change_count++] = (mls_script_change){(size_t)(variable - script->variables), *variable};
}

mls_script_variable *mls_script_variable_touch(mls_script *script, mls_str name)
{
    mls_script_variable *variable = mls_script_variable_find(script, name);
    if (variable == NULL) {
        if (script->variable_count == SCRIPT_VARIABLES_MAX) {
            mls_script_limit(script, "number of variables");
            return NULL;
        }
        const mls_str kept = mls_arena_copy(&script->arena, name);
        if (kept.ptr == NULL || !grow_slots(script) ||
            !mls_grow((void **)&script->variables, script->variable_count, &script->variable_capacity,
                      sizeof *script->variables)) {
            mls_script_no_memory(script);
            return NULL;
        }
        variable = &script->variables[script->variable_count++];
        *variable = (mls_script_variable){.name = kept};
        variable->presence = script->forgotten ? PRESENCE_UNKNOWN : PRESENCE_UNSET;
        *slot_of(script, kept) = (uint32_t)script->variable_count;
    }
    remember(script, variable);
    return variable;
}

mls_script_presence mls_script_variable_get(const mls_script *script, mls_str name, mls_str *value)
{
    *value = MLS_S("");
    const mls_script_variable *variable = mls_script_variable_find(script, name);
    if (mls_str_equal(name, MLS_S("BASH_SOURCE")) && variable == NULL) {
        *value = mls_str_from(script->path);
        return PRESENCE_SET;
    }
    if (variable == NULL || variable->presence == PRESENCE_UNSET) {
        const bool shell = variable == NULL && is_listed(name, shell_names, sizeof shell_names / sizeof *shell_names);
        return shell || (variable == NULL && script->forgotten) ? PRESENCE_UNKNOWN : PRESENCE_UNSET;
    }
    if (variable->presence == PRESENCE_SET && !variable->array) {
        *value = variable->value;
        return PRESENCE_SET;
    }
    return PRESENCE_UNKNOWN;
}

/* Whether assigning the same value again leaves no doubt, whichever way the script goes. */
static bool is_same_either_way(const mls_script *script, const mls_script_variable *variable, mls_script_text value)
{
    return script->repeat == 0 && value.known && variable->presence == PRESENCE_SET && !variable->array &&
           mls_str_equal(variable->value, value.bytes);
}

bool mls_script_variable_set(mls_script *script, mls_str name, mls_script_text value)
{
    mls_script_variable *variable = mls_script_variable_find(script, name);
    if (variable != NULL && variable->readonly) {
        return false;
    }
    variable = mls_script_variable_touch(script, name);
    if (variable == NULL) {
        return true;
    }
    const bool stubborn = is_listed(name, stubborn_names, sizeof stubborn_names / sizeof *stubborn_names);
    script->separators_changed = script->separators_changed || mls_str_equal(name, MLS_S("IFS"));
    const bool doubtful = script->taint > 0 && !is_same_either_way(script, variable, value);
    const bool exported_before = variable->exported && variable->presence != PRESENCE_UNSET;
    variable->path = script->path;
    variable->line = script->line;
    variable->exported = variable->exported || script->export_all;
    if (stubborn) {
        variable->exported = exported_before;
    }
    if (doubtful || stubborn || variable->integer || !value.known) {
        mls_script_variable_forget(variable);
        return true;
    }
    variable->value = value.bytes;
    variable->presence = PRESENCE_SET;
    variable->array = false;
    return true;
}

void mls_script_variable_unset(mls_script *script, mls_str name)
{
    mls_script_variable *variable = mls_script_variable_touch(script, name);
    if (variable == NULL || variable->readonly) {
        return;
    }
    script->separators_changed = script->separators_changed || mls_str_equal(name, MLS_S("IFS"));
    variable->value = MLS_S("");
    if (script->taint > 0) {
        variable->presence = variable->presence == PRESENCE_UNSET ? PRESENCE_UNSET : PRESENCE_UNKNOWN;
        return;
    }
    variable->presence = PRESENCE_UNSET;
    variable->exported = false;
    variable->array = false;
    variable->integer = false;
}

void mls_script_forget_all(mls_script *script)
{
    script->forgotten = true;
    if (!mls_script_step(script, script->variable_count)) {
        return;
    }
    for (size_t i = 0; i < script->variable_count; i++) {
        mls_script_variable *variable = &script->variables[i];
        if (!variable->readonly && variable->presence != PRESENCE_UNKNOWN) {
            remember(script, variable);
            mls_script_variable_forget(variable);
        }
    }
}

void mls_script_subshell_begin(mls_script *script, mls_script_subshell *saved, mls_script_output *output,
                               const mls_script_text *input)
{
    *saved = (mls_script_subshell){.change_count = script->change_count,
                                   .function_count = script->functions.count,
                                   .line = script->line,
                                   .output = script->output,
                                   .input = script->input,
                                   .directory = script->directory,
                                   .loops = script->loops,
                                   .export_all = script->export_all,
                                   .forgotten = script->forgotten,
                                   .moved = script->moved,
                                   .separators_changed = script->separators_changed,
                                   .arguments_unknown = script->arguments_unknown,
                                   .doubtful_rest = script->doubtful_rest};
    script->subshells++;
    script->nesting++;
    script->output = output;
    script->input = input;
    script->loops = 0;
    script->doubtful_rest = false;
}

void mls_script_subshell_end(mls_script *script, const mls_script_subshell *saved)
{
    while (script->change_count > saved->change_count) {
        const mls_script_change *change = &script->changes[--script->change_count];
        script->variables[change->index] = change->before;
    }
    script->subshells--;
    script->nesting--;
    script->functions.count = saved->function_count;
    script->line = saved->line;
    script->output = saved->output;
    script->input = saved->input;
    script->directory = saved->directory;
    script->loops = saved->loops;
    script->export_all = saved->export_all;
    script->forgotten = saved->forgotten;
    script->moved = saved->moved;
    script->separators_changed = saved->separators_changed;
    script->arguments_unknown = saved->arguments_unknown;
    script->doubtful_rest = saved->doubtful_rest;
    if (script->flow == FLOW_DISCARD) {
        mls_script_set_status(script, TRUTH_NO);
    }
    if (script->flow != FLOW_STOP) {
        script->flow = FLOW_GO;
    }
}
