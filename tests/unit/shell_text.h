/* SPDX-License-Identifier: Apache-2.0 */
/* shell_text.h - read a text as a script that is alone in its folder. */
#ifndef SHELL_TEXT_H
#define SHELL_TEXT_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "config/shell.h"

/* Include cmocka.h before this. */
static inline mls_shell *shell_text_read(const char *name, mls_str text)
{
    char folder[] = "/tmp/mlscore-shell-XXXXXX";
    char path[256];
    mls_shell *script;
    assert_non_null(mkdtemp(folder));
    assert_true(snprintf(path, sizeof path, "%s/%s", folder, name) < (int)sizeof path);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text.ptr, 1, text.len, file), text.len);
    assert_int_equal(fclose(file), 0);
    const mls_status status = mls_shell_read(path, NULL, &script, NULL);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(rmdir(folder), 0);
    assert_int_equal(status, MLS_OK);
    return script;
}

#endif
