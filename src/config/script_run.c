/* SPDX-License-Identifier: Apache-2.0 */
/* run.c - the grammar of bash, by recursive descent: a command runs as it is read.  What has to be known before
 * (whether a line is shell at all, where output goes, whether it runs in the background) is found by reading ahead with
 * nothing run; the branch that is not taken and the body of a function are read so too. */
#include "config/script_state.h"

enum { COMMAND_STEPS = 100 };

typedef struct redirections {
    bool any;
    bool output;  /* > and the like */
    bool input;   /* < and the like */
    mls_str here; /* raw, of <<< */
} redirections;

typedef struct reader {
    mls_shell_state *state;
    mls_shell_lexer lexer;
    redirections redirections; /* of the last command that was read */
    size_t depth;
    bool dry;     /* nothing runs */
    bool skipped; /* something was passed over */
} reader;

static const char no_keyword[] = "a word like then, do, in or fi is missing";
static const char unused_words[] = " for select while until case coproc ";
static const char stray_keyword[] = "a word like then, do or fi where none is expected";

static void read_list(reader *self);
static void read_command(reader *self);

static bool idle(const reader *self)
{
    return self->dry || !mls_shell_goes(self->state);
}

static reader read_ahead(const reader *self, void (*read)(reader *self))
{
    reader ahead = *self;
    ahead.dry = true;
    read(&ahead);
    (void)mls_shell_step(self->state, (ahead.lexer.at - self->lexer.at) / 2);
    return ahead;
}

static void fail(reader *self, const char *problem)
{
    mls_shell_lexer_fail(&self->lexer, problem);
}

static bool token_is(const reader *self, const char *text)
{
    return mls_str_equal(self->lexer.token.text, mls_str_from(text));
}

static bool take(reader *self, const char *text)
{
    const bool found = token_is(self, text);
    if (found) {
        mls_shell_lexer_next(&self->lexer);
    }
    return found;
}

static void expect(reader *self, const char *text, const char *problem)
{
    if (!take(self, text)) {
        fail(self, problem);
    }
}

static bool skip_newlines(reader *self)
{
    const bool any = self->lexer.token.kind == TOKEN_NEWLINE;
    while (self->lexer.token.kind == TOKEN_NEWLINE) {
        mls_shell_lexer_next(&self->lexer);
    }
    return any;
}

static bool closes_list(const reader *self)
{
    return self->lexer.token.kind == TOKEN_END ||
           mls_str_among(self->lexer.token.text, " then elif else fi do done esac } ) ;; ;& ;;& ");
}

/* ---- simple commands ---- */

static void read_redirection(reader *self, mls_str operation)
{
    redirections *made = &self->redirections;
    mls_shell_lexer *lexer = &self->lexer;
    const size_t descriptor = strcspn(operation.ptr, "<>&");
    const mls_str sign = mls_str_rest(operation, descriptor);
    const bool reads = sign.ptr[0] == '<';
    const bool standard = descriptor == 0 || (descriptor == 1 && operation.ptr[0] == (reads ? '0' : '1'));
    const bool heredoc = mls_str_among(sign, " << <<- ");
    const mls_shell_token word = lexer->token;
    if (word.kind != TOKEN_WORD) {
        fail(self, "a redirection without a file");
    } else if (heredoc && lexer->heredoc_count == SHELL_HEREDOCS_MAX) {
        fail(self, "too many here-documents");
    } else if (heredoc) {
        lexer->heredocs[lexer->heredoc_count++] = (mls_shell_heredoc){word.text, sign.len == 3};
    } else if (standard && sign.len == 3 && reads) {
        made->here = word.text;
    }
    made->any = true;
    made->output = made->output || (!reads && standard);
    made->input = made->input || (reads && standard);
    mls_shell_lexer_next(&self->lexer);
}

/* Redirections, and, of a simple command, the words between them; their number. */
static size_t read_words(reader *self, mls_shell_fields *words)
{
    size_t count = 0;
    self->redirections = (redirections){0};
    for (;;) {
        const mls_shell_token token = self->lexer.token;
        const mls_str text = token.text;
        const bool redirects = token.kind == TOKEN_OPERATOR &&
                               (memchr(text.ptr, '<', text.len) != NULL || memchr(text.ptr, '>', text.len) != NULL);
        if (!redirects && (words == NULL || token.kind != TOKEN_WORD)) {
            return count;
        }
        mls_shell_lexer_next(&self->lexer);
        if (redirects) {
            read_redirection(self, text);
            continue;
        }
        count++;
        if (!idle(self)) {
            mls_shell_fields_add(self->state, words, text);
        }
    }
}

