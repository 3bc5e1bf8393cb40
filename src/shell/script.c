/* SPDX-License-Identifier: Apache-2.0 */
#include "shell/script.h"

#include <stdlib.h>
#include <string.h>

#include "shell/script_files.h"

struct mls_shell {
    mls_script state;
    mls_script_disk disk;
    mls_script_files files;
    mls_findings findings;
    char *path;
    mls_shell_variable *exports;
    size_t export_count;
};

void mls_script_no_memory(mls_script *script)
{
    script->out_of_memory = true;
    script->flow = FLOW_STOP;
}

void mls_script_find(mls_script *script, mls_finding_code code, const char *format, ...)
{
    mls_buffer message = {0};
    va_list args;
    va_start(args, format);
    mls_buffer_vprintf(&message, format, args);
    va_end(args);
    const bool root = script->source_depth <= 1;
    const mls_finding_place place = {.path = root ? NULL : script->path, .line = script->line};
    if (message.failed) {
        mls_script_no_memory(script);
    } else {
        mls_findings_add(script->findings, code, place, "%s", message.ptr);
    }
    mls_buffer_release(&message);
}

void mls_script_limit(mls_script *script, const char *limit)
{
    if (script->flow != FLOW_STOP) {
        mls_script_find(script, MLS_FINDING_CONFIG_LIMIT, "the reading ends here: %s", limit);
        script->flow = FLOW_STOP;
    }
}

bool mls_script_step(mls_script *script, size_t count)
{
    if (script->flow == FLOW_STOP || count > SCRIPT_STEPS_MAX - script->steps) {
        mls_script_limit(script, "steps of matching and arithmetic");
        return false;
    }
    script->steps += count;
    return true;
}

mls_script_text mls_script_keep(mls_script *script, mls_str bytes)
{
    if (bytes.len > SCRIPT_VALUE_BYTES_MAX) {
        mls_script_limit(script, "length of a value");
        return mls_script_unknown();
    }
    if (bytes.len > SCRIPT_EXPANSION_BYTES_MAX - script->expanded) {
        mls_script_limit(script, "length of all values together");
        return mls_script_unknown();
    }
    script->expanded += bytes.len;
    const mls_str kept = mls_arena_copy(&script->arena, bytes);
    if (kept.ptr == NULL) {
        mls_script_no_memory(script);
        return mls_script_unknown();
    }
    return mls_script_known(kept);
}

mls_script_text mls_script_keep_buffer(mls_script *script, mls_buffer *buffer)
{
    mls_script_text text = mls_script_unknown();
    if (buffer->failed) {
        mls_script_no_memory(script);
    } else {
        text = mls_script_keep(script, mls_buffer_str(buffer));
    }
    mls_buffer_release(buffer);
    return text;
}

void mls_script_release(mls_script *script)
{
    mls_arena_release(&script->arena);
    free(script->variables);
    free(script->slots);
    free(script->changes);
}

static int compare_variables(const void *a, const void *b)
{
    const mls_shell_variable *left = a;
    const mls_shell_variable *right = b;
    return mls_str_compare(left->name, right->name);
}

/* Names that bash keeps itself, whatever a script does to them. */
static bool is_own_name(mls_str name)
{
    static const char *const names[] = {"_", "SHLVL", "PWD", "OLDPWD"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (mls_str_equal(name, mls_str_from(names[i]))) {
            return true;
        }
    }
    return false;
}

static bool list_exports(mls_shell *self)
{
    const mls_script *state = &self->state;
    self->exports = calloc(state->variable_count + 1, sizeof *self->exports);
    if (self->exports == NULL) {
        return false;
    }
    for (size_t i = 0; i < state->variable_count; i++) {
        const mls_script_variable *variable = &state->variables[i];
        if (variable->presence == PRESENCE_UNSET || !variable->exported || variable->array ||
            is_own_name(variable->name)) {
            continue;
        }
        self->exports[self->export_count++] =
            (mls_shell_variable){.name = variable->name,
                                 .value = variable->value,
                                 .known = variable->presence == PRESENCE_SET,
                                 .path = variable->path != NULL ? variable->path : self->path,
                                 .line = variable->line};
    }
    qsort(self->exports, self->export_count, sizeof *self->exports, compare_variables);
    return true;
}

