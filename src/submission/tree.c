/* SPDX-License-Identifier: Apache-2.0 */
/* tree.c - the layout of a submission, and the walk that finds what is where and whose it is.
 *
 *     systems/<system>.json                            description of a system
 *     results/<system>/<benchmark>/result_<i>.txt      logs; hpc has a folder strong or weak above <benchmark>
 *     results/<system>/<benchmark>/power/result_<i>/   node_<k>.txt, sw_<k>.txt: power files of a log
 *     benchmarks/<benchmark>/implementations/<name>/   code, with its config_*.sh
 *
 * This is a submitter's folder; a round is a folder of them.  Every folder has a role that follows from its place; the
 * table `places` lists what belongs in it. */
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/number.h"
#include "base/utf8.h"
#include "submission/judge.h"

/* -------------------------------------------------------------------------------------------------- paths and names */

static MLS_PRINTF(2, 3) const char *path_in(mls_arena *arena, const char *format, ...)
{
    mls_buffer path = {0};
    va_list args;
    va_start(args, format);
    mls_buffer_vprintf(&path, format, args);
    va_end(args);
    const char *copied = mls_arena_copy(arena, mls_buffer_str(&path)).ptr;
    mls_buffer_release(&path);
    return copied;
}

const char *mls_tree_description(mls_arena *arena, const char *system)
{
    return path_in(arena, "systems/%s.json", system);
}

const char *mls_tree_results(mls_arena *arena, const char *system, mls_usage usage, bool weak)
{
    return path_in(arena, "results/%s%s", system, usage != MLS_USAGE_HPC ? "" : weak ? "/weak" : "/strong");
}

const char *mls_tree_result(mls_arena *arena, const char *results, const char *benchmark)
{
    return path_in(arena, "%s/%s", results, benchmark);
}

const char *mls_tree_log(mls_arena *arena, const char *result, size_t number)
{
    return path_in(arena, "%s/result_%zu.txt", result, number);
}

const char *mls_tree_power(mls_arena *arena, const char *result, size_t number)
{
    return path_in(arena, "%s/power/result_%zu", result, number);
}

const char *mls_tree_implementation(mls_arena *arena, const char *benchmark, const char *name)
{
    return path_in(arena, "benchmarks/%s/implementations%s%s", benchmark, *name != '\0' ? "/" : "", name);
}

bool mls_tree_is_numbered(const char *path, const char *prefix, size_t number, char expected[static MLS_NUMBERED_BYTES])
{
    (void)snprintf(expected, MLS_NUMBERED_BYTES, "%s_%zu.txt", prefix, number);
    return strcmp(mls_path_name(path), expected) == 0;
}

bool mls_tree_has_implementation(const mls_submitter *submitter, const char *benchmark)
{
    const size_t above = strlen(submitter->path) + (*submitter->path != '\0') + strlen("benchmarks/");
    const size_t len = strlen(benchmark);
    bool has = false;
    for (size_t i = 0; i < submitter->implementations.count && !has; i++) {
        const char *below = submitter->implementations.items[i].path + above;
        has = strncmp(below, benchmark, len) == 0 && below[len] == '/';
    }
    return has;
}

bool mls_name_matches(const char *name, const char *pattern)
{
    const size_t before = strcspn(pattern, "*#");
    const mls_str after = mls_str_from(pattern + before + (pattern[before] != '\0'));
    const mls_str text = mls_str_from(name);
    size_t number;
    if (text.len < before + after.len || memcmp(name, pattern, before) != 0 || !mls_str_ends(text, after))
        return false;
    const mls_str part = {name + before, text.len - before - after.len};
    return pattern[before] == '#' ? mls_size_parse(part, &number) && (part.len == 1 || part.ptr[0] != '0')
                                  : pattern[before] == '*' || part.len == 0;
}

bool mls_is_wanted(const char *wanted, const char *name)
{
    return wanted == NULL || strcmp(wanted, name) == 0;
}

bool mls_tree_has_folder(const char *root, mls_str path, const char *name)
{
    char whole[PATH_MAX];
    struct stat about;
    const int len = snprintf(whole, sizeof whole, "%s/%.*s/%s", root, (int)path.len, path.ptr, name);
    return len > 0 && (size_t)len < sizeof whole && stat(whole, &about) == 0 && S_ISDIR(about.st_mode);
}

/* ------------------------------------------------------------------------------------------------------------ files */

int mls_tree_open(void *submission, const char *path)
{
    mls_error error = {0};
    char *whole = mls_path_join(((const mls_submission *)submission)->real, path);
    const int fd = mls_file_open(whole, false, &error);
    free(whole);
    errno = error.system_errno;
    return fd;
}

