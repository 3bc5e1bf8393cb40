/* SPDX-License-Identifier: Apache-2.0 */
/* follow.c - list files, match them with known ones, and read new bytes. */
#include "explain/watch/live.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"

/* A folder that changed less than RECENT_MS before its listing is listed again.  Every folder is listed again at each
 * fourth look. */
enum { RECENT_MS = 3000, LISTED_EVERY = 4 };

static double modified_ms(const struct stat *about)
{
    return (double)about->st_mtim.tv_sec * 1000 + floor((double)about->st_mtim.tv_nsec / 1e6);
}

/* ------------------------------------------------------------------------ reading */

/* Begin or restart reading a file. */
static void begin_file(mls_follow *follow, mls_followed *file)
{
    file->offset = 0;
    file->before_count = 0;
    file->unread = false;
    mls_live_file_begin(follow->live, file);
}

/* Report that a file cannot be read.  Do not report it again until the file could be read in between. */
static void report_failure(mls_follow *follow, mls_followed *file, const mls_error *why)
{
    if (!file->failed && why->system_errno != ENOENT)
        mls_live_file_changed(follow->live, file, MLS_FILE_FAILED, why->message);
    file->failed = true;
}

/* Read a file that may have grown up to its current size. */
static void read_file(mls_follow *follow, mls_followed *file, double now_ms)
{
    mls_error why = {0};
    struct stat about;
    file->waits = false;
    const int fd = mls_file_open_again(file->path, file->root, &why);
    if (fd < 0) {
        report_failure(follow, file, &why);
        return;
    }
    /* Read the file only if the path still leads to the same file.  The next look finds a new file. */
    if (fstat(fd, &about) == 0 && about.st_ino == file->inode && about.st_dev == file->device) {
        char bytes[MLS_FOLLOWED_BYTES];
        mls_status status = MLS_OK;
        file->size = (uint64_t)about.st_size;
        /* Check that the bytes before the last position have not changed. */
        const off_t from = (off_t)(file->offset - file->before_count);
        const bool same =
            file->before_count == 0 || (pread(fd, bytes, file->before_count, from) == (ssize_t)file->before_count &&
                                        memcmp(bytes, file->before, file->before_count) == 0);
        if (file->size < file->offset || !same) {
            mls_live_file_changed(follow->live, file, MLS_FILE_RESTARTED, NULL);
            mls_live_file_forget(follow->live, file);
            begin_file(follow, file);
        }
        if (file->offset == 0) {
            const ssize_t got = pread(fd, bytes, 16, 0);
            file->unread = got > 0 && mls_file_magic_words((mls_str){bytes, (size_t)got}) != NULL;
        }
        if (!file->unread && file->size != file->offset) {
            mls_live_grown(mls_live_last_run(file), now_ms - file->written_ms);
            /* The first bytes were written at the file's modification time. */
            file->written_ms = file->offset > 0 ? now_ms : fmin(modified_ms(&about), now_ms);
            status = mls_log_feed_read(file->feed, fd, &file->offset, file->size - file->offset, &follow->room, &why);
            const size_t count = file->offset < sizeof file->before ? (size_t)file->offset : sizeof file->before;
            const ssize_t got = pread(fd, file->before, count, (off_t)(file->offset - count));
            file->before_count = got == (ssize_t)count ? count : 0;
        }
        if (status == MLS_OK)
            file->failed = false;
        else
            report_failure(follow, file, &why);
    }
    (void)close(fd);
}

void mls_follow_read(mls_follow *follow, double now_ms)
{
    for (size_t i = 0; i < follow->files.count; i++)
        if (follow->files.items[i]->waits)
            read_file(follow, follow->files.items[i], now_ms);
}

void mls_follow_end(mls_follow *follow)
{
    for (size_t i = 0; i < follow->files.count; i++) {
        mls_log_totals totals;
        (void)!mls_log_feed_end(follow->files.items[i]->feed, &totals);
    }
}

/* ------------------------------------------------------------------------ the kernel */

struct mls_notify_folder {
    int number;
    char *path; /* with a trailing slash */
};

static struct mls_notify_folder *watched_folder(const mls_follow *follow, int number)
{
    for (size_t i = 0; i < follow->watched.count; i++)
        if (follow->watched.items[i].number == number)
            return &follow->watched.items[i];
    return NULL;
}

