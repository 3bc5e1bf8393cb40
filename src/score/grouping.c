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
    mls_group *items;
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

/* Whether everything both have logged is the same. */
static bool agree(const mls_run *a, const mls_run *b)
{
    bool same = !a->result && !b->result && !(a->global_batch_size < b->global_batch_size) &&
                !(a->global_batch_size > b->global_batch_size);
    for (int fact = 0; fact < MLS_FACT_TEXTS && same; fact++) {
        const char *x = mls_run_says(a, (mls_run_fact)fact);
        const char *y = mls_run_says(b, (mls_run_fact)fact);
        same = x == NULL || y == NULL || strcmp(x, y) == 0;
    }
    return same;
}

static bool has_gaps(const mls_run *run)
{
    return !run->result && (run->benchmark == NULL || run->division == NULL || isnan(run->global_batch_size));
}

/* Texts are ended by a NUL; a missing one differs from an empty one. */
mls_str mls_run_group_key(const mls_run *run, mls_buffer *bytes)
{
    mls_buffer_clear(bytes);
    mls_buffer_append_char(bytes, run->result ? 'r' : 'g');
    if (run->result) {
        mls_buffer_append(bytes, folder_of(mls_str_from(run->file)));
        return mls_buffer_str(bytes);
    }
    for (int fact = 0; fact < MLS_FACT_TEXTS; fact++) {
        const char *text = mls_run_says(run, (mls_run_fact)fact);
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
static mls_group *guess_group(const grouped_runs *grouping, const mls_run *run)
{
    mls_group *found[2] = {NULL, NULL}; /* of the same folder, of any */
    size_t counts[2] = {0, 0};
    for (size_t i = 0; i < grouping->count && grouping->count <= MLS_GROUPS_GUESSED; i++) {
        const mls_run *first = grouping->items[i].runs[0];
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
static bool group_run(grouped_runs *grouping, const mls_run *run)
{
    const mls_str key = mls_run_group_key(run, &grouping->bytes);
    const mls_map_entry *known = mls_map_find(&grouping->by_key, key);
    mls_group *group = known != NULL   ? &grouping->items[known->value.number]
                       : has_gaps(run) ? guess_group(grouping, run)
                                       : NULL;
    if (group == NULL) {
        mls_map_entry *entry = mls_map_put(&grouping->by_key, key, NULL);
        if (entry == NULL || grouping->bytes.failed || !MLS_GROW(grouping, items)) {
            return false;
        }
        entry->value.number = grouping->count;
        group = &grouping->items[grouping->count++];
        *group = (mls_group){.result_folder = run->result};
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
    mls_fit((void **)&group->runs, group->run_count, &group->run_capacity, sizeof *group->runs);
    qsort((void *)group->runs, group->run_count, sizeof *group->runs, compare_runs);
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
    common = one_file ? file : folder_of(common);
    group->path = strndup(common.ptr, common.len);
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
    grouping.by_key.arena = &grouping.arena;
    bool ok = true;
    /* Those with gaps come when all others have made their groups. */
    for (int gaps = 0; gaps < 2; gaps++) {
        for (size_t i = 0; i < run_count && ok; i++) {
            ok = has_gaps(&runs[i]) != (gaps == 1) || group_run(&grouping, &runs[i]);
        }
    }
    for (size_t i = 0; i < grouping.count && ok; i++) {
        ok = close_group(&grouping.items[i]);
    }
    mls_group *fitted = ok && grouping.count > 0 ? realloc(grouping.items, grouping.count * sizeof *fitted) : NULL;
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
