/* SPDX-License-Identifier: Apache-2.0 */
#include "score/grouping.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* What the runs of a group agree on; NULL or NAN while none of them has logged it. */
typedef struct mls_group_key {
    const char *benchmark;
    const char *division;
    const char *config;
    double batch_size;
    mls_str folder; /* of result files only */
    bool result;
} mls_group_key;

/* With more groups than this, a run with gaps is not compared with each of them: nobody could tell where it belongs. */
enum { MLS_GROUPS_GUESSED = 1000 };

typedef struct mls_grouping {
    mls_group *groups;
    mls_group_key *keys; /* one per group */
    size_t count;
    size_t capacity;
    size_t key_capacity;
    size_t *slots;     /* an open-addressed table of the groups by key: position + 1; 0: free */
    size_t slot_count; /* a power of two, or 0 */
} mls_grouping;

static mls_str mls_folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    if (slash == NULL) {
        return MLS_S(".");
    }
    return (mls_str){path, slash > path ? (size_t)(slash - path) : 1};
}

static mls_group_key group_key_of(const mls_grouped_run *grouped)
{
    const mls_run *run = grouped->run;
    return (mls_group_key){run->benchmark,           run->division,  mls_run_config(run), run->global_batch_size,
                           mls_folder_of(run->file), grouped->result};
}

