/* SPDX-License-Identifier: Apache-2.0 */
/*
 * grouping.c - runs that belong together, found by what they logged.
 */
#include "score/score.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/map.h"
#include "base/memory.h"
#include "base/number.h"

/* What the runs of a group agree on; NULL or NAN while none of them has logged it. */
typedef struct group_key {
    const char *benchmark;
    const char *division;
    const char *config;
    double batch_size;
    mls_str folder; /* of result files only */
    bool result;
} group_key;

/* With more groups than this, a run with gaps is not compared with each of them: nobody could tell where it belongs. */
enum { MLS_GROUPS_GUESSED = 1000 };

typedef struct grouped_runs {
    mls_group *groups;
    group_key *keys; /* one per group */
    size_t count;
    size_t capacity;
    size_t key_capacity;
    mls_map by_key;   /* the number of a key's group */
    mls_arena arena;  /* of the map */
    mls_buffer bytes; /* scratch */
} grouped_runs;

static mls_str folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    if (slash == NULL) {
        return MLS_S(".");
    }
    return (mls_str){path, slash > path ? (size_t)(slash - path) : 1};
}

static group_key group_key_of(const mls_run *run)
{
    return (group_key){.benchmark = run->benchmark,
                       .division = mls_run_division(run),
                       .config = mls_run_config(run),
                       .batch_size = run->global_batch_size,
                       .folder = folder_of(run->file),
                       .result = run->result};
}

static bool text_agrees(const char *a, const char *b)
{
    return a == NULL || b == NULL || strcmp(a, b) == 0;
}

/* Whether everything both have logged is the same. */
static bool key_agrees(const group_key *a, const group_key *b)
{
    return !a->result && !b->result && text_agrees(a->benchmark, b->benchmark) &&
           text_agrees(a->division, b->division) && text_agrees(a->config, b->config) &&
           (isnan(a->batch_size) || isnan(b->batch_size) || a->batch_size == b->batch_size);
}

static bool key_complete(const group_key *key)
{
    return key->result || (key->benchmark != NULL && key->division != NULL && !isnan(key->batch_size));
}

/* The part of the path that two files' folders have in common, whole names only. */
static mls_str common_folder(mls_str a, mls_str b)
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

/* What equal keys have in common as bytes, each text ended by a NUL; one that is missing is told from an empty one. */
static mls_str key_bytes(const group_key *key, mls_buffer *bytes)
{
    const char *const texts[] = {key->benchmark, key->division, key->config};
    mls_buffer_clear(bytes);
    mls_buffer_append_char(bytes, key->result ? 'r' : 'g');
    if (key->result) {
        mls_buffer_append(bytes, key->folder);
        return mls_buffer_str(bytes);
    }
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        mls_buffer_append_text(bytes, texts[i] != NULL ? "=" : "-");
        mls_buffer_append_text(bytes, texts[i] != NULL ? texts[i] : "");
        mls_buffer_append_char(bytes, '\0');
    }
    /* 0.0 and -0.0 are equal, and so are all numbers that are none. */
    mls_number_append(bytes, key->batch_size == 0 ? 0 : key->batch_size);
    return mls_buffer_str(bytes);
}

/*
 * The only group a run with gaps can belong to: one that agrees and has a run
 * of the same folder, else one that agrees; NULL when there are none or two.
 */
static mls_group *guess_group(grouped_runs *grouping, const group_key *key)
{
    mls_group *found[2] = {NULL, NULL}; /* of the same folder, of any */
    size_t counts[2] = {0, 0};
    for (size_t i = 0; i < grouping->count && grouping->count <= MLS_GROUPS_GUESSED; i++) {
        if (key_agrees(&grouping->keys[i], key)) {
            for (size_t k = mls_str_equal(grouping->keys[i].folder, key->folder) ? 0 : 1; k < 2; k++) {
                found[k] = &grouping->groups[i];
                counts[k]++;
            }
        }
    }
    return counts[0] == 1 ? found[0] : counts[1] == 1 ? found[1] : NULL;
}

