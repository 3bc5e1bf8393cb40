/* SPDX-License-Identifier: Apache-2.0 */
/* data.h - the files of src/data, embedded by the Makefile; after a file's bytes is a NUL that does not count. */
#pragma once

#include "base/base.h"

typedef struct mls_data_file {
    const char *name; /* relative to src/data: "rules/training-5.1.0.json" */
    const char *begin, *end;
} mls_data_file;

/* Ends with a row whose name is NULL; sorted by name. */
extern const mls_data_file mls_data_files[];

/* The bytes of an embedded file, for the life of the process; ptr NULL when there is none of that name. */
static inline mls_str mls_data_find(const char *name)
{
    for (const mls_data_file *file = mls_data_files; file->name != NULL; file++) {
        if (strcmp(file->name, name) == 0) {
            return (mls_str){file->begin, (size_t)(file->end - file->begin)};
        }
    }
    return (mls_str){NULL, 0};
}
