/* SPDX-License-Identifier: Apache-2.0 */
/* wide.c - find the names of the columns that the runs of a collection need. */
#include "score/wide.h"

#include <stdlib.h>

#include "base/map.h"
#include "base/utf8.h"
#include "run/tracked.h"

/* State of mls_wide_find().  by_text contains the escaped form of the names found so far. */
typedef struct wide_finder {
    mls_wide *wide;
    mls_arena scratch;
    mls_map by_text[MLS_WIDE_PRINTED]; /* for hyperparameters and tracked metrics */
    mls_buffer text;
} wide_finder;

static void add_column(wide_finder *finder, mls_wide_kind kind, mls_str name)
{
    mls_arena *arena = &finder->wide->arena;
    bool added = false;
    mls_buffer_clear(&finder->text);
    mls_escape_append(&finder->text, name);
    (void)mls_map_put(&finder->by_text[kind], mls_buffer_str(&finder->text), &added);
    if (added)
        MLS_ARENA_ADD(arena, &finder->wide->names[kind], mls_arena_copy(arena, name));
}

static int compare_columns(const void *a, const void *b)
{
    return mls_str_compare(*(const mls_str *)a, *(const mls_str *)b);
}

mls_status mls_wide_find(const mls_collection *collection, mls_wide *wide, mls_error *error)
{
    wide_finder finder = {.wide = wide};
    const mls_known_settings *known = &wide->known;
    mls_str values[MLS_KNOWN_SETTINGS_MAX];
    bool printed[MLS_KNOWN_SETTINGS_MAX] = {false};
    *wide = (mls_wide){.collection = collection};
    const mls_status status = mls_known_settings_load(&wide->known, error);
    for (int kind = 0; kind < MLS_WIDE_PRINTED; kind++)
        finder.by_text[kind].arena = &finder.scratch;
    for (size_t i = 0; i < collection->group_count && status == MLS_OK; i++) {
        for (size_t k = 0; k < collection->groups[i].run_count; k++) {
            const mls_run *run = collection->groups[i].runs[k];
            const mls_tracked *tracked = mls_collection_notes(collection, run);
            for (size_t n = 0; n < run->hyperparameter_count; n++)
                add_column(&finder, MLS_WIDE_HYPERPARAMETERS, run->hyperparameters[n].key);
            for (size_t n = 0; tracked != NULL && n < tracked->sums.count; n++)
                add_column(&finder, MLS_WIDE_TRACKED, tracked->sums.entries[n].key);
            if (run->printed != NULL)
                (void)mls_known_values(known, run->printed, values);
            for (size_t n = 0; n < known->count && run->printed != NULL; n++)
                printed[n] |= values[n].ptr != NULL;
        }
    }
    for (int kind = 0; kind < MLS_WIDE_PRINTED; kind++) {
        mls_wide_names *names = &wide->names[kind];
        if (names->count > 0)
            qsort(names->items, names->count, sizeof *names->items, compare_columns);
        names->left_out = names->count > MLS_WIDE_NAMES_MAX ? names->count - MLS_WIDE_NAMES_MAX : 0;
        names->count -= names->left_out;
    }
    for (size_t k = 0; k < known->count; k++)
        if (printed[k])
            MLS_ARENA_ADD(&wide->arena, &wide->names[MLS_WIDE_PRINTED], mls_str_from(known->items[k].name));
    mls_buffer_release(&finder.text);
    mls_arena_release(&finder.scratch);
    return status;
}

void mls_wide_release(mls_wide *wide)
{
    mls_known_settings_release(&wide->known);
    mls_arena_release(&wide->arena);
}
