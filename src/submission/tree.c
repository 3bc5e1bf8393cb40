/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tree.c - the walk of a submission: what is found where, and whose it is.
 *
 * Every folder has a role that follows from its place; what belongs into it is
 * one table, `places`.
 */
#include "submission/tree.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/walk.h"

#define PARAMS_NAME "package_checker_params"

/* What is counted, and how much of it is looked at. */
typedef enum tree_limit { LIMIT_FOLDERS, LIMIT_LOGS, LIMIT_SYSTEMS, LIMIT_CONFIGS, LIMIT_COUNT } tree_limit;

static const struct {
    size_t most;
    const char *what;
} limits[LIMIT_COUNT] = {
    [LIMIT_FOLDERS] = {50000, "folders of results"},
    [LIMIT_LOGS] = {50000, "logs"},
    [LIMIT_SYSTEMS] = {10000, "system descriptions"},
    [LIMIT_CONFIGS] = {4096, "configs"},
};

typedef enum tree_role {
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
    ROLE_OTHER           /* anything may be in it */
} tree_role;

/* Whose it is what is found. */
typedef enum tree_owner { OWNER_NOBODY, OWNER_SUBMITTER, OWNER_SYSTEM, OWNER_DESCRIPTION, OWNER_RESULT } tree_owner;

typedef struct tree_walk {
    mls_submission *submission;
    const mls_submission_options *options;
    tree_owner owner;
    mls_submitter *submitter; /* the last one; the next two are its */
    mls_system *system;
    mls_submission_result *result;
    char *hidden;       /* a folder of submitters further down than they should be */
    size_t with_folder; /* systems that have one: they come first, in order of their names */
    size_t counts[LIMIT_COUNT];
    mls_status status; /* MLS_OK or MLS_ERROR_MEMORY */
} tree_walk;

mls_str mls_name_match(const char *name, const char *pattern)
{
    const mls_str none = {NULL, 0};
    mls_str text = mls_str_from(name);
    const size_t before = strcspn(pattern, "*#");
    const mls_str behind = mls_str_from(pattern + before + (pattern[before] != '\0'));
    size_t number;
    if (pattern[before] == '\0') {
        return strcmp(name, pattern) == 0 ? text : none;
    }
    if (text.len < before + behind.len || memcmp(name, pattern, before) != 0 || !mls_str_ends(text, behind)) {
        return none;
    }
    text = (mls_str){name + before, text.len - before - behind.len};
    if (pattern[before] == '#' && (!mls_size_parse(text, &number) || (text.len > 1 && text.ptr[0] == '0'))) {
        return none;
    }
    return text;
}

/* ------------------------------------------------------------------ owners */

/* The list that findings of this place go to. */
static mls_findings *findings_here(const tree_walk *walk)
{
    switch (walk->owner) {
    case OWNER_RESULT:
        return &walk->result->findings;
    case OWNER_SYSTEM:
        /* What stands beside its results is no concern of one benchmark. */
        return walk->options->benchmark == NULL ? &walk->system->findings : &walk->submitter->findings;
    case OWNER_DESCRIPTION:
        return &walk->system->findings;
    case OWNER_SUBMITTER:
        return &walk->submitter->findings;
    case OWNER_NOBODY:
        break;
    }
    return &walk->submission->findings;
}

static mls_finding_place place_of(const mls_walk_entry *entry)
{
    return (mls_finding_place){.path = *entry->below != '\0' ? entry->below : "."};
}

/* Counts one more; false, and said once, when there are more than are looked at. */
static bool has_room(tree_walk *walk, tree_limit limit, const mls_walk_entry *entry)
{
    if (walk->counts[limit]++ == limits[limit].most) {
        mls_findings_add_as(&walk->submission->findings, MLS_FINDING_TREE_LIMIT,
                            limit == LIMIT_CONFIGS ? MLS_SEVERITY_ADVICE : MLS_SEVERITY_ERROR, place_of(entry),
                            "there are more than %zu %s; the others are not looked at", limits[limit].most,
                            limits[limit].what);
    }
    return walk->counts[limit] <= limits[limit].most;
}

static char *copy(tree_walk *walk, const char *text, size_t len)
{
    char *copied = mls_copy_text(text, len);
    walk->status = copied != NULL ? walk->status : MLS_ERROR_MEMORY;
    return copied;
}

