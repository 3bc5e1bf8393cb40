/* SPDX-License-Identifier: Apache-2.0 */
/*
 * folder.c - the configs below a folder.
 */
#include <stdlib.h>

#include "base/memory.h"
#include "base/walk.h"
#include "mlscore/config.h"

enum { ENTRIES_MAX = 10000000, DEPTH_MAX = 64 };

typedef struct finder {
    mls_config_paths *paths;
    mls_status status; /* of what could not be looked at; the walk goes on */
    mls_error *error;
} finder;

static int compare_paths(const void *a, const void *b)
{
    return mls_str_compare_natural(mls_str_from(*(const char *const *)a), mls_str_from(*(const char *const *)b));
}

static mls_status found(void *state, mls_walk_entry *entry)
{
    finder *self = state;
    mls_config_paths *paths = self->paths;
    const mls_str name = mls_str_from(entry->name);
    entry->enter = entry->enter && !entry->link;
    if (entry->too_deep && !entry->link) {
        self->status =
            mls_error_set(self->error, MLS_ERROR_LIMIT, 0, 0, "%s: too many folders inside each other", entry->path);
    }
    if (entry->kind != MLS_WALK_FILE || !mls_str_starts(name, MLS_S("config_")) || !mls_str_ends(name, MLS_S(".sh"))) {
        return MLS_OK;
    }
    char *path = MLS_GROW(paths, items) ? mls_copy_text(entry->path, strlen(entry->path)) : NULL;
    if (path == NULL) {
        return mls_error_memory(self->error);
    }
    paths->items[paths->count++] = path;
    return MLS_OK;
}

static mls_status listed(void *state, const mls_walk_entry *folder, size_t count, int system_errno)
{
    finder *self = state;
    (void)count;
    if (system_errno != 0) {
        self->status = mls_error_set_errno(self->error, MLS_ERROR_READ, system_errno, "%s", folder->path);
    }
    return MLS_OK;
}

mls_status mls_config_paths_find(const char *folder, mls_config_paths *paths, mls_error *error)
{
    finder self = {.paths = paths, .error = error};
    mls_folder_walk walk = {.visitor = {&self, found, listed}, .entries_max = ENTRIES_MAX, .depth_max = DEPTH_MAX};
    const mls_status status = mls_folder_walk_from(&walk, folder, 0, error);
    mls_folder_walk_release(&walk);
    if (paths->count > 0) {
        qsort(paths->items, paths->count, sizeof *paths->items, compare_paths);
    }
    return status != MLS_OK ? status : self.status;
}

void mls_config_paths_release(mls_config_paths *paths)
{
    for (size_t i = 0; i < paths->count; i++) {
        free(paths->items[i]);
    }
    free(paths->items);
    *paths = (mls_config_paths){0};
}
