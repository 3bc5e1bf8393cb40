/* SPDX-License-Identifier: Apache-2.0 */
/* pack.c - a result from log directories: chosen, laid out in a folder of its own, judged there as verify does, moved
 * to its place in one step. */
#include "submission/pack.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/statistics.h"
#include "base/utf8.h"
#include "base/words.h"
#include "score/score.h"
#include "submission/made.h"
#include "submission/pack_scrub.h"
#include "submission/skeleton.h"

/* The folder in which a result is laid out; the last six bytes are replaced. */
#define PACK_FOLDER ".pack-"
enum { PACK_NAME_MAX = 100 };

/* A pack in the making. */
typedef struct packing {
    const mls_pack_options *options;
    mls_pack *pack;
    mls_pack_scrub scrub;
    char *tree;       /* the folder in which it is laid out */
    mls_names inside; /* what was made there */
    mls_names placed; /* what was made in the submission */
    mls_error *error;
} packing;

/* Whether a name can be one of a submission; an error says what it must be. */
static bool is_pack_name(const char *what, const char *name, mls_error *error)
{
    bool good = *name != '\0' && *name != '.' && strlen(name) <= PACK_NAME_MAX;
    for (const char *at = name; *at != '\0'; at++) {
        good = good && (unsigned char)*at > ' ' && *at != '/' && *at != 0x7f;
    }
    if (!good) {
        (void)mls_error_set(error, MLS_ERROR_UNKNOWN, 0, 0,
                            "the %s '%.*s' can be no folder of a submission: 1 to %d bytes without a slash, a space, a "
                            "control character or a leading dot",
                            what, MLS_CUT_TEXT(name, 60), PACK_NAME_MAX);
    }
    return good;
}

static const char *shown_name(const char *name)
{
    return name != NULL ? name : "?";
}

/* The one group that is meant. */
static mls_status choose_group(packing *self, const mls_collection *collection)
{
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
        return mls_error_set(self->error, MLS_ERROR_UNKNOWN, 0, 0, "there are no runs%s%.*s%s",
                             config != NULL ? " of the config " : "", MLS_CUT_TEXT(config != NULL ? config : "", 80),
                             batch > 0 ? " of this batch size" : "");
    }
    if (other != NULL) {
        return mls_error_set(
            self->error, MLS_ERROR_UNKNOWN, 0, 0,
            "there is more than one group: %.*s, config %.*s, batch %s in %.*s, and %.*s, config %.*s, "
            "batch %s in %.*s; one makes a result: name its folder, its --config or its --batch",
            MLS_CUT_TEXT(shown_name(pack->group->benchmark), 24), MLS_CUT_TEXT(shown_name(pack->group->config), 32),
            mls_words_exact(pack->group->global_batch_size).text, MLS_CUT_TEXT(pack->group->path, 30),
            MLS_CUT_TEXT(shown_name(other->benchmark), 24), MLS_CUT_TEXT(shown_name(other->config), 32),
            mls_words_exact(other->global_batch_size).text, MLS_CUT_TEXT(other->path, 30));
    }
    if (pack->group->benchmark == NULL || strcmp(pack->group->benchmark, self->options->benchmark) != 0) {
        return mls_error_set(self->error, MLS_ERROR_VALUE, 0, 0, "the logs are of %.*s, not of %.*s",
                             MLS_CUT_TEXT(pack->group->benchmark != NULL ? pack->group->benchmark : "no benchmark", 60),
                             MLS_CUT_TEXT(self->options->benchmark, 60));
    }
    return MLS_OK;
}

/* Why runs that are scored so are not packed; NULL: they are.  Of models of weak scaling there may be any more. */
static const char *refuse_outcome(const packing *self, const mls_group *group)
{
    mls_olympic_outcome outcome = group->score.outcome;
    if (self->pack->weak) {
        outcome = group->run_count < group->rules->runs_needed ? MLS_OLYMPIC_TOO_FEW_RUNS : MLS_OLYMPIC_SCORED;
    }
    switch (outcome) {
    case MLS_OLYMPIC_SCORED:
        return NULL;
    case MLS_OLYMPIC_TOO_FEW_RUNS:
        return self->options->incomplete ? NULL : "fewer than a result needs (--incomplete packs them all the same)";
    case MLS_OLYMPIC_TOO_MANY_DROPPED:
        return self->options->force && group->score.dropped < group->run_count
                   ? NULL
                   : "more of them are not valid than the rules forgive";
    case MLS_OLYMPIC_NO_WINDOW:
        return "more than a result needs, and in most windows of as many too many are not valid";
    case MLS_OLYMPIC_TOO_MANY_RUNS:
    case MLS_OLYMPIC_NOTHING_LEFT:
        break;
    }
    return "none of them is valid";
}

