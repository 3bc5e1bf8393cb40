/* SPDX-License-Identifier: Apache-2.0 */
/* wide.c - which names the runs of a collection have between them. */
#include "slurm/wide.h"

#include <stdlib.h>

#include "base/map.h"
#include "base/utf8.h"
#include "score/tracked.h"

/* The names so far, found by how they print. */
typedef struct wide_finder {
    mls_map by_text;
    mls_buffer text; /* scratch */
    mls_arena *arena;
    mls_wide_names *names;
} wide_finder;

static bool add_column(wide_finder *finder, mls_str name)
{
    bool added;
    mls_buffer_clear(&finder->text);
    mls_escape_append(&finder->text, name);
    return !finder->text.failed && mls_map_put(&finder->by_text, mls_buffer_str(&finder->text), &added) != NULL &&
           (!added || MLS_ARENA_ADD(finder->arena, finder->names, name));
}

static bool add_run_names(wide_finder *finder, const mls_run *run, mls_wide_kind kind)
{
    const mls_tracked *tracked = kind == MLS_WIDE_TRACKED ? run->notes : NULL;
    bool ok = true;
    for (size_t i = 0; kind == MLS_WIDE_HYPERPARAMETERS && i < run->hyperparameter_count && ok; i++) {
        ok = add_column(finder, run->hyperparameters[i].key);
    }
    for (size_t i = 0; tracked != NULL && i < tracked->sums.count && ok; i++) {
        ok = add_column(finder, tracked->sums.entries[i].key);
    }
    return ok;
}

static int compare_columns(const void *a, const void *b)
{
    return mls_str_compare(*(const mls_str *)a, *(const mls_str *)b);
}

static bool find_names(mls_wide *wide, mls_wide_kind kind)
{
    mls_arena scratch = {0};
    mls_wide_names *names = &wide->names[kind];
    wide_finder finder = {.by_text = {.arena = &scratch}, .arena = &wide->arena, .names = names};
    bool ok = true;
    for (size_t i = 0; i < wide->collection->run_count && ok; i++) {
        ok = add_run_names(&finder, &wide->collection->runs[i], kind);
    }
    if (names->count > 0) {
        qsort(names->items, names->count, sizeof *names->items, compare_columns);
    }
    names->left_out = names->count > MLS_WIDE_NAMES_MAX ? names->count - MLS_WIDE_NAMES_MAX : 0;
    names->count -= names->left_out;
    mls_buffer_release(&finder.text);
    mls_arena_release(&scratch);
    return ok;
}

/* The known settings that some run printed. */
static bool find_printed(mls_wide *wide)
{
    bool any[MLS_KNOWN_SETTINGS_MAX] = {0};
    mls_str values[MLS_KNOWN_SETTINGS_MAX];
    bool ok = true;
    for (size_t i = 0; i < wide->collection->run_count; i++) {
        const mls_printed *printed = wide->collection->runs[i].printed;
        if (printed != NULL) {
            (void)mls_known_values(&wide->known, printed, values);
        }
        for (size_t k = 0; k < wide->known.count && printed != NULL; k++) {
            any[k] |= values[k].ptr != NULL;
        }
    }
    for (size_t k = 0; k < wide->known.count && ok; k++) {
        ok = !any[k] ||
             MLS_ARENA_ADD(&wide->arena, &wide->names[MLS_WIDE_PRINTED], mls_str_from(wide->known.items[k].name));
    }
    return ok;
}

mls_status mls_wide_find(const mls_collection *collection, mls_wide *wide, mls_error *error)
{
    *wide = (mls_wide){.collection = collection};
    const mls_status status = mls_known_settings_load(&wide->known, error);
    if (status == MLS_OK &&
        (!find_names(wide, MLS_WIDE_HYPERPARAMETERS) || !find_names(wide, MLS_WIDE_TRACKED) || !find_printed(wide))) {
        return mls_error_memory(error);
    }
    return status;
}

void mls_wide_release(mls_wide *wide)
{
    mls_known_settings_release(&wide->known);
    mls_arena_release(&wide->arena);
}
