/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "shell/script.h"

static void run_node(mls_script *script, const mls_script_node *node);
static void run_list(mls_script *script, const mls_script_node *list);

/* NAME, NAME[…]: the length of what is assigned to; 0 when it is no such thing. */
static size_t target_length(mls_str raw)
{
    size_t length = mls_script_name_length(raw);
    if (length > 0 && length < raw.len && raw.ptr[length] == '[') {
        const char *close = memchr(raw.ptr + length, ']', raw.len - length);
        length = close != NULL ? (size_t)(close - raw.ptr) + 1 : 0;
    }
    return length;
}

bool mls_script_is_assignment(mls_str raw, size_t *length)
{
    const size_t target = target_length(raw);
    const mls_str rest = {raw.ptr + target, raw.len - target};
    *length = target + (mls_str_starts(rest, MLS_S("+=")) ? 2 : 1);
    return target > 0 && (mls_str_starts(rest, MLS_S("=")) || mls_str_starts(rest, MLS_S("+=")));
}

static mls_script_text joined(mls_script *script, mls_str name, mls_script_text value)
{
    mls_str before;
    if (mls_script_variable_get(script, name, &before) == PRESENCE_UNKNOWN || !value.known) {
        return mls_script_unknown();
    }
    mls_buffer text = {0};
    mls_buffer_append(&text, before);
    mls_buffer_append(&text, value.bytes);
    return mls_script_keep_buffer(script, &text);
}

static void mark_list(mls_script *script, mls_str name)
{
    (void)mls_script_variable_set(script, name, mls_script_unknown());
    mls_script_variable *variable = mls_script_variable_touch(script, name);
    if (variable != NULL) {
        variable->array = true;
    }
}

void mls_script_assign(mls_script *script, mls_str raw)
{
    size_t length;
    if (!mls_script_is_assignment(raw, &length)) {
        return;
    }
    const mls_str name = {raw.ptr, mls_script_name_length(raw)};
    const mls_str word = {raw.ptr + length, raw.len - length};
    const bool list = (word.len > 0 && word.ptr[0] == '(') || raw.ptr[name.len] == '[';
    mls_script_text value = list ? mls_script_unknown() : mls_script_expand_text(script, word, QUOTING_TEXT);
    if (script->flow != FLOW_GO) {
        return;
    }
    if (list) {
        mark_list(script, name);
        return;
    }
    if (raw.ptr[length - 2] == '+') {
        value = joined(script, name, value);
    }
    if (!mls_script_variable_set(script, name, value)) {
        mls_script_find(script, MLS_FINDING_CONFIG_SYNTAX, "%.*s is read-only", (int)name.len, name.ptr);
        mls_script_set_status(script, TRUTH_NO);
        script->flow = script->taint == 0 ? FLOW_DISCARD : script->flow;
    }
}

static bool is_declaration(mls_str raw)
{
    static const char *const names[] = {"export", "declare", "typeset", "readonly", "local"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (mls_str_equal(raw, mls_str_from(names[i]))) {
            return true;
        }
    }
    return false;
}

/* A=B behind export: the value is one text, and its name stays known when the value is not. */
static void expand_declaration(mls_script *script, mls_str raw, mls_script_fields *fields)
{
    size_t length;
    if (!mls_script_is_assignment(raw, &length)) {
        mls_script_expand_fields(script, raw, fields);
        return;
    }
    const mls_str word = {raw.ptr + length, raw.len - length};
    const bool list = (word.len > 0 && word.ptr[0] == '(') || mls_script_has_braces(word);
    const mls_script_text value = list ? mls_script_unknown() : mls_script_expand_text(script, word, QUOTING_TEXT);
    mls_buffer text = {0};
    mls_buffer_append(&text, (mls_str){raw.ptr, length});
    mls_buffer_append(&text, value.bytes);
    mls_script_text whole = mls_script_keep_buffer(script, &text);
    whole.known = whole.known && value.known;
    mls_script_fields_add(script, fields, whole);
}