static bool mls_text_same(const char *a, const char *b)
{
    return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

static bool mls_key_equal(const mls_group_key *a, const mls_group_key *b)
{
    if (a->result || b->result) {
        return a->result == b->result && mls_str_equal(a->folder, b->folder);
    }
    return mls_text_same(a->benchmark, b->benchmark) && mls_text_same(a->division, b->division) &&
           mls_text_same(a->config, b->config) &&
           (a->batch_size == b->batch_size || (isnan(a->batch_size) && isnan(b->batch_size)));
}

/* Whether everything both have logged is the same. */
static bool mls_key_agrees(const mls_group_key *a, const mls_group_key *b)
{
    return !a->result && !b->result &&
           (a->benchmark == NULL || b->benchmark == NULL || strcmp(a->benchmark, b->benchmark) == 0) &&
           (a->division == NULL || b->division == NULL || strcmp(a->division, b->division) == 0) &&
           (a->config == NULL || b->config == NULL || strcmp(a->config, b->config) == 0) &&
           (isnan(a->batch_size) || isnan(b->batch_size) || a->batch_size == b->batch_size);
}

static bool mls_key_complete(const mls_group_key *key)
{
    return key->result || (key->benchmark != NULL && key->division != NULL && !isnan(key->batch_size));
}

/* The part of the path that two files' folders have in common, whole names only. */
static mls_str mls_common_folder(mls_str a, mls_str b)
{
    size_t same = 0;
    while (same < a.len && same < b.len && a.ptr[same] == b.ptr[same]) {
        same++;
    }
    if ((same == a.len && (same == b.len || b.ptr[same] == '/')) || (same == b.len && a.ptr[same] == '/')) {
        return (mls_str){a.ptr, same};
    }
    while (same > 0 && a.ptr[same - 1] != '/') {
        same--;
    }
    return same > 1 ? (mls_str){a.ptr, same - 1} : same == 1 ? (mls_str){a.ptr, 1} : MLS_S(".");
}

static bool mls_group_add_run(mls_group *group, const mls_run *run)
{
    if (!mls_grow((void **)&group->runs, group->run_count, &group->run_capacity, sizeof *group->runs)) {
        return false;
    }
    group->runs[group->run_count++] = run;
    return true;
}

static uint64_t mls_hash_bytes(uint64_t hash, const void *bytes, size_t len)
{
    const unsigned char *at = bytes;
    for (size_t i = 0; i < len; i++) {
        hash = (hash ^ at[i]) * 0x100000001b3ULL; /* FNV-1a */
    }
    return hash;
}

static uint64_t mls_hash_text(uint64_t hash, const char *text)
{
    return text != NULL ? mls_hash_bytes(hash, text, strlen(text) + 1) : hash ^ 1;
}

/* Keys that are equal have the same one. */
static uint64_t mls_key_hash(const mls_group_key *key)
{
    uint64_t hash = 0xcbf29ce484222325ULL;
    if (key->result) {
        hash = mls_hash_bytes(hash, key->folder.ptr, key->folder.len);
    } else {
        /* 0.0 and -0.0 are equal, and so are all numbers that are none. */
        const double batch_size = isnan(key->batch_size) || key->batch_size == 0 ? 0 : key->batch_size;
        hash = mls_hash_text(mls_hash_text(mls_hash_text(hash, key->benchmark), key->division), key->config);
        hash = mls_hash_bytes(hash, &batch_size, sizeof batch_size);
    }
    return hash ^ hash >> 29;
}

/* Where the key's group stands in the table, or the free slot where it would. */
static size_t *mls_grouping_slot(const mls_grouping *grouping, const mls_group_key *key)
{
    size_t i = mls_key_hash(key) & (grouping->slot_count - 1);
    while (grouping->slots[i] != 0 && !mls_key_equal(&grouping->keys[grouping->slots[i] - 1], key)) {
        i = (i + 1) & (grouping->slot_count - 1);
    }
    return &grouping->slots[i];
}

/* Makes room for one more group in the table. */
static bool mls_grouping_index(mls_grouping *grouping)
{
    if (grouping->count * 2 < grouping->slot_count) {
        return true;
    }
    const size_t wanted = grouping->slot_count == 0 ? 64 : grouping->slot_count * 2;
    size_t *slots = calloc(wanted, sizeof *slots);
    if (slots == NULL) {
        return false;
    }
    free(grouping->slots);
    grouping->slots = slots;
    grouping->slot_count = wanted;
    for (size_t i = 0; i < grouping->count; i++) {
        *mls_grouping_slot(grouping, &grouping->keys[i]) = i + 1;
    }
    return true;
}

static mls_group *mls_grouping_find(mls_grouping *grouping, const mls_group_key *key)
{
    const size_t *slot = grouping->slot_count > 0 ? mls_grouping_slot(grouping, key) : NULL;
    return slot != NULL && *slot != 0 ? &grouping->groups[*slot - 1] : NULL;
}

static bool mls_grouping_open(mls_grouping *grouping, mls_group_key key, const mls_run *run)
{
    if (!mls_grouping_index(grouping) ||
        !mls_grow((void **)&grouping->groups, grouping->count, &grouping->capacity, sizeof *grouping->groups) ||
        !mls_grow((void **)&grouping->keys, grouping->count, &grouping->key_capacity, sizeof *grouping->keys)) {
        return false;
    }
    grouping->groups[grouping->count] = (mls_group){.result_folder = key.result};
    grouping->keys[grouping->count] = key;
    *mls_grouping_slot(grouping, &key) = grouping->count + 1;
    grouping->count++;
    return mls_group_add_run(&grouping->groups[grouping->count - 1], run);
}

/*
 * The only group a run with gaps can belong to: one that agrees and has a run
 * of the same folder, else one that agrees; NULL when there are none or two.
 */
static mls_group *mls_grouping_guess(mls_grouping *grouping, const mls_group_key *key)
{
    mls_group *near = NULL;
    mls_group *any = NULL;
    size_t near_count = 0;
    size_t any_count = 0;
    for (size_t i = 0; i < grouping->count && grouping->count <= MLS_GROUPS_GUESSED; i++) {
        if (mls_key_agrees(&grouping->keys[i], key)) {
            any = &grouping->groups[i];
            any_count++;
            if (mls_str_equal(grouping->keys[i].folder, key->folder)) {
                near = any;
                near_count++;
            }
        }
    }
    if (near_count == 1) {
        return near;
    }
    return any_count == 1 ? any : NULL;
}

static bool mls_grouping_take(mls_grouping *grouping, const mls_grouped_run *grouped, bool gaps)
{
    const mls_group_key key = group_key_of(grouped);
    mls_group *group = mls_grouping_find(grouping, &key);
    if (group == NULL && gaps) {
        group = mls_grouping_guess(grouping, &key);
    }
    return group != NULL ? mls_group_add_run(group, grouped->run) : mls_grouping_open(grouping, key, grouped->run);
}

static int mls_runs_compare(const void *a, const void *b)
{
    const mls_run *const *x = a;
    const mls_run *const *y = b;
    const int order = mls_str_compare_natural(mls_str_from((*x)->file), mls_str_from((*y)->file));
    return order != 0 ? order : ((*x)->line > (*y)->line) - ((*x)->line < (*y)->line);
}

/* A run that joined late stands where its file's name puts it. */
static bool mls_group_close(mls_group *group)
{
    qsort((void *)group->runs, group->run_count, sizeof *group->runs, mls_runs_compare);
    const char *file = group->runs[0]->file;
    bool one_file = !group->result_folder;
    mls_str common = mls_folder_of(file);
    for (size_t i = 1; i < group->run_count; i++) {
        one_file = one_file && strcmp(group->runs[i]->file, file) == 0;
        common = mls_common_folder(common, mls_folder_of(group->runs[i]->file));
    }
    group->path = one_file ? mls_copy_text(file, strlen(file)) : mls_copy_text(common.ptr, common.len);
    return group->path != NULL;
}

static int mls_groups_compare(const void *a, const void *b)
{
    const mls_group *x = a;
    const mls_group *y = b;
    return mls_runs_compare((const void *)&x->runs[0], (const void *)&y->runs[0]);
}

mls_status mls_group_runs(const mls_grouped_run *runs, size_t run_count, mls_group **groups, size_t *count)
{
    mls_grouping grouping = {0};
    bool ok = true;
    for (int gaps = 0; gaps < 2; gaps++) {
        for (size_t i = 0; i < run_count && ok; i++) {
            const mls_group_key key = group_key_of(&runs[i]);
            if (mls_key_complete(&key) == (gaps == 0)) {
                ok = mls_grouping_take(&grouping, &runs[i], gaps == 1);
            }
        }
    }
    for (size_t i = 0; i < grouping.count && ok; i++) {
        ok = mls_group_close(&grouping.groups[i]);
    }
    if (ok && grouping.count > 1) {
        qsort(grouping.groups, grouping.count, sizeof *grouping.groups, mls_groups_compare);
    }
    free(grouping.keys);
    free(grouping.slots);
    *groups = grouping.groups;
    *count = grouping.count;
    return ok ? MLS_OK : MLS_ERROR_MEMORY;
}
