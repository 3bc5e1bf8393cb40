/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ruleset_compile.h - what compiling scopes, their expressions and their
 * actions shares.
 */
#ifndef MLS_RULES_RULESET_COMPILE_H
#define MLS_RULES_RULESET_COMPILE_H

#include "rules/ruleset_load.h"

enum { MLS_SCOPE_NAME_MAX = 64 };

typedef struct mls_scope_compiler {
    mls_rule_loader *loader;
    mls_scope *scope;
    bool *assigned; /* per variable: `begin` or some `set` gives it a value */
} mls_scope_compiler;

static inline mls_arena *mls_compiler_arena(const mls_scope_compiler *compiler)
{
    return &compiler->loader->ruleset->memory;
}

/* ruleset_compile_expr.c */
mls_str mls_loader_copy(mls_rule_loader *loader, const char *text);
mls_status mls_compile_text(mls_scope_compiler *compiler, mls_str text, size_t offset, mls_expr *expr);
mls_status mls_compile_expr(mls_scope_compiler *compiler, const cJSON *json, mls_expr *expr);

/* A member that holds one expression or a list of them; absent is an empty list. */
mls_status mls_compile_exprs(mls_scope_compiler *compiler, const cJSON *object, const char *name, mls_expr_list *list);

bool mls_is_identifier(const char *name);

/* Makes sure that `name` can be a variable and gives its slot. */
mls_status mls_compile_variable(mls_scope_compiler *compiler, const char *name, uint32_t *slot);

/* `initial` has room for every variable there may be; it is cut to size at the end. */
mls_status mls_compile_begin(mls_scope_compiler *compiler, const cJSON *json, mls_variable *initial);

/* ruleset_compile_action.c */
mls_status mls_compile_actions(mls_scope_compiler *compiler, const cJSON *json, unsigned depth, mls_action **actions,
                               size_t *count);

#endif
