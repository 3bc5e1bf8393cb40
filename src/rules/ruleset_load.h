/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ruleset_load.h - from rule files to a ruleset: what reading and compiling share.
 *
 * A file and those it extends are read, the newest first, and laid over each
 * other as JSON; what comes out is compiled.  Errors name the rule and, found
 * by walking the file again, the line.
 */
#ifndef MLS_RULES_RULESET_LOAD_H
#define MLS_RULES_RULESET_LOAD_H

#include <cjson/cJSON.h>

#include "rules/locate.h"
#include "rules/ruleset.h"

enum { MLS_RULES_PER_FILE_MAX = 8192, MLS_RULE_NAME_MAX = 128 };

/* One file of the chain. */
typedef struct mls_rule_source {
    char *name; /* its path, or the name of embedded data; NULL: text from memory */
    mls_str text;
    char *owned; /* the text, when it was read from a file */
    bool embedded;
    cJSON *json;
} mls_rule_source;

typedef struct mls_rule_loader {
    mls_rule_source sources[MLS_EXTENDS_MAX]; /* sources[0] is what was asked for, each extends the next */
    size_t source_count;
    mls_ruleset *ruleset;
    mls_error *error;
    mls_path path; /* to what is being looked at */
} mls_rule_loader;

/*
 * Fills the error with a message about what loader->path leads to, and its
 * line.  `expr_column` is the column in an expression, 0 when none is meant.
 * Returns `status`.
 */
mls_status mls_loader_fail(mls_rule_loader *loader, mls_status status, size_t expr_column, const char *format, ...)
    MLS_PRINTF(4, 5);

mls_status mls_loader_fail_memory(mls_rule_loader *loader);

static inline void mls_path_push(mls_path *path, const char *name, size_t index)
{
    if (path->count < MLS_PATH_STEPS_MAX) {
        path->steps[path->count] = (mls_path_step){name, index};
    }
    path->count++;
}

static inline void mls_path_pop(mls_path *path)
{
    path->count--;
}

/* Checks that an object holds only the members named, each once.  `allowed` ends with NULL; "comment" always may stand.
 */
mls_status mls_loader_check_members(mls_rule_loader *loader, const cJSON *object, const char *const *allowed);

/* Compiles the merged JSON of all sources into loader->ruleset. */
mls_status mls_loader_compile(mls_rule_loader *loader, const cJSON *merged);

#endif
