/* SPDX-License-Identifier: Apache-2.0 */
/* shell.c - reads a script, and lists its exports: the face of the room. */
#include <stdlib.h>

#include "base/memory.h"
#include "config/script_state.h"

/* Variables that bash keeps itself are not listed, whatever a script does to them. */
static bool list_exports(mls_shell *self, const mls_shell_variables *variables)
{
    mls_shell_variable *exports = mls_arena_array(self->arena, variables->count + 1, sizeof *exports);
    for (size_t i = 0; i < variables->count && exports != NULL; i++) {
        const mls_shell_slot *slot = &variables->items[i];
        const bool known = mls_shell_known(slot->value);
        const char *path = slot->path != NULL ? slot->path : self->path;
        if (slot->value.ptr != mls_shell_unset && slot->exported && !slot->array &&
            !mls_str_among(slot->name, " _ SHLVL PWD OLDPWD ")) {
            exports[self->export_count++] =
                (mls_shell_variable){slot->name, known ? slot->value : MLS_S(""), known, path, slot->line};
        }
    }
    self->exports = exports;
    self->complete = !variables->forgotten && mls_findings_found(&self->findings, MLS_FINDING_CONFIG_SOURCE) == 0;
    return exports != NULL;
}

/* Values borrow from the text, so it stays in the arena. */
static mls_status read_script(mls_shell *self, const char *root, mls_error *error)
{
    mls_shell_state state = {.arena = self->arena, .findings = &self->findings};
    mls_str text;
    mls_shell_files_init(&state, self->path, root);
    const mls_status status = mls_shell_file_load(&state, self->path, &text, error);
    if (status != MLS_OK) {
        return status;
    }
    if (!mls_shell_known(text)) {
        return mls_error_set(error, MLS_ERROR_SYNTAX, 0, 0, "not a text: it holds NUL bytes");
    }
    mls_shell_run(&state, self->path, text);
    const bool listed =
        !state.out_of_memory && !self->findings.out_of_memory && list_exports(self, &state.frame.variables);
    return listed ? MLS_OK : mls_error_memory(error);
}

mls_status mls_shell_read(const char *path, const char *root, mls_shell **script, mls_error *error)
{
    mls_shell *self = mls_calloc(1, sizeof *self);
    mls_status status = MLS_ERROR_MEMORY;
    if (self != NULL) {
        self->path = mls_strdup(path);
        self->arena = mls_calloc(1, sizeof *self->arena);
        status = self->path != NULL && self->arena != NULL ? read_script(self, root, error) : status;
    }
    if (status != MLS_OK) {
        mls_shell_free(self);
        self = NULL;
    }
    *script = self;
    return status == MLS_ERROR_MEMORY ? mls_error_memory(error) : status;
}

void mls_shell_free(mls_shell *script)
{
    if (script != NULL) {
        mls_arena_free(script->arena);
        mls_findings_release(&script->findings);
        free(script->path);
        free(script);
    }
}

static int compare_names(const void *name, const void *variable)
{
    return mls_str_compare(*(const mls_str *)name, ((const mls_shell_variable *)variable)->name);
}

const mls_shell_variable *mls_shell_find(const mls_shell *script, mls_str name)
{
    return bsearch(&name, script->exports, script->export_count, sizeof *script->exports, compare_names);
}

bool mls_shell_is_set(const mls_shell_variable *variable)
{
    return !variable->known || (variable->value.len > 0 && !mls_str_alike(variable->value, MLS_S("null")));
}
