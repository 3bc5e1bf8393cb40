/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sources.c - which files to read: named paths as they are, folders in natural order.
 */
#include "reading/sources.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/folder.h"
#include "base/memory.h"

/* Folders already entered, so that loops of links end: an open-addressed set. */
typedef struct folder_id {
    dev_t device;
    ino_t inode;
    bool used;
} folder_id;

typedef struct visited_folders {
    folder_id *slots;
    size_t size; /* a power of two, or 0 */
    size_t count;
} visited_folders;

typedef struct source_walker {
    mls_sources *list;
    visited_folders visited;
    mls_error *error;
} source_walker;

/* ------------------------------------------------------- skipped by name */

/* What run.sub and the tools around it leave beside the logs. */
static const struct {
    mls_str prefix;
    mls_str suffix;
    const char *reason;
} names_skipped[] = {
    {MLS_STR("compliance_"), MLS_STR(""), "compliance report: quotes lines of a log"},
    {MLS_STR(""), MLS_STR("_nccl.log"), "NCCL test"},
    {MLS_STR(""), MLS_STR("_mountcheck.log"), "mount check"},
    {MLS_STR(""), MLS_STR("_telemetry.log"), "telemetry"},
    {MLS_STR("core."), MLS_STR(""), "core dump"},
};

static const char *name_skipped(const char *name)
{
    const mls_str text = mls_str_from(name);
    if (text.len > 0 && text.ptr[0] == '.') {
        return "hidden";
    }
    if (mls_str_equal(text, MLS_S("core"))) {
        return "core dump";
    }
    for (size_t i = 0; i < sizeof names_skipped / sizeof *names_skipped; i++) {
        if (mls_str_starts(text, names_skipped[i].prefix) && mls_str_ends(text, names_skipped[i].suffix)) {
            return names_skipped[i].reason;
        }
    }
    return NULL;
}

bool mls_name_is_result(const char *name)
{
    const mls_str text = mls_str_from(name);
    return text.len >= sizeof "result_.txt" - 1 && mls_str_starts(text, MLS_S("result_")) &&
           mls_str_ends(text, MLS_S(".txt"));
}

static const char *mode_skipped(mode_t mode)
{
    if (S_ISFIFO(mode)) {
        return "named pipe";
    }
    if (S_ISSOCK(mode)) {
        return "socket";
    }
    return S_ISCHR(mode) || S_ISBLK(mode) ? "device" : NULL;
}

/* --------------------------------------------------------------- sources */

/* Takes over `path`; `skip` is copied. */
static mls_status add_source(source_walker *walker, char *path, const char *skip, mls_source source)
{
    source.path = path;
    source.skip = skip != NULL ? mls_copy_text(skip, strlen(skip)) : NULL;
    if (path == NULL || (skip != NULL && source.skip == NULL) || !MLS_GROW(walker->list, items)) {
        free(path);
        free(source.skip);
        return mls_error_memory(walker->error);
    }
    if (walker->list->count == MLS_WALK_FILES_MAX) {
        free(path);
        free(source.skip);
        return mls_error_set(walker->error, MLS_ERROR_LIMIT, 0, 0, "more than %zu files", MLS_WALK_FILES_MAX);
    }
    walker->list->items[walker->list->count++] = source;
    return MLS_OK;
}

static mls_status add_failed(source_walker *walker, char *path, int system_errno, bool named)
{
    mls_error why = {0};
    (void)mls_error_set_errno(&why, MLS_ERROR_READ, system_errno, "%s", "");
    return add_source(walker, path, why.message, (mls_source){.failed = true, .named = named});
}

/* --------------------------------------------------------------- folders */

/* Where the folder stands in the set, or the free slot where it would. */
static folder_id *visited_slot(const visited_folders *visited, dev_t device, ino_t inode)
{
    size_t i = (size_t)(((uint64_t)inode ^ (uint64_t)device << 32) * 0x9e3779b97f4a7c15ULL >> 20) & (visited->size - 1);
    while (visited->slots[i].used && (visited->slots[i].device != device || visited->slots[i].inode != inode)) {
        i = (i + 1) & (visited->size - 1);
    }
    return &visited->slots[i];
}

