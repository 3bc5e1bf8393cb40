/* SPDX-License-Identifier: Apache-2.0 */
/* tree.c - the walk of a submission: what is found where, and whose it is.
 *
 * Every folder has a role that follows from its place; what belongs into it is one table, `places`. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/walk.h"
#include "submission/judge.h"

/* Folders below the root are entered at most this deep; more files and folders than this are not looked at. */
enum { DEPTH_MAX = 64, ENTRIES_MAX = 2000000 };

/* Repositories of results refuse larger files. */
enum { LARGE_FILE = 50 << 20 };

/* Of what one row of `places` lists this much is looked at; a config takes longest. */
enum { PLACES_MAX = 30, FOLDERS_MAX = 25000, FILES_MAX = 50000, CONFIGS_MAX = 4096 };

/* By it a submission asks to leave out checks; it holds a few words. */
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
    ROLE_OTHER           /* anything may be in it */
} tree_role;

/* Whose it is what is found. */
typedef enum tree_owner { OWNER_NOBODY, OWNER_SUBMITTER, OWNER_SYSTEM, OWNER_RESULT, OWNER_COUNT } tree_owner;

/* The role of a folder holds whose it is what is found there, too. */
enum { OWNER_UNIT = 256 };

typedef struct tree_walk {
    mls_submission *submission;
    tree_role in;     /* of the folder that is looked at */
    tree_role role;   /* of a folder that was found there */
    tree_owner owner; /* of what was found, where findings about that go, and their place */
    mls_findings *here;
    mls_finding_place place;
    mls_submitter *submitter; /* the last one; the next two are its */
    mls_system *system;
    mls_submission_result *result;
    const char *hidden;                  /* a folder of submitters further down than they should be */
    const char *stranger;                /* a folder beside those of submitters that is none */
    size_t with_folder;                  /* systems that have one: they come first, in order of their names */
    mls_findings *findings[OWNER_COUNT]; /* where those of each owner go */
    size_t counts[PLACES_MAX];           /* how much rows of `places` have listed */
    union {
        mls_submitter submitter;
        mls_system system;
        mls_submission_result result;
        mls_submission_run run;
    } spare;           /* what add() gives out when memory runs out */
    mls_status status; /* MLS_OK or MLS_ERROR_MEMORY, which ends the walk */
} tree_walk;

/* From here on findings are about somebody else. */
static void set_owner(tree_walk *walk, tree_owner owner, mls_findings *findings)
{
    if (walk->status == MLS_OK) {
        walk->owner = owner;
        walk->findings[owner] = walk->here = findings;
    }
}

/* Where findings stand now. */
static void enter_place(tree_walk *walk, int role, const mls_walk_entry *entry)
{
    walk->in = (tree_role)(role % OWNER_UNIT);
    walk->owner = (tree_owner)(role / OWNER_UNIT);
    walk->here = walk->findings[walk->owner];
    walk->place.path = *entry->below != '\0' ? entry->below : ".";
}

/* A copy in the arena; "" when memory runs out. */
static const char *copy(tree_walk *walk, const char *text, size_t len)
{
    const char *copied = mls_arena_copy(walk->submission->arena, (mls_str){text, len}).ptr;
    walk->status = copied != NULL ? walk->status : MLS_ERROR_MEMORY;
    return copied != NULL ? copied : "";
}

static const char *copy_path(tree_walk *walk, const mls_walk_entry *entry)
{
    return copy(walk, entry->below, strlen(entry->below));
}

/* One more item, all 0, at the end of a growing list; when memory runs out one that is in none. */
static void *add(tree_walk *walk, void **items, size_t *count, size_t *capacity, size_t size)
{
    if (!mls_grow(items, *count, capacity, size)) {
        walk->status = MLS_ERROR_MEMORY;
        return memset(&walk->spare, 0, sizeof walk->spare);
    }
    return memset((char *)*items + (*count)++ * size, 0, size);
}

