/* SPDX-License-Identifier: Apache-2.0 */
/* rulesets.c - the rules of all editions, each loaded once, for all threads. */
#include <pthread.h>
#include <stdlib.h>

#include "base/memory.h"
#include "rules/ruleset.h"

struct mls_rulesets {
    mls_editions *editions;
    pthread_mutex_t lock; /* over `loaded` */
    mls_ruleset *loaded;  /* the newest first */
};

mls_status mls_rulesets_new(mls_rulesets **rulesets, mls_error *error)
{
    mls_rulesets *made = mls_calloc(1, sizeof *made);
    *rulesets = NULL;
    if (made == NULL) {
        return mls_error_memory(error);
    }
    const mls_status status = mls_editions_load(&made->editions, error);
    if (status != MLS_OK) {
        free(made);
    } else {
        (void)pthread_mutex_init(&made->lock, NULL);
        *rulesets = made;
    }
    return status;
}

void mls_rulesets_free(mls_rulesets *rulesets)
{
    if (rulesets == NULL) {
        return;
    }
    for (mls_ruleset *next, *ruleset = rulesets->loaded; ruleset != NULL; ruleset = next) {
        next = ruleset->next;
        mls_ruleset_free(ruleset);
    }
    (void)pthread_mutex_destroy(&rulesets->lock);
    mls_editions_free(rulesets->editions);
    free(rulesets);
}

const mls_editions *mls_rulesets_editions(const mls_rulesets *rulesets)
{
    return rulesets->editions;
}

mls_status mls_rulesets_get(mls_rulesets *rulesets, const mls_edition *edition, const mls_ruleset **ruleset,
                            mls_error *error)
{
    mls_status status = MLS_OK;
    (void)pthread_mutex_lock(&rulesets->lock);
    mls_ruleset *found = rulesets->loaded;
    while (found != NULL && found->loaded_for != edition) {
        found = found->next;
    }
    if (found == NULL) {
        status = mls_ruleset_load(edition, &found, error);
    }
    if (found != NULL && found->loaded_for == NULL) {
        found->loaded_for = edition;
        found->next = rulesets->loaded;
        rulesets->loaded = found;
    }
    *ruleset = found;
    (void)pthread_mutex_unlock(&rulesets->lock);
    return status;
}