mls_status mls_tree_read(const mls_submission *submission, const mls_submission_file *file, size_t limit,
                         mls_buffer *text, mls_error *error)
{
    if (!file->readable)
        return MLS_ERROR_READ;
    char *path = mls_path_join(submission->real, file->path);
    const mls_status status = mls_file_read(path, false, limit, text, error);
    free(path);
    return status;
}

/* --------------------------------------------------------------------------------------------------------- the walk */

/* Limits on the depth below the root and on the number of files and folders. */
enum { DEPTH_MAX = 64, ENTRIES_MAX = 2000000 };

/* Size in bytes from which repositories of results reject files. */
enum { LARGE_FILE = 50 << 20 };

/* Limits per row of `places`; configs take longest to check. */
enum { PLACES_MAX = 30, FOLDERS_MAX = 25000, FILES_MAX = 50000, CONFIGS_MAX = 4096 };

/* The file in which a submission asks to skip checks; it contains a few words. */
#define PARAMS_NAME "package_checker_params"
enum { PARAMS_BYTES_MAX = 65536 };

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
    ROLE_OTHER           /* may contain anything */
} tree_role;

/* The owner of what is found. */
typedef enum tree_owner { OWNER_NOBODY, OWNER_SUBMITTER, OWNER_SYSTEM, OWNER_RESULT, OWNER_COUNT } tree_owner;

/* Factor by which the number of an entry encodes owner and role. */
enum { OWNER_UNIT = 256 };

typedef struct tree_walk {
    mls_submission *submission;
    tree_role in;     /* role of the folder being listed */
    tree_role role;   /* role of an entry in it */
    tree_owner owner; /* owner of the entry; `here` and `place` are where findings about it go */
    mls_findings *here;
    mls_finding_place place;
    mls_submitter *submitter; /* the current submitter, like the next two */
    mls_system *system;
    mls_submission_result *result;
    const char *hidden;                  /* a folder of submitters that is too deep in the tree */
    const char *stranger;                /* a folder next to the submitters that is not a submitter's */
    size_t with_folder;                  /* number of systems with a folder; they come first, sorted by name */
    mls_findings *findings[OWNER_COUNT]; /* findings of each current owner */
    size_t counts[PLACES_MAX];           /* number of entries of each row of `places` */
} tree_walk;

/* Set the owner of the findings that follow. */
static void set_owner(tree_walk *walk, tree_owner owner, mls_findings *findings)
{
    walk->owner = owner;
    walk->findings[owner] = walk->here = findings;
}

/* Set the role and owner of the folder being listed, and the place of findings. */
static void enter_place(tree_walk *walk, int role, const mls_walk_entry *entry)
{
    walk->in = (tree_role)(role % OWNER_UNIT);
    walk->owner = (tree_owner)(role / OWNER_UNIT);
    walk->here = walk->findings[walk->owner];
    walk->place.path = *entry->below != '\0' ? entry->below : ".";
}

static const char *copy(const tree_walk *walk, const char *text, size_t len)
{
    return mls_arena_copy(walk->submission->arena, (mls_str){text, len}).ptr;
}

static const char *copy_path(const tree_walk *walk, const mls_walk_entry *entry)
{
    return copy(walk, entry->below, strlen(entry->below));
}

/* Append a zeroed item to a growing list, and return it. */
static void *add(void **items, size_t *count, size_t *capacity, size_t size)
{
    mls_grow(items, *count, capacity, size);
    return memset((char *)*items + (*count)++ * size, 0, size);
}
#define ADD_TO(list, items, count, capacity)                                                                           \
    add((void **)&(list)->items, &(list)->count, &(list)->capacity, sizeof *(list)->items)

static void *find_named(void *items, size_t count, size_t size, const char *name)
{
    return count > 0 ? bsearch(&name, items, count, size, mls_compare_names) : NULL;
}

/* Return whether a link leads out of the tree.  Broken links do not count. */
static bool leaves(const mls_walk_entry *entry)
{
    return entry->outside && entry->kind != MLS_WALK_LOST;
}

/* Return the reason why an entry cannot be read as a file, or NULL. */
static const char *unreadable(const mls_walk_entry *entry)
{
    static const char *const why[] = {[MLS_WALK_FOLDER] = "it is a folder",
                                      [MLS_WALK_SPECIAL] = "it is a pipe, a socket or a device",
                                      [MLS_WALK_LOST] = "it is a broken link",
                                      [MLS_WALK_FAILED] = "it cannot be accessed"};
    return leaves(entry) ? "it is a link out of the submission" : why[entry->kind];
}

