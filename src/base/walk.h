/* SPDX-License-Identifier: Apache-2.0 */
/* walk.h - the one walk through folders, in natural order.
 *
 * A visitor is shown everything below a root, each folder before what is in it, and says whether it is entered: once
 * however many ways lead there, and relative to the one it is in, so that one replaced meanwhile is not a way out.
 * Links are looked through.  What cannot be looked at, read or listed is shown; the walk ends early when the visitor
 * returns anything but MLS_OK, or after entries_max entries. */
#pragma once

#include <sys/types.h>

#include "base/map.h"

typedef enum mls_walk_kind {
    MLS_WALK_FILE,
    MLS_WALK_FOLDER,
    MLS_WALK_SPECIAL, /* a pipe, socket or device: see mode */
    MLS_WALK_LOST,    /* a link that leads nowhere or in a circle */
    MLS_WALK_FAILED   /* cannot be looked at: see system_errno */
} mls_walk_kind;

/* One thing in a folder.  Everything is borrowed until the visitor returns. */
typedef struct mls_walk_entry {
    const char *path;  /* the root as it was given, and the way from there */
    const char *below; /* the same without the root; "" for the root itself */
    const char *name;  /* the last part */
    mls_walk_kind kind;
    mode_t mode;
    uint64_t size;    /* of a regular file, else 0 */
    unsigned depth;   /* 1: in the root */
    int system_errno; /* of MLS_WALK_FAILED and MLS_WALK_LOST */
    bool link;        /* it is a link, whatever it leads to */
    bool outside;     /* it is a link that leads out of the root (or cannot be followed to its end) */
    bool before;      /* a folder that this walk has entered before */
    bool too_deep;    /* a folder deeper than depth_max: never entered */
    int role;         /* what the visitor said of the folder that it is in (`inner`), or what the walk began with */
    /* For the visitor to change. */
    bool enter; /* a folder: set unless it is `before`, or `outside` in a walk that stays inside */
    int inner;  /* the role of what is in it; set to `role` */
} mls_walk_entry;

typedef MLS_LIST_OF(char *) mls_names; /* owned, NUL-terminated */

typedef struct mls_walk_visitor {
    void *state;
    mls_status (*found)(void *state, mls_walk_entry *entry);
    /* A folder was entered and has these names, which are the walk's.  system_errno: it was not read to its end;
     * EOVERFLOW: too many. */
    mls_status (*listed)(void *state, const mls_walk_entry *folder, const mls_names *names, int system_errno);
} mls_walk_visitor;

/* Zero-initialised but for the first four members.  One walk may have several roots. */
typedef struct mls_folder_walk {
    mls_walk_visitor visitor;
    size_t entries_max;
    unsigned depth_max;
    bool inside;    /* what a link outside of the root leads to is not entered */
    size_t entries; /* shown so far */
    mls_map entered;
    mls_arena arena;
} mls_folder_walk;

/* Walks a folder that this walk has not entered before; what stands in it has the given role.  MLS_OK;
 * MLS_ERROR_LIMIT; or what the visitor returned, in which case `error` is the visitor's to fill. */
mls_status mls_folder_walk_from(mls_folder_walk *walk, const char *root, int role, mls_error *error) MLS_MUST_USE;

void mls_folder_walk_release(mls_folder_walk *walk);

/* The names in a folder but for "." and "..", in natural order, `limit` at most.  *system_errno says what kept the
 * rest from being read, EOVERFLOW that there are more; else it is 0.  `names` is to be released in any case. */
mls_status mls_folder_names(const char *path, size_t limit, mls_names *names, int *system_errno);

/* Append a copy of a name. */
bool mls_names_add(mls_names *names, mls_str name);
void mls_names_release(mls_names *names);

/* For qsort() and bsearch(): the natural order of items that begin with a name, a const char *. */
int mls_compare_names(const void *a, const void *b);
