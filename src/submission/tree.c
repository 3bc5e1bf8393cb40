/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tree.c - the walk of a submission: every file and folder once, links only
 * where a place asks for a folder.
 */
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
#include "submission/tree_walk.h"

int mls_tree_open(const mls_submission *submission, const mls_submission_file *file)
{
    mls_error error = {.system_errno = ENOMEM};
    char *path = mls_path_join(submission->real, file->path);
    const int fd = path != NULL ? mls_file_open(path, false, &error) : -1;
    free(path);
    errno = error.system_errno;
    return fd;
}

mls_status mls_tree_read(const mls_submission *submission, const mls_submission_file *file, size_t limit,
                         mls_buffer *text, mls_error *error)
{
    char *path = mls_path_join(submission->real, file->path);
    const mls_status status = path != NULL ? mls_file_read(path, false, limit, text, error) : mls_error_memory(error);
    free(path);
    return status;
}

static mls_finding_place place_of(const mls_tree_entry *entry)
{
    return (mls_finding_place){.path = entry->path};
}

/* ----------------------------------------------------------------- walking */

/* Finds out what stands at entry->path; false when it is gone or cannot be looked at, after a finding. */
static bool look(mls_tree_walk *walk, mls_tree_entry *entry)
{
    struct stat about;
    char real[PATH_MAX];
    const mls_str root = mls_str_from(walk->submission->real);
    char *path = mls_path_join(root.ptr, entry->path);
    walk->status = path != NULL ? walk->status : MLS_ERROR_MEMORY;
    bool found = path != NULL && lstat(path, &about) == 0;
    entry->link = found && S_ISLNK(about.st_mode);
    if (entry->link && stat(path, &about) != 0) {
        entry->lost = errno;
    } else if (entry->link) {
        entry->outside =
            realpath(path, real) == NULL || (root.len > 1 && (strncmp(real, root.ptr, root.len) != 0 ||
                                                              (real[root.len] != '/' && real[root.len] != '\0')));
    }
    if (!found && path != NULL) {
        walk->submission->failed = true;
        mls_findings_add(mls_walk_findings(walk), MLS_FINDING_UNREADABLE, place_of(entry), "%s", strerror(errno));
    } else if (found && entry->lost == 0) {
        entry->folder = S_ISDIR(about.st_mode);
        entry->regular = S_ISREG(about.st_mode);
        entry->size = entry->regular ? (uint64_t)about.st_size : 0;
    }
    free(path);
    return found;
}

/* What can be said of a file or folder wherever it stands. */
static void look_at_hygiene(mls_tree_walk *walk, const mls_tree_entry *entry)
{
    mls_findings *findings = mls_walk_findings(walk);
    const mls_finding_place place = place_of(entry);
    if (entry->lost != 0) {
        mls_findings_add(findings, MLS_FINDING_BROKEN_LINK, place, "the link leads nowhere: %s", strerror(entry->lost));
    }
    if (entry->name[0] == '.') {
        mls_findings_add(findings, MLS_FINDING_HIDDEN_NAME, place, "the name starts with a dot");
    }
    if (strchr(entry->name, ' ') != NULL) {
        mls_findings_add(findings, MLS_FINDING_SPACE_IN_NAME, place, "the name holds a space");
    }
    if (entry->regular && !entry->link && entry->size > MLS_TREE_LARGE_FILE) {
        mls_findings_add(findings, MLS_FINDING_LARGE_FILE, place, "the file has %.1f MiB",
                         (double)entry->size / 1048576.0);
    }
    if (entry->outside) {
        mls_findings_add(findings, MLS_FINDING_LINK_OUTSIDE, place, "the link leaves the tree; it is not followed");
    }
}

static void walk_folder(mls_tree_walk *walk, const char *path, mls_tree_role role, unsigned depth);

