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
#include "base/temporary.h"
#include "base/utf8.h"
#include "base/words.h"
#include "score/models.h"
#include "score/score.h"
#include "submission/packing.h"
#include "submission/skeleton.h"

enum { PACK_NAME_MAX = 100 };

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

/* Why runs that are scored so are not packed; NULL: they are.  Of models of weak scaling there may be any more. */
static const char *refuse_outcome(const mls_packing *self, const mls_group *group)
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

/* A run of a file with several has no log of its own: it is cut out when that is wanted. */
static mls_status choose_file(const mls_packing *self, size_t number, const mls_run *run)
{
    mls_pack *pack = self->pack;
    if (run->part && !self->options->cut) {
        return mls_error_set(self->error, MLS_ERROR_VALUE, 0, 0,
                             "%.*s: holds more than this run, and a result needs a log of its own (--cut writes the "
                             "lines from its first record to its last)",
                             MLS_CUT_TEXT(run->file, 150));
    }
    pack->files[number] = (mls_pack_file){.run = run,
                                          .file = mls_packing_path(pack, pack->path, "result_", number, ".txt"),
                                          .first_line = run->part ? run->line : 0,
                                          .last_line = run->part ? run->last_line : 0};
    return pack->files[number].file != NULL ? MLS_OK : mls_error_memory(self->error);
}

/* Takes the runs that the rules choose, and tells which file each will be. */
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
    mls_status status = MLS_OK;
    for (size_t i = 0; i < pack->file_count && status == MLS_OK; i++) {
        status = choose_file(self, i, chosen[i]);
    }
    return status;
}

static bool lack_field(void *pack, const char *field)
{
    mls_pack *of = pack;
    const char *name = mls_arena_copy(of->arena, mls_str_from(field)).ptr;
    return name != NULL && MLS_ARENA_ADD(of->arena, &of->lacks, name);
}

/* Advises of all that a person has to fill in. */
static mls_status tell_lacks(mls_packing *self)
{
    mls_pack *pack = self->pack;
    mls_buffer list = {0};
    for (size_t i = 0; i < pack->lacks.count; i++) {
        mls_buffer_printf(&list, "%s%s", i > 0 ? ", " : "", pack->lacks.items[i]);
    }
    if (list.len > 0 && !list.failed) {
        mls_findings_add(&pack->findings, MLS_FINDING_SYSTEM_EMPTY, (mls_finding_place){0},
                         "to be filled in, as the logs do not say it: %s", list.ptr);
    }
    const bool failed = list.failed || pack->findings.out_of_memory;
    mls_buffer_release(&list);
    return failed ? mls_error_memory(self->error) : MLS_OK;
}

/* The description that is there, or a new one. */
static mls_status lay_description(mls_packing *self)
{
    mls_pack *pack = self->pack;
    struct stat about;
    mls_buffer text = {0};
    char *there = mls_path_join(self->options->into, pack->system);
    char *path = mls_path_join(self->tree, pack->system);
    mls_status status = there != NULL && path != NULL ? MLS_OK : mls_error_memory(self->error);
    status = status == MLS_OK ? mls_packing_folder(self, &self->inside, self->tree, "systems") : status;
    pack->described = status == MLS_OK && there != NULL && lstat(there, &about) == 0;
    if (pack->described) {
        status = mls_packing_copy(self, there, pack->system);
    } else if (status == MLS_OK) {
        status = mls_skeleton_append(pack->group, self->options->system, self->options->described, &text,
                                     &pack->findings, lack_field, pack, self->error);
        status = status == MLS_OK ? tell_lacks(self) : status;
        status =
            status == MLS_OK ? mls_made_file(&self->inside, path, 0666, mls_buffer_str(&text), self->error) : status;
    }
    mls_buffer_release(&text);
    free(there);
    free(path);
    return status;
}

/* Each log of the result must be of the one run that was scored: what a file holds besides would be judged with it. */
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
                                 "%.*s: holds more than this run: a result needs a log of its own",
                                 MLS_CUT_TEXT(scored->file, 200));
        }
    }
    return MLS_OK;
}

