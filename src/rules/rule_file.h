/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rule_file.h - rule files as JSON: a file and those it extends, the newest
 * first, laid over each other.
 *
 * Everything is a span of the text it stands in, so that a mistake has a line
 * and a column.  Failure is sticky: the first one is kept with its message,
 * and whoever reads on finds `status` set.
 */
#ifndef MLS_RULES_RULE_FILE_H
#define MLS_RULES_RULE_FILE_H

#include "base/map.h"
#include "mlscore/edition.h"
#include "mlscore/value.h"

enum {
    MLS_RULE_FILE_MAX = 4 << 20, /* bytes */
    MLS_EXTENDS_MAX = 32,        /* editions in one chain of `extends` */
    MLS_SCOPES_MAX = 256,
    MLS_RULES_PER_SCOPE_MAX = 1024,
    MLS_RULES_PER_FILE_MAX = 8192,
    MLS_RULE_STEPS_MAX = 12
};

/* One file of the chain. */
typedef struct mls_rule_source {
    mls_str name; /* its path, or the name of embedded data; ptr NULL: text from memory */
    bool embedded;
    mls_str text;
    mls_str json;
    mls_str usage, edition, extends, scopes; /* its members; ptr NULL: not there */
} mls_rule_source;

/* What stands under a name, and in which file; `json` is empty when a newer file dropped it. */
typedef struct mls_rule_part {
    mls_str name;
    mls_str json;
    const mls_rule_source *source;
    size_t order; /* what was dropped and came again stands last */
} mls_rule_part;

/* A scope as all files together make it; self.json is what the newest says of it. */
typedef struct mls_rule_scope {
    mls_rule_part self;
    mls_rule_part begin, derive, end;
    mls_map keys; /* name → mls_rule_part */
} mls_rule_scope;

typedef struct mls_rule_file {
    mls_arena memory;
    mls_rule_source sources[MLS_EXTENDS_MAX]; /* sources[0] is what was asked for, each extends the next */
    size_t source_count;
    mls_usage usage;
    mls_str edition;
    mls_str base;   /* the newest of the published editions among the sources; ptr NULL: none */
    mls_map scopes; /* name → mls_rule_scope, that is its part */
    size_t order;
    mls_error *error;
    mls_status status;
    mls_str scope;                         /* what is being looked at, for messages: a scope's name … */
    mls_str rule;                          /* … the key of a rule in it, or ptr NULL … */
    const char *steps[MLS_RULE_STEPS_MAX]; /* … and what of that */
    size_t step_count;
} mls_rule_file;

/* Reads and merges.  Exactly one of the three is given: an edition, a path or a text.  The outcome is file->status. */
void mls_rule_file_read(mls_rule_file *file, const mls_edition *edition, const char *path, mls_str text);
void mls_rule_file_release(mls_rule_file *file);

/*
 * Notes a failure at a byte of one of the texts (NULL: nowhere).  With
 * `expr_column` > 0 the byte is the opening quote of an expression, which is
 * wrong at that byte of its decoded text.
 */
void mls_rule_fail(mls_rule_file *file, mls_status status, const char *at, size_t expr_column, const char *format, ...)
    MLS_PRINTF(5, 6);
void mls_rule_fail_memory(mls_rule_file *file);

static inline void mls_rule_enter(mls_rule_file *file, const char *step)
{
    if (file->step_count < MLS_RULE_STEPS_MAX) {
        file->steps[file->step_count] = step;
    }
    file->step_count++;
}

static inline void mls_rule_leave(mls_rule_file *file)
{
    file->step_count--;
}

/*
 * The parts of a map that were not dropped, in their order; *count tells how
 * many.  In the file's memory; NULL, and a failure, when that runs out.
 */
const mls_rule_part **mls_rule_parts(mls_rule_file *file, const mls_map *map, size_t *count);

/*
 * Fails unless `json` is an object that holds only the members named, each
 * once.  `allowed` ends with NULL; "comment" always may stand.
 */
void mls_rule_check_members(mls_rule_file *file, mls_str json, const char *const *allowed);

/* A member of an object, whatever it is; false when there is none. */
bool mls_rule_member(mls_str object, const char *name, mls_str *json);

/* The text of a string, NUL-terminated in `arena`; fails with `otherwise` when it is none. */
mls_str mls_rule_text(mls_rule_file *file, mls_str json, mls_arena *arena, const char *otherwise);

#endif
