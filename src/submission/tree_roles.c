/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tree_roles.c - what belongs where in a submission.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/folder.h"
#include "base/memory.h"
#include "mlscore/reading.h"
#include "submission/tree_walk.h"

/* package_checker_params holds a few words. */
enum { MLS_PARAMS_BYTES_MAX = 65536 };

static const char params_name[] = "package_checker_params";

static void mls_role_stray(mls_tree_walker *walker, const mls_tree_entry *entry, const char *where)
{
    mls_findings_add(mls_walk_findings(walker), MLS_FINDING_STRAY_FILE, (mls_finding_place){.path = entry->path},
                     "%s has no place in %s", entry->kind == MLS_ENTRY_FOLDER ? "a folder of this name" : "this file",
                     where);
}

/* Why an entry cannot be read as a file; NULL when it can. */
static const char *mls_entry_unreadable(const mls_tree_entry *entry)
{
    if (entry->outside) {
        return "it is a link that leaves the tree";
    }
    switch (entry->kind) {
    case MLS_ENTRY_FILE:
        return NULL;
    case MLS_ENTRY_FOLDER:
        return "it is a folder";
    case MLS_ENTRY_LOST:
        return "it is a link that leads nowhere";
    case MLS_ENTRY_SPECIAL:
        break;
    }
    return "it is a pipe, a socket or a device";
}

/* Adds to a list of files; one that cannot be read stays in it, with a finding. */
static void mls_role_add_file(mls_tree_walker *walker, mls_tree_files *files, const mls_tree_entry *entry)
{
    const char *why = mls_entry_unreadable(entry);
    const mls_finding_place place = {.path = entry->path};
    if (files->count == MLS_TREE_LOGS_MAX) {
        if (files->more++ > 0) {
            return;
        }
        mls_findings_add(mls_walk_findings(walker), MLS_FINDING_TREE_LIMIT, place,
                         "the folder holds more than %zu files of this kind; the others are not looked at",
                         MLS_TREE_LOGS_MAX);
        return;
    }
    char *path = mls_copy_text(entry->path, strlen(entry->path));
    if (path == NULL || !MLS_GROW(files, items)) {
        free(path);
        walker->status = MLS_ERROR_MEMORY;
        return;
    }
    if (why != NULL) {
        mls_findings_add(mls_walk_findings(walker), MLS_FINDING_NOT_A_FILE, place, "cannot be read as a file: %s", why);
    }
    files->items[files->count++] = (mls_tree_file){path, mls_path_name(path), entry->size, why == NULL};
}

/* A log of a result, unless there are more of them than are looked at. */
static void mls_role_add_log(mls_tree_walker *walker, mls_tree_result *result, const mls_tree_entry *entry)
{
    if (walker->logs++ < MLS_TREE_ALL_LOGS_MAX) {
        mls_role_add_file(walker, &result->logs, entry);
    } else if (walker->logs == MLS_TREE_ALL_LOGS_MAX + 1) {
        mls_findings_add(mls_walk_findings(walker), MLS_FINDING_TREE_LIMIT, (mls_finding_place){.path = entry->path},
                         "there are more than %zu logs; the others are not looked at", MLS_TREE_ALL_LOGS_MAX);
    }
}

/* ------------------------------------------------- package_checker_params */

static void mls_params_line(mls_tree_walker *walker, mls_tree_params *params, mls_str line, mls_finding_place place)
{
    while (line.len > 0 && (line.ptr[0] == ' ' || line.ptr[0] == '\t')) {
        line.ptr++;
        line.len--;
    }
    while (line.len > 0 && strchr(" \t\r", line.ptr[line.len - 1]) != NULL) {
        line.len--;
    }
    if (mls_str_equal(line, MLS_S("rcp-bypass"))) {
        params->rcp_bypass = true;
    } else if (mls_str_equal(line, MLS_S("seed-checker-bypass"))) {
        params->seed_bypass = true;
    } else if (line.len > 0 && line.ptr[0] != '#') {
        mls_findings_add(mls_walk_findings(walker), MLS_FINDING_PARAMS_IGNORED, place,
                         "the line '%.*s' has no effect: only rcp-bypass and seed-checker-bypass have",
                         (int)(line.len < 60 ? line.len : 60), line.ptr);
    }
}

