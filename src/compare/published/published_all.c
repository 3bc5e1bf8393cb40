/* SPDX-License-Identifier: Apache-2.0 */
/* published_all.c - many published results opened together: the settings in which they differ. */
#include <stdlib.h>

#include "base/map.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/statistics.h"
#include "compare/published/published.h"

#define BATCH_SIZE MLS_S("global_batch_size")

/* The values of a key: the first, how many results have one, and whether another one is different. */
typedef struct key_row {
    mls_str value;
    size_t known;
    bool differs;
} key_row;

mls_str mls_published_setting_of(const mls_published_runs *runs, mls_str key)
{
    for (size_t i = 0; i < runs->settings.count; i++) {
        if (mls_str_equal(runs->settings.items[i].key, key)) {
            return runs->settings.items[i].value;
        }
    }
    return (mls_str){0};
}

/* Numbers are the same in whatever way they were written. */
static bool same_logged(mls_str a, mls_str b)
{
    double x;
    double y;
    return mls_str_equal(a, b) || (mls_number_parse(a, &x) && mls_number_parse(b, &y) && x == y);
}

static bool note_settings(mls_map *keys, const mls_published_runs *runs)
{
    for (size_t i = 0; i < runs->settings.count; i++) {
        const mls_published_setting *setting = &runs->settings.items[i];
        bool added;
        mls_map_entry *entry = mls_map_put(keys, setting->key, &added);
        if (entry != NULL && added) {
            entry->value.pointer = mls_arena_zeroed(keys->arena, 1, sizeof(key_row));
        }
        key_row *row = entry != NULL ? entry->value.pointer : NULL;
        if (row == NULL) {
            return false;
        }
        row->value = added ? setting->value : row->value;
        row->differs |= !same_logged(row->value, setting->value);
        row->known++;
    }
    return true;
}

static int compare_opened_keys(const void *left, const void *right)
{
    const mls_published_key *a = left;
    const mls_published_key *b = right;
    const bool first = mls_str_equal(a->name, BATCH_SIZE);
    const bool second = mls_str_equal(b->name, BATCH_SIZE);
    const int order = first != second ? second - first : mls_compare_sizes(b->known, a->known);
    return order != 0 ? order : mls_str_compare(a->name, b->name);
}

/* Marks the settings that differ, and lists their keys, whose names are those of the settings. */
static bool list_opened_keys(const mls_map *keys, mls_published_opened *opened)
{
    for (size_t i = 0; i < opened->count; i++) {
        for (size_t k = 0; k < opened->items[i].settings.count; k++) {
            mls_published_setting *setting = &opened->items[i].settings.items[k];
            key_row *row = mls_map_find(keys, setting->key)->value.pointer;
            setting->differs = row->differs;
            if (row->differs && row->known > 0) {
                if (!MLS_GROW(&opened->keys, items)) {
                    return false;
                }
                opened->keys.items[opened->keys.count++] = (mls_published_key){setting->key, row->known};
                row->known = 0; /* it is listed */
            }
        }
    }
    if (opened->keys.count > 1) {
        qsort(opened->keys.items, opened->keys.count, sizeof *opened->keys.items, compare_opened_keys);
    }
    return true;
}

mls_status mls_published_open_all(mls_published_hit *hits, size_t count, mls_published_opened *opened, mls_error *error)
{
    mls_arena arena = {0};
    mls_map keys = {.arena = &arena};
    *opened = (mls_published_opened){.items = mls_calloc(count + 1, sizeof *opened->items)};
    mls_status status = opened->items != NULL ? MLS_OK : mls_error_memory(error);
    for (size_t i = 0; i < count && status == MLS_OK; i++) {
        mls_published_runs *runs = &opened->items[opened->count++];
        status = mls_published_open(hits[i].result, runs, error);
        status = status == MLS_OK && !note_settings(&keys, runs) ? mls_error_memory(error) : status;
        hits[i].opened = runs;
    }
    status = status == MLS_OK && !list_opened_keys(&keys, opened) ? mls_error_memory(error) : status;
    mls_arena_release(&arena);
    return status;
}

void mls_published_opened_release(mls_published_opened *opened)
{
    for (size_t i = 0; i < opened->count; i++) {
        mls_published_runs_release(&opened->items[i]);
    }
    free(opened->items);
    free(opened->keys.items);
    *opened = (mls_published_opened){0};
}
