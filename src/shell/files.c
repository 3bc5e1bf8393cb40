/* SPDX-License-Identifier: Apache-2.0 */
/*
 * files.c - the files that a script may source and ask for.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "shell/command.h"

/* The part of a path up to its last '/', which is included. */
static mls_str folder_of(mls_str path)
{
    while (path.len > 0 && path.ptr[path.len - 1] != '/') {
        path.len--;
    }
    return path;
}

/* A place, or the folder that a file stands in, links resolved; NULL when there is none.  Sets *memory when it runs
 * out. */
static char *real_place(mls_str path, bool *memory)
{
    char *copy = mls_copy_text(path.len > 0 ? path.ptr : ".", path.len > 0 ? path.len : 1);
    char *real = copy != NULL ? realpath(copy, NULL) : NULL;
    *memory = *memory || copy == NULL || (real == NULL && errno == ENOMEM);
    free(copy);
    return real;
}

bool mls_shell_disk_init(mls_shell_disk *disk, const char *path, const char *root)
{
    bool memory = false;
    const mls_str named = mls_str_from(path);
    *disk = (mls_shell_disk){{real_place(root != NULL ? mls_str_from(root) : folder_of(named), &memory)}};
    char *target = root == NULL ? real_place(named, &memory) : NULL;
    disk->roots[1] = target != NULL ? real_place(folder_of(mls_str_from(target)), &memory) : NULL;
    free(target);
    return !memory;
}

void mls_shell_disk_release(mls_shell_disk *disk)
{
    free(disk->roots[0]);
    free(disk->roots[1]);
    *disk = (mls_shell_disk){0};
}

mls_status mls_shell_disk_load(const char *path, mls_arena *arena, mls_str *bytes, mls_error *error)
{
    mls_buffer text = {0};
    mls_error problem = {0};
    *bytes = MLS_S("");
    mls_status status = mls_file_read(path, false, MLS_SHELL_BYTES_MAX, &text, &problem);
    if (status == MLS_ERROR_LIMIT) {
        (void)mls_error_set(&problem, status, 0, 0, "is longer than a config may be");
    } else if (status == MLS_ERROR_READ && problem.system_errno == 0) {
        (void)mls_error_set(&problem, status, 0, 0, "is not a file");
    } else if (status == MLS_OK) {
        *bytes = mls_arena_copy(arena, mls_buffer_str(&text));
        status = bytes->ptr != NULL ? MLS_OK : mls_error_set(&problem, MLS_ERROR_MEMORY, 0, 0, "out of memory");
    }
    mls_buffer_release(&text);
    if (error != NULL) {
        *error = problem;
    }
    return status;
}

/* A path without its last part; "" is the current folder. */
static mls_str without_last(mls_str path)
{
    const mls_str folder = folder_of((mls_str){path.ptr, path.len > 0 ? path.len - 1 : 0});
    return folder.len > 1 ? (mls_str){folder.ptr, folder.len - 1} : folder;
}

static bool is_inside(const mls_shell_disk *disk, mls_str place)
{
    for (size_t i = 0; i < SHELL_ROOTS; i++) {
        const mls_str root = mls_str_from(disk->roots[i]);
        if (root.len > 0 && mls_str_starts(place, root) &&
            (root.len == 1 || place.len == root.len || place.ptr[root.len] == '/')) {
            return true;
        }
    }
    return false;
}

/*
 * Where a path really leads: MLS_OK with a text to be given to free(),
 * MLS_ERROR_READ when nothing stands there, MLS_ERROR_UNKNOWN when its longest
 * part that is there lies outside the roots.
 */
static mls_status locate(const mls_shell_disk *disk, mls_str path, char **real)
{
    char *copy = mls_copy_text(path.ptr, path.len);
    size_t length = path.len;
    *real = copy != NULL ? realpath(copy[0] != '\0' ? copy : ".", NULL) : NULL;
    while (copy != NULL && *real == NULL && (errno == ENOENT || errno == ENOTDIR) && length > 0) {
        length = without_last((mls_str){copy, length}).len;
        copy[length] = '\0';
        *real = realpath(length > 0 ? copy : ".", NULL);
    }
    const bool memory = copy != NULL && (*real != NULL || errno != ENOMEM);
    const bool inside = *real != NULL && is_inside(disk, mls_str_from(*real));
    const bool there = inside && length == path.len;
    free(copy);
    if (!there) {
        free(*real);
        *real = NULL;
    }
    return !memory ? MLS_ERROR_MEMORY : !inside ? MLS_ERROR_UNKNOWN : there ? MLS_OK : MLS_ERROR_READ;
}

static mls_status disk_read(void *state, mls_str path, mls_arena *arena, mls_str *bytes)
{
    char *real;
    mls_error error = {0};
    *bytes = MLS_S("");
    mls_status status = locate(state, path, &real);
    if (status == MLS_OK) {
        status = mls_shell_disk_load(real, arena, bytes, &error);
        status = status == MLS_ERROR_READ || !mls_shell_known(*bytes) ? MLS_ERROR_UNKNOWN : status;
    }
    free(real);
    return status;
}

