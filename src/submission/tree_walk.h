/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tree_walk.h - the walk of a tree (tree.c) and what belongs where in it
 * (tree_roles.c).
 *
 * Every folder has a role that follows from its place.  The role decides what
 * becomes of the files in it and which roles the folders in it have.
 */
#ifndef MLS_SUBMISSION_TREE_WALK_H
#define MLS_SUBMISSION_TREE_WALK_H

#include "submission/tree.h"

typedef enum mls_tree_role {
    MLS_ROLE_ROUND,
    MLS_ROLE_SUBMITTER,
    MLS_ROLE_SYSTEMS,
    MLS_ROLE_RESULTS,
    MLS_ROLE_SYSTEM, /* results/<system> */
    MLS_ROLE_STRONG, /* hpc: results/<system>/strong and weak */
    MLS_ROLE_WEAK,
    MLS_ROLE_RESULT, /* results/<system>/[strong|weak/]<benchmark> */
    MLS_ROLE_POWER,
    MLS_ROLE_POWER_RUN,
    MLS_ROLE_BENCHMARKS,
    MLS_ROLE_BENCHMARK, /* benchmarks/<benchmark> */
    MLS_ROLE_IMPLEMENTATIONS,
    MLS_ROLE_IMPLEMENTATION, /* benchmarks/<benchmark>/implementations/<implementation> and every folder below */
    MLS_ROLE_OTHER,          /* anything may be in it */
    MLS_ROLE_IGNORED         /* not entered */
} mls_tree_role;

typedef enum mls_entry_kind {
    MLS_ENTRY_FILE,
    MLS_ENTRY_FOLDER,
    MLS_ENTRY_SPECIAL, /* a pipe, socket or device */
    MLS_ENTRY_LOST     /* a link that leads nowhere */
} mls_entry_kind;

/* Something in a folder, as its name or what a link leads to tells. */
typedef struct mls_tree_entry {
    char *path; /* relative to the root */
    const char *name;
    mls_entry_kind kind;
    uint64_t size;
    bool link;
    bool outside; /* a link that leaves the tree */
} mls_tree_entry;

typedef struct mls_tree_walker {
    mls_tree *tree;
    mls_usage usage;
    size_t logs;       /* found so far, in all results */
    size_t results;    /* and folders of them, and of systems */
    bool in_submitter; /* the last one of the tree */
    bool full;         /* MLS_TREE_ENTRIES_MAX was met */
    mls_status status; /* MLS_OK or MLS_ERROR_MEMORY */
} mls_tree_walker;

/* The list that findings of this place go to, and the submitter it is in (NULL: none). */
mls_findings *mls_walk_findings(mls_tree_walker *walker);
mls_tree_submitter *mls_walk_submitter(mls_tree_walker *walker);

/* Walks one folder; `path` is "" for the root.  Bounded by MLS_TREE_DEPTH_MAX. */
void mls_walk_folder(mls_tree_walker *walker, const char *path, mls_tree_role role, unsigned depth);

/* Whether a folder has results or systems in it. */
bool mls_walk_is_submitter(mls_tree_walker *walker, const char *path);
bool mls_walk_submitter_add(mls_tree_walker *walker, const char *path, const char *name);

/* Takes note of what is no folder. */
void mls_role_file(mls_tree_walker *walker, mls_tree_role role, mls_tree_entry *entry);

/* Takes note of a folder and tells its role. */
mls_tree_role mls_role_folder(mls_tree_walker *walker, mls_tree_role role, mls_tree_entry *entry);

void mls_tree_files_release(mls_tree_files *files);

#endif