/* Judges what was laid out, as it will be in its place. */
static mls_status judge_packed(mls_packing *self)
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

/* Whether scrubbing left a verdict as it was: all errors, of the rest nothing that was not there. */
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

/* Refuses what is judged otherwise than `before` it was scrubbed. */
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
                                 "%.*s: is judged otherwise when scrubbed, so nothing is packed",
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
                                "seeds, convergence or the score differ when the logs are scrubbed, so nothing is "
                                "packed: two things may have become one");
}

/* Scrubs the logs and power files that were laid out and have been judged, and judges them again. */
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

/* Sees that all folders that were laid out are on the disk; their files are. */
static mls_status sync_folders(const mls_packing *self)
{
    mls_status status = MLS_OK;
    for (size_t i = 0; i < self->inside.count && status == MLS_OK; i++) {
        struct stat about;
        if (lstat(self->inside.items[i], &about) == 0 && S_ISDIR(about.st_mode)) {
            status = mls_made_sync(self->inside.items[i], self->error);
        }
    }
    return status;
}

/* Moves what was laid out at a path to the same path of the submission. */
static mls_status place(mls_packing *self, const char *path)
{
    const char *into = self->options->into;
    const mls_str above = mls_path_folder(mls_str_from(path));
    char *folder = mls_strndup(path, above.len - 1);
    char *from = mls_path_join(self->tree, path);
    char *to = mls_path_join(into, path);
    char *there = folder != NULL ? mls_path_join(into, folder) : NULL;
    const bool ok = folder != NULL && from != NULL && to != NULL && there != NULL;
    mls_status status = ok ? mls_packing_folder(self, &self->placed, into, folder) : mls_error_memory(self->error);
    status = status == MLS_OK ? mls_made_move(&self->placed, from, to, self->error) : status;
    status = status == MLS_OK ? mls_made_sync(there, self->error) : status;
    free(folder);
    free(from);
    free(to);
    free(there);
    return status;
}

/* Back into the tree, where it goes with all else. */
static void take_back(const mls_packing *self, const char *path)
{
    char *from = mls_path_join(self->options->into, path);
    char *to = mls_path_join(self->tree, path);
    struct stat about;
    if (from != NULL && to != NULL && lstat(to, &about) != 0) {
        (void)rename(from, to);
    }
    free(from);
    free(to);
}

/* Puts what was laid out into the submission: the description first, the result last and in one step. */
static mls_status place_packed(mls_packing *self)
{
    const mls_pack *pack = self->pack;
    mls_status status = sync_folders(self);
    if (status == MLS_OK && !pack->described) {
        status = place(self, pack->system);
    }
    if (status == MLS_OK && pack->implementation != NULL) {
        status = place(self, pack->implementation);
        if (status == MLS_OK) {
            status = place(self, pack->path);
        }
        if (status != MLS_OK) {
            take_back(self, pack->path);
            take_back(self, pack->implementation);
        }
        return status;
    }
    status = status == MLS_OK ? place(self, pack->path) : status;
    if (status != MLS_OK) {
        take_back(self, pack->path);
    }
    return status;
}

/* The name of the folder in which a result is laid out; the last six bytes are replaced. */
static const char *tree_name(const mls_packing *self)
{
    mls_buffer name = {0};
    mls_buffer_printf(&name, ".%s.XXXXXX", self->pack->group->benchmark);
    const char *copy = name.failed ? NULL : mls_arena_copy(self->pack->arena, mls_buffer_str(&name)).ptr;
    mls_buffer_release(&name);
    return copy;
}

/* Nothing is overwritten: that something is there ends it before anything is read. */
static mls_status check_free(const mls_packing *self, const char *below)
{
    struct stat about;
    char *path = mls_path_join(self->options->into, below);
    const mls_status status =
        path == NULL ? mls_error_memory(self->error)
        : lstat(path, &about) == 0
            ? mls_error_set(self->error, MLS_ERROR_VALUE, 0, 0, "%.*s: is there already, and is not overwritten",
                            MLS_CUT_TEXT(path, 200))
            : MLS_OK;
    free(path);
    return status;
}