/* Return the file of an entry; if it cannot be read, add a finding as well. */
static mls_submission_file take_file(tree_walk *walk, const mls_walk_entry *entry)
{
    const char *why = unreadable(entry);
    if (why != NULL)
        mls_findings_add(walk->here, MLS_FINDING_NOT_A_FILE, walk->place, "cannot be read as a file: %s", why);
    return (mls_submission_file){.path = copy_path(walk, entry), .size = entry->size, .readable = why == NULL};
}

static void add_file(tree_walk *walk, mls_submission_files *files, const mls_walk_entry *entry)
{
    mls_submission_file *file = ADD_TO(files, items, count, capacity);
    *file = take_file(walk, entry);
}

void mls_params_judge(mls_str text, const char *path, mls_bypasses *bypasses, mls_findings *findings)
{
    mls_finding_place place = {.path = path};
    for (size_t at = 0; at < text.len;) {
        mls_str line = {text.ptr + at, 0};
        while (at < text.len && text.ptr[at] != '\n' && text.ptr[at] != '\r') {
            line.len++;
            at++;
        }
        const bool rcp = mls_str_equal(line, MLS_S("rcp-bypass"));
        const bool seeds = mls_str_equal(line, MLS_S("seed-checker-bypass"));
        place.line++;
        /* The package checker only compares a last line without a line ending. */
        if ((rcp || seeds) && at == text.len) {
            bypasses->rcp |= rcp;
            bypasses->seeds |= seeds;
        } else if (line.len > 0 && line.ptr[0] != '#') {
            mls_findings_add(
                findings, MLS_FINDING_PARAMS_IGNORED, place, "the line '%.*s' has no effect: %s", MLS_CUT(line, 60),
                rcp || seeds
                    ? "the package checker accepts it only as the last line without a newline (write it with printf)"
                    : "only rcp-bypass and seed-checker-bypass are known");
        }
        at += at + 1 < text.len && text.ptr[at] == '\r' && text.ptr[at + 1] == '\n' ? 2 : 1;
    }
}

static void take_params(tree_walk *walk, const mls_walk_entry *entry)
{
    const mls_submission_file file = {.path = entry->below, .size = entry->size, .readable = unreadable(entry) == NULL};
    mls_bypasses *bypasses = walk->in == ROLE_RESULT ? &walk->result->bypasses : &walk->system->bypasses;
    mls_buffer text = {0};
    if (mls_tree_read(walk->submission, &file, PARAMS_BYTES_MAX, &text, NULL) == MLS_OK) {
        mls_params_judge(mls_buffer_str(&text), file.path, bypasses, walk->here);
    } else {
        mls_findings_add(walk->here, MLS_FINDING_PARAMS_IGNORED, walk->place,
                         "cannot be read, or is not a list of options");
    }
    mls_buffer_release(&text);
}

static void take_useless(tree_walk *walk, const mls_walk_entry *entry)
{
    if (walk->in == ROLE_RESULT) {
        walk->result->scaling = (mls_submission_file){
            .path = copy_path(walk, entry), .size = entry->size, .readable = unreadable(entry) == NULL};
        mls_findings_add(walk->here, MLS_FINDING_SCALING_FILE, walk->place,
                         "only the review committee adds a scaling factor");
    } else {
        mls_findings_add(walk->here, MLS_FINDING_PARAMS_IGNORED, walk->place,
                         "has an effect only in the results folder of a system or benchmark");
    }
}

/* Return whether a folder (relative to the root, "" for the root) is a submitter's. */
static bool is_submitter(const tree_walk *walk, const char *path)
{
    const mls_str folder = mls_str_from(path);
    return mls_tree_has_folder(walk->submission->real, folder, "results") ||
           mls_tree_has_folder(walk->submission->real, folder, "systems");
}

static void add_submitter(tree_walk *walk, const char *path, const char *name)
{
    walk->submitter = ADD_TO(walk->submission, submitters, submitter_count, submitter_capacity);
    walk->submitter->path = copy(walk, path, strlen(path));
    walk->submitter->name = copy(walk, name, strlen(name));
    set_owner(walk, OWNER_SUBMITTER, &walk->submitter->findings);
    walk->with_folder = 0;
}

static void take_submitter(tree_walk *walk, const mls_walk_entry *entry)
{
    if (is_submitter(walk, entry->below)) {
        add_submitter(walk, entry->below, entry->name);
    } else {
        walk->role = ROLE_OTHER;
        walk->stranger = walk->stranger == NULL && entry->name[0] != '.' ? copy_path(walk, entry) : walk->stranger;
    }
}

