/* SPDX-License-Identifier: Apache-2.0 */
/* follow.c - which files there are, which of them are known, and what is new in them. */
#include "explain/watch/follow.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"

/* A folder that changed less than so many milliseconds before it was listed is listed again; and any at each such look.
 */
enum { RECENT_MS = 3000, LISTED_EVERY = 4 };

static double modified_ms(const struct stat *about)
{
    return (double)about->st_mtim.tv_sec * 1000 + floor((double)about->st_mtim.tv_nsec / 1e6);
}

/* Reading begins anew, or for the first time. */
static mls_status begin_file(mls_follow *follow, mls_followed *file)
{
    file->offset = 0;
    file->before_count = 0;
    file->unread = false;
    const mls_status status = follow->listener.begin(follow->listener.state, file);
    file->feed = status == MLS_OK ? mls_log_feed_new(file->sinks, file->sink_count) : NULL;
    return status == MLS_OK && file->feed == NULL ? MLS_ERROR_MEMORY : status;
}

static mls_status end_file(mls_follow *follow, mls_followed *file)
{
    mls_log_feed_free(file->feed);
    file->feed = NULL;
    return follow->listener.forget(follow->listener.state, file);
}

static mls_status tell(mls_follow *follow, mls_followed *file, mls_file_change change, const char *what)
{
    return follow->listener.changed(follow->listener.state, file, change, what);
}

/* Whether what was read still stands before the place that was reached. */
static bool is_continued(const mls_followed *file, int fd)
{
    char now[MLS_FOLLOWED_BYTES];
    const off_t from = (off_t)(file->offset - file->before_count);
    return file->before_count == 0 || (pread(fd, now, file->before_count, from) == (ssize_t)file->before_count &&
                                       memcmp(now, file->before, file->before_count) == 0);
}

static void note_place(mls_followed *file, int fd)
{
    const uint64_t count = file->offset < sizeof file->before ? file->offset : sizeof file->before;
    const ssize_t got = pread(fd, file->before, count, (off_t)(file->offset - count));
    file->before_count = got == (ssize_t)count ? (size_t)count : 0;
}

/* Whether a file by its first bytes can be no log that grows. */
static bool is_packed(int fd)
{
    char head[16];
    const ssize_t got = pread(fd, head, sizeof head, 0);
    return got > 0 && mls_file_magic_words((mls_str){head, (size_t)got}) != NULL;
}

/* Reads an open file from where it was left to the size that it has now.  When the first bytes came, its own time
 * (`modified`) says. */
static mls_status read_on(mls_follow *follow, mls_followed *file, int fd, double modified, double now_ms,
                          mls_error *error)
{
    mls_status status = MLS_OK;
    if (file->size < file->offset || !is_continued(file, fd)) {
        status = tell(follow, file, MLS_FILE_RESTARTED, NULL);
        status = status == MLS_OK ? end_file(follow, file) : status;
        status = status == MLS_OK ? begin_file(follow, file) : status;
    }
    if (status == MLS_OK && file->offset == 0) {
        file->unread = is_packed(fd);
    }
    if (status != MLS_OK || file->unread || file->size == file->offset) {
        return status;
    }
    follow->listener.grown(follow->listener.state, file, now_ms - file->written_ms);
    file->written_ms = file->offset > 0 ? now_ms : fmin(modified, now_ms);
    status = mls_log_feed_read(file->feed, fd, &file->offset, file->size - file->offset, &follow->room, error);
    note_place(file, fd);
    return status;
}

/* Only of a whole failure there is a word, and one. */
static mls_status say_failed(mls_follow *follow, mls_followed *file, const mls_error *why)
{
    const bool said = file->failed;
    file->failed = true;
    return said || why->system_errno == ENOENT ? MLS_OK : tell(follow, file, MLS_FILE_FAILED, why->message);
}

static mls_status read_file(mls_follow *follow, mls_followed *file, double now_ms, mls_error *error)
{
    mls_error why = {0};
    struct stat about;
    mls_status status = MLS_OK;
    file->waits = false;
    const int fd = mls_file_open_again(file->path, file->root, &why);
    if (fd < 0) {
        return say_failed(follow, file, &why);
    }
    /* Another file may stand there by now: the next look will see it. */
    if (fstat(fd, &about) == 0 && about.st_ino == file->inode && about.st_dev == file->device) {
        file->size = (uint64_t)about.st_size;
        status = read_on(follow, file, fd, modified_ms(&about), now_ms, error);
        file->failed = status == MLS_ERROR_READ && file->failed;
        status = status == MLS_ERROR_READ ? say_failed(follow, file, error) : status;
    }
    (void)close(fd);
    return status;
}