/* mls_grow() whose failure ends the walk. */
static bool grow(tree_walk *walk, void **items, size_t count, size_t *capacity, size_t size)
{
    const bool grown = mls_grow(items, count, capacity, size);
    walk->status = grown ? walk->status : MLS_ERROR_MEMORY;
    return grown;
}

/* ------------------------------------------------------------------- files */

/* A link to a place outside; one that leads nowhere is another matter. */
static bool leaves(const mls_walk_entry *entry)
{
    return entry->outside && entry->kind != MLS_WALK_LOST;
}

/* Why an entry cannot be read as a file; NULL when it can. */
static const char *unreadable(const mls_walk_entry *entry)
{
    static const char *const why[] = {[MLS_WALK_FOLDER] = "it is a folder",
                                      [MLS_WALK_SPECIAL] = "it is a pipe, a socket or a device",
                                      [MLS_WALK_LOST] = "it is a link that leads nowhere",
                                      [MLS_WALK_FAILED] = "it cannot be looked at"};
    return leaves(entry) ? "it is a link that leaves the tree" : why[entry->kind];
}

/* One that cannot be read is taken too, with a finding. */
static mls_submission_file take_file(tree_walk *walk, const mls_walk_entry *entry)
{
    const char *why = unreadable(entry);
    char *path = copy(walk, entry->below, strlen(entry->below));
    if (why != NULL) {
        mls_findings_add(findings_here(walk), MLS_FINDING_NOT_A_FILE, place_of(entry), "cannot be read as a file: %s",
                         why);
    }
    return (mls_submission_file){path, path != NULL ? mls_path_name(path) : "", entry->size, why == NULL};
}

static bool add_file(tree_walk *walk, mls_submission_files *files, const mls_walk_entry *entry)
{
    if (grow(walk, (void **)&files->items, files->count, &files->capacity, sizeof *files->items)) {
        files->items[files->count++] = take_file(walk, entry);
    }
    return true;
}

static bool take_params(tree_walk *walk, tree_role in, const mls_walk_entry *entry)
{
    const mls_submission_file file = {(char *)(uintptr_t)entry->below, entry->name, entry->size,
                                      unreadable(entry) == NULL};
    mls_bypasses *bypasses = in == ROLE_RESULT ? &walk->result->bypasses : &walk->system->bypasses;
    const mls_status status = mls_params_read(walk->submission, &file, bypasses, findings_here(walk));
    walk->status = status != MLS_OK ? status : walk->status;
    return true;
}

static bool take_useless(tree_walk *walk, tree_role in, const mls_walk_entry *entry)
{
    if (in == ROLE_RESULT) {
        mls_findings_add(findings_here(walk), MLS_FINDING_SCALING_FILE, place_of(entry),
                         "only the review committee adds a scaling factor");
    } else {
        mls_findings_add(findings_here(walk), MLS_FINDING_PARAMS_IGNORED, place_of(entry),
                         "has no effect here, only in a system's or a benchmark's results folder");
    }
    return true;
}

/* -------------------------------------------------------------- submitters */

/* Whether a folder (a path below the root, "" for the root) is a submitter's. */
static bool is_submitter(const tree_walk *walk, const char *path)
{
    const mls_str folder = mls_str_from(path);
    return mls_tree_has_folder(walk->submission->real, folder, "results") ||
           mls_tree_has_folder(walk->submission->real, folder, "systems");
}

static bool add_submitter(tree_walk *walk, const char *path, const char *name)
{
    mls_submission *all = walk->submission;
    if (!grow(walk, (void **)&all->submitters, all->submitter_count, &all->submitter_capacity,
              sizeof *all->submitters)) {
        return false;
    }
    walk->submitter = &all->submitters[all->submitter_count++];
    *walk->submitter = (mls_submitter){.path = copy(walk, path, strlen(path)), .name = copy(walk, name, strlen(name))};
    walk->owner = OWNER_SUBMITTER;
    walk->with_folder = 0;
    return true;
}

/* A submission further down than one is looked for: the folder above it, a round's, is what should be given. */
static bool take_hidden(tree_walk *walk, tree_role in, const mls_walk_entry *entry)
{
    mls_str path = {entry->below, strlen(entry->below) - strlen("/results")};
    (void)in;
    if (walk->owner == OWNER_NOBODY && walk->hidden == NULL &&
        mls_tree_has_folder(walk->submission->real, path, "systems")) {
        while (path.len > 0 && path.ptr[path.len - 1] != '/') {
            path.len--;
        }
        walk->hidden = copy(walk, path.ptr, path.len - (path.len > 0));
    }
    return true;
}