/* add() to a member trio of a struct: items, count and capacity. */
#define ADD_TO(walk, list, items, count, capacity)                                                                     \
    add(walk, (void **)&(list)->items, &(list)->count, &(list)->capacity, sizeof *(list)->items)

static void *find_named(void *items, size_t count, size_t size, const char *name)
{
    return count > 0 ? bsearch(&name, items, count, size, mls_compare_names) : NULL;
}

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
    if (why != NULL) {
        mls_findings_add(walk->here, MLS_FINDING_NOT_A_FILE, walk->place, "cannot be read as a file: %s", why);
    }
    return (mls_submission_file){copy_path(walk, entry), entry->size, why == NULL};
}

static void add_file(tree_walk *walk, mls_submission_files *files, const mls_walk_entry *entry)
{
    mls_submission_file *file = ADD_TO(walk, files, items, count, capacity);
    *file = take_file(walk, entry);
}

static void take_params(tree_walk *walk, const mls_walk_entry *entry)
{
    const mls_submission_file file = {entry->below, entry->size, unreadable(entry) == NULL};
    mls_bypasses *bypasses = walk->in == ROLE_RESULT ? &walk->result->bypasses : &walk->system->bypasses;
    mls_buffer text = {0};
    const mls_status status = mls_tree_read(walk->submission, &file, PARAMS_BYTES_MAX, &text, NULL);
    if (status == MLS_OK) {
        mls_params_judge(mls_buffer_str(&text), file.path, bypasses, walk->here);
    } else if (status == MLS_ERROR_MEMORY) {
        walk->status = status;
    } else {
        mls_findings_add(walk->here, MLS_FINDING_PARAMS_IGNORED, walk->place,
                         "cannot be read, or is not a list of options");
    }
    mls_buffer_release(&text);
}

static void take_useless(tree_walk *walk, const mls_walk_entry *entry)
{
    if (walk->in == ROLE_RESULT) {
        walk->result->scaling = (mls_submission_file){copy(walk, entry->below, strlen(entry->below)), entry->size,
                                                      unreadable(entry) == NULL};
        mls_findings_add(walk->here, MLS_FINDING_SCALING_FILE, walk->place,
                         "only the review committee adds a scaling factor");
    } else {
        mls_findings_add(walk->here, MLS_FINDING_PARAMS_IGNORED, walk->place,
                         "has no effect here, only in a system's or a benchmark's results folder");
    }
}

/* Whether a folder (a path below the root, "" for the root) is a submitter's. */
static bool is_submitter(const tree_walk *walk, const char *path)
{
    const mls_str folder = mls_str_from(path);
    return mls_tree_has_folder(walk->submission->real, folder, "results") ||
           mls_tree_has_folder(walk->submission->real, folder, "systems");
}

static void add_submitter(tree_walk *walk, const char *path, const char *name)
{
    walk->submitter = ADD_TO(walk, walk->submission, submitters, submitter_count, submitter_capacity);
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

/* A submission further down than one is looked for: the folder above it, a round's, is what should be given. */
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
    walk->system = ADD_TO(walk, walk->submitter, systems, system_count, system_capacity);
    walk->system->name = name;
}

static void take_system(tree_walk *walk, const mls_walk_entry *entry)
{
    const char *path = copy_path(walk, entry);
    add_system(walk, mls_path_name(path));
    walk->system->folder = path;
    walk->role = walk->submission->options.usage == MLS_USAGE_HPC ? ROLE_SYSTEM_HPC : ROLE_SYSTEM;
    walk->with_folder = walk->submitter->system_count;
    /* Files beside its results do not concern one benchmark. */
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
    if (walk->system == NULL) {
        add_system(walk, name);
    }
    set_owner(walk, OWNER_SYSTEM, &walk->system->findings);
    walk->system->description = take_file(walk, entry);
}

static void take_result(tree_walk *walk, const mls_walk_entry *entry)
{
    mls_submission_result *result = ADD_TO(walk, walk->submitter, results, result_count, result_capacity);
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
    mls_power_folder *folder = ADD_TO(walk, walk->result, power, power_count, power_capacity);
    folder->path = copy_path(walk, entry);
    folder->name = mls_path_name(folder->path);
}

