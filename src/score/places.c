/* SPDX-License-Identifier: Apache-2.0 */
/* places.c - find facts that follow from the folder of a log: the submission or round that contains the log, the
 * edition of all logs of this submission, and the description of the system.
 *
 * A run may be older than the round to which it was submitted, so its date alone may point to the previous round. */
#include <math.h>
#include <stdlib.h>

#include "base/file.h"
#include "base/memory.h"
#include "score/score.h"

typedef struct mls_tree_edition {
    mls_usage usage;
    mls_edition_poll poll;
    const mls_edition *edition;
    bool by_date;
    mls_str above, system;    /* mls_folder_of_system() of the first result, to read the description of its system */
    mls_str beside;           /* parent of the submitter's folder; ptr NULL: the tree is a whole round */
    struct tree_round *round; /* shared by all trees in the folder `beside`; NULL: the tree is a whole round */
} mls_tree_edition;

/* The trees of submitters in the same parent folder. */
typedef struct tree_round {
    mls_edition_poll poll; /* votes of all trees */
    size_t trees;
    mls_map submitters;
    bool apart; /* the trees choose separately, since a submitter is unknown or has several trees */
} tree_round;

bool mls_folder_of_system(mls_str folder, mls_str *system, mls_str *above)
{
    const mls_str benchmark = mls_path_cut(&folder);
    *system = mls_path_cut(&folder);
    if (mls_str_equal(*system, MLS_S("strong")) || mls_str_equal(*system, MLS_S("weak")))
        *system = mls_path_cut(&folder);
    const mls_str results = mls_path_cut(&folder);
    *above = folder;
    return mls_str_equal(results, MLS_S("results")) && benchmark.len > 0 && benchmark.ptr[0] != '.' &&
           system->len > 0 && system->ptr[0] != '.';
}

/* Append the text of systems/<system>.json in the submitter's folder `above`, which ends with a slash or is empty.  If
 * the process runs as root, do not follow links out of the folder of another user. */
static mls_status read_system(mls_str above, mls_str system, mls_buffer *text)
{
    mls_buffer path = {0};
    mls_buffer_append(&path, above.len > 0 ? above : MLS_S("./"));
    size_t root = mls_folder_is_of_other_user(path.ptr) ? path.len : 0;
    mls_buffer_append_text(&path, "systems/");
    root = root == 0 && mls_folder_is_of_other_user(path.ptr) ? path.len : root;
    mls_buffer_printf(&path, "%.*s.json", (int)system.len, system.ptr);
    const mls_status status = mls_file_read_again(path.ptr, root, MLS_SYSTEM_BYTES_MAX, text, NULL);
    mls_buffer_release(&path);
    return status;
}

/* ----------------------------------------------------------------- trees */

/* Check whether the edition of a tree applies to a log in it.  A log that the user named has its own edition. */
static bool is_tree_log(const mls_source *source)
{
    return source->result && !source->named && source->skip == NULL;
}

/* Return the tree of a log; NULL if the log is not in a tree, or the edition of the tree does not have its benchmark.
 */
static const mls_tree_edition *find_tree(const mls_tree_editions *trees, const char *path)
{
    mls_str folder = mls_path_folder(mls_str_from(path));
    const mls_map_entry *entry = trees->folders.count > 0 ? mls_map_find(&trees->folders, folder) : NULL;
    const mls_tree_edition *tree =
        entry != NULL && entry->value.number > 0 ? &trees->items[entry->value.number - 1] : NULL;
    return tree != NULL && mls_edition_has_benchmark(tree->edition, mls_path_cut(&folder)) ? tree : NULL;
}

