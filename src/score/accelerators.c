/* SPDX-License-Identifier: Apache-2.0 */
/* accelerators.c - the tables of accelerators, of links to the host, and of the memory of GPUs. */
#include "mlscore/accelerators.h"

#include <math.h>
#include <stdlib.h>

#include "base/buffer.h"
#include "base/json_row.h"
#include "base/pattern.h"
#include "mlscore/models.h"

struct mls_accelerators {
    mls_arena memory; /* holds everything the items point to */
    mls_accelerator *items;
    size_t count;
    mls_link *links;
    size_t link_count;
    mls_gpu *gpus;
    size_t gpu_count;
};

bool mls_precision_from_name(mls_str name, mls_precision *precision)
{
    static const char *const names[MLS_PRECISION_COUNT] = {"tf32", "fp16", "bf16", "fp8", "fp4"};
    for (size_t i = 0; i < MLS_PRECISION_COUNT; i++) {
        if (mls_str_equal(name, mls_str_from(names[i]))) {
            *precision = (mls_precision)i;
            return true;
        }
    }
    return false;
}

#define ROWS(members) members, sizeof(members) / sizeof *(members)
#define MEMBER(type, name, kind, member) MLS_MEMBER_OF(type, name, kind, member, NULL)
#define PEAK(name, id) MEMBER(mls_accelerator, "peak_dense_tflops." name, NUMBER, peak[MLS_PRECISION_##id])

static const mls_row_member accelerator_members[] = {
    MEMBER(mls_accelerator, "name", TEXT, name),
    MEMBER(mls_accelerator, "vendor", TEXT, vendor),
    MEMBER(mls_accelerator, "pattern", TEXT, pattern),
    MEMBER(mls_accelerator, "source", TEXT, source),
    MEMBER(mls_accelerator, "memory_gb", NUMBER, memory_gb),
    MEMBER(mls_accelerator, "bandwidth_gb_s", NUMBER, bandwidth_gb_s),
    PEAK("tf32", TF32),
    PEAK("fp16", FP16),
    PEAK("bf16", BF16),
    PEAK("fp8", FP8),
    PEAK("fp4", FP4),
};
static const mls_row_member link_members[] = {
    MEMBER(mls_link, "key", TEXT, key),
    MEMBER(mls_link, "name", TEXT, name),
    MEMBER(mls_link, "one_way_gb_s", COUNT, one_way_gb_s),
    MEMBER(mls_link, "both_ways_gb_s", COUNT, both_ways_gb_s),
};
static const mls_row_member gpu_members[] = {
    MEMBER(mls_gpu, "name", TEXT, name),
    MEMBER(mls_gpu, "marketed_gb", COUNT, marketed_gb),
    MEMBER(mls_gpu, "capacity_bytes", COUNT, capacity_bytes),
    MEMBER(mls_gpu, "estimated", BOOL, estimated),
    MEMBER(mls_gpu, "host_bytes", COUNT, host_bytes),
};

static mls_status broken_table(mls_error *error, const char *what, const char *why)
{
    return mls_error_set(error, MLS_ERROR_VALUE, 0, 0, "the table of accelerators is broken: %s: %s", what, why);
}

/* Reads a list of objects into new rows that are copies of `blank`; NULL, with an error set: it went wrong. */
static void *read_rows(mls_accelerators *to, const cJSON *list, const mls_row_member *members, size_t count,
                       const void *blank, size_t size, mls_error *error)
{
    char *rows = mls_arena_array(&to->memory, (size_t)cJSON_GetArraySize(list), size);
    char *row = rows;
    if (rows == NULL) {
        (void)mls_error_memory(error);
    }
    for (const cJSON *json = list != NULL ? list->child : NULL; json != NULL && rows != NULL; json = json->next) {
        mls_error why = {0};
        memcpy(row, blank, size);
        const mls_status status = mls_json_row_read(json, members, count, &to->memory, row, &why);
        if (status != MLS_OK) {
            (void)(status == MLS_ERROR_MEMORY ? mls_error_memory(error) : broken_table(error, "a row", why.message));
            return NULL;
        }
        row += size;
    }
    return rows;
}

/* The other names of a GPU and its link, which stand in lists of their own. */
static mls_status read_gpu_names(mls_accelerators *to, const cJSON *json, mls_gpu *gpu, mls_error *error)
{
    enum { ALIASES_MAX = sizeof gpu->aliases / sizeof *gpu->aliases - 1 };
    const cJSON *aliases = cJSON_GetObjectItemCaseSensitive(json, "aliases");
    const char *link = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(json, "link"));
    for (int i = 0; i < cJSON_GetArraySize(aliases); i++) {
        const char *alias = cJSON_GetStringValue(cJSON_GetArrayItem(aliases, i));
        if (alias == NULL || i == ALIASES_MAX) {
            return broken_table(error, gpu->name, "aliases");
        }
        gpu->aliases[i] = mls_arena_copy(&to->memory, mls_str_from(alias)).ptr;
        if (gpu->aliases[i] == NULL) {
            return mls_error_memory(error);
        }
    }
    gpu->link = mls_accelerators_find_link(to, mls_str_from(link));
    return gpu->link != NULL && gpu->capacity_bytes > 0 ? MLS_OK : broken_table(error, gpu->name, "link");
}