/* Remember a submission that is deeper than expected, to suggest the folder above it (a round's). */
static void take_hidden(tree_walk *walk, const mls_walk_entry *entry)
{
    mls_str path = {entry->below, strlen(entry->below) - strlen("/results")};
    if (walk->owner == OWNER_NOBODY && walk->hidden == NULL &&
        mls_tree_has_folder(walk->submission->real, path, "systems")) {
        path = mls_path_folder(path);
        walk->hidden = copy(walk, path.ptr, path.len - (path.len > 0));
    }
}

static void add_system(tree_walk *walk, const char *name)
{
    walk->system = ADD_TO(walk->submitter, systems, system_count, system_capacity);
    walk->system->name = name;
}

static void take_system(tree_walk *walk, const mls_walk_entry *entry)
{
    const char *path = copy_path(walk, entry);
    add_system(walk, mls_path_name(path));
    walk->system->folder = path;
    walk->role = walk->submission->options.usage == MLS_USAGE_HPC ? ROLE_SYSTEM_HPC : ROLE_SYSTEM;
    walk->with_folder = walk->submitter->system_count;
    /* Files next to the results do not concern a single benchmark. */
    set_owner(walk, OWNER_SYSTEM,
              walk->submission->options.benchmark == NULL ? &walk->system->findings : &walk->submitter->findings);
}

mls_system *mls_submitter_system(const mls_submitter *submitter, const char *name)
{
    return find_named(submitter->systems, submitter->system_count, sizeof *submitter->systems, name);
}

static void take_description(tree_walk *walk, const mls_walk_entry *entry)
{
    const char *name = copy(walk, entry->name, strlen(entry->name) - strlen(".json"));
    walk->system = find_named(walk->submitter->systems, walk->with_folder, sizeof *walk->system, name);
    if (walk->system == NULL)
        add_system(walk, name);
    set_owner(walk, OWNER_SYSTEM, &walk->system->findings);
    walk->system->description = take_file(walk, entry);
}

static void take_result(tree_walk *walk, const mls_walk_entry *entry)
{
    mls_submission_result *result = ADD_TO(walk->submitter, results, result_count, result_capacity);
    result->path = copy_path(walk, entry);
    result->system = walk->system->name;
    result->benchmark = mls_path_name(result->path);
    result->weak = walk->in == ROLE_WEAK;
    walk->system->has_results |= mls_is_wanted(walk->submission->options.benchmark, result->benchmark);
    walk->result = result;
    set_owner(walk, OWNER_RESULT, &result->findings);
}

static void take_power(tree_walk *walk, const mls_walk_entry *entry)
{
    (void)entry;
    walk->result->has_power = true;
}

static void take_power_run(tree_walk *walk, const mls_walk_entry *entry)
{
    mls_power_folder *folder = ADD_TO(walk->result, power, power_count, power_capacity);
    folder->path = copy_path(walk, entry);
    folder->name = mls_path_name(folder->path);
}

static void take_power_file(tree_walk *walk, const mls_walk_entry *entry)
{
    mls_power_folder *folder = &walk->result->power[walk->result->power_count - 1];
    add_file(walk, &folder->files[entry->name[0] == 's'], entry);
}

/* Add a log.  The folder `power` is complete at this point because it is listed before the logs. */
static void take_log(tree_walk *walk, const mls_walk_entry *entry)
{
    mls_submission_result *result = walk->result;
    mls_submission_run *run = ADD_TO(result, runs, run_count, run_capacity);
    run->file = take_file(walk, entry);
    run->joules = (double)NAN;
    mls_run_init(&run->run);
    if (result->power_count > 0) {
        const char *name = copy(walk, entry->name, strlen(entry->name) - strlen(".txt"));
        mls_power_folder *folder = find_named(result->power, result->power_count, sizeof *result->power, name);
        run->power = folder;
        if (folder != NULL)
            folder->of_run = true;
    }
}

static void take_implementation(tree_walk *walk, const mls_walk_entry *entry)
{
    mls_submission_file *folder = ADD_TO(&walk->submitter->implementations, items, count, capacity);
    folder->path = copy_path(walk, entry);
}

/* Skip the implementations of other benchmarks if only one is wanted. */
static void take_benchmark(tree_walk *walk, const mls_walk_entry *entry)
{
    walk->role = mls_is_wanted(walk->submission->options.benchmark, entry->name) ? walk->role : ROLE_OTHER;
}