static bool is_function(const mls_script *script, mls_str name)
{
    for (size_t i = 0; i < script->functions.count; i++) {
        if (mls_str_equal(script->functions.items[i].bytes, name)) {
            return true;
        }
    }
    return false;
}

/* A program that is not ours to run: it cannot change variables, and nobody knows what it says. */
static void run_program(mls_script *script, const mls_script_fields *fields)
{
    const bool known = fields->count > 0 && fields->items[0].known;
    mls_script_print(script, mls_script_unknown());
    if (!known || is_function(script, fields->items[0].bytes)) {
        mls_script_find(script, MLS_FINDING_CONFIG_UNKNOWN,
                        "%.*s may set anything: values from before line %zu are unknown",
                        known ? (int)fields->items[0].bytes.len : 9, known ? fields->items[0].bytes.ptr : "a command",
                        script->line);
        mls_script_forget_all(script);
    }
    mls_script_set_status(script, TRUTH_UNKNOWN);
}

static void run_fields(mls_script *script, mls_script_fields *fields)
{
    if (fields->count > 1 && fields->items[0].known &&
        (mls_str_equal(fields->items[0].bytes, MLS_S("command")) ||
         mls_str_equal(fields->items[0].bytes, MLS_S("builtin"))) &&
        fields->items[1].known && !mls_str_starts(fields->items[1].bytes, MLS_S("-"))) {
        fields->items++;
        fields->count--;
    }
    const bool known = fields->count > 0 && fields->items[0].known;
    if (known && !is_function(script, fields->items[0].bytes)) {
        if (mls_script_builtin(script, fields) || (!fields->unknown && mls_script_tool(script, fields))) {
            return;
        }
    }
    run_program(script, fields);
}

/* Assignments before a command hold while it runs only; what they say has no effect here but := inside. */
static void pass_assignments(mls_script *script, const mls_script_node *node, size_t count, bool lasting)
{
    for (size_t i = 0; i < count && script->flow == FLOW_GO; i++) {
        const mls_str raw = node->words[i].raw;
        size_t length;
        (void)mls_script_is_assignment(raw, &length);
        if (lasting) {
            mls_script_assign(script, raw);
        } else {
            (void)mls_script_expand_text(script, (mls_str){raw.ptr + length, raw.len - length}, QUOTING_TEXT);
        }
    }
}

/* A=1 source FILE: the file sees A, and whether anything is left of it is not worth finding out. */
static void doubt_assignments(mls_script *script, const mls_script_node *node, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const mls_str raw = node->words[i].raw;
        const mls_str command = node->words[count].raw;
        if (mls_str_equal(command, MLS_S("source")) || mls_str_equal(command, MLS_S("."))) {
            (void)mls_script_variable_set(script, (mls_str){raw.ptr, mls_script_name_length(raw)},
                                          mls_script_unknown());
        }
    }
}

static void run_simple(mls_script *script, const mls_script_node *node)
{
    size_t assignments = 0;
    size_t length;
    while (assignments < node->word_count && mls_script_is_assignment(node->words[assignments].raw, &length)) {
        assignments++;
    }
    script->substituted = false;
    const bool alone = assignments == node->word_count;
    mls_script_fields fields = {0};
    const bool declares = !alone && is_declaration(node->words[assignments].raw);
    for (size_t i = assignments; i < node->word_count && script->flow == FLOW_GO; i++) {
        if (declares) {
            expand_declaration(script, node->words[i].raw, &fields);
        } else {
            mls_script_expand_fields(script, node->words[i].raw, &fields);
        }
    }
    const mls_script_truth before = script->status;
    pass_assignments(script, node, assignments, alone);
    if (script->flow != FLOW_GO) {
        return;
    }
    if (fields.count == 0) {
        if (fields.unknown) {
            run_program(script, &fields);
        } else if (!script->substituted) {
            mls_script_set_status(script, node->redirected && !alone ? before : TRUTH_YES);
        }
        return;
    }
    doubt_assignments(script, node, assignments);
    run_fields(script, &fields);
}