/* By their start, then by name. */
static int compare_started(const void *left, const void *right)
{
    const mls_run *a = *(const mls_run *const *)left;
    const mls_run *b = *(const mls_run *const *)right;
    const double starts[] = {a->run_start.time_ms, b->run_start.time_ms};
    const int known = (int)isnan(starts[0]) - (int)isnan(starts[1]);
    const int order = known != 0 ? known : (starts[0] > starts[1]) - (starts[0] < starts[1]);
    return order != 0 ? order : mls_str_compare_natural(mls_str_from(a->file), mls_str_from(b->file));
}

/* A text in the arena, "%s/%s%zu%s"; NULL: no memory. */
static const char *pack_path(const mls_pack *pack, const char *folder, const char *name, size_t number, const char *end)
{
    mls_buffer path = {0};
    mls_buffer_printf(&path, "%s/%s", folder, name);
    if (end != NULL) {
        mls_buffer_printf(&path, "%zu%s", number, end);
    }
    const char *copy = path.failed ? NULL : mls_arena_copy(pack->arena, mls_buffer_str(&path)).ptr;
    mls_buffer_release(&path);
    return copy;
}

/* Takes the runs that the rules choose, and tells which file each will be. */
static mls_status choose_runs(packing *self)
{
    mls_pack *pack = self->pack;
    const mls_group *group = pack->group;
    const char *refused = refuse_outcome(self, group);
    if (refused != NULL) {
        return mls_error_set(self->error, MLS_ERROR_VALUE, 0, 0, "%s of %.*s: %s",
                             mls_words_plural(group->run_count, "run", "runs").text, MLS_CUT_TEXT(group->benchmark, 60),
                             refused);
    }
    const mls_run **chosen = mls_arena_array(pack->arena, group->run_count, sizeof *chosen);
    pack->left_out = mls_arena_array(pack->arena, group->run_count, sizeof *pack->left_out);
    pack->files = mls_arena_array(pack->arena, group->run_count, sizeof *pack->files);
    if (chosen == NULL || pack->left_out == NULL || pack->files == NULL) {
        return mls_error_memory(self->error);
    }
    for (size_t i = 0; i < group->run_count; i++) {
        if (group->marks[i] == MLS_OLYMPIC_OUTSIDE && !pack->weak) {
            pack->left_out[pack->left_out_count++] = group->runs[i];
        } else {
            chosen[pack->file_count++] = group->runs[i];
        }
    }
    qsort((void *)chosen, pack->file_count, sizeof *chosen, compare_started);
    qsort((void *)pack->left_out, pack->left_out_count, sizeof *pack->left_out, compare_started);
    bool ok = true;
    for (size_t i = 0; i < pack->file_count; i++) {
        pack->files[i] = (mls_pack_file){.run = chosen[i], .file = pack_path(pack, pack->path, "result_", i, ".txt")};
        ok = ok && pack->files[i].file != NULL;
    }
    return ok ? MLS_OK : mls_error_memory(self->error);
}

/* Copies a file to a path below the tree. */
static mls_status copy_file(packing *self, const char *source, const char *file)
{
    mls_buffer text = {0};
    mls_error reading = {0};
    struct stat before = {0};
    struct stat after = {0};
    char *path = mls_path_join(self->tree, file);
    (void)stat(source, &before);
    mls_status status =
        path != NULL ? mls_file_read(source, false, MLS_LOG_BYTES_MAX, &text, &reading) : mls_error_memory(self->error);
    const bool same = stat(source, &after) == 0 && before.st_size == after.st_size &&
                      before.st_mtim.tv_sec == after.st_mtim.tv_sec && before.st_mtim.tv_nsec == after.st_mtim.tv_nsec;
    if (reading.status != MLS_OK || (status == MLS_OK && !same)) {
        status = status == MLS_ERROR_MEMORY
                     ? status
                     : mls_error_set(self->error, MLS_ERROR_READ, 0, 0, "%.*s: %s", MLS_CUT_TEXT(source, 150),
                                     status != MLS_OK ? reading.message : "changed meanwhile");
    }
    status = status == MLS_OK ? mls_made_file(&self->inside, path, 0666, mls_buffer_str(&text), self->error) : status;
    mls_buffer_release(&text);
    free(path);
    return status;
}

