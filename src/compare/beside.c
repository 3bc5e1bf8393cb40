/* SPDX-License-Identifier: Apache-2.0 */
/* beside.c - groups beside the published results nearest to them. */
#include <math.h>

#include "compare/side.h"
#include "slurm/slurm.h"

bool mls_path_system(mls_arena *arena, const char *path, const char **system)
{
    mls_str name;
    mls_str above;
    const bool known = mls_folder_of_system(mls_str_from(path), &name, &above);
    *system = known ? mls_arena_copy(arena, name).ptr : NULL;
    return !known || *system != NULL;
}

static mls_published_query query_of(const mls_side_group *group)
{
    unsigned edition = 0;
    (void)mls_edition_number(mls_str_from(group->edition), &edition);
    return (mls_published_query){.edition = edition,
                                 .benchmark = mls_str_from(group->benchmark),
                                 .division = group->division,
                                 .accelerators = group->accelerators,
                                 .model = group->accelerator,
                                 .minutes = group->scaled_minutes,
                                 .system_id = group->system_id};
}

static bool add_beside(mls_comparison *comparison, mls_arena *arena, const mls_side_group *group)
{
    mls_beside beside = {.group = group};
    const mls_published_query query = query_of(group);
    beside.count = mls_published_nearest(&comparison->published[group->usage], &query, beside.near, MLS_BESIDE_MOST);
    if (beside.count == 0) {
        return mls_unmatched_add(comparison, arena, group, "no published result of this benchmark and division");
    }
    if (!mls_arena_grow(arena, (void **)&comparison->beside, comparison->beside_count, &comparison->beside_capacity,
                        sizeof *comparison->beside)) {
        return false;
    }
    comparison->beside[comparison->beside_count++] = beside;
    return true;
}

mls_status mls_beside_make(mls_comparison *comparison, mls_arena *arena, mls_error *error)
{
    bool loaded[MLS_USAGE_COUNT] = {false};
    bool ok = true;
    for (size_t i = 0; i < comparison->group_count && ok; i++) {
        const mls_side_group *group = comparison->groups[i];
        const mls_status status =
            loaded[group->usage] ? MLS_OK
                                 : mls_published_load(group->usage, 0, &comparison->published[group->usage], error);
        loaded[group->usage] = true;
        if (status != MLS_OK) {
            return status;
        }
        ok = !isfinite(group->scaled_minutes) || group->benchmark == NULL
                 ? mls_unmatched_add(comparison, arena, group,
                                     group->benchmark == NULL ? "unknown benchmark" : "no score")
                 : add_beside(comparison, arena, group);
    }
    return ok ? MLS_OK : MLS_ERROR_MEMORY;
}
