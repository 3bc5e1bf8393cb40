/* SPDX-License-Identifier: Apache-2.0 */
#include "submission/tree.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/folder.h"
#include "base/memory.h"
#include "base/number.h"
#include "submission/tree_walk.h"

/* ------------------------------------------------------------- the parts */

void mls_tree_files_release(mls_tree_files *files)
{
    for (size_t i = 0; i < files->count; i++) {
        free(files->items[i].path);
    }
    free(files->items);
    *files = (mls_tree_files){0};
}

static void mls_tree_result_release(mls_tree_result *result)
{
    for (size_t i = 0; i < result->power_count; i++) {
        mls_tree_files_release(&result->power[i].nodes);
        mls_tree_files_release(&result->power[i].switches);
        free(result->power[i].path);
    }
    free(result->power);
    mls_tree_files_release(&result->logs);
    free(result->path);
}

static void mls_tree_submitter_release(mls_tree_submitter *submitter)
{
    for (size_t i = 0; i < submitter->result_system_count; i++) {
        free(submitter->result_systems[i].path);
    }
    free(submitter->result_systems);
    for (size_t i = 0; i < submitter->result_count; i++) {
        mls_tree_result_release(&submitter->results[i]);
    }
    free(submitter->results);
    mls_tree_files_release(&submitter->systems);
    mls_tree_files_release(&submitter->implementations);
    mls_tree_files_release(&submitter->configs);
    mls_findings_release(&submitter->findings);
    free(submitter->path);
    free(submitter->name);
}

void mls_tree_release(mls_tree *tree)
{
    for (size_t i = 0; i < tree->submitter_count; i++) {
        mls_tree_submitter_release(&tree->submitters[i]);
    }
    free(tree->submitters);
    mls_findings_release(&tree->findings);
    free(tree->root);
    free(tree->real);
    *tree = (mls_tree){0};
}

int mls_tree_open(const mls_tree *tree, const mls_tree_file *file)
{
    char *path = mls_path_join(tree->real, file->path);
    if (path == NULL) {
        errno = ENOMEM;
        return -1;
    }
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    const int system_errno = errno;
    free(path);
    errno = system_errno;
    return fd;
}

bool mls_tree_number(const char *name, const char *prefix, const char *suffix, size_t *number)
{
    mls_str text = mls_str_from(name);
    const mls_str before = mls_str_from(prefix);
    const mls_str behind = mls_str_from(suffix);
    if (text.len <= before.len + behind.len || !mls_str_starts(text, before) || !mls_str_ends(text, behind)) {
        return false;
    }
    text.ptr += before.len;
    text.len -= before.len + behind.len;
    return mls_size_parse(text, number) && (text.len == 1 || text.ptr[0] != '0');
}

/* --------------------------------------------------------------- walking */

mls_findings *mls_walk_findings(mls_tree_walker *walker)
{
    mls_tree_submitter *submitter = mls_walk_submitter(walker);
    return submitter != NULL ? &submitter->findings : &walker->tree->findings;
}

mls_tree_submitter *mls_walk_submitter(mls_tree_walker *walker)
{
    return walker->in_submitter ? &walker->tree->submitters[walker->tree->submitter_count - 1] : NULL;
}

static bool mls_walk_stopped(const mls_tree_walker *walker)
{
    return walker->full || walker->status != MLS_OK;
}

/* Where a link leads: inside the tree, outside, or (errno) nowhere. */
static bool mls_link_is_inside(const mls_tree_walker *walker, const char *path)
{
    char real[PATH_MAX];
    const size_t len = strlen(walker->tree->real);
    if (realpath(path, real) == NULL) {
        return false;
    }
    return len == 1 || (strncmp(real, walker->tree->real, len) == 0 && (real[len] == '/' || real[len] == '\0'));
}