/* Behind the name: the brackets and the body, which is kept as text. */
static void read_function(reader *self, mls_str name)
{
    const bool dry = self->dry;
    if (take(self, "(")) {
        expect(self, ")", "'(' where none is expected");
    }
    (void)skip_newlines(self);
    const mls_shell_token begin = self->lexer.token;
    self->dry = true;
    read_command(self);
    self->dry = dry;
    if (!idle(self)) {
        const mls_str body = {begin.text.ptr, (size_t)(self->lexer.token.text.ptr - begin.text.ptr)};
        mls_shell_function_define(self->state, name, body, begin.line);
    }
}

static void read_simple(reader *self)
{
    mls_shell_fields words = {0};
    const mls_shell_token first = self->lexer.token;
    const size_t count = read_words(self, &words);
    if (count == 0 && !self->redirections.any) {
        fail(self, "a command is missing");
    } else if (count == 1 && token_is(self, "(")) {
        read_function(self, first.text);
    } else if (!idle(self)) {
        mls_shell_simple_run(self->state, &words);
    }
}

static void read_named_function(reader *self)
{
    const mls_str name = self->lexer.token.text;
    mls_shell_lexer_next(&self->lexer);
    read_function(self, name);
}

/* ---- compound commands, after their first word ---- */

static void read_if(reader *self)
{
    mls_shell_frame *frame = &self->state->frame;
    const bool dry = self->dry;
    unsigned doubts = 0;
    bool taken = false;
    do {
        self->dry = dry || taken;
        read_list(self);
        expect(self, "then", no_keyword);
        const int status = frame->status;
        const bool doubtful = !idle(self) && status == STATUS_UNKNOWN;
        self->dry = self->dry || (status != STATUS_YES && !doubtful);
        doubts += doubtful;
        frame->doubt += doubtful;
        taken = taken || (!self->dry && !doubtful);
        read_list(self);
    } while (take(self, "elif"));
    if (take(self, "else")) {
        self->dry = dry || taken;
        taken = true;
        read_list(self);
    }
    expect(self, "fi", no_keyword);
    self->dry = dry;
    frame->doubt -= doubts;
    if (!idle(self)) {
        frame->status = doubts > 0 ? STATUS_UNKNOWN : taken ? frame->status : STATUS_YES;
    }
}

/* Up to the last word of a loop or case, which no config uses: whatever is set then or afterwards is not known. */
static void read_unused(reader *self)
{
    const char *last = token_is(self, "case") ? "esac" : "done";
    bool begins = true; /* a command, and so maybe a word of the grammar */
    self->skipped = true;
    if (!idle(self)) {
        mls_shell_lose(self->state, MLS_S("a loop or case"));
    }
    mls_shell_lexer_next(&self->lexer);
    self->depth++;
    while (self->lexer.problem == NULL && !(begins && take(self, last))) {
        const mls_shell_token token = self->lexer.token;
        if (token.kind == TOKEN_END || self->depth >= SHELL_NESTING_MAX) {
            fail(self, no_keyword);
        } else if (begins && mls_str_among(token.text, unused_words)) {
            read_unused(self);
            begins = false;
        } else if (begins && mls_str_among(token.text, " if then elif else do while until { ! time ")) {
            mls_shell_lexer_next(&self->lexer);
        } else {
            if (!idle(self)) { /* what A=B assigns is listed */
                mls_shell_doubt_names(self->state, begins ? token.text : MLS_S(""));
            }
            begins = read_words(self, &(mls_shell_fields){0}) == 0;
            if (begins && !self->redirections.any) {
                mls_shell_lexer_next(&self->lexer);
            }
        }
    }
    self->depth--;
}

static void read_group(reader *self)
{
    read_list(self);
    expect(self, "}", "a bracket is not closed");
}

