/* SPDX-License-Identifier: Apache-2.0 */
/* wide.c - find the names of columns that the runs of a collection have. */
#include "score/wide.h"

#include <stdlib.h>

#include "base/map.h"
#include "base/utf8.h"
#include "run/tracked.h"

/* The names so far, by their printed form, and the known settings that some run printed. */
typedef struct wide_finder {
    mls_wide *wide;
    mls_arena scratch;
    mls_map by_text[MLS_WIDE_PRINTED]; /* for the kinds before MLS_WIDE_PRINTED */
    mls_buffer text;
    bool printed[MLS_KNOWN_SETTINGS_MAX];
} wide_finder;

static void add_column(wide_finder *finder, mls_wide_kind kind, mls_str name)
{
    mls_arena *arena = &finder->wide->arena;
    bool added = false;
    mls_buffer_clear(&finder->text);
    mls_escape_append(&finder->text, name);
    (void)mls_map_put(&finder->by_text[kind], mls_buffer_str(&finder->text), &added);
    if (added)
        (void)MLS_ARENA_ADD(arena, &finder->wide->names[kind], mls_arena_copy(arena, name));
}

static void add_run_names(wide_finder *finder, const mls_run *run)
{
    const mls_known_settings *known = &finder->wide->known;
    const mls_tracked *tracked = mls_collection_notes(finder->wide->collection, run);
    mls_str values[MLS_KNOWN_SETTINGS_MAX];
    for (size_t i = 0; i < run->hyperparameter_count; i++)
        add_column(finder, MLS_WIDE_HYPERPARAMETERS, run->hyperparameters[i].key);
    for (size_t i = 0; tracked != NULL && i < tracked->sums.count; i++)
        add_column(finder, MLS_WIDE_TRACKED, tracked->sums.entries[i].key);
    if (run->printed != NULL) {
        (void)mls_known_values(known, run->printed, values);
        for (size_t k = 0; k < known->count; k++)
            finder->printed[k] |= values[k].ptr != NULL;
    }
}

static int compare_columns(const void *a, const void *b)
{
    return mls_str_compare(*(const mls_str *)a, *(const mls_str *)b);
}

/* Sort the names of a kind, and remove those beyond the maximum. */
static void settle_names(mls_wide_names *names)
{
    if (names->count > 0)
        qsort(names->items, names->count, sizeof *names->items, compare_columns);
    names->left_out = names->count > MLS_WIDE_NAMES_MAX ? names->count - MLS_WIDE_NAMES_MAX : 0;
    names->count -= names->left_out;
}

mls_status mls_wide_find(const mls_collection *collection, mls_wide *wide, mls_error *error)
{
    wide_finder finder = {.wide = wide};
    *wide = (mls_wide){.collection = collection};
    const mls_status status = mls_known_settings_load(&wide->known, error);
    for (int kind = 0; kind < MLS_WIDE_PRINTED; kind++)
        finder.by_text[kind].arena = &finder.scratch;
    for (size_t i = 0; i < collection->group_count && status == MLS_OK; i++)
        for (size_t k = 0; k < collection->groups[i].run_count; k++)
            add_run_names(&finder, collection->groups[i].runs[k]);
    settle_names(&wide->names[MLS_WIDE_HYPERPARAMETERS]);
    settle_names(&wide->names[MLS_WIDE_TRACKED]);
    for (size_t k = 0; k < wide->known.count; k++)
        if (finder.printed[k])
            (void)MLS_ARENA_ADD(&wide->arena, &wide->names[MLS_WIDE_PRINTED], mls_str_from(wide->known.items[k].name));
    mls_buffer_release(&finder.text);
    mls_arena_release(&finder.scratch);
    return status;
}

void mls_wide_release(mls_wide *wide)
{
    mls_known_settings_release(&wide->known);
    mls_arena_release(&wide->arena);
}