/* Finds out what stands at entry->path; false when it is gone or cannot be looked at, after a finding. */
static bool mls_entry_look(mls_tree_walker *walker, mls_tree_entry *entry)
{
    struct stat about;
    const mls_finding_place place = {.path = entry->path};
    char *path = mls_path_join(walker->tree->real, entry->path);
    bool found = path != NULL && fstatat(AT_FDCWD, path, &about, AT_SYMLINK_NOFOLLOW) == 0;
    if (path == NULL) {
        walker->status = MLS_ERROR_MEMORY;
        return false;
    }
    if (found && S_ISLNK(about.st_mode)) {
        entry->link = true;
        found = stat(path, &about) == 0;
        if (!found) {
            mls_findings_add(mls_walk_findings(walker), MLS_FINDING_BROKEN_LINK, place, "the link leads nowhere: %s",
                             strerror(errno));
            entry->kind = MLS_ENTRY_LOST;
            free(path);
            return true;
        }
        entry->outside = !mls_link_is_inside(walker, path);
    }
    if (!found) {
        walker->tree->failed = true;
        mls_findings_add(mls_walk_findings(walker), MLS_FINDING_UNREADABLE, place, "%s", strerror(errno));
    } else {
        entry->kind = S_ISREG(about.st_mode)   ? MLS_ENTRY_FILE
                      : S_ISDIR(about.st_mode) ? MLS_ENTRY_FOLDER
                                               : MLS_ENTRY_SPECIAL;
        entry->size = S_ISREG(about.st_mode) ? (uint64_t)about.st_size : 0;
    }
    free(path);
    return found;
}

/* What can be said of a file or folder wherever it stands. */
static void mls_entry_hygiene(mls_tree_walker *walker, const mls_tree_entry *entry)
{
    mls_findings *findings = mls_walk_findings(walker);
    const mls_finding_place place = {.path = entry->path};
    if (entry->name[0] == '.') {
        mls_findings_add(findings, MLS_FINDING_HIDDEN_NAME, place, "the name starts with a dot");
    }
    if (strchr(entry->name, ' ') != NULL) {
        mls_findings_add(findings, MLS_FINDING_SPACE_IN_NAME, place, "the name holds a space");
    }
    if (entry->kind == MLS_ENTRY_FILE && !entry->link && entry->size > MLS_TREE_LARGE_FILE) {
        mls_findings_add(findings, MLS_FINDING_LARGE_FILE, place, "the file has %.1f MiB",
                         (double)entry->size / 1048576.0);
    }
    if (entry->outside) {
        mls_findings_add(findings, MLS_FINDING_LINK_OUTSIDE, place, "the link leaves the tree; it is not followed");
    }
}

static void mls_walk_entry(mls_tree_walker *walker, mls_tree_role role, mls_tree_entry *entry, unsigned depth)
{
    walker->in_submitter &= role != MLS_ROLE_ROUND;
    if (walker->tree->entries == MLS_TREE_ENTRIES_MAX) {
        mls_findings_add(mls_walk_findings(walker), MLS_FINDING_TREE_LIMIT, (mls_finding_place){.path = entry->path},
                         "there are more than %zu files and folders; from here on nothing was looked at",
                         MLS_TREE_ENTRIES_MAX);
        walker->full = true;
        return;
    }
    walker->tree->entries++;
    if (!mls_entry_look(walker, entry)) {
        return;
    }
    mls_entry_hygiene(walker, entry);
    if (entry->kind != MLS_ENTRY_FOLDER) {
        mls_role_file(walker, role, entry);
        return;
    }
    const mls_tree_role inner = mls_role_folder(walker, role, entry);
    /* Where any folder may stand, what a link leads to is walked at its own place. */
    const bool anywhere = inner == MLS_ROLE_OTHER || inner == MLS_ROLE_IMPLEMENTATION;
    if (inner == MLS_ROLE_IGNORED || entry->outside || (entry->link && anywhere)) {
        return;
    }
    if (depth == MLS_TREE_DEPTH_MAX) {
        mls_findings_add(mls_walk_findings(walker), MLS_FINDING_TREE_LIMIT, (mls_finding_place){.path = entry->path},
                         "folders nested deeper than %d levels are not looked at", MLS_TREE_DEPTH_MAX);
        return;
    }
    mls_walk_folder(walker, entry->path, inner, depth + 1);
}