/* Reads package_checker_params; `params` NULL: one that has no effect where it stands. */
static void mls_role_params(mls_tree_walker *walker, mls_tree_params *params, const mls_tree_entry *entry)
{
    mls_finding_place place = {.path = entry->path};
    const mls_tree_file file = {entry->path, entry->name, entry->size, true};
    mls_buffer text = {0};
    int system_errno = EIO;
    if (params == NULL) {
        mls_findings_add(mls_walk_findings(walker), MLS_FINDING_PARAMS_IGNORED, place,
                         "has no effect here, only in a system's or a benchmark's results folder");
        return;
    }
    const int fd = mls_entry_unreadable(entry) == NULL ? mls_tree_open(walker->tree, &file) : -1;
    const mls_status status = fd >= 0 ? mls_read_all(fd, MLS_PARAMS_BYTES_MAX, &text, &system_errno) : MLS_ERROR_READ;
    if (status == MLS_ERROR_MEMORY) {
        walker->status = status;
    } else if (status != MLS_OK) {
        mls_findings_add(mls_walk_findings(walker), MLS_FINDING_PARAMS_IGNORED, place,
                         "cannot be read, or is no list of options");
    } else {
        const mls_str whole = mls_buffer_str(&text);
        for (size_t at = 0; at < whole.len;) {
            const char *stop = memchr(whole.ptr + at, '\n', whole.len - at);
            const size_t len = stop != NULL ? (size_t)(stop - whole.ptr) - at : whole.len - at;
            place.line++;
            mls_params_line(walker, params, (mls_str){whole.ptr + at, len}, place);
            at += len + 1;
        }
    }
    if (fd >= 0) {
        (void)close(fd);
    }
    mls_buffer_release(&text);
}

/* ----------------------------------------------------------------- files */

static mls_tree_result *mls_role_last_result(mls_tree_submitter *submitter)
{
    return &submitter->results[submitter->result_count - 1];
}

static void mls_role_result_file(mls_tree_walker *walker, mls_tree_submitter *submitter, const mls_tree_entry *entry)
{
    mls_tree_result *result = mls_role_last_result(submitter);
    if (mls_name_is_result(entry->name)) {
        mls_role_add_log(walker, result, entry);
    } else if (strcmp(entry->name, params_name) == 0) {
        mls_role_params(walker, &result->params, entry);
    } else if (strcmp(entry->name, "scaling.json") == 0) {
        mls_findings_add(&submitter->findings, MLS_FINDING_SCALING_FILE, (mls_finding_place){.path = entry->path},
                         "only the review committee adds a scaling factor");
    } else {
        mls_role_stray(walker, entry, "a benchmark's results");
    }
}

static void mls_role_power_file(mls_tree_walker *walker, mls_tree_submitter *submitter, const mls_tree_entry *entry)
{
    mls_tree_result *result = mls_role_last_result(submitter);
    mls_tree_power *power = &result->power[result->power_count - 1];
    const mls_str name = mls_str_from(entry->name);
    if (mls_str_starts(name, MLS_S("node_")) && mls_str_ends(name, MLS_S(".txt"))) {
        mls_role_add_file(walker, &power->nodes, entry);
    } else if (mls_str_starts(name, MLS_S("sw_")) && mls_str_ends(name, MLS_S(".txt"))) {
        mls_role_add_file(walker, &power->switches, entry);
    } else {
        mls_role_stray(walker, entry, "the power files of a run");
    }
}

