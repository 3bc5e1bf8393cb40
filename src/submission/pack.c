/* SPDX-License-Identifier: Apache-2.0 */
/* pack.c - create a result from log directories: choose runs, write their logs to a temporary folder, verify that
 * folder, and move the result to its final place in one step. */
#include "submission/pack.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/number.h"
#include "base/statistics.h"
#include "base/temporary.h"
#include "base/utf8.h"
#include "base/words.h"
#include "score/score.h"
#include "submission/judge.h"
#include "json/dump.h"
#include "json/json_row.h"
#include "json/value.h"

enum { PACK_NAME_MAX = 100, NAMES_MAX = 1000000, CODE_DEPTH_MAX = 64 };

typedef struct packing {
    const mls_collection *collection;
    const mls_pack_options *options;
    mls_pack *pack;
    const char *folder; /* parent of the result's folder, relative to the submission */
    const char *name;   /* name of the temporary folder; its last six bytes are replaced to make it unique */
    char *tree;         /* path of the temporary folder */
    mls_names inside;   /* files and folders created in the temporary folder */
    mls_names placed;   /* files and folders created in the submission */
    mls_error *error;
} packing;

typedef mls_status pack_step(packing *self);
static pack_step choose_group, choose_runs, find_room, make_tree, copy_logs, write_description, add_code;
static pack_step judge_packed, check_whole, scrub_packed, place_packed;
static void undo(mls_names *made);

mls_status mls_pack_make(const mls_collection *collection, const mls_pack_options *options, mls_pack *pack,
                         mls_error *error)
{
    *pack = (mls_pack){.arena = mls_calloc(1, sizeof *pack->arena)};
    packing self = {.collection = collection, .options = options, .pack = pack, .error = error};
    pack_step *const steps[] = {choose_group,      choose_runs, find_room,    make_tree,   copy_logs,
                                write_description, add_code,    judge_packed, check_whole, scrub_packed};
    mls_status status = MLS_OK;
    for (size_t i = 0; i < sizeof steps / sizeof *steps && status == MLS_OK; i++)
        status = steps[i](&self);
    if (status == MLS_OK && (pack->valid || options->force) && options->write) {
        sigset_t signals;
        mls_temporary_hold(&signals); /* block signals: one could leave a description without its result */
        status = place_packed(&self);
        pack->written = status == MLS_OK;
        mls_temporary_let_go(&signals);
    }
    undo(&self.inside);
    if (self.tree != NULL)
        mls_temporary_forget(self.tree);
    if (pack->written)
        mls_names_release(&self.placed);
    else
        undo(&self.placed);
    free(self.tree);
    return status;
}

void mls_pack_release(mls_pack *pack)
{
    mls_submission_release(&pack->judged);
    mls_findings_release(&pack->findings);
    mls_arena_free(pack->arena);
    *pack = (mls_pack){0};
}

static mls_status fail(const packing *self, mls_status status, const char *path, const char *reason)
{
    return mls_error_set(self->error, status, 0, 0, "%.*s: %s", MLS_CUT_TEXT(path, 200), reason);
}

static const char *join(const packing *self, const char *folder, const char *name)
{
    char *path = mls_path_join(folder, name);
    const char *copy = mls_arena_copy(self->pack->arena, mls_str_from(path)).ptr;
    free(path);
    return copy;
}

/* ------------------------------------------------------------------------------- create and undo files and folders */

static mls_status cannot_make(const packing *self, const char *path, int system_errno)
{
    return mls_error_set(self->error, MLS_ERROR_WRITE, 0, 0, "%.*s: cannot be created: %s", MLS_CUT_TEXT(path, 200),
                         strerror(system_errno));
}

/* Create a folder and its parents, and add the new ones to `made`. */
static mls_status make_folder(const packing *self, mls_names *made, const char *path)
{
    struct stat about;
    if (stat(path, &about) == 0 && S_ISDIR(about.st_mode))
        return MLS_OK;
    mls_str above = mls_path_folder(mls_str_from(path));
    above.len -= above.len > 1;
    if (above.len > 0) {
        const mls_status status = make_folder(self, made, mls_arena_copy(self->pack->arena, above).ptr);
        if (status != MLS_OK)
            return status;
    }
    if (mkdir(path, 0777) != 0)
        return cannot_make(self, path, errno);
    mls_names_add(made, mls_str_from(path));
    return MLS_OK;
}

static mls_status make_inside(packing *self, const char *folder)
{
    return make_folder(self, &self->inside, join(self, self->tree, folder));
}

/* Write a new file and sync it to disk.  Fail if it exists. */
static mls_status write_file(packing *self, const char *path, mode_t mode, mls_str text)
{
    const int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode);
    int failed = fd < 0 ? errno : 0;
    if (fd >= 0)
        mls_names_add(&self->inside, mls_str_from(path));
    while (failed == 0 && text.len > 0) {
        const ssize_t wrote = write(fd, text.ptr, text.len);
        failed = wrote < 0 && errno != EINTR ? errno : 0;
        text.ptr += wrote > 0 ? wrote : 0;
        text.len -= wrote > 0 ? (size_t)wrote : 0;
    }
    failed = failed == 0 && fsync(fd) != 0 ? errno : failed;
    if (fd >= 0 && close(fd) != 0 && failed == 0)
        failed = errno;
    return failed != 0 ? cannot_make(self, path, failed) : MLS_OK;
}

