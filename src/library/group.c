/* SPDX-License-Identifier: Apache-2.0 */
/* group.c - a collection for outsiders, and what is asked of a group. */
#include "mlscore/group.h"
#include "base/memory.h"

#include <stdlib.h>

#include "library/library.h"

mls_status mls_collection_new(const mls_rules *rules, const char *const *paths, size_t count,
                              mls_collection **collection, mls_error *error)
{
    *collection = NULL;
    for (size_t i = 0; i < count; i++) {
        if (paths == NULL || paths[i] == NULL) {
            return mls_error_missing("a path", error);
        }
    }
    const mls_collect_options how = mls_rules_collecting(rules);
    mls_collection *made = mls_calloc(1, sizeof *made);
    const mls_status status = made != NULL ? mls_collect(paths, count, &how, made, error) : mls_error_memory(error);
    if (status != MLS_OK) {
        mls_collection_free(made);
        made = NULL;
    }
    *collection = made;
    return status;
}

void mls_collection_free(mls_collection *collection)
{
    if (collection != NULL) {
        mls_collection_release(collection);
        free(collection);
    }
}

const mls_group *mls_collection_group(const mls_collection *collection, size_t index)
{
    return index < collection->group_count ? &collection->groups[index] : NULL;
}

const mls_run *mls_collection_run(const mls_collection *collection, size_t index)
{
    return index < collection->run_count ? &collection->runs[index] : NULL;
}

bool mls_collection_left_out(const mls_collection *collection, size_t index, const char **path, const char **reason)
{
    size_t before = 0;
    for (size_t i = 0; i < collection->skipped.count; i++) {
        const mls_source *source = &collection->skipped.items[i];
        if (source->skip != NULL && before++ == index) {
            if (path != NULL) {
                *path = source->path;
            }
            if (reason != NULL) {
                *reason = source->skip;
            }
            return true;
        }
    }
    return false;
}

size_t mls_collection_unreadable(const mls_collection *collection)
{
    return collection->failed;
}

const char *mls_group_path(const mls_group *group)
{
    return group->path;
}

const char *mls_group_benchmark(const mls_group *group)
{
    return group->benchmark;
}

const char *mls_group_edition(const mls_group *group)
{
    return group->edition != NULL ? group->edition->name : NULL;
}

const char *mls_group_division(const mls_group *group)
{
    return mls_division_name(group->division);
}

const char *mls_group_config(const mls_group *group)
{
    return group->config;
}

double mls_group_global_batch_size(const mls_group *group)
{
    return group->global_batch_size;
}

double mls_group_accelerators(const mls_group *group)
{
    return group->accelerators;
}

const char *mls_group_accelerator(const mls_group *group)
{
    return group->accelerator;
}

const mls_run *mls_group_run(const mls_group *group, size_t index)
{
    return index < group->run_count ? group->runs[index] : NULL;
}

const char *mls_group_mark(const mls_group *group, size_t index)
{
    return index < group->run_count ? mls_olympic_mark_name(group->marks[index]) : NULL;
}

size_t mls_group_runs_needed(const mls_group *group)
{
    return group->rules->runs_needed;
}

double mls_group_minutes(const mls_group *group)
{
    return group->score.score_minutes;
}

double mls_group_scaled_minutes(const mls_group *group)
{
    return group->scaled_minutes;
}

double mls_group_scale(const mls_group *group)
{
    return group->scale;
}

bool mls_group_is_official(const mls_group *group)
{
    return group->score.official;
}

static const char *outcome_name(mls_check check)
{
    static const char *const names[] = {"", "pass", "fail", "bypassed"};
    return names[check];
}

const char *mls_group_convergence(const mls_group *group)
{
    return outcome_name(group->rcp.check);
}

const char *mls_group_seeds(const mls_group *group)
{
    return outcome_name(group->seeds.check);
}

const mls_findings *mls_group_findings(const mls_group *group)
{
    return &group->findings;
}