/* Add a config, unless only one system is wanted: the config may be for another one. */
static void take_config(tree_walk *walk, const mls_walk_entry *entry)
{
    if (unreadable(entry) == NULL && walk->submission->options.system == NULL)
        add_file(walk, &walk->submitter->configs, entry);
}

/* Add a file to search for secrets.  If only some results are judged, only their files are searched. */
static void take_searched(tree_walk *walk, const mls_walk_entry *entry)
{
    const mls_submission_options *options = &walk->submission->options;
    const bool all = options->system == NULL && options->benchmark == NULL;
    if (entry->kind == MLS_WALK_FILE && !leaves(entry) && walk->owner != OWNER_NOBODY &&
        (all || (walk->owner == OWNER_RESULT && mls_is_wanted(options->system, walk->system->name) &&
                 mls_is_wanted(options->benchmark, walk->result->benchmark)))) {
        mls_submission_file *file = ADD_TO(&walk->submitter->files, items, count, capacity);
        *file = (mls_submission_file){.path = copy_path(walk, entry), .size = entry->size, .readable = true};
        mls_submission_run *last = walk->in == ROLE_RESULT && walk->result->run_count > 0
                                       ? &walk->result->runs[walk->result->run_count - 1]
                                       : NULL;
        if (last != NULL && strcmp(last->file.path, entry->below) == 0)
            last->searched = walk->submitter->files.count;
    }
}

/* Description of each folder that must not contain other files; NULL: any file is allowed. */
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

/* The roles of folders to which a row of `places` applies. */
#define IN(role) (1U << ROLE_##role)
#define IN_TAKEN (IN(SYSTEM) | IN(SYSTEM_HPC) | IN(RESULT))
#define IN_USELESS (IN(ROUND) | IN(SUBMITTER) | IN(RESULTS) | IN(STRONG) | IN(WEAK))

/* The layout: the first row that matches an entry determines its role. */
static const struct {
    unsigned in;
    tree_kind kind;
    const char *name;                                           /* '*' matches anything, '#' a number */
    tree_role role;                                             /* role of a folder, if it is used, else OTHER */
    void (*take)(tree_walk *walk, const mls_walk_entry *entry); /* NULL: ignore it */
    size_t max;                                                 /* 0: no limit */
} places[] = {
    {IN(ROUND), KIND_FOLDER, "*", ROLE_SUBMITTER, take_submitter, FOLDERS_MAX},
    {IN_USELESS, KIND_FILE, PARAMS_NAME, ROLE_OTHER, take_useless, 0},
    {IN_TAKEN, KIND_FILE, PARAMS_NAME, ROLE_OTHER, take_params, 0},
    {IN(OTHER), KIND_FOLDER, "results", ROLE_OTHER, take_hidden, 0},
    {IN(SUBMITTER), KIND_FOLDER, "systems", ROLE_SYSTEMS, NULL, 0},
    {IN(SUBMITTER), KIND_FOLDER, "results", ROLE_RESULTS, NULL, 0},
    {IN(SUBMITTER), KIND_FOLDER, "benchmarks", ROLE_BENCHMARKS, NULL, 0},
    {IN(SYSTEMS), KIND_FILE, "*.json", ROLE_OTHER, take_description, FILES_MAX},
    {IN(RESULTS), KIND_FOLDER, "*", ROLE_SYSTEM, take_system, FOLDERS_MAX},
    {IN(SYSTEM_HPC), KIND_FOLDER, "strong", ROLE_STRONG, NULL, 0},
    {IN(SYSTEM_HPC), KIND_FOLDER, "weak", ROLE_WEAK, NULL, 0},
    {IN(SYSTEM) | IN(STRONG) | IN(WEAK), KIND_FOLDER, "*", ROLE_RESULT, take_result, FOLDERS_MAX},
    {IN(RESULT), KIND_FOLDER, "power", ROLE_POWER, take_power, 0},
    {IN(RESULT), KIND_ANY, "result_*.txt", ROLE_OTHER, take_log, FILES_MAX},
    {IN(RESULT), KIND_FILE, "scaling.json", ROLE_OTHER, take_useless, 0},
    {IN(POWER), KIND_FOLDER, "result_#", ROLE_POWER_RUN, take_power_run, 0},
    {IN(POWER_RUN), KIND_FILE, "node_*.txt", ROLE_OTHER, take_power_file, 0},
    {IN(POWER_RUN), KIND_FILE, "sw_*.txt", ROLE_OTHER, take_power_file, 0},
    {IN(BENCHMARKS), KIND_FOLDER, "*", ROLE_BENCHMARK, take_benchmark, 0},
    {IN(BENCHMARK), KIND_FOLDER, "implementations", ROLE_IMPLEMENTATIONS, NULL, 0},
    {IN(IMPLEMENTATIONS), KIND_FOLDER, "*", ROLE_IMPLEMENTATION, take_implementation, 0},
    {IN(IMPLEMENTATION), KIND_FOLDER, "*", ROLE_IMPLEMENTATION, NULL, 0},
    {IN(IMPLEMENTATION), KIND_FILE, "config_*.sh", ROLE_OTHER, take_config, CONFIGS_MAX},
};

