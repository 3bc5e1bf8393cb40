/* SPDX-License-Identifier: Apache-2.0 */
/*
 * script_lexer.h - shell text cut into tokens and commands.
 *
 * Words stay raw: spans of the text with their quotes and dollars, which are
 * looked into when the word is expanded.  The tree of a command lives in the
 * arena it was parsed in and borrows its words from the text.
 */
#ifndef MLS_CONFIG_SCRIPT_LEXER_H
#define MLS_CONFIG_SCRIPT_LEXER_H

#include "base/arena.h"
#include "mlscore/base.h"

#define SCRIPT_NESTING_MAX 64  /* quotes, substitutions and compound commands inside each other */
#define SCRIPT_HEREDOCS_MAX 16 /* waiting for the end of a line */
#define SCRIPT_SKIP_FAILED SIZE_MAX

/*
 * Where the unit that starts at `at` ends: a quoted string, a substitution,
 * an escaped character, or just one byte.  SCRIPT_SKIP_FAILED when it has no
 * end or is nested too deep.
 */
size_t mls_script_skip(mls_str text, size_t at, bool in_quotes, unsigned depth);
/* text.ptr[at] is '(' or '{' (of "${"): the place behind its partner. */
size_t mls_script_skip_parentheses(mls_str text, size_t at, unsigned depth);
size_t mls_script_skip_braces(mls_str text, size_t at, unsigned depth);
/* text.ptr[at] is '"': the place behind the closing one. */
size_t mls_script_skip_double(mls_str text, size_t at, unsigned depth);

typedef struct mls_script_word {
    mls_str raw;
    size_t line;
} mls_script_word;

typedef enum mls_script_token_kind {
    TOKEN_END,
    TOKEN_WORD,
    TOKEN_NEWLINE,
    TOKEN_OPERATOR, /* ; & | && || ( ) ;; … and redirections */
    TOKEN_BAD
} mls_script_token_kind;

typedef struct mls_script_token {
    mls_script_token_kind kind;
    mls_str text;
    size_t line;
} mls_script_token;

typedef struct mls_script_heredoc {
    mls_str delimiter; /* raw */
    bool strip_tabs;
} mls_script_heredoc;

typedef struct mls_script_lexer {
    mls_str text;
    size_t at;
    size_t line;
    mls_script_heredoc heredocs[SCRIPT_HEREDOCS_MAX];
    size_t heredoc_count;
    const char *problem; /* static text, once something is wrong */
} mls_script_lexer;

/* Reads the next token and moves on.  Here-documents are passed over with the newline before them. */
mls_script_token mls_script_lexer_next(mls_script_lexer *lexer);
/* Looks at it without moving. */
mls_script_token mls_script_lexer_peek(mls_script_lexer *lexer);

/* The word after =~, which may hold brackets and bars. */
mls_script_token mls_script_lexer_regex(mls_script_lexer *lexer);
/* Behind "(" of "((": takes the rest of (( … )).  False, without moving, when it is ( ( … ) … ) instead. */
bool mls_script_lexer_arithmetic(mls_script_lexer *lexer, mls_str *expression);

typedef enum mls_script_node_kind {
    NODE_SIMPLE,     /* words */
    NODE_PIPELINE,   /* children: its commands */
    NODE_CHAIN,      /* children: pipelines, joined by && and || */
    NODE_LIST,       /* children: chains */
    NODE_IF,         /* arms: condition and body; the else arm has no condition */
    NODE_LOOP,       /* while, until: one arm */
    NODE_FOR,        /* words: the name and what it takes on; body in one arm */
    NODE_CASE,       /* words: the subject; arms: words are the patterns */
    NODE_GROUP,      /* { }: one child */
    NODE_SUBSHELL,   /* ( ): one child */
    NODE_ARITHMETIC, /* (( )): words: the expression */
    NODE_CONDITION,  /* [[ ]]: words and operators as they stand */
    NODE_FUNCTION    /* words: its name; the body is parsed and forgotten */
} mls_script_node_kind;

typedef enum mls_script_join { JOIN_NONE, JOIN_AND, JOIN_OR } mls_script_join;

typedef struct mls_script_node mls_script_node;

typedef struct mls_script_arm {
    const mls_script_word *words;
    size_t word_count;
    const mls_script_node *condition;
    const mls_script_node *body;
    struct mls_script_arm *next;
    bool falls_through; /* ;& and ;;& */
} mls_script_arm;

struct mls_script_node {
    mls_script_node_kind kind;
    size_t line;
    const mls_script_word *words;
    size_t word_count;
    const mls_script_node *children;
    const mls_script_arm *arms;
    const mls_script_node *next; /* of the same parent */
    mls_script_join join;        /* how a pipeline hangs on the one before it */
    bool negated;
    bool background;
    bool redirected;
    bool output_elsewhere; /* > and the like */
    bool input_elsewhere;
    mls_str input_word; /* raw, of <<< */
    bool all_arguments; /* for NAME without `in` */
};

/*
 * Parses one complete command with the newline or ';' behind it.  NULL at the
 * end of the text, and, with lexer->problem set, when it is not shell.
 */
const mls_script_node *mls_script_parse_command(mls_script_lexer *lexer, mls_arena *arena, bool *end);

#endif