static int compare_inodes(uint64_t device, uint64_t inode, const mls_followed *file)
{
    const int order = (device > file->device) - (device < file->device);
    return order != 0 ? order : (inode > file->inode) - (inode < file->inode);
}

/* The place of a file among those that are known, or where it would stand. */
static size_t place_of_inode(const mls_follow *follow, uint64_t device, uint64_t inode, bool *known)
{
    size_t low = 0;
    size_t high = follow->files.count;
    *known = false;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        const int order = compare_inodes(device, inode, follow->files.items[middle]);
        if (order == 0) {
            *known = true;
            return middle;
        }
        low = order > 0 ? middle + 1 : low;
        high = order > 0 ? high : middle;
    }
    return low;
}

static void free_file(mls_followed *file)
{
    mls_log_feed_free(file->feed);
    free(file->path);
    free(file);
}

static mls_status add_followed(mls_follow *follow, size_t place, const mls_source *source, const struct stat *about)
{
    mls_followed *file = mls_calloc(1, sizeof *file);
    char *path = mls_strdup(source->path);
    if (file == NULL || path == NULL || !MLS_GROW(&follow->files, items)) {
        free(file);
        free(path);
        return MLS_ERROR_MEMORY;
    }
    *file = (mls_followed){.path = path,
                           .root = source->root,
                           .result = source->result,
                           .device = about->st_dev,
                           .inode = about->st_ino,
                           .size = (uint64_t)about->st_size,
                           .written_ms = modified_ms(about),
                           .seen = true,
                           .waits = true};
    mls_followed **items = follow->files.items;
    memmove(&items[place + 1], &items[place], (follow->files.count - place) * sizeof *items);
    items[place] = file;
    follow->files.count++;
    const mls_status status = tell(follow, file, MLS_FILE_FOUND, NULL);
    return status == MLS_OK ? begin_file(follow, file) : status;
}

static mls_status rename_file(mls_follow *follow, mls_followed *file, const mls_source *source)
{
    char *path = mls_strdup(source->path);
    char *before = file->path;
    if (path == NULL) {
        return MLS_ERROR_MEMORY;
    }
    file->path = path;
    file->root = source->root;
    const mls_status status = tell(follow, file, MLS_FILE_RENAMED, before);
    free(before);
    return status;
}

static void note_size(mls_followed *file, const struct stat *about)
{
    file->size = (uint64_t)about->st_size;
    file->waits |= file->size != file->offset && !file->unread;
}

/* Takes a file that was found.  One that has several names keeps the one that it is known by, if it still has it: first
 * come those (`again`), then the others. */
static mls_status take_source(mls_follow *follow, const mls_source *source, bool again)
{
    struct stat about;
    bool known;
    if (source->skip != NULL || stat(source->path, &about) != 0 || !S_ISREG(about.st_mode)) {
        return MLS_OK;
    }
    const size_t place = place_of_inode(follow, about.st_dev, about.st_ino, &known);
    mls_followed *file = known ? follow->files.items[place] : NULL;
    mls_status status = MLS_OK;
    if ((known && file->seen) || (again && (!known || strcmp(file->path, source->path) != 0))) {
        return MLS_OK;
    }
    if (!known) {
        return add_followed(follow, place, source, &about);
    }
    file->seen = true;
    note_size(file, &about);
    if (!again) {
        status = rename_file(follow, file, source);
    }
    return status;
}

static mls_status drop_gone(mls_follow *follow)
{
    mls_status status = MLS_OK;
    size_t kept = 0;
    for (size_t i = 0; i < follow->files.count; i++) {
        mls_followed *file = follow->files.items[i];
        if (file->seen || status != MLS_OK) {
            follow->files.items[kept++] = file;
            continue;
        }
        status = tell(follow, file, MLS_FILE_GONE, NULL);
        const mls_status ended = end_file(follow, file);
        status = status == MLS_OK ? ended : status;
        free_file(file);
    }
    follow->files.count = kept;
    return status;
}

static bool add_folder(mls_names *folders, mls_str folder)
{
    const mls_str text = folder.len > 0 ? folder : MLS_S("./");
    /* Files of one folder come one after the other. */
    for (size_t i = folders->count; i-- > 0;) {
        if (mls_str_equal(mls_str_from(folders->items[i]), text)) {
            return true;
        }
    }
    return mls_names_add(folders, text);
}

/* When one of the folders was changed last; INFINITY: one is gone. */
static double folders_changed_ms(const mls_follow *follow)
{
    double changed_ms = 0;
    for (size_t i = 0; i < follow->folders.count; i++) {
        struct stat about;
        changed_ms = stat(follow->folders.items[i], &about) == 0 ? fmax(changed_ms, modified_ms(&about)) : INFINITY;
    }
    return changed_ms;
}

