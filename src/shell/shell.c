/* SPDX-License-Identifier: Apache-2.0 */
/* shell.c - the handle that others see: a script, read, and its exports. */
#include <stdlib.h>

#include "shell/state.h"

struct mls_shell {
    mls_shell_state state;
    mls_findings findings;
    char *path;
    mls_shell_variable *exports;
    size_t export_count;
};

/* What bash keeps itself is not listed, whatever a script does to it. */
static bool list_exports(mls_shell *self)
{
    const mls_shell_variables *variables = &self->state.frame.variables;
    self->exports = mls_arena_array(&self->state.arena, variables->count + 1, sizeof *self->exports);
    for (size_t i = 0; i < variables->count && self->exports != NULL; i++) {
        const mls_shell_slot *slot = &variables->items[i];
        const bool known = mls_shell_known(slot->value);
        const char *path = slot->path != NULL ? slot->path : self->path;
        if (slot->value.ptr != mls_shell_unset && slot->exported && !slot->array &&
            !mls_shell_among(slot->name, " _ SHLVL PWD OLDPWD ")) {
            self->exports[self->export_count++] =
                (mls_shell_variable){slot->name, known ? slot->value : MLS_S(""), known, path, slot->line};
        }
    }
    return self->exports != NULL;
}

/* Values borrow from the text, so it stays in the arena. */
static mls_status read_script(mls_shell *self, const char *root, mls_error *error)
{
    mls_shell_state *state = &self->state;
    mls_str text;
    state->findings = &self->findings;
    mls_shell_files_init(state, self->path, root);
    const mls_status status = mls_shell_file_load(state, self->path, &text, error);
    if (status != MLS_OK) {
        return status;
    }
    if (!mls_shell_known(text)) {
        return mls_error_set(error, MLS_ERROR_SYNTAX, 0, 0, "not a text: it holds NUL bytes");
    }
    mls_shell_run(state, self->path, text);
    return state->out_of_memory || self->findings.out_of_memory || !list_exports(self) ? mls_error_memory(error)
                                                                                       : MLS_OK;
}

mls_status mls_shell_read(const char *path, const char *root, mls_shell **script, mls_error *error)
{
    *script = calloc(1, sizeof **script);
    if (*script != NULL) {
        (*script)->path = strdup(path);
    }
    const mls_status status =
        *script != NULL && (*script)->path != NULL ? read_script(*script, root, error) : mls_error_memory(error);
    if (status != MLS_OK) {
        mls_shell_free(*script);
        *script = NULL;
    }
    return status;
}

void mls_shell_free(mls_shell *script)
{
    if (script == NULL) {
        return;
    }
    mls_arena_release(&script->state.arena);
    mls_findings_release(&script->findings);
    free(script->path);
    free(script);
}

const mls_shell_variable *mls_shell_exports(const mls_shell *script, size_t *count)
{
    *count = script != NULL ? script->export_count : 0;
    return script != NULL ? script->exports : NULL;
}

static int compare_names(const void *name, const void *variable)
{
    return mls_str_compare(*(const mls_str *)name, ((const mls_shell_variable *)variable)->name);
}

const mls_shell_variable *mls_shell_find(const mls_shell *script, mls_str name)
{
    return bsearch(&name, script->exports, script->export_count, sizeof *script->exports, compare_names);
}

bool mls_shell_is_complete(const mls_shell *script)
{
    return !script->state.frame.variables.forgotten;
}

const char *mls_shell_path(const mls_shell *script)
{
    return script->path;
}

const mls_findings *mls_shell_findings(const mls_shell *script)
{
    return &script->findings;
}