_Static_assert(sizeof places / sizeof *places <= PLACES_MAX, "each row has its count");

static bool is_place(const tree_walk *walk, size_t row, tree_kind kind)
{
    return (places[row].in & 1U << walk->in) != 0 && (places[row].kind & kind) != 0;
}

/* Report an unexpected name, and suggest a similar one; mostly for a misspelled file of bypasses. */
static void add_stray(tree_walk *walk, const mls_walk_entry *entry, tree_kind kind)
{
    mls_suggestion nearest = mls_suggest_for(mls_str_from(entry->name));
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        if (!is_place(walk, i, kind))
            continue;
        if (places[i].take != take_useless && strpbrk(places[i].name, "*#") == NULL)
            mls_suggest_add(&nearest, mls_str_from(places[i].name));
        if (places[i].take == take_params) {
            mls_suggest_add(&nearest, MLS_S("rcp-bypass"));
            mls_suggest_add(&nearest, MLS_S("seed-checker-bypass"));
        }
    }
    const bool bypass = mls_str_ends(nearest.found, MLS_S("bypass"));
    const mls_str suggestion = bypass ? MLS_S(PARAMS_NAME) : nearest.found;
    char head[8]; /* of archives */
    const int fd = entry->kind == MLS_WALK_FILE && !leaves(entry) ? mls_file_open(entry->path, false, NULL) : -1;
    const ssize_t len = fd >= 0 ? read(fd, head, sizeof head) : 0;
    const char *packed = len > 0 ? mls_file_magic_words((mls_str){head, (size_t)len}) : NULL;
    if (fd >= 0)
        (void)close(fd);
    mls_findings_add(walk->here, MLS_FINDING_STRAY_FILE, walk->place, "%s has no place in %s%s%s%s%.*s%s",
                     kind == KIND_FOLDER ? "a folder of this name" : "this file", stray_in[walk->in],
                     packed != NULL ? ": " : "", packed != NULL ? packed : "",
                     suggestion.len > 0 ? "; did you mean '" : "", (int)suggestion.len, suggestion.ptr,
                     suggestion.len > 0 ? "'?" : "");
}

/* Count an entry of a row.  Return false if there are too many, which is reported once. */
static bool has_room(tree_walk *walk, size_t row)
{
    const size_t max = places[row].max;
    if (max > 0 && ++walk->counts[row] == max + 1) {
        mls_findings_add_as(&walk->submission->findings, MLS_FINDING_TREE_LIMIT,
                            places[row].take == take_config ? MLS_SEVERITY_ADVICE : MLS_SEVERITY_ERROR, walk->place,
                            "more than %zu of this kind; the others were not checked", max);
    }
    return walk->counts[row] <= max;
}

/* Find the role of an entry, and store the entry. */
static void take_entry(tree_walk *walk, const mls_walk_entry *entry)
{
    const tree_role in = walk->in;
    const tree_kind kind = entry->kind == MLS_WALK_FOLDER ? KIND_FOLDER : KIND_FILE;
    const bool left = kind == KIND_FOLDER && leaves(entry) && in != ROLE_RESULT;
    const size_t count = sizeof places / sizeof *places;
    size_t row = 0;
    walk->role = ROLE_OTHER;
    while (row < count && !(is_place(walk, row, kind) && mls_name_matches(entry->name, places[row].name)))
        row++;
    if (left && row < count && (in == ROLE_SUBMITTER || stray_in[in] != NULL)) {
        /* Results outside the tree are not judged, which must not count as success. */
        mls_findings_add(walk->here, MLS_FINDING_NOT_A_FILE, walk->place,
                         "the folder is a link out of the submission; its contents were not checked");
    } else if (!left && row < count && has_room(walk, row)) {
        walk->role = places[row].role;
        if (places[row].take != NULL)
            places[row].take(walk, entry);
    } else if (!left && row == count && stray_in[in] != NULL) {
        add_stray(walk, entry, kind);
    }
}

