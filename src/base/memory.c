/* SPDX-License-Identifier: Apache-2.0 */
/* memory.c - growing arrays and copying text. */
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

bool mls_grow(void **items, size_t count, size_t *capacity, size_t size)
{
    if (count < *capacity) {
        return true;
    }
    size_t bytes;
    const size_t wanted = *capacity < 4 ? 8 : *capacity * 2;
    void *grown = mls_size_mul(wanted, size, &bytes) ? realloc(*items, bytes) : NULL;
    if (grown == NULL) {
        return false;
    }
    *items = grown;
    *capacity = wanted;
    return true;
}

char *mls_copy_text(const char *text, size_t len)
{
    char *copy = len < SIZE_MAX ? malloc(len + 1) : NULL;
    if (copy != NULL) {
        if (len > 0) {
            memcpy(copy, text, len);
        }
        copy[len] = '\0';
    }
    return copy;
}
