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

/* The groups so far, with the keys of their runs.  The first run of each says what the others agree with. */
typedef struct grouped_runs {
    MLS_LIST_OF(mls_group) groups;
    const mls_run *runs;
    const mls_run_key *keys;
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
    mls_run_key key = {.file = run->file, .global_batch_size = run->global_batch_size, .result = run->result};
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

/* Return the only group a run with gaps can belong to: one that agrees and has a run of the same folder, else one that
 * agrees; NULL when there are none or two. */
static mls_group *guess_group(const grouped_runs *grouping, const mls_run_key *run)
{
    mls_group *found[2] = {NULL, NULL}; /* of the same folder, of any */
    size_t counts[2] = {0, 0};
    for (size_t i = 0; i < grouping->groups.count && grouping->groups.count <= MLS_GROUPS_GUESSED; i++) {
        mls_group *group = &grouping->groups.items[i];
        const mls_run_key *first = &grouping->keys[group->runs[0] - grouping->runs];
        if (agree(first, run)) {
            const mls_str folder = folder_of(mls_str_from(first->file));
            for (size_t k = mls_str_equal(folder, folder_of(mls_str_from(run->file))) ? 0 : 1; k < 2; k++) {
                found[k] = group;
                counts[k]++;
            }
        }
    }
    return counts[0] == 1 ? found[0] : counts[1] == 1 ? found[1] : NULL;
}

/* Add a run to the group of its key, the one it can only belong to when it has gaps, or a new one. */
static void group_run(grouped_runs *grouping, size_t number)
{
    const mls_run_key *run = &grouping->keys[number];
    const mls_str key = mls_run_group_key(run, &grouping->bytes);
    const mls_map_entry *known = mls_map_find(&grouping->by_key, key);
    mls_group *group = known != NULL   ? &grouping->groups.items[known->value.number]
                       : has_gaps(run) ? guess_group(grouping, run)
                                       : NULL;
    if (group == NULL) {
        mls_map_put(&grouping->by_key, key, NULL)->value.number = grouping->groups.count;
        MLS_GROW(&grouping->groups, items);
        group = &grouping->groups.items[grouping->groups.count++];
        *group = (mls_group){.result_folder = run->result};
    }
    mls_grow((void **)&group->runs, group->run_count, &group->run_capacity, sizeof *group->runs);
    group->runs[group->run_count++] = &grouping->runs[number];
}

static int compare_runs(const void *a, const void *b)
{
    const mls_run *x = *(const mls_run *const *)a;
    const mls_run *y = *(const mls_run *const *)b;
    const int order = mls_str_compare_natural(mls_str_from(x->file), mls_str_from(y->file));
    return order != 0 ? order : (x->line > y->line) - (x->line < y->line);
}

static int compare_groups(const void *a, const void *b)
{
    return compare_runs(((const mls_group *)a)->runs, ((const mls_group *)b)->runs);
}

/* Return the folder (or file) that the runs of a group have in common. */
static mls_str common_path(const mls_group *group)
{
    const mls_str file = mls_str_from(group->runs[0]->file);
    bool one_file = !group->result_folder;
    mls_str common = file;
    for (size_t i = 1; i < group->run_count; i++) {
        const mls_str other = mls_str_from(group->runs[i]->file);
        size_t same = 0;
        while (same < common.len && same < other.len && common.ptr[same] == other.ptr[same]) {
            same++;
        }
        one_file = one_file && mls_str_equal(file, other);
        common.len = same;
    }
    return one_file ? file : folder_of(common);
}

mls_status mls_group_runs(const mls_run *runs, size_t run_count, mls_group **groups, size_t *count)
{
    mls_run_key *keys = mls_calloc(run_count + 1, sizeof *keys);
    grouped_runs grouping = {.runs = runs, .keys = keys};
    grouping.by_key.arena = &grouping.arena;
    for (size_t i = 0; i < run_count; i++) {
        keys[i] = mls_run_key_of(&runs[i]);
    }
    /* Those with gaps come when all others have made their groups. */
    for (int gaps = 0; gaps < 2; gaps++) {
        for (size_t i = 0; i < run_count; i++) {
            if (has_gaps(&keys[i]) == (gaps == 1)) {
                group_run(&grouping, i);
            }
        }
    }
    /* A run that joined late stands where its file's name puts it. */
    for (size_t i = 0; i < grouping.groups.count; i++) {
        mls_group *group = &grouping.groups.items[i];
        mls_fit((void **)&group->runs, group->run_count, &group->run_capacity, sizeof *group->runs);
        qsort((void *)group->runs, group->run_count, sizeof *group->runs, compare_runs);
        const mls_str path = common_path(group);
        group->path = mls_strndup(path.ptr, path.len);
    }
    if (grouping.groups.count > 1) {
        qsort(grouping.groups.items, grouping.groups.count, sizeof *grouping.groups.items, compare_groups);
    }
    mls_fit((void **)&grouping.groups.items, grouping.groups.count, &grouping.groups.capacity,
            sizeof *grouping.groups.items);
    mls_arena_release(&grouping.arena);
    mls_buffer_release(&grouping.bytes);
    free(keys);
    *groups = grouping.groups.items;
    *count = grouping.groups.count;
    return MLS_OK;
}
