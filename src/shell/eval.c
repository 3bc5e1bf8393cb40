/* SPDX-License-Identifier: Apache-2.0 */
/*
 * eval.c - runs commands, as far as they can be known.
 */
#include <string.h>

#include "shell/command.h"

static void run_node(mls_shell_state *state, const mls_shell_node *node);

static mls_str from(mls_str text, size_t at)
{
    return (mls_str){text.ptr + at, text.len - at};
}

/* NAME=, NAME+= or NAME[…]=: the length of the part before the value; 0 when it is no assignment. */
static size_t assignment_length(mls_str raw)
{
    size_t length = mls_shell_name_length(raw);
    if (length > 0 && length < raw.len && raw.ptr[length] == '[') {
        const char *close = memchr(raw.ptr + length, ']', raw.len - length);
        length = close != NULL ? (size_t)(close - raw.ptr) + 1 : 0;
    }
    const mls_str rest = from(raw, length);
    return length == 0                         ? 0
           : mls_str_starts(rest, MLS_S("="))  ? length + 1
           : mls_str_starts(rest, MLS_S("+=")) ? length + 2
                                               : 0;
}

static void assign(mls_shell_state *state, mls_str raw)
{
    const size_t length = assignment_length(raw);
    const mls_str name = {raw.ptr, mls_shell_name_length(raw)};
    const mls_str word = from(raw, length);
    const bool list = (word.len > 0 && word.ptr[0] == '(') || raw.ptr[name.len] == '[';
    const mls_str value = list ? SHELL_HOLE : mls_shell_expand(state, word, QUOTING_TEXT);
    if (!mls_shell_goes(state)) {
        return;
    }
    (raw.ptr[length - 2] == '+' ? mls_shell_variable_append : mls_shell_variable_set)(state, name, value);
    mls_shell_slot *slot = list ? mls_shell_slot_touch(state, name) : NULL;
    if (slot != NULL) {
        slot->array = true;
    }
}

/* A=B behind export: the value is one text. */
static void expand_declaration(mls_shell_state *state, mls_str raw, mls_shell_fields *fields)
{
    const size_t length = assignment_length(raw);
    if (length == 0) {
        mls_shell_expand_fields(state, raw, fields);
        return;
    }
    const mls_str word = from(raw, length);
    const bool list = (word.len > 0 && word.ptr[0] == '(') || mls_shell_has_braces(word);
    const mls_str value = list ? SHELL_HOLE : mls_shell_expand(state, word, QUOTING_TEXT);
    mls_shell_fields_add(state, fields, mls_shell_join(state, (mls_str){raw.ptr, length}, value));
}

/* ---- files and functions ---- */

static void run_text(mls_shell_state *state, mls_str text, size_t line)
{
    mls_shell_lexer lexer = {.text = text, .line = line};
    mls_shell_frame *frame = state->frame;
    const mls_shell_node *command;
    while (frame->flow == FLOW_GO && (command = mls_shell_parse(&lexer, &state->arena)) != NULL) {
        run_node(state, command);
    }
    if (lexer.out_of_memory) {
        mls_shell_no_memory(state);
    } else if (lexer.problem != NULL) {
        frame->line = lexer.line;
        mls_shell_note(state, MLS_FINDING_CONFIG_SYNTAX, "%s; what follows is not read", lexer.problem);
        mls_shell_print(state, SHELL_HOLE);
        frame->status = STATUS_UNKNOWN;
    }
}

/* What a file or a function changes lasts, but for its arguments and its return. */
static void run_body(mls_shell_state *state, const mls_shell_fields *fields, const mls_shell_node *body, mls_str text,
                     const char *path)
{
    mls_shell_frame *frame = state->frame;
    const mls_shell_frame outer = *frame;
    const size_t first = body != NULL ? 1 : 2;
    if (first == 1 || fields->count > first) {
        frame->arguments = (mls_shell_fields){fields->items + first, fields->count - first, 0, fields->unknown};
    }
    frame->status = STATUS_YES;
    frame->path = path;
    if (body != NULL) {
        run_node(state, body);
    } else {
        run_text(state, text, 1);
    }
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

static void run_file(mls_shell_state *state, const mls_shell_fields *fields, mls_str path, mls_str text)
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
    run_body(state, fields, NULL, text, kept.ptr);
    state->source_depth--;
}

