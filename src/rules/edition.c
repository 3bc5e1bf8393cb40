/* SPDX-License-Identifier: Apache-2.0 */
/*
 * edition.c - the table of editions: reading it, finding and guessing among it.
 */
#include "mlscore/edition.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "base/data.h"
#include "base/utf8.h"
#include "rules/benchmark.h"

typedef struct mls_edition_list {
    mls_edition *items;
    size_t count;
    mls_benchmark_list benchmarks;
    mls_benchmark unknown; /* stands for a benchmark that is not in the table */
} mls_edition_list;

struct mls_editions {
    mls_arena memory; /* holds everything the lists point to */
    mls_edition_list usages[MLS_USAGE_COUNT];
};

static const char *const usage_names[MLS_USAGE_COUNT] = {"training", "hpc"};

const char *mls_usage_name(mls_usage usage)
{
    return usage_names[usage];
}

bool mls_usage_from_name(mls_str name, mls_usage *usage)
{
    for (size_t i = 0; i < MLS_USAGE_COUNT; i++) {
        if (mls_str_equal(name, mls_str_from(usage_names[i]))) {
            *usage = (mls_usage)i;
            return true;
        }
    }
    return false;
}

/* Days from 1970-01-01 to a date of the Gregorian calendar. */
static long days_since_1970(long year, long month, long day)
{
    year -= month <= 2;
    const long era = year / 400;
    const long year_of_era = year - era * 400;
    const long day_of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    return era * 146097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719468;
}

/* Reads one number of at most `digits_max` digits; advances *at.  False when there is none. */
static bool digits_read(mls_str text, size_t *at, size_t digits_max, long *number)
{
    const size_t begin = *at;
    *number = 0;
    while (*at < text.len && *at - begin < digits_max && text.ptr[*at] >= '0' && text.ptr[*at] <= '9') {
        *number = *number * 10 + (text.ptr[*at] - '0');
        (*at)++;
    }
    return *at > begin;
}

static bool character_read(mls_str text, size_t *at, char wanted)
{
    if (*at < text.len && text.ptr[*at] == wanted) {
        (*at)++;
        return true;
    }
    return false;
}

/* "2025-10-31" to the end of that day in UTC, in milliseconds. */
static bool date_read(const char *text, double *end_ms)
{
    const mls_str date = mls_str_from(text);
    size_t at = 0;
    long year;
    long month;
    long day;
    if (!digits_read(date, &at, 4, &year) || !character_read(date, &at, '-') || !digits_read(date, &at, 2, &month) ||
        !character_read(date, &at, '-') || !digits_read(date, &at, 2, &day) || at != date.len) {
        return false;
    }
    *end_ms = (double)(days_since_1970(year, month, day) + 1) * 86400000.0;
    return true;
}

static mls_status editions_broken(mls_error *error, const char *what)
{
    return mls_error_set(error, MLS_ERROR_VALUE, 0, 0, "the table of editions is broken: %s", what);
}

static mls_status edition_read(mls_editions *editions, mls_edition *edition, const cJSON *json, mls_error *error)
{
    const mls_benchmark_list *known = &editions->usages[edition->usage].benchmarks;
    const cJSON *name = cJSON_GetObjectItemCaseSensitive(json, "edition");
    const cJSON *last_run = cJSON_GetObjectItemCaseSensitive(json, "last_run");
    const cJSON *benchmarks = cJSON_GetObjectItemCaseSensitive(json, "benchmarks");
    edition->last_run_ms = INFINITY;
    if (!cJSON_IsString(name) || !cJSON_IsArray(benchmarks)) {
        return editions_broken(error, "an edition needs a name and benchmarks");
    }
    if (last_run != NULL && (!cJSON_IsString(last_run) || !date_read(last_run->valuestring, &edition->last_run_ms))) {
        return editions_broken(error, "last_run must be a date");
    }
    const mls_benchmark **rows =
        mls_arena_array(&editions->memory, (size_t)cJSON_GetArraySize(benchmarks), sizeof *rows);
    edition->name = mls_arena_copy(&editions->memory, mls_str_from(name->valuestring)).ptr;
    edition->benchmarks = rows;
    if (rows == NULL || edition->name == NULL) {
        return mls_error_memory(error);
    }
    if (!mls_edition_number(mls_str_from(edition->name), &edition->number)) {
        return editions_broken(error, "an edition's name must be numbers such as 5.1.0");
    }
    const cJSON *item;
    cJSON_ArrayForEach(item, benchmarks)
    {
        rows[edition->benchmark_count] =
            cJSON_IsString(item) ? mls_benchmark_list_find(known, mls_str_from(item->valuestring)) : NULL;
        if (rows[edition->benchmark_count++] == NULL) {
            return editions_broken(error, "benchmarks must be names that stand in the table of benchmarks");
        }
    }
    return MLS_OK;
}

