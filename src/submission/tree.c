/* SPDX-License-Identifier: Apache-2.0 */
/* tree.c - list the tree of a submission, and store each file with its owner.  The layout is:
 *
 *     systems/<system>.json                            description of a system
 *     results/<system>/<benchmark>/result_<i>.txt      logs; hpc has a folder strong or weak above <benchmark>
 *     results/<system>/<benchmark>/power/result_<i>/   node_<k>.txt, sw_<k>.txt: power files of a log
 *     benchmarks/<benchmark>/implementations/<name>/   code, with its config_*.sh
 *
 * These are the contents of a submitter's folder; a round is a folder of submitters' folders.  The role of a folder
 * depends on its place.  The table `places` lists the files and folders that a folder of each role may contain. */
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/number.h"
#include "base/utf8.h"
#include "submission/judge.h"

/* Limits: depth below the root (DEPTH_MAX), number of files and folders in all (ENTRIES_MAX), and number of entries for
 * a row of `places` (FOLDERS_MAX, FILES_MAX, CONFIGS_MAX).  The limit for configs is lower, because they take longest
 * to check. */
enum { DEPTH_MAX = 64, ENTRIES_MAX = 2000000, FOLDERS_MAX = 25000, FILES_MAX = 50000, CONFIGS_MAX = 4096 };
/* Sizes in bytes.  Repositories of results reject files of more than LARGE_FILE. */
enum { LARGE_FILE = 50 << 20, PARAMS_BYTES_MAX = 65536 };

/* Name of the file with which a submission disables checks. */
#define PARAMS_NAME "package_checker_params"

typedef enum tree_role {
    ROLE_ROUND,
    ROLE_SUBMITTER,
    ROLE_SYSTEMS,
    ROLE_RESULTS,
    ROLE_SYSTEM, /* results/<system> */
    ROLE_SYSTEM_HPC,
    ROLE_STRONG, /* hpc: results/<system>/strong and weak */
    ROLE_WEAK,
    ROLE_SCALING, /* hpc: any other folder results/<system>/<name> */
    ROLE_RESULT,  /* results/<system>/[strong|weak/]<benchmark> */
    ROLE_POWER,
    ROLE_POWER_RUN,
    ROLE_BENCHMARKS,
    ROLE_BENCHMARK, /* benchmarks/<benchmark> */
    ROLE_IMPLEMENTATIONS,
    ROLE_IMPLEMENTATION, /* benchmarks/<benchmark>/implementations/<implementation> and every folder below */
    ROLE_OTHER           /* may contain anything */
} tree_role;

typedef enum tree_owner { OWNER_NOBODY, OWNER_SUBMITTER, OWNER_SYSTEM, OWNER_RESULT, OWNER_COUNT } tree_owner;

/* mls_walk() stores one number for each folder: the folder's owner times OWNER_UNIT, plus its role. */
enum { OWNER_UNIT = 256 };

typedef enum tree_kind { KIND_FILE = 1, KIND_FOLDER = 2, KIND_ANY = 3 } tree_kind;

typedef enum tree_entry {
    ENTRY_IGNORED,
    ENTRY_SUBMITTER,
    ENTRY_USELESS_PARAMS,
    ENTRY_PARAMS,
    ENTRY_SCRIPT_PARAMS,
    ENTRY_DEEP_RESULTS,
    ENTRY_DESCRIPTION,
    ENTRY_SYSTEM,
    ENTRY_RESULT,
    ENTRY_STRAY,
    ENTRY_NO_SCALING,
    ENTRY_POWER,
    ENTRY_LOG,
    ENTRY_SCALING,
    ENTRY_POWER_RUN,
    ENTRY_POWER_FILE,
    ENTRY_POWER_NAME,
    ENTRY_BENCHMARK,
    ENTRY_IMPLEMENTATION,
    ENTRY_CONFIG
} tree_entry;

/* Bits for the member `in` of `places`: the roles of the folders to which a row applies. */
#define IN(role) (1U << ROLE_##role)
#define IN_JUDGED (IN(SYSTEM) | IN(SYSTEM_HPC) | IN(RESULT))
#define IN_RESULTS (IN(SYSTEM) | IN(STRONG) | IN(WEAK))
#define IN_UNJUDGED (IN(ROUND) | IN(RESULTS) | IN(STRONG) | IN(WEAK))

