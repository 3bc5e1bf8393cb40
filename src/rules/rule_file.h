/* SPDX-License-Identifier: Apache-2.0 */
/* rule_file.h - rule files as JSON: a file and those it extends, the newest first, laid over each other.
 *
 * Everything is a span of the text it stands in, so that a mistake has a place.  Failure is sticky: the first one is
 * kept, and whoever reads on finds `status` set. */
#pragma once

#include "rules/ruleset.h"

enum {
    MLS_RULE_FILE_MAX = 4 << 20, /* bytes */
    MLS_EXTENDS_MAX = 32,        /* editions in one chain of `extends` */
    MLS_RULES_PER_SCOPE_MAX = 1024,
    MLS_RULES_PER_FILE_MAX = 8192
};

/* One file of the chain. */
typedef struct mls_rule_source {
    mls_str name; /* its path, or the name of embedded data; ptr NULL: text from memory */
    bool embedded;
    mls_str text;
    mls_str json;
    mls_str extends, scopes; /* its members; ptr NULL: not there */
} mls_rule_source;

/* Scopes, members of one, or its rules, in their order: what was dropped and came again stands last. */
typedef struct mls_rule_parts {
    mls_map names; /* the newest part of each name */
    struct mls_rule_part *first;
    struct mls_rule_part *last;
} mls_rule_parts;

/* A scope, a member of one, or a rule, as all files together make it. */
typedef struct mls_rule_part {
    struct mls_rule_part *next;
    mls_str name;
    mls_str json;                  /* what the newest file says; ptr NULL: that it is dropped */
    const mls_rule_source *source; /* that file */
    mls_rule_parts parts;          /* of a scope its members, of "keys" the rules */
} mls_rule_part;

typedef struct mls_rule_file {
    mls_arena memory;
    mls_rule_source sources[MLS_EXTENDS_MAX]; /* sources[0] is what was asked for, each extends the next */
    size_t source_count;
    mls_usage usage;
    mls_str edition;
    mls_str base; /* the newest of the published editions among the sources; ptr NULL: none */
    mls_rule_parts scopes;
    mls_error *error; /* not NULL */
    mls_status status;
} mls_rule_file;

/* Reads and merges.  Exactly one of the three is given: an edition, a path or a text.  The outcome is file->status. */
void mls_rule_file_read(mls_rule_file *file, const mls_edition *edition, const char *path, mls_str text);

/* Notes a failure at a byte of a text, or NULL. */
void mls_rule_fail(mls_rule_file *file, mls_status status, const char *at, const char *format, ...) MLS_PRINTF(4, 5);
void mls_rule_wrong(mls_rule_file *file, mls_str json, const char *what);

/* Notes that there is no memory, unless `there` is; whether all is well. */
bool mls_rule_room(mls_rule_file *file, const void *there);

/* The members of an object by `names`, which end with NULL; fails when others than "comment" stand there, or twice. */
void mls_rule_members(mls_rule_file *file, mls_str json, const char *const *names, mls_str *members);

/* The text of a string, NUL-terminated in `arena`; fails with `otherwise` when it is none. */
mls_str mls_rule_text(mls_rule_file *file, mls_str json, mls_arena *arena, const char *otherwise);
