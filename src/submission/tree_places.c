/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tree_places.c - what belongs where in a submission: one table, `places`.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/buffer.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/utf8.h"
#include "submission/tree_walk.h"

/* package_checker_params holds a few words. */
enum { PARAMS_BYTES_MAX = 65536 };

#define PARAMS_NAME "package_checker_params"

static const struct {
    size_t most;
    const char *what;
} limits[LIMIT_COUNT] = {
    [LIMIT_ENTRIES] = {MLS_TREE_ENTRIES_MAX, "files and folders"},
    [LIMIT_FOLDERS] = {50000, "folders of results"},
    [LIMIT_LOGS] = {50000, "logs"},
    [LIMIT_SYSTEMS] = {10000, "system descriptions"},
    [LIMIT_CONFIGS] = {4096, "configs"},
};

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
mls_findings *mls_walk_findings(mls_tree_walk *walk)
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

static mls_finding_place place_of(const mls_tree_entry *entry)
{
    return (mls_finding_place){.path = entry->path};
}

/* Counts one more; false, and said once, when there are more than are looked at. */
bool mls_walk_has_room(mls_tree_walk *walk, mls_tree_limit limit, const mls_tree_entry *entry)
{
    if (walk->counts[limit]++ == limits[limit].most) {
        mls_findings_add_as(&walk->submission->findings, MLS_FINDING_TREE_LIMIT,
                            limit == LIMIT_CONFIGS ? MLS_SEVERITY_ADVICE : MLS_SEVERITY_ERROR, place_of(entry),
                            "there are more than %zu %s; the others are not looked at", limits[limit].most,
                            limits[limit].what);
    }
    return walk->counts[limit] <= limits[limit].most;
}

static char *copy(mls_tree_walk *walk, const char *text, size_t len)
{
    char *copied = mls_copy_text(text, len);
    walk->status = copied != NULL ? walk->status : MLS_ERROR_MEMORY;
    return copied;
}

/* mls_grow() whose failure ends the walk. */
static bool grow(mls_tree_walk *walk, void **items, size_t count, size_t *capacity, size_t size)
{
    const bool grown = mls_grow(items, count, capacity, size);
    walk->status = grown ? walk->status : MLS_ERROR_MEMORY;
    return grown;
}

/* ------------------------------------------------------------------- files */

/* Why an entry cannot be read as a file; NULL when it can. */
static const char *unreadable(const mls_tree_entry *entry)
{
    return entry->outside     ? "it is a link that leaves the tree"
           : entry->folder    ? "it is a folder"
           : entry->lost != 0 ? "it is a link that leads nowhere"
           : !entry->regular  ? "it is a pipe, a socket or a device"
                              : NULL;
}

static void take_stray(mls_tree_walk *walk, const char *where, const mls_tree_entry *entry)
{
    mls_findings_add(mls_walk_findings(walk), MLS_FINDING_STRAY_FILE, place_of(entry), "%s has no place in %s",
                     entry->folder ? "a folder of this name" : "this file", where);
}

/* One that cannot be read is taken too, with a finding. */
static mls_submission_file take_file(mls_tree_walk *walk, const mls_tree_entry *entry)
{
    const char *why = unreadable(entry);
    char *path = copy(walk, entry->path, strlen(entry->path));
    if (why != NULL) {
        mls_findings_add(mls_walk_findings(walk), MLS_FINDING_NOT_A_FILE, place_of(entry),
                         "cannot be read as a file: %s", why);
    }
    return (mls_submission_file){path, path != NULL ? mls_path_name(path) : "", entry->size, why == NULL};
}

static void add_file(mls_tree_walk *walk, mls_submission_files *files, const mls_tree_entry *entry)
{
    if (grow(walk, (void **)&files->items, files->count, &files->capacity, sizeof *files->items)) {
        files->items[files->count++] = take_file(walk, entry);
    }
}