/* Output of one part of a pipeline, with the newline at its end. */
static mls_script_text capture(mls_script *script, const mls_script_node *node, const mls_script_text *input)
{
    mls_script_output output = {.known = true, .taint = script->taint};
    mls_script_subshell saved;
    mls_script_subshell_begin(script, &saved, &output, input);
    run_node(script, node);
    mls_script_subshell_end(script, &saved);
    if (!output.known) {
        mls_buffer_release(&output.text);
        return mls_script_unknown();
    }
    return mls_script_keep_buffer(script, &output.text);
}

static void run_pipes(mls_script *script, const mls_script_node *pipeline)
{
    if (script->output == NULL) {
        mls_script_set_status(script, TRUTH_UNKNOWN);
        return;
    }
    mls_script_text text = script->input != NULL ? *script->input : mls_script_unknown();
    for (const mls_script_node *node = pipeline->children; node != NULL && script->flow == FLOW_GO; node = node->next) {
        text = capture(script, node, &text);
    }
    mls_script_print(script, text);
}

static void run_pipeline(mls_script *script, const mls_script_node *pipeline)
{
    if (pipeline->children->next != NULL) {
        run_pipes(script, pipeline);
    } else {
        run_node(script, pipeline->children);
    }
    if (pipeline->negated && script->status != TRUTH_UNKNOWN) {
        mls_script_set_status(script, mls_script_truth_of(script->status == TRUTH_NO));
    }
}

/* The status as a condition; inside a loop that may go round again, a condition may change its mind. */
static mls_script_truth condition_status(const mls_script *script)
{
    return script->repeat > 0 ? TRUTH_UNKNOWN : script->status;
}

static void run_chain(mls_script *script, const mls_script_node *chain)
{
    const mls_script_node *pipeline = chain->children;
    run_pipeline(script, pipeline);
    for (pipeline = pipeline->next; pipeline != NULL && script->flow == FLOW_GO; pipeline = pipeline->next) {
        const mls_script_truth before = condition_status(script);
        const mls_script_truth skips = pipeline->join == JOIN_AND ? TRUTH_NO : TRUTH_YES;
        if (before == skips) {
            continue;
        }
        const bool doubtful = before == TRUTH_UNKNOWN;
        script->taint += doubtful;
        run_pipeline(script, pipeline);
        script->taint -= doubtful;
        if (doubtful && script->status != skips) {
            mls_script_set_status(script, TRUTH_UNKNOWN);
        }
    }
}

static void run_list(mls_script *script, const mls_script_node *list)
{
    bool doubtful = false;
    for (const mls_script_node *chain = list->children; chain != NULL && script->flow == FLOW_GO; chain = chain->next) {
        if ((script->doubtful_rest || (script->left_loop && script->loops > 0)) && !doubtful) {
            doubtful = true;
            script->taint++;
        }
        if (chain->background) {
            mls_script_set_status(script, TRUTH_YES);
        } else {
            run_chain(script, chain);
        }
    }
    script->taint -= doubtful;
}

static void run_if(mls_script *script, const mls_script_node *node)
{
    unsigned doubts = 0;
    bool taken = false;
    for (const mls_script_arm *arm = node->arms; arm != NULL && !taken && script->flow == FLOW_GO; arm = arm->next) {
        mls_script_truth truth = TRUTH_YES;
        if (arm->condition != NULL) {
            run_list(script, arm->condition);
            truth = condition_status(script);
        }
        if (script->flow != FLOW_GO || truth == TRUTH_NO) {
            continue;
        }
        if (truth == TRUTH_UNKNOWN) {
            doubts++;
            script->taint++;
        }
        run_list(script, arm->body);
        taken = truth == TRUTH_YES;
    }
    script->taint -= doubts;
    if (doubts > 0) {
        mls_script_set_status(script, TRUTH_UNKNOWN);
    } else if (!taken) {
        mls_script_set_status(script, TRUTH_YES);
    }
}