static bool take_submitter(tree_walk *walk, tree_role in, const mls_walk_entry *entry)
{
    (void)in;
    return is_submitter(walk, entry->below) && has_room(walk, LIMIT_FOLDERS, entry) &&
           add_submitter(walk, entry->below, entry->name);
}

/* ----------------------------------------------------------------- systems */

/* A new system of the submitter; takes the name over. */
static bool add_system(tree_walk *walk, char *name)
{
    mls_submitter *submitter = walk->submitter;
    if (name == NULL || !grow(walk, (void **)&submitter->systems, submitter->system_count, &submitter->system_capacity,
                              sizeof *submitter->systems)) {
        free(name);
        return false;
    }
    walk->system = &submitter->systems[submitter->system_count++];
    *walk->system = (mls_system){.name = name};
    return true;
}

static bool take_system(tree_walk *walk, tree_role in, const mls_walk_entry *entry)
{
    (void)in;
    if (!has_room(walk, LIMIT_FOLDERS, entry) || !add_system(walk, copy(walk, entry->name, strlen(entry->name)))) {
        return false;
    }
    walk->system->folder = copy(walk, entry->below, strlen(entry->below));
    walk->owner = OWNER_SYSTEM;
    walk->with_folder = walk->submitter->system_count;
    return true;
}

static int compare_systems(const void *left, const void *right)
{
    return mls_str_compare_natural(mls_str_from(((const mls_system *)left)->name),
                                   mls_str_from(((const mls_system *)right)->name));
}

static mls_system *find_system(mls_system *systems, size_t count, const char *name)
{
    const mls_system wanted = {.name = (char *)(uintptr_t)name};
    return count > 0 ? bsearch(&wanted, systems, count, sizeof *systems, compare_systems) : NULL;
}

mls_system *mls_submitter_system(const mls_submitter *submitter, const char *name)
{
    return find_system(submitter->systems, submitter->system_count, name);
}

static bool take_description(tree_walk *walk, tree_role in, const mls_walk_entry *entry)
{
    char *name = copy(walk, entry->name, strlen(entry->name) - strlen(".json"));
    (void)in;
    if (!has_room(walk, LIMIT_SYSTEMS, entry) || name == NULL) {
        free(name);
        return false;
    }
    walk->system = find_system(walk->submitter->systems, walk->with_folder, name);
    if (walk->system != NULL) {
        free(name);
    } else if (!add_system(walk, name)) {
        return false;
    }
    walk->owner = OWNER_DESCRIPTION;
    walk->system->description = take_file(walk, entry);
    return true;
}

/* ----------------------------------------------------------------- results */

static bool take_result(tree_walk *walk, tree_role in, const mls_walk_entry *entry)
{
    mls_submitter *submitter = walk->submitter;
    if (!has_room(walk, LIMIT_FOLDERS, entry) || !grow(walk, (void **)&submitter->results, submitter->result_count,
                                                       &submitter->result_capacity, sizeof *submitter->results)) {
        return false;
    }
    char *path = copy(walk, entry->below, strlen(entry->below));
    walk->result = &submitter->results[submitter->result_count++];
    *walk->result = (mls_submission_result){.path = path,
                                            .system = walk->system->name,
                                            .benchmark = path != NULL ? mls_path_name(path) : "",
                                            .weak = in == ROLE_WEAK};
    walk->owner = OWNER_RESULT;
    return true;
}

static bool take_log(tree_walk *walk, tree_role in, const mls_walk_entry *entry)
{
    mls_submission_result *result = walk->result;
    (void)in;
    if (has_room(walk, LIMIT_LOGS, entry) &&
        grow(walk, (void **)&result->runs, result->run_count, &result->run_capacity, sizeof *result->runs)) {
        mls_submission_run *run = &result->runs[result->run_count++];
        *run = (mls_submission_run){.file = take_file(walk, entry)};
        mls_run_init(&run->run);
    }
    return true;
}

static bool take_power(tree_walk *walk, tree_role in, const mls_walk_entry *entry)
{
    (void)in;
    (void)entry;
    walk->result->has_power = true;
    return true;
}

static bool take_power_run(tree_walk *walk, tree_role in, const mls_walk_entry *entry)
{
    mls_submission_result *result = walk->result;
    (void)in;
    if (!grow(walk, (void **)&result->power, result->power_count, &result->power_capacity, sizeof *result->power)) {
        return false;
    }
    char *path = copy(walk, entry->below, strlen(entry->below));
    result->power[result->power_count++] =
        (mls_power_folder){.path = path, .name = path != NULL ? mls_path_name(path) : ""};
    return true;
}