static mls_status write_inside(packing *self, const char *file, mode_t mode, mls_str text)
{
    return write_file(self, join(self, self->tree, file), mode, text);
}

static mls_status sync_folder(const packing *self, const char *folder)
{
    const int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const int failed = fd < 0 || fsync(fd) != 0 ? errno : 0;
    if (fd >= 0)
        (void)close(fd);
    return failed != 0 && failed != EINVAL ? cannot_make(self, folder, failed) : MLS_OK;
}

/* Remove all files and folders in `made`, the newest first, and empty the list. */
static void undo(mls_names *made)
{
    for (size_t i = made->count; i > 0; i--)
        (void)remove(made->items[i - 1]);
    mls_names_release(made);
}

/* ---------------------------------------------------------------------------------------------------- what to pack */

/* Return whether a name is allowed in a submission; otherwise set an error that names the rule. */
static bool is_pack_name(const char *what, const char *name, mls_error *error)
{
    bool good = *name != '\0' && *name != '.' && strlen(name) <= PACK_NAME_MAX;
    for (const char *at = name; *at != '\0'; at++)
        good = good && (unsigned char)*at > ' ' && *at != '/' && *at != 0x7f;
    if (!good) {
        (void)mls_error_set(error, MLS_ERROR_UNKNOWN, 0, 0,
                            "the %s '%.*s' cannot be a folder name in a submission: expected 1 to %d bytes without "
                            "slashes, spaces, control characters or a leading dot",
                            what, MLS_CUT_TEXT(name, 60), PACK_NAME_MAX);
    }
    return good;
}

static const char *shown_name(const char *name)
{
    return name != NULL ? name : "?";
}

/* Find the one group that the options select.  Set the paths of the result, of its description, of the code (named like
 * its source folder), and of the temporary folder. */
static mls_status choose_group(packing *self)
{
    const mls_collection *collection = self->collection;
    const char *config = self->options->config;
    const double batch = (double)self->options->batch;
    const mls_group *other = NULL;
    mls_pack *pack = self->pack;
    for (size_t i = 0; i < collection->group_count; i++) {
        const mls_group *group = &collection->groups[i];
        if ((config == NULL || (group->config != NULL && strcmp(group->config, config) == 0)) &&
            (batch == 0 || mls_compare_doubles(group->global_batch_size, batch) == 0)) {
            other = pack->group != NULL && other == NULL ? group : other;
            pack->group = pack->group != NULL ? pack->group : group;
        }
    }
    if (pack->group == NULL) {
        return mls_error_set(self->error, MLS_ERROR_UNKNOWN, 0, 0, "no runs found%s%.*s%s",
                             config != NULL ? " of the config " : "", MLS_CUT_TEXT(config != NULL ? config : "", 80),
                             batch > 0 ? " of this batch size" : "");
    }
    if (other != NULL) {
        return mls_error_set(
            self->error, MLS_ERROR_UNKNOWN, 0, 0,
            "there is more than one group: %.*s, config %.*s, batch %s in %.*s, and %.*s, config %.*s, batch %s in "
            "%.*s; select one by folder, --config or --batch",
            MLS_CUT_TEXT(shown_name(pack->group->benchmark), 24), MLS_CUT_TEXT(shown_name(pack->group->config), 32),
            mls_words_exact(pack->group->global_batch_size).text, MLS_CUT_TEXT(mls_path_name(pack->group->path), 40),
            MLS_CUT_TEXT(shown_name(other->benchmark), 24), MLS_CUT_TEXT(shown_name(other->config), 32),
            mls_words_exact(other->global_batch_size).text, MLS_CUT_TEXT(mls_path_name(other->path), 40));
    }
    if (pack->group->benchmark == NULL ||
        !mls_names_alike(mls_str_from(pack->group->benchmark), mls_str_from(self->options->benchmark))) {
        return mls_error_set(self->error, MLS_ERROR_VALUE, 0, 0, "the logs are of %.*s, not of %.*s",
                             MLS_CUT_TEXT(pack->group->benchmark != NULL ? pack->group->benchmark : "no benchmark", 60),
                             MLS_CUT_TEXT(self->options->benchmark, 60));
    }
    const mls_pack_options *options = self->options;
    const mls_group *group = pack->group;
    if (!is_pack_name("system", options->system, self->error) ||
        !is_pack_name("benchmark", group->benchmark, self->error))
        return MLS_ERROR_UNKNOWN;
    pack->weak = group->usage == MLS_USAGE_HPC && (options->weak || mls_path_is_weak(group->usage, group->path));
    pack->title = options->system;
    pack->system = mls_arena_printf(pack->arena, "systems/%s.json", options->system);
    self->folder = mls_arena_printf(pack->arena, "results/%s%s", options->system,
                                    group->usage != MLS_USAGE_HPC ? ""
                                    : pack->weak                  ? "/weak"
                                                                  : "/strong");
    pack->path = mls_arena_printf(pack->arena, "%s/%s", self->folder, group->benchmark);
    self->name = mls_arena_printf(pack->arena, ".%s.XXXXXX", group->benchmark);
    if (options->implementation == NULL)
        return MLS_OK;
    char *real = realpath(options->implementation, NULL);
    mls_status status = MLS_OK;
    struct stat about;
    if (real == NULL || stat(real, &about) != 0 || !S_ISDIR(about.st_mode)) {
        status =
            fail(self, MLS_ERROR_READ, options->implementation, real == NULL ? strerror(errno) : "is not a folder");
    } else if (is_pack_name("implementation", mls_path_name(real), self->error)) {
        pack->implementation =
            mls_arena_printf(pack->arena, "benchmarks/%s/implementations/%s", group->benchmark, mls_path_name(real));
    } else {
        status = MLS_ERROR_UNKNOWN;
    }
    free(real);
    return status;
}

