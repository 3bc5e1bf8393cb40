/* SPDX-License-Identifier: Apache-2.0 */
/* files.c - the files that a script may source and ask for: regular ones of a limited size that stand, all links and
 * ".." resolved, below a root: the folder of the script (as named, and where a link leads), or one from the caller. */
#include <errno.h>
#include <stdlib.h>

#include "base/file.h"
#include "base/walk.h"
#include "config/script_state.h"

enum { NAMES_MAX = 4096 }; /* in a folder */

/* Where a path (an empty one is the current folder) really leads; empty, with errno set, when nowhere. */
static mls_str real_path(mls_shell_state *state, mls_str path)
{
    const mls_str copy = mls_arena_copy(state->arena, path.len > 0 ? path : MLS_S("."));
    char *real = copy.ptr != NULL ? realpath(copy.ptr, NULL) : NULL;
    const int problem = errno;
    const mls_str kept = real != NULL ? mls_arena_copy(state->arena, mls_str_from(real)) : MLS_S("");
    (void)mls_shell_memory(state, copy.ptr != NULL && kept.ptr != NULL && (real != NULL || problem != ENOMEM));
    free(real);
    errno = problem;
    return kept;
}

void mls_shell_files_init(mls_shell_state *state, const char *path, const char *root)
{
    const mls_str named = mls_str_from(path);
    const mls_str target = root == NULL ? real_path(state, named) : MLS_S("");
    state->roots[0] = real_path(state, root != NULL ? mls_str_from(root) : mls_path_folder(named));
    state->roots[1] = target.len > 0 ? real_path(state, mls_path_folder(target)) : target;
}

mls_status mls_shell_file_load(mls_shell_state *state, const char *path, mls_str *bytes, mls_error *error)
{
    mls_buffer text = {0};
    mls_error problem = {0};
    *bytes = MLS_S("");
    mls_status status = mls_file_read(path, false, MLS_SHELL_BYTES_MAX, &text, &problem);
    if (status == MLS_ERROR_LIMIT) {
        (void)mls_error_set(&problem, status, 0, 0, "is longer than a config may be");
    } else if (status == MLS_ERROR_READ && mls_str_starts(mls_str_from(problem.message), MLS_S("is a "))) {
        (void)mls_error_set(&problem, status, 0, 0, "is not a file");
    } else if (status == MLS_OK) {
        *bytes = mls_arena_copy(state->arena, mls_buffer_str(&text));
        status = bytes->ptr != NULL ? MLS_OK : mls_error_memory(&problem);
    }
    (void)mls_shell_memory(state, status != MLS_ERROR_MEMORY);
    mls_buffer_release(&text);
    if (error != NULL) {
        *error = problem;
    }
    return status;
}

/* MLS_ERROR_READ: nothing stands there; MLS_ERROR_UNKNOWN: its longest part that is there lies outside the roots. */
static mls_status locate(mls_shell_state *state, mls_str path, mls_str *real)
{
    mls_str there = path;
    *real = real_path(state, there);
    while (real->len == 0 && (errno == ENOENT || errno == ENOTDIR) && there.len > 0) {
        there = mls_path_folder((mls_str){there.ptr, there.len - 1});
        there.len -= there.len > 1; /* the slash */
        *real = real_path(state, there);
    }
    const bool inside = mls_path_is_below(*real, state->roots[0]) || mls_path_is_below(*real, state->roots[1]);
    return !inside ? MLS_ERROR_UNKNOWN : there.len == path.len ? MLS_OK : MLS_ERROR_READ;
}

/* The same of a path as it is or, when it is relative, beside the current script, wherever the job stands. */
static mls_status find(mls_shell_state *state, mls_str *path, mls_str *real)
{
    mls_status status = MLS_ERROR_UNKNOWN;
    if (path->len > 0 && memchr(path->ptr, '/', path->len) != NULL) {
        status = locate(state, *path, real);
    }
    if (status != MLS_OK && !mls_str_starts(*path, MLS_S("/")) && !state->stopped) {
        const mls_str beside = mls_shell_join(state, mls_path_folder(mls_str_from(state->frame.path)), *path);
        mls_str found;
        const mls_status second = locate(state, beside, &found);
        /* A file that is not there is not there, even if the second place would lie outside. */
        if (second == MLS_OK || status != MLS_ERROR_READ) {
            *path = beside;
            *real = found;
            status = second;
        }
    }
    return status;
}

mls_status mls_shell_file_read(mls_shell_state *state, mls_str *path, mls_str *bytes)
{
    mls_str real;
    *bytes = MLS_S("");
    if (path->len == 0 || !mls_shell_known(*path) || state->frame.moved) {
        return path->len == 0 ? MLS_ERROR_READ : MLS_ERROR_UNKNOWN;
    }
    mls_status status = find(state, path, &real);
    if (status == MLS_OK) {
        status = mls_shell_file_load(state, real.ptr, bytes, NULL);
        (void)mls_shell_step(state, bytes->len);
        status = status == MLS_OK && mls_shell_known(*bytes) ? MLS_OK : MLS_ERROR_UNKNOWN;
    }
    return state->stopped ? MLS_ERROR_LIMIT : status;
}

mls_str mls_shell_file_resolve(mls_shell_state *state, mls_str path)
{
    mls_str real;
    const bool moved = state->frame.moved && !mls_str_starts(path, MLS_S("/"));
    return !moved && locate(state, path, &real) == MLS_OK ? real : SHELL_HOLE;
}

/* Whether a name in a folder may be what a text stands for, by what is before its first hole and after its last. */
static bool may_be(mls_str text, mls_str name)
{
    const char *first = memchr(text.ptr, '\0', text.len);
    const char *last = memrchr(text.ptr, '\0', text.len);
    const mls_str before = {text.ptr, (size_t)(first - text.ptr)};
    const mls_str after = {last + 1, text.len - (size_t)(last + 1 - text.ptr)};
    return name.len >= before.len + after.len && mls_str_starts(name, before) && mls_str_ends(name, after);
}

void mls_shell_file_match(mls_shell_state *state, mls_str path, mls_shell_fields *matches)
{
    const char *hole = path.len > 0 ? memchr(path.ptr, '\0', path.len) : NULL;
    mls_str folder = hole != NULL ? mls_path_folder((mls_str){path.ptr, (size_t)(hole - path.ptr)}) : MLS_S("");
    const mls_str last = mls_str_rest(path, folder.len);
    mls_names names = {0};
    mls_str real;
    int problem = 0;
    matches->unknown = true;
    /* A path that starts with the hole may be anywhere. */
    if (hole == NULL || last.ptr[0] == '\0' || memchr(last.ptr, '/', last.len) != NULL || state->frame.moved) {
        return;
    }
    mls_status status = find(state, &folder, &real);
    status = status == MLS_OK ? mls_folder_names(real.ptr, NAMES_MAX, &names, &problem) : status;
    (void)mls_shell_memory(state, status != MLS_ERROR_MEMORY);
    matches->unknown = problem != 0 || (status != MLS_OK && status != MLS_ERROR_READ);
    for (size_t i = 0; i < names.count && !state->stopped; i++) {
        if (mls_shell_step(state, names.count) && may_be(last, mls_str_from(names.items[i]))) {
            mls_shell_fields_add(state, matches, mls_shell_join(state, folder, mls_str_from(names.items[i])));
        }
    }
    mls_names_release(&names);
}