/* Takes note of a config; the rest of an implementation may be anything. */
static void mls_role_implementation_file(mls_tree_walker *walker, mls_tree_submitter *submitter,
                                         const mls_tree_entry *entry)
{
    mls_tree_files *configs = &submitter->configs;
    const mls_str name = mls_str_from(entry->name);
    if (!mls_str_starts(name, MLS_S("config_")) || !mls_str_ends(name, MLS_S(".sh")) ||
        mls_entry_unreadable(entry) != NULL) {
        return;
    }
    if (configs->count == MLS_TREE_CONFIGS_MAX) {
        if (configs->more++ == 0) {
            mls_findings_add_as(&submitter->findings, MLS_FINDING_TREE_LIMIT, MLS_SEVERITY_ADVICE,
                                (mls_finding_place){.path = entry->path},
                                "there are more than %zu configs; from here on none was decoded", MLS_TREE_CONFIGS_MAX);
        }
        return;
    }
    char *path = mls_copy_text(entry->path, strlen(entry->path));
    if (path == NULL || !MLS_GROW(configs, items)) {
        free(path);
        walker->status = MLS_ERROR_MEMORY;
        return;
    }
    configs->items[configs->count++] = (mls_tree_file){path, mls_path_name(path), entry->size, true};
}

void mls_role_file(mls_tree_walker *walker, mls_tree_role role, mls_tree_entry *entry)
{
    mls_tree_submitter *submitter = mls_walk_submitter(walker);
    const bool params = strcmp(entry->name, params_name) == 0;
    switch (role) {
    case MLS_ROLE_ROUND:
    case MLS_ROLE_SUBMITTER:
        if (params) {
            mls_role_params(walker, NULL, entry);
        }
        break;
    case MLS_ROLE_SYSTEMS:
        if (mls_str_ends(mls_str_from(entry->name), MLS_S(".json"))) {
            mls_role_add_file(walker, &submitter->systems, entry);
        } else {
            mls_role_stray(walker, entry, "systems");
        }
        break;
    case MLS_ROLE_RESULTS:
    case MLS_ROLE_STRONG:
    case MLS_ROLE_WEAK:
        if (params) {
            mls_role_params(walker, NULL, entry);
        } else {
            mls_role_stray(walker, entry, role == MLS_ROLE_RESULTS ? "results" : "a folder of benchmarks");
        }
        break;
    case MLS_ROLE_SYSTEM:
        if (params) {
            mls_role_params(walker, &submitter->result_systems[submitter->result_system_count - 1].params, entry);
        } else {
            mls_role_stray(walker, entry, "a system's results");
        }
        break;
    case MLS_ROLE_RESULT:
        mls_role_result_file(walker, submitter, entry);
        break;
    case MLS_ROLE_POWER:
        mls_role_stray(walker, entry, "a folder of power files");
        break;
    case MLS_ROLE_POWER_RUN:
        mls_role_power_file(walker, submitter, entry);
        break;
    case MLS_ROLE_IMPLEMENTATION:
        mls_role_implementation_file(walker, submitter, entry);
        break;
    case MLS_ROLE_BENCHMARKS:
    case MLS_ROLE_BENCHMARK:
    case MLS_ROLE_IMPLEMENTATIONS:
    case MLS_ROLE_OTHER:
    case MLS_ROLE_IGNORED:
        break;
    }
}

/* --------------------------------------------------------------- folders */

/* Whether there are more folders of results than are looked at; says so once. */
static bool mls_role_too_many(mls_tree_walker *walker, const mls_tree_entry *entry)
{
    if (walker->results++ == MLS_TREE_RESULTS_MAX) {
        mls_findings_add(mls_walk_findings(walker), MLS_FINDING_TREE_LIMIT, (mls_finding_place){.path = entry->path},
                         "there are more than %zu folders of results; the others are not looked at",
                         MLS_TREE_RESULTS_MAX);
    }
    return walker->results > MLS_TREE_RESULTS_MAX;
}

/* Makes room for one more in an array of the submitter's and copies the path; NULL when memory runs out. */
static char *mls_role_copy_path(mls_tree_walker *walker, const mls_tree_entry *entry, bool grown)
{
    char *path = grown ? mls_copy_text(entry->path, strlen(entry->path)) : NULL;
    if (path == NULL) {
        walker->status = MLS_ERROR_MEMORY;
    }
    return path;
}