/* Makes a folder of the tree, or of the submission. */
static mls_status make_folder(packing *self, mls_names *made, const char *root, const char *folder)
{
    char *path = mls_path_join(root, folder);
    const mls_status status = path != NULL ? mls_made_folder(made, path, self->error) : mls_error_memory(self->error);
    free(path);
    return status;
}

/* Power files stand in power/result_<i> beside the log of a result folder, and follow their run to its new number. */
static mls_status copy_power(packing *self, size_t number)
{
    const mls_pack *pack = self->pack;
    const char *log = pack->files[number].run->file;
    const mls_str folder = mls_path_folder(mls_str_from(log));
    mls_buffer from = {0};
    mls_names names = {0};
    int system_errno;
    const char *to = pack_path(pack, pack->path, "power/result_", number, "");
    mls_buffer_printf(&from, "%.*spower/%s", (int)folder.len, folder.ptr, mls_path_name(log));
    mls_buffer_cut(&from, from.len - strlen(".txt"));
    mls_status status = from.failed || to == NULL ? mls_error_memory(self->error)
                                                  : mls_folder_names(from.ptr, 100000, &names, &system_errno);
    if (names.count > 0 && status == MLS_OK) {
        status = make_folder(self, &self->inside, self->tree, to);
    }
    for (size_t i = 0; i < names.count && status == MLS_OK; i++) {
        char *source = mls_path_join(from.ptr, names.items[i]);
        char *target = mls_path_join(to, names.items[i]);
        status = source != NULL && target != NULL ? copy_file(self, source, target) : mls_error_memory(self->error);
        free(source);
        free(target);
    }
    mls_names_release(&names);
    mls_buffer_release(&from);
    return status;
}

static mls_status copy_logs(packing *self)
{
    const mls_pack *pack = self->pack;
    mls_status status = make_folder(self, &self->inside, self->tree, pack->path);
    for (size_t i = 0; i < pack->file_count && status == MLS_OK; i++) {
        const mls_run *run = pack->files[i].run;
        status = copy_file(self, run->file, pack->files[i].file);
        status = status == MLS_OK && run->result ? copy_power(self, i) : status;
    }
    return status;
}

static bool lack_field(void *pack, const char *field)
{
    mls_pack *of = pack;
    const char *name = mls_arena_copy(of->arena, mls_str_from(field)).ptr;
    return name != NULL && MLS_ARENA_ADD(of->arena, &of->lacks, name);
}

/* The description that is there, or a new one. */
static mls_status lay_description(packing *self)
{
    mls_pack *pack = self->pack;
    struct stat about;
    mls_buffer text = {0};
    char *there = mls_path_join(self->options->into, pack->system);
    char *path = mls_path_join(self->tree, pack->system);
    mls_status status = there != NULL && path != NULL ? MLS_OK : mls_error_memory(self->error);
    status = status == MLS_OK ? make_folder(self, &self->inside, self->tree, "systems") : status;
    pack->described = status == MLS_OK && there != NULL && lstat(there, &about) == 0;
    if (pack->described) {
        status = copy_file(self, there, pack->system);
    } else if (status == MLS_OK) {
        status = mls_skeleton_append(pack->group, self->options->system, self->options->described, &text, lack_field,
                                     pack, self->error);
        status =
            status == MLS_OK ? mls_made_file(&self->inside, path, 0666, mls_buffer_str(&text), self->error) : status;
    }
    mls_buffer_release(&text);
    free(there);
    free(path);
    return status;
}

