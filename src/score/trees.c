/* SPDX-License-Identifier: Apache-2.0 */
/* trees.c - which logs belong to one submission or round, and the edition that all of them have.
 *
 * A run may be older than the round that it was submitted to, so that its date alone points to the round before. */
#include <math.h>
#include <stdlib.h>

#include "base/file.h"
#include "score/part.h"
#include "score/slurm.h"

typedef struct mls_tree_edition {
    mls_usage usage;
    mls_edition_poll poll;
    const mls_edition *edition;
    bool by_date;
    mls_str above, system;    /* of the first result that was met: where its description stands */
    mls_str beside;           /* the folder that the submitter's lies in; ptr NULL: the tree is all of a round */
    struct tree_round *round; /* of all trees beside; NULL: there is one alone */
} mls_tree_edition;

/* Submitters' folders beside each other. */
typedef struct tree_round {
    mls_edition_poll poll; /* of all */
    size_t trees;
    mls_map submitters;
    bool apart; /* a submitter is there twice, or one is not known */
} tree_round;

typedef struct tree_finder {
    const char *const *paths;
    size_t path_count;
    const mls_collect_options *options;
    const mls_editions *editions;
    mls_sources *sources;
    mls_tree_editions *trees;
    mls_scan_room *room;
} tree_finder;

/* Whether a path that the user named leads to a folder above the one that ends with a slash. */
static bool is_named_above(const tree_finder *self, mls_str folder)
{
    for (size_t i = 0; i < self->path_count; i++) {
        mls_str path = mls_str_from(self->paths[i]);
        while (path.len > 1 && path.ptr[path.len - 1] == '/') {
            path.len--;
        }
        if (mls_str_starts(folder, path) && path.len + 1 < folder.len &&
            (folder.ptr[path.len] == '/' || path.ptr[path.len - 1] == '/')) {
            return true;
        }
    }
    return false;
}

/* The number of the tree of a result's folder from 1, 0: it is in none; SIZE_MAX: no memory. */
static size_t tree_of(const tree_finder *self, mls_str folder, mls_str *benchmark)
{
    mls_tree_editions *trees = self->trees;
    mls_str rest = folder;
    mls_str system;
    mls_str above;
    *benchmark = mls_path_cut(&rest);
    if (!mls_folder_of_system(folder, &system, &above)) {
        return 0;
    }
    mls_str beside = above;
    const mls_str submitter = above;
    (void)mls_path_cut(&beside);
    if (is_named_above(self, above)) {
        above = beside;
        beside.ptr = NULL;
    }
    const mls_collect_options *options = self->options;
    const mls_usage usage =
        options->any_usage ? mls_editions_usage_of(self->editions, options->usage, *benchmark) : options->usage;
    mls_map_entry *tree = mls_map_put(&trees->trees[usage], above, NULL);
    if (tree == NULL) {
        return SIZE_MAX;
    }
    if (tree->value.number == 0) {
        const mls_str where = mls_arena_copy(&trees->arena, submitter);
        system = mls_arena_copy(&trees->arena, system);
        if (where.ptr == NULL || system.ptr == NULL || !MLS_GROW(trees, items)) {
            return SIZE_MAX;
        }
        beside.ptr = beside.ptr != NULL ? tree->key.ptr : NULL;
        trees->items[trees->count++] =
            (mls_tree_edition){.usage = usage, .above = where, .system = system, .beside = beside};
        tree->value.number = trees->count;
    }
    return tree->value.number;
}

/* A log that the user named goes by what it says itself. */
static bool is_tree_log(const mls_source *source)
{
    return source->result && !source->named && source->skip == NULL;
}

