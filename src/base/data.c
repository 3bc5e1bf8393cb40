/* SPDX-License-Identifier: Apache-2.0 */
/*
 * data.c - finding an embedded file.
 */
#include "base/data.h"

#include <string.h>

mls_str mls_data_find(const char *name)
{
    for (const mls_data_file *file = mls_data_files; file->name != NULL; file++) {
        if (strcmp(file->name, name) == 0) {
            return (mls_str){file->begin, (size_t)(file->end - file->begin)};
        }
    }
    return (mls_str){NULL, 0};
}