/* Whether the same files stand there as when they were listed; notes which of them have grown. */
static bool is_as_listed(mls_follow *follow)
{
    const double changed_ms = folders_changed_ms(follow);
    const bool recent = changed_ms > follow->listed_ms - RECENT_MS; /* times are coarse */
    bool same = follow->listed_ms > 0 && !recent && follow->missing.count == 0 && ++follow->looks < LISTED_EVERY &&
                changed_ms <= follow->changed_ms;
    for (size_t i = 0; i < follow->files.count && same; i++) {
        mls_followed *file = follow->files.items[i];
        struct stat about;
        same = stat(file->path, &about) == 0 && about.st_ino == file->inode && about.st_dev == file->device;
        if (same) {
            note_size(file, &about);
        }
    }
    return same;
}

/* Notes where files stand, or may come to, and which paths lead nowhere. */
static mls_status note_folders(mls_follow *follow, const mls_sources *sources)
{
    bool ok = true;
    mls_names_release(&follow->folders);
    mls_names_release(&follow->missing);
    for (size_t i = 0; i < follow->path_count && ok; i++) {
        struct stat about;
        const bool found = stat(follow->paths[i], &about) == 0;
        if (found && S_ISDIR(about.st_mode)) {
            char *folder = mls_path_join(follow->paths[i], "");
            ok = folder != NULL && add_folder(&follow->folders, mls_str_from(folder));
            free(folder);
        } else {
            ok = add_folder(&follow->folders, mls_path_folder(mls_str_from(follow->paths[i]))) &&
                 (found || mls_names_add(&follow->missing, mls_str_from(follow->paths[i])));
        }
    }
    for (size_t i = 0; i < sources->count && ok; i++) {
        ok = add_folder(&follow->folders, mls_path_folder(mls_str_from(sources->items[i].path)));
    }
    return ok ? MLS_OK : MLS_ERROR_MEMORY;
}

static mls_status list_files(mls_follow *follow, double now_ms, mls_error *error)
{
    mls_sources sources = {0};
    mls_status status = mls_sources_find(follow->paths, follow->path_count, &sources, error);
    for (size_t i = 0; i < follow->files.count; i++) {
        follow->files.items[i]->seen = false;
    }
    for (int again = 1; again >= 0; again--) {
        for (size_t i = 0; i < sources.count && status == MLS_OK; i++) {
            status = take_source(follow, &sources.items[i], again == 1);
        }
    }
    status = status == MLS_OK ? drop_gone(follow) : status;
    status = status == MLS_OK ? note_folders(follow, &sources) : status;
    follow->changed_ms = folders_changed_ms(follow);
    follow->listed_ms = now_ms;
    follow->looks = 0;
    mls_sources_release(&sources);
    return status;
}

mls_status mls_follow_look(mls_follow *follow, double now_ms, mls_error *error)
{
    const mls_status status = is_as_listed(follow) ? MLS_OK : list_files(follow, now_ms, error);
    return status == MLS_ERROR_MEMORY ? mls_error_memory(error) : status;
}

/* "./x" is "x". */
static mls_str plain_path(mls_str path)
{
    while (mls_str_starts(path, MLS_S("./"))) {
        path = (mls_str){path.ptr + 2, path.len - 2};
    }
    return path;
}

void mls_follow_written(mls_follow *follow, mls_str path)
{
    const mls_str wanted = plain_path(path);
    for (size_t i = 0; i < follow->files.count; i++) {
        mls_followed *file = follow->files.items[i];
        file->waits |= mls_str_equal(plain_path(mls_str_from(file->path)), wanted);
    }
}

mls_status mls_follow_read(mls_follow *follow, double now_ms, mls_error *error)
{
    mls_status status = MLS_OK;
    for (size_t i = 0; i < follow->files.count && status == MLS_OK; i++) {
        if (follow->files.items[i]->waits) {
            status = read_file(follow, follow->files.items[i], now_ms, error);
        }
    }
    return status == MLS_ERROR_MEMORY ? mls_error_memory(error) : status;
}

mls_status mls_follow_end(mls_follow *follow)
{
    mls_status status = MLS_OK;
    for (size_t i = 0; i < follow->files.count && status == MLS_OK; i++) {
        mls_log_totals totals;
        if (follow->files.items[i]->feed != NULL) {
            status = mls_log_feed_end(follow->files.items[i]->feed, &totals);
        }
    }
    return status;
}

void mls_follow_release(mls_follow *follow)
{
    for (size_t i = 0; i < follow->files.count; i++) {
        (void)end_file(follow, follow->files.items[i]);
        free_file(follow->files.items[i]);
    }
    free(follow->files.items);
    mls_names_release(&follow->folders);
    mls_names_release(&follow->missing);
    mls_scan_room_free(follow->room);
    *follow = (mls_follow){0};
}
