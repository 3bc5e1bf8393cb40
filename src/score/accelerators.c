/* SPDX-License-Identifier: Apache-2.0 */
/* accelerators.c - load the tables of accelerators, of links to the host, and of the memory of GPUs, and find their
 * entries. */
#include "score/accelerators.h"

#include <ctype.h>
#include <stdlib.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/pattern.h"
#include "json/json_row.h"

bool mls_precision_from_name(mls_str name, mls_precision *precision)
{
    static const char *const names[MLS_PRECISION_COUNT] = {"tf32", "fp16", "bf16", "fp8", "fp4"};
    return MLS_NAME_FIND(names, MLS_PRECISION_COUNT, name, precision);
}

#define ROWS(members) members, sizeof(members) / sizeof *(members)
#define MEMBER(type, name, kind, member) MLS_MEMBER_OF(type, name, kind, member, NULL)
#define PEAK(name, id) MEMBER(mls_accelerator, "peak_dense_tflops." name, NUMBER, peak[MLS_PRECISION_##id])

static const mls_row_member accelerator_members[] = {
    MEMBER(mls_accelerator, "name", TEXT, name),
    MEMBER(mls_accelerator, "pattern", TEXT, pattern),
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
    MEMBER(mls_gpu, "aliases", TEXT, aliases),
    MEMBER(mls_gpu, "link", TEXT, link_key),
    MEMBER(mls_gpu, "capacity_bytes", COUNT, capacity_bytes),
    MEMBER(mls_gpu, "estimated", BOOL, estimated),
    MEMBER(mls_gpu, "host_bytes", COUNT, host_bytes),
    MEMBER(mls_gpu, "marketed_gb", COUNT, marketed_gb),
    MEMBER(mls_gpu, "reported_mib", COUNT, reported_mib),
};

mls_status mls_accelerators_load(mls_accelerators **accelerators, mls_error *error)
{
    mls_accelerators *to = mls_calloc(1, sizeof *to);
    cJSON *json;
    mls_status status = mls_json_data("accelerators.json", &json, error);
    *accelerators = to;
    to->arena = mls_calloc(1, sizeof *to->arena);
    const struct {
        const char *name;
        const mls_row_member *members;
        size_t member_count;
        void **items;
        size_t *count, size;
    } tables[] = {{"accelerators", ROWS(accelerator_members), (void **)&to->items, &to->count, sizeof *to->items},
                  {"links", ROWS(link_members), (void **)&to->links, &to->link_count, sizeof *to->links},
                  {"gpus", ROWS(gpu_members), (void **)&to->gpus, &to->gpu_count, sizeof *to->gpus}};
    for (size_t i = 0; i < sizeof tables / sizeof *tables && status == MLS_OK; i++)
        status = mls_json_table_read(json, tables[i].name, tables[i].members, tables[i].member_count, to->arena,
                                     tables[i].items, tables[i].count, tables[i].size, error);
    for (size_t i = 0; i < to->gpu_count && status == MLS_OK; i++) {
        mls_gpu *gpu = &to->gpus[i];
        gpu->link = gpu->link_key != NULL ? mls_accelerators_find_link(to, mls_str_from(gpu->link_key)) : NULL;
        if ((gpu->link == NULL && gpu->link_key != NULL) || gpu->capacity_bytes == 0)
            status = mls_error_set(error, MLS_ERROR_VALUE, 0, 0,
                                   "accelerators.json: unknown link or no capacity_bytes: %s", gpu->name);
    }
    cJSON_Delete(json);
    return status;
}

void mls_accelerators_free(mls_accelerators *accelerators)
{
    if (accelerators != NULL) {
        mls_arena_free(accelerators->arena);
        free(accelerators);
    }
}

