/* SPDX-License-Identifier: Apache-2.0 */
/* data.h - the files of src/data, embedded by the Makefile.  Each is followed by a NUL that is not counted. */
#pragma once

#include "base/base.h"

typedef struct mls_data_file {
    const char *name; /* relative to src/data: "rules/training-5.1.0.json" */
    const char *begin, *end;
    const char *sha256; /* in base64, for style sheets and scripts; "" for other files */
} mls_data_file;

/* Sorted by name; ends with a row whose name is NULL. */
extern const mls_data_file mls_data_files[];

/* Return an embedded file, or NULL if there is none of that name. */
static inline const mls_data_file *mls_data_file_named(const char *name)
{
    for (const mls_data_file *file = mls_data_files; file->name != NULL; file++)
        if (strcmp(file->name, name) == 0)
            return file;
    return NULL;
}

/* Return the bytes of an embedded file, valid until the process ends; ptr is NULL if there is no such file. */
static inline mls_str mls_data_find(const char *name)
{
    const mls_data_file *file = mls_data_file_named(name);
    return file != NULL ? (mls_str){file->begin, (size_t)(file->end - file->begin)} : (mls_str){NULL, 0};
}
