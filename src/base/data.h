/* SPDX-License-Identifier: Apache-2.0 */
/* data.h - the files of src/data, embedded by the Makefile; after a file's bytes is a NUL that does not count. */
#pragma once

#include "base/base.h"

typedef struct mls_data_file {
    const char *name; /* relative to src/data: "rules/training-5.1.0.json" */
    const char *begin, *end;
    const char *sha256; /* in base 64; of a style or a script, "" of any other */
} mls_data_file;

/* Ends with a row whose name is NULL; sorted by name. */
extern const mls_data_file mls_data_files[];

/* An embedded file; NULL when there is none of that name. */
static inline const mls_data_file *mls_data_file_named(const char *name)
{
    for (const mls_data_file *file = mls_data_files; file->name != NULL; file++) {
        if (strcmp(file->name, name) == 0) {
            return file;
        }
    }
    return NULL;
}

/* Its bytes, for the life of the process; ptr NULL when there is none of that name. */
static inline mls_str mls_data_find(const char *name)
{
    const mls_data_file *file = mls_data_file_named(name);
    return file != NULL ? (mls_str){file->begin, (size_t)(file->end - file->begin)} : (mls_str){NULL, 0};
}
