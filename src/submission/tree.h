/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tree.h - what stands where in a submission, found in one walk.
 *
 * The walk knows from a folder's place what belongs into it, lists the logs,
 * system descriptions and power files that are there, and makes findings about
 * everything else.  It reads no file but package_checker_params, changes
 * nothing, and follows no link out of the tree.  A link to a folder is
 * followed only where the place asks for a folder (a system, a benchmark), and
 * such places end a few levels down: loops of links end with them.
 *
 * All paths are relative to the root of the tree.
 */
#ifndef MLS_SUBMISSION_TREE_H
#define MLS_SUBMISSION_TREE_H

#include "mlscore/base.h"
#include "mlscore/edition.h"

/* More files and folders than this are not looked at. */
#define MLS_TREE_ENTRIES_MAX ((size_t)2000000)

/* Logs of one result, and system descriptions of one submitter, beyond this are not looked at. */
#define MLS_TREE_LOGS_MAX ((size_t)10000)

/* Configs of one submitter beyond this are not decoded. */
#define MLS_TREE_CONFIGS_MAX ((size_t)4096)

/* Logs of the whole tree beyond this are not looked at, nor are results (folders of logs). */
#define MLS_TREE_ALL_LOGS_MAX ((size_t)50000)
#define MLS_TREE_RESULTS_MAX ((size_t)50000)

/* Folders below the root are entered at most this deep. */
#define MLS_TREE_DEPTH_MAX 64

/* Repositories of results refuse larger files. */
#define MLS_TREE_LARGE_FILE ((uint64_t)50 << 20)

/* What could be a file to read: a log, a description, a power file. */
typedef struct mls_tree_file {
    char *path;
    const char *name; /* its last part */
    uint64_t size;
    bool readable; /* a regular file inside the tree; otherwise a finding says why not */
} mls_tree_file;

typedef struct mls_tree_files {
    mls_tree_file *items;
    size_t count;
    size_t capacity;
    size_t more; /* beyond MLS_TREE_LOGS_MAX */
} mls_tree_files;

/* power/result_<i>: the files of one run. */
typedef struct mls_tree_power {
    char *path;
    const char *name;
    mls_tree_files nodes;    /* node_<k>.txt */
    mls_tree_files switches; /* sw_<k>.txt */
} mls_tree_power;

/* The checks that a package_checker_params file asks to leave out. */
typedef struct mls_tree_params {
    bool rcp_bypass;
    bool seed_bypass;
} mls_tree_params;

/* results/<system>/[strong|weak/]<benchmark> */
typedef struct mls_tree_result {
    char *path;
    size_t system; /* index into the submitter's result_systems */
    const char *benchmark;
    bool weak;
    mls_tree_files logs; /* result_*.txt in natural order */
    bool has_power;
    mls_tree_power *power; /* in natural order */
    size_t power_count, power_capacity;
    size_t usual_nodes, usual_switches; /* files that most runs have; set by mls_power_usual() */
    mls_tree_params params;
} mls_tree_result;

/* results/<system> */
typedef struct mls_tree_system {
    char *path;
    const char *name;
    mls_tree_params params;
} mls_tree_system;

typedef struct mls_tree_submitter {
    char *path; /* "" when the root is the submitter's folder */
    char *name;
    mls_tree_files systems; /* systems/<system>.json */
    mls_tree_system *result_systems;
    size_t result_system_count, result_system_capacity;
    mls_tree_result *results;
    size_t result_count, result_capacity;
    mls_tree_files implementations; /* benchmarks/<benchmark> with at least one implementation */
    mls_tree_files configs;         /* config_*.sh of the implementations: regular files inside the tree */
    mls_findings findings;
} mls_tree_submitter;

typedef struct mls_tree {
    char *root; /* as the user wrote it */
    char *real; /* resolved, without a trailing slash but for "/" */
    mls_tree_submitter *submitters;
    size_t submitter_count, submitter_capacity;
    mls_findings findings; /* about what belongs to no submitter */
    size_t entries;        /* files and folders that were looked at */
    bool failed;           /* something could not be read */
} mls_tree;

/*
 * Walks the tree below `root`: one submitter's folder (it has results or
 * systems in it) or a folder of such folders.  MLS_OK; MLS_ERROR_READ when
 * `root` is no folder that can be read; MLS_ERROR_MEMORY.  What cannot be read
 * further down is a finding.  *tree is to be released in any case.
 */
mls_status mls_tree_walk(const char *root, mls_usage usage, mls_tree *tree, mls_error *error) MLS_MUST_USE;

void mls_tree_release(mls_tree *tree);

/* Opens a file of the tree; -1 with errno set on failure.  Never blocks. */
int mls_tree_open(const mls_tree *tree, const mls_tree_file *file);

/* The number of "<prefix><number><suffix>" written without leading zeros; false for any other name. */
bool mls_tree_number(const char *name, const char *prefix, const char *suffix, size_t *number);

#endif