/* Check the name and size of a file or folder anywhere in the tree.  What only the repository checker rejects is an
 * error if `as_repo` is set, else advice. */
static void look_at_hygiene(tree_walk *walk, const mls_walk_entry *entry)
{
    const mls_severity repo = walk->submission->options.as_repo ? MLS_SEVERITY_ERROR : MLS_SEVERITY_ADVICE;
    mls_findings *findings = walk->here;
    const mls_finding_place place = walk->place;
    if (entry->kind == MLS_WALK_LOST) {
        mls_findings_add_as(findings, MLS_FINDING_BROKEN_LINK, repo, place, "broken link: %s",
                            strerror(entry->system_errno));
    }
    if (entry->name[0] == '.')
        mls_findings_add_as(findings, MLS_FINDING_HIDDEN_NAME, repo, place, "the name starts with a dot");
    if (strchr(entry->name, ' ') != NULL)
        mls_findings_add_as(findings, MLS_FINDING_SPACE_IN_NAME, repo, place, "the name contains a space");
    if (!entry->link && entry->size > LARGE_FILE) {
        mls_findings_add_as(findings, MLS_FINDING_LARGE_FILE, repo, place, "the file has %.1f MiB",
                            (double)entry->size / 1048576.0);
    }
    if (entry->kind == MLS_WALK_SPECIAL && !leaves(entry) && stray_in[walk->in] == NULL) {
        mls_findings_add_as(findings, MLS_FINDING_NOT_A_FILE, MLS_SEVERITY_WARNING, place,
                            "%s: an upload leaves it out", unreadable(entry));
    }
    if (leaves(entry)) {
        mls_findings_add(findings, MLS_FINDING_LINK_OUTSIDE, place,
                         "the link leads out of the submission; it was not followed");
    }
}

static mls_status found_entry(void *state, mls_walk_entry *entry)
{
    tree_walk *walk = state;
    enter_place(walk, entry->role, entry);
    if (entry->kind == MLS_WALK_FAILED) {
        mls_findings_add(walk->here, MLS_FINDING_UNREADABLE, walk->place, "%s", strerror(entry->system_errno));
        return MLS_OK;
    }
    if (entry->kind == MLS_WALK_FOLDER && strcmp(entry->name, ".git") == 0) {
        mls_findings_add(walk->here, MLS_FINDING_GIT_FOLDER, walk->place, "its contents were not checked");
        entry->enter = false;
        return MLS_OK;
    }
    take_entry(walk, entry);
    look_at_hygiene(walk, entry);
    take_searched(walk, entry);
    /* In folders that may contain anything, the target of a link is walked only at its own place. */
    const bool anywhere = walk->role == ROLE_OTHER || walk->role == ROLE_IMPLEMENTATION;
    entry->enter = !leaves(entry) && !(entry->link && anywhere);
    entry->inner = (int)walk->owner * OWNER_UNIT + (int)walk->role;
    if (entry->too_deep) {
        mls_findings_add(walk->here, MLS_FINDING_TREE_LIMIT, walk->place,
                         "folders nested deeper than %d levels were not checked", DEPTH_MAX);
    }
    return MLS_OK;
}

/* Compare without case, then by bytes. */
static int compare_caseless(const void *left, const void *right)
{
    const char *a = *(const char *const *)left;
    const char *b = *(const char *const *)right;
    const int order = strcasecmp(a, b);
    return order != 0 ? order : strcmp(a, b);
}

/* Add advice about names in a folder that differ only in ASCII case. */
static void compare_names(const mls_names *names, const char *folder, mls_findings *findings)
{
    const char **sorted = mls_calloc(names->count + 1, sizeof *sorted);
    for (size_t i = 0; i < names->count; i++)
        sorted[i] = names->items[i];
    qsort((void *)sorted, names->count, sizeof *sorted, compare_caseless);
    for (size_t i = 1; i < names->count; i++) {
        if (strcasecmp(sorted[i - 1], sorted[i]) == 0) {
            char *path = mls_path_join(folder, sorted[i]);
            mls_findings_add(findings, MLS_FINDING_CASE_DIFFERS, (mls_finding_place){.path = path},
                             "the name differs from '%.*s' only in case", MLS_CUT_TEXT(sorted[i - 1], 80));
            free(path);
        }
    }
    free((void *)sorted);
}

