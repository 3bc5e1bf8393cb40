/* SPDX-License-Identifier: Apache-2.0 */
/* data.h - the files of src/data, which the Makefile embeds in the program.  A NUL follows each file; it is not part of
 * the file. */
#pragma once

#include "base/base.h"

typedef struct mls_data_file {
    const char *name;        /* relative to src/data: "rules/training-5.1.0.json" */
    const char *begin, *end; /* the first byte, and the byte after the last, possibly packed: see mls_data_text() */
    const char *sha256;      /* SHA-256 in base64 of a style sheet or script; "" for other files */
} mls_data_file;

/* All embedded files, sorted by name.  The last row has the name NULL. */
extern const mls_data_file mls_data_files[];

/* Return the embedded file with a name, or NULL if no file has this name. */
static inline const mls_data_file *mls_data_file_named(const char *name)
{
    for (const mls_data_file *file = mls_data_files; file->name != NULL; file++)
        if (strcmp(file->name, name) == 0)
            return file;
    return NULL;
}

/* Return the contents of a file, which are valid until the process ends.  Large tables of the static program are packed
 * with gzip, and unpacked on first use.  Any number of threads may call it. */
mls_str mls_data_text(const mls_data_file *file);

/* Return the contents of an embedded file, which are valid until the process ends; ptr is NULL if no file has this
 * name.
 */
static inline mls_str mls_data_find(const char *name)
{
    const mls_data_file *file = mls_data_file_named(name);
    return file != NULL ? mls_data_text(file) : (mls_str){NULL, 0};
}
