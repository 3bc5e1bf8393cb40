/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shell.c - the handle that others see: a script, read, and its exports.
 */
#include <stdlib.h>
#include <string.h>

#include "shell/command.h"

struct mls_shell {
    mls_shell_state state;
    mls_shell_frame frame;
    mls_shell_variables variables;
    mls_shell_disk disk;
    mls_shell_files files;
    mls_findings findings;
    char *path;
    mls_shell_variable *exports;
    size_t export_count;
};

/* Names that bash keeps itself, whatever a script does to them. */
static bool is_own_name(mls_str name)
{
    return mls_str_equal(name, MLS_S("_")) || mls_str_equal(name, MLS_S("SHLVL")) ||
           mls_str_equal(name, MLS_S("PWD")) || mls_str_equal(name, MLS_S("OLDPWD"));
}

static bool list_exports(mls_shell *self)
{
    self->exports = calloc(self->variables.count + 1, sizeof *self->exports);
    for (size_t i = 0; i < self->variables.count && self->exports != NULL; i++) {
        const mls_shell_slot *slot = &self->variables.items[i];
        if (slot->presence == PRESENCE_UNSET || !slot->exported || slot->array || is_own_name(slot->name)) {
            continue;
        }
        const bool known = slot->presence == PRESENCE_SET && mls_shell_known(slot->value);
        self->exports[self->export_count++] = (mls_shell_variable){.name = slot->name,
                                                                   .value = known ? slot->value : MLS_S(""),
                                                                   .known = known,
                                                                   .path = slot->path != NULL ? slot->path : self->path,
                                                                   .line = slot->line};
    }
    return self->exports != NULL;
}

static mls_status read_script(mls_shell *self, mls_str bytes, mls_error *error)
{
    if (!mls_shell_known(bytes)) {
        return mls_error_set(error, MLS_ERROR_SYNTAX, 0, 0, "not a text: it holds NUL bytes");
    }
    self->files = mls_shell_disk_files(&self->disk);
    self->frame.variables = &self->variables;
    self->state.files = &self->files;
    self->state.findings = &self->findings;
    self->state.frame = &self->frame;
    mls_shell_run(&self->state, self->path, bytes);
    if (self->state.out_of_memory || self->findings.out_of_memory || !list_exports(self)) {
        return mls_error_set(error, MLS_ERROR_MEMORY, 0, 0, "out of memory");
    }
    return MLS_OK;
}

static mls_status make_script(const char *path, mls_shell **script, mls_error *error)
{
    *script = calloc(1, sizeof **script);
    if (*script != NULL && ((*script)->path = strdup(path)) != NULL) {
        return MLS_OK;
    }
    mls_shell_free(*script);
    *script = NULL;
    return mls_error_set(error, MLS_ERROR_MEMORY, 0, 0, "out of memory");
}

static mls_status finish(mls_status status, mls_shell **script)
{
    if (status != MLS_OK) {
        mls_shell_free(*script);
        *script = NULL;
    }
    return status;
}

mls_status mls_shell_read(const char *path, mls_shell **script, mls_error *error)
{
    return mls_shell_read_within(path, NULL, script, error);
}

mls_status mls_shell_read_within(const char *path, const char *root, mls_shell **script, mls_error *error)
{
    mls_str bytes;
    mls_status status = make_script(path, script, error);
    if (status == MLS_OK) {
        mls_shell_disk_init(&(*script)->disk, path, root);
        status = mls_shell_disk_load(path, &(*script)->state.arena, &bytes, error);
        status = status == MLS_OK ? read_script(*script, bytes, error) : status;
    }
    return finish(status, script);
}

mls_status mls_shell_read_bytes(mls_str bytes, const char *path, mls_shell **script, mls_error *error)
{
    mls_status status = make_script(path, script, error);
    if (status == MLS_OK && bytes.len > MLS_SHELL_BYTES_MAX) {
        status = mls_error_set(error, MLS_ERROR_LIMIT, 0, 0, "longer than a config may be");
    } else if (status == MLS_OK) {
        /* Values borrow from the text, so it has to stay. */
        const mls_str kept = mls_arena_copy(&(*script)->state.arena, bytes);
        status = kept.ptr != NULL ? read_script(*script, kept, error)
                                  : mls_error_set(error, MLS_ERROR_MEMORY, 0, 0, "out of memory");
    }
    return finish(status, script);
}

void mls_shell_free(mls_shell *script)
{
    if (script == NULL) {
        return;
    }
    mls_arena_release(&script->state.arena);
    mls_shell_disk_release(&script->disk);
    mls_findings_release(&script->findings);
    free(script->variables.items);
    free(script->exports);
    free(script->path);
    free(script);
}

const mls_shell_variable *mls_shell_exports(const mls_shell *script, size_t *count)
{
    *count = script->export_count;
    return script->exports;
}

const mls_shell_variable *mls_shell_find(const mls_shell *script, mls_str name)
{
    for (size_t begin = 0, end = script->export_count; begin < end;) {
        const size_t middle = begin + (end - begin) / 2;
        const int order = mls_str_compare(script->exports[middle].name, name);
        if (order == 0) {
            return &script->exports[middle];
        }
        begin = order < 0 ? middle + 1 : begin;
        end = order < 0 ? end : middle;
    }
    return NULL;
}

bool mls_shell_is_complete(const mls_shell *script)
{
    return !script->variables.forgotten;
}

const char *mls_shell_path(const mls_shell *script)
{
    return script->path;
}

const mls_findings *mls_shell_findings(const mls_shell *script)
{
    return &script->findings;
}