/* (( … )), or ( … ), where a second bracket may open a subshell of its own. */
static void read_parenthesis(reader *self)
{
    mls_shell_state *state = self->state;
    mls_str expression;
    const bool runs = !idle(self);
    if (mls_shell_lexer_arithmetic(&self->lexer, &expression)) {
        if (runs) {
            const mls_shell_integer number = mls_shell_expand_number(state, expression);
            state->frame.status = number.known ? mls_shell_status_of(number.value != 0) : STATUS_UNKNOWN;
        }
        return;
    }
    const mls_shell_frame outer = runs ? mls_shell_subshell_enter(state, NULL) : state->frame;
    read_list(self);
    if (runs) {
        mls_shell_subshell_leave(state, &outer);
    }
    expect(self, ")", "a bracket is not closed");
}

static void read_condition(reader *self)
{
    mls_shell_fields words = {0};
    for (bool regex = false; self->lexer.problem == NULL && !take(self, "]]");) {
        const mls_shell_token token = self->lexer.token;
        if (token.kind == TOKEN_END) {
            fail(self, "[[ without ]]");
        } else if (token.kind != TOKEN_NEWLINE && !idle(self)) {
            mls_shell_fields_add(self->state, &words, token.text);
        }
        regex = !regex && mls_str_equal(token.text, MLS_S("=~"));
        (regex ? mls_shell_lexer_regex : mls_shell_lexer_next)(&self->lexer);
    }
    if (!idle(self)) {
        self->state->frame.status = mls_shell_condition(self->state, &words, false);
    }
}

/* ---- commands, pipelines and lists ---- */

static void read_command(reader *self)
{
    static const struct {
        const char *word;
        void (*read)(reader *self);
    } compounds[] = {{"if", read_if},
                     {"[[", read_condition},
                     {"{", read_group},
                     {"(", read_parenthesis},
                     {"function", read_named_function}};
    size_t i = 0;
    if (self->depth >= SHELL_NESTING_MAX) {
        fail(self, "commands are nested too deep");
    } else if (closes_list(self)) {
        fail(self, stray_keyword);
    }
    self->depth++;
    while (i < sizeof compounds / sizeof *compounds && !token_is(self, compounds[i].word)) {
        i++;
    }
    if (mls_str_among(self->lexer.token.text, unused_words)) {
        read_unused(self);
        (void)read_words(self, NULL);
    } else if (i < sizeof compounds / sizeof *compounds) {
        mls_shell_lexer_next(&self->lexer);
        compounds[i].read(self);
        (void)read_words(self, NULL);
    } else {
        read_simple(self);
    }
    self->depth--;
}

/* A command that runs, with its redirections, which were read ahead. */
static void run_command(reader *self, const redirections *redirected)
{
    mls_shell_state *state = self->state;
    mls_shell_frame *frame = &state->frame;
    mls_shell_output *output = frame->output;
    const mls_str *input = frame->input;
    mls_str here = SHELL_HOLE;
    if (mls_shell_step(state, COMMAND_STEPS) && frame->nesting >= SHELL_DEPTH_MAX) {
        mls_shell_limit(state, "nesting of commands");
    }
    frame->line = self->lexer.token.line;
    frame->nesting++;
    frame->unset_used = false;
    frame->output = redirected->output ? NULL : output;
    if (redirected->input) {
        here = redirected->here.len > 0 ? mls_shell_expand(state, redirected->here, QUOTING_TEXT) : here;
        frame->input = &here;
    }
    read_command(self);
    frame->output = output;
    frame->input = input;
    frame->nesting--;
}

