/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_config_script.c - any bytes as a config that sources files: the part
 * behind the first \x01 is what every sourced file holds.
 */
#include "shell/script.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static mls_status read_tail(void *state, mls_str path, mls_arena *arena, mls_str *bytes)
{
    const mls_str *tail = state;

    (void)arena;
    *bytes = *tail;
    if (mls_str_contains(path, MLS_S("outside")))
        return MLS_ERROR_UNKNOWN;
    return tail->ptr != NULL ? MLS_OK : MLS_ERROR_READ;
}

static bool resolve_below(void *state, mls_str path, mls_arena *arena, mls_str *resolved)
{
    (void)state;
    *resolved = mls_arena_copy(arena, path);
    return path.len > 0 && path.ptr[0] == '/';
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data;
    const char *cut = size > 0 ? memchr(text, '\x01', size) : NULL;
    const size_t length = cut != NULL ? (size_t)(cut - text) : size;
    mls_str tail = {cut != NULL ? cut + 1 : NULL, cut != NULL ? size - length - 1 : 0};
    const mls_script_files files = {.state = &tail, .read = read_tail, .resolve = resolve_below};
    mls_findings findings = {0};
    mls_script script = {.files = &files, .findings = &findings};

    if (size > 0 && memchr(text, '\0', size) != NULL)
        return 0;
    mls_script_start(&script, "/configs/config_X_2x8x4xtp2.sh", (mls_str){text, length});
    if (script.taint != 0 || script.repeat != 0 || script.nesting != 0 || script.subshells != 0 || script.loops != 0 ||
        script.source_depth != 0 || script.change_count != 0 || script.steps > SCRIPT_STEPS_MAX)
        abort();
    for (size_t i = 0; i < script.variable_count; i++) {
        const mls_script_variable *variable = &script.variables[i];
        if (variable->value.len > SCRIPT_VALUE_BYTES_MAX || !mls_script_is_name(variable->name) ||
            (variable->presence == PRESENCE_UNKNOWN && variable->value.len > 0))
            abort();
    }
    mls_script_release(&script);
    mls_findings_release(&findings);
    return 0;
}
