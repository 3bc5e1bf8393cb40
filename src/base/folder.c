/* SPDX-License-Identifier: Apache-2.0 */
#include "base/folder.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/memory.h"

enum { MLS_READ_STEP = 65536 };

static int mls_names_compare(const void *a, const void *b)
{
    const char *const *left = a;
    const char *const *right = b;
    return mls_str_compare_natural(mls_str_from(*left), mls_str_from(*right));
}

void mls_names_release(mls_names *names)
{
    for (size_t i = 0; i < names->count; i++) {
        free(names->items[i]);
    }
    free((void *)names->items);
    *names = (mls_names){0};
}

mls_status mls_folder_names(const char *path, size_t limit, mls_names *names, int *system_errno)
{
    mls_status status = MLS_OK;
    DIR *folder = opendir(path);
    *system_errno = folder == NULL ? errno : 0;
    while (folder != NULL && status == MLS_OK) {
        errno = 0;
        const struct dirent *entry = readdir(folder);
        if (entry == NULL || names->count == limit) {
            *system_errno = entry == NULL ? errno : EOVERFLOW;
            break;
        }
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) {
            continue;
        }
        char *name = mls_copy_text(entry->d_name, strlen(entry->d_name));
        if (name == NULL || !mls_grow((void **)&names->items, names->count, &names->capacity, sizeof *names->items)) {
            free(name);
            status = MLS_ERROR_MEMORY;
        } else {
            names->items[names->count++] = name;
        }
    }
    if (folder != NULL) {
        (void)closedir(folder);
    }
    if (names->count > 1) {
        qsort((void *)names->items, names->count, sizeof *names->items, mls_names_compare);
    }
    return status;
}

mls_status mls_read_all(int fd, size_t limit, mls_buffer *text, int *system_errno)
{
    for (;;) {
        if (!mls_buffer_reserve(text, MLS_READ_STEP)) {
            return MLS_ERROR_MEMORY;
        }
        const ssize_t got = read(fd, text->ptr + text->len, MLS_READ_STEP);
        if (got > 0) {
            text->len += (size_t)got;
            text->ptr[text->len] = '\0';
        }
        if (got == 0 || text->len > limit) {
            return got == 0 ? MLS_OK : MLS_ERROR_LIMIT;
        }
        if (got < 0 && errno != EINTR) {
            *system_errno = errno;
            return MLS_ERROR_READ;
        }
    }
}
