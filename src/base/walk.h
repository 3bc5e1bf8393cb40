/* SPDX-License-Identifier: Apache-2.0 */
/* walk.h - walk through folders in natural order.
 *
 * The visitor gets every entry below a root, each folder before its contents, and decides whether to enter it.  A
 * folder is entered only once, even if several paths lead to it, and is opened relative to its parent, so that
 * replacing it meanwhile cannot redirect the walk.
 *
 * Links are followed.  Entries that cannot be read are reported to the visitor.  The walk stops when the visitor
 * returns anything but MLS_OK, or after entries_max entries. */
#pragma once

#include <sys/types.h>

#include "base/map.h"

typedef enum mls_walk_kind {
    MLS_WALK_FILE,
    MLS_WALK_FOLDER,
    MLS_WALK_SPECIAL, /* a pipe, socket or device: see mode */
    MLS_WALK_LOST,    /* a dangling or circular link */
    MLS_WALK_FAILED   /* stat() failed: see system_errno */
} mls_walk_kind;

/* An entry of a folder.  Everything is borrowed until the visitor returns. */
typedef struct mls_walk_entry {
    const char *path;  /* the root as given, and the path below it */
    const char *below; /* the path below the root; "" for the root itself */
    const char *name;  /* the last part of the path */
    mls_walk_kind kind;
    mode_t mode;
    uint64_t size;    /* of a regular file, else 0 */
    unsigned depth;   /* 1 for entries of the root */
    int system_errno; /* of MLS_WALK_FAILED and MLS_WALK_LOST */
    bool link;        /* a link, whatever its target is */
    bool outside;     /* a link that leads out of the root, or cannot be resolved */
    bool before;      /* a folder that this walk has already entered */
    bool too_deep;    /* a folder below depth_max, which is never entered */
    int role;         /* the value of `inner` that the visitor set for the parent folder, or the initial role */
    /* For the visitor to change. */
    bool enter; /* for a folder: initially set, unless it is `before`, or `outside` and the walk stays inside */
    int inner;  /* the role of the folder's entries; initially `role` */
} mls_walk_entry;

typedef MLS_LIST_OF(char *) mls_names; /* owned, NUL-terminated */

typedef struct mls_walk_visitor {
    void *state;
    mls_status (*found)(void *state, mls_walk_entry *entry);
    /* Called for each entered folder with the names in it, which belong to the walk. system_errno is not 0 if the
     * folder could not be read completely; EOVERFLOW means too many names. */
    mls_status (*listed)(void *state, const mls_walk_entry *folder, const mls_names *names, int system_errno);
} mls_walk_visitor;

/* Zero-initialize all but the first four members.  One walk may have several roots. */
typedef struct mls_folder_walk {
    mls_walk_visitor visitor;
    size_t entries_max;
    unsigned depth_max;
    bool inside;    /* do not enter targets of links outside the root */
    size_t entries; /* visited so far */
    mls_map entered;
    mls_arena arena;
} mls_folder_walk;

/* Walk a folder, unless this walk has already entered it.  Its entries get the given role.  Return MLS_OK,
 * MLS_ERROR_LIMIT, or what the visitor returned; in the last case, the visitor sets `error`. */
mls_status mls_folder_walk_from(mls_folder_walk *walk, const char *root, int role, mls_error *error) MLS_MUST_USE;

void mls_folder_walk_release(mls_folder_walk *walk);

/* List the names in a folder except "." and "..", in natural order, at most `limit`. *system_errno is 0, the error that
 * stopped reading, or EOVERFLOW if there are more names.  Release `names` in any case. */
void mls_folder_names(const char *path, size_t limit, mls_names *names, int *system_errno);

/* Append a copy of a name. */
void mls_names_add(mls_names *names, mls_str name);
void mls_names_release(mls_names *names);

/* Compare for qsort() and bsearch(): natural order of items that begin with a name (const char *). */
int mls_compare_names(const void *a, const void *b);
