/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_config_script.c - evaluate any bytes as a config script.  The bytes after the first \x01 become x.sh and
 * config_common.sh in the same folder. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/buffer.h"
#include "config/shell.h"

static char folder[] = "/tmp/fuzz-config-XXXXXX";
static char path[64];   /* the config */
static char beside[64]; /* a file that it may source */
static char other[64];  /* a link to that file */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void remove_folder(void)
{
    (void)unlink(path);
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

static void write_file(const char *name, mls_str text)
{
    FILE *file = fopen(name, "wb");
    if (file == NULL || fwrite(text.ptr, 1, text.len, file) != text.len || fclose(file) != 0)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *cut = size > 0 ? memchr(data, '\x01', size) : NULL;
    const size_t length = cut != NULL ? (size_t)(cut - (const char *)data) : size;
    mls_shell *script;
    mls_error error = {0};

    if (path[0] == '\0')
        make_folder();
    if (cut != NULL)
        write_file(beside, (mls_str){cut + 1, size - length - 1});
    else
        (void)unlink(beside);
    write_file(path, (mls_str){(const char *)data, length});
    if (mls_shell_read(path, NULL, &script, &error) != MLS_OK) {
        if (error.message[0] == '\0')
            abort();
        return 0;
    }
    for (size_t i = 0; i < script->export_count; i++) {
        const mls_shell_variable *variable = &script->exports[i];
        if (variable->value.len > MLS_SHELL_VALUE_BYTES_MAX || !mls_str_is_name(variable->name) ||
            (!variable->known && variable->value.len > 0) || mls_shell_find(script, variable->name) != variable)
            abort();
    }
    mls_shell_free(script);
    return 0;
}