static bool visited_grow(visited_folders *visited)
{
    visited_folders grown = {.size = visited->size == 0 ? 64 : visited->size * 2, .count = visited->count};
    grown.slots = calloc(grown.size, sizeof *grown.slots);
    if (grown.slots == NULL) {
        return false;
    }
    for (size_t i = 0; i < visited->size; i++) {
        if (visited->slots[i].used) {
            *visited_slot(&grown, visited->slots[i].device, visited->slots[i].inode) = visited->slots[i];
        }
    }
    free(visited->slots);
    *visited = grown;
    return true;
}

/* Whether the folder was entered before; remembers it. */
static mls_status visit(source_walker *walker, const struct stat *about, bool *before)
{
    visited_folders *visited = &walker->visited;
    if (visited->count * 2 >= visited->size && !visited_grow(visited)) {
        return mls_error_memory(walker->error);
    }
    folder_id *slot = visited_slot(visited, about->st_dev, about->st_ino);
    *before = slot->used;
    if (!slot->used) {
        *slot = (folder_id){about->st_dev, about->st_ino, true};
        visited->count++;
    }
    return MLS_OK;
}

static mls_status walk_folder(source_walker *walker, const char *path, unsigned depth);

/* Something found in a folder.  Takes over `path`. */
static mls_status walk_found(source_walker *walker, char *path, unsigned depth)
{
    struct stat about;
    const char *name = path != NULL ? mls_path_name(path) : "";
    const char *skip = name_skipped(name);
    if (path == NULL || skip != NULL) {
        return add_source(walker, path, skip, (mls_source){0});
    }
    if (stat(path, &about) != 0) {
        struct stat link;
        const int why = errno;
        if ((why == ENOENT || why == ELOOP) && lstat(path, &link) == 0 && S_ISLNK(link.st_mode)) {
            return add_source(walker, path, "broken link", (mls_source){0});
        }
        return add_failed(walker, path, why, false);
    }
    if (S_ISDIR(about.st_mode)) {
        bool before = false;
        mls_status status = visit(walker, &about, &before);
        if (status == MLS_OK && (before || depth == MLS_WALK_DEPTH_MAX)) {
            return add_source(walker, path, before ? "folder already read" : "folders nested too deeply",
                              (mls_source){0});
        }
        if (status == MLS_OK) {
            status = walk_folder(walker, path, depth + 1);
        }
        free(path);
        return status;
    }
    return add_source(walker, path, mode_skipped(about.st_mode),
                      (mls_source){.result = mls_name_is_result(name), .size = (uint64_t)about.st_size});
}

static mls_status walk_folder(source_walker *walker, const char *path, unsigned depth)
{
    mls_names names = {0};
    int system_errno = 0;
    mls_status status = mls_folder_names(path, MLS_WALK_FILES_MAX, &names, &system_errno);
    if (status != MLS_OK) {
        (void)mls_error_set(walker->error, status, 0, 0, "out of memory");
    }
    if (status == MLS_OK && system_errno != 0) {
        status = add_failed(walker, mls_copy_text(path, strlen(path)), system_errno, depth == 0);
    }
    for (size_t i = 0; i < names.count && status == MLS_OK; i++) {
        status = walk_found(walker, mls_path_join(path, names.items[i]), depth);
    }
    mls_names_release(&names);
    return status;
}

static mls_status walk_named(source_walker *walker, const char *path)
{
    struct stat about;
    char *copy = mls_copy_text(path, strlen(path));
    if (strcmp(path, "-") == 0) {
        return add_source(walker, copy, NULL, (mls_source){.named = true});
    }
    if (stat(path, &about) != 0) {
        return add_failed(walker, copy, errno, true);
    }
    if (!S_ISDIR(about.st_mode)) {
        const mls_source source = {.named = true,
                                   .result = mls_name_is_result(mls_path_name(path)),
                                   .size = S_ISREG(about.st_mode) ? (uint64_t)about.st_size : 0};
        return add_source(walker, copy, NULL, source);
    }
    free(copy);
    bool before = false;
    const mls_status status = visit(walker, &about, &before);
    return status != MLS_OK || before ? status : walk_folder(walker, path, 0);
}

