/* SPDX-License-Identifier: Apache-2.0 */
#include "shell/script_files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The folder of a file, its links resolved; NULL when there is none, or no memory. */
static char *real_folder(mls_str path)
{
    char *copy = strndup(path.ptr, path.len);
    char *real = copy != NULL ? realpath(path.len > 0 ? copy : ".", NULL) : NULL;
    free(copy);
    return real;
}

void mls_script_disk_init(mls_script_disk *disk, const char *path, const char *root)
{
    const char *slash = strrchr(path, '/');
    *disk = (mls_script_disk){.path = path, .folder_length = slash != NULL ? (size_t)(slash - path) + 1 : 0};
    if (root != NULL) {
        disk->roots[0] = realpath(root, NULL);
        return;
    }
    disk->roots[0] = real_folder((mls_str){path, disk->folder_length});
    char *target = realpath(path, NULL);
    slash = target != NULL ? strrchr(target, '/') : NULL;
    disk->roots[1] = slash != NULL ? real_folder((mls_str){target, (size_t)(slash - target) + 1}) : NULL;
    free(target);
}

void mls_script_disk_release(mls_script_disk *disk)
{
    free(disk->roots[0]);
    free(disk->roots[1]);
    *disk = (mls_script_disk){0};
}

static mls_status load_open(int fd, mls_arena *arena, mls_str *bytes, mls_error *error)
{
    struct stat info;
    if (fstat(fd, &info) != 0) {
        return mls_error_set_errno(error, MLS_ERROR_READ, errno, "cannot be read");
    }
    if (!S_ISREG(info.st_mode)) {
        return mls_error_set(error, MLS_ERROR_READ, 0, 0, "is not a file");
    }
    if (info.st_size > (off_t)SCRIPT_FILE_BYTES_MAX) {
        return mls_error_set(error, MLS_ERROR_LIMIT, 0, 0, "is longer than a config may be");
    }
    const size_t size = (size_t)info.st_size;
    char *buffer = mls_arena_alloc(arena, size + 1);
    if (buffer == NULL) {
        return mls_error_memory(error);
    }
    size_t length = 0;
    while (length < size) {
        const ssize_t got = read(fd, buffer + length, size - length);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0) {
            return mls_error_set_errno(error, MLS_ERROR_READ, errno, "cannot be read");
        }
        if (got == 0) {
            break;
        }
        length += (size_t)got;
    }
    *bytes = (mls_str){buffer, length};
    return MLS_OK;
}

mls_status mls_script_disk_load(const char *path, mls_arena *arena, mls_str *bytes, mls_error *error)
{
    *bytes = MLS_S("");
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0) {
        return mls_error_set_errno(error, MLS_ERROR_READ, errno, "cannot be opened");
    }
    const mls_status status = load_open(fd, arena, bytes, error);
    (void)close(fd);
    return status;
}

static mls_str without_dot(mls_str path)
{
    while (mls_str_starts(path, MLS_S("./"))) {
        path = (mls_str){path.ptr + 2, path.len - 2};
    }
    return path;
}

/* Whether a path is, as text, in the config's folder or below, or in that folder's real place. */
static bool is_beside(const mls_script_disk *disk, mls_str path)
{
    const mls_str folder = without_dot((mls_str){disk->path, disk->folder_length});
    const mls_str plain = without_dot(path);
    bool inside = folder.len > 0 ? mls_str_starts(plain, folder) : !mls_str_starts(plain, MLS_S("/"));
    /* dirname says "a" for "a/config.sh", and "." for "config.sh". */
    inside = inside || (folder.len > 1 && mls_str_equal(plain, (mls_str){folder.ptr, folder.len - 1}));
    for (size_t i = 0; i < MLS_SCRIPT_ROOTS && !inside; i++) {
        inside = disk->roots[i] != NULL && mls_str_starts(path, mls_str_from(disk->roots[i]));
    }
    return inside;
}

static bool has_step_up(mls_str path)
{
    for (size_t at = 0; at + 2 <= path.len; at++) {
        if (memcmp(path.ptr + at, "..", 2) == 0) {
            return true;
        }
    }
    return false;
}

/* A path that really is below a root, or that leads nowhere below it; NUL-terminated, or NULL. */
static const char *allowed(const mls_script_disk *disk, mls_str path, mls_arena *arena)
{
    const mls_str copy = mls_arena_copy(arena, path);
    const bool whole = path.len == 0 || memchr(path.ptr, '\0', path.len) == NULL;
    if (copy.ptr == NULL || !whole || !is_beside(disk, path)) {
        return NULL;
    }
    char *real = realpath(copy.len > 0 ? copy.ptr : ".", NULL);
    if (real == NULL) {
        return (errno == ENOENT || errno == ENOTDIR) && !has_step_up(path) ? copy.ptr : NULL;
    }
    bool inside = false;
    for (size_t i = 0; i < MLS_SCRIPT_ROOTS && !inside; i++) {
        const mls_str root = mls_str_from(disk->roots[i] != NULL ? disk->roots[i] : "");
        const mls_str place = mls_str_from(real);
        inside = root.len > 0 && mls_str_starts(place, root) &&
                 (root.len == 1 || place.len == root.len || place.ptr[root.len] == '/');
    }
    free(real);
    return inside ? copy.ptr : NULL;
}

static mls_status disk_read(void *state, mls_str path, mls_arena *arena, mls_str *bytes)
{
    const mls_script_disk *disk = state;
    const char *name = allowed(disk, path, arena);
    *bytes = MLS_S("");
    if (name == NULL) {
        return MLS_ERROR_UNKNOWN;
    }
    mls_error error = {0};
    const mls_status status = mls_script_disk_load(name, arena, bytes, &error);
    if (status == MLS_OK && bytes->len > 0 && memchr(bytes->ptr, '\0', bytes->len) != NULL) {
        return MLS_ERROR_UNKNOWN;
    }
    if (status == MLS_ERROR_READ) {
        return error.system_errno == ENOENT || error.system_errno == ENOTDIR ? MLS_ERROR_READ : MLS_ERROR_UNKNOWN;
    }
    return status;
}

static bool disk_resolve(void *state, mls_str path, mls_arena *arena, mls_str *resolved)
{
    const mls_script_disk *disk = state;
    const char *name = allowed(disk, path, arena);
    char *real = name != NULL ? realpath(name[0] != '\0' ? name : ".", NULL) : NULL;
    if (real == NULL) {
        return false;
    }
    *resolved = mls_arena_copy(arena, mls_str_from(real));
    free(real);
    return resolved->ptr != NULL;
}

mls_script_files mls_script_disk_files(mls_script_disk *disk)
{
    return (mls_script_files){.state = disk, .read = disk_read, .resolve = disk_resolve};
}