static bool take_power_file(tree_walk *walk, tree_role in, const mls_walk_entry *entry)
{
    mls_power_folder *power = &walk->result->power[walk->result->power_count - 1];
    (void)in;
    return add_file(walk, entry->name[0] == 'n' ? &power->nodes : &power->switches, entry);
}

/* benchmarks/<benchmark>/implementations/<implementation>: remembers the benchmark. */
static bool take_implementation(tree_walk *walk, tree_role in, const mls_walk_entry *entry)
{
    mls_submission_files *found = &walk->submitter->implementations;
    const size_t len = strlen(entry->below) - strlen(entry->name) - strlen("/implementations/");
    const mls_str last = mls_str_from(found->count > 0 ? found->items[found->count - 1].path : NULL);
    (void)in;
    if (!mls_str_equal(last, (mls_str){entry->below, len}) &&
        grow(walk, (void **)&found->items, found->count, &found->capacity, sizeof *found->items)) {
        char *path = copy(walk, entry->below, len);
        found->items[found->count++] =
            (mls_submission_file){.path = path, .name = path != NULL ? mls_path_name(path) : ""};
    }
    return true;
}

/* Takes note of a config; the rest of an implementation may be anything. */
static bool take_config(tree_walk *walk, tree_role in, const mls_walk_entry *entry)
{
    (void)in;
    return unreadable(entry) != NULL ||
           (has_room(walk, LIMIT_CONFIGS, entry) && add_file(walk, &walk->submitter->configs, entry));
}

/* ------------------------------------------------------------------- roles */

/* What else stands in a folder of this role has no place in it; NULL: anything may. */
static const char *const stray_in[] = {
    [ROLE_SYSTEMS] = "systems",
    [ROLE_RESULTS] = "results",
    [ROLE_SYSTEM] = "a system's results",
    [ROLE_SYSTEM_HPC] = "a system's results, where strong and weak stand",
    [ROLE_STRONG] = "a folder of benchmarks",
    [ROLE_WEAK] = "a folder of benchmarks",
    [ROLE_RESULT] = "a benchmark's results",
    [ROLE_POWER] = "a folder of power files",
    [ROLE_POWER_RUN] = "the power files of a run",
    [ROLE_OTHER] = NULL,
};

typedef enum tree_kind { KIND_FILE = 1, KIND_FOLDER = 2, KIND_ANY = 3 } tree_kind;

