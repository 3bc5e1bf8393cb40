/* SPDX-License-Identifier: Apache-2.0 */
/* pack.c - create a result from log directories: choose runs, write them to a temporary folder, verify it, and move it
 * to its place in one step. */
#include "submission/pack.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/statistics.h"
#include "base/temporary.h"
#include "base/utf8.h"
#include "base/words.h"
#include "score/score.h"
#include "submission/packing.h"

enum { PACK_NAME_MAX = 100 };

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

/* Find the one group that the options select. */
static mls_status choose_group(mls_packing *self, const mls_collection *collection)
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
    return MLS_OK;
}

/* Return the reason why a group with this outcome is not packed, or NULL. Weak scaling allows any number of models from
 * the minimum up. */
static const char *refuse_outcome(const mls_packing *self, const mls_group *group)
{
    mls_olympic_outcome outcome = group->score.outcome;
    if (self->pack->weak)
        outcome = group->run_count < group->rules->runs_needed ? MLS_OLYMPIC_TOO_FEW_RUNS : MLS_OLYMPIC_SCORED;
    switch (outcome) {
    case MLS_OLYMPIC_SCORED:
        return NULL;
    case MLS_OLYMPIC_TOO_FEW_RUNS:
        return self->options->incomplete ? NULL : "fewer than a result requires (--incomplete packs them anyway)";
    case MLS_OLYMPIC_TOO_MANY_DROPPED:
        return self->options->force && group->score.dropped < group->run_count
                   ? NULL
                   : "more of them are invalid than the rules allow";
    case MLS_OLYMPIC_NO_WINDOW:
        return "more than a result requires, and most windows of that size have too many invalid runs";
    case MLS_OLYMPIC_TOO_MANY_RUNS:
    case MLS_OLYMPIC_NOTHING_LEFT:
        break;
    }
    return "none of them is valid";
}

/* Compare by start, then by name. */
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
static mls_status choose_runs(mls_packing *self)
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
            return mls_error_set(self->error, MLS_ERROR_VALUE, 0, 0,
                                 "%.*s: contains other runs too, and a result needs a separate log (--cut writes only "
                                 "the lines of this run)",
                                 MLS_CUT_TEXT(run->file, 150));
        }
        pack->files[i] = (mls_pack_file){.run = run,
                                         .file = mls_tree_log(pack->arena, pack->path, i),
                                         .first_line = run->part ? run->line : 0,
                                         .last_line = run->part ? run->last_line : 0};
    }
    return MLS_OK;
}

/* Copy the existing description, or write a new one in which a person must fill in what the logs lack. */
static mls_status lay_description(mls_packing *self)
{
    mls_pack *pack = self->pack;
    struct stat about;
    char *there = mls_path_join(self->options->into, pack->system);
    mls_status status = mls_packing_folder(self, &self->inside, self->tree, "systems");
    pack->described = status == MLS_OK && lstat(there, &about) == 0;
    if (pack->described) {
        status = mls_packing_copy(self, there, pack->system);
    } else if (status == MLS_OK) {
        mls_buffer text = {0};
        mls_buffer list = {0};
        status = mls_packing_describe(self, &text);
        for (size_t i = 0; i < pack->lacks.count; i++)
            mls_buffer_printf(&list, "%s%s", i > 0 ? ", " : "", pack->lacks.items[i]);
        if (list.len > 0) {
            mls_findings_add(&pack->findings, MLS_FINDING_SYSTEM_EMPTY, (mls_finding_place){0},
                             "to be filled in, because the logs do not contain it: %s", list.ptr);
        }
        status = status == MLS_OK ? mls_packing_lay(self, pack->system, 0666, mls_buffer_str(&text)) : status;
        mls_buffer_release(&list);
        mls_buffer_release(&text);
    }
    free(there);
    return status;
}

/* Check that each log contains only the scored run: verify would judge any other records with it. */
static mls_status check_whole(mls_packing *self)
{
    const mls_pack *pack = self->pack;
    const mls_submission *judged = &pack->judged;
    const mls_submission_result *result = judged->submitter_count == 1 && judged->submitters[0].result_count == 1
                                              ? &judged->submitters[0].results[0]
                                              : NULL;
    for (size_t i = 0; i < pack->file_count && result != NULL && result->run_count == pack->file_count; i++) {
        const mls_run *run = &result->runs[i].run;
        const mls_run *scored = pack->files[i].run;
        if (run->records != scored->records || run->malformed != scored->malformed ||
            mls_run_compare(run, scored) != 0) {
            return mls_error_set(self->error, MLS_ERROR_VALUE, 0, 0,
                                 "%.*s: contains other runs too: a result needs a separate log",
                                 MLS_CUT_TEXT(scored->file, 200));
        }
    }
    return MLS_OK;
}