static void run_source(mls_shell_state *state, const mls_shell_fields *fields)
{
    mls_shell_frame *frame = state->frame;
    const mls_str named = fields->count > 1 ? fields->items[1] : SHELL_HOLE;
    mls_str path = named;
    mls_str text;
    mls_shell_fields matches = {.unknown = true};
    mls_status status = mls_shell_file_read(state, &path, &text);
    if (status == MLS_OK) {
        run_file(state, fields, path, text);
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
            run_file(state, fields, path, text);
        }
    }
    frame->status = status == MLS_ERROR_READ ? STATUS_NO : STATUS_UNKNOWN;
}

static const mls_shell_function *find_function(const mls_shell_state *state, mls_str name)
{
    const mls_shell_function *function = state->frame->functions;
    while (function != NULL && !mls_str_equal(function->name, name)) {
        function = function->next;
    }
    return function;
}

/* A definition that may not be the one that counts leaves nobody knowing what the name does. */
static void define_function(mls_shell_state *state, const mls_shell_node *node)
{
    mls_shell_function *function = mls_arena_alloc(&state->arena, sizeof *function);
    if (function == NULL) {
        mls_shell_no_memory(state);
        return;
    }
    const bool certain = state->frame->doubt == 0;
    *function = (mls_shell_function){node->words[0], certain ? node->children : NULL, state->frame->functions};
    state->frame->functions = function;
    if (state->frame->repeat > 0) {
        mls_shell_forget_all(state, node->words[0]); /* it may have been called before it stands here */
    }
    state->frame->status = STATUS_YES;
}

/* ---- simple commands ---- */

static void run_fields(mls_shell_state *state, mls_shell_fields *fields)
{
    if (fields->count > 1 && !mls_str_starts(fields->items[1], MLS_S("-")) &&
        mls_shell_among(fields->items[0], " command builtin ")) {
        fields->items++;
        fields->count--;
    }
    const mls_str name = fields->count > 0 ? fields->items[0] : SHELL_HOLE;
    const mls_shell_function *function = find_function(state, name);
    if (function != NULL && function->body != NULL) {
        run_body(state, fields, function->body, MLS_S(""), state->frame->path);
    } else if (function == NULL && mls_shell_among(name, " source . ")) {
        run_source(state, fields);
    } else if (function != NULL || !mls_shell_command_run(state, fields)) {
        /* A program that is not ours to run: it cannot change variables, and nobody knows what it says. */
        mls_shell_print(state, SHELL_HOLE);
        if (function != NULL || !mls_shell_known(name)) {
            mls_shell_forget_all(state, name);
        }
        state->frame->status = STATUS_UNKNOWN;
    }
}

static void run_simple(mls_shell_state *state, const mls_shell_node *node)
{
    mls_shell_frame *frame = state->frame;
    mls_shell_fields fields = {0};
    size_t count = 0;
    while (count < node->word_count && assignment_length(node->words[count]) > 0) {
        count++;
    }
    const bool alone = count == node->word_count;
    const bool declares = !alone && mls_shell_among(node->words[count], " export readonly declare typeset local ");
    frame->substituted = false;
    for (size_t i = count; i < node->word_count && frame->flow == FLOW_GO; i++) {
        (declares ? expand_declaration : mls_shell_expand_fields)(state, node->words[i], &fields);
    }
    for (size_t i = 0; i < count && frame->flow == FLOW_GO; i++) {
        const mls_str raw = node->words[i];
        if (alone) {
            assign(state, raw);
            continue;
        }
        /* Before a command they hold while it runs; of a file or function, whether anything is left is not asked. */
        (void)mls_shell_expand(state, from(raw, assignment_length(raw)), QUOTING_TEXT);
        const mls_str name = fields.count > 0 ? fields.items[0] : SHELL_HOLE;
        if (mls_shell_among(name, " source . ") || find_function(state, name)) {
            mls_shell_variable_set(state, (mls_str){raw.ptr, mls_shell_name_length(raw)}, SHELL_HOLE);
        }
    }
    if (frame->flow != FLOW_GO) {
        return;
    }
    if (fields.count > 0 || fields.unknown) {
        run_fields(state, &fields);
    } else if (!frame->substituted) {
        frame->status = STATUS_YES;
    }
}