/* Nobody knows how often it runs. */
static void run_loop_in_doubt(mls_script *script, const mls_script_arm *arm)
{
    script->taint++;
    script->repeat++;
    if (arm->condition != NULL) {
        run_list(script, arm->condition);
    }
    run_list(script, arm->body);
    script->repeat--;
    script->taint--;
    mls_script_set_status(script, TRUTH_UNKNOWN);
}

static void run_for(mls_script *script, const mls_script_node *node)
{
    const mls_str name = node->words[0].raw;
    if (!mls_script_is_name(name)) {
        mls_script_find(script, MLS_FINDING_CONFIG_SYNTAX, "for needs a name");
        mls_script_set_status(script, TRUTH_NO);
        return;
    }
    mls_script_fields fields = {0};
    for (size_t i = 1; i < node->word_count && script->flow == FLOW_GO; i++) {
        mls_script_expand_fields(script, node->words[i].raw, &fields);
    }
    fields.unknown = fields.unknown || (node->all_arguments && script->arguments_unknown);
    if (fields.unknown) {
        script->taint++;
        (void)mls_script_variable_set(script, name, mls_script_unknown());
        script->taint--;
        run_loop_in_doubt(script, node->arms);
        return;
    }
    mls_script_set_status(script, TRUTH_YES);
    const bool left_outer = script->left_loop;
    bool doubtful = false;
    script->loops++;
    for (size_t i = 0; i < fields.count && script->flow == FLOW_GO; i++) {
        script->left_loop = false;
        (void)mls_script_variable_set(script, name, fields.items[i]);
        run_list(script, node->arms->body);
        if (script->left_loop && !doubtful) {
            doubtful = true;
            script->taint++;
        }
        if (script->flow == FLOW_BREAK) {
            script->flow = FLOW_GO;
            break;
        }
        script->flow = script->flow == FLOW_CONTINUE ? FLOW_GO : script->flow;
    }
    script->taint -= doubtful;
    script->left_loop = left_outer;
    script->loops--;
}

static mls_script_truth arm_matches(mls_script *script, const mls_script_arm *arm, mls_script_text subject)
{
    mls_script_truth truth = TRUTH_NO;
    for (size_t i = 0; i < arm->word_count && truth != TRUTH_YES && script->flow == FLOW_GO; i++) {
        const mls_script_text pattern = mls_script_expand_text(script, arm->words[i].raw, QUOTING_PATTERN);
        mls_script_truth one = TRUTH_UNKNOWN;
        if (subject.known && pattern.known && script->repeat == 0) {
            one = mls_script_pattern_match(script, pattern.bytes, subject.bytes);
        }
        truth = one == TRUTH_NO ? truth : one;
    }
    return truth;
}

static void run_case(mls_script *script, const mls_script_node *node)
{
    const mls_script_text subject = mls_script_expand_text(script, node->words[0].raw, QUOTING_TEXT);
    unsigned doubts = 0;
    bool taken = false;
    mls_script_set_status(script, TRUTH_YES);
    for (const mls_script_arm *arm = node->arms; arm != NULL && !taken && script->flow == FLOW_GO; arm = arm->next) {
        mls_script_truth truth = arm_matches(script, arm, subject);
        if (truth == TRUTH_NO) {
            continue;
        }
        if (truth == TRUTH_UNKNOWN || arm->falls_through) {
            truth = TRUTH_UNKNOWN;
            doubts++;
            script->taint++;
        }
        if (arm->body != NULL) {
            run_list(script, arm->body);
        }
        taken = truth == TRUTH_YES;
    }
    script->taint -= doubts;
    if (doubts > 0) {
        mls_script_set_status(script, TRUTH_UNKNOWN);
    }
}

