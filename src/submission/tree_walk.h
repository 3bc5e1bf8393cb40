/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tree_walk.h - what the walk of a tree (tree.c) and what belongs where in it
 * (tree_places.c) know of each other.
 *
 * Every folder has a role that follows from its place.  The role decides what
 * becomes of the files in it and which roles the folders in it have.
 */
#ifndef MLS_SUBMISSION_TREE_WALK_H
#define MLS_SUBMISSION_TREE_WALK_H

#include "submission/tree.h"

/* What is counted, and how much of it is looked at. */
typedef enum mls_tree_limit {
    LIMIT_ENTRIES,
    LIMIT_FOLDERS,
    LIMIT_LOGS,
    LIMIT_SYSTEMS,
    LIMIT_CONFIGS,
    LIMIT_COUNT
} mls_tree_limit;

typedef enum mls_tree_role {
    ROLE_ROUND,
    ROLE_SUBMITTER,
    ROLE_SYSTEMS,
    ROLE_RESULTS,
    ROLE_SYSTEM, /* results/<system> */
    ROLE_SYSTEM_HPC,
    ROLE_STRONG, /* hpc: results/<system>/strong and weak */
    ROLE_WEAK,
    ROLE_RESULT, /* results/<system>/[strong|weak/]<benchmark> */
    ROLE_POWER,
    ROLE_POWER_RUN,
    ROLE_BENCHMARKS,
    ROLE_BENCHMARK, /* benchmarks/<benchmark> */
    ROLE_IMPLEMENTATIONS,
    ROLE_IMPLEMENTATION, /* benchmarks/<benchmark>/implementations/<implementation> and every folder below */
    ROLE_OTHER,          /* anything may be in it */
    ROLE_IGNORED         /* not entered */
} mls_tree_role;

/* Something in a folder, as its name or what a link leads to tells. */
typedef struct mls_tree_entry {
    char *path;
    const char *name;
    uint64_t size;
    int lost; /* the errno of a link that leads nowhere */
    bool folder, regular;
    bool link;
    bool outside; /* a link that leaves the tree */
} mls_tree_entry;

/* Whose it is what is found. */
typedef enum mls_tree_owner {
    OWNER_NOBODY,
    OWNER_SUBMITTER,
    OWNER_SYSTEM,
    OWNER_DESCRIPTION,
    OWNER_RESULT
} mls_tree_owner;

typedef struct mls_tree_walk {
    mls_submission *submission;
    const mls_submission_options *options;
    mls_tree_owner owner;
    mls_submitter *submitter; /* the last one; the next two are its */
    mls_system *system;
    mls_submission_result *result;
    size_t with_folder; /* systems that have one: they come first, in order of their names */
    size_t counts[LIMIT_COUNT];
    mls_status status; /* MLS_OK or MLS_ERROR_MEMORY */
} mls_tree_walk;

/* The list that findings of this place go to. */
mls_findings *mls_walk_findings(mls_tree_walk *walk);

/* Counts one more; false, and said once, when there are more than are looked at. */
bool mls_walk_has_room(mls_tree_walk *walk, mls_tree_limit limit, const mls_tree_entry *entry);

/* Takes note of an entry in a folder of a role; returns its own role. */
mls_tree_role mls_walk_take(mls_tree_walk *walk, mls_tree_role in, const mls_tree_entry *entry);

/* Whether a folder (a path below the root, "" for the root) is a submitter's; adds one. */
bool mls_walk_is_submitter(mls_tree_walk *walk, const char *path);
void mls_walk_add_submitter(mls_tree_walk *walk, const char *path, const char *name);

/* Puts what the walk found in order. */
void mls_walk_sort(mls_submission *submission);

#endif
