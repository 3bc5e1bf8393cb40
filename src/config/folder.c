/* SPDX-License-Identifier: Apache-2.0 */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "mlscore/config.h"

static int compare_paths(const void *a, const void *b)
{
    const char *const *left = a;
    const char *const *right = b;
    return mls_str_compare_natural(mls_str_from(*left), mls_str_from(*right));
}

static bool add_path(mls_config_paths *paths, char *path)
{
    if (path == NULL || !MLS_GROW(paths, items)) {
        free(path);
        return false;
    }
    paths->items[paths->count++] = path;
    return true;
}

static char *join_path(const char *folder, const char *name)
{
    mls_buffer path = {0};
    const mls_str text = mls_str_from(folder);
    mls_buffer_append(&path, text);
    if (text.len > 0 && !mls_str_ends(text, MLS_S("/"))) {
        mls_buffer_append_char(&path, '/');
    }
    mls_buffer_append_text(&path, name);
    return mls_buffer_detach(&path);
}

static bool is_config(const char *name)
{
    const mls_str text = mls_str_from(name);
    return mls_str_starts(text, MLS_S("config_")) && mls_str_ends(text, MLS_S(".sh"));
}

/* Sorts one entry into configs or folders still to be looked at; everything else is passed over. */
static mls_status take_entry(const char *folder, const char *name, mls_config_paths *configs, mls_config_paths *folders)
{
    if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0) {
        return MLS_OK;
    }
    char *path = join_path(folder, name);
    struct stat info;
    if (path == NULL) {
        return MLS_ERROR_MEMORY;
    }
    if (lstat(path, &info) == 0 && S_ISDIR(info.st_mode)) {
        return add_path(folders, path) ? MLS_OK : MLS_ERROR_MEMORY;
    }
    if (is_config(name) && stat(path, &info) == 0 && S_ISREG(info.st_mode)) {
        return add_path(configs, path) ? MLS_OK : MLS_ERROR_MEMORY;
    }
    free(path);
    return MLS_OK;
}

static mls_status find_below(const char *folder, size_t depth, mls_config_paths *paths, mls_error *error)
{
    if (depth >= MLS_CONFIG_FOLDER_DEPTH_MAX) {
        return mls_error_set(error, MLS_ERROR_LIMIT, 0, 0, "%s: too many folders inside each other", folder);
    }
    DIR *directory = opendir(folder);
    if (directory == NULL) {
        return mls_error_set_errno(error, MLS_ERROR_READ, errno, "%s", folder);
    }
    mls_config_paths folders = {0};
    mls_status status = MLS_OK;
    const struct dirent *entry;
    while (status == MLS_OK && (entry = readdir(directory)) != NULL) {
        status = take_entry(folder, entry->d_name, paths, &folders);
    }
    (void)closedir(directory);
    if (status == MLS_ERROR_MEMORY) {
        (void)mls_error_set(error, status, 0, 0, "out of memory");
    }
    for (size_t i = 0; i < folders.count && status != MLS_ERROR_MEMORY; i++) {
        const mls_status below = find_below(folders.items[i], depth + 1, paths, error);
        status = below != MLS_OK ? below : status;
    }
    mls_config_paths_release(&folders);
    return status;
}

mls_status mls_config_paths_find(const char *folder, mls_config_paths *paths, mls_error *error)
{
    const size_t before = paths->count;
    const mls_status status = find_below(folder, 0, paths, error);
    if (paths->count > before) {
        qsort(paths->items + before, paths->count - before, sizeof *paths->items, compare_paths);
    }
    return status;
}

void mls_config_paths_release(mls_config_paths *paths)
{
    for (size_t i = 0; i < paths->count; i++) {
        free(paths->items[i]);
    }
    free(paths->items);
    *paths = (mls_config_paths){0};
}