/* What is packed stays in the submission: none of the folders that it goes into may be a link. */
static mls_status check_links(const mls_packing *self, const char *below)
{
    mls_status status = MLS_OK;
    for (const char *end = below != NULL ? strchr(below, '/') : NULL; end != NULL && status == MLS_OK;
         end = strchr(end + 1, '/')) {
        struct stat about;
        char *folder = mls_strndup(below, (size_t)(end - below));
        char *path = folder != NULL ? mls_path_join(self->options->into, folder) : NULL;
        status = path == NULL ? mls_error_memory(self->error)
                 : lstat(path, &about) == 0 && S_ISLNK(about.st_mode)
                     ? mls_error_set(self->error, MLS_ERROR_VALUE, 0, 0,
                                     "%.*s: is a link, through which nothing is packed: make it a folder",
                                     MLS_CUT_TEXT(path, 200))
                     : MLS_OK;
        free(folder);
        free(path);
    }
    return status;
}

/* Whether there is room for what is packed; names what packs that were killed have left there. */
static mls_status find_room(mls_packing *self, const char *folder)
{
    mls_pack *pack = self->pack;
    mls_names names = {0};
    int system_errno;
    const char *tree = tree_name(self);
    char *above = mls_path_join(self->options->into, folder);
    mls_status status = tree == NULL || above == NULL ? mls_error_memory(self->error) : check_free(self, pack->path);
    status = status == MLS_OK ? check_links(self, pack->path) : status;
    status = status == MLS_OK ? check_links(self, pack->system) : status;
    if (status == MLS_OK && pack->implementation != NULL) {
        status = check_free(self, pack->implementation);
        status = status == MLS_OK ? check_links(self, pack->implementation) : status;
    }
    status = status == MLS_OK ? mls_folder_names(above, 1000000, &names, &system_errno) : status;
    for (size_t i = 0; i < names.count && status == MLS_OK; i++) {
        const mls_str name = mls_str_from(names.items[i]);
        const mls_str like = mls_str_from(tree);
        if (name.len == like.len && mls_str_starts(name, (mls_str){like.ptr, like.len - strlen("XXXXXX")})) {
            const char *rest = mls_packing_path(pack, folder, names.items[i], 0, NULL);
            status =
                rest != NULL && MLS_ARENA_ADD(pack->arena, &pack->rests, rest) ? MLS_OK : mls_error_memory(self->error);
        }
    }
    mls_names_release(&names);
    free(above);
    return status;
}

/* Where the result is laid out: beside its place, or where other files come and go when nothing is to be kept. */
static mls_status make_tree(mls_packing *self, const char *folder)
{
    const char *temporary = getenv("TMPDIR");
    const char *tree = tree_name(self);
    char *above = self->options->write ? mls_path_join(self->options->into, folder)
                                       : mls_strdup(temporary != NULL && *temporary != '\0' ? temporary : "/tmp");
    sigset_t signals;
    mls_temporary_hold(&signals);
    mls_status status = tree == NULL || above == NULL ? mls_error_memory(self->error)
                        : self->options->write        ? mls_made_folder(&self->placed, above, self->error)
                                                      : MLS_OK;
    for (size_t i = 0; i < self->placed.count; i++) {
        mls_temporary_empty_folder(self->placed.items[i]);
    }
    self->tree = above != NULL && tree != NULL ? mls_path_join(above, tree) : NULL;
    status = self->tree == NULL ? mls_error_memory(self->error) : status;
    free(above);
    status = status == MLS_OK ? mls_made_own_folder(&self->inside, self->tree, self->error) : status;
    mls_temporary_let_go(&signals);
    return status;
}