static int compare_started(const void *left, const void *right)
{
    const mls_run *a = *(const mls_run *const *)left;
    const mls_run *b = *(const mls_run *const *)right;
    const double starts[] = {a->run_start.time_ms, b->run_start.time_ms};
    const int known = (int)isnan(starts[0]) - (int)isnan(starts[1]);
    const int order = known != 0 ? known : (starts[0] > starts[1]) - (starts[0] < starts[1]);
    return order != 0 ? order : mls_str_compare_natural(mls_str_from(a->file), mls_str_from(b->file));
}

/* Choose the runs by the rules, sort them by start, and name their files. */
static mls_status choose_runs(packing *self)
{
    mls_pack *pack = self->pack;
    const mls_group *group = pack->group;
    const char *refused = NULL;
    mls_olympic_outcome outcome = group->score.outcome;
    if (pack->weak) /* weak scaling: any number of models is allowed, from the minimum up */
        outcome = group->run_count < group->rules->runs_needed ? MLS_OLYMPIC_TOO_FEW_RUNS : MLS_OLYMPIC_SCORED;
    switch (outcome) {
    case MLS_OLYMPIC_SCORED:
        break;
    case MLS_OLYMPIC_TOO_FEW_RUNS:
        if (!self->options->incomplete)
            refused = "fewer than a result requires (--incomplete packs them anyway)";
        break;
    case MLS_OLYMPIC_TOO_MANY_DROPPED:
        if (!self->options->force || group->score.dropped >= group->run_count)
            refused = "more of them are invalid than the rules allow";
        break;
    case MLS_OLYMPIC_NO_WINDOW:
        refused = "more than a result requires, and most windows of that size have too many invalid runs";
        break;
    case MLS_OLYMPIC_TOO_MANY_RUNS:
    case MLS_OLYMPIC_NOTHING_LEFT:
        refused = "none of them is valid";
        break;
    }
    if (refused != NULL) {
        return mls_error_set(self->error, MLS_ERROR_VALUE, 0, 0, "%s of %.*s: %s",
                             mls_words_plural(group->run_count, "run", "runs").text, MLS_CUT_TEXT(group->benchmark, 60),
                             refused);
    }
    const mls_run **chosen = mls_arena_array(pack->arena, group->run_count, sizeof *chosen);
    pack->left_out = mls_arena_array(pack->arena, group->run_count, sizeof *pack->left_out);
    pack->files = mls_arena_array(pack->arena, group->run_count, sizeof *pack->files);
    for (size_t i = 0; i < group->run_count; i++)
        if (group->marks[i] == MLS_OLYMPIC_OUTSIDE && !pack->weak)
            pack->left_out[pack->left_out_count++] = group->runs[i];
        else
            chosen[pack->file_count++] = group->runs[i];
    qsort((void *)chosen, pack->file_count, sizeof *chosen, compare_started);
    qsort((void *)pack->left_out, pack->left_out_count, sizeof *pack->left_out, compare_started);
    for (size_t i = 0; i < pack->file_count; i++) {
        const mls_run *run = chosen[i];
        if (run->part && !self->options->cut) {
            return fail(self, MLS_ERROR_VALUE, run->file,
                        "contains other runs too, and a result needs a separate log (--cut writes only the lines of "
                        "this run)");
        }
        pack->files[i] = (mls_pack_file){.run = run,
                                         .file = mls_arena_printf(pack->arena, "%s/result_%zu.txt", pack->path, i),
                                         .first_line = run->part ? run->line : 0,
                                         .last_line = run->part ? run->last_line : 0};
    }
    return MLS_OK;
}

/* Check that no existing file would be overwritten, and that no folder on the path is a link, so that all files stay in
 * the submission.  Called before any log is read. */
static mls_status check_room(const packing *self, const char *below, bool fresh)
{
    struct stat about;
    mls_status status = MLS_OK;
    const char *path = join(self, self->options->into, below);
    if (fresh && lstat(path, &about) == 0)
        status = fail(self, MLS_ERROR_VALUE, path, "exists already and is not overwritten");
    for (const char *end = strchr(below, '/'); end != NULL && status == MLS_OK; end = strchr(end + 1, '/')) {
        const mls_str part = {below, (size_t)(end - below)};
        path = join(self, self->options->into, mls_arena_copy(self->pack->arena, part).ptr);
        if (lstat(path, &about) == 0 && S_ISLNK(about.st_mode))
            status = fail(self, MLS_ERROR_VALUE, path, "is a link; replace it by a folder to pack there");
    }
    return status;
}