static mls_status match_text(const mls_accelerators *accelerators, mls_str text, const mls_accelerator **found)
{
    mls_status status = MLS_OK;
    for (size_t i = 0; i < accelerators->count && text.len > 0 && status == MLS_OK && *found == NULL; i++) {
        mls_pattern pattern;
        mls_str place = {NULL, 0};
        status = mls_pattern_compile(&pattern, MLS_PATTERN_ONCE, mls_str_from(accelerators->items[i].pattern));
        if (status == MLS_OK) {
            status = mls_pattern_find(&pattern, text, 0, &place);
            mls_pattern_release(&pattern);
        }
        *found = place.ptr != NULL ? &accelerators->items[i] : NULL;
        status = status == MLS_ERROR_LIMIT ? MLS_OK : status; /* a name this long does not match */
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
    mls_status status = match_text(accelerators, model_name, found);
    if (status == MLS_OK && *found == NULL)
        status = match_text(accelerators, mls_buffer_str(&both), found);
    mls_buffer_release(&both);
    return status;
}

const mls_accelerator *mls_accelerators_find(const mls_accelerators *accelerators, mls_str name)
{
    for (size_t i = 0; i < accelerators->count; i++)
        if (mls_names_alike(name, mls_str_from(accelerators->items[i].name)))
            return &accelerators->items[i];
    return NULL;
}

const mls_link *mls_accelerators_find_link(const mls_accelerators *accelerators, mls_str name)
{
    for (size_t i = 0; i < accelerators->link_count; i++) {
        const mls_link *link = &accelerators->links[i];
        if (mls_names_alike(name, mls_str_from(link->key)) || mls_names_alike(name, mls_str_from(link->name)))
            return link;
    }
    return NULL;
}

/* Return the next memory size in *text, a number before "GB", "GiB" or "G", and advance *text past the number; 0 if
 * *text does not contain a size.  A number after a letter is part of a name ("A10G"), not a size. */
static uint64_t next_size(mls_str *text)
{
    for (bool named = false; text->len > 0;) {
        mls_str number = {text->ptr, 0};
        while (number.len < text->len && mls_is_digit(text->ptr[number.len]))
            number.len++;
        const size_t passed = number.len > 0 ? number.len : 1;
        const bool letter = number.len == 0 && isalpha((unsigned char)text->ptr[0]);
        *text = (mls_str){text->ptr + passed, text->len - passed};
        const size_t blank = text->len > 0 && text->ptr[0] == ' ';
        size_t letters = 0;
        while (blank + letters < text->len && isalpha((unsigned char)text->ptr[blank + letters]))
            letters++;
        size_t size;
        if (!named && mls_str_any((mls_str){text->ptr + blank, letters}, "GB|GiB|G", mls_str_alike) &&
            mls_size_parse(number, &size))
            return size;
        named = letter;
    }
    return 0;
}

/* Return the first GPU that is called `name`, and whose memory or host memory ("GH200 480GB") has every size in `text`.
 */
static const mls_gpu *find_called(const mls_accelerators *accelerators, mls_str name, mls_str text)
{
    for (size_t i = 0; i < accelerators->gpu_count; i++) {
        const mls_gpu *gpu = &accelerators->gpus[i];
        const char *aliases = gpu->aliases;
        bool called = mls_names_alike(name, mls_str_from(gpu->name));
        for (mls_str alias; !called && aliases != NULL && mls_list_next(&aliases, '|', &alias);)
            called = mls_names_alike(name, alias);
        mls_str rest = text;
        for (uint64_t size; called && (size = next_size(&rest)) != 0;)
            called = size == gpu->marketed_gb || size == gpu->host_bytes / 1000000000;
        if (called)
            return gpu;
    }
    return NULL;
}

mls_status mls_accelerators_find_gpu(const mls_accelerators *accelerators, mls_str name, const mls_gpu **found)
{
    const mls_accelerator *accelerator = NULL;
    mls_str bare = name;
    mls_str rest = name;
    while (
        mls_str_any(mls_str_word(&rest), "NVIDIA|GeForce|Tesla|AMD|Instinct|Intel|Habana|Google|Cloud", mls_str_alike))
        bare = rest;
    *found = find_called(accelerators, bare, name);
    const mls_status status = *found == NULL ? match_text(accelerators, name, &accelerator) : MLS_OK;
    if (accelerator != NULL)
        *found = find_called(accelerators, mls_str_from(accelerator->name), name);
    return status;
}
