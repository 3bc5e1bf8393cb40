/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_config_script.c - any bytes as a config; behind the first \x01 is what x.sh and config_common.sh beside it hold.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "config/script_state.h"

static char folder[] = "/tmp/fuzz-config-XXXXXX";
static char path[64];   /* of the config */
static char beside[64]; /* what it may source */
static char other[64];  /* a link to that */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void remove_folder(void)
{
    (void)unlink(beside);
    (void)unlink(other);
    (void)rmdir(folder);
}

static void make_folder(void)
{
    if (mkdtemp(folder) == NULL)
        abort();
    (void)snprintf(path, sizeof path, "%s/config_X_2x8x4xtp2.sh", folder);
    (void)snprintf(beside, sizeof beside, "%s/x.sh", folder);
    (void)snprintf(other, sizeof other, "%s/config_common.sh", folder);
    if (symlink("x.sh", other) != 0)
        abort();
    (void)atexit(remove_folder);
}

static void write_beside(mls_str tail)
{
    FILE *file = fopen(beside, "wb");
    if (file == NULL || fwrite(tail.ptr, 1, tail.len, file) != tail.len || fclose(file) != 0)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *cut = size > 0 ? memchr(data, '\x01', size) : NULL;
    const size_t length = cut != NULL ? (size_t)(cut - (const char *)data) : size;
    mls_findings findings = {0};
    mls_arena arena = {0};
    mls_shell_state state = {.arena = &arena, .findings = &findings};
    const mls_shell_frame *frame = &state.frame;
    const mls_shell_variables *variables = &frame->variables;

    if (size > 0 && memchr(data, '\0', length) != NULL)
        return 0;
    if (path[0] == '\0')
        make_folder();
    if (cut != NULL)
        write_beside((mls_str){cut + 1, size - length - 1});
    else
        (void)unlink(beside);
    const mls_str text = mls_arena_copy(&arena, (mls_str){(const char *)data, length});
    mls_shell_files_init(&state, path, NULL);
    if (text.ptr == NULL || state.stopped)
        abort();
    mls_shell_run(&state, path, text);
    if (state.steps > SHELL_STEPS_MAX || frame->doubt != 0 || frame->nesting != 0 || state.source_depth != 0)
        abort();
    for (size_t i = 0; i < variables->count; i++) {
        const mls_shell_slot *slot = &variables->items[i];
        if (slot->value.len > SHELL_VALUE_BYTES_MAX || !mls_str_is_name(slot->name) || slot->value.ptr == NULL ||
            (i > 0 && mls_str_compare(variables->items[i - 1].name, slot->name) >= 0))
            abort();
    }
    mls_arena_release(&arena);
    mls_findings_release(&findings);
    return 0;
}