static mls_status usage_read(mls_editions *editions, mls_usage usage, const cJSON *json, mls_error *error)
{
    mls_edition_list *list = &editions->usages[usage];
    const cJSON *items = cJSON_GetObjectItemCaseSensitive(json, "editions");
    if (!cJSON_IsArray(items) || cJSON_GetArraySize(items) < 1) {
        return editions_broken(error, "a usage needs editions");
    }
    list->items = mls_arena_array(&editions->memory, (size_t)cJSON_GetArraySize(items), sizeof *list->items);
    if (list->items == NULL) {
        return mls_error_memory(error);
    }
    const cJSON *item;
    cJSON_ArrayForEach(item, items)
    {
        mls_edition *edition = &list->items[list->count++];
        *edition = (mls_edition){.usage = usage};
        const mls_status status = edition_read(editions, edition, item, error);
        if (status != MLS_OK) {
            return status;
        }
    }
    return MLS_OK;
}

static cJSON *data_parse(const char *name)
{
    const mls_str text = mls_data_find(name);
    return cJSON_ParseWithLength(text.ptr, text.len);
}

mls_status mls_editions_load(mls_editions **editions, mls_error *error)
{
    mls_editions *loaded = calloc(1, sizeof *loaded);
    cJSON *table = data_parse("editions.json");
    cJSON *benchmarks = data_parse("benchmarks.json");
    mls_status status = MLS_OK;
    *editions = NULL;
    if (loaded == NULL) {
        status = mls_error_memory(error);
    } else if (table == NULL || benchmarks == NULL) {
        status = mls_error_memory(error); /* they are embedded and known to be JSON */
    }
    const cJSON *usages = cJSON_GetObjectItemCaseSensitive(table, "usages");
    const cJSON *rows = cJSON_GetObjectItemCaseSensitive(benchmarks, "usages");
    for (size_t i = 0; status == MLS_OK && loaded != NULL && i < MLS_USAGE_COUNT; i++) {
        const mls_usage usage = (mls_usage)i;
        mls_edition_list *list = &loaded->usages[usage];
        list->unknown = mls_benchmark_unknown(usage);
        status =
            mls_benchmark_list_read(&list->benchmarks, usage,
                                    cJSON_GetObjectItemCaseSensitive(rows, usage_names[usage]), &loaded->memory, error);
        if (status == MLS_OK) {
            status = usage_read(loaded, usage, cJSON_GetObjectItemCaseSensitive(usages, usage_names[usage]), error);
        }
    }
    cJSON_Delete(table);
    cJSON_Delete(benchmarks);
    if (status != MLS_OK) {
        mls_editions_free(loaded);
        return status;
    }
    *editions = loaded;
    return MLS_OK;
}

void mls_editions_free(mls_editions *editions)
{
    if (editions != NULL) {
        mls_arena_release(&editions->memory);
        free(editions);
    }
}

size_t mls_editions_count(const mls_editions *editions, mls_usage usage)
{
    return editions->usages[usage].count;
}

const mls_edition *mls_editions_get(const mls_editions *editions, mls_usage usage, size_t index)
{
    const mls_edition_list *list = &editions->usages[usage];
    return index < list->count ? &list->items[index] : NULL;
}

bool mls_edition_number(mls_str text, unsigned *number)
{
    size_t at = 0;
    long part[3] = {0, 0, 0};
    (void)character_read(text, &at, 'v');
    if (!digits_read(text, &at, 4, &part[0]) || !character_read(text, &at, '.') ||
        !digits_read(text, &at, 2, &part[1])) {
        return false;
    }
    if (at < text.len && (!character_read(text, &at, '.') || !digits_read(text, &at, 2, &part[2]))) {
        return false;
    }
    *number = MLS_EDITION_NUMBER((unsigned)part[0], (unsigned)part[1], (unsigned)part[2]);
    return at == text.len;
}

