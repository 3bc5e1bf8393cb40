/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of editions and benchmarks, and made-up editions, for tests.  Include it after cmocka.h. */
#ifndef TESTS_UNIT_ROUNDS_H
#define TESTS_UNIT_ROUNDS_H

#include "rules/edition.h"

static mls_editions *editions;

static inline int load_editions(void **state)
{
    (void)state;
    return mls_editions_load(&editions, NULL) == MLS_OK ? 0 : -1;
}

static inline int free_editions(void **state)
{
    (void)state;
    mls_editions_free(editions);
    return 0;
}

/* Return a training edition with only a name and a number, which need not be in the table. */
static inline const mls_edition *edition_named(const char *name)
{
    static mls_edition pool[64];
    static size_t used;
    mls_edition *edition = &pool[used++ % (sizeof pool / sizeof pool[0])];
    *edition = (mls_edition){.usage = MLS_USAGE_TRAINING, .name = name};
    assert_true(mls_edition_number(mls_str_from(name), &edition->number));
    return edition;
}

static inline const mls_benchmark *benchmark_named(const char *name)
{
    return mls_benchmark_find(editions, MLS_USAGE_TRAINING, mls_str_from(name));
}

#endif