/* Lets the result whose logs begin at a source have its say.  The end of its logs. */
static mls_status ask_result(tree_finder *self, size_t *at)
{
    const mls_source *sources = self->sources->items;
    const mls_str folder = mls_path_folder(mls_str_from(sources[*at].path));
    mls_str benchmark;
    bool added = false;
    double time_ms = (double)NAN;
    mls_status status = MLS_OK;
    mls_map_entry *entry = mls_map_put(&self->trees->folders, folder, &added);
    if (entry != NULL && added) {
        entry->value.number = tree_of(self, folder, &benchmark);
    }
    if (entry == NULL || entry->value.number == SIZE_MAX) {
        return MLS_ERROR_MEMORY;
    }
    const bool asked = added && entry->value.number > 0;
    for (; *at < self->sources->count; ++*at) {
        const mls_source *source = &sources[*at];
        if (!mls_str_equal(mls_path_folder(mls_str_from(source->path)), folder)) {
            break;
        }
        if (asked && is_tree_log(source) && isnan(time_ms) && status == MLS_OK) {
            mls_log_date(mls_source_open(source, true), false, &self->room, &time_ms);
        }
    }
    if (asked) {
        mls_tree_edition *tree = &self->trees->items[entry->value.number - 1];
        mls_edition_poll_add(&tree->poll, self->editions, tree->usage, time_ms, benchmark);
    }
    return status;
}

/* Adds the submitter of a tree to those of its round. */
static mls_status count_submitter(const mls_tree_edition *tree, mls_arena *arena)
{
    mls_buffer text = {0};
    mls_arena scratch = {0};
    mls_description says = {0};
    mls_str object;
    size_t wrong;
    bool added = false;
    mls_status status = mls_system_read(tree->above, tree->system, &text);
    if (status == MLS_OK &&
        mls_description_read(mls_buffer_str(&text), &scratch, &scratch, &says, &object, &wrong) == mls_reason_memory) {
        status = MLS_ERROR_MEMORY;
    }
    tree->round->submitters.arena = arena;
    if (status != MLS_ERROR_MEMORY && says.submitter != NULL) {
        const mls_map_entry *entry = mls_map_put(&tree->round->submitters, mls_str_from(says.submitter), &added);
        status = entry != NULL ? MLS_OK : MLS_ERROR_MEMORY;
    }
    tree->round->apart |= !added;
    mls_arena_release(&scratch);
    mls_buffer_release(&text);
    return status == MLS_ERROR_MEMORY ? status : MLS_OK;
}

/* Lets trees beside each other decide together when they are of one round, in which each submitter has one folder:
 * several submissions of one submitter are to several rounds. */
static mls_status join_rounds(mls_tree_editions *trees, mls_usage usage)
{
    mls_arena *arena = &trees->arena;
    mls_map rounds = {.arena = arena};
    mls_status status = MLS_OK;
    for (size_t i = 0; i < trees->count && status == MLS_OK; i++) {
        mls_tree_edition *tree = &trees->items[i];
        if (tree->usage != usage || tree->beside.ptr == NULL) {
            continue;
        }
        mls_map_entry *entry = mls_map_put(&rounds, tree->beside, NULL);
        if (entry != NULL && entry->value.pointer == NULL) {
            entry->value.pointer = mls_arena_zeroed(arena, 1, sizeof(tree_round));
        }
        tree->round = entry != NULL ? entry->value.pointer : NULL;
        status = tree->round != NULL ? MLS_OK : MLS_ERROR_MEMORY;
        if (tree->round != NULL) {
            tree->round->trees++;
            mls_edition_poll_sum(&tree->round->poll, &tree->poll);
        }
    }
    for (size_t i = 0; i < trees->count && status == MLS_OK; i++) {
        const mls_tree_edition *tree = &trees->items[i];
        if (tree->usage == usage && tree->round != NULL && tree->round->trees > 1 && !tree->round->apart) {
            status = count_submitter(tree, arena);
        }
    }
    for (size_t i = 0; i < trees->count && status == MLS_OK; i++) {
        mls_tree_edition *tree = &trees->items[i];
        if (tree->usage == usage && tree->round != NULL && !tree->round->apart) {
            tree->poll = tree->round->poll;
        }
    }
    return status;
}