/* The layout: the first row that matches an entry determines its role. */
static const struct {
    unsigned in;
    tree_kind kind;
    const char *name; /* pattern of mls_name_matches() */
    tree_role role;   /* role of the entry if it is a folder that is stored; else ROLE_OTHER */
    tree_entry entry;
    size_t max; /* 0: no limit */
} places[] = {
    {IN(ROUND), KIND_FOLDER, "*", ROLE_SUBMITTER, ENTRY_SUBMITTER, FOLDERS_MAX},
    {IN_UNJUDGED, KIND_FILE, PARAMS_NAME, ROLE_OTHER, ENTRY_USELESS_PARAMS, 0},
    {IN_JUDGED, KIND_FILE, PARAMS_NAME, ROLE_OTHER, ENTRY_PARAMS, 0},
    {IN(SUBMITTER), KIND_FILE, PARAMS_NAME, ROLE_OTHER, ENTRY_SCRIPT_PARAMS, 0},
    {IN(OTHER), KIND_FOLDER, "results", ROLE_OTHER, ENTRY_DEEP_RESULTS, 0},
    {IN(SUBMITTER), KIND_FOLDER, "systems", ROLE_SYSTEMS, ENTRY_IGNORED, 0},
    {IN(SUBMITTER), KIND_FOLDER, "results", ROLE_RESULTS, ENTRY_IGNORED, 0},
    {IN(SUBMITTER), KIND_FOLDER, "benchmarks", ROLE_BENCHMARKS, ENTRY_IGNORED, 0},
    {IN(SYSTEMS), KIND_FILE, "*.json", ROLE_OTHER, ENTRY_DESCRIPTION, FILES_MAX},
    {IN(RESULTS), KIND_FOLDER, "*", ROLE_SYSTEM, ENTRY_SYSTEM, FOLDERS_MAX},
    {IN(SYSTEM_HPC), KIND_FOLDER, "strong", ROLE_STRONG, ENTRY_IGNORED, 0},
    {IN(SYSTEM_HPC), KIND_FOLDER, "weak", ROLE_WEAK, ENTRY_IGNORED, 0},
    {IN(SYSTEM_HPC), KIND_FOLDER, "*", ROLE_SCALING, ENTRY_STRAY, 0},
    {IN(SCALING), KIND_FOLDER, "*", ROLE_OTHER, ENTRY_NO_SCALING, 0},
    {IN_RESULTS | IN(RESULT), KIND_FOLDER, "pruned_results", ROLE_OTHER, ENTRY_IGNORED, 0},
    {IN_RESULTS, KIND_FOLDER, "*", ROLE_RESULT, ENTRY_RESULT, FOLDERS_MAX},
    {IN(RESULT), KIND_FOLDER, "power", ROLE_POWER, ENTRY_POWER, 0},
    {IN(RESULT), KIND_ANY, "result_*.txt", ROLE_OTHER, ENTRY_LOG, FILES_MAX},
    {IN(RESULT), KIND_FILE, "scaling.json", ROLE_OTHER, ENTRY_SCALING, 0},
    {IN(POWER), KIND_FOLDER, "result_*", ROLE_POWER_RUN, ENTRY_POWER_RUN, FILES_MAX},
    {IN(POWER), KIND_FILE, "result_#", ROLE_OTHER, ENTRY_POWER_RUN, FILES_MAX},
    {IN(POWER_RUN), KIND_FILE, "node_*.txt", ROLE_OTHER, ENTRY_POWER_FILE, 0},
    {IN(POWER_RUN), KIND_FILE, "sw_*.txt", ROLE_OTHER, ENTRY_POWER_FILE, 0},
    {IN(POWER_RUN), KIND_ANY, "node*", ROLE_OTHER, ENTRY_POWER_NAME, 0},
    {IN(POWER_RUN), KIND_ANY, "sw*", ROLE_OTHER, ENTRY_POWER_NAME, 0},
    {IN(BENCHMARKS), KIND_FOLDER, "*", ROLE_BENCHMARK, ENTRY_BENCHMARK, 0},
    {IN(BENCHMARK), KIND_FOLDER, "implementations", ROLE_IMPLEMENTATIONS, ENTRY_IGNORED, 0},
    {IN(IMPLEMENTATIONS), KIND_FOLDER, "*", ROLE_IMPLEMENTATION, ENTRY_IMPLEMENTATION, 0},
    {IN(IMPLEMENTATION), KIND_FOLDER, "*", ROLE_IMPLEMENTATION, ENTRY_IGNORED, 0},
    {IN(IMPLEMENTATION), KIND_FILE, "config_*.sh", ROLE_OTHER, ENTRY_CONFIG, CONFIGS_MAX},
};
enum { PLACES = sizeof places / sizeof *places };