static void run_arithmetic(mls_script *script, const mls_script_node *node)
{
    const mls_script_text text = mls_script_expand_quoted(script, node->words[0].raw);
    mls_script_number number = {0, false};
    if (text.known && !mls_script_arithmetic(script, text.bytes, &number)) {
        mls_script_set_status(script, TRUTH_NO);
        return;
    }
    mls_script_set_status(script, number.known ? mls_script_truth_of(number.value != 0) : TRUTH_UNKNOWN);
}

static void run_subshell(mls_script *script, const mls_script_node *node)
{
    mls_script_subshell saved;
    mls_script_subshell_begin(script, &saved, script->output, script->input);
    run_list(script, node->children);
    mls_script_subshell_end(script, &saved);
}

static void run_kind(mls_script *script, const mls_script_node *node)
{
    switch (node->kind) {
    case NODE_SIMPLE:
        run_simple(script, node);
        break;
    case NODE_PIPELINE:
        run_pipeline(script, node);
        break;
    case NODE_CHAIN:
        run_chain(script, node);
        break;
    case NODE_LIST:
        run_list(script, node);
        break;
    case NODE_IF:
        run_if(script, node);
        break;
    case NODE_LOOP:
        run_loop_in_doubt(script, node->arms);
        break;
    case NODE_FOR:
        run_for(script, node);
        break;
    case NODE_CASE:
        run_case(script, node);
        break;
    case NODE_GROUP:
        run_list(script, node->children);
        break;
    case NODE_SUBSHELL:
        run_subshell(script, node);
        break;
    case NODE_ARITHMETIC:
        run_arithmetic(script, node);
        break;
    case NODE_CONDITION:
        mls_script_set_status(script, mls_script_condition(script, node->words, node->word_count));
        break;
    case NODE_FUNCTION:
        if (node->word_count > 0) {
            mls_script_fields_add(script, &script->functions, mls_script_known(node->words[0].raw));
        }
        mls_script_set_status(script, TRUTH_YES);
        break;
    }
}

static void run_node(mls_script *script, const mls_script_node *node)
{
    if (++script->statements > SCRIPT_STATEMENTS_MAX) {
        mls_script_limit(script, "number of commands");
        return;
    }
    if (script->nesting >= SCRIPT_NESTING_MAX) {
        mls_script_limit(script, "nesting of commands");
        return;
    }
    script->line = node->line;
    script->nesting++;
    mls_script_output *output = script->output;
    const mls_script_text *input = script->input;
    mls_script_text here;
    if (node->output_elsewhere) {
        script->output = NULL;
    }
    if (node->input_elsewhere) {
        here = node->input_word.len > 0 ? mls_script_expand_text(script, node->input_word, QUOTING_TEXT)
                                        : mls_script_unknown();
        script->input = &here;
    }
    run_kind(script, node);
    script->output = output;
    script->input = input;
    script->nesting--;
}

void mls_script_run_text(mls_script *script, mls_str text, size_t line, bool whole_file)
{
    mls_script_lexer lexer = {.text = text, .line = line};
    bool doubtful = false;
    while (script->flow == FLOW_GO) {
        bool end;
        const mls_script_node *command = mls_script_parse_command(&lexer, &script->arena, &end);
        if (end) {
            break;
        }
        if (command == NULL) {
            script->line = lexer.line;
            mls_script_find(script, MLS_FINDING_CONFIG_SYNTAX, "%s; what follows is not read", lexer.problem);
            mls_script_print(script, mls_script_unknown());
            mls_script_set_status(script, TRUTH_UNKNOWN);
            break;
        }
        if (script->doubtful_rest && !doubtful) {
            doubtful = true;
            script->taint++;
        }
        run_list(script, command);
        if (script->flow == FLOW_DISCARD && whole_file) {
            script->flow = FLOW_GO;
        }
    }
    script->taint -= doubtful;
}