static void watch_folders(mls_follow *follow)
{
    const uint32_t what = IN_MODIFY | IN_CREATE | IN_MOVED_FROM | IN_MOVED_TO | IN_DELETE | IN_ATTRIB | IN_ONLYDIR;
    for (size_t i = 0; i < follow->folders.count && follow->notify_fd >= 0; i++) {
        const char *path = follow->folders.items[i];
        const int number = inotify_add_watch(follow->notify_fd, path, what);
        struct mls_notify_folder *known = number >= 0 ? watched_folder(follow, number) : NULL;
        if (known != NULL && strcmp(known->path, path) != 0) { /* renamed */
            free(known->path);
            known->path = mls_strdup(path);
        } else if (known == NULL && number >= 0) {
            MLS_GROW(&follow->watched, items);
            follow->watched.items[follow->watched.count++] = (struct mls_notify_folder){number, mls_strdup(path)};
        }
    }
}

/* Return a path without leading "./". */
static mls_str plain_path(mls_str path)
{
    while (mls_str_starts(path, MLS_S("./")))
        path = mls_str_rest(path, 2);
    return path;
}

bool mls_follow_take_notices(mls_follow *follow, bool *written)
{
    _Alignas(struct inotify_event) char bytes[65536];
    mls_buffer path = {0};
    bool look = false;
    ssize_t got;
    while (follow->notify_fd >= 0 &&
           ((got = read(follow->notify_fd, bytes, sizeof bytes)) > 0 || (got < 0 && errno == EINTR))) {
        for (const char *at = bytes; got > 0 && at < bytes + got;) {
            const struct inotify_event *event = (const void *)at;
            struct mls_notify_folder *folder = watched_folder(follow, event->wd);
            at += sizeof *event + event->len;
            if (event->mask == IN_MODIFY && folder != NULL && event->len > 0) {
                mls_buffer_clear(&path);
                mls_buffer_printf(&path, "%s%s", folder->path, event->name);
                for (size_t i = 0; i < follow->files.count; i++) {
                    mls_followed *file = follow->files.items[i];
                    file->waits |=
                        mls_str_equal(plain_path(mls_str_from(file->path)), plain_path(mls_buffer_str(&path)));
                }
                *written = true;
                continue;
            }
            if ((event->mask & IN_IGNORED) != 0 && folder != NULL) {
                free(folder->path);
                *folder = follow->watched.items[--follow->watched.count];
            }
            look = true;
        }
    }
    mls_buffer_release(&path);
    return look;
}

/* ------------------------------------------------------------------------ listing */

static void note_size(mls_followed *file, const struct stat *about)
{
    file->size = (uint64_t)about->st_size;
    file->waits |= file->size != file->offset && !file->unread;
}

/* Process a listed file.  A file with several names keeps its known name if that still exists: the first pass (`again`)
 * only takes files whose names are known. */
static void take_source(mls_follow *follow, const mls_source *source, bool again)
{
    struct stat about;
    if (source->skip != NULL || stat(source->path, &about) != 0 || !S_ISREG(about.st_mode))
        return;
    mls_followed *file = NULL;
    size_t low = 0; /* index of the known file, or its insertion point */
    size_t high = follow->files.count;
    while (low < high && file == NULL) {
        const size_t middle = (low + high) / 2;
        mls_followed *other = follow->files.items[middle];
        const int device = (about.st_dev > other->device) - (about.st_dev < other->device);
        const int order = device != 0 ? device : (about.st_ino > other->inode) - (about.st_ino < other->inode);
        file = order == 0 ? other : NULL;
        low = order > 0 ? middle + 1 : low;
        high = order > 0 ? high : middle;
    }
    if ((file != NULL && file->seen) || (again && (file == NULL || strcmp(file->path, source->path) != 0)))
        return;
    if (file == NULL) {
        file = mls_malloc(sizeof *file);
        *file = (mls_followed){.path = mls_strdup(source->path),
                               .root = source->root,
                               .result = source->result,
                               .device = about.st_dev,
                               .inode = about.st_ino,
                               .size = (uint64_t)about.st_size,
                               .written_ms = modified_ms(&about),
                               .seen = true,
                               .waits = true};
        MLS_GROW(&follow->files, items);
        mls_followed **items = follow->files.items;
        memmove(&items[low + 1], &items[low], (follow->files.count - low) * sizeof *items);
        items[low] = file;
        follow->files.count++;
        mls_live_file_changed(follow->live, file, MLS_FILE_FOUND, NULL);
        begin_file(follow, file);
        return;
    }
    file->seen = true;
    note_size(file, &about);
    if (!again) {
        char *before = file->path;
        file->path = mls_strdup(source->path);
        file->root = source->root;
        mls_live_file_changed(follow->live, file, MLS_FILE_RENAMED, before);
        free(before);
    }
}