static mls_status listed_folder(void *state, const mls_walk_entry *folder, const mls_names *names, int system_errno)
{
    tree_walk *walk = state;
    enter_place(walk, folder->inner, folder);
    if (system_errno == EOVERFLOW) {
        mls_findings_add(walk->here, MLS_FINDING_TREE_LIMIT, walk->place, "more than %d names in a folder",
                         ENTRIES_MAX);
    } else if (system_errno != 0) {
        mls_findings_add(walk->here, MLS_FINDING_UNREADABLE, walk->place, "%s", strerror(system_errno));
    } else if (names->count == 0) {
        mls_findings_add(walk->here, MLS_FINDING_EMPTY_FOLDER, walk->place, "the folder is empty");
    }
    compare_names(names, folder->below, walk->here);
    return MLS_OK;
}

/* Report that the folder is not a submission, and suggest the right folder: above it, or `below` (NULL: unknown). */
static void tell_missed(mls_submission *submission, const char *below)
{
    mls_buffer near = {0};
    mls_str above = mls_str_from(submission->real);
    do {
        above = mls_path_folder(above);
        above.len -= above.len > 0;
    } while (above.len > 0 &&
             !(mls_tree_has_folder("", above, "results") && mls_tree_has_folder("", above, "systems")));
    if (above.len > 0) {
        /* Write the path as the user would: the given path shortened by the part after `above`, or else ".." steps from
         * it. */
        const mls_str part = mls_str_from(submission->real + above.len);
        mls_str given = mls_str_from(submission->path);
        while (given.len > 1 && given.ptr[given.len - 1] == '/')
            given.len--;
        if (given.len > part.len && mls_str_ends(given, part)) {
            mls_buffer_append(&near, (mls_str){given.ptr, given.len - part.len});
        } else {
            const bool here = mls_str_equal(given, MLS_S("."));
            mls_buffer_append(&near, here ? MLS_S("..") : given);
            for (size_t i = here ? 1 : 0; i < part.len; i++)
                mls_buffer_append_text(&near, part.ptr[i] == '/' ? "/.." : "");
        }
    } else if (below != NULL) {
        mls_buffer_printf(&near, "%s/%s", submission->path, below);
    }
    mls_findings_add(&submission->findings, MLS_FINDING_NO_RESULTS, (mls_finding_place){.path = "."},
                     "neither a folder results nor a submitter's folder with one was found%s%s",
                     near.len > 0 ? "; give " : "", near.len > 0 ? near.ptr : "");
    mls_buffer_release(&near);
}

mls_status mls_tree_list(mls_submission *submission, mls_error *error)
{
    tree_walk walk = {.submission = submission, .findings = {&submission->findings}};
    mls_folder_walk folders = {.visitor = {&walk, found_entry, listed_folder},
                               .entries_max = ENTRIES_MAX,
                               .depth_max = DEPTH_MAX,
                               .inside = true};
    struct stat about;
    submission->real = realpath(submission->path, NULL);
    if (submission->real == NULL || stat(submission->real, &about) != 0 ||
        (S_ISDIR(about.st_mode) && access(submission->real, R_OK | X_OK) != 0))
        return mls_error_set_errno(error, MLS_ERROR_READ, errno, "cannot be read");
    if (!S_ISDIR(about.st_mode))
        return mls_error_set(error, MLS_ERROR_READ, 0, 0, "not a folder");
    int role = ROLE_ROUND;
    if (is_submitter(&walk, "")) {
        add_submitter(&walk, "", mls_path_name(submission->real));
        role = OWNER_SUBMITTER * OWNER_UNIT + ROLE_SUBMITTER;
    }
    mls_status status = mls_folder_walk_from(&folders, submission->real, role, error);
    mls_folder_walk_release(&folders);
    if (status == MLS_ERROR_LIMIT) {
        mls_findings_add(&submission->findings, MLS_FINDING_TREE_LIMIT, (mls_finding_place){.path = "."},
                         "more than %d files and folders; the others were not checked", ENTRIES_MAX);
        status = MLS_OK;
    }
    if (submission->submitter_count == 0) {
        tell_missed(submission, walk.hidden);
    } else if (walk.stranger != NULL) {
        mls_findings_add(&submission->findings, MLS_FINDING_STRAY_FILE, (mls_finding_place){.path = walk.stranger},
                         "this is not a submitter's folder, but it would be uploaded with the round");
    }
    /* Sort again: systems without results were appended after the others. */
    for (size_t i = 0; i < submission->submitter_count; i++) {
        mls_submitter *submitter = &submission->submitters[i];
        if (submitter->system_count > 1)
            qsort(submitter->systems, submitter->system_count, sizeof *submitter->systems, mls_compare_names);
    }
    return status;
}