static mls_status read_script(mls_shell *self, const mls_script_files *files, mls_str bytes, mls_error *error)
{
    if (bytes.len > 0 && memchr(bytes.ptr, '\0', bytes.len) != NULL) {
        return mls_error_set(error, MLS_ERROR_SYNTAX, 0, 0, "not a text: it holds NUL bytes");
    }
    self->state.files = files;
    self->state.findings = &self->findings;
    mls_script_start(&self->state, self->path, bytes);
    if (self->state.out_of_memory || self->findings.out_of_memory || !list_exports(self)) {
        return mls_error_memory(error);
    }
    return MLS_OK;
}

static mls_shell *new_script(const char *path, mls_error *error)
{
    mls_shell *self = calloc(1, sizeof *self);
    if (self != NULL) {
        self->path = strdup(path);
    }
    if (self == NULL || self->path == NULL) {
        mls_shell_free(self);
        (void)mls_error_memory(error);
        return NULL;
    }
    return self;
}

static mls_status finish(mls_shell *self, mls_status status, mls_shell **script)
{
    if (status != MLS_OK) {
        mls_shell_free(self);
        self = NULL;
    }
    *script = self;
    return status;
}

mls_status mls_shell_read(const char *path, mls_shell **script, mls_error *error)
{
    return mls_shell_read_within(path, NULL, script, error);
}

mls_status mls_shell_read_within(const char *path, const char *root, mls_shell **script, mls_error *error)
{
    *script = NULL;
    mls_shell *self = new_script(path, error);
    if (self == NULL) {
        return MLS_ERROR_MEMORY;
    }
    mls_script_disk_init(&self->disk, path, root);
    self->files = mls_script_disk_files(&self->disk);
    mls_str bytes;
    mls_status status = mls_script_disk_load(path, &self->state.arena, &bytes, error);
    if (status == MLS_OK) {
        status = read_script(self, &self->files, bytes, error);
    }
    return finish(self, status, script);
}

static mls_status read_nothing(void *state, mls_str path, mls_arena *arena, mls_str *bytes)
{
    (void)state;
    (void)path;
    (void)arena;
    *bytes = MLS_S("");
    return MLS_ERROR_UNKNOWN;
}

static bool resolve_nothing(void *state, mls_str path, mls_arena *arena, mls_str *resolved)
{
    (void)state;
    (void)path;
    (void)arena;
    *resolved = MLS_S("");
    return false;
}

mls_status mls_shell_read_bytes(mls_str bytes, const char *path, mls_shell **script, mls_error *error)
{
    *script = NULL;
    if (bytes.len > MLS_SHELL_BYTES_MAX) {
        return mls_error_set(error, MLS_ERROR_LIMIT, 0, 0, "longer than a config may be");
    }
    mls_shell *self = new_script(path, error);
    if (self == NULL) {
        return MLS_ERROR_MEMORY;
    }
    self->files = (mls_script_files){.read = read_nothing, .resolve = resolve_nothing};
    /* Values borrow from the text, so it has to stay. */
    const mls_str kept = mls_arena_copy(&self->state.arena, bytes);
    mls_status status = MLS_ERROR_MEMORY;
    if (kept.ptr != NULL) {
        status = read_script(self, &self->files, kept, error);
    } else {
        (void)mls_error_memory(error);
    }
    return finish(self, status, script);
}

void mls_shell_free(mls_shell *script)
{
    if (script == NULL) {
        return;
    }
    mls_script_release(&script->state);
    mls_script_disk_release(&script->disk);
    mls_findings_release(&script->findings);
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
    if (script->export_count == 0) {
        return NULL;
    }
    const mls_shell_variable key = {.name = name};
    return bsearch(&key, script->exports, script->export_count, sizeof key, compare_variables);
}

bool mls_shell_is_complete(const mls_shell *script)
{
    return !script->state.forgotten;
}

const char *mls_shell_path(const mls_shell *script)
{
    return script->path;
}

const mls_findings *mls_shell_findings(const mls_shell *script)
{
    return &script->findings;
}
