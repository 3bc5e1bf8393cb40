/* SPDX-License-Identifier: Apache-2.0 */
/*
 * simple.c - simple commands: assignments, files that are sourced, functions,
 * and everything else that is called by a name.
 */
#include "shell/state.h"

static mls_str assigned_value(mls_shell_state *state, const mls_shell_assignment *parts)
{
    return parts->list ? SHELL_HOLE : mls_shell_expand(state, parts->word, QUOTING_TEXT);
}

static void assign(mls_shell_state *state, const mls_shell_assignment *parts)
{
    const mls_str value = assigned_value(state, parts);
    if (!mls_shell_goes(state)) {
        return;
    }
    mls_shell_variable_set(state, parts->name, value, parts->appends);
    mls_shell_slot *slot = parts->list ? mls_shell_slot_touch(state, parts->name) : NULL;
    if (slot != NULL) {
        slot->array = true;
    }
}

/* ---- files and functions ---- */

/* What a file or a function changes lasts, but for its arguments, from fields[first] on, and its return. */
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
    bool found = false;
    for (size_t i = 0; i < state->source_depth; i++) {
        found = found || mls_str_equal(mls_str_from(state->sources[i]), path);
    }
    return found;
}

void mls_shell_file_run(mls_shell_state *state, const mls_shell_fields *fields, mls_str path, mls_str text)
{
    if (is_open(state, path)) {
        mls_shell_limit(state, "a file that sources itself");
    }
    if (state->source_depth == SHELL_SOURCE_DEPTH_MAX) {
        mls_shell_limit(state, "depth of source");
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

static const mls_shell_function *find_function(const mls_shell_state *state, mls_str name)
{
    const mls_shell_function *function = state->frame.functions;
    while (function != NULL && !mls_str_equal(function->name, name)) {
        function = function->next;
    }
    return function;
}

/* A definition that may not be the one that counts leaves nobody knowing what the name does. */
void mls_shell_function_define(mls_shell_state *state, mls_str name, mls_str body, size_t line)
{
    mls_shell_frame *frame = &state->frame;
    mls_shell_function *function = mls_arena_alloc(&state->arena, sizeof *function);
    if (function == NULL) {
        mls_shell_no_memory(state);
        return;
    }
    *function = (mls_shell_function){name, frame->doubt == 0 ? body : MLS_S(""), line, frame->functions};
    frame->functions = function;
    if (frame->repeat > 0) {
        mls_shell_forget_all(state, name); /* it may have been called before it stands here */
    }
    frame->status = STATUS_YES;
}

/* ---- words ---- */

static void run_fields(mls_shell_state *state, mls_shell_fields *fields)
{
    if (fields->count > 1 && !mls_str_starts(fields->items[1], MLS_S("-")) &&
        mls_shell_among(fields->items[0], " command builtin ")) {
        fields->items++;
        fields->count--;
    }
    const mls_str name = fields->count > 0 ? fields->items[0] : SHELL_HOLE;
    const mls_shell_function *function = find_function(state, name);
    if (function != NULL && function->body.len > 0) {
        run_body(state, fields, 1, state->frame.path, function->body, function->line);
    } else if (function == NULL && mls_shell_among(name, " source . ")) {
        run_source(state, fields);
    } else if (function != NULL || !mls_shell_command_run(state, fields)) {
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
    mls_shell_assignment parts;
    size_t count = 0;
    while (count < words->count && mls_shell_is_assignment(words->items[count], &parts)) {
        count++;
    }
    const bool alone = count == words->count;
    const bool declares = !alone && mls_shell_among(words->items[count], " export readonly declare typeset local ");
    frame->substituted = false;
    for (size_t i = count; i < words->count && frame->flow == FLOW_GO; i++) {
        const bool declared = declares && mls_shell_is_assignment(words->items[i], &parts);
        mls_shell_expand_fields(state, words->items[i], !declared, &fields);
    }
    /* Before a command they hold while it runs; of a file or function, whether anything is left is not asked. */
    const mls_str name = fields.count > 0 ? fields.items[0] : SHELL_HOLE;
    const bool stays = mls_shell_among(name, " source . ") || find_function(state, name) != NULL;
    for (size_t i = 0; i < count && frame->flow == FLOW_GO && mls_shell_is_assignment(words->items[i], &parts); i++) {
        if (alone) {
            assign(state, &parts);
            continue;
        }
        (void)mls_shell_expand(state, parts.word, QUOTING_TEXT);
        if (stays) {
            mls_shell_variable_set(state, parts.name, SHELL_HOLE, false);
        }
    }
    if (frame->flow == FLOW_GO && (fields.count > 0 || fields.unknown)) {
        run_fields(state, &fields);
    } else if (frame->flow == FLOW_GO && !frame->substituted) {
        frame->status = STATUS_YES;
    }
}
