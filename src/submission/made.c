/* SPDX-License-Identifier: Apache-2.0 */
/* made.c - create files and folders, and undo that. */
#include "submission/packing.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/temporary.h"
#include "base/utf8.h"

static mls_status cannot_make(const char *path, int system_errno, mls_error *error)
{
    return mls_error_set(error, MLS_ERROR_WRITE, 0, 0, "%.*s: cannot be created: %s", MLS_CUT_TEXT(path, 200),
                         strerror(system_errno));
}

mls_status mls_made_folder(mls_names *made, const char *path, mls_error *error)
{
    struct stat about;
    if (stat(path, &about) == 0 && S_ISDIR(about.st_mode))
        return MLS_OK;
    mls_str above = mls_path_folder(mls_str_from(path));
    above.len -= above.len > 1;
    if (above.len > 0) {
        char *folder = mls_strndup(above.ptr, above.len);
        const mls_status status = mls_made_folder(made, folder, error);
        free(folder);
        if (status != MLS_OK)
            return status;
    }
    if (mkdir(path, 0777) != 0)
        return cannot_make(path, errno, error);
    mls_names_add(made, mls_str_from(path));
    return MLS_OK;
}

mls_status mls_made_own_folder(mls_names *made, char *path, mls_error *error)
{
    if (!mls_temporary_folder(path))
        return cannot_make(path, errno, error);
    mls_names_add(made, mls_str_from(path));
    return MLS_OK;
}

mls_status mls_made_file(mls_names *made, const char *path, mode_t mode, mls_str text, mls_error *error)
{
    const int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode);
    int failed = fd < 0 ? errno : 0;
    if (fd >= 0)
        mls_names_add(made, mls_str_from(path));
    while (failed == 0 && text.len > 0) {
        const ssize_t wrote = write(fd, text.ptr, text.len);
        failed = wrote < 0 && errno != EINTR ? errno : 0;
        text.ptr += wrote > 0 ? wrote : 0;
        text.len -= wrote > 0 ? (size_t)wrote : 0;
    }
    failed = failed == 0 && fsync(fd) != 0 ? errno : failed;
    if (fd >= 0 && close(fd) != 0 && failed == 0)
        failed = errno;
    return failed != 0 ? cannot_make(path, failed, error) : MLS_OK;
}

mls_status mls_made_link(mls_names *made, const char *path, const char *target, mls_error *error)
{
    if (symlink(target, path) != 0)
        return cannot_make(path, errno, error);
    mls_names_add(made, mls_str_from(path));
    return MLS_OK;
}

mls_status mls_made_move(mls_names *made, const char *from, const char *to, mls_error *error)
{
    struct stat about;
    int failed = renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) != 0 ? errno : 0;
    if (failed == EINVAL || failed == ENOSYS) /* the file system cannot rename without replacing: check first */
        failed = lstat(to, &about) == 0 ? EEXIST : rename(from, to) != 0 ? errno : 0;
    if (failed == 0) {
        mls_names_add(made, mls_str_from(to));
        return MLS_OK;
    }
    return failed == EEXIST || failed == ENOTEMPTY
               ? mls_error_set(error, MLS_ERROR_VALUE, 0, 0, "%.*s: exists already and is not overwritten",
                               MLS_CUT_TEXT(to, 200))
               : cannot_make(to, failed, error);
}

mls_status mls_made_sync(const char *folder, mls_error *error)
{
    const int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const int failed = fd < 0 || fsync(fd) != 0 ? errno : 0;
    if (fd >= 0)
        (void)close(fd);
    return failed != 0 && failed != EINVAL ? cannot_make(folder, failed, error) : MLS_OK;
}

void mls_made_undo(mls_names *made)
{
    for (size_t i = made->count; i > 0; i--)
        (void)remove(made->items[i - 1]);
    mls_names_release(made);
}