static mls_status edition_unknown(const mls_edition_list *list, mls_usage usage, mls_str text, mls_error *error)
{
    mls_buffer known = {0};
    for (size_t i = 0; i < list->count; i++) {
        mls_buffer_printf(&known, "%s%s", i > 0 ? ", " : "", list->items[i].name);
    }
    const mls_status status =
        mls_error_set(error, MLS_ERROR_UNKNOWN, 0, 0, "no edition '%.*s' of %s; there are %s", MLS_CUT(text, 40),
                      usage_names[usage], known.ptr != NULL ? known.ptr : "none");
    mls_buffer_release(&known);
    return status;
}

mls_status mls_editions_find(const mls_editions *editions, mls_usage usage, mls_str text, const mls_edition **edition,
                             mls_error *error)
{
    const mls_edition_list *list = &editions->usages[usage];
    unsigned wanted;
    *edition = NULL;
    if (!mls_edition_number(text, &wanted)) {
        return edition_unknown(list, usage, text, error);
    }
    for (size_t i = 0; i < list->count; i++) {
        if (list->items[i].number == wanted) {
            *edition = &list->items[i];
            return MLS_OK;
        }
    }
    if (usage == MLS_USAGE_TRAINING && wanted < list->items[0].number) {
        return mls_error_set(error, MLS_ERROR_VALUE, 0, 0,
                             "edition 0.%u has another log format, which mlscore does not read; "
                             "the oldest edition it knows is %s",
                             wanted / 100, list->items[0].name);
    }
    return edition_unknown(list, usage, text, error);
}

const mls_edition *mls_editions_guess(const mls_editions *editions, mls_usage usage, double time_ms, mls_str benchmark)
{
    const mls_edition_list *list = &editions->usages[usage];
    const mls_edition *by_date = &list->items[list->count - 1];
    for (size_t i = list->count; i > 0 && mls_time_is_date(time_ms); i--) {
        by_date = time_ms < list->items[i - 1].last_run_ms ? &list->items[i - 1] : by_date;
    }
    if (benchmark.len == 0 || mls_edition_has_benchmark(by_date, benchmark)) {
        return by_date;
    }
    const mls_edition *later = mls_editions_neighbour(editions, by_date, benchmark, 1);
    const mls_edition *earlier = mls_editions_neighbour(editions, by_date, benchmark, -1);
    return later != NULL ? later : earlier != NULL ? earlier : by_date;
}

const mls_edition *mls_editions_neighbour(const mls_editions *editions, const mls_edition *edition, mls_str benchmark,
                                          int step)
{
    const mls_edition_list *list = &editions->usages[edition->usage];
    for (ptrdiff_t i = edition - list->items + step; i >= 0 && i < (ptrdiff_t)list->count; i += step) {
        if (mls_edition_has_benchmark(&list->items[i], benchmark)) {
            return &list->items[i];
        }
    }
    return NULL;
}

bool mls_edition_has_benchmark(const mls_edition *edition, mls_str benchmark)
{
    for (size_t i = 0; i < edition->benchmark_count; i++) {
        if (mls_str_equal(benchmark, mls_str_from(edition->benchmarks[i]->name))) {
            return true;
        }
    }
    return false;
}

const mls_edition *mls_editions_newest_with(const mls_editions *editions, mls_usage usage, mls_str benchmark)
{
    const mls_edition_list *list = &editions->usages[usage];
    for (size_t i = list->count; i > 0; i--) {
        if (mls_edition_has_benchmark(&list->items[i - 1], benchmark)) {
            return &list->items[i - 1];
        }
    }
    return NULL;
}

const mls_benchmark *mls_benchmark_find(const mls_editions *editions, mls_usage usage, mls_str name)
{
    const mls_edition_list *list = &editions->usages[usage];
    const mls_benchmark *benchmark = mls_benchmark_list_find(&list->benchmarks, name);
    return benchmark != NULL ? benchmark : &list->unknown;
}