/* Each log of the result must be of the one run that was scored: what a file holds besides would be judged with it. */
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
        if (run->records != scored->records || mls_run_compare(run, scored) != 0) {
            return mls_error_set(self->error, MLS_ERROR_VALUE, 0, 0,
                                 "%.*s: holds more than this run, or is packed: a result needs a log of its own",
                                 MLS_CUT_TEXT(scored->file, 200));
        }
    }
    return MLS_OK;
}

/* Judges what was laid out, as it will be in its place. */
static mls_status judge_packed(packing *self)
{
    mls_pack *pack = self->pack;
    mls_submission_options options = self->options->judged;
    options.edition = pack->group->edition;
    options.usage = pack->group->usage;
    options.any_usage = false;
    mls_status status = mls_submission_verify(self->tree, &options, &pack->judged, self->error);
    if (status == MLS_OK && pack->judged.failed) {
        status = mls_error_set(self->error, MLS_ERROR_READ, 0, 0, "what was laid out cannot be read again");
    }
    status = status == MLS_OK ? check_whole(self) : status;
    if (status == MLS_OK) {
        mls_finding_counts counts = pack->judged.counts;
        const mls_submission_result *result = pack->judged.submitters[0].results;
        const size_t few = self->options->incomplete && pack->judged.submitters[0].result_count > 0
                               ? mls_findings_found(&result->findings, MLS_FINDING_RESULT_COUNT)
                               : 0;
        counts.error -= few < counts.error ? few : counts.error;
        pack->valid = mls_findings_pass(&counts, options.strict);
    }
    return status;
}

/* Scrubs what was laid out and has been judged, and judges it again. */
static mls_status scrub_packed(packing *self)
{
    mls_pack *pack = self->pack;
    mls_submission before = pack->judged;
    pack->judged = (mls_submission){0};
    mls_status status = mls_pack_scrub_files(&self->scrub, pack, &self->inside, self->error);
    status = status == MLS_OK ? judge_packed(self) : status;
    status = status == MLS_OK ? mls_pack_compare(pack, &before, self->error) : status;
    mls_submission_release(&before);
    return status;
}

/* Puts what was laid out into the submission: the description first, the result in one step. */
static mls_status place_packed(packing *self)
{
    const mls_pack *pack = self->pack;
    const char *into = self->options->into;
    const mls_str above = mls_path_folder(mls_str_from(pack->path));
    char *folder = strndup(pack->path, above.len - 1);
    char *from[] = {mls_path_join(self->tree, pack->system), mls_path_join(self->tree, pack->path)};
    char *to[] = {mls_path_join(into, pack->system), mls_path_join(into, pack->path)};
    const bool ok = folder != NULL && from[0] != NULL && from[1] != NULL && to[0] != NULL && to[1] != NULL;
    mls_status status = ok ? make_folder(self, &self->placed, into, folder) : mls_error_memory(self->error);
    status = status == MLS_OK ? mls_made_sync(from[1], self->error) : status;
    status = status == MLS_OK && self->options->scrub ? mls_pack_scrub_keep(&self->scrub, &self->placed, self->error)
                                                      : status;
    if (status == MLS_OK && !pack->described) {
        status = make_folder(self, &self->placed, into, "systems");
        status = status == MLS_OK ? mls_made_move(&self->placed, from[0], to[0], self->error) : status;
    }
    status = status == MLS_OK ? mls_made_move(&self->placed, from[1], to[1], self->error) : status;
    free(folder);
    for (size_t i = 0; i < 2; i++) {
        free(from[i]);
        free(to[i]);
    }
    return status;
}

/* Nothing is overwritten: that the result is there ends it before anything is read. */
static mls_status find_room(packing *self)
{
    mls_pack *pack = self->pack;
    mls_names names = {0};
    int system_errno;
    struct stat about;
    char *path = mls_path_join(self->options->into, pack->path);
    mls_status status = path == NULL ? mls_error_memory(self->error) : MLS_OK;
    if (path != NULL && lstat(path, &about) == 0) {
        status = mls_error_set(self->error, MLS_ERROR_VALUE, 0, 0, "%.*s: is there already, and is not overwritten",
                               MLS_CUT_TEXT(path, 200));
    }
    status = status == MLS_OK ? mls_folder_names(self->options->into, 1000000, &names, &system_errno) : status;
    for (size_t i = 0; i < names.count && status == MLS_OK; i++) {
        const char *rest = mls_str_starts(mls_str_from(names.items[i]), MLS_S(PACK_FOLDER))
                               ? mls_arena_copy(pack->arena, mls_str_from(names.items[i])).ptr
                               : "";
        status = rest == NULL || (*rest != '\0' && !MLS_ARENA_ADD(pack->arena, &pack->rests, rest))
                     ? mls_error_memory(self->error)
                     : MLS_OK;
    }
    mls_names_release(&names);
    free(path);
    return status;
}