static mls_tree_role mls_role_system(mls_tree_walker *walker, const mls_tree_entry *entry)
{
    mls_tree_submitter *submitter = mls_walk_submitter(walker);
    if (mls_role_too_many(walker, entry)) {
        return MLS_ROLE_IGNORED;
    }
    char *path = mls_role_copy_path(walker, entry,
                                    mls_grow((void **)&submitter->result_systems, submitter->result_system_count,
                                             &submitter->result_system_capacity, sizeof(mls_tree_system)));
    if (path == NULL) {
        return MLS_ROLE_IGNORED;
    }
    submitter->result_systems[submitter->result_system_count++] =
        (mls_tree_system){.path = path, .name = mls_path_name(path)};
    return MLS_ROLE_SYSTEM;
}

static mls_tree_role mls_role_result(mls_tree_walker *walker, mls_tree_role role, const mls_tree_entry *entry)
{
    mls_tree_submitter *submitter = mls_walk_submitter(walker);
    if (mls_role_too_many(walker, entry)) {
        return MLS_ROLE_IGNORED;
    }
    char *path = mls_role_copy_path(walker, entry,
                                    mls_grow((void **)&submitter->results, submitter->result_count,
                                             &submitter->result_capacity, sizeof(mls_tree_result)));
    if (path == NULL) {
        return MLS_ROLE_IGNORED;
    }
    submitter->results[submitter->result_count++] = (mls_tree_result){.path = path,
                                                                      .system = submitter->result_system_count - 1,
                                                                      .benchmark = mls_path_name(path),
                                                                      .weak = role == MLS_ROLE_WEAK};
    return MLS_ROLE_RESULT;
}

static mls_tree_role mls_role_power_run(mls_tree_walker *walker, const mls_tree_entry *entry)
{
    size_t number;
    mls_tree_result *result = mls_role_last_result(mls_walk_submitter(walker));
    if (!mls_tree_number(entry->name, "result_", "", &number)) {
        mls_role_stray(walker, entry, "a folder of power files");
        return MLS_ROLE_OTHER;
    }
    char *path = mls_role_copy_path(
        walker, entry,
        mls_grow((void **)&result->power, result->power_count, &result->power_capacity, sizeof(mls_tree_power)));
    if (path == NULL) {
        return MLS_ROLE_IGNORED;
    }
    result->power[result->power_count++] = (mls_tree_power){.path = path, .name = mls_path_name(path)};
    return MLS_ROLE_POWER_RUN;
}

static mls_tree_role mls_role_in_round(mls_tree_walker *walker, const mls_tree_entry *entry)
{
    if (entry->outside || !mls_walk_is_submitter(walker, entry->path)) {
        return MLS_ROLE_OTHER;
    }
    if (mls_role_too_many(walker, entry)) {
        return MLS_ROLE_IGNORED;
    }
    walker->in_submitter = mls_walk_submitter_add(walker, entry->path, entry->name);
    return walker->in_submitter ? MLS_ROLE_SUBMITTER : MLS_ROLE_IGNORED;
}

static mls_tree_role mls_role_in_submitter(const mls_tree_entry *entry)
{
    static const struct {
        const char *name;
        mls_tree_role role;
    } parts[] = {{"systems", MLS_ROLE_SYSTEMS}, {"results", MLS_ROLE_RESULTS}, {"benchmarks", MLS_ROLE_BENCHMARKS}};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (strcmp(entry->name, parts[i].name) == 0) {
            return parts[i].role;
        }
    }
    return MLS_ROLE_OTHER;
}

static mls_tree_role mls_role_in_system(mls_tree_walker *walker, const mls_tree_entry *entry)
{
    if (walker->usage != MLS_USAGE_HPC) {
        return mls_role_result(walker, MLS_ROLE_SYSTEM, entry);
    }
    if (strcmp(entry->name, "strong") == 0) {
        return MLS_ROLE_STRONG;
    }
    if (strcmp(entry->name, "weak") == 0) {
        return MLS_ROLE_WEAK;
    }
    mls_role_stray(walker, entry, "a system's results, where strong and weak stand");
    return MLS_ROLE_OTHER;
}

static mls_tree_role mls_role_in_result(mls_tree_walker *walker, mls_tree_entry *entry)
{
    mls_tree_result *result = mls_role_last_result(mls_walk_submitter(walker));
    if (strcmp(entry->name, "power") == 0) {
        result->has_power = true;
        return MLS_ROLE_POWER;
    }
    if (mls_name_is_result(entry->name)) {
        mls_role_add_log(walker, result, entry);
    } else {
        mls_role_stray(walker, entry, "a benchmark's results");
    }
    return MLS_ROLE_OTHER;
}

