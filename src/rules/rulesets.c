/* SPDX-License-Identifier: Apache-2.0 */
/* rulesets.c - the rules of all editions, each loaded once, for all threads. */
#include <pthread.h>
#include <stdlib.h>

#include "rules/ruleset.h"

enum { EDITIONS_MAX = 64 };

struct mls_rulesets {
    mls_editions *editions;
    pthread_mutex_t lock; /* over `loaded` */
    struct {
        const mls_edition *edition;
        mls_ruleset *ruleset;
    } loaded[EDITIONS_MAX];
    size_t count;
};

mls_status mls_rulesets_new(mls_rulesets **rulesets, mls_error *error)
{
    mls_rulesets *made = calloc(1, sizeof *made);
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
    for (size_t i = 0; i < rulesets->count; i++) {
        mls_ruleset_free(rulesets->loaded[i].ruleset);
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
    size_t at = 0;
    (void)pthread_mutex_lock(&rulesets->lock);
    while (at < rulesets->count && rulesets->loaded[at].edition != edition) {
        at++;
    }
    if (at == EDITIONS_MAX) {
        status = mls_error_set(error, MLS_ERROR_LIMIT, 0, 0, "more than %d editions", EDITIONS_MAX);
    } else if (at == rulesets->count) {
        status = mls_ruleset_load(edition, &rulesets->loaded[at].ruleset, error);
        rulesets->loaded[at].edition = edition;
        rulesets->count += status == MLS_OK;
    }
    *ruleset = status == MLS_OK ? rulesets->loaded[at].ruleset : NULL;
    (void)pthread_mutex_unlock(&rulesets->lock);
    return status;
}