static void take_params_line(mls_tree_walk *walk, mls_bypasses *bypasses, mls_str line, bool ended,
                             mls_finding_place place)
{
    const bool rcp = mls_str_equal(line, MLS_S("rcp-bypass"));
    const bool seeds = mls_str_equal(line, MLS_S("seed-checker-bypass"));
    if ((rcp || seeds) && !ended) {
        bypasses->rcp |= rcp;
        bypasses->seeds |= seeds;
    } else if (rcp || seeds) {
        mls_findings_add(mls_walk_findings(walk), MLS_FINDING_PARAMS_IGNORED, place,
                         "the line '%.*s' has no effect: the package checker takes it only when nothing follows, not "
                         "even a line ending (write it with printf, as the last line)",
                         (int)line.len, line.ptr);
    } else if (line.len > 0 && line.ptr[0] != '#') {
        mls_findings_add(mls_walk_findings(walk), MLS_FINDING_PARAMS_IGNORED, place,
                         "the line '%.*s' has no effect: only rcp-bypass and seed-checker-bypass have",
                         MLS_CUT(line, 60));
    }
}

/* Lines end as in a text file of Python's: in LF, CR or both. */
static void take_params_text(mls_tree_walk *walk, mls_bypasses *bypasses, mls_str text, mls_finding_place place)
{
    for (size_t at = 0; at < text.len;) {
        size_t end = at;
        while (end < text.len && text.ptr[end] != '\n' && text.ptr[end] != '\r') {
            end++;
        }
        place.line++;
        take_params_line(walk, bypasses, (mls_str){text.ptr + at, end - at}, end < text.len, place);
        at = end + 1 + (end + 1 < text.len && text.ptr[end] == '\r' && text.ptr[end + 1] == '\n');
    }
}

static void take_params(mls_tree_walk *walk, mls_bypasses *bypasses, const mls_tree_entry *entry)
{
    const mls_submission_file file = {entry->path, entry->name, entry->size, true};
    mls_buffer text = {0};
    const mls_status status = unreadable(entry) == NULL
                                  ? mls_tree_read(walk->submission, &file, PARAMS_BYTES_MAX, &text, NULL)
                                  : MLS_ERROR_READ;
    if (status == MLS_OK) {
        take_params_text(walk, bypasses, mls_buffer_str(&text), place_of(entry));
    } else if (status == MLS_ERROR_MEMORY) {
        walk->status = status;
    } else {
        mls_findings_add(mls_walk_findings(walk), MLS_FINDING_PARAMS_IGNORED, place_of(entry),
                         "cannot be read, or is no list of options");
    }
    mls_buffer_release(&text);
}

/* ---------------------------------------------------------------- takers */

/* Takes note of an entry; `role` is the one that its place gives a folder.  Returns its role. */
typedef mls_tree_role (*tree_taker)(mls_tree_walk *walk, mls_tree_role role, const mls_tree_entry *entry);

static mls_tree_role take_useless_params(mls_tree_walk *walk, mls_tree_role role, const mls_tree_entry *entry)
{
    mls_findings_add(mls_walk_findings(walk), MLS_FINDING_PARAMS_IGNORED, place_of(entry),
                     "has no effect here, only in a system's or a benchmark's results folder");
    return role;
}

static mls_tree_role take_system_params(mls_tree_walk *walk, mls_tree_role role, const mls_tree_entry *entry)
{
    take_params(walk, &walk->system->bypasses, entry);
    return role;
}

static mls_tree_role take_result_params(mls_tree_walk *walk, mls_tree_role role, const mls_tree_entry *entry)
{
    take_params(walk, &walk->result->bypasses, entry);
    return role;
}

static mls_tree_role take_scaling(mls_tree_walk *walk, mls_tree_role role, const mls_tree_entry *entry)
{
    mls_findings_add(mls_walk_findings(walk), MLS_FINDING_SCALING_FILE, place_of(entry),
                     "only the review committee adds a scaling factor");
    return role;
}

/* Whether a folder (a path below the root, "" for the root) is a submitter's. */
bool mls_walk_is_submitter(mls_tree_walk *walk, const char *path)
{
    static const char *const parts[] = {"results", "systems"};
    bool is = false;
    for (size_t i = 0; i < sizeof parts / sizeof *parts && !is; i++) {
        struct stat about;
        mls_buffer whole = {0};
        mls_buffer_printf(&whole, "%s/%s/%s", walk->submission->real, path, parts[i]);
        is = !whole.failed && stat(whole.ptr, &about) == 0 && S_ISDIR(about.st_mode);
        walk->status = whole.failed ? MLS_ERROR_MEMORY : walk->status;
        mls_buffer_release(&whole);
    }
    return is;
}

