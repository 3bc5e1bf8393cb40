/* SPDX-License-Identifier: Apache-2.0 */
/* output.c - standard output, and files that are replaced atomically. */
#include "base/output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/temporary.h"
#include "base/walk.h"

enum { OUTPUT_BLOCK = 64 * 1024, LINKS_MAX = 40, STALE_SECONDS = 24 * 60 * 60 };

static const char hidden_prefix[] = ".mlscore-";

static mls_status cannot_write(int system_errno, mls_error *error)
{
    return mls_error_set_errno(error, MLS_ERROR_WRITE, system_errno, "cannot write");
}

/* Resolve a path that does not exist: follow its links and return the target of the last one, or the path itself. */
static char *resolve_lost(const char *path)
{
    char *at = mls_strdup(path);
    for (int links = 0; links < LINKS_MAX; links++) {
        char target[PATH_MAX];
        const ssize_t len = readlink(at, target, sizeof target);
        if (len <= 0 || (size_t)len == sizeof target)
            break;
        mls_buffer next = {0};
        if (target[0] != '/')
            mls_buffer_append(&next, (mls_str){at, (size_t)(mls_path_name(at) - at)});
        mls_buffer_append(&next, (mls_str){target, (size_t)len});
        free(at);
        at = mls_buffer_detach(&next);
    }
    return at;
}

/* Return the descriptor that a path such as /dev/fd/3 names, or -1 if the path does not name a descriptor.  Opening the
 * path again would write at the start of the file instead of at the current position of the descriptor. */
static int named_descriptor(const char *path)
{
    static const char *const folders[] = {"/dev/fd/", "/proc/self/fd/"};
    size_t number = strcmp(path, "/dev/stdout") == 0 ? STDOUT_FILENO : STDERR_FILENO;
    bool named = number == STDOUT_FILENO || strcmp(path, "/dev/stderr") == 0;
    for (size_t i = 0; i < 2 && !named; i++) {
        const mls_str text = mls_str_from(path);
        const size_t len = strlen(folders[i]);
        named = mls_str_starts(text, mls_str_from(folders[i])) && mls_size_parse(mls_str_rest(text, len), &number) &&
                number <= INT_MAX;
    }
    return named ? (int)number : -1;
}

const char *mls_output_refused(const char *path)
{
    const mls_str folder = mls_path_folder(mls_str_from(path));
    char above[PATH_MAX];
    struct stat about;
    const bool fits = folder.len < sizeof above;
    (void)snprintf(above, sizeof above, "%.*s", (int)(fits ? folder.len : 0), folder.ptr);
    const bool known = fits && stat(folder.len > 0 ? above : ".", &about) == 0;
    if (geteuid() != 0)
        return NULL;
    if (known && (about.st_mode & S_IWOTH) != 0 && (about.st_mode & S_ISVTX) == 0)
        return "its folder is writable for all users";
    return lstat(path, &about) == 0 && S_ISLNK(about.st_mode) && about.st_uid != 0
               ? "it is a link that belongs to another user"
               : NULL;
}

static mls_status open_path(mls_output *output, const char *path, mls_error *error)
{
    struct stat about;
    const char *refused = mls_output_refused(path);
    if (refused != NULL) {
        output->fd = -1;
        return mls_error_set(error, MLS_ERROR_WRITE, 0, 0, "refused, because mlscore runs as root: %s", refused);
    }
    const bool exists = stat(path, &about) == 0;
    const int descriptor = named_descriptor(path);
    output->fd = -1;
    if (!exists && errno != ENOENT)
        return cannot_write(errno, error);
    /* Replace or create the target of a link, not the link itself. */
    char *real = descriptor >= 0 ? NULL : exists ? realpath(path, NULL) : resolve_lost(path);
    output->path = real != NULL || (!exists && descriptor < 0) ? real : mls_strdup(path);
    if (output->path != NULL && descriptor >= 0) {
        output->fd = fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
    } else if (output->path != NULL && (!exists || S_ISREG(about.st_mode))) {
        const char *own = mls_path_name(output->path);
        const mode_t mask = umask(077); /* the mask can only be read by setting it */
        mls_buffer name = {0};
        (void)umask(mask);
        mls_buffer_printf(&name, "%.*s%s%s.XXXXXX", (int)(own - output->path), output->path,
                          output->lasting ? hidden_prefix : "", own);
        output->temporary = mls_buffer_detach(&name);
        output->fd = mls_temporary_file(output->temporary);
        if (output->fd >= 0)
            (void)fchmod(output->fd, exists ? about.st_mode & 07777 : 0666 & ~mask);
    } else if (output->path != NULL) {
        output->fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
    }
    if (output->fd < 0) {
        const mls_status status = cannot_write(errno, error);
        free(output->path);
        free(output->temporary);
        *output = (mls_output){.fd = -1};
        return status;
    }
    return MLS_OK;
}