static mls_status read_tables(mls_accelerators *to, const cJSON *json, mls_error *error)
{
    const cJSON *lists[] = {cJSON_GetObjectItemCaseSensitive(json, "accelerators"),
                            cJSON_GetObjectItemCaseSensitive(json, "links"),
                            cJSON_GetObjectItemCaseSensitive(json, "gpus")};
    const mls_accelerator unknown = {.memory_gb = NAN, .bandwidth_gb_s = NAN, .peak = {NAN, NAN, NAN, NAN, NAN}};
    const mls_link no_link = {0};
    const mls_gpu no_gpu = {0};
    mls_status status = MLS_OK;
    to->items = read_rows(to, lists[0], ROWS(accelerator_members), &unknown, sizeof unknown, error);
    to->links = to->items != NULL ? read_rows(to, lists[1], ROWS(link_members), &no_link, sizeof no_link, error) : NULL;
    to->gpus = to->links != NULL ? read_rows(to, lists[2], ROWS(gpu_members), &no_gpu, sizeof no_gpu, error) : NULL;
    if (to->gpus == NULL) {
        return error->status;
    }
    to->count = (size_t)cJSON_GetArraySize(lists[0]);
    to->link_count = (size_t)cJSON_GetArraySize(lists[1]);
    to->gpu_count = (size_t)cJSON_GetArraySize(lists[2]);
    for (size_t i = 0; i < to->gpu_count && status == MLS_OK; i++) {
        status = read_gpu_names(to, cJSON_GetArrayItem(lists[2], (int)i), &to->gpus[i], error);
    }
    return status;
}

mls_status mls_accelerators_load(mls_accelerators **accelerators, mls_error *error)
{
    mls_accelerators *loaded = calloc(1, sizeof *loaded);
    cJSON *json = mls_json_data("accelerators.json");
    mls_error why = {0};
    /* It is embedded and known to be JSON. */
    const mls_status status = loaded == NULL || json == NULL ? mls_error_memory(&why) : read_tables(loaded, json, &why);
    cJSON_Delete(json);
    if (status != MLS_OK) {
        mls_accelerators_free(loaded);
        loaded = NULL;
        if (error != NULL) {
            *error = why;
        }
    }
    *accelerators = loaded;
    return status;
}

void mls_accelerators_free(mls_accelerators *accelerators)
{
    if (accelerators != NULL) {
        mls_arena_release(&accelerators->memory);
        free(accelerators);
    }
}

const mls_accelerator *mls_accelerators_get(const mls_accelerators *accelerators, size_t index)
{
    return index < accelerators->count ? &accelerators->items[index] : NULL;
}

const mls_gpu *mls_accelerators_gpu(const mls_accelerators *accelerators, size_t index)
{
    return index < accelerators->gpu_count ? &accelerators->gpus[index] : NULL;
}

static mls_status match_text(const mls_accelerators *accelerators, mls_str text, const mls_accelerator **found)
{
    mls_status status = MLS_OK;
    for (size_t i = 0; i < accelerators->count && text.len > 0 && status == MLS_OK && *found == NULL; i++) {
        mls_pattern pattern;
        mls_str place = {NULL, 0};
        status = mls_pattern_compile(&pattern, MLS_PATTERN_OWN, mls_str_from(accelerators->items[i].pattern));
        if (status == MLS_OK) {
            status = mls_pattern_find(&pattern, text, 0, &place);
            mls_pattern_release(&pattern);
        }
        *found = place.ptr != NULL ? &accelerators->items[i] : NULL;
        status = status == MLS_ERROR_LIMIT ? MLS_OK : status; /* a name that long is none */
    }
    return status;
}

mls_status mls_accelerators_match(const mls_accelerators *accelerators, mls_str model_name, mls_str system_name,
                                  const mls_accelerator **found)
{
    mls_buffer both = {0};
    *found = NULL;
    mls_buffer_append(&both, model_name);
    mls_buffer_append_char(&both, ' ');
    mls_buffer_append(&both, system_name);
    mls_status status = both.failed ? MLS_ERROR_MEMORY : match_text(accelerators, model_name, found);
    if (status == MLS_OK && *found == NULL) {
        status = match_text(accelerators, mls_buffer_str(&both), found);
    }
    mls_buffer_release(&both);
    return status;
}

const mls_accelerator *mls_accelerators_find(const mls_accelerators *accelerators, mls_str name)
{
    for (size_t i = 0; i < accelerators->count; i++) {
        if (mls_names_alike(name, mls_str_from(accelerators->items[i].name))) {
            return &accelerators->items[i];
        }
    }
    return NULL;
}

const mls_gpu *mls_accelerators_find_gpu(const mls_accelerators *accelerators, mls_str name)
{
    for (size_t i = 0; i < accelerators->gpu_count; i++) {
        const mls_gpu *gpu = &accelerators->gpus[i];
        bool found = mls_names_alike(name, mls_str_from(gpu->name));
        for (size_t k = 0; gpu->aliases[k] != NULL && !found; k++) {
            found = mls_names_alike(name, mls_str_from(gpu->aliases[k]));
        }
        if (found) {
            return gpu;
        }
    }
    return NULL;
}

const mls_link *mls_accelerators_find_link(const mls_accelerators *accelerators, mls_str name)
{
    for (size_t i = 0; i < accelerators->link_count; i++) {
        const mls_link *link = &accelerators->links[i];
        if (mls_names_alike(name, mls_str_from(link->key)) || mls_names_alike(name, mls_str_from(link->name))) {
            return link;
        }
    }
    return NULL;
}