/* Description of each folder that must not contain other files; NULL: any file is allowed. */
static const char *const closed_folders[] = {
    [ROLE_SYSTEMS] = "systems",
    [ROLE_RESULTS] = "results",
    [ROLE_SYSTEM] = "a system's results",
    [ROLE_SYSTEM_HPC] = "a system's results, which contains only strong and weak",
    [ROLE_STRONG] = "a folder of benchmarks",
    [ROLE_WEAK] = "a folder of benchmarks",
    [ROLE_RESULT] = "a benchmark's results",
    [ROLE_POWER] = "a folder of power files",
    [ROLE_POWER_RUN] = "the power files of a run",
    [ROLE_OTHER] = NULL,
};

static const char dot_name[] = "the name starts with a dot";
static const char space_name[] = "the name contains a space";

typedef struct tree_walk {
    mls_submission *submission;
    tree_role in;     /* role of the folder being listed */
    tree_role role;   /* role of an entry in it */
    tree_owner owner; /* owner of the entry; findings about the entry are added to `here`, at `place` */
    mls_findings *here;
    mls_finding_place place;
    mls_submitter *submitter; /* current submitter, system and result */
    mls_system *system;
    mls_submission_result *result;
    const char *round;    /* a folder of submitters deeper in the tree; NULL: not found */
    const char *stranger; /* a folder next to the submitters that is not a submitter's; NULL: not found */
    size_t with_folder;   /* number of systems with a results folder; they are the first ones, sorted by name */
    mls_findings *findings[OWNER_COUNT]; /* findings of the current owner of each kind */
    size_t counts[PLACES];               /* number of entries of each row of `places` */
} tree_walk;

static mls_status visit_entry(void *state, mls_walk_entry *entry);
static mls_status visit_names(void *state, const mls_walk_entry *folder, const mls_names *names, int system_errno);
static bool is_submitter(const tree_walk *walk, const char *path);
static void report_stray(tree_walk *walk, const mls_walk_entry *entry, tree_kind kind);
static void add_submitter(tree_walk *walk, const char *path, const char *name);

mls_status mls_tree_list(mls_submission *submission, mls_error *error)
{
    tree_walk walk = {.submission = submission, .findings = {&submission->findings}};
    mls_folder_walk folders = {.visitor = {&walk, visit_entry, visit_names},
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
        /* Suggest the right folder, which is above or below the given folder. */
        mls_buffer near = {0};
        mls_str above = mls_str_from(submission->real);
        do {
            above = mls_path_folder(above);
            above.len -= above.len > 0;
        } while (above.len > 0 &&
                 !(mls_tree_has_folder("", above, "results") && mls_tree_has_folder("", above, "systems")));
        if (above.len > 0) {
            /* Write the path as the user would: the given path without its end, or else followed by "..". */
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
        } else if (walk.round != NULL) {
            mls_buffer_printf(&near, "%s/%s", submission->path, walk.round);
        }
        mls_findings_add(&submission->findings, MLS_FINDING_NO_RESULTS, (mls_finding_place){.path = "."},
                         "neither a folder results nor a submitter's folder with one was found%s%s",
                         near.len > 0 ? "; give " : "", near.len > 0 ? near.ptr : "");
        mls_buffer_release(&near);
    } else if (walk.stranger != NULL) {
        mls_findings_add(&submission->findings, MLS_FINDING_STRAY_FILE, (mls_finding_place){.path = walk.stranger},
                         "this is not a submitter's folder, but it would be uploaded with the round");
    }
    /* The repository checker also judges the name of the folder that it is given. */
    const char *root = mls_path_name(submission->real);
    const mls_finding_place here = {.path = "."};
    if (submission->options.as_repo && root[0] == '.')
        mls_findings_add_as(&submission->findings, MLS_FINDING_HIDDEN_NAME, MLS_SEVERITY_ERROR, here, dot_name);
    if (submission->options.as_repo && strchr(root, ' ') != NULL)
        mls_findings_add_as(&submission->findings, MLS_FINDING_SPACE_IN_NAME, MLS_SEVERITY_ERROR, here, space_name);
    /* Sort again: systems without results were appended after the others. */
    for (size_t i = 0; i < submission->submitter_count; i++) {
        mls_submitter *submitter = &submission->submitters[i];
        if (submitter->system_count > 1)
            qsort(submitter->systems, submitter->system_count, sizeof *submitter->systems, mls_compare_names);
    }
    return status;
}

/* ------------------------------------------------------------------------------------------------ storing an entry */

static const char *copy(const tree_walk *walk, const char *text, size_t len)
{
    return mls_arena_copy(walk->submission->arena, (mls_str){text, len}).ptr;
}