/* The first row that fits an entry tells what it is. */
static const struct {
    tree_role in;
    tree_kind kind;
    const char *name; /* '*' is anything, '#' a number */
    tree_role role;   /* of a folder, if it is taken, else OTHER */
    bool (*take)(tree_walk *walk, tree_role in, const mls_walk_entry *entry); /* NULL: nothing is noted */
} places[] = {
    {ROLE_ROUND, KIND_FOLDER, "*", ROLE_SUBMITTER, take_submitter},
    {ROLE_ROUND, KIND_FILE, PARAMS_NAME, ROLE_OTHER, take_useless},
    {ROLE_OTHER, KIND_FOLDER, "results", ROLE_OTHER, take_hidden},
    {ROLE_SUBMITTER, KIND_FOLDER, "systems", ROLE_SYSTEMS, NULL},
    {ROLE_SUBMITTER, KIND_FOLDER, "results", ROLE_RESULTS, NULL},
    {ROLE_SUBMITTER, KIND_FOLDER, "benchmarks", ROLE_BENCHMARKS, NULL},
    {ROLE_SUBMITTER, KIND_FILE, PARAMS_NAME, ROLE_OTHER, take_useless},
    {ROLE_SYSTEMS, KIND_FILE, "*.json", ROLE_OTHER, take_description},
    {ROLE_RESULTS, KIND_FOLDER, "*", ROLE_SYSTEM, take_system},
    {ROLE_RESULTS, KIND_FILE, PARAMS_NAME, ROLE_OTHER, take_useless},
    {ROLE_SYSTEM, KIND_FOLDER, "*", ROLE_RESULT, take_result},
    {ROLE_SYSTEM, KIND_FILE, PARAMS_NAME, ROLE_OTHER, take_params},
    {ROLE_SYSTEM_HPC, KIND_FOLDER, "strong", ROLE_STRONG, NULL},
    {ROLE_SYSTEM_HPC, KIND_FOLDER, "weak", ROLE_WEAK, NULL},
    {ROLE_SYSTEM_HPC, KIND_FILE, PARAMS_NAME, ROLE_OTHER, take_params},
    {ROLE_STRONG, KIND_FOLDER, "*", ROLE_RESULT, take_result},
    {ROLE_STRONG, KIND_FILE, PARAMS_NAME, ROLE_OTHER, take_useless},
    {ROLE_WEAK, KIND_FOLDER, "*", ROLE_RESULT, take_result},
    {ROLE_WEAK, KIND_FILE, PARAMS_NAME, ROLE_OTHER, take_useless},
    {ROLE_RESULT, KIND_FOLDER, "power", ROLE_POWER, take_power},
    {ROLE_RESULT, KIND_ANY, "result_*.txt", ROLE_OTHER, take_log},
    {ROLE_RESULT, KIND_FILE, PARAMS_NAME, ROLE_OTHER, take_params},
    {ROLE_RESULT, KIND_FILE, "scaling.json", ROLE_OTHER, take_useless},
    {ROLE_POWER, KIND_FOLDER, "result_#", ROLE_POWER_RUN, take_power_run},
    {ROLE_POWER_RUN, KIND_FILE, "node_*.txt", ROLE_OTHER, take_power_file},
    {ROLE_POWER_RUN, KIND_FILE, "sw_*.txt", ROLE_OTHER, take_power_file},
    {ROLE_BENCHMARKS, KIND_FOLDER, "*", ROLE_BENCHMARK, NULL},
    {ROLE_BENCHMARK, KIND_FOLDER, "implementations", ROLE_IMPLEMENTATIONS, NULL},
    {ROLE_IMPLEMENTATIONS, KIND_FOLDER, "*", ROLE_IMPLEMENTATION, take_implementation},
    {ROLE_IMPLEMENTATION, KIND_FOLDER, "*", ROLE_IMPLEMENTATION, NULL},
    {ROLE_IMPLEMENTATION, KIND_FILE, "config_*.sh", ROLE_OTHER, take_config},
};

/* Takes note of an entry in a folder of a role; returns its own role. */
static tree_role take(tree_walk *walk, tree_role in, const mls_walk_entry *entry)
{
    const bool folder = entry->kind == MLS_WALK_FOLDER;
    const bool left = folder && leaves(entry) && in != ROLE_RESULT;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        if (places[i].in != in || !(places[i].kind & (folder ? KIND_FOLDER : KIND_FILE)) ||
            mls_name_match(entry->name, places[i].name).ptr == NULL) {
            continue;
        }
        if (left && (in == ROLE_SUBMITTER || stray_in[in] != NULL)) {
            /* Results that stand somewhere else are not judged, which must not go for a success. */
            mls_findings_add(findings_here(walk), MLS_FINDING_NOT_A_FILE, place_of(entry),
                             "the folder is a link that leaves the tree, so what is in it was not judged");
        }
        const bool taken = !left && (places[i].take == NULL || places[i].take(walk, in, entry));
        const bool hpc = places[i].role == ROLE_SYSTEM && walk->options->usage == MLS_USAGE_HPC;
        return !taken ? ROLE_OTHER : hpc ? ROLE_SYSTEM_HPC : places[i].role;
    }
    if (stray_in[in] != NULL && !left) {
        mls_findings_add(findings_here(walk), MLS_FINDING_STRAY_FILE, place_of(entry), "%s has no place in %s",
                         folder ? "a folder of this name" : "this file", stray_in[in]);
    }
    return ROLE_OTHER;
}

/* ----------------------------------------------------------------- walking */

/* What can be said of a file or folder wherever it stands. */
static void look_at_hygiene(tree_walk *walk, const mls_walk_entry *entry)
{
    mls_findings *findings = findings_here(walk);
    const mls_finding_place place = place_of(entry);
    if (entry->kind == MLS_WALK_LOST) {
        mls_findings_add(findings, MLS_FINDING_BROKEN_LINK, place, "the link leads nowhere: %s",
                         strerror(entry->system_errno));
    }
    if (entry->name[0] == '.') {
        mls_findings_add(findings, MLS_FINDING_HIDDEN_NAME, place, "the name starts with a dot");
    }
    if (strchr(entry->name, ' ') != NULL) {
        mls_findings_add(findings, MLS_FINDING_SPACE_IN_NAME, place, "the name holds a space");
    }
    if (!entry->link && entry->size > MLS_TREE_LARGE_FILE) {
        mls_findings_add(findings, MLS_FINDING_LARGE_FILE, place, "the file has %.1f MiB",
                         (double)entry->size / 1048576.0);
    }
    if (leaves(entry)) {
        mls_findings_add(findings, MLS_FINDING_LINK_OUTSIDE, place, "the link leaves the tree; it is not followed");
    }
}