/* Where the output of each goes must be known before it runs: only the last one's is the pipeline's. */
static void read_pipeline(reader *self)
{
    mls_shell_state *state = self->state;
    mls_shell_frame *frame = &state->frame;
    const bool dry = self->dry;
    bool negated = false;
    bool piped = false;
    for (bool negates; (negates = take(self, "!")) || take(self, "time");) {
        negated = negated != negates;
        (void)(!negates && take(self, "-p"));
    }
    mls_str text = frame->input != NULL ? *frame->input : SHELL_HOLE;
    do {
        (void)skip_newlines(self);
        if (idle(self)) {
            read_command(self);
            continue;
        }
        const reader ahead = read_ahead(self, read_command);
        if (!piped && !token_is(&ahead, "|") && !token_is(&ahead, "|&")) {
            run_command(self, &ahead.redirections);
            continue;
        }
        mls_shell_output output = {0};
        const mls_shell_frame outer = mls_shell_subshell_enter(state, &output);
        piped = true;
        frame->input = &text;
        run_command(self, &ahead.redirections);
        mls_shell_subshell_leave(state, &outer);
        text = mls_shell_keep_buffer(state, &output.text);
    } while (take(self, "|") || take(self, "|&"));
    if (piped) {
        mls_shell_print(state, text);
    }
    if (negated && !idle(self)) {
        frame->status = mls_shell_status_not(frame->status);
    }
    self->dry = dry;
}

/* Pipelines joined by && and ||. */
static void read_joined(reader *self)
{
    mls_shell_frame *frame = &self->state->frame;
    const bool dry = self->dry;
    read_pipeline(self);
    for (bool and; (and = take(self, "&&")) || take(self, "||");) {
        const int status = frame->status;
        const bool doubtful = !idle(self) && status == STATUS_UNKNOWN;
        (void)skip_newlines(self);
        self->dry = dry || (status != STATUS_UNKNOWN && (status == STATUS_YES) != and);
        frame->doubt += doubtful;
        read_pipeline(self);
        frame->doubt -= doubtful;
        if (doubtful && (frame->status == STATUS_YES) == and) {
            frame->status = STATUS_UNKNOWN;
        }
        self->dry = dry;
    }
}

/* Whether a ';' or '&' stands after them, which sends all of them to the background. */
static bool read_chain(reader *self)
{
    const bool dry = self->dry;
    if (!idle(self)) {
        const reader ahead = read_ahead(self, read_joined);
        self->dry = token_is(&ahead, "&");
        self->state->frame.status = self->dry ? STATUS_YES : self->state->frame.status;
    }
    read_joined(self);
    self->dry = dry;
    return take(self, "&") || take(self, ";");
}

/* Commands up to what closes them, or, in no other command, to the end of the line. */
static void read_list(reader *self)
{
    bool separated = true;
    (void)skip_newlines(self);
    do {
        if (!separated) {
            fail(self, "two commands without anything between them");
        }
        separated = read_chain(self);
        if (self->depth == 0 && self->lexer.token.kind == TOKEN_NEWLINE) {
            return;
        }
        separated = skip_newlines(self) || separated;
    } while (!closes_list(self));
}

static void run_text(mls_shell_state *state, mls_str text, size_t line)
{
    reader self = {.state = state, .lexer = {.text = text, .line = line}};
    mls_shell_lexer_next(&self.lexer);
    while (mls_shell_goes(state)) {
        (void)skip_newlines(&self);
        if (self.lexer.token.kind == TOKEN_END && self.lexer.problem == NULL) {
            return;
        }
        reader ahead = read_ahead(&self, read_list);
        if (ahead.lexer.token.kind != TOKEN_NEWLINE && ahead.lexer.token.kind != TOKEN_END) {
            fail(&ahead, stray_keyword);
        }
        if (ahead.lexer.problem != NULL) {
            state->frame.line = ahead.lexer.token.line;
            mls_shell_note(state, MLS_FINDING_CONFIG_SYNTAX, "%s; what follows is not read", ahead.lexer.problem);
            mls_shell_print(state, SHELL_HOLE);
            state->frame.status = STATUS_UNKNOWN;
            if (ahead.skipped) { /* maybe the end was not where it was looked for */
                mls_shell_lose(state, MLS_S("a loop or case"));
            }
            return;
        }
        read_list(&self);
    }
}

void mls_shell_run(mls_shell_state *state, const char *path, mls_str text)
{
    mls_shell_frame *frame = &state->frame;
    frame->path = path;
    frame->export_all = true;
    state->run = run_text;
    mls_shell_file_run(state, &(mls_shell_fields){0}, mls_str_from(path), text);
    for (size_t i = 0; state->stopped && i < frame->variables.count; i++) {
        frame->variables.items[i].value = SHELL_MAYBE;
    }
    frame->variables.forgotten = frame->variables.forgotten || state->stopped;
}