static void free_file(mls_follow *follow, mls_followed *file)
{
    mls_live_file_forget(follow->live, file);
    free(file->path);
    free(file);
}

static void add_folder(mls_names *folders, mls_str folder)
{
    const mls_str text = folder.len > 0 ? folder : MLS_S("./");
    /* Files of one folder are adjacent. */
    for (size_t i = folders->count; i-- > 0;)
        if (mls_str_equal(mls_str_from(folders->items[i]), text))
            return;
    mls_names_add(folders, text);
}

/* Return the time of the latest modification of the folders, or INFINITY if a folder was removed. */
static double folders_changed_ms(const mls_follow *follow)
{
    double changed_ms = 0;
    for (size_t i = 0; i < follow->folders.count; i++) {
        struct stat about;
        changed_ms = stat(follow->folders.items[i], &about) == 0 ? fmax(changed_ms, modified_ms(&about)) : INFINITY;
    }
    return changed_ms;
}

mls_status mls_follow_look(mls_follow *follow, double now_ms, mls_error *error)
{
    mls_sources sources = {0};
    mls_names *folders = &follow->folders;
    /* Find out whether the last listing is still valid, and mark files that have grown.  Timestamps are coarse. */
    const double changed_ms = folders_changed_ms(follow);
    bool listed = follow->listed_ms > 0 && changed_ms <= follow->listed_ms - RECENT_MS && follow->missing.count == 0 &&
                  ++follow->looks < LISTED_EVERY && changed_ms <= follow->changed_ms;
    for (size_t i = 0; i < follow->files.count && listed; i++) {
        mls_followed *file = follow->files.items[i];
        struct stat about;
        listed = stat(file->path, &about) == 0 && about.st_ino == file->inode && about.st_dev == file->device;
        if (listed)
            note_size(file, &about);
    }
    if (listed) {
        watch_folders(follow);
        return MLS_OK;
    }
    const mls_status status = mls_sources_find(follow->paths, follow->path_count, &sources, error);
    if (status == MLS_OK) {
        size_t kept = 0;
        for (size_t i = 0; i < follow->files.count; i++)
            follow->files.items[i]->seen = false;
        for (int again = 1; again >= 0; again--)
            for (size_t i = 0; i < sources.count; i++)
                take_source(follow, &sources.items[i], again == 1);
        for (size_t i = 0; i < follow->files.count; i++) {
            mls_followed *file = follow->files.items[i];
            if (file->seen) {
                follow->files.items[kept++] = file;
            } else {
                mls_live_file_changed(follow->live, file, MLS_FILE_GONE, NULL);
                free_file(follow, file);
            }
        }
        follow->files.count = kept;
        /* Store the folders that contain files or may do so later, and missing paths. */
        mls_names_release(folders);
        mls_names_release(&follow->missing);
        for (size_t i = 0; i < follow->path_count; i++) {
            struct stat about;
            const char *path = follow->paths[i];
            const bool found = stat(path, &about) == 0;
            char *folder = found && S_ISDIR(about.st_mode) ? mls_path_join(path, "") : NULL;
            add_folder(folders, folder != NULL ? mls_str_from(folder) : mls_path_folder(mls_str_from(path)));
            if (!found)
                mls_names_add(&follow->missing, mls_str_from(path));
            free(folder);
        }
        for (size_t i = 0; i < sources.count; i++)
            add_folder(folders, mls_path_folder(mls_str_from(sources.items[i].path)));
        watch_folders(follow);
    }
    follow->changed_ms = folders_changed_ms(follow);
    follow->listed_ms = now_ms;
    follow->looks = 0;
    mls_sources_release(&sources);
    return status;
}

void mls_follow_release(mls_follow *follow)
{
    for (size_t i = 0; i < follow->files.count; i++)
        free_file(follow, follow->files.items[i]);
    free(follow->files.items);
    mls_names_release(&follow->folders);
    mls_names_release(&follow->missing);
    mls_scan_room_free(follow->room);
    for (size_t i = 0; i < follow->watched.count; i++)
        free(follow->watched.items[i].path);
    free(follow->watched.items);
    if (follow->notify_fd >= 0)
        (void)close(follow->notify_fd);
    *follow = (mls_follow){.notify_fd = -1};
}
