/* SPDX-License-Identifier: Apache-2.0 */
/* benchmark.h - one usage of the table of benchmarks, for edition.c and its tests. */
#pragma once

#include <cjson/cJSON.h>

#include "base/memory.h"
#include "rules/edition.h"

typedef struct mls_benchmark_list {
    mls_benchmark *items;
    size_t count;
} mls_benchmark_list;

/* Fills `list`, whose memory is from `arena`, from one usage of benchmarks.json. */
mls_status mls_benchmark_list_read(mls_benchmark_list *list, mls_usage usage, const cJSON *json, mls_arena *arena,
                                   mls_error *error) MLS_MUST_USE;