static void walk_entry(mls_tree_walk *walk, mls_tree_role in, mls_tree_entry *entry, unsigned depth)
{
    if (!mls_walk_has_room(walk, LIMIT_ENTRIES, entry) || !look(walk, entry)) {
        return;
    }
    const mls_tree_role role = mls_walk_take(walk, in, entry);
    look_at_hygiene(walk, entry);
    /* Where any folder may stand, what a link leads to is walked at its own place. */
    const bool anywhere = role == ROLE_OTHER || role == ROLE_IMPLEMENTATION;
    if (!entry->folder || role == ROLE_IGNORED || entry->outside || (entry->link && anywhere)) {
        return;
    }
    if (depth == MLS_TREE_DEPTH_MAX) {
        mls_findings_add(mls_walk_findings(walk), MLS_FINDING_TREE_LIMIT, place_of(entry),
                         "folders nested deeper than %d levels are not looked at", MLS_TREE_DEPTH_MAX);
        return;
    }
    walk_folder(walk, entry->path, role, depth + 1);
}

/* Walks one folder; `path` is "" for the root.  Bounded by MLS_TREE_DEPTH_MAX. */
static void walk_folder(mls_tree_walk *walk, const char *path, mls_tree_role role, unsigned depth)
{
    mls_names names = {0};
    int system_errno = 0;
    const mls_finding_place place = {.path = *path != '\0' ? path : "."};
    const mls_tree_owner owner = walk->owner;
    char *whole = mls_path_join(walk->submission->real, path);
    walk->status =
        whole != NULL ? mls_folder_names(whole, MLS_TREE_ENTRIES_MAX, &names, &system_errno) : MLS_ERROR_MEMORY;
    free(whole);
    if (system_errno == EOVERFLOW) {
        mls_findings_add(mls_walk_findings(walk), MLS_FINDING_TREE_LIMIT, place, "more than %zu names in a folder",
                         MLS_TREE_ENTRIES_MAX);
    } else if (system_errno != 0) {
        walk->submission->failed = true;
        mls_findings_add(mls_walk_findings(walk), MLS_FINDING_UNREADABLE, place, "%s", strerror(system_errno));
    } else if (walk->status == MLS_OK && names.count == 0) {
        mls_findings_add(mls_walk_findings(walk), MLS_FINDING_EMPTY_FOLDER, place, "the folder is empty");
    }
    for (size_t i = 0; i < names.count && walk->status == MLS_OK; i++) {
        char *inner =
            *path != '\0' ? mls_path_join(path, names.items[i]) : mls_copy_text(names.items[i], strlen(names.items[i]));
        mls_tree_entry entry = {.path = inner, .name = names.items[i]};
        if (inner != NULL) {
            walk_entry(walk, role, &entry, depth);
        } else {
            walk->status = MLS_ERROR_MEMORY;
        }
        walk->owner = owner;
        free(inner);
    }
    mls_names_release(&names);
}

mls_status mls_tree_list(mls_submission *submission, const mls_submission_options *options, mls_error *error)
{
    struct stat about;
    mls_tree_walk walk = {.submission = submission, .options = options};
    submission->real = realpath(submission->path, NULL);
    if (submission->real == NULL) {
        return mls_error_set_errno(error, MLS_ERROR_READ, errno, "%s", "cannot be read");
    }
    if (stat(submission->real, &about) != 0 || !S_ISDIR(about.st_mode)) {
        return mls_error_set(error, MLS_ERROR_READ, 0, 0, "not a folder");
    }
    if (access(submission->real, R_OK | X_OK) != 0) {
        return mls_error_set_errno(error, MLS_ERROR_READ, errno, "%s", "cannot be read");
    }
    if (!mls_walk_is_submitter(&walk, "")) {
        walk_folder(&walk, "", ROLE_ROUND, 1);
    } else {
        mls_walk_add_submitter(&walk, "", mls_path_name(submission->real));
        walk_folder(&walk, "", ROLE_SUBMITTER, 1);
    }
    mls_walk_sort(submission);
    return walk.status;
}