static const char *copy_path(const tree_walk *walk, const mls_walk_entry *entry)
{
    return copy(walk, entry->below, strlen(entry->below));
}

static void *add(mls_arena *arena, void **items, size_t *count, size_t *capacity, size_t size)
{
    mls_arena_grow(arena, items, *count, capacity, size);
    return memset((char *)*items + (*count)++ * size, 0, size);
}
#define ADD_TO(list, items, count, capacity)                                                                           \
    add(walk->submission->arena, (void **)&(list)->items, &(list)->count, &(list)->capacity, sizeof *(list)->items)

static void *find_named(void *items, size_t count, size_t size, const char *name)
{
    return count > 0 ? bsearch(&name, items, count, size, mls_compare_names) : NULL;
}

mls_system *mls_submitter_system(const mls_submitter *submitter, const char *name)
{
    return find_named(submitter->systems, submitter->system_count, sizeof *submitter->systems, name);
}

static bool leaves(const mls_walk_entry *entry)
{
    return entry->outside && entry->kind != MLS_WALK_LOST;
}

static const char *unreadable(const mls_walk_entry *entry)
{
    static const char *const why[] = {[MLS_WALK_FOLDER] = "it is a folder",
                                      [MLS_WALK_SPECIAL] = "it is a pipe, a socket or a device",
                                      [MLS_WALK_LOST] = "it is a broken link",
                                      [MLS_WALK_FAILED] = "it cannot be accessed"};
    return leaves(entry) ? "it is a link out of the submission" : why[entry->kind];
}

static mls_submission_file file_of(const tree_walk *walk, const mls_walk_entry *entry)
{
    return (mls_submission_file){
        .path = copy_path(walk, entry), .size = entry->size, .readable = unreadable(entry) == NULL};
}

/* Return the file of an entry.  Add a finding if the file cannot be read. */
static mls_submission_file take_file(tree_walk *walk, const mls_walk_entry *entry)
{
    const char *why = unreadable(entry);
    if (why != NULL)
        mls_findings_add(walk->here, MLS_FINDING_NOT_A_FILE, walk->place, "cannot be read as a file: %s", why);
    return file_of(walk, entry);
}

static void set_owner(tree_walk *walk, tree_owner owner, mls_findings *findings)
{
    walk->owner = owner;
    walk->findings[owner] = walk->here = findings;
}

/* Return whether a folder is a submitter's.  `path` is relative to the root; "" is the root. */
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

