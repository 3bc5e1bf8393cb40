/* SPDX-License-Identifier: Apache-2.0 */
/* file.c - open files safely and read whole files. */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/memory.h"

enum { READ_STEP = 65536 };

const char *mls_file_kind_words(mode_t mode)
{
    return S_ISREG(mode)    ? NULL
           : S_ISDIR(mode)  ? "folder"
           : S_ISFIFO(mode) ? "named pipe"
           : S_ISSOCK(mode) ? "socket"
                            : "device";
}

const char *mls_file_magic_words(mls_str head)
{
    static const struct {
        mls_str magic;
        const char *reason;
    } kinds[] = {
        {MLS_STR("\x1f\x8b"), "compressed by gzip; gzip -dc FILE unpacks it"},
        {MLS_STR("\3757zXZ"), "compressed by xz; xz -dc FILE unpacks it"},
        {MLS_STR("\x28\xb5\x2f\xfd"), "compressed by zstd; zstd -dc FILE unpacks it"},
        {MLS_STR("BZh"), "compressed by bzip2; bzip2 -dc FILE unpacks it"},
        {MLS_STR("\x04\x22\x4d\x18"), "compressed by lz4; lz4 -dc FILE unpacks it"},
        {MLS_STR("PK\x03\x04"), "a zip archive; unzip -p FILE unpacks it"},
        {MLS_STR("\177ELF"), "binary file"},
        {MLS_STR("\x89HDF"), "binary file"},
        {MLS_STR("\x89PNG"), "image"},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (mls_str_starts(head, kinds[i].magic))
            return kinds[i].reason;
    return NULL;
}

static mls_status refuse_device(mls_error *error)
{
    return mls_error_set(error, MLS_ERROR_READ, 0, 0, "not a regular file, pipe or terminal");
}

mls_status mls_file_check(int fd, mls_error *error)
{
    struct stat about;
    const bool known = fstat(fd, &about) == 0; /* otherwise read() reports the error */
    const bool device = known && (S_ISBLK(about.st_mode) || S_ISCHR(about.st_mode));
    const bool empty = device && S_ISCHR(about.st_mode) && about.st_rdev == makedev(1, 3); /* /dev/null */
    return !device || empty || isatty(fd) ? MLS_OK : refuse_device(error);
}

mls_status mls_file_look(const char *path, struct stat *about, mls_error *error)
{
    const bool input = strcmp(path, "-") == 0;
    if ((input ? fstat(STDIN_FILENO, about) : stat(path, about)) != 0)
        return mls_error_set_errno(error, MLS_ERROR_READ, errno, "");
    if (input)
        return mls_file_check(STDIN_FILENO, error);
    if (!S_ISCHR(about->st_mode) && !S_ISBLK(about->st_mode) && !S_ISSOCK(about->st_mode))
        return MLS_OK;
    const int fd = S_ISCHR(about->st_mode) ? open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK) : -1;
    const mls_status status = fd >= 0 ? mls_file_check(fd, error) : refuse_device(error);
    if (fd >= 0)
        (void)close(fd);
    return status;
}

/* Return an opened descriptor if it can be read.  Otherwise close it and return -1 with *error set.  If opening failed,
 * fd is negative. */
static int take_open(int fd, bool given, mls_error *error)
{
    struct stat about = {0};
    if (fd < 0 || fstat(fd, &about) != 0) {
        (void)mls_error_set_errno(error, MLS_ERROR_READ, errno, "");
    } else if (S_ISBLK(about.st_mode) || S_ISCHR(about.st_mode)) {
        if (given && mls_file_check(fd, error) == MLS_OK)
            return fd;
        (void)refuse_device(error);
    } else if (S_ISDIR(about.st_mode) || (!given && !S_ISREG(about.st_mode))) {
        (void)mls_error_set(error, MLS_ERROR_READ, 0, 0, "is a %s", mls_file_kind_words(about.st_mode));
    } else {
        return fd;
    }
    if (fd >= 0)
        (void)close(fd);
    return -1;
}

int mls_file_open(const char *path, bool given, mls_error *error)
{
    if (given && strcmp(path, "-") == 0) {
        const int copy = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0);
        return take_open(copy, true, error);
    }
    struct stat about;
    if (given && mls_file_look(path, &about, error) != MLS_OK)
        return -1;
    return take_open(open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | (given ? 0 : O_NONBLOCK)), given, error);
}

int mls_file_open_again(const char *path, size_t root, mls_error *error)
{
    const int flags = O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK;
    return root > 0 ? take_open(mls_file_open_below(path, root, flags), false, error)
                    : mls_file_open(path, false, error);
}

bool mls_folder_is_of_other_user(const char *path)
{
    struct stat about;
    return geteuid() == 0 && stat(path, &about) == 0 && about.st_uid != 0;
}