/* ---- compound commands ---- */

/* What a command or a text of commands prints, in a subshell. */
static mls_str capture(mls_shell_state *state, const mls_shell_node *node, mls_str commands, const mls_str *input)
{
    mls_shell_output output = {.doubt = state->frame->doubt};
    mls_shell_subshell subshell;
    mls_shell_subshell_enter(state, &subshell);
    subshell.frame.output = &output;
    subshell.frame.input = input;
    if (node != NULL) {
        run_node(state, node);
    } else {
        subshell.frame.status = STATUS_YES;
        run_text(state, commands, subshell.frame.line);
    }
    mls_shell_subshell_leave(state, &subshell);
    return mls_shell_keep_buffer(state, &output.text);
}

static mls_str substitute(mls_shell_state *state, mls_str commands)
{
    if (state->frame->nesting >= SHELL_DEPTH_MAX) {
        mls_shell_limit(state, "nesting of commands");
        return SHELL_HOLE;
    }
    mls_str text = capture(state, NULL, commands, NULL);
    while (text.len > 0 && text.ptr[text.len - 1] == '\n') {
        text.len--;
    }
    state->frame->substituted = true;
    return text;
}

static void run_pipeline(mls_shell_state *state, const mls_shell_node *pipeline)
{
    mls_shell_frame *frame = state->frame;
    const mls_shell_node *node = pipeline->children;
    if (node->next == NULL) {
        run_node(state, node);
    } else {
        mls_str text = frame->input != NULL ? *frame->input : SHELL_HOLE;
        for (; node != NULL && frame->flow == FLOW_GO; node = node->next) {
            text = capture(state, node, MLS_S(""), &text);
        }
        mls_shell_print(state, text);
    }
    frame->status = pipeline->negated ? mls_shell_status_not(frame->status) : frame->status;
}

static void run_list(mls_shell_state *state, const mls_shell_node *list)
{
    mls_shell_frame *frame = state->frame;
    for (const mls_shell_node *node = list->children; node != NULL && frame->flow == FLOW_GO; node = node->next) {
        const bool known = frame->status != STATUS_UNKNOWN;
        const bool doubtful = node->join != JOIN_THEN && !known;
        const bool skips = known && (frame->status == STATUS_YES) == (node->join == JOIN_OR);
        if (node->join != JOIN_THEN && skips) {
            continue;
        }
        if (node->background) {
            frame->status = STATUS_YES;
            continue;
        }
        frame->doubt += doubtful;
        run_pipeline(state, node);
        frame->doubt -= doubtful;
        if (doubtful && (frame->status == STATUS_YES) != (node->join == JOIN_OR)) {
            frame->status = STATUS_UNKNOWN;
        }
    }
}

static void run_if(mls_shell_state *state, const mls_shell_node *node)
{
    mls_shell_frame *frame = state->frame;
    unsigned doubts = 0;
    bool taken = false;
    for (const mls_shell_node *arm = node->children; arm != NULL && !taken; arm = arm->next) {
        int status = STATUS_YES;
        if (arm->next != NULL) {
            run_node(state, arm);
            status = frame->status;
            arm = arm->next;
        }
        if (frame->flow != FLOW_GO) {
            return;
        }
        if (status == STATUS_YES || status == STATUS_UNKNOWN) {
            doubts += status == STATUS_UNKNOWN;
            frame->doubt += status == STATUS_UNKNOWN;
            run_node(state, arm);
            taken = status == STATUS_YES;
        }
    }
    frame->doubt -= doubts;
    frame->status = doubts > 0 ? STATUS_UNKNOWN : taken ? frame->status : STATUS_YES;
}