static void take_power_file(tree_walk *walk, const mls_walk_entry *entry)
{
    mls_power_folder *folder = &walk->result->power[walk->result->power_count - 1];
    add_file(walk, &folder->files[entry->name[0] == 's'], entry);
}

/* The folder `power` is complete by now: it comes before the logs. */
static void take_log(tree_walk *walk, const mls_walk_entry *entry)
{
    mls_submission_result *result = walk->result;
    mls_submission_run *run = ADD_TO(walk, result, runs, run_count, run_capacity);
    run->file = take_file(walk, entry);
    run->joules = (double)NAN;
    mls_run_init(&run->run);
    if (result->power_count > 0) {
        const char *name = copy(walk, entry->name, strlen(entry->name) - strlen(".txt"));
        mls_power_folder *folder = find_named(result->power, result->power_count, sizeof *result->power, name);
        run->power = folder;
        if (folder != NULL) {
            folder->of_run = true;
        }
    }
}

static void take_implementation(tree_walk *walk, const mls_walk_entry *entry)
{
    mls_submission_file *folder = ADD_TO(walk, &walk->submitter->implementations, items, count, capacity);
    folder->path = copy_path(walk, entry);
}

/* Of one benchmark alone the implementations of others do not count. */
static void take_benchmark(tree_walk *walk, const mls_walk_entry *entry)
{
    walk->role = mls_is_wanted(walk->submission->options.benchmark, entry->name) ? walk->role : ROLE_OTHER;
}

/* Takes note of a config, unless one system is asked for, whose they need not be; the rest may be anything. */
static void take_config(tree_walk *walk, const mls_walk_entry *entry)
{
    if (unreadable(entry) == NULL && walk->submission->options.system == NULL) {
        add_file(walk, &walk->submitter->configs, entry);
    }
}

/* Takes note of a file in which secrets are looked for: of results alone when only some are judged. */
static void take_searched(tree_walk *walk, const mls_walk_entry *entry)
{
    const mls_submission_options *options = &walk->submission->options;
    const bool all = options->system == NULL && options->benchmark == NULL;
    if (entry->kind == MLS_WALK_FILE && !leaves(entry) && walk->owner != OWNER_NOBODY &&
        (all || (walk->owner == OWNER_RESULT && mls_is_wanted(options->system, walk->system->name) &&
                 mls_is_wanted(options->benchmark, walk->result->benchmark)))) {
        mls_submission_file *file = ADD_TO(walk, &walk->submitter->files, items, count, capacity);
        *file = (mls_submission_file){copy_path(walk, entry), entry->size, true};
    }
}

/* The folder of a role, in which other files have no place; NULL: anything may stand there. */
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

/* The roles of the folders in which a row of `places` holds. */
#define IN(role) (1U << ROLE_##role)
#define IN_TAKEN (IN(SYSTEM) | IN(SYSTEM_HPC) | IN(RESULT))
#define IN_USELESS (IN(ROUND) | IN(SUBMITTER) | IN(RESULTS) | IN(STRONG) | IN(WEAK))