void mls_tree_editions_find(const char *const *paths, size_t path_count, const mls_collect_options *options,
                            mls_sources *sources, mls_tree_editions *trees)
{
    mls_rulesets *rulesets = options->checker.rulesets;
    const mls_editions *editions = rulesets != NULL ? mls_rulesets_editions(rulesets) : options->score.editions;
    mls_scan_room *room = NULL;
    trees->folders.arena = &trees->arena;
    for (size_t i = 0; i < MLS_USAGE_COUNT; i++)
        trees->trees[i].arena = &trees->arena;
    if (options->edition != NULL || options->checker.ruleset != NULL || editions == NULL)
        return;
    /* Each result in a tree has a vote, by the date of its first log.  The logs of a result are adjacent in `sources`.
     */
    for (size_t i = 0; i < sources->count;) {
        const mls_str folder = mls_path_folder(mls_str_from(sources->items[i].path));
        mls_str rest = folder;
        const mls_str benchmark = mls_path_cut(&rest);
        mls_str system;
        mls_str submitter;
        bool added = false;
        double time_ms = (double)NAN;
        mls_tree_edition *tree = NULL;
        if (!is_tree_log(&sources->items[i])) {
            i++;
            continue;
        }
        mls_map_entry *entry = mls_map_put(&trees->folders, folder, &added);
        if (added && mls_folder_of_system(folder, &system, &submitter)) {
            mls_str above = submitter;
            mls_str beside = submitter;
            (void)mls_path_cut(&beside);
            for (size_t k = 0; k < path_count && beside.ptr != NULL; k++) {
                mls_str path = mls_str_from(paths[k]);
                while (path.len > 1 && path.ptr[path.len - 1] == '/')
                    path.len--;
                if (mls_str_starts(submitter, path) && path.len + 1 < submitter.len &&
                    (submitter.ptr[path.len] == '/' || path.ptr[path.len - 1] == '/')) {
                    above = beside; /* the user named a folder above the submitter's */
                    beside.ptr = NULL;
                }
            }
            const mls_usage usage =
                options->any_usage ? mls_editions_usage_of(editions, options->usage, benchmark) : options->usage;
            mls_map_entry *number = mls_map_put(&trees->trees[usage], above, NULL);
            if (number->value.number == 0) {
                MLS_GROW(trees, items);
                trees->items[trees->count++] =
                    (mls_tree_edition){.usage = usage,
                                       .above = mls_arena_copy(&trees->arena, submitter),
                                       .system = mls_arena_copy(&trees->arena, system),
                                       .beside = {beside.ptr != NULL ? number->key.ptr : NULL, beside.len}};
                number->value.number = trees->count;
            }
            entry->value.number = number->value.number;
            tree = &trees->items[entry->value.number - 1];
        }
        for (; i < sources->count; i++) {
            const mls_source *source = &sources->items[i];
            if (!mls_str_equal(mls_path_folder(mls_str_from(source->path)), folder))
                break;
            /* The date decides the edition, which must be known before runs are judged. */
            if (tree != NULL && is_tree_log(source) && isnan(time_ms))
                time_ms = mls_log_date(mls_source_open(source, true), false, &room);
        }
        if (tree != NULL)
            mls_edition_poll_add(&tree->poll, editions, tree->usage, time_ms, benchmark);
    }
    mls_scan_room_free(room);
    /* Let the trees in a parent folder choose an edition together if they belong to one round.  In a round, each
     * submitter has one folder; several folders of one submitter are submissions to several rounds. */
    mls_map rounds[MLS_USAGE_COUNT] = {{0}};
    for (size_t i = 0; i < trees->count; i++) {
        mls_tree_edition *tree = &trees->items[i];
        if (tree->beside.ptr != NULL) {
            rounds[tree->usage].arena = &trees->arena;
            mls_map_entry *entry = mls_map_put(&rounds[tree->usage], tree->beside, NULL);
            if (entry->value.pointer == NULL)
                entry->value.pointer = mls_arena_zeroed(&trees->arena, 1, sizeof(tree_round));
            tree->round = entry->value.pointer;
            tree->round->trees++;
            mls_edition_poll_sum(&tree->round->poll, &tree->poll);
        }
    }
    for (size_t i = 0; i < trees->count; i++) {
        const mls_tree_edition *tree = &trees->items[i];
        mls_buffer text = {0};
        mls_arena scratch = {0};
        mls_description says = {0};
        mls_str object;
        size_t wrong;
        bool added = false;
        if (tree->round == NULL || tree->round->trees == 1 || tree->round->apart)
            continue;
        if (read_system(tree->above, tree->system, &text) == MLS_OK &&
            mls_description_read(mls_buffer_str(&text), &scratch, &scratch, &says, &object, &wrong) == NULL &&
            says.submitter != NULL) {
            tree->round->submitters.arena = &trees->arena;
            mls_map_put(&tree->round->submitters, mls_str_from(says.submitter), &added);
        }
        tree->round->apart |= !added;
        mls_arena_release(&scratch);
        mls_buffer_release(&text);
    }
    for (size_t i = 0; i < trees->count; i++) {
        mls_tree_edition *tree = &trees->items[i];
        if (tree->round != NULL && !tree->round->apart)
            tree->poll = tree->round->poll;
        tree->edition = mls_edition_poll_winner(&tree->poll, editions, tree->usage, &tree->by_date);
    }
    for (size_t i = 0; i < sources->count && trees->count > 0; i++) {
        mls_source *source = &sources->items[i];
        const mls_tree_edition *tree = is_tree_log(source) ? find_tree(trees, source->path) : NULL;
        source->edition = tree != NULL ? tree->edition : NULL;
    }
}

void mls_tree_editions_release(mls_tree_editions *trees)
{
    free(trees->items);
    mls_arena_release(&trees->arena);
    *trees = (mls_tree_editions){0};
}

/* ---------------------------------------------------------------- places */

void mls_place_find_tree(const mls_tree_editions *trees, const char *path, mls_place *place)
{
    const mls_tree_edition *tree = find_tree(trees, path);
    if (tree != NULL) {
        place->edition = tree->edition->name;
        place->usage = tree->usage;
        place->by_date = tree->by_date;
    }
}

void mls_place_find_system(mls_str folder, mls_arena *arena, mls_place *place)
{
    mls_buffer text = {0};
    mls_str id;
    mls_str above;
    char *whole = NULL;
    bool known = mls_folder_of_system(folder, &id, &above);
    if (!known && !mls_str_starts(folder, MLS_S("/"))) { /* try again after resolving links */
        char *named = mls_strndup(folder.len > 0 ? folder.ptr : ".", folder.len > 0 ? folder.len : 1);
        whole = realpath(named, NULL);
        known = whole != NULL && mls_folder_of_system(mls_str_from(whole), &id, &above);
        free(named);
    }
    if (known) {
        place->system = mls_arena_copy(arena, id).ptr;
        if (read_system(above, id, &text) == MLS_OK)
            place->description = mls_arena_copy(arena, mls_buffer_str(&text));
    }
    mls_buffer_release(&text);
    free(whole);
}

mls_str mls_group_folder(const mls_group *group)
{
    const char *file = group->runs[0]->file;
    const mls_str folder = mls_path_folder(mls_str_from(file));
    const bool together =
        strcmp(file, "-") != 0 &&
        mls_str_starts(mls_str_from(group->path), (mls_str){folder.ptr, folder.len - (folder.len > 1)});
    return together ? folder : (mls_str){0};
}
