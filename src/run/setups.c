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

/* Return the one copy of a text. */
static mls_str kept_text(mls_setups *setups, mls_str text)
{
    return mls_map_put(&setups->texts, text, NULL)->key;
}

static void keep_hyperparameters(mls_setups *setups, mls_run *run)
{
    const size_t count = run->hyperparameter_count;
    const size_t bytes = count * sizeof *run->hyperparameters;
    for (size_t i = 0; i < count; i++) {
        mls_hyperparameter *each = &run->hyperparameters[i];
        each->key = kept_text(setups, each->key);
        each->value = kept_text(setups, mls_str_from(each->value)).ptr;
    }
    /* Texts are the same where their places are. */
    if (count > 0 && (setups->last_count != count || memcmp(setups->last_list, run->hyperparameters, bytes) != 0)) {
        setups->last_list = mls_arena_alloc(&setups->arena, bytes);
        setups->last_count = count;
        memcpy(setups->last_list, run->hyperparameters, bytes);
    }
    free(run->hyperparameters);
    run->hyperparameters = count > 0 ? setups->last_list : NULL;
    run->hyperparameter_capacity = 0;
}

/* Seeds differ, but not where they are from. */
static void keep_seeds(mls_setups *setups, mls_run *run)
{
    mls_seed *kept = run->seed_count > 0 ? mls_arena_array(&setups->arena, run->seed_count, sizeof *kept) : NULL;
    for (size_t i = 0; i < run->seed_count; i++) {
        const mls_seed *seed = &run->seeds[i];
        kept[i] = *seed;
        kept[i].value = mls_arena_copy(&setups->arena, seed->value);
        if (seed->identity.len > 0) {
            kept[i].identity = mls_arena_copy(&setups->arena, seed->identity);
            kept[i].file = kept_text(setups, seed->file);
            kept[i].lineno = kept_text(setups, seed->lineno);
        }
    }
    free(run->seeds);
    run->seeds = kept;
    run->seed_capacity = 0;
}

void mls_setups_keep(mls_setups **setups, mls_run *run, bool seeds)
{
    if (*setups == NULL) {
        *setups = mls_calloc(1, sizeof **setups);
        (*setups)->texts.arena = &(*setups)->arena;
    }
    run->seed_count = seeds ? run->seed_count : 0;
    keep_hyperparameters(*setups, run);
    keep_seeds(*setups, run);
    mls_arena_free(run->arena);
    run->arena = NULL;
    mls_fit((void **)&run->images, run->image_count, &run->image_capacity, sizeof *run->images);
    mls_fit((void **)&run->findings.items, run->findings.count, &run->findings.capacity, sizeof *run->findings.items);
}

void mls_setups_free(mls_setups *setups)
{
    if (setups != NULL) {
        mls_arena_release(&setups->arena);
        free(setups);
    }
}