/* The first row that fits an entry says what it is. */
static const struct {
    unsigned in;
    tree_kind kind;
    const char *name;                                           /* '*' is anything, '#' a number */
    tree_role role;                                             /* of a folder, if it is taken, else OTHER */
    void (*take)(tree_walk *walk, const mls_walk_entry *entry); /* NULL: nothing is noted */
    size_t max;                                                 /* 0: any number of them */
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

/* The program that packed a file without a place; NULL: none that is known. */
static const char *packed_by(const mls_walk_entry *entry)
{
    char head[8];
    const int fd = entry->kind == MLS_WALK_FILE && !leaves(entry) ? mls_file_open(entry->path, false, NULL) : -1;
    const ssize_t len = fd >= 0 ? read(fd, head, sizeof head) : 0;
    if (fd >= 0) {
        (void)close(fd);
    }
    return len > 0 ? mls_file_magic_words((mls_str){head, (size_t)len}) : NULL;
}

/* Nothing of this name belongs here, but perhaps something of a similar one does: a file for bypasses, above all. */
static void add_stray(tree_walk *walk, const mls_walk_entry *entry, tree_kind kind)
{
    mls_nearest nearest = mls_nearest_to(mls_str_from(entry->name));
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        if (!is_place(walk, i, kind)) {
            continue;
        }
        if (places[i].take != take_useless && strpbrk(places[i].name, "*#") == NULL) {
            mls_nearest_offer(&nearest, mls_str_from(places[i].name));
        }
        if (places[i].take == take_params) {
            mls_nearest_offer(&nearest, MLS_S("rcp-bypass"));
            mls_nearest_offer(&nearest, MLS_S("seed-checker-bypass"));
        }
    }
    const bool bypass = mls_str_ends(nearest.found, MLS_S("bypass"));
    const mls_str suggestion = bypass ? MLS_S(PARAMS_NAME) : nearest.found;
    const char *packed = packed_by(entry);
    mls_findings_add(walk->here, MLS_FINDING_STRAY_FILE, walk->place, "%s has no place in %s%s%s%s%.*s%s",
                     kind == KIND_FOLDER ? "a folder of this name" : "this file", stray_in[walk->in],
                     packed != NULL ? ": " : "", packed != NULL ? packed : "",
                     suggestion.len > 0 ? "; did you mean '" : "", (int)suggestion.len, suggestion.ptr,
                     suggestion.len > 0 ? "'?" : "");
}

/* Counts one more of a row; false, and said once, when there are more than are looked at. */
static bool has_room(tree_walk *walk, size_t row)
{
    const size_t max = places[row].max;
    if (max > 0 && ++walk->counts[row] == max + 1) {
        mls_findings_add_as(&walk->submission->findings, MLS_FINDING_TREE_LIMIT,
                            places[row].take == take_config ? MLS_SEVERITY_ADVICE : MLS_SEVERITY_ERROR, walk->place,
                            "there are more than %zu of this kind; the others are not looked at", max);
    }
    return walk->counts[row] <= max;
}

/* Takes note of an entry and finds out its role. */
static void take_entry(tree_walk *walk, const mls_walk_entry *entry)
{
    const tree_role in = walk->in;
    const tree_kind kind = entry->kind == MLS_WALK_FOLDER ? KIND_FOLDER : KIND_FILE;
    const bool left = kind == KIND_FOLDER && leaves(entry) && in != ROLE_RESULT;
    const size_t count = sizeof places / sizeof *places;
    size_t row = 0;
    walk->role = ROLE_OTHER;
    while (row < count && !(is_place(walk, row, kind) && mls_name_matches(entry->name, places[row].name))) {
        row++;
    }
    if (left && row < count && (in == ROLE_SUBMITTER || stray_in[in] != NULL)) {
        /* Results that stand somewhere else are not judged, which must not go for a success. */
        mls_findings_add(walk->here, MLS_FINDING_NOT_A_FILE, walk->place,
                         "the folder is a link that leaves the tree, so what is in it was not judged");
    } else if (!left && row < count && has_room(walk, row)) {
        walk->role = places[row].role;
        if (places[row].take != NULL) {
            places[row].take(walk, entry);
        }
    } else if (!left && row == count && stray_in[in] != NULL) {
        add_stray(walk, entry, kind);
    }
}

/* Checks a file or folder, wherever it stands.  What the repository checker looks for, which the package checker does
 * not, counts when it is to be judged as by both. */