/* The role of a folder holds whose it is what is found there, too. */
enum { OWNER_UNIT = 256 };

static mls_status found_entry(void *state, mls_walk_entry *entry)
{
    tree_walk *walk = state;
    walk->owner = (tree_owner)(entry->role / OWNER_UNIT);
    if (entry->kind == MLS_WALK_FAILED) {
        mls_findings_add(findings_here(walk), MLS_FINDING_UNREADABLE, place_of(entry), "%s",
                         strerror(entry->system_errno));
        return MLS_OK;
    }
    if (entry->kind == MLS_WALK_FOLDER && strcmp(entry->name, ".git") == 0) {
        entry->enter = false;
        return MLS_OK;
    }
    const tree_role role = take(walk, (tree_role)(entry->role % OWNER_UNIT), entry);
    if (walk->status != MLS_OK) {
        return walk->status;
    }
    look_at_hygiene(walk, entry);
    /* Where any folder may stand, what a link leads to is walked at its own place. */
    const bool anywhere = role == ROLE_OTHER || role == ROLE_IMPLEMENTATION;
    entry->enter = !leaves(entry) && !(entry->link && anywhere);
    entry->inner = (int)walk->owner * OWNER_UNIT + (int)role;
    if (entry->too_deep) {
        mls_findings_add(findings_here(walk), MLS_FINDING_TREE_LIMIT, place_of(entry),
                         "folders nested deeper than %d levels are not looked at", MLS_TREE_DEPTH_MAX);
    }
    return walk->status;
}

static mls_status listed_folder(void *state, const mls_walk_entry *folder, size_t count, int system_errno)
{
    tree_walk *walk = state;
    walk->owner = (tree_owner)(folder->inner / OWNER_UNIT);
    if (system_errno == EOVERFLOW) {
        mls_findings_add(findings_here(walk), MLS_FINDING_TREE_LIMIT, place_of(folder),
                         "more than %zu names in a folder", MLS_TREE_ENTRIES_MAX);
    } else if (system_errno != 0) {
        mls_findings_add(findings_here(walk), MLS_FINDING_UNREADABLE, place_of(folder), "%s", strerror(system_errno));
    } else if (count == 0) {
        mls_findings_add(findings_here(walk), MLS_FINDING_EMPTY_FOLDER, place_of(folder), "the folder is empty");
    }
    return MLS_OK;
}

mls_status mls_tree_list(mls_submission *submission, const mls_submission_options *options, mls_error *error)
{
    tree_walk walk = {.submission = submission, .options = options};
    mls_folder_walk folders = {.visitor = {&walk, found_entry, listed_folder},
                               .entries_max = MLS_TREE_ENTRIES_MAX,
                               .depth_max = MLS_TREE_DEPTH_MAX,
                               .inside = true};
    struct stat about;
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
    const bool one = is_submitter(&walk, "") && add_submitter(&walk, "", mls_path_name(submission->real));
    const int role = one ? OWNER_SUBMITTER * OWNER_UNIT + ROLE_SUBMITTER : ROLE_ROUND;
    mls_status status =
        walk.status == MLS_OK ? mls_folder_walk_from(&folders, submission->real, role, error) : walk.status;
    mls_folder_walk_release(&folders);
    if (status == MLS_ERROR_LIMIT) {
        mls_findings_add(&submission->findings, MLS_FINDING_TREE_LIMIT, (mls_finding_place){.path = "."},
                         "there are more than %zu files and folders; the others are not looked at",
                         MLS_TREE_ENTRIES_MAX);
        status = MLS_OK;
    }
    if (submission->submitter_count == 0) {
        mls_tree_missed(submission, walk.hidden);
    }
    free(walk.hidden);
    /* Descriptions without results came behind those with, in another order than that of their names. */
    for (size_t i = 0; i < submission->submitter_count; i++) {
        mls_submitter *submitter = &submission->submitters[i];
        if (submitter->system_count > 1) {
            qsort(submitter->systems, submitter->system_count, sizeof *submitter->systems, compare_systems);
        }
    }
    return status;
}
