/* SPDX-License-Identifier: Apache-2.0 */
/*
 * emit.h - values for programs: members of JSON objects, or cells of CSV.
 *
 * A field of a row is told once, to whichever of the two is being written.
 * JSON is written as it comes, without a tree: what is absent is null, text is
 * valid UTF-8, nothing in it can steer a terminal.  In CSV every cell is
 * quoted, rows end in "\r\n" as RFC 4180 has it, control characters are
 * escaped, absent values are empty, and text that a spreadsheet would take for
 * a formula has one ' more in front.
 */
#ifndef MLS_REPORT_EMIT_H
#define MLS_REPORT_EMIT_H

#include "base/arena.h"
#include "base/output.h"

typedef struct mls_emitter {
    mls_output *output;
    const struct mls_view *view;
    bool csv;
    bool indented; /* JSON over many lines, else in one */
    bool inside;   /* something stands in the innermost list or object: a comma comes first */
    mls_str name;  /* of the member whose value comes next, borrowed; ptr NULL: none */
    unsigned depth;
    mls_buffer text, cell; /* scratch */
    mls_arena arena;       /* scratch */
} mls_emitter;

/* A value: of the member named before, of the list that is open, or the next cell. */
void mls_emit_str(mls_emitter *to, mls_str text);
void mls_emit_str_or_null(mls_emitter *to, mls_str text); /* ptr NULL: null */
void mls_emit_text(mls_emitter *to, const char *text);    /* NULL: null */
void mls_emit_number(mls_emitter *to, double number);     /* not finite: null */
void mls_emit_bool(mls_emitter *to, bool value);
void mls_emit_maybe(mls_emitter *to, bool known, bool value);
void mls_emit_null(mls_emitter *to);

/* A value that was logged, as the JSON it was logged as, made safe; ptr NULL is null. */
void mls_emit_json(mls_emitter *to, mls_str span);

/* The same; in CSV a string's own characters. */
void mls_emit_logged(mls_emitter *to, mls_str span);

/* Brackets of JSON: '{', '[' and '}', ']'. */
void mls_emit_open(mls_emitter *to, char bracket);
void mls_emit_close(mls_emitter *to, char bracket);

/* The name of the member that the next value is of. */
void mls_emit_name(mls_emitter *to, mls_str name);

/* A line ending behind a whole value of JSON, or behind a row. */
void mls_emit_end(mls_emitter *to);

void mls_emitter_release(mls_emitter *to);

#endif