static void look_at_hygiene(tree_walk *walk, const mls_walk_entry *entry)
{
    const mls_severity repo = walk->submission->options.as_repo ? MLS_SEVERITY_ERROR : MLS_SEVERITY_ADVICE;
    mls_findings *findings = walk->here;
    const mls_finding_place place = walk->place;
    if (entry->kind == MLS_WALK_LOST) {
        mls_findings_add_as(findings, MLS_FINDING_BROKEN_LINK, repo, place, "the link leads nowhere: %s",
                            strerror(entry->system_errno));
    }
    if (entry->name[0] == '.') {
        mls_findings_add_as(findings, MLS_FINDING_HIDDEN_NAME, repo, place, "the name starts with a dot");
    }
    if (strchr(entry->name, ' ') != NULL) {
        mls_findings_add_as(findings, MLS_FINDING_SPACE_IN_NAME, repo, place, "the name holds a space");
    }
    if (!entry->link && entry->size > LARGE_FILE) {
        mls_findings_add_as(findings, MLS_FINDING_LARGE_FILE, repo, place, "the file has %.1f MiB",
                            (double)entry->size / 1048576.0);
    }
    if (entry->kind == MLS_WALK_SPECIAL && !leaves(entry) && stray_in[walk->in] == NULL) {
        mls_findings_add_as(findings, MLS_FINDING_NOT_A_FILE, MLS_SEVERITY_WARNING, place,
                            "%s: an upload leaves it out", unreadable(entry));
    }
    if (leaves(entry)) {
        mls_findings_add(findings, MLS_FINDING_LINK_OUTSIDE, place, "the link leaves the tree; it is not followed");
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
        mls_findings_add(walk->here, MLS_FINDING_GIT_FOLDER, walk->place, "what is in it was not looked at");
        entry->enter = false;
        return MLS_OK;
    }
    take_entry(walk, entry);
    if (walk->status != MLS_OK) {
        return walk->status;
    }
    look_at_hygiene(walk, entry);
    take_searched(walk, entry);
    /* Where any folder may stand, what a link leads to is walked at its own place. */
    const bool anywhere = walk->role == ROLE_OTHER || walk->role == ROLE_IMPLEMENTATION;
    entry->enter = !leaves(entry) && !(entry->link && anywhere);
    entry->inner = (int)walk->owner * OWNER_UNIT + (int)walk->role;
    if (entry->too_deep) {
        mls_findings_add(walk->here, MLS_FINDING_TREE_LIMIT, walk->place,
                         "folders nested deeper than %d levels are not looked at", DEPTH_MAX);
    }
    return walk->status;
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
    return mls_tree_compare_names(names, folder->below, walk->here);
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
        (S_ISDIR(about.st_mode) && access(submission->real, R_OK | X_OK) != 0)) {
        return mls_error_set_errno(error, MLS_ERROR_READ, errno, "cannot be read");
    }
    if (!S_ISDIR(about.st_mode)) {
        return mls_error_set(error, MLS_ERROR_READ, 0, 0, "not a folder");
    }
    int role = ROLE_ROUND;
    if (is_submitter(&walk, "")) {
        add_submitter(&walk, "", mls_path_name(submission->real));
        role = OWNER_SUBMITTER * OWNER_UNIT + ROLE_SUBMITTER;
    }
    mls_status status =
        walk.status == MLS_OK ? mls_folder_walk_from(&folders, submission->real, role, error) : walk.status;
    mls_folder_walk_release(&folders);
    if (status == MLS_ERROR_LIMIT) {
        mls_findings_add(&submission->findings, MLS_FINDING_TREE_LIMIT, (mls_finding_place){.path = "."},
                         "there are more than %d files and folders; the others are not looked at", ENTRIES_MAX);
        status = MLS_OK;
    }
    if (submission->submitter_count == 0) {
        mls_tree_missed(submission, walk.hidden);
    } else if (walk.stranger != NULL) {
        mls_findings_add(&submission->findings, MLS_FINDING_STRAY_FILE, (mls_finding_place){.path = walk.stranger},
                         "this folder is no submitter's; what packs a round for its upload packs each folder");
    }
    /* Descriptions without results came behind those with, in another order than that of their names. */
    for (size_t i = 0; i < submission->submitter_count; i++) {
        mls_submitter *submitter = &submission->submitters[i];
        if (submitter->system_count > 1) {
            qsort(submitter->systems, submitter->system_count, sizeof *submitter->systems, mls_compare_names);
        }
    }
    return status;
}