void mls_walk_add_submitter(mls_tree_walk *walk, const char *path, const char *name)
{
    mls_submission *all = walk->submission;
    if (grow(walk, (void **)&all->submitters, all->submitter_count, &all->submitter_capacity,
             sizeof *all->submitters)) {
        walk->submitter = &all->submitters[all->submitter_count++];
        *walk->submitter =
            (mls_submitter){.path = copy(walk, path, strlen(path)), .name = copy(walk, name, strlen(name))};
        walk->owner = OWNER_SUBMITTER;
        walk->with_folder = 0;
    }
}

static mls_tree_role take_submitter(mls_tree_walk *walk, mls_tree_role role, const mls_tree_entry *entry)
{
    if (!mls_walk_is_submitter(walk, entry->path)) {
        return ROLE_OTHER;
    }
    if (!mls_walk_has_room(walk, LIMIT_FOLDERS, entry)) {
        return ROLE_IGNORED;
    }
    mls_walk_add_submitter(walk, entry->path, entry->name);
    return role;
}

/* A new system of the submitter; takes the name over. */
static bool add_system(mls_tree_walk *walk, char *name)
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

static mls_tree_role take_system(mls_tree_walk *walk, mls_tree_role role, const mls_tree_entry *entry)
{
    if (!mls_walk_has_room(walk, LIMIT_FOLDERS, entry) ||
        !add_system(walk, copy(walk, entry->name, strlen(entry->name)))) {
        return ROLE_IGNORED;
    }
    walk->system->folder = copy(walk, entry->path, strlen(entry->path));
    walk->owner = OWNER_SYSTEM;
    walk->with_folder = walk->submitter->system_count;
    return walk->options->usage == MLS_USAGE_HPC ? ROLE_SYSTEM_HPC : role;
}

static int compare_system(const void *name, const void *system)
{
    return mls_str_compare_natural(mls_str_from(name), mls_str_from(((const mls_system *)system)->name));
}

static int compare_systems(const void *left, const void *right)
{
    return compare_system(((const mls_system *)left)->name, right);
}

/* Descriptions without results come behind those with, in another order than that of their names. */
void mls_walk_sort(mls_submission *submission)
{
    for (size_t i = 0; i < submission->submitter_count; i++) {
        mls_submitter *submitter = &submission->submitters[i];
        if (submitter->system_count > 1) {
            qsort(submitter->systems, submitter->system_count, sizeof *submitter->systems, compare_systems);
        }
    }
}

mls_system *mls_submitter_system(const mls_submitter *submitter, const char *name)
{
    return submitter->system_count > 0
               ? bsearch(name, submitter->systems, submitter->system_count, sizeof *submitter->systems, compare_system)
               : NULL;
}

static mls_tree_role take_description(mls_tree_walk *walk, mls_tree_role role, const mls_tree_entry *entry)
{
    const mls_submitter *submitter = walk->submitter;
    char *name = copy(walk, entry->name, strlen(entry->name) - strlen(".json"));
    if (!mls_walk_has_room(walk, LIMIT_SYSTEMS, entry) || name == NULL) {
        free(name);
        return ROLE_IGNORED;
    }
    walk->system = walk->with_folder > 0
                       ? bsearch(name, submitter->systems, walk->with_folder, sizeof(mls_system), compare_system)
                       : NULL;
    if (walk->system != NULL) {
        free(name);
    } else if (!add_system(walk, name)) {
        return ROLE_IGNORED;
    }
    walk->owner = OWNER_DESCRIPTION;
    walk->system->description = take_file(walk, entry);
    return role;
}

static mls_tree_role take_result(mls_tree_walk *walk, mls_tree_role role, const mls_tree_entry *entry)
{
    mls_submitter *submitter = walk->submitter;
    if (!mls_walk_has_room(walk, LIMIT_FOLDERS, entry) ||
        !grow(walk, (void **)&submitter->results, submitter->result_count, &submitter->result_capacity,
              sizeof *submitter->results)) {
        return ROLE_IGNORED;
    }
    walk->result = &submitter->results[submitter->result_count++];
    *walk->result =
        (mls_submission_result){.path = copy(walk, entry->path, strlen(entry->path)), .system = walk->system->name};
    walk->result->benchmark = walk->result->path != NULL ? mls_path_name(walk->result->path) : "";
    walk->owner = OWNER_RESULT;
    return role;
}

