/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_config_script.c - any bytes as a config; behind the first \x01 is what every file that it sources holds.
 */
#include "shell/command.h"
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static mls_status read_tail(void *state, mls_str path, mls_arena *arena, mls_str *bytes)
{
    (void)arena;
    *bytes = *(const mls_str *)state;
    return mls_str_contains(path, MLS_S("outside")) ? MLS_ERROR_UNKNOWN : bytes->ptr != NULL ? MLS_OK : MLS_ERROR_READ;
}

static mls_status resolve_below(void *state, mls_str path, mls_arena *arena, mls_str *resolved)
{
    (void)state;
    *resolved = mls_arena_copy(arena, path);
    return path.len > 0 && path.ptr[0] == '/' ? MLS_OK : MLS_ERROR_UNKNOWN;
}

static mls_status list_two(void *state, mls_str folder, mls_names *names)
{
    (void)state;
    return folder.len > 20 ? MLS_ERROR_UNKNOWN : mls_folder_names("tests/fuzz", 2, names, &(int){0});
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data;
    const char *cut = size > 0 ? memchr(text, '\x01', size) : NULL;
    const size_t length = cut != NULL ? (size_t)(cut - text) : size;
    mls_str tail = {cut != NULL ? cut + 1 : "", cut != NULL ? size - length - 1 : 0};
    const mls_shell_files files = {.state = &tail, .read = read_tail, .resolve = resolve_below, .list = list_two};
    mls_findings findings = {0};
    mls_shell_variables variables = {0};
    mls_shell_frame frame = {.variables = &variables};
    mls_shell_state state = {.files = &files, .findings = &findings, .frame = &frame};

    if (size > 0 && memchr(text, '\0', size) != NULL)
        return 0;
    mls_shell_run(&state, "/configs/config_X_2x8x4xtp2.sh", (mls_str){text, length});
    if (state.frame != &frame || state.steps > SHELL_STEPS_MAX || frame.repeat != 0 || frame.doubt != 0 ||
        (frame.flow != FLOW_STOP && (frame.nesting != 0 || state.source_depth != 0)))
        abort();
    for (size_t i = 0; i < variables.count; i++) {
        const mls_shell_slot *slot = &variables.items[i];
        if (slot->value.len > SHELL_VALUE_BYTES_MAX || !mls_shell_is_name(slot->name) ||
            (slot->presence != PRESENCE_SET && slot->value.len != (slot->presence == PRESENCE_UNKNOWN)) ||
            (i > 0 && mls_str_compare(variables.items[i - 1].name, slot->name) >= 0))
            abort();
    }
    free(variables.items);
    mls_arena_release(&state.arena);
    mls_findings_release(&findings);
    return 0;
}
