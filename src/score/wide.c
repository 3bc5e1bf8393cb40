/* SPDX-License-Identifier: Apache-2.0 */
/* wide.c - which names the runs of a collection have between them. */
#include "score/wide.h"

#include <stdlib.h>

#include "base/map.h"
#include "base/utf8.h"
#include "run/tracked.h"

/* The names so far, found by how they print, and which known settings some run has printed. */
typedef struct wide_finder {
    mls_wide *wide;
    mls_arena scratch;
    mls_map by_text[MLS_WIDE_PRINTED]; /* of the kinds before that one */
    mls_buffer text;
    bool printed[MLS_KNOWN_SETTINGS_MAX];
} wide_finder;

static bool add_column(wide_finder *finder, mls_wide_kind kind, mls_str name)
{
    mls_wide *wide = finder->wide;
    bool added = false;
    mls_buffer_clear(&finder->text);
    mls_escape_append(&finder->text, name);
    bool ok =
        !finder->text.failed && mls_map_put(&finder->by_text[kind], mls_buffer_str(&finder->text), &added) != NULL;
    if (ok && added) {
        name = mls_arena_copy(&wide->arena, name);
        ok = name.ptr != NULL && MLS_ARENA_ADD(&wide->arena, &wide->names[kind], name);
    }
    return ok;
}

static bool add_run_names(wide_finder *finder, const mls_run *run)
{
    const mls_known_settings *known = &finder->wide->known;
    const mls_tracked *tracked = mls_collection_notes(finder->wide->collection, run);
    mls_str values[MLS_KNOWN_SETTINGS_MAX];
    bool ok = true;
    for (size_t i = 0; i < run->hyperparameter_count && ok; i++) {
        ok = add_column(finder, MLS_WIDE_HYPERPARAMETERS, run->hyperparameters[i].key);
    }
    for (size_t i = 0; tracked != NULL && i < tracked->sums.count && ok; i++) {
        ok = add_column(finder, MLS_WIDE_TRACKED, tracked->sums.entries[i].key);
    }
    if (run->printed != NULL) {
        (void)mls_known_values(known, run->printed, values);
        for (size_t k = 0; k < known->count; k++) {
            finder->printed[k] |= values[k].ptr != NULL;
        }
    }
    return ok;
}

static int compare_columns(const void *a, const void *b)
{
    return mls_str_compare(*(const mls_str *)a, *(const mls_str *)b);
}

/* Puts the names of a kind in order, and leaves out those beyond the most. */
static void settle_names(mls_wide_names *names)
{
    if (names->count > 0) {
        qsort(names->items, names->count, sizeof *names->items, compare_columns);
    }
    names->left_out = names->count > MLS_WIDE_NAMES_MAX ? names->count - MLS_WIDE_NAMES_MAX : 0;
    names->count -= names->left_out;
}

/* Group by group, as the runs of others may not be there. */
static bool find_names(wide_finder *finder)
{
    mls_wide *wide = finder->wide;
    bool ok = true;
    for (size_t i = 0; i < wide->collection->group_count && ok; i++) {
        const mls_group *group = &wide->collection->groups[i];
        for (size_t k = 0; k < group->run_count && ok; k++) {
            ok = add_run_names(finder, group->runs[k]);
        }
    }
    settle_names(&wide->names[MLS_WIDE_HYPERPARAMETERS]);
    settle_names(&wide->names[MLS_WIDE_TRACKED]);
    for (size_t k = 0; k < wide->known.count && ok; k++) {
        ok = !finder->printed[k] ||
             MLS_ARENA_ADD(&wide->arena, &wide->names[MLS_WIDE_PRINTED], mls_str_from(wide->known.items[k].name));
    }
    return ok;
}

mls_status mls_wide_find(const mls_collection *collection, mls_wide *wide, mls_error *error)
{
    wide_finder finder = {.wide = wide};
    for (int kind = 0; kind < MLS_WIDE_PRINTED; kind++) {
        finder.by_text[kind].arena = &finder.scratch;
    }
    *wide = (mls_wide){.collection = collection};
    mls_status status = mls_known_settings_load(&wide->known, error);
    if (status == MLS_OK && !find_names(&finder)) {
        status = mls_error_memory(error);
    }
    mls_buffer_release(&finder.text);
    mls_arena_release(&finder.scratch);
    return status;
}

void mls_wide_release(mls_wide *wide)
{
    mls_known_settings_release(&wide->known);
    mls_arena_release(&wide->arena);
}