static mls_status find_room(packing *self)
{
    mls_pack *pack = self->pack;
    mls_names names = {0};
    int system_errno;
    mls_status status = check_room(self, pack->path, true);
    status = status == MLS_OK ? check_room(self, pack->system, false) : status;
    if (status == MLS_OK && pack->implementation != NULL)
        status = check_room(self, pack->implementation, true);
    if (status == MLS_OK)
        mls_folder_names(join(self, self->options->into, self->folder), NAMES_MAX, &names, &system_errno);
    const mls_str like = mls_str_from(self->name);
    for (size_t i = 0; i < names.count && status == MLS_OK; i++) {
        const mls_str name = mls_str_from(names.items[i]);
        if (name.len == like.len && mls_str_starts(name, (mls_str){like.ptr, like.len - strlen("XXXXXX")}))
            MLS_ARENA_ADD(pack->arena, &pack->rests, join(self, self->folder, names.items[i]));
    }
    mls_names_release(&names);
    return status;
}

/* Create the temporary folder: next to the final place or, if options->write is not set, in TMPDIR. */
static mls_status make_tree(packing *self)
{
    const char *temporary = getenv("TMPDIR");
    const char *above = self->options->write                      ? join(self, self->options->into, self->folder)
                        : temporary != NULL && *temporary != '\0' ? temporary
                                                                  : "/tmp";
    sigset_t signals;
    mls_temporary_hold(&signals);
    mls_status status = self->options->write ? make_folder(self, &self->placed, above) : MLS_OK;
    for (size_t i = 0; i < self->placed.count; i++)
        mls_temporary_empty_folder(self->placed.items[i]);
    self->tree = mls_path_join(above, self->name);
    if (status == MLS_OK && !mls_temporary_folder(self->tree))
        status = cannot_make(self, self->tree, errno);
    else if (status == MLS_OK)
        mls_names_add(&self->inside, mls_str_from(self->tree));
    mls_temporary_let_go(&signals);
    return status;
}

/* -------------------------------------------------------------------------------------------- logs and power files */

/* Read a whole source file.  Fail if the file changes while it is read. */
static mls_status read_unchanged(const packing *self, const char *source, size_t root, mls_buffer *text)
{
    mls_error reading = {0};
    struct stat before = {0};
    struct stat after = {0};
    (void)stat(source, &before);
    const mls_status status = mls_file_read_again(source, root, MLS_LOG_BYTES_MAX, text, &reading);
    const bool same = stat(source, &after) == 0 && before.st_size == after.st_size &&
                      before.st_mtim.tv_sec == after.st_mtim.tv_sec && before.st_mtim.tv_nsec == after.st_mtim.tv_nsec;
    return status != MLS_OK ? fail(self, MLS_ERROR_READ, source, reading.message)
           : !same          ? fail(self, MLS_ERROR_READ, source, "changed meanwhile")
                            : MLS_OK;
}

/* Copy a file, following links.  Fail if it changes while it is read. */
static mls_status copy_file(packing *self, const char *source, const char *file)
{
    mls_buffer text = {0};
    mls_status status = read_unchanged(self, source, 0, &text);
    status = status == MLS_OK ? write_inside(self, file, 0666, mls_buffer_str(&text)) : status;
    mls_buffer_release(&text);
    return status;
}

/* Copy the power files of a run from the folder power/result_<i> next to its log to the folder with the run's new
 * number. Do not follow links, because their target may be any file. */
static mls_status copy_power(packing *self, size_t number)
{
    static const char linked[] = "is a link, which is not followed: copy its target here";
    const mls_pack *pack = self->pack;
    const char *log = pack->files[number].run->file;
    const mls_str folder = mls_path_folder(mls_str_from(log));
    const char *to = mls_arena_printf(pack->arena, "%s/power/result_%zu", pack->path, number);
    const char *from = mls_arena_printf(pack->arena, "%.*spower", (int)folder.len, folder.ptr);
    mls_names names = {0};
    struct stat about;
    int system_errno;
    if (lstat(from, &about) != 0 || !S_ISLNK(about.st_mode)) {
        const mls_str name = mls_str_from(mls_path_name(log));
        from = mls_arena_printf(pack->arena, "%s/%.*s", from, (int)(name.len - strlen(".txt")), name.ptr);
    }
    mls_status status = MLS_OK;
    if (lstat(from, &about) == 0 && S_ISLNK(about.st_mode))
        status = fail(self, MLS_ERROR_VALUE, from, linked);
    else
        mls_folder_names(from, 100000, &names, &system_errno);
    if (names.count > 0 && status == MLS_OK)
        status = make_inside(self, to);
    for (size_t i = 0; i < names.count && status == MLS_OK; i++) {
        const char *source = join(self, from, names.items[i]);
        if (lstat(source, &about) == 0 && !S_ISREG(about.st_mode)) {
            status = fail(self, MLS_ERROR_VALUE, source, S_ISLNK(about.st_mode) ? linked : "is not a file");
        } else if (!mls_name_matches(names.items[i], "node_#.txt") && !mls_name_matches(names.items[i], "sw_#.txt")) {
            /* Reject other names, because they may contain host names. */
            status = fail(self, MLS_ERROR_VALUE, source,
                          "is not a power file name: expected node_0.txt, node_1.txt, … or sw_0.txt, …");
        } else {
            status = copy_file(self, source, join(self, to, names.items[i]));
        }
    }
    mls_names_release(&names);
    return status;
}

