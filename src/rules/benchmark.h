/* SPDX-License-Identifier: Apache-2.0 */
/*
 * benchmark.h - reads the table of benchmarks for the table of editions.
 */
#ifndef MLS_RULES_BENCHMARK_H
#define MLS_RULES_BENCHMARK_H

#include <cjson/cJSON.h>

#include "base/arena.h"
#include "mlscore/edition.h"

/* The benchmarks of a usage. */
typedef struct mls_benchmark_list {
    mls_benchmark *items;
    size_t count;
} mls_benchmark_list;

/* Fills `list`, whose memory is from `arena`, from one usage of benchmarks.json. */
mls_status mls_benchmark_list_read(mls_benchmark_list *list, mls_usage usage, const cJSON *json, mls_arena *arena,
                                   mls_error *error) MLS_MUST_USE;

/* The row of that name; NULL when there is none. */
const mls_benchmark *mls_benchmark_list_find(const mls_benchmark_list *list, mls_str name);

#endif
