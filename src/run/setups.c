/* SPDX-License-Identifier: Apache-2.0 */
/* setups.c - keeps what many runs were set up with: runs of one result, and those of a whole round, log the same keys
 * and mostly the same values, so that each text is kept once, and a list that is like the one before it not again. */
#include <stdlib.h>

#include "base/map.h"
#include "base/memory.h"
#include "run/run.h"

struct mls_setups {
    mls_arena arena;               /* of all that is kept, in lists of their exact length */
    mls_map texts;                 /* that have come */
    mls_hyperparameter *last_list; /* that was kept */
    size_t last_count;
};

/* The one copy of a text; ptr NULL: no memory. */
static mls_str kept_text(mls_setups *setups, mls_str text)
{
    const mls_map_entry *entry = mls_map_put(&setups->texts, text, NULL);
    return entry != NULL ? entry->key : (mls_str){NULL, 0};
}

static bool keep_hyperparameters(mls_setups *setups, mls_run *run)
{
    const size_t count = run->hyperparameter_count;
    const size_t bytes = count * sizeof *run->hyperparameters;
    bool ok = true;
    for (size_t i = 0; i < count && ok; i++) {
        mls_hyperparameter *each = &run->hyperparameters[i];
        each->key = kept_text(setups, each->key);
        each->value = kept_text(setups, mls_str_from(each->value)).ptr;
        ok = each->key.ptr != NULL && each->value != NULL;
    }
    /* Texts are the same where their places are. */
    if (ok && count > 0 &&
        (setups->last_count != count || memcmp(setups->last_list, run->hyperparameters, bytes) != 0)) {
        setups->last_list = mls_arena_alloc(&setups->arena, bytes);
        setups->last_count = setups->last_list != NULL ? count : 0;
        ok = setups->last_list != NULL;
        if (ok) {
            memcpy(setups->last_list, run->hyperparameters, bytes);
        }
    }
    free(run->hyperparameters);
    run->hyperparameters = ok && count > 0 ? setups->last_list : NULL;
    run->hyperparameter_count = ok ? count : 0;
    run->hyperparameter_capacity = 0;
    return ok;
}

/* Seeds differ, but not where they are from. */
static bool keep_seeds(mls_setups *setups, mls_run *run)
{
    const size_t count = run->seed_count;
    mls_seed *kept = count > 0 ? mls_arena_array(&setups->arena, count, sizeof *kept) : NULL;
    bool ok = kept != NULL || count == 0;
    for (size_t i = 0; i < count && ok; i++) {
        const mls_seed *seed = &run->seeds[i];
        const bool placed = seed->identity.len > 0;
        kept[i] = *seed;
        kept[i].value = mls_arena_copy(&setups->arena, seed->value);
        if (placed) {
            kept[i].identity = mls_arena_copy(&setups->arena, seed->identity);
            kept[i].file = kept_text(setups, seed->file);
            kept[i].lineno = kept_text(setups, seed->lineno);
        }
        ok = kept[i].value.ptr != NULL &&
             (!placed || (kept[i].identity.ptr != NULL && kept[i].file.ptr != NULL && kept[i].lineno.ptr != NULL));
    }
    free(run->seeds);
    run->seeds = ok ? kept : NULL;
    run->seed_count = ok ? count : 0;
    run->seed_capacity = 0;
    return ok;
}

bool mls_setups_keep(mls_setups **setups, mls_run *run, bool seeds)
{
    if (*setups == NULL) {
        *setups = mls_calloc(1, sizeof **setups);
        if (*setups == NULL) {
            return false;
        }
        (*setups)->texts.arena = &(*setups)->arena;
    }
    run->seed_count = seeds ? run->seed_count : 0;
    const bool ok = keep_hyperparameters(*setups, run) && keep_seeds(*setups, run);
    if (ok) {
        mls_arena_free(run->arena);
        run->arena = NULL;
    }
    mls_fit((void **)&run->images, run->image_count, &run->image_capacity, sizeof *run->images);
    mls_fit((void **)&run->findings.items, run->findings.count, &run->findings.capacity, sizeof *run->findings.items);
    return ok;
}

void mls_setups_free(mls_setups *setups)
{
    if (setups != NULL) {
        mls_arena_release(&setups->arena);
        free(setups);
    }
}