/* The run's group: that of its key, the one it can only belong to when it has gaps, or a new one. */
static bool take_run(grouped_runs *grouping, const group_key *key, const mls_run *run, bool gaps)
{
    const mls_str bytes = key_bytes(key, &grouping->bytes);
    const mls_map_entry *known = mls_map_find(&grouping->by_key, bytes);
    mls_group *group = known != NULL ? &grouping->groups[known->value.number] : NULL;
    if (group == NULL && gaps) {
        group = guess_group(grouping, key);
    }
    if (group == NULL) {
        mls_map_entry *entry = mls_map_put(&grouping->by_key, bytes, NULL);
        if (entry == NULL || grouping->bytes.failed ||
            !mls_grow((void **)&grouping->groups, grouping->count, &grouping->capacity, sizeof *grouping->groups) ||
            !mls_grow((void **)&grouping->keys, grouping->count, &grouping->key_capacity, sizeof *grouping->keys)) {
            return false;
        }
        entry->value.number = grouping->count;
        group = &grouping->groups[grouping->count];
        *group = (mls_group){.result_folder = key->result};
        grouping->keys[grouping->count++] = *key;
    }
    if (!mls_grow((void **)&group->runs, group->run_count, &group->run_capacity, sizeof *group->runs)) {
        return false;
    }
    group->runs[group->run_count++] = run;
    return true;
}

static int compare_runs(const void *a, const void *b)
{
    const mls_run *const *x = a;
    const mls_run *const *y = b;
    const int order = mls_str_compare_natural(mls_str_from((*x)->file), mls_str_from((*y)->file));
    return order != 0 ? order : ((*x)->line > (*y)->line) - ((*x)->line < (*y)->line);
}

/* A run that joined late stands where its file's name puts it. */
static bool close_group(mls_group *group)
{
    qsort((void *)group->runs, group->run_count, sizeof *group->runs, compare_runs);
    const char *file = group->runs[0]->file;
    bool one_file = !group->result_folder;
    mls_str common = folder_of(file);
    for (size_t i = 1; i < group->run_count; i++) {
        one_file = one_file && strcmp(group->runs[i]->file, file) == 0;
        common = common_folder(common, folder_of(group->runs[i]->file));
    }
    group->path = one_file ? mls_copy_text(file, strlen(file)) : mls_copy_text(common.ptr, common.len);
    return group->path != NULL;
}

static int compare_groups(const void *a, const void *b)
{
    const mls_group *x = a;
    const mls_group *y = b;
    return compare_runs((const void *)&x->runs[0], (const void *)&y->runs[0]);
}

mls_status mls_group_runs(const mls_run *runs, size_t run_count, mls_group **groups, size_t *count)
{
    grouped_runs grouping = {0};
    grouping.by_key = (mls_map){.arena = &grouping.arena, .copy = true};
    bool ok = true;
    for (int gaps = 0; gaps < 2; gaps++) {
        for (size_t i = 0; i < run_count && ok; i++) {
            const group_key key = group_key_of(&runs[i]);
            if (key_complete(&key) == (gaps == 0)) {
                ok = take_run(&grouping, &key, &runs[i], gaps == 1);
            }
        }
    }
    for (size_t i = 0; i < grouping.count && ok; i++) {
        ok = close_group(&grouping.groups[i]);
    }
    if (ok && grouping.count > 1) {
        qsort(grouping.groups, grouping.count, sizeof *grouping.groups, compare_groups);
    }
    free(grouping.keys);
    mls_map_release(&grouping.by_key);
    mls_arena_release(&grouping.arena);
    mls_buffer_release(&grouping.bytes);
    *groups = grouping.groups;
    *count = grouping.count;
    return ok ? MLS_OK : MLS_ERROR_MEMORY;
}
