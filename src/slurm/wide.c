/* SPDX-License-Identifier: Apache-2.0 */
/* wide.c - which names the runs of a collection have between them. */
#include "slurm/wide.h"

#include <stdlib.h>

#include "base/map.h"
#include "base/utf8.h"
#include "score/tracked.h"

/* The names so far, found by how they print. */
typedef struct wide_names {
    mls_map by_text; /* to an mls_str */
    mls_arena *arena;
    mls_buffer text; /* scratch */
} wide_names;

static bool add_column(wide_names *names, mls_str name)
{
    mls_buffer_clear(&names->text);
    mls_escape_append(&names->text, name);
    mls_map_entry *entry =
        !names->text.failed ? mls_map_put(&names->by_text, mls_buffer_str(&names->text), NULL) : NULL;
    if (entry != NULL && entry->value.pointer == NULL) {
        mls_str *copy = mls_arena_alloc(names->arena, sizeof *copy);
        entry->value.pointer = copy;
        if (copy != NULL) {
            *copy = mls_arena_copy(names->arena, name);
            entry->value.pointer = copy->ptr != NULL ? copy : NULL;
        }
    }
    return entry != NULL && entry->value.pointer != NULL;
}

static bool add_run_names(wide_names *names, const mls_run *run, mls_wide_kind kind)
{
    const mls_tracked *tracked = kind == MLS_WIDE_TRACKED ? run->notes : NULL;
    bool ok = true;
    for (size_t i = 0; kind == MLS_WIDE_HYPERPARAMETERS && i < run->hyperparameter_count && ok; i++) {
        ok = add_column(names, run->hyperparameters[i].key);
    }
    for (size_t i = 0; tracked != NULL && i < tracked->sums.count && ok; i++) {
        ok = add_column(names, tracked->sums.entries[i].key);
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
    wide_names names = {.by_text = {.arena = &scratch}, .arena = &wide->arena};
    bool ok = true;
    for (size_t i = 0; i < wide->collection->run_count && ok; i++) {
        ok = add_run_names(&names, &wide->collection->runs[i], kind);
    }
    const size_t count = names.by_text.count;
    wide->names[kind] = mls_arena_array(&wide->arena, count + 1, sizeof *wide->names[kind]);
    ok = ok && wide->names[kind] != NULL;
    for (size_t i = 0; i < count && ok; i++) {
        wide->names[kind][i] = *(const mls_str *)names.by_text.entries[i].value.pointer;
    }
    if (ok) {
        qsort(wide->names[kind], count, sizeof *wide->names[kind], compare_columns);
        wide->counts[kind] = count < MLS_WIDE_NAMES_MAX ? count : MLS_WIDE_NAMES_MAX;
        wide->left_out[kind] = count - wide->counts[kind];
    }
    mls_buffer_release(&names.text);
    mls_arena_release(&scratch);
    return ok;
}

bool mls_wide_find(const mls_collection *collection, mls_wide *wide)
{
    *wide = (mls_wide){.collection = collection};
    return find_names(wide, MLS_WIDE_HYPERPARAMETERS) && find_names(wide, MLS_WIDE_TRACKED);
}

void mls_wide_release(mls_wide *wide)
{
    mls_arena_release(&wide->arena);
}
