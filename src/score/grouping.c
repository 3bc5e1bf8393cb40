/* SPDX-License-Identifier: Apache-2.0 */
/* grouping.c - which runs are a group, by what they logged. */
#include "score/score.h"

#include <math.h>
#include <stdlib.h>

#include "base/file.h"
#include "base/map.h"
#include "base/memory.h"
#include "base/number.h"

/* With more groups than this, a run with gaps is not compared with each of them: it would be like too many. */
enum { MLS_GROUPS_GUESSED = 1000 };

/* The groups so far.  The first run of each says what the others agree with. */
typedef struct grouped_runs {
    mls_key_group *items;
    size_t count;
    size_t capacity;
    mls_map by_key;   /* the number of a key's group */
    mls_arena arena;  /* of the map */
    mls_buffer bytes; /* scratch */
} grouped_runs;

static mls_str folder_of(mls_str path)
{
    const mls_str folder = mls_path_folder(path);
    return folder.len == 0 ? MLS_S(".") : (mls_str){folder.ptr, folder.len - (folder.len > 1)};
}

mls_run_key mls_run_key_of(const mls_run *run)
{
    mls_run_key key = {.file = run->file,
                       .line = run->line,
                       .global_batch_size = run->global_batch_size,
                       .result = run->result,
                       .of_job = run->job.config != NULL};
    for (int fact = 0; fact < MLS_FACT_TEXTS; fact++) {
        key.says[fact] = mls_run_says(run, (mls_run_fact)fact);
    }
    return key;
}

/* Whether everything both have logged is the same. */
static bool agree(const mls_run_key *a, const mls_run_key *b)
{
    bool same = !a->result && !b->result && !(a->global_batch_size < b->global_batch_size) &&
                !(a->global_batch_size > b->global_batch_size);
    for (int fact = 0; fact < MLS_FACT_TEXTS && same; fact++) {
        same = a->says[fact] == NULL || b->says[fact] == NULL || strcmp(a->says[fact], b->says[fact]) == 0;
    }
    return same;
}

static bool has_gaps(const mls_run_key *run)
{
    return !run->result && (run->says[MLS_FACT_BENCHMARK] == NULL || run->says[MLS_FACT_DIVISION] == NULL ||
                            isnan(run->global_batch_size));
}

/* Texts are ended by a NUL; a missing one differs from an empty one. */
mls_str mls_run_group_key(const mls_run_key *run, mls_buffer *bytes)
{
    mls_buffer_clear(bytes);
    mls_buffer_append_char(bytes, run->result ? 'r' : 'g');
    if (run->result) {
        mls_buffer_append(bytes, folder_of(mls_str_from(run->file)));
        return mls_buffer_str(bytes);
    }
    for (int fact = 0; fact < MLS_FACT_TEXTS; fact++) {
        const char *text = run->says[fact];
        mls_buffer_append_text(bytes, text != NULL ? "=" : "-");
        mls_buffer_append_text(bytes, text != NULL ? text : "");
        mls_buffer_append_char(bytes, '\0');
    }
    /* 0.0 and -0.0 are equal, and so are all numbers that are none. */
    mls_buffer_append_text(bytes, mls_words_exact(run->global_batch_size == 0 ? 0 : run->global_batch_size).text);
    return mls_buffer_str(bytes);
}

/* The only group a run with gaps can belong to: one that agrees and has a run of the same folder, else one that agrees;
 * NULL when there are none or two. */
static mls_key_group *guess_group(const grouped_runs *grouping, const mls_run_key *run)
{
    mls_key_group *found[2] = {NULL, NULL}; /* of the same folder, of any */
    size_t counts[2] = {0, 0};
    for (size_t i = 0; i < grouping->count && grouping->count <= MLS_GROUPS_GUESSED; i++) {
        const mls_run_key *first = grouping->items[i].keys[0];
        if (agree(first, run)) {
            const mls_str folder = folder_of(mls_str_from(first->file));
            for (size_t k = mls_str_equal(folder, folder_of(mls_str_from(run->file))) ? 0 : 1; k < 2; k++) {
                found[k] = &grouping->items[i];
                counts[k]++;
            }
        }
    }
    return counts[0] == 1 ? found[0] : counts[1] == 1 ? found[1] : NULL;
}

/* The run's group: that of its key, the one it can only belong to when it has gaps, or a new one. */
static bool group_run(grouped_runs *grouping, const mls_run_key *run)
{
    const mls_str key = mls_run_group_key(run, &grouping->bytes);
    const mls_map_entry *known = mls_map_find(&grouping->by_key, key);
    mls_key_group *group = known != NULL   ? &grouping->items[known->value.number]
                           : has_gaps(run) ? guess_group(grouping, run)
                                           : NULL;
    if (group == NULL) {
        mls_map_entry *entry = mls_map_put(&grouping->by_key, key, NULL);
        if (entry == NULL || grouping->bytes.failed || !MLS_GROW(grouping, items)) {
            return false;
        }
        entry->value.number = grouping->count;
        group = &grouping->items[grouping->count++];
        *group = (mls_key_group){0};
    }
    if (!mls_grow((void **)&group->keys, group->count, &group->capacity, sizeof *group->keys)) {
        return false;
    }
    group->keys[group->count++] = run;
    return true;
}