/* Copy the logs of the chosen runs, or the part of each log that belongs to its run, and their power files. */
static mls_status copy_logs(packing *self)
{
    const mls_pack *pack = self->pack;
    mls_status status = make_inside(self, pack->path);
    for (size_t i = 0; i < pack->file_count && status == MLS_OK; i++) {
        mls_pack_file *file = &pack->files[i];
        const mls_run *run = file->run;
        mls_buffer text = {0};
        status = read_unchanged(self, run->file, run->root, &text);
        mls_str kept = mls_buffer_str(&text);
        file->bytes = kept.len;
        if (status == MLS_OK) {
            mls_digest(kept, file->source);
            if (run->digest != NULL && strcmp(run->digest, file->source) != 0)
                status = fail(self, MLS_ERROR_READ, run->file, "changed meanwhile");
        }
        if (file->first_line > 0) {
            /* Cut out the lines of the run.  As in the log reader, a single carriage return ends a line. */
            size_t line = 1;
            size_t begin = file->first_line <= 1 ? 0 : kept.len;
            size_t end = kept.len;
            for (size_t at = 0; at < kept.len && line <= file->last_line; at++) {
                const bool ends =
                    kept.ptr[at] == '\n' || (kept.ptr[at] == '\r' && (at + 1 == kept.len || kept.ptr[at + 1] != '\n'));
                line += ends;
                begin = ends && line == file->first_line ? at + 1 : begin;
                end = ends && line == file->last_line + 1 ? at + 1 : end;
            }
            kept = (mls_str){kept.ptr + begin, end - begin};
        }
        status = status == MLS_OK ? write_inside(self, file->file, 0666, kept) : status;
        mls_buffer_release(&text);
        status = status == MLS_OK && run->result ? copy_power(self, i) : status;
    }
    return status;
}

/* ------------------------------------------------------------------------------------------------------------ code */

/* Copy a file, a link, or a folder with its contents from the code.  Copy a link as a link. */
static mls_status copy_code(packing *self, const char *from, const char *to, unsigned depth)
{
    struct stat about;
    if (lstat(from, &about) != 0)
        return fail(self, MLS_ERROR_READ, from, strerror(errno));
    if (S_ISLNK(about.st_mode)) {
        char target[PATH_MAX];
        const char *path = join(self, self->tree, to);
        const ssize_t len = readlink(from, target, sizeof target - 1);
        if (len <= 0)
            return fail(self, MLS_ERROR_READ, from, strerror(errno));
        target[len] = '\0';
        if (symlink(target, path) != 0)
            return cannot_make(self, path, errno);
        mls_names_add(&self->inside, mls_str_from(path));
        return MLS_OK;
    }
    if (S_ISREG(about.st_mode)) {
        mls_error reading = {0};
        mls_buffer text = {0};
        mls_status status = mls_file_read_bytes(from, MLS_LOG_BYTES_MAX, &text, &reading);
        status = status == MLS_OK ? write_inside(self, to, about.st_mode & 0777, mls_buffer_str(&text))
                                  : fail(self, MLS_ERROR_READ, from, reading.message);
        mls_buffer_release(&text);
        return status;
    }
    if (!S_ISDIR(about.st_mode)) {
        return mls_error_set(self->error, MLS_ERROR_VALUE, 0, 0, "%.*s: is a %s, which a submission cannot contain",
                             MLS_CUT_TEXT(from, 150), mls_file_kind_words(about.st_mode));
    }
    mls_names names = {0};
    int system_errno = 0;
    mls_status status =
        depth < CODE_DEPTH_MAX ? make_inside(self, to) : fail(self, MLS_ERROR_READ, from, "folders nested too deeply");
    if (status == MLS_OK)
        mls_folder_names(from, NAMES_MAX, &names, &system_errno);
    status = status == MLS_OK && system_errno != 0 ? fail(self, MLS_ERROR_READ, from, strerror(system_errno)) : status;
    for (size_t i = 0; i < names.count && status == MLS_OK; i++)
        status = copy_code(self, join(self, from, names.items[i]), join(self, to, names.items[i]), depth + 1);
    mls_names_release(&names);
    return status;
}

/* Copy the folder of code.  If no code is given and the submission has an implementation of the benchmark, create a
 * placeholder for it, because verify requires code. */
static mls_status add_code(packing *self)
{
    mls_pack *pack = self->pack;
    if (pack->implementation != NULL)
        return copy_code(self, self->options->implementation, pack->implementation, 0);
    mls_names names = {0};
    int ignored;
    const char *folder = mls_arena_printf(pack->arena, "benchmarks/%s/implementations", pack->group->benchmark);
    const char *existing = join(self, self->options->into, folder);
    mls_status status = MLS_OK;
    mls_folder_names(existing, 1000, &names, &ignored);
    bool has = false;
    for (size_t i = 0; i < names.count && !has; i++) {
        struct stat about;
        has = names.items[i][0] != '.' && stat(join(self, existing, names.items[i]), &about) == 0 &&
              S_ISDIR(about.st_mode);
    }
    if (has) {
        const char *placeholder = join(self, folder, "there");
        status = make_inside(self, placeholder);
        if (status == MLS_OK)
            status = write_inside(self, join(self, placeholder, "README.md"), 0666, MLS_S("The submission has it.\n"));
    }
    mls_names_release(&names);
    return status;
}

/* ------------------------------------------------------------------------------------------------- the description */