/* The name of the folder of code, in the arena: its last part. */
static mls_status name_code(mls_packing *self)
{
    mls_pack *pack = self->pack;
    char *real = realpath(self->options->implementation, NULL);
    const char *name = real != NULL ? mls_path_name(real) : "";
    mls_status status = MLS_ERROR_UNKNOWN;
    struct stat about;
    mls_buffer path = {0};
    if (real == NULL || stat(real, &about) != 0 || !S_ISDIR(about.st_mode)) {
        status = mls_error_set(self->error, MLS_ERROR_READ, 0, 0, "%.*s: %s",
                               MLS_CUT_TEXT(self->options->implementation, 150),
                               real == NULL ? strerror(errno) : "is no folder");
    } else if (is_pack_name("implementation", name, self->error)) {
        mls_buffer_printf(&path, "benchmarks/%s/implementations/%s", pack->group->benchmark, name);
        pack->implementation = path.failed ? NULL : mls_arena_copy(pack->arena, mls_buffer_str(&path)).ptr;
        status = pack->implementation != NULL ? MLS_OK : mls_error_memory(self->error);
    }
    mls_buffer_release(&path);
    free(real);
    return status;
}

/* Names all paths; *folder is that of the result's folder. */
static mls_status name_paths(mls_packing *self, const char **folder)
{
    mls_pack *pack = self->pack;
    const mls_pack_options *options = self->options;
    if (!is_pack_name("system", options->system, self->error) ||
        !is_pack_name("benchmark", pack->group->benchmark, self->error)) {
        return MLS_ERROR_UNKNOWN;
    }
    pack->weak = pack->group->usage == MLS_USAGE_HPC &&
                 (options->weak || mls_path_is_weak(pack->group->usage, pack->group->path));
    *folder = mls_packing_path(pack, "results", options->system, 0, NULL);
    if (*folder != NULL && pack->group->usage == MLS_USAGE_HPC) {
        *folder = mls_packing_path(pack, *folder, pack->weak ? "weak" : "strong", 0, NULL);
    }
    mls_buffer name = {0};
    mls_buffer_printf(&name, "systems/%s.json", options->system);
    pack->system = name.failed ? NULL : mls_arena_copy(pack->arena, mls_buffer_str(&name)).ptr;
    pack->path = *folder != NULL ? mls_packing_path(pack, *folder, pack->group->benchmark, 0, NULL) : NULL;
    pack->title = options->system;
    mls_buffer_release(&name);
    mls_status status = pack->system != NULL && pack->path != NULL ? MLS_OK : mls_error_memory(self->error);
    return status == MLS_OK && options->implementation != NULL ? name_code(self) : status;
}

mls_status mls_pack_make(const mls_collection *collection, const mls_pack_options *options, mls_pack *pack,
                         mls_error *error)
{
    *pack = (mls_pack){.arena = mls_calloc(1, sizeof *pack->arena)};
    mls_packing self = {.options = options, .pack = pack, .error = error};
    const char *folder = NULL;
    mls_status status = pack->arena != NULL ? choose_group(&self, collection) : mls_error_memory(error);
    status = status == MLS_OK ? name_paths(&self, &folder) : status;
    status = status == MLS_OK ? choose_runs(&self) : status;
    status = status == MLS_OK ? find_room(&self, folder) : status;
    status = status == MLS_OK ? make_tree(&self, folder) : status;
    status = status == MLS_OK ? mls_packing_copy_logs(&self) : status;
    status = status == MLS_OK ? lay_description(&self) : status;
    status = status == MLS_OK ? mls_packing_copy_code(&self) : status;
    status = status == MLS_OK ? judge_packed(&self) : status;
    status = status == MLS_OK ? check_whole(&self) : status;
    status = status == MLS_OK && options->scrub ? scrub_packed(&self) : status;
    if (status == MLS_OK && (pack->valid || options->force) && options->write) {
        sigset_t signals;
        mls_temporary_hold(&signals); /* a description without its result would be left */
        status = place_packed(&self);
        pack->written = status == MLS_OK;
        mls_temporary_let_go(&signals);
    }
    mls_made_undo(&self.inside);
    if (self.tree != NULL) {
        mls_temporary_forget(self.tree);
    }
    if (pack->written) {
        mls_names_release(&self.placed);
    } else {
        mls_made_undo(&self.placed);
    }
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
