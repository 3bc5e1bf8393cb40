/* SPDX-License-Identifier: Apache-2.0 */
/*
 * benchmark.c - what scoring knows of each benchmark, from benchmarks.json.
 *
 * A member that nobody knows, or a value out of range, breaks the table: a
 * benchmark that is added with a misspelt member must not be scored by the
 * usual rules without a word.
 */
#include "rules/benchmark.h"

#include <math.h>
#include <string.h>

static const char *const progress_names[] = {
    [MLS_PROGRESS_EPOCHS] = "epoch_num", [MLS_PROGRESS_SAMPLES] = "samples_count", [MLS_PROGRESS_STEPS] = "step_num"};

const char *mls_progress_name(mls_progress progress)
{
    return progress_names[progress];
}

static bool read_number(const cJSON *json, double least, double most, double *number)
{
    *number = cJSON_IsNumber(json) ? json->valuedouble : (double)NAN;
    return *number >= least && *number <= most;
}

static bool read_count(const cJSON *json, unsigned most, unsigned *count)
{
    double number;
    if (!read_number(json, 1, most, &number) || floor(number) < number) {
        return false;
    }
    *count = (unsigned)number;
    return true;
}

static bool read_bool(const cJSON *json, bool *value)
{
    *value = cJSON_IsTrue(json);
    return cJSON_IsBool(json);
}

static bool read_edition(const cJSON *json, unsigned *number)
{
    return cJSON_IsString(json) && mls_edition_number(mls_str_from(json->valuestring), number);
}

static bool read_progress(const cJSON *json, mls_progress *progress)
{
    for (size_t i = 0; cJSON_IsString(json) && i < sizeof progress_names / sizeof progress_names[0]; i++) {
        if (strcmp(json->valuestring, progress_names[i]) == 0) {
            *progress = (mls_progress)i;
            return true;
        }
    }
    return false;
}

/* One member of a benchmark. */
static bool read_member(const cJSON *json, mls_benchmark *benchmark)
{
    const mls_str name = mls_str_from(json->string);
    if (mls_str_equal(name, MLS_S("runs"))) {
        return read_count(json, 1000, &benchmark->runs_needed);
    }
    if (mls_str_equal(name, MLS_S("left_out"))) {
        return read_count(json, 100, &benchmark->left_out);
    }
    if (mls_str_equal(name, MLS_S("counts"))) {
        return read_progress(json, &benchmark->counts);
    }
    if (mls_str_equal(name, MLS_S("counted_before"))) {
        return read_edition(cJSON_GetObjectItemCaseSensitive(json, "edition"), &benchmark->counts_since) &&
               read_progress(cJSON_GetObjectItemCaseSensitive(json, "counts"), &benchmark->counted_before);
    }
    if (mls_str_equal(name, MLS_S("images"))) {
        return read_number(cJSON_GetObjectItemCaseSensitive(json, "fid_most"), 0, INFINITY, &benchmark->fid_most) &&
               read_number(cJSON_GetObjectItemCaseSensitive(json, "clip_least"), 0, INFINITY, &benchmark->clip_least);
    }
    if (mls_str_equal(name, MLS_S("evaluation_interval"))) {
        return read_edition(cJSON_GetObjectItemCaseSensitive(json, "since"), &benchmark->evaluation_interval_since) &&
               read_number(cJSON_GetObjectItemCaseSensitive(json, "samples"), 1, 1e15, &benchmark->evaluation_interval);
    }
    if (mls_str_equal(name, MLS_S("train_samples"))) {
        return read_bool(json, &benchmark->train_samples);
    }
    return mls_str_equal(name, MLS_S("reference_points")) && read_bool(json, &benchmark->reference_points);
}

mls_status mls_benchmark_list_read(mls_benchmark_list *list, mls_usage usage, const cJSON *json, mls_arena *arena,
                                   mls_error *error)
{
    list->items = mls_arena_array(arena, (size_t)cJSON_GetArraySize(json), sizeof *list->items);
    if (list->items == NULL) {
        return mls_error_memory(error);
    }
    for (const cJSON *row = json != NULL ? json->child : NULL; row != NULL; row = row->next) {
        mls_benchmark *benchmark = &list->items[list->count++];
        *benchmark = mls_benchmark_unknown(usage);
        benchmark->name = mls_arena_copy(arena, mls_str_from(row->string)).ptr;
        if (benchmark->name == NULL) {
            return mls_error_memory(error);
        }
        for (const cJSON *member = row->child; member != NULL; member = member->next) {
            if (!read_member(member, benchmark)) {
                return mls_error_set(error, MLS_ERROR_VALUE, 0, 0, "the table of benchmarks is broken: %s of %s",
                                     member->string, row->string);
            }
        }
        if (benchmark->runs_needed <= 2 * benchmark->left_out) {
            return mls_error_set(error, MLS_ERROR_VALUE, 0, 0,
                                 "the table of benchmarks is broken: %s has no runs left to score", row->string);
        }
    }
    return MLS_OK;
}

const mls_benchmark *mls_benchmark_list_find(const mls_benchmark_list *list, mls_str name)
{
    for (size_t i = 0; i < list->count; i++) {
        if (mls_str_equal(name, mls_str_from(list->items[i].name))) {
            return &list->items[i];
        }
    }
    return NULL;
}

mls_benchmark mls_benchmark_unknown(mls_usage usage)
{
    return (mls_benchmark){.usage = usage,
                           .name = "",
                           .left_out = 1,
                           .counts = MLS_PROGRESS_EPOCHS,
                           .fid_most = NAN,
                           .clip_least = NAN,
                           .reference_points = true};
}

mls_progress mls_benchmark_counts(const mls_benchmark *benchmark, const mls_edition *edition)
{
    return edition->number < benchmark->counts_since ? benchmark->counted_before : benchmark->counts;
}

double mls_benchmark_evaluation_interval(const mls_benchmark *benchmark, const mls_edition *edition)
{
    return edition->number >= benchmark->evaluation_interval_since ? benchmark->evaluation_interval : 0;
}