/* ------------------------------------------------- results named twice */

/* Where a result_*.txt is, whatever way led to it. */
typedef struct result_place {
    dev_t device; /* of its folder */
    ino_t inode;
    const char *name;
    size_t index;
} result_place;

static int compare_places(const void *left, const void *right)
{
    const result_place *a = left;
    const result_place *b = right;
    if (a->device != b->device) {
        return a->device < b->device ? -1 : 1;
    }
    if (a->inode != b->inode) {
        return a->inode < b->inode ? -1 : 1;
    }
    const int order = strcmp(a->name, b->name);
    return order != 0 ? order : (a->index > b->index) - (a->index < b->index);
}

static bool find_place(result_place *place, const char *path)
{
    struct stat folder;
    const char *name = mls_path_name(path);
    char *above = name > path ? mls_copy_text(path, (size_t)(name - path)) : NULL;
    const bool found = stat(above != NULL ? above : ".", &folder) == 0;
    free(above);
    if (found) {
        place->device = folder.st_dev;
        place->inode = folder.st_ino;
        place->name = name;
    }
    return found;
}

static mls_status merge_results(mls_sources *list, mls_error *error)
{
    bool named = false;
    size_t count = 0;
    for (size_t i = 0; i < list->count; i++) {
        named |= list->items[i].named && list->items[i].result;
    }
    result_place *places = named ? calloc(list->count, sizeof *places) : NULL;
    bool ok = !named || places != NULL;
    for (size_t i = 0; i < list->count && named && ok; i++) {
        if (list->items[i].result && list->items[i].skip == NULL && find_place(&places[count], list->items[i].path)) {
            places[count++].index = i;
        }
    }
    if (count > 1) {
        qsort(places, count, sizeof *places, compare_places);
    }
    for (size_t i = 1; i < count && ok; i++) {
        const result_place *a = &places[i - 1];
        const result_place *b = &places[i];
        if (a->device == b->device && a->inode == b->inode && strcmp(a->name, b->name) == 0) {
            static const char reason[] = "named twice";
            list->items[b->index].skip = mls_copy_text(reason, sizeof reason - 1);
            ok = list->items[b->index].skip != NULL;
        }
    }
    free(places);
    return ok ? MLS_OK : mls_error_memory(error);
}

mls_status mls_sources_find(const char *const *paths, size_t count, mls_sources *list, mls_error *error)
{
    mls_error ignored;
    error = error != NULL ? error : &ignored;
    source_walker walker = {.list = list, .error = error};
    mls_status status = MLS_OK;
    for (size_t i = 0; i < count && status == MLS_OK; i++) {
        status = walk_named(&walker, paths[i]);
    }
    free(walker.visited.slots);
    return status == MLS_OK ? merge_results(list, error) : status;
}

const char *mls_source_magic(mls_str head)
{
    static const struct {
        mls_str magic;
        const char *reason;
    } kinds[] = {
        {MLS_STR("\x7f"
                 "ELF"),
         "binary file"},
        {MLS_STR("\x1f\x8b"), "compressed (gzip): unpack it first"},
        {MLS_STR("\xfd"
                 "7zXZ"),
         "compressed (xz): unpack it first"},
        {MLS_STR("\x28\xb5\x2f\xfd"), "compressed (zstd): unpack it first"},
        {MLS_STR("PK\x03\x04"), "zip archive: unpack it first"},
        {MLS_STR("\x89HDF"), "binary file"},
        {MLS_STR("\x89PNG"), "image"},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (mls_str_starts(head, kinds[i].magic)) {
            return kinds[i].reason;
        }
    }
    return NULL;
}

int mls_source_open(const mls_source *source)
{
    if (source->named && strcmp(source->path, "-") == 0) {
        return STDIN_FILENO;
    }
    return open(source->path, O_RDONLY | O_CLOEXEC | O_NOCTTY | (source->named ? 0 : O_NONBLOCK));
}

void mls_sources_release(mls_sources *list)
{
    for (size_t i = 0; i < list->count; i++) {
        free(list->items[i].path);
        free(list->items[i].skip);
    }
    free(list->items);
    *list = (mls_sources){0};
}