/* The tree of a log; NULL: it is in none, or is no benchmark of its edition and goes by what it says itself. */
static const mls_tree_edition *find_tree(const mls_tree_editions *trees, const char *path)
{
    mls_str folder = mls_path_folder(mls_str_from(path));
    const mls_map_entry *entry = trees->folders.count > 0 ? mls_map_find(&trees->folders, folder) : NULL;
    const mls_tree_edition *tree =
        entry != NULL && entry->value.number > 0 ? &trees->items[entry->value.number - 1] : NULL;
    return tree != NULL && mls_edition_has_benchmark(tree->edition, mls_path_cut(&folder)) ? tree : NULL;
}

mls_status mls_tree_editions_find(const char *const *paths, size_t path_count, const mls_collect_options *options,
                                  mls_sources *sources, mls_tree_editions *trees)
{
    mls_rulesets *rulesets = options->checker.rulesets;
    const mls_editions *editions = rulesets != NULL ? mls_rulesets_editions(rulesets) : options->score.editions;
    tree_finder finder = {paths, path_count, options, editions, sources, trees, NULL};
    mls_status status = MLS_OK;
    trees->folders.arena = &trees->arena;
    for (size_t i = 0; i < MLS_USAGE_COUNT; i++) {
        trees->trees[i].arena = &trees->arena;
    }
    if (options->edition != NULL || options->checker.ruleset != NULL || editions == NULL) {
        return MLS_OK;
    }
    for (size_t i = 0; i < sources->count && status == MLS_OK;) {
        if (is_tree_log(&sources->items[i])) {
            status = ask_result(&finder, &i);
        } else {
            i++;
        }
    }
    mls_scan_room_free(finder.room);
    for (int usage = 0; usage < MLS_USAGE_COUNT && status == MLS_OK; usage++) {
        status = join_rounds(trees, (mls_usage)usage);
    }
    for (size_t i = 0; i < trees->count; i++) {
        mls_tree_edition *tree = &trees->items[i];
        tree->edition = mls_edition_poll_winner(&tree->poll, editions, tree->usage, &tree->by_date);
    }
    for (size_t i = 0; i < sources->count && trees->count > 0 && status == MLS_OK; i++) {
        mls_source *source = &sources->items[i];
        const mls_tree_edition *tree = is_tree_log(source) ? find_tree(trees, source->path) : NULL;
        source->edition = tree != NULL ? tree->edition : NULL;
    }
    return status;
}

void mls_tree_editions_release(mls_tree_editions *trees)
{
    free(trees->items);
    mls_arena_release(&trees->arena);
    *trees = (mls_tree_editions){0};
}

const mls_edition *mls_tree_editions_of(const mls_tree_editions *trees, const char *path, mls_usage *usage,
                                        bool *by_date)
{
    const mls_tree_edition *tree = find_tree(trees, path);
    if (tree != NULL) {
        *usage = tree->usage;
        *by_date = tree->by_date;
    }
    return tree != NULL ? tree->edition : NULL;
}

mls_status mls_tree_editions_tell(const mls_tree_editions *trees, const mls_editions *editions, mls_group *group)
{
    const mls_run *run = group->runs[0];
    const mls_carried_tree *carried = run->carried != NULL ? &run->carried->place->tree : NULL;
    const mls_edition *edition = NULL;
    mls_usage usage = MLS_USAGE_TRAINING;
    bool by_date = false;
    mls_status status = MLS_OK;
    if (group->result_folder && carried == NULL) {
        edition = mls_tree_editions_of(trees, run->file, &usage, &by_date);
    } else if (group->result_folder && carried->edition != NULL) {
        usage = carried->usage;
        by_date = carried->by_date;
        status = mls_editions_find(editions, usage, mls_str_from(carried->edition), &edition, NULL);
    }
    if (edition != NULL && usage == group->usage) {
        group->edition = edition;
        group->edition_guessed = true;
        group->edition_by_date = by_date;
    }
    return status;
}