/* Return the value of a field of a JSON object if it is a number or a text that is not empty, else an empty text. */
static mls_str plain_member(mls_str object, mls_str field)
{
    mls_str span = {0};
    const bool has = object.len > 0 && mls_json_member(object, field, &span);
    const mls_json_kind kind = has ? mls_json_kind_of(span) : MLS_JSON_NULL;
    return (kind == MLS_JSON_STRING && span.len > 2) || kind == MLS_JSON_NUMBER ? span : (mls_str){0};
}

/* Return a JSON object with the given pairs of names and texts.  A NULL text is written as an empty text. */
static mls_str object_of(mls_arena *arena, const char *const members[][2], size_t count)
{
    mls_buffer json = {0};
    for (size_t i = 0; i < count; i++) {
        mls_buffer_printf(&json, "%s\"%s\": ", i > 0 ? ", " : "{", members[i][0]);
        mls_json_text_append(&json, mls_str_from(members[i][1]));
    }
    mls_buffer_append_text(&json, "}");
    const size_t len = json.len;
    mls_buffer_append_repeated(&json, '\0', MLS_JSON_PADDING);
    const mls_str object = {mls_arena_copy(arena, mls_buffer_str(&json)).ptr, len};
    mls_buffer_release(&json);
    return object;
}

/* Append a description of the system with all required fields that are known.  A field is taken from
 * options->described, else from the description that all runs log alike, else from the config's name and the options,
 * else from the records of the runs.  If a field is unknown, or runs disagree (which adds a finding), it is empty and
 * listed in pack->lacks.  Return MLS_ERROR_SYNTAX for a description that is not JSON. */
static mls_status describe(const packing *self, mls_buffer *text)
{
    mls_pack *pack = self->pack;
    const mls_group *group = pack->group;
    const size_t runs = group->run_count;
    const mls_config_name shape = mls_group_shape(group);
    const mls_str described = self->options->described;
    mls_arena arena = {0};
    mls_description says;
    mls_str *sources = mls_arena_zeroed(&arena, 2 * runs + 2,
                                        sizeof *sources); /* JSON objects; an empty text if a source is missing */
    mls_str *logged = &sources[1];
    mls_str *known = &sources[1 + runs];
    mls_str *records = &sources[2 + runs];
    size_t wrong = 0;
    cJSON *rules = NULL;
    mls_status status = MLS_OK;
    const char *reason =
        described.len > 0 ? mls_description_read(described, &arena, &arena, &says, &sources[0], &wrong) : NULL;
    if (reason != NULL) {
        mls_error place = {0};
        mls_text_position(described, wrong, &place.line, &place.column);
        status = mls_error_set(self->error, MLS_ERROR_SYNTAX, place.line, place.column, "not JSON: %s", reason);
    }
    status = status == MLS_OK ? mls_json_data("systems.json", &rules, self->error) : status;
    const cJSON *entries = cJSON_GetObjectItem(rules, "entries");
    const cJSON *required = cJSON_GetObjectItem(cJSON_GetArrayItem(entries, 0), "required");
    const cJSON *statuses =
        cJSON_GetObjectItem(cJSON_GetArrayItem(entries, cJSON_GetArraySize(entries) - 1), "statuses");
    const cJSON *field;
    const mls_words nodes = mls_words_exact((double)shape.nodes);
    const mls_words per_node = mls_words_exact((double)shape.gpus_per_node);
    const char *const of_config[][2] = {{"division", mls_division_name(group->division)},
                                        {"system_name", self->options->system},
                                        {"number_of_nodes", shape.nodes > 0 ? nodes.text : NULL},
                                        {"accelerators_per_node", shape.gpus_per_node > 0 ? per_node.text : NULL}};
    *known = object_of(&arena, of_config, sizeof of_config / sizeof *of_config);
    for (size_t i = 0; i < runs; i++) {
        const mls_run *run = group->runs[i];
        const mls_str logs = mls_str_from(run->job.system);
        if (logs.len > 0 && mls_description_read(logs, &arena, &arena, &says, &logged[i], &wrong) != NULL)
            logged[i] = (mls_str){0};
        const mls_words count = mls_words_exact(run->job.node_count);
        const char *allowed = NULL; /* the value of the field `status`, if it is allowed in descriptions */
        cJSON_ArrayForEach(field, statuses)
        {
            if (run->submission_status != NULL && strcmp(run->submission_status, field->valuestring) == 0)
                allowed = run->submission_status;
        }
        const char *const of_run[][2] = {{"submitter", run->organisation},
                                         {"status", allowed},
                                         {"number_of_nodes", isnan(run->job.node_count) ? NULL : count.text}};
        records[i] = object_of(&arena, of_run, sizeof of_run / sizeof *of_run);
    }
    const char *before = "{\n";
    cJSON_ArrayForEach(field, required)
    {
        const mls_str name = mls_str_from(field->valuestring);
        mls_str value = {0};
        size_t first = 0; /* index of the source that contains the value */
        bool disagree = false;
        for (size_t i = 0; i < 2 * runs + 2 && !disagree; i++) {
            if (value.len > 0 && (&sources[i] == logged || &sources[i] == known || &sources[i] == records))
                break;
            const mls_str found = plain_member(sources[i], name);
            disagree = value.len > 0 && found.len > 0 && !mls_str_equal(found, value);
            if (disagree) {
                const size_t start = &sources[i] < known ? 1 : 2 + runs;
                mls_findings_add(&pack->findings, MLS_FINDING_SYSTEM_EMPTY, (mls_finding_place){.key = name},
                                 "%.*s stays empty: it is %.*s in %.*s, %.*s in %.*s", MLS_CUT(name, 60),
                                 MLS_CUT(value, 40), MLS_CUT_TEXT(group->runs[first - start]->file, 80),
                                 MLS_CUT(found, 40), MLS_CUT_TEXT(group->runs[i - start]->file, 80));
            } else if (value.len == 0) {
                value = found;
                first = i;
            }
        }
        value.len = disagree ? 0 : value.len;
        mls_buffer_printf(text, "%s  \"%s\": %.*s", before, name.ptr, (int)value.len, value.len > 0 ? value.ptr : "");
        before = ",\n";
        if (value.len == 0) {
            mls_buffer_append_text(text, "\"\"");
            MLS_ARENA_ADD(pack->arena, &pack->lacks, mls_arena_copy(pack->arena, name).ptr);
        }
    }
    mls_buffer_append_text(text, "\n}\n");
    cJSON_Delete(rules);
    mls_arena_release(&arena);
    return status;
}

