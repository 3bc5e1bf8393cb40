/* SPDX-License-Identifier: Apache-2.0 */
/*
 * parse.h - shell text cut into tokens (lexer.c) and commands (parse.c).
 *
 * All of bash's syntax is read; what it means is eval.c's.  Words stay raw:
 * spans of the text with their quotes and dollars, looked into when they are
 * expanded.  The tree of a command lives in the arena it was parsed in and
 * borrows from the text.
 */
#ifndef MLS_SHELL_PARSE_H
#define MLS_SHELL_PARSE_H

#include "base/arena.h"
#include "mlscore/base.h"

#define SHELL_NESTING_MAX 64  /* quotes, substitutions and compound commands inside each other */
#define SHELL_HEREDOCS_MAX 16 /* waiting for the end of a line */
#define SHELL_NO_END SIZE_MAX

/*
 * Where the unit that starts at `at` ends: a quoted string, a substitution,
 * an escaped character, or just one byte.  SHELL_NO_END when it has no end or
 * is nested too deep.
 */
size_t mls_shell_unit_end(mls_str text, size_t at, bool in_quotes, unsigned depth);
/* text.ptr[at] is '(': the place behind its partner. */
size_t mls_shell_parentheses_end(mls_str text, size_t at, unsigned depth);

typedef enum mls_shell_token_kind {
    TOKEN_END,
    TOKEN_WORD,
    TOKEN_NEWLINE,
    TOKEN_OPERATOR, /* ; & | && || ( ) ;; … and redirections */
    TOKEN_BAD
} mls_shell_token_kind;

typedef struct mls_shell_token {
    mls_shell_token_kind kind;
    mls_str text;
    size_t line;
} mls_shell_token;

typedef struct mls_shell_heredoc {
    mls_str delimiter; /* raw */
    bool strips_tabs;
} mls_shell_heredoc;

typedef struct mls_shell_lexer {
    mls_str text;
    size_t at;
    size_t line;
    mls_shell_heredoc heredocs[SHELL_HEREDOCS_MAX];
    size_t heredoc_count;
    const char *problem; /* static text, once something is wrong: nothing but TOKEN_BAD comes from then on */
    bool out_of_memory;
} mls_shell_lexer;

/* Reads the next token and moves on; here-documents go with the newline before them. */
mls_shell_token mls_shell_lexer_next(mls_shell_lexer *lexer);
/* Looks at it without moving. */
mls_shell_token mls_shell_lexer_peek(mls_shell_lexer *lexer);
/* The word after =~, which may hold brackets and bars. */
mls_shell_token mls_shell_lexer_regex(mls_shell_lexer *lexer);
/* At the second bracket of "((": takes the rest of (( … )).  False, without moving, when it is ( ( … ) … ) instead. */
bool mls_shell_lexer_arithmetic(mls_shell_lexer *lexer, mls_str *expression);

/* Adds a text to a list that grows in an arena; false when memory runs out. */
bool mls_shell_list_add(mls_arena *arena, mls_str **items, size_t *count, size_t *capacity, mls_str text);

/* How many bytes of a name stand at the start of `text`. */
size_t mls_shell_name_length(mls_str text);

/* Whether a word is one of " these words ". */
bool mls_shell_among(mls_str word, const char *words);

static inline bool mls_shell_is_name(mls_str text)
{
    return text.len > 0 && mls_shell_name_length(text) == text.len;
}

typedef enum mls_shell_node_kind {
    NODE_SIMPLE,     /* words */
    NODE_PIPELINE,   /* children: its commands */
    NODE_LIST,       /* children: pipelines, with how each hangs on the one before it */
    NODE_IF,         /* children: condition, body, condition, body …, and the body of else */
    NODE_DOUBT,      /* for, while, case …: words, then children that run nobody knows how often */
    NODE_SUBSHELL,   /* ( ): one child */
    NODE_ARITHMETIC, /* (( )): words: the expression */
    NODE_CONDITION,  /* [[ ]]: words and operators as they stand */
    NODE_FUNCTION    /* words: its name; child: its body */
} mls_shell_node_kind;

typedef enum mls_shell_joint { JOIN_THEN, JOIN_AND, JOIN_OR } mls_shell_joint;

typedef struct mls_shell_node mls_shell_node;
struct mls_shell_node {
    mls_shell_node_kind kind;
    size_t line;
    mls_str *words;
    size_t word_count;
    size_t word_capacity;
    mls_shell_node *children;
    mls_shell_node *next; /* of the same parent */
    mls_shell_joint join;
    bool negated;
    bool background;
    bool redirected;
    bool output_elsewhere; /* > and the like */
    bool assigns;          /* of NODE_DOUBT: the first word is a name that takes on something */
    bool input_elsewhere;  /* < and the like */
    mls_str input;         /* raw, of <<< */
};

/*
 * Parses one complete command with the newline or ';' behind it: a NODE_LIST.
 * NULL at the end of the text, and, with lexer->problem set, when it is not
 * shell.
 */
const mls_shell_node *mls_shell_parse(mls_shell_lexer *lexer, mls_arena *arena);

#endif