void mls_walk_folder(mls_tree_walker *walker, const char *path, mls_tree_role role, unsigned depth)
{
    mls_names names = {0};
    int system_errno = 0;
    char *whole = *path != '\0' ? mls_path_join(walker->tree->real, path)
                                : mls_copy_text(walker->tree->real, strlen(walker->tree->real));
    walker->status =
        whole != NULL ? mls_folder_names(whole, MLS_TREE_ENTRIES_MAX, &names, &system_errno) : MLS_ERROR_MEMORY;
    free(whole);
    const mls_finding_place place = {.path = *path != '\0' ? path : "."};
    if (walker->status == MLS_OK && system_errno == EOVERFLOW) {
        mls_findings_add(mls_walk_findings(walker), MLS_FINDING_TREE_LIMIT, place, "more than %zu names in a folder",
                         MLS_TREE_ENTRIES_MAX);
    } else if (walker->status == MLS_OK && system_errno != 0) {
        walker->tree->failed = true;
        mls_findings_add(mls_walk_findings(walker), MLS_FINDING_UNREADABLE, place, "%s", strerror(system_errno));
    } else if (walker->status == MLS_OK && names.count == 0) {
        mls_findings_add(mls_walk_findings(walker), MLS_FINDING_EMPTY_FOLDER, place, "the folder is empty");
    }
    for (size_t i = 0; i < names.count && !mls_walk_stopped(walker); i++) {
        mls_tree_entry entry = {.path = mls_path_join(path, names.items[i])};
        if (*path == '\0') {
            free((void *)entry.path);
            entry.path = mls_copy_text(names.items[i], strlen(names.items[i]));
        }
        if (entry.path == NULL) {
            walker->status = MLS_ERROR_MEMORY;
            break;
        }
        entry.name = mls_path_name(entry.path);
        mls_walk_entry(walker, role, &entry, depth);
        free(entry.path);
    }
    mls_names_release(&names);
}

/* Whether a folder (a path below the root, "" for the root) is a submitter's. */
bool mls_walk_is_submitter(mls_tree_walker *walker, const char *path)
{
    static const char *const parts[] = {"results", "systems"};
    bool is = false;
    for (size_t i = 0; i < sizeof parts / sizeof *parts && !is; i++) {
        struct stat about;
        mls_buffer whole = {0};
        mls_buffer_printf(&whole, "%s/%s/%s", walker->tree->real, path, parts[i]);
        is = !whole.failed && stat(whole.ptr, &about) == 0 && S_ISDIR(about.st_mode);
        walker->status = whole.failed ? MLS_ERROR_MEMORY : walker->status;
        mls_buffer_release(&whole);
    }
    return is;
}

bool mls_walk_submitter_add(mls_tree_walker *walker, const char *path, const char *name)
{
    mls_tree *tree = walker->tree;
    mls_tree_submitter submitter = {.path = mls_copy_text(path, strlen(path)),
                                    .name = mls_copy_text(name, strlen(name))};
    if (submitter.path == NULL || submitter.name == NULL ||
        !mls_grow((void **)&tree->submitters, tree->submitter_count, &tree->submitter_capacity,
                  sizeof *tree->submitters)) {
        free(submitter.path);
        free(submitter.name);
        walker->status = MLS_ERROR_MEMORY;
        return false;
    }
    tree->submitters[tree->submitter_count++] = submitter;
    return true;
}

mls_status mls_tree_walk(const char *root, mls_usage usage, mls_tree *tree, mls_error *error)
{
    struct stat about;
    mls_tree_walker walker = {.tree = tree, .usage = usage};
    *tree = (mls_tree){.root = mls_copy_text(root, strlen(root)), .real = realpath(root, NULL)};
    if (tree->real == NULL) {
        return mls_error_set_errno(error, MLS_ERROR_READ, errno, "%s", "cannot be read");
    }
    if (tree->root == NULL) {
        return mls_error_memory(error);
    }
    if (stat(tree->real, &about) != 0 || !S_ISDIR(about.st_mode)) {
        return mls_error_set(error, MLS_ERROR_READ, 0, 0, "not a folder");
    }
    if (access(tree->real, R_OK | X_OK) != 0) {
        return mls_error_set_errno(error, MLS_ERROR_READ, errno, "%s", "cannot be read");
    }
    const bool one = mls_walk_is_submitter(&walker, "");
    if (walker.status == MLS_OK && !one) {
        mls_walk_folder(&walker, "", MLS_ROLE_ROUND, 1);
    } else if (walker.status == MLS_OK && mls_walk_submitter_add(&walker, "", mls_path_name(tree->real))) {
        walker.in_submitter = true;
        mls_walk_folder(&walker, "", MLS_ROLE_SUBMITTER, 1);
    }
    return walker.status == MLS_OK ? MLS_OK : mls_error_set(error, walker.status, 0, 0, "out of memory");
}