mls_status mls_output_open(mls_output *output, const char *path, mls_error *error)
{
    *output = (mls_output){.fd = STDOUT_FILENO};
    return path == NULL || strcmp(path, "-") == 0 ? MLS_OK : open_path(output, path, error);
}

mls_status mls_output_open_lasting(mls_output *output, const char *path, mls_error *error)
{
    const mls_str folder = mls_path_folder(mls_str_from(path));
    mls_names names = {0};
    mls_buffer prefix = {0};
    mls_buffer at = {0};
    struct stat about;
    int ignored;
    /* Remove old temporary files of the path.  Errors are ignored. */
    mls_buffer_printf(&prefix, "%s%s.", hidden_prefix, mls_path_name(path));
    mls_buffer_append(&at, folder.len > 0 ? folder : MLS_S("./"));
    const size_t len = at.len;
    mls_folder_names(at.ptr, SIZE_MAX, &names, &ignored);
    for (size_t i = 0; i < names.count; i++) {
        mls_buffer_cut(&at, len);
        mls_buffer_append_text(&at, names.items[i]);
        if (mls_str_starts(mls_str_from(names.items[i]), mls_buffer_str(&prefix)) && lstat(at.ptr, &about) == 0 &&
            S_ISREG(about.st_mode) && time(NULL) - about.st_mtime > STALE_SECONDS)
            (void)unlink(at.ptr);
    }
    mls_names_release(&names);
    mls_buffer_release(&prefix);
    mls_buffer_release(&at);
    *output = (mls_output){.fd = -1, .lasting = true};
    return open_path(output, path, error);
}

void mls_output_flush(mls_output *output)
{
    size_t done = 0;
    while (done < output->buffer.len && output->failed_errno == 0) {
        const ssize_t wrote = write(output->fd, output->buffer.ptr + done, output->buffer.len - done);
        if (wrote >= 0)
            done += (size_t)wrote;
        else if (errno != EINTR)
            output->failed_errno = errno;
    }
    mls_buffer_clear(&output->buffer);
}

void mls_output_write(mls_output *output, mls_str text)
{
    mls_buffer_append(&output->buffer, text);
    if (output->buffer.len >= OUTPUT_BLOCK)
        mls_output_flush(output);
}

void mls_output_text(mls_output *output, const char *text)
{
    mls_output_write(output, mls_str_from(text));
}

void mls_output_printf(mls_output *output, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    mls_buffer_vprintf(&output->buffer, format, args);
    va_end(args);
    mls_output_write(output, (mls_str){NULL, 0});
}

bool mls_output_is_closed(const mls_output *output)
{
    return output->failed_errno == EPIPE;
}

mls_status mls_output_close(mls_output *output, bool abandon, mls_error *error)
{
    mls_status status = MLS_OK;
    if (abandon) {
        output->fd = output->path != NULL ? output->fd : -1;
        output->failed_errno = ECANCELED; /* prevents writing and renaming */
    }
    mls_output_flush(output);
    if (output->lasting && output->failed_errno == 0 && output->temporary != NULL && fsync(output->fd) != 0)
        output->failed_errno = errno;
    /* Close standard output too, because some errors, such as a full disk, may only be reported by close(). */
    if (output->fd >= 0 && close(output->fd) != 0 && errno != EINTR && output->failed_errno == 0)
        output->failed_errno = errno;
    if (output->failed_errno == 0 && output->temporary != NULL && rename(output->temporary, output->path) != 0)
        output->failed_errno = errno;
    if (output->failed_errno != 0)
        status = output->failed_errno == EPIPE ? MLS_STOPPED : cannot_write(output->failed_errno, error);
    if (status != MLS_OK && output->temporary != NULL)
        (void)unlink(output->temporary);
    if (output->temporary != NULL)
        mls_temporary_forget(output->temporary);
    free(output->path);
    free(output->temporary);
    mls_buffer_release(&output->buffer);
    *output = (mls_output){.fd = -1};
    return status;
}

mls_status mls_output_close_after(mls_output *output, mls_status status, mls_error *error)
{
    mls_error closing = {0};
    const mls_status closed = mls_output_close(output, status != MLS_OK, &closing);
    if (status == MLS_OK && closed != MLS_OK) {
        *error = closing;
        status = closed;
    }
    return status;
}
