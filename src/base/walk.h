/* SPDX-License-Identifier: Apache-2.0 */
/* walk.h - visit all files and folders below a root folder, in natural order.
 *
 * The visitor is called for every entry below a root, for a folder before its contents, and decides whether to enter a
 * folder.  A folder is entered only once, even if several paths lead to it.  It is opened relative to its parent, and
 * not entered if it was replaced since it was examined.
 *
 * Links are followed.  Entries that cannot be read are reported to the visitor.  The walk stops when the visitor
 * returns anything but MLS_OK, or after entries_max entries. */
#pragma once

#include <sys/types.h>

#include "base/map.h"

typedef enum mls_walk_kind {
    MLS_WALK_FILE,
    MLS_WALK_FOLDER,
    MLS_WALK_SPECIAL, /* a pipe, a socket or a device; `mode` contains its type */
    MLS_WALK_LOST,    /* a dangling or circular link */
    MLS_WALK_FAILED   /* stat() failed with the error system_errno */
} mls_walk_kind;

/* An entry of a folder.  The strings are valid until the visitor returns. */
typedef struct mls_walk_entry {
    const char *path;  /* the root as given by the caller, followed by the path below the root */
    const char *below; /* the path below the root; "" for the root itself */
    const char *name;  /* the last part of the path */
    mls_walk_kind kind;
    mode_t mode;
    uint64_t size;    /* size of a regular file in bytes, otherwise 0 */
    unsigned depth;   /* 1 for entries of the root */
    int system_errno; /* the error of MLS_WALK_FAILED and MLS_WALK_LOST, otherwise 0 */
    bool link;        /* a link; kind, mode and size describe the target of the link */
    bool outside;     /* a link that leads out of the root, or cannot be resolved */
    bool before;      /* a folder that this walk has already entered */
    bool too_deep;    /* a folder that is deeper than depth_max, which is never entered */
    int role;         /* the value of `inner` that the visitor set for the parent folder, or the initial role */
    /* The visitor can change these two members of a folder: */
    bool enter; /* whether to enter the folder; initially false if `before` is set, or `outside` with walk.inside */
    int inner;  /* the role of the folder's entries; initially `role` */
} mls_walk_entry;

typedef MLS_LIST_OF(char *) mls_names; /* a list of NUL-terminated names, which it owns */

typedef struct mls_walk_visitor {
    void *state;
    /* Called for each entry. */
    mls_status (*found)(void *state, mls_walk_entry *entry);
    /* Called for each entered folder with the names in it, which are valid until the function returns.  If the folder
     * could not be read completely, system_errno is not 0; EOVERFLOW means that it contains too many names. */
    mls_status (*listed)(void *state, const mls_walk_entry *folder, const mls_names *names, int system_errno);
} mls_walk_visitor;

/* The caller sets visitor, entries_max, depth_max and inside, and zero-initializes the other members.  The same walk
 * can visit several roots. */
typedef struct mls_folder_walk {
    mls_walk_visitor visitor;
    size_t entries_max; /* maximum number of entries to visit */
    unsigned depth_max; /* maximum depth of folders to enter */
    bool inside;        /* whether folders outside the root, to which links lead, are not entered */
    size_t entries;     /* number of entries visited so far */
    mls_map entered;    /* the device and inode numbers of the folders entered so far */
    mls_arena arena;
} mls_folder_walk;

/* Visit the entries below `root`, unless this walk has already entered it.  `role` is the role of the entries of the
 * root.  Return MLS_OK; MLS_ERROR_LIMIT with `error` set if there are more than entries_max entries; or the status that
 * the visitor returned if it is not MLS_OK, with `error` as the visitor has set it. */
mls_status mls_folder_walk_from(mls_folder_walk *walk, const char *root, int role, mls_error *error) MLS_MUST_USE;

void mls_folder_walk_release(mls_folder_walk *walk);

/* List at most `limit` names in a folder, except "." and "..", in natural order. *system_errno is 0; the error that
 * stopped reading; or EOVERFLOW if the folder contains more names.  Call mls_names_release() even after an error. */
void mls_folder_names(const char *path, size_t limit, mls_names *names, int *system_errno);

/* Append a copy of a name. */
void mls_names_add(mls_names *names, mls_str name);
void mls_names_release(mls_names *names);

/* Compare two items that begin with a name (const char *) by the natural order of the names, for qsort() and bsearch().
 */
int mls_compare_names(const void *a, const void *b);