static mls_tree_role take_weak_result(mls_tree_walk *walk, mls_tree_role role, const mls_tree_entry *entry)
{
    const size_t count = walk->submitter->result_count;
    role = take_result(walk, role, entry);
    if (walk->submitter->result_count > count) {
        walk->result->weak = true;
    }
    return role;
}

static mls_tree_role take_log(mls_tree_walk *walk, mls_tree_role role, const mls_tree_entry *entry)
{
    mls_submission_result *result = walk->result;
    if (mls_walk_has_room(walk, LIMIT_LOGS, entry) &&
        grow(walk, (void **)&result->runs, result->run_count, &result->run_capacity, sizeof *result->runs)) {
        mls_submission_run *run = &result->runs[result->run_count++];
        *run = (mls_submission_run){.file = take_file(walk, entry)};
        mls_run_init(&run->run);
    }
    return role;
}

static mls_tree_role take_power(mls_tree_walk *walk, mls_tree_role role, const mls_tree_entry *entry)
{
    (void)entry;
    walk->result->has_power = true;
    return role;
}

static mls_tree_role take_power_run(mls_tree_walk *walk, mls_tree_role role, const mls_tree_entry *entry)
{
    mls_submission_result *result = walk->result;
    if (!grow(walk, (void **)&result->power, result->power_count, &result->power_capacity, sizeof *result->power)) {
        return ROLE_IGNORED;
    }
    char *path = copy(walk, entry->path, strlen(entry->path));
    result->power[result->power_count++] =
        (mls_power_folder){.path = path, .name = path != NULL ? mls_path_name(path) : ""};
    return role;
}

static mls_tree_role take_node(mls_tree_walk *walk, mls_tree_role role, const mls_tree_entry *entry)
{
    add_file(walk, &walk->result->power[walk->result->power_count - 1].nodes, entry);
    return role;
}

static mls_tree_role take_switch(mls_tree_walk *walk, mls_tree_role role, const mls_tree_entry *entry)
{
    add_file(walk, &walk->result->power[walk->result->power_count - 1].switches, entry);
    return role;
}

/* benchmarks/<benchmark>/implementations/<implementation>: remembers the benchmark. */
static mls_tree_role take_implementation(mls_tree_walk *walk, mls_tree_role role, const mls_tree_entry *entry)
{
    mls_submission_files *found = &walk->submitter->implementations;
    const size_t len = strlen(entry->path) - strlen(entry->name) - strlen("/implementations/");
    const mls_str last = mls_str_from(found->count > 0 ? found->items[found->count - 1].path : NULL);
    if (!mls_str_equal(last, (mls_str){entry->path, len}) &&
        grow(walk, (void **)&found->items, found->count, &found->capacity, sizeof *found->items)) {
        char *path = copy(walk, entry->path, len);
        found->items[found->count++] =
            (mls_submission_file){.path = path, .name = path != NULL ? mls_path_name(path) : ""};
    }
    return role;
}

/* Takes note of a config; the rest of an implementation may be anything. */
static mls_tree_role take_config(mls_tree_walk *walk, mls_tree_role role, const mls_tree_entry *entry)
{
    if (unreadable(entry) == NULL && mls_walk_has_room(walk, LIMIT_CONFIGS, entry)) {
        add_file(walk, &walk->submitter->configs, entry);
    }
    return role;
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
    [ROLE_IGNORED] = NULL,
};

typedef enum tree_kind { KIND_FILE = 1, KIND_FOLDER = 2, KIND_ANY = 3 } tree_kind;

