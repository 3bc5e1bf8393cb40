/* SPDX-License-Identifier: Apache-2.0 */
/* walk.c - visit all files and folders below a root folder. */
#include "base/walk.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/file.h"
#include "base/memory.h"

/* The state of a walk below one root. */
typedef struct walking {
    mls_folder_walk *walk;
    mls_buffer path; /* path of the current entry */
    size_t root_len; /* length of the path of the root */
    char *real_root; /* path of the root with links resolved; NULL until the first link */
    mls_error *error;
} walking;

int mls_compare_names(const void *a, const void *b)
{
    return mls_str_compare_natural(mls_str_from(*(const char *const *)a), mls_str_from(*(const char *const *)b));
}

void mls_names_add(mls_names *names, mls_str name)
{
    MLS_GROW(names, items);
    names->items[names->count++] = mls_strndup(name.ptr, name.len);
}

void mls_names_release(mls_names *names)
{
    for (size_t i = 0; i < names->count; i++)
        free(names->items[i]);
    free((void *)names->items);
    *names = (mls_names){0};
}

/* Append at most `limit` names in a folder and sort them. *system_errno is 0; the error that stopped reading; or
 * EOVERFLOW if the folder contains more names. */
static void read_names(DIR *folder, size_t limit, mls_names *list, int *system_errno)
{
    *system_errno = 0;
    for (;;) {
        errno = 0;
        const struct dirent *entry = readdir(folder);
        if (entry == NULL) {
            *system_errno = errno;
            break;
        }
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        if (list->count == limit) {
            *system_errno = EOVERFLOW;
            break;
        }
        mls_names_add(list, mls_str_from(entry->d_name));
    }
    if (list->count > 1)
        qsort((void *)list->items, list->count, sizeof *list->items, mls_compare_names);
}

void mls_folder_names(const char *path, size_t limit, mls_names *names, int *system_errno)
{
    DIR *folder = opendir(path);
    *system_errno = errno;
    if (folder != NULL) {
        read_names(folder, limit, names, system_errno);
        (void)closedir(folder);
    }
}

static bool was_entered(const mls_folder_walk *walk, const struct stat *about)
{
    const uint64_t id[2] = {(uint64_t)about->st_dev, (uint64_t)about->st_ino};
    return mls_map_find(&walk->entered, (mls_str){(const char *)id, sizeof id}) != NULL;
}

/* Set the strings of an entry, which are parts of self->path.  They become invalid when self->path grows. */
static void place_entry(const walking *self, mls_walk_entry *entry)
{
    entry->path = self->path.ptr;
    entry->below = self->path.ptr + self->root_len;
    entry->below += *entry->below == '/';
    entry->name = mls_path_name(self->path.ptr);
}

static mls_status walk_folder(walking *self, int folder, mls_walk_entry *entry, const struct stat *seen);