/* Copy the existing description, or write a new one.  A person must fill in the fields that the logs do not
 * contain. */
static mls_status write_description(packing *self)
{
    mls_pack *pack = self->pack;
    struct stat about;
    const char *existing = join(self, self->options->into, pack->system);
    mls_status status = make_inside(self, "systems");
    pack->described = status == MLS_OK && lstat(existing, &about) == 0;
    if (pack->described)
        return copy_file(self, existing, pack->system);
    if (status != MLS_OK)
        return status;
    mls_buffer text = {0};
    mls_buffer list = {0};
    status = describe(self, &text);
    for (size_t i = 0; i < pack->lacks.count; i++)
        mls_buffer_printf(&list, "%s%s", i > 0 ? ", " : "", pack->lacks.items[i]);
    if (list.len > 0) {
        mls_findings_add(&pack->findings, MLS_FINDING_SYSTEM_EMPTY, (mls_finding_place){0},
                         "to be filled in, because the logs do not contain it: %s", list.ptr);
    }
    status = status == MLS_OK ? write_inside(self, pack->system, 0666, mls_buffer_str(&text)) : status;
    mls_buffer_release(&list);
    mls_buffer_release(&text);
    return status;
}

/* --------------------------------------------------------------------------------------------- judging and placing */

static mls_status judge_packed(packing *self)
{
    mls_pack *pack = self->pack;
    mls_submission_options options = self->options->judged;
    options.edition = pack->group->edition;
    options.usage = pack->group->usage;
    options.any_usage = false;
    options.drafts = !pack->described;
    mls_status status = mls_submission_verify(self->tree, &options, &pack->judged, self->error);
    if (status == MLS_OK && pack->judged.failed)
        status = mls_error_set(self->error, MLS_ERROR_READ, 0, 0, "the result cannot be read back");
    if (status == MLS_OK) {
        mls_finding_counts counts = pack->judged.counts;
        const mls_submission_result *result = pack->judged.submitters[0].results;
        const size_t few = self->options->incomplete && pack->judged.submitters[0].result_count > 0
                               ? mls_findings_found(&result->findings, MLS_FINDING_RESULT_COUNT)
                               : 0;
        counts.error -= few < counts.error ? few : counts.error;
        pack->valid =
            mls_findings_pass(&counts, options.strict) && mls_findings_pass(&pack->findings.counts, options.strict);
    }
    return status;
}

/* Check that each log contains only the scored run, because verify would judge records of other runs as part of it. */
static mls_status check_whole(packing *self)
{
    const mls_pack *pack = self->pack;
    const mls_submission *judged = &pack->judged;
    const mls_submission_result *result = judged->submitter_count == 1 && judged->submitters[0].result_count == 1
                                              ? &judged->submitters[0].results[0]
                                              : NULL;
    for (size_t i = 0; i < pack->file_count && result != NULL && result->run_count == pack->file_count; i++) {
        const mls_run *run = &result->runs[i].run;
        const mls_run *scored = pack->files[i].run;
        if (run->records != scored->records || run->malformed != scored->malformed || mls_run_compare(run, scored) != 0)
            return fail(self, MLS_ERROR_VALUE, scored->file, "contains other runs too: a result needs a separate log");
    }
    return MLS_OK;
}