/* Nobody knows how often it runs. */
static void run_in_doubt(mls_shell_state *state, const mls_shell_node *node)
{
    mls_shell_frame *frame = state->frame;
    mls_shell_fields fields = {0};
    frame->doubt++;
    frame->repeat++;
    frame->status = STATUS_UNKNOWN;
    for (size_t i = node->assigns; i < node->word_count && frame->flow == FLOW_GO; i++) {
        mls_shell_expand_fields(state, node->words[i], &fields);
    }
    if (node->assigns) {
        mls_shell_variable_set(state, node->words[0], SHELL_HOLE);
    }
    for (const mls_shell_node *child = node->children; child != NULL && frame->flow == FLOW_GO; child = child->next) {
        run_node(state, child);
    }
    frame->repeat--;
    frame->doubt--;
    frame->status = STATUS_UNKNOWN;
}

static void run_arithmetic(mls_shell_state *state, const mls_shell_node *node)
{
    const mls_shell_integer number = mls_shell_expand_number(state, node->words[0]);
    state->frame->status = number.known ? mls_shell_status_of(number.value != 0) : STATUS_UNKNOWN;
}

static void run_subshell(mls_shell_state *state, const mls_shell_node *node)
{
    mls_shell_subshell subshell;
    mls_shell_subshell_enter(state, &subshell);
    run_node(state, node->children);
    mls_shell_subshell_leave(state, &subshell);
}

static void run_condition(mls_shell_state *state, const mls_shell_node *node)
{
    state->frame->status = mls_shell_condition(state, node->words, node->word_count, false);
}

static void run_node(mls_shell_state *state, const mls_shell_node *node)
{
    static void (*const runs[])(mls_shell_state *, const mls_shell_node *) = {[NODE_SIMPLE] = run_simple,
                                                                              [NODE_PIPELINE] = run_pipeline,
                                                                              [NODE_LIST] = run_list,
                                                                              [NODE_IF] = run_if,
                                                                              [NODE_DOUBT] = run_in_doubt,
                                                                              [NODE_SUBSHELL] = run_subshell,
                                                                              [NODE_ARITHMETIC] = run_arithmetic,
                                                                              [NODE_CONDITION] = run_condition,
                                                                              [NODE_FUNCTION] = define_function};
    mls_shell_frame *frame = state->frame;
    mls_shell_output *output = frame->output;
    const mls_str *input = frame->input;
    mls_str here;
    state->statements += node->kind != NODE_LIST;
    if (state->statements > SHELL_STATEMENTS_MAX || frame->nesting >= SHELL_DEPTH_MAX) {
        mls_shell_limit(state, frame->nesting >= SHELL_DEPTH_MAX ? "nesting of commands" : "number of commands");
        return;
    }
    frame->line = node->line;
    frame->nesting++;
    frame->unset_used = false;
    frame->output = node->output_elsewhere ? NULL : output;
    if (node->input_elsewhere) {
        here = node->input.len > 0 ? mls_shell_expand(state, node->input, QUOTING_TEXT) : SHELL_HOLE;
        frame->input = &here;
    }
    runs[node->kind](state, node);
    frame->output = output;
    frame->input = input;
    frame->nesting--;
}

void mls_shell_run(mls_shell_state *state, const char *path, mls_str text)
{
    mls_shell_frame *frame = state->frame;
    frame->path = path;
    frame->export_all = true;
    state->substitute = substitute;
    run_file(state, &(mls_shell_fields){0}, mls_str_from(path), text);
    for (size_t i = 0; state->stopped && i < frame->variables->count; i++) {
        frame->variables->items[i].presence = PRESENCE_UNKNOWN;
        frame->variables->items[i].value = SHELL_HOLE;
    }
    frame->variables->forgotten = frame->variables->forgotten || state->stopped;
}