/* benchmarks/<benchmark>/implementations/<implementation>: remembers the benchmark. */
static mls_tree_role mls_role_in_implementations(mls_tree_walker *walker, const mls_tree_entry *entry)
{
    mls_tree_submitter *submitter = mls_walk_submitter(walker);
    mls_tree_files *found = &submitter->implementations;
    mls_str path = mls_str_from(entry->path);
    path.len -= strlen(entry->name) + sizeof "/implementations"; /* and the slash behind it */
    if (found->count > 0 && mls_str_equal(path, mls_str_from(found->items[found->count - 1].path))) {
        return MLS_ROLE_IMPLEMENTATION;
    }
    char *copy = mls_copy_text(path.ptr, path.len);
    if (copy == NULL || !MLS_GROW(found, items)) {
        free(copy);
        walker->status = MLS_ERROR_MEMORY;
    } else {
        found->items[found->count++] = (mls_tree_file){copy, mls_path_name(copy), 0, true};
    }
    return MLS_ROLE_IMPLEMENTATION;
}

/* Results that stand somewhere else are not judged, which must not go for a success. */
static void mls_role_folder_outside(mls_tree_walker *walker, mls_tree_role role, const mls_tree_entry *entry)
{
    const bool needed = role == MLS_ROLE_RESULTS || role == MLS_ROLE_SYSTEM || role == MLS_ROLE_STRONG ||
                        role == MLS_ROLE_WEAK || role == MLS_ROLE_POWER ||
                        (role == MLS_ROLE_SUBMITTER && mls_role_in_submitter(entry) != MLS_ROLE_OTHER);
    if (needed) {
        mls_findings_add(mls_walk_findings(walker), MLS_FINDING_NOT_A_FILE, (mls_finding_place){.path = entry->path},
                         "the folder is a link that leaves the tree, so what is in it was not judged");
    }
}

mls_tree_role mls_role_folder(mls_tree_walker *walker, mls_tree_role role, mls_tree_entry *entry)
{
    if (strcmp(entry->name, ".git") == 0) {
        return MLS_ROLE_IGNORED;
    }
    if (entry->outside && role != MLS_ROLE_RESULT) {
        mls_role_folder_outside(walker, role, entry);
        return MLS_ROLE_IGNORED;
    }
    switch (role) {
    case MLS_ROLE_ROUND:
        return mls_role_in_round(walker, entry);
    case MLS_ROLE_SUBMITTER:
        return mls_role_in_submitter(entry);
    case MLS_ROLE_SYSTEMS:
        mls_role_stray(walker, entry, "systems");
        return MLS_ROLE_OTHER;
    case MLS_ROLE_RESULTS:
        return mls_role_system(walker, entry);
    case MLS_ROLE_SYSTEM:
        return mls_role_in_system(walker, entry);
    case MLS_ROLE_STRONG:
    case MLS_ROLE_WEAK:
        return mls_role_result(walker, role, entry);
    case MLS_ROLE_RESULT:
        return mls_role_in_result(walker, entry);
    case MLS_ROLE_POWER:
        return mls_role_power_run(walker, entry);
    case MLS_ROLE_POWER_RUN:
        mls_role_stray(walker, entry, "the power files of a run");
        return MLS_ROLE_OTHER;
    case MLS_ROLE_BENCHMARKS:
        return MLS_ROLE_BENCHMARK;
    case MLS_ROLE_BENCHMARK:
        return strcmp(entry->name, "implementations") == 0 ? MLS_ROLE_IMPLEMENTATIONS : MLS_ROLE_OTHER;
    case MLS_ROLE_IMPLEMENTATIONS:
        return mls_role_in_implementations(walker, entry);
    case MLS_ROLE_IMPLEMENTATION:
        return MLS_ROLE_IMPLEMENTATION;
    case MLS_ROLE_OTHER:
    case MLS_ROLE_IGNORED:
        break;
    }
    return MLS_ROLE_OTHER;
}