/* Visit the entry `name` of an open folder.  If the entry is a folder to be entered, visit its entries too. */
static mls_status walk_name(walking *self, int folder, const mls_walk_entry *above, const char *name)
{
    mls_folder_walk *walk = self->walk;
    struct stat about;
    if (walk->entries++ == walk->entries_max)
        return mls_error_set(self->error, MLS_ERROR_LIMIT, 0, 0, "more than %zu files and folders", walk->entries_max);
    if (self->path.len > 0 && self->path.ptr[self->path.len - 1] != '/')
        mls_buffer_append_char(&self->path, '/');
    mls_buffer_append_text(&self->path, name);
    mls_walk_entry entry = {.depth = above->depth + 1, .role = above->inner, .inner = above->inner};
    place_entry(self, &entry);
    bool found = fstatat(folder, entry.name, &about, AT_SYMLINK_NOFOLLOW) == 0;
    entry.kind = MLS_WALK_FAILED;
    if (found && S_ISLNK(about.st_mode)) {
        entry.link = true;
        if (self->real_root == NULL) {
            const char end = self->path.ptr[self->root_len];
            self->path.ptr[self->root_len] = '\0';
            self->real_root = realpath(self->path.ptr, NULL);
            self->path.ptr[self->root_len] = end;
        }
        char *real = self->real_root != NULL ? realpath(self->path.ptr, NULL) : NULL;
        entry.outside = real == NULL || !mls_path_is_below(mls_str_from(real), mls_str_from(self->real_root));
        free(real);
        found = fstatat(folder, entry.name, &about, 0) == 0;
        if (!found && (errno == ENOENT || errno == ELOOP || errno == ENOTDIR))
            entry.kind = MLS_WALK_LOST;
    }
    if (found) {
        entry.mode = about.st_mode;
        entry.size = S_ISREG(about.st_mode) ? (uint64_t)about.st_size : 0;
        entry.kind = S_ISREG(about.st_mode)   ? MLS_WALK_FILE
                     : S_ISDIR(about.st_mode) ? MLS_WALK_FOLDER
                                              : MLS_WALK_SPECIAL;
        entry.before = entry.kind == MLS_WALK_FOLDER && was_entered(walk, &about);
    } else {
        entry.system_errno = errno;
    }
    entry.too_deep = entry.kind == MLS_WALK_FOLDER && entry.depth > walk->depth_max;
    entry.enter = entry.kind == MLS_WALK_FOLDER && !entry.before && !(entry.outside && walk->inside);
    const mls_status status = walk->visitor.found(walk->visitor.state, &entry);
    if (status == MLS_OK && entry.kind == MLS_WALK_FOLDER && entry.enter && !entry.too_deep)
        return walk_folder(self, folder, &entry, &about);
    return status;
}

static mls_status walk_folder(walking *self, int above, mls_walk_entry *entry, const struct stat *seen)
{
    mls_folder_walk *walk = self->walk;
    const size_t len = self->path.len;
    mls_names list = {0};
    int system_errno = 0;
    const uint64_t id[2] = {(uint64_t)seen->st_dev, (uint64_t)seen->st_ino};
    walk->entered.arena = &walk->arena;
    (void)mls_map_put(&walk->entered, (mls_str){(const char *)id, sizeof id}, NULL);
    /* Open the folder that was examined.  Fail if it was replaced by another one meanwhile. */
    struct stat about;
    const int fd =
        openat(above, entry->depth == 0 ? entry->path : entry->name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK);
    DIR *folder = NULL;
    if (fd >= 0 && fstat(fd, &about) == 0) {
        const bool same = about.st_dev == seen->st_dev && about.st_ino == seen->st_ino;
        errno = same ? errno : ESTALE;
        folder = same ? fdopendir(fd) : NULL;
    }
    system_errno = folder == NULL ? errno : 0;
    if (folder == NULL && fd >= 0)
        (void)close(fd);
    if (folder != NULL)
        read_names(folder, walk->entries_max, &list, &system_errno);
    mls_status status = walk->visitor.listed(walk->visitor.state, entry, &list, system_errno);
    for (size_t i = 0; folder != NULL && i < list.count && status == MLS_OK; i++) {
        status = walk_name(self, dirfd(folder), entry, list.items[i]);
        mls_buffer_cut(&self->path, len);
    }
    mls_names_release(&list);
    if (folder != NULL)
        (void)closedir(folder);
    return status;
}

mls_status mls_folder_walk_from(mls_folder_walk *walk, const char *root, int role, mls_error *error)
{
    walking self = {.walk = walk, .error = error};
    const mls_names none = {0};
    mls_walk_entry entry = {.kind = MLS_WALK_FOLDER, .role = role, .inner = role};
    struct stat about = {0};
    mls_status status = MLS_OK;
    mls_buffer_append_text(&self.path, root);
    self.root_len = self.path.len;
    place_entry(&self, &entry);
    if (stat(root, &about) != 0)
        status = walk->visitor.listed(walk->visitor.state, &entry, &none, errno);
    else if (!was_entered(walk, &about))
        status = walk_folder(&self, AT_FDCWD, &entry, &about);
    free(self.real_root);
    mls_buffer_release(&self.path);
    return status;
}

void mls_folder_walk_release(mls_folder_walk *walk)
{
    mls_arena_release(&walk->arena);
    *walk = (mls_folder_walk){.visitor = walk->visitor};
}