/* Where the result is laid out: beside its place, or where other files come and go when nothing is to be kept. */
static mls_status make_tree(packing *self)
{
    const bool write = self->options->write;
    const char *temporary = getenv("TMPDIR");
    const char *folder = write ? self->options->into : temporary != NULL && *temporary != '\0' ? temporary : "/tmp";
    mls_status status = write ? mls_made_folder(&self->placed, folder, self->error) : MLS_OK;
    self->tree = mls_path_join(folder, PACK_FOLDER "XXXXXX");
    status = self->tree == NULL ? mls_error_memory(self->error) : status;
    return status == MLS_OK ? mls_made_own_folder(&self->inside, self->tree, self->error) : status;
}

static mls_status name_paths(packing *self)
{
    mls_pack *pack = self->pack;
    const mls_pack_options *options = self->options;
    if (!is_pack_name("system", options->system, self->error) ||
        !is_pack_name("benchmark", options->benchmark, self->error)) {
        return MLS_ERROR_UNKNOWN;
    }
    pack->weak = pack->group->usage == MLS_USAGE_HPC &&
                 (options->weak || mls_path_is_weak(pack->group->usage, pack->group->path));
    const char *folder = pack_path(pack, "results", options->system, 0, NULL);
    if (folder != NULL && pack->group->usage == MLS_USAGE_HPC) {
        folder = pack_path(pack, folder, pack->weak ? "weak" : "strong", 0, NULL);
    }
    const char *description = pack_path(pack, "systems", options->system, 0, NULL);
    mls_buffer name = {0};
    mls_buffer_printf(&name, "%s.json", shown_name(description));
    pack->system = name.failed ? NULL : mls_arena_copy(pack->arena, mls_buffer_str(&name)).ptr;
    pack->path = folder != NULL ? pack_path(pack, folder, options->benchmark, 0, NULL) : NULL;
    pack->title = options->system;
    mls_buffer_release(&name);
    return pack->system != NULL && pack->path != NULL && description != NULL ? MLS_OK : mls_error_memory(self->error);
}

mls_status mls_pack_make(const mls_collection *collection, const mls_pack_options *options, mls_pack *pack,
                         mls_error *error)
{
    *pack = (mls_pack){.arena = calloc(1, sizeof *pack->arena)};
    packing self = {.options = options, .pack = pack, .error = error};
    mls_status status = pack->arena != NULL ? choose_group(&self, collection) : mls_error_memory(error);
    status = status == MLS_OK ? name_paths(&self) : status;
    status = status == MLS_OK ? choose_runs(&self) : status;
    status = status == MLS_OK ? find_room(&self) : status;
    status = status == MLS_OK && options->scrub ? mls_pack_scrub_begin(&self.scrub, options, error) : status;
    status = status == MLS_OK ? make_tree(&self) : status;
    status = status == MLS_OK ? copy_logs(&self) : status;
    status = status == MLS_OK ? lay_description(&self) : status;
    status = status == MLS_OK ? judge_packed(&self) : status;
    status = status == MLS_OK && options->scrub ? scrub_packed(&self) : status;
    if (status == MLS_OK && (pack->valid || options->force) && options->write) {
        status = place_packed(&self);
        pack->written = status == MLS_OK;
    }
    mls_made_undo(&self.inside);
    if (pack->written) {
        mls_names_release(&self.placed);
    } else {
        mls_made_undo(&self.placed);
    }
    free(self.tree);
    mls_pack_scrub_release(&self.scrub);
    return status;
}

void mls_pack_release(mls_pack *pack)
{
    mls_submission_release(&pack->judged);
    mls_arena_free(pack->arena);
    *pack = (mls_pack){0};
}