static mls_status disk_resolve(void *state, mls_str path, mls_arena *arena, mls_str *resolved)
{
    char *real;
    const mls_status status = locate(state, path, &real);
    *resolved = status == MLS_OK ? mls_arena_copy(arena, mls_str_from(real)) : MLS_S("");
    free(real);
    return resolved->ptr == NULL ? MLS_ERROR_MEMORY : status;
}

static mls_status disk_list(void *state, mls_str folder, mls_names *names)
{
    char *real;
    int problem = 0;
    mls_status status = locate(state, folder, &real);
    if (status == MLS_OK) {
        status = mls_folder_names(real, SHELL_FIELDS_MAX, names, &problem);
        status = status == MLS_OK && problem != 0 ? MLS_ERROR_UNKNOWN : status;
    }
    free(real);
    return status;
}

mls_shell_files mls_shell_disk_files(mls_shell_disk *disk)
{
    return (mls_shell_files){.state = disk, .read = disk_read, .resolve = disk_resolve, .list = disk_list};
}

/* A relative path is one beside the current script, whether or not that is where the job stands. */
static mls_str beside(mls_shell_state *state, mls_str path)
{
    return mls_shell_join(state, folder_of(mls_str_from(state->frame->path)), path);
}

static mls_status read_counted(mls_shell_state *state, mls_str path, mls_str *bytes)
{
    const mls_status status = state->files->read(state->files->state, path, &state->arena, bytes);
    if (status == MLS_ERROR_MEMORY) {
        mls_shell_no_memory(state);
    } else if (bytes->len > SHELL_FILES_BYTES_MAX - state->file_bytes) {
        mls_shell_limit(state, "length of all files together");
        return MLS_ERROR_LIMIT;
    }
    state->file_bytes += bytes->len;
    return status;
}

mls_status mls_shell_file_read(mls_shell_state *state, mls_str *path, mls_str *bytes)
{
    mls_status status = MLS_ERROR_UNKNOWN;
    *bytes = MLS_S("");
    if (path->len == 0 || !mls_shell_known(*path) || state->frame->moved) {
        return path->len == 0 ? MLS_ERROR_READ : status;
    }
    if (memchr(path->ptr, '/', path->len) != NULL) {
        status = read_counted(state, *path, bytes);
    }
    if (path->ptr[0] != '/' && status != MLS_OK && !state->stopped) {
        *path = beside(state, *path);
        status = read_counted(state, *path, bytes);
    }
    return state->stopped ? MLS_ERROR_LIMIT : status;
}

/* Whether a name in a folder may be what a text stands for, by what is before its first hole and behind its last. */
static bool may_be(mls_str text, mls_str name)
{
    const char *first = memchr(text.ptr, '\0', text.len);
    const char *last = memrchr(text.ptr, '\0', text.len);
    const mls_str before = {text.ptr, (size_t)(first - text.ptr)};
    const mls_str behind = {last + 1, text.len - (size_t)(last + 1 - text.ptr)};
    return name.len >= before.len + behind.len && mls_str_starts(name, before) && mls_str_ends(name, behind);
}

void mls_shell_file_match(mls_shell_state *state, mls_str path, mls_shell_fields *matches)
{
    const char *hole = path.len > 0 ? memchr(path.ptr, '\0', path.len) : NULL;
    const mls_str folder = hole != NULL ? folder_of((mls_str){path.ptr, (size_t)(hole - path.ptr)}) : MLS_S("");
    const mls_str last = {path.ptr + folder.len, path.len - folder.len};
    mls_names names = {0};
    mls_status status = MLS_ERROR_UNKNOWN;
    mls_str base = folder;
    matches->unknown = true;
    /* What starts with the hole may be anywhere. */
    if (hole == NULL || last.ptr[0] == '\0' || memchr(last.ptr, '/', last.len) != NULL || state->frame->moved) {
        return;
    }
    if (folder.len > 0) {
        status = state->files->list(state->files->state, folder, &names);
    }
    if (status != MLS_OK && (folder.len == 0 || folder.ptr[0] != '/')) {
        base = beside(state, folder);
        status = state->files->list(state->files->state, base, &names);
    }
    matches->unknown = status != MLS_OK && status != MLS_ERROR_READ;
    for (size_t i = 0; i < names.count && !state->stopped; i++) {
        if (mls_shell_step(state, names.count) && may_be(last, mls_str_from(names.items[i]))) {
            mls_shell_fields_add(state, matches, mls_shell_join(state, base, mls_str_from(names.items[i])));
        }
    }
    if (status == MLS_ERROR_MEMORY) {
        mls_shell_no_memory(state);
    }
    mls_names_release(&names);
}