static void add_system(tree_walk *walk, const char *name)
{
    walk->system = ADD_TO(walk->submitter, systems, system_count, system_capacity);
    walk->system->name = name;
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

/* Read package_checker_params in a submitter's folder.  The script that a round provides, verify_for_….sh, passes each
 * line of it to the package checker as the name of an option.  It skips a last line without a line ending. */
static void judge_script_params(mls_str text, const char *path, mls_bypasses *bypasses, mls_findings *findings)
{
    mls_finding_place place = {.path = path};
    mls_str line;
    while (text.len > 0) {
        const bool ended = mls_str_cut(&text, '\n', &line);
        bool *bypass = mls_str_equal(line, MLS_S("rcp-bypass"))               ? &bypasses->rcp
                       : mls_str_equal(line, MLS_S("seed-checker-bypass"))    ? &bypasses->seeds
                       : mls_str_equal(line, MLS_S("rcp-bert-train-samples")) ? &bypasses->bert_train_samples
                                                                              : NULL;
        place.line++;
        if (bypass != NULL && ended) {
            *bypass = true;
        } else if (bypass != NULL) {
            mls_findings_add(findings, MLS_FINDING_PARAMS_IGNORED, place,
                             "the line '%.*s' has no effect: the round's script skips a last line without a newline",
                             MLS_CUT(line, 60));
        } else if (line.len > 0) {
            mls_findings_add(findings, MLS_FINDING_PARAMS_IGNORED, place,
                             "the round's script passes the line '%.*s' as an option --%.*s, and the package checker "
                             "rejects an unknown option",
                             MLS_CUT(line, 60), MLS_CUT(line, 60));
        }
    }
}

/* Remember a power file whose name the package checker cannot count: it expects a whole number between the last '_' and
 * the suffix. */
static void check_power_name(mls_power_folder *folder, const char *path)
{
    const mls_str name = mls_str_from(mls_path_name(path));
    mls_str number = name;
    int64_t value;
    for (size_t i = name.len; i > 1 && number.len == name.len; i--)
        number.len = name.ptr[i - 1] == '.' ? i - 1 : number.len;
    for (size_t i = number.len; i > 0; i--) {
        if (number.ptr[i - 1] == '_') {
            number = mls_str_rest(number, i);
            break;
        }
    }
    if (folder->uncountable == NULL && !mls_integer_parse(number, &value))
        folder->uncountable = path;
}

static void store_entry(tree_walk *walk, const mls_walk_entry *entry, tree_entry as)
{
    const mls_submission_options *options = &walk->submission->options;
    mls_submitter *submitter = walk->submitter;
    mls_submission_result *result = walk->result;
    mls_arena *arena = walk->submission->arena;
    switch (as) {
    case ENTRY_IGNORED:
        break;
    case ENTRY_SUBMITTER:
        if (is_submitter(walk, entry->below)) {
            add_submitter(walk, entry->below, entry->name);
        } else {
            walk->role = ROLE_OTHER;
            walk->stranger = walk->stranger == NULL && entry->name[0] != '.' ? copy_path(walk, entry) : walk->stranger;
        }
        break;
    case ENTRY_USELESS_PARAMS:
        mls_findings_add(
            walk->here, MLS_FINDING_PARAMS_IGNORED, walk->place,
            "has an effect only in the folder of a submitter, or in the results folder of a system or benchmark");
        break;
    case ENTRY_PARAMS:
    case ENTRY_SCRIPT_PARAMS: {
        const mls_submission_file file = file_of(walk, entry);
        mls_buffer text = {0};
        if (mls_tree_read(walk->submission, &file, PARAMS_BYTES_MAX, &text, NULL) == MLS_OK) {
            if (as == ENTRY_SCRIPT_PARAMS)
                judge_script_params(mls_buffer_str(&text), file.path, &submitter->bypasses, walk->here);
            else
                mls_params_judge(mls_buffer_str(&text), file.path,
                                 walk->in == ROLE_RESULT ? &result->bypasses : &walk->system->bypasses, walk->here);
        } else {
            mls_findings_add(walk->here, MLS_FINDING_PARAMS_IGNORED, walk->place,
                             "cannot be read, or is not a list of options");
        }
        mls_buffer_release(&text);
        break;
    }
    case ENTRY_DEEP_RESULTS: {
        /* If a submitter is deeper than expected, store the folder above it, in order to suggest that folder. */
        mls_str path = {entry->below, strlen(entry->below) - strlen("/results")};
        if (walk->owner == OWNER_NOBODY && walk->round == NULL &&
            mls_tree_has_folder(walk->submission->real, path, "systems")) {
            path = mls_path_folder(path);
            walk->round = copy(walk, path.ptr, path.len - (path.len > 0));
        }
        break;
    }
    case ENTRY_DESCRIPTION: {
        const char *name = copy(walk, entry->name, strlen(entry->name) - strlen(".json"));
        walk->system = find_named(submitter->systems, walk->with_folder, sizeof *walk->system, name);
        if (walk->system == NULL)
            add_system(walk, name);
        set_owner(walk, OWNER_SYSTEM, &walk->system->findings);
        walk->system->description = take_file(walk, entry);
        break;
    }
    case ENTRY_SYSTEM: {
        const char *path = copy_path(walk, entry);
        add_system(walk, mls_path_name(path));
        walk->system->folder = path;
        walk->role = options->usage == MLS_USAGE_HPC ? ROLE_SYSTEM_HPC : ROLE_SYSTEM;
        walk->with_folder = submitter->system_count;
        /* Files next to the results do not concern a single benchmark. */
        set_owner(walk, OWNER_SYSTEM, options->benchmark == NULL ? &walk->system->findings : &submitter->findings);
        break;
    }
    case ENTRY_RESULT:
        walk->result = result = ADD_TO(submitter, results, result_count, result_capacity);
        result->path = copy_path(walk, entry);
        result->system = walk->system->name;
        result->benchmark = mls_path_name(result->path);
        result->weak = walk->in == ROLE_WEAK;
        walk->system->has_results |= mls_is_wanted(options->benchmark, result->benchmark);
        set_owner(walk, OWNER_RESULT, &result->findings);
        break;
    case ENTRY_STRAY:
        report_stray(walk, entry, entry->kind == MLS_WALK_FOLDER ? KIND_FOLDER : KIND_FILE);
        break;
    case ENTRY_NO_SCALING:
        mls_findings_add_as(walk->here, MLS_FINDING_STRAY_FILE, MLS_SEVERITY_ERROR, walk->place,
                            "the folder is neither in strong nor in weak: the package checker ends with an error");
        break;
    case ENTRY_POWER:
        result->has_power = true;
        break;
    case ENTRY_LOG: {
        mls_submission_run *run = ADD_TO(result, runs, run_count, run_capacity);
        run->file = take_file(walk, entry);
        run->joules = (double)NAN;
        mls_run_init(&run->run);
        if (result->power_count > 0) { /* the folder `power` is complete because it is listed before the logs */
            const char *name = copy(walk, entry->name, strlen(entry->name) - strlen(".txt"));
            mls_power_folder *folder = find_named(result->power, result->power_count, sizeof *result->power, name);
            run->power = folder;
            if (folder != NULL)
                folder->of_run = true;
        }
        break;
    }
    case ENTRY_SCALING:
        result->scaling = file_of(walk, entry);
        break;
    case ENTRY_POWER_RUN: {
        mls_power_folder *folder = ADD_TO(result, power, power_count, power_capacity);
        folder->path = copy_path(walk, entry);
        folder->name = mls_path_name(folder->path);
        folder->uncountable = entry->kind != MLS_WALK_FOLDER ? folder->path : NULL;
        break;
    }
    case ENTRY_POWER_FILE:
        MLS_ARENA_ADD(arena, &result->power[result->power_count - 1].files[entry->name[0] == 's'],
                      take_file(walk, entry));
        check_power_name(&result->power[result->power_count - 1], copy_path(walk, entry));
        break;
    case ENTRY_POWER_NAME:
        check_power_name(&result->power[result->power_count - 1], copy_path(walk, entry));
        report_stray(walk, entry, entry->kind == MLS_WALK_FOLDER ? KIND_FOLDER : KIND_FILE);
        break;
    case ENTRY_BENCHMARK: /* skip the implementations of other benchmarks if only one is wanted */
        walk->role = mls_is_wanted(options->benchmark, entry->name) ? walk->role : ROLE_OTHER;
        break;
    case ENTRY_IMPLEMENTATION:
        MLS_ARENA_ADD(arena, &submitter->implementations, (mls_submission_file){.path = copy_path(walk, entry)});
        break;
    case ENTRY_CONFIG: /* if only one system is wanted, the config may be for another one */
        if (unreadable(entry) == NULL && options->system == NULL)
            MLS_ARENA_ADD(arena, &submitter->configs, file_of(walk, entry));
        break;
    }
}

/* -------------------------------------------------------------------------------------------------------- the walk */

static void enter_place(tree_walk *walk, int role, const mls_walk_entry *entry)
{
    walk->in = (tree_role)(role % OWNER_UNIT);
    walk->owner = (tree_owner)(role / OWNER_UNIT);
    walk->here = walk->findings[walk->owner];
    walk->place.path = *entry->below != '\0' ? entry->below : ".";
}

static bool is_place(const tree_walk *walk, size_t row, tree_kind kind)
{
    return (places[row].in & 1U << walk->in) != 0 && (places[row].kind & kind) != 0;
}

/* Report an unexpected name, and suggest a similar expected name, mostly for a misspelled package_checker_params. */
static void report_stray(tree_walk *walk, const mls_walk_entry *entry, tree_kind kind)
{
    mls_suggestion nearest = mls_suggest_for(mls_str_from(entry->name));
    const size_t digits = strcspn(entry->name, "0123456789");
    const size_t digit_count = strspn(entry->name + digits, "0123456789");
    char numbered[40]; /* the name of a log or power file with the same number */
    for (size_t i = 0; i < PLACES; i++) {
        if (!is_place(walk, i, kind))
            continue;
        if (places[i].entry == ENTRY_LOG && digit_count > 0) {
            (void)mls_text_printf(numbered, sizeof numbered, "result_%.*s.txt",
                                  (int)(digit_count < 20 ? digit_count : 20), entry->name + digits);
            mls_suggest_add(&nearest, mls_str_from(numbered));
        }
        if (places[i].entry != ENTRY_USELESS_PARAMS && places[i].entry != ENTRY_SCALING &&
            strpbrk(places[i].name, "*#") == NULL)
            mls_suggest_add(&nearest, mls_str_from(places[i].name));
        if (places[i].entry == ENTRY_PARAMS) {
            mls_suggest_add(&nearest, MLS_S("rcp-bypass"));
            mls_suggest_add(&nearest, MLS_S("seed-checker-bypass"));
        }
    }
    const bool bypass = mls_str_ends(nearest.found, MLS_S("bypass"));
    const mls_str suggestion = bypass ? MLS_S(PARAMS_NAME) : nearest.found;
    char head[8]; /* the first bytes, which identify an archive */
    const int fd = entry->kind == MLS_WALK_FILE && !leaves(entry) ? mls_file_open(entry->path, false, NULL) : -1;
    const ssize_t len = fd >= 0 ? read(fd, head, sizeof head) : 0;
    const char *packed = len > 0 ? mls_file_magic_words((mls_str){head, (size_t)len}) : NULL;
    if (fd >= 0)
        (void)close(fd);
    mls_findings_add(walk->here, MLS_FINDING_STRAY_FILE, walk->place, "%s does not belong in %s%s%s%s%.*s%s",
                     kind == KIND_FOLDER ? "a folder of this name" : "this file", closed_folders[walk->in],
                     packed != NULL ? ": " : "", packed != NULL ? packed : "",
                     suggestion.len > 0 ? "; did you mean '" : "", (int)suggestion.len, suggestion.ptr,
                     suggestion.len > 0 ? "'?" : "");
}

/* Report a folder next to those of a submission whose name is nearly that of a missing one, such as "Results". */
static void report_misnamed(tree_walk *walk, const mls_walk_entry *entry)
{
    static const mls_str wanted[] = {MLS_STR("results"), MLS_STR("systems")};
    mls_suggestion nearest = mls_suggest_for(mls_str_from(entry->name));
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        mls_suggest_add(&nearest, wanted[i]);
    const mls_str path = {entry->below, strlen(entry->below) - strlen(entry->name)};
    if (nearest.found.len > 0 && !mls_tree_has_folder(walk->submission->real, path, nearest.found.ptr)) {
        mls_findings_add(walk->here, MLS_FINDING_STRAY_FILE, walk->place,
                         "the folder '%s' is missing; did you mean this one?", nearest.found.ptr);
    }
}

/* Check the name and size of a file or folder anywhere in the tree.  Violations that only the repository
 * checker rejects are errors if `as_repo` is set, else advice. */
static void check_hygiene(tree_walk *walk, const mls_walk_entry *entry)
{
    const mls_severity repo = walk->submission->options.as_repo ? MLS_SEVERITY_ERROR : MLS_SEVERITY_ADVICE;
    mls_findings *findings = walk->here;
    const mls_finding_place place = walk->place;
    if (entry->kind == MLS_WALK_LOST) {
        mls_findings_add_as(findings, MLS_FINDING_BROKEN_LINK, repo, place, "broken link: %s",
                            strerror(entry->system_errno));
    }
    if (entry->name[0] == '.')
        mls_findings_add_as(findings, MLS_FINDING_HIDDEN_NAME, repo, place, dot_name);
    if (strchr(entry->name, ' ') != NULL)
        mls_findings_add_as(findings, MLS_FINDING_SPACE_IN_NAME, repo, place, space_name);
    if (!entry->link && entry->size > LARGE_FILE) {
        mls_findings_add_as(findings, MLS_FINDING_LARGE_FILE, repo, place, "the file has %.1f MiB",
                            (double)entry->size / 1048576.0);
    }
    if (entry->kind == MLS_WALK_SPECIAL && !leaves(entry) && closed_folders[walk->in] == NULL) {
        mls_findings_add_as(findings, MLS_FINDING_NOT_A_FILE, MLS_SEVERITY_WARNING, place,
                            "%s: an upload leaves it out", unreadable(entry));
    }
    if (leaves(entry)) {
        mls_findings_add(findings, MLS_FINDING_LINK_OUTSIDE, place,
                         "the link leads out of the submission; it was not followed");
    }
}

static mls_status visit_entry(void *state, mls_walk_entry *entry)
{
    tree_walk *walk = state;
    const mls_submission_options *options = &walk->submission->options;
    enter_place(walk, entry->role, entry);
    if (entry->kind == MLS_WALK_FAILED) {
        mls_findings_add(walk->here, MLS_FINDING_UNREADABLE, walk->place, "%s", strerror(entry->system_errno));
        return MLS_OK;
    }
    if (entry->kind == MLS_WALK_FOLDER && strcmp(entry->name, ".git") == 0) {
        mls_findings_add_as(walk->here, MLS_FINDING_GIT_FOLDER,
                            options->as_repo ? MLS_SEVERITY_ERROR : MLS_SEVERITY_ADVICE, walk->place,
                            "its contents were not checked");
        entry->enter = false;
        return MLS_OK;
    }
    /* Find the row of the entry, and store it unless there are too many. */
    const tree_kind kind = entry->kind == MLS_WALK_FOLDER ? KIND_FOLDER : KIND_FILE;
    const bool left = kind == KIND_FOLDER && leaves(entry) && walk->in != ROLE_RESULT;
    size_t row = 0;
    walk->role = ROLE_OTHER;
    /* As in a shell, '*' at the start of a file's name does not match a dot. */
    while (row < PLACES && !(is_place(walk, row, kind) && mls_name_matches(entry->name, places[row].name) &&
                             !(kind == KIND_FILE && places[row].name[0] == '*' && entry->name[0] == '.')))
        row++;
    if (left && row < PLACES && (walk->in == ROLE_SUBMITTER || closed_folders[walk->in] != NULL)) {
        /* Report results outside the tree: they are not judged, so the submission must not count as valid. */
        mls_findings_add(walk->here, MLS_FINDING_NOT_A_FILE, walk->place,
                         "the folder is a link out of the submission; its contents were not checked");
    } else if (!left && row < PLACES) {
        const size_t max = places[row].max;
        const size_t count = ++walk->counts[row];
        if (max > 0 && count == max + 1) {
            mls_findings_add_as(&walk->submission->findings, MLS_FINDING_TREE_LIMIT,
                                places[row].entry == ENTRY_CONFIG ? MLS_SEVERITY_ADVICE : MLS_SEVERITY_ERROR,
                                walk->place, "more than %zu of this kind; the others were not checked", max);
        }
        if (max == 0 || count <= max) {
            walk->role = places[row].role;
            store_entry(walk, entry, places[row].entry);
        }
    } else if (!left && closed_folders[walk->in] != NULL) {
        report_stray(walk, entry, kind);
    } else if (!left && walk->in == ROLE_SUBMITTER && kind == KIND_FOLDER) {
        report_misnamed(walk, entry);
    }
    check_hygiene(walk, entry);
    /* Add the file to the files that are searched for secrets.  If only some results are judged, search only the files
     * of these results. */
    if (entry->kind == MLS_WALK_FILE && !leaves(entry) && walk->owner != OWNER_NOBODY &&
        ((options->system == NULL && options->benchmark == NULL) ||
         (walk->owner == OWNER_RESULT && mls_is_wanted(options->system, walk->system->name) &&
          mls_is_wanted(options->benchmark, walk->result->benchmark)))) {
        MLS_ARENA_ADD(walk->submission->arena, &walk->submitter->files, file_of(walk, entry));
        mls_submission_run *last = walk->in == ROLE_RESULT && walk->result->run_count > 0
                                       ? &walk->result->runs[walk->result->run_count - 1]
                                       : NULL;
        if (last != NULL && strcmp(last->file.path, entry->below) == 0)
            last->searched = walk->submitter->files.count;
    }
    /* In folders that may contain anything, do not enter links: their targets in the tree are listed at their own
     * place. */
    const bool anywhere = walk->role == ROLE_OTHER || walk->role == ROLE_IMPLEMENTATION;
    entry->enter = !leaves(entry) && !(entry->link && anywhere);
    entry->inner = (int)walk->owner * OWNER_UNIT + (int)walk->role;
    if (entry->too_deep) {
        mls_findings_add(walk->here, MLS_FINDING_TREE_LIMIT, walk->place,
                         "folders nested deeper than %d levels were not checked", DEPTH_MAX);
    }
    return MLS_OK;
}

static int compare_caseless(const void *left, const void *right)
{
    const char *a = *(const char *const *)left;
    const char *b = *(const char *const *)right;
    const int order = strcasecmp(a, b);
    return order != 0 ? order : strcmp(a, b);
}

static mls_status visit_names(void *state, const mls_walk_entry *folder, const mls_names *names, int system_errno)
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
    /* Report names that differ only in ASCII case. */
    const char **sorted = mls_calloc(names->count + 1, sizeof *sorted);
    for (size_t i = 0; i < names->count; i++)
        sorted[i] = names->items[i];
    qsort((void *)sorted, names->count, sizeof *sorted, compare_caseless);
    for (size_t i = 1; i < names->count; i++) {
        if (strcasecmp(sorted[i - 1], sorted[i]) == 0) {
            char *path = mls_path_join(folder->below, sorted[i]);
            mls_findings_add(walk->here, MLS_FINDING_CASE_DIFFERS, (mls_finding_place){.path = path},
                             "the name differs from '%.*s' only in case", MLS_CUT_TEXT(sorted[i - 1], 80));
            free(path);
        }
    }
    free((void *)sorted);
    return MLS_OK;
}

/* ------------------------------------------------------------------------------------------------- names and files */

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

bool mls_tree_has_folder(const char *root, mls_str path, const char *name)
{
    char whole[PATH_MAX];
    struct stat about;
    const int len = snprintf(whole, sizeof whole, "%s/%.*s/%s", root, (int)path.len, path.ptr, name);
    return len > 0 && (size_t)len < sizeof whole && stat(whole, &about) == 0 && S_ISDIR(about.st_mode);
}

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