/* Verify the temporary folder as if it were in its final place. */
static mls_status judge_packed(mls_packing *self)
{
    mls_pack *pack = self->pack;
    mls_submission_options options = self->options->judged;
    options.edition = pack->group->edition;
    options.usage = pack->group->usage;
    options.any_usage = false;
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

/* Return whether scrubbing kept a verdict: all errors remain, and there is no new finding. */
static bool are_judged_alike(const mls_run *was, const mls_run *is)
{
    size_t at = 0;
    bool alike = was->valid == is->valid && was->malformed == is->malformed && was->status == is->status &&
                 was->seed_count == is->seed_count &&
                 mls_compare_doubles(was->run_start.time_ms, is->run_start.time_ms) == 0 &&
                 mls_compare_doubles(was->run_stop.time_ms, is->run_stop.time_ms) == 0;
    for (size_t i = 0; alike && i < was->findings.count; i++) {
        const mls_finding *left = &was->findings.items[i];
        const mls_finding *right = at < is->findings.count ? &is->findings.items[at] : NULL;
        const bool same = right != NULL && left->code == right->code && left->severity == right->severity &&
                          mls_str_equal(mls_str_from(left->key), mls_str_from(right->key));
        at += same;
        alike = same || left->severity != MLS_SEVERITY_ERROR;
    }
    return alike && at == is->findings.count;
}

/* Fail if the verdict differs from the one before scrubbing. */
static mls_status compare_judged(const mls_packing *self, const mls_submission *before)
{
    const mls_pack *pack = self->pack;
    const mls_submission_result *was = before->submitters[0].results;
    const mls_submission_result *is = pack->judged.submitters[0].results;
    const bool both = before->submitters[0].result_count == 1 && pack->judged.submitters[0].result_count == 1 &&
                      was->run_count == is->run_count;
    for (size_t i = 0; both && i < was->run_count; i++) {
        if (!are_judged_alike(&was->runs[i].run, &is->runs[i].run)) {
            return mls_error_set(self->error, MLS_ERROR_VALUE, 0, 0,
                                 "%.*s: scrubbing changes its verdict, so nothing is packed",
                                 MLS_CUT_TEXT(pack->files[i].run->file, 200));
        }
    }
    const mls_group *a = &was->group;
    const mls_group *b = &is->group;
    const bool same = both && a->seeds.count == b->seeds.count && a->seeds.different == b->seeds.different &&
                      a->seeds.check == b->seeds.check && a->rcp.check == b->rcp.check && a->scale == b->scale &&
                      (a->score.score_minutes == b->score.score_minutes ||
                       (isnan(a->score.score_minutes) && isnan(b->score.score_minutes)));
    return same ? MLS_OK
                : mls_error_set(self->error, MLS_ERROR_VALUE, 0, 0,
                                "scrubbing changes seeds, convergence or the score, so nothing is packed");
}

/* Scrub the logs and power files, and verify the result again. */
static mls_status scrub_packed(mls_packing *self)
{
    mls_pack *pack = self->pack;
    mls_submission before = pack->judged;
    const size_t count = self->inside.count;
    mls_status status = MLS_OK;
    pack->judged = (mls_submission){0};
    pack->scrubbed = true;
    for (size_t i = 0; i < count && status == MLS_OK; i++) {
        const mls_str path = mls_str_from(self->inside.items[i]);
        mls_buffer text = {0};
        mls_buffer scrubbed = {0};
        if (mls_str_starts(mls_str_rest(path, strlen(self->tree)), MLS_S("/results/")) &&
            mls_str_ends(path, MLS_S(".txt"))) {
            status = mls_file_read(path.ptr, false, MLS_LOG_BYTES_MAX, &text, self->error);
            status = status == MLS_OK ? mls_packing_scrub(pack, mls_buffer_str(&text), &scrubbed, self->error) : status;
            (void)remove(path.ptr);
            status = status == MLS_OK
                         ? mls_made_file(&self->inside, path.ptr, 0666, mls_buffer_str(&scrubbed), self->error)
                         : status;
        }
        mls_buffer_release(&text);
        mls_buffer_release(&scrubbed);
    }
    status = status == MLS_OK ? judge_packed(self) : status;
    status = status == MLS_OK ? compare_judged(self, &before) : status;
    mls_submission_release(&before);
    return status;
}

/* Move a path from the temporary folder to the same path of the submission. */
static mls_status place(mls_packing *self, const char *path)
{
    const char *into = self->options->into;
    const mls_str above = mls_path_folder(mls_str_from(path));
    char *folder = mls_strndup(path, above.len - 1);
    char *from = mls_path_join(self->tree, path);
    char *to = mls_path_join(into, path);
    char *there = mls_path_join(into, folder);
    mls_status status = mls_packing_folder(self, &self->placed, into, folder);
    status = status == MLS_OK ? mls_made_move(&self->placed, from, to, self->error) : status;
    status = status == MLS_OK ? mls_made_sync(there, self->error) : status;
    free(folder);
    free(from);
    free(to);
    free(there);
    return status;
}

/* Move a path back to the temporary folder, which is removed later. */
static void take_back(const mls_packing *self, const char *path)
{
    char *from = mls_path_join(self->options->into, path);
    char *to = mls_path_join(self->tree, path);
    struct stat about;
    if (lstat(to, &about) != 0)
        (void)rename(from, to);
    free(from);
    free(to);
}

/* Move everything into the submission: the description first, the result last, each in one step. */
static mls_status place_packed(mls_packing *self)
{
    const mls_pack *pack = self->pack;
    mls_status status = MLS_OK;
    for (size_t i = 0; i < self->inside.count && status == MLS_OK;
         i++) { /* the files were synced when they were written */
        struct stat about;
        if (lstat(self->inside.items[i], &about) == 0 && S_ISDIR(about.st_mode))
            status = mls_made_sync(self->inside.items[i], self->error);
    }
    if (status == MLS_OK && !pack->described)
        status = place(self, pack->system);
    if (status == MLS_OK && pack->implementation != NULL)
        status = place(self, pack->implementation);
    status = status == MLS_OK ? place(self, pack->path) : status;
    if (status != MLS_OK) {
        take_back(self, pack->path);
        if (pack->implementation != NULL)
            take_back(self, pack->implementation);
    }
    return status;
}

/* Check before any log is read that nothing would be overwritten, and that no folder on the way is a link, so that all
 * files stay in the submission. */
static mls_status check_room(const mls_packing *self, const char *below, bool fresh)
{
    struct stat about;
    mls_status status = MLS_OK;
    char *path = mls_path_join(self->options->into, below);
    if (fresh && lstat(path, &about) == 0) {
        status = mls_error_set(self->error, MLS_ERROR_VALUE, 0, 0, "%.*s: exists already and is not overwritten",
                               MLS_CUT_TEXT(path, 200));
    }
    for (const char *end = strchr(below, '/'); end != NULL && status == MLS_OK; end = strchr(end + 1, '/')) {
        char *part = mls_strndup(below, (size_t)(end - below));
        char *folder = mls_path_join(self->options->into, part);
        free(part);
        if (lstat(folder, &about) == 0 && S_ISLNK(about.st_mode)) {
            status = mls_error_set(self->error, MLS_ERROR_VALUE, 0, 0,
                                   "%.*s: is a link; replace it by a folder to pack there", MLS_CUT_TEXT(folder, 200));
        }
        free(folder);
    }
    free(path);
    return status;
}

/* Check that the paths are free, and list the folders left by packs that were killed. */
static mls_status find_room(mls_packing *self)
{
    mls_pack *pack = self->pack;
    mls_names names = {0};
    int system_errno;
    mls_status status = check_room(self, pack->path, true);
    status = status == MLS_OK ? check_room(self, pack->system, false) : status;
    if (status == MLS_OK && pack->implementation != NULL)
        status = check_room(self, pack->implementation, true);
    if (status == MLS_OK) {
        char *above = mls_path_join(self->options->into, self->folder);
        status = mls_folder_names(above, 1000000, &names, &system_errno);
        free(above);
    }
    const mls_str like = mls_str_from(self->name);
    for (size_t i = 0; i < names.count && status == MLS_OK; i++) {
        const mls_str name = mls_str_from(names.items[i]);
        if (name.len == like.len && mls_str_starts(name, (mls_str){like.ptr, like.len - strlen("XXXXXX")}))
            MLS_ARENA_ADD(pack->arena, &pack->rests, mls_tree_result(pack->arena, self->folder, names.items[i]));
    }
    mls_names_release(&names);
    return status;
}

/* Create the temporary folder: next to the final place, or in TMPDIR if nothing is to be kept. */
static mls_status make_tree(mls_packing *self)
{
    const char *temporary = getenv("TMPDIR");
    char *above = self->options->write ? mls_path_join(self->options->into, self->folder)
                                       : mls_strdup(temporary != NULL && *temporary != '\0' ? temporary : "/tmp");
    sigset_t signals;
    mls_temporary_hold(&signals);
    mls_status status = self->options->write ? mls_made_folder(&self->placed, above, self->error) : MLS_OK;
    for (size_t i = 0; i < self->placed.count; i++)
        mls_temporary_empty_folder(self->placed.items[i]);
    self->tree = mls_path_join(above, self->name);
    free(above);
    status = status == MLS_OK ? mls_made_own_folder(&self->inside, self->tree, self->error) : status;
    mls_temporary_let_go(&signals);
    return status;
}

/* Set all paths: of the result, its description, the code (named like its source folder), and the temporary folder,
 * whose last six bytes are replaced. */
static mls_status name_paths(mls_packing *self)
{
    mls_pack *pack = self->pack;
    const mls_pack_options *options = self->options;
    const mls_group *group = pack->group;
    if (!is_pack_name("system", options->system, self->error) ||
        !is_pack_name("benchmark", group->benchmark, self->error))
        return MLS_ERROR_UNKNOWN;
    pack->weak = group->usage == MLS_USAGE_HPC && (options->weak || mls_path_is_weak(group->usage, group->path));
    pack->title = options->system;
    pack->system = mls_tree_description(pack->arena, options->system);
    self->folder = mls_tree_results(pack->arena, options->system, group->usage, pack->weak);
    pack->path = mls_tree_result(pack->arena, self->folder, group->benchmark);
    mls_buffer name = {0};
    mls_buffer_printf(&name, ".%s.XXXXXX", group->benchmark);
    self->name = mls_arena_copy(pack->arena, mls_buffer_str(&name)).ptr;
    mls_buffer_release(&name);
    if (options->implementation == NULL)
        return MLS_OK;
    char *real = realpath(options->implementation, NULL);
    mls_status status = MLS_OK;
    struct stat about;
    if (real == NULL || stat(real, &about) != 0 || !S_ISDIR(about.st_mode)) {
        status =
            mls_error_set(self->error, MLS_ERROR_READ, 0, 0, "%.*s: %s", MLS_CUT_TEXT(options->implementation, 150),
                          real == NULL ? strerror(errno) : "is no folder");
    } else if (is_pack_name("implementation", mls_path_name(real), self->error)) {
        pack->implementation = mls_tree_implementation(pack->arena, group->benchmark, mls_path_name(real));
    } else {
        status = MLS_ERROR_UNKNOWN;
    }
    free(real);
    return status;
}

mls_status mls_pack_make(const mls_collection *collection, const mls_pack_options *options, mls_pack *pack,
                         mls_error *error)
{
    *pack = (mls_pack){.arena = mls_calloc(1, sizeof *pack->arena)};
    mls_packing self = {.options = options, .pack = pack, .error = error};
    mls_status status = choose_group(&self, collection);
    status = status == MLS_OK ? name_paths(&self) : status;
    status = status == MLS_OK ? choose_runs(&self) : status;
    status = status == MLS_OK ? find_room(&self) : status;
    status = status == MLS_OK ? make_tree(&self) : status;
    status = status == MLS_OK ? mls_packing_copy_logs(&self) : status;
    status = status == MLS_OK ? lay_description(&self) : status;
    status = status == MLS_OK ? mls_packing_copy_code(&self) : status;
    status = status == MLS_OK ? judge_packed(&self) : status;
    status = status == MLS_OK ? check_whole(&self) : status;
    status = status == MLS_OK && options->scrub ? scrub_packed(&self) : status;
    if (status == MLS_OK && (pack->valid || options->force) && options->write) {
        sigset_t signals;
        mls_temporary_hold(&signals); /* a signal now would leave a description without its result */
        status = place_packed(&self);
        pack->written = status == MLS_OK;
        mls_temporary_let_go(&signals);
    }
    mls_made_undo(&self.inside);
    if (self.tree != NULL)
        mls_temporary_forget(self.tree);
    if (pack->written)
        mls_names_release(&self.placed);
    else
        mls_made_undo(&self.placed);
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