static int compare_run_keys(const void *a, const void *b)
{
    const mls_run_key *const *x = a;
    const mls_run_key *const *y = b;
    const int order = mls_str_compare_natural(mls_str_from((*x)->file), mls_str_from((*y)->file));
    return order != 0 ? order : ((*x)->line > (*y)->line) - ((*x)->line < (*y)->line);
}

/* A run that joined late stands where its file's name puts it. */
static void close_group(mls_key_group *group)
{
    mls_fit((void **)&group->keys, group->count, &group->capacity, sizeof *group->keys);
    qsort((void *)group->keys, group->count, sizeof *group->keys, compare_run_keys);
}

bool mls_group_of_keys(const mls_key_group *from, mls_group *group)
{
    const mls_str file = mls_str_from(from->keys[0]->file);
    bool one_file = !from->keys[0]->result;
    mls_str common = file;
    for (size_t i = 1; i < from->count; i++) {
        const mls_str other = mls_str_from(from->keys[i]->file);
        size_t same = 0;
        while (same < common.len && same < other.len && common.ptr[same] == other.ptr[same]) {
            same++;
        }
        one_file = one_file && mls_str_equal(file, other);
        common.len = same;
    }
    common = one_file ? file : folder_of(common);
    *group = (mls_group){
        .path = mls_strndup(common.ptr, common.len), .result_folder = from->keys[0]->result, .run_count = from->count};
    return group->path != NULL;
}

static int compare_groups(const void *a, const void *b)
{
    const mls_key_group *x = a;
    const mls_key_group *y = b;
    return compare_run_keys((const void *)&x->keys[0], (const void *)&y->keys[0]);
}

mls_status mls_group_keys(const mls_run_key *keys, size_t key_count, mls_key_group **groups, size_t *count)
{
    grouped_runs grouping = {0};
    grouping.by_key.arena = &grouping.arena;
    bool ok = true;
    /* Those with gaps come when all others have made their groups. */
    for (int gaps = 0; gaps < 2; gaps++) {
        for (size_t i = 0; i < key_count && ok; i++) {
            ok = has_gaps(&keys[i]) != (gaps == 1) || group_run(&grouping, &keys[i]);
        }
    }
    for (size_t i = 0; i < grouping.count && ok; i++) {
        close_group(&grouping.items[i]);
    }
    mls_key_group *fitted =
        ok && grouping.count > 0 ? mls_realloc(grouping.items, grouping.count * sizeof *fitted) : NULL;
    grouping.items = fitted != NULL ? fitted : grouping.items;
    if (ok && grouping.count > 1) {
        qsort(grouping.items, grouping.count, sizeof *grouping.items, compare_groups);
    }
    mls_arena_release(&grouping.arena);
    mls_buffer_release(&grouping.bytes);
    *groups = grouping.items;
    *count = grouping.count;
    return ok ? MLS_OK : MLS_ERROR_MEMORY;
}

/* The group of some runs by the numbers that are the places of their keys. */
static bool take_runs(const mls_key_group *from, const mls_run *runs, mls_group *group)
{
    bool ok = mls_group_of_keys(from, group);
    group->runs = (const mls_run **)mls_calloc(from->count, sizeof *group->runs);
    group->run_capacity = from->count;
    ok = ok && group->runs != NULL;
    for (size_t i = 0; i < from->count && ok; i++) {
        group->runs[i] = &runs[from->keys[i]->place];
    }
    return ok;
}

mls_status mls_group_runs(const mls_run *runs, size_t run_count, mls_group **groups, size_t *count)
{
    mls_run_key *keys = mls_calloc(run_count + 1, sizeof *keys);
    mls_key_group *made = NULL;
    size_t made_count = 0;
    *groups = NULL;
    *count = 0;
    if (keys == NULL) {
        return MLS_ERROR_MEMORY;
    }
    for (size_t i = 0; i < run_count; i++) {
        keys[i] = mls_run_key_of(&runs[i]);
        keys[i].place = i;
    }
    mls_status status = mls_group_keys(keys, run_count, &made, &made_count);
    *groups = mls_calloc(made_count + 1, sizeof **groups);
    for (size_t i = 0; i < made_count; i++) {
        if (status == MLS_OK && *groups != NULL) {
            status = take_runs(&made[i], runs, &(*groups)[(*count)++]) ? MLS_OK : MLS_ERROR_MEMORY;
        }
        free((void *)made[i].keys);
    }
    free(made);
    free(keys);
    return *groups != NULL ? status : MLS_ERROR_MEMORY;
}