/* Scrub the logs and power files if requested, and verify the result again. */
static mls_status scrub_packed(packing *self)
{
    mls_pack *pack = self->pack;
    mls_submission before = pack->judged;
    const size_t count = self->inside.count;
    mls_status status = MLS_OK;
    if (!self->options->scrub)
        return MLS_OK;
    pack->judged = (mls_submission){0};
    pack->scrubbed = true;
    for (size_t i = 0; i < count && status == MLS_OK; i++) {
        const mls_str path = mls_str_from(self->inside.items[i]);
        mls_buffer text = {0};
        mls_buffer scrubbed = {0};
        if (mls_str_starts(mls_str_rest(path, strlen(self->tree)), MLS_S("/results/")) &&
            mls_str_ends(path, MLS_S(".txt"))) {
            status = mls_file_read(path.ptr, false, MLS_LOG_BYTES_MAX, &text, self->error);
            status = status == MLS_OK ? mls_pack_scrub(pack, mls_buffer_str(&text), &scrubbed, self->error) : status;
            (void)remove(path.ptr);
            status = status == MLS_OK ? write_file(self, path.ptr, 0666, mls_buffer_str(&scrubbed)) : status;
        }
        mls_buffer_release(&text);
        mls_buffer_release(&scrubbed);
    }
    status = status == MLS_OK ? judge_packed(self) : status;
    if (status != MLS_OK) {
        mls_submission_release(&before);
        return status;
    }
    /* Fail if scrubbing changed the verdict: all errors must remain, and there must not be a new finding. */
    const mls_submission_result *was = before.submitters[0].results;
    const mls_submission_result *is = pack->judged.submitters[0].results;
    const bool both = before.submitters[0].result_count == 1 && pack->judged.submitters[0].result_count == 1 &&
                      was->run_count == is->run_count;
    for (size_t i = 0; both && i < was->run_count && status == MLS_OK; i++) {
        const mls_run *old = &was->runs[i].run;
        const mls_run *new = &is->runs[i].run;
        bool alike = old->valid == new->valid && old->malformed == new->malformed && old->status == new->status &&
                     old->seed_count == new->seed_count;
        alike = alike && mls_compare_doubles(old->run_start.time_ms, new->run_start.time_ms) == 0 &&
                mls_compare_doubles(old->run_stop.time_ms, new->run_stop.time_ms) == 0;
        size_t at = 0;
        for (size_t k = 0; alike && k < old->findings.count; k++) {
            const mls_finding *left = &old->findings.items[k];
            const mls_finding *right = at < new->findings.count ? &new->findings.items[at] : NULL;
            const bool same = right != NULL && left->code == right->code && left->severity == right->severity &&
                              mls_str_equal(mls_str_from(left->key), mls_str_from(right->key));
            at += same;
            alike = same || left->severity != MLS_SEVERITY_ERROR;
        }
        if (!alike || at != new->findings.count) {
            status = fail(self, MLS_ERROR_VALUE, pack->files[i].run->file,
                          "scrubbing changes its verdict, so nothing is packed");
        }
    }
    const mls_group *a = &was->group;
    const mls_group *b = &is->group;
    const bool same = both && a->seeds.count == b->seeds.count && a->seeds.different == b->seeds.different &&
                      a->seeds.check == b->seeds.check && a->rcp.check == b->rcp.check && a->scale == b->scale &&
                      (a->score.score_minutes == b->score.score_minutes ||
                       (isnan(a->score.score_minutes) && isnan(b->score.score_minutes)));
    if (status == MLS_OK && !same)
        status = mls_error_set(self->error, MLS_ERROR_VALUE, 0, 0,
                               "scrubbing changes seeds, convergence or the score, so nothing is packed");
    mls_submission_release(&before);
    return status;
}

/* Move a path from the temporary folder to the same path of the submission, without replacing anything. */
static mls_status place(packing *self, const char *path)
{
    const mls_str above = mls_path_folder(mls_str_from(path));
    const char *from = join(self, self->tree, path);
    const char *to = join(self, self->options->into, path);
    const char *folder =
        join(self, self->options->into, mls_arena_copy(self->pack->arena, (mls_str){path, above.len - 1}).ptr);
    struct stat about;
    mls_status status = make_folder(self, &self->placed, folder);
    if (status != MLS_OK)
        return status;
    int failed = renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) != 0 ? errno : 0;
    if (failed == EINVAL || failed == ENOSYS) /* the file system does not support renaming without replacing: check
                                                 first that the target does not exist */
        failed = lstat(to, &about) == 0 ? EEXIST : rename(from, to) != 0 ? errno : 0;
    if (failed == EEXIST || failed == ENOTEMPTY)
        return fail(self, MLS_ERROR_VALUE, to, "exists already and is not overwritten");
    if (failed != 0)
        return cannot_make(self, to, failed);
    mls_names_add(&self->placed, mls_str_from(to));
    return sync_folder(self, folder);
}

/* Move the contents of the temporary folder into the submission: the description first, the result last, each in one
 * step. After a failure, move the result and the code back to the temporary folder, which is removed later. */
static mls_status place_packed(packing *self)
{
    const mls_pack *pack = self->pack;
    const char *const paths[] = {pack->described ? NULL : pack->system, pack->implementation, pack->path};
    mls_status status = MLS_OK;
    struct stat about;
    for (size_t i = 0; i < self->inside.count && status == MLS_OK; i++) /* sync folders only: files have been synced */
        if (lstat(self->inside.items[i], &about) == 0 && S_ISDIR(about.st_mode))
            status = sync_folder(self, self->inside.items[i]);
    for (size_t i = 0; i < sizeof paths / sizeof *paths && status == MLS_OK; i++)
        status = paths[i] != NULL ? place(self, paths[i]) : MLS_OK;
    for (size_t i = sizeof paths / sizeof *paths; i-- > 1 && status != MLS_OK;) {
        const char *from = paths[i] != NULL ? join(self, self->tree, paths[i]) : NULL;
        if (from != NULL && lstat(from, &about) != 0)
            (void)rename(join(self, self->options->into, paths[i]), from);
    }
    return status;
}