int mls_file_walk_below(int folder, const char *below, int flags)
{
    char name[NAME_MAX + 1];
    int at = dup(folder);
    while (at >= 0) {
        below += strspn(below, "/");
        const size_t len = strcspn(below, "/");
        const bool last = below[len + strspn(below + len, "/")] == '\0';
        int next = -1;
        if (len > NAME_MAX) {
            errno = ENAMETOOLONG;
        } else if (len == 2 && memcmp(below, "..", 2) == 0) {
            errno = EXDEV; /* like openat2() */
        } else {
            (void)snprintf(name, sizeof name, "%.*s", len > 0 ? (int)len : 1, len > 0 ? below : ".");
            next = openat(at, name, (last ? flags : O_PATH | O_DIRECTORY | O_CLOEXEC) | O_NOFOLLOW);
        }
        const int system_errno = errno;
        (void)close(at);
        errno = system_errno;
        at = next;
        below += len;
        if (last)
            break;
    }
    return at;
}

int mls_file_open_below(const char *path, size_t root, int flags)
{
    const struct open_how how = {.flags = (unsigned)flags, .resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS};
    const char *below = path + root;
    char *folder = mls_strndup(path, root);
    const int above = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
    int fd = -1;
    while (*below == '/')
        below++;
    if (above >= 0) {
        fd = (int)syscall(SYS_openat2, above, below, &how, sizeof how);
        if (fd < 0 && errno == ENOSYS) /* before Linux 5.6 */
            fd = mls_file_walk_below(above, below, flags);
        const int system_errno = errno;
        (void)close(above);
        errno = system_errno;
    }
    free(folder);
    return fd;
}

/* Read an opened file to its end and close it.  A negative descriptor means that opening failed.  With `any`, accept
 * packed and binary files. */
static mls_status read_and_close(int fd, bool any, size_t limit, mls_buffer *text, mls_error *error)
{
    const size_t before = text->len;
    mls_status status = fd < 0 ? MLS_ERROR_READ : MLS_OK;
    for (ssize_t got = 1; got != 0 && status == MLS_OK;) {
        mls_buffer_reserve(text, READ_STEP);
        got = read(fd, text->ptr + text->len, READ_STEP);
        text->len += got > 0 ? (size_t)got : 0;
        text->ptr[text->len] = '\0';
        const char *packed =
            any || got != 0 ? NULL : mls_file_magic_words((mls_str){text->ptr + before, text->len - before});
        const bool mega = limit >= (size_t)1 << 20;
        if (packed != NULL)
            status = mls_error_set(error, MLS_ERROR_SYNTAX, 0, 0, "is not a text: %s", packed);
        else if (got < 0 && errno != EINTR)
            status = mls_error_set_errno(error, MLS_ERROR_READ, errno, "");
        else if (text->len - before > limit)
            status = mls_error_set(error, MLS_ERROR_LIMIT, 0, 0, "is larger than %zu %s", mega ? limit >> 20 : limit,
                                   mega ? "MiB" : "bytes");
    }
    if (fd >= 0)
        (void)close(fd);
    return status;
}

mls_status mls_file_read(const char *path, bool given, size_t limit, mls_buffer *text, mls_error *error)
{
    return read_and_close(mls_file_open(path, given, error), false, limit, text, error);
}

mls_status mls_file_read_again(const char *path, size_t root, size_t limit, mls_buffer *text, mls_error *error)
{
    return read_and_close(mls_file_open_again(path, root, error), false, limit, text, error);
}

mls_status mls_file_read_bytes(const char *path, size_t limit, mls_buffer *bytes, mls_error *error)
{
    return read_and_close(mls_file_open(path, false, error), true, limit, bytes, error);
}

char *mls_path_join(const char *folder, const char *name)
{
    mls_buffer path = {0};
    mls_buffer_append_text(&path, folder);
    if (path.len > 0 && path.ptr[path.len - 1] != '/')
        mls_buffer_append_char(&path, '/');
    mls_buffer_append_text(&path, name);
    return mls_buffer_detach(&path);
}

mls_str mls_path_folder(mls_str path)
{
    while (path.len > 0 && path.ptr[path.len - 1] != '/')
        path.len--;
    return path;
}

mls_str mls_path_cut(mls_str *path)
{
    while (path->len > 0 && path->ptr[path->len - 1] == '/')
        path->len--;
    const mls_str before = mls_path_folder(*path);
    const mls_str part = {path->ptr + before.len, path->len - before.len};
    *path = before;
    return part;
}

bool mls_path_is_below(mls_str path, mls_str folder)
{
    return folder.len > 0 && mls_str_starts(path, folder) &&
           (folder.len == 1 || path.len == folder.len || path.ptr[folder.len] == '/');
}

const char *mls_path_name(const char *path)
{
    return path + mls_path_folder(mls_str_from(path)).len;
}