/* The first row that fits an entry tells what it is. */
static const struct {
    mls_tree_role in;
    tree_kind kind;
    const char *name;   /* '*' is anything, '#' a number */
    mls_tree_role role; /* of a folder */
    tree_taker take;    /* NULL: nothing is noted */
} places[] = {
    {ROLE_ROUND, KIND_FOLDER, "*", ROLE_SUBMITTER, take_submitter},
    {ROLE_ROUND, KIND_FILE, PARAMS_NAME, ROLE_OTHER, take_useless_params},
    {ROLE_SUBMITTER, KIND_FOLDER, "systems", ROLE_SYSTEMS, NULL},
    {ROLE_SUBMITTER, KIND_FOLDER, "results", ROLE_RESULTS, NULL},
    {ROLE_SUBMITTER, KIND_FOLDER, "benchmarks", ROLE_BENCHMARKS, NULL},
    {ROLE_SUBMITTER, KIND_FILE, PARAMS_NAME, ROLE_OTHER, take_useless_params},
    {ROLE_SYSTEMS, KIND_FILE, "*.json", ROLE_OTHER, take_description},
    {ROLE_RESULTS, KIND_FOLDER, "*", ROLE_SYSTEM, take_system},
    {ROLE_RESULTS, KIND_FILE, PARAMS_NAME, ROLE_OTHER, take_useless_params},
    {ROLE_SYSTEM, KIND_FOLDER, "*", ROLE_RESULT, take_result},
    {ROLE_SYSTEM, KIND_FILE, PARAMS_NAME, ROLE_OTHER, take_system_params},
    {ROLE_SYSTEM_HPC, KIND_FOLDER, "strong", ROLE_STRONG, NULL},
    {ROLE_SYSTEM_HPC, KIND_FOLDER, "weak", ROLE_WEAK, NULL},
    {ROLE_SYSTEM_HPC, KIND_FILE, PARAMS_NAME, ROLE_OTHER, take_system_params},
    {ROLE_STRONG, KIND_FOLDER, "*", ROLE_RESULT, take_result},
    {ROLE_STRONG, KIND_FILE, PARAMS_NAME, ROLE_OTHER, take_useless_params},
    {ROLE_WEAK, KIND_FOLDER, "*", ROLE_RESULT, take_weak_result},
    {ROLE_WEAK, KIND_FILE, PARAMS_NAME, ROLE_OTHER, take_useless_params},
    {ROLE_RESULT, KIND_FOLDER, "power", ROLE_POWER, take_power},
    {ROLE_RESULT, KIND_ANY, "result_*.txt", ROLE_OTHER, take_log},
    {ROLE_RESULT, KIND_FILE, PARAMS_NAME, ROLE_OTHER, take_result_params},
    {ROLE_RESULT, KIND_FILE, "scaling.json", ROLE_OTHER, take_scaling},
    {ROLE_POWER, KIND_FOLDER, "result_#", ROLE_POWER_RUN, take_power_run},
    {ROLE_POWER_RUN, KIND_FILE, "node_*.txt", ROLE_OTHER, take_node},
    {ROLE_POWER_RUN, KIND_FILE, "sw_*.txt", ROLE_OTHER, take_switch},
    {ROLE_BENCHMARKS, KIND_FOLDER, "*", ROLE_BENCHMARK, NULL},
    {ROLE_BENCHMARK, KIND_FOLDER, "implementations", ROLE_IMPLEMENTATIONS, NULL},
    {ROLE_IMPLEMENTATIONS, KIND_FOLDER, "*", ROLE_IMPLEMENTATION, take_implementation},
    {ROLE_IMPLEMENTATION, KIND_FOLDER, "*", ROLE_IMPLEMENTATION, NULL},
    {ROLE_IMPLEMENTATION, KIND_FILE, "config_*.sh", ROLE_OTHER, take_config},
};

/* Takes note of an entry in a folder of a role; returns its own role. */
mls_tree_role mls_walk_take(mls_tree_walk *walk, mls_tree_role in, const mls_tree_entry *entry)
{
    const bool left = entry->folder && entry->outside && in != ROLE_RESULT;
    if (entry->folder && strcmp(entry->name, ".git") == 0) {
        return ROLE_IGNORED;
    }
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        if (places[i].in != in || !(places[i].kind & (entry->folder ? KIND_FOLDER : KIND_FILE)) ||
            mls_name_match(entry->name, places[i].name).ptr == NULL) {
            continue;
        }
        if (!left) {
            return places[i].take != NULL ? places[i].take(walk, places[i].role, entry) : places[i].role;
        }
        /* Results that stand somewhere else are not judged, which must not go for a success. */
        if (in == ROLE_SUBMITTER || stray_in[in] != NULL) {
            mls_findings_add(mls_walk_findings(walk), MLS_FINDING_NOT_A_FILE, place_of(entry),
                             "the folder is a link that leaves the tree, so what is in it was not judged");
        }
        return ROLE_IGNORED;
    }
    if (stray_in[in] != NULL && !left) {
        take_stray(walk, stray_in[in], entry);
    }
    return ROLE_OTHER;
}
